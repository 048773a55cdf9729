//! Numbers that expressions can name: number nodes, and inside a group the numbers that enter it.
//!
//! An expression can use the numbers of its own level, but not those of enclosing levels. Inside a group, its inputs
//! can be used by name unless a number node has the same name. A value that a group passes to a parameter inside was
//! written outside, so it keeps the names of that level ([`Names`] travel with a value).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Track, limits};
use crate::curve::Keyframes;
use crate::document::{Nodes, ParamValue};
use crate::expr::{self, ExprContext, Expression, Number, Numbers};

/// The names that expressions of one level may use, and the path that sets each: `spacing` is `group/spacing.value`. A
/// number on the GPU has no path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names(BTreeMap<String, Named>);

/// What a name refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    /// A number by the path that sets it.
    Path(String),
    /// A number that is computed on the GPU.
    Gpu,
    /// An input of the enclosing group that its iterations change.
    Looped,
}

impl Named {
    fn path(&self) -> Option<&String> {
        match self {
            Named::Path(path) => Some(path),
            Named::Gpu | Named::Looped => None,
        }
    }
}

impl Names {
    /// Adds a name, unless expressions cannot use it.
    pub fn insert(&mut self, name: &str, named: Named) {
        if expr::usable(name) {
            self.0.insert(name.to_string(), named);
        }
    }

    /// The names that occur in a value, and their paths.
    pub fn uses(&self, value: &ParamValue) -> BTreeMap<String, String> {
        let Some(text) = value.expression() else { return BTreeMap::new() };
        let path = |name: &str| Some((name.to_string(), self.0.get(name)?.path()?.clone()));
        expr::names(text).into_iter().filter_map(path).collect()
    }
}

impl From<&BTreeMap<String, String>> for Names {
    fn from(uses: &BTreeMap<String, String>) -> Names {
        Names(uses.iter().map(|(name, path)| (name.clone(), Named::Path(path.clone()))).collect())
    }
}

/// A number that expressions can name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedNumber {
    /// The path that sets it: `wind.value`, or `group.wind` for a number that enters a group; then other paths for the
    /// same number.
    pub paths: Vec<String>,
    /// Path prefix of the nodes whose expressions can use it: empty, or `group/`.
    pub level: String,
    /// The constant or expression.
    pub value: ParamValue,
    /// Numbers that its expression names, each with its first path.
    pub uses: BTreeMap<String, String>,
    /// The file that its value comes from, frame by frame, in place of `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Track>,
}

impl NamedNumber {
    /// The first of its paths.
    pub fn path(&self) -> &str {
        self.paths.first().map_or("", String::as_str)
    }

    /// Name of the number as a number node; `None` for an input of a group.
    fn node(&self) -> Option<&str> {
        self.path().strip_prefix(&self.level)?.strip_suffix(".value")
    }
}

/// The names that the expression of a parameter may use: the numbers of its node's level.
pub fn names_around(numbers: &[NamedNumber], param: &str) -> Names {
    let node = param.rsplit_once('.').map_or(param, |(node, _)| node);
    let level = node.rfind('/').map_or("", |slash| &node[..=slash]);
    let on_level = || numbers.iter().filter(|number| number.level == level);
    let mut names = Names::default();
    for number in on_level().filter(|number| number.node().is_none()) {
        let (_, input) = number.path().rsplit_once('.').unwrap_or_default();
        names.insert(input, Named::Path(number.path().to_string()));
    }
    // Number nodes have priority over a group's own inputs.
    for number in on_level() {
        names.insert(number.node().unwrap_or_default(), Named::Path(number.path().to_string()));
    }
    names
}

/// Number nodes of a document's top level that expressions can name, with their values at time zero; zero for an
/// invalid one.
pub fn named(nodes: &Nodes) -> Numbers {
    let values = nodes.iter().filter_map(|(name, node)| {
        let value = node.kind.number().or(node.kind.is_number().then_some(&ParamValue::Number(0.0)))?;
        Some((name, node.params.get("value").unwrap_or(value).clone()))
    });
    let values: Vec<_> = values.map(|(name, value)| (name, format!("{name}.value"), value)).collect();
    let mut names = Names::default();
    values.iter().for_each(|(name, path, _)| names.insert(name, Named::Path(path.clone())));
    let names = Arc::new(names);
    let number = |(_, path, value): (&String, String, ParamValue)| {
        let uses = names.uses(&value);
        (NamedNumber { paths: vec![path], level: String::new(), value, uses, track: None }, names.clone())
    };
    let mut table = Table::default();
    table.add(values.into_iter().map(number).collect());
    let value = |path: &str| table.get(path).map_or(Number::scalar(0.0), |entry| entry.start);
    names.0.iter().filter_map(|(name, named)| Some((name.clone(), value(named.path()?)))).collect()
}

