//! Documents with variants: each is chosen and left, compiled, changed and written, in any order.

use std::collections::BTreeSet;

use stagewright_compiler::PlanOptions;
use stagewright_language::document::{Document, Group, Link, Node, NodeKind, Nodes, ParamValue, Scope, Variant};
use stagewright_language::edit;
use stagewright_language::library::Library;

use super::{Target, graph};
use crate::corpus::{SMALL, corpus};
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const VARIANT: Target = Target {
    name: "variant",
    ending: "ron",
    weight: 6,
    short: 60,
    levels: &["refused", "read", "chosen", "planned"],
    make,
    run,
};

const NAMES: &[&str] = &["slow", "b", "as printed", "水", "default", "", "line\nbreak", "a/b.c"];
const BAD_KEYS: &[&str] =
    &["nothing.value", "in.x", "top", ".", "x/y.z", "top/nothing.rounds", "o.image.x", "\u{1b}.a"];
const STAGES: &[&str] = &["filter/binomial", "fluid/dissipate", "grid/from_field", "shape/sphere", "no/such", ""];

/// Paths of all nodes, also of those inside groups.
fn paths(nodes: &Nodes, scope: &Scope, all: &mut Vec<String>) {
    for (name, node) in nodes {
        all.push(scope.path(name));
        if let NodeKind::Group(group) = &node.kind {
            let Group { nodes, .. } = &**group;
            paths(nodes, &scope.inside(name), all);
        }
    }
}

/// A value like another one.
fn like(random: &mut Random, value: Option<&ParamValue>) -> ParamValue {
    let number = |random: &mut Random| *random.one(&[0.0, 0.25, 0.5, 1.0, 2.0, 3.0]);
    match value {
        Some(ParamValue::Vector(parts)) => ParamValue::Vector(parts.iter().map(|_| number(random)).collect()),
        Some(ParamValue::Bool(on)) => ParamValue::Bool(!on),
        Some(ParamValue::Expression(text)) if random.chance(50) => ParamValue::Expression(format!("2 * ({text})")),
        Some(other @ (ParamValue::Curve(_) | ParamValue::Gradient(_) | ParamValue::Keys(_))) => other.clone(),
        _ if random.chance(4) => ParamValue::Expression((*random.one(NUMBERS)).into()),
        _ => ParamValue::Number(number(random)),
    }
}

/// The names of what [`Document::set`] sets of a node.
fn settable(node: &Node) -> Vec<String> {
    let mut names: Vec<String> = node.params.keys().cloned().collect();
    match &node.kind {
        NodeKind::Domain(_) => names.extend(["resolution", "width", "edge"].map(String::from)),
        NodeKind::Number(_) => names.push("value".into()),
        kind if kind.info().runs => names.push("iterations".into()),
        _ => {}
    }
    if node.until.is_some() {
        names.push("until".into());
    }
    names
}

fn variant(random: &mut Random, document: &Document) -> Variant {
    let mut all = Vec::new();
    paths(&document.nodes, &Scope::default(), &mut all);
    let links: Vec<Link> = document.nodes.values().flat_map(|node| node.inputs.values().cloned()).collect();
    let mut variant = Variant { about: "What is different".into(), ..Variant::default() };
    for _ in 0..1 + random.below(5) {
        let path = random.one(&all).clone();
        let Some(node) = document.node(&path) else { continue };
        match random.below(12) {
            0..=5 => {
                let names = settable(node);
                if names.is_empty() {
                    continue;
                }
                let name = random.one(&names);
                let value = match name.as_str() {
                    "resolution" => ParamValue::Vector(vec![8.0, 4.0]),
                    "edge" => ParamValue::Expression((*random.one(&["wrap", "clamp", "x wrap", "cliff"])).into()),
                    "iterations" => ParamValue::Number(1.0 + random.below(4) as f64),
                    name => like(random, document.value(&path, name).as_ref()),
                };
                variant.set.insert(format!("{path}.{name}"), random.chance(92).then_some(value));
            }
            6 => {
                variant.muted.insert(path, random.chance(70));
            }
            7 if matches!(node.kind, NodeKind::Stage(_)) => {
                let stage = if random.chance(80) { STAGES[random.below(2)] } else { *random.one(STAGES) };
                variant.stages.insert(path, NodeKind::Stage(stage.into()));
            }
            8 => {
                let ports: Vec<&String> = node.inputs.keys().collect();
                if !ports.is_empty() && !links.is_empty() {
                    let link = random.chance(70).then(|| random.one(&links).clone());
                    variant.inputs.insert(format!("{path}.{}", random.one(&ports)), link);
                }
            }
            9 => drop(variant.comments.insert(path, "A note\nof two lines".into())),
            10 => variant.fps = Some(*random.one(&[1.0, 24.0, 60.0, 0.0, f64::NAN])).filter(|fps| *fps > 0.0),
            _ => variant.seed = Some(random.next() as u32),
        }
    }
    if random.chance(4) {
        let key = (*random.one(BAD_KEYS)).to_string();
        match random.below(3) {
            0 => drop(variant.set.insert(key, Some(ParamValue::Number(1.0)))),
            1 => {
                variant.muted.insert(key, true);
            }
            _ => drop(variant.inputs.insert(key, None)),
        }
    }
    variant
}

