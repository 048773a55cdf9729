//! What runs of `stagewright render` and `stagewright export` have in common: frames, checkpoints and progress.

use std::fs;
use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf, is_separator};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::driver::DriverArgs;
use super::report::{self, Failure};
use super::{DeviceArgs, GraphArgs};
use stagewright_base::cache::STATES;
use stagewright_base::files::numbered::MAX_FRAME;
use stagewright_base::files::{MAX_GRAPH, read};
use stagewright_base::input::InputTrack;
use stagewright_export::checkpoints::{self, Checkpoints};
use stagewright_export::frames::Frames;
use stagewright_export::job::{Export, Item, JobError, Progress, Ready};
use stagewright_export::place::{ExportPlace, Folder, OF_SERIES, Version};
use stagewright_export::record::Fingerprint;
use stagewright_language::document::{Document, Substeps};
use stagewright_language::graph::{Graph, partial};
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::checkpoint::{BadState, CheckpointError, CheckpointFile};
use stagewright_runtime::sim::saver;

/// Which frames are written, and where to.
#[derive(Args, Clone)]
pub struct FilesArgs {
    /// Frames to write: the first N, or N-M (earlier frames are computed too)
    #[arg(long, value_name = "N|N-M", value_parser = parse_frames)]
    pub frames: RangeInclusive<u64>,
    /// Folder for the files, created if missing. Tokens: {graph}, {first}, {last}, {date}, {time}, {version}
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// What tokens in `--out` stand for. An export that is resumed is in the newest version, unless that is complete.
pub fn place(graph: &Path, resume: bool) -> ExportPlace {
    let version = if resume { Version::Unfinished } else { Version::Next };
    ExportPlace { folder: PathBuf::new(), version, ..ExportPlace::from_graph(graph) }
}

/// The folder of `--out`, which each series may follow with one of its own.
pub fn folder(out: &Path, place: &ExportPlace, frames: &RangeInclusive<u64>) -> Result<Folder, Failure> {
    // What is no text has no tokens.
    let Some(text) = out.to_str() else { return Ok(Folder::plain(out, &place.graph)) };
    place.resolve(text, frames).map_err(|cause| Failure::Message(format!("--out {text}: {cause}")))
}

/// The folder of `--out` for an export whose series share one folder.
pub fn single_folder(out: &Path, place: &ExportPlace, frames: &RangeInclusive<u64>) -> Result<PathBuf, Failure> {
    let Some(text) = out.to_str() else { return Ok(out.into()) };
    place.single(text, frames).map_err(|cause| Failure::Message(format!("--out {text}: {cause}")))
}

/// A folder of a new version that this process has created; it is removed again where nothing is written into it.
#[derive(Default)]
pub struct Claimed(Option<PathBuf>);

impl Drop for Claimed {
    fn drop(&mut self) {
        // This removes no folder that has files.
        if let Some(folder) = self.0.take() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// How often a version is looked for that no other process has taken meanwhile.
const ATTEMPTS: usize = 1000;

/// Resolves a folder, and where its text has `{version}`, creates that of the next version, so that no other process takes the same.
pub fn claim<F>(
    text: &str,
    place: &ExportPlace,
    resolve: impl Fn() -> Result<F, Failure>,
    path: impl Fn(&F) -> PathBuf,
) -> Result<(F, Claimed), Failure> {
    let parts: Vec<&str> = text.split(is_separator).filter(|part| !part.is_empty()).collect();
    let last = parts.iter().rposition(|part| part.contains("{version}")).filter(|_| place.version == Version::Next);
    let Some(last) = last else { return Ok((resolve()?, Claimed::default())) };
    // Tokens of a wire begin folders below that of the export.
    let of_series = |part: &&str| OF_SERIES.iter().any(|(token, _)| part.contains(&format!("{{{token}}}")));
    let whole = parts.iter().position(of_series).unwrap_or(parts.len());
    let below = whole.saturating_sub(last + 1);
    for _ in 0..ATTEMPTS {
        let folder = resolve()?;
        let version = path(&folder).ancestors().nth(below).map(Path::to_path_buf).unwrap_or_default();
        let failure = |error: std::io::Error| {
            Failure::Message(format!("cannot create the folder {}: {error}", version.display()))
        };
        if let Some(parent) = version.parent() {
            fs::create_dir_all(parent).map_err(failure)?;
        }
        match fs::create_dir(&version) {
            Ok(()) => return Ok((folder, Claimed(Some(version)))),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failure(error)),
        }
    }
    Err(Failure::Message(format!("--out {text}: other processes take every version; give another folder")))
}

#[derive(Args)]
pub struct RunArgs {
    /// Every N frames and at the end, write a checkpoint of all States beside the frames: checkpoint.NNNN.safetensors. --resume
    /// continues from it. Older ones are removed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// Continue from a checkpoint instead of computing its frames again
    #[arg(long, value_name = "CHECKPOINT")]
    from: Option<PathBuf>,
    /// Continue from a checkpoint although a State in it holds NaN or infinity
    #[arg(long, requires = "from")]
    allow_nan: bool,
    /// Frames per second; the time step is its inverse
    #[arg(long, value_name = "F")]
    fps: Option<f64>,
    /// Steps that a frame is divided into: a number, or bounds: '(courant: 0.9, dt: 0.017, most: 8)'
    #[arg(long, value_name = "N")]
    substeps: Option<Substeps>,
    /// Recorded pointer and keys (.ron) to play instead of the graph's own
    #[arg(long, value_name = "RECORDING")]
    input: Option<PathBuf>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub driver: DriverArgs,
}

impl RunArgs {
    /// The graph with all options applied. `asked` names the wires that the command reads.
    pub fn document(
        &self,
        graph: &GraphArgs,
        wires: impl FnOnce(&Document) -> Vec<String>,
    ) -> Result<(Document, Library), Failure> {
        let (mut document, library) = graph.load()?;
        if let Some(fps) = self.fps {
            if !(fps.is_finite() && fps > 0.0) {
                return Err(Failure::Message(format!("--fps {fps}: give a number above 0")));
            }
            document.fps = fps;
        }
        document.substeps = self.substeps.unwrap_or(document.substeps);
        if let Some(path) = &self.input {
            let failure = |e: String| Failure::Message(format!("--input {}: {e}", path.display()));
            let text = read::text(path, MAX_GRAPH).map_err(|e| failure(e.to_string()))?;
            document.input = Some(InputTrack::parse(&text).map_err(|e| failure(e.to_string()))?);
        }
        // As in the editor, an error in what no image needs is reported, and the rest is rendered.
        let whole = document.clone();
        let build = |rest: &Document| Graph::build(rest, &library).map(|_| document = rest.clone());
        if let Ok(((), errors)) = partial::build_needed(&whole, build) {
            let is_left_out = |wire: &String| {
                let path = wire.split(['.', ':', '@']).next().unwrap_or_default();
                whole.node(path).is_some() && document.node(path).is_none()
            };
            if wires(&whole).iter().any(is_left_out) {
                return Err(Failure::graph(&whole, &library, errors));
            }
            report::left_out(&errors);
        }
        Ok((document, library))
    }

