//! Levels of links in space along thin oblique walls: interpolation, and the stages that use it, against references in f64.

use std::collections::BTreeMap;

use stagewright_solver_support::harness::*;

const LEVELS: &str = r#"
    "domain": (domain: (resolution: ($n, $n, $n), width: $n, edge: "$edge")),
    "wide": (domain: (resolution: ($half, $half, $half), width: $width, edge: "$edge")),
    "links": (state: "Grid<vec4f>", on: "domain"),
    "p": (state: "Grid<f32>", on: "domain"),
    "correction": (state: "Grid<f32>", on: "wide"),
    "one": (stage: "multigrid/level_3d", inputs: {"links_a": "links"}),
    "two": (stage: "multigrid/level_3d", inputs: {"links_a": "one.links_a", "links_b": "one.links_b", "links_c": "one.links_c", "links_d": "one.links_d"}),
    "gather": (stage: "multigrid/gather_3d", inputs: {"residual": "p", "lower": "one.lower", "upper": "one.upper"}),
    "spread": (stage: "multigrid/spread_links_3d", inputs: {"pressure": "p", "correction": "correction", "lower": "one.lower", "upper": "one.upper"}),
"#;

type Index = [i32; 3];
/// Parts that a cell takes of wide cells.
type Row = BTreeMap<usize, f64>;

/// A level's links between cells, by their numbers.
struct Level {
    n: i32,
    wrap: bool,
    links: Vec<BTreeMap<Index, f64>>,
    sinks: Vec<f64>,
}

impl Level {
    /// Each cell keeps three links and the sink in the first grid, ten more in the others.
    fn new(n: usize, wrap: bool, grids: &[Vec<f64>]) -> Level {
        const AFTER: [Index; 13] = [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
            [1, 1, 0],
            [-1, 1, 0],
            [1, 0, 1],
            [-1, 0, 1],
            [0, 1, 1],
            [0, -1, 1],
            [1, 1, 1],
            [-1, 1, 1],
            [1, -1, 1],
            [-1, -1, 1],
        ];
        let sinks = grids[0].iter().skip(3).step_by(4).copied().collect();
        let mut level = Level { n: n as i32, wrap, links: vec![BTreeMap::new(); n * n * n], sinks };
        for i in 0..n * n * n {
            for (k, way) in AFTER.iter().enumerate().take(if grids.len() == 1 { 3 } else { 13 }) {
                // Three in the first grid, four in each of the others.
                let (grid, place) = if k < 3 { (0, k) } else { ((k + 1) / 4, (k + 1) % 4) };
                let l = grids[grid][4 * i + place];
                let Some(j) = level.number(shifted(level.cell(i), *way)).filter(|_| l != 0.0) else { continue };
                level.links[i].insert(*way, l);
                level.links[j].insert(way.map(|w| -w), l);
            }
        }
        level
    }

    fn cell(&self, i: usize) -> Index {
        let i = i as i32;
        [i % self.n, i / self.n % self.n, i / self.n / self.n]
    }

    fn number(&self, cell: Index) -> Option<usize> {
        let around = cell.map(|c| c.rem_euclid(self.n));
        let inside = self.wrap || around == cell;
        inside.then_some((around[0] + self.n * (around[1] + self.n * around[2])) as usize)
    }

    fn wide(&self) -> i32 {
        (self.n + 1) / 2
    }

    /// 1 or -1 where links lead to one side only.
    fn side(&self, i: usize, axis: usize) -> i32 {
        let at = self.cell(i)[axis];
        if at == 0 || at == self.n - 1 || self.sinks[i] > 0.0 {
            return 0;
        }
        let leads = |way: i32| self.links[i].keys().any(|k| k[axis] == way);
        i32::from(leads(1)) - i32::from(leads(-1))
    }

    /// Sides of a cell along the axes between whose wide cells it does not lie; none where a linked cell has the opposite one.
    fn sides(&self, i: usize) -> Index {
        [0, 1, 2].map(|axis| {
            let side = self.side(i, axis);
            let opposed = self.links[i].keys().filter(|k| k[axis] == 0).any(|k| {
                let j = self.number(shifted(self.cell(i), *k)).unwrap();
                self.cell(j).iter().any(|c| c % 2 == 1) && self.side(j, axis) == -side
            });
            if self.cell(i)[axis] % 2 == 1 || opposed { 0 } else { side }
        })
    }

