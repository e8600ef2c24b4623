//! The sample's arguments as widgets.

use std::time::Duration;

use egui::{ComboBox, RichText, ScrollArea, Slider, TextEdit};

use super::look::Look;
use super::notices::refusal;
use crate::knobs::{self, Kind, Knob, Values};
use crate::messages::{Command, Snapshot, State};

/// A change is applied when no other came for this long.
const REST: Duration = Duration::from_millis(300);

/// The knobs and their values.
pub(super) struct Arrange {
    knobs: Vec<Knob>,
    values: Values,
    /// When a knob was last changed, if that is not applied yet.
    turned: Option<Duration>,
    /// The arguments that were last sent to the engine.
    applied: Vec<String>,
}

impl Arrange {
    pub(super) fn new(knobs: Vec<Knob>) -> Self {
        let values = knobs::values(&knobs);
        Self { applied: knobs::arguments(&knobs, &values), knobs, values, turned: None }
    }

    pub(super) fn is_any(&self) -> bool {
        !self.knobs.is_empty()
    }

    /// Draws the knobs and records changes.
    pub(super) fn draw(&mut self, ui: &mut egui::Ui, look: &Look, snapshot: &Snapshot, now: Duration) {
        ui.label(look.aside("Arguments", look.ink.faint));
        let area = ScrollArea::vertical().animated(false).auto_shrink(false);
        let turn = area.show(ui, |ui| self.list(ui, look, snapshot)).inner;
        match turn {
            Turn::Done => self.turned = Some(now.saturating_sub(REST)),
            Turn::Going => self.turned = Some(now),
            Turn::None => {}
        }
    }

    /// The command with the new arguments, once it is time to apply them.
    pub(super) fn due(&mut self, ctx: &egui::Context, now: Duration) -> Option<Command> {
        let rest = (self.turned? + REST).saturating_sub(now);
        if !rest.is_zero() {
            ctx.request_repaint_after(rest);
            return None;
        }
        self.turned = None;
        let arguments = knobs::arguments(&self.knobs, &self.values);
        if arguments == self.applied {
            return None;
        }
        self.applied.clone_from(&arguments);
        Some(Command::Arrange(arguments))
    }

    fn list(&mut self, ui: &mut egui::Ui, look: &Look, snapshot: &Snapshot) -> Turn {
        let mut turn = Turn::None;
        let refused = refusal(snapshot);
        ui.set_width(ui.available_width() - 0.6 * look.unit);
        for knob in &self.knobs {
            let in_use = knobs::in_use(knob, &snapshot.settings).map(String::as_str);
            let refused = refused.is_some();
            let mut widget = Widget { knob, in_use, refused, values: &mut self.values, look };
            turn = turn.or(widget.draw(ui));
        }
        if let Some(text) = refused {
            ui.add_space(0.4 * look.unit);
            ui.label(RichText::new(text).color(look.ink.wrong));
            if matches!(snapshot.state, State::Running | State::Paused) {
                ui.label(look.aside("The last values that were taken go on.", look.ink.faint));
            }
        }
        turn
    }
}

/// What the user did to a knob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    None,
    /// The user is still dragging or typing.
    Going,
    /// The change is complete.
    Done,
}

impl Turn {
    fn or(self, other: Self) -> Self {
        if other == Self::None { self } else { other }
    }

    fn of(response: &egui::Response) -> Self {
        if response.drag_stopped() || response.lost_focus() {
            Self::Done
        } else if response.changed() {
            Self::Going
        } else {
            Self::None
        }
    }
}

/// A knob to be drawn.
struct Widget<'k> {
    knob: &'k Knob,
    in_use: Option<&'k str>,
    /// The sample refused the last change of some knob.
    refused: bool,
    values: &'k mut Values,
    look: &'k Look,
}

