use super::*;

/// A traced run, and one of another device.
const TRACED: &str = "2026-11-26-nvidia-h100-suite/pipelined_events";
const OF_H200: &str = "2026-11-30-nvidia-h200-suite/tiles_in_one_dispatch";
const RUN: &str = "2026-11-26-nvidia-h200/pipelined_events-512";

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results")
}

/// The updated page `p` in the folder of the results.
fn renewed_in_results(text: &str) -> Result<Renewed> {
    renewed(&results().join("p"), text)
}

#[test]
fn what_is_wrong_with_a_marker_is_said_with_its_line() {
    let table = format!("<!-- suite: table {RUN} -->\n");
    let end = "<!-- suite: end -->\n";
    for (page, line, says) in [
        (format!("\n{table}text\n"), 2, "the block has no <!-- suite: end -->"),
        (format!("{table}\n{table}{end}{end}"), 3, "the block before this one has no <!-- suite: end -->"),
        (format!("\n{table}{end}{end}"), 4, "no block that ends here"),
        (format!("<!-- suite: table {RUN}\n{end}"), 1, "not closed by -->"),
        (format!("<!-- suite: table {RUN} --> more\n{end}"), 1, "goes on behind -->"),
        (format!("<!-- suite: -->\n{end}"), 1, "'' is nothing that a block shows"),
        (format!("<!-- suite: ladder x -->\n{end}"), 1, "'ladder' is nothing that a block shows"),
        (format!("<!-- suite: table -->\n{end}"), 1, "table RECORD [head LINES]"),
        (format!("<!-- suite: table {RUN} head 0 -->\n{end}"), 1, "'0' is no number of lines"),
        (format!("<!-- suite: waves -->\n{end}"), 1, "waves FILE.svg"),
        (format!("<!-- suite: waves \"x -->\n{end}"), 1, "a double quote is not closed"),
        (format!("<!-- suite: waves a.svg it -->\n{end}"), 1, "waves FILE.svg"),
        (format!("<!-- suite: waves p it | {TRACED} events_2 -->\n{end}"), 1, "waves FILE.svg"),
        (format!("<!-- suite: waves a.svg it | {TRACED} -->\n{end}"), 1, "waves FILE.svg"),
        (format!("<!-- suite: waves a.svg it | {TRACED} flying -->\n{end}"), 1, "has no waves of 'flying'"),
        (format!("<!-- suite: waves a.svg it | {RUN} no_barrier -->\n{end}"), 1, "waves.json.gz"),
        (
            format!("<!-- suite: waves a.svg it | {TRACED} events_2 | {OF_H200} tags -->\n{end}"),
            1,
            "is of another device",
        ),
        (format!("<!-- suite: figures -->\n{end}"), 1, "figures HEAD VARIANT"),
        (format!("<!-- suite: figures size | 1 {RUN} -->\n{end}"), 1, "figures HEAD VARIANT"),
        (format!("<!-- suite: figures size a | {RUN} -->\n{end}"), 1, "is no LABEL RECORD"),
        (
            format!("<!-- suite: waves a.svg it | published x -->\n{end}"),
            1,
            "no record published/record.json",
        ),
        (format!("<!-- suite: figures s no_barrier flying | 1 {RUN} -->\n{end}"), 1, "no variant 'flying'"),
    ] {
        let fault = format!("{:#}", renewed_in_results(&page).unwrap_err());
        assert!(fault.contains(&format!("/p:{line}: ")) && fault.contains(says), "{page}{fault}");
        assert!(!fault.contains('\n'), "{fault}");
    }
}

