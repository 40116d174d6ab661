//! Patterns of keys: SQL's LIKE as the source system's cards have it, or a glob; and globs of paths.
//!
//! Matching is exact in case and from end to end. A key has no parts, so that `*` runs over everything; in a path `*`
//! stays between two slashes and `**` crosses them.

use regex::Regex;
use std::fmt::Write as _;
use toolkit::Fail;

/// A pattern, with the text that it was made of.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// As written.
    pub(crate) shown: String,
    pub(crate) form: Form,
    /// The only text that matches, where the pattern has no wildcards.
    literal: Option<String>,
    regex: Regex,
}

/// How a pattern is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `%`, `_`, and `\` before either.
    Like,
    /// `*`, `?`, `[…]`, `{a,b}`, and `\` before any.
    Glob,
    /// The same for paths.
    Path,
}

impl Pattern {
    /// Reads a pattern.
    pub(crate) fn new(text: &str, form: Form) -> Result<Self, Fail> {
        let (source, plain) = match form {
            Form::Like => like(text),
            Form::Glob | Form::Path => Glob::new(text, form).translate(),
        };
        let regex = Regex::new(&format!("(?s)^(?:{source})$"))
            .map_err(|e| Fail::config("bad-pattern", format!("'{text}' is no pattern: {e}")))?;
        Ok(Self { shown: text.to_owned(), form, literal: plain, regex })
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.literal {
            Some(literal) => literal == text,
            None => self.regex.is_match(text),
        }
    }

    /// The only text that matches, where there is only one.
    pub(crate) fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }

    /// Whether a path matches, whichever way it is written: below the root, or as some absolute path that ends so.
    pub(crate) fn matches_path(&self, path: &str, root: &str) -> bool {
        let path = tidy(path);
        let below = path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        let path = below.filter(|_| !root.is_empty()).unwrap_or(&path);
        if self.matches(path) {
            return true;
        }
        path.starts_with('/') && path.match_indices('/').any(|(at, _)| self.matches(&path[at + 1..]))
    }
}

/// A path without `.` and `..`, as far as names alone can tell.
fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("{}{}", if path.starts_with('/') { "/" } else { "" }, parts.join("/"))
}

/// A regular expression for LIKE, and the text itself where it has no wildcards.
fn like(text: &str) -> (String, Option<String>) {
    let mut regex = String::new();
    let mut plain = Some(String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' | '_' => {
                regex.push_str(if c == '%' { ".*" } else { "." });
                plain = None;
            }
            '\\' => literally(chars.next().unwrap_or('\\'), &mut regex, &mut plain),
            other => literally(other, &mut regex, &mut plain),
        }
    }
    (regex, plain)
}

fn literally(c: char, regex: &mut String, plain: &mut Option<String>) {
    let _ = write!(regex, "{}", regex::escape(c.encode_utf8(&mut [0; 4])));
    if let Some(plain) = plain {
        plain.push(c);
    }
}

struct Glob<'t> {
    rest: &'t str,
    form: Form,
    /// How many `{` are open.
    open: usize,
    regex: String,
    plain: Option<String>,
}

impl<'t> Glob<'t> {
    fn new(rest: &'t str, form: Form) -> Self {
        Self { rest, form, open: 0, regex: String::new(), plain: Some(String::new()) }
    }

