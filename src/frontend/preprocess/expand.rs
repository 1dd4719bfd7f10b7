//! Macro expansion: a stack of token lists over a stack of files.
//!
//! The name of a macro is not expanded while the tokens of its body are being read, and a name found in that time is painted:
//! it is never expanded, wherever it ends up. A token list is taken off the stack when the token after its last one is asked
//! for, as in GCC.

use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::files::{Files, normal};
use super::lexer::{Cursor, Kind, Lexeme, Newlines, Unfinished, unspliced};
use super::macros::{Argument, BUILTINS, Builtin, Exhausted, Item, Macro, Meaning, Substitution, excerpt};
use super::map::{Expansions, Writer};
use super::token::{Chain, Texts, Token};
use super::{Annotation, Expanded, Options, Pragma, Remark, Severity};
use crate::base::{FileId, SourceMap, Span};

/// Macro bodies inside macro bodies.
const MAX_CHAIN: u32 = 4096;
/// Macro calls inside arguments of macro calls.
const MAX_NESTING: usize = 200;
/// Remarks of one severity.
const MAX_REMARKS: usize = 200;

pub(super) struct Engine<'a> {
    pub(super) sources: &'a mut SourceMap,
    pub(super) files: &'a dyn Files,
    pub(super) options: &'a Options,
    pub(super) texts: Texts,
    expansions: Expansions,
    writer: Writer,
    remarks: Vec<Remark>,
    pub(super) left_out: Option<Span>,
    remarked: FxHashSet<(&'static str, Span)>,
    notes: usize,
    errors: usize,
    pub(super) pragmas: Vec<Pragma>,
    pub(super) annotations: Vec<Annotation>,
    /// How many lists of macro arguments are being read.
    pub(super) collecting: usize,
    pub(super) macros: FxHashMap<String, Rc<Macro>>,
    /// What `#pragma push_macro` keeps, the last on top.
    pub(super) pushed: FxHashMap<String, Vec<Option<Rc<Macro>>>>,
    pub(super) frames: Vec<Frame>,
    contexts: Vec<Context>,
    /// Blanks before macros that expanded to nothing; they belong to the next token.
    pending: Blanks,
    /// How many contexts keep their macro from being expanded.
    disabled: usize,
    pub(super) steps: usize,
    /// A limit was reached: there are no more tokens.
    stopped: bool,
    /// The length of the text before the outermost macro use.
    mark: usize,
    counter: u64,
    /// The files that may be left: a macro call ends in the file where it starts.
    floor: usize,
    /// Argument expansions inside each other.
    nesting: usize,
    pub(super) loaded: FxHashMap<PathBuf, Result<FileId, Option<String>>>,
    pub(super) entered: FxHashMap<FileId, Entered>,
}

/// What is known of a file that was read before.
#[derive(Debug, Default)]
pub(super) struct Entered {
    /// It has `#pragma once`, or includes itself without end.
    pub(super) never_again: bool,
    /// All of it is inside `#ifndef` of this name.
    pub(super) guard: Option<String>,
}

/// A file being read.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) file: FileId,
    pub(super) cursor: Cursor,
    pub(super) conditionals: Vec<Conditional>,
    pub(super) guard: Guard,
    /// Newlines before the byte `counted`.
    line: usize,
    counted: usize,
}

/// An `#if` that is open.
#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) at: Span,
    /// One of its branches was read.
    pub(super) taken: bool,
    pub(super) otherwise: bool,
}

/// How much of a file looks like an include guard so far.
#[derive(Debug)]
pub(super) enum Guard {
    Start,
    Inside(String),
    After(String),
    None,
}

#[derive(Clone, Copy, Default, Debug)]
struct Blanks {
    space: bool,
    line_start: bool,
}

/// A list of tokens to be read.
struct Context {
    tokens: Rc<[Token]>,
    next: usize,
    /// Nothing below it is read before it is taken off.
    isolated: bool,
    /// The macro whose body it is.
    body_of: Option<Rc<Macro>>,
    /// The use that its tokens belong to, unless they say it themselves.
    chain: Option<Chain>,
    /// The blanks of the first token.
    blanks: Option<Blanks>,
}

/// A macro call, as written.
struct Call {
    /// From `(` to `)`.
    tokens: Vec<Token>,
    arguments: Vec<Range<usize>>,
    complete: bool,
}

