//! Unsaved texts of the user's stage files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Session;
use crate::app::disk;

/// A changed text, and the text of its file before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draft {
    pub text: String,
    pub of: String,
    /// The file was changed elsewhere meanwhile.
    pub overtaken: bool,
}

/// By the file's path.
pub(crate) type Drafts = BTreeMap<PathBuf, Draft>;

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

    /// Writes all drafts to their files.
    ///
    /// # Errors
    /// Why one can't be written, in one sentence; it stays a draft, as do those after it.
    pub(crate) fn save_drafts(&mut self) -> Result<(), String> {
        while let Some((path, draft)) = self.disk.drafts.pop_first() {
            if let Err(sentence) = disk::save_stage(&path, &draft.text) {
                self.disk.drafts.insert(path, draft);
                return Err(sentence);
            }
        }
        Ok(())
    }

    /// Whether there are unsaved changes of the document or of stage files.
    pub(crate) fn unsaved(&self) -> bool {
        self.modified() || !self.disk.drafts.is_empty()
    }
}
