//! Parses graph files. Unknown fields are kept as text; duplicate names are errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use ron::value::RawValue;
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};

use super::field_name::FieldName;
use super::file::FileFields;
use super::{
    Bake, Bookmark, Color, Document, Domain, Expect, ExportPreset, Extra, FORMAT_VERSION, FileSource, Frame, Group,
    Link, Node, NodeKind, Nodes, Output, ParamValue, Until, Variant, WHERE, kind, write,
};

/// Why a text is not a graph file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not valid, or does not describe a graph.
    #[error("line {line}, column {column}: {}", crate::printable::name(.message))]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1 \[characters\].
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The file's version, which is newer than this build knows.
    #[error("the file has format version {0}, this build reads up to {FORMAT_VERSION}; update Stagewright")]
    TooNew(u32),
}

pub(super) fn document(text: &str) -> Result<Document, ReadError> {
    // Some editors write a byte order mark at the beginning, which RON rejects.
    let mut document: Document = part(text.trim_start_matches('\u{feff}'))?;
    if document.version > FORMAT_VERSION {
        return Err(ReadError::TooNew(document.version));
    }
    name_ports(&mut document.nodes);
    // A file has the default in its nodes. A variant that cannot be chosen is kept as text, and reported.
    if let Some(name) = document.variant.take()
        && document.choose(Some(&name)).is_err()
    {
        document.extra.insert("variant".into(), write::quoted(&name));
    }
    Ok(document)
}

/// Completes links to files that name no port: they read the first one. Returns the files of the level, with its name.
fn name_ports(nodes: &mut Nodes) -> BTreeMap<String, &'static str> {
    let first = |(name, node): (&String, &Node)| {
        node.kind.file()?;
        Some((name.clone(), node.kind.info().outputs()?.first()?.name))
    };
    let files: BTreeMap<String, &str> = nodes.iter().filter_map(first).collect();
    let complete = |link: &mut Link, files: &BTreeMap<String, &str>| {
        if link.port.is_empty()
            && let Some(port) = files.get(&link.node)
        {
            link.port = (*port).into();
        }
    };
    for node in nodes.values_mut() {
        node.inputs.values_mut().for_each(|link| complete(link, &files));
        if let NodeKind::Group(group) = &mut node.kind {
            let files = name_ports(&mut group.nodes);
            group.outputs.values_mut().for_each(|link| complete(link, &files));
        }
    }
    files
}

/// Parses a part of a graph file, such as one node.
pub(super) fn part<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(text).map_err(|e| ReadError::Syntax {
        line: e.span.start.line,
        column: e.span.start.col,
        message: e.code.to_string(),
    })
}

/// A RON struct `(name: value, ..)` whose unknown fields are kept.
trait Record: Default {
    const NAME: &'static str;
    /// Parses the value of a known field; false when the field is unknown.
    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>;
    fn extra(&mut self) -> &mut Extra;
}

struct RecordVisitor<T>(PhantomData<T>);

impl<'de, T: Record> Visitor<'de> for RecordVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (name: value, ..)", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut record = T::default();
        let mut seen = BTreeSet::new();
        while let Some(FieldName(key)) = map.next_key()? {
            if !seen.insert(key.clone()) {
                return Err(de::Error::custom(format!("field `{key}` is given twice")));
            }
            if !record.field(&key, &mut map)? {
                // With the line break that ends a comment after it: more is written behind it.
                let raw: Box<RawValue> = map.next_value()?;
                record.extra().insert(key, raw.get_ron().to_string());
            }
        }
        Ok(record)
    }
}

macro_rules! record {
    ($type:ty, $name:literal, $fields:expr, |$self:ident, $map:ident| { $($fields_and_values:tt)* }) => {
        record!($type, $name, $fields, |$self, $map, key| { $($fields_and_values)* } else false);
    };
    // With an expression that reads the other fields that are known.
    (
        $type:ty, $name:literal, $fields:expr,
        |$self:ident, $map:ident, $other:ident| { $($key:literal => $read:expr),* $(,)? } else $others:expr
    ) => {
        impl Record for $type {
            const NAME: &'static str = $name;
            fn field<'de, A: MapAccess<'de>>(&mut self, $other: &str, $map: &mut A) -> Result<bool, A::Error> {
                let $self = self;
                match $other {
                    $($key => $read,)*
                    _ => return Ok($others),
                }
                Ok(true)
            }
            fn extra(&mut self) -> &mut Extra {
                &mut self.extra
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_struct($name, $fields, RecordVisitor(PhantomData))
            }
        }
    };
}

