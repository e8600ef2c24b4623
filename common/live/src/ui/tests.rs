use std::sync::Arc;
use std::time::Duration;

use egui::{Event, Key, Modifiers, RawInput, Rect, Shape, Vec2, pos2};

use super::*;
use crate::knobs::tests::given;
use crate::messages::View;

/// A simulated display, without a window.
pub(super) struct Display {
    pub ctx: Context,
    pub ui: Ui,
    size: Vec2,
    /// Screen pixels per point.
    dpi: f32,
    pub now: Duration,
    pub actions: Vec<Action>,
}

impl Display {
    pub(super) fn new([width, height]: [f32; 2], dpi: f32) -> Self {
        let ctx = Context::default();
        let begin = Begin { dark: true, demo: false, presenter: false };
        let ui = Ui::new(&ctx, given("--passes 12"), begin);
        let size = Vec2::new(width, height) / dpi;
        Self { ctx, ui, size, dpi, now: Duration::from_secs(100), actions: Vec::new() }
    }

    pub(super) fn frame(&mut self, snapshot: &Snapshot, events: Vec<Event>) -> egui::FullOutput {
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), self.size)),
            time: Some(self.now.as_secs_f64()),
            events,
            ..RawInput::default()
        };
        input.viewports.entry(input.viewport_id).or_default().native_pixels_per_point = Some(self.dpi);
        self.now += Duration::from_millis(16);
        let (ui, now) = (&mut self.ui, self.now);
        let mut actions = Vec::new();
        let mut output = self.ctx.run_ui(input, |root| actions = ui.draw(root, snapshot, now));
        // egui panics if a texture change is dropped.
        output.textures_delta.clear();
        self.actions = actions;
        output
    }

    /// Draws frames until nothing changes.
    fn settle(&mut self, snapshot: &Snapshot) -> egui::FullOutput {
        for _ in 0..3 {
            self.frame(snapshot, Vec::new());
        }
        self.frame(snapshot, Vec::new())
    }

    fn press(&mut self, snapshot: &Snapshot, key: Key) -> Vec<Action> {
        let key = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(snapshot, vec![key(true), key(false)]);
        std::mem::take(&mut self.actions)
    }

    /// The actions of a key, without the picture's requests for a view.
    fn commands(&mut self, snapshot: &Snapshot, key: Key) -> Vec<Action> {
        let actions = self.press(snapshot, key);
        actions.into_iter().filter(|action| !matches!(action, Action::Command(Command::Look(_)))).collect()
    }
}

const WINDOWS: [([f32; 2], f32); 4] =
    [([1280.0, 720.0], 1.0), ([640.0, 360.0], 1.0), ([3840.0, 2160.0], 2.0), ([1.0, 1.0], 1.0)];

fn snapshots(pixels: [u32; 2]) -> Vec<Snapshot> {
    let mut snapshots = [0, 1, 9, 96].map(|count| example::snapshot(count, pixels)).to_vec();
    let mut large = example::split(pixels);
    large.traces = false;
    snapshots.extend([example::split(pixels), large, example::troubled(pixels), example::empty()]);
    snapshots.push(example::trials(pixels));
    let mut paused = example::snapshot(9, pixels);
    (paused.state, paused.paused) = (State::Paused, true);
    let mut failed = example::snapshot(9, pixels);
    failed.state = State::Failed("the device was lost".into());
    failed.current = 8;
    snapshots.extend([paused, failed]);
    snapshots
}

