//! Glob patterns: which changed files a row of a plan names, and which keys and paths a row of a card matches.
//!
//! globset does the matching, from end to end and exact in case. In a path `*` and `?` stay within a folder and `**`
//! crosses folders. `?` and `[…]` match one byte.

use globset::{ErrorKind, GlobBuilder, GlobSet, GlobSetBuilder};
use toolkit::Fail;

/// Which files the rows of a plan name: paths, folders, and patterns with `*`, `?`, `**` and `{a,b}`.
///
/// Brackets and backslashes are plain characters, because plans name files like `app/[id]/page.tsx`.
#[derive(Debug)]
pub struct FileRows {
    /// The rows as written: each names the path that it spells, and everything below it.
    plain: Vec<String>,
    globs: GlobSet,
}

impl FileRows {
    /// Reads the rows. A row that is not a valid pattern names only the path that it spells.
    pub fn new(rows: &[String]) -> Self {
        let rows = rows.iter().map(|row| row.trim().trim_start_matches("./"));
        let (mut plain, mut globs) = (Vec::new(), GlobSetBuilder::new());
        for row in rows.filter(|row| !row.is_empty()) {
            plain.push(row.trim_end_matches('/').to_owned());
            for glob in file_globs(row) {
                globs.add(glob);
            }
        }
        Self { plain, globs: globs.build().unwrap_or_else(|_| GlobSet::empty()) }
    }

    /// Whether a row names the path.
    pub fn names(&self, path: &str) -> bool {
        let below = |folder: &String| path.strip_prefix(folder.as_str());
        let is_in = |folder| below(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.plain.iter().any(|row| row == "." || is_in(row)) || self.globs.is_match(path)
    }
}

/// A row as globs: one for itself and, if it has no wildcards, one for everything below it.
fn file_globs(row: &str) -> Vec<globset::Glob> {
    let is_wild = row.contains(['*', '?']);
    if !is_wild && !row.contains('{') {
        return Vec::new();
    }
    let row = if is_wild { row } else { row.trim_end_matches('/') };
    let mut text = row.replace('[', "[[]");
    if row.contains('{') {
        for (written, meant) in [("{ ", "{"), (" }", "}"), (", ", ","), (" ,", ",")] {
            text = text.replace(written, meant);
        }
    }
    let below = (!is_wild).then(|| format!("{text}/**"));
    let build = |text: String| build(&text, Over::Path, Escapes::No).ok();
    [Some(text), below].into_iter().flatten().filter_map(build).collect()
}

/// One pattern of a card.
#[derive(Debug, Clone)]
pub struct Glob {
    set: GlobSet,
    literal: Option<String>,
}

/// What a pattern is matched against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// A key. It has no parts, so that `*` matches everything.
    Key,
    /// A path.
    Path,
}

impl Glob {
    /// Reads a pattern with `*`, `?`, `[…]`, `{a,b}`, and `\` before any of them.
    pub fn new(text: &str, over: Over) -> Result<Self, Fail> {
        let bad = |e: globset::Error| {
            Fail::config("bad-pattern", format!("'{text}' is not a pattern: {}", e.kind()))
        };
        let literal = literal(text);
        let mut set = GlobSetBuilder::new();
        if literal.is_none() {
            set.add(build(text, over, Escapes::Yes).map_err(bad)?);
        }
        Ok(Self { set: set.build().map_err(bad)?, literal })
    }

    /// Whether the text matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.literal.as_ref().map_or_else(|| self.set.is_match(text), |literal| literal == text)
    }

    /// The only text that matches, if the pattern has no wildcards.
    pub fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }
}

/// The text of a pattern without wildcards. A bracket or brace that is never closed is not a wildcard.
fn literal(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => return None,
            '[' if chars.as_str().contains(']') => return None,
            '{' if chars.as_str().contains('}') => return None,
            '\\' => plain.push(chars.next().unwrap_or('\\')),
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// Whether `\` takes the meaning from the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Yes,
    No,
}

/// The most `{` that a pattern may have: globset recurses into them.
const MOST_GROUPS: usize = 100;

