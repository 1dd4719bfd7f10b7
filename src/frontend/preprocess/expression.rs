//! The integer constant expressions of `#if`: 64-bit two's complement, signed or unsigned, as in C.

/// A token of the expression, after macro expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Number(String),
    Character(String),
    Identifier(String),
    Punctuator(String),
    /// The answer of `defined` or `__has_include`.
    Known(bool),
    /// Anything that has no business in an expression.
    Other(String),
}

/// Why an expression has no value, and the term at fault (one past the last when it ends too early).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub text: String,
    pub term: usize,
}

/// Whether the expression is nonzero, and the unknown names that were called like functions (they count as 0).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub holds: bool,
    pub unknown_calls: Vec<String>,
}

/// Deeper parentheses are refused, so that the evaluator's own recursion stays bounded.
const MAX_DEPTH: usize = 128;

/// The value of the expression.
///
/// Errors:   the first syntax error, or a division by zero in a part that is evaluated.
/// Deviates: signed overflow wraps and is not reported; an unknown name that is called counts as 0, where compilers stop:
///           it is a feature test of some other compiler.
pub fn evaluate(terms: &[Term]) -> Result<Outcome, Fault> {
    let mut parser = Parser { terms, next: 0, depth: 0, unknown_calls: vec![] };
    let value = parser.comma(true)?;
    if parser.next < terms.len() {
        return parser.fault("expected an operator");
    }
    Ok(Outcome { holds: value.bits != 0, unknown_calls: parser.unknown_calls })
}

#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn truth(value: bool) -> Value {
        Value { bits: u64::from(value), unsigned: false }
    }

    fn signed(self) -> i64 {
        self.bits as i64
    }

    fn is_negative(self) -> bool {
        !self.unsigned && self.signed() < 0
    }
}

struct Parser<'a> {
    terms: &'a [Term],
    next: usize,
    depth: usize,
    unknown_calls: Vec<String>,
}

