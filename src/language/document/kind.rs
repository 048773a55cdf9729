//! Kinds of nodes. All that the canvas, the palette, the inspector, the graph file and the compiler have to know of a kind in
//! general stands in its entry here; what it computes is in `graph::flatten`, and its fields are in `editor::panes::inspector::kinds`.

use serde::de::MapAccess;

use super::{Color, Domain, Extra, FileContent, FileSource, NodeKind, Output, ParamValue, read, write};
use crate::formats;

/// A kind of node, whatever a node of it holds.
#[derive(Debug)]
pub struct KindInfo {
    /// The field of a graph file that says the kind and holds its content; empty for [`NodeKind::Unknown`].
    pub field: &'static str,
    /// Name of the kind on the canvas.
    pub title: &'static str,
    /// Name of the kind within a sentence.
    pub noun: &'static str,
    /// What several are called where the nodes of a group are counted.
    pub counted: &'static str,
    /// What the inspector says about a node that has no documentation of its own.
    pub doc: &'static str,
    /// Colour of the title bar.
    pub color: Color,
    /// How the canvas draws it.
    pub outline: Outline,
    /// How the palette offers it; stages and groups are listed by name instead.
    pub palette: Option<PaletteEntry>,
    /// Inputs and outputs of the kind.
    pub ports: KindPorts,
    /// Parameters besides those that a stage or a group declares.
    pub params: &'static [&'static str],
    /// Whether the node is a stage or a group: it may have iterations, and another stage may replace it.
    pub runs: bool,
    /// Whether the node runs on a domain, which `on` may name.
    pub on_domain: bool,
    /// Condition under which the node is left out of the graph.
    pub bypass: Bypass,
}

/// How a node is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// A title bar with ports below it.
    Box,
    /// A dot on a wire.
    Dot,
}

/// Condition under which a node is left out of the graph, so that what reads it reads what it passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// The node computes nothing, so it is always left out: a dot on a wire.
    Always,
    /// While the user bypasses it.
    WhenMuted,
    /// The node is never left out of the graph.
    Never,
}

/// An entry of the palette.
#[derive(Debug)]
pub struct PaletteEntry {
    /// Name in the palette.
    pub title: &'static str,
    /// The name that a new node gets if it is free.
    pub name: &'static str,
    /// One sentence for the palette.
    pub doc: &'static str,
    /// The content of a new node.
    pub new: fn() -> NodeKind,
}

/// The ports of a kind.
#[derive(Debug)]
pub enum KindPorts {
    /// The ports that the stage or the group declares.
    Declared,
    /// The ports that every node of the kind has.
    Fixed {
        /// Inputs from top to bottom.
        inputs: &'static [KindPort],
        /// Outputs from top to bottom.
        outputs: &'static [KindPort],
    },
    /// No ports: the node computes nothing, so it is not part of the graph that runs.
    None,
    /// Ports that this build does not know.
    Unknown,
}

/// A port that every node of a kind has.
#[derive(Debug)]
pub struct KindPort {
    /// Name of the port.
    pub name: &'static str,
    /// The type that it carries.
    pub ty: KindType,
    /// One sentence for the tooltip.
    pub doc: &'static str,
    /// Whether the port may stay unwired.
    pub optional: bool,
}

/// The type of such a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindType {
    /// A port's type as in a header.
    Type(&'static str),
    /// The type that the node holds.
    Held,
    /// Whatever the node's input reads.
    Passed,
}

/// All kinds, in the order of messages.
pub const KINDS: &[&KindInfo] = &[&STAGE, &CUSTOM, &DOMAIN, &STATE, &NUMBER, &GROUP, &OUTPUT, &FILE, &REROUTE];

/// Kinds in the order of the palette.
pub const PALETTE: &[&KindInfo] = &[&DOMAIN, &STATE, &NUMBER, &OUTPUT, &FILE, &CUSTOM, &REROUTE];

