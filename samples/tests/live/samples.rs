//! What is asked of every sample's window, and which arguments make it quick.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use record::{Record, is_limit};

use crate::display::Key;
use crate::picture::Png;
use crate::support::{Call, Checkout, files_of, read_record};
use crate::window::{Position, Window, ended_quietly, save};

/// A window that is still open then hangs.
const LIFE: Duration = Duration::from_secs(100);
/// What makes a sample quick and its picture small, where it has such arguments.
const SMALL: &[(&str, &str)] = &[
    ("pipelined_events", "--size 96 --bands 2 --align 8"),
    ("event_matrix", "--size 96 --bands 2 --align 8"),
    ("tiles_in_one_dispatch", "--size 64"),
    ("data_race", "--size 64"),
    ("bloom", "--size 96x64"),
    ("drain_fill", "--size 64"),
    ("cold_caches", "--size 16"),
    ("wave_launch", "--size 64"),
    ("lds_blur", "--size 64"),
    ("semi_persistent_waves", "--size 64"),
    ("swizzled_remap", "--size 64"),
    ("codegen", "--generators 8 --invocations 256"),
    ("sgemm", "--size 64"),
    ("groestl", "--hashes 64"),
    ("registers", "--invocations 2048"),
    ("memory_latency", "--largest 1"),
    ("load_rate", ""),
    ("hidden_latency", ""),
    ("code_size", ""),
    ("wave_order", ""),
    ("tile_order", "--size 32"),
    ("time_stamps", ""),
    ("round_trip", "--submits 8"),
    ("clears", "--size 64x36"),
    ("raster_or_compute", "--size 64x36"),
    ("first_pixel", ""),
    ("merged_passes", ""),
    ("queues", ""),
    ("small_dispatches", "--dispatches 4"),
    ("async_compute", ""),
    ("group_physics", "--islands 2 --particles 64 --iterations 2"),
];
const SIZES: [[u32; 2]; 4] = [[900, 700], [331, 257], [1, 1], [1280, 720]];

/// Arguments for a sample; none for one that is new.
pub fn small(sample: &str) -> &'static str {
    SMALL.iter().find(|(name, _)| *name == sample).map_or("", |(_, words)| words)
}

/// All that a person may do with it, one thing after the other.
pub fn tour(sample: &str) -> Result<()> {
    let checkout = Checkout::copy()?;
    let variants = run_by_default(sample)?;
    // A quarter of the pixels to draw.
    let call = checkout.call(sample)?.words(small(sample)).words("--window 640x360");
    let mut window = Window::open(call, LIFE)?;
    window.until("10 frames were shown", |now| now.frame >= 10 && now.runs())?;
    walks(&mut window, &variants)?;
    pauses(&mut window)?;
    let record = writes_a_record(&mut window, checkout.path(), &variants)?;
    reloads(&mut window, &shader_of(&record, checkout.path())?)?;
    for size in SIZES {
        window.resize(size)?;
        window.goes_on().with_context(|| format!("with {size:?}"))?;
    }
    window.hide_for(Duration::from_millis(300))?;
    window.goes_on().context("after it was minimised")?;
    saves_a_picture(&mut window, checkout.path())?;
    ended_quietly(window.quit()?)
}

/// Names of the variants that run where nobody asks for any.
fn run_by_default(sample: &str) -> Result<Vec<String>> {
    let ended = Call::new(sample)?.words("--list-variants").words(small(sample)).run()?.with_code(0)?;
    let list = ended.stdout.split("\n\n").nth(1).unwrap_or_default();
    let rows = list.lines().filter(|line| !line.starts_with(' '));
    let names: Vec<String> = rows.filter_map(|row| Some(row.split_whitespace().next()?.to_owned())).collect();
    ensure!(!names.is_empty(), "no variant: {ended}");
    Ok(names)
}

/// Once round by the arrow: each variant that runs by default is reached.
fn walks(window: &mut Window, variants: &[String]) -> Result<()> {
    let first = window.now()?.variant;
    let mut seen = vec![first.clone()];
    loop {
        let last = seen[seen.len() - 1].clone();
        let next =
            window.press(Key::RIGHT, &format!("the one after {last} is shown"), |now| now.variant != last)?;
        if next.variant == first {
            break;
        }
        seen.push(next.variant);
        ensure!(seen.len() < 1000, "no end of variants: {seen:?}");
    }
    for variant in variants {
        ensure!(seen.contains(variant), "{variant} is not reached: {seen:?}");
    }
    let last = seen[seen.len() - 1].clone();
    window.press(Key::LEFT, &format!("{last} is shown again"), |now| now.variant == last)?;
    // What limits the device has no key.
    let own = variants.iter().find(|name| !is_limit(name)).context("no variant of its own")?;
    window.press(Key::of('1'), &format!("{own} is shown"), |now| now.variant == *own)?;
    window.press(Key::of('b'), "one is beside it", |now| !now.other.is_empty())?;
    window.press(Key::of('b'), "none is beside it", |now| now.other.is_empty())?;
    Ok(())
}

