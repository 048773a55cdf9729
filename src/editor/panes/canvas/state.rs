//! State of the canvas: the crate's copy of the graph, what is shown of the open level, and what is open over it.

use std::collections::BTreeMap;

use eframe::egui::{TextureId, Vec2};
use egui_node_graph::{InputId, NodeId, OutputId};

use super::drawn::Drawn;
use super::figures::Figures;
use super::gesture_state::Gesture;
use super::glide::{Glide, Room};
use super::interest::Interest;
use super::popups::Popups;
use super::view::{Paint, State};
use super::viewport::Viewport;
use super::wires::WireShape;
use crate::document::{Level, Link, Scope};
use crate::edit::{InputEnd, NodeSignature};
use crate::model::layout;
use crate::model::layout::route::Routing;

/// Thumbnails by node, each with its height for a width of 1.
pub(crate) type Thumbnails = BTreeMap<String, (TextureId, f32)>;

/// Canvas of a graph: the open level as it is shown, and the gestures and popups over it.
pub(crate) struct Canvas {
    /// The node-graph crate's own copy of the graph, and what its hooks know.
    pub(super) state: State,
    pub(super) paint: Paint,
    pub(super) level: LevelView,
    pub(super) drawn: Drawn,
    pub(super) figures: Figures,
    pub(super) view: Viewport,
    pub(super) gesture: Gesture,
    pub(super) popups: Popups,
    pub(super) interest: Interest,
    /// Nodes that glide to their places.
    pub(super) glide: Glide,
    /// Room for thumbnails.
    pub(super) room: Room,
    /// Whether the canvas was drawn in this frame, and not behind another pane.
    pub(super) shown: bool,
    pub options: Options,
    /// Thumbnails by node.
    pub thumbnails: Thumbnails,
}

/// What the canvas shows of the open level.
#[derive(Default)]
pub(super) struct LevelView {
    /// The edit, the plan, the level and the theme that it was built after.
    pub built: Option<(u64, u64, Scope, bool)>,
    pub signatures: BTreeMap<String, NodeSignature>,
    /// Numbers of the level, and the nodes whose expressions name them.
    pub mentions: Vec<(String, String)>,
    /// Wires as they were drawn.
    pub wires: Vec<WireShape>,
    /// Lines from numbers to the nodes that name them, as they were drawn.
    pub mentioned: Vec<WireShape>,
    /// The ways of all wires.
    pub routing: Routing,
    /// The wires are those of the level as it is, but for this one, which is dragged.
    pub listed: Option<Option<InputEnd>>,
}

/// What is shown besides nodes and wires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Shares of the GPU's time, as colours of the nodes.
    pub heat: bool,
    pub minimap: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { heat: false, minimap: true }
    }
}

impl Default for Canvas {
    fn default() -> Canvas {
        Canvas {
            state: State::new(1.0),
            paint: Paint::default(),
            level: LevelView::default(),
            drawn: Drawn::default(),
            figures: Figures::default(),
            view: Viewport::default(),
            gesture: Gesture::default(),
            popups: Popups::default(),
            interest: Interest::default(),
            glide: Glide::default(),
            room: Room::default(),
            shown: false,
            options: Options::default(),
            thumbnails: Thumbnails::new(),
        }
    }
}

impl Canvas {
    pub(super) fn input(&self, end: &InputEnd) -> Option<InputId> {
        let node = self.state.graph.nodes.get(*self.drawn.ids.get(&end.node)?)?;
        node.inputs.iter().find(|(name, _)| *name == end.port).map(|(_, id)| *id)
    }

    pub(super) fn output(&self, link: &Link) -> Option<OutputId> {
        let position = self.level.signatures.get(&link.node)?.output(&link.port)?;
        let node = self.state.graph.nodes.get(*self.drawn.ids.get(&link.node)?)?;
        node.outputs.get(position).map(|(_, id)| *id)
    }

    pub(super) fn name(&self, id: NodeId) -> Option<String> {
        self.state.graph.nodes.get(id).map(|node| node.user_data.name.clone())
    }

    pub(super) fn input_end(&self, id: InputId) -> Option<InputEnd> {
        let node = self.state.graph.nodes.get(self.state.graph.try_get_input(id)?.node)?;
        let (port, _) = node.inputs.iter().find(|(_, input)| *input == id)?;
        Some(InputEnd { node: node.user_data.name.clone(), port: port.clone() })
    }

    pub(super) fn link(&self, id: OutputId) -> Option<Link> {
        let node = self.state.graph.nodes.get(self.state.graph.try_get_output(id)?.node)?;
        let (port, _) = node.outputs.iter().find(|(_, output)| *output == id)?;
        Some(Link { node: node.user_data.name.clone(), port: port.clone() })
    }

    /// The level as its layout sees it.
    pub(super) fn flow(&self, level: Level<'_>) -> layout::Flow {
        let drawn_size = |name: &str| self.drawn.sizes.get(name).copied();
        let estimate = |name: &str| self.level.signatures.get(name).map_or(Vec2::ZERO, layout::node_size);
        let size = |name: &str| drawn_size(name).unwrap_or_else(|| estimate(name));
        layout::Flow::new(level, &self.level.signatures, |name| layout::node_position(level, name), size)
    }

    /// A node's size, as far as it was drawn \[points of the document\].
    pub(super) fn size(&self, name: &str) -> Option<Vec2> {
        let drawn_size = self.drawn.sizes.get(name).copied();
        drawn_size.or_else(|| self.level.signatures.get(name).map(layout::node_size))
    }
}
