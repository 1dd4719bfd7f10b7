//! Kernels, at every stage: what [`crate::core::display`] prints.

use super::lex::Token;
use super::parser::{Parsed, Parser, Stop, TextError};
use crate::base::Name;
use crate::core::Fence;
use crate::core::{
    Access, Alignment, ArrayDecl, Barrier, Closure, Context, Coordinate, Kernel, Mode, Protocol, Range, Scope, SiteId,
    Space, Step, Task, Trace, Unsync,
};
use crate::exp::{B, IntTy, N, Var, free_vars_n};

/// The code of a kernel that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    Protocol(Protocol),
    Aligned(Alignment),
    Phases(Vec<Closure>),
    Traces(Vec<Trace>),
}

/// Reads a file of kernels. All errors are reported, up to some number.
///
/// Source:   protocol-spec/01-syntax.md.       Shape: the kernels in the order of the text.
/// Ensures:  THM-ROUNDTRIP, tests/theorems/text.rs.
/// Errors:   with line and column; a text that nests too deep is refused.
pub fn parse_kernels(text: &str) -> Result<Vec<Kernel<Stage>>, Vec<TextError>> {
    let mut parser = Parser::new(text);
    let mut kernels = Vec::new();
    while *parser.peek() != Token::End {
        match parser.kernel() {
            Ok(kernel) => kernels.push(kernel),
            Err(Stop::Everywhere) => break,
            Err(Stop::Here) => {
                while !matches!(parser.peek(), Token::End) && !parser.at_word("kernel") {
                    parser.skip();
                }
            }
        }
    }
    let errors = parser.into_errors();
    if errors.is_empty() { Ok(kernels) } else { Err(errors) }
}

/// Reads one kernel at any stage.
pub fn parse_kernel(text: &str) -> Result<Kernel<Stage>, Vec<TextError>> {
    let mut kernels = parse_kernels(text)?;
    match (kernels.pop(), kernels.is_empty()) {
        (Some(kernel), true) => Ok(kernel),
        (None | Some(_), _) => Err(whole("expected one kernel")),
    }
}

/// Reads one kernel whose code is a protocol.
pub fn parse_protocol(text: &str) -> Result<Kernel<Protocol>, Vec<TextError>> {
    let kernel = parse_kernel(text)?;
    match &kernel.code {
        Stage::Protocol(code) => Ok(kernel.with_code(code.clone())),
        Stage::Aligned(_) | Stage::Phases(_) | Stage::Traces(_) => Err(whole("expected a kernel with `code`")),
    }
}

fn whole(message: &str) -> Vec<TextError> {
    vec![TextError { line: 1, column: 1, at: 0, message: message.into() }]
}

/// How each kind of statement is put together, so that protocols and traces are read by the same code.
enum Item {
    Skip,
    Access(Option<Task>, Access),
    Sync(Barrier),
    Seq(Vec<Item>),
    If(B, Box<Item>, Box<Item>),
    For(Range, Box<Item>),
    Var(Range, Box<Item>),
}

