//! `--live`: a sample in a window, over the same recordings, checks and statistics as `--bench`.

// The contract of what talks to Vulkan is on `vulkan::gpu::Gpu`.
#![allow(unsafe_code)]

pub mod desk;
pub mod engine;
pub mod knobs;
pub mod link;
pub mod present;
pub mod stage;
pub mod ui;
