//! Gestures without a purpose, on graphs that ship and on graphs that make no sense: nothing panics, the document can always be
//! written and read, and undo leads back to where it began.

use std::collections::BTreeMap;

use eframe::egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, TouchPhase, Vec2, pos2, vec2};
use stagewright_language::document::{
    Document, Domain, FileSource, Group, Link, Node, NodeKind, Nodes, Output, ParamValue,
};
use stagewright_language::library::Library;

use super::bench::{Bench, SMOKE};
use super::seed::{Case, first, number};

const SIZE: Vec2 = vec2(1400.0, 900.0);
/// Frames between looks at whether the document is whole.
const ROUND: usize = 25;

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn point(&mut self, within: Rect) -> Pos2 {
        let part = |random: u64| (random % 10_000) as f32 / 10_000.0;
        within.min + vec2(part(self.next()), part(self.next())) * within.size()
    }

    fn modifiers(&mut self) -> Modifiers {
        let plain = Modifiers::NONE;
        *self.one(&[plain, plain, plain, Modifiers::SHIFT, Modifiers::COMMAND | Modifiers::CTRL, Modifiers::ALT])
    }
}

/// Keys that open a dialog of the system, put another graph in place or end the program, and lists that such commands are in.
fn leads_away(key: Key, modifiers: Modifiers) -> bool {
    let files = [Key::N, Key::O, Key::E, Key::Q, Key::P].contains(&key) && modifiers.command;
    files || key == Key::F3
}

const TEXTS: [&str; 12] = [
    "jet",
    "fluid/",
    "0.5",
    "-1e30",
    "sin(time)",
    "[1, 2",
    "ä\u{1F30A}\n",
    "}",
    // For the code pane.
    "//! @param extra: f32 = 1\n",
    "fn helper(x: f32) -> f32 { return x; }\n",
    "for (var i = 0; i < 9; i++) {",
    "/*",
];

/// A person at play.
pub struct Play {
    random: Random,
    down: BTreeMap<usize, PointerButton>,
    at: Pos2,
    /// Places of things that have names.
    things: Vec<Rect>,
}

impl Play {
    pub fn new(seed: u64) -> Play {
        Play { random: Random(seed), down: BTreeMap::new(), at: pos2(900.0, 300.0), things: Vec::new() }
    }

    /// One frame of something.
    fn frame(&mut self, bench: &mut Bench) {
        // The menu bar is left alone, for what is in its menus.
        let window = Rect::from_min_max(pos2(0.0, 40.0), SIZE.to_pos2());
        let modifiers = self.random.modifiers();
        let mut events = Vec::new();
        match self.random.below(12) {
            0..=3 => {
                self.at = match self.random.chance(70) && !self.things.is_empty() {
                    true => self.random.one(&self.things).center(),
                    false => self.random.point(window),
                };
                if !window.contains(self.at) {
                    self.at = window.center();
                }
                events.push(Event::PointerMoved(self.at));
            }
            4..=6 => {
                let index = *self.random.one(&[0, 0, 0, 1, 1, 2]);
                let button = [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle][index];
                let pressed = self.down.insert(index, button).is_none();
                if !pressed {
                    self.down.remove(&index);
                }
                events.push(Event::PointerButton { pos: self.at, button, pressed, modifiers });
            }
            7 => {
                let delta = self.random.point(Rect::from_min_max(pos2(-80.0, -80.0), pos2(80.0, 80.0))).to_vec2();
                let (unit, phase) = (MouseWheelUnit::Point, TouchPhase::Move);
                events.push(Event::MouseWheel { unit, delta, phase, modifiers });
            }
            8..=9 => {
                let key = *self.random.one(Key::ALL);
                if !leads_away(key, modifiers) {
                    let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
                    events.extend([event(true), event(false)]);
                }
            }
            10 => events.push(Event::Text(self.random.one(&TEXTS).to_string())),
            _ => events.push(match self.random.below(4) {
                0 => Event::Cut,
                1 => Event::Copy,
                2 => Event::Paste(SMOKE.into()),
                _ => Event::Paste(self.random.one(&TEXTS).to_string()),
            }),
        }
        bench.frame(events, modifiers);
    }

