//! The mean of 3x3x3 texels of a volume, directly and through shared memory.

use anyhow::Result;
use common::record::COPY_LIMIT_3D;
use common::{Declared, Extent, Format, ImageSet, Lab, Shape};

use crate::device::{BORDER, UNWRITTEN, count};
use crate::reference::{floats, overheads, scene, volume as filtered, volume_scale};

/// Workgroup without shared memory: the article recommends 256 invocations.
const UNSHARED: [u32; 3] = [8, 8, 4];

/// Declares the variants for a volume of this side.
///
/// # Errors
/// The device's memory is too small.
pub fn volume(lab: &mut Lab, asked: Option<u32>) -> Result<()> {
    let side = asked.unwrap_or(if lab.device().is_cpu() { 32 } else { 256 });
    let sides = [side; 3];
    lab.report.setting("volume", Shape::from(sides));
    let to = lab.output("filtered volume", ImageSet::new(1, sides, Format::R32_SFLOAT, UNWRITTEN))?;
    let texels = move || scene(Extent { width: side, height: side * side });
    let from = lab.input_image("volume", sides, Format::R32_SFLOAT, move || floats(&texels()));
    let scale = volume_scale().to_bits();
    let declared = Declared::default().bytes(8 * u64::from(side).pow(3)).against(COPY_LIMIT_3D);

    let kernel =
        lab.kernel("lds_blur/volume_direct.comp").constant("SCALE", scale).workgroup(UNSHARED).build();
    lab.variant("volume_direct", move |cmd, rep| {
        let groups = UNSHARED.map(|n| side.div_ceil(n));
        cmd.dispatch(kernel, &[from.sampled(), to.get(rep.index, 0).into()], &(), groups);
    })
    .declares(declared.clone());

    for cube in [4, 8] {
        let name = format!("volume_shared_{cube}x{cube}x{cube}");
        let kernel = || {
            let kernel = lab.kernel("lds_blur/volume_tile.comp").constant("SCALE", scale);
            kernel.workgroup([cube; 3]).shared_bytes(4 * u64::from(cube + 2).pow(3))
        };
        let (kernel, counting) = (kernel().build(), kernel().define_as("COUNT_LOADS", 2).build());
        let images = [from.sampled(), to.get(0, 0).into()];
        lab.prove([&name], move |lab| count(lab, counting, &images, &[cube; 3], 1));
        let [_, border] = overheads(&[cube; 3], 1);
        lab.variant(name, move |cmd, rep| {
            let groups = [side.div_ceil(cube); 3];
            cmd.dispatch(kernel, &[from.sampled(), to.get(rep.index, 0).into()], &(), groups);
        })
        .declares(declared.clone().predicts(BORDER, border));
    }
    lab.report.note(
        "Border: loads beyond the tile in % of the tile's texels, for volumes in % of all loads, as the article counts \
         them; a counting build of each kernel was run here and agrees with the formula.",
    );
    lab.limits(sides, Format::R32_SFLOAT)?;
    lab.expect(to, 0, move || filtered(sides, &texels()));
    Ok(())
}
