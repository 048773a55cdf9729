//! What a graph means, on the CPU: nodes are evaluated when somebody asks, repeat by repeat, with no plan.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::model::{BLOCK, Edge, Elem, Expr, Group, Kind, Model, Node, Op, SPOTS, STRIDE, Ty, Wire};

/// The numbers of a wire, component by component within an element; all are whole and exact in `f32`.
pub type Values = Rc<Vec<f64>>;

/// A level of the graph in one repeat of the groups around it.
pub struct Scope<'m> {
    nodes: &'m BTreeMap<String, Node>,
    prefix: String,
    around: Option<Around<'m>>,
    values: RefCell<BTreeMap<String, Values>>,
    /// The last repeat that each group here has made.
    last: RefCell<BTreeMap<String, Rc<Scope<'m>>>>,
}

struct Around<'m> {
    name: &'m str,
    node: &'m Node,
    group: &'m Group,
    parent: Rc<Scope<'m>>,
    previous: Option<Rc<Scope<'m>>>,
    repeat: u32,
}

/// The values of all States, by path.
pub type States = BTreeMap<String, (Ty, Values)>;

pub struct Interpreter<'m> {
    model: &'m Model,
    frame: u32,
    states: States,
    /// Before the first frame. No State has a value, and what one starts from is the same in every repeat.
    starting: bool,
}

