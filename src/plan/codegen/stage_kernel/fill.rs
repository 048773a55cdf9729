//! What a tile begins with, loaded or made by the stages that run before. An invocation asks for all its cells before it stores the first
//! of them, for a load that stands behind a store waits for it.

use super::tile::Parts;
use super::*;
use crate::plan::codegen::accessors;

impl StageKernel<'_> {
    /// `_fill(first)`, which fills the tiles and the registers of inputs. `near` says which cell `_c` a place `_l` of the tile shows,
    /// `inside` whether the cell of a place is one that the workgroup gets right.
    pub(super) fn fill(&self, parts: &Parts, near: &str, inside: &str) -> String {
        let cells = prelude::cell_type(parts.dim);
        let runs = self.op.inlined().iter().any(|b| b.before);
        // What is asked for: name, WGSL type and expression.
        let mut asked = Vec::new();
        for (index, (_, write, value, _)) in self.writes().enumerate().filter(|(_, (_, w, ..))| w.start.is_none()) {
            let made = write.consumes.and_then(|before| memory::forwarded(self.graph, self.op, before));
            asked.push((
                format!("_t{index}"),
                value,
                made.or_else(|| self.loaded(index, parts.dim)).unwrap_or_default(),
            ));
        }
        for (index, (port, value)) in self.own_inputs().into_iter().enumerate() {
            let of = self.stage.inputs().position(|p| p.name == port.name);
            let made = of.and_then(|of| self.forwarded(OWN, of, &Part::Whole));
            let element = self.element_of("_c", value, parts.dim);
            let loaded = || value.layout().load(&memory::read(port, &Part::Whole), &element);
            asked.push((format!("_i{index}"), value, made.unwrap_or_else(loaded)));
        }
        asked.extend(self.kept().into_iter().map(|(index, value, made, _)| (format!("_m{index}"), value, made)));
        let mut out = String::new();
        for (name, value, _) in &asked {
            let ty = value.ty.value().wgsl(value.dim);
            let _ = writeln!(out, "var<private> {name}: {ty};");
            for k in 0..parts.cells {
                let _ = write!(out, "var<private> {name}_{k}: {ty}; ");
            }
            out.push('\n');
        }
        let run = if runs { format!(" _at = _c; {}", self.run_before(parts.dim, "_c", None)) } else { String::new() };
        let loads: String = asked.iter().map(|(name, _, from)| format!(" {name} = {from};")).collect();
        let _ = writeln!(out, "fn _ask(_l: {cells}) {{ {near}{run}{loads} }}");
        let _ = writeln!(out, "fn _fill(_first: {cells}) {{");
        if runs && self.names("substep") {
            out.push_str("    substep = params._substep;\n");
        }
        for k in 0..parts.cells {
            let keep: String = asked.iter().map(|(name, ..)| format!(" {name}_{k} = {name};")).collect();
            let _ = writeln!(out, "    _ask(_first + {});{keep}", parts.along(&k.to_string()));
        }
        // Inputs stay in registers.
        let stored: Vec<&(String, &Value, String)> =
            asked.iter().filter(|(name, ..)| !name.starts_with("_i")).collect();
        for k in 0..parts.cells {
            let values: String = stored.iter().map(|(name, ..)| format!(", {name}_{k}")).collect();
            let _ = writeln!(out, "    _put(_first + {}{values});", parts.along(&k.to_string()));
        }
        out.push_str("}\n");
        let mut store = String::new();
        for (index, (port, write, value, _)) in self.writes().enumerate() {
            let from = match write.start {
                Some(_) => value.layout().rounded(&begun(port)),
                None => format!("_s_t{index}"),
            };
            let place = accessors::index("_l", parts.size, parts.dim);
            let _ = write!(store, " _tile_{}[{place}] = {from};", port.name);
        }
        let mut keep = String::new();
        for (index, value, _, target) in self.kept() {
            let element = self.element_of("_c", value, parts.dim);
            let _ = write!(keep, " {}", value.layout().store(&target, &element, &format!("_s_m{index}")));
        }
        if !keep.is_empty() {
            let _ = write!(store, " let _c = _base + _l; if ({inside}) {{{keep} }}");
        }
        let takes = stored.iter().map(|(name, value, _)| format!(", _s{name}: {}", value.ty.value().wgsl(value.dim)));
        let _ = writeln!(out, "fn _put(_l: {cells}{}) {{{store} }}", takes.collect::<String>());
        out
    }

    /// What one of the stage's own writes goes on from, at the cell `_c`.
    fn loaded(&self, index: usize, dim: u32) -> Option<String> {
        let (port, write, value, _) = self.writes().nth(index)?;
        let element = self.element_of("_c", value, dim);
        Some(self.before(write, value).layout().load(&memory::read(port, &write.part), &element))
    }

    /// What stages that run before make and others read later: its number among the writes, value, variable and memory.
    fn kept(&self) -> Vec<(usize, &Value, String, String)> {
        let inlined = self.op.stages.ids().filter(|stage| *stage != OWN);
        let before = inlined.flat_map(|stage| self.writes_of(stage)).filter(|(_, write, ..)| !write.transient);
        let found = before.enumerate().filter_map(|(index, (_, write, value, _, target))| {
            Some((index, value, memory::forwarded(self.graph, self.op, write.value)?, target))
        });
        found.collect()
    }
}
