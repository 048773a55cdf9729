//! Particles in images.

use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::camera::Orbit;
use stagewright_runtime::sim::wire_view::{ColorMap, View};
use stagewright_solver_support::harness::{random, start, start_fused};

use crate::view::{Observation, observe, observe_at};

const NODES: &str = r#"
    "box": (domain: (resolution: $resolution, width: 2, edge: "wall")),
    "drops": (state: "Particles{position: Vec, tone: f32}", capacity: 4000, on: "box", inputs: {"next": "drops"}),
"#;

fn simulation(resolution: &str, position: &[f32], tone: &[f32]) -> Simulation {
    filled(start(60.0, NODES, &[("$resolution", resolution)]), position, tone)
}

fn filled(mut sim: Simulation, position: &[f32], tone: &[f32]) -> Simulation {
    sim.reset();
    sim.write("drops.position", position).unwrap();
    sim.write("drops.tone", tone).unwrap();
    sim.set_count("drops", tone.len() as u32).unwrap();
    sim
}

fn grey(size: (u32, u32)) -> View {
    View { map: ColorMap::Grey, range: Some((0.0, 255.0)), size: Some(size), ..View::new("drops") }
}

fn lit(seen: &Observation) -> usize {
    seen.image.rgba.chunks(4).filter(|p| p[0] > 100).count()
}

#[test]
fn particles_in_2d_land_on_their_pixels() {
    let (position, tone) = ([0.3, 0.2, 1.7, 0.9, 1.0, 0.5], [110.0, 180.0, 255.0]);
    let sim = simulation("(16, 8)", &position, &tone);
    let seen = observe(&sim, &grey((200, 200)));
    assert_eq!([seen.image.width, seen.image.height], [200, 100], "the shape of the domain");
    for (p, tone) in position.chunks(2).zip(tone) {
        let [x, y] = [p[0] * 100.0, p[1] * 100.0].map(|v| v as u32);
        assert_eq!(seen.pixel(x, y)[0], tone as u8, "at {x} {y}");
        assert!(seen.pixel(x + 5, y)[0] < 100, "a disc of 3 pixels around it");
    }
    assert!((3 * 25..3 * 49).contains(&lit(&seen)), "{}", lit(&seen));
    let sample = observe_at(&sim, &grey((200, 200)), Some([0.85, 0.9])).sample.unwrap();
    assert_eq!((sample.index, sample.cell, sample.components), (1, None, vec![180.0]));
    let [x, y, z] = sample.position.unwrap();
    assert_eq!([x as f32, y as f32, z as f32], [1.7, 0.9, 0.0]);
    assert!(observe_at(&sim, &grey((200, 200)), Some([0.5, 0.1])).sample.is_none(), "nothing is there");
}

#[test]
fn particles_in_3d_land_on_their_pixels_and_the_nearest_hides_the_others() {
    let camera = Orbit { azimuth: 0.0, elevation: 0.0, ..Orbit::around([2.0, 2.0, 2.0]) };
    // The second is behind the first, the fourth in front of the third; two more are outside of the image or not at all.
    let position = [
        0.5,
        0.5,
        1.5,
        0.5,
        0.5,
        1.4,
        1.5,
        1.25,
        0.2,
        1.5,
        1.25,
        0.3,
        50.0,
        1.0,
        1.0,
        f32::NAN,
        1.0,
        1.0,
        1.0,
        1.0,
        200.0,
    ];
    let tone = [120.0, 130.0, 140.0, 150.0, 160.0, 170.0, 180.0];
    // In three words and in four.
    let sims = [
        start_fused(60.0, NODES, &[("$resolution", "(8, 8, 8)")], &["drops"]),
        start(60.0, NODES, &[("$resolution", "(8, 8, 8)")]),
    ];
    assert_eq!(sims.each_ref().map(|sim| sim.plan().wires["drops.position"].words(4000)), [12000, 16000]);
    sims.into_iter().for_each(|sim| lands_on_its_pixels(&filled(sim, &position, &tone), camera, &position, &tone));
}

fn lands_on_its_pixels(sim: &Simulation, camera: Orbit, position: &[f32], tone: &[f32]) {
    let view = View { camera: Some(camera), ..grey((240, 160)) };
    let seen = observe(sim, &view);
    for (particle, covered) in [(0, 1), (3, 2)] {
        let p = |k: usize| f64::from(position[3 * particle + k]);
        let ([x, y], _) = camera.frame().project([p(0), p(1), p(2)], [240, 160]);
        assert_eq!(seen.pixel(x as u32, y as u32)[0], tone[particle] as u8, "and not {}", tone[covered]);
        let at = [(x / 240.0) as f32, (y / 160.0) as f32];
        let sample = observe_at(sim, &view, Some(at)).sample.unwrap();
        assert_eq!((sample.index, sample.components), (particle as u64, vec![f64::from(tone[particle])]));
    }
    assert_eq!(seen.statistics.count, 7, "statistics are of all");
    assert!(lit(&seen) < 4 * 49, "those outside show nowhere: {} pixels", lit(&seen));
}

#[test]
fn many_particles_give_the_same_image_every_time() {
    let position: Vec<f32> = random(3 * 4000, 1).iter().map(|v| 1.0 + v).collect();
    let tone: Vec<f32> = random(4000, 2).iter().map(|v| 178.0 + 77.0 * v).collect();
    let sim = simulation("(8, 8, 8)", &position, &tone);
    let images = [0, 1, 2].map(|_| observe(&sim, &grey((120, 90))).image);
    assert!(images[0] == images[1] && images[1] == images[2]);
    // Every particle shows or is hidden by one that shows: no pixel between is left out.
    assert!(observe(&sim, &grey((120, 90))).image.rgba.chunks(4).filter(|p| p[0] > 90).count() > 1500);
}

#[test]
fn an_empty_set_is_an_empty_image() {
    let sim = simulation("(8, 8, 8)", &[], &[]);
    let seen = observe_at(&sim, &grey((60, 40)), Some([0.5, 0.5]));
    assert_eq!((seen.statistics.count, seen.statistics.max, seen.sample.is_none(), lit(&seen)), (0, 0.0, true, 0));
}
