//! The user's presets of nodes, and values that are set together.

use std::path::Path;
use std::time::Duration;

use super::Session;
use crate::document::ParamValue;
use crate::model::presets::Presets;
use crate::model::settings::Store;

/// A value for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment {
    /// Path of the node.
    pub node: String,
    pub param: String,
    pub value: ParamValue,
    /// Whether the value is the parameter's default, which the document need not hold.
    pub default: bool,
}

impl Session {
    /// Keeps presets in a folder.
    pub(crate) fn use_presets(&mut self, folder: Option<&Path>) {
        self.presets = Store::open(folder);
    }

    pub(crate) fn presets(&mut self) -> &mut Store<Presets> {
        &mut self.presets
    }

    /// Takes over presets that were written.
    ///
    /// # Errors
    /// Why they could not be written, in one sentence.
    pub(crate) fn settle_presets(&mut self) -> Result<(), String> {
        self.presets.await_written(Duration::ZERO)
    }

    /// Sets parameters of any nodes as one step.
    pub(crate) fn give(&mut self, gesture: &str, assignments: Vec<Assignment>) {
        self.arrange(gesture, |document| {
            for one in &assignments {
                match document.node_mut(&one.node).filter(|_| one.default) {
                    Some(node) => drop(node.params.remove(&one.param)),
                    // The node has the parameter; a value that does not fit it is left out.
                    None => drop(document.set(&one.node, &one.param, one.value.clone())),
                }
            }
        });
        self.end_gesture();
        self.send(assignments.into_iter().map(|one| (format!("{}.{}", one.node, one.param), one.value)));
    }
}
