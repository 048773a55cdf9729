//! The stages that nodes may be of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::document_state::StageLibrary;
use crate::library::{self, Library};
use crate::model::stages::Stages;

impl Session {
    /// Uses the stages of a folder, whatever graph is open.
    pub(crate) fn use_stages(&mut self, folder: PathBuf) {
        self.stages.requested = Some(folder);
        self.find_stages(None);
    }

    /// Loads the stages that a graph in this file uses: those of the requested folder, else of the one beside the file.
    pub(crate) fn find_stages(&mut self, graph: Option<&Path>) {
        let requested = self.stages.requested.clone();
        let folder = requested.or_else(|| graph.and_then(library::folder_beside));
        if folder.as_deref() == self.stages.folder.as_ref().map(Stages::folder) {
            return;
        }
        let requested = self.stages.requested.take();
        let folder = folder.map(|folder| {
            let wake = self.wake.clone();
            Stages::open(folder, move || wake())
        });
        self.stages = StageLibrary { requested, folder, ..StageLibrary::default() };
    }

    /// Whether the user's stages are still being read, without which the graph can't be compiled.
    pub(super) fn waits_for_stages(&self) -> bool {
        self.stages.folder.as_ref().is_some_and(Stages::waiting)
    }

    /// The shipped stages and the user's own.
    pub(crate) fn library(&self) -> &Arc<Library> {
        &self.stages.library
    }
}
