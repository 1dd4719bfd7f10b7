//! Index and condition expressions: every operator carries the width and sign of the C type it works in.

pub mod build;
mod conversions;
pub mod display;
pub mod eval;
pub mod interval;
pub mod keeping;
pub mod poly;
pub mod subst;
pub mod syntax;
pub mod wrap;

pub use conversions::conversions;
pub use eval::{Env, EvalError, eval_b, eval_n};
pub use interval::{Interval, Ranges};
pub use subst::{Subst, free_vars_b, free_vars_n, subterms, subterms_n};
pub use syntax::{B, BExp, Fun, FunKind, IntTy, N, NBin, NExp, NRel, Order, Ticket, Var};