fn texts(shapes: &[egui::epaint::ClippedShape]) -> Vec<(String, f32)> {
    fn of(shape: &Shape, texts: &mut Vec<(String, f32)>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| of(shape, texts)),
            Shape::Text(text) => {
                let sizes = text.galley.job.sections.iter().map(|section| section.format.font_id.size);
                texts.push((text.galley.text().to_owned(), sizes.fold(f32::INFINITY, f32::min)));
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    shapes.iter().for_each(|shape| of(&shape.shape, &mut texts));
    texts.retain(|(text, _)| !text.trim().is_empty());
    texts
}

fn has(output: &egui::FullOutput, text: &str) -> bool {
    texts(&output.shapes).iter().any(|(other, _)| other.contains(text))
}

#[test]
fn every_snapshot_is_drawn_in_every_window() {
    for (size, dpi) in WINDOWS {
        // Creating a display loads the fonts, which takes longer than drawing all snapshots.
        let mut display = Display::new(size, dpi);
        for snapshot in snapshots([300, 200]) {
            for presenter in [false, true] {
                display.ui.presenter = presenter;
                display.ui.help = presenter;
                let output = display.settle(&snapshot);
                let drawn = display.ctx.tessellate(output.shapes.clone(), output.pixels_per_point);
                assert!(!drawn.is_empty());
            }
        }
    }
}

#[test]
fn an_audience_reads_every_text() {
    for size in [[1280.0, 720.0], [1920.0, 1080.0], [1024.0, 768.0]] {
        let mut display = Display::new(size, 1.0);
        display.ui.presenter = true;
        display.ui.help = true;
        for snapshot in snapshots([300, 200]) {
            let output = display.settle(&snapshot);
            for (text, points) in texts(&output.shapes) {
                assert!(points >= size[1] / 40.0, "{points} of {size:?}: {text}");
            }
            if let Some(entry) = snapshot.variants.get(snapshot.current) {
                assert!(has(&output, &entry.label) && has(&output, &entry.caption[..12]));
            }
        }
    }
}

#[test]
fn the_words_of_the_table_are_shown() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let output = display.settle(&snapshot);
    for text in [
        "wrong: 8191 elements differ",
        "skipped: the device has one queue",
        "wrong pixels: 12345 (max 20001) in 240 of 240 runs",
        "Source: Breaking Down Barriers",
        "Made-up GPU 9000",
        "240 rounds · 10.2 s measured",
        "running",
        "workgroup",
    ] {
        assert!(has(&output, text), "{text}: {:#?}", texts(&output.shapes));
    }
    let output = display.settle(&example::troubled([300, 200]));
    for text in [
        "step.comp:41: error",
        "9000x9000: larger",
        "building…",
        "prove nothing about a GPU",
        "No waves: the device",
    ] {
        assert!(has(&output, text), "{text}");
    }
    assert!(!has(&output, "in use: 1152x1152"));
    let mut refused = Display::new([1280.0, 720.0], 1.0);
    refused.ui =
        Ui::new(&refused.ctx, given("--size 9000x9000"), Begin { dark: true, demo: false, presenter: false });
    let output = refused.settle(&example::troubled([300, 200]));
    assert!(has(&output, "in use: 1152x1152"), "the last good value");
    let mut split = example::split([300, 200]);
    let output = display.settle(&split);
    for text in ["(63, 511)  17, CPU reference 18", "12345 wrong pixels", "132 SMs", "fill "] {
        assert!(has(&output, text), "{text}");
    }
    split.traces = false;
    let output = display.settle(&split);
    for text in ["(63, 511)  17, CPU reference 18", "12345 pixels differ from the CPU reference"] {
        assert!(has(&output, text), "{text}");
    }
    assert!(!has(&output, "132 SMs"));
}

