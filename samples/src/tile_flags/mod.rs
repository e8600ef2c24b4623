//! Chains in one dispatch: what a tile waits for, and how what one workgroup stored comes to another.

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

/// How what one workgroup stored comes to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Each access goes past the caches of a multiprocessor.
    Coherent,
    /// Accesses are cached; releases make available, acquires make visible.
    Chained,
    /// Reads go through another view, which no acquire covers.
    Sampled,
    /// A texel tells its own generation.
    Tagged,
}

/// One way of making a chain in one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How texels come from tile to tile.
    pub access: Access,
    /// A tile comes into shared memory once, with what its texels read around it.
    pub staged: bool,
}

impl Form {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let accesses = [Access::Sampled, Access::Coherent, Access::Chained, Access::Tagged].into_iter();
        accesses.flat_map(|access| [false, true].map(|staged| Self { access, staged }))
    }

    /// The variant's name: `tile_flags` as hardware does it, `tile_flags_strict` and so on as the memory model
    /// has it.
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

    /// Its caption.
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

    /// Its row in the cross table.
    pub fn row(self) -> &'static str {
        match self.access {
            Access::Sampled => "flags, read through a sampled view",
            Access::Coherent => "flags, every access coherent",
            Access::Chained => "flags, acquires and releases carry texels",
            Access::Tagged => "texels tell their generation",
        }
    }

    /// Its column in the cross table.
    pub fn column(self) -> &'static str {
        if self.staged { "a tile at once, through shared memory" } else { "each texel its cross" }
    }

    /// What it relies on, beyond the memory model.
    pub fn relies_on(self) -> Option<&'static str> {
        (self.access == Access::Sampled).then_some(
            "a sampled view finding what another workgroup stored, because no cache held those lines before, and on \
             stores to images staying ahead of a flag's release",
        )
    }

    /// Why it cannot have two layers in turn, where it cannot.
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

    /// Why a device cannot run it.
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

    /// What a wave does of a tile until `trace_part`, each `trace_stamp` and `trace_end`, and how many of these hold
    /// waits. A tile that is not staged is loaded while it is computed; who takes ticket after ticket notes there
    /// instead that it has the next one, and others note nothing.
    fn stretches(self) -> (&'static [&'static str], usize) {
        match (self.access, self.staged) {
            (Access::Tagged, true) => (&["ticket", "wait and load", "step and store", "end"], 2),
            (Access::Tagged, false) => (&["ticket", "next ticket", "wait, load, step and store", "end"], 3),
            (_, true) => (&["ticket and wait", "load", "step and store", "tell"], 1),
            (_, false) => (&["ticket and wait", "next ticket", "load, step and store", "tell"], 1),
        }
    }

    /// Macros of its kernel.
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

/// What a flag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Flags {
    /// A tile: those that the arms of its cross reach are waited for.
    Tile,
    /// A line of tiles across the image: fewer flags, and the whole line is waited for.
    Line,
}

/// Words from flag to flag: with one in each sector of 32 bytes, waits of neighbours do not queue at one address.
/// An H200 takes 5 % less at 512x512 than with flags side by side, and the same at larger sizes.
pub const FLAG_STRIDE: u32 = 8;
/// Kernels count tiles in signed words.
const MOST_TICKETS: u32 = i32::MAX.cast_unsigned();
/// Words in front of the flags: the ticket counter, alone in its line.
pub const HEAD: u32 = 32;

/// How the passes of a chain are cut into tiles, and who takes which.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The image.
    pub size: Extent,
    /// Passes of the chain.
    pub passes: u32,
    /// Reach of a pass in texels.
    pub radius: u32,
    /// What a workgroup covers, and how many workgroups there are.
    pub shape: Shape,
    /// In which order tickets stand for tiles.
    pub order: Order,
    /// What a flag stands for.
    pub flags: Flags,
    /// Generations go to two layers in turn instead of one each.
    pub two_in_turn: bool,
}

impl Grid {
    /// Tiles in x and y.
    pub fn tiles(&self) -> [u32; 2] {
        let [width, height] = self.shape.workgroup.tile();
        [self.size.width.div_ceil(width), self.size.height.div_ceil(height)]
    }

    /// Words that the flags of one repetition take.
    pub fn flag_words(&self) -> u32 {
        let [columns, lines] = self.tiles();
        HEAD + FLAG_STRIDE * columns * lines
    }

    /// Tickets of a chain.
    fn tickets(&self) -> u64 {
        let [columns, lines] = self.tiles().map(u64::from);
        u64::from(self.passes) * columns * lines
    }

    /// Why it cannot be cut like this.
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

    /// Workgroups of the dispatch.
    pub fn workgroups(&self) -> u32 {
        let tickets = u32::try_from(self.tickets()).unwrap_or(MOST_TICKETS);
        self.shape.in_flight.map_or(tickets, |workgroups| workgroups.min(tickets))
    }

    /// Lines of tiles that the arms of a tile's cross reach into, on one side.
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
            // An invocation looks at each flag, again and again.
            ("POLLERS", needed.min(width * height)),
            ("PAUSE", 0),
        ];
        kernel.constants(constants).constant("MULTIPLIER", crate::chain::MULTIPLIER).parts(self.parts(form))
    }

    /// What a trace is told of it.
    fn parts(&self, form: Form) -> Parts {
        let units = u32::try_from(self.tickets()).unwrap_or(MOST_TICKETS);
        let (stretches, waits) = form.stretches();
        Parts { part: "pass", count: self.passes, in_a_row: true, unit: "tile", units, stretches, waits }
    }
}

/// Tells a kernel how long a wait may last: a second by the device's clock, where there is one.
pub fn patient<'l>(kernel: KernelBuilder<'l>, lab: &Lab) -> KernelBuilder<'l> {
    let device = lab.device();
    if device.device_clock {
        kernel.define("CLOCK").constant("TICKS_PER_SECOND", device.ticks_per_second())
    } else {
        kernel
    }
}

/// Tells a kernel how the chain is cut into tiles.
pub fn cut(kernel: KernelBuilder<'_>, workgroup: Workgroup, radius: u32) -> KernelBuilder<'_> {
    let Workgroup { width, height, rows } = workgroup;
    kernel.workgroup([width, height, 1]).constant("ROWS", rows).constant("RADIUS", radius)
}

/// Shared memory that a tile takes with what its texels read around it.
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