    /// What each cell takes, from cells of the next level to those between two, four and eight, and last those on one side of a wall.
    fn rows(&self, stands: &[u32]) -> Vec<Row> {
        let odd = |i: usize| self.cell(i).map(|c| c % 2);
        let m = self.wide();
        let number = |c: Index| (c[0] / 2 + m * (c[1] / 2 + m * (c[2] / 2))) as usize;
        let mut rows = vec![Row::new(); self.links.len()];
        let all = 0..self.links.len();
        all.clone().filter(|i| odd(*i) == [0; 3]).for_each(|i| rows[i] = Row::from([(number(self.cell(i)), 1.0)]));
        for pass in 1..=4 {
            let before = rows.clone();
            for i in all.clone().filter(|i| odd(*i) != [0; 3]) {
                let side = if pass == 4 { self.sides(i) } else { [0; 3] };
                if side == [0; 3] && odd(i).iter().sum::<i32>() != pass {
                    continue;
                }
                let along = [0, 1, 2].map(|a| odd(i)[a] + side[a].abs());
                // Wide cells beside the cell that stand for it.
                let beside: Vec<usize> = corners()
                    .filter(|c| (0..3).all(|a| (c[a] != 0) == (odd(i)[a] == 1)))
                    .filter_map(|c| {
                        let j = self.number(shifted(self.cell(i), c)).filter(|j| odd(*j) == [0; 3])?;
                        let bit = (0..3).map(|a| (1 - c[a]) * 3i32.pow(a as u32)).sum::<i32>();
                        (stands[j] >> bit & 1 == 1).then(|| number(self.cell(j)))
                    })
                    .collect();
                let near = |w: usize| {
                    let place = [w as i32 % m, w as i32 / m % m, w as i32 / m / m];
                    (0..3).all(|a| odd(i)[a] == 1 || 2 * place[a] == self.cell(i)[a])
                };
                let mut row = Row::new();
                for (way, l) in self.links[i].iter().filter(|(_, l)| **l > 0.0) {
                    let step = [0, 1, 2].map(|a| way[a] * along[a]);
                    let Some(j) = self.number(shifted(self.cell(i), step)).filter(|_| step != [0; 3]) else { continue };
                    for (w, part) in before[j].iter().filter(|(w, _)| beside.contains(w) || !near(**w)) {
                        *row.entry(*w).or_default() += l * part;
                    }
                }
                let tied = self.sinks[i] > 0.0 || self.links[i].values().any(|l| *l > 0.0);
                let mut sum = self.sinks[i] + row.values().sum::<f64>();
                if sum <= 0.0 {
                    if side != [0; 3] {
                        continue;
                    }
                    row = beside.iter().filter(|_| tied).map(|w| (*w, 1.0)).collect();
                    sum = row.len() as f64;
                }
                rows[i] = row.into_iter().map(|(w, part)| (w, part / sum)).collect();
            }
        }
        rows
    }

    /// The engine's rows. One-sided cells have a minus sign, and their sum says along which axes their wide cells begin one lower.
    fn kept(&self, lower: &[f64], upper: &[f64]) -> Vec<Row> {
        let m = self.wide();
        let row = |i: usize| {
            let parts = [&lower[4 * i..4 * i + 4], &upper[4 * i..4 * i + 4]].concat();
            let sum: f64 = parts.iter().sum();
            let scale = if sum < 0.0 { (1.0 / sum).round() } else { 1.0 };
            let down = (-scale).max(1.0).log2() as i32;
            let mut row = Row::new();
            for (corner, part) in parts.iter().enumerate().filter(|(_, part)| **part != 0.0) {
                let up = |a: usize, bits: i32| bits >> a & 1;
                let w = [0, 1, 2].map(|a| (self.cell(i)[a] / 2 + up(a, corner as i32) - up(a, down)).rem_euclid(m));
                *row.entry((w[0] + m * (w[1] + m * w[2])) as usize).or_default() += part * scale;
            }
            row
        };
        (0..self.links.len()).map(row).collect()
    }

