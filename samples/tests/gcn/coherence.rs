//! Where `coherent` shows in the code, and where it does not.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use common::isa::{Chip, count};
use common::vulkan::source::Source;
use common::vulkan::spirv;

use crate::child::{self, STORAGE_IMAGE};

const CHIPS: [&str; 5] = ["POLARIS10", "VEGA10", "NAVI10", "NAVI21", "GFX1100"];

/// Loads are marked `glc` where they are coherent. Stores are, up to RDNA 2, where they are coherent and the
/// kernel reads the image too; where it only writes the image, RADV 22.3.6 marks plain stores as well, so
/// that nothing can be told from them.
pub fn shows_in_the_code() -> Result<()> {
    for name in CHIPS {
        let chip = Chip::named(name).context("no such chip")?;
        let kernels = [("", true), ("coherent", true), ("", false), ("coherent", false)];
        let [plain, coherent, written, coherently_written] = marks(name, kernels)?;
        ensure!(plain == (0, 0), "{name}: plain accesses of one image are marked: {plain:?}");
        let stores = u64::from(chip.marks_stores);
        ensure!(coherent == (1, stores), "{name}: coherent accesses of one image: {coherent:?}");
        // What RADV does today; one that marks no plain store is as good.
        ensure!(written.0 == 0 && written.1 <= stores, "{name}: an image that is only written: {written:?}");
        ensure!(coherently_written == (0, stores), "{name}: the same, coherent: {coherently_written:?}");
    }
    Ok(())
}

/// Loads and stores with `glc` of kernels with a qualifier that read the image or do not.
fn marks<const N: usize>(chip: &str, kernels: [(&str, bool); N]) -> Result<[(u64, u64); N]> {
    let requests = kernels.map(|(qualifier, reads)| {
        let spirv = spirv::compile(&source(qualifier, reads), &Vec::new())?;
        Ok::<_, anyhow::Error>(child::request("image.comp", &spirv, &BTreeMap::new(), &[STORAGE_IMAGE], 0))
    });
    let lines = child::compile(chip, "", requests.into_iter().collect::<Result<_>>()?)?;
    let mut marks = [(0, 0); N];
    for ((line, mark), (_, reads)) in lines.iter().zip(&mut marks).zip(kernels) {
        let text = line["Kernel"]["assembly"].as_str().with_context(|| format!("{chip} shows no code"))?;
        let counts = count(text).with_context(|| format!("no code: {text}"))?;
        let found = (counts.vmem_loads, counts.vmem_stores);
        ensure!(found == (u64::from(reads), 1), "{chip}: loads and stores {found:?}");
        *mark = (counts.vmem_loads_glc, counts.vmem_stores_glc);
    }
    Ok(marks)
}

fn source(qualifier: &str, reads: bool) -> Source {
    let value = if reads { "imageLoad(image, at + ivec2(1, 0)) + 1" } else { "vec4(at.x)" };
    let text = format!(
        "#version 460
layout(local_size_x = 64) in;
layout(r32f, set = 0, binding = 0) uniform {qualifier} image2D image;
void main() {{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(image, at, {value});
}}
"
    );
    Source { name: "image.comp".into(), text, includes: Vec::new() }
}
