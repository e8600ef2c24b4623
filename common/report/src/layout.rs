//! What a table shows at a width: everything, and step by step less until it fits.

use super::figure::width;

/// How a table of some width is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) heads: Heads,
    pub(super) racy: RacyForm,
    /// Blanks between two columns.
    pub(super) gap: u16,
    pub(super) pipelined_error: bool,
    pub(super) published: bool,
    pub(super) predicted: bool,
    pub(super) work: bool,
    pub(super) of_limit: bool,
    pub(super) lawful: bool,
    pub(super) pipelined: bool,
    pub(super) to_baseline: bool,
    pub(super) to_bound: bool,
}

/// How the heads of columns break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heads {
    /// Not at all.
    OneLine,
    /// At blanks.
    Stacked,
    /// At blanks, and names of variants behind an underscore.
    Broken,
}

impl Heads {
    /// `head` with newlines where it breaks to be narrower; cells of `cells` characters need no
    /// narrower one.
    pub(super) fn broken(self, head: &str, cells: usize) -> String {
        if self == Self::OneLine || width(head) <= cells {
            return head.to_owned();
        }
        let stacked = head.replace(' ', "\n");
        let widest = stacked.lines().map(width).max().unwrap_or(0);
        if self == Self::Stacked || widest <= cells {
            return stacked;
        }
        break_name(&stacked)
    }
}

/// Breaks a name behind the underscore that is nearest to its middle.
fn break_name(head: &str) -> String {
    let middle = head.len() / 2;
    let cuts = head.match_indices('_').map(|(at, _)| at + 1);
    match cuts.min_by_key(|at| at.abs_diff(middle)) {
        Some(at) => format!("{}\n{}", &head[..at], &head[at..]),
        None => head.to_owned(),
    }
}

/// How a count of racy elements is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RacyForm {
    /// `12345 (max 20001) in 24 of 24`.
    Long,
    /// `12345 in 24/24`.
    Short,
    /// The same on two lines.
    Stacked,
}

/// Steps from the widest layout to the narrowest, in this order: what costs the reader least goes
/// first. What a column says that goes early stands below the table too.
type Step = fn(&mut Layout);
const STEPS: [Step; 14] = [
    |x| x.heads = Heads::Stacked,
    |x| x.racy = RacyForm::Short,
    |x| x.published = false,
    |x| x.lawful = false,
    |x| x.predicted = false,
    |x| x.pipelined_error = false,
    |x| x.gap = 1,
    |x| x.heads = Heads::Broken,
    |x| x.racy = RacyForm::Stacked,
    |x| x.work = false,
    |x| x.of_limit = false,
    |x| x.pipelined = false,
    |x| x.to_baseline = false,
    |x| x.to_bound = false,
];

impl Layout {
    /// Everything, without a break.
    pub(super) const WIDEST: Self = Self {
        heads: Heads::OneLine,
        racy: RacyForm::Long,
        gap: 2,
        pipelined_error: true,
        published: true,
        predicted: true,
        work: true,
        of_limit: true,
        lawful: true,
        pipelined: true,
        to_baseline: true,
        to_bound: true,
    };

    /// The widest layout that `fits`; the narrowest where none does.
    pub(super) fn fitting(fits: impl Fn(Self) -> bool) -> Self {
        let with = |taken: &[bool]| {
            let mut layout = Self::WIDEST;
            STEPS.iter().zip(taken).filter(|(_, taken)| **taken).for_each(|(step, _)| step(&mut layout));
            layout
        };
        let count = (0..STEPS.len()).find(|&n| fits(with(&vec![true; n]))).unwrap_or(STEPS.len());
        // The last step may have won more than was needed: give back what fits, the dearest first.
        let mut taken = vec![true; count];
        for step in (0..count).rev() {
            taken[step] = false;
            taken[step] = !fits(with(&taken));
        }
        with(&taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_not_narrowed() {
        assert_eq!(Layout::fitting(|_| true), Layout::WIDEST);
    }

    #[test]
    fn only_what_is_needed_goes() {
        let layout = Layout::fitting(|x| !x.published);
        assert_eq!(layout, Layout { published: false, ..Layout::WIDEST });
    }

    #[test]
    fn heads_break_only_where_that_makes_a_column_narrower() {
        let head = "÷ full_barrier";
        assert_eq!(Heads::Broken.broken(head, 14), head);
        assert_eq!(Heads::Stacked.broken(head, 5), "÷\nfull_barrier");
        assert_eq!(Heads::Broken.broken(head, 12), "÷\nfull_barrier");
        assert_eq!(Heads::Broken.broken(head, 5), "÷\nfull_\nbarrier");
        assert_eq!(Heads::OneLine.broken(head, 5), head);
    }

    #[test]
    fn nothing_fits() {
        let layout = Layout::fitting(|_| false);
        assert!(!layout.to_bound && !layout.pipelined && layout.gap == 1 && layout.racy == RacyForm::Stacked);
    }
}
