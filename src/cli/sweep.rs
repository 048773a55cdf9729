//! `stagewright sweep`: one graph with many values, on this machine or on a farm.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::driver::DriverArgs;
use super::report::{self, Failure, StrictArgs};
use super::run::{self, parse_frames};
use super::{DeviceArgs, GraphArgs, MemoryArgs, SourceArgs, parse_size};
use stagewright_base::files::{Access, MAX_GRAPH, read};
use stagewright_base::input::InputTrack;
use stagewright_export::place::{ExportPlace, Version};
use stagewright_export::select::Request;
use stagewright_export::sweep::farm::{self, Call};
use stagewright_export::sweep::manifest::{Manifest, Options, Task, label};
use stagewright_export::sweep::task::{Context, Outcome, Step};
use stagewright_export::sweep::{self, SweepError};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::checkpoint::CheckpointFile;

#[derive(Args)]
pub struct Sweep {
    /// Graph file (.ron)
    #[arg(required_unless_present = "sheet")]
    graph: Option<PathBuf>,
    /// What else each task writes: [NAME=]WIRE[+..][:FORMAT], as for `export`
    #[arg(value_name = "[NAME=]WIRE[+..][:FORMAT]", value_parser = wires)]
    wires: Vec<String>,
    /// Values of a parameter: LOW..HIGH:COUNT (ends included; with :log in equal factors), or a list. Also seed=.. and variant=..
    #[arg(long = "set", value_name = "NODE.PARAM=VALUES")]
    set: Vec<String>,
    /// Instead of all combinations, N random ones, spread evenly; a range then needs no count
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Chooses other random combinations
    #[arg(long, value_name = "S", requires = "random")]
    seed: Option<u64>,
    /// Frames to compute; the last one is written. With N-M, all from N to M are
    #[arg(long, value_name = "N|N-M", value_parser = written)]
    frames: Option<(u64, u64)>,
    /// Folder of the sweep, created if missing. Tasks that are complete are kept. Tokens: {graph}, {first}, {last}, {date}, {time},
    /// {version} (with --index the newest)
    #[arg(long, value_name = "DIR", required_unless_present = "sheet")]
    out: Option<PathBuf>,
    /// Wire or Output whose image each task writes. Default: the topmost Output
    #[arg(long, value_name = "WIRE", value_parser = wires)]
    image: Option<String>,
    /// Size of images [pixels], stretched if the aspect ratio differs. Default: the size of the Output
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// Number to measure after the last frame, as for `record`: density.value:sum
    #[arg(long = "number", value_name = "NODE.PORT[:STATISTIC[:COMPONENT]]")]
    numbers: Vec<String>,
    /// In OpenVDB files, leave out numbers of at most this size
    #[arg(long, value_name = "VALUE", value_parser = super::export::cutoff)]
    cutoff: Option<f32>,
    /// Run this task alone, counted from 0. Options may be left out where the folder has a manifest
    #[arg(long, value_name = "N", conflicts_with = "jobs")]
    index: Option<usize>,
    /// Write the contact sheet, the page and the table of what is in the folder of a sweep, and run nothing
    #[arg(long, value_name = "DIR", exclusive = true)]
    sheet: Option<PathBuf>,
    /// Write the manifest and a job for a scheduler into the folder, and run nothing
    #[arg(long, value_enum, value_name = "SCHEDULER", conflicts_with_all = ["index", "jobs"])]
    emit: Option<Scheduler>,
    /// Tasks to run at a time. One usually fills a GPU
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    #[command(flatten)]
    source: SourceArgs,
    /// Frames per second; the time step is its inverse
    #[arg(long, value_name = "F")]
    fps: Option<f64>,
    /// Recorded pointer and keys (.ron) that all tasks play instead of the graph's own
    #[arg(long, value_name = "RECORDING")]
    input: Option<PathBuf>,
    /// Checkpoint that all tasks continue from, so that a simulation that has developed is varied
    #[arg(long, value_name = "CHECKPOINT")]
    from: Option<PathBuf>,
    /// Names of the files of a task, without their ending. Tokens: {name}, {graph}, {format}, {frame}. Default: {name}.{frame}
    #[arg(long = "name", value_name = "NAMES")]
    names: Option<String>,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    pub strict: StrictArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    driver: DriverArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scheduler {
    /// A job template of Open Job Description
    Openjd,
    /// A script that submits an array job to Slurm
    Slurm,
}

/// Checks that it can be read, and keeps the text.
fn wires(text: &str) -> Result<String, String> {
    Request::parse(text).map(|_| text.to_string())
}

/// The text of a recording, which the manifest holds.
fn recording(path: &Path) -> Result<String, Failure> {
    let text = read::text(path, MAX_GRAPH);
    text.map_err(|e| Failure::Message(format!("--input {}: {e}", path.display())))
}

/// A path that other working directories read, too.
fn whole(path: &Path) -> Result<String, Failure> {
    let whole = std::path::absolute(path);
    let whole = whole.map_err(|e| Failure::Message(format!("--from {}: {e}", path.display())))?;
    Ok(whole.to_string_lossy().into_owned())
}

/// The frames to write: of `N`, the last one.
fn written(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = parse_frames(text)?.into_inner();
    Ok(if text.contains('-') { (first, last) } else { (last, last) })
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Failure {
        Failure::Message(error.to_string())
    }
}

/// A sweep and what it is of.
struct Opened {
    manifest: Manifest,
    document: Document,
    library: Library,
    access: Access,
    from: Option<CheckpointFile>,
}

impl Opened {
    fn context<'a>(&'a self, folder: &'a Path) -> Context<'a> {
        Context {
            manifest: &self.manifest,
            base: &self.document,
            library: &self.library,
            access: &self.access,
            from: self.from.as_ref(),
            folder,
        }
    }