/// A brace without a partner makes all braces of the pattern plain characters.
fn build(text: &str, over: Over, escapes: Escapes) -> Result<globset::Glob, globset::Error> {
    let with_plain_braces = || text.replace('}', "[}]").replace('{', "[{]");
    let read = |text: &str| {
        let text = if over == Over::Path { cross_folders(text) } else { text.to_owned() };
        GlobBuilder::new(&text)
            .literal_separator(over == Over::Path)
            .backslash_escape(escapes == Escapes::Yes)
            .empty_alternates(true)
            .allow_unclosed_class(true)
            .build()
    };
    if text.matches('{').count() > MOST_GROUPS {
        return read(&with_plain_braces());
    }
    read(text).or_else(|e| match e.kind() {
        ErrorKind::UnclosedAlternates | ErrorKind::UnopenedAlternates => read(&with_plain_braces()),
        _ => Err(e),
    })
}

/// Spells out a `**` that is only a part of a name, as in `src/**.rs`: globset takes it for `*`.
fn cross_folders(pattern: &str) -> String {
    let spell = |name: &str| match name.strip_suffix("**") {
        Some(before) if before.is_empty() || before.ends_with(['{', ',']) => name.to_owned(),
        _ if name.contains('\\') => name.to_owned(),
        _ => name.replace("**", "{*,*/**/*}"),
    };
    pattern.split('/').map(spell).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::{FileRows, Glob, Over};

    fn named(row: &str, path: &str) -> bool {
        FileRows::new(&[row.to_owned()]).names(path)
    }

    #[test]
    fn paths_folders_and_patterns() {
        assert!(named("src/a.rs", "src/a.rs") && !named("src/a.rs", "src/a.rs.bak"));
        assert!(named("src/", "src/x/y.rs") && named("src", "src/x.rs") && !named("src", "src2/x.rs"));
        assert!(named("src/*.rs", "src/a.rs") && !named("src/*.rs", "src/x/a.rs"));
        assert!(named("src/**/*.rs", "src/x/y/a.rs") && named("src/**/*.rs", "src/a.rs"));
        assert!(named("src/App.*", "src/App.tsx") && named("**", "any/where") && named("a?c", "abc"));
        assert!(named("src/{a,b}.rs", "src/b.rs") && !named("src/{a,b}.rs", "src/c.rs"));
        assert!(named("{a,b}/{c,d}.md", "b/d.md") && named("odd}name", "odd}name"));
        assert!(!named("a?c", "a/c") && !named("", "x") && !named("migration + contracts", "src/m.sql"));
    }

    #[test]
    fn two_stars_cross_folders_wherever_they_stand() {
        for row in ["src/**.rs", "**.rs", "s**.rs", "src/x**y/*.rs", "{src/**,docs}", "{**/a.rs,b}"] {
            assert!(named(row, "src/x/y/a.rs"), "{row}");
        }
        assert!(named("{**/a.rs,b}", "a.rs") && named("src/**", "src/a") && !named("src/**", "src"));
    }

    #[test]
    fn choices_name_folders_too() {
        assert!(named("src/{a, b}", "src/b/x.rs") && named("{src,docs}/", "docs/x/y.md"));
        assert!(named("{a,b}/", "b") && named("**/a.rs", "a.rs") && !named("**/a.rs", "src/aa.rs"));
        assert!(named("a{,.bak}", "a") && named("a{,.bak}", "a.bak"));
    }

    #[test]
    fn brackets_and_backslashes_are_plain_in_a_row_of_a_plan() {
        assert!(named("app/[id]/*.tsx", "app/[id]/page.tsx") && !named("app/[id]/*.tsx", "app/i/page.tsx"));
        assert!(named(r"odd\*", r"odd\name"));
    }

    #[test]
    fn a_brace_without_a_partner_is_plain() {
        assert!(named("src/{a/*.rs", "src/{a/x.rs") && named("*}.rs", "a}.rs"));
        let nested = format!("{}*{}", "{".repeat(10_000), "}".repeat(10_000));
        assert!(!named(&nested, "a") && named("./.", "a"));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_an_error() {
        assert_eq!(Glob::new("[z-a]", Over::Key).unwrap_err().code, "bad-pattern");
    }
}