pub(crate) const DOCUMENT_FIELDS: &[&str] = &[
    "version",
    "name",
    "about",
    "fps",
    "substeps",
    "seed",
    "input",
    "frames",
    "bookmarks",
    "bakes",
    "expect",
    "exports",
    "variant",
    "variants",
    "shared",
    "nodes",
];

record!(Document, "Document", DOCUMENT_FIELDS, |d, map| {
    "version" => d.version = map.next_value()?,
    "name" => d.name = map.next_value()?,
    "about" => d.about = map.next_value()?,
    "fps" => d.fps = map.next_value()?,
    "substeps" => d.substeps = map.next_value()?,
    "seed" => d.seed = map.next_value()?,
    "input" => d.input = Some(map.next_value()?),
    "frames" => d.frames = map.next_value()?,
    "bookmarks" => d.bookmarks = map.next_value::<Unique<Bookmark>>()?.0,
    "bakes" => d.bakes = map.next_value::<Unique<Bake>>()?.0,
    "expect" => d.expect = map.next_value()?,
    "exports" => d.exports = map.next_value::<Unique<ExportPreset>>()?.0,
    "variant" => d.variant = Some(map.next_value()?),
    "variants" => d.variants = map.next_value::<Unique<Variant>>()?.0,
    "shared" => d.shared = map.next_value::<Unique<String>>()?.0,
    "nodes" => d.nodes = map.next_value::<Unique<Node>>()?.0,
});

/// Fields of an expectation.
pub const EXPECT_FIELDS: &[&str] = &[
    "at",
    "every",
    "to",
    "of",
    "statistic",
    "component",
    "equals",
    "within",
    "below",
    "above",
    "unchanged_since",
    "hash",
    "tolerance",
    "relative",
    "adapter",
    "variant",
    "comment",
];

record!(Expect, "Expect", EXPECT_FIELDS, |e, map| {
    "at" => e.at = map.next_value::<FrameList>()?.0,
    "every" => e.every = Some(map.next_value()?),
    "to" => e.to = Some(map.next_value()?),
    "of" => e.of = map.next_value()?,
    "statistic" => e.statistic = Some(map.next_value()?),
    "component" => e.component = Some(map.next_value()?),
    "equals" => e.equals = Some(map.next_value::<Values>()?.0),
    "within" => e.within = Some(map.next_value()?),
    "below" => e.below = Some(map.next_value()?),
    "above" => e.above = Some(map.next_value()?),
    "unchanged_since" => e.unchanged_since = Some(map.next_value()?),
    "hash" => e.hash = Some(map.next_value()?),
    "tolerance" => e.tolerance = Some(map.next_value()?),
    "relative" => e.relative = Some(map.next_value()?),
    "adapter" => e.adapter = Some(map.next_value()?),
    "variant" => e.variant = Some(map.next_value()?),
    "comment" => e.comment = map.next_value()?,
});

/// Fields of a variant.
pub const VARIANT_FIELDS: &[&str] =
    &["about", "set", "muted", "stages", "inputs", "comments", "fps", "substeps", "seed"];

record!(Variant, "Variant", VARIANT_FIELDS, |v, map| {
    "about" => v.about = map.next_value()?,
    "set" => v.set = map.next_value::<Unique<Option<ParamValue>>>()?.0,
    "muted" => v.muted = map.next_value::<Unique<bool>>()?.0,
    "stages" => v.stages = map.next_value::<Unique<StageOrKind>>()?.0.into_iter().map(|(k, v)| (k, v.0)).collect(),
    "inputs" => v.inputs = map.next_value::<Unique<Option<Link>>>()?.0,
    "comments" => v.comments = map.next_value::<Unique<String>>()?.0,
    "fps" => v.fps = Some(map.next_value()?),
    "substeps" => v.substeps = Some(map.next_value()?),
    "seed" => v.seed = Some(map.next_value()?),
});

