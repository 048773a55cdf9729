//! Carries out commands, and the actions that panes ask for.

use eframe::egui::{self, ViewportCommand};

use super::dialog_stack::Dialog;
use super::open_list::Pick;
use super::{Editor, own_window, tiles};
use crate::commands::action::{self, Action, Actions};
use crate::commands::command::Command;
use crate::commands::table::commands;
use crate::document::{Link, NodeKind};
use crate::edit::{self, PasteInputs};
use crate::model::alignment::Align;
use crate::model::grouping;
use crate::model::pane::Pane;
use crate::model::session::{FrameStep, SnapshotSlot};
use crate::panes::files::Data;
use crate::panes::plan_pane::KernelText;
use crate::panes::presets::PresetDialog;
use crate::panes::timeline::{self, file_stem, has_input as has_live_input};
use crate::panes::variants::Naming;
use crate::panes::view::Overlays;
use crate::panes::{canvas, help, inspector};
use crate::sim::Simulation;

/// How many frames the text of the clipboard may take to arrive.
const PASTE_FRAMES: u64 = 10;

macro_rules! functions {
    ($(menu $menu:literal { $($name:ident: $title:literal, [$($modifiers:ident $key:ident),*], $enabled:expr => $run:expr;)* })*) => {
        impl Editor {
            pub(crate) fn enabled(&self, command: Command) -> bool {
                let enabled: fn(&Editor) -> bool = match command {
                    $($(Command::$name => $enabled,)*)*
                };
                enabled(self)
            }

            fn run(&mut self, command: Command, ctx: &egui::Context) -> Result<Actions, String> {
                match command {
                    $($(Command::$name => call(self, ctx, $run),)*)*
                }
            }
        }
    };
}

commands!(functions);

/// What a command of the table may return: nothing, what panes or the window are to do, or an error.
trait Outcome {
    fn actions(self) -> Result<Actions, String>;
}

impl Outcome for () {
    fn actions(self) -> Result<Actions, String> {
        Ok(Actions::new())
    }
}

impl Outcome for Result<(), String> {
    fn actions(self) -> Result<Actions, String> {
        self.map(|()| Actions::new())
    }
}

impl Outcome for Option<Action> {
    fn actions(self) -> Result<Actions, String> {
        Ok(self.into_iter().collect())
    }
}

impl Outcome for Actions {
    fn actions(self) -> Result<Actions, String> {
        Ok(self)
    }
}

impl Outcome for Result<Actions, String> {
    fn actions(self) -> Result<Actions, String> {
        self
    }
}

fn call<T: Outcome>(
    editor: &mut Editor,
    ctx: &egui::Context,
    run: impl FnOnce(&mut Editor, &egui::Context) -> T,
) -> Result<Actions, String> {
    run(editor, ctx).actions()
}

// When commands of the table are enabled.

fn always(_: &Editor) -> bool {
    true
}

fn editable(editor: &Editor) -> bool {
    editor.session.editable()
}

/// Nodes are selected.
fn nodes(editor: &Editor) -> bool {
    !editor.session.selection.nodes.is_empty()
}

fn nodes_editable(editor: &Editor) -> bool {
    nodes(editor) && editable(editor)
}

/// Nodes or a comment frame are selected.
fn selection(editor: &Editor) -> bool {
    nodes(editor) || editor.session.selection.frame.is_some()
}

fn selection_editable(editor: &Editor) -> bool {
    selection(editor) && editable(editor)
}

fn two_nodes_editable(editor: &Editor) -> bool {
    editor.session.selection.nodes.len() > 1 && editable(editor)
}

fn alignable(editor: &Editor, align: Align) -> bool {
    editor.session.selection.nodes.len() >= align.least() && editable(editor)
}

/// One name is selected.
fn one_name(editor: &Editor) -> bool {
    editor.session.selection.single().is_some()
}

/// Kind of the only selected node.
fn kind(editor: &Editor) -> Option<&NodeKind> {
    let name = editor.session.selection.single()?;
    editor.session.nodes().get(name).map(|node| &node.kind)
}

fn one_node(editor: &Editor) -> bool {
    kind(editor).is_some()
}

