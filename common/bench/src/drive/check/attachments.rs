//! Checks that attachments are in their layout and find what was written before, and that others find what was drawn. The
//! validation layer of 1.3.239 does not look at the attachments of `vkCmdBeginRendering`.
//!
//! A write needs a barrier behind it whose first scope has the write's access, and whose second scope has that of the next use. A
//! change of layout is a write, too, and a barrier from `UNDEFINED` gives the contents up. It has to be one barrier: a variant whose
//! writes are made available by one and visible by another would be reported.

use std::collections::BTreeMap;

use vulkan::cmd::script::{Dispatch, Script, Step};
use vulkan::cmd::{Access, ImageLayout, LoadOp, Scope};
use vulkan::handles::{Binding, Image};

use crate::lab::Lab;

/// How a step uses an image.
#[derive(Clone, Copy)]
struct Use {
    image: Image,
    access: Access,
    is_attachment: bool,
}

/// The last write to an image.
#[derive(Clone, Copy)]
struct Write {
    /// Number of the command; of a layout change, of the command that it is before.
    by: usize,
    /// None of a layout change.
    access: Access,
    /// Whether it is for this module to check what follows.
    is_attachment: bool,
    /// The accesses that it is visible to.
    visible: Access,
    /// Whether it left the contents undefined.
    is_undefined: bool,
}

#[derive(Default)]
struct Writes {
    last: BTreeMap<Image, Write>,
    /// The layouts of images that are not in `GENERAL`.
    layouts: BTreeMap<Image, ImageLayout>,
    /// Number of the next command.
    next: usize,
}

/// The first use of an image that does not find what was written to it before, if there is one.
pub(super) fn first_unseen(lab: &Lab, script: &Script) -> Option<String> {
    let mut writes = Writes::default();
    for submit in &script.submits {
        // A semaphore makes everything visible.
        if !submit.waits.is_empty() {
            writes.last.clear();
        }
        for step in &submit.steps {
            let unseen = match step {
                Step::Barrier { src, dst, images } => writes.barrier(*src, *dst, images),
                Step::Wait { src, dst, .. } => writes.barrier(*src, *dst, &[]),
                step if step.stage().is_some() => {
                    let misplaced = writes.misplaced(step);
                    let unseen = writes.command(&uses(lab, step)).or(misplaced);
                    unseen.map(|what| {
                        format!("{what} of command {} ({})", writes.next, step.name(&lab.gpu.arena()))
                    })
                }
                _ => None,
            };
            if unseen.is_some() {
                return unseen;
            }
        }
    }
    None
}

impl Writes {
    /// Makes writes visible, and changes layouts.
    fn barrier(&mut self, src: Scope, dst: Scope, images: &[(Image, [ImageLayout; 2])]) -> Option<String> {
        let is_named = |image: &Image| images.is_empty() || images.iter().any(|(named, _)| named == image);
        for (_, write) in self.last.iter_mut().filter(|(image, _)| is_named(image)) {
            if write.is_available_to(src.1) {
                write.visible |= dst.1;
            }
        }
        for &(image, [from, to]) in images.iter().filter(|(_, [from, to])| from != to) {
            let before = self.last.get(&image);
            if let Some(before) =
                before.filter(|before| before.is_attachment && !before.is_available_to(src.1))
            {
                return Some(format!(
                    "what command {} wrote is not finished when command {} finds its image in {to:?}",
                    before.by + 1,
                    self.next + 1
                ));
            }
            let is_undefined =
                from == ImageLayout::UNDEFINED || before.is_some_and(|before| before.is_undefined);
            self.layouts.insert(image, to);
            let (by, access, visible) = (self.next, Access::NONE, dst.1);
            self.last.insert(image, Write { by, access, is_attachment: true, visible, is_undefined });
        }
        None
    }

