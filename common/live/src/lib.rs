//! `--live`: a sample in a window, over the same recordings, checks and statistics as `--bench`.

pub mod display;
pub mod engine;
pub mod handoff;
pub mod knobs;
pub mod messages;
pub mod ui;
