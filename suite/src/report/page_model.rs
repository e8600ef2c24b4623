//! The content of a report: chapters by sample, and their pictures.

use std::path::PathBuf;

use super::cards::Card;
use super::devices::{Comparison, comparisons};
use super::plot::Svg;
use super::provenance::{self, Shared};
use super::records::{Entry, Records};
use super::sweep::{Sweep, sweeps};
use super::{distribution, ladder, timeline};

/// A picture of the report.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its file name without extension.
    pub name: String,
    /// Its content.
    pub body: Body,
    /// Pictures of a higher rank are left out first if the page becomes too large.
    pub rank: u8,
    /// Whether it is in the page.
    pub kept: bool,
}

/// The content of a picture.
#[derive(Clone, Debug)]
pub enum Body {
    /// Drawn here, embedded as SVG.
    Drawn(Svg),
    /// Read from a file and embedded as an image, so that it cannot run scripts.
    Image {
        /// A `data:` address.
        address: String,
        /// The file.
        path: PathBuf,
    },
}

impl Picture {
    /// Its size in the page in bytes.
    pub fn size(&self) -> usize {
        match &self.body {
            Body::Drawn(Svg(svg)) => svg.len(),
            Body::Image { address, .. } => address.len(),
        }
    }
}

/// A chapter: the records of a sample.
#[derive(Clone, Debug)]
pub struct Chapter<'b> {
    /// Name of the sample.
    pub sample: &'b str,
    /// Comparisons of devices, with the indices of their pictures.
    pub comparisons: Vec<(Comparison<'b>, Vec<usize>)>,
    /// Its sweeps, with the indices of their pictures.
    pub sweeps: Vec<(Sweep<'b>, Vec<usize>)>,
    /// Its records.
    pub runs: Vec<Run<'b>>,
}

/// A record with the indices of its pictures.
#[derive(Clone, Debug)]
pub struct Run<'b> {
    /// The record.
    pub entry: &'b Entry,
    /// Indices of the ladder and of the scatter.
    pub pictures: Vec<usize>,
    /// Whether the pictures include the scatter.
    pub scatters: bool,
    /// The timeline of the run: the index of its picture, or its file and why it is not shown.
    pub timeline: Option<Result<usize, (PathBuf, String)>>,
}

/// The whole report.
#[derive(Clone, Debug)]
pub struct PageModel<'b> {
    /// Its title.
    pub title: String,
    /// The records.
    pub records: &'b Records,
    /// One card per chapter.
    pub cards: Vec<Card<'b>>,
    /// The chapters, in the order of [`Records::samples`].
    pub chapters: Vec<Chapter<'b>>,
    /// The first timeline, which precedes the chapters: the index of its picture.
    pub waves: Option<usize>,
    /// What the records of each device share.
    pub shared: Vec<Shared<'b>>,
    /// The pictures of all chapters.
    pub pictures: Vec<Picture>,
}

impl Chapter<'_> {
    /// The id of its heading. Ids are made of a record's, since the sample's name may contain any characters.
    pub fn id(&self) -> String {
        match self.runs.as_slice() {
            [run] => run.entry.id.clone(),
            _ => self.anchor("sample", 0),
        }
    }

    /// The id of one of its sections.
    pub fn anchor(&self, what: &str, at: usize) -> String {
        let first = self.runs.first().map_or("", |run| run.entry.id.as_str());
        format!("{what}-{first}-{at}")
    }
}

impl<'b> PageModel<'b> {
    /// Draws all pictures.
    pub fn of(records: &'b Records, title: String) -> Self {
        let (samples, shared) = (records.samples(), provenance::shared(records));
        let cards = samples.iter().filter_map(|sample| Card::of(records, sample)).collect();
        let mut content =
            Self { title, records, cards, chapters: vec![], waves: None, shared, pictures: vec![] };
        for sample in samples {
            let chapter = content.chapter(sample);
            content.chapters.push(chapter);
        }
        let mut runs = content.chapters.iter().flat_map(|chapter| &chapter.runs);
        content.waves = runs.find_map(|run| run.timeline.as_ref()?.as_ref().ok().copied());
        if let Some(at) = content.waves {
            content.pictures[at].rank = 0;
        }
        content
    }

    fn chapter(&mut self, sample: &'b str) -> Chapter<'b> {
        let mut chapter = Chapter { sample, comparisons: vec![], sweeps: vec![], runs: vec![] };
        for (at, comparison) in comparisons(self.records, sample).into_iter().enumerate() {
            let places = self.add(&format!("{sample}-devices-{}", at + 1), 0, comparison.draw());
            chapter.comparisons.push((comparison, places));
        }
        for (at, sweep) in sweeps(self.records, sample).into_iter().enumerate() {
            let places = self.add(&format!("{sample}-over-{}-{}", sweep.over, at + 1), 1, sweep.draw());
            chapter.sweeps.push((sweep, places));
        }
        for entry in self.records.of_sample(sample) {
            let stem = format!("{}-{sample}", entry.id);
            let mut pictures = self.add(&format!("{stem}-ladder"), 1, ladder::draw(entry));
            let scatter = self.add(&format!("{stem}-scatter"), 2, distribution::draw(entry));
            let scatters = !scatter.is_empty();
            pictures.extend(scatter);
            chapter.runs.push(Run { entry, pictures, scatters, timeline: self.timeline(entry, &stem) });
        }
        chapter
    }

    fn add(&mut self, name: &str, rank: u8, drawn: Vec<Svg>) -> Vec<usize> {
        let from = self.pictures.len();
        for (at, svg) in (1..).zip(drawn) {
            self.push(&format!("{name}-{at}"), rank, Body::Drawn(svg));
        }
        (from..self.pictures.len()).collect()
    }

    fn push(&mut self, name: &str, rank: u8, body: Body) -> usize {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        // Names of samples are untrusted, and file systems limit the length of names.
        let name = name.chars().map(plain).take(120).collect();
        self.pictures.push(Picture { name, body, rank, kept: false });
        self.pictures.len() - 1
    }

    fn timeline(&mut self, entry: &Entry, stem: &str) -> Option<Result<usize, (PathBuf, String)>> {
        let found = timeline::find(entry)?;
        Some(match found.address {
            Ok(address) => {
                Ok(self.push(&format!("{stem}-waves"), 3, Body::Image { address, path: found.path }))
            }
            Err(why) => Err((found.path, why)),
        })
    }

    /// Keeps as many further pictures as fit into `room` bytes: comparisons first, timelines last, but for the
    /// one at the head of the page.
    pub fn keep(&mut self, mut room: usize) {
        for rank in 0..=3 {
            for picture in self.pictures.iter_mut().filter(|picture| picture.rank == rank && !picture.kept) {
                let size = picture.size() + AROUND;
                picture.kept = size <= room;
                if picture.kept {
                    room -= size;
                }
            }
        }
    }
}

/// Estimated bytes of markup around a picture in the page.
const AROUND: usize = 200;
