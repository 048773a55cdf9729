//! How a node looks on the canvas. The crate lays a node out and handles the pointer, and all that it paints itself is
//! invisible: the visible parts are painted here, from its hooks.

use std::borrow::Cow;
use std::collections::HashMap;

use eframe::egui::epaint::{RectShape, Shadow};
use eframe::egui::layers::ShapeIdx;
use eframe::egui::{
    self, Align2, Color32, CornerRadius, FontId, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, TextStyle, TextureId,
    Ui, pos2, vec2,
};
use egui_node_graph as crate_graph;
use egui_node_graph::{DataTypeTrait, NodeDataTrait, NodeId, NodeResponse, UserResponseTrait, WidgetValueTrait};

use super::marks::Mark;
use super::templates::NoTemplate;
use super::text::{SMALLEST, block, block_room, one_line, shortened, text_size};
use crate::document::Outline;
use crate::edit::PortSignature;
use crate::model::layout;
use crate::model::session::BakedState;
use crate::problem::Severity;
use crate::stage::types::PortType;
use crate::toolkit::number::number_field;
use crate::toolkit::theme::{self, Look};

/// Margin around a node's rows at zoom 1 \[points\]; the crate's own.
pub(super) const MARGIN: egui::Vec2 = vec2(15.0, 5.0);
/// Height of the title's row at zoom 1 \[points\].
pub(super) const TITLE_HEIGHT: f32 = 22.0;
/// Maximum height of a thumbnail at zoom 1 \[points\].
const MAX_THUMBNAIL: f32 = 96.0;
/// Size of the field for iterations at zoom 1 \[points\], and the least in the window.
const COUNT: egui::Vec2 = vec2(44.0, 17.0);
const MIN_COUNT: egui::Vec2 = vec2(34.0, 12.0);
/// Height of a port's row at zoom 1 \[points\].
const ROW: f32 = 15.5;
/// Size of a reroute at zoom 1 \[points\].
pub(super) const DOT: egui::Vec2 = vec2(50.0, 18.0);
/// How far a reroute lies below where the crate puts its node, at zoom 1 \[points\].
pub(super) const DOT_BELOW: f32 = 26.0;
/// How near the pointer has to be to a port to grab it, at zoom 1 \[points\]; the crate's own.
pub(super) const REACH: f32 = 10.0;
/// Below this zoom the names of ports can't be read, and a node shows only its own name beside its ports.
pub(super) const NAMES: f32 = 0.44;
/// The least radius of a port's mark \[points of the window\], and the largest part of the distance of two ports.
const SMALLEST_MARK: f32 = 3.4;
const LARGEST_MARK: f32 = 0.42;
/// Width of the rim around a port's mark \[points of the window\].
const RIM: f32 = 0.9;
/// How much the colour of the GPU time takes from that of a node, at most, and how much of its own the title gives up for it.
const TINT: f32 = 0.4;
const PLAIN: f32 = 0.7;

pub(super) type Graph = crate_graph::Graph<NodeView, PortView, PortValue>;
pub(super) type State = crate_graph::GraphEditorState<NodeView, PortView, PortValue, NoTemplate, Paint>;
pub(super) type Response = NodeResponse<WidgetAction, NodeView>;

/// What a node shows.
#[derive(Clone, Debug)]
pub(super) struct NodeView {
    pub name: String,
    pub title: String,
    pub outline: Outline,
    pub color: Color32,
    pub repeats: Repeats,
    /// GPU time of a frame \[ms\].
    pub ms: Option<f64>,
    /// The node's share of the frame from 0 to 1, if that is shown.
    pub heat: Option<f32>,
    /// No frame runs it, since its result never changes.
    pub invariant: bool,
    /// The node whose dispatches compute it.
    pub joined: Option<String>,
    /// Left out of the graph.
    pub muted: bool,
    /// How the bake of one of its wires stands.
    pub bake: Option<BakedState>,
    /// Number of nodes that run over the domain, if the node is one.
    pub runs: Option<usize>,
    pub severity: Option<Severity>,
    pub selected: bool,
    /// Whether the node is hovered, on the canvas or in another pane.
    pub hovered: bool,
    /// The run stops in front of it.
    pub breakpoint: bool,
    /// The frame that is stood in runs it next.
    pub next: bool,
    /// Height of the node if its ports are not drawn \[points of the document\].
    pub height: Option<f32>,
    /// Thumbnail of the node, with its height for a width of 1.
    pub thumbnail: Option<(TextureId, f32)>,
}