    /// So many frames; from time to time the document is written and read.
    pub fn frames(&mut self, bench: &mut Bench, count: usize) {
        for frame in 0..count {
            if frame % ROUND == 0 {
                self.things =
                    bench.seen().into_iter().filter(|seen| !seen.name.is_empty()).map(|seen| seen.rect).collect();
                let text = bench.document().to_text();
                let read = Document::parse(&text).unwrap_or_else(|error| panic!("frame {frame}: {error}\n{text}"));
                assert!(read == *bench.document(), "frame {frame}: the file is not the document\n{text}");
            }
            self.frame(bench);
        }
        self.let_go(bench);
    }

    fn let_go(&mut self, bench: &mut Bench) {
        for button in std::mem::take(&mut self.down).into_values() {
            bench.pointer_button(self.at, button, false, Modifiers::NONE);
        }
        (0..4).for_each(|_| bench.key(Key::Escape));
    }
}

/// Plays with a graph for so many frames.
fn play(mut bench: Bench, seed: u64, frames: usize) {
    let start = bench.document().clone();
    Play::new(seed).frames(&mut bench, frames);
    saved(&mut bench, seed);
    undo_to(&mut bench, &start, 2 * frames);
}

/// Takes edits back, so many at most, until a document is there again.
pub fn undo_to(bench: &mut Bench, start: &Document, most: usize) {
    for _ in 0..most {
        if bench.document() == start {
            return;
        }
        bench.undo();
    }
    let names: Vec<String> = bench.seen().into_iter().map(|seen| seen.name).filter(|name| !name.is_empty()).collect();
    let (now, then) = (bench.document().to_text(), start.to_text());
    let differs: Vec<_> = now.lines().zip(then.lines()).filter(|(now, then)| now != then).take(12).collect();
    let ctx = &bench.harness.ctx;
    let keyboard = ctx.memory(|memory| memory.focused()).map(|id| (id, ctx.text_edit_focused()));
    panic!("undo does not lead back, {differs:?}; {keyboard:?} has the keyboard; on the screen are {names:?}");
}

/// What is saved and opened again is what is on the screen.
fn saved(bench: &mut Bench, seed: u64) {
    bench.save();
    let file = bench.folder().join("graph.ron");
    let text = std::fs::read_to_string(file).expect("the graph's file");
    let read = Document::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    assert!(read == *bench.document(), "seed {seed}: the file is not the document\n{text}");
}

/// Seeds of a test: so many, from the day's on. STAGEWRIGHT_SEED alone plays one seed again, and with STAGEWRIGHT_COUNT, the frames of
/// all seeds together, it is the first of as many seeds as that takes.
pub fn seeds(usual: u64, frames: usize) -> std::ops::Range<u64> {
    let one = number("STAGEWRIGHT_SEED").map(|_| 1);
    let runs = number("STAGEWRIGHT_COUNT").map(|count| count.div_ceil(frames as u64)).or(one);
    first()..first().saturating_add(runs.unwrap_or(usual))
}

/// A graph that ships, on few cells and with few particles: its gestures are the same.
pub fn coarse(name: &str) -> Document {
    let path = format!("{}/graphs/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for node in document.nodes.values_mut() {
        if let NodeKind::Domain(domain) = &mut node.kind {
            domain.resolution.fill(ParamValue::Number(16.0));
        }
        if let NodeKind::Output(output) = &mut node.kind {
            output.size = Some((32, 32));
        }
        node.capacity = node.capacity.as_ref().map(|_| ParamValue::Number(200.0));
    }
    document
}

#[test]
fn random_gestures_on_graphs_that_ship() {
    let graphs = ["stable_fluids", "unity_fluid", "curl_noise_2d"].map(|name| coarse(name).to_text());
    for seed in seeds(4, 80) {
        let _case = Case::begin(seed, "random_gestures_on_graphs");
        let text = graphs.get(seed as usize % 4).map_or(SMOKE, String::as_str);
        play(Bench::from_text(text, SIZE), seed, 80);
    }
}

