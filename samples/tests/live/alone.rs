//! Windows that nobody touches, and machines without a display.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use record::error::EXIT_FAILED;

use crate::display::{Display, Key};
use crate::picture::Png;
use crate::samples::small;
use crate::support::{Call, Checkout, cpu_time, told_on_one_line};
use crate::window::{Position, Window, ended_quietly};

const SAMPLE: &str = "pipelined_events";
const LIFE: Duration = Duration::from_secs(60);
const READING: &str = "reading timestamps";

/// A window that is paused takes under a twentieth of a core; when it goes on, the corner's cross ends it as Q does.
pub fn idle() -> Result<()> {
    let mut window = Window::open(Call::new(SAMPLE)?.words(small(SAMPLE)), LIFE)?;
    window.until("it has begun", |now| now.frame >= 5 && now.runs())?;
    window.press(Key::of(' '), "it is paused", |now| now.state == "paused")?;
    std::thread::sleep(Duration::from_millis(500));
    let before = cpu_time(window.process())?;
    std::thread::sleep(Duration::from_secs(3));
    let share = (cpu_time(window.process())? - before) / 3.0;
    println!("paused: {:.1} % of a core", 100.0 * share);
    ensure!(share < 0.05, "paused, and {:.1} % of a core", 100.0 * share);
    window.press(Key::of(' '), "it goes on", Position::runs)?;
    ended_quietly(window.close()?)
}

/// It can be closed while kernels are compiled; a script that gets less than it asked for is told.
pub fn closed_while_it_builds() -> Result<()> {
    let folder = tempfile::tempdir()?;
    // So many kernels, none of them in the cache, that the first board is still one of building.
    let call = Call::new("swizzled_remap")?.words("--size 768 --all --frames 500");
    let mut window = Window::open(call.env("HOTLAP_CACHE_DIR", folder.path()), LIFE)?;
    let first = window.now()?;
    ensure!(first.state == "building", "it was {} when it was to be closed", first.state);
    told_on_one_line(window.close()?, 2, &["ended after 0 of 500 --frames"])
}

/// On a screen of scale 2 the window has twice the pixels each way, in the layout of scale 1.
pub fn scaled() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let shot = |name: &str, words: &str, display: Option<&Display>| {
        let call = Call::new(SAMPLE)?.words(small(SAMPLE)).words("--live --window 640x400 --frames 8");
        let call = call.words(words).args(["--screenshot", name]).within(folder.path());
        let call = call.env("DISPLAY", display.map_or("", Display::name));
        call.env("WINIT_X11_SCALE_FACTOR", "2").without("WAYLAND_DISPLAY").run()?.with_code(0)?;
        Png::read(&folder.path().join(name))
    };
    let display = Display::start(LIFE)?;
    let (plain, dense) = (shot("1.png", "--headless", None)?, shot("2.png", "", Some(&display))?);
    ensure!((plain.size, dense.size) == ([640, 400], [1280, 800]), "{:?} and {:?}", plain.size, dense.size);
    let doubled: Vec<_> = plain.figures.iter().map(|place| place.map(|side| 2 * side)).collect();
    ensure!(!doubled.is_empty() && dense.figures == doubled, "{:?} and {doubled:?}", dense.figures);
    Ok(())
}

/// One line, with what does without a display.
pub fn no_display() -> Result<()> {
    let call = Call::new(SAMPLE)?.words(small(SAMPLE)).args(["--live"]);
    let call = call.without("DISPLAY").without("WAYLAND_DISPLAY").without("WAYLAND_SOCKET");
    told_on_one_line(call.run()?, 1, &["no display", "--bench", "--headless"])?;
    let call = Call::new(SAMPLE)?.words(small(SAMPLE)).args(["--live"]);
    let call = call.env("DISPLAY", ":9999").without("WAYLAND_DISPLAY").without("WAYLAND_SOCKET");
    told_on_one_line(call.run()?, 1, &["no display", "--bench"])
}

