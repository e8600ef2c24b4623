//! `--live`: shows a sample in a window. It uses the same recordings, checks and statistics as `--bench`.

pub mod display;
pub mod engine;
pub mod handoff;
pub mod knobs;
pub mod messages;
pub mod ui;
