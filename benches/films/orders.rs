//! How films converge while a flow is predictable, and whether their statistics agree once it is not.
//!
//! Early, films of 60, 120, 240 and 480 equal steps a second are compared, each with the next: differences of a scheme of order p shrink
//! by 2^p. Films of half the cells, the graph's own and twice as many are compared in the same way, at 240 steps a second. Late, films as
//! users run them, with the graph's own substeps, are compared by what is left of a film that can't be foreseen: the mean, the kinetic
//! energy and the spectrum. Differences are paired at several times; the error bar is twice the standard error of their mean.

use std::error::Error;
use std::path::Path;

use stagewright_language::document::Substeps;
use stagewright_language::stage::types::WireType;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::{Field, Simulation};

use super::Arguments;
use super::film::{Change, Film};
use super::measures::{Bar, Bars, Boxes, Sums, late};

/// Steps a second of the films that are compared early.
const RATES: [f64; 4] = [60.0, 120.0, 240.0, 480.0];
/// Steps a second while cells are compared.
const CELLS_RATE: f64 = 240.0;
/// Times at which sums are taken, and the time between two \[s\].
const SAMPLES: (u32, f64) = (8, 0.25);
/// How far an order may be below its promise where steps are not yet small.
const SHORT: f64 = 0.4;
/// Differences below this have no order: rounding \[%\].
const SAME: f64 = 0.01;

/// What a graph promises, and where to look for it.
struct Case {
    graph: &'static str,
    /// The State that is carried; the picture where there is none.
    carried: Option<&'static str>,
    /// The State whose square is the energy.
    moves: Option<&'static str>,
    /// Order in the length of a step, and in that of a cell; `None` where nothing is promised.
    steps: Option<f64>,
    cells: Option<f64>,
    /// Cells along each side that a software driver computes in minutes, in times of the graph's own.
    small: f64,
    /// What helps where a promise on steps does not hold, and one on cells.
    remedies: [&'static str; 2],
}

/// A liquid or a gas on cells whose advection is of first order.
const FLOW: Case = Case {
    graph: "",
    carried: Some("velocity.value"),
    moves: Some("velocity.value"),
    steps: Some(1.0),
    cells: Some(1.0),
    small: 0.25,
    remedies: ["substeps: (courant: 0.9, most: 32)", "more cells"],
};

/// Particles that are seen in the picture alone.
const PICTURE: Case = Case {
    graph: "",
    carried: None,
    moves: None,
    steps: Some(1.0),
    cells: None,
    small: 0.25,
    remedies: ["substeps: (dt: 0.0085)", ""],
};

const CASES: &[Case] = &[
    Case { graph: "fluid_2d", carried: Some("dye.value"), ..FLOW },
    Case {
        graph: "fluid_2d_accurate",
        carried: Some("dye.value"),
        cells: Some(2.0),
        small: 0.5,
        remedies: ["substeps: (courant: 0.5, most: 32)", "more cells"],
        ..FLOW
    },
    Case { graph: "smoke_3d", carried: Some("smoke.value"), ..FLOW },
    Case { graph: "smoke_flipbook", carried: Some("smoke.value"), ..FLOW },
    Case { graph: "stable_fluids", carried: Some("density.value"), ..FLOW },
    Case {
        graph: "unity_fluid",
        remedies: ["substeps: (dt: 0.002, most: 32)", "fluid/pressure_multigrid, fluid/advect_maccormack"],
        ..FLOW
    },
    Case {
        graph: "oil_clock",
        carried: Some("fractions.value"),
        moves: None,
        small: 0.5,
        remedies: ["substeps: (dt: 0.0042)", "more cells"],
        ..FLOW
    },
    Case {
        graph: "waves",
        carried: Some("water.value"),
        moves: Some("water.value"),
        cells: Some(2.0),
        small: 0.5,
        remedies: ["more substeps", "more cells"],
        ..FLOW
    },
    Case {
        graph: "reaction_diffusion",
        carried: Some("substances.value"),
        moves: None,
        steps: None,
        cells: None,
        small: 0.5,
        remedies: ["", "a start that is the same on other cells"],
    },
    Case { graph: "curl_noise", ..PICTURE },
    Case { graph: "curl_noise_2d", ..PICTURE },
    Case { graph: "curl_wake_3d", ..PICTURE },
    Case { graph: "particles", moves: Some("kill.particles.velocity"), small: 1.0, ..PICTURE },
    Case { graph: "smoke_particles_3d", moves: Some("velocity.value"), small: 1.0, ..PICTURE },
    Case { graph: "patterns", remedies: ["", ""], ..PICTURE },
    Case { graph: "sph_water", moves: Some("water.value.velocity"), steps: None, remedies: ["", ""], ..PICTURE },
];

/// The two tables of these graphs; of all cases where there are none.
pub(crate) fn tables(gpu: &Gpu, arguments: &Arguments, graphs: &[std::path::PathBuf]) -> Result<(), Box<dyn Error>> {
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let cases = graphs.iter().filter_map(|path| Some((path, CASES.iter().find(|case| case.graph == name(path))?)));
    println!("{}, {} s, then {} s and later\n", gpu.name(), arguments.early, arguments.late);
    println!(
        "| graph | steps: % | order | promised | cells: % | order | promised | exceeded |\n|---|---|---|---|---|---|---|---|"
    );
    for (path, case) in cases.clone() {
        println!("{}", early_row(&Bench { gpu, path, case, arguments }));
    }
    println!("\n| graph | 24 fps | 60 fps | half the cells | exceeded |\n|---|---|---|---|---|");
    for (path, case) in cases {
        println!("{}", late_row(&Bench { gpu, path, case, arguments }));
    }
    Ok(())
}

/// A graph that is measured.
struct Bench<'a> {
    gpu: &'a Gpu,
    path: &'a Path,
    case: &'a Case,
    arguments: &'a Arguments,
}