/// A kernel that becomes wrong is flagged by its next frames, and no more once it is mended; one that is wrong at the
/// end is named, and is the exit code.
pub fn wrong_at_once() -> Result<()> {
    let checkout = Checkout::copy()?;
    let mut window = Window::open(checkout.call(SAMPLE)?.words(small(SAMPLE)), LIFE)?;
    window.until("it has begun", |now| now.frame >= 5 && now.runs() && now.wrong == 0)?;
    checkout.replace("chain/step.comp", "d <= RADIUS", "d < RADIUS")?;
    window.until("what is wrong is counted", |now| now.reloads == 1 && now.wrong > 0)?;
    checkout.replace("chain/step.comp", "d < RADIUS", "d <= RADIUS")?;
    window.until("it is right again", |now| now.reloads == 2 && now.wrong == 0 && now.runs())?;
    checkout.replace("chain/step.comp", "d <= RADIUS", "d < RADIUS")?;
    window.until("what is wrong is counted again", |now| now.reloads == 3 && now.wrong > 0 && now.runs())?;
    window.until("a row is wrong", |now| now.wrong_row)?;
    let is_told = |now: &Position| now.notices.iter().any(|notice| notice.contains("exit code 2"));
    window.press(Key::PAGE_DOWN, "it stays, for its exit code", is_told)?;
    let ended = window.quit()?.with_code(2)?;
    ensure!(ended.stderr.contains(&format!("{SAMPLE}: full_barrier: ")), "not named: {ended}");
    Ok(())
}

/// A call that fails in a variant's sample is told once, with the variant.
pub fn a_variant_fails() -> Result<()> {
    let words = "--size 48 --passes 2 --live --headless --frames 4";
    let call = || Call::new(SAMPLE).map(|call| call.words(words));
    let folder = tempfile::tempdir()?;
    let list = folder.path().join("calls");
    call()?.env("HOTLAP_FAULT", format!("list:{}", list.display())).run()?.with_code(0)?;
    let made = std::fs::read_to_string(&list)?;
    let (before, _) = made.split_once("running full_barrier").context("it did not run")?;
    let nth = before.matches(READING).count() + 1;
    let ended = call()?.env("HOTLAP_FAULT", format!("{READING}#{nth}:host-memory")).run()?;
    told_on_one_line(ended, EXIT_FAILED, &[&format!("full_barrier: out of memory while {READING}")])
}

/// `V` leaves every frame until a key ends it, and what to do with them, `G` a GIF; what cannot be written is an error.
pub fn frames() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = |keys: &str, frames: &str| {
        let call =
            Call::new(SAMPLE)?.words(small(SAMPLE)).words("--live --headless --window 640x400 --theme light");
        Ok::<_, anyhow::Error>(
            call.words("--press").words(keys).words("--frames").words(frames).within(folder.path()),
        )
    };
    let ended = call("v,t,v", "16")?.run()?.with_code(0)?;
    let written = folder.path().join(format!("{SAMPLE}-frames-1"));
    let count = std::fs::read_dir(&written)?.count();
    // From the key of the 4th frame to that of the 12th, which ends it before it is written.
    ensure!(count >= 8, "{count} frames are written");
    for part in [format!("{count} frames written into"), format!("-i {SAMPLE}-frames-1/%05d.png")] {
        ensure!(ended.stderr.contains(&part), "'{part}' is not said: {ended}");
    }
    let first = Png::read(&written.join("00001.png"))?;
    let last = Png::read(&written.join(format!("{count:05}.png")))?;
    ensure!(first.size == [640, 400] && first.pixels[0] != last.pixels[0], "the theme did not change");
    // Until the end, into another folder.
    call("v", "8")?.run()?.with_code(0)?;
    ensure!(folder.path().join(format!("{SAMPLE}-frames-2/00004.png")).is_file(), "the second is not there");
    let ended = call("g,t,v", "16")?.run()?.with_code(0)?;
    let (_, times) = Png::of_gif(&folder.path().join(format!("{SAMPLE}-1.gif")))?;
    let news = format!("{} frames written into {SAMPLE}-1.gif", times.len());
    ensure!(ended.stderr.contains(&news) && times.iter().all(|time| *time >= 8), "{times:?}: {ended}");
    ensure!(!folder.path().join(format!("{SAMPLE}-frames-3")).exists(), "V did not end the GIF");
    // Until the end, into another file.
    call("g,t", "12")?.args(["--screenshot", "last.png"]).run()?.with_code(0)?;
    let right = Png::read(&folder.path().join("last.png"))?;
    let (last, _) = Png::of_gif(&folder.path().join(format!("{SAMPLE}-2.gif")))?;
    // The same frame, so its figures are the same, too.
    last.ensure_like(&Png { figures: Vec::new(), ..right }).context("the last frame of the GIF")?;
    // Nobody can create anything there.
    for (key, name) in [("v", format!("{SAMPLE}-frames-1")), ("g", format!("{SAMPLE}-1.gif"))] {
        let ended = call(key, "8")?.within(std::path::Path::new("/proc/self")).run()?;
        told_on_one_line(ended, EXIT_FAILED, &["creating", &name])?;
    }
    Ok(())
}
