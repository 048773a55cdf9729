//! The panes, as the tiles of the window ask for them.

use eframe::egui::{self, Ui};
use egui_tiles::{TileId, Tiles, Tree, UiResponse};

use super::panes::{self, Pane};
use super::view::View;
use super::{Editor, inspector, theme};

impl Editor {
    /// All panes.
    pub(super) fn show_panes(&mut self, ui: &mut Ui) {
        let mut tree = std::mem::replace(&mut self.panes, Tree::empty("panes"));
        let mut host = PaneHost { editor: self, told: Vec::new(), pin: None };
        tree.ui(&mut host, ui);
        let (told, pin) = (host.told, host.pin);
        self.panes = tree;
        if let Some(number) = pin {
            self.pin(number);
        }
        if self.session.show_text.is_some() {
            panes::bring_up(&mut self.panes, Pane::Code);
        }
        self.canvas.settle();
        self.plan_pane.settle(&mut self.session);
        for sentence in told {
            self.tell(sentence, true);
        }
    }
}

/// The panes while they are drawn.
struct PaneHost<'a> {
    editor: &'a mut Editor,
    told: Vec<String>,
    /// The view whose picture is to have a view of its own.
    pin: Option<u64>,
}

impl egui_tiles::Behavior<Pane> for PaneHost<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        self.editor.hints.place(*pane, ui.max_rect());
        let Editor { session, canvas, code, views, player, stale, plan_pane, problems, .. } = &mut *self.editor;
        let framed = |ui: &mut Ui, contents: &mut dyn FnMut(&mut Ui)| {
            egui::CentralPanel::no_frame().frame(theme::pane(ui)).show(ui, |ui| contents(ui));
        };
        match pane {
            Pane::Graph => self.told.extend(canvas.show(ui, session).err()),
            Pane::Inspector => {
                let mut told = None;
                framed(ui, &mut |ui| told = inspector::show(ui, session).err());
                self.told.extend(told);
            }
            Pane::Code => self.told.extend(code.show(ui, session).err()),
            Pane::Problems => {
                let mut told = None;
                framed(ui, &mut |ui| told = problems.show(ui, session).err());
                self.told.extend(told);
            }
            Pane::Plan => framed(ui, &mut |ui| plan_pane.show(ui, session)),
            Pane::View(number) => {
                let Some(view) = views.get_mut(number) else { return UiResponse::None };
                let asked = view.show(ui, session);
                if asked.pin {
                    self.pin = Some(*number);
                }
                self.told.extend(asked.told);
                if asked.stale {
                    *stale = true;
                    player.refresh();
                }
            }
        }
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
        panes::options()
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
