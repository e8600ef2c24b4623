//! The page of a run: `README.md` in its folder.

use std::fmt::Write as _;

use report::quote;

use super::manifest::{Entry, Manifest};
use super::sample::WAVES;
use super::scoreboard::{Cells, summary};

/// File name of the page.
pub(super) const PAGE: &str = "README.md";

/// File name of the report of all records.
pub(super) const REPORT: &str = "report.html";

/// The page with the current progress of the run.
pub(super) fn page(manifest: &Manifest) -> String {
    let Manifest { device, host, tool, settings, .. } = manifest;
    let processor = host.processor.as_deref().unwrap_or("unknown processor");
    let resumed = manifest.resumed.iter().map(|time| format!(", resumed {time}"));
    let mut page = format!(
        "# Hot Lap on {name}\n\n\
         - Device: {name} ({kind}), Vulkan {api}\n\
         - Driver: {driver}\n\
         - Machine: {system}, {processor}, {threads} threads\n\
         - Date: {date}{resumed}\n\
         - Tool: {tool}\n\
         - Samples: {progress}\n\
         - Result: {summary}\n\
         - Order of the samples within each: `--seed {seed}`\n\n\
         ```sh\n{command}\n```\n\n",
        name = device.name,
        kind = device.kind.word(),
        api = device.api_version,
        driver = device.driver(),
        system = host.system,
        threads = host.threads,
        date = manifest.started,
        resumed = resumed.collect::<String>(),
        tool = report::tool(tool),
        progress = progress(&manifest.samples),
        summary = summary(&manifest.samples),
        seed = settings.seed,
        command = command(&manifest.command),
    );
    page += "| Sample | Finding | Published | Outcome |\n|---|---|---|---|\n";
    for entry in &manifest.samples {
        row(&mut page, entry);
    }
    if let Some(Entry { sample, .. }) = manifest.samples.iter().find(|entry| entry.traced) {
        page += &format!("\n![waves of {sample}]({sample}/{WAVES})\n");
    }
    let troubles: String = manifest.samples.iter().filter(|entry| entry.has_trouble()).map(trouble).collect();
    if !troubles.is_empty() {
        page += "\n";
        page += &troubles;
    }
    page
}

fn progress(samples: &[Entry]) -> String {
    let open = samples.iter().filter(|entry| !entry.state.is_complete()).count();
    if open == 0 {
        return format!("all {} complete", samples.len());
    }
    format!("{} of {} complete; `--resume` measures the others", samples.len() - open, samples.len())
}

fn row(page: &mut String, entry: &Entry) {
    let sample = &entry.sample;
    let mut name = if entry.kept { format!("[{sample}]({sample})") } else { sample.clone() };
    if entry.traced {
        name += &format!(" ([waves]({sample}/{WAVES}))");
    }
    let Cells { finding, published, outcome } = Cells::of(entry);
    let [finding, published] = [finding, published].map(|text| text.replace('|', "\\|"));
    // Writing to a string cannot fail.
    let _ = writeln!(page, "| {name} | {finding} | {published} | {outcome} |");
}

/// A list item. Messages of drivers and programs may contain markup, so they are formatted as code.
fn trouble(entry: &Entry) -> String {
    let words = |reason: &String| reason.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = entry.reason.as_ref().map_or_else(String::new, |reason| format!(": `{}`", words(reason)));
    format!("- {}{reason}\n", entry.account())
}

/// The command line, ready to be typed in a checkout.
fn command(words: &[String]) -> String {
    let words = words.iter().skip(1).map(|word| quote(word));
    std::iter::once("cargo run --release --bin suite --".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::run::outcome::{Counts, State};

    #[test]
    fn the_page_of_a_run() {
        let mut manifest = Manifest::of_a_test(&["codegen", "lds_blur", "swizzled_remap"]);
        manifest.command = ["/x/suite", "run", "--out", "my run"].map(str::to_owned).into();
        manifest.resumed.push("2026-11-22T00:00:00Z".into());
        let [right, failed, _] = &mut manifest.samples[..] else { panic!("three samples") };
        right.adopt(&fixture::record(), true);
        right.state = State::Right;
        let rows = Counts { ok: 5, error: 1, ..Counts::default() };
        let reason = Some("it crashed (`SIGSEGV`); the last it said:\n| x".to_owned());
        *failed = Entry { state: State::Failed, reason, seconds: 2.0, rows, ..failed.clone() };
        let page = page(&manifest);
        for line in [
            "# Hot Lap on llvmpipe (LLVM 15.0.6, 256 bits)",
            "- Samples: 1 of 3 complete; `--resume` measures the others",
            "cargo run --release --bin suite -- run --out 'my run'",
            "| [codegen](codegen) ([waves](codegen/waves.svg)) | events take 1.20x as long as a barrier | talk: 0.79x | ✗ does not hold |",
            "| lds_blur | failed |  |  |",
            "| swizzled_remap | not measured |  |  |",
            "- lds_blur failed in 2.0 s (5 ok, 1 error): `it crashed ('SIGSEGV'); the last it said: | x`",
        ] {
            assert!(page.lines().any(|found| found == line), "no line '{line}' in\n{page}");
        }
        assert!(page.contains(", resumed 2026-11-22T00:00:00Z\n"), "{page}");
    }
}
