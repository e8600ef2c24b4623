//! Compares the messages of the validation layer with those that a variant may raise, and tests whether the layer works.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use ash::vk;
use record::Promise;
use vulkan::handles::Image;
use vulkan::memory::ImageUse;
use vulkan::validation::Message;

use crate::drive::expected::{Expected, READ_AFTER_WRITE};
use crate::lab::Lab;
use crate::variant::Variant;

/// Layer versions that the samples were checked with.
const KNOWN: [&str; 3] = ["1.3.239", "1.4.309", "1.4.363"];

/// The layer's version; for an unknown version, also the known ones.
pub(super) fn known(version: &str) -> String {
    let known = KNOWN.contains(&version).then(|| format!("layer {version}"));
    known.unwrap_or_else(|| {
        format!("layer {version}; tested with {}: an unexpected message may be new in it", KNOWN.join(", "))
    })
}

/// Messages that are not expected, and expected messages that are missing.
pub(super) fn compare(heard: &[Message], variant: &Variant, expected: &Expected) -> Vec<String> {
    let mut problems = first_of_each(heard.iter().filter(|message| !expected.explains(variant, message)));
    if expected.lacks(heard) {
        problems
            .push(format!("{READ_AFTER_WRITE} did not come, although the variant makes no store visible"));
    }
    let races = matches!(variant.promise, Promise::Nothing { .. }) && !variant.races_in_a_dispatch;
    if races && !heard.iter().any(|message| expected.explains(variant, message)) {
        problems.push("the layer did not notice the dependency that is left out".into());
    }
    problems
}

/// The first message of each id and their number, because one bad dispatch can cause hundreds of messages.
pub(super) fn first_of_each<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    let mut heard: BTreeMap<&str, (usize, &Message)> = BTreeMap::new();
    for message in messages {
        heard.entry(&message.id).or_insert((0, message)).0 += 1;
    }
    let line = |(id, (count, first)): (_, (_, &Message))| {
        let regions = first.regions.join(", ");
        let place = if regions.is_empty() { "at a submit".into() } else { format!("in {regions}") };
        let times = if count == 1 { "once".into() } else { format!("{count} times") };
        format!("{id} ({times}), the first {place}: {}", shorten(&first.text))
    };
    heard.into_iter().map(line).collect()
}

/// Removes the specification's clause, which the layer appends to a line of a thousand characters.
fn shorten(text: &str) -> String {
    let text = text.replace('\n', " ");
    let sentence = text.split(" | ").last().unwrap_or(&text);
    let sentence = sentence.split("The Vulkan spec states").next().unwrap_or(sentence).trim();
    let mut short: String = sentence.chars().take(600).collect();
    if short.len() < sentence.len() {
        short.push('…');
    }
    short
}

