//! Kernels as texts: random CUDA, so that the front end is tested as well.
//!
//! Most indices are different for different threads, and most stores go through such an index, so that a good part of the
//! kernels does not race; what is put around them is whatever may make an analysis lose track of the index, of the guard
//! or of the access.

use std::fmt::Write;

use super::choices::Choices;

mod rounds;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Any number.
    Plain,
    /// Probably another number for every thread.
    Own,
}

#[derive(Clone)]
struct Local {
    name: String,
    kind: Kind,
    /// May it be assigned? Loop variables may not, as a rule.
    free: bool,
}

#[derive(Clone)]
struct Pointer {
    name: String,
    kind: Kind,
}

/// Where code stands.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    barriers: bool,
    in_loop: bool,
    in_function: bool,
}

struct Maker<'c> {
    choices: &'c mut Choices,
    text: String,
    indent: usize,
    names: usize,
    locals: Vec<Local>,
    pointers: Vec<Pointer>,
    structs: Vec<String>,
    /// Functions that can be called: name and which parameters there are, `v`alue, `r`eference, `p`ointer.
    functions: Vec<(String, &'static str)>,
    shared: bool,
    returns: bool,
    /// Arrays that this kernel stores to.
    targets: Vec<&'static str>,
}

/// The last one says nothing: any launch.
const HEADERS: [&str; 5] = [
    "--blockDim=8 --gridDim=1",
    "--blockDim=8 --gridDim=2",
    "--blockDim=[4,2] --gridDim=1",
    "--blockDim=4 --gridDim=[2,1]",
    "",
];
const TYPES: [&str; 8] =
    ["int", "int", "unsigned", "short", "unsigned char", "long long", "signed char", "unsigned short"];
const NUMBERS: [&str; 10] = ["0", "1", "2", "3", "4", "7", "8", "-1", "15", "16u"];
const SIGNATURES: [&str; 6] = ["v", "vv", "vr", "vp", "pvv", "rp"];

/// The kernel that the choices make.
pub fn text(choices: &mut Choices) -> String {
    let header = choices.one_of(&HEADERS).copied().unwrap_or(HEADERS[0]);
    let mut maker = Maker {
        choices,
        text: format!("//pass\n//{header}\n"),
        indent: 0,
        names: 0,
        locals: Vec::new(),
        pointers: Vec::new(),
        structs: Vec::new(),
        functions: Vec::new(),
        shared: false,
        returns: false,
        targets: Vec::new(),
    };
    maker.unit(header);
    maker.text
}

