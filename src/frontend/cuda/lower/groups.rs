//! Cooperative groups: which threads they have, and their barriers.

use super::expr::changes;
use super::*;

/// The end of the name of the type of a tile of another tile, of which there may be several in a block.
const INNER: &str = " of a tile";

/// Are these types of tiles with as many threads?
pub(super) fn is_tile(declared: &str, given: &str) -> bool {
    let declared = declared.find("thread_block_tile<").and_then(|at| declared.get(at..));
    declared.is_some() && given.strip_suffix(INNER) == declared
}

/// Is this any group, of which the type does not say which threads it has?
pub(super) fn is_any_group(ty: &Type) -> bool {
    matches!(ty.value(), Type::Unknown(name) if name.rsplit("::").next() == Some("thread_group"))
}

/// Is this a group whose type says which threads it has, or that these are not known?
pub(super) fn is_some_group(ty: &Type) -> bool {
    let Type::Unknown(name) = ty.value() else { return false };
    let named = ["thread_block", "grid_group", "multi_grid_group", "cluster_group"].contains(&&**name);
    named || is_coalesced(ty) || Body::tile_lanes(ty).is_some()
}

/// Is this a group of the threads that get somewhere together?
fn is_coalesced(group: &Type) -> bool {
    matches!(group.value(), Type::Unknown(name) if name.rsplit("::").next() == Some("coalesced_group"))
}

impl<'l, 't> Body<'l, 't> {
    /// `labeled_partition(group, label)` and its like: a part of the group. [INF-PART]
    pub(super) fn partition(&mut self, args: Vec<Expr>, span: Span) -> Expr {
        let part = Type::Unknown(Arc::from("coalesced_group"));
        let group = Expr::new(ExprKind::Constant(Name::new("part")), part.clone(), span);
        args.into_iter().rev().fold(group, |rest, arg| {
            let arg = self.value(arg);
            Expr::new(ExprKind::Comma(Box::new(arg), Box::new(rest)), part.clone(), span)
        })
    }

    /// The type of a tile of that many threads.
    pub(super) fn tile_type(lanes: i128) -> Type {
        Type::Unknown(Arc::from(format!("thread_block_tile<{lanes}>")))
    }

    /// The lanes of a tile, by its type.
    pub(super) fn tile_lanes(group: &Type) -> Option<i128> {
        let Type::Unknown(name) = group.value() else { return None };
        let name = name.strip_suffix(INNER).unwrap_or(name);
        let lanes: i128 = name.strip_prefix("thread_block_tile<")?.strip_suffix('>')?.parse().ok()?;
        (lanes > 0 && lanes <= 1024).then_some(lanes)
    }

