//! The tables of `--code`: a row a variant and kernel, a table a chip.

mod columns;
mod notes;
mod reported;

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use isa::{ChipCode, CodeReport, KernelCode, Outcome, VariantCode};

use super::below::wrapped;
use super::charset::Charset;
use super::figure::{ABSENT, BLANK, width};
use columns::{COLUMNS, Column, LEAST};

/// The kernels with their numbers, then what each chip's compiler made of them, in `room` columns where
/// that is possible, and how to read it. Ends with a newline.
#[must_use]
pub fn code(charset: Charset, room: u16, report: &CodeReport) -> String {
    let mut text = String::new();
    for (number, kernel) in (1..).zip(&report.kernels) {
        text += &wrapped(&format!("Kernel {number}: {}", described(kernel, &report.kernels)), room);
    }
    if let Some(reported) = &report.reported {
        text += &reported::table(charset, room, report, reported);
        return charset.fit(&text).into_owned();
    }
    let mut shown: Vec<notes::Shown<'_>> = Vec::new();
    for chip in &report.chips {
        let (table, columns) = drawn(charset, room, report, chip);
        text += &format!("\n{}, {}\n{table}", chip.device, chip.driver);
        shown.push((chip, &COLUMNS[..columns]));
    }
    text.push('\n');
    for line in notes::notes(report, &shown) {
        text += &wrapped(&line, room);
    }
    charset.fit(&text).into_owned()
}

/// Name, workgroup, and the constants in which it differs from others of its name.
fn described(kernel: &KernelCode, all: &[KernelCode]) -> String {
    let [x, y, z] = kernel.workgroup;
    let mut parts = vec![kernel.name.clone(), format!("workgroup {x}x{y}x{z}")];
    let same = || all.iter().filter(|other| other.name == kernel.name);
    for (name, value) in &kernel.constants {
        if same().any(|other| other.constants.get(name) != Some(value)) {
            parts.push(format!("{name}={value}"));
        }
    }
    parts.join(", ")
}

/// The table with as many columns as there is room for, and how many these are.
fn drawn(charset: Charset, room: u16, report: &CodeReport, chip: &ChipCode) -> (String, usize) {
    let fits = |text: &str| text.lines().all(|line| width(line) <= usize::from(room));
    let mut tables =
        (LEAST..=COLUMNS.len()).rev().map(|columns| (draw(charset, report, chip, columns), columns));
    let widest = tables.find(|(text, _)| fits(text));
    widest.unwrap_or_else(|| (draw(charset, report, chip, LEAST), LEAST))
}

