//! Means of looking at a wire.

use super::*;

pub(super) fn step(simulation: &mut Simulation) -> Fallible<()> {
    let input = simulation.recorded_input();
    Ok(simulation.step(&input)?)
}

/// Means of looking at a wire, by their names.
pub(super) type Means = (&'static str, fn(&Scene, &str) -> Observed);

pub(super) const MEANS: &[Means] = &[
    ("view", view),
    ("view that is opened and closed", view_midway),
    ("thumbnails", all_thumbnails),
    ("plot", plot),
    ("record", record),
    ("expectation", expectation),
    ("condition", condition),
    ("stop", stop),
    ("debugger", debugger),
    ("followed particle", follow),
    ("search for NaN", nan_search),
    ("check of values and timing", checks),
    ("export", export),
    ("bake", bake_it),
    ("compare", compare_it),
    ("checkpoint", checkpoint),
    ("timeline", timeline),
    ("preview", preview),
    ("frames in slices", slices),
    ("frames that are not shown", unseen),
    ("hashes", hashes),
];

fn view(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let mut viewer = Viewer::new(gpu())?;
    viewer.set_pointer(Some([0.4, 0.6]));
    let observed = scene.run(&[view.keep()], |simulation| Ok(viewer.update(simulation, &view)?))?;
    viewer.wait();
    viewer.statistics().ok_or("the view has no statistics")?;
    Ok(observed)
}

/// The running plan is replaced, as an editor does when a view opens.
fn view_midway(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let plan = |keep: Keep| scene.plan(PlanOptions { keep, tuning: scene.tuning.clone(), ..PlanOptions::default() });
    let mut simulation = Simulation::new(gpu(), plan(Keep::Needed)?)?;
    let mut viewer = Viewer::new(gpu())?;
    for frame in 0..FRAMES {
        match frame {
            1 => simulation.replace(plan(Keep::Wires(vec![view.keep()]))?)?,
            4 => simulation.replace(plan(Keep::Needed)?)?,
            _ => {}
        }
        step(&mut simulation)?;
        if (1..4).contains(&frame) {
            viewer.update(&simulation, &view)?;
        }
    }
    match simulation.frame() == FRAMES {
        true => Ok(Some(state_words(&simulation))),
        false => Err(format!("it is in frame {} of {FRAMES}", simulation.frame()).into()),
    }
}

/// Of the nodes on the first level, beside the view.
fn all_thumbnails(scene: &Scene, wire: &str) -> Observed {
    let mut views: Vec<View> = thumbnails(&scene.graph, None).iter().map(|wire| View::new(wire)).collect();
    views.extend(scene.view(wire));
    let mut viewers = views.iter().map(|_| Viewer::new(gpu())).collect::<Result<Vec<_>, _>>()?;
    let wires: Vec<String> = views.iter().map(View::keep).collect();
    scene.run(&wires, |simulation| {
        for (viewer, view) in viewers.iter_mut().zip(&views) {
            viewer.update(simulation, &View { size: Some((16, 16)), ..view.clone() })?;
        }
        Ok(())
    })
}

fn plot(scene: &Scene, wire: &str) -> Observed {
    let Some(measurement) = scene.measurement(wire) else { return Ok(None) };
    let mut recorder = Recorder::new(FRAMES as usize);
    recorder.add("whole", measurement.clone());
    let of = |statistic| Measurement { statistic, component: None, ..measurement.clone() };
    if measurement.statistic != Statistic::Value {
        recorder.add("cell", of(Statistic::Cell([1, 2, 0])));
        recorder.add("particle", of(Statistic::Particle(3)));
    }
    let wires: Vec<String> = recorder.record().wires().collect();
    let observed = scene.run(&wires, |simulation| {
        recorder.request(simulation);
        recorder.collect();
        Ok(())
    })?;
    gpu().wait();
    recorder.collect();
    let measured = recorder.record().values(0).count() as u64;
    if measured == FRAMES { Ok(observed) } else { Err(format!("{measured} of {FRAMES} frames were measured").into()) }
}

/// As `stagewright record` measures, which waits for each frame.
fn record(scene: &Scene, wire: &str) -> Observed {
    let Some(measurement) = scene.measurement(wire) else { return Ok(None) };
    let mut record = Record::new(vec![(wire.to_string(), measurement)]);
    let wires: Vec<String> = record.wires().collect();
    scene.run(&wires, |simulation| Ok(record.take(simulation)?))
}

/// After every frame, with a plan for nothing else.
fn expectation(scene: &Scene, wire: &str) -> Observed {
    let statistic = scene.measurement(wire).is_none_or(|found| found.statistic != Statistic::Value);
    let mut document = scene.document.clone();
    document.expect = vec![Expect {
        every: Some(1),
        to: Some(FRAMES),
        of: wire.into(),
        statistic: statistic.then(|| "nan".into()),
        below: Some(1e30),
        ..Expect::default()
    }];
    let expectations = Graph::build(&document, &scene.library)?.expectations;
    if expectations.iter().any(Result::is_err) {
        return Ok(None);
    }
    let (keep, outputs) = needs(&expectations);
    let plan = scene.plan(PlanOptions { keep, outputs, tuning: scene.tuning.clone(), ..PlanOptions::default() })?;
    let (mut simulation, mut checker) = (Simulation::new(gpu(), plan)?, Checker::new(expectations));
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        checker.after_step(&simulation);
        checker.collect(simulation.frame() % 2 == 0);
    }
    let checked = checker.outcomes(0).len() as u64;
    match checked == FRAMES {
        true => Ok(Some(state_words(&simulation))),
        false => Err(format!("{checked} of {FRAMES} frames were checked").into()),
    }
}

