//! The intermediate representation: operations on values, each value written once, and what can be asked of them.

pub mod bindings;
pub mod demand;
pub mod in_place;
pub mod layout;
pub mod lifetimes;
pub mod links;
pub mod packs;
mod program;
pub mod query;
mod text;
pub mod tiles;
mod verify;
pub mod window;
pub mod workgroups;

pub use program::{
    InstanceId, OWN, Op, OpId, Part, PictureValue, Program, Read, StageInstance, StateKey, Task, Value, ValueId, Write,
};
pub use text::text;
pub use verify::{verify, verify_scheduled};