    /// Compiles a task of each variant: other values change neither what there is to write nor the text of stages.
    fn compiles(&self, folder: &Path) -> Result<(), Failure> {
        let mut variants = BTreeSet::new();
        let variant = |task: &Task| task.values.get("variant").map(ToString::to_string);
        let mut differing = self.manifest.tasks.iter().filter(|task| variants.insert(variant(task)));
        let context = self.context(folder);
        differing.try_for_each(|task| context.check(task)).map_err(Failure::from)
    }
}

impl Sweep {
    pub fn run(&self) -> Result<(), Failure> {
        if let Some(folder) = &self.sheet {
            return summary(folder);
        }
        // One of both is required.
        let (Some(graph), Some(out)) = (&self.graph, &self.out) else { return Ok(()) };
        let out = &self.folder(graph, out)?;
        let sweep = self.open(graph, out)?;
        if let Some(index) = self.index {
            let task = sweep.manifest.tasks.get(index).ok_or_else(|| {
                let last = sweep.manifest.tasks.len().saturating_sub(1);
                Failure::Message(format!("--index {index}: the sweep has the tasks 0 to {last}"))
            })?;
            sweep.manifest.check_task(&sweep.document, &sweep.library, task)?;
            self.strict.check()?;
            sweep.manifest.write(out)?;
            return self.tasks(&sweep, out, std::slice::from_ref(task));
        }
        sweep.manifest.check(&sweep.document, &sweep.library)?;
        sweep.compiles(out)?;
        self.strict.check()?;
        sweep.manifest.write(out)?;
        if let Some(scheduler) = self.emit {
            return self.emit(scheduler, &sweep.manifest, graph, out);
        }
        let done = self.tasks(&sweep, out, &sweep.manifest.tasks);
        summary(out)?;
        done
    }

    /// The folder, with its tokens replaced.
    fn folder(&self, graph: &Path, out: &Path) -> Result<PathBuf, Failure> {
        let continues = self.index.is_some() || self.asks_for_nothing();
        let version = if continues { Version::Newest } else { Version::Next };
        let place = ExportPlace { version, ..run::place(graph, false) };
        let named = ["{first}", "{last}"].into_iter().find(|token| out.to_string_lossy().contains(token));
        if let (None, Some(token)) = (self.frames, named) {
            return Err(Failure::Message(format!("--out has the token {token}, and --frames is missing; give both")));
        }
        let (first, last) = self.frames.unwrap_or_default();
        run::single_folder(out, &place, &(first..=last))
    }