fn make(random: &mut Random) -> Vec<u8> {
    let documents = &corpus().documents;
    let shipped: Vec<&Document> = documents.iter().filter(|document| !document.variants.is_empty()).collect();
    let mut document = match random.chance(3) && !shipped.is_empty() {
        true => (*random.one(&shipped)).clone(),
        false => documents[random.below(SMALL.len())].clone(),
    };
    for _ in 0..random.few(4) {
        let name = if random.chance(85) { NAMES[random.below(4)] } else { *random.one(NAMES) };
        let made = variant(random, &document);
        document.variants.insert(name.into(), made);
    }
    let names: Vec<String> = document.variants.keys().cloned().collect();
    // One that can't be chosen is not.
    let _ = document.choose(random.chance(70).then(|| random.one(&names).as_str()));
    let text = document.to_text();
    if random.chance(85) {
        return text.into_bytes();
    }
    let words: Vec<&str> =
        ["variants", "variant", "set", "muted", "stages", "inputs", "comments", "fps", "seed", "None"]
            .into_iter()
            .chain(NAMES.iter().chain(BAD_KEYS).chain(STAGES).chain(NUMBERS).copied())
            .collect();
    mutate::text(random, &text, &[], &words).into_bytes()
}

fn run(bytes: &[u8]) -> usize {
    let Some(document) = graph::read(bytes) else { return 0 };
    let mut plain = document.with_variant(None).expect("the default can be chosen");
    // The name of one that can't be chosen is kept as text until another one is.
    plain.extra.remove("variant");
    let (mut level, mut chosen) = (1, plain.clone());
    for name in document.variant_names() {
        match plain.with_variant(Some(name)) {
            Ok(with) => {
                assert_eq!(with.variant.as_deref(), Some(name));
                graph::check_round_trip(&with);
                let back = with.with_variant(None).expect("the default can be chosen");
                assert_eq!(back.to_text(), plain.to_text(), "the default comes back from {name:?}");
                assert_eq!(
                    document.with_variant(Some(name)).map(|with| with.to_text()).ok(),
                    Some(with.to_text()),
                    "{name:?} is the same, whatever was chosen before"
                );
                (level, chosen) = (2, with);
            }
            Err(problems) => assert!(!problems.is_empty(), "a refusal gives a reason"),
        }
    }
    let planned =
        [&plain, &chosen].map(|document| graph::level_of(document, Library::builtin(), &PlanOptions::default()));
    let mut random = Random::of_case("edits", bytes.iter().map(|byte| u64::from(*byte)).sum(), bytes.len() as u64);
    for _ in 0..4 {
        change(&mut random, &mut chosen);
        graph::check_round_trip(&chosen);
    }
    if level == 2 && planned[1] == 3 { 3 } else { level }
}

/// What a person does while a variant is chosen.
fn change(random: &mut Random, document: &mut Document) {
    let library = Library::builtin();
    let mut all = Vec::new();
    paths(&document.nodes, &Scope::default(), &mut all);
    let names: Vec<String> = document.variants.keys().cloned().collect();
    let (Some(path), name) = ((!all.is_empty()).then(|| random.one(&all).clone()), names.first().cloned()) else {
        return;
    };
    let name = name.unwrap_or_default();
    let (scope, node) = Scope::split(&path);
    let some = BTreeSet::from([node.to_string()]);
    let param = document.node(&path).map(settable).unwrap_or_default().into_iter().next().unwrap_or_default();
    let before = document.clone();
    // Nodes without values are not asked for them.
    match random.below(if param.is_empty() { 8 } else { 11 }) {
        0 => edit::remove(document, &scope, &some, library),
        1 => drop(edit::rename(document, &scope, node, "renamed")),
        2 => drop(edit::make_group(document, &scope, &some, "made", library)),
        3 => drop(edit::ungroup(document, &scope, node, library)),
        4 => drop(edit::replace_stage(document, &scope, node, "fluid/dissipate", library)),
        5 => drop(document.rename_variant(&name, "renamed")),
        6 => document.remove_variant(&name),
        7 => drop(document.store_variant("stored", &before, &BTreeSet::from([path]))),
        8 => document.add_to_variant(&path, &param),
        9 => drop(document.remove_from_variant(&path, &param)),
        _ => {
            let value = like(random, document.value(&path, &param).as_ref());
            let _ = document.set(&path, &param, value);
            document.claim_for_variant(&before);
        }
    }
}
