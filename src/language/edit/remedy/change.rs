//! A remedy: a change of the document, with the text of its button.

use super::case::Case;
use crate::document::{Document, Node};
use crate::edit::Refusal;
use crate::library::Library;

type Change = Box<dyn Fn(&mut Document, &Library) -> Result<(), Refusal>>;

/// A change of the document that fixes a problem.
pub struct Remedy {
    /// The text of its button.
    pub label: String,
    change: Change,
}

impl Remedy {
    /// # Errors
    /// Why the remedy does not apply any more, after the document has changed; nothing changes then.
    pub fn apply(&self, document: &mut Document, library: &Library) -> Result<(), Refusal> {
        let mut after = document.clone();
        (self.change)(&mut after, library)?;
        *document = after;
        Ok(())
    }
}

pub(super) fn remedy(
    label: impl Into<String>,
    change: impl Fn(&mut Document, &Library) -> Result<(), Refusal> + 'static,
) -> Remedy {
    Remedy { label: label.into(), change: Box::new(change) }
}

/// A remedy that changes one node.
pub(super) fn change_node(case: &Case<'_>, label: impl Into<String>, change: impl Fn(&mut Node) + 'static) -> Remedy {
    let (scope, name) = (case.scope.clone(), case.name.clone());
    remedy(label, move |document, _| {
        change(crate::edit::nodes::node_mut(document, &scope, &name)?);
        Ok(())
    })
}