/// The name of a stage, or the kind of a node as in its own line: `(custom: r#"..."#)`.
struct StageOrKind(NodeKind);

impl<'de> Deserialize<'de> for StageOrKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StageOrKind, D::Error> {
        struct NameOrNode;
        impl<'de> Visitor<'de> for NameOrNode {
            type Value = StageOrKind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a stage, (custom: ..) or (group: ..)")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<StageOrKind, E> {
                Ok(StageOrKind(NodeKind::Stage(v.to_string())))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StageOrKind, A::Error> {
                let mut kind = None;
                while let Some(FieldName(field)) = map.next_key()? {
                    let read = NodeKind::read(&field, &mut map)?;
                    match (read, &kind) {
                        (Some(read), None) => kind = Some(read),
                        _ => return Err(de::Error::custom(format!("`{field}` is no kind of node, or one too many"))),
                    }
                }
                kind.map(StageOrKind).ok_or_else(|| de::Error::custom("the node does not say what it is"))
            }
        }
        deserializer.deserialize_any(NameOrNode)
    }
}

pub(super) const DOMAIN_FIELDS: &[&str] = &["resolution", "width", "edge"];

record!(Domain, "Domain", DOMAIN_FIELDS, |d, map| {
    "resolution" => d.resolution = map.next_value::<List<ParamValue>>()?.0,
    "width" => d.width = map.next_value()?,
    "edge" => d.edge = map.next_value()?,
});

pub(super) const OUTPUT_FIELDS: &[&str] = &["size"];

record!(Output, "Output", OUTPUT_FIELDS, |o, map| {
    "size" => o.size = Some(map.next_value()?),
});

pub(super) const FILE_FIELDS: &[&str] =
    &["path", "as", "count", "seed", "fit", "space", "layer", "column", "measure", "first", "beyond"];

/// The text of a file node, whose path may follow its options.
#[derive(Default)]
struct FileRecord {
    path: String,
    fields: FileFields,
    extra: Extra,
}

record!(FileRecord, "File", FILE_FIELDS, |f, map| {
    "path" => f.path = map.next_value()?,
    "as" => f.fields.reading = Some(map.next_value()?),
    "count" => f.fields.count = Some(map.next_value()?),
    "seed" => f.fields.seed = Some(map.next_value()?),
    "fit" => f.fields.fit = Some(map.next_value()?),
    "space" => f.fields.space = Some(map.next_value()?),
    "layer" => f.fields.layer = Some(map.next_value()?),
    "column" => f.fields.column = Some(map.next_value()?),
    "measure" => f.fields.measure = Some(map.next_value()?),
    "first" => f.fields.first = Some(map.next_value()?),
    "beyond" => f.fields.beyond = Some(map.next_value()?),
});

impl<'de> Deserialize<'de> for FileSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FileSource, D::Error> {
        struct PathOrRecord;
        impl<'de> Visitor<'de> for PathOrRecord {
            type Value = FileSource;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the path of a file, or (path: .., as: .., fit: .., space: .., layer: ..)")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<FileSource, E> {
                Ok(FileSource::new(v))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FileSource, A::Error> {
                let FileRecord { path, fields, extra } = RecordVisitor(PhantomData).visit_map(map)?;
                Ok(FileSource::from_fields(path, fields, extra))
            }
        }
        deserializer.deserialize_any(PathOrRecord)
    }
}

record!(Until, "Until", &["number", "below", "every"], |u, map| {
    "number" => u.number = map.next_value()?,
    "below" => u.below = map.next_value()?,
    "every" => u.every = map.next_value()?,
});

pub(super) const GROUP_FIELDS: &[&str] =
    &["about", "inputs", "outputs", "params", "inputs_at", "outputs_at", "frames", "nodes"];

