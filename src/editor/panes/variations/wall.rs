//! The simulations of a wall, in lockstep: none begins a frame before all have computed the last one. What they submit at once takes
//! little of the GPU's time, so that the window and the graph itself go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::gpu::Gpu;
use crate::sim::Simulation;

/// GPU time that is submitted in a frame of the window.
const BUDGET: Duration = Duration::from_millis(8);
/// Submissions that may be queued on the GPU.
const IN_FLIGHT: u32 = 2;

/// A variation's simulation; the error that stopped it.
type Tile = Result<Simulation, String>;

/// Simulations that run side by side.
pub(super) struct Wall {
    tiles: Vec<Tile>,
    /// Frames that all have computed.
    frame: u64,
    /// The tile that computes the coming frame next.
    next: usize,
    /// Whether the tile `next` computes the coming frame in slices.
    computing: bool,
    /// When the coming frame is due \[s\].
    due: f64,
    /// GPU time of a tile's frame \[ns\]; 0 while it is not known.
    cost: Arc<AtomicU64>,
    in_flight: Arc<AtomicU32>,
}

impl Wall {
    pub(super) fn new(tiles: Vec<Tile>) -> Wall {
        let (cost, in_flight) = (Arc::default(), Arc::default());
        Wall { tiles, frame: 0, next: 0, computing: false, due: 0.0, cost, in_flight }
    }

    pub(super) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Frames that all have computed.
    pub(super) fn frame(&self) -> u64 {
        self.frame
    }

    /// Whether the thread that computes a frame wakes the window.
    pub(super) fn is_computing(&self) -> bool {
        self.computing || self.in_flight.load(Ordering::Relaxed) >= IN_FLIGHT
    }

    /// Returns the wall's simulations, to start them over.
    pub(super) fn into_tiles(self) -> Vec<Tile> {
        self.tiles
    }

    /// Computes as many tiles as the budget of a frame of the window allows. `now` is the window's time \[s\]. While paused, a frame
    /// that was begun is completed. Returns the tiles that have a new image. `wake` is called, on any thread, when there may be more
    /// to do.
    pub(super) fn advance(
        &mut self,
        playing: bool,
        now: f64,
        wake: impl Fn() + Clone + Send + Sync + 'static,
    ) -> Vec<usize> {
        let mut new = Vec::new();
        if self.computing && !self.collect(&mut new) {
            return new;
        }
        if self.tiles.iter().all(Result::is_err) || !(self.begin(playing, now)) {
            return new;
        }
        let began = Instant::now();
        let mut spent = Duration::ZERO;
        let mut count = 0;
        while let Some(tile) = self.tiles.get_mut(self.next) {
            let Ok(simulation) = tile else {
                self.next += 1;
                continue;
            };
            if spent > BUDGET || began.elapsed() > BUDGET || self.in_flight.load(Ordering::Relaxed) >= IN_FLIGHT {
                break;
            }
            let input = simulation.recorded_input();
            let cost = Duration::from_nanos(self.cost.load(Ordering::Relaxed));
            let result = match cost.is_zero() || cost > BUDGET {
                // It may take long, or nothing is known about it yet.
                true => simulation.start_frame(&input, false, wake.clone()).map(|()| true),
                false => simulation.step(&input).map(|()| false),
            };
            match result {
                Ok(true) => {
                    self.computing = true;
                    break;
                }
                Ok(false) => {
                    new.push(self.next);
                    (spent, count) = (spent + cost, count + 1);
                }
                Err(problems) => *tile = Err(problems.0.first().map_or_else(String::new, ToString::to_string)),
            }
            self.next += 1;
        }
        self.note(count, wake);
        self.complete();
        new
    }

    /// Takes over the frame that a tile computes in slices. Returns whether it is there.
    fn collect(&mut self, new: &mut Vec<usize>) -> bool {
        let Some(tile) = self.tiles.get_mut(self.next) else { return true };
        if let Ok(simulation) = tile {
            match simulation.finish_frame(false) {
                Ok(None) if simulation.progress().is_some() => return false,
                Ok(None) => {}
                Ok(Some(took)) => {
                    self.cost.store((took.as_nanos() as u64).max(1), Ordering::Relaxed);
                    new.push(self.next);
                }
                Err(problems) => *tile = Err(problems.0.first().map_or_else(String::new, ToString::to_string)),
            }
        }
        self.computing = false;
        self.next += 1;
        self.complete();
        true
    }

    /// Counts a frame that all tiles have computed.
    fn complete(&mut self) {
        if self.next >= self.tiles.len() && !self.computing {
            self.next = 0;
            self.frame += 1;
        }
    }

