//! `stagewright render --wire`: images of a wire instead of an Output's.

use clap::{Args, ValueEnum};

use super::report::{self, Failure};
use stagewright_compiler::Plan;
use stagewright_language::graph::Graph;
use stagewright_runtime::sim::wire_view::{Axis, ColorMap, Show, Statistics, View, Volume};

#[derive(Args)]
pub struct WireArgs {
    /// Wire to render instead of an Output: node.port, node.port.attribute for particles, or node.port@domain for a field
    #[arg(long, value_name = "WIRE", conflicts_with = "output")]
    wire: Option<String>,
    /// What to show of the wire: auto, magnitude, direction, color, or a component from 0
    #[arg(long, value_name = "WHAT", requires = "wire", value_parser = parse_show, default_value = "auto")]
    show: Show,
    /// Colour map: viridis, magma, inferno, plasma, diverging or grey
    #[arg(long, value_name = "MAP", requires = "wire", value_parser = parse_map, default_value = "viridis")]
    map: ColorMap,
    /// Values of the first and the last colour; default: the range of each frame
    #[arg(long, value_name = "LOW,HIGH", requires = "wire", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,
    /// How a volume is shown: z=0.5 is the middle slice and the default, z=max the maximum along z, orbit the maximum along the rays of a camera
    #[arg(long, value_name = "AXIS=PLACE", requires = "wire", value_parser = parse_volume)]
    slice: Option<Volume>,
    /// How the wire's statistics are printed at the end
    #[arg(long, value_name = "FORMAT", requires = "wire", default_value = "text")]
    stats: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl WireArgs {
    /// The view of the wire; `None` without `--wire`.
    pub fn view(&self, size: Option<(u32, u32)>) -> Option<View> {
        let view = |wire: &String| View {
            show: self.show,
            map: self.map,
            range: self.range,
            volume: self.slice.unwrap_or_else(|| View::new(wire).volume),
            size,
            ..View::new(wire)
        };
        self.wire.as_ref().map(view)
    }

    /// Checks what depends on the wire.
    ///
    /// # Errors
    /// No such wire; a slice of what has no depth.
    pub fn check(&self, graph: &Graph) -> Result<(), Failure> {
        let Some(wire) = &self.wire else { return Ok(()) };
        graph.names_wire(wire)?;
        let is_flat = graph.carried(wire).is_ok_and(|carried| carried.dim == 2);
        match self.slice {
            Some(_) if is_flat => Err(Failure::Message(format!(
                "--slice: {wire} is in two dimensions, so there is nothing to slice; leave it out"
            ))),
            _ => Ok(()),
        }
    }

    /// The name of the wire.
    pub fn wire(&self) -> Option<String> {
        self.wire.clone()
    }

    /// The name of the wire, and of several numbers in a cell which one is shown.
    fn title(&self, wire: &str, plan: &Plan) -> String {
        let named = |name: &str| name == wire || name.strip_suffix(".value") == Some(wire);
        let array = plan.wires.iter().any(|(name, of)| named(name) && of.ty.value().is_compound());
        let number = if let Show::Component(number) = self.show { number } else { 0 };
        if array { format!("{wire}, number {number}") } else { wire.to_string() }
    }

    /// Prints the statistics of the wire in the last frame.
    pub fn report(&self, statistics: Option<&Statistics>, plan: &Plan) -> Result<(), Failure> {
        let Some(wire) = &self.wire else { return Ok(()) };
        let Some(statistics) = statistics else { return Err(Failure::Message("the GPU did not respond".into())) };
        match self.stats {
            Format::Text => report::print(&text(&self.title(wire, plan), statistics)),
            Format::Json => {
                let text = serde_json::to_string(statistics).map_err(|e| Failure::Message(e.to_string()))?;
                report::print_json(&(text + "\n"));
            }
        }
        Ok(())
    }
}

fn text(wire: &str, statistics: &Statistics) -> String {
    let Statistics { count, min, max, mean, rms, nan, infinite, .. } = statistics;
    format!("{wire}: {count} values, min {min}, max {max}, mean {mean}, rms {rms}, {nan} NaN, {infinite} infinite\n")
}

fn parse_show(text: &str) -> Result<Show, String> {
    match text {
        "auto" => Ok(Show::Auto),
        "magnitude" => Ok(Show::Magnitude),
        "direction" => Ok(Show::Direction),
        "color" => Ok(Show::Color),
        _ => text.parse().map(Show::Component).map_err(|_| {
            format!("`{text}` cannot be shown; write auto, magnitude, direction, color, or a component from 0")
        }),
    }
}

fn parse_map(text: &str) -> Result<ColorMap, String> {
    ColorMap::ALL.into_iter().find(|map| map.name() == text).ok_or_else(|| {
        let names = ColorMap::ALL.map(ColorMap::name).join(", ");
        format!("`{text}` is not a colour map; choose one of {names}")
    })
}

fn parse_range(text: &str) -> Result<(f64, f64), String> {
    let message = || format!("`{text}` is not a range; write LOW,HIGH, for example -1,1");
    let (low, high) = text.split_once(',').ok_or_else(message)?;
    let number = |s: &str| s.trim().parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(message);
    Ok((number(low)?, number(high)?))
}

fn parse_volume(text: &str) -> Result<Volume, String> {
    let message = || format!("`{text}` is not a slice; write z=0.5 (0 to 1 along x, y or z), z=max, or orbit");
    if text == "orbit" {
        return Ok(Volume::Orbit);
    }
    let (axis, place) = text.split_once('=').ok_or_else(message)?;
    let axis = match axis.trim() {
        "x" => Axis::X,
        "y" => Axis::Y,
        "z" => Axis::Z,
        _ => return Err(message()),
    };
    match place.trim() {
        "max" => Ok(Volume::Maximum(axis)),
        place => {
            let position = place.parse().ok().filter(|p| (0.0..=1.0).contains(p)).ok_or_else(message)?;
            Ok(Volume::Slice { axis, position })
        }
    }
}
