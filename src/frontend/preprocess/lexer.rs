//! Preprocessing tokens of a text, one at a time.
//!
//! A token is a range of bytes of the text as written, so that its place costs nothing; line splices inside it are only
//! flagged. Ranges always start and end on characters, because every byte of a multi-byte character counts as a letter.

/// What a preprocessing token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Identifier,
    Number,
    Character,
    String,
    Punctuator,
    /// A byte that starts no token, or a quote without its partner, up to the end of the line.
    Other,
    /// The end of the line of a directive.
    Newline,
    /// The end of the text, or of a macro argument.
    End,
    /// Stands for an empty operand of `##`; never leaves a macro expansion.
    Placemarker,
}

/// What has no end: a token, or a comment before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfinished {
    Comment,
    Quote,
    RawString,
}

/// A token as it stands in the text.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// A blank or a comment stands before it.
    pub space: bool,
    /// It is the first token of its line.
    pub line_start: bool,
    /// A comment before it begins with `//@` or `/*@`.
    pub annotated: bool,
    /// There is a line splice inside it: its text is not the text of its range.
    pub spliced: bool,
    /// The problem and where it starts.
    pub problem: Option<(Unfinished, usize)>,
}

/// Where a newline ends a token stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Newlines {
    /// Newlines are blanks.
    Blank,
    /// The lexer stops before the newline, and keeps stopping there.
    Stop,
}

/// A position in a text. Copy it to look ahead.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    pub position: usize,
    line_start: bool,
}

impl Cursor {
    pub fn new() -> Cursor {
        Cursor { position: 0, line_start: true }
    }

    /// In the middle of a line.
    pub fn at(position: usize) -> Cursor {
        Cursor { position, line_start: false }
    }

    /// The next token from the cursor, which moves past it.
    pub fn next(&mut self, text: &[u8], newlines: Newlines) -> Lexeme {
        let blank = skip_blank(text, self.position, newlines);
        let line_start = std::mem::take(&mut self.line_start) | blank.crossed_line;
        let start = blank.end;
        let (kind, end, spliced, problem) = match text.get(start) {
            None => (Kind::End, start, false, None),
            Some(b'\n') => (Kind::Newline, start, false, None),
            Some(first) => {
                let token = lex_token(text, start, *first);
                (token.kind, token.end, token.spliced, token.problem)
            }
        };
        self.position = end;
        let problem = blank.problem.or(problem.map(|p| (p, start)));
        Lexeme { kind, start, end, space: blank.space, line_start, annotated: blank.annotated, spliced, problem }
    }
}

struct Blank {
    end: usize,
    space: bool,
    crossed_line: bool,
    annotated: bool,
    problem: Option<(Unfinished, usize)>,
}

fn skip_blank(text: &[u8], from: usize, newlines: Newlines) -> Blank {
    let mut blank = Blank { end: from, space: false, crossed_line: false, annotated: false, problem: None };
    if from == 0 && text.starts_with(b"\xef\xbb\xbf") {
        blank.end = 3;
    }
    while let Some(byte) = text.get(blank.end) {
        match byte {
            b'\n' if newlines == Newlines::Stop => break,
            b'\n' => {
                blank.end += 1;
                blank.crossed_line = true;
                blank.space = true;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => {
                blank.end += 1;
                blank.space = true;
            }
            b'\\' => match splice(text, blank.end) {
                Some(end) => blank.end = end,
                None => break,
            },
            b'/' => {
                let second = skip_splices(text, blank.end + 1);
                let end = match text.get(second) {
                    Some(b'/') => line_comment_end(text, second + 1),
                    Some(b'*') => block_comment_end(text, second + 1).unwrap_or_else(|| {
                        blank.problem = Some((Unfinished::Comment, blank.end));
                        text.len()
                    }),
                    _ => break,
                };
                blank.annotated |= is_annotation(text, blank.end);
                blank.end = end;
                blank.space = true;
            }
            _ => break,
        }
    }
    blank
}

fn is_annotation(text: &[u8], comment: usize) -> bool {
    text.get(comment..).is_some_and(|t| t.starts_with(b"//@") || t.starts_with(b"/*@"))
}

/// The texts of the annotations among blanks: what follows the `@`.
pub fn comments(text: &[u8], blanks: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut at) = (Vec::new(), blanks.start);
    while at < blanks.end {
        let (inner, end) = match text.get(at..at + 2) {
            Some(b"//") => {
                let end = line_comment_end(text, at + 2);
                (end, end)
            }
            Some(b"/*") => match block_comment_end(text, at + 2) {
                Some(end) => (end - 2, end),
                None => (text.len(), text.len()),
            },
            _ => {
                at += 1;
                continue;
            }
        };
        if is_annotation(text, at) {
            found.push(at + 3..inner.max(at + 3));
        }
        at = end;
    }
    found
}