#[test]
fn keys_become_wishes() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    display.settle(&snapshot);
    let command = |command| vec![Action::Command(command)];
    for (key, actions) in [
        (Key::Num3, command(Command::Show(2))),
        (Key::Num9, command(Command::Show(8))),
        (Key::ArrowRight, command(Command::Show(2))),
        (Key::ArrowUp, command(Command::Show(0))),
        (Key::Space, command(Command::Pause(true))),
        (Key::Period, command(Command::Step)),
        (Key::N, command(Command::Step)),
        (Key::A, command(Command::Compare(Some(0)))),
        (Key::Num0, command(Command::Reset)),
        (Key::Backspace, command(Command::Reset)),
        (Key::W, command(Command::Trace(true))),
        (Key::R, command(Command::Record)),
        (Key::F, vec![Action::FullScreen]),
        (Key::S, vec![Action::Screenshot]),
        (Key::V, vec![Action::Frames(Video::Pngs)]),
        (Key::G, vec![Action::Frames(Video::Gif)]),
        (Key::T, vec![Action::Dark(false)]),
        (Key::Escape, vec![Action::Windowed]),
        (Key::Q, vec![Action::Quit]),
        (Key::Questionmark, vec![]),
        (Key::Escape, vec![]),
        (Key::Escape, vec![Action::Windowed]),
        (Key::X, vec![]),
    ] {
        assert_eq!(display.commands(&snapshot, key), actions, "{key:?}");
    }
    let split = example::split([300, 200]);
    assert_eq!(display.commands(&split, Key::W), command(Command::Trace(false)));
    let few = example::snapshot(2, [300, 200]);
    assert!(display.commands(&few, Key::Num3).is_empty());
    assert!(display.commands(&example::empty(), Key::ArrowRight).is_empty());
}

#[test]
fn rivals_come_in_turn_and_go() {
    let mut snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    assert_eq!(display.commands(&snapshot, Key::Tab), [Action::Command(Command::Compare(Some(0)))]);
    snapshot.other = Some(0);
    // The shown variant, 1, is skipped: it cannot be compared with itself.
    assert_eq!(display.commands(&snapshot, Key::Tab), [Action::Command(Command::Compare(Some(2)))]);
    snapshot.other = Some(2);
    assert_eq!(display.commands(&snapshot, Key::A), [Action::Command(Command::Compare(None))]);
    snapshot.other = None;
    assert_eq!(display.commands(&snapshot, Key::B), [Action::Command(Command::Compare(Some(2)))]);
}

#[test]
fn hidden_panels_leave_the_picture_the_window() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let look = |actions: &[Action]| {
        actions.iter().find_map(|action| match action {
            Action::Command(Command::Look(View { pixels, .. })) => Some(*pixels),
            _ => None,
        })
    };
    display.frame(&snapshot, Vec::new());
    let small = look(&display.actions).unwrap();
    assert!(small[0] > 400 && small[0] < 900 && small[1] > 400 && small[1] < 720, "{small:?}");
    let actions = display.press(&snapshot, Key::H);
    assert_eq!(look(&actions), Some([1280, 720]));
    display.frame(&snapshot, Vec::new());
    assert_eq!(look(&display.actions), None, "only when it changes");
}

