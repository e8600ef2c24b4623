//! What is to be drawn, and what becomes of it.

/// A frame as egui tessellated it.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// Triangles.
    pub primitives: &'a [egui::ClippedPrimitive],
    /// Pixels a point.
    pub pixels_per_point: f32,
    /// What is behind everything.
    pub backdrop: Backdrop<'a>,
    /// Pixels of the picture. A window may have changed since: it is drawn in the size that it has.
    pub size: [u32; 2],
}

/// Opaque grounds, which are cleared and not drawn: on lavapipe with two cores a screen of triangles that are
/// textured and blended takes 2.8 ms, the clear next to nothing.
#[derive(Clone, Copy, Debug)]
pub struct Backdrop<'a> {
    /// Behind and between the panels.
    pub paper: egui::Color32,
    /// Of the panels.
    pub panel: egui::Color32,
    /// Where they are, in points.
    pub panels: &'a [egui::Rect],
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// It is on its way to the screen, or in the off-screen picture.
    Shown,
    /// There is nothing to draw on: the window is minimised, or hidden.
    Nothing,
    /// The window changed meanwhile: draw again.
    Missed,
}

/// A picture of a frame.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Columns and rows.
    pub size: [u32; 2],
    /// Red, green, blue and alpha, row by row.
    pub rgba: Vec<u8>,
}
