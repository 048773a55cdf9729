//! Whether a graph shows the same film at every frame rate, on coarser and finer cells, and in boxes of other shapes.
//!
//! `cargo bench --bench films -- [GRAPH..] [--early 1] [--late 3] [--fps 24,25,30,60] [--of 120] [--no-cells] [--substeps RULE]`
//!
//! Prints the tables of `docs/validation.md`. Pictures are compared as a viewer sees them from afar: in linear light, averaged to 48
//! pixels across, by the root of the mean squared difference over that of the picture itself. Of States the root mean square of all
//! their values is compared, of the one that differs most.

use std::path::{Path, PathBuf};

use clap::Parser;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, NodeKind, ParamValue, Substeps};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::{Image, Simulation};
use stagewright_runtime::tune::TuningCache;

/// Allocates as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pixels across a picture that is compared.
const ACROSS: usize = 48;

#[derive(Parser)]
struct Arguments {
    /// Graph files; the shipped ones and the templates when there are none
    graphs: Vec<PathBuf>,
    /// When films are compared [s]
    #[arg(long, default_value_t = 1.0)]
    early: f64,
    /// When they are compared again [s]
    #[arg(long, default_value_t = 3.0)]
    late: f64,
    /// Frame rates
    #[arg(long, value_delimiter = ',', default_values_t = [24.0, 25.0, 30.0, 60.0])]
    fps: Vec<f64>,
    /// The frame rate that they are compared with
    #[arg(long, default_value_t = 120.0)]
    of: f64,
    /// Substeps in place of the graphs' own
    #[arg(long)]
    substeps: Option<Substeps>,
    /// Only frame rates
    #[arg(long)]
    no_cells: bool,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// How a graph is changed.
#[derive(Clone, Copy)]
enum Change {
    Nothing,
    /// Cells along each side of what moves, in times of the graph's own.
    Cells(f64),
    /// The box is so many times as long along this axis.
    Longer(usize, f64),
}

/// A film at two times.
struct Film {
    shots: Vec<Shot>,
    said: Vec<String>,
}

/// A title, its film, and whether it is compared with that of another rate.
type Column = (String, Result<Film, Box<dyn std::error::Error>>, bool);

struct Shot {
    picture: Vec<f64>,
    /// Root mean square of each State.
    states: Vec<(String, f64)>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let gpu = Gpu::new(&GpuOptions::default())?;
    let graphs = if arguments.graphs.is_empty() { shipped()? } else { arguments.graphs.clone() };
    let head: Vec<String> = arguments.fps.iter().map(|fps| format!("{fps} fps")).collect();
    let cells = if arguments.no_cells { "" } else { " half the cells | twice | wide | tall |" };
    println!(
        "{}, at {} / {} s, % against {} fps and against the graph's own cells\n",
        gpu.name(),
        arguments.early,
        arguments.late,
        arguments.of
    );
    println!("| graph | | {} |{cells}", head.join(" | "));
    println!("|---|---|{}", "---|".repeat(head.len() + if arguments.no_cells { 0 } else { 4 }));
    let mut said = Vec::new();
    for path in graphs {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let run = |fps: f64, change: Change| film(&gpu, &path, &arguments, fps, change);
        let finest = run(arguments.of, Change::Nothing)?;
        let mut columns: Vec<Column> = Vec::new();
        for fps in &arguments.fps {
            columns.push((format!("{fps} fps"), run(*fps, Change::Nothing), true));
        }
        let baseline = if arguments.no_cells { None } else { Some(run(60.0, Change::Nothing)?) };
        if baseline.is_some() {
            for (title, change) in [
                ("half the cells", Change::Cells(0.5)),
                ("twice the cells", Change::Cells(2.0)),
                ("wide", Change::Longer(0, 1.5)),
                ("tall", Change::Longer(1, 1.5)),
            ] {
                columns.push((title.into(), run(60.0, change), false));
            }
        }
        let (mut pictures, mut states) = (Vec::new(), Vec::new());
        for (title, film, rate) in columns {
            match film {
                Ok(film) => {
                    let against = if rate { Some(&finest) } else { baseline.as_ref() };
                    let other = matches!(title.as_str(), "wide" | "tall");
                    let [picture, state] = match against {
                        // Another box shows another film.
                        _ if other => ["runs".into(), String::new()],
                        Some(against) => differences(&film, against),
                        None => Default::default(),
                    };
                    pictures.push(if other && !film.said.is_empty() { "see below".into() } else { picture });
                    states.push(state);
                    said.extend(film.said.iter().map(|line| format!("- {name}, {title}: {line}")));
                }
                Err(error) => {
                    pictures.push("fails".into());
                    states.push(String::new());
                    said.push(format!("- {name}, {title}: {error}"));
                }
            }
        }
        println!("| {name} | picture | {} |", pictures.join(" | "));
        println!("| | States | {} |", states.join(" | "));
    }
    println!();
    said.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn shipped() -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["graphs", "graphs/templates"] {
        let entries = std::fs::read_dir(folder)?;
        let mut found = entries.map(|e| e.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>()?;
        found.retain(|path| path.extension().is_some_and(|e| e == "ron"));
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

fn film(
    gpu: &Gpu,
    path: &Path,
    arguments: &Arguments,
    fps: f64,
    change: Change,
) -> Result<Film, Box<dyn std::error::Error>> {
    let mut document = Document::parse(&std::fs::read_to_string(path)?)?;
    document.fps = fps;
    document.substeps = arguments.substeps.unwrap_or(document.substeps);
    let library = Library::builtin();
    apply(&mut document, library, change)?;
    let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
    let tuning = TuningCache::open().tuning(gpu);
    let options = PlanOptions { tuning, folder, ..PlanOptions::default() };
    let plan = Plan::compile(&Graph::build(&document, library)?, &options)?;
    let mut simulation = Simulation::new(gpu, plan)?;
    let mut film = Film { shots: Vec::new(), said: Vec::new() };
    for time in [arguments.early, arguments.late] {
        let frame = (time * fps).round() as u64;
        while simulation.frame() < frame {
            let input = simulation.recorded_input();
            if simulation.frame() + 1 == frame {
                simulation.step(&input)?
            } else {
                simulation.step_unseen(&input)?
            }
            if simulation.frame().is_multiple_of(16) {
                gpu.wait();
            }
        }
        film.shots.push(shot(&simulation)?);
    }
    film.said.extend(simulation.ends_with_nan()?.map(|problem| problem.cause));
    let warnings = simulation.warnings(true);
    film.said.extend(warnings.0.iter().map(|problem| problem.to_string()));
    Ok(film)
}

/// Changes cells or the shape of the box of what moves.
fn apply(document: &mut Document, library: &Library, change: Change) -> Result<(), Box<dyn std::error::Error>> {
    let number = |name: &str| match document.nodes.get(name).map(|node| &node.kind) {
        Some(NodeKind::Number(ParamValue::Number(value))) => Some(*value),
        _ => None,
    };
    if let Change::Cells(times) = change {
        for (name, value) in
            [("spacing", number("spacing").map(|v| v / times)), ("cells", number("cells").map(|v| (v * times).round()))]
        {
            if let Some(value) = value {
                document.set(name, "value", ParamValue::Number(value))?;
                return Ok(());
            }
        }
    }
    let graph = Graph::build(document, library)?;
    let states = graph.nodes.iter().filter(|node| matches!(node.kind, stagewright_language::graph::Kind::State(_)));
    let moving: Vec<String> = states
        .filter_map(|state| {
            Some(graph.domains.get(state.domain.or(state.set.as_ref().map(|set| set.domain))?)?.name.clone())
        })
        .collect();
    for domain in &graph.domains {
        let is_moving = moving.contains(&domain.name);
        let Some(NodeKind::Domain(settings)) = document.node_mut(&domain.name).map(|node| &mut node.kind) else {
            continue;
        };
        if !is_moving {
            continue;
        }
        let mut cells: Vec<f64> = domain.resolution.iter().take(domain.dim as usize).map(|n| f64::from(*n)).collect();
        let width = cells[0] * domain.cell_size;
        match change {
            Change::Nothing => {}
            Change::Cells(times) => cells.iter_mut().for_each(|n| *n = (*n * times).round().max(1.0)),
            Change::Longer(axis, times) => {
                cells[axis] = (cells[axis] * times).round();
                if axis == 0 {
                    settings.width = ParamValue::Number(width * cells[0] / f64::from(domain.resolution[0]));
                }
            }
        }
        settings.resolution = cells.into_iter().map(ParamValue::Number).collect();
    }
    Ok(())
}

fn shot(simulation: &Simulation) -> Result<Shot, Box<dyn std::error::Error>> {
    let picture = match simulation.find_output(None) {
        Ok(_) => from_afar(&simulation.image(None)?),
        Err(_) => Vec::new(),
    };
    let mut states = Vec::new();
    let plan = simulation.plan();
    for state in &plan.states {
        let name = [state.node.clone(), format!("{}.value", state.node)];
        let Some(name) =
            name.into_iter().find(|name| plan.wires.get(name).is_some_and(|wire| wire.kept && wire.domain.is_some()))
        else {
            continue;
        };
        let values = simulation.read(&name)?.data;
        let sum: f64 = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum();
        states.push((name, (sum / values.len().max(1) as f64).sqrt()));
    }
    Ok(Shot { picture, states })
}

/// The picture in linear light, averaged to a few pixels.
fn from_afar(image: &Image) -> Vec<f64> {
    let (width, height) = (image.width as usize, image.height as usize);
    let rows = (ACROSS * height / width).max(1);
    let mut sums = vec![[0.0_f64; 4]; ACROSS * rows];
    for (at, pixel) in image.rgba.chunks_exact(4).enumerate() {
        let (x, y) = (at % width * ACROSS / width, at / width * rows / height);
        let Some(sum) = sums.get_mut(x + ACROSS * y.min(rows - 1)) else { continue };
        for (part, byte) in sum.iter_mut().zip(&pixel[..3]) {
            let c = f64::from(*byte) / 255.0;
            *part += if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        }
        sum[3] += 1.0;
    }
    sums.iter().flat_map(|sum| sum[..3].iter().map(|part| part / sum[3].max(1.0))).collect()
}

/// The differences of pictures and of States at both times \[%\].
fn differences(film: &Film, against: &Film) -> [String; 2] {
    let pairs = || film.shots.iter().zip(&against.shots);
    let picture = |(a, b): (&Shot, &Shot)| {
        let square = |v: f64| v * v;
        let far: f64 = a.picture.iter().zip(&b.picture).map(|(x, y)| square(x - y)).sum();
        let norm: f64 = b.picture.iter().map(|y| square(*y)).sum();
        format!("{:.1}", 100.0 * (far / norm.max(f64::MIN_POSITIVE)).sqrt())
    };
    let state = |(a, b): (&Shot, &Shot)| {
        let all = a.states.iter().zip(&b.states);
        let far = all.map(|((_, x), (_, y))| if x == y { 0.0 } else { (x - y).abs() / y.abs().max(f64::MIN_POSITIVE) });
        let worst = far.fold(0.0, |a: f64, b| if b.is_nan() || b > a { b } else { a });
        format!("{:.1}", 100.0 * worst)
    };
    [pairs().map(picture).collect::<Vec<_>>().join(" / "), pairs().map(state).collect::<Vec<_>>().join(" / ")]
}
