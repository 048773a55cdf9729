//! The kernels of a plan: those with the same text are one, and each is validated as soon as it is written.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::arena::Arena;
use crate::check::validate::{Checks, Text};
use crate::data::{Binding, Kernel, KernelId};

pub(super) struct KernelTable {
    pub kernels: Arena<Kernel>,
    by_text: HashMap<(String, Vec<Binding>), Checked>,
    pub checks: Checks,
}

/// A kernel that is being checked: its number there, and among the plan's kernels once something is dispatched that needs it.
struct Checked {
    check: usize,
    kernel: Option<KernelId>,
}

impl KernelTable {
    pub(super) fn new(checks: Checks) -> KernelTable {
        KernelTable { kernels: Arena::default(), by_text: HashMap::new(), checks }
    }

    /// Has a kernel checked, unless one with the same text is.
    pub(super) fn check(&mut self, rank: usize, text: Text) {
        match self.by_text.entry((text.kernel.wgsl.clone(), text.kernel.bindings.clone())) {
            Entry::Occupied(entry) => self.checks.same(entry.get().check, rank, &text.kernel.node),
            Entry::Vacant(entry) => drop(entry.insert(Checked { check: self.checks.add(rank, text), kernel: None })),
        }
    }

    /// Kernels with the same text are one.
    pub(super) fn kernel(&mut self, kernel: Kernel) -> Option<KernelId> {
        let checked = self.by_text.get_mut(&(kernel.wgsl.clone(), kernel.bindings.clone()))?;
        Some(*checked.kernel.get_or_insert_with(|| self.kernels.push(kernel)))
    }
}