impl Parser<'_> {
    fn fault<T>(&self, text: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { text: text.into(), term: self.next })
    }

    /// The operator that comes next, also when it is written as a word.
    fn operator(&self) -> Option<&str> {
        match self.terms.get(self.next)? {
            Term::Punctuator(text) => Some(text),
            Term::Identifier(text) => Some(match text.as_str() {
                "and" => "&&",
                "or" => "||",
                "not" => "!",
                "not_eq" => "!=",
                "bitand" => "&",
                "bitor" => "|",
                "xor" => "^",
                "compl" => "~",
                _ => return None,
            }),
            Term::Number(_) | Term::Character(_) | Term::Known(_) | Term::Other(_) => None,
        }
    }

    fn accept(&mut self, operator: &str) -> bool {
        let found = self.operator() == Some(operator);
        self.next += usize::from(found);
        found
    }

    /// `live` is false in parts whose value is not used: division by zero is no fault there.
    fn comma(&mut self, live: bool) -> Result<Value, Fault> {
        let mut value = self.conditional(live)?;
        while self.accept(",") {
            value = self.conditional(live)?;
        }
        Ok(value)
    }

    fn conditional(&mut self, live: bool) -> Result<Value, Fault> {
        self.nested(|parser| {
            let condition = parser.binary(0, live)?;
            if !parser.accept("?") {
                return Ok(condition);
            }
            let taken = condition.bits != 0;
            let yes = parser.comma(live && taken)?;
            if !parser.accept(":") {
                return parser.fault("expected `:` of `? :`");
            }
            let no = parser.conditional(live && !taken)?;
            Ok(Value { bits: if taken { yes.bits } else { no.bits }, unsigned: yes.unsigned || no.unsigned })
        })
    }

    fn binary(&mut self, lowest: u8, live: bool) -> Result<Value, Fault> {
        let mut left = self.unary(live)?;
        while let Some((operator, level)) = self.operator().and_then(binary_operator).filter(|(_, l)| *l >= lowest) {
            self.next += 1;
            let right_live = match operator {
                Binary::Or => live && left.bits == 0,
                Binary::And => live && left.bits != 0,
                _ => live,
            };
            let right = self.binary(level + 1, right_live)?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if right_live => return self.fault("division by zero"),
                None => Value { bits: 0, unsigned: left.unsigned || right.unsigned },
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, Fault> {
        let Some(operator) = self.operator().and_then(|o| o.chars().next().filter(|_| o.len() == 1)) else {
            return self.primary();
        };
        match operator {
            '!' | '~' | '-' | '+' => {
                self.next += 1;
                let value = self.nested(|parser| parser.unary(live))?;
                Ok(match operator {
                    '!' => Value::truth(value.bits == 0),
                    '~' => Value { bits: !value.bits, ..value },
                    '-' => Value { bits: value.bits.wrapping_neg(), ..value },
                    _ => value,
                })
            }
            '(' => {
                self.next += 1;
                let value = self.comma(live)?;
                if self.accept(")") { Ok(value) } else { self.fault("expected `)`") }
            }
            _ => self.fault("expected a value"),
        }
    }

    fn primary(&mut self) -> Result<Value, Fault> {
        let Some(term) = self.terms.get(self.next) else {
            return self.fault("the expression ends too early");
        };
        let value = match term {
            Term::Known(value) => Value::truth(*value),
            Term::Number(text) => match integer(text) {
                Ok(value) => value,
                Err(why) => return self.fault(why),
            },
            Term::Character(text) => match character(text) {
                Some(value) => value,
                None => return self.fault(format!("{text} is not a character")),
            },
            Term::Identifier(name) => {
                let called = matches!(self.terms.get(self.next + 1), Some(Term::Punctuator(p)) if p == "(");
                if called {
                    let name = name.clone();
                    self.next += 1;
                    self.skip_parentheses()?;
                    self.unknown_calls.push(name);
                    return Ok(Value::truth(false));
                }
                Value::truth(name == "true")
            }
            Term::Punctuator(text) => return self.fault(format!("expected a value before `{text}`")),
            Term::Other(text) => return self.fault(format!("`{text}` cannot stand in an expression")),
        };
        self.next += 1;
        Ok(value)
    }

    fn skip_parentheses(&mut self) -> Result<(), Fault> {
        let mut depth = 0_usize;
        while let Some(term) = self.terms.get(self.next) {
            self.next += 1;
            match term {
                Term::Punctuator(text) if text == "(" => depth += 1,
                Term::Punctuator(text) if text == ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        self.fault("expected `)`")
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        if self.depth == MAX_DEPTH {
            return self.fault("the expression is nested too deeply");
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }
}

#[derive(Clone, Copy)]
enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The operator and its level; higher levels bind tighter.
fn binary_operator(text: &str) -> Option<(Binary, u8)> {
    Some(match text {
        "||" => (Binary::Or, 0),
        "&&" => (Binary::And, 1),
        "|" => (Binary::BitOr, 2),
        "^" => (Binary::BitXor, 3),
        "&" => (Binary::BitAnd, 4),
        "==" => (Binary::Equal, 5),
        "!=" => (Binary::NotEqual, 5),
        "<" => (Binary::Less, 6),
        ">" => (Binary::Greater, 6),
        "<=" => (Binary::LessEqual, 6),
        ">=" => (Binary::GreaterEqual, 6),
        "<<" => (Binary::ShiftLeft, 7),
        ">>" => (Binary::ShiftRight, 7),
        "+" => (Binary::Add, 8),
        "-" => (Binary::Subtract, 8),
        "*" => (Binary::Multiply, 9),
        "/" => (Binary::Divide, 9),
        "%" => (Binary::Remainder, 9),
        _ => return None,
    })
}

/// `None` for a division by zero.
fn apply(operator: Binary, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (sa, sb) = (left.signed(), right.signed());
    let less = |x: u64, y: u64| if unsigned { x < y } else { (x as i64) < y as i64 };
    let number = |bits: u64| Some(Value { bits, unsigned });
    let truth = |holds: bool| Some(Value::truth(holds));
    match operator {
        Binary::Or => truth(a != 0 || b != 0),
        Binary::And => truth(a != 0 && b != 0),
        Binary::BitOr => number(a | b),
        Binary::BitXor => number(a ^ b),
        Binary::BitAnd => number(a & b),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Less => truth(less(a, b)),
        Binary::Greater => truth(less(b, a)),
        Binary::LessEqual => truth(!less(b, a)),
        Binary::GreaterEqual => truth(!less(a, b)),
        Binary::ShiftLeft if right.is_negative() => Some(shift_right(left, b.wrapping_neg())),
        Binary::ShiftLeft => Some(shift_left(left, b)),
        Binary::ShiftRight if right.is_negative() => Some(shift_left(left, b.wrapping_neg())),
        Binary::ShiftRight => Some(shift_right(left, b)),
        Binary::Add => number(a.wrapping_add(b)),
        Binary::Subtract => number(a.wrapping_sub(b)),
        Binary::Multiply => number(a.wrapping_mul(b)),
        Binary::Divide | Binary::Remainder if b == 0 => None,
        Binary::Divide if unsigned => number(a / b),
        Binary::Divide => number(sa.wrapping_div(sb) as u64),
        Binary::Remainder if unsigned => number(a % b),
        Binary::Remainder => number(sa.wrapping_rem(sb) as u64),
    }
}

fn shift_left(value: Value, by: u64) -> Value {
    let bits = u32::try_from(by).ok().and_then(|by| value.bits.checked_shl(by)).unwrap_or(0);
    Value { bits, ..value }
}

fn shift_right(value: Value, by: u64) -> Value {
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    let bits =
        if value.unsigned { value.bits.checked_shr(by).unwrap_or(0) } else { (value.signed() >> by.min(63)) as u64 };
    Value { bits, ..value }
}

fn integer(text: &str) -> Result<Value, String> {
    let digits: String = text.chars().filter(|c| *c != '\'').collect();
    let lower = digits.to_ascii_lowercase();
    let (radix, rest) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, lower.as_str()),
        _ => (10, lower.as_str()),
    };
    let end = rest.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    let unsigned = match suffix {
        "" | "l" | "ll" | "z" => false,
        "u" | "ul" | "ull" | "lu" | "llu" | "uz" | "zu" => true,
        _ if suffix.starts_with(['.', 'e', 'p']) => return Err(format!("{text} is not an integer")),
        _ => return Err(format!("{text} is not a number")),
    };
    let mut bits = 0_u64;
    for digit in digits.chars() {
        let Some(digit) = digit.to_digit(radix) else { return Err(format!("{text} is not a number")) };
        bits = bits
            .checked_mul(u64::from(radix))
            .and_then(|b| b.checked_add(u64::from(digit)))
            .ok_or_else(|| format!("{text} does not fit in 64 bits"))?;
    }
    if digits.is_empty() {
        return Err(format!("{text} is not a number"));
    }
    Ok(Value { bits, unsigned: unsigned || bits > i64::MAX as u64 })
}

/// The value of a character literal. Several characters make one 32-bit number, the last one lowest; a plain character
/// is signed.
fn character(text: &str) -> Option<Value> {
    let (prefix, rest) = text.split_once('\'')?;
    let body = rest.strip_suffix('\'')?;
    let wide = !prefix.is_empty();
    let mut units: Vec<u64> = vec![];
    let mut characters = body.chars().peekable();
    while let Some(c) = characters.next() {
        if c != '\\' {
            if wide {
                units.push(u64::from(c));
            } else {
                units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u64::from));
            }
            continue;
        }
        let escape = match characters.next()? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            'x' => numeric_escape(&mut characters, 16, 0, usize::MAX),
            'u' => numeric_escape(&mut characters, 16, 0, 4),
            'U' => numeric_escape(&mut characters, 16, 0, 8),
            c @ '0'..='7' => numeric_escape(&mut characters, 8, u64::from(c) - u64::from('0'), 2),
            c => u64::from(c),
        };
        units.push(escape);
    }
    match (wide, units.as_slice()) {
        (_, []) => None,
        (true, [.., last]) => Some(Value { bits: *last, unsigned: prefix != "L" }),
        (false, [one]) => Some(Value { bits: i64::from(*one as u8 as i8) as u64, unsigned: false }),
        (false, many) => {
            let bits = many.iter().fold(0_u32, |bits, unit| (bits << 8) | (*unit as u8 as u32));
            Some(Value { bits: i64::from(bits as i32) as u64, unsigned: false })
        }
    }
}

