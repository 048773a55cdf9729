//! Looking at a run by any means does not change it: views, plots, expectations, conditions, the debugger, exports, bakes and all else
//! that reads wires lead to the States of a run at which nobody looks.
//!
//! The graph [`nodes`] has a wire of each kind and computes whole numbers alone, so its States have the same bits with every plan on every
//! adapter. `STAGEWRIGHT_COUNT` is the number of wires that each means looks at, in this graph and in each of those that ship, or of the
//! folder `STAGEWRIGHT_GRAPHS`. `STAGEWRIGHT_GRAPH` is a part of the name of the only one, `STAGEWRIGHT_MEANS` of the only means.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use stagewright::bake;
use stagewright::cancel::Cancel;
use stagewright::document::{Bake, Document, Expect};
use stagewright::export::checkpoints::Checkpoints;
use stagewright::export::format_named;
use stagewright::export::job::{self, Export, Item, Subject};
use stagewright::export::place::Folder;
use stagewright::export::record::Fingerprint;
use stagewright::export::select::{self, Choices, Request};
use stagewright::export::settings::Settings;
use stagewright::files::Access;
use stagewright::gpu::Profile;
use stagewright::graph::Graph;
use stagewright::graph::expect::Statistic;
use stagewright::graph::measurement::Measurement;
use stagewright::library::Library;
use stagewright::plan::{Keep, Outputs, Plan, PlanOptions, Tuning};
use stagewright::sim::checkpoint::{Checkpoint, CheckpointFile};
use stagewright::sim::compare::{Measure, compare};
use stagewright::sim::debug::{Condition, Conditions, Follower, FrameDebugger, FrameStart, NanSearch, Place};
use stagewright::sim::expect::{Checker, needs};
use stagewright::sim::hashes::{Hashes, Origin, Run};
use stagewright::sim::record::{Record, Recorder};
use stagewright::sim::timeline::Budget;
use stagewright::sim::wire_view::{Show, View, Viewer, thumbnails};
use stagewright::sim::{FrameInput, Simulation, taken};

use super::harness::{gpu, pcg};
use super::observed::{States, checked, differences, number, seed};
use super::shipped::{ShippedGraph, all_graphs, state_words};

/// Frames of each run. At most of them something is looked at.
const FRAMES: u64 = 6;

/// Wires of the graph of all kinds that each means looks at in a run among all tests.
const WIRES: usize = 3;

/// Graphs of the day whose wires are looked at then, each by one means.
const GRAPHS: usize = 2;

/// A node with a stage of its own. `header` has its lines, `signature` the argument and the type of its function.
fn stage(name: &str, header: &str, signature: &str, body: &str, fields: &str) -> String {
    let header = header.replace("; ", "\n//! ");
    format!(
        "\"{name}\": (custom: r#\"//! Stage\n//! {header}\nfn turn(x: f32) -> f32 {{ return x - floor(x / 256.0) * 256.0; }}\n\
         fn away(n: i32) -> vec2i {{ return vec2i(n, -n); }}\nfn stage({signature} {{ {body} }}\"#, {fields}),\n"
    )
}

