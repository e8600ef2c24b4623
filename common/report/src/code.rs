//! The tables of `--code`: one table per chip, one row per variant and kernel.

mod columns;
mod machine_code;
mod notes;
mod reported;

use isa::{ChipCode, CodeReport, Compiled, KernelCode};

use super::charset::Charset;
use super::paper::Paper;
use super::table::{Column, Side, Table};
use columns::{COLUMNS, rows};

/// The numbered kernels, then the compiler statistics of each chip and notes on how to read them. Lines have at most
/// `room` columns where that is possible. Ends with a newline.
#[must_use]
pub fn code(charset: Charset, room: u16, report: &CodeReport) -> String {
    let mut paper = Paper::new(charset, room);
    for (number, kernel) in (1..).zip(&report.kernels) {
        paper.line(&format!("Kernel {number}: {}", described(kernel, &report.kernels)));
    }
    if let Some(reported) = &report.reported {
        reported::write(&mut paper, report, reported);
        return paper.text();
    }
    for chip in &report.chips {
        paper.gap();
        paper.line(&format!("{}, {}", chip.device, chip.driver));
        paper.table(&table(report, chip));
    }
    paper.gap();
    notes::notes(report).iter().for_each(|line| paper.line(line));
    paper.text()
}

/// The kernel's name, its workgroup size, and the constants in which it differs from other kernels of the same name.
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

/// One row per kernel of a variant; only the first row names the variant.
fn table(report: &CodeReport, chip: &ChipCode) -> Table {
    let rows: Vec<(&str, Option<usize>)> = rows(report).collect();
    let mut table = Table::new("Variant", rows.iter().map(|(name, _)| (*name).to_owned()))
        .with_words(rows.iter().map(|(_, kernel)| kernel.is_none().then(|| "skipped".to_owned())).collect())
        .apart(1);
    let number = |(_, kernel): &(&str, Option<usize>)| Some((kernel.as_ref()? + 1).to_string());
    table.push(Column::new(Side::Right, "Kernel", rows.iter().map(number)));
    for column in &COLUMNS {
        let compiled = |kernel: &Option<usize>| chip.kernels.get((*kernel)?)?.compiled();
        let cell = |(_, kernel): &(&str, Option<usize>)| compiled(kernel).map(|c: &Compiled| (column.of)(c));
        let side = if column.is_text { Side::Left } else { Side::Right };
        table.push(Column::new(side, column.head_of(chip), rows.iter().map(cell)));
    }
    table
}

#[cfg(test)]
mod tests {
    use isa::{Counts, INSTRUCTION_CACHE, Limit, Occupancy, Outcome, Reduction, SCHEMA, Unit, VariantCode};
    use record::Tool;

    use super::*;
    use crate::charset::width;

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
        let shed = Some(Reduction { vgprs: 8, lds_bytes: 1024, sgprs: 0 });
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
    fn widths() {
        insta::assert_snapshot!("two_chips", code(Charset::Utf8, 180, &report()));
        for room in [80, 60] {
            insta::assert_snapshot!(format!("in_{room}_columns"), code(Charset::Utf8, room, &report()));
        }
        insta::assert_snapshot!("narrow_in_ascii", code(Charset::Ascii, 100, &report()));
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
    fn every_column_is_there_and_fits() {
        for room in 60..230 {
            let text = code(Charset::Utf8, room, &report());
            for column in &COLUMNS {
                let first = column.head.split([' ', '\u{a0}']).next().unwrap_or_default();
                assert!(text.contains(first), "{first} at {room}\n{text}");
            }
            let widest = text.lines().map(width).max().unwrap_or(0);
            assert!(room < 72 || widest <= usize::from(room), "{widest} at {room}\n{text}");
        }
    }
}
