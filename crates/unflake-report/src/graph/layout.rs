//! Where each node of a layered drawing stands and how its lines run.
//!
//! Sugiyama's method in four steps. *Layers*: each node as far down as its longest path from the start. *Bends*: a line
//! over several layers gets a place in each, so that it passes between the nodes. *Order*: within its layer each node
//! moves to the mean place of its neighbours above, then below, again and again, and the order with the fewest
//! crossings is kept. *Places*: each layer gets the positions that are, in the sense of least squares, nearest to their
//! neighbours without changing the order or coming too close; that is a monotone regression, which pooling adjacent
//! violators solves exactly.
//!
//! It knows sizes and pairs only, and always gives the same result for the same input.

const MARGIN: f64 = 24.0;
/// Between nodes of a layer, and beside small ones and lines that pass.
const GAP: f64 = 20.0;
const SMALL_GAP: f64 = 12.0;
const SMALL: f64 = 50.0;
/// Between layers: enough for the steepest line to be followed with the eye, within limits.
const LAYER_GAP: (f64, f64) = (46.0, 170.0);
const LAYER_GAP_PER_WIDTH: f64 = 0.06;
/// The part of a node's side over which its lines are spread, and what the corners take.
const PORTS: f64 = 0.7;
const CORNERS: f64 = 24.0;
/// More bends than that and the longest lines run straight through.
const BENDS: usize = 20_000;
const ORDER_SWEEPS: usize = 30;
const PLACE_SWEEPS: usize = 12;
/// Bends weigh more than nodes: long lines are to be straight.
const BEND_WEIGHT: f64 = 4.0;
const FIXED: f64 = 1e6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

pub(super) struct Layout {
    /// The centre of each node.
    pub(super) centres: Vec<Point>,
    /// For each edge where it starts, then for each gap between layers where it enters and leaves that, then where it
    /// ends. In a gap it is to be drawn as a curve; everything else is straight down.
    pub(super) routes: Vec<Vec<Point>>,
    pub(super) size: Size,
}

/// The layer of each node: 0 at the top. Edges lead to later nodes.
pub(super) fn layers(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    let mut layers = vec![0; nodes];
    for (from, to) in sorted {
        debug_assert!(from < to, "edges lead to later nodes");
        layers[to] = layers[to].max(layers[from] + 1);
    }
    layers
}

pub(super) fn layout(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
    let mut grid = Grid::new(sizes, edges);
    grid.order();
    let x = grid.places();
    grid.draw(edges, &x)
}

/// The layers with nodes and bends in them, both called spots. The first spots are the nodes.
struct Grid<'a> {
    sizes: &'a [Size],
    layer_of: Vec<usize>,
    rows: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// For each edge the spots from its first node to its last; without bends if there were too many.
    chains: Vec<Vec<usize>>,
}