fn replaceable(editor: &Editor) -> bool {
    editable(editor) && kind(editor).is_some_and(|kind| kind.info().runs)
}

fn copyable(editor: &Editor) -> bool {
    !editable(editor) || matches!(kind(editor), Some(NodeKind::Stage(_)))
}

fn group_editable(editor: &Editor) -> bool {
    let session = &editor.session;
    let node = session.selection.single().and_then(|name| session.nodes().get(name));
    editable(editor) && node.is_some_and(|node| edit::group_of(node, session.library()).is_some())
}

fn any_snapshot(editor: &Editor) -> bool {
    SnapshotSlot::BOTH.iter().any(|slot| editor.session.stored_snapshot(*slot).is_some())
}

fn has_bookmark(editor: &Editor, number: u8) -> bool {
    editor.session.document().bookmarks.contains_key(&number.to_string())
}

fn has_variant(editor: &Editor) -> bool {
    editor.session.variant().is_some()
}

fn has_keys(editor: &Editor) -> bool {
    !editor.session.key_frames().is_empty()
}

fn has_problems(editor: &Editor) -> bool {
    editor.session.problems().next().is_some()
}

fn has_input(editor: &Editor) -> bool {
    has_live_input(&editor.session)
}

/// A simulation runs.
fn runs(editor: &Editor) -> bool {
    editor.session.running_simulation().is_some()
}

fn past_start(editor: &Editor) -> bool {
    editor.session.running_simulation().is_some_and(|simulation| simulation.frame() > 0)
}

fn before_end(editor: &Editor) -> bool {
    timeline::frames_after(&editor.session) > 0
}

fn steps(editor: &Editor) -> bool {
    runs(editor) && !editor.session.is_entering_frame()
}

/// The debugger stands within a frame, behind its first dispatch.
fn in_frame(editor: &Editor) -> bool {
    editor.session.debugger().is_some_and(|debugger| debugger.position() > 0)
}

impl Editor {
    /// Carries out a command that is enabled.
    pub(crate) fn execute(&mut self, command: Command, ctx: &egui::Context) {
        if !self.enabled(command) {
            return;
        }
        // Every command applies to the text as it is on screen.
        self.panes.code.flush(&mut self.session);
        let actions = self.run(command, ctx).unwrap_or_else(|sentence| vec![Action::Tell(sentence)]);
        self.carry_out(actions, ctx);
    }

    /// Carries out what panes have asked for.
    pub(crate) fn carry_out(&mut self, actions: Actions, ctx: &egui::Context) {
        for action in actions {
            match action {
                Action::Run(command) => self.execute(command, ctx),
                Action::Reveal => self.panes.canvas.reveal(),
                Action::GoToNode(path) => {
                    let reveal = action::go_to(&mut self.session, &path);
                    self.carry_out(Vec::from_iter(reveal), ctx);
                }
                Action::ViewWire(link) => self.view_wire(&link),
                Action::ShowCode(place) => {
                    self.bring_up(Pane::Code);
                    self.panes.code.show_place(place);
                }
                Action::ShowShared(name, place) => {
                    self.bring_up(Pane::Code);
                    self.panes.code.show_shared(&name, place);
                }
                Action::PinView(number) => self.pin(number),
                Action::OwnWindow(number) => self.toggle_own_window(number),
                Action::RefreshViews => {
                    self.shown.stale = true;
                    self.player.refresh();
                }
                Action::ShowKernel(kernel) => {
                    let plan = self.session.running_simulation().map(Simulation::plan);
                    if let Some(kernel) = plan.and_then(|plan| plan.kernels.get(kernel)) {
                        let text = KernelText::new(kernel);
                        self.open_dialog(Dialog::Kernel(text));
                    }
                }
                Action::SeekInFrame(position) => {
                    self.session.seek_in_frame(position);
                    self.shown.stale = true;
                }
                Action::PickElement { wire, cell, index } => {
                    self.session.pick_element(&wire, cell, index);
                    self.bring_up(Pane::Debugger);
                }
                Action::FollowParticle { .. } if self.player.playing => {
                    // The index under the pointer is that of an earlier frame.
                    self.player.playing = false;
                    self.notify("Paused. Shift+click again to follow a particle".into(), false);
                }
                Action::FollowParticle { wire, index } => {
                    let result = self.session.follow(&wire, index);
                    self.bring_up(Pane::Debugger);
                    result.err().into_iter().for_each(|sentence| self.notify(sentence, true));
                }
                Action::GoToFrame(frame) => {
                    self.player.playing = false;
                    self.player.go_to(frame);
                }
                Action::ShowLanguage(heading) => {
                    self.panes.help.open(help::LANGUAGE, &heading);
                    self.bring_up(Pane::Help);
                }
                Action::SaveStage(path) => self.files.save_stage(&mut self.session, path),
                Action::SaveTable { name, text } => {
                    let data = Data::text(format!("{name}.csv"), "Table", text);
                    self.files.save_data(ctx, &self.session, data);
                }
                Action::CompareFile => self.files.ask_to_compare(ctx, &self.session),
                Action::AllowFiles => self.files.allow(&mut self.session),
                Action::ShowSnapshot(slot) => {
                    self.panes.code.flush(&mut self.session);
                    self.session.show_snapshot(slot);
                }
                Action::Preset(wish) => self.open_dialog(Dialog::Preset(PresetDialog::new(wish))),
                Action::Tell(text) => self.notify(text, true),
            }
        }
    }

