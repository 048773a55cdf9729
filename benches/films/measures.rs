//! What of a film is compared: the picture from afar, sums, and the energy in octaves.

use stagewright_runtime::sim::{Field, Image};

/// Pixels across a picture that is compared.
const ACROSS: usize = 48;
/// Boxes across a field whose octaves are compared: blocks of 1, 2, 4, 8 and 16 of them.
const FINEST: usize = 32;
/// Fewest cells across such a box: waves of less than four cells are those of no scheme.
const RESOLVED: u32 = 2;
/// Octaves below this part of all energy are rounding.
const FAINT: f64 = 1e-6;

/// Differences of the mean, the energy and an octave that are allowed besides the error bar: errors of schemes, not of chance \[%\].
const FLOORS: [f64; 3] = [2.0, 5.0, 10.0];

/// Numbers in boxes of equal size, from afar.
pub(crate) struct Boxes {
    size: [usize; 3],
    components: usize,
    values: Vec<f64>,
}

impl Boxes {
    /// Averages elements to `across` boxes along x, and as many along the other axes as keep them square.
    fn new(from: [usize; 3], across: usize, components: usize, value: impl Fn(usize, usize) -> f64) -> Boxes {
        let size = from.map(|n| if n == 1 { 1 } else { (across * n).div_euclid(from[0]).max(1) });
        let mut values = vec![0.0; size.iter().product::<usize>() * components];
        let mut counts = vec![0.0; size.iter().product()];
        for at in 0..from.iter().product() {
            let index = around(from, size, at);
            counts[index] += 1.0;
            (0..components).for_each(|part| values[index * components + part] += value(at, part));
        }
        for (index, value) in values.iter_mut().enumerate() {
            *value /= f64::max(counts[index / components], 1.0);
        }
        Boxes { size, components, values }
    }

    /// The picture in linear light, averaged to a few pixels.
    pub(crate) fn of_picture(image: &Image) -> Boxes {
        Boxes::of_light(image, ACROSS)
    }