/// What most kinds have in common.
const PLAIN: KindInfo = KindInfo {
    field: "",
    title: "",
    noun: "",
    counted: "others",
    doc: "",
    color: Color([94, 98, 106]),
    outline: Outline::Box,
    palette: None,
    ports: KindPorts::None,
    params: &[],
    runs: false,
    on_domain: false,
    bypass: Bypass::Never,
};

const STAGE: KindInfo = KindInfo {
    field: "stage",
    title: "Stage",
    noun: "stage",
    counted: "stages",
    doc: "There is no stage of this name.",
    color: Color([70, 86, 112]),
    ports: KindPorts::Declared,
    runs: true,
    on_domain: true,
    bypass: Bypass::WhenMuted,
    ..PLAIN
};

const CUSTOM: KindInfo = KindInfo {
    field: "custom",
    title: "Custom",
    noun: "custom stage",
    doc: "The code is not a valid stage yet. See Problems.",
    color: Color([130, 70, 108]),
    palette: Some(PaletteEntry {
        title: "Custom stage",
        name: "custom",
        doc: "A stage of your own, written in WGSL.",
        new: || NodeKind::Custom(NEW_STAGE.into()),
    }),
    ..STAGE
};

/// The text of a new stage.
const NEW_STAGE: &str = "//! My Stage
//! What it computes, as an equation.
//!
//! @inout field: Grid<f32> = 0   What it changes

fn stage(cell: Cell) -> f32 {
    return field(cell);
}
";

/// A group of the document, or of the library.
pub const GROUP: KindInfo = KindInfo {
    field: "group",
    title: "Group",
    noun: "group",
    counted: "groups",
    doc: "A graph inside the graph.",
    color: Color([76, 82, 132]),
    ..STAGE
};

const DOMAIN: KindInfo = KindInfo {
    field: "domain",
    title: "Domain",
    noun: "Domain",
    counted: "domains",
    doc: "A box in space, divided into cubic cells. Stages run once per cell.",
    color: Color([84, 90, 98]),
    palette: Some(PaletteEntry {
        title: "Domain",
        name: "domain",
        doc: "A box in space, divided into cubic cells. Stages run once per cell.",
        new: || NodeKind::Domain(Domain::default()),
    }),
    ..PLAIN
};

const STATE: KindInfo = KindInfo {
    field: "state",
    title: "State",
    noun: "State",
    counted: "States",
    doc: "A value that is kept from frame to frame: what its input next was at the end of the previous frame.",
    color: Color([40, 118, 82]),
    palette: Some(PaletteEntry {
        title: "State",
        name: "state",
        doc: "A value that is kept from frame to frame: what its input next was at the end of the previous frame.",
        new: || NodeKind::State("Grid<f32>".into()),
    }),
    ports: KindPorts::Fixed {
        inputs: &[
            optional("next", KindType::Held, "The value in the next frame"),
            optional("init", KindType::Held, "The value after a reset; if not connected, a constant"),
        ],
        outputs: &[optional("value", KindType::Held, "The value at the end of the previous frame")],
    },
    params: &["value"],
    on_domain: true,
    ..PLAIN
};

const NUMBER: KindInfo = KindInfo {
    field: "number",
    title: "Number",
    noun: "number",
    counted: "numbers",
    doc: "A constant or an expression, for parameters and inputs that take a number.",
    palette: Some(PaletteEntry {
        title: "Number",
        name: "number",
        doc: "A constant or an expression of time, pointer and other numbers, for parameters and expressions.",
        new: || NodeKind::Number(ParamValue::Number(1.0)),
    }),
    ports: KindPorts::Fixed { inputs: &[], outputs: &[optional("value", KindType::Type("f32"), "")] },
    params: &["value"],
    ..PLAIN
};

const OUTPUT: KindInfo = KindInfo {
    field: "output",
    title: "Output",
    noun: "Output",
    doc: "An image that the graph outputs, for the view and for export.",
    color: Color([150, 64, 64]),
    palette: Some(PaletteEntry {
        title: "Output",
        name: "screen",
        doc: "An image that the graph outputs.",
        new: || NodeKind::Output(Output::default()),
    }),
    ports: KindPorts::Fixed {
        inputs: &[required("image", KindType::Type("Image"), "The image that the graph outputs")],
        outputs: &[],
    },
    bypass: Bypass::WhenMuted,
    ..PLAIN
};

