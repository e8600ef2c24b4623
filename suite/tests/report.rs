//! `suite report`: its Markdown, its size, and that nothing of a record becomes markup.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../common/tests/plain/mod.rs"]
mod plain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use record::self_test::{Certificate, Check, CheckResult};
use record::{Ended, Headline, Record, Status, fixture, json, read_record};

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results").canonicalize().unwrap()
}

/// Called in the folder of the records, so that their paths come out the same everywhere.
fn report(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_suite"))
        .current_dir(results())
        .arg("report")
        .args(arguments)
        .output()
        .unwrap()
}

fn right(arguments: &[&str]) {
    let output = report(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A committed record, changed, in a folder of its own.
fn changed(folder: &Path, run: &str, change: impl FnOnce(&mut Record)) {
    let mut record = read_record(&results().join(run).join("record.json")).unwrap();
    change(&mut record);
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("record.json"), json(&record).unwrap()).unwrap();
}

const H200: &str = "2026-11-26-nvidia-h200";
const RUN: &str = "2026-11-26-nvidia-h200/pipelined_events-512";

#[test]
fn the_markdown_of_two_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.md");
    right(&[RUN, "2026-11-26-nvidia-h200/pipelined_events-2048", "--markdown", name(&file)]);
    insta::assert_snapshot!(text(&file));
}

#[test]
fn a_report_has_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.md");
    right(&["2026-11-26-nvidia-h100-suite", "2026-11-30-nvidia-h200/waves-512", "--markdown", name(&file)]);
    for line in text(&file).lines() {
        assert_eq!(plain::found(line), [""; 0], "{line}");
    }
}

/// In the card and above the verdict; the derived verdict of a record without a headline is left out.
#[test]
fn the_headline_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    changed(&run, RUN, |record| {
        record.headline = fixture::record().headline;
        record.verdict = Some("First paragraph.\nSecond paragraph.".into());
    });
    let (page, paper) = (folder.path().join("a.html"), folder.path().join("a.md"));
    right(&[name(&run), "--html", name(&page), "--markdown", name(&paper)]);
    let (html, paper) = (text(&page), text(&paper));
    let finding = "events take 1.20x as long as a barrier";
    let claim = "Claim: events in place of barriers save time (talk: 0.79x) · ✗ does not hold";
    let row = format!("| {finding} | talk: 0.79x | ✗ does not hold |");
    let card = format!("<b class=\"DoesNotHold\" title=\"does not hold\">✗ </b>{finding}");
    let section = format!("**{finding}**\n\n{claim}\n\nFirst paragraph.\n\nSecond paragraph.\n");
    assert!(paper.contains(&row) && paper.contains(&section), "{paper}");
    assert!(html.contains(&format!("<strong>{finding}</strong>")) && html.contains(claim), "{html}");
    assert!(html.contains("First paragraph.") && !html.contains("In short"), "{html}");
    let places =
        [&card, "<h2", "First paragraph.", "<details id=\"how\""].map(|words| html.find(words).unwrap());
    assert!(places.is_sorted(), "cards, sections, glossary: {places:?}");
    assert!(html.contains(">run/record.json</a>"), "the page says where its folder is");
}

/// The record's own table says it, and so do both pages.
#[test]
fn what_was_reached_of_the_limits_and_that_results_were_checked_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (page, paper) = (folder.path().join("a.html"), folder.path().join("a.md"));
    let of = |run: &str| {
        let record = format!("2026-11-30-nvidia-h200-suite/{run}");
        right(&[&record, "--html", name(&page), "--markdown", name(&paper)]);
        [text(&page), text(&paper)]
    };
    let said: [(&str, &[&str]); 2] = [
        (
            "swizzled_remap",
            &["of limit", "% copy", "copy of an image 2.", "TB/s (", "Checked: all 4953600 elements"],
        ),
        ("group_physics", &["% FMA", "TFLOP/s (", "constraints/s"]),
    ];
    for (run, words) in said {
        for text in of(run) {
            let missing: Vec<_> = words.iter().filter(|words| !text.contains(**words)).collect();
            assert!(missing.is_empty(), "{run}: {missing:?}");
        }
    }
}

