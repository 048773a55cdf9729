//! The canvas: nodes and wires. It is a view, built anew from the document; whatever the node-graph crate changes in its own
//! copy is read off as an edit of the document and then forgotten.

mod drop;
mod gestures;
pub mod layout;
mod palette;
#[cfg(test)]
mod tests;
mod view;
mod wires;

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{self, Align, Layout, Pos2, Rect, RichText, Ui, Vec2, vec2};
use egui_node_graph::{InputId, InputParamKind, NodeId, NodeOrientation, OutputId};

use super::edits::InputEnd;
use super::face::{self, Face};
use super::plan_pane;
use super::session::Session;
use super::theme::{self, Look};
use crate::document::{Document, Link, Node, ParamValue};
use crate::library::Library;
use crate::plan::{Dispatch, Plan};
use crate::problem::Severity;
use drop::Chooser;
pub use gestures::pointer;
use palette::Palette;
use view::{NoTemplates, NodeView, Paint, PortValue, PortView, State};

const ZOOM: std::ops::RangeInclusive<f32> = 0.2..=2.0;

/// What the view is to be moved to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Framing {
    /// All nodes, or as many from the left as can be read.
    Start,
    All,
    Selection,
}

pub struct Canvas {
    state: State,
    paint: Paint,
    faces: BTreeMap<String, Face>,
    ids: BTreeMap<String, NodeId>,
    /// The edit and the plan that the view was built after.
    built: Option<(u64, u64, bool)>,
    /// Where the document's origin lies, from the upper left corner \[points\].
    pan: Vec2,
    zoom: f32,
    framing: Option<Framing>,
    /// The input whose wire was taken in the hand.
    picked: Option<InputEnd>,
    moved: bool,
    palette: Option<Palette>,
    chooser: Option<Chooser>,
    rect: Rect,
    /// Shares of the GPU's time are painted on the nodes.
    pub heat: bool,
    look: Option<&'static Look>,
}

impl Default for Canvas {
    fn default() -> Canvas {
        Canvas {
            state: State::new(1.0),
            paint: Paint::default(),
            faces: BTreeMap::new(),
            ids: BTreeMap::new(),
            built: None,
            pan: Vec2::ZERO,
            zoom: 1.0,
            framing: Some(Framing::Start),
            picked: None,
            moved: false,
            palette: None,
            chooser: None,
            rect: Rect::ZERO,
            heat: false,
            look: None,
        }
    }
}

impl Canvas {
    /// Starts over with another document, with the same ways of showing it.
    pub fn clear(&mut self) {
        *self = Canvas { heat: self.heat, ..Canvas::default() };
    }

    pub fn frame_all(&mut self) {
        self.framing = Some(Framing::All);
    }

    pub fn frame_selection(&mut self) {
        self.framing = Some(Framing::Selection);
    }

    /// Opens the palette of nodes to add, at the pointer if that is over the canvas.
    pub fn open_palette(&mut self, pointer: Option<Pos2>) {
        let at = pointer.filter(|p| self.rect.contains(*p)).unwrap_or(self.rect.center());
        self.palette = Some(Palette::new(at));
    }

    /// Draws the canvas and turns what was done on it into edits. An `Err` is a sentence for the person.
    pub fn show(&mut self, ui: &mut Ui, session: &mut Session) -> Result<(), String> {
        self.rect = ui.max_rect();
        self.rebuild(theme::of(ui), session);
        self.reveal(session);
        self.navigate(ui, session);
        self.place(session.document());
        self.sync(theme::of(ui), session);
        let mut canvas = ui.new_child(egui::UiBuilder::new().max_rect(self.rect).layout(Layout::top_down(Align::Min)));
        canvas.set_clip_rect(self.rect.intersect(ui.clip_rect()));
        wires::grid(&canvas, self.rect, self.pan, self.zoom);
        let behind = canvas.painter().add(egui::Shape::Noop);
        let painter = canvas.painter().clone();
        self.paint.zoom = self.zoom;
        let boxed = self.state.ongoing_box_selection.is_some();
        let held = self.state.connection_in_progress.map(|(_, port)| port);
        let response = self.state.draw_graph_editor(&mut canvas, NoTemplates, &mut self.paint, Vec::new());
        // The crate opens its finder at any right click in the window; ours is opened below.
        self.state.node_finder = None;
        painter.set(behind, wires::shape(&response.connections, &self.state.graph, &session.selection, self.zoom));
        self.in_hand(ui, &painter);
        self.select(ui, session, boxed, &response.node_responses);
        self.drag(ui, session, &response.node_responses);
        let mut wired = self.wire(session, &response.node_responses);
        if let Some(held) = held {
            self.drop_on_node(ui, session, held, &response.node_responses);
        }
        wired = wired.and(self.choose(ui, session));
        self.palette(ui, session);
        if session.document().nodes.is_empty() {
            let text = RichText::new("Right-click to add a node").color(theme::of(ui).faint);
            ui.put(self.rect, egui::Label::new(text));
        }
        wired
    }

