//! SPH Time Left
//! Checks that the substeps of a frame have used all of its time.
//! Source: the article's slow motion, when it makes fewer iterations than substeps.
//!
//! @over once
//! @in    left: f32                                        Time that is left of the frame after the last substep, from SPH Time Step [s]
//! @out   lost: f32, expect 0..0.000001                    The same. Above 0 the fluid runs in slow motion: allow more substeps, or use less stiffness or viscosity [s]

fn stage() -> f32 { return left(); }
