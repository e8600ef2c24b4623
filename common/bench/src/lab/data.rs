//! What variants read and write: inputs, outputs, what they hold before, and what must come out. All of it is only
//! declared; [`Lab::make`] makes what the variants name that run.

use anyhow::Result;
use ash::vk;
use vulkan::cmd::Cmd;
use vulkan::handles::{Binding, Buffer, Buffers, Event, Events, Image, Images, Set};
use vulkan::memory::{EventState, Sharing};
use vulkan::values::Shape;

use super::Lab;
use super::recipe::{Contents, Outputs, Recipe, Setting, Twin, Words};
use crate::element::Element;

/// Images or buffers that the variants write, and what they hold before each sample.
pub struct Output {
    pub(crate) set: Set,
    /// A value that no pass writes.
    pub fill: [u32; 4],
    /// Contents of some of them at the start of each repetition.
    pub seeds: Vec<(u32, Buffer)>,
}

/// What an image or a buffer must hold after a run.
pub struct Check {
    /// The set that holds the result.
    pub set: Set,
    /// Which of the set.
    pub index: u32,
    /// The CPU reference's result.
    pub expected: Buffer,
    /// How many elements are compared.
    pub elements: u32,
    /// How two elements are compared.
    pub element: Element,
    /// Of an image.
    pub shape: Option<Shape>,
    /// What the CPU twin computed, for the counter's own check.
    pub twin: Vec<u32>,
    /// What must not happen, where the words count that.
    pub counts: Option<String>,
}

/// Where each of a buffer's slices begins, in words, and behind the last where the whole ends.
///
/// No device asks for slices at more than 256 bytes (`minStorageBufferOffsetAlignment`).
#[must_use]
pub fn sliced(words: &[u32]) -> Vec<u64> {
    const ALIGNMENT: u64 = 256 / 4;
    let mut starts = vec![0];
    for &words in words {
        let start = starts.last().copied().unwrap_or(0);
        starts.push((start + u64::from(words)).next_multiple_of(ALIGNMENT));
    }
    starts
}

impl Lab {
    /// `each` storage images for every repetition, filled before each sample with `fill`, a value
    /// that no pass writes: words as `VkClearColorValue` takes them, so for formats that read as
    /// floats the bits of a float.
    ///
    /// # Errors
    /// More than the device or its memory allows, even with one repetition.
    pub fn output_images(
        &mut self,
        name: &str,
        each: u32,
        shape: impl Into<Shape>,
        format: vk::Format,
        fill: [u32; 4],
    ) -> Result<Images> {
        let Image(first) = self.gpu.plan_images(each * self.wanted_repetitions);
        let images = Images { first, each, repetitions: self.wanted_repetitions, arrays: None };
        self.outputs_of(name, images, Contents::Texels(shape.into(), format), fill)?;
        Ok(images)
    }

    /// As [`Lab::output_images`], where a repetition's images are the layers of one array, which a kernel can
    /// also bind as a whole ([`Images::array`]).
    ///
    /// # Errors
    /// As [`Lab::output_images`]; more layers than the device's images can have.
    pub fn output_layers(
        &mut self,
        name: &str,
        each: u32,
        shape: impl Into<Shape>,
        format: vk::Format,
        fill: [u32; 4],
    ) -> Result<Images> {
        let repetitions = self.wanted_repetitions;
        let (Image(arrays), Image(first)) =
            (self.gpu.plan_images(repetitions), self.gpu.plan_images(each * repetitions));
        let images = Images { first, each, repetitions, arrays: Some(arrays) };
        self.outputs_of(name, images, Contents::Texels(shape.into(), format), fill)?;
        Ok(images)
    }

    /// As [`Lab::output_images`]: `each` storage buffers of so many words.
    ///
    /// # Errors
    /// As [`Lab::output_images`].
    pub fn output_buffers(&mut self, name: &str, each: u32, words: u32, fill: u32) -> Result<Buffers> {
        let repetitions = self.wanted_repetitions;
        let Buffer(first) = self.gpu.plan_buffers(each * repetitions);
        let buffers = Buffers { first, each, repetitions, wholes: None };
        self.outputs_of(name, buffers, Contents::Words(vec![words; each as usize]), [fill; 4])?;
        Ok(buffers)
    }

    /// As [`Lab::output_buffers`], one of each of these lengths in words, where a repetition's buffers are slices
    /// of one that a kernel can also bind as a whole ([`Buffers::whole`]), each where [`sliced`] says.
    ///
    /// # Errors
    /// As [`Lab::output_images`].
    pub fn output_slices(&mut self, name: &str, words: &[u32], fill: u32) -> Result<Buffers> {
        let (repetitions, each) = (self.wanted_repetitions, u32::try_from(words.len()).unwrap_or(u32::MAX));
        let (Buffer(wholes), Buffer(first)) =
            (self.gpu.plan_buffers(repetitions), self.gpu.plan_buffers(each * repetitions));
        let buffers = Buffers { first, each, repetitions, wholes: Some(wholes) };
        self.outputs_of(name, buffers, Contents::Words(words.to_vec()), [fill; 4])?;
        Ok(buffers)
    }

