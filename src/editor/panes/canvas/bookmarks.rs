//! Bookmarks: views of the canvas that are saved with the graph.

use eframe::egui::{self, RichText, Ui, vec2};

use super::state::Canvas;
use super::viewport::Framing;
use crate::commands::action::{Action, Actions};
use crate::commands::command::{BOOKMARKS, Command};
use crate::document::{Bookmark, Scope};
use crate::edit;
use crate::model::session::{Selection, Session};

/// Characters of a bookmark's name in the bar; without room for names only the numbers are shown.
const LONGEST: usize = 14;
/// Width of the bar for each bookmark with its name, and for the path \[points\].
const NAMED: f32 = 120.0;
const PATH: f32 = 160.0;

/// The number of a bookmark in the graph file.
fn key(number: u8) -> String {
    number.to_string()
}

impl Canvas {
    /// Saves what is in view, and what is selected, as a bookmark. One that had this number is replaced.
    pub(crate) fn set_bookmark(&self, session: &mut Session, number: u8) {
        let center = self.to_document(self.view.rect.center());
        let round = |value: f32| (10.0 * value).round() / 10.0;
        let nodes = session.nodes();
        let select = session.selection.nodes.iter().filter(|name| nodes.contains_key(*name)).cloned().collect();
        let bookmark = Bookmark {
            level: session.scope().to_string(),
            center: (round(center.x), round(center.y)),
            zoom: (100.0 * self.view.zoom).round() / 100.0,
            select,
            ..Bookmark::default()
        };
        session.end_gesture();
        session.arrange("bookmark", |document| edit::set_bookmark(document, &key(number), bookmark));
        session.end_gesture();
    }

    /// Shows what was in view when the bookmark was set.
    ///
    /// # Errors
    /// When its level is no longer there.
    pub(crate) fn go_to_bookmark(&mut self, session: &mut Session, number: u8) -> Result<(), String> {
        let Some(bookmark) = session.document().bookmarks.get(&key(number)).cloned() else { return Ok(()) };
        if !session.show_level(&Scope::parse(&bookmark.level)) {
            return Err(format!("Bookmark {number} shows the group `{}`, which no longer exists", bookmark.level));
        }
        let there = bookmark.select.into_iter().filter(|name| session.nodes().contains_key(name)).collect();
        session.selection = Selection { nodes: there, frame: None };
        self.view.framing =
            Some(Framing::Place { center: vec2(bookmark.center.0, bookmark.center.1), zoom: bookmark.zoom });
        Ok(())
    }

    /// The bookmarks that are set, as buttons from the right edge of the bar, with a menu each.
    pub(super) fn bookmark_bar(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        let bookmarks = &session.document().bookmarks;
        let set: Vec<((u8, Command, Command), Bookmark)> = BOOKMARKS
            .into_iter()
            .rev()
            .filter_map(|bookmark| Some((bookmark, bookmarks.get(&key(bookmark.0))?.clone())))
            .collect();
        let named = ui.available_width() >= PATH + NAMED * set.len() as f32;
        for ((number, set, go_to), bookmark) in set {
            let name: String = bookmark.name.chars().take(LONGEST).collect();
            let text = if named && !name.is_empty() { format!("★ {number} {name}") } else { format!("★ {number}") };
            let button = ui.add(egui::Button::new(RichText::new(text).small()).frame(false));
            let label = format!("bookmark {number} {}", bookmark.name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label.trim_end()));
            let button = button.on_hover_text(go_to.hint(ui.ctx(), &hint(number, &bookmark)));
            if button.clicked() {
                actions.push(Action::Run(go_to));
            }
            let mut choice = None;
            button.context_menu(|ui| choice = bookmark_menu(ui, number));
            match choice {
                Some(Choice::Set) => actions.push(Action::Run(set)),
                Some(Choice::Rename) => self.rename_bookmark(&key(number), &bookmark.name, button.rect),
                Some(Choice::Remove) => {
                    // It is there: its menu was open.
                    session.arrange("remove bookmark", |document| drop(edit::remove_bookmark(document, &key(number))));
                    session.end_gesture();
                }
                None => {}
            }
        }
    }
}

enum Choice {
    Set,
    Rename,
    Remove,
}

fn bookmark_menu(ui: &mut Ui, number: u8) -> Option<Choice> {
    let mut entry = |text: &str| ui.add(egui::Button::new(text).min_size(vec2(160.0, 0.0))).clicked();
    let rename = entry("Rename bookmark").then_some(Choice::Rename);
    let set = entry(&format!("Set bookmark {number} to this view")).then_some(Choice::Set);
    let remove = entry("Remove bookmark").then_some(Choice::Remove);
    rename.or(set).or(remove)
}

/// What a bookmark shows.
fn hint(number: u8, bookmark: &Bookmark) -> String {
    let level = if bookmark.level.is_empty() { "graph" } else { &bookmark.level };
    match bookmark.name.as_str() {
        "" => format!("Bookmark {number} in {level}"),
        name => format!("{name}: bookmark {number} in {level}"),
    }
}
