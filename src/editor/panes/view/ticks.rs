//! Round numbers along an axis, and numbers as text.

/// Multiples of 1, 2 or 5 times a power of ten within a range, at most about `count`, and their step.
pub(crate) fn linear(low: f64, high: f64, count: f64, least: f64) -> (Vec<f64>, f64) {
    let wanted = ((high - low) / count.max(1.0)).max(least);
    if !(wanted.is_finite() && wanted > 0.0) {
        return (Vec::new(), 1.0);
    }
    let power = 10f64.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|digit| digit * power).into_iter().find(|step| *step >= 0.999 * wanted);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil();
    let ticks = (0..100).map(|index| (first + f64::from(index)) * step);
    (ticks.take_while(|tick| *tick <= high + 1e-9 * step).collect(), step)
}

/// Powers of ten within a range of positive numbers, at most about `count`; between a few of them also 2 and 5 times these.
/// `None` where the range holds no power of ten.
pub(super) fn decades(low: f64, high: f64, count: f64) -> Option<Vec<f64>> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let every = (f64::from(last - first) / count.max(1.0)).ceil().max(1.0) as usize;
    let digits: &[f64] = if f64::from(3 * (last - first)) <= count { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let inside = |value: &f64| (0.999 * low..=1.001 * high).contains(value);
    let ticks = (first..=last).step_by(every).flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
    let ticks: Vec<f64> = ticks.filter(inside).collect();
    (ticks.len() > 1).then_some(ticks)
}

/// A tick with the digits that distinguish it from those a step away.
pub(crate) fn label(tick: f64, step: f64) -> String {
    let place = |value: f64| (value.abs().log10() + 1e-9).floor();
    if tick.abs() < 1e-9 * step {
        return "0".into();
    }
    let exponent = place(tick);
    match (-3.0..5.0).contains(&exponent) && place(step) > -7.0 {
        true => format!("{tick:.*}", (-place(step)).clamp(0.0, 7.0) as usize),
        false => format!("{tick:.*e}", (exponent - place(step)).clamp(0.0, 12.0) as usize),
    }
}

/// A number with enough digits to distinguish values.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size == 0.0 || !size.is_finite() => format!("{value}"),
        _ if !(1e-3..1e5).contains(&size) => format!("{value:.4e}"),
        _ => format!("{value:.*}", (4.0 - size.log10().floor()).clamp(0.0, 7.0) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        let labels = |low: f64, high: f64, count: f64, least: f64| {
            let (ticks, step) = linear(low, high, count, least);
            ticks.into_iter().map(|tick| label(tick, step)).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.0, 1.0, 5.0, 0.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-0.3, 0.3, 3.0, 0.0), ["-0.2", "0", "0.2"]);
        assert_eq!(labels(1.0, 4.0, 8.0, 1.0), ["1", "2", "3", "4"], "frames are whole");
        assert_eq!(labels(1.2e-6, 3.4e-6, 3.0, 0.0), ["2e-6", "3e-6"]);
        assert_eq!(labels(1000.01, 1000.05, 2.0, 0.0), ["1000.02", "1000.04"]);
        assert_eq!(labels(1.0, 1.0, 5.0, 0.0), Vec::<String>::new());
        assert_eq!(labels(0.0, f64::INFINITY, 5.0, 0.0), Vec::<String>::new());
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let labels = |low, high, count| {
            decades(low, high, count).map(|ticks| ticks.into_iter().map(|t| label(t, t)).collect::<Vec<_>>())
        };
        assert_eq!(labels(3e-6, 2e-2, 5.0).unwrap(), ["1e-5", "1e-4", "0.001", "0.01"]);
        assert_eq!(labels(0.9, 11.0, 9.0).unwrap(), ["1", "2", "5", "10"]);
        assert_eq!(labels(1e-12, 1.0, 4.0).unwrap(), ["1e-12", "1e-9", "1e-6", "0.001", "1"]);
        assert_eq!(labels(3.0, 4.0, 9.0), None, "there is none in between");
    }

    #[test]
    fn numbers_have_five_digits() {
        let texts = [0.0, 1.0, 123.456_78, -0.001_234_567, 9.87e-9, 1.0 / 3.0].map(number);
        assert_eq!(texts, ["0", "1.0000", "123.46", "-0.0012346", "9.8700e-9", "0.33333"]);
    }
}
