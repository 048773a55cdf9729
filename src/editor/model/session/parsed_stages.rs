//! Stages that are being edited: while a text does not parse, its node shows the ports of the last text that did.

use std::collections::BTreeMap;

use crate::document::{Document, Node, NodeKind, Nodes, Scope};
use crate::stage::Stage;

/// The last text of each Custom node that parsed, by the node's path.
#[derive(Debug, Default)]
pub(super) struct Readable(BTreeMap<String, String>);

impl Readable {
    /// Notes the texts of a document that parse.
    pub(super) fn note(&mut self, document: &Document) {
        let mut before = std::mem::take(&mut self.0);
        self.note_level(&mut before, &document.nodes, &Scope::default());
    }

    fn note_level(&mut self, before: &mut BTreeMap<String, String>, nodes: &Nodes, scope: &Scope) {
        for (name, node) in nodes {
            let path = scope.path(name);
            match &node.kind {
                NodeKind::Group(group) => self.note_level(before, &group.nodes, &scope.inside(name)),
                NodeKind::Custom(source) => {
                    let last_parsed = before.remove(&path);
                    let reads = last_parsed.as_ref() == Some(source) || Stage::outline(name, source).is_ok();
                    self.0.extend(if reads { Some(source.clone()) } else { last_parsed }.map(|text| (path, text)));
                }
                _ => {}
            }
        }
    }

    /// The document with the last valid texts on a level, if some texts are not valid.
    pub(super) fn repaired(&self, document: &Document, scope: &Scope) -> Option<Document> {
        let nodes = document.level(scope)?.nodes();
        let broken = |(name, node): (&String, &Node)| -> Option<(String, &String)> {
            let NodeKind::Custom(source) = &node.kind else { return None };
            let path = scope.path(name);
            let text = self.0.get(&path).filter(|text| *text != source)?;
            Some((path, text))
        };
        let broken: Vec<(String, &String)> = nodes.iter().filter_map(broken).collect();
        if broken.is_empty() {
            return None;
        }
        let mut repaired = document.clone();
        for (path, text) in broken {
            if let Some(node) = repaired.node_mut(&path) {
                node.kind = NodeKind::Custom(text.clone());
            }
        }
        Some(repaired)
    }
}
