//! What is grouped computes what it computed.

use std::collections::BTreeSet;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, Frame, NodeKind, Nodes, Scope};
use stagewright_language::edit::{make_group, ungroup};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::seed;

/// Groups over all shipped graphs.
const GROUPS: usize = 60;

struct Dice(u64);

impl Dice {
    /// A number below `n`, by Marsaglia's xorshift (2003).
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Up to 12 nodes of a level that wires connect.
fn connected(document: &Document, scope: &Scope, dice: &mut Dice) -> BTreeSet<String> {
    let nodes = document.level(scope).expect("a level").nodes();
    let names: Vec<&String> = nodes.keys().collect();
    let mut chosen = BTreeSet::from([names[dice.below(names.len())].clone()]);
    for _ in 0..dice.below(12) {
        let reads = |a: &String, b: &String| nodes[a].inputs.values().any(|link| link.node == *b);
        let touches = |name: &&&String| chosen.iter().any(|member| reads(member, name) || reads(name, member));
        let near: Vec<&&String> = names.iter().filter(|name| !chosen.contains(**name)).filter(touches).collect();
        if near.is_empty() {
            break;
        }
        let next = near[dice.below(near.len())].to_string();
        chosen.insert(next);
    }
    chosen
}

fn plan(document: &Document) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
    Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|p| panic!("{p}"))
}

/// What a plan does, sorted: every dispatch with its kernel's text, every State, image and value of a parameter.
fn work(plan: &Plan, groups: &[&str]) -> Vec<String> {
    let plain = |text: &str| {
        let mut text = groups.iter().fold(text.to_string(), |text, group| text.replace(&format!("{group}/"), ""));
        // What balances a closed box is named after the solver, or after a group around it where the divergence is outside.
        while let Some(at) = text.find("/balance/").or_else(|| text.find("/balance.")) {
            let begin = text[..at].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |before| before + 1);
            text.replace_range(begin..=at, "");
        }
        text
    };
    let mut lines = Vec::new();
    for (what, dispatches) in [("reset", &plan.reset), ("once", &plan.invariant), ("frame", &plan.frame)] {
        lines.extend(dispatches.iter().map(|d| {
            let kernel = &plan.kernels[d.kernel];
            let bound: Vec<&str> = kernel.bindings.iter().map(|binding| binding.name.as_str()).collect();
            let (node, part) = (plain(&d.node), plain(&d.part));
            format!("{what} {node} {part} {:?} {bound:?} {:?}\n{}", d.groups, kernel.workgroup, plain(&kernel.wgsl))
        }));
    }
    lines.extend(plan.states.iter().map(|s| format!("state {} {}", plain(&s.node), plain(&s.description))));
    lines.extend(plan.outputs.iter().map(|p| format!("picture {} {}x{}", plain(&p.node), p.width, p.height)));
    lines.extend(plan.settings.iter().map(|setting| {
        // Of several that share a place, a group may name others first.
        let mut paths: Vec<String> = setting.paths.iter().map(|path| plain(path)).collect();
        paths.sort();
        format!("{paths:?} = {}", setting.value)
    }));
    lines.sort();
    lines
}

/// The text of a document, with the frames of each level in an order of their own: those that went into a group return behind others.
fn ordered(document: &Document) -> String {
    fn order(frames: &mut [Frame], nodes: &mut Nodes) {
        frames.sort_by_key(|frame| format!("{frame:?}"));
        for node in nodes.values_mut() {
            if let NodeKind::Group(group) = &mut node.kind {
                order(&mut group.frames, &mut group.nodes);
            }
        }
    }
    let mut document = document.clone();
    order(&mut document.frames, &mut document.nodes);
    document.to_text()
}

#[test]
fn a_group_of_any_nodes_is_dissolved_to_the_same_document() {
    let (root, library) = (Scope::default(), Library::builtin());
    let _case = seed::Case::begin(seed::first(), "a_group_of_any_nodes");
    let mut dice = Dice(seed::spread());
    let (mut made, mut deeper, mut refused) = (0usize, 0, 0);
    let graphs = crate::shipped();
    while made < GROUPS {
        let (name, text) = &graphs[made % graphs.len()];
        let before = Document::parse(text).unwrap();
        let mut document = before.clone();
        let chosen = connected(&document, &root, &mut dice);
        let group = match make_group(&mut document, &root, &chosen, "group", library) {
            Ok(group) => group,
            Err(sentence) => {
                refused += 1;
                assert!(
                    ["its own output", "cannot be grouped", "the same border in all variants"]
                        .iter()
                        .any(|reason| sentence.to_string().contains(reason)),
                    "{name}: {sentence}"
                );
                assert_eq!(document, before);
                continue;
            }
        };
        made += 1;
        Graph::build(&document, library).unwrap_or_else(|p| panic!("{name}, {chosen:?}: {p}"));
        let (once, inside) = (document.clone(), root.inside(&group));
        let inner = connected(&document, &inside, &mut dice);
        if let Ok(inner) = make_group(&mut document, &inside, &inner, "inner", library) {
            deeper += 1;
            Graph::build(&document, library).unwrap_or_else(|p| panic!("{name}, {chosen:?}, {inner}: {p}"));
            ungroup(&mut document, &inside, &inner, library).unwrap();
            assert_eq!(ordered(&document), ordered(&once), "{name}, {chosen:?}, {inner:?}");
        }
        ungroup(&mut document, &root, &group, library).unwrap();
        assert_eq!(ordered(&document), ordered(&before), "{name}, {chosen:?}");
    }
    println!("{made} groups made and dissolved, {deeper} more in them, {refused} refused");
    assert!(deeper > GROUPS / 2);
}

