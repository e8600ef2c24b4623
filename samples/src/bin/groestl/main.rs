//! A hash by table, Groestl-512: what do code that no cache holds, registers and reads of shared memory cost?
//!
//! ```text
//! one round, 16 columns of 8 bytes        code        registers
//!   x ░░░░░░░░░░░░░░░░  16 x 8 bytes      loop  ▒        x  ░░░░░░░░
//!     ╲╲╲╲╲╲╲╲  8 reads and XORs          7     ▒▒▒▒     y  ░░░░░░░░
//!   y ░               of a column         14    ▒▒▒▒▒▒▒  h  ░░░░░░░░  waits
//! ```
//!
//! Each invocation hashes a header of 80 bytes with its own nonce, as miners do: 42 rounds of 128 reads. The forms differ in
//!
//! - where the entries come from: shared memory (eight tables, one, 16 copies so that no bank is wanted twice), a storage or
//!   uniform buffer, or no table at all, bit by bit;
//! - how many rounds are unrolled, which is how much code there is;
//! - how many invocations a workgroup has, which limits their registers, and what waits in shared memory.
//!
//! `no_reads` computes another hash, which needs no table and is checked against a reference of its own. Begin with
//! `shaders/groestl/tables.comp` and `round.glsl`.
//!
//! Expect 16 copies to be the fastest tables where shared memory has banks. Unrolled code costs more, we think, the fewer waves
//! share what is fetched. On an H200 it costs eight tables nothing in workgroups of 256, and 1.15x in workgroups of 64. 16 copies
//! in workgroups of 128 take 3.3x as long. More waves with fewer registers do not help there.
//!
//! ```text
//! groestl --code amd:polaris10,navi21          registers, waves, share of the 32 KiB instruction cache
//! groestl --code-diff copies copies_unroll_7   what unrolling changed
//! ```
//!
//! Look for, in Nsight: stalls for want of an instruction, and MIO throttle; in RGP: instruction cache misses, LDS bank conflicts.
//!
//! Source: realhet, Optimizing Groestl hash function in GCN ASM, part 1, 2015, "ver01" and "ver02".
//! <https://realhet.wordpress.com/2015/01/05/optimizing-groestl-hash-function-in-gcn-asm-part-1/>

mod forms;
mod input;
mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, Buffer, BufferSet, Buffers, Declared, Kernel, Lab, run, sample};

use forms::{FORMS, Form};
use reference::{DIGEST_WORDS, FIRST_NONCE};
use verdict::{headline, verdict};

/// What do code size, registers and table reads cost a hash?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--code amd:polaris10 # registers and code on the source's kind of GPU, without one\n\
    --variants 'no_reads_64*' # from which code size on is it slow?"
)]
struct Args {
    /// Hashes, one per nonce [default: 1048576, on a CPU 1024]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=16_777_216))]
    hashes: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), groestl)
}

/// Fills the outputs before each run. No digest is this word 16 times.
const UNWRITTEN: u32 = 0xFFFF_DEAD;

fn groestl(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let hashes = args.hashes.unwrap_or(if lab.device().is_cpu() { 1024 } else { 1 << 20 });
    lab.report.setting("hashes", hashes);
    let inputs = Inputs::new(lab);
    let words = hashes * DIGEST_WORDS;
    let digests = lab.output("digests", BufferSet::new(1, words, UNWRITTEN))?;
    lab.expect(digests, 0, move || reference::digests(hashes));
    let others = lab.output("digests of another hash", BufferSet::new(1, words, UNWRITTEN))?;
    lab.expect(others, 0, move || reference::digests_with(hashes, reference::no_entry));
    let width = hashes.isqrt();
    let size = [width, hashes.div_ceil(width)];
    let caption = "a pixel per digest: the brighter, the more zero bits it begins with";
    lab.report.show(digests, 0, size, caption, move |words| picture(words, size));
    for form in &FORMS {
        hash(lab, form, hashes, inputs, if form.reads_entries() { digests } else { others });
    }
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// Miners look for digests that begin with many zero bits.
fn picture(words: &[u32], [width, height]: [u32; 2]) -> Vec<[u8; 3]> {
    let zeros = words.chunks(DIGEST_WORDS as usize).map(|digest| digest[0].swap_bytes().leading_zeros());
    let grey = zeros.map(|zeros| [u8::try_from(zeros * 16).unwrap_or(u8::MAX); 3]);
    grey.chain(std::iter::repeat([0; 3])).take((width * height) as usize).collect()
}

/// What the kernels read.
#[derive(Clone, Copy)]
struct Inputs {
    table: Buffer,
    block: Buffer,
    bits: Buffer,
    known: Buffer,
}

impl Inputs {
    fn new(lab: &mut Lab) -> Self {
        Self {
            table: lab.input_buffer("table", input::table),
            block: lab.input_buffer("block", input::block),
            bits: lab.input_buffer("bits of the block", input::bits),
            known: lab.input_buffer("known states", input::known),
        }
    }
}

fn hash(lab: &mut Lab, form: &'static Form, hashes: u32, inputs: Inputs, output: Buffers) {
    let kernel = kernel(lab, form, hashes);
    let Inputs { table, block, bits, known } = inputs;
    let groups = [form.workgroups(hashes), 1, 1];
    let runs_on_a_cpu = lab.device().is_cpu() && !lab.runs_nothing;
    let takes_too_long = runs_on_a_cpu && form.takes_a_cpu_a_minute();
    let variant = lab.variant(form.name, move |cmd, rep| {
        let digests = output.get(rep.index, 0);
        match form.shader {
            "bits" => cmd.dispatch(kernel, &[bits, digests], &(), groups),
            "fewer_reads" => cmd.dispatch(kernel, &[table, digests, block, known], &(), groups),
            _ if form.has("UNIFORM_TABLE") => {
                let table = table.uniform();
                cmd.dispatch(kernel, &[table, Binding::from(digests), block.into()], &(), groups);
            }
            _ => cmd.dispatch(kernel, &[table, digests, block], &(), groups),
        }
    });
    variant.declares(Declared::default().work(hashes.into(), "hashes"));
    variant.skip(takes_too_long.then(|| "a CPU's driver compiles so much code for a minute".to_owned()));
    // It would compile almost the same code again.
    if runs_on_a_cpu && form.repeats_another() {
        variant.on_request();
    }
}

fn kernel(lab: &mut Lab, form: &Form, hashes: u32) -> Kernel {
    let kernel = lab.kernel(&format!("groestl/{}.comp", form.shader)).workgroup([form.workgroup, 1, 1]);
    let kernel = kernel.constant("HASHES", hashes).constant("FIRST_NONCE", FIRST_NONCE);
    let defined =
        form.defines.split_whitespace().fold(kernel, |kernel, define| match define.split_once('=') {
            Some((name, value)) => kernel.define_as(name, value),
            None => kernel.define(define),
        });
    defined.build()
}
