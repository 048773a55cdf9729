//! Names of generated variables and members. All begin with `_`, so none can meet a name of the user's, nor one port's another's.
//!
//! ```wgsl
//! _read_velocity   _write_particles__position   _o1_divergence   params._f2_radius
//! ```

use crate::ir::{InstanceId, OWN, Part, Read};
use crate::stage::header::Port;

/// The buffer that says in which blocks the stage runs.
pub(super) const BLOCKS: &str = "_where";

/// The buffer with a table of blocks.
pub(super) fn blocks(part: &Part) -> String {
    match part {
        Part::Slots(number) => format!("_slots{number}"),
        _ => BLOCKS.into(),
    }
}

/// The buffer with a table of blocks that a stage of the operation reads.
pub(super) fn table(read: &Read) -> String {
    format!("{}{}", prefix(read.stage), blocks(&read.part))
}

/// What the names of an inlined stage begin with; nothing for the operation's own.
pub(super) fn prefix(instance: InstanceId) -> String {
    if instance == OWN { String::new() } else { format!("_f{instance}_") }
}

/// The buffer that a port is read from.
pub(super) fn read(port: &Port, part: &Part) -> String {
    format!("_read_{}{}", port.name, mangled(part))
}

/// The buffer that a port is written to.
pub(super) fn written(port: &Port, part: &Part) -> String {
    format!("_write_{}{}", port.name, mangled(part))
}

fn mangled(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Attribute(name) => format!("__{name}"),
        Part::Count => "__count_".into(),
        Part::Start => "__start_".into(),
        Part::Order => "__items_".into(),
        Part::Packed(names) => format!("__{}_", names.replace('+', "__")),
        Part::Found => "__found_".into(),
        Part::Bins => "__bins_".into(),
        Part::Blocks | Part::Covered(_) | Part::Slots(_) => "__blocks_".into(),
        Part::Zeros(number) => format!("__zeros{number}_"),
        Part::Outside(_, part) => mangled(part),
    }
}

/// The variable through which a stage passes what it returns by this name to another stage of the dispatch.
pub(super) fn passed(instance: InstanceId, name: &str) -> String {
    format!("_o{instance}_{name}")
}

/// The name by which a stage returns what it writes to a part of a port.
pub(super) fn returned<'p>(port: &'p Port, part: &'p Part) -> &'p str {
    if let Part::Attribute(name) = part { name } else { &port.name }
}

/// Member of the block with what all cells of a port start from.
pub(super) fn start_member(port: &Port) -> String {
    format!("_start_{}", port.name)
}

/// What all cells of a port start from, where memory holds nothing yet.
pub(super) fn start(port: &Port) -> String {
    format!("params.{}", start_member(port))
}

/// The part of a grid in workgroup memory.
pub(super) fn tile(port: &Port) -> String {
    format!("_tile_{}", port.name)
}

/// The value of an input for the computed cell of a tile.
pub(super) fn held(port: &Port) -> String {
    format!("_in_{}", port.name)
}

/// What a port's accessor shows of the computed cell, where cells come into registers beforehand; across a face with its side behind it.
pub(super) fn window(port: &Port) -> String {
    format!("_w_{}", port.name)
}

/// Workgroup memory of a reduction.
pub(super) fn shared(port: &Port) -> String {
    format!("_shared_{}", port.name)
}

/// The numbers of both cells of a pair that wait to be stored to a buffer.
pub(super) fn pair(target: &str) -> String {
    format!("_two{target}")
}
