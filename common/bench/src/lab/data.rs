//! What variants read and write: inputs, outputs, what they hold before, and what must come out.

use anyhow::{Context, Result, ensure};
use ash::vk;
use record::error::NoRoom;
use vulkan::cmd::Cmd;
use vulkan::handles::{Binding, Buffer, Buffers, Image, Images, Set};
use vulkan::memory::{Place, Sharing, bytes_in_words, texel_bytes};
use vulkan::values::Shape;

use super::Lab;
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
    /// floats the bits of a float. The first call also settles how many repetitions fit into memory.
    ///
    /// # Errors
    /// A shape that the device or its memory does not allow.
    pub fn output_images(
        &mut self,
        name: &str,
        each: u32,
        shape: impl Into<Shape>,
        format: vk::Format,
        fill: [u32; 4],
    ) -> Result<Images> {
        let shape = shape.into();
        self.gpu.ensure_possible(shape)?;
        let what = format!("images of {shape}");
        let repetitions = self.fit_repetitions(&what, shape.texels() * texel_bytes(format)?, each)?;
        let mut made = Vec::new();
        for repetition in 0..repetitions {
            for i in 0..each {
                let name = format!("{name} {i}, repetition {repetition}");
                made.push(self.gpu.image(&name, shape, format, self.sharing)?);
            }
        }
        self.gpu.settle_images(&made)?;
        let first = made.first().context("a sample has at least one output image")?.0;
        Ok(self.declare_images(Images { first, each, repetitions, arrays: None }, fill))
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
        let shape = shape.into();
        self.gpu.ensure_possible(shape)?;
        let what = format!("images of {shape}");
        let repetitions = self.fit_repetitions(&what, shape.texels() * texel_bytes(format)?, each)?;
        // Arrays first, so that both they and their layers have handles in a row.
        let made: Vec<_> = (0..repetitions)
            .map(|repetition| {
                let name = format!("{name}, repetition {repetition}");
                self.gpu.array(&name, shape, each, format, self.sharing)
            })
            .collect::<Result<_>>()?;
        self.gpu.settle_images(&made)?;
        let mut first = None;
        for (repetition, &array) in made.iter().enumerate() {
            for i in 0..each {
                let name = format!("{name} {i}, repetition {repetition}");
                let layer = self.gpu.layer(&name, array, i)?;
                first.get_or_insert(layer.0);
            }
        }
        let first = first.context("a sample has at least one output image")?;
        let arrays = made.first().map(|array| array.0);
        Ok(self.declare_images(Images { first, each, repetitions, arrays }, fill))
    }

    fn declare_images(&mut self, images: Images, fill: [u32; 4]) -> Images {
        self.outputs.push(Output { set: images.into(), fill, seeds: Vec::new() });
        images
    }

    /// As [`Lab::output_images`]: `each` storage buffers of so many words.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn output_buffers(&mut self, name: &str, each: u32, words: u32, fill: u32) -> Result<Buffers> {
        let bytes = 4 * u64::from(words);
        let what = format!("buffers of {}", bytes_in_words(bytes));
        let repetitions = self.fit_repetitions(&what, bytes, each)?;
        let mut first = None;
        for repetition in 0..repetitions {
            for i in 0..each {
                let name = format!("{name} {i}, repetition {repetition}");
                let buffer = self.gpu.buffer(&name, bytes, Place::Device)?;
                first.get_or_insert(buffer.0);
            }
        }
        let first = first.context("a sample has at least one output buffer")?;
        Ok(self.declare_buffers(Buffers { first, each, repetitions, wholes: None }, fill))
    }

    /// As [`Lab::output_buffers`], one of each of these lengths in words, where a repetition's buffers are slices
    /// of one that a kernel can also bind as a whole ([`Buffers::whole`]), each where [`sliced`] says.
    ///
    /// # Errors
    /// More than the device's memory, or than a kernel can bind at once.
    pub fn output_slices(&mut self, name: &str, words: &[u32], fill: u32) -> Result<Buffers> {
        let starts = sliced(words);
        let bytes = 4 * starts.last().copied().unwrap_or(0);
        let what = format!("slices of {}", bytes_in_words(bytes));
        let repetitions = self.fit_repetitions(&what, bytes, 1)?;
        // Wholes first, so that both they and their slices have handles in a row.
        let whole =
            |repetition| self.gpu.buffer(&format!("{name}, repetition {repetition}"), bytes, Place::Device);
        let made: Vec<Buffer> = (0..repetitions).map(whole).collect::<Result<_>>()?;
        let mut first = None;
        for &whole in &made {
            for (&start, &words) in starts.iter().zip(words) {
                let slice = self.gpu.slice(whole, 4 * start, 4 * u64::from(words));
                first.get_or_insert(slice.0);
            }
        }
        let first = first.context("a sample has at least one output buffer")?;
        let (each, wholes) = (u32::try_from(words.len())?, made.first().map(|whole| whole.0));
        Ok(self.declare_buffers(Buffers { first, each, repetitions, wholes }, fill))
    }

    fn declare_buffers(&mut self, buffers: Buffers, fill: u32) -> Buffers {
        self.outputs.push(Output { set: buffers.into(), fill: [fill; 4], seeds: Vec::new() });
        buffers
    }

    /// An image that kernels only read, one for all repetitions. `texels` are its bytes, row by row,
    /// as little-endian words, the last of them filled up with zeros.
    ///
    /// # Errors
    /// A shape that the device or its memory does not allow; too few or too many words.
    pub fn input_image(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        format: vk::Format,
        texels: &[u32],
    ) -> Result<Image> {
        let shape = shape.into();
        self.gpu.ensure_possible(shape)?;
        let bytes = shape.texels() * texel_bytes(format)?;
        self.claim(&format!("an image of {shape}"), bytes)?;
        ensure!(
            texels.len() as u64 == bytes.div_ceil(4),
            "{} words for {name}, an image of {shape} with {bytes} bytes",
            texels.len()
        );
        let image = self.gpu.image(name, shape, format, Sharing::FirstQueue)?;
        self.gpu.settle_images(&[image])?;
        let staged = self.gpu.upload(name, texels)?;
        self.gpu.run_once("an upload", |cmd| cmd.copy_buffer_to_image(staged, image))?;
        self.gpu.free(staged);
        Ok(image)
    }

    /// A buffer that kernels only read, one for all repetitions.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn input_buffer(&mut self, name: &str, words: &[u32]) -> Result<Buffer> {
        let bytes = size_of_val(words) as u64;
        self.claim(&format!("a buffer of {}", bytes_in_words(bytes)), bytes)?;
        self.gpu.upload(name, words)
    }

    /// Why a buffer of so many texels cannot be read as [`Lab::texel_buffer`], where it cannot: for
    /// [`Variant::skip`](crate::Variant::skip).
    #[must_use]
    pub fn why_no_texels(&self, texels: u64, format: vk::Format) -> Option<String> {
        self.gpu.why_no_texels(texels, format)
    }

    /// A buffer as texels of a format, which kernels read as `textureBuffer`.
    ///
    /// # Errors
    /// A format that the device has no such view for; more texels than it allows.
    pub fn texel_buffer(&self, buffer: Buffer, format: vk::Format) -> Result<Binding> {
        self.gpu.texels(buffer, format).map(Into::into)
    }

    /// Whether so many more images of this shape fit into half of the device's memory, and a kernel
    /// can bind one as a buffer, which the check does.
    #[must_use]
    pub fn has_room(&self, shape: impl Into<Shape>, images: u32, format: vk::Format) -> bool {
        let shape = shape.into();
        let Ok(texel) = texel_bytes(format) else { return false };
        let image = shape.texels() * texel;
        self.gpu.ensure_possible(shape).is_ok()
            && image <= self.gpu.max_storage_buffer()
            && self.claimed + image * u64::from(images) <= self.gpu.facts.device_memory / 2
    }

    /// Gives one of the outputs its contents at the start of every repetition, word for word.
    ///
    /// # Errors
    /// Out of memory; another number of words; what is no output.
    pub fn seed(&mut self, set: impl Into<Set>, index: u32, words: &[u32]) -> Result<()> {
        let set = set.into();
        ensure!(index < set.each(), "there is no output {index} to seed");
        let expected = self.words_of(set.get(0, index))?;
        ensure!(words.len() as u64 == expected, "the seed has {} words, not {expected}", words.len());
        let buffer = self.gpu.upload("seed", words)?;
        let output = self.outputs.iter_mut().find(|o| o.set == set);
        output.context("only outputs take a seed")?.seeds.push((index, buffer));
        Ok(())
    }

    /// What the image or buffer `index` of every repetition must hold, bit for bit: the CPU twin,
    /// written from the formula and never from another variant. Its words are those of
    /// [`Lab::input_image`]; texels are counted, of buffers words.
    ///
    /// # Errors
    /// Out of memory; a twin of another size.
    pub fn expect(&mut self, set: impl Into<Set>, index: u32, twin: Vec<u32>) -> Result<()> {
        self.expect_near(set.into(), index, twin, 0)
    }

    /// As [`Lab::expect`], of floats that may be off by `ulps` units in the last place, because of
    /// `reason`, which the reader is told.
    ///
    /// # Errors
    /// As [`Lab::expect`].
    pub fn expect_within(
        &mut self,
        set: impl Into<Set>,
        index: u32,
        twin: Vec<u32>,
        ulps: u32,
        reason: &str,
    ) -> Result<()> {
        let unit = if ulps == 1 { "1 unit".to_owned() } else { format!("{ulps} units") };
        self.note(&format!("Results are right within {unit} in the last place: {reason}."));
        self.expect_near(set.into(), index, twin, ulps)
    }

    /// The words of a buffer that must be 0 after a run, and what they count: so a row is told to be wrong.
    ///
    /// # Errors
    /// As [`Lab::expect`].
    pub fn expect_none(&mut self, set: Buffers, index: u32, what: &str) -> Result<()> {
        let words = self.words_of(set.get(0, index).into())?;
        self.expect_near(set.into(), index, vec![0; usize::try_from(words)?], 0)?;
        if let Some(check) = self.checks.last_mut() {
            check.counts = Some(what.to_owned());
        }
        Ok(())
    }

    fn expect_near(&mut self, set: Set, index: u32, twin: Vec<u32>, ulps: u32) -> Result<()> {
        let at = set.get(0, index);
        let expected = self.words_of(at)?;
        ensure!(twin.len() as u64 == expected, "the CPU twin has {} words, not {expected}", twin.len());
        let (bytes, half, shape) = match at {
            Binding::Image(image) => {
                let arena = self.gpu.arena();
                let slot = arena.image(image);
                let half = slot.format == vk::Format::R16G16B16A16_SFLOAT;
                (texel_bytes(slot.format)?, half, Some(slot.shape))
            }
            _ => (4, false, None),
        };
        let element = Element { bytes: u32::try_from(bytes)?, ulps, half };
        let elements = shape.map_or(twin.len() as u64, Shape::texels);
        let elements = u32::try_from(elements).context("too many elements to count in 32 bits")?;
        let expected = self.gpu.upload("CPU twin", &twin)?;
        self.checks.push(Check { set, index, expected, elements, element, shape, twin, counts: None });
        Ok(())
    }

    /// Runs kernels at once, outside any measurement, and returns what they counted into a buffer of
    /// `words` words that is zero at first: loads, workgroups at work at the same time, and the like.
    ///
    /// # Errors
    /// Out of memory; whatever a submit can meet; a recording that cannot be submitted.
    pub fn tally(&self, what: &str, words: u32, record: impl FnOnce(&Cmd, Buffer)) -> Result<Vec<u32>> {
        let bytes = 4 * u64::from(words);
        let counters = self.gpu.buffer(what, bytes, Place::Device)?;
        let seen = self.gpu.buffer(&format!("{what} (CPU)"), bytes, Place::Readback)?;
        let steps = Cmd::steps(|cmd| record(cmd, counters));
        self.gpu.check(&steps)?;
        let hush = |hushed| self.hush.as_ref().into_iter().for_each(|hush| hush(hushed));
        hush(true);
        let ran = self.gpu.run_once(what, |cmd| {
            cmd.fill_buffer(counters, 0);
            cmd.full_barrier();
            cmd.replay(&steps);
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, bytes);
            cmd.host_barrier();
        });
        hush(false);
        ran?;
        let counted = self.gpu.read(seen)?;
        self.gpu.free(counters);
        self.gpu.free(seen);
        Ok(counted)
    }

    /// Makes images that both queues use at once, for variants on two queues: of two families, sharing
    /// may cost time, so the other variants shall not have it.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn for_both_queues<T>(&mut self, make: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.sharing = Sharing::BothQueues;
        let made = make(self);
        self.sharing = Sharing::FirstQueue;
        made
    }

    /// Words that an output holds.
    fn words_of(&self, binding: Binding) -> Result<u64> {
        let arena = self.gpu.arena();
        Ok(match binding {
            Binding::Image(image) | Binding::Sampled(image) => {
                let slot = arena.image(image);
                (slot.shape.texels() * texel_bytes(slot.format)?).div_ceil(4)
            }
            Binding::Buffer(buffer) | Binding::Uniform(buffer) => arena.buffer(buffer).bytes / 4,
            Binding::Texels(_) | Binding::Part(..) => anyhow::bail!("no output is a texel buffer or a part"),
        })
    }

    /// Counts memory that is about to be asked for, and refuses what does not fit.
    fn claim(&mut self, what: &str, bytes: u64) -> Result<()> {
        self.ensure_room(what, self.claimed + bytes, "use a smaller size")?;
        self.claimed += bytes;
        Ok(())
    }

    fn ensure_room(&self, what: &str, needed: u64, remedy: &str) -> Result<()> {
        let (memory, name) = (self.gpu.facts.device_memory, &self.gpu.facts.name);
        let most = memory / 10 * 8;
        ensure!(
            needed <= most,
            "no room for {what} in the memory of {name}: {} are needed, it has {}; {remedy}",
            bytes_in_words(needed),
            bytes_in_words(memory)
        );
        if needed + self.crowd > most {
            let [needed, crowd] = [needed, self.crowd].map(bytes_in_words);
            return Err(
                NoRoom(format!("no room for {what}: {needed} beside {crowd} in use; {remedy}")).into()
            );
        }
        Ok(())
    }

    /// How many repetitions fit: half of the device's memory for the wanted ones, and an error when
    /// a single one with its check would not fit at all.
    fn fit_repetitions(&mut self, what: &str, bytes: u64, each: u32) -> Result<u32> {
        let (memory, name) = (self.gpu.facts.device_memory, &self.gpu.facts.name);
        let one = bytes * u64::from(each);
        // Behind the work stand the twin, a copy of the result and the seed.
        let needed = |repetitions: u32| self.claimed + one * u64::from(repetitions) + 3 * bytes;
        let remedy = "use a smaller size or fewer of them";
        self.ensure_room(what, needed(self.repetitions.unwrap_or(1)), remedy)?;
        ensure!(
            bytes <= self.gpu.max_storage_buffer(),
            "{what} are too large for the check on {name}: a kernel there can bind buffers of {} at most",
            bytes_in_words(self.gpu.max_storage_buffer())
        );
        let room = (memory / 2).saturating_sub(self.claimed + 3 * bytes);
        let fitting = u32::try_from((room / one.max(1)).max(1)).unwrap_or(u32::MAX);
        let settled = self.repetitions.unwrap_or(self.wanted_repetitions.min(fitting));
        // As many as without another lab, which can go.
        let needed = needed(settled);
        self.ensure_room(what, needed, remedy)?;
        (self.repetitions, self.claimed) = (Some(settled), needed);
        Ok(settled)
    }
}
