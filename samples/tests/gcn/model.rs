//! The occupancy model against what the driver says of kernels made for the purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use common::isa::{Chip, Limit, Line, Occupancy, Unit, Use};
use common::vulkan::source::Source;
use common::vulkan::spirv;
use rayon::prelude::*;
use serde_json::Value;

use crate::support::Call;
use crate::{RADV, SAMPLE};

/// One chip or two of each generation that the model tells apart.
const CHIPS: [&str; 6] = ["BONAIRE", "POLARIS10", "VEGA10", "NAVI10", "NAVI21", "GFX1100"];

/// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER`.
const STORAGE_BUFFER: i32 = 7;

/// A kernel for the compiler.
struct Asked {
    name: String,
    spirv: Vec<u32>,
    threads: u32,
    /// Words of shared memory.
    words: u32,
}

/// What the driver says of one.
struct Told {
    kernel: Use,
    /// *Subgroups per SIMD*.
    figure: u64,
}

/// The model's waves a SIMD are the driver's, for kernels that are short of each thing in turn.
pub fn agrees_with_the_driver() -> Result<()> {
    let asked = kernels()?;
    ensure!(asked.len() >= 200, "{} kernels", asked.len());
    CHIPS.par_iter().try_for_each(|name| agrees_on(name, &asked).with_context(|| (*name).to_owned()))
}

fn agrees_on(name: &str, asked: &[Asked]) -> Result<()> {
    let chip = Chip::named(name).context("no such chip")?;
    let mut told = told(name, "", asked)?;
    if chip.unit == Unit::Wgp {
        let short = self::told(name, "cswave32", &asked[..asked.len() / 2])?;
        ensure!(short.iter().all(|told| told.kernel.lanes == 32), "no waves of 32 lanes");
        told.extend(short);
    }
    let mut limits = BTreeSet::new();
    for Told { kernel, figure } in &told {
        let (model, driver) = (Occupancy::of(chip, *kernel), chip.waves_of(*figure, kernel.lanes));
        ensure!(
            u64::from(model.waves_per_simd) == driver,
            "{kernel:?}: {model:?}, the driver says {figure}, which is {driver}"
        );
        limits.extend(model.limits);
    }
    // A model that always says 8 would agree with a driver that always does.
    let figures: BTreeSet<u64> = told.iter().map(|told| told.figure).collect();
    ensure!(figures.len() >= 8, "the kernels are too much alike: {figures:?}");
    let registers = if chip.sgprs.is_some() { &[Limit::Vgprs, Limit::Sgprs][..] } else { &[Limit::Vgprs] };
    let mut short = registers.iter().chain(&[Limit::Lds, Limit::Waves, Limit::Barriers]);
    ensure!(short.all(|limit| limits.contains(limit)), "only {limits:?} are ever short");
    Ok(())
}

/// 8 workgroups of each of 25 shaders, and some short of scalar registers.
fn kernels() -> Result<Vec<Asked>> {
    const THREADS: [u32; 7] = [64, 128, 192, 256, 320, 512, 1024];
    const WORDS: [u32; 9] = [0, 1, 300, 700, 1100, 2048, 3000, 4096, 8192];
    let mut asked = Vec::new();
    for at in 0..25 {
        let live = 12 + at * 10;
        let spirv = compiled(&format!("live_{live}.comp"), hungry(live))?;
        // More registers than that a workgroup of 1024 or 512 cannot have on GCN: it would spill.
        let sizes = if live > 116 { 5 } else { 7 - usize::from(live > 52) };
        for step in 0..8 {
            let (threads, words) =
                (THREADS[(at + step) % sizes], WORDS[(at + 2 * step + step / 4) % WORDS.len()]);
            let name = format!("{live} live, {threads} threads, {words} words");
            asked.push(Asked { name, spirv: spirv.clone(), threads, words });
        }
    }
    for live in [40, 60, 80, 94, 104] {
        let spirv = compiled(&format!("scalars_{live}.comp"), uniform(live))?;
        asked.push(Asked { name: format!("{live} scalars"), spirv, threads: 64, words: 0 });
    }
    Ok(asked)
}

fn compiled(name: &str, text: String) -> Result<Vec<u32>> {
    spirv::compile(&Source { name: name.to_owned(), text, includes: Vec::new() }, &Vec::new())
}

