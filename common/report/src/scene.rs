//! Pictures, written as SVG; a PNG is rendered from the same SVG.

use std::fmt::{Display, Formatter, Write};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Extends to the right.
    pub width: f64,
    /// Extends downwards.
    pub height: f64,
}

impl Area {
    /// Its right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Its lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// The colour that fills a shape, as an attribute of its element.
#[derive(Clone, Copy, Debug)]
pub struct Fill(pub Rgb);

impl Display for Fill {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, " fill=\"{}\"", Hex(self.0))
    }
}

/// The colour and width of a shape's outline.
#[derive(Clone, Copy, Debug)]
pub struct Stroke(pub Rgb, pub f64);

impl Display for Stroke {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, " fill=\"none\" stroke=\"{}\"", Hex(self.0))?;
        if self.1 == 1.0 { Ok(()) } else { write!(f, " stroke-width=\"{}\"", Number(self.1)) }
    }
}

/// How a text is aligned to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    at: [f64; 2],
    size: f64,
    bold: bool,
    upright: bool,
    anchor: Anchor,
    ink: String,
    text: String,
}

impl Words {
    /// A text at a point on its baseline.
    pub fn new(at: [f64; 2], size: f64, ink: impl Display, text: impl Into<String>) -> Self {
        let (ink, text) = (ink.to_string(), text.into());
        Self { at, size, bold: false, upright: false, anchor: Anchor::Start, ink, text }
    }

    /// Makes the text bold.
    #[must_use]
    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// Rotates the text so that it is read from bottom to top.
    #[must_use]
    pub fn upright(self) -> Self {
        Self { upright: true, ..self }
    }

    /// Sets the alignment.
    #[must_use]
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

impl Display for Words {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let [x, y] = self.at.map(Number);
        let place = if self.upright {
            format!(" transform=\"translate({x} {y}) rotate(-90)\"")
        } else {
            format!(" x=\"{x}\" y=\"{y}\"")
        };
        let anchor = match self.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let bold = if self.bold { " font-weight=\"bold\"" } else { "" };
        let (ink, size, text) = (&self.ink, Number(self.size), Escaped(&self.text));
        writeln!(f, "<text{ink}{place}{anchor}{bold} font-size=\"{size}\">{text}</text>")
    }
}

/// A picture; later shapes cover earlier ones. The `ink` of a shape is anything that formats as attributes of its
/// element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    body: String,
}

impl Scene {
    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
    }

    /// A rectangle.
    pub fn area(&mut self, area: Area, ink: impl Display) {
        self.add(format_args!("<rect{ink}{area}/>\n"));
    }

    /// A path in SVG's path syntax.
    pub fn path(&mut self, strokes: &str, ink: impl Display) {
        self.add(format_args!("<path{ink} d=\"{strokes}\"/>\n"));
    }

    /// A line through points.
    pub fn line(&mut self, points: &[[f64; 2]], ink: impl Display) {
        self.path(&through(points), ink);
    }

    /// A closed polygon.
    pub fn polygon(&mut self, corners: &[[f64; 2]], ink: impl Display) {
        self.path(&(through(corners) + "z"), ink);
    }

    /// A circle.
    pub fn circle(&mut self, centre: [f64; 2], radius: f64, ink: impl Display) {
        let ([x, y], radius) = (centre.map(Number), Number(radius));
        self.add(format_args!("<circle{ink} cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\n"));
    }

    /// A line of text.
    pub fn words(&mut self, words: &Words) {
        self.add(format_args!("{words}"));
    }

    /// An image that fills the area, without interpolation.
    ///
    /// # Errors
    /// If it cannot be encoded as PNG.
    pub fn image(&mut self, area: Area, pixels: &Pixels) -> Result<()> {
        let data = STANDARD.encode(pixels.png().context("an image has no form as PNG")?);
        self.add(format_args!(
            "<image{area} preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
             href=\"data:image/png;base64,{data}\"/>\n"
        ));
        Ok(())
    }

    /// The picture as a file or as an element of a page. `head` precedes all shapes; `attributes` are added to the
    /// outermost element.
    #[must_use]
    pub fn svg(&self, size: [f64; 2], attributes: &str, head: &str) -> String {
        let ([width, height], body) = (size.map(Number), &self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\"{attributes}>\n{head}{body}</svg>\n"
        )
    }
}

fn through(points: &[[f64; 2]]) -> String {
    let mut path = String::new();
    for (at, [x, y]) in points.iter().map(|point| point.map(Number)).enumerate() {
        path += &format!("{}{x} {y}", if at == 0 { 'M' } else { 'L' });
    }
    path
}

/// An image in a picture.
#[derive(Clone, Debug)]
pub struct Pixels {
    /// Columns and rows.
    pub size: [u32; 2],
    /// One byte per pixel, row by row; without a palette three bytes per pixel.
    pub cells: Vec<u8>,
    /// RGB colours and opacities of the palette. `None` if the cells hold red, green and blue.
    pub palette: Option<(Vec<u8>, Vec<u8>)>,
}

impl Pixels {
    /// An image of the given colours.
    #[must_use]
    pub fn of(size: [u32; 2], colours: &[Rgb]) -> Self {
        Self { size, cells: colours.concat(), palette: None }
    }

    fn png(&self) -> Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size[0], self.size[1]);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_color(png::ColorType::Rgb);
        if let Some((colours, cover)) = &self.palette {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(&colours[..]);
            encoder.set_trns(&cover[..]);
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.cells)?;
        writer.finish()?;
        Ok(file)
    }
}

/// The embedded font: the machine may have no fonts.
const FAMILY: &str = "Noto Sans";

