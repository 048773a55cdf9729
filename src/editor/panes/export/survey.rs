//! What the graph has to export, and what the chosen settings make of it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use eframe::egui;

use crate::background::answer;
use crate::document::{Document, ExportPreset};
use crate::export::estimate;
use crate::export::job::{Export, Item};
use crate::export::place::{ExportPlace, Folder, Version};
use crate::export::preset;
use crate::export::select::{self, Request};
use crate::export::settings::{self, Setting};
use crate::export::sink::{Format, Kind};
use crate::export::wires::{Exportable, exportable};
use crate::graph::outputs::fitted;
use crate::graph::{Graph, partial};
use crate::model::session::Session;
use crate::problem::Problems;

/// A graph with the wires that can be exported.
pub(super) struct SurveyedGraph {
    document: Document,
    graph: Graph,
    pub wires: Vec<Exportable>,
}

impl SurveyedGraph {
    /// The first Output.
    pub(super) fn output(&self) -> Option<&Exportable> {
        self.wires.iter().find(|wire| wire.kind == Kind::Image)
    }

    /// A wire in its usual format.
    pub(super) fn request(&self, wire: &str) -> Request {
        Request::single(wire, select::usual_format(wire, &self.document, &self.graph).ok())
    }

    /// Whether the format of a request can hold its wires.
    pub(super) fn fits(&self, request: &Request) -> bool {
        let fitting = select::fitting(request, &self.document, &self.graph).unwrap_or_default();
        request.format.is_some_and(|format| fitting.contains(&format))
    }

    /// The size of an Output's image \[pixels\]: of the first one that rows name, or else of the first one.
    fn image_size(&self, rows: &[Request]) -> Option<(u32, u32)> {
        let outputs = self.graph.outputs().into_iter().filter_map(|id| self.graph.nodes.get(id));
        let named = |path: &str| rows.iter().flat_map(|row| &row.parts).any(|part| part.wire == path);
        let mut outputs: Vec<_> = outputs.collect();
        outputs.sort_by_key(|node| !named(&node.path));
        outputs.first().and_then(|node| self.graph.image_size(node))
    }
}

/// The graph is built on a thread of its own, again after each edit.
#[derive(Default)]
pub(super) struct Survey {
    /// The revision that is being built, and its result.
    building: Option<(u64, Receiver<Result<SurveyedGraph, Problems>>)>,
    revision: Option<u64>,
    /// The last graph that could be built.
    found: Option<Arc<SurveyedGraph>>,
    /// Why the present one can't be built.
    pub broken: bool,
}

impl Survey {
    /// The newest graph that is known. `None` until the first one is built, and where none can be.
    pub(super) fn poll(&mut self, ctx: &egui::Context, session: &Session) -> Option<Arc<SurveyedGraph>> {
        if let Some((revision, answer)) = &self.building
            && let Ok(found) = answer.try_recv()
        {
            self.revision = Some(*revision);
            self.broken = found.is_err();
            self.found = found.ok().map(Arc::new).or(self.found.take());
            self.building = None;
        }
        let present = session.revision();
        if self.building.is_none() && self.revision != Some(present) {
            let document = session.document().clone();
            let library = session.library().clone();
            let wake = ctx.clone();
            let build = move || {
                let build = |document: &Document| Ok((document.clone(), Graph::build(document, &library)?));
                partial::build_needed(&document, build).map(|((document, graph), _)| {
                    let wires = exportable(&document, &graph);
                    SurveyedGraph { document, graph, wires }
                })
            };
            self.building = Some((present, answer("export wires", move || wake.request_repaint(), build)));
        }
        self.found.clone()
    }

    /// Whether the result of the present graph is still to come.
    pub(super) fn is_busy(&self) -> bool {
        self.building.is_some() || self.revision.is_none()
    }
}

/// A row of the dialog.
pub(super) struct Row {
    /// The series, or what is wrong with the row.
    pub items: Result<Vec<Item>, String>,
    /// Formats that can hold its wires.
    pub formats: Vec<&'static Format>,
    /// The names of its files in one line.
    pub names: String,
}

