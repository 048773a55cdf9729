//! A person at the editor: what they see by its accessible name, what they do with pointer and keys.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use eframe::egui::accesskit::Role;
use eframe::egui::{
    DroppedFile, Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, TouchPhase, Vec2, pos2,
};
use egui_kittest::kittest::{NodeT, Queryable};
use egui_kittest::{Harness, Node};
use stagewright_editor::{Editor, Folders, Source, device_setup};
use stagewright_language::document::{Document, ParamValue};
use stagewright_runtime::gpu;
use stagewright_runtime::sim::checkpoint::CheckpointFile;

use crate::renderer::Renderer;

/// How long anything may take that other threads do.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Where a window of the usual size has all nodes of [`SMOKE`] in sight with their names.
pub const WINDOW: Vec2 = Vec2::new(2000.0, 1300.0);

/// Smoke that rises; small, so that it costs little, and with a group of the library and a stage of its own.
pub const SMOKE: &str = r#"(
    version: 1,
    name: "Smoke",
    fps: 60,
    nodes: {
        "domain": (domain: (resolution: (32, 32), width: 1, edge: "wall"), at: (0, 0)),
        "velocity": (state: "Grid<Vec>", inputs: {"next": "project.velocity"}, at: (0, 160)),
        "jet": (stage: "fluid/force_emitter", inputs: {"velocity": "velocity.value"}, params: {"center": (0.5, 0.2), "jet": (0, 1.5), "radius": 0.1, "rate": 20}, at: (260, 160)),
        "viscosity": (stage: "fluid/diffuse", inputs: {"before": "jet.velocity", "field": "jet.velocity"}, params: {"diffusivity": 0.0001}, iterations: 4, at: (520, 160)),
        "advect": (stage: "fluid/advect_maccormack", inputs: {"field": "viscosity.field", "velocity": "viscosity.field"}, at: (780, 160)),
        "divergence": (stage: "fluid/divergence", inputs: {"velocity": "advect.result"}, at: (260, 360)),
        "pressure": (stage: "fluid/pressure_sor", inputs: {"divergence": "divergence.divergence"}, iterations: 8, at: (520, 360)),
        "project": (stage: "fluid/project", inputs: {"pressure": "pressure.pressure", "velocity": "advect.result"}, at: (780, 360)),
        "density": (state: "Grid<f32>", inputs: {"next": "carried.result"}, at: (0, 560)),
        "smoke": (stage: "fluid/add_source", inputs: {"field": "density.value"}, params: {"center": (0.5, 0.2), "radius": 0.1, "rate": 5}, at: (260, 560)),
        "fade": (custom: r"//! Fade
//! @inout field: Grid<f32> = 1   What fades
//! @param rate: f32 = 0.01   How fast

fn stage(cell: Cell) -> f32 {
    return field(cell) * (1.0 - params.rate);
}
", inputs: {"field": "smoke.field"}, at: (520, 560)),
        "carried": (stage: "fluid/advect", inputs: {"field": "fade.field", "velocity": "project.velocity"}, at: (780, 560)),
        "look": (stage: "view/color_map", inputs: {"field": "carried.result"}, at: (260, 760)),
        "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}, at: (520, 760)),
    },
)"#;

/// A folder of its own for each bench, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stagewright-editor-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a widget is, what it is called, and where it is.
#[derive(Clone, Debug)]
pub struct Seen {
    pub role: Role,
    pub name: String,
    pub rect: Rect,
}

/// What a node of the screen is, unless it has no place.
fn seen(node: &Node<'_>) -> Option<Seen> {
    let widget = node.accesskit_node();
    widget.bounding_box()?;
    let text = if widget.role() == Role::Label { widget.value() } else { None };
    let name = widget.label().or(text).unwrap_or_default();
    Some(Seen { role: widget.role(), name, rect: node.rect() })
}

pub struct Bench {
    pub harness: Harness<'static, Editor>,
    /// Removed with the bench.
    pub folder: Folder,
    time: f64,
    /// The last to be dropped.
    pub driver: Driver,
}

/// Waits for shaders that the driver still compiles for an editor that is gone: a test that ends before them crashes in the driver.
pub struct Driver;

