//! Prose in Markdown becomes part of a manual page.
//!
//! `##` is a chapter and `###` a part of one; code is bold, as manual pages have it; a table, a list, a definition
//! list and a fence are what they are. What stands before the first heading goes on where the page is.

use crate::roff::{Page, Words};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Adds a text to a page.
pub(crate) fn write(page: &mut Page, text: &str) {
    let mut writer =
        Writer { page, inline: Inline::default(), raw: String::new(), places: Vec::new(), rows: Vec::new() };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_DEFINITION_LIST) {
        writer.event(event);
    }
}

/// One paragraph as words.
pub(crate) fn words(text: &str) -> Words {
    let mut inline = Inline::default();
    for event in Parser::new(text) {
        inline.event(&event);
    }
    inline.words
}

/// Text with fonts as it comes.
#[derive(Default)]
struct Inline {
    words: Words,
    font: Font,
}

#[derive(Clone, Copy, Default)]
enum Font {
    #[default]
    Plain,
    Bold,
    Italic,
}

impl Inline {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Strong) => self.font = Font::Bold,
            Event::Start(Tag::Emphasis) => self.font = Font::Italic,
            Event::End(TagEnd::Strong | TagEnd::Emphasis) => self.font = Font::Plain,
            Event::Code(text) => self.add(text, Font::Bold),
            Event::Text(text) | Event::InlineHtml(text) => self.add(text, self.font),
            Event::SoftBreak | Event::HardBreak => self.add("\n", Font::Plain),
            _ => {}
        }
    }

    fn add(&mut self, text: &str, font: Font) {
        let words = std::mem::take(&mut self.words);
        self.words = match font {
            Font::Plain => words.and(text),
            Font::Bold => words.and_bold(text),
            Font::Italic => words.and_italic(text),
        };
    }

    fn take(&mut self) -> Words {
        std::mem::take(&mut self.words)
    }
}

/// What a paragraph stands in.
enum Container {
    /// A list; the number of its next entry, if they are counted.
    List(Option<u64>),
    /// An entry of a list whose sign is still to be written.
    Item(String),
    /// The meaning of a term that is still to be written.
    Meaning(Words),
}

struct Writer<'p> {
    page: &'p mut Page,
    inline: Inline,
    raw: String,
    places: Vec<Container>,
    rows: Vec<Vec<Words>>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) if is_block(&tag) => self.start(&tag),
            Event::End(end) if !matches!(end, TagEnd::Strong | TagEnd::Emphasis) => self.end(end),
            other => {
                if let Event::Text(text) | Event::Code(text) = &other {
                    self.raw.push_str(text);
                }
                self.inline.event(&other);
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        self.flush();
        match tag {
            Tag::List(first) => {
                if !self.places.is_empty() {
                    self.page.indent(true);
                }
                self.places.push(Container::List(*first));
            }
            Tag::Item => {
                let sign = match self.places.last_mut() {
                    Some(Container::List(Some(number))) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    _ => "\\(bu".to_owned(),
                };
                self.places.push(Container::Item(sign));
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Heading(HeadingLevel::H1 | HeadingLevel::H2) => {
                self.inline.take();
                self.page.section(&std::mem::take(&mut self.raw));
            }
            TagEnd::Heading(_) => self.page.subsection(&self.inline.take()),
            TagEnd::CodeBlock => {
                self.inline.take();
                self.page.code(&std::mem::take(&mut self.raw));
            }
            TagEnd::DefinitionListTitle => self.places.push(Container::Meaning(self.inline.take())),
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.page.table(&std::mem::take(&mut self.rows)),
            TagEnd::Item | TagEnd::DefinitionListDefinition => {
                self.flush();
                self.places.pop();
            }
            TagEnd::List(_) => {
                self.places.pop();
                if !self.places.is_empty() {
                    self.page.indent(false);
                }
            }
            _ => self.flush(),
        }
        self.raw.clear();
    }

    /// Writes the paragraph in hand, as what it stands in wants it.
    fn flush(&mut self) {
        self.raw.clear();
        let words = self.inline.take();
        if words.is_empty() {
            return;
        }
        match self.places.last_mut() {
            Some(Container::Item(sign)) => self.page.item(&std::mem::take(sign), &words),
            Some(Container::Meaning(term)) if !term.is_empty() => {
                self.page.tagged(&std::mem::take(term), &words);
            }
            Some(Container::Meaning(_)) => self.page.item("", &words),
            _ => self.page.paragraph(&words),
        }
    }
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(tag, Tag::Strong | Tag::Emphasis | Tag::TableCell)
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::roff::Page;

    fn body(text: &str) -> String {
        let mut page = Page::new("x", '1');
        page.section("top");
        write(&mut page, text);
        page.finish().split_once(".SH TOP\n").unwrap().1.to_owned()
    }

    #[test]
    fn chapters_paragraphs_and_fonts() {
        let text =
            "First `a-b` and **c**,\n.not a macro.\n\nSecond.\n\n## Exit status\n\n### With `x`\n\nThird.\n";
        let expected = "First \\%\\fBa\\-b\\fR and \\%\\fBc\\fR,\n\\&.not a macro.\n.PP\nSecond.\n.SH EXIT STATUS\n\
                        .SS With \\%\\fBx\\fR\nThird.\n";
        assert_eq!(body(text), expected);
    }

    #[test]
    fn lists_definitions_and_fences() {
        let text = "- one\n- two\n  - deep\n\n1. first\n\n`TERM`\n: meaning\n\n```sh\n.a | 'b'\n```\n";
        let expected = ".IP \"\\(bu\" 2\none\n.IP \"\\(bu\" 2\ntwo\n.RS\n.IP \"\\(bu\" 2\ndeep\n.RE\n\
                        .IP \"1.\" 4\nfirst\n.TP\n\\%\\fBTERM\\fR\nmeaning\n\
                        .PP\n.RS 4\n.EX\n\\&.a | \\(aqb\\(aq\n.EE\n.RE\n";
        assert_eq!(body(text), expected);
    }

    #[test]
    fn tables() {
        let text = "| a | b |\n|---|---|\n| `1` | yes |\n";
        let expected = ".TS\nlb lbx\nl lx.\na\tT{\nb\nT}\n\\%\\fB1\\fR\tT{\nyes\nT}\n.TE\n";
        assert_eq!(body(text), expected);
    }
}
