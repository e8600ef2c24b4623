//! What every sample must do, tried on each file in `samples/src/bin`: a new one is found here
//! without being named anywhere.

#[path = "../../common/tests/plain/mod.rs"]
mod plain;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use record::error::EXIT_FAILED;
use record::headline::LONGEST;
use record::{Record, Row, Status};
use support::{
    Call, Ended, SampleTest, files_of, for_each_sample, holds_only, is_lawful, quick, ran, read_record,
    source, takes, told_on_one_line,
};

/// The longest first, so that none of them is left alone at the end.
const TRIALS: [(&str, SampleTest); 9] = [
    ("check", check),
    ("one_queue_as_several", one_queue_as_several),
    ("check_with_other_arguments", check_with_other_arguments),
    ("bench", bench),
    ("kept", kept),
    ("captions", captions),
    ("runs_elsewhere", runs_elsewhere),
    ("help", help),
    ("source_text", source_text),
];

fn main() -> Result<ExitCode> {
    support::run(for_each_sample(&TRIALS)?)
}

fn help_text(sample: &str, flag: &str) -> Result<String> {
    let ended = Call::new(sample)?.args([flag]).right()?;
    ensure!(ended.stderr.is_empty(), "help belongs on the standard output: {ended}");
    Ok(ended.stdout)
}

/// Each variant is right and the validation layer agrees, and the layer is shown to be alive; and so it is without any
/// argument.
fn check(sample: &str) -> Result<()> {
    Call::new(sample)?.args(["--check"]).right()?;
    // As small as variants with bands allow.
    let size = quick(sample, "64x384")?;
    let call = || -> Result<Call> { Ok(Call::new(sample)?.words(&size)) };
    let listed = call()?.words("--list-variants --all").right()?;
    let ended = call()?.args(["--check", "--all"]).right()?;
    let said: BTreeMap<&str, &str> =
        ended.stdout.lines().filter_map(|line| line.split_once(char::is_whitespace)).collect();
    let has = |name: &str, start: &str| said.get(name).is_some_and(|rest| rest.trim().starts_with(start));
    ensure!(has("layer", "a barrier left out on purpose was reported"), "the layer was not tested: {ended}");
    for [variant, label, _] in rows(&listed.stdout)?.0 {
        // One dispatch after the other, a variant for two queues runs on one, too.
        let starts: &[&str] = if label.ends_with("(not here)") {
            &["not here: ", "ok: not submitted as recorded"]
        } else {
            &["ok: "]
        };
        ensure!(starts.iter().any(|start| has(&variant, start)), "no line '{variant} {starts:?}…': {ended}");
    }
    Ok(())
}

/// A short run gives a whole record, alone on the standard output, and nothing in it is wrong.
fn bench(sample: &str) -> Result<()> {
    let ended = Call::new(sample)?.with_driver_threads().words("--budget 1 --times --json -").right()?;
    let record = ended.record()?;
    ensure!(record.sample == sample, "the record is of {}", record.sample);
    ensure!(ran(&record).next().is_some(), "no variant ran: {ended}");
    says_what_it_found(&ended, &record)?;
    for row in &record.rows {
        sound(row).with_context(|| format!("variant {}", row.variant))?;
    }
    Ok(())
}

/// A claim, a finding, a label for each variant, and no line that is too wide for a terminal of 96 columns.
fn says_what_it_found(ended: &Ended, record: &Record) -> Result<()> {
    let headline = record.headline.as_ref().context("no headline")?;
    ensure!(headline.claim != "the sample states no claim", "{headline:?}");
    for text in [&headline.claim, &headline.finding] {
        ensure!((1..=LONGEST).contains(&text.chars().count()), "too long or empty: '{text}'");
    }
    let labels: BTreeSet<&str> = record.rows.iter().map(|row| row.label.as_str()).collect();
    ensure!(
        labels.len() == record.rows.len() && !labels.contains(""),
        "labels that are alike or missing: {labels:?}"
    );
    let wide = ended.stderr.lines().find(|line| line.chars().count() > 96);
    ensure!(wide.is_none(), "a line that is too wide: {wide:?}");
    let coined = ended.stderr.lines().find(|line| !plain::found(line).is_empty());
    ensure!(coined.is_none(), "a coined word in {coined:?}");
    ensure!(ended.stderr.contains("Claim: ") && ended.stderr.contains('─'), "no claim or no table: {ended}");
    let rules = ended.stderr.lines().filter(|line| line.starts_with('─')).count();
    ensure!(rules == 3 || record.matrix.is_some(), "not one table: {ended}");
    Ok(())
}

