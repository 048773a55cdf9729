//! Fields: shapes, curl noise and what carries particles along them, held against f64 references and identities. One
//! binary, one device a process. Every measurement prints its error, its bar and where the bar comes from.

mod affine;
mod analytic;
mod collision;
mod conversions;
mod expressions;
mod flipbook;
mod hands;
mod noise;
mod orders;
mod pinhole;
mod primitives;
mod procedural;
mod shapes;
mod shed;
mod staggered;
mod views;
mod viscous;
mod wakes;
