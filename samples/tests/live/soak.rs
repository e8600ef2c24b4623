//! Resizes, variants and reloads in random order: nothing is said, nothing grows, nothing leaks.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::display::Key;
use crate::samples::small;
use crate::support::{Call, Checkout, trial};
use crate::window::{Window, ended_quietly, save};

const SAMPLE: &str = "pipelined_events";
const SHADER: &str = "chain/step.comp";
/// Repeats a run that failed: the seed that it printed.
const SEED: &str = "HOTLAP_SOAK_SEED";
/// How many other than usual.
const ACTIONS: &str = "HOTLAP_SOAK_ACTIONS";
/// Memory may grow by so many of a hundred.
const GROWTH: u64 = 5;
/// Valid texts of the shader: so many are kept compiled and no more.
const TEXTS: usize = 6;
/// glibc returns what is freed, instead of keeping more the larger the pieces were: what grows is in use.
const ALLOCATOR: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "1"), ("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "131072")];
const READINGS: usize = 6;

/// Random orders to one window.
struct Soak {
    window: Window,
    shader: PathBuf,
    text: String,
    random: Pcg64,
    /// The valid text that is built.
    built: usize,
    /// The one that was saved last is another, and cannot be built.
    is_broken: bool,
    _checkout: Checkout,
}

pub fn trials() -> Vec<Trial> {
    vec![trial("soak::says_nothing", says_nothing), trial("soak::takes_no_more", takes_no_more)]
}

/// Under the validation layer, which also tells of objects that are left at the end.
fn says_nothing() -> Result<()> {
    let life = Life::asked()?;
    let mut soak = life.begin(Window::open)?;
    let before = open_files(soak.window.process())?;
    life.lasts(&mut soak)?;
    let after = open_files(soak.window.process())?;
    println!("{before} files, then {after}");
    ensure!(after <= before, "{after} files are open, {before} were");
    ended_quietly(soak.window.quit()?)
}

/// Without the layer: it keeps half a megabyte of its own for a thousand actions.
fn takes_no_more() -> Result<()> {
    let life = Life::asked()?;
    let mut soak = life.begin(Window::open_unheard)?;
    let before = soak.memory()?;
    life.lasts(&mut soak)?;
    let after = soak.memory()?;
    println!("{before} kB, then {after} kB");
    let most = before + before * GROWTH / 100;
    ensure!(after <= most, "{before} kB of memory became {after} kB");
    ended_quietly(soak.window.quit()?)
}

/// How long, and in what order.
struct Life {
    actions: u64,
    seed: u64,
}

impl Life {
    fn asked() -> Result<Self> {
        let long = std::env::var_os("HOTLAP_LONG").is_some();
        let asked = std::env::var(ACTIONS).ok().map(|text| text.parse()).transpose()?;
        let actions: u64 = asked.unwrap_or(if long { 10_000 } else { 40 });
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let seed: u64 = std::env::var(SEED).ok().map_or_else(|| Ok(clock()), |text| text.parse())?;
        Ok(Self { actions, seed })
    }

    /// A window in which everything has happened once.
    fn begin(&self, open: impl FnOnce(Call, Duration) -> Result<Window>) -> Result<Soak> {
        println!("{} actions; {SEED}={} repeats them", self.actions, self.seed);
        let checkout = Checkout::copy()?;
        let shader = checkout.path().join("shaders").join(SHADER);
        let text = fs::read_to_string(&shader)?;
        let call = checkout.call(SAMPLE)?.words(small(SAMPLE));
        let call = ALLOCATOR.into_iter().fold(call, |call, (name, value)| call.env(name, value));
        let window = open(call, Duration::from_secs(60 + self.actions))?;
        let random = Pcg64::seed_from_u64(self.seed);
        let mut soak = Soak { window, shader, text, random, built: 0, is_broken: false, _checkout: checkout };
        soak.window.until("it has begun", |now| now.frame >= 10 && now.runs())?;
        soak.every_kind()?;
        for action in 0..(self.actions / 20).max(10) {
            soak.act().with_context(|| format!("action {action} of the warm-up, {SEED}={}", self.seed))?;
        }
        Ok(soak)
    }

    fn lasts(&self, soak: &mut Soak) -> Result<()> {
        let began = Instant::now();
        for action in 0..self.actions {
            soak.act().with_context(|| format!("action {action}, {SEED}={}", self.seed))?;
            if action % 500 == 499 {
                let (lasted, memory) = (began.elapsed().as_secs(), memory(soak.window.process())?);
                println!("{} actions in {lasted} s, {memory} kB", action + 1);
            }
        }
        Ok(())
    }
}

impl Soak {
    /// Everything once, so that what comes once is there before memory is first read.
    fn every_kind(&mut self) -> Result<()> {
        let first = self.window.now()?.variant;
        let mut now = self.window.now()?.variant;
        loop {
            let last = now;
            now = self.window.press(Key::RIGHT, "the next is shown", |next| next.variant != last)?.variant;
            if now == first {
                break;
            }
        }
        for text in (0..TEXTS).rev() {
            self.reload(text)?;
        }
        self.spoil()?;
        self.every_size()?;
        self.reload(1)?;
        self.every_size()
    }

    /// Text has a whole number of points, which the window's height gives: each size is kept once it was drawn.
    fn every_size(&mut self) -> Result<()> {
        for points in 10..=22 {
            self.window.resize([1920, 50 * points])?;
            self.window.goes_on()?;
        }
        Ok(())
    }

    fn act(&mut self) -> Result<()> {
        match self.random.random_range(0..10) {
            0..4 => {
                let size = [self.random.random_range(1..1920), self.random.random_range(1..1080)];
                self.window.resize(size)
            }
            4..8 => self.switch(),
            8 if self.random.random_range(0..2) == 0 => self.spoil(),
            _ => {
                let text = (self.built + self.random.random_range(1..TEXTS)) % TEXTS;
                self.reload(text)
            }
        }
    }

    fn switch(&mut self) -> Result<()> {
        let now = self.window.now()?.variant;
        let key = if self.random.random_range(0..2) == 0 { Key::LEFT } else { Key::RIGHT };
        self.window.press(key, &format!("another than {now} is shown"), |next| next.variant != now)?;
        Ok(())
    }

    /// Saves one of the valid texts.
    fn reload(&mut self, text: usize) -> Result<()> {
        // What was saved and could not be built is replaced, too.
        let is_new = text != self.built || self.is_broken;
        let reloads = self.window.now()?.reloads + u32::from(is_new);
        // A constant that nothing uses: other words, the same work.
        save(&self.shader, &format!("{}const uint SOAK = {text}u;\n", self.text))?;
        self.window.until(&format!("text {text} is built, reload {reloads}"), |now| {
            !now.shader && now.reloads == reloads && now.runs()
        })?;
        (self.built, self.is_broken) = (text, false);
        Ok(())
    }

    /// Saves a text that cannot be built.
    fn spoil(&mut self) -> Result<()> {
        save(&self.shader, &format!("{}no shader\n", self.text))?;
        self.is_broken = true;
        self.window.until("the error is shown", |now| now.shader && now.runs())?;
        Ok(())
    }

    /// Kilobytes, the least of some readings between other actions: what has leaked stays, what the last size or
    /// the last text left behind goes. The window is small then: how many of its images were ever drawn, so that they
    /// take memory, is a matter of speed, and of a large one each is 3 % of all.
    fn memory(&mut self) -> Result<u64> {
        let mut readings = Vec::new();
        for _ in 0..READINGS {
            self.act()?;
            self.reload(0)?;
            self.window.resize([640, 360])?;
            let first = self.window.now()?.frame;
            self.window.until("it has gone on for a while", |now| now.frame > first + 8 && now.runs())?;
            readings.push(memory(self.window.process())?);
        }
        println!("{readings:?} kB");
        readings.into_iter().min().context("no readings")
    }
}

/// Kilobytes of memory that is no file's: of those, others that end make a share larger.
fn memory(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/status");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let of = |name: &str| -> Result<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        Ok(line.with_context(|| format!("no {name}"))?.trim_end_matches("kB").trim().parse()?)
    };
    Ok(of("RssAnon:")? + of("RssShmem:")?)
}

/// Open files.
fn open_files(process: u32) -> Result<usize> {
    Ok(fs::read_dir(format!("/proc/{process}/fd"))?.count())
}