impl Drop for Driver {
    fn drop(&mut self) {
        gpu::wait_for_pipelines(Duration::from_secs(60));
    }
}

impl Bench {
    /// An editor with [`SMOKE`], compiled.
    pub fn smoke() -> Bench {
        let mut bench = Bench::from_text(SMOKE, WINDOW);
        bench.compiled();
        assert_eq!(bench.problems(), Vec::<String>::new());
        bench
    }

    /// An editor with nothing in it.
    pub fn empty(size: Vec2) -> Bench {
        Bench::open(Source::Empty, size)
    }

    /// An editor with a graph that ships.
    pub fn shipped(name: &str, size: Vec2) -> Bench {
        Bench::open(Source::Example(name.into()), size)
    }

    /// An editor with the graph of this text.
    pub fn from_text(text: &str, size: Vec2) -> Bench {
        let folder = Folder::new();
        let path = folder.path().join("graph.ron");
        std::fs::write(&path, text).unwrap();
        Bench::with(folder, Source::File(path), size)
    }

    /// Saves, and waits for the disk.
    pub fn save(&mut self) {
        self.ctrl(Key::S);
        self.until("the file", |bench| !bench.editor().saving());
        self.rest();
    }

    /// Drops files of the graph's folder on the window, all at once.
    pub fn drop_files(&mut self, names: &[&str]) {
        for name in names {
            let path = Some(self.folder.path().join(name));
            self.harness.input_mut().dropped_files.push(DroppedFile { path, ..DroppedFile::default() });
        }
        self.rest();
    }

    /// Saves the graph and opens its file once more, by dropping it on the window.
    pub fn reopen(&mut self) {
        self.save();
        self.drop_files(&["graph.ron"]);
        self.until("the graph", |bench| !bench.editor().opening());
        self.rest();
    }

    /// Makes egui forget the glyphs that it has drawn at any zoom, as it does by itself when they fill its texture.
    pub fn forget_glyphs(&mut self) {
        for hinting in [false, true] {
            self.harness.ctx.all_styles_mut(|style| style.visuals.text_options.font_hinting = hinting);
            self.rest();
        }
    }

    fn open(source: Source, size: Vec2) -> Bench {
        Bench::with(Folder::new(), source, size)
    }

    /// The folder of settings, recovery and, where it is in a file, the graph.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// An editor in a folder that may hold things already.
    pub fn with(folder: Folder, source: Source, size: Vec2) -> Bench {
        Bench::start(folder, source, size, None)
    }

    /// The same, where the simulation starts from a checkpoint.
    pub fn start(folder: Folder, source: Source, size: Vec2, at: Option<CheckpointFile>) -> Bench {
        let folders =
            Folders { settings: Some(folder.path().join("settings")), recovery: Some(folder.path().join("recovery")) };
        // Nobody is new here: the hints of a first start would lie over what is to be pressed.
        let settings = folder.path().join("settings");
        std::fs::create_dir_all(&settings).unwrap();
        if !settings.join("settings.ron").exists() {
            std::fs::write(settings.join("settings.ron"), "(hints: [0, 1, 2])").unwrap();
        }
        let harness =
            Harness::builder().with_size(size).with_max_steps(1).renderer(Renderer::new(device_setup())).build_eframe(
                move |context| {
                    let mut editor = Editor::new(context, source, None, folders).unwrap();
                    at.into_iter().for_each(|checkpoint| editor.start_at(checkpoint));
                    editor
                },
            );
        let mut bench = Bench { harness, folder, time: 10.0, driver: Driver };
        bench.rest();
        bench
    }

    pub fn editor(&self) -> &Editor {
        self.harness.state()
    }

    pub fn document(&self) -> &Document {
        self.editor().document()
    }

    /// The plan that runs, as text with its WGSL.
    pub fn plan(&self) -> String {
        self.editor().simulation().map(|s| s.plan().to_text_with_wgsl()).unwrap_or_default()
    }