    /// Shows a wire of the open level in the first view.
    fn view_wire(&mut self, link: &Link) {
        let Some(wire) = self.session.wire_path(link) else {
            self.notify(format!("`{link}` is not connected yet, so there is nothing to view"), false);
            return;
        };
        self.view_path(&wire);
    }

    /// Shows a wire in the first view, by its whole path.
    pub(crate) fn view_path(&mut self, wire: &str) {
        self.bring_up(Pane::View(0));
        let field = self.session.field(wire);
        if let Some(view) = self.views.get_mut(&0) {
            view.see(wire);
            view.overlays().suit(field);
        }
        self.player.refresh();
    }

    /// Copies the selection as text.
    fn copy(&self, ctx: &egui::Context) {
        if let Some(text) = self.panes.canvas.copy(&self.session) {
            ctx.copy_text(text);
        }
    }

    /// Pastes the clipboard. If its text did not arrive with the key press, it is requested from the system.
    fn paste(&mut self, ctx: &egui::Context, inputs: PasteInputs) -> Result<Actions, String> {
        let text = ctx.input(|input| {
            let mut events = input.events.iter();
            events.find_map(|event| if let egui::Event::Paste(text) = event { Some(text.clone()) } else { None })
        });
        let Some(text) = text else {
            let keep = matches!(inputs, PasteInputs::Keep);
            let command = if keep { Command::PasteWithInputs } else { Command::Paste };
            self.keyboard.pasting = Some((command, ctx.cumulative_pass_nr()));
            ctx.send_viewport_cmd(ViewportCommand::RequestPaste);
            return Ok(Actions::new());
        };
        let mut actions = Actions::new();
        self.panes.canvas.paste(&mut self.session, &text, canvas::pointer(ctx), inputs, &mut actions)?;
        Ok(actions)
    }

    /// The command that has requested the text of the clipboard, once it arrives. Its keys may not be those of the event.
    pub(crate) fn arrived_paste(&mut self, ctx: &egui::Context) -> Option<Command> {
        let (command, requested) = self.keyboard.pasting?;
        let arrived = ctx.input(|input| input.events.iter().any(|event| matches!(event, egui::Event::Paste(_))));
        // An empty clipboard answers nothing.
        if arrived || ctx.cumulative_pass_nr() > requested + PASTE_FRAMES {
            self.keyboard.pasting = None;
        }
        arrived.then_some(command)
    }

    fn align(&mut self, align: Align) {
        self.panes.canvas.align(&mut self.session, align);
    }

    fn go_to_bookmark(&mut self, number: u8) -> Result<(), String> {
        let result = self.panes.canvas.go_to_bookmark(&mut self.session, number);
        self.bring_up(Pane::Graph);
        result
    }

    /// Shows the next or the previous problem.
    fn go_to_problem(&mut self, next: bool) -> Actions {
        let actions = self.panes.problems.step(&mut self.session, next);
        self.bring_up(Pane::Problems);
        actions
    }

