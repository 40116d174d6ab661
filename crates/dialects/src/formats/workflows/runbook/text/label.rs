//! The labelled lines of a section: `**Report Path**: x`, `**Execution Model:** y`, `Depends on: Item 1.1`,
//! `[DEPENDS: 1.2]`.
//!
//! Fences are tracked from the section's own first line, so a fence left open in one step cannot hide the fields of
//! the next.

use markdown::{Extent, Outline, marks};

/// One labelled line.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    /// The name in lowercase, without its colon.
    pub(crate) name: String,
    /// Where the label begins.
    pub(crate) start: usize,
    /// The rest of its line.
    pub(crate) value: Extent,
    /// The lines below, up to the next label in bold or heading.
    pub(crate) body: Extent,
}

/// The labels of a range, in order.
pub(crate) fn labels(outline: &Outline, at: Extent) -> Vec<Label> {
    let mut found: Vec<Label> = Vec::new();
    // The last label in bold, whose body is still open.
    let mut open: Option<usize> = None;
    for line in lines(outline, at) {
        let text = outline.str(line);
        let bold = bold(text);
        let ends = bold.is_some() || text.starts_with('#');
        if let Some(last) = open.take_if(|_| ends).and_then(|last| found.get_mut(last)) {
            last.body.end = line.start.max(last.body.start);
        }
        if let Some((name, after)) = bold {
            open = Some(found.len());
            found.push(label(outline, name, line, 0, after, at.end));
        } else {
            found.extend(plain(text).into_iter().map(|(name, start, after, end)| {
                let line = Extent { start: line.start, end: line.start + end };
                label(outline, name.to_owned(), line, start, after, at.end)
            }));
        }
        found.extend(marked(text).map(|(start, after, end)| {
            let line = Extent { start: line.start, end: line.start + end };
            label(outline, "depends on".to_owned(), line, start, after, at.end)
        }));
    }
    found
}

/// Whether a label of this name states dependencies.
pub(crate) fn says_waits(name: &str) -> bool {
    matches!(name, "depends on" | "dependencies" | "blocked by" | "requires")
}

/// The items of a label's list, without bullet and box: the list directly below a label with nothing on its own line.
pub(crate) fn below(outline: &Outline, label: &Label) -> Vec<Extent> {
    if label.value.start < label.value.end {
        return Vec::new();
    }
    let lines = outline.lines_in(label.body).skip_while(|line| outline.str(line.at).trim().is_empty());
    let items = lines.map_while(|line| {
        let text = outline.str(line.at).trim();
        let item = marks::after_bullet(text)?;
        let item = marks::find(item).map_or(item, |(_, after)| item.get(after..).unwrap_or_default());
        let end = line.at.start + outline.str(line.at).trim_end().len();
        Some(Extent { start: end - item.len(), end })
    });
    items.collect()
}

/// The dependency lists in a range.
pub(crate) fn lists_of_waits(outline: &Outline, at: Extent) -> Vec<Extent> {
    let labels = labels(outline, at);
    let waits = labels.iter().filter(|label| says_waits(&label.name));
    waits
        .filter_map(|label| {
            below(outline, label).last().map(|last| Extent { start: label.start, end: last.end })
        })
        .collect()
}

/// The lines of a range outside of fences that the range itself opens.
pub(crate) fn lines(outline: &Outline, at: Extent) -> impl Iterator<Item = Extent> {
    let mut open: Option<(char, usize)> = None;
    outline.lines_in(at).map(|line| line.at).filter(move |line| {
        let text = outline.str(*line).trim_start();
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        let count = text.chars().take_while(|c| Some(*c) == sign).count();
        let Some(sign) = sign.filter(|_| count >= 3) else { return open.is_none() };
        match open {
            None => open = Some((sign, count)),
            Some((first, least)) => {
                let bare = text.get(count..).unwrap_or_default().trim().is_empty();
                if first == sign && count >= least && bare {
                    open = None;
                }
            }
        }
        false
    })
}

fn label(outline: &Outline, name: String, line: Extent, start: usize, after: usize, end: usize) -> Label {
    let value = outline.trimmed(Extent { start: line.start + after, end: line.end });
    Label { name, start: line.start + start, value, body: Extent { start: line.end, end } }
}

