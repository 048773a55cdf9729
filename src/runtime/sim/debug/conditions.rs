//! Conditions that stop a run: checked after every frame, with one reduction on the GPU for each wire.

use std::cmp::Ordering;
use std::fmt;

use super::expression::{Evaluated, Formula};
use super::find::{count_of, look_for};
use super::start::FrameStart;
use crate::document::Document;
use crate::gpu::scan::{Look, Scan};
use crate::graph::Graph;
use crate::graph::expect::{list, plain};
use crate::graph::wires::Carried;
use crate::plan::{BufferId, Plan, Wire};
use crate::problem::{Problem, Problems};
use crate::sim::state_layout::held;
use crate::sim::wire_view::View;
use crate::sim::{FrameInput, Simulation};
use crate::stage::types::WireType;

/// What an element of a wire should be within.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Minimum and maximum of numbers, of the length of vectors, or of the component. NaN and infinity are outside. Without a range,
    /// values should only be finite.
    pub range: Option<(f64, f64)>,
    /// The one component that counts.
    pub component: Option<u32>,
}

/// Why a run should stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// NaN or infinity in a wire, by `node.port`; in any State without a name.
    NotFinite(Option<String>),
    /// An element of a wire that leaves a range.
    Outside(String, Bounds),
    /// An expression that holds.
    Formula(Formula),
    /// A run-time warning: a loop that exceeds its budget, particles that do not fit, or a number outside of what its port expects.
    Alarm,
    /// The frame, counted from 1.
    Frame(u64),
    /// A node that is about to run.
    Node(String),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::NotFinite(None) => f.write_str("NaN or infinity in a State"),
            Condition::NotFinite(Some(wire)) => write!(f, "NaN or infinity in {wire}"),
            Condition::Outside(wire, Bounds { range, component }) => {
                let of = component.map_or(String::new(), |component| format!(", component {component},"));
                let (low, high) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                write!(f, "{wire}{of} outside {}..{}", plain(low), plain(high))
            }
            Condition::Formula(formula) => formula.fmt(f),
            Condition::Alarm => f.write_str("alarm"),
            Condition::Frame(frame) => write!(f, "frame {frame}"),
            Condition::Node(node) => write!(f, "breakpoint on {node}"),
        }
    }
}

impl Condition {
    /// Parses `nan`, `nan NODE.PORT`, `alarm`, `frame N`, `NODE.PORT outside LOW..HIGH`, or an expression such as
    /// `velocity.value:max > 10`.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn parse(text: &str, document: &Document, graph: &Graph) -> Result<Condition, Problem> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = |cause: &str, remedy: &str| Problem::new("", "", format!("`{text}`: {cause}"), remedy);
        match words.as_slice() {
            ["nan"] => Ok(Condition::NotFinite(None)),
            ["nan", wire] => Ok(Condition::NotFinite(Some(wire_with_elements(graph, wire)?))),
            ["alarm"] => Ok(Condition::Alarm),
            ["frame", number] if number.parse::<u64>().is_ok() => match number.parse() {
                Ok(0) => Err(wrong("frames are counted from 1", "write for example frame 1")),
                Ok(frame) => Ok(Condition::Frame(frame)),
                Err(_) => Err(wrong("the frame is too large", "give a smaller frame")),
            },
            [wire, "outside", range] => {
                let form = || wrong("the range is not two numbers", "write for example velocity.value outside 0..10");
                let (low, high) = range.split_once("..").ok_or_else(form)?;
                let bound = |text: &str, open: f64| if text.is_empty() { Ok(open) } else { text.parse::<f64>() };
                let low = bound(low, f64::NEG_INFINITY).map_err(|_| form())?;
                let high = bound(high, f64::INFINITY).map_err(|_| form())?;
                // This also rejects NaN.
                if !matches!(low.partial_cmp(&high), Some(Ordering::Less | Ordering::Equal)) {
                    let cause = format!("{}..{} holds no number", plain(low), plain(high));
                    return Err(wrong(&cause, "give the lower bound first, for example 0..10"));
                }
                let (wire, component) = match wire.rsplit_once(':') {
                    Some((wire, component)) => (wire, Some(component.parse::<u32>().map_err(|_| form())?)),
                    None => (*wire, None),
                };
                let wire = wire_with_elements(graph, wire)?;
                Ok(Condition::Outside(wire, Bounds { range: Some((low, high)), component }))
            }
            _ => Formula::parse(text, document, graph).map(Condition::Formula),
        }
    }

    /// Text of the condition as [`Condition::parse`] takes it. A breakpoint has no such text.
    pub fn text(&self) -> String {
        match self {
            Condition::NotFinite(None) => "nan".into(),
            Condition::NotFinite(Some(wire)) => format!("nan {wire}"),
            Condition::Outside(wire, Bounds { range, component }) => {
                let of = component.map_or(String::new(), |component| format!(":{component}"));
                let bound = |bound: f64| if bound.is_finite() { bound.to_string() } else { String::new() };
                let (low, high) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                format!("{wire}{of} outside {}..{}", bound(low), bound(high))
            }
            Condition::Formula(_) | Condition::Alarm | Condition::Frame(_) | Condition::Node(_) => self.to_string(),
        }
    }

    /// The wires that a plan has to keep for it, as [`crate::plan::Keep::Wires`] takes them. An attribute is kept with its set, whose count
    /// says which of its elements are alive.
    pub fn keep(&self) -> Vec<String> {
        match self {
            Condition::NotFinite(Some(wire)) | Condition::Outside(wire, _) => vec![View::new(wire).keep()],
            Condition::Formula(formula) => formula.wires().collect(),
            _ => Vec::new(),
        }
    }

    /// The wire whose elements are checked, and their bounds.
    fn bounds(&self) -> Option<(Option<&str>, Bounds)> {
        match self {
            Condition::NotFinite(wire) => Some((wire.as_deref(), Bounds::default())),
            Condition::Outside(wire, bounds) => Some((Some(wire), *bounds)),
            _ => None,
        }
    }
}

