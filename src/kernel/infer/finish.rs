//! The end of inference: indices in units of each array, contents that are inputs, and the header.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::loops::substitute;
use super::{Config, Event, Inferred, Loss, Object, ObjectKind, Touches, Walk};
use crate::base::{Name, Span};
use crate::core::protocol::Barrier;
use crate::core::{Access, ArrayDecl, Coordinate, Kernel, Mode, Protocol, SiteId, Space};
use crate::exp::{B, Fun, FunKind, IntTy, N, Subst};
use crate::kernel::ir::FunId;
use crate::kernel::types::{Type, has_open_rows};
use crate::kernel::visit::Axes;

/// How the indices of one array are written.
struct Layout {
    unit: u64,
    /// The strides that all accesses share, when their indices can be compared one by one.
    dimensions: Option<Vec<u64>>,
}

pub fn finish(mut walk: Walk, kernel: FunId, config: &Config, used: &Axes) -> Inferred {
    if let Some(span) = walk.abandoned {
        walk.lose("too-large", "the kernel is too large to be analysed as a whole", span, Touches::Everything);
    }
    let emitted = Protocol::seq(std::mem::take(&mut walk.out));
    let halves = !walk.arrivals.is_empty();
    let protocol = without_arrivals(emitted, &mut walk);
    let (protocol, steps) = walk.without_fences(&protocol);
    let protocol = walk.with_background(protocol);
    if config.unlaunched {
        walk.find_tiles(&protocol);
    }
    if !halves {
        walk.find_counters(&protocol);
    }
    let protocol = walk.with_settled(&protocol);
    let of_last = walk.of_last_block(&steps, &protocol);
    let leaving = walk.leaving(&protocol);
    walk.find_room(&protocol, &leaving);
    let mut by_array: BTreeMap<Name, Vec<usize>> = BTreeMap::new();
    let mut written: BTreeSet<Name> = BTreeSet::new();
    // By anything but atomic operations.
    let mut stored: BTreeSet<Name> = BTreeSet::new();
    each_access(&protocol, &mut |a| {
        by_array.entry(a.array.clone()).or_default().push(a.site.0 as usize);
        if a.mode != Mode::Rd {
            written.insert(a.array.clone());
        }
        if matches!(a.mode, Mode::Wr(_)) {
            stored.insert(a.array.clone());
        }
    });
    super::found::check(&mut walk, kernel, &written);
    let mut anything_written = false;
    for loss in &walk.losses {
        match &loss.touches {
            Touches::Everything => anything_written = true,
            Touches::Array(array) => {
                written.insert(array.clone());
            }
            Touches::Value => {}
        }
    }
    let mut layouts: FxHashMap<Name, Layout> = FxHashMap::default();
    let mut incomparable: BTreeSet<Name> = BTreeSet::new();
    for (array, events) in &by_array {
        let events: Vec<&Event> = events.iter().map(|e| &walk.events[*e]).collect();
        let object = walk.objects.iter().find(|o| o.name == *array && o.kind != ObjectKind::Private);
        let declared = object.map(|o| declared_strides(&o.ty)).unwrap_or_default();
        let of = |e: &Event| (e.width, e.constant, e.unknown_size.clone());
        let is_unknown = |e: &Event| e.unknown_size.iter().any(Option::is_some);
        // Where steps of known and of unknown size come together, nothing is known of either.
        let alike =
            events.windows(2).all(|p| of(p[0]) == of(p[1])) && !events.iter().any(|e| is_unknown(e) && e.known_size);
        if events.iter().any(|e| is_unknown(e)) && !alike {
            let site = walk.sites.get_index(events[0].site.0 as usize).map(|(s, _)| s.span);
            if let Some(span) = site {
                let text = format!("`{array}` is accessed by types whose sizes are not known");
                walk.losses.push(Loss { code: "unknown-type", text, span, touches: Touches::Array(array.clone()) });
                // Their places cannot be compared: what would be found there is nothing that was written.
                incomparable.insert(array.clone());
            }
        }
        let mut layout = layout(&events, &declared);
        if leaving.iter().any(|(leaves, _)| leaves == array) {
            layout.dimensions = None;
        }
        // Where a pointer goes that leaves its row, the strides say, which are not known. [INF-TENSOR] [INF-OPEN-LENGTH]
        if layout.dimensions.is_none()
            && object.is_some_and(|o| has_open_rows(&o.ty))
            && let Some(event) = events.iter().find(|e| e.flat).or(events.first())
            && let Some((site, _)) = walk.sites.get_index(event.site.0 as usize)
        {
            let text = format!("`{array}` is accessed through a pointer that may leave its row");
            let touches = Touches::Array(array.clone());
            walk.losses.push(Loss { code: "unknown-pointer", text, span: site.span, touches });
            incomparable.insert(array.clone());
        }
        let is_tensor = |o: &Object| o.kind != ObjectKind::Array(Space::Shared) && has_open_rows(&o.ty);
        if object.is_some_and(is_tensor) {
            walk.assumptions.push(format!("the elements of the tensor `{array}` are apart"));
        }
        if layout.dimensions.as_ref().is_some_and(|d| d.len() > 1) {
            walk.assumptions.push(format!("each subscript of `{array}` stays within its dimension"));
        }
        layouts.insert(array.clone(), layout);
    }

    // Contents that nothing in the kernel changes are inputs.
    let contents = walk.contents.clone();
    let never_written: BTreeSet<Name> = contents
        .iter()
        .filter(|(_, o)| {
            let object = walk.info(o.object);
            object.kind == ObjectKind::Constant
                || (object.kind == ObjectKind::Array(Space::Global)
                    && !written.contains(&object.name)
                    && !anything_written)
        })
        .map(|(f, _)| f.clone())
        .collect();
    let global: BTreeSet<Name> = contents
        .iter()
        .filter(|(_, o)| walk.info(o.object).kind == ObjectKind::Array(Space::Global))
        .map(|(f, _)| f.clone())
        .collect();
    let (pre, pairs) = (std::mem::take(&mut walk.pre), std::mem::take(&mut walk.pair_facts));
    let stored_to = |object| stored.contains(&walk.info(object).name);
    let as_input = |fun: &Fun, args: &[N]| -> Option<N> {
        if let Some(result) = walk.settled_ticket(fun, args, &stored_to) {
            return Some(result);
        }
        let initial = global.contains(&fun.name) && args.first().and_then(N::as_num) == Some(0);
        if never_written.contains(&fun.name) {
            let fun = Fun { kind: FunKind::Input, ..fun.clone() };
            return Some(N::call(fun, args[1..].to_vec()));
        }
        if initial {
            let fun = Fun { name: Name::new(format!("{}.initial", fun.name)), kind: FunKind::Input, ty: fun.ty };
            return Some(N::call(fun, args[1..].to_vec()));
        }
        None
    };
    let mut subst = Subst::with_functions(&as_input);
    let protocol = substitute(&protocol, &mut subst);
    let pre = subst.boolean(&B::and(pre));
    let pairs = pairs.into_iter().map(|f| subst.boolean(&f)).collect();

    let code = place(&without_arrays(&protocol, &incomparable), &walk, &layouts);
    let site = |event: &SiteId| walk.events[event.0 as usize].site;
    let mut last: BTreeSet<SiteId> = of_last.iter().map(site).collect();
    each_access(&protocol, &mut |a| {
        if !of_last.contains(&a.site) {
            last.remove(&site(&a.site));
        }
    });
    let mut arrays = Vec::new();
    for object in &walk.objects {
        if let (ObjectKind::Array(space), Some(layout)) = (object.kind, layouts.get(&object.name)) {
            arrays.push(ArrayDecl {
                name: object.name.clone(),
                space,
                unit: layout.unit.min(u64::from(u32::MAX)) as u32,
            });
        }
    }
    let pointers: Vec<String> =
        arrays.iter().filter(|a| a.space == Space::Global).map(|a| a.name.to_string()).collect();
    if pointers.len() > 1 && arrays.iter().any(|a| written.contains(&a.name)) {
        let apart = if config.overlaps.is_empty() { "" } else { ", where the host does not give one of them twice" };
        walk.assumptions.push(format!("`{}` do not overlap{apart}", pointers.join("`, `")));
    }
    let coordinates = |list: &[(crate::exp::Var, N)]| {
        let real = list.iter().filter(|(_, extent)| extent.as_num() != Some(1));
        real.map(|(var, extent)| Coordinate { var: var.clone(), extent: extent.clone() }).collect::<Vec<_>>()
    };
    let taken = |given: [Option<i128>; 3], used: &[bool; 3], one: &[bool; 3]| {
        [0, 1, 2].map(|a| given[a].or((!used[a] && one[a]).then_some(1)))
    };
    Inferred {
        kernel: Kernel {
            name: walk.function(kernel).name.clone(),
            arrays,
            globals: walk.globals_vars.clone(),
            blocks: coordinates(&walk.blocks),
            clusters: clusters(&walk),
            pairs,
            last,
            threads: coordinates(&walk.threads),
            pre,
            code,
        },
        sites: walk.sites.keys().cloned().collect(),
        calls: walk.order.calls(),
        room: walk.room,
        ordered: walk.order.ordered(),
        losses: walk.losses,
        assumptions: walk.assumptions,
        assumed: walk.assumed,
        block: taken(config.block, &used.block, &config.may_be_one[0]),
        grid: taken(config.grid, &used.grid, &config.may_be_one[1]),
    }
}

