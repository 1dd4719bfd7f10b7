//! What each code means, at length: `faial-like explain CODE`.

mod codes;

pub use codes::ENTRIES;

/// The long text of one code, always under the same headings.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// A code, or the start of a family of codes that ends in `-`.
    pub code: &'static str,
    pub title: &'static str,
    pub what: &'static str,
    pub why: &'static str,
    pub fix: &'static str,
    pub limits: &'static str,
    /// Printed as it stands.
    pub example: &'static str,
}

/// How wide the long texts are printed.
const WIDTH: usize = 80;

impl Entry {
    /// The headings in order, each with its text.
    pub fn sections(&self) -> [(&'static str, &'static str); 5] {
        [
            ("What", self.what),
            ("Why it matters", self.why),
            ("How to fix", self.fix),
            ("Known limits", self.limits),
            ("Example", self.example),
        ]
    }

    /// The whole entry as plain text, ending in a newline.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {}\n", self.code, self.title);
        for (heading, text) in self.sections() {
            out.push_str(&format!("\n{heading}\n"));
            if heading == "Example" {
                for line in text.lines() {
                    out.push_str(&if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
                }
            } else {
                fill(&mut out, text);
            }
        }
        out
    }
}

/// The entry of a code, or of the family it belongs to.
pub fn lookup(code: &str) -> Option<&'static Entry> {
    let exact = ENTRIES.iter().find(|e| e.code == code);
    exact.or_else(|| ENTRIES.iter().find(|e| e.code.ends_with('-') && code.starts_with(e.code)))
}

/// The long text of a code; for an unknown one, the codes that look most like it, best first.
pub fn explain(code: &str) -> Result<String, Vec<&'static str>> {
    match lookup(code) {
        Some(entry) => Ok(entry.text()),
        None => Err(near(code)),
    }
}

/// The codes that a typing mistake or a forgotten part away from `code`, best first; at most five.
fn near(code: &str) -> Vec<&'static str> {
    let code = code.to_lowercase().replace('_', "-");
    let mut scored: Vec<(usize, &str)> = Vec::new();
    for entry in ENTRIES {
        let distance = distance(&code, entry.code);
        let shares_word = code.split('-').any(|w| w.len() > 2 && entry.code.split('-').any(|e| e == w));
        if distance <= 1 + entry.code.len() / 4 {
            scored.push((distance, entry.code));
        } else if shares_word {
            scored.push((100 + distance, entry.code));
        }
    }
    scored.sort_unstable();
    scored.into_iter().map(|(_, code)| code).take(5).collect()
}

/// The number of characters to insert, delete or replace to get from one text to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let replace = row[j] + usize::from(ca != *cb);
            next.push(replace.min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[b.len()]
}

/// Adds a paragraph, indented and broken at words.
fn fill(out: &mut String, text: &str) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column == 0 {
            out.push_str("  ");
            column = 2;
        } else if column + 1 + length > WIDTH {
            out.push_str("\n  ");
            column = 2;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_code_has_all_headings() {
        for entry in ENTRIES {
            let text = entry.text();
            for (heading, body) in entry.sections() {
                assert!(text.contains(&format!("\n{heading}\n")), "{}: {heading}", entry.code);
                assert!(body.trim().len() > 20, "{}: {heading} says too little", entry.code);
            }
            assert!(text.lines().all(|l| l.chars().count() <= 100), "{}: a line is too long", entry.code);
            assert!(!entry.title.ends_with('.'), "{}: the title is not a sentence", entry.code);
        }
    }

    #[test]
    fn every_code_is_there_once() {
        let expected = [
            "data-race",
            "same-value-race",
            "barrier-divergence",
            "barrier-uniformity",
            "outside-paper",
            "unknown-call",
            "unknown-pointer",
            "constant-write",
            "unknown-construct",
            "unknown-order",
            "unknown-type",
            "unknown-value",
            "parse-error",
            "solver-unknown",
            "solver-missing",
            "solver-failed",
            "no-accesses",
            "launched-elsewhere",
            "annotation",
            "assumption-unused",
            "vacuous",
            "macro-",
            "include-around",
            "include-missing",
            "host-differs",
            "kernels-left-out",
            "included",
            "include-cycle",
            "not-text",
            "too-large",
            "too-deep",
            "ill-formed",
            "header-dimensions",
            "findings-limit",
            "run-timeout",
            "internal-error",
            "recursion",
            "expansion-limit",
            "no-kernels",
            "unreadable-file",
            "overflow-assumed",
            "alias-assumed",
            "unused-axis-assumed",
        ];
        assert_eq!(ENTRIES.iter().map(|e| e.code).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_code_of_a_family_has_the_text_of_the_family() {
        assert_eq!(lookup("macro-arguments").map(|e| e.code), Some("macro-"));
        assert_eq!(lookup("macr"), None);
    }

    #[test]
    fn an_unknown_code_lists_near_ones() {
        assert_eq!(explain("data_race"), Err(vec!["data-race", "same-value-race"]));
        assert_eq!(explain("unkown-call"), Err(vec!["unknown-call", "unknown-value"]));
        assert_eq!(explain("barrier"), Err(vec!["barrier-divergence", "barrier-uniformity"]),);
        assert_eq!(explain("zzz"), Err(vec![]));
        assert_eq!(explain(""), Err(vec![]));
    }

    #[test]
    fn one_entry_as_printed() {
        expect![[r#"
            data-race: two threads touch the same cell, one of them writes, and nothing orders them

            What
              Two different threads access the same cell of an array, at least one of them
              writes, and no barrier that both threads take part in lies between the two
              accesses. Atomics whose scope covers both threads do not race with each other,
              but an atomic and a plain access do. A finding is `confirmed` when the kernel
              was run with the values shown, and the two threads did make both accesses with
              no barrier between them. Where the code cannot be run, which is then said, its
              protocol was replayed. It is `possible` when it rests on something that is not
              modelled, which is then named.

            Why it matters
              The result depends on which thread comes first. It can be right on one device,
              driver or compiler and wrong on the next, and the language gives such a
              program no meaning at all: the compiler may keep the old value in a register,
              or move the access.

            How to fix
              When both threads are in one block, put `__syncthreads()` between the two
              accesses, where all threads of the block reach it. When they are in one warp,
              `__syncwarp()` is enough. When they are in different blocks no block barrier
              helps: let each block write its own cells, use atomics, or split the kernel in
              two. When the alarm needs values that never occur, say so with an assumption
              (`__requires(n % 32 == 0)` in the kernel, or `--assume`) or fix the launch
              with `--block-dim` and `--grid-dim`.

            Known limits
              Accesses by host code and by other kernels that run at the same time are not
              seen. Memory fences alone (`__threadfence()`) order nothing here, so hand-made
              locks and flags are reported.

            Example
                __global__ void shift(int *a) {
                  __shared__ int s[256];
                  s[threadIdx.x] = a[threadIdx.x];
                  // __syncthreads(); here removes the race between the two lines
                  a[threadIdx.x] = s[(threadIdx.x + 1) % 256];
                }
        "#]]
        .assert_eq(&explain("data-race").unwrap_or_default());
    }
}