#[test]
fn random_gestures_on_random_documents() {
    for seed in seeds(6, 50) {
        let _case = Case::begin(seed, "random_gestures_on_random");
        let text = document(&mut Random(seed)).to_text();
        play(Bench::from_text(&text, SIZE), seed, 50);
    }
}

/// A graph without sense.
fn document(random: &mut Random) -> Document {
    Document { nodes: nodes(random, 14, 2), ..Document::parse("()").unwrap() }
}

fn nodes(random: &mut Random, count: usize, depth: usize) -> Nodes {
    let stages: Vec<String> = Library::builtin().stages().map(|stage| stage.name.clone()).collect();
    let groups: Vec<String> = Library::builtin().groups().map(|(name, _)| name.to_string()).collect();
    let ports = ["field", "velocity", "value", "next", "init", "image", "result", "particles", "grid", "", "x"];
    let name = |index: usize| format!("n{index}");
    let mut nodes = Nodes::new();
    for index in 0..count {
        let mut node = Node { kind: kind(random, &stages, &groups, depth), ..Node::default() };
        for _ in 0..random.below(4) {
            let from = if random.chance(10) { "in".into() } else { name(random.below(count + 1)) };
            let link = Link { node: from, port: random.one(&ports).to_string() };
            node.inputs.insert(random.one(&ports).to_string(), link);
        }
        for _ in 0..random.below(3) {
            let param = *random.one(&["radius", "value", "rate", "center", "strength", "no such"]);
            node.params.insert(param.into(), value(random));
        }
        if random.chance(15) {
            node.iterations = Some(value(random));
        }
        if random.chance(20) {
            node.on = Some(name(random.below(count + 1)));
        }
        node.muted = random.chance(15);
        node.at = *random.one(&[(0.0, 0.0), (300.0, 40.0), (-200.0, 500.0), (1e6, -1e6), (640.0, 320.0)]);
        nodes.insert(name(index), node);
    }
    nodes
}

fn kind(random: &mut Random, stages: &[String], groups: &[String], depth: usize) -> NodeKind {
    match random.below(14) {
        0..=4 => NodeKind::Stage(random.one(stages).clone()),
        5 => NodeKind::Stage(random.one(groups).clone()),
        6 => NodeKind::Stage("no/such".into()),
        7 => NodeKind::Custom((*random.one(&["", "//! T\n//! @out x: Grid<f32>\nfn stage(", "fn"])).into()),
        8 => {
            let cells = *random.one(&[8.0, 16.0, 0.0, -3.0, 1.5]);
            let resolution = vec![ParamValue::Number(cells); *random.one(&[2, 2, 3])];
            let edge = (*random.one(&["wall", "wrap", "cliff"])).into();
            NodeKind::Domain(Domain { resolution, edge, ..Domain::default() })
        }
        9 => {
            NodeKind::State((*random.one(&["Grid<f32>", "Grid<Vec>", "f32", "Particles{position: Vec}", "Tea"])).into())
        }
        10 => NodeKind::Number(value(random)),
        11 => NodeKind::Output(Output { size: random.chance(50).then_some((32, 32)), ..Output::default() }),
        12 if depth > 0 => {
            let inner = nodes(random, 4, depth - 1);
            let outputs = BTreeMap::from([("value".to_string(), Link::parse("n0.value"))]);
            NodeKind::Group(Box::new(Group { nodes: inner, outputs, ..Group::default() }))
        }
        12 => NodeKind::File(FileSource::new("no such file.obj")),
        _ => NodeKind::Reroute,
    }
}

fn value(random: &mut Random) -> ParamValue {
    match random.below(5) {
        0 => ParamValue::Number(*random.one(&[0.0, 1.0, -2.5, 1e30, 1e-12])),
        1 => ParamValue::Vector(vec![0.5; random.below(5)]),
        2 => ParamValue::Bool(random.chance(50)),
        3 => ParamValue::Expression((*random.one(&["sin(time)", "1 +", "n3", "n0 * 2", ""])).into()),
        _ => ParamValue::Number(3.0),
    }
}
