//! Statistics of samples, in double precision and in a fixed order, so that they are reproducible to the bit.

use super::measure::Sample;
use crate::graph::expect::Statistic;

/// Values of a statistic, and how many of the numbers behind it were not finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatisticValues {
    /// One, or one for each component.
    pub values: Vec<f64>,
    /// Numbers that were counted.
    pub count: u64,
    /// Numbers that are NaN.
    pub nan: u64,
    /// Numbers that are infinite.
    pub infinite: u64,
}

/// The statistic of a sample. NaN and infinity carry over into statistics of values: a mean does not leave them out.
pub fn evaluate(sample: &Sample, statistic: Statistic, component: Option<u32>) -> StatisticValues {
    let component = component.map(|component| component as usize);
    if let Statistic::Cell(_) | Statistic::Particle(_) = statistic {
        return one_of(sample, statistic, component);
    }
    if statistic == Statistic::Count {
        let values = vec![sample.whole().count() as f64];
        return StatisticValues { values, ..StatisticValues::default() };
    }
    // Counts of NaN and infinity include all components, even where the statistic would use a length.
    let parts: Vec<Box<dyn Iterator<Item = f64> + '_>> = match (sample, component) {
        (_, Some(component)) => vec![sample.component(component)],
        (Sample::Image(_), None) => (0..3).map(|channel| sample.component(channel)).collect(),
        (_, None) if statistic == Statistic::Value => (0..sample.components()).map(|c| sample.component(c)).collect(),
        (_, None) if statistic.counts() => vec![Box::new((0..sample.components()).flat_map(|c| sample.component(c)))],
        (_, None) => vec![sample.whole()],
    };
    let mut found = StatisticValues::default();
    for part in parts {
        let sums = Sums::sum(part);
        found.count += sums.count;
        found.nan += sums.nan;
        found.infinite += sums.infinite;
        found.values.push(sums.value(statistic));
    }
    found
}

/// The components of one element; no values where there is no such element.
fn one_of(sample: &Sample, statistic: Statistic, component: Option<usize>) -> StatisticValues {
    let mut values = match statistic {
        Statistic::Cell(cell) => sample.cell(cell),
        Statistic::Particle(index) => sample.element(u64::from(index)),
        _ => None,
    }
    .unwrap_or_default();
    if let Some(component) = component {
        values = values.get(component).copied().into_iter().collect();
    }
    let count = |test: fn(f64) -> bool| values.iter().filter(|value| test(**value)).count() as u64;
    StatisticValues { count: values.len() as u64, nan: count(f64::is_nan), infinite: count(f64::is_infinite), values }
}

struct Sums {
    count: u64,
    nan: u64,
    infinite: u64,
    min: f64,
    max: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn sum(values: impl Iterator<Item = f64>) -> Sums {
        let none =
            Sums { count: 0, nan: 0, infinite: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0, squares: 0.0 };
        values.fold(none, |sums, value| Sums {
            count: sums.count + 1,
            nan: sums.nan + u64::from(value.is_nan()),
            infinite: sums.infinite + u64::from(value.is_infinite()),
            min: sums.min.min(value),
            max: sums.max.max(value),
            sum: sums.sum + value,
            squares: sums.squares + value * value,
        })
    }

