//! Directives: conditionals, includes, definitions and pragmas.

use super::expand::{Conditional, Engine, Entered, Frame, Guard, is_hash};
use super::expression::{Term, evaluate};
use super::files::{is_of_platform, is_well_known, normal};
use super::lexer::{Kind, Lexeme, Newlines, unspliced};
use super::macros::{Builtin, Macro, Meaning, excerpt};
use super::token::Token;
use super::{Pragma, Severity};
use crate::base::text::text_of;
use crate::base::{FileId, Span};
use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// What reading a file for another time costs, plus its length divided by this.
const REREAD_STEPS: usize = 64;

/// A branch of a conditional.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    If,
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
}

impl Branch {
    fn of(name: &str) -> Option<Branch> {
        Some(match name {
            "if" => Branch::If,
            "ifdef" => Branch::Ifdef,
            "ifndef" => Branch::Ifndef,
            "elif" => Branch::Elif,
            "elifdef" => Branch::Elifdef,
            "elifndef" => Branch::Elifndef,
            "else" => Branch::Else,
            "endif" => Branch::Endif,
            _ => return None,
        })
    }
}

/// Each time that it is included, it depends on `NDEBUG` anew (C11 7.2).
const ASSERT_H: &str = "#undef assert\n#ifdef NDEBUG\n#define assert(condition) ((void)0)\n#endif\n";

