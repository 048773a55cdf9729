//! `stagewright render`

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::report::{self, Failure};
use super::{GraphArgs, parse_size};
use stagewright::export::png_sequence::PngSequence;
use stagewright::gpu::{Gpu, GpuOptions, NodeTime, Profile, Reading};
use stagewright::plan::{Outputs, PlanOptions};
use stagewright::sim::input::InputTrack;
use stagewright::sim::{Image, Simulation};

#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    graph: GraphArgs,
    /// Frames to write
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frames: u64,
    /// Folder for the frames, made when it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
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
}

/// Frames that are on their way from the GPU at once.
const IN_FLIGHT: usize = 2;

impl Render {
    pub fn run(&self) -> Result<(), Failure> {
        let mut simulation = self.simulation()?;
        let (width, height) = simulation.find_picture(self.output.as_deref()).map(|p| (p.width, p.height))?;
        simulation.set_profiling(Profile::Nodes);
        let message = |e: stagewright::export::png_sequence::ExportError| Failure::Message(e.to_string());
        let mut sequence = PngSequence::new(&self.out, "frame", 4).map_err(message)?;
        let bar = progress(self.frames);
        let started = Instant::now();
        let mut waiting = VecDeque::<(u64, Reading)>::new();
        let mut times = Times::default();
        for frame in 1..=self.frames {
            let input = simulation.recorded_input();
            simulation.step(&input)?;
            waiting.push_back((frame, simulation.picture_async(self.output.as_deref())?));
            while waiting.len() > IN_FLIGHT || (frame == self.frames && !waiting.is_empty()) {
                let Some((index, reading)) = waiting.pop_front() else { break };
                let words = reading.wait().ok_or_else(|| Failure::Message("the GPU did not answer".into()))?;
                times.take(&mut simulation, false);
                sequence.push(index, Image::new(width, height, &words)).map_err(message)?;
                bar.inc(1);
            }
        }
        let written = sequence.finish().map_err(message)?;
        bar.finish_and_clear();
        report::warn(&simulation.warnings(true));
        times.take(&mut simulation, true);
        self.summary(written, started.elapsed(), times, &simulation);
        for watched in simulation.watched() {
            report::print(&format!("{} {:.4}\n", watched.name, watched.value));
        }
        Ok(())
    }

    fn simulation(&self) -> Result<Simulation, Failure> {
        let outputs = self.output.clone().map_or(Outputs::First, Outputs::One);
        let options = PlanOptions { size: self.size, outputs, ..PlanOptions::default() };
        let (_, mut plan) = self.graph.compile(&options)?;
        if let Some(fps) = self.fps {
            if !(fps.is_finite() && fps > 0.0) {
                return Err(Failure::Message(format!("--fps {fps}: give a number above 0")));
            }
            plan.fps = fps;
        }
        if let Some(path) = &self.input {
            let failure = |e: String| Failure::Message(format!("--input {}: {e}", path.display()));
            let text = std::fs::read_to_string(path).map_err(|e| failure(e.to_string()))?;
            plan.input = Some(InputTrack::parse(&text).map_err(|e| failure(e.to_string()))?);
        }
        let gpu =
            Gpu::new(&GpuOptions { adapter: self.adapter.clone() }).map_err(|e| Failure::Message(e.to_string()))?;
        Ok(Simulation::new(&gpu, plan)?)
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
