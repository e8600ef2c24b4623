//! What drivers do with an event, as read in their source: `results/published/event_drivers.json`.

use anyhow::Result;
use serde::Deserialize;

use crate::{DeviceFacts, published};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Name of the file for readers, as in all files of the folder.
    #[serde(rename = "title")]
    _title: String,
    drivers: Vec<Driver>,
}

/// A driver, with what its source says or why nobody could read it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Name for readers.
    pub name: String,
    /// Its numbers as `VkDriverId`.
    pub driver_ids: Vec<i32>,
    /// Words of the names of the devices that it is for; empty if it is for all that no earlier entry names.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Why there is no reading, as the end of a sentence.
    pub unread: Option<String>,
    /// Oldest release first. A form that one reading lacks may be in another.
    #[serde(default)]
    pub readings: Vec<Reading>,
}

/// What one release of a driver does.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The release that was read: `Mesa 25.0.7`.
    pub read_in: String,
    /// What it does with each form of event.
    pub forms: Vec<Read>,
}

/// What a driver does with some forms of event. Whether the host can see an event makes no difference.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The forms.
    pub of: Vec<Form>,
    /// Whether a set holds up later dispatches until earlier ones end.
    pub set: Drains,
    /// Whether a wait holds up later dispatches until all earlier ones end, also those that its event does not
    /// wait for.
    pub wait: Drains,
    /// Where this is to be read.
    pub places: Vec<Place>,
    /// What else a reader should know, in sentences.
    pub note: Option<String>,
}

/// A form of event, as far as drivers distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The commands of synchronization2 with empty access masks, for coherent stores.
    Sync2NoAccess,
    /// The commands of synchronization2 with the accesses of stores and loads.
    Sync2,
    /// The commands of Vulkan 1.0, with or without accesses.
    Sync1,
    /// Those of synchronization2 with `VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR`: only the wait has the accesses.
    Asymmetric,
}

/// Whether a command drains the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drains {
    /// It does.
    Yes,
    /// Later dispatches may start before earlier ones end.
    No,
    /// The source leaves it open, or was not read so far.
    Unknown,
}

/// A place in a driver's source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// File or folder.
    pub file: String,
    /// Numbers of lines.
    pub lines: Option<String>,
    /// The source tree, where it is not that of the release.
    pub tree: Option<String>,
}

/// All drivers of the file.
///
/// # Errors
/// The file has another format.
pub fn drivers() -> Result<Vec<Driver>> {
    Ok(published::read::<File>("event_drivers")?.drivers)
}

/// The driver of a device; `None` if nobody has looked for its source.
///
/// # Errors
/// The file has another format.
pub fn driver_of(device: &DeviceFacts) -> Result<Option<Driver>> {
    let words: Vec<&str> = device.name.split(|letter: char| !letter.is_alphanumeric()).collect();
    let is_for = |driver: &Driver| {
        let names_it = |name: &String| words.contains(&name.as_str());
        driver.driver_ids.contains(&device.driver_id)
            && (driver.devices.is_empty() || driver.devices.iter().any(names_it))
    };
    Ok(drivers()?.into_iter().find(is_for))
}

impl Driver {
    /// What the driver does with a form: as in the newest release read that is not newer than that of
    /// `driver_info`, else as in the oldest.
    #[must_use]
    pub fn reading(&self, form: Form, driver_info: &str) -> Option<(&Reading, &Read)> {
        let here = release(driver_info);
        let all: Vec<_> = self.readings.iter().filter_map(|reading| reading.of(form)).collect();
        let is_older = |of: &Reading| release(&of.read_in).is_some_and(|read| Some(read) <= here);
        all.iter().rfind(|(reading, _)| is_older(reading)).or(all.first()).copied()
    }
}

impl Reading {
    fn of(&self, form: Form) -> Option<(&Self, &Read)> {
        Some((self, self.forms.iter().find(|read| read.of.contains(&form))?))
    }
}

