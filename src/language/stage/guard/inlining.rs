//! Estimates how much a stage grows when a driver inlines every call, as all drivers do. WGSL has no recursion, but a
//! chain of functions that each call the previous one twice doubles with every link.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::stage::syntax::{Token, calls, functions};

/// Limit of function calls in a stage after inlining; a driver takes up to milliseconds for each.
pub(crate) const MAX_EXPANSION: u64 = 4096;
/// Limit of function calls in a kernel after inlining, inlined fields included.
pub const MAX_KERNEL_EXPANSION: u64 = 4 * MAX_EXPANSION;

/// The function that exceeds a limit, if one does.
pub fn excessive<'a>(tokens: &[Token<'a>], limit: u64) -> Option<Token<'a>> {
    let within = |body: &Range<usize>| tokens.get(body.clone()).unwrap_or_default();
    let all = functions(tokens);
    let bodies: Vec<(Token<'a>, Vec<&'a str>)> =
        all.iter().map(|f| (f.name, calls(within(&f.body)).map(|(_, name)| name).collect())).collect();
    let mut sizes = BTreeMap::<&str, u64>::new();
    // WGSL allows any order, so this is a fixed-point iteration with as many rounds as the longest chain of calls.
    // Exponential growth shows up long before.
    for _ in 0..=bodies.len().min(64) {
        let mut stable = true;
        for (name, calls) in &bodies {
            let size = calls.iter().fold(1u64, |sum, call| sum.saturating_add(sizes.get(call).copied().unwrap_or(0)));
            stable &= sizes.insert(name.text, size) == Some(size);
            if size > limit {
                return Some(*name);
            }
        }
        if stable {
            break;
        }
    }
    None
}
