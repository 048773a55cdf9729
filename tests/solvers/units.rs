//! Parameters are in the units that they are called: in seconds twice as long, the same stage does the same.
//!
//! Every stage with a parameter that has a time in its unit runs three frames. It runs again with all that has a time in its
//! unit, the frames, parameters, inputs and attributes of particles, in the longer seconds: 60 \[1/s\] are 120. Each of its outputs must be
//! what it was, times one power of two. Where a rate is added once a frame instead, or a speed is in cells a frame, no power fits. So that
//! nothing passes for want of an effect, each such parameter is left as it was once, and this must be seen.

use std::collections::BTreeMap;

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::ParamValue;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_language::stage::header::{Direction, Param};
use stagewright_language::stage::types::{Element, PortType, Scalar, ValueType};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

use super::feeds::{alone_in, is_vector};

/// Stages or parameters that this test does not judge, and why.
const EXCEPT: &[(&str, &str)] = &[
    ("body/move", "marks its accelerations with a 1"),
    ("sph/dfsph_pressure_corrected", "relaxes by attributes without a unit"),
    ("control/grabbed_body", "needs a hand that grabs: fields::hands"),
    ("staggered/inflow", "needs an open border: solvers::sides"),
    ("water/normal", "needs an image of the water: solvers::water"),
    ("sph/time_step.gravity", "the smallest of several limits counts, and another one is smaller: particles::adaptive"),
    ("sph/time_step.viscosity", "the same"),
    ("particles/due", "whole particles, and what is left of one, have no one unit: particles::emission"),
];

/// Stages that do the same with a constant in place of the length of a frame, and why.
const SAME: [(&str, &str); 2] = [
    ("control/path", "on a straight way the mean velocity is the same over any time"),
    ("number/accumulate", "what it adds up has any unit"),
];

/// Values that give parameters an effect, where the defaults do not; in the first seconds.
const SETUPS: &[(&str, f64)] = &[
    ("control/path.duration", 0.3),
    ("control/path.start", 0.02),
    ("curl_noise/noise.speed", 3.0),
    ("curl_noise/noise_2d.speed", 3.0),
    ("curl_noise/velocity.speed", 3.0),
    ("fluid/diffuse_sides.left_kind", 2.0),
    ("fluid/diffuse_sides.right_kind", 2.0),
    ("fluid/diffuse_sides.bottom_kind", 2.0),
    ("fluid/diffuse_sides.top_kind", 2.0),
    ("fluid/diffuse_sides.back_kind", 2.0),
    ("fluid/diffuse_sides.front_kind", 2.0),
    ("image/trail.blend", 1.0),
    ("particles/kill_old.life", 0.6),
    ("sph/acceleration.artificial", 1.0),
    ("sph/acceleration.stiffness", 1e6),
    ("sph/acceleration_corrected.artificial", 1.0),
    ("sph/acceleration_corrected.stiffness", 1e6),
    ("sph/shift.stiffness", 0.01),
    ("sph/time_step.viscosity", 0.0001),
    ("staggered/diffuse.viscosity", 0.01),
    ("staggered/diffuse.left_acceleration", 20.0),
    ("staggered/diffuse.right_acceleration", 20.0),
    ("staggered/diffuse.bottom_acceleration", 20.0),
    ("staggered/diffuse.top_acceleration", 20.0),
    ("staggered/diffuse.back_acceleration", 20.0),
    ("staggered/diffuse.front_acceleration", 20.0),
    ("staggered/diffuse_correction.viscosity", 0.01),
    ("two_phase/drag.max_speed", 0.02),
    ("two_phase/drag.radius", 0.3),
    ("two_phase/heat.diffusivity_f", 0.01),
    ("two_phase/heat.diffusivity_g", 0.02),
    ("two_phase/spread.strength", 5.0),
    ("water/shed.speed", 0.1),
];

/// Powers of time of vectors and of numbers whose names say nothing, in the order in which they are tried.
const UNNAMED: [(i32, i32); 7] = [(-1, 0), (0, 0), (-2, 0), (-1, -1), (0, -1), (-2, -1), (-1, -2)];

