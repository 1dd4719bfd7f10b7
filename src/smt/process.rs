//! A solver process that is kept alive. Every wait has a deadline: a solver that dies, hangs, floods us or does not read
//! what it is sent ends in a typed error, and dropping the process kills it and its children.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::locate::{Located, SolverKind};

/// Why the process gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    #[error("it could not be started ({0})")]
    Spawn(String),
    #[error("{0}")]
    Died(String),
    #[error("no answer in time")]
    Overrun,
    #[error("{0}")]
    Garbage(String),
}

/// Keeps the end of what the solver wrote to stderr.
const STDERR_TAIL: usize = 2000;
/// How often it is looked whether an answer is still needed.
const STOP: Duration = Duration::from_millis(20);
/// Parentheses nested deeper than this are no answer of a solver to anything we ask.
const MAX_NESTING: u32 = 64;

/// A running solver.
pub struct Process {
    child: Child,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    unread: VecDeque<u8>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    stderr_closed: Receiver<()>,
    max_answer: usize,
}

impl Process {
    /// Starts the solver, reading commands from its standard input.
    pub fn spawn(solver: &Located, max_answer: usize) -> Result<Process, ProcessError> {
        let args: &[&str] = match solver.kind {
            SolverKind::Z3 => &["-in", "-smt2", "-memory:4096"],
            SolverKind::Cvc5 => &["--lang", "smt2", "--incremental", "--produce-models"],
            SolverKind::Yices => &["--incremental", "--interactive"],
        };
        Process::start(&solver.path, args, max_answer)
    }

    /// Starts a program that talks like a solver.
    pub fn start(program: &Path, args: &[&str], max_answer: usize) -> Result<Process, ProcessError> {
        let mut command = Command::new(program);
        command.args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Its own group, so that it can be killed with all its children, and does not see our Ctrl-C.
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|e| ProcessError::Spawn(e.to_string()))?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ProcessError::Spawn("its pipes are missing".to_string()));
        };

        // None of these threads is ever waited for: each ends when its pipe or its channel closes.
        let (input, to_write) = channel::<String>();
        std::thread::spawn(move || {
            while let Ok(text) = to_write.recv() {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (chunks, output) = sync_channel::<Vec<u8>>(16);
        std::thread::spawn(move || {
            pump(stdout, |bytes| chunks.send(bytes.to_vec()).is_ok());
        });
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let shared = Arc::clone(&tail);
        let (closing, stderr_closed) = channel::<()>();
        std::thread::spawn(move || {
            let _closing = closing;
            pump(stderr, |bytes| {
                if let Ok(mut tail) = shared.lock() {
                    tail.extend(bytes);
                    let excess = tail.len().saturating_sub(STDERR_TAIL);
                    tail.drain(..excess);
                }
                true
            });
        });
        Ok(Process { child, input, output, unread: VecDeque::new(), stderr: tail, stderr_closed, max_answer })
    }

    /// Hands over commands to be written; returns at once. A solver that is gone is noticed by the next `read`.
    pub fn send(&self, text: &str) {
        let _ = self.input.send(text.to_string());
    }

    /// The next answer: one atom, string or parenthesised expression.
    pub fn read(&mut self, deadline: Instant, stop: Option<&AtomicBool>) -> Result<String, ProcessError> {
        let mut scan = Scan::default();
        let mut answer: Vec<u8> = Vec::new();
        loop {
            while let Some(byte) = self.unread.pop_front() {
                match scan.next(byte) {
                    Seen::Skip => {}
                    Seen::Part => answer.push(byte),
                    Seen::Last => {
                        answer.push(byte);
                        return Ok(String::from_utf8_lossy(&answer).into_owned());
                    }
                    Seen::EndBefore => {
                        self.unread.push_front(byte);
                        return Ok(String::from_utf8_lossy(&answer).into_owned());
                    }
                    Seen::Nonsense(what) => return Err(ProcessError::Garbage(format!("{what} in {}", head(&answer)))),
                }
                if answer.len() > self.max_answer {
                    return Err(ProcessError::Garbage(format!(
                        "an answer of more than {} bytes, which begins with {}",
                        self.max_answer,
                        head(&answer)
                    )));
                }
            }
            // Also for a solver that never stops writing blanks.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ProcessError::Overrun);
            }
            let slice = if stop.is_some() { left.min(STOP) } else { left };
            match self.output.recv_timeout(slice) {
                Ok(bytes) => self.unread.extend(bytes),
                Err(RecvTimeoutError::Timeout) if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => {
                    return Err(ProcessError::Overrun);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ProcessError::Died(self.obituary())),
            }
        }
    }

    /// How the solver ended, with the end of what it wrote to stderr. Called when its output has closed.
    fn obituary(&mut self) -> String {
        let mut how = "it closed its output".to_string();
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    how = status.to_string();
                    break;
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(_) => break,
            }
        }
        // Until all of it has been read.
        let _ = self.stderr_closed.recv_timeout(Duration::from_millis(100));
        let tail = self.stderr.lock().map(|t| t.iter().copied().collect::<Vec<u8>>()).unwrap_or_default();
        let tail = String::from_utf8_lossy(&tail);
        match tail.trim() {
            "" => how,
            tail => format!("{how}: {tail}"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(Some(_)) = self.child.try_wait() {
            // It is gone already, and its number may be another's by now; but its children keep the group alive, and
            // then the number is still theirs. They end on their own when their pipes close.
            return;
        }
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        // After SIGKILL this takes no time, except for a process stuck in the kernel, which is left to itself.
        for _ in 0..200 {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                _ => break,
            }
        }
    }
}