/// A graph with each kind of wire. All States depend on each other, and all wires on them.
fn nodes() -> String {
    let cells = "cell: Cell) -> f32";
    let own = |name: &str, input: &str| {
        let inputs = format!("inputs: {{\"x\": \"{input}\"}}");
        stage(name, "@in x: Grid<f32>; @out r: Grid<f32>", cells, "return turn(3.0 * x(cell) + 1.0);", &inputs)
    };
    let of = |input: &str| format!("inputs: {{\"x\": \"{input}\"}}");
    [
        r#""d": (domain: (resolution: (12, 10), width: 12, edge: "clamp")),"#.into(),
        r#""clock": (number: "2 * frame"),"#.into(),
        r#""wind": (stage: "shape/rigid_velocity", params: {"linear": (2, 1)}),"#.into(),
        r#""faces": (stage: "staggered/from_field", on: "d", inputs: {"velocity": "wind.velocity"}),"#.into(),
        stage("start", "@out r: Grid<f32>", cells, "return f32((cell.x * 37 + cell.y * 101) % 257);", "on: \"d\""),
        stage(
            "born",
            "@in amount: u32 = 24; @inout p: Particles{} -> {position: Vec, mark: f32}, emit amount",
            "particle: Particle) -> Result",
            "return Result(vec2f(vec2u(particle.serial % 12u, particle.serial / 12u)) + 0.5, f32(particle.serial * 37u % 257u));",
            "on: \"d\"",
        ),
        r#""s": (state: "Grid<f32>", on: "d", inputs: {"init": "start.r", "next": "mix.r"}),"#.into(),
        r#""v": (state: "Grid<Vec>", on: "d", inputs: {"next": "flow.r"}),"#.into(),
        r#""t": (state: "Grid<vec4f>", on: "d", precision: "f16", inputs: {"next": "tint.r"}),"#.into(),
        r#""trail": (state: "Image", on: "d", inputs: {"next": "fade.r"}),"#.into(),
        r#""p": (state: "Particles{position: Vec, mark: f32}", capacity: 128, on: "d", inputs: {"init": "born.p", "next": "sort.particles"}),"#.into(),
        stage(
            "push",
            "@in x: Grid<f32>; @in f: FaceGrid; @in wind: Field<Vec>; @in gain: f32; @out r: Grid<f32>",
            cells,
            "return turn(3.0 * x(cell) + f(cell).x + wind(position(cell)).y + gain());",
            "inputs: {\"x\": \"s\", \"f\": \"faces.result\", \"wind\": \"wind.velocity\", \"gain\": \"clock\"}",
        ),
        stage(
            "near",
            "@in x: Grid<f32>, radius 2; @out r: Grid<f32>",
            cells,
            "return turn(x(cell + away(1)) + x(cell - away(2)));",
            &of("push.r"),
        ),
        stage(
            "sweeps",
            "@in x: Grid<f32>; @inout r: Grid<f32> = 5, radius 2",
            cells,
            "return turn(x(cell) + r(cell + away(1)) + r(cell - away(2)));",
            &format!("{}, iterations: 3", of("near.r")),
        ),
        stage(
            "colors",
            "@in x: Grid<f32>; @inout r: Grid<f32> = 2; @sweep checkerboard",
            cells,
            "return turn(x(cell) + r(neighbor(cell, 0)) + r(neighbor(cell, 3)));",
            &of("sweeps.r"),
        ),
        stage(
            "most",
            "@in x: Grid<f32>; @out r: Grid<f32>; @out most: f32, reduce max",
            "cell: Cell) -> Result",
            "return Result(turn(x(cell) + 1.0), x(cell));",
            &of("colors.r"),
        ),
        stage("sum", "@in x: Grid<f32>, radius 2; @out r: f32, reduce sum", cells, "return x(cell - away(1));", &of("near.r")),
        stage("least", "@in p: Particles{mark: f32}; @out r: f32, reduce min", "particle: Particle) -> f32", "return particle.mark;", "inputs: {\"p\": \"move.p\"}"),
        stage(
            "peaks",
            "@in x: Grid<f32>; @out r: Grid<f32>, scatter max",
            "cell: Cell)",
            "max_r(cell, 1.0); max_r(cell + away(1), x(cell));",
            &of("near.r"),
        ),
        stage("count", "@in x: Grid<f32>; @out r: Grid<u32>, scan", "cell: Cell) -> u32", "return u32(x(cell));", &of("most.r")),
        stage(
            "hits",
            "@in p: Particles{position: Vec, mark: f32}; @out r: Grid<f32>, scatter 8",
            "particle: Particle)",
            "add_r(cell_at(particle.position), particle.mark);",
            "inputs: {\"p\": \"cull.p\"}",
        ),
        stage(
            "flow",
            "@in x: Grid<f32>; @inout r: Grid<Vec>",
            "cell: Cell) -> Vec",
            "return vec2f(turn(r(cell).y + x(neighbor(cell, 0))), turn(r(cell).x + x(neighbor(cell, 3))));",
            "inputs: {\"x\": \"hits.r\", \"r\": \"v\"}",
        ),
        stage(
            "tint",
            "@in v: Grid<Vec>, radius 1; @inout r: Grid<vec4f>",
            "cell: Cell) -> vec4f",
            "return vec4f(v(neighbor(cell, 1)), turn(r(cell).x + r(cell).w), turn(r(cell).z + 1.0));",
            "inputs: {\"v\": \"flow.r\", \"r\": \"t\"}, precision: \"f16\"",
        ),
        format!(
            "\"g\": (group: (inputs: {{\"x\": \"Grid<f32>\"}}, outputs: {{\"r\": \"second.r\"}}, nodes: {{\n{}{}}}), inputs: {{\"x\": \"peaks.r\"}}),\n",
            own("first", "in.x"),
            own("second", "first.r")
        ),
        format!(
            "\"solve\": (group: (inputs: {{\"x\": \"Grid<f32>\"}}, outputs: {{\"x\": \"sweep.x\", \"left\": \"sweep.left\"}}, nodes: {{\n{}}}), \
             inputs: {{\"x\": \"g.r\"}}, iterations: 6, until: (number: \"left\", below: 250)),\n",
            stage(
                "sweep",
                "@inout x: Grid<f32>; @out left: f32, reduce max",
                "cell: Cell) -> Result",
                "return Result(turn(5.0 * x(cell) + 3.0), turn(x(cell) + 7.0));",
                "inputs: {\"x\": \"in.x\"}"
            )
        ),
        stage(
            "mix",
            "@in x: Grid<f32>; @in n: Grid<u32>; @in tint: Grid<vec4f>; @in trail: Image; @in most: f32; @in sum: f32; @in least: f32; @out r: Grid<f32>",
            cells,
            "return turn(x(cell) + f32(n(cell) % 256u) + tint(cell).z + trail(cell).z + most() + sum() + least());",
            "inputs: {\"x\": \"solve.x\", \"n\": \"count.r\", \"tint\": \"tint.r\", \"trail\": \"trail\", \"most\": \"most.most\", \"sum\": \"sum.r\", \"least\": \"least.r\"}",
        ),
        stage(
            "fade",
            "@in x: Grid<f32>; @inout r: Image",
            "cell: Cell) -> vec4f",
            "return vec4f(r(cell).yz, turn(r(cell).x + x(cell)), 1.0);",
            "inputs: {\"x\": \"mix.r\", \"r\": \"trail\"}",
        ),
        stage(
            "more",
            "@in amount: u32 = 4; @inout p: Particles{} -> {position: Vec, mark: f32}, emit amount",
            "particle: Particle) -> Result",
            "return Result(vec2f(f32(particle.serial % 12u) + 0.5, 0.5), f32(particle.serial % 7u));",
            "inputs: {\"p\": \"p\"}",
        ),
        stage(
            "move",
            "@in x: Grid<f32>; @inout p: Particles{position: Vec, mark: f32} -> {position: Vec, mark: f32}",
            "particle: Particle) -> Result",
            "let y = particle.position.y + particle.mark - 2.0 * floor(0.5 * particle.mark);\n\
             let x = particle.position.x + 1.0;\n\
             return Result(vec2f(x - select(0.0, 12.0, x > 12.0), y - select(0.0, 10.0, y > 10.0)), turn(particle.mark + x_at(particle.position)));",
            "inputs: {\"x\": \"push.r\", \"p\": \"more.p\"}",
        ),
        stage(
            "cull",
            "@inout p: Particles{mark: f32}, filter",
            "particle: Particle) -> bool",
            "return u32(particle.mark) % 7u != 3u;",
            "inputs: {\"p\": \"move.p\"}",
        ),
        r#""sort": (stage: "neighbors/fill", on: "d", inputs: {"particles": "cull.p"}),"#.into(),
        r#""look": (stage: "view/color_map", inputs: {"field": "mix.r"}, params: {"high": 256}),"#.into(),
        r#""screen": (output: (), inputs: {"image": "look.image"}),"#.into(),
        r#""trace": (output: (), inputs: {"image": "fade.r"}),"#.into(),
    ]
    .concat()
}

