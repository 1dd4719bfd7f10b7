//! Macro definitions, and the replacement of a macro call by the body of the macro.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::lexer::{Cursor, Kind, Newlines};
use super::token::{Chain, Texts, Token};
use crate::base::{SourceMap, Span};

#[derive(Debug)]
pub(super) struct Macro {
    /// Its name in the expansions of the map.
    pub(super) name: u32,
    pub(super) at: Span,
    pub(super) meaning: Meaning,
    /// Whether the tokens of its body are being read: its name is not expanded then.
    pub(super) disabled: Cell<bool>,
    /// Parameters and body, to compare definitions.
    signature: String,
}

#[derive(Debug)]
pub(super) enum Meaning {
    Builtin(Builtin),
    /// A body to be taken as it is.
    Plain(Rc<[Token]>),
    /// An object-like macro with `##`.
    Object(Vec<Item>),
    Function(Parameters, Vec<Item>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Builtin {
    File,
    Line,
    Counter,
    IncludeLevel,
    Date,
    Time,
    Pragma,
    HasInclude,
}

pub(super) const BUILTINS: [(&str, Builtin); 8] = [
    ("__FILE__", Builtin::File),
    ("__LINE__", Builtin::Line),
    ("__COUNTER__", Builtin::Counter),
    ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
    ("__DATE__", Builtin::Date),
    ("__TIME__", Builtin::Time),
    ("_Pragma", Builtin::Pragma),
    ("__has_include", Builtin::HasInclude),
];

#[derive(Debug)]
pub(super) struct Parameters {
    names: FxHashMap<String, usize>,
    /// The last one takes the rest of the arguments.
    pub(super) variadic: bool,
    /// Whether a parameter is used somewhere where its argument is expanded first.
    pub(super) expanded: Vec<bool>,
}

/// A piece of a body.
#[derive(Debug)]
pub(super) struct Item {
    piece: Piece,
    /// Where it is spelled, with the `#` before it.
    span: Span,
    /// `##` follows.
    pastes: bool,
}

#[derive(Debug)]
enum Piece {
    Token(Token),
    Parameter {
        index: usize,
        token: Token,
        stringized: bool,
    },
    /// `__VA_OPT__`
    Optional {
        items: Vec<Item>,
        token: Token,
        stringized: bool,
    },
}

/// What is wrong, and where it is spelled.
pub(super) type Fault = (Span, String);

impl Parameters {
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }
}

impl Macro {
    pub(super) fn builtin(name: u32, builtin: Builtin, at: Span) -> Macro {
        let signature = format!("{builtin:?}");
        Macro { name, at, meaning: Meaning::Builtin(builtin), disabled: Cell::new(false), signature }
    }

    /// Reads what follows the name in a `#define`.
    pub(super) fn define(
        id: u32,
        name: &Token,
        rest: &[Token],
        texts: &Texts,
        sources: &SourceMap,
    ) -> Result<Macro, Fault> {
        let reader = Reader { texts, sources };
        let function = rest.first().is_some_and(|t| !t.space && reader.is(t, "("));
        let (parameters, body) =
            if function { reader.parameters(name, &rest[1..]).map(|(p, b)| (Some(p), b))? } else { (None, rest) };
        let items = reader.items(body, parameters.as_ref(), Optional::Allowed)?;
        let head = rest.get(..rest.len() - body.len()).unwrap_or(&[]);
        let mut signature: String = head.iter().map(|token| reader.text(token)).collect();
        for (index, token) in body.iter().enumerate() {
            signature.push_str(if token.space && index > 0 { " " } else { "" });
            signature.push_str(reader.text(token));
        }
        let meaning = match parameters {
            Some(mut parameters) => {
                note_expanded(&items, parameters.count(), parameters.variadic, &mut parameters.expanded);
                Meaning::Function(parameters, items)
            }
            None if items.iter().any(|item| item.pastes) => Meaning::Object(items),
            None => Meaning::Plain(body.into()),
        };
        Ok(Macro { name: id, at: name.span, meaning, disabled: Cell::new(false), signature })
    }

