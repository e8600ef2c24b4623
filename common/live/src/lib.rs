//! `--live`: a sample in a window, over the same recordings, checks and statistics as `--bench`.

pub mod desk;
pub mod engine;
pub mod knobs;
pub mod link;
pub mod stage;
pub mod ui;