impl<'a> Grid<'a> {
    fn new(sizes: &'a [Size], edges: &[(usize, usize)]) -> Grid<'a> {
        let layer_of = layers(sizes.len(), edges);
        let mut grid = Grid {
            sizes,
            rows: vec![Vec::new(); layer_of.iter().max().map_or(0, |last| last + 1)],
            above: vec![Vec::new(); sizes.len()],
            below: vec![Vec::new(); sizes.len()],
            chains: vec![Vec::new(); edges.len()],
            layer_of,
        };
        let mut shortest_first: Vec<usize> = (0..edges.len()).collect();
        let length = |edge: usize| grid.layer_of[edges[edge].1] - grid.layer_of[edges[edge].0];
        shortest_first.sort_by_key(|edge| length(*edge));
        for edge in shortest_first {
            grid.chains[edge] = grid.chain(edges[edge]);
        }
        grid.fill_rows();
        grid
    }

    fn chain(&mut self, (from, to): (usize, usize)) -> Vec<usize> {
        let between = self.layer_of[from] + 1..self.layer_of[to];
        if self.layer_of.len() - self.sizes.len() + between.len() > BENDS {
            return vec![from, to];
        }
        let mut chain = vec![from];
        for layer in between {
            chain.push(self.layer_of.len());
            self.layer_of.push(layer);
            self.above.push(Vec::new());
            self.below.push(Vec::new());
        }
        chain.push(to);
        for pair in chain.windows(2) {
            self.below[pair[0]].push(pair[1]);
            self.above[pair[1]].push(pair[0]);
        }
        chain
    }

    /// In the order of a walk downwards, which keeps what belongs together together.
    fn fill_rows(&mut self) {
        let mut seen = vec![false; self.layer_of.len()];
        for root in 0..self.sizes.len() {
            let mut stack = vec![root];
            while let Some(spot) = stack.pop() {
                if !std::mem::replace(&mut seen[spot], true) {
                    self.rows[self.layer_of[spot]].push(spot);
                    stack.extend(self.below[spot].iter().rev());
                }
            }
        }
    }

    fn is_bend(&self, spot: usize) -> bool {
        spot >= self.sizes.len()
    }

    fn width(&self, spot: usize) -> f64 {
        self.sizes.get(spot).map_or(0.0, |size| size.width)
    }

    /// Sorts the rows, so that few lines cross.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for sweep in 0..ORDER_SWEEPS {
            if best.0 == 0 {
                break;
            }
            self.sweep(sweep % 2 == 0);
            self.exchange();
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    fn sweep(&mut self, down: bool) {
        let mut place = self.ranks();
        let last = self.rows.len();
        for step in 1..last {
            let layer = if down { step } else { last - 1 - step };
            let neighbours = if down { &self.above } else { &self.below };
            let row = &mut self.rows[layer];
            let key = |spot: usize| mean(neighbours[spot].iter().map(|n| place[*n]));
            let mut keyed: Vec<(f64, usize)> = row
                .iter()
                .map(|spot| (key(*spot).unwrap_or(place[*spot]), *spot))
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            *row = keyed.into_iter().map(|(_, spot)| spot).collect();
            for (rank, spot) in row.iter().enumerate() {
                place[*spot] = rank as f64;
            }
        }
    }

    /// Exchanges neighbours wherever that takes away crossings, which a mean does not always see.
    fn exchange(&mut self) {
        let mut place = self.ranks();
        for row in &mut self.rows {
            for left in 1..row.len() {
                let (a, b) = (row[left - 1], row[left]);
                let crossed = |first: usize, second: usize| {
                    inversions(&self.above[first], &self.above[second], &place)
                        + inversions(&self.below[first], &self.below[second], &place)
                };
                if crossed(b, a) < crossed(a, b) {
                    row.swap(left - 1, left);
                    (place[a], place[b]) = (place[b], place[a]);
                }
            }
        }
    }

    /// The place of each spot in its row.
    fn ranks(&self) -> Vec<f64> {
        let mut ranks = vec![0.0; self.layer_of.len()];
        for row in &self.rows {
            for (rank, spot) in row.iter().enumerate() {
                ranks[*spot] = rank as f64;
            }
        }
        ranks
    }

    fn crossings(&self) -> usize {
        let ranks = self.ranks();
        let mut crossings = 0;
        for row in &self.rows {
            let width = row
                .iter()
                .flat_map(|spot| &self.below[*spot])
                .map(|spot| ranks[*spot] as usize + 1);
            let mut ends = Fenwick::new(width.max().unwrap_or_default());
            let mut before = 0;
            for spot in row {
                let below = || self.below[*spot].iter().map(|to| ranks[*to] as usize);
                // Lines from one spot do not cross each other: first all are compared, then all are added.
                crossings += below().map(|to| before - ends.up_to(to)).sum::<usize>();
                for to in below() {
                    ends.add(to);
                    before += 1;
                }
            }
        }
        crossings
    }

    /// The horizontal place of each spot.
    fn places(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.layer_of.len()];
        for row in &self.rows {
            let offsets = self.offsets(row);
            for (spot, offset) in row.iter().zip(&offsets) {
                x[*spot] = offset - offsets.last().copied().unwrap_or_default() / 2.0;
            }
        }
        for _ in 0..PLACE_SWEEPS {
            for row in &self.rows {
                self.place(row, &mut x, |spot| (Some(&self.above[spot]), 1.0));
            }
            // Upwards last: each parent over the middle of its children.
            for row in self.rows.iter().rev() {
                self.place(row, &mut x, |spot| (Some(&self.below[spot]), 1.0));
            }
        }
        // What has nothing below was left behind when its parent moved. It follows as far as the others let it.
        for row in &self.rows {
            self.place(row, &mut x, |spot| match self.below[spot].is_empty() {
                true => (Some(&self.above[spot]), 1.0),
                false => (None, FIXED),
            });
        }
        let left = |spot: usize| x[spot] - self.width(spot) / 2.0;
        let leftmost = (0..x.len()).map(left).fold(f64::INFINITY, f64::min);
        x.iter().map(|x| x - leftmost + MARGIN).collect()
    }

