//! `suite report` in headless Chromium: everything is drawn and legible, nothing leaves the page, nothing is
//! complained of, and it prints. Each check is tried on a page that is broken on purpose, too.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

type Outcome = Result<(), Failed>;
type Check = fn(&Chromium) -> Outcome;

fn main() {
    let arguments = Arguments::from_args();
    let Some(browser) = browser() else {
        let name = "skipped: no chromium, chromium-browser or google-chrome is here (HOTLAP_CHROMIUM=PATH names one)";
        println!("{name}");
        libtest_mimic::run(&arguments, vec![Trial::test(name, || Ok(())).with_ignored_flag(true)]).exit();
    };
    let browser = Arc::new(Chromium { binary: browser });
    let checks: [(&str, Check); 7] = [
        ("at_1280_pixels_all_is_drawn_and_legible", |chromium| {
            sound(&chromium.findings(&page(), 1280, LIGHT))
        }),
        ("at_390_pixels_all_is_drawn_and_legible", |chromium| sound(&chromium.findings(&page(), 390, LIGHT))),
        ("a_dark_screen_has_dark_paper", dark_paper),
        ("a_broken_layout_is_found", broken_layouts),
        ("no_request_leaves_the_page", requests),
        ("the_console_is_silent", console),
        ("it_prints", prints),
    ];
    let trial = |(name, check): (&str, Check)| {
        let browser = Arc::clone(&browser);
        Trial::test(name, move || check(&browser))
    };
    libtest_mimic::run(&arguments, checks.into_iter().map(trial).collect()).exit();
}

fn browser() -> Option<OsString> {
    if let Some(named) = std::env::var_os("HOTLAP_CHROMIUM") {
        return Some(named);
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = ["chromium", "chromium-browser", "google-chrome"]
        .map(|name| folders.iter().map(move |f| f.join(name)));
    all.into_iter().flatten().find(|file| file.is_file()).map(PathBuf::into_os_string)
}

/// The report of as many committed results as fit into a page with all plots and some timelines: with and without
/// headlines, of several devices.
fn page() -> String {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.html");
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
        let mut suite = Command::new(env!("CARGO_BIN_EXE_suite"));
        let runs = [
            "2026-11-26-nvidia-h100-suite",
            "2026-11-25-nvidia-h100",
            "2026-11-30-nvidia-h200-suite/bloom",
            "2026-11-26-llvmpipe",
        ];
        let runs = runs.map(|run| results.join(run));
        let status = suite.arg("report").args(runs).arg("--html").arg(&file).stderr(Stdio::null()).status();
        assert!(status.unwrap().success());
        fs::read_to_string(&file).unwrap()
    });
    PAGE.clone()
}

struct Chromium {
    binary: OsString,
}

/// What a run of it wrote.
struct Said {
    out: String,
    err: String,
}

