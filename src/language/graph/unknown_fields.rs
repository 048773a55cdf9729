//! Fields in the file that nothing reads: misspelt ones, and those that a node of its kind does not use. They are kept
//! in the file and reported as warnings.

use crate::document::{
    BAKE_FIELDS, BOOKMARK_FIELDS, DOCUMENT_FIELDS, Document, EXPECT_FIELDS, EXPORT_FIELDS, Extra, NODE_FIELDS, Node,
    NodeKind, Nodes, VARIANT_FIELDS,
};
use crate::problem::{Problem, Problems};
use crate::spelling::close_names;

const UNTIL_FIELDS: &[&str] = &["number", "below", "every"];
const FRAME_FIELDS: &[&str] = &["title", "text", "at", "size", "color"];

/// Adds a warning for every such field of a document.
pub(super) fn warn(document: &Document, problems: &mut Problems) {
    let mut found = FieldCheck { problems };
    found.fields("", "", &document.extra, DOCUMENT_FIELDS);
    document.variants.values().for_each(|variant| found.fields("", "variants", &variant.extra, VARIANT_FIELDS));
    document.frames.iter().for_each(|frame| found.fields("", "frames", &frame.extra, FRAME_FIELDS));
    let bookmarks = document.bookmarks.values();
    bookmarks.for_each(|bookmark| found.fields("", "bookmarks", &bookmark.extra, BOOKMARK_FIELDS));
    document.bakes.values().for_each(|bake| found.fields("", "bakes", &bake.extra, BAKE_FIELDS));
    document.expect.iter().for_each(|expect| found.fields("", "expect", &expect.extra, EXPECT_FIELDS));
    document.exports.values().for_each(|preset| found.fields("", "exports", &preset.extra, EXPORT_FIELDS));
    found.nodes("", &document.nodes);
}

struct FieldCheck<'a> {
    problems: &'a mut Problems,
}

impl FieldCheck<'_> {
    fn nodes(&mut self, level: &str, nodes: &Nodes) {
        for (name, node) in nodes {
            // Nothing is known about the fields of an unknown kind.
            if node.kind == NodeKind::Unknown {
                continue;
            }
            let path = format!("{level}{name}");
            self.fields(&path, "", &node.extra, NODE_FIELDS);
            node.until.iter().for_each(|until| self.fields(&path, "until", &until.extra, UNTIL_FIELDS));
            if let Some((extra, fields)) = node.kind.fields() {
                self.fields(&path, node.kind.info().field, extra, fields);
            }
            if let NodeKind::Group(group) = &node.kind {
                group.frames.iter().for_each(|frame| self.fields(&path, "frames", &frame.extra, FRAME_FIELDS));
                self.nodes(&format!("{path}/"), &group.nodes);
            }
            self.useless(&path, node);
        }
    }

    /// Unknown fields. `part` is the part of the node that contains them.
    fn fields(&mut self, path: &str, part: &str, extra: &Extra, valid_fields: &[&str]) {
        for field in extra.keys() {
            let of = if part.is_empty() { String::new() } else { format!(" of `{part}`") };
            let (cause, remedy) = match valid_fields.contains(&field.as_str()) {
                // One that could not be chosen.
                true if field == "variant" => {
                    let cause = "the variant that the file chooses can't be chosen".to_string();
                    (cause, "correct it or its name, or choose another one".to_string())
                }
                // An invalid colour is kept this way.
                true => (format!("the {field}{of} can't be read"), "write it as \"#rrggbb\"".to_string()),
                false => {
                    let close = close_names(field, valid_fields.iter().copied());
                    let remedy = match close.first() {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => format!("remove it; the fields are {}", valid_fields.join(", ")),
                    };
                    (format!("the field `{field}`{of} is unknown and has no effect"), remedy)
                }
            };
            self.problems.push(Problem::new(path, "", cause, remedy).warning());
        }
    }

    /// Fields that a node of this kind does not use.
    fn useless(&mut self, path: &str, node: &Node) {
        let kind = node.kind.info();
        let holds = matches!(&node.kind, NodeKind::State(ty) if ty.starts_with("Particles"));
        let uses = [
            ("iterations", node.iterations.is_some() && !kind.runs, "only stages and groups repeat"),
            ("capacity", node.capacity.is_some() && !holds, "only States of particles have one"),
            ("on", node.on.is_some() && !kind.on_domain, "only stages, groups, States and files run on a domain"),
        ];
        for (field, _, who) in uses.into_iter().filter(|(_, useless, _)| *useless) {
            let cause = format!("{field} has no effect here: {who}");
            self.problems.push(Problem::new(path, field, cause, format!("remove {field}")).warning());
        }
    }
}
