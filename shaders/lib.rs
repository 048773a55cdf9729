//! The stages that come with Stagewright: [`SHADERS`], by their path in this folder, as `fluid/advect.wgsl`.

use stagewright_embed::Folder;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