    /// Brings the selection into view where somebody asked for that and it is not.
    fn reveal(&mut self, session: &mut Session) {
        if !std::mem::take(&mut session.reveal) {
            return;
        }
        let view = self.rect.shrink(40.0);
        let rect = |name: &String| self.ids.get(name).and_then(|id| self.paint.rects.get(id));
        if !session.selection.iter().all(|name| rect(name).is_some_and(|r| view.contains_rect(*r))) {
            self.framing = Some(Framing::Selection);
        }
    }

    /// Builds the crate's graph anew when nodes or ports have changed.
    fn rebuild(&mut self, look: &'static Look, session: &Session) {
        let now = Some((session.revision(), session.plans(), look.dark));
        if self.built == now {
            return;
        }
        self.built = now;
        let document = session.document();
        let mut faces = face::faces(document, Library::builtin());
        face::bind(&mut faces, document, |wire| session.carried(wire), |wire| session.particles(wire));
        let same_look = self.look.is_some_and(|before| std::ptr::eq(before, look));
        self.look = Some(look);
        if same_look && faces == self.faces && self.ids.len() == faces.len() {
            return;
        }
        self.faces = faces;
        self.ids.clear();
        self.paint.forget();
        self.picked = None;
        self.state = State { pan_zoom: self.state.pan_zoom.clone(), ..State::default() };
        for (name, face) in &self.faces {
            let id = add_node(&mut self.state, look, name, face);
            self.ids.insert(name.clone(), id);
        }
    }

    /// Puts every node where the document and the view say.
    fn place(&mut self, document: &Document) {
        for (name, id) in &self.ids {
            let Some(node) = document.nodes.get(name) else { continue };
            self.state.node_positions.insert(*id, (place_of(node) * self.zoom + self.pan).to_pos2());
        }
    }

    /// What changes without the nodes changing: wires, the selection, problems, times.
    fn sync(&mut self, look: &Look, session: &mut Session) {
        self.state.graph.connections.clear();
        for (name, node) in &session.document().nodes {
            for (port, link) in &node.inputs {
                let end = InputEnd { node: name.clone(), port: port.clone() };
                if self.picked.as_ref() == Some(&end) {
                    continue;
                }
                if let (Some(input), Some(output)) = (self.input(&end), self.output(link)) {
                    self.state.graph.add_connection(output, input);
                }
            }
        }
        let mut severities = BTreeMap::new();
        for problem in session.problems() {
            let node = problem.node.split('/').next().unwrap_or_default().to_string();
            let worst = severities.entry(node).or_insert(problem.severity);
            if problem.severity == Severity::Error {
                *worst = Severity::Error;
            }
        }
        let still = session.running_simulation().map(|s| resting(s.plan())).unwrap_or_default();
        let hot = match session.simulation().and_then(|s| s.times(false)).filter(|_| self.heat) {
            Some(times) => plan_pane::heat(times, |path| path.split('/').next()),
            None => BTreeMap::new(),
        };
        let times = session.simulation().and_then(|s| s.times(false)).unwrap_or_default();
        let mut spent = BTreeMap::<String, f64>::new();
        for time in times {
            *spent.entry(time.node.split('/').next().unwrap_or_default().to_string()).or_default() += time.ms;
        }
        for (name, id) in &self.ids {
            let Some(node) = self.state.graph.nodes.get_mut(*id) else { continue };
            let Some(source) = session.document().nodes.get(name) else { continue };
            let view = &mut node.user_data;
            view.selected = session.selection.contains(name);
            view.severity = severities.get(name).copied();
            // Slowly, so that the figures can be read.
            view.ms = spent.get(name).map(|ms| view.ms.map_or(*ms, |before| before + 0.05 * (ms - before)));
            view.heat = hot.get(name).map(|share| view.heat.map_or(*share, |before| before + 0.05 * (share - before)));
            view.still = still.contains(name);
            view.repeats = repeats(source);
            view.color = look.kind(&source.kind);
        }
        self.state.selected_nodes = session.selection.iter().filter_map(|name| self.ids.get(name).copied()).collect();
    }

