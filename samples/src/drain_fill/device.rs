//! The buffers of `drain_fill`, and what its kernels have in common.

use anyhow::Result;
use common::kernel::KernelBuilder;
use common::{Binding, Buffer, Buffers, Extent, Kernel, Lab, Rep};

use super::step::{self, MULTIPLIER, UNWRITTEN};
use super::{counts, grid, share_of};

/// Lanes of a workgroup where its size is not the question: a wave of GCN, and the smallest that fills an
/// NVIDIA multiprocessor, which holds 32 workgroups and 64 waves of 32.
const LANES: u32 = 64;
/// Steps of the long code without a loop: 24 to 48 KiB, more than an instruction cache of GCN holds beside
/// another of its kind. A CPU device's compiler takes its time.
const LONG_CODE: [u32; 2] = [1024, 64];
/// Steps of the short code.
const SHORT_CODE: u32 = 16;
/// Places of a table of constants, and vectors of four words from place to place: a cache line of 128 bytes
/// each, 8 KiB in all, where a uniform block may have 16.
const PLACES: u32 = 64;
const VECTORS: u32 = 8;
/// Constants of a tile.
const TILE_CONSTANTS: u32 = 8;

/// How much there is to do.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Sides of the whole area.
    pub size: Extent,
    /// Of a pass over it.
    pub items: u32,
    /// Of a chain.
    pub passes: u32,
    /// Of an item in a pass, and on average where it is not the same for all.
    pub steps: u32,
    /// Lanes of a wave.
    pub wave: u32,
}

impl Work {
    /// Lanes of a workgroup where its size is not the question.
    #[must_use]
    pub fn lanes(self) -> u32 {
        LANES.max(self.wave)
    }

    /// Workgroups of a pass over so many items.
    #[must_use]
    pub fn workgroups(self, items: u32) -> u32 {
        items.div_ceil(self.lanes())
    }

    /// Waves of a pass over so many items.
    #[must_use]
    pub fn waves(self, items: u32) -> u32 {
        self.workgroups(items) * self.waves_a_workgroup()
    }

    /// Waves of a workgroup where its size is not the question.
    #[must_use]
    pub fn waves_a_workgroup(self) -> u32 {
        self.lanes().div_ceil(self.wave)
    }

    fn kernel<'l>(self, lab: &'l Lab, name: &str) -> KernelBuilder<'l> {
        let kernel = lab.kernel(&format!("drain_fill/{name}.comp"));
        kernel.define_as("MULTIPLIER", format!("{MULTIPLIER}u")).workgroup([self.lanes(), 1, 1])
    }

    /// A pass; behind a clear it reads what that left.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub fn pass(self, lab: &Lab, clears: bool) -> Result<Kernel> {
        let kernel = self.kernel(lab, "pass").constant("STEPS", self.steps);
        if clears { kernel.define("AFTER_CLEAR") } else { kernel }.build()
    }
}

/// A chain of passes over a share of the items, in two buffers in turn.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    state: Buffers,
    /// What a clear writes and the pass behind it reads, in a chain with clears.
    cleared: Option<Buffers>,
    /// The pass.
    pub pass: Kernel,
    /// The clear.
    pub clear: Kernel,
    /// Of a pass.
    pub items: u32,
    /// Of a pass.
    pub groups: [u32; 3],
}

impl Chain {
    /// Says what must come out of it.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, work: Work, share: u32, clears: bool) -> Result<Self> {
        let items = share_of(work.items, share);
        let state = lab.output_buffers(&format!("state of 1/{share}"), 2, items, UNWRITTEN)?;
        lab.seed(state, 0, &step::begun(items))?;
        lab.expect(state, work.passes % 2, step::passed(items, 0..work.passes, work.steps, clears))?;
        let mut cleared = None;
        if clears {
            let buffers = lab.output_buffers("cleared", 1, items, UNWRITTEN)?;
            lab.expect(buffers, 0, vec![step::first(work.passes - 1); items as usize])?;
            cleared = Some(buffers);
        }
        let pass = work.pass(lab, clears)?;
        let clear = work.kernel(lab, "clear").build()?;
        Ok(Self { state, cleared, pass, clear, items, groups: grid(work.workgroups(items)) })
    }

    /// What a pass reads and writes, and behind a clear what that wrote.
    #[must_use]
    pub fn bindings(&self, rep: Rep, pass: u32) -> Vec<Buffer> {
        let [previous, next] = [pass, pass + 1].map(|generation| self.state.get(rep.index, generation % 2));
        [previous, next].into_iter().chain(self.cleared(rep)).collect()
    }

    /// What a clear writes.
    #[must_use]
    pub fn cleared(&self, rep: Rep) -> Option<Buffer> {
        self.cleared.map(|buffers| buffers.get(rep.index, 0))
    }
}

/// Passes over a share of the items that do not need each other, each with a result of its own.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// One a pass.
    pub results: Buffers,
    /// Of a pass.
    pub items: u32,
    /// Of a pass.
    pub groups: [u32; 3],
}

