//! Carries out the commands about variants.

use eframe::egui;

use super::Editor;
use super::execute::Listed;
use crate::editor::commands::command::Command;
use crate::editor::panes::variants::{DEFAULT, NameDialog, Naming};
use crate::editor::toolkit::picker::Item;

impl Editor {
    /// Carries out a command about variants, but for the list of them.
    pub(crate) fn execute_variant(&mut self, command: Command) {
        let chosen = self.session.variant().map(str::to_string);
        match (command, chosen) {
            (Command::StoreVariant, _) => self.naming = Some(NameDialog::new(Naming::Store)),
            (Command::RenameVariant, Some(name)) => self.naming = Some(NameDialog::new(Naming::Rename(name))),
            (Command::RemoveVariant, Some(name)) => self.session.remove_variant(&name),
            _ => {}
        }
    }

    /// The variants as a list to choose from.
    pub(crate) fn variants_to_choose(&self) -> Listed {
        let item = |title: &str, about: &str| Item {
            title: title.into(),
            group: String::new(),
            words: String::new(),
            note: String::new(),
            doc: about.into(),
            color: None,
            enabled: true,
        };
        let variants = &self.session.document().variants;
        let names = std::iter::once(String::new()).chain(variants.keys().cloned()).collect();
        let others = variants.iter().map(|(name, variant)| item(name, &variant.about));
        (names, std::iter::once(item(DEFAULT, "")).chain(others).collect(), "Variant", 0)
    }

    /// Chooses a variant from that list; an empty name is the default.
    pub(crate) fn choose_listed_variant(&mut self, name: &str) {
        let name = Some(name).filter(|name| !name.is_empty());
        if let Err(sentence) = self.session.choose_variant(name) {
            self.notify(sentence, true);
        }
    }

    /// Draws the dialog that asks for a name.
    pub(crate) fn show_name_dialog(&mut self, ctx: &egui::Context) {
        if let Some(dialog) = &mut self.naming
            && dialog.show(ctx, &mut self.session)
        {
            self.naming = None;
        }
    }
}
