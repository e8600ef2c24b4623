//! Names the folders of a run's records: one per device.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use record::DeviceFacts;

/// The parent folder of runs without `--out`.
const RESULTS: &str = "results";

/// A device's name as part of a folder name: `nvidia-h200`, `llvmpipe`. Text in parentheses, which drivers add
/// (their version, the name of the chip), is left out.
pub(super) fn slug(device: &DeviceFacts) -> String {
    let mut name = device.name.to_lowercase();
    for mark in ["(r)", "(tm)", "(c)"] {
        name = name.replace(mark, " ");
    }
    let name = name.split('(').next().unwrap_or_default();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    if slug.is_empty() { "device".into() } else { slug }
}

/// The date in UTC: `2026-11-21`.
pub(super) fn date(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string().chars().take(10).collect()
}

/// A folder for each of `devices`: `out` itself or, if all devices are requested, one below it per device. Without
/// `out`, it is named after date and device. Devices of the same name are numbered.
pub(super) fn folders<'d>(
    devices: impl Iterator<Item = &'d DeviceFacts>,
    out: Option<&Path>,
    all: bool,
    now: SystemTime,
) -> Vec<PathBuf> {
    let mut taken = BTreeSet::new();
    let mut name = |device: &DeviceFacts| {
        let slug = slug(device);
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        free.unwrap_or(slug)
    };
    let folder = |device| match out {
        Some(out) if all => out.join(name(device)),
        Some(out) => out.to_owned(),
        None => Path::new(RESULTS).join(format!("{}-{}", date(now), name(device))),
    };
    devices.map(folder).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::scripted;

    fn device(name: &str) -> DeviceFacts {
        DeviceFacts { name: name.into(), ..scripted::measured().device }
    }

    #[test]
    fn a_device_is_called_as_in_the_folders_that_are_there() {
        for (name, expected) in [
            ("NVIDIA H200", "nvidia-h200"),
            ("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"),
            ("AMD Radeon RX 6800 XT (RADV NAVI21)", "amd-radeon-rx-6800-xt"),
            ("Intel(R) Arc(TM) A770 Graphics (DG2)", "intel-arc-a770-graphics"),
            ("Apple M3 Pro", "apple-m3-pro"),
            ("../..", "device"),
            ("(only brackets)", "device"),
            ("Gerät", "ger-t"),
        ] {
            assert_eq!(slug(&device(name)), expected);
        }
        assert_eq!(slug(&device("llvmpipe (LLVM 15.0.6, 256 bits)")), "llvmpipe");
    }

    #[test]
    fn folders_are_named_for_date_and_device() {
        let devices = ["NVIDIA H200", "NVIDIA H200", "llvmpipe (x)"].map(device);
        let day = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_219_199);
        let names = |out: Option<&Path>, all| -> Vec<String> {
            let folders = folders(devices.iter(), out, all, day);
            folders.iter().map(|folder| folder.display().to_string()).collect()
        };
        let dated =
            ["nvidia-h200", "nvidia-h200-2", "llvmpipe"].map(|name| format!("results/2026-11-20-{name}"));
        assert_eq!(names(None, true), dated);
        assert_eq!(names(Some(Path::new("x")), true), ["x/nvidia-h200", "x/nvidia-h200-2", "x/llvmpipe"]);
        assert_eq!(names(Some(Path::new("x")), false)[..1], ["x"]);
    }
}
