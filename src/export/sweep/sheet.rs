//! The contact sheet of a sweep: the images of all tasks in a grid, with the values below each.

use std::path::Path;

use super::axis::text_of;
use super::canvas::{CHARACTER, Canvas, fitted, load};
use super::results::{Results, Row};
use crate::sim::Image;

/// Longest side of an image on the sheet \[pixels\].
pub const THUMBNAIL: u32 = 256;
/// Longest side of the sheet \[pixels\].
const LARGEST: usize = 16_384;
/// Smallest width of a tile, so that its text can be read \[pixels\].
const NARROWEST: usize = 176;
/// The most columns of a sheet whose columns are the values of a parameter.
const COLUMNS: usize = 16;
/// Around tiles, and between the lines of text \[pixels\].
const GAP: usize = 12;
const LINE: usize = CHARACTER + 5;
/// The most lines below an image.
const LINES: usize = 64;
/// Shortest side of the images \[pixels\].
const SMALLEST: usize = 8;
/// Height of the title \[pixels\].
const HEAD: usize = 40;

const GROUND: [u8; 3] = [24, 25, 28];
const EMPTY: [u8; 3] = [38, 39, 44];
const TEXT: [u8; 3] = [232, 232, 236];
const DIM: [u8; 3] = [150, 152, 160];

/// The sheet of what there is in the folder of a sweep. Tasks that are not complete have an empty tile.
pub fn sheet(results: &Results, folder: &Path) -> Image {
    let columns = columns(results);
    let rows = results.rows.len().div_ceil(columns).max(1);
    // Smaller where there are many.
    let across = LARGEST.saturating_sub(GAP) / columns;
    let down = LARGEST.saturating_sub(GAP + HEAD) / rows;
    let all = results.manifest.parameters.len() + results.number_titles().len();
    let lines = all.min(down.saturating_sub(GAP + SMALLEST + 4) / LINE).min(LINES);
    let text = lines * LINE + 4;
    let side =
        across.saturating_sub(GAP).min(down.saturating_sub(text + GAP)).clamp(SMALLEST, THUMBNAIL as usize) as u32;
    let image = |row: &Row| Some(fitted(&load(&results.image(folder, row)?)?, side));
    let images: Vec<Option<Image>> = results.rows.iter().map(image).collect();
    let most = |size: fn(&Image) -> u32| images.iter().flatten().map(size).max().unwrap_or(side) as usize;
    let (wide, high) = (most(|image| image.width), most(|image| image.height));
    let tile = wide.max(NARROWEST.min(across.saturating_sub(GAP)));
    let (step_x, step_y) = (tile + GAP, high + text + GAP);
    let mut canvas = Canvas::new(GAP + columns * step_x, HEAD + rows * step_y + GAP, GROUND);
    let fit = |text: &str, scale: usize, width: usize| shortened(text, width / (CHARACTER * scale));
    let title = title(results);
    canvas.text([GAP, GAP], 2, TEXT, &fit(&title, 2, columns * step_x - GAP));
    for (at, (row, image)) in results.rows.iter().zip(&images).enumerate() {
        let (x, y) = (GAP + at % columns * step_x, HEAD + at / columns * step_y);
        match image {
            Some(image) => canvas.image([x, y], image),
            None => {
                canvas.fill([x, y], [wide, high], EMPTY);
                canvas.text([x + 8, y + 8], 1, DIM, "not complete");
            }
        }
        let index = row.task.index.to_string();
        for (line, (name, value, color)) in lines_of(results, row, lines).into_iter().enumerate() {
            let y = y + high + 6 + line * LINE;
            let room = if line == 0 { tile.saturating_sub(CHARACTER * (index.len() + 1)) } else { tile };
            let value = format!(" {value}");
            let name = shortened(&name, (room / CHARACTER).saturating_sub(value.len()));
            canvas.text([x, y], 1, DIM, &name);
            let left = name.chars().count();
            canvas.text([x + left * CHARACTER, y], 1, color, &fit(&value, 1, room.saturating_sub(left * CHARACTER)));
        }
        canvas.text([x + tile - CHARACTER * index.len(), y + high + 6], 1, DIM, &index);
    }
    canvas.into_image()
}

/// The graph and what is shown of it, in a line.
pub(super) fn title(results: &Results) -> String {
    let manifest = &results.manifest;
    let (complete, all) = (results.complete(), results.rows.len());
    let done = if complete == all { format!("{all} runs") } else { format!("{complete} of {all} runs") };
    let stem = Path::new(&manifest.graph).file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}, frame {}, {done}", manifest.options.frames.1)
}

/// Name and value of everything that stands below an image, on so many lines at most.
fn lines_of(results: &Results, row: &Row, most: usize) -> Vec<(String, String, [u8; 3])> {
    let value = |name: &String| Some((name.clone(), text_of(row.task.values.get(name)?), TEXT));
    let values = results.manifest.parameters.iter().filter_map(value);
    let numbers = results.number_titles().into_iter().zip(results.numbers(row));
    let mut lines: Vec<_> =
        values.chain(numbers.filter_map(|(name, number)| Some((name, brief(number?), DIM)))).collect();
    if lines.len() > most {
        lines.truncate(most.saturating_sub(1));
        lines.push(("and others,".into(), "in the table".into(), DIM));
        lines.truncate(most);
    }
    lines
}

/// A measured number with five digits.
fn brief(number: f64) -> String {
    let rounded: f64 = format!("{number:.4e}").parse().unwrap_or(number);
    crate::printable::number(rounded)
}

/// The end of a name that is too long.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let rest: String = text.chars().skip(count - most.saturating_sub(2).min(count)).collect();
    if most < 3 { String::new() } else { format!("..{rest}") }
}

/// The columns of the grid: a value of the last parameter each, where all combinations were run.
pub(super) fn columns(results: &Results) -> usize {
    let (manifest, count) = (&results.manifest, results.rows.len().max(1));
    let square = ((count as f64 * 1.5).sqrt().ceil() as usize).max(1);
    if manifest.options.random.is_some() || manifest.parameters.len() < 2 {
        return square.min(count);
    }
    let last = manifest.parameters.last();
    let value = |row: &Row| last.and_then(|name| row.task.values.get(name)).map(text_of);
    let first = results.rows.first().and_then(value);
    let values = results.rows.iter().skip(1).take_while(|row| value(row) != first).count() + 1;
    // A few more rows than columns would be a strip.
    if values <= COLUMNS && values * 4 >= count / values { values } else { square }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shortened("pressure.iterations", 19), "pressure.iterations");
        assert_eq!(shortened("pressure.iterations", 12), "..iterations");
        assert_eq!(shortened("pressure.iterations", 2), "");
        assert_eq!(brief(0.123_456_789), "0.12346");
    }
}
