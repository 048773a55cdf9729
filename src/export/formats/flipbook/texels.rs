//! Tiles on their way onto a sheet: weighted texels, blended, filled where they are empty, and placed.

/// Three numbers times their weight, and the weight: of colours, light and vectors, by the opacity.
pub(super) type Texel = [f32; 4];

/// The texels of a tile, top row first.
pub(super) type Tile = Vec<Texel>;

/// The tiles of a flipbook that repeats: the first ones are left out, and blended over the last ones, which so end where the first
/// tile begins. `tiles` are those that stay; what is beyond them in `taken` is the number of blended ones.
pub(super) fn looped(frames: &[Tile], tiles: usize) -> Vec<Tile> {
    let blended = frames.len().saturating_sub(tiles);
    let tile = |index: usize| {
        let Some(over) = (index + blended).checked_sub(tiles) else {
            return frames.get(index + blended).cloned().unwrap_or_default();
        };
        let share = (over + 1) as f32 / (blended + 1) as f32;
        match (frames.get(index + blended), frames.get(over)) {
            (Some(end), Some(start)) => end.iter().zip(start).map(|(end, start)| mix(*end, *start, share)).collect(),
            _ => Tile::new(),
        }
    };
    (0..tiles).map(tile).collect()
}

pub(super) fn mix(a: Texel, b: Texel, share: f32) -> Texel {
    std::array::from_fn(|part| a[part] + (b[part] - a[part]) * share)
}

/// The numbers without their weight.
pub(super) fn unweighted([x, y, z, weight]: Texel) -> [f32; 3] {
    if weight > 0.0 { [x, y, z].map(|part| part / weight) } else { [0.0; 3] }
}

/// The numbers of each texel without their weight; empty ones take those of the texels around, so that filtering and compression at the
/// border of what is seen find no foreign colour. Pull-push: Gortler et al., The Lumigraph, SIGGRAPH 1996.
pub(super) fn filled(tile: &[Texel], [width, height]: [usize; 2]) -> Vec<[f32; 3]> {
    if tile.iter().all(|texel| texel[3] > 0.0) || (width <= 1 && height <= 1) {
        return tile.iter().map(|texel| unweighted(*texel)).collect();
    }
    let [half_width, half_height] = [width.div_ceil(2), height.div_ceil(2)];
    let mut half = vec![[0.0; 4]; half_width * half_height];
    for (row, texels) in tile.chunks(width.max(1)).enumerate() {
        for (column, texel) in texels.iter().enumerate() {
            if let Some(sum) = half.get_mut(row / 2 * half_width + column / 2) {
                sum.iter_mut().zip(texel).for_each(|(sum, part)| *sum += part);
            }
        }
    }
    let coarse = filled(&half, [half_width, half_height]);
    // Between the four coarse texels around, so that no steps show.
    let near = |at: usize, side: usize| {
        let place = (at as f32 - 0.5).max(0.0) / 2.0;
        let first = (place as usize).min(side - 1);
        (first, (first + 1).min(side - 1), place - first as f32)
    };
    let around = |index: usize| -> [f32; 3] {
        let ((left, right, x), (top, bottom, y)) = (near(index % width, half_width), near(index / width, half_height));
        let texel = |column: usize, row: usize| coarse.get(row * half_width + column).copied().unwrap_or_default();
        let (high, low) = ([texel(left, top), texel(right, top)], [texel(left, bottom), texel(right, bottom)]);
        let across = |[one, other]: [[f32; 3]; 2], part: usize| one[part] + (other[part] - one[part]) * x;
        std::array::from_fn(|part| across(high, part) + (across(low, part) - across(high, part)) * y)
    };
    let texel = |(index, texel): (usize, &Texel)| if texel[3] > 0.0 { unweighted(*texel) } else { around(index) };
    tile.iter().enumerate().map(texel).collect()
}

/// Where the texels of a sheet come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub columns: usize,
    pub rows: usize,
    /// Texels of a tile without its padding.
    pub tile: [usize; 2],
    pub padding: usize,
}

impl Grid {
    /// Texels of a tile with its padding.
    pub(super) fn cell(&self) -> [usize; 2] {
        self.tile.map(|side| side + 2 * self.padding)
    }

    /// Texels of the sheet.
    pub(super) fn size(&self) -> [usize; 2] {
        let [width, height] = self.cell();
        [self.columns * width, self.rows * height]
    }

    /// The tile of each texel of the sheet, the nearest texel of that, and whether it is padding.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
        let [width, height] = self.size();
        let axis = |at: usize, side: usize| {
            let cell = side + 2 * self.padding;
            let inside = (at % cell).saturating_sub(self.padding).min(side - 1);
            (at / cell, inside, at % cell != inside + self.padding)
        };
        (0..width * height).map(move |index| {
            let (column, x, beside) = axis(index % width, self.tile[0]);
            let (row, y, above) = axis(index / width, self.tile[1]);
            (row * self.columns + column, y * self.tile[0] + x, beside || above)
        })
    }
}