/// Reads until the end, and hands over each piece until told to stop.
fn pump(mut from: impl Read, mut to: impl FnMut(&[u8]) -> bool) {
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => {
                if !buffer.get(..n).is_some_and(&mut to) {
                    return;
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// The beginning of something too long to print.
fn head(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(40)).unwrap_or_default());
    format!("`{}`", text.escape_debug())
}

#[derive(Default)]
struct Scan {
    depth: u32,
    inside: Inside,
}

#[derive(Default, PartialEq, Clone, Copy)]
enum Inside {
    #[default]
    Nothing,
    Atom,
    String,
    Quoted,
    Comment,
}

enum Seen {
    Skip,
    Part,
    /// The expression ends with this byte.
    Last,
    /// The expression ended before this byte.
    EndBefore,
    Nonsense(&'static str),
}

impl Scan {
    fn next(&mut self, byte: u8) -> Seen {
        match self.inside {
            Inside::String | Inside::Quoted => {
                let end = if self.inside == Inside::String { b'"' } else { b'|' };
                if byte != end {
                    return Seen::Part;
                }
                self.inside = Inside::Nothing;
                return if self.depth == 0 { Seen::Last } else { Seen::Part };
            }
            Inside::Comment => {
                if byte == b'\n' {
                    self.inside = Inside::Nothing;
                }
                return Seen::Skip;
            }
            Inside::Atom if matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'"' | b';') => {
                if self.depth == 0 {
                    return Seen::EndBefore;
                }
                self.inside = Inside::Nothing;
            }
            Inside::Atom => return Seen::Part,
            Inside::Nothing => {}
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => Seen::Skip,
            b' ' | b'\t' | b'\r' | b'\n' => Seen::Part,
            b';' => {
                self.inside = Inside::Comment;
                Seen::Skip
            }
            b'"' => {
                self.inside = Inside::String;
                Seen::Part
            }
            b'|' => {
                self.inside = Inside::Quoted;
                Seen::Part
            }
            b'(' => {
                self.depth += 1;
                if self.depth > MAX_NESTING { Seen::Nonsense("too many parentheses") } else { Seen::Part }
            }
            b')' if self.depth == 0 => Seen::Nonsense("a closing parenthesis without an opening one"),
            b')' => {
                self.depth -= 1;
                if self.depth == 0 { Seen::Last } else { Seen::Part }
            }
            _ => {
                self.inside = Inside::Atom;
                Seen::Part
            }
        }
    }
}