/// Inputs that hide a parameter where they are wired.
const UNWIRED: &[(&str, &str)] = &[
    ("body/begin", "last_place"),
    ("curl_noise/noise", "phase"),
    ("curl_noise/noise_2d", "phase"),
    ("curl_noise/velocity", "phase"),
    ("fluid/diffuse_sides", "profile"),
    ("fluid/diffuse_sides", "obstacle"),
    ("two_phase/spread", "low"),
    ("two_phase/spread", "high"),
];

/// Rounding of three frames, as a part of an output.
const BAR: f64 = 2e-3;

/// What a unit has to the power of time.
fn power_of_time(unit: &str) -> i32 {
    let token = |token: &str| match token {
        "s" => 1,
        "s^2" => 2,
        "s^3" => 3,
        "Hz" => -1,
        "Pa" | "N" | "J" => -2,
        "W" => -3,
        _ => 0,
    };
    let unit = unit.split(',').next().unwrap_or_default();
    let part = |part: &str| part.split([' ', '(', ')']).map(token).sum::<i32>();
    let mut parts = unit.split('/').map(part);
    parts.next().unwrap_or(0) - parts.sum::<i32>()
}

/// The power of time of a port or an attribute without a unit, where its name says it.
fn power_by_name(name: &str) -> Option<i32> {
    let is = |words: &[&str]| name.split(['_', ' ']).any(|word| words.contains(&word));
    match () {
        () if is(&["rate"]) => Some(-1),
        () if is(&["acceleration", "pressure", "force", "torque"]) => Some(-2),
        () if is(&["velocity", "vorticity", "flow", "divergence", "angular", "spin", "motion"]) => Some(-1),
        () if is(&["age", "life", "time"]) => Some(1),
        () if is(&["position", "color", "tone", "id", "mass", "radius", "distance", "density"]) => Some(0),
        () => None,
    }
}

/// How a run is in other seconds than the first.
#[derive(Clone, Copy)]
struct Seconds<'a> {
    /// Whether they are twice as long.
    longer: bool,
    /// Powers of time of vectors and of numbers whose names say nothing.
    unnamed: (i32, i32),
    /// The parameter that is left as it was.
    left: Option<&'a str>,
}

impl Seconds<'_> {
    fn factor(self, power: i32) -> f64 {
        if self.longer { 0.5_f64.powi(power) } else { 1.0 }
    }
}

/// A value that has an effect, in its range in seconds of either length.
fn value(stage: &Stage, param: &Param, factor: f64) -> Option<ParamValue> {
    let (low, high) = param.range;
    let inside = |v: f64| low.is_none_or(|low| v >= low) && high.is_none_or(|high| v <= high);
    let path = format!("{}.{}", stage.name, param.name);
    let setup = SETUPS.iter().find(|(name, _)| *name == path).map(|(_, value)| *value);
    let number = |v: f64| {
        let tried = [setup.unwrap_or(v), if v == 0.0 { 0.7 } else { v }, 1.0, 0.3];
        tried.into_iter().find(|v| *v != 0.0 && inside(*v) && inside(v * factor)).map(|v| v * factor)
    };
    match &param.default {
        ParamValue::Number(v) => number(*v).map(ParamValue::Number),
        ParamValue::Vector(values) => values.iter().map(|v| number(*v)).collect::<Option<_>>().map(ParamValue::Vector),
        ParamValue::Expression(text) => Some(ParamValue::Expression(format!("{factor:?} * {text}"))),
        ParamValue::Bool(_) => setup.map(|on| ParamValue::Bool(on > 0.0)),
        _ => None,
    }
}

/// The values of outputs, by name.
type Outputs = BTreeMap<String, Vec<f64>>;

/// Whether two outputs differ by more than rounding.
fn differ(a: &[f64], b: &[f64]) -> bool {
    a.len() != b.len() || rms(&difference(a, b)) > BAR * rms(a).max(1e-9)
}