    /// Moves the spots of a row to the middle of the neighbours that `by` gives, or leaves them; each with its weight.
    fn place<'b>(&self, row: &[usize], x: &mut [f64], by: impl Fn(usize) -> (Option<&'b Vec<usize>>, f64)) {
        let wanted = |spot: usize| {
            let (neighbours, _) = by(spot);
            let neighbours = neighbours.into_iter().flatten();
            mean(neighbours.map(|n| x[*n])).unwrap_or(x[spot])
        };
        let wanted: Vec<f64> = row.iter().map(|spot| wanted(*spot)).collect();
        let weight = |spot: usize| match self.is_bend(spot) {
            true => BEND_WEIGHT * by(spot).1,
            false => by(spot).1,
        };
        let weights: Vec<f64> = row.iter().map(|spot| weight(*spot)).collect();
        let offsets = self.offsets(row);
        for (spot, place) in row.iter().zip(nearest(&wanted, &weights, &offsets)) {
            x[*spot] = place;
        }
    }

    /// Where each spot of a row would be if all were as close as they may.
    fn offsets(&self, row: &[usize]) -> Vec<f64> {
        let mut offsets = Vec::with_capacity(row.len());
        let mut at = 0.0;
        for (index, spot) in row.iter().enumerate() {
            if let Some(left) = index.checked_sub(1).map(|left| row[left]) {
                let small = self.width(left).min(self.width(*spot)) < SMALL;
                let gap = if small { SMALL_GAP } else { GAP };
                at += (self.width(left) + self.width(*spot)) / 2.0 + gap;
            }
            offsets.push(at);
        }
        offsets
    }

    fn draw(&self, edges: &[(usize, usize)], x: &[f64]) -> Layout {
        let bands = self.bands(x);
        let centre = |node: usize| Point {
            x: x[node],
            y: (bands[self.layer_of[node]].0 + bands[self.layer_of[node]].1) / 2.0,
        };
        let centres: Vec<Point> = (0..self.sizes.len()).map(centre).collect();
        let ports = self.ports(x);
        let route = |(edge, (from, to)): (usize, &(usize, usize))| {
            let chain = &self.chains[edge];
            let (first, last) = ports[edge];
            let mut route = vec![Point {
                x: first,
                y: centres[*from].y + self.sizes[*from].height / 2.0,
            }];
            for (hop, pair) in chain.windows(2).enumerate() {
                let begins = if hop == 0 { first } else { x[pair[0]] };
                let ends = if hop + 2 == chain.len() { last } else { x[pair[1]] };
                let (_, y) = bands[self.layer_of[pair[0]]];
                route.push(Point { x: begins, y });
                let (y, _) = bands[self.layer_of[pair[1]]];
                route.push(Point { x: ends, y });
            }
            route.push(Point {
                x: last,
                y: centres[*to].y - self.sizes[*to].height / 2.0,
            });
            route
        };
        let routes: Vec<Vec<Point>> = edges.iter().enumerate().map(route).collect();
        let right = |node: usize| x[node] + self.sizes[node].width / 2.0;
        let furthest = (0..self.sizes.len())
            .map(right)
            .chain(x.iter().copied())
            .fold(0.0, f64::max);
        Layout {
            centres,
            routes,
            size: Size {
                width: furthest + MARGIN,
                height: bands.last().map_or(0.0, |band| band.1) + MARGIN,
            },
        }
    }

    /// Top and bottom of each layer.
    fn bands(&self, x: &[f64]) -> Vec<(f64, f64)> {
        let mut bands = Vec::with_capacity(self.rows.len());
        let mut top = MARGIN;
        for row in &self.rows {
            let heights = row.iter().filter_map(|spot| self.sizes.get(*spot));
            let bottom = top + heights.map(|size| size.height).fold(0.0, f64::max);
            bands.push((top, bottom));
            let hops = row
                .iter()
                .flat_map(|from| self.below[*from].iter().map(|to| (x[*from] - x[*to]).abs()));
            let (least, most) = LAYER_GAP;
            top = bottom + (hops.fold(0.0, f64::max) * LAYER_GAP_PER_WIDTH + least).min(most);
        }
        bands
    }

    /// Where each edge leaves its first node and comes to its last: spread over the side, so that they do not cross
    /// there.
    fn ports(&self, x: &[f64]) -> Vec<(f64, f64)> {
        let mut leaving: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.sizes.len()];
        let mut coming: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.sizes.len()];
        for (edge, chain) in self.chains.iter().enumerate() {
            let [first, second, ..] = chain[..] else { continue };
            let [.., second_last, last] = chain[..] else {
                continue;
            };
            leaving[first].push((x[second], edge));
            coming[last].push((x[second_last], edge));
        }
        let mut ports = vec![(0.0, 0.0); self.chains.len()];
        for node in 0..self.sizes.len() {
            for (place, edge) in self.spread(node, x[node], &mut leaving[node]) {
                ports[edge].0 = place;
            }
            for (place, edge) in self.spread(node, x[node], &mut coming[node]) {
                ports[edge].1 = place;
            }
        }
        ports
    }

    fn spread(&self, node: usize, x: f64, ends: &mut [(f64, usize)]) -> Vec<(f64, usize)> {
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let room = (self.sizes[node].width - CORNERS).max(0.0) * PORTS;
        let step = (room / ends.len() as f64).min(GAP);
        let first = x - step * (ends.len() as f64 - 1.0) / 2.0;
        let port = |(index, end): (usize, &(f64, usize))| (first + step * index as f64, end.1);
        ends.iter().enumerate().map(port).collect()
    }
}