/// How often a node runs a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    Once,
    Count(u32),
    /// An expression.
    Computed(String),
}

/// What the hooks need and find out while the canvas is drawn.
#[derive(Default)]
pub(super) struct Paint {
    pub zoom: f32,
    /// Where the pointer is.
    pub pointer: Option<Pos2>,
    frame: Option<ShapeIdx>,
    /// Where nodes were drawn.
    pub rects: HashMap<NodeId, Rect>,
    /// The heights at which ports were drawn.
    rows: HashMap<(NodeId, End, String), f32>,
}

/// A side of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    Input,
    Output,
}

impl Paint {
    /// Where a port was drawn.
    pub(super) fn port(&self, node: NodeId, end: End, name: &str) -> Option<Pos2> {
        let rect = self.rects.get(&node)?;
        let y = self.rows.get(&(node, end, name.to_string()))?;
        Some(pos2(if end == End::Input { rect.left() } else { rect.right() }, *y))
    }

    /// Forgets a node that is no longer drawn.
    pub(super) fn forget(&mut self, node: NodeId) {
        self.rects.remove(&node);
        self.rows.retain(|(other, ..), _| *other != node);
    }

    /// Notes where a node is, and paints its body and the dots of its ports behind its text.
    fn finish(&mut self, ui: &Ui, id: NodeId, graph: &Graph, rect: Rect, body: Shape) {
        self.rects.insert(id, rect);
        let (Some(frame), Some(node)) = (self.frame.take(), graph.nodes.get(id)) else { return };
        let inputs = node
            .inputs
            .iter()
            .filter_map(|(name, input)| Some((self.port(id, End::Input, name)?, graph.inputs.get(*input)?.typ)));
        let outputs = node
            .outputs
            .iter()
            .filter_map(|(name, output)| Some((self.port(id, End::Output, name)?, graph.outputs.get(*output)?.typ)));
        let dots = inputs.chain(outputs).map(|(at, port)| {
            let near = self.pointer.is_some_and(|pointer| pointer.distance(at) < REACH * self.zoom);
            let room = LARGEST_MARK * layout::PORT * self.zoom;
            let (look, radius) = (theme::current(ui), (5.0 * self.zoom).max(SMALLEST_MARK.min(room)));
            let color = if near { look.bright } else { port.color };
            let mark = port.mark.shape(at, radius, color, look.node);
            // A node without names of ports has the colour of its title, on which some marks would not be seen.
            let rim = (self.zoom < NAMES).then(|| port.mark.shape(at, radius + RIM, look.canvas, look.canvas));
            Shape::Vec(rim.into_iter().chain([mark]).collect())
        });
        ui.painter().set(frame, Shape::Vec(std::iter::once(body).chain(dots).collect()));
    }

    /// The crate places a port halfway between the row above and the end of its own row.
    fn row(&mut self, ui: &Ui, node: NodeId, end: End, name: &str, label: Rect) {
        let y = label.center().y - 0.5 * ui.spacing().item_spacing.y;
        self.rows.insert((node, end, name.to_string()), y);
    }
}

/// A port's type. To the crate any two types fit: the compiler decides whether a wire is valid, and offers a
/// remedy.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortView {
    pub color: Color32,
    pub mark: Mark,
}

impl PortView {
    pub(super) fn new(look: &Look, ty: Option<PortType>) -> PortView {
        PortView { color: look.port(ty), mark: Mark::of(ty) }
    }
}

impl PartialEq for PortView {
    fn eq(&self, _: &PortView) -> bool {
        true
    }
}

impl Eq for PortView {}

