//! HotSpot's generator of identity hashes, followed from outside.
//!
//! With the default setting (`-XX:hashCode=5`) each thread has a Marsaglia xor-shift generator of its own, and an
//! object draws its hash from the generator of the thread that first asks for it. Its state are its last four results,
//! of which Java sees the low bits (31; 25 with the compact headers of some JVMs). Every state bit is a linear function
//! over GF(2) of the first state, so a few results are a system of linear equations, and its solution tells all later
//! results: one more hash then tells how many were drawn in between.

use std::cell::Cell;
use unflake_protocol::codes::{DRAWN_UNKNOWN, DRAWN_UNSEEN};

/// Hashes drawn between two looks are counted up to here.
const FURTHEST: i32 = 200_000;

/// What HotSpot puts in the place of zero, which means "no hash yet".
const NOT_ZERO: u32 = 0xBAD;

thread_local! {
    static GENERATOR: Cell<KnownHash> = const { Cell::new(KnownHash::Unseen) };
}

#[derive(Clone, Copy)]
enum KnownHash {
    Unseen,
    Follows(Generator),
    Foreign,
}

/// What `UnflakeNative.hashes` answers.
pub(crate) fn follow(drawn: &[i32]) -> i32 {
    GENERATOR.with(|known| {
        let drawn: Vec<u32> = drawn.iter().map(|hash| hash.cast_unsigned()).collect();
        let (next, answer) = step(known.get(), &drawn);
        known.set(next);
        answer
    })
}

