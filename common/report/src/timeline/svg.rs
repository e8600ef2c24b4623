//! A scene as SVG.

use std::fmt::{Display, Write};

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Theme;
use super::colours::{COLOURS, Colours};
use super::scene::{Anchor, Area, Ink, Map, PARTS, SHADES, Scene, Shape, Stripes, Words};

const INKS: [(Ink, &str); 6] = [
    (Ink::Text, "text"),
    (Ink::Faint, "faint"),
    (Ink::Grid, "grid"),
    (Ink::Band, "band"),
    (Ink::Gap, "gap"),
    (Ink::Warning, "warning"),
];

/// The scene as a file of its own; `title` is what a reader hears who does not see it.
pub(super) fn svg(scene: &Scene, theme: Theme, title: &str) -> Result<String> {
    let [width, height] = scene.size.map(Number);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n<style>\n{}</style>\n{PATTERNS}\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
        Escaped(title),
        styles(theme)
    );
    for shape in &scene.shapes {
        write(&mut text, shape)?;
    }
    text += "</svg>\n";
    Ok(text)
}

/// Stripes at 45 degrees; what draws pixels has the same ones.
const PATTERNS: &str = "<defs>\n\
     <pattern id=\"band-stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
     <rect class=\"stripe\" width=\"1.5\" height=\"6\"/></pattern>\n\
     <pattern id=\"paper-stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
     <rect class=\"paper\" width=\"2.5\" height=\"6\"/></pattern>\n</defs>\n";

fn styles(theme: Theme) -> String {
    let mut css = String::from(
        "text{font-family:system-ui,-apple-system,'Segoe UI','Noto Sans',Roboto,Helvetica,Arial,sans-serif}\n\
         .bold{font-weight:700}.middle{text-anchor:middle}.end{text-anchor:end}\n\
         .map{image-rendering:pixelated}.steps{shape-rendering:crispEdges}\n\
         .hatch{fill:url(#band-stripes)}.cut{fill:url(#paper-stripes)}\n",
    );
    for part in 0..PARTS {
        let [colour, on] = [Ink::Part(part), Ink::OnPart(part)].map(|ink| Colours::of(theme).ink(ink));
        css += &format!(".p{part}{{fill:{}}}.o{part}{{fill:{}}}\n", Hex(colour), Hex(on));
    }
    css += &papers(Colours::of(theme));
    if theme == Theme::Auto {
        css += &format!(
            ":root{{color-scheme:light dark}}\n@media (prefers-color-scheme:dark){{\n{}}}\n",
            papers(Colours::of(Theme::Dark))
        );
    }
    css
}

/// What differs from paper to paper.
fn papers(colours: Colours) -> String {
    let mut css = format!(
        ".paper{{fill:{}}}.stripe{{fill:{}}}",
        Hex(colours.paper),
        Hex(colours.stripes(Stripes::Band))
    );
    for (ink, class) in INKS {
        css += &format!(".{class}{{fill:{}}}", Hex(colours.ink(ink)));
    }
    for part in 0..PARTS {
        css += &format!(".w{part}{{fill:{}}}", Hex(colours.ink(Ink::Waiting(part))));
    }
    css + "\n"
}

fn write(text: &mut String, shape: &Shape) -> Result<()> {
    match shape {
        Shape::Fill(area, ink) => writeln!(text, "<rect class=\"{}\"{}/>", class(*ink), Placed(area))?,
        Shape::Hatch(area, stripes) => {
            let class = if *stripes == Stripes::Band { "hatch" } else { "cut" };
            writeln!(text, "<rect class=\"{class}\"{}/>", Placed(area))?;
        }
        Shape::Paper(area) => writeln!(text, "<rect class=\"paper\"{}/>", Placed(area))?,
        Shape::Dashes { from, length, ink } => dashes(text, *from, *length, *ink)?,
        Shape::Steps { left, base, step, heights, ink } => {
            let (class, left, base, step) = (class(*ink), Number(*left), Number(*base), Number(*step));
            write!(
                text,
                "<path class=\"steps {class}\" transform=\"translate({left} {base}) scale({step} .5)\" d=\""
            )?;
            outline(text, heights)?;
            text.push_str("\"/>\n");
        }
        Shape::Words(words) => line(text, words)?,
        Shape::Map(area, map) => {
            let data = STANDARD.encode(indexed(map).context("the map has no form as PNG")?);
            writeln!(
                text,
                "<image class=\"map\"{} preserveAspectRatio=\"none\" href=\"data:image/png;base64,{data}\"/>",
                Placed(area)
            )?;
        }
    }
    Ok(())
}

