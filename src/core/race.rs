//! From the code of a phase to the formula that holds iff two threads race in it.

use indexmap::IndexSet;

use super::access::{Access, Mode, SiteId};
use super::closure::{Closure, Context};
use super::range::{Range, Step};
use super::scope::{Level, Projection, Task, cluster_sizes, in_extent};
use super::unsync::Unsync;
use crate::base::{FreshNames, Name};
use crate::exp::{B, IntTy, N, NBin, Subst, Var, free_vars_b};

/// An access of a phase with all that stands around it in the phase: one access for each choice of values for the
/// binders that are in their ranges and fulfil the guard.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    pub array: Name,
    pub site: SiteId,
    pub mode: Mode,
    /// One index a dimension, outermost first.
    pub index: Vec<N>,
    /// Units of the last dimension that are touched.
    pub width: u32,
    pub guard: B,
    /// The unsynchronised loops around the access, outermost first. No two binders of a phase have the same name.
    pub binders: Vec<Range>,
}

/// A side as one of the two threads has it; its terms are over that thread's names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    pub task: Task,
    pub array: Name,
    pub site: SiteId,
    pub mode: Mode,
    pub index: Vec<N>,
    pub width: u32,
    /// The guard holds and the binders are in their ranges: the thread makes this access.
    pub active: B,
}

/// A phase, ready to be asked for races.
#[derive(Clone, Debug)]
pub struct RacePhase {
    /// The barrier that starts it.
    pub start: Option<SiteId>,
    pub level: Level,
    /// May it have accesses that the phase of the kernel does not have? Then a race need not be one.
    pub approximate: bool,
    /// Without repetitions, in program order.
    pub sides: Vec<Side>,
    /// What holds of any pair of threads in this phase: coordinates in their extents, the assumption of the header, where
    /// the two threads meet, and the context of the phase.
    pub assumptions: B,
    /// The variables of which each thread has its own, in the terms of the sides.
    pub locals: Vec<Var>,
}

/// Flattens a closure into its accesses, and gathers what holds around them.
///
/// Source:   \[MAP\] section 6, theory 5; protocol-spec/06-race.md.     Shape: Closure -> RacePhase.
/// Units:    all constraints are over mathematical integers; an index counts units of its array.
/// Ensures:  THM-ENC, tests/theorems/race.rs: `assumptions and pair(i, j)` is satisfiable iff some thread makes access i,
///           another one access j, in the same phase, and the two race.
/// Errors:   none, total.
pub fn race_phase(projection: &Projection, closure: &Closure) -> RacePhase {
    let mut fresh = FreshNames::default();
    let mut locals = projection.locals.clone();
    let kernel = &projection.kernel;
    kernel.header_vars().for_each(|v| fresh.reserve(v.name.as_str()));
    for context in &closure.context {
        match context {
            Context::Bind(range) => fresh.reserve(range.var.name.as_str()),
            Context::Assume(_) => {}
        }
    }
    let mut flat = Flat { sides: IndexSet::new(), fresh };
    let mut around = Around { guard: Vec::new(), binders: Vec::new(), renamed: Vec::new() };
    flat.code(&closure.code, &mut around);
    let sides: Vec<Side> = flat.sides.into_iter().collect();
    let binders: IndexSet<&Range> = sides.iter().flat_map(|s| &s.binders).collect();
    for range in binders {
        locals.push(range.var.clone());
        locals.extend(range_constraint(range).1);
    }
    let assumptions = frame(projection, context_conditions(&closure.context));
    RacePhase {
        start: closure.start,
        level: projection.level,
        approximate: closure.approximate,
        sides,
        assumptions,
        locals,
    }
}

/// What holds of two threads that meet at the level of the projection and both get to a place with this context. Binders of
/// the context have the same value for both.
pub fn frame(projection: &Projection, context: impl IntoIterator<Item = B>) -> B {
    let kernel = &projection.kernel;
    let coordinates = kernel.blocks.iter().chain(&kernel.threads).map(in_extent);
    let header = coordinates.chain(cluster_sizes(kernel)).chain([kernel.pre.clone()]);
    let own = B::and(context.into_iter().chain(header).collect::<Vec<_>>());
    // [RACE-FRAME]  each thread has its coordinates in their extents, fulfils the assumption, and is in the phase
    let each = Task::BOTH.map(|task| task.rename(&projection.locals).boolean(&own));
    B::and(each.into_iter().chain([projection.meet.clone()]))
}

