//! The presenter off-screen, on whatever device is here, under the validation layer.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use egui::{Color32, ColorImage, RawInput, TextureOptions};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use record::error::one_line;

use super::*;

/// As bytes, which must come back as they are.
const BEHIND: [u8; 4] = [16, 32, 64, 255];
const PAPER: Color32 = Color32::from_rgb(16, 32, 64);
const PANEL: Color32 = Color32::from_rgb(200, 100, 50);

/// An egui that draws, without a window.
struct Stage {
    context: egui::Context,
    presenter: Presenter,
}

/// A frame of a stage.
struct Frame {
    primitives: Vec<egui::ClippedPrimitive>,
    textures: TexturesDelta,
    size: [u32; 2],
    panels: Vec<egui::Rect>,
}

impl Frame {
    fn parts(&mut self) -> (Paint<'_>, &mut TexturesDelta) {
        let (primitives, size) = (&self.primitives[..], self.size);
        let backdrop = Backdrop { paper: PAPER, panel: PANEL, panels: &self.panels };
        (Paint { primitives, pixels_per_point: 1.0, backdrop, size }, &mut self.textures)
    }

    fn draw(&mut self, presenter: &mut Presenter) -> Result<Drawn> {
        let (paint, textures) = self.parts();
        presenter.draw(&paint, textures)
    }

    fn capture(&mut self, presenter: &mut Presenter) -> Result<Shot> {
        let (paint, textures) = self.parts();
        presenter.capture(&paint, textures)
    }
}

fn presenter(validate: bool) -> Result<Presenter> {
    let measured = vulkan::gpu::find_device(None)?.facts;
    Presenter::off_screen(&Wanted { device: &measured, validate, timeout: Duration::from_secs(60) })
}

impl Stage {
    fn new() -> Self {
        Self { context: egui::Context::default(), presenter: presenter(true).unwrap() }
    }

    fn frame(&self, size: [u32; 2], ui: impl FnMut(&mut egui::Ui)) -> Frame {
        frame(&self.context, size, ui)
    }

    fn close(self) {
        let said = self.presenter.messages();
        assert!(said.is_empty(), "{said:?}");
        let said = self.presenter.close();
        assert!(said.is_empty(), "{said:?}");
    }
}

fn frame(context: &egui::Context, size: [u32; 2], mut ui: impl FnMut(&mut egui::Ui)) -> Frame {
    let sides = size.map(|side| f32::from(u16::try_from(side).unwrap()));
    let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, sides.into()));
    let output = context.run_ui(RawInput { screen_rect, ..RawInput::default() }, |root| ui(root));
    let primitives = context.tessellate(output.shapes, output.pixels_per_point);
    Frame { primitives, textures: output.textures_delta, size, panels: Vec::new() }
}

fn words(ui: &mut egui::Ui) {
    ui.label("barrier 12.3 us");
    ui.label("events 11.9 us");
}

fn texel(shot: &Shot, x: u32, y: u32) -> [u8; 4] {
    let at = ((y * shot.size[0] + x) * 4) as usize;
    shot.rgba[at..at + 4].try_into().unwrap()
}

/// Texels that are not of the background.
fn drawn(shot: &Shot) -> usize {
    shot.rgba.chunks_exact(4).filter(|texel| *texel != BEHIND).count()
}

#[test]
fn text_is_drawn_over_the_background() {
    let mut stage = Stage::new();
    let mut frame = stage.frame([320, 200], words);
    assert_eq!(frame.draw(&mut stage.presenter).unwrap(), Drawn::Shown);
    assert!(frame.textures.is_empty());
    let shot = frame.capture(&mut stage.presenter).unwrap();
    assert_eq!((shot.size, shot.rgba.len()), ([320, 200], 320 * 200 * 4));
    assert_eq!(texel(&shot, 319, 199), BEHIND);
    assert!((300..20_000).contains(&drawn(&shot)), "{} texels of text", drawn(&shot));
    assert!(stage.presenter.elsewhere().is_none());
    stage.close();
}