/// A value prepared for evaluation.
#[derive(Clone, Debug)]
pub struct Formula {
    source: Source,
    uses: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
enum Source {
    Constant(Number),
    /// A single number, by its path.
    Number(String),
    /// The paths of the numbers that it names are in `uses`.
    Expression(Box<Expression>),
    Keys(Box<Keyed>),
    Track(Box<Track>),
}

#[derive(Clone, Debug)]
struct Keyed {
    keys: Keyframes,
    expression: Option<Expression>,
    /// The curve is rounded to whole numbers.
    whole: bool,
}

impl Keyed {
    fn curve(&self, frame: f64) -> Number {
        let mut v = self.keys.at(frame);
        if self.whole {
            v = v.map(f64::round);
        }
        Number { len: self.keys.components(), v }
    }
}

impl Formula {
    /// Rounds the curve of keys, since between them it passes through values that are no whole numbers.
    pub fn round_keys(&mut self) {
        if let Source::Keys(keyed) = &mut self.source {
            keyed.whole = true;
        }
    }

    /// The value in a frame.
    ///
    /// # Errors
    /// When the expression has no value.
    pub fn eval(&self, context: &ExprContext, number: &dyn Fn(&str) -> Option<Number>) -> Result<Number, Unfit> {
        let missing = || ("a number that it names has no value".to_string(), "correct that number".to_string());
        match &self.source {
            Source::Constant(value) => Ok(*value),
            Source::Track(track) => Ok(Number::scalar(track.value_at(context.frame))),
            Source::Number(path) => number(path).ok_or_else(missing),
            Source::Expression(expression) => {
                let named = |place: usize| number(self.uses.get(expression.numbers().get(place)?)?);
                expression.eval_by(context, &named).map_err(wrong)
            }
            Source::Keys(keyed) => {
                let curve = keyed.curve(context.frame);
                let Some(expression) = &keyed.expression else { return Ok(curve) };
                let named = |place: usize| match expression.numbers().get(place)?.as_str() {
                    expr::KEYFRAMES => Some(curve),
                    name => number(self.uses.get(name)?),
                };
                expression.eval_by(context, &named).map_err(wrong)
            }
        }
    }

    /// A variable of the language that its text uses, if any.
    pub fn variable(&self) -> Option<&str> {
        match &self.source {
            Source::Expression(expression) => expression.variables().first().copied(),
            Source::Keys(_) | Source::Track(_) => Some("frame"),
            _ => None,
        }
    }

    /// The first variable other than the time step.
    fn variable_beside_step(&self) -> Option<&str> {
        match &self.source {
            Source::Expression(expression) => expression.variables().iter().copied().find(|name| *name != "dt"),
            _ => self.variable(),
        }
    }

    /// Numbers that it names, each with its path.
    pub fn uses(&self) -> &BTreeMap<String, String> {
        &self.uses
    }
}

fn wrong(error: expr::ExprError) -> Unfit {
    error.cause_and_help()
}

/// Why a value does not fit a parameter: cause and remedy.
pub type Unfit = (String, String);

/// Why there is no formula: `None` when the cause is a number that it names, which is reported there.
pub type Fault = Option<Unfit>;

#[derive(Clone, Debug)]
struct Entry {
    number: NamedNumber,
    formula: Formula,
    live: bool,
    /// Whether it changes from frame to frame even where all steps are of one length.
    varies: bool,
    start: Number,
    now: Number,
}

/// Numbers with their values, each after those that it names.
#[derive(Clone, Debug, Default)]
pub struct Table {
    entries: Vec<Entry>,
    index: BTreeMap<String, usize>,
    /// Length of every step \[s\]; `None` where it may change or is not known.
    step: Option<f64>,
}

impl Table {
    /// An empty table for steps of one length \[s\], if they have one.
    pub(super) fn with_step(step: Option<f64>) -> Table {
        Table { step, ..Table::default() }
    }

