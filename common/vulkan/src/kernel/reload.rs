//! Rebuilds kernels whose shaders were edited, in their places.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use crate::gpu::{Arena, Gpu, KernelSlot, Recipe};
use crate::source::Library;
use crate::wrap::{WRAPPER, WRAPPER_OF_DRAWS, WRAPPER_OF_PARTS};

impl KernelSlot {
    fn is_made_from(&self, file: &str) -> bool {
        let Recipe { path, traced, .. } = &self.recipe;
        let wraps = [WRAPPER, WRAPPER_OF_PARTS, WRAPPER_OF_DRAWS].contains(&file);
        path == file || self.sources.iter().any(|source| source == file) || (*traced && wraps)
    }
}

impl Gpu {
    /// Rebuilds the kernels that are made from one of these files, given by path under `shaders/`. If one fails,
    /// none is replaced. Returns the number of rebuilt kernels. Must not be called while a submit is running.
    ///
    /// # Errors
    /// A shader that does not compile, or whose bindings or push constants changed: the sample's recordings still
    /// have the old ones.
    pub fn rebuild(&self, shaders: &Library, changed: &BTreeSet<String>) -> Result<usize> {
        let concerned =
            |slot: &KernelSlot| slot.is_drafted() && changed.iter().any(|file| slot.is_made_from(file));
        let recipes: Vec<(usize, Recipe)> = {
            let arena = self.arena();
            let kernels = arena.kernels.iter().enumerate();
            kernels.filter(|(_, slot)| concerned(slot)).map(|(at, slot)| (at, slot.recipe.clone())).collect()
        };
        let mut made = Arena::default();
        let drafted = recipes.iter().try_for_each(|(at, recipe)| {
            made.kernels.push(self.drafted(shaders, recipe)?);
            let arena = self.arena();
            let [old, new] = [&arena.kernels[*at], &made.kernels[made.kernels.len() - 1]].map(|slot| &slot.interface);
            ensure!(
                old.bindings == new.bindings && old.push_bytes == new.push_bytes,
                "shader {} takes other bindings or push constants now than the sample records: build the sample anew",
                recipe.path
            );
            Ok(())
        });
        let finished = drafted.and_then(|()| self.finish(&made.kernels.iter().collect::<Vec<_>>()));
        if let Err(error) = finished {
            self.free_all(made);
            return Err(error);
        }
        let mut replaced = Arena::default();
        for ((at, _), slot) in recipes.iter().zip(made.kernels) {
            let mut arena = self.arena.borrow_mut();
            let old = &mut arena.kernels[*at];
            let slot = KernelSlot { traced: old.traced, is_traced: old.is_traced, ..slot };
            replaced.kernels.push(std::mem::replace(old, slot));
        }
        self.free_all(replaced);
        Ok(recipes.len())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::gpu::OpenOptions;
    use crate::kernel::KernelBuilder;
    use crate::memory::Place;

    const SHADER: &str = "#version 460\n#include \"include/value.glsl\"\nlayout(local_size_x = 1) in;\n\
         layout(std430, set = 0, binding = 0) buffer Words { uint words[]; };\nvoid main() { words[0] = VALUE; }\n";

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A device, a folder of shaders, and a function that runs the kernel and returns its result.
    fn stage() -> (Gpu, tempfile::TempDir, impl Fn(&Gpu) -> u32) {
        let gpu = Gpu::open(&OpenOptions { validate: true, ..OpenOptions::default() }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "k.comp", SHADER);
        write(folder.path(), "include/value.glsl", "#define VALUE 1u\n");
        let library = Library::Checkout(folder.path().to_owned());
        let kernel = KernelBuilder::new(&gpu, &library, "k.comp").draft().unwrap();
        let [device, seen] =
            [Place::Device, Place::Readback].map(|place| gpu.buffer("words", 4, place).unwrap());
        let written = move |gpu: &Gpu| {
            gpu.run_once("a kernel", |cmd| {
                cmd.dispatch(kernel, &[device], &(), [1, 1, 1]);
                cmd.full_barrier();
                cmd.copy_buffer(device, seen, 4);
                cmd.host_barrier();
            })
            .unwrap();
            gpu.read(seen).unwrap()[0]
        };
        (gpu, folder, written)
    }

    #[test]
    fn an_edited_include_is_seen_and_a_broken_one_leaves_the_last() {
        let (gpu, folder, written) = stage();
        let library = Library::Checkout(folder.path().to_owned());
        let changed = |name: &str| BTreeSet::from([name.to_owned()]);
        assert_eq!(written(&gpu), 1);
        write(folder.path(), "include/value.glsl", "#define VALUE 2u\n");
        assert_eq!(gpu.rebuild(&library, &changed("include/other.glsl")).unwrap(), 0);
        assert_eq!(written(&gpu), 1);
        assert_eq!(gpu.rebuild(&library, &changed("include/value.glsl")).unwrap(), 1);
        assert_eq!(written(&gpu), 2);
        write(folder.path(), "include/value.glsl", "#define VALUE nonsense\n");
        let error = format!("{:#}", gpu.rebuild(&library, &changed("include/value.glsl")).unwrap_err());
        assert!(error.contains("k.comp:5") && error.contains("nonsense"), "{error}");
        assert_eq!(written(&gpu), 2);
        let text = SHADER.replace(
            "buffer Words",
            "readonly buffer More { uint more[]; };\nlayout(std430, set = 0, binding = 1) buffer Words",
        );
        write(folder.path(), "include/value.glsl", "#define VALUE 3u\n");
        write(folder.path(), "k.comp", &text);
        let error = format!("{:#}", gpu.rebuild(&library, &changed("k.comp")).unwrap_err());
        assert!(error.contains("other bindings"), "{error}");
        assert_eq!(written(&gpu), 2);
        assert!(gpu.take_messages().is_empty());
    }
    #[test]
    fn a_pipeline_cache_has_vulkans_header() {
        let (gpu, folder, _) = stage();
        let library = Library::Checkout(folder.path().to_owned());
        let kernel = KernelBuilder::new(&gpu, &library, "k.comp").draft().unwrap();
        let cache = gpu.cached(kernel).unwrap();
        let vendor = gpu.facts.vendor_id.to_le_bytes();
        assert_eq!(cache[..12], [&[32, 0, 0, 0, 1, 0, 0, 0], &vendor[..]].concat());
        assert!(gpu.take_messages().is_empty());
    }
}
