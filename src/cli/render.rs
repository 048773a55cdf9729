//! `stagewright render`

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use super::deterministic::{DeterministicArgs, Recorder};
use super::format::FormatArgs;
use super::report::{self, Failure};
use super::run::{self, FilesArgs, KeepArgs, RunArgs};
use super::stop::{Stop, StopArgs};
use super::wire::WireArgs;
use super::{GraphArgs, parse_size};
use stagewright_base::cancel::Cancel;
use stagewright_base::files::written::{Log, Written};
use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_export::checkpoints;
use stagewright_export::job::{Export, ExportSubject, Item, JobError};
use stagewright_export::record::Fingerprint;
use stagewright_language::document::Document;
use stagewright_language::graph::outputs::fitted;
use stagewright_language::graph::{Graph, Node};
use stagewright_language::library::{self, Library};
use stagewright_runtime::gpu::{Gpu, NodeTime, Profile};
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::checkpoint::{Checkpoint, Stop as Place};
use stagewright_runtime::sim::nan_watch::BadValues;
use stagewright_runtime::tune::TuningCache;

// Frames that are kept can't be hashed.
#[derive(Args)]
#[command(mut_arg("deterministic", |option| option.conflicts_with("resume")))]
pub struct Render {
    #[command(flatten)]
    pub graph: GraphArgs,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    keep: KeepArgs,
    /// Largest size of the images [pixels]; they keep their aspect ratio. Default: the size of the Output
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// Give the images exactly the size of --size, stretched if the aspect ratio differs
    #[arg(long, requires = "size", conflicts_with = "wire")]
    stretch: bool,
    /// Output node to render; default: the topmost on the canvas
    #[arg(long, value_name = "NODE")]
    output: Option<String>,
    /// At the end, print the GPU time of every node (median of all frames)
    #[arg(long)]
    profile: bool,
    /// Check the States for NaN and infinity, every 16 frames and at the end, and name the node and the frame where they began. Only a
    /// warning: the exit code stays 0 without --strict
    #[arg(long)]
    check_values: bool,
    #[command(flatten)]
    wire: WireArgs,
    #[command(flatten)]
    deterministic: DeterministicArgs,
    #[command(flatten)]
    stop: StopArgs,
}