/// A wire of each kind.
const KINDS: &[(&str, &str)] = &[
    ("a grid of numbers, in a stage that fuses", "push.r"),
    ("a stage with a radius", "near.r"),
    ("a stage that iterates", "sweeps.r"),
    ("a checkerboard sweep", "colors.r"),
    ("the grid beside a reduction", "most.r"),
    ("a maximum", "most.most"),
    ("a sum over a stage with a radius", "sum.r"),
    ("a minimum of particles", "least.r"),
    ("a scatter of cells", "peaks.r"),
    ("a scatter of particles", "hits.r"),
    ("a scan of whole numbers", "count.r"),
    ("a grid of vectors", "flow.r"),
    ("four packed halves", "tint.r"),
    ("faces", "faces.result"),
    ("a field at the cells of a domain", "wind.velocity@d"),
    ("inside a group", "g/first.r"),
    ("inside a group that iterates", "solve/sweep.x"),
    ("a number inside of it", "solve/sweep.left"),
    ("what a State becomes", "mix.r"),
    ("a State", "s.value"),
    ("a State of packed halves", "t.value"),
    ("an image that is a State", "trail.value"),
    ("an image", "look.image"),
    ("emitted particles", "more.p.mark"),
    ("positions", "move.p.position"),
    ("a count", "cull.p.count"),
    ("sorted particles", "sort.particles.mark"),
    ("a State of particles", "p.value"),
    ("an Output", "screen"),
    ("a number node", "clock.value"),
];

type Fallible<T> = Result<T, Box<dyn Error>>;

/// The States at the end; `None` where the means is not for such wires.
type Observed = Fallible<Option<States>>;

/// A graph, and how its plans are made.
struct Scene {
    name: String,
    document: Document,
    library: Library,
    folder: PathBuf,
    graph: Graph,
    tuning: Tuning,
    outputs: Outputs,
}

impl Scene {
    /// `None` where the graph has errors and is none of those that ship.
    fn new(shipped: &ShippedGraph, tuning: Tuning, outputs: Outputs) -> Option<Scene> {
        let graph = checked(shipped)?;
        let ShippedGraph { name, document, library, folder } = shipped;
        let (name, document, library, folder) = (name.clone(), document.clone(), library.clone(), folder.clone());
        Some(Scene { name, document, library, folder, graph, tuning, outputs })
    }

    fn access(&self) -> Access {
        Access::new(&self.folder, true)
    }

    fn plan(&self, options: PlanOptions) -> Fallible<Plan> {
        let options = PlanOptions { size: Some((64, 64)), folder: self.folder.clone(), allow_files: true, ..options };
        Ok(Plan::compile(&self.graph, &options)?)
    }

    /// The plan of a run in which these are looked at.
    fn keeping(&self, wires: &[String]) -> Fallible<Plan> {
        let keep = if wires.is_empty() { Keep::Needed } else { Keep::Wires(wires.to_vec()) };
        let (outputs, tuning) = (self.outputs.clone(), self.tuning.clone());
        self.plan(PlanOptions { keep, outputs, tuning, ..PlanOptions::default() })
    }

    /// The plan of the debugger.
    fn plain(&self) -> Fallible<Plan> {
        self.plan(FrameDebugger::options(&PlanOptions::default()))
    }

    fn start(&self, wires: &[String]) -> Fallible<Simulation> {
        Ok(Simulation::new(gpu(), self.keeping(wires)?)?)
    }

    /// Runs to the last frame, and looks after each.
    fn run(&self, wires: &[String], mut look: impl FnMut(&mut Simulation) -> Fallible<()>) -> Observed {
        let mut simulation = self.start(wires)?;
        while simulation.frame() < FRAMES {
            step(&mut simulation)?;
            look(&mut simulation)?;
        }
        Ok(Some(state_words(&simulation)))
    }

    /// The States of a run at which nobody looks.
    fn unobserved(&self) -> Fallible<States> {
        let plan = self.plan(PlanOptions { tuning: self.tuning.clone(), ..PlanOptions::default() })?;
        let mut simulation = Simulation::new(gpu(), plan)?;
        while simulation.frame() < FRAMES {
            step(&mut simulation)?;
        }
        Ok(state_words(&simulation))
    }

    /// Wires that are in memory where everything is kept.
    fn wires(&self) -> Fallible<Vec<String>> {
        let plan = self.plan(PlanOptions { keep: Keep::All, ..PlanOptions::default() })?;
        Ok(plan.wires.into_iter().filter(|(_, wire)| wire.kept).map(|(name, _)| name).collect())
    }

    /// A view of a wire; `None` of what has no memory of its own.
    fn view(&self, wire: &str) -> Option<View> {
        let (node, _) = wire.split_once('.')?;
        let is_number = self.document.node(node).is_some_and(|node| node.kind.is_number());
        (!is_number).then(|| View { size: Some((32, 32)), ..View::new(wire) })
    }

