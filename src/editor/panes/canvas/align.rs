//! Commands that align and distribute the selected nodes.

use eframe::egui::{Rect, Vec2};

use super::frames;
use super::state::Canvas;
use crate::edit;
use crate::model::alignment::Align;
use crate::model::layout;
use crate::model::session::Session;

/// The least gap between nodes \[points\].
const GAP: f32 = 22.0;

impl Align {
    /// Whether the alignment moves nodes to the left and right, and not up and down.
    fn sideways(self) -> bool {
        matches!(self, Align::Left | Align::Center | Align::Right | Align::Columns)
    }

    /// The areas of aligned nodes. Those that would cover each other are moved apart in the other direction.
    fn apply(self, areas: &[Rect]) -> Vec<Rect> {
        let all = areas.iter().copied().fold(Rect::NOTHING, Rect::union);
        let by = |area: &Rect| match self {
            Align::Left => Vec2::new(all.left() - area.left(), 0.0),
            Align::Center => Vec2::new(all.center().x - area.center().x, 0.0),
            Align::Right => Vec2::new(all.right() - area.right(), 0.0),
            Align::Top => Vec2::new(0.0, all.top() - area.top()),
            Align::Middle => Vec2::new(0.0, all.center().y - area.center().y),
            Align::Bottom => Vec2::new(0.0, all.bottom() - area.bottom()),
            Align::Columns | Align::Rows => Vec2::ZERO,
        };
        let mut areas: Vec<Rect> = areas.iter().map(|area| area.translate(by(area))).collect();
        match self {
            Align::Columns | Align::Rows => spread(&mut areas, self.sideways(), true),
            _ => spread(&mut areas, !self.sideways(), false),
        }
        areas
    }
}

/// Moves areas along an axis, in their order. `even`: to equal gaps between the first and the last; otherwise only those that cover
/// another one.
fn spread(areas: &mut [Rect], sideways: bool, even: bool) {
    let axis = usize::from(!sideways);
    let mut order: Vec<usize> = (0..areas.len()).collect();
    order.sort_by(|a, b| areas[*a].center()[axis].total_cmp(&areas[*b].center()[axis]));
    let (Some(first), Some(last)) = (order.first(), order.last()) else { return };
    let span = areas[*last].max[axis] - areas[*first].min[axis];
    let filled: f32 = areas.iter().map(|area| area.size()[axis]).sum();
    let gap = ((span - filled) / (areas.len() as f32 - 1.0).max(1.0)).max(GAP);
    for (index, node) in order.iter().enumerate().skip(1) {
        let before = &order[..index];
        let start = match even {
            true => areas[order[index - 1]].max[axis] + gap,
            false => {
                let free = |area: &Rect| !before.iter().any(|other| areas[*other].shrink(0.5).intersects(*area));
                if free(&areas[*node]) {
                    continue;
                }
                before.iter().map(|other| areas[*other].max[axis]).fold(f32::MIN, f32::max) + GAP
            }
        };
        let mut by = Vec2::ZERO;
        by[axis] = start - areas[*node].min[axis];
        areas[*node] = areas[*node].translate(by);
    }
}

impl Canvas {
    /// Aligns or distributes the selected nodes. Others make room.
    pub(crate) fn align(&mut self, session: &mut Session, align: Align) {
        let scope = session.scope().clone();
        let before = self.shown(session);
        let flow = self.flow(session.level());
        let areas = self.plain_areas(&flow);
        let chosen: Vec<usize> =
            (0..flow.names.len()).filter(|node| session.selection.contains(&flow.names[*node])).collect();
        if chosen.len() < align.least() {
            return;
        }
        let mut moved = areas.clone();
        let aligned = align.apply(&chosen.iter().map(|node| areas[*node]).collect::<Vec<_>>());
        chosen.iter().zip(aligned).for_each(|(node, area)| moved[*node] = area);
        let free = layout::clear_of(&moved, &chosen);
        let framed: Vec<Rect> = session.frames().iter().map(layout::frame_area).collect();
        let framed = layout::enclosing(&framed, &moved, &free);
        session.arrange("align", |document| {
            let moves = flow.names.iter().zip(&areas).zip(&free).filter(|((_, was), area)| was != area);
            for ((name, _), area) in moves {
                edit::place(document, &scope, name, (area.left().round(), area.top().round()));
            }
            frames::resize(document, &scope, &framed);
        });
        session.end_gesture();
        self.glide_from(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::{pos2, vec2};

    fn areas(at: &[(f32, f32, f32)]) -> Vec<Rect> {
        at.iter().map(|(x, y, high)| Rect::from_min_size(pos2(*x, *y), vec2(200.0, *high))).collect()
    }

    #[test]
    fn edges_and_middles_are_common_and_nothing_is_covered() {
        let before = areas(&[(0.0, 0.0, 100.0), (300.0, 150.0, 60.0), (40.0, 320.0, 80.0)]);
        let lefts: Vec<f32> = Align::Left.apply(&before).iter().map(Rect::left).collect();
        assert_eq!(lefts, [0.0; 3]);
        assert!(Align::Right.apply(&before).iter().all(|area| area.right() == 500.0));
        assert!(Align::Center.apply(&before).iter().all(|area| area.center().x == 250.0));
        // In one row, those of one column stand beside each other.
        let row = Align::Top.apply(&before);
        assert!(row.iter().all(|area| area.top() == 0.0));
        let covered = |areas: &[Rect]| (0..3).any(|a| (0..a).any(|b| areas[a].intersects(areas[b])));
        assert!(!covered(&row), "{row:?}");
        assert!(Align::Bottom.apply(&before).iter().all(|area| area.bottom() == 400.0));
        assert!(Align::Middle.apply(&before).iter().all(|area| area.center().y == 200.0));
    }

    #[test]
    fn gaps_are_equal_and_the_ends_stay() {
        let rows = Align::Rows.apply(&areas(&[(0.0, 500.0, 100.0), (0.0, 0.0, 60.0), (30.0, 70.0, 80.0)]));
        assert_eq!(rows.iter().map(Rect::top).collect::<Vec<_>>(), [500.0, 0.0, 240.0], "two gaps of 180");
        let tight = Align::Columns.apply(&areas(&[(0.0, 0.0, 60.0), (50.0, 0.0, 60.0), (90.0, 0.0, 60.0)]));
        assert_eq!(tight.iter().map(Rect::left).collect::<Vec<_>>(), [0.0, 222.0, 444.0], "no node covers another");
    }
}
