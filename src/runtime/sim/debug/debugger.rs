//! Stepping through the dispatches of a frame, with the wires as each dispatch leaves them.

use std::collections::BTreeMap;

use super::start::FrameStart;
use crate::gpu::Gpu;
use crate::gpu::stepping::Peek;
use crate::gpu::values::Snapshot;
use crate::plan::{Dispatch, Keep, Plan, PlanOptions, Tuning, Version, Wire};
use crate::problem::{Problem, Problems};
use crate::sim::step::Step;
use crate::sim::timeline::Past;
use crate::sim::{FrameInput, Simulation};

/// A frame that stops between its dispatches.
pub struct FrameDebugger {
    pub(super) simulation: Simulation,
    /// The States at the start of the frame.
    begin: Snapshot,
    /// Dispatches that have run.
    pub(super) position: usize,
    /// Which dispatches run at all: those of a group that has stopped do not.
    runs: Vec<bool>,
    /// The wires at the end of a frame.
    pub(super) wires: BTreeMap<String, Wire>,
    /// Length of the frame \[s\].
    pub(super) dt: f64,
    /// The step of the frame that it stands in.
    step: Step,
    /// A frame begins with its first step and not with its last one.
    from_first: bool,
    input: FrameInput,
}

impl FrameDebugger {
    /// The options to compile a plan with that can stop inside a frame, for a graph whose running plan has these.
    pub fn options(options: &PlanOptions) -> PlanOptions {
        PlanOptions { keep: Keep::Versions, hoist: false, tuning: Tuning::default(), ..options.clone() }
    }

    /// Stands at the start of a frame; of one that is divided into steps, at the start of the last step. `plan` is of the graph that the frame is of, compiled with [`FrameDebugger::options`]. Shaders
    /// are compiled, but nothing runs yet.
    ///
    /// # Errors
    /// What the adapter lacks for such a plan, files that cannot be read, or a plan with other options.
    pub fn new(gpu: &Gpu, plan: Plan, start: &FrameStart) -> Result<FrameDebugger, Problems> {
        FrameDebugger::standing(gpu, plan, start, false)
    }

    /// Stands at the start of the first of the steps that a frame is divided into. The next one is [`FrameDebugger::next_step`].
    pub(super) fn in_first_step(gpu: &Gpu, plan: Plan, start: &FrameStart) -> Result<FrameDebugger, Problems> {
        FrameDebugger::standing(gpu, plan, start, true)
    }

    fn standing(gpu: &Gpu, plan: Plan, start: &FrameStart, from_first: bool) -> Result<FrameDebugger, Problems> {
        if plan.versions.dispatches.len() != plan.frame.len() {
            let remedy = "compile it with FrameDebugger::options";
            return Err(Problem::new("", "", "the plan can't stop inside a frame", remedy).into());
        }
        let wires = plan.wires.clone();
        let simulation = Simulation::new(gpu, plan)?;
        let mut debugger = FrameDebugger {
            simulation,
            begin: Snapshot::default(),
            position: 0,
            runs: Vec::new(),
            wires,
            dt: 0.0,
            step: Step { index: 0, of: 1 },
            from_first,
            input: FrameInput::default(),
        };
        debugger.begin_at(start)?;
        Ok(debugger)
    }

