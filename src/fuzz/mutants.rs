//! Mutants of kernels that somebody wrote: small changes after which most are still programs, as somebody who types writes
//! them: a barrier or a guard that is gone, an index that is shifted, another operator, number or name.

use std::path::PathBuf;

use super::choices::Choices;

/// A source file whose kernels are changed.
#[derive(Clone, Debug)]
pub struct Origin {
    pub path: PathBuf,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    Number,
    Sign,
    /// A comment, a string, or a line of the preprocessor: it stays as it is.
    Other,
}

/// A token with the blanks before it.
#[derive(Clone, Debug)]
struct Token {
    text: String,
    kind: Kind,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        self.kind != Kind::Other && self.text.trim_start() == word
    }
}

/// A mutant: which of the origins it is made of, and its text.
///
/// Shape: the first choices say which origin and how many changes; each change is a few choices more.
pub fn mutant(origins: &[Origin], choices: &mut Choices) -> (usize, String) {
    let which = position(choices, origins.len());
    let Some(origin) = origins.get(which) else { return (0, String::new()) };
    let mut text = tokens(&origin.text);
    for _ in 0..1 + choices.pick(3) {
        change(&mut text, choices);
    }
    (which, text.iter().map(|t| t.text.as_str()).collect())
}

/// A number below `n`, which may be more than one choice tells apart.
fn position(choices: &mut Choices, n: usize) -> usize {
    let (high, low) = (choices.pick(256), choices.pick(256));
    (high * 256 + low) % n.max(1)
}

/// Signs of more than one character, the longest first.
const LONG: [&str; 23] = [
    "<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
    "*=", "/=", "&=", "|=", "::",
];

/// Splits a text into tokens that together are the text.
fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let code = rest.trim_start();
        let blanks = rest.len() - code.len();
        let at_line_start = all.is_empty() || rest[..blanks].contains('\n');
        let Some(first) = code.chars().next() else {
            all.push(Token { text: rest.to_owned(), kind: Kind::Other });
            break;
        };
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let (kind, length) = if code.starts_with("//") {
            (Kind::Other, code.find('\n').unwrap_or(code.len()))
        } else if code.starts_with("/*") {
            (Kind::Other, code.find("*/").map_or(code.len(), |end| end + 2))
        } else if first == '#' && at_line_start {
            (Kind::Other, directive(code))
        } else if first == '"' || first == '\'' {
            (Kind::Other, quoted(code, first))
        } else if first.is_ascii_digit() {
            (Kind::Number, code.find(|c: char| !in_word(c) && c != '.').unwrap_or(code.len()))
        } else if in_word(first) {
            (Kind::Word, code.find(|c: char| !in_word(c)).unwrap_or(code.len()))
        } else {
            let long = LONG.iter().find(|sign| code.starts_with(*sign));
            (Kind::Sign, long.map_or(first.len_utf8(), |sign| sign.len()))
        };
        let (token, after) = rest.split_at(blanks + length);
        all.push(Token { text: token.to_owned(), kind });
        rest = after;
    }
    all
}

/// The length of a line of the preprocessor, with those that continue it.
fn directive(code: &str) -> usize {
    let mut length = 0;
    for line in code.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            return length - usize::from(line.ends_with('\n'));
        }
    }
    length
}

fn quoted(code: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    code.len()
}