impl Chromium {
    /// Opens a page of this text, with these files beside it.
    fn open(&self, folder: &Path, html: &str, arguments: &[String]) -> Said {
        let file = folder.join("page.html");
        fs::write(&file, html).unwrap();
        let output = Command::new(&self.binary)
            .args(["--headless", "--disable-gpu", "--no-sandbox", "--no-first-run", "--hide-scrollbars"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-default-apps", "--disable-extensions", "--allow-file-access-from-files"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .args(arguments)
            .arg(format!("file://{}", file.display()))
            .output()
            .unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Said { out, err }
    }

    /// What a script in a copy of `html` finds. It stands in a frame of this width, because a window cannot
    /// be narrower than 500 pixels.
    fn findings(&self, html: &str, width: u32, scheme: &str) -> Findings {
        let folder = tempfile::tempdir().unwrap();
        let probe = format!("{}<script>{PROBE}</script>", without_policy(html));
        fs::write(folder.path().join("probe.html"), probe).unwrap();
        let frame = format!(
            "<!doctype html><body style='margin:0'><pre id=findings></pre>\
             <iframe src=probe.html style='width:{width}px;height:2000px;border:0'></iframe>\
             <script>addEventListener('message', e => document.getElementById('findings').textContent = e.data)</script>"
        );
        let arguments = ["--dump-dom", "--virtual-time-budget=20000", "--window-size=1400,2100", scheme]
            .map(str::to_owned);
        let said = self.open(folder.path(), &frame, &arguments);
        let text =
            said.out.split_once("<pre id=\"findings\">").and_then(|(_, rest)| rest.split_once("</pre>"));
        let text = text.map(|(text, _)| text).filter(|text| !text.is_empty());
        let text = text.unwrap_or_else(|| panic!("no findings: {}", said.err));
        serde_json::from_str(text).unwrap()
    }
}

fn without_policy(html: &str) -> String {
    let (before, rest) = html.split_once("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let (_, after) = rest.split_once('>').unwrap();
    format!("{before}{after}")
}

const LIGHT: &str = "--blink-settings=preferredColorScheme=1";
const DARK: &str = "--blink-settings=preferredColorScheme=0";

/// Runs in the page. Texts of pictures are measured as they are laid out; those of an embedded timeline by
/// the size that the file names and by how far the image is shrunk.
const PROBE: &str = r"
addEventListener('load', () => {
  const f = {width: innerWidth, overflow: document.documentElement.scrollWidth - innerWidth,
             plots: 0, flat: 0, images: 0, blank: 0, smallest: 1e9, cut: [], overlapping: [], columns: 0, cards: 0, outside: 0, faint: []};
  const see = (size) => { f.smallest = Math.min(f.smallest, size); };
  for (const svg of document.querySelectorAll('svg')) {
    f.plots++;
    const box = svg.getBoundingClientRect(), drawn = svg.getBBox();
    if (box.width < 1 || box.height < 1 || drawn.width < 1 || svg.querySelectorAll('rect,circle,path[d$=z]').length < 3) f.flat++;
    const scale = svg.getScreenCTM().a;
    const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent.replace(/[^\w ]/g, ''), text.getBoundingClientRect()]);
    for (const text of svg.querySelectorAll('text')) see(scale * parseFloat(getComputedStyle(text).fontSize));
    for (const [name, r] of texts) if (r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1) f.cut.push(name);
    texts.forEach(([a, r], i) => texts.slice(i + 1).forEach(([b, s]) => {
      const across = Math.min(r.right, s.right) - Math.max(r.left, s.left);
      const down = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
      if (across > 1 && down > 0.45 * Math.min(r.height, s.height)) f.overlapping.push(a + ' / ' + b);
    }));
  }
  for (const image of document.images) {
    f.images++;
    if (image.naturalWidth < 1 || image.getBoundingClientRect().width < 1) { f.blank++; continue; }
    const svg = atob(image.src.split(',')[1]);
    const sizes = [...svg.matchAll(/font-size=.(\d+)/g)].map(m => parseFloat(m[1]));
    see(Math.min(...sizes) * image.getBoundingClientRect().width / image.naturalWidth);
  }
  for (const cell of document.querySelectorAll('.stack td')) if (cell.getBoundingClientRect().right > innerWidth) f.outside++;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() && !parent.closest('svg,script,style')) see(parseFloat(getComputedStyle(parent).fontSize));
  }
  const lefts = new Set([...document.querySelectorAll('.plots figure')].map(x => Math.round(x.getBoundingClientRect().left)));
  f.columns = lefts.size;
  f.cards = new Set([...document.querySelectorAll('.card')].map(x => Math.round(x.getBoundingClientRect().left))).size;
  const light = (colour) => { const [r, g, b] = colour.match(/[\d.]+/g).map(Number); return (0.3 * r + 0.6 * g + 0.1 * b) / 255; };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  f.paper = paper;
  for (const [what, property] of [['body', 'color'], ['p.small', 'color'], ['a', 'color'], ['.Holds,.DoesNotHold', 'color'], ['svg text', 'fill'], ['td', 'color'], ['th', 'color']])
    for (const one of [...document.querySelectorAll(what)].slice(0, 50))
      if (Math.abs(light(getComputedStyle(one)[property]) - paper) < 0.4) f.faint.push(what);
  for (const one of document.querySelectorAll('svg > rect.paper')) if (Math.abs(light(getComputedStyle(one).fill) - paper) > 0.1) f.faint.push('paper');
  f.faint = f.faint.slice(0, 9);
  f.cut = f.cut.slice(0, 9); f.overlapping = f.overlapping.slice(0, 9);
  parent.postMessage(JSON.stringify(f), '*');
});";

