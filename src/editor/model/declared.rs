//! The parameters that nodes declare.

use crate::document::{Node, ParamValue};
use crate::edit;
use crate::library::Library;
use crate::stage::header::{Param, ParamType};
use crate::stage::types::ValueType;

/// Maximum number of iterations in a frame.
const MAX_ITERATIONS: f64 = 10_000.0;

/// The parameters that a node declares: a stage's own, or those that a group exposes.
pub(crate) fn declared(node: &Node, library: &Library) -> Vec<Param> {
    if let Some(stage) = edit::stage_of(node, library) {
        return stage.header.params.clone();
    }
    let Some(group) = edit::group_of(node, library) else { return Vec::new() };
    let exposed = group.params.iter().filter_map(|(name, links)| {
        let repeats = || links.first().filter(|link| link.port == "iterations").map(|_| iterations());
        let waits = || {
            let link = links.first().filter(|link| link.port == "until")?;
            let until = group.nodes.get(&link.node)?.until.as_ref()?;
            Some(Param { default: until.below.clone(), ..below() })
        };
        let param = edit::signature::exposed(group, links, library).or_else(repeats).or_else(waits)?;
        Some(Param { name: name.clone(), ..param })
    });
    exposed.collect()
}

/// The iterations of a node inside a group, as a parameter of the group.
pub(crate) fn iterations() -> Param {
    Param {
        name: String::new(),
        ty: ParamType::Value(ValueType::U32),
        default: ParamValue::Number(1.0),
        range: (Some(1.0), Some(MAX_ITERATIONS)),
        soft: (Some(1.0), Some(100.0)),
        fixed: true,
        steady: None,
        handle: None,
        doc: "Iterations per frame".into(),
        unit: String::new(),
        line: 0,
    }
}

/// The limit that stops a nested group, as a parameter.
fn below() -> Param {
    Param {
        name: String::new(),
        ty: ParamType::Value(ValueType::F32),
        default: ParamValue::Number(0.0),
        range: (None, None),
        soft: (None, None),
        fixed: false,
        steady: None,
        handle: None,
        doc: "The group stops when the output falls below this limit".into(),
        unit: String::new(),
        line: 0,
    }
}