pub(super) fn run(sources: &mut SourceMap, root: FileId, options: &Options, files: &dyn Files) -> Expanded {
    let predefined: String = options.predefined.iter().map(|(name, value)| define_line(name, Some(value))).collect();
    let one_line = |text: &str| text.lines().next().unwrap_or("").to_owned();
    let mut defines: String = options.undefines.iter().map(|name| format!("#undef {}\n", one_line(name))).collect();
    defines.extend(options.defines.iter().map(|(name, value)| define_line(name, value.as_deref())));
    let included = options.preincludes.iter().map(|file| one_line(&file.display().to_string()));
    defines.extend(included.map(|file| format!("#include \"{file}\"\n")));
    let defines = sources.add("<command line>", defines);
    let predefined = sources.add("<predefined>", predefined);
    let bundled = options.bundled.as_ref().map(|text| sources.add("<bundled>", text.clone()));
    let root_path = normal(sources.path(root));
    let mut engine = Engine {
        sources,
        files,
        options,
        texts: Texts::default(),
        expansions: Expansions::default(),
        writer: Writer::default(),
        remarks: vec![],
        left_out: None,
        remarked: FxHashSet::default(),
        notes: 0,
        errors: 0,
        pragmas: vec![],
        annotations: vec![],
        collecting: 0,
        macros: FxHashMap::default(),
        pushed: FxHashMap::default(),
        frames: [root, defines].into_iter().chain(bundled).chain([predefined]).map(Frame::new).collect(),
        contexts: vec![],
        pending: Blanks::default(),
        disabled: 0,
        steps: options.limits.expansion_steps,
        stopped: false,
        mark: 0,
        counter: 0,
        floor: 1,
        nesting: 0,
        loaded: FxHashMap::from_iter([(root_path, Ok(root))]),
        entered: FxHashMap::from_iter([(root, Entered::default())]),
    };
    for (name, builtin) in BUILTINS {
        let id = engine.expansions.add_name(name);
        let definition = Macro::builtin(id, builtin, Span::new(predefined, 0, 0));
        engine.macros.insert(name.to_string(), Rc::new(definition));
    }
    engine.write_all(root)
}

fn define_line(name: &str, value: Option<&str>) -> String {
    let value = value.unwrap_or("1").lines().next().unwrap_or("");
    let name = name.lines().next().unwrap_or("");
    format!("#define {name} {value}\n")
}

impl Frame {
    pub(super) fn new(file: FileId) -> Frame {
        Frame { file, cursor: Cursor::new(), conditionals: vec![], guard: Guard::Start, line: 0, counted: 0 }
    }

    /// The line of the cursor, from 1.
    fn line(&mut self, text: &str) -> usize {
        let position = self.cursor.position;
        if let Some(new) = text.as_bytes().get(self.counted..position) {
            self.line = self.line.wrapping_add(new.iter().filter(|b| **b == b'\n').count());
            self.counted = position;
        }
        self.line.wrapping_add(1)
    }

    /// Gives the line that is read next a number.
    pub(super) fn set_line(&mut self, text: &str, number: usize) {
        self.line(text);
        // The end of the line of the directive may be read already, or not.
        let read = text.as_bytes().get(..self.cursor.position).is_some_and(|t| t.ends_with(b"\n"));
        self.line = number.wrapping_sub(if read { 1 } else { 2 });
    }
}

