//! `stagewright render`

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::report::{self, Failure};
use super::wire::{Seen, WireArgs};
use super::{GraphArgs, parse_size};
use stagewright::export::png_sequence::PngSequence;
use stagewright::gpu::{Gpu, GpuOptions, NodeTime, Reading};
use stagewright::plan::{Keep, Outputs, PlanOptions};
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
    /// Print the GPU time of every node at the end
    #[arg(long)]
    profile: bool,
    #[command(flatten)]
    wire: WireArgs,
}

/// Frames that are on their way from the GPU at once.
const IN_FLIGHT: usize = 2;

impl Render {
    pub fn run(&self) -> Result<(), Failure> {
        let mut simulation = self.simulation()?;
        let mut seen = Seen::new(&simulation, self.wire.view(self.size), self.output.clone())?;
        simulation.set_profiling(true);
        let message = |e: stagewright::export::png_sequence::ExportError| Failure::Message(e.to_string());
        let mut sequence = PngSequence::new(&self.out, "frame", 4).map_err(message)?;
        let bar = progress(self.frames);
        let started = Instant::now();
        let mut waiting = VecDeque::<(u64, Reading, [u32; 2])>::new();
        for frame in 1..=self.frames {
            let input = simulation.recorded_input();
            simulation.step(&input)?;
            let (reading, size) = seen.picture(&simulation)?;
            waiting.push_back((frame, reading, size));
            while waiting.len() > IN_FLIGHT || (frame == self.frames && !waiting.is_empty()) {
                let Some((index, reading, [width, height])) = waiting.pop_front() else { break };
                let words = reading.wait().ok_or_else(|| Failure::Message("the GPU did not answer".into()))?;
                sequence.push(index, Image::new(width, height, &words)).map_err(message)?;
                bar.inc(1);
            }
        }
        let written = sequence.finish().map_err(message)?;
        bar.finish_and_clear();
        report::warn(&simulation.warnings(true));
        let times = simulation.times(true).map(<[NodeTime]>::to_vec);
        self.summary(written, started.elapsed(), times, &simulation);
        for watched in simulation.watched() {
            report::print(&format!("{} {:.4}\n", watched.name, watched.value));
        }
        self.wire.report(&mut seen)
    }

    fn simulation(&self) -> Result<Simulation, Failure> {
        let outputs = self.output.clone().map_or(Outputs::First, Outputs::One);
        let options = match self.wire.view(self.size) {
            Some(view) => {
                PlanOptions { keep: Keep::Wires(vec![view.keep()]), outputs: Outputs::None, ..PlanOptions::default() }
            }
            None => PlanOptions { size: self.size, outputs, ..PlanOptions::default() },
        };
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

    fn summary(&self, written: u64, elapsed: Duration, times: Option<Vec<NodeTime>>, simulation: &Simulation) {
        let (adapter, seconds) = (simulation.gpu().name(), elapsed.as_secs_f64());
        let solver = match &times {
            Some(times) => format!("solver {:.3} ms a frame", times.iter().map(|t| t.ms).sum::<f64>()),
            None => "the adapter has no timestamps".into(),
        };
        report::print(&format!(
            "{written} frames in {} ({seconds:.1} s, {:.1} frames/s; {solver}, on {adapter})\n",
            self.out.display(),
            written as f64 / seconds
        ));
        if self.profile {
            for time in times.unwrap_or_default() {
                report::print(&format!("{:>10.4} ms  {}\n", time.ms, time.node));
            }
            for node in simulation.plan().still_nodes() {
                report::print(&format!("{:>13}  {node}\n", "once"));
            }
        }
    }
}

fn progress(frames: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} frames  {per_sec}  {eta} left");
    ProgressBar::new(frames).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
