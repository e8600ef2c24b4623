//! The page of a run: `README.md` in its folder.

use std::fmt::Write as _;

use report::quote;

use super::manifest::{Entry, Manifest};

/// File name of the page.
pub(super) const PAGE: &str = "README.md";

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
        seed = settings.seed,
        command = command(&manifest.command),
    );
    page += "| Sample | Result | Rows ok | Skipped | Throttled | Wrong | Error | Seconds | Files |\n";
    page += "|---|---|---:|---:|---:|---:|---:|---:|---|\n";
    for entry in &manifest.samples {
        row(&mut page, entry);
    }
    let reasons: Vec<String> = manifest.samples.iter().filter_map(reason).collect();
    if !reasons.is_empty() {
        page += "\n";
        page += &reasons.concat();
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
    let Entry { sample, state, rows, .. } = entry;
    let files = ["README.md", "record.json", "samples.csv.gz", "table.txt"].into_iter();
    let files = files.chain(entry.traced.then_some("waves.svg"));
    let links: Vec<String> = files.map(|file| format!("[{file}]({sample}/{file})")).collect();
    let (name, links) = match entry.kept {
        true => (format!("[{sample}]({sample})"), links.join(" ")),
        false => (sample.clone(), String::new()),
    };
    let seconds = entry.seconds();
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "| {name} | {state} | {} | {seconds} | {links} |",
        rows.each().map(|(_, count)| count.to_string()).join(" | ")
    );
}

/// A list item. Messages of drivers and programs may contain markup, so they are formatted as code.
fn reason(entry: &Entry) -> Option<String> {
    let text = entry.reason.as_deref()?.replace('`', "'");
    Some(format!("- {}: `{}`\n", entry.sample, text.split_whitespace().collect::<Vec<_>>().join(" ")))
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
    use super::*;
    use crate::run::outcome::{Counts, State};

    #[test]
    fn the_page_of_a_run() {
        let mut manifest = Manifest::of_a_test(&["codegen", "lds_blur", "swizzled_remap"]);
        manifest.command = ["/x/suite", "run", "--out", "my run"].map(str::to_owned).into();
        manifest.resumed.push("2026-11-22T00:00:00Z".into());
        let [right, failed, _] = &mut manifest.samples[..] else { panic!("three samples") };
        let rows = Counts { ok: 5, skipped: 1, ..Counts::default() };
        *right = Entry { state: State::Right, kept: true, seconds: 15.25, rows, ..right.clone() };
        let reason = Some("it crashed (`SIGSEGV`); the last it said:\n| x".to_owned());
        *failed = Entry { state: State::Failed, reason, seconds: 2.0, ..failed.clone() };
        let page = page(&manifest);
        for line in [
            "# Hot Lap on llvmpipe (LLVM 15.0.6, 256 bits)",
            "- Samples: 1 of 3 complete; `--resume` measures the others",
            "cargo run --release --bin suite -- run --out 'my run'",
            "| [codegen](codegen) | right | 5 | 1 | 0 | 0 | 0 | 15.2 | [README.md](codegen/README.md) \
             [record.json](codegen/record.json) [samples.csv.gz](codegen/samples.csv.gz) \
             [table.txt](codegen/table.txt) |",
            "| lds_blur | failed | 0 | 0 | 0 | 0 | 0 | 2.0 |  |",
            "| swizzled_remap | missing | 0 | 0 | 0 | 0 | 0 |  |  |",
            "- lds_blur: `it crashed ('SIGSEGV'); the last it said: | x`",
        ] {
            assert!(page.lines().any(|found| found == line), "no line '{line}' in\n{page}");
        }
        assert!(page.contains(", resumed 2026-11-22T00:00:00Z\n"), "{page}");
    }
}
