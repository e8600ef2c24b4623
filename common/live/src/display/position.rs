//! Describes what the window shows as a line of JSON, for tests.

use serde::Serialize;

use crate::messages::{About, Notice, Snapshot, State};

/// What the window shows.
#[derive(Serialize)]
pub(super) struct Position<'b> {
    state: &'static str,
    frame: u64,
    variant: &'b str,
    /// The compared variant; empty if there is none.
    other: &'b str,
    size: [u32; 2],
    reloads: u32,
    shader: bool,
    /// Elements of the last frame that differ from the CPU reference.
    wrong: u64,
    /// The figures hold a wrong row.
    wrong_row: bool,
    /// The beginnings of the notices.
    notices: Vec<String>,
}

/// Characters per notice, and number of notices, that are written.
const TOLD: (usize, usize) = (160, 5);

impl<'b> Position<'b> {
    pub fn of(snapshot: &'b Snapshot, size: [u32; 2]) -> Self {
        let has = |about: About| snapshot.notices.iter().any(|notice| notice.about == about);
        let name = |at: usize| snapshot.variants.get(at).map_or("", |entry| &entry.name);
        Self {
            state: word(&snapshot.state),
            frame: snapshot.frame,
            variant: name(snapshot.current),
            other: snapshot.other.map_or("", name),
            size,
            reloads: snapshot.reloads,
            shader: has(About::Shader),
            wrong: snapshot.frames.last().map_or(0, |frame| frame.wrong),
            wrong_row: snapshot.figures.is_any_wrong(),
            notices: snapshot.notices.iter().take(TOLD.1).map(beginning).collect(),
        }
    }
}

fn word(state: &State) -> &'static str {
    match state {
        State::Building(_) => "building",
        State::Running => "running",
        State::Paused => "paused",
        State::Failed(_) => "failed",
    }
}

fn beginning(notice: &Notice) -> String {
    notice.text.chars().take(TOLD.0).collect()
}
