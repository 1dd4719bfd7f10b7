//! Random and exhaustive kernels, and the theorems that they are tested against: a kernel is a function of a list of small
//! choices, so that a seed makes one, shrinking is shortening and lowering the choices, and counting through the choices
//! makes all small ones.

pub mod campaign;
pub mod choices;
pub mod expressions;
pub mod kernels;
pub mod mutants;
pub mod oracle;
pub mod passes;
pub mod population;
pub mod smaller;
pub mod soundness;
pub mod texts;
pub mod theorems;

pub use campaign::{Campaign, Difference, Plan, Tried};
pub use choices::{Choices, Enumerate, shrink};
pub use kernels::{Dialect, kernel, sized};
pub use passes::Pass;
pub use population::Population;
