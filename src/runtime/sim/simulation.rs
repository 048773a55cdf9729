//! The simulation: a plan on a device, its settings, time and files.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::FrameInput;
use super::field::{Field, Image};
use super::step::Step;
use super::substeps::Stepping;
use super::watch::Watched;
use super::{files, nan_watch, playback, scatter, sequence, settings, timeline, watch};
use crate::asset::{AssetGrid, COUNT_AS_ZERO, Work};
use crate::document::ParamValue;
use crate::gpu::Copies;
use crate::gpu::{Engine, Gpu, List, Making, NodeTime, Profile, Reading, Recent};
use crate::graph::{FileOutput, count_words};
use crate::plan::{Alarm, BufferId, Cause, Picture, Plan, Wire};
use crate::problem::{Problem, Problems};

/// A running plan.
pub struct Simulation {
    pub(super) gpu: Gpu,
    pub(super) plan: Plan,
    pub(super) engine: Engine,
    pub(super) settings: settings::Settings,
    /// Seconds of simulated time.
    pub(super) time: f64,
    pub(super) frame: u64,
    pub(super) fresh: bool,
    profile: Profile,
    /// CPU time of the last steps.
    pub(super) cpu: Recent,
    /// Remarks about files, reported once.
    pub(super) notes: Problems,
    pub(super) watches: watch::Watches,
    pub(super) scatters: scatter::Scatters,
    pub(super) values: Option<Box<nan_watch::NanWatch>>,
    /// The frame that is being computed in slices.
    pub(super) started: Option<Started>,
    /// Input of the preview that the wires show; `None` where they show a frame of the run.
    pub(super) previewed: Option<FrameInput>,
    pub(super) timeline: Option<Box<timeline::Timeline>>,
    /// Which grids the files gave.
    pub(super) files: u64,
    sequences: sequence::Sequences,
    pub(super) playback: playback::Playback,
    pub(super) stepping: Stepping,
}

/// A frame that was submitted, or is being submitted in slices.
pub(super) struct Started {
    pub(super) input: FrameInput,
    /// The step that was submitted last.
    pub(super) step: Step,
    /// When the frame begins: seconds of simulated time, and frames before it.
    pub(super) begins: (f64, u64),
    /// Seconds of simulated time.
    pub(super) dt: f64,
    /// What the Courant number needs became known for this frame.
    pub(super) rehearsed: bool,
    /// GPU time of the steps in slices that have ended.
    pub(super) took: Duration,
    /// Called when the GPU has computed a step in slices.
    pub(super) wake: Option<Arc<dyn Fn() + Send + Sync>>,
    /// Copies of the States that a preview starts from.
    pub(super) saved: Option<Copies>,
}

impl Simulation {
    /// Prepares a plan to run on a device. Nothing runs yet.
    ///
    /// # Errors
    /// Features or limits that the adapter lacks, shaders that the driver rejects, memory that is not available.
    pub fn new(gpu: &Gpu, plan: Plan) -> Result<Simulation, Problems> {
        let grids = files::read(&plan)?;
        Simulation::with_files(gpu, plan, &grids)
    }

    /// Prepares a plan to run on a device, in the background: `work` stops the reading of files, and `go_on`, which is called while the driver compiles
    /// shaders, ends that when it returns false.
    ///
    /// # Errors
    /// As [`Simulation::new`]; what was cancelled.
    pub fn prepared(
        gpu: &Gpu,
        plan: Plan,
        work: &Work,
        go_on: &mut dyn FnMut(&Making) -> bool,
    ) -> Result<Simulation, Problems> {
        let grids = files::prepare(gpu, &plan, work, go_on)?;
        Simulation::with_files(gpu, plan, &grids)
    }

