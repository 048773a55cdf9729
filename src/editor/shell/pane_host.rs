//! Draws the panes that the tiles of the window hold.

use eframe::egui::{self, Ui};
use egui_tiles::{TileId, Tiles, Tree, UiResponse};

use super::{Editor, tiles};
use crate::editor::commands::action::{Action, Actions};
use crate::editor::model::pane::Pane;
use crate::editor::panes::inspector;
use crate::editor::panes::view::View;
use crate::editor::toolkit::theme;

impl Editor {
    /// Draws all panes, and adds what they ask for.
    pub(crate) fn show_panes(&mut self, ui: &mut Ui, actions: &mut Actions) {
        let mut tree = std::mem::replace(&mut self.panes, Tree::empty("panes"));
        let away = self.away();
        // What shows all panes knows nothing of windows.
        tiles::hide(&mut tree, &away);
        tree.ui(&mut PaneHost { editor: self, actions }, ui);
        // The last of the tabs that hid all other panes may have been closed.
        if tree.active_tiles().iter().all(|tile| tree.tiles.get_pane(tile).is_none()) {
            tiles::show_all_but(&mut tree, &away);
        }
        let place = ui.input(|input| input.pointer.latest_pos());
        if let Some(place) = place.filter(|_| !egui::Popup::is_any_open(ui.ctx())) {
            self.pointed = tiles::at(&tree, place).or(self.pointed);
        }
        self.panes = tree;
        self.canvas.settle();
        self.variations.settle(self.panes.tiles.find_pane(&Pane::Variations).is_some());
        self.compare.settle(self.panes.tiles.find_pane(&Pane::Compare).is_some());
        self.plan_pane.settle(&mut self.session);
    }
}

/// The panes while they are drawn.
struct PaneHost<'a> {
    editor: &'a mut Editor,
    actions: &'a mut Actions,
}

impl egui_tiles::Behavior<Pane> for PaneHost<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        self.editor.hints.place(*pane, ui.max_rect());
        let actions = &mut *self.actions;
        let Editor {
            session,
            canvas,
            code,
            views,
            plan_pane,
            problems,
            help,
            variations,
            sweep,
            curves,
            render,
            debugger,
            plots,
            compare,
            player,
            ..
        } = &mut *self.editor;
        let framed = egui::CentralPanel::no_frame().frame(theme::pane(ui));
        let told = match pane {
            Pane::Graph => canvas.show(ui, session, actions),
            Pane::Inspector => framed.show(ui, |ui| inspector::show(ui, session, actions)).inner,
            Pane::Code => code.show(ui, session, actions),
            Pane::Problems => framed.show(ui, |ui| problems.show(ui, session, actions)).inner,
            Pane::Plan => {
                framed.show(ui, |ui| plan_pane.show(ui, session, actions));
                Ok(())
            }
            Pane::Help => {
                help.show(ui);
                Ok(())
            }
            Pane::Variations => {
                let output = views.get(&0).and_then(View::output);
                variations.show(ui, session, render, output, actions);
                Ok(())
            }
            Pane::Sweep => {
                let output = views.get(&0).and_then(View::output);
                sweep.show(ui, session, output, actions);
                Ok(())
            }
            Pane::Curves => curves.show(ui, session, actions),
            Pane::Debugger => framed.show(ui, |ui| debugger.show(ui, session, actions)).inner,
            Pane::Plots => plots.show(ui, session, player, actions),
            Pane::Compare => {
                let seen = views.get(&0).map(View::seen).unwrap_or_default();
                compare.show(ui, session, render, seen, actions);
                Ok(())
            }
            Pane::View(number) => {
                if let Some(view) = views.get_mut(number) {
                    view.show(ui, session, (*number, false), actions);
                }
                Ok(())
            }
        };
        actions.extend(told.err().map(Action::Tell));
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> egui::WidgetText {
        match pane {
            Pane::Problems => match self.editor.session.problems().count() {
                0 => "Problems".into(),
                count => format!("Problems ({count})").into(),
            },
            Pane::View(number) => self.editor.views.get(number).map_or_else(String::new, View::title).into(),
            pane => pane.title().into(),
        }
    }

    fn on_tab_button(&mut self, tiles: &mut Tiles<Pane>, tile: TileId, tab: egui::Response) -> egui::Response {
        if let Some(pane) = tiles.get_pane(&tile) {
            let name = format!("{} pane", self.tab_title_for_pane(pane).text());
            tab.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
        }
        tab
    }

    fn is_tab_closable(&self, tiles: &Tiles<Pane>, tile: TileId) -> bool {
        tiles.get_pane(&tile).is_some_and(|pane| pane.closable())
    }

    fn on_tab_close(&mut self, tiles: &mut Tiles<Pane>, tile: TileId) -> bool {
        if let Some(Pane::View(number)) = tiles.get_pane(&tile) {
            self.editor.views.remove(number);
        }
        true
    }

    fn retain_pane(&mut self, pane: &Pane) -> bool {
        !matches!(pane, Pane::View(number) if !self.editor.views.contains_key(number))
    }

    fn simplification_options(&self) -> egui_tiles::SimplificationOptions {
        tiles::options()
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        2.0
    }

    fn min_size(&self) -> f32 {
        120.0
    }

    fn tab_bar_color(&self, visuals: &egui::Visuals) -> egui::Color32 {
        visuals.window_fill
    }
}