    /// # Errors
    /// The path of the first invalid number, and its error.
    pub fn new(numbers: &[NamedNumber]) -> Result<Table, (String, Unfit)> {
        let mut table = Table::default();
        let named = |number: &NamedNumber| (number.clone(), Arc::new(Names::from(&number.uses)));
        match table.add(numbers.iter().map(named).collect()).into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(table),
        }
    }

    /// Adds numbers that may name each other. Returns the paths and errors of invalid ones; these are not added, nor
    /// are others that name them.
    pub fn add(&mut self, numbers: Vec<(NamedNumber, Arc<Names>)>) -> Vec<(String, Unfit)> {
        let (order, cycles) = order(&numbers);
        let mut faults: Vec<(String, Unfit)> = cycles.iter().filter_map(|cycle| round(&numbers, cycle)).collect();
        let mut numbers: Vec<_> = numbers.into_iter().map(Some).collect();
        for (number, names) in order.into_iter().filter_map(|i| numbers.get_mut(i)?.take()) {
            match self.entry(number, &names) {
                Ok(entry) => {
                    self.index.insert(entry.number.path().to_string(), self.entries.len());
                    self.entries.push(entry);
                }
                Err((path, fault)) => faults.extend(fault.map(|unfit| (path, unfit))),
            }
        }
        faults
    }

    fn entry(&self, number: NamedNumber, names: &Names) -> Result<Entry, (String, Fault)> {
        let fault = |fault| (number.path().to_string(), fault);
        let formula = match &number.track {
            Some(track) => Formula { source: Source::Track(Box::new(track.clone())), uses: BTreeMap::new() },
            None => self.formula(&number.value, names).map_err(fault)?,
        };
        let start = self.start(&formula).and_then(finite).map_err(|unfit| fault(Some(unfit)))?;
        let live = self.follows(&formula).is_some();
        let varies = self.varies_by(&formula).is_some();
        Ok(Entry { number, formula, live, varies, start, now: start })
    }

    /// Parses a value that may name these numbers.
    pub fn formula(&self, value: &ParamValue, names: &Names) -> Result<Formula, Fault> {
        let constant = |number| Formula { source: Source::Constant(number), uses: BTreeMap::new() };
        let text = match value {
            ParamValue::Number(v) => return Ok(constant(Number::scalar(*v))),
            ParamValue::Bool(v) => return Ok(constant(Number::scalar(f64::from(u8::from(*v))))),
            ParamValue::Vector(values) => {
                let wrong =
                    || (format!("{} components do not make a vector", values.len()), "give 2, 3 or 4".to_string());
                return Number::vector(values).map(constant).ok_or_else(|| Some(wrong()));
            }
            ParamValue::Expression(text) => text,
            ParamValue::Keys(keys) => return self.keyed(keys, names.uses(value), names),
            ParamValue::Curve(_) | ParamValue::Gradient(_) => {
                let cause = format!("{} was given for a number", value.kind());
                return Err(Some((cause, "give a number, a vector or an expression".into())));
            }
        };
        let uses = names.uses(value);
        if let (Some(path), 1) = (uses.get(text.trim()), uses.len())
            && self.index.contains_key(path)
        {
            return Ok(Formula { source: Source::Number(path.clone()), uses });
        }
        let expression = Box::new(self.expression(text, names, &Numbers::new())?);
        Ok(Formula { source: Source::Expression(expression), uses })
    }

    fn keyed(&self, keys: &Keyframes, uses: BTreeMap<String, String>, names: &Names) -> Result<Formula, Fault> {
        keys.check()?;
        let mut keyed = Keyed { keys: keys.clone(), expression: None, whole: false };
        if let Some(text) = &keys.expr {
            let curve = Numbers::from([(expr::KEYFRAMES.to_string(), keyed.curve(0.0))]);
            keyed.expression = Some(self.expression(text, names, &curve)?);
        }
        Ok(Formula { source: Source::Keys(Box::new(keyed)), uses })
    }

    fn expression(&self, text: &str, names: &Names, local: &Numbers) -> Result<Expression, Fault> {
        let numbers = self.used_numbers(text, names, local)?;
        let expression = Expression::parse_with(text, &numbers)
            .or_else(|_| Expression::parse_with(text, &self.with_unused_numbers(names, &numbers)));
        expression.map_err(|error| Some(wrong(error)))
    }

