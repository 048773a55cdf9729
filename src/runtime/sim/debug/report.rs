//! What a stop says: where, what, and what made it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::conditions::{Condition, Fired, in_words};
use super::element::ElementPlace;
use super::expression::Formula;
use super::find::Occurrence;
use super::history::Reading;
use super::{Bounds, FrameDebugger};
use crate::gpu::Gpu;
use crate::graph::expect::{ExpectSubject, Statistic, list};
use crate::graph::measurement::Measurement;
use crate::plan::{Cause, Plan};
use crate::problem::Problems;
use crate::sim::expect::{Sample, request};
use crate::stage::types::WireType;

/// Where and why a run has stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The condition in words.
    pub condition: String,
    /// The frame, counted from 1.
    pub frame: u64,
    /// Step of a frame that is divided into steps, from 1 on, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<[u32; 2]>,
    /// Simulated time at its start \[s\].
    pub time: f64,
    /// Why the run stopped, in one sentence.
    pub cause: String,
    /// The dispatch of the plain plan that made it, counted from 1; `None` where the frame started with it, or no single dispatch can be
    /// named.
    pub dispatch: Option<usize>,
    /// Dispatches of the frame.
    pub dispatches: usize,
    /// Dispatches that have run where it stops.
    pub ran: usize,
    /// The node that the dispatch belongs to.
    pub node: Option<String>,
    /// Which part of the node: an iteration, a colour.
    pub part: Option<String>,
    /// The wire that it wrote.
    pub wire: Option<String>,
    /// The cell or particle, in words.
    pub element: Option<String>,
    /// Index of the element: of a cell along x, y, z, of a particle in its set.
    pub index: Option<Vec<u32>>,
    /// Position of the element \[m\].
    pub position: Option<Values>,
    /// Elements for which the condition holds after the dispatch.
    pub count: Option<u32>,
    /// The value before the dispatch.
    pub before: Option<Values>,
    /// The value after the dispatch.
    pub value: Option<Values>,
    /// What the dispatch read at the same place.
    pub inputs: Vec<Input>,
    /// A checkpoint of what the frame starts from, where one was written.
    pub checkpoint: Option<String>,
    #[serde(skip)]
    place: Option<ElementPlace>,
}

/// What a dispatch read at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Name of the wire.
    pub wire: String,
    /// Value of the wire.
    pub value: Values,
}

/// Components of a value. JSON has no NaN, so numbers that are not finite are written as text there.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(pub Vec<f64>);

impl Serialize for Values {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let one = |v: &f64| if v.is_finite() { One::Number(*v) } else { One::Text(v.to_string()) };
        serializer.collect_seq(self.0.iter().map(one))
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        let number = |one: One| match one {
            One::Number(number) => Ok(number),
            One::Text(text) => text.parse().map_err(|_| serde::de::Error::custom(format!("`{text}` is not a number"))),
        };
        Vec::<One>::deserialize(deserializer)?.into_iter().map(number).collect::<Result<_, _>>().map(Values)
    }
}

/// A number as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum One {
    Number(f64),
    Text(String),
}

impl Report {
    /// The cell or the particle.
    pub fn place(&self) -> Option<ElementPlace> {
        self.place
    }

