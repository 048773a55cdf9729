//! From an edit to its picture: a number in the text of each stage of a graph changes, and so does a parameter.
//!
//! `cargo bench --bench edits -- [GRAPH..] [--adapter NAME] [--bar MS] [--share PERCENT] [--target gpu|cpu] [--no-frames]`
//!
//! Graphs are the shipped ones and the templates, unless some are named. Each stage on the graph's own canvas, and within its groups, gets a
//! text of its own as in the code pane; then one number of this text changes a little, so that no cache knows the kernel. As in the editor,
//! the plan in which the node runs apart has been prepared while the text was opened, and is not running yet. What is timed is all that
//! follows: graph, that plan, pipelines of the changed kernels, the simulation's change to it, and the next frame to its picture. `joined` is
//! what the plan takes that the editor compiles once typing pauses. `kernels` are those that an edit changes, with the bytes of their WGSL.
//! `open` is the time from a graph's text to its first picture, with what the driver's cache on disk knows: run twice for a warm one. A
//! parameter's time is that of its frame.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Parser, ValueEnum};

use stagewright_compiler::{Plan, PlanOptions, Tuning};
use stagewright_language::document::{Document, NodeKind, Nodes, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::{FrameInput, Simulation};

/// Allocates as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    /// Graph files
    graphs: Vec<PathBuf>,
    /// Part of the name of the graphics adapter
    #[arg(long)]
    adapter: Option<String>,
    /// Time that an edit may take [ms]
    #[arg(long, default_value_t = 100.0)]
    bar: f64,
    /// Fail where a smaller share of all edits is within the bar [%]
    #[arg(long)]
    share: Option<f64>,
    /// Compile as for a GPU or for a software adapter, whatever the adapter is
    #[arg(long)]
    target: Option<Target>,
    /// Compile plans and pipelines, and run nothing
    #[arg(long)]
    no_frames: bool,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    Gpu,
    Cpu,
}

/// Frames that are drawn while an edit is compiled.
const FRAMES_MEANWHILE: usize = 10;

type Failure = Box<dyn std::error::Error>;

/// What an edit took.
struct Edit {
    node: String,
    /// Graph and plan; pipelines; memory and States; the frame \[ms\].
    parts: [f64; 4],
    /// The plan with all passes, and its pipelines \[ms\].
    joined: f64,
    /// Kernels that are not those of the plan before, and their length \[bytes\].
    kernels: [usize; 2],
}