fn draw(charset: Charset, report: &CodeReport, chip: &ChipCode, columns: usize) -> String {
    let columns = &COLUMNS[..columns];
    let heads = columns.iter().map(|column| column.head_of(chip).replace(' ', "\n"));
    let mut table = plain(charset);
    table.set_header(["Variant".to_owned(), "Kernel".to_owned()].into_iter().chain(heads));
    for variant in &report.variants {
        for row in rows(variant, chip, columns) {
            table.add_row(row.iter().map(|cell| charset.fit_part(cell).into_owned()));
        }
    }
    for index in 0..columns.len() + 2 {
        if let Some(drawn) = table.column_mut(index) {
            drawn.set_padding((0, u16::from(index <= columns.len())));
            let is_text = index == 0 || columns.get(index.wrapping_sub(2)).is_some_and(|c| c.is_text);
            drawn.set_cell_alignment(if is_text { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    table.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned() + "\n").collect()
}

/// A table with rules and nothing else.
fn plain(charset: Charset) -> Table {
    let rule = LineStyle::none().fill(charset.rule()).junction(charset.rule());
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// A row for each kernel of a variant, which is named in the first.
fn rows(variant: &VariantCode, chip: &ChipCode, columns: &[Column]) -> Vec<Vec<String>> {
    if variant.left_out.is_some() {
        return vec![vec![variant.variant.clone(), "skipped".into()]];
    }
    let row = |(at, &kernel): (usize, &usize)| {
        let name = if at == 0 { variant.variant.clone() } else { String::new() };
        let figures: Vec<String> = match chip.kernels.get(kernel) {
            Some(Outcome::Compiled(compiled)) => columns.iter().map(|column| (column.of)(compiled)).collect(),
            _ => vec![ABSENT.to_owned(); columns.len()],
        };
        [name, (kernel + 1).to_string()].into_iter().chain(figures).collect()
    };
    variant.kernels.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use isa::{Compiled, Counts, INSTRUCTION_CACHE, Limit, Occupancy, SCHEMA, Shed, Unit};
    use record::Tool;

    use super::*;

    fn kernel(particles: u32) -> KernelCode {
        KernelCode {
            name: "physics/solve.comp [LEAN]".into(),
            spirv_sha256: String::new(),
            constants: [("ITERATIONS".to_owned(), 8), ("PARTICLES".to_owned(), particles)].into(),
            workgroup: [1024, 1, 1],
        }
    }

    fn compiled(occupancy: Option<Occupancy>, counts: Option<Counts>) -> Outcome {
        Outcome::Compiled(Box::new(Compiled {
            subgroup_size: 64,
            vgprs: 32,
            sgprs: 48,
            spilled_vgprs: 0,
            spilled_sgprs: 2,
            scratch_bytes: 0,
            lds_bytes: 32_768,
            code_bytes: 7004,
            subgroups_per_simd: 8,
            waves_per_simd: occupancy.as_ref().map(|_| 8),
            occupancy,
            counts,
        }))
    }

    fn chip(chip: &str, kernels: Vec<Outcome>) -> ChipCode {
        let (device, driver) = (format!("Null hardware (RADV {chip})"), "Mesa 22.3.6".into());
        ChipCode { chip: chip.into(), device, driver, instruction_cache: INSTRUCTION_CACHE, kernels }
    }

    fn variant(variant: &str, kernels: &[usize], left_out: Option<&str>) -> VariantCode {
        VariantCode {
            variant: variant.into(),
            kernels: kernels.into(),
            left_out: left_out.map(str::to_owned),
        }
    }

    fn tool() -> Tool {
        let [name, version, build, shaders] = ["hot-lap", "0.1.0", "debug", "embedded"].map(str::to_owned);
        Tool { name, version, commit: None, dirty: None, build, shaders }
    }

    pub(super) fn report() -> CodeReport {
        let shed = Some(Shed { vgprs: 8, lds_bytes: 1024, sgprs: 0 });
        let limits = vec![Limit::Vgprs, Limit::Lds];
        let on =
            |unit| Occupancy { unit, groups: 2, limits: limits.clone(), shed, waves: 32, waves_per_simd: 8 };
        let counts = Counts {
            vmem_loads: 9,
            vmem_loads_glc: 3,
            vmem_stores: 2,
            vmem_stores_glc: 2,
            lds: 120,
            backward_branches: 1,
            ..Counts::default()
        };
        let refused = Outcome::Refused("it has no 16-bit integers".into());
        let vega = vec![compiled(Some(on(Unit::Cu)), Some(counts)), refused];
        let slots = Occupancy { limits: vec![Limit::Waves], shed: None, ..on(Unit::Wgp) };
        let plain = Counts { vmem_loads: 9, vmem_stores: 2, ..Counts::default() };
        let navi = vec![compiled(Some(on(Unit::Wgp)), Some(plain)), compiled(Some(slots), Some(plain))];
        CodeReport {
            schema: SCHEMA,
            tool: tool(),
            sample: "group_physics".into(),
            command: Vec::new(),
            configuration: [].into(),
            declared_on: "llvmpipe".into(),
            declared_for_subgroups_of: 8,
            kernels: vec![kernel(512), kernel(1024)],
            variants: vec![
                variant("lean", &[0], None),
                variant("in_two_kernels", &[0, 1], None),
                variant("half", &[], Some("the device has no 16-bit floats")),
            ],
            reported: None,
            chips: vec![
                chip("VEGA10", vega),
                chip("GFX1100", navi),
                chip("ALDEBARAN", vec![compiled(None, None), compiled(None, None)]),
            ],
            failed: [].into(),
        }
    }

    #[test]
    fn two_chips() {
        insta::assert_snapshot!(code(Charset::Utf8, 180, &report()));
    }

    #[test]
    fn narrow_in_ascii() {
        insta::assert_snapshot!(code(Charset::Ascii, 100, &report()));
    }

    #[test]
    fn in_80_columns() {
        insta::assert_snapshot!(code(Charset::Utf8, 80, &report()));
    }

    #[test]
    fn in_60_columns() {
        insta::assert_snapshot!(code(Charset::Utf8, 60, &report()));
    }

    #[test]
    fn in_160_columns() {
        insta::assert_snapshot!(code(Charset::Utf8, 160, &report()));
    }

    /// A note explains nothing that is not there.
    #[test]
    fn marks_are_explained_where_they_are_shown() {
        for room in 60..230 {
            let text = code(Charset::Utf8, room, &report());
            let (tables, notes) = text.rsplit_once("\n\n").unwrap();
            let explained = |note: &str| notes.replace("\n  ", " ").contains(note);
            assert_eq!(tables.contains('*'), explained("* Counted in the code"), "{room}\n{text}");
            assert_eq!(tables.contains("(driver)"), explained("Waves (driver): its own"), "{room}\n{text}");
            assert_eq!(tables.contains("Shed"), explained("– where wave slots"), "{room}\n{text}");
        }
    }

    #[test]
    fn what_limits_a_kernel_is_shown_in_80_columns() {
        let text = code(Charset::Utf8, 80, &report());
        let (tables, _) = text.rsplit_once("\n\n").unwrap();
        for head in ["VGPRs", "LDS", "Groups", "Limited", "Shed", "of I$"] {
            assert!(tables.matches(head).count() >= 3, "{head}\n{text}");
        }
    }

    #[test]
    fn code_larger_than_the_cache_is_told() {
        let mut report = report();
        assert!(!code(Charset::Utf8, 100, &report).contains("KiB, which several"));
        let Outcome::Compiled(compiled) = &mut report.chips[1].kernels[1] else { panic!("{report:?}") };
        compiled.code_bytes = 33_000;
        let text = code(Charset::Utf8, 200, &report);
        assert!(text.contains("Kernel 2 on GFX1100: 33000 bytes of code are more than"), "{text}");
        assert!(text.contains("101 %"), "{text}");
    }

    #[test]
    fn loads_without_glc_are_told() {
        let mut report = report();
        report.chips.remove(0);
        let text = code(Charset::Utf8, 200, &report);
        assert!(text.contains("No load has glc") && !text.contains("RADV 22.3.6 marks"), "{text}");
    }

    #[test]
    fn the_least_stays_and_the_rest_fits() {
        for room in 60..230 {
            let text = code(Charset::Utf8, room, &report());
            for column in &COLUMNS {
                let head = column.name();
                let first = head.split(' ').next().unwrap_or_default();
                assert!(text.contains(first), "{head} at {room}\n{text}");
            }
            let widest = text.lines().map(width).max().unwrap_or(0);
            assert!(room < 72 || widest <= usize::from(room), "{widest} at {room}\n{text}");
        }
    }
}
