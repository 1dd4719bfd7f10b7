//! What places of blocks say about the size of blocks where no launch does: what blocks work on does not overlap. [INF-TILES]

use super::room::dimensions;
use super::{AXES, ObjectKind, Walk};
use crate::core::names::Mentioned;
use crate::core::range::{Range, Step};
use crate::core::{Protocol, Space};
use crate::exp::subst::subterms;
use crate::exp::{B, BExp, IntTy, N, NBin, NExp, NRel, Var, free_vars_n};

/// Places of blocks are `apart`; in a block so many threads along the axis are `at_one` place, and places a `step` apart.
struct Tile {
    axis: usize,
    apart: N,
    at_one: N,
    step: N,
    /// A loop goes on by so much from there, up to the end of the tile.
    by: Option<N>,
}

/// What a protocol says of tiles, and against them.
#[derive(Default)]
struct Tiles {
    found: Vec<Tile>,
    /// A condition is about the coordinates of a thread along these axes.
    asked: [bool; 3],
    /// The lengths of dimensions of shared arrays that threads access at their coordinate.
    lengths: Vec<(usize, i128)>,
}

impl Walk<'_> {
    /// A kernel that nobody launches, and that computes nothing with the size of blocks along an axis, has blocks no larger
    /// than their places are apart. What else says how large they are has to agree.
    pub(super) fn find_tiles(&mut self, protocol: &Protocol) {
        let read = Mentioned::of(protocol).leaves.vars;
        let is_open = |a: &usize| self.block_dim[*a].as_var().is_some_and(|v| !read.contains(v));
        let mut axes: Vec<usize> = (0..3).filter(is_open).collect();
        if axes.is_empty() {
            return;
        }
        let mut tiles = Tiles::default();
        self.tiles_in(protocol, &mut Vec::new(), &mut tiles);
        axes.retain(|a| !tiles.asked[*a]);
        for tile in tiles.found.iter().filter(|tile| axes.contains(&tile.axis)) {
            let Some(most) = largest(tile) else { continue };
            let own = tiles.lengths.iter().filter(|(axis, _)| *axis == tile.axis).map(|(_, length)| *length);
            // A row may be padded.
            let agrees = |length: i128| most.as_num().is_none_or(|n| length == n || length == n + 1);
            if own.into_iter().all(agrees) {
                let size = format!("blockDim.{}", AXES[tile.axis]);
                let text =
                    format!("no launch says `{size}`: blocks are no larger than the places they work on are apart");
                self.takes_room(self.block_dim[tile.axis].le(&most), Some(text));
            }
        }
    }

    fn tiles_in<'a>(&self, protocol: &'a Protocol, loops: &mut Vec<&'a Range>, tiles: &mut Tiles) {
        match protocol {
            Protocol::Skip | Protocol::Sync(_) => {}
            Protocol::Seq(parts) => parts.iter().for_each(|part| self.tiles_in(part, loops, tiles)),
            Protocol::If(cond, then, els) => {
                self.asked(cond, &mut tiles.asked);
                [then, els].iter().for_each(|part| self.tiles_in(part, loops, tiles));
            }
            Protocol::For(range, body) => {
                self.tiles_of(&range.first, loops, &mut tiles.found);
                loops.push(range);
                self.tiles_in(body, loops, tiles);
                loops.pop();
            }
            Protocol::Access(access) => {
                access.index.iter().for_each(|n| self.tiles_of(n, loops, &mut tiles.found));
                let event = &self.events[access.site.0 as usize];
                let object = self.objects.iter().find(|o| o.name == access.array);
                let dimensions = object.filter(|o| o.kind == ObjectKind::Array(Space::Shared)).map(dimensions);
                for (stride, length) in dimensions.into_iter().flatten() {
                    let at = event.strides.iter().position(|s| *s == stride).and_then(|i| access.index.get(i));
                    let axis = at.and_then(|n| self.axis_of(plain(n).as_var()?, &self.threads));
                    tiles.lengths.extend(axis.zip(length.as_num()));
                }
            }
        }
    }

    /// Along which axes a condition compares the coordinate of a thread with what is the same for all.
    fn asked(&self, condition: &B, asked: &mut [bool; 3]) {
        match condition.kind() {
            BExp::Lit(_) => {}
            BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|part| self.asked(part, asked)),
            BExp::Not(inner) => self.asked(inner, asked),
            BExp::Rel(NRel::Eq, ..) => {}
            BExp::Rel(_, l, r) => {
                let vars = [l, r].into_iter().flat_map(|n| free_vars_n(n).into_iter().collect::<Vec<_>>());
                let own: Vec<Var> = vars.filter(|v| !self.globals_vars.contains(v)).collect();
                let axes: Option<Vec<usize>> = own.iter().map(|v| self.axis_of(v, &self.threads)).collect();
                axes.into_iter().flatten().for_each(|axis| asked[axis] = true);
            }
        }
    }

    fn axis_of(&self, var: &Var, all: &[(Var, N)]) -> Option<usize> {
        all.iter().position(|(own, _)| own == var)
    }

    /// Is this a number of the launch or a constant, or a product or quotient of those?
    fn is_said(&self, term: &N) -> bool {
        match plain(term).kind() {
            NExp::Num(_) => true,
            NExp::Var(v) => self.globals_vars.contains(v),
            NExp::Bin(NBin::Mul | NBin::Div, _, l, r) => self.is_said(l) && self.is_said(r),
            _ => false,
        }
    }

    /// The sums in a term of the place of a block and one in it.
    fn tiles_of(&self, term: &N, loops: &[&Range], found: &mut Vec<Tile>) {
        subterms(&term.eq(&N::num(0)), &mut |n| {
            if matches!(n.kind(), NExp::Bin(NBin::Add, ..)) {
                let mut parts = Vec::new();
                addends(n, &mut parts);
                found.extend(self.tile(&parts, loops));
            }
        });
    }

    fn tile(&self, parts: &[N], loops: &[&Range]) -> Option<Tile> {
        let mention = |all: &[(Var, N)]| -> Vec<N> {
            let mentions = |n: &&N| free_vars_n(n).iter().any(|v| self.axis_of(v, all).is_some());
            parts.iter().filter(mentions).cloned().collect()
        };
        let (blocks, threads) = (mention(&self.blocks), mention(&self.threads));
        let ([block], [thread]) = (blocks.as_slice(), threads.as_slice()) else { return None };
        let (apart, place) = self.scaled(block)?;
        self.axis_of(place.as_var()?, &self.blocks)?;
        let (step, place) = self.scaled(thread)?;
        let (at_one, own) = match place.kind() {
            NExp::Bin(NBin::Div, _, l, r) if self.is_said(r) => (plain(r).clone(), plain(l).clone()),
            _ => (N::num(1), place.clone()),
        };
        let axis = self.axis_of(own.as_var()?, &self.threads)?;
        // Neighbours that are several places apart say nothing of themselves: there may be too many of them, or they too far.
        if step != N::num(1) && at_one == N::num(1) {
            return None;
        }
        // `y + j` for `j = 0; j < TILE; j += ROWS`
        let one = N::num(1);
        let of_loop = |range: &&&Range| {
            let strides = matches!(&range.step, Step::Up(by) if self.is_said(by) && *by != one);
            let starts = range.first == N::num(0) && step == one && at_one == one && plain(&range.end) == &apart;
            strides && starts && parts.iter().any(|n| plain(n).as_var() == Some(&range.var))
        };
        let by = loops.iter().find(of_loop).map(|range| range.step.amount().clone());
        Some(Tile { axis, apart, at_one, step, by })
    }

    /// A term as a factor that the launch says, and what is left.
    fn scaled(&self, term: &N) -> Option<(N, N)> {
        let (mut factor, mut rest) = (N::num(1), plain(term).clone());
        loop {
            let NExp::Bin(NBin::Mul, _, l, r) = rest.kind() else { return Some((factor, rest)) };
            let (own, other) = match (self.is_said(l), self.is_said(r)) {
                (true, false) => (l, r),
                (false, true) => (r, l),
                _ => return None,
            };
            factor = N::mul(IntTy::MATH, &factor, plain(own));
            rest = plain(other).clone();
        }
    }
}

/// The largest block that fits into a tile, if it is one that somebody launches.
fn largest(tile: &Tile) -> Option<N> {
    let math = IntTy::MATH;
    let places = match (&tile.by, tile.apart.as_num(), tile.step.as_num()) {
        (Some(by), ..) => by.clone(),
        (None, Some(apart), Some(step)) if step < 1 || apart % step != 0 => return None,
        _ => N::bin(NBin::Div, math, &tile.apart, &tile.step),
    };
    let most = N::mul(math, &places, &tile.at_one);
    let is_usual = |n: i128| n > 0 && (n % 8 == 0 || n < 8 && n & (n - 1) == 0);
    most.as_num().is_none_or(is_usual).then_some(most)
}

/// A term without conversions.
fn plain(term: &N) -> &N {
    match term.kind() {
        NExp::Cast(_, inner) => plain(inner),
        _ => term,
    }
}

fn addends(term: &N, parts: &mut Vec<N>) {
    match plain(term).kind() {
        NExp::Bin(NBin::Add, _, l, r) => {
            addends(l, parts);
            addends(r, parts);
        }
        _ => parts.push(term.clone()),
    }
}
