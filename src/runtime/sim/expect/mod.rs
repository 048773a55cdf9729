//! Expectations of a running simulation: which are due after a frame, what was found, and whether they are met.

mod measure;
mod statistic;

use std::collections::{BTreeSet, VecDeque};

pub use measure::{PendingSample, Sample, request};
pub use statistic::{StatisticValues, evaluate};

use crate::graph::expect::{Bound, ExpectSubject, Expectation, Statistic, list, plain};
use crate::plan::{Keep, Outputs};
use crate::problem::Problem;
use crate::sim::Simulation;

/// The result of one expectation after a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The frame, counted from 1.
    pub frame: u64,
    /// Whether the expectation holds.
    pub verdict: Verdict,
    /// What was found, in words; empty where nothing was found.
    pub found: String,
}

/// Whether an expectation holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The expectation holds.
    Passed,
    /// Why not, in words.
    Failed(String),
    /// Why the expectation was not checked.
    Skipped(String),
}

/// The wires that a plan has to keep for expectations.
pub fn keep<'e>(expectations: impl IntoIterator<Item = &'e Expectation>) -> BTreeSet<String> {
    let checked = expectations.into_iter().filter(|expectation| expectation.other_variant.is_none());
    let kept = checked.filter_map(|expectation| match &expectation.subject {
        ExpectSubject::Wire(name) | ExpectSubject::Attribute(name, _) => Some(name.clone()),
        ExpectSubject::Image(_) | ExpectSubject::Number(_) => None,
    });
    kept.collect()
}

/// What expectations need from a plan: wires, and images where one is named.
pub fn needs(expectations: &[Result<Expectation, Problem>]) -> (Keep, Outputs) {
    let checked = expectations.iter().filter_map(|e| e.as_ref().ok()).filter(|e| e.other_variant.is_none());
    let kept = keep(checked.clone());
    let outputs: BTreeSet<&String> = checked
        .filter_map(|expectation| match &expectation.subject {
            ExpectSubject::Image(output) => Some(output),
            _ => None,
        })
        .collect();
    let mut names = outputs.into_iter();
    let outputs = match (names.next(), names.next()) {
        (None, _) => Outputs::None,
        (Some(one), None) => Outputs::One(one.clone()),
        _ => Outputs::All,
    };
    (Keep::Wires(kept.into_iter().collect()), outputs)
}

/// The expectations of a graph, with their results since the simulation started.
#[derive(Default)]
pub struct Checker {
    expectations: Vec<Result<Expectation, Problem>>,
    outcomes: Vec<Vec<Outcome>>,
    /// Reference values of those that compare with an earlier frame.
    before: Vec<Option<StatisticValues>>,
    waiting: VecDeque<Waiting>,
    /// Results since the last call of [`Checker::take_news`].
    news: Vec<(usize, Outcome)>,
    suspended: bool,
}

/// A requested sample, and the expectations that need it.
struct Waiting {
    frame: u64,
    due: Vec<usize>,
    pending: Result<PendingSample, Problem>,
}

impl Checker {
    /// Nothing is checked yet. An invalid expectation fails with its problem.
    pub fn new(expectations: Vec<Result<Expectation, Problem>>) -> Checker {
        let count = expectations.len();
        Checker { expectations, outcomes: vec![Vec::new(); count], before: vec![None; count], ..Checker::default() }
    }

    /// Clears all results: the simulation starts over.
    pub fn restart(&mut self) {
        *self = Checker::new(std::mem::take(&mut self.expectations));
    }

    /// Replaces the expectations while the simulation runs on. Those that were there before keep their results.
    pub fn replace(&mut self, expectations: Vec<Result<Expectation, Problem>>) {
        let before = std::mem::replace(self, Checker::new(expectations));
        self.suspended = before.suspended;
        let moved = |old: usize| {
            let expectation = before.expectations.get(old)?;
            self.expectations.iter().position(|other| other == expectation)
        };
        let places: Vec<Option<usize>> = (0..before.expectations.len()).map(moved).collect();
        for (place, (outcomes, values)) in places.iter().zip(before.outcomes.into_iter().zip(before.before)) {
            let Some(place) = *place else { continue };
            self.outcomes.get_mut(place).into_iter().for_each(|now| now.clone_from(&outcomes));
            self.before.get_mut(place).into_iter().for_each(|now| now.clone_from(&values));
        }
        let place = |index: usize| places.get(index).copied().flatten();
        let waiting = before
            .waiting
            .into_iter()
            .map(|waiting| Waiting { due: waiting.due.into_iter().filter_map(place).collect(), ..waiting });
        self.waiting = waiting.collect();
        let news = before.news.into_iter().filter_map(|(index, outcome)| Some((place(index)?, outcome)));
        self.news = news.collect();
    }

