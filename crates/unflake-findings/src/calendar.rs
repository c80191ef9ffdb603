//! Days and times in the Gregorian calendar, UTC, from 1970 on: enough to name runs and to list them.

const DAY: u64 = 24 * 60 * 60;

/// Year, month and day of a day counted from 1970-01-01.
pub(crate) fn civil(mut day: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    while day >= length_of_year(year) {
        day -= length_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while day >= length_of_month(year, month) {
        day -= length_of_month(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

/// The reverse; `None`: there is no such day, or it was before 1970.
pub(crate) fn day_of(year: u64, month: u64, day: u64) -> Option<u64> {
    let exists = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=length_of_month(year, month)).contains(&day);
    let years = (1970..year).map(length_of_year).sum::<u64>();
    let months = (1..month).map(|month| length_of_month(year, month));
    exists.then(|| years + months.sum::<u64>() + day - 1)
}

/// `2026-11-15 12:17:05`, of seconds since 1970.
pub(crate) fn utc(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / DAY);
    let second = seconds % DAY;
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

fn length_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn length_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_come_back() {
        for day in (0..80_000).chain([2_932_896]) {
            let (year, month, of_month) = civil(day);
            assert_eq!(day_of(year, month, of_month), Some(day));
        }
        assert_eq!(civil(2_932_896), (9999, 12, 31));
    }

    #[test]
    fn days_that_do_not_exist_are_none() {
        for (year, month, day) in [
            (1969, 12, 31),
            (2026, 0, 1),
            (2026, 13, 1),
            (2026, 2, 29),
            (2026, 4, 31),
            (2026, 1, 0),
        ] {
            assert_eq!(day_of(year, month, day), None, "{year}-{month}-{day}");
        }
        assert!(
            day_of(2024, 2, 29).is_some() && day_of(2100, 2, 29).is_none() && day_of(2000, 2, 29).is_some()
        );
    }

    #[test]
    fn times_are_readable() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(1_709_251_199), "2024-02-29 23:59:59");
    }
}