/// The power of time of a port or an attribute, where its unit, its name or what other inputs are says it.
fn power(stage: &Stage, name: &str, unnamed: Option<i32>) -> Option<i32> {
    let port = stage.header.ports.iter().find(|port| port.name == name);
    match port {
        Some(port) if !port.unit.is_empty() => Some(power_of_time(&port.unit)),
        // A generic input is anything, whatever its name.
        Some(port) if matches!(port.ty.element(), Some(Element::Generic(_))) => unnamed,
        _ => power_by_name(name).or(unnamed),
    }
}

/// All outputs after three frames; `None` where the stage does not run so.
fn outputs(library: &Library, stage: &Stage, seconds: Seconds<'_>) -> Option<Outputs> {
    let multiplied = |name: &str, vector: bool| {
        let unnamed = if vector { seconds.unnamed.0 } else { seconds.unnamed.1 };
        seconds.factor(power(stage, name, Some(unnamed)).unwrap_or(0))
    };
    // A frame of 1/20 s is 1/40 of the longer seconds.
    let fps = if seconds.longer { 40.0 } else { 20.0 };
    let mut document = alone_in(stage, ValueType::F32, 3, &multiplied);
    document.fps = fps;
    for param in timed(stage) {
        let factor = seconds.factor(power_of_time(&param.unit));
        let factor = if seconds.left == Some(&param.name) { 1.0 } else { factor };
        document.set("stage", &param.name, value(stage, param, factor)?).ok()?;
    }
    let prefix = format!("{}.", stage.name);
    for param in stage.header.params.iter().filter(|param| power_of_time(&param.unit) == 0) {
        if SETUPS.iter().any(|(name, _)| name.strip_prefix(&prefix) == Some(&param.name)) {
            document.set("stage", &param.name, value(stage, param, 1.0)?).ok()?;
        }
    }
    for (_, input) in UNWIRED.iter().filter(|(name, _)| *name == stage.name) {
        document.node_mut("stage")?.inputs.remove(*input);
    }
    let graph = Graph::build(&document, library).ok()?;
    let options = PlanOptions { keep: Keep::All, ..PlanOptions::default() };
    let mut simulation = Simulation::new(gpu(), Plan::compile(&graph, &options).ok()?).ok()?;
    for _ in 0..3 {
        let speed = if seconds.longer { 2.0 } else { 1.0 };
        let mouse_velocity = [0.4 * speed, -0.3 * speed];
        simulation
            .step(&FrameInput { buttons: 7, keys: 1, mouse: [0.5, 0.5], mouse_velocity, ..Default::default() })
            .ok()?;
    }
    let field = stage.outputs().find(|port| matches!(port.ty, PortType::Field(_))).map(|port| port.name.clone());
    let wires = simulation.plan().wires.iter().filter(|(_, wire)| wire.kept && wire.ty.value().scalar() != Scalar::I32);
    let names = wires.filter_map(|(wire, wire_type)| {
        let ours = wire.strip_prefix("stage.").and_then(|name| name.rsplit('.').next().map(str::to_string));
        let ours = ours.or_else(|| field.clone().filter(|_| wire.starts_with("sampled.")));
        // What is counted has no time.
        let whole = wire_type.ty.value().scalar() == Scalar::U32;
        Some((wire.clone(), if whole { format!("{} id", ours?) } else { ours? }))
    });
    let names: Vec<(String, String)> = names.collect();
    Some(names.into_iter().map(|(wire, name)| (name, read(&simulation, &wire))).collect())
}

/// Outputs that are not the other, times the power of their time, or where nothing says that any power of two.
fn changed<'a>(stage: &Stage, before: &'a Outputs, after: &Outputs, unnamed: (i32, i32)) -> Vec<&'a str> {
    let same = |name: &str, a: &[f64]| {
        let Some(b) = after.get(name).filter(|b| b.len() == a.len()) else { return false };
        let size = rms(a);
        let fits = |power: i32| {
            let scaled: Vec<f64> = b.iter().map(|v| v * 2.0_f64.powi(power)).collect();
            rms(&difference(a, &scaled)) <= BAR * size
        };
        // What is updated is what it was.
        let port = stage.header.ports.iter().find(|port| port.name == *name);
        let updated = port.filter(|port| port.direction == Direction::InOut);
        let unnamed = updated.map(|port| if is_vector(port.ty) { unnamed.0 } else { unnamed.1 });
        let powers = power(stage, name, unnamed).map_or(-4..=4, |power| power..=power);
        size < 1e-9 && rms(b) < 1e-9 || powers.into_iter().any(fits)
    };
    before.iter().filter(|(name, values)| !same(name, values)).map(|(name, _)| name.as_str()).collect()
}