    fn of_light(image: &Image, across: usize) -> Boxes {
        let light = |at: usize, part: usize| {
            let c = f64::from(image.rgba[4 * at + part]) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        Boxes::new([image.width as usize, image.height as usize, 1], across, 3, light)
    }

    /// A grid, averaged to `across` boxes.
    pub(crate) fn of_field(field: &Field, across: usize) -> Boxes {
        let components = field.components as usize;
        Boxes::new(field.resolution.map(|n| n as usize), across, components, |at, part| {
            f64::from(field.data[at * components + part])
        })
    }

    /// Root of the mean squared difference over that of the other \[%\].
    pub(crate) fn differs(&self, other: &Boxes) -> f64 {
        let square = |v: f64| v * v;
        let far: f64 = self.values.iter().zip(&other.values).map(|(x, y)| square(x - y)).sum();
        let norm: f64 = other.values.iter().map(|y| square(*y)).sum();
        100.0 * (far / norm.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// Energy of what averages over boxes twice as large lack, octave by octave from the coarsest.
    fn octaves(mut self) -> Vec<f64> {
        let mut energies = Vec::new();
        let components = self.components;
        while self.size[0] > 1 {
            let value = |at: usize, part: usize| self.values[at * components + part];
            let coarse = Boxes::new(self.size, self.size[0].div_ceil(2), components, value);
            let lacks = |(index, value): (usize, &f64)| {
                let around = around(self.size, coarse.size, index / components);
                (value - coarse.values[around * components + index % components]).powi(2)
            };
            energies.push(self.values.iter().enumerate().map(lacks).sum::<f64>() / self.values.len() as f64);
            self = coarse;
        }
        energies.reverse();
        energies
    }
}

/// The box around an element.
fn around(from: [usize; 3], size: [usize; 3], at: usize) -> usize {
    let place = [at % from[0], at / from[0] % from[1], at / (from[0] * from[1])];
    let [x, y, z] = [0, 1, 2].map(|axis| place[axis] * size[axis] / from[axis]);
    x + size[0] * (y + size[1] * z)
}

/// Sums over a film at a time.
pub(crate) struct Sums {
    mean: f64,
    rms: f64,
    energy: Option<f64>,
    octaves: Vec<f64>,
}

impl Sums {
    /// Of what is carried, a field or the picture, and of what moves.
    pub(crate) fn new(carried: Option<&Field>, moves: Option<&Field>, picture: Option<&Image>) -> Sums {
        let boxes = match (carried, picture) {
            (Some(field), _) => Boxes::of_field(field, FINEST.min((field.resolution[0] / RESOLVED) as usize)),
            (None, Some(image)) => Boxes::of_light(image, FINEST),
            (None, None) => Boxes { size: [1; 3], components: 1, values: vec![0.0] },
        };
        let square = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = values.fold((0.0, 0.0), |(sum, count), v| (sum + v * v, count + 1.0));
            sum / f64::max(count, 1.0)
        };
        let count = boxes.values.len() as f64;
        let mean = boxes.values.iter().sum::<f64>() / count;
        let rms = square(&mut boxes.values.iter().copied()).sqrt();
        let energy = moves.map(|field| square(&mut field.data.iter().map(|v| f64::from(*v))));
        Sums { mean, rms, energy, octaves: boxes.octaves() }
    }
}

/// A difference with its error bar, and how much of it is allowed besides.
pub(crate) struct Bar {
    difference: f64,
    error: f64,
    floor: f64,
}

/// Bars of the mean, of the energy where something moves, and of an octave.
pub(crate) type Bars = [Option<Bar>; 3];

impl Bar {
    /// The mean of differences at several times, and twice its standard error.
    fn new(differences: &[f64], floor: f64) -> Bar {
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        Bar { difference: mean, error: 2.0 * (variance / count).sqrt(), floor }
    }

    /// Whether the difference is within its bar and the floor.
    pub(crate) fn holds(&self) -> bool {
        self.difference.abs() <= self.error + self.floor
    }

    pub(crate) fn shown(&self) -> String {
        let text = format!("{:.1} ± {:.1}", self.difference, self.error);
        if self.holds() { text } else { format!("**{text}**") }
    }
}

/// Differences of sums \[%\], paired time by time, so that what both do over time cancels: the mean over the root mean square, the
/// energy, and that octave of the spectrum which is furthest beyond its bar.
pub(crate) fn late(film: &[Sums], other: &[Sums]) -> Bars {
    let paired = |value: &dyn Fn(&Sums, &Sums) -> f64, floor: f64| {
        let differences: Vec<f64> = film.iter().zip(other).map(|(a, b)| 100.0 * value(a, b)).collect();
        Bar::new(&differences, floor)
    };
    let part = |a: f64, b: f64| if a == b { 0.0 } else { (a - b) / b.abs().max(f64::MIN_POSITIVE) };
    let mean = paired(&|a, b| (a.mean - b.mean) / b.rms.max(f64::MIN_POSITIVE), FLOORS[0]);
    let moves = other.iter().all(|sums| sums.energy.is_some());
    let energy = moves.then(|| paired(&|a, b| part(a.energy.unwrap_or(0.0), b.energy.unwrap_or(0.0)), FLOORS[1]));
    // Coarser cells have fewer.
    let octaves = film.iter().chain(other).map(|sums| sums.octaves.len()).min().unwrap_or(0);
    let loud =
        |octave: &usize| other.iter().all(|sums| sums.octaves[*octave] > FAINT * sums.octaves.iter().sum::<f64>());
    let octave = |octave: usize| paired(&|a, b| part(a.octaves[octave], b.octaves[octave]), FLOORS[2]);
    let beyond = |bar: &Bar| bar.difference.abs() - bar.error;
    let worst = (0..octaves).filter(loud).map(octave).max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
    [Some(mean), energy, worst]
}