fn sound(row: &Row) -> Result<()> {
    match &row.status {
        Status::Ok => {}
        Status::Skipped { reason } | Status::Unsupported { reason } => {
            ensure!(!reason.is_empty() && row.samples.is_empty(), "left out without a reason: {row:?}");
            return Ok(());
        }
        bad => anyhow::bail!("{bad:?}"),
    }
    ensure!(!row.samples.is_empty(), "no sample was kept");
    let isolated = row.isolated_us.context("no isolated time")?;
    ensure!(isolated.n == row.samples.len() && isolated.median > 0.0, "no time at all: {isolated:?}");
    if let Some(racy) = &row.racy {
        ensure!(racy.samples == row.samples.len() && racy.of > 0, "not every sample was checked: {racy:?}");
        ensure!(!is_lawful(row) || racy.racy_samples == 0, "lawful, and racy: {racy:?}");
    }
    Ok(())
}

/// One run that keeps all there is to keep: `--samples` is obeyed by every variant, the raw rows are those of the
/// record, the picture is a whole PNG, the folder holds four files and no later run touches them.
fn kept(sample: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let kept = folder.path().join("a/run");
    let call = || -> Result<Call> {
        let call = Call::new(sample)?.words("--samples 3 --repetitions 2 --out a/run").within(folder.path());
        Ok(call.words(&quick(sample, "96")?))
    };
    let ended = call()?.words("--csv - --json record.json --image races.png").right()?;
    holds_only(folder.path(), &["a", "races.png", "record.json"])?;
    fixed_count(&ended, &read_record(&folder.path().join("record.json"))?)?;
    let png = fs::read(folder.path().join("races.png"))?;
    ensure!(png.starts_with(b"\x89PNG\r\n") && png.ends_with(b"IEND\xaeB`\x82"), "no whole PNG");
    let files = four_files(&ended, &kept)?;

    let refused = call()?.failed()?;
    ensure!(files_of(&kept)? == files, "a refused run changed files: {refused}");
    told_on_one_line(refused, EXIT_FAILED, &["a/run"])
}

fn fixed_count(ended: &Ended, record: &Record) -> Result<()> {
    let mut lines = ended.stdout.lines();
    ensure!(lines.next().is_some_and(|head| head.starts_with("variant,round,")), "no head: {ended}");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        *counts.entry(line.split(',').next().unwrap_or_default()).or_default() += 1;
    }
    let expected: BTreeMap<&str, usize> = ran(record).map(|row| (row.variant.as_str(), 3)).collect();
    ensure!(!expected.is_empty(), "no variant ran: {ended}");
    ensure!(counts == expected, "{counts:?} instead of {expected:?}: {ended}");
    Ok(())
}

fn four_files(ended: &Ended, kept: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let files = files_of(kept)?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let record = read_record(&kept.join("record.json"))?;
    let mut expected = vec!["README.md", "record.json", "samples.csv.gz", "table.txt"];
    if record.rows.iter().any(|row| row.trace.is_some()) {
        expected.extend(["waves.json.gz", "waves.txt"]);
    }
    ensure!(names == expected, "{names:?} from {ended}");
    let mut texts = files.iter().filter(|(name, _)| !name.ends_with(".gz"));
    ensure!(texts.all(|(_, bytes)| bytes.ends_with(b"\n")), "an empty or a cut file: {ended}");
    let table = fs::read_to_string(kept.join("table.txt"))?;
    let coined = table.lines().find(|line| !plain::found(line).is_empty());
    ensure!(coined.is_none(), "a coined word in {coined:?}");
    let page = fs::read_to_string(kept.join("README.md"))?;
    ensure!(page.contains(&record.device.name) && page.contains("--samples 3"), "{page}");
    Ok(files)
}

/// The samples with variants on several queues.
const ON_QUEUES: [&str; 4] = ["async_compute", "event_matrix", "queues", "small_dispatches"];

