//! The keys. One table serves both the list on the screen and the handling of key presses.

use egui::Key;

use super::Video;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    /// Show the variant at this place.
    Variant(usize),
    /// Go this many variants forward, or back if negative.
    Walk(isize),
    /// Go this many rows down in the matrix, or up if negative; without one, as many variants forward.
    Down(isize),
    /// Go this many samples forward, or back if negative.
    Sample(isize),
    /// Stop or resume sampling.
    Pause,
    /// Take one frame.
    Step,
    /// Compare the shown variant with another one, or stop comparing.
    Split,
    /// Compare with the next variant.
    Rival,
    /// Discard all figures.
    Reset,
    /// Show the waves or the matrix large, or the result.
    Waves,
    /// Start or stop the demo, which shows the variants one after another.
    Demo,
    /// Switch large text for an audience on or off.
    Presenter,
    /// Switch between the light and the dark theme.
    Theme,
    /// Hide or show all panels.
    Panels,
    /// Switch full screen on or off.
    FullScreen,
    /// Save a picture of the window.
    Screenshot,
    /// Write the frames, or end that.
    Frames(Video),
    /// Write a record, as `--bench` does.
    Record,
    /// Show or hide the list of keys.
    Help,
    /// Close the list of keys and leave the full screen.
    Escape,
    /// End the program.
    Quit,
}

impl KeyAction {
    /// Whether the key ends the demo. Keys that choose what is shown do; keys that only change how it looks do
    /// not.
    pub(super) fn takes_over(self) -> bool {
        use KeyAction::{Down, Escape, Pause, Reset, Rival, Split, Step, Variant, Walk};
        matches!(self, Variant(_) | Walk(_) | Down(_) | Pause | Step | Split | Rival | Reset | Escape)
    }
}

/// One line in the list of keys.
pub(super) struct Line {
    /// Names of the keys for the reader.
    pub keys: &'static str,
    /// What they do.
    pub what: &'static str,
    /// The keys and their actions.
    pub acts: &'static [(Key, KeyAction)],
}

const fn line(keys: &'static str, what: &'static str, acts: &'static [(Key, KeyAction)]) -> Line {
    Line { keys, what, acts }
}

/// All keys, in the order of the list.
pub(super) const TABLE: &[Line] = &[
    line(
        "1 – 9",
        "show that variant",
        &[
            (Key::Num1, KeyAction::Variant(0)),
            (Key::Num2, KeyAction::Variant(1)),
            (Key::Num3, KeyAction::Variant(2)),
            (Key::Num4, KeyAction::Variant(3)),
            (Key::Num5, KeyAction::Variant(4)),
            (Key::Num6, KeyAction::Variant(5)),
            (Key::Num7, KeyAction::Variant(6)),
            (Key::Num8, KeyAction::Variant(7)),
            (Key::Num9, KeyAction::Variant(8)),
        ],
    ),
    line(
        "arrows",
        "next or previous variant",
        &[
            (Key::ArrowRight, KeyAction::Walk(1)),
            (Key::ArrowDown, KeyAction::Down(1)),
            (Key::ArrowLeft, KeyAction::Walk(-1)),
            (Key::ArrowUp, KeyAction::Down(-1)),
        ],
    ),
    line(
        "Page Down, Up",
        "next or previous sample",
        &[(Key::PageDown, KeyAction::Sample(1)), (Key::PageUp, KeyAction::Sample(-1))],
    ),
    line("Space", "pause, go on", &[(Key::Space, KeyAction::Pause)]),
    line(". or N", "one frame", &[(Key::Period, KeyAction::Step), (Key::N, KeyAction::Step)]),
    line(
        "A or B",
        "split: the variant and its rival",
        &[(Key::A, KeyAction::Split), (Key::B, KeyAction::Split)],
    ),
    line("Tab", "next rival", &[(Key::Tab, KeyAction::Rival)]),
    line(
        "0 or Backspace",
        "reset the figures",
        &[(Key::Num0, KeyAction::Reset), (Key::Backspace, KeyAction::Reset)],
    ),
    line("W", "waves or matrix large, or the result", &[(Key::W, KeyAction::Waves)]),
    line("D", "demo: variants in turn", &[(Key::D, KeyAction::Demo)]),
    line("P", "presenter size", &[(Key::P, KeyAction::Presenter)]),
    line("T", "light or dark", &[(Key::T, KeyAction::Theme)]),
    line("H", "hide the panels", &[(Key::H, KeyAction::Panels)]),
    line("F", "full screen", &[(Key::F, KeyAction::FullScreen)]),
    line("S", "save the window as PNG", &[(Key::S, KeyAction::Screenshot)]),
    line("V", "video: every frame as PNG", &[(Key::V, KeyAction::Frames(Video::Pngs))]),
    line("G", "video: a GIF of at most 60 s", &[(Key::G, KeyAction::Frames(Video::Gif))]),
    line("R", "write a record, as --bench does", &[(Key::R, KeyAction::Record)]),
    line("? or F1", "this list", &[(Key::Questionmark, KeyAction::Help), (Key::F1, KeyAction::Help)]),
    line("Esc", "close the list, leave the full screen", &[(Key::Escape, KeyAction::Escape)]),
    line("Q or Ctrl+Q", "quit", &[(Key::Q, KeyAction::Quit)]),
];

/// Actions of the keys pressed since the last frame. While a text field is focused it gets all keys except F1 and
/// Ctrl+Q; Escape leaves the field.
pub(super) fn pressed(ctx: &egui::Context) -> Vec<KeyAction> {
    let typing = ctx.text_edit_focused();
    let acts = ctx.input(|input| {
        let pressed = input.events.iter().filter_map(|event| match event {
            egui::Event::Key { key, pressed: true, modifiers, repeat, .. } => act(*key, *modifiers, typing)
                .filter(|act| {
                    !repeat || matches!(act, KeyAction::Walk(_) | KeyAction::Down(_) | KeyAction::Step)
                }),
            _ => None,
        });
        pressed.collect()
    });
    if !typing {
        // Tab and arrow keys are used here; egui would move the focus between widgets with them.
        ctx.memory_mut(|memory| {
            memory.move_focus(egui::FocusDirection::None);
            if let Some(focused) = memory.focused() {
                memory.surrender_focus(focused);
            }
        });
    }
    acts
}

fn act(key: Key, modifiers: egui::Modifiers, typing: bool) -> Option<KeyAction> {
    if modifiers.command {
        return (key == Key::Q).then_some(KeyAction::Quit);
    }
    if modifiers.alt || (typing && key != Key::F1) {
        return None;
    }
    // Some keyboard layouts report the slash key, others the question mark.
    let key = if key == Key::Slash && modifiers.shift { Key::Questionmark } else { key };
    let all = TABLE.iter().flat_map(|line| line.acts);
    all.into_iter().find(|(of, _)| *of == key).map(|(_, act)| *act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let mut keys: Vec<_> = TABLE.iter().flat_map(|line| line.acts).map(|(key, _)| *key).collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn a_field_keeps_its_keys() {
        let none = egui::Modifiers::NONE;
        assert_eq!(act(Key::Q, none, false), Some(KeyAction::Quit));
        assert_eq!(act(Key::Q, none, true), None);
        assert_eq!(act(Key::Q, egui::Modifiers::COMMAND, true), Some(KeyAction::Quit));
        assert_eq!(act(Key::Slash, egui::Modifiers::SHIFT, false), Some(KeyAction::Help));
        assert_eq!(act(Key::S, egui::Modifiers::COMMAND, false), None);
    }
}
