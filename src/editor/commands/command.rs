//! All commands: one list that feeds menus, buttons, shortcuts and the command palette.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers};

use super::keymap::{self, Keymap};
use super::table::commands;

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Between the title of a submenu and that of a command in it.
const SUBMENU: &str = " > ";

macro_rules! names {
    ($(menu $menu:literal { $($name:ident: $title:literal, [$($modifiers:ident $key:ident),*], $enabled:expr => $run:expr;)* })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Command {
            $($($name,)*)*
        }

        /// Menus in the order of the bar.
        pub(crate) const MENUS: &[(&str, &[Command])] = &[$(($menu, &[$(Command::$name),*])),*];

        impl Command {
            /// The title in menus after that of the submenu, and the shortcuts; the first one is shown.
            fn row(self) -> (&'static str, &'static [(Modifiers, Key)]) {
                match self {
                    $($(Command::$name => ($title, &[$(($modifiers, Key::$key)),*]),)*)*
                }
            }
        }
    };
}

commands!(names);

/// Commands that set bookmarks and go to them, by number.
pub(crate) const BOOKMARKS: [(u8, Command, Command); 4] = [
    (1, Command::SetBookmark1, Command::GoToBookmark1),
    (2, Command::SetBookmark2, Command::GoToBookmark2),
    (3, Command::SetBookmark3, Command::GoToBookmark3),
    (4, Command::SetBookmark4, Command::GoToBookmark4),
];

impl Command {
    pub(crate) fn all() -> impl Iterator<Item = Command> {
        MENUS.iter().flat_map(|(_, commands)| commands.iter().copied())
    }

    pub(crate) fn label(self) -> &'static str {
        let title = self.row().0;
        title.split_once(SUBMENU).map_or(title, |(_, label)| label)
    }

    /// The title of the submenu that lists the command, if one does.
    pub(crate) fn submenu(self) -> Option<&'static str> {
        self.row().0.split_once(SUBMENU).map(|(submenu, _)| submenu)
    }

    /// Whether it opens something in the main window that is typed into, answered or read.
    pub(crate) fn opens_something(self) -> bool {
        let shows = |(menu, commands): &(&str, &[Command])| {
            *menu == "Help"
                || (*menu == "Window"
                    && commands.iter().take_while(|shown| **shown != Command::MaximizePane).any(|shown| *shown == self))
        };
        let listed = MENUS.iter().filter(|(_, commands)| commands.contains(&self));
        self.label().ends_with('…') || matches!(self, Command::Quit | Command::Rename) || listed.into_iter().any(shows)
    }

    /// The name in the settings file. The user's keys are saved by it, so the name of a variant stays as it is.
    pub(crate) fn id(self) -> String {
        let mut id = String::new();
        for letter in format!("{self:?}").chars() {
            let begins = (letter.is_uppercase() || letter.is_ascii_digit()) && !id.is_empty();
            id.extend(begins.then_some('_'));
            id.push(letter.to_ascii_lowercase());
        }
        id
    }

    /// The keys that it has unless the user chooses others.
    pub(crate) fn default_keys(self) -> impl Iterator<Item = KeyboardShortcut> {
        self.row().1.iter().map(|(modifiers, key)| KeyboardShortcut::new(*modifiers, *key))
    }

    /// Text of the first of the keys; empty if there is none.
    pub(crate) fn shortcut_text(self, ctx: &egui::Context) -> String {
        Keymap::installed(ctx).keys(self).first().map_or_else(String::new, |keys| keymap::shown(keys, ctx))
    }

    /// Text of all keys.
    pub(crate) fn all_shortcuts_text(self, ctx: &egui::Context) -> String {
        let all = Keymap::installed(ctx).keys(self);
        all.iter().map(|keys| keymap::shown(keys, ctx)).collect::<Vec<_>>().join(", ")
    }

    /// A tooltip, with its keys behind it.
    pub(crate) fn hint(self, ctx: &egui::Context, text: &str) -> String {
        match self.shortcut_text(ctx) {
            keys if keys.is_empty() => text.to_string(),
            keys => format!("{text}  ({keys})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Markers around the manual's table.
    const FROM: &str = "<!-- commands: written by the test of src/editor/commands/command.rs -->\n";
    const TO: &str = "<!-- end of commands -->";

    #[test]
    fn no_two_commands_share_a_shortcut() {
        let mut seen = std::collections::HashMap::new();
        for command in Command::all() {
            for keys in command.default_keys() {
                let other = seen.insert(format!("{keys:?}"), command);
                assert_eq!(other, None, "{command:?}");
            }
        }
    }

    #[test]
    fn ids_in_settings_files_stay_as_they_are() {
        let ids: Vec<String> = Command::all().map(Command::id).collect();
        let one = |command: Command| command.id();
        assert_eq!(
            [one(Command::Play), one(Command::MakeLocalCopy), one(Command::AlignLeft)],
            ["play", "make_local_copy", "align_left"]
        );
        let unique: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        insta::assert_snapshot!(ids.join(" "));
    }

    fn table() -> String {
        let mut text = "\n| menu | command | keys |\n|---|---|---|\n".to_string();
        for (menu, commands) in MENUS {
            for command in *commands {
                let keys = command.default_keys().map(|keys| keymap::in_manual(&keys));
                let keys = keys.collect::<Vec<_>>().join(", ");
                text += &format!("| {menu} | {} | {keys} |\n", command.label().trim_end_matches('…'));
            }
        }
        text + "\n"
    }

    #[test]
    fn the_manual_lists_every_command_with_its_keys() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/editor.md");
        let manual = std::fs::read_to_string(path).unwrap();
        let (before, rest) = manual.split_once(FROM).expect("the manual has a place for the commands");
        let (listed, after) = rest.split_once(TO).expect("the place ends");
        if std::env::var_os("STAGEWRIGHT_BLESS").is_some() {
            std::fs::write(path, format!("{before}{FROM}{}{TO}{after}", table())).unwrap();
        } else {
            assert_eq!(listed, table(), "run the tests with STAGEWRIGHT_BLESS=1 to rewrite it");
        }
    }
}
