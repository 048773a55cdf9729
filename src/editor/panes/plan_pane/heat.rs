//! The share of GPU time of each node.

use std::collections::BTreeMap;

use crate::gpu::NodeTime;

/// The share of each node in the time of the frame, 0 to 1. `level` maps a path to the node of the open level that it belongs to.
pub(crate) fn heat<'a>(times: &'a [NodeTime], level: impl Fn(&'a str) -> Option<&'a str>) -> BTreeMap<String, f32> {
    let total: f64 = times.iter().map(|time| time.ms).sum();
    let mut shares = BTreeMap::<String, f32>::new();
    for time in times.iter().filter(|_| total > 0.0) {
        if let Some(node) = level(&time.node) {
            *shares.entry(node.to_string()).or_default() += (time.ms / total) as f32;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_as_hot_as_what_is_in_it() {
        let time = |node: &str, ms| NodeTime { node: node.into(), ms };
        let times = [time("solve/sweep", 3.0), time("solve/start", 1.0), time("look", 4.0)];
        let outer = |path: &'static str| path.split('/').next();
        let times: &'static [NodeTime] = Box::leak(Box::new(times));
        let shares = heat(times, outer);
        assert_eq!((shares["solve"], shares["look"]), (0.5, 0.5));
        let inner = heat(times, |path| path.strip_prefix("solve/"));
        assert_eq!((inner.len(), inner["sweep"]), (2, 0.375));
        assert!(heat(&[time("look", 0.0)], Some).is_empty(), "nothing was measured");
    }
}