const FILE: KindInfo = KindInfo {
    field: "file",
    title: "File",
    noun: "file",
    doc: concat!(
        "A file beside the graph: signed distance to a mesh (",
        formats::meshes!(),
        ") in 3D; signed distance to an image's shape (",
        formats::images!(),
        "), or its colours, in 2D; the numbers of a grid (",
        formats::grids!(),
        "); particles (",
        formats::particles!(),
        ", and points of meshes and arrays); a number over time (",
        formats::tracks!(),
        ")."
    ),
    color: Color([122, 112, 40]),
    palette: Some(PaletteEntry {
        title: "File",
        name: "shape",
        doc: "Signed distance to a mesh (3D) or an image (2D) from a file, or the colours of an image.",
        new: || NodeKind::File(FileSource::new("shape.obj")),
    }),
    ports: KindPorts::Fixed {
        inputs: &[],
        outputs: &[
            optional("distance", KindType::Type("Grid<f32>"), "Signed distance to the shape [m]"),
            optional("image", KindType::Type("Image"), "Colours of the image, linear, with straight alpha"),
            optional(
                "velocity",
                KindType::Type("Grid<Vec>"),
                "Velocity of a moving mesh at the nearest point of its surface [m/s]",
            ),
        ],
    },
    params: &["center", "size"],
    on_domain: true,
    ..PLAIN
};

/// A file with numbers in place of a shape and colours.
const GRID_FILE: KindInfo = KindInfo {
    doc: "A grid of numbers in a file beside the graph: a NumPy array (.npy) or an OpenVDB volume (.vdb).",
    palette: None,
    ports: KindPorts::Fixed {
        inputs: &[],
        outputs: &[
            optional("value", KindType::Type("Grid<f32>"), "The numbers of the file"),
            optional("vector", KindType::Type("Grid<Vec>"), "The vectors of the file"),
        ],
    },
    ..FILE
};

/// A file with particles.
const POINT_FILE: KindInfo = KindInfo {
    doc: concat!(
        "Particles in a file beside the graph (.ply, .npy, .npz), or points of a mesh (",
        formats::meshes!(),
        "): what a State starts with."
    ),
    palette: None,
    ports: KindPorts::Fixed {
        inputs: &[],
        outputs: &[optional(
            "particles",
            KindType::Type("Particles{position: Vec}"),
            "The particles, with the attributes of the State that they start",
        )],
    },
    ..FILE
};

/// A file with a number for each frame.
const TRACK_FILE: KindInfo = KindInfo {
    doc: "A number over time in a file beside the graph: how loud a sound is in each frame (.wav), or a column of a table (.csv).",
    color: PLAIN.color,
    palette: None,
    ports: KindPorts::Fixed {
        inputs: &[],
        outputs: &[optional("value", KindType::Type("f32"), "The number in this frame")],
    },
    params: &["attack", "release"],
    on_domain: false,
    ..FILE
};

const REROUTE: KindInfo = KindInfo {
    field: "reroute",
    title: "Reroute",
    noun: "reroute",
    doc: "A point on a wire that routes it around other nodes.",
    outline: Outline::Dot,
    palette: Some(PaletteEntry {
        title: "Reroute",
        name: "dot",
        doc: "A point that routes wires around other nodes.",
        new: || NodeKind::Reroute,
    }),
    ports: KindPorts::Fixed {
        inputs: &[required("value", KindType::Passed, "The value that the reroute passes on")],
        outputs: &[optional("value", KindType::Passed, "The value to pass on")],
    },
    bypass: Bypass::Always,
    ..PLAIN
};

const UNKNOWN: KindInfo = KindInfo {
    title: "Unknown",
    noun: "node",
    doc: "This version does not know this kind of node.",
    color: Color([110, 60, 60]),
    ports: KindPorts::Unknown,
    bypass: Bypass::WhenMuted,
    ..PLAIN
};

