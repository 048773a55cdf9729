//! Snapshots A and B: two whole documents of this session, to switch between.

use super::{Session, SnapshotSlot};
use crate::document::Document;

impl Session {
    /// Stores the document as a snapshot, in place of the one that is there.
    pub(crate) fn store_snapshot(&mut self, slot: SnapshotSlot) {
        self.compared.stored[slot as usize] = Some(self.document.clone());
        self.compared.last = Some(slot);
    }

    /// Forgets a snapshot.
    pub(crate) fn discard_snapshot(&mut self, slot: SnapshotSlot) {
        self.compared.stored[slot as usize] = None;
    }

    pub(crate) fn stored_snapshot(&self, slot: SnapshotSlot) -> Option<&Document> {
        self.compared.stored[slot as usize].as_ref()
    }

    /// The snapshot that the document equals.
    pub(crate) fn shown_snapshot(&self) -> Option<SnapshotSlot> {
        let shown = |slot: &SnapshotSlot| self.stored_snapshot(*slot) == Some(&self.document);
        self.compared.last.filter(shown).or_else(|| SnapshotSlot::BOTH.into_iter().find(shown))
    }

    /// Replaces the document by a snapshot, as one undo step. States that exist in both keep their values.
    pub(crate) fn show_snapshot(&mut self, slot: SnapshotSlot) {
        let Some(document) = self.stored_snapshot(slot).cloned() else { return };
        self.end_gesture();
        self.edit(slot.gesture(), |now| *now = document);
        self.end_gesture();
        self.compared.last = Some(slot);
    }

    /// Switches to the other snapshot: from a document that equals neither to the one that was not shown last. Returns which.
    ///
    /// # Errors
    /// Which snapshot is missing, in one sentence.
    pub(crate) fn switch_snapshot(&mut self) -> Result<SnapshotSlot, String> {
        let shown = self.shown_snapshot();
        let first = shown.or(self.compared.last).map_or(SnapshotSlot::A, SnapshotSlot::other);
        let stored = |slot: &SnapshotSlot| self.stored_snapshot(*slot).is_some() && shown != Some(*slot);
        let Some(slot) = [first, first.other()].into_iter().find(stored) else {
            let missing = shown.map_or(SnapshotSlot::A, SnapshotSlot::other).name();
            return Err(format!("There is no snapshot {missing} yet. Store one to switch to it."));
        };
        self.show_snapshot(slot);
        Ok(slot)
    }
}
