//! Unsaved texts of the user's stage files.

use std::path::Path;

use super::{Draft, Drafts, Session};

impl Session {
    pub(crate) fn drafts(&self) -> &Drafts {
        &self.disk.drafts
    }

    /// Sets the unsaved text of a file, or removes it.
    pub(crate) fn set_draft(&mut self, path: &Path, draft: Option<Draft>) {
        match draft {
            Some(draft) => drop(self.disk.drafts.insert(path.to_path_buf(), draft)),
            None => drop(self.disk.drafts.remove(path)),
        }
    }

    /// Takes over the drafts of a window that crashed.
    pub(crate) fn set_drafts(&mut self, drafts: Drafts) {
        self.disk.drafts = drafts;
    }

    /// Notes that a file has this text now. What was typed since stays a draft.
    pub(crate) fn mark_stage_saved(&mut self, path: &Path, text: &str) {
        match self.disk.drafts.get_mut(path) {
            Some(draft) if draft.text != text => {
                draft.of = text.to_string();
                draft.overtaken = false;
            }
            _ => self.set_draft(path, None),
        }
    }

    /// Whether there are unsaved changes of the document or of stage files.
    pub(crate) fn unsaved(&self) -> bool {
        self.modified() || !self.disk.drafts.is_empty()
    }
}
