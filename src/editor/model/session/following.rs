//! A particle that is followed: its way over the last frames, and from there on. The frames are computed again on a thread.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};

use super::Session;
use super::followed::{Answer, Following};
use crate::background::answer;
use crate::graph::field_samples::split;
use crate::problem::Problem;
use crate::sim::debug::Follower;

/// Frames before the present one that a particle is followed back.
const BACK: u64 = 120;
/// Frames that are kept.
const KEPT: usize = 4096;

impl Session {
    /// The particle that is followed.
    pub(crate) fn following(&self) -> Option<&Following> {
        self.following.as_ref()
    }

    /// The followed particle, to choose what is plotted.
    pub(crate) fn following_mut(&mut self) -> Option<&mut Following> {
        self.following.as_mut()
    }

    /// Follows a particle of a wire, or of one of its attributes, by its index at present.
    ///
    /// # Errors
    /// Why it can't be followed, in one sentence.
    pub(crate) fn follow(&mut self, wire: &str, index: u64) -> Result<(), String> {
        if self.is_debugging() {
            return Err(
                "Inside a frame particles have other indices; leave the frame and point at the particle again".into()
            );
        }
        let wire = split(wire).0;
        let Some(simulation) = &mut self.simulation else { return Err("Nothing runs yet".into()) };
        let plan = simulation.plan();
        let is_set = |name: &str| plan.wires.contains_key(&format!("{name}.count"));
        let set =
            Some(wire).filter(|wire| is_set(wire)).or_else(|| Some(wire.rsplit_once('.')?.0).filter(|s| is_set(s)));
        let set = set.ok_or_else(|| format!("{wire} has no particles to follow"))?.to_string();
        let now = simulation.frame();
        let past =
            simulation.past(now).ok_or("The frames before this one can't be computed again; play a frame first")?;
        let stopped = Arc::new(AtomicBool::new(false));
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let gpu = self.gpu.clone();
        let plan = self.plain_plan();
        let ours = stopped.clone();
        let named = set.clone();
        let job = self.spawn(move || {
            Follower::new(&gpu, plan()?, &past, (&named, index), BACK, || !ours.load(Ordering::Relaxed))
        });
        self.following = Some(Following {
            state: set.clone(),
            set,
            index,
            frame: now,
            follower: None,
            job: Some(job),
            stopped,
            points: Vec::new(),
            gone: false,
            plotted: BTreeSet::new(),
        });
        Ok(())
    }

    /// Follows no particle any more.
    pub(crate) fn stop_following(&mut self) {
        self.following = None;
    }

    /// Takes over what was found, and follows the particle into frames that were computed meanwhile.
    pub(super) fn poll_following(&mut self) {
        let Some(following) = &mut self.following else { return };
        if let Some(job) = &following.job {
            let answer = match job.try_recv() {
                Err(TryRecvError::Empty) => return,
                Ok(answer) => answer,
                Err(TryRecvError::Disconnected) => {
                    Err(Problem::new("", "", "the particle could not be followed", "point at it again").into())
                }
            };
            following.job = None;
            match answer {
                Ok(Some((follower, points))) => {
                    following.points.extend(points);
                    let surplus = following.points.len().saturating_sub(KEPT);
                    following.points.drain(..surplus);
                    following.state = follower.set().into();
                    following.gone = follower.is_gone();
                    following.follower = Some(follower);
                }
                Ok(None) => {}
                Err(problems) => {
                    self.following = None;
                    self.debugging.message = Some(problems.to_string());
                    return;
                }
            }
        }
        if self.is_debugging() {
            return;
        }
        let (Some(following), Some(simulation)) = (&mut self.following, &mut self.simulation) else { return };
        let now = simulation.frame();
        let behind = |follower: &mut Follower| !following.gone && follower.frame() < now;
        let Some(mut follower) = following.follower.take_if(behind) else { return };
        let Some(past) = simulation.past(now) else { return };
        let stopped = following.stopped.clone();
        let work =
            move || follower.go_on(&past, || !stopped.load(Ordering::Relaxed)).map(|points| Some((follower, points)));
        let job = self.spawn(work);
        if let Some(following) = &mut self.following {
            following.job = Some(job);
        }
    }

    /// Works on a thread, and wakes the window then.
    fn spawn(&self, work: impl FnOnce() -> Answer + Send + 'static) -> Receiver<Answer> {
        let wake = self.wake.clone();
        answer("follow", move || wake(), work)
    }
}
