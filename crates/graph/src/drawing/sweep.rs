//! The order within the columns of a drawing, so that few links cross.

use crate::model::csr::Links;

/// Sweeps over the whole drawing; more than that rarely helps.
const SWEEPS: usize = 12;
/// The maximum number of vertices visited in total; larger drawings get fewer sweeps.
const EFFORT: usize = 1_000_000;

/// Sorts each column by the positions of its neighbours, back and forth, and keeps the order with the fewest
/// crossings.
pub(crate) fn untangle(rows: &mut Vec<Vec<u32>>, near: &Links) {
    let vertices = near.down.len() as usize;
    let mut place = vec![0; vertices];
    for row in rows.iter() {
        settle(row, &mut place);
    }
    let mut best = rows.clone();
    let mut fewest = u64::MAX;
    for sweep in 0..SWEEPS.min(1 + EFFORT / vertices.max(1)) {
        for at in 1..rows.len() {
            let (row, links) =
                if sweep % 2 == 0 { (at, &near.down) } else { (rows.len() - 1 - at, &near.up) };
            arrange(&mut rows[row], &mut place, |v| links.row(v));
        }
        let crossings = rows.iter().map(|row| crossings(row, near, &place)).sum();
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(rows);
        }
        if fewest == 0 {
            break;
        }
    }
    *rows = best;
}

/// Sorts one column by the mean position of each vertex's neighbours; a vertex without neighbours keeps its
/// position.
fn arrange<'a>(row: &mut [u32], place: &mut [u32], near: impl Fn(u32) -> &'a [u32]) {
    let mut keyed: Vec<(u64, u32)> = row
        .iter()
        .map(|&v| {
            let near = near(v);
            let sum: u64 = near.iter().map(|&n| u64::from(place[n as usize])).sum();
            let own = u64::from(place[v as usize]);
            // Fixed point, so that the same plan gives the same drawing on every machine.
            (if near.is_empty() { own << 16 } else { (sum << 16) / near.len() as u64 }, v)
        })
        .collect();
    keyed.sort_by_key(|&(key, _)| key);
    for (slot, (_, v)) in row.iter_mut().zip(keyed) {
        *slot = v;
    }
    settle(row, place);
}

fn settle(row: &[u32], place: &mut [u32]) {
    for (&v, at) in row.iter().zip(0..) {
        place[v as usize] = at;
    }
}

/// How many links between this column and the one before cross.
fn crossings(row: &[u32], near: &Links, place: &[u32]) -> u64 {
    let mut ends: Vec<u32> = Vec::new();
    for &v in row {
        let start = ends.len();
        ends.extend(near.down.row(v).iter().map(|&d| place[d as usize]));
        ends[start..].sort_unstable();
    }
    // A Fenwick tree: how many of the links so far end further down.
    let size = ends.iter().max().map_or(0, |&last| last as usize + 1);
    let mut tree = vec![0u32; size + 1];
    let mut total = 0;
    for (&end, so_far) in ends.iter().zip(0u64..) {
        let mut at = end as usize + 1;
        let mut above = 0;
        while at > 0 {
            above += u64::from(tree[at]);
            at &= at - 1;
        }
        total += so_far - above;
        at = end as usize + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::{crossings, untangle};
    use crate::model::csr::{Csr, Links};

    fn links(pairs: &[(u32, u32)]) -> Links {
        Links::from(Csr::grouped(6, pairs.iter().copied()))
    }

    #[test]
    fn crossings_are_counted_and_undone() {
        let near = links(&[(3, 2), (4, 1), (5, 0)]);
        let mut rows = vec![vec![0, 1, 2], vec![3, 4, 5]];
        assert_eq!(crossings(&rows[1], &near, &[0, 1, 2, 0, 1, 2]), 3);
        untangle(&mut rows, &near);
        assert_eq!(rows, [[0, 1, 2], [5, 4, 3]]);
    }
}
