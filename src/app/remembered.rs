//! What the window looked like the last time, and what it keeps for the next.

use std::sync::Arc;

use eframe::egui;
use egui_tiles::Tree;

use super::Editor;
use super::canvas::Options;
use super::keymap::Keymap;
use super::panes::{self, Pane};
use super::settings::{Scale, Settings, WindowChoices};

impl Editor {
    /// Restores the window as it was left the last time.
    pub(super) fn restore(&mut self, ctx: &egui::Context) {
        let Settings { window, memory, timeline, tuning, keys, .. } = self.files.settings().get().clone();
        self.session.limit_memory(memory);
        self.session.set_timeline_budget(timeline);
        self.session.tune(tuning.0);
        self.keymap = Arc::new(Keymap::read(&keys));
        window.apply(ctx);
        self.canvas.options = Options { heat: window.heat, minimap: window.minimap };
        self.thumbnails = window.thumbnails.unwrap_or(self.affords_thumbnails());
        // A layout from another version may lack panes that can't be closed.
        let whole =
            |panes: &Tree<Pane>| [Pane::Graph, Pane::View(0)].iter().all(|pane| panes.tiles.find_pane(pane).is_some());
        if let Some(panes) = window.panes.filter(whole) {
            self.panes = panes;
        }
    }

    /// Whether the machine has time for thumbnails: a software adapter needs all of it for the simulation.
    pub(super) fn affords_thumbnails(&self) -> bool {
        !self.session.gpu().is_software()
    }

    /// Saves the state of the window for the next time.
    pub(super) fn remember(&mut self, ctx: &egui::Context) {
        let memory = self.session.gpu().memory_limit();
        let mut panes = self.panes.clone();
        panes::restore(&mut panes);
        // Until somebody chooses, each machine shows them if it can afford them.
        let chosen = self.files.settings().get().window.thumbnails.is_some();
        let thumbnails = (chosen || self.thumbnails != self.affords_thumbnails()).then_some(self.thumbnails);
        let window = WindowChoices {
            dark: ctx.theme() == egui::Theme::Dark,
            theme: Some(ctx.options(|options| options.theme_preference)),
            scale: Scale(ctx.zoom_factor()),
            panes: Some(panes),
            heat: self.canvas.options.heat,
            minimap: self.canvas.options.minimap,
            thumbnails,
        };
        let timeline = self.session.timeline_budget();
        let known = self.files.settings().get();
        if (&known.window, known.memory, known.timeline) != (&window, memory, timeline)
            && let Err(sentence) = self.files.settings().change(move |settings| {
                (settings.window, settings.memory, settings.timeline) = (window.clone(), memory, timeline)
            })
        {
            self.notify(sentence, true);
        }
    }
}
