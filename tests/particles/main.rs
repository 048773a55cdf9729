//! Particles: what is emitted, killed, sorted, found, moved and computed, held against CPU models, analytic solutions and
//! published tables. One binary, one device a process. Every measurement prints its error, its bar and where the bar
//! comes from: `cargo nextest run --test particles --no-capture`.

mod adaptive;
mod collide;
mod corrected;
mod dam_break;
mod dense;
mod dfsph;
mod emission;
mod faces;
mod found;
mod killing;
mod listed;
mod matrices;
mod motion;
mod neighbors;
mod packs;
mod sets;
mod sorting;
mod sph;
mod sph_reference;
mod sph_rest;
mod sums;
mod tank;
mod together;
mod zeroed;