impl<'m> Interpreter<'m> {
    /// A graph after a reset.
    pub fn new(model: &'m Model) -> Interpreter<'m> {
        let mut it = Interpreter { model, frame: 0, states: States::new(), starting: true };
        it.states = it.each_state(|it, scope, name, node, ty| match node.inputs.get("init") {
            Some(wire) => it.read(wire, scope, ty),
            None => it.fill(it.param(scope, name, "value").unwrap_or(0.0), ty),
        });
        it.starting = false;
        it
    }

    pub fn states(&self) -> &States {
        &self.states
    }

    /// Computes a frame, and gives what each State has become.
    pub fn step(&mut self) -> &States {
        let next = self.each_state(|it, scope, name, node, ty| match node.inputs.get("next") {
            Some(wire) => it.read(wire, scope, ty),
            None => it.states[&format!("{}{name}", scope.prefix)].1.clone(),
        });
        self.states = next;
        self.frame += 1;
        &self.states
    }

    fn each_state(&self, of: impl Fn(&Self, &Rc<Scope<'m>>, &str, &Node, Ty) -> Values) -> States {
        let top = Rc::new(Scope {
            nodes: &self.model.nodes,
            prefix: String::new(),
            around: None,
            values: RefCell::default(),
            last: RefCell::default(),
        });
        let mut states = States::new();
        self.visit(&top, &of, &mut states);
        states
    }

    fn visit(
        &self,
        scope: &Rc<Scope<'m>>,
        of: &impl Fn(&Self, &Rc<Scope<'m>>, &str, &Node, Ty) -> Values,
        states: &mut States,
    ) {
        for (name, node) in scope.nodes {
            match &node.kind {
                Kind::State(ty) => {
                    let value = of(self, scope, name, node, *ty);
                    states.insert(format!("{}{name}", scope.prefix), (*ty, value));
                }
                Kind::Group(group) if !node.muted && holds_state(group) => {
                    let last = self.last_repeat(scope, name, node, group);
                    self.visit(&last, of, states);
                }
                _ => {}
            }
        }
    }

    fn cells(&self) -> usize {
        self.model.cells.iter().product()
    }

    fn fill(&self, value: f64, ty: Ty) -> Values {
        let count = ty.elem.components() * if ty.grid { self.cells() } else { 1 };
        Rc::new(vec![value; count])
    }

    /// A wire as a type; a number of the document fits any.
    fn read(&self, wire: &Wire, scope: &Rc<Scope<'m>>, ty: Ty) -> Values {
        let values = self.wire(wire, scope);
        match (values.len(), ty.grid) {
            (1, false) => self.fill(values[0], ty),
            _ => values,
        }
    }

    fn wire(&self, (name, port): &Wire, scope: &Rc<Scope<'m>>) -> Values {
        if name == "in" {
            let around = scope.around.as_ref().expect("a group around");
            return match (&around.previous, around.group.outputs.get(port)) {
                (Some(previous), Some((wire, _))) => self.read(wire, previous, around.group.inputs[port]),
                _ => self.input(&around.parent, around.name, around.node, port, around.group.inputs[port]),
            };
        }
        let node = &scope.nodes[name];
        let key = format!("{name}.{port}");
        if let Some(values) = scope.values.borrow().get(&key) {
            return values.clone();
        }
        let values = self.node((name, port), node, scope);
        scope.values.borrow_mut().insert(key, values.clone());
        values
    }

    fn node(&self, (name, port): (&str, &str), node: &'m Node, scope: &Rc<Scope<'m>>) -> Values {
        match &node.kind {
            Kind::Reroute => self.wire(&node.inputs["value"], scope),
            Kind::Number(_) => Rc::new(vec![self.number(scope, name)]),
            Kind::State(_) => self.states[&format!("{}{name}", scope.prefix)].1.clone(),
            Kind::Group(_) if node.muted => self.wire(&node.inputs[port], scope),
            Kind::Stage(op, elem) if node.muted => {
                let (_, grid) = op.output();
                let passes = op.inputs().iter().find(|(n, g)| *g == grid && node.inputs.contains_key(*n));
                let wire = &node.inputs[passes.expect("something to pass on").0];
                self.read(wire, scope, Ty { grid, elem: *elem })
            }
            Kind::Group(group) => {
                let last = self.last_repeat(scope, name, node, group);
                let (wire, ty) = &group.outputs[port];
                self.read(wire, &last, *ty)
            }
            Kind::Stage(op, elem) => self.stage(name, node, *op, *elem, scope),
        }
    }

    /// Makes the repeats of a group.
    fn last_repeat(&self, scope: &Rc<Scope<'m>>, name: &str, node: &'m Node, group: &'m Group) -> Rc<Scope<'m>> {
        if let Some(last) = scope.last.borrow().get(name) {
            return last.clone();
        }
        let (name, _) = scope.nodes.get_key_value(name).expect("a node of the level");
        let iterations = node.iterations.as_ref().map_or(1, |e| self.eval(e, scope) as u32);
        let mut previous: Option<Rc<Scope<'m>>> = None;
        for repeat in 0..iterations {
            if let (Some(before), Some((number, below, every))) = (&previous, &group.until)
                && repeat % every == 0
                && !self.starting
            {
                let (wire, ty) = &group.outputs[number];
                if self.read(wire, before, *ty)[0] < self.eval(below, scope) {
                    break;
                }
            }
            let around = Around { name, node, group, parent: scope.clone(), previous: previous.clone(), repeat };
            previous = Some(Rc::new(Scope {
                nodes: &group.nodes,
                prefix: format!("{}{name}/", scope.prefix),
                around: Some(around),
                values: RefCell::default(),
                last: RefCell::default(),
            }));
        }
        let last = previous.expect("a group repeats once at least");
        scope.last.borrow_mut().insert(name.clone(), last.clone());
        last
    }

    /// An input of a node: its wire, or its constant.
    fn input(&self, scope: &Rc<Scope<'m>>, name: &str, node: &Node, port: &str, ty: Ty) -> Values {
        match node.inputs.get(port) {
            Some(wire) => self.read(wire, scope, ty),
            None => self.fill(self.param(scope, name, port).unwrap_or(0.0), ty),
        }
    }

    /// A parameter as it was given: by the group around, where that sets it, or by the node.
    fn param(&self, scope: &Rc<Scope<'m>>, name: &str, param: &str) -> Option<f64> {
        if let Some(around) = &scope.around {
            for (outer, (node, inner)) in &around.group.params {
                if node == name
                    && inner == param
                    && let Some(value) = self.param(&around.parent, around.name, outer)
                {
                    return Some(value);
                }
            }
        }
        let node = &scope.nodes[name];
        if let Some(wire) = node.inputs.get(param) {
            return Some(self.wire(wire, scope)[0]);
        }
        let param_value = node.params.get(param);
        let number = if let (Kind::Number(value), "value") = (&node.kind, param) { Some(value) } else { None };
        param_value.or(number).map(|value| self.eval(value, scope))
    }

    fn number(&self, scope: &Rc<Scope<'m>>, name: &str) -> f64 {
        self.param(scope, name, "value").expect("a number node")
    }

    fn eval(&self, expr: &Expr, scope: &Rc<Scope<'m>>) -> f64 {
        match expr {
            Expr::Const(value) => f64::from(*value),
            Expr::Frame => f64::from(self.frame),
            Expr::Add(a, b) => self.eval(a, scope) + self.eval(b, scope),
            Expr::Times(a, n) => self.eval(a, scope) * f64::from(*n),
            Expr::Min(a, n) => self.eval(a, scope).min(f64::from(*n)),
            Expr::Name(name) if scope.nodes.contains_key(name) => self.number(scope, name),
            Expr::Name(name) => {
                let around = scope.around.as_ref().expect("an input of the group around");
                self.input(&around.parent, around.name, around.node, name, around.group.inputs[name])[0]
            }
        }
    }

    fn stage(&self, name: &str, node: &Node, op: Op, elem: Elem, scope: &Rc<Scope<'m>>) -> Values {
        let get = |port: &str, grid: bool| self.input(scope, name, node, port, Ty { grid, elem });
        let mut inputs: Vec<Values> = op.inputs().iter().map(|(port, grid)| get(port, *grid)).collect();
        let constant = self.param(scope, name, "c").unwrap_or(1.0);
        let substep = scope.around.as_ref().map_or(0, |around| around.repeat);
        let iterations = node.iterations.as_ref().map_or(1, |e| self.eval(e, scope) as u32);
        let runs = if op.output().1 || op.reduces().is_some() { self.active(node, scope) } else { None };
        let mut made = Rc::new(Vec::new());
        for iteration in 0..iterations {
            made =
                Rc::new(self.sweep((op, elem), &inputs, constant, f64::from(iteration + 2 * substep), runs.as_deref()));
            // What a repeat continues from is the first input.
            if op.repeats() {
                inputs[0] = made.clone();
            }
        }
        made
    }

    /// Whether a stage runs in each cell: by the grid that it names, or else the innermost group around it that names one.
    fn active(&self, node: &Node, scope: &Rc<Scope<'m>>) -> Option<Vec<bool>> {
        let mut around = scope.clone();
        let mut grid = node.confined.as_ref().map(|wire| self.wire(wire, scope));
        while grid.is_none() {
            let group = around.around.as_ref()?;
            let parent = group.parent.clone();
            grid = group.node.confined.as_ref().map(|wire| self.wire(wire, &parent));
            around = parent;
        }
        let (grid, [nx, ny]) = (grid?, self.model.cells.map(|n| n as i64));
        let n = grid.len() / (nx * ny) as usize;
        let (across, up) = ((nx + BLOCK - 1) / BLOCK, (ny + BLOCK - 1) / BLOCK);
        let found = |bx: i64, by: i64| {
            let cells = (0..ny).flat_map(|y| (0..nx).map(move |x| (x, y)));
            let mut inside = cells.filter(|(x, y)| x / BLOCK == bx && y / BLOCK == by);
            inside.any(|(x, y)| (0..n).any(|k| grid[(y * nx + x) as usize * n + k] != 0.0))
        };
        let found: Vec<bool> =
            (0..up).flat_map(|by| (0..across).map(move |bx| (bx, by))).map(|(bx, by)| found(bx, by)).collect();
        // Beyond a border there is the block on the other side, or none.
        let edge = if self.model.edge == Edge::Wrap { Edge::Wrap } else { Edge::Zero };
        let near = |bx: i64, by: i64| {
            let beside = |(dx, dy): (i64, i64)| {
                Some((edge.place(by + dy, up)? * across + edge.place(bx + dx, across)?) as usize)
            };
            (-1..2).flat_map(|dy| (-1..2).map(move |dx| (dx, dy))).filter_map(beside).any(|block| found[block])
        };
        Some((0..ny).flat_map(|y| (0..nx).map(move |x| (x, y))).map(|(x, y)| near(x / BLOCK, y / BLOCK)).collect())
    }

    /// `runs`: whether the stage runs in each cell, where a grid confines it.
    fn sweep(
        &self,
        (op, elem): (Op, Elem),
        inputs: &[Values],
        constant: f64,
        counter: f64,
        runs: Option<&[bool]>,
    ) -> Vec<f64> {
        let runs = |element: usize| runs.is_none_or(|runs| runs[element]);
        let (n, [nx, ny]) = (elem.components(), self.model.cells);
        let wrap = |sum: f64| sum - (sum / 1024.0).floor() * 1024.0;
        if let Op::Mix | Op::Grow = op {
            let b = if op == Op::Mix { 5.0 } else { 1.0 };
            return (0..n).map(|k| wrap(3.0 * inputs[0][k] + b * inputs[1][k] + constant)).collect();
        }
        let nx = nx as i64;
        let ny = ny as i64;
        let edge = self.model.edge;
        let cells = (0..ny).flat_map(|y| (0..nx).map(move |x| (x, y)));
        // The element that is seen at a place, if one is.
        let seen = |edge: Edge, (x, y): (i64, i64)| Some(((edge.place(y, ny)? * nx + edge.place(x, nx)?) as usize) * n);
        let value = |grid: &[f64], edge: Edge, place: (i64, i64), k: usize| {
            seen(edge, place).map_or(0.0, |element| grid[element + k])
        };
        // Reads are held to the radius, except around a periodic axis.
        let held = |step: i64| match op.radius() {
            Some(radius) if edge != Edge::Wrap => step.clamp(-radius, radius),
            _ => step,
        };
        let sum = |inputs: &[Values], (x, y): (i64, i64), k: usize| {
            let at = |grid: &Values, dx: i64, dy: i64| value(grid, edge, (x + dx, y + dy), k);
            let away = |grid: &Values, step: i64| at(grid, held(step), -held(step));
            match op {
                Op::Blend => 3.0 * at(&inputs[0], 0, 0) + 5.0 * at(&inputs[1], 0, 0) + inputs[2][k],
                Op::Look => 3.0 * at(&inputs[0], 1, 0) + 5.0 * at(&inputs[1], 0, 0),
                Op::Rim => 3.0 * value(&inputs[0], Edge::Zero, (x + 1, y), k) + 5.0 * at(&inputs[1], 0, 0),
                Op::Wide | Op::Reach => 3.0 * away(&inputs[0], 1) + away(&inputs[0], -3) + 5.0 * at(&inputs[1], 0, 0),
                Op::Stir => 3.0 * away(&inputs[0], 1) + away(&inputs[0], -3) + inputs[1][k],
                Op::Fade => 3.0 * at(&inputs[0], 0, 0) + inputs[1][k],
                // Across the lower x face and the upper y face.
                Op::Smear => 3.0 * at(&inputs[0], 0, 0) + at(&inputs[0], -1, 0) + at(&inputs[0], 0, 1),
                Op::Check => at(&inputs[0], 0, 0) + at(&inputs[0], -1, 0) + at(&inputs[0], 0, 1),
                Op::Count => 3.0 * at(&inputs[0], 0, 0) + counter,
                Op::Spread | Op::Spot => inputs[0][k] + (x + 3 * y) as f64,
                Op::Low | Op::Total => away(&inputs[0], 1) + away(&inputs[0], -3),
                Op::Peak | Op::Throw | Op::Raise | Op::Sink | Op::Scan => at(&inputs[0], 0, 0),
                Op::Mix | Op::Grow => unreachable!("no grid"),
            }
        };
        let all = |inputs: &[Values]| -> Vec<f64> {
            let each = |place| (0..n).map(move |k| (place, k));
            let here = |(x, y): (i64, i64)| {
                let spot = op != Op::Spot || x / BLOCK + STRIDE * (y / BLOCK) == constant as i64 % SPOTS;
                spot && runs((y * nx + x) as usize)
            };
            let value = |(place, k)| if here(place) { wrap(sum(inputs, place, k) + constant) } else { 0.0 };
            cells.clone().flat_map(each).map(value).collect()
        };
        if op == Op::Check {
            let mut grid = inputs[0].clone();
            for color in 0..2 {
                let swept = all(&[grid.clone()]);
                let kept = cells.clone().enumerate().flat_map(|(element, (x, y))| {
                    let from = if (x + y) % 2 == color { &swept } else { &*grid };
                    from[element * n..][..n].to_vec()
                });
                grid = Rc::new(kept.collect());
            }
            return grid.to_vec();
        }
        let values = all(inputs);
        match op {
            Op::Peak => vec![values.into_iter().fold(f64::MIN, f64::max)],
            Op::Low => vec![values.into_iter().fold(f64::MAX, f64::min)],
            Op::Total => vec![values.into_iter().sum()],
            Op::Scan => values.iter().scan(0.0, |sum, value| Some(std::mem::replace(sum, *sum + value))).collect(),
            Op::Throw => {
                let mut out = vec![0.0; values.len()];
                for (element, (x, y)) in cells.enumerate().filter(|(element, _)| runs(*element)) {
                    let Some(to) = seen(edge, (x + 1, y - 1)) else { continue };
                    (0..n).for_each(|k| out[to + k] += values[element * n + k]);
                }
                out
            }
            Op::Raise | Op::Sink => {
                // An extreme outside of the grid is not one of its border.
                let edge = if edge == Edge::Clamp { Edge::Zero } else { edge };
                let mut out = values.clone();
                for (element, place) in cells.enumerate() {
                    let Some(to) = seen(edge, (place.0 + 1, place.1 - 1)) else { continue };
                    out[to] = match op {
                        Op::Raise => out[to].max(2.0 * values[element]),
                        _ => out[to].min(inputs[0][element]),
                    };
                }
                out
            }
            _ => values,
        }
    }
}

fn holds_state(group: &Group) -> bool {
    group.nodes.values().any(|node| match &node.kind {
        Kind::State(_) => true,
        Kind::Group(group) => !node.muted && holds_state(group),
        _ => false,
    })
}
