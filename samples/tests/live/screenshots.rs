//! Screenshots, with and without a window, against the ones that were looked at.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::display::Display;
use crate::picture::Png;
use crate::samples::small;
use crate::support::{Call, OVERLOADED};

/// Takes what is drawn now for right.
const UPDATE: &str = "HOTLAP_UPDATE_REFERENCES";
const LIFE: Duration = Duration::from_secs(70);

fn reference(sample: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/references");
    folder.join(sample).with_extension("png")
}

/// What a sample shows after some frames.
fn taken(sample: &str, words: &str, display: Option<&Display>) -> Result<Png> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(sample)?.words(small(sample)).words("--live --check --frames 12");
    let call = if words.contains("--theme") { call } else { call.words("--theme light") };
    let call = call.words(words).args(["--screenshot", "shown.png"]).within(folder.path());
    let call = match display {
        Some(display) => call.env("DISPLAY", display.name()),
        None => call.without("DISPLAY"),
    };
    let ended = call.without("WAYLAND_DISPLAY").without("WAYLAND_SOCKET").run()?.with_code(0)?;
    ensure!(ended.stderr.is_empty(), "it said something: {ended}");
    Png::read(&folder.path().join("shown.png"))
}

/// The window and the picture without one are both what was looked at.
pub fn compare(sample: &str) -> Result<()> {
    let headless = taken(sample, "--headless", None)?;
    let path = reference(sample);
    if std::env::var_os(UPDATE).is_some() {
        headless.write(&path)?;
        println!("{} written: look at it", path.display());
    }
    let right = Png::read(&path).with_context(|| format!("{UPDATE}=1 makes the references"))?;
    headless.ensure_like(&right).context("without a window")?;
    let display = Display::start(OVERLOADED * LIFE)?;
    taken(sample, "", Some(&display))?.ensure_like(&right).context("in a window")
}

/// The colour of texels that differ from the CPU reference, as `lab/view.comp` has it.
const GLOW: [u8; 3] = [255, 158, 13];

/// The 64 texels of the seeded fault glow, each as large as the window draws texels; of what is right none does.
pub fn racy_texels_glow() -> Result<()> {
    let glowing = |variant: &str| -> Result<usize> {
        let png = taken("data_race", &format!("--headless --press w --variants {variant}"), None)?;
        Ok(png.pixels.iter().filter(|pixel| **pixel == GLOW).count())
    };
    let (fault, right) = (glowing("seeded_fault_64x64")?, glowing("full_barrier_64x64")?);
    ensure!(right == 0, "{right} pixels glow in a picture that is right");
    // 64x64 texels stand in a picture of 597 pixels: 9.3 each way.
    ensure!((64 * 75..64 * 100).contains(&fault), "{fault} pixels glow");
    Ok(())
}

/// What the comparison is for: a picture that is another is not taken for the same.
pub fn differences_are_seen() -> Result<()> {
    let right = Png::read(&reference("data_race"))?;
    right.ensure_like(&right)?;
    // Among the arguments, which hold no figures.
    let changed = |columns: Range<usize>, by: u8| {
        let mut other = right.clone();
        for row in other.pixels.chunks_mut(right.size[0] as usize).skip(200).take(200) {
            row[columns.clone()].iter_mut().flatten().for_each(|channel| *channel = channel.wrapping_add(by));
        }
        other
    };
    let patched = changed(0..200, 100);
    ensure!(patched.ensure_like(&right).is_err(), "a patch is not seen");
    ensure!(changed(0..200, 9).ensure_like(&right).is_err(), "9 of 255 are not seen");
    changed(0..2, 100).ensure_like(&right).context("some texels may be other ones")?;
    // The same patch where figures would be: only the mask hides it.
    let with_mask = |png: &Png| {
        let mut masked = png.clone();
        masked.figures.push([0, 200, 200, 400]);
        masked
    };
    with_mask(&patched).ensure_like(&with_mask(&right)).context("what is masked is compared")?;
    ensure!(with_mask(&right).ensure_like(&right).is_err(), "figures at another place are not seen");
    let dark = taken("data_race", "--headless --theme dark", None)?;
    ensure!(dark.ensure_like(&right).is_err(), "dark is taken for light");
    let other = Png::read(&reference("swizzled_remap"))?;
    ensure!(other.ensure_like(&right).is_err(), "one sample is taken for another");
    Ok(())
}