    /// Checks nothing until the next start: the graph was edited while it ran, so the results belong to no single
    /// graph.
    pub fn suspend(&mut self) {
        self.restart();
        self.suspended = true;
    }

    /// Whether checks are suspended until the next reset.
    pub fn suspended(&self) -> bool {
        self.suspended
    }

    /// Expectations in the document's order, with a Problem in place of an invalid one.
    pub fn expectations(&self) -> &[Result<Expectation, Problem>] {
        &self.expectations
    }

    /// The results of an expectation so far, in the order of frames.
    pub fn outcomes(&self, index: usize) -> &[Outcome] {
        self.outcomes.get(index).map_or(&[], Vec::as_slice)
    }

    /// The last frame that any expectation checks.
    pub fn last_frame(&self) -> u64 {
        self.expectations.iter().flatten().map(|expectation| expectation.frames.last()).max().unwrap_or(0)
    }

    /// Requests what is due after the simulation's last frame, without waiting. Returns whether anything is due.
    pub fn after_step(&mut self, simulation: &Simulation) -> bool {
        if self.suspended {
            return false;
        }
        let (frame, adapter) = (simulation.frame(), simulation.gpu().name().to_lowercase());
        let mut due: Vec<(ExpectSubject, Vec<usize>)> = Vec::new();
        let mut skipped = Vec::new();
        for (index, expectation) in self.expectations.iter().enumerate() {
            let Ok(expectation) = expectation else { continue };
            let base = matches!(expectation.bound, Bound::UnchangedSince(since, _) if since == frame);
            if !base && !expectation.frames.contains(frame) {
                continue;
            }
            if let Some(why) = &expectation.other_variant {
                let verdict = Verdict::Skipped(why.clone());
                skipped.extend((!base).then_some((index, Outcome { frame, verdict, found: String::new() })));
                continue;
            }
            if let Some(wanted) = expectation.adapter.as_ref().filter(|name| !adapter.contains(*name)) {
                let verdict = Verdict::Skipped(format!("checked only on adapters named like `{wanted}`"));
                skipped.extend((!base).then_some((index, Outcome { frame, verdict, found: String::new() })));
                continue;
            }
            match due.iter_mut().find(|(subject, _)| *subject == expectation.subject) {
                Some((_, indices)) => indices.push(index),
                None => due.push((expectation.subject.clone(), vec![index])),
            }
        }
        let any = !due.is_empty() || !skipped.is_empty();
        skipped.into_iter().for_each(|(index, outcome)| self.note(index, outcome));
        let pending =
            due.into_iter().map(|(subject, due)| Waiting { frame, due, pending: request(simulation, &subject) });
        self.waiting.extend(pending);
        any
    }

    /// Processes the samples that have arrived; with `wait`, all that were requested.
    pub fn collect(&mut self, wait: bool) {
        while let Some(Waiting { frame, due, pending }) = self.waiting.pop_front() {
            let sample = match pending {
                Ok(pending) if wait => pending.wait(),
                Ok(pending) => match pending.try_take() {
                    Ok(sample) => sample,
                    // Later samples may be compared with this one, so they wait too.
                    Err(pending) => {
                        self.waiting.push_front(Waiting { frame, due, pending: Ok(pending) });
                        return;
                    }
                },
                Err(problem) => Err(problem),
            };
            due.into_iter().for_each(|index| self.decide(index, frame, &sample));
        }
    }

    /// Whether a requested sample has not arrived yet.
    pub fn waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The results since the last call, with the indices of their expectations.
    pub fn take_news(&mut self) -> Vec<(usize, Outcome)> {
        std::mem::take(&mut self.news)
    }

