//! The passes of a bloom and the dependencies between them.

use std::fmt;

use common::Extent;

/// Number of halved levels below the full image.
pub const LEVELS: usize = 5;

/// Kind of a pass; the numbers match `shaders/bloom/passes.glsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Kind {
    /// The part of the scene above the threshold.
    BrightPass,
    /// The mean of each 2x2 block of texels.
    DownSample,
    /// A blur along rows.
    BlurX,
    /// A blur along columns.
    BlurY,
    /// Half of the smaller level, enlarged, plus half of this level's blur.
    UpSample,
    /// The first level, enlarged and added to the scene.
    Composite,
}

/// All kinds.
pub const KINDS: [Kind; 6] =
    [Kind::BrightPass, Kind::DownSample, Kind::BlurX, Kind::BlurY, Kind::UpSample, Kind::Composite];

/// The input of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The test image.
    Scene,
    /// The output of this pass.
    Pass(u32),
}

impl Input {
    /// The index of the pass, if the input is one.
    pub fn pass(self) -> Option<u32> {
        match self {
            Self::Scene => None,
            Self::Pass(pass) => Some(pass),
        }
    }
}

/// A pass; each stores an image of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Kind of the pass.
    pub kind: Kind,
    /// Level of the output: how often it was halved.
    pub level: usize,
    /// Size of the output.
    pub size: Extent,
    /// The first input, of which the pass also reads a texel's neighbours.
    pub input: Input,
    /// Size of that input.
    pub input_size: Extent,
    /// A second input that is read at the same texel, if there is one.
    pub second_input: Option<Input>,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::BrightPass => "threshold",
            Kind::DownSample => "down-sample",
            Kind::BlurX => "blur in x",
            Kind::BlurY => "blur in y",
            Kind::UpSample | Kind::Composite => "up-sample",
        };
        write!(f, "{what}, {}", self.size)
    }
}

impl Pass {
    /// The passes whose output this one reads.
    pub fn reads(&self) -> impl Iterator<Item = u32> + use<> {
        [Some(self.input), self.second_input].into_iter().flatten().filter_map(Input::pass)
    }
}

/// The passes in the usual order of recording: down, then level by level up again.
pub fn passes(size: Extent) -> Vec<Pass> {
    let (mut passes, mut count) = (Vec::new(), 0);
    let halved = |level: usize| {
        let half = |side: u32| (0..level).fold(side, |side, _| side.div_ceil(2));
        Extent { width: half(size.width), height: half(size.height) }
    };
    let mut add = |kind, level, input: Input, input_level: usize, second_input| {
        let (size, input_size) = (halved(level), halved(input_level));
        passes.push(Pass { kind, level, size, input, input_size, second_input });
        count += 1;
        Input::Pass(count - 1)
    };
    let mut down = vec![add(Kind::BrightPass, 0, Input::Scene, 0, None)];
    for level in 1..=LEVELS {
        down.push(add(Kind::DownSample, level, down[level - 1], level - 1, None));
    }
    let mut smaller = None;
    for level in (1..=LEVELS).rev() {
        let rows = add(Kind::BlurX, level, down[level], level, None);
        let blurred = add(Kind::BlurY, level, rows, level, None);
        smaller = Some(match smaller {
            None => blurred,
            Some(smaller) => add(Kind::UpSample, level, smaller, level + 1, Some(blurred)),
        });
    }
    if let Some(smaller) = smaller {
        add(Kind::Composite, 0, smaller, 1, Some(Input::Scene));
    }
    passes
}

/// Groups the passes into steps. The passes of a step do not depend on each other, and each pass is in the
/// earliest step possible.
pub fn steps(passes: &[Pass]) -> Vec<Vec<u32>> {
    let mut step_of: Vec<usize> = Vec::new();
    let mut steps: Vec<Vec<u32>> = Vec::new();
    for (at, pass) in (0..).zip(passes) {
        let step = pass.reads().map(|read| step_of[read as usize] + 1).max().unwrap_or(0);
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