    /// P^T A P of all pairs of wide cells, with the sum of absolute values of what it is the sum of.
    fn galerkin(&self, rows: &[Row]) -> BTreeMap<(usize, usize), [f64; 2]> {
        let mut product = BTreeMap::<(usize, usize), [f64; 2]>::new();
        for (row, sink) in rows.iter().zip(&self.sinks) {
            for ((w, part), (v, other)) in row.iter().flat_map(|w| row.iter().map(move |v| (w, v))) {
                product.entry((*w, *v)).or_default()[0] -= part * sink * other;
            }
        }
        for (i, (way, l)) in self.links.iter().enumerate().flat_map(|(i, links)| links.iter().map(move |l| (i, l))) {
            let j = self.number(shifted(self.cell(i), *way)).unwrap();
            for (w, part) in &rows[i] {
                for (v, other, sign) in
                    rows[j].iter().map(|(v, p)| (v, p, 1.0)).chain(rows[i].iter().map(|(v, p)| (v, p, -1.0)))
                {
                    let entry = product.entry((*w, *v)).or_default();
                    entry[0] += sign * part * l * other;
                    entry[1] += (part * l * other).abs();
                }
            }
        }
        product
    }
}

fn shifted(cell: Index, way: Index) -> Index {
    [0, 1, 2].map(|a| cell[a] + way[a])
}

fn corners() -> impl Iterator<Item = Index> {
    (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1])
}

/// Open cells of a box with an oblique wall two cells thick, through which a round hole leads; or of rubble, where linked cells have opposite sides.
fn is_open(n: usize, cell: Index, rubble: bool) -> bool {
    if rubble {
        let at = cell.iter().fold(7, |all, c| pcg(all ^ *c as u32));
        return pcg(at) % 8 > 2;
    }
    let d = cell.map(|c| f64::from(c) + 0.5 - 0.5 * n as f64);
    let across = 0.5 * d[0] - 0.6 * d[1] + 0.62 * d[2];
    across.abs() > 1.0 || d.iter().map(|d| d * d).sum::<f64>() - across * across < 5.0
}

