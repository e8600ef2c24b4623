//! What the page and its Markdown say in the same words.

/// How to read the figures: a term and what it means.
pub const HOW_TO_READ: [(&str, &str); 9] = [
    (
        "Isolated",
        "one chain of work alone in a submit, from stamp to stamp: with the time in which the device fills and in which it drains.",
    ),
    (
        "Pipelined",
        "what one chain more costs in a submit of several, (T(N) − T(1)) / (N − 1). Between the chains stands the variant's own dependency and nothing else; work inside a frame is nearer to this.",
    ),
    (
        "±",
        "half the width of the 95 % interval of the median, in per cent of it. Fewer than six samples give no interval.",
    ),
    (
        "÷ and ×",
        "the median of quotients that were taken within a round, in which all variants come in random order, so that a drifting clock moves both sides.",
    ),
    ("≈", "a quotient whose interval holds 1, or which has none: no difference is shown."),
    (
        "~",
        "a time within five times the floor, which is what two timestamps with nothing in between are apart: read it with care.",
    ),
    (
        "Bound and baseline",
        "the variant that no correct one can beat, and the one that is common practice. The reference of a ratio is the bound, or the baseline where there is no bound.",
    ),
    (
        "Raced",
        "texels differed from the CPU's answer in a variant that leaves something out on purpose. Its time is that of wrong work, so it is marked by a triangle and has no bar. “None seen” is no proof that there are none.",
    ),
    (
        "Outliers",
        "samples beyond Tukey's fences, 1.5 box widths off the box. They are drawn and counted and stay in every figure.",
    ),
];

/// Below the heading of the sections.
pub const SWEEP: &str = "Runs of one device that differ in a single argument. Where several have the same value, each \
variant is taken from the latest. Vertical strokes are 95 % intervals of the medians.";

/// Of the devices.
pub const DEVICES: &str = "Runs of the same work on several devices, the latest of each. Ratios compare across devices; \
times say how far apart the devices are.";

/// Where a sample ran on several devices, but never with the same arguments.
pub const NO_COMPARISON: &str = "Several devices ran this sample, none with the same arguments as another, so that nothing \
is set side by side.";

/// Of the times.
pub const LADDER: &str = "How long each variant takes.";
/// Of the counts.
pub const RACES: &str = "How often each variant raced. The times of such a run say nothing and are left out.";
/// Of the scatter.
pub const SCATTER: &str = "How the samples of each variant lie around their own median.";