    /// A question about a group that needs no other thread, or an exchange between its threads.
    pub(super) fn group_member(
        &mut self,
        group: &Type,
        of: Option<&Expr>,
        name: &str,
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        let number = |n: i128| Expr::new(ExprKind::Int(n), Type::UINT, span);
        let lanes = Self::tile_lanes(group);
        let is = |wanted: &str| matches!(group.value(), Type::Unknown(name) if &**name == wanted);
        let (in_block, in_grid) = (is("thread_block"), is("grid_group"));
        let wide = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::Int(IntTy::U64), span);
        let exchange = name.starts_with("shfl") || matches!(name, "any" | "all" | "ballot" | "match_any" | "match_all");
        let inner = matches!(group.value(), Type::Unknown(name) if name.ends_with(INNER));
        if exchange && (lanes.is_some() || is_coalesced(group)) {
            if name == "match_all" {
                let [value, result] = args else { return None };
                let args = vec![self.value(value.clone()), self.address_of(result.clone(), span)];
                let intrinsic = Intrinsic::WritesPointers(Name::new(name));
                return Some(Expr::new(ExprKind::Intrinsic(intrinsic, args), Type::UINT, span));
            }
            let ty = if name.starts_with("shfl") { args.first()?.ty.value().clone() } else { Type::UINT };
            // A tile only says by its type which threads it has.
            let own = of.filter(|of| is_coalesced(group) && !changes(of));
            let group = match own {
                Some(own) => self.value(own.clone()),
                None => Expr::new(ExprKind::Constant(Name::new("group")), group.value().clone(), span),
            };
            let args = std::iter::once(group).chain(args.iter().map(|a| self.value(a.clone()))).collect();
            return Some(Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty, span));
        }
        if let ("thread_rank" | "size" | "num_threads", Some(own)) = (name, of.filter(|_| is_coalesced(group)))
            && !changes(own)
        {
            let own = if is_place(own) { self.address_of(own.clone(), span) } else { own.clone() };
            return Some(Expr::new(ExprKind::CallUnknown(Name::new(name), vec![own]), Type::UINT, span));
        }
        match (name, lanes) {
            ("thread_rank", Some(n)) => Some(self.binary("%", builtin(Builtin::LinearThread), number(n), span)),
            ("size" | "num_threads", Some(n)) => Some(number(n)),
            ("meta_group_rank" | "meta_group_size", Some(_)) if inner => None,
            ("meta_group_rank", Some(n)) => Some(self.binary("/", builtin(Builtin::LinearThread), number(n), span)),
            ("meta_group_size", Some(n)) => {
                let round = self.binary("+", builtin(Builtin::BlockSize), number(n - 1), span);
                Some(self.binary("/", round, number(n), span))
            }
            ("thread_rank", None) if in_block => Some(builtin(Builtin::LinearThread)),
            ("size" | "num_threads", None) if in_block => Some(builtin(Builtin::BlockSize)),
            ("thread_index", None) if in_block => Some(self.name("threadIdx", span)),
            ("group_index", None) if in_block => Some(self.name("blockIdx", span)),
            ("group_dim" | "dim_threads", None) if in_block => Some(self.name("blockDim", span)),
            ("block_rank", None) if in_grid => Some(wide(Builtin::LinearBlock)),
            ("num_blocks", None) if in_grid => Some(wide(Builtin::GridSize)),
            ("thread_rank", None) if in_grid => {
                let before = self.binary("*", wide(Builtin::LinearBlock), builtin(Builtin::BlockSize), span);
                Some(self.binary("+", before, builtin(Builtin::LinearThread), span))
            }
            ("size" | "num_threads", None) if in_grid => {
                Some(self.binary("*", wide(Builtin::GridSize), builtin(Builtin::BlockSize), span))
            }
            ("block_index", None) if in_grid => Some(self.name("blockIdx", span)),
            ("group_dim" | "dim_blocks", None) if in_grid => Some(self.name("gridDim", span)),
            _ => None,
        }
    }

    /// `thread_rank(group)` and its like; `reduce(group, value, operation)`: a value that is not known, made by the threads
    /// of the group. [INF-TOGETHER]
    pub(super) fn group_function(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        if let ("thread_rank" | "group_size", [group]) = (name, args) {
            let asked = if name == "group_size" { "size" } else { name };
            let found = self.group_member(&group.ty.clone(), Some(group), asked, &[], span)?;
            return Some(self.after_group(group, found, span));
        }
        let known = matches!(name, "reduce" | "inclusive_scan" | "exclusive_scan");
        let (group, value) = (args.first()?, args.get(1)?);
        if !known || Self::tile_lanes(&group.ty).is_none() && !is_coalesced(&group.ty) {
            return None;
        }
        let operation = args.get(2).cloned();
        if operation.as_ref().is_some_and(|op| !self.operation_computes(op, value)) {
            return None;
        }
        // What the operation makes of numbers, as `plus<long>` does, is not known; without one it is what they are.
        let ty = match value.ty.value() {
            Type::Int(ty) if operation.is_some() && *ty != IntTy::U64 => Type::Int(IntTy::I64),
            ty => ty.clone(),
        };
        let part = match Self::tile_lanes(&group.ty).filter(|_| name == "reduce") {
            Some(_) => self.group_member(&group.ty.clone(), None, "meta_group_rank", &[], span),
            None => None,
        };
        let what = Name::new(name);
        let what = if part.is_some() { Intrinsic::Together(what) } else { Intrinsic::Havoc(what) };
        // The name of a function has no value that counts.
        let args = args.iter().filter(|a| !matches!(a.kind, ExprKind::Function(_)));
        let args = part.into_iter().chain(args.map(|a| self.value(a.clone()))).collect();
        Some(Expr::new(ExprKind::Intrinsic(what, args), ty, span))
    }

    /// What is asked of a group, after what finding the group does: `groups[i++].sync()`.
    pub(super) fn after_group(&self, group: &Expr, asked: Expr, span: Span) -> Expr {
        if changes(group) { self.after(vec![group.clone()], asked, span) } else { asked }
    }

    /// The scope of the barrier of a group, by its type.
    pub(super) fn group_scope(group: &str) -> Option<Scope> {
        match group {
            "thread_block" => Some(Scope::Block),
            "grid_group" | "multi_grid_group" => Some(Scope::Grid),
            "cluster_group" => Some(Scope::Cluster),
            _ => None,
        }
    }

    pub(super) fn group_barrier(&mut self, group: &Type, span: Span) -> Expr {
        let scope = match group.value() {
            Type::Unknown(name) => Self::group_scope(name),
            _ => None,
        };
        // What orders a part of the threads only is taken for nothing, which is sound; but a race may be none then.
        let part = Expr::new(ExprKind::Intrinsic(Intrinsic::PartBarrier, vec![]), Type::Void, span);
        if let Some(lanes) = Self::tile_lanes(group) {
            if lanes < 32 {
                return self.small_tile_barrier(lanes, part, span);
            }
            // A tile of whole warps orders the threads of each.
            let several = lanes > 32;
            let lanes = Expr::new(ExprKind::Int(lanes), Type::INT, span);
            let warp = Expr::new(ExprKind::Builtin(Builtin::WarpSize), Type::INT, span);
            let whole = self.binary("<=", warp, lanes, span);
            let barrier = Expr::new(ExprKind::Intrinsic(Intrinsic::Barrier(Scope::Warp), vec![]), Type::Void, span);
            let also = several.then(|| part.clone());
            let choice = ExprKind::Choose(Box::new(whole), Box::new(barrier), Box::new(part));
            return self.preceded(also, Expr::new(choice, Type::Void, span));
        }
        match scope {
            None if matches!(group.value(), Type::Unknown(name) if name.ends_with("thread_group")) => {
                Expr::unknown("unknown-order", "which threads this barrier waits for is not known", Type::Void, span)
            }
            Some(scope) => Expr::new(ExprKind::Intrinsic(Intrinsic::Barrier(scope), vec![]), Type::Void, span),
            None => part,
        }
    }

    /// The barrier of a tile of a part of a warp: one with a mask for each tile of a warp of 32 threads, of which two threads
    /// of a tile are both in one, and two of different tiles in none. [INF-TILE]
    fn small_tile_barrier(&mut self, lanes: i128, otherwise: Expr, span: Span) -> Expr {
        let nothing = self.intrinsic_call(Intrinsic::Nothing, vec![], span);
        if lanes == 1 {
            return nothing;
        }
        let first = (1i128 << lanes) - 1;
        let masks = (0..32 / lanes).map(|tile| first << (tile * lanes));
        let barriers: Vec<Expr> = masks
            .map(|mask| {
                let mask = Expr::new(ExprKind::Int(mask), Type::UINT, span);
                self.intrinsic_call(Intrinsic::Barrier(Scope::Warp), vec![mask], span)
            })
            .collect();
        let all = self.preceded(barriers, nothing);
        let warp = Expr::new(ExprKind::Builtin(Builtin::WarpSize), Type::INT, span);
        let usual = self.binary("<=", warp, Expr::new(ExprKind::Int(32), Type::INT, span), span);
        Expr::new(ExprKind::Choose(Box::new(usual), Box::new(all), Box::new(otherwise)), Type::Void, span)
    }

    /// `tiled_partition<N>(group)`, `tiled_partition(group, N)`.
    pub(super) fn tiled_partition(&mut self, template: Option<Node<'t>>, args: &[Expr], span: Span) -> Expr {
        let of = args.first().map(|group| &group.ty);
        let lanes = match (template, args) {
            (Some(list), _) => self.template_arguments(list).first().copied().and_then(|n| self.template_value(n)),
            // `tiled_partition(group, n)`: of a group of threads that get there together, not all of a tile may be there.
            (None, [group, count]) if is_some_group(&group.ty) && !is_coalesced(&group.ty) => fold(count),
            _ => None,
        };
        let lanes = lanes.filter(|n| (1..=1024).contains(n) && (template.is_some() || n.count_ones() == 1));
        let of_block = matches!(of.map(Type::value), Some(Type::Unknown(name)) if &**name == "thread_block");
        let ty = match lanes.map(Self::tile_type) {
            Some(Type::Unknown(tile)) if !of_block => Type::Unknown(Arc::from(format!("{tile}{INNER}"))),
            Some(tile) => tile,
            None => Type::Unknown(Arc::from("thread_group")),
        };
        Expr::new(ExprKind::Constant(Name::new("tile")), ty, span)
    }
}
