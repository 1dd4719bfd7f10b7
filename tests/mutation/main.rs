//! Broken sources: no panic, no death, no wait of more than 2 s, no more than 500 MB, whatever is in the file.
//!
//! `FAIAL_MUTATIONS=20000 cargo test --release --test mutation` is the slow tier; `FAIAL_MUTATIONS_FROM` is the number of
//! its first mutant, `FAIAL_MUTATIONS_SEED` the seed, and `FAIAL_MUTATIONS_KEEP` a folder for those that are wrong. The
//! mutants run in child processes, so that one that exhausts the stack or never ends is found as well.

mod case;
mod mutate;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use mutate::{mutant, sources, tokens};

/// A debug build is slower than what is promised.
const SLOW: Duration = Duration::from_millis(if cfg!(debug_assertions) { 20_000 } else { 2_000 });
const LARGE: u64 = 500_000;
/// A process that says nothing for so long hangs; the solver may take its time, too.
const SILENT: Duration = Duration::from_secs(120);

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// In a child process: runs mutants, and says what each of them cost.
#[test]
fn child() {
    let say = |text: &str| {
        let mut out = std::io::stdout();
        // Whoever does not listen any more has ended us.
        let _ = writeln!(out, "@{text}").and_then(|()| out.flush());
    };
    let one = |case: u64, path: &Path, text: &str| {
        say(&format!("begin {case}"));
        let (cost, panic) = case::run(path, text, &case::solver(case), SLOW);
        let panic = panic.map(|p| p.replace('\n', " "));
        say(&format!("end {case} {} {} {}", cost.time.as_millis(), cost.memory, panic.unwrap_or_default()));
    };
    if let Ok(range) = std::env::var("FAIAL_MUTATION_CHILD") {
        let mut range = range.split_whitespace().map(|n| n.parse::<u64>().expect("a number"));
        let mut next = || range.next().expect("seed, first and end");
        let (seed, first, end) = (next(), next(), next());
        let sources = sources();
        for number in first..end {
            let (path, text) = mutant(&sources, seed, number);
            one(number, &path, &text);
        }
    } else if let Ok(file) = std::env::var("FAIAL_MUTATION_FILE") {
        let (path, text) = case::read(Path::new(&file)).expect("a mutant");
        one(number("FAIAL_MUTATION_CASE", 1), &path, &text);
    }
}

/// What is wrong with a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Wrong {
    Panic(String),
    /// The process ended, or had to be ended.
    Death(String),
    Slow(u64),
    Large(u64),
}

impl Wrong {
    fn same_kind(&self, other: &Wrong) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

#[derive(Default)]
struct Tally {
    cases: u64,
    slowest: (u64, u64),
    largest: (u64, u64),
    wrong: Vec<(u64, Wrong)>,
}

fn start(name: &str, value: &str, case: u64) -> Child {
    let program = std::env::current_exe().expect("the name of this program");
    let mut command = Command::new(program);
    command.args(["child", "--exact", "--nocapture"]).env(name, value).env("FAIAL_MUTATION_CASE", case.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("this program")
}

/// Reads what a child says until it ends or hangs; whether it ended well, and the mutant that it was at.
fn listen(mut child: Child, tally: &mut Tally) -> Option<u64> {
    let (send, lines) = channel();
    let out = child.stdout.take().expect("its output");
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut at = None;
    let why = loop {
        let line = match lines.recv_timeout(SILENT) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => break Some("it does not end".to_owned()),
        };
        let Some((_, line)) = line.split_once('@') else { continue };
        let mut words = line.splitn(5, ' ');
        let (what, mut next) = (words.next(), || words.next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0));
        let case = next();
        if what == Some("begin") {
            at = Some(case);
            continue;
        }
        at = None;
        let (time, memory) = (next(), next());
        tally.cases += 1;
        tally.slowest = tally.slowest.max((time, case));
        tally.largest = tally.largest.max((memory, case));
        let panic = words.next().unwrap_or_default();
        if !panic.is_empty() {
            tally.wrong.push((case, Wrong::Panic(panic.to_owned())));
        } else if time > SLOW.as_millis() as u64 {
            tally.wrong.push((case, Wrong::Slow(time)));
        } else if memory > LARGE {
            tally.wrong.push((case, Wrong::Large(memory)));
        }
    };
    let _ = child.kill();
    let status = child.wait().map_or("no status".to_owned(), |s| s.to_string());
    let case = at?;
    tally.cases += 1;
    tally.wrong.push((case, Wrong::Death(why.unwrap_or(status))));
    Some(case)
}

/// Runs the mutants of a range.
fn campaign(seed: u64, mut first: u64, end: u64) -> Tally {
    let mut tally = Tally::default();
    while first < end {
        let before = tally.cases;
        match listen(start("FAIAL_MUTATION_CHILD", &format!("{seed} {first} {end}"), 0), &mut tally) {
            Some(case) => first = case + 1,
            None => {
                assert_eq!(tally.cases - before, end - first, "a process ended early");
                first = end;
            }
        }
    }
    tally
}

