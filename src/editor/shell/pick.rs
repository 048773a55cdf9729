//! Lists to choose from: commands, nodes and parameters, stages, variants.

use eframe::egui;

use super::Editor;
use super::dialog_stack::Dialog;
use super::open_list::{Listed, OpenList, Pick};
use crate::commands::action;
use crate::commands::command::{Command, MENUS};
use crate::model::pane::Pane;
use crate::panes::canvas::Canvas;
use crate::panes::compare::Change;
use crate::panes::find::{self, SearchHit};
use crate::panes::inspector;
use crate::toolkit::picker::{self, Picker};
use crate::toolkit::theme;

impl Editor {
    /// Opens a list to choose from.
    pub(crate) fn pick(&mut self, pick: Pick, ctx: &egui::Context) {
        let at = ctx.content_rect().center_top() + egui::vec2(-160.0, 90.0);
        let look = theme::current_in(ctx);
        let stages = |hint: &'static str| {
            let (names, items, fitting) = Canvas::stages_to_choose(&self.session, look);
            (names, items, hint, fitting)
        };
        let (keys, items, hint, preferred): Listed = match pick {
            Pick::Command => (Vec::new(), self.commands_to_find(ctx), "Find command", 0),
            Pick::Place => {
                let (places, items) = find::places(&self.session, look);
                (places, items, "Find node or parameter", 0)
            }
            Pick::Replacement => stages("Replace node"),
            Pick::Comparison => stages("Compare with"),
            Pick::Variant => self.variants_to_choose(),
        };
        let picker = Picker::new(at, hint, items).preferring(preferred);
        self.open_dialog(Dialog::List(OpenList { pick, keys, picker }));
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

    /// Shows an open list and carries out what was chosen. Returns whether it stays open.
    pub(super) fn show_list(&mut self, list: &mut OpenList, ctx: &egui::Context) -> bool {
        let index = match list.picker.show(ctx) {
            picker::Answer::Open => return true,
            picker::Answer::Closed => return false,
            picker::Answer::Chosen(index) => index,
        };
        let key = list.keys.get(index).cloned().unwrap_or_default();
        match list.pick {
            Pick::Command => Command::all().nth(index).into_iter().for_each(|command| self.execute(command, ctx)),
            Pick::Place => self.go_to_place(&SearchHit::parse(&key), ctx),
            Pick::Variant => self.choose_listed_variant(&key),
            Pick::Comparison => {
                let (scope, node) = (self.session.scope().clone(), self.session.selection.first().cloned());
                if let Some(node) = node {
                    self.panes.compare.compare_with(Change::Replaced { scope, node, stage: key });
                    self.bring_up(Pane::Compare);
                }
            }
            Pick::Replacement => {
                if let Err(sentence) = self.panes.canvas.replace_stage(&mut self.session, &key) {
                    self.notify(sentence, true);
                }
            }
        }
        false
    }

    /// Selects a node, and points out the row of its parameter.
    fn go_to_place(&mut self, place: &SearchHit, ctx: &egui::Context) {
        let path = match place {
            SearchHit::Node(path) => path,
            SearchHit::Param(path, param) => {
                self.bring_up(Pane::Inspector);
                inspector::point_out(ctx, path, param);
                path
            }
        };
        let reveal = action::go_to(&mut self.session, path);
        self.carry_out(Vec::from_iter(reveal), ctx);
    }
}