    /// What can be measured of a wire: a number, or a statistic.
    fn measurement(&self, wire: &str) -> Option<Measurement> {
        let parse = |text: &str| Measurement::parse(text, &self.document, &self.graph).ok();
        parse(wire).or_else(|| parse(&format!("{wire}:max"))).or_else(|| parse(&format!("{wire}:max:0")))
    }
}

fn step(simulation: &mut Simulation) -> Fallible<()> {
    let input = simulation.recorded_input();
    Ok(simulation.step(&input)?)
}

/// Means of looking at a wire, by their names.
type Means = (&'static str, fn(&Scene, &str) -> Observed);

const MEANS: &[Means] = &[
    ("view", view),
    ("view that is opened and closed", view_midway),
    ("thumbnails", all_thumbnails),
    ("plot", plot),
    ("record", record),
    ("expectation", expectation),
    ("condition", condition),
    ("stop", stop),
    ("debugger", debugger),
    ("followed particle", follow),
    ("search for NaN", nan_search),
    ("check of values and timing", checks),
    ("export", export),
    ("bake", bake_it),
    ("compare", compare_it),
    ("checkpoint", checkpoint),
    ("timeline", timeline),
    ("preview", preview),
    ("frames in slices", slices),
    ("frames that are not shown", unseen),
    ("hashes", hashes),
];

fn view(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let mut viewer = Viewer::new(gpu())?;
    viewer.set_pointer(Some([0.4, 0.6]));
    let observed = scene.run(&[view.keep()], |simulation| Ok(viewer.update(simulation, &view)?))?;
    viewer.wait();
    viewer.statistics().ok_or("the view has no statistics")?;
    Ok(observed)
}

/// The running plan is replaced, as an editor does when a view opens.
fn view_midway(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let plan = |keep: Keep| scene.plan(PlanOptions { keep, tuning: scene.tuning.clone(), ..PlanOptions::default() });
    let mut simulation = Simulation::new(gpu(), plan(Keep::Needed)?)?;
    let mut viewer = Viewer::new(gpu())?;
    for frame in 0..FRAMES {
        match frame {
            1 => simulation.replace(plan(Keep::Wires(vec![view.keep()]))?)?,
            4 => simulation.replace(plan(Keep::Needed)?)?,
            _ => {}
        }
        step(&mut simulation)?;
        if (1..4).contains(&frame) {
            viewer.update(&simulation, &view)?;
        }
    }
    match simulation.frame() == FRAMES {
        true => Ok(Some(state_words(&simulation))),
        false => Err(format!("it is in frame {} of {FRAMES}", simulation.frame()).into()),
    }
}

/// Of the nodes on the first level, beside the view.
fn all_thumbnails(scene: &Scene, wire: &str) -> Observed {
    let mut views: Vec<View> = thumbnails(&scene.graph, None).iter().map(|wire| View::new(wire)).collect();
    views.extend(scene.view(wire));
    let mut viewers = views.iter().map(|_| Viewer::new(gpu())).collect::<Result<Vec<_>, _>>()?;
    let wires: Vec<String> = views.iter().map(View::keep).collect();
    scene.run(&wires, |simulation| {
        for (viewer, view) in viewers.iter_mut().zip(&views) {
            viewer.update(simulation, &View { size: Some((16, 16)), ..view.clone() })?;
        }
        Ok(())
    })
}

fn plot(scene: &Scene, wire: &str) -> Observed {
    let Some(measurement) = scene.measurement(wire) else { return Ok(None) };
    let mut recorder = Recorder::new(FRAMES as usize);
    recorder.add("whole", measurement.clone());
    let of = |statistic| Measurement { statistic, component: None, ..measurement.clone() };
    if measurement.statistic != Statistic::Value {
        recorder.add("cell", of(Statistic::Cell([1, 2, 0])));
        recorder.add("particle", of(Statistic::Particle(3)));
    }
    let wires: Vec<String> = recorder.record().wires().collect();
    let observed = scene.run(&wires, |simulation| {
        recorder.request(simulation);
        recorder.collect();
        Ok(())
    })?;
    gpu().wait();
    recorder.collect();
    let measured = recorder.record().values(0).count() as u64;
    if measured == FRAMES { Ok(observed) } else { Err(format!("{measured} of {FRAMES} frames were measured").into()) }
}

/// As `stagewright record` measures, which waits for each frame.
fn record(scene: &Scene, wire: &str) -> Observed {
    let Some(measurement) = scene.measurement(wire) else { return Ok(None) };
    let mut record = Record::new(vec![(wire.to_string(), measurement)]);
    let wires: Vec<String> = record.wires().collect();
    scene.run(&wires, |simulation| Ok(record.take(simulation)?))
}

/// After every frame, with a plan for nothing else.
fn expectation(scene: &Scene, wire: &str) -> Observed {
    let statistic = scene.measurement(wire).is_none_or(|found| found.statistic != Statistic::Value);
    let mut document = scene.document.clone();
    document.expect = vec![Expect {
        every: Some(1),
        to: Some(FRAMES),
        of: wire.into(),
        statistic: statistic.then(|| "nan".into()),
        below: Some(1e30),
        ..Expect::default()
    }];
    let expectations = Graph::build(&document, &scene.library)?.expectations;
    if expectations.iter().any(Result::is_err) {
        return Ok(None);
    }
    let (keep, outputs) = needs(&expectations);
    let plan = scene.plan(PlanOptions { keep, outputs, tuning: scene.tuning.clone(), ..PlanOptions::default() })?;
    let (mut simulation, mut checker) = (Simulation::new(gpu(), plan)?, Checker::new(expectations));
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        checker.after_step(&simulation);
        checker.collect(simulation.frame() % 2 == 0);
    }
    let checked = checker.outcomes(0).len() as u64;
    match checked == FRAMES {
        true => Ok(Some(state_words(&simulation))),
        false => Err(format!("{checked} of {FRAMES} frames were checked").into()),
    }
}

