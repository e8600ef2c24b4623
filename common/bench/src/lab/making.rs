//! Makes only the resources that selected variants name: a sample with dozens of kernels compiles the measured
//! ones.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use ash::vk;
use record::Status;
use record::error::{BeyondLimits, Halt, NoRoom};
use vulkan::cmd::Cmd;
use vulkan::cmd::script::{Named, Step};
use vulkan::gpu::Recipe as KernelRecipe;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::{Place, bytes_in_words};

use super::recipe::Recipe;
use super::{Lab, NOT_COMMANDS};
use crate::variant::Variant;

/// Finds the recipe of a kernel by running other kernels.
pub(super) type Find = Box<dyn FnOnce(&mut Lab) -> Result<KernelRecipe>>;

/// A one-time proof in addition to the checks of a variant.
pub(super) type Proof = Box<dyn FnOnce(&mut Lab) -> Result<()>>;

impl Lab {
    /// Makes the resources that the variants name. A variant that needs more than the device allows is left out of
    /// the run, with the reason.
    ///
    /// # Errors
    /// A shader that does not compile, a mistake in the sample, not enough memory, or nothing to trace.
    pub(crate) fn make(&mut self) -> Result<()> {
        ensure!(!(self.report.wants_traces && self.times_elsewhere()), Halt::Skip(NOT_COMMANDS.into()));
        if self.report.empties_caches {
            for variant in self.variants.iter_mut().filter(|variant| variant.timed_by.is_some()) {
                let reason = "caches cannot be emptied before it: it does not time its own commands".into();
                variant.left_out.get_or_insert(Status::Skipped { reason });
            }
        }
        let named = self.named(self.wanted())?;
        self.draft(&named)?;
        self.fit(&named)?;
        if self.runs_nothing {
            return self.find_kernels();
        }
        let named = self.named(self.repetitions())?;
        for at in 0..self.recipes.len() {
            let is_in = |named: &Named| self.recipes[at].as_ref().is_some_and(|recipe| recipe.is_in(named));
            let naming: Vec<bool> = named.iter().map(is_in).collect();
            if naming.contains(&true) {
                let made = self.make_one(at);
                self.leave_out(made, |variant| naming[variant])?;
            }
        }
        self.find_kernels()?;
        // What was found may change what a variant names.
        for (at, named) in self.named(self.repetitions())?.iter().enumerate() {
            let made = self.make_named(named);
            self.leave_out(made, |variant| variant == at)?;
        }
        for (variants, prove) in std::mem::take(&mut self.proofs) {
            if self.variants.iter().any(|v| v.left_out.is_none() && variants.contains(&v.name)) {
                prove(self)?;
            }
        }
        let made = |set| self.outputs.iter().any(|output| output.set == set);
        self.report.shown.take_if(|shown| !made(shown.set));
        self.report.animation.take_if(|animation| !made(animation.set));
        Ok(())
    }

    fn find_kernels(&mut self) -> Result<()> {
        std::mem::take(&mut self.finds).into_iter().try_for_each(|(kernel, find)| self.find(kernel, find))
    }

    /// What each variant names in this many repetitions; empty for a variant that does not run.
    fn named(&self, repetitions: u32) -> Result<Vec<Named>> {
        let named = |variant: &Variant| {
            if variant.left_out.is_some() {
                return Ok(Named::default());
            }
            Ok(Named::by(variant.script(repetitions)?.steps()))
        };
        self.variants.iter().map(named).collect()
    }

    /// Compiles the shaders of the named kernels.
    fn draft(&mut self, named: &[Named]) -> Result<()> {
        for kernel in named.iter().flat_map(|named| &named.kernels).collect::<BTreeSet<_>>() {
            if self.finds.iter().all(|(found, _)| found != kernel) {
                let drafted = self.gpu.draft(&self.shaders, *kernel);
                self.leave_out(drafted, |at| named[at].kernels.contains(kernel))?;
            }
        }
        Ok(())
    }