fn step(known: KnownHash, drawn: &[u32]) -> (KnownHash, i32) {
    match (known, drawn) {
        (KnownHash::Foreign, _) => (KnownHash::Foreign, DRAWN_UNKNOWN),
        (KnownHash::Follows(mut generator), &[hash]) => {
            let others = (0..FURTHEST).find(|_| generator.next() == hash);
            // Lost: the test drew more than we count. The next look at this thread asks for a new sample.
            others.map_or((KnownHash::Unseen, FURTHEST), |others| {
                (KnownHash::Follows(generator), others)
            })
        }
        (KnownHash::Unseen, &[_] | &[]) => (KnownHash::Unseen, DRAWN_UNSEEN),
        (_, sample) => match Generator::recover(sample) {
            Some(generator) => (KnownHash::Follows(generator), 0),
            None => (KnownHash::Foreign, DRAWN_UNKNOWN),
        },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Generator {
    /// The last four results, the oldest first.
    state: [u32; 4],
    /// The bits of a result that Java sees.
    mask: u32,
}

impl Generator {
    /// The generator that has just given this sample.
    fn recover(sample: &[u32]) -> Option<Generator> {
        [31, 25]
            .into_iter()
            .find_map(|bits| Generator::recover_from(sample, (1 << bits) - 1))
    }

    fn recover_from(sample: &[u32], mask: u32) -> Option<Generator> {
        if sample.iter().any(|hash| hash & !mask != 0) {
            return None;
        }
        let state = solve(sample, mask)?;
        let mut generator = Generator { state, mask };
        sample
            .iter()
            .all(|&hash| generator.next() == hash)
            .then_some(generator)
    }

    fn next(&mut self) -> u32 {
        let [x, y, z, w] = self.state;
        let t = x ^ (x << 11);
        let new = (w ^ (w >> 19)) ^ (t ^ (t >> 8));
        self.state = [y, z, w, new];
        match new & self.mask {
            0 => NOT_ZERO,
            hash => hash,
        }
    }
}

/// A bit as the sum of those bits of the first state that are set here.
type Sum = u128;

/// A 32-bit word of such bits, the lowest first.
type Word = [Sum; 32];

/// The only state that gives this sample; `None` if there is no such state, or more than one.
fn solve(sample: &[u32], mask: u32) -> Option<[u32; 4]> {
    let mut words: [Word; 4] = std::array::from_fn(|word| std::array::from_fn(|bit| 1 << (32 * word + bit)));
    // One equation per state bit, whose lowest set bit is that bit; the right-hand side beside it.
    let mut equations: [Option<(Sum, bool)>; 128] = [None; 128];
    for &hash in sample {
        words = step_symbolically(words);
        for (bit, &sum) in words[3].iter().enumerate() {
            if mask >> bit & 1 == 1 && !add_equation(&mut equations, sum, hash >> bit & 1 == 1) {
                return None;
            }
        }
    }
    // From the highest bit down, each equation has one bit left that is not known.
    let mut state: Sum = 0;
    for (bit, equation) in equations.iter().enumerate().rev() {
        let (sum, right) = (*equation)?;
        let known = ((sum & state).count_ones() & 1 == 1) ^ right;
        state |= Sum::from(known) << bit;
    }
    Some(std::array::from_fn(|word| (state >> (32 * word)) as u32))
}

/// `false`: it contradicts the others.
fn add_equation(equations: &mut [Option<(Sum, bool)>; 128], mut sum: Sum, mut right: bool) -> bool {
    while sum != 0 {
        let lowest = &mut equations[sum.trailing_zeros() as usize];
        match lowest {
            Some((other, other_right)) => {
                sum ^= *other;
                right ^= *other_right;
            }
            None => {
                *lowest = Some((sum, right));
                return true;
            }
        }
    }
    !right
}

fn step_symbolically([x, y, z, w]: [Word; 4]) -> [Word; 4] {
    let higher = |word: &Word, by: usize, bit: usize| word.get(bit + by).copied().unwrap_or(0);
    let t: Word = std::array::from_fn(|bit| x[bit] ^ if bit >= 11 { x[bit - 11] } else { 0 });
    let new = std::array::from_fn(|bit| w[bit] ^ higher(&w, 19, bit) ^ t[bit] ^ higher(&t, 8, bit));
    [y, z, w, new]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generator(mask_bits: u32) -> Generator {
        Generator {
            state: [0x1234_5678, 842_502_087, 0x8767, 273_326_509],
            mask: (1 << mask_bits) - 1,
        }
    }

    fn sample(generator: &mut Generator) -> Vec<u32> {
        (0..8).map(|_| generator.next()).collect()
    }

    #[test]
    fn eight_hashes_tell_the_state() {
        for bits in [31, 25] {
            let mut original = generator(bits);
            let drawn = sample(&mut original);
            let recovered = Generator::recover_from(&drawn, original.mask);
            assert_eq!(recovered, Some(original), "{bits} bits");
        }
    }

    #[test]
    fn draws_between_two_looks_are_counted() {
        let mut original = generator(31);
        let (known, answer) = step(KnownHash::Unseen, &[original.next()]);
        assert_eq!(answer, DRAWN_UNSEEN);
        let (known, answer) = step(known, &sample(&mut original));
        assert_eq!(answer, 0);
        let (known, answer) = step(known, &[original.next()]);
        assert_eq!(answer, 0);
        for _ in 0..5 {
            original.next();
        }
        let (known, answer) = step(known, &[original.next()]);
        assert_eq!(answer, 5);
        assert!(matches!(known, KnownHash::Follows(_)));
    }

    #[test]
    fn another_generator_is_not_followed() {
        let (known, answer) = step(KnownHash::Unseen, &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(answer, DRAWN_UNKNOWN);
        assert_eq!(step(known, &[9]).1, DRAWN_UNKNOWN);
    }

    #[test]
    fn a_lost_thread_is_sampled_again() {
        let mut original = generator(31);
        let (known, _) = step(KnownHash::Unseen, &sample(&mut original));
        let (known, answer) = step(known, &[NOT_ZERO + 1]);
        assert_eq!(answer, FURTHEST);
        assert_eq!(step(known, &[original.next()]).1, DRAWN_UNSEEN);
    }
}
