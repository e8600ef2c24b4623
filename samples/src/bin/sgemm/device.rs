//! The matrices on the device, and the commands that multiply them.

use std::cell::LazyCell;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Cmd, Declared, Kernel, KernelBuilder, Lab, Tile};
use samples::library::{Task, Words};
use samples::{LOADS, STORES};

use crate::generator::{glsl, name};
use crate::plan::Plan;
use crate::reference::{bound, product, values};

/// Rows of A and C, columns of B and C, and columns of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows of A and of C.
    pub m: u32,
    /// Columns of B and of C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

/// The largest side: with more, an index takes more than 32 bits.
const LARGEST: u32 = 32_768;

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides: Option<Vec<u32>> = text.split('x').map(|side| side.trim().parse().ok()).collect();
        let fits = |sides: &[u32]| sides.iter().all(|side| (1..=LARGEST).contains(side));
        match sides.as_deref() {
            Some(sides @ &[side]) if fits(sides) => Ok(Self { m: side, n: side, k: side }),
            Some(sides @ &[m, n]) if fits(sides) => Ok(Self { m, n, k: n }),
            Some(sides @ &[m, n, k]) if fits(sides) => Ok(Self { m, n, k }),
            _ => Err(format!(
                "'{text}' is no size: MxNxK such as 1000x3000x777, MxN with K as N, or one number; each from 1 to {LARGEST}"
            )),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, n, k } = *self;
        if m == n && n == k { write!(f, "{m}") } else { write!(f, "{m}x{n}x{k}") }
    }
}

/// What all sides of A and B are padded to: multiples of every plan's tile and depth.
const TILE: u32 = 128;
const DEPTH: u32 = 16;

impl Size {
    /// The size with whole tiles.
    pub fn padded(self) -> Self {
        let [m, n] = [self.m, self.n].map(|side| side.next_multiple_of(TILE));
        Self { m, n, k: self.k.next_multiple_of(DEPTH) }
    }

    /// Rows and columns of A and of B.
    fn operands(self) -> [[u32; 2]; 2] {
        [[self.m, self.k], [self.k, self.n]]
    }

    /// Tiles of C.
    pub fn tiles(self, [rows, columns]: [u32; 2]) -> u32 {
        self.m.div_ceil(rows) * self.n.div_ceil(columns)
    }
}

/// The matrices of a product, C = alpha A B + beta C.
#[derive(Clone, Copy, Debug)]
pub struct Matrices {
    /// Their sizes.
    pub size: Size,
    /// alpha and beta.
    pub factors: [f32; 2],
    given: [Buffer; 2],
    padded: Buffers,
    /// C of each repetition.
    pub c: Buffers,
    pad: [Kernel; 2],
}

