//! The chain of `pipelined_events` without a barrier between its passes: all of them in one dispatch, whose tiles wait
//! for the tiles that they read. Is that faster than barriers, and than fusing passes? Texels lie in storage buffers here,
//! and an invocation computes four or more, so that times are not comparable with those of `pipelined_events`.
//!
//! ```text
//! time →      a barrier drains the GPU before the next pass fills it again
//! barriers    ▕▔▔ pass 0 ▔▔╲ ╱▔▔ pass 1 ▔▔╲ ╱▔▔ pass 2 ▔▔╲
//! tags        ▕▔▔ pass 0 ▔▔▏▔▔ pass 1 ▔▔▏▔▔ pass 2 ▔▔╲      a tile begins when the tiles around it are stored
//! fused       ▕▔▔▔ passes 0 to 3 ▔▔▔╲ ╱▔▔▔ passes 4 to 7 ▔▔▔╲      fewer drains, borders computed more than once
//! ```
//!
//! - `tags` (read `shaders/tiles_in_one_dispatch/tags.comp` first): a texel carries its generation, so a workgroup loads
//!   what its tile reads until every texel has arrived. No flags, no fences.
//! - `flags`: a workgroup waits for a flag of each tile that it reads. `flags_chained` leaves accesses cached, so that
//!   each wait has to drop what the cache holds.
//! - `fused`: several passes per dispatch, a barrier between dispatches; no workgroup waits. `_fused` after another name
//!   does several passes per tile, too.
//! - `resident`: each workgroup keeps its tile from pass to pass, and exchanges only borders with its neighbours.
//! - `tags_fallback_fused`: a workgroup that waits in vain computes what it waits for; `--blocked 50` stops half of them.
//! - `no_order` races: barriers between passes cannot be faster with the same kernel. Fused passes can, since they move less
//!   memory. With `--all`, `tags_no_wait` to `flags_no_store` leave out one part of a dependency after the other: the
//!   difference is what a part costs.
//!
//! With `--library`, the ways that CUDA has for the same chain stand beside these.
//!
//! On a GPU a workgroup of `tags` and `flags` claims tile after tile, and no more are started than a pass has tiles. More would
//! only wait, and their polls would slow the loads of those that compute: try `--in-flight 9999`.
//!
//! *Why the waits end.* Tiles are claimed in order, so whoever claims one knows that all before it are claimed by
//! workgroups that have begun. Each stores its tile before it claims another, and no tile waits for a later one. Vulkan
//! does not promise that a workgroup which has begun makes progress while others wait. GPUs that schedule resident waves
//! fairly do in practice; Apple's M1 and M3 do not (Smith, Levien, Owens). So each wait times out after a second, is
//! counted, and makes the row `wrong`. `fused` needs no such promise.
//!
//! Expect gains where a pass is short beside its drain and fill. Where it is long, a barrier costs little, and only fusing
//! saves more: it moves less memory. It loses where arithmetic binds, as with `--radius 8`.
//!
//! Look for, in RGP or Nsight, or with `--trace`: whether waves of a pass run while the pass before still does.
//!
//! Source: the chain of passes and the question are of Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining
//! with Events". Tiles that wait are not: tickets are as in Merrill and Garland, Single-pass Parallel Prefix Scan with
//! Decoupled Look-back, 2016, and the fallback as in Smith, Levien and Owens, Decoupled Fallback, SPAA 2025.
//! Specification: Vulkan 1.3, appendix B (Memory Model).

mod grid;
mod kernels;
mod parts;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{BufferSet, Buffers, Extent, Format, ImageSet, Lab, Reliance, Set, Workgroup, run, sample};
use grid::Tiling;
use kernels::{Chain, Form, lacking_subgroups, workgroups_for};
use samples::chain::MIX_BITS;
use samples::library::Library;
use samples::waits::HEAD;
use samples::{LOADS, STORES, in_rows, size};
use verdict::{headline, verdict};

/// Is one dispatch whose tiles wait for each other faster than a barrier between passes?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--trace waves.svg # see which tiles wait\n\
    --size 512..4096*2 # up to which size does one dispatch win?")]