fn numeric_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, first: u64, most: usize) -> u64 {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
        rest.next();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::lexer::{Cursor, Kind, Newlines};
    use super::*;

    fn terms(text: &str) -> Vec<Term> {
        let mut cursor = Cursor::new();
        let mut terms = vec![];
        loop {
            let token = cursor.next(text.as_bytes(), Newlines::Blank);
            let spelling = text[token.start..token.end].to_string();
            terms.push(match token.kind {
                Kind::End => return terms,
                Kind::Number => Term::Number(spelling),
                Kind::Character => Term::Character(spelling),
                Kind::Identifier => Term::Identifier(spelling),
                Kind::Punctuator => Term::Punctuator(spelling),
                _ => Term::Other(spelling),
            });
        }
    }

    fn holds(text: &str) -> bool {
        match evaluate(&terms(text)) {
            Ok(outcome) => outcome.holds,
            Err(fault) => panic!("{text}: {}", fault.text),
        }
    }

    #[test]
    fn values_follow_c() {
        for text in [
            "1 + 2 * 3 == 7",
            "(1 + 2) * 3 == 9",
            "10 - 4 - 3 == 3",
            "-7 / 2 == -3 && -7 % 2 == -1",
            "1 << 4 >> 2 == 4",
            "-1 >> 1 == -1",
            "-1 > 0u",
            "-1 < 0",
            "0xFFFFFFFFFFFFFFFF == -1",
            "18446744073709551615 > 0",
            "9223372036854775807 + 1 < 0",
            "0x7fffffffffffffffu + 1 > 0",
            "~0 == -1 && !0 && !!5",
            "1 ? 2 : 0",
            "(0 ? 1u : -1) > 0",
            "2 || 1 / 0",
            "!(0 && 1 / 0)",
            "1 ? 1 : 1 / 0",
            "0 ? 1 / 0 : 1",
            "1 | 2 ^ 3 & 4",
            "1 == 1 != 0",
            "true && !false && !whatever",
            "not 0 and 1 or 0",
            "010 == 8 && 0b101 == 5 && 1'000 == 1000 && 5ULL == 5",
            "1 << 64 == 0 && 1 << -1 == 0 && 4 >> -1 == 8",
            "(-9223372036854775807 - 1) / -1 < 0",
            "(0, 1)",
        ] {
            assert!(holds(text), "{text}");
        }
    }

    #[test]
    fn characters_have_values() {
        for text in [
            "'a' == 97",
            "'\\n' == 10 && '\\0' == 0 && '\\x41' == 65 && '\\101' == 65",
            "'\\xff' < 0",
            "'ab' == 24930",
            "L'\\xff' == 255",
            "'\\'' == 39",
        ] {
            assert!(holds(text), "{text}");
        }
    }

    #[test]
    fn faults_name_the_term() {
        let fault = |text: &str| match evaluate(&terms(text)) {
            Ok(_) => panic!("{text} has a value"),
            Err(fault) => (fault.text, fault.term),
        };
        assert_eq!(fault("1 / 0").0, "division by zero");
        assert_eq!(fault("1 2"), ("expected an operator".to_string(), 1));
        assert_eq!(fault("1 +"), ("the expression ends too early".to_string(), 2));
        assert_eq!(fault("(1"), ("expected `)`".to_string(), 2));
        assert_eq!(fault("1.5").0, "1.5 is not an integer");
        assert_eq!(fault("09").0, "09 is not a number");
        assert_eq!(fault("0x").0, "0x is not a number");
        assert_eq!(fault("99999999999999999999").0, "99999999999999999999 does not fit in 64 bits");
        assert_eq!(fault("1 ? 2").0, "expected `:` of `? :`");
        assert_eq!(fault("\"a\"").0, "`\"a\"` cannot stand in an expression");
        assert_eq!(fault("= 1").0, "expected a value");
        assert_eq!(fault(&"(".repeat(100_000)).0, "the expression is nested too deeply");
        assert_eq!(fault(&"!".repeat(100_000)).0, "the expression is nested too deeply");
        assert_eq!(fault(&"1 ? 1 : ".repeat(100_000)).0, "the expression is nested too deeply");
    }

    #[test]
    fn unknown_calls_are_zero_and_named() {
        let outcome = evaluate(&terms("!__has_feature(x(1), y) && 1"));
        assert_eq!(outcome, Ok(Outcome { holds: true, unknown_calls: vec!["__has_feature".to_string()] }));
    }
}