impl Engine<'_> {
    /// Obeys the directive whose `#` was read, up to the end of its line.
    pub(super) fn directive(&mut self, hash: Span) {
        let Some((lexeme, file)) = self.lexeme() else { return };
        let span = Span::new(file, lexeme.start, lexeme.end);
        let at = hash.to(span);
        let name = self.spelling(&lexeme, file).into_owned();
        if let (Kind::Identifier, Some(branch)) = (lexeme.kind, Branch::of(&name)) {
            return self.conditional(branch, at);
        }
        if !matches!(lexeme.kind, Kind::Newline | Kind::End) {
            self.forget_guard();
        }
        match (lexeme.kind, name.as_str()) {
            (Kind::Newline | Kind::End, _) => return,
            (Kind::Identifier, "define") => self.define(at),
            (Kind::Identifier, "undef") => self.undefine(at),
            (Kind::Identifier, "include") => return self.include(at, false, false),
            (Kind::Identifier, "include_next") => return self.include(at, true, false),
            (Kind::Identifier, "import") => return self.include(at, false, true),
            (Kind::Identifier, "pragma") => self.pragma(at),
            (Kind::Identifier, "error" | "warning") => {
                let message = self.line();
                let at = message.last().map_or(at, |last| at.to(last.span));
                let (code, text) = match name.as_str() {
                    "error" => ("error-directive", format!("#error {}", self.joined(&message))),
                    _ => ("warning-directive", format!("#warning {}", self.joined(&message))),
                };
                self.remark(Severity::Note, code, excerpt_long(text.trim_end()), at);
            }
            (Kind::Identifier, "line") => {
                let number = self.line().first().map_or(String::new(), |token| self.text(token).to_owned());
                return self.number_next_line(&number);
            }
            (Kind::Number, number) => {
                let number = number.to_owned();
                self.line();
                return self.number_next_line(&number);
            }
            (Kind::Identifier, "ident" | "sccs" | "assert" | "unassert") => {}
            _ => self.error("unknown-directive", format!("`#{}` is not a directive", excerpt(&name)), at),
        }
        self.line();
    }

    /// `#line 77`: what `__LINE__` is on the line after it.
    fn number_next_line(&mut self, number: &str) {
        let Ok(number) = number.parse::<usize>() else { return };
        if let Some(frame) = self.frames.last_mut() {
            frame.set_line(self.sources.text(frame.file), number);
        }
    }

    pub(super) fn forget_guard(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && !matches!(frame.guard, Guard::Inside(_))
        {
            frame.guard = Guard::None;
        }
    }

    /// The next token of the line.
    fn lexeme(&mut self) -> Option<(Lexeme, FileId)> {
        let frame = self.frames.last_mut()?;
        let file = frame.file;
        let before = frame.cursor.position;
        let lexeme = frame.cursor.next(self.sources.text(file).as_bytes(), Newlines::Stop);
        if lexeme.annotated {
            self.lost_annotation(Span::new(file, before, lexeme.start));
        }
        self.problem(&lexeme, file, false);
        Some((lexeme, file))
    }

    fn spelling(&self, lexeme: &Lexeme, file: FileId) -> Cow<'_, str> {
        let text = self.sources.snippet(Span::new(file, lexeme.start, lexeme.end));
        if lexeme.spliced { Cow::Owned(unspliced(text)) } else { Cow::Borrowed(text) }
    }

    /// The rest of the line.
    fn line(&mut self) -> Vec<Token> {
        let mut tokens = vec![];
        while let Some((lexeme, file)) = self.lexeme().filter(|(l, _)| !matches!(l.kind, Kind::Newline | Kind::End)) {
            tokens.push(self.token(&lexeme, file));
        }
        tokens
    }

    pub(super) fn joined(&self, tokens: &[Token]) -> String {
        let mut text = String::new();
        for token in tokens {
            if (token.space || token.line_start) && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.text(token));
        }
        text
    }

    // Conditionals

    fn conditional(&mut self, branch: Branch, at: Span) {
        match branch {
            Branch::If | Branch::Ifdef | Branch::Ifndef => {
                let name = self.peek_name();
                if let Some(frame) = self.frames.last_mut() {
                    frame.guard = match (std::mem::replace(&mut frame.guard, Guard::None), branch, name) {
                        (Guard::Start, Branch::Ifndef, Some(name)) => Guard::Inside(name),
                        (inside @ Guard::Inside(_), _, _) => inside,
                        _ => Guard::None,
                    };
                }
                let taken = self.condition(branch, at);
                if let Some(frame) = self.frames.last_mut() {
                    frame.conditionals.push(Conditional { at, taken, otherwise: false });
                }
                if !taken {
                    self.skip();
                }
            }
            Branch::Endif => {
                self.line();
                self.close(at);
            }
            Branch::Elif | Branch::Elifdef | Branch::Elifndef | Branch::Else => {
                // The branch that was read ends here: whatever follows is not read.
                self.line();
                if self.open_branch(branch, at) {
                    self.skip();
                }
            }
        }
    }

    /// Notes an `#elif` or `#else`; false when no conditional is open.
    fn open_branch(&mut self, branch: Branch, at: Span) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        if frame.conditionals.len() == 1 {
            frame.guard = Guard::None;
        }
        let Some(conditional) = frame.conditionals.last_mut() else {
            self.error("stray-conditional", "there is no `#if` for this", at);
            return false;
        };
        let late = conditional.otherwise;
        conditional.otherwise |= branch == Branch::Else;
        if late {
            self.error("stray-conditional", "this comes after the `#else` of its `#if`", at);
        }
        true
    }

    fn close(&mut self, at: Span) {
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.conditionals.pop().is_none() {
            return self.error("stray-conditional", "there is no `#if` for this `#endif`", at);
        }
        if frame.conditionals.is_empty() {
            frame.guard = match std::mem::replace(&mut frame.guard, Guard::None) {
                Guard::Inside(name) => Guard::After(name),
                _ => Guard::None,
            };
        }
    }

    /// Skips the branches of the innermost conditional up to one that is read, or to its end.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        loop {
            let Some(frame) = self.frames.last_mut() else { return };
            let file = frame.file;
            let text = self.sources.text(file);
            let lexeme = frame.cursor.next(text.as_bytes(), Newlines::Blank);
            let hash = is_hash(&lexeme, text);
            if lexeme.problem.is_some() {
                self.problem(&lexeme, file, false);
            }
            if lexeme.kind == Kind::End {
                return;
            }
            if lexeme.kind == Kind::Identifier && self.frames.len() == 1 && self.left_out.is_none() {
                let is_kernel = matches!(&*self.spelling(&lexeme, file), "__global__" | "__kernel");
                let around = self.frames.last().and_then(|frame| frame.conditionals.last());
                self.left_out = around.map(|conditional| conditional.at).filter(|_| is_kernel);
            }
            let Some((name, _)) = hash.then(|| self.lexeme()).flatten() else { continue };
            let at = Span::new(file, lexeme.start, name.end);
            let branch = match name.kind {
                Kind::Identifier => Branch::of(&self.spelling(&name, file)),
                _ => None,
            };
            match branch {
                Some(Branch::If | Branch::Ifdef | Branch::Ifndef) => depth += 1,
                Some(Branch::Endif) if depth > 0 => depth -= 1,
                Some(Branch::Endif) => {
                    self.line();
                    return self.close(at);
                }
                Some(branch) if depth == 0 => {
                    self.open_branch(branch, at);
                    let open = self.frames.last().and_then(|frame| frame.conditionals.last());
                    if open.is_some_and(|conditional| !conditional.taken) && self.condition(branch, at) {
                        if let Some(conditional) =
                            self.frames.last_mut().and_then(|frame| frame.conditionals.last_mut())
                        {
                            conditional.taken = true;
                        }
                        return;
                    }
                }
                Some(_) | None => {}
            }
            self.line();
        }
    }

    /// Whether the branch is to be read. The line is read to its end.
    fn condition(&mut self, branch: Branch, at: Span) -> bool {
        let tokens = self.line();
        match branch {
            Branch::If | Branch::Elif => self.holds(&tokens, at),
            Branch::Else | Branch::Endif => true,
            Branch::Ifdef | Branch::Ifndef | Branch::Elifdef | Branch::Elifndef => {
                let name = tokens.first().filter(|token| token.kind == Kind::Identifier);
                let Some(name) = name else {
                    self.error("bad-condition", "expected the name of a macro", at);
                    return false;
                };
                let defined = self.macros.contains_key(self.text(name));
                defined == matches!(branch, Branch::Ifdef | Branch::Elifdef)
            }
        }
    }

    fn peek_name(&self) -> Option<String> {
        let frame = self.frames.last()?;
        let mut ahead = frame.cursor;
        let lexeme = ahead.next(self.sources.text(frame.file).as_bytes(), Newlines::Stop);
        (lexeme.kind == Kind::Identifier).then(|| self.spelling(&lexeme, frame.file).into_owned())
    }

    fn holds(&mut self, tokens: &[Token], at: Span) -> bool {
        let terms = self.isolated(tokens, |engine| engine.terms());
        let Some(terms) = terms else { return false };
        let (terms, places): (Vec<Term>, Vec<Span>) = terms.into_iter().unzip();
        match evaluate(&terms) {
            Ok(outcome) => {
                for name in outcome.unknown_calls {
                    let text = format!("`{}` is not known here and counts as 0", excerpt(&name));
                    self.remark(Severity::Note, "unknown-feature-test", text, at);
                }
                outcome.holds
            }
            Err(fault) => {
                let place = places.get(fault.term).copied().unwrap_or(at);
                self.error("bad-condition", fault.text, place);
                false
            }
        }
    }

    /// The terms of a condition; `None` when `defined` or `__has_include` is misused.
    fn terms(&mut self) -> Option<Vec<(Term, Span)>> {
        let mut terms = vec![];
        loop {
            let token = self.next();
            let place = self.written(&token);
            let text = self.text(&token).to_string();
            let term = match token.kind {
                Kind::End => return Some(terms),
                Kind::Number => Term::Number(text),
                Kind::Character => Term::Character(text),
                Kind::Punctuator => Term::Punctuator(text),
                Kind::Identifier if text == "defined" => match self.defined() {
                    Some(answer) => Term::Known(answer),
                    None => {
                        self.error("bad-condition", "`defined` takes the name of a macro", place);
                        return None;
                    }
                },
                Kind::Identifier if text.starts_with("__has_include") && self.is_has_include(&text) => {
                    match self.has_include() {
                        Some(answer) => Term::Known(answer),
                        None => {
                            self.error("bad-condition", format!("`{text}` takes \"FILE\" or <FILE>"), place);
                            return None;
                        }
                    }
                }
                Kind::Identifier => Term::Identifier(text),
                Kind::String | Kind::Other | Kind::Newline | Kind::Placemarker => Term::Other(excerpt(&text)),
            };
            terms.push((term, place));
        }
    }

    fn is_has_include(&self, name: &str) -> bool {
        self.macros.get(name).is_some_and(|m| matches!(m.meaning, Meaning::Builtin(Builtin::HasInclude)))
    }

    fn defined(&mut self) -> Option<bool> {
        let mut name = self.raw();
        let parenthesis = self.is(&name, "(");
        if parenthesis {
            name = self.raw();
        }
        if name.kind != Kind::Identifier {
            return None;
        }
        let answer = self.macros.contains_key(self.text(&name));
        if parenthesis {
            let close = self.raw();
            return self.is(&close, ")").then_some(answer);
        }
        Some(answer)
    }

    fn has_include(&mut self) -> Option<bool> {
        let open = self.raw();
        if !self.is(&open, "(") {
            return None;
        }
        let first = self.next();
        let name = if first.kind == Kind::String {
            Wanted::quoted(self.text(&first))?
        } else if self.is(&first, "<") {
            let mut name = String::new();
            loop {
                let token = self.next();
                if token.kind == Kind::End {
                    return None;
                }
                if self.is(&token, ">") {
                    break Wanted { name, angled: true };
                }
                name.push_str(if token.space && !name.is_empty() { " " } else { "" });
                name.push_str(self.text(&token));
            }
        } else {
            return None;
        };
        let close = self.raw();
        let found = self.find(&name, false).is_ok() || is_well_known(&name.name);
        self.is(&close, ")").then_some(found)
    }

    // Files

    fn include(&mut self, at: Span, skip_own: bool, once: bool) {
        let Some((wanted, at)) = self.wanted(at) else { return };
        self.line();
        match self.find(&wanted, skip_own) {
            Ok((file, around)) => {
                if around {
                    let path = self.sources.path(file).display();
                    let text = format!("`{}` is taken to be {path}", excerpt(&wanted.name));
                    self.remark(Severity::Note, "include-around", text, at);
                }
                self.enter_file(file, &wanted.name, at);
                if once {
                    self.entered.entry(file).or_default().never_again = true;
                }
            }
            Err(None) if is_well_known(&wanted.name) => self.enter_bundled(&wanted.name, at),
            Err(why) => {
                let why = why.map_or("was not found".to_string(), |why| format!("cannot be read ({why})"));
                let text = format!("`{}` {why}; what it declares is not known", excerpt(&wanted.name));
                self.remark(Severity::Note, "include-missing", text, at);
            }
        }
    }

    /// A header of the platform: it is empty, but for what a macro of the user makes of it.
    fn enter_bundled(&mut self, name: &str, at: Span) {
        if !matches!(name, "assert.h" | "cassert") {
            return;
        }
        let path = Path::new("<assert.h>");
        let known = self.loaded.get(path).and_then(|file| file.as_ref().ok()).copied();
        let file = known.unwrap_or_else(|| self.sources.add(path, ASSERT_H));
        self.loaded.insert(path.to_path_buf(), Ok(file));
        self.enter_file(file, name, at);
    }

    /// The file that an `#include` names, and the place of the directive with that name.
    fn wanted(&mut self, at: Span) -> Option<(Wanted, Span)> {
        let frame = self.frames.last_mut()?;
        let file = frame.file;
        let text = self.sources.text(file);
        let mut ahead = frame.cursor;
        let lexeme = ahead.next(text.as_bytes(), Newlines::Stop);
        let rest = text.get(lexeme.start..).unwrap_or("");
        let closing = match rest.bytes().next() {
            Some(b'"') => Some(b'"'),
            Some(b'<') => Some(b'>'),
            _ => None,
        };
        if let Some(closing) = closing {
            let inside = rest.bytes().skip(1).position(|b| b == closing || b == b'\n').map(|i| i + 1);
            if let Some(end) = inside.filter(|end| rest.as_bytes().get(*end) == Some(&closing)) {
                frame.cursor.position = lexeme.start + end + 1;
                let name = rest.get(1..end).unwrap_or("").to_string();
                let at = at.to(Span::new(file, lexeme.start, lexeme.start + end + 1));
                return Some((Wanted { name, angled: closing == b'>' }, at));
            }
        }
        let tokens = self.line();
        let place = tokens.first().copied().unwrap_or(Token::mark(Kind::End, at));
        let tokens = self.expand_all(&tokens, &place);
        let wanted = match tokens.split_first() {
            Some((first, _)) if first.kind == Kind::String => Wanted::quoted(self.text(first)),
            Some((first, rest)) if self.is(first, "<") => {
                let close = rest.iter().position(|token| self.is(token, ">"));
                close.map(|close| Wanted { name: self.joined(rest.get(..close).unwrap_or(&[])), angled: true })
            }
            _ => None,
        };
        if wanted.is_none() {
            self.error("bad-include", "`#include` takes \"FILE\" or <FILE>", at);
        }
        wanted.map(|wanted| (wanted, at))
    }

    /// The file, read if need be, and whether it is in a folder that nobody named. An error is `None` when there is no such
    /// file, else why it cannot be read.
    fn find(&mut self, wanted: &Wanted, skip_own: bool) -> Result<(FileId, bool), Option<String>> {
        let own = self.frames.last().map(|frame| self.sources.path(frame.file).to_path_buf()).unwrap_or_default();
        let folder = own.parent().map(Path::to_path_buf).unwrap_or_default();
        let own = normal(&own);
        // A system header is never the file of that name beside the source: `<math.h>` in a folder with its own `math.h`.
        let beside = (!wanted.angled || !is_well_known(&wanted.name)).then_some(folder);
        let folders: Vec<PathBuf> = beside.into_iter().chain(self.options.include_dirs.iter().cloned()).collect();
        let mut why = None;
        let is_known = is_of_platform(&wanted.name);
        let (around, root) = if is_known { Default::default() } else { self.around(&own) };
        let (named, around) = (folders.into_iter().map(|f| (f, false)), around.into_iter().map(|f| (f, true)));
        for (folder, is_around) in named.chain(around) {
            let path = normal(&folder.join(&wanted.name));
            if wanted.name.is_empty() || wanted.name.contains('\0') || (skip_own && path == own) {
                continue;
            }
            match self.load(path) {
                Ok(file) => return Ok((file, is_around)),
                Err(reason) => why = why.or(reason),
            }
        }
        match root.and_then(|root| self.only_one(&root, &wanted.name)).filter(|path| !skip_own || *path != own) {
            Some(path) if why.is_none() => self.load(path).map(|file| (file, true)),
            _ => Err(why),
        }
    }

    /// The file of a repository that an include can only mean: no other one has a path that ends so, but for copies of it.
    /// [PRE-AROUND]
    fn only_one(&self, root: &Path, name: &str) -> Option<PathBuf> {
        let wanted = normal(Path::new(name));
        let goes_up = |part: &Component| !matches!(part, Component::Normal(_));
        let end: PathBuf = wanted.components().skip_while(goes_up).collect();
        let found = self.files.beneath(root, &end);
        let (first, others) = found.split_first()?;
        let text = self.files.read(first).ok()?;
        let are_copies = others.iter().all(|other| self.files.read(other).is_ok_and(|copy| copy == text));
        are_copies.then(|| first.clone())
    }

    /// Where the headers of a project are by custom: in the folders around a file, up to the root of a repository, and in
    /// those beside them that are for headers; and that root, if there is one. [PRE-AROUND]
    fn around(&self, own: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
        const FOLDERS: [&str; 14] = [
            "include",
            "includes",
            "inc",
            "common",
            "Common",
            "common/inc",
            "common/include",
            "common/cuda",
            "include/cuda",
            "cuda",
            "src",
            "utils",
            "util",
            "utilities",
        ];
        const HEIGHT: usize = 8;
        // Where nothing says what the root is.
        const NEAR: usize = 4;
        let mut folder = own.parent().map(Path::to_path_buf).unwrap_or_default();
        let source = self.frames.first().map(|frame| self.sources.path(frame.file).to_path_buf());
        let mut found = source.map(|source| self.of_makefile(&source)).unwrap_or_default();
        let named = found.len();
        for _ in 0..HEIGHT {
            found.push(folder.clone());
            found.extend(FOLDERS.iter().map(|name| folder.join(name)));
            if self.files.read(&folder.join(".git/HEAD")).is_ok() {
                return (found, Some(folder));
            }
            // Without names in front of it, a path goes up by itself.
            folder = match folder.components().next_back() {
                Some(Component::Normal(_)) => folder.parent().map(Path::to_path_buf).unwrap_or_default(),
                Some(Component::RootDir | Component::Prefix(_)) => break,
                _ => folder.join(".."),
            };
        }
        found.truncate(named + NEAR * (FOLDERS.len() + 1));
        (found, None)
    }

    /// The folders that `-I` names in a makefile beside the source.
    fn of_makefile(&self, source: &Path) -> Vec<PathBuf> {
        let folder = source.parent().unwrap_or(Path::new(""));
        let read =
            ["Makefile", "makefile", "GNUmakefile"].iter().find_map(|name| self.files.read(&folder.join(name)).ok());
        let text = text_of(read.unwrap_or_default());
        let mut words = text.split_whitespace();
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            let named = match word.strip_prefix("-I") {
                Some("") => words.next().unwrap_or(""),
                Some(named) => named,
                None => continue,
            };
            // What a variable stands for is not known.
            if !named.is_empty() && !named.contains('$') {
                found.push(folder.join(named));
            }
        }
        found
    }

    fn load(&mut self, path: PathBuf) -> Result<FileId, Option<String>> {
        if let Some(known) = self.loaded.get(&path) {
            return known.clone();
        }
        let result = match self.files.read(&path) {
            Ok(bytes) => Ok(self.sources.add(&path, text_of(bytes))),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Err(None),
                _ => Err(Some(error.to_string())),
            },
        };
        self.loaded.insert(path, result.clone());
        result
    }

    fn enter_file(&mut self, file: FileId, name: &str, at: Span) {
        if let Some(entered) = self.entered.get(&file) {
            let guarded = entered.guard.as_ref().is_some_and(|guard| self.macros.contains_key(guard));
            if entered.never_again || guarded {
                return;
            }
            let steps = REREAD_STEPS + self.sources.text(file).len() / REREAD_STEPS;
            if !self.spend(steps, &Token::mark(Kind::Other, at)) {
                return;
            }
        }
        if self.frames.len() > self.options.limits.include_depth {
            let depth = self.options.limits.include_depth;
            let cycle = self.frames.iter().position(|frame| frame.file == file);
            let text = match cycle {
                Some(first) => {
                    let path = |file| self.sources.path(file).display().to_string();
                    let mut steps: Vec<String> =
                        self.frames.iter().skip(first).map(|frame| path(frame.file)).take(4).collect();
                    let again = steps.iter().skip(1).position(|step| *step == path(file)).map(|i| i + 1);
                    steps.truncate(again.unwrap_or(steps.len()));
                    let more = if again.is_none() { "... -> " } else { "" };
                    format!("`{name}` includes itself without end: {} -> {more}{}", steps.join(" -> "), path(file))
                }
                None => format!("files include each other more than {depth} deep"),
            };
            self.error("include-depth", text, at);
            self.entered.entry(file).or_default().never_again = true;
            return;
        }
        self.entered.entry(file).or_default();
        self.frames.push(Frame::new(file));
    }

    /// Takes the file at its end off the stack.
    pub(super) fn leave_file(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for conditional in &frame.conditionals {
            self.error("unterminated-conditional", "this conditional has no `#endif`", conditional.at);
        }
        if let Guard::After(name) = frame.guard {
            let entered: &mut Entered = self.entered.entry(frame.file).or_default();
            entered.guard = Some(name);
        }
    }

    // Definitions

    fn define(&mut self, at: Span) {
        let tokens = self.line();
        let Some((name, rest)) = tokens.split_first().filter(|(name, _)| self.may_be_defined(name)) else {
            return self.error("bad-define", "expected a name that can be a macro", at);
        };
        let text = self.text(name).to_string();
        let id = self.name_id(&text);
        match Macro::define(id, name, rest, &self.texts, self.sources) {
            Ok(new) => {
                let old = self.macros.insert(text.clone(), Rc::new(new));
                let new = self.macros.get(&text);
                let changed = old.zip(new).is_some_and(|(old, new)| self.is_given(old.at) && !old.same_as(new));
                if changed {
                    let text = format!("macro `{}` is defined anew, and differently", excerpt(&text));
                    self.remark(Severity::Note, "macro-redefined", text, name.span);
                }
            }
            Err((span, text)) => self.error("bad-define", text, span),
        }
    }

    fn may_be_defined(&self, name: &Token) -> bool {
        name.kind == Kind::Identifier && self.text(name) != "defined"
    }

    /// Whether a definition was written by the user, and not taken from the predefined ones.
    fn is_given(&self, at: Span) -> bool {
        self.sources.path(at.file) != Path::new("<predefined>")
    }

    fn undefine(&mut self, at: Span) {
        let tokens = self.line();
        match tokens.first().filter(|name| name.kind == Kind::Identifier).map(|name| self.text(name).to_string()) {
            Some(name) => {
                self.macros.remove(&name);
            }
            None => self.error("bad-define", "expected the name of a macro", at),
        }
    }

    fn pragma(&mut self, at: Span) {
        let tokens = self.line();
        let text = self.joined(&tokens);
        if text == "once"
            && let Some(frame) = self.frames.last()
        {
            self.entered.entry(frame.file).or_default().never_again = true;
            return;
        }
        let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if let Some((verb, name)) = dense.strip_suffix("\")").and_then(|t| t.split_once("(\"")) {
            match verb {
                "push_macro" => {
                    let current = self.macros.get(name).cloned();
                    self.pushed.entry(name.to_owned()).or_default().push(current);
                    return;
                }
                "pop_macro" => {
                    match self.pushed.get_mut(name).and_then(Vec::pop) {
                        Some(Some(kept)) => {
                            self.macros.insert(name.to_owned(), kept);
                        }
                        Some(None) => {
                            self.macros.remove(name);
                        }
                        None => {}
                    }
                    return;
                }
                _ => {}
            }
        }
        let at = tokens.last().map_or(at, |last| at.to(last.span));
        let expanded = match tokens.first() {
            Some(first) => self.expand_all(&tokens, first),
            None => vec![],
        };
        let expanded = self.joined(&expanded);
        let offset = self.written_so_far();
        self.pragmas.push(Pragma { text, expanded, at, offset });
    }
}

/// The file named in an `#include`.
struct Wanted {
    name: String,
    angled: bool,
}

impl Wanted {
    fn quoted(literal: &str) -> Option<Wanted> {
        let name = literal.strip_prefix('"')?.strip_suffix('"')?.to_string();
        Some(Wanted { name, angled: false })
    }
}

fn excerpt_long(text: &str) -> String {
    let short: String = text.chars().take(300).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}