    /// Stands at the start of another frame of the same graph.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn begin_at(&mut self, start: &FrameStart) -> Result<(), Problems> {
        start.apply(&mut self.simulation);
        self.begin_frame(&start.input)
    }

    /// Keeps the States that the simulation holds as the start of a frame, and goes there.
    fn begin_frame(&mut self, input: &FrameInput) -> Result<(), Problems> {
        input.clone_into(&mut self.input);
        self.simulation.feed()?;
        let (of, _) = self.simulation.steps_of(input, (self.simulation.time, self.simulation.frame))?;
        self.step = Step { index: 0, of };
        self.begin_step()?;
        while !self.from_first && self.next_step()? {}
        Ok(())
    }

    /// Runs the rest of the step, and stands at the start of the next one of the same frame. Returns whether there is one.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn next_step(&mut self) -> Result<bool, Problems> {
        if self.step.is_last() {
            return Ok(false);
        }
        self.seek(self.len())?;
        self.simulation.engine.end_parts();
        self.step.index += 1;
        self.begin_step()?;
        Ok(true)
    }

    /// The step of the frame that it stands in, from 1 on, and how many there are.
    pub fn step(&self) -> (u32, u32) {
        (self.step.index + 1, self.step.of)
    }

    fn begin_step(&mut self) -> Result<(), Problems> {
        let Simulation { settings, plan, time, frame, .. } = &mut self.simulation;
        self.dt = f64::from(settings.write_step(plan, &self.input, *time, *frame, self.step));
        let buffers = self.simulation.states();
        let mut begin = std::mem::take(&mut self.begin);
        self.simulation.engine.snapshot(&self.simulation.gpu, &buffers, &mut begin);
        self.begin = begin;
        self.simulation.engine.rewind();
        self.restore();
        self.find_what_runs()?;
        self.move_to(0)
    }

    /// Gives the States the values from the start of the frame.
    pub(super) fn restore(&mut self) {
        let buffers: Vec<_> = self.simulation.states().into_iter().map(Some).collect();
        let gpu = self.simulation.gpu.clone();
        self.simulation.engine.begin_from(&gpu, &self.begin, &buffers);
        self.position = 0;
    }

    /// Groups that stop early decide on the GPU which of their dispatches run, so the frame has to be computed once.
    fn find_what_runs(&mut self) -> Result<(), Problems> {
        let dispatches = &self.simulation.plan.frame;
        self.runs = vec![true; dispatches.len()];
        let gated = dispatches.iter().enumerate().filter_map(|(at, dispatch)| {
            let gate = dispatch.indirect.filter(|indirect| !indirect.living)?;
            let first = gate.offset / 4;
            Some((at, Peek { after: at, buffer: Some(gate.buffer), words: first..first + 3 }))
        });
        let (places, peeks): (Vec<usize>, Vec<Peek>) = gated.unzip();
        if places.is_empty() {
            return Ok(());
        }
        let words = self.watch(self.len(), &peeks)?;
        for (place, groups) in places.into_iter().zip(words.chunks_exact(3)) {
            if let (Some(runs), true) = (self.runs.get_mut(place), groups.contains(&0)) {
                *runs = false;
            }
        }
        Ok(())
    }

    /// Runs the frame from its start up to a position, and returns pieces of memory that are copied meanwhile.
    pub(super) fn watch(&mut self, end: usize, peeks: &[Peek]) -> Result<Vec<u32>, Problems> {
        self.restore();
        let Simulation { engine, gpu, settings, .. } = &self.simulation;
        let reading = engine.run_watched(gpu, settings.bytes(), 0..end, peeks).map_err(Problem::from)?;
        let words = reading.wait().ok_or_else(|| crate::sim::lost("frame"))?;
        self.move_to(end)?;
        Ok(words)
    }

    /// The simulation as it is at this point of the frame: reading its wires, and views of them, show what they hold here. Wires that
    /// are not computed yet, or no more in memory, cannot be read.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Dispatches of the frame that have run.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Number of the frame's dispatches.
    pub fn len(&self) -> usize {
        self.simulation.plan.frame.len()
    }

    /// Whether the frame has no dispatches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frame, counted from 1: the one that is computed from the States at its start.
    pub fn frame(&self) -> u64 {
        self.simulation.frame + 1
    }

    /// The dispatch that runs next; `None` at the end of the frame.
    pub fn next(&self) -> Option<(usize, &Dispatch)> {
        let at = self.next_running(self.position)?;
        Some((at, self.simulation.plan.frame.get(at)?))
    }

    /// The dispatch that ran last; `None` at the start of the frame.
    pub fn last(&self) -> Option<(usize, &Dispatch)> {
        let at = self.last_running(self.position)?;
        Some((at, self.simulation.plan.frame.get(at)?))
    }

    /// Whether a dispatch runs: those of a group that has stopped do not.
    pub fn runs(&self, dispatch: usize) -> bool {
        self.runs.get(dispatch).copied().unwrap_or(false)
    }

    fn next_running(&self, from: usize) -> Option<usize> {
        (from..self.len()).find(|at| self.runs(*at))
    }

    fn last_running(&self, before: usize) -> Option<usize> {
        (0..before.min(self.len())).rfind(|at| self.runs(*at))
    }

    /// Goes to where so many dispatches have run, forwards or backwards. Blocks until the GPU is there.
    ///
    /// # Errors
    /// A lost device, or another error that the driver reported.
    pub fn seek(&mut self, position: usize) -> Result<(), Problems> {
        let position = position.min(self.len());
        if position < self.position {
            self.restore();
        }
        let Simulation { engine, gpu, settings, .. } = &self.simulation;
        engine.run_part(gpu, settings.bytes(), self.position..position);
        gpu.wait();
        self.move_to(position)
    }

    /// Runs the next dispatch. Returns whether there was one.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn step_dispatch(&mut self) -> Result<bool, Problems> {
        let Some(next) = self.next_running(self.position) else { return Ok(false) };
        self.seek(next + 1)?;
        Ok(true)
    }

    /// Runs to the first dispatch of another node. Returns whether anything was left to run.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn step_node(&mut self) -> Result<bool, Problems> {
        let node = |at: usize| self.simulation.plan.frame.get(at).map(|dispatch| dispatch.node.as_str());
        let Some(first) = self.next_running(self.position) else { return Ok(false) };
        let end = (first..self.len()).find(|at| self.runs(*at) && node(*at) != node(first));
        self.seek(end.unwrap_or(self.len()))?;
        Ok(true)
    }

    /// Runs to the next iteration: of the stage whose dispatch is next, or else of the group around it. Where nothing iterates, it runs
    /// to the next node. Returns whether anything was left to run.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn step_iteration(&mut self) -> Result<bool, Problems> {
        let Some(first) = self.next_running(self.position) else { return Ok(false) };
        let plan = &self.simulation.plan;
        let node = |at: usize| plan.frame.get(at).map_or("", |dispatch| dispatch.node.as_str());
        let accesses = |at: usize| plan.versions.dispatches.get(at);
        let iteration = |at: usize| accesses(at).map(|accesses| (accesses.substep, accesses.iteration));
        let substep = |at: usize| accesses(at).map(|accesses| accesses.substep);
        let same = |at: &usize| node(*at) == node(first) && substep(*at) == substep(first);
        let repeats = (0..first).rev().take_while(same).chain((first..self.len()).take_while(same));
        let iterates = repeats.into_iter().any(|at| iteration(at) != iteration(first));
        let group = node(first).rsplit_once('/').map(|(group, _)| group).filter(|_| !iterates);
        let mut behind = (first..self.len()).filter(|at| self.runs(*at));
        let end = behind.find(|at| match group {
            Some(group) => {
                let inside = node(*at).strip_prefix(group).is_some_and(|rest| rest.starts_with('/'));
                !inside || substep(*at) != substep(first)
            }
            None => node(*at) != node(first) || iteration(*at) != iteration(first),
        });
        self.seek(end.unwrap_or(self.len()))?;
        Ok(true)
    }

    /// Runs to the next dispatch of a node, or of a node inside of this group. Returns whether it has one further on.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn run_to(&mut self, node: &str) -> Result<bool, Problems> {
        match self.first_of(node, self.position) {
            Some(at) => self.seek(at).map(|()| true),
            None => Ok(false),
        }
    }

    /// The first dispatch of a node, or of a node inside of this group, from a position on.
    pub fn first_of(&self, node: &str, from: usize) -> Option<usize> {
        let within = |path: &str| path.strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let dispatch = |at: usize| self.simulation.plan.frame.get(at);
        (from..self.len()).find(|at| self.runs(*at) && dispatch(*at).is_some_and(|d| d.nodes().any(within)))
    }

    /// Goes back by a dispatch. Returns whether there was one.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn step_back(&mut self) -> Result<bool, Problems> {
        let Some(last) = self.last_running(self.position) else { return Ok(false) };
        self.seek(last)?;
        Ok(true)
    }

    /// Runs the rest of the frame, and stands at the start of the next one, which has this input.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn next_frame(&mut self, input: &FrameInput) -> Result<(), Problems> {
        while self.next_step()? {}
        self.seek(self.len())?;
        self.simulation.stepping.after(&self.simulation.engine, self.step.of);
        self.simulation.engine.end_parts();
        self.simulation.time += self.dt;
        self.simulation.frame += 1;
        self.begin_frame(input)
    }

    /// Goes to the next frame of a past: parameters that were changed before that frame are changed here too. Returns whether the past has that frame.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn next_of(&mut self, past: &Past) -> Result<bool, Problems> {
        let next = self.frame();
        let Some(input) = past.input(next) else { return Ok(false) };
        while self.next_step()? {}
        self.seek(self.len())?;
        let Simulation { settings, plan, .. } = &mut self.simulation;
        settings.assign(plan, past.changed(next));
        self.next_frame(input)?;
        Ok(true)
    }

    /// The version of a wire at a position.
    pub(super) fn version(&self, wire: &str, position: usize) -> Option<&Version> {
        let versions = self.simulation.plan.versions.wires.get(wire)?;
        let ran = |version: &&Version| version.written.is_none_or(|dispatch| self.runs(dispatch));
        let latest = versions.iter().filter(|version| version.from <= position).rfind(ran)?;
        Some(latest).filter(|version| version.until.is_none_or(|until| self.intact(until, position)))
    }

    /// Whether nothing has overwritten a version yet that the dispatch `until` overwrites.
    fn intact(&self, until: usize, position: usize) -> bool {
        position <= until || !self.runs(until)
    }

    /// Stands at a position: names of wires refer to what they hold there.
    pub(super) fn move_to(&mut self, position: usize) -> Result<(), Problems> {
        self.position = position;
        let mut wires = std::mem::take(&mut self.simulation.plan.wires);
        for (name, wire) in &mut wires {
            match self.version(name, position) {
                Some(version) => *wire = version.wire.clone(),
                None => wire.kept = false,
            }
        }
        self.simulation.plan.wires = wires;
        let faults = self.simulation.gpu.take_faults();
        if faults.is_empty() {
            return Ok(());
        }
        let remedy = "leave the debugger, and reset the simulation";
        Err(Problems(faults.into_iter().map(|fault| Problem::new("", "", fault, remedy)).collect()))
    }

    /// Whether the image of an Output is computed at this point.
    pub fn has_image(&self, output: &str) -> bool {
        self.first_of(output, 0).is_some() && self.first_of(output, self.position).is_none()
    }

    /// The wires of the plan, and how they are stored at the end of a frame.
    pub fn wires(&self) -> &BTreeMap<String, Wire> {
        &self.wires
    }
}