const fn optional(name: &'static str, ty: KindType, doc: &'static str) -> KindPort {
    KindPort { name, ty, doc, optional: true }
}

const fn required(name: &'static str, ty: KindType, doc: &'static str) -> KindPort {
    KindPort { name, ty, doc, optional: false }
}

impl NodeKind {
    /// The description of its kind.
    pub fn info(&self) -> &'static KindInfo {
        match self {
            NodeKind::Stage(_) => &STAGE,
            NodeKind::Custom(_) => &CUSTOM,
            NodeKind::Domain(_) => &DOMAIN,
            NodeKind::State(_) => &STATE,
            NodeKind::Number(_) => &NUMBER,
            NodeKind::Group(_) => &GROUP,
            NodeKind::Output(_) => &OUTPUT,
            NodeKind::File(file) => match file.content() {
                FileContent::Shape => &FILE,
                FileContent::Grid => &GRID_FILE,
                FileContent::Points => &POINT_FILE,
                FileContent::Track => &TRACK_FILE,
            },
            NodeKind::Reroute => &REROUTE,
            NodeKind::Unknown => &UNKNOWN,
        }
    }

    /// Name of the node on the canvas, as far as that follows from the node alone.
    pub fn title(&self) -> String {
        match self {
            NodeKind::Stage(name) => name.clone(),
            NodeKind::Domain(domain) => {
                let computed = |cells: &ParamValue| matches!(cells, ParamValue::Expression(_));
                let cells = domain.resolution.iter().map(|n| if computed(n) { "ƒ".to_string() } else { n.to_string() });
                format!("Domain {}", cells.collect::<Vec<_>>().join(" × "))
            }
            kind => kind.info().title.into(),
        }
    }

    /// Whether expressions can name it.
    pub fn is_number(&self) -> bool {
        let track = matches!(self, NodeKind::File(file) if file.content() == FileContent::Track);
        track || self.number().is_some()
    }

    /// The value of a number.
    pub fn number(&self) -> Option<&ParamValue> {
        match self {
            NodeKind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a number, with mutable access.
    pub fn number_mut(&mut self) -> Option<&mut ParamValue> {
        match self {
            NodeKind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The file that it reads.
    pub fn file(&self) -> Option<&str> {
        match self {
            NodeKind::File(file) => Some(file.path()),
            _ => None,
        }
    }

    /// The node's own values, which may be expressions.
    pub fn values(&self) -> impl Iterator<Item = &ParamValue> {
        let domain: (_, &[ParamValue]) = match self {
            NodeKind::Domain(domain) => (Some(&domain.width), &domain.resolution),
            _ => (None, &[]),
        };
        self.number().into_iter().chain(domain.0).chain(domain.1)
    }

    /// The node's own values, with mutable access.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut ParamValue> {
        let (one, many): (_, &mut [ParamValue]) = match self {
            NodeKind::Domain(domain) => (Some(&mut domain.width), &mut domain.resolution),
            kind => (kind.number_mut(), &mut []),
        };
        one.into_iter().chain(many)
    }

    /// The type of a port as text; none where the wires decide.
    pub fn port_type(&self, port: &KindPort) -> Option<&str> {
        match (&port.ty, self) {
            (KindType::Type(ty), _) => Some(ty),
            (KindType::Held, NodeKind::State(ty)) => Some(ty),
            (KindType::Held | KindType::Passed, _) => None,
        }
    }

    /// Fields of its content that this build does not know, and those that it does.
    pub fn fields(&self) -> Option<(&Extra, &'static [&'static str])> {
        match self {
            NodeKind::Domain(domain) => Some((&domain.extra, read::DOMAIN_FIELDS)),
            NodeKind::Output(output) => Some((&output.extra, read::OUTPUT_FIELDS)),
            NodeKind::Group(group) => Some((&group.extra, read::GROUP_FIELDS)),
            NodeKind::File(file) => Some((&file.extra, read::FILE_FIELDS)),
            _ => None,
        }
    }

    /// Reads the content of a field that says a kind; `None` for any other field.
    pub(super) fn read<'de, A: MapAccess<'de>>(field: &str, map: &mut A) -> Result<Option<NodeKind>, A::Error> {
        Ok(Some(match field {
            "stage" => NodeKind::Stage(map.next_value()?),
            "custom" => NodeKind::Custom(map.next_value()?),
            "domain" => NodeKind::Domain(map.next_value()?),
            "state" => NodeKind::State(map.next_value()?),
            "number" => NodeKind::Number(map.next_value()?),
            "group" => NodeKind::Group(Box::new(map.next_value()?)),
            "output" => NodeKind::Output(map.next_value()?),
            "file" => NodeKind::File(map.next_value()?),
            "reroute" => {
                map.next_value::<()>()?;
                NodeKind::Reroute
            }
            _ => return Ok(None),
        }))
    }

    /// The content of that field, for a node indented by `depth` steps.
    pub(super) fn text(&self, depth: usize) -> String {
        match self {
            NodeKind::Stage(name) => write::quoted(name),
            NodeKind::Custom(source) => write::raw_string(source),
            NodeKind::Domain(domain) => write::domain(domain),
            NodeKind::State(ty) => write::quoted(ty),
            NodeKind::Number(value) => write::param(value),
            NodeKind::Group(group) => write::group(group, depth),
            NodeKind::Output(output) => write::output(output),
            NodeKind::File(file) => write::file(file),
            NodeKind::Reroute => "()".into(),
            NodeKind::Unknown => String::new(),
        }
    }
}

impl KindInfo {
    /// Inputs that every node of the kind has; `None` where its stage or group declares them.
    pub fn inputs(&self) -> Option<&'static [KindPort]> {
        match self.ports {
            KindPorts::Fixed { inputs, .. } => Some(inputs),
            _ => None,
        }
    }

    /// Outputs that every node of the kind has; `None` where its stage or group declares them.
    pub fn outputs(&self) -> Option<&'static [KindPort]> {
        match self.ports {
            KindPorts::Fixed { outputs, .. } => Some(outputs),
            _ => None,
        }
    }

    /// Whether a node of it has a switch that leaves it out of the graph.
    pub fn has_bypass(&self) -> bool {
        self.runs || self.bypass == Bypass::Always
    }
}

