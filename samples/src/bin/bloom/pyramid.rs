//! The passes of a bloom, and which of them reads which.

use std::fmt;

use common::Extent;

/// Halved images below the full one.
pub const LEVELS: usize = 5;

/// What a pass does; the numbers are those of `shaders/bloom/formulas.glsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Kind {
    /// What of the scene is above the threshold.
    Bright,
    /// The mean of each 2x2 texels.
    Halve,
    /// The blur along rows.
    BlurX,
    /// The blur along columns.
    BlurY,
    /// Half of the level's own blur, half of the level below, grown.
    Mix,
    /// The level below, grown, on the scene.
    Add,
}

/// All of them.
pub const KINDS: [Kind; 6] = [Kind::Bright, Kind::Halve, Kind::BlurX, Kind::BlurY, Kind::Mix, Kind::Add];

/// Where a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The image that blooms.
    Scene,
    /// What this pass stored.
    Pass(usize),
}

impl Source {
    /// The pass, if it is one.
    pub fn pass(self) -> Option<usize> {
        match self {
            Self::Scene => None,
            Self::Pass(pass) => Some(pass),
        }
    }
}

/// A pass, which stores an image of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// What it does.
    pub kind: Kind,
    /// How often what it stores is halved.
    pub level: usize,
    /// What it stores.
    pub size: Extent,
    /// What it reads around each texel, and its size.
    pub from: Source,
    /// The size of that.
    pub from_size: Extent,
    /// What it reads texel by texel beside, if anything.
    pub beside: Option<Source>,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Bright => "threshold",
            Kind::Halve => "down-sample",
            Kind::BlurX => "blur in x",
            Kind::BlurY => "blur in y",
            Kind::Mix | Kind::Add => "up-sample",
        };
        write!(f, "{what}, {}", self.size)
    }
}

impl Pass {
    /// The passes that it reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.from), self.beside].into_iter().flatten().filter_map(Source::pass)
    }
}

/// The passes in the order in which engines record them: down, then level by level up again.
pub fn passes(size: Extent) -> Vec<Pass> {
    let mut passes: Vec<Pass> = Vec::new();
    let halved = |level: usize| {
        let half = |side: u32| (0..level).fold(side, |side, _| side.div_ceil(2));
        Extent { width: half(size.width), height: half(size.height) }
    };
    let mut add = |kind, level, from: Source, from_level: usize, beside| {
        let (size, from_size) = (halved(level), halved(from_level));
        passes.push(Pass { kind, level, size, from, from_size, beside });
        Source::Pass(passes.len() - 1)
    };
    let mut down = vec![add(Kind::Bright, 0, Source::Scene, 0, None)];
    for level in 1..=LEVELS {
        down.push(add(Kind::Halve, level, down[level - 1], level - 1, None));
    }
    let mut below = None;
    for level in (1..=LEVELS).rev() {
        let rows = add(Kind::BlurX, level, down[level], level, None);
        let blurred = add(Kind::BlurY, level, rows, level, None);
        below = Some(match below {
            None => blurred,
            Some(below) => add(Kind::Mix, level, below, level + 1, Some(blurred)),
        });
    }
    if let Some(below) = below {
        add(Kind::Add, 0, below, 1, Some(Source::Scene));
    }
    passes
}

/// The passes in steps: those of a step need none of each other, and each comes in the first step that it can.
pub fn steps(passes: &[Pass]) -> Vec<Vec<usize>> {
    let mut step_of: Vec<usize> = Vec::new();
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for (at, pass) in passes.iter().enumerate() {
        let step = pass.reads().map(|read| step_of[read] + 1).max().unwrap_or(0);
        steps.resize(steps.len().max(step + 1), Vec::new());
        steps[step].push(at);
        step_of.push(step);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_one_passes_in_thirteen_steps() {
        let passes = passes(Extent { width: 1920, height: 1080 });
        let of = |kind| passes.iter().filter(|pass| pass.kind == kind).count();
        assert_eq!(KINDS.map(of), [1, 5, 5, 5, 4, 1]);
        let sizes: Vec<String> = passes[..6].iter().map(|pass| pass.size.to_string()).collect();
        assert_eq!(sizes, ["1920x1080", "960x540", "480x270", "240x135", "120x68", "60x34"]);
        assert_eq!(steps(&passes).len(), 13);
    }
}