    pub(super) fn same_as(&self, other: &Macro) -> bool {
        let kind = |m: &Macro| matches!(m.meaning, Meaning::Function(..));
        kind(self) == kind(other) && self.signature == other.signature
    }
}

/// Whether `__VA_OPT__` may stand in a piece of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Optional {
    Allowed,
    /// It is inside one.
    Refused,
}

struct Reader<'a> {
    texts: &'a Texts,
    sources: &'a SourceMap,
}

impl<'a> Reader<'a> {
    fn text(&self, token: &Token) -> &'a str {
        self.texts.of(token, self.sources)
    }

    fn is(&self, token: &Token, text: &str) -> bool {
        token.kind == Kind::Punctuator && self.text(token) == text
    }

    fn is_paste(&self, token: &Token) -> bool {
        self.is(token, "##") || self.is(token, "%:%:")
    }

    fn parameters<'t>(&self, name: &Token, tokens: &'t [Token]) -> Result<(Parameters, &'t [Token]), Fault> {
        let mut names: FxHashMap<String, usize> = FxHashMap::default();
        let mut variadic = false;
        let mut rest = tokens;
        let parameters = |names: FxHashMap<String, usize>, variadic| {
            let expanded = vec![false; names.len()];
            Parameters { names, variadic, expanded }
        };
        loop {
            let Some((token, after)) = rest.split_first() else {
                return Err((name.span, "the parameter list has no `)`".to_string()));
            };
            rest = after;
            if self.is(token, ")") && names.is_empty() {
                return Ok((parameters(names, false), rest));
            }
            if self.is(token, "...") {
                names.insert("__VA_ARGS__".to_string(), names.len());
                variadic = true;
            } else if token.kind == Kind::Identifier {
                let parameter = self.text(token).to_string();
                let index = names.len();
                if names.insert(parameter, index).is_some() {
                    let text = format!("there are two parameters `{}`", excerpt(self.text(token)));
                    return Err((token.span, text));
                }
                if rest.first().is_some_and(|t| self.is(t, "...")) {
                    variadic = true;
                    rest = &rest[1..];
                }
            } else {
                return Err((token.span, format!("`{}` is not a parameter name", excerpt(self.text(token)))));
            }
            match rest.split_first() {
                Some((token, after)) if self.is(token, ")") => return Ok((parameters(names, variadic), after)),
                Some((token, after)) if self.is(token, ",") && !variadic => rest = after,
                Some((token, _)) => return Err((token.span, "expected `)` after the parameters".to_string())),
                None => return Err((name.span, "the parameter list has no `)`".to_string())),
            }
        }
    }

    fn items(&self, tokens: &[Token], parameters: Option<&Parameters>, optional: Optional) -> Result<Vec<Item>, Fault> {
        let mut items: Vec<Item> = vec![];
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if self.is_paste(token) {
                match items.last_mut() {
                    Some(item) if !rest.is_empty() => item.pastes = true,
                    _ => return Err((token.span, "`##` needs a token on both sides".to_string())),
                }
                continue;
            }
            let hash = parameters.is_some() && (self.is(token, "#") || self.is(token, "%:"));
            let operand = if hash { rest.first() } else { Some(token) };
            let is_optional = |t: &&Token| parameters.is_some_and(|p| p.variadic) && self.text(t) == "__VA_OPT__";
            if let Some(operand) = operand.filter(is_optional) {
                let behind = if hash { &rest[1..] } else { rest };
                let inside = self.parenthesised(behind).filter(|_| optional == Optional::Allowed).ok_or_else(|| {
                    (operand.span, "`__VA_OPT__` takes one pair of parentheses, and does not nest".to_string())
                })?;
                let (span, token) = (token.span.to(operand.span), operand.spaced_like(token));
                let items_inside = self.items(inside, parameters, Optional::Refused)?;
                let piece = Piece::Optional { items: items_inside, token, stringized: hash };
                items.push(Item { piece, span, pastes: false });
                rest = &behind[inside.len() + 2..];
                continue;
            }
            let index = parameters.zip(operand).and_then(|(parameters, operand)| {
                let name = (operand.kind == Kind::Identifier).then(|| self.text(operand))?;
                parameters.names.get(name).copied()
            });
            match (index, operand) {
                (Some(index), Some(operand)) => {
                    let (span, token) = (token.span.to(operand.span), operand.spaced_like(token));
                    items.push(Item {
                        piece: Piece::Parameter { index, token, stringized: hash },
                        span,
                        pastes: false,
                    });
                    rest = if hash { &rest[1..] } else { rest };
                }
                _ if hash => return Err((token.span, "`#` is not followed by a parameter".to_string())),
                _ => items.push(Item { piece: Piece::Token(*token), span: token.span, pastes: false }),
            }
        }
        Ok(items)
    }

    /// The tokens between a `(` that comes first and its `)`.
    fn parenthesised<'t>(&self, tokens: &'t [Token]) -> Option<&'t [Token]> {
        let mut depth = 0_usize;
        for (index, token) in tokens.iter().enumerate() {
            if self.is(token, "(") {
                depth += 1;
            } else if self.is(token, ")") {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 {
                return tokens.get(1..index);
            }
        }
        None
    }
}

