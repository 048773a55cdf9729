//! `stagewright export`: images and the values of wires, in the formats of other programs.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::report::{self, Failure};
use super::run::{self, Claimed, FilesArgs, KeepArgs, RunArgs, parse_frames};
use super::{GraphArgs, parse_size};
use stagewright_base::cancel::Cancel;
use stagewright_compiler::PlanOptions;
use stagewright_export::checkpoints::Checkpoints;
use stagewright_export::frames::Frames;
use stagewright_export::job::{self, Item};
use stagewright_export::place::{ExportPlace, Folder};
use stagewright_export::preset;
use stagewright_export::record::Fingerprint;
use stagewright_export::select::{Choices, Request, items, unused};
use stagewright_export::settings::{self, Settings};
use stagewright_export::sheet::Sheet;
use stagewright_export::sink::Format;
use stagewright_export::{FORMATS, format_named};
use stagewright_language::document::{Document, ExportPreset};
use stagewright_language::graph::Graph;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::tune::TuningCache;

#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// What to write: an Output, NODE.PORT, particles, a field as NODE.PORT@DOMAIN, a number, or a statistic such as
    /// density.value:sum. With a name for it in the files, and a format: density=smoke.value:npy. Wires joined by + go into the same
    /// files. Default: the topmost Output
    #[arg(value_name = "[NAME=]WIRE[+..][:FORMAT]", value_parser = Request::parse)]
    wires: Vec<Request>,
    /// Settings of an export that the graph file keeps. Other options replace them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Frames to write: the first N, or N-M (earlier frames are computed too)
    #[arg(long, value_name = "N|N-M", value_parser = parse_frames, required_unless_present = "preset")]
    frames: Option<RangeInclusive<u64>>,
    /// Folder for the files, created if missing. Tokens: {graph}, {preset}, {first}, {last}, {date}, {time}, {version} (the next of v001,
    /// v002 and so on; with --resume the newest, unless it is complete); {name}, {wire}, {format}: a folder for each series
    #[arg(long, value_name = "DIR", required_unless_present = "preset")]
    out: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    /// Format of what names none; several are all written, separated by commas. Default: depends on the wire
    #[arg(long = "format", value_name = "FORMAT", value_delimiter = ',', value_parser = formats())]
    formats: Vec<String>,
    /// Names of the files, without their ending. Tokens: {frame} and those of --out. Default: {name}.{frame}
    #[arg(long, value_name = "NAMES")]
    name: Option<String>,
    /// Size of images [pixels], stretched if the aspect ratio differs. Default: the size of the Output
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// In OpenVDB files, leave out numbers of at most this size. Default: 0
    #[arg(long, value_name = "VALUE", value_parser = cutoff)]
    cutoff: Option<f32>,
    /// Half the width of the narrow band of OpenVDB level sets [voxels]. Default: 3
    #[arg(long, value_name = "VOXELS", value_parser = band)]
    band: Option<f32>,
    /// Write one in so many frames, from the first on; those between are simulated and not rendered. In a flipbook, frames from one tile to
    /// the next. Default: 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    every: Option<u64>,
    /// Stop ffmpeg when it does nothing for longer than this [s]. Default: 120
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: Option<u32>,
    #[command(flatten)]
    sheet: SheetArgs,
    #[command(flatten)]
    keep: KeepArgs,
}

/// How flipbooks are laid out.
#[derive(Args)]
struct SheetArgs {
    /// Flipbooks: columns and rows of the sheet. Default: the squarest that all frames fill
    #[arg(long, value_name = "CxR", value_parser = parse_size)]
    tiles: Option<(u32, u32)>,
    /// Flipbooks: blend the frames beyond the tiles into the last ones, so that it repeats without a seam
    #[arg(long = "loop")]
    looped: bool,
    /// Flipbooks: empty texels around each tile. Default: 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=256))]
    padding: Option<u32>,
    /// Flipbooks: multiply colours by their alpha
    #[arg(long)]
    premultiplied: bool,
}