impl Maker<'_> {
    fn pick(&mut self, arity: usize) -> usize {
        self.choices.pick(arity)
    }

    fn of(&mut self, items: &[&'static str]) -> &'static str {
        self.choices.one_of(items).copied().unwrap_or("0")
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn line(&mut self, line: impl AsRef<str>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{:width$}{}", "", line.as_ref(), width = 2 * self.indent);
    }

    fn block(&mut self, head: impl AsRef<str>, place: Place, count: usize) {
        self.line(format!("{} {{", head.as_ref()));
        self.inside(place, count);
        self.line("}");
    }

    /// Statements in a scope of their own.
    fn inside(&mut self, place: Place, count: usize) {
        let scope = self.scope();
        self.indent += 1;
        for _ in 0..count {
            self.statement(place);
        }
        self.indent -= 1;
        self.leave(scope);
    }

    /// How many names there are of each sort, for [`Self::leave`].
    fn scope(&self) -> [usize; 3] {
        [self.locals.len(), self.pointers.len(), self.structs.len()]
    }

    /// Forgets the names that were declared since.
    fn leave(&mut self, [locals, pointers, structs]: [usize; 3]) {
        self.locals.truncate(locals);
        self.pointers.truncate(pointers);
        self.structs.truncate(structs);
    }

    fn unit(&mut self, header: &str) {
        self.line("struct P { int x; short y; unsigned char z; int w[2]; };");
        self.line("__device__ int counter;");
        for _ in 0..self.pick(3) {
            self.function();
        }
        self.line("__global__ void k(int *a, int *b, const int *in, unsigned char *c, P *s, int n, unsigned m) {");
        self.indent += 1;
        let two = header.contains("[4,2]");
        self.line(if two { "int tid = threadIdx.x + 4 * threadIdx.y;" } else { "int tid = threadIdx.x;" });
        self.line("int gid = blockIdx.x * blockDim.x + tid;");
        self.indent -= 1;
        self.locals.push(Local { name: "gid".to_owned(), kind: Kind::Own, free: false });
        let one_block = header.ends_with("gridDim=1");
        if one_block {
            self.locals.push(Local { name: "tid".to_owned(), kind: Kind::Own, free: false });
        }
        if self.pick(2) == 1 {
            self.shared = true;
            self.line("  __shared__ int t[64]; __shared__ int u[8][4]; __shared__ P q[16];");
        }
        let all: &[&'static str] = &["a", "b", "c", "s", "t", "u", "q"];
        let count = if self.shared { 7 } else { 4 };
        for _ in 0..1 + self.pick(2) {
            let target = all[self.pick(count)];
            self.targets.push(target);
        }
        let place = Place { depth: 3, barriers: true, in_loop: false, in_function: false };
        // In some of them there is little beside one of these.
        self.indent += 1;
        let count = match self.pick(12) {
            0..=2 => {
                self.rounds(place);
                0
            }
            3 => {
                self.ticket(place);
                1
            }
            4 => {
                self.settled(place);
                1
            }
            _ => 3 + self.pick(7),
        };
        self.indent -= 1;
        self.inside(place, count);
        self.line("}");
    }

    fn function(&mut self) {
        let name = self.name("f");
        let signature = self.of(&SIGNATURES);
        let mut params = Vec::new();
        let saved =
            (std::mem::take(&mut self.locals), std::mem::take(&mut self.pointers), std::mem::take(&mut self.structs));
        for kind in signature.chars() {
            let param = self.name("p");
            match kind {
                'v' => {
                    let ty = self.of(&TYPES);
                    params.push(format!("{ty} {param}"));
                    self.locals.push(Local { name: param, kind: Kind::Own, free: true });
                }
                'r' => {
                    params.push(format!("int &{param}"));
                    self.locals.push(Local { name: param, kind: Kind::Own, free: true });
                }
                _ => {
                    params.push(format!("int *{param}"));
                    self.pointers.push(Pointer { name: param, kind: Kind::Own });
                }
            }
        }
        self.line(format!("__device__ int {name}({}) {{", params.join(", ")));
        let place = Place { depth: 2, barriers: false, in_loop: false, in_function: true };
        let count = 1 + self.pick(3);
        self.indent += 1;
        for _ in 0..count {
            self.statement(place);
        }
        let result = self.expr(1);
        self.line(format!("return {result};"));
        self.indent -= 1;
        self.line("}");
        (self.locals, self.pointers, self.structs) = saved;
        self.functions.push((name, signature));
    }

    // ---- expressions ----

    fn var(&mut self, kind: Option<Kind>) -> Option<String> {
        let names: Vec<String> =
            self.locals.iter().filter(|l| kind.is_none_or(|k| l.kind == k)).map(|l| l.name.clone()).collect();
        self.choices.one_of(&names).cloned()
    }

    fn own(&mut self) -> String {
        self.var(Some(Kind::Own)).unwrap_or_else(|| "0".to_owned())
    }

    fn atom(&mut self) -> String {
        match self.pick(8) {
            0 | 1 => self.of(&NUMBERS).to_owned(),
            2..=4 => self.var(None).unwrap_or_else(|| "1".to_owned()),
            5 => self.var(Some(Kind::Plain)).unwrap_or_else(|| "2".to_owned()),
            6 if self.locals.iter().any(|l| l.name == "gid") => {
                let index = self.var(None).unwrap_or_else(|| "0".to_owned());
                format!("in[{index} & 15]")
            }
            _ if self.locals.iter().any(|l| l.name == "gid") => self.of(&["n", "m", "blockIdx.x", "tid"]).to_owned(),
            _ => self.of(&NUMBERS).to_owned(),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.choices.exhausted() {
            return self.atom();
        }
        match self.pick(12) {
            0..=2 => self.atom(),
            3..=5 => {
                let op = self.of(&["+", "-", "*", "&", "|", "^"]);
                let (l, r) = (self.expr(depth - 1), self.expr(depth - 1));
                format!("({l} {op} {r})")
            }
            6 => {
                let (op, by) = (self.of(&["/", "%", "<<", ">>"]), self.of(&["1", "2", "3", "4", "7", "8"]));
                let l = self.expr(depth - 1);
                format!("({l} {op} {by})")
            }
            7 => {
                let ty = self.of(&TYPES);
                let inner = self.expr(depth - 1);
                format!("({ty})({inner})")
            }
            8 => {
                let (c, t, e) = (self.cond(depth - 1), self.expr(depth - 1), self.expr(depth - 1));
                format!("({c} ? {t} : {e})")
            }
            9 => {
                let op = self.of(&["-", "~", "!"]);
                let inner = self.expr(depth - 1);
                format!("({op}{inner})")
            }
            10 => {
                let function = self.of(&["min", "max"]);
                let (l, r) = (self.expr(depth - 1), self.expr(depth - 1));
                format!("{function}((int)({l}), (int)({r}))")
            }
            _ => self.cond(depth - 1),
        }
    }

    fn cond(&mut self, depth: u32) -> String {
        match self.pick(8) {
            0 => {
                let (own, k) = (self.own(), self.of(&["0", "1", "3", "5"]));
                format!("{own} == {k}")
            }
            1 => {
                let (own, k) = (self.own(), self.of(&["1", "4", "8", "n"]));
                let k = if k == "n" && !self.locals.iter().any(|l| l.name == "gid") { "6" } else { k };
                format!("{own} < {k}")
            }
            2 => {
                let own = self.own();
                format!("({own} & 1)")
            }
            3 if depth > 0 => {
                let op = self.of(&["&&", "||"]);
                let (l, r) = (self.cond(depth - 1), self.cond(depth - 1));
                format!("({l} {op} {r})")
            }
            _ => {
                let op = self.of(&["<", "<=", ">", ">=", "==", "!="]);
                let (l, r) = (self.expr(depth.min(1)), self.expr(depth.min(1)));
                format!("{l} {op} {r}")
            }
        }
    }

    /// An index that is probably the thread's own.
    fn index(&mut self) -> String {
        let own = self.own();
        match self.pick(14) {
            0..=5 => own,
            6 => {
                let k = self.of(&["1", "2", "3"]);
                format!("{own} * {k}")
            }
            7 => {
                let k = self.of(&["8", "16", "32"]);
                let times = self.var(Some(Kind::Plain)).unwrap_or_else(|| "1".to_owned());
                format!("{own} + {k} * ({times})")
            }
            8 => format!("{own} * 2 + {}", self.of(&["0", "1"])),
            9 => {
                // An increment within the subscript.
                let free: Vec<String> = self.locals.iter().filter(|l| l.free).map(|l| l.name.clone()).collect();
                match self.choices.one_of(&free).cloned() {
                    Some(name) => match self.pick(3) {
                        0 => format!("{name}++"),
                        1 => format!("--{name}"),
                        _ => format!("{name} += 8"),
                    },
                    None => own,
                }
            }
            10 => format!("{own} ^ 1"),
            11 => {
                let inner = self.expr(1);
                format!("({inner}) & 7")
            }
            12 => self.var(None).unwrap_or(own),
            _ => {
                let (c, e) = (self.cond(1), self.own());
                format!("({c} ? {own} : {e})")
            }
        }
    }

    /// A place in memory that a statement stores to.
    fn target(&mut self, place: Place) -> String {
        if place.in_function || (!self.pointers.is_empty() && self.pick(3) == 0) {
            let pointers = self.pointers.clone();
            if let Some(pointer) = self.choices.one_of(&pointers).cloned() {
                return match (pointer.kind, self.pick(4)) {
                    (Kind::Own, 0 | 1) => format!("*{}", pointer.name),
                    (Kind::Own, 2) => format!("{}[{}]", pointer.name, self.of(&["0", "8", "16", "1"])),
                    (Kind::Own, _) => format!("(*{}++)", pointer.name),
                    (Kind::Plain, _) => format!("{}[{}]", pointer.name, self.index()),
                };
            }
            if place.in_function {
                return self.scalar();
            }
        }
        let index = self.index();
        let targets = self.targets.clone();
        match self.choices.one_of(&targets).copied().unwrap_or("a") {
            "s" => format!("s[{index}].{}", self.of(&["x", "y", "z", "w[0]", "w[1]"])),
            "q" => format!("q[{index}].{}", self.of(&["x", "y", "z", "w[1]"])),
            "u" => format!("u[{index}][{}]", self.of(&["0", "1", "tid & 3", "3"])),
            array => format!("{array}[{index}]"),
        }
    }

    fn scalar(&mut self) -> String {
        let free: Vec<String> = self.locals.iter().filter(|l| l.free).map(|l| l.name.clone()).collect();
        match self.choices.one_of(&free).cloned() {
            Some(name) => name,
            None => {
                let name = self.name("x");
                self.line(format!("int {name} = 0;"));
                self.locals.push(Local { name: name.clone(), kind: Kind::Plain, free: true });
                name
            }
        }
    }

    // ---- statements ----

    fn statement(&mut self, place: Place) {
        if self.choices.exhausted() {
            return;
        }
        let nested = place.depth > 0;
        match self.pick(32) {
            0..=4 => {
                let value = self.expr(2);
                let target = self.target(place);
                let op = self.of(&["=", "=", "=", "+=", "-=", "^="]);
                self.line(format!("{target} {op} {value};"));
            }
            5 => {
                let target = self.target(place);
                let op = self.of(&["++", "--"]);
                self.line(format!("{target}{op};"));
            }
            6 | 7 => self.declare(),
            8 => {
                let name = self.scalar();
                let op = self.of(&["=", "+=", "-=", "*=", "^=", "&=", "|="]);
                let value = self.expr(2);
                self.line(format!("{name} {op} {value};"));
            }
            9 => self.move_own(),
            10 => self.pointer(place),
            11 | 12 if nested => self.conditional(place),
            13..=16 if nested => self.repeat(place),
            17 if nested => self.switch(place),
            18 => self.call(place),
            19 if !place.in_function => {
                let (cell, by) = (self.of(&["counter", "b[0]", "b[n & 3]", "a[gid & 1]"]), self.of(&["1", "n", "2"]));
                let op = self.of(&["Add", "Max", "Exch", "Xor"]);
                if self.pick(2) == 0 {
                    self.line(format!("atomic{op}(&{cell}, {by});"));
                } else {
                    let name = self.name("r");
                    self.line(format!("int {name} = atomic{op}(&{cell}, {by});"));
                    self.locals.push(Local { name, kind: Kind::Own, free: true });
                }
            }
            20 | 21 if place.barriers => self.line("__syncthreads();"),
            20 if !place.in_function && self.choices.rarely(6) => self.line("__syncthreads();"),
            22 if place.in_loop => {
                let cond = self.cond(1);
                let how = self.of(&["break", "continue"]);
                self.line(format!("if ({cond}) {how};"));
            }
            22 | 23 if !place.in_function && self.choices.rarely(3) => {
                let cond = self.cond(1);
                self.returns = true;
                self.line(format!("if ({cond}) return;"));
            }
            23 if place.in_function => {
                let (cond, value) = (self.cond(1), self.expr(1));
                self.line(format!("if ({cond}) return {value};"));
            }
            24 if self.pick(3) == 2 => self.view(),
            24 => self.structure(place),
            25 => self.table(),
            26 if !place.in_function => self.list(),
            27 if !place.in_function => self.fading(place),
            28 | 29 if nested => self.rounds(place),
            30 if !place.in_function => self.ticket(place),
            31 if !place.in_function => self.settled(place),
            _ => {
                let value = self.expr(1);
                let target = self.target(place);
                self.line(format!("{target} = {value};"));
            }
        }
    }

    fn declare(&mut self) {
        let name = self.name("x");
        let ty = self.of(&TYPES);
        if self.pick(2) == 0 {
            let value = self.expr(2);
            self.line(format!("{ty} {name} = {value};"));
            self.locals.push(Local { name, kind: Kind::Plain, free: true });
        } else {
            let own = self.own();
            let value = match self.pick(5) {
                0 | 1 => own,
                2 => format!("7 - {own}"),
                3 => format!("{own} + 8"),
                _ => format!("{own} * 2"),
            };
            self.line(format!("{ty} {name} = {value};"));
            self.locals.push(Local { name, kind: Kind::Own, free: true });
        }
    }

    /// A list of the thread's own, which is as long as what it holds: how long depends on the data. [LOOP-INVARIANT]
    fn list(&mut self) {
        let (c, i, own) = (self.name("x"), self.name("i"), self.own());
        let (ty, start) =
            (self.of(&["int", "int", "unsigned", "short", "signed char"]), self.of(&["0", "0", "0", "1"]));
        let (row, most) = (self.of(&["2", "3", "4"]), self.of(&["1", "2", "3", "4"]));
        self.line(format!("{ty} {c} = {start};"));
        let head = match self.pick(4) {
            0 => format!("for (int {i} = 0; {i} < 6; {i}++)"),
            1 => format!("for (int {i} = 0; {i} < 6 && {c} < {most}; {i}++)"),
            2 => format!("for (int {i} = 0; {i} < 9 && in[({i} + tid) & 15] > {i}; {i}++)"),
            _ => "do".to_owned(),
        };
        let is_do = head == "do";
        if is_do {
            self.line(format!("int {i} = 0;"));
        }
        let cond = if self.pick(2) == 0 { self.cond(1) } else { format!("in[({i} * 3 + tid) & 15] > {i}") };
        let value = self.expr(1);
        let guard = if self.pick(3) == 0 { String::new() } else { format!("if ({c} < {most}) ") };
        let step = match self.pick(9) {
            0..=3 => format!("{c}++;"),
            4 => format!("{c}--;"),
            5 => format!("{c} += 2;"),
            6 => format!("{c} = {most} - {c};"),
            7 => format!("{c} = 2 * {c} + 1;"),
            _ => format!("if ({c} < {most}) {c}++;"),
        };
        let other = match self.pick(5) {
            0 => format!(" else if ({c} > 0) {c}--;"),
            1 => format!(" else {c}--;"),
            _ => String::new(),
        };
        self.line(format!("{head} {{"));
        self.line(format!("  if ({cond}) {{ {guard}a[{own} * {row} + {c}] = {value}; {step} }}{other}"));
        match self.pick(4) {
            0 | 1 => self.line(format!("  if ({c} >= {most}) break;")),
            2 => self.line(format!("  if ({c} > {most}) break;")),
            _ => {}
        }
        match is_do {
            true => self.line(format!("}} while (++{i} < 5);")),
            false => self.line("}"),
        }
        if self.pick(2) == 0 {
            self.line(format!("a[{own} * {row} + {c}] = {own};"));
        }
        self.locals.push(Local { name: c, kind: Kind::Plain, free: false });
    }

    /// Values that change only while a condition of their own holds. [LOOP-HELD]
    fn fading(&mut self, place: Place) {
        let (w, p, i, own) = (self.name("x"), self.name("x"), self.name("i"), self.own());
        let (ty, start) = (self.of(&["int", "unsigned"]), self.of(&["8", "6", "4"]));
        let first = if self.pick(2) == 0 { own.clone() } else { format!("{own} * 2") };
        self.line(format!("{ty} {w} = {start};"));
        self.line(format!("int {p} = {first};"));
        let op = self.of(&["<", "<", "<=", "!="]);
        let cond = if self.pick(2) == 0 { format!("{own} {op} {w}") } else { format!("{w} > {own}") };
        let less = self.of(&[">>= 1", ">>= 1", "-= 2", "-= 1", "/= 2", "+= 1"]);
        let further = self.of(&["+= 8", "+= 16", "<<= 1", "*= 2", "-= 8"]);
        let value = self.expr(1);
        let most = self.of(&["3", "n", "5"]);
        self.line(format!("for (int {i} = 0; {i} < {most}; {i}++) {{"));
        self.line(format!("  if ({cond}) {{ a[{p}] = {value}; {w} {less}; {p} {further}; }}"));
        if place.barriers && self.pick(2) == 0 {
            self.line("  __syncthreads();");
        }
        if self.pick(4) == 0 {
            self.line(format!("  if ({i} == 1) b[{p}] = {own};"));
        }
        self.line("}");
        if self.pick(2) == 0 {
            self.line(format!("b[{own} * 2 + ({w} > 1)] = {own};"));
        }
        self.locals.push(Local { name: p, kind: Kind::Plain, free: false });
    }

    /// Changes a variable that is the thread's own, mostly so that it stays that.
    fn move_own(&mut self) {
        let own: Vec<String> =
            self.locals.iter().filter(|l| l.free && l.kind == Kind::Own).map(|l| l.name.clone()).collect();
        let Some(name) = self.choices.one_of(&own).cloned() else { return self.declare() };
        let line = match self.pick(9) {
            0 | 1 => format!("{name} += 8;"),
            2 => format!("{name} -= 8;"),
            3 => format!("{name} = 15 - {name};"),
            4 => format!("{name} ^= 1;"),
            5 => format!("{name} = ({name} + 1) % 8;"),
            6 => {
                let (cond, value) = (self.cond(1), self.expr(1));
                format!("if ({cond}) {name} = {value};")
            }
            7 => {
                let cond = self.cond(1);
                format!("if ({cond}) {name} += 8;")
            }
            _ => format!("{name} >>= 1;"),
        };
        self.line(line);
    }

    fn pointer(&mut self, place: Place) {
        if place.in_function {
            let pointers = self.pointers.clone();
            if let Some(pointer) = self.choices.one_of(&pointers).cloned() {
                let by = self.of(&["8", "16", "1"]);
                self.line(format!("{} += {by};", pointer.name));
            }
            return;
        }
        let pointers = self.pointers.clone();
        if !pointers.is_empty() && self.pick(2) == 0 {
            if let Some(pointer) = self.choices.one_of(&pointers).cloned() {
                let name = pointer.name;
                match self.pick(4) {
                    0 => self.line(format!("{name} += 8;")),
                    1 => self.line(format!("{name}++;")),
                    2 => {
                        let cond = self.cond(1);
                        self.line(format!("if ({cond}) {name} += 16;"));
                    }
                    _ => {
                        let (cond, index) = (self.cond(1), self.index());
                        self.line(format!("{name} = {cond} ? {name} : b + ({index});"));
                    }
                }
            }
            return;
        }
        let name = self.name("p");
        let base = if self.shared { self.of(&["a", "b", "t", "u[1]"]) } else { self.of(&["a", "b"]) };
        let kind = if self.pick(3) == 0 { Kind::Plain } else { Kind::Own };
        match kind {
            Kind::Plain => {
                let ty = if base != "u[1]" && self.pick(4) == 0 { "short" } else { "int" };
                if ty == "short" {
                    self.line(format!("short *{name} = (short *){base};"));
                    // Not for functions, which take pointers to int.
                    let target = format!("{name}[{}] = {};", self.index(), self.expr(1));
                    self.line(target);
                    return;
                }
                self.line(format!("int *{name} = {base};"));
            }
            Kind::Own => {
                let index = self.index();
                if self.pick(2) == 0 {
                    self.line(format!("int *{name} = {base} + ({index});"));
                } else {
                    self.line(format!("int *{name} = &{base}[{index}];"));
                }
            }
        }
        self.pointers.push(Pointer { name, kind });
    }

    fn conditional(&mut self, place: Place) {
        let cond = self.cond(2);
        let uniform = self.pick(4) == 0 && !place.in_function;
        let cond = if uniform { format!("n {} {}", self.of(&["<", ">", "=="]), self.of(&NUMBERS)) } else { cond };
        let inner = Place { depth: place.depth - 1, barriers: place.barriers && uniform, ..place };
        let count = 1 + self.pick(2);
        self.block(format!("if ({cond})"), inner, count);
        match self.pick(3) {
            0 => {}
            1 => self.block("else", inner, 1),
            _ => {
                let other = self.cond(1);
                let inner = Place { barriers: false, ..inner };
                self.block(format!("else if ({other})"), inner, 1);
            }
        }
    }

    fn repeat(&mut self, place: Place) {
        let (ty, i) = (self.of(&["int", "int", "unsigned", "short", "unsigned char", "long long"]), self.name("i"));
        let signed = !ty.starts_with("unsigned");
        let global = !place.in_function;
        let bound = match self.pick(4) {
            0 if global => "n".to_owned(),
            1 if global => "(n & 7)".to_owned(),
            2 => self.own(),
            _ => self.of(&["3", "4", "5", "8", "20"]).to_owned(),
        };
        let step = self.of(&["1", "2", "3", "4", "8"]);
        let mut kind = Kind::Plain;
        let mut extra = None;
        let (mut before, mut after) = (None, None);
        let mut uniform = !self.locals.iter().any(|l| l.kind == Kind::Own && l.name == bound);
        let mut label = None;
        let head = match self.pick(18) {
            0 => format!("for ({ty} {i} = 0; {i} < {bound}; {i}++)"),
            1 => format!("for ({ty} {i} = 0; {i} <= {bound}; {i} += {step})"),
            2 => format!("for ({ty} {i} = 0; {i} < {bound}; ++{i})"),
            3 if signed || ty == "unsigned char" => format!("for ({ty} {i} = {bound}; {i} > 0; {i} -= {step})"),
            4 if signed => format!("for ({ty} {i} = {bound}; {i} >= 0; {i} -= {step})"),
            5 => format!("for ({ty} {i} = 1; {i} < {bound}; {i} *= 2)"),
            6 => format!("for ({ty} {i} = 16; {i} > 0; {i} {} 1)", self.of(&[">>=", ">>=", "-="])),
            7 => format!("for ({ty} {i} = 16; {i} > 1; {i} /= 2)"),
            8 => {
                (kind, uniform) = (Kind::Own, false);
                let own = self.own();
                format!(
                    "for ({ty} {i} = {own}; {i} < {}; {i} += {})",
                    self.of(&["20", "32", "40"]),
                    self.of(&["8", "16", "4"])
                )
            }
            9 => {
                let j = self.name("j");
                extra = Some(j.clone());
                format!("for (int {i} = 0, {j} = 7; {i} < {j}; {i}++, {j}--)")
            }
            10 => {
                let j = self.name("j");
                before = Some(format!("int {j} = {};", self.expr(1)));
                extra = Some(j.clone());
                format!("for ({ty} {i} = 0; {i} < {bound}; {i}++, {j} += {step})")
            }
            11 => {
                before = Some(format!("{ty} {i} = {bound};"));
                format!("while ({i}-- > 0)")
            }
            12 => {
                before = Some(format!("{ty} {i} = 0;"));
                after = Some(format!("{i} += {step};"));
                format!("while ({i} < {bound})")
            }
            13 => {
                before = Some(format!("{ty} {i} = 0;"));
                after = Some(format!("}} while (++{i} < {bound});"));
                "do".to_owned()
            }
            14 => {
                before = Some(format!("{ty} {i} = 0;"));
                format!("for (;; {i} += {step})")
            }
            // Loops by jumps back. [LOOP-GOTO]
            15 => {
                let back = self.name("L");
                before = Some(format!("{ty} {i} = 0;"));
                after = Some(format!("{i} += {step}; goto {back};"));
                format!("{}: if ({i} < {bound})", label.insert(back))
            }
            16 => {
                let back = self.name("L");
                before = Some(format!("{ty} {i} = 0;"));
                after = Some(format!("}} if (++{i} < {bound}) goto {back};"));
                format!("{}:", label.insert(back))
            }
            _ => format!("for ({ty} {i} = 0; {i} != {}; {i}++)", self.of(&["1", "4", "7"])),
        };
        let endless = head.starts_with("for (;;");
        if let Some(before) = before {
            self.line(before);
        }
        let scope = self.scope();
        self.locals.push(Local { name: i.clone(), kind, free: false });
        if let Some(j) = extra {
            self.locals.push(Local { name: j, kind: Kind::Plain, free: true });
        }
        let inner = Place {
            depth: place.depth - 1,
            barriers: place.barriers && uniform,
            in_loop: place.in_loop || label.is_none(),
            in_function: place.in_function,
        };
        self.line(format!("{head} {{"));
        if endless {
            self.indent += 1;
            let cond = if self.pick(2) == 0 { format!("{i} >= {bound}") } else { format!("{i} > 8") };
            self.line(format!("if ({cond}) break;"));
            self.indent -= 1;
        }
        let count = 1 + self.pick(3);
        self.inside(inner, count);
        if let Some(label) = label.filter(|_| self.pick(3) == 0) {
            let cond = self.cond(1);
            self.line(format!("  if ({cond}) {{ {i} += 2; goto {label}; }}"));
            self.inside(inner, 1);
        }
        match after {
            Some(end) if end.starts_with('}') => self.line(end),
            Some(step) => {
                self.line(format!("  {step}"));
                self.line("}");
            }
            None => self.line("}"),
        }
        self.leave(scope);
    }

    fn switch(&mut self, place: Place) {
        let value = self.expr(1);
        self.line(format!("switch (({value}) & 3) {{"));
        let inner = Place { depth: place.depth - 1, barriers: false, ..place };
        let default = self.pick(4);
        for i in 0..3 {
            if i == default {
                self.line("default:");
            } else {
                self.line(format!("case {i}:"));
            }
            self.block("", inner, 1);
            if self.pick(3) != 0 {
                self.line("break;");
            }
        }
        self.line("}");
    }

    fn call(&mut self, place: Place) {
        let functions = self.functions.clone();
        let Some((function, signature)) = self.choices.one_of(&functions).cloned() else { return self.declare() };
        let mut args = Vec::new();
        for kind in signature.chars() {
            args.push(match kind {
                'v' => {
                    if self.pick(2) == 0 {
                        self.own()
                    } else {
                        self.expr(1)
                    }
                }
                'r' => {
                    let ints: Vec<String> =
                        self.locals.iter().filter(|l| l.name.starts_with('r')).map(|l| l.name.clone()).collect();
                    match self.choices.one_of(&ints).cloned() {
                        Some(name) => name,
                        None => {
                            let (name, own) = (self.name("r"), self.own());
                            self.line(format!("int {name} = {own};"));
                            self.locals.push(Local { name: name.clone(), kind: Kind::Own, free: true });
                            name
                        }
                    }
                }
                _ => {
                    let pointers = self.pointers.clone();
                    match self.choices.one_of(&pointers).cloned() {
                        Some(pointer) if place.in_function || self.pick(2) == 0 => pointer.name,
                        _ if place.in_function => "&counter".to_owned(),
                        _ => {
                            let index = self.index();
                            let base = if self.shared { self.of(&["a", "b", "t"]) } else { self.of(&["a", "b"]) };
                            format!("&{base}[{index}]")
                        }
                    }
                }
            });
        }
        let call = format!("{function}({})", args.join(", "));
        if self.pick(2) == 0 {
            self.line(format!("{call};"));
        } else {
            let name = self.name("x");
            self.line(format!("int {name} = {call};"));
            self.locals.push(Local { name, kind: Kind::Own, free: true });
        }
    }

    fn structure(&mut self, place: Place) {
        if place.in_function {
            return self.declare();
        }
        let structs = self.structs.clone();
        match self.choices.one_of(&structs).cloned() {
            Some(name) if self.pick(3) != 0 => match self.pick(3) {
                0 => {
                    let value = self.expr(1);
                    let field = self.of(&["x", "y", "z", "w[0]", "w[tid & 1]"]);
                    self.line(format!("{name}.{field} = {value};"));
                }
                1 => {
                    let index = self.index();
                    self.line(format!("s[{index}] = {name};"));
                }
                _ => {
                    let x = self.name("x");
                    let field = self.of(&["x", "y", "z", "w[1]"]);
                    self.line(format!("int {x} = {name}.{field};"));
                    self.locals.push(Local { name: x, kind: Kind::Own, free: true });
                }
            },
            _ => {
                let (name, own) = (self.name("v"), self.own());
                if self.pick(3) == 0 {
                    self.line(format!("P {name} = s[{own}];"));
                } else {
                    self.line(format!("P {name} = {{(int){own}, 1, 2, {{3, (int){own}}}}};"));
                }
                self.structs.push(name);
            }
        }
    }

    /// A choice between two variables as a place, or the bytes of a variable as another type.
    fn view(&mut self) {
        let (own, value) = (self.own(), self.expr(1));
        let (x, y) = (self.name("x"), self.name("x"));
        if self.pick(2) == 0 {
            let cond = self.cond(1);
            self.line(format!("int {x} = {own}, {y} = 0;"));
            self.line(format!("({cond} ? {x} : {y}) = {value};"));
        } else {
            let (from, to) = (self.of(&["unsigned char", "int", "short"]), self.of(&["signed char", "unsigned char"]));
            self.line(format!("{from} {x} = {value};"));
            self.line(format!("int {y} = *({to} *)&{x};"));
        }
        for name in [x, y] {
            self.locals.push(Local { name, kind: Kind::Own, free: true });
        }
    }

    /// A small array of the thread.
    fn table(&mut self) {
        let (name, x) = (self.name("l"), self.name("x"));
        let (own, value) = (self.own(), self.expr(1));
        self.line(format!("int {name}[3] = {{(int){own}, (int)({own}) + 8, 1}};"));
        match self.pick(3) {
            0 => self.line(format!("{name}[1] = {value};")),
            1 => self.line(format!("{name}[({value}) & 1] = {own};")),
            _ => {}
        }
        let index = self.of(&["0", "1", "n & 1", "2"]);
        let index = if self.locals.iter().any(|l| l.name == "gid") { index } else { "1" };
        self.line(format!("int {x} = {name}[{index}];"));
        self.locals.push(Local { name: x, kind: Kind::Own, free: true });
    }
}
