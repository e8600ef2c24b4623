//! The same arithmetic written in two or three ways: how many registers does the compiler need for each?
//!
//! In the source, a new version of HIP's compiler turned `mt_multiply` into `mt_select`. That took a 129th vector
//! register, so that one wave fitted instead of two, and the kernel lost 8 %. With `mt_select_and` it has 128 again.
//! Those are counts of a whole kernel with 108 KB of code. Here stands a lone step of MT19937, which takes 20 to 24.
//!
//! ```text
//! mt_multiply     odd = (y & 1) * 0x9908b0df            as the source's kernel had it
//! mt_select       odd = y & 1 ? 0x9908b0df : 0          what a newer compiler made of that: with HIP the
//!                                                       constant has to stay in a vector register
//! mt_select_and   odd = (y & 1 ? ~0 : 0) & 0x9908b0df   the fix: with HIP a literal of the `and`
//! select_ternary  r = c ? a : b                         in a loop of eight, unrolled
//! select_if       if (c) r = a; else r = b;
//! ```
//!
//! All five forms are the source's; the kernels around them are ours. Begin with `shaders/codegen/twist.comp`.
//!
//! Expect about equal times: all forms wait for memory, and the register difference does not change occupancy. An H200
//! takes 90 µs for each `mt_*`, 0.9 to 1.0 % apart, and 68 µs for each `select_*`.
//!
//! Compare the registers:
//!
//! ```text
//! codegen --code amd:polaris10,vega10,navi10,navi21,gfx1100       which form costs fewer registers
//! codegen --code-diff mt_multiply mt_select_and                   and which instructions make it so
//! ```
//!
//! VGPRs with RADV (Mesa 22.3.6), rounded up as the chip allots them: to 4, on NAVI21 to 8, on GFX1100 to 12.
//!
//! ```text
//!                 POLARIS10  VEGA10  NAVI10  NAVI21  GFX1100
//! mt_multiply            20      24      24      24       24    RADV multiplies by a scalar register
//! mt_select              24      24      24      24       24    RADV: constant in a vector register
//! mt_select_and          20      24      24      24       24    RADV: constant in a scalar register
//! select_ternary         32      32      32      32       36    the same code for both;
//! select_if              32      32      32      32       36    HIP's compiler: 20 and 24
//! ```
//!
//! `mt_select` needs one register more than `mt_select_and` on POLARIS10, NAVI21 and GFX1100; on the last two rounding
//! hides it. On VEGA10 and NAVI10 another part of the kernel needs the most registers.
//!
//! It does not help where another compiler builds the kernel, or where registers do not limit occupancy.
//!
//! Look for, in RGP or RGA: VGPRs and occupancy, and the instructions around the literal.
//!
//! Source: Optimizing HIP Assembly, "Case study: compiler regression" and the question at its end.
//! <https://github.com/ROCm/rocm-libraries/pull/2127>

mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Buffer, BufferSet, Buffers, Declared, Format, Lab, run, sample};
use reference::{WORDS, generations};
use verdict::{headline, verdict};

/// Does it matter how a choice is written?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--code amd:polaris10 # registers on the talk's GPU, without one\n\
    --code-diff select_ternary select_if # what the compiler made of either")]
struct Args {
    /// Generators of MT19937 [default: 32768, on a CPU 256]
    ///
    /// Each has a state of 624 words.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000))]
    generators: Option<u32>,
    /// Invocations, of eight words [default: 2097152, on a CPU 8192]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000_000))]
    invocations: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), codegen)
}

/// The pairs of the source, each with the keys of its figures.
const PAIRS: [([&str; 2], [&str; 2]); 2] = [
    (["mt_select_and", "mt_multiply"], ["mt/select_and/vgprs", "mt/multiply/vgprs"]),
    (["select_ternary", "select_if"], ["select/ternary/vgprs", "select/if/vgprs"]),
];
/// The fix against what the source's compiler made of the product.
const FIX_AGAINST_SELECT: [&str; 2] = ["mt_select_and", "mt_select"];
const SOURCE: &str = "hip-assembly";
const WORKGROUP: u32 = 64;
/// Seed of the first generator: the default of the published reference.
const SEED: u32 = 5489;
/// Words that an invocation chooses.
const WORDS_PER_INVOCATION: u32 = 8;
/// Fills the outputs before each run. No choice equals it, because inputs are below 2^31.
const UNWRITTEN: u32 = 0xFFFF_DEAD;