    fn input(&self, end: &InputEnd) -> Option<InputId> {
        let node = self.state.graph.nodes.get(*self.ids.get(&end.node)?)?;
        node.inputs.iter().find(|(name, _)| *name == end.port).map(|(_, id)| *id)
    }

    fn output(&self, link: &Link) -> Option<OutputId> {
        let position = self.faces.get(&link.node)?.output(&link.port)?;
        let node = self.state.graph.nodes.get(*self.ids.get(&link.node)?)?;
        node.outputs.get(position).map(|(_, id)| *id)
    }

    fn name(&self, id: NodeId) -> Option<String> {
        self.state.graph.nodes.get(id).map(|node| node.user_data.name.clone())
    }

    fn input_end(&self, id: InputId) -> Option<InputEnd> {
        let node = self.state.graph.nodes.get(self.state.graph.try_get_input(id)?.node)?;
        let (port, _) = node.inputs.iter().find(|(_, input)| *input == id)?;
        Some(InputEnd { node: node.user_data.name.clone(), port: port.clone() })
    }

    fn link(&self, id: OutputId) -> Option<Link> {
        let node = self.state.graph.nodes.get(self.state.graph.try_get_output(id)?.node)?;
        let (port, _) = node.outputs.iter().find(|(_, output)| *output == id)?;
        Some(Link { node: node.user_data.name.clone(), port: port.clone() })
    }
}

/// A node's place \[points\], whatever the file says: much further out, positions no longer tell a point from the next.
fn place_of(node: &Node) -> Vec2 {
    const FAR: f32 = 1e5;
    let at = |v: f32| if v.is_finite() { v.clamp(-FAR, FAR) } else { 0.0 };
    vec2(at(node.at.0), at(node.at.1))
}

/// Outermost nodes of which no frame runs a part.
fn resting(plan: &Plan) -> BTreeSet<String> {
    let outer = |dispatches: &[Dispatch]| -> BTreeSet<String> {
        dispatches.iter().filter_map(|d| d.node.split('/').next()).map(String::from).collect()
    };
    outer(&plan.still).difference(&outer(&plan.frame)).cloned().collect()
}

/// `×40`, or the expression.
fn repeats(node: &Node) -> String {
    match &node.iterations {
        None => String::new(),
        Some(ParamValue::Number(count)) => format!("×{count}"),
        Some(_) => "×n".into(),
    }
}

fn add_node(state: &mut State, look: &Look, name: &str, face: &Face) -> NodeId {
    let view = NodeView {
        name: name.to_string(),
        title: face.title.clone(),
        color: look.line,
        repeats: String::new(),
        ms: None,
        heat: None,
        still: false,
        severity: None,
        selected: false,
    };
    // The title is painted by the view; the crate's own would be in its way.
    let id = state.graph.add_node(String::new(), view, |_, _| {});
    for port in &face.inputs {
        let color = PortView(look.port(port.ty));
        let value = PortValue(Some(port.clone()));
        state.graph.add_input_param(id, port.name.clone(), color, value, InputParamKind::ConnectionOnly, true);
    }
    for port in &face.outputs {
        state.graph.add_output_param(id, port.name.clone(), PortView(look.port(port.ty)));
    }
    state.node_order.push(id);
    state.node_positions.insert(id, Pos2::ZERO);
    state.node_orientations.insert(id, NodeOrientation::LeftToRight);
    id
}
