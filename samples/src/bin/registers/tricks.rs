//! Tasks in their usual form and with a trick. All forms of a task have the same results.

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Format, Kernel, KernelBuilder, Lab, Variant};
use samples::half;

use crate::input::{self, Cells, IMAGES, LIGHTS, NUMBERS};
use crate::{Size, UNWRITTEN, reference};

/// Invocations per workgroup, where this is not what is compared.
const WORKGROUP: u32 = 128;
/// Turns of the loops without which a kernel would be too short to be timed.
const TURNS: u32 = 16;
/// Two forms each whose registers `--code` compares.
const PAIRS: [[&str; 2]; 7] = [
    ["address_vector", "address_scalar"],
    ["images_16", "image_1"],
    ["buffers_16", "buffer_1"],
    ["search_loop", "search_first_bit"],
    ["sign_function", "sign_test"],
    ["median_32", "median_16"],
    ["idle_40", "idle_32"],
];

/// Declares them all.
pub fn declare(lab: &mut Lab, size: Size) -> Result<()> {
    address(lab, size)?;
    descriptors(lab, size)?;
    search(lab, size)?;
    sign(lab, size)?;
    median(lab, size)?;
    barriers(lab, size)?;
    for pair in PAIRS {
        lab.report.compares_code(pair);
    }
    Ok(())
}

/// What a task reads and writes.
#[derive(Clone, Copy)]
struct Task {
    from: Buffer,
    to: Buffers,
    invocations: u32,
}

impl Task {
    /// `words` are expected of each invocation.
    fn new(
        lab: &mut Lab,
        name: &str,
        [invocations, words]: [u32; 2],
        input: impl Fn() -> Vec<u32> + Copy + 'static,
        expected: impl FnOnce(&[u32]) -> Vec<u32> + 'static,
    ) -> Result<Self> {
        let from = lab.input_buffer(&format!("input of {name}"), input);
        let results = BufferSet::new(1, words * invocations, UNWRITTEN);
        let to = lab.output(&format!("results of {name}"), results)?;
        lab.expect(to, 0, move || expected(&input()));
        Ok(Self { from, to, invocations })
    }

    /// Declares a form of it, in workgroups of so many invocations.
    fn form<'l>(self, lab: &'l mut Lab, name: &str, workgroup: u32, kernel: Kernel) -> &'l mut Variant {
        let groups = [self.invocations / workgroup, 1, 1];
        lab.variant(name, move |cmd, rep| {
            cmd.dispatch(kernel, &[self.from, self.to.get(rep.index, 0)], &(), groups);
        })
    }
}

/// A kernel in workgroups of so many invocations.
fn kernel<'l>(lab: &'l Lab, name: &str, workgroup: u32, defines: &[&str]) -> KernelBuilder<'l> {
    let kernel = lab.kernel(&format!("registers/{name}.comp")).workgroup([workgroup, 1, 1]);
    defines.iter().fold(kernel, |kernel, name| kernel.define(name))
}

/// The address of a workgroup's data, computed per invocation or per workgroup.
fn address(lab: &mut Lab, size: Size) -> Result<()> {
    const WORKGROUP: u32 = 64;
    const CELLS: Cells = Cells { across: 16, side: 32, words: 16 };
    let words = || input::words(CELLS.words * CELLS.side.pow(3));
    let task = Task::new(lab, "address", [size.invocations, 1], words, move |words| {
        reference::address(words, &CELLS, [size.invocations, WORKGROUP], TURNS)
    })?;
    for (name, defines) in [("address_vector", &[][..]), ("address_scalar", &["SCALAR"])] {
        let kernel = kernel(lab, "address", WORKGROUP, defines).constant("TURNS", TURNS);
        let kernel = kernel.constants([("ACROSS", CELLS.across), ("SIDE", CELLS.side)]);
        let kernel = kernel.constant("WORDS", CELLS.words).build();
        task.form(lab, name, WORKGROUP, kernel);
    }
    Ok(())
}

