//! How a stage sees particles.

use super::*;

impl StageKernel<'_> {
    /// WGSL type of the particles of a port.
    fn particle_type(stage: &Stage, port: &Port) -> String {
        match stage.set().is_some_and(|set| set.name == port.name) {
            true => "Particle".into(),
            false => format!("Particle_{}", port.name),
        }
    }

    /// `struct Particle`, `x(index)` and `x_count()`.
    pub(super) fn set_accessor(&self, of: Instance<'_>, index: usize, port: &Port, bound: &[Bound]) -> String {
        let ty = Self::particle_type(of.stage, port);
        let mut members = vec!["index: u32".to_string()];
        let mut loads = vec!["_index".to_string()];
        if matches!(port.change, Change::Emit(_)) {
            members.push("serial: u32".into());
            loads.push("_index".into());
        }
        for (name, _) in &port.attributes {
            let part = Part::Attribute(name.as_str().into());
            if let Some(variable) = self.forwarded(of.index, index, &part) {
                let read = self.op.forwarded.iter().find(|r| r.stage == of.index && r.port == index && r.part == part);
                let Some(value) = read.and_then(|r| self.program.values.get(r.value)) else { continue };
                members.push(format!("{name}: {}", value.ty.value().wgsl(value.dim)));
                loads.push(variable);
                continue;
            }
            if let Some((ty, load)) = self.packed_load(of, index, (port, name), bound) {
                members.push(format!("{name}: {ty}"));
                loads.push(load);
                continue;
            }
            let value = self.reads(of.index).find(|r| r.port == index && r.part == part);
            let Some(value) = value.map(|r| &self.program.values[r.value]) else { continue };
            let Some(variable) = memory::variable(bound, of.index, index, &part) else { continue };
            members.push(format!("{name}: {}", value.ty.value().wgsl(value.dim)));
            loads.push(value.layout().load(variable, "_index"));
        }
        let name = &port.name;
        let mut out = format!("struct {ty} {{ {} }}\n", members.join(", "));
        let runs = self.op.runs_itself(of.index);
        let own = runs && of.stage.set().is_some_and(|set| set.name == *name);
        if own || of.stage.calls(name) {
            let last = self.set_capacity(of, index).saturating_sub(1);
            let _ = write!(
                out,
                "fn {name}(_asked: u32) -> {ty} {{ let _index = min(_asked, {last}u); return {ty}({}); }}",
                loads.join(", ")
            );
        }
        // The rows that a loop over neighbours goes through end within the set; an entry of a list may be anything.
        let near = format!("_near_{name}");
        if self.text(of).0.contains(&near) {
            let room = self.set_capacity(of, index);
            let listed = self.reads(of.index).any(|r| r.part == Part::Order);
            let within = !listed && self.largest(of).is_some_and(|largest| largest <= room);
            let place = if within { "_asked".into() } else { format!("min(_asked, {}u)", room.saturating_sub(1)) };
            let all = loads.join(", ");
            let _ = write!(out, "\nfn {near}(_asked: u32) -> {ty} {{ let _index = {place}; return {ty}({all}); }}");
        }
        if of.stage.calls(&format!("{name}_count"))
            && let Some(count) = memory::variable(bound, of.index, index, &Part::Count)
        {
            let _ = write!(out, "\nfn {name}_count() -> u32 {{ return {count}[0]; }}");
        }
        out
    }

    /// Room of the largest set of a stage: the one that a neighbour grid finds is among them. None where a set is only counted.
    pub(super) fn largest(&self, of: Instance<'_>) -> Option<u32> {
        let own = |port: &Port| of.stage.set().is_some_and(|set| set.name == port.name);
        let sets = of.stage.inputs().enumerate().filter(|(_, port)| port.ty == PortType::Particles);
        let rooms: Option<Vec<u32>> = sets.map(|(k, port)| self.known_capacity(of, k, own(port))).collect();
        rooms?.into_iter().max()
    }

    /// The same of one set, if what is read of it says so.
    fn known_capacity(&self, of: Instance<'_>, port: usize, own: bool) -> Option<u32> {
        let whole =
            |r: &&Read| r.stage == of.index && r.port == port && matches!(r.part, Part::Attribute(_) | Part::Packed(_));
        let attribute = self.op.reads.iter().chain(&self.op.forwarded).find(whole);
        let value = attribute.and_then(|r| self.program.values.get(r.value));
        value.map(|v| v.capacity).or_else(|| of.node.set.as_ref().filter(|_| own).map(|s| s.capacity))
    }

    /// Particles that the set of a port has room for.
    fn set_capacity(&self, of: Instance<'_>, port: usize) -> u32 {
        self.known_capacity(of, port, true).unwrap_or(1)
    }

    /// `put_x(index, value)`
    pub(super) fn put_accessor(&self, port: &Port, name: &str, value: &Value) -> String {
        let ty = value.ty.value();
        let variable = memory::written(port, &Part::Attribute(name.into()));
        let store = value.layout().store(&variable, "_index", "_value");
        format!(
            "fn put_{name}(_index: u32, _value: {}) {{ if (_index < {}u) {{ {store} }} }}",
            ty.wgsl(value.dim),
            value.capacity
        )
    }

    /// Statements that store the attributes of the particle `_i` at the place that its stage has returned. `input`: the port of the set.
    pub(super) fn scattered(&self, bound: &[Bound], input: usize, capacity: u32) -> String {
        let mut moves = String::new();
        let mut place = String::new();
        for (port, write, ..) in self.writes().filter(|(port, ..)| port.change == Change::Scatter) {
            let from = memory::variable(bound, OWN, input, &write.part);
            if let (Part::Attribute(_), Some(from)) = (&write.part, from) {
                let _ = write!(moves, " {}[_to] = {from}[_i];", memory::written(port, &write.part));
                place = self.result(&port.name);
            }
        }
        if moves.is_empty() { moves } else { format!(" let _to = {place}; if (_to < {capacity}u) {{{moves} }}") }
    }
}