/// Renders an SVG as PNG with `scale` pixels per unit.
///
/// # Errors
/// If the text is no SVG or the picture is too large.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        for font in [notosans::REGULAR_TTF, notosans::BOLD_TTF] {
            fonts.load_font_data(font.to_vec());
        }
        fonts.set_sans_serif_family(FAMILY);
        Arc::new(fonts)
    });
    let options = Options { fontdb: Arc::clone(fonts), font_family: FAMILY.into(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).context("reading a picture")?;
    let size = tree.size().to_int_size().scale_by(scale);
    let pixels = size.and_then(|size| Pixmap::new(size.width(), size.height()));
    let mut pixels = pixels.context("the picture is too large for a PNG")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().context("the picture has no form as PNG")
}

/// Estimated width of a text in the widest font that a viewer is likely to have (DejaVu Sans).
#[must_use]
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '(' | ')' | 't' | 'f' | 'r' | '['
        | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 1.0,
        '\u{1100}'.. if c as u32 >= 0x2e80 => 1.05,
        '±' | '×' | '÷' | '≈' | '<' | '>' | '=' | '~' | '+' | '−' => 0.84,
        'A'..='Z' => 0.74,
        _ => 0.64,
    };
    text.chars().map(em).sum::<f64>() * size * if bold { 1.14 } else { 1.0 }
}

/// `text` in lines that are no wider than `room`, broken at blanks, else after a punctuation mark, else anywhere.
/// Nothing is cut.
#[must_use]
pub fn broken(text: &str, size: f64, bold: bool, room: f64) -> Vec<String> {
    let wide = |text: &str| text_width(text, size, bold);
    let text = text.replace(['\n', '\t'], " ");
    let mut lines = Vec::new();
    let mut line = String::new();
    for part in text.split_inclusive([' ', ',', '_', '-', '/']) {
        if wide(&line) + wide(part.trim_end()) > room - 0.01 && !line.is_empty() {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        for c in part.chars() {
            if wide(&line) + wide(c.encode_utf8(&mut [0; 4])) > room && c != ' ' {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines.retain(|line| !line.is_empty());
    lines
}

impl Display for Area {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let [x, y, width, height] = [self.left, self.top, self.width, self.height].map(Number);
        write!(f, " x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"")
    }
}

/// A number with at most two decimals.
pub(super) struct Number(pub f64);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// A colour in the notation of SVG and CSS.
pub(super) struct Hex(pub Rgb);

impl Display for Hex {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Text escaped for XML. Names of devices, kernels and files come from outside: characters that XML does not allow
/// or that change the text direction are replaced by U+FFFD.
pub(super) struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '\n' | '\t' => f.write_char(' ')?,
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
                    f.write_char('\u{fffd}')?;
                }
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Width and the pixels, row by row.
    pub(crate) fn decoded(png: &[u8]) -> (usize, Vec<Rgb>) {
        let pixels = Pixmap::decode_png(png).unwrap();
        let rgb = pixels.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
        (pixels.width() as usize, rgb.collect())
    }

    #[test]
    fn foreign_names_break_nothing() {
        assert_eq!(Escaped("a<b> & \u{1}c\u{202e}").to_string(), "a&lt;b&gt; &amp; \u{fffd}c\u{fffd}");
        let mut scene = Scene::default();
        for name in ["<script>alert(1)</script>", "\u{0}\u{1}\u{b}", "&lt;", "]]>", "日本", "\"'"] {
            scene.words(&Words::new([0.0, 9.0], 9.0, Fill([0; 3]), name));
        }
        let svg = scene.svg([9.0, 9.0], "", "");
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;") && svg.contains("&amp;lt;"));
        assert!(png(&svg, 1.0).unwrap().starts_with(b"\x89PNG"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 0.5, -0.25, 123.456, 0.0].map(|n| Number(n).to_string()),
            ["1", "0.5", "-0.25", "123.46", "0"]
        );
    }

    #[test]
    fn a_png_shows_letters_shapes_and_the_pixels_of_images() {
        let of = |text: &str| {
            let mut scene = Scene::default();
            let area = |left| Area { left, top: 0.0, width: 4.0, height: 20.0 };
            scene.area(area(0.0), Fill([1, 2, 3]));
            scene.image(area(4.0), &Pixels::of([1, 2], &[[4, 5, 6], [7, 8, 9]])).unwrap();
            scene.words(&Words::new([10.0, 15.0], 12.0, Fill([255; 3]), text));
            decoded(&png(&scene.svg([40.0, 20.0], "", ""), 1.0).unwrap())
        };
        let (width, pixels) = of("aaa");
        assert_eq!((width, pixels.len()), (40, 800));
        assert_eq!(
            [pixels[0], pixels[7], pixels[9 * 40 + 5], pixels[10 * 40 + 5]],
            [[1, 2, 3], [4, 5, 6], [4, 5, 6], [7, 8, 9]]
        );
        assert!(pixels != of("bbb").1, "without a font both would be the same");
    }

    #[test]
    fn nothing_of_a_text_is_lost_and_every_line_fits() {
        let broken = |text: &str, room: f64| broken(text, 12.0, false, room);
        let name = "a_very_long_name_of_a_variant".repeat(6) + &"x".repeat(200);
        for room in [60.0, 200.0, 420.0] {
            let lines = broken(&name, room);
            assert_eq!(lines.concat(), name);
            assert!(lines.iter().all(|line| text_width(line, 12.0, false) <= room), "{room}: {lines:?}");
        }
        assert_eq!(broken("one two", 1000.0), ["one two"]);
        for room in 60..400 {
            let lines = broken("align 8, images one per pass, radius 2", f64::from(room));
            assert_eq!(lines.join(" "), "align 8, images one per pass, radius 2", "words stay whole");
        }
    }
}
