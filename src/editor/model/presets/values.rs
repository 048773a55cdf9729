//! Which presets a node may have, the values that they hold, and what applying one sets.

use std::collections::BTreeMap;

use crate::document::{Node, NodeKind, ParamValue};
use crate::edit;
use crate::library::Library;
use crate::model::declared::declared;
use crate::model::session::Assignment;
use crate::printable;

/// What nodes must have in common to share presets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PresetKind {
    /// In the file: the name of a stage, or `custom: TITLE`, `group: NAME`, `state: TYPE`, `kind: TITLE`, which no stage can have.
    pub key: String,
    /// In messages.
    pub title: String,
}

impl PresetKind {
    /// The kind of a node; `None` where it has no parameters to keep.
    pub(crate) fn of_node(name: &str, node: &Node, library: &Library) -> Option<PresetKind> {
        let title = edit::signature::node(node, library).title;
        let has_params = !declared(node, library).is_empty();
        let (key, title) = match &node.kind {
            NodeKind::Stage(stage) if has_params => (stage.clone(), title),
            NodeKind::Custom(_) if has_params => (format!("custom: {title}"), title),
            NodeKind::Group(_) if has_params => (format!("group: {name}"), name.to_string()),
            NodeKind::State(ty) => (format!("state: {ty}"), title),
            NodeKind::Domain(_) | NodeKind::Number(_) => (format!("kind: {title}"), title),
            _ => return None,
        };
        Some(PresetKind { key, title })
    }
}

/// The values of a node that a preset holds: those of its parameters that no wire sets.
pub(crate) fn held(node: &Node, library: &Library) -> BTreeMap<String, ParamValue> {
    let mut held = BTreeMap::new();
    for param in declared(node, library) {
        if !node.inputs.contains_key(&param.name) {
            let value = node.params.get(&param.name).unwrap_or(&param.default).clone();
            held.insert(param.name, value);
        }
    }
    match &node.kind {
        NodeKind::Domain(domain) => {
            let numbers = domain.resolution.iter().map(|cells| match cells {
                ParamValue::Number(cells) => Some(*cells),
                _ => None,
            });
            let text = |cells: &ParamValue| match cells {
                ParamValue::Expression(text) => text.clone(),
                other => other.to_string(),
            };
            let computed = || domain.resolution.iter().map(text).collect::<Vec<_>>().join(", ");
            let resolution = numbers.collect::<Option<Vec<f64>>>().map(ParamValue::Vector);
            let resolution = resolution.unwrap_or_else(|| ParamValue::Expression(computed()));
            held.insert("resolution".into(), resolution);
            held.insert("width".into(), domain.width.clone());
            held.insert("edge".into(), ParamValue::Expression(domain.edge.to_string()));
        }
        NodeKind::Number(number) => {
            held.insert("value".into(), node.params.get("value").unwrap_or(number).clone());
        }
        NodeKind::State(_) => {
            let fields = node.params.get("value").map(|value| ("value", value));
            let fields = fields.into_iter().chain(node.capacity.as_ref().map(|capacity| ("capacity", capacity)));
            held.extend(fields.map(|(name, value)| (name.to_string(), value.clone())));
        }
        _ => {}
    }
    held
}

/// What setting these values changes in a node with this path, and the names that the node has no parameter for. A parameter that
/// a wire sets keeps its wire.
pub(crate) fn assignments(
    path: &str,
    node: &Node,
    values: &BTreeMap<String, ParamValue>,
    library: &Library,
) -> (Vec<Assignment>, Vec<String>) {
    let declared = declared(node, library);
    let fields: &[&str] = match node.kind {
        NodeKind::Domain(_) => &["resolution", "width", "edge"],
        NodeKind::State(_) => &["value", "capacity"],
        NodeKind::Number(_) => &["value"],
        _ => &[],
    };
    let (mut assignments, mut unknown) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let param = declared.iter().find(|param| param.name == *name);
        if param.is_none() && !fields.contains(&name.as_str()) {
            unknown.push(name.clone());
        } else if !node.inputs.contains_key(name) {
            let default = param.is_some_and(|param| param.default == *value);
            assignments.push(Assignment { node: path.into(), param: name.clone(), value: value.clone(), default });
        }
    }
    (assignments, unknown)
}

