//! Variants of the document: each action is one undo step.

use std::collections::BTreeSet;

use super::Session;

impl Session {
    /// The chosen variant; `None` is the default.
    pub(crate) fn variant(&self) -> Option<&str> {
        self.document.variant.as_deref()
    }

    /// Chooses a variant, or the default.
    ///
    /// # Errors
    /// What the variant lacks; nothing changes then.
    pub(crate) fn choose_variant(&mut self, name: Option<&str>) -> Result<(), String> {
        if name == self.variant() {
            return Ok(());
        }
        let after = self.document.with_variant(name).map_err(|problems| problems.to_string())?;
        self.end_gesture();
        self.edit(&format!("variant: {}", name.unwrap_or("Default")), |document| *document = after);
        self.end_gesture();
        Ok(())
    }

    /// Adds a variant of what differs from the saved document, and of the values of the selected nodes, and chooses it. While a
    /// variant is chosen, it is a copy of that.
    ///
    /// # Errors
    /// When the name can't be used, or there is nothing to store; nothing changes then.
    pub(crate) fn store_variant(&mut self, name: &str) -> Result<(), String> {
        let base = self.disk.saved.clone().unwrap_or_else(|| self.document.clone());
        let selected: BTreeSet<String> = match self.editable() {
            true => self.selection.nodes.iter().map(|node| self.scope().path(node)).collect(),
            false => BTreeSet::new(),
        };
        let mut after = self.document.clone();
        after.store_variant(name, &base, &selected)?;
        self.end_gesture();
        self.edit("store variant", |document| *document = after);
        self.end_gesture();
        Ok(())
    }

    /// Renames a variant.
    ///
    /// # Errors
    /// When the name can't be used; nothing changes then.
    pub(crate) fn rename_variant(&mut self, old: &str, new: &str) -> Result<(), String> {
        let mut after = self.document.clone();
        after.rename_variant(old, new)?;
        self.end_gesture();
        self.arrange("rename variant", |document| *document = after);
        self.end_gesture();
        Ok(())
    }

    /// Removes a variant; the default returns.
    pub(crate) fn remove_variant(&mut self, name: &str) {
        self.end_gesture();
        self.edit("remove variant", |document| document.remove_variant(name));
        self.end_gesture();
    }

    /// Makes values of nodes part of the chosen variant, or no longer. Then that of the default returns.
    pub(crate) fn vary(&mut self, nodes: &[String], param: &str, vary: bool) {
        self.end_gesture();
        self.edit("vary", |document| {
            for path in nodes {
                match vary {
                    true => document.add_to_variant(path, param),
                    // The node exists, since it is shown.
                    false => drop(document.remove_from_variant(path, param)),
                }
            }
        });
        self.end_gesture();
    }
}
