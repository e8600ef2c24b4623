//! Compiles all shaders ahead of time and writes `shaders/**/*.pack`. Run it after editing a shader:
//!
//! ```text
//! cargo run -p samples --example pack_shaders --features shaderc
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use brotli::enc::BrotliEncoderParams;
use common::vulkan::packer::{self, Module};
use common::vulkan::source::Library;
use rayon::prelude::*;

#[path = "../src/bin/sgemm/changes.rs"]
mod changes;
#[path = "../src/bin/sgemm/generator.rs"]
mod generator;
#[path = "../src/bin/sgemm/packed.rs"]
mod packed;
#[path = "../src/bin/sgemm/plan.rs"]
mod plan;
#[path = "../src/bin/sgemm/split.rs"]
mod split;
#[path = "../src/bin/sgemm/store.rs"]
mod store;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders");
    let library = Library::Checkout(root.clone());
    let files =
        library.shaders()?.into_iter().map(|shader| Ok((packer::modules(&library, &shader)?, shader)));
    let files = files.map(|file| file.map(|(modules, shader)| (shader, modules)));
    let generated = packed::modules(&library).map(|modules| (generator::PACK.to_owned(), modules));
    let shaders: Vec<(String, Vec<Module>)> = files.chain([generated]).collect::<Result<_>>()?;
    let packs = shaders.into_par_iter().map(|(shader, modules)| {
        let entries = packer::entries(&library, &modules).with_context(|| format!("packing {shader}"))?;
        Ok((shader, compressed(&entries)?))
    });
    let packs = packs.collect::<Result<Vec<_>>>()?;
    let all: usize = packs.iter().map(|(_, packed)| packed.len()).sum();
    for (shader, packed) in &packs {
        let path = root.join(format!("{shader}.pack"));
        // An unchanged pack keeps its modification time, so that cargo rebuilds nothing.
        if fs::read(&path).ok().as_ref() != Some(packed) {
            fs::write(&path, packed).with_context(|| format!("writing {}", path.display()))?;
            println!("{shader}.pack: {} bytes", packed.len());
        }
    }
    println!("{} packs, {} kB", packs.len(), all / 1000);
    Ok(())
}

/// Compresses with the largest window, because the modules of a shader differ little.
fn compressed(entries: &[u8]) -> Result<Vec<u8>> {
    let params = BrotliEncoderParams { quality: 11, lgwin: 24, ..BrotliEncoderParams::default() };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &entries[..], &mut packed, &params)?;
    Ok(packed)
}
