//! What a picture is made of, before it becomes SVG or pixels: one drawing, two forms.

/// Colours that dispatches take in turn: told apart by colour-blind eyes too, and light beside dark.
pub(super) const PARTS: usize = 5;
/// Shades of each of these in a [`Map`].
pub(super) const SHADES: u8 = 12;

/// What something is drawn in; the theme says which colour that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// What matters.
    Text,
    /// What explains it.
    Faint,
    /// Lines to measure by.
    Grid,
    /// Where a machine fills or drains.
    Band,
    /// Where it does nothing.
    Gap,
    /// What the reader must not miss.
    Warning,
    /// One of the colours of dispatches.
    Part(usize),
    /// The same where waves wait.
    Waiting(usize),
    /// Words on that.
    OnPart(usize),
}

/// What stripes are drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stripes {
    /// On the bare paper.
    Band,
    /// Across a colour.
    Paper,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Where a text stands from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words {
    /// On the baseline.
    pub at: [f64; 2],
    pub size: f64,
    pub bold: bool,
    /// Read from below.
    pub upright: bool,
    pub anchor: Anchor,
    pub ink: Ink,
    pub text: String,
}

impl Words {
    pub(super) fn new(at: [f64; 2], size: f64, ink: Ink, text: impl Into<String>) -> Self {
        Self { at, size, bold: false, upright: false, anchor: Anchor::Start, ink, text: text.into() }
    }

    pub(super) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) fn upright(self) -> Self {
        Self { upright: true, ..self }
    }

    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// Cells of one colour each, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    pub columns: usize,
    /// 0 shows the paper; 1 and up the shades of the first colour, then those of the next.
    pub cells: Vec<u8>,
}

impl Map {
    /// Of a shade from 1 to [`SHADES`] of a colour.
    pub(super) fn cell(part: usize, shade: u8) -> u8 {
        let part = u8::try_from(part % PARTS).unwrap_or(0);
        part * SHADES + shade.clamp(1, SHADES)
    }

    /// How much of a shade covers the paper.
    pub(super) fn cover(shade: u8) -> f64 {
        // The faintest must still be seen.
        0.18 + 0.82 * f64::from(shade.saturating_sub(1)) / f64::from(SHADES - 1)
    }
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Fill(Area, Ink),
    Hatch(Area, Stripes),
    /// Nothing but the paper.
    Paper(Area),
    /// A dashed line to the right.
    Dashes {
        from: [f64; 2],
        length: f64,
        ink: Ink,
    },
    /// Columns side by side that stand on a base line.
    Steps {
        left: f64,
        base: f64,
        /// Width of a column.
        step: f64,
        /// In half pixels.
        heights: Vec<u32>,
        ink: Ink,
    },
    Words(Words),
    Map(Area, Map),
}

/// A picture; later shapes cover earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scene {
    pub size: [f64; 2],
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub(super) fn fill(&mut self, area: Area, ink: Ink) {
        self.shapes.push(Shape::Fill(area, ink));
    }

    pub(super) fn hatch(&mut self, area: Area, stripes: Stripes) {
        self.shapes.push(Shape::Hatch(area, stripes));
    }

    pub(super) fn words(&mut self, words: Words) {
        self.shapes.push(Shape::Words(words));
    }
}
