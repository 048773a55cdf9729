//! Amounts, times and progress as text.

use std::time::Duration;

use crate::export::job::Progress;

pub(super) fn figures(progress: &Progress) -> String {
    let mut text = format!("Frame {} of {}", progress.frame, progress.last);
    if let Some(rate) = progress.rate {
        text += &format!(", {rate:.1} per second");
    }
    if let Some(left) = progress.left {
        let least = if left.at_least { "at least " } else { "" };
        text += &format!(", {least}{} left", span(Duration::try_from_secs_f64(left.seconds).unwrap_or_default()));
    }
    text
}

pub(super) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {} min", minutes % 60),
    }
}

pub(super) fn frames(count: u64) -> String {
    if count == 1 { "1 frame".into() } else { format!("{count} frames") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::job::Left;

    #[test]
    fn figures_are_short() {
        let left = Some(Left { seconds: 105.2, at_least: false });
        let progress = Progress { frame: 30, written: 30, last: 240, rate: Some(2.0), left, ..Progress::default() };
        assert_eq!(figures(&progress), "Frame 30 of 240, 2.0 per second, 1 min 45 s left");
        assert_eq!(figures(&Progress::default()), "Frame 0 of 0");
        assert_eq!(span(Duration::from_secs(7300)), "2 h 1 min");
    }
}
