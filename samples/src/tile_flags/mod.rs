//! Chains in one dispatch: how tiles wait for each other, and how the stores of one workgroup become visible to
//! another.

mod fused;
pub mod order;
pub mod shape;
mod verdict;

use clap::ValueEnum;
use common::record::DeviceFacts;
use common::record::trace::Parts;
use common::{Extent, KernelBuilder, Lab, Workgroup};

pub use fused::Fused;
use order::Order;
pub use shape::{Shape, shape_for};
pub use verdict::verdict;

/// How the stores of one workgroup become visible to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every access bypasses the caches of the multiprocessor.
    Coherent,
    /// Accesses are cached. A release makes stores available, an acquire makes them visible.
    Chained,
    /// Reads go through a sampled view, which no acquire covers.
    Sampled,
    /// There are no flags: each texel holds its own generation.
    Tagged,
}

/// A kernel that computes a chain in one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How texels get from tile to tile.
    pub access: Access,
    /// Whether a tile and its border are first copied into shared memory.
    pub staged: bool,
}

impl Form {
    /// All forms.
    pub fn all() -> impl Iterator<Item = Self> {
        let accesses = [Access::Sampled, Access::Coherent, Access::Chained, Access::Tagged].into_iter();
        accesses.flat_map(|access| [false, true].map(|staged| Self { access, staged }))
    }

    /// Name of the variant: `tile_flags` for the form that works on this hardware only, `tile_flags_strict` and so
    /// on for those that follow the memory model.
    pub fn name(self) -> String {
        let name = match self.access {
            Access::Sampled => "tile_flags",
            Access::Coherent => "tile_flags_strict",
            Access::Chained => "tile_flags_chained",
            Access::Tagged => "tile_tags",
        };
        let staged = if self.staged { "_staged" } else { "" };
        format!("{name}{staged}")
    }

    /// Caption of the variant.
    pub fn says(self) -> String {
        let passes = match self.access {
            Access::Sampled => "flags tell of tiles, and a sampled view reads them",
            Access::Coherent => "flags tell of tiles, and no access is cached",
            Access::Chained => "flags tell of tiles, and acquire and release their texels",
            Access::Tagged => "texels tell of themselves",
        };
        let staged = if self.staged { "; each is loaded once" } else { "" };
        format!("All passes in one dispatch: {passes}{staged}.")
    }

    /// Row in the cross table.
    pub fn row(self) -> &'static str {
        match self.access {
            Access::Sampled => "flags, read through a sampled view",
            Access::Coherent => "flags, every access coherent",
            Access::Chained => "flags, acquires and releases carry texels",
            Access::Tagged => "texels tell their generation",
        }
    }

    /// Column in the cross table.
    pub fn column(self) -> &'static str {
        if self.staged { "a tile at once, through shared memory" } else { "each texel its cross" }
    }

    /// What the form relies on beyond the memory model.
    pub fn relies_on(self) -> Option<&'static str> {
        (self.access == Access::Sampled).then_some(
            "a sampled view finding what another workgroup stored, because no cache held those lines before, and on \
             stores to images staying ahead of a flag's release",
        )
    }

    /// Why the form cannot alternate between two layers; `None` if it can.
    pub fn needs_all_layers(self) -> Option<&'static str> {
        match self.access {
            Access::Coherent | Access::Chained => None,
            Access::Sampled => {
                Some("with two layers in turn a sampled view would find lines of the pass before last")
            }
            Access::Tagged => {
                Some("with two layers in turn nothing says that a texel which is to be overwritten was read")
            }
        }
    }

    /// Why a device cannot run the form; `None` if it can.
    pub fn lacking(self, facts: &DeviceFacts) -> Option<String> {
        let what = match self.access {
            _ if !facts.device_scope => "the memory model's device scope (vulkanMemoryModelDeviceScope)",
            Access::Chained if !facts.visibility_chains => {
                "availability and visibility chains (vulkanMemoryModelAvailabilityVisibilityChains)"
            }
            _ => return None,
        };
        Some(format!(
            "{} has no {what}: what one workgroup stores could not lawfully reach another",
            facts.name
        ))
    }

    /// Names of the stretches that a wave's trace marks in a tile, up to `trace_part`, each `trace_stamp` and
    /// `trace_end`, and the number of stretches that contain waits. A tile that is not staged is loaded while it
    /// is computed. In that case the second stretch ends when the wave has its next ticket, if it takes several.
    fn stretches(self) -> (&'static [&'static str], usize) {
        match (self.access, self.staged) {
            (Access::Tagged, true) => (&["ticket", "wait and load", "step and store", "end"], 2),
            (Access::Tagged, false) => (&["ticket", "next ticket", "wait, load, step and store", "end"], 3),
            (_, true) => (&["ticket and wait", "load", "step and store", "tell"], 1),
            (_, false) => (&["ticket and wait", "next ticket", "load, step and store", "tell"], 1),
        }
    }

    /// Macros that the form's kernel is compiled with.
    pub fn switches(self) -> impl Iterator<Item = &'static str> {
        let access = match self.access {
            Access::Coherent => "COHERENT",
            Access::Chained => "CHAINED",
            Access::Sampled => "SAMPLED",
            Access::Tagged => "TAGGED",
        };
        [access].into_iter().chain(self.staged.then_some("STAGED"))
    }
}

