use std::sync::Arc;
use std::time::Duration;

use egui::{Event, Key, Modifiers, RawInput, Rect, Shape, Vec2, pos2};

use super::*;
use crate::knobs::tests::given;
use crate::link::View;

/// A window without a window.
pub(super) struct Stage {
    pub ctx: Context,
    pub ui: Ui,
    size: Vec2,
    /// Pixels a point.
    dpi: f32,
    pub now: Duration,
    pub wishes: Vec<Wish>,
}

impl Stage {
    pub(super) fn new([width, height]: [f32; 2], dpi: f32) -> Self {
        let ctx = Context::default();
        let begin = Begin { dark: true, demo: false };
        let ui = Ui::new(&ctx, given("--passes 12"), begin);
        let size = Vec2::new(width, height) / dpi;
        Self { ctx, ui, size, dpi, now: Duration::from_secs(100), wishes: Vec::new() }
    }

    pub(super) fn frame(&mut self, board: &Board, events: Vec<Event>) -> egui::FullOutput {
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), self.size)),
            time: Some(self.now.as_secs_f64()),
            events,
            ..RawInput::default()
        };
        input.viewports.entry(input.viewport_id).or_default().native_pixels_per_point = Some(self.dpi);
        self.now += Duration::from_millis(16);
        let (ui, now) = (&mut self.ui, self.now);
        let mut wishes = Vec::new();
        let mut output = self.ctx.run_ui(input, |root| wishes = ui.draw(root, board, now));
        // egui panics where a change of a texture is dropped.
        output.textures_delta.clear();
        self.wishes = wishes;
        output
    }

    /// Frames until nothing changes any more.
    fn settle(&mut self, board: &Board) -> egui::FullOutput {
        for _ in 0..3 {
            self.frame(board, Vec::new());
        }
        self.frame(board, Vec::new())
    }

    fn press(&mut self, board: &Board, key: Key) -> Vec<Wish> {
        let key = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(board, vec![key(true), key(false)]);
        std::mem::take(&mut self.wishes)
    }

    /// The keys' orders, without what the picture asks for.
    fn orders(&mut self, board: &Board, key: Key) -> Vec<Wish> {
        let wishes = self.press(board, key);
        wishes.into_iter().filter(|wish| !matches!(wish, Wish::Order(Order::Look(_)))).collect()
    }
}

const WINDOWS: [([f32; 2], f32); 4] =
    [([1280.0, 720.0], 1.0), ([640.0, 360.0], 1.0), ([3840.0, 2160.0], 2.0), ([1.0, 1.0], 1.0)];