/// What a context says, as conditions.
pub fn context_conditions(context: &[Context]) -> Vec<B> {
    let each = context.iter().map(|context| match context {
        // Both threads are in the same iteration, so that they share its number too.
        Context::Bind(range) => range_constraint(range).0,
        Context::Assume(b) => b.clone(),
    });
    each.collect()
}

struct Flat {
    sides: IndexSet<Side>,
    /// Hands out a name as it is when nobody has it.
    fresh: FreshNames,
}

struct Around {
    guard: Vec<B>,
    binders: Vec<Range>,
    renamed: Vec<(Name, Var)>,
}

impl Around {
    fn subst(&self) -> Subst<'static> {
        let mut subst = Subst::new();
        for (name, var) in &self.renamed {
            subst.bind(name, &N::var(var));
        }
        subst
    }
}

impl Flat {
    fn code(&mut self, code: &Unsync, around: &mut Around) {
        match code {
            // [SIDE-SKIP]
            Unsync::Skip => {}
            // [SIDE-ACC]
            Unsync::Access(access) => {
                let Access { site, array, mode, index, width } =
                    if around.renamed.is_empty() { access.clone() } else { access.subst(&mut around.subst()) };
                let guard = B::and(around.guard.clone());
                if guard.as_lit() != Some(false) {
                    let binders = around.binders.clone();
                    self.sides.insert(Side { array, site, mode, index, width, guard, binders });
                }
            }
            // [SIDE-SEQ]
            Unsync::Seq(parts) => parts.iter().for_each(|u| self.code(u, around)),
            // [SIDE-IF]
            Unsync::If(b, t, e) => {
                let b = if around.renamed.is_empty() { b.clone() } else { around.subst().boolean(b) };
                for (cond, branch) in [(b.clone(), t), (B::not(&b), e)] {
                    around.guard.push(cond);
                    self.code(branch, around);
                    around.guard.pop();
                }
            }
            // [SIDE-FOR]
            Unsync::For(range, body) => {
                let mut outer = range.subst(&mut around.subst());
                outer.var = Var::new(self.fresh.fresh(range.var.name.as_str()), range.var.ty);
                let same = outer.var == range.var;
                around.renamed.extend((!same).then(|| (range.var.name.clone(), outer.var.clone())));
                around.binders.push(outer);
                self.code(body, around);
                around.binders.pop();
                if !same {
                    around.renamed.pop();
                }
            }
        }
    }
}

impl RacePhase {
    /// The arrays that are accessed, in program order.
    pub fn arrays(&self) -> Vec<Name> {
        let names: IndexSet<Name> = self.sides.iter().map(|s| s.array.clone()).collect();
        names.into_iter().collect()
    }

    /// The side as the thread `task` has it.
    pub fn instantiate(&self, side: &Side, task: Task) -> Instance {
        self.instance(side, task, &mut task.rename(&self.locals))
    }

    fn instance(&self, side: &Side, task: Task, own: &mut Subst) -> Instance {
        let ranges = side.binders.iter().map(|range| range_constraint(range).0);
        let active = B::and(ranges.chain([side.guard.clone()]).collect::<Vec<_>>());
        let active = own.boolean(&active);
        let mode = match &side.mode {
            Mode::Rd => Mode::Rd,
            Mode::Wr(value) => Mode::Wr(value.as_ref().map(|v| own.numeric(v))),
            Mode::At(scope) => Mode::At(*scope),
        };
        Instance {
            task,
            array: side.array.clone(),
            site: side.site,
            mode,
            index: side.index.iter().map(|n| own.numeric(n)).collect(),
            width: side.width,
            active,
        }
    }

    /// The two sides race, given the assumptions: thread one makes access `one`, thread two makes access `two`.
    pub fn pair(&self, one: &Side, two: &Side) -> B {
        race_pair(&self.instantiate(one, Task::One), &self.instantiate(two, Task::Two), self.level)
    }