impl Apart {
    /// Passes that leave each what `twin` says.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, work: Work, share: u32, twin: impl Fn(u32, u32) -> Vec<u32>) -> Result<Self> {
        let items = share_of(work.items, share);
        let results = lab.output_buffers("results of passes apart", work.passes, items, UNWRITTEN)?;
        for pass in 0..work.passes {
            lab.expect(results, pass, twin(items, pass))?;
        }
        Ok(Self { results, items, groups: grid(work.workgroups(items)) })
    }
}

/// Passes that do not need each other, from one buffer.
#[derive(Clone, Copy, Debug)]
pub struct FromOne {
    begun: Buffer,
    /// The pass.
    pub kernel: Kernel,
    /// What they write.
    pub apart: Apart,
}

impl FromOne {
    /// Says what each must leave.
    ///
    /// # Errors
    /// More than the device's memory; a shader that does not compile.
    pub fn new(lab: &mut Lab, work: Work, share: u32) -> Result<Self> {
        let twin = |items, pass| step::passed(items, pass..pass + 1, work.steps, false);
        let apart = Apart::new(lab, work, share, twin)?;
        let begun = lab.input_buffer("items of passes apart", &step::begun(apart.items))?;
        Ok(Self { begun, kernel: work.pass(lab, false)?, apart })
    }

    /// What a pass reads and writes.
    #[must_use]
    pub fn bindings(&self, rep: Rep, pass: u32) -> [Buffer; 2] {
        [self.begun, self.apart.results.get(rep.index, pass)]
    }
}

/// The same steps as code without a loop, as often as there are versions of it.
#[derive(Clone, Debug)]
pub struct Code {
    /// The versions, each with its number for the kernel.
    pub versions: Vec<(Kernel, u32)>,
    /// What they write.
    pub apart: Apart,
}

impl Code {
    /// Long or short code, in a version a pass, over the smallest share of the items.
    ///
    /// # Errors
    /// More than the device's memory; a shader that does not compile.
    pub fn new(lab: &mut Lab, work: Work, share: u32, long: bool) -> Result<Self> {
        let [on_gpu, on_cpu] = LONG_CODE;
        let steps = match (long, lab.on_cpu()) {
            (false, _) => SHORT_CODE,
            (true, false) => on_gpu,
            (true, true) => on_cpu,
        };
        let apart =
            Apart::new(lab, work, share, |items, _| step::multiplied(items, &step::multipliers(steps)))?;
        let version = |pass: u32| {
            // Bits that every multiplier's code gets, so that no two versions have a step in common.
            let version = pass.wrapping_mul(MULTIPLIER) & !1;
            let kernel = work.kernel(lab, "code").define_as("BODY", format!("S{steps}(0u)"));
            Ok((kernel.constant("VERSION", version).build()?, version))
        };
        let versions = (0..work.passes).map(version).collect::<Result<_>>()?;
        Ok(Self { versions, apart })
    }

    /// Kernel and push constants of a pass in this version.
    #[must_use]
    pub fn pass(&self, version: u32) -> (Kernel, [u32; 2]) {
        let (kernel, number) = self.versions[version as usize];
        (kernel, [self.apart.items, number])
    }
}

/// Tables of constants that hold the same, one a pass, and the kernel that follows one.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The tables, as uniform blocks.
    pub tables: Vec<Binding>,
    /// What reads one.
    pub kernel: Kernel,
    /// What it writes.
    pub apart: Apart,
}

impl Constants {
    /// Tables of which each fetch needs the one before.
    ///
    /// # Errors
    /// More than the device's memory; a shader that does not compile.
    pub fn new(lab: &mut Lab, work: Work, share: u32) -> Result<Self> {
        let multipliers = step::multipliers(PLACES);
        let apart = Apart::new(lab, work, share, |items, _| step::multiplied(items, &multipliers))?;
        let words = table(&multipliers);
        let each = |pass| Ok(lab.input_buffer(&format!("constants of pass {pass}"), &words)?.uniform());
        let tables = (0..work.passes).map(each).collect::<Result<_>>()?;
        let kernel = work.kernel(lab, "constants").define_as("PLACES", PLACES).define_as("VECTORS", VECTORS);
        Ok(Self { tables, kernel: kernel.build()?, apart })
    }

    /// What a pass takes that reads this table.
    #[must_use]
    pub fn bindings(&self, table: u32, repetition: u32, pass: u32) -> [Binding; 2] {
        [self.tables[table as usize], self.apart.results.get(repetition, pass).into()]
    }
}

/// Each multiplier, and where the next one lies: all over the table, so that no line is fetched ahead of
/// being asked for because it is the next.
fn table(multipliers: &[u32]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..PLACES).collect();
    places[1..].sort_by_key(|&place| step::first(place));
    let mut words = vec![0; (PLACES * VECTORS * 4) as usize];
    for (at, (&place, &multiplier)) in places.iter().zip(multipliers).enumerate() {
        let word = (place * VECTORS * 4) as usize;
        words[word] = multiplier;
        words[word + 1] = places[(at + 1) % places.len()];
    }
    words
}

