//! Loops that hand values on from round to round, and what is stored for others before: tickets and tables in shared
//! memory.
//!
//! What has no closed form is one unknown value for each round; which two of them are the same is where an analysis goes
//! wrong: in another round, after the loop, in a block or a round outside for which the loop begins elsewhere, or when a
//! value is handed on twice. All subscripts are the thread's own ones and a little that comes of such values, so that
//! what is taken to be the same and is not makes a race.

use super::{Kind, Local, Maker, Place};

/// The variables of a loop.
struct Rounds {
    /// Handed on.
    x: String,
    y: String,
    /// Counts.
    i: String,
    own: String,
    /// Where the loop starts.
    start: String,
    /// A pointer that moves.
    pointer: Option<String>,
    /// The variable of a loop around it.
    outer: Option<String>,
    /// Are the accesses those of single threads?
    single: bool,
}

impl Maker<'_> {
    fn is_kernel(&self) -> bool {
        self.locals.iter().any(|l| l.name == "gid")
    }

    /// A loop that hands values on.
    pub(super) fn rounds(&mut self, place: Place) {
        let (x, y, i, own) = (self.name("x"), self.name("x"), self.name("i"), self.own());
        let kernel = self.is_kernel();
        let (single, repeats) = (kernel && self.pick(3) != 0, kernel && place.depth > 1 && self.pick(3) == 0);
        let outer = repeats.then(|| self.name("j"));
        if let Some(j) = &outer {
            let most = self.of(&["2", "3", "n"]);
            self.line(format!("for (int {j} = 0; {j} < {most}; {j}++) {{"));
            self.indent += 1;
        }
        let known = self.var(Some(Kind::Plain)).unwrap_or_else(|| "2".to_owned());
        let start = match self.pick(10) {
            0 | 1 => "0".to_owned(),
            2 => "1".to_owned(),
            3 => "5".to_owned(),
            4 if kernel => "(n & 3)".to_owned(),
            5 | 6 if kernel => "(int)blockIdx.x".to_owned(),
            7 => format!("(int)({known} & 3)"),
            _ if outer.is_some() => outer.clone().unwrap_or_default(),
            8 => format!("(int)({own} & 1)"),
            _ => "2".to_owned(),
        };
        let of_thread = start.contains(&own);
        let given = |maker: &mut Self| match maker.pick(8) {
            0..=2 => "0".to_owned(),
            3 => "3".to_owned(),
            4 if kernel => "n".to_owned(),
            5 if kernel => "(int)blockIdx.x".to_owned(),
            6 => own.clone(),
            _ => "1".to_owned(),
        };
        let (first, second) = (given(self), given(self));
        let ty = self.of(&["int", "int", "unsigned", "short", "unsigned char"]);
        self.line(format!("{ty} {x} = {first}; int {y} = {second};"));
        let moves = kernel && !single && self.pick(5) == 0;
        let pointer = moves.then(|| self.name("w"));
        if let Some(pointer) = &pointer {
            self.line(format!("int *{pointer} = a + {own};"));
        }
        let rounds = Rounds { x, y, i, own, start, pointer, outer, single };
        let (head, foot, outside, first) = self.head_of_rounds(&rounds);
        let Rounds { x, y, i, .. } = &rounds;
        self.line(format!("{head} {{"));
        let scope = self.scope();
        for (name, free) in [(i, false), (x, true), (y, true)] {
            self.locals.push(Local { name: name.clone(), kind: Kind::Plain, free });
        }
        let inner = Place {
            depth: place.depth.saturating_sub(1),
            barriers: place.barriers && !of_thread,
            in_loop: true,
            in_function: place.in_function,
        };
        self.indent += 1;
        if let Some(first) = first {
            self.line(first);
        }
        if single {
            self.single_round(&rounds, inner);
        } else {
            for _ in 0..2 + self.pick(4) {
                self.part_of_round(&rounds, inner);
            }
        }
        self.indent -= 1;
        self.line(foot);
        self.leave(scope);
        if outside {
            self.locals.push(Local { name: i.clone(), kind: Kind::Plain, free: false });
        }
        for name in [x, y] {
            self.locals.push(Local { name: name.clone(), kind: Kind::Plain, free: true });
        }
        if self.pick(4) != 0 {
            self.access_by(&rounds, outside);
        }
        if rounds.outer.is_some() {
            self.indent -= 1;
            self.line("}");
            self.leave(scope);
        }
    }

    /// The head of a loop, what ends it, whether its variable can be used after it, and what its body begins with.
    fn head_of_rounds(&mut self, rounds: &Rounds) -> (String, String, bool, Option<String>) {
        let Rounds { x, i, start, .. } = rounds;
        let kernel = self.is_kernel();
        let ty = self.of(&["int", "int", "int", "unsigned", "short", "long long"]);
        let step = self.of(&["1", "1", "2", "3"]);
        let end = match self.pick(6) {
            0 if kernel => "n".to_owned(),
            1 if kernel => "(n & 7)".to_owned(),
            2 => format!("{start} + 3"),
            3 => format!("{start} + 6"),
            _ => self.of(&["4", "8", "9"]).to_owned(),
        };
        let outside = self.pick(2) == 0;
        let declared = if outside { String::new() } else { format!("{ty} ") };
        let before = |maker: &mut Self, value: &str| maker.line(format!("{ty} {i} = {value};"));
        let close = "}".to_owned();
        match self.pick(10) {
            kind @ 0..=6 => {
                let (value, cond, change) = match kind {
                    0 | 1 => (start.clone(), format!("{i} < {end}"), format!("{i} += {step}")),
                    2 => (end.clone(), format!("(int){i} > {start}"), format!("{i} -= {step}")),
                    3 => (format!("{start} + 1"), format!("{i} < 40"), format!("{i} *= 2")),
                    4 => ("16".to_owned(), format!("{i} > {start}"), format!("{i} >>= 1")),
                    5 => (start.clone(), format!("{i} < {end} && {x} != 3"), format!("{i} += {step}")),
                    _ => (start.clone(), format!("{i} <= {end}"), format!("{i}++")),
                };
                if outside {
                    before(self, "0");
                }
                (format!("for ({declared}{i} = {value}; {cond}; {change})"), close, outside, None)
            }
            7 => {
                before(self, start);
                ("do".to_owned(), format!("}} while (({i} += {step}) < {end});"), true, None)
            }
            8 => {
                before(self, start);
                (format!("for (;; {i} += {step})"), close, true, Some(format!("if ({i} >= {end}) break;")))
            }
            _ => {
                before(self, start);
                let most = self.of(&["4", "7"]);
                (format!("while ({x} < 9)"), close, true, Some(format!("if (++{i} > {most}) break;")))
            }
        }
    }

    /// A round in which one value is handed on, once or twice, and single threads store, in any order.
    fn single_round(&mut self, rounds: &Rounds, place: Place) {
        let Rounds { x, y, i, start, .. } = rounds;
        let value = match self.pick(7) {
            0 => format!("in[{x} & 15]"),
            1 => format!("in[{i} & 15]"),
            2 => format!("in[({x} + {i}) & 15]"),
            3 | 4 => format!("atomicExch(&counter, {i})"),
            5 => format!("({x} + in[{i} & 15]) & 7"),
            _ => self.next_value(rounds),
        };
        let hand = match self.pick(6) {
            0..=3 => format!("{y} = {x};"),
            4 => format!("{y} = {i};"),
            _ => format!("{y} += {x};"),
        };
        // The value and what it hands on; stores before, between and after them.
        let parts =
            if self.pick(4) == 0 { [format!("{x} = {value};"), hand] } else { [hand, format!("{x} = {value};")] };
        let [first, second] = parts;
        for part in [Some(first), Some(second), None] {
            if self.pick(2) == 1 {
                self.single_access(rounds, true);
            }
            if self.choices.rarely(8) {
                let cond = match self.pick(6) {
                    0 => format!("{i} == {}", self.of(&["1", "2", "5", "n"])),
                    1 => format!("{i} == n - 1"),
                    2 => format!("{x} == 3"),
                    3 => format!("{x} == {y}"),
                    4 => format!("{i} > {start} + 1"),
                    _ => format!("{y} == 1"),
                };
                self.line(format!("if ({cond}) {{"));
                if self.pick(2) == 1 {
                    self.single_access(rounds, true);
                }
                self.line("break; }");
            }
            if place.barriers && self.choices.rarely(6) {
                self.line("__syncthreads();");
            }
            if let Some(part) = part {
                self.line(part);
            }
        }
    }

    fn part_of_round(&mut self, rounds: &Rounds, place: Place) {
        let Rounds { x, y, i, start, pointer, .. } = rounds;
        match self.pick(14) {
            0..=2 => {
                let value = self.next_value(rounds);
                self.line(format!("{x} = {value};"));
            }
            3 | 4 => {
                let hand = match self.pick(7) {
                    0..=2 => format!("{y} = {x};"),
                    3 => format!("{y} += {x};"),
                    4 => format!("{{ int h = {x}; {x} = {y}; {y} = h; }}"),
                    5 => format!("{y} = {i};"),
                    _ => format!("{x} = {y};"),
                };
                self.line(hand);
            }
            5..=8 => self.access_by(rounds, true),
            9 => {
                let cond = match self.pick(8) {
                    0 => format!("{i} == {}", self.of(&["1", "2", "5", "6"])),
                    1 => format!("{x} == 3"),
                    2 => format!("{x} & 1"),
                    3 if self.is_kernel() => format!("{i} == n - 1"),
                    4 => format!("{y} == {x}"),
                    5 => format!("{i} == {start}"),
                    6 => format!("{i} > {start}"),
                    _ => self.cond(1),
                };
                let how = self.of(&["break", "break", "continue"]);
                if self.pick(3) == 0 {
                    self.line(format!("if ({cond}) {{"));
                    self.access_by(rounds, true);
                    self.line(format!("{how}; }}"));
                } else {
                    self.line(format!("if ({cond}) {how};"));
                }
            }
            10 | 11 if place.barriers => self.line("__syncthreads();"),
            12 if place.depth > 0 => self.statement(place),
            13 if pointer.is_some() => {
                let by = match self.pick(5) {
                    0 | 1 => "8".to_owned(),
                    2 => i.clone(),
                    3 => format!("({x} & 7)"),
                    _ => "16".to_owned(),
                };
                if let Some(pointer) = pointer {
                    self.line(format!("{pointer} += {by};"));
                }
            }
            _ => {
                let (cond, value) = (self.cond(1), self.next_value(rounds));
                self.line(format!("if ({cond}) {y} = {value};"));
            }
        }
    }

    /// A value that comes of those of the round before.
    fn next_value(&mut self, rounds: &Rounds) -> String {
        let Rounds { x, y, i, .. } = rounds;
        if !self.is_kernel() {
            return match self.pick(4) {
                0 => format!("{x} * 3 + {y}"),
                1 => format!("{x} ^ {i}"),
                2 => format!("atomicAdd(&counter, {x})"),
                _ => format!("{x} + 1"),
            };
        }
        match self.pick(13) {
            0 | 1 => format!("in[{x} & 15]"),
            2 => format!("b[{x} & 7]"),
            3 => format!("in[({x} + {i}) & 15]"),
            4 => format!("in[{i} & 15]"),
            5 => format!("atomicExch(&counter, {x})"),
            6 => format!("{x} * 3 + in[{x} & 15]"),
            7 => format!("s[{x} & 7].x"),
            8 => format!("c[{x} & 7]"),
            9 if self.shared => format!("t[{x} & 15]"),
            10 => format!("in[{y} & 15]"),
            11 => format!("{x} + 1"),
            _ => format!("{y} ^ {x}"),
        }
    }

    /// An access at the thread's own place, moved by a little that comes of the values.
    fn access_by(&mut self, rounds: &Rounds, counts: bool) {
        if rounds.single {
            return self.single_access(rounds, counts);
        }
        let Rounds { x, y, i, own, pointer, .. } = rounds;
        let v = match self.pick(5) {
            0 | 1 => x,
            2 | 3 => y,
            _ if counts => i,
            _ => x,
        };
        let array = match &self.targets.clone()[..] {
            targets if self.is_kernel() && self.pick(2) == 0 => {
                let plain: Vec<&'static str> = targets.iter().copied().filter(|t| "abct".contains(t)).collect();
                self.choices.one_of(&plain).copied().unwrap_or("a")
            }
            _ if self.is_kernel() => "a",
            _ => {
                // A function has pointers that it is given, if any.
                let pointers = self.pointers.clone();
                let Some(pointer) = self.choices.one_of(&pointers).cloned() else { return };
                let cond = format!("{x} & 1");
                self.line(format!("if ({cond}) {}[{v} & 1] = 1;", pointer.name));
                return;
            }
        };
        if let Some(pointer) = pointer.as_ref().filter(|_| self.pick(2) == 0) {
            let text =
                if self.pick(2) == 0 { format!("*{pointer} = {v};") } else { format!("{pointer}[{v} & 1] = 1;") };
            return self.line(text);
        }
        let index = match self.pick(10) {
            0 | 1 => format!("{own} + ({v} & 1)"),
            2 => format!("{own} + 8 * ({v} & 3)"),
            3 => format!("{own} * 2 + ({v} & 1)"),
            4 => format!("({own} + {v}) & 15"),
            5 => format!("{own} + ({x} == {y})"),
            6 => format!("{own} + (({x} ^ {y}) & 1)"),
            7 => format!("{own} + ({x} & 1) - ({y} & 1)"),
            8 => format!("{own} + ({v} > 2)"),
            _ => {
                let cond = if self.pick(2) == 0 { format!("{x} == {y}") } else { format!("({x} ^ {y}) & 1") };
                let value = self.expr(1);
                return self.line(format!("if ({cond}) {array}[{own}] = {value}; else {array}[{own} + 1] = 2;"));
            }
        };
        let line = match self.pick(5) {
            0..=2 => format!("{array}[{index}] = {};", self.expr(1)),
            3 => format!("{array}[{index}] += 1;"),
            _ => format!("{y} = {array}[{index}];"),
        };
        self.line(line);
    }

    /// A store by one thread to a place that a value names, or by all under a condition between values.
    fn single_access(&mut self, rounds: &Rounds, counts: bool) {
        let Rounds { x, y, i, start, outer, .. } = rounds;
        let when = match self.pick(8) {
            0 if counts => format!(" && {i} == {}", self.of(&["1", "2", "5", "7", "n"])),
            1 | 2 if counts => format!(" && {i} > {}", self.of(&["1", "2", "4"])),
            3 if counts => format!(" && {i} == {start}"),
            4 if counts => format!(" && {i} > {start} + {}", self.of(&["1", "2"])),
            5 => format!(" && n > {}", self.of(&["1", "3", "5"])),
            _ => String::new(),
        };
        if self.pick(4) == 0 {
            let cond = match self.pick(4) {
                0 | 1 => format!("{x} != {y}"),
                2 => format!("{x} == {y}"),
                _ => format!("(({x} ^ {y}) & 1)"),
            };
            let at = self.of(&["a[0]", "a[1]", "b[9]"]);
            return self.line(format!("if ({cond}{when}) {at} = gid;"));
        }
        let who = match (self.pick(8), outer) {
            (0 | 1, _) => "gid == 0".to_owned(),
            (2 | 3, _) => "gid == 1".to_owned(),
            (4, Some(j)) | (5, Some(j)) => format!("gid == {j}"),
            (6, _) => "gid == 8".to_owned(),
            (7, _) => "gid == 4".to_owned(),
            _ => "gid == 2".to_owned(),
        };
        let v = if self.pick(4) == 0 { y } else { x };
        let more = match (self.pick(6), outer) {
            (0 | 1, _) => String::new(),
            (2 | 3, _) => " + 1".to_owned(),
            (4, Some(j)) => format!(" + {j}"),
            _ => format!(" + {}", self.of(&["1", "2", "gid"])),
        };
        self.line(format!("if ({who}{when}) a[{v}{more}] = {i};", i = if counts { i.as_str() } else { "3" }));
    }

    /// What an atomic operation of a counter gives, which is another number for every thread until the counter is put
    /// back.
    pub(super) fn ticket(&mut self, place: Place) {
        let cell = if self.shared { self.of(&["t[40]", "counter", "b[0]"]) } else { self.of(&["counter", "b[0]"]) };
        let (r, own) = (self.name("x"), self.own());
        let reset = match self.pick(5) {
            0 => Some(format!("if (tid == 0) {cell} = 0;")),
            1 => Some(format!("if (gid == 0) {cell} = {};", self.of(&["0", "n", "4"]))),
            2 => Some(format!("if (tid == 1) atomicExch(&{cell}, 0);")),
            _ => None,
        };
        let repeats = place.depth > 0 && self.pick(3) == 0;
        let barrier = |maker: &mut Self| {
            if place.barriers && maker.pick(4) != 0 {
                maker.line("__syncthreads();");
            }
        };
        if repeats {
            let (i, most) = (self.name("i"), self.of(&["2", "3", "n"]));
            self.line(format!("for (int {i} = 0; {i} < {most}; {i}++) {{"));
            self.indent += 1;
        }
        let late = self.pick(2) == 0;
        if let Some(reset) = reset.as_ref().filter(|_| !late) {
            self.line(reset);
            barrier(self);
        }
        let value = self.expr(1);
        match self.pick(9) {
            kind @ 0..=5 => {
                let (by, more) = (self.of(&["1", "1", "2", "3"]), self.of(&["0", "1", "2"]));
                let taken = match kind {
                    0..=2 => format!("atomicAdd(&{cell}, {by})"),
                    3 => format!("atomicSub(&{cell}, {by})"),
                    4 => format!("(int)atomicInc((unsigned *)&{cell}, {})", self.of(&["7", "100u", "3"])),
                    _ => format!("(int)atomicDec((unsigned *)&{cell}, 15u)"),
                };
                self.line(format!("int {r} = {taken};"));
                let cond = self.cond(1);
                let guard = if self.pick(3) == 0 { format!("if ({cond}) ") } else { String::new() };
                let index = match self.pick(5) {
                    0..=2 => r.clone(),
                    3 => format!("{r} + {more}"),
                    _ => format!("{r} & 15"),
                };
                self.line(format!("{guard}a[{index}] = {value};"));
            }
            6 => self.line(format!("int {r} = atomicCAS(&{cell}, 0, 1); if ({r} == 0) a[3] = {value};")),
            7 => self.line(format!("int {r} = atomicExch(&{cell}, 1); if ({r} == 0) a[3] = {value};")),
            _ => self.line(format!("int {r} = atomicCAS(&{cell}, {own}, 1); if ({r} == {own}) a[{r}] = {value};")),
        }
        if let Some(reset) = reset.as_ref().filter(|_| late) {
            barrier(self);
            self.line(reset);
        }
        if repeats {
            barrier(self);
            self.indent -= 1;
            self.line("}");
        } else {
            self.locals.push(Local { name: r, kind: Kind::Own, free: true });
        }
    }

    /// What all threads put into shared memory, and what is read of it after a barrier: numbers that are known.
    pub(super) fn settled(&mut self, place: Place) {
        if !self.shared || !place.barriers {
            return self.declare();
        }
        let known = |maker: &mut Self| maker.of(&["tid", "tid", "tid * 2", "7 - tid", "tid ^ 1", "(tid + 1) % 8", "n"]);
        let (first, at) = (known(self), self.of(&["tid", "tid", "tid", "7 - tid", "tid * 2", "tid + 1"]));
        let (x, i) = (self.name("x"), self.name("i"));
        let start = self.of(&["0", "1", "n"]);
        self.line(format!("t[{at}] = {first};"));
        self.line("__syncthreads();");
        let repeats = place.depth > 0 && self.pick(3) == 0;
        if repeats {
            self.line(format!("for (int {i} = {start}; {i} < 4; {i}++) {{"));
            self.indent += 1;
        }
        for _ in 0..1 + self.pick(3) {
            match self.pick(6) {
                0 => self.line("__syncthreads();"),
                1 => {
                    let second = known(self);
                    let cond = self.cond(1);
                    let guard = if self.pick(3) == 0 { format!("if ({cond}) ") } else { String::new() };
                    self.line(format!("{guard}t[{at}] = {second};"));
                }
                2 => {
                    let op = self.of(&["+=", "^="]);
                    self.line(format!("t[tid] {op} 1;"));
                }
                3 => {
                    let by = self.of(&["tid", "tid ^ 1", "7 - tid", "0", "t[tid] & 7"]);
                    let value = self.of(&["1", "tid"]);
                    self.line(format!("a[t[{by}]] = {value};"));
                }
                4 => {
                    let (by, k) = (self.of(&["tid", "tid + 1", "3"]), self.of(&["0", "2", "n"]));
                    self.line(format!("if (t[{by}] == {k}) a[7] = tid;"));
                }
                _ => {
                    let by = self.of(&["tid", "tid ^ 1", "(tid + 1) & 7", "0"]);
                    self.line(format!("a[gid + (t[{by}] & 8)] = tid;"));
                }
            }
        }
        if repeats {
            self.line("__syncthreads();");
            self.indent -= 1;
            self.line("}");
        }
        let by = self.of(&["tid", "tid ^ 1", "7 - tid", "0"]);
        self.line(format!("int {x} = t[{by}];"));
        self.locals.push(Local { name: x, kind: Kind::Own, free: true });
    }
}
