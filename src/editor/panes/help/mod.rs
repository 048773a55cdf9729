//! Help: the documents that ship, the reference of a node, and all shortcuts, in a pane.

mod documents;
mod markdown;
mod page;
mod shortcuts;
pub(crate) mod words;

use eframe::egui::{self, Ui};

use crate::document::Node;
use crate::edit;
use crate::library::{Library, reference};
use crate::panes::content::{PaneContent, Surroundings};
use crate::toolkit::theme;
use documents::{DOCUMENTS, document};
pub(crate) use documents::{LANGUAGE, MANUAL};
use page::Page;

/// Where the bar has less room, the topics are in a list \[points\].
const TOPICS: f32 = 640.0;

/// What the pane shows.
#[derive(Clone, Debug, PartialEq)]
enum Topic {
    /// A document by its file name.
    Document(String),
    /// The reference of a node: its title, and the page.
    Node(String, String),
    Shortcuts,
}

pub(crate) struct Help {
    topic: Topic,
    page: Page,
    /// Topics before this one, for the way back.
    before: Vec<Topic>,
    /// What is searched for among the shortcuts.
    query: String,
}

impl Default for Help {
    fn default() -> Help {
        let topic = Topic::Document(MANUAL.into());
        Help { page: Page::new(&topic.text()), topic, before: Vec::new(), query: String::new() }
    }
}

impl PaneContent for Help {
    fn show(&mut self, ui: &mut Ui, _: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui);
        Ok(())
    }
}

impl Help {
    /// Opens a document, at the heading with this anchor if it has one.
    pub(crate) fn open(&mut self, document: &str, anchor: &str) {
        self.turn_to(Topic::Document(document.into()));
        self.page.scroll_to(anchor);
    }

    pub(crate) fn open_shortcuts(&mut self) {
        self.query.clear();
        self.turn_to(Topic::Shortcuts);
    }

    /// Opens the reference of a node.
    pub(crate) fn open_node(&mut self, node: &Node, library: &Library) {
        let title = edit::signature::node(node, library).title;
        self.turn_to(Topic::Node(title, node_reference(node, library)));
    }

    fn turn_to(&mut self, topic: Topic) {
        if topic != self.topic {
            self.before.push(std::mem::replace(&mut self.topic, topic));
            self.page = Page::new(&self.topic.text());
        }
    }

    fn back(&mut self) {
        if let Some(topic) = self.before.pop() {
            self.topic = topic;
            self.page = Page::new(&self.topic.text());
        }
    }

    fn draw(&mut self, ui: &mut Ui) {
        egui::Panel::top("help topics").frame(theme::bar(ui)).show(ui, |ui| self.bar(ui));
        egui::CentralPanel::no_frame().frame(theme::pane(ui)).show(ui, |ui| {
            if self.topic == Topic::Shortcuts {
                shortcuts::show(ui, &mut self.query);
            } else if let Some(link) = self.page.show(ui) {
                self.follow(ui.ctx(), &link);
            }
        });
    }

    fn bar(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            let back = ui.add_enabled(!self.before.is_empty(), egui::Button::new("⏴"));
            back.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Back"));
            if back.on_hover_text("Back").clicked() {
                self.back();
            }
            if ui.available_width() >= TOPICS {
                self.topics(ui);
            } else {
                let list = egui::ComboBox::from_id_salt("help topics").selected_text(self.topic.title());
                list.show_ui(ui, |ui| self.topics(ui));
            }
        });
    }

    fn topics(&mut self, ui: &mut Ui) {
        for (file, title, _) in DOCUMENTS {
            let open = matches!(&self.topic, Topic::Document(name) if name == file);
            if ui.selectable_label(open, title).clicked() {
                self.open(file, "");
            }
        }
        if ui.selectable_label(self.topic == Topic::Shortcuts, "Shortcuts").clicked() {
            self.open_shortcuts();
        }
        if let Topic::Node(title, _) = &self.topic {
            drop(ui.selectable_label(true, title));
        }
    }

    /// Opens what a link of the page leads to.
    fn follow(&mut self, ctx: &egui::Context, link: &str) {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        if file.starts_with("http") {
            ctx.open_url(egui::OpenUrl::new_tab(link));
        } else if file.is_empty() {
            self.page.scroll_to(anchor);
        } else {
            self.open(file, anchor);
        }
    }
}