/// Conditions on a wire, and those of a run as a whole.
pub(super) fn conditions(scene: &Scene, wire: &str) -> Vec<Condition> {
    let texts = [
        format!("{wire} outside ..1e30"),
        format!("nan {wire}"),
        format!("{wire}:max > 1e30"),
        format!("{wire} > 1e30"),
    ];
    let parse = |text: String| Condition::parse(&text, &scene.document, &scene.graph).ok();
    texts.into_iter().filter_map(parse).collect()
}

/// Runs with conditions that are checked in every frame. A frame in which one holds is repeated in a debugger, and the run continues from
/// that frame's start.
fn guarded(scene: &Scene, wire: &str, of_run: &[Condition]) -> Observed {
    let wire_conditions = conditions(scene, wire);
    if wire_conditions.is_empty() {
        return Ok(None);
    }
    let wires: Vec<String> = wire_conditions.iter().flat_map(Condition::keep).collect();
    let mut conditions = Conditions::new(wire_conditions.into_iter().chain(of_run.iter().cloned()).collect());
    let mut simulation = scene.start(&wires)?;
    while simulation.frame() < FRAMES {
        let input = simulation.recorded_input();
        if let Some(fired) = conditions.before(&simulation, &input) {
            let (debugger, report) = fired.report(gpu(), scene.plain()?)?;
            if report.frame != debugger.frame() {
                return Err("the debugger stands in another frame".into());
            }
            fired.start.restore(&mut simulation);
            conditions.pass(report.frame);
            conditions.before(&simulation, &input);
        }
        simulation.step(&input)?;
        conditions.after(&mut simulation, &input)?;
    }
    Ok(Some(state_words(&simulation)))
}

fn condition(scene: &Scene, wire: &str) -> Observed {
    guarded(scene, wire, &[Condition::NotFinite(None), Condition::Alarm])
}

fn stop(scene: &Scene, wire: &str) -> Observed {
    guarded(scene, wire, &[Condition::Frame(3)])
}

/// Every frame is stepped through, forwards and backwards, and the writes to an element of the wire are listed.
fn debugger(scene: &Scene, wire: &str) -> Observed {
    let mut run = Simulation::new(gpu(), scene.plan(PlanOptions::default())?)?;
    let mut debugger = FrameDebugger::new(gpu(), scene.plain()?, &FrameStart::new(&run, &run.recorded_input()))?;
    let plan = debugger.simulation().plan();
    let Some(place) = plan.wires.get(wire).map(|plan_wire| ElementPlace::from_index(plan, plan_wire, 1)) else {
        return Ok(None);
    };
    let mut viewer = Viewer::new(gpu())?;
    for _ in 0..FRAMES {
        let mut seen = 0;
        debugger.step_dispatch()?;
        debugger.step_iteration()?;
        loop {
            seen += usize::from(viewer.update(debugger.simulation(), &View::new(wire)).is_ok());
            if !debugger.step_node()? {
                break;
            }
        }
        if seen == 0 {
            return Err("the wire can't be seen anywhere in the frame".into());
        }
        debugger.history(place)?;
        debugger.step_back()?;
        step(&mut run)?;
        debugger.next_frame(&run.recorded_input())?;
    }
    Ok(Some(state_words(debugger.simulation())))
}

fn follow(scene: &Scene, wire: &str) -> Observed {
    let mut simulation = Simulation::new(gpu(), scene.plan(PlanOptions::default())?)?;
    let count = format!("{}.count", wire.split('.').next().unwrap_or_default());
    if !simulation.plan().states.iter().any(|state| state.node == count) {
        return Ok(None);
    }
    simulation.keep_timeline(Budget::default());
    let mut followed = false;
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        if simulation.frame() == 4
            && let Some(past) = simulation.past(4)
        {
            // Where the State has no particle, there is none to follow.
            let set = wire.split('.').next().unwrap_or_default();
            followed = Follower::new(gpu(), scene.plain()?, &past, (set, 0), 3, || true).is_ok();
        }
    }
    Ok(followed.then(|| state_words(&simulation)))
}

