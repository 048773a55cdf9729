//! `stagewright render`

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::driver::DriverArgs;
use super::report::{self, Failure};
use super::wire::WireArgs;
use super::{GraphArgs, parse_size};
use stagewright::document::Document;
use stagewright::export::job::{self, Export, JobError, Subject};
use stagewright::gpu::{Gpu, GpuOptions, NodeTime, Profile};
use stagewright::plan::PlanOptions;
use stagewright::sim::Simulation;
use stagewright::sim::input::InputTrack;
use stagewright::tune::Book;

#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    graph: GraphArgs,
    /// Frames to write: the first N, or N-M, for which those before are computed too
    #[arg(long, value_name = "N|N-M", value_parser = parse_frames)]
    frames: RangeInclusive<u64>,
    /// Folder for the frames, made when it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Go on with an export of the same that was interrupted
    #[arg(long)]
    resume: bool,
    /// Size of the pictures [pixels]; what the Output says when absent
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// Frames a second; a frame's time step is its inverse
    #[arg(long, value_name = "F")]
    fps: Option<f64>,
    /// Recorded pointer and keys (.ron) to play instead of the graph's own
    #[arg(long, value_name = "RECORDING")]
    input: Option<PathBuf>,
    /// Output node to render, the first when absent
    #[arg(long, value_name = "NODE")]
    output: Option<String>,
    /// Part of the name of the graphics adapter
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Print the GPU time of every node at the end, the median of all frames
    #[arg(long)]
    profile: bool,
    #[command(flatten)]
    driver: DriverArgs,
    #[command(flatten)]
    wire: WireArgs,
}

impl Render {
    pub fn run(&self) -> Result<(), Failure> {
        let export = Export {
            frames: self.frames.clone(),
            size: self.size,
            subject: self.wire.view(self.size).map_or_else(|| Subject::Output(self.output.clone()), Subject::Wire),
            folder: self.out.clone(),
            resume: self.resume,
        };
        let (document, mut simulation) = self.simulation(&export)?;
        simulation.set_profiling(Profile::Nodes);
        let mut times = Times::default();
        let bar = progress(*self.frames.end());
        let started = Instant::now();
        let frames = self.driver.frames();
        let result = job::run(&export, &document, &mut simulation, |progress, simulation| {
            bar.set_position(progress.frame);
            times.take(simulation, false);
            frames.note(progress.frame, progress.written);
            true
        });
        drop(frames);
        let (done, statistics) = result.map_err(|error| match error {
            JobError::Graph(problems) => problems.into(),
            other => Failure::Message(other.to_string()),
        })?;
        bar.finish_and_clear();
        report::warn(&simulation.warnings(true));
        times.take(&mut simulation, true);
        if done.kept > 0 {
            report::print(&format!("{} frames were there already\n", done.kept));
        }
        self.summary(done.written, started.elapsed(), times, &simulation);
        for watched in simulation.watched() {
            report::print(&format!("{} {:.4}\n", watched.name, watched.value));
        }
        self.wire.report(statistics.as_ref())
    }

    fn simulation(&self, export: &Export) -> Result<(Document, Simulation), Failure> {
        let (mut document, library) = self.graph.load()?;
        if let Some(fps) = self.fps {
            if !(fps.is_finite() && fps > 0.0) {
                return Err(Failure::Message(format!("--fps {fps}: give a number above 0")));
            }
            document.fps = fps;
        }
        if let Some(path) = &self.input {
            let failure = |e: String| Failure::Message(format!("--input {}: {e}", path.display()));
            let text = std::fs::read_to_string(path).map_err(|e| failure(e.to_string()))?;
            document.input = Some(InputTrack::parse(&text).map_err(|e| failure(e.to_string()))?);
        }
        // What is wrong with the graph is told even where there is no driver.
        let gpu = Gpu::new(&GpuOptions { adapter: self.adapter.clone() });
        let tuning = gpu.as_ref().map(|gpu| Book::open().tuning(gpu)).unwrap_or_default();
        let options = PlanOptions { tuning, ..export.plan_options(self.graph.folder()) };
        let plan = self.graph.compile(&document, &library, &options)?;
        let gpu = gpu.map_err(|e| Failure::Message(e.to_string()))?;
        super::keep_pipelines(&gpu);
        self.driver.prepare(&gpu, &plan)?;
        Ok((document, Simulation::new(&gpu, plan)?))
    }

    fn summary(&self, written: u64, elapsed: Duration, times: Times, simulation: &Simulation) {
        let (adapter, seconds) = (simulation.gpu().name(), elapsed.as_secs_f64());
        let frames = times.frames;
        let (total, nodes) = times.medians();
        let solver = match total {
            Some(ms) => format!("solver {ms:.3} ms a frame, the median of {frames}"),
            None if simulation.node_times().is_some() => "nothing runs in every frame".into(),
            None => "the adapter has no timestamps".into(),
        };
        report::print(&format!(
            "{written} frames in {} ({seconds:.1} s, {:.1} frames/s; {solver}, on {adapter})\n",
            self.out.display(),
            written as f64 / seconds
        ));
        if self.profile {
            for time in nodes {
                report::print(&format!("{:>10.4} ms  {}\n", time.ms, time.node));
            }
            for node in simulation.plan().still_nodes() {
                report::print(&format!("{:>13}  {node}\n", "once"));
            }
        }
    }
}

/// GPU times of all frames.
#[derive(Default)]
struct Times {
    frames: u64,
    totals: Vec<f32>,
    nodes: Vec<(String, Vec<f32>)>,
}

impl Times {
    /// Takes in the frames that have arrived since the last call.
    fn take(&mut self, simulation: &mut Simulation, wait: bool) {
        let Some(names) = simulation.times(wait) else { return };
        if self.nodes.len() < names.len() {
            self.nodes = names.iter().map(|time| (time.node.clone(), Vec::new())).collect();
        }
        let Some(recent) = simulation.node_times() else { return };
        for row in (self.frames..recent.frames()).map(|frame| recent.row(frame)) {
            self.totals.push(row.iter().sum());
            self.nodes.iter_mut().zip(row).for_each(|((_, times), ms)| times.push(*ms));
        }
        self.frames = recent.frames();
    }

    /// Of the whole frame, and of each node.
    fn medians(self) -> (Option<f64>, Vec<NodeTime>) {
        let node = |(node, times)| Some(NodeTime { node, ms: median(times)? });
        (median(self.totals), self.nodes.into_iter().filter_map(node).collect())
    }
}

/// Absent where there is nothing.
fn median(mut values: Vec<f32>) -> Option<f64> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).map(|ms| f64::from(*ms))
}

fn progress(frames: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} frames  {per_sec}  {eta} left");
    ProgressBar::new(frames).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// `240` or `100-240`
fn parse_frames(text: &str) -> Result<RangeInclusive<u64>, String> {
    let message = || format!("`{text}` is no range of frames; write N or N-M, for example 240 or 100-240");
    let number = |s: &str| s.trim().parse::<u64>().ok().filter(|n| *n >= 1).ok_or_else(message);
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (1, number(text)?),
    };
    if first <= last { Ok(first..=last) } else { Err(message()) }
}
