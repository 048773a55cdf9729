//! The start page: an empty graph, templates and shipped graphs, each with its image.

use eframe::egui::{self, ColorImage, Id, RichText, Sense, TextureHandle, Ui, Vec2, vec2};

use crate::model::disk::{self, Source};
use crate::toolkit::theme;

/// Size of an image \[points\].
const THUMBNAIL: Vec2 = vec2(208.0, 130.0);
/// Size of a card with its text \[points\].
const CARD: Vec2 = vec2(224.0, 226.0);
const GAP: f32 = 12.0;
const COLUMNS: usize = 4;
/// Maximum height of the page, and its margin to the window \[points\].
const TALLEST: f32 = 780.0;
const MARGIN: f32 = 120.0;

/// One graph to start from.
struct Card {
    source: Source,
    title: String,
    about: String,
    /// Variants of the graph, with what each is for.
    variants: Vec<(String, String)>,
    thumbnail: Option<TextureHandle>,
}

/// The open page.
pub(super) struct Gallery {
    templates: Vec<Card>,
    examples: Vec<Card>,
}

impl Gallery {
    pub(super) fn new(ctx: &egui::Context) -> Gallery {
        let nothing = Card {
            source: Source::Empty,
            title: "Empty".into(),
            about: "An empty canvas.".into(),
            variants: Vec::new(),
            thumbnail: None,
        };
        let card = |source: Source, name: &str| {
            let document = disk::load(&source).ok()?;
            let thumbnail = disk::thumbnail(name).and_then(image);
            let thumbnail =
                thumbnail.map(|image| ctx.load_texture(format!("gallery {name}"), image, Default::default()));
            let variants = document.variants.into_iter().map(|(name, variant)| (name, variant.about)).collect();
            Some(Card { source, title: document.name, about: first_sentence(&document.about), variants, thumbnail })
        };
        let templates = disk::templates().into_iter().filter_map(|name| card(Source::Template(name.clone()), &name));
        let examples = disk::examples().into_iter().filter_map(|name| card(Source::Example(name.clone()), &name));
        Gallery { templates: [nothing].into_iter().chain(templates).collect(), examples: examples.collect() }
    }

    /// Draws the page. Returns what was chosen, or that it was closed.
    pub(super) fn show(&self, ctx: &egui::Context) -> Option<Option<Source>> {
        let mut chosen = None;
        let room = ctx.content_rect().size();
        let columns = ((room.x - 80.0) / (CARD.x + GAP)).floor().clamp(1.0, COLUMNS as f32) as usize;
        let frame = super::modal::frame(ctx);
        let modal = egui::Modal::new(Id::new("gallery")).frame(frame).show(ctx, |ui| {
            ui.set_width(columns as f32 * (CARD.x + GAP) + 8.0);
            ui.set_height((room.y - MARGIN).min(TALLEST));
            ui.horizontal(|ui| {
                ui.label(RichText::new("New graph").heading());
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.button("Cancel").clicked() {
                        chosen = Some(None);
                    }
                });
            });
            let scroll = egui::ScrollArea::vertical().auto_shrink(false);
            scroll.show(ui, |ui| {
                for (title, cards) in [("Start from", &self.templates), ("Examples", &self.examples)] {
                    ui.add_space(6.0);
                    ui.label(RichText::new(title).strong().color(theme::current(ui).dim));
                    egui::Grid::new(title).spacing(vec2(GAP, GAP)).show(ui, |ui| {
                        for row in cards.chunks(columns) {
                            for card in row {
                                if let Some(source) = card.show(ui) {
                                    chosen = Some(Some(source));
                                }
                            }
                            ui.end_row();
                        }
                    });
                }
            });
        });
        chosen.or(modal.should_close().then_some(None))
    }
}

impl Card {
    /// Draws it. Returns what was chosen: the graph, or one of its variants.
    fn show(&self, ui: &mut Ui) -> Option<Source> {
        let (rect, response) = ui.allocate_exact_size(CARD, Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &self.title));
        let visuals = ui.style().interact(&response);
        ui.painter().rect(rect, 6.0, visuals.weak_bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
        let inner = egui::UiBuilder::new().max_rect(rect.shrink(8.0)).layout(egui::Layout::top_down(egui::Align::Min));
        // A child of its own, since its space is allocated already.
        let mut ui = ui.new_child(inner);
        ui.spacing_mut().item_spacing.y = 4.0;
        let (thumbnail, _) = ui.allocate_exact_size(THUMBNAIL, Sense::hover());
        match &self.thumbnail {
            Some(texture) => egui::Image::new(texture).corner_radius(4).paint_at(&ui, thumbnail),
            None => drop(ui.painter().rect_filled(thumbnail, 4.0, theme::current(&ui).canvas)),
        }
        ui.label(RichText::new(&self.title).strong());
        ui.add(egui::Label::new(RichText::new(&self.about).small().color(theme::current(&ui).dim)).wrap());
        let mut chosen = response.clicked().then(|| self.source.clone());
        ui.with_layout(egui::Layout::bottom_up(egui::Align::Min), |ui| {
            ui.horizontal_wrapped(|ui| {
                for (name, about) in &self.variants {
                    let button = egui::Button::new(name).small().stroke((1.0, theme::current(ui).line)).frame(true);
                    let button = ui.add(button);
                    let label = format!("{}: {name}", self.title);
                    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &label));
                    let hint = if about.is_empty() { "Open with this variant" } else { about };
                    if button.on_hover_text(hint).clicked() {
                        chosen = Some(Source::Variant(Box::new(self.source.clone()), name.clone()));
                    }
                }
            });
        });
        chosen
    }
}

/// A shipped image; none if it is not a PNG with eight bits.
fn image(file: &[u8]) -> Option<ColorImage> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let size = [frame.width as usize, frame.height as usize];
    let pixels = pixels.get(..frame.buffer_size())?;
    match frame.color_type {
        png::ColorType::Rgb => Some(ColorImage::from_rgb(size, pixels)),
        png::ColorType::Rgba => Some(ColorImage::from_rgba_unmultiplied(size, pixels)),
        _ => None,
    }
}

fn first_sentence(about: &str) -> String {
    let end = about.find(['.', ':']).unwrap_or(about.len());
    format!("{}.", about.get(..end).unwrap_or(about))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_has_a_thumbnail_a_title_and_a_line() {
        let gallery = Gallery::new(&egui::Context::default());
        assert!(gallery.templates.len() > 4 && gallery.examples.len() > 4);
        for card in gallery.templates.iter().skip(1).chain(&gallery.examples) {
            let size = card.thumbnail.as_ref().map(|thumbnail| thumbnail.size());
            assert_eq!(size, Some([320, 200]), "{}", card.title);
            assert!(!card.title.is_empty() && card.about.len() > 12, "{}: {}", card.title, card.about);
        }
    }

    #[test]
    fn damaged_images_are_none() {
        assert!(image(b"").is_none() && image(b"\x89PNG\r\n\x1a\n").is_none());
    }
}