impl Render {
    /// Returns the exit code.
    pub fn run(mut self) -> Result<u8, Failure> {
        let place = run::place(&self.graph.graph, self.keep.resume);
        let text = self.files.out.to_string_lossy().into_owned();
        let resolve = || run::single_folder(&self.files.out, &place, &self.files.frames);
        let (out, _claimed) = run::claim(&text, &place, resolve, PathBuf::clone)?;
        self.files.out = out;
        let wires = |_: &Document| self.wire.wire().into_iter().chain(self.output.clone()).collect();
        let (document, library) = self.run.document(&self.graph, wires)?;
        let checkpoint = self.run.checkpoint()?;
        let size = self.fitted(&document, &library)?;
        let subject =
            self.wire.view(self.size).map_or_else(|| ExportSubject::Output(self.output.clone()), ExportSubject::Wire);
        let items = vec![Item::images(subject, self.format.format)];
        let export = Export {
            resume: self.keep.resume,
            overwrite: self.keep.overwrite,
            ..self.run.export(items, &self.files, size, &document, checkpoint.as_ref())?
        };
        let mut recorder = self.deterministic.begin()?;
        let mut stop = self.stop.begin(&document, &library, export.frames.last())?;
        let (inputs, mut simulation, options) = self.simulation(&export, &document, &library, &mut recorder, &stop)?;
        let inputs = match &checkpoint {
            None => inputs,
            Some(checkpoint) => {
                let next = inputs.after(checkpoint);
                self.run.resume(&mut simulation, checkpoint, next == inputs)?;
                next
            }
        };
        self.graph.strict.check()?;
        let mut fault = None;
        let mut hashed = simulation.frame();
        let mut skipped = 0;
        simulation.set_profiling(Profile::Nodes);
        if self.check_values {
            simulation.watch_values(CHECK_EVERY)?;
        }
        let mut bad = None;
        let mut times = Times::default();
        let ready = run::begin(&export, &inputs, &simulation)?;
        let bar = run::progress(export.frames.last());
        let started = Instant::now();
        let frames = self.run.driver.frames();
        let mut first_shown = false;
        let mut goes_on = |simulation: &mut Simulation, skips: bool| {
            let Some(stop) = &mut stop else { return Ok(true) };
            if skips {
                stop.skip();
            }
            stop.check(simulation)
        };
        if !goes_on(&mut simulation, false)? {
            return self.stopped(stop, (&document, &library), &options, (&mut simulation, &inputs));
        }
        let result = ready.run(&mut simulation, |progress, simulation| {
            bar.set_position(progress.frame);
            first_shown = first_shown || bar.suspend(|| run::show_first(&export, progress));
            times.take(simulation, false);
            bad = bad.take().or_else(|| simulation.bad_values(false));
            // Called repeatedly while waiting for a frame.
            if hashed < simulation.frame() && fault.is_none() {
                hashed = simulation.frame();
                fault = recorder.as_mut().and_then(|recorder| bar.suspend(|| hash(recorder, simulation)).err());
            }
            let mut stopped = false;
            if fault.is_none() {
                let skips = progress.skipped > std::mem::replace(&mut skipped, progress.skipped);
                match goes_on(simulation, skips) {
                    Ok(goes_on) => stopped = !goes_on,
                    Err(failure) => fault = Some(failure),
                }
            }
            frames.note(progress.frame, progress.written);
            fault.is_none() && !stopped
        });
        drop(frames);
        let (done, statistics, remarks) = result.map_err(run::failure)?;
        bar.finish_and_clear();
        if !first_shown {
            run::show_first(&export, &done);
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        if stop.as_ref().is_some_and(|stop| stop.fired.is_some()) {
            return self.stopped(stop, (&document, &library), &options, (&mut simulation, &inputs));
        }
        report::warn(&simulation.warnings(true));
        report::warn(&remarks);
        match bad.or_else(|| simulation.bad_values(true)) {
            Some(bad) => self.report_bad(&bad, &document, &library, &simulation)?,
            None => run::warn_of_nan(&simulation)?,
        }
        let differences =
            recorder.map(|recorder| self.deterministic.finish(&recorder)).transpose()?.unwrap_or_default();
        let code = if differences.is_empty() { Ok(0) } else { Err(Failure::Message(differences.join("\n"))) };
        if self.stop.is_json() {
            report::print_json("null\n");
            return code;
        }
        times.take(&mut simulation, true);
        if done.kept > 0 {
            report::print(&format!("{} frames already existed\n", done.kept));
        }
        if done.skipped > 0 {
            report::print(&format!(
                "{} frames were not computed again: a checkpoint holds their States\n",
                done.skipped
            ));
        }
        self.summary(done.written, started.elapsed(), times, &simulation);
        for watched in simulation.watched() {
            report::print(&format!("{} {:.4}\n", watched.name, watched.value));
        }
        self.wire.report(statistics.as_ref(), simulation.plan())?;
        code
    }

    /// Reports what stopped the run. Returns the exit code.
    fn stopped(
        &self,
        stop: Option<Stop>,
        graph: (&Document, &Library),
        options: &PlanOptions,
        (simulation, inputs): (&mut Simulation, &Fingerprint),
    ) -> Result<u8, Failure> {
        let Some(fired) = stop.and_then(|stop| stop.fired) else { return Ok(0) };
        let found = self.stop.find(&fired, &self.graph, graph, options, simulation.gpu());
        fired.start.restore(simulation);
        let stop =
            found.as_ref().ok().map(|report| Place { report: report.clone(), input: fired.start.input().clone() });
        let checkpoint = self.keep_start(graph.0, simulation, inputs, stop)?;
        self.stop.print(found?, &checkpoint);
        Ok(report::STOPPED)
    }

    /// Writes a checkpoint of the present frame, and returns its file.
    fn keep_start(
        &self,
        document: &Document,
        simulation: &Simulation,
        inputs: &Fingerprint,
        stop: Option<Place>,
    ) -> Result<PathBuf, Failure> {
        let snapshot = simulation.snapshot()?.wait().ok_or_else(|| Failure::Message(JobError::Gpu.to_string()))?;
        let path = checkpoints::path(&self.files.out, snapshot.frame);
        let mut checkpoint = Checkpoint::new(simulation, snapshot, document.to_text(), Some(inputs.text().to_string()));
        checkpoint.about.stop = stop.map(Box::new);
        let log = Log::begin(&self.files.out, &Written::read(&self.files.out)).unwrap_or_default();
        checkpoint.write_in_export(&path, &log).map_err(|error| Failure::Message(error.to_string()))?;
        Ok(path)
    }

    /// The size of the images: that of `--size`, or the largest inside it with the aspect ratio of the image. Prints
    /// which Output is rendered where there are several, and the size where it differs.
    fn fitted(&mut self, document: &Document, library: &Library) -> Result<Option<(u32, u32)>, Failure> {
        // Compiling reports the errors of the graph.
        let Ok(graph) = Graph::build(document, library) else { return Ok(self.size) };
        if self.wire.wire().is_some() {
            return self.wire.check(&graph).map(|()| self.size);
        }
        let outputs: Vec<&Node> = graph.outputs().into_iter().filter_map(|index| graph.nodes.get(index)).collect();
        let names = || outputs.iter().map(|node| node.path.as_str());
        let output = match &self.output {
            None => outputs.first(),
            Some(name) => Some(outputs.iter().find(|node| node.path == *name).ok_or_else(|| {
                let close =
                    library::close_names(name, names()).first().map(|close| format!("; did you mean `{close}`?"));
                let there = names().collect::<Vec<_>>().join(", ");
                Failure::Message(format!(
                    "--output {name}: no such Output{}; the Outputs are: {there}",
                    close.unwrap_or_default()
                ))
            })?),
        };
        let Some(output) = output else { return Ok(self.size) };
        if self.output.is_none() && outputs.len() > 1 {
            let others = names().skip(1).collect::<Vec<_>>().join(", ");
            report::eprint_line(&format!(
                "rendering the Output `{}` (the topmost); choose another with --output: {others}",
                output.path
            ));
        }
        // Which one is the topmost is no longer asked for.
        self.output = Some(output.path.clone());
        let (Some(size), Some(output_size), false) = (self.size, graph.image_size(output), self.stretch) else {
            return Ok(self.size);
        };
        let fits = fitted(size, output_size);
        if fits != size {
            let (shape, (w, h), (ww, hh)) = (output_size, fits, size);
            report::eprint_line(&format!(
                "--size {ww}x{hh}: the image has the aspect ratio {}:{}, so it is rendered at {w}x{h}; use --stretch for exactly {ww}x{hh}",
                shape.0, shape.1
            ));
        }
        Ok(Some(fits))
    }

    fn simulation(
        &self,
        export: &Export,
        document: &Document,
        library: &Library,
        recorder: &mut Option<Recorder>,
        stop: &Option<Stop>,
    ) -> Result<(Fingerprint, Simulation, PlanOptions), Failure> {
        // Errors of the graph are reported even where there is no driver.
        let gpu = super::open(&self.run.device, self.graph.memory);
        // Measured shapes may round half precision at different places, so results would depend on this machine's
        // measurements.
        let tuning = |gpu: &Gpu| if self.deterministic.on() { gpu.tuning() } else { TuningCache::open().tuning(gpu) };
        let tuning = gpu.as_ref().map(tuning).unwrap_or_default();
        let memory_budget = gpu.as_ref().map(Gpu::memory_budget).unwrap_or_default();
        let options = PlanOptions { tuning, memory_budget, ..export.plan_options(&self.graph.access()) };
        let options = stop.iter().fold(options, |options, stop| stop.keep(options));
        let plan = self.graph.compile(document, library, &options)?;
        let gpu = gpu?;
        super::keep_pipelines(&gpu);
        self.run.driver.prepare(&gpu, &plan)?;
        let simulation = Simulation::new(&gpu, plan)?;
        if let Some(recorder) = recorder {
            let name = self.graph.graph.file_name().unwrap_or_default().to_string_lossy();
            recorder.graph(&name, document, library, &simulation)?;
        }
        let inputs = Fingerprint::of(document, library, &self.graph.access(), &Cancel::default());
        let inputs = inputs.ok_or_else(|| Failure::Message("it was cancelled".into()))?;
        Ok((inputs, simulation, options))
    }

    /// Reports where NaN or infinity began. A plan that keeps every wire may be too large; then only the States are
    /// named.
    fn report_bad(
        &self,
        bad: &BadValues,
        document: &Document,
        library: &Library,
        simulation: &Simulation,
    ) -> Result<(), Failure> {
        let memory_budget = simulation.gpu().memory_budget();
        let options = PlanOptions { keep: Keep::All, memory_budget, ..self.graph.options() };
        let origin = Graph::build(document, library)
            .and_then(|graph| Plan::compile(&graph, &options))
            .and_then(|plan| bad.origin(simulation.gpu(), plan));
        report::warn(&bad.problem(origin.as_ref().ok().and_then(Option::as_ref)).into());
        if let Err(problems) = origin {
            report::eprint_line(&format!("cannot find where it began: {problems}"));
        }
        Ok(())
    }

    fn summary(&self, written: u64, elapsed: Duration, times: Times, simulation: &Simulation) {
        let (adapter, seconds) = (simulation.gpu().name(), elapsed.as_secs_f64());
        let (frames, kept) = (times.frames, times.totals.len());
        let (total, nodes) = times.medians();
        let solver = match total {
            Some(ms) if (kept as u64) < frames => {
                format!("solver {ms:.3} ms per frame, median of {kept} of {frames} frames")
            }
            Some(ms) => format!("solver {ms:.3} ms per frame, median of {frames}"),
            None if simulation.node_times().is_some() => "nothing runs in every frame".into(),
            None => "the adapter has no timestamps".into(),
        };
        report::print(&format!(
            "{written} frames in {} ({seconds:.1} s, {:.1} frames/s; {solver}, on {adapter})\n",
            self.files.out.display(),
            written as f64 / seconds
        ));
        if self.profile {
            for time in nodes {
                report::print(&format!("{:>10.4} ms  {}\n", time.ms, shared(simulation.plan(), &time.node)));
            }
            for node in simulation.plan().invariant_nodes() {
                report::print(&format!("{:>13}  {node}\n", "once"));
            }
        }
    }
}

/// Prints the hash of every State after a frame.
fn hash(recorder: &mut Recorder, simulation: &Simulation) -> Result<(), Failure> {
    for row in recorder.take(simulation)? {
        report::print(&format!("{row}\n"));
    }
    Ok(())
}

/// A node, and the others whose work its dispatches do: `blur + threshold`.
fn shared(plan: &Plan, node: &str) -> String {
    let mut nodes: Vec<&str> = Vec::new();
    for dispatch in plan.frame.iter().filter(|dispatch| dispatch.node == node) {
        for name in dispatch.with.iter().map(String::as_str).chain([node]) {
            if !nodes.contains(&name) {
                nodes.push(name);
            }
        }
    }
    // Its own name comes first, the others in the order of their work.
    let others = nodes.iter().filter(|name| **name != node);
    std::iter::once(&node).chain(others).copied().collect::<Vec<_>>().join(" + ")
}

/// Frames between two checks of the States for NaN; where one is found, those since the last check are recomputed.
const CHECK_EVERY: u64 = 16;

/// Limit of frames whose times are kept.
const MAX_TIMES: usize = 4096;

/// GPU times of frames. In a long run only every second, fourth, and so on is kept, so that memory does not grow.
#[derive(Default)]
struct Times {
    frames: u64,
    /// One out of this many frames is kept; a power of two.
    thinned: u32,
    totals: Vec<f32>,
    nodes: Vec<(String, Vec<f32>)>,
}

impl Times {
    /// Adds the frames that have arrived since the last call.
    fn take(&mut self, simulation: &mut Simulation, wait: bool) {
        let Some(names) = simulation.times(wait) else { return };
        if self.nodes.len() < names.len() {
            self.nodes = names.iter().map(|time| (time.node.clone(), Vec::new())).collect();
        }
        let Some(recent) = simulation.node_times() else { return };
        for frame in self.frames..recent.frames() {
            if frame % (1 << self.thinned) != 0 {
                continue;
            }
            let row = recent.row(frame);
            self.totals.push(row.iter().sum());
            self.nodes.iter_mut().zip(row).for_each(|((_, times), ms)| times.push(*ms));
            if self.totals.len() >= MAX_TIMES {
                self.thin();
            }
        }
        self.frames = recent.frames();
    }

