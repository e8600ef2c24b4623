//! Derives which messages of synchronization validation a recording may raise although it does what it promises.
//!
//! The layer takes an image as a whole, so it reports two dispatches on different rows of it. It credits an image
//! barrier to its own image alone, although the barrier orders all earlier commands. And it does not know that coherent
//! stores need no access mask. For each two dispatches that touch the same image, one of them writing:
//!
//! - *Disjoint rows*: no hazard. A message about the later dispatch may come; layer versions differ.
//! - *The same rows, and no dependency orders the two*: a hazard. No message about the later dispatch is expected,
//!   whatever else it touches.
//! - *A read first, then a write in order*: no hazard, since an execution dependency is enough. A message may come.
//! - *A write first, then a read in order*: whether the write is visible is for the layer to say. It must object
//!   if the variant promises to leave visibility to coherent stores.
//!
//! A message is recognized by its id, the image, and the label regions around the dispatch; layer versions differ in
//! everything else. Which rows a dispatch touches is what its [`BindingRows`](vulkan::handles::BindingRows) claim: other
//! orders of the dispatches show whether that is true.

use std::collections::{BTreeMap, BTreeSet};

use record::Promise;
use vulkan::cmd::LoadOp;
use vulkan::cmd::script::{Dispatch, Script, Step};
use vulkan::handles::{Binding, Event};
use vulkan::validation::Message;

use super::order::Order;
use crate::lab::Lab;
use crate::variant::Variant;

/// Message ids, by what the earlier and the later dispatch do.
pub(super) const READ_AFTER_WRITE: &str = "SYNC-HAZARD-READ-AFTER-WRITE";
const WRITE_AFTER_WRITE: &str = "SYNC-HAZARD-WRITE-AFTER-WRITE";
const WRITE_AFTER_READ: &str = "SYNC-HAZARD-WRITE-AFTER-READ";

/// The messages that a recording may raise.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    may_come: BTreeSet<Key>,
    /// Whether one about a read must come, because the layer cannot know why the read finds what was written.
    must_come: bool,
}

/// What a message is recognized by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    id: &'static str,
    /// Name of the image or buffer without its repetition.
    name: String,
    /// Label regions between those of the variant and the dispatch; none for messages that are raised at a submit.
    region: String,
}

/// What a dispatch or a render pass does to an image or a buffer.
struct Touch {
    /// Number of the dispatch or clear in the recording, and of its submit.
    dispatch: usize,
    submit: usize,
    region: String,
    reads: bool,
    writes: bool,
    /// First row, and the row after the last.
    rows: [u32; 2],
}

impl Expected {
    /// Derives the messages from the recording of one repetition. `reset` are the events that are not set at its
    /// beginning; `completed` says that empty access masks are filled in.
    pub fn of(lab: &Lab, variant: &Variant, script: &Script, reset: &[Event], completed: bool) -> Self {
        let order = Order::of(script, reset);
        let is_seen = completed || !variant.leaves_out_visibility;
        let (mut hazards, mut expected) = (BTreeSet::new(), Self::default());
        for (name, touches) in touches(lab, script) {
            let pairs = touches.iter().enumerate().flat_map(|(at, later)| {
                touches[..at].iter().filter(|touch| touch.dispatch != later.dispatch).map(move |t| (t, later))
            });
            for (earlier, later) in pairs {
                for id in later.ids_after(earlier) {
                    let key = Key { id, name: name.clone(), region: later.region_after(earlier) };
                    match id {
                        _ if earlier.is_apart_from(later) => _ = expected.may_come.insert(key),
                        _ if !order.waits(later.dispatch, earlier.dispatch) => _ = hazards.insert(key),
                        WRITE_AFTER_READ => _ = expected.may_come.insert(key),
                        READ_AFTER_WRITE if !is_seen => {
                            expected.must_come = true;
                            expected.may_come.insert(key);
                        }
                        _ => {}
                    }
                }
            }
        }
        expected.may_come.retain(|key| !hazards.contains(key));
        expected
    }

