//! The kernels of a plan: those with the same text are one, and each is validated as soon as it is written.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::check::validate::{Checks, Text};
use crate::data::{Binding, Kernel, KernelId};

pub(super) struct KernelTable {
    pub kernels: Arena<Kernel>,
    /// Places in `checked`.
    by_text: FxHashMap<(String, Vec<Binding>), usize>,
    checked: Vec<Checked>,
    pub checks: Checks,
}

/// A kernel that is being checked: its number there, and among the plan's kernels once something is dispatched that needs it.
struct Checked {
    check: usize,
    kernel: Option<KernelId>,
}

impl KernelTable {
    pub(super) fn new(checks: Checks) -> KernelTable {
        KernelTable { kernels: Arena::default(), by_text: FxHashMap::default(), checked: Vec::new(), checks }
    }

    /// Has a kernel checked, unless one with the same text is. Returns the kernel's place in the table.
    pub(super) fn check(&mut self, rank: usize, text: Text) -> usize {
        match self.by_text.entry((text.kernel.wgsl.clone(), text.kernel.bindings.clone())) {
            Entry::Occupied(entry) => {
                let place = *entry.get();
                self.checks.same(self.checked[place].check, rank, &text.kernel.node);
                place
            }
            Entry::Vacant(entry) => {
                self.checked.push(Checked { check: self.checks.add(rank, text), kernel: None });
                *entry.insert(self.checked.len() - 1)
            }
        }
    }

    /// The plan's number of a kernel that is at this place in the table. Kernels with the same text are one.
    pub(super) fn kernel(&mut self, place: usize, kernel: impl FnOnce() -> Kernel) -> KernelId {
        *self.checked[place].kernel.get_or_insert_with(|| self.kernels.push(kernel()))
    }
}