fn boards(pixels: [u32; 2]) -> Vec<Board> {
    let mut boards = [0, 1, 9, 96].map(|count| example::board(count, pixels)).to_vec();
    boards.extend([example::split(pixels), example::troubled(pixels), example::empty()]);
    let mut paused = example::board(9, pixels);
    (paused.state, paused.paused) = (State::Paused, true);
    let mut failed = example::board(9, pixels);
    failed.state = State::Failed("the device was lost".into());
    failed.current = 8;
    boards.extend([paused, failed]);
    boards
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
fn every_board_is_drawn_in_every_window() {
    for (size, dpi) in WINDOWS {
        // A stage reads its fonts again, which takes longer than all boards.
        let mut stage = Stage::new(size, dpi);
        for board in boards([300, 200]) {
            for presenter in [false, true] {
                stage.ui.presenter = presenter;
                stage.ui.help = presenter;
                let output = stage.settle(&board);
                let drawn = stage.ctx.tessellate(output.shapes.clone(), output.pixels_per_point);
                assert!(!drawn.is_empty());
            }
        }
    }
}

#[test]
fn an_audience_reads_every_text() {
    for size in [[1280.0, 720.0], [1920.0, 1080.0], [1024.0, 768.0]] {
        let mut stage = Stage::new(size, 1.0);
        stage.ui.presenter = true;
        stage.ui.help = true;
        for board in boards([300, 200]) {
            let output = stage.settle(&board);
            for (text, points) in texts(&output.shapes) {
                assert!(points >= size[1] / 40.0, "{points} of {size:?}: {text}");
            }
            if let Some(entry) = board.variants.get(board.current) {
                assert!(has(&output, &entry.name) && has(&output, &entry.caption[..12]));
            }
        }
    }
}

#[test]
fn the_words_of_the_table_are_shown() {
    let board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    let output = stage.settle(&board);
    for text in [
        "wrong: 8191 elements differ",
        "skipped: the device has one queue",
        "racy: 12345 (max 20001) in 240 of 240",
        "Source: Breaking Down Barriers",
        "Made-up GPU 9000",
        "240 rounds · 10.2 s measured",
        "running",
        "workgroup",
    ] {
        assert!(has(&output, text), "{text}: {:#?}", texts(&output.shapes));
    }
    let output = stage.settle(&example::troubled([300, 200]));
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
    let mut refused = Stage::new([1280.0, 720.0], 1.0);
    refused.ui = Ui::new(&refused.ctx, given("--size 9000x9000"), Begin { dark: true, demo: false });
    let output = refused.settle(&example::troubled([300, 200]));
    assert!(has(&output, "in use: 1152x1152"), "the last good value");
    let output = stage.settle(&example::split([300, 200]));
    for text in
        ["(63, 511)  17, CPU reference 18", "12345 texels differ from the CPU reference", "132 SMs", "fill "]
    {
        assert!(has(&output, text), "{text}");
    }
}

#[test]
fn keys_become_wishes() {
    let board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    stage.settle(&board);
    let order = |order| vec![Wish::Order(order)];
    for (key, wishes) in [
        (Key::Num3, order(Order::Show(2))),
        (Key::Num9, order(Order::Show(8))),
        (Key::ArrowRight, order(Order::Show(2))),
        (Key::ArrowUp, order(Order::Show(0))),
        (Key::Space, order(Order::Pause(true))),
        (Key::Period, order(Order::Step)),
        (Key::N, order(Order::Step)),
        (Key::A, order(Order::Compare(Some(0)))),
        (Key::Num0, order(Order::Reset)),
        (Key::Backspace, order(Order::Reset)),
        (Key::W, order(Order::Trace(true))),
        (Key::W, order(Order::Trace(false))),
        (Key::R, order(Order::Record)),
        (Key::F, vec![Wish::FullScreen]),
        (Key::S, vec![Wish::Screenshot]),
        (Key::T, vec![Wish::Dark(false)]),
        (Key::Escape, vec![Wish::Windowed]),
        (Key::Q, vec![Wish::Quit]),
        (Key::Questionmark, vec![]),
        (Key::Escape, vec![]),
        (Key::Escape, vec![Wish::Windowed]),
        (Key::X, vec![]),
    ] {
        assert_eq!(stage.orders(&board, key), wishes, "{key:?}");
    }
    let few = example::board(2, [300, 200]);
    assert!(stage.orders(&few, Key::Num3).is_empty());
    assert!(stage.orders(&example::empty(), Key::ArrowRight).is_empty());
}

#[test]
fn rivals_come_in_turn_and_go() {
    let mut board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    assert_eq!(stage.orders(&board, Key::Tab), [Wish::Order(Order::Compare(Some(0)))]);
    board.other = Some(0);
    // The current one, 1, is no rival of its own.
    assert_eq!(stage.orders(&board, Key::Tab), [Wish::Order(Order::Compare(Some(2)))]);
    board.other = Some(2);
    assert_eq!(stage.orders(&board, Key::A), [Wish::Order(Order::Compare(None))]);
    board.other = None;
    assert_eq!(stage.orders(&board, Key::B), [Wish::Order(Order::Compare(Some(2)))]);
}

#[test]
fn hidden_panels_leave_the_picture_the_window() {
    let board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    let look = |wishes: &[Wish]| {
        wishes.iter().find_map(|wish| match wish {
            Wish::Order(Order::Look(View { pixels, .. })) => Some(*pixels),
            _ => None,
        })
    };
    stage.frame(&board, Vec::new());
    let small = look(&stage.wishes).unwrap();
    assert!(small[0] > 400 && small[0] < 900 && small[1] > 400 && small[1] < 720, "{small:?}");
    let wishes = stage.press(&board, Key::H);
    assert_eq!(look(&wishes), Some([1280, 720]));
    stage.frame(&board, Vec::new());
    assert_eq!(look(&stage.wishes), None, "only when it changes");
}

#[test]
fn the_texel_under_the_wheel_stays() {
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    stage.ui.hidden = true;
    let board = example::board(9, [1280, 720]);
    stage.settle(&board);
    let at = pos2(700.0, 300.0);
    let mut views = Vec::new();
    let wheel = Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: Vec2::new(0.0, 240.0),
        modifiers: Modifiers::NONE,
        phase: egui::TouchPhase::Move,
    };
    for events in [vec![Event::PointerMoved(at)], vec![wheel], vec![], vec![], vec![], vec![]] {
        stage.frame(&board, events);
        views.extend(stage.wishes.drain(..).filter_map(|wish| match wish {
            Wish::Order(Order::Look(view)) => Some(view),
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
    let mut board = example::board(9, [1280, 720]);
    Arc::make_mut(board.picture.as_mut().unwrap()).can_drag = true;
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    stage.ui.hidden = true;
    stage.settle(&board);
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
        stage.frame(&board, events);
        drags.extend(stage.wishes.drain(..).filter_map(|wish| match wish {
            Wish::Order(Order::Drag(drag)) => Some(drag),
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
    let board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    assert!(stage.orders(&board, Key::D).is_empty() && stage.ui.is_demo());
    stage.now += Duration::from_secs(5);
    stage.frame(&board, Vec::new());
    assert!(!stage.wishes.iter().any(|wish| matches!(wish, Wish::Order(Order::Show(_)))));
    stage.now += Duration::from_secs(1);
    stage.frame(&board, Vec::new());
    assert!(stage.wishes.contains(&Wish::Order(Order::Show(2))));
    let mut board = board;
    // Behind it is one that the device cannot run.
    board.current = 7;
    stage.now += demo::EACH;
    stage.frame(&board, Vec::new());
    assert!(stage.wishes.contains(&Wish::Order(Order::Show(0))));
    assert_eq!(stage.orders(&board, Key::Num4), [Wish::Order(Order::Show(3))]);
    assert!(!stage.ui.is_demo());
    assert!(stage.orders(&board, Key::D).is_empty() && stage.ui.is_demo());
    // How it is shown is the booth's choice.
    assert!(stage.orders(&board, Key::P).is_empty() && stage.ui.is_demo());
}

#[test]
fn what_stands_still_asks_for_no_frames() {
    let mut board = example::split([300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    for state in [State::Paused, State::Building("kernels".into())] {
        (board.state, board.paused) = (state, true);
        let output = stage.settle(&board);
        assert_eq!(output.viewport_output.values().next().unwrap().repaint_delay, Duration::MAX);
    }
}

#[test]
fn the_current_row_of_many_is_in_sight() {
    let mut board = example::board(96, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    board.current = 80;
    let output = stage.settle(&board);
    // The caption names the current one itself.
    let is_there = |at: usize| texts(&output.shapes).iter().any(|(text, _)| *text == board.variants[at].name);
    assert!(is_there(81), "the row below it");
    assert!(!is_there(4), "far above");
}

#[test]
fn a_turned_knob_is_applied_after_a_rest() {
    let board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    let output = stage.settle(&board);
    let at = place(&output, "ping-pong");
    let mut arranged = Vec::new();
    for events in click(at).into_iter().chain([vec![], vec![]]) {
        stage.frame(&board, events);
        arranged.extend(stage.wishes.drain(..).filter(|wish| matches!(wish, Wish::Order(Order::Arrange(_)))));
    }
    let words = ["--passes", "12", "--ping-pong"].map(Into::into).into();
    assert_eq!(arranged, [Wish::Order(Order::Arrange(words))]);
}

#[test]
fn a_field_that_is_typed_in_keeps_its_keys() {
    let board = example::board(9, [300, 200]);
    let mut stage = Stage::new([1280.0, 720.0], 1.0);
    let output = stage.settle(&board);
    let at = place(&output, "8x8");
    for events in click(at) {
        stage.frame(&board, events);
    }
    assert!(stage.ctx.text_edit_focused());
    assert!(stage.orders(&board, Key::Q).is_empty());
    stage.frame(&board, vec![Event::Text("x4".into())]);
    assert!(!stage.wishes.iter().any(|wish| matches!(wish, Wish::Order(Order::Arrange(_)))));
    stage.now += Duration::from_millis(300);
    stage.frame(&board, Vec::new());
    let arranged = stage.wishes.iter().any(|wish| {
        matches!(wish, Wish::Order(Order::Arrange(words)) if words.iter().any(|word| word.contains("x4")))
    });
    assert!(arranged, "{:?}", stage.wishes);
}

/// The frames of a click.
fn click(pos: egui::Pos2) -> [Vec<Event>; 3] {
    let button = |pressed| {
        let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
        Event::PointerButton { pos, button, pressed, modifiers }
    };
    [vec![Event::PointerMoved(pos)], vec![button(true)], vec![button(false)]]
}

/// The middle of a text.
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
