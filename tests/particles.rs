//! Particles: what is emitted, killed, sorted, found, moved and computed, held against CPU models, analytic solutions and
//! published tables. One binary, one device a process. Every measurement prints its error, its bar and where the bar
//! comes from: `cargo nextest run --test particles --no-capture`.

#[path = "particles/adaptive.rs"]
mod adaptive;
#[path = "particles/collide.rs"]
mod collide;
#[path = "particles/dam_break.rs"]
mod dam_break;
#[path = "particles/dfsph.rs"]
mod dfsph;
#[path = "particles/emission.rs"]
mod emission;
#[path = "particles/found.rs"]
mod found;
#[allow(dead_code, reason = "shared with the solvers, which use the rest")]
#[path = "solvers/harness.rs"]
mod harness;
#[path = "particles/killing.rs"]
mod killing;
#[path = "particles/motion.rs"]
mod motion;
#[path = "particles/neighbors.rs"]
mod neighbors;
#[path = "particles/packs.rs"]
mod packs;
#[path = "particles/sets.rs"]
mod sets;
#[path = "particles/sorting.rs"]
mod sorting;
#[path = "particles/sph.rs"]
mod sph;
#[path = "particles/sph_reference.rs"]
mod sph_reference;
#[path = "particles/sph_rest.rs"]
mod sph_rest;
#[path = "particles/tank.rs"]
mod tank;
