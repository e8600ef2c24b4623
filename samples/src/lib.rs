//! What samples are made of beside their recordings: formulas and geometry, each with its own
//! proof. A sample itself is one file in `src/bin`.

pub mod bands;
pub mod box_blur;
pub mod chain;
pub mod hall;
pub mod island;
pub mod neighbourhood;
pub mod remap;
pub mod residency;
pub mod ssao;
pub mod tiles;