/// The name of a grid, a number or an attribute of particles, with the port where only the node is named.
fn wire_with_elements(graph: &Graph, name: &str) -> Result<String, Problem> {
    graph.names_wire(name)?;
    let (node, port) = name.split_once('.').unwrap_or((name, ""));
    let refuse = |cause: &str, remedy: String| Err(Problem::new(node, port, cause, remedy));
    match graph.carried(name) {
        Ok(Carried { ty: WireType::Particles, wire, attributes, .. }) => {
            let named: Vec<String> = attributes.iter().map(|attribute| format!("{wire}.{attribute}")).collect();
            refuse("a set of particles has no values of its own", format!("name an attribute: {}", named.join(", ")))
        }
        Ok(Carried { ty: WireType::NeighborGrid, .. }) => {
            refuse("a neighbour grid has no values of its own", "name an attribute of its particles".into())
        }
        Ok(Carried { wire, .. }) if port.is_empty() => Ok(wire),
        _ => Ok(name.into()),
    }
}

/// A condition that has begun to hold.
pub struct Fired {
    /// The condition.
    pub condition: Condition,
    /// What was found after the frame: the wires and the values that a condition names.
    pub(super) values: Vec<(String, Vec<f64>)>,
    /// The problems that an alarm stands for.
    pub(super) alarms: Problems,
    /// What the frame starts from.
    pub start: FrameStart,
}

/// Conditions of a run. Without any, nothing is computed and nothing copied.
#[derive(Default)]
pub struct Conditions {
    list: Vec<Condition>,
    prepared: Option<Prepared>,
    start: FrameStart,
    noted: bool,
    /// The frame that breakpoints let pass.
    passed: Option<u64>,
}

/// Conditions prepared for one plan.
struct Prepared {
    scan: Scan,
    /// The condition and the wire of each look.
    of: Vec<(usize, String)>,
}

impl Conditions {
    /// Conditions to check.
    pub fn new(list: Vec<Condition>) -> Conditions {
        Conditions { list, ..Conditions::default() }
    }

    /// The conditions.
    pub fn list(&self) -> &[Condition] {
        &self.list
    }

    /// Whether there are none, or only breakpoints, which do not need the values of a frame.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Lets this frame, counted from 1, pass breakpoints: the run has stopped there and continues.
    pub fn pass(&mut self, frame: u64) {
        self.passed = Some(frame);
    }

    /// Called when the simulation has another plan.
    pub fn forget(&mut self) {
        self.prepared = None;
        self.noted = false;
    }

    /// Called before a frame: keeps what it starts from. Returns the breakpoint that it stops at before it runs.
    pub fn before(&mut self, simulation: &Simulation, input: &FrameInput) -> Option<Fired> {
        self.noted = false;
        if self.list.is_empty() {
            return None;
        }
        self.start.note(simulation, input);
        self.noted = true;
        let frame = self.start.frame();
        if self.passed.take() == Some(frame) {
            return None;
        }
        let stops = |condition: &&Condition| match condition {
            Condition::Frame(at) => *at == frame,
            Condition::Node(node) => simulation.plan.frame.iter().chain(&simulation.plan.invariant).any(|dispatch| {
                dispatch.nodes().any(|n| n.strip_prefix(node).is_some_and(|r| r.is_empty() || r.starts_with('/')))
            }),
            _ => false,
        };
        let condition = self.list.iter().find(stops)?.clone();
        Some(self.fired(condition, Vec::new(), Problems::default()))
    }

