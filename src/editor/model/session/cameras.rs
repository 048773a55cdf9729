//! Cameras that are moved while the graph runs.

use super::Session;
use crate::sim::camera::Orbit;

impl Session {
    /// The node that sets the camera of an Output, if that camera can be moved.
    pub(crate) fn camera(&self, output: &str) -> Option<&str> {
        self.cameras.nodes.get(output).map(String::as_str)
    }

    /// Moves a camera while the graph runs; the document is not changed.
    pub(crate) fn move_camera(&mut self, node: &str, orbit: Orbit) {
        for (param, value) in orbit.params() {
            let path = format!("{node}.{param}");
            // The node has these parameters, according to the plan.
            let _ = self.simulation.as_mut().map(|s| s.set_param(&path, value.clone()));
            self.cameras.moved.insert(path, value);
        }
    }

    /// Whether a camera was moved.
    pub(crate) fn camera_moved(&self, node: &str) -> bool {
        self.cameras.moved.keys().any(|path| path.strip_prefix(node).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Resets a camera to the document.
    pub(crate) fn restore_camera(&mut self, node: &str) {
        self.cameras.moved.retain(|path, _| path.strip_prefix(node).is_none_or(|rest| !rest.starts_with('.')));
        self.compile();
    }

    /// Writes a moved camera into the document.
    ///
    /// # Errors
    /// If the node is inside a library group, in one sentence.
    pub(crate) fn keep_camera(&mut self, node: &str) -> Result<(), String> {
        let (mut after, moved) = (self.document.clone(), std::mem::take(&mut self.cameras.moved));
        for (path, value) in &moved {
            if let Some(param) = path.strip_prefix(node).and_then(|rest| rest.strip_prefix('.')) {
                after.set(node, param, value.clone())?;
            }
        }
        self.edit("camera", |document| *document = after);
        Ok(())
    }
}
