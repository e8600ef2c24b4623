//! How what variants name is made.

use anyhow::{Context, Result, bail, ensure};
use ash::vk;
use record::error::BeyondLimits;
use vulkan::cmd::Cmd;
use vulkan::cmd::script::Step;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Buffer, Event, Events, Image, Set, Texels};
use vulkan::memory::{EventState, Place, Sharing, bytes_in_words, texel_bytes};
use vulkan::values::Shape;

use super::Lab;
use super::data::{Check, Output, sliced};
use super::making::Named;
use crate::element::Element;

/// Words that are computed once they are needed.
pub(super) type Words = Box<dyn FnOnce() -> Vec<u32>>;

/// Sets an event.
pub type Setting = Box<dyn Fn(&Cmd, Event)>;

/// What a sample declares of one thing that variants may name.
pub(super) enum Recipe {
    Outputs(Outputs),
    Image { image: Image, name: String, shape: Shape, format: vk::Format, texels: Words },
    Buffer { buffer: Buffer, name: String, words: Words },
    Texels { texels: Texels, buffer: Buffer, format: vk::Format },
    Events { events: Events, state: EventState, set: Option<Setting> },
}

/// Images or buffers that variants write.
pub(super) struct Outputs {
    pub name: String,
    pub set: Set,
    pub contents: Contents,
    pub fill: [u32; 4],
    pub sharing: Sharing,
    pub seeds: Vec<(u32, Words)>,
    pub expected: Vec<Expected>,
}

/// What an output holds.
pub enum Contents {
    /// Texels of a format.
    Texels(Shape, vk::Format),
    /// So many words in each.
    Words(Vec<u32>),
}

/// What an output must hold after a run.
pub struct Expected {
    pub(super) index: u32,
    pub(super) words: Words,
    /// Units in the last place that a float may be off, and why.
    pub(super) tolerance: Option<(u32, String)>,
    /// What must not happen, where the words count that.
    pub(super) counts: Option<String>,
}

impl Expected {
    /// Floats may be off by `ulps` units in the last place, because of `reason`, which the reader is told.
    pub fn within(&mut self, ulps: u32, reason: &str) {
        self.tolerance = Some((ulps, reason.to_owned()));
    }

    /// The words count what must not happen: so a row is told to be wrong.
    pub fn counts(&mut self, what: &str) {
        self.counts = Some(what.to_owned());
    }
}

impl Contents {
    /// Words of one output, the last filled up.
    pub fn words(&self, index: u32) -> u64 {
        match self {
            Self::Texels(..) => self.bytes(index).div_ceil(4),
            Self::Words(words) => words[index as usize].into(),
        }
    }

    fn bytes(&self, index: u32) -> u64 {
        match self {
            Self::Texels(shape, format) => shape.texels() * texel_bytes(*format).unwrap_or(16),
            Self::Words(words) => 4 * u64::from(words[index as usize]),
        }
    }
}

impl Outputs {
    /// How many pieces of memory of how many bytes a repetition takes.
    fn pieces(&self) -> (u64, u64) {
        match (&self.contents, self.set) {
            (Contents::Words(words), Set::Buffers(set)) if set.wholes.is_some() => {
                (1, 4 * sliced(words).last().copied().unwrap_or(0))
            }
            _ => (self.set.each().into(), self.contents.bytes(0)),
        }
    }

    /// What it is, for messages.
    pub fn what(&self) -> String {
        match &self.contents {
            Contents::Texels(shape, _) => format!("images of {shape}"),
            Contents::Words(_) => format!("buffers of {}", bytes_in_words(self.pieces().1)),
        }
    }

    /// Reports images that the device cannot have, however much of its memory is free.
    pub fn ensure_possible(&self, gpu: &Gpu) -> Result<()> {
        match (&self.contents, self.set) {
            (Contents::Texels(shape, _), Set::Images(set)) => {
                gpu.ensure_possible(*shape, set.wholes.map_or(1, |_| set.each))
            }
            _ => Ok(()),
        }
    }

    /// Reports what no kernel can bind as a buffer, which the check does.
    pub fn ensure_checkable(&self, gpu: &Gpu) -> Result<()> {
        if self.pieces().1 <= gpu.limits.storage_buffer {
            return Ok(());
        }
        let (what, most) = (self.what(), bytes_in_words(gpu.limits.storage_buffer));
        bail!(BeyondLimits(format!(
            "{what} are too large for the check on {}: a kernel there can bind buffers of {most} at most",
            gpu.facts.name
        )))
    }

