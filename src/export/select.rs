//! What to export, as typed: `[NAME=]WIRE[+[NAME=]WIRE...][:FORMAT]`.
//!
//! A wire is an Output, `node.port`, a particle set, a field as `node.port@domain`, a number, or a statistic of a wire as
//! `node.port:sum`. Several joined by `+` go into the same files.

use std::fmt;

use super::format_named;
use super::formats::{FORMATS, default_for};
use super::job::{ExportSubject, Item, Part, Source};
use super::members;
use super::names::plain;
use super::place::Folder;
use super::settings::Settings;
use super::sink::{Format, Kind};
use crate::document::Document;
use crate::files::portable;
use crate::graph::expect::Statistic;
use crate::graph::measurement::Measurement;
use crate::graph::wires::Carried;
use crate::graph::{self, Graph};
use crate::problem::Problem;
use crate::sim::wire_view::View;
use crate::stage::types::{ValueType, WireType};

/// The names of files where none are given.
pub const DEFAULT_NAMES: &str = "{name}.{frame}";

/// What is typed for one series of files.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What goes into each file, in this order.
    pub parts: Vec<NamedWire>,
    /// Which files are written; by the kind of the first wire when `None`.
    pub format: Option<&'static Format>,
}

/// A wire, and its name in files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedWire {
    /// The name in files; that of the wire when `None`.
    pub name: Option<String>,
    /// The name of the wire, as the user typed it.
    pub wire: String,
}

/// Writes a request in the form in which it is typed.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.parts.iter().enumerate() {
            let plus = if at > 0 { "+" } else { "" };
            match &part.name {
                Some(name) => write!(f, "{plus}{name}={}", part.wire)?,
                None => write!(f, "{plus}{}", part.wire)?,
            }
        }
        self.format.map_or(Ok(()), |format| write!(f, ":{}", format.name))
    }
}

impl Request {
    /// A wire alone in its files.
    pub fn single(wire: &str, format: Option<&'static Format>) -> Request {
        Request { parts: vec![NamedWire { name: None, wire: wire.into() }], format }
    }

    /// # Errors
    /// Why it can't be read, in one sentence.
    pub fn parse(text: &str) -> Result<Request, String> {
        let (wires, format) = match text.rsplit_once(':').map(|(wires, end)| (wires, format_named(end))) {
            Some((wires, Some(format))) => (wires, Some(format)),
            _ => (text, None),
        };
        let part = |part: &str| {
            let (name, wire) = match part.split_once('=') {
                Some((name, wire)) => (Some(name.trim().to_string()), wire.trim()),
                None => (None, part.trim()),
            };
            let empty = wire.is_empty() || name.as_ref().is_some_and(String::is_empty);
            let message = || {
                format!(
                    "`{text}`: write [NAME=]WIRE[:FORMAT], for example density=smoke.value:npy, and + between wires that go into the same files"
                )
            };
            if empty { Err(message()) } else { Ok(NamedWire { name, wire: wire.to_string() }) }
        };
        let parts = wires.split('+').map(part).collect::<Result<_, String>>()?;
        Ok(Request { parts, format })
    }
}

/// What is common to all series of an export.
#[derive(Clone, Copy, Debug)]
pub struct Choices<'a> {
    /// Formats for requests that name none; each request is written in all of these that can hold it.
    pub formats: &'a [&'static Format],
    /// The names of files: text with tokens, such as `{wire}.{frame}`.
    pub names: &'a str,
    /// The folder, and what tokens stand for.
    pub folder: &'a Folder,
    /// Size of the images \[pixels\].
    pub size: Option<(u32, u32)>,
    /// Settings of the formats.
    pub settings: Settings,
}

/// The series of files that are requested; without a request the first Output.
///
/// # Errors
/// Wires that do not exist or that no chosen format can hold, and files with the same names.
pub fn items(
    requests: &[Request],
    choices: &Choices<'_>,
    document: &Document,
    graph: &Graph,
) -> Result<Vec<Item>, Problem> {
    let first;
    let requests = match requests {
        [] => {
            let output = graph.outputs().first().and_then(|output| graph.nodes.get(*output));
            let none = || Problem::new("", "", "the graph has no Output", "name the wires to export");
            let path = output.ok_or_else(none)?.path.clone();
            first = [Request::single(&path, None)];
            &first
        }
        requests => requests,
    };
    let mut items = Vec::new();
    for request in requests {
        items.extend(series(request, choices, document, graph)?);
    }
    match clash(&items) {
        Some((_, problem)) => Err(problem),
        None => Ok(items),
    }
}