    /// All races on one array as one question.
    pub fn races_on(&self, array: &Name) -> ArrayRaces {
        let sides: Vec<(usize, &Side)> = self.sides.iter().enumerate().filter(|(_, s)| s.array == *array).collect();
        let mut fresh = FreshNames::default();
        for var in self.locals.iter().chain(&free_vars_b(&self.assumptions)) {
            fresh.reserve(var.name.as_str());
        }
        let mut math = |stem: &str| Var::new(fresh.fresh(stem), IntTy::MATH);
        let rank = sides.iter().map(|(_, s)| s.index.len()).max().unwrap_or(0);
        let mut column = |stem: &str, of: &dyn Fn(&Side) -> i128| {
            let mut values = sides.iter().map(|(_, s)| of(s));
            let first = values.next().unwrap_or(0);
            if values.all(|value| value == first) { Column::Same(first) } else { Column::Own(math(stem)) }
        };
        let columns = Columns {
            rank: column("rank", &|s| s.index.len() as i128),
            kind: column("kind", &|s| kind(&s.mode, self.level)),
            valued: column("valued", &|s| i128::from(stored(&s.mode).is_some())),
            width: column("width", &|s| i128::from(s.width)),
            site: math("site"),
            value: math("value"),
            index: (0..rank).map(|_| math("at")).collect(),
        };
        let choices = Task::BOTH.map(|task| {
            let mut own = task.rename(&self.locals);
            let rows = sides.iter().enumerate();
            let rows = rows.map(|(n, (_, s))| columns.row(n, &self.instance(s, task, &mut own), self.level));
            B::or(rows.collect::<Vec<_>>())
        });
        let [one, two] = choices;
        let selectors = Task::BOTH.map(|task| task.var(&columns.site));
        // The two threads play the same part, so that one order of the sites is enough.
        let order = N::var(&selectors[0]).le(&N::var(&selectors[1]));
        let formula = B::and([self.assumptions.clone(), one, two, columns.conflict(), columns.overlap(), order]);
        let sides = sides.into_iter().map(|(i, _)| i).collect();
        ArrayRaces { formula, sides, selectors, same_value: columns.same_value() }
    }
}

/// One question for all pairs of accesses to an array in a phase.
#[derive(Clone, Debug)]
pub struct ArrayRaces {
    /// Satisfiable iff two threads race on the array in the phase. With the assumptions of the phase.
    pub formula: B,
    /// The sides of the array, by their numbers in `RacePhase::sides`. Questions about two arrays that are used alike are the
    /// same question: nothing in them says which array it is.
    pub sides: Vec<usize>,
    /// Of each thread: the place of its side in `sides`. The first is not the greater one.
    pub selectors: [Var; 2],
    /// The race is between two stores of the same value; asserted negated, it leaves the other races.
    pub same_value: B,
}

impl ArrayRaces {
    /// Not one of the chosen sides among the ones and the other among the others: added to look for another race.
    /// [RACE-BLOCK]
    pub fn other_than(&self, one: &[usize], two: &[usize]) -> B {
        let [s1, s2] = self.selectors.each_ref().map(N::var);
        let outside = |s: &N, sides: &[usize]| {
            let places = sides.iter().filter_map(|i| self.place(*i));
            B::and(places.map(|place| s.ne(&N::num(place))).collect::<Vec<_>>())
        };
        let not_so = |a: &[usize], b: &[usize]| B::or([outside(&s1, a), outside(&s2, b)]);
        B::and([not_so(one, two), not_so(two, one)])
    }

    /// What the selector of a thread is when it has chosen this side.
    pub fn place(&self, side: usize) -> Option<i128> {
        self.sides.iter().position(|i| *i == side).map(|place| place as i128)
    }

    /// The chosen sides are these two.
    pub fn exactly(&self, one: usize, two: usize) -> B {
        B::not(&self.other_than(&[one], &[two]))
    }
}

/// What describes the access a thread has chosen.
enum Column {
    /// A variable; each thread has its own.
    Own(Var),
    /// It is the same for all accesses to the array.
    Same(i128),
}

struct Columns {
    rank: Column,
    kind: Column,
    valued: Column,
    width: Column,
    site: Var,
    value: Var,
    index: Vec<Var>,
}

const READ: i128 = 0;
const WRITE: i128 = 1;
const ATOMIC_FOR_BOTH: i128 = 2;
const ATOMIC_FOR_LESS: i128 = 3;

/// How an access conflicts with others, as a number.
fn kind(mode: &Mode, level: Level) -> i128 {
    match mode {
        Mode::Rd => READ,
        Mode::Wr(_) => WRITE,
        Mode::At(scope) if *scope >= level.scope() => ATOMIC_FOR_BOTH,
        Mode::At(_) => ATOMIC_FOR_LESS,
    }
}