impl Matrices {
    /// Declares the matrices and the expected product.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, size: Size, factors: [f32; 2]) -> Result<Self> {
        let Size { m, n, k } = size;
        lab.report.setting("size", size);
        lab.report.setting("alpha", factors[0]);
        lab.report.setting("beta", factors[1]);
        let [a, b, old] = [0, 1, 2].map(|at| Rc::new(LazyCell::new(move || values(size, at))));
        let bits = |matrix: &[f32]| matrix.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let given = [("A", &a), ("B", &b)].map(|(name, matrix)| {
            let matrix = Rc::clone(matrix);
            lab.input_buffer(name, move || bits(&matrix))
        });
        let Size { m: rows, n: columns, k: depth } = size.padded();
        let padded = lab.output("padded A and B", BufferSet::slices(&[rows * depth, depth * columns], 0))?;
        // No number, so that a result that is never written is wrong.
        let c = lab.output("C", BufferSet::new(1, m * n, f32::NAN.to_bits()))?;
        if factors[1] != 0.0 {
            let old = Rc::clone(&old);
            lab.seed(c, 0, move || bits(&old));
        }
        lab.expect(c, 0, move || product(size, factors, [&a, &b, &old])).within_absolute(
            bound(size, factors),
            "sums of 32-bit floats depend on their order; the reference adds in 64 bits",
        );
        let scale = 4.0 * factors[0].abs() * rms(k) + factors[1].abs();
        lab.report.show(c, 0, [n, m], "the product: red below 0, blue above", move |words| {
            words.iter().map(|&word| colour(f32::from_bits(word) / scale)).collect()
        });
        let pad = [[m, k, depth], [k, n, columns]].map(|[rows, columns, padded]| {
            let constants = [("ROWS", rows), ("COLUMNS", columns), ("VECTORS", padded / 4)];
            lab.kernel("sgemm/pad.comp").constants(constants).build()
        });
        Ok(Self { size, factors, given, padded, c, pad })
    }

    /// A kernel of a file, with the sizes.
    pub fn kernel<'l>(&self, lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
        let Size { m, n, k } = self.size;
        let beta = u32::from(self.factors[1] != 0.0);
        lab.kernel(path).constants([("M", m), ("N", n), ("K", k), ("BETA", beta)])
    }

    /// A kernel of tiles, which takes padded matrices.
    pub fn kernel_of_tiles<'l>(&self, lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
        let Size { n, k, .. } = self.size.padded();
        self.kernel(lab, path).constants([("K", k), ("STRIDE", n)])
    }

    /// A generated kernel.
    pub fn generated<'l>(&self, lab: &'l Lab, plan: &Plan) -> KernelBuilder<'l> {
        let kernel = self.kernel_of_tiles(lab, &name(plan)).generated(glsl(plan));
        kernel.shared_bytes(4 * u64::from(plan.shared_words()))
    }

    /// Multiplies without tiles.
    pub fn multiply(&self, cmd: &Cmd, repetition: u32, kernel: Kernel, workgroup: [u32; 2]) {
        let groups = [self.size.n.div_ceil(workgroup[0]), self.size.m.div_ceil(workgroup[1]), 1];
        let [a, b] = self.given.map(Binding::from);
        cmd.dispatch(kernel, &[a, b, self.c.get(repetition, 0).into()], &self.factors, groups);
    }

    /// A and B as kernels of tiles take them. Where the sides of one are no multiples of a tile, it is copied first.
    pub fn pad(&self, cmd: &Cmd, repetition: u32) -> [Binding; 2] {
        /// Columns and rows that a workgroup of `pad.comp` copies.
        const COPIED: [u32; 2] = [256, 8];
        let (own, whole) = (self.size, self.size.padded());
        let operands = [0, 1].map(|at| {
            let (given, [rows, columns]) = (self.given[at].into(), whole.operands()[at]);
            if !self.is_padded(at) {
                return given;
            }
            let padded = self.padded.get(repetition, u32::from(at == 1)).into();
            let groups = [columns.div_ceil(COPIED[0]), rows / COPIED[1], 1];
            cmd.dispatch(self.pad[at], &[given, padded], &(), groups);
            padded
        });
        if own != whole {
            cmd.pipeline_barrier2(STORES, LOADS);
        }
        operands
    }

    /// Whether A or B is copied first.
    fn is_padded(&self, at: usize) -> bool {
        self.size.operands()[at] != self.size.padded().operands()[at]
    }

    /// The part of C that each tile is, and which workgroups compute it.
    pub fn parts(&self, plan: &Plan, tail: Option<&Tail>) -> Vec<Tile> {
        let ([rows, columns], Size { m, n, .. }) = (plan.tile, self.size);
        let main = [0, 1].into_iter().filter(|&at| self.is_padded(at)).count();
        let steps = self.size.padded().k / plan.depth;
        let tiles = self.size.tiles(plan.tile);
        let part = |tile: u32| {
            let [x, y] = [tile % n.div_ceil(columns) * columns, tile / n.div_ceil(columns) * rows];
            let place = [x, y, columns.min(n - x), rows.min(m - y)];
            let (dispatch, [from, to]) = match tail.filter(|tail| tile >= tail.first_tile) {
                Some(tail) => (main + usize::from(tail.first_tile > 0), tail.workers_of(tile, tiles, steps)),
                None => (main, [tile, tile]),
            };
            Tile { place, dispatch, workgroups: from as usize..to as usize + 1 }
        };
        (0..tiles).map(part).collect()
    }

    /// Multiplies the first `tiles` tiles.
    pub fn multiply_tiles(
        &self,
        cmd: &Cmd,
        repetition: u32,
        kernel: Kernel,
        [a, b]: [Binding; 2],
        tiles: u32,
    ) {
        cmd.dispatch(
            kernel,
            &[a, b, self.c.get(repetition, 0).into()],
            &self.factors,
            samples::in_rows(tiles),
        );
    }

    /// Multiplies the last tiles, which `workers` workgroups share.
    pub fn multiply_split(
        &self,
        cmd: &Cmd,
        repetition: u32,
        kernel: Kernel,
        [a, b]: [Binding; 2],
        tail: &Tail,
    ) {
        let c = self.c.get(repetition, 0).into();
        let [parts, arrived] = [0, 1].map(|at| tail.shared.get(repetition, at).into());
        cmd.dispatch(kernel, &[a, b, c, parts, arrived], &self.factors, [tail.workers, 1, 1]);
    }

    /// The product as a task for a library.
    pub fn task(&self) -> Task {
        let Self { size, factors: [alpha, beta], .. } = *self;
        let Size { m, n, k } = size;
        let input = |name, at| {
            let words = move || values(size, at).iter().map(|x| x.to_bits()).collect();
            (name, Box::new(words) as Words)
        };
        Task {
            arguments: vec![m.to_string(), n.to_string(), k.to_string(), alpha.to_string(), beta.to_string()],
            inputs: vec![input("a", 0), input("b", 1), input("c", 2)],
            words: m * n,
        }
    }

    /// Multiplications and additions of the product.
    pub fn declared(&self) -> Declared {
        let Size { m, n, k } = self.size;
        Declared::default().flops(2 * u64::from(m) * u64::from(n) * u64::from(k))
    }
}