    fn find(&mut self, kernel: Kernel, find: Find) -> Result<()> {
        let naming: Vec<bool> = self.named(1)?.iter().map(|named| named.kernels.contains(&kernel)).collect();
        if !naming.contains(&true) {
            return Ok(());
        }
        let found = find(self).and_then(|recipe| {
            self.gpu.replan_kernel(kernel, recipe);
            self.gpu.draft(&self.shaders, kernel)
        });
        self.leave_out(found, |at| naming[at])
    }

    /// Leaves out the variants that need a resource if making it failed with [`BeyondLimits`]; passes other errors
    /// on.
    fn leave_out(&mut self, made: Result<()>, is_one: impl Fn(usize) -> bool) -> Result<()> {
        let Err(error) = made else { return Ok(()) };
        let BeyondLimits(reason) = error.downcast::<BeyondLimits>()?;
        for (_, variant) in self.variants.iter_mut().enumerate().filter(|(at, _)| is_one(*at)) {
            variant.left_out.get_or_insert(Status::Skipped { reason: reason.clone() });
        }
        Ok(())
    }

    /// Sets the number of repetitions: the wanted number if it fits in half of the device's memory, else fewer, at
    /// least one.
    fn fit(&mut self, named: &[Named]) -> Result<()> {
        let is_named = |recipe: &Recipe| named.iter().any(|named| recipe.is_in(named));
        let needed: Vec<&Recipe> = self.recipes.iter().flatten().filter(|recipe| is_named(recipe)).collect();
        let bytes = |repetitions| needed.iter().map(|recipe| recipe.bytes(repetitions)).sum::<u64>();
        let half = self.gpu.facts.device_memory / 2;
        let fitting = (1..=self.wanted()).rev().find(|&n| bytes(n) <= half);
        let settled = fitting.unwrap_or(1);
        let claimed = bytes(settled);
        let largest = needed.iter().max_by_key(|recipe| recipe.bytes(settled));
        let what = largest.map_or_else(String::new, |recipe| recipe.what.clone());
        self.ensure_room(&what, claimed, "use a smaller size or fewer of them")?;
        (self.claimed, self.repetitions) = (claimed, Some(settled));
        Ok(())
    }

    /// Returns an error if `needed` bytes exceed 80 % of the device's memory, alone or together with another lab.
    pub(super) fn ensure_room(&self, what: &str, needed: u64, remedy: &str) -> Result<()> {
        let (memory, name) = (self.gpu.facts.device_memory, &self.gpu.facts.name);
        let most = memory / 10 * 8;
        if needed > most {
            let [needed, memory] = [needed, memory].map(bytes_in_words);
            bail!(BeyondLimits(format!(
                "no room for {what} in the memory of {name}: {needed} are needed, it has {memory}; {remedy}"
            )));
        }
        let [shown, reserved_elsewhere] = [needed, self.reserved_elsewhere].map(bytes_in_words);
        ensure!(
            needed + self.reserved_elsewhere <= most,
            NoRoom(format!("no room for {what}: {shown} beside {reserved_elsewhere} in use; {remedy}"))
        );
        Ok(())
    }

    /// Adds `bytes` to the memory in use before it is allocated; returns an error if it does not fit.
    pub(super) fn claim(&mut self, what: &str, bytes: u64) -> Result<()> {
        self.claimed += bytes;
        self.ensure_room(what, self.claimed, "use a smaller size")
    }

    /// Makes the named resources that do not exist yet, except kernels.
    pub(super) fn make_named(&mut self, named: &Named) -> Result<()> {
        for at in 0..self.recipes.len() {
            if self.recipes[at].as_ref().is_some_and(|recipe| recipe.is_in(named)) {
                self.make_one(at)?;
            }
        }
        Ok(())
    }

    fn make_one(&mut self, at: usize) -> Result<()> {
        let recipe = self.recipes[at].take();
        recipe.map_or(Ok(()), |recipe| recipe.make(self, self.repetitions()))
    }