/// The places nearest to the wanted ones that keep the distances of `offsets` at least: pools what would come too
/// close, each pool at the weighted mean of its members.
fn nearest(wanted: &[f64], weights: &[f64], offsets: &[f64]) -> Vec<f64> {
    struct Pool {
        sum: f64,
        weight: f64,
        members: usize,
    }
    let mut pools: Vec<Pool> = Vec::new();
    for ((wanted, weight), offset) in wanted.iter().zip(weights).zip(offsets) {
        let mut pool = Pool {
            sum: (wanted - offset) * weight,
            weight: *weight,
            members: 1,
        };
        while let Some(left) = pools.pop_if(|left| left.sum / left.weight >= pool.sum / pool.weight) {
            pool.sum += left.sum;
            pool.weight += left.weight;
            pool.members += left.members;
        }
        pools.push(pool);
    }
    let bases = pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.sum / pool.weight, pool.members));
    bases.zip(offsets).map(|(base, offset)| base + offset).collect()
}

/// How many pairs of lines cross if the first spot is left of the second.
fn inversions(first: &[usize], second: &[usize], place: &[f64]) -> usize {
    let right_of = |to: &usize| first.iter().filter(|other| place[**other] > place[*to]).count();
    second.iter().map(right_of).sum()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

/// Counts places, and says quickly how many lie up to one.
struct Fenwick(Vec<usize>);

impl Fenwick {
    fn new(places: usize) -> Fenwick {
        Fenwick(vec![0; places + 1])
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    fn up_to(&self, place: usize) -> usize {
        let mut at = place + 1;
        let mut n = 0;
        while at > 0 {
            n += self.0[at];
            at &= at - 1;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOX: Size = Size {
        width: 100.0,
        height: 40.0,
    };

    /// No two nodes come closer than they may, and every line leads down, within the picture.
    fn check(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
        let layout = layout(sizes, edges);
        let side = |node: usize| {
            let (Point { x, y }, size) = (layout.centres[node], sizes[node]);
            let (dx, dy) = (size.width / 2.0, size.height / 2.0);
            (x - dx, y - dy, x + dx, y + dy)
        };
        for a in 0..sizes.len() {
            let (left, top, right, bottom) = side(a);
            assert!(left >= 0.0 && top >= 0.0, "{a} is outside");
            assert!(
                right <= layout.size.width && bottom <= layout.size.height,
                "{a} is outside"
            );
            for b in a + 1..sizes.len() {
                let other = side(b);
                let apart = right + SMALL_GAP - 0.01 <= other.0
                    || other.2 + SMALL_GAP - 0.01 <= left
                    || bottom < other.1
                    || other.3 < top;
                assert!(apart, "{a} and {b} overlap");
            }
        }
        for (route, (from, to)) in layout.routes.iter().zip(edges) {
            assert_eq!(route.len() % 2, 0);
            assert!(
                route.is_sorted_by(|a, b| a.y <= b.y + 0.01),
                "{from} to {to}: {route:?}"
            );
            assert!(layout.centres[*from].y < layout.centres[*to].y);
            for point in route {
                assert!(
                    (0.0..=layout.size.width).contains(&point.x),
                    "{from} to {to}: {route:?}"
                );
            }
        }
        layout
    }

    #[test]
    fn layers_follow_the_longest_path() {
        assert_eq!(layers(4, &[(0, 1), (1, 2), (0, 2), (0, 3)]), [0, 1, 2, 1]);
        assert_eq!(layers(0, &[]), [0; 0]);
    }

    #[test]
    fn a_line_past_a_layer_goes_around_its_nodes() {
        let layout = check(&[BOX; 3], &[(0, 1), (1, 2), (0, 2)]);
        let around = &layout.routes[2];
        assert_eq!(around.len(), 6);
        assert!((around[2].x - layout.centres[1].x).abs() > BOX.width / 2.0);
    }

    #[test]
    fn a_knot_is_untied() {
        // Two parents, each with two children, listed crosswise.
        let edges = [(0, 1), (0, 2), (1, 4), (1, 6), (2, 3), (2, 5)];
        let mut grid_sizes = [BOX; 7];
        grid_sizes[0].width = 60.0;
        let mut grid = Grid::new(&grid_sizes, &edges);
        grid.rows[2].sort_unstable();
        assert_eq!(grid.crossings(), 3);
        grid.order();
        assert_eq!(grid.crossings(), 0);
        check(&grid_sizes, &edges);
    }

    #[test]
    fn a_parent_stands_over_the_middle_of_its_children() {
        let layout = check(&[BOX; 4], &[(0, 1), (0, 2), (0, 3)]);
        let middle = (layout.centres[1].x + layout.centres[3].x) / 2.0;
        assert!((layout.centres[0].x - middle).abs() < 1.0);
    }

    #[test]
    fn nearest_keeps_distance_and_moves_nothing_without_need() {
        assert_eq!(nearest(&[0.0, 100.0], &[1.0; 2], &[0.0, 10.0]), [0.0, 100.0]);
        assert_eq!(nearest(&[5.0, 5.0], &[1.0; 2], &[0.0, 10.0]), [0.0, 10.0]);
        assert_eq!(nearest(&[5.0, 5.0], &[3.0, 1.0], &[0.0, 8.0]), [3.0, 11.0]);
    }

    #[test]
    fn nothing_at_all_has_a_layout() {
        assert!(layout(&[], &[]).centres.is_empty());
    }

    #[test]
    fn too_many_bends_leave_the_longest_lines_straight() {
        // A long chain, and from everywhere a line to its end: 999 + 998 + … bends.
        let n = 1000;
        let chain = (1..n).map(|to| (to - 1, to));
        let long = (0..n - 2).map(|from| (from, n - 1));
        let edges: Vec<(usize, usize)> = chain.chain(long).collect();
        let layout = check(&vec![BOX; n], &edges);
        assert_eq!(layout.routes[n - 1].len(), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_graph_is_drawn_without_overlap(
            widths in proptest::collection::vec(20.0..200.0f64, 1..40),
            ends in proptest::collection::vec((0..1000usize, 0..1000usize), 0..80),
        ) {
            let n = widths.len();
            let sizes: Vec<Size> = widths.iter().map(|width| Size { width: *width, height: width / 4.0 + 10.0 }).collect();
            let mut edges: Vec<(usize, usize)> = ends
                .iter()
                .map(|(a, b)| (a % n, b % n))
                .filter(|(a, b)| a < b)
                .collect();
            edges.sort_unstable();
            edges.dedup();
            check(&sizes, &edges);
        }
    }
}
