//! How the tiles of a flipbook are taken from frames and laid out.

use super::frames::Frames;

/// Longest side of a sheet \[texels\]: the limit of the engines that read it.
pub const MAX_SIDE: u32 = 16_384;

/// The layout of a flipbook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Columns and rows; the squarest arrangement of all taken frames when `None`.
    pub tiles: Option<[u32; 2]>,
    /// Whether the last tile leads back to the first: taken frames beyond the tiles are blended into the end.
    pub looped: bool,
    /// Empty texels around each tile.
    pub padding: u32,
    /// Whether colours are multiplied by their alpha.
    pub premultiplied: bool,
}

/// Columns, rows, and tiles at the end that are blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Tiles in a row.
    pub columns: u32,
    /// Tiles in a column.
    pub rows: u32,
    /// Frames that are taken beyond the tiles.
    pub blended: u32,
}

impl Layout {
    /// The number of tiles.
    pub fn tiles(self) -> usize {
        self.columns as usize * self.rows as usize
    }
}

impl Sheet {
    /// The arrangement of frames, which all become tiles or are blended into them.
    ///
    /// # Errors
    /// Numbers that do not fit, with those that do.
    pub fn layout(&self, frames: &Frames) -> Result<Layout, String> {
        let count = frames.count();
        let first = frames.first();
        let end = *frames.range().end();
        let had = match frames.step() {
            1 => format!("the range {first}-{end} has {count}"),
            every => format!("the range {first}-{end} has {count}, one in {every}"),
        };
        let Some([columns, rows]) = self.tiles else {
            // A fifth is blended: a quarter of the tiles.
            let blended = if self.looped { count / 5 } else { 0 };
            let tiles = u32::try_from(count - blended).ok().filter(|tiles| *tiles <= MAX_SIDE);
            let tiles =
                tiles.ok_or_else(|| format!("{had}, which no sheet holds: use fewer --frames or a larger --every"))?;
            let [columns, rows] = squarest(tiles);
            return self.loops(Layout { columns, rows, blended: blended as u32 }, frames);
        };
        let tiles = u64::from(columns) * u64::from(rows);
        let what = format!("{columns} x {rows} tiles");
        if count < tiles || (count > tiles && !self.looped) {
            let [wide, high] = squarest(u32::try_from(count).unwrap_or(u32::MAX));
            let other = format!(
                "--frames {first}-{} or --tiles {wide}x{high}",
                frames.nth(tiles + u64::from(self.looped) * (tiles / 4) - 1)
            );
            return Err(format!("{what} need {tiles} frames, and {had}: use {other}"));
        }
        self.loops(Layout { columns, rows, blended: u32::try_from(count - tiles).unwrap_or(u32::MAX) }, frames)
    }

    /// Whether there is something to blend, and not too much.
    fn loops(&self, layout: Layout, frames: &Frames) -> Result<Layout, String> {
        let tiles = layout.tiles() as u64;
        if self.looped && (layout.blended == 0 || u64::from(layout.blended) > tiles) {
            let (first, last) = (frames.first(), frames.nth(tiles + (tiles / 4).max(1) - 1));
            return Err(format!(
                "--loop blends the frames beyond the {tiles} tiles into the last ones, at most as many again, and there are {}: use --frames {first}-{last}",
                layout.blended
            ));
        }
        Ok(layout)
    }
}

/// Columns and rows of so many tiles, as nearly square as they fill it; more columns than rows.
fn squarest(tiles: u32) -> [u32; 2] {
    let rows = (1..=tiles).take_while(|rows| *rows <= tiles / rows).filter(|rows| tiles.is_multiple_of(*rows)).last();
    rows.map_or([1, 1], |rows| [tiles / rows, rows])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_do_not_fit_are_told_with_the_numbers_that_do() {
        let sheet = |tiles, every, looped| (Sheet { tiles, looped, ..Sheet::default() }, every);
        let layout = |(sheet, every): (Sheet, u64), frames| sheet.layout(&Frames::new(frames, every));
        assert_eq!(layout(sheet(None, 1, false), 1..=24), Ok(Layout { columns: 6, rows: 4, blended: 0 }));
        assert_eq!(layout(sheet(Some([8, 8]), 2, false), 1..=128), Ok(Layout { columns: 8, rows: 8, blended: 0 }));
        assert_eq!(layout(sheet(Some([4, 4]), 1, true), 5..=24), Ok(Layout { columns: 4, rows: 4, blended: 4 }));
        assert_eq!(layout(sheet(None, 1, true), 1..=20), Ok(Layout { columns: 4, rows: 4, blended: 4 }));
        let few = layout(sheet(Some([8, 8]), 2, false), 1..=64).unwrap_err();
        assert_eq!(
            few,
            "8 x 8 tiles need 64 frames, and the range 1-64 has 32, one in 2: use --frames 1-127 or --tiles 8x4"
        );
        let ends = layout(sheet(Some([4, 4]), 1, true), 1..=16).unwrap_err();
        assert!(ends.ends_with("and there are 0: use --frames 1-20"), "{ends}");
        assert!(layout(sheet(Some([2, 2]), 1, true), 1..=9).is_err(), "more blended frames than tiles");
    }
}