const HEAD: &str = "#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 1;
layout(push_constant) uniform Push { uint steps; };
layout(std430, set = 0, binding = 0) buffer Data { float data[]; };
shared float kept[WORDS == 0 ? 1 : WORDS];
";

/// A kernel with about so many live vector registers, and with shared memory where it has words.
fn hungry(live: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..live).map(line).collect::<String>();
    let load = each(&|i| format!("    float r{i} = data[{live} * at + {i}];\n"));
    let mix = each(&|i| format!("        r{i} = r{i} * r{} + r{};\n", (i + 1) % live, (i + 2) % live));
    let sum = each(&|i| format!(" + r{i}"));
    format!(
        "{HEAD}void main() {{
    uint at = gl_GlobalInvocationID.x;
{load}    for (uint i = 0; i < steps; ++i) {{
{mix}    }}
    if (WORDS > 0) {{
        kept[gl_LocalInvocationIndex % WORDS] = r0;
        barrier();
        r0 += kept[(gl_LocalInvocationIndex + 1) % WORDS];
    }}
    data[at] = 0{sum};
}}
"
    )
}

/// A kernel with about so many live scalar registers.
fn uniform(live: usize) -> String {
    let (mut load, mut mix) = (String::new(), String::new());
    for i in 0..live {
        let _ = writeln!(load, "    float u{i} = data[{i}];");
        let _ = writeln!(mix, "        r = r * u{i} + r;");
    }
    let text = format!(
        "{HEAD}void main() {{
    float r = float(gl_LocalInvocationIndex);
{load}    for (uint i = 0; i < steps; ++i) {{
{mix}    }}
    written[gl_GlobalInvocationID.x] = r;
}}
"
    );
    // What is only read comes through the scalar cache.
    let written = "layout(std430, set = 0, binding = 1) buffer Written { float written[]; };\nshared";
    text.replace("buffer Data", "readonly buffer Data").replacen("shared", written, 1)
}

/// What the driver says of the kernels, with an option of its own.
fn told(chip: &str, option: &str, asked: &[Asked]) -> Result<Vec<Told>> {
    let requests = asked.iter().map(|asked| {
        let constants: BTreeMap<u32, u32> = [(0, asked.threads), (1, asked.words)].into();
        serde_json::json!({
            "name": asked.name,
            "spirv": asked.spirv,
            "constants": constants,
            "bindings": [STORAGE_BUFFER, STORAGE_BUFFER],
            "push_bytes": 4,
        })
    });
    let lines = compile(chip, option, &requests.collect::<Vec<_>>())?;
    let told = asked.iter().zip(lines).map(|(asked, line)| {
        let Line::Kernel(form) = serde_json::from_value(line.clone())? else {
            anyhow::bail!("{}: {line}", asked.name)
        };
        let figure = |name: &str| form.figure(name, &asked.name);
        let small = |name: &str| Ok::<u32, anyhow::Error>(u32::try_from(figure(name)?)?);
        let kernel = Use {
            lanes: form.subgroup_size,
            vgprs: small("VGPRs")?,
            sgprs: small("SGPRs")?,
            lds: small("LDS size")?,
            threads: asked.threads,
        };
        Ok(Told { kernel, figure: figure("Subgroups per SIMD")? })
    });
    told.collect()
}

/// A line for each kernel, from the compiler of one chip with an option of `RADV_PERFTEST`.
fn compile(chip: &str, option: &str, requests: &[Value]) -> Result<Vec<Value>> {
    let count = requests.len();
    let request = serde_json::to_vec(requests)?;
    let mut child = Command::new(Call::binary(SAMPLE)?)
        .arg("--compile-for-null-device")
        .env("RADV_FORCE_FAMILY", chip)
        .env("RADV_PERFTEST", option)
        .env("VK_DRIVER_FILES", RADV)
        .env("VK_ICD_FILENAMES", RADV)
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // The child reads all of it before it writes anything.
    child.stdin.take().context("no pipe")?.write_all(&request)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{chip}: {}", output.status);
    let lines = String::from_utf8(output.stdout)?;
    let lines = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    ensure!(lines.len() == 1 + count, "{chip} ended early: {:?}", lines.last());
    Ok(lines.into_iter().skip(1).collect())
}
