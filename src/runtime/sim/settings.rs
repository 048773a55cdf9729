//! The contents of the uniform buffer: constants once, expressions every frame.

use std::collections::{BTreeMap, BTreeSet};

use super::step::Step;
use super::timeline::Written;
use crate::document::ParamValue;
use crate::expr::{ExprContext, Number};
use crate::graph::fit;
use crate::graph::numbers::{Fault, Formula, NamedNumber, Names, Table, Unfit, names_around};
use crate::graph::values::{self, Declared, Reading};
use crate::input::FrameInput;
use crate::plan::{ParamSlot, Plan};
use crate::problem::{Problem, Problems};
use crate::stage::types::{Scalar, ValueType};

pub(super) struct Settings {
    bytes: Vec<u8>,
    numbers: Table,
    /// Each slot's latest value, before it was rounded for the GPU.
    now: Vec<Vec<f64>>,
    /// Slots that change from frame to frame: index and expression.
    live: Vec<(usize, Formula)>,
    warnings: Problems,
    /// An expression had no value since the start.
    faulty: bool,
}

/// A slot and its value.
struct Loaded {
    index: usize,
    slot: ParamSlot,
    /// The value at time zero, which is written first. So the GPU never sees a value outside the range, on which the
    /// proofs about loops rely.
    reading: Reading,
}