    /// Drops every second of the frames that are kept.
    fn thin(&mut self) {
        self.thinned += 1;
        for times in self.nodes.iter_mut().map(|(_, times)| times).chain([&mut self.totals]) {
            let mut place = 0;
            times.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }

    /// Medians for the whole frame and for each node.
    fn medians(self) -> (Option<f64>, Vec<NodeTime>) {
        let node = |(node, times)| Some(NodeTime { node, ms: median(times)? });
        (median(self.totals), self.nodes.into_iter().filter_map(node).collect())
    }
}

/// Median of the values; `None` where there are none.
fn median(mut values: Vec<f32>) -> Option<f64> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).map(|ms| f64::from(*ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_long_runs_are_thinned_and_their_median_stays() {
        let mut times = Times { nodes: vec![("a".into(), Vec::new())], ..Times::default() };
        for frame in 0..100_000u64 {
            if frame % (1 << times.thinned) != 0 {
                continue;
            }
            let ms = (frame % 1000) as f32;
            times.totals.push(ms);
            times.nodes[0].1.push(ms);
            if times.totals.len() >= MAX_TIMES {
                times.thin();
            }
        }
        let kept = times.totals.len();
        assert!((MAX_TIMES / 2..MAX_TIMES).contains(&kept) && kept == times.nodes[0].1.len(), "{kept}");
        let (total, _) = times.medians();
        assert!(total.is_some_and(|ms| (ms - 500.0).abs() < 25.0), "{total:?}");
    }
}