/// Tests the layer: it must report two dispatches on the same image without a barrier, and nothing with a barrier.
pub(super) fn canary(lab: &Lab) -> Result<()> {
    let gpu = &lab.gpu;
    let kernel = lab.kernel("lab/increment.comp").draft()?;
    let Image(first) = gpu.plan_images(2);
    let images = [Image(first), Image(first + 1)];
    for (image, name) in images.into_iter().zip(["canary A", "canary B"]) {
        gpu.make_image(image, name, [8, 8].into(), vk::Format::R32_UINT, ImageUse::default())?;
    }
    gpu.settle_images(&images)?;
    let sing = |barrier: bool| {
        gpu.run_once("the canary", |cmd| {
            cmd.dispatch(kernel, &[images[0], images[1]], &(), [1, 1, 1]);
            if barrier {
                cmd.full_barrier();
            }
            cmd.dispatch(kernel, &[images[1], images[0]], &(), [1, 1, 1]);
        })?;
        Ok::<_, anyhow::Error>(gpu.take_messages())
    };
    let earlier = gpu.take_messages();
    ensure!(earlier.is_empty(), "validation while setting up: {}", shorten(&earlier[0].text));
    ensure!(
        sing(false)?.iter().any(Message::is_hazard),
        "the validation layer did not report a barrier that was left out on purpose, so its silence \
         would prove nothing: this version does not check shader accesses, or is switched off by its \
         settings"
    );
    let whole = sing(true)?;
    ensure!(
        whole.is_empty(),
        "the validation layer reports a correct recording: {}",
        shorten(&whole[0].text)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = "SYNC-HAZARD-READ-AFTER-WRITE";
    const WRITE: &str = "SYNC-HAZARD-WRITE-AFTER-WRITE";

    /// The begin of the message of layers 1.3.239, 1.4.309 and 1.4.363 for the same read. The last two use the same
    /// words.
    const READ_1_3_239: &str = "\
        Validation Error: [ SYNC-HAZARD-READ-AFTER-WRITE ] Object 0: handle = 0x160000000016, name = \
        generation 1, repetition 0, type = VK_OBJECT_TYPE_IMAGE_VIEW; | MessageID = 0xe4d96472 | \
        vkCmdDispatch: Hazard READ_AFTER_WRITE for VkImageView 0x160000000016[generation 1, repetition 0], \
        in VkCommandBuffer 0x555ff7754240[commands], and VkPipeline 0x50000000005[chain/step.comp], \
        VkDescriptorSet 0x0[], type: VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, imageLayout: \
        VK_IMAGE_LAYOUT_GENERAL, binding #0, index 0.";
    const READ_1_4: &str = "\
        vkCmdDispatch(): READ_AFTER_WRITE hazard detected. Shader stage VK_SHADER_STAGE_COMPUTE_BIT reads \
        VkImageView 0x160000000016[generation 1, repetition 0], which was previously written by another \
        vkCmdDispatch[events_2::pass 0::band 1::chain/step.comp 8x1x1] command.";
    /// A message about bands that only 1.4.363 raises.
    const WRITE_1_4_363: &str = "\
        vkCmdDispatch(): WRITE_AFTER_WRITE hazard detected. Shader stage VK_SHADER_STAGE_COMPUTE_BIT \
        writes to VkImageView 0x160000000016[generation 1, repetition 0], which was previously written by \
        another vkCmdDispatch[events_2::pass 0::band 0::chain/step.comp 8x24x1] command.";
    /// A message at a submit.
    const SUBMIT_1_4_309: &str = "\
        vkSignalSemaphore(): WRITE_AFTER_WRITE hazard detected. vkCmdDispatch[two_queues::chain/step.comp \
        8x24x1] (from VkCommandBuffer 0x55556258cbb0[commands] submitted on the current VkQueue \
        0x555561eecfe8[second queue]) writes to VkImage 0xb700000000b7[shared generation 1, repetition 0], \
        which was previously written by another vkCmdDispatch[two_queues::chain/step.comp 8x1x1] command.";
    const SUBMIT_1_4_363: &str = "\
        vkQueueSubmit2(): pSubmits[0].pCommandBufferInfos[0] WRITE_AFTER_WRITE hazard detected. Shader \
        stage VK_SHADER_STAGE_COMPUTE_BIT in vkCmdDispatch[two_queues::chain/step.comp 8x24x1] (from \
        VkCommandBuffer 0x555565812740[commands] submitted on the current VkQueue 0x555565181cf8[second \
        queue]) writes to VkImageView 0xb800000000b8[shared generation 1, repetition 0] (VkImage \
        0xb700000000b7[shared generation 1, repetition 0]), which was previously written by another \
        vkCmdDispatch[two_queues::chain/step.comp 8x1x1] command.";

    fn said(id: &str, text: &str, regions: &[&str]) -> Message {
        let regions = regions.iter().map(|&region| region.to_owned()).collect();
        Message { id: id.into(), text: text.into(), regions }
    }

    fn in_band(id: &str, text: &str, pass: &str, band: &str) -> Message {
        said(id, text, &["events_2", pass, band, "chain/step.comp 8x24x1"])
    }

    /// The messages of one pass of `events_2`, of which the read must come.
    fn events() -> Expected {
        Expected::for_test(
            &[(READ, "generation 1", "pass 1, band 0"), (WRITE, "generation 1", "pass 0, band 1")],
            true,
        )
    }

    /// The problems of a variant that is called `events_2`.
    fn problems(expected: &Expected, heard: &[Message]) -> String {
        compare(heard, &Variant::for_test("events_2"), expected).join("\n")
    }

    #[test]
    fn each_layer_names_what_is_expected_however_often() {
        let read = |text| in_band(READ, text, "pass 1", "band 0");
        let write = in_band(WRITE, WRITE_1_4_363, "pass 0", "band 1");
        for heard in [
            vec![read(READ_1_3_239)],
            vec![read(READ_1_4)],
            vec![write.clone(), read(READ_1_4)],
            // One layer version reports each access, another reports all accesses in one message.
            vec![read(READ_1_4), read(READ_1_4), write.clone(), write, read(READ_1_4)],
        ] {
            assert_eq!(problems(&events(), &heard), "", "{heard:?}");
        }
        let two_queues = Expected::for_test(&[(WRITE, "shared generation 1", "")], false);
        for text in [SUBMIT_1_4_309, SUBMIT_1_4_363] {
            assert_eq!(problems(&two_queues, &[said(WRITE, text, &[])]), "", "{text}");
        }
    }

    #[test]
    fn what_is_named_elsewhere_fails_though_no_more_messages_come() {
        for text in [READ_1_3_239, READ_1_4] {
            let expected = in_band(READ, text, "pass 1", "band 0");
            for other in [
                in_band(READ, text, "pass 1", "band 1"),
                in_band(READ, text, "pass 0", "band 0"),
                in_band(WRITE, text, "pass 1", "band 0"),
                in_band(READ, &text.replace("generation 1", "generation 2"), "pass 1", "band 0"),
                in_band(READ, &text.replace("generation 1", "generation 10"), "pass 1", "band 0"),
                in_band(READ, &text.replace("generation 1", "shared generation 1"), "pass 1", "band 0"),
                said(READ, text, &["verify", "pass 1", "band 0", "chain/step.comp 8x24x1"]),
                said(READ, text, &["prepare"]),
                said(READ, text, &[]),
            ] {
                let said = problems(&events(), &[expected.clone(), other.clone()]);
                assert!(said.starts_with(&format!("{} (once)", other.id)), "{other:?}: {said}");
            }
        }
    }

    #[test]
    fn a_read_of_what_nothing_makes_visible_must_come() {
        let write = in_band(WRITE, WRITE_1_4_363, "pass 0", "band 1");
        for heard in [vec![], vec![write]] {
            assert!(problems(&events(), &heard).starts_with("SYNC-HAZARD-READ-AFTER-WRITE did not come"));
        }
    }

    #[test]
    fn a_race_must_be_reported_of_its_own_commands() {
        let mut racy = Variant::for_test("no_barrier");
        racy.races("every dependency");
        let problems = |heard: &[Message]| compare(heard, &racy, &Expected::default()).join("\n");
        let own = said(READ, READ_1_4, &["no_barrier", "pass 1", "chain/step.comp 8x25x1"]);
        assert_eq!(problems(std::slice::from_ref(&own)), "");
        assert_eq!(problems(&[]), "the layer did not notice the dependency that is left out");
        let foreign = said(READ, READ_1_4, &["verify"]);
        assert!(problems(&[own.clone(), foreign]).starts_with(READ));
        assert!(problems(&[own, said("VUID-1", "wrong", &["no_barrier"])]).starts_with("VUID-1"));
    }
}