    fn toggle_auto_key(&mut self, ctx: &egui::Context) {
        let on = !self.session.auto_key();
        self.session.set_auto_key(on);
        self.remember(ctx);
        self.notify(format!("Auto-key is {}", if on { "on" } else { "off" }), false);
    }

    fn reset(&mut self) {
        self.session.reset();
        self.player.stay();
        self.player.refresh();
    }

    fn lower_resolution(&mut self) {
        if let Some(coarser) = self.player.coarser(&self.session) {
            self.session.edit("lower resolution", |document| edit::coarsen(document, coarser.halvings));
            self.session.end_gesture();
        }
    }

    fn save_checkpoint(&mut self, ctx: &egui::Context) -> Result<(), String> {
        let data = timeline::checkpoint(&self.session)?;
        self.files.save_data(ctx, &self.session, data);
        Ok(())
    }

    fn save_input(&mut self, ctx: &egui::Context) -> Result<(), String> {
        let text = timeline::recording(&self.session)?;
        let name = format!("{}_input.ron", file_stem(&self.session));
        self.files.save_data(ctx, &self.session, Data::text(name, "Recorded input", text));
        Ok(())
    }

    fn show_first_view(&mut self, ctx: &egui::Context) {
        self.bring_up(Pane::View(0));
        if self.layout.windows.contains_key(&0) {
            own_window::focus(ctx, 0);
        }
    }

    fn reset_panes(&mut self) {
        self.layout.tiles = tiles::arrangement();
        self.layout.windows.clear();
        // Pinned views have no place in it.
        self.views.retain(|number, _| *number == 0);
        self.player.refresh();
    }

    /// Shows help about the word at the caret of the code, about the selected node, or the manual.
    fn explain(&mut self, ctx: &egui::Context) {
        let node = self.session.selection.single().and_then(|name| self.session.nodes().get(name));
        match (self.panes.code.heading(ctx), node) {
            (Some(heading), _) => self.panes.help.open(help::LANGUAGE, &heading),
            (None, Some(node)) => self.panes.help.open_node(node, self.session.library()),
            (None, None) => self.panes.help.open(help::MANUAL, ""),
        }
        self.bring_up(Pane::Help);
    }

    fn read_manual(&mut self, manual: &'static str) {
        self.panes.help.open(manual, "");
        self.bring_up(Pane::Help);
    }

    /// Shows or hides an overlay in all views.
    fn overlay(&mut self, which: impl Fn(&mut Overlays) -> &mut bool) {
        let shown = self.views.values_mut().next().is_some_and(|view| *which(view.overlays()));
        self.views.values_mut().for_each(|view| *which(view.overlays()) = !shown);
    }

    /// Shows the pane under the pointer alone, or all panes again.
    fn maximize_pane(&mut self) {
        let away = self.away();
        let first = if away.contains(&Pane::View(0)) { Pane::Graph } else { Pane::View(0) };
        let pane = self.layout.pointed.filter(|pane| !away.contains(pane)).unwrap_or(first);
        match tiles::is_maximized(&self.layout.tiles, &away) {
            true => tiles::show_all_but(&mut self.layout.tiles, &away),
            false => tiles::maximize(&mut self.layout.tiles, pane),
        }
    }

    fn store_snapshot(&mut self, slot: SnapshotSlot) {
        self.session.store_snapshot(slot);
        self.notify(format!("Stored snapshot {}", slot.name()), false);
    }

    fn choose_theme(&mut self, ctx: &egui::Context, theme: egui::Theme) {
        ctx.set_theme(theme);
        self.remember(ctx);
    }

    pub(crate) fn toggle_thumbnails(&mut self) {
        self.thumbnails.shown = !self.thumbnails.shown;
        self.panes.canvas.thumbnails.clear();
        self.player.refresh();
    }

    /// Saves the document, or the stage file that is being edited.
    fn save(&mut self, ctx: &egui::Context) {
        match self.panes.code.focused_file(ctx) {
            Some(path) => self.files.save_stage(&mut self.session, path),
            None => self.files.save(ctx, &mut self.session),
        }
    }
}