/// What is for several queues runs on a device with one, too, when that is taken for all: submitted as
/// recorded, right, and without a word from the layer.
fn one_queue_as_several(sample: &str) -> Result<()> {
    let align = if help_text(sample, "--help")?.contains("--align ") { "--align 8" } else { "" };
    let call = || -> Result<Call> {
        let call = Call::new(sample)?.env("HOTLAP_ONE_QUEUE_AS_SEVERAL", "1").args(["--all"]);
        Ok(call.words(&quick(sample, "96")?).words(align))
    };
    let ended = call()?.args(["--check"]).right()?;
    ensure!(!ended.stdout.contains("not submitted as recorded"), "{ended}");
    let ended = call()?.words("--samples 2 --repetitions 2 --json -").right()?;
    let left_out =
        |row: &&Row| matches!(&row.status, Status::Skipped { reason } if reason.contains("one queue"));
    let record = ended.record()?;
    ensure!(record.rows.iter().find(left_out).is_none(), "{ended}");
    let several = ON_QUEUES.contains(&sample);
    let said = record.notes.iter().any(|note| note.contains("One queue was taken for several"));
    // Another device may have a second queue of its own.
    let another_device = std::env::var_os("HOTLAP_TEST_DEVICE").is_some();
    ensure!(several == said || another_device, "the record does not say what it is of: {:?}", record.notes);
    Ok(())
}

/// The expected messages of the layer are derived from every shape of the work, not from the default one alone.
fn check_with_other_arguments(sample: &str) -> Result<()> {
    let help = help_text(sample, "--help")?;
    let all = [
        "--ping-pong --align 8 --size 96",
        "--passes 6 --align 8 --size 96",
        "--passes 5 --align 8 --size 96 --ping-pong --bands 3",
        "--size 7x130",
        "--tile-lanes 32 --radius 16 --format r8 --size 33x17",
        "--tile-lanes 64 --radius 1 --format r32f --occupancy 0.5,1 --size 65",
        "--tile-lanes 4 --radius 3 --format rgba16f --loads storage --size 70x34",
        "--shape blob --islands 3 --particles 333 --iterations 2",
        "--generators 65 --invocations 67",
        "--size 77x31 --passes 3 --steps 7 --machine 3x2x2",
        "--size 77x31 --steps 7 --wave-lanes 16 --machine 3x2x2",
        "--shape chain --islands 2 --stiffness 0.5 --gravity",
    ];
    for arguments in all.into_iter().filter(|words| takes(&help, words)) {
        Call::new(sample)?.words(arguments).args(["--check", "--all"]).right()?;
    }
    Ok(())
}

/// What `--list-variants` says of each variant fits below a picture, is not said of another, and comes from
/// a document that the suite knows; whatever the arguments are.
fn captions(sample: &str) -> Result<()> {
    let help = help_text(sample, "--help")?;
    let all = [
        "--bands 12 --align 1",
        "--size 256x128",
        "--occupancy 0.125,0.9 --size 64",
        "--radius 1 --tile-lanes 64 --size 64",
        "--columns 1,512 --size 64",
        "--machine 64x4x10",
        "--volume 4 --radius 2 --filter gauss --size 64",
    ];
    for arguments in all.into_iter().filter(|words| takes(&help, words)).chain([""]) {
        let ended = Call::new(sample)?.words("--list-variants --all").words(arguments).right()?;
        listed(&ended.stdout).with_context(|| ended.to_string())?;
    }
    Ok(())
}

/// Id, the rest of its line, and caption of each variant in the list; and the source below them.
fn rows(text: &str) -> Result<(Vec<[String; 3]>, String)> {
    let (_, list) = text.split_once("\n\n").context("no list of variants")?;
    let (list, source) = list.split_once("\n\nSource: ").context("the lab has no source")?;
    let mut rows: Vec<[String; 3]> = Vec::new();
    for line in list.lines() {
        match (line.strip_prefix("    "), rows.last_mut()) {
            (Some(part), Some([_, _, caption])) => {
                let gap = if caption.is_empty() { "" } else { " " };
                *caption += &format!("{gap}{}", part.trim());
            }
            _ => {
                let (id, rest) = line.split_once("  ").with_context(|| format!("no label: '{line}'"))?;
                rows.push([id.to_owned(), rest.trim().to_owned(), String::new()]);
            }
        }
    }
    ensure!(!rows.is_empty(), "no variant is listed");
    let source: Vec<&str> = source.lines().map(str::trim).collect();
    Ok((rows, source.join(" ")))
}

