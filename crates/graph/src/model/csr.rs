//! Rows of indices in two flat lists, and pairs of such rows that mirror each other.

/// Means "none" in place of an index.
pub(crate) const NONE: u32 = u32::MAX;

/// Rows of indices; row `i` is `items[starts[i]..starts[i + 1]]`.
#[derive(Debug, Clone)]
pub(crate) struct Csr {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    pub(crate) fn with_capacity(rows: usize, items: usize) -> Csr {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Csr { starts, items: Vec::with_capacity(items) }
    }

    /// Adds one row; skips an item that `seen` already has for this row.
    pub(crate) fn push_row(&mut self, seen: &mut [u32], row: impl IntoIterator<Item = u32>) {
        let this = self.len();
        for item in row {
            let last = &mut seen[item as usize];
            if *last != this {
                *last = this;
                self.push(item);
            }
        }
        self.end_row();
    }

    /// Adds an item to the row that is being written.
    pub(crate) fn push(&mut self, item: u32) {
        self.items.push(item);
    }

    pub(crate) fn end_row(&mut self) {
        self.starts.push(index(self.items.len()));
    }

    pub(crate) fn row(&self, row: u32) -> &[u32] {
        let row = row as usize;
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u32 {
        index(self.starts.len() - 1)
    }

    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }

    /// For each index, the rows that contain it, in order.
    pub(crate) fn mirrored(&self) -> Csr {
        Csr::grouped(
            self.len(),
            (0..self.len()).flat_map(|row| self.row(row).iter().map(move |&item| (item, row))),
        )
    }

    /// Groups `(row, item)` pairs into `rows` rows, each in the order of the pairs.
    pub(crate) fn grouped(rows: u32, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Csr {
        let mut starts = vec![0; rows as usize + 1];
        for (row, _) in pairs.clone() {
            starts[row as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut items = vec![0; sum as usize];
        let mut next = starts.clone();
        for (row, item) in pairs {
            let slot = &mut next[row as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Csr { starts, items }
    }
}

/// Links seen from both ends.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    /// The vertices that each vertex waits for.
    pub(crate) down: Csr,
    /// The vertices that wait for each vertex.
    pub(crate) up: Csr,
}

impl From<Csr> for Links {
    fn from(down: Csr) -> Links {
        Links { up: down.mirrored(), down }
    }
}

/// A length as an index. No plan that fits in memory has four thousand million tasks or links.
pub(crate) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::{Csr, NONE};

    #[test]
    fn a_mirror_of_a_mirror_is_the_same_rows_in_order() {
        let mut rows = Csr::with_capacity(3, 4);
        let mut seen = [NONE; 3];
        rows.push_row(&mut seen, [2, 1, 2]);
        rows.push_row(&mut seen, []);
        rows.push_row(&mut seen, [1, 0]);
        assert_eq!((rows.row(0), rows.row(1), rows.row(2)), (&[2, 1][..], &[][..], &[1, 0][..]));
        let mirror = rows.mirrored();
        assert_eq!((mirror.row(0), mirror.row(1), mirror.row(2)), (&[2][..], &[0, 2][..], &[0][..]));
        assert_eq!(mirror.mirrored().row(0), [1, 2]);
    }
}
