//! Watched numbers: values that should stay within a range, as last read back from the GPU.

use crate::plan::{Plan, Watch};
use crate::problem::Problem;
use crate::stage::types::Scalar;

/// A watched number.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// `node.port`
    pub name: String,
    /// The value outside of its range.
    pub value: f64,
    /// The range that the value should stay in; `None` is unbounded.
    pub range: (Option<f64>, Option<f64>),
}

/// The latest value of each watch, and the one farthest outside its range since the last call of [`Watches::warnings`].
#[derive(Debug, Default)]
pub(super) struct Watches {
    latest: Vec<Option<f64>>,
    worst: Vec<Option<Worst>>,
}

/// A value outside its range, and the other numbers of the same node in that frame.
#[derive(Clone, Debug)]
struct Worst {
    value: f64,
    ports: Vec<(String, f64)>,
}

impl Watches {
    pub(super) fn new(plan: &Plan) -> Watches {
        Watches { latest: vec![None; plan.watches.len()], worst: vec![None; plan.watches.len()] }
    }

    /// Stores the words that the engine has read back.
    pub(super) fn take(&mut self, plan: &Plan, words: &[u32]) {
        let value = |(watch, word): (&Watch, &u32)| match watch.scalar {
            Scalar::F32 => f64::from(f32::from_bits(*word)),
            Scalar::I32 => f64::from(*word as i32),
            Scalar::U32 => f64::from(*word),
        };
        let values: Vec<f64> = plan.watches.iter().zip(words).map(value).collect();
        for (index, (watch, value)) in plan.watches.iter().zip(&values).enumerate() {
            if let (Some(latest), Some(worst)) = (self.latest.get_mut(index), self.worst.get_mut(index)) {
                *latest = Some(*value).filter(|value| !of_nothing(watch, *value));
                if latest.is_some() && outside(watch, *value) > worst.as_ref().map_or(0.0, |w| outside(watch, w.value))
                {
                    let same = plan.watches.iter().zip(&values).filter(|(other, _)| other.node == watch.node);
                    let ports = same.map(|(other, value)| (other.port.clone(), *value)).collect();
                    *worst = Some(Worst { value: *value, ports });
                }
            }
        }
    }

    pub(super) fn latest(&self, plan: &Plan) -> Vec<Watched> {
        let named = |watch: &Watch| format!("{}.{}", watch.node, watch.port);
        let with_range = plan.watches.iter().zip(&self.latest).filter(|(watch, _)| watch.range != (None, None));
        with_range.filter_map(|(w, value)| Some(Watched { name: named(w), value: (*value)?, range: w.range })).collect()
    }

    /// A warning for each number that was outside its range, with its worst value. Each is reported once.
    pub(super) fn warnings(&mut self, plan: &Plan) -> Vec<Problem> {
        let worst = std::mem::replace(&mut self.worst, vec![None; plan.watches.len()]);
        let worsts = plan.watches.iter().zip(worst).filter_map(|(watch, value)| Some((watch, value?)));
        let warning = |(watch, worst): (&Watch, Worst)| {
            if watch.doc.contains('{') {
                return told_problem(watch, &worst).warning();
            }
            let value = worst.value;
            let bound = |b: Option<f64>| b.map_or_else(String::new, |b| b.to_string());
            let value = if watch.scalar == Scalar::F32 { format!("{value:.3}") } else { value.to_string() };
            let cause = format!("{value} is outside {}..{}", bound(watch.range.0), bound(watch.range.1));
            Problem::new(&watch.node, &watch.port, cause, watch.doc.clone()).warning()
        };
        worsts.map(warning).collect()
    }
}

/// The documentation of a watched number with the numbers that it names. Its last sentence is the remedy.
fn told_problem(watch: &Watch, worst: &Worst) -> Problem {
    let mut text = watch.doc.clone();
    for (port, value) in &worst.ports {
        let number = if value.fract() == 0.0 { value.to_string() } else { format!("{value:.3e}") };
        text = text.replace(&format!("{{{port}}}"), &number);
    }
    let (cause, remedy) = text.rsplit_once(". ").unwrap_or((&text, ""));
    Problem::new(&watch.node, "", cause, remedy)
}

/// Whether a value is what the largest or the smallest of no numbers starts from: a grid confines the stage, and is zero everywhere.
fn of_nothing(watch: &Watch, value: f64) -> bool {
    match watch.scalar {
        Scalar::F32 => value.abs() == f64::from(f32::MAX),
        Scalar::I32 => value == f64::from(i32::MIN) || value == f64::from(i32::MAX),
        Scalar::U32 => false,
    }
}

/// How far a value is outside its range. NaN is farther than any number.
fn outside(watch: &Watch, value: f64) -> f64 {
    let (low, high) = watch.range;
    let far = [low.map(|low| low - value), high.map(|high| value - high)];
    if value.is_nan() { f64::INFINITY } else { far.into_iter().flatten().fold(0.0, f64::max) }
}