    /// The checkpoint of `--from`. Its States are not read yet.
    ///
    /// # Errors
    /// A file that is none, or is marked as one with NaN.
    pub fn checkpoint(&self) -> Result<Option<CheckpointFile>, Failure> {
        let Some(path) = &self.from else { return Ok(None) };
        let file = CheckpointFile::open(path).map_err(|error| Failure::Message(format!("--from: {error}")))?;
        self.allow(&file, &file.marked())?;
        Ok(Some(file))
    }

    /// Whether a checkpoint with these States may be continued from.
    fn allow(&self, file: &CheckpointFile, bad: &[BadState]) -> Result<(), Failure> {
        match bad.is_empty() || self.allow_nan {
            true => Ok(()),
            false => Err(Failure::Message(format!("--from: {}, or give --allow-nan", not_finite(file, bad)))),
        }
    }

    /// Continues from a checkpoint. `same` tells that equal inputs have led to it; otherwise it says what differs.
    ///
    /// # Errors
    /// A checkpoint that is damaged, does not fit the plan, or holds NaN.
    pub fn resume(&self, simulation: &mut Simulation, file: &CheckpointFile, same: bool) -> Result<(), Failure> {
        let loaded = file.load(simulation.plan());
        let checkpoint = loaded.map_err(|error| Failure::Message(format!("--from: {error}")))?;
        self.allow(file, &checkpoint.not_finite())?;
        let about = &checkpoint.about;
        if !same {
            report::eprint_line(&format!(
                "the checkpoint is of another version of the graph, its stages, its files or the program ({})",
                about.program
            ));
        }
        if about.adapter != simulation.gpu().name() {
            report::eprint_line(&format!("the checkpoint was made on {}, which may round differently", about.adapter));
        }
        report::warn(&simulation.resume(&checkpoint));
        Ok(())
    }

