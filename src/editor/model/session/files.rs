//! The document's files, and the files and shaders that the graph waits for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Session;
use crate::document::Document;
use crate::files::Access;
use crate::gpu::Making;
use crate::model::amount::amount;
use crate::model::driver;
use crate::model::loader::Loading;
use crate::model::stages::Stages;
use crate::problem::Problem;

/// Loading and compiling that takes less time is not shown.
const SOON: Duration = Duration::from_millis(300);

impl Session {
    /// Notes the new content of the document's file; the document itself stays.
    pub(crate) fn mark_on_disk(&mut self, document: Document) {
        self.disk.saved = Some(document);
    }

    /// The content of the document's file, as far as it is known.
    pub(crate) fn on_disk(&self) -> Option<&Document> {
        self.disk.saved.as_ref()
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.disk.path.as_deref()
    }

    /// Whether the document has unsaved changes.
    pub(crate) fn modified(&self) -> bool {
        let Some(saved) = &self.disk.saved else { return true };
        if *saved == self.document {
            return false;
        }
        // A file may hold NaN, which does not equal itself.
        #[expect(clippy::eq_op, reason = "unequal where it holds NaN")]
        let has_nan = self.document != self.document;
        !(has_nan && saved.to_text() == self.document.to_text())
    }

    /// Notes that this document was saved to `path`; the open one may have changed since.
    pub(crate) fn mark_saved(&mut self, path: PathBuf, document: Document) {
        self.disk.saved = Some(document);
        let before = self.library().clone();
        self.find_stages(Some(&path));
        let moved = self.disk.path.as_deref().and_then(Path::parent) != path.parent();
        self.disk.path = Some(path);
        if moved || !Arc::ptr_eq(&before, self.library()) {
            // Its paths to files and its stages have changed.
            self.compile();
        }
    }

    /// Which files the graph may name.
    pub(crate) fn access(&self) -> Access {
        let folder = self.path().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
        Access::new(folder, self.disk.files_allowed)
    }

    /// Sets whether the graph may read files outside its folder, from the next compile on.
    pub(crate) fn set_files_allowed(&mut self, allowed: bool) {
        self.disk.files_allowed = allowed;
    }

    /// The file that the graph waits for, if that takes long enough to be shown.
    pub(crate) fn loading(&self) -> Option<Loading> {
        self.compiler.watch().loading().filter(|loading| loading.since.elapsed() > SOON)
    }

    /// Stops loading it; the last valid plan keeps running.
    pub(crate) fn stop_loading(&self) {
        self.compiler.watch().stop();
    }

    /// What the driver is compiling, if that takes long enough to be shown.
    pub(crate) fn driver(&self) -> Option<Making> {
        self.compiler.driver().making().filter(|making| making.took > SOON || making.done > 0)
    }

    /// Whether the driver takes so long that it can be cancelled.
    pub(crate) fn is_driver_slow(&self) -> bool {
        self.compiler.driver().making().is_some_and(|making| driver::is_slow(&making))
    }

    /// Stops waiting for the driver; the last valid plan keeps running.
    pub(crate) fn cancel_driver(&self) {
        self.compiler.driver().cancel();
    }

    /// Whether loading of files was stopped, which can be requested again.
    pub(crate) fn can_load_again(&self) -> bool {
        self.compiler.watch().any_stopped()
    }

    /// Loads files again whose loading was stopped.
    pub(crate) fn load_again(&mut self) {
        self.compiler.watch().again();
        self.compile();
    }

    /// Reports that the graph waits for a file, at its node, or for the user's stages.
    pub(super) fn wait_for_files(&mut self) {
        let slow = |stages: &&Stages| stages.waiting() && stages.since().elapsed() > SOON;
        let stages = self.stages.folder.as_ref().filter(slow);
        if let Some(stages) = stages {
            let cause = format!("loading the stages in {}", stages.folder().display());
            self.problems.waiting = Some(Problem::new("", "", cause, "the graph will run when this is done").warning());
            return;
        }
        self.problems.waiting = self.loading().map(|loading| {
            let cause = format!("loading {} ({})", loading.path.display(), amount(loading.bytes as f64));
            Problem::new(&loading.node, "file", cause, "the changed graph will run when this is done").warning()
        });
    }
}