/// What a flag covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Flags {
    /// A tile: those that the arms of its cross reach are waited for.
    Tile,
    /// A line of tiles across the image: fewer flags, and the whole line is waited for.
    Line,
}

/// Words between flags. With one flag per 32-byte sector, waits of neighbours do not queue at one address. On an
/// H200 this takes 5 % less time at 512x512 than adjacent flags, and the same time at larger sizes.
pub const FLAG_STRIDE: u32 = 8;
/// Most tickets; kernels count tiles in signed words.
const MOST_TICKETS: u32 = i32::MAX.cast_unsigned();
/// Words before the flags: the ticket counter, alone in its cache line.
pub const HEAD: u32 = 32;

/// How the passes of a chain are cut into tiles, and in which order workgroups take them.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Size of the image.
    pub size: Extent,
    /// Number of passes in the chain.
    pub passes: u32,
    /// Radius of a pass in texels.
    pub radius: u32,
    /// Tile of a workgroup, and number of workgroups.
    pub shape: Shape,
    /// Order in which tickets stand for tiles.
    pub order: Order,
    /// What a flag covers.
    pub flags: Flags,
    /// Generations alternate between two layers, instead of one layer each.
    pub two_in_turn: bool,
}

impl Grid {
    /// Number of tiles in x and y.
    pub fn tiles(&self) -> [u32; 2] {
        let [width, height] = self.shape.workgroup.tile();
        [self.size.width.div_ceil(width), self.size.height.div_ceil(height)]
    }

    /// Words for the ticket counter and flags of one repetition.
    pub fn flag_words(&self) -> u32 {
        let [columns, lines] = self.tiles();
        HEAD + FLAG_STRIDE * columns * lines
    }

    /// Number of tickets in a chain.
    fn tickets(&self) -> u64 {
        let [columns, lines] = self.tiles().map(u64::from);
        u64::from(self.passes) * columns * lines
    }

    /// Why the chain cannot be cut like this; `None` if it can.
    pub fn impossible(&self) -> Option<String> {
        let most = u64::from(MOST_TICKETS);
        (self.tickets() > most).then(|| {
            format!(
                "tiles of {} make {} tickets in {} passes of {}, and a counter holds {most}: use a larger --tile",
                self.shape.workgroup,
                self.tickets(),
                self.passes,
                self.size
            )
        })
    }

    /// Number of workgroups in the dispatch.
    pub fn workgroups(&self) -> u32 {
        let tickets = u32::try_from(self.tickets()).unwrap_or(MOST_TICKETS);
        self.shape.in_flight.map_or(tickets, |workgroups| workgroups.min(tickets))
    }