impl Edit {
    fn ms(&self) -> f64 {
        self.parts.iter().sum()
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let gpu = Gpu::new(&GpuOptions { adapter: arguments.adapter.clone() })?;
    let graphs = if arguments.graphs.is_empty() { shipped()? } else { arguments.graphs.clone() };
    println!("{}; edits to their pictures [ms]\n", gpu.name());
    println!(
        "| graph | open | edits | median | 95 % | longest | of it plan, pipelines, memory, frame | its kernels | joined: median, longest | a parameter |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let (mut all, mut slow) = (Vec::new(), Vec::new());
    for path in graphs {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (open, mut edits, value) = graph(&gpu, &path, &arguments)?;
        edits.sort_by(|a, b| a.ms().total_cmp(&b.ms()));
        let Some(longest) = edits.last() else { continue };
        let at = |share: f64| edits[((edits.len() - 1) as f64 * share).round() as usize].ms();
        let [plan, pipelines, memory, frame] = longest.parts;
        let [kernels, bytes] = longest.kernels;
        let mut joined: Vec<f64> = edits.iter().map(|edit| edit.joined).collect();
        joined.sort_by(f64::total_cmp);
        let [middle, last] = [joined.len() / 2, joined.len() - 1].map(|at| joined[at]);
        let value = value.map_or("-".into(), |ms| format!("{ms:.1}"));
        println!(
            "| {name} | {open:.0} | {} | {:.0} | {:.0} | {:.0} (`{}`) | {plan:.0}, {pipelines:.0}, {memory:.0}, {frame:.0} | {kernels} of {bytes} | {middle:.0}, {last:.0} | {value} |",
            edits.len(),
            at(0.5),
            at(0.95),
            longest.ms(),
            longest.node
        );
        slow.extend(
            edits
                .iter()
                .filter(|edit| edit.ms() > arguments.bar)
                .map(|edit| format!("{name}: {} {:.0} {:.0?}", edit.node, edit.ms(), edit.parts)),
        );
        all.extend(edits.iter().map(Edit::ms));
    }
    let within = 100.0 * all.iter().filter(|ms| **ms <= arguments.bar).count() as f64 / all.len().max(1) as f64;
    println!("\n{within:.1} % of {} edits within {} ms; slower: {}", all.len(), arguments.bar, slow.join(", "));
    match arguments.share {
        Some(share) if within < share => {
            Err(format!("{within:.1} % of the edits are within the bar, {share} % are asked").into())
        }
        _ => Ok(()),
    }
}

fn shipped() -> std::io::Result<Vec<PathBuf>> {
    let mut graphs = Vec::new();
    for folder in ["graphs", "graphs/templates"] {
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))? {
            graphs.push(entry?.path());
        }
    }
    graphs.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    graphs.sort();
    Ok(graphs)
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The time to the first picture, edits of all stages, and the time of a frame after a parameter was set.
fn graph(gpu: &Gpu, path: &Path, arguments: &Arguments) -> Result<(f64, Vec<Edit>, Option<f64>), Failure> {
    let text = std::fs::read_to_string(path)?;
    let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
    let tuning = match arguments.target {
        Some(Target::Gpu) => Tuning::gpu(),
        Some(Target::Cpu) => Tuning::cpu(),
        None => gpu.tuning(),
    };
    let options = PlanOptions { folder, tuning, ..PlanOptions::default() };
    let library = Library::builtin();
    let compiled = |document: &Document, edited: Option<&str>| -> Result<Plan, Failure> {
        let graph = Graph::build(document, library).map_err(|e| e.to_string())?;
        let options = PlanOptions { edited: edited.map(String::from).into_iter().collect(), ..options.clone() };
        Ok(Plan::compile(&graph, &options).map_err(|e| e.to_string())?)
    };
    let opened = Instant::now();
    let mut document = Document::parse(&text)?;
    let plan = compiled(&document, None)?;
    let mut sim = match arguments.no_frames {
        true => made(gpu, &plan).map(|()| None)?,
        false => Some(Simulation::new(gpu, plan.clone()).map_err(|e| e.to_string())?),
    };
    shown(gpu, sim.as_mut())?;
    let open = ms(opened);
    let mut places = Vec::new();
    stages(&document.nodes, "", &mut places);
    let mut edits = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let node = document.node_mut(place).ok_or("a node")?;
        let text = match &node.kind {
            NodeKind::Stage(name) => library.stage(name).map(|stage| stage.own_text().to_string()),
            NodeKind::Custom(text) => Some(text.clone()),
            _ => None,
        };
        let Some((text, edited)) = text.and_then(|text| Some((text.clone(), changed(&text, at)?))) else { continue };
        let before = std::mem::replace(&mut node.kind, NodeKind::Custom(text));
        // A copy in a graph may lack what the library has beside a stage: groups of its folder.
        if let (Ok(plan), Ok(draft)) = (compiled(&document, None), compiled(&document, Some(place))) {
            // The text is opened.
            replace(sim.as_mut(), plan)?;
            shown(gpu, sim.as_mut())?;
            made(gpu, &draft)?;
            let drafted: HashSet<&str> = draft.kernels.iter().map(|kernel| kernel.wgsl.as_str()).collect();
            // A number of it is changed.
            document.node_mut(place).ok_or("a node")?.kind = NodeKind::Custom(edited);
            let started = Instant::now();
            let plan = compiled(&document, Some(place))?;
            let planned = ms(started);
            made(gpu, &plan)?;
            let prepared = ms(started);
            let new = plan.kernels.iter().map(|kernel| &kernel.wgsl).filter(|wgsl| !drafted.contains(wgsl.as_str()));
            let kernels = new.fold([0, 0], |[count, bytes], wgsl| [count + 1, bytes + wgsl.len()]);
            // The editor draws on meanwhile; a GPU that has had nothing to do would be slow at first.
            for _ in 0..FRAMES_MEANWHILE {
                shown(gpu, sim.as_mut())?;
            }
            let started = Instant::now();
            replace(sim.as_mut(), plan)?;
            let replaced = ms(started);
            shown(gpu, sim.as_mut())?;
            let parts = [planned, prepared - planned, replaced, ms(started) - replaced];
            // Typing pauses.
            let started = Instant::now();
            let plan = compiled(&document, None)?;
            made(gpu, &plan)?;
            let joined = ms(started);
            replace(sim.as_mut(), plan)?;
            shown(gpu, sim.as_mut())?;
            edits.push(Edit { node: place.clone(), parts, joined, kernels });
        }
        document.node_mut(place).ok_or("a node")?.kind = before;
    }
    let value = match sim {
        Some(mut sim) => parameter(gpu, &mut sim)?,
        None => None,
    };
    Ok((open, edits, value))
}

