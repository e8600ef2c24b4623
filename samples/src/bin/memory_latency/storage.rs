//! Walks through storage buffers.

use anyhow::{Result, ensure};
use common::{Buffer, BufferSet, Buffers, Lab};
use samples::in_rows;

use crate::verdict::Plan;
use crate::{UNWRITTEN, WORKGROUP, Walks, named};
use samples::lines::{Chain, LINE, WORDS};

/// A walk reads a line of each of four buffers in turn, because many devices allow no buffer of more than 4 GiB.
const BUFFERS: u32 = 4;
/// KiB of lines that are spread over more and more memory: more than most L1 hold, and fewer than most L2.
pub const SPREAD: u64 = 1024;
/// KiB of a page, by which GPUs translate addresses where memory is not scattered.
const PAGE: u64 = 2048;
/// Lines of each buffer that are read before a walk: 256 MiB, more than most caches hold.
const WARMED: u32 = 1 << 19;
/// Walks through more KiB have buffers of their own: a line has no words for all.
const SMALL: u64 = 128 << 10;

/// A walk: its variant, and its chain in each buffer.
type Walk = (String, Chain);

/// The largest size to walk through: a quarter of the memory, since other walks need buffers, too.
pub fn most_mib(lab: &Lab) -> u64 {
    let limits = &lab.gpu.limits;
    let buffer = limits.storage_buffer.min(limits.allocation);
    let most = (lab.device().device_memory / 4).min(u64::from(BUFFERS) * buffer);
    (most >> 20).max(1)
}

/// Declares all of them, up to the largest size in KiB.
pub fn declare(lab: &mut Lab, walks: Walks, largest: u64) -> Result<Plan> {
    let random = |kib| (format!("storage_{}", named(kib)), Chain::random(lines(kib)));
    let page = |kib| (format!("page_{}", named(kib)), Chain::page_by_page(lines(kib), BUFFERS * lines(PAGE)));
    let spread = |kib| {
        let chain = Chain::spread(lines(SPREAD), lines(kib) / lines(SPREAD));
        (format!("spread_{}", named(kib)), chain)
    };
    let plan = Plan {
        vendor: lab.device().vendor_id,
        storage: sizes(largest).collect(),
        spread: powers(SPREAD, largest).collect(),
    };
    let is_small = |kib: &&u64| **kib <= SMALL;
    let (small, large): (Vec<&u64>, Vec<&u64>) = plan.storage.iter().partition(is_small);
    let marked = u64::from(walks.loads) * LINE / 1024;
    let marked = (format!("marked_{}", named(marked)), Chain::random(lines(marked)));
    walk(lab, walks, small.into_iter().copied().map(random).chain([marked]).collect())?;
    let spread = plan.spread.iter().copied().map(spread);
    walk(lab, walks, large.into_iter().copied().map(random).chain(spread).chain([page(largest)]).collect())?;
    Ok(plan)
}

/// Lines in each buffer.
#[expect(clippy::cast_possible_truncation, reason = "8 GiB have 2^26 lines")]
fn lines(kib: u64) -> u32 {
    (kib * 1024 / LINE) as u32 / BUFFERS
}

/// Powers of two.
pub fn powers(from: u64, to: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(from), |kib| Some(2 * kib)).take_while(move |kib| *kib <= to)
}

/// Sizes in KiB, more of them where caches end.
pub fn sizes(largest: u64) -> impl Iterator<Item = u64> {
    let from_here = |kib: u64| match kib {
        0x10..=0x100 => vec![kib, kib / 2 * 3],
        0x4000..=0x8000 => vec![kib, kib / 4 * 5, kib / 4 * 6, kib / 4 * 7],
        0x1_0000 => vec![kib, kib / 2 * 3],
        _ => vec![kib],
    };
    powers(1, largest).flat_map(from_here).filter(move |kib| *kib <= largest)
}

/// Declares walks that share buffers.
fn walk(lab: &mut Lab, walks: Walks, chains: Vec<Walk>) -> Result<()> {
    let buffers = buffers(lab, chains.iter().map(|(_, chain)| *chain).collect())?;
    for (number, (name, chain)) in (0..).zip(chains) {
        let end = chain.line(walks.all() / BUFFERS) * WORDS + number;
        let end = walks.end(lab, &name, [end; 2])?;
        let order = name.starts_with("marked").then(|| order(lab, chain)).transpose()?;
        let kernel = lab.kernel("memory_latency/walk.comp").define("STORAGE").workgroup([WORKGROUP, 1, 1]);
        let kernel = if order.is_some() { kernel.define("MARKED") } else { kernel }.build();
        let push = chain.push(number, WARMED, walks.loads);
        let variant = lab.variant(name, move |cmd, rep| {
            let outputs = [end, walks.took].into_iter();
            let written = outputs.map(|set| set.get(rep.index, 0)).chain(buffers);
            let bindings: Vec<Buffer> = written.chain(order.map(|order| order.get(rep.index, 0))).collect();
            cmd.dispatch(kernel, &bindings, &push, [1, 1, 1]);
        });
        walks.complete(variant);
    }
    Ok(())
}

/// Makes the buffers that these chains share.
fn buffers(lab: &mut Lab, chains: Vec<Chain>) -> Result<[Buffer; BUFFERS as usize]> {
    ensure!(chains.len() <= WORDS as usize, "{} chains, and {WORDS} words in a line", chains.len());
    let span = chains.iter().map(Chain::span).max().unwrap_or_default();
    Ok([0, 1, 2, 3].map(|buffer| {
        let kernel = lab.kernel("memory_latency/link.comp").workgroup([WORKGROUP, 1, 1]);
        let kernel = kernel.constant("IS_LAST", (buffer + 1 == BUFFERS).into()).build();
        let chains = chains.clone();
        lab.made_buffer(&format!("lines {buffer}"), u64::from(span * WORDS), move |cmd, words| {
            for (number, chain) in (0..).zip(&chains) {
                let groups = in_rows(chain.lines.div_ceil(WORKGROUP));
                cmd.dispatch(kernel, &[words], &chain.push(number, 0, 0), groups);
            }
        })
    }))
}

/// An output that tells by which timed load each line was read last, with the lines of all four buffers beside each other. The
/// timed loads are as many as the lines, and begin with the second of each buffer.
fn order(lab: &mut Lab, chain: Chain) -> Result<Buffers> {
    let lines = chain.lines * BUFFERS;
    let order = lab.output("order", BufferSet::new(1, lines, UNWRITTEN))?;
    lab.expect(order, 0, move || {
        let mut order = vec![0; lines as usize];
        for load in 0..lines {
            let line = chain.line(load / BUFFERS + 1 + load % BUFFERS * (chain.lines / BUFFERS));
            order[(line * BUFFERS + load % BUFFERS) as usize] = load;
        }
        order
    });
    let side = lines.isqrt();
    let caption = "the lines of the marked walk: the brighter, the later it reads one";
    lab.report.show(order, 0, [side, lines / side], caption, move |words| {
        words.iter().map(|load| [u8::try_from(load * 255 / lines).unwrap_or(0); 3]).collect()
    });
    Ok(order)
}