#[test]
fn only_what_stands_between_markers_is_replaced_and_only_once() {
    let page = format!(
        "# Title\r\n\r\n<!-- suite: table {RUN} head 2 -->\r\nold\r\n<!-- suite: end -->\r\n\
         <!-- suite: figures size no_barrier\n events_2 | \"5|2\" {RUN} -->\n<!-- suite: end -->\nno newline"
    );
    let once = renewed_in_results(&page).unwrap();
    assert_eq!((once.stale.len(), once.blocks), (2, 2));
    assert!(once.stale[0].ends_with(&format!("/p:3: stale: table {RUN}")), "{:?}", once.stale);
    assert!(once.stale[1].contains("/p:6: "), "{:?}", once.stale);
    let table = fs::read_to_string(results().join(RUN).join("table.txt")).unwrap();
    let lines: Vec<&str> = table.lines().take(2).collect();
    let shown = page.replace("old\r\n", &format!("```\r\n{}\r\n{}\r\n```\r\n", lines[0], lines[1])).replace(
        "-->\n<!-- suite: end -->\nno",
        &format!("-->\n| size | no sync | events, 2 bands |\n|---|---|---|\n| [5\\|2]({RUN}) | 42.9 | 132.9 (3.09x) |\n<!-- suite: end -->\nno"),
    );
    assert_eq!(once.text, shown);
    let twice = renewed_in_results(&once.text).unwrap();
    assert_eq!((twice.text, twice.stale), (once.text, Vec::<String>::new()));
}

#[test]
fn a_variant_without_a_time_says_why() {
    let at = tempfile::tempdir().unwrap();
    let mut record = record::read_record(&results().join(RUN).join("record.json")).unwrap();
    record.rows[0].status = record::Status::Wrong { elements: 1, first: "(0, 0)".into() };
    record.rows[1].isolated_us = None;
    let names = [&record.rows[0], &record.rows[1]].map(|row| row.variant.clone()).join(" ");
    fs::create_dir(at.path().join("a run")).unwrap();
    fs::write(at.path().join("a run/record.json"), record::json(&record).unwrap()).unwrap();
    let page = format!("<!-- suite: figures \"\" {names} | it \"a run\" -->\n<!-- suite: end -->\n");
    let shown = renewed(&at.path().join("p"), &page).unwrap().text;
    assert!(shown.contains("| [it](<a run>) | wrong | no time |\n"), "{shown}");
}

#[test]
fn claims_are_asked_for_with_runs() {
    for (asked, says) in
        [("claims docs", "claims are asked for by"), ("claims docs | H200", "is no DEVICE RUN")]
    {
        let page = format!("<!-- suite: {asked} -->\n<!-- suite: end -->\n");
        let refused = format!("{:#}", renewed(&results().join("page.md"), &page).unwrap_err());
        assert!(refused.contains(says), "{asked}: {refused}");
    }
}

