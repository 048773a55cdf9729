//! Random edits of documents, the same for the same seed.

use std::collections::BTreeSet;

use stagewright_language::document::{
    Bake, Bookmark, ChangeError, Color, Document, Expect, ExportPreset, Frame, Link, Node, NodeKind, ParamValue, Scope,
};
use stagewright_language::edit::*;

use crate::fixture::{GROUP, end, fluid, library, nodes, root};
use crate::seed;

/// Endless random numbers, the same in every run (Numerical Recipes' generator).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
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
pub fn edit(document: &mut Document, dice: &mut Dice, clipboard: &mut String) -> String {
    let scope = dice.pick(&scopes(document)).unwrap();
    let level = document.level(&scope).unwrap();
    let mut all: Vec<String> = level.nodes().keys().cloned().collect();
    all.extend(["in", "out", "gone"].map(String::from));
    let mut name = || dice.pick(&all).unwrap();
    let (a, b, c) = (name(), name(), name());
    let some = BTreeSet::from([a.clone(), b.clone()]);
    let signatures = signature::level(document, &scope, library());
    let mut output = |name: &str| {
        let outputs = signatures.get(name).map(|signature| signature.outputs.clone()).unwrap_or_default();
        Link { node: name.into(), port: dice.pick(&outputs).map_or_else(String::new, |port| port.name) }
    };
    let from = output(&a);
    let inputs = signatures.get(&b).map(|signature| signature.inputs.clone()).unwrap_or_default();
    let to = end(&b, &dice.pick(&inputs).map_or_else(|| "odd".into(), |port| port.name));
    let at = (dice.roll(900) as f32, dice.roll(900) as f32);
    let stages: Vec<String> = library().stages().map(|stage| stage.name.clone()).collect();
    let stage = dice.pick(&stages).unwrap();
    let frame = dice.roll(3);
    let what = dice.roll(29);
    let inputs = if at.0 > 400.0 { PasteInputs::Keep } else { PasteInputs::Drop };
    let mut changed = Ok(());
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
        4 => rename(document, &scope, &a, dice.pick(&["new", "h", "jet", "time", "x/y", " x", "\u{e4} x"]).unwrap()),
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
        24 => match frame {
            0 => hide_param(document, &scope, &a, &c),
            1 => make_local_copy(document, &scope, &a, library()),
            _ => replace_stage(document, &scope, &a, &stage, library()),
        },
        25 | 26 => {
            changed = edit_variants(document, &scope.path(&a), &to.port, dice);
            Ok(())
        }
        27 => {
            let param = ["iterations", "width", "resolution", "value", &to.port][dice.roll(5)];
            changed = document.set(&scope.path(&b), param, value(dice));
            Ok(())
        }
        _ => edit_texts(document, &scope, &a, dice),
    };
    let done = done.map_err(String::from).and(changed.map_err(String::from));
    format!("{what} in `{scope}`: {a}, {b}, {c}, {from} -> {}.{}: {done:?}", to.node, to.port)
}

/// One edit of the variants: another choice, a new one, another name, or what one sets.
fn edit_variants(document: &mut Document, path: &str, param: &str, dice: &mut Dice) -> Result<(), ChangeError> {
    let name = dice.pick(&["v", "w", "w", " v\n\"\\"]).unwrap();
    match dice.roll(9) {
        0 | 1 => document.choose(None).map_err(ChangeError::CannotChoose),
        2..=4 => document.choose(Some(name)).map_err(ChangeError::CannotChoose),
        5 => {
            let base = document.clone();
            document.store_variant(name, &base, &BTreeSet::from([path.to_string()]))
        }
        6 => document.rename_variant("v", name),
        7 if name == "w" => {
            document.remove_variant(name);
            Ok(())
        }
        7 => document.remove_from_variant(path, param),
        _ => {
            document.add_to_variant(path, param);
            Ok(())
        }
    }
}

/// Texts that need care in a file.
const TEXTS: [&str; 8] =
    ["", " x ", "a\nb", "\"#\\", "\r\n\t", "\u{0}\u{7f}\u{202e}\u{e9}", "r##\"", "variant: \"v\","];

/// One edit of what is kept beside the wires: notes, views, bakes, presets, expectations, frames, texts of stages.
fn edit_texts(document: &mut Document, scope: &Scope, name: &str, dice: &mut Dice) -> Result<(), Refusal> {
    let text = dice.pick(&TEXTS).unwrap().to_string();
    let path = scope.path(name);
    match dice.roll(8) {
        0 => return comment(document, scope, name, &text),
        1 => {
            let view = Bookmark { name: text.clone(), level: scope.to_string(), ..Bookmark::default() };
            set_bookmark(document, &text, Bookmark { select: vec![name.into(), text.clone()], zoom: 0.1, ..view });
        }
        2 => {
            let wires = vec![format!("{path}.{text}")];
            drop(document.bakes.insert(text.clone(), Bake { wires, folder: text, play: false, ..Bake::default() }));
        }
        3 => {
            let settings = [(text.clone(), value(dice))].into();
            let preset = ExportPreset { what: vec![path], names: text.clone(), settings, ..ExportPreset::default() };
            drop(document.exports.insert(text, preset));
        }
        4 => {
            let equals = Some(vec![-0.0; dice.roll(3)]);
            add_expectation(document, Expect { of: path, equals, comment: text, ..Expect::default() });
        }
        5 => {
            let color = Some(Color([1, 2, 3]));
            return update_frame(document, scope, 0, |frame| (frame.text, frame.color) = (text, color));
        }
        6 => {
            if let Some(node) = document.node_mut(&path).filter(|node| matches!(node.kind, NodeKind::Custom(_))) {
                node.kind = NodeKind::Custom(text);
            }
        }
        _ => (document.name, document.about) = (text.clone(), text),
    }
    Ok(())
}

/// A value of any kind.
fn value(dice: &mut Dice) -> ParamValue {
    let written = [
        "[(0, 1), (1, -0.0)]",
        "[(0, \"#102030\"), (1, (2, 0.1, 1e-9))]",
        "(keys: [(0, (1, 2), Step)], expr: \"keys\")",
    ];
    match dice.roll(6) {
        0 => ParamValue::Number(dice.pick(&[0.0, -0.0, 8.0, 1.5, 1e300, f64::INFINITY]).unwrap()),
        1 => ParamValue::Vector(vec![0.1; dice.roll(4)]),
        2 => ParamValue::Bool(dice.roll(2) > 0),
        3 => ParamValue::Expression(dice.pick(&TEXTS).unwrap().into()),
        4 => ParamValue::Expression("h * 2, 8".into()),
        _ => ParamValue::from_ron(dice.pick(&written).unwrap()).unwrap(),
    }
}

/// A variant of random values, stages, wires and bypasses of a document, under the name `v`.
pub fn vary(document: &mut Document, dice: &mut Dice) {
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

/// Edits in a run.
pub const STEPS: usize = 32;

/// The seeds of runs: as many as usual, or as STAGEWRIGHT_COUNT, a number of edits, takes.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let first = seed::first();
    let runs = seed::number("STAGEWRIGHT_COUNT").map_or(usual, |count| count.div_ceil(STEPS as u64).max(1));
    first..first.saturating_add(runs)
}

/// The document that a run starts with.
pub fn start(seed: u64) -> Document {
    if seed.is_multiple_of(2) { fluid() } else { nodes(GROUP) }
}