fn note_expanded(items: &[Item], count: usize, variadic: bool, expanded: &mut [bool]) {
    let mut note = |index: usize| {
        if let Some(flag) = expanded.get_mut(index) {
            *flag = true;
        }
    };
    let mut pasted = false;
    let mut inner: Vec<&[Item]> = vec![];
    for item in items {
        match &item.piece {
            Piece::Parameter { index, stringized: false, .. } if !pasted && !item.pastes => note(*index),
            Piece::Optional { items, .. } => {
                if variadic {
                    note(count.saturating_sub(1));
                }
                inner.push(items);
            }
            Piece::Parameter { .. } | Piece::Token(_) => {}
        }
        pasted = item.pastes;
    }
    for items in inner {
        note_expanded(items, count, variadic, expanded);
    }
}

/// An argument of a macro call.
#[derive(Debug, Default)]
pub(super) struct Argument {
    pub(super) raw: Vec<Token>,
    /// After macro expansion, when the body asks for it.
    pub(super) expanded: Vec<Token>,
    /// It was not written at all; not the same as an empty one.
    pub(super) omitted: bool,
}

/// What a body is put together from.
pub(super) struct Substitution<'a> {
    pub(super) texts: &'a mut Texts,
    pub(super) sources: &'a SourceMap,
    /// The macro use that the body tokens belong to.
    pub(super) chain: Chain,
    pub(super) arguments: &'a [Argument],
    pub(super) variadic: bool,
    /// How many more tokens may be made.
    pub(super) steps: &'a mut usize,
    pub(super) faults: Vec<Fault>,
}

/// The budget is used up.
#[derive(Debug)]
pub(super) struct Exhausted;