/// Conditions on a wire, and those of a run as a whole.
fn conditions(scene: &Scene, wire: &str) -> Vec<Condition> {
    let texts = [
        format!("{wire} outside ..1e30"),
        format!("nan {wire}"),
        format!("{wire}:max > 1e30"),
        format!("{wire} > 1e30"),
    ];
    let parse = |text: String| Condition::parse(&text, &scene.document, &scene.graph).ok();
    texts.into_iter().filter_map(parse).collect()
}

/// Runs with conditions that are checked in every frame. A frame in which one holds is repeated in a debugger, and the run continues from
/// that frame's start.
fn guarded(scene: &Scene, wire: &str, of_run: &[Condition]) -> Observed {
    let own = conditions(scene, wire);
    if own.is_empty() {
        return Ok(None);
    }
    let wires: Vec<String> = own.iter().flat_map(Condition::keep).collect();
    let mut conditions = Conditions::new(own.into_iter().chain(of_run.iter().cloned()).collect());
    let mut simulation = scene.start(&wires)?;
    while simulation.frame() < FRAMES {
        let input = simulation.recorded_input();
        if let Some(fired) = conditions.before(&simulation, &input) {
            let (debugger, report) = fired.report(gpu(), scene.plain()?)?;
            if report.frame != debugger.frame() {
                return Err("the debugger stands in another frame".into());
            }
            fired.start.restore(&mut simulation);
            conditions.pass(report.frame);
            conditions.before(&simulation, &input);
        }
        simulation.step(&input)?;
        conditions.after(&mut simulation, &input)?;
    }
    Ok(Some(state_words(&simulation)))
}

fn condition(scene: &Scene, wire: &str) -> Observed {
    guarded(scene, wire, &[Condition::NotFinite(None), Condition::Alarm])
}

fn stop(scene: &Scene, wire: &str) -> Observed {
    guarded(scene, wire, &[Condition::Frame(3)])
}

/// Every frame is stepped through, forwards and backwards, and the writes to an element of the wire are listed.
fn debugger(scene: &Scene, wire: &str) -> Observed {
    let mut run = Simulation::new(gpu(), scene.plan(PlanOptions::default())?)?;
    let mut debugger = FrameDebugger::new(gpu(), scene.plain()?, &FrameStart::new(&run, &run.recorded_input()))?;
    let plan = debugger.simulation().plan();
    let Some(place) = plan.wires.get(wire).map(|known| Place::of(plan, known, 1)) else { return Ok(None) };
    let mut viewer = Viewer::new(gpu())?;
    for _ in 0..FRAMES {
        let mut seen = 0;
        debugger.step_dispatch()?;
        debugger.step_iteration()?;
        loop {
            seen += usize::from(viewer.update(debugger.simulation(), &View::new(wire)).is_ok());
            if !debugger.step_node()? {
                break;
            }
        }
        if seen == 0 {
            return Err("the wire can't be seen anywhere in the frame".into());
        }
        debugger.history(place)?;
        debugger.step_back()?;
        step(&mut run)?;
        debugger.next_frame(&run.recorded_input())?;
    }
    Ok(Some(state_words(debugger.simulation())))
}

fn follow(scene: &Scene, wire: &str) -> Observed {
    let mut simulation = Simulation::new(gpu(), scene.plan(PlanOptions::default())?)?;
    let count = format!("{}.count", wire.split('.').next().unwrap_or_default());
    if !simulation.plan().states.iter().any(|state| state.node == count) {
        return Ok(None);
    }
    simulation.keep_timeline(Budget::default());
    let mut followed = false;
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        if simulation.frame() == 4
            && let Some(past) = simulation.past(4)
        {
            // Where the State has no particle, there is none to follow.
            let set = wire.split('.').next().unwrap_or_default();
            followed = Follower::new(gpu(), scene.plain()?, &past, (set, 0), 3, || true).is_ok();
        }
    }
    Ok(followed.then(|| state_words(&simulation)))
}

fn nan_search(scene: &Scene, wire: &str) -> Observed {
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    let mut simulation = scene.start(&wires)?;
    simulation.keep_timeline(Budget::default());
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        if simulation.frame() == 3 {
            NanSearch::new(&mut simulation, None).run(gpu(), scene.plain()?, |_| true)?;
        }
    }
    Ok(Some(state_words(&simulation)))
}

/// `--check-values` and `--profile`, and the watched numbers and warnings of the editor.
fn checks(scene: &Scene, wire: &str) -> Observed {
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    let mut simulation = scene.start(&wires)?;
    simulation.set_profiling(Profile::Dispatches);
    simulation.watch_values(2)?;
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        let wait = simulation.frame() % 3 == 0;
        simulation.times(wait);
        simulation.warnings(wait);
        simulation.bad_values(wait);
        simulation.watched();
        if simulation.frame() == 4 {
            simulation.set_profiling(Profile::Nodes);
        }
    }
    simulation.ends_with_nan()?;
    Ok(Some(state_words(&simulation)))
}

/// Images of the wire and its values, with checkpoints.
fn export(scene: &Scene, wire: &str) -> Observed {
    let files = tempfile::tempdir()?;
    let folder = Folder::plain(files.path(), "graph");
    let settings = Settings::default();
    let choices = Choices { formats: &[], names: select::DEFAULT_NAMES, folder: &folder, size: None, settings };
    let items = select::items(&[Request::of(wire, None)], &choices, &scene.document, &scene.graph);
    let image = scene.view(wire).zip(format_named("png")).map(|(view, png)| Item::images(Subject::Wire(view), png));
    let items: Vec<Item> = items.into_iter().flatten().chain(image).collect();
    if items.is_empty() {
        return Ok(None);
    }
    let export = Export {
        frames: (2..=FRAMES).into(),
        size: Some((64, 64)),
        items,
        folder: files.path().into(),
        resume: false,
        overwrite: false,
        checkpoints: Some(Checkpoints::of(2, &scene.document)),
        unseen: true,
    };
    let options = PlanOptions { tuning: scene.tuning.clone(), ..export.plan_options(&scene.access()) };
    let mut simulation = Simulation::new(gpu(), scene.plan(options)?)?;
    let inputs = Fingerprint::of(&scene.document, &scene.library, &scene.access(), &Cancel::default());
    job::run(&export, &inputs.ok_or("there is no fingerprint")?, &mut simulation, |_, _| true)?;
    Ok(Some(state_words(&simulation)))
}