    /// Writes a job for a scheduler.
    fn emit(&self, scheduler: Scheduler, manifest: &Manifest, graph: &Path, out: &Path) -> Result<(), Failure> {
        let (graph, folder) = (absolute(graph)?, absolute(out)?);
        let program = std::env::current_exe().map_or_else(|_| Ok("stagewright".into()), |path| absolute(&path))?;
        let mut options = Vec::new();
        if let Some(stages) = &self.source.files.stages {
            options.push(format!("--stages={}", absolute(stages)?));
        }
        if let Some(adapter) = &self.device.adapter {
            options.push(format!("--adapter={adapter}"));
        }
        if let Some(bytes) = self.memory.memory {
            options.push(format!("--memory={}MiB", (bytes >> 20).max(1)));
        }
        let flags = [
            (self.source.files.allow_files, "--allow-files"),
            (self.strict.strict, "--strict"),
            (self.device.require_gpu, "--require-gpu"),
        ];
        options.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_string()));
        options.extend(self.driver.options());
        // Two braces begin a parameter of Open Job Description, which has no other way to write them.
        if let (Scheduler::Openjd, Some(option)) = (scheduler, options.iter().find(|option| option.contains("{{"))) {
            return Err(Failure::Message(format!("{option}: an OpenJD template can't hold {{{{; choose another name")));
        }
        let call = Call { program: &program, graph: &graph, folder: &folder, options: &options };
        let (name, text) = match scheduler {
            Scheduler::Openjd => (farm::OPENJD, farm::openjd(manifest, call)),
            Scheduler::Slurm => (farm::SLURM, farm::slurm(manifest, call)),
        };
        sweep::write(out, &[(name, text.as_bytes())])?;
        let count = manifest.tasks.len();
        report::print(&match scheduler {
            Scheduler::Openjd => format!("{count} tasks in {folder}/{name}; its parameter Graph is {graph}\n"),
            Scheduler::Slurm => format!("{count} tasks; submit them with: sh {folder}/{name}\n"),
        });
        Ok(())
    }

    /// The sweep of the options, or of the folder's manifest where none are given.
    fn open(&self, graph: &Path, out: &Path) -> Result<Opened, Failure> {
        let existing = Manifest::read(out)?;
        let options = match &existing {
            Some(existing) if self.asks_for_nothing() => {
                if let Some(option) = self.describes() {
                    let cause = "the options of the sweep are in the folder; give all of them again, with --set and --frames, or none";
                    return Err(Failure::Message(format!("{option}: {cause}")));
                }
                existing.options.clone()
            }
            _ => self.options()?,
        };
        let (params, variant) = (options.params.clone(), options.variant.clone());
        let source = SourceArgs { params, variant, files: self.source.files.clone() };
        let arguments = GraphArgs { graph: graph.into(), source, memory: self.memory, strict: self.strict };
        let (mut document, library) = arguments.load()?;
        if let Some(fps) = options.fps {
            if !(fps.is_finite() && fps > 0.0) {
                return Err(Failure::Message(format!("--fps {fps}: give a number above 0")));
            }
            document.fps = fps;
        }
        if let Some(text) = &options.input {
            document.input = Some(InputTrack::parse(text).map_err(|e| Failure::Message(format!("--input: {e}")))?);
        }
        let graph_problems = |problems| Failure::graph(&document, &library, problems);
        report::warn(&Graph::build(&document, &library).map_err(graph_problems)?.warnings);
        let access = arguments.access();
        let name = graph.file_name().unwrap_or_default().to_string_lossy();
        let from = options.from.as_deref().map(|path| CheckpointFile::open(Path::new(path))).transpose();
        let from = from.map_err(|e| Failure::Message(format!("--from: {e}")))?;
        if let Some((file, bad)) = from.as_ref().map(|file| (file, file.marked())).filter(|(_, bad)| !bad.is_empty()) {
            return Err(Failure::Message(format!("--from: {}", run::not_finite(file, &bad))));
        }
        let manifest = Manifest::new(&options, &name, &document, &library, &access, from.as_ref())?;
        if let Some(existing) = &existing {
            manifest.same(existing, out)?;
        }
        Ok(Opened { manifest, document, library, access, from })
    }

    fn asks_for_nothing(&self) -> bool {
        self.set.is_empty() && self.random.is_none() && self.frames.is_none()
    }

    /// An option that describes the sweep, besides those of [`Sweep::asks_for_nothing`].
    fn describes(&self) -> Option<&'static str> {
        let options = [
            (!self.wires.is_empty(), "WIRE"),
            (self.image.is_some(), "--image"),
            (self.size.is_some(), "--size"),
            (!self.numbers.is_empty(), "--number"),
            (self.cutoff.is_some(), "--cutoff"),
            (!self.source.params.is_empty(), "--param"),
            (self.source.variant.is_some(), "--variant"),
            (self.fps.is_some(), "--fps"),
            (self.input.is_some(), "--input"),
            (self.from.is_some(), "--from"),
            (self.names.is_some(), "--name"),
        ];
        options.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    fn options(&self) -> Result<Options, Failure> {
        let frames = self.frames.ok_or_else(|| {
            Failure::Message(
                "--frames is missing; give the number of frames of each task, for example --frames 120".into(),
            )
        })?;
        Ok(Options {
            set: self.set.clone(),
            random: self.random,
            seed: self.seed.unwrap_or_default(),
            frames,
            image: self.image.clone(),
            size: self.size,
            numbers: self.numbers.clone(),
            exports: self.wires.clone(),
            cutoff: self.cutoff.unwrap_or_default(),
            params: self.source.params.clone(),
            variant: self.source.variant.clone(),
            fps: self.fps,
            names: self.names.clone(),
            input: self.input.as_deref().map(recording).transpose()?,
            from: self.from.as_deref().map(whole).transpose()?,
        })
    }

    /// Runs tasks, several at a time; one that fails does not stop the others.
    fn tasks(&self, sweep: &Opened, out: &Path, tasks: &[Task]) -> Result<(), Failure> {
        let context = sweep.context(out);
        let jobs = usize::from(self.jobs).min(tasks.len()).max(1);
        let bar = bar(tasks.len());
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let fault = Mutex::new(None);
        // One device for all: NVIDIA's driver crashes where threads open and close some at the same time.
        let gpu = super::open(&self.device, self.memory)?;
        if jobs > 1 {
            gpu.limit_memory(Some(gpu.memory_budget().bytes / jobs as u64));
        }
        super::keep_pipelines(&gpu);
        let work = || {
            stagewright_base::threads::deep_stack(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match self.task(&context, &gpu, task, &bar) {
                        Ok(line) => bar.suspend(|| report::print(&line)),
                        // No other task would fare better.
                        Err(failure @ Failure::Driver(..)) => return Err(failure),
                        Err(failure) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            bar.suspend(|| {
                                report::eprint_line(&format!("task {}:", task.index));
                                failure.print();
                            });
                        }
                    }
                    bar.inc(1);
                }
                Ok(())
            })
        };
        let work = || {
            if let Err(failure) = work() {
                next.store(usize::MAX / 2, Ordering::Relaxed);
                fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
            }
        };
        // Scoped, not `background`: tasks run on all threads, and the command waits for them.
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(work);
            }
            work();
        });
        bar.finish_and_clear();
        if let Some(failure) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        match failed.into_inner() {
            0 => Ok(()),
            count => Err(Failure::Message(format!(
                "{count} of {} tasks failed; the same command runs them again",
                tasks.len()
            ))),
        }
    }

    /// Runs a task. Returns a line about it.
    fn task(&self, context: &Context<'_>, gpu: &Gpu, task: &Task, bar: &ProgressBar) -> Result<String, Failure> {
        let (mut watch, frames) = (self.driver.watch(), self.driver.frames());
        let outcome = context.run(gpu, task, &mut |step| match step {
            Step::Compiling(making) => watch.go_on(making),
            Step::Frames(progress) => {
                frames.note(progress.frame, progress.written);
                true
            }
            Step::Warned(warnings) => {
                bar.suspend(|| {
                    report::eprint_line(&format!("task {}:", task.index));
                    report::warn(warnings);
                });
                true
            }
        });
        watch.end();
        let what = format!("{}: {}", task.folder(), label(context.manifest, task));
        match outcome {
            Ok(Outcome::Done(_, timing)) => Ok(format!("{what}  ({:.2} ms a frame)\n", timing.ms_per_frame)),
            Ok(Outcome::Kept(_)) => Ok(format!("{what}  (was complete)\n")),
            Ok(Outcome::Cancelled) => Err(watch.failure(Default::default())),
            Err(error) => Err(error.into()),
        }
    }
}

/// A path from the root, as text.
fn absolute(path: &Path) -> Result<String, Failure> {
    let fault = |cause: &str| Failure::Message(format!("{}: {cause}; choose another one", path.display()));
    let absolute = std::path::absolute(path).map_err(|error| fault(&error.to_string()))?;
    absolute.to_str().map(String::from).ok_or_else(|| fault("the path is not UTF-8 text, which a job has to be"))
}

/// Writes the contact sheet, the page and the table.
fn summary(folder: &Path) -> Result<(), Failure> {
    let results = sweep::summarize(folder)?;
    let (complete, all) = (results.complete(), results.rows.len());
    let [sheet, page, table] = [sweep::SHEET, sweep::PAGE, sweep::TABLE];
    report::print(&format!(
        "{complete} of {all} tasks are complete; {sheet}, {page} and {table} in {}\n",
        folder.display()
    ));
    Ok(())
}

/// A bar on a terminal.
fn bar(tasks: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} tasks  {eta} left");
    ProgressBar::new(tasks as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
