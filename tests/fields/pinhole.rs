//! The camera of these tests in f64, in three directions.

use stagewright_solver_support::field_samples::{Point, added, crossed, scaled};

pub const LOOK_AT: Point = [0.5, 0.25, 0.75];
/// Azimuth, elevation and roll, in degrees.
pub const VIEWS: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [30.0, 20.0, 0.0], [-120.0, -35.0, 15.0]];

/// Right, up and forward.
pub fn axes([azimuth, elevation, roll]: [f64; 3]) -> [Point; 3] {
    let [turn, rise, roll] = [azimuth, elevation, roll].map(f64::to_radians);
    let back = [rise.cos() * turn.sin(), rise.sin(), rise.cos() * turn.cos()];
    let level = [turn.cos(), 0.0, -turn.sin()];
    let upright = crossed(back, level);
    let right = added(scaled(level, roll.cos()), scaled(upright, roll.sin()));
    [right, crossed(back, right), scaled(back, -1.0)]
}