fn bake_it(scene: &Scene, wire: &str) -> Observed {
    let files = tempfile::tempdir()?;
    let port = scene.view(wire).map(|view| view.keep()).unwrap_or_default();
    let mut document = scene.document.clone();
    let folder = files.path().join("wire.bake").to_string_lossy().into_owned();
    let entry = Bake { wires: vec![port], frames: (2, FRAMES), folder, play: false, ..Bake::default() };
    document.bakes.clear();
    document.bakes.insert("wire".into(), entry.clone());
    let graph = Graph::build(&document, &scene.library)?;
    let Ok(status) = bake::look(&graph, "wire", &entry, &scene.access()) else { return Ok(None) };
    let options = bake::job::plan_options(&status, &bake::playing(&graph, &scene.access()), &scene.access());
    let mut simulation = Simulation::new(gpu(), scene.plan(PlanOptions { tuning: scene.tuning.clone(), ..options })?)?;
    let order = bake::job::Order {
        folder: status.folder.clone(),
        frames: 2..=FRAMES,
        resume: false,
        checkpoint_every: Some(2),
        graph: document.to_text(),
    };
    bake::job::run(&order, status.index("adapter", entry.frames), &mut simulation, |_| true)?;
    Ok(Some(state_words(&simulation)))
}

/// Beside a run of the same graph; the values of both are copied and compared after each frame.
fn compare_it(scene: &Scene, wire: &str) -> Observed {
    let is_output = !wire.contains('.');
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    if wires.is_empty() && !is_output {
        return Ok(None);
    }
    let (keep, outputs) = match is_output {
        true => (Keep::Needed, Outputs::One(wire.into())),
        false => (Keep::Wires(wires), Outputs::None),
    };
    let plan = scene.plan(PlanOptions { keep, outputs, tuning: scene.tuning.clone(), ..PlanOptions::default() })?;
    let mut sides = [Simulation::new(gpu(), plan.clone())?, Simulation::new(gpu(), plan)?];
    let subject = taken::Subject::of(sides[0].plan(), wire);
    while sides[0].frame() < FRAMES {
        sides.iter_mut().try_for_each(step)?;
        let take = |side: &Simulation| Fallible::Ok(Arc::new(side.take(&subject)?.wait().ok_or("nothing arrived")?));
        let compared = compare(&take(&sides[0])?, &take(&sides[1])?, Show::Auto, Measure::Signed)?;
        // On a GPU the order of some lists is not the same twice, until they are sorted.
        if compared.statistics.differing > 0 && gpu().is_software() {
            return Err("two runs of the same plan differ".into());
        }
    }
    Ok(Some(state_words(&sides[0])))
}

/// Written in the middle, as `--checkpoint-every` does, and continued from by another simulation.
fn checkpoint(scene: &Scene, wire: &str) -> Observed {
    let folder = tempfile::tempdir()?;
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    let mut simulation = scene.start(&wires)?;
    while simulation.frame() < 3 {
        step(&mut simulation)?;
    }
    let snapshot = simulation.snapshot()?.wait().ok_or("there is no snapshot")?;
    let path = folder.path().join("checkpoint.0003.safetensors");
    Checkpoint::new(&simulation, snapshot, scene.document.to_text(), None).write(&path)?;
    let mut other = scene.start(&[])?;
    if scene.outputs == Outputs::None {
        other = scene.start(&wires)?;
    }
    other.resume(&CheckpointFile::open(&path)?.load(other.plan())?);
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        step(&mut other)?;
    }
    let (went_on, resumed) = (state_words(&simulation), state_words(&other));
    let changed = differences(&went_on, &resumed, gpu().is_software());
    if changed.is_empty() {
        Ok(Some(went_on))
    } else {
        Err(format!("from the checkpoint, {}", changed.join(", ")).into())
    }
}

/// Back to an earlier frame, a look there, and on to the last one again.
fn timeline(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    simulation.keep_timeline(Budget::default());
    for frame in [FRAMES, 2, FRAMES] {
        for _ in 0..simulation.seek(frame)? {
            let input = simulation.next_input();
            simulation.step(&input)?;
            viewer.update(&simulation, &view)?;
        }
    }
    Ok(Some(state_words(&simulation)))
}

/// As an edit is shown while the run is paused.
fn preview(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    while simulation.frame() < FRAMES {
        simulation.preview(&FrameInput { mouse: [0.3, 0.7], buttons: 1, ..FrameInput::default() })?;
        viewer.update(&simulation, &view)?;
        step(&mut simulation)?;
    }
    Ok(Some(state_words(&simulation)))
}

fn slices(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    while simulation.frame() < FRAMES {
        let input = simulation.recorded_input();
        simulation.start_frame(&input, false, || {})?;
        simulation.finish_frame(true)?;
        viewer.update(&simulation, &view)?;
    }
    Ok(Some(state_words(&simulation)))
}

/// As an export with `--every 3` computes them.
fn unseen(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    while simulation.frame() < FRAMES {
        let input = simulation.recorded_input();
        if simulation.frame() % 3 == 0 {
            simulation.step(&input)?;
            viewer.update(&simulation, &view)?;
        } else {
            simulation.step_unseen(&input)?;
        }
    }
    Ok(Some(state_words(&simulation)))
}

