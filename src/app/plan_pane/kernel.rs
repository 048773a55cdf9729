//! A window with the text of a kernel.

use eframe::egui::{self, RichText, Ui, vec2};

use super::figures;
use crate::app::theme;
use crate::plan::Kernel;

/// The text as it was when the window was opened.
pub struct KernelText {
    title: String,
    lines: Vec<String>,
    own: usize,
    remark: String,
}

impl KernelText {
    pub fn new(kernel: &Kernel) -> KernelText {
        let lines: Vec<String> = kernel.wgsl.lines().map(String::from).collect();
        let loops = if kernel.finite { "loops proven finite" } else { "loops with a budget" };
        let origin = match kernel.own_lines {
            0 => "written by the compiler".to_string(),
            own => format!("lines 1 to {own} are the stage's own, the others the compiler's"),
        };
        let size = figures::product(&kernel.workgroup);
        let remark = format!("{origin}; {loops}; workgroups of {size}");
        KernelText { title: format!("WGSL of {}", kernel.name), lines, own: kernel.own_lines, remark }
    }

    /// Draws the window. Returns whether it stays open.
    pub fn show(&self, ctx: &egui::Context) -> bool {
        let mut open = true;
        let window = egui::Window::new(&self.title).id(egui::Id::new("kernel text")).open(&mut open);
        window.default_size(vec2(720.0, 520.0)).resizable(true).show(ctx, |ui| self.text(ui));
        open
    }

    fn text(&self, ui: &mut Ui) {
        let look = theme::of(ui);
        ui.horizontal(|ui| {
            if ui.button("Copy").on_hover_text("Copy the whole text").clicked() {
                ui.ctx().copy_text(self.lines.join("\n"));
            }
            ui.label(RichText::new(&self.remark).small().color(look.dim));
        });
        ui.separator();
        let height = ui.text_style_height(&egui::TextStyle::Monospace);
        // Rows as high as their text, as the area counts on.
        ui.spacing_mut().interact_size.y = height;
        ui.spacing_mut().item_spacing.y = 1.0;
        let area = egui::ScrollArea::both().auto_shrink(false);
        area.show_rows(ui, height, self.lines.len(), |ui, range| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            for (number, line) in self.lines.iter().enumerate().skip(range.start).take(range.len()) {
                let color = if number < self.own { look.text } else { look.dim };
                ui.horizontal(|ui| {
                    ui.label(RichText::new(format!("{:>4} ", number + 1)).monospace().color(look.faint));
                    ui.label(RichText::new(line).monospace().color(color));
                });
            }
        });
    }
}
