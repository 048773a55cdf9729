//! The count of a particle set as it lies in memory: how many are alive, how many were ever emitted, and the workgroups of a dispatch
//! over those alive. Kernels that change a set compute the workgroups in the same way (`plan/codegen`).

/// Words of a count: live, ever emitted, two unused, workgroups along x, y and z, one unused.
pub const COUNT_WORDS: u64 = 8;
/// Words of it that say how many there are and were. The others follow from them, so files hold these alone.
pub const COUNT_NUMBERS: usize = 2;

/// Particles of a workgroup.
const GROUP: u32 = 256;
/// Maximum of workgroups along an axis: the limit of WebGPU.
const GROUPS: u32 = 65_535;

/// The words of a count of `live` particles, of which `emitted` were ever made.
pub fn count_words(live: u32, emitted: u32) -> [u32; COUNT_WORDS as usize] {
    let groups = live.div_ceil(GROUP);
    [live, emitted, 0, 0, groups.min(GROUPS), groups.div_ceil(GROUPS), 1, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dispatch_covers_all_live_particles_within_the_limit_of_an_axis() {
        for live in [0, 1, 255, 256, 257, 65_535 * 256, 65_535 * 256 + 1, 1 << 28, u32::MAX] {
            let [n, .., x, y, z, _] = count_words(live, 7);
            let invocations = u64::from(x) * u64::from(y) * u64::from(z) * u64::from(GROUP);
            assert!(n == live && invocations >= u64::from(live) && x <= GROUPS && y <= GROUPS, "{live}: {x} {y} {z}");
            assert!(live > 0 || invocations == 0, "nothing runs over no particle");
        }
    }
}