    /// Text of the report, several lines.
    pub fn to_text(&self) -> String {
        let step = self.step.map_or(String::new(), |[step, of]| format!(", step {step} of {of}"));
        let mut text = format!("stopped in frame {}{step}: {}\n", self.frame, self.cause);
        let mut line = |name: &str, value: String| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {name:<9} {value}");
        };
        if let (Some(dispatch), Some(node)) = (self.dispatch, &self.node) {
            let part = self.part.as_ref().filter(|part| !part.is_empty()).map_or(String::new(), |p| format!(", {p}"));
            line("dispatch", format!("{dispatch} of {}: {node}{part}", self.dispatches));
        }
        if let Some(wire) = &self.wire {
            line("wire", wire.clone());
        }
        if let Some(element) = &self.element {
            let at = self.position.as_ref().map_or(String::new(), |at| format!(" at {} m", list(&at.0)));
            line("where", format!("{element}{at}"));
        }
        if let Some(value) = &self.value {
            let before = self.before.as_ref().map_or(String::new(), |before| format!(", before {}", list(&before.0)));
            line("value", format!("{}{before}", list(&value.0)));
        }
        for input in &self.inputs {
            line("input", format!("{} = {}", input.wire, list(&input.value.0)));
        }
        if let Some(count) = self.count.filter(|count| *count > 1) {
            line("elements", format!("{count} after this dispatch"));
        }
        if let Some(checkpoint) = &self.checkpoint {
            line("start", checkpoint.clone());
        }
        text
    }

    /// Goes to where the run stopped, in the frame that a debugger stands at the start of: for a report that was read from a file. Where
    /// the graph has changed since and the frame has no such place, it stands before the node's first dispatch, or at the start, and
    /// no cell is picked.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn enter(&mut self, debugger: &mut FrameDebugger) -> Result<(), Problems> {
        if self.fits(debugger) {
            debugger.seek(self.ran)?;
            self.place = self.known_place(debugger);
            return Ok(());
        }
        self.place = None;
        let node = self.node.as_deref().filter(|node| !node.is_empty());
        debugger.seek(node.and_then(|node| debugger.first_of(node, 0)).unwrap_or(0))
    }

    /// Whether a debugger has the dispatch that the report names.
    pub fn fits(&self, debugger: &FrameDebugger) -> bool {
        let dispatch = self.dispatch.and_then(|at| debugger.simulation.plan.frame.get(at.checked_sub(1)?));
        self.dispatches == debugger.len()
            && dispatch.map(|dispatch| (&dispatch.node, &dispatch.part)) == self.node.as_ref().zip(self.part.as_ref())
    }

    /// The place that the wire and the index name.
    fn known_place(&self, debugger: &FrameDebugger) -> Option<ElementPlace> {
        let (wire, index) = (self.wire.as_ref()?, self.index.as_ref()?);
        let wires = debugger.wires();
        let plan_wire = wires.get(wire).or_else(|| wires.get(&format!("{wire}.value")))?;
        let mut cell = [0; 3];
        cell.iter_mut().zip(index).for_each(|(to, from)| *to = *from);
        match plan_wire.ty {
            WireType::Grid(_) | WireType::FaceGrid => Some(ElementPlace::Cell(plan_wire.domain?, cell)),
            WireType::Attribute(_) => {
                Some(ElementPlace::Particle { capacity: plan_wire.capacity, space: plan_wire.space, index: cell[0] })
            }
            _ => None,
        }
    }

    /// JSON of the report, one object.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Fired {
    /// Repeats the frame with a plan compiled with [`FrameDebugger::options`], and finds where the condition began to hold. The debugger
    /// stands behind that dispatch; at a breakpoint, before it.
    ///
    /// # Errors
    /// What the adapter lacks for such a plan.
    pub fn report(&self, gpu: &Gpu, plan: Plan) -> Result<(FrameDebugger, Report), Problems> {
        let mut debugger = FrameDebugger::in_first_step(gpu, plan, &self.start)?;
        let mut report = self.locate(&mut debugger)?;
        while report.dispatch.is_none() && debugger.next_step()? {
            report = self.locate(&mut debugger)?;
        }
        Ok((debugger, report))
    }

    pub(super) fn locate(&self, debugger: &mut FrameDebugger) -> Result<Report, Problems> {
        let mut report = Report {
            condition: self.condition.to_string(),
            frame: debugger.frame(),
            step: Some(debugger.step()).filter(|(_, of)| *of > 1).map(|(step, of)| [step, of]),
            time: debugger.simulation.time,
            cause: self.condition.to_string(),
            checkpoint: None,
            dispatch: None,
            dispatches: debugger.len(),
            ran: 0,
            node: None,
            part: None,
            wire: None,
            element: None,
            index: None,
            position: None,
            count: None,
            before: None,
            value: None,
            inputs: Vec::new(),
            place: None,
        };
        match &self.condition {
            Condition::Frame(_) => {}
            Condition::Node(node) => {
                debugger.run_to(node)?;
                report.name(debugger, debugger.next().map(|(at, _)| at));
            }
            Condition::NotFinite(wire) => {
                let wires: Vec<&str> = self.values.iter().map(|(wire, _)| wire.as_str()).collect();
                if !wires.is_empty() {
                    report.cause = format!("NaN or infinity in {}", wires.join(", "));
                }
                let mut found = debugger.find_bad(wire.as_deref(), &Bounds::default())?;
                if found.is_none() {
                    // The plain plan may round half precision more often, and so stay finite.
                    found = debugger.find_bad(None, &Bounds::default())?;
                }
                report.found(debugger, found)?;
            }
            Condition::Outside(wire, bounds) => {
                let found = debugger.find_bad(Some(wire), bounds)?;
                report.found(debugger, found)?;
            }
            Condition::Formula(formula) => {
                report.cause = format!("{formula}, with {}", in_words(&self.values));
                if self.values.is_empty() {
                    report.cause = formula.to_string();
                }
                self.locate_formula(formula, debugger, &mut report)?;
            }
            Condition::Alarm => {
                let all: Vec<String> = self.alarms.0.iter().map(ToString::to_string).collect();
                report.cause = all.join("; ");
                if let Some((dispatch, alarm)) = debugger.find_alarm()? {
                    report.name(debugger, Some(dispatch));
                    let full = debugger.simulation.plan.alarms.get(alarm).is_some_and(|a| a.cause == Cause::Capacity);
                    let accesses = debugger.simulation.plan.versions.dispatches.get(dispatch).filter(|_| full);
                    let writes = accesses.into_iter().flat_map(|accesses| &accesses.writes);
                    // How many particles there are where no more have room.
                    let count = writes.map(|write| write.wire.clone()).find(|wire| wire.ends_with(".count"));
                    report.number(debugger, count)?;
                } else if let Some(found) = self.alarms.0.iter().find(|alarm| !alarm.node.is_empty()) {
                    // A number outside of what its port expects: behind the node's last dispatch.
                    let node = &found.node;
                    let last = (0..debugger.len()).rfind(|at| debugger.first_of(node, *at) == Some(*at));
                    debugger.seek(last.map_or(debugger.len(), |last| last + 1))?;
                    report.name(debugger, last);
                    report.number(debugger, Some(format!("{node}.{}", found.port)))?;
                }
            }
        }
        report.ran = debugger.position();
        Ok(report)
    }

    /// Where a formula of a single wire begins to hold.
    fn locate_formula(
        &self,
        formula: &Formula,
        debugger: &mut FrameDebugger,
        report: &mut Report,
    ) -> Result<(), Problems> {
        debugger.seek(debugger.len())?;
        let Some((wire, measurement)) = formula.wire() else { return Ok(()) };
        let versions = debugger.simulation.plan.versions.wires.get(&wire).cloned().unwrap_or_default();
        let input = self.start.input.clone();
        for version in &versions {
            let Some(dispatch) = version.written.filter(|dispatch| debugger.runs(*dispatch)) else { continue };
            // At the end of the frame, a State has its next value, which another wire has had since it was written.
            let position = version.from.max(dispatch + 1);
            debugger.seek(position)?;
            let time = debugger.simulation.time + debugger.dt;
            let evaluated = formula.eval(&debugger.simulation, (&input, time, debugger.frame()))?;
            if !evaluated.holds {
                continue;
            }
            let element = extreme(debugger, measurement)?;
            if position != dispatch + 1 {
                debugger.seek(dispatch + 1)?;
            }
            let found = element.map(|index| Occurrence {
                dispatch: Some(dispatch),
                wire: wire.clone(),
                version: version.wire.clone(),
                element: super::Element::from_index(&debugger.simulation.plan, &version.wire, index),
                count: 1,
            });
            report.wire = Some(wire);
            report.name(debugger, Some(dispatch));
            if found.is_some() {
                report.found(debugger, found)?;
            }
            return Ok(());
        }
        Ok(())
    }
}