#[test]
fn a_grouped_graph_has_the_same_plan_apart_from_paths() {
    const TIMES: usize = 3;
    let (root, library) = (Scope::default(), Library::builtin());
    let _case = seed::Case::begin(seed::first(), "a_grouped_graph_has_the_same_plan");
    let mut dice = Dice(seed::spread());
    let mut same = 0;
    for (name, text) in crate::shipped() {
        let before = Document::parse(&text).unwrap();
        let wanted = plan(&before);
        let mut made = 0;
        while made < TIMES {
            let mut document = before.clone();
            let chosen = connected(&document, &root, &mut dice);
            if chosen.len() < 3 || make_group(&mut document, &root, &chosen, "grp", library).is_err() {
                continue;
            }
            made += 1;
            let inner = connected(&document, &Scope::parse("grp"), &mut dice);
            // Refused or not, the plan stays.
            let _ = make_group(&mut document, &Scope::parse("grp"), &inner, "nest", library);
            let after = plan(&document);
            let groups = ["grp", "nest"];
            let (a, b) = (work(&wanted, &[]), work(&after, &groups));
            let only = |these: &[String], those: &[String]| -> Vec<String> {
                let heads = these.iter().filter(|line| !those.contains(line)).filter_map(|line| line.lines().next());
                heads.map(String::from).collect()
            };
            let (missing, added) = (only(&a, &b), only(&b, &a));
            assert!(
                a == b,
                "{name}, {chosen:?}: {} lines and {}: without {missing:#?}, with {added:#?}",
                a.len(),
                b.len()
            );
            same += usize::from(after.to_text().replace("grp/", "").replace("nest/", "") == wanted.to_text());
            assert!(after.memory <= wanted.memory + wanted.memory / 4, "{name}: {} {}", after.memory, wanted.memory);
        }
    }
    println!("{same} of {} plans are the same to the byte", TIMES * crate::shipped().len());
}

/// A library group that is made part of the graph and dissolved does the same work, if it has no numbers of its own.
#[test]
fn a_dissolved_library_group_has_the_same_plan() {
    let (root, library) = (Scope::default(), Library::builtin());
    let mut dissolved = 0;
    for (name, text) in crate::shipped() {
        let before = Document::parse(&text).unwrap();
        let groups = before.nodes.iter().filter(|(_, node)| match &node.kind {
            NodeKind::Stage(stage) => library.groups().any(|(group, _)| group == stage),
            _ => false,
        });
        for (group, _) in groups {
            let mut after = before.clone();
            let Ok(come) = ungroup(&mut after, &root, group, library) else { continue };
            dissolved += 1;
            let (a, b) = (plan(&before), plan(&after));
            assert_eq!(
                (a.frame.len(), a.reset.len(), a.invariant.len()),
                (b.frame.len(), b.reset.len(), b.invariant.len()),
                "{name}, {group}: {come:?}"
            );
            let texts = |plan: &Plan| plan.kernels.iter().map(|kernel| kernel.name.clone()).collect::<BTreeSet<_>>();
            assert_eq!(texts(&a), texts(&b), "{name}, {group}");
        }
    }
    assert!(dissolved > 5, "{dissolved}");
}

/// An input that many nodes of a group need is asked for once, where it can be wired.
#[test]
fn what_a_group_lacks_is_said_of_the_group() {
    let text = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (16, 16), width: 1)),
        "velocity": (state: "FaceGrid", on: "box", inputs: {"next": "step.velocity"}),
        "pressure": (state: "Grid<f32>", on: "box", inputs: {"next": "step.pressure"}),
        "step": (stage: "staggered/fluid_step_obstacle", inputs: {"velocity": "velocity", "pressure": "pressure"}),
        "around": (group: (inputs: {"field": "Grid<f32>"}, outputs: {"sum": "inner.sum"}, nodes: {
            "inner": (group: (inputs: {"field": "Grid<f32>"}, outputs: {"sum": "sum.sum"}, nodes: {
                "sum": (stage: "measure/sum", inputs: {"field": "in.field"}),
            }), inputs: {"field": "in.field"}),
        })),
    })"#;
    let said = Graph::build(&Document::parse(text).unwrap(), Library::builtin()).unwrap_err().to_string();
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("not wired")).collect();
    let of = |port: &str| lines.iter().filter(|line| line.starts_with(port)).count();
    assert_eq!((of("step.fraction:"), of("step.distance:"), of("around.field:"), lines.len()), (1, 1, 1, 3), "{said}");
}

/// A group's `on` decides where nothing else does: not for the coarser domains of a multigrid cycle inside.
#[test]
fn a_group_that_names_the_only_domain_has_the_same_plan() {
    let mut named = 0;
    let folders = ["graphs", "graphs/templates", "graphs/validation"];
    for (name, text) in folders.into_iter().flat_map(crate::graphs_in) {
        let before = Document::parse(&text).unwrap();
        let domains: Vec<&String> = before
            .nodes
            .iter()
            .filter(|(_, node)| matches!(node.kind, NodeKind::Domain(_)))
            .map(|(name, _)| name)
            .collect();
        let [domain] = domains[..] else { continue };
        let mut after = before.clone();
        let library = Library::builtin();
        for node in after.nodes.values_mut() {
            let group = match &node.kind {
                NodeKind::Stage(stage) => library.groups().any(|(group, _)| group == stage),
                kind => matches!(kind, NodeKind::Group(_)),
            };
            if group {
                named += usize::from(node.on.is_none());
                node.on = Some(domain.clone());
            }
        }
        let (a, b) = (plan(&before).to_text(), plan(&after).to_text());
        let differ = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        assert!(a == b, "{name}: {differ:#?}");
    }
    assert!(named > 30, "{named}");
}
