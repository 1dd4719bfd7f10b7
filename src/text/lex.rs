//! Tokens.

use nom::IResult;
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::character::complete::{char, digit1, hex_digit1, multispace1, satisfy};
use nom::combinator::{map, not, opt, peek, recognize, value};
use nom::multi::many0_count;
use nom::sequence::{delimited, pair, preceded, terminated};

use crate::base::Name;
use crate::exp::IntTy;
use crate::exp::display::TYPES;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name; `quoted` ones stand in backquotes and are never a word of the language.
    Word {
        name: Name,
        quoted: bool,
    },
    /// Digits; `None` when the number needs more than 127 bits. The parser takes 64.
    Number(Option<i128>),
    /// An operator or other mark, and the type that is glued to it.
    Mark(&'static str, Option<IntTy>),
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word { name, .. } => write!(f, "`{name}`"),
            Token::Number(Some(value)) => write!(f, "`{value}`"),
            Token::Number(None) => f.write_str("a number of more than 64 bits"),
            Token::Mark(mark, ty) => {
                write!(f, "`{mark}{}`", ty.map_or(String::new(), |ty| ty.to_string()))
            }
            Token::End => f.write_str("the end of the file"),
        }
    }
}

/// A token and where it starts, in bytes.
#[derive(Clone, Debug)]
pub struct Placed {
    pub token: Token,
    pub at: usize,
}

/// The operators that may have a type.
const TYPED: [&str; 10] = ["<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^"];
/// Longer marks first, where one begins another.
const MARKS: [&str; 26] = [
    "..", "||", "&&", "==", "!=", "<=", ">=", ":=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ";", ":", "?", "@",
    "#", "~", "!", "=", ".",
];

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn space(input: &str) -> IResult<&str, ()> {
    let comment = preceded(tag("//"), take_till(|c| c == '\n'));
    value((), many0_count(alt((multispace1, comment)))).parse(input)
}

/// Letters, digits, `_`, `$`; `.` and `!` inside, when a letter or digit follows.
fn word(input: &str) -> IResult<&str, Token> {
    let joint = terminated(satisfy(|c| c == '.' || c == '!'), peek(satisfy(|c| c.is_ascii_alphanumeric() || c == '_')));
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = many0_count(alt((value((), satisfy(in_name)), value((), joint))));
    map(recognize(pair(first, rest)), |text: &str| Token::Word { name: Name::new(text), quoted: false }).parse(input)
}

fn quoted(input: &str) -> IResult<&str, Token> {
    let text = delimited(char('`'), take_while1(|c| c != '`' && c != '\n'), char('`'));
    map(text, |text: &str| Token::Word { name: Name::new(text), quoted: true }).parse(input)
}

fn number(input: &str) -> IResult<&str, Token> {
    let hex = map(preceded(tag("0x"), hex_digit1), |digits: &str| i128::from_str_radix(digits, 16).ok());
    let decimal = map(digit1, |digits: &str| digits.parse::<i128>().ok());
    map(terminated(alt((hex, decimal)), not(satisfy(in_name))), Token::Number).parse(input)
}

fn glued_type(input: &str) -> IResult<&str, IntTy> {
    let (rest, text) = terminated(take_while1(in_name), peek(not(satisfy(in_name)))).parse(input)?;
    match TYPES.iter().find(|(name, _)| *name == text) {
        Some((_, ty)) => Ok((rest, *ty)),
        None => Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Tag))),
    }
}

fn mark(input: &str) -> IResult<&str, Token> {
    let plain = MARKS.iter().find(|m| input.starts_with(**m));
    let typed = TYPED.iter().find(|m| input.starts_with(**m));
    let (mark, may_have_type) = match (plain, typed) {
        (Some(plain), Some(typed)) if plain.len() >= typed.len() => (*plain, false),
        (_, Some(typed)) => (*typed, true),
        (Some(plain), None) => (*plain, false),
        (None, None) => return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Tag))),
    };
    let (rest, _) = tag(mark).parse(input)?;
    let (rest, ty) = if may_have_type { opt(glued_type).parse(rest)? } else { (rest, None) };
    Ok((rest, Token::Mark(mark, ty)))
}

/// Reads all tokens. A character that starts none is reported, and left out.
pub fn tokens(text: &str) -> (Vec<Placed>, Vec<(usize, String)>) {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let mut rest = text;
    loop {
        rest = space(rest).map_or(rest, |(rest, ())| rest);
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            all.push(Placed { token: Token::End, at });
            return (all, errors);
        };
        let read: IResult<&str, Token> = alt((word, quoted, number, mark)).parse(rest);
        match read {
            Ok((after, token)) => {
                all.push(Placed { token, at });
                rest = after;
            }
            Err(_) => {
                errors.push((at, format!("the character {first:?} does not belong here")));
                let strange = |c: char| !c.is_ascii() || c == first;
                let (after, _) = take_while::<_, _, nom::error::Error<&str>>(strange).parse(rest).unwrap_or(("", rest));
                rest = if after.len() == rest.len() { rest.get(first.len_utf8()..).unwrap_or("") } else { after };
            }
        }
    }
}