fn stored(mode: &Mode) -> Option<&N> {
    match mode {
        Mode::Wr(value) => value.as_ref(),
        Mode::Rd | Mode::At(_) => None,
    }
}

impl Column {
    fn of(&self, task: Task) -> N {
        match self {
            Column::Own(var) => N::var(&task.var(var)),
            Column::Same(value) => N::num(*value),
        }
    }
}

impl Columns {
    fn of(&self, task: Task, column: &Var) -> N {
        N::var(&task.var(column))
    }

    /// The thread has chosen this access, and makes it. [RACE-CHOICE]
    fn row(&self, place: usize, access: &Instance, level: Level) -> B {
        let task = access.task;
        let value = stored(&access.mode);
        let mut parts = vec![
            self.of(task, &self.site).eq(&N::num(place as i128)),
            self.kind.of(task).eq(&N::num(kind(&access.mode, level))),
            self.width.of(task).eq(&N::num(access.width)),
            self.valued.of(task).eq(&N::num(i128::from(value.is_some()))),
        ];
        parts.extend(value.map(|v| self.of(task, &self.value).eq(v)));
        parts.push(self.rank.of(task).eq(&N::num(access.index.len() as i128)));
        // Accesses with fewer dimensions are padded in front.
        let missing = self.index.len() - access.index.len();
        let padding = std::iter::repeat_n(N::num(-1), missing);
        let index = padding.chain(access.index.iter().cloned());
        parts.extend(self.index.iter().zip(index).map(|(v, n)| self.of(task, v).eq(&n)));
        parts.push(access.active.clone());
        B::and(parts)
    }

    /// [RACE-MODE]  not both reads, and not both atomic for both
    fn conflict(&self) -> B {
        let [k1, k2] = Task::BOTH.map(|task| self.kind.of(task));
        let harmless = |kind| B::and([k1.eq(&N::num(kind)), k2.eq(&N::num(kind))]);
        B::and([B::not(&harmless(READ)), B::not(&harmless(ATOMIC_FOR_BOTH))])
    }

    /// [RACE-OVERLAP]
    fn overlap(&self) -> B {
        let [w1, w2] = Task::BOTH.map(|task| self.width.of(task));
        let [i1, i2] = Task::BOTH.map(|task| self.index.iter().map(|v| self.of(task, v)).collect::<Vec<_>>());
        let ranks = self.rank.of(Task::One).eq(&self.rank.of(Task::Two));
        B::and([ranks, overlap(&i1, &w1, &i2, &w2)])
    }

    /// [RACE-SAME]
    fn same_value(&self) -> B {
        let same = |column: &Var| self.of(Task::One, column).eq(&self.of(Task::Two, column));
        let valued = Task::BOTH.map(|task| self.valued.of(task).eq(&N::num(1)));
        let widths = self.width.of(Task::One).eq(&self.width.of(Task::Two));
        let columns = self.index.iter().chain([&self.value]);
        B::and(valued.into_iter().chain([widths]).chain(columns.map(same)).collect::<Vec<_>>())
    }
}

/// The accesses are made, conflict, and touch a common cell. [RACE-PAIR]
///
/// Source:   \[MAP\] Definition 2 and section 6; protocol-spec/06-race.md.   Shape: two instances of different tasks -> B.
pub fn race_pair(one: &Instance, two: &Instance, level: Level) -> B {
    if one.array != two.array || !one.mode.conflicts(&two.mode, level.scope()) || one.index.len() != two.index.len() {
        return B::lit(false);
    }
    let touch = overlap(&one.index, &N::num(one.width), &two.index, &N::num(two.width));
    B::and([one.active.clone(), two.active.clone(), touch])
}

/// Both store the same known value in the same cells; false when a value is not known. [RACE-SAME]
pub fn same_value_pair(one: &Instance, two: &Instance) -> B {
    match (&one.mode, &two.mode) {
        (Mode::Wr(Some(a)), Mode::Wr(Some(b))) if one.width == two.width && one.index.len() == two.index.len() => {
            B::and(one.index.iter().zip(&two.index).map(|(i, j)| i.eq(j)).chain([a.eq(b)]).collect::<Vec<_>>())
        }
        (Mode::Rd | Mode::Wr(_) | Mode::At(_), _) => B::lit(false),
    }
}

