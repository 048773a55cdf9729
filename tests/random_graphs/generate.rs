//! Random graphs that are valid by construction: a node reads what stands before it on its level, the group's inputs, or a State.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Edge, Elem, Expr, Group, Kind, Model, Node, Op, Ty, Wire};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True so many times of a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let index = self.below(all.len());
        all.get(index)
    }
}

/// A wire that can be read.
#[derive(Clone, Debug)]
struct Source {
    wire: Wire,
    ty: Ty,
    /// A number of the document; whether it changes from frame to frame.
    document: Option<bool>,
    /// A number node, which fits every type of number.
    any: bool,
    /// It follows from no State.
    pure: bool,
    /// A stage computes it, whatever is muted.
    computed: bool,
}

struct Level {
    nodes: BTreeMap<String, Node>,
    sources: Vec<Source>,
    /// What expressions may name, and whether that changes from frame to frame.
    names: Vec<(String, bool)>,
    depth: usize,
    edge: Edge,
    /// Whether grids confine stages.
    confined: bool,
}

const NUMBER: Ty = Ty { grid: false, elem: Elem::F32 };

pub fn generate(seed: u64) -> Model {
    let mut dice = Dice::new(seed);
    let confined = dice.chance(40);
    // With one block beside another, some of the larger ones are empty.
    let cells =
        if confined { [[40, 2], [26, 18]][dice.below(2)] } else { *dice.pick(&[[5, 3], [8, 4], [16, 2]]).unwrap() };
    let edge = *dice.pick(&Edge::ALL).unwrap();
    let mut level = Level::new(0, edge, confined);
    let (states, nodes) = (2 + dice.below(2), 5 + dice.below(8));
    level.fill(&mut dice, states, nodes);
    // Everything that can be seen is kept in a State, by which the engine is compared.
    for (index, source) in level.sources.clone().into_iter().enumerate() {
        if source.computed || (source.document.is_none() && dice.chance(50)) {
            let mut keep = Node::new(Kind::State(source.ty));
            keep.inputs.insert("next".into(), source.wire);
            level.nodes.insert(format!("keep{index}"), keep);
        }
    }
    Model { nodes: level.nodes, cells, edge }
}

impl Level {
    fn new(depth: usize, edge: Edge, confined: bool) -> Level {
        Level { nodes: BTreeMap::new(), sources: Vec::new(), names: Vec::new(), depth, edge, confined }
    }

    fn fill(&mut self, dice: &mut Dice, states: usize, nodes: usize) {
        for _ in 0..dice.below(4) {
            self.number(dice);
        }
        let held: Vec<(String, Ty)> = (0..states).map(|_| self.state(dice)).collect();
        if self.confined && (self.depth == 0 || dice.chance(30)) {
            let elem = elem(dice);
            self.make(dice, Op::Spot, elem);
        }
        for _ in 0..nodes {
            match dice.below(10) {
                0 => self.reroute(dice),
                1..=3 if self.depth < 3 => self.group(dice),
                _ => drop(self.stage(dice)),
            }
        }
        for (name, ty) in held {
            let next = if dice.chance(90) { self.pick(dice, ty, false) } else { None };
            let init = if dice.chance(40) { self.pick(dice, ty, true) } else { None };
            let value = self.expr(dice, false);
            let Some(state) = self.nodes.get_mut(&name) else { continue };
            state.inputs.extend(next.map(|source| ("next".to_string(), source.wire)));
            state.inputs.extend(init.map(|source| ("init".to_string(), source.wire)));
            state.params.insert("value".into(), value);
        }
    }

    /// A name that nothing on the level has, out of order.
    fn name(&self, dice: &mut Dice, kind: &str) -> String {
        format!("{kind}{}_{}", dice.below(10), self.nodes.len())
    }

    fn number(&mut self, dice: &mut Dice) {
        let (name, live) = (self.name(dice, "n"), dice.chance(30));
        let value = self.expr(dice, live);
        self.nodes.insert(name.clone(), Node::new(Kind::Number(value)));
        let wire = (name.clone(), "value".to_string());
        self.sources.push(Source { wire, ty: NUMBER, document: Some(live), any: true, pure: true, computed: false });
        self.names.push((name, live));
    }

