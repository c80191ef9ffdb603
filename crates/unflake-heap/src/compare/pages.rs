//! A number for each object, in little memory: most objects have the number next to their neighbour's, or the same one.
//!
//! In an unchanged part of a heap the partner of object 7 is object 7, or 9 if two were added before it, and that of
//! object 8 is then 8 or 10; the elements of a list were all reached from one object. So of 256 objects in a row one
//! number is kept, and of which of them it holds, as long as that is the whole truth.

#[derive(Clone, Debug)]
pub(super) struct Pages {
    pages: Vec<RowPage>,
}

const SIZE: usize = 256;

#[derive(Clone, Debug)]
enum RowPage {
    Row(Row),
    Each(Box<[u32; SIZE]>),
}

#[derive(Clone, Debug, Default)]
struct Row {
    /// Of which objects it holds, a bit each.
    known: [u64; SIZE / 64],
    /// The number of the first object, or what it would be.
    first: u32,
    /// Whether all have the same number as the first.
    is_constant: bool,
}

impl Pages {
    /// Nothing is known of any object.
    pub(super) fn new(objects: u32) -> Pages {
        let pages = (objects as usize + 1).div_ceil(SIZE);
        Pages {
            pages: vec![RowPage::Row(Row::default()); pages],
        }
    }

    pub(super) fn memory(&self) -> usize {
        let each = self.pages.iter().filter(|page| matches!(page, RowPage::Each(_)));
        self.pages.capacity() * size_of::<RowPage>() + each.count() * size_of::<[u32; SIZE]>()
    }

    /// 0: not known.
    pub(super) fn get(&self, object: u32) -> u32 {
        let at = object as usize % SIZE;
        match self.pages.get(object as usize / SIZE) {
            Some(RowPage::Row(row)) => row.get(at).unwrap_or(0),
            Some(RowPage::Each(numbers)) => numbers[at],
            None => 0,
        }
    }

    pub(super) fn set(&mut self, object: u32, number: u32) {
        let at = object as usize % SIZE;
        match self.pages.get_mut(object as usize / SIZE) {
            Some(RowPage::Each(numbers)) => numbers[at] = number,
            Some(page @ RowPage::Row(_)) => page.set_in_row(at, number),
            None => {}
        }
    }
}

impl RowPage {
    fn set_in_row(&mut self, at: usize, number: u32) {
        let RowPage::Row(row) = self else { return };
        if row.accept(at, number) {
            row.known[at / 64] |= 1 << (at % 64);
            return;
        }
        let mut numbers = Box::new([0; SIZE]);
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = row.get(at).unwrap_or(0);
        }
        numbers[at] = number;
        *self = RowPage::Each(numbers);
    }
}

impl Row {
    fn get(&self, at: usize) -> Option<u32> {
        let is_known = self.known[at / 64] >> (at % 64) & 1 == 1;
        is_known.then(|| self.would_be(at))
    }

    fn would_be(&self, at: usize) -> u32 {
        self.first
            .wrapping_add(if self.is_constant { 0 } else { at as u32 })
    }

    /// Whether this number fits in, perhaps since too little is known yet to contradict it.
    fn accept(&mut self, at: usize, number: u32) -> bool {
        match self.known.iter().map(|bits| bits.count_ones()).sum::<u32>() {
            0 => self.first = number.wrapping_sub(at as u32),
            _ if self.would_be(at) == number => {}
            1 if (0..SIZE).any(|other| self.get(other) == Some(number)) => {
                self.is_constant = true;
                self.first = number;
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_come_back() {
        let kinds: [fn(u32) -> u32; 4] = [|i| i + 3, |_| 7, |i| i / 2 + 1, |i| i * 0x9e37 % 1000 + 1];
        for kind in kinds {
            let mut pages = Pages::new(1000);
            for object in (1..=1000).rev().filter(|object| object % 3 != 0) {
                pages.set(object, kind(object));
            }
            for object in 1..=1000 {
                let expected = if object % 3 == 0 { 0 } else { kind(object) };
                assert_eq!(pages.get(object), expected, "{object}");
            }
        }
    }

    #[test]
    fn rows_take_little() {
        let mut pages = Pages::new(100_000);
        for object in 1..=100_000 {
            pages.set(object, object + 2);
        }
        assert!(pages.memory() < 25_000, "{}", pages.memory());
    }
}
