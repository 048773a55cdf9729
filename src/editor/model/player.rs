//! Playing: when to compute the next frame, and its input.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use eframe::egui;

use super::session::Session;
use crate::edit::{self, Coarser};
use crate::problem::Problems;
use crate::sim::{FrameInput, Simulation};

/// GPU time of a frame from which on it is submitted in slices, so that the window does not wait for it.
const LONG: Duration = Duration::from_millis(30);

/// Frames that take longer are too long to work with.
const HEAVY: Duration = Duration::from_secs(1);
/// Time of a frame that is aimed for then.
const WANTED: Duration = Duration::from_millis(400);
/// After this time the part of a frame that is computed tells how long it will take.
const SURE: Duration = Duration::from_millis(700);

/// A jump that takes longer is shown, with a way to stop it.
const SLOW: Duration = Duration::from_millis(500);

/// GPU time of the frames that a jump computes at once, so that the window goes on.
const AT_ONCE: Duration = Duration::from_millis(30);
/// Most frames that are caught up with at once where playing keeps to real time.
const CAUGHT_UP: u32 = 8;

/// Frames that may be queued on the GPU; more would only delay the window.
const IN_FLIGHT: u32 = 2;

/// Speeds relative to real time, the slowest first.
pub(crate) const SPEEDS: [f64; 6] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0];

/// The pointer over the image, and the keys that go with it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pointer {
    /// 0..1 from the lower left of the domain that the image shows, while it is over it or holds a button that was pressed in the view.
    pub at: Option<[f32; 2]>,
    /// Bits: 1 left, 2 right, 4 middle.
    pub buttons: u32,
    /// Bits: 1 space. Keys that are held while the pointer is there.
    pub keys: u32,
}

/// The clock of the simulation.
pub(crate) struct Player {
    pub playing: bool,
    /// Relative to real time.
    pub speed: f64,
    /// Playing keeps to real time, and frames are computed that are not shown; otherwise each is shown.
    pub real_time: bool,
    /// First and last frame that are played in a loop.
    pub range: Option<(u64, u64)>,
    /// Whether the frames in `range` are played in a loop.
    pub looped: bool,
    /// The frame that a jump goes to, and when it began.
    target: Option<u64>,
    sought: Option<Instant>,
    /// Frames to compute while paused.
    steps: u32,
    /// The images no longer show the current graph.
    stale: bool,
    /// When the next frame is due \[s\].
    due: f64,
    /// The pointer of the last frame.
    before: Option<[f32; 2]>,
    /// The input of the last frame.
    input: FrameInput,
    in_flight: Arc<AtomicU32>,
    /// GPU time of the last frame, from its submission until it was computed \[ns\]; 0 while nothing is known of the running plan.
    took: Arc<AtomicU64>,
    /// A frame that is being computed in slices.
    started: Option<Started>,
    /// When the last frames were computed \[s\].
    stamps: VecDeque<f64>,
    /// GPU time of a frame \[ms\], smoothed.
    gpu_ms: Option<f64>,
}

/// A frame that is being computed in slices.
struct Started {
    since: Instant,
    /// Whether the frame is a step, and no preview.
    step: bool,
}

impl Default for Player {
    fn default() -> Player {
        Player {
            playing: true,
            speed: 1.0,
            real_time: false,
            range: None,
            looped: false,
            target: None,
            sought: None,
            steps: 0,
            stale: false,
            due: 0.0,
            before: None,
            input: FrameInput::default(),
            in_flight: Arc::default(),
            took: Arc::default(),
            started: None,
            stamps: VecDeque::new(),
            gpu_ms: None,
        }
    }
}

impl Player {
    /// Requests one frame; playing stops.
    pub(crate) fn step(&mut self) {
        self.playing = false;
        self.steps += 1;
    }

    /// Goes to a frame, as soon as the GPU has computed it.
    pub(crate) fn go_to(&mut self, frame: u64) {
        self.sought = self.sought.filter(|_| self.target.is_some()).or_else(|| Some(Instant::now()));
        self.target = Some(frame);
        self.steps = 0;
    }

    /// The frame that a jump goes to.
    pub(crate) fn target(&self) -> Option<u64> {
        self.target
    }

    /// The frame that a jump goes to which takes so long that it is worth a word.
    pub(crate) fn slow_target(&self) -> Option<u64> {
        self.target.filter(|_| self.sought.is_some_and(|began| began.elapsed() > SLOW))
    }

    /// Stops a jump where it is.
    pub(crate) fn stay(&mut self) {
        self.target = None;
    }

