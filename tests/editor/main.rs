//! The editor as a person uses it: pointer, keys and names on the screen, without a window.
//! `cargo nextest run --test editor`.

mod around;
mod bake;
mod bench;
mod blocks;
mod bookmarks;
mod build;
mod cameras;
mod canvas;
mod clipboard;
mod code;
mod compare;
mod debugging;
mod driver;
mod escape;
mod expectations;
mod export;
mod exposing;
mod flow;
mod grouping;
mod groups;
mod handles;
mod heavy;
mod keys;
mod leaving;
mod loading;
mod own_window;
mod plots;
mod ports;
mod precedence;
mod presets;
mod random;
mod scaled;
mod screenshots;
mod seeking;
mod snapshots;
mod soak;
mod sweep;
mod timeline;
mod together;
mod variants;
mod variations;
mod views;

use stagewright_test_support::{renderer, seed};
