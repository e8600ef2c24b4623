//! What cannot be compared: one line that says why.

use std::path::Path;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_SKIPPED};

use crate::SAMPLE;
use crate::support::{Call, told_on_one_line, trial};

/// Name, arguments, and what the refusal must say. The folder holds what [`fill`] puts there.
const CASES: [(&str, &str, &[&str]); 18] = [
    ("unknown_name", "--code-diff nix mt_select", &["two variants or two files", "'nix'", "mt_multiply"]),
    ("pattern", "--code-diff mt_* mt_select", &["'mt_*' is a pattern"]),
    ("no_file", "--code-diff code.s nix.s", &["'code.s' is a file", "'nix.s' is none"]),
    ("no_files", "--code-diff nix.s nox.s", &["there is no file 'nix.s'"]),
    ("variant_and_no_file", "--code-diff mt_select nix.s", &["there is no file 'nix.s'"]),
    ("file_and_variant", "--code-diff code.s mt_select", &["'code.s' is a file", "'mt_select' is none"]),
    ("folder", "--code-diff code.s folder", &["folder", "is a folder"]),
    ("binary", "--code-diff code.s binary", &["binary is no text", "llvm-objdump -d"]),
    ("no_instruction", "--code-diff text code.s", &["text holds no instruction"]),
    ("empty", "--code-diff empty code.s", &["empty holds no instruction"]),
    ("huge", "--code-diff huge code.s", &["huge has more than 32 MiB"]),
    ("one_name", "--code-diff mt_select", &["--code-diff", "2 values"]),
    ("nameless", "--code-diff= mt_select", &["--code-diff"]),
    ("json_is_a_folder", "--code-diff code.s code.s --json folder", &["it is a folder"]),
    ("with_check", "--code-diff a b --check", &["--code-diff", "--check"]),
    ("with_variant", "--code-diff a b --variant mt_select", &["--code-diff", "--variant"]),
    ("with_profile", "--code-diff a b --profile", &["--code-diff", "--profile"]),
    ("with_csv", "--code-diff a b --csv -", &["--code-diff", "--csv"]),
];

pub fn trials() -> Vec<Trial> {
    let cases = CASES.iter().map(|(name, words, says)| {
        trial(format!("refusals::{name}"), move || {
            let folder = tempfile::tempdir()?;
            fill(folder.path())?;
            let ended = Call::new(SAMPLE)?.within(folder.path()).words(words).run()?;
            told_on_one_line(ended, EXIT_FAILED, says)
        })
    });
    cases.chain([trial("refusals::no_driver", no_driver), trial("refusals::no_device", no_device)]).collect()
}

fn fill(folder: &Path) -> Result<()> {
    std::fs::create_dir(folder.join("folder"))?;
    std::fs::write(folder.join("empty"), "")?;
    std::fs::write(folder.join("code.s"), "s_endpgm\n")?;
    std::fs::write(folder.join("text"), "nothing that a GPU could run\n")?;
    std::fs::write(folder.join("binary"), b"\x7fELF\0\0\0")?;
    // As long as it may be, and a line.
    std::fs::write(folder.join("huge"), "s_nop 0\n".repeat((32 << 20) / 8 + 1))?;
    Ok(())
}

/// The package is named, and nothing else fails.
fn no_driver() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call =
        Call::new(SAMPLE)?.words("--code-diff mt_multiply mt_select").env("HOTLAP_ICD_DIR", folder.path());
    told_on_one_line(call.run()?, EXIT_SKIPPED, &["RADV", "not installed", "mesa-vulkan-drivers"])
}

/// Variants need the device that they would run on.
fn no_device() -> Result<()> {
    let call = crate::without_devices()?.words("--code-diff mt_multiply mt_select");
    let ended = call.run()?;
    ensure!(
        ended.code == Some(EXIT_SKIPPED.into()) && ended.stderr.trim_end().lines().count() == 1,
        "{ended}"
    );
    Ok(())
}