    /// Requests new images after a change; while paused, time does not advance for that.
    pub(crate) fn refresh(&mut self) {
        self.stale = true;
    }

    /// Whether new images were requested, once: inside a frame nothing has to be computed for them.
    pub(crate) fn take_refresh(&mut self) -> bool {
        std::mem::take(&mut self.stale)
    }

    /// Whether a frame is to be computed.
    pub(crate) fn active(&self) -> bool {
        self.playing || self.steps > 0 || self.stale || self.target.is_some()
    }

    /// Recent frames per second, while playing.
    pub(crate) fn rate(&self) -> Option<f64> {
        let (first, last) = (self.stamps.front()?, self.stamps.back()?);
        (self.playing && last > first).then(|| (self.stamps.len() - 1) as f64 / (last - first))
    }

    /// GPU time of a frame \[ms\], smoothed.
    pub(crate) fn gpu_ms(&self) -> Option<f64> {
        self.gpu_ms
    }

    /// Starts over with another graph.
    pub(crate) fn clear(&mut self) {
        *self = Player {
            playing: self.playing,
            speed: self.speed,
            real_time: self.real_time,
            in_flight: self.in_flight.clone(),
            ..Player::default()
        };
    }

    /// Continues on another device, where no frame is queued yet.
    pub(crate) fn attach(&mut self) {
        (self.in_flight, self.took, self.started) = (Arc::default(), Arc::default(), None);
        self.stamps.clear();
        (self.due, self.stale) = (0.0, true);
    }

    /// Another plan runs, of which nothing is known yet. A frame of the simulation that is still under way, while a frame is stood in or
    /// left, is collected like any other.
    pub(crate) fn meet_plan(&mut self) {
        self.took = Arc::default();
        self.refresh();
    }

    /// GPU time of the last frame, if one was computed.
    fn took(&self) -> Option<Duration> {
        Some(Duration::from_nanos(self.took.load(Ordering::Relaxed))).filter(|took| !took.is_zero())
    }

    /// Time that a frame takes, once one was measured \[s\].
    pub(crate) fn frame_seconds(&self) -> Option<f64> {
        self.gpu_ms.map(|ms| ms / 1e3).or(self.took().map(|took| took.as_secs_f64()))
    }

    /// Time of a frame, if it is so long that the graph is too heavy for this machine. That of the first is known when a part of it is
    /// computed.
    pub(crate) fn too_heavy(&self, session: &Session) -> Option<Duration> {
        let so_far = || {
            let elapsed = self.started.as_ref()?.since.elapsed();
            let part = session.running_simulation()?.progress()?;
            (elapsed > SURE).then(|| elapsed.div_f32(part.max(0.01)))
        };
        self.took().or_else(so_far).filter(|took| *took > HEAVY)
    }

    /// Whether frames take so long that their progress is worth a look.
    pub(crate) fn is_long(&self) -> bool {
        self.started.as_ref().is_some_and(|started| started.since.elapsed() > SURE) || self.took() > Some(HEAVY / 2)
    }

    /// How much coarser the graph should be.
    pub(crate) fn coarser(&self, session: &Session) -> Option<Coarser> {
        let took = self.too_heavy(session)?;
        edit::coarser(session.document(), took.as_secs_f64() / WANTED.as_secs_f64())
    }

    /// The next speed, up or down.
    pub(crate) fn shift_speed(&mut self, up: bool) {
        let next = if up {
            SPEEDS.into_iter().find(|s| *s > self.speed)
        } else {
            SPEEDS.into_iter().rfind(|s| *s < self.speed)
        };
        self.speed = next.unwrap_or(self.speed);
    }

    /// Whether the player plays on, with no frame under way: then the next one can wait.
    pub(crate) fn waits(&self, session: &Session) -> bool {
        self.playing && self.target.is_none() && session.running_simulation().is_some_and(|s| s.progress().is_none())
    }