/// `**Name**: value`, `- **Name:** value`, `*Name: value*`; the name and where the value begins.
fn bold(line: &str) -> Option<(String, usize)> {
    let text = line.trim_start();
    let bare = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text).trim_start();
    let sign = if bare.starts_with("**") { "**" } else { "*" };
    let inner = bare.strip_prefix(sign)?;
    let colon = inner.find(':');
    let close = inner.find(sign)?;
    // A colon inside the bold ends the label; with single stars the value may be inside too.
    let inside = colon.filter(|colon| *colon < close);
    let (name, rest) = match inside {
        Some(colon) if sign == "*" => (inner.get(..colon)?, inner.get(colon + 1..)?),
        Some(colon) if colon + 1 == close => (inner.get(..colon)?, inner.get(close + sign.len()..)?),
        Some(colon) => (inner.get(..colon)?, inner.get(colon + 1..)?),
        None => {
            let rest = inner.get(close + sign.len()..)?;
            let is_label = rest.trim_start().starts_with(':') || is_part(inner.get(..close)?);
            (inner.get(..close).filter(|_| is_label)?, rest.trim_start().trim_start_matches(':'))
        }
    };
    (name.len() <= 80).then(|| (name.trim().to_lowercase(), line.len() - rest.len()))
}

/// `**RED — the parser**` is a label without a colon.
fn is_part(name: &str) -> bool {
    ["RED ", "GREEN "].iter().any(|part| name.starts_with(part))
}

/// Names that are labels even without bold, at the beginning of a line or sentence.
const PLAIN: &[&str] = &[
    "Depends on:",
    "Dependencies:",
    "Requires:",
    "Blocked by:",
    "Model:",
    "Requirements:",
    "Slices:",
    "Max Turns:",
];

/// The plain labels of a line: name, start, where the value begins and ends.
fn plain(line: &str) -> Vec<(&'static str, usize, usize, usize)> {
    let mut found: Vec<(&'static str, usize, usize, usize)> = Vec::new();
    for name in PLAIN {
        let Some(at) = line.find(name) else { continue };
        let before = line.get(..at).unwrap_or_default().trim_start_matches([' ', '\t', '-', '*']);
        if before.is_empty() || before.ends_with(". ") {
            found.push((
                LOWER.get(found_at(name)).copied().unwrap_or_default(),
                at,
                at + name.len(),
                line.len(),
            ));
        }
    }
    found.sort_by_key(|label| label.1);
    let starts: Vec<usize> = found.iter().skip(1).map(|label| label.1).collect();
    for (label, next) in found.iter_mut().zip(starts) {
        label.3 = next;
    }
    found
}

const LOWER: &[&str] =
    &["depends on", "dependencies", "requires", "blocked by", "model", "requirements", "slices", "max turns"];

fn found_at(name: &str) -> usize {
    PLAIN.iter().position(|plain| *plain == name).unwrap_or(0)
}

/// `[DEPENDS: 1.2, 1.3]` anywhere in a line: start, where the value begins and ends.
fn marked(line: &str) -> Option<(usize, usize, usize)> {
    let start = line.find("[DEPENDS:")?;
    let after = start + "[DEPENDS:".len();
    let end = after + line.get(after..)?.find(']')?;
    Some((start, after, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    fn read(text: &str) -> Vec<(String, String)> {
        let outline = Outline::new(&Text { path: "r.md", bytes: text.as_bytes() });
        let found = labels(&outline, Extent { start: 0, end: text.len() });
        found.into_iter().map(|label| (label.name, outline.shown(label.value))).collect()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn every_form_of_a_label_is_read() {
        assert_eq!(read("**Execution Model**: Haiku"), [pair("execution model", "Haiku")]);
        assert_eq!(read("**Execution Model:** Haiku (x)"), [pair("execution model", "Haiku (x)")]);
        assert_eq!(read("- **Depends on:** Step 1"), [pair("depends on", "Step 1")]);
        assert_eq!(read("*Depends on: Phase 2*"), [pair("depends on", "Phase 2*")]);
        assert_eq!(read("  Depends on: Item 1.2"), [pair("depends on", "Item 1.2")]);
        assert_eq!(
            read("Requirements: FR-4. Depends on: Item 1.1"),
            [pair("requirements", "FR-4."), pair("depends on", "Item 1.1")]
        );
        assert_eq!(read("## Cycle 4.7: x [DEPENDS: 4.2]"), [pair("depends on", "4.2")]);
        assert_eq!(read("**GREEN: make it so**"), [pair("green", "make it so**")]);
        assert_eq!(read("It **depends** on luck"), []);
    }

    #[test]
    fn a_fence_of_the_section_hides_its_labels() {
        assert_eq!(read("````\n```\n**Model:** a\n```\n````\n**Model:** b"), [pair("model", "b")]);
    }
}