/// Major and minor number of a release of Mesa: 25 and 0 of `Mesa 25.0.7-2`.
#[must_use]
pub fn release(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("Mesa ")?.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(driver_id: i32, name: &str) -> Option<Driver> {
        driver_of(&DeviceFacts { driver_id, name: name.into(), ..DeviceFacts::default() }).unwrap()
    }

    fn read(driver: &Driver, form: Form, info: &str) -> Option<(String, Drains, Drains)> {
        let (reading, read) = driver.reading(form, info)?;
        Some((reading.read_in.clone(), read.set, read.wait))
    }

    #[test]
    fn every_driver_is_read_or_says_why_not() {
        let all = drivers().unwrap();
        for Driver { name, driver_ids, unread, readings, .. } in &all {
            assert!(!name.is_empty() && !driver_ids.is_empty());
            assert_eq!(unread.is_none(), !readings.is_empty(), "{name}");
            for reading in readings {
                let forms: Vec<Form> = reading.forms.iter().flat_map(|read| read.of.clone()).collect();
                assert!(!forms.is_empty(), "{name}");
                assert!(
                    (1..forms.len()).all(|at| !forms[..at].contains(&forms[at])),
                    "{name}: one form twice"
                );
                // Mesa's lines are known; of amdvlk only what it is designed to do.
                let has_places = reading.forms.iter().all(|read| !read.places.is_empty());
                assert!(has_places || name == "amdvlk", "{name}");
            }
        }
        let ids: Vec<i32> = all.iter().flat_map(|driver| driver.driver_ids.clone()).collect();
        for id in [1, 2, 3, 4, 6, 13, 18, 19, 20, 22, 23, 24, 25, 26] {
            assert!(ids.contains(&id), "VkDriverId {id}");
        }
    }

    #[test]
    fn a_driver_is_found_by_its_id_and_its_device() {
        assert_eq!(driver(3, "AMD Radeon RX 7900 XTX (RADV NAVI31)").unwrap().name, "RADV");
        assert_eq!(driver(20, "Mali-G610 (Panfrost)").unwrap().name, "PanVK (command streams)");
        assert_eq!(driver(20, "Mali-G310").unwrap().name, "PanVK (command streams)");
        assert_eq!(driver(20, "Mali-G31 (Panfrost)").unwrap().name, "PanVK (job manager)");
        assert!(driver(4, "NVIDIA H200").unwrap().unread.unwrap().ends_with("is not public"));
        assert_eq!(driver(10, "SwiftShader"), None);
    }

    #[test]
    fn a_form_is_read_in_the_newest_release_that_is_not_newer() {
        let nvk = driver(24, "NVIDIA GeForce RTX 4090 (NVK AD102)").unwrap();
        let (old, new) = ("Mesa 25.0.7".to_owned(), "Mesa 26.2.2".to_owned());
        let free = Some((old.clone(), Drains::No, Drains::No));
        for info in ["Mesa 24.3.0", "Mesa 25.0.7-2", "Mesa 26.3.0-devel (git-0123456789)", "?"] {
            assert_eq!(read(&nvk, Form::Sync2NoAccess, info), free, "{info}");
            assert_eq!(
                read(&nvk, Form::Asymmetric, info),
                Some((new.clone(), Drains::Yes, Drains::No)),
                "{info}"
            );
        }
        let mut reread = nvk.clone();
        reread.readings[1].forms.extend(nvk.readings[0].forms.clone());
        for (info, of) in
            [("Mesa 24.1.0", &old), ("Mesa 26.1.9", &old), ("Mesa 26.2.0", &new), ("Mesa 27.0", &new)]
        {
            assert_eq!(read(&reread, Form::Sync2, info).unwrap().0, *of, "{info}");
        }
        assert_eq!(read(&driver(19, "V3D 7.1.7").unwrap(), Form::Asymmetric, "Mesa 26.0.0"), None);
    }

    #[test]
    fn releases_of_mesa_are_numbers() {
        assert_eq!(release("Mesa 25.0.7-2"), Some((25, 0)));
        assert_eq!(release("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        assert_eq!((release("580.159.04"), release("Mesa git"), release("")), (None, None, None));
    }

    #[test]
    fn unknown_fields_are_refused() {
        let place = r#"{"file": "a.c", "line": "1"}"#;
        assert!(
            serde_json::from_str::<Place>(place).unwrap_err().to_string().contains("unknown field `line`")
        );
    }
}
