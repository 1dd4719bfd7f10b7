//! Random and exhaustive inputs for the theorem tests: a kernel is a function of a list of small choices, so that a seed
//! makes one, shrinking is shortening and lowering the choices, and counting through the choices makes all small ones.

pub mod choices;
pub mod expressions;
pub mod kernels;
pub mod population;
pub mod soundness;
pub mod texts;

pub use choices::{Choices, Enumerate, shrink};
pub use kernels::{Dialect, kernel};
pub use population::Population;