/// Everything is kept and read, and all States are hashed.
fn hashes(scene: &Scene, _: &str) -> Observed {
    let (tuning, outputs) = (scene.tuning.clone(), scene.outputs.clone());
    let plan = scene.plan(PlanOptions { keep: Keep::All, outputs, tuning, ..PlanOptions::default() })?;
    let wires: Vec<String> = plan.wires.iter().filter(|(_, wire)| wire.kept).map(|(name, _)| name.clone()).collect();
    let mut simulation = Simulation::new(gpu(), plan)?;
    let mut run = Run::new("run", &scene.document, &scene.graph);
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        run.take(&simulation)?;
        wires.iter().try_for_each(|wire| simulation.read(wire).map(drop))?;
    }
    Ok(Some(state_words(&simulation)))
}

/// The means that are tried: all, or those whose names `STAGEWRIGHT_MEANS` is in.
fn means() -> Vec<&'static Means> {
    let part = std::env::var("STAGEWRIGHT_MEANS").unwrap_or_default();
    MEANS.iter().filter(|(name, _)| name.contains(&part)).collect()
}

/// What was looked at, and what that has changed.
#[derive(Default)]
struct Tally {
    /// For each of the means.
    looks: Vec<usize>,
    states: usize,
    changed: Vec<String>,
}

impl Tally {
    /// Looks at a wire by the means with this index.
    fn look(&mut self, scene: &Scene, unobserved: &States, (index, wire): (usize, &str), exact: bool) {
        let (name, means) = means()[index];
        let at = || format!("{}, {wire} by {name}", scene.name);
        self.looks.resize(self.looks.len().max(index + 1), 0);
        match means(scene, wire) {
            Ok(None) => {}
            Ok(Some(states)) => {
                self.looks[index] += 1;
                self.states += states.len();
                let changed = differences(unobserved, &states, exact);
                self.changed.extend(changed.iter().map(|state| format!("{}: {state}", at())));
            }
            Err(error) => self.changed.push(format!("{}: {error}", at())),
        }
        self.changed.extend(gpu().take_faults().iter().map(|fault| format!("{}: {fault}", at())));
    }

    fn finish(&self, what: &str, seed: usize) {
        let looks: usize = self.looks.iter().sum();
        let means = means();
        println!("{what}: {looks} looks by {} means at {} States, seed {seed}", means.len(), self.states);
        assert!(self.changed.is_empty(), "STAGEWRIGHT_SEED={seed}:\n{}", self.changed.join("\n"));
    }
}

/// Of the round `round`, the wire that the means with this index looks at. In as many rounds as there are wires, each means looks at
/// each of them.
fn drawn(round: usize, index: usize, wires: usize) -> usize {
    (round + index) % wires
}

fn kinds() -> ShippedGraph {
    let text = format!("(version: 1, name: \"kinds\", fps: 60, seed: 7, nodes: {{\n{}}})", nodes());
    let document = Document::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let (library, folder) = (Library::builtin().clone(), PathBuf::new());
    ShippedGraph { name: "all kinds".into(), document, library, folder }
}

#[test]
fn observing_by_any_means_changes_no_state() {
    let graph = kinds();
    // With plans for a GPU and for no adapter, and where nothing but the wire is wanted.
    let scenes = [
        (gpu().tuning(), Outputs::None),
        (Tuning::gpu(), Outputs::All),
        (Tuning::default(), Outputs::None),
        (Tuning::cpu(), Outputs::All),
    ];
    let scenes = scenes.map(|(tuning, outputs)| Scene::new(&graph, tuning, outputs).expect("no errors"));
    let unobserved = scenes[0].unobserved().unwrap_or_else(|e| panic!("{e}"));
    let moves = |(_, words): &(String, Vec<u32>)| words.iter().any(|word| *word != words[0]);
    assert!(unobserved.iter().filter(|state| moves(state)).count() > 5, "something happens");
    let (seed, means) = (seed(), means());
    let first = pcg(seed as u32) as usize;
    let rounds = number("STAGEWRIGHT_COUNT").unwrap_or(WIRES).min(KINDS.len());
    let mut tally = Tally::default();
    for round in 0..rounds {
        for index in 0..means.len() {
            let (_, wire) = KINDS[drawn(first + round, index, KINDS.len())];
            tally.look(&scenes[(round + index) % scenes.len()], &unobserved, (index, wire), true);
        }
    }
    if rounds == KINDS.len() {
        for ((name, _), looks) in means.iter().zip(&tally.looks) {
            println!("{name}: {looks} of {rounds} kinds");
            assert!(*looks > 0, "nothing was looked at by {name}");
        }
    }
    tally.finish("all kinds", seed);
}

