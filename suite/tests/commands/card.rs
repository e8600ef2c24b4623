//! `suite card` as a user calls it.

use std::fs;
use std::path::Path;

use record::figures::{Figures, Time};
use record::trace::{STORED_WAVES, read_waves};
use record::{Compared, Ended, Headline, Outcome, Record, fixture, json, read_record};
use report::scene::text_width;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::{Options, Tree};

use crate::support::{h100, names, suite};

/// A text of a picture, with the room that it takes in a wide font.
struct Text {
    text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

fn attribute<'t>(element: &'t str, name: &str) -> Option<&'t str> {
    element.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn texts(svg: &str) -> Vec<Text> {
    let elements = svg.lines().filter(|line| line.starts_with("<text"));
    let text = |element: &str| {
        let number = |name| attribute(element, name).unwrap().parse::<f64>().unwrap();
        let (x, y, size) = (number("x"), number("y"), number("font-size"));
        let text = element.split_once('>').unwrap().1.strip_suffix("</text>").unwrap().to_owned();
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let width = text_width(&text, size, attribute(element, "font-weight").is_some());
        let left = match attribute(element, "text-anchor") {
            None => x,
            Some("end") => x - width,
            _ => x - 0.5 * width,
        };
        Text { text, left, right: left + width, top: y - 0.75 * size, bottom: y + 0.22 * size }
    };
    elements.map(text).collect()
}

/// The texts of a card, once it is a picture of the right size on which none covers another or is cut.
fn checked(svg: &str) -> Vec<String> {
    let size = Tree::from_str(svg, &Options::default()).unwrap().size();
    assert_eq!((size.width(), size.height()), (880.0, 420.0));
    let texts = texts(svg);
    for (at, one) in texts.iter().enumerate() {
        let inside = one.left >= 0.0 && one.right <= 880.0 && one.top >= 0.0 && one.bottom <= 420.0;
        assert!(inside, "{} leaves the picture", one.text);
        for other in &texts[..at] {
            let apart = one.left >= other.right || other.left >= one.right;
            let apart = apart || one.top >= other.bottom || other.top >= one.bottom;
            assert!(apart, "{} covers {}", one.text, other.text);
        }
    }
    texts.into_iter().map(|text| text.text).collect()
}

/// The card of a record that no run has written.
fn card(record: &Record) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), json(record).unwrap()).unwrap();
    let done = suite(folder.path(), &["card", "a.json", "--out", "b.svg"]);
    assert_eq!((done.out.as_str(), done.said.trim_end().lines().count()), ("", 1), "{}", done.said);
    let drawn = fs::read_to_string(folder.path().join("b.svg"));
    assert_eq!(done.code == 0, drawn.is_ok(), "{}", done.said);
    drawn.map_err(|_| done.said)
}

#[test]
fn every_sample_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let samples = names(&h100()).into_iter().filter(|name| h100().join(name).is_dir());
    let mut all = String::new();
    for sample in samples {
        let done = suite(folder.path(), &["card", h100().join(&sample).to_str().unwrap()]);
        let file = format!("{sample}-card.svg");
        assert!(done.code == 0 && done.out.is_empty(), "{}", done.said);
        assert!(done.said.starts_with(&format!("wrote {file} (")), "{}", done.said);
        let svg = fs::read_to_string(folder.path().join(&file)).unwrap();
        let record = read_record(&h100().join(&sample).join("record.json")).unwrap();
        let headline = record.headline.unwrap();
        let title = svg.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0.to_lowercase();
        assert_eq!(title, format!("{} {}.", headline.outcome.sign(), headline.finding.to_lowercase()));
        let texts = checked(&svg);
        let whole = texts.join(" ");
        assert!(whole.to_lowercase().contains(&headline.finding.to_lowercase()), "{whole}");
        assert!(whole.contains(&record.device.name) && whole.contains(&record.device.driver_info), "{whole}");
        all += &format!("{}\n\n", texts.join("\n"));
    }
    assert_eq!(names(folder.path()).len(), 13);
    insta::assert_snapshot!("cards", all);
}

/// The variants that a headline names give its figure, and their waves are stored.
#[test]
fn a_headline_compares_what_it_names() {
    for sample in names(&h100()).into_iter().filter(|name| h100().join(name).is_dir()) {
        let record = read_record(&h100().join(&sample).join("record.json")).unwrap();
        let Headline { value, compared, .. } = record.headline.unwrap();
        let (value, figures) = (value.unwrap(), Figures::new(&record.rows));
        let Some(Compared { variant, other, time }) = compared else {
            assert_eq!(sample, "data_race", "it counts trials");
            continue;
        };
        let ratio = figures.ratio_of(time, &variant, &other).unwrap().median;
        let found = match value.unit.as_str() {
            "x" => ratio,
            "%" => 100.0 * (1.0 - 1.0 / ratio),
            // The pass of the chain that is cold in both does not count.
            _ => figures.difference_us(&variant, &other).unwrap().median / 7.0,
        };
        assert!((found - value.median).abs() < 1e-9 * found.abs(), "{sample}: {found}, not {}", value.median);
        let waves = read_waves(&h100().join(&sample).join(STORED_WAVES), |name| figures.trace(name)).unwrap();
        let is_stored = |name: &String| waves.iter().any(|(stored, _)| stored == name);
        assert!(is_stored(&variant) && is_stored(&other), "{sample}");
    }
}