impl Widget<'_> {
    fn draw(&mut self, ui: &mut egui::Ui) -> Turn {
        ui.push_id(&self.knob.name, |ui| {
            if self.knob.kind == Kind::Flag {
                return self.flag(ui);
            }
            let head = self.head(ui);
            let turn = match &self.knob.kind {
                // A slider would show a wrong position if the value is not a number or was not given.
                Kind::Number { min, max, whole }
                    if !self.knob.is_list && self.value().parse::<f64>().is_ok() =>
                {
                    self.slider(ui, [*min, *max], *whole)
                }
                Kind::Choice(values) if !self.knob.is_list => self.choice(ui, values, ui.available_width()),
                _ => self.field(ui),
            };
            self.last_good(ui);
            ui.add_space(0.25 * self.look.unit);
            head.or(turn)
        })
        .inner
    }

    /// If the value was refused, shows the one in use below it.
    fn last_good(&self, ui: &mut egui::Ui) {
        if let Some(in_use) = self.in_use.filter(|in_use| self.refused && *in_use != self.value()) {
            ui.label(self.look.aside(format!("in use: {in_use}"), self.look.ink.wrong));
        }
    }

    /// The displayed value: the user's, else the default, else the one that the sample chose.
    fn value(&self) -> String {
        let default = self.knob.default.as_deref().or(self.in_use);
        self.values.get(&self.knob.name).map(String::as_str).or(default).unwrap_or_default().to_owned()
    }

    fn set(&mut self, value: String) {
        self.values.insert(self.knob.name.clone(), value);
    }

    /// Draws the name, and a button that restores the default.
    fn head(&mut self, ui: &mut egui::Ui) -> Turn {
        let is_turned =
            self.values.get(&self.knob.name).is_some_and(|value| self.knob.default.as_ref() != Some(value));
        let row = ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 1.2 * self.look.unit;
            let name = self.look.aside(&self.knob.name, self.look.ink.faint);
            ui.label(name).on_hover_text(&self.knob.help);
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            let text = if is_turned { "reset" } else { "" };
            ui.with_layout(layout, |ui| {
                let text = self.look.aside(text, self.look.ink.current);
                let back = is_turned && ui.add(egui::Button::new(text).frame(false)).clicked();
                if !is_turned && self.knob.default.is_none() && self.in_use.is_some() && !self.knob.is_list {
                    let text = self.look.aside("automatic", self.look.ink.faint);
                    ui.add(egui::Label::new(text).truncate());
                }
                back
            })
            .inner
        });
        if row.inner {
            self.values.remove(&self.knob.name);
            return Turn::Done;
        }
        Turn::None
    }

    fn flag(&mut self, ui: &mut egui::Ui) -> Turn {
        let mut on = self.values.get(&self.knob.name).is_some_and(|value| value == "true");
        let box_ = ui.checkbox(&mut on, &self.knob.name).on_hover_text(&self.knob.help);
        if !box_.changed() {
            return Turn::None;
        }
        self.set(on.to_string());
        Turn::Done
    }

    fn slider(&mut self, ui: &mut egui::Ui, [min, max]: [f64; 2], whole: bool) -> Turn {
        let mut value = self.value().parse().unwrap_or(min);
        ui.spacing_mut().slider_width = (ui.available_width() - 3.5 * self.look.unit).max(40.0);
        let slider = Slider::new(&mut value, min..=max).logarithmic(self.knob.kind.is_logarithmic());
        let slider = if whole { slider.integer() } else { slider.max_decimals(3) };
        let response = ui.add(slider).on_hover_text(&self.knob.help);
        if response.changed() {
            self.set(if whole { format!("{value:.0}") } else { thousandths(value) });
        }
        Turn::of(&response)
    }

    fn choice(&mut self, ui: &mut egui::Ui, values: &[String], width: f32) -> Turn {
        let mut value = self.value();
        let before = value.clone();
        ComboBox::from_id_salt("choice").width(width).selected_text(before.clone()).show_ui(ui, |ui| {
            for other in values {
                ui.selectable_value(&mut value, other.clone(), other);
            }
        });
        if value == before {
            return Turn::None;
        }
        self.set(value);
        Turn::Done
    }

    /// Draws a text field, with a menu of suggested values.
    fn field(&mut self, ui: &mut egui::Ui) -> Turn {
        let usual = self.knob.kind.usual();
        ui.horizontal(|ui| {
            let room = ui.available_width() - if usual.is_empty() { 0.0 } else { 3.2 * self.look.unit };
            let mut value = self.value();
            let field = TextEdit::singleline(&mut value).desired_width(room);
            let is_number = matches!(self.knob.kind, Kind::Number { .. }) && !self.knob.is_list;
            let hint = if is_number { "not given" } else { "automatic" };
            let response = ui.add(field.hint_text(hint)).on_hover_text(&self.knob.help);
            if response.changed() {
                self.set(value);
            }
            let typed = Turn::of(&response);
            if usual.is_empty() {
                return typed;
            }
            let mut chosen = None;
            ComboBox::from_id_salt("usual").width(1.6 * self.look.unit).selected_text("").show_ui(ui, |ui| {
                for other in &usual {
                    if ui.selectable_label(false, other).clicked() {
                        chosen = Some(other.clone());
                    }
                }
            });
            let Some(chosen) = chosen else { return typed };
            self.set(chosen);
            Turn::Done
        })
        .inner
    }
}

/// Formats a number with at most three decimals and without trailing zeros.
fn thousandths(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