/// The end of the line splice that starts at the backslash at `at`, when it is one. Blanks may stand between the
/// backslash and the newline, as in every compiler.
fn splice(text: &[u8], at: usize) -> Option<usize> {
    let blanks = text.get(at + 1..)?.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
    let newline = at + 1 + blanks;
    (text.get(newline) == Some(&b'\n')).then_some(newline + 1)
}

fn skip_splices(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&b'\\') {
        match splice(text, at) {
            Some(end) => at = end,
            None => break,
        }
    }
    at
}

/// The text without its line splices.
pub fn unspliced(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut result = String::with_capacity(text.len());
    let mut rest = 0;
    while let Some(found) = bytes.get(rest..).and_then(|b| b.iter().position(|b| *b == b'\\')) {
        let backslash = rest + found;
        let (keep, next) = match splice(bytes, backslash) {
            Some(end) => (backslash, end),
            None => (backslash + 1, backslash + 1),
        };
        result.push_str(text.get(rest..keep).unwrap_or(""));
        rest = next;
    }
    result.push_str(text.get(rest..).unwrap_or(""));
    result
}

fn line_comment_end(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => break,
            b'\\' => at = splice(text, at).unwrap_or(at + 1),
            _ => at += 1,
        }
    }
    at
}

fn block_comment_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += text.get(at..)?.iter().position(|b| *b == b'*')? + 1;
        let slash = skip_splices(text, at);
        if text.get(slash) == Some(&b'/') {
            return Some(slash + 1);
        }
    }
}

struct Token {
    kind: Kind,
    end: usize,
    spliced: bool,
    problem: Option<Unfinished>,
}

fn lex_token(text: &[u8], start: usize, first: u8) -> Token {
    match first {
        b'"' => quoted(text, start + 1, b'"', false),
        b'\'' => quoted(text, start + 1, b'\'', false),
        b'0'..=b'9' => number(text, start),
        b'.' if text.get(skip_splices(text, start + 1)).is_some_and(u8::is_ascii_digit) => number(text, start),
        _ if is_identifier_byte(first) => identifier_or_prefixed(text, start),
        _ => punctuator(text, start),
    }
}

pub fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn identifier_or_prefixed(text: &[u8], start: usize) -> Token {
    let (end, spliced) = identifier_end(text, start);
    let prefix = text.get(start..end).unwrap_or_default();
    match (text.get(end), prefix) {
        (Some(b'"'), b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
            raw_string(text, end + 1).unwrap_or(Token { kind: Kind::Identifier, end, spliced, problem: None })
        }
        (Some(quote @ (b'"' | b'\'')), b"L" | b"u" | b"U" | b"u8") => quoted(text, end + 1, *quote, spliced),
        _ => Token { kind: Kind::Identifier, end, spliced, problem: None },
    }
}

fn identifier_end(text: &[u8], mut at: usize) -> (usize, bool) {
    let mut spliced = false;
    loop {
        at += text.get(at..).unwrap_or_default().iter().take_while(|b| is_identifier_byte(**b)).count();
        let after = skip_splices(text, at);
        if after == at || !text.get(after).is_some_and(|b| is_identifier_byte(*b)) {
            return (at, spliced);
        }
        spliced = true;
        at = after;
    }
}

