//! Parameters: set in the document and, without a recompile, in the simulation that runs.

use super::Session;
use crate::document::ParamValue;

impl Session {
    /// Sets a parameter of several nodes; one that has keys gets a key at the present frame.
    ///
    /// # Errors
    /// When one of them has no such field, or no key there without auto-key, in one sentence; the others are set.
    pub(crate) fn set_params(&mut self, nodes: &[String], param: &str, value: &ParamValue) -> Result<(), String> {
        let mut result = Ok(());
        let mut set = Vec::new();
        let keyed = |node: &String| (node.clone(), self.keyed(node, param, value));
        let values: Vec<_> = nodes.iter().map(keyed).collect();
        self.arrange(&format!("{}.{param}", nodes.join(" ")), |document| {
            for (node, value) in values {
                let done = value.and_then(|value| {
                    document.set(&node, param, value.clone())?;
                    Ok(value)
                });
                match done {
                    Ok(value) => set.push((format!("{node}.{param}"), value)),
                    Err(sentence) => result = Err(sentence),
                }
            }
        });
        self.send(set.into_iter());
        result
    }

    /// Sets parameters by a gesture in a view: node, parameter and value of each. Those that have keys get a key at the present
    /// frame.
    pub(crate) fn drag_params(&mut self, values: &[(String, String, ParamValue)]) {
        let keyed = |(node, param, value): &(String, String, ParamValue)| {
            let value = self.keyed(node, param, value).ok()?;
            Some((node.clone(), param.clone(), value))
        };
        // Without auto-key, those that have none there stay as they are.
        let values: Vec<_> = values.iter().filter_map(keyed).collect();
        let paths: Vec<String> = values.iter().map(|(node, param, _)| format!("{node}.{param}")).collect();
        self.arrange(&paths.join(" "), |document| {
            for (node, param, value) in &values {
                // The node has the parameter, since it is shown.
                let _ = document.set(node, param, value.clone());
            }
        });
        // A camera that was moved by hand follows the document again.
        self.cameras.moved.retain(|path, _| !paths.contains(path));
        self.send(paths.into_iter().zip(values.iter().map(|(_, _, value)| value.clone())));
    }

    /// Takes back what the current gesture has changed.
    pub(crate) fn cancel_gesture(&mut self) {
        if self.history.cancel(&mut self.document) {
            self.changes.pending = true;
            self.compile();
        }
    }

    /// Removes a parameter from several nodes, so that `default` applies again.
    pub(crate) fn reset_params(&mut self, nodes: &[String], param: &str, default: &ParamValue) {
        self.arrange(&format!("reset {}.{param}", nodes.join(" ")), |document| {
            for path in nodes {
                if let Some(node) = document.node_mut(path) {
                    node.params.remove(param);
                }
            }
        });
        self.send(nodes.iter().map(|node| (format!("{node}.{param}"), default.clone())));
    }

    pub(super) fn send(&mut self, values: impl Iterator<Item = (String, ParamValue)>) {
        let mut accepted = true;
        self.leave_frame();
        self.stop_checks();
        for (path, value) in values {
            accepted &= self.simulation.as_mut().is_some_and(|s| s.set_param(&path, value.clone()).is_ok());
            self.changes.unsent.retain(|(set, _)| *set != path);
            self.changes.unsent.push((path, value));
        }
        // A value that the running plan rejects is invalid, or belongs to a node that nothing reads: compiling tells which.
        if !accepted || !self.problems.document.is_empty() {
            self.compile();
        }
    }
}