/// Whether the records are below the page's folder or elsewhere, and whatever they were run with.
#[test]
fn a_page_says_nothing_of_the_machine() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let run = folder.path().join("run");
    changed(&run, "2026-11-30-nvidia-h200/waves-512", |record| {
        record.command = ["/tmp/x/sample", "--out", "/tmp/o/run"].map(str::to_owned).into();
    });
    fs::copy(results().join("2026-11-30-nvidia-h200/waves-512.svg"), run.join("waves.svg")).unwrap();
    let beside = folder.path().join("a.html");
    let elsewhere = tempfile::tempdir().unwrap();
    let home = std::env::var("HOME").unwrap();
    let told = [folder.path(), &results(), elsewhere.path(), Path::new(&home), Path::new("/tmp/")];
    for (page, linked) in [(&beside, true), (&elsewhere.path().join("a.html"), false)] {
        right(&[name(&run), RUN, "--html", name(page)]);
        let html = text(page);
        for path in told {
            assert!(!html.contains(name(path)), "{} is in the page", path.display());
        }
        assert!(html.contains("run/record.json") && html.contains("--out run"), "{html}");
        assert_eq!(html.contains("href=\"./run/record.json\""), linked);
        assert!(!html.contains("href=\"/") && !html.contains("href=\"./.."));
    }
}

/// Five cards of one model, two models, a CPU device.
#[test]
fn cards_of_one_model_and_driver_are_one_device() {
    let folder = tempfile::tempdir().unwrap();
    for (at, (model, driver, kind)) in [
        ("NVIDIA H200", "580", record::Kind::Discrete),
        ("NVIDIA H200", "580", record::Kind::Discrete),
        ("NVIDIA H100", "580", record::Kind::Discrete),
        ("llvmpipe", "15", record::Kind::Cpu),
    ]
    .into_iter()
    .enumerate()
    {
        changed(&folder.path().join(format!("run{at}")), RUN, |record| {
            record.device.name = model.into();
            record.device.driver_info = driver.into();
            record.device.kind = kind;
            record.device.uuid = format!("card {at}");
            record.headline = fixture::record().headline;
        });
    }
    let page = folder.path().join("a.html");
    right(&[name(folder.path()), "--html", name(&page)]);
    let html = text(&page);
    let title = "Hot Lap on NVIDIA H100 (driver 580), NVIDIA H200 (driver 580) and llvmpipe";
    assert!(html.contains(&format!("<h1>{title}</h1>")), "{html}");
    assert_eq!(html.matches("class=\"finding\"").count(), 3, "one line per device");
    assert!(html.contains("pipelined_events: times on 3 devices"));
    assert_eq!(html.matches("<summary>NVIDIA H200</summary>").count(), 1, "measured once per device");
}

#[test]
fn the_first_waves_precede_the_sections_and_the_page_has_a_dark_form() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a.html");
    right(&[
        "2026-11-30-nvidia-h200/waves-512",
        "2026-11-30-nvidia-h200/waves-tiles-512",
        "--html",
        name(&page),
    ]);
    let html = text(&page);
    let image = "<img src=\"data:image/svg+xml;base64,";
    let places = ["class=\"card\"", "Waves of pipelined_events", image, "<h2 id=\"r1\""];
    let places = places.map(|words| html.find(words).unwrap_or(usize::MAX));
    assert!(places.is_sorted() && places[3] < usize::MAX, "{places:?}");
    assert!(
        html.matches("prefers-color-scheme:dark").count() == 2 && html.contains("color-scheme:light dark")
    );
    // Colours come from the style sheets alone, or the dark form would miss some.
    let (_, body) = html.split_once("</style>").unwrap();
    assert!(!body.contains("fill=\"#") && !body.contains("stroke=\"#"));
}

