//! Nodes are added from our own palette, so the crate's finder is empty and never opens.

use std::borrow::Cow;

use egui_node_graph::{NodeId, NodeTemplateIter, NodeTemplateTrait};

use super::view::{Graph, NodeView, Paint, PortValue, PortView};

#[derive(Clone)]
pub(super) enum NoTemplate {}

pub(super) struct NoTemplates;

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