/// `R"` has been read; `None` when no raw string can start here.
fn raw_string(text: &[u8], open: usize) -> Option<Token> {
    let rest = text.get(open..)?;
    let length = rest.iter().take(17).position(|b| *b == b'(')?;
    let delimiter = &rest[..length];
    if delimiter.iter().any(|b| matches!(b, b')' | b'\\' | b'"' | b'\n' | b' ' | b'\t' | b'\r' | 0x0b | 0x0c)) {
        return None;
    }
    let mut at = open + length + 1;
    while let Some(close) = text.get(at..).and_then(|rest| rest.iter().position(|b| *b == b')')) {
        at += close + 1;
        let tail = text.get(at..).unwrap_or_default();
        if tail.starts_with(delimiter) && tail.get(length) == Some(&b'"') {
            return Some(Token { kind: Kind::String, end: at + length + 1, spliced: false, problem: None });
        }
    }
    let problem = Some(Unfinished::RawString);
    Some(Token { kind: Kind::Other, end: text.len(), spliced: false, problem })
}

/// A string or character literal whose opening quote has been read.
fn quoted(text: &[u8], mut at: usize, quote: u8, mut spliced: bool) -> Token {
    let kind = if quote == b'"' { Kind::String } else { Kind::Character };
    while let Some(byte) = text.get(at) {
        match *byte {
            b'\n' => break,
            b'\\' => match splice(text, at) {
                Some(end) => {
                    spliced = true;
                    at = end;
                }
                None => {
                    let escaped = skip_splices(text, at + 1);
                    spliced |= escaped != at + 1;
                    at = match text.get(escaped) {
                        None | Some(b'\n') => escaped,
                        Some(_) => escaped + 1,
                    };
                }
            },
            byte if byte == quote => return Token { kind, end: at + 1, spliced, problem: None },
            _ => at += 1,
        }
    }
    Token { kind: Kind::Other, end: at, spliced, problem: Some(Unfinished::Quote) }
}

fn number(text: &[u8], start: usize) -> Token {
    let mut end = start;
    let mut spliced = false;
    let mut previous = 0;
    loop {
        let at = skip_splices(text, end);
        let Some(byte) = text.get(at).copied() else { break };
        let exponent = matches!(previous, b'e' | b'E' | b'p' | b'P');
        let separator = byte == b'\''
            && is_identifier_byte(previous)
            && text.get(at + 1).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let continues =
            is_identifier_byte(byte) || byte == b'.' || separator || (exponent && matches!(byte, b'+' | b'-'));
        if !continues {
            break;
        }
        spliced |= at != end;
        previous = byte;
        end = at + 1;
    }
    Token { kind: Kind::Number, end, spliced, problem: None }
}

/// Longest first.
const PUNCTUATORS: [&[u8]; 30] = [
    b"%:%:", b"<<=", b">>=", b"...", b"->*", b"<=>", b"##", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||",
    b"++", b"--", b"->", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"::", b".*", b"%:", b"#",
];

fn punctuator(text: &[u8], start: usize) -> Token {
    let mut bytes = [0; 4];
    let mut ends = [start; 4];
    let mut at = start;
    for (byte, end) in bytes.iter_mut().zip(&mut ends) {
        let Some(found) = text.get(at).filter(|b| b.is_ascii_punctuation()) else { break };
        *byte = *found;
        *end = at + 1;
        at = skip_splices(text, at + 1);
    }
    let known = PUNCTUATORS.iter().find(|p| bytes.starts_with(p));
    let length = known.map_or(1, |p| p.len());
    let end = if bytes[0] == 0 { start + 1 } else { ends[length - 1] };
    let single = matches!(bytes[0], b'_' | b'@' | b'`' | b'\\' | 0);
    let kind = if single { Kind::Other } else { Kind::Punctuator };
    Token { kind, end, spliced: end - start != length, problem: None }
}

