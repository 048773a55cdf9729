//! The uniform buffer: one block for the frame, then one for each set of parameters.

use crate::data::{Alarm, ParamSlot};
use crate::graph::Setting;
use crate::stage::types::ValueType;

/// Room of the frame's block \[bytes\], and the alignment of blocks that every adapter takes.
pub const FRAME_BYTES: u32 = 256;

/// The frame's block. `sim` writes it in this order.
pub(crate) const FRAME_STRUCT: &str = "struct Frame { time: f32, dt: f32, index: u32, seed: u32, mouse: vec2f, mouse_velocity: vec2f, buttons: u32, keys: u32 }";

/// What fills a member.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A parameter of a node.
    Setting(String, Setting),
    /// Repeat counters and the like: known when the plan is made.
    Word(Counter),
    /// Where the counts about a scatter port begin, or its marks.
    Check { port: String, marks: bool },
    /// Index of an alarm.
    Alarm(Alarm),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Counter {
    Iteration,
    Substep,
    Color,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub name: String,
    pub ty: ValueType,
    pub content: Content,
    /// Dimensions of the space that a `Vec` lives in.
    pub dim: u32,
    /// Offset from the start of the block \[bytes\].
    pub offset: u32,
}

/// A uniform block's members, placed by WGSL's rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub members: Vec<Member>,
    pub bytes: u32,
}

impl Block {
    pub(crate) fn push(&mut self, name: String, ty: ValueType, dim: u32, content: Content) {
        let ty = ty.constant();
        let components = ty.components(dim);
        let align = match components {
            1 => 4,
            2 => 8,
            _ => 16,
        };
        let offset = self.bytes.next_multiple_of(align);
        self.bytes = offset + components * 4;
        self.members.push(Member { name, ty, content, dim, offset });
    }

    /// The WGSL struct; empty when there are no members.
    pub(crate) fn wgsl(&self) -> String {
        if self.members.is_empty() {
            return String::new();
        }
        let fields: Vec<String> = self.members.iter().map(|m| format!("{}: {}", m.name, m.ty.wgsl(m.dim))).collect();
        format!("struct Params {{ {} }}\n@group(0) @binding(1) var<uniform> params: Params;\n", fields.join(", "))
    }

    /// Size that a binding of it needs \[bytes\].
    pub(crate) fn bound_bytes(&self) -> u32 {
        self.bytes.next_multiple_of(16).max(16)
    }

    pub(crate) fn uses(&self, counter: Counter) -> bool {
        self.members.iter().any(|m| matches!(m.content, Content::Word(c) if c == counter))
    }
}

/// Adds an offset to a parameter's slot, making the slot when there is none.
pub(crate) fn place(slots: &mut Vec<ParamSlot>, node: &str, setting: &Setting, dim: u32, offset: u32) {
    let path = format!("{node}.{}", setting.name);
    let uses = setting.names.uses(&setting.value);
    // Two values of one name are two slots: what a State starts from and what it becomes may both be numbers.
    let same = |s: &ParamSlot| {
        s.paths.first() == Some(&path) && s.ty == setting.ty.constant() && s.value == setting.value && s.uses == uses
    };
    if let Some(slot) = slots.iter_mut().find(|slot| same(slot)) {
        slot.offsets.push(offset);
        return;
    }
    let mut paths = vec![path];
    paths.extend(setting.aliases.iter().cloned());
    let value = setting.value.clone();
    slots.push(ParamSlot {
        paths,
        ty: setting.ty.constant(),
        dim,
        range: setting.range,
        value,
        uses,
        offsets: vec![offset],
    });
}
