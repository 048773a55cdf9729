//! Files that are dropped on the window.

use std::path::Path;

use super::tasks::Dropping;
use super::{Event, Files};
use crate::document::{FileSource, Node, NodeKind};
use crate::files::{MAX_STAGE, read};
use crate::formats::{self, extension, reader_of};
use crate::model::disk::Source;
use crate::model::disk_work::Errand;
use crate::model::session::Session;

impl Files {
    /// Handles a file that was dropped on the window: a graph is opened, a stage or a shape becomes a node.
    pub(crate) fn drop_in(&mut self, session: &mut Session, path: &Path) {
        let errand = match extension(path).as_str() {
            "ron" => return self.load(session, Source::File(path.to_path_buf())),
            "wgsl" => {
                let path = path.to_path_buf();
                Errand::start(move || match read::text(&path, MAX_STAGE) {
                    Ok(text) => Ok(NodeKind::Custom(text)),
                    Err(e) => Err(format!("{} can't be read: {e}", path.display())),
                })
            }
            _ if reader_of(path).is_some() => {
                let (path, graph) = (path.to_path_buf(), session.path().map(Path::to_path_buf));
                Errand::start(move || Ok(NodeKind::File(FileSource::new(from_folder_of(graph.as_deref(), &path)))))
            }
            _ => {
                let path = path.display();
                let accepted = concat!(
                    "drop a graph (.ron), a stage (.wgsl), a mesh (",
                    formats::meshes!(),
                    "), an image (",
                    formats::images!(),
                    "), a grid (",
                    formats::grids!(),
                    "), particles (",
                    formats::particles!(),
                    "), a sound (.wav) or a table (.csv)"
                );
                return self.events.push(Event::Failed(format!("{path} has an unsupported type; {accepted}")));
            }
        };
        self.dropping.push(Dropping { path: path.to_path_buf(), errand });
        self.poll_dropping();
    }

    /// Makes nodes of what was read.
    pub(super) fn poll_dropping(&mut self) {
        let Files { dropping, events, .. } = self;
        dropping.retain_mut(|Dropping { path, errand }| {
            let Some(result) = errand.result() else {
                if errand.is_newly_slow() {
                    events.push(Event::Opening(path.clone()));
                }
                return true;
            };
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let failed = |cause| Err(format!("{} can't be read: {cause}", path.display()));
            events.push(match result.unwrap_or_else(failed) {
                Ok(kind) => Event::Dropped(name, Box::new(Node { kind, ..Node::default() })),
                Err(sentence) => Event::Failed(sentence),
            });
            false
        });
    }
}

/// A file's path as a graph names it: from the graph's folder, so that both can be moved together, if the file is beneath it.
fn from_folder_of(graph: Option<&Path>, path: &Path) -> String {
    let folder = graph.and_then(Path::parent).and_then(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        std::fs::canonicalize(folder).ok()
    });
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = folder.and_then(|folder| whole.strip_prefix(folder).ok()).unwrap_or(path);
    beside.display().to_string()
}