/// The series of files of one request: one, or one for each of the chosen formats that can hold it.
///
/// # Errors
/// A wire that does not exist or that no chosen format can hold.
pub fn series(
    request: &Request,
    choices: &Choices<'_>,
    document: &Document,
    graph: &Graph,
) -> Result<Vec<Item>, Problem> {
    let found = all(request, document, graph)?;
    match (request.format, choices.formats) {
        (Some(format), _) => Ok(vec![item(request, &found, format, choices)?]),
        (None, []) => {
            let format = found.first().map_or(FORMATS.first(), |found| Some(default_for(found.kind())));
            let format = format.ok_or_else(|| unfit(request, &found, None))?;
            Ok(vec![item(request, &found, format, choices)?])
        }
        (None, formats) => {
            let fits = |format: &&&'static Format| kinds(&found, format).is_ok();
            let fitting: Vec<&'static Format> = formats.iter().filter(fits).copied().collect();
            if fitting.is_empty() {
                return Err(unfit(request, &found, formats.first().copied()));
            }
            fitting.into_iter().map(|format| item(request, &found, format, choices)).collect()
        }
    }
}

/// The first series that has the same files as one before it, by its position.
pub fn clash(items: &[Item]) -> Option<(usize, Problem)> {
    // What a whole sequence has goes by the format and the names.
    // Some systems ignore case.
    let folded = |item: &Item| portable::folded(&item.path(1).to_string_lossy());
    let name = |item: &Item| portable::folded(&item.folder.join(item.names.frame(1, "")).to_string_lossy());
    let same = |one: &Item, other: &Item| {
        folded(one) == folded(other) || (one.format == other.format && name(one) == name(other))
    };
    let (at, item) =
        items.iter().enumerate().find(|(at, item)| items.iter().take(*at).any(|other| same(item, other)))?;
    let cause = format!("two exports have the files {}", item.path(1).display());
    Some((at, Problem::new("", "", cause, "name one of them, NAME=WIRE, or use --name with {format}")))
}

/// What is wrong with options that none of the series has a use for, in one sentence: `given` are their names without dashes.
pub fn unused(items: &[Item], options: &[&str]) -> Option<String> {
    let used = |option: &str| items.iter().any(|item| members::applies(option, item.format, item.kind));
    let option = *options.iter().find(|option| !used(option))?;
    if option == "size" {
        return Some(
            "--size is for images, and none is exported: grids have the cells of their domains; leave it out".into(),
        );
    }
    let fits = |format: &&Format| format.takes.iter().any(|kind| members::applies(option, format, *kind));
    let formats: Vec<&str> = FORMATS.iter().filter(fits).map(|format| format.name).collect();
    let example = formats.first().copied().unwrap_or_default();
    Some(format!(
        "--{option} is for files of the format {}, and none is exported; leave it out, or name one, as in WIRE:{example}",
        formats.join(", ")
    ))
}

/// The formats that can hold the wires of a request, all in one file, in the order of [`FORMATS`].
///
/// # Errors
/// A wire that does not exist.
pub fn fitting(request: &Request, document: &Document, graph: &Graph) -> Result<Vec<&'static Format>, Problem> {
    let found = all(request, document, graph)?;
    let fits = |format: &&Format| (found.len() < 2 || format.joins) && kinds(&found, format).is_ok();
    Ok(FORMATS.iter().filter(fits).collect())
}

/// The format of a wire where none is chosen.
///
/// # Errors
/// A wire that does not exist.
pub fn usual_format(wire: &str, document: &Document, graph: &Graph) -> Result<&'static Format, Problem> {
    Ok(default_for(find(None, wire, document, graph)?.kind()))
}

/// The name of a wire in files, where none is given.
pub fn usual_name(wire: &str) -> &str {
    // A State is known by its own name.
    wire.strip_suffix(".value").unwrap_or(wire)
}

/// The wires of a request.
fn all(request: &Request, document: &Document, graph: &Graph) -> Result<Vec<SelectedWire>, Problem> {
    request.parts.iter().map(|part| find(part.name.as_deref(), &part.wire, document, graph)).collect()
}

/// A wire of a request.
pub(super) struct SelectedWire {
    /// Name of the wire in files.
    pub(super) name: String,
    unit: String,
    pub(super) wire: Wire,
}

pub(super) enum Wire {
    /// An Output, the wire that it shows, and the size of its image \[pixels\].
    Output(String, Option<String>, Option<(u32, u32)>),
    Carried(Carried),
    Number(Measurement),
}

