//! Texts of the user's stage files that were changed here and are not in the files yet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Session;
use crate::app::disk;

/// A text as it was changed, and what its file held before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    pub of: String,
    /// The file was changed by someone else meanwhile.
    pub overtaken: bool,
}

/// By the file's path.
pub type Drafts = BTreeMap<PathBuf, Draft>;

impl Session {
    pub fn drafts(&self) -> &Drafts {
        &self.disk.drafts
    }

    /// Notes what a file is to hold, or that there is nothing to be noted any more.
    pub fn set_draft(&mut self, path: &Path, draft: Option<Draft>) {
        match draft {
            Some(draft) => drop(self.disk.drafts.insert(path.to_path_buf(), draft)),
            None => drop(self.disk.drafts.remove(path)),
        }
    }

    /// Takes up what a window had that died.
    pub fn set_drafts(&mut self, drafts: Drafts) {
        self.disk.drafts = drafts;
    }

    /// Writes every file that was changed here.
    ///
    /// # Errors
    /// Why one can't be written, in one sentence; it stays a draft, as do those after it.
    pub fn save_drafts(&mut self) -> Result<(), String> {
        while let Some((path, draft)) = self.disk.drafts.pop_first() {
            if let Err(sentence) = disk::save_stage(&path, &draft.text) {
                self.disk.drafts.insert(path, draft);
                return Err(sentence);
            }
        }
        Ok(())
    }

    /// Whether there is anything that no file holds: changes of the document, or of stage files.
    pub fn unsaved(&self) -> bool {
        self.modified() || !self.disk.drafts.is_empty()
    }
}