/// The time of a frame after a parameter was set.
fn parameter(gpu: &Gpu, sim: &mut Simulation) -> Result<Option<f64>, Failure> {
    let param = sim.plan().settings.iter().find(|slot| slot.paths.iter().all(|path| sim.value(path).is_some()));
    let param = param.and_then(|slot| slot.paths.first().cloned());
    match param.and_then(|path| Some((sim.value(&path)?, path))) {
        Some((now, path)) if now.len() == 1 => {
            let started = Instant::now();
            let set = sim.set_param(&path, ParamValue::Number(now[0]));
            shown(gpu, Some(sim))?;
            Ok(set.is_ok().then(|| ms(started)))
        }
        _ => Ok(None),
    }
}

/// Makes the pipelines of a plan.
fn made(gpu: &Gpu, plan: &Plan) -> Result<(), Failure> {
    gpu.make_pipelines(plan, &mut |_| true).map_err(|e| e.to_string().into())
}

fn replace(sim: Option<&mut Simulation>, plan: Plan) -> Result<(), Failure> {
    sim.map_or(Ok(()), |sim| sim.replace(plan)).map_err(|e| e.to_string().into())
}

/// A frame, until its picture is on the GPU, from where a window shows it.
fn shown(gpu: &Gpu, sim: Option<&mut Simulation>) -> Result<(), Failure> {
    let Some(sim) = sim else { return Ok(()) };
    sim.step(&FrameInput::default()).map_err(|e| e.to_string())?;
    gpu.wait();
    Ok(())
}

/// Paths of all stages and custom nodes.
fn stages(nodes: &Nodes, path: &str, found: &mut Vec<String>) {
    for (name, node) in nodes.iter() {
        let place = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        match &node.kind {
            NodeKind::Stage(_) | NodeKind::Custom(_) => found.push(place),
            NodeKind::Group(group) => stages(&group.nodes, &place, found),
            _ => {}
        }
    }
}

/// The text with another number: of its functions' first float that is not zero. Each run changes it to another one.
fn changed(text: &str, at: usize) -> Option<String> {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    let body = text.lines().scan(0, |from, line| {
        let start = *from;
        *from += line.len() + 1;
        Some((start, line))
    });
    for (start, line) in body.filter(|(_, line)| !line.trim_start().starts_with("//")) {
        let digits = |c: char| c.is_ascii_digit();
        for (dot, _) in line.match_indices('.') {
            let head = line[..dot].rfind(|c| !digits(c)).map_or(0, |k| k + 1);
            let tail = dot + 1 + line[dot + 1..].find(|c| !digits(c)).unwrap_or(line.len() - dot - 1);
            let number = &line[head..tail];
            let apart = line[..head].chars().last().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_' && c != '.');
            let whole = !line[tail..].starts_with(['e', 'E']) && head < dot && tail > dot + 1;
            let (Ok(value), true) = (number.parse::<f64>(), whole && apart) else { continue };
            if value != 0.0 {
                let new = value * (1.0 + 1e-4 * (1.0 + f64::from(seconds % 100_000) / 1e5 + at as f64));
                return Some(format!("{}{new:.9}{}", &text[..start + head], &text[start + tail..]));
            }
        }
    }
    None
}
