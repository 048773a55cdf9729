//! How panes share the window.

use std::collections::HashSet;

use eframe::egui::Pos2;
use egui_tiles::{Container, Linear, LinearDir, SimplificationOptions, Tile, TileId, Tiles, Tree};

use crate::model::pane::Pane;

/// The view on the left, the graph on the right, and the other panes below the graph.
pub(crate) fn arrangement() -> Tree<Pane> {
    let mut tiles = Tiles::default();
    let view = tab(&mut tiles, &[Pane::View(0)]);
    let graph = tab(&mut tiles, &[Pane::Graph]);
    let below = tab(&mut tiles, &[Pane::Inspector, Pane::Code, Pane::Plan, Pane::Problems]);
    let right = linear(&mut tiles, LinearDir::Vertical, [(graph, 0.64), (below, 0.36)]);
    let root = linear(&mut tiles, LinearDir::Horizontal, [(view, 0.44), (right, 0.56)]);
    Tree::new("panes", root, tiles)
}

fn tab(tiles: &mut Tiles<Pane>, panes: &[Pane]) -> TileId {
    let children: Vec<TileId> = panes.iter().map(|pane| tiles.insert_pane(*pane)).collect();
    tiles.insert_tab_tile(children)
}

fn linear(tiles: &mut Tiles<Pane>, dir: LinearDir, parts: [(TileId, f32); 2]) -> TileId {
    let mut linear = Linear::new(dir, parts.map(|(id, _)| id).to_vec());
    for (id, share) in parts {
        linear.shares.set_share(id, share);
    }
    tiles.insert_container(Container::Linear(linear))
}

/// Shows a pane; one that was closed returns beside the inspector, or wherever there are tabs.
pub(crate) fn bring_up(tree: &mut Tree<Pane>, pane: Pane) {
    if tree.tiles.find_pane(&pane).is_none() {
        let new = tree.tiles.insert_pane(pane);
        let home = tree.tiles.find_pane(&Pane::Inspector).or_else(|| tree.tiles.find_pane(&Pane::Problems));
        let home = home.or_else(|| tree.tiles.find_pane(&Pane::Graph));
        let place = home.and_then(|id| tree.tiles.parent_of(id)).or(tree.root());
        match place {
            Some(place) => tree.move_tile_to_container(new, place, usize::MAX, false),
            None => tree.root = Some(new),
        }
    }
    tree.make_active(|_, tile| matches!(tile, Tile::Pane(found) if *found == pane));
    if tree.tiles.find_pane(&pane).is_some_and(|id| !tree.active_tiles().contains(&id)) {
        restore(tree);
    }
}

/// The pane at a place, by its tab bar too.
pub(crate) fn pane_at(tree: &Tree<Pane>, place: Pos2) -> Option<Pane> {
    tree.active_tiles().into_iter().find_map(|id| {
        let pane = tree.tiles.get_pane(&id)?;
        let rect = tree.tiles.parent_of(id).and_then(|tabs| tree.tiles.rect(tabs))?;
        rect.contains(place).then_some(*pane)
    })
}

/// Hides all panes except this one and those in its tabs.
pub(crate) fn maximize(tree: &mut Tree<Pane>, pane: Pane) {
    let Some(tabs) = tree.tiles.find_pane(&pane).and_then(|id| tree.tiles.parent_of(id)) else { return };
    let mut kept = tabs;
    while let Some(parent) = tree.tiles.parent_of(kept) {
        let children: Vec<TileId> = match tree.tiles.get(parent) {
            Some(Tile::Container(container)) => container.children().copied().collect(),
            _ => Vec::new(),
        };
        children.into_iter().filter(|child| *child != kept).for_each(|child| tree.set_visible(child, false));
        kept = parent;
    }
}

/// Whether one pane hides the others. Those that are away, in windows of their own, do not count.
pub(crate) fn is_maximized(tree: &Tree<Pane>, away: &[Pane]) -> bool {
    let away = empty_without(tree, away);
    tree.tiles.tile_ids().any(|id| !tree.is_visible(id) && !away.contains(&id))
}

/// Shows all panes again, but for those that are away.
pub(crate) fn show_all_but(tree: &mut Tree<Pane>, away: &[Pane]) {
    restore(tree);
    hide(tree, away);
}

/// Hides panes that are away, and tabs that hold nothing else. They keep their places.
pub(crate) fn hide(tree: &mut Tree<Pane>, away: &[Pane]) {
    empty_without(tree, away).into_iter().for_each(|id| tree.set_visible(id, false));
}

/// The tiles of these panes, and the containers that hold no others.
fn empty_without(tree: &Tree<Pane>, away: &[Pane]) -> HashSet<TileId> {
    let mut empty: HashSet<TileId> = away.iter().filter_map(|pane| tree.tiles.find_pane(pane)).collect();
    let mut last: Vec<TileId> = empty.iter().copied().collect();
    while let Some(id) = last.pop() {
        let Some(parent) = tree.tiles.parent_of(id) else { continue };
        let Some(Tile::Container(container)) = tree.tiles.get(parent) else { continue };
        if container.children().all(|child| empty.contains(child)) && empty.insert(parent) {
            last.push(parent);
        }
    }
    empty
}

/// Shows all panes again.
pub(crate) fn restore(tree: &mut Tree<Pane>) {
    tree.tiles.tile_ids().collect::<Vec<_>>().into_iter().for_each(|id| tree.set_visible(id, true));
}