/// 16 images or one that holds them all, and the same of buffers.
fn descriptors(lab: &mut Lab, size: Size) -> Result<()> {
    const TEXELS: u32 = 4;
    let invocations = size.invocations;
    let width = if size.is_small { 64 } else { 256 };
    let area = width * width;
    let all = move || input::words(IMAGES * area);
    let part = move |i: u32| move || all()[(i * area) as usize..][..area as usize].to_vec();
    let task = Task::new(lab, "descriptors", [invocations, 1], all, move |words| {
        reference::descriptors(words, invocations, TEXELS)
    })?;
    let image = lab.input_image("16 images in one", [width, IMAGES * width], Format::R32_UINT, all);
    let images = (0..IMAGES)
        .map(|i| lab.input_image(&format!("image {i}"), [width, width], Format::R32_UINT, part(i)).sampled());
    let images: Vec<Binding> = images.collect();
    let buffers: Vec<Binding> =
        (0..IMAGES).map(|i| lab.input_buffer(&format!("buffer {i}"), part(i)).into()).collect();
    for (name, defines, inputs) in [
        ("images_16", &[][..], images),
        ("image_1", &["ONE"], vec![image.sampled()]),
        ("buffers_16", &["BUFFERS"], buffers),
        ("buffer_1", &["BUFFERS", "ONE"], vec![task.from.into()]),
    ] {
        let kernel = kernel(lab, "descriptors", WORKGROUP, defines);
        let kernel = kernel.constant("WIDTH", width).constant("TURNS", TEXELS).build();
        lab.variant(name, move |cmd, rep| {
            let results = Binding::from(task.to.get(rep.index, 0));
            let bindings: Vec<Binding> = std::iter::once(results).chain(inputs.iter().copied()).collect();
            cmd.dispatch(kernel, &bindings, &(), [invocations / WORKGROUP, 1, 1]);
        });
    }
    Ok(())
}

/// The bits that are set in a mask: looked for one by one, or found.
fn search(lab: &mut Lab, size: Size) -> Result<()> {
    let masks = move || input::masks(size.invocations);
    let expected = |words: &[u32]| reference::search(words, TURNS);
    let task = Task::new(lab, "search", [size.invocations, 1], masks, expected)?;
    for (name, defines) in [("search_loop", &[][..]), ("search_first_bit", &["FIRST_BIT"])] {
        let kernel = kernel(lab, "search", WORKGROUP, defines);
        let kernel = kernel.constant("LIGHTS", LIGHTS).constant("TURNS", TURNS).build();
        task.form(lab, name, WORKGROUP, kernel);
    }
    Ok(())
}

/// A flag in a sign: read with `sign()`, or compared with 0.
fn sign(lab: &mut Lab, size: Size) -> Result<()> {
    let numbers = move || input::flagged(NUMBERS * size.invocations);
    let expected = |words: &[u32]| reference::sign(words, TURNS);
    let task = Task::new(lab, "sign", [size.invocations, 1], numbers, expected)?;
    for (name, defines) in [("sign_function", &[][..]), ("sign_test", &["TEST"])] {
        let kernel = kernel(lab, "sign", WORKGROUP, defines);
        let kernel = kernel.constant("NUMBERS", NUMBERS).constant("TURNS", TURNS).build();
        task.form(lab, name, WORKGROUP, kernel);
    }
    Ok(())
}

/// A 3x3 median of two texels per invocation, in 32-bit or in 16-bit floats. The picture shows the result.
fn median(lab: &mut Lab, size: Size) -> Result<()> {
    let texels = 2 * size.invocations;
    let width = if size.is_small { 256 } else { 2048 };
    let noisy = move || input::noisy(texels + 2 * width + 2, width);
    let expected = move |words: &[u32]| reference::median(words, texels, width);
    let task = Task::new(lab, "median", [size.invocations, 4], noisy, expected)?;
    let lacks = (!lab.device().float16).then(|| format!("{} has no 16-bit floats", lab.device().name));
    for (name, defines, lacks) in [("median_32", &[][..], None), ("median_16", &["HALF"], lacks)] {
        let kernel = kernel(lab, "median", WORKGROUP, defines).constant("WIDTH", width).build();
        task.form(lab, name, WORKGROUP, kernel).skip(lacks);
    }
    lab.report.show(task.to, 0, [width, texels / width], "medians of 3x3 texels", picture);
    Ok(())
}

/// The first three channels of texels as colours.
fn picture(words: &[u32]) -> Vec<[u8; 3]> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 255")]
    let colour = |bits: u32| (half::value(bits & 0xFFFF) * 255.0).clamp(0.0, 255.0) as u8;
    words.chunks(2).map(|texel| [texel[0], texel[0] >> 16, texel[1]].map(colour)).collect()
}

/// Prefix sums of 32 lanes, in workgroups of one wave and more.
fn barriers(lab: &mut Lab, size: Size) -> Result<()> {
    const LANES: u32 = 32;
    let words = move || input::words(size.invocations);
    let expected = |words: &[u32]| reference::barriers(words, LANES, TURNS);
    let task = Task::new(lab, "barriers", [size.invocations, 1], words, expected)?;
    for workgroup in [32, 64, 512, 1024] {
        let kernel = kernel(lab, "barriers", workgroup, &[]);
        let kernel = kernel.constant("LANES", LANES).constant("TURNS", TURNS).build();
        task.form(lab, &format!("barriers_{workgroup}"), workgroup, kernel);
    }
    Ok(())
}