/// A picture of 16 x 16 texels at the upper left corner, one pixel a texel.
fn picture(ui: &mut egui::Ui, handle: &egui::TextureHandle) {
    let rect = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(16.0, 16.0));
    let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
    ui.painter().image(handle.id(), rect, whole, Color32::WHITE);
}

#[test]
fn pictures_arrive_as_they_are_and_change_in_parts() {
    let mut stage = Stage::new();
    let colour = |x: u8, y: u8| Color32::from_rgb(x, y, x.wrapping_mul(y));
    let whole: Vec<Color32> = (0..=255).map(|at| colour(at % 16, at / 16)).collect();
    let whole = ColorImage::new([16, 16], whole);
    let mut handle = stage.context.load_texture("picture", whole.clone(), TextureOptions::NEAREST);
    let shot = stage.frame([64, 64], |ui| picture(ui, &handle)).capture(&mut stage.presenter).unwrap();
    for at in 0..=255_u8 {
        let (x, y) = (at % 16, at / 16);
        assert_eq!(texel(&shot, x.into(), y.into()), colour(x, y).to_array(), "{x}, {y}");
    }
    let part = ColorImage::filled([2, 3], Color32::from_rgb(250, 3, 128));
    handle.set_partial([5, 7], part, TextureOptions::NEAREST);
    // Two changes of one texture in a frame.
    handle.set_partial([6, 8], ColorImage::filled([1, 1], Color32::GREEN), TextureOptions::NEAREST);
    let shot = stage.frame([64, 64], |ui| picture(ui, &handle)).capture(&mut stage.presenter).unwrap();
    assert_eq!(texel(&shot, 5, 7), [250, 3, 128, 255]);
    assert_eq!(texel(&shot, 6, 8), [0, 255, 0, 255]);
    assert_eq!(texel(&shot, 4, 7), colour(4, 7).to_array());
    // The same texture in another size.
    handle.set(ColorImage::filled([3, 5], Color32::from_rgb(1, 2, 3)), TextureOptions::LINEAR);
    let shot = stage.frame([64, 64], |ui| picture(ui, &handle)).capture(&mut stage.presenter).unwrap();
    assert_eq!(texel(&shot, 9, 9), [1, 2, 3, 255]);
    stage.close();
}

#[test]
fn a_change_that_no_frame_shows_is_made_all_the_same() {
    let mut stage = Stage::new();
    let handle = stage.context.load_texture(
        "picture",
        ColorImage::filled([16, 16], Color32::from_rgb(9, 8, 7)),
        TextureOptions::NEAREST,
    );
    let mut first = stage.frame([64, 64], |ui| picture(ui, &handle));
    first.size = [0, 0];
    assert_eq!(first.draw(&mut stage.presenter).unwrap(), Drawn::Nothing);
    assert!(first.textures.is_empty());
    let mut second = stage.frame([64, 64], |ui| picture(ui, &handle));
    assert!(second.textures.set.is_empty(), "egui hands a change over once");
    let shot = second.capture(&mut stage.presenter).unwrap();
    assert_eq!(texel(&shot, 3, 3), [9, 8, 7, 255]);
    stage.close();
}

#[test]
fn textures_come_and_go() {
    let mut stage = Stage::new();
    // More than there are descriptors at a time.
    for at in 0..300_u16 {
        let side = usize::from(at % 7 + 1);
        let grey = Color32::from_gray(u8::try_from(at % 200).unwrap());
        let image = ColorImage::filled([side, side], grey);
        let handle = stage.context.load_texture("picture", image, TextureOptions::NEAREST);
        let mut frame = stage.frame([64, 64], |ui| picture(ui, &handle));
        drop(handle);
        if at % 50 == 0 {
            assert_eq!(texel(&frame.capture(&mut stage.presenter).unwrap(), 3, 3), grey.to_array());
        }
        frame.draw(&mut stage.presenter).unwrap();
    }
    stage.close();
}