fn listed(text: &str) -> Result<()> {
    let (rows, source) = rows(text)?;
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    for [variant, _, caption] in rows {
        ensure!(caption.ends_with('.') && !caption.contains(". "), "no sentence, or several: '{caption}'");
        ensure!(caption.chars().count() <= 110, "{} characters: '{caption}'", caption.chars().count());
        let other = said.insert(caption, variant);
        ensure!(other.is_none(), "{other:?} has the caption of another variant: {said:?}");
    }
    let place = titles()?.iter().find_map(|title| source.strip_prefix(&format!("{title}, \"")));
    ensure!(place.is_some_and(|place| place.ends_with('"')), "from no known document: {source}");
    Ok(())
}

/// Titles of the documents whose figures the suite shows.
fn titles() -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/published");
    let mut titles = Vec::new();
    for (name, bytes) in files_of(&folder)? {
        let file: serde_json::Value = serde_json::from_slice(&bytes).with_context(|| name.clone())?;
        titles.push(file["title"].as_str().with_context(|| format!("{name} has no title"))?.to_owned());
    }
    Ok(titles)
}

/// Most lines of `-h` in 100 columns: it fits a screen.
const MOST_LINES: usize = 45;

/// A question, four examples that parse, and a summary that fits a screen.
fn help(sample: &str) -> Result<()> {
    let [short, long] = [help_text(sample, "-h")?, help_text(sample, "--help")?];
    ensure!(short.lines().count() <= MOST_LINES, "{} lines: {short}", short.lines().count());
    for text in [&short, &long] {
        let coined = text.lines().find(|line| !plain::found(line).is_empty());
        ensure!(coined.is_none(), "a coined word in {coined:?}");
        ensure!(text.lines().next().is_some_and(|line| line.ends_with('?')), "no question: {text}");
        ensure!(text.contains(&format!("Usage: {sample}")), "the usage does not name the sample: {text}");
        let (_, examples) = text.split_once("Examples:\n").context("no examples")?;
        let examples: Vec<&str> = examples.lines().take_while(|line| !line.is_empty()).collect();
        ensure!(examples.len() == 4, "not four examples: {text}");
        for example in examples {
            let (call, purpose) = example.trim().split_once("  ").context("an example without purpose")?;
            ensure!(!purpose.trim().is_empty(), "an example without purpose: {example}");
            let words = call.strip_prefix(sample).context("an example of another program")?;
            // Only --about is done, for each run of a sweep, but every argument is parsed.
            Call::new(sample)?.words(words).args(["--about"]).right().context(call.to_owned())?;
        }
    }
    Ok(())
}

/// The file says what it shows, and calls Vulkan through `common` alone.
fn source_text(sample: &str) -> Result<()> {
    let text = fs::read_to_string(source(sample))?;
    ensure!(text.starts_with("//! "), "no head comment says what the sample shows");
    let code = text.lines().filter_map(|line| line.split("//").next());
    let mut words = code.flat_map(|code| code.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    ensure!(!words.any(|word| ["ash", "vk"].contains(&word)), "a sample calls Vulkan through `common`");
    Ok(())
}

/// The binary is all it takes: no checkout around it, no cache, no compiler.
fn runs_elsewhere(sample: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (there, cache) = (folder.path().join("elsewhere"), folder.path().join("cache"));
    for new in [&there, &cache] {
        fs::create_dir(new)?;
    }
    let binary = Call::binary(sample)?;
    let copy = there.join(binary.file_name().context("a binary has a name")?);
    fs::copy(&binary, &copy).with_context(|| format!("copying {}", binary.display()))?;
    let call = Call::on_any_device(&copy).on_test_device().env("HOTLAP_CACHE_DIR", &cache).within(&there);
    let ended = call.words("--budget 0.2").words(&quick(sample, "96")?).right()?;
    ensure!(files_of(&there)?.len() == 1, "a run without --out left files: {ended}");
    ensure!(files_of(&cache)?.is_empty(), "a shader was compiled: {ended}");
    Ok(())
}
