//! The date and the time of day, for names of folders and files.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: i64 = 86_400;

/// A date and a time of day, in parts that file names can have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// `2026-11-27`
    pub date: String,
    /// Hours and minutes: `14-05`
    pub time: String,
}

impl Now {
    /// The present local date and time; in UTC where the system does not report the time zone.
    pub fn local() -> Now {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        Now::from_seconds(seconds.saturating_add(offset(seconds)))
    }

    /// Date and time at a number of seconds after the beginning of 1970.
    fn from_seconds(seconds: i64) -> Now {
        let (days, minutes) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY) / 60);
        let (year, month, day) = civil(days);
        let date = format!("{year:04}-{month:02}-{day:02}");
        Now { date, time: format!("{:02}-{:02}", minutes / 60, minutes % 60) }
    }
}

/// Year, month and day of the Gregorian calendar, so many days after 1970-01-01. Source: H. Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", civil_from_days: years begin in March, so that the leap day is their last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + 400 * era + next, month, day)
}

/// How far the local time is ahead of UTC at a time \[s\].
#[cfg(unix)]
fn offset(seconds: i64) -> i64 {
    let time = seconds as libc::time_t;
    let mut local = std::mem::MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both pointers are to values of this function. `localtime_r` fills the struct, or returns null and leaves it as zeros, which
    // are valid values of its numbers; its other member, a pointer, is not read.
    #[allow(unsafe_code)]
    unsafe {
        if libc::localtime_r(&raw const time, local.as_mut_ptr()).is_null() { 0 } else { local.assume_init().tm_gmtoff }
    }
}

#[cfg(not(unix))]
fn offset(_: i64) -> i64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_leap_years_have_their_dates() {
        let date = |days: i64| Now::from_seconds(days * DAY + 3 * 3600 + 7 * 60 + 59);
        // From `date -u -d @SECONDS`.
        let dates = [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_784, "2026-11-27"), (47_540, "2100-02-28")];
        for (days, expected) in dates.into_iter().chain([(47_541, "2100-03-01"), (-1, "1969-12-31")]) {
            assert_eq!((date(days).date.as_str(), date(days).time.as_str()), (expected, "03-07"));
        }
        assert!(offset(0).abs() <= 15 * 3600);
    }
}
