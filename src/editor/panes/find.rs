//! What Find lists: the nodes of the document, then their parameters with their values.

use super::canvas::Canvas;
use crate::document::{NodeKind, Nodes};
use crate::edit;
use crate::model::declared::declared;
use crate::model::session::Session;
use crate::toolkit::picker::Item;
use crate::toolkit::theme::Look;

/// Longer values are cut off \[characters\].
const LONGEST: usize = 24;

/// Something to go to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SearchHit {
    /// A node, by its path.
    Node(String),
    /// A parameter of a node.
    Param(String, String),
}

impl SearchHit {
    /// Text of the hit, for the list.
    pub(crate) fn key(&self) -> String {
        match self {
            SearchHit::Node(path) => path.clone(),
            SearchHit::Param(path, param) => format!("{path}.{param}"),
        }
    }

    /// The place of such a text. Names have no dots.
    pub(crate) fn parse(key: &str) -> SearchHit {
        match key.split_once('.') {
            Some((path, param)) => SearchHit::Param(path.into(), param.into()),
            None => SearchHit::Node(key.into()),
        }
    }
}

/// All places and their list items.
pub(crate) fn places(session: &Session, look: &Look) -> (Vec<String>, Vec<Item>) {
    let (mut keys, mut items) = Canvas::nodes_to_find(session, look);
    let mut params = Vec::new();
    collect(session, look, &session.document().nodes, "", &mut params);
    for (place, item) in params {
        keys.push(place.key());
        items.push(item);
    }
    (keys, items)
}

/// Parameters of the nodes of a level and of its own groups.
fn collect(session: &Session, look: &Look, nodes: &Nodes, path: &str, found: &mut Vec<(SearchHit, Item)>) {
    let library = session.library();
    for (name, node) in nodes {
        let whole = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        for param in declared(node, library) {
            let value = match node.inputs.get(&param.name) {
                Some(link) => link.to_string(),
                None => node.params.get(&param.name).unwrap_or(&param.default).to_string(),
            };
            let short: String = value.chars().take(LONGEST).collect();
            let short = if short == value { short } else { format!("{short}…") };
            let item = Item {
                title: format!("{name}.{}", param.name),
                group: "parameters".into(),
                words: format!("{path} {} {value}", edit::signature::node(node, library).title),
                note: format!("{short} {}", param.unit).trim_end().to_string(),
                doc: param.doc,
                color: Some(look.kind(&node.kind)),
                enabled: true,
            };
            found.push((SearchHit::Param(whole.clone(), param.name), item));
        }
        if let NodeKind::Group(group) = &node.kind {
            collect(session, look, &group.nodes, &whole, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_their_keys() {
        for place in [SearchHit::Node("a/b".into()), SearchHit::Param("a/b".into(), "radius".into())] {
            assert_eq!(SearchHit::parse(&place.key()), place);
        }
    }
}
