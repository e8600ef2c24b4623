//! Assigns each dispatch a region of the trace's buffer, and limits how much of the dispatch is recorded.

use record::trace::Parts;

use vulkan::cmd::CommandBuffer;
use vulkan::cmd::script::Script;
use vulkan::handles::{Binding, Buffer, Kernel};

/// Words of a region's head, and of a slot for a kernel without parts.
pub(super) const HEAD: usize = 4;
pub(super) const SLOT: usize = 4;
/// Alignment of regions in bytes: the largest `minStorageBufferOffsetAlignment` that Vulkan allows.
const ALIGNMENT: u64 = 256;
/// Maximum number of recorded waves in a trace: 16 MiB of slots without parts.
pub const MOST_SLOTS: u64 = 1 << 20;

/// A dispatch to trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub(crate) kernel: Kernel,
    pub(crate) name: String,
    /// The parts that the kernel names; for `None`, each wave is recorded as a whole.
    pub(crate) parts: Option<Parts>,
    /// As in [`record::trace::Dispatch`].
    pub(crate) groups: [u32; 3],
    /// Maximum number of waves per workgroup; of a draw, the smallest number of pixels or vertices of a full wave.
    pub waves: u32,
    /// Of a draw: what belongs to its vertices.
    pub(crate) draw: Option<Draw>,
}

/// The vertices of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    /// Path of the vertex shader.
    pub vertex: String,
    pub vertices: u32,
}

impl Planned {
    /// Maximum number of waves per unit.
    pub(crate) fn waves_per_unit(&self) -> u32 {
        if self.draw.is_some() { 1 } else { self.waves.max(1) }
    }

    /// Number of workgroups; for a kernel that names its parts, number of units; of a draw, number of waves of both
    /// shaders, with room for waves that are not full.
    pub fn units(&self) -> u64 {
        if let Some(draw) = &self.draw {
            let [width, height, _] = self.groups.map(u64::from);
            let (vertices, full) = (u64::from(draw.vertices), self.waves.max(1).into());
            // A wave of vertices may hold one triangle.
            return 2 * (width * height).div_ceil(full) + width + height + vertices;
        }
        let workgroups = || self.groups.iter().map(|&side| u64::from(side)).product();
        self.parts.as_ref().map_or_else(workgroups, |parts| parts.units.into())
    }

    /// Words of a slot.
    pub fn words(&self) -> usize {
        self.parts.as_ref().map_or(SLOT, Parts::words)
    }

    /// A dispatch of some kernel.
    #[cfg(test)]
    pub fn for_test(groups: [u32; 3], waves: u32, parts: Option<&Parts>) -> Self {
        let (kernel, name) = (Kernel(0), "k".into());
        Self { kernel, name, parts: parts.cloned(), groups, waves, draw: None }
    }
}

/// A dispatch's region of the trace's buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    pub(crate) planned: Planned,
    /// Offset in bytes.
    pub offset: u64,
    /// One of this many neighbouring units is recorded.
    pub one_in: u32,
    pub(crate) slots: u32,
}

impl Region {
    /// The region's head, which the kernel reads.
    pub fn head(&self) -> [u32; HEAD] {
        // A draw counts its slots in the third word.
        let waves = if self.planned.draw.is_some() { 0 } else { self.planned.waves };
        [self.one_in, self.slots, waves, 0]
    }

    pub(crate) fn bytes(&self) -> u64 {
        4 * (HEAD as u64 + self.planned.words() as u64 * u64::from(self.slots))
    }

    /// The region's words in the words of the buffer.
    pub fn words<'w>(&self, all: &'w [u32]) -> Option<&'w [u32]> {
        let begin = usize::try_from(self.offset / 4).ok()?;
        all.get(begin..begin + usize::try_from(self.bytes() / 4).ok()?)
    }
}

/// The regions in which the dispatches of a script record their waves, one per dispatch.
#[derive(Debug)]
pub struct Notes {
    pub(crate) buffer: Buffer,
    pub(crate) regions: Vec<Region>,
}

impl Notes {
    /// Clears the regions and writes their heads.
    pub fn prepare(&self, cmd: &CommandBuffer<'_>) {
        cmd.fill_buffer(self.buffer, 0);
        cmd.full_barrier();
        for region in &self.regions {
            cmd.update_buffer(self.buffer, region.offset, &region.head());
        }
    }