    /// The export of these items, from the start.
    pub fn export(
        &self,
        items: Vec<Item>,
        files: &FilesArgs,
        size: Option<(u32, u32)>,
        document: &Document,
        checkpoint: Option<&CheckpointFile>,
    ) -> Result<Export, Failure> {
        Ok(Export {
            frames: frames_after(files.frames.clone().into(), checkpoint)?,
            size,
            items,
            folder: files.out.clone(),
            resume: false,
            overwrite: false,
            unseen: false,
            checkpoints: self.checkpoint_every.map(|every| Checkpoints::new(every, document)),
        })
    }
}

/// The frames to write: those of `--frames` after the checkpoint.
pub fn frames_after(frames: Frames, checkpoint: Option<&CheckpointFile>) -> Result<Frames, Failure> {
    let present = checkpoint.map(CheckpointFile::frame);
    let Some(present) = present.filter(|present| *present >= frames.first()) else { return Ok(frames) };
    if present >= frames.last() {
        let (next, last) = (present + 1, frames.range().end().to_string());
        return Err(Failure::Message(format!(
            "--from: the checkpoint holds frame {present}, and --frames ends at {last}; give --frames {next}-M with M from {next} on"
        )));
    }
    report::eprint_line(&format!("frames up to {present} are before the checkpoint and are not written"));
    Ok(frames.after(present))
}

/// Which files that are there stay.
#[derive(Args)]
pub struct KeepArgs {
    /// Keep the frames that are there, and write those that are missing or have changed. Frames of another graph are an error
    #[arg(long)]
    pub resume: bool,
    /// Replace files that are there and not of this export
    #[arg(long)]
    pub overwrite: bool,
}

/// Looks at the folder of an export, and says what is computed again before anything is changed.
pub fn begin<'e>(export: &'e Export, inputs: &'e Fingerprint, simulation: &Simulation) -> Result<Ready<'e>, Failure> {
    let ready = Ready::lock(export, inputs, simulation).map_err(failure)?;
    ready.said().iter().for_each(|sentence| report::eprint_line(sentence));
    Ok(ready)
}

/// Why an export has failed.
pub fn failure(error: JobError) -> Failure {
    match error {
        JobError::Graph(problems) => problems.into(),
        other => Failure::Message(other.to_string()),
    }
}

/// Prints the path of this run's first frame as soon as it is written, so that the user can look at it while the
/// others are rendered. Returns whether it was.
pub fn show_first(export: &Export, progress: &Progress) -> bool {
    let first = export.path(progress.first);
    let is_written = progress.written > 0 && first.is_file();
    if is_written {
        report::eprint_line(&format!("first frame: {}", first.display()));
    }
    is_written
}

/// Why a checkpoint with these States is not continued from, and which one to take.
pub fn not_finite(file: &CheckpointFile, bad: &[BadState]) -> CheckpointError {
    let name = file.path().file_name().unwrap_or_default().to_string_lossy();
    let files = if name.starts_with(STATES.prefix) { STATES } else { checkpoints::FILES };
    file.not_finite(bad, saver::last_sound(file, files).as_deref())
}

/// One line where a State ends with NaN or infinity.
///
/// # Errors
/// A device that failed.
pub fn warn_of_nan(simulation: &Simulation) -> Result<(), Failure> {
    if let Some(problem) = simulation.ends_with_nan()? {
        report::warn(&problem.into());
    }
    Ok(())
}

/// A bar on a terminal.
pub fn progress(frames: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} frames  {per_sec}  {eta} left  {msg}");
    ProgressBar::new(frames).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Parses `240` or `100-240`.
pub fn parse_frames(text: &str) -> Result<RangeInclusive<u64>, String> {
    let message = || format!("`{text}` is not a range of frames; write N or N-M, for example 240 or 100-240");
    let number = |s: &str| s.trim().parse::<u64>().ok().filter(|n| *n >= 1).ok_or_else(message);
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (1, number(text)?),
    };
    if first > last {
        return Err(message());
    }
    check_frames(&(first..=last)).map(|()| first..=last).map_err(|cause| format!("`{text}`: {cause}"))
}

/// Parses a number of frames.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let count = text.trim().parse::<u64>().ok().filter(|count| *count >= 1);
    let count = count.ok_or_else(|| format!("`{text}` is not a number of frames; write for example 240"))?;
    check_frames(&(1..=count)).map(|()| count).map_err(|cause| format!("`{text}`: {cause}"))
}

/// Checks the frames of a graph file, whose text does not limit them.
///
/// # Errors
/// Why there are no such frames, in one sentence.
pub fn check_frames(frames: &RangeInclusive<u64>) -> Result<(), String> {
    let (first, last) = (*frames.start(), *frames.end());
    if first == 0 || first > last {
        return Err(format!("invalid frame range {first}-{last}: first must be at least 1 and must not exceed last"));
    }
    if last > MAX_FRAME { Err(format!("at most {MAX_FRAME} frames")) } else { Ok(()) }
}
