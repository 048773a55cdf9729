//! All keys and pointer gestures, to search.

use eframe::egui::{self, RichText, Ui, vec2};

use super::documents::{MANUAL, document};
use super::markdown::{Block, blocks, plain};
use crate::commands::command::{Command, MENUS};
use crate::toolkit::theme;

/// Width of the column of keys \[points\].
const KEYS: f32 = 230.0;

/// Something that keys or the pointer do.
#[derive(Debug, PartialEq)]
struct Shortcut {
    group: String,
    keys: String,
    does: String,
}

impl Shortcut {
    /// Whether all words of a query are in it.
    fn matches(&self, query: &str) -> bool {
        let text = format!("{} {} {}", self.group, self.keys, self.does).to_lowercase();
        query.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }
}

/// The commands that have keys, by menu.
fn commands(ctx: &egui::Context) -> Vec<Shortcut> {
    let all = MENUS.iter().flat_map(|(menu, commands)| commands.iter().map(move |command| (menu, *command)));
    let shortcut = |(menu, command): (&&str, Command)| Shortcut {
        group: menu.to_string(),
        keys: command.all_shortcuts_text(ctx),
        does: command.label().trim_end_matches('…').into(),
    };
    all.map(shortcut).filter(|shortcut| !shortcut.keys.is_empty()).collect()
}

/// What the pointer does: the manual's tables of gestures, whose second column says what each does.
fn gestures() -> Vec<Shortcut> {
    let mut found = Vec::new();
    for block in blocks(document(MANUAL).unwrap_or_default()) {
        let Block::Table(rows) = block else { continue };
        let Some(([place, does], rows)) =
            rows.split_first().and_then(|(head, rows)| Some((<&[_; 2]>::try_from(head.as_slice()).ok()?, rows)))
        else {
            continue;
        };
        if plain(does) != "does" {
            continue;
        }
        for row in rows {
            if let [keys, does] = row.as_slice() {
                let mut group = plain(place);
                group.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
                found.push(Shortcut { group, keys: plain(keys), does: plain(does) });
            }
        }
    }
    found
}

pub(super) fn show(ui: &mut Ui, query: &mut String) {
    let field = egui::TextEdit::singleline(query).hint_text("Search shortcuts").desired_width(320.0);
    let response = ui.add(field);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Search shortcuts"));
    let change = "Edit > Preferences > Keys gives commands other keys.";
    ui.label(RichText::new(change).small().color(theme::current(ui).dim));
    ui.add_space(4.0);
    let all = commands(ui.ctx()).into_iter().chain(gestures());
    let found: Vec<Shortcut> = all.filter(|shortcut| shortcut.matches(query)).collect();
    egui::ScrollArea::vertical().auto_shrink(false).id_salt("shortcuts").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        let mut group = "";
        for shortcut in &found {
            if shortcut.group != group {
                group = &shortcut.group;
                ui.add_space(6.0);
                ui.label(RichText::new(group).strong().color(theme::current(ui).dim));
            }
            ui.horizontal_top(|ui| {
                ui.allocate_ui(vec2(KEYS.min(0.5 * ui.available_width()), 0.0), |ui| {
                    ui.set_width(ui.available_width());
                    ui.add(egui::Label::new(RichText::new(&shortcut.keys).color(theme::current(ui).accent)).wrap());
                });
                ui.add(egui::Label::new(&shortcut.does).wrap());
            });
        }
        if found.is_empty() {
            ui.label(RichText::new("No matches").color(theme::current(ui).faint));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_gestures_are_found_by_any_of_their_words() {
        let all: Vec<Shortcut> = commands(&egui::Context::default()).into_iter().chain(gestures()).collect();
        let does = |query: &str| {
            let found = all.iter().filter(|shortcut| shortcut.matches(query));
            found.map(|shortcut| shortcut.does.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(does("auto layout"), ["Auto-layout"]);
        assert_eq!(does("Shift+F8"), ["Previous problem"]);
        assert!(does("on a wire click").contains(&"views what it carries"));
        assert!(does("wheel zooms").len() > 1, "{:?}", does("wheel zooms"));
        assert!(does("no such thing").is_empty());
        assert!(all.len() > 70, "{}", all.len());
    }
}
