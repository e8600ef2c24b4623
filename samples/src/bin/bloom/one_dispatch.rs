//! The variants that run all passes in one dispatch.

use std::rc::Rc;

use anyhow::Result;
use common::{Binding, BufferSet, Lab};
use samples::waits::lacking;
use samples::{LOADS, STORES, in_rows, name_of};

use crate::device::Bloom;
use crate::tiles::Tiles;

/// All passes in one dispatch: a tile waits for the tiles that it reads.
///
/// # Errors
/// There are more tiles than flags can be addressed.
pub fn in_one_dispatch(lab: &mut Lab, bloom: &Bloom, tiles: Tiles) -> Result<()> {
    lab.report.setting("tile", tiles.workgroup);
    lab.report.setting("order", name_of(&tiles.order));
    let flags = lab.output("flags", BufferSet::new(1, tiles.flag_words(&bloom.passes)?, 0))?;
    let timeouts = lab.output("timeouts", BufferSet::new(1, 1, 0))?;
    lab.expect(timeouts, 0, || vec![0]).counts("timeouts: waits that timed out");
    let passes = Rc::clone(&bloom.passes);
    let table = lab.input_buffer("passes", move || tiles.table(&passes)).uniform();
    let passes = Rc::clone(&bloom.passes);
    let order = Binding::from(lab.input_buffer("order of the tickets", move || tiles.units(&passes)));
    let groups = in_rows(tiles.tickets(&bloom.passes));
    let forms = [("tile_flags_strict", false), ("tile_flags_chained", true)];
    let proved = bloom.clone();
    lab.prove(forms.map(|(name, _)| name), move |lab| tiles.prove(lab, &proved, [table, order], groups));
    for (name, chained) in forms {
        let lacking = lacking(lab.device(), chained);
        let kernel = tiles.kernel(lab, bloom, chained).build();
        let (scene, planes) = (bloom.scene, bloom.planes);
        lab.variant(name, move |cmd, rep| {
            if rep.index > 0 {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let [flags, timeouts] = [flags, timeouts].map(|buffers| buffers.get(rep.index, 0));
            let [scene, planes] = [scene, planes.whole(rep.index)].map(Binding::from);
            cmd.dispatch(kernel, &[table, order, scene, planes, flags.into(), timeouts.into()], &(), groups);
        })
        .skip(lacking);
    }
    Ok(())
}
