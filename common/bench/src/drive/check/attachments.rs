//! Checks that attachments are in their layout and find what was written before, and that others find what was drawn. The
//! validation layer of 1.3.239 does not look at the attachments of `vkCmdBeginRendering`.
//!
//! A write needs a barrier behind it whose first scope has the write's access, and whose second scope has that of the next use. Further
//! barriers may follow whose stages begin where those of the one before end. A change of layout is a write, too, and a barrier from
//! `UNDEFINED` gives the contents up. Stages and accesses of several barriers are pooled, and reads are not tracked: that a write waits
//! for the reads before it is for the validation layer.

use std::collections::BTreeMap;

use vulkan::cmd::script::{Dispatch, Script, Step};
use vulkan::cmd::{Access, Attachment, ImageLayout, LoadOp, Scope, Stage};
use vulkan::handles::{Binding, Image};

use crate::lab::Lab;

/// How a step uses an image.
#[derive(Clone, Copy)]
struct Use {
    image: Image,
    access: Access,
    is_attachment: bool,
    /// Whether it leaves the contents undefined.
    gives_up: bool,
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
    /// The stages and accesses that it is visible to.
    visible: Scope,
    /// Whether it left the contents undefined.
    is_undefined: bool,
}

#[derive(Default)]
struct Writes {
    last: BTreeMap<Image, Write>,
    /// The layouts that barriers changed.
    layouts: BTreeMap<Image, ImageLayout>,
    /// Number of the next command.
    next: usize,
}