    /// Called after that frame. Blocks until it is computed and checked. Returns the first condition that holds.
    ///
    /// # Errors
    /// A wire that the plan does not keep, a condition without a value, or a device that failed.
    pub fn after(&mut self, simulation: &mut Simulation, input: &FrameInput) -> Result<Option<Fired>, Problems> {
        if self.list.is_empty() || !self.noted {
            return Ok(None);
        }
        if self.prepared.is_none() {
            self.prepared = Some(Prepared::new(&self.list, simulation)?);
        }
        let hits = match &self.prepared {
            Some(prepared) if !prepared.of.is_empty() => {
                prepared.scan.begin();
                prepared.scan.run(&simulation.engine, 0..prepared.of.len());
                let words = prepared.scan.read().map_err(Problem::from)?.wait();
                let hits = prepared.scan.hits(&words.ok_or_else(|| crate::sim::lost("frame"))?);
                let found = prepared.of.iter().zip(hits).filter_map(|(of, hits)| Some((of.clone(), hits?)));
                found.map(|((condition, wire), hits)| (condition, wire, hits.count)).collect()
            }
            _ => Vec::new(),
        };
        let time = simulation.time;
        for (at, condition) in self.list.iter().enumerate() {
            let mut values = Vec::new();
            let mut alarms = Problems::default();
            let holds = match condition {
                Condition::NotFinite(_) | Condition::Outside(..) => {
                    let bad = hits.iter().filter(|(of, ..)| *of == at);
                    values.extend(bad.map(|(_, wire, count)| (wire.clone(), vec![f64::from(*count)])));
                    !values.is_empty()
                }
                Condition::Formula(formula) => {
                    let Evaluated { holds, values: found } =
                        formula.eval(simulation, (input, time, simulation.frame))?;
                    values = found;
                    holds
                }
                Condition::Alarm => {
                    alarms = simulation.warnings(true);
                    !alarms.is_empty()
                }
                Condition::Frame(_) | Condition::Node(_) => false,
            };
            if holds {
                let condition = condition.clone();
                return Ok(Some(self.fired(condition, values, alarms)));
            }
        }
        Ok(None)
    }

    fn fired(&mut self, condition: Condition, values: Vec<(String, Vec<f64>)>, alarms: Problems) -> Fired {
        self.noted = false;
        Fired { condition, values, alarms, start: std::mem::take(&mut self.start) }
    }
}

impl Prepared {
    fn new(list: &[Condition], simulation: &Simulation) -> Result<Prepared, Problems> {
        let plan = &simulation.plan;
        let (mut looks, mut of) = (Vec::<Look>::new(), Vec::new());
        for (at, condition) in list.iter().enumerate() {
            let Some((wire, bounds)) = condition.bounds() else { continue };
            let wires: Vec<String> = match wire {
                Some(wire) => vec![wire.to_string()],
                None => held(plan).map(|state| state.node.clone()).collect(),
            };
            for name in wires {
                let plan_wire = simulation.wire(&name)?;
                if !plan_wire.kept {
                    let remedy = "compile with the wires of Condition::keep among PlanOptions::keep";
                    return Err(Problem::new("", &name, "the wire's memory is reused within the frame", remedy).into());
                }
                let count = plan_wire.ty.value().components(plan_wire.dim);
                if bounds.component.is_some_and(|component| component >= count) {
                    let cause = format!(
                        "it has no component {}; it has {count}, counted from 0",
                        bounds.component.unwrap_or(0)
                    );
                    return Err(Problem::new("", &name, cause, "name another component").into());
                }
                let prepared_look = look_for(plan, plan_wire, alive(plan, &name, plan_wire), &bounds);
                if let Some(look) = prepared_look {
                    looks.push(look);
                    of.push((at, name));
                }
            }
        }
        Ok(Prepared { scan: Scan::new(&simulation.gpu, looks)?, of })
    }
}

/// The count of the particles that an attribute belongs to.
fn alive(plan: &Plan, name: &str, wire: &Wire) -> Option<(BufferId, bool)> {
    let count = plan.wires.get(&count_of(name)?).filter(|count| count.kept && wire.capacity > 0)?;
    Some((count.buffer, count.state))
}

/// Values of a condition in words: `velocity.value:max = 12`.
pub(super) fn in_words(values: &[(String, Vec<f64>)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {}", list(value))).collect::<Vec<_>>().join(", ")
}