    /// Prepares a plan with the grids that it needs from files, in the order of [`files::wanted`]: no file is read here.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn with_files(gpu: &Gpu, mut plan: Plan, grids: &[Arc<AssetGrid>]) -> Result<Simulation, Problems> {
        files::give_tracks(&mut plan, grids);
        let playback = playback::Playback::open(&plan, None)?;
        let mut engine = Engine::new(gpu, &plan)?;
        let settings = settings::Settings::new(&plan)?;
        let notes = upload(&mut engine, &plan, grids);
        let watches = watch::Watches::new(&plan);
        let sequences = sequence::Sequences::new(&plan, grids);
        let stepping = Stepping::new(&plan);
        let mut simulation = Simulation {
            gpu: gpu.clone(),
            plan,
            engine,
            settings,
            time: 0.0,
            frame: 0,
            fresh: true,
            profile: Profile::Off,
            cpu: Recent::new(1),
            notes,
            watches,
            scatters: scatter::Scatters::default(),
            values: None,
            started: None,
            previewed: None,
            timeline: None,
            files: identity(grids),
            sequences,
            playback,
            stepping,
        };
        simulation.notes.0.extend(simulation.without_courant());
        Ok(simulation)
    }

    /// Replaces the running plan, for example after an edit. States that did not change keep their contents, and time
    /// continues, unless both plans have States and none of them stays.
    ///
    /// # Errors
    /// As [`Simulation::new`]. Then the old plan stays in place, unchanged.
    pub fn replace(&mut self, plan: Plan) -> Result<(), Problems> {
        let grids = files::read(&plan)?;
        self.replace_with_files(plan, &grids)
    }

    /// Replaces the running plan by one with the grids that it needs from files, in the order of [`files::wanted`]: no file is read here.
    ///
    /// # Errors
    /// As [`Simulation::replace`].
    pub fn replace_with_files(&mut self, mut plan: Plan, grids: &[Arc<AssetGrid>]) -> Result<(), Problems> {
        files::give_tracks(&mut plan, grids);
        self.finish_frame(true)?;
        let playback = playback::Playback::open(&plan, Some(&self.playback))?;
        let mut engine = Engine::new(&self.gpu, &plan)?;
        let settings = settings::Settings::new(&plan)?;
        let notes = upload(&mut engine, &plan, grids);
        let same = |ours: &crate::plan::State| {
            let theirs = self.plan.states.iter().find(|s| s.node == ours.node && s.description == ours.description)?;
            Some((theirs.buffer, ours.buffer))
        };
        let kept: Vec<(BufferId, BufferId)> =
            if self.fresh { Vec::new() } else { plan.states.iter().filter_map(same).collect() };
        let is_other_run = kept.is_empty() && !self.plan.states.is_empty() && !plan.states.is_empty();
        engine.set_profile(&plan, self.profile);
        let before = std::mem::replace(&mut self.engine, engine);
        self.notes = notes;
        self.watches = watch::Watches::new(&plan);
        self.plan = plan;
        self.settings = settings;
        self.stepping = Stepping::new(&self.plan);
        self.notes.0.extend(self.without_courant());
        self.files = identity(grids);
        self.sequences = sequence::Sequences::new(&self.plan, grids);
        self.playback = playback;
        // A run that is played from disk goes on where it is.
        if self.fresh || is_other_run && self.playback.is_empty() {
            (self.time, self.frame) = (0.0, 0);
            self.start();
        } else {
            self.start();
            self.engine.adopt(&before, &kept);
        }
        self.after_replacing(kept.len() == self.plan.states.len());
        self.watch_again();
        Ok(())
    }

    /// Gives every State its initial value, at the present time.
    pub(super) fn start(&mut self) {
        self.stepping.restart();
        let first = Step { index: 0, of: self.substeps() };
        self.settings.write_step(&self.plan, &FrameInput::default(), self.time, self.frame, first);
        self.playback.forget();
        // The coming frame reports its errors.
        let _ = self.feed();
        self.engine.reset(self.settings.bytes());
        (self.started, self.previewed) = (None, None);
        self.watches = watch::Watches::new(&self.plan);
        self.scatters = scatter::Scatters::default();
        self.values.iter_mut().for_each(|values| values.forget());
        self.fresh = false;
    }

    /// Puts what the coming frame gets from outside into its buffers: files that are numbered by frame, and wires from caches.
    pub(super) fn feed(&mut self) -> Result<(), Problems> {
        self.sequences.feed(&mut self.engine, self.frame)?;
        for number in &self.plan.numbers {
            if let Some(track) = &number.track
                && let Some(end) = track.end().filter(|end| *end <= self.frame)
            {
                let node = number.path().strip_suffix(".value").unwrap_or_default();
                let cause = format!("{} ends after {end} frames", track.path);
                return Err(
                    Problem::new(node, "file", cause, "compute fewer frames, or let the node hold or loop it").into()
                );
            }
        }
        self.play_before()
    }

    /// Restarts the simulation: every State gets its initial value, and time is zero. Its timeline starts over.
    pub fn reset(&mut self) {
        self.before_change();
        self.restart_timeline();
        self.settings.restart(&self.plan);
        (self.time, self.frame) = (0.0, 0);
        self.start();
    }

    /// The input of the coming frame from the graph's own recording; an idle pointer where there is none.
    pub fn recorded_input(&self) -> FrameInput {
        let dt = (1.0 / self.plan.fps) as f32;
        self.plan.input.as_ref().map_or_else(FrameInput::default, |track| track.at(self.time, dt))
    }

    /// Sets a parameter by `node.param`; takes effect with the next step.
    ///
    /// # Errors
    /// An unknown parameter, or a value of the wrong type or size.
    pub fn set_param(&mut self, path: &str, value: ParamValue) -> Result<(), Problem> {
        self.before_change();
        self.settings.set(&mut self.plan, path, value)?;
        self.after_change();
        Ok(())
    }

    /// The value of a parameter or a number in the last frame, with expressions evaluated. `path` is `node.param` or
    /// any other name that sets it: `group/node.param`, `wind.value`, a group's own `group.param`; also what the plan
    /// was made with, such as `solve.iterations` and `box.resolution`. Values set since, and all values before the
    /// first frame, are those at time zero. `None` for what the plan does not hold, for instance a node that nothing
    /// reads, and for curves and gradients.
    pub fn value(&self, path: &str) -> Option<Vec<f64>> {
        self.settings.value(&self.plan, path)
    }

    /// The value of a wire by `node.port`. For a State, this is the value that the next frame starts from. Blocks until
    /// the GPU has finished.
    ///
    /// # Errors
    /// An unknown wire, or one whose buffer is reused within the frame.
    pub fn read(&self, wire: &str) -> Result<Field, Problem> {
        let reading = self.read_async(wire)?;
        let words = reading.wait().ok_or_else(|| lost(wire))?;
        let plan_wire = self.wire(wire)?;
        let domain = plan_wire.domain.and_then(|d| self.plan.domains.get(d));
        Ok(Field::new(plan_wire, domain, &words))
    }

    /// Requests a wire without waiting.
    ///
    /// # Errors
    /// As [`Simulation::read`].
    pub fn read_async(&self, wire: &str) -> Result<Reading, Problem> {
        let plan_wire = self.wire(wire)?;
        if !plan_wire.kept {
            let remedy = "compile with the wire among PlanOptions::keep";
            return Err(Problem::new("", wire, "the wire's memory is reused within the frame", remedy));
        }
        Ok(self.engine.read(plan_wire.buffer, plan_wire.state).ok_or_else(|| lost(wire))??)
    }

    /// Requests words of kept wires with one copy: those of each lie in its range, which is empty where a wire has no such words.
    /// `None` where there are none at all, or no memory for the copy.
    pub(super) fn read_together(&self, wires: &[(&Wire, Range<u64>)]) -> Option<(Reading, Vec<Range<usize>>)> {
        let parts = wires.iter().map(|(wire, words)| (wire.buffer, wire.state, words.clone()));
        self.engine.read_together(parts)
    }

    /// Overwrites a State's value, component by component, x fastest. A State in half precision stores the nearest
    /// halves. For particles the State is `node.attribute`, and fewer values than the capacity may be given.
    ///
    /// # Errors
    /// When `state` is not a State, or the number of values is wrong.
    pub fn write(&mut self, state: &str, values: &[f32]) -> Result<(), Problem> {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.write_words(state, &words)
    }

    /// Overwrites a State's value word by word, for integers.
    ///
    /// # Errors
    /// As [`Simulation::write`].
    pub fn write_words(&mut self, state: &str, values: &[u32]) -> Result<(), Problem> {
        // The next step reports its errors.
        let _ = self.finish_frame(true);
        if self.fresh {
            self.reset();
        }
        let node = state.strip_suffix(".value").unwrap_or(state);
        let Some(found) = self.plan.states.iter().find(|s| s.node == node) else {
            return Err(Problem::new(node, "", "there is no such State", "only States can be written"));
        };
        let bytes = self.plan.buffers.get(found.buffer).map_or(0, |b| b.bytes);
        let wire = self.wire(node)?;
        let domain = wire.domain.and_then(|d| self.plan.domains.get(d));
        let elements = domain.map_or(u64::from(wire.capacity), |d| d.elements(wire.ty));
        let expected = elements * u64::from(wire.ty.value().components(wire.dim));
        let count = values.len() as u64;
        let fits = if wire.capacity > 0 { count <= expected } else { count == expected };
        if !fits {
            let cause = format!("{count} numbers were given, the State holds {expected}");
            return Err(Problem::new(node, "", cause, "give one for every component of every element"));
        }
        let mut words = wire.layout().pack(values);
        words.resize((bytes / 4) as usize, 0);
        self.engine.write(found.buffer, &words);
        self.values.iter_mut().for_each(|values| values.forget());
        self.after_writing();
        Ok(())
    }

    /// Sets how many particles a State holds. The count of all particles ever emitted is set to the same number.
    ///
    /// # Errors
    /// When there is no such State of particles, or its capacity is smaller.
    pub fn set_count(&mut self, state: &str, count: u32) -> Result<(), Problem> {
        let _ = self.finish_frame(true);
        if self.fresh {
            self.reset();
        }
        let name = format!("{state}.count");
        let found = self.plan.states.iter().find(|s| s.node == name).map(|s| s.buffer);
        let room = self.plan.wires.iter().filter(|(n, _)| n.strip_prefix(state).is_some_and(|r| r.starts_with('.')));
        let room = room.map(|(_, w)| w.capacity).max().unwrap_or(0);
        let Some(buffer) = found.filter(|_| count <= room) else {
            let cause = format!("{count} particles were given, the State holds at most {room}");
            return Err(Problem::new(state, "", cause, "name a State of particles, and no more than its capacity"));
        };
        self.values.iter_mut().for_each(|values| values.forget());
        self.engine.write(buffer, &count_words(count, count));
        self.after_writing();
        Ok(())
    }

    /// The image of an Output; of the first one when `output` is `None`. Blocks until the GPU has finished.
    ///
    /// # Errors
    /// When there is no such Output.
    pub fn image(&self, output: Option<&str>) -> Result<Image, Problem> {
        let found = self.find_output(output)?;
        let (width, height) = (found.width, found.height);
        let words = self.image_async(output)?.wait().ok_or_else(|| lost("image"))?;
        Ok(Image::new(width, height, &words))
    }

    /// Requests an image without waiting.
    ///
    /// # Errors
    /// As [`Simulation::image`].
    pub fn image_async(&self, output: Option<&str>) -> Result<Reading, Problem> {
        let output = self.find_output(output)?;
        Ok(self.engine.read(output.buffer, false).ok_or_else(|| lost("image"))??)
    }

    /// Size and name of an image.
    ///
    /// # Errors
    /// When there is no such Output.
    pub fn find_output(&self, output: Option<&str>) -> Result<&Picture, Problem> {
        self.plan.output(output).ok_or_else(|| {
            let cause = if output.is_some() { "there is no Output of this name" } else { "no output yet" };
            Problem::new(output.unwrap_or(""), "", cause, "add an Output node and connect an image")
        })
    }

    /// Sets what is timed on the GPU. Timestamps cost a little (`docs/performance.md`).
    pub fn set_profiling(&mut self, profile: Profile) {
        self.profile = profile;
        self.engine.set_profile(&self.plan, profile);
    }

    /// The kind of timing that is active.
    pub fn profiling(&self) -> Profile {
        self.profile
    }

    /// GPU time by node of a recent profiled frame, with `wait` of the last one; `None` where the adapter has no
    /// timestamps. Nodes that no frame runs ([`Plan::invariant_nodes`]) are not included.
    pub fn times(&mut self, wait: bool) -> Option<&[NodeTime]> {
        self.engine.times(wait)
    }

    /// GPU time by node of the last frames that [`Simulation::times`] has returned, in its order.
    pub fn node_times(&self) -> Option<&Recent> {
        self.engine.node_times()
    }

    /// GPU times of the dispatches of a list over the last frames, in the plan's order. Those of `frame` are available
    /// while [`Profile::Dispatches`] is set; those of `reset` and `invariant` once they have run with any timing.
    pub fn dispatch_times(&self, list: List) -> Option<&Recent> {
        self.engine.dispatch_times(list)
    }

    /// CPU time of the last steps: expressions, uniforms, submission, and recording where that was not done in advance.
    pub fn cpu_times(&self) -> &Recent {
        &self.cpu
    }

    /// How long it took to record the last frame's commands. Frames are recorded in advance on a separate thread, so a
    /// step waits for that only when it directly follows another.
    pub fn recording(&self) -> Duration {
        self.engine.recording()
    }

    /// Number of frames whose commands were recorded so far: in advance, and during their step.
    pub fn recorded(&self) -> [u64; 2] {
        self.engine.recorded()
    }

    /// Errors during the run that did not stop it: loops that exceeded their budget, expressions without a value.
    pub fn warnings(&mut self, wait: bool) -> Problems {
        let mut problems = self.settings.take_warnings();
        std::mem::take(&mut self.notes).0.into_iter().for_each(|note| problems.push(note));
        let words = self.engine.alarms(wait);
        let raised = self.plan.alarms.iter().zip(&words).filter(|(_, word)| **word != 0);
        raised.for_each(|(raised, _)| problems.push(alarm(raised)));
        let scattered = self.scatters.warnings(&self.plan, &words, self.frame, wait);
        scattered.into_iter().for_each(|warning| problems.push(warning));
        if wait {
            self.collect_watches(true);
        }
        self.watches.warnings(&self.plan).into_iter().for_each(|warning| problems.push(warning));
        problems
    }

    /// The watched numbers, such as a CFL number, as last read back from the GPU.
    pub fn watched(&self) -> Vec<Watched> {
        self.watches.latest(&self.plan)
    }

    pub(super) fn collect_watches(&mut self, wait: bool) {
        for words in self.engine.watched(wait) {
            self.watches.take(&self.plan, &words);
        }
    }

    /// The plan that it runs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The device that it runs on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The engine, for its memory and query counts.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Frames computed since the last reset.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    pub(super) fn wire(&self, name: &str) -> Result<&crate::plan::Wire, Problem> {
        let full = format!("{name}.value");
        self.plan.wires.get(name).or_else(|| self.plan.wires.get(&full)).ok_or_else(|| {
            let names: Vec<&str> = self.plan.wires.keys().map(String::as_str).collect();
            Problem::new("", name, "there is no such wire in the plan", format!("there are: {}", names.join(", ")))
        })
    }
}