/// Puts a new pane to the right of another.
pub(crate) fn put_beside(tree: &mut Tree<Pane>, new: Pane, beside: Pane) {
    restore(tree);
    let fresh = tree.tiles.insert_pane(new);
    let tabs = tree.tiles.insert_tab_tile(vec![fresh]);
    let Some(anchor) = tree.tiles.find_pane(&beside).and_then(|pane| tree.tiles.parent_of(pane)) else {
        bring_up(tree, new);
        return;
    };
    let parent = tree.tiles.parent_of(anchor);
    let row = parent.filter(
        |id| matches!(tree.tiles.get(*id), Some(Tile::Container(Container::Linear(l))) if l.dir == LinearDir::Vertical),
    );
    match (row, parent) {
        // Views that share a column already stand below each other.
        (Some(row), _) => tree.move_tile_to_container(tabs, row, usize::MAX, false),
        (None, Some(parent)) => {
            let column = Linear::new(LinearDir::Vertical, vec![anchor, tabs]);
            let share = match tree.tiles.get(parent) {
                Some(Tile::Container(Container::Linear(l))) => {
                    l.shares.iter().find(|(id, _)| **id == anchor).map(|s| *s.1)
                }
                _ => None,
            };
            let column = tree.tiles.insert_container(Container::Linear(column));
            if let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(parent) {
                linear.children.iter_mut().filter(|id| **id == anchor).for_each(|id| *id = column);
                linear.shares.set_share(column, share.unwrap_or(1.0));
            }
        }
        (None, None) => {
            let column = Linear::new(LinearDir::Vertical, vec![anchor, tabs]);
            tree.root = Some(tree.tiles.insert_container(Container::Linear(column)));
        }
    }
}

/// Every pane has a tab to drag it by.
pub(crate) fn options() -> SimplificationOptions {
    SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panes(tree: &Tree<Pane>) -> Vec<Pane> {
        let panes = tree.tiles.tiles().filter_map(|tile| if let Tile::Pane(pane) = tile { Some(*pane) } else { None });
        let mut panes: Vec<Pane> = panes.collect();
        panes.sort_by_key(|pane| format!("{pane:?}"));
        panes
    }

    #[test]
    fn a_closed_pane_comes_back_and_none_is_there_twice() {
        let mut tree = arrangement();
        let all = panes(&tree);
        let problems = tree.tiles.find_pane(&Pane::Problems).unwrap();
        tree.remove_recursively(problems);
        assert_eq!(panes(&tree).len(), all.len() - 1);
        bring_up(&mut tree, Pane::Problems);
        bring_up(&mut tree, Pane::Problems);
        assert_eq!(panes(&tree), all);
    }

    #[test]
    fn a_maximized_pane_hides_the_others_until_one_of_them_is_shown() {
        let mut tree = arrangement();
        let shown = |tree: &Tree<Pane>| {
            let panes = tree.active_tiles().into_iter().filter_map(|id| tree.tiles.get_pane(&id).copied());
            let mut panes: Vec<String> = panes.map(|pane| format!("{pane:?}")).collect();
            panes.sort();
            panes
        };
        let all = shown(&tree);
        assert_eq!(all, ["Graph", "Inspector", "View(0)"]);
        maximize(&mut tree, Pane::Inspector);
        assert!(is_maximized(&tree, &[]) && shown(&tree) == ["Inspector"]);
        bring_up(&mut tree, Pane::Code);
        assert!(is_maximized(&tree, &[]) && shown(&tree) == ["Code"], "it is in the same tabs");
        bring_up(&mut tree, Pane::View(0));
        assert!(!is_maximized(&tree, &[]) && shown(&tree) == ["Code", "Graph", "View(0)"]);
        maximize(&mut tree, Pane::Graph);
        put_beside(&mut tree, Pane::View(1), Pane::View(0));
        assert!(!is_maximized(&tree, &[]));
    }

    #[test]
    fn a_pane_that_is_away_leaves_its_room_to_the_others_and_comes_back_to_its_place() {
        let mut tree = arrangement();
        put_beside(&mut tree, Pane::View(1), Pane::View(0));
        let shown = |tree: &Tree<Pane>| {
            let panes = tree.active_tiles().into_iter().filter_map(|id| tree.tiles.get_pane(&id).copied());
            let mut panes: Vec<String> = panes.map(|pane| format!("{pane:?}")).collect();
            panes.sort();
            panes
        };
        let before = tree.clone();
        hide(&mut tree, &[Pane::View(0)]);
        assert_eq!(shown(&tree), ["Graph", "Inspector", "View(1)"]);
        let both = [Pane::View(0), Pane::View(1)];
        hide(&mut tree, &both);
        assert_eq!(shown(&tree), ["Graph", "Inspector"]);
        assert!(!is_maximized(&tree, &both), "all that is left is shown");
        maximize(&mut tree, Pane::Graph);
        assert!(is_maximized(&tree, &both) && shown(&tree) == ["Graph"]);
        show_all_but(&mut tree, &both);
        assert!(!is_maximized(&tree, &both) && shown(&tree) == ["Graph", "Inspector"]);
        show_all_but(&mut tree, &[]);
        assert!(tree == before, "each is where it was");
    }

    #[test]
    fn views_are_put_below_each_other() {
        let mut tree = arrangement();
        put_beside(&mut tree, Pane::View(1), Pane::View(0));
        put_beside(&mut tree, Pane::View(2), Pane::View(0));
        tree.simplify(&options());
        let parents: std::collections::HashSet<_> = [0, 1, 2]
            .map(|n| tree.tiles.find_pane(&Pane::View(n)).and_then(|id| tree.tiles.parent_of(id)).unwrap())
            .map(|tabs| tree.tiles.parent_of(tabs).unwrap())
            .into();
        assert_eq!(parents.len(), 1, "one column holds all three");
    }
}
