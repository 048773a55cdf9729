//! A second simulation that follows the running one, frame by frame, forwards and back, with the same input.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::build::Built;
use crate::gpu::{Gpu, Profile};
use crate::problem::Problems;
use crate::sim::Simulation;
use crate::sim::timeline::Budget;

/// GPU time of its frames that is submitted in a frame of the window while it catches up.
const BUDGET: Duration = Duration::from_millis(30);
/// Submissions that may be queued on the GPU.
const IN_FLIGHT: u32 = 2;
/// Memory for its own past \[bytes\].
const PAST: Budget = Budget { gpu: 128 << 20, host: 384 << 20, disk: 0 };

/// The second simulation.
pub(super) struct Companion {
    simulation: Simulation,
    /// Whether the companion is computing a frame in slices.
    computing: bool,
    /// The preview that its leader shows was not computed here yet.
    renew: bool,
    /// Whether the companion is at the frame of its leader.
    level: bool,
    /// GPU time of a frame \[ns\]; 0 while it is not known.
    cost: Arc<AtomicU64>,
    in_flight: Arc<AtomicU32>,
}

impl Companion {
    /// # Errors
    /// As [`Simulation::with_files`], in one sentence.
    pub(super) fn new(gpu: &Gpu, (plan, grids): Built) -> Result<Companion, String> {
        let mut simulation = Simulation::with_files(gpu, plan, &grids).map_err(sentence)?;
        simulation.set_profiling(Profile::Nodes);
        simulation.keep_timeline(PAST);
        let (cost, in_flight) = (Arc::default(), Arc::default());
        Ok(Companion { simulation, computing: false, renew: true, level: false, cost, in_flight })
    }

    /// Continues with another plan; States that both have keep their values.
    ///
    /// # Errors
    /// As [`Simulation::replace_with_files`], in one sentence.
    pub(super) fn replace(&mut self, (plan, grids): Built) -> Result<(), String> {
        self.simulation.replace_with_files(plan, &grids).map_err(sentence)?;
        (self.computing, self.renew, self.level) = (false, true, false);
        (self.cost, self.in_flight) = Default::default();
        Ok(())
    }

    pub(super) fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Whether the companion shows the same frame as its leader.
    pub(super) fn is_level(&self) -> bool {
        self.level
    }

    /// Notes that the companion's leader has computed something.
    pub(super) fn refresh(&mut self) {
        (self.renew, self.level) = (true, false);
    }

    /// GPU time of a frame \[ms\], where the adapter measures it.
    pub(super) fn ms(&mut self) -> Option<f64> {
        self.simulation.times(false);
        milliseconds(&self.simulation)
    }

    /// Continues towards the frame of the leader, within the budget of a frame of the window. Parameters of nodes for which `shared` holds
    /// have the values that the leader's have. `wake` is called, on any thread, when there may be more to do.
    ///
    /// # Errors
    /// The device failed, in one sentence.
    pub(super) fn advance(
        &mut self,
        leader: &Simulation,
        shared: impl Fn(&str) -> bool,
        wake: impl Fn() + Clone + Send + Sync + 'static,
    ) -> Result<(), String> {
        if self.computing {
            match self.simulation.finish_frame(false).map_err(sentence)? {
                None if self.simulation.progress().is_some() => return Ok(()),
                None => {}
                Some(took) => self.cost.store((took.as_nanos() as u64).max(1), Ordering::Relaxed),
            }
            self.computing = false;
        }
        if self.level || self.in_flight.load(Ordering::Relaxed) >= IN_FLIGHT {
            return Ok(());
        }
        self.simulation.follow_run(leader, shared);
        let left = self.simulation.seek(leader.frame()).map_err(sentence)?;
        let cost = Duration::from_nanos(self.cost.load(Ordering::Relaxed));
        let unknown = cost.is_zero() || cost > BUDGET;
        if left == 0 {
            return self.preview(leader, unknown, wake);
        }
        if unknown {
            // It may take long, or nothing is known about it yet.
            let input = self.simulation.next_input();
            self.simulation.start_frame(&input, false, wake).map_err(sentence)?;
            self.computing = true;
            return Ok(());
        }
        let count = (BUDGET.as_secs_f64() / cost.as_secs_f64()).max(1.0) as u64;
        let (began, mut done) = (Instant::now(), 0);
        while done < left.min(count) && began.elapsed() < BUDGET {
            let input = self.simulation.next_input();
            self.simulation.step(&input).map_err(sentence)?;
            done += 1;
        }
        self.note(done as u32, wake);
        if done == left {
            self.level = leader.previewed().is_none();
        }
        Ok(())
    }

    /// At the leader's frame, computes the preview that the leader shows.
    fn preview(
        &mut self,
        leader: &Simulation,
        unknown: bool,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<(), String> {
        match leader.previewed().filter(|_| self.renew) {
            Some(input) if unknown => {
                self.simulation.start_frame(input, true, wake).map_err(sentence)?;
                self.computing = true;
            }
            Some(input) => {
                self.simulation.preview(input).map_err(sentence)?;
                self.level = true;
            }
            None => self.level = true,
        }
        self.renew = false;
        Ok(())
    }

    /// Notes that this many frames were submitted, and what they take.
    fn note(&self, count: u32, wake: impl Fn() + Send + Sync + 'static) {
        let in_flight = self.in_flight.clone();
        let cost = self.cost.clone();
        let since = Instant::now();
        let ahead = in_flight.fetch_add(1, Ordering::Relaxed);
        self.simulation.gpu().when_done(move || {
            in_flight.fetch_sub(1, Ordering::Relaxed);
            // What was queued before took its part of the time.
            let each = since.elapsed() / (count.max(1) * (ahead + 1));
            cost.store((each.as_nanos() as u64).max(1), Ordering::Relaxed);
            wake();
        });
    }
}

/// GPU time of a frame \[ms\], the mean of the last ones, where the adapter measures it.
pub(super) fn milliseconds(simulation: &Simulation) -> Option<f64> {
    let times = simulation.node_times().filter(|times| times.frames() > 0)?;
    Some(times.means().iter().sum())
}

/// The first problem.
fn sentence(problems: Problems) -> String {
    problems.0.first().map_or_else(String::new, ToString::to_string)
}