impl Engine<'_> {
    fn write_all(mut self, root: FileId) -> Expanded {
        loop {
            if self.contexts.is_empty() {
                self.mark = self.writer.len();
            }
            let token = self.next();
            if token.kind == Kind::End {
                break;
            }
            let text = self.texts.of(&token, self.sources);
            if self.writer.len() + text.len() > self.options.limits.output_bytes.min(u32::MAX as usize / 2) {
                let limit = self.options.limits.output_bytes;
                let at = self.expansions.written(token.span, token.chain);
                self.stop("output-limit", format!("the text after macro expansion is larger than {limit} bytes"), at);
                break;
            }
            // In a `#define` it does no harm; here it does.
            let open_quote = token.kind == Kind::Other && token.chain != Chain::NONE && text.contains(['"', '\'']);
            self.writer.write(token, text, self.sources, &self.expansions);
            if open_quote {
                self.error("unterminated-literal", "the closing quote is missing", self.written(&token));
            }
        }
        if self.stopped {
            self.writer.truncate(self.mark);
        } else {
            self.leave_file();
        }
        let (text, origins) = self.writer.finish(self.expansions, Span::new(root, 0, 0));
        let Engine { remarks, left_out, pragmas, annotations, .. } = self;
        Expanded { text, origins, remarks, left_out, pragmas, annotations }
    }

    pub(super) fn written_so_far(&self) -> usize {
        self.writer.len()
    }

    pub(super) fn text(&self, token: &Token) -> &str {
        self.texts.of(token, self.sources)
    }

    pub(super) fn is(&self, token: &Token, text: &str) -> bool {
        token.kind == Kind::Punctuator && self.text(token) == text
    }

    pub(super) fn written(&self, token: &Token) -> Span {
        self.expansions.written(token.span, token.chain)
    }

    pub(super) fn name_id(&mut self, name: &str) -> u32 {
        self.expansions.add_name(name)
    }

    pub(super) fn remark(&mut self, severity: Severity, code: &'static str, text: impl Into<String>, at: Span) {
        let count = match severity {
            Severity::Note => &mut self.notes,
            Severity::Error => &mut self.errors,
        };
        if *count < MAX_REMARKS && self.remarked.insert((code, at)) {
            *count += 1;
            self.remarks.push(Remark { code, text: text.into(), at: Some(at), help: None, severity });
        }
    }

    pub(super) fn error(&mut self, code: &'static str, text: impl Into<String>, at: Span) {
        self.remark(Severity::Error, code, text, at);
    }

    pub(super) fn stop(&mut self, code: &'static str, text: String, at: Span) {
        if !self.stopped {
            self.stopped = true;
            let help = "the rest of the file is not read".to_string();
            let remark = Remark { code, text, at: Some(at), help: Some(help), severity: Severity::Error };
            self.remarks.push(remark);
        }
    }

    /// Pays for work; false when the budget is used up.
    pub(super) fn spend(&mut self, steps: usize, at: &Token) -> bool {
        match self.steps.checked_sub(steps) {
            Some(rest) => self.steps = rest,
            None => self.exhausted(at),
        }
        !self.stopped
    }

    fn exhausted(&mut self, at: &Token) {
        let text = "macro expansion does not end, or makes too much text".to_string();
        let at = self.written(at);
        self.stop("expansion-limit", text, at);
    }

    /// The next token, macros expanded.
    pub(super) fn next(&mut self) -> Token {
        loop {
            let mut token = self.raw();
            if token.kind == Kind::End {
                return token;
            }
            let pending = std::mem::take(&mut self.pending);
            token.space |= pending.space;
            token.line_start |= pending.line_start;
            if token.kind != Kind::Identifier || token.painted {
                return token;
            }
            let Some(definition) = self.macros.get(self.texts.of(&token, self.sources)).cloned() else {
                return token;
            };
            match &definition.meaning {
                Meaning::Builtin(builtin) => {
                    if let Some(token) = self.builtin(*builtin, token) {
                        return token;
                    }
                }
                Meaning::Plain(body) => {
                    if let Some(chain) = self.enter(&definition, &token, token.span) {
                        self.push_body(&definition, body.clone(), token, Some(chain));
                    }
                }
                Meaning::Object(body) => self.expand_call(&definition, body, &token, token.span, vec![], false),
                Meaning::Function(parameters, body) => {
                    if !self.parenthesis_follows() {
                        return token;
                    }
                    let call = self.collect(&token, parameters.count(), parameters.variadic);
                    let span = match call.tokens.last() {
                        Some(close) if close.span.file == token.span.file && close.chain == token.chain => {
                            Span { end: token.span.end.max(close.span.end), ..token.span }
                        }
                        _ => token.span,
                    };
                    match self.arguments(call, &definition, &token) {
                        Ok(arguments) => {
                            self.expand_call(&definition, body, &token, span, arguments, parameters.variadic)
                        }
                        Err(tokens) => {
                            let name = Token { painted: true, ..token };
                            let tokens = std::iter::once(name).chain(tokens).collect();
                            self.push(Context { tokens, ..Context::empty() });
                        }
                    }
                }
            }
        }
    }

    /// The next token, macros not expanded.
    pub(super) fn raw(&mut self) -> Token {
        loop {
            if self.stopped {
                return self.end();
            }
            let Some(context) = self.contexts.last_mut() else {
                let mut token = self.source_token();
                self.paint(&mut token);
                return token;
            };
            let Some(token) = context.tokens.get(context.next) else {
                if context.isolated {
                    return self.end();
                }
                self.pop();
                continue;
            };
            let mut token = *token;
            if let (0, Some(blanks)) = (context.next, context.blanks) {
                token.space = blanks.space;
                token.line_start = blanks.line_start;
            }
            token.chain = context.chain.unwrap_or(token.chain);
            context.next += 1;
            // A long literal costs more: it may be written out many times.
            if !self.spend(1 + self.text(&token).len() / 16, &token) {
                return self.end();
            }
            self.paint(&mut token);
            return token;
        }
    }

    fn paint(&self, token: &mut Token) {
        if self.disabled > 0 && token.kind == Kind::Identifier && !token.painted {
            token.painted = self.macros.get(self.text(token)).is_some_and(|m| m.disabled.get());
        }
    }

    fn end(&self) -> Token {
        let file = self.frames.last().map_or(FileId(0), |frame| frame.file);
        let end = self.sources.text(file).len();
        Token::mark(Kind::End, Span::new(file, end, end))
    }

    /// The next token of the files; directives are obeyed on the way.
    fn source_token(&mut self) -> Token {
        loop {
            let Some(frame) = self.frames.last_mut().filter(|_| !self.stopped) else { return self.end() };
            let file = frame.file;
            let text = self.sources.text(file);
            let before = frame.cursor.position;
            let lexeme = frame.cursor.next(text.as_bytes(), Newlines::Blank);
            let hash = is_hash(&lexeme, text);
            if lexeme.annotated {
                self.annotate(file, before..lexeme.start);
            }
            if lexeme.problem.is_some() {
                self.problem(&lexeme, file, true);
            }
            if lexeme.kind == Kind::End {
                if self.frames.len() <= self.floor {
                    return self.end();
                }
                self.leave_file();
            } else if hash {
                self.directive(Span::new(file, lexeme.start, lexeme.end));
            } else {
                self.forget_guard();
                return self.token(&lexeme, file);
            }
        }
    }

    pub(super) fn token(&mut self, lexeme: &Lexeme, file: FileId) -> Token {
        let span = Span::new(file, lexeme.start, lexeme.end);
        let made = lexeme.spliced.then(|| unspliced(self.sources.snippet(span))).map(|text| self.texts.add(&text));
        let blank = Token::mark(lexeme.kind, span);
        Token { space: lexeme.space, line_start: lexeme.line_start, made, ..blank }
    }

    /// `quotes` is false where a quote without a partner does no harm.
    pub(super) fn problem(&mut self, lexeme: &Lexeme, file: FileId, quotes: bool) {
        let Some((problem, start)) = lexeme.problem else { return };
        let (code, text, length) = match problem {
            Unfinished::Comment => ("unterminated-comment", "this comment does not end", 2),
            Unfinished::Quote => ("unterminated-literal", "the closing quote is missing", 1),
            Unfinished::RawString => ("unterminated-literal", "this raw string does not end", 2),
        };
        if quotes || problem != Unfinished::Quote {
            self.error(code, text, Span::new(file, start, start + length));
        }
    }

    fn push(&mut self, context: Context) {
        if let Some(body_of) = &context.body_of {
            body_of.disabled.set(true);
            self.disabled += 1;
        }
        self.contexts.push(context);
    }

    fn pop(&mut self) {
        if let Some(body_of) = self.contexts.pop().and_then(|context| context.body_of) {
            body_of.disabled.set(false);
            self.disabled -= 1;
        }
    }

    /// The macro use that body tokens will belong to.
    fn enter(&mut self, definition: &Macro, name: &Token, span: Span) -> Option<Chain> {
        if self.expansions.depth(name.chain) >= MAX_CHAIN {
            let text = format!("macros are nested more than {MAX_CHAIN} deep");
            self.stop("expansion-limit", text, self.expansions.written(name.span, name.chain));
            return None;
        }
        Some(self.expansions.add_use(definition.name, name.chain, span))
    }

    fn push_body(&mut self, definition: &Rc<Macro>, tokens: Rc<[Token]>, name: Token, chain: Option<Chain>) {
        let blanks = Blanks { space: name.space, line_start: name.line_start };
        if tokens.is_empty() {
            self.pending = blanks;
            return;
        }
        let body_of = Some(definition.clone());
        self.push(Context { tokens, body_of, chain, blanks: Some(blanks), ..Context::empty() });
    }

    fn expand_call(
        &mut self,
        definition: &Rc<Macro>,
        body: &[Item],
        name: &Token,
        span: Span,
        arguments: Vec<Argument>,
        variadic: bool,
    ) {
        let Some(chain) = self.enter(definition, name, span) else { return };
        let mut substitution = Substitution {
            texts: &mut self.texts,
            sources: self.sources,
            chain,
            arguments: &arguments,
            variadic,
            steps: &mut self.steps,
            faults: vec![],
        };
        let tokens = substitution.run(body);
        for (span, text) in substitution.faults {
            self.error("bad-paste", text, self.expansions.written(span, chain));
        }
        match tokens {
            Ok(tokens) => {
                let tokens = without_placemarkers(tokens);
                self.push_body(definition, tokens.into(), *name, None);
            }
            Err(Exhausted) => self.exhausted(name),
        }
    }

    /// Whether the next token is `(`. The lists that end here are taken off.
    fn parenthesis_follows(&mut self) -> bool {
        while let Some(context) = self.contexts.last() {
            match context.tokens.get(context.next) {
                Some(token) => return self.is(token, "("),
                None if context.isolated => return false,
                None => self.pop(),
            }
        }
        let Some(frame) = self.frames.last() else { return false };
        let text = self.sources.text(frame.file);
        let mut ahead = frame.cursor;
        let lexeme = ahead.next(text.as_bytes(), Newlines::Blank);
        lexeme.kind == Kind::Punctuator && text.get(lexeme.start..lexeme.end) == Some("(")
    }

    /// Reads a macro call from its `(` on.
    fn collect(&mut self, name: &Token, parameters: usize, variadic: bool) -> Call {
        let floor = std::mem::replace(&mut self.floor, self.frames.len());
        self.collecting += 1;
        let mut call = Call { tokens: vec![], arguments: vec![], complete: false };
        let mut depth = 0_usize;
        let mut start = 1;
        loop {
            let token = self.raw();
            if token.kind == Kind::End || !self.spend(1, name) {
                break;
            }
            let text = match token.kind {
                Kind::Punctuator => self.texts.of(&token, self.sources),
                _ => "",
            };
            let index = call.tokens.len();
            match text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "," if depth == 1 && !(variadic && call.arguments.len() + 1 == parameters) => {
                    call.arguments.push(start..index);
                    start = index + 1;
                }
                _ => {}
            }
            call.tokens.push(token);
            if depth == 0 {
                call.arguments.push(start..index);
                call.complete = true;
                break;
            }
        }
        self.floor = floor;
        self.collecting -= 1;
        call
    }

    /// The arguments of a call, expanded where the body needs it, or the tokens of a call that does not fit the macro.
    fn arguments(&mut self, call: Call, definition: &Macro, name: &Token) -> Result<Vec<Argument>, Vec<Token>> {
        let Meaning::Function(parameters, _) = &definition.meaning else { return Ok(vec![]) };
        let wanted = parameters.count();
        let label = excerpt(self.text(name));
        if !call.complete {
            self.error("unterminated-call", format!("the call of macro `{label}` has no `)`"), self.written(name));
            return Err(call.tokens);
        }
        let only_empty = call.arguments.len() == 1 && call.arguments.iter().all(|range| range.is_empty());
        let given = if wanted == 0 && only_empty { 0 } else { call.arguments.len() };
        let fits = given == wanted || (parameters.variadic && given + 1 == wanted);
        if !fits {
            let least = if parameters.variadic { "at least " } else { "" };
            let needed = wanted - usize::from(parameters.variadic);
            let text = format!("macro `{label}` takes {least}{needed} arguments, but {given} are given");
            self.error("argument-count", text, self.written(name));
            return Err(call.tokens);
        }
        let omitted = given < wanted || (wanted == 1 && only_empty);
        let mut arguments = vec![];
        for index in 0..wanted {
            let raw =
                call.arguments.get(index).and_then(|range| call.tokens.get(range.clone())).unwrap_or(&[]).to_vec();
            let expanded =
                if parameters.expanded.get(index) == Some(&true) { self.expand_all(&raw, name) } else { vec![] };
            let last = parameters.variadic && index + 1 == wanted;
            arguments.push(Argument { raw, expanded, omitted: last && omitted });
        }
        Ok(arguments)
    }

    /// The tokens with their macros expanded, as if nothing followed.
    pub(super) fn expand_all(&mut self, tokens: &[Token], name: &Token) -> Vec<Token> {
        let macros = &self.macros;
        let plain = |t: &Token| t.kind != Kind::Identifier || !macros.contains_key(self.texts.of(t, self.sources));
        if tokens.iter().all(plain) {
            return tokens.to_vec();
        }
        if self.nesting == MAX_NESTING {
            let text = format!("macro calls are nested more than {MAX_NESTING} deep in arguments");
            self.stop("expansion-limit", text, self.written(name));
            return vec![];
        }
        self.isolated(tokens, |engine| {
            let mut expanded = vec![];
            loop {
                let token = engine.next();
                if token.kind == Kind::End {
                    return expanded;
                }
                expanded.push(token);
            }
        })
    }

    /// Lets `read` take its tokens from `tokens` only.
    pub(super) fn isolated<T>(&mut self, tokens: &[Token], read: impl FnOnce(&mut Self) -> T) -> T {
        let pending = std::mem::take(&mut self.pending);
        self.nesting += 1;
        let depth = self.contexts.len();
        self.push(Context { tokens: tokens.into(), isolated: true, ..Context::empty() });
        let result = read(self);
        while self.contexts.len() > depth {
            self.pop();
        }
        self.nesting -= 1;
        self.pending = pending;
        result
    }

    fn builtin(&mut self, builtin: Builtin, token: Token) -> Option<Token> {
        let (kind, text) = match builtin {
            Builtin::File => {
                let path = self.frames.last().map(|frame| self.sources.path(frame.file).to_string_lossy().into_owned());
                let path = path.unwrap_or_default().replace('\\', "\\\\").replace('"', "\\\"");
                (Kind::String, format!("\"{path}\""))
            }
            Builtin::Line => {
                let sources = &self.sources;
                let line = self.frames.last_mut().map_or(1, |frame| frame.line(sources.text(frame.file)));
                (Kind::Number, line.to_string())
            }
            Builtin::Counter => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            Builtin::IncludeLevel => (Kind::Number, self.frames.len().saturating_sub(1).to_string()),
            // The same input gives the same output, whenever that is.
            Builtin::Date => (Kind::String, "\"??? ?? ????\"".to_string()),
            Builtin::Time => (Kind::String, "\"??:??:??\"".to_string()),
            Builtin::HasInclude => return Some(token),
            Builtin::Pragma if !self.parenthesis_follows() => return Some(token),
            Builtin::Pragma => {
                self.pragma_operator(&token);
                self.pending = Blanks { space: token.space, line_start: token.line_start };
                return None;
            }
        };
        if !self.spend(text.len() / 8, &token) {
            return Some(self.end());
        }
        let made = Some(self.texts.add(&text));
        Some(Token { kind, made, ..token })
    }

    fn pragma_operator(&mut self, name: &Token) {
        let call = self.collect(name, 1, false);
        let inside = call.tokens.get(1..call.tokens.len().saturating_sub(1)).unwrap_or(&[]);
        match inside {
            [string] if string.kind == Kind::String && call.complete => {
                let text = destringized(self.text(string));
                let at = self.written(name);
                let offset = self.writer.len();
                self.pragmas.push(Pragma { expanded: text.clone(), text, at, offset });
            }
            _ => self.error("bad-pragma", "`_Pragma` takes one string", self.written(name)),
        }
    }
}

pub(super) fn is_hash(lexeme: &Lexeme, text: &str) -> bool {
    lexeme.line_start
        && lexeme.kind == Kind::Punctuator
        && matches!(text.get(lexeme.start..lexeme.end), Some("#" | "%:"))
}

impl Context {
    fn empty() -> Context {
        Context { tokens: Rc::new([]), next: 0, isolated: false, body_of: None, chain: None, blanks: None }
    }
}

/// The tokens without placemarkers, whose blanks go to the token after.
fn without_placemarkers(tokens: Vec<Token>) -> Vec<Token> {
    let mut space = false;
    let mut result = Vec::with_capacity(tokens.len());
    for token in tokens {
        if token.kind == Kind::Placemarker {
            space |= token.space;
        } else {
            result.push(Token { space: token.space | std::mem::take(&mut space), ..token });
        }
    }
    result
}

fn destringized(literal: &str) -> String {
    let start = literal.find('"').map_or(0, |quote| quote + 1);
    let body = literal.get(start..literal.len().saturating_sub(1)).unwrap_or("");
    let mut text = String::new();
    let mut escaped = false;
    for c in body.chars() {
        escaped = c == '\\' && !escaped;
        if !escaped {
            text.push(c);
        }
    }
    text
}
