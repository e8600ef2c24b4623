//! Walks through a uniform buffer and through images.

use anyhow::Result;
use common::{Binding, Format, Lab};

use crate::{WORKGROUP, Walks, named};
use samples::lines::{Chain, LINE};

/// What every device on a desktop can bind as a uniform buffer, and most can bind no more.
const UNIFORM_KIB: u32 = 64;
/// Vectors of four words in a line, each of another chain.
const VECTORS: u32 = 8;
/// Texels of two words along the side of a square that is a line. Each texel is of another chain.
const SIDE: u32 = 4;

/// Chains through `from`, `from * times`, … KiB.
fn chains(from: u64, times: u64, largest_kib: u64) -> impl Iterator<Item = (u32, (u64, Chain))> {
    let sizes = std::iter::successors(Some(from), move |kib| Some(times * kib));
    let sizes = sizes.take_while(move |kib| *kib <= largest_kib);
    #[expect(clippy::cast_possible_truncation, reason = "128 MiB have 2^20 lines")]
    let chain = |kib: u64| (kib, Chain::random((kib * 1024 / LINE) as u32));
    (0..).zip(sizes.map(chain))
}

pub fn uniform(lab: &mut Lab, walks: Walks) -> Result<()> {
    let all = || chains(1, 2, UNIFORM_KIB.into());
    let place = |number: u32, chain: Chain, loads| chain.line(loads) * VECTORS + number;
    let buffer = lab.input_buffer("uniform lines", move || {
        let mut words = vec![0; UNIFORM_KIB as usize * 1024 / 4];
        for (number, (_, chain)) in all() {
            for load in 0..chain.lines {
                words[4 * place(number, chain, load) as usize] = place(number, chain, load + 1);
            }
        }
        words
    });
    for (number, (kib, chain)) in all() {
        let end = [place(number, chain, walks.all()); 2];
        walk(
            lab,
            walks,
            ("uniform", "UNIFORM", buffer.uniform()),
            kib,
            chain.push(number, chain.lines, walks.loads),
            end,
        )?;
    }
    Ok(())
}

/// The texel that so many loads lead to. Lines lie on a Z curve, so that few of them are a square, in whatever order a device
/// keeps texels.
fn texel(number: u32, chain: Chain, loads: u32) -> [u32; 2] {
    let line = chain.line(loads);
    let every_second_bit = |word: u32| (0..16).map(|bit| (word >> (2 * bit) & 1) << bit).sum::<u32>();
    [every_second_bit(line) * SIDE + number % SIDE, every_second_bit(line >> 1) * SIDE + number / SIDE]
}

pub fn images(lab: &mut Lab, walks: Walks, largest_kib: u64) -> Result<()> {
    let all = move || chains(2, 4, largest_kib);
    let lines = all().map(|(_, (_, chain))| chain.lines).max().unwrap_or_default();
    let width = SIDE * lines.isqrt();
    let image = lab.input_image("lines of texels", [width; 2], Format::R32G32_UINT, move || {
        let mut words = vec![0; (2 * width * width) as usize];
        for (number, (_, chain)) in all() {
            for load in 0..chain.lines {
                let [x, y] = texel(number, chain, load);
                let at = 2 * (y * width + x) as usize;
                words[at..at + 2].copy_from_slice(&texel(number, chain, load + 1));
            }
        }
        words
    });
    for path in [("sampled", "SAMPLED", image.sampled()), ("image", "IMAGE", image.into())] {
        for (number, (kib, chain)) in all() {
            let end = texel(number, chain, walks.all());
            walk(lab, walks, path, kib, chain.push(number, chain.lines, walks.loads), end)?;
        }
    }
    Ok(())
}

fn walk(
    lab: &mut Lab,
    walks: Walks,
    (path, define, lines): (&str, &str, Binding),
    kib: u64,
    push: [u32; 7],
    end: [u32; 2],
) -> Result<()> {
    let name = format!("{path}_{}", named(kib));
    let end = walks.end(lab, &name, end)?;
    let kernel = lab.kernel("memory_latency/walk.comp").define(define).workgroup([WORKGROUP, 1, 1]).build();
    let variant = lab.variant(name, move |cmd, rep| {
        let [end, took] = [end, walks.took].map(|set| Binding::from(set.get(rep.index, 0)));
        cmd.dispatch(kernel, &[end, took, lines], &push, [1, 1, 1]);
    });
    walks.complete(variant);
    Ok(())
}