/// Both numbers, and the sentence between them by labels: a factor only where the interval is on one side of 1.
#[test]
fn two_variants_are_told_in_one_sentence() {
    let mut split = example::split([300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let mut told = |snapshot: &Snapshot| {
        let output = display.settle(snapshot);
        let texts = texts(&output.shapes);
        texts.into_iter().map(|(text, _)| text).find(|text| text.starts_with("full barrier ")).unwrap()
    };
    assert!(
        told(&split).starts_with("full barrier 75.0 µs, no barrier 46.2 µs: 1.62x as long"),
        "{}",
        told(&split)
    );
    // The image barrier of the example takes as long, within its noise.
    let mut record = (**split.figures.record.as_ref().unwrap()).clone();
    let mut times = record.rows[1].samples.clone();
    times.reverse();
    times.iter_mut().zip(0..).for_each(|(sample, round)| sample.round = round);
    record.rows[2].samples = times;
    Arc::make_mut(&mut split.figures).record = Some(Arc::new(record));
    split.other = Some(2);
    assert!(told(&split).contains(": no difference shown"), "{}", told(&split));
    Arc::make_mut(&mut split.device).kind = record::Kind::Cpu;
    assert!(told(&split).ends_with("On a CPU this says nothing about a GPU."), "{}", told(&split));
}

#[test]
fn a_reload_shows_before_and_after() {
    let mut snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let times = |factor: f64| {
        let row = example::snapshot(9, [300, 200]).figures.rows()[1].clone();
        Arc::new(
            [(row.variant.clone(), row.samples.iter().map(|sample| factor * sample.one_us).collect())].into(),
        )
    };
    for (factor, text) in [
        (1.25, "before 93.8 µs, now 75.0 µs: −20 %"),
        (1.0, "before 75.0 µs, now 75.0 µs: no difference shown"),
    ] {
        snapshot.before = times(factor);
        for presenter in [false, true] {
            display.ui.presenter = presenter;
            let output = display.settle(&snapshot);
            assert!(has(&output, text), "{text}: {:#?}", texts(&output.shapes));
        }
    }
}

#[test]
fn an_audience_reads_the_finding() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    display.ui.presenter = true;
    let output = display.settle(&snapshot);
    let headline = snapshot.figures.record.as_ref().unwrap().headline.clone().unwrap();
    for text in [headline.finding, headline.claim, headline.outcome.words().to_owned()] {
        assert!(has(&output, &text), "{text}");
    }
}

/// The tables with all heads, and in each cell what was measured: here `30` and `wrong`, and nothing where no trial was
/// made yet.
#[test]
fn each_cell_shows_its_trials_and_claims_no_more() {
    let mut snapshot = example::trials([300, 200]);
    for size in [[480.0, 320.0], [1280.0, 720.0], [3840.0, 2160.0]] {
        let mut display = Display::new(size, 1.0);
        // Without the arguments, which have figures of their own.
        display.ui = Ui::new(&display.ctx, Vec::new(), display.ui.settings());
        let output = display.settle(&snapshot);
        for text in ["Two images in turn", "One image per pass", "coherent_stores", "4096x4096"] {
            assert!(has(&output, text), "{text} at {size:?}");
        }
        assert!(has(&output, "wrong in 12 of 40 trials"), "{size:?}");
        assert_eq!(figures(&output), ["(0)", "(100)", "0", "30", "wrong", "–"], "{size:?}");
    }
    snapshot.figures = Arc::default();
    let mut display = Display::new([1280.0, 720.0], 1.0);
    display.ui = Ui::new(&display.ctx, Vec::new(), display.ui.settings());
    let output = display.settle(&snapshot);
    assert!(figures(&output).is_empty() && has(&output, "no trial yet"), "{:?}", figures(&output));
    assert!(!has(&output, "none") && has(&output, "One image per pass"));
}

/// The different figures of the cells.
fn figures(output: &egui::FullOutput) -> Vec<String> {
    let is_figure = |text: &str| {
        ["wrong", "–"].contains(&text) || text.trim_matches(['(', ')', '<', '>']).parse::<u32>().is_ok()
    };
    let stage = texts(&output.shapes).into_iter().map(|(text, _)| text).filter(|text| is_figure(text));
    stage.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

#[test]
fn cells_lie_apart_on_the_stage_and_two_are_outlined() {
    let snapshot = example::trials([300, 200]);
    for (size, dpi) in
        [([480.0, 320.0], 1.0), ([1280.0, 720.0], 1.0), ([3840.0, 2160.0], 2.0), ([600.0, 900.0], 1.0)]
    {
        let mut display = Display::new(size, dpi);
        let output = display.settle(&snapshot);
        let look = Look::of(display.size, true, false);
        let window = Rect::from_min_size(egui::Pos2::ZERO, display.size);
        let stage = layout::places(window, &look, display.ui.wanted(&snapshot)).stage;
        let cells: Vec<_> = output.shapes.iter().filter_map(|shape| outlined(&shape.shape)).collect();
        let cells: Vec<_> = cells.into_iter().filter(|(cell, _)| stage.contains_rect(*cell)).collect();
        assert_eq!(cells.len(), 24, "{size:?}");
        for (at, (cell, _)) in cells.iter().enumerate() {
            assert!(cells[..at].iter().all(|(other, _)| !other.intersects(*cell)), "{cell} at {size:?}");
        }
        for colour in [look.ink.current, look.ink.rival] {
            assert_eq!(cells.iter().filter(|(_, other)| *other == colour).count(), 1, "{size:?}");
        }
    }
}

/// The place of an outlined rectangle, and the outline's colour.
fn outlined(shape: &Shape) -> Option<(Rect, egui::Color32)> {
    match shape {
        Shape::Rect(shape) if shape.stroke.width > 0.0 => Some((shape.rect, shape.stroke.color)),
        _ => None,
    }
}

#[test]
fn a_cell_tells_its_trials_and_a_click_shows_its_variant() {
    let mut snapshot = example::trials([300, 200]);
    (snapshot.current, snapshot.other) = (0, None);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let output = display.settle(&snapshot);
    let at = place(&output, "30");
    display.frame(&snapshot, vec![Event::PointerMoved(at)]);
    display.now += Duration::from_secs(1);
    let output = display.settle(&snapshot);
    assert!(has(&output, "wrong in 12 of 40 trials") && has(&output, "correct on this GPU only"));
    let mut shown = Vec::new();
    for events in click(at) {
        display.frame(&snapshot, events);
        shown.extend(
            display.actions.drain(..).filter(|action| matches!(action, Action::Command(Command::Show(_)))),
        );
    }
    assert_eq!(shown, [Action::Command(Command::Show(5))]);
}

#[test]
fn arrows_walk_through_the_rows_and_columns_of_the_matrix() {
    let mut snapshot = example::trials([300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    display.settle(&snapshot);
    // Four columns, three rows in each of two tables.
    for (current, key, shown) in [
        (5, Key::ArrowDown, 9),
        (9, Key::ArrowDown, 13),
        (21, Key::ArrowDown, 1),
        (1, Key::ArrowUp, 21),
        (7, Key::ArrowRight, 8),
    ] {
        snapshot.current = current;
        assert_eq!(display.commands(&snapshot, key), [Action::Command(Command::Show(shown))], "{current}");
    }
}

/// The matrix has most of the window, and the result is a thumbnail; `W` gives that room to the result.
#[test]
fn the_stage_is_the_matrix_or_the_result() {
    let mut snapshot = example::trials([300, 200]);
    for (size, presenter) in
        [([1280.0, 720.0], false), ([1280.0, 720.0], true), ([480.0, 320.0], false), ([600.0, 900.0], false)]
    {
        let mut display = Display::new(size, 1.0);
        display.ui.presenter = presenter;
        let places = |ui: &Ui, snapshot: &Snapshot| {
            let look = Look::of(Vec2::from(size), true, presenter);
            let window = Rect::from_min_size(egui::Pos2::ZERO, Vec2::from(size));
            layout::places(window, &look, ui.wanted(snapshot))
        };
        let of =
            |places: &Places, panel| places.panels.iter().find(|(other, _)| *other == panel).map(|at| at.1);
        snapshot.traces = true;
        let large = places(&display.ui, &snapshot);
        assert_eq!(of(&large, Panel::Matrix), Some(large.stage));
        assert!(of(&large, Panel::Result).unwrap().contains_rect(large.picture), "{size:?}");
        assert!(large.picture.area() < 0.4 * large.stage.area() && large.picture.width() >= 80.0, "{size:?}");
        assert_eq!(display.commands(&snapshot, Key::W), [Action::Command(Command::Trace(false))]);
        snapshot.traces = false;
        let other = places(&display.ui, &snapshot);
        assert_eq!((other.picture, of(&other, Panel::Matrix)), (other.stage, None));
        let output = display.settle(&snapshot);
        assert!(has(&output, "One image per pass"), "the matrix has the place of the numbers: {size:?}");
    }
}

/// The waves have the room that the picture has without them, and the picture is smaller, where it has room at all.
#[test]
fn the_stage_is_the_waves_and_the_result_a_thumbnail() {
    let split = example::split([300, 200]);
    for (size, has_thumbnail) in [([1280.0, 720.0], true), ([400.0, 800.0], true), ([300.0, 200.0], false)] {
        let mut display = Display::new(size, 1.0);
        let places = |waves: bool| {
            let look = Look::of(display.size, true, display.ui.presenter);
            let wanted = Wanted { thumbnail: waves, ..display.ui.wanted(&split) };
            layout::places(Rect::from_min_size(egui::Pos2::ZERO, display.size), &look, wanted)
        };
        let (waves, picture) = (places(true), places(false));
        let of = |panel| waves.panels.iter().find(|(other, _)| *other == panel).unwrap().1;
        assert_eq!((of(Panel::Waves), picture.picture), (waves.stage, picture.stage));
        assert!(waves.stage.height() > 0.6 * picture.stage.height(), "{size:?}");
        assert!(of(Panel::Result).contains_rect(waves.picture));
        assert_eq!(waves.picture.area() > 0.0, has_thumbnail, "{size:?}");
        let output = display.settle(&split);
        assert!(has(&output, "12345 wrong pixels") && has(&output, "fill "), "{size:?}");
    }
}

#[test]
fn the_texel_under_the_wheel_stays() {
    let mut display = Display::new([1280.0, 720.0], 1.0);
    display.ui.hidden = true;
    let snapshot = example::snapshot(9, [1280, 720]);
    display.settle(&snapshot);
    let at = pos2(700.0, 300.0);
    let mut views = Vec::new();
    let wheel = Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: Vec2::new(0.0, 240.0),
        modifiers: Modifiers::NONE,
        phase: egui::TouchPhase::Move,
    };
    for events in [vec![Event::PointerMoved(at)], vec![wheel], vec![], vec![], vec![], vec![]] {
        display.frame(&snapshot, events);
        views.extend(display.actions.drain(..).filter_map(|action| match action {
            Action::Command(Command::Look(view)) => Some(view),
            _ => None,
        }));
    }
    let (first, last) = (views.first().unwrap(), views.last().unwrap());
    assert!(last.at.unwrap().scale > 1.3 * 720.0 / 1152.0, "{views:?}");
    assert_eq!(first.cursor, last.cursor);
    assert_eq!(first.cursor, Some([672, 480]));
}

#[test]
fn what_can_be_dragged_is() {
    let mut snapshot = example::snapshot(9, [1280, 720]);
    Arc::make_mut(snapshot.picture.as_mut().unwrap()).can_drag = true;
    let mut display = Display::new([1280.0, 720.0], 1.0);
    display.ui.hidden = true;
    display.settle(&snapshot);
    let button = |pressed, at| Event::PointerButton {
        pos: at,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let (from, to) = (pos2(640.0, 360.0), pos2(720.0, 360.0));
    let mut drags = Vec::new();
    for events in [
        vec![Event::PointerMoved(from)],
        vec![button(true, from)],
        vec![Event::PointerMoved(to)],
        vec![button(false, to)],
    ] {
        display.frame(&snapshot, events);
        drags.extend(display.actions.drain(..).filter_map(|action| match action {
            Action::Command(Command::Drag(drag)) => Some(drag),
            _ => None,
        }));
    }
    let held = drags.first().unwrap().unwrap();
    assert_eq!(held.from, [576.0, 576.0]);
    assert!((held.to[0] - 704.0).abs() < 0.1, "{held:?}");
    assert_eq!(drags.last(), Some(&None));
}

#[test]
fn the_demo_shows_what_runs_until_a_key() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    assert!(display.commands(&snapshot, Key::D).is_empty() && display.ui.settings().demo);
    display.now += Duration::from_secs(5);
    display.frame(&snapshot, Vec::new());
    assert!(!display.actions.iter().any(|action| matches!(action, Action::Command(Command::Show(_)))));
    display.now += Duration::from_secs(1);
    display.frame(&snapshot, Vec::new());
    assert!(display.actions.contains(&Action::Command(Command::Show(2))));
    let mut snapshot = snapshot;
    // The device cannot run the variant after it.
    snapshot.current = 7;
    display.now += demo::EACH;
    display.frame(&snapshot, Vec::new());
    assert!(display.actions.contains(&Action::Command(Command::Show(0))));
    assert_eq!(display.commands(&snapshot, Key::Num4), [Action::Command(Command::Show(3))]);
    assert!(!display.ui.settings().demo);
    assert!(display.commands(&snapshot, Key::D).is_empty() && display.ui.settings().demo);
    // Presenter mode does not end the demo.
    assert!(display.commands(&snapshot, Key::P).is_empty() && display.ui.settings().demo);
    // Another sample goes on with it.
    assert_eq!(display.commands(&snapshot, Key::PageDown), [Action::Sample(1)]);
    assert_eq!(display.commands(&snapshot, Key::PageUp), [Action::Sample(-1)]);
    assert_eq!(display.ui.settings(), Begin { dark: true, demo: true, presenter: true });
}

#[test]
fn what_stands_still_asks_for_no_frames() {
    let mut snapshot = example::split([300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    for state in [State::Paused, State::Building("kernels".into())] {
        (snapshot.state, snapshot.paused) = (state, true);
        let output = display.settle(&snapshot);
        assert_eq!(output.viewport_output.values().next().unwrap().repaint_delay, Duration::MAX);
    }
}

#[test]
fn the_current_row_of_many_is_in_sight() {
    let mut snapshot = example::snapshot(96, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    snapshot.current = 80;
    let output = display.settle(&snapshot);
    // The caption names the shown variant itself.
    let is_there =
        |at: usize| texts(&output.shapes).iter().any(|(text, _)| *text == snapshot.variants[at].label);
    assert!(is_there(81), "the row below it");
    assert!(!is_there(4), "far above");
}

#[test]
fn a_turned_knob_is_applied_after_a_rest() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let output = display.settle(&snapshot);
    let at = place(&output, "ping-pong");
    let mut arranged = Vec::new();
    for events in click(at).into_iter().chain([vec![], vec![]]) {
        display.frame(&snapshot, events);
        arranged.extend(
            display.actions.drain(..).filter(|action| matches!(action, Action::Command(Command::Arrange(_)))),
        );
    }
    let words = ["--passes", "12", "--ping-pong"].map(Into::into).into();
    assert_eq!(arranged, [Action::Command(Command::Arrange(words))]);
}

#[test]
fn a_field_that_is_typed_in_keeps_its_keys() {
    let snapshot = example::snapshot(9, [300, 200]);
    let mut display = Display::new([1280.0, 720.0], 1.0);
    let output = display.settle(&snapshot);
    let at = place(&output, "8x8");
    for events in click(at) {
        display.frame(&snapshot, events);
    }
    assert!(display.ctx.text_edit_focused());
    assert!(display.commands(&snapshot, Key::Q).is_empty());
    display.frame(&snapshot, vec![Event::Text("x4".into())]);
    assert!(!display.actions.iter().any(|action| matches!(action, Action::Command(Command::Arrange(_)))));
    display.now += Duration::from_millis(300);
    display.frame(&snapshot, Vec::new());
    let arranged = display.actions.iter().any(|action| {
        matches!(action, Action::Command(Command::Arrange(words)) if words.iter().any(|word| word.contains("x4")))
    });
    assert!(arranged, "{:?}", display.actions);
}

/// The events of a click, frame by frame.
fn click(pos: egui::Pos2) -> [Vec<Event>; 3] {
    let button = |pressed| {
        let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
        Event::PointerButton { pos, button, pressed, modifiers }
    };
    [vec![Event::PointerMoved(pos)], vec![button(true)], vec![button(false)]]
}

/// The centre of a text.
fn place(output: &egui::FullOutput, text: &str) -> egui::Pos2 {
    fn of(shape: &Shape, text: &str) -> Option<egui::Pos2> {
        match shape {
            Shape::Vec(shapes) => shapes.iter().find_map(|shape| of(shape, text)),
            Shape::Text(shown) if shown.galley.text() == text => Some(shown.visual_bounding_rect().center()),
            _ => None,
        }
    }
    output.shapes.iter().find_map(|shape| of(&shape.shape, text)).unwrap()
}