    /// Messages by id, image and region, and whether one about a read must come.
    #[cfg(test)]
    pub fn for_test(keys: &[(&'static str, &str, &str)], must_come: bool) -> Self {
        let key =
            |&(id, name, region): &(_, &str, &str)| Key { id, name: name.into(), region: region.into() };
        Self { may_come: keys.iter().map(key).collect(), must_come }
    }

    /// Whether the message comes from this variant's commands or from a submit, and may come. A variant that races may
    /// raise any hazard.
    pub fn explains(&self, variant: &Variant, message: &Message) -> bool {
        let own = message.regions.first().is_none_or(|region| *region == variant.name);
        let races = matches!(variant.promise, Promise::Nothing { .. });
        own && (races && message.is_hazard() || self.may_come(message))
    }

    fn may_come(&self, message: &Message) -> bool {
        let region = match message.regions.as_slice() {
            [_, within @ .., _] => within.join(", "),
            _ => String::new(),
        };
        let is = |key: &Key| key.id == message.id && key.region == region && message.names(&key.name);
        self.may_come.iter().any(is)
    }

    /// Whether no message came although the variant promises to leave out what the layer looks for.
    pub fn lacks(&self, heard: &[Message]) -> bool {
        let came = |message: &Message| message.id == READ_AFTER_WRITE && self.may_come(message);
        self.must_come && !heard.iter().any(came)
    }
}

impl Touch {
    /// Ids of the hazards that this dispatch would have with an earlier one on the same rows.
    fn ids_after(&self, earlier: &Self) -> impl Iterator<Item = &'static str> {
        let ids = [
            (earlier.writes && self.reads, READ_AFTER_WRITE),
            (earlier.writes && self.writes, WRITE_AFTER_WRITE),
            (earlier.reads && self.writes, WRITE_AFTER_READ),
        ];
        ids.into_iter().filter_map(|(is, id)| is.then_some(id))
    }

    /// The regions of a message about this dispatch: none if the layer sees the two together only at a submit.
    fn region_after(&self, earlier: &Self) -> String {
        if self.submit == earlier.submit { self.region.clone() } else { String::new() }
    }

    fn is_apart_from(&self, other: &Self) -> bool {
        self.rows[1] <= other.rows[0] || other.rows[1] <= self.rows[0]
    }
}

/// What the dispatches of a repetition do to each output, with the output's name.
fn touches(lab: &Lab, script: &Script) -> Vec<(String, Vec<Touch>)> {
    let (mut touches, mut dispatch): (BTreeMap<Binding, Vec<Touch>>, _) = (BTreeMap::new(), 0);
    for (submit, of) in script.submits.iter().enumerate() {
        let mut regions: Vec<&str> = Vec::new();
        for step in &of.steps {
            match step {
                Step::Label(name) => regions.push(name),
                Step::EndLabel => _ = regions.pop(),
                step if step.stage().is_some() => {
                    for (binding, rows, [reads, writes]) in touched(lab, step) {
                        let region = regions.join(", ");
                        let touch = Touch { dispatch, submit, region, reads, writes, rows };
                        touches.entry(binding).or_default().push(touch);
                    }
                    dispatch += 1;
                }
                _ => {}
            }
        }
    }
    let outputs = lab.outputs.iter().flat_map(|output| (0..output.set.each()).map(move |at| (output, at)));
    let named = outputs.filter_map(|(output, at)| {
        Some((format!("{} {at}", output.name), touches.remove(&output.set.get(0, at))?))
    });
    named.collect()
}

/// The bindings of a dispatch, a render pass or a clear, the rows that it touches, and whether it reads and writes them.
fn touched(lab: &Lab, step: &Step) -> Vec<(Binding, [u32; 2], [bool; 2])> {
    let written = |binding| (binding, [0, u32::MAX], [false, true]);
    match step {
        Step::Dispatch(dispatch) => bound(lab, dispatch),
        Step::FillBuffer { buffer, .. } => vec![written((*buffer).into())],
        Step::ClearColorImage { image, .. } => vec![written((*image).into())],
        Step::Rendering(rendering) => {
            let attached = rendering.attachments().map(|at| {
                let loads = at.load == LoadOp::Load;
                (at.image.into(), [0, u32::MAX], [loads, true])
            });
            attached.chain(rendering.draws().flat_map(|draw| bound(lab, draw))).collect()
        }
        _ => Vec::new(),
    }
}

fn bound(lab: &Lab, dispatch: &Dispatch) -> Vec<(Binding, [u32; 2], [bool; 2])> {
    let arena = lab.gpu.arena();
    let accesses = &arena.kernel(dispatch.kernel).interface.accesses;
    let bindings = dispatch.bindings.iter().map(|&binding| match binding {
        Binding::Sampled(image, _) => Binding::Image(image),
        binding => binding,
    });
    bindings.zip(&dispatch.rows).zip(accesses).map(|((b, &rows), &accesses)| (b, rows, accesses)).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use vulkan::Format;
    use vulkan::cmd::{Access, Scope, Stage};

    use super::*;
    use crate::lab::{ImageSet, LabOptions};
    use crate::variant::COHERENT_STORES;

    const ORDER: Scope = (Stage::COMPUTE_SHADER, Access::NONE);

    /// A dispatch that reads rows of one image and writes rows of another one, each by its index.
    type Copied = ((u32, Range<u32>), (u32, Range<u32>));

    /// The messages about the last of these dispatches: of a variant that is correct, of one that relies on coherent
    /// stores, and of that one with filled-in access masks. `None` stands for a barrier that only orders.
    fn messages(steps: &[Option<Copied>]) -> [String; 3] {
        let (last, earlier) = steps.split_last().unwrap();
        let (last, earlier) = (last.clone(), earlier.to_vec());
        let mut lab = Lab::for_test(false, &LabOptions::default());
        let kernel = lab.kernel("lab/increment.comp").build();
        let images = lab.output("image", ImageSet::new(3, [8, 8], Format::R32_UINT, [0; 4])).unwrap();
        lab.expect(images, 1, || vec![0; 64]);
        lab.variant("own", move |cmd, rep| {
            let list = |step: &Option<Copied>| match step {
                None => cmd.pipeline_barrier2(ORDER, ORDER),
                Some(((from, read), (to, written))) => {
                    let [from, to] = [*from, *to].map(|at| images.get(rep.index, at));
                    cmd.dispatch(kernel, &[from.rows(read.clone()), to.rows(written.clone())], &(), [1; 3]);
                }
            };
            earlier.iter().for_each(list);
            cmd.region(format_args!("last"), || list(&last));
        });
        lab.make().unwrap();
        let messages = |lab: &Lab, completed| {
            let variant = &lab.variants[0];
            let expected = Expected::of(lab, variant, &variant.script(1).unwrap(), &[], completed);
            let about_last = expected.may_come.iter().filter(|key| key.region == "last");
            let must = if expected.must_come { ", must come" } else { "" };
            let words =
                about_last.map(|key| format!("{} of {}{must}", &key.id["SYNC-HAZARD-".len()..], key.name));
            words.collect::<Vec<_>>().join("; ")
        };
        let correct = messages(&lab, false);
        lab.variants[0].relies_on(COHERENT_STORES);
        [correct, messages(&lab, false), messages(&lab, true)]
    }

    #[test]
    fn disjoint_rows_are_no_hazard() {
        let first = || Some(((0, 0..8), (1, 0..4)));
        for (last, message) in [
            (((0, 0..8), (1, 4..8)), "WRITE-AFTER-WRITE of image 1"),
            (((1, 4..8), (2, 0..8)), "READ-AFTER-WRITE of image 1"),
        ] {
            assert_eq!(messages(&[first(), Some(last)]), [message; 3]);
        }
        let read = Some(((1, 4..8), (2, 0..8)));
        assert_eq!(messages(&[read, Some(((0, 0..8), (1, 0..4)))]), ["WRITE-AFTER-READ of image 1"; 3]);
    }

    #[test]
    fn rows_that_meet_without_order_are_a_hazard_whatever_else_is_touched() {
        let [upper, lower] = [0..4, 4..8].map(|rows| Some(((0, 0..8), (1, rows))));
        let read = |rows| Some(((1, rows), (2, 0..8)));
        for rows in [0..4, 0..5, 3..8] {
            assert_eq!(messages(&[upper.clone(), lower.clone(), read(rows)]), [""; 3]);
        }
        // What the last dispatch reads is ordered; what else it could be taken for is apart.
        let one_image = "READ-AFTER-WRITE of image 1";
        let relied = "READ-AFTER-WRITE of image 1, must come";
        assert_eq!(messages(&[upper, None, lower, read(0..4)]), [one_image, relied, one_image]);
    }

    #[test]
    fn a_read_that_is_only_ordered_needs_a_promise() {
        let written = || Some(((0, 0..8), (1, 0..8)));
        let read = || Some(((1, 0..8), (2, 0..8)));
        assert_eq!(messages(&[written(), None, read()]), ["", "READ-AFTER-WRITE of image 1, must come", ""]);
        assert_eq!(messages(&[written(), read()]), [""; 3]);
    }

    #[test]
    fn a_write_behind_a_read_needs_order_alone() {
        let [read, write] = [Some(((0, 0..8), (1, 0..8))), Some(((2, 0..8), (0, 0..8)))];
        assert_eq!(messages(&[read.clone(), None, write.clone()]), ["WRITE-AFTER-READ of image 0"; 3]);
        assert_eq!(messages(&[read, write]), [""; 3]);
    }
}