/// The tokens of statements that end in a semicolon, in braces: from the first to the one after the semicolon.
fn statements(text: &[Token]) -> Vec<(usize, usize)> {
    let (mut all, mut start) = (Vec::new(), 0);
    let (mut braces, mut parens) = (0_usize, 0_usize);
    for (at, token) in text.iter().enumerate() {
        match token.text.trim_start() {
            _ if token.kind == Kind::Other => continue,
            "(" => parens += 1,
            ")" => parens = parens.saturating_sub(1),
            _ if parens > 0 => {}
            "{" => {
                braces += 1;
                start = at + 1;
            }
            "}" => {
                braces = braces.saturating_sub(1);
                start = at + 1;
            }
            ";" => {
                if braces > 0 && start < at {
                    all.push((start, at + 1));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    all
}

/// The token after the one that closes what `open` opens.
fn closed(text: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in text.iter().enumerate().skip(open) {
        match token.text.trim_start() {
            _ if token.kind == Kind::Other => {}
            "(" | "[" => depth += 1,
            ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What may stand for each other.
const ALIKE: [&[&str]; 9] = [
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["&&", "||"],
    &["+=", "-=", "*=", "/=", "&=", "|=", "<<=", ">>="],
    &["++", "--"],
    &["threadIdx", "blockIdx", "blockDim", "gridDim"],
    &["x", "y", "z"],
    &["__syncthreads", "__syncwarp", "__threadfence"],
    &["int", "unsigned", "short", "char", "float", "double"],
];

/// Changes a text once.
fn change(text: &mut Vec<Token>, choices: &mut Choices) {
    let plain = |text: &str| Token { text: format!(" {text} "), kind: Kind::Other };
    let of_kind = |text: &[Token], wanted: &dyn Fn(&Token) -> bool| -> Vec<usize> {
        (0..text.len()).filter(|at| text.get(*at).is_some_and(wanted)).collect()
    };
    let some = |choices: &mut Choices, from: &[usize]| from.get(position(choices, from.len())).copied();
    match choices.pick(12) {
        // Another operator, built-in variable, barrier or type.
        0..3 => {
            let known = |t: &Token| t.kind != Kind::Other && ALIKE.iter().any(|row| row.iter().any(|w| t.is(w)));
            let Some(at) = some(choices, &of_kind(text, &known)) else { return };
            let row = ALIKE.iter().find(|row| row.iter().any(|w| text[at].is(w)));
            let Some(other) = row.and_then(|row| choices.one_of(row)) else { return };
            text[at].text = format!(" {other}");
        }
        // Another number.
        3 | 4 => {
            let Some(at) = some(choices, &of_kind(text, &|t| t.kind == Kind::Number)) else { return };
            let Ok(number) = text[at].text.trim().parse::<i64>() else { return };
            let near = [
                number + 1,
                number - 1,
                number.saturating_mul(2),
                number / 2,
                0,
                1,
                number + 16,
                number.saturating_mul(-1),
            ];
            let Some(other) = choices.one_of(&near) else { return };
            text[at].text = format!(" {other}");
        }
        // Another name of the file.
        5 => {
            let names = of_kind(text, &|t| t.kind == Kind::Word);
            let (Some(at), Some(from)) = (some(choices, &names), some(choices, &names)) else { return };
            text[at].text = format!(" {}", text[from].text.trim());
        }
        // A statement that is gone, doubled, after its neighbour, only of some threads, or in a loop.
        6..9 => {
            let all = statements(text);
            let Some((start, end)) = all.get(position(choices, all.len())).copied() else { return };
            let own: Vec<Token> = text[start..end].to_vec();
            match choices.pick(7) {
                0..2 => drop(text.drain(start..end)),
                2 => drop(text.splice(end..end, own)),
                3 => {
                    let to = all.iter().find(|(next, _)| *next >= end).map_or(end, |(_, end)| *end);
                    text.splice(to..to, own);
                    text.drain(start..end);
                }
                4 => {
                    let barrier = choices.one_of(&["__syncthreads();", "__syncwarp();", "return;", "continue;"]);
                    text.insert(start, plain(barrier.unwrap_or(&"")));
                }
                5 => {
                    let guards =
                        ["threadIdx.x % 3 == 1", "threadIdx.x < 5", "threadIdx.x != blockIdx.x", "blockIdx.x == 1"];
                    let guard = choices.one_of(&guards).unwrap_or(&"1");
                    text.insert(start, plain(&format!("if ({guard})")));
                }
                _ => text.insert(start, plain("for (int again = 0; again < 3; again++)")),
            }
        }
        // A guard or bound that always holds, or never.
        9 => {
            let heads = of_kind(text, &|t| t.is("if") || t.is("while"));
            let Some(at) = some(choices, &heads) else { return };
            let Some(end) = closed(text, at + 1) else { return };
            match choices.pick(2) {
                0 => drop(text.splice(at + 2..end.saturating_sub(1).max(at + 2), [plain("1")])),
                _ => {
                    text.insert(end, plain(")"));
                    text.insert(at + 1, plain("(!"));
                }
            }
        }
        // Another index.
        _ => {
            let brackets = of_kind(text, &|t| t.is("["));
            let Some(at) = some(choices, &brackets) else { return };
            let Some(end) = closed(text, at) else { return };
            let changes = [") + 1", ") ^ 1", ") / 2", ") % 7", ") - 1", ") * 2", ") & ~1", ") + threadIdx.x"];
            let Some(change) = choices.one_of(&changes) else { return };
            text.insert(end - 1, plain(change));
            text.insert(at + 1, plain("("));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//--blockDim=8\n#define N \\\n 4\n__global__ void k(int *a) {\n  a[threadIdx.x + 1] = '\\''; // x\n  \
                        for (int i = 0; i < N; i++) { __syncthreads(); a[i] += 2.5f; }\n}\n/* end";

    #[test]
    fn tokens_together_are_the_text() {
        let all = tokens(TEXT);
        assert_eq!(all.iter().map(|t| t.text.as_str()).collect::<String>(), TEXT);
        let directive = all.iter().find(|t| t.text.contains("#define")).expect("a directive");
        assert_eq!((directive.text.as_str(), directive.kind), ("\n#define N \\\n 4", Kind::Other));
        assert!(all.iter().any(|t| t.is("++")) && all.iter().any(|t| t.text == " '\\''"));
    }

    #[test]
    fn statements_are_those_in_braces() {
        let all = tokens(TEXT);
        let text =
            |(start, end): &(usize, usize)| all[*start..*end].iter().map(|t| t.text.as_str()).collect::<String>();
        let found: Vec<String> = statements(&all).iter().map(text).map(|t| t.trim().to_owned()).collect();
        assert_eq!(found, ["a[threadIdx.x + 1] = '\\'';", "__syncthreads();", "a[i] += 2.5f;"]);
    }

    #[test]
    fn mutants_differ_and_leave_the_header_alone() {
        let origins = [Origin { path: "k.cu".into(), text: TEXT.to_owned() }];
        let all: std::collections::BTreeSet<String> =
            (0..200).map(|seed| mutant(&origins, &mut Choices::seeded(seed, 40)).1).collect();
        assert!(all.len() > 120, "{}", all.len());
        assert!(all.iter().all(|text| text.starts_with("//--blockDim=8")));
        for wanted in ["__syncthreads", "a[ ( threadIdx.x", "if (threadIdx.x", "for (int again"] {
            assert!(all.iter().any(|text| text.contains(wanted)), "{wanted}");
        }
        assert!(all.iter().any(|text| !text.contains("__syncthreads")));
    }
}