#[test]
fn levels_along_thin_oblique_walls_are_galerkins() {
    // Around a periodic axis of 13 cells the first and the last are both ones of the next level.
    for (n, edge, rubble) in [(14usize, "wall", false), (13, "wrap", false), (12, "wrap", true), (13, "wall", true)] {
        let (wrap, half) = (edge == "wrap", n.div_ceil(2));
        let values = [
            ("$n", n.to_string()),
            ("$half", half.to_string()),
            ("$width", (2 * half).to_string()),
            ("$edge", edge.into()),
        ];
        let mut sim = start(60.0, LEVELS, &pairs(&values));
        let shape = Level::new(n, wrap, &[vec![0.0; 4 * n * n * n]]);
        // Two fluids at a ratio of a thousand.
        let strength: Vec<f32> =
            random(3 * n * n * n, 1).iter().map(|r| if *r > 0.0 { 1.0 + r } else { 1e-3 * (1.0 - r) }).collect();
        let links: Vec<f32> = (0..4 * n * n * n)
            .map(|at| {
                let (i, axis) = (at / 4, at % 4);
                let other = (axis < 3).then(|| shifted(shape.cell(i), [0, 1, 2].map(|a| i32::from(a == axis))));
                let ends = other.and_then(|c| shape.number(c)).map(|j| [shape.cell(i), shape.cell(j)]);
                let open = ends.is_some_and(|ends| ends.iter().all(|c| is_open(n, *c, rubble)));
                if open { strength[3 * i + axis] } else { 0.0 }
            })
            .collect();
        let (p, c) = (random(n * n * n, 2), random(half * half * half, 3));
        let states: [(&str, &[f32]); 3] = [("links", &links), ("p", &p), ("correction", &c)];
        let spread = run(&mut sim, &states, 1, "spread.pressure");
        let mut fused = start_fused(60.0, LEVELS, &pairs(&values), &["spread.pressure", "gather.gathered"]);
        assert_eq!(run(&mut fused, &states, 1, "spread.pressure"), spread, "optimised");
        assert_eq!(read(&fused, "gather.gathered"), read(&sim, "gather.gathered"), "optimised");
        let grids = |of: &str| ["a", "b", "c", "d"].map(|grid| read(&sim, &format!("{of}.links_{grid}")));
        let levels = [Level::new(n, wrap, &[f64s(&links)]), Level::new(half, wrap, &grids("one"))];
        for (level, name) in levels.iter().zip(["one", "two"]) {
            let kept = level.kept(&read(&sim, &format!("{name}.lower")), &read(&sim, &format!("{name}.upper")));
            let exact = level.rows(&words(&sim, &format!("{name}.stands")));
            let between = |i: &usize| level.cell(*i).iter().any(|c| c % 2 == 1);
            let wanted = |i: usize| [0, 1, 2].map(|a| (1 - level.cell(i)[a] % 2) * level.side(i, a));
            let one_sided = (0..kept.len()).filter(between).filter(|i| level.sides(*i) != [0; 3]).count();
            let opposed = (0..kept.len()).filter(between).filter(|i| level.sides(*i) != wanted(*i)).count();
            println!("{n}^3, {edge}, rubble {rubble}, level {name}: {one_sided} one-sided cells, {opposed} opposed");
            assert!(name == "two" || one_sided > 50 && rubble == (opposed > 0));
            let apart = kept.iter().zip(&exact).flat_map(|(kept, exact)| {
                let of = |row: &Row, w: &usize| row.get(w).copied().unwrap_or(0.0);
                kept.keys().chain(exact.keys()).map(move |w| (of(kept, w) - of(exact, w)).abs()).collect::<Vec<_>>()
            });
            within(
                "parts",
                apart.fold(0.0, f64::max),
                7e-6,
                "four passes, each a quotient of sums of at most 26 products",
            );
            let product = level.galerkin(&kept);
            let m = level.wide() as usize;
            let wide = Level::new(m, wrap, &grids(name));
            let mut seen = 0;
            for (w, sink) in wide.sinks.iter().enumerate() {
                // Of cells that no wide cell stands for: their pressure is zero.
                let row = product.range((w, 0)..(w + 1, 0));
                let [sum, size] = row.fold([0.0, 0.0], |all, (_, one)| [all[0] - one[0], all[1] + one[1]]);
                within_silently(&format!("sink of {w}"), sink - sum, 2e-5 * size);
            }
            for ((w, v), [sum, size]) in product.iter().filter(|((w, v), _)| w < v) {
                let ways: Vec<Index> =
                    corners().filter(|k| wide.number(shifted(wide.cell(*w), *k)) == Some(*v)).collect();
                assert!(!ways.is_empty() || *sum == 0.0, "{sum} from wide cell {w} to {v}, which is not beside it");
                let link: f64 = ways.iter().filter_map(|k| wide.links[*w].get(k)).sum();
                within_silently(&format!("link {w} to {v}"), link - sum, 2e-5 * size.max(1e-6));
                seen += usize::from(link != 0.0);
            }
            assert!(seen > 3 * m * m, "{seen} links");
            if name == "one" {
                let mut gathered = vec![0.0; half * half * half];
                let mut taken = f64s(&p);
                for (i, row) in kept.iter().enumerate() {
                    for (w, part) in row {
                        gathered[*w] += part * f64::from(p[i]);
                        taken[i] += part * f64::from(c[*w]);
                    }
                }
                let because = "sums of products of numbers below 1";
                within("gathered", max_abs(&difference(&read(&sim, "gather.gathered"), &gathered)), 2e-5, because);
                within("spread", max_abs(&difference(&spread, &taken)), 2e-6, because);
            }
        }
    }
}

fn within_silently(what: &str, error: f64, bar: f64) {
    assert!(error.abs() <= bar, "{what}: {error} off, {bar} allowed");
}
