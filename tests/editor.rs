//! The editor as a person uses it: pointer, keys and names on the screen, without a window.
//! `cargo nextest run --test editor`.

#[path = "editor/around.rs"]
mod around;
#[path = "editor/bake.rs"]
mod bake;
#[path = "editor/bench.rs"]
mod bench;
#[path = "editor/bookmarks.rs"]
mod bookmarks;
#[path = "editor/build.rs"]
mod build;
#[path = "editor/cameras.rs"]
mod cameras;
#[path = "editor/canvas.rs"]
mod canvas;
#[path = "editor/clipboard.rs"]
mod clipboard;
#[path = "editor/code.rs"]
mod code;
#[path = "editor/compare.rs"]
mod compare;
#[path = "editor/debugging.rs"]
mod debugging;
#[path = "editor/driver.rs"]
mod driver;
#[path = "editor/escape.rs"]
mod escape;
#[path = "editor/expectations.rs"]
mod expectations;
#[path = "editor/export.rs"]
mod export;
#[path = "editor/exposing.rs"]
mod exposing;
#[path = "editor/flow.rs"]
mod flow;
#[path = "editor/grouping.rs"]
mod grouping;
#[path = "editor/groups.rs"]
mod groups;
#[path = "editor/handles.rs"]
mod handles;
#[path = "editor/heavy.rs"]
mod heavy;
#[path = "editor/keys.rs"]
mod keys;
#[path = "editor/leaving.rs"]
mod leaving;
#[path = "editor/loading.rs"]
mod loading;
#[path = "editor/own_window.rs"]
mod own_window;
#[path = "editor/plots.rs"]
mod plots;
#[path = "editor/ports.rs"]
mod ports;
#[path = "editor/presets.rs"]
mod presets;
#[path = "editor/random.rs"]
mod random;
#[path = "editor/renderer.rs"]
mod renderer;
#[path = "editor/scaled.rs"]
mod scaled;
#[path = "editor/screenshots.rs"]
mod screenshots;
#[allow(dead_code)] // not every test program uses all of it
#[path = "random/seed.rs"]
mod seed;
#[path = "editor/seeking.rs"]
mod seeking;
#[path = "editor/snapshots.rs"]
mod snapshots;
#[path = "editor/soak.rs"]
mod soak;
#[path = "editor/sweep.rs"]
mod sweep;
#[path = "editor/timeline.rs"]
mod timeline;
#[path = "editor/together.rs"]
mod together;
#[path = "editor/variants.rs"]
mod variants;
#[path = "editor/variations.rs"]
mod variations;
#[path = "editor/views.rs"]
mod views;
