//! The graphs that come with Stagewright: `EXAMPLES` of this folder itself, `TEMPLATES`, the `GROUPS` of the library, the `FILES` that
//! they read, and the `THUMBNAILS` of examples and templates. A program holds those that it uses.

use stagewright_embed::Folder;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