pub(super) fn find(
    name: Option<&str>,
    text: &str,
    document: &Document,
    graph: &Graph,
) -> Result<SelectedWire, Problem> {
    let named = |default: &str| name.unwrap_or(default).to_string();
    let output = graph.outputs().into_iter().find(|id| graph.nodes.get(*id).is_some_and(|node| node.path == text));
    if let Some((id, node)) = output.and_then(|id| Some((id, graph.nodes.get(id)?))) {
        let wire = Wire::Output(node.path.clone(), graph.shown_by(id), graph.image_size(node));
        return Ok(SelectedWire { name: named(text), unit: String::new(), wire });
    }
    let path = text.split(['.', ':']).next().unwrap_or_default();
    let node = graph.node(path).and_then(|id| graph.nodes.get(id));
    if node.is_none() {
        graph.carried(path)?;
    }
    if let Some((_, end)) = text.rsplit_once(':')
        && Statistic::parse(end).is_none()
        && end.parse::<u32>().is_err()
    {
        let formats: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let statistics: Vec<&str> = Statistic::NAMED.iter().map(|(name, _)| *name).collect();
        let remedy = format!("the formats are {}; the statistics {}", formats.join(", "), statistics.join(", "));
        return Err(Problem::new(path, "", format!("`{end}` is neither a format nor a statistic"), remedy));
    }
    let number = node.is_some_and(|node| matches!(node.kind, graph::Kind::Number));
    if text.contains(':') || number {
        let measurement = Measurement::parse(text, document, graph)?;
        return Ok(SelectedWire { name: named(text), unit: String::new(), wire: Wire::Number(measurement) });
    }
    let carried = graph.carried(text)?;
    let short = usual_name(&carried.wire).to_string();
    let unit = carried.unit.clone();
    let wire = match carried.ty {
        WireType::Number(ValueType::Camera) | WireType::NeighborGrid => {
            let what = if carried.ty == WireType::NeighborGrid { "a neighbour grid" } else { "a camera" };
            let remedy = "name a grid, particles or a number";
            return Err(Problem::new(path, "", format!("`{text}` carries {what}, which no format holds"), remedy));
        }
        WireType::Number(_) => Wire::Number(Measurement::parse(&carried.wire, document, graph)?),
        _ => Wire::Carried(carried),
    };
    Ok(SelectedWire { name: named(&short), unit, wire })
}

impl SelectedWire {
    /// Kind of the wire.
    pub(super) fn kind(&self) -> Kind {
        match &self.wire {
            Wire::Output(..) => Kind::Image,
            Wire::Number(_) => Kind::Number,
            Wire::Carried(carried) if carried.ty == WireType::Particles => Kind::Particles,
            Wire::Carried(carried) if carried.dim == 3 => Kind::Grid3,
            Wire::Carried(_) => Kind::Grid2,
        }
    }

    /// What a format holds it as.
    fn as_kind(&self, format: &Format) -> Option<Kind> {
        format.takes.iter().copied().find(|kind| self.source(*kind, None).is_some())
    }

    /// Where the values come from when it is written as this; `None` where it can't be.
    fn source(&self, kind: Kind, size: Option<(u32, u32)>) -> Option<From> {
        Some(match (&self.wire, kind) {
            (Wire::Output(path, ..), Kind::Image) => From::Image(ExportSubject::Output(Some(path.clone()))),
            (Wire::Output(_, wire, output_size), Kind::Picture) => {
                From::Values(Source::Picture(wire.clone()?, size.or(*output_size)))
            }
            (Wire::Output(_, wire, _), Kind::Grid2) => From::Values(Source::Grid(wire.clone()?)),
            (Wire::Number(measurement), Kind::Number) => From::Values(Source::Number(measurement.clone())),
            (Wire::Carried(carried), Kind::Image) => {
                From::Image(ExportSubject::Wire(View { size, ..View::new(&carried.wire) }))
            }
            (Wire::Carried(carried), kind) => match (carried.ty, carried.dim, kind) {
                (WireType::Grid(ValueType::Vec4), 2, Kind::Picture) => {
                    From::Values(Source::Picture(carried.wire.clone(), size))
                }
                (WireType::Grid(_) | WireType::FaceGrid, 2, Kind::Grid2)
                | (WireType::Grid(_) | WireType::FaceGrid, 3, Kind::Grid3) => {
                    From::Values(Source::Grid(carried.wire.clone()))
                }
                (WireType::Grid(ValueType::F32), 3, Kind::Distance) => From::Values(Source::Grid(carried.wire.clone())),
                (WireType::Particles, _, Kind::Particles) => {
                    From::Values(Source::Particles(carried.wire.clone(), carried.attributes.clone()))
                }
                _ => return None,
            },
            _ => return None,
        })
    }
}

