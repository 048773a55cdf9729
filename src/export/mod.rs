//! Files made of pictures.

pub mod job;
pub mod png_sequence;
pub mod record;
mod subject;
