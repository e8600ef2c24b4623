//! Scales pictures that a sample paints itself, on the CPU, to the size of the screen.

use std::sync::Arc;

use crate::messages::{Focus, Picture, Texel, View};

/// The part of a painted picture that a view shows.
pub(super) fn picture(painted: &[[u8; 3]], whole: [u32; 2], view: View, caption: Arc<str>) -> Picture {
    let size = view.pixels;
    let focus = view.at.unwrap_or_else(|| Focus::whole(whole, size));
    let pixels = scaled(painted, whole, view, focus);
    let texel = view.cursor.and_then(|at| texel(painted, whole, at));
    Picture { size, pixels, view, whole, focus, texel, caption, ..Picture::default() }
}

/// The painted colour under the cursor.
fn texel(painted: &[[u8; 3]], whole: [u32; 2], at: [u32; 2]) -> Option<Texel> {
    let [x, y] = at.map(|side| side as usize);
    let [red, green, blue] = *painted.get(y * whole[0] as usize + x).filter(|_| at[0] < whole[0])?;
    Some(Texel { at, value: format!("painted {red}, {green}, {blue}"), expected: None })
}

/// Scales the visible part of a painted picture. A screen pixel shows the mean of the painted pixels under it, or
/// the nearest one where those are larger.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "clamped to the sides of a picture"
)]
fn scaled(painted: &[[u8; 3]], whole: [u32; 2], view: View, focus: Focus) -> Vec<u8> {
    let [width, height] = view.pixels;
    let texel = |pixel: u32, axis: usize, sides: [u32; 2]| {
        (pixel as f32 - sides[axis] as f32 / 2.0) / focus.scale + focus.centre[axis]
    };
    let spans = |axis: usize| -> Vec<Option<(usize, usize)>> {
        let side = whole[axis] as f32;
        let span = |pixel: u32| {
            let (from, to) = (texel(pixel, axis, view.pixels), texel(pixel + 1, axis, view.pixels));
            let middle = f32::midpoint(from, to);
            (0.0..side).contains(&middle).then(|| {
                let first = from.round().clamp(0.0, middle.floor()) as usize;
                let last = to.round().clamp(middle.floor() + 1.0, side) as usize;
                (first, last)
            })
        };
        (0..view.pixels[axis]).map(span).collect()
    };
    let (columns, rows) = (spans(0), spans(1));
    let mut pixels = Vec::with_capacity(4 * width as usize * height as usize);
    for row in &rows {
        for column in &columns {
            let shown = match (column, row) {
                (&Some(x), &Some(y)) => mean(painted, whole[0] as usize, x, y),
                _ => [0x1a, 0x1c, 0x20],
            };
            pixels.extend([shown[0], shown[1], shown[2], 255]);
        }
    }
    pixels
}

#[expect(clippy::cast_possible_truncation, reason = "a mean of bytes")]
fn mean(painted: &[[u8; 3]], width: usize, x: (usize, usize), y: (usize, usize)) -> [u8; 3] {
    let (mut sum, mut count) = ([0_u32; 3], 0);
    for row in y.0..y.1 {
        for pixel in &painted[row * width + x.0..row * width + x.1] {
            for (sum, &part) in sum.iter_mut().zip(pixel) {
                *sum += u32::from(part);
            }
            count += 1;
        }
    }
    sum.map(|sum| (sum / count.max(1)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pixels: [u32; 2], scale: f32) -> Vec<u8> {
        let painted = [[10; 3], [30; 3], [50; 3], [70; 3]];
        let view = View { pixels, ..View::default() };
        let all = scaled(&painted, [2, 2], view, Focus { centre: [1.0, 1.0], scale });
        all.chunks(4).map(|pixel| pixel[0]).collect()
    }

    #[test]
    fn the_texel_under_the_cursor_is_told() {
        let painted = [[10; 3], [30; 3], [50; 3], [1, 2, 3]];
        let told = |at| {
            let view = View { pixels: [4, 4], at: None, cursor: Some(at) };
            picture(&painted, [2, 2], view, "".into()).texel.map(|texel| texel.value)
        };
        assert_eq!(told([1, 1]).as_deref(), Some("painted 1, 2, 3"));
        assert_eq!([told([2, 0]), told([0, 2])], [None, None]);
    }

    #[test]
    fn pixels_are_means_or_the_nearest() {
        assert_eq!(shown([1, 1], 0.5), [40]);
        assert_eq!(shown([2, 2], 1.0), [10, 30, 50, 70]);
        assert_eq!(shown([4, 2], 2.0), [10, 10, 30, 30, 50, 50, 70, 70]);
        assert_eq!(shown([4, 2], 1.0), [0x1a, 10, 30, 0x1a, 0x1a, 50, 70, 0x1a]);
    }
}