#[derive(Debug, serde::Deserialize)]
struct Findings {
    width: u32,
    overflow: i32,
    plots: usize,
    flat: usize,
    images: usize,
    blank: usize,
    smallest: f64,
    cut: Vec<String>,
    overlapping: Vec<String>,
    columns: usize,
    cards: usize,
    outside: usize,
    /// How light the page is, from 0 to 1.
    paper: f64,
    /// What is hardly lighter or darker than the page.
    faint: Vec<String>,
}

fn sound(found: &Findings) -> Outcome {
    let of = |narrow: usize, wide: std::ops::RangeInclusive<usize>, columns| {
        if found.width < 500 { columns == narrow } else { wide.contains(&columns) }
    };
    let columns = of(1, 2..=3, found.columns) && of(1, 3..=4, found.cards);
    let checks = [
        (found.plots >= 60 && found.images >= 2, "plots are missing"),
        (found.flat == 0, "a plot is not drawn"),
        (found.blank == 0, "an image is not drawn"),
        (found.overflow <= 0, "the page scrolls sideways"),
        (found.outside == 0, "a part of the list of records is out of sight"),
        (found.smallest >= 9.0, "a text is too small"),
        (found.cut.is_empty(), "a text is cut"),
        (found.overlapping.is_empty(), "texts overlap"),
        (columns, "the columns are not those of this width"),
        (found.faint.is_empty(), "a text is hardly to be seen"),
    ];
    match checks.iter().find(|(right, _)| !right) {
        Some((_, what)) => Err(format!("{what}: {found:?}").into()),
        None => Ok(()),
    }
}

fn broken_layouts(chromium: &Chromium) -> Outcome {
    let html = page();
    let broken = [
        ("a text is too small", html.replace("font-size=\"12\"", "font-size=\"8\"")),
        ("the page scrolls sideways", html.replace(".box{overflow-x:auto", ".box{")),
        (
            "a part of the list of records is out of sight",
            html.replace("(max-width:700px)", "(max-width:7px)"),
        ),
        ("a plot is not drawn", html.replace(".plots svg{display:block", ".plots svg{display:none")),
        ("an image is not drawn", html.replace("data:image/svg+xml;base64,P", "data:image/svg+xml;base64,Q")),
        ("a text is cut", html.replace("text-anchor=\"end\"", "")),
        ("texts overlap", html.replace("</svg>", "<text x=\"10\" y=\"16\">twice</text></svg>")),
        ("plots are missing", html.replace("<svg", "<span").replace("</svg>", "</span>")),
        ("the columns", html.replace("minmax(min(100%,440px),1fr)", "1fr")),
        ("the columns", html.replace("minmax(min(100%,320px),1fr)", "1fr")),
        ("a text is hardly to be seen", html.replace(".ink{color:#1a1a1a}", ".ink{color:#eee}")),
    ];
    for (what, page) in broken {
        // Two columns of a narrow page would be too small as well.
        let width = if what == "the columns" { 1280 } else { 390 };
        match sound(&chromium.findings(&page, width, LIGHT)) {
            Err(failed) if failed.message().is_some_and(|message| message.starts_with(what)) => {}
            other => return Err(format!("{what} is not found: {other:?}").into()),
        }
    }
    Ok(())
}