fn nan_search(scene: &Scene, wire: &str) -> Observed {
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    let mut simulation = scene.start(&wires)?;
    simulation.keep_timeline(Budget::default());
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        if simulation.frame() == 3 {
            NanSearch::new(&mut simulation, None).run(gpu(), scene.plain()?, |_| true)?;
        }
    }
    Ok(Some(state_words(&simulation)))
}

/// `--check-values` and `--profile`, and the watched numbers and warnings of the editor.
fn checks(scene: &Scene, wire: &str) -> Observed {
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    let mut simulation = scene.start(&wires)?;
    simulation.set_profiling(Profile::Dispatches);
    simulation.watch_values(2)?;
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        let wait = simulation.frame() % 3 == 0;
        simulation.times(wait);
        simulation.warnings(wait);
        simulation.bad_values(wait);
        simulation.watched();
        if simulation.frame() == 4 {
            simulation.set_profiling(Profile::Nodes);
        }
    }
    simulation.ends_with_nan()?;
    Ok(Some(state_words(&simulation)))
}

/// Images of the wire and its values, with checkpoints.
fn export(scene: &Scene, wire: &str) -> Observed {
    let files = tempfile::tempdir()?;
    let folder = Folder::plain(files.path(), "graph");
    let settings = Settings::default();
    let choices = Choices { formats: &[], names: select::DEFAULT_NAMES, folder: &folder, size: None, settings };
    let items = select::items(&[Request::single(wire, None)], &choices, &scene.document, &scene.graph);
    let image =
        scene.view(wire).zip(format_named("png")).map(|(view, png)| Item::images(ExportSubject::Wire(view), png));
    let items: Vec<Item> = items.into_iter().flatten().chain(image).collect();
    if items.is_empty() {
        return Ok(None);
    }
    let export = Export {
        frames: (2..=FRAMES).into(),
        size: Some((64, 64)),
        items,
        folder: files.path().into(),
        resume: false,
        overwrite: false,
        checkpoints: Some(Checkpoints::new(2, &scene.document)),
        unseen: true,
    };
    let options = PlanOptions { tuning: scene.tuning.clone(), ..export.plan_options(&scene.access()) };
    let mut simulation = Simulation::new(gpu(), scene.plan(options)?)?;
    let inputs = Fingerprint::of(&scene.document, &scene.library, &scene.access(), &Cancel::default());
    job::run(&export, &inputs.ok_or("there is no fingerprint")?, &mut simulation, |_, _| true)?;
    Ok(Some(state_words(&simulation)))
}

fn bake_it(scene: &Scene, wire: &str) -> Observed {
    let files = tempfile::tempdir()?;
    let port = scene.view(wire).map(|view| view.keep()).unwrap_or_default();
    let mut document = scene.document.clone();
    let folder = files.path().join("wire.bake").to_string_lossy().into_owned();
    let entry = Bake { wires: vec![port], frames: (2, FRAMES), folder, play: false, ..Bake::default() };
    document.bakes.clear();
    document.bakes.insert("wire".into(), entry.clone());
    let graph = Graph::build(&document, &scene.library)?;
    let Ok(status) = bake::status_of(&graph, "wire", &entry, &scene.access()) else { return Ok(None) };
    let options = bake::job::plan_options(&status, &bake::playing(&graph, &scene.access()), &scene.access());
    let mut simulation = Simulation::new(gpu(), scene.plan(PlanOptions { tuning: scene.tuning.clone(), ..options })?)?;
    let order = bake::job::Order {
        folder: status.folder.clone(),
        frames: 2..=FRAMES,
        resume: false,
        checkpoint_every: Some(2),
        graph: document.to_text(),
    };
    bake::job::run(&order, status.index("adapter", entry.frames), &mut simulation, |_| true)?;
    Ok(Some(state_words(&simulation)))
}

