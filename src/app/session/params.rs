//! Parameters: set in the document and, without a recompile, in the simulation that runs.

use super::Session;
use crate::document::ParamValue;

impl Session {
    /// Sets a parameter of several nodes.
    ///
    /// # Errors
    /// When one of them has no such field, in one sentence; the others are set.
    pub(crate) fn set_params(&mut self, nodes: &[String], param: &str, value: &ParamValue) -> Result<(), String> {
        let mut result = Ok(());
        let mut set = Vec::new();
        self.arrange(&format!("{}.{param}", nodes.join(" ")), |document| {
            for node in nodes {
                match document.set(node, param, value.clone()) {
                    Ok(()) => set.push(format!("{node}.{param}")),
                    Err(sentence) => result = Err(sentence),
                }
            }
        });
        self.send(set, value);
        result
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
        self.send(nodes.iter().map(|node| format!("{node}.{param}")).collect(), default);
    }

    fn send(&mut self, paths: Vec<String>, value: &ParamValue) {
        let mut taken = true;
        self.stop_checks();
        for path in paths {
            taken &= self.simulation.as_mut().is_some_and(|s| s.set_param(&path, value.clone()).is_ok());
            if self.compiler.busy() {
                self.changes.unsent.push((path, value.clone()));
            }
        }
        // A value that the running plan rejects is invalid, or belongs to a node that nothing reads: compiling tells which.
        if !taken || !self.problems.document.is_empty() {
            self.compile();
        }
    }
}
