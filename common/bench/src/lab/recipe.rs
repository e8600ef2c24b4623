//! Recipes of the resources that variants read and write. A resource is made when a selected variant names it.

use anyhow::{Context, Result, bail, ensure};
use ash::vk;
use record::error::BeyondLimits;
use vulkan::ImageUsage;
use vulkan::cmd::Cmd;
use vulkan::cmd::script::Named;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Buffer, Event, Events, Image, Set};
use vulkan::memory::{EventState, ImageUse, Place, Sharing, bytes_in_words, texel_bytes};
use vulkan::values::Shape;

use super::Lab;
use super::data::{Check, Contents, Layout, Output, sliced};
use crate::element::{Element, Tolerance};

/// Words that are computed when they are first needed.
type Words = Box<dyn FnOnce() -> Vec<u32>>;

/// Makes a resource for the given number of repetitions.
type MakeOther = Box<dyn FnOnce(&mut Lab, u32) -> Result<()>>;

/// Records the command that sets an event.
pub type Setting = Box<dyn Fn(&Cmd, Event)>;

/// A declared resource that variants may name.
pub(super) struct Recipe {
    /// Description for messages.
    pub what: String,
    /// Bytes of device memory per repetition, and bytes for all repetitions together, as far as they are known
    /// before the resource is made.
    pub bytes: [u64; 2],
    name: Name,
    make: Make,
}

/// The handles that variants use for a resource.
enum Name {
    Set(Set),
    Bindings(Vec<Binding>),
    Events(Events),
}

/// How a resource is made.
enum Make {
    Outputs(Outputs),
    Other(MakeOther),
}

impl Recipe {
    /// Whether `named` contains this resource.
    pub fn is_in(&self, named: &Named) -> bool {
        match &self.name {
            Name::Set(set) => named.bindings.iter().any(|&binding| set.holds(binding)),
            Name::Bindings(bindings) => bindings.iter().any(|binding| named.bindings.contains(binding)),
            Name::Events(events) => named.events.iter().any(|&event| events.holds(event)),
        }
    }

    /// Bytes of device memory for this many repetitions.
    pub fn bytes(&self, repetitions: u32) -> u64 {
        self.bytes[0] * u64::from(repetitions) + self.bytes[1]
    }

    /// The expected results of this resource.
    pub fn expected(&self) -> &[Expected] {
        match &self.make {
            Make::Outputs(outputs) => &outputs.expected,
            Make::Other(_) => &[],
        }
    }

    pub fn make(self, lab: &mut Lab, repetitions: u32) -> Result<()> {
        match self.make {
            Make::Outputs(outputs) => outputs.make(lab, repetitions),
            Make::Other(make) => make(lab, repetitions),
        }
    }
}

/// Images or buffers that variants write.
struct Outputs {
    name: String,
    contents: Contents,
    fill: [u32; 4],
    used: ImageUse,
    seeds: Vec<(u32, Words)>,
    expected: Vec<Expected>,
}

/// The expected contents of an output after a run.
pub struct Expected {
    index: u32,
    words: Words,
    /// How far floats may be off, and the sentence that says so.
    pub(super) tolerance: Option<(Tolerance, String)>,
    /// What the words count, if each must be zero; used in messages.
    counts: Option<String>,
}

impl Expected {
    /// Allows floats to differ by `ulps` units in the last place. The reader is shown `reason`.
    pub fn within(&mut self, ulps: u32, reason: &str) {
        let units = if ulps == 1 { "unit" } else { "units" };
        let told = format!("Results are right within {ulps} {units} in the last place: {reason}.");
        self.tolerance = Some((Tolerance::Ulps(ulps), told));
    }

    /// Allows floats of 32 bits to differ by `most`. The reader is shown `reason`.
    pub fn within_absolute(&mut self, most: f32, reason: &str) {
        let told = format!("Results are right within {most:.2e}: {reason}.");
        self.tolerance = Some((Tolerance::Absolute(most), told));
    }

    /// Declares that the words count errors. A message about a wrong result then says what was counted.
    pub fn counts(&mut self, what: &str) {
        self.counts = Some(what.to_owned());
    }