/// Root mean square of a sum of K products of elements.
fn rms(k: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "K is far below 2^24")]
    let k = k as f32;
    k.sqrt() / 3.0
}

/// White for 0, red below, blue above.
fn colour(share: f32) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let faded = (255.0 * (1.0 - share.abs().sqrt())).clamp(0.0, 255.0) as u8;
    if share < 0.0 { [255, faded, faded] } else { [faded, faded, 255] }
}

/// The tiles that are left after whole waves of workgroups, and the workgroups that share them.
#[derive(Clone, Copy, Debug)]
pub struct Tail {
    /// Index of the first of these tiles; so many are not split.
    pub first_tile: u32,
    /// Workgroups that share them.
    pub workers: u32,
    /// Parts of tiles, and how many have arrived.
    shared: Buffers,
}

impl Tail {
    /// The tail of a plan on a device that runs `workers` workgroups at once; `None` where the tiles fill whole waves.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, size: Size, plan: &Plan, workers: u32) -> Result<Option<Self>> {
        let tiles = size.tiles(plan.tile);
        let left = tiles % workers;
        // Each has a step at least, of the deepest plan.
        let workers = workers.min(left * (size.padded().k / DEPTH));
        if left == 0 {
            return Ok(None);
        }
        let words = 2 * workers * plan.tile[0] * plan.tile[1];
        let shared = lab.output(&format!("parts of {workers}"), BufferSet::slices(&[words, left], 0))?;
        Ok(Some(Self { first_tile: tiles - left, workers, shared }))
    }

    /// The first and the last of the workgroups that share a tile.
    fn workers_of(&self, tile: u32, tiles: u32, steps: u32) -> [u32; 2] {
        let (units, first) = ((tiles - self.first_tile) * steps, (tile - self.first_tile) * steps);
        [first, first + steps - 1].map(|unit| worker_of(unit, units, self.workers))
    }

    /// The kernel of the tail.
    pub fn kernel<'l>(&self, lab: &'l Lab, matrices: &Matrices, plan: &Plan) -> KernelBuilder<'l> {
        let constants = [("FIRST_TILE", self.first_tile), ("WORKERS", self.workers)];
        matrices.generated(lab, &Plan { splits: true, ..*plan }).constants(constants)
    }
}

/// The workgroup that has this one of all steps, as `split.rs` shares them.
const fn worker_of(unit: u32, units: u32, workers: u32) -> u32 {
    let (share, longer) = (units / workers, units % workers);
    let seam = longer * (share + 1);
    if unit < seam { unit / (share + 1) } else { longer + (unit - seam) / share }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_of_the_worker_whose_share_has_it() {
        for (units, workers) in [(1, 1), (7, 3), (12, 4), (264, 132), (1000, 264)] {
            for worker in 0..workers {
                let (share, longer) = (units / workers, units % workers);
                let begin = worker * share + worker.min(longer);
                let end = begin + share + u32::from(worker < longer);
                assert!((begin..end).all(|unit| worker_of(unit, units, workers) == worker));
            }
        }
    }
}