    /// The script with the traced kernels in place of its own.
    pub fn taken(&self, script: &Script, traced: impl Fn(Kernel) -> Kernel) -> Script {
        let mut script = script.clone();
        for (dispatch, region) in script.launches_mut().zip(&self.regions) {
            dispatch.kernel = traced(dispatch.kernel);
            dispatch.bindings.push(Binding::Part(self.buffer, region.offset, region.bytes()));
        }
        script
    }
}

/// The regions of a trace, which share `most` slots. A dispatch that needs no more than its share is recorded
/// completely.
pub fn plan(dispatches: Vec<Planned>, most: u64) -> Vec<Region> {
    let share = (most / dispatches.len().max(1) as u64).max(1);
    let mut offset = 0;
    let regions = dispatches.into_iter().map(|planned| {
        let waves = u64::from(planned.waves_per_unit());
        let one_in = (planned.units() * waves).div_ceil(share).max(1);
        let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let slots = narrow(planned.units().div_ceil(one_in) * waves);
        let region = Region { planned, offset, one_in: narrow(one_in), slots };
        offset = (offset + region.bytes()).next_multiple_of(ALIGNMENT);
        region
    });
    regions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(x: u32, waves: u32) -> Planned {
        Planned::for_test([x, 2, 1], waves, None)
    }

    #[test]
    fn each_dispatch_gets_the_region_that_was_planned_for_it() {
        use vulkan::cmd::Cmd;
        let image = vulkan::handles::Image(4);
        let script = Script::on_one_queue(Cmd::steps(|cmd| {
            cmd.dispatch(Kernel(1), &[image], &7_u32, [3, 2, 1]);
            cmd.dispatch(Kernel(2), &[image], &8_u32, [1, 2, 1]);
        }));
        let notes =
            Notes { buffer: Buffer(5), regions: plan(vec![planned(3, 8), planned(1, 1)], MOST_SLOTS) };
        let noting = notes.taken(&script, |Kernel(plain)| Kernel(10 + plain));
        let [first, second] = [0, 1].map(|at| noting.dispatches().nth(at).unwrap());
        let part = |at: usize| Binding::Part(Buffer(5), notes.regions[at].offset, notes.regions[at].bytes());
        assert_eq!((first.kernel, &first.bindings[..]), (Kernel(11), &[Binding::Image(image), part(0)][..]));
        assert_eq!(
            (second.kernel, &second.bindings[..]),
            (Kernel(12), &[Binding::Image(image), part(1)][..])
        );
        assert_eq!((&second.push[..], second.groups), (&8_u32.to_ne_bytes()[..], [1, 2, 1]));
    }

    #[test]
    fn units_have_slots_whatever_the_workgroups() {
        let parts = Parts {
            part: "pass",
            count: 12,
            in_a_row: true,
            unit: "tile",
            units: 1000,
            stretches: &["wait", "load", "step", "tell"],
            waits: 1,
        };
        let of = |most| plan(vec![Planned::for_test([4, 1, 1], 8, Some(&parts))], most).remove(0);
        assert_eq!((of(8000).one_in, of(8000).slots, of(8000).bytes()), (1, 8000, 16 + 32 * 8000));
        // One of three units is recorded, with eight waves each.
        assert_eq!((of(2700).one_in, of(2700).slots), (3, 8 * 334));
        let many = Parts { units: u32::MAX, ..parts };
        let region = plan(vec![Planned::for_test([4, 1, 1], 8, Some(&many))], MOST_SLOTS).remove(0);
        assert!(u64::from(region.slots) <= MOST_SLOTS, "{region:?}");
    }

    #[test]
    fn small_dispatches_are_recorded_whole_and_large_ones_in_part() {
        let regions = plan(vec![planned(10, 2), planned(100, 2)], 120);
        assert_eq!(regions.iter().map(|r| r.one_in).collect::<Vec<_>>(), [1, 7]);
        // 200 workgroups, one of seven recorded: 29 with two waves each.
        assert_eq!(regions.iter().map(|r| r.slots).collect::<Vec<_>>(), [40, 58]);
    }

    #[test]
    fn regions_lie_apart_and_aligned() {
        let regions = plan(vec![planned(3, 8), planned(5, 1), planned(1, 1)], MOST_SLOTS);
        for pair in regions.windows(2) {
            assert!(pair[0].offset + pair[0].bytes() <= pair[1].offset);
            assert_eq!(pair[1].offset % ALIGNMENT, 0);
        }
        let words = vec![7; 4096];
        assert_eq!(regions[1].words(&words).map(<[u32]>::len), Some(4 + 4 * 10));
        assert_eq!(regions[1].words(&words[..80]), None);
    }
}