    fn upload(self, gpu: &Gpu, set: Set, contents: &Contents) -> Result<Check> {
        let Self { index, words, tolerance, counts } = self;
        let (reference, of) = (words(), contents.words(index));
        ensure!(reference.len() as u64 == of, "the CPU reference has {} words, not {of}", reference.len());
        let (bytes, half, shape) = match contents {
            Contents::Texels(_, shape, format) => {
                (texel_bytes(*format)?, *format == vk::Format::R16G16B16A16_SFLOAT, Some(*shape))
            }
            Contents::Words(..) => (4, false, None),
        };
        let tolerance = match tolerance.map(|(tolerance, _)| tolerance) {
            Some(Tolerance::Ulps(ulps)) if half => Tolerance::HalfUlps(ulps),
            tolerance => tolerance.unwrap_or(Tolerance::Exact),
        };
        let element = Element { bytes: u32::try_from(bytes)?, tolerance };
        let elements = shape.map_or(of, Shape::texels);
        let elements = u32::try_from(elements).context("too many elements to count in 32 bits")?;
        let expected = gpu.upload("CPU reference", &reference)?;
        Ok(Check { set, index, expected, elements, element, shape, reference, counts })
    }
}

impl Outputs {
    /// Number and size in bytes of the allocations of one repetition.
    fn pieces(&self) -> (u64, u64) {
        match &self.contents {
            Contents::Words(set, words) if set.wholes.is_some() => {
                (1, 4 * sliced(words).last().copied().unwrap_or(0))
            }
            contents => (contents.set().each().into(), contents.bytes(0)),
        }
    }

    fn make(self, lab: &mut Lab, repetitions: u32) -> Result<()> {
        self.make_empty(&lab.gpu, repetitions)?;
        let Self { name, contents, fill, seeds, expected, .. } = self;
        let set = contents.set();
        let mut seeded = Vec::new();
        for (index, words) in seeds {
            let (words, expected) = (words(), contents.words(index));
            ensure!(words.len() as u64 == expected, "the seed has {} words, not {expected}", words.len());
            seeded.push((index, lab.gpu.upload("seed", &words)?));
        }
        lab.outputs.push(Output { name, set, fill, seeds: seeded });
        for expected in expected {
            lab.checks.push(expected.upload(&lab.gpu, set, &contents)?);
        }
        Ok(())
    }

    fn make_empty(&self, gpu: &Gpu, repetitions: u32) -> Result<()> {
        let mut images = Vec::new();
        for repetition in 0..repetitions {
            let name = |at| format!("{} {at}, repetition {repetition}", self.name);
            match &self.contents {
                Contents::Texels(set, shape, format) => {
                    for at in 0..set.each {
                        let image = set.get(repetition, at);
                        gpu.make_image(image, &name(at), *shape, *format, self.used)?;
                        images.push(image);
                    }
                }
                Contents::Words(set, words) => {
                    let starts = sliced(words);
                    let all = set.wholes.map(|_| set.whole(repetition));
                    if let Some(all) = all {
                        let bytes = 4 * starts.last().copied().unwrap_or(0);
                        let name = format!("{}, repetition {repetition}", self.name);
                        gpu.make_buffer(all, &name, bytes, Place::Device, self.used.sharing)?;
                    }
                    for (at, (&words, &start)) in (0..).zip(words.iter().zip(&starts)) {
                        let (buffer, bytes) = (set.get(repetition, at), 4 * u64::from(words));
                        match all {
                            Some(all) => gpu.make_slice(buffer, all, 4 * start, bytes),
                            None => {
                                gpu.make_buffer(buffer, &name(at), bytes, Place::Device, self.used.sharing)?
                            }
                        }
                    }
                }
            }
        }
        if images.is_empty() { Ok(()) } else { gpu.settle_images(&images) }
    }
}

