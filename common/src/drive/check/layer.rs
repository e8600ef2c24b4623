//! What the validation layer says, and whether it can be believed.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use ash::vk;

use crate::lab::Lab;
use crate::memory::Sharing;
use crate::record::Promise;
use crate::validation::Message;
use crate::variant::{Alarm, Variant};

/// The messages that are not listed or come too often, and the listed ones that did not come.
pub(super) fn compare_alarms(
    heard: &BTreeMap<String, (usize, String)>,
    variant: &Variant,
    listed: &[Alarm],
    chains: u32,
) -> Vec<String> {
    let races = matches!(variant.promise, Promise::Nothing { .. });
    let hazard = |id: &str| id.starts_with("SYNC-HAZARD");
    let mut problems = Vec::new();
    for (id, (count, text)) in heard {
        match listed.iter().find(|a| a.id == *id) {
            Some(alarm) if *count > (alarm.at_most * chains) as usize => problems.push(format!(
                "{id} came {count} times, {} are listed because {}; the first: {text}",
                alarm.at_most * chains,
                alarm.reason
            )),
            None if !(races && hazard(id)) => {
                problems.push(format!("{id} ({count} times), the first: {text}"))
            }
            _ => {}
        }
    }
    problems.extend(listed.iter().filter(|a| !a.optional && !heard.contains_key(&a.id)).map(|a| {
        format!("{} did not come, although it is listed because {}: take it off the list", a.id, a.reason)
    }));
    if races && !heard.keys().any(|id| hazard(id)) {
        problems.push("the layer did not notice the dependency that is left out".into());
    }
    problems
}

/// One bad dispatch can give hundreds of messages: the first of each id, and how many there were.
pub(super) fn first_of_each(messages: &[Message]) -> BTreeMap<String, (usize, String)> {
    let mut heard: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for message in messages {
        heard.entry(message.id.clone()).or_insert_with(|| (0, shorten(&message.text))).0 += 1;
    }
    heard
}

/// The layer repeats the specification's clause at the end of a line of a thousand characters.
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

/// Two dispatches on the same images without a barrier: the layer must report them, and with a
/// barrier it must not.
pub(super) fn canary(lab: &Lab) -> Result<()> {
    let gpu = &lab.gpu;
    let kernel = lab.kernel("lab/increment.comp").untraced().build()?;
    let images = [
        gpu.image("canary A", [8, 8].into(), vk::Format::R32_UINT, Sharing::FirstQueue)?,
        gpu.image("canary B", [8, 8].into(), vk::Format::R32_UINT, Sharing::FirstQueue)?,
    ];
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
        sing(false)?.iter().any(|m| m.id.starts_with("SYNC-HAZARD")),
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
