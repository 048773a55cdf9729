//! How a node of the canvas looks. The crate lays a node out and handles the pointer; what it would paint in its own colours
//! is painted over here, from the hooks that it offers.

use std::borrow::Cow;
use std::collections::HashMap;

use eframe::egui::epaint::{RectShape, Shadow};
use eframe::egui::layers::ShapeIdx;
use eframe::egui::{
    self, Align2, Color32, CornerRadius, FontId, Pos2, Rect, RichText, Shape, Stroke, StrokeKind, TextStyle, Ui, pos2,
    vec2,
};
use egui_node_graph as crate_graph;
use egui_node_graph::{
    DataTypeTrait, NodeDataTrait, NodeId, NodeResponse, NodeTemplateIter, NodeTemplateTrait, UserResponseTrait,
    WidgetValueTrait,
};

use crate::app::face::PortFace;
use crate::app::theme::{self, Look};
use crate::problem::Severity;

/// Width of a node at zoom 1 \[points\]; the crate's own.
pub const WIDTH: f32 = 200.0;
/// Around a node's rows at zoom 1 \[points\]; the crate's own.
const MARGIN: egui::Vec2 = vec2(15.0, 5.0);
/// Height of the title's row at zoom 1 \[points\].
const TITLE_HEIGHT: f32 = 22.0;

pub type Graph = crate_graph::Graph<NodeView, PortView, PortValue>;
pub type State = crate_graph::GraphEditorState<NodeView, PortView, PortValue, NoTemplate, Paint>;
pub type Response = NodeResponse<NoResponse, NodeView>;

/// What a node shows.
#[derive(Clone, Debug)]
pub struct NodeView {
    pub name: String,
    pub title: String,
    pub color: Color32,
    /// How often it runs, when more than once.
    pub repeats: String,
    /// GPU time of a frame [ms].
    pub ms: Option<f64>,
    /// Its share of the frame, 0 to 1, where that is to be seen.
    pub heat: Option<f32>,
    /// No frame runs it, since it gives the same in all of them.
    pub still: bool,
    pub severity: Option<Severity>,
    pub selected: bool,
}

/// What the hooks know and find out while the canvas is drawn.
#[derive(Default)]
pub struct Paint {
    pub zoom: f32,
    /// Whether the colour asked for is a port's, rather than a wire's.
    ports: bool,
    frame: Option<ShapeIdx>,
    /// Where nodes were drawn.
    pub rects: HashMap<NodeId, Rect>,
    /// How far down ports were drawn.
    rows: HashMap<(NodeId, End, String), f32>,
}

/// A side of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    Input,
    Output,
}

impl Paint {
    /// Where a port was drawn.
    pub fn port(&self, node: NodeId, end: End, name: &str) -> Option<Pos2> {
        let rect = self.rects.get(&node)?;
        let y = self.rows.get(&(node, end, name.to_string()))?;
        Some(pos2(if end == End::Input { rect.left() } else { rect.right() }, *y))
    }

    pub fn forget(&mut self) {
        self.rects.clear();
        self.rows.clear();
    }

    /// The crate puts a port into the middle between the row above and the end of its own.
    fn row(&mut self, ui: &Ui, node: NodeId, end: End, name: &str, label: Rect) {
        let y = label.center().y - 0.5 * ui.spacing().item_spacing.y;
        self.rows.insert((node, end, name.to_string()), y);
    }
}

/// A port's type. Any two fit as far as the crate is concerned: whether a wire may be is the compiler's to say, with a
/// remedy.
#[derive(Clone, Copy, Debug)]
pub struct PortView(pub Color32);

impl PartialEq for PortView {
    fn eq(&self, _: &PortView) -> bool {
        true
    }
}

impl Eq for PortView {}