impl Bench<'_> {
    /// Cells along each side, in times of the graph's own.
    fn scale(&self) -> f64 {
        if self.arguments.small { self.case.small } else { 1.0 }
    }

    /// The graph, and how much smaller it is.
    fn title(&self) -> String {
        let scale = self.scale();
        format!("`{}`{}", self.case.graph, if scale == 1.0 { String::new() } else { format!(", {scale} of its cells") })
    }

    /// What is exceeded in steps and in cells, each with its remedy.
    fn said(&self, exceeded: &[Vec<String>; 2]) -> String {
        let parts = exceeded.iter().zip(self.case.remedies).filter(|(what, _)| !what.is_empty());
        parts.map(|(what, remedy)| format!("{}: {remedy}", what.join(", "))).collect::<Vec<_>>().join("; ")
    }

    fn open(&self, fps: f64, substeps: Option<Substeps>, cells: f64) -> Result<Film, Box<dyn Error>> {
        let substeps = substeps.or(self.arguments.substeps);
        Film::open(self.gpu, self.path, fps, substeps, &[Change::Cells(cells * self.scale())])
    }

    /// What is carried, or the picture, after the early time, in equal steps. A grid is averaged to a `times`-th of its cells.
    fn early(&self, rate: f64, cells: f64, times: usize) -> Result<Boxes, Box<dyn Error>> {
        let mut film = self.open(rate, Some(Substeps::Fixed(1)), cells)?;
        film.advance(self.gpu, self.arguments.early)?;
        Ok(match field(&film.simulation, self.case.carried)? {
            Some(field) => Boxes::of_field(&field, field.resolution[0] as usize / times),
            None => Boxes::of_picture(&film.simulation.image(None)?),
        })
    }

    /// Sums of a film as users run it.
    fn late(&self, fps: f64, cells: f64) -> Result<Vec<Sums>, Box<dyn Error>> {
        let mut film = self.open(fps, None, cells)?;
        let mut sums = Vec::new();
        for sample in 0..SAMPLES.0 {
            film.advance(self.gpu, self.arguments.late + f64::from(sample) * SAMPLES.1)?;
            let carried = field(&film.simulation, self.case.carried)?;
            let moves = field(&film.simulation, self.case.moves)?;
            let picture = if carried.is_none() { Some(film.simulation.image(None)?) } else { None };
            sums.push(Sums::new(carried.as_ref(), moves.as_ref(), picture.as_ref()));
        }
        Ok(sums)
    }
}

