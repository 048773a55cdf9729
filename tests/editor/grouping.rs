//! Nodes that are made a group, looked into, repeated and put back.

use eframe::egui::{Key, Modifiers};
use stagewright_language::document::{Group, NodeKind};

use super::bench::Bench;

/// The nodes that become a group: the projection onto flow without divergence.
pub const INNER: [&str; 3] = ["divergence", "pressure", "project"];
const BOTH: Modifiers = Modifiers { shift: true, ctrl: true, command: true, ..Modifiers::NONE };

impl Bench {
    /// Smoke whose projection is a group of the graph's own.
    pub fn grouped() -> Bench {
        let mut bench = Bench::smoke();
        bench.select_all(&INNER);
        bench.ctrl(Key::G);
        bench.rest();
        bench.compiled();
        bench
    }

    #[track_caller]
    pub fn group(&self) -> &Group {
        let node = self.document().nodes.get("group").expect("the group");
        let NodeKind::Group(group) = &node.kind else { panic!("it is {:?}", node.kind) };
        group
    }

    /// What a frame does, a line for each dispatch: node, part, size, and the text of its kernel.
    fn work(&self) -> Vec<String> {
        let plan = self.editor().simulation().expect("a plan").plan();
        let line = |dispatch: &stagewright_compiler::Dispatch| {
            let kernel = &plan.kernels[dispatch.kernel];
            let (node, wgsl) = (dispatch.node.replace("group/", ""), kernel.wgsl.replace("group/", ""));
            format!("{node} {} {:?} {:?}\n{wgsl}", dispatch.part, dispatch.groups, kernel.workgroup)
        };
        plan.frame.iter().map(line).collect()
    }
}

#[test]
fn a_group_has_the_wires_of_its_nodes_and_the_same_plan() {
    let mut bench = Bench::smoke();
    let (before, work) = (bench.document().clone(), bench.work());
    bench.select_all(&INNER);
    bench.ctrl(Key::G);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert_eq!(bench.selected(), "group");
    let group = bench.group();
    assert_eq!(group.nodes.keys().collect::<Vec<_>>(), INNER.iter().collect::<Vec<_>>());
    let inputs: Vec<(&str, &str)> = group.inputs.iter().map(|(name, ty)| (name.as_str(), ty.as_str())).collect();
    assert_eq!(inputs, [("velocity", "Grid<Vec>")], "two nodes read one wire, so it comes in once");
    let outputs: Vec<(&str, String)> =
        group.outputs.iter().map(|(name, link)| (name.as_str(), link.to_string())).collect();
    assert_eq!(outputs, [("velocity", "project.velocity".to_string())], "the same name, so it can be repeated");
    assert_eq!(bench.link("group", "velocity").as_deref(), Some("advect.result"));
    for (reader, port) in [("velocity", "next"), ("carried", "velocity")] {
        assert_eq!(bench.link(reader, port).as_deref(), Some("group.velocity"));
    }
    assert!(bench.find("input group.velocity").is_some() && bench.find("output group.velocity").is_some());
    assert_eq!(bench.work(), work, "the same dispatches in the same order");
    let grouped = bench.document().clone();

    bench.key_with(BOTH, Key::G);
    bench.compiled();
    assert_eq!(*bench.document(), before, "dissolved, it is as it was");
    assert_eq!(bench.work(), work);
    let selection: Vec<&str> = bench.editor().selection().iter().map(String::as_str).collect();
    assert_eq!(selection, INNER);
    for wanted in [&grouped, &before] {
        bench.ctrl(Key::Z);
        assert!(bench.document() == wanted);
    }
    for wanted in [&grouped, &before] {
        bench.ctrl(Key::Y);
        assert!(bench.document() == wanted);
    }
    bench.compiled();
    assert_eq!(bench.work(), work);
    bench.plays();
}

#[test]
fn a_group_is_entered_by_a_double_click_and_left_by_the_path_and_by_keys() {
    let mut bench = Bench::grouped();
    let before = bench.document().clone();
    for key in [None, Some(Key::Escape), Some(Key::U)] {
        let title = bench.title("group");
        bench.double_click(title);
        assert_eq!(bench.editor().scope().to_string(), "group");
        for node in INNER.iter().chain(&["in", "out"]) {
            assert!(bench.find(&format!("node {node}")).is_some(), "{node}");
        }
        assert!(bench.find("node advect").is_none());
        match key {
            Some(key) => bench.key(key),
            None => bench.press("graph"),
        }
        bench.rest();
        assert!(bench.editor().scope().is_root(), "{key:?}");
        assert_eq!(bench.selected(), "group", "what was left is selected");
    }
    // What deletes nodes on a level does not lead out of it.
    bench.key(Key::Enter);
    bench.rest();
    bench.key(Key::Backspace);
    assert_eq!(bench.editor().scope().to_string(), "group");
    assert_eq!(*bench.document(), before, "nothing was selected");
}

#[test]
fn undo_of_a_group_leads_out_of_it() {
    let mut bench = Bench::grouped();
    bench.key(Key::Enter);
    assert_eq!(bench.editor().scope().to_string(), "group");
    bench.ctrl(Key::Z);
    bench.rest();
    assert!(bench.editor().scope().is_root() && bench.find("node pressure").is_some());
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
}

#[test]
fn a_group_repeats_as_often_as_its_badge_says() {
    let mut bench = Bench::grouped();
    let inside = |bench: &Bench| {
        let plan = bench.editor().simulation().expect("a plan").plan();
        // A stage at the group's end may share a dispatch with what follows outside.
        plan.frame.iter().flat_map(|dispatch| dispatch.nodes()).filter(|node| node.starts_with("group/")).count()
    };
    let (once, before) = (inside(&bench), bench.document().clone());
    assert!(bench.find("iterations group").is_none(), "there is no badge on static dispatches");
    bench.set_number("iterations", 2.0);
    bench.compiled();
    assert_eq!(inside(&bench), 2 * once);
    bench.press("iterations group");
    bench.overwrite("5");
    bench.compiled();
    assert_eq!(bench.document().nodes["group"].iterations.as_ref().map(ToString::to_string).as_deref(), Some("5"));
    assert_eq!(inside(&bench), 5 * once);
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.ctrl(Key::Z);
    bench.compiled();
    assert_eq!(inside(&bench), 2 * once, "what was typed on the badge is a step of its own");
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before);
}