#[test]
fn results_with_every_picture_fit_into_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let (page, plots) = (folder.path().join("a.html"), folder.path().join("plots"));
    let runs = [H200, "2026-11-30-nvidia-h200/waves-512", "2026-11-26-llvmpipe"];
    right(&[&runs[..], &["--html", name(&page), "--plots", name(&plots)]].concat());
    let html = text(&page);
    assert!(html.len() < 2 << 20, "{} bytes", html.len());
    assert!(!html.contains("left out, because"), "a picture is missing");
    let files: Vec<PathBuf> = fs::read_dir(&plots).unwrap().map(|entry| entry.unwrap().path()).collect();
    let svgs: Vec<&PathBuf> = files.iter().filter(|path| path.extension().unwrap() == "svg").collect();
    assert_eq!(html.matches("<svg").count(), svgs.len());
    assert!(svgs.len() > 60 && html.matches("data:image/svg+xml;base64,").count() >= 3);
    for svg in svgs {
        assert_eq!(size_of_png(&svg.with_extension("png")), size_of_svg(svg).map(|side| side * 2), "{svg:?}");
    }
}

fn size_of_png(path: &Path) -> [u32; 2] {
    let bytes = fs::read(path).unwrap();
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

fn size_of_svg(path: &Path) -> [u32; 2] {
    let svg = text(path);
    ["width", "height"].map(|side| {
        let (_, rest) = svg.split_once(&format!("{side}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    })
}

/// Names of the folders of results that begin so.
fn results_of(begin: &str) -> Vec<String> {
    let names =
        fs::read_dir(results()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(begin)).collect()
}

#[test]
fn plots_of_many_results_fit_or_are_told_to_be_left_out() {
    // Of all results, the tables alone would take more than a page may.
    let many = results_of("2026-11-26-");
    let folder = tempfile::tempdir().unwrap();
    let (page, plots) = (folder.path().join("a.html"), folder.path().join("plots"));
    let arguments = many.iter().map(String::as_str).chain(["--html", name(&page), "--plots", name(&plots)]);
    right(&arguments.collect::<Vec<_>>());
    let html = text(&page);
    assert!(html.len() < 2 << 20, "{} bytes", html.len());
    let svgs = fs::read_dir(&plots)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().unwrap() == "svg");
    assert_eq!(html.matches("<svg").count() + pictures_left_out(&html), svgs.count());
    let [shown, told] = ["data:image/svg+xml;base64,", "The timeline is left out, because"]
        .map(|mark| html.matches(mark).count());
    let all = many.iter().map(|folder| timelines_below(&results().join(folder))).sum::<usize>();
    assert!(all > 6 && told >= 1 && shown + told == all, "{shown} and {told} of {all}");
}

/// The timelines in the folders of runs, and beside them under their names.
fn timelines_below(folder: &Path) -> usize {
    let count = |path: PathBuf| {
        let is_timeline = path.ends_with("waves.svg") || path.with_extension("").is_dir();
        match path.is_dir() {
            true => timelines_below(&path),
            false => usize::from(path.extension().is_some_and(|ending| ending == "svg") && is_timeline),
        }
    };
    fs::read_dir(folder).unwrap().map(|entry| count(entry.unwrap().path())).sum()
}

/// What a page says of the pictures that found no room: `3 of 6 pictures are left out`.
fn pictures_left_out(html: &str) -> usize {
    let of = |(at, _): (usize, &str)| {
        let count = html[..at].rsplit(' ').nth(2).unwrap();
        let digits = count.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap().parse::<usize>().unwrap()
    };
    html.match_indices(" pictures are left out").map(of).sum()
}

#[test]
fn where_the_page_would_be_too_large_pictures_go_and_are_linked() {
    let folder = tempfile::tempdir().unwrap();
    let large = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", " ".repeat(150_000));
    for copy in 0..12 {
        let to = folder.path().join(format!("run{copy}"));
        changed(&to, "2026-11-26-nvidia-h200/event_matrix-512", |record| record.method.seed = copy);
        fs::write(to.join("waves.svg"), &large).unwrap();
    }
    let page = folder.path().join("report.html");
    right(&[name(folder.path()), "--html", name(&page)]);
    let html = text(&page);
    assert!(html.len() < 2 << 20, "{} bytes", html.len());
    assert!(html.contains("The timeline is left out") && html.contains("href=\"./run11/waves.svg\""));
    assert!(html.len() > 3 << 19, "more would have fitted: {} bytes", html.len());
}

#[test]
fn without_a_place_the_page_goes_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    changed(&folder.path().join("run"), RUN, |_| ());
    let mut suite = Command::new(env!("CARGO_BIN_EXE_suite"));
    let output = suite.args(["report", "run"]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.starts_with("wrote hot-lap-report.html ("), "{said}");
    assert!(folder.path().join("hot-lap-report.html").is_file());
    assert_eq!(fs::read_dir(folder.path().join("run")).unwrap().count(), 1, "the run's folder holds more");
}

/// Names and notes that would be markup.
const EVIL: &str =
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;|`*_[x](javascript:alert(3))";

#[test]
fn nothing_in_a_record_becomes_markup() {
    let folder = tempfile::tempdir().unwrap();
    changed(&folder.path().join("run"), RUN, |record| {
        let evil = EVIL.to_owned();
        let strings = [
            &mut record.sample,
            &mut record.device.name,
            &mut record.device.driver_name,
            &mut record.device.uuid,
            &mut record.tool.version,
            &mut record.tool.build,
            &mut record.host.system,
            &mut record.method.caches,
            &mut record.method.clocks,
            &mut record.rows[1].variant,
        ];
        strings.into_iter().for_each(|string| *string = evil.clone());
        record.notes = vec![evil.clone()];
        record.verdict = Some(evil.clone());
        let headline = Headline { finding: evil.clone(), ..Headline::of(evil.clone()) };
        record.headline = Some(headline.published(Some(evil.clone())));
        record.command.push(evil.clone());
        record.method.tools.push(evil.clone());
        record.configuration.insert(evil.clone(), evil.clone());
        record.rows[2].status = Status::Error { reason: evil.clone() };
        record.rows[3].status = Status::Wrong { elements: 1, first: evil.clone() };
        let published = record.rows[0].published.as_mut().unwrap();
        (published.unit, published.source, published.device) = (evil.clone(), evil.clone(), evil.clone());
        record.ended = Ended::Failed { reason: evil.clone() };
        let check = Check { name: evil.clone(), result: CheckResult::Failed, found: evil, figures: vec![] };
        record.self_test = Some(Certificate { seconds: 0.4, checks: vec![check] });
        record.baseline = Some(EVIL.into());
    });
    let (page, plots, paper) =
        (folder.path().join("a.html"), folder.path().join("plots"), folder.path().join("a.md"));
    let run = folder.path().join("run");
    right(&[
        name(&run),
        "--html",
        name(&page),
        "--plots",
        name(&plots),
        "--markdown",
        name(&paper),
        "--title",
        EVIL,
    ]);
    let svgs = fs::read_dir(&plots).unwrap().map(|entry| entry.unwrap().path());
    let svgs = svgs.filter(|path| path.extension().unwrap() == "svg").map(|path| text(&path));
    for page in [text(&page)].into_iter().chain(svgs) {
        assert!(page.contains("&lt;script&gt;alert(1)"), "it is shown");
        for bad in ["<script", "<img src=x", "onerror=alert(2)>"] {
            assert!(!page.contains(bad), "{bad}");
        }
    }
    let paper = text(&paper);
    // The command is a block of code, in which nothing is markup.
    for line in paper.lines().filter(|line| !line.starts_with("    ")) {
        let line = line.replace("\\]", "");
        assert!(!line.contains("<script") && !line.contains("<img") && !line.contains("](java"), "{line}");
    }
    // A pipe that is not escaped would be one more cell.
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut lines = paper.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(next) = lines.peek().filter(|next| line.starts_with('|') && next.starts_with('|')) {
            assert_eq!(cells(line), cells(next), "{next}");
        }
    }
}

#[test]
fn rows_without_a_time_say_why_and_have_no_bar() {
    let folder = tempfile::tempdir().unwrap();
    changed(folder.path(), RUN, |record| {
        record.rows.truncate(4);
        record.headline = None;
        record.rows[0].status = Status::Skipped { reason: "no second queue".into() };
        record.rows[1].status = Status::Wrong { elements: 3, first: "here".into() };
        record.rows[2].status = Status::Throttled { reason: "at 300 MHz".into() };
    });
    let plots = folder.path().join("plots");
    right(&[name(folder.path()), "--plots", name(&plots)]);
    let svg = text(&plots.join("r1-pipelined_events-ladder-1.svg"));
    for words in
        ["skipped: no second queue", "wrong: 3 elements differ", "throttled: at 300 MHz", "wrong pixels"]
    {
        assert!(svg.contains(words), "{words}");
    }
    // The one row that is left has wrong pixels: its bar is hollow, and so is that of the legend.
    assert!(svg.matches("class=\"s off\"").count() == 2 && !svg.contains("class=\"law\""), "{svg}");
}

#[test]
fn what_is_to_be_known_is_said() {
    let folder = tempfile::tempdir().unwrap();
    changed(folder.path(), RUN, |record| {
        record.device.kind = record::Kind::Cpu;
        record.tool.build = "debug".into();
        record.tool.dirty = Some(true);
        record.method.tools = vec!["VK_LAYER_KHRONOS_validation".into()];
        record.ended = Ended::Interrupted;
        let check =
            |name: &str, result| Check { name: name.into(), result, found: "0.1 %".into(), figures: vec![] };
        let checks = vec![check("twice", CheckResult::Passed), check("more work", CheckResult::Failed)];
        record.self_test = Some(Certificate { seconds: 0.4, checks });
    });
    right(&[name(folder.path()), "--html", name(&folder.path().join("a.html"))]);
    let html = text(&folder.path().join("a.html"));
    let all = [
        "prove nothing",
        "debug build",
        "uncommitted changes",
        "times are no times",
        "interrupted by the user",
        "<strong>passed</strong> twice: 0.1 %",
        "<strong>FAILED</strong> more work",
        "self-test failed",
        "--passes 12 --align 8 --size 512",
    ];
    for words in all {
        assert!(html.contains(words), "{words}");
    }
    let untested = folder.path().join("untested");
    changed(&untested, RUN, |record| record.self_test = None);
    right(&[name(&untested), "--html", name(&folder.path().join("b.html"))]);
    let html = text(&folder.path().join("b.html"));
    assert!(html.contains("<dt>Self-test</dt><dd>none</dd>") && !html.contains("class=\"flags\""));
}

#[test]
fn a_timeline_is_an_image_whatever_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let (run, beside) = (folder.path().join("run"), folder.path().join("run.svg"));
    changed(&run, "2026-11-30-nvidia-h200/waves-512", |_| ());
    let made = |svg: &str| {
        fs::write(&beside, svg).unwrap();
        let page = folder.path().join("a.html");
        right(&[name(&run), "--html", name(&page)]);
        text(&page)
    };
    let html = made("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert('x')</script></svg>");
    assert!(html.contains("<img src=\"data:image/svg+xml;base64,") && !html.contains("<script"));
    for none in ["no svg", "<svg xmlns=\"http://www.w3.org/2000/svg\">", "<html></html>"] {
        let html = made(none);
        assert!(!html.contains("<img") && html.contains("is not shown: it is no SVG"), "{none}");
    }
}

#[test]
fn a_user_error_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent/a.html");
    let same = folder.path().join("a");
    let cases: [&[&str]; 4] = [
        &["does-not-exist"],
        &[RUN, "--html", name(&absent)],
        &[name(folder.path())],
        &[RUN, "--html", name(&same), "--markdown", name(&same)],
    ];
    for arguments in cases {
        let output = report(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
}

#[test]
fn no_output_replaces_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    changed(&run, RUN, |_| ());
    let record = run.join("record.json");
    let before = text(&record);
    let suite = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_suite")).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(text(&record) == before, "{arguments:?}: the record is gone");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("name another output") && said.trim_end().lines().count() == 1, "{said}");
    };
    for input in [&run, &record] {
        suite(&["report", name(input), "--html", name(&record)]);
        suite(&["report", name(input), "--plots", name(folder.path()), "--markdown", name(&record)]);
        suite(&["export", name(input), "--csv", name(&record)]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is written");
}