/// The element that a statistic is the value of: where a wire is smallest or largest, or not finite.
fn extreme(debugger: &FrameDebugger, measurement: &Measurement) -> Result<Option<u64>, Problems> {
    if !matches!(measurement.subject, ExpectSubject::Wire(_) | ExpectSubject::Attribute(..)) {
        return Ok(None);
    }
    let sample = request(&debugger.simulation, &measurement.subject)?.wait()?;
    let Sample::Field(field, live) = &sample else { return Ok(None) };
    let components = (field.components as usize).max(1);
    let count = field.data.len() / components;
    let size = |element: usize| {
        let parts = field.data.get(element * components..(element + 1) * components).unwrap_or_default();
        match measurement.component {
            Some(component) => parts.get(component as usize).copied().map_or(0.0, f64::from),
            None if components == 1 => parts.first().copied().map_or(0.0, f64::from),
            None => parts.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt(),
        }
    };
    let elements = 0..live.unwrap_or(count).min(count);
    if let Some(bad) = elements.clone().find(|element| !size(*element).is_finite()) {
        return Ok(Some(bad as u64));
    }
    let found = match measurement.statistic {
        Statistic::Max => elements.max_by(|a, b| size(*a).total_cmp(&size(*b)).then(b.cmp(a))),
        Statistic::Min => elements.min_by(|a, b| size(*a).total_cmp(&size(*b))),
        Statistic::Value => Some(0),
        _ => None,
    };
    Ok(found.map(|element| element as u64))
}