fn codegen(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    twists(lab, args.generators.unwrap_or(if lab.device().is_cpu() { 256 } else { 32_768 }))?;
    selects(lab, args.invocations.unwrap_or(if lab.device().is_cpu() { 8_192 } else { 2_097_152 }))?;
    for (variants, keys) in PAIRS {
        lab.report.compares_code(variants).published(SOURCE, keys)?;
    }
    lab.report.compares_code(FIX_AGAINST_SELECT);
    let side = if lab.device().is_cpu() { 256 } else { 4096 };
    lab.limits([side; 2], Format::R32_UINT)?;
    lab.report.note("Times compare among the forms of one thing: mt_… make numbers, select_… choose words.");
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// Many generators of MT19937 compute their next generation.
fn twists(lab: &mut Lab, generators: u32) -> Result<()> {
    lab.report.setting("generators", generators);
    let words = generators * u32::try_from(WORDS)?;
    let states = lab.output("states", BufferSet::new(1, words, UNWRITTEN))?;
    let forms = [("mt_multiply", Some("MULTIPLY")), ("mt_select", Some("SELECT")), ("mt_select_and", None)];
    for (name, form) in forms {
        let kernel = lab.kernel("codegen/twist.comp").workgroup([WORKGROUP, 1, 1]);
        let kernel = kernel.constant("GENERATORS", generators);
        let kernel = form.into_iter().fold(kernel, |kernel, form| kernel.define(form)).build();
        lab.variant(name, move |cmd, rep| {
            let groups = [generators.div_ceil(WORKGROUP), 1, 1];
            cmd.dispatch(kernel, &[states.get(rep.index, 0)], &(), groups);
        })
        // Counts each word as read once, though three steps read it, and written once.
        .declares(Declared::default().bytes(2 * 4 * u64::from(words)).work(words.into(), "numbers"));
    }
    let generation = |n: usize| move || std::mem::take(&mut generations(SEED, generators)[n]);
    lab.seed(states, 0, generation(0));
    lab.expect(states, 0, generation(1));
    Ok(())
}

/// Chooses one of two words by a third.
fn selects(lab: &mut Lab, invocations: u32) -> Result<()> {
    lab.report.setting("invocations", invocations);
    let words = invocations * WORDS_PER_INVOCATION;
    let chosen: Buffers = lab.output("chosen words", BufferSet::new(1, words, UNWRITTEN))?;
    let [a, b, c] = inputs(words);
    let from: [Buffer; 3] =
        [("a", a), ("b", b), ("c", c)].map(|(name, input)| lab.input_buffer(name, move || input.collect()));
    for (name, ternary) in [("select_ternary", true), ("select_if", false)] {
        let kernel = lab.kernel("codegen/select.comp").workgroup([WORKGROUP, 1, 1]);
        let kernel = kernel
            .constant("INVOCATIONS", invocations)
            .constant("WORDS_PER_INVOCATION", WORDS_PER_INVOCATION);
        let kernel = if ternary { kernel.define("TERNARY") } else { kernel }.build();
        lab.variant(name, move |cmd, rep| {
            let [a, b, c] = from;
            let groups = [invocations.div_ceil(WORKGROUP), 1, 1];
            cmd.dispatch(kernel, &[a, b, c, chosen.get(rep.index, 0)], &(), groups);
        })
        .declares(Declared::default().bytes(4 * 4 * u64::from(words)).work(words.into(), "choices"));
    }
    lab.expect(chosen, 0, move || {
        let [a, b, c] = inputs(words);
        a.zip(b).zip(c).map(|((a, b), c)| if c == 0 { b } else { a }).collect()
    });
    Ok(())
}

/// Words `a` and `b` to choose from, and the condition `c`, which is 0 for three in eight.
fn inputs(words: u32) -> [impl Iterator<Item = u32>; 3] {
    let mixed = |i: u32, salt: u32| (i ^ salt).wrapping_mul(0x9E37_79B1).rotate_left(15);
    [1, 2, 3].map(|salt| {
        (0..words).map(move |i| mixed(i, salt)).map(move |bits| match salt {
            3 if bits >> 29 < 3 => 0,
            3 => bits >> 29,
            _ => bits >> 1,
        })
    })
}
