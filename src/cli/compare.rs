//! `stagewright compare`: runs two graphs with the same input, and measures how a wire or an image differs, frame by frame.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::report::{self, Failure, StrictArgs};
use super::run::parse_count;
use super::{DeviceArgs, FileArgs, GraphArgs, MemoryArgs, SourceArgs, parse_file};
use stagewright_base::files::write;
use stagewright_compiler::{Keep, Outputs, PlanOptions};
use stagewright_export as export;
use stagewright_language::document::NodeKind;
use stagewright_language::graph::Graph;
use stagewright_language::graph::expect::list;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::compare::{Comparison, Measure, Statistics, compare};
use stagewright_runtime::sim::host_copy::{CopySubject, HostCopy};
use stagewright_runtime::sim::wire_view::{Show, View, Viewer};
use stagewright_runtime::sim::{Image, Simulation};

/// Exit code where the graphs could not be compared.
const UNUSABLE: u8 = 2;

#[derive(Args)]
pub struct Compare {
    /// First graph file, A, whose recorded input both get
    a: PathBuf,
    /// Second graph file, B; the same file with `--param-b` or `--variant-b` compares two settings
    b: PathBuf,
    /// Wire to compare, or an Output; default: the first Output
    #[arg(long, value_name = "NODE.PORT")]
    wire: Option<String>,
    /// Wire or Output of B, if it is called otherwise there
    #[arg(long, value_name = "NODE.PORT", requires = "wire")]
    wire_b: Option<String>,
    /// Number of frames
    #[arg(long, value_name = "N", value_parser = parse_count)]
    frames: u64,
    /// Measure only every so many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Largest |A - B| that counts as equal
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = parse_tolerance)]
    tolerance: f64,
    /// File to write the statistics of every frame to, as a table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// File to write an image of A - B in the last frame to (.png)
    #[arg(long, value_name = "FILE", value_parser = |text: &str| parse_file(text, "png"))]
    image: Option<PathBuf>,
    /// Set a parameter of A: node.param=value
    #[arg(long = "param-a", value_name = "NODE.PARAM=VALUE")]
    params_a: Vec<String>,
    /// Set a parameter of B
    #[arg(long = "param-b", value_name = "NODE.PARAM=VALUE")]
    params_b: Vec<String>,
    /// Variant of A
    #[arg(long, value_name = "NAME")]
    variant_a: Option<String>,
    /// Variant of B
    #[arg(long, value_name = "NAME")]
    variant_b: Option<String>,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    strict: StrictArgs,
}

/// The first frame beyond the tolerance, and the frame with the greatest difference.
#[derive(Default)]
struct FrameDifferences {
    first: Option<u64>,
    greatest: Option<(u64, f64)>,
}

impl Compare {
    /// Compares and prints the statistics. Returns the exit code: 0 where all frames are equal within the tolerance, 1 where one
    /// is not, 2 where they could not be compared.
    pub fn run(&self) -> u8 {
        match self.compare() {
            Ok(equal) => u8::from(!equal),
            Err(failure) => {
                failure.print();
                if let Failure::NoGpu(_) = failure { failure.exit_code() } else { UNUSABLE }
            }
        }
    }

    fn compare(&self) -> Result<bool, Failure> {
        let gpu = super::open(&self.device, self.memory)?;
        let mut a = self.start(&gpu, (&self.a, &self.params_a, self.variant_a.as_ref()), self.wire.as_deref(), 0)?;
        let wire_b = self.wire_b.as_deref().or(self.wire.as_deref());
        let memory_of_a = a.plan().memory;
        let mut b = self.start(&gpu, (&self.b, &self.params_b, self.variant_b.as_ref()), wire_b, memory_of_a)?;
        let subjects = [subject(&a, self.wire.as_deref())?, subject(&b, wire_b)?];
        self.strict.check()?;
        let mut table = String::from("frame,time,max,l1,l2,relative,mean,differing,count,only_a,only_b,both\n");
        let (mut found, mut last) = (FrameDifferences::default(), None);
        for frame in 1..=self.frames {
            let input = a.recorded_input();
            a.step(&input)?;
            b.step(&input)?;
            if !frame.is_multiple_of(self.every) && frame != self.frames {
                continue;
            }
            let sides = [take(&a, &subjects[0])?, take(&b, &subjects[1])?];
            let compared = compare(&sides[0], &sides[1], Show::Auto, Measure::Signed)?;
            let statistics = &compared.statistics;
            if last.is_none() {
                let remarks: String = compared.remarks.iter().map(|remark| format!("{remark}\n")).collect();
                report::print(&remarks);
            }
            report::print(&line(frame, statistics));
            table += &row(frame, a.time(), statistics);
            if !statistics.within(self.tolerance) {
                found.first = found.first.or(Some(frame));
            }
            if found.greatest.is_none_or(|(_, most)| statistics.max > most) {
                found.greatest = Some((frame, statistics.max));
            }
            last = Some(compared);
        }
        for side in [&mut a, &mut b] {
            report::warn(&side.warnings(true));
        }
        report::print(&self.summary(&found));
        if let Some(path) = &self.csv {
            save(path, "--csv", table.as_bytes())?;
        }
        if let (Some(path), Some(compared)) = (&self.image, &last) {
            save(path, "--image", &image(&gpu, compared)?)?;
        }
        self.strict.check()?;
        Ok(found.first.is_none())
    }