/// Rectangles: dashes of a stroke would need a style of their own for each ink.
fn dashes(text: &mut String, [left, top]: [f64; 2], length: f64, ink: Ink) -> Result<()> {
    write!(text, "<path class=\"{}\" d=\"", class(ink))?;
    for dash in super::raster::dashes(left, length) {
        write!(text, "M{} {}h{}v1h-{}z", Number(dash.0), Number(top - 0.5), Number(dash.1), Number(dash.1))?;
    }
    text.push_str("\"/>\n");
    Ok(())
}

/// Relative moves, and one for a run of equal columns: this is most of the file.
fn outline(text: &mut String, heights: &[u32]) -> Result<()> {
    text.push_str("M0 0");
    let mut from = 0_i64;
    let mut run = 0;
    for (at, &height) in heights.iter().enumerate() {
        let height = i64::from(height);
        if height != from {
            if run > 0 {
                write!(text, "h{run}")?;
            }
            write!(text, "v{}", from - height)?;
            (from, run) = (height, 0);
        }
        run += 1;
        if at + 1 == heights.len() {
            write!(text, "h{run}")?;
        }
    }
    text.push_str("V0z");
    Ok(())
}

fn line(text: &mut String, words: &Words) -> Result<()> {
    let [x, y] = words.at.map(Number);
    let bold = if words.bold { " bold" } else { "" };
    let anchor = match words.anchor {
        Anchor::Start => "",
        Anchor::Middle => " middle",
        Anchor::End => " end",
    };
    let place = if words.upright {
        format!("transform=\"translate({x} {y}) rotate(-90)\"")
    } else {
        format!("x=\"{x}\" y=\"{y}\"")
    };
    writeln!(
        text,
        "<text class=\"{}{bold}{anchor}\" {place} font-size=\"{}\">{}</text>",
        class(words.ink),
        Number(words.size),
        Escaped(&words.text)
    )?;
    Ok(())
}

fn class(ink: Ink) -> String {
    match ink {
        Ink::Part(at) => format!("p{}", at % PARTS),
        Ink::Waiting(at) => format!("w{}", at % PARTS),
        Ink::OnPart(at) => format!("o{}", at % PARTS),
        other => INKS.iter().find(|(ink, _)| *ink == other).map_or("text", |(_, class)| class).into(),
    }
}

/// The map's cells as they are, so that its paper is whatever lies below.
fn indexed(map: &Map) -> Result<Vec<u8>> {
    let columns = u32::try_from(map.columns)?;
    let rows = u32::try_from(map.cells.len() / map.columns.max(1))?;
    let mut palette = vec![0; 3];
    let mut alpha = vec![0];
    for colour in COLOURS {
        for shade in 1..=SHADES {
            palette.extend(colour);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
            alpha.push((255.0 * Map::cover(shade)).round() as u8);
        }
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns, rows);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_trns(alpha);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&map.cells)?;
    writer.finish()?;
    Ok(file)
}

/// Attributes of a rectangle.
struct Placed<'a>(&'a Area);

impl Display for Placed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Area { left, top, width, height } = *self.0;
        let [x, y, width, height] = [left, top, width, height].map(Number);
        write!(f, " x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"")
    }
}

/// With two decimals at the most.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

struct Hex([u8; 3]);

impl Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Names of devices and kernels are not ours.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                // XML has no form for them at all.
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlined(heights: &[u32]) -> String {
        let mut text = String::new();
        outline(&mut text, heights).unwrap();
        text
    }

    #[test]
    fn equal_columns_are_one_stroke() {
        assert_eq!(outlined(&[4, 4, 4, 10, 0, 0]), "M0 0v-4h3v-6h1v10h2V0z");
        assert_eq!(outlined(&[0, 0, 3]), "M0 0h2v-3h1V0z");
        assert_eq!(outlined(&[5]), "M0 0v-5h1V0z");
    }

    #[test]
    fn foreign_names_break_nothing() {
        assert_eq!(Escaped("a<b> & \u{1}c").to_string(), "a&lt;b&gt; &amp;  c");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 0.5, -0.25, 123.456, 0.0].map(|n| Number(n).to_string()),
            ["1", "0.5", "-0.25", "123.46", "0"]
        );
    }
}