/// `[i, i + v)` and `[j, j + w)` have a common unit in the last dimension, and the other dimensions are equal.
/// [RACE-OVERLAP]
fn overlap(one: &[N], v: &N, two: &[N], w: &N) -> B {
    let (Some((i, before_i)), Some((j, before_j))) = (one.split_last(), two.split_last()) else {
        return B::lit(one.len() == two.len());
    };
    let unit = N::num(1);
    let last = if *v == unit && *w == unit {
        i.eq(j)
    } else {
        B::and([i.lt(&N::add(IntTy::MATH, j, w)), j.lt(&N::add(IntTy::MATH, i, v))])
    };
    B::and(before_i.iter().zip(before_j).map(|(i, j)| i.eq(j)).chain([last]).collect::<Vec<_>>())
}

/// The variable of the range is one of its values; with the variables that the formula adds, to be read existentially.
///
/// Source:   protocol-spec/06-race.md [RACE-RANGE].      Units: mathematical integers.
/// Ensures:  THM-ENC: for each value of the range, and no other, there are values of the added variables.
pub fn range_constraint(range: &Range) -> (B, Vec<Var>) {
    let x = range.binder();
    match &range.step {
        Step::Up(s) => counted(range, s, (&range.first, &x)),
        Step::Down(s) => counted(range, s, (&x, &range.first)),
        Step::Times(f) => (geometric(range, f, NBin::Mul), Vec::new()),
        Step::Over(f) => (geometric(range, f, NBin::Div), Vec::new()),
    }
}

/// `lo <= hi` are x and the first value, in the order of the direction: `hi = lo + k * s`, for some k.
fn counted(range: &Range, s: &N, (lo, hi): (&N, &N)) -> (B, Vec<Var>) {
    let x = range.binder();
    let inside = B::and([lo.le(hi), range.within(&x)]);
    let once = B::and([x.eq(&range.first), range.nonempty()]);
    match s.as_num() {
        // [RACE-RANGE-UP], [RACE-RANGE-DOWN]  first <= x < end, or end < x <= first
        Some(1) => (inside, Vec::new()),
        Some(step) if step < 1 => (once, Vec::new()),
        // [RACE-RANGE-STEP]  ... and x is a whole number of steps away
        _ => {
            // As with `x!1`, no name of a kernel has an exclamation mark.
            let k = Var::new(Name::new(format!("{}!k", range.var.name)), IntTy::MATH);
            let count = N::var(&k);
            let away = N::add(IntTy::MATH, lo, &N::mul(IntTy::MATH, &count, s));
            let stepping = B::and([N::num(1).le(s), inside, N::num(0).le(&count), hi.eq(&away)]);
            let stuck = B::and([s.lt(&N::num(1)), once]);
            (B::or([stepping, stuck]), vec![k])
        }
    }
}

/// The greatest number of doublings that stay within the values of the variable.
fn doublings(var: &Var) -> u32 {
    match var.ty.bits {
        0 => 126,
        bits => u32::from(bits),
    }
}

/// x is first times (or divided by) factor^k for some k, and the step made progress until there. [RACE-RANGE-POWER]
fn geometric(range: &Range, factor: &N, op: NBin) -> B {
    let x = range.binder();
    let (mut value, mut power) = (range.first.clone(), N::num(1));
    // The first value is there when it is inside; a later one when the one before is at least 1, and it is inside.
    let mut cases = Vec::new();
    let mut sure = true;
    let mut inside = |value: &N| {
        let within = range.within(value).as_lit();
        sure &= within.is_some();
        within != Some(false)
    };
    if inside(&value) {
        cases.push(x.eq(&value));
    }
    for _ in 0..doublings(&range.var) {
        let progress = range.progress(&value);
        power = N::mul(IntTy::MATH, &power, factor);
        let next = N::bin(op, IntTy::MATH, &range.first, &power);
        let outside = next.as_num().is_some_and(|n| !range.var.ty.contains(n));
        if progress.as_lit() == Some(false) || outside || !inside(&next) {
            break;
        }
        value = next;
        cases.push(B::and([progress, x.eq(&value)]));
    }
    if sure { B::or(cases) } else { B::and([range.within(&x), B::or(cases)]) }
}