    /// The numbers that a text names, with their values at time zero, and those that are `local` to it.
    ///
    /// # Errors
    /// When one is invalid or computed on the GPU.
    pub(super) fn used_numbers(&self, text: &str, names: &Names, local: &Numbers) -> Result<Numbers, Fault> {
        let mut numbers = local.clone();
        for name in expr::names(text).into_iter().filter(|name| !local.contains_key(*name)) {
            match names.0.get(name) {
                Some(Named::Gpu) => {
                    let cause = format!("`{name}` is computed on the GPU, which expressions can't read");
                    return Err(Some((cause, format!("connect `in.{name}` to an input of a stage"))));
                }
                Some(Named::Looped) => {
                    let cause = format!(
                        "`{name}` changes with every iteration, because the group has an output of that name, and expressions can't read it"
                    );
                    let remedy = format!("connect `in.{name}` to an input of a stage, or rename the output");
                    return Err(Some((cause, remedy)));
                }
                Some(Named::Path(path)) => {
                    let Some(entry) = self.get(path) else { return Err(None) };
                    numbers.insert(name.to_string(), entry.start);
                }
                None => {}
            }
        }
        Ok(numbers)
    }

    /// The known numbers with names that the text does not use, for the message that lists them.
    pub(super) fn with_unused_numbers(&self, names: &Names, numbers: &Numbers) -> Numbers {
        let value = |path: &String| self.get(path).map_or(Number::scalar(0.0), |entry| entry.start);
        let listed = names.0.iter().filter_map(|(name, named)| Some((name, named.path()?)));
        let mut all = numbers.clone();
        for (name, path) in listed.take(expr::LISTED + 1) {
            all.entry(name.clone()).or_insert_with(|| value(path));
        }
        all
    }

    fn get(&self, path: &str) -> Option<&Entry> {
        self.index.get(path).and_then(|i| self.entries.get(*i))
    }

    /// A formula's value at time zero.
    ///
    /// # Errors
    /// Errors of [`Formula::eval`].
    pub fn start(&self, formula: &Formula) -> Result<Number, Unfit> {
        let mut context = ExprContext::default();
        context.dt = self.step.unwrap_or(context.dt);
        formula.eval(&context, &|path| self.get(path).map(|entry| entry.start))
    }

    /// A formula's value in the frame of the last [`Table::advance`].
    ///
    /// # Errors
    /// Errors of [`Formula::eval`].
    pub fn now(&self, formula: &Formula, context: &ExprContext) -> Result<Number, Unfit> {
        formula.eval(context, &|path| self.get(path).map(|entry| entry.now))
    }

    /// A number's value in the frame of the last [`Table::advance`], by any path that sets it.
    pub fn value(&self, path: &str) -> Option<Number> {
        let sets = |entry: &&Entry| entry.number.paths.iter().any(|p| p == path);
        self.entries.iter().find(sets).map(|entry| entry.now)
    }