    /// Bytes of the device's memory that it takes for so many repetitions.
    pub fn bytes(&self, repetitions: u32) -> u64 {
        let (count, bytes) = self.pieces();
        // Beside them stand what is expected, a copy of the result and the seed.
        count * bytes * u64::from(repetitions) + 3 * bytes
    }

    fn make(self, lab: &mut Lab, repetitions: u32) -> Result<()> {
        match self.set {
            Set::Images(_) => self.make_images(&lab.gpu, repetitions)?,
            Set::Buffers(_) => self.make_buffers(&lab.gpu, repetitions)?,
        }
        let Self { set, contents, fill, seeds, expected, .. } = self;
        let mut seeded = Vec::new();
        for (index, words) in seeds {
            let (words, expected) = (words(), contents.words(index));
            ensure!(words.len() as u64 == expected, "the seed has {} words, not {expected}", words.len());
            seeded.push((index, lab.gpu.upload("seed", &words)?));
        }
        lab.outputs.push(Output { set, fill, seeds: seeded });
        for expected in expected {
            lab.checks.push(expected.upload(&lab.gpu, set, &contents)?);
        }
        Ok(())
    }

    fn make_images(&self, gpu: &Gpu, repetitions: u32) -> Result<()> {
        let (Contents::Texels(shape, format), Set::Images(images)) = (&self.contents, self.set) else {
            return Ok(());
        };
        let name = |at, repetition| format!("{} {at}, repetition {repetition}", self.name);
        let all = || (0..repetitions).flat_map(|repetition| (0..images.each).map(move |at| (repetition, at)));
        let mut made: Vec<Image> = Vec::new();
        if images.wholes.is_some() {
            for repetition in 0..repetitions {
                let (array, name) =
                    (images.whole(repetition), format!("{}, repetition {repetition}", self.name));
                gpu.make_image(array, &name, (*shape, Some(images.each)), *format, self.sharing)?;
                made.push(array);
            }
            for (repetition, at) in all() {
                let (layer, array) = (images.get(repetition, at), images.whole(repetition));
                gpu.make_layer(layer, &name(at, repetition), array, at)?;
            }
        } else {
            for (repetition, at) in all() {
                let image = images.get(repetition, at);
                gpu.make_image(image, &name(at, repetition), (*shape, None), *format, self.sharing)?;
                made.push(image);
            }
        }
        gpu.settle_images(&made)
    }

    fn make_buffers(&self, gpu: &Gpu, repetitions: u32) -> Result<()> {
        let (Contents::Words(words), Set::Buffers(buffers)) = (&self.contents, self.set) else {
            return Ok(());
        };
        let starts = sliced(words);
        for repetition in 0..repetitions {
            if buffers.wholes.is_some() {
                let name = format!("{}, repetition {repetition}", self.name);
                let (whole, bytes) = (buffers.whole(repetition), 4 * starts.last().copied().unwrap_or(0));
                gpu.make_buffer(whole, &name, bytes, Place::Device, self.sharing)?;
            }
            for (at, (&words, &start)) in (0..).zip(words.iter().zip(&starts)) {
                let (buffer, bytes) = (buffers.get(repetition, at), 4 * u64::from(words));
                if buffers.wholes.is_some() {
                    gpu.make_slice(buffer, buffers.whole(repetition), 4 * start, bytes);
                } else {
                    let name = format!("{} {at}, repetition {repetition}", self.name);
                    gpu.make_buffer(buffer, &name, bytes, Place::Device, self.sharing)?;
                }
            }
        }
        Ok(())
    }
}

impl Expected {
    fn upload(self, gpu: &Gpu, set: Set, contents: &Contents) -> Result<Check> {
        let Self { index, words, tolerance, counts } = self;
        let (reference, of) = (words(), contents.words(index));
        ensure!(reference.len() as u64 == of, "the CPU reference has {} words, not {of}", reference.len());
        let (bytes, half, shape) = match contents {
            Contents::Texels(shape, format) => {
                (texel_bytes(*format)?, *format == vk::Format::R16G16B16A16_SFLOAT, Some(*shape))
            }
            Contents::Words(_) => (4, false, None),
        };
        let ulps = tolerance.map_or(0, |(ulps, _)| ulps);
        let element = Element { bytes: u32::try_from(bytes)?, ulps, half };
        let elements = shape.map_or(of, Shape::texels);
        let elements = u32::try_from(elements).context("too many elements to count in 32 bits")?;
        let expected = gpu.upload("CPU reference", &reference)?;
        Ok(Check { set, index, expected, elements, element, shape, reference, counts })
    }
}

