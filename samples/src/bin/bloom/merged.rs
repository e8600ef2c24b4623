//! The bloom in three passes with two barriers: all down-samples, all blurs, all up-samples.

use anyhow::Result;
use common::{Binding, BufferSet, Cmd, Extent, Lab, Workgroup, sliced};
use samples::{LOADS, STORES, in_rows};

use crate::device::{Bloom, UNWRITTEN, plane_words};
use crate::kernels::{cut, with_formulas};
use crate::pyramid::{Kind, LEVELS};

/// Workgroup and texels per invocation of each pass: the fastest of about eight shapes at 3840x2160 on an H200 (driver
/// 580).
const DOWN: Workgroup = Workgroup { width: 16, height: 16, rows: 1 };
const BLUR: Workgroup = Workgroup { width: 32, height: 8, rows: 4 };
const UP: Workgroup = Workgroup { width: 64, height: 4, rows: 8 };
/// What the shaders take for granted.
const _: () = {
    // The five levels of a tile begin at whole texels.
    assert!(DOWN.width.is_multiple_of(1 << (LEVELS - 2)) && DOWN.height.is_multiple_of(1 << (LEVELS - 2)));
    assert!(UP.width.is_multiple_of(1 << LEVELS) && (UP.height * UP.rows).is_multiple_of(1 << LEVELS));
    // An invocation has one texel at most of the second level's region.
    assert!((UP.width / 4 + 2) * (UP.height * UP.rows / 4 + 2) <= UP.width * UP.height);
    // Two rows of the scene lie between the same rows of the first level.
    assert!(UP.rows.is_multiple_of(2) && BLUR.width.is_multiple_of(BLUR.rows));
};

/// Declares the variant.
///
/// # Errors
/// The planes are too large for the device.
pub fn merged(lab: &mut Lab, bloom: &Bloom) -> Result<()> {
    let [down, blur, up] = [("down", DOWN), ("blur", BLUR), ("up", UP)].map(|(name, workgroup)| {
        let kernel = lab.kernel(&format!("bloom/merged_{name}.comp"));
        with_formulas(cut(kernel, workgroup, bloom.radius), bloom.radius).build()
    });

    // The passes that store the levels, largest first.
    let passes_of = |kind| (0..bloom.count).filter(move |&pass| bloom.passes[pass as usize].kind == kind);
    let halved: Vec<u32> = passes_of(Kind::DownSample).collect();
    let levels: Vec<_> = halved.iter().map(|&pass| bloom.passes[pass as usize]).collect();
    let words = plane_words(&levels);
    let halves = lab.output("halved images", BufferSet::slices(&words, UNWRITTEN))?;
    let blurred = lab.output("blurred images", BufferSet::slices(&words, UNWRITTEN))?;
    let result =
        lab.output("merged bloom", BufferSet::new(1, 2 * bloom.size.width * bloom.size.height, UNWRITTEN))?;
    (0..).zip(halved).for_each(|(level, pass)| bloom.expect(lab, halves, level, pass));
    (0..).zip(passes_of(Kind::BlurY).rev()).for_each(|(level, pass)| bloom.expect(lab, blurred, level, pass));
    bloom.expect(lab, result, 0, bloom.count - 1);

    let mut push = [0; 2 + LEVELS];
    push[..2].copy_from_slice(&bloom.size.sides());
    for (begin, words) in push[2..].iter_mut().zip(sliced(&words)) {
        *begin = u32::try_from(words / 2)?;
    }
    // A workgroup makes two texels of the first level per invocation and axis.
    let down_groups = tiles(levels[0].size, [2 * DOWN.width, 2 * DOWN.height]);
    let blur_tiles = levels.iter().map(|level| tiles(level.size, BLUR.tile()).iter().product::<u32>());
    let blur_groups = in_rows(blur_tiles.sum());
    let up_groups = tiles(bloom.size, UP.tile());
    let scene = bloom.scene;
    lab.variant("merged", move |cmd: &Cmd, rep| {
        let [halves, blurred] = [halves, blurred].map(|set| Binding::from(set.whole(rep.index)));
        let (scene, result) = (Binding::from(scene), Binding::from(result.get(rep.index, 0)));
        if rep.index > 0 {
            cmd.pipeline_barrier2(STORES, LOADS);
        }
        cmd.dispatch(down, &[scene, halves], &push, down_groups);
        cmd.pipeline_barrier2(STORES, LOADS);
        cmd.dispatch(blur, &[halves, blurred], &push, blur_groups);
        cmd.pipeline_barrier2(STORES, LOADS);
        cmd.dispatch(up, &[blurred, result, scene], &push, up_groups);
    });
    Ok(())
}

/// Number of tiles along x and y that cover an image.
fn tiles(size: Extent, tile: [u32; 2]) -> [u32; 3] {
    [size.width.div_ceil(tile[0]), size.height.div_ceil(tile[1]), 1]
}