fn dark_paper(chromium: &Chromium) -> Outcome {
    let dark = chromium.findings(&page(), 1280, DARK);
    sound(&dark)?;
    let light = chromium.findings(&page(), 1280, LIGHT);
    if dark.paper > 0.2 || light.paper < 0.9 {
        return Err(format!("{} and {}", dark.paper, light.paper).into());
    }
    let half = page().replace(".ink{color:#eceff4}", "");
    match sound(&chromium.findings(&half, 1280, DARK)) {
        Err(failed) if failed.message().is_some_and(|message| message.contains("hardly")) => Ok(()),
        other => Err(format!("dark ink on dark paper is not found: {other:?}").into()),
    }
}

/// What is asked for while the page is open, but for what Chromium asks on its own account: all goes
/// through a proxy that notes it and answers nothing.
fn asked(chromium: &Chromium, html: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = proxy.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    // It ends with the process.
    std::thread::spawn(move || {
        for stream in proxy.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(stream).read_line(&mut line);
            noted.lock().unwrap().push(line.trim_end().to_owned());
        }
    });
    let arguments = [
        format!("--proxy-server=http://127.0.0.1:{port}"),
        "--proxy-bypass-list=<-loopback>".into(),
        "--dump-dom".into(),
    ];
    let said = chromium.open(folder.path(), html, &arguments);
    assert!(said.out.contains("</html>"), "the page did not open: {}", said.err);
    std::thread::sleep(Duration::from_millis(200));
    let mut asked = std::mem::take(&mut *asked.lock().unwrap());
    asked.retain(|line| !OF_CHROMIUM.iter().any(|host| line.contains(host)));
    asked
}

/// Where Chromium looks for updates and the like, whatever page is open.
const OF_CHROMIUM: [&str; 3] = [".google.com", ".googleapis.com", ".gvt1.com"];

fn requests(chromium: &Chromium) -> Outcome {
    let html = page();
    if OF_CHROMIUM.iter().any(|host| html.contains(host)) {
        return Err("the page names a host whose requests this test leaves out".into());
    }
    let found = asked(chromium, &html);
    if !found.is_empty() {
        return Err(format!("{found:?}").into());
    }
    let tag = "<img src='http://127.0.0.1:8123/x.png'>";
    let asking = html.replace("<h1>", &format!("{tag}<h1>"));
    if !asked(chromium, &asking).is_empty() {
        return Err("the policy lets an image through".into());
    }
    if asked(chromium, &without_policy(&asking)).iter().all(|line| !line.contains("/x.png")) {
        return Err("a request is not seen by this test".into());
    }
    Ok(())
}

/// What the console shows.
fn complaints(chromium: &Chromium, html: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--enable-logging=stderr", "--v=0", "--dump-dom"].map(str::to_owned);
    let said = chromium.open(folder.path(), html, &arguments);
    assert!(said.out.contains("</html>"), "the page did not open: {}", said.err);
    said.err.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect()
}

fn console(chromium: &Chromium) -> Outcome {
    let html = page();
    let complaints_of = |html: &str| complaints(chromium, html);
    if let Some(complaint) = complaints_of(&html).first() {
        return Err(complaint.into());
    }
    let running = html.replace("<h1>", "<script>document.title = 'ran'</script><h1>");
    if !complaints_of(&running).iter().any(|line| line.contains("Content Security Policy")) {
        return Err("a script is not refused, or this test does not see it".into());
    }
    Ok(())
}

/// How many pages a print has.
fn printed(chromium: &Chromium, html: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.pdf");
    let arguments = [format!("--print-to-pdf={}", file.display()), "--no-pdf-header-footer".into()];
    let said = chromium.open(folder.path(), html, &arguments);
    let pdf = fs::read(&file).unwrap_or_else(|error| panic!("{error}: {}", said.err));
    assert!(pdf.starts_with(b"%PDF-"));
    pdf.windows(11).filter(|part| *part == b"/Type /Page").count()
}

fn prints(chromium: &Chromium) -> Outcome {
    let [pages, none] = [page(), "<!doctype html>".into()].map(|html| printed(chromium, &html));
    if pages < 20 || none > 2 {
        return Err(format!("{pages} pages, of nothing {none}").into());
    }
    Ok(())
}
