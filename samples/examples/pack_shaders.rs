//! Compiles all shaders ahead of time and writes `shaders/**/*.pack`. Run it after editing a shader:
//!
//! ```text
//! cargo run -p vulkan --example pack_shaders --features shaderc
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use brotli::enc::BrotliEncoderParams;
use rayon::prelude::*;
use vulkan::packer;
use vulkan::source::Library;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let library = Library::Checkout(root.clone());
    let packs = library.shaders()?.into_par_iter().map(|shader| {
        let entries = packer::entries(&library, &shader).with_context(|| format!("packing {shader}"))?;
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