impl SheetArgs {
    /// What is not given is that of another layout.
    fn over(&self, other: Sheet) -> Sheet {
        Sheet {
            tiles: self.tiles.map(Into::into).or(other.tiles),
            looped: self.looped || other.looped,
            padding: self.padding.unwrap_or(other.padding),
            premultiplied: self.premultiplied || other.premultiplied,
        }
    }
}

fn formats() -> PossibleValuesParser {
    FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about)).collect::<Vec<_>>().into()
}

pub fn cutoff(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number of at least 0"))
}

fn band(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (1.0..=1000.0).contains(number));
    number.ok_or_else(|| format!("`{text}` is not a number of voxels from 1 to 1000"))
}

impl Export {
    pub fn run(&self) -> Result<(), Failure> {
        let (document, library) = self.run.document(&self.graph, |document| self.requested_wires(document))?;
        let graph = Graph::build(&document, &library).map_err(|p| Failure::graph(&document, &library, p))?;
        let checkpoint = self.run.checkpoint()?;
        let formats: Vec<&'static Format> = self.formats.iter().filter_map(|name| format_named(name)).collect();
        let preset = self.preset.as_deref().map(|name| preset::named(name, &document)).transpose()?;
        let preset = preset.cloned().unwrap_or_default();
        let frames = self.frames.clone().unwrap_or(preset.frames.0..=preset.frames.1);
        let unfit =
            |cause| Failure::Message(format!("--preset {}: {cause}", self.preset.as_deref().unwrap_or_default()));
        run::check_frames(&frames).map_err(unfit)?;
        let (folder, _claimed) = self.folder(&preset, &frames)?;
        let settings = settings::read(&preset.settings)?;
        let names = self.name.as_deref().unwrap_or_else(|| preset::names(&preset));
        let size = self.size.or(preset.size);
        let settings = Settings {
            every: self.every.unwrap_or(settings.every),
            cutoff: self.cutoff.unwrap_or(settings.cutoff),
            band: self.band.unwrap_or(settings.band),
            sheet: self.sheet.over(settings.sheet),
            timeout: self.timeout.unwrap_or(settings.timeout),
        };
        let choices = Choices { formats: &formats, names, folder: &folder, size, settings };
        let requests = match self.wires.as_slice() {
            [] => preset.what.iter().map(|text| Request::parse(text)).collect::<Result<_, _>>(),
            wires => Ok(wires.to_vec()),
        };
        let requests = requests.map_err(Failure::Message)?;
        let items = items(&requests, &choices, &document, &graph)?;
        let named = |request: &Request| request.format.is_some();
        if !formats.is_empty() && !requests.is_empty() && requests.iter().all(named) {
            let message =
                "--format is for wires without a format of their own, and all have one; leave one of the two out";
            return Err(Failure::Message(message.into()));
        }
        if let Some(message) = unused(&items, &self.given_options()) {
            return Err(Failure::Message(message));
        }
        let files = FilesArgs { frames, out: folder.path.clone() };
        let export = self.run.export(items, &files, size, &document, checkpoint.as_ref())?;
        let every = export.checkpoints.clone().or(preset.checkpoints.map(|every| Checkpoints::new(every, &document)));
        let frames = run::frames_after(Frames::new(files.frames, settings.every), checkpoint.as_ref())?;
        let export = job::Export { frames, checkpoints: every, unseen: true, ..export };
        let export = job::Export { resume: self.keep.resume, overwrite: self.keep.overwrite, ..export };
        export.check().map_err(|error| Failure::Message(error.to_string()))?;
        if let (None, Some(name)) = (&self.out, &self.preset) {
            preset::check_folders(name, &export, &self.graph.access())?;
        }

        // Errors of the graph are reported even where there is no driver.
        let gpu = super::open(&self.run.device, self.graph.memory);
        let tuning = gpu.as_ref().map(|gpu| TuningCache::open().tuning(gpu)).unwrap_or_default();
        let memory_budget = gpu.as_ref().map(Gpu::memory_budget).unwrap_or_default();
        let options = PlanOptions { tuning, memory_budget, ..export.plan_options(&self.graph.access()) };
        let plan = self.graph.compile(&document, &library, &options)?;
        let gpu = gpu?;
        super::keep_pipelines(&gpu);
        self.run.driver.prepare(&gpu, &plan)?;
        let mut simulation = Simulation::new(&gpu, plan)?;
        let inputs = Fingerprint::of(&document, &library, &self.graph.access(), &Cancel::default());
        let mut inputs = inputs.ok_or_else(|| Failure::Message("it was cancelled".into()))?;
        if let Some(checkpoint) = &checkpoint {
            let next = inputs.after(checkpoint);
            self.run.resume(&mut simulation, checkpoint, next == inputs)?;
            inputs = next;
        }

        self.graph.strict.check()?;
        let ready = run::begin(&export, &inputs, &simulation)?;
        let bar = run::progress(export.frames.last());
        let started = Instant::now();
        let frames = self.run.driver.frames();
        let mut shown = false;
        let result = ready.run(&mut simulation, |progress, _| {
            bar.set_position(progress.frame);
            shown = shown || bar.suspend(|| run::show_first(&export, progress));
            frames.note(progress.frame, progress.written);
            true
        });
        drop(frames);
        let (done, _, remarks) = result.map_err(run::failure)?;
        bar.finish_and_clear();
        report::warn(&simulation.warnings(true));
        report::warn(&remarks);
        run::warn_of_nan(&simulation)?;
        if done.kept > 0 {
            report::print(&format!("{} frames already existed\n", done.kept));
        }
        let seconds = started.elapsed().as_secs_f64();
        report::print(&format!(
            "{} frames in {} ({seconds:.1} s, {:.1} frames/s, on {})\n",
            done.written,
            export.folder.display(),
            done.written as f64 / seconds,
            simulation.gpu().name()
        ));
        for item in &export.items {
            report::print(&line(&job::Export { items: vec![item.clone()], ..export.clone() }, item));
        }
        Ok(())
    }
}

