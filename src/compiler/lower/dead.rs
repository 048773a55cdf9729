//! Dead code: operations whose results nothing needs.

use super::sets;
use crate::ir::Program;

impl Program {
    /// Drops operations whose results nothing needs, for instance moves of attributes that are not read again.
    pub(super) fn drop_dead(&mut self) {
        let mut needed = self.values.table(false);
        self.pinned.iter().for_each(|value| needed[*value] = true);
        let mut kept = Vec::with_capacity(self.ops.len());
        for op in std::mem::take(&mut self.ops).into_iter().rev() {
            if op.writes.iter().any(|w| needed[w.value]) {
                let gone_on_from = op.writes.iter().filter(|w| !w.overwrites).filter_map(|w| w.consumes);
                let read = op.reads.iter().map(|r| r.value).chain(op.gate);
                read.chain(gone_on_from).for_each(|value| needed[value] = true);
                kept.push(op);
            }
        }
        kept.reverse();
        // Versions that were only overwritten no longer exist without the operation that wrote them.
        let mut there = self.values.table(false);
        self.states.values().for_each(|value| there[*value] = true);
        for op in &mut kept {
            for write in &mut op.writes {
                write.consumes = write.consumes.filter(|value| there[*value]);
            }
            op.writes.iter().for_each(|w| there[w.value] = true);
        }
        self.ops = sets::join_moves(kept);
    }
}