enum From {
    Image(ExportSubject),
    Values(Source),
}

/// The series of a request in a format.
fn item(
    request: &Request,
    found: &[SelectedWire],
    format: &'static Format,
    choices: &Choices<'_>,
) -> Result<Item, Problem> {
    if found.len() > 1 && !format.joins {
        let cause = format!("`{}`: {} files hold one value each", request, format.title);
        return Err(Problem::new(
            "",
            "",
            cause,
            "leave a space between the wires instead of +, or choose another format",
        ));
    }
    let mut subject = None;
    let mut parts = Vec::new();
    let mut kind = None;
    let kinds = kinds(found, format).map_err(|(one, beside)| match beside {
        None => unfit(request, std::slice::from_ref(one), Some(format)),
        Some(problem) => Problem::new("", "", format!("`{}`: {problem}", request), ""),
    })?;
    for (one, as_kind) in found.iter().zip(kinds) {
        kind = kind.or(Some(as_kind));
        match one.source(as_kind, choices.size) {
            Some(From::Image(image)) => subject = Some(image),
            Some(From::Values(source)) => parts.push(Part { name: one.name.clone(), unit: one.unit.clone(), source }),
            None => {}
        }
    }
    let (Some(kind), Some(first)) = (kind, found.first()) else { return Err(unfit(request, found, Some(format))) };
    let wire = request.parts.first().map_or("", |part| part.wire.as_str());
    let (folder, names) = choices
        .folder
        .series(choices.names, [&first.name, wire, format.name])
        .map_err(|cause| Problem::new("", "", format!("--name {}: {cause}", choices.names), ""))?;
    if let Some(problem) = members::clash(format, kind, &parts) {
        return Err(Problem::new("", "", format!("`{request}`: {problem}"), ""));
    }
    let subject = subject.unwrap_or(ExportSubject::Values(parts));
    Ok(Item { subject, format, kind, folder, names, settings: choices.settings })
}

/// What a format holds each value as; otherwise the first that it can't hold, with the reason where that is its name.
fn kinds<'f>(found: &'f [SelectedWire], format: &Format) -> Result<Vec<Kind>, (&'f SelectedWire, Option<String>)> {
    let kind = |(index, one): (usize, &'f SelectedWire)| {
        if index == 0 || format.beside.is_empty() {
            return one.as_kind(format).ok_or((one, None));
        }
        let name = one.name.rsplit('.').next().unwrap_or_default();
        let Some((name, kind)) = format.beside.iter().find(|(role, _)| *role == name) else {
            let roles: Vec<&str> = format.beside.iter().map(|(name, _)| *name).collect();
            let message = format!(
                "`{}` is none of what a {} can have beside its image; name it {}, as in motion=WIRE",
                plain(&one.name),
                format.name,
                roles.join(", ")
            );
            return Err((one, Some(message)));
        };
        let wanted = if *kind == Kind::Grid2 { "a grid of vectors in 2D" } else { "an image" };
        let message = || {
            (
                one,
                Some(format!(
                    "`{name}` has to be {wanted}; connect what the stages view/volume_motion, view/volume_normal or view/six_way give"
                )),
            )
        };
        one.source(*kind, None).map(|_| *kind).ok_or_else(message)
    };
    found.iter().enumerate().map(kind).collect()
}

/// The error of a wire that a format can't hold.
fn unfit(request: &Request, found: &[SelectedWire], format: Option<&Format>) -> Problem {
    let one = found.iter().find(|one| format.is_none_or(|format| one.as_kind(format).is_none())).or(found.first());
    let fits = |format: &&Format| one.is_none_or(|one| one.as_kind(format).is_some());
    let fitting: Vec<&str> = FORMATS.iter().filter(fits).map(|format| format.name).collect();
    let what = one.map_or(String::new(), |one| format!("`{}` is of {}", plain(&one.name), one.kind()));
    let cause = match format {
        Some(format) => format!("`{}`: {what}, which {} files can't hold", request, format.title),
        None => format!("`{}`: no format can hold it", request),
    };
    Problem::new("", "", cause, format!("choose one of the formats {}", fitting.join(", ")))
}