/// Which grids these are: each is read once a process and stays in memory, so its place tells.
fn identity(grids: &[Arc<AssetGrid>]) -> u64 {
    let mut hash = DefaultHasher::new();
    grids.iter().for_each(|grid| Arc::as_ptr(grid).hash(&mut hash));
    hash.finish()
}

/// Copies the grids from files into the plan's buffers.
pub(super) fn upload(engine: &mut Engine, plan: &Plan, files: &[Arc<AssetGrid>]) -> Problems {
    let mut notes = Problems::default();
    for (file, grid) in plan.files.iter().zip(files) {
        let words: Vec<u32> = grid.values.iter().map(|v| v.to_bits()).collect();
        engine.write(file.buffer, &words);
        for warning in &grid.warnings {
            // What is left out has its own remedy.
            if let Some((cause, remedy)) = warning.rsplit_once(" left out; ") {
                notes.push(Problem::new(&file.node, "file", format!("{cause} left out"), remedy).warning());
                continue;
            }
            let remedy = match file.output {
                FileOutput::Value | FileOutput::Vector | FileOutput::Particles if warning.ends_with(COUNT_AS_ZERO) => {
                    "export it again without them"
                }
                FileOutput::Value | FileOutput::Vector | FileOutput::Particles => {
                    "give a center inside the domain, or remove center and size"
                }
                FileOutput::Distance | FileOutput::Velocity => {
                    "the distances are correct for the file as it is; fix the mesh in a modelling program"
                }
                FileOutput::Image if warning.ends_with(COUNT_AS_ZERO) => "render or save it again without them",
                FileOutput::Image => "give a center inside the domain, or remove center and size",
            };
            notes.push(Problem::new(&file.node, "file", warning.clone(), remedy).warning());
        }
    }
    notes
}

