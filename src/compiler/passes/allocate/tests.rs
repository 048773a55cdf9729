//! Tests: wrong assignments of memory are refused.

use super::*;
use crate::tests::Optimised;
use crate::tuning::Tuning;

/// Programs with their memory.
struct Good {
    of: Optimised,
    memory: Allocation,
}

impl Good {
    fn new(tuning: &Tuning) -> Good {
        let of = Optimised::new(tuning);
        let memory = allocate(&of.graph, &of.frame, &of.reset).unwrap();
        Good { of, memory }
    }

    /// The verifier's message after the memory or the frame was damaged.
    #[track_caller]
    fn refused(&self, complaint: &str, breaks: impl Fn(&mut Allocation, &mut Program)) {
        let mut memory = allocate(&self.of.graph, &self.of.frame, &self.of.reset).unwrap();
        let mut frame = self.of.frame.clone();
        breaks(&mut memory, &mut frame);
        let message = verify(&self.of.graph, &frame, &self.of.reset, &memory).expect_err(complaint);
        println!("{message}");
        assert!(message.contains(complaint), "{message}, not {complaint}");
    }

    /// Moves a value into the buffer of another.
    #[track_caller]
    fn shared(&self, value: ValueId, with: ValueId, complaint: &str) {
        self.refused(complaint, |memory, _| memory.frame[value] = memory.frame[with]);
    }

    /// The values that the first stage of a node writes in a frame.
    fn made(&self, node: &str) -> Vec<ValueId> {
        self.of.frame.ops[self.of.stage(node)].writes.iter().map(|write| write.value).collect()
    }
}

#[test]
fn memory_is_given_out_well() {
    for tuning in [Tuning::default(), Tuning::cpu(), Tuning::gpu()] {
        let good = Good::new(&tuning);
        println!("{:?}", good.memory.frame);
        assert_eq!(verify(&good.of.graph, &good.of.frame, &good.of.reset, &good.memory), Ok(()));
    }
}

#[test]
fn every_value_has_memory_and_room() {
    let good = Good::new(&Tuning::default());
    let y = good.made("half")[0];
    good.refused("%4 has no memory", |memory, _| memory.frame[y] = None);
    good.refused("%4 is in b99, and there is none", |memory, _| memory.frame[y] = Some(BufferId::new(99)));
    good.refused("%4 takes 512 bytes, and b4 has 500", |memory, _| {
        memory.buffers[memory.frame[y].unwrap()].bytes = 500;
    });
}

#[test]
fn values_that_live_at_the_same_time_share_nothing() {
    let good = Good::new(&Tuning::default());
    let ramp = good.made("ramp")[0];
    let half = good.made("half")[0];
    let less = good.made("less")[0];
    let sum = good.made("spread")[0];
    let (x, left) = (good.made("solve/add")[0], good.made("solve/add")[1]);
    good.shared(half, ramp, "%4 overwrites %3, which it still reads");
    good.shared(less, half, "%5 overwrites %4, which it still reads");
    good.shared(left, x, "%8 and %7 are written to one buffer");
    good.refused("%4 is gone: b4 holds %7", |memory, _| memory.frame[x] = memory.frame[half]);
    good.refused("%24 overwrites %4, which it still reads", |memory, _| memory.frame[sum] = memory.frame[half]);
}

/// The first frame would find it, the next one would not.
#[test]
fn what_is_computed_once_stays() {
    let good = Good::new(&Tuning::default());
    let (ramp, x) = (good.made("ramp")[0], good.made("solve/add")[0]);
    good.refused("an operation of half: %3 is gone: b3 holds %7", |memory, frame| {
        memory.wires.clear();
        frame.together.clear();
        on_its_own(frame);
        memory.frame[x] = memory.frame[ramp];
    });
}

#[test]
fn states_and_what_is_kept_stay() {
    let good = Good::new(&Tuning::default());
    let (state, key) = good.of.frame.states.iter().next().map(|(key, value)| (*value, key.clone())).unwrap();
    good.refused("%0 is gone: b0 holds nothing", |memory, _| memory.states.retain(|other, _| *other != key));
    good.refused("after the frame %5 is gone", |memory, frame| {
        let last = frame.ops.as_slice().last().unwrap().writes[0].value;
        memory.frame[last] = memory.frame[state];
    });
    good.refused("the State of %0 does not become %5", |memory, frame| {
        let next = frame.next[&key];
        let like = memory.buffers[memory.frame[next].unwrap()].clone();
        memory.frame[next] = Some(memory.buffers.push(like));
    });
    good.refused("reset: the State in b0 does not start from its value", |memory, _| {
        let next = good.of.reset.next[&key];
        memory.reset[next] = memory.frame[good.made("half")[0]];
    });
}

#[test]
fn what_a_group_carries_stays_until_its_next_repeat() {
    let good = Good::new(&Tuning::default());
    let [first, second, _] = good.of.frame.together[0][..] else { panic!("three repeats") };
    good.refused("%11 is carried, and not in the place of %7", |memory, frame| {
        on_its_own(frame);
        let like = memory.buffers[memory.frame[second].unwrap()].clone();
        memory.frame[second] = Some(memory.buffers.push(like));
    });
    // The number that the first test reads is written at the end of the first repeat; the second repeat may be skipped.
    let left = good.made("solve/add")[1];
    let reduced = good.of.frame.ops.iter().find(|op| op.reads.iter().any(|read| read.value == left)).unwrap();
    let number = reduced.writes[0].value;
    good.refused("%9 takes the place of what a group carries, and the group may stop", |memory, frame| {
        on_its_own(frame);
        memory.frame[number] = memory.frame[first];
    });
}

/// Removes the versions that operations update.
fn on_its_own(frame: &mut Program) {
    frame.ops.iter_mut().flat_map(|op| &mut op.writes).for_each(|write| write.consumes = None);
}
