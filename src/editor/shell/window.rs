//! The window around the editor. When its graphics device is lost (a driver that was reset, a GPU that was unplugged, a laptop
//! that slept), its window is lost too. The editor moves into a new one.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use eframe::egui::{self, Ui, ViewportCommand};
use eframe::egui_wgpu;

use super::{Editor, Folders, Source};
use crate::gpu;
use crate::model::device::device_setup;
use crate::model::disk;
use crate::model::names::display_name;
use crate::sim::checkpoint::CheckpointFile;

/// How many devices may be lost within [`WITHIN`], so that a graph that always loses its device is not run for ever.
const MAX_LOSSES: usize = 4;
const WITHIN: Duration = Duration::from_secs(60);

/// The size of a new window, for which graphs are laid out \[points\]. On a smaller screen it is that of the screen.
const SIZE: [f32; 2] = [1600.0, 1000.0];

/// Holds the editor of a window after the window has closed for any reason.
type EditorSlot = Rc<RefCell<Option<Editor>>>;

/// Opens the window, with a graph file or a shipped graph, and returns when it is closed. `stages` is a folder of
/// the user; by default it is `stages` beside the graph. The simulation starts from the checkpoint in the file `at`, and waits.
///
/// # Errors
/// Why there is no window, in one sentence.
pub fn run(file: Option<PathBuf>, stages: Option<PathBuf>, at: Option<PathBuf>) -> Result<(), String> {
    let at = at.map(|path| CheckpointFile::open(&path)).transpose().map_err(|error| error.to_string())?;
    let source = file.map_or_else(first, Source::File);
    let slot = EditorSlot::default();
    let mut result = open(&slot, move |context| {
        let mut editor = Editor::new(context, source, stages, Folders::of_user())?;
        if let Some(checkpoint) = at {
            editor.start_at(checkpoint);
        }
        Ok(editor)
    });
    let mut losses = VecDeque::new();
    loop {
        let Some(mut editor) = slot.take().filter(|editor| editor.session.gpu().is_lost()) else {
            return result.unwrap_or_else(|panic| resume_unwind(panic));
        };
        losses.push_back(Instant::now());
        losses.retain(|loss| loss.elapsed() < WITHIN);
        if losses.len() > MAX_LOSSES {
            // Unsaved changes are offered at the next start.
            let many = format!("the graphics device was lost {} times within a minute", losses.len());
            return Err(format!("{many}; lower the resolution of the graph or update the driver"));
        }
        result = open(&slot, move |context| editor.attach(context).map(|()| editor));
    }
}

type Panic = Box<dyn std::any::Any + Send>;

/// Opens a window and returns when it is closed; its editor is then in the slot. A device that is lost while egui draws causes a
/// panic in egui, which is returned.
fn open(
    slot: &EditorSlot,
    editor: impl FnOnce(&eframe::CreationContext<'_>) -> Result<Editor, String>,
) -> Result<Result<(), String>, Panic> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id("stagewright")
            .with_title("Stagewright")
            .with_inner_size(SIZE)
            .with_clamp_size_to_monitor_size(true)
            .with_min_inner_size([820.0, 520.0])
            .with_drag_and_drop(true),
        wgpu_options: egui_wgpu::WgpuConfiguration { wgpu_setup: device_setup().into(), ..Default::default() },
        ..Default::default()
    };
    let slot = slot.clone();
    let create: eframe::AppCreator<'_> = Box::new(move |context| {
        let editor = editor(context)?;
        if let Some(folder) = crate::tune::cache_folder() {
            editor.session.gpu().keep_pipelines(&folder.join("pipelines"));
        }
        Ok(Box::new(Window { editor: Some(editor), slot, lose: injected_loss() }))
    });
    catch_unwind(AssertUnwindSafe(|| {
        eframe::run_native("stagewright", options, create).map_err(|error| sentence(&error))
    }))
}

/// What eframe owns.
struct Window {
    editor: Option<Editor>,
    slot: EditorSlot,
    /// For tests: after what time the device is destroyed, and when it was created.
    lose: Option<(Duration, Instant)>,
}

impl Drop for Window {
    fn drop(&mut self) {
        *self.slot.borrow_mut() = self.editor.take();
    }
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        if let Some(editor) = &mut self.editor {
            editor.logic(ctx, frame);
        }
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        if let Some(editor) = &mut self.editor {
            if self.lose.is_some_and(|(after, since)| since.elapsed() > after) {
                self.lose = None;
                editor.session.gpu().destroy();
            }
            editor.ui(ui, frame);
        }
    }
}

/// In debug builds, `STAGEWRIGHT_LOSE_DEVICE` sets after how many seconds every window loses its device, to test recovery.
fn injected_loss() -> Option<(Duration, Instant)> {
    let text = std::env::var("STAGEWRIGHT_LOSE_DEVICE").ok().filter(|_| cfg!(debug_assertions))?;
    Some((Duration::try_from_secs_f64(text.parse().ok()?).ok()?, Instant::now()))
}

/// Why no window opens, and what works without one.
fn sentence(error: &eframe::Error) -> String {
    match error {
        eframe::Error::Wgpu(cause) => {
            // It may end in an empty list of adapters.
            let cause = cause.to_string();
            let cause = cause.trim_end_matches("{}").trim_end_matches([' ', ':', ',', '.']);
            format!("{}; {cause}", gpu::GpuError::NoAdapter)
        }
        eframe::Error::AppCreation(cause) => cause.to_string(),
        other => {
            // The text before that is a place in the source of the window library.
            let text = other.to_string();
            let cause = text.rsplit(": ").next().unwrap_or_default().trim_end_matches('.');
            format!("no window can be opened: {cause}; `stagewright render` works without one")
        }
    }
}

fn first() -> Source {
    let shipped = PathBuf::from(format!("graphs/{}.ron", disk::FIRST));
    if shipped.is_file() { Source::File(shipped) } else { Source::Example(disk::FIRST.to_string()) }
}

/// Makes the system's allocator keep memory that a frame frees for the next one. glibc returns free memory at the end of its heap to
/// the system above twice the largest block that was ever mapped alone and freed (`mallopt(3)`, `M_MMAP_THRESHOLD`), so every frame
/// would map its triangles again, page by page. Blocks above 32 MiB do not count. Other allocators just allocate and free a block.
pub(crate) fn keep_memory() {
    const LARGE: usize = 31 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
}

impl Editor {
    /// Shows the name of the graph in the title of the window.
    pub(crate) fn retitle(&mut self, ctx: &egui::Context) {
        let mark = if self.session.unsaved() { "● " } else { "" };
        let title = format!("{mark}{} — Stagewright", display_name(&self.session));
        if title != self.host.title {
            self.host.title = title;
            ctx.send_viewport_cmd(ViewportCommand::Title(self.host.title.clone()));
        }
    }
}
