//! Fields of a graph file that this version does not know.

use std::collections::BTreeMap;

/// Fields that this build does not know, kept as text so that saving does not lose them.
pub type Extra = BTreeMap<String, String>;
