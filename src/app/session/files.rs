//! Files and shaders that the graph waits for.

use std::path::Path;
use std::time::Duration;

use super::Session;
use crate::app::driver;
use crate::app::export_dialog::amount;
use crate::app::loader::Loading;
use crate::files::Access;
use crate::gpu::Making;
use crate::problem::Problem;

/// What is there this soon need not be told of.
const SOON: Duration = Duration::from_millis(300);

impl Session {
    /// Which files the graph may name.
    pub fn access(&self) -> Access {
        let folder = self.path().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
        Access::new(folder, self.files_allowed)
    }

    /// Says whether the graph may read files outside its folder; counts from the next compile on.
    pub fn set_files_allowed(&mut self, allowed: bool) {
        self.files_allowed = allowed;
    }

    /// The file that the graph waits for, once that takes long enough to be told of.
    pub fn loading(&self) -> Option<Loading> {
        self.compiler.watch().loading().filter(|loading| loading.since.elapsed() > SOON)
    }

    /// Stops reading it; the last good plan runs on.
    pub fn stop_loading(&self) {
        self.compiler.watch().stop();
    }

    /// What the driver is compiling, once that takes long enough to be shown.
    pub fn driver(&self) -> Option<Making> {
        self.compiler.driver().making().filter(|making| making.took > SOON || making.done > 0)
    }

    /// Whether the driver takes so long that it can be cancelled.
    pub fn is_driver_slow(&self) -> bool {
        self.compiler.driver().making().is_some_and(|making| driver::is_slow(&making))
    }

    /// Waits for the driver no longer; the last good plan runs on.
    pub fn cancel_driver(&self) {
        self.compiler.driver().cancel();
    }

    /// Whether files were stopped that can be asked for again.
    pub fn can_load_again(&self) -> bool {
        self.compiler.watch().any_stopped()
    }

    /// Reads files that were stopped.
    pub fn load_again(&mut self) {
        self.compiler.watch().again();
        self.compile();
    }

    /// Notes at the node that the graph waits for its file, or that it waits for the user's stages.
    pub(super) fn wait_for_files(&mut self) {
        let stages = self.stages.as_ref().filter(|stages| stages.waiting() && stages.since().elapsed() > SOON);
        if let Some(stages) = stages {
            let cause = format!("loading the stages in {}", stages.folder().display());
            self.waiting = Some(Problem::new("", "", cause, "the graph will run when this is done").warning());
            return;
        }
        self.waiting = self.loading().map(|loading| {
            let cause = format!("loading {} ({})", loading.path.display(), amount(loading.bytes as f64));
            Problem::new(&loading.node, "file", cause, "the changed graph will run when this is done").warning()
        });
    }
}