/// The sizes of clusters along the coordinates of blocks that there are; none when all are 1.
fn clusters(walk: &Walk) -> Vec<N> {
    let sizes = walk.blocks.iter().zip(&walk.cluster_dim).filter(|((_, extent), _)| extent.as_num() != Some(1));
    let sizes: Vec<N> = sizes.map(|(_, size)| size.clone()).collect();
    if sizes.iter().all(|size| size.as_num() == Some(1)) { Vec::new() } else { sizes }
}

/// The protocol without the accesses to some arrays, which are lost.
fn without_arrays(protocol: &Protocol, arrays: &BTreeSet<Name>) -> Protocol {
    match protocol {
        Protocol::Access(access) if arrays.contains(&access.array) => Protocol::Skip,
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => protocol.clone(),
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|p| without_arrays(p, arrays)).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => Protocol::branch(b, without_arrays(t, arrays), without_arrays(e, arrays)),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(without_arrays(body, arrays))),
    }
}

/// The protocol without the first halves of barriers whose second half was not found: these barriers are lost.
fn without_arrivals(protocol: Protocol, walk: &mut Walk) -> Protocol {
    if walk.arrivals.is_empty() {
        return protocol;
    }
    let mut left = Vec::new();
    let protocol =
        erase(&protocol, &|site| walk.arrivals.iter().find(|(s, ..)| *s == site).map(|(_, at, _)| *at), &mut left);
    for span in left {
        let text = "this arrives at a barrier, and the wait does not follow in the same block of code";
        walk.lose("unknown-order", text, span, Touches::Everything);
    }
    protocol
}

