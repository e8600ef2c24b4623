//! Composes a split picture: the left half of one picture and the right half of another.

use crate::messages::Picture;

/// Replaces the right half of `picture` by that of `beside`, which has the same view.
pub(super) fn halves(mut picture: Picture, beside: &Picture) -> Picture {
    let [width, height] = picture.size.map(|side| side as usize);
    if beside.size != picture.size || width < 2 {
        return picture;
    }
    let half = 4 * (width / 2);
    for row in 0..height {
        let right = 4 * width * row + half..4 * width * (row + 1);
        picture.pixels[right.clone()].copy_from_slice(&beside.pixels[right]);
    }
    #[expect(clippy::cast_precision_loss, reason = "sides of images")]
    let is_right = |[x, _]: [u32; 2]| x as f32 + 0.5 >= picture.focus.centre[0];
    if picture.view.cursor.is_some_and(is_right) {
        picture.texel.clone_from(&beside.texel);
    }
    picture.wrong_beside = Some(beside.wrong);
    picture
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Focus, Texel, View};

    fn plain(shade: u8, size: [u32; 2]) -> Picture {
        let pixels = vec![shade; 4 * (size[0] * size[1]) as usize];
        Picture { size, pixels, whole: size, wrong: u64::from(shade), ..Picture::default() }
    }

    #[test]
    fn the_texel_is_that_of_the_half_under_the_cursor() {
        let told = |shade: u8, x| {
            let texel = Some(Texel { at: [x, 0], value: shade.to_string(), expected: None });
            let view = View { cursor: Some([x, 0]), ..View::default() };
            let focus = Focus { centre: [2.0, 1.0], scale: 1.0 };
            Picture { texel, view, focus, ..plain(shade, [4, 2]) }
        };
        let value = |x| halves(told(1, x), &told(2, x)).texel.unwrap().value;
        assert_eq!([0, 1, 2, 3].map(value), ["1", "1", "2", "2"]);
    }

    #[test]
    fn each_has_its_half() {
        let both = halves(plain(1, [4, 2]), &plain(2, [4, 2]));
        assert_eq!(both.pixels, [[1; 8], [2; 8], [1; 8], [2; 8]].concat());
        assert_eq!((both.wrong, both.wrong_beside), (1, Some(2)));
        let other_size = halves(plain(1, [4, 2]), &plain(2, [2, 2]));
        assert_eq!(other_size.pixels, [1; 32]);
    }
}
