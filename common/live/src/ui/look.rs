//! Colours, fonts and sizes for all panels, chosen so that an audience can read them.

use std::sync::Arc;

use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Stroke, TextStyle, Vec2,
};

/// Name of the bold font among egui's families.
const BOLD: &str = "bold";

/// Sets the fonts. Must be called once per context, before its first frame.
pub(super) fn set_fonts(ctx: &egui::Context) {
    let mut fonts = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8], family: FontFamily| {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
        // egui's own fonts follow as fallback for missing glyphs.
        let mut names = vec![name.to_owned()];
        names.extend(fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default());
        fonts.families.insert(family, names);
    };
    add("NotoSans-Bold", notosans::BOLD_TTF, FontFamily::Name(BOLD.into()));
    add("NotoSans", notosans::REGULAR_TTF, FontFamily::Proportional);
    ctx.set_fonts(fonts);
}

/// The colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ink {
    /// Background of the window, visible between the panels.
    pub paper: Color32,
    pub panel: Color32,
    /// Background of a field in a panel and of the selected row.
    pub field: Color32,
    pub text: Color32,
    pub faint: Color32,
    pub line: Color32,
    /// The variant that is shown.
    pub current: Color32,
    /// The compared variant.
    pub rival: Color32,
    /// All other variants.
    pub other: Color32,
    pub wrong: Color32,
    pub racy: Color32,
    pub right: Color32,
}

const fn rgb(red: u8, green: u8, blue: u8) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

/// Based on the palette of Okabe and Ito, like the timelines: blue and orange, vermilion and reddish purple.
/// Colour-blind readers can tell these apart, and the meaning is also given in words.
const LIGHT: Ink = Ink {
    paper: rgb(226, 229, 235),
    panel: rgb(255, 255, 255),
    field: rgb(232, 238, 246),
    text: rgb(22, 24, 29),
    faint: rgb(84, 91, 104),
    line: rgb(205, 210, 220),
    current: rgb(0, 104, 168),
    rival: rgb(186, 110, 0),
    other: rgb(170, 177, 189),
    wrong: rgb(190, 45, 20),
    racy: rgb(150, 50, 115),
    right: rgb(0, 112, 84),
};

const DARK: Ink = Ink {
    paper: rgb(8, 9, 12),
    panel: rgb(22, 25, 31),
    field: rgb(38, 46, 60),
    text: rgb(240, 243, 248),
    faint: rgb(174, 181, 194),
    line: rgb(58, 64, 76),
    current: rgb(96, 190, 245),
    rival: rgb(240, 172, 40),
    other: rgb(104, 112, 126),
    wrong: rgb(255, 124, 104),
    racy: rgb(236, 150, 205),
    right: rgb(80, 205, 165),
};

/// Colours and sizes for one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub ink: Ink,
    pub is_dark: bool,
    /// Presenter mode: no text is smaller than a fortieth of the window's height.
    pub presenter: bool,
    /// Size of normal text in points, and the unit of all lengths.
    pub unit: f32,
    /// Size of secondary text.
    pub small: f32,
}

impl Look {
    /// The look for a window of this size in points.
    pub(super) fn of(window: Vec2, is_dark: bool, presenter: bool) -> Self {
        let ink = if is_dark { DARK } else { LIGHT };
        // Whole points keep letters sharp.
        let unit = if presenter {
            (window.y / 34.0).ceil().max(10.0)
        } else {
            (window.y / 50.0).min(window.x / 84.0).clamp(10.0, 24.0).round()
        };
        let small = if presenter { (window.y / 39.0).ceil().max(9.0) } else { (0.88 * unit).round() };
        Self { ink, is_dark, presenter, unit, small }
    }

    pub(super) fn plain(&self) -> FontId {
        FontId::proportional(self.unit)
    }

    pub(super) fn small(&self) -> FontId {
        FontId::proportional(self.small)
    }

    /// Secondary text for a label.
    pub(super) fn aside(&self, text: impl Into<String>, colour: Color32) -> egui::RichText {
        egui::RichText::new(text).font(self.small()).color(colour)
    }

    pub(super) fn bold(&self, times: f32) -> FontId {
        FontId::new((self.unit * times).round(), FontFamily::Name(BOLD.into()))
    }

    pub(super) fn mono(&self) -> FontId {
        FontId::monospace(self.small)
    }

    /// Gap between panels.
    pub(super) fn gap(&self) -> f32 {
        (0.4 * self.unit).round()
    }

    /// Padding inside a panel.
    pub(super) fn pad(&self) -> f32 {
        (0.75 * self.unit).round()
    }

    pub(super) fn radius(&self) -> CornerRadius {
        CornerRadius::same(3)
    }