    /// Runs each list of commands immediately, outside any measurement, and returns the shortest of its times in µs:
    /// for choosing among kernels. Kernels of these lists stay out of the record. Pipelines are made in parallel.
    ///
    /// # Errors
    /// Not enough memory; a failed submit; a recording that cannot be submitted; [`BeyondLimits`] for kernels that
    /// exceed the device's limits.
    pub fn time(&mut self, what: &str, lists: &[&dyn Fn(&Cmd)]) -> Result<Vec<f64>> {
        /// The first run finds cold caches.
        const RUNS: u32 = 4;
        /// No run is begun after this time, but the second; and for so long the first list runs before times count,
        /// because the clock drops while pipelines are made.
        const ENOUGH: Duration = Duration::from_millis(100);
        let lists: Vec<_> = lists.iter().map(|list| Cmd::steps(list)).collect();
        for steps in &lists {
            let named = Named::by(steps);
            for &kernel in &named.kernels {
                self.gpu.draft(&self.shaders, kernel)?;
                self.gpu.hide(kernel);
            }
            self.make_named(&named)?;
            self.gpu.check(steps)?;
        }
        self.gpu.compile(&lists.iter().flat_map(|steps| Named::by(steps).kernels).collect())?;
        let stamps = self.gpu.timestamps(2)?;
        let began = Instant::now();
        while let Some(first) = lists.first().filter(|_| began.elapsed() < ENOUGH) {
            self.time_once(what, first, stamps)?;
        }
        let shortest = |steps: &Vec<_>| {
            let (began, mut least) = (Instant::now(), f64::INFINITY);
            for run in 0..RUNS {
                if run < 2 || began.elapsed() < ENOUGH {
                    least = least.min(self.time_once(what, steps, stamps)?);
                }
            }
            Ok(least)
        };
        lists.iter().map(shortest).collect()
    }

    fn time_once(&self, what: &str, steps: &[Step], stamps: vk::QueryPool) -> Result<f64> {
        self.gpu.run_once(what, |cmd| {
            cmd.reset_query_pool(stamps, 2);
            cmd.write_timestamp2(stamps, 0);
            cmd.replay(steps);
            cmd.write_timestamp2(stamps, 1);
        })?;
        let [begin, end] = self.gpu.read_stamps::<2>(stamps)?;
        let unused = u64::BITS - self.device().timestamp_bits.clamp(1, u64::BITS);
        #[expect(clippy::cast_precision_loss, reason = "a submit lasts less than 2^52 ticks")]
        let ticks = (end.wrapping_sub(begin) << unused >> unused) as f64;
        Ok(ticks * f64::from(self.device().timestamp_period_ns) / 1000.0)
    }

    /// Runs kernels immediately, outside any measurement, and returns the buffer of `words` words that they count
    /// into. The buffer starts at zero. Used to count loads, concurrent workgroups and the like.
    ///
    /// # Errors
    /// Not enough memory; a failed submit; a recording that cannot be submitted; [`BeyondLimits`] for kernels that
    /// exceed the device's limits.
    pub fn tally(&mut self, what: &str, words: u32, record: impl FnOnce(&Cmd, Buffer)) -> Result<Vec<u32>> {
        let bytes = 4 * u64::from(words);
        let counters = self.gpu.buffer(what, bytes, Place::Device)?;
        let seen = self.gpu.buffer(&format!("{what} (CPU)"), bytes, Place::Readback)?;
        let steps = Cmd::steps(|cmd| record(cmd, counters));
        let named = Named::by(&steps);
        named.kernels.iter().try_for_each(|&kernel| self.gpu.draft(&self.shaders, kernel))?;
        self.make_named(&named)?;
        self.gpu.check(&steps)?;
        self.gpu.run_once(what, |cmd| {
            cmd.fill_buffer(counters, 0);
            cmd.full_barrier();
            cmd.replay(&steps);
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, bytes);
            cmd.host_barrier();
        })?;
        let counted = self.gpu.read(seen)?;
        self.gpu.free(counters);
        self.gpu.free(seen);
        Ok(counted)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use vulkan::cmd::{Attachment, ImageLayout, LoadOp};
    use vulkan::gpu::{Gpu, OpenOptions};
    use vulkan::handles::{Binding, Buffers, Set};
    use vulkan::{Format, ImageUsage};