    /// An expression of small whole numbers; one that must not change names nothing that does.
    fn expr(&mut self, dice: &mut Dice, live: bool) -> Expr {
        let names: Vec<String> = self.names.iter().filter(|(_, l)| live || !l).map(|(n, _)| n.clone()).collect();
        let named = dice.pick(&names).cloned();
        let constant = Expr::Const(dice.below(6) as i32);
        let base = match (named, dice.below(4)) {
            (Some(name), 0..=2) => Expr::Name(name),
            (_, 3) if live => Expr::Frame,
            _ => return constant,
        };
        let sum = match dice.below(3) {
            0 => base,
            1 => Expr::Add(base.into(), constant.into()),
            _ => Expr::Times(base.into(), 2),
        };
        Expr::Min(sum.into(), 60)
    }

    fn repeats(&mut self, dice: &mut Dice, most: i32) -> Expr {
        match dice.chance(30) {
            true => Expr::Add(Expr::Min(self.expr(dice, false).into(), most - 1).into(), Expr::Const(1).into()),
            false => Expr::Const(1 + dice.below(most as usize) as i32),
        }
    }

    fn state(&mut self, dice: &mut Dice) -> (String, Ty) {
        let name = self.name(dice, "s");
        let ty = Ty { grid: dice.chance(70), elem: elem(dice) };
        self.nodes.insert(name.clone(), Node::new(Kind::State(ty)));
        let wire = (name.clone(), "value".to_string());
        self.sources.push(Source { wire, ty, document: None, any: false, pure: false, computed: false });
        (name, ty)
    }

    /// Something of a type; a grid that nobody makes is made.
    fn pick(&mut self, dice: &mut Dice, ty: Ty, pure: bool) -> Option<Source> {
        let fits = |source: &&Source| source.ty == ty && (source.pure || !pure);
        let found: Vec<Source> = self.sources.iter().filter(fits).cloned().collect();
        let mut source = dice.pick(&found).cloned()?;
        if dice.chance(10) {
            source = self.lead(dice, source);
        }
        Some(source)
    }

    /// A number for a port, which a number node fits whatever the type.
    fn pick_number(&mut self, dice: &mut Dice, ty: Ty) -> Option<Source> {
        let fits = |source: &&Source| source.ty == ty || (source.any && !ty.grid);
        let found: Vec<Source> = self.sources.iter().filter(fits).cloned().collect();
        dice.pick(&found).cloned()
    }

    fn lead(&mut self, dice: &mut Dice, source: Source) -> Source {
        let name = self.name(dice, "r");
        let mut node = Node::new(Kind::Reroute);
        node.inputs.insert("value".into(), source.wire);
        self.nodes.insert(name.clone(), node);
        Source { wire: (name, "value".into()), computed: false, ..source }
    }

    fn reroute(&mut self, dice: &mut Dice) {
        if let Some(source) = dice.pick(&self.sources).cloned() {
            let led = self.lead(dice, source);
            self.sources.push(led);
        }
    }

    fn grid(&mut self, dice: &mut Dice, elem: Elem) -> Source {
        let ty = Ty { grid: true, elem };
        self.pick(dice, ty, false).unwrap_or_else(|| self.make(dice, Op::Spread, elem))
    }

    /// A grid that says where something runs: one that is zero in part, or any.
    fn mask(&mut self, dice: &mut Dice) -> Option<Source> {
        let grids: Vec<Source> = self.sources.iter().filter(|source| source.ty.grid).cloned().collect();
        let spots: Vec<Source> = grids.iter().filter(|source| self.is_spot(&source.wire.0)).cloned().collect();
        let any = spots.is_empty() || dice.chance(30);
        let source = dice.pick(if any { &grids } else { &spots }).cloned()?;
        Some(if dice.chance(10) { self.lead(dice, source) } else { source })
    }

    fn is_spot(&self, name: &str) -> bool {
        self.nodes.get(name).is_some_and(|node| matches!(node.kind, Kind::Stage(Op::Spot, _)) && !node.muted)
    }

    fn stage(&mut self, dice: &mut Dice) -> Source {
        let elem = elem(dice);
        let ops: Vec<Op> = Op::ALL.into_iter().filter(|op| op.fits(elem, self.edge)).collect();
        let op = *dice.pick(&ops).unwrap();
        self.make(dice, op, elem)
    }

