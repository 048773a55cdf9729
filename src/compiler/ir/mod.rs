//! The intermediate representation: operations on values, each value written once, and queries about them.

pub(super) mod bindings;
pub(super) mod bins;
pub(super) mod blocks;
pub(super) mod demand;
pub(super) mod in_place;
pub(super) mod layout;
pub(super) mod lifetimes;
pub(super) mod links;
pub(super) mod packs;
mod program;
pub(super) mod query;
pub(crate) mod stored;
mod text;
pub(super) mod tiles;
mod verify;
pub(super) mod window;
pub(super) mod workgroups;

pub(super) use program::{
    InstanceId, Lanes, OWN, Op, OpId, Part, PictureValue, Program, Read, StageInstance, StateKey, Task, ValueId,
    WireValue, Write,
};
pub(super) use text::text;
pub(super) use verify::{verify, verify_scheduled};
