//! Compares the values of two wires or images, A and B: their difference as an image, and its norms in f64.
//!
//! Both have one kind of element, and as many components. Grids may differ in resolution: the finer one is then sampled at the cells
//! of the coarser. Particles are compared by their index.

mod fit;
mod statistics;

use std::sync::Arc;

use super::host_copy::HostCopy;
use super::wire_view::{Show, View};
use crate::problem::Problem;
use crate::stage::types::{ValueType, WireType};

pub use statistics::{ComparedElement, NotFinite, Statistics};

/// What is shown of A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// A - B.
    #[default]
    Signed,
    /// |A - B|; of vectors the length of the difference.
    Absolute,
    /// The difference divided by the larger of |A| and |B|, so between -2 and 2; 0 where both are 0.
    Relative,
}

impl Measure {
    /// All, in the order in which they are offered.
    pub const ALL: [Measure; 3] = [Measure::Signed, Measure::Absolute, Measure::Relative];
}

/// Two sides at the same elements, with their difference.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// A, at the elements that are compared: cells, where it was on faces.
    pub a: Arc<HostCopy>,
    /// B, at the elements that are compared.
    pub b: Arc<HostCopy>,
    /// The difference, a value for each of these elements.
    pub difference: Arc<HostCopy>,
    /// Norms of the difference of what is stored: all components, and each face by itself.
    pub statistics: Statistics,
    /// What has to be known to read them, in a sentence each: which side was sampled, what is left out.
    pub remarks: Vec<String>,
    /// The least and the greatest value of what is shown of A and of B as they were, where there is any.
    pub range: Option<(f64, f64)>,
}

/// Compares two sides. `show` says which part of their elements the difference and the range are of: a component, the length, or all.
///
/// # Errors
/// Sides that do not fit: elements of another kind, other components or dimensions, faces of another resolution.
pub fn compare(a: &Arc<HostCopy>, b: &Arc<HostCopy>, show: Show, measure: Measure) -> Result<Comparison, Problem> {
    let fit::Fitted { a: left, b: right, remarks } = fit::fit(a, b)?;
    let statistics = statistics::compare(&left, &right);
    let (left, right) = (fit::centered(left), fit::centered(right));
    let difference = Arc::new(difference(&left, &right, show, measure));
    let range = range(a, show, range(b, show, None));
    Ok(Comparison { a: left, b: right, difference, statistics, remarks, range })
}

impl Comparison {
    /// How to show the difference: zero in the middle of the colours, unless it has no sign. `view` is what A and B are shown with.
    pub fn view(&self, view: &View, measure: Measure) -> View {
        let vector = self.difference.components() > 1;
        let show = if vector { Show::Direction } else { Show::Component(0) };
        let map = match measure {
            Measure::Absolute => super::wire_view::ColorMap::Magma,
            Measure::Signed | Measure::Relative => super::wire_view::ColorMap::Signed,
        };
        View { show, map, range: None, ..view.clone() }
    }
}

/// The part of an element that is shown, as a number.
fn part(side: &HostCopy, element: usize, show: Show) -> f64 {
    match show {
        _ if side.components() == 1 => side.number(element, 0),
        Show::Component(index) => side.number(element, usize::from(index)),
        _ if side.ty().value().is_compound() => side.number(element, 0),
        Show::Color => luminance(side, element),
        Show::Auto if side.ty() == WireType::Grid(ValueType::Vec4) => luminance(side, element),
        _ => length(side.numbers(element).into_iter()),
    }
}

fn luminance(side: &HostCopy, element: usize) -> f64 {
    [0.2126, 0.7152, 0.0722].into_iter().enumerate().map(|(at, weight)| weight * side.number(element, at)).sum()
}

fn length(parts: impl Iterator<Item = f64>) -> f64 {
    parts.map(|part| part * part).sum::<f64>().sqrt()
}

/// Whether an element is shown by all its components and not by one number.
fn is_whole(side: &HostCopy, show: Show) -> bool {
    let color = side.ty() == WireType::Grid(ValueType::Vec4) && show == Show::Auto;
    side.components() > 1 && matches!(show, Show::Auto | Show::Direction) && !color && !side.ty().value().is_compound()
}

fn difference(a: &HostCopy, b: &HostCopy, show: Show, measure: Measure) -> HostCopy {
    let count = a.elements().min(b.elements());
    let components = a.components();
    if is_whole(a, show) && measure == Measure::Signed {
        let parts = (0..count * components).map(|at| (at / components, at % components));
        return a.with_values(a.ty().value(), parts.map(|(at, part)| a.number(at, part) - b.number(at, part)));
    }
    let number = |element: usize| {
        let (difference, scale) = match is_whole(a, show) {
            true => {
                let parts = (0..components).map(|part| a.number(element, part) - b.number(element, part));
                let of = |side: &HostCopy| length(side.numbers(element).into_iter());
                (length(parts), of(a).max(of(b)))
            }
            false => {
                let (a, b) = (part(a, element, show), part(b, element, show));
                (a - b, a.abs().max(b.abs()))
            }
        };
        match measure {
            Measure::Signed => difference,
            Measure::Absolute => difference.abs(),
            // What is no number stays none.
            Measure::Relative if difference == 0.0 => 0.0,
            Measure::Relative => difference / scale,
        }
    };
    a.with_values(ValueType::F32, (0..count).map(number))
}

/// Widens a range by what is shown of a side. Lengths begin at zero.
fn range(side: &Arc<HostCopy>, show: Show, limits: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let side = fit::centered(side.clone());
    let from_zero = side.components() > 1 && !matches!(show, Show::Component(_));
    let limits = limits.or(from_zero.then_some((0.0, 0.0)));
    let parts = (0..side.elements()).map(|element| part(&side, element, show)).filter(|part| part.is_finite());
    parts.fold(limits, |limits, part| {
        let (low, high) = limits.unwrap_or((part, part));
        Some((low.min(part), high.max(part)))
    })
}