/// What the settings make.
pub(super) struct Resolved {
    rows_of: Vec<Request>,
    preset: ExportPreset,
    place: ExportPlace,
    found: Arc<SurveyedGraph>,
    pub rows: Vec<Row>,
    pub export: Export,
    /// The export into the newest folder, where the name of the folder has a version.
    pub newest: Option<Export>,
    /// What is wrong with the name of the folder.
    pub folder_error: Option<String>,
    /// Settings that some of the chosen formats have.
    pub settings: Vec<Setting>,
    /// Size of the files \[bytes a frame\].
    pub frame_bytes: f64,
    /// Size of the Outputs' images, if there are images among the files \[pixels\].
    pub image_size: Option<(u32, u32)>,
    /// The size that keeps the aspect ratio, if the chosen one does not.
    pub fitting: Option<(u32, u32)>,
}

impl Resolved {
    /// Computed once for the same settings and graph.
    pub(super) fn cached<'a>(
        cached: &'a mut Option<Resolved>,
        rows: &[Request],
        preset: &ExportPreset,
        place: &ExportPlace,
        found: &Arc<SurveyedGraph>,
    ) -> &'a Resolved {
        let same = |resolved: &Resolved| {
            resolved.rows_of == rows
                && resolved.preset == *preset
                && resolved.place == *place
                && Arc::ptr_eq(&resolved.found, found)
        };
        if !cached.as_ref().is_some_and(same) {
            *cached = None;
        }
        cached.get_or_insert_with(|| Resolved::new(rows, preset, place, found))
    }

    fn new(requests: &[Request], preset: &ExportPreset, place: &ExportPlace, found: &Arc<SurveyedGraph>) -> Resolved {
        let SurveyedGraph { document, graph, .. } = found.as_ref();
        let whole = ExportPreset { what: requests.iter().map(Request::to_string).collect(), ..preset.clone() };
        let range = preset.frames.0..=preset.frames.1;
        let folder = place.resolve(&preset.folder, &range);
        let folder_error = folder.as_ref().err().cloned();
        let folder = folder.unwrap_or_else(|_| Folder::plain(&place.folder, &place.graph));
        let series = preset::rows(&whole, &folder, document, graph);
        let export = |items: Vec<Item>| preset::export(&whole, items, &folder, document);
        let rows = requests.iter().zip(series).map(|(request, items)| Row {
            formats: select::fitting(request, document, graph).unwrap_or_default(),
            names: items.as_ref().map_or_else(|_| String::new(), |items| export(items.clone()).names()),
            items: items.map_err(|problem| settings::in_dialog(&problem.to_string())),
        });
        let rows: Vec<Row> = rows.collect();
        let items: Vec<Item> = rows.iter().filter_map(|row| row.items.as_ref().ok()).flatten().cloned().collect();
        let pictures = items.iter().any(|item| matches!(item.kind, Kind::Image | Kind::Picture));
        let image_size = found.image_size(requests).filter(|_| pictures);
        let fitting = image_size.zip(preset.size).map(|(size, chosen)| (chosen, fitted(chosen, size)));
        let last = ExportPlace { version: Version::Newest, ..place.clone() };
        let newest = last.resolve(&preset.folder, &range).ok().filter(|last| *last != folder).map(|last| {
            let rows = preset::rows(&whole, &last, document, graph);
            preset::export(&whole, rows.into_iter().flatten().flatten().collect(), &last, document)
        });
        let of_formats = |setting: &&Setting| {
            items.iter().any(|item| settings::of_format(item.format).contains(setting)) && **setting != settings::EVERY
        };
        Resolved {
            rows_of: requests.to_vec(),
            preset: preset.clone(),
            place: place.clone(),
            found: found.clone(),
            frame_bytes: items.iter().map(|item| estimate::frame_bytes(item, preset.size, graph)).sum(),
            settings: settings::SETTINGS.iter().filter(of_formats).copied().collect(),
            image_size,
            fitting: fitting.filter(|(chosen, fits)| chosen != fits).map(|(_, fits)| fits),
            export: export(items),
            newest,
            folder_error,
            rows,
        }
    }

    /// The export that may have been interrupted.
    pub(super) fn resumable(&self) -> &Export {
        self.newest.as_ref().unwrap_or(&self.export)
    }

    /// Whether there are values of wires among the files.
    pub(super) fn has_values(&self) -> bool {
        self.export.items.iter().any(|item| !matches!(item.kind, Kind::Image | Kind::Picture))
    }

    /// Whether each row can be written.
    pub(super) fn is_valid(&self) -> bool {
        self.folder_error.is_none() && !self.rows.is_empty() && self.rows.iter().all(|row| row.items.is_ok())
    }
}
