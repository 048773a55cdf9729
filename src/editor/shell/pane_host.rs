//! Draws the panes that the tiles of the window hold.

use eframe::egui::{self, Ui};
use egui_tiles::{TileId, Tiles, Tree, UiResponse};

use super::{Editor, Host, tiles};
use crate::commands::action::{Action, Actions};
use crate::model::pane::Pane;
use crate::panes::content::Surroundings;
use crate::panes::view::View;
use crate::toolkit::theme;

impl Editor {
    /// Draws all panes, and adds what they ask for.
    pub(crate) fn show_panes(&mut self, ui: &mut Ui, actions: &mut Actions) {
        let mut tree = std::mem::replace(&mut self.layout.tiles, Tree::empty("panes"));
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
            self.layout.pointed = tiles::pane_at(&tree, place).or(self.layout.pointed);
        }
        self.layout.tiles = tree;
        for (name, pane) in self.panes.each() {
            pane.after_frame(&mut self.session, self.layout.tiles.tiles.find_pane(&name).is_some());
        }
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
        let Editor { session, panes, views, host: Host { render, .. }, player, .. } = &mut *self.editor;
        if let Pane::View(number) = pane {
            if let Some(view) = views.get_mut(number) {
                view.show(ui, session, (*number, false), actions);
            }
            return UiResponse::None;
        }
        let first = views.get(&0);
        let (output, seen) = (first.and_then(View::output), first.map(View::seen).unwrap_or_default());
        let around = &mut Surroundings { session, player, render, output, seen, actions };
        let result = panes.get(*pane).map_or(Ok(()), |pane| match pane.framed() {
            true => {
                let framed = egui::CentralPanel::no_frame().frame(theme::pane(ui));
                framed.show(ui, |ui| pane.show(ui, around)).inner
            }
            false => pane.show(ui, around),
        });
        actions.extend(result.err().map(Action::Tell));
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
