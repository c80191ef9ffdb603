//! How choices vary: level, form and seed (N5, N6).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How freely choices vary. Ordered from the weakest to the strongest: what fails at a weak level is the worse
/// finding, since even an implementation that is deterministic through and through may fail it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// One fixed rearrangement per run: depends on seed and size.
    One,
    /// Equal objects give the same: depends on the object's value too.
    Eq,
    /// The same unchanged object gives the same: depends on the object and its modification count too.
    Id,
    /// Every call may differ: depends on the number of the call too.
    Full,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 4] = [Level::One, Level::Eq, Level::Id, Level::Full];

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Level::One => "one",
            Level::Eq => "eq",
            Level::Id => "id",
            Level::Full => "full",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Level::ALL
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| format!("unknown level `{text}`; use one of one, eq, id, full"))
    }
}

/// Fixes every choice of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// Seeds stay below 2^48, so that every JSON reader keeps them exactly and people can type them.
    const MASK: u64 = (1 << 48) - 1;

    /// A seed from any 64 bits.
    pub fn from_bits(bits: u64) -> Seed {
        Seed(bits & Seed::MASK)
    }

    /// The seed of the `n`th thing that is done under this one; independent of how many others there are.
    pub fn derive(self, n: u64) -> Seed {
        Seed::from_bits(mix(self.0 ^ mix(n.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The finaliser of SplitMix64: every bit of the input changes about half of the output's.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What is done with the elements of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Guided: reverse everywhere.
    Reverse,
    /// Guided: reverse where the key that the level allows is odd; at FULL every second call.
    Odd,
    /// Guided: reverse where the key's second bit is set; at FULL two calls natural, two reversed. Two calls that agree
    /// under [`Form::Odd`] because there is one between them differ here.
    Pairs,
    /// A random permutation.
    Random(Seed),
}

/// One way to vary all choices of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Strategy {
    pub level: Level,
    pub form: Form,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            Form::Reverse => write!(f, "{} reverse", self.level),
            Form::Odd => write!(f, "{} odd", self.level),
            Form::Pairs => write!(f, "{} pairs", self.level),
            Form::Random(seed) => write!(f, "{} seed {seed}", self.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_they_are_printed() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("total".parse::<Level>().is_err());
    }

    #[test]
    fn derived_seeds_differ_and_repeat() {
        let seed = Seed(7);
        assert_eq!(seed.derive(1), seed.derive(1));
        assert_ne!(seed.derive(1), seed.derive(2));
        assert_ne!(seed.derive(1), Seed(8).derive(1));
    }
}