    fn outputs_of(
        &mut self,
        name: &str,
        set: impl Into<Set>,
        contents: Contents,
        fill: [u32; 4],
    ) -> Result<()> {
        let (name, set, sharing) = (name.to_owned(), set.into(), self.sharing);
        let outputs = Outputs { name, set, contents, fill, sharing, seeds: Vec::new(), twins: Vec::new() };
        outputs.ensure_possible(&self.gpu)?;
        self.ensure_room(&outputs.what(), outputs.bytes(1), "use a smaller size or fewer of them")?;
        outputs.ensure_checkable(&self.gpu)?;
        self.recipes.push(Some(Recipe::Outputs(outputs)));
        Ok(())
    }

    /// An image that kernels only read, one for all repetitions. `texels` are its bytes, row by row,
    /// as little-endian words, the last of them filled up with zeros.
    pub fn input_image(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        format: vk::Format,
        texels: impl FnOnce() -> Vec<u32> + 'static,
    ) -> Image {
        let (image, name, shape) = (self.gpu.plan_images(1), name.to_owned(), shape.into());
        self.recipes.push(Some(Recipe::Image { image, name, shape, format, texels: Box::new(texels) }));
        image
    }

    /// A buffer that kernels only read, one for all repetitions.
    pub fn input_buffer(&mut self, name: &str, words: impl FnOnce() -> Vec<u32> + 'static) -> Buffer {
        let (buffer, name) = (self.gpu.plan_buffers(1), name.to_owned());
        self.recipes.push(Some(Recipe::Buffer { buffer, name, words: Box::new(words) }));
        buffer
    }

    /// A buffer as texels of a format, which kernels read as `textureBuffer`.
    pub fn texel_buffer(&mut self, buffer: Buffer, format: vk::Format) -> Binding {
        let texels = self.gpu.plan_texels();
        self.recipes.push(Some(Recipe::Texels { texels, buffer, format }));
        texels.into()
    }

    /// `each` events for every repetition. The runner resets them outside the timed window.
    pub fn events(&mut self, each: u32, state: EventState) -> Events {
        self.plan_events(each, state, None)
    }

    /// As [`Lab::events`], each set by `set` once, long before any sample, and never reset: to wait for
    /// one is to wait for nothing.
    pub fn events_set_before(
        &mut self,
        each: u32,
        state: EventState,
        set: impl Fn(&Cmd, Event) + 'static,
    ) -> Events {
        self.plan_events(each, state, Some(Box::new(set)))
    }

    fn plan_events(&mut self, each: u32, state: EventState, set: Option<Setting>) -> Events {
        let Event(first) = self.gpu.plan_events(each * self.wanted_repetitions);
        let events = Events { first, each, repetitions: self.wanted_repetitions };
        self.recipes.push(Some(Recipe::Events { events, state, set }));
        events
    }

    /// Gives one of the outputs its contents at the start of every repetition, word for word.
    pub fn seed(&mut self, set: impl Into<Set>, index: u32, words: impl FnOnce() -> Vec<u32> + 'static) {
        let words: Words = Box::new(words);
        self.output_of(set.into()).seeds.push((index, words));
    }

    /// What the image or buffer `index` of every repetition must hold, bit for bit: the CPU reference,
    /// written from the formula and never from another variant. Its words are those of
    /// [`Lab::input_image`]; texels are counted, of buffers words.
    pub fn expect(&mut self, set: impl Into<Set>, index: u32, twin: impl FnOnce() -> Vec<u32> + 'static) {
        let twin = Twin { index, words: Box::new(twin), ulps: 0, counts: None };
        self.output_of(set.into()).twins.push(twin);
    }

    /// As [`Lab::expect`], of floats that may be off by `ulps` units in the last place, because of
    /// `reason`, which the reader is told.
    pub fn expect_within(
        &mut self,
        set: impl Into<Set>,
        index: u32,
        twin: impl FnOnce() -> Vec<u32> + 'static,
        ulps: u32,
        reason: &str,
    ) {
        let unit = if ulps == 1 { "1 unit".to_owned() } else { format!("{ulps} units") };
        self.note(&format!("Results are right within {unit} in the last place: {reason}."));
        let twin = Twin { index, words: Box::new(twin), ulps, counts: None };
        self.output_of(set.into()).twins.push(twin);
    }

    /// The words of a buffer that must be 0 after a run, and what they count: so a row is told to be wrong.
    pub fn expect_none(&mut self, set: Buffers, index: u32, what: &str) {
        let outputs = self.output_of(set.into());
        let words = usize::try_from(outputs.contents.words(index)).unwrap_or_default();
        let (words, counts) = (Box::new(move || vec![0; words]), Some(what.to_owned()));
        outputs.twins.push(Twin { index, words, ulps: 0, counts });
    }

    /// # Panics
    /// For what is no output of this lab: a mistake in the sample, not in its input.
    fn output_of(&mut self, set: Set) -> &mut Outputs {
        let mut outputs = self.recipes.iter_mut().flatten().filter_map(|recipe| match recipe {
            Recipe::Outputs(outputs) => Some(outputs),
            _ => None,
        });
        outputs
            .find(|outputs| outputs.set == set)
            .unwrap_or_else(|| panic!("{set:?} is no output of this lab"))
    }

    /// Makes images that both queues use at once, for variants on two queues: of two families, sharing
    /// may cost time, so the other variants shall not have it.
    pub fn for_both_queues<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.sharing = Sharing::BothQueues;
        let made = make(self);
        self.sharing = Sharing::FirstQueue;
        made
    }
}
