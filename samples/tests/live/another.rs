//! Page Down and Page Up: another sample in the place of this one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::display::Key;
use crate::picture::Png;
use crate::samples::small;
use crate::support::{Call, read_record};
use crate::window::{Position, Window, ended_quietly};

const SAMPLE: &str = "drain_fill";
const BEFORE: &str = "data_race";
const LIFE: Duration = Duration::from_secs(60);

/// The picture and the keys that are left are the other sample's, the record is the first one's.
pub fn without_a_window() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let shot = |sample: &str, words: &str, name: &str| {
        let call = Call::new(sample)?.words("--live --headless").words(words);
        let call = call.args(["--screenshot", name]).within(folder.path());
        ended_quietly(call.without("DISPLAY").run()?)?;
        Png::read(&folder.path().join(name))
    };
    let words = format!("{} --theme dark --frames 24 --press t,p,PageUp,w --json record.json", small(SAMPLE));
    let there = shot(SAMPLE, &words, "there.png")?;
    there.ensure_like(&shot(BEFORE, "--theme light --frames 12 --press p,w", "right.png")?)?;
    let other = shot(SAMPLE, "--theme light --frames 12 --press p,w", "other.png")?;
    ensure!(there.ensure_like(&other).is_err(), "one sample is taken for another");
    let record = read_record(&folder.path().join("record.json"))?;
    ensure!(record.sample == SAMPLE, "the record is one of {}", record.sample);
    Ok(())
}

/// The window of the other sample has the size of the first one's, and is the same process.
pub fn in_its_place() -> Result<()> {
    let mut window = Window::open(Call::new(BEFORE)?.words(small(BEFORE)), LIFE)?;
    let first = window.until("it has begun", |now| now.frame >= 5 && now.runs())?;
    window.resize([800, 500])?;
    let is_another = |now: &Position| now.variant != first.variant && now.frame >= 3 && now.runs();
    let now = window.press(Key::PAGE_DOWN, "another sample is shown", is_another)?;
    ensure!(now.size == [800, 500], "the size is {:?}", now.size);
    let listed = Call::new(SAMPLE)?.words("--list-variants").right()?.stdout;
    ensure!(listed.contains(&now.variant), "{} is no variant of {SAMPLE}", now.variant);
    window.find_again()?;
    ended_quietly(window.quit()?)
}

/// Without another program beside it, it says what to build, and stays.
pub fn alone_in_its_folder() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join(SAMPLE);
    std::fs::copy(Call::binary(SAMPLE)?, &program).context("copying a sample")?;
    let call = Call::on_any_device(&program).on_test_device().words(small(SAMPLE));
    let mut window = Window::open(call, LIFE)?;
    window.until("it has begun", |now| now.frame >= 5 && now.runs())?;
    let is_told =
        |now: &Position| now.notices.iter().any(|notice| notice.contains("no other sample beside this one"));
    window.press(Key::PAGE_DOWN, "it says what to build", is_told)?;
    ended_quietly(window.quit()?)
}

/// A step of a talk, as far as the window tells it.
#[derive(Deserialize)]
struct Step {
    #[serde(default)]
    variant: String,
    #[serde(default)]
    rival: String,
}

/// The talk in the documentation, step by step and back, without a device.
pub fn a_talk_on_records() -> Result<()> {
    let talk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/talk.toml");
    let steps: BTreeMap<String, Vec<Step>> = toml::from_str(&std::fs::read_to_string(&talk)?)?;
    let steps = &steps["step"];
    ensure!(steps.len() > 4, "a short talk");
    let call = Call::on_any_device(&Call::binary(BEFORE)?).args(["--script".as_ref(), talk.as_os_str()]);
    let mut window = Window::open_unheard(call.env("VK_DRIVER_FILES", "none"), LIFE)?;
    let is = |step: &Step, now: &Position| {
        now.frame >= 3 && now.runs() && now.variant == step.variant && now.other == step.rival
    };
    window.until("the first step is shown", |now| is(&steps[0], now))?;
    for (at, step) in steps.iter().enumerate().skip(1) {
        window.find_again()?;
        window.press(Key::PAGE_DOWN, &format!("step {}", at + 1), |now| is(step, now))?;
    }
    window.find_again()?;
    let is_told = |now: &Position| now.notices.iter().any(|notice| notice == "the script ends here");
    window.press(Key::PAGE_DOWN, "it says that it ends", is_told)?;
    let before = &steps[steps.len() - 2];
    window.press(Key::PAGE_UP, "the step before", |now| is(before, now))?;
    window.find_again()?;
    ended_quietly(window.quit()?)
}

/// Knobs and variants of a talk that measures; what a step names and the sample does not have is said.
pub fn a_talk_that_measures() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let talk = folder.path().join("talk.toml");
    let text = "[[step]]\nsample = 'drain_fill'\nknobs = { size = 64 }\nvariant = 'barrier_4'\n\
                [[step]]\nknobs = { passes = 2 }\nvariant = 'barrier_1'\nrival = 'no_barrier_1'\n\
                [[step]]\nvariant = 'unknown'\n";
    std::fs::write(&talk, text)?;
    let call = Call::new(SAMPLE)?.args(["--script".as_ref(), talk.as_os_str()]);
    let mut window = Window::open(call, LIFE)?;
    window
        .until("the first step is shown", |now| now.runs() && now.frame >= 3 && now.variant == "barrier_4")?;
    let is_second = |now: &Position| now.variant == "barrier_1" && now.other == "no_barrier_1" && now.runs();
    window.press(Key::PAGE_DOWN, "the second step", is_second)?;
    // Other knobs start the program again.
    window.find_again()?;
    let is_told =
        |now: &Position| now.notices.iter().any(|notice| notice.contains("the script names unknown"));
    window.press(Key::PAGE_DOWN, "it says what is unknown", is_told)?;
    ended_quietly(window.quit()?)
}