/// The first use of an image that does not find what was written to it before, if there is one.
pub(super) fn first_unseen(lab: &Lab, script: &Script) -> Option<String> {
    let mut writes = Writes::default();
    for submit in &script.submits {
        if !submit.waits.is_empty() {
            writes.semaphore();
        }
        for step in &submit.steps {
            let unseen = match step {
                Step::Barrier { src, dst, images } => writes.barrier(*src, *dst, images),
                Step::Wait { src, dst, .. } => writes.barrier(*src, *dst, &[]),
                step if step.stage().is_some() => {
                    let misplaced = writes.misplaced(lab, step);
                    let unseen = writes.command(&uses(lab, step)).or(misplaced);
                    unseen.map(|what| {
                        format!("command {} ({}) {what}", writes.next, step.name(&lab.gpu.arena()))
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
            if write.is_available_to(src) {
                write.visible = (write.visible.0 | dst.0, write.visible.1 | dst.1);
            }
        }
        for &(image, [from, to]) in images.iter().filter(|(_, [from, to])| from != to) {
            let before = self.last.get(&image);
            if let Some(before) = before.filter(|before| before.is_attachment && !before.is_available_to(src))
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
            let (by, access, visible) = (self.next, Access::NONE, dst);
            self.last.insert(image, Write { by, access, is_attachment: true, visible, is_undefined });
        }
        None
    }

    /// Makes all writes visible.
    fn semaphore(&mut self) {
        for write in self.last.values_mut() {
            write.visible = (Stage::ALL_COMMANDS, Access::MEMORY_READ | Access::MEMORY_WRITE);
        }
    }

    fn misplaced(&self, lab: &Lab, step: &Step) -> Option<String> {
        let at_rest = |image| lab.gpu.arena().image(image).at_rest();
        let of = |image: Image| self.layouts.get(&image).copied().unwrap_or_else(|| at_rest(image));
        let (image, layout) = step.layouts().into_iter().find(|(image, layout)| of(*image) != *layout)?;
        Some(format!("uses an image in {layout:?} that is in {:?}", of(image)))
    }

    fn command(&mut self, uses: &[Use]) -> Option<String> {
        let of_attachment = |one: &Use| {
            let write = self.last.get(&one.image)?;
            (write.is_attachment || one.is_attachment).then_some((*write, one.access))
        };
        let unseen = uses.iter().filter_map(of_attachment).find_map(|(write, access)| {
            let by = write.by + 1;
            match () {
                () if !write.visible.1.intersects(widened(access)) => {
                    Some(format!("does not see by {access:?} what command {by} wrote"))
                }
                () if write.is_undefined && !is_write(access) => {
                    Some(format!("reads by {access:?} contents that were given up at command {by}"))
                }
                () => None,
            }
        });
        for one in uses.iter().filter(|one| !is_write(one.access)) {
            // A write behind the read needs a barrier of its own.
            if let Some(write) = self.last.get_mut(&one.image) {
                write.visible.1 &= !WRITES;
            }
        }
        for &Use { image, access, is_attachment, gives_up } in uses.iter().filter(|one| is_write(one.access))
        {
            let (by, visible) = (self.next, (Stage::NONE, Access::NONE));
            self.last.insert(image, Write { by, access, is_attachment, visible, is_undefined: gives_up });
        }
        self.next += 1;
        unseen
    }
}

impl Write {
    /// Whether a barrier with this first scope waits for the write, or for what waited for it. A layout change is available to
    /// what its own barrier names.
    fn is_available_to(&self, first: Scope) -> bool {
        let everywhere = [self.visible.0, first.0].contains(&Stage::ALL_COMMANDS);
        let is_behind = everywhere && !self.visible.0.is_empty() || self.visible.0.intersects(first.0);
        first.1.intersects(widened(self.access)) || is_behind
    }
}

/// How attachments are read, and how they are written.
const COLOUR: [Access; 2] = [Access::COLOR_ATTACHMENT_READ, Access::COLOR_ATTACHMENT_WRITE];
const DEPTH: [Access; 2] = [Access::DEPTH_STENCIL_ATTACHMENT_READ, Access::DEPTH_STENCIL_ATTACHMENT_WRITE];

/// Accesses that write.
const WRITES: Access = Access::from_raw(
    Access::COLOR_ATTACHMENT_WRITE.as_raw()
        | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw()
        | Access::SHADER_STORAGE_WRITE.as_raw()
        | Access::SHADER_WRITE.as_raw()
        | Access::TRANSFER_WRITE.as_raw()
        | Access::MEMORY_WRITE.as_raw(),
);

fn is_write(access: Access) -> bool {
    WRITES.contains(access)
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
            let (access, is_attachment) = (Access::TRANSFER_WRITE, false);
            vec![Use { image: *image, access, is_attachment, gives_up: false }]
        }
        Step::Rendering(rendering) => {
            let attached = |at: &Attachment, [read, write]: [Access; 2]| {
                let gives_up = at.load == LoadOp::DontCare && rendering.inside.is_empty();
                let of = |access| Use { image: at.image, access, is_attachment: true, gives_up };
                let loads = (at.load == LoadOp::Load).then(|| of(read));
                loads.into_iter().chain([of(write)]).collect::<Vec<_>>()
            };
            let colours = rendering.colours.iter().flat_map(|at| attached(at, COLOUR));
            bound.chain(colours).chain(rendering.depth.iter().flat_map(|at| attached(at, DEPTH))).collect()
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
        Some(used.map(move |(_, access)| Use { image, access, is_attachment: false, gives_up: false }))
    };
    let accesses = &arena.kernel(launch.kernel).interface.accesses;
    launch.bindings.iter().zip(accesses).filter_map(of).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: Scope = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE);
    const READ: Scope = (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ);
    const READ_BEFORE: Scope = (Stage::FRAGMENT_SHADER, Access::NONE);
    const IMAGE: Image = Image(0);
    const UNDEFINED: [ImageLayout; 2] = [ImageLayout::UNDEFINED, ImageLayout::COLOR_ATTACHMENT_OPTIMAL];
    const SHOWN: [ImageLayout; 2] =
        [ImageLayout::COLOR_ATTACHMENT_OPTIMAL, ImageLayout::SHADER_READ_ONLY_OPTIMAL];

    fn used(access: Access) -> [Use; 1] {
        [Use { image: IMAGE, access, is_attachment: access == DRAWN.1, gives_up: false }]
    }

    /// An image that was drawn, and read behind a barrier.
    fn drawn_and_read() -> Writes {
        let mut writes = Writes::default();
        assert_eq!(writes.barrier(DRAWN, DRAWN, &[(IMAGE, UNDEFINED)]), None);
        assert_eq!(writes.command(&used(DRAWN.1)), None);
        assert_eq!(writes.barrier(DRAWN, READ, &[(IMAGE, SHOWN)]), None);
        assert_eq!(writes.command(&used(READ.1)), None);
        writes
    }

    #[test]
    fn a_write_waits_for_a_read_by_execution_alone() {
        let mut writes = drawn_and_read();
        assert_eq!(writes.barrier(READ_BEFORE, DRAWN, &[(IMAGE, UNDEFINED)]), None);
        assert_eq!(writes.command(&used(DRAWN.1)), None);
        let mut early = drawn_and_read();
        let unordered = early.barrier((Stage::COMPUTE_SHADER, Access::NONE), DRAWN, &[(IMAGE, UNDEFINED)]);
        assert!(unordered.unwrap().contains("is not finished"));
    }

    #[test]
    fn a_read_takes_the_leave_to_write_back() {
        let mut writes = Writes::default();
        assert_eq!(writes.command(&used(DRAWN.1)), None);
        assert_eq!(writes.barrier(DRAWN, (READ.0 | DRAWN.0, READ.1 | DRAWN.1), &[]), None);
        assert_eq!(writes.command(&used(READ.1)), None);
        assert!(writes.command(&used(DRAWN.1)).unwrap().contains("does not see"));
    }

    #[test]
    fn a_semaphore_makes_visible_but_defines_nothing() {
        let mut writes = Writes::default();
        assert_eq!(writes.barrier(DRAWN, DRAWN, &[(IMAGE, UNDEFINED)]), None);
        assert_eq!(writes.command(&used(DRAWN.1)), None);
        writes.semaphore();
        assert_eq!(writes.command(&used(READ.1)), None);
        assert_eq!(writes.barrier(DRAWN, DRAWN, &[(IMAGE, UNDEFINED)]), None);
        writes.semaphore();
        assert!(writes.command(&used(READ.1)).unwrap().contains("given up"));
    }

    #[test]
    fn depths_have_accesses_of_their_own() {
        let tested: Scope = (Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS, DEPTH[1]);
        let one = [Use { image: IMAGE, access: DEPTH[1], is_attachment: true, gives_up: false }];
        for (dst, is_seen) in [(tested, true), (DRAWN, false)] {
            let mut writes = Writes::default();
            assert_eq!(writes.barrier(DRAWN, dst, &[(IMAGE, UNDEFINED)]), None);
            assert_eq!(writes.command(&one).is_none(), is_seen, "{dst:?}");
        }
    }

    #[test]
    fn a_pass_that_draws_nothing_gives_its_attachment_up() {
        let mut writes = Writes::default();
        let [mut one] = used(DRAWN.1);
        one.gives_up = true;
        assert_eq!(writes.command(&[one]), None);
        assert_eq!(writes.barrier(DRAWN, READ, &[]), None);
        assert!(writes.command(&used(READ.1)).unwrap().contains("given up"));
    }
}