fn pixel(picture: &Pixmap, [x, y]: [u32; 2]) -> [u8; 3] {
    let pixel = picture.pixel(x, y).unwrap();
    [pixel.red(), pixel.green(), pixel.blue()]
}

#[test]
fn paper_and_form_are_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let record = h100().join("bloom/record.json");
    let draw = |file: &str, theme: &str| {
        let words = ["card", record.to_str().unwrap(), "--out", file, "--theme", theme];
        let done = suite(folder.path(), &words);
        assert_eq!(done.code, 0, "{}", done.said);
        folder.path().join(file)
    };
    let svg = |theme: &str| fs::read_to_string(draw("a.svg", theme)).unwrap();
    assert!(svg("auto").contains("prefers-color-scheme:dark"));
    assert!(!svg("light").contains("prefers-color-scheme") && svg("light").contains(".paper{fill:#ffffff}"));
    assert!(!svg("dark").contains("prefers-color-scheme") && svg("dark").contains(".paper{fill:#121418}"));
    let png = |theme: &str| Pixmap::load_png(draw("a.PNG", theme)).unwrap();
    let [auto, light, dark] = ["auto", "light", "dark"].map(png);
    assert_eq!((auto.width(), auto.height()), (1760, 840));
    assert!(auto == light && auto != dark);
    assert_eq!([pixel(&light, [2, 2]), pixel(&dark, [2, 2])], [[255, 255, 255], [18, 20, 24]]);
    // The middle of ✓: white in a green disc.
    let sign = |x, y| pixel(&light, [x, y]);
    assert_eq!([sign(85, 126), sign(103, 137)], [[0, 128, 96], [255, 255, 255]]);
}

#[test]
fn a_cpu_device_has_no_bars() {
    let texts = checked(&card(&fixture::cpu()).unwrap()).join("\n");
    assert!(texts.contains("llvmpipe (LLVM 19.1.7, 256 bits) (a CPU device)"), "{texts}");
    assert!(texts.contains("times of a CPU device say nothing about a GPU"), "{texts}");
    assert!(!texts.contains("µs") && !texts.contains("full_barrier"), "{texts}");
    // It was interrupted.
    assert!(texts.contains("The run was interrupted"), "{texts}");
}

#[test]
fn a_failed_run_and_layers_are_named() {
    let mut record = fixture::record();
    record.ended = Ended::Failed { reason: "the device was lost".into() };
    record.method.tools = vec!["VK_LAYER_KHRONOS_validation".into()];
    record.tool.dirty = Some(true);
    let texts = checked(&card(&record).unwrap()).join(" ");
    for says in
        ["The run failed: the device was lost", "VK_LAYER_KHRONOS_validation.", ", uncommitted changes)"]
    {
        assert!(texts.contains(says), "{texts}");
    }
}

#[test]
fn without_a_figure_the_usual_way_is_the_measure() {
    let mut record = fixture::limits();
    let headline = record.headline.as_mut().unwrap();
    (headline.value, headline.outcome) = (None, Outcome::Undecided);
    let texts = checked(&card(&record).unwrap());
    assert!(texts.contains(&"Median time alone · direct = 1.00x".to_owned()), "{texts:?}");
    let bars: Vec<&str> =
        texts.iter().map(String::as_str).skip_while(|text| !text.starts_with("Median")).collect();
    assert_eq!(bars[1..8], ["direct", "the usual way", "500.0 µs", "1.00x", "shared", "300.0 µs", "0.60x"]);
    assert_eq!(texts.iter().filter(|text| *text == "?").count(), 1, "the sign");
    // Without any time.
    record.rows.clear();
    (record.baseline, record.bound) = (None, None);
    assert!(checked(&card(&record).unwrap()).concat().contains("There are no times to compare."));
}

#[test]
fn the_headline_says_which_variants_are_compared() {
    let mut record = fixture::limits();
    let [variant, other] = ["shared cached", "solver"]
        .map(|label| record.rows.iter().find(|row| row.label() == label).unwrap().variant.clone());
    record.headline.as_mut().unwrap().compared = Some(Compared { variant, other, time: Time::Isolated });
    let texts = checked(&card(&record).unwrap());
    assert!(texts.contains(&"Median time alone · solver = 1.00x".to_owned()), "{texts:?}");
    let at = texts.iter().position(|text| text == "shared cached").unwrap();
    assert_eq!(texts[at..at + 3], ["shared cached", "200.0 µs", "4.00x"]);
}

#[test]
fn long_names_fit_or_are_refused() {
    let mut record = read_record(&h100().join("pipelined_events/record.json")).unwrap();
    record.device.name = "An Unusually Long Name of a Device ".repeat(6);
    for row in &mut record.rows {
        row.label = format!("{} <b> & a_label_without_any_blank_in_it", row.label);
    }
    let texts = checked(&card(&record).unwrap()).concat();
    assert!(texts.contains("<b> &"), "{texts}");
    record.device.name = "x".repeat(60_000);
    let refused = card(&record).unwrap_err();
    assert!(refused.contains("a.json: has names or settings that are too long for a card"), "{refused}");
}

#[test]
fn a_record_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("a.svg");
    fs::write(&record, json(&fixture::record()).unwrap()).unwrap();
    suite(folder.path(), &["card", "a.svg", "--out", "a.svg"]).refused(2, &["a.svg is one of the records"]);
    let done = suite(folder.path(), &["card", "a.svg", "--out", "b.svg"]);
    assert!(done.code == 0 && Path::new(&folder.path().join("b.svg")).is_file(), "{}", done.said);
}