pub(super) fn alarm(alarm: &Alarm) -> Problem {
    let (cause, remedy) = match alarm.cause {
        Cause::Loop => (
            "a loop exceeded its budget of 60,000 iterations and was stopped",
            "let its condition end it sooner, or give it constant bounds",
        ),
        Cause::Neighbors => (
            "a particle has over 60,000 others in the cells around it, and not all were visited",
            "make the cells of the neighbour grid smaller, or keep the particles apart",
        ),
        Cause::Capacity => {
            ("more particles were emitted than fit, and the rest was dropped", "raise the State's capacity")
        }
    };
    Problem::new(&alarm.node, "", cause, remedy).warning()
}

pub(super) fn lost(what: &str) -> Problem {
    Problem::new("", what, "the GPU did not respond", "reset the simulation, or update the driver")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::gpu::GpuOptions;
    use crate::graph::Graph;
    use crate::library::Library;
    use crate::plan::PlanOptions;

    /// Mapped memory is freed with the device, so accessing it afterwards would end the process.
    #[test]
    fn a_device_that_is_gone_ends_nothing_but_the_simulation() {
        let nodes = r##"(version: 1, name: "watched", nodes: {
            "domain": (domain: (resolution: (8, 8), width: 1)),
            "speed": (custom: r#"//! Speed
                //! @over once
                //! @in value: f32
                //! @out speed: f32, expect ..2   Speed [m/s]
                fn stage() -> f32 { return value(); }"#, inputs: {"value": "now"}),
            "now": (number: "frame"),
        })"##;
        let gpu = Gpu::new(&GpuOptions::default()).unwrap();
        let graph = Graph::build(&Document::parse(nodes).unwrap(), Library::builtin()).unwrap();
        let plan = Plan::compile(&graph, &PlanOptions::default()).unwrap();
        let mut simulation = Simulation::new(&gpu, plan).unwrap();
        for _ in 0..3 {
            simulation.step(&FrameInput::default()).unwrap();
        }
        gpu.wait();
        gpu.device.destroy();
        for _ in 0..6 {
            let _ = simulation.step(&FrameInput::default());
            gpu.wait();
        }
        assert!(simulation.read("speed.speed").is_err());
        simulation.reset();
        simulation.warnings(true);
    }
}