/// Tiles of a workgroup's size, and a short shader over them.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    inputs: [Binding; 2],
    results: Buffers,
    /// Loads its constants once.
    pub keeps: Kernel,
    /// Loads them again for each tile.
    pub loads_anew: Kernel,
    /// All of them.
    pub count: u32,
    items: u32,
}

impl Tiles {
    /// All items as tiles.
    ///
    /// # Errors
    /// More than the device's memory; a shader that does not compile.
    pub fn new(lab: &mut Lab, work: Work) -> Result<Self> {
        let items = work.items;
        let multipliers = step::multipliers(TILE_CONSTANTS);
        let results = lab.output_buffers("results of tiles", 1, items, UNWRITTEN)?;
        lab.expect(results, 0, step::multiplied(items, &multipliers))?;
        // Where they begin, then a vector each.
        let words: Vec<u32> = [1].iter().chain(&multipliers).flat_map(|&word| [word, 0, 0, 0]).collect();
        let constants = lab.input_buffer("constants of tiles", &words)?.uniform();
        let values = lab.input_buffer("items of tiles", &step::begun(items))?.into();
        let kernel = || work.kernel(lab, "tiles").define_as("CONSTANTS", TILE_CONSTANTS);
        Ok(Self {
            inputs: [constants, values],
            results,
            keeps: kernel().build()?,
            loads_anew: kernel().define("LOADED_ANEW").build()?,
            count: work.workgroups(items),
            items,
        })
    }

    /// What a repetition takes.
    #[must_use]
    pub fn bindings(&self, repetition: u32) -> [Binding; 3] {
        let [constants, values] = self.inputs;
        [constants, values, self.results.get(repetition, 0).into()]
    }

    /// Push constants for so many workgroups.
    #[must_use]
    pub fn push(&self, workgroups: u32) -> [u32; 4] {
        [self.items, self.count, workgroups, 0]
    }
}

/// Regular and irregular work of the same total.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Steps of each item: regular, irregular.
    pub counts: [Buffer; 2],
    /// What comes out of each.
    pub results: [Buffers; 2],
}

impl Loops {
    /// Draws it.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, work: Work) -> Result<Self> {
        let [regular, irregular] = counts::drawn(work.items, work.steps);
        let mut one = |name: &str, counts: &[u32]| -> Result<(Buffer, Buffers)> {
            let results = lab.output_buffers(&format!("results of {name} work"), 1, work.items, UNWRITTEN)?;
            lab.expect(results, 0, step::counted(counts))?;
            Ok((lab.input_buffer(&format!("{name} counts"), counts)?, results))
        };
        let (even, uneven) = (one("regular", &regular)?, one("irregular", &irregular)?);
        let caption = "steps of an item of irregular work: the brighter the more, from 1 to the most";
        lab.show(uneven.1, 0, work.size.sides(), caption, move |words| counts::painted(&irregular, words));
        Ok(Self { counts: [even.0, uneven.0], results: [even.1, uneven.1] })
    }

    /// The kernel in workgroups of so many waves, or why there are none.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub fn kernel(lab: &Lab, work: Work, waves: u32) -> Result<(Kernel, Option<String>)> {
        work.kernel(lab, "irregular").workgroup([waves * work.wave, 1, 1]).build_or_reason()
    }
}

/// Waves that only say that they ran.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// A word a wave.
    pub started: Buffers,
}

impl Launch {
    /// So many waves.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, waves: u32) -> Result<Self> {
        let started = lab.output_buffers("waves that started", 1, waves, UNWRITTEN)?;
        lab.expect(started, 0, step::begun(waves))?;
        Ok(Self { started })
    }

    /// The kernel in workgroups of so many waves, or why there are none.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub fn kernel(lab: &Lab, work: Work, waves: u32) -> Result<(Kernel, Option<String>)> {
        let kernel = work.kernel(lab, "launch").constant("WAVE_LANES", work.wave);
        kernel.workgroup([waves * work.wave, 1, 1]).build_or_reason()
    }
}

/// Something was recorded before this pass of a repetition.
#[must_use]
pub fn follows(rep: Rep, pass: u32) -> bool {
    rep.index > 0 || pass > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_visits_each_place_once() {
        let multipliers = step::multipliers(PLACES);
        let words = table(&multipliers);
        assert!(words.len() * 4 <= 16_384, "every device takes 16 KiB");
        let mut at = 0;
        for &multiplier in &multipliers {
            assert_eq!(words[(at * VECTORS * 4) as usize], multiplier);
            at = words[(at * VECTORS * 4) as usize + 1];
        }
        assert_eq!(at, 0, "and comes back");
    }

    #[test]
    fn waves_of_a_pass() {
        let work = |wave| Work {
            size: "2560x1440".parse().unwrap(),
            items: 2560 * 1440,
            passes: 8,
            steps: 64,
            wave,
        };
        let counted = |wave| (work(wave).lanes(), work(wave).waves(work(wave).items));
        assert_eq!(counted(64), (64, 57_600));
        assert_eq!(counted(32), (64, 115_200));
        assert_eq!(counted(128), (128, 28_800));
        assert_eq!(counted(8), (64, 460_800));
    }
}
