//! `stagewright bake`: wires of a graph on disk, frame by frame, for graphs that run from there.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::driver::DriverArgs;
use super::report::{self, Failure};
use super::run::{self, parse_frames};
use super::{DeviceArgs, GraphArgs};
use stagewright_base::cache::Cache;
use stagewright_base::files::{Access, free_space};
use stagewright_base::problem::Problem;
use stagewright_export::place::{ExportPlace, Version};
use stagewright_language::document::{Bake as Entry, Document};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::bake::{self, Condition, Status, job};
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::tune;

#[derive(Args)]
pub struct Bake {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Wires to bake: NODE.PORT, particles, a State by its name. Default: those of the graph's own bakes; where it has none, what
    /// images read from the simulation
    #[arg(value_name = "WIRE")]
    wires: Vec<String>,
    /// Which of the graph's bakes to write; its frames, wires and folder apply where they are not given
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Frames to bake: the first N, or N-M (earlier frames are computed too)
    #[arg(long, value_name = "N|N-M", value_parser = parse_frames)]
    frames: Option<RangeInclusive<u64>>,
    /// Folder of the cache, created if missing. Tokens: {graph}, {first}, {last}, {date}, {time}, {version}
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume an interrupted bake, and compute frames that are damaged or of another cache again
    #[arg(long)]
    resume: bool,
    /// Frames between two checkpoints, from which --resume continues. Default: one every 10 s
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// Only say what the graph's bakes hold, and whether they are stale
    #[arg(long, conflicts_with_all = [
        "wires", "name", "frames", "out", "resume", "checkpoint_every", "memory", "adapter", "require_gpu", "driver_limit",
    ])]
    list: bool,
    /// With --list, read every frame and report those that are damaged, of another cache, or hold NaN
    #[arg(long, requires = "list")]
    verify: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    driver: DriverArgs,
}

impl Bake {
    pub fn run(&self) -> Result<(), Failure> {
        let (document, library) = self.graph.load()?;
        let graph = Graph::build(&document, &library).map_err(|p| Failure::graph(&document, &library, p))?;
        let access = self.graph.access();
        if self.list {
            return list(&graph, &access, self.verify);
        }
        let entries = self.entries(&document)?;
        for (name, entry) in &entries {
            let unfit = |cause| Failure::Message(format!("bake {name}: {cause}"));
            run::check_frames(&(entry.frames.0..=entry.frames.1)).map_err(unfit)?;
        }
        let gpu = super::open(&self.device, self.graph.memory)?;
        super::keep_pipelines(&gpu);
        for (name, entry) in &entries {
            self.bake((&document, &library, &graph), &gpu, name, entry)?;
        }
        Ok(())
    }

    /// The bakes to write: those of the graph, changed as the options say, or one that the options describe.
    fn entries(&self, document: &Document) -> Result<Vec<(String, Entry)>, Failure> {
        let changed = |mut entry: Entry| {
            if let Some(frames) = &self.frames {
                entry.frames = (*frames.start(), *frames.end());
            }
            entry
        };
        let named = self.name.as_deref();
        let chosen = document.bakes.iter().filter(|(name, _)| named.is_none_or(|named| *name == named));
        let chosen: Vec<(String, Entry)> = chosen.map(|(name, entry)| (name.clone(), changed(entry.clone()))).collect();
        if let (Some(named), true) = (named, chosen.is_empty()) {
            let names: Vec<&str> = document.bakes.keys().map(String::as_str).collect();
            let there = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
            return Err(Failure::Message(format!("--name {named}: the graph has no such bake; {there}")));
        }
        let entries: Vec<(String, Entry)> = match self.wires.as_slice() {
            [] => chosen,
            // Without a name, they are a bake of their own.
            wires => {
                let with = |(name, entry): (String, Entry)| (name, Entry { wires: wires.to_vec(), ..entry });
                chosen.into_iter().filter(|_| named.is_some()).map(with).collect()
            }
        };
        if !entries.is_empty() {
            if self.out.is_some() && entries.len() > 1 {
                return Err(Failure::Message("--out: the graph has several bakes; choose one with --name".into()));
            }
            return Ok(entries);
        }
        let Some(frames) = &self.frames else {
            return Err(Failure::Message(
                "--frames is missing; give the frames to bake, for example --frames 240".into(),
            ));
        };
        let wires = self.wires.clone();
        let entry = Entry { wires, frames: (*frames.start(), *frames.end()), ..Entry::default() };
        Ok(vec![(self.stem(), entry)])
    }

