//! The open dialogs, from back to front. Whatever opens over the panes and has the keys is an entry here.

use super::editor::Preferences;
use super::open_list::OpenList;
use crate::panes::bake::BakeDialog;
use crate::panes::export::ExportDialog;
use crate::panes::plan_pane::KernelText;
use crate::panes::presets::PresetDialog;
use crate::panes::variants::NameDialog;

/// An open dialog.
pub(crate) enum Dialog {
    About,
    History,
    Preferences,
    Export,
    Bake,
    /// Text of a kernel.
    Kernel(KernelText),
    /// Question about a preset.
    Preset(PresetDialog),
    /// Name that is typed for a variant.
    VariantName(NameDialog),
    /// List to choose from.
    List(OpenList),
    /// System dialog for files, or a question about them. [`Files`](crate::panes::files::Files) holds which.
    File,
}

impl Dialog {
    /// Whether the dialog has all keys while it is open. Beside the others the panes can be used.
    pub(crate) fn is_modal(&self) -> bool {
        matches!(self, Dialog::Preset(_) | Dialog::VariantName(_) | Dialog::List(_) | Dialog::File)
    }

    fn is_export(&self) -> bool {
        matches!(self, Dialog::Export)
    }

    /// Whether the dialog takes the place of another one.
    pub(super) fn replaces(&self, other: &Dialog) -> bool {
        let alone = |dialog: &Dialog| matches!(dialog, Dialog::About | Dialog::History | Dialog::Preferences);
        std::mem::discriminant(self) == std::mem::discriminant(other) || (alone(self) && alone(other))
    }
}

/// The open dialogs, and what those show that remember something.
#[derive(Default)]
pub(crate) struct Dialogs {
    /// Open dialogs; the last one is in front.
    pub(super) open: Vec<Dialog>,
    /// The last press was in the one in front, so Enter is for it.
    pub(super) active: bool,
    /// Enter was pressed for the one in front.
    pub(super) entered: bool,
    pub(super) export: ExportDialog,
    pub(super) bake: BakeDialog,
    pub(super) preferences: Preferences,
}

impl Dialogs {
    /// Whether a dialog, or a list in one, has all keys.
    pub(super) fn has_modal(&self) -> bool {
        self.open.iter().any(|dialog| dialog.is_modal() || (dialog.is_export() && self.export.is_choosing()))
    }

    pub(super) fn has_export(&self) -> bool {
        self.open.iter().any(Dialog::is_export)
    }

    pub(super) fn has_file(&self) -> bool {
        self.open.iter().any(|dialog| matches!(dialog, Dialog::File))
    }

    /// Closes the entry of files: its question is answered.
    pub(super) fn close_file(&mut self) {
        self.open.retain(|dialog| !matches!(dialog, Dialog::File));
    }

    /// Forgets what was shown of the graph that was open before.
    pub(super) fn forget_graph(&mut self) {
        self.open.retain(|dialog| !matches!(dialog, Dialog::Kernel(_) | Dialog::VariantName(_) | Dialog::List(_)));
        self.export.forget_graph();
    }

    /// Closes an open list: what it lists may be gone.
    pub(crate) fn close_list(&mut self) {
        self.open.retain(|dialog| !matches!(dialog, Dialog::List(_)));
    }
}
