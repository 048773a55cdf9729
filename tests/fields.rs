//! Fields: shapes, curl noise and what carries particles along them, held against f64 references and identities. One
//! binary, one device a process. Every measurement prints its error, its bar and where the bar comes from.

#[path = "solvers/harness.rs"]
#[allow(dead_code)] // shared with `solvers`, which uses all of it
mod harness;

#[path = "fields/affine.rs"]
mod affine;
#[path = "fields/analytic.rs"]
mod analytic;
#[path = "fields/asking.rs"]
mod asking;
#[path = "fields/collision.rs"]
mod collision;
#[path = "fields/conversions.rs"]
mod conversions;
#[path = "fields/expressions.rs"]
mod expressions;
#[path = "fields/flipbook.rs"]
mod flipbook;
#[path = "fields/hands.rs"]
mod hands;
#[path = "fields/noise.rs"]
mod noise;
#[path = "fields/noise_reference.rs"]
mod noise_reference;
#[path = "fields/orders.rs"]
mod orders;
#[path = "fields/pinhole.rs"]
mod pinhole;
#[path = "fields/primitives.rs"]
mod primitives;
#[path = "fields/procedural.rs"]
mod procedural;
#[path = "fields/shapes.rs"]
mod shapes;
#[path = "fields/shed.rs"]
mod shed;
#[path = "fields/staggered.rs"]
mod staggered;
#[path = "fields/views.rs"]
mod views;
#[path = "fields/viscous.rs"]
mod viscous;
#[path = "fields/wakes.rs"]
mod wakes;