#[test]
fn any_size_can_follow_any_other() {
    let mut stage = Stage::new();
    let mut random = Pcg64::seed_from_u64(7);
    for at in 0..50 {
        let zero = at % 9 == 4;
        let size = [random.random_range(1..900), if zero { 0 } else { random.random_range(1..700) }];
        let expected = if zero { Drawn::Nothing } else { Drawn::Shown };
        let mut frame = stage.frame(size, words);
        assert_eq!(frame.draw(&mut stage.presenter).unwrap(), expected, "{size:?}");
        if zero {
            assert!(frame.capture(&mut stage.presenter).is_err());
        } else if at % 10 == 0 {
            assert_eq!(frame.capture(&mut stage.presenter).unwrap().size, size);
        }
    }
    stage.close();
}

#[test]
fn what_is_too_large_is_an_error() {
    let mut stage = Stage::new();
    let mut frame = stage.frame([64, 64], words);
    frame.size = [64, 1 << 20];
    let error = frame.capture(&mut stage.presenter).unwrap_err();
    assert!(one_line(&error).starts_with("an image of 64x1048576 is not possible on"), "{error:#}");
    stage.close();
}

/// Some frames of a presenter in a process of its own, which a fault may end.
#[test]
#[ignore = "run by every_call_that_fails_is_an_error"]
fn frames_for_faults() {
    record::fault::arm().unwrap();
    if let Err(error) = frames() {
        eprintln!("error: {} (code {})", one_line(&error), record::error::exit_code(&error));
        // As a window ends: exit handlers unload a driver that may still draw.
        report::terminal::leave_at_once(0);
    }
}

fn frames() -> Result<()> {
    let context = egui::Context::default();
    let mut presenter = presenter(false)?;
    let mut handle: Option<egui::TextureHandle> = None;
    for at in 0..4_u8 {
        let image = ColorImage::filled([8 + usize::from(at), 8], Color32::from_gray(at));
        match &mut handle {
            Some(handle) => handle.set(image, TextureOptions::NEAREST),
            None => handle = Some(context.load_texture("picture", image, TextureOptions::NEAREST)),
        }
        let size = [64, if at == 2 { 0 } else { 48 }];
        let mut frame = frame(&context, size, words);
        // What a frame leaves behind must not harm the next, whatever became of it.
        let (drawn, again) = (frame.draw(&mut presenter), frame.draw(&mut presenter));
        drawn.and(again)?;
        frame.size = [64, 48];
        frame.capture(&mut presenter)?;
    }
    drop(presenter);
    Ok(())
}

fn with_fault(fault: &str) -> String {
    let test = "present::tests::frames_for_faults";
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env("HOTLAP_FAULT", fault)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{fault}: {}\n{said}", output.status);
    said
}

#[test]
fn every_call_that_fails_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    let said = with_fault(&format!("list:{}", list.display()));
    assert!(!said.contains("error"), "{said}");
    let list = std::fs::read_to_string(list).unwrap();
    let mut calls: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in list.lines() {
        *calls.entry(line.split_once('\t').unwrap()).or_default() += 1;
    }
    assert!(calls.len() > 30, "{calls:?}");
    for ((site, label), count) in calls {
        let kind = match site {
            "wait" => "timeout",
            "allocation" => "memory",
            _ => "lost",
        };
        // In the midst, where there is something to leave behind.
        let nth = count.div_ceil(2);
        let said = with_fault(&format!("{label}#{nth}:{kind}"));
        let error = said.lines().find(|line| line.starts_with("error: "));
        let error = error.unwrap_or_else(|| panic!("{label}#{nth} is no error: {said}"));
        assert_eq!(error.contains("code 3"), kind == "timeout", "{error}");
    }
}