    fn decide(&mut self, index: usize, frame: u64, sample: &Result<Sample, Problem>) {
        let Some(Ok(expectation)) = self.expectations.get(index) else { return };
        let outcome = match (sample, &expectation.bound) {
            (Err(problem), _) => {
                let verdict = Verdict::Failed(format!("{}; {}", problem.cause, problem.remedy));
                Outcome { frame, verdict, found: String::new() }
            }
            (Ok(sample), Bound::Hash(hash)) => {
                let found = sample.hash();
                let why = || Verdict::Failed("the bits differ; a hash holds on one adapter and driver only".into());
                let verdict = if found == *hash { Verdict::Passed } else { why() };
                Outcome { frame, verdict, found: format!("{found:032x}") }
            }
            (Ok(sample), bound) => {
                let found = evaluate(sample, expectation.statistic, expectation.component);
                if let (Bound::UnchangedSince(since, _), Some(before)) = (bound, self.before.get_mut(index))
                    && *since == frame
                {
                    *before = Some(found);
                    return;
                }
                let before = self.before.get(index).and_then(Option::as_ref);
                Outcome { frame, verdict: judge(expectation, &found, before), found: list(&found.values) }
            }
        };
        self.note(index, outcome);
    }

    fn note(&mut self, index: usize, outcome: Outcome) {
        self.news.push((index, outcome.clone()));
        if let Some(outcomes) = self.outcomes.get_mut(index) {
            // A frame that is computed again replaces its earlier result.
            outcomes.retain(|before| before.frame < outcome.frame);
            outcomes.push(outcome);
        }
    }
}

/// Compares what was found with what is expected.
pub fn judge(expectation: &Expectation, found: &StatisticValues, before: Option<&StatisticValues>) -> Verdict {
    let fail = |why: String| Verdict::Failed(why);
    if found.values.is_empty() || (found.count == 0 && found.values.iter().any(|value| value.is_nan())) {
        return fail("there are no values".into());
    }
    if !expectation.statistic.counts() && found.nan + found.infinite > 0 {
        let StatisticValues { count, nan, infinite, .. } = found;
        return fail(format!("of {count} numbers {nan} are NaN and {infinite} infinite"));
    }
    let each = |expected: &[f64], test: &dyn Fn(f64, f64) -> Option<String>| {
        let several = found.values.len() > 1;
        let faults = found.values.iter().enumerate().filter_map(|(index, value)| {
            let expected = expected.get(index).or(expected.first()).copied().unwrap_or(f64::NAN);
            let fault = test(*value, expected)?;
            Some(if several { format!("component {index} is {fault}") } else { format!("it is {fault}") })
        });
        let faults: Vec<String> = faults.collect();
        if faults.is_empty() { Verdict::Passed } else { fail(faults.join(", ")) }
    };
    match &expectation.bound {
        Bound::Equals(values, _) if values.len() > 1 && values.len() != found.values.len() => {
            fail(format!("there are {} numbers, and {} are expected", found.values.len(), values.len()))
        }
        Bound::Equals(values, tolerance) => each(values, &|value, expected| {
            let (off, most) = ((value - expected).abs(), tolerance.around(expected));
            // Written so that NaN counts as outside.
            let inside = off <= most;
            (!inside).then(|| format!("off by {}, at most {} is allowed", plain(off), plain(most)))
        }),
        Bound::UnchangedSince(since, tolerance) => {
            let Some(before) = before else {
                return Verdict::Skipped(format!("frame {since} was not seen"));
            };
            each(&before.values, &|value, expected| {
                let (off, most) = ((value - expected).abs(), tolerance.around(expected));
                let inside = off <= most;
                (!inside).then(|| {
                    let was = plain(expected);
                    format!("off by {} from {was} at frame {since}, at most {} is allowed", plain(off), plain(most))
                })
            })
        }
        Bound::Within(low, high) => each(&[], &|value, _| {
            if value < *low {
                Some(format!("{} less than {}", plain(low - value), plain(*low)))
            } else if value <= *high {
                None
            } else {
                // NaN counts as outside.
                Some(format!("{} more than {}", plain(value - high), plain(*high)))
            }
        }),
        Bound::Below(high) => each(&[], &|value, _| match value < *high {
            true => None,
            false => Some(format!("{} too large", plain(value - high))),
        }),
        Bound::Above(low) => each(&[], &|value, _| match value > *low {
            true => None,
            false => Some(format!("{} too small", plain(low - value))),
        }),
        Bound::Hash(_) => fail("a hash has no value".into()),
    }
}

/// The statistic of a subject after the simulation's last frame. Blocks until the GPU has finished.
///
/// # Errors
/// A wire that the plan does not compute or does not keep; a device that failed.
pub fn found_now(
    simulation: &Simulation,
    subject: &ExpectSubject,
    statistic: Statistic,
    component: Option<u32>,
) -> Result<StatisticValues, Problem> {
    Ok(evaluate(&request(simulation, subject)?.wait()?, statistic, component))
}
