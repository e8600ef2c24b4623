//! Kernels that differ in code and not in results, and several copies of a table of constants.

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Extent, Kernel, KernelBuilder, Lab, Pass};
use samples::in_rows;
use samples::steps::{LANES, MULTIPLIER, UNWRITTEN, first, multiplied, multipliers, painted};

/// Steps of the long code without a loop, on a GPU and on a CPU device. On a GPU it has 24 KiB for GCN (RADV, Mesa
/// 22.3.6), so that an instruction cache of 32 KiB cannot hold two versions. A CPU device has less because its
/// compiler is slow.
const LONG_CODE: [u32; 2] = [1024, 64];
/// Steps of the short code.
const SHORT_CODE: u32 = 16;
/// Entries of a table of constants, which are read one after the other, and four-word vectors per entry. An entry
/// fills a cache line of 128 bytes; the table has 8 KiB, of the 16 KiB that every device allows for a uniform block.
pub const ENTRIES: u32 = 64;
const VECTORS: u32 = 8;

/// How much work there is.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Sides of the area of a pass.
    pub size: Extent,
    /// Items per pass.
    pub items: u32,
    /// Passes per chain.
    pub passes: u32,
}

impl Work {
    /// Workgroups per pass.
    pub fn groups(self) -> [u32; 3] {
        in_rows(self.items.div_ceil(LANES))
    }

    /// A result for each pass, which is one step with each multiplier.
    fn results(self, lab: &mut Lab, name: &str, steps: u32) -> Result<Buffers> {
        let results = lab.output(name, BufferSet::new(self.passes, self.items, UNWRITTEN))?;
        for pass in 0..self.passes {
            lab.expect(results, pass, move || multiplied(self.items, &multipliers(steps)));
        }
        Ok(results)
    }
}

fn kernel<'l>(lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
    lab.kernel(path).workgroup([LANES, 1, 1])
}

/// The same steps as unrolled code, in a version for each pass.
#[derive(Clone, Debug)]
pub struct Code {
    /// The kernel and the number of each version.
    versions: Vec<(Kernel, u32)>,
    results: Buffers,
    items: u32,
}

impl Code {
    /// Long or short code.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, work: Work, is_long: bool) -> Result<Self> {
        let [on_gpu, on_cpu] = LONG_CODE;
        let steps = match (is_long, lab.device().is_cpu()) {
            (false, _) => SHORT_CODE,
            (true, false) => on_gpu,
            (true, true) => on_cpu,
        };
        let results = work.results(lab, "results of code", steps)?;
        if is_long {
            let caption = "the result of the first pass, which is noise; wrong items are red";
            lab.report.show(results, 0, work.size.sides(), caption, move |words| {
                painted(&multiplied(work.items, &multipliers(steps)), words)
            });
        }
        let version = |pass: u32| {
            // These bits go into every multiplier, so that no two versions share code.
            let number = pass.wrapping_mul(MULTIPLIER) & !1;
            let kernel = kernel(lab, "cold_caches/code.comp").constant("VERSION", number);
            let kernel = if is_long { kernel.define(&format!("STEPS_{steps}")) } else { kernel };
            (kernel.build(), number)
        };
        Ok(Self { versions: (0..work.passes).map(version).collect(), results, items: work.items })
    }

    /// Kernel and push constants of a version.
    pub fn version(&self, version: u32) -> (Kernel, [u32; 2]) {
        let (kernel, number) = self.versions[version as usize];
        (kernel, [self.items, number])
    }

    /// The buffer that a pass writes.
    pub fn result(&self, pass: Pass) -> Buffer {
        self.results.get(pass.rep.index, pass.index)
    }
}

/// Tables of equal contents, one per pass, and the kernel that reads one.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The tables, as uniform blocks.
    tables: Vec<Binding>,
    results: Buffers,
    /// The kernel that reads a table.
    pub kernel: Kernel,
}

impl Constants {
    /// Creates tables in which each entry holds the number of the next one.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, work: Work) -> Result<Self> {
        let results = work.results(lab, "results with constants", ENTRIES)?;
        let words = || table(&multipliers(ENTRIES));
        let each = |pass| lab.input_buffer(&format!("constants of pass {pass}"), words).uniform();
        let tables = (0..work.passes).map(each).collect();
        let kernel = kernel(lab, "cold_caches/constants.comp");
        let kernel = kernel.constant("ENTRIES", ENTRIES).constant("VECTORS", VECTORS).build();
        Ok(Self { tables, results, kernel })
    }

    /// The bindings of a pass that reads this table.
    pub fn bindings(&self, table: u32, pass: Pass) -> [Binding; 2] {
        [self.tables[table as usize], self.results.get(pass.rep.index, pass.index).into()]
    }
}

/// Each multiplier, followed by the number of the next entry. The entries are shuffled over the table, so that no
/// prefetch of the next cache line helps.
fn table(multipliers: &[u32]) -> Vec<u32> {
    let mut entries: Vec<u32> = (0..ENTRIES).collect();
    entries[1..].sort_by_key(|&entry| first(entry));
    let mut words = vec![0; (ENTRIES * VECTORS * 4) as usize];
    for (at, (&entry, &multiplier)) in entries.iter().zip(multipliers).enumerate() {
        let word = (entry * VECTORS * 4) as usize;
        words[word] = multiplier;
        words[word + 1] = entries[(at + 1) % entries.len()];
    }
    words
}
