//! What several samples share: formulas whose kernels they use in common. A sample itself is one
//! file in `src/bin`.

pub mod chain;
