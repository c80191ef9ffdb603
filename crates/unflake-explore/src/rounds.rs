//! What each round does (N5, N6, N7; INTERFACE, "Default rounds").

use unflake_protocol::{Form, Level, Seed, Strategy};

/// Reverse, and two alternating rounds: call by call, and by pairs of calls.
pub const GUIDED_ROUNDS: u32 = 3;
/// As many as the papers recommend.
pub const DEFAULT_ROUNDS: u32 = 10;

/// The strategy of a round, counted from 1.
///
/// Reversing flips every pair of elements, so one round already fails each test that relies on the relative order of
/// two of them, at the weakest level. The alternating rounds catch "two iterations agree". Random seeds come after.
pub fn strategy_of_round(round: u32, level: Option<Level>, seed: Seed) -> Strategy {
    let form = match round {
        1 => Form::Reverse,
        2 => Form::Odd,
        3 => Form::Pairs,
        _ => Form::Random(seed.derive(u64::from(round))),
    };
    let climbing = if form == Form::Reverse {
        Level::One
    } else {
        Level::Full
    };
    Strategy {
        level: level.unwrap_or(climbing),
        form,
    }
}

/// What the random rounds of a check with this seed do, the first of them first.
pub fn random_rounds(seed: Seed) -> impl Iterator<Item = Strategy> {
    (GUIDED_ROUNDS + 1..).map(move |round| strategy_of_round(round, Some(Level::Full), seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guided_rounds_come_first_and_random_ones_differ() {
        let strategy = |round| strategy_of_round(round, None, Seed(7));
        assert_eq!(
            strategy(1),
            Strategy {
                level: Level::One,
                form: Form::Reverse
            }
        );
        assert_eq!(
            strategy(2),
            Strategy {
                level: Level::Full,
                form: Form::Odd
            }
        );
        assert_eq!(
            strategy(3),
            Strategy {
                level: Level::Full,
                form: Form::Pairs
            }
        );
        assert!(matches!(
            strategy(4),
            Strategy {
                level: Level::Full,
                form: Form::Random(_)
            }
        ));
        assert_ne!(strategy(4), strategy(5));
        assert_eq!(strategy(4), strategy_of_round(4, None, Seed(7)));
    }

    #[test]
    fn random_rounds_are_those_of_a_check() {
        let rounds: Vec<Strategy> = random_rounds(Seed(7)).take(2).collect();
        assert_eq!(
            rounds,
            [4, 5].map(|round| strategy_of_round(round, None, Seed(7)))
        );
    }

    #[test]
    fn a_level_the_user_asked_for_is_the_only_one() {
        for round in 1..10 {
            assert_eq!(
                strategy_of_round(round, Some(Level::Id), Seed(7)).level,
                Level::Id
            );
        }
    }
}