record!(Group, "Group", GROUP_FIELDS, |g, map| {
    "about" => g.about = map.next_value()?,
    "inputs" => g.inputs = map.next_value::<Unique<String>>()?.0,
    "outputs" => g.outputs = map.next_value::<Unique<Link>>()?.0,
    "params" => g.params = map.next_value::<Unique<Links>>()?.0.into_iter().map(|(k, v)| (k, v.0)).collect(),
    "inputs_at" => g.inputs_at = Some(place(map.next_value()?)),
    "outputs_at" => g.outputs_at = Some(place(map.next_value()?)),
    "frames" => g.frames = map.next_value()?,
    "nodes" => g.nodes = map.next_value::<Unique<Node>>()?.0,
});

record!(Frame, "Frame", &["title", "text", "at", "size", "color"], |f, map| {
    "title" => f.title = map.next_value()?,
    "text" => f.text = map.next_value()?,
    "at" => f.at = place(map.next_value()?),
    "size" => f.size = place(map.next_value()?),
    "color" => f.color = color(&map.next_value::<Box<RawValue>>()?, &mut f.extra),
});

/// Fields of a bookmark.
pub(crate) const BOOKMARK_FIELDS: &[&str] = &["name", "level", "center", "zoom", "select"];

record!(Bookmark, "Bookmark", BOOKMARK_FIELDS, |b, map| {
    "name" => b.name = map.next_value()?,
    "level" => b.level = map.next_value()?,
    "center" => b.center = place(map.next_value()?),
    "zoom" => b.zoom = Some(map.next_value()?).filter(|zoom: &f32| zoom.is_finite()).unwrap_or(b.zoom),
    "select" => b.select = map.next_value()?,
});

/// Fields of a bake.
pub(crate) const BAKE_FIELDS: &[&str] = &["wires", "frames", "folder", "play"];

record!(Bake, "Bake", BAKE_FIELDS, |b, map| {
    "wires" => b.wires = map.next_value()?,
    "frames" => b.frames = map.next_value()?,
    "folder" => b.folder = map.next_value()?,
    "play" => b.play = map.next_value()?,
});

/// Fields of a preset of an export.
pub(crate) const EXPORT_FIELDS: &[&str] = &["what", "frames", "size", "folder", "names", "settings", "checkpoints"];

record!(ExportPreset, "Export", EXPORT_FIELDS, |e, map| {
    "what" => e.what = map.next_value()?,
    "frames" => e.frames = map.next_value()?,
    "size" => e.size = Some(map.next_value()?),
    "folder" => e.folder = map.next_value()?,
    "names" => e.names = map.next_value()?,
    "settings" => e.settings = map.next_value::<Unique<ParamValue>>()?.0,
    "checkpoints" => e.checkpoints = Some(map.next_value()?),
});

/// A position on the canvas. One that is not finite is ignored, so the node is laid out automatically.
fn place(at: (f32, f32)) -> (f32, f32) {
    if at.0.is_finite() && at.1.is_finite() { at } else { (0.0, 0.0) }
}

/// Fields of every kind of node.
const SHARED_FIELDS: [&str; 12] = [
    "inputs",
    "params",
    "iterations",
    "until",
    "on",
    "where",
    "capacity",
    "precision",
    "muted",
    "at",
    "color",
    "comment",
];

/// Fields of a node: one says its kind, the others are shared by all kinds.
pub(crate) const NODE_FIELDS: &[&str] = &node_fields();

const fn node_fields() -> [&'static str; kind::KINDS.len() + SHARED_FIELDS.len()] {
    let mut fields = [""; kind::KINDS.len() + SHARED_FIELDS.len()];
    let mut index = 0;
    while index < fields.len() {
        fields[index] = match index < kind::KINDS.len() {
            true => kind::KINDS[index].field,
            false => SHARED_FIELDS[index - kind::KINDS.len()],
        };
        index += 1;
    }
    fields
}