    /// The style of egui's widgets.
    pub(super) fn style(&self) -> egui::Style {
        let mut style = egui::Style {
            visuals: if self.is_dark { egui::Visuals::dark() } else { egui::Visuals::light() },
            // No animations: only the engine's output should move.
            animation_time: 0.0,
            ..egui::Style::default()
        };
        for (name, font) in [
            (TextStyle::Small, self.small()),
            (TextStyle::Body, self.plain()),
            (TextStyle::Button, self.plain()),
            (TextStyle::Monospace, self.mono()),
            (TextStyle::Heading, self.bold(1.2)),
        ] {
            style.text_styles.insert(name, font);
        }
        self.space(&mut style.spacing);
        self.colour(&mut style.visuals);
        style.interaction.selectable_labels = false;
        #[cfg(debug_assertions)]
        {
            // Switches off egui's marks on everything that is not aligned to pixels.
            style.debug.show_unaligned = false;
        }
        style.visuals.text_cursor.blink = false;
        style
    }

    fn space(&self, spacing: &mut egui::style::Spacing) {
        let unit = self.unit;
        spacing.item_spacing = Vec2::new(0.5 * unit, 0.35 * unit);
        spacing.button_padding = Vec2::new(0.5 * unit, 0.15 * unit);
        spacing.interact_size = Vec2::new(3.0 * unit, 1.55 * unit);
        spacing.icon_width = 1.1 * unit;
        spacing.icon_width_inner = 0.7 * unit;
        spacing.icon_spacing = 0.4 * unit;
        spacing.slider_rail_height = 0.35 * unit;
        spacing.combo_width = 4.0 * unit;
        spacing.scroll = egui::style::ScrollStyle::thin();
        let margin = Margin::same(if unit > 14.0 { 10 } else { 6 });
        (spacing.window_margin, spacing.menu_margin) = (margin, margin);
        spacing.tooltip_width = 30.0 * unit;
    }

    fn colour(&self, visuals: &mut egui::Visuals) {
        let ink = &self.ink;
        visuals.override_text_color = Some(ink.text);
        visuals.weak_text_color = Some(ink.faint);
        (visuals.panel_fill, visuals.window_fill) = (ink.panel, ink.panel);
        visuals.window_stroke = Stroke::new(1.0, ink.line);
        visuals.extreme_bg_color = ink.field;
        visuals.faint_bg_color = ink.field;
        visuals.selection.bg_fill = ink.current.gamma_multiply(0.45);
        visuals.selection.stroke = Stroke::new(1.0, ink.text);
        visuals.slider_trailing_fill = true;
        let widgets = &mut visuals.widgets;
        for widget in [
            &mut widgets.noninteractive,
            &mut widgets.inactive,
            &mut widgets.hovered,
            &mut widgets.active,
            &mut widgets.open,
        ] {
            widget.corner_radius = self.radius();
            widget.expansion = 0.0;
            (widget.bg_fill, widget.weak_bg_fill) = (ink.field, ink.field);
            widget.fg_stroke = Stroke::new(1.0, ink.text);
            widget.bg_stroke = Stroke::new(1.0, ink.line);
        }
        for widget in [&mut visuals.widgets.hovered, &mut visuals.widgets.active] {
            widget.bg_stroke = Stroke::new(1.0, ink.current);
        }
    }
}

#[cfg(test)]
mod tests {
    use report::heat::{self, HeatCell};

    use super::super::paint::share;
    use super::*;

    fn luminance(colour: Color32) -> f32 {
        let [red, green, blue, _] = egui::Rgba::from(colour).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn inks_can_be_read_on_panels_and_fields() {
        for ink in [LIGHT, DARK] {
            let inks = [ink.text, ink.faint, ink.wrong, ink.racy, ink.right, ink.current];
            for (at, colour) in inks.into_iter().enumerate() {
                for paper in [ink.panel, ink.field] {
                    let (a, b) = (luminance(colour), luminance(paper));
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    assert!(contrast >= 4.5, "{at} on {paper:?}: {contrast}");
                }
            }
        }
    }

    #[test]
    fn figures_can_be_read_on_cells_in_which_all_trials_were_wrong() {
        for (ink, is_dark) in [(LIGHT, false), (DARK, true)] {
            for on_purpose in [false, true] {
                let cell = HeatCell { share: Some(1.0), on_purpose };
                let [red, green, blue] = heat::colour(on_purpose, is_dark);
                let colour =
                    ink.panel.lerp_to_gamma(Color32::from_rgb(red, green, blue), share(cell.cover()));
                let (a, b) = (luminance(ink.text), luminance(colour));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.0, "{on_purpose} {is_dark}: {contrast}");
            }
        }
    }

    #[test]
    fn an_audience_gets_a_fortieth() {
        for height in [720.0, 1080.0, 2160.0] {
            let look = Look::of(Vec2::new(1.78 * height, height), true, true);
            assert!(look.small >= height / 40.0 && look.unit >= look.small);
        }
    }
}
