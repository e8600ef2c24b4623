//! What the Tracy profiler shows of a run: spans on the CPU, and one zone on the GPU for each submit
//! that is measured, from the two timestamps that the sample takes anyway.
//!
//! With the feature `tracy` this is `on`; without it, `off` has the same names with nothing behind
//! them, so that no caller asks which it is.

#[cfg(any(test, feature = "tracy"))]
mod counter;
#[cfg(not(feature = "tracy"))]
mod off;
#[cfg(feature = "tracy")]
mod on;

#[cfg(not(feature = "tracy"))]
pub use off::{Timeline, await_profiler, muted, span};
#[cfg(feature = "tracy")]
pub use on::{Timeline, await_profiler, muted, span};