    /// Whether tiles may compute now: the first of a frame waits until it is due.
    fn begin(&mut self, playing: bool, now: f64) -> bool {
        let fps = self.tiles.iter().flatten().map(|simulation| simulation.plan().fps).next().unwrap_or(60.0);
        if self.next > 0 {
            return true;
        }
        if !playing || now < self.due {
            return false;
        }
        // Late frames are not caught up with.
        self.due = (self.due + 1.0 / fps).max(now);
        true
    }

    /// When the next frame is due, in this time; `None` while a frame is being computed.
    pub(super) fn wait(&self, now: f64) -> Option<Duration> {
        (self.next == 0).then(|| Duration::from_secs_f64((self.due - now).clamp(0.0, 1.0)))
    }

    /// Notes that this many frames were submitted, and what they take.
    fn note(&self, count: u32, wake: impl Fn() + Send + 'static) {
        let Some(gpu) = self.gpu().filter(|_| count > 0) else { return };
        let in_flight = self.in_flight.clone();
        let cost = self.cost.clone();
        let since = Instant::now();
        let ahead = in_flight.fetch_add(1, Ordering::Relaxed);
        gpu.when_done(move || {
            in_flight.fetch_sub(1, Ordering::Relaxed);
            // What was queued before took its part of the time.
            let each = since.elapsed() / (count * (ahead + 1));
            cost.store((each.as_nanos() as u64).max(1), Ordering::Relaxed);
            wake();
        });
    }

    fn gpu(&self) -> Option<&Gpu> {
        self.tiles.iter().flatten().map(Simulation::gpu).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuOptions;
    use crate::graph::Graph;
    use crate::library::Library;
    use crate::plan::{Plan, PlanOptions};
    use stagewright_test_support::fixture::fluid;

    fn wall(count: usize) -> Wall {
        let gpu = Gpu::new(&GpuOptions::default()).unwrap();
        let tile = |seed: usize| {
            let mut document = fluid();
            document.seed = seed as u32;
            let graph = Graph::build(&document, Library::builtin()).unwrap();
            let plan = Plan::compile(&graph, &PlanOptions::default()).unwrap();
            Simulation::new(&gpu, plan).map_err(|problems| problems.to_string())
        };
        Wall::new((0..count).map(tile).collect())
    }

    fn frames(wall: &Wall) -> Vec<u64> {
        wall.tiles().iter().flatten().map(Simulation::frame).collect()
    }

    /// Advances until this frame is complete. Returns how often each tile had a new image.
    fn until(wall: &mut Wall, frame: u64) -> Vec<usize> {
        let mut images = vec![0; wall.tiles().len()];
        let since = Instant::now();
        while wall.frame() < frame {
            assert!(since.elapsed() < Duration::from_secs(60), "frame {} of {frame}", wall.frame());
            wall.advance(true, since.elapsed().as_secs_f64(), || {}).into_iter().for_each(|tile| images[tile] += 1);
            let now = frames(wall);
            let (least, most) = (now.iter().min().unwrap(), now.iter().max().unwrap());
            assert!(most - least <= 1, "in lockstep: {now:?}");
            wall.gpu().unwrap().poll();
            std::thread::sleep(Duration::from_millis(1));
        }
        images
    }

    #[test]
    fn tiles_run_in_lockstep_and_each_frame_has_an_image() {
        let mut wall = wall(4);
        assert_eq!(until(&mut wall, 6), [6; 4]);
        assert_eq!(frames(&wall), [6; 4]);
        let mut tiles = wall.into_tiles();
        tiles.iter_mut().flatten().for_each(Simulation::reset);
        let mut wall = Wall::new(tiles);
        until(&mut wall, 2);
        assert_eq!(frames(&wall), [2; 4], "from the start");
    }

    #[test]
    fn a_paused_wall_stops_after_a_whole_frame() {
        let mut wall = wall(3);
        until(&mut wall, 2);
        wall.advance(true, 1e3, || {});
        for step in 0..200 {
            wall.advance(false, 2e3 + f64::from(step), || {});
            std::thread::sleep(Duration::from_millis(1));
        }
        let now = frames(&wall);
        assert!(now.iter().all(|frame| *frame == now[0]) && wall.frame() == now[0], "{now:?}");
    }

    #[test]
    fn a_tile_with_an_error_does_not_stop_the_others() {
        let mut wall = wall(3);
        wall.tiles[1] = Err("wrong".into());
        until(&mut wall, 3);
        assert_eq!(frames(&wall), [3; 2]);
        let mut none = Wall::new(vec![Err("wrong".into())]);
        assert!(none.advance(true, 1.0, || {}).is_empty() && none.frame() == 0);
    }
}
