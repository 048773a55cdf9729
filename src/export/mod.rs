pub mod png_sequence;