impl DataTypeTrait<Paint> for PortView {
    fn data_type_color(&self, paint: &mut Paint) -> Color32 {
        // Wires are painted by the canvas, behind the nodes.
        if paint.ports { self.0 } else { Color32::TRANSPARENT }
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

/// An input's row.
#[derive(Clone, Debug, Default)]
pub struct PortValue(pub Option<PortFace>);

impl WidgetValueTrait for PortValue {
    type Response = NoResponse;
    type UserState = Paint;
    type NodeData = NodeView;

    fn value_widget(&mut self, name: &str, _: NodeId, ui: &mut Ui, _: &mut Paint, _: &NodeView) -> Vec<NoResponse> {
        let needed = self.0.as_ref().is_some_and(|port| !port.optional);
        port_label(ui, name, if needed { theme::of(ui).warning } else { theme::of(ui).faint }, self.0.as_ref());
        Vec::new()
    }

    fn value_widget_connected(
        &mut self,
        name: &str,
        id: NodeId,
        ui: &mut Ui,
        paint: &mut Paint,
        _: &NodeView,
    ) -> Vec<NoResponse> {
        let stranger = self.0.as_ref().is_some_and(|port| port.ty.is_none());
        let label =
            port_label(ui, name, if stranger { theme::of(ui).error } else { theme::of(ui).text }, self.0.as_ref());
        paint.row(ui, id, End::Input, name, label);
        Vec::new()
    }
}

fn port_label(ui: &mut Ui, name: &str, color: Color32, port: Option<&PortFace>) -> Rect {
    let label = ui.label(RichText::new(name).color(color));
    let rect = label.rect;
    if let Some(port) = port {
        label.on_hover_ui(|ui| {
            if port.ty.is_some() {
                ui.label(RichText::new(&port.carries).monospace().color(theme::of(ui).port(port.ty)));
            }
            if !port.doc.is_empty() {
                ui.label(&port.doc);
            }
        });
    }
    rect
}

impl NodeDataTrait for NodeView {
    type Response = NoResponse;
    type UserState = Paint;
    type DataType = PortView;
    type ValueType = PortValue;

    /// The first hook of a node: its title.
    fn top_bar_ui(&self, ui: &mut Ui, _: NodeId, _: &Graph, paint: &mut Paint) -> Vec<Response> {
        paint.ports = true;
        paint.frame = Some(ui.painter().add(Shape::Noop));
        let zoom = paint.zoom;
        ui.spacing_mut().item_spacing.x = 0.0;
        let area = Rect::from_min_size(ui.max_rect().min, vec2(WIDTH - 2.0 * MARGIN.x, TITLE_HEIGHT) * zoom);
        // The crate leaves room for two buttons, which the canvas does not have.
        ui.allocate_space(vec2(area.width() - 40.0 * zoom, area.height()));
        let at = pos2(area.right() + 6.0 * zoom, area.center().y - 1.5 * zoom);
        let font = FontId::monospace(11.0 * zoom);
        let repeats = ui.painter().text(at, Align2::RIGHT_CENTER, &self.repeats, font, theme::of(ui).text);
        let name = RichText::new(&self.name).color(Color32::WHITE).strong();
        line(ui, name, area.left_center() - vec2(6.0, 1.5) * zoom, repeats.left() - area.left());
        Vec::new()
    }

    fn output_ui(&self, ui: &mut Ui, id: NodeId, _: &Graph, paint: &mut Paint, name: &str) -> Vec<Response> {
        let label = ui.label(RichText::new(name).color(theme::of(ui).text));
        paint.row(ui, id, End::Output, name, label.rect);
        Vec::new()
    }

    /// The last hook before the ports: a foot with what the node is and takes, and the frame, now that the size is known.
    fn bottom_ui(&self, ui: &mut Ui, id: NodeId, _: &Graph, paint: &mut Paint) -> Vec<Response> {
        let zoom = paint.zoom;
        ui.allocate_space(vec2(1.0, 5.0 * zoom));
        let mut rect = ui.min_rect().expand2(MARGIN * zoom);
        rect.max.x = rect.max.x.max(rect.min.x + WIDTH * zoom);
        // The crate's own body reaches down by about half a title bar.
        rect.max.y += (0.5 * (TITLE_HEIGHT + MARGIN.y) - 1.0) * zoom;
        let (left, right) = (rect.left() + 9.0 * zoom, rect.right() - 9.0 * zoom);
        let height = rect.bottom() - 11.0 * zoom;
        let ms = match self.ms {
            Some(ms) => format!("{ms:.2} ms"),
            None => if self.still { "once" } else { "" }.into(),
        };
        let font = FontId::monospace(9.5 * zoom);
        let time = ui.painter().text(pos2(right, height), Align2::RIGHT_CENTER, ms, font, theme::of(ui).faint);
        let title = RichText::new(&self.title).small().color(theme::of(ui).faint);
        line(ui, title, pos2(left, height), time.left() - left - 4.0);
        paint.rects.insert(id, rect);
        if let Some(frame) = paint.frame.take() {
            ui.painter().set(frame, self.shape(theme::of(ui), rect, zoom));
        }
        Vec::new()
    }

    fn can_flip(&self, _: NodeId, _: &Graph, _: &mut Paint) -> bool {
        false
    }

    /// The last hook of a node.
    fn can_delete(&self, _: NodeId, _: &Graph, paint: &mut Paint) -> bool {
        paint.ports = false;
        false
    }
}

impl NodeView {
    /// Body, title bar and border; a point larger than what the crate paints, to cover it.
    fn shape(&self, look: &Look, rect: Rect, zoom: f32) -> Shape {
        let rect = rect.expand(zoom.max(1.0));
        let radius = (6.0 * zoom).round().clamp(2.0, 12.0) as u8;
        let head =
            Rect::from_min_max(rect.min, pos2(rect.right(), rect.top() + (TITLE_HEIGHT + 1.4 * MARGIN.y) * zoom));
        let round = |ne, se| CornerRadius { nw: ne, ne, sw: se, se };
        let (color, width) = match (self.selected, self.severity) {
            (true, _) => (look.accent, 2.0),
            (_, Some(Severity::Error)) => (look.error, 1.5),
            (_, Some(Severity::Warning)) => (look.warning, 1.5),
            _ => (look.line, 1.0),
        };
        let shadow = Shadow { offset: [0, 3], blur: 12, spread: 0, color: look.shadow };
        let mut shapes = vec![
            shadow.as_shape(rect, CornerRadius::same(radius)).into(),
            RectShape::filled(rect, CornerRadius::same(radius), look.node).into(),
            RectShape::filled(head, round(radius, 0), self.color).into(),
            RectShape::stroke(rect, CornerRadius::same(radius), Stroke::new(width, color), StrokeKind::Outside).into(),
        ];
        if let Some(heat) = self.heat {
            let bar = pos2(rect.left() + rect.width() * heat.clamp(0.0, 1.0), rect.bottom());
            let bar = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 3.0 * zoom.max(0.6)), bar);
            shapes.push(RectShape::filled(bar, CornerRadius::same(1), look.heat(heat.sqrt())).into());
        }
        Shape::Vec(shapes)
    }
}