    /// Lines of tiles, on one side, that the cross of a tile's texels reaches into.
    pub fn reach(&self) -> u32 {
        self.radius.div_ceil(self.shape.workgroup.tile()[1])
    }

    /// Pass and line of each line of tickets, two words each.
    pub fn lines(&self) -> Vec<u32> {
        self.order.lines(self.passes, self.tiles()[1], self.reach()).into_iter().flatten().collect()
    }

    /// The kernel of a form.
    pub fn kernel<'l>(&self, lab: &'l Lab, form: Form) -> KernelBuilder<'l> {
        let Workgroup { width, height, .. } = self.shape.workgroup;
        let [columns, lines] = self.tiles();
        let across = self.radius.div_ceil(width);
        let needed = match self.flags {
            Flags::Tile => 2 * (across + self.reach()) + 1,
            Flags::Line => 2 * self.reach() + 1,
        };
        let kernel = cut(lab.kernel("chain/tiles.comp"), self.shape.workgroup, self.radius);
        let mut kernel = form.switches().fold(patient(kernel, lab), KernelBuilder::define);
        if form.staged {
            kernel = kernel.shared_bytes(staged_bytes(self.shape.workgroup, self.radius) + 8);
        }
        let constants = [
            ("FLAGS_A_LINE", u32::from(self.flags == Flags::Line)),
            ("ORDERED", u32::from(self.order != Order::Passes)),
            ("TAKES_ALL", u32::from(self.shape.in_flight.is_some())),
            ("ON_CPU", u32::from(lab.device().is_cpu())),
            ("TWO_IN_TURN", u32::from(self.two_in_turn)),
            ("PASSES", self.passes),
            ("COLUMNS", columns),
            ("LINES", lines),
            ("FLAG_STRIDE", FLAG_STRIDE),
            // One invocation polls each flag.
            ("POLLERS", needed.min(width * height)),
            ("PAUSE", 0),
        ];
        kernel.constants(constants).constant("MULTIPLIER", crate::chain::MULTIPLIER).parts(self.parts(form))
    }

    /// The parts of the kernel for the trace.
    fn parts(&self, form: Form) -> Parts {
        let units = u32::try_from(self.tickets()).unwrap_or(MOST_TICKETS);
        let (stretches, waits) = form.stretches();
        Parts { part: "pass", count: self.passes, in_a_row: true, unit: "tile", units, stretches, waits }
    }
}

/// Sets the longest wait in a kernel: one second by the device's clock, if there is one.
pub fn patient<'l>(kernel: KernelBuilder<'l>, lab: &Lab) -> KernelBuilder<'l> {
    let device = lab.device();
    if device.device_clock {
        kernel.define("CLOCK").constant("TICKS_PER_SECOND", device.ticks_per_second())
    } else {
        kernel
    }
}

/// Sets a kernel's workgroup, rows per invocation and radius.
pub fn cut(kernel: KernelBuilder<'_>, workgroup: Workgroup, radius: u32) -> KernelBuilder<'_> {
    let Workgroup { width, height, rows } = workgroup;
    kernel.workgroup([width, height, 1]).constant("ROWS", rows).constant("RADIUS", radius)
}

/// Bytes of shared memory for a tile and its border.
pub fn staged_bytes(workgroup: Workgroup, radius: u32) -> u64 {
    let [width, height] = workgroup.tile().map(|side| u64::from(side) + 2 * u64::from(radius));
    4 * width * height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tickets_than_are_counted_are_refused() {
        let (order, flags, two_in_turn) = (Order::Passes, Flags::Tile, false);
        let shape = Shape { workgroup: Workgroup { width: 1, height: 1, rows: 1 }, in_flight: None };
        let size = Extent::square(4095);
        let grid = Grid { size, passes: 128, radius: 2, shape, order, flags, two_in_turn };
        assert_eq!((grid.impossible(), grid.workgroups()), (None, 128 * 4095 * 4095));
        let reason = Grid { size: Extent::square(4096), ..grid }.impossible().unwrap();
        assert!(reason.contains("tiles of 1x1 make 2147483648 tickets"), "{reason}");
    }
}