    /// Computes the frame that is due at `now` \[s\], if there is one and the GPU keeps up. Returns whether one was computed. One that may
    /// take long is computed while the window goes on; `wake` is called when it is there.
    pub(crate) fn advance(
        &mut self,
        session: &mut Session,
        pointer: Pointer,
        now: f64,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> bool {
        if session.is_debugging() && self.target.is_some() {
            // The timeline leads out of the frame.
            session.leave_frame();
        }
        // First of all: another plan, a jump and the debugger wait for a frame that is under way.
        if let Some(fresh) = self.collect(session, now) {
            return fresh;
        }
        if session.is_debugging() {
            (self.playing, self.steps) = (false, 0);
            return false;
        }
        let recorded = session.document().input.is_some();
        // What may stop the run is checked after every frame.
        let (checked, compiling) = (session.may_stop(), session.compiling());
        let Some(simulation) = session.simulation() else { return false };
        if let (Some(took), Some(timeline)) = (self.took(), simulation.timeline_mut()) {
            timeline.set_pace(took);
        }
        if let Some(target) = self.target {
            // An edit applies from the frame where it was made, so its plan is awaited there.
            return !compiling && self.jump(session, target, now, wake);
        }
        if !self.playing && simulation.is_outdated() {
            // A change in the past has made the present frame another one. Steps wait for it, and it for the plan.
            let frame = simulation.frame();
            if !compiling {
                self.go_to(frame);
            }
            return false;
        }
        // After the last frame that was baked, nothing would change any more.
        let baked = simulation.baked_frames().map(std::ops::RangeInclusive::into_inner);
        let range = self.range.filter(|_| self.looped).or(baked);
        if let (true, Some((first, last))) = (self.playing, range)
            && simulation.frame() >= last
        {
            self.go_to(first);
            return false;
        }
        let dt = 1.0 / simulation.plan().fps;
        let period = dt / self.speed;
        // A quarter of a frame early counts as on time, since the display's refresh interval varies.
        let due = self.playing && now >= self.due - 0.25 * period;
        let step = due || self.steps > 0;
        if !(step || (self.stale && !self.playing)) || self.in_flight.load(Ordering::Relaxed) >= IN_FLIGHT {
            return false;
        }
        let catches_up = self.real_time && self.playing && !checked;
        let late = if catches_up { ((now - self.due) / period).max(0.0) as u32 } else { 0 };
        // Otherwise late frames are not caught up with.
        self.due = (self.due + f64::from(1 + late) * period).max(now);
        self.steps = self.steps.saturating_sub(1);
        self.stale = false;
        let has_recorded_input = |simulation: &Simulation| {
            simulation.timeline().is_some_and(|timeline| timeline.journal().input(simulation.frame()).is_some())
        };
        let held = pointer.buttons != 0 || pointer.keys != 0;
        let live = held || (!recorded && !has_recorded_input(simulation) && pointer.at.is_some());
        let input = match pointer.at.filter(|_| live) {
            Some(mouse) => self.live_input(mouse, pointer, dt as f32),
            None => simulation.next_input(),
        };
        self.before = pointer.at;
        input.clone_into(&mut self.input);
        if step && session.stops_before(&input) {
            self.playing = false;
            return false;
        }
        let Some(simulation) = session.simulation() else { return false };
        simulation.note_live(step && held && pointer.at.is_some());
        if self.took().is_none_or(|took| took > LONG) {
            let result = simulation.start_frame(&input, !step, wake);
            let failed = result.is_err();
            self.started = result.is_ok().then(|| Started { since: Instant::now(), step });
            if failed {
                self.computed(session, result, step, now);
            }
            return failed;
        }
        let mut result = if step { simulation.step(&input) } else { simulation.preview(&input) };
        for _ in 0..late.min(CAUGHT_UP) {
            if result.is_ok() && step {
                let input = if live { input.clone() } else { simulation.next_input() };
                simulation.note_live(held);
                result = simulation.step(&input);
            }
        }
        self.computed(session, result, step, now);
        true
    }

    /// Ends a frame in slices that the GPU has computed. `None` where none is under way; otherwise whether there are new images.
    fn collect(&mut self, session: &mut Session, now: f64) -> Option<bool> {
        let simulation = session.simulation()?;
        if simulation.progress().is_none() {
            // It was given up, or its thread could not be started.
            return self.started.take().map(|_| false);
        }
        let result = match simulation.finish_frame(false) {
            Ok(None) => return Some(false),
            Ok(Some(took)) => {
                self.took.store(took.as_nanos() as u64, Ordering::Relaxed);
                Ok(())
            }
            Err(problems) => {
                // A jump would fail there again and again.
                self.target = None;
                Err(problems)
            }
        };
        let step = self.started.as_ref().is_some_and(|started| started.step);
        self.computed(session, result, step, now);
        Some(self.arrived(session))
    }

    /// Computes frames on the way to `target`, if the GPU keeps up. Returns whether the images are those of the target now.
    fn jump(&mut self, session: &mut Session, target: u64, now: f64, wake: impl Fn() + Send + Sync + 'static) -> bool {
        let Some(simulation) = session.simulation() else { return false };
        if self.in_flight.load(Ordering::Relaxed) >= IN_FLIGHT {
            return false;
        }
        let left = match simulation.seek(target) {
            Ok(left) => left,
            Err(problems) => {
                self.target = None;
                self.computed(session, Err(problems), false, now);
                return true;
            }
        };
        if left == 0 {
            // At the start nothing is computed that could be shown.
            (self.target, self.stale) = (None, true);
            self.due = now;
            return false;
        }
        // Frames beyond those that are known are measured like others.
        let new =
            |simulation: &Simulation| simulation.timeline().is_none_or(|timeline| simulation.frame() >= timeline.end());
        let Some(took) = self.took().filter(|took| *took <= LONG) else {
            let (step, input) = (new(simulation), simulation.next_input());
            let result = simulation.start_frame(&input, false, wake);
            let failed = result.is_err();
            self.started = result.is_ok().then(|| Started { since: Instant::now(), step });
            if failed {
                self.target = None;
                self.computed(session, result, false, now);
            }
            return failed;
        };
        let fit = (AT_ONCE.as_secs_f64() / took.as_secs_f64().max(1e-6)) as u64;
        for _ in 0..left.min(fit.max(1)) {
            let Some(simulation) = session.simulation() else { return false };
            let step = new(simulation);
            let input = simulation.next_input();
            let result = simulation.step(&input);
            if result.is_err() {
                self.target = None;
            }
            self.computed(session, result, step, now);
            if self.target.is_none() {
                return true;
            }
        }
        self.arrived(session)
    }

    /// Whether no jump is under way, or it has arrived.
    fn arrived(&mut self, session: &Session) -> bool {
        let there = session.running_simulation().map(Simulation::frame);
        if self.target.is_some() && self.target == there {
            self.target = None;
            self.due = 0.0;
        }
        self.target.is_none()
    }

    /// What follows when a frame was computed or failed.
    fn computed(&mut self, session: &mut Session, result: Result<(), Problems>, step: bool, now: f64) {
        self.started = None;
        match result {
            Err(problems) => {
                // It continues on another device.
                self.playing &= session.gpu().is_lost();
                session.note(problems);
            }
            Ok(()) if step => {
                session.check_frame();
                session.record_frame();
                self.playing &= !session.stops_after(&self.input);
            }
            Ok(()) => {}
        }
        let total = session.simulation().and_then(|s| s.times(false)).filter(|times| !times.is_empty());
        let total = total.map(|times| times.iter().map(|node| node.ms).sum::<f64>());
        self.gpu_ms = total.map(|ms| self.gpu_ms.map_or(ms, |before| before + 0.1 * (ms - before)));
        self.stamps.push_back(now);
        while self.stamps.len() > 60 || self.stamps.front().is_some_and(|first| now - first > 2.0) {
            self.stamps.pop_front();
        }
    }

    /// Velocity is the distance since the last frame divided by the simulated time, as in a recording.
    fn live_input(&self, mouse: [f32; 2], pointer: Pointer, dt: f32) -> FrameInput {
        let before = self.before.unwrap_or(mouse);
        let mouse_velocity = [(mouse[0] - before[0]) / dt, (mouse[1] - before[1]) / dt];
        FrameInput { dt: None, mouse, mouse_velocity, buttons: pointer.buttons, keys: pointer.keys }
    }

    /// Counts a frame as queued on the GPU; call the result when the frame is done.
    pub(crate) fn submitted(&self) -> impl FnOnce() + Send + 'static {
        let in_flight = self.in_flight.clone();
        let took = self.took.clone();
        let since = Instant::now();
        let ahead = in_flight.fetch_add(1, Ordering::Relaxed);
        let whole = self.took().is_some_and(|took| took <= LONG);
        move || {
            in_flight.fetch_sub(1, Ordering::Relaxed);
            // The one ahead of it took its part of the time.
            if whole {
                took.store((since.elapsed() / (ahead + 1)).as_nanos() as u64, Ordering::Relaxed);
            }
        }
    }
}

/// Bits of the keys that are down; nothing else sees them then. A tap may begin and end between two frames; then the press event is all
/// there is of it.
pub(crate) fn keys(input: &mut egui::InputState) -> u32 {
    let mut down = input.key_down(egui::Key::Space);
    while input.consume_key(egui::Modifiers::NONE, egui::Key::Space) {
        down = true;
    }
    u32::from(down)
}