#[test]
fn each_driver_is_there_with_its_latest_run() {
    let at = tempfile::tempdir().unwrap();
    let put = |run: &str, change: &dyn Fn(&mut record::Record)| {
        let mut record =
            record::read_record(&results().join("2026-11-26-nvidia-h100-suite/codegen/record.json")).unwrap();
        record.started = format!("{}T00:00:00Z", run.trim_start_matches("hot-lap-").get(..10).unwrap());
        change(&mut record);
        let folder = at.path().join("runs").join(run);
        fs::create_dir_all(folder.join("codegen")).unwrap();
        fs::write(folder.join("suite.json"), "{}").unwrap();
        // As it is shared.
        let sent = record::sent(&record, &|text| text.to_owned()).unwrap();
        fs::write(folder.join("codegen").join(record::SENT), sent).unwrap();
    };
    // Shared, and first in the order of names.
    put("hot-lap-2026-01-01-h100", &|_| ());
    put("2026-01-02-h100", &|record| record.headline.as_mut().unwrap().outcome = record::Outcome::Holds);
    put("2026-01-03-other", &|record| {
        record.device.name = "Other".into();
        record.sample = "lds_blur".into();
        record.headline.as_mut().unwrap().published = Some("talk: 9x".into());
    });
    put("2026-01-04-cpu", &|record| record.device.kind = record::Kind::Cpu);
    put("2026-01-05-old", &|record| record.headline = None);
    let asked = "<!-- suite: claims f | old runs/2026-01-05-old -->\n<!-- suite: end -->\n";
    let refused = format!("{:#}", renewed(&at.path().join("p"), asked).unwrap_err());
    assert!(refused.contains("runs/2026-01-05-old has no record with a headline"), "{refused}");
    let page = "<!-- suite: drivers f runs -->\n<!-- suite: end -->\n";
    let shown = renewed(&at.path().join("p"), page).unwrap().text;
    let claim = "how a choice is written matters";
    assert!(
        shown.contains(&format!(
            "-->\n| The claim | The source | NVIDIA H100 80GB HBM3 (NVIDIA 580.159.04) | Other (NVIDIA 580.159.04) |\n\
             |---|---|---|---|\n\
             | [{claim}](f/lds_blur.md) | talk: 9x | – | ✗ [1.001x](runs/2026-01-03-other/lds_blur) |\n\
             | [{claim}](f/codegen.md) |  | ✓ [1.001x](runs/2026-01-02-h100/codegen) | – |\n"
        )),
        "{shown}"
    );
    // A record beside a run of the suite is of its own folder.
    let asked = "<!-- suite: claims f | H runs/2026-01-02-h100 runs/2026-01-03-other/codegen -->\n<!-- suite: end -->\n";
    let shown = renewed(&at.path().join("p"), asked).unwrap().text;
    for link in ["(runs/2026-01-02-h100/codegen)", "(runs/2026-01-03-other/codegen)"] {
        assert!(shown.contains(link), "{shown}");
    }
    fs::remove_dir_all(at.path().join("runs")).unwrap();
    fs::create_dir(at.path().join("runs")).unwrap();
    let refused = format!("{:#}", renewed(&at.path().join("p"), page).unwrap_err());
    assert!(refused.contains("no run of the suite below runs has headlines"), "{refused}");
}

#[test]
fn waves_of_two_records_are_drawn_and_stale_when_they_change() {
    let at = tempfile::tempdir().unwrap();
    for name in ["pipelined_events", "tiles_in_one_dispatch"] {
        fs::create_dir(at.path().join(name)).unwrap();
        for file in ["record.json", "samples.csv.gz", "waves.json.gz"] {
            let from = results().join("2026-11-26-nvidia-h100-suite").join(name).join(file);
            fs::copy(from, at.path().join(name).join(file)).unwrap();
        }
    }
    let page = at.path().join("page.md");
    let marked = "<!-- suite: waves w.svg \"the waves\" | pipelined_events full_barrier events_2 |\n\
                  tiles_in_one_dispatch tags -->\n<!-- suite: end -->\n";
    let first = renewed(&page, marked).unwrap();
    assert_eq!(first.stale, [format!("{}:1: stale: waves w.svg", page.display())]);
    first.write(&page, marked).unwrap();
    let shown = fs::read_to_string(&page).unwrap();
    assert!(shown.contains("-->\n![the waves](w.svg)\n<!--"), "{shown}");
    let drawing = at.path().join("w.svg");
    let svg = fs::read_to_string(&drawing).unwrap();
    for words in [
        "Events take 1.28x",
        "radius 2",
        ">barrier after each pass<",
        "events, 2 bands",
        "one dispatch, tags",
    ] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    assert!(!svg.contains("workgroup"), "it is not the same in both");
    assert!(renewed(&page, &shown).unwrap().stale.is_empty());
    let record = at.path().join("pipelined_events/record.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("events take 1.28x", "events take 9.99x")).unwrap();
    assert_eq!(renewed(&page, &shown).unwrap().stale.len(), 1);
    fs::write(&record, text).unwrap();
    fs::write(&drawing, "<svg>old</svg>").unwrap();
    let redrawn = renewed(&page, &shown).unwrap();
    assert_eq!((redrawn.stale.len(), &redrawn.text), (1, &shown));
    fs::remove_file(drawing).unwrap();
    assert_eq!(renewed(&page, &shown).unwrap().stale.len(), 1);
}