/// The parameters of a stage whose unit has a time.
fn timed(stage: &Stage) -> impl Iterator<Item = &Param> {
    stage.header.params.iter().filter(|param| power_of_time(&param.unit) != 0)
}

/// What is wrong with the units of a stage: its name or a parameter's, and why.
fn faults(library: &Library, stage: &Stage) -> Vec<(String, String)> {
    let first = outputs(library, stage, Seconds { longer: false, unnamed: (0, 0), left: None });
    let run = |unnamed, left| outputs(library, stage, Seconds { longer: true, unnamed, left });
    let fitting = UNNAMED.into_iter().find_map(|unnamed| {
        let after = run(unnamed, None)?;
        changed(stage, first.as_ref()?, &after, unnamed).is_empty().then_some((unnamed, after))
    });
    let Some((unnamed, after)) = fitting else {
        let after = run(UNNAMED[0], None);
        let both = first.as_ref().zip(after.as_ref());
        let names = both.map_or(vec!["does not run"], |(a, b)| changed(stage, a, b, UNNAMED[0]));
        return vec![(stage.name.clone(), format!("differs: {}", names.join(", ")))];
    };
    let changes = |other: Outputs| other.iter().any(|(name, b)| after.get(name).is_none_or(|a| differ(a, b)));
    let unseen = timed(stage).filter(|param| !run(unnamed, Some(&param.name)).is_some_and(changes));
    unseen.map(|param| (format!("{}.{}", stage.name, param.name), "has no effect".into())).collect()
}

/// The entry that excuses a stage or a parameter.
fn excuse(name: &str) -> Option<&'static str> {
    let stage = name.split('.').next().unwrap_or_default();
    EXCEPT.iter().map(|(except, _)| *except).find(|except| *except == name || *except == stage)
}

#[test]
fn parameters_are_in_the_units_that_they_are_called() {
    let library = Library::builtin();
    let (mut tried, mut wrong, mut excused) = (0, Vec::new(), Vec::new());
    for stage in library.stages().filter(|stage| timed(stage).next().is_some()) {
        tried += 1;
        for (name, why) in faults(library, stage) {
            match excuse(&name) {
                Some(except) => excused.push(except),
                None => wrong.push(format!("{name} {why}")),
            }
        }
    }
    let needless: Vec<&str> = EXCEPT.iter().map(|(name, _)| *name).filter(|name| !excused.contains(name)).collect();
    println!("{tried} stages, {} parameters or stages excused", excused.len());
    assert!(tried > 70, "{tried}");
    assert!(wrong.is_empty(), "not in the units that they are called, or not tried:\n{}", wrong.join("\n"));
    assert!(needless.is_empty(), "excused for nothing: {}", needless.join(", "));
}

#[test]
fn a_stage_with_a_constant_per_frame_is_found() {
    let builtin = Library::builtin();
    let (mut found, mut missed) = (0, Vec::new());
    for stage in builtin.stages().filter(|stage| timed(stage).next().is_some() && excuse(&stage.name).is_none()) {
        // Where a step's length comes in by a port, that of a frame is not read.
        if !stage.own_text().contains("frame.dt") || stage.own_text().contains("dt()") {
            continue;
        }
        let mut library = builtin.clone();
        library.add_stage(&stage.name, &stage.own_text().replace("frame.dt", "0.05"));
        let broken = library.stages().find(|other| other.name == stage.name).unwrap_or(stage);
        if faults(&library, broken).is_empty() {
            missed.push(stage.name.as_str());
        } else {
            found += 1;
        }
    }
    println!("{found} found");
    assert_eq!(missed, SAME.map(|(name, _)| name), "not found");
    assert!(found > 20, "{found} found");
}