/// What is wrong with a text, alone in a process.
fn wrong_with(path: &Path, text: &str, case: u64, file: &Path) -> Option<Wrong> {
    std::fs::write(file, format!("{}\n{text}", path.display())).expect("a temporary file");
    let mut tally = Tally::default();
    listen(start("FAIAL_MUTATION_FILE", &file.display().to_string(), case), &mut tally);
    tally.wrong.pop().map(|(_, wrong)| wrong)
}

/// Leaves tokens out as long as the same kind of thing is wrong, for a while.
fn shrunk(path: &Path, text: &str, case: u64, wrong: &Wrong) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut best = tokens(text);
    let mut size = best.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < best.len() && Instant::now() < deadline {
            let mut shorter = best.clone();
            shorter.drain(at..(at + size).min(shorter.len()));
            match wrong_with(path, &shorter.concat(), case, file.path()) {
                Some(other) if other.same_kind(wrong) => best = shorter,
                _ => at += size,
            }
        }
        size /= 2;
    }
    best.concat()
}

#[test]
fn broken_sources_break_nothing() {
    if std::env::var("FAIAL_MUTATION_CHILD").or(std::env::var("FAIAL_MUTATION_FILE")).is_ok() {
        return;
    }
    let (seed, from) = (number("FAIAL_MUTATIONS_SEED", 1), number("FAIAL_MUTATIONS_FROM", 0));
    let cases = number("FAIAL_MUTATIONS", 200);
    let halves = [(from, from + cases / 2), (from + cases / 2, from + cases)];
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let workers = halves.map(|(first, end)| scope.spawn(move || campaign(seed, first, end)));
        workers.map(|w| w.join().expect("a campaign")).into_iter().collect()
    });
    let slowest = tallies.iter().map(|t| t.slowest).max().unwrap_or_default();
    let largest = tallies.iter().map(|t| t.largest).max().unwrap_or_default();
    let (all, wrong): (u64, Vec<_>) =
        (tallies.iter().map(|t| t.cases).sum(), tallies.iter().flat_map(|t| &t.wrong).collect());
    println!("{all} mutants of seed {seed}: {} are wrong", wrong.len());
    println!(
        "slowest: {} ms (mutant {}); most memory: {} MB (mutant {})",
        slowest.0,
        slowest.1,
        largest.0 / 1000,
        largest.1
    );
    assert_eq!(all, cases);
    let sources = sources();
    let mut told = String::new();
    for (i, (case, wrong)) in wrong.iter().enumerate() {
        let (path, text) = mutant(&sources, seed, *case);
        told += &format!("\nmutant {case} of {}: {wrong:?}\n", path.display());
        if let Ok(folder) = std::env::var("FAIAL_MUTATIONS_KEEP") {
            let extension = path.extension().unwrap_or_default().display();
            std::fs::create_dir_all(&folder).expect("a folder for what is wrong");
            std::fs::write(format!("{folder}/{case}.{extension}"), &text).expect("a file in it");
        }
        if i < 3 {
            let text: String = shrunk(&path, &text, *case, wrong).chars().take(3000).collect();
            told += &format!("{text}\n");
        }
    }
    assert!(
        wrong.is_empty(),
        "{told}\nagain: FAIAL_MUTATIONS_SEED={seed} FAIAL_MUTATIONS_FROM=<mutant> FAIAL_MUTATIONS=1"
    );
}

#[test]
fn mutants_are_the_same_each_time_and_differ_from_their_sources() {
    let sources = sources();
    assert!(sources.len() > 400, "{}", sources.len());
    let texts: Vec<_> = (0..300).map(|case| mutant(&sources, 1, case)).collect();
    assert_eq!(texts, (0..300).map(|case| mutant(&sources, 1, case)).collect::<Vec<_>>());
    let same = texts.iter().filter(|(p, t)| sources.iter().any(|s| s.path == *p && s.tokens.concat() == *t));
    assert!(same.count() < 30);
}

#[test]
fn what_is_wrong_is_seen() {
    // A process that dies is told with the mutant that it was at; a text that is fine is fine.
    let mut tally = Tally::default();
    let mut dying = Command::new("sh");
    dying.args(["-c", "echo @begin 7; echo '@end 7 3 40000 '; echo '@end 8 9000000 1 '; echo '@end 9 1 1 broken here'; echo @begin 10; kill -9 $$"]);
    let child = dying.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a shell");
    assert_eq!(listen(child, &mut tally), Some(10));
    assert_eq!((tally.cases, tally.largest), (4, (40_000, 7)));
    assert!(matches!(tally.wrong[0], (8, Wrong::Slow(9_000_000))));
    assert_eq!(tally.wrong[1], (9, Wrong::Panic("broken here".to_owned())));
    assert!(matches!(&tally.wrong[2], (10, Wrong::Death(_))));
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let kernel = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    assert_eq!(wrong_with(Path::new("a.cu"), kernel, 1, file.path()), None);
}
