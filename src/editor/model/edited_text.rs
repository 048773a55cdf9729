//! A text that the user can edit, and the nodes whose kernels contain it.

use crate::document::{Document, NodeKind};
use crate::graph::{Graph, Kind};
use crate::library::Library;

/// Where a text is that can be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EditedText {
    /// In the graph: a Custom stage, by its node's path.
    Node(String),
    /// In the graph: shared functions, by their name.
    Shared(String),
    /// A file of the stages folder, with a stage or with shared functions, by its name.
    File(String),
}

impl EditedText {
    /// The text as it is stored.
    pub(crate) fn text<'a>(&self, document: &'a Document, library: &'a Library) -> Option<&'a str> {
        match self {
            EditedText::Node(path) => match &document.node(path)?.kind {
                NodeKind::Custom(text) => Some(text),
                _ => None,
            },
            EditedText::Shared(name) => document.shared.get(name).map(String::as_str),
            EditedText::File(name) => library.file(name).map(|file| file.text.as_str()),
        }
    }

    /// Paths of the nodes whose stage has the text, or part of it.
    pub(crate) fn nodes(&self, graph: &Graph) -> Vec<String> {
        let (EditedText::Shared(name) | EditedText::File(name)) = self else {
            let EditedText::Node(path) = self else { return Vec::new() };
            return vec![path.clone()];
        };
        let stages = graph.nodes.iter().filter_map(|node| match &node.kind {
            Kind::Stage(stage) => Some((node, stage)),
            _ => None,
        });
        let has = stages.filter(|(_, stage)| {
            let file = matches!(self, EditedText::File(_)) && stage.name == *name;
            file || stage.used().lines().iter().any(|lines| *lines.file == **name)
        });
        has.map(|(node, _)| node.path.clone()).collect()
    }
}