struct Args {
    /// Image size [default: 1152x1152, on a CPU 192x96]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes of the chain
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = value_parser!(u32).range(2..=200))]
    passes: u32,
    /// Arms of the cross that a pass reads, in texels
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=16))]
    radius: u32,
    /// Workgroup of a tile of one pass, and rows
    ///
    /// Each row is four texels. The default depends on device and size.
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    workgroup: Option<Workgroup>,
    /// The same for a tile of several passes, with its border
    ///
    /// Each row is four texels. A subgroup has to hold whole rows of the region, and an invocation at least as many rows as the
    /// radius has texels. The default depends on device and size.
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    region: Option<Workgroup>,
    /// Passes per tile where several are fused
    ///
    /// The default depends on device, size and radius.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=16))]
    depth: Option<u32>,
    /// Most workgroups in flight where tiles wait
    ///
    /// For tiles of one pass. Each workgroup claims tile after tile. The default depends on device and size.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    in_flight: Option<u32>,
    /// Per cent of workgroups that stop on purpose
    ///
    /// They stop once they have claimed a tile, in the variant with fallback alone.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = value_parser!(u32).range(0..=90))]
    blocked: u32,
    /// Measure the chain in another API in the same rounds, by this program
    ///
    /// anchors/cuda/chain.cu is one for CUDA, and its head says how to build it.
    #[arg(long, value_name = "PROGRAM")]
    library: Option<PathBuf>,
}

fn main() -> ExitCode {
    run(sample!(), tiles_in_one_dispatch)
}

fn tiles_in_one_dispatch(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let &Args { passes, radius, .. } = args;
    let size = size(lab, args.size, [1152; 2], [192, 96]);
    let chain = Chain { size, passes, radius };
    let workgroups = args.workgroup.map_or_else(|| workgroups_for(lab.device(), chain), |asked| [asked; 2]);
    let [of_a_dispatch, one] =
        workgroups.map(|workgroup| Tiling::of_one_pass(lab.device(), chain, workgroup, args.in_flight));
    let several = Tiling::fused(lab.device(), chain, args.depth, args.region);
    for (name, value) in
        [("passes", passes), ("radius", radius), ("depth", several.depth), ("blocked", args.blocked)]
    {
        lab.report.setting(name, value);
    }
    lab.report.setting("workgroup", of_a_dispatch.workgroup);
    lab.report.setting("tile", one.workgroup);
    lab.report.setting("in_flight", one.workgroups());
    lab.report.setting("region", several.workgroup);

    let timeouts = lab.output("timeouts", BufferSet::new(1, 1, 0))?;
    lab.expect(timeouts, 0, || vec![0]).counts("timeouts: waits that timed out");
    let per_pass = vec![chain.texels(); passes as usize + 1];
    let texels = lab.output("generation", BufferSet::slices(&per_pass, 0))?;
    let tagged = lab.output("tagged generation", BufferSet::slices(&per_pass, 0))?;
    let images = ImageSet::new(passes + 1, [chain.vectors(), size.height], Format::R32G32B32A32_UINT, [0; 4]);
    let images = lab.output("image", images)?;
    chain.expect(lab, [texels.into(), images.into()], tagged.into());
    lab.report.show(
        texels,
        passes,
        [4 * chain.vectors(), size.height],
        "texels that are of the last pass; older ones red",
        move |words| {
            words.iter().map(|word| if word >> MIX_BITS == passes { [64; 3] } else { [255, 0, 0] }).collect()
        },
    );

    in_dispatches(lab, chain, of_a_dispatch, [texels.into(), images.into()]);
    let lacking = lacking_subgroups(lab.device());
    let (fused, [columns, lines]) = (chain.pass(lab, several).build(), several.grid());
    lab.variant("fused", move |cmd, rep| {
        for pass in rep.passes(passes / several.depth) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let first = pass.index * several.depth;
            let [from, to] = [first, first + several.depth].map(|of| texels.get(rep.index, of));
            cmd.dispatch(fused, &[from, to], &(), [columns, lines, 1]);
        }
    })
    .skip(several.impossible())
    .skip(lacking);

    for (tiling, suffix) in [(one, ""), (several, "_fused")] {
        let tickets = lab.output("tickets", BufferSet::new(1, tiling.ticket_words(), 0))?;
        for form in Form::all(args.blocked).filter(|form| form.can(tiling)) {
            let (kernel, groups) = (form.kernel(lab, chain, tiling).build(), in_rows(tiling.workgroups()));
            let texels = if form.is_tagged() { tagged } else { texels };
            let lacking = form.lacking(lab.device());
            lab.variant(format!("{}{suffix}", form.name()), move |cmd, rep| {
                if rep.index > 0 {
                    cmd.pipeline_barrier2(STORES, LOADS);
                }
                let [tickets, timeouts] = [tickets, timeouts].map(|buffers| buffers.get(rep.index, 0));
                cmd.dispatch(kernel, &[texels.whole(rep.index), tickets, timeouts], &(), groups);
            })
            .skip(tiling.impossible())
            .skip(lacking);
        }
    }
    resident(lab, chain, args.depth, tagged, timeouts)?;
    parts::left_out(lab, chain, one, [tagged, texels], timeouts)?;
    if let Args { library: Some(program), .. } = args {
        in_another_api(lab, chain, program, texels)?;
    }
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, chain));
    Ok(())
}

