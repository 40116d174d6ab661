//! Patterns of keys and paths: globs, or SQL's LIKE as the source system's cards have it.

use config::globs::{Glob, Over};
use regex::Regex;
use std::fmt::Write as _;
use toolkit::Fail;

/// A pattern, with its source text.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// As written.
    pub(crate) shown: String,
    pub(crate) form: Form,
    matcher: Matcher,
}

/// The syntax of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `%`, `_`, and `\` before either.
    Like,
    /// `*`, `?`, `[…]`, `{a,b}`, and `\` before any.
    Glob,
    /// The same for paths.
    Path,
}

#[derive(Debug, Clone)]
enum Matcher {
    Glob(Glob),
    Like {
        /// The only text that matches, if the pattern has no wildcards.
        literal: Option<String>,
        regex: Regex,
    },
}

impl Pattern {
    /// Parses a pattern.
    pub(crate) fn new(text: &str, form: Form) -> Result<Self, Fail> {
        let matcher = match form {
            Form::Glob => Matcher::Glob(Glob::new(text, Over::Key)?),
            Form::Path => Matcher::Glob(Glob::new(text, Over::Path)?),
            Form::Like => {
                let (source, literal) = like(text);
                let regex = Regex::new(&format!("(?s)^(?:{source})$"))
                    .map_err(|e| Fail::config("bad-pattern", format!("'{text}' is not a pattern: {e}")))?;
                Matcher::Like { literal, regex }
            }
        };
        Ok(Self { shown: text.to_owned(), form, matcher })
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.matcher {
            Matcher::Glob(glob) => glob.is_match(text),
            Matcher::Like { literal: Some(literal), .. } => literal == text,
            Matcher::Like { literal: None, regex } => regex.is_match(text),
        }
    }

    /// The only text that matches, if there is only one.
    pub(crate) fn literal(&self) -> Option<&str> {
        match &self.matcher {
            Matcher::Glob(glob) => glob.literal(),
            Matcher::Like { literal, .. } => literal.as_deref(),
        }
    }

    /// Whether a path matches in either form: relative to the root, or as an absolute path with this ending.
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

/// A path without `.` and `..`, resolved by names alone.
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

/// A regular expression for LIKE, and the text itself if it has no wildcards.
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
