//! Errors of values and variants of a document.

use crate::problem::Problems;

/// Why a value cannot be read or set, or a variant cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The text is not a value in the notation of graph files.
    #[error("{message}")]
    Notation {
        /// What is wrong with the text.
        message: String,
    },
    /// The node does not exist.
    #[error("there is no node `{path}`")]
    NoSuchNode {
        /// The node's path, such as `substep/density`.
        path: String,
    },
    /// A domain has no such value.
    #[error("domain `{path}` has resolution (such as 512,512), width [m] and edge, not {param}")]
    NoSuchField {
        /// Path of the domain.
        path: String,
        /// Name of the value.
        param: String,
    },
    /// A domain's resolution is not a list of whole numbers of cells.
    #[error("`{path}.resolution` needs whole numbers of cells such as 512,512")]
    Resolution {
        /// Path of the domain.
        path: String,
    },
    /// A domain's width is one number, not several.
    #[error("`{path}.width` is one number [m]; write it with a point, such as 0.8")]
    Width {
        /// Path of the domain.
        path: String,
    },
    /// A value that the plan is compiled for cannot change over time.
    #[error("`{path}.{param}` can't have keys, because the plan is compiled for it; give a constant")]
    Keys {
        /// Path of the domain.
        path: String,
        /// Name of the value.
        param: String,
    },
    /// A number comes from a file, so that it has no value of its own.
    #[error("`{path}.value` comes from a file; connect a number node in its place to set it")]
    FromFile {
        /// Path of the node.
        path: String,
    },
    /// The node has no stop condition whose limit could be set.
    #[error("`{path}` has no stop condition; give it `until` first")]
    NoStopCondition {
        /// Path of the node.
        path: String,
    },
    /// The value cannot be removed, since there is no default in its place.
    #[error("`{path}.{param}` has no default")]
    NoDefault {
        /// Path of the node.
        path: String,
        /// Name of the value.
        param: String,
    },
    /// An entry of a variant names a node, but not its parameter.
    #[error("`{path}` names no parameter")]
    NoParam {
        /// Path of the node.
        path: String,
    },
    /// The name of a variant is empty.
    #[error("a variant needs a name")]
    NoVariantName,
    /// Another variant has the name.
    #[error("there is already a variant `{name}`; choose another name")]
    VariantNameTaken {
        /// The name.
        name: String,
    },
    /// The documents do not differ, so that a variant would be empty.
    #[error("there is nothing to store; change values first, or select the nodes whose values to store")]
    NothingToStore,
    /// A variant cannot be chosen.
    #[error("{0}")]
    CannotChoose(Problems),
}

/// The sentence, for callers that only show it.
impl From<ChangeError> for String {
    fn from(error: ChangeError) -> String {
        error.to_string()
    }
}

/// Cause and remedy.
pub(super) type Fault = (String, String);

/// Cause and remedy, with a cause that a program can match on.
pub(super) type Refused = (ChangeError, String);

/// The cause as a sentence, with its remedy.
pub(super) fn fault((cause, remedy): Refused) -> Fault {
    (cause.to_string(), remedy)
}