/// A wire's numbers; of particles, those that live.
fn field(simulation: &Simulation, wire: Option<&str>) -> Result<Option<Field>, Box<dyn Error>> {
    let Some(wire) = wire else { return Ok(None) };
    let mut field = simulation.read(wire)?;
    if let (WireType::Attribute(_), Some((set, _))) = (field.ty, wire.rsplit_once('.')) {
        let living = simulation.read(&format!("{set}.count"))?.words.first().copied().unwrap_or(0);
        field.data.truncate((living * field.components) as usize);
    }
    Ok(Some(field))
}

/// Differences and the order at which they shrink, from the first to the last; that order where it is short of its promise.
fn order(differences: &[f64], promised: Option<f64>) -> (String, Option<f64>) {
    let shown: Vec<String> = differences.iter().map(|d| format!("{d:.2}")).collect();
    let promise = promised.map_or("-".into(), |order| format!("{order:.0}"));
    // The first is as small as rounding where frames are cut into the same steps.
    if differences[0] < SAME {
        return (format!("{} | the same | {promise}", shown.join(", ")), None);
    }
    let (first, last) = (differences[0], differences[differences.len() - 1]);
    let order = (first / last).log2() / (differences.len() - 1) as f64;
    // NaN is short as well.
    let holds = promised.is_none_or(|promised| order >= promised - SHORT);
    (format!("{} | {order:.2} | {promise}", shown.join(", ")), (!holds).then_some(order))
}

fn early_row(bench: &Bench<'_>) -> String {
    let Case { carried, steps, cells, .. } = bench.case;
    let rates = RATES.iter().map(|rate| bench.early(*rate, 1.0, 1)).collect::<Result<Vec<_>, _>>();
    let by_steps = rates.ok().map(|films| films.windows(2).map(|pair| pair[0].differs(&pair[1])).collect());
    // All on the cells of the half.
    let sizes = [(0.5, 1), (1.0, 2), (2.0, 4)].map(|(cells, times)| bench.early(CELLS_RATE, cells, times));
    let by_cells = match (sizes, carried) {
        ([Ok(half), Ok(own), Ok(twice)], Some(_)) => Some(vec![half.differs(&own), own.differs(&twice)]),
        _ => None,
    };
    let mut exceeded = [Vec::new(), Vec::new()];
    let parts = [(by_steps, steps, "steps"), (by_cells, cells, "cells")];
    let columns =
        parts.into_iter().zip(&mut exceeded).map(|((differences, promised, what), exceeded): (_, &mut Vec<_>)| {
            let differences: Option<Vec<f64>> = differences;
            let Some(differences) = differences else { return "- | - | -".into() };
            let (text, short) = order(&differences, *promised);
            exceeded.extend(short.map(|order| format!("order {order:.1} in {what}")));
            text
        });
    let columns: Vec<String> = columns.collect();
    format!("| {} | {} | {} |", bench.title(), columns.join(" | "), bench.said(&exceeded))
}

fn late_row(bench: &Bench<'_>) -> String {
    let compared = || -> Result<Vec<(&str, Bars)>, Box<dyn Error>> {
        let finest = bench.late(120.0, 1.0)?;
        let own = bench.late(60.0, 1.0)?;
        let slow = bench.late(24.0, 1.0)?;
        let mut columns = vec![("24 fps", late(&slow, &finest)), ("60 fps", late(&own, &finest))];
        if bench.case.carried.is_some() {
            columns.push(("half the cells", late(&bench.late(60.0, 0.5)?, &own)));
        }
        Ok(columns)
    };
    let columns = match compared() {
        Ok(columns) => columns,
        Err(error) => return format!("| {} | fails: {error} |", bench.title()),
    };
    let mut exceeded = [Vec::new(), Vec::new()];
    let mut cells = Vec::new();
    for (index, (title, bars)) in columns.iter().enumerate() {
        cells.push(bars.each_ref().map(|bar| bar.as_ref().map_or("-".into(), Bar::shown)).join("; "));
        if !bars.iter().flatten().all(Bar::holds) {
            exceeded[index / 2].push(title.to_string());
        }
    }
    cells.resize(3, "-".into());
    format!("| {} | {} | {} |", bench.title(), cells.join(" | "), bench.said(&exceeded))
}