/// One line of text, from the middle of its left edge, cut off where there is no more room.
fn line(ui: &Ui, text: RichText, left: egui::Pos2, width: f32) {
    let style = TextStyle::Body;
    let text = egui::WidgetText::from(text);
    let galley = text.into_galley(ui, Some(egui::TextWrapMode::Truncate), width.max(1.0), style);
    let at = left - vec2(0.0, 0.5 * galley.size().y);
    ui.painter().galley(at, galley, theme::of(ui).text);
}

/// Nodes have no buttons that answer.
#[derive(Clone, Debug)]
pub enum NoResponse {}

impl UserResponseTrait for NoResponse {}

/// Nodes are added from a palette of our own, so the crate's finder has nothing to offer and never opens.
#[derive(Clone)]
pub enum NoTemplate {}

pub struct NoTemplates;

impl NodeTemplateIter for NoTemplates {
    type Item = NoTemplate;

    fn all_kinds(&self) -> Vec<NoTemplate> {
        Vec::new()
    }
}

impl NodeTemplateTrait for NoTemplate {
    type NodeData = NodeView;
    type DataType = PortView;
    type ValueType = PortValue;
    type UserState = Paint;
    type CategoryType = ();

    fn node_finder_label(&self, _: &mut Paint) -> Cow<'_, str> {
        match *self {}
    }

    fn node_graph_label(&self, _: &mut Paint) -> String {
        match *self {}
    }

    fn user_data(&self, _: &mut Paint) -> NodeView {
        match *self {}
    }

    fn build_node(&self, _: &mut Graph, _: &mut Paint, _: NodeId) {
        match *self {}
    }
}
