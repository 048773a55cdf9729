//! Carries out commands, and the actions that panes ask for.

use eframe::egui::{self, ViewportCommand};

use super::dialog::Dialog;
use super::{Editor, own_window, tiles};
use crate::document::{Link, NodeKind};
use crate::edit::PasteInputs;
use crate::editor::commands::action::{self, Action, Actions};
use crate::editor::commands::command::{Command, MENUS};
use crate::editor::model::pane::Pane;
use crate::editor::model::session::Slot;
use crate::editor::model::structure;
use crate::editor::panes::canvas::{self, Canvas};
use crate::editor::panes::compare::Change;
use crate::editor::panes::files::Data;
use crate::editor::panes::find::{self, Place};
use crate::editor::panes::presets::PresetDialog;
use crate::editor::panes::timeline::{self, file_stem};
use crate::editor::panes::view::Overlays;
use crate::editor::panes::{help, inspector};
use crate::editor::toolkit::picker::{self, Picker};
use crate::editor::toolkit::theme;

/// How many frames the text of the clipboard may take to arrive.
const PASTE_FRAMES: u64 = 10;

/// A list to choose from: what its items stand for, the items, a hint, and how many are preferred.
pub(crate) type Listed = (Vec<String>, Vec<picker::Item>, &'static str, usize);

impl Editor {
    pub(crate) fn enabled(&self, command: Command) -> bool {
        let session = &self.session;
        let (some, own) = (!session.selection.nodes.is_empty(), session.editable());
        let one = session.selection.single();
        let kind = one.and_then(|name| session.nodes().get(name)).map(|node| &node.kind);
        match command {
            Command::Undo => session.history().can_undo(),
            Command::Redo => session.history().can_redo(),
            Command::Copy => some || session.selection.frame.is_some(),
            Command::Cut | Command::Delete | Command::Rename => (some || session.selection.frame.is_some()) && own,
            Command::FrameSelection | Command::Before | Command::After => some,
            Command::Bypass | Command::Duplicate | Command::Group => some && own,
            Command::Link => session.selection.nodes.len() > 1 && own,
            Command::Align(align) => session.selection.nodes.len() >= align.least() && own,
            Command::MakeLocalCopy => !own || matches!(kind, Some(NodeKind::Stage(_))),
            Command::ReplaceStage | Command::CompareStage => own && kind.is_some_and(|kind| kind.info().runs),
            Command::Ungroup => {
                own && one
                    .and_then(|name| session.nodes().get(name))
                    .is_some_and(|node| crate::edit::group_of(node, session.library()).is_some())
            }
            Command::Enter | Command::ViewOutput => kind.is_some(),
            Command::Leave => !session.scope().is_root(),
            Command::NextProblem | Command::PreviousProblem => session.problems().next().is_some(),
            Command::Paste | Command::PasteWithInputs | Command::AddNode | Command::FrameNodes | Command::Arrange => {
                own
            }
            Command::GoToBookmark(number) => session.document().bookmarks.contains_key(&number.to_string()),
            Command::SwitchSnapshot => Slot::BOTH.iter().any(|slot| session.stored_snapshot(*slot).is_some()),
            Command::StopSeek => self.player.target().is_some(),
            Command::StopLoading => session.loading().is_some(),
            Command::CancelDriver => session.is_driver_slow(),
            Command::LowerResolution => self.player.coarser(session).is_some(),
            Command::NextKey | Command::PreviousKey => !session.key_frames().is_empty(),
            Command::ChooseVariant => !session.document().variants.is_empty(),
            Command::RenameVariant | Command::RemoveVariant => session.variant().is_some(),
            Command::LoadAgain => session.can_load_again(),
            Command::PlayBakes => session.can_play_bakes(true),
            Command::RunLive => session.can_play_bakes(false),
            Command::Play | Command::Step | Command::Reset | Command::SaveCheckpoint => {
                session.running_simulation().is_some()
            }
            Command::StepBack | Command::FirstFrame => session.running_simulation().is_some_and(|s| s.frame() > 0),
            Command::LastFrame | Command::CutInput => timeline::frames_after(session) > 0,
            Command::KeepInput | Command::SaveInput | Command::ClearInput => timeline::has_input(session),
            Command::StepDispatch | Command::StepNode | Command::StepIteration => {
                session.running_simulation().is_some() && !session.is_entering_frame()
            }
            Command::DispatchBack => session.debugger().is_some_and(|debugger| debugger.position() > 0),
            Command::LeaveFrame => session.is_debugging(),
            Command::RunToNode => one.is_some() && !session.is_entering_frame(),
            Command::ToggleBreakpoint => one.is_some(),
            Command::FindFirstNan => session.is_computed() && !session.is_entering_frame(),
            _ => true,
        }
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
                Action::PinView(number) => self.pin(number),
                Action::OwnWindow(number) => self.toggle_own_window(number),
                Action::RefreshViews => {
                    self.stale = true;
                    self.player.refresh();
                }
                Action::SeekInFrame(position) => {
                    self.session.seek_in_frame(position);
                    self.stale = true;
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
                    let told = self.session.follow(&wire, index);
                    self.bring_up(Pane::Debugger);
                    told.err().into_iter().for_each(|sentence| self.notify(sentence, true));
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
                Action::Preset(wish) => self.preset = Some(PresetDialog::new(wish)),
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

    pub(crate) fn execute(&mut self, command: Command, ctx: &egui::Context) {
        if !self.enabled(command) {
            return;
        }
        // Every command applies to the text as it is on screen.
        self.panes.code.flush(&mut self.session);
        let (session, canvas) = (&mut self.session, &mut self.panes.canvas);
        let (mut told, mut actions) = (Ok(()), Actions::new());
        match command {
            Command::New => self.files.new_graph(ctx),
            Command::Open => self.files.open(ctx, session),
            Command::Save => self.save(ctx),
            Command::SaveAs => self.files.save_as(ctx, session),
            Command::Export => self.export.open(session, self.files.settings()),
            Command::Bake => self.bake.open(session),
            Command::PlayBakes => session.play_bakes(true),
            Command::RunLive => session.play_bakes(false),
            Command::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Command::Undo => session.undo(),
            Command::Redo => session.redo(),
            Command::Copy | Command::Cut => {
                if let Some(text) = canvas.copy(session) {
                    ctx.copy_text(text);
                }
                if command == Command::Cut {
                    canvas.delete(session);
                }
            }
            Command::Paste | Command::PasteWithInputs => {
                told = self.paste(ctx, command == Command::PasteWithInputs, &mut actions);
            }
            Command::Duplicate => told = canvas.duplicate(session),
            Command::Delete => canvas.delete(session),
            Command::SelectAll => session.selection.nodes = session.nodes().keys().cloned().collect(),
            Command::Find
            | Command::Commands
            | Command::ReplaceStage
            | Command::CompareStage
            | Command::ChooseVariant => {
                self.pick(command, ctx);
            }
            Command::StoreVariant | Command::RenameVariant | Command::RemoveVariant => self.execute_variant(command),
            Command::InsertKey => inspector::keys::ask(ctx),
            Command::NextKey | Command::PreviousKey => {
                timeline::go_to_key(&mut self.player, session, command == Command::NextKey);
            }
            Command::AutoKey => {
                let on = !session.auto_key();
                session.set_auto_key(on);
                self.remember(ctx);
                self.notify(format!("Auto-key is {}", if on { "on" } else { "off" }), false);
            }
            Command::AddNode => canvas.open_palette(ctx, session, canvas::pointer(ctx)),
            Command::Bypass => canvas.bypass(session),
            Command::NextProblem | Command::PreviousProblem => {
                actions = self.panes.problems.step(session, command == Command::NextProblem);
                self.bring_up(Pane::Problems);
            }
            Command::Rename => canvas.rename_selected(session),
            Command::Link => told = canvas.link_selected(session),
            Command::MakeLocalCopy => told = structure::make_local_copy(session),
            Command::Group => told = structure::group(session),
            Command::Ungroup => told = structure::ungroup(session),
            Command::Enter => {
                let name = session.selection.first().cloned().unwrap_or_default();
                session.enter(&name);
            }
            Command::Leave => session.open_level(session.scope().0.len().saturating_sub(1)),
            Command::FrameNodes => told = canvas.add_frame(session),
            Command::Before => actions.extend(canvas.select_neighbors(session, true)),
            Command::After => actions.extend(canvas.select_neighbors(session, false)),
            Command::Arrange => canvas.arrange(session),
            Command::Align(align) => canvas.align(session, align),
            Command::FrameAll => canvas.frame_all(),
            Command::FrameSelection => canvas.frame_selection(),
            Command::SetBookmark(number) => canvas.set_bookmark(session, number),
            Command::GoToBookmark(number) => {
                told = canvas.go_to_bookmark(session, number);
                self.bring_up(Pane::Graph);
            }
            Command::ToggleHeat => canvas.options.heat = !canvas.options.heat,
            Command::ToggleMinimap => canvas.options.minimap = !canvas.options.minimap,
            Command::StepBack
            | Command::FirstFrame
            | Command::LastFrame
            | Command::LoopStart
            | Command::LoopEnd
            | Command::Loop
            | Command::RealTime
            | Command::FromStart => timeline::execute(command, &mut self.player, session),
            Command::KeepInput => told = timeline::keep_input(session),
            Command::SaveInput => match timeline::recording(session) {
                Ok(text) => {
                    let name = format!("{}_input.ron", file_stem(session));
                    self.files.save_data(ctx, session, Data::text(name, "Recorded input", text));
                }
                Err(sentence) => told = Err(sentence),
            },
            Command::SaveCheckpoint => match timeline::checkpoint(session) {
                Ok(data) => self.files.save_data(ctx, session, data),
                Err(sentence) => told = Err(sentence),
            },
            Command::CutInput | Command::ClearInput | Command::ClearCheckpoints => {
                timeline::execute(command, &mut self.player, session)
            }
            Command::Play => {
                session.leave_frame();
                self.player.playing = !self.player.playing;
            }
            Command::Step => {
                session.leave_frame();
                self.player.step();
            }
            Command::StepDispatch
            | Command::StepNode
            | Command::StepIteration
            | Command::DispatchBack
            | Command::RunToNode
            | Command::LeaveFrame
            | Command::ToggleBreakpoint
            | Command::FindFirstNan => self.debug(command),
            Command::Slower => self.player.shift_speed(false),
            Command::Faster => self.player.shift_speed(true),
            Command::StopSeek => self.player.stay(),
            Command::StopLoading => session.stop_loading(),
            Command::CancelDriver => session.cancel_driver(),
            Command::LowerResolution => {
                if let Some(coarser) = self.player.coarser(session) {
                    session.edit("lower resolution", |document| crate::edit::coarsen(document, coarser.halvings));
                    session.end_gesture();
                }
            }
            Command::LoadAgain => session.load_again(),
            Command::Reset => {
                session.reset();
                self.player.stay();
                self.player.refresh();
            }
            Command::ViewOutput => actions.extend(canvas.output_of_selected(session).map(Action::ViewWire)),
            Command::ToggleThumbnails => self.toggle_thumbnails(),
            Command::Pin => self.pin(0),
            Command::FitImage => self.views.values_mut().for_each(|view| view.framing().fit()),
            Command::ActualSize => self.views.values_mut().for_each(|view| view.framing().actual_size()),
            Command::ToggleHandles => self.overlay(|overlays| &mut overlays.handles),
            Command::ToggleRuler => self.overlay(|overlays| &mut overlays.ruler.on),
            Command::ResetPanes => {
                self.tiles = tiles::arrangement();
                self.windows.clear();
                // Pinned views have no place in it.
                self.views.retain(|number, _| *number == 0);
                self.player.refresh();
            }
            Command::DarkTheme => self.choose_theme(ctx, egui::Theme::Dark),
            Command::LightTheme => self.choose_theme(ctx, egui::Theme::Light),
            Command::StoreA => self.store_snapshot(Slot::A),
            Command::StoreB => self.store_snapshot(Slot::B),
            Command::SwitchSnapshot => told = session.switch_snapshot().map(drop),
            Command::History => self.open_dialog(Dialog::History),
            Command::Preferences => self.open_dialog(Dialog::Preferences),
            Command::About => self.open_dialog(Dialog::About),
            Command::MaximizePane => self.maximize_pane(),
            Command::OwnWindow => self.toggle_own_window(self.pointed_view()),
            Command::FullScreen => {
                let full = ctx.input(|input| input.viewport().fullscreen.unwrap_or(false));
                ctx.send_viewport_cmd(ViewportCommand::Fullscreen(!full));
            }
            Command::NodeHelp | Command::GettingStarted | Command::StageLanguage | Command::Shortcuts => {
                self.help_with(command, ctx);
            }
            Command::ShowGraph
            | Command::ShowView
            | Command::ShowInspector
            | Command::ShowCode
            | Command::ShowPlan
            | Command::ShowProblems
            | Command::ShowVariations
            | Command::ShowSweep
            | Command::ShowCurves
            | Command::ShowDebugger
            | Command::ShowPlots
            | Command::ShowCompare => {
                if let Some(pane) = command.pane() {
                    self.bring_up(pane);
                }
                if command == Command::ShowView && self.windows.contains_key(&0) {
                    own_window::focus(ctx, 0);
                }
            }
        }
        actions.extend(told.err().map(Action::Tell));
        self.carry_out(actions, ctx);
    }

    /// Shows the help pane at what the command is about: the word at the caret of the code, the selected node, or the manual.
    fn help_with(&mut self, command: Command, ctx: &egui::Context) {
        let heading = self.panes.code.heading(ctx).filter(|_| command == Command::NodeHelp);
        let node = self.session.selection.single().and_then(|name| self.session.nodes().get(name)).cloned();
        match (command, heading, node) {
            (Command::NodeHelp, Some(heading), _) => self.panes.help.open(help::LANGUAGE, &heading),
            (Command::NodeHelp, None, Some(node)) => self.panes.help.open_node(&node, self.session.library()),
            (Command::StageLanguage, ..) => self.panes.help.open(help::LANGUAGE, ""),
            (Command::Shortcuts, ..) => self.panes.help.open_shortcuts(),
            _ => self.panes.help.open(help::MANUAL, ""),
        }
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
        let pane = self.pointed.filter(|pane| !away.contains(pane)).unwrap_or(first);
        match tiles::is_maximized(&self.tiles, &away) {
            true => tiles::show_all_but(&mut self.tiles, &away),
            false => tiles::maximize(&mut self.tiles, pane),
        }
    }

    fn store_snapshot(&mut self, slot: Slot) {
        self.session.store_snapshot(slot);
        self.notify(format!("Stored snapshot {}", slot.name()), false);
    }

    fn choose_theme(&mut self, ctx: &egui::Context, theme: egui::Theme) {
        ctx.set_theme(theme);
        self.remember(ctx);
    }

    pub(crate) fn toggle_thumbnails(&mut self) {
        self.thumbnails = !self.thumbnails;
        self.panes.canvas.thumbnails.clear();
        self.player.refresh();
    }

    /// Selects a node, and points out the row of its parameter.
    fn go_to_place(&mut self, place: &Place, ctx: &egui::Context) {
        let path = match place {
            Place::Node(path) => path,
            Place::Param(path, param) => {
                self.bring_up(Pane::Inspector);
                inspector::point_out(ctx, path, param);
                path
            }
        };
        let reveal = action::go_to(&mut self.session, path);
        self.carry_out(Vec::from_iter(reveal), ctx);
    }

    /// Pastes the clipboard. If its text did not arrive with the key press, it is requested from the system.
    fn paste(&mut self, ctx: &egui::Context, with_inputs: bool, actions: &mut Actions) -> Result<(), String> {
        let text = ctx.input(|input| {
            let mut events = input.events.iter();
            events.find_map(|event| if let egui::Event::Paste(text) = event { Some(text.clone()) } else { None })
        });
        let Some(text) = text else {
            let command = if with_inputs { Command::PasteWithInputs } else { Command::Paste };
            self.pasting = Some((command, ctx.cumulative_pass_nr()));
            ctx.send_viewport_cmd(ViewportCommand::RequestPaste);
            return Ok(());
        };
        let inputs = if with_inputs { PasteInputs::Keep } else { PasteInputs::Drop };
        self.panes.canvas.paste(&mut self.session, &text, canvas::pointer(ctx), inputs, actions)
    }

    /// The command that has requested the text of the clipboard, once it arrives. Its keys may not be those of the event.
    pub(crate) fn arrived_paste(&mut self, ctx: &egui::Context) -> Option<Command> {
        let (command, requested) = self.pasting?;
        let arrived = ctx.input(|input| input.events.iter().any(|event| matches!(event, egui::Event::Paste(_))));
        // An empty clipboard answers nothing.
        if arrived || ctx.cumulative_pass_nr() > requested + PASTE_FRAMES {
            self.pasting = None;
        }
        arrived.then_some(command)
    }

    /// Opens a list to choose from.
    fn pick(&mut self, purpose: Command, ctx: &egui::Context) {
        let at = ctx.content_rect().center_top() + egui::vec2(-160.0, 90.0);
        let look = theme::look(ctx);
        let (keys, items, hint, preferred) = match purpose {
            Command::Find => {
                let (places, items) = find::places(&self.session, look);
                (places, items, "Find node or parameter", 0)
            }
            Command::ReplaceStage | Command::CompareStage => {
                let (names, items, fitting) = Canvas::stages_to_choose(&self.session, look);
                let hint = if purpose == Command::ReplaceStage { "Replace node" } else { "Compare with" };
                (names, items, hint, fitting)
            }
            Command::ChooseVariant => self.variants_to_choose(),
            _ => (Vec::new(), self.commands_to_find(ctx), "Find command", 0),
        };
        self.picker = Some((purpose, keys, Picker::new(at, hint, items).preferring(preferred)));
    }

    fn commands_to_find(&self, ctx: &egui::Context) -> Vec<picker::Item> {
        let menus = MENUS.iter().flat_map(|(menu, commands)| commands.iter().map(move |command| (menu, *command)));
        let item = |(menu, command): (&&str, Command)| picker::Item {
            title: command.label().trim_end_matches('…').into(),
            group: menu.to_string(),
            words: String::new(),
            note: command.shortcut_text(ctx),
            doc: String::new(),
            color: None,
            enabled: self.enabled(command),
        };
        menus.map(item).collect()
    }

    /// Shows the open list and carries out what was chosen.
    pub(crate) fn show_picker(&mut self, ctx: &egui::Context) {
        let Some((purpose, keys, picker)) = &mut self.picker else { return };
        let (purpose, index) = match picker.show(ctx) {
            picker::Answer::Open => return,
            picker::Answer::Closed => {
                self.picker = None;
                return;
            }
            picker::Answer::Chosen(index) => (*purpose, index),
        };
        let key = keys.get(index).cloned().unwrap_or_default();
        self.picker = None;
        match purpose {
            Command::Find => self.go_to_place(&Place::parse(&key), ctx),
            Command::ChooseVariant => self.choose_listed_variant(&key),
            Command::CompareStage => {
                let (scope, node) = (self.session.scope().clone(), self.session.selection.first().cloned());
                if let Some(node) = node {
                    self.panes.compare.compare_with(Change::Replaced { scope, node, stage: key });
                    self.bring_up(Pane::Compare);
                }
            }
            Command::ReplaceStage => {
                let told = self.panes.canvas.replace_stage(&mut self.session, &key);
                if let Err(sentence) = told {
                    self.notify(sentence, true);
                }
            }
            _ => {
                if let Some(command) = Command::all().nth(index) {
                    self.execute(command, ctx);
                }
            }
        }
    }

    /// Saves the document, or the stage file that is being edited.
    fn save(&mut self, ctx: &egui::Context) {
        match self.panes.code.focused_file(ctx) {
            Some(path) => self.files.save_stage(&mut self.session, path),
            None => self.files.save(ctx, &mut self.session),
        }
    }
}
