//! How a stage sees attributes that lie together, and how it makes them lie so.

use super::*;
use crate::plan::codegen::builtin;
use crate::plan::ir::packs;

impl StageKernel<'_> {
    /// WGSL type of an attribute that a port reads from a pack, and the expression that loads it at `_index`.
    pub(super) fn packed_load(
        &self,
        of: Instance<'_>,
        index: usize,
        (port, name): (&Port, &str),
        bound: &[Bound],
    ) -> Option<(&'static str, String)> {
        self.reads(of.index).filter(|r| r.port == index).find_map(|read| {
            let Part::Packed(names) = &read.part else { return None };
            let value = self.program.values.get(read.value)?;
            let ty = |name: &str| port.attributes.iter().find(|(a, _)| a == name).map(|(_, ty)| *ty);
            let words = |name: &str| ty(name).map_or(1, |ty| ty.components(value.dim));
            let first = packs::place(names, name, words)?;
            let variable = memory::variable(bound, of.index, index, &read.part)?;
            let load = format!("{variable}[_index].{}", packs::components(first, words(name)));
            Some((ty(name)?.wgsl(value.dim), load))
        })
    }

    /// Statements that store the packs of the particle `_i`, once its stages have run. `input`: the port of the set.
    pub(super) fn packs(&self, bound: &[Bound], input: usize) -> String {
        let mut out = String::new();
        for (port, write, value, _) in self.writes() {
            let Part::Packed(names) = &write.part else { continue };
            let parts: Option<Vec<(String, u32)>> =
                names.split('+').map(|name| self.packed_part(bound, input, name)).collect();
            if let Some(parts) = parts {
                let element = builtin::packed(&parts, value.layout());
                let _ = write!(out, " {}[_i] = {element};", memory::written(port, &write.part));
            }
        }
        out
    }

    /// What one of the operation's stages gives for an attribute, or else what memory holds of it.
    fn packed_part(&self, bound: &[Bound], input: usize, name: &str) -> Option<(String, u32)> {
        let part = Part::Attribute(name.into());
        let words = |value: &Value| value.ty.value().components(value.dim);
        if let Some(write) = self.op.writes.iter().rfind(|w| w.part == part) {
            let value = self.program.values.get(write.value)?;
            let given = match write.stage == OWN {
                true => self.result(name),
                false => memory::forwarded(self.graph, self.op, write.value)?,
            };
            return Some((given, words(value)));
        }
        let read = self.reads(OWN).find(|r| r.port == input && r.part == part)?;
        let value = self.program.values.get(read.value)?;
        Some((value.layout().load(memory::variable(bound, OWN, input, &part)?, "_i"), words(value)))
    }
}
