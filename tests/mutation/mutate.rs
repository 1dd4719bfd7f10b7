//! Mutants of source files: tokens deleted, doubled, swapped, exchanged, cut off, buried.

use std::path::{Path, PathBuf};

/// A source file as tokens, each with the blanks before it: together they are the text.
pub struct Source {
    pub path: PathBuf,
    pub tokens: Vec<String>,
}

/// Random numbers from a seed, by the generator splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        b ^ (b >> 31)
    }

    /// A number below `n`, or 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % (n.max(1) as u64)) as usize
    }

    fn of<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// Splits a text into words, numbers and single signs.
pub fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let (mut blanks, mut in_word) = (String::new(), false);
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match all.last_mut() {
            _ if c.is_whitespace() => blanks.push(c),
            Some(last) if word && in_word && blanks.is_empty() => last.push(c),
            _ => all.push(std::mem::take(&mut blanks) + c.encode_utf8(&mut [0; 4])),
        }
        in_word = word;
    }
    all.push(blanks);
    all
}

/// The sources of the corpus, of the file tests, and of the tests of the language.
pub fn sources() -> Vec<Source> {
    fn find(folder: &Path, all: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                find(&path, all);
            } else if path.extension().is_some_and(|e| e == "cu" || e == "cl" || e == "cuh" || e == "map") {
                all.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    find(&root.join("corpus"), &mut paths);
    find(&root.join("tests/files"), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file of the corpus")).into_owned();
        Source { tokens: tokens(&text), path }
    };
    let mut all: Vec<Source> = paths.into_iter().map(read).collect();
    let tables = [("cu", include_str!("../language.tsv")), ("cl", include_str!("../language-cl.tsv"))];
    for (extension, table) in tables {
        for line in table.lines().filter(|l| !l.starts_with('#')) {
            let mut columns = line.splitn(3, '\t');
            let path = PathBuf::from(format!("{}.{extension}", columns.next().unwrap_or_default()));
            let text = columns.nth(1).unwrap_or_default().replace("\\n", "\n");
            all.push(Source { path, tokens: tokens(&text) });
        }
    }
    all
}

/// Numbers where widths end.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "31",
    "32",
    "2147483647",
    "2147483648u",
    "4294967296",
    "0x7fffffffffffffffll",
    "18446744073709551615ull",
    "99999999999999999999999999999999999999999",
    "1e400",
    "0b101",
    "1'000",
    "0x",
];

/// Signs that no program has, or that open something.
const STRAYS: [&str; 20] = [
    "\0",
    "\u{feff}",
    "é",
    "\u{1f600}",
    "\u{202e}",
    "\\",
    "\\\n",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "R\"(",
    "#",
    "\n#if 1\n",
    "\n#define ",
    "`",
    "\r",
    "\u{1}",
    "??/",
];

/// What nests: the beginning and the end.
const NESTS: [(&str, &str); 24] = [
    ("(", ")"),
    ("{", "}"),
    ("[", "]"),
    ("a[", "]"),
    ("-", ""),
    ("!", ""),
    ("*", ""),
    ("&", ""),
    ("(int)", ""),
    ("1+", ""),
    ("x?1:", ""),
    ("x=", ""),
    ("f(", ")"),
    ("sizeof ", ""),
    ("if(x)", ""),
    ("if(x){}else ", ""),
    ("for(;;)", ""),
    ("while(x){", "}"),
    ("do ", "while(x);"),
    ("switch(x){case 1:", "}"),
    ("A<", ">"),
    ("namespace n{", "}"),
    ("struct S{", "};"),
    ("[=](int x){", "}"),
];

/// The mutant with a number, and where it stands.
pub fn mutant(sources: &[Source], seed: u64, case: u64) -> (PathBuf, String) {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ case);
    random.next();
    let own = &sources[random.below(sources.len())];
    let mut text = own.tokens.clone();
    for _ in 0..1 + random.below(4) {
        mutate(&mut text, sources, &mut random);
    }
    (own.path.clone(), text.concat())
}

/// Changes a list of tokens once.
fn mutate(text: &mut Vec<String>, sources: &[Source], random: &mut Random) {
    let at = random.below(text.len());
    let some = |random: &mut Random, most: usize| 1 + random.below(most);
    let end = |random: &mut Random, most: usize| (at + 1 + random.below(most)).min(text.len());
    match random.below(24) {
        0..3 => drop(text.drain(at..(at + 1).min(text.len()))),
        3 => {
            let end = end(random, 20);
            text.drain(at..end);
        }
        4 | 5 => {
            let copy = text[at..(at + 1).min(text.len())].to_vec();
            text.splice(at..at, copy);
        }
        6 => {
            let end = end(random, 40);
            let copy = text[at..end].to_vec();
            for _ in 0..some(random, 4) {
                text.splice(end..end, copy.iter().cloned());
            }
        }
        7..10 => {
            let other = random.below(text.len());
            if !text.is_empty() {
                text.swap(at, other);
            }
        }
        10..13 => {
            let other = random.of(text).clone();
            if let Some(token) = text.get_mut(at) {
                *token = other;
            }
        }
        13..16 => {
            let other = &random_source(sources, random).tokens;
            let other = random.of(other).clone();
            match text.get_mut(at) {
                Some(token) if random.below(2) == 0 => *token = other,
                _ => text.insert(at, other),
            }
        }
        16 | 17 => {
            let other = &random_source(sources, random).tokens;
            let from = random.below(other.len());
            let to = (from + some(random, 60)).min(other.len());
            text.splice(at..at, other[from..to].iter().cloned());
        }
        18 => text.truncate(at),
        19 => text.insert(at, (*random.of(&STRAYS)).to_owned()),
        20 | 21 => {
            // Any number becomes an extreme one.
            let numbers: Vec<usize> =
                (0..text.len()).filter(|i| text[*i].trim_start().starts_with(|c: char| c.is_ascii_digit())).collect();
            if !numbers.is_empty() {
                text[*random.of(&numbers)] = format!(" {}", random.of(&NUMBERS));
            }
        }
        _ => {
            let (open, close) = *random.of(&NESTS);
            let depth = *random.of(&[8, 64, 512, 4096, 30_000]);
            text.insert(at, open.repeat(depth));
            if random.below(4) != 0 {
                let end = (at + 1 + random.below(12)).min(text.len());
                text.insert(end, close.repeat(depth));
            }
        }
    }
    if text.is_empty() {
        text.push(String::new());
    }
}

fn random_source<'s>(sources: &'s [Source], random: &mut Random) -> &'s Source {
    random.of(sources)
}
