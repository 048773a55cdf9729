//! What the tests of stages share: graphs that run on one device a process, fields at chosen positions, and references in f64.

pub mod field_samples;
pub mod harness;
pub mod noise;
pub mod reference;