    fn value(&self, statistic: Statistic) -> f64 {
        match statistic {
            Statistic::Nan => self.nan as f64,
            Statistic::Infinite => self.infinite as f64,
            Statistic::Count => self.count as f64,
            // The sum of nothing is zero; nothing has no maximum.
            Statistic::Sum if self.nan == 0 => self.sum,
            _ if self.nan > 0 || self.count == 0 => f64::NAN,
            Statistic::Min => self.min,
            Statistic::Max => self.max,
            Statistic::Mean => self.sum / self.count as f64,
            Statistic::Rms => (self.squares / self.count as f64).sqrt(),
            Statistic::Sum | Statistic::Value | Statistic::Cell(_) | Statistic::Particle(_) => self.sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Field, Image};
    use crate::stage::types::{ValueType, WireType};

    fn field(ty: WireType, resolution: [u32; 3], components: u32, values: &[f32]) -> Sample {
        let words = values.iter().map(|v| v.to_bits()).collect();
        Sample::Field(Field { ty, resolution, components, data: values.to_vec(), words }, None)
    }

    fn value(sample: &Sample, statistic: Statistic, component: Option<u32>) -> Vec<f64> {
        evaluate(sample, statistic, component).values
    }

    #[test]
    fn statistics_of_vectors_are_of_their_length_or_of_a_component() {
        let vectors = field(WireType::Grid(ValueType::Vec2), [2, 1, 1], 2, &[3.0, 4.0, 0.0, -2.0]);
        assert_eq!(value(&vectors, Statistic::Max, None), [5.0]);
        assert_eq!(value(&vectors, Statistic::Mean, None), [3.5]);
        assert_eq!(value(&vectors, Statistic::Min, Some(1)), [-2.0]);
        assert_eq!(value(&vectors, Statistic::Sum, Some(0)), [3.0]);
        assert_eq!(value(&vectors, Statistic::Rms, Some(1)), [10f64.sqrt()]);
        assert_eq!(value(&vectors, Statistic::Count, None), [2.0]);
    }

    #[test]
    fn what_is_not_finite_is_never_left_out() {
        let sample = field(WireType::Grid(ValueType::F32), [3, 1, 1], 1, &[1.0, f32::NAN, f32::INFINITY]);
        for statistic in [Statistic::Min, Statistic::Max, Statistic::Mean, Statistic::Sum, Statistic::Rms] {
            assert!(value(&sample, statistic, None)[0].is_nan(), "{statistic:?}");
        }
        let found = evaluate(&sample, Statistic::Nan, None);
        assert_eq!((found.values.as_slice(), found.nan, found.infinite, found.count), ([1.0].as_slice(), 1, 1, 3));
        let vectors = field(WireType::Grid(ValueType::Vec2), [1, 1, 1], 2, &[f32::NAN, f32::NAN]);
        assert_eq!(value(&vectors, Statistic::Nan, None), [2.0], "components are counted");
    }

    /// The buffer of a face grid has one more layer along every axis: a 2 x 1 grid has 3 x 1 and 2 x 2 faces in a
    /// buffer of 3 x 2.
    #[test]
    fn only_faces_that_exist_count() {
        let no_face = f32::NAN;
        let memory = [1.0, 10.0, 2.0, 20.0, 3.0, no_face, no_face, 30.0, no_face, 40.0, no_face, no_face];
        let faces = field(WireType::FaceGrid, [3, 2, 1], 2, &memory);
        assert_eq!(value(&faces, Statistic::Sum, Some(0)), [6.0]);
        assert_eq!(value(&faces, Statistic::Sum, Some(1)), [100.0]);
        assert_eq!(value(&faces, Statistic::Sum, None), [106.0]);
        assert_eq!(value(&faces, Statistic::Count, None), [7.0]);
    }

    #[test]
    fn of_particles_only_the_living_count() {
        let Sample::Field(values, _) = field(WireType::Attribute(ValueType::F32), [3, 1, 1], 1, &[1.0, 2.0, 100.0])
        else {
            unreachable!()
        };
        let living = Sample::Field(values.clone(), Some(2));
        assert_eq!(value(&living, Statistic::Max, None), [2.0]);
        assert_ne!(living.hash(), Sample::Field(values.clone(), None).hash());
        let none = Sample::Field(values, Some(0));
        assert_eq!(value(&none, Statistic::Sum, None), [0.0]);
        assert!(value(&none, Statistic::Mean, None)[0].is_nan(), "nothing has no mean");
    }

    #[test]
    fn one_cell_or_one_living_particle_has_its_components() {
        let vectors = field(WireType::Grid(ValueType::Vec2), [2, 2, 1], 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(value(&vectors, Statistic::Cell([1, 1, 0]), None), [7.0, 8.0]);
        assert_eq!(value(&vectors, Statistic::Cell([0, 1, 0]), Some(1)), [6.0]);
        assert!(value(&vectors, Statistic::Cell([2, 0, 0]), None).is_empty(), "the next row is another cell");
        let Sample::Field(values, _) = field(WireType::Attribute(ValueType::F32), [3, 1, 1], 1, &[1.0, 2.0, 9.0])
        else {
            unreachable!()
        };
        let living = Sample::Field(values, Some(2));
        assert_eq!(value(&living, Statistic::Particle(1), None), [2.0]);
        assert!(value(&living, Statistic::Particle(2), None).is_empty());
    }

    #[test]
    fn an_image_has_a_value_for_each_channel() {
        let rgba = vec![255, 0, 51, 255, 255, 102, 51, 255];
        let image = Sample::Image(Image { width: 2, height: 1, rgba });
        assert_eq!(value(&image, Statistic::Mean, None), [1.0, 0.2, 0.2]);
        assert_eq!(value(&image, Statistic::Max, Some(1)), [0.4]);
    }
}