impl Lab {
    /// Declares images or buffers that the variants write.
    ///
    /// # Errors
    /// The output exceeds the limits or the memory of the device even with one repetition.
    pub fn output<L: Layout>(&mut self, name: &str, layout: L) -> Result<L::Handles> {
        let (handles, contents, fill, used) = layout.plan(&self.gpu, self.wanted());
        let (name, seeds, expected) = (name.to_owned(), Vec::new(), Vec::new());
        let outputs = Outputs { name, contents, fill, used, seeds, expected };
        let (count, bytes) = outputs.pieces();
        let what = match &outputs.contents {
            Contents::Texels(_, shape, _) => {
                // The format or size can be unsupported however much memory is free.
                self.gpu.ensure_possible(*shape)?;
                format!("images of {shape}")
            }
            Contents::Words(..) => format!("buffers of {}", bytes_in_words(bytes)),
        };
        // Three further copies are allocated: the expected result, a copy of the result, and the seed.
        let recipe = Recipe {
            what,
            bytes: [count * bytes, 3 * bytes],
            name: Name::Set(handles.into()),
            make: Make::Outputs(outputs),
        };
        self.ensure_room(&recipe.what, recipe.bytes(1), "use a smaller size or fewer of them")?;
        // Kernels, including the comparison, bind at most this many bytes as a buffer.
        let most = self.gpu.limits.storage_buffer;
        if bytes > most {
            bail!(BeyondLimits(format!(
                "{} are too large for the check on {}: a kernel there can bind buffers of {} at most",
                recipe.what,
                self.gpu.facts.name,
                bytes_in_words(most)
            )));
        }
        self.recipes.push(Some(recipe));
        Ok(handles)
    }

    fn declare(&mut self, name: Name, make: impl FnOnce(&mut Self, u32) -> Result<()> + 'static) {
        let (what, make) = (String::new(), Make::Other(Box::new(make)));
        self.recipes.push(Some(Recipe { what, bytes: [0; 2], name, make }));
    }

    /// An image that kernels only read, shared by all repetitions. `texels` are its bytes, row by row, as
    /// little-endian words; the last word is padded with zeros.
    pub fn input_image(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        format: vk::Format,
        texels: impl FnOnce() -> Vec<u32> + 'static,
    ) -> Image {
        self.filled_image(name, shape.into(), format, ImageUse::default(), texels)
    }

    /// Like [`Lab::input_image`], but without STORAGE usage, and in `SHADER_READ_ONLY_OPTIMAL`.
    pub fn texture(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        format: vk::Format,
        texels: impl FnOnce() -> Vec<u32> + 'static,
    ) -> Image {
        let used = ImageUse { usage: ImageUsage::SAMPLED, ..ImageUse::default() };
        self.filled_image(name, shape.into(), format, used, texels)
    }

    fn filled_image(
        &mut self,
        name: &str,
        shape: Shape,
        format: vk::Format,
        used: ImageUse,
        texels: impl FnOnce() -> Vec<u32> + 'static,
    ) -> Image {
        let (image, name) = (self.gpu.plan_images(1), name.to_owned());
        let make = move |lab: &mut Self, _| {
            let (texels, words) = (texels(), (shape.texels() * texel_bytes(format)?).div_ceil(4));
            ensure!(
                texels.len() as u64 == words,
                "{} words for {name}, an image of {shape} with {words}",
                texels.len()
            );
            let gpu = &lab.gpu;
            gpu.make_image(image, &name, shape, format, used)?;
            gpu.settle_images(&[image])?;
            let staged = gpu.upload(&name, &texels)?;
            gpu.run_once("an upload", |cmd| {
                cmd.copy_buffer_to_image(staged, image);
                cmd.rest(image);
            })?;
            gpu.free(staged);
            Ok(())
        };
        self.recipes.push(Some(Recipe {
            what: format!("an image of {shape}"),
            bytes: [0, shape.texels() * texel_bytes(format).unwrap_or(16)],
            name: Name::Bindings(vec![image.into(), image.sampled()]),
            make: Make::Other(Box::new(make)),
        }));
        image
    }

    /// A buffer that kernels only read, shared by all repetitions.
    pub fn input_buffer(&mut self, name: &str, words: impl FnOnce() -> Vec<u32> + 'static) -> Buffer {
        let (buffer, name) = (self.gpu.plan_buffers(1), name.to_owned());
        let bindings = vec![Binding::Buffer(buffer), Binding::Uniform(buffer)];
        self.declare(Name::Bindings(bindings), move |lab, _| {
            let words = words();
            let bytes = size_of_val(&*words) as u64;
            lab.claim(&format!("a buffer of {}", bytes_in_words(bytes)), bytes)?;
            lab.gpu.upload_to(buffer, &name, &words)
        });
        buffer
    }