    /// What is wrong, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.editor().problems().map(ToString::to_string).collect()
    }

    /// One frame of the window, 20 ms after the last.
    pub fn frame(&mut self, events: Vec<Event>, modifiers: Modifiers) {
        self.time += 0.02;
        let input = self.harness.input_mut();
        input.time = Some(self.time);
        input.modifiers = modifiers;
        input.events.extend(events);
        self.harness.step();
    }

    fn frames(&mut self, count: usize) {
        (0..count).for_each(|_| self.frame(Vec::new(), Modifiers::NONE));
    }

    /// A moment without doing anything, so that the next click is one of its own.
    pub fn rest(&mut self) {
        self.time += 0.5;
        self.frames(2);
    }

    /// Waits for what other threads do.
    #[track_caller]
    pub fn until(&mut self, what: &str, mut there: impl FnMut(&Bench) -> bool) {
        let since = Instant::now();
        while !there(self) {
            if since.elapsed() >= TIMEOUT {
                let names: Vec<String> = self.seen().into_iter().map(|seen| seen.name).collect();
                panic!("{what} does not come; {:?}; on the screen: {names:?}", self.problems());
            }
            std::thread::sleep(Duration::from_millis(5));
            self.frames(1);
        }
    }

    /// Waits until the graph as it is runs, or is known not to.
    #[track_caller]
    pub fn compiled(&mut self) {
        self.until("a plan", |bench| !bench.editor().compiling());
        self.frames(1);
    }

    pub fn pointer_button(&mut self, pos: Pos2, button: PointerButton, pressed: bool, modifiers: Modifiers) {
        self.frame(vec![Event::PointerButton { pos, button, pressed, modifiers }], modifiers);
    }

    pub fn hover(&mut self, at: Pos2) {
        self.frame(vec![Event::PointerMoved(at)], Modifiers::NONE);
    }

    pub fn click_with(&mut self, at: Pos2, button: PointerButton, modifiers: Modifiers) {
        self.frame(vec![Event::PointerMoved(at)], modifiers);
        self.pointer_button(at, button, true, modifiers);
        self.pointer_button(at, button, false, modifiers);
        self.rest();
    }

    pub fn click(&mut self, at: Pos2) {
        self.click_with(at, PointerButton::Primary, Modifiers::NONE);
    }

    pub fn double_click(&mut self, at: Pos2) {
        self.hover(at);
        for pressed in [true, false, true, false] {
            self.pointer_button(at, PointerButton::Primary, pressed, Modifiers::NONE);
        }
        self.rest();
    }

    pub fn drag_with(&mut self, from: Pos2, to: Pos2, button: PointerButton, modifiers: Modifiers) {
        self.frame(vec![Event::PointerMoved(from)], modifiers);
        self.pointer_button(from, button, true, modifiers);
        for step in 1..=4 {
            self.frame(vec![Event::PointerMoved(from.lerp(to, step as f32 / 4.0))], modifiers);
        }
        self.frame(Vec::new(), modifiers);
        self.pointer_button(to, button, false, modifiers);
        self.rest();
    }

    pub fn drag(&mut self, from: Pos2, to: Pos2) {
        self.drag_with(from, to, PointerButton::Primary, Modifiers::NONE);
    }

    /// Drags from one thing on the screen to another.
    #[track_caller]
    pub fn connect(&mut self, from: &str, to: &str) {
        let (from, to) = (self.position_of(from), self.position_of(to));
        self.drag(from, to);
    }

    pub fn wheel(&mut self, at: Pos2, delta: Vec2) {
        self.hover(at);
        let unit = MouseWheelUnit::Point;
        let phase = TouchPhase::Move;
        let modifiers = Modifiers::NONE;
        self.frame(vec![Event::MouseWheel { unit, delta, phase, modifiers }], modifiers);
        self.rest();
    }

    pub fn key(&mut self, key: Key) {
        self.key_with(Modifiers::NONE, key);
    }

    pub fn key_with(&mut self, modifiers: Modifiers, key: Key) {
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        self.frame(vec![event(true), event(false)], modifiers);
        self.frames(1);
    }

    pub fn ctrl(&mut self, key: Key) {
        self.key_with(Modifiers::COMMAND | Modifiers::CTRL, key);
    }

    /// Ctrl+Z, in one frame.
    pub fn undo(&mut self) {
        self.at_once(Key::Z);
    }

    /// Ctrl+Y, in one frame.
    pub fn redo(&mut self) {
        self.at_once(Key::Y);
    }

    fn at_once(&mut self, key: Key) {
        let modifiers = Modifiers::COMMAND | Modifiers::CTRL;
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        self.frame(vec![event(true), event(false)], modifiers);
    }

    pub fn write(&mut self, text: &str) {
        self.frame(vec![Event::Text(text.into())], Modifiers::NONE);
    }

    /// Types over all that the field at hand holds, and Enter.
    pub fn overwrite(&mut self, text: &str) {
        self.ctrl(Key::A);
        self.write(text);
        self.key(Key::Enter);
        self.rest();
    }

    /// Ctrl+C, as the system's window layer reports it. Returns what the clipboard holds then.
    pub fn copy(&mut self) -> String {
        self.frame(vec![Event::Copy], Modifiers::NONE);
        let commands = &self.harness.output().platform_output.commands;
        let text = commands.iter().find_map(|command| match command {
            eframe::egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        text.unwrap_or_default()
    }

    /// Ctrl+V, or Ctrl+Shift+V, with the pointer where the nodes go.
    pub fn paste(&mut self, text: &str, at: Pos2, modifiers: Modifiers) {
        self.hover(at);
        self.frame(vec![Event::Paste(text.into())], modifiers);
        self.rest();
    }

    /// Everything on the screen that has a name or can be used.
    pub fn seen(&self) -> Vec<Seen> {
        self.harness.root().children_recursive().filter_map(|node| seen(&node)).collect()
    }

    /// The dialog that is open: its own place, and all that is in it.
    pub fn dialog(&self) -> Option<(Rect, Vec<Seen>)> {
        let mut windows = self.harness.root().children_recursive();
        let window = windows.find(|node| node.accesskit_node().role() == Role::Window)?;
        Some((window.rect(), window.children_recursive().filter_map(|node| seen(&node)).collect()))
    }

    pub fn find(&self, name: &str) -> Option<Rect> {
        self.harness.query_all_by_label(name).next().map(|node| node.rect())
    }

    /// The middle of what has this name.
    #[track_caller]
    pub fn position_of(&self, name: &str) -> Pos2 {
        let found = self.find(name);
        found.unwrap_or_else(|| panic!("there is no `{name}` on the screen")).center()
    }

    /// Where nodes and wires are.
    pub fn canvas(&self) -> Rect {
        self.find("canvas").expect("the canvas")
    }

    #[track_caller]
    pub fn press(&mut self, name: &str) {
        let mut at = self.position_of(name);
        // What arrives from other threads moves the layout.
        for _ in 0..20 {
            self.hover(at);
            if std::mem::replace(&mut at, self.position_of(name)) == at {
                break;
            }
        }
        self.click(at);
    }

    /// Chooses an entry of a menu.
    #[track_caller]
    pub fn menu(&mut self, title: &str, entry: &str) {
        self.press(title);
        let entries = self.seen();
        let found = entries.iter().find(|seen| seen.role == Role::Button && seen.name.starts_with(entry));
        let at = found.unwrap_or_else(|| panic!("there is no `{entry}` in the menu {title}")).rect.center();
        self.click(at);
    }

    /// Adds a node by typing the name of its stage, with its corner at a place of the canvas.
    pub fn add(&mut self, stage: &str, at: Pos2) -> String {
        self.hover(at);
        self.key(Key::Tab);
        self.write(stage);
        self.frames(1);
        self.key(Key::Enter);
        self.rest();
        self.selected()
    }

    /// The one node that is selected.
    #[track_caller]
    pub fn selected(&self) -> String {
        let selection: Vec<&String> = self.editor().selection().iter().collect();
        assert_eq!(selection.len(), 1, "one node is selected");
        selection[0].clone()
    }

    /// Gives the selected node another name.
    pub fn rename(&mut self, name: &str) {
        self.key(Key::F2);
        self.overwrite(name);
    }

    /// Selects a node by a click on its title.
    #[track_caller]
    pub fn select(&mut self, node: &str) {
        let at = self.title(node);
        self.click(at);
    }

    /// The middle of a wire, which is where the pointer takes it.
    #[track_caller]
    pub fn wire(&self, from: &str, to: &str) -> Pos2 {
        self.position_of(&format!("output {from}")).lerp(self.position_of(&format!("input {to}")), 0.5)
    }

    /// A place of the canvas where nothing is: its lower right corner.
    pub fn ground(&self) -> Pos2 {
        self.canvas().max - Vec2::new(40.0, 40.0)
    }

    /// What an input reads.
    pub fn link(&self, node: &str, port: &str) -> Option<String> {
        self.document().nodes.get(node)?.inputs.get(port).map(ToString::to_string)
    }

    /// Dispatches of a frame of the plan that runs.
    pub fn dispatches(&self) -> usize {
        self.editor().simulation().map_or(0, |s| s.plan().frame.len())
    }

    /// Frames that were computed since the start.
    pub fn computed(&self) -> u64 {
        self.editor().simulation().map_or(0, |s| s.frame())
    }

    /// Waits for frames to be computed.
    #[track_caller]
    pub fn plays(&mut self) {
        let before = self.computed();
        self.until("another frame", |bench| bench.computed() > before + 1);
    }

    /// A place on a node that no widget lies on: the left of its title.
    #[track_caller]
    pub fn title(&self, node: &str) -> Pos2 {
        let name = format!("node {node}");
        let rect = self.find(&name).unwrap_or_else(|| panic!("there is no `{name}` on the screen"));
        pos2(rect.left() + 0.25 * rect.width(), rect.center().y)
    }

    /// The widget of the inspector for a field, of this role. The one place that knows what the inspector calls them.
    fn field(&self, name: &str, role: Role) -> Option<Pos2> {
        let seen = self.seen();
        let called = |seen: &&Seen| seen.role == role && (seen.name == format!("param {name}") || seen.name == name);
        seen.iter().find(called).map(|seen| seen.rect.center())
    }

    #[track_caller]
    fn part(&self, name: &str, role: Role) -> Pos2 {
        self.field(name, role).unwrap_or_else(|| panic!("the inspector has no {role:?} `{name}`"))
    }

    /// Types a number over the bar of a field of the inspector.
    #[track_caller]
    pub fn set_number(&mut self, name: &str, value: f64) {
        let at = self.part(name, Role::Slider);
        self.double_click(at);
        self.overwrite(&value.to_string());
    }

    /// Types into a field of the inspector.
    #[track_caller]
    pub fn set_text(&mut self, name: &str, text: &str) {
        let at = self.part(name, Role::TextInput);
        self.click(at);
        self.overwrite(text);
    }

    /// Sets or clears a check box of the inspector.
    #[track_caller]
    pub fn toggle(&mut self, name: &str) {
        let at = self.part(name, Role::CheckBox);
        self.click(at);
    }

    /// Chooses an item of a list of the inspector.
    #[track_caller]
    pub fn choose(&mut self, name: &str, item: &str) {
        let list = self.part(name, Role::ComboBox);
        self.click(list);
        let items = self.seen();
        let found = items.iter().rfind(|seen| seen.role == Role::Button && seen.name == item);
        let at = found.unwrap_or_else(|| panic!("`{item}` is not in the list of `{name}`")).rect.center();
        self.click(at);
    }

    /// Changes between a constant and an expression.
    #[track_caller]
    fn function(&mut self, name: &str) {
        self.press(&format!("expression {name}"));
    }

    /// Gives a parameter a value by its widgets.
    #[track_caller]
    pub fn set(&mut self, name: &str, value: &ParamValue) {
        match value {
            ParamValue::Number(number) => self.set_number(name, *number),
            ParamValue::Bool(_) => self.toggle(name),
            // A vector typed as an expression, and made a constant again.
            ParamValue::Vector(parts) => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                self.set_expression(name, &format!("[{}]", parts.join(", ")));
                self.function(name);
            }
            ParamValue::Expression(text) => self.set_expression(name, text),
            drawn => panic!("{drawn} is drawn, not typed"),
        }
    }

    #[track_caller]
    fn set_expression(&mut self, name: &str, text: &str) {
        if self.field(name, Role::TextInput).is_none() {
            self.function(name);
        }
        self.set_text(name, text);
    }
}