impl Report {
    /// Names a dispatch, by its index in the plan.
    fn name(&mut self, debugger: &FrameDebugger, dispatch: Option<usize>) {
        self.dispatch = dispatch.map(|at| at + 1);
        let plan_dispatch = dispatch.and_then(|at| debugger.simulation.plan.frame.get(at));
        self.node = plan_dispatch.map(|dispatch| dispatch.node.clone());
        self.part = plan_dispatch.map(|dispatch| dispatch.part.clone());
    }

    /// Names a single number and its value, if it is one that can be read here.
    fn number(&mut self, debugger: &mut FrameDebugger, wire: Option<String>) -> Result<(), Problems> {
        let Some(wire) = wire else { return Ok(()) };
        self.value = debugger.value_at(&wire, ElementPlace::Number)?.map(Values);
        self.wire = self.value.is_some().then_some(wire);
        Ok(())
    }

    fn found(&mut self, debugger: &mut FrameDebugger, found: Option<Occurrence>) -> Result<(), Problems> {
        let Some(found) = found else { return Ok(()) };
        let place = found.element.place;
        self.name(debugger, found.dispatch);
        if found.dispatch.is_none() {
            self.cause = format!("{}; the frame started with it", self.cause);
        }
        let plan = &debugger.simulation.plan;
        self.place = Some(place);
        self.element = Some(place.describe(plan));
        self.position = place.center(plan).map(Values);
        self.index = match place {
            ElementPlace::Cell(id, cell) => {
                let dim = plan.domains.get(id).map_or(3, |domain| domain.dim);
                Some(cell.iter().take(dim as usize).copied().collect())
            }
            ElementPlace::Particle { index, .. } => Some(vec![index]),
            ElementPlace::Number => None,
        };
        self.count = Some(found.count);
        self.wire = Some(found.wire.clone());
        match found.dispatch {
            Some(dispatch) => {
                let events = debugger.writes_of(place, dispatch)?;
                let event = events
                    .iter()
                    .find(|event| event.wire == found.wire)
                    .or_else(|| events.iter().find(|event| event.after.iter().any(|value| !value.is_finite())));
                if let Some(event) = event.or(events.first()) {
                    self.wire = Some(event.wire.clone());
                    self.value = Some(Values(event.after.clone()));
                    self.before = event.before.clone().map(Values);
                    let input =
                        |Reading { wire, value }: &Reading| Input { wire: wire.clone(), value: Values(value.clone()) };
                    self.inputs = event.inputs.iter().map(input).collect();
                }
            }
            None => self.value = debugger.value_at(&found.wire, place)?.map(Values),
        }
        if let (ElementPlace::Particle { .. }, Some(wire)) = (place, &self.wire) {
            // Where the particle is.
            let set = wire.rsplit_once('.').map_or("", |(set, _)| set).to_string();
            self.position = debugger.value_at(&format!("{set}.position"), place)?.map(Values);
        }
        Ok(())
    }
}
