//! Shapes of timelines that [`Scene`] does not have, and the style sheet with their colours.

use anyhow::Result;

use super::axes::whole;
use super::colours::{COLOURS, Colours, Ink, Map, ON, PARTS, SHADES, Theme, colours, waiting};
use crate::scene::{Area, Escaped, Hex, Number, Pixels, Scene};

/// The scene as an SVG file; `title` is for screen readers.
pub(crate) fn svg(scene: &Scene, size: [f64; 2], theme: Theme, title: &str) -> String {
    let head = format!(
        "<title>{}</title>\n<style>\n{}</style>\n{PATTERNS}<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n",
        Escaped(title),
        styles(theme),
        Number(size[0]),
        Number(size[1]),
    );
    scene.svg(size, " role=\"img\"", &head)
}

/// Stripes at 45 degrees.
const PATTERNS: &str = "<defs>\n\
     <pattern id=\"band-stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
     <rect class=\"stripe\" width=\"1.5\" height=\"6\"/></pattern>\n\
     <pattern id=\"paper-stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
     <rect class=\"paper\" width=\"2.5\" height=\"6\"/></pattern>\n</defs>\n";

fn styles(theme: Theme) -> String {
    let mut css = String::from(
        "text{font-family:system-ui,-apple-system,'Segoe UI','Noto Sans',Roboto,Helvetica,Arial,sans-serif}\n\
         .steps{shape-rendering:crispEdges}\n\
         .stripes{fill:url(#band-stripes)}.cuts{fill:url(#paper-stripes)}\n",
    );
    for (part, (colour, on)) in COLOURS.into_iter().zip(ON).enumerate() {
        css += &format!(".p{part}{{fill:{}}}.o{part}{{fill:{}}}\n", Hex(colour), Hex(on));
    }
    css += &papers(colours(theme));
    if theme == Theme::Auto {
        css += &format!(
            ":root{{color-scheme:light dark}}\n@media (prefers-color-scheme:dark){{\n{}}}\n",
            papers(colours(Theme::Dark))
        );
    }
    css
}

/// The styles that depend on the background.
fn papers(colours: Colours) -> String {
    let waits = (0..PARTS).map(|part| (format!("w{part}"), waiting(part, colours)));
    let inks = colours.into_iter().map(|(class, ink)| (class.to_owned(), ink)).chain(waits);
    inks.map(|(class, ink)| format!(".{class}{{fill:{}}}", Hex(ink))).collect::<String>() + "\n"
}

/// A dashed line to the right. It is made of rectangles: dashed strokes would need a style of their own for each
/// ink.
pub(super) fn dashes(scene: &mut Scene, [left, top]: [f64; 2], length: f64, ink: Ink) {
    const DASH: f64 = 5.0;
    const PERIOD: f64 = 9.0;
    let starts = (0..).map(|at| PERIOD * f64::from(at)).take_while(move |start| *start < length);
    let dash = |start: f64| {
        let (left, top, wide) = (Number(left + start), Number(top - 0.5), DASH.min(length - start));
        format!("M{left} {top}h{0}v1h-{0}z", Number(wide))
    };
    scene.path(&starts.map(dash).collect::<String>(), ink);
}

/// A step area on a base line: each column is `step` wide, heights are in half pixels.
pub(super) fn steps(scene: &mut Scene, [left, base]: [f64; 2], step: f64, heights: &[u32], ink: Ink) {
    let class = ink.to_string().replace("class=\"", "class=\"steps ");
    let [left, base, step] = [left, base, step].map(Number);
    let place = format!("{class} transform=\"translate({left} {base}) scale({step} .5)\"");
    scene.path(&outline(heights), place);
}

/// The outline as relative moves, with one move per run of equal columns: outlines are most of the file.
fn outline(heights: &[u32]) -> String {
    let mut text = String::from("M0 0");
    let mut from = 0_i64;
    let mut run = 0;
    for (at, &height) in heights.iter().enumerate() {
        let height = i64::from(height);
        if height != from {
            if run > 0 {
                text += &format!("h{run}");
            }
            text += &format!("v{}", from - height);
            (from, run) = (height, 0);
        }
        run += 1;
        if at + 1 == heights.len() {
            text += &format!("h{run}");
        }
    }
    text + "V0z"
}

/// Draws the map with its opacities, so that the background shows through.
pub(super) fn map(scene: &mut Scene, area: Area, map: &Map) -> Result<()> {
    let rows = u32::try_from(map.cells.len() / map.columns.max(1))?;
    let (mut colours, mut cover) = (vec![0; 3], vec![0]);
    for colour in COLOURS {
        for shade in 1..=SHADES {
            colours.extend(colour);
            cover.push(u8::try_from(whole((255.0 * Map::cover(shade)).round())).unwrap_or(u8::MAX));
        }
    }
    let size = [u32::try_from(map.columns)?, rows];
    scene.image(area, &Pixels { size, cells: map.cells.clone(), palette: Some((colours, cover)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_columns_are_one_stroke() {
        assert_eq!(outline(&[4, 4, 4, 10, 0, 0]), "M0 0v-4h3v-6h1v10h2V0z");
        assert_eq!(outline(&[0, 0, 3]), "M0 0h2v-3h1V0z");
        assert_eq!(outline(&[5]), "M0 0v-5h1V0z");
    }
}
