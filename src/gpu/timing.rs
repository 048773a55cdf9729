//! GPU time of every node, from timestamps between its dispatches.

use super::device::Gpu;
use super::readback::Reading;
use crate::plan::Plan;

/// GPU time of a node in one frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct NodeTime {
    pub node: String,
    /// Milliseconds.
    pub ms: f64,
}

/// Timestamps at the borders between nodes. What they say arrives some frames later.
pub struct Timing {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Node of each stretch, and the dispatch at which it begins.
    stretches: Vec<(String, usize)>,
    pending: Option<Reading>,
    latest: Vec<NodeTime>,
}

/// Most queries that a set may hold.
const MAX_QUERIES: usize = wgpu::QUERY_SET_MAX_QUERIES as usize;

impl Timing {
    /// `None` where the adapter has no timestamps inside passes.
    pub fn new(gpu: &Gpu, plan: &Plan) -> Option<Timing> {
        let needs = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES;
        if !gpu.device.features().contains(needs) {
            return None;
        }
        let mut stretches: Vec<(String, usize)> = Vec::new();
        for (index, dispatch) in plan.frame.iter().enumerate() {
            if stretches.last().is_none_or(|(node, _)| *node != dispatch.node) {
                stretches.push((dispatch.node.clone(), index));
            }
        }
        if stretches.len() + 1 > MAX_QUERIES {
            return None;
        }
        let count = stretches.len() as u32 + 1;
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("node times"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("node times"),
            size: u64::from(count) * 8,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Timing { queries, resolved, stretches, pending: None, latest: Vec::new() })
    }

    /// Marks the border in front of a dispatch, or behind the last one.
    pub fn mark(&self, pass: &mut wgpu::ComputePass<'_>, dispatch: usize, end: bool) {
        if end {
            pass.write_timestamp(&self.queries, self.stretches.len() as u32);
        } else if let Ok(stretch) = self.stretches.binary_search_by_key(&dispatch, |(_, first)| *first) {
            pass.write_timestamp(&self.queries, stretch as u32);
        }
    }

    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.stretches.len() as u32 + 1, &self.resolved, 0);
    }

    /// Takes in what has arrived, and asks anew.
    pub fn collect(&mut self, gpu: &Gpu, wait: bool) {
        match self.pending.take() {
            None => self.pending = Some(Reading::start(gpu, &self.resolved)),
            Some(pending) if wait => self.take(gpu, pending.wait()),
            Some(pending) => match pending.try_take() {
                Ok(words) => {
                    self.take(gpu, words);
                    self.pending = Some(Reading::start(gpu, &self.resolved));
                }
                Err(pending) => self.pending = Some(pending),
            },
        }
    }

    fn take(&mut self, gpu: &Gpu, words: Option<Vec<u32>>) {
        let Some(words) = words else { return };
        let period = f64::from(gpu.queue.get_timestamp_period());
        let stamps: Vec<u64> = words.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
        self.latest = self.stretches.iter().zip(stamps.windows(2)).fold(Vec::new(), |mut times, ((node, _), pair)| {
            let ms = pair[1].saturating_sub(pair[0]) as f64 * period * 1e-6;
            match times.iter_mut().find(|t: &&mut NodeTime| t.node == *node) {
                Some(time) => time.ms += ms,
                None => times.push(NodeTime { node: node.clone(), ms }),
            }
            times
        });
    }

    pub fn latest(&self) -> &[NodeTime] {
        &self.latest
    }
}