fn erase(protocol: &Protocol, place: &dyn Fn(SiteId) -> Option<Span>, found: &mut Vec<Span>) -> Protocol {
    match protocol {
        Protocol::Skip | Protocol::Access(_) => protocol.clone(),
        Protocol::Sync(barrier) => match place(barrier.site) {
            Some(span) => {
                found.push(span);
                Protocol::Skip
            }
            None => protocol.clone(),
        },
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|p| erase(p, place, found)).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => Protocol::branch(b, erase(t, place, found), erase(e, place, found)),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(erase(body, place, found))),
    }
}

/// The strides of the dimensions that a type declares: of `int t[4][5]`, 20 and 4.
fn declared_strides(ty: &Type) -> Vec<u64> {
    let mut strides = Vec::new();
    let mut ty = match ty {
        Type::Array(elem, _) => elem,
        other => {
            strides.push(other.size());
            match other {
                Type::Array(elem, _) => elem,
                _ => return strides,
            }
        }
    };
    loop {
        strides.push(ty.size());
        match &**ty {
            Type::Array(elem, Some(_)) => ty = elem,
            _ => return strides,
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn layout(events: &[&Event], declared: &[u64]) -> Layout {
    let mut unit = 0;
    for event in events {
        unit = event.strides.iter().fold(unit, |g, s| gcd(g, *s));
        unit = gcd(gcd(unit, event.width), event.constant.unsigned_abs() as u64);
    }
    let unit = unit.max(1);
    let longest = events.iter().map(|e| &e.strides).max_by_key(|s| s.len()).cloned().unwrap_or_default();
    // A dimension of length 0 has a stride of 0: its subscripts do not tell elements apart.
    let shared = events.iter().all(|e| longest.starts_with(&e.strides))
        && !longest.contains(&0)
        && (longest.len() <= 1 || (declared.ends_with(&longest) && !events.iter().any(|e| e.flat)))
        && events.iter().all(|e| {
            let last = longest.last().copied().unwrap_or(u64::MAX);
            e.constant >= 0 && (e.constant as u64).saturating_add(e.width) <= last
        });
    Layout { unit, dimensions: shared.then_some(longest) }
}

/// The protocol with indices in units of the arrays, and sites of the source.
fn place(p: &Protocol, walk: &Walk, layouts: &FxHashMap<Name, Layout>) -> Protocol {
    match p {
        Protocol::Skip => Protocol::Skip,
        Protocol::Access(a) => {
            let event = &walk.events[a.site.0 as usize];
            let Some(layout) = layouts.get(&a.array) else { return p.clone() };
            let unit = layout.unit;
            let mut index;
            let width = (event.width / unit).max(1).min(u64::from(u32::MAX)) as u32;
            match &layout.dimensions {
                Some(strides) => {
                    index = a.index.clone();
                    index.resize(strides.len(), N::num(0));
                    let last = strides.last().copied().unwrap_or(0);
                    if last != unit || strides.is_empty() {
                        index.push(N::num(event.constant / i128::from(unit)));
                    }
                }
                None => {
                    let math = IntTy::MATH;
                    let start = N::num(event.constant.div_euclid(i128::from(unit)));
                    let flat =
                        a.index.iter().zip(&event.strides).fold(start, |sum, (n, s)| {
                            N::add(math, &N::mul(math, n, &N::num(i128::from(s / unit))), &sum)
                        });
                    index = vec![flat];
                }
            }
            Protocol::Access(Access { site: event.site, index, width, ..a.clone() })
        }
        Protocol::Sync(barrier) => {
            let site = walk.events[barrier.site.0 as usize].site;
            Protocol::Sync(Barrier { site, ..barrier.clone() })
        }
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|q| place(q, walk, layouts)).collect::<Vec<_>>()),
        Protocol::If(c, t, e) => Protocol::branch(c, place(t, walk, layouts), place(e, walk, layouts)),
        Protocol::For(range, body) => match place(body, walk, layouts) {
            Protocol::Skip => Protocol::Skip,
            body => Protocol::For(range.clone(), Box::new(body)),
        },
    }
}

pub(super) fn each_access(p: &Protocol, f: &mut impl FnMut(&Access)) {
    match p {
        Protocol::Skip | Protocol::Sync(_) => {}
        Protocol::Access(a) => f(a),
        Protocol::Seq(parts) => parts.iter().for_each(|q| each_access(q, f)),
        Protocol::If(_, t, e) => {
            each_access(t, f);
            each_access(e, f);
        }
        Protocol::For(_, body) => each_access(body, f),
    }
}
