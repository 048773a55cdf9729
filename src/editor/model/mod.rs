//! What the editor edits and runs, without a window: the document with its undo steps, the session, playing, settings and files on disk. Draws nothing.

pub(crate) mod alignment;
pub(crate) mod amount;
pub(crate) mod compiler;
pub(crate) mod declared;
pub(crate) mod device;
pub(crate) mod disk;
pub(crate) mod disk_work;
pub(crate) mod driver;
pub(crate) mod edited_text;
pub(crate) mod grouping;
pub(crate) mod history;
pub(crate) mod layout;
pub(crate) mod leaving_caches;
pub(crate) mod loader;
pub(crate) mod names;
pub(crate) mod pane;
pub(crate) mod player;
pub(crate) mod presets;
pub(crate) mod recovery;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod stages;
pub mod storage;