/// Beside a run of the same graph; the values of both are copied and compared after each frame.
fn compare_it(scene: &Scene, wire: &str) -> Observed {
    let is_output = !wire.contains('.');
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    if wires.is_empty() && !is_output {
        return Ok(None);
    }
    let (keep, outputs) = match is_output {
        true => (Keep::Needed, Outputs::One(wire.into())),
        false => (Keep::Wires(wires), Outputs::None),
    };
    let plan = scene.plan(PlanOptions { keep, outputs, tuning: scene.tuning.clone(), ..PlanOptions::default() })?;
    let mut sides = [Simulation::new(gpu(), plan.clone())?, Simulation::new(gpu(), plan)?];
    let subject = host_copy::CopySubject::from_name(sides[0].plan(), wire);
    while sides[0].frame() < FRAMES {
        sides.iter_mut().try_for_each(step)?;
        let take = |side: &Simulation| Fallible::Ok(Arc::new(side.take(&subject)?.wait().ok_or("nothing arrived")?));
        let compared = compare(&take(&sides[0])?, &take(&sides[1])?, Show::Auto, Measure::Signed)?;
        // On a GPU the order of some lists is not the same twice, until they are sorted.
        if compared.statistics.differing > 0 && gpu().is_software() {
            return Err("two runs of the same plan differ".into());
        }
    }
    Ok(Some(state_words(&sides[0])))
}

/// Written in the middle, as `--checkpoint-every` does, and continued from by another simulation.
fn checkpoint(scene: &Scene, wire: &str) -> Observed {
    let folder = tempfile::tempdir()?;
    let wires: Vec<String> = scene.view(wire).iter().map(View::keep).collect();
    let mut simulation = scene.start(&wires)?;
    while simulation.frame() < 3 {
        step(&mut simulation)?;
    }
    let snapshot = simulation.snapshot()?.wait().ok_or("there is no snapshot")?;
    let path = folder.path().join("checkpoint.0003.safetensors");
    Checkpoint::new(&simulation, snapshot, scene.document.to_text(), None).write(&path)?;
    let mut other = scene.start(&[])?;
    if scene.outputs == Outputs::None {
        other = scene.start(&wires)?;
    }
    other.resume(&CheckpointFile::open(&path)?.load(other.plan())?);
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        step(&mut other)?;
    }
    let (went_on, resumed) = (state_words(&simulation), state_words(&other));
    let changed = differences(&went_on, &resumed, gpu().is_software());
    if changed.is_empty() {
        Ok(Some(went_on))
    } else {
        Err(format!("from the checkpoint, {}", changed.join(", ")).into())
    }
}

/// Back to an earlier frame, a look there, and on to the last one again.
fn timeline(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    simulation.keep_timeline(Budget::default());
    for frame in [FRAMES, 2, FRAMES] {
        for _ in 0..simulation.seek(frame)? {
            let input = simulation.next_input();
            simulation.step(&input)?;
            viewer.update(&simulation, &view)?;
        }
    }
    Ok(Some(state_words(&simulation)))
}

/// As an edit is shown while the run is paused.
fn preview(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    while simulation.frame() < FRAMES {
        simulation.preview(&FrameInput { mouse: [0.3, 0.7], buttons: 1, ..FrameInput::default() })?;
        viewer.update(&simulation, &view)?;
        step(&mut simulation)?;
    }
    Ok(Some(state_words(&simulation)))
}

fn slices(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    while simulation.frame() < FRAMES {
        let input = simulation.recorded_input();
        simulation.start_frame(&input, false, || {})?;
        simulation.finish_frame(true)?;
        viewer.update(&simulation, &view)?;
    }
    Ok(Some(state_words(&simulation)))
}

/// As an export with `--every 3` computes them.
fn unseen(scene: &Scene, wire: &str) -> Observed {
    let Some(view) = scene.view(wire) else { return Ok(None) };
    let (mut simulation, mut viewer) = (scene.start(&[view.keep()])?, Viewer::new(gpu())?);
    while simulation.frame() < FRAMES {
        let input = simulation.recorded_input();
        if simulation.frame() % 3 == 0 {
            simulation.step(&input)?;
            viewer.update(&simulation, &view)?;
        } else {
            simulation.step_unseen(&input)?;
        }
    }
    Ok(Some(state_words(&simulation)))
}

/// Everything is kept and read, and all States are hashed.
fn hashes(scene: &Scene, _: &str) -> Observed {
    let (tuning, outputs) = (scene.tuning.clone(), scene.outputs.clone());
    let plan = scene.plan(PlanOptions { keep: Keep::All, outputs, tuning, ..PlanOptions::default() })?;
    let wires: Vec<String> = plan.wires.iter().filter(|(_, wire)| wire.kept).map(|(name, _)| name.clone()).collect();
    let mut simulation = Simulation::new(gpu(), plan)?;
    let mut run = Run::new("run", &scene.document, &scene.graph);
    while simulation.frame() < FRAMES {
        step(&mut simulation)?;
        run.take(&simulation)?;
        wires.iter().try_for_each(|wire| simulation.read(wire).map(drop))?;
    }
    Ok(Some(state_words(&simulation)))
}