impl Substitution<'_> {
    /// The body with its arguments put in. Placemarkers are still there; they carry blanks.
    pub(super) fn run(&mut self, items: &[Item]) -> Result<Vec<Token>, Exhausted> {
        let mut result: Vec<Token> = vec![];
        let mut before: Option<&Item> = None;
        for item in items {
            let pasted = before.filter(|before| before.pastes);
            let start = result.len();
            match &item.piece {
                Piece::Token(token) => {
                    self.spend(1)?;
                    result.push(Token { chain: self.chain, ..*token });
                }
                Piece::Parameter { index, token, stringized: true } => {
                    let raw = self.arguments.get(*index).map_or(&[][..], |a| &a.raw);
                    let string = self.stringize(raw, token, item.span)?;
                    result.push(string);
                }
                Piece::Parameter { index, token, stringized: false } => {
                    let argument = self.arguments.get(*index);
                    let raw = pasted.is_some() || item.pastes;
                    let tokens = argument.map_or(&[][..], |a| if raw { &a.raw } else { &a.expanded });
                    self.spend(tokens.len() + 1)?;
                    let is_rest = self.variadic && index + 1 == self.arguments.len();
                    if is_rest && pasted.is_some_and(|before| self.is_comma(before)) {
                        // GNU: `, ## rest` keeps the comma only when there is a rest, and pastes nothing.
                        if argument.is_some_and(|a| a.omitted) {
                            result.pop();
                        }
                        let blank = Token { space: false, line_start: false, ..*token };
                        self.append(&mut result, tokens, tokens.first().unwrap_or(&blank));
                        before = Some(item);
                        continue;
                    }
                    self.append(&mut result, tokens, token);
                }
                Piece::Optional { items, token, stringized } => {
                    let rest = self.arguments.last().filter(|_| self.variadic);
                    let present = rest.is_some_and(|a| a.expanded.iter().any(|t| t.kind != Kind::Placemarker));
                    let inner = if present { self.run(items)? } else { vec![] };
                    self.spend(inner.len() + 1)?;
                    if *stringized {
                        let string = self.stringize(&inner, token, item.span)?;
                        result.push(string);
                    } else {
                        self.append(&mut result, &inner, token);
                    }
                }
            }
            if let Some(before) = pasted {
                self.paste_at(&mut result, start, before.span, item.span)?;
            }
            before = Some(item);
        }
        Ok(result)
    }

    fn spend(&mut self, tokens: usize) -> Result<(), Exhausted> {
        *self.steps = self.steps.checked_sub(tokens).ok_or(Exhausted)?;
        Ok(())
    }

    fn is_comma(&self, item: &Item) -> bool {
        matches!(&item.piece, Piece::Token(token) if self.texts.of(token, self.sources) == ",")
    }

    /// Appends the tokens with the blanks of `like` before them, or a placemarker when there are none.
    fn append(&self, result: &mut Vec<Token>, tokens: &[Token], like: &Token) {
        match tokens.split_first() {
            Some((first, rest)) => {
                result.push(first.spaced_like(like));
                result.extend_from_slice(rest);
            }
            None => result.push(Token { kind: Kind::Placemarker, chain: self.chain, ..*like }),
        }
    }

    /// Pastes the token at `at` to the one before it.
    fn paste_at(&mut self, result: &mut Vec<Token>, at: usize, left: Span, right: Span) -> Result<(), Exhausted> {
        let Some((a, b)) =
            at.checked_sub(1).and_then(|before| result.get(before).copied().zip(result.get(at).copied()))
        else {
            return Ok(());
        };
        let one = match (a.kind, b.kind) {
            (_, Kind::Placemarker) => a,
            (Kind::Placemarker, _) => b.spaced_like(&a),
            _ => {
                let spelling = [self.texts.of(&a, self.sources), self.texts.of(&b, self.sources)].concat();
                self.spend(1 + spelling.len() / 8)?;
                let lexeme = Cursor::new().next(spelling.as_bytes(), Newlines::Stop);
                let whole = lexeme.start == 0 && lexeme.end == spelling.len() && lexeme.problem.is_none();
                let span = if a.chain == self.chain { a.span.to(right) } else { left.to(right) };
                if !whole {
                    let text = format!("`##` makes `{}`, which is not one token", excerpt(&spelling));
                    self.faults.push((span, text));
                    return Ok(());
                }
                let made = Some(self.texts.add(&spelling));
                Token { kind: lexeme.kind, span, chain: self.chain, made, painted: false, ..a }
            }
        };
        result.splice(at - 1..at + 1, [one]);
        Ok(())
    }

    fn stringize(&mut self, tokens: &[Token], like: &Token, span: Span) -> Result<Token, Exhausted> {
        let mut string = String::from("\"");
        let mut first = true;
        for token in tokens.iter().filter(|t| t.kind != Kind::Placemarker) {
            if (token.space || token.line_start) && !first {
                string.push(' ');
            }
            first = false;
            let text = self.texts.of(token, self.sources);
            *self.steps = self.steps.checked_sub(1 + text.len() / 8).ok_or(Exhausted)?;
            let literal = matches!(token.kind, Kind::String | Kind::Character)
                || (token.kind == Kind::Other && text.starts_with(['"', '\'']));
            if literal {
                for c in text.chars() {
                    if matches!(c, '"' | '\\') {
                        string.push('\\');
                    }
                    string.push(if c == '\n' { ' ' } else { c });
                }
            } else {
                string.push_str(text);
            }
        }
        if string.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1 {
            string.pop();
        }
        string.push('"');
        let made = Some(self.texts.add(&string));
        Ok(Token { kind: Kind::String, span, chain: self.chain, made, ..*like })
    }
}

/// The start of a text, for a message.
pub(super) fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}
