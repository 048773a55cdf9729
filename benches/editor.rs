//! Time frames of the editor with a large graph, on the CPU: from input to triangles, as the window does it.
//!
//! `cargo bench --bench editor -- [--nodes 300] [--frames 300] [--cells 128]`
//!
//! Each case is a median and the 95th percentile of so many frames. Drawing the triangles is the GPU's work and not in it.
//!
//! Last comes a graph whose frames take seconds: how long the window waits for the GPU, on the clock, while one is computed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use eframe::egui::{
    Context, Event, Key, Modifiers, MouseWheelUnit, Pos2, RawInput, Rect, TouchPhase, Vec2, pos2, vec2,
};
use eframe::egui_wgpu::wgpu::PollType;
use eframe::egui_wgpu::{RenderState, RendererOptions, WgpuConfiguration, WgpuSetup};
use eframe::{App, CreationContext, Frame};
use rustix::time::{ClockId, clock_gettime};
use stagewright_editor::{Editor, Folders, Source, device_setup};
use stagewright_runtime::sim::Simulation;

#[derive(Parser)]
struct Arguments {
    /// Nodes of the graph
    #[arg(long, default_value_t = 300)]
    nodes: usize,
    /// Frames of each case
    #[arg(long, default_value_t = 300)]
    frames: usize,
    /// Cells of the slow graph along each axis: on a fast GPU, more of them take seconds
    #[arg(long, default_value_t = 128)]
    cells: u32,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

const WINDOW: Vec2 = vec2(1920.0, 1080.0);
/// How long compiling the graph may take: some drivers take minutes for one shader.
const TIMEOUT: Duration = Duration::from_secs(300);
/// How often a long wait is reported.
const REPORT: Duration = Duration::from_secs(5);

struct Window {
    ctx: Context,
    editor: Editor,
    frame: Frame,
    time: f64,
    render: RenderState,
}

impl Window {
    fn open(folder: &Path, text: &str) -> Result<Window, String> {
        let graph = folder.join("graph.ron");
        std::fs::write(&graph, text).map_err(|e| e.to_string())?;
        let setup = WgpuSetup::from(device_setup());
        let instance = pollster::block_on(setup.new_instance());
        let configuration = WgpuConfiguration { wgpu_setup: setup, ..WgpuConfiguration::default() };
        let render = RenderState::create(&configuration, &instance, None, RendererOptions::default());
        let render = pollster::block_on(render).map_err(|e| e.to_string())?;
        let ctx = Context::default();
        let mut context = CreationContext::_new_kittest(ctx.clone());
        context.wgpu_render_state = Some(render.clone());
        let editor = Editor::new(&context, Source::File(graph), None, Folders::default())?;
        let mut window = Window { ctx, editor, frame: Frame::_new_kittest(), time: 0.0, render };
        window.compiled()?;
        Ok(window)
    }

    /// One frame, and how long it took \[ms\].
    fn frame(&mut self, events: Vec<Event>) -> f64 {
        self.time += 1.0 / 60.0;
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, WINDOW));
        let input = RawInput { screen_rect, time: Some(self.time), events, ..RawInput::default() };
        let started = spent();
        let output = self.ctx.run_ui(input, |ui| self.editor.ui(ui, &mut self.frame));
        let triangles = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let ms = spent() - started;
        drop(triangles);
        ms
    }

    fn key(&mut self, key: Key) {
        let event =
            |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE };
        self.frame(vec![event(true), event(false)]);
    }

    /// Waits until the graph runs.
    ///
    /// # Errors
    /// It has problems, or is not compiled in time.
    fn compiled(&mut self) -> Result<(), String> {
        let (since, mut reported) = (Instant::now(), Instant::now());
        while self.editor.compiling() || self.editor.simulation().is_none() {
            let problems = self.editor.problems().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            if !self.editor.compiling() && !problems.is_empty() {
                return Err(problems);
            }
            let seconds = since.elapsed().as_secs();
            if since.elapsed() > TIMEOUT {
                return Err(format!("the graph is still being compiled after {seconds} s\n{problems}"));
            }
            if reported.elapsed() > REPORT {
                reported = Instant::now();
                println!("{:>36} {seconds:6} s", "still compiling");
            }
            std::thread::sleep(Duration::from_millis(10));
            self.frame(Vec::new());
        }
        Ok(())
    }

    /// Median and 95th percentile of frames in which the pointer moves over the canvas.
    fn time(&mut self, name: &str, frames: usize) {
        for _ in 0..20 {
            self.frame(Vec::new());
        }
        let over = |index: usize| {
            Event::PointerMoved(pos2(900.0 + (index * 7 % 900) as f32, 100.0 + (index * 3 % 400) as f32))
        };
        print(name, (0..frames).map(|index| self.frame(vec![over(index)])).collect());
    }

    /// Time until the GPU has done what the window submits while a frame of the simulation is computed \[ms\]; `None` once there is a frame.
    fn answer(&mut self) -> Option<f64> {
        let started = Instant::now();
        self.frame(vec![Event::PointerMoved(pos2(900.0, 300.0))]);
        let done = Arc::new(AtomicBool::new(false));
        let noted = done.clone();
        self.render.queue.submit([]);
        self.render.queue.on_submitted_work_done(move || noted.store(true, Ordering::Release));
        while !done.load(Ordering::Acquire) {
            self.render.device.poll(PollType::Poll).ok()?;
            std::thread::sleep(Duration::from_micros(200));
        }
        let simulation = self.editor.simulation()?;
        (simulation.frame() == 0).then(|| 1e3 * started.elapsed().as_secs_f64())
    }
}

