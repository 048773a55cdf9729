//! The shaders of views: they validate, and the uniform block is the same on both sides.

use std::mem::offset_of;

use stagewright_runtime::gpu::wire_view::{Params, found, wgsl};

fn module() -> naga::Module {
    let text = wgsl();
    let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32);
    validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
    module
}

fn offsets(module: &naga::Module, name: &str) -> Vec<(String, usize)> {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let Some((_, naga::Type { inner: naga::TypeInner::Struct { members, .. }, .. })) = found else {
        panic!("there is no struct {name}")
    };
    members.iter().map(|m| (m.name.clone().unwrap(), m.offset as usize)).collect()
}

#[test]
fn the_shaders_validate_and_their_blocks_are_those_of_the_program() {
    let module = module();
    let here = [
        ("resolution", offset_of!(Params, resolution)),
        ("kind", offset_of!(Params, kind)),
        ("size", offset_of!(Params, size)),
        ("view", offset_of!(Params, view)),
        ("axis", offset_of!(Params, axis)),
        ("elements", offset_of!(Params, elements)),
        ("live", offset_of!(Params, live)),
        ("stride", offset_of!(Params, stride)),
        ("components", offset_of!(Params, components)),
        ("scalar", offset_of!(Params, scalar)),
        ("dim", offset_of!(Params, dim)),
        ("layer", offset_of!(Params, layer)),
        ("place_stride", offset_of!(Params, place_stride)),
        ("show", offset_of!(Params, show)),
        ("component", offset_of!(Params, component)),
        ("map", offset_of!(Params, map)),
        ("given", offset_of!(Params, given)),
        ("low", offset_of!(Params, low)),
        ("high", offset_of!(Params, high)),
        ("zero", offset_of!(Params, zero)),
        ("asked", offset_of!(Params, asked)),
        ("pointer", offset_of!(Params, pointer)),
        ("cell_size", offset_of!(Params, cell_size)),
        ("signed_map", offset_of!(Params, signed_map)),
        ("plane", offset_of!(Params, plane)),
        ("right", offset_of!(Params, right)),
        ("up", offset_of!(Params, up)),
        ("forward", offset_of!(Params, forward)),
        ("eye", offset_of!(Params, eye)),
        ("edges", offset_of!(Params, edges)),
    ];
    assert_eq!(offsets(&module, "Params"), here.map(|(name, offset)| (name.to_string(), offset)));
    let words = [
        ("finite", found::FINITE),
        ("nans", found::NANS),
        ("infinite", found::INFINITE),
        ("count", found::COUNT),
        ("low", found::LOW),
        ("high", found::HIGH),
        ("inverse", found::INVERSE),
        ("edges", found::EDGES),
        ("bins", found::BINS),
        ("picked", found::PICKED),
        ("place", found::PLACE),
        ("words", found::VALUE),
    ];
    let there = offsets(&module, "Found");
    for (name, word) in words {
        assert!(there.contains(&(name.to_string(), word * 4)), "{name} is not at word {word}: {there:?}");
    }
}