impl DataTypeTrait<Paint> for PortView {
    fn data_type_color(&self, _: &mut Paint) -> Color32 {
        self.color
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

/// An input's row.
#[derive(Clone, Debug, Default)]
pub(super) struct PortValue(pub Option<PortSignature>);

impl WidgetValueTrait for PortValue {
    type Response = WidgetAction;
    type UserState = Paint;
    type NodeData = NodeView;

    fn value_widget(
        &mut self,
        name: &str,
        id: NodeId,
        ui: &mut Ui,
        paint: &mut Paint,
        node: &NodeView,
    ) -> Vec<WidgetAction> {
        ui.set_opacity(1.0);
        let needed = self.0.as_ref().is_some_and(|port| !port.optional);
        let look = theme::current(ui);
        let label = node.port_label(ui, paint, name, if needed { look.warning } else { look.faint });
        paint.row(ui, id, End::Input, name, label);
        Vec::new()
    }

    fn value_widget_connected(
        &mut self,
        name: &str,
        id: NodeId,
        ui: &mut Ui,
        paint: &mut Paint,
        node: &NodeView,
    ) -> Vec<WidgetAction> {
        ui.set_opacity(1.0);
        let stranger = self.0.as_ref().is_some_and(|port| port.ty.is_none());
        let look = theme::current(ui);
        let label = node.port_label(ui, paint, name, if stranger { look.error } else { look.text });
        paint.row(ui, id, End::Input, name, label);
        Vec::new()
    }
}

impl NodeDataTrait for NodeView {
    type Response = WidgetAction;
    type UserState = Paint;
    type DataType = PortView;
    type ValueType = PortValue;

    /// The first hook of a node: its title.
    fn top_bar_ui(&self, ui: &mut Ui, id: NodeId, _: &Graph, paint: &mut Paint) -> Vec<Response> {
        ui.set_opacity(1.0);
        paint.frame = Some(ui.painter().add(Shape::Noop));
        let zoom = paint.zoom;
        ui.spacing_mut().item_spacing.x = 0.0;
        if self.outline == Outline::Dot {
            return Vec::new();
        }
        let area = Rect::from_min_size(ui.max_rect().min, vec2(layout::WIDTH - 2.0 * MARGIN.x, TITLE_HEIGHT) * zoom);
        // The crate reserves space for two buttons, which the canvas does not have.
        ui.allocate_space(vec2(area.width() - 40.0 * zoom, area.height()));
        if zoom < NAMES {
            return Vec::new();
        }
        let (free, responses) = self.repeats(ui, id, area, zoom);
        let left = area.left() - 6.0 * zoom;
        let name = one_line(ui.painter(), &self.name, 13.0 * zoom, Color32::WHITE, free - left);
        let at = pos2(left, area.center().y - 1.5 * zoom - 0.5 * name.size().y);
        ui.painter().galley(at, name, Color32::WHITE);
        responses
    }

    fn output_ui(&self, ui: &mut Ui, id: NodeId, _: &Graph, paint: &mut Paint, name: &str) -> Vec<Response> {
        ui.set_opacity(1.0);
        let label = self.port_label(ui, paint, name, theme::current(ui).text);
        paint.row(ui, id, End::Output, name, label);
        Vec::new()
    }

    /// The last hook before the ports: the thumbnail, a footer with title and time, and the frame, now that the size is known.
    fn bottom_ui(&self, ui: &mut Ui, id: NodeId, graph: &Graph, paint: &mut Paint) -> Vec<Response> {
        ui.set_opacity(1.0);
        let (look, zoom) = (theme::current(ui), paint.zoom);
        if self.outline == Outline::Dot {
            let rect = self.dot(ui, zoom);
            paint.finish(ui, id, graph, rect, self.pill(look, rect, zoom));
            return Vec::new();
        }
        if zoom < NAMES {
            let foot = (MARGIN.y + 0.5 * (TITLE_HEIGHT + MARGIN.y) - 1.0) * zoom;
            let bottom = ui.min_rect().top() + (self.height.unwrap_or(0.0) - MARGIN.y) * zoom - foot;
            ui.allocate_space(vec2(1.0, (bottom - ui.cursor().top()).max(0.0)));
        } else {
            self.thumbnail(ui, zoom);
            ui.allocate_space(vec2(1.0, 5.0 * zoom));
        }
        let mut rect = ui.min_rect().expand2(MARGIN * zoom);
        rect.max.x = rect.max.x.max(rect.min.x + layout::WIDTH * zoom);
        // The crate's own body reaches down by about half a title bar.
        rect.max.y += (0.5 * (TITLE_HEIGHT + MARGIN.y) - 1.0) * zoom;
        if zoom < NAMES {
            let color = if self.muted { look.dim } else { Color32::WHITE };
            self.tile(ui, rect, zoom, color);
        } else {
            self.foot(ui, look, rect, zoom);
        }
        self.badge(ui, look, rect, zoom);
        paint.finish(ui, id, graph, rect, self.frame(look, rect, zoom));
        Vec::new()
    }

    fn can_flip(&self, _: NodeId, _: &Graph, _: &mut Paint) -> bool {
        false
    }

    fn can_delete(&self, _: NodeId, _: &Graph, _: &mut Paint) -> bool {
        false
    }
}

impl NodeView {
    pub(super) fn new(name: &str, title: &str, color: Color32) -> NodeView {
        NodeView {
            name: name.to_string(),
            title: title.to_string(),
            outline: Outline::Box,
            color,
            repeats: Repeats::Once,
            ms: None,
            heat: None,
            invariant: false,
            joined: None,
            muted: false,
            bake: None,
            runs: None,
            severity: None,
            selected: false,
            hovered: false,
            breakpoint: false,
            next: false,
            height: None,
            thumbnail: None,
        }
    }

    /// A port's name, if it is large enough to be read.
    fn port_label(&self, ui: &mut Ui, paint: &Paint, name: &str, color: Color32) -> Rect {
        if self.outline == Outline::Dot {
            return ui.allocate_exact_size(vec2(1.0, 1.0), Sense::hover()).0;
        }
        // A row is as high at any zoom as at zoom 1, though its text may not be that small.
        let height = ROW * paint.zoom;
        if paint.zoom < NAMES {
            return ui.allocate_exact_size(vec2(1.0, height), Sense::hover()).0;
        }
        let font = FontId::proportional(text_size(13.0, paint.zoom));
        let galley = ui.painter().layout_no_wrap(name.to_string(), font, color);
        let (rect, _) = ui.allocate_exact_size(vec2(galley.size().x, height), Sense::hover());
        ui.painter().galley(rect.center() - 0.5 * galley.size(), galley, color);
        rect
    }

    /// A field for the iterations, or what runs over a domain. Returns where it begins, since the name gets the rest of the row.
    fn repeats(&self, ui: &mut Ui, id: NodeId, area: Rect, zoom: f32) -> (f32, Vec<Response>) {
        let right = area.right() + 8.0 * zoom;
        match &self.repeats {
            Repeats::Once => match self.runs {
                None => (right, Vec::new()),
                Some(count) => {
                    let text = if count == 1 { "1 node".into() } else { format!("{count} nodes") };
                    let at = pos2(right, area.center().y - 1.5 * zoom);
                    let font = FontId::proportional(text_size(10.0, zoom));
                    let color = Color32::WHITE.gamma_multiply(0.75);
                    let text = ui.painter().text(at, Align2::RIGHT_CENTER, text, font, color);
                    (text.left() - 4.0 * zoom, Vec::new())
                }
            },
            Repeats::Computed(text) => {
                let at = pos2(right, area.center().y - 1.5 * zoom);
                let font = FontId::monospace(text_size(11.0, zoom));
                let text = ui.painter().text(at, Align2::RIGHT_CENTER, format!("×{text}"), font, Color32::WHITE);
                (text.left() - 4.0 * zoom, Vec::new())
            }
            Repeats::Count(count) => {
                let mut now = *count;
                let size = (COUNT * zoom).max(MIN_COUNT);
                let rect = Rect::from_center_size(pos2(right - 0.5 * size.x, area.center().y - 1.5 * zoom), size);
                // A file may hold a value out of range; that is reported as a problem, and must not cause an edit.
                let field = number_field(ui, &mut now).prefix("×").range(1..=10_000).speed(0.1);
                let field = field.clamp_existing_to_range(false);
                // Placed outside of the layout, which would allocate too much space.
                let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rect));
                ui.style_mut().text_styles.insert(TextStyle::Button, FontId::monospace(text_size(11.0, zoom)));
                ui.spacing_mut().button_padding = vec2(3.0, 0.0) * zoom;
                ui.spacing_mut().interact_size = size;
                let states = &mut ui.visuals_mut().widgets;
                for state in [&mut states.inactive, &mut states.hovered, &mut states.active] {
                    state.fg_stroke.color = Color32::WHITE;
                    state.weak_bg_fill = Color32::from_black_alpha(70);
                }
                let response = ui.put(rect, field);
                response.widget_info(|| {
                    let name = format!("iterations {}", self.name);
                    egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, name)
                });
                let response = response.on_hover_text("Iterations per frame");
                let node_response = response.changed().then_some(NodeResponse::User(WidgetAction::Repeat(id, now)));
                (rect.left() - 4.0 * zoom, node_response.into_iter().collect())
            }
        }
    }

    /// The thumbnail, across the whole node.
    fn thumbnail(&self, ui: &mut Ui, zoom: f32) {
        let Some((texture, aspect)) = self.thumbnail else { return };
        let width = (layout::WIDTH - 2.0 * MARGIN.x) * zoom;
        let height = (width * aspect).min(MAX_THUMBNAIL * zoom);
        let (_, room) = ui.allocate_space(vec2(width, height + 4.0 * zoom));
        let size = vec2((height / aspect).min(width), height);
        self.image(ui, texture, Rect::from_center_size(room.center(), size));
    }

    fn image(&self, ui: &Ui, texture: TextureId, rect: Rect) {
        let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
        ui.painter().image(texture, rect, whole, Color32::WHITE);
        let response = ui.interact(rect, ui.id().with("thumbnail"), Sense::hover());
        let name = || format!("thumbnail of {}", self.name);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, name()));
    }

    /// The name of a node whose ports have none, its thumbnail below it, and its title if there is room.
    fn tile(&self, ui: &Ui, rect: Rect, zoom: f32, color: Color32) {
        let room = block_room(rect.size(), zoom);
        let upper = vec2(room.x, 0.5 * room.y);
        let image = self.thumbnail.map(|image| (image, block(ui.painter(), &self.name, color, upper)));
        if let Some(((texture, aspect), (name, _))) = image.filter(|(_, (_, fits))| *fits) {
            let top = rect.top() + 2.0;
            let below = Rect::from_min_max(pos2(rect.left(), top + name.size().y), rect.max).shrink(2.0 + 4.0 * zoom);
            if below.height() >= SMALLEST {
                let width = below.width().min(below.height() / aspect);
                self.image(ui, texture, Rect::from_center_size(below.center(), vec2(width, width * aspect)));
                ui.painter().galley(pos2(rect.center().x, top), name, color);
                return;
            }
        }
        let (name, _) = block(ui.painter(), &self.name, color, room);
        let faint = color.gamma_multiply(0.65);
        let title = ui.painter().layout_no_wrap(self.title.clone(), FontId::proportional(SMALLEST), faint);
        let titled = title.size().x <= room.x && name.size().y + title.size().y <= room.y;
        let top = rect.center().y - 0.5 * (name.size().y + if titled { title.size().y } else { 0.0 });
        if titled {
            let at = pos2(rect.center().x - 0.5 * title.size().x, top + name.size().y);
            ui.painter().galley(at, title, faint);
        }
        // A centred galley extends to both sides of its place.
        ui.painter().galley(pos2(rect.center().x, top), name, color);
    }

    fn foot(&self, ui: &Ui, look: &Look, rect: Rect, zoom: f32) {
        let (left, right) = (rect.left() + 9.0 * zoom, rect.right() - 9.0 * zoom);
        let height = rect.bottom() - 11.0 * zoom;
        let ms = match self.ms {
            _ if self.muted => "bypassed".into(),
            Some(ms) => format!("{ms:.2} ms"),
            None => match &self.joined {
                _ if self.invariant => "static".into(),
                Some(host) => format!("in {}", shortened(host)),
                None => String::new(),
            },
        };
        let font = FontId::monospace(text_size(9.5, zoom));
        let time = ui.painter().layout_no_wrap(ms, font, look.faint);
        let whole = ui.painter().layout_no_wrap(self.title.clone(), FontId::proportional(SMALLEST), look.faint);
        // The title comes first.
        let room = right - left - whole.size().x - 6.0;
        let timed = time.size().x <= room || self.ms.is_some();
        let end = if timed { right - time.size().x - 4.0 } else { right };
        if timed {
            ui.painter().galley(pos2(right - time.size().x, height - 0.5 * time.size().y), time, look.faint);
        }
        let title = one_line(ui.painter(), &self.title, 11.0 * zoom, look.faint, end - left);
        ui.painter().galley(pos2(left, height - 0.5 * title.size().y), title, look.faint);
    }

    /// Body, title bar and border; a point larger than the crate's own, to cover it.
    fn frame(&self, look: &Look, rect: Rect, zoom: f32) -> Shape {
        let rect = rect.expand(zoom.max(1.0));
        let radius = (6.0 * zoom).round().clamp(2.0, 12.0) as u8;
        // Without ports, all of it is the title.
        let below = if zoom < NAMES { rect.bottom() } else { rect.top() + (TITLE_HEIGHT + 1.4 * MARGIN.y) * zoom };
        let head = Rect::from_min_max(rect.min, pos2(rect.right(), below));
        let round = |ne, se| CornerRadius { nw: ne, ne, sw: se, se };
        let (color, width) = self.border(look);
        let shadow = Shadow { offset: [0, 3], blur: 12, spread: 0, color: look.shadow };
        let (body, title) = self.fills(look, zoom);
        let corners = CornerRadius::same(radius);
        let border = Stroke::new(width, color);
        let mut shapes = vec![
            RectShape::new(rect, corners, body, border, StrokeKind::Outside).into(),
            RectShape::filled(head, round(radius, if zoom < NAMES { radius } else { 0 }), title).into(),
        ];
        if zoom >= NAMES {
            shapes.insert(0, shadow.as_shape(rect, corners).into());
        }
        shapes.extend(self.inner_border(look, rect, corners, zoom));
        shapes.extend(self.debug_marks(look, rect, zoom));
        if let Some(heat) = self.heat {
            let bar = pos2(rect.left() + rect.width() * heat.clamp(0.0, 1.0), rect.bottom());
            let bar = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 3.0 * zoom.max(0.6)), bar);
            shapes.push(RectShape::filled(bar, CornerRadius::same(1), look.heat(heat.sqrt())).into());
        }
        Shape::Vec(shapes)
    }

    /// Colours of the body and the title, tinted by the share of the GPU's time.
    pub(super) fn fills(&self, look: &Look, zoom: f32) -> (Color32, Color32) {
        let (body, title) = match self.muted {
            true => (look.canvas.lerp_to_gamma(look.node, 0.35), look.canvas.lerp_to_gamma(self.color, 0.35)),
            false if zoom < NAMES && look.dark => (look.node, look.node.lerp_to_gamma(self.color, 0.8)),
            false => (look.node, self.color),
        };
        let Some(heat) = self.heat.map(|heat| heat.clamp(0.0, 1.0).sqrt()) else { return (body, title) };
        // On a title of its own colour another one would only look grey.
        let plain = title.lerp_to_gamma(look.node, PLAIN);
        (body.lerp_to_gamma(look.heat(heat), TINT * heat), plain.lerp_to_gamma(look.heat(heat), heat))
    }

    fn border(&self, look: &Look) -> (Color32, f32) {
        match (self.selected, self.hovered, self.wrong(look)) {
            (true, ..) => (look.accent, 2.0),
            (_, true, _) => (look.bright, 1.5),
            (.., Some(color)) => (color, 1.5),
            _ => (look.line, 1.0),
        }
    }

    /// An error also shows where the border has another meaning.
    fn inner_border(&self, look: &Look, rect: Rect, radius: CornerRadius, zoom: f32) -> Option<Shape> {
        let color = self.wrong(look).filter(|_| self.selected || self.hovered)?;
        Some(RectShape::stroke(rect, radius, Stroke::new((2.5 * zoom).max(1.5), color), StrokeKind::Inside).into())
    }

    fn wrong(&self, look: &Look) -> Option<Color32> {
        self.severity.map(|severity| match severity {
            Severity::Error => look.error,
            Severity::Warning => look.warning,
        })
    }

    /// The area of a reroute: around its two ports.
    fn dot(&self, ui: &Ui, zoom: f32) -> Rect {
        let rows = ui.min_rect();
        let middle = pos2(rows.left() + 10.0 * zoom, rows.bottom() - 0.5 * ui.spacing().item_spacing.y - 1.0);
        Rect::from_center_size(middle, DOT * zoom)
    }

    fn pill(&self, look: &Look, rect: Rect, zoom: f32) -> Shape {
        let (color, width) = self.border(look);
        let radius = CornerRadius::same((0.5 * rect.height()).min(127.0) as u8);
        let width = width * zoom.max(0.7);
        let body: Shape = RectShape::new(rect, radius, look.node, Stroke::new(width, color), StrokeKind::Inside).into();
        match self.inner_border(look, rect.shrink(width), radius, zoom) {
            Some(inner) => Shape::Vec(vec![body, inner]),
            None => body,
        }
    }
}

/// The room for the name in a node's title bar at a zoom.
#[cfg(test)]
pub(super) fn title_room(zoom: f32, counted: bool) -> f32 {
    let field = if counted { (COUNT.x * zoom).max(MIN_COUNT.x) + 4.0 * zoom } else { 0.0 };
    (layout::WIDTH - 2.0 * MARGIN.x + 14.0) * zoom - field
}

/// What was done to the widgets on a node.
#[derive(Clone, Debug)]
pub(super) enum WidgetAction {
    /// Set the iterations of a node.
    Repeat(NodeId, u32),
}

impl UserResponseTrait for WidgetAction {}
