//! The functions and loops of a source, and their nesting. Accepts any text: a loop that is missed here would run
//! without a budget, so every keyword of a loop counts, wherever it is.

use std::collections::HashMap;

use super::{Token, TokenKind};

/// A function or a loop, from its keyword to the brackets of its body, as token indices.
pub(crate) struct Block {
    pub keyword: usize,
    pub open: Option<usize>,
    pub close: usize,
    pub is_loop: bool,
    /// Loops directly inside, and functions called directly from here.
    pub uses: Vec<usize>,
}

/// The state while tokens are read in order.
#[derive(Default)]
struct Reader<'a> {
    /// Blocks in the order of their keywords.
    blocks: Vec<Block>,
    /// The blocks around the token, innermost last, each with its outer brace depth.
    around: Vec<(usize, usize)>,
    depth: usize,
    functions: HashMap<&'a str, usize>,
    calls: Vec<(usize, &'a str)>,
}

/// All functions and loops, in the order of their keywords. In invalid text, whatever looks like one.
pub(crate) fn blocks(tokens: &[Token<'_>]) -> Vec<Block> {
    let mut reader = Reader::default();
    let mut before = "";
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map_or("", |next| next.text);
        match token.text {
            "fn" | "for" | "while" | "loop" => reader.enter(at, tokens.len(), token.text != "fn"),
            "{" => reader.open(at),
            "}" => reader.close(at),
            name if before == "fn" => reader.name_function(name),
            name if token.kind == TokenKind::Word && next == "(" => reader.call(name),
            _ => {}
        }
        before = token.text;
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn inner(&mut self) -> Option<&mut Block> {
        self.around.last().and_then(|(id, _)| self.blocks.get_mut(*id))
    }

    fn enter(&mut self, keyword: usize, end: usize, is_loop: bool) {
        let id = self.blocks.len();
        if let Some(outer) = self.inner().filter(|_| is_loop) {
            outer.uses.push(id);
        }
        self.around.push((id, self.depth));
        self.blocks.push(Block { keyword, open: None, close: end, is_loop, uses: Vec::new() });
    }

    /// A header has no braces, so the first one opens the body.
    fn open(&mut self, at: usize) {
        self.depth += 1;
        if let Some(block) = self.inner() {
            block.open.get_or_insert(at);
        }
    }

    fn close(&mut self, at: usize) {
        self.depth = self.depth.saturating_sub(1);
        let outside = self.around.last().map_or(0, |(_, depth)| *depth);
        let ends = self.depth <= outside;
        if let Some(block) = self.inner().filter(|block| ends && block.open.is_some()) {
            block.close = at;
            self.around.pop();
        }
    }

    fn name_function(&mut self, name: &'a str) {
        self.functions.extend(self.around.last().map(|(id, _)| (name, *id)));
    }

    fn call(&mut self, name: &'a str) {
        self.calls.extend(self.around.last().map(|(id, _)| (*id, name)));
    }

    /// Functions may be defined after their calls, so calls are resolved at the end.
    fn finish(mut self) -> Vec<Block> {
        for (id, name) in self.calls {
            if let (Some(block), Some(function)) = (self.blocks.get_mut(id), self.functions.get(name)) {
                block.uses.push(*function);
            }
        }
        self.blocks
    }
}
