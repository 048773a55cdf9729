//! The editor as a person uses it: pointer, keys and names on the screen, without a window.
//! `cargo nextest run --test editor`.

#[path = "editor/bench.rs"]
mod bench;
#[path = "editor/build.rs"]
mod build;
