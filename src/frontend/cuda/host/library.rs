//! Functions of libraries whose headers are not there, and that are known all the same.

use tree_sitter::Node;

use super::Host;
use super::places::listed_in;
use crate::exp::{IntTy, N, NBin};

/// Of two integers of one type: how many of the second cover the first.
const ROUNDING_UP: [&str; 5] =
    ["at::ceil_div", "at::cuda::ATenCeilDiv", "cuda::ceil_div", "cv::cuda::device::divUp", "cv::cudev::divUp"];

/// Does a function with this path round a quotient up? [HOST-LIBRARY]
pub(super) fn rounds_up(path: &str) -> bool {
    let path = path.split('<').next().unwrap_or("").trim_start_matches("::");
    ROUNDING_UP.contains(&path)
}

impl<'u> Host<'_, 'u> {
    /// Does a call mean a function that rounds a quotient up? The unit declares none of its name.
    pub(super) fn is_rounding_up(&self, call: Node<'u>) -> bool {
        let Some(function) = call.child_by_field_name("function") else { return false };
        rounds_up(self.unit.str(function)) && !self.lower.names.functions.contains_key(self.callee(function))
    }

    /// The type that both arguments of such a call have.
    pub(super) fn type_of_quotient(&mut self, call: Node<'u>) -> Option<IntTy> {
        let [left, right] = self.of_quotient(call)?;
        match (self.type_of(left), self.type_of(right)) {
            (Some(l), Some(r)) if l.signed != r.signed => None,
            (l, r) => l.or(r),
        }
    }

    /// The value of such a call.
    pub(super) fn quotient_above(&mut self, call: Node<'u>) -> Option<N> {
        let [left, right] = self.of_quotient(call)?;
        self.type_of_quotient(call)?;
        let (l, r) = (self.number(left)?, self.number(right)?);
        if r.as_num() == Some(0) {
            return None;
        }
        let less = N::bin(NBin::Sub, IntTy::MATH, &r, &N::num(1));
        let sum = N::bin(NBin::Add, IntTy::MATH, &l, &less);
        Some(N::bin(NBin::Div, IntTy::MATH, &sum, &r))
    }

    fn of_quotient(&self, call: Node<'u>) -> Option<[Node<'u>; 2]> {
        let arguments = call.child_by_field_name("arguments").map(listed_in)?;
        <[Node<'u>; 2]>::try_from(arguments).ok().filter(|_| self.is_rounding_up(call))
    }
}