/// Whether two tokens could be read as another one when written without a blank between them.
pub fn could_paste(left: &str, left_kind: Kind, right: &str, right_kind: Kind) -> bool {
    let (Some(last), Some(first)) = (left.bytes().last(), right.bytes().next()) else { return false };
    match (left_kind, right_kind) {
        (Kind::Other, _) | (_, Kind::Other) => true,
        (Kind::Identifier | Kind::String | Kind::Character, Kind::Punctuator) => false,
        (Kind::Number, Kind::Punctuator) => {
            first == b'.' || (matches!(first, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P'))
        }
        (Kind::Punctuator, Kind::Number) => last == b'.' || matches!(first, b'.'),
        (Kind::Punctuator, Kind::Punctuator) => match (last, first) {
            (a, b) if a == b => !matches!(a, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'~' | b'?'),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>' | b'=' | b'!', b'=') => true,
            (b'-' | b'=', b'>') | (b'>', b'*') | (b'/', b'*') | (b'.', b'*') | (b'<' | b'%', b':') => true,
            (b'<', b'%') | (b'%' | b':', b'>') => true,
            _ => false,
        },
        (Kind::Punctuator, _) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Kind, &str)> {
        let mut cursor = Cursor::new();
        std::iter::from_fn(|| {
            let token = cursor.next(text.as_bytes(), Newlines::Blank);
            (token.kind != Kind::End).then(|| (token.kind, &text[token.start..token.end]))
        })
        .collect()
    }

    fn spellings(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|(_, spelling)| spelling).collect()
    }

    #[test]
    fn operators_are_read_greedily() {
        assert_eq!(spellings("a+++b<<=c->*d...::#"), ["a", "++", "+", "b", "<<=", "c", "->*", "d", "...", "::", "#"]);
        assert_eq!(spellings("k<<<1,2>>>()"), ["k", "<<", "<", "1", ",", "2", ">>", ">", "(", ")"]);
    }

    #[test]
    fn numbers_take_exponents_separators_and_suffixes() {
        assert_eq!(
            spellings("1e+5f .5 0x1p-3 1'000u 1.2.3 0xe+1"),
            ["1e+5f", ".5", "0x1p-3", "1'000u", "1.2.3", "0xe+1"]
        );
    }

    #[test]
    fn literals_keep_their_prefix_and_raw_strings_their_newlines() {
        assert_eq!(spellings("L\"a\\\"b\" u8'c' x'd'"), ["L\"a\\\"b\"", "u8'c'", "x", "'d'"]);
        assert_eq!(spellings("R\"x(a)\" \\\n)x\" b"), ["R\"x(a)\" \\\n)x\"", "b"]);
        assert_eq!(spellings("R\"\n\" b"), ["R", "\"", "\" b"]);
    }

    #[test]
    fn splices_join_tokens_and_are_flagged() {
        let mut cursor = Cursor::new();
        let token = cursor.next(b"ab\\\ncd \\  \n+\\\n+ x", Newlines::Blank);
        assert_eq!((token.start, token.end, token.spliced), (0, 6, true));
        let token = cursor.next(b"ab\\\ncd \\  \n+\\\n+ x", Newlines::Blank);
        assert_eq!(
            (token.kind, token.end - token.start, token.spliced, token.line_start),
            (Kind::Punctuator, 4, true, false)
        );
    }

    #[test]
    fn comments_are_blanks() {
        assert_eq!(spellings("a/* * / */b // c \\\n d\n e/ *f"), ["a", "b", "e", "/", "*", "f"]);
    }

    #[test]
    fn unfinished_text_is_a_problem_with_a_place() {
        let problem = |text: &str| Cursor::new().next(text.as_bytes(), Newlines::Blank).problem;
        assert_eq!(problem("  /* a"), Some((Unfinished::Comment, 2)));
        assert_eq!(problem(" \"a\\"), Some((Unfinished::Quote, 1)));
        assert_eq!(problem("'a\nb'"), Some((Unfinished::Quote, 0)));
        assert_eq!(problem("R\"(a"), Some((Unfinished::RawString, 0)));
    }

    #[test]
    fn stray_bytes_are_tokens_of_their_own() {
        assert_eq!(
            tokens("@\u{1}é\0`"),
            [(Kind::Other, "@"), (Kind::Other, "\u{1}"), (Kind::Identifier, "é"), (Kind::Other, "`")]
        );
    }
}
