//! The keys: one table, by which they are told and by which they are obeyed.

use egui::Key;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    /// The variant at this place.
    Variant(usize),
    /// So many variants on, or back.
    Walk(isize),
    /// Stop sampling, or go on.
    Pause,
    /// One frame.
    Step,
    /// The rival beside the current variant, or none.
    Split,
    /// The next rival.
    Rival,
    /// Forget every figure.
    Reset,
    /// Waves, or none.
    Waves,
    /// Variants in turn, by themselves.
    Demo,
    /// Text for an audience.
    Presenter,
    /// Light or dark.
    Theme,
    /// No panels, or all.
    Panels,
    /// The whole screen.
    FullScreen,
    /// A picture of the window.
    Screenshot,
    /// A record as `--bench` writes it.
    Record,
    /// The list of keys.
    Help,
    /// Close the list, leave the full screen.
    Escape,
    /// End.
    Quit,
}

impl KeyAction {
    /// Whoever chooses what is shown takes over from the demo; how it is shown is the booth's.
    pub(super) fn takes_over(self) -> bool {
        use KeyAction::{Escape, Pause, Reset, Rival, Split, Step, Variant, Walk};
        matches!(self, Variant(_) | Walk(_) | Pause | Step | Split | Rival | Reset | Escape)
    }
}

/// A line of the list of keys.
pub(super) struct Line {
    /// As a reader gets it.
    pub keys: &'static str,
    /// What they do.
    pub what: &'static str,
    /// The same for the machine.
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
            (Key::ArrowDown, KeyAction::Walk(1)),
            (Key::ArrowLeft, KeyAction::Walk(-1)),
            (Key::ArrowUp, KeyAction::Walk(-1)),
        ],
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
    line("W", "waves in flight", &[(Key::W, KeyAction::Waves)]),
    line("D", "demo: variants in turn", &[(Key::D, KeyAction::Demo)]),
    line("P", "presenter size", &[(Key::P, KeyAction::Presenter)]),
    line("T", "light or dark", &[(Key::T, KeyAction::Theme)]),
    line("H", "hide the panels", &[(Key::H, KeyAction::Panels)]),
    line("F", "full screen", &[(Key::F, KeyAction::FullScreen)]),
    line("S", "save the window as PNG", &[(Key::S, KeyAction::Screenshot)]),
    line("R", "write a record, as --bench does", &[(Key::R, KeyAction::Record)]),
    line("? or F1", "this list", &[(Key::Questionmark, KeyAction::Help), (Key::F1, KeyAction::Help)]),
    line("Esc", "close the list, leave the full screen", &[(Key::Escape, KeyAction::Escape)]),
    line("Q or Ctrl+Q", "quit", &[(Key::Q, KeyAction::Quit)]),
];

/// What was pressed since the last frame. With a text field in use keys are the field's, but for F1 and
/// Ctrl+Q; Escape leaves the field.
pub(super) fn pressed(ctx: &egui::Context) -> Vec<KeyAction> {
    let typing = ctx.text_edit_focused();
    let acts = ctx.input(|input| {
        let pressed = input.events.iter().filter_map(|event| match event {
            egui::Event::Key { key, pressed: true, modifiers, repeat, .. } => act(*key, *modifiers, typing)
                .filter(|act| !repeat || matches!(act, KeyAction::Walk(_) | KeyAction::Step)),
            _ => None,
        });
        pressed.collect()
    });
    if !typing {
        // Tab and arrows are ours: egui would move the focus from widget to widget with them.
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
    // Some layouts report the key, others the sign.
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