    /// The name of the graph's file, which names a cache without another name.
    fn stem(&self) -> String {
        self.graph.graph.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn bake(
        &self,
        (document, library, graph): (&Document, &Library, &Graph),
        gpu: &Gpu,
        name: &str,
        entry: &Entry,
    ) -> Result<(), Failure> {
        let access = self.graph.access();
        // The folder that the graph names does not count where another one is given.
        let inside = self.out.as_ref().map(|_| Entry { folder: "bake".into(), ..entry.clone() });
        let status = bake::status_of(graph, name, inside.as_ref().unwrap_or(entry), &access)?;
        let version = if self.resume { Version::Newest } else { Version::Next };
        let place = ExportPlace { version, ..run::place(&self.graph.graph, false) };
        let resolve = |out: &PathBuf| run::single_folder(out, &place, &(entry.frames.0..=entry.frames.1));
        let folder = self.out.as_ref().map_or_else(|| Ok(status.folder.clone()), resolve)?;
        let count = entry.frames.1 - entry.frames.0 + 1;
        report::eprint_line(&format!(
            "{}: {}, frames {} to {}",
            folder.display(),
            status.wires().join(", "),
            entry.frames.0,
            entry.frames.1
        ));
        report::eprint_line(&room(status.frame_bytes(), count, &folder));
        let options = tune::on_device(gpu, job::plan_options(&status, &bake::playing(graph, &access), &access));
        let plan = self.graph.compile_live(document, library, &options)?;
        self.driver.prepare(gpu, &plan)?;
        let mut simulation = Simulation::new(gpu, plan)?;
        self.graph.strict.check()?;
        let order = job::Order {
            folder: folder.clone(),
            frames: entry.frames.0..=entry.frames.1,
            resume: self.resume,
            checkpoint_every: self.checkpoint_every,
            graph: document.to_text(),
        };
        let index = status.index(gpu.name(), entry.frames);
        let (bar, started) = (run::progress(entry.frames.1), Instant::now());
        let frames = self.driver.frames();
        let done = job::run(&order, index, &mut simulation, |progress| {
            bar.set_position(progress.frame);
            if let Some(expected) = progress.expected() {
                bar.set_message(format!("{} of about {}", bytes(progress.bytes), bytes(expected)));
            }
            frames.note(progress.frame, progress.written);
            true
        });
        drop(frames);
        let (done, broken) = done.map_err(|error| match error {
            job::BakeError::Graph(problems) => problems.into(),
            other => Failure::Message(other.to_string()),
        })?;
        bar.finish_and_clear();
        report::warn(&simulation.warnings(true));
        if let Some(odd) = done.odd {
            let name = status.wires().get(odd.wire).cloned().unwrap_or_default();
            let cause = format!("{} values of the cache are NaN or infinite, from frame {} on", odd.values, odd.frame);
            report::warn(
                &Problem::new(&name, "", cause, "render --check-values finds the node where they begin")
                    .warning()
                    .into(),
            );
        } else {
            run::warn_of_nan(&simulation)?;
        }
        for (frame, error) in &broken {
            report::print(&format!("frame {frame} was computed again: {error}\n"));
        }
        if done.replaced > 0 {
            report::print(&format!("{} files of an earlier bake were replaced\n", done.replaced));
        }
        if done.kept > 0 {
            let after = match done.skipped {
                0 => String::new(),
                frame => format!("; continued after frame {frame}"),
            };
            report::print(&format!("{} frames already existed{after}\n", done.kept));
        }
        report::print(&format!(
            "{} frames in {}, {} ({:.1} s, on {})\n",
            done.written,
            folder.display(),
            bytes(done.bytes),
            started.elapsed().as_secs_f64(),
            gpu.name()
        ));
        if document.bakes.get(name).is_none_or(|bake| bake.folder(name) != named(&folder, &access)) {
            let entry = Entry { folder: named(&folder, &access), ..entry.clone() };
            report::print(&format!("to play it, add to the graph: {}\n", entry.to_field(name)));
        }
        Ok(())
    }
}

/// A folder as a graph names it.
fn named(folder: &Path, access: &Access) -> String {
    let inside = |folder: &Path| Some(folder.strip_prefix(access.folder.canonicalize().ok()?).ok()?.to_path_buf());
    let around = || {
        let around = if access.folder.as_os_str().is_empty() { Path::new(".") } else { &access.folder };
        let whole = folder.canonicalize().ok()?;
        whole.strip_prefix(around.canonicalize().ok()?).ok().map(Path::to_path_buf)
    };
    inside(folder).or_else(around).unwrap_or_else(|| folder.to_path_buf()).to_string_lossy().into_owned()
}

/// What the frames take at most, and what the disk has.
fn room(frame: u64, count: u64, folder: &Path) -> String {
    let free = free_space(folder).map_or_else(String::new, |free| format!("; {} are free", bytes(free)));
    format!("at most {} for {count} frames, less where they compress well{free}", bytes(frame.saturating_mul(count)))
}

/// A size as `1.2 GB`.
fn bytes(count: u64) -> String {
    stagewright_base::printable::size(count)
}

fn list(graph: &Graph, access: &Access, verify: bool) -> Result<(), Failure> {
    let bakes = bake::playing(graph, access);
    let mut broken = 0;
    for status in &bakes.all {
        report::print(&line(status));
        if verify {
            broken += verified(status);
        }
    }
    let looked_at = |name: &String| bakes.all.iter().any(|status| status.name == *name);
    let unknown: Vec<&String> = graph.bakes.keys().filter(|name| !looked_at(name)).collect();
    if !unknown.is_empty() {
        report::warn(&bakes.problems);
    }
    if graph.bakes.is_empty() {
        report::print("the graph has no bakes\n");
    }
    match broken {
        0 => Ok(()),
        1 => Err(Failure::Message("1 frame can't be played; bake --resume computes it again".into())),
        count => Err(Failure::Message(format!("{count} frames can't be played; bake --resume computes them again"))),
    }
}

/// Reads all frames of a cache and reports what is wrong with them. Returns how many can't be played.
fn verified(status: &Status) -> usize {
    // A cache that can't be opened was listed as such.
    let Ok(cache) = Cache::open(&status.folder) else { return 0 };
    let (present, mut found) = (cache.present(), Vec::new());
    cache.verify_all(&present, |frame, result| found.push((frame, result)));
    found.sort_by_key(|(frame, _)| *frame);
    let mut broken = 0;
    for (frame, result) in &found {
        match result {
            Ok(bad) if bad.is_empty() => {}
            Ok(bad) => {
                let bad: Vec<String> = bad.iter().map(|(wire, count)| format!("{wire} ({count} numbers)")).collect();
                report::print(&format!("  frame {frame} holds NaN or infinity in {}\n", bad.join(", ")));
            }
            Err(error) => {
                broken += 1;
                report::print(&format!("  frame {frame}: {error}\n"));
            }
        }
    }
    report::print(&format!("  {} frames read, {broken} broken\n", found.len()));
    broken
}

fn line(status: &Status) -> String {
    let frames = status.frames.as_ref().map_or_else(
        || "no frames".to_string(),
        |frames| format!("frames {} to {}, {}", frames.start(), frames.end(), bytes(status.bytes)),
    );
    let condition = match &status.condition {
        Condition::Fresh => "fresh".to_string(),
        Condition::Stale(why) => format!("stale: {}", why.join("; ")),
        Condition::Unfit(why) => format!("can't be played: {}", why.join("; ")),
        Condition::Missing => "not baked".into(),
        Condition::Damaged(why) => format!("can't be played: {why}"),
    };
    let plays = if status.plays && status.is_playable() { "played" } else { "live" };
    format!(
        "{}: {} in {}; {frames}; {condition}; {plays}\n",
        status.name,
        status.wires().join(", "),
        status.folder.display()
    )
}
