//! The stages that nodes may be of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use crate::document::Document;
use crate::library::{self, Library};
use crate::model::stages::{self, Stages};
use crate::problem::{Problem, Problems};

/// The stages that ship, with those of the user's folder.
pub(super) struct StageLibrary {
    library: Arc<Library>,
    /// A folder that was requested for every graph.
    requested: Option<PathBuf>,
    pub(super) folder: Option<Stages>,
    /// Why the folder can't be read.
    unreadable: Option<Problem>,
}

impl Default for StageLibrary {
    fn default() -> StageLibrary {
        StageLibrary { library: Arc::new(Library::builtin().clone()), requested: None, folder: None, unreadable: None }
    }
}

impl StageLibrary {
    /// Takes in stages that were read again. Returns whether there were any.
    pub(super) fn poll(&mut self) -> bool {
        let Some(answer) = self.folder.as_mut().and_then(Stages::poll) else { return false };
        self.unreadable = answer.map(|library| self.library = library).err();
        true
    }

    /// Problems of the stages that a document uses, or of their folder.
    pub(super) fn problems(&self, document: &Document) -> Problems {
        let mut problems = stages::problems(&self.library, document);
        self.unreadable.iter().for_each(|problem| problems.push(problem.clone()));
        problems
    }
}

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