fn print(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let count = times.len().max(1);
    let at = |part: f64| times.get((part * (count - 1) as f64) as usize).copied().unwrap_or_default();
    println!("{name:>36} {:6.2} ms, 95 % {:6.2} ms", at(0.5), at(0.95));
}

/// What this thread has computed so far \[ms\]: what other threads and programs do at the same time is not in it.
fn spent() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e3 + now.tv_nsec as f64 * 1e-6
}

/// Chains of stages on a coarse domain, one below the other and each fed by the one above, with as many nodes in all.
fn graph(nodes: usize) -> String {
    const CHAIN: usize = 20;
    let domain = r#""domain": (domain: (resolution: (16, 16), width: 1, edge: "wall"), at: (0, -200))"#;
    let mut lines = vec![domain.to_string()];
    let mut end = String::from("start_0.value");
    for row in 0.. {
        let links = nodes.saturating_sub(lines.len() + 3).min(CHAIN);
        if links == 0 {
            break;
        }
        let y = row * 160;
        let mut field = format!("start_{row}.value");
        for link in 0..links {
            let name = format!("fade_{row}_{link}");
            let (inputs, x) = (format!(r#"{{"before": "{end}", "field": "{field}"}}"#), 240 * (link + 1));
            lines.push(format!(
                r#""{name}": (stage: "fluid/diffuse", inputs: {inputs}, iterations: 2, at: ({x}, {y}))"#
            ));
            field = format!("{name}.field");
            end.clone_from(&field);
        }
        lines.push(format!(
            r#""start_{row}": (state: "Grid<f32>", inputs: {{"next": "{end}"}}, on: "domain", at: (0, {y}))"#
        ));
    }
    lines.push(format!(r#""look": (stage: "view/color_map", inputs: {{"field": "{end}"}}, at: (240, -200))"#));
    lines.push(r#""screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}, at: (480, -200))"#.to_string());
    format!("(version: 1, nodes: {{{}}})", lines.join(",\n"))
}

/// A graph that computes for long at every cell, in 200 sweeps of one dispatch each. It is slow by its work: the driver compiles one small
/// loop. A sweep reads at a place that nothing bounds, so that it is not put on tiles, which would repeat the loop for all cells and
/// sweeps of a tile.
fn slow(cells: u32) -> String {
    format!(
        r##"(version: 1, nodes: {{
        "domain": (domain: (resolution: ({cells}, {cells}), width: 1)),
        "heat": (state: "Grid<f32>", on: "domain", inputs: {{"next": "work.heat"}}),
        "work": (custom: r#"//! Work
            //! @inout heat: Grid<f32> = 0
            fn stage(cell: Cell) -> f32 {{
                var x = heat_at(fract(position(cell) * 3.0)) + 0.5;
                for (var i = 0; i < 1200; i++) {{ x = fract(x * 3.7 + 0.1); }}
                return x;
            }}"#, inputs: {{"heat": "heat.value"}}, iterations: 200),
        "look": (stage: "view/color_map", inputs: {{"field": "work.heat"}}),
        "screen": (output: (size: (64, 64)), inputs: {{"image": "look.image"}}),
    }})"##
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let folder = std::env::temp_dir().join(format!("stagewright-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut window = Window::open(&folder, &graph(arguments.nodes))?;
    println!("{} nodes on {}", window.editor.document().nodes.len(), gpu_name(&window));
    window.key(Key::Home);
    window.time("all in view, running", arguments.frames);
    window.key(Key::Space);
    window.time("all in view, paused", arguments.frames);
    let at = pos2(1300.0, 300.0);
    let wheel = |y| Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, y),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
    };
    for _ in 0..60 {
        window.frame(vec![Event::PointerMoved(at), wheel(20.0)]);
    }
    window.time("zoomed to a part, paused", arguments.frames);
    window.key(Key::Space);
    window.time("zoomed to a part, running", arguments.frames);
    drop(window);
    let started = Instant::now();
    let mut window = Window::open(&folder, &slow(arguments.cells))?;
    let dispatches = window.editor.simulation().map_or(0, |s| s.plan().frame.len());
    let opened = format!("{0} x {0} cells, {dispatches} dispatches opened", arguments.cells);
    println!("{opened:>36} {:6.2} s", started.elapsed().as_secs_f64());
    let (started, mut reported) = (Instant::now(), Instant::now());
    let answers: Vec<f64> = std::iter::from_fn(|| {
        let answer = window.answer()?;
        if reported.elapsed() > REPORT {
            reported = Instant::now();
            let part = window.editor.simulation().and_then(Simulation::progress).unwrap_or_default();
            println!("{:>36} {:6.0} %", "of its first frame", 100.0 * part);
        }
        Some(answer)
    })
    .collect();
    println!("{:>36} {:6.2} s", "a frame of the slow graph", started.elapsed().as_secs_f64());
    print("the window, while it is computed", answers);
    if started.elapsed() < Duration::from_secs(5) {
        println!("{:>36} more --cells make it slower", "");
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

fn gpu_name(window: &Window) -> String {
    window.editor.simulation().map(|s| s.gpu().name().to_string()).unwrap_or_default()
}