impl Recipe {
    /// Whether it is one of these.
    pub fn is_in(&self, named: &Named) -> bool {
        match self {
            Self::Outputs(outputs) => named.bindings.iter().any(|&binding| outputs.set.holds(binding)),
            Self::Image { image, .. } => [Binding::Image(*image), Binding::Sampled(*image)]
                .iter()
                .any(|at| named.bindings.contains(at)),
            Self::Buffer { buffer, .. } => [Binding::Buffer(*buffer), Binding::Uniform(*buffer)]
                .iter()
                .any(|at| named.bindings.contains(at)),
            Self::Texels { texels, .. } => named.bindings.contains(&Binding::Texels(*texels)),
            Self::Events { events, .. } => named.events.iter().any(|&event| events.holds(event)),
        }
    }

    /// What must come out of it.
    pub fn expected(&self) -> &[Expected] {
        match self {
            Self::Outputs(outputs) => &outputs.expected,
            _ => &[],
        }
    }

    /// What it is, for messages.
    pub fn what(&self) -> String {
        match self {
            Self::Outputs(outputs) => outputs.what(),
            Self::Image { shape, .. } => format!("an image of {shape}"),
            _ => String::new(),
        }
    }

    /// Bytes of the device's memory that it takes for so many repetitions, as far as that is known beforehand.
    pub fn bytes(&self, repetitions: u32) -> u64 {
        match self {
            Self::Outputs(outputs) => outputs.bytes(repetitions),
            Self::Image { shape, format, .. } => shape.texels() * texel_bytes(*format).unwrap_or(16),
            _ => 0,
        }
    }

    pub fn make(self, lab: &mut Lab, repetitions: u32) -> Result<()> {
        let gpu = std::rc::Rc::clone(&lab.gpu);
        match self {
            Self::Outputs(outputs) => outputs.make(lab, repetitions),
            Self::Image { image, name, shape, format, texels } => {
                let (texels, words) = (texels(), (shape.texels() * texel_bytes(format)?).div_ceil(4));
                ensure!(
                    texels.len() as u64 == words,
                    "{} words for {name}, an image of {shape} with {words}",
                    texels.len()
                );
                gpu.make_image(image, &name, (shape, None), format, Sharing::FirstQueue)?;
                gpu.settle_images(&[image])?;
                let staged = gpu.upload(&name, &texels)?;
                gpu.run_once("an upload", |cmd| cmd.copy_buffer_to_image(staged, image))?;
                gpu.free(staged);
                Ok(())
            }
            Self::Buffer { buffer, name, words } => {
                let words = words();
                let bytes = size_of_val(&*words) as u64;
                lab.claim(&format!("a buffer of {}", bytes_in_words(bytes)), bytes)?;
                gpu.upload_to(buffer, &name, &words)
            }
            Self::Texels { texels, buffer, format } => {
                lab.make_named(&Named::buffer(buffer))?;
                gpu.make_texels(texels, buffer, format)
            }
            Self::Events { events, state, set } => make_events(lab, events, state, set.as_ref(), repetitions),
        }
    }
}

/// Says why the device has no events, or makes them; and sets them, where they are set before.
fn make_events(
    lab: &mut Lab,
    events: Events,
    state: EventState,
    set: Option<&Setting>,
    repetitions: u32,
) -> Result<()> {
    if !lab.gpu.has_events {
        return Ok(());
    }
    let mut all = Vec::new();
    for repetition in 0..repetitions {
        for i in 0..events.each {
            let event = events.get(repetition, i);
            lab.gpu.make_event(event, &format!("event {i}, repetition {repetition}"), state)?;
            all.push(event);
        }
    }
    if let Some(set) = set {
        let steps: Vec<Step> = Cmd::steps(|cmd| all.iter().for_each(|&event| set(cmd, event)));
        lab.gpu.run_once("setting events", |buffer| buffer.replay(&steps))?;
        lab.set_before.extend(all);
    }
    Ok(())
}
