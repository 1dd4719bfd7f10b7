//! Reports made of hand-built findings: what people and programs get to see.

mod fixtures;
mod html;
mod json;
mod robust;
mod sarif;
mod text;
