//! Names and functions that HIP, or its compiler, has besides those of CUDA. [INF-HIP]

use super::*;

/// What ends the names of the three axes.
const AXES: [&str; 3] = ["x", "y", "z"];

impl<'l, 't> Body<'l, 't> {
    /// `hipThreadIdx_x` and its like.
    pub(super) fn hip_name(name: &str, span: Span) -> Option<Expr> {
        let (what, axis) = name.strip_prefix("hip")?.split_once('_')?;
        let builtin = coordinate(what, axis, ["ThreadIdx", "BlockIdx", "BlockDim", "GridDim"])?;
        Some(Expr::new(ExprKind::Builtin(builtin), Type::UINT, span))
    }

    /// Built-in functions of the compiler for AMD's devices.
    pub(super) fn hip_call(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        match (name, args) {
            ("__lane_id", []) => {
                let warp = Expr::new(ExprKind::Builtin(Builtin::WarpSize), Type::UINT, span);
                Some(self.binary("%", builtin(Builtin::LinearThread), warp, span))
            }
            ("__builtin_nontemporal_store", [value, pointer]) => {
                let place = self.deref(self.value(pointer.clone()), span);
                let value = self.value(value.clone());
                Some(self.assign(place, value, span))
            }
            (_, []) => {
                let (what, axis) = name.strip_prefix("__builtin_amdgcn_")?.rsplit_once('_')?;
                let whole = ["workitem_id", "workgroup_id", "workgroup_size", "grid"];
                coordinate(what, axis, whole).filter(|_| what != "grid").map(builtin)
            }
            _ => None,
        }
    }
}

/// The coordinate of these names for one of the thread, one of the block, and their numbers.
fn coordinate(what: &str, axis: &str, names: [&str; 4]) -> Option<Builtin> {
    let makes: [fn(u8) -> Builtin; 4] = [Builtin::ThreadIdx, Builtin::BlockIdx, Builtin::BlockDim, Builtin::GridDim];
    let axis = AXES.iter().position(|a| *a == axis)? as u8;
    let at = names.iter().position(|n| *n == what)?;
    Some(makes[at](axis))
}
