//! The theorems of `proofs-notes/README.md`, each tested against the reference semantics.

#[path = "gen.rs"]
mod generate;

mod align;
mod fence;
mod fold;
mod lockstep;
mod nonempty;
mod phases;
mod race;
mod scope;
mod text;
mod tickets;
mod uniform;
