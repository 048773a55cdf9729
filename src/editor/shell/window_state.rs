//! What the window looked like the last time, and what it keeps for the next.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui;
use egui_tiles::Tree;

use super::{Editor, tiles};
use crate::commands::keymap::Keymap;
use crate::model::pane::Pane;
use crate::model::settings::{AutoKey, Scale, Settings, Stops, WindowChoices};
use crate::panes::canvas::Options;

impl Editor {
    /// Restores the window as it was left the last time.
    pub(crate) fn restore(&mut self, ctx: &egui::Context) {
        let Settings { window, memory, timeline, tuning, keys, auto_key, .. } = self.files.settings().get().clone();
        self.session.limit_memory(memory);
        self.session.set_timeline_budget(timeline);
        self.session.tune(tuning.0);
        self.session.set_auto_key(auto_key.0);
        self.keyboard.keymap = Arc::new(Keymap::read(&keys));
        window.apply(ctx);
        self.panes.canvas.options = Options { heat: window.heat, minimap: window.minimap };
        self.thumbnails.shown = window.thumbnails.unwrap_or(self.affords_thumbnails());
        // A layout from another version may lack panes that can't be closed.
        let whole =
            |panes: &Tree<Pane>| [Pane::Graph, Pane::View(0)].iter().all(|pane| panes.tiles.find_pane(pane).is_some());
        if let Some(panes) = window.panes.filter(whole) {
            self.layout.tiles = panes;
        }
    }

    /// Whether the machine has time for thumbnails: a software adapter needs all of it for the simulation.
    pub(crate) fn affords_thumbnails(&self) -> bool {
        !self.session.gpu().is_software()
    }

    /// Saves the state of the window for the next time.
    pub(crate) fn remember(&mut self, ctx: &egui::Context) {
        let memory = self.session.gpu().memory_limit();
        let mut panes = self.layout.tiles.clone();
        tiles::restore(&mut panes);
        // Until somebody chooses, each machine shows them if it can afford them.
        let chosen = self.files.settings().get().window.thumbnails.is_some();
        let thumbnails =
            (chosen || self.thumbnails.shown != self.affords_thumbnails()).then_some(self.thumbnails.shown);
        let window = WindowChoices {
            dark: ctx.theme() == egui::Theme::Dark,
            theme: Some(ctx.options(|options| options.theme_preference)),
            scale: Scale(ctx.zoom_factor()),
            panes: Some(panes),
            heat: self.panes.canvas.options.heat,
            minimap: self.panes.canvas.options.minimap,
            thumbnails,
        };
        let (timeline, auto_key) = (self.session.timeline_budget(), AutoKey(self.session.auto_key()));
        let stored = self.files.settings().get();
        if (&stored.window, stored.memory, stored.timeline, stored.auto_key) != (&window, memory, timeline, auto_key)
            && let Err(sentence) = self.files.settings().change(move |settings| {
                (settings.window, settings.memory) = (window.clone(), memory);
                (settings.timeline, settings.auto_key) = (timeline, auto_key);
            })
        {
            self.notify(sentence, true);
        }
    }

    /// Sets the conditions and breakpoints that the opened graph file had the last time.
    pub(crate) fn restore_stops(&mut self) {
        let path = self.graph_file();
        let stops = path.as_deref().map(|path| self.files.settings().get().stops_of(path)).unwrap_or_default();
        self.session.set_stops(stops);
        self.stops = (path, self.session.stops());
    }

    /// Keeps the conditions and breakpoints of the graph file for the next time, once they have changed.
    pub(crate) fn remember_stops(&mut self) {
        let now = (self.graph_file(), self.session.stops());
        if now == self.stops {
            return;
        }
        let before = std::mem::replace(&mut self.stops, now);
        let (Some(path), stops) = self.stops.clone() else { return };
        // A graph that is saved as another file takes them along.
        if (before.0.as_ref() == Some(&path) || stops != Stops::default())
            && let Err(sentence) = self.files.settings().change(move |settings| settings.keep_stops(&path, &stops))
        {
            self.notify(sentence, true);
        }
    }

    fn graph_file(&self) -> Option<PathBuf> {
        self.session.path().and_then(|path| std::path::absolute(path).ok())
    }
}