    use super::*;
    use crate::lab::{BufferSet, ImageSet, LabOptions};

    /// A search may choose a kernel that binds other buffers than the variant named before.
    #[test]
    fn what_a_found_kernel_binds_is_made() {
        let mut lab = Lab::for_test(false, &LabOptions::default());
        let [named_first, found]: [Buffers; 2] =
            ["first", "found"].map(|name| lab.output(name, BufferSet::new(1, 128, 0)).unwrap());
        let chosen = Rc::new(Cell::new(named_first));
        let choosing = Rc::clone(&chosen);
        let kernel = lab.found_kernel(move |lab| {
            choosing.set(found);
            Ok(lab.kernel("lab/fma.comp").workgroup([128, 1, 1]).recipe())
        });
        lab.variant("found", move |cmd, rep| {
            cmd.dispatch(kernel, &[Binding::from(chosen.get().get(rep.index, 0))], &[0_u32; 3], [1, 1, 1]);
        });
        lab.make().unwrap();
        assert!(lab.outputs.iter().any(|output| output.set == Set::from(found)));
    }

    #[test]
    fn a_draw_needs_graphics_and_the_attachments_that_it_writes() {
        let drawing = |has_graphics, format| {
            let mut gpu = Gpu::open(&OpenOptions::default()).unwrap();
            gpu.has_graphics = has_graphics;
            let mut lab = Lab::new(gpu, &LabOptions::default());
            let image = ImageSet::new(1, [8, 8], Format::R8G8B8A8_UNORM, [0; 4]);
            let images = lab.output("image", image.used_for(ImageUsage::COLOR_ATTACHMENT)).unwrap();
            let seed = lab.input_image("seed", [8, 8], Format::R8G8B8A8_UNORM, || vec![0; 64]);
            let kernel = lab.kernel("clears/pass.frag").raster("lab/full_screen.vert", &[format]).build();
            lab.variant("draws", move |cmd, rep| {
                let (image, layout) = (images.get(rep.index, 0), ImageLayout::GENERAL);
                cmd.rendering(&[Attachment { image, layout, load: LoadOp::DontCare }], |pass| {
                    pass.draw(kernel, &[seed.sampled()], &(), [8, 8], 3);
                });
            });
            lab.make().unwrap();
            lab
        };
        let without = drawing(false, Format::R8G8B8A8_UNORM);
        let reason = without.variants[0].left_out.as_ref().and_then(Status::reason).unwrap();
        assert!(reason.contains("has no graphics"), "{reason}");
        let other = drawing(true, Format::R16G16B16A16_SFLOAT);
        let checked = |lab: &Lab| lab.gpu.check(&lab.variants[0].script(1).unwrap().submits[0].steps);
        let error = checked(&other).unwrap_err();
        assert!(format!("{error:#}").contains("the render pass has [R8G8B8A8_UNORM]"), "{error:#}");
        checked(&drawing(true, Format::R8G8B8A8_UNORM)).unwrap();
    }

    /// Times are not compared here: a busy machine makes any of them longer.
    #[test]
    fn candidates_are_timed_and_stay_out_of_the_record() {
        let mut lab = Lab::for_test(false, &LabOptions::default());
        let sums = lab.output("sums", BufferSet::new(1, 128, 0)).unwrap();
        let [few, many] = [1, 64].map(|steps| {
            let kernel = lab.kernel("lab/fma.comp").constant("STEPS", steps).workgroup([128, 1, 1]).build();
            move |cmd: &Cmd| cmd.dispatch(kernel, &[Binding::from(sums.get(0, 0))], &[0_u32; 3], [1, 1, 1])
        });
        let times = lab.time("candidates", &[&few, &many]).unwrap();
        assert!(times.len() == 2 && times.iter().all(|us| us.is_finite() && *us > 0.0), "{times:?}");
        assert!(lab.gpu.kernel_facts().is_empty());
        assert!(lab.time("nothing", &[]).unwrap().is_empty());
    }
}
