//! The parts of an entry point.
//!
//! ```wgsl
//! fn _main(@builtin(global_invocation_id) _id: vec3u) { .. }
//! ```

/// The cell of an invocation.
pub(super) const CELL_ARGUMENT: &str = "@builtin(global_invocation_id) _id: vec3u";
/// The place of an invocation in a row of workgroups that may be too long for one axis.
pub(super) const PLACE_ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_index) _lane: u32";

pub(super) struct Entry {
    /// Functions that it calls.
    pub functions: String,
    pub arguments: String,
    pub body: String,
}

impl Entry {
    /// An entry point that calls nothing but the stage.
    pub(super) fn new(arguments: impl Into<String>, body: String) -> Entry {
        Entry { functions: String::new(), arguments: arguments.into(), body }
    }
}