/// Whether a field of a node says its kind.
pub(super) fn is_field(name: &str) -> bool {
    KINDS.iter().any(|kind| kind.field == name)
}

/// The fields that say a kind, for a message: `stage, custom or domain` with `or` as the last separator.
pub fn fields(last: &str) -> String {
    let fields: Vec<&str> = KINDS.iter().map(|kind| kind.field).collect();
    let (end, others) = fields.split_last().unwrap_or((&"", &[]));
    format!("{}{last}{end}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Node};

    #[test]
    fn every_kind_of_the_palette_is_written_and_read_back() {
        for kind in PALETTE {
            let entry = kind.palette.as_ref().unwrap();
            let node = Node { kind: (entry.new)(), ..Node::default() };
            assert_eq!(node.kind.info().field, kind.field, "{}", entry.title);
            let document = Document { nodes: [(entry.name.into(), node)].into(), ..Document::default() };
            let text = document.to_text();
            assert!(text.contains(&format!("({}: ", kind.field)), "{text}");
            assert_eq!(Document::parse(&text), Ok(document));
        }
    }

    #[test]
    fn each_kind_has_a_field_of_its_own() {
        let fields: std::collections::BTreeSet<&str> = KINDS.iter().map(|kind| kind.field).collect();
        assert_eq!(fields.len(), KINDS.len());
        assert!(PALETTE.iter().all(|kind| fields.contains(kind.field)));
    }

    #[test]
    fn the_stage_to_start_from_is_right() {
        assert!(crate::stage::Stage::parse("custom", NEW_STAGE).is_ok());
    }
}
