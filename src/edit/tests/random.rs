//! Random edits of real graphs: after any sequence, the document can be written, read and built.

use super::*;
use crate::document::{Color, Frame, Link, Node, NodeKind, ParamValue};
use crate::edit::fixture::fluid;
use crate::edit::*;

/// Endless random numbers, the same in every run (Numerical Recipes' generator).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn of<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.roll(items.len())).cloned()
    }
}

fn scopes(document: &Document) -> Vec<Scope> {
    let mut found = vec![root()];
    let mut next = 0;
    while let Some(scope) = found.get(next).cloned() {
        let level = document.level(&scope).unwrap();
        let groups = level.nodes().iter().filter(|(_, node)| matches!(node.kind, NodeKind::Group(_)));
        found.extend(groups.map(|(name, _)| scope.inside(name)));
        next += 1;
    }
    found
}

/// One random edit; a refused edit counts too. Returns a description.
pub(crate) fn edit(document: &mut Document, dice: &mut Dice, clipboard: &mut String) -> String {
    let scope = dice.of(&scopes(document)).unwrap();
    let level = document.level(&scope).unwrap();
    let mut all: Vec<String> = level.nodes().keys().cloned().collect();
    all.extend(["in", "out", "gone"].map(String::from));
    let mut name = || dice.of(&all).unwrap();
    let (a, b, c) = (name(), name(), name());
    let some = BTreeSet::from([a.clone(), b.clone()]);
    let known = signature::level(document, &scope, library());
    let mut output = |name: &str| {
        let outputs = known.get(name).map(|signature| signature.outputs.clone()).unwrap_or_default();
        Link { node: name.into(), port: dice.of(&outputs).map_or_else(String::new, |port| port.name) }
    };
    let from = output(&a);
    let inputs = known.get(&b).map(|signature| signature.inputs.clone()).unwrap_or_default();
    let to = end(&b, &dice.of(&inputs).map_or_else(|| "odd".into(), |port| port.name));
    let at = (dice.roll(900) as f32, dice.roll(900) as f32);
    let stages: Vec<String> = library().stages().map(|stage| stage.name.clone()).collect();
    let stage = dice.of(&stages).unwrap();
    let frame = dice.roll(3);
    let what = dice.roll(25);
    let inputs = if at.0 > 400.0 { PasteInputs::Keep } else { PasteInputs::Drop };
    let done = match what {
        0 | 1 => {
            connect(document, &scope, from.clone(), &to);
            Ok(())
        }
        2 => {
            disconnect(document, &scope, &to);
            Ok(())
        }
        3 => add(document, &scope, &a, Node { kind: NodeKind::Stage(stage), at, ..Node::default() }).map(drop),
        4 => rename(document, &scope, &a, ["new", "h", "jet", "time", "x/y"][frame]),
        5 => {
            shift(document, &scope, &some, at);
            Ok(())
        }
        6 => {
            remove(document, &scope, &BTreeSet::from([a.clone()]), library());
            Ok(())
        }
        7 => {
            *clipboard = copy(document, &scope, &some, &BTreeSet::from([frame]));
            Ok(())
        }
        8 | 9 => paste(document, &scope, clipboard, at, inputs, library()).map(drop),
        10 => duplicate(document, &scope, &some, at, inputs, library()).map(drop),
        11 => insert_on_wire(document, &scope, &c, &to, library()),
        12 => add_reroute(document, &scope, &to, at).map(drop),
        13 => add_reroute_shared(document, &scope, from.clone(), &[to.clone(), end(&c, "value")], at).map(drop),
        14 | 15 => {
            bypass(document, &scope, &some, frame > 0);
            Ok(())
        }
        16 => {
            set_color(document, &scope, &some, Some(Color([1, 2, 3])));
            set_iterations(document, &scope, &a, Some(ParamValue::Number(2.0)))
        }
        17 => frame_around(document, &scope, &some, |_| (10.0, 10.0), "F").map(drop),
        18 => {
            let frame = remove_frame(document, &scope, frame);
            frame.and(add_frame(document, &scope, Frame::default()).map(drop))
        }
        19 | 20 => make_group(document, &scope, &some, &c, library()).map(drop),
        21 => ungroup(document, &scope, &a, library()).map(drop),
        22 => expose_param(
            document,
            &scope,
            &a,
            &Link::parse(["h.value", "jet.rate", "calm.iterations"][frame]),
            &c,
            library(),
        ),
        23 => match frame {
            0 => rename_port(document, &scope, Side::In, &to.port, &a),
            1 => rename_port(document, &scope, Side::Out, &from.port, &a),
            _ => remove_port(document, &scope, if at.0 > 400.0 { Side::In } else { Side::Out }, &to.port),
        },
        _ if frame == 0 => hide_param(document, &scope, &a, &c),
        _ if frame == 1 => make_local_copy(document, &scope, &a, library()),
        _ => replace_stage(document, &scope, &a, &stage, library()),
    };
    format!("{what} in `{scope}`: {a}, {b}, {c}, {from} -> {}.{}: {done:?}", to.node, to.port)
}