impl Parser<'_> {
    fn kernel(&mut self) -> Parsed<Kernel<Stage>> {
        self.expect_word("kernel")?;
        let name = self.name("the name of the kernel")?;
        self.scope.clear();
        self.expect("{")?;
        let empty = Stage::Protocol(Protocol::Skip);
        let mut kernel = Kernel {
            name,
            arrays: Vec::new(),
            globals: Vec::new(),
            blocks: Vec::new(),
            clusters: Vec::new(),
            threads: Vec::new(),
            pairs: Vec::new(),
            last: Default::default(),
            pre: B::lit(true),
            code: empty,
        };
        let mut pre = Vec::new();
        let mut code = None;
        while !self.eat("}") {
            let at = self.here();
            let result = match self.stage(&kernel)? {
                Some(stage) => {
                    if code.replace(stage).is_some() {
                        self.note(at, "the kernel has its code already");
                    }
                    Ok(())
                }
                None => self.declaration(&mut kernel, &mut pre),
            };
            match result {
                Ok(()) => {}
                Err(Stop::Everywhere) => return Err(Stop::Everywhere),
                Err(Stop::Here) => self.recover(),
            }
            if *self.peek() == Token::End {
                return self.unexpected("`}`");
            }
        }
        kernel.pre = B::and(pre);
        if kernel.clusters.iter().all(|size| size.as_num() == Some(1)) {
            kernel.clusters.clear();
        }
        match code {
            Some(code) => Ok(Kernel { code, ..kernel }),
            None => self.fail(self.here(), "the kernel has no code"),
        }
    }

    fn stage(&mut self, kernel: &Kernel<Stage>) -> Parsed<Option<Stage>> {
        if self.eat_word("code") {
            let item = self.block()?;
            return Ok(Some(Stage::Protocol(self.protocol(item)?)));
        }
        if self.at_word("aligned") {
            let at = self.here();
            self.skip();
            let item = self.block()?;
            let code = self.protocol(item)?;
            return match Alignment::from_protocol(&code) {
                Some(alignment) => Ok(Some(Stage::Aligned(alignment))),
                None => self.fail(
                    at,
                    "the code is not aligned: a loop with a barrier has to follow a barrier, and end with one",
                ),
            };
        }
        if self.eat_word("phases") {
            let mut closures = Vec::new();
            self.expect("{")?;
            while !self.eat("}") {
                closures.push(self.closure()?);
            }
            return Ok(Some(Stage::Phases(closures)));
        }
        if self.eat_word("traces") {
            // A trace binds the coordinates of both threads itself, shared ones under their own names.
            let coordinates = || kernel.blocks.iter().chain(&kernel.threads).map(|c| &c.var);
            coordinates().for_each(|var| drop(self.scope.remove(&var.name)));
            let traces = self.traces();
            coordinates().for_each(|var| drop(self.scope.insert(var.name.clone(), var.clone())));
            return Ok(Some(Stage::Traces(traces?)));
        }
        Ok(None)
    }

    fn traces(&mut self) -> Parsed<Vec<Trace>> {
        let mut traces = Vec::new();
        self.expect("{")?;
        while !self.eat("}") {
            self.expect_word("trace")?;
            let at = self.here();
            let item = self.block()?;
            traces.push(self.trace(item, at)?);
        }
        Ok(traces)
    }

    fn declaration(&mut self, kernel: &mut Kernel<Stage>, pre: &mut Vec<B>) -> Parsed<()> {
        if self.eat_word("global") {
            let var = self.declare()?;
            kernel.globals.push(var);
        } else if self.eat_word("array") {
            let at = self.here();
            let name = self.name("the name of an array")?;
            if kernel.array(&name).is_some() {
                self.note(at, format!("the array `{name}` is declared twice [WF-NAMES]"));
            }
            self.expect(":")?;
            let space = if self.eat_word("shared") {
                Space::Shared
            } else if self.eat_word("global") {
                Space::Global
            } else {
                return self.unexpected("`global` or `shared`");
            };
            let unit = if self.eat_word("unit") { self.number_u32("the bytes of a unit")? } else { 4 };
            kernel.arrays.push(ArrayDecl { name, space, unit });
        } else if self.eat_word("block") {
            let coordinate = self.coordinate(&kernel.globals)?;
            kernel.blocks.push(coordinate);
            let at = self.here();
            let size = if self.eat_word("cluster") { self.extent(&kernel.globals)? } else { N::num(1) };
            if size.as_num().is_some_and(|n| n < 1) {
                self.note(at, "a cluster has at least one block");
            }
            kernel.clusters.push(size);
        } else if self.eat_word("thread") {
            let coordinate = self.coordinate(&kernel.globals)?;
            kernel.threads.push(coordinate);
        } else if self.eat_word("assume") {
            pre.push(self.boolean()?);
        } else if self.eat_word("pairs") {
            kernel.pairs.push(self.boolean()?);
        } else if self.eat_word("last") {
            while !matches!(self.peek(), Token::Mark(";", _) | Token::End) {
                kernel.last.insert(self.site()?);
            }
        } else {
            return self.unexpected("a declaration, or `code`");
        }
        self.expect(";")
    }

    /// `x` or `x: ty`, not in scope before.
    fn binding(&mut self) -> Parsed<Var> {
        let at = self.here();
        let name = self.name("the name of a variable")?;
        if self.scope.contains_key(&name) {
            self.note(at, format!("`{name}` hides another variable [WF-SHADOW]"));
        }
        let ty = if self.eat(":") { self.int_type()? } else { IntTy::I32 };
        Ok(Var::new(name, ty))
    }

    fn declare(&mut self) -> Parsed<Var> {
        let var = self.binding()?;
        self.scope.insert(var.name.clone(), var.clone());
        Ok(var)
    }

    /// A term over globals, of which all threads have the same value.
    fn extent(&mut self, globals: &[Var]) -> Parsed<N> {
        let at = self.here();
        let extent = self.numeric()?;
        for var in free_vars_n(&extent).iter().filter(|v| !globals.contains(v)) {
            self.note(at, format!("`{}` is not a global: threads may differ in it [WF-EXTENT]", var.name));
        }
        Ok(extent)
    }

    fn coordinate(&mut self, globals: &[Var]) -> Parsed<Coordinate> {
        let var = self.binding()?;
        self.expect_word("in")?;
        let at = self.here();
        if self.number("`0`")? != 0 {
            self.note(at, "a coordinate starts at 0");
        }
        self.expect("..")?;
        let extent = self.extent(globals)?;
        self.scope.insert(var.name.clone(), var.clone());
        Ok(Coordinate { var, extent })
    }

    /// `{ .. }`
    fn block(&mut self) -> Parsed<Item> {
        self.expect("{")?;
        let items = self.nested(|p| {
            let mut items = Vec::new();
            while !p.eat("}") {
                if *p.peek() == Token::End {
                    return p.unexpected("`}`");
                }
                let before = p.here();
                match p.statement() {
                    Ok(item) => items.push(item),
                    Err(Stop::Everywhere) => return Err(Stop::Everywhere),
                    Err(Stop::Here) => {
                        p.recover();
                        if p.here() == before {
                            p.skip();
                        }
                    }
                }
            }
            Ok(items)
        })?;
        Ok(Item::Seq(items))
    }

    fn statement(&mut self) -> Parsed<Item> {
        if self.eat_word("if") {
            let cond = self.boolean()?;
            let then = self.block()?;
            let els = if !self.eat_word("else") {
                Item::Skip
            } else if self.at_word("if") {
                self.nested(|p| p.statement())?
            } else {
                self.block()?
            };
            return Ok(Item::If(cond, Box::new(then), Box::new(els)));
        }
        if self.eat_word("for") {
            let (range, body) = self.under_range()?;
            return Ok(Item::For(range, Box::new(body)));
        }
        if self.eat_word("var") {
            let (range, body) = self.under_range()?;
            return Ok(Item::Var(range, Box::new(body)));
        }
        let item = self.simple()?;
        self.expect(";")?;
        Ok(item)
    }

    fn simple(&mut self) -> Parsed<Item> {
        if self.eat_word("skip") {
            return Ok(Item::Skip);
        }
        if self.eat_word("sync") {
            let scope = self.scope_word()?;
            let fence = if self.eat_word("shared") {
                Fence { shared: true, global: false }
            } else if self.eat_word("global") {
                Fence { shared: false, global: true }
            } else if self.eat_word("nothing") {
                Fence { shared: false, global: false }
            } else {
                Fence::ALL
            };
            let mask = if self.eat_word("mask") { Some(self.numeric()?) } else { None };
            let site = self.site()?;
            return Ok(Item::Sync(Barrier { scope, mask, fence, site }));
        }
        let task = match (self.peek(), self.peek_second()) {
            (Token::Number(Some(1)), Token::Mark(":", None)) => Some(Task::One),
            (Token::Number(Some(2)), Token::Mark(":", None)) => Some(Task::Two),
            (Token::Word { .. } | Token::Number(_) | Token::Mark(..) | Token::End, _) => None,
        };
        if task.is_some() {
            self.skip();
            self.skip();
        }
        Ok(Item::Access(task, self.access()?))
    }

    fn access(&mut self) -> Parsed<Access> {
        let mode = if self.eat_word("rd") {
            Mode::Rd
        } else if self.eat_word("wr") {
            Mode::Wr(None)
        } else if self.eat_word("at") {
            Mode::At(self.scope_word()?)
        } else {
            return self.unexpected("a statement");
        };
        let array = self.name("the name of an array")?;
        let mut index = Vec::new();
        while self.eat("[") {
            index.push(self.numeric()?);
            self.expect("]")?;
        }
        let width = if self.eat_word("width") { self.number_u32("a width")? } else { 1 };
        let at = self.here();
        let mode = match (mode, self.eat(":=")) {
            (Mode::Wr(_), true) => Mode::Wr(Some(self.numeric()?)),
            (mode @ (Mode::Rd | Mode::Wr(_) | Mode::At(_)), false) => mode,
            (Mode::Rd | Mode::At(_), true) => return self.fail(at, "only a write has a value"),
        };
        let site = self.site()?;
        Ok(Access { site, array, mode, index, width })
    }

    fn site(&mut self) -> Parsed<SiteId> {
        self.expect("@")?;
        Ok(SiteId(self.number_u32("the number of a site")?))
    }

    fn scope_word(&mut self) -> Parsed<Scope> {
        let words =
            [("warp", Scope::Warp), ("block", Scope::Block), ("cluster", Scope::Cluster), ("grid", Scope::Grid)];
        for (word, scope) in words {
            if self.eat_word(word) {
                return Ok(scope);
            }
        }
        self.unexpected("`warp`, `block`, `cluster` or `grid`")
    }

    /// `x in n..m` and its step.
    fn range(&mut self) -> Parsed<Range> {
        let var = self.binding()?;
        self.expect_word("in")?;
        let first = self.numeric()?;
        self.expect("..")?;
        let end = self.numeric()?;
        let step = if self.eat_word("by") {
            let make: fn(N) -> Step = if self.eat("+") {
                Step::Up
            } else if self.eat("-") {
                Step::Down
            } else if self.eat("*") {
                Step::Times
            } else if self.eat("/") {
                Step::Over
            } else {
                return self.unexpected("`+`, `-`, `*` or `/`");
            };
            make(self.numeric()?)
        } else {
            Step::Up(N::num(1))
        };
        Ok(Range { var, first, end, step })
    }

    fn under_range(&mut self) -> Parsed<(Range, Item)> {
        let range = self.range()?;
        let hidden = self.scope.insert(range.var.name.clone(), range.var.clone());
        let body = self.block();
        match hidden {
            Some(outer) => self.scope.insert(range.var.name.clone(), outer),
            None => self.scope.remove(&range.var.name),
        };
        Ok((range, body?))
    }

    fn closure(&mut self) -> Parsed<Closure> {
        self.expect_word("phase")?;
        let start = if matches!(self.peek(), Token::Mark("@", None)) { Some(self.site()?) } else { None };
        let approximate = self.eat_word("approximate");
        self.expect("{")?;
        let mut context = Vec::new();
        let mut bound: Vec<Name> = Vec::new();
        loop {
            if self.eat_word("var") {
                let range = self.range()?;
                self.scope.insert(range.var.name.clone(), range.var.clone());
                bound.push(range.var.name.clone());
                context.push(Context::Bind(range));
            } else if self.eat_word("assume") {
                context.push(Context::Assume(self.boolean()?));
            } else {
                break;
            }
            self.expect(";")?;
        }
        self.expect_word("code")?;
        let at = self.here();
        let item = self.block()?;
        let code = self.protocol(item)?;
        self.expect("}")?;
        for name in bound {
            self.scope.remove(&name);
        }
        match Unsync::from_protocol(&code) {
            Some(code) => Ok(Closure { start, context, code, approximate }),
            None => self.fail(at, "the code of a phase has no barrier"),
        }
    }

    /// Statements as a protocol, in the form in which it is printed: flat sequences, no needless `skip`.
    fn protocol(&mut self, item: Item) -> Parsed<Protocol> {
        Ok(match item {
            Item::Skip => Protocol::Skip,
            Item::Access(None, access) => Protocol::Access(access),
            Item::Access(Some(_), access) => {
                return self
                    .fail(self.here(), format!("the access {} belongs to a thread, as in a trace", access.site));
            }
            Item::Sync(barrier) => Protocol::Sync(barrier),
            Item::Seq(items) => {
                let parts: Parsed<Vec<Protocol>> = items.into_iter().map(|item| self.protocol(item)).collect();
                Protocol::seq(parts?)
            }
            Item::If(b, t, e) => Protocol::If(b, Box::new(self.protocol(*t)?), Box::new(self.protocol(*e)?)),
            Item::For(range, body) => Protocol::For(range, Box::new(self.protocol(*body)?)),
            Item::Var(range, _) => {
                return self.fail(self.here(), format!("`var {}` stands in traces only", range.var.name));
            }
        })
    }

    fn trace(&mut self, item: Item, at: usize) -> Parsed<Trace> {
        Ok(match item {
            Item::Skip => Trace::Skip,
            Item::Access(Some(task), access) => Trace::Access(task, access),
            Item::Seq(mut items) if items.len() == 1 => match items.pop() {
                Some(item) => self.trace(item, at)?,
                None => Trace::Skip,
            },
            Item::Seq(items) if items.is_empty() => Trace::Skip,
            Item::Seq(items) => {
                let parts: Parsed<Vec<Trace>> = items.into_iter().map(|item| self.trace(item, at)).collect();
                Trace::Seq(parts?)
            }
            Item::If(b, t, e) => Trace::If(b, Box::new(self.trace(*t, at)?), Box::new(self.trace(*e, at)?)),
            Item::Var(range, body) => Trace::Var(range, Box::new(self.trace(*body, at)?)),
            Item::Access(None, _) | Item::Sync(_) | Item::For(..) => {
                return self
                    .fail(at, "a trace has conditionals, `var`, and accesses of thread 1 or 2, and nothing else");
            }
        })
    }
}
