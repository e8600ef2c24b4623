//! Encodes a picture of the window as PNG. A text chunk lists the areas with figures, which differ between runs.

use std::io::Cursor;

use anyhow::{Context, Result};
use egui::Rect;

use super::raster::Canvas;

/// Keyword of the text chunk with the areas of figures: `left,top,right,bottom` in pixels, separated by spaces.
pub(super) const FIGURES: &str = "Figures";

pub(super) fn png(canvas: &Canvas, figures: &[Rect], pixels_per_point: f32) -> Result<Vec<u8>> {
    let [width, height] = canvas.size;
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let place = |rect: &Rect| {
        let [left, top, right, bottom] =
            [rect.min.x, rect.min.y, rect.max.x, rect.max.y].map(|side| (side * pixels_per_point).round());
        format!("{left},{top},{right},{bottom}")
    };
    let places: Vec<String> = figures.iter().map(place).collect();
    encoder.add_text_chunk(FIGURES.into(), places.join(" ")).context("describing the picture")?;
    let mut writer = encoder.write_header().context("beginning the picture")?;
    let pixels: Vec<u8> = canvas
        .pixels
        .iter()
        .flat_map(|pixel| {
            let [_, red, green, blue] = pixel.to_be_bytes();
            [red, green, blue]
        })
        .collect();
    writer.write_image_data(&pixels).context("packing the picture")?;
    writer.finish().context("ending the picture")?;
    Ok(bytes.into_inner())
}
