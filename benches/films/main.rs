//! Whether a graph shows the same film at every frame rate, on coarser and finer cells, and in boxes of other shapes.
//!
//! `cargo bench --bench films -- [GRAPH..] [--early 1] [--late 3] [--fps 24,25,30,60] [--of 120] [--no-cells] [--substeps RULE]`
//! `cargo bench --bench films -- --orders [GRAPH..] [--early 0.5] [--late 3] [--small] [--substeps RULE]`
//!
//! Prints the tables of `docs/validation.md`; those of orders and statistics are described in `orders.rs`. Pictures are compared as a viewer sees them from afar: in linear light, averaged to 48
//! pixels across, by the root of the mean squared difference over that of the picture itself. Of States the root mean square of all
//! their values is compared, of the one that differs most.

mod film;
mod measures;
mod orders;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;

use stagewright_language::document::Substeps;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::Simulation;

use film::{Change, Film};
use measures::Boxes;

/// Allocates as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    /// Graph files; the shipped ones and the templates when there are none
    graphs: Vec<PathBuf>,
    /// Orders of convergence early, and statistics late
    #[arg(long)]
    orders: bool,
    /// Few enough cells for a software driver, for the orders
    #[arg(long)]
    small: bool,
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

/// A film at two times.
struct Shots {
    shots: Vec<Shot>,
    said: Vec<String>,
}

/// A title, its film, and whether it is compared with that of another rate.
type Column = (String, Result<Shots, Box<dyn Error>>, bool);

struct Shot {
    picture: Option<Boxes>,
    /// Root mean square of each State.
    states: Vec<(String, f64)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let gpu = Gpu::new(&GpuOptions::default())?;
    let graphs = if arguments.graphs.is_empty() { shipped()? } else { arguments.graphs.clone() };
    if arguments.orders {
        return orders::tables(&gpu, &arguments, &graphs);
    }
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
        let run = |fps: f64, change: Change| shots(&gpu, &path, &arguments, fps, change);
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

fn shots(gpu: &Gpu, path: &Path, arguments: &Arguments, fps: f64, change: Change) -> Result<Shots, Box<dyn Error>> {
    let mut film = Film::open(gpu, path, fps, arguments.substeps, &[change])?;
    let mut shots = Vec::new();
    for time in [arguments.early, arguments.late] {
        film.advance(gpu, time)?;
        shots.push(shot(&film.simulation)?);
    }
    Ok(Shots { shots, said: film.remarks()? })
}

fn shot(simulation: &Simulation) -> Result<Shot, Box<dyn Error>> {
    let picture = match simulation.find_output(None) {
        Ok(_) => Some(Boxes::of_picture(&simulation.image(None)?)),
        Err(_) => None,
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

/// The differences of pictures and of States at both times \[%\].
fn differences(film: &Shots, against: &Shots) -> [String; 2] {
    let pairs = || film.shots.iter().zip(&against.shots);
    let picture = |(a, b): (&Shot, &Shot)| {
        let pictures = a.picture.as_ref().zip(b.picture.as_ref());
        pictures.map_or(String::new(), |(a, b)| format!("{:.1}", a.differs(b)))
    };
    let state = |(a, b): (&Shot, &Shot)| {
        let all = a.states.iter().zip(&b.states);
        let far = all.map(|((_, x), (_, y))| if x == y { 0.0 } else { (x - y).abs() / y.abs().max(f64::MIN_POSITIVE) });
        let worst = far.fold(0.0, |a: f64, b| if b.is_nan() || b > a { b } else { a });
        format!("{:.1}", 100.0 * worst)
    };
    [pairs().map(picture).collect::<Vec<_>>().join(" / "), pairs().map(state).collect::<Vec<_>>().join(" / ")]
}