impl Export {
    /// The wires that are written: those of the command line, or of the preset.
    fn requested_wires(&self, document: &Document) -> Vec<String> {
        let preset = self.preset.as_deref().and_then(|name| document.exports.get(name));
        let of_preset = preset.into_iter().flat_map(|preset| &preset.what).filter_map(|text| Request::parse(text).ok());
        let requests = if self.wires.is_empty() { of_preset.collect() } else { self.wires.clone() };
        requests.into_iter().flat_map(|request| request.parts).map(|part| part.wire).collect()
    }

    /// Options that only some files have a use for, of those that are given.
    fn given_options(&self) -> Vec<&'static str> {
        let sheet = &self.sheet;
        let all = [
            ("size", self.size.is_some()),
            ("cutoff", self.cutoff.is_some()),
            ("band", self.band.is_some()),
            ("tiles", sheet.tiles.is_some()),
            ("loop", sheet.looped),
            ("padding", sheet.padding.is_some()),
            ("premultiplied", sheet.premultiplied),
            ("timeout", self.timeout.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }

    /// The folder; that of the preset where none is given.
    fn folder(&self, preset: &ExportPreset, frames: &RangeInclusive<u64>) -> Result<(Folder, Claimed), Failure> {
        let place = ExportPlace { preset: self.preset.clone(), ..run::place(&self.graph.graph, self.keep.resume) };
        let (out, place) = match &self.out {
            Some(out) => (out.as_path(), place),
            None => (
                Path::new(&preset.folder),
                ExportPlace { folder: ExportPlace::from_graph(&self.graph.graph).folder, ..place },
            ),
        };
        let resolve = || match (&self.out, &self.preset) {
            (None, Some(name)) => Ok(preset::folder(name, preset, &place, frames, &self.graph.access())?),
            _ => run::folder(out, &place, frames),
        };
        run::claim(&out.to_string_lossy(), &place, resolve, |folder: &Folder| folder.path.clone())
    }
}

/// A line about a series of files.
fn line(export: &job::Export, item: &Item) -> String {
    format!("  {}: {}\n", item.format.title, export.names())
}