/// What gives all parameters of a node their defaults. Those that have them are left out.
pub(crate) fn defaults(path: &str, node: &Node, library: &Library) -> Vec<Assignment> {
    let declared = declared(node, library);
    let set = declared.into_iter().filter(|param| node.params.contains_key(&param.name));
    set.map(|param| Assignment { node: path.into(), param: param.name, value: param.default, default: true }).collect()
}

/// The message about a preset that could not be applied as a whole: names that the kind has no parameter for, and those whose
/// values this version cannot read.
pub(crate) fn message(preset: &str, kind: &PresetKind, unknown: &[String], unreadable: &[String]) -> Option<String> {
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{}`", printable::cut(name))).collect();
        names.join(", ")
    };
    let title = &kind.title;
    let unknown =
        (!unknown.is_empty()).then(|| format!("{title} no longer has {}, which the preset sets", list(unknown)));
    let unreadable =
        (!unreadable.is_empty()).then(|| format!("this version cannot read the value of {}", list(unreadable)));
    let causes: Vec<String> = unknown.into_iter().chain(unreadable).collect();
    (!causes.is_empty()).then(|| format!("Applied `{preset}` in part: {}.", causes.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn node(text: &str) -> Node {
        let document = Document::parse(&format!("(version: 1, nodes: {{\"n\": {text}}})")).unwrap();
        document.nodes["n"].clone()
    }

    #[test]
    fn nodes_share_presets_by_stage_title_or_name() {
        let library = Library::builtin();
        let key = |text: &str| PresetKind::of_node("n", &node(text), library).map(|kind| kind.key);
        assert_eq!(key(r#"(stage: "fluid/dissipate")"#).as_deref(), Some("fluid/dissipate"));
        let custom = r#"(custom: "//! Fade\n//! @inout field: Grid<f32>\n//! @param rate: f32 = 0.01\n\nfn stage(cell: Cell) -> f32 { return field(cell); }\n")"#;
        assert_eq!(key(custom).as_deref(), Some("custom: Fade"));
        assert_eq!(key(r#"(number: 2)"#).as_deref(), Some("kind: Number"));
        assert_eq!(key(r#"(state: "Grid<f32>")"#).as_deref(), Some("state: Grid<f32>"));
        let group =
            r#"(group: (outputs: {}, params: {"rate": ["inner.rate"]}, nodes: {"inner": (stage: "fluid/dissipate")}))"#;
        assert_eq!(key(group).as_deref(), Some("group: n"));
        for without in ["(reroute: ())", "(output: ())", r#"(stage: "no/such")"#, r#"(custom: "not a stage")"#] {
            assert_eq!(key(without), None, "{without}");
        }
    }

    #[test]
    fn a_domain_gets_back_what_a_preset_of_it_holds() {
        let library = Library::builtin();
        for text in [
            r#"(domain: (resolution: (96, 32), width: 2, edge: (y: "wrap")))"#,
            r#"(domain: (resolution: ("ceil(4 / h)", 8, "n / 2"), width: "4 * h", edge: "wall"))"#,
        ] {
            let before = node(text);
            let mut document =
                Document::parse(r#"(version: 1, nodes: {"n": (domain: (resolution: (8, 8)))})"#).unwrap();
            let (assignments, unknown) = assignments("n", &document.nodes["n"], &held(&before, library), library);
            assert!(unknown.is_empty());
            assignments.into_iter().for_each(|one| document.set("n", &one.param, one.value).unwrap());
            assert_eq!(document.nodes["n"].kind, before.kind);
        }
    }

    #[test]
    fn wires_stay_and_what_a_stage_no_longer_has_is_named() {
        let library = Library::builtin();
        let wired = node(r#"(stage: "fluid/dissipate", inputs: {"rate": "n.value"})"#);
        let values = BTreeMap::from([
            ("rate".to_string(), ParamValue::Number(3.0)),
            ("gone".to_string(), ParamValue::Number(1.0)),
        ]);
        assert!(held(&wired, library).is_empty());
        let (set, unknown) = assignments("a/n", &wired, &values, library);
        assert_eq!((set.len(), unknown.as_slice()), (0, ["gone".to_string()].as_slice()));
        let kind = PresetKind { key: "fluid/dissipate".into(), title: "Dissipate".into() };
        let text = message("Slow", &kind, &unknown, &["odd".into()]).unwrap();
        assert_eq!(
            text,
            "Applied `Slow` in part: Dissipate no longer has `gone`, which the preset sets; \
             this version cannot read the value of `odd`."
        );
        assert_eq!(message("Slow", &kind, &[], &[]), None);
    }
}