impl Topic {
    fn title(&self) -> &str {
        match self {
            Topic::Document(name) => {
                DOCUMENTS.iter().find(|(file, ..)| file == name).map_or("", |(_, title, _)| *title)
            }
            Topic::Node(title, _) => title,
            Topic::Shortcuts => "Shortcuts",
        }
    }

    fn text(&self) -> String {
        match self {
            Topic::Document(name) => document(name).unwrap_or_default().into(),
            Topic::Node(_, text) => text.clone(),
            Topic::Shortcuts => String::new(),
        }
    }
}

/// Ports, parameters, documentation, sources and text of a node.
fn node_reference(node: &Node, library: &Library) -> String {
    if let Some(stage) = edit::stage_of(node, library) {
        return format!("{}#### WGSL\n\n```\n{}\n```\n", reference::stage(&stage), stage.own_text().trim_end());
    }
    let signature = edit::signature::node(node, library);
    if let Some(group) = edit::group_of(node, library) {
        return reference::group(&signature.title, group);
    }
    let mut page = format!("### {}\n\n{}\n\n", signature.title, node.kind.info().doc);
    let ports = [("in", &signature.inputs), ("out", &signature.outputs)];
    if ports.iter().any(|(_, ports)| !ports.is_empty()) {
        page += "| port | |\n|---|---|\n";
    }
    for (direction, ports) in ports {
        ports.iter().for_each(|port| page += &format!("| `{}` ({direction}) | {} |\n", port.name, port.doc));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::markdown::{Block, Span, anchor, blocks, plain};
    use super::*;
    use crate::document::NodeKind;

    fn all_spans(blocks: &[Block]) -> Vec<&Span> {
        let mut found = Vec::new();
        for block in blocks {
            match block {
                Block::Heading(_, spans) | Block::Text(spans) | Block::Item(_, _, spans) => found.extend(spans),
                Block::Table(rows) => found.extend(rows.iter().flatten().flatten()),
                Block::Code(_) => {}
            }
        }
        found
    }

    #[test]
    fn documents_have_no_marks_left_and_their_links_lead_to_headings() {
        let pages: Vec<(&str, Vec<Block>)> = DOCUMENTS.iter().map(|(name, _, text)| (*name, blocks(text))).collect();
        let mut links = 0;
        for (name, page) in &pages {
            assert!(page.len() > 10, "{name}");
            for span in all_spans(page) {
                let marks = ["**", "](", "```"].iter().any(|mark| span.text.contains(mark));
                assert!(span.code || !marks, "{name}: {}", span.text);
                let Some((file, target)) = span.link.as_deref().map(|link| link.split_once('#').unwrap_or((link, "")))
                else {
                    continue;
                };
                let file = if file.is_empty() { name } else { file };
                let Some((_, other)) = pages.iter().find(|(name, _)| *name == file).filter(|_| !target.is_empty())
                else {
                    continue;
                };
                let there = |block: &Block| matches!(block, Block::Heading(_, title) if anchor(title) == target);
                assert!(other.iter().any(there), "{name} links to {file}#{target}");
                links += 1;
            }
        }
        assert!(links > 5, "{links}");
    }

    #[test]
    fn every_stage_has_a_page_with_its_ports_its_parameters_and_its_text() {
        let library = Library::builtin();
        for stage in library.stages() {
            let node = Node { kind: NodeKind::Stage(stage.name.clone()), ..Node::default() };
            let page = blocks(&node_reference(&node, library));
            let text: String = all_spans(&page).iter().map(|span| format!("{} ", span.text)).collect();
            for port in stage.header.ports.iter() {
                assert!(text.contains(&port.name), "{}: {}", stage.name, port.name);
            }
            for param in &stage.header.params {
                assert!(
                    text.contains(&format!("{}: {}", param.name, param.ty.name())),
                    "{}: {}",
                    stage.name,
                    param.name
                );
            }
            assert!(
                matches!(page.last(), Some(Block::Code(text)) if text == stage.own_text().trim_end()),
                "{}",
                stage.name
            );
            assert!(matches!(page.first(), Some(Block::Heading(3, title)) if plain(title).contains(&stage.name)));
        }
    }

    #[test]
    fn the_way_back_leads_through_the_topics() {
        let mut help = Help::default();
        help.open(LANGUAGE, "");
        help.open(LANGUAGE, "the-header");
        help.open_shortcuts();
        help.back();
        assert_eq!(help.topic, Topic::Document(LANGUAGE.into()));
        help.back();
        assert_eq!((help.topic, help.before.len()), (Topic::Document(MANUAL.into()), 0));
    }
}