    fn make(&mut self, dice: &mut Dice, op: Op, elem: Elem) -> Source {
        let mut node = Node::new(Kind::Stage(op, elem));
        let (output, made) = op.output();
        let (mut pure, mut passed) = (true, None);
        for (port, grid) in op.inputs() {
            let ty = Ty { grid: *grid, elem };
            let source = match grid {
                true => Some(self.grid(dice, elem)),
                false if dice.chance(70) => self.pick_number(dice, ty),
                false => None,
            };
            match source {
                Some(source) => {
                    node.inputs.insert(port.to_string(), source.wire.clone());
                    pure &= source.pure;
                    if *grid == made && passed.is_none() && (*port != output || source.ty == ty) {
                        passed = Some(source);
                    }
                }
                None if dice.chance(70) => drop(node.params.insert(port.to_string(), {
                    let live = dice.chance(40);
                    self.expr(dice, live)
                })),
                None => {}
            }
        }
        let numbers: Vec<Source> = self.sources.iter().filter(|s| s.document.is_some()).cloned().collect();
        let number = numbers.into_iter().filter(|s| s.ty.elem != Elem::Vec2).collect::<Vec<_>>();
        match dice.pick(&number).filter(|_| dice.chance(25)) {
            Some(number) => drop(node.inputs.insert("c".into(), number.wire.clone())),
            None if dice.chance(70) => {
                let live = dice.chance(40);
                drop(node.params.insert("c".into(), self.expr(dice, live)));
            }
            None => {}
        }
        if op.repeats() && dice.chance(40) {
            node.iterations = Some(self.repeats(dice, 3));
        }
        if self.confined
            && op.can_be_confined()
            && dice.chance(35)
            && let Some(mask) = self.mask(dice)
        {
            pure &= mask.pure;
            node.confined = Some(mask.wire);
        }
        // What continues from itself passes on its own input only.
        let passes_its_state = passed.as_ref().is_some_and(|_| !op.repeats() || node.inputs.contains_key(output));
        node.muted =
            passes_its_state && passed.is_some_and(|source| source.ty == Ty { grid: made, elem }) && dice.chance(8);
        let (name, muted) = (self.name(dice, "f"), node.muted);
        self.nodes.insert(name.clone(), node);
        let wire = (name, output.to_string());
        let ty = Ty { grid: made, elem };
        let source = Source { wire, ty, document: None, any: false, pure, computed: !muted };
        self.sources.push(source.clone());
        source
    }

