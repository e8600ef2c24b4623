//! A sample's window on a display of its own, and what its line of progress says.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use tempfile::TempDir;
use x11rb::protocol::xproto::Window as Id;

use crate::display::{Display, Key};
use crate::support::{Call, Ended, OVERLOADED, Running};

/// Whatever is asked of a window happens by then, on a machine that is busy with other work.
const PATIENCE: Duration = Duration::from_secs(200);
const POLL: Duration = Duration::from_millis(3);

/// What the window shows.
#[derive(Clone, Debug, Deserialize)]
pub struct Position {
    /// What the engine does: building, running, paused, failed.
    pub state: String,
    /// Frames so far.
    pub frame: u64,
    /// The variant that is shown.
    pub variant: String,
    /// The one beside it, or nothing.
    pub other: String,
    /// Sides of the window.
    pub size: [u32; 2],
    /// Times that shaders were reloaded.
    pub reloads: u32,
    /// An error in a shader is shown.
    pub shader: bool,
    /// Elements of the last frame that are wrong.
    pub wrong: u64,
    /// The figures hold a wrong row.
    pub wrong_row: bool,
    /// What is said over the picture.
    pub notices: Vec<String>,
}

impl Position {
    /// It draws new frames.
    pub fn runs(&self) -> bool {
        self.state == "running"
    }
}

/// A sample in its window. Closed when it is dropped.
pub struct Window {
    running: Running,
    id: Id,
    progress: PathBuf,
    // Goes last: a server that ends first would end the window with an error.
    display: Display,
    _folder: TempDir,
}

impl Window {
    /// Opens it, under the validation layer's eyes, for `life` at most.
    pub fn open(call: Call, life: Duration) -> Result<Self> {
        Self::open_unheard(call.args(["--check"]), life)
    }

    /// Opens it for `life` at most: so long on an idle machine.
    pub fn open_unheard(call: Call, life: Duration) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let progress = folder.path().join("progress");
        let display = Display::start(OVERLOADED * life)?;
        let call = call.args(["--live", "--progress"]).args([&progress]).with_open_stdin();
        let call = call.env("DISPLAY", display.name()).without("WAYLAND_DISPLAY").without("WAYLAND_SOCKET");
        let mut running = call.start()?.for_at_most(life);
        let opened = display.window_of(running.id());
        running.ensure_alive()?;
        let id = opened?;
        display.focus(id)?;
        Ok(Self { running, id, progress, display, _folder: folder })
    }

    /// Number of its process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }

    /// What it shows now; nothing before its first frame.
    fn position(&self) -> Option<Position> {
        let text = std::fs::read_to_string(&self.progress).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// What it shows now.
    pub fn now(&mut self) -> Result<Position> {
        self.until("anything is shown", |_| true)
    }

    /// Waits until it shows something.
    pub fn until(&mut self, what: &str, holds: impl Fn(&Position) -> bool) -> Result<Position> {
        let began = Instant::now();
        loop {
            let now = self.position();
            if let Some(position) = now.as_ref().filter(|position| holds(position)) {
                return Ok(position.clone());
            }
            self.running.ensure_alive().with_context(|| format!("waiting until {what}"))?;
            if began.elapsed() > PATIENCE {
                bail!("waited {} s until {what}; it shows {now:?}", PATIENCE.as_secs());
            }
            thread::sleep(POLL);
        }
    }

    /// Waits for frames that are new.
    pub fn goes_on(&mut self) -> Result<Position> {
        let at = self.now()?.frame;
        self.until("there are new frames", |now| now.frame > at + 2 && now.runs())
    }

    /// Presses a key and waits for what it does.
    pub fn press(&mut self, key: Key, what: &str, holds: impl Fn(&Position) -> bool) -> Result<Position> {
        self.display.press(key)?;
        self.until(what, holds)
    }

    /// Gives it a size, waits until that is drawn.
    pub fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        self.display.resize(self.id, size)?;
        self.until(&format!("it is {size:?}"), |now| now.size == size)?;
        Ok(())
    }

    /// Minimises it for a while.
    pub fn hide_for(&mut self, while_: Duration) -> Result<()> {
        self.display.hide(self.id)?;
        thread::sleep(while_);
        self.running.ensure_alive()?;
        self.display.show(self.id)
    }

    /// Types to the window that its process has now.
    pub fn find_again(&mut self) -> Result<()> {
        self.id = self.display.window_of(self.running.id())?;
        self.display.focus(self.id)
    }

    /// Presses Q, and waits for its end.
    pub fn quit(self) -> Result<Ended> {
        self.display.press(Key::of('q'))?;
        self.end()
    }

    /// Closes it at its corner, and waits for its end.
    pub fn close(self) -> Result<Ended> {
        self.display.close(self.id)?;
        self.end()
    }

    /// Waits for its end.
    pub fn end(self) -> Result<Ended> {
        // The display stays until the window has gone.
        let Self { running, display: _display, .. } = self;
        running.wait()
    }
}

/// It ended well, and had nothing to say.
pub fn ended_quietly(ended: Ended) -> Result<()> {
    let ended = ended.with_code(0)?;
    ensure!(ended.stderr.is_empty() && ended.stdout.is_empty(), "it said something: {ended}");
    Ok(())
}

/// Saves a file as editors do: under another name, then renamed.
pub fn save(path: &Path, text: &str) -> Result<()> {
    let draft = path.with_extension("draft");
    std::fs::write(&draft, text).with_context(|| format!("writing {}", draft.display()))?;
    std::fs::rename(&draft, path).with_context(|| format!("renaming to {}", path.display()))
}
