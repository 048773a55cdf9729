//! Filters: exactly those that should go do, and the others keep their order and their numbers.

use stagewright_solver_support::harness::*;

use super::sets::*;

const BIRTHS_AND_DEATHS: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "set": (state: "Particles{id: u32, weight: vec3f}", capacity: 5000, inputs: {"next": "kill.particles"}),
    "amount": (custom: r#"//! Amount
        //! @over once
        //! @out amount: u32
        fn stage() -> u32 { return hash(frame.index) % 300u; }
        $hash"#),
    "emit": (custom: r#"//! Emit
        //! @in amount: u32 = 0
        //! @inout particles: Particles{} -> {id: u32, weight: vec3f}, emit amount
        fn stage(particle: Particle) -> Result {
            return Result(particle.serial, vec3f(0.5, 1.5, 2.5) * f32(particle.serial));
        }"#, inputs: {"amount": "amount.amount", "particles": "set.value"}),
    "kill": (custom: r#"//! Kill
        //! @inout particles: Particles{id: u32, weight: vec3f}, filter
        fn stage(particle: Particle) -> bool {
            if frame.index % 17u == 16u { return false; }
            return hash(particle.id ^ hash(frame.index)) % 8u != 0u && particle.weight.x >= 0.0;
        }
        $hash"#, inputs: {"particles": "emit.particles"}),
"##;

/// `pcg` of the harness.
pub const HASH: &str = "fn hash(v: u32) -> u32 { let s = v * 747796405u + 2891336453u; let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u; return (w >> 22u) ^ w; }";

#[test]
fn survivors_are_exactly_those_and_keep_their_order() {
    let mut sim = start(60.0, BIRTHS_AND_DEATHS, &[("$hash", HASH)]);
    let mut alive = Vec::new();
    let mut born = 0;
    let mut died = 0;
    for frame in 0..60 {
        step(&mut sim, 1);
        let coming = pcg(frame) % 300;
        alive.extend(born..born + coming);
        born += coming;
        let before = alive.len();
        alive.retain(|id: &u32| frame % 17 != 16 && !pcg(id ^ pcg(frame)).is_multiple_of(8));
        died += before - alive.len();
        assert_eq!(wholes(&sim, "kill.particles", "id"), alive, "frame {frame}");
        let weights: Vec<[f64; 3]> = alive.iter().map(|id| [0.5, 1.5, 2.5].map(|w| w * f64::from(*id))).collect();
        assert_eq!(vectors(&sim, "kill.particles", "weight", 3), weights, "all attributes move along");
        assert_eq!(live(&sim, "set.value"), alive.len(), "the State holds what was left");
    }
    println!("60 frames: {born} born, {died} died, {} alive, each in its place", alive.len());
}

const FOUNTAIN: &str = r##"
    "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, age: f32}", capacity: 4000, inputs: {"next": "old.particles"}),
    "rate": (stage: "particles/rate", params: {"rate": 3000}),
    "emit": (stage: "particles/emit_disc", inputs: {"amount": "rate.amount", "particles": "set.value"}, params: {"spread": 0.3}),
    "age": (stage: "particles/age", inputs: {"particles": "emit.particles"}),
    "move": (stage: "particles/integrate", inputs: {"particles": "age.particles"}),
    "outside": (stage: "particles/kill_outside", inputs: {"particles": "move.particles"}, params: {"margin": 0.05}),
    "old": (stage: "particles/kill_old", inputs: {"particles": "outside.particles"}, params: {"life": 0.4, "spread": 0.5}),
"##;

#[test]
fn particles_leave_when_old_or_outside_and_numbers_never_come_twice() {
    let mut sim = start(60.0, FOUNTAIN, &[]);
    let dt = 1.0 / 60.0;
    let mut highest = 0;
    let mut gone = std::collections::HashSet::new();
    let mut lives = Vec::new();
    let mut before: Vec<(u32, f64)> = Vec::new();
    for frame in 0..300 {
        step(&mut sim, 1);
        let ids = wholes(&sim, "old.particles", "id");
        let ages = scalars(&sim, "old.particles", "age");
        let places = vectors(&sim, "old.particles", "position", 2);
        assert!(ids.windows(2).all(|w| w[0] < w[1]), "frame {frame}: in order of birth, none twice");
        assert!(ids.iter().all(|id| !gone.contains(id)), "frame {frame}: nobody comes back");
        for (age, p) in ages.iter().zip(&places) {
            assert!(*age < 0.6 + 1e-6, "nobody is older than life (1 + spread)");
            assert!(p.iter().all(|x| (-0.05..=1.05).contains(x)), "nobody is farther out than the margin");
        }
        highest = highest.max(ids.last().map_or(0, |id| id + 1));
        let now: std::collections::HashSet<u32> = ids.iter().copied().collect();
        for (id, age) in before.iter().filter(|(id, _)| !now.contains(id)) {
            gone.insert(*id);
            lives.push((*id, *age + dt));
        }
        before = ids.into_iter().zip(ages).collect();
        assert_eq!(gone.len() + before.len(), highest as usize, "frame {frame}: born = alive + gone");
    }
    assert_eq!(highest, 15_000, "all 300 frames of 3000/s");
    // Lives are uniform in 0.2..0.6 s and end at a frame. Nobody gets out sooner than 0.55 m / 1.3 m/s = 0.42 s. Those born
    // in the last 0.6 s are not all gone yet and are left out.
    let over: Vec<f64> = lives.iter().filter(|(id, _)| *id < 13_000).map(|(_, life)| *life).collect();
    assert!(over.len() == 13_000 && over.iter().all(|t| *t >= 0.2 - 1e-4), "nobody dies before life (1 - spread)");
    let short: Vec<f64> = over.iter().map(|t| f64::from(u8::from(*t < 0.4 + 0.5 * dt))).collect();
    assert_mean("share of lives up to the mean", &short, 0.5, 0.5);
}
