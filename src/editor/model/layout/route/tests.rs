//! Ways around nodes.

use eframe::egui::{Pos2, Rect, Vec2, pos2, vec2};

use super::*;

const SIZE: Vec2 = vec2(200.0, 130.0);

/// Nodes in rows and columns, each moved a little.
fn nodes(columns: usize, rows: usize) -> Vec<Rect> {
    let place = |index: usize| {
        let (x, y) = ((index % columns) as f32, (index / columns) as f32);
        let off = vec2((index * 37 % 11) as f32, (index * 53 % 17) as f32);
        Rect::from_min_size(pos2(x * 260.0, y * 200.0) + off, SIZE)
    };
    (0..columns * rows).map(place).collect()
}

fn wire(nodes: &[Rect], from: usize, to: usize, next: bool) -> Ends {
    let (from_port, to_port) = (nodes[from].right_top() + vec2(0.0, 90.0), nodes[to].left_top() + vec2(0.0, 46.0));
    Ends { from: from_port, to: to_port, net: from, next }
}

fn points(ends: &Ends, route: &Route) -> Vec<Pos2> {
    match route {
        Route::Curve => curve(ends.from, ends.to, 1.0),
        Route::Path(path) => rounded(path, 1.0),
    }
}

#[test]
fn wires_of_any_direction_run_behind_no_node() {
    let nodes = nodes(6, 5);
    let far = (0..60).map(|index| (index * 7 % 30, index * 11 % 30, index % 5 == 0));
    let near = (0..29).map(|index| (index, index + 1, false));
    let ends: Vec<Ends> = far.chain(near).map(|(from, to, next)| wire(&nodes, from, to, next)).collect();
    let routes = routes(&Ground::new(nodes.clone()), &ends);
    assert!(routes.iter().any(|route| matches!(route, Route::Curve)));
    for (ends, route) in ends.iter().zip(&routes) {
        let points = points(ends, route);
        assert_eq!((points.first(), points.last()), (Some(&ends.from), Some(&ends.to)));
        for node in &nodes {
            let behind = points.windows(2).any(|p| touches(node.shrink(1.0), p[0], p[1]));
            assert!(!behind, "{ends:?} runs behind {node:?}: {route:?}");
        }
    }
}

#[test]
fn a_wire_to_the_next_frame_runs_over_or_under_the_row() {
    let nodes = nodes(5, 1);
    let ends = wire(&nodes, 4, 0, true);
    let points = points(&ends, &one(&Ground::new(nodes.clone()), &ends));
    let (top, bottom) = (nodes.iter().map(Rect::top), nodes.iter().map(Rect::bottom));
    let (top, bottom) = (top.fold(f32::MAX, f32::min), bottom.fold(f32::MIN, f32::max));
    let between = points.iter().filter(|at| at.x > nodes[0].right() && at.x < nodes[4].left());
    assert!(between.clone().count() == 0 || between.clone().all(|at| at.y < top || at.y > bottom), "{points:?}");
    let level = points.windows(2).filter(|p| p[0].y == p[1].y && (p[0].x - p[1].x).abs() > 800.0);
    assert_eq!(level.count(), 1, "{points:?}");
}

/// Two wires back share the gap between the rows. The inner one has to cross the outer one, once.
#[test]
fn wires_in_one_gap_lie_beside_each_other() {
    let nodes = nodes(4, 2);
    let ends = [wire(&nodes, 3, 4, false), wire(&nodes, 2, 5, false)];
    let routes = routes(&Ground::new(nodes.clone()), &ends);
    let [a, b] = [0, 1].map(|index| points(&ends[index], &routes[index]));
    let longest = |points: &[Pos2]| {
        let level = points.windows(2).filter(|p| p[0].y == p[1].y);
        level.max_by(|p, q| (p[0].x - p[1].x).abs().total_cmp(&(q[0].x - q[1].x).abs())).map(|p| p[0].y).unwrap()
    };
    assert!((longest(&a) - longest(&b)).abs() > 4.0, "{} {}", longest(&a), longest(&b));
    let pieces = a.windows(2).flat_map(|p| b.windows(2).map(move |q| (p, q)));
    let crossings = pieces.filter(|(p, q)| crossing(p[0], p[1], q[0], q[1]).is_some()).count();
    assert_eq!(crossings, 1, "{a:?} {b:?}");
}

/// Where nodes lie on each other there may be no way.
#[test]
fn nodes_on_a_port_leave_a_plain_curve() {
    let mut nodes = nodes(2, 1);
    nodes.push(Rect::from_center_size(nodes[0].right_center(), vec2(100.0, 300.0)));
    let ends = wire(&nodes, 0, 1, false);
    assert_eq!(one(&Ground::new(nodes), &ends), Route::Curve);
}

/// While nodes of a large graph are dragged, only their wires are routed again; then all are.
#[test]
fn what_is_dragged_is_routed_at_once_and_the_rest_at_the_end() {
    let mut nodes = nodes(16, 16);
    let pairs: Vec<(usize, usize)> = (0..250).map(|index| (index, (index * 13 + 5) % 256)).collect();
    let wires = |nodes: &[Rect]| pairs.iter().map(|(from, to)| wire(nodes, *from, *to, false)).collect::<Vec<_>>();
    let mut routing = Routing::default();
    routing.update(nodes.clone(), wires(&nodes), false);
    assert_eq!(routing.routes(), routes(&Ground::new(nodes.clone()), &wires(&nodes)));
    let before = routing.routes().to_vec();
    nodes[100] = nodes[100].translate(vec2(40.0, 70.0));
    routing.update(nodes.clone(), wires(&nodes), true);
    let changed = routing.routes().iter().zip(&before).filter(|(a, b)| a != b).count();
    assert!((1..60).contains(&changed), "{changed}");
    for (ends, route) in wires(&nodes).iter().zip(routing.routes()) {
        let behind = points(ends, route).windows(2).any(|p| touches(nodes[100].shrink(1.0), p[0], p[1]));
        assert!(!behind, "{ends:?}");
    }
    routing.update(nodes.clone(), wires(&nodes), false);
    assert_eq!(routing.routes(), routes(&Ground::new(nodes.clone()), &wires(&nodes)));
}