/// A variant of random values, stages, wires and bypasses of a document, under the name `v`.
fn vary(document: &mut Document, dice: &mut Dice) {
    let base = document.clone();
    for scope in scopes(&base) {
        for (name, node) in base.level(&scope).unwrap().nodes() {
            let path = scope.path(name);
            match dice.roll(6) {
                0 => document.node_mut(&path).unwrap().muted = !node.muted,
                1 if node.kind.info().runs => {
                    document.node_mut(&path).unwrap().iterations = Some(ParamValue::Number(3.0));
                    document.node_mut(&path).unwrap().give("odd", ParamValue::Number(1.0));
                }
                2 if matches!(node.kind, NodeKind::Stage(_)) => {
                    document.node_mut(&path).unwrap().kind = NodeKind::Stage("fluid/dissipate".into());
                }
                3 => drop(document.node_mut(&path).unwrap().inputs.pop_first()),
                _ => {}
            }
        }
    }
    let _ = document.store_variant("v", &base, &BTreeSet::new());
}

fn run(seed: u64, mut document: Document, steps: usize) -> (usize, usize) {
    run_with(&mut document, seed, steps, false)
}

/// The same with a variant chosen: the edits change it and the default, and both stay whole.
#[test]
fn after_any_edits_a_variant_and_the_default_are_whole() {
    let (first, runs) = asked_runs(48);
    let mut varied = 0;
    for at in 0..runs {
        let (mut dice, mut document) = (Dice::new(first.wrapping_add(at)), start(at));
        vary(&mut document, &mut dice);
        varied += usize::from(document.variant.is_some());
        run_with(&mut document, first.wrapping_add(at), STEPS, true);
    }
    assert!(varied as u64 > runs / 2, "{varied} of {runs} have a variant");
}

fn run_with(document: &mut Document, seed: u64, steps: usize, vary: bool) -> (usize, usize) {
    let (mut dice, mut clipboard) = (Dice::new(seed), String::new());
    let (mut good, mut built) = (0, 0);
    let mut log = Vec::new();
    for step in 0..steps {
        let before = document.clone();
        let done = edit(document, &mut dice, &mut clipboard);
        if vary {
            document.claim_for_variant(&before);
        }
        assert!(
            !done.contains("Err") || *document == before || done.starts_with("18") || done.starts_with("16"),
            "an error changes nothing: {done}"
        );
        good += usize::from(!done.contains("Err"));
        log.push(done);
        let text = document.to_text();
        let again = Document::parse(&text).unwrap_or_else(|e| panic!("{e} after {log:#?}\n{text}"));
        assert_eq!(again, *document, "after {log:#?}");
        assert_eq!(again.to_text(), text);
        if step % 4 == 0 {
            built += usize::from(builds(document).is_ok());
        }
    }
    (good, built)
}

/// Edits in a run.
pub(crate) const STEPS: usize = 32;

/// The first seed and the number of runs: the defaults of the test, or STAGEWRIGHT_SEED and STAGEWRIGHT_COUNT (a number
/// of edits).
pub(crate) fn asked_runs(usual: u64) -> (u64, u64) {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let runs = asked("STAGEWRIGHT_COUNT").map_or(usual, |count| count.div_ceil(STEPS as u64).max(1));
    (asked("STAGEWRIGHT_SEED").unwrap_or(0), runs)
}

/// The document that a run starts with.
pub(crate) fn start(run: u64) -> Document {
    if run.is_multiple_of(2) { fluid() } else { nodes(GROUP) }
}

#[test]
fn after_any_edits_the_document_is_written_read_and_built() {
    let (first, runs) = asked_runs(48);
    let (mut good, mut built) = (0, 0);
    for at in 0..runs {
        let (more, graphs) = run(first.wrapping_add(at), start(at), STEPS);
        (good, built) = (good + more, built + graphs);
    }
    let edits = runs as usize * STEPS;
    println!("{good} of {edits} edits done, {built} of {} graphs ran", edits / 4);
    assert!(
        runs < 8 || good > edits / 2 && built > runs as usize / 2,
        "most edits do something, and some graphs still run"
    );
}