    /// The variable or number that makes a formula change from frame to frame, if any.
    pub fn follows<'a>(&self, formula: &'a Formula) -> Option<&'a str> {
        let live = |(name, path): (&'a String, &String)| {
            self.get(path).is_some_and(|entry| entry.live).then_some(name.as_str())
        };
        formula.variable().or_else(|| formula.uses.iter().find_map(live))
    }

    /// The variable or number that makes a formula change from frame to frame, where the time step is a constant if all steps
    /// are of one length.
    pub(super) fn varies_by<'a>(&self, formula: &'a Formula) -> Option<&'a str> {
        if self.step.is_none() {
            return self.follows(formula);
        }
        let varies = |(name, path): (&'a String, &String)| {
            self.get(path).is_some_and(|entry| entry.varies).then_some(name.as_str())
        };
        formula.variable_beside_step().or_else(|| formula.uses.iter().find_map(varies))
    }

    /// Evaluates everything that changes from frame to frame. A number without a value keeps its last one, and is
    /// returned.
    pub fn advance(&mut self, context: &ExprContext) -> Vec<(String, Unfit)> {
        let mut faults = Vec::new();
        for index in 0..self.entries.len() {
            let Some(entry) = self.entries.get(index).filter(|entry| entry.live) else { continue };
            let (path, value) = (entry.number.path().to_string(), self.now(&entry.formula, context));
            match (value, self.entries.get_mut(index)) {
                (Ok(value), Some(entry)) => entry.now = value,
                (Err(unfit), _) => faults.push((path, unfit)),
                _ => {}
            }
        }
        faults
    }

    /// Sets the present value of a number by its path.
    pub fn hold(&mut self, path: &str, values: &[f64]) {
        let entry = self.index.get(path).and_then(|index| self.entries.get_mut(*index));
        if let (Some(entry), Some(value)) = (entry, Number::vector(values)) {
            entry.now = value;
        }
    }

    /// Copies the present values of another table, for numbers that do not depend on what differs.
    pub fn keep(&mut self, before: &Table, differs: &BTreeSet<String>) {
        for entry in self.entries.iter_mut().filter(|entry| !differs.contains(entry.number.path())) {
            entry.now = before.get(entry.number.path()).map_or(entry.now, |before| before.now);
        }
    }

    /// Paths of all numbers that depend on those at `paths`, and `paths` themselves.
    pub fn dependents(&self, paths: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = paths.into_iter().collect();
        for entry in &self.entries {
            if entry.formula.uses.values().any(|path| found.contains(path)) {
                found.insert(entry.number.path().to_string());
            }
        }
        found
    }

    /// The paths of all numbers that a formula depends on, directly or through others.
    pub fn behind(&self, formula: &Formula) -> BTreeSet<String> {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut pending: Vec<&str> = formula.uses.values().map(String::as_str).collect();
        let mut paths = BTreeSet::new();
        while let Some(path) = pending.pop() {
            let Some(entry) = self.get(path).filter(|_| found.insert(path)) else { continue };
            pending.extend(entry.formula.uses.values().map(String::as_str));
            paths.extend(entry.number.paths.iter().cloned());
        }
        paths
    }

    /// The numbers in order.
    pub fn numbers(&self) -> Vec<NamedNumber> {
        self.entries.iter().map(|entry| entry.number.clone()).collect()
    }
}

fn finite(number: Number) -> Result<Number, Unfit> {
    match number.as_slice().iter().find(|v| !v.is_finite()) {
        Some(value) => Err((format!("the value is {value}"), "give a finite number".into())),
        None => Ok(number),
    }
}

/// The order in which numbers can be evaluated, and the cycles of those that cannot.
fn order(numbers: &[(NamedNumber, Arc<Names>)]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let index: BTreeMap<&str, usize> = numbers.iter().enumerate().map(|(i, (number, _))| (number.path(), i)).collect();
    let uses: Vec<Vec<usize>> =
        numbers.iter().map(|(n, _)| n.uses.values().filter_map(|p| index.get(p.as_str()).copied()).collect()).collect();
    let mut waits: Vec<usize> = uses.iter().map(Vec::len).collect();
    let mut readers = vec![Vec::new(); numbers.len()];
    for (reader, used) in uses.iter().enumerate() {
        used.iter().for_each(|used| readers[*used].push(reader));
    }
    let mut order: Vec<usize> = (0..numbers.len()).filter(|i| waits[*i] == 0).collect();
    let mut next = 0;
    while let Some(done) = order.get(next).copied() {
        next += 1;
        for reader in &readers[done] {
            waits[*reader] -= 1;
            if waits[*reader] == 0 {
                order.push(*reader);
            }
        }
    }
    let mut cycles = Vec::new();
    let mut seen = vec![false; numbers.len()];
    for first in (0..numbers.len()).filter(|i| waits[*i] > 0) {
        // Each of the remaining numbers depends on another one of them, so this path ends in a cycle.
        let mut way = Vec::new();
        let mut at = first;
        while !seen[at] {
            seen[at] = true;
            way.push(at);
            at = uses[at].iter().copied().find(|used| waits[*used] > 0).unwrap_or(at);
        }
        cycles.extend(way.iter().position(|i| *i == at).map(|start| way[start..].to_vec()));
    }
    (order, cycles)
}

/// The error for numbers that depend on each other.
fn round(numbers: &[(NamedNumber, Arc<Names>)], cycle: &[usize]) -> Option<(String, Unfit)> {
    let name = |i: &usize| numbers.get(*i).map(|(number, _)| number.node().unwrap_or(number.path()));
    let mut names: Vec<&str> = cycle.iter().filter_map(name).collect();
    let first = *names.first()?;
    names.push(first);
    let names: Vec<String> = names.into_iter().map(str::to_string).collect();
    let cause = format!("the numbers form a cycle: {}", limits::way(&names));
    let path = numbers.get(*cycle.first()?)?.0.path().to_string();
    Some((path, (cause, "give one of them a value that does not depend on the others".into())))
}