/// It stands still, takes one frame when that is asked, and goes on.
fn pauses(window: &mut Window) -> Result<()> {
    window.press(Key::of(' '), "it is paused", |now| now.state == "paused")?;
    let at = stands_still(window)?.frame;
    window.press(Key::of('.'), "one frame was taken", |now| now.frame > at)?;
    let now = stands_still(window)?;
    ensure!(now.frame == at + 1, "{} frames instead of one", now.frame - at);
    window.press(Key::of(' '), "it goes on", |now| now.runs() && now.frame > at + 1)?;
    Ok(())
}

fn stands_still(window: &mut Window) -> Result<Position> {
    std::thread::sleep(Duration::from_millis(250));
    let before = window.now()?;
    std::thread::sleep(Duration::from_millis(250));
    let after = window.now()?;
    ensure!(before.frame == after.frame, "paused, and {} frames came", after.frame - before.frame);
    Ok(after)
}

/// A shader that is saved is built; one with an error is told, and what was there goes on.
fn reloads(window: &mut Window, shader: &Path) -> Result<()> {
    let text = fs::read_to_string(shader)?;
    let before = window.now()?.reloads;
    save(shader, &format!("{text}// Nothing else.\n"))?;
    // Another text of the same meaning may be the same code: what counts is that it was built.
    window.until("it was reloaded", |now| now.reloads == before + 1 && now.runs())?;
    window.goes_on()?;

    save(shader, &format!("{text}no shader\n"))?;
    let name = shader.file_name().context("a name")?.to_string_lossy().into_owned();
    let place = format!("{name}:{}", text.lines().count() + 1);
    let told = |now: &Position| now.notices.iter().any(|notice| notice.contains(&place));
    window.until(&format!("an error at {place} is shown"), |now| now.shader && told(now))?;
    let now = window.goes_on().context("with a broken shader")?;
    ensure!(now.shader && now.reloads == before + 1, "the error has gone by itself: {now:?}");

    save(shader, &text)?;
    window.until("the error has gone", |now| !now.shader && now.runs())?;
    window.goes_on()?;
    Ok(())
}

/// A shader of the sample's own.
fn shader_of(record: &Record, checkout: &Path) -> Result<PathBuf> {
    let mut names = record.kernels.iter().filter_map(|kernel| kernel.name.split_whitespace().next());
    let name = names.find(|name| !name.starts_with("lab/")).context("no kernel of its own")?;
    Ok(checkout.join("shaders").join(name))
}

fn saves_a_picture(window: &mut Window, folder: &Path) -> Result<()> {
    let is_told = |now: &Position| now.notices.iter().any(|notice| notice.ends_with(".png written"));
    window.press(Key::of('s'), "a picture was written", is_told)?;
    let names: Vec<String> = files_of(folder)?.into_keys().filter(|name| name.ends_with(".png")).collect();
    let [name] = &names[..] else { anyhow::bail!("not one picture: {names:?}") };
    let png = Png::read(&folder.join(name))?;
    ensure!(
        png.size == SIZES[SIZES.len() - 1],
        "the window is of another size than its picture: {:?}",
        png.size
    );
    Ok(())
}

/// The record is one like the benchmark's, with a row for each variant.
fn writes_a_record(window: &mut Window, folder: &Path, variants: &[String]) -> Result<Record> {
    let is_told = |now: &Position| now.notices.iter().any(|notice| notice.starts_with("record of "));
    window.press(Key::of('r'), "a record was written", is_told)?;
    let files = files_of(folder)?;
    let written = files.keys().find(|name| folder.join(name).join("record.json").is_file());
    let record = read_record(&folder.join(written.context("no folder with a record")?).join("record.json"))?;
    for variant in variants {
        ensure!(record.rows.iter().any(|row| row.variant == *variant), "no row of {variant}");
    }
    Ok(record)
}