    fn summary(&self, found: &FrameDifferences) -> String {
        let within = if self.tolerance > 0.0 { format!(" within {}", self.tolerance) } else { String::new() };
        match (found.first, found.greatest) {
            (Some(first), Some((frame, most))) => {
                format!(
                    "A and B differ{} from frame {first} on; the greatest |A - B| is {most} in frame {frame}\n",
                    if within.is_empty() { String::new() } else { format!(" by more than {}", self.tolerance) }
                )
            }
            _ => format!("A and B are equal{within} in all frames\n"),
        }
    }

    /// A side. `taken` is the memory that the other one takes \[bytes\].
    fn start(
        &self,
        gpu: &Gpu,
        (path, params, variant): (&Path, &[String], Option<&String>),
        wire: Option<&str>,
        reserved: u64,
    ) -> Result<Simulation, Failure> {
        let source = SourceArgs { params: params.to_vec(), variant: variant.cloned(), files: self.files.clone() };
        let graph = GraphArgs { graph: path.to_path_buf(), source, memory: self.memory, strict: self.strict };
        let (document, library) = graph.load()?;
        if let (Some(wire), Ok(graph)) = (wire, Graph::build(&document, &library)) {
            graph.names_wire(wire)?;
        }
        // The images are computed only where one is compared.
        let is_output =
            wire.is_none_or(|wire| document.node(wire).is_some_and(|node| matches!(node.kind, NodeKind::Output(_))));
        let outputs = match (is_output, wire) {
            (true, Some(output)) => Outputs::One(output.into()),
            (true, None) => Outputs::First,
            (false, _) => Outputs::None,
        };
        let keep = wire.filter(|_| !is_output).map(|wire| View::new(wire).keep());
        let (tuning, mut memory_budget) = (gpu.tuning(), gpu.memory_budget());
        memory_budget.bytes = memory_budget.bytes.saturating_sub(reserved);
        let keep = Keep::Wires(keep.into_iter().collect());
        let options = PlanOptions { keep, outputs, tuning, memory_budget, ..graph.options() };
        let plan = graph.compile(&document, &library, &options)?;
        Ok(Simulation::new(gpu, plan)?)
    }
}

/// What of a side is compared.
fn subject(side: &Simulation, wire: Option<&str>) -> Result<CopySubject, Failure> {
    match wire {
        Some(name) => Ok(CopySubject::from_name(side.plan(), name)),
        None => Ok(CopySubject::Output(side.find_output(None)?.node.clone())),
    }
}

fn take(side: &Simulation, subject: &CopySubject) -> Result<Arc<HostCopy>, Failure> {
    let copy = side.take(subject)?.wait();
    copy.map(Arc::new).ok_or_else(|| Failure::Message(format!("{subject}: the GPU did not respond; update the driver")))
}

fn line(frame: u64, statistics: &Statistics) -> String {
    let Statistics { max, place, l1, l2, relative, not_finite, .. } = statistics;
    let mut text = format!("frame {frame}: max {max:.6e}");
    if let Some(place) = place {
        let _ = write!(text, " at {place} (A {}, B {})", list(&place.a), list(&place.b));
    }
    let _ = write!(text, ", L1 {l1:.6e}, L2 {l2:.6e}, relative {relative:.6e}");
    let odd = not_finite.only_a + not_finite.only_b + not_finite.both;
    if odd > 0 {
        let (only_a, only_b, both) = (not_finite.only_a, not_finite.only_b, not_finite.both);
        let _ = write!(text, "; NaN or infinite: {only_a} only in A, {only_b} only in B, {both} in both");
    }
    text + "\n"
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

fn row(frame: u64, time: f64, statistics: &Statistics) -> String {
    let Statistics { count, differing, max, l1, l2, relative, mean, not_finite, .. } = statistics;
    let (only_a, only_b, both) = (not_finite.only_a, not_finite.only_b, not_finite.both);
    let mean = numbers(mean);
    format!("{frame},{time},{max},{l1},{l2},{relative},{mean},{differing},{count},{only_a},{only_b},{both}\n")
}

/// The difference as a PNG file, zero in the middle of the colours.
fn image(gpu: &Gpu, compared: &Comparison) -> Result<Vec<u8>, Failure> {
    let lost = || Failure::Message("--image: the GPU did not respond; update the driver".into());
    let mut viewer = Viewer::new(gpu)?;
    viewer.update_taken(gpu, &compared.difference, &compared.view(&View::new(""), Measure::Signed))?;
    let [width, height] = viewer.image().ok_or_else(lost)?.size;
    let words = viewer.image_async().ok_or_else(lost)?.wait().ok_or_else(lost)?;
    export::png(&Image::new(width, height, &words)).map_err(|error| Failure::Message(format!("--image: {error}")))
}

fn save(path: &Path, option: &str, bytes: &[u8]) -> Result<(), Failure> {
    write::output(path, bytes).map_err(|error| Failure::Message(format!("{option} {}: {error}", path.display())))
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{text}` is not a tolerance; write a number that is not negative, for example 1e-6"))
}