record!(Node, "Node", NODE_FIELDS, |n, map, field| {
    "inputs" => map.next_value::<Unique<Link>>()?.0.into_iter().try_for_each(|(port, link)| wire(n, port, link))?,
    "where" => wire(n, WHERE.into(), map.next_value()?)?,
    "params" => n.params = map.next_value::<Unique<ParamValue>>()?.0,
    "iterations" => n.iterations = Some(map.next_value()?),
    "until" => n.until = Some(map.next_value()?),
    "on" => n.on = Some(map.next_value()?),
    "capacity" => n.capacity = Some(map.next_value()?),
    "precision" => n.precision = Some(map.next_value()?),
    "muted" => n.muted = map.next_value()?,
    "at" => n.at = place(map.next_value()?),
    "color" => n.color = color(&map.next_value::<Box<RawValue>>()?, &mut n.extra),
    "comment" => n.comment = map.next_value()?,
} else match NodeKind::read(field, map)? {
    Some(kind) => {
        set_kind(n, kind)?;
        true
    }
    None => false,
});

/// Adds a wire; that of `where` may stand among the others.
fn wire<E: de::Error>(node: &mut Node, port: String, link: Link) -> Result<(), E> {
    if node.inputs.contains_key(&port) {
        return Err(E::custom(format!("`{port}` is given twice")));
    }
    node.inputs.insert(port, link);
    Ok(())
}

fn set_kind<E: de::Error>(node: &mut Node, kind: NodeKind) -> Result<(), E> {
    if node.kind != NodeKind::Unknown {
        let fields = kind::fields(", ");
        return Err(E::custom(format!("a node has exactly one kind: give one of {fields}")));
    }
    node.kind = kind;
    Ok(())
}

/// Parses a colour; one that is invalid is kept as text.
fn color(raw: &RawValue, extra: &mut Extra) -> Option<Color> {
    let color = raw.into_rust::<String>().ok().and_then(|text| Color::parse(&text));
    if color.is_none() {
        extra.insert("color".into(), raw.get_ron().to_string());
    }
    color
}

/// A map that rejects duplicate names, where RON alone would keep the last.
struct Unique<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Unique<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique<T>, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Unique<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map {\"name\": value, ..}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique<T>, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let value = map.next_value()?;
                    if entries.insert(key.clone(), value).is_some() {
                        return Err(de::Error::custom(format!("`{key}` is given twice")));
                    }
                }
                Ok(Unique(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Link, D::Error> {
        String::deserialize(deserializer).map(|text| Link::parse(&text))
    }
}

/// A RON tuple `(1, 2)` or list `[1, 2]` of any length.
struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<List<T>, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("(a, b) or (a, b, c)")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(List(items))
            }
        }
        deserializer.deserialize_any(Items(PhantomData))
    }
}

/// A type that is written as one number, such as `60`, or as a list of any length, such as `[1, 60]` or `(0.2, 0.3)`.
macro_rules! one_or_many {
    ($name:ident, $item:ty, $expecting:literal, { $($visit:ident: $number:ty),* }) => {
        struct $name(Vec<$item>);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                struct Items;
                impl<'de> Visitor<'de> for Items {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    $(fn $visit<E: de::Error>(self, v: $number) -> Result<$name, E> {
                        Ok($name(vec![v as $item]))
                    })*
                    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<$name, A::Error> {
                        let mut items = Vec::new();
                        while let Some(item) = seq.next_element()? {
                            items.push(item);
                        }
                        Ok($name(items))
                    }
                }
                deserializer.deserialize_any(Items)
            }
        }
    };
}

one_or_many!(FrameList, u64, "a frame such as 60, or a list of frames such as [1, 60]", { visit_u64: u64 });
one_or_many!(Values, f64, "a number or (a, b, ..)", { visit_u64: u64, visit_i64: i64, visit_f64: f64 });

/// One link or a list of them.
struct Links(Vec<Link>);

impl<'de> Deserialize<'de> for Links {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Links, D::Error> {
        struct OneOrMore;
        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Links;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"node.param\" or a list of them")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Links, E> {
                Ok(Links(vec![Link::parse(text)]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Links, A::Error> {
                let mut links = Vec::new();
                while let Some(link) = seq.next_element()? {
                    links.push(link);
                }
                Ok(Links(links))
            }
        }
        deserializer.deserialize_any(OneOrMore)
    }
}
