//! Carries out the commands about variants.

use super::Editor;
use super::dialog_stack::Dialog;
use super::open_list::Listed;
use crate::panes::variants::{DEFAULT, NameDialog, Naming};
use crate::toolkit::picker::Item;

impl Editor {
    /// Opens the dialog for a variant's name.
    pub(crate) fn name_variant(&mut self, naming: Naming) {
        self.open_dialog(Dialog::VariantName(NameDialog::new(naming)));
    }

    /// Asks for another name of the chosen variant.
    pub(crate) fn rename_variant(&mut self) {
        if let Some(name) = self.session.variant().map(str::to_string) {
            self.name_variant(Naming::Rename(name));
        }
    }

    /// Deletes the chosen variant.
    pub(crate) fn remove_variant(&mut self) {
        if let Some(name) = self.session.variant().map(str::to_string) {
            self.session.remove_variant(&name);
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
}
