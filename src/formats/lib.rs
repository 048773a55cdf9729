//! File formats: bytes from a file become values, without a graph and without a GPU.
//!
//! `NAME/read.rs` reads the files of a format, and `NAME/write.rs` writes them. [`READERS`] lists the readers: which extensions each takes, what its files become,
//! and the function that reads them. Whatever depends on the format of a file asks that table. A reader fails with a [`Cause`],
//! the end of a sentence about the file. Bytes that the format does not allow are [`Malformed`], whatever the format; a
//! [`Cursor`] reads binary files and reports where they are cut off. [`Work`] reports the progress of a reader and stops it.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

/// Extensions of meshes, for sentences.
#[macro_export]
macro_rules! meshes {
    (or) => {
        ".obj, .gltf or .glb"
    };
    () => {
        ".obj, .gltf, .glb"
    };
}

/// Extensions of images, for sentences.
#[macro_export]
macro_rules! images {
    (or) => {
        ".png, .jpg or .exr"
    };
    () => {
        ".png, .jpg, .exr"
    };
}

/// Extensions of grids, for sentences.
#[macro_export]
macro_rules! grids {
    (or) => {
        ".npy or .vdb"
    };
    () => {
        ".npy, .vdb"
    };
}

/// Extensions of files that hold particles and nothing else, for sentences.
#[macro_export]
macro_rules! particles {
    (or) => {
        ".ply or .npz"
    };
    () => {
        ".ply, .npz"
    };
}

/// Extensions of sounds and tables, for sentences.
#[macro_export]
macro_rules! tracks {
    (or) => {
        ".wav or .csv"
    };
    () => {
        ".wav, .csv"
    };
}

pub mod bytes;
pub mod content;
pub mod cursor;
mod error;
pub mod limits;
mod malformed;
pub mod mesh;
pub mod numbers;
pub mod pixels;
pub mod points;
mod readers;
mod unread;
pub mod volume;
pub mod warnings;
mod work;

mod csv {
    pub(super) mod read;
}
/// OpenEXR images.
pub mod exr {
    mod layout;
    mod piz;
    pub(super) mod read;
    pub mod write;
}
mod gltf {
    mod accessor;
    mod deform;
    mod extensions;
    mod nodes;
    pub(super) mod read;
}
mod jpeg {
    pub(super) mod read;
}
/// NumPy arrays.
pub mod npy {
    mod layout;
    pub(super) mod read;
    pub mod write;
}
/// Archives of NumPy arrays.
pub mod npz {
    mod layout;
    pub(super) mod read;
    pub mod write;
}
mod obj {
    pub(super) mod read;
}
/// PLY point clouds.
pub mod ply {
    mod layout;
    pub(super) mod read;
    pub mod write;
}
mod png {
    pub(super) mod read;
}
/// OpenVDB volumes.
pub mod vdb {
    mod blosc;
    mod layout;
    pub(super) mod read;
    pub mod tree;
    pub mod write;
}
mod wav {
    pub(super) mod read;
}

pub use content::{ContentKind, Loudness};
pub use csv::read::is_by_time;
pub use cursor::Cursor;
pub use error::{AssetError, Cause, sentence};
pub use malformed::{FormatName, Malformed, Text};
pub use readers::{Companions, READERS, Reader, extension, reader_of};
pub use unread::{is_unread_sound, unread_cause, unread_remedy};
pub use work::{Phase, Work};