    fn group(&mut self, dice: &mut Dice) {
        let mut node = Node::new(Kind::Reroute);
        let mut group = Group::default();
        let mut inner = Level::new(self.depth + 1, self.edge, self.confined);
        if dice.chance(70) {
            node.iterations = Some(self.repeats(dice, 4));
        }
        let (mut fed, mut pure) = (BTreeSet::new(), true);
        for index in 0..1 + dice.below(4) {
            let name = format!("p{index}");
            let ty = Ty { grid: dice.chance(50), elem: elem(dice) };
            let source = match ty.grid {
                true => Some(self.grid(dice, ty.elem)),
                false if dice.chance(75) => self.pick_number(dice, ty),
                false => None,
            };
            if dice.chance(50) {
                fed.insert(name.clone());
            }
            let mut document = source.as_ref().and_then(|source| source.document);
            match &source {
                Some(source) => drop(node.inputs.insert(name.clone(), source.wire.clone())),
                None => {
                    let live = dice.chance(30);
                    node.params.insert(name.clone(), self.expr(dice, live));
                    document = Some(live);
                }
            }
            pure &= source.is_none_or(|source| source.pure);
            // What goes round is no number of the document.
            let document = document.filter(|_| !fed.contains(&name));
            if let (Some(live), false) = (document, ty.elem == Elem::Vec2) {
                inner.names.push((name.clone(), live));
            }
            let wire = ("in".to_string(), name.clone());
            inner.sources.push(Source { wire, ty, document, any: false, pure: false, computed: false });
            group.inputs.insert(name, ty);
        }
        let (states, count) = (usize::from(dice.chance(25)), 1 + dice.below(5));
        inner.fill(dice, states, count);
        for name in &fed {
            let ty = group.inputs[name];
            if let Some(source) = inner.pick(dice, ty, false) {
                group.outputs.insert(name.clone(), (source.wire, ty));
            }
        }
        for index in 0..dice.below(3) + usize::from(group.outputs.is_empty()) {
            if let Some(source) = dice.pick(&inner.sources).cloned() {
                group.outputs.insert(format!("o{index}"), (source.wire, source.ty));
            }
        }
        let wait = inner.sources.iter().filter(|s| s.computed && s.ty == NUMBER).cloned().collect::<Vec<_>>();
        // What a State inside starts from must not wait for a number that follows from States.
        let may_wait = node.iterations.is_some() && !inner.nodes.values().any(starts);
        if let (Some(number), true) = (dice.pick(&wait), may_wait && dice.chance(40)) {
            group.outputs.insert("u".into(), (number.wire.clone(), NUMBER));
            let below = Expr::Add(self.expr(dice, true).into(), Expr::Const(dice.below(900) as i32).into());
            group.until = Some(("u".into(), below, 1 + dice.below(3) as u32));
        }
        self.expose(dice, &mut node, &mut group, &inner);
        group.nodes = inner.nodes;
        let passes = |(name, (_, ty)): (&String, &(Wire, Ty))| {
            let wire = node.inputs.get(name);
            wire.is_some_and(|wire| self.sources.iter().any(|s| s.wire == *wire && s.ty == *ty))
        };
        node.muted = group.outputs.iter().all(passes) && dice.chance(10);
        if self.confined
            && all_can_be_confined(&group)
            && dice.chance(50)
            && let Some(mask) = self.mask(dice)
            // What a State inside starts from follows from no State.
            && (mask.pure || !group.nodes.values().any(starts))
        {
            pure &= mask.pure;
            node.confined = Some(mask.wire);
        }
        let name = self.name(dice, "g");
        let pure = pure && !holds_state(&group);
        for (port, (_, ty)) in &group.outputs {
            let wire = (name.clone(), port.clone());
            self.sources.push(Source { wire, ty: *ty, document: None, any: false, pure, computed: false });
        }
        node.kind = Kind::Group(group);
        self.nodes.insert(name, node);
    }

    /// Lets the group set some constants inside.
    fn expose(&mut self, dice: &mut Dice, node: &mut Node, group: &mut Group, inner: &Level) {
        for (index, (name, within)) in inner.nodes.iter().enumerate() {
            let (param, number) = match &within.kind {
                Kind::Stage(..) if !within.inputs.contains_key("c") && !within.muted => ("c", false),
                Kind::Number(_) => ("value", true),
                _ => continue,
            };
            if !dice.chance(20) {
                continue;
            }
            let outer = format!("q{index}");
            if dice.chance(70) {
                // A number inside may decide how often something repeats.
                let live = !number && dice.chance(40);
                node.params.insert(outer.clone(), self.expr(dice, live));
            }
            group.params.insert(outer, (name.clone(), param.into()));
        }
    }
}

/// Whether a State within starts from a wire.
fn starts(node: &Node) -> bool {
    match &node.kind {
        Kind::State(_) => node.inputs.contains_key("init"),
        Kind::Group(group) => group.nodes.values().any(starts),
        _ => false,
    }
}

/// Whether a grid may confine all stages within that have none of their own, and there is one.
fn all_can_be_confined(group: &Group) -> bool {
    let runs = |node: &&Node| !node.muted && node.confined.is_none();
    let mut any = false;
    let all = group.nodes.values().filter(runs).all(|node| match &node.kind {
        Kind::Stage(op, _) => {
            let over_cells = op.output().1 || op.reduces().is_some();
            any |= over_cells;
            !over_cells || op.can_be_confined()
        }
        Kind::Group(inner) => {
            let empty = !inner.nodes.values().any(|node| matches!(node.kind, Kind::Stage(..) | Kind::Group(_)));
            let can = all_can_be_confined(inner);
            any |= can;
            empty || can
        }
        _ => true,
    });
    all && any
}

fn holds_state(group: &Group) -> bool {
    group.nodes.values().any(|node| match &node.kind {
        Kind::State(_) => true,
        Kind::Group(group) => holds_state(group),
        _ => false,
    })
}

fn elem(dice: &mut Dice) -> Elem {
    if dice.chance(50) { Elem::F32 } else { *dice.pick(&Elem::ALL).unwrap() }
}
