//! The table of all commands, in the order of the menus. A row says a command's name, its title and the submenu before
//! `>`, its keys, when it is enabled, and what it does; a title that ends with `…` opens something to type into or to
//! answer. The macro is expanded twice: [`command`](super::command) takes names, titles and keys, which panes need for
//! their buttons, and the window takes the functions, which need the panes.

macro_rules! commands {
    ($take:ident) => {
        $take! {
            menu "File" {
                New: "New…", [CTRL N], always => |editor, ctx| editor.files.new_graph(ctx);
                Open: "Open…", [CTRL O], always => |editor, ctx| editor.files.open(ctx, &editor.session);
                Save: "Save", [CTRL S], always => |editor, ctx| editor.save(ctx);
                SaveAs: "Save as…", [CTRL_SHIFT S], always => |editor, ctx| editor.files.save_as(ctx, &editor.session);
                SaveCheckpoint: "Save checkpoint…", [], runs => |editor, ctx| editor.save_checkpoint(ctx);
                Export: "Export…", [CTRL E], always => |editor, _| editor.open_dialog(Dialog::Export);
                Bake: "Bake…", [], always => |editor, _| editor.open_dialog(Dialog::Bake);
                Quit: "Quit", [CTRL Q], always => |_, ctx| ctx.send_viewport_cmd(ViewportCommand::Close);
            }
            menu "Edit" {
                Undo: "Undo", [CTRL Z], |editor| editor.session.history().can_undo()
                    => |editor, _| editor.session.undo();
                Redo: "Redo", [CTRL_SHIFT Z, CTRL Y], |editor| editor.session.history().can_redo()
                    => |editor, _| editor.session.redo();
                History: "History…", [ALT H], always => |editor, _| editor.open_dialog(Dialog::History);
                StoreA: "Store snapshot A", [ALT A], always => |editor, _| editor.store_snapshot(SnapshotSlot::A);
                StoreB: "Store snapshot B", [ALT B], always => |editor, _| editor.store_snapshot(SnapshotSlot::B);
                SwitchSnapshot: "Switch A/B", [NONE Q], any_snapshot
                    => |editor, _| editor.session.switch_snapshot().map(drop);
                Cut: "Cut", [CTRL X], selection_editable
                    => |editor, ctx| { editor.copy(ctx); editor.panes.canvas.delete(&mut editor.session) };
                Copy: "Copy", [CTRL C], selection => |editor, ctx| editor.copy(ctx);
                Paste: "Paste", [CTRL V], editable => |editor, ctx| editor.paste(ctx, PasteInputs::Drop);
                PasteWithInputs: "Paste with inputs", [CTRL_SHIFT V], editable
                    => |editor, ctx| editor.paste(ctx, PasteInputs::Keep);
                Duplicate: "Duplicate", [CTRL D, SHIFT D], nodes_editable
                    => |editor, _| editor.panes.canvas.duplicate(&mut editor.session);
                Delete: "Delete", [NONE Delete, NONE Backspace, NONE X], selection_editable
                    => |editor, _| editor.panes.canvas.delete(&mut editor.session);
                SelectAll: "Select all", [CTRL A], always
                    => |editor, _| editor.session.selection.nodes = editor.session.nodes().keys().cloned().collect();
                Find: "Find node or parameter…", [CTRL F], always => |editor, ctx| editor.pick(Pick::Place, ctx);
                Commands: "Find command…", [CTRL P, NONE F3], always => |editor, ctx| editor.pick(Pick::Command, ctx);
                Preferences: "Preferences…", [CTRL Comma], always
                    => |editor, _| editor.open_dialog(Dialog::Preferences);
            }
            menu "Graph" {
                AddNode: "Add node…", [NONE Tab, SHIFT A], editable
                    => |editor, ctx| editor.panes.canvas.open_palette(ctx, &mut editor.session, canvas::pointer(ctx));
                Link: "Connect selected nodes", [NONE W], two_nodes_editable
                    => |editor, _| editor.panes.canvas.link_selected(&mut editor.session);
                Bypass: "Bypass", [NONE M, NONE B], nodes_editable
                    => |editor, _| editor.panes.canvas.bypass(&mut editor.session);
                Rename: "Rename", [NONE F2], selection_editable
                    => |editor, _| editor.panes.canvas.rename_selected(&mut editor.session);
                ReplaceStage: "Replace node…", [SHIFT S], replaceable
                    => |editor, ctx| editor.pick(Pick::Replacement, ctx);
                CompareStage: "Compare with…", [], replaceable => |editor, ctx| editor.pick(Pick::Comparison, ctx);
                MakeLocalCopy: "Make local copy", [CTRL M], copyable
                    => |editor, _| grouping::make_local_copy(&mut editor.session);
                Group: "Group", [CTRL G], nodes_editable => |editor, _| grouping::group(&mut editor.session);
                Ungroup: "Ungroup", [CTRL_SHIFT G], group_editable
                    => |editor, _| grouping::ungroup(&mut editor.session);
                Enter: "Open group", [NONE Enter], one_node => |editor, _| editor.session.enter_selected();
                Leave: "Go up one level", [NONE Escape, NONE U], |editor| !editor.session.scope().is_root()
                    => |editor, _| editor.session.leave_level();
                FrameNodes: "Add comment frame", [CTRL J, NONE C], editable
                    => |editor, _| editor.panes.canvas.add_frame(&mut editor.session);
                Before: "Select inputs", [ALT ArrowLeft], nodes
                    => |editor, _| editor.panes.canvas.select_neighbors(&mut editor.session, true);
                After: "Select outputs", [ALT ArrowRight], nodes
                    => |editor, _| editor.panes.canvas.select_neighbors(&mut editor.session, false);
                Arrange: "Auto-layout", [NONE L], editable
                    => |editor, _| editor.panes.canvas.arrange(&mut editor.session);
                AlignLeft: "Align and distribute > Align left", [], |editor| alignable(editor, Align::Left)
                    => |editor, _| editor.align(Align::Left);
                AlignCenter: "Align and distribute > Align center", [], |editor| alignable(editor, Align::Center)
                    => |editor, _| editor.align(Align::Center);
                AlignRight: "Align and distribute > Align right", [], |editor| alignable(editor, Align::Right)
                    => |editor, _| editor.align(Align::Right);
                AlignTop: "Align and distribute > Align top", [], |editor| alignable(editor, Align::Top)
                    => |editor, _| editor.align(Align::Top);
                AlignMiddle: "Align and distribute > Align middle", [], |editor| alignable(editor, Align::Middle)
                    => |editor, _| editor.align(Align::Middle);
                AlignBottom: "Align and distribute > Align bottom", [], |editor| alignable(editor, Align::Bottom)
                    => |editor, _| editor.align(Align::Bottom);
                AlignColumns: "Align and distribute > Distribute horizontally", [], |editor| alignable(editor, Align::Columns)
                    => |editor, _| editor.align(Align::Columns);
                AlignRows: "Align and distribute > Distribute vertically", [], |editor| alignable(editor, Align::Rows)
                    => |editor, _| editor.align(Align::Rows);
                SetBookmark1: "Bookmarks > Set bookmark 1", [ALT Num1], always
                    => |editor, _| editor.panes.canvas.set_bookmark(&mut editor.session, 1);
                SetBookmark2: "Bookmarks > Set bookmark 2", [ALT Num2], always
                    => |editor, _| editor.panes.canvas.set_bookmark(&mut editor.session, 2);
                SetBookmark3: "Bookmarks > Set bookmark 3", [ALT Num3], always
                    => |editor, _| editor.panes.canvas.set_bookmark(&mut editor.session, 3);
                SetBookmark4: "Bookmarks > Set bookmark 4", [ALT Num4], always
                    => |editor, _| editor.panes.canvas.set_bookmark(&mut editor.session, 4);
                GoToBookmark1: "Bookmarks > Go to bookmark 1", [NONE Num1], |editor| has_bookmark(editor, 1)
                    => |editor, _| editor.go_to_bookmark(1);
                GoToBookmark2: "Bookmarks > Go to bookmark 2", [NONE Num2], |editor| has_bookmark(editor, 2)
                    => |editor, _| editor.go_to_bookmark(2);
                GoToBookmark3: "Bookmarks > Go to bookmark 3", [NONE Num3], |editor| has_bookmark(editor, 3)
                    => |editor, _| editor.go_to_bookmark(3);
                GoToBookmark4: "Bookmarks > Go to bookmark 4", [NONE Num4], |editor| has_bookmark(editor, 4)
                    => |editor, _| editor.go_to_bookmark(4);
                ChooseVariant: "Variants > Choose variant…", [], |editor| !editor.session.document().variants.is_empty()
                    => |editor, ctx| editor.pick(Pick::Variant, ctx);
                StoreVariant: "Variants > Store as variant…", [], always
                    => |editor, _| editor.name_variant(Naming::Store);
                RenameVariant: "Variants > Rename variant…", [], has_variant => |editor, _| editor.rename_variant();
                RemoveVariant: "Variants > Delete variant", [], has_variant => |editor, _| editor.remove_variant();
                InsertKey: "Keys > Insert or remove key", [SHIFT I], always => |_, ctx| inspector::keys::ask(ctx);
                NextKey: "Keys > Go to next key", [NONE Period], has_keys
                    => |editor, _| timeline::go_to_key(&mut editor.player, &editor.session, true);
                PreviousKey: "Keys > Go to previous key", [NONE Comma], has_keys
                    => |editor, _| timeline::go_to_key(&mut editor.player, &editor.session, false);
                AutoKey: "Keys > Auto-key", [], always => |editor, ctx| editor.toggle_auto_key(ctx);
                NextProblem: "Next problem", [NONE F8], has_problems => |editor, _| editor.go_to_problem(true);
                PreviousProblem: "Previous problem", [SHIFT F8], has_problems
                    => |editor, _| editor.go_to_problem(false);
            }
            menu "Run" {
                Play: "Play/pause", [NONE Space], runs
                    => |editor, _| { editor.session.leave_frame(); editor.player.playing = !editor.player.playing };
                Step: "Step one frame", [NONE ArrowRight], runs
                    => |editor, _| { editor.session.leave_frame(); editor.player.step() };
                StepBack: "Step back one frame", [NONE ArrowLeft], past_start
                    => |editor, _| timeline::step_back(&mut editor.player, &editor.session);
                FirstFrame: "Go to first frame", [SHIFT ArrowLeft], past_start => |editor, _| editor.player.go_to(0);
                LastFrame: "Go to last frame", [SHIFT ArrowRight], before_end
                    => |editor, _| timeline::go_to_end(&mut editor.player, &editor.session);
                Reset: "Reset simulation", [SHIFT Space], runs => |editor, _| editor.reset();
                PlayBakes: "Play from cache", [], |editor| editor.session.can_play_bakes(true)
                    => |editor, _| editor.session.play_bakes(true);
                RunLive: "Run live", [], |editor| editor.session.can_play_bakes(false)
                    => |editor, _| editor.session.play_bakes(false);
                Slower: "Slower", [NONE OpenBracket], always => |editor, _| editor.player.shift_speed(false);
                Faster: "Faster", [NONE CloseBracket], always => |editor, _| editor.player.shift_speed(true);
                RealTime: "Play in real time", [], always
                    => |editor, _| editor.player.real_time = !editor.player.real_time;
                FromStart: "Changes apply from the start", [], always
                    => |editor, _| timeline::toggle_from_start(&mut editor.session);
                Loop: "Loop > Loop playback", [], always
                    => |editor, _| timeline::toggle_loop(&mut editor.player, &editor.session);
                LoopStart: "Loop > Set loop start", [NONE I], always
                    => |editor, _| timeline::start_loop(&mut editor.player, &editor.session);
                LoopEnd: "Loop > Set loop end", [NONE O], always
                    => |editor, _| timeline::end_loop(&mut editor.player, &editor.session);
                KeepInput: "Recorded input > Save input to graph", [], has_input
                    => |editor, _| timeline::keep_input(&mut editor.session);
                SaveInput: "Recorded input > Save input as…", [], has_input => |editor, ctx| editor.save_input(ctx);
                CutInput: "Recorded input > Discard input after this frame", [], before_end
                    => |editor, _| timeline::cut_input(&editor.player, &mut editor.session);
                ClearInput: "Recorded input > Discard all input", [], has_input
                    => |editor, _| timeline::clear_input(&mut editor.player, &mut editor.session);
                ClearCheckpoints: "Free timeline memory", [], always
                    => |editor, _| timeline::clear_checkpoints(&mut editor.session);
                LowerResolution: "Lower resolution", [], |editor| editor.player.coarser(&editor.session).is_some()
                    => |editor, _| editor.lower_resolution();
                StopSeek: "Stop going to the frame", [], |editor| editor.player.target().is_some()
                    => |editor, _| editor.player.stay();
                StopLoading: "Stop loading", [], |editor| editor.session.loading().is_some()
                    => |editor, _| editor.session.stop_loading();
                CancelDriver: "Cancel shader compilation", [], |editor| editor.session.is_driver_slow()
                    => |editor, _| editor.session.cancel_driver();
                LoadAgain: "Reload files", [], |editor| editor.session.can_load_again()
                    => |editor, _| editor.session.load_again();
            }
            menu "Debug" {
                StepDispatch: "Step one dispatch", [NONE F6], steps
                    => |editor, _| editor.step_in_frame(FrameStep::Dispatch);
                StepNode: "Step one node", [NONE F10], steps => |editor, _| editor.step_in_frame(FrameStep::Node);
                StepIteration: "Step one iteration", [NONE F7], steps
                    => |editor, _| editor.step_in_frame(FrameStep::Iteration);
                DispatchBack: "Step back one dispatch", [SHIFT F6], in_frame
                    => |editor, _| editor.step_in_frame(FrameStep::Back);
                RunToNode: "Run to selected node", [CTRL F10], |editor| one_name(editor) && !editor.session.is_entering_frame()
                    => |editor, _| editor.run_to_node();
                LeaveFrame: "Leave frame", [SHIFT F5], |editor| editor.session.is_debugging()
                    => |editor, _| editor.leave_frame();
                ToggleBreakpoint: "Toggle breakpoint", [NONE F9], one_name => |editor, _| editor.toggle_breakpoint();
                FindFirstNan: "Find first NaN", [], |editor| editor.session.is_computed() && !editor.session.is_entering_frame()
                    => |editor, _| editor.find_first_nan();
            }
            menu "View" {
                ViewOutput: "View output", [NONE D], one_node
                    => |editor, _| editor.panes.canvas.output_of_selected(&editor.session).map(Action::ViewWire);
                Pin: "Pin view", [NONE K], always => |editor, _| editor.pin(0);
                FitImage: "Fit image", [SHIFT F], always
                    => |editor, _| editor.views.values_mut().for_each(|view| view.framing().fit());
                ActualSize: "Actual size (100 %)", [SHIFT Num1], always
                    => |editor, _| editor.views.values_mut().for_each(|view| view.framing().actual_size());
                ToggleHandles: "Handles", [SHIFT H], always
                    => |editor, _| editor.overlay(|overlays| &mut overlays.handles);
                ToggleRuler: "Ruler", [SHIFT R], always
                    => |editor, _| editor.overlay(|overlays| &mut overlays.ruler.on);
                FrameAll: "Frame all", [NONE Home, NONE A], always => |editor, _| editor.panes.canvas.frame_all();
                FrameSelection: "Frame selected", [NONE F], nodes => |editor, _| editor.panes.canvas.frame_selection();
                ToggleThumbnails: "Node thumbnails", [NONE T], always => |editor, _| editor.toggle_thumbnails();
                ToggleHeat: "GPU time heat map", [NONE H], always
                    => |editor, _| editor.panes.canvas.options.heat = !editor.panes.canvas.options.heat;
                ToggleMinimap: "Minimap", [NONE N], always
                    => |editor, _| editor.panes.canvas.options.minimap = !editor.panes.canvas.options.minimap;
            }
            menu "Window" {
                ShowGraph: "Graph", [CTRL Num1], always => |editor, _| editor.bring_up(Pane::Graph);
                ShowView: "View", [CTRL Num2], always => |editor, ctx| editor.show_first_view(ctx);
                ShowInspector: "Inspector", [CTRL Num3, NONE P], always => |editor, _| editor.bring_up(Pane::Inspector);
                ShowCode: "Code", [CTRL Num4], always => |editor, _| editor.bring_up(Pane::Code);
                ShowPlan: "Plan", [CTRL Num5], always => |editor, _| editor.bring_up(Pane::Plan);
                ShowProblems: "Problems", [CTRL Num6], always => |editor, _| editor.bring_up(Pane::Problems);
                ShowVariations: "Variations", [CTRL Num7], always => |editor, _| editor.bring_up(Pane::Variations);
                ShowSweep: "Sweep", [], always => |editor, _| editor.bring_up(Pane::Sweep);
                ShowCurves: "Curves", [CTRL Num8], always => |editor, _| editor.bring_up(Pane::Curves);
                ShowDebugger: "Debugger", [], always => |editor, _| editor.bring_up(Pane::Debugger);
                ShowPlots: "Plots", [CTRL Num9], always => |editor, _| editor.bring_up(Pane::Plots);
                ShowCompare: "Compare", [SHIFT C], always => |editor, _| editor.bring_up(Pane::Compare);
                MaximizePane: "Maximize pane", [CTRL Space], always => |editor, _| editor.maximize_pane();
                OwnWindow: "View in own window", [SHIFT F11], always
                    => |editor, _| editor.toggle_own_window(editor.pointed_view());
                FullScreen: "Full screen", [NONE F11], always => |_, ctx| own_window::toggle_full_screen(ctx);
                ResetPanes: "Reset layout", [], always => |editor, _| editor.reset_panes();
                DarkTheme: "Dark theme", [], always => |editor, ctx| editor.choose_theme(ctx, egui::Theme::Dark);
                LightTheme: "Light theme", [], always => |editor, ctx| editor.choose_theme(ctx, egui::Theme::Light);
            }
            menu "Help" {
                NodeHelp: "Reference of selected node", [NONE F1], always => |editor, ctx| editor.explain(ctx);
                GettingStarted: "Getting started", [], always => |editor, _| editor.read_manual(help::MANUAL);
                StageLanguage: "Stage language", [], always => |editor, _| editor.read_manual(help::LANGUAGE);
                Shortcuts: "Shortcuts", [], always
                    => |editor, _| { editor.panes.help.open_shortcuts(); editor.bring_up(Pane::Help) };
                About: "About Stagewright", [], always => |editor, _| editor.open_dialog(Dialog::About);
            }
        }
    };
}

pub(crate) use commands;