    fn translate(mut self) -> (String, Option<String>) {
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            self.take(c);
        }
        // A group that was never closed ends with the pattern.
        self.regex.push_str(&")".repeat(self.open));
        (self.regex, self.plain)
    }

    fn take(&mut self, c: char) {
        let path = self.form == Form::Path;
        match c {
            '*' if path && self.rest.starts_with("*/") => {
                self.rest = &self.rest[2..];
                self.wild("(?:.*/)?");
            }
            '*' if path && self.rest.starts_with('*') => {
                self.rest = &self.rest[1..];
                self.wild(".*");
            }
            '*' => self.wild(if path { "[^/]*" } else { ".*" }),
            '?' => self.wild(if path { "[^/]" } else { "." }),
            '[' => self.class(),
            '{' if self.rest.contains('}') => {
                self.open += 1;
                self.wild("(?:");
            }
            '}' if self.open > 0 => {
                self.open -= 1;
                self.wild(")");
            }
            ',' if self.open > 0 => self.wild("|"),
            '\\' => {
                let next = self.rest.chars().next().unwrap_or('\\');
                self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
                literally(next, &mut self.regex, &mut self.plain);
            }
            other => literally(other, &mut self.regex, &mut self.plain),
        }
    }

    fn wild(&mut self, regex: &str) {
        self.regex.push_str(regex);
        self.plain = None;
    }

    /// `[abc]`, `[a-z]`, `[!abc]`; without its end it is a bracket like any other character.
    fn class(&mut self) {
        let body = self.rest.strip_prefix(['!', '^']).unwrap_or(self.rest);
        let negated = body.len() < self.rest.len();
        let Some(end) = body.char_indices().skip(1).find(|(_, c)| *c == ']').map(|(at, _)| at) else {
            return literally('[', &mut self.regex, &mut self.plain);
        };
        let inside: String = body[..end]
            .chars()
            .map(|c| {
                if matches!(c, '\\' | '[' | ']' | '^' | '&' | '~') { format!("\\{c}") } else { c.to_string() }
            })
            .collect();
        self.wild(&format!("[{}{inside}]", if negated { "^" } else { "" }));
        self.rest = &body[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Pattern};

    fn hits(text: &str, form: Form, yes: &[&str], no: &[&str]) {
        let pattern = Pattern::new(text, form).unwrap();
        for key in yes {
            assert!(pattern.matches(key), "{text} should match {key}");
        }
        for key in no {
            assert!(!pattern.matches(key), "{text} should not match {key}");
        }
    }

    #[test]
    fn like_is_that_of_sql() {
        hits(
            "edit_file%",
            Form::Like,
            &["edit_file", "edit-file2"],
            &["editfile", "Edit_file", "xedit_file"],
        );
        hits(
            "%codebase___retrieval%",
            Form::Like,
            &["a:codebase-_-retrieval", "codebase___retrieval"],
            &["a:codebase-retrieval"],
        );
        hits(r"100\%\_", Form::Like, &["100%_"], &["100%x", r"100\%_"]);
        hits("a.c(", Form::Like, &["a.c("], &["abc("]);
        hits("_", Form::Like, &["ö", "\n"], &["", "ab"]);
        hits("%", Form::Like, &["", "a\nb"], &[]);
    }

    #[test]
    fn a_glob_runs_over_everything_in_a_key() {
        hits("*pytest*", Form::Glob, &["a/b pytest -q\n", "pytest"], &["PyTest"]);
        hits("mypy{,-src}", Form::Glob, &["mypy", "mypy-src"], &["mypy-", "mypy-tests"]);
        hits("[!a-c]x", Form::Glob, &["dx"], &["ax"]);
        hits(r"\*", Form::Glob, &["*"], &["a"]);
        hits("{a", Form::Glob, &["{a"], &["a"]);
        hits("[", Form::Glob, &["["], &[]);
    }

    #[test]
    fn in_a_path_a_star_stays_between_slashes() {
        hits("tests/**", Form::Path, &["tests/a", "tests/a/b.rs"], &["src/tests", "tests"]);
        hits("**/*.rs", Form::Path, &["a.rs", "x/y/a.rs"], &["a.rsx"]);
        hits("src/*.rs", Form::Path, &["src/a.rs"], &["src/a/b.rs"]);
    }

    #[test]
    fn a_path_is_found_whichever_way_it_is_written() {
        let pattern = Pattern::new("tests/**", Form::Path).unwrap();
        for path in
            ["tests/a.rs", "./tests/a.rs", "src/../tests/a.rs", "/w/repo/tests/a.rs", "/else/tests/a.rs"]
        {
            assert!(pattern.matches_path(path, "/w/repo"), "{path}");
        }
        for path in ["src/a.rs", "/w/repo/src/a.rs", "tests/../src/a.rs", "mytests/a.rs"] {
            assert!(!pattern.matches_path(path, "/w/repo"), "{path}");
        }
    }
}