/// The ways of another API, with the words of their labels.
const METHODS: [[&str; 2]; 6] = [
    ["stream", "stream"],
    ["graph", "graph"],
    ["graph_pdl", "graph and PDL"],
    ["grid_barrier", "grid barrier"],
    ["flags", "flags"],
    ["fused", "passes fused"],
];

/// The same chain by a program of another API.
fn in_another_api(lab: &mut Lab, chain: Chain, program: &Path, texels: Buffers) -> Result<()> {
    let library = Library::start(lab, program, chain.task())?;
    for [method, words] in METHODS {
        let variant = library.variant(lab, &format!("library_{method}"), method, texels, chain.passes);
        variant.label = format!("{}, {words}", library.name);
    }
    Ok(())
}

/// All passes of a tile by one workgroup, which keeps it.
fn resident(
    lab: &mut Lab,
    chain: Chain,
    depth: Option<u32>,
    texels: Buffers,
    timeouts: Buffers,
) -> Result<()> {
    let tiling = Tiling::per_multiprocessor(lab.device(), chain, depth);
    let (not_resident, lacking) = (tiling.not_resident(lab.device()), Form::Resident.lacking(lab.device()));
    let kernel = Form::Resident.kernel(lab, chain, tiling).build();
    let unused = lab.output("unused tickets", BufferSet::new(1, HEAD + 1, 0))?;
    let [columns, lines] = tiling.grid();
    lab.variant("resident", move |cmd, rep| {
        if rep.index > 0 {
            cmd.pipeline_barrier2(STORES, LOADS);
        }
        let [unused, timeouts] = [unused, timeouts].map(|buffers| buffers.get(rep.index, 0));
        cmd.dispatch(kernel, &[texels.whole(rep.index), unused, timeouts], &(), [columns * lines, 1, 1]);
    })
    .relies_on(Reliance::on("a workgroup per multiprocessor being resident from the start"))
    // The last reason is shown. What the arguments rule out hides what the device lacks for such a cut.
    .skip(not_resident)
    .skip(tiling.impossible())
    .skip(lacking);
    Ok(())
}

/// The passes in dispatches of their own, on buffers and on images: without any order, and with barriers.
fn in_dispatches(lab: &mut Lab, chain: Chain, tiling: Tiling, [buffers, images]: [Set; 2]) {
    let (passes, [columns, lines]) = (chain.passes, tiling.grid());
    let kernels = [chain.pass(lab, tiling).build(), chain.pass(lab, tiling).define("IMAGES").build()];
    for (suffix, set, kernel) in [("", buffers, kernels[0]), ("_images", images, kernels[1])] {
        lab.variant(format!("no_order{suffix}"), move |cmd, rep| {
            for pass in 0..passes {
                let [from, to] = [pass, pass + 1].map(|of| set.get(rep.index, of));
                cmd.dispatch(kernel, &[from, to], &(), [columns, lines, 1]);
            }
        })
        .races("every dependency between passes");
        lab.variant(format!("barriers{suffix}"), move |cmd, rep| {
            for pass in rep.passes(passes) {
                if pass.has_previous() {
                    cmd.pipeline_barrier2(STORES, LOADS);
                }
                let [from, to] = [pass.index, pass.index + 1].map(|of| set.get(rep.index, of));
                cmd.dispatch(kernel, &[from, to], &(), [columns, lines, 1]);
            }
        });
    }
}
