//! The document: what the user edits, and what a graph file contains. It may contain any error; [`crate::graph`]
//! reports them.

mod bake;
mod bookmark;
mod bytes;
mod change_error;
mod color;
mod edge;
mod expect;
mod export;
mod extra;
mod field_name;
mod file;
mod graph_file;
pub mod kind;
mod level;
mod read;
mod read_value;
mod retarget;
mod salvage;
pub mod sequence;
mod substeps;
mod value;
mod variant;
mod variant_join;
mod write;

pub use bake::Bake;
pub use bookmark::Bookmark;
pub use change_error::ChangeError;
pub use color::Color;
pub use edge::Edge;
pub use expect::Expect;
pub use export::ExportPreset;
pub use extra::Extra;
pub use file::{FileContent, FileOptions, FileSource};
pub(crate) use graph_file::OWN_VALUES;
pub use graph_file::Variant;
pub use graph_file::WHERE;
use graph_file::whole;
pub use graph_file::{
    Document, Domain, FORMAT_VERSION, Frame, Group, Link, Node, NodeKind, Nodes, Output, Until, sole_output,
};
pub use kind::{Bypass, KindPorts, Outline};
pub use level::{Level, LevelMut, Scope};
pub(crate) use read::{BAKE_FIELDS, BOOKMARK_FIELDS, DOCUMENT_FIELDS, EXPORT_FIELDS, NODE_FIELDS};
pub use read::{EXPECT_FIELDS, ReadError, VARIANT_FIELDS};
use read_value::cells;
pub use salvage::{Salvaged, salvage};
pub use substeps::Substeps;
pub use value::ParamValue;
pub use variant_join::{NO_VARIANT, choose_named, full_name, same_choice};

impl Document {
    /// Parses the text of a graph file.
    ///
    /// # Errors
    /// One sentence with line and column when the text is not a graph file. Other errors are reported by
    /// [`crate::graph`].
    pub fn parse(text: &str) -> Result<Document, ReadError> {
        read::document(text)
    }

    /// The text of a graph file: sorted, one node a line, always the same bytes for the same document.
    pub fn to_text(&self) -> String {
        write::document(self)
    }

    /// The node at a path such as `substep/density`.
    pub fn node(&self, path: &str) -> Option<&Node> {
        let (scope, name) = Scope::split(path);
        self.level(&scope)?.nodes().get(name)
    }

    /// The node at a path such as `substep/density`, with mutable access.
    pub fn node_mut(&mut self, path: &str) -> Option<&mut Node> {
        let (scope, name) = Scope::split(path);
        self.level_mut(&scope)?.into_nodes().get_mut(name)
    }

    /// Sets `node.param`. Also sets `node.iterations`, the limit of `node.until`, a State's `capacity`, a domain's
    /// `resolution` and `width`, and a number's `value`.
    ///
    /// # Errors
    /// When there is no such node, or the value does not fit the field.
    pub fn set(&mut self, path: &str, param: &str, value: ParamValue) -> Result<(), ChangeError> {
        let node = self.node_mut(path).ok_or_else(|| ChangeError::NoSuchNode { path: path.into() })?;
        match (&mut node.kind, param, &value) {
            (NodeKind::Domain(domain), "resolution", ParamValue::Vector(_) | ParamValue::Expression(_)) => {
                let cells = cells(&value);
                let wrong = |n: &ParamValue| matches!(n, ParamValue::Number(_)) && whole(n).is_none();
                if cells.len() < 2 || cells.iter().any(wrong) {
                    return Err(ChangeError::Resolution { path: path.into() });
                }
                domain.resolution = cells;
            }
            (NodeKind::Domain(domain), "width", ParamValue::Number(_) | ParamValue::Expression(_)) => {
                domain.width = value;
            }
            (NodeKind::Domain(_), "width", ParamValue::Vector(_)) => {
                return Err(ChangeError::Width { path: path.into() });
            }
            (NodeKind::Domain(domain), "edge", ParamValue::Expression(edge)) => domain.edge = Edge::from_text(edge),
            (NodeKind::Domain(_), "resolution" | "width" | "edge", ParamValue::Keys(_)) => {
                return Err(ChangeError::Keys { path: path.into(), param: param.into() });
            }
            (NodeKind::Domain(_), _, _) => {
                return Err(ChangeError::NoSuchField { path: path.into(), param: param.into() });
            }
            (NodeKind::File(file), "value", _) if file.content() == FileContent::Track => {
                return Err(ChangeError::FromFile { path: path.into() });
            }
            (kind, "value", _) if kind.is_number() => {
                if let Some(number) = kind.number_mut() {
                    *number = value;
                }
                node.params.remove("value");
            }
            (_, "until", _) if node.until.is_none() => {
                return Err(ChangeError::NoStopCondition { path: path.into() });
            }
            (NodeKind::State(_), "capacity", _) => node.capacity = Some(value),
            _ => node.give(param, value),
        }
        Ok(())
    }
}
