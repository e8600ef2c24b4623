//! The occupancy model against what the driver says of kernels made for the purpose.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use common::isa::{Chip, Occupancy, Use};
use common::source::Source;
use common::spirv;
use serde_json::Value;

use crate::support::Call;
use crate::{RADV, SAMPLE};

/// The model's waves a SIMD are the driver's, for kernels that are short of each thing in turn.
pub fn agrees_with_the_driver() -> Result<()> {
    const THREADS: [u32; 6] = [64, 128, 192, 256, 512, 1024];
    const WORDS: [u32; 5] = [1, 300, 1100, 4096, 8192];
    let mut sources = Vec::new();
    for (at, live) in [4, 20, 26, 32, 40, 56, 75, 90, 120, 180, 230].into_iter().enumerate() {
        let source = Source { name: format!("live_{live}.comp"), text: hungry(live), includes: Vec::new() };
        let code = spirv::compile(&source, &Vec::new())?;
        for step in 0..THREADS.len() {
            let (threads, words) =
                (THREADS[(at + step) % THREADS.len()], WORDS[(at + 2 * step) % WORDS.len()]);
            sources.push((threads, source.name.clone(), code.clone(), words));
        }
    }
    let mut seen = BTreeMap::new();
    for name in ["POLARIS10", "VEGA10", "BONAIRE"] {
        let chip = Chip::named(name).context("no such chip")?;
        for ((threads, kernel, ..), statistics) in sources.iter().zip(statistics(name, &sources)?) {
            let figure =
                |name: &str| statistics[name].as_u64().with_context(|| format!("{name}: {statistics}"));
            let small = |name: &str| Ok::<u32, anyhow::Error>(u32::try_from(figure(name)?)?);
            let taken = Use {
                vgprs: small("VGPRs")?,
                sgprs: small("SGPRs")?,
                lds: small("LDS size")?,
                threads: *threads,
            };
            let (model, driver) = (Occupancy::of(chip, taken), figure("Subgroups per SIMD")?);
            ensure!(
                u64::from(model.waves_per_simd) == driver,
                "{kernel} on {name}, {taken:?}: {model:?}, the driver says {driver}"
            );
            *seen.entry((name, driver)).or_insert(0) += 1;
        }
    }
    // A model that always says 8 would agree with a driver that always does.
    ensure!(seen.len() >= 15, "the kernels are too much alike: {seen:?}");
    Ok(())
}

/// A kernel with about so many live registers, and with shared memory.
fn hungry(live: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..live).map(line).collect::<String>();
    let load = each(&|i| format!("    float r{i} = data[{live} * at + {i}];\n"));
    let mix = each(&|i| format!("        r{i} = r{i} * r{} + r{};\n", (i + 1) % live, (i + 2) % live));
    let sum: Vec<String> = (0..live).map(|i| format!("r{i}")).collect();
    format!(
        "#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 1;
layout(push_constant) uniform Push {{ uint steps; }};
layout(std430, set = 0, binding = 0) buffer Data {{ float data[]; }};
shared float kept[WORDS];
void main() {{
    uint at = gl_GlobalInvocationID.x;
{load}    for (uint i = 0; i < steps; ++i) {{
{mix}    }}
    kept[gl_LocalInvocationIndex % WORDS] = r0;
    barrier();
    data[at] = {} + kept[(gl_LocalInvocationIndex + 1) % WORDS];
}}
",
        sum.join(" + ")
    )
}

/// What the driver says of kernels of (threads, name, code, words of shared memory).
fn statistics(chip: &str, sources: &[(u32, String, Vec<u32>, u32)]) -> Result<Vec<Value>> {
    let source = |(threads, name, spirv, words): &(u32, String, Vec<u32>, u32)| {
        let constants: BTreeMap<u32, u32> = [(0, *threads), (1, *words)].into();
        // 7 is VK_DESCRIPTOR_TYPE_STORAGE_BUFFER.
        serde_json::json!({"name": name, "spirv": spirv, "constants": constants, "bindings": [7], "push_bytes": 4})
    };
    let request = serde_json::to_vec(&sources.iter().map(source).collect::<Vec<_>>())?;
    let mut child = Command::new(Call::binary(SAMPLE)?)
        .arg("--compile-for-null-device")
        .env("RADV_FORCE_FAMILY", chip)
        .env("VK_DRIVER_FILES", RADV)
        .env("VK_ICD_FILENAMES", RADV)
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
    ensure!(lines.len() == 1 + sources.len(), "{chip} ended early: {:?}", lines.last());
    Ok(lines.into_iter().skip(1).map(|mut line| line["Kernel"]["statistics"].take()).collect())
}