    fn misplaced(&self, step: &Step) -> Option<String> {
        let of = |image: Image| self.layouts.get(&image).copied().unwrap_or(ImageLayout::GENERAL);
        let (image, layout) = step.layouts().into_iter().find(|(image, layout)| of(*image) != *layout)?;
        Some(format!("an image in {:?}, not in {layout:?}, is an operand", of(image)))
    }

    fn command(&mut self, uses: &[Use]) -> Option<String> {
        let of_attachment = |one: &Use| {
            let write = self.last.get(&one.image)?;
            (write.is_attachment || one.is_attachment).then_some((*write, one.access))
        };
        let unseen = uses.iter().filter_map(of_attachment).find_map(|(write, access)| {
            let by = write.by + 1;
            match () {
                () if !write.visible.intersects(widened(access)) => {
                    Some(format!("what command {by} wrote is not made visible to {access:?}"))
                }
                () if write.is_undefined && !is_write(access) => Some(format!(
                    "the layout change before command {by} gives up the contents for {access:?}"
                )),
                () => None,
            }
        });
        for &Use { image, access, is_attachment } in uses.iter().filter(|one| is_write(one.access)) {
            let (by, visible) = (self.next, Access::NONE);
            self.last.insert(image, Write { by, access, is_attachment, visible, is_undefined: false });
        }
        self.next += 1;
        unseen
    }
}

impl Write {
    /// Whether a barrier with these accesses in its first scope waits for the write.
    fn is_available_to(&self, first: Access) -> bool {
        // A layout change is available to what its own barrier names.
        first.intersects(widened(self.access)) || self.access.is_empty() && self.visible.intersects(first)
    }
}

fn is_write(access: Access) -> bool {
    [Access::COLOR_ATTACHMENT_WRITE, Access::SHADER_STORAGE_WRITE, Access::TRANSFER_WRITE].contains(&access)
}

/// The access, and those that include it.
fn widened(access: Access) -> Access {
    let [all, of_shaders] = match is_write(access) {
        true => [Access::MEMORY_WRITE, Access::SHADER_WRITE],
        false => [Access::MEMORY_READ, Access::SHADER_READ],
    };
    let in_shaders = [Access::SHADER_STORAGE_WRITE, Access::SHADER_STORAGE_READ, Access::SHADER_SAMPLED_READ];
    access | all | if in_shaders.contains(&access) { of_shaders } else { Access::NONE }
}

fn uses(lab: &Lab, step: &Step) -> Vec<Use> {
    let bound = step.launches().into_iter().flat_map(|launch| bound(lab, launch));
    match step {
        Step::ClearColorImage { image, .. } => {
            vec![Use { image: *image, access: Access::TRANSFER_WRITE, is_attachment: false }]
        }
        Step::Rendering(rendering) => {
            let attached = rendering.attachments.iter().flat_map(|at| {
                let of = |access| Use { image: at.image, access, is_attachment: true };
                let loads = (at.load == LoadOp::Load).then(|| of(Access::COLOR_ATTACHMENT_READ));
                loads.into_iter().chain([of(Access::COLOR_ATTACHMENT_WRITE)])
            });
            bound.chain(attached).collect()
        }
        _ => bound.collect(),
    }
}

fn bound(lab: &Lab, launch: &Dispatch) -> Vec<Use> {
    let arena = lab.gpu.arena();
    let of = |(binding, [reads, writes]): (&Binding, &[bool; 2])| {
        let (image, _) = binding.image()?;
        let accesses = match binding {
            Binding::Sampled(..) => [(true, Access::SHADER_SAMPLED_READ), (false, Access::NONE)],
            _ => [(*reads, Access::SHADER_STORAGE_READ), (*writes, Access::SHADER_STORAGE_WRITE)],
        };
        let used = accesses.into_iter().filter(|(is, _)| *is);
        Some(used.map(move |(_, access)| Use { image, access, is_attachment: false }))
    };
    let accesses = &arena.kernel(launch.kernel).interface.accesses;
    launch.bindings.iter().zip(accesses).filter_map(of).flatten().collect()
}