#[test]
fn observing_by_any_means_changes_no_state_of_other_graphs() {
    let (seed, means, count) = (seed(), means(), number("STAGEWRIGHT_COUNT"));
    let first = pcg(seed as u32) as usize;
    let only = std::env::var("STAGEWRIGHT_GRAPH").unwrap_or_default();
    let graphs: Vec<ShippedGraph> = all_graphs(32.0).into_iter().filter(|graph| graph.name.contains(&only)).collect();
    let drawn_graphs = match count {
        Some(_) => (0..graphs.len()).collect(),
        None => (0..GRAPHS).map(|k| (first + k) % graphs.len()).collect::<Vec<_>>(),
    };
    let mut tally = Tally::default();
    for (k, graph) in drawn_graphs.into_iter().map(|at| &graphs[at]).enumerate() {
        let began = std::time::Instant::now();
        let Some(scene) = Scene::new(graph, gpu().tuning(), Outputs::All) else { continue };
        let prepared = scene.unobserved().and_then(|states| Ok((states, scene.wires()?)));
        let (unobserved, wires) = prepared.unwrap_or_else(|e| panic!("{}: {e}", graph.name));
        let before: usize = tally.looks.iter().sum();
        let rounds = count.unwrap_or(1).min(wires.len());
        let one = (first + k) % means.len();
        let indices = if count.is_some() { 0..means.len() } else { one..one + 1 };
        // In few rounds each means looks at wires that are far apart.
        for (round, index) in (0..rounds).flat_map(|round| indices.clone().map(move |index| (round, index))) {
            let wire = &wires[drawn(first + round * wires.len() / rounds, index, wires.len())];
            tally.look(&scene, &unobserved, (index, wire), gpu().is_software());
        }
        let looks = tally.looks.iter().sum::<usize>() - before;
        println!("{}: {looks} looks in {:.1} s", graph.name, began.elapsed().as_secs_f64());
    }
    tally.finish("graphs", seed);
}

fn stagewright(folder: &Path, arguments: &[&str]) -> Output {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", runtime.map_or_else(std::env::temp_dir, PathBuf::from))
        .args(arguments)
        .output()
        .expect("starts")
}

/// What a person types to look at wires, each held against the hashes of a run at which nobody looks.
#[test]
fn observing_from_the_command_line_changes_no_state() {
    let mut graph = kinds();
    let scene = Scene::new(&graph, gpu().tuning(), Outputs::All).expect("no errors");
    let plan = scene.plan(PlanOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    let mut run = Run::new("kinds.ron", &graph.document, &scene.graph);
    for _ in 0..FRAMES {
        step(&mut simulation).unwrap_or_else(|e| panic!("{e}"));
        run.take(&simulation).unwrap_or_else(|e| panic!("{e}"));
    }
    let unobserved = state_words(&simulation);
    let expected = Hashes { origin: Origin::of(&simulation), runs: vec![run] }.to_text();
    let wires: Vec<&str> = KINDS.iter().map(|(_, wire)| *wire).collect();
    let expect = |wire: &&str| {
        let Measurement { statistic, component, .. } = scene.measurement(wire)?;
        let statistic = (statistic != Statistic::Value).then(|| "max".to_string());
        let (every, to, of, below) = (Some(1), Some(FRAMES), wire.to_string(), Some(1e30));
        Some(Expect { every, to, of, statistic, component, below, ..Expect::default() })
    };
    graph.document.expect = wires.iter().filter_map(expect).collect();
    let baked = ["mix.r", "flow.r", "tint.r", "sort.particles"].map(String::from).to_vec();
    let bake = Bake { wires: baked, frames: (1, FRAMES), folder: "cache".into(), play: false, ..Bake::default() };
    graph.document.bakes.insert("some".into(), bake);
    let held = tempfile::tempdir().unwrap();
    let folder = held.path();
    std::fs::write(folder.join("kinds.ron"), graph.document.to_text()).unwrap();
    std::fs::write(folder.join("unobserved.txt"), expected).unwrap();
    let frames = FRAMES.to_string();
    let views: Vec<&str> = wires.iter().filter(|wire| scene.view(wire).is_some()).copied().collect();
    // Sets are exported as a whole.
    let mut exported: Vec<String> = wires.iter().filter_map(|wire| scene.view(wire)).map(|view| view.keep()).collect();
    exported.sort();
    exported.dedup();
    let stops: Vec<String> = wires.iter().flat_map(|wire| conditions(&scene, wire)).map(|c| c.text()).collect();
    assert!(stops.len() > wires.len(), "{stops:?}");
    let stops: Vec<&str> = stops.iter().flat_map(|text| ["--stop-on", text]).collect();
    let render = ["render", "kinds.ron", "--frames", &frames, "--out", "frames", "--overwrite"];
    let compare = ["--deterministic", "--compare", "unobserved.txt"];
    // What depends on no State leads to none.
    let moving: Vec<&str> =
        views.into_iter().filter(|wire| !wire.starts_with("faces") && !wire.starts_with("wind")).collect();
    let wire = moving[pcg(seed() as u32) as usize % moving.len()];
    let commands: [(&str, Vec<&str>); 4] = [
        ("images", [&render[..], &["--profile", "--check-values", "--checkpoint-every", "2"]].concat()),
        ("images of a wire", [&render[..], &["--wire", wire]].concat()),
        ("conditions", [&render[..], &["--stop-on", "nan", "--stop-on", "alarm"], &stops].concat()),
        ("expectations", vec!["test", "kinds.ron"]),
    ];
    for (name, command) in commands {
        let output = stagewright(folder, &[&command[..], &compare].concat());
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success() && text.contains("hashes, all the same"), "{name} of {wire}: {text}");
    }
    // These print no hashes, but leave checkpoints.
    let values = ["export", "kinds.ron", "--frames", &frames, "--out", "values", "--checkpoint-every", &frames];
    let commands: [(&str, Vec<&str>); 2] = [
        ("values/checkpoint", values.into_iter().chain(exported.iter().map(String::as_str)).collect()),
        ("cache/state", vec!["bake", "kinds.ron"]),
    ];
    for (file, command) in commands {
        let output = stagewright(folder, &command);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let file = CheckpointFile::open(&folder.join(format!("{file}.000{FRAMES}.safetensors")));
        let file = file.unwrap_or_else(|e| panic!("{e}"));
        let states = file.load(simulation.plan()).unwrap_or_else(|e| panic!("{e}"));
        simulation.reset();
        assert!(simulation.resume(&states).is_empty(), "{} has all States", command[0]);
        assert_eq!(differences(&unobserved, &state_words(&simulation), true), [""; 0], "{}", command[0]);
    }
}
