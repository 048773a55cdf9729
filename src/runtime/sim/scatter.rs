//! Warnings from what kernels have counted about the sums of scatter ports.

use std::collections::BTreeSet;

use crate::plan::{Plan, ScatterCheck};
use crate::problem::Problem;
use crate::stage::types::Scalar;

/// Share of the added amount that may round to zero without a warning.
const LOST: f64 = 0.01;
/// Frames after which a sample is large enough for a warning while the simulation runs.
const MIN_FRAMES: u64 = 64;
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// Words of a check in front of those of its components.
const HEAD: usize = crate::plan::SCATTER_HEAD as usize;

/// What has been reported since the start.
#[derive(Debug, Default)]
pub(super) struct Scatters {
    reported: BTreeSet<(usize, Kind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Range,
    Number,
    Zero,
}

impl Scatters {
    /// New warnings from the words that the engine has read back. With `last`, no more words will come, so everything
    /// is reported again with the latest counts.
    pub(super) fn warnings(&mut self, plan: &Plan, words: &[u32], frame: u64, last: bool) -> Vec<Problem> {
        let places = plan.scatter_places();
        let mut out = Vec::new();
        for (index, (check, at)) in plan.scatters.iter().zip(places.counts).enumerate() {
            let counts = words.get(at as usize..).and_then(|w| w.get(..check.count_words() as usize));
            let Some(counts) = counts else { continue };
            let found = [
                (Kind::Range, range(check, counts)),
                (Kind::Number, number(check, counts)),
                (Kind::Zero, zero(check, counts).filter(|_| last || frame >= MIN_FRAMES)),
            ];
            for (kind, problem) in found {
                let Some(problem) = problem else { continue };
                if self.reported.insert((index, kind)) || last {
                    out.push(problem.warning());
                }
            }
        }
        out
    }
}

fn cells(check: &ScatterCheck, count: u32) -> String {
    let what = if check.of_particles { "particle" } else { "cell" };
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The option that sets the fraction bits.
fn option(check: &ScatterCheck) -> &'static str {
    if check.of_particles { "sum" } else { "scatter" }
}

/// The sum left its range.
fn range(check: &ScatterCheck, counts: &[u32]) -> Option<Problem> {
    let count = *counts.first()?;
    let largest = f64::from(f32::from_bits(*counts.get(2)?));
    let (cause, remedy) = match check.bits {
        None => {
            let (low, high) =
                if check.scalar == Scalar::U32 { ("0", "4294967295") } else { ("-2147483648", "2147483647") };
            let cause = format!("in {} the sum left the range {low} to {high} and is wrong", cells(check, count));
            let remedy = match check.of_particles {
                true => "add smaller numbers, or use an f32 with `sum 0` or `sum 4`",
                false => "add smaller numbers, or use a Grid<f32> with `scatter 0` or `scatter 4`",
            };
            (cause, remedy.to_string())
        }
        Some(bits) => {
            let cause = format!(
                "in {} the sum left the range of `{} {bits}`, {}, and is wrong",
                cells(check, count),
                option(check),
                extent(bits)
            );
            // Four times the largest sum seen should fit: a sum that wrapped around can be larger than it seems.
            let over = (4.0 * largest / 2f64.powi(31)).log2().ceil().max(1.0);
            let fits = f64::from(bits) - over;
            (cause, advice(check, (fits >= 0.0).then_some(fits as u32), "or scale what is added down"))
        }
    };
    (count > 0).then(|| Problem::new(&check.node, &check.port, cause, remedy))
}

/// NaN or infinity was added.
fn number(check: &ScatterCheck, counts: &[u32]) -> Option<Problem> {
    let count = *counts.get(1)?;
    let cause = format!("NaN or infinity was added in {}, whose sum is wrong", cells(check, count));
    let remedy = "check for division by zero and roots of negative numbers in the stage and in what it reads";
    (count > 0).then(|| Problem::new(&check.node, &check.port, cause, remedy))
}

/// A problem where much of what was added is less than half a step. Of vectors their length counts, of four numbers each: these are colours, or
/// quantities that have nothing in common.
fn zero(check: &ScatterCheck, counts: &[u32]) -> Option<Problem> {
    let bits = check.bits?;
    let most = f64::from(*counts.get(3)?).max(1.0);
    let sum = |at: usize| {
        let word = |k: usize| counts.get(at + k).map_or(0.0, |w| f64::from(*w));
        word(0) + word(1) * 2f64.powi(32)
    };
    // For each component, what became zero of what was added.
    let parts = (0..check.components as usize).map(|c| (sum(HEAD + 4 * c + 2), sum(HEAD + 4 * c)));
    let (of, share) = if check.components == COMPONENTS.len() as u32 {
        let shares = COMPONENTS.iter().zip(parts).map(|(name, (lost, added))| (name, lost / added.max(1.0)));
        let (name, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
        (format!(" (component {name})"), share)
    } else {
        // A component of a vector in space may be as small as it likes beside the others.
        let (lost, added) = parts.fold((0.0, 0.0), |(l, a): (f64, f64), (lost, added)| (l.hypot(lost), a.hypot(added)));
        (String::new(), lost / added.max(1.0))
    };
    let cause = format!(
        "{:.0} % of what was added{of} became zero: the values are less than half the step of `{} {bits}`, {}",
        100.0 * share,
        option(check),
        step(bits)
    );
    let room = (2f64.powi(31) / (16.0 * most)).log2().floor();
    let better = (f64::from(bits) + room).min(30.0);
    let remedy = advice(check, (better > f64::from(bits)).then_some(better as u32), "or scale what is added up");
    (share > LOST).then(|| Problem::new(&check.node, &check.port, cause, remedy))
}

fn advice(check: &ScatterCheck, bits: Option<u32>, otherwise: &str) -> String {
    let option = option(check);
    match bits {
        Some(bits) => format!("write `{option} {bits}` for {} in steps of {}, {otherwise}", extent(bits), step(bits)),
        None => otherwise.trim_start_matches("or ").to_string(),
    }
}

/// The range of a sum with this many fraction bits.
fn extent(bits: u32) -> String {
    let end = 2f64.powi(31 - bits as i32);
    format!("-{end} to {end}")
}

fn step(bits: u32) -> String {
    let step = 2f64.powi(-(bits as i32));
    if step >= 0.001 { step.to_string() } else { format!("{step:.1e}") }
}