    /// A buffer of `words` words that kernels only read, shared by all repetitions. `write` fills it once, before the first
    /// sample: for contents that would take long to upload.
    pub fn made_buffer(&mut self, name: &str, words: u64, write: impl Fn(&Cmd, Buffer) + 'static) -> Buffer {
        let (buffer, name, bytes) = (self.gpu.plan_buffers(1), name.to_owned(), 4 * words);
        let make = move |lab: &mut Self, _| {
            lab.gpu.make_buffer(buffer, &name, bytes, Place::Device, Sharing::FirstQueue)?;
            let steps = Cmd::steps(|cmd| write(cmd, buffer));
            for kernel in Named::by(&steps).kernels {
                lab.gpu.draft(&lab.shaders, kernel)?;
            }
            lab.gpu.check(&steps)?;
            lab.gpu.run_once(&format!("filling {name}"), |cmd| cmd.replay(&steps))
        };
        self.recipes.push(Some(Recipe {
            what: format!("a buffer of {}", bytes_in_words(bytes)),
            bytes: [0, bytes],
            name: Name::Bindings(vec![Binding::Buffer(buffer)]),
            make: Make::Other(Box::new(make)),
        }));
        buffer
    }

    /// A view of a buffer as texels of a format, which kernels read as `textureBuffer`.
    pub fn texel_buffer(&mut self, buffer: Buffer, format: vk::Format) -> Binding {
        let texels = self.gpu.plan_texels();
        self.declare(Name::Bindings(vec![texels.into()]), move |lab, _| {
            lab.make_named(&Named { bindings: [buffer.into()].into(), ..Named::default() })?;
            lab.gpu.make_texels(texels, buffer, format)
        });
        texels.into()
    }

    /// `each` events per repetition. The runner resets them outside the timed window. Events with `set` are set
    /// once, long before any sample, and never reset, so that waiting for them costs no waiting time.
    pub fn events(&mut self, each: u32, state: EventState, set: Option<Setting>) -> Events {
        let repetitions = self.wanted();
        let first = self.gpu.plan_events(each * repetitions);
        let events = Events { first, each, repetitions, wholes: None };
        self.declare(Name::Events(events), move |lab, repetitions| {
            // Variants that use events are left out on this device.
            if !lab.gpu.has_events {
                return Ok(());
            }
            let mut all = Vec::new();
            for repetition in 0..repetitions {
                for i in 0..each {
                    let event = events.get(repetition, i);
                    lab.gpu.make_event(event, &format!("event {i}, repetition {repetition}"), state)?;
                    all.push(event);
                }
            }
            if let Some(set) = set {
                let steps = Cmd::steps(|cmd| all.iter().for_each(|&event| set(cmd, event)));
                lab.gpu.run_once("setting events", |buffer| buffer.replay(&steps))?;
                lab.set_before.extend(all);
            }
            Ok(())
        });
        events
    }

    /// Sets the contents of one output at the start of every repetition, word for word.
    pub fn seed(&mut self, set: impl Into<Set>, index: u32, words: impl FnOnce() -> Vec<u32> + 'static) {
        self.output_of(set.into()).seeds.push((index, Box::new(words)));
    }

    /// Declares the exact contents of the image or buffer `index` of every repetition. The words come from the CPU
    /// reference, which is written from the formula and never from another variant, in the layout of
    /// [`Lab::input_image`]. Differences are counted in texels of an image or words of a buffer.
    pub fn expect(
        &mut self,
        set: impl Into<Set>,
        index: u32,
        words: impl FnOnce() -> Vec<u32> + 'static,
    ) -> &mut Expected {
        let expected = &mut self.output_of(set.into()).expected;
        let at = expected.len();
        expected.push(Expected { index, words: Box::new(words), tolerance: None, counts: None });
        &mut expected[at]
    }

    /// # Panics
    /// `set` is not an output of this lab: a mistake in the sample's code.
    fn output_of(&mut self, set: Set) -> &mut Outputs {
        let mut outputs = self.recipes.iter_mut().flatten().filter_map(|recipe| match &mut recipe.make {
            Make::Outputs(outputs) => Some(outputs),
            Make::Other(_) => None,
        });
        outputs
            .find(|outputs| outputs.contents.set() == set)
            .unwrap_or_else(|| panic!("{set:?} is no output of this lab"))
    }
}
