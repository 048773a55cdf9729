//! The uniform buffer's contents: constants once, expressions every frame.

use super::input::FrameInput;
use crate::document::ParamValue;
use crate::expr::{ExprContext, Expression, Number};
use crate::graph::Setting;
use crate::plan::{Plan, Slot};
use crate::problem::{Problem, Problems};
use crate::stage::types::Scalar;

pub struct Settings {
    bytes: Vec<u8>,
    /// Slots that change from frame to frame: index and expression.
    live: Vec<(usize, Expression)>,
    warnings: Problems,
}

impl Settings {
    pub fn new(plan: &Plan) -> Result<Settings, Problems> {
        let mut settings =
            Settings { bytes: vec![0; plan.uniform_bytes as usize], live: Vec::new(), warnings: Problems::default() };
        for (offset, word) in &plan.words {
            settings.store(*offset, &word.to_le_bytes());
        }
        for (index, slot) in plan.settings.iter().enumerate() {
            settings.load(index, slot)?;
        }
        Ok(settings)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn take_warnings(&mut self) -> Problems {
        std::mem::take(&mut self.warnings)
    }

    /// Takes a slot's value in: expressions are remembered, and all are written as they are at time zero. So whatever
    /// happens later, the GPU never sees a value outside the range, on which proofs about loops rest.
    fn load(&mut self, index: usize, slot: &Slot) -> Result<(), Problem> {
        let values = crate::graph::evaluate(&setting(slot), &slot.value, slot.dim, &ExprContext::default());
        let values = values.map_err(|(cause, remedy)| problem(slot, cause, &remedy))?;
        self.write(slot, values);
        self.live.retain(|(i, _)| *i != index);
        if let ParamValue::Expression(text) = &slot.value {
            let unfit = |e: crate::expr::ExprError| problem(slot, e.to_string(), "correct the expression");
            let expression = Expression::parse(text).map_err(unfit)?;
            if !expression.is_constant() {
                self.live.push((index, expression));
            }
        }
        Ok(())
    }

    pub fn set(&mut self, plan: &mut Plan, path: &str, value: ParamValue) -> Result<(), Problem> {
        let slots: Vec<usize> = plan
            .settings
            .iter()
            .enumerate()
            .filter(|(_, s)| s.paths.iter().any(|p| p == path))
            .map(|(i, _)| i)
            .collect();
        if slots.is_empty() {
            let known: Vec<&str> = plan.settings.iter().flat_map(|s| &s.paths).map(String::as_str).collect();
            let (node, param) = path.rsplit_once('.').unwrap_or((path, ""));
            return Err(Problem::new(
                node,
                param,
                "there is no such parameter",
                format!("there are: {}", known.join(", ")),
            ));
        }
        let changed: Vec<(usize, Slot)> = slots
            .into_iter()
            .map(|index| (index, Slot { value: value.clone(), ..plan.settings[index].clone() }))
            .collect();
        // All are checked before any changes, so that a wrong value leaves the old one in force everywhere.
        for (_, slot) in &changed {
            crate::graph::evaluate(&setting(slot), &slot.value, slot.dim, &ExprContext::default())
                .map_err(|(cause, remedy)| problem(slot, cause, &remedy))?;
        }
        for (index, slot) in changed {
            self.load(index, &slot)?;
            plan.settings[index] = slot;
        }
        Ok(())
    }

    /// Fills in the frame's block and everything that changes with it. Returns the time step \[s\].
    pub fn write_frame(&mut self, plan: &Plan, input: &FrameInput, time: f64, frame: u64) -> f32 {
        let dt = input.dt.unwrap_or((1.0 / plan.fps) as f32);
        let [mx, my] = input.mouse;
        let [vx, vy] = input.mouse_velocity;
        let words = [
            (time as f32).to_bits(),
            dt.to_bits(),
            frame as u32,
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
            frame,
            seed: plan.seed,
            mouse: input.mouse.map(f64::from),
            mouse_velocity: input.mouse_velocity.map(f64::from),
            buttons: input.buttons,
            keys: input.keys,
        };
        for (index, expression) in std::mem::take(&mut self.live) {
            if let Some(slot) = plan.settings.get(index) {
                self.live_value(slot, &expression, &context);
            }
            self.live.push((index, expression));
        }
        dt
    }

    /// A value that can't be had leaves the last good one in force.
    fn live_value(&mut self, slot: &Slot, expression: &Expression, context: &ExprContext) {
        let number = expression.eval(context).map_err(|e| (e.to_string(), "correct the expression".to_string()));
        let values = number.and_then(|n: Number| crate::graph::fit(&setting(slot), n, slot.dim));
        match values {
            Ok(values) => self.write(slot, values),
            Err((cause, remedy)) => self.warnings.push(problem(slot, cause, &remedy).warning()),
        }
    }

    fn write(&mut self, slot: &Slot, values: [f64; 4]) {
        let count = slot.ty.components(slot.dim) as usize;
        for offset in &slot.offsets {
            for (component, value) in values.iter().take(count).enumerate() {
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

fn setting(slot: &Slot) -> Setting {
    Setting { name: String::new(), ty: slot.ty, value: slot.value.clone(), range: slot.range, aliases: Vec::new() }
}

fn problem(slot: &Slot, cause: String, remedy: &str) -> Problem {
    let path = slot.paths.first().map_or("", String::as_str);
    let (node, param) = path.rsplit_once('.').unwrap_or((path, ""));
    Problem::new(node, param, cause, remedy)
}