impl Settings {
    pub(super) fn new(plan: &Plan) -> Result<Settings, Problems> {
        let numbers = Table::new(&plan.numbers).map_err(|(path, unfit)| problem(&path, unfit))?;
        let bytes = vec![0; plan.uniform_bytes as usize];
        let now = vec![Vec::new(); plan.settings.len()];
        let mut settings =
            Settings { bytes, numbers, now, live: Vec::new(), warnings: Problems::default(), faulty: false };
        for (offset, word) in &plan.words {
            settings.store(*offset, &word.to_le_bytes());
        }
        for (index, slot) in plan.settings.iter().enumerate() {
            let loaded = load(index, slot.clone(), &settings.numbers).map_err(|unfit| problem(path(slot), unfit))?;
            settings.put(&loaded);
        }
        Ok(settings)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value of a parameter or a number in the last frame.
    pub(super) fn value(&self, plan: &Plan, path: &str) -> Option<Vec<f64>> {
        let drawn = |slot: &ParamSlot| matches!(slot.ty, ValueType::Curve | ValueType::Gradient);
        if let Some(number) = self.numbers.value(path) {
            return Some(number.as_slice().to_vec());
        }
        match plan.settings.iter().position(|slot| slot.paths.iter().any(|p| p == path)) {
            Some(index) if plan.settings.get(index).is_some_and(drawn) => None,
            Some(index) => self.now.get(index).cloned(),
            None => plan.made_with.get(path).cloned(),
        }
    }

    pub(super) fn take_warnings(&mut self) -> Problems {
        std::mem::take(&mut self.warnings)
    }

    /// Sets a slot: expressions are remembered, and every value is written as it is at time zero.
    fn put(&mut self, loaded: &Loaded) {
        self.write(loaded.index, &loaded.slot, &loaded.reading.values);
        self.live.retain(|(i, _)| *i != loaded.index);
        let follows = |formula: &&Formula| self.numbers.follows(formula).is_some();
        if let Some(formula) = loaded.reading.formula.as_ref().filter(follows) {
            self.live.push((loaded.index, formula.clone()));
        }
    }

    /// Sets everything that has a path, and everything that depends on it. All values are checked before the first one
    /// changes, so that an invalid value changes nothing.
    pub(super) fn set(&mut self, plan: &mut Plan, path: &str, value: ParamValue) -> Result<(), Problem> {
        let mut numbers = plan.numbers.clone();
        let names = names_around(&numbers, path);
        let uses = names.uses(&value);
        let mut set = Vec::new();
        for number in numbers.iter_mut().filter(|number| number.paths.iter().any(|p| p == path)) {
            if let Some(track) = &number.track {
                let cause = format!("its value comes from {}", track.path);
                return Err(problem(path, (cause, "connect a number node in its place to set it".into())));
            }
            set.push((number.path().to_string(), number.value != value));
            (number.value, number.uses) = (value.clone(), uses.clone());
        }
        let same = !set.is_empty() && set.iter().all(|(_, differs)| !differs);
        if let Some(shaped) = plan.shapes.get(path).filter(|_| !same) {
            let cause = format!("the plan depends on it ({}), so it can't change while running", shaped.join(", "));
            return Err(problem(path, (cause, "set it in the graph, and compile the graph again".into())));
        }
        let named = |slot: &ParamSlot| slot.paths.iter().any(|p| p == path);
        if set.is_empty() && !plan.settings.iter().any(named) {
            return Err(unknown(plan, path));
        }
        // Parsed with all names in scope, so that an unknown name is answered with a list of the known ones.
        if value.expression().is_some() {
            let broken = |fault: Fault| problem(path, fault.unwrap_or_default());
            self.numbers.formula(&value, &names).map_err(broken)?;
        }
        let numbers = (!set.is_empty()).then_some(numbers);
        let set = set.into_iter().map(|(path, _)| path).collect();
        let replaced = |slot: &ParamSlot| {
            named(slot).then(|| ParamSlot { value: value.clone(), uses: uses.clone(), ..slot.clone() })
        };
        let unfit = |(slot_path, unfit): (String, Unfit)| as_it_becomes(path, &value, &slot_path, unfit);
        self.change(plan, numbers, set, &replaced).map_err(unfit)
    }

    /// Sets numbers, of which those in `set` differ, and slots. All values are checked before the first one changes.
    ///
    /// # Errors
    /// The first path whose value is invalid then, and why.
    fn change(
        &mut self,
        plan: &mut Plan,
        numbers: Option<Vec<NamedNumber>>,
        set: Vec<String>,
        replaced: &dyn Fn(&ParamSlot) -> Option<ParamSlot>,
    ) -> Result<(), (String, Unfit)> {
        let mut table = match numbers {
            Some(numbers) => Table::new(&numbers)?,
            None => self.numbers.clone(),
        };
        let changed = table.dependents(set);
        let mut loaded = Vec::new();
        for (index, slot) in plan.settings.iter().enumerate() {
            let follows = || slot.uses.values().any(|number| changed.contains(number)).then(|| slot.clone());
            let Some(slot) = replaced(slot).or_else(follows) else { continue };
            let slot_path = self::path(&slot).to_string();
            loaded.push(load(index, slot, &table).map_err(|unfit| (slot_path, unfit))?);
        }
        table.keep(&self.numbers, &changed);
        self.numbers = table;
        plan.numbers = self.numbers.numbers();
        for loaded in loaded {
            self.put(&loaded);
            plan.settings[loaded.index] = loaded.slot;
        }
        Ok(())
    }

    /// Sets slots and numbers by their first path to what they were before. What the plan does not have is left out, and so is
    /// everything if the plan rejects one of the values.
    pub(super) fn assign(&mut self, plan: &mut Plan, values: &[(String, Written)]) {
        if values.is_empty() {
            return;
        }
        let differs = |path: &str, value: &ParamValue| {
            values.iter().find(|(written_path, w)| written_path == path && w.value != *value)
        };
        let mut numbers = plan.numbers.clone();
        let mut set = Vec::new();
        for number in &mut numbers {
            if let Some((path, written)) = differs(number.path(), &number.value) {
                set.push(path.clone());
                (number.value, number.uses) = (written.value.clone(), written.uses.clone());
            }
        }
        let replaced = |slot: &ParamSlot| {
            let (_, Written { value, uses }) = differs(self::path(slot), &slot.value)?.clone();
            Some(ParamSlot { value, uses, ..slot.clone() })
        };
        if !set.is_empty() || plan.settings.iter().any(|slot| replaced(slot).is_some()) {
            // They were valid when they were set.
            let _ = self.change(plan, (!set.is_empty()).then_some(numbers), set, &replaced);
        }
    }

    /// Forgets what expressions without a value have kept.
    pub(super) fn restart(&mut self, plan: &Plan) {
        if self.faulty
            && let Ok(settings) = Settings::new(plan)
        {
            *self = settings;
        }
    }

    /// The last valid value of everything, if some expression had none since the start; a frame may depend on it then.
    pub(super) fn held(&self, plan: &Plan) -> Vec<(String, Vec<f64>)> {
        if !self.faulty {
            return Vec::new();
        }
        let numbers = plan.numbers.iter().map(NamedNumber::path);
        let numbers =
            numbers.filter_map(|path| Some((path.to_string(), self.numbers.value(path)?.as_slice().to_vec())));
        let slots = plan.settings.iter().zip(&self.now).map(|(slot, now)| (self::path(slot).to_string(), now.clone()));
        numbers.chain(slots).filter(|(path, _)| !path.is_empty()).collect()
    }

    /// Continues with the values of [`Settings::held`]. They may come from a file, so one that the parameter could not have is left
    /// out: what is proven of a stage holds for the ranges of its parameters.
    pub(super) fn hold(&mut self, plan: &Plan, held: &[(String, Vec<f64>)]) {
        self.faulty = !held.is_empty();
        for (path, values) in held {
            if let Some(now) = self.numbers.value(path)
                && now.as_slice().len() == values.len()
                && values.iter().all(|value| value.is_finite())
            {
                self.numbers.hold(path, values);
            }
            for (index, slot) in plan.settings.iter().enumerate().filter(|(_, slot)| self::path(slot) == path) {
                if let Ok(values) = held_value(slot, values) {
                    self.write(index, slot, &values);
                }
            }
        }
    }

    /// Writes the block of a step of a frame that begins at `time` \[s\], and everything that changes with it. Returns the length of the frame \[s\].
    pub(super) fn write_step(&mut self, plan: &Plan, input: &FrameInput, time: f64, frame: u64, step: Step) -> f32 {
        let length = input.dt.unwrap_or((1.0 / plan.fps) as f32);
        let dt = length / step.of.max(1) as f32;
        let time = time + f64::from(length) * step.start();
        let input = &step.input(input, length);
        // Where the count changes from frame to frame, numbers are left out, so that none comes twice.
        let each = if plan.substeps.courant().is_some() { plan.substeps.most() } else { step.of };
        let index = frame.wrapping_mul(u64::from(each)).wrapping_add(u64::from(step.index));
        let [mx, my] = input.mouse;
        let [vx, vy] = input.mouse_velocity;
        let words = [
            (time as f32).to_bits(),
            dt.to_bits(),
            index as u32,
            plan.seed,
            mx.to_bits(),
            my.to_bits(),
            vx.to_bits(),
            vy.to_bits(),
            input.buttons,
            input.keys,
        ];
        for (index, word) in words.iter().enumerate() {
            self.store(index as u32 * 4, &word.to_le_bytes());
        }
        let context = ExprContext {
            time,
            dt: f64::from(dt),
            frame: frame as f64 + step.start(),
            seed: plan.seed,
            mouse: input.mouse.map(f64::from),
            mouse_velocity: input.mouse_velocity.map(f64::from),
            buttons: input.buttons,
            keys: input.keys,
        };
        for (path, unfit) in self.numbers.advance(&context) {
            self.faulty = true;
            self.warnings.push(problem(&path, unfit).warning());
        }
        let live = std::mem::take(&mut self.live);
        let slots = |(index, formula)| Some((index, plan.settings.get(index)?, formula));
        for (index, slot, formula) in live.iter().map(|(index, formula)| (*index, formula)).filter_map(slots) {
            let number = self.numbers.now(formula, &context);
            // An expression without a valid value keeps its last valid one.
            match number.and_then(|number| fit(slot.ty, slot.range, number, slot.dim)) {
                Ok(values) => self.write(index, slot, &values),
                Err(unfit) => {
                    self.faulty = true;
                    self.warnings.push(problem(path(slot), unfit).warning());
                }
            }
        }
        self.live = live;
        length
    }

    fn write(&mut self, index: usize, slot: &ParamSlot, values: &[f64]) {
        let count = slot.ty.components(slot.dim) as usize;
        let values = values.get(..count).unwrap_or(values);
        if let Some(now) = self.now.get_mut(index) {
            values.clone_into(now);
        }
        for offset in &slot.offsets {
            for (component, value) in values.iter().enumerate() {
                let word = match slot.ty.scalar() {
                    Scalar::F32 => (*value as f32).to_bits(),
                    Scalar::I32 => *value as i32 as u32,
                    Scalar::U32 => *value as u32,
                };
                self.store(offset + component as u32 * 4, &word.to_le_bytes());
            }
        }
    }

    fn store(&mut self, offset: u32, bytes: &[u8]) {
        let start = offset as usize;
        if let Some(target) = self.bytes.get_mut(start..start + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }
}

fn load(index: usize, slot: ParamSlot, numbers: &Table) -> Result<Loaded, Unfit> {
    let declared = Declared { ty: slot.ty, range: slot.range, dim: slot.dim };
    let reading = values::read(declared, &slot.value, &Names::from(&slot.uses), numbers);
    Ok(Loaded { index, reading: reading.map_err(Option::unwrap_or_default)?, slot })
}

/// The value of a parameter that was held.
///
/// # Errors
/// Why the parameter can't have it.
pub(super) fn held_value(slot: &ParamSlot, values: &[f64]) -> Result<[f64; 4], Unfit> {
    let wrong = || (format!("{} numbers were held", values.len()), String::new());
    let number = Number::vector(values).ok_or_else(wrong)?;
    fit(slot.ty, slot.range, number, slot.dim)
}

pub(super) fn path(slot: &ParamSlot) -> &str {
    slot.paths.first().map_or("", String::as_str)
}

fn problem(path: &str, (cause, remedy): Unfit) -> Problem {
    let (node, param) = path.rsplit_once('.').unwrap_or((path, ""));
    Problem::new(node, param, cause, remedy)
}

fn unknown(plan: &Plan, path: &str) -> Problem {
    let (settings, numbers) = (plan.settings.iter().flat_map(|s| &s.paths), plan.numbers.iter().flat_map(|n| &n.paths));
    let paths: BTreeSet<&str> = settings.chain(numbers).map(String::as_str).collect();
    let paths: Vec<&str> = paths.into_iter().collect();
    problem(path, ("there is no such parameter".into(), format!("there are: {}", paths.join(", "))))
}

/// The problem that arises when `set` is set to `value`.
fn as_it_becomes(set: &str, value: &ParamValue, wrong: &str, (cause, remedy): Unfit) -> Problem {
    if set == wrong {
        return problem(wrong, (cause, remedy));
    }
    let becomes = match value {
        // A curve of ten thousand points does not fit into a sentence.
        ParamValue::Curve(_) | ParamValue::Gradient(_) | ParamValue::Keys(_) => "is set to it".to_string(),
        short => format!("becomes {short}"),
    };
    problem(wrong, (format!("{cause} when `{set}` {becomes}"), remedy))
}

/// The parameters and numbers of a plan as they are written, by the first path of each.
pub(super) fn values(plan: &Plan) -> BTreeMap<String, ParamValue> {
    let slots = plan.settings.iter().filter_map(|slot| Some((slot.paths.first()?.clone(), slot.value.clone())));
    slots.chain(plan.numbers.iter().map(|number| (number.path().to_string(), number.value.clone()))).collect()
}
