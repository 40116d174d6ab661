//! The names that a task's text has: paths, identifiers, tests, and what is to be done with them.

use super::{Work, quote};
use crate::commands::programs::PROGRAMS;

/// What a task's text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Files and folders (with a slash at the end), in the order of the text.
    pub(super) paths: Vec<String>,
    /// Identifiers in code spans.
    pub(super) identifiers: Vec<String>,
    /// Code spans that are commands.
    pub(super) commands: Vec<String>,
    /// Names of single tests.
    pub(super) tests: Vec<String>,
    /// Other words of the title.
    words: Vec<String>,
    /// Those identifiers that stand before brackets.
    calls: Vec<String>,
    /// Whether the body has names in code, of which the title says nothing.
    names_below: bool,
}

/// What a task does with the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// It makes or changes them.
    Make,
    /// It removes them.
    Remove,
    /// It moves the first to the second.
    Move,
    /// It runs a command.
    Run,
}

/// How a name is looked for in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// As a whole word: the task has it as code.
    Word,
    /// In the name of something that the file defines: it is a word of the title and the file is called after it.
    Defined,
}

impl How {
    /// The options and the pattern of a search for the name in a file.
    pub(super) fn search(self, name: &str, path: &str) -> String {
        match self {
            How::Word => format!("-qw {}", quote(name)),
            How::Defined => format!("-qiE '({}) +\\w*{name}'", definitions(path)),
        }
    }

    pub(super) fn is_in(self, name: &str, text: &str) -> bool {
        match self {
            How::Word => text.contains(name),
            How::Defined => text.to_lowercase().contains(&name.to_lowercase()),
        }
    }
}

impl Named {
    /// The names of which a file must contain one when the task is done, the best first. Names in code that the file is
    /// called after come first; other names in code count where the task has one source file; a plain word counts only
    /// for a file that is called after it, in a language whose definitions are known.
    pub(super) fn names_for(&self, path: &str) -> Vec<(&str, How)> {
        if !is_source(path) {
            return Vec::new();
        }
        let is_only = self.paths.iter().filter(|other| is_source(other)).count() == 1;
        let like = |names: &'_ [String]| -> Vec<usize> {
            let mut at: Vec<usize> = (0..names.len()).filter(|at| likeness(path, &names[*at]) > 0).collect();
            at.sort_by_key(|at| std::cmp::Reverse(likeness(path, &names[*at])));
            at
        };
        let called = like(&self.identifiers);
        let others = (0..self.identifiers.len()).filter(|at| is_only && !called.contains(at));
        let others = others.filter(|at| {
            let name = &self.identifiers[*at];
            is_definition(name) || self.calls.contains(name)
        });
        let code = called.iter().copied().chain(others).map(|at| (self.identifiers[at].as_str(), How::Word));
        // Where code is named, a word of the title is a guess.
        let guesses =
            if self.identifiers.is_empty() && !self.names_below { like(&self.words) } else { Vec::new() };
        let guesses = guesses.into_iter().filter(|_| !definitions(path).is_empty() && !is_page(path));
        let words = guesses.take(1).map(|at| (self.words[at].as_str(), How::Defined));
        code.chain(words).collect()
    }
}

/// Reads the names of a task; the title counts before the body.
pub(super) fn named(work: &Work<'_>) -> Named {
    let mut named = Named::default();
    for file in work.files {
        let is_made = matches!(file.action.as_str(), "create" | "write" | "modify" | "delete");
        if is_made && let Some(path) = path_of(&file.path, true) {
            push(&mut named.paths, path);
        }
    }
    let moves = deed(work.title) == Deed::Move;
    let joined = [work.title, work.body].map(joined);
    for (at, text) in joined.iter().map(String::as_str).enumerate() {
        // A body explains; where the title names files, those are the task's own.
        if at == 1 && !named.paths.is_empty() {
            let mut below = Named::default();
            spans(text)
                .into_iter()
                .filter(|(_, is_code)| *is_code)
                .for_each(|(text, _)| read(&mut below, text, true, false, true));
            named.names_below = !below.identifiers.is_empty();
            break;
        }
        let mut before = "";
        for (text, is_code) in spans(text) {
            let refers = !moves && refers(before);
            if !(is_code && refers) {
                read(&mut named, text, is_code, at == 0, moves);
            }
            before = text;
        }
    }
    named
}

/// The text with `NAME in FOLDER/` as one path.
fn joined(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for at in 1..words.len().saturating_sub(1) {
        let bare = |word: &str| word.trim_matches(['`', '*', ',', '.']).to_owned();
        let (name, folder) = (bare(&words[at - 1]), bare(&words[at + 1]));
        let is_between = matches!(words[at].as_str(), "in" | "at" | "to" | "under" | "into" | "inside");
        let is_folder = folder.ends_with('/') && path_of(&folder, true).is_some();
        if is_between && is_folder && !name.contains('/') && path_of(&name, false).is_some() {
            words[at - 1] = format!("`{folder}{name}`");
            words[at + 1] = String::new();
        }
    }
    words.join(" ")
}

/// The words that may define something in a file of this language, as alternatives of a pattern; empty where they are not
/// known.
fn definitions(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "py" => "class|def",
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "mts" | "cts" | "vue" | "svelte" => {
            "class|function|const|interface|type|enum"
        }
        "rs" => "struct|enum|fn|trait|type|mod|const",
        "go" => "func|type|var|const",
        "java" | "kt" | "kts" | "scala" | "cs" | "swift" | "dart" | "php" => {
            "class|interface|enum|record|struct|object|protocol|trait|fun|func|function"
        }
        "rb" => "class|module|def",
        "ex" | "exs" => "defmodule|def",
        "prisma" => "model|enum",
        "proto" => "message|service|enum",
        _ => "",
    }
}

/// Whether a file is called after what a framework does with it: the page of a route names nothing after its folder.
fn is_page(path: &str) -> bool {
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    matches!(stem, "index" | "route" | "page" | "layout")
}

/// The files and folders that are the object of the title's verb, as in `Delete the old file src/a.ts`: in `Remove x from
/// src/a.ts` the file stays.
pub(super) fn objects(title: &str) -> Vec<String> {
    #[rustfmt::skip]
    const BESIDE: &[&str] = &[
        "a", "all", "an", "and", "both", "component", "dead", "deprecated", "directory", "file", "files", "folder", "from", "legacy",
        "module", "obsolete", "of", "old", "script", "temporary", "the", "unused",
    ];
    let mut found = Vec::new();
    // Ids and labels stand before the verb.
    let words = title.split_whitespace().skip_while(|word| !word.chars().all(char::is_alphabetic)).skip(1);
    for word in words {
        let bare = word.trim_matches(|c| "`*_,;:!?\"'“”‘’".contains(c)).trim_end_matches('.');
        match path_of(bare, word.starts_with('`')) {
            Some(path) => found.push(path),
            None if BESIDE.contains(&bare.to_lowercase().as_str())
                && (bare != "from" || found.is_empty()) => {}
            None => break,
        }
    }
    found
}

/// What the task does, by its first word.
pub(super) fn deed(title: &str) -> Deed {
    let first = title.split_whitespace().find(|word| word.chars().all(char::is_alphabetic));
    match first.unwrap_or_default().to_lowercase().as_str() {
        "remove" | "delete" | "drop" => Deed::Remove,
        "move" | "rename" => Deed::Move,
        "run" | "execute" | "verify" | "check" | "ensure" | "confirm" => Deed::Run,
        _ => Deed::Make,
    }
}

/// Whether a task is to run the tests of the project, without saying how.
pub(super) fn runs_all_tests(title: &str) -> bool {
    let words: Vec<String> = title
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let all = ["all", "full", "complete", "entire", "whole", "the", "unit", "test"];
    words
        .windows(2)
        .any(|pair| all.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "tests" | "suite" | "test"))
}

/// Whether the words before a path say that the task reads it: `per data-model.md`, `as described in spec.md`.
fn refers(before: &str) -> bool {
    const WORDS: &[&str] = &["per", "see", "from", "against", "following", "matching", "cf"];
    const PAIRS: &[&str] = &["according to", "based on"];
    const IN: &[&str] =
        &["defined", "described", "documented", "specified", "listed", "outlined", "stated", "shown"];
    let words: Vec<String> = before
        .split_whitespace()
        .rev()
        .take(2)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let last = words.first().map_or("", String::as_str);
    let second = words.get(1).map_or("", String::as_str);
    WORDS.contains(&last)
        || PAIRS.contains(&format!("{second} {last}").as_str())
        || (matches!(last, "in" | "by") && IN.contains(&second))
}

/// The paths in a text.
pub(super) fn paths_in(text: &str) -> Vec<String> {
    let mut named = Named::default();
    for (text, is_code) in spans(text) {
        read(&mut named, text, is_code, false, true);
    }
    named.paths
}

/// Whether a name before a bracket is that of a function or a method.
fn is_call(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
}

/// The text in pieces: code spans, and what is between them.
fn spans(text: &str) -> Vec<(&str, bool)> {
    text.lines()
        .flat_map(|line| line.split('`').enumerate().map(|(at, piece)| (piece, at % 2 == 1)))
        .collect()
}

fn read(named: &mut Named, text: &str, is_code: bool, is_title: bool, takes_all: bool) {
    // `apply(cart, discount)`: a call names what is called.
    let call =
        text.trim().split_once('(').filter(|(name, rest)| is_code && rest.ends_with(')') && is_call(name));
    if let Some((name, _)) = call {
        let known = named.identifiers.len();
        identifier(named, name);
        let new = named.identifiers.iter().skip(known).cloned().collect::<Vec<_>>();
        named.calls.extend(new);
        return;
    }
    if is_code && !text.trim().contains(char::is_whitespace) {
        let text = text.trim();
        match path_of(text, true) {
            Some(path) => push(&mut named.paths, path),
            None => identifier(named, text),
        }
        return;
    }
    // A code span of several words is a command or an example.
    if is_code {
        let program = text.split_whitespace().next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or(program);
        if is_title && (PROGRAMS.binary_search(&name).is_ok() || program.starts_with("./")) {
            push(&mut named.commands, text.trim().to_owned());
        }
        return;
    }
    let mut end = 0;
    for word in text.split_whitespace() {
        let before = text.get(..end).unwrap_or_default();
        end = word.as_ptr().addr() - text.as_ptr().addr() + word.len();
        let word = word.trim_matches(|c| "*_,;:!?\"'“”‘’".contains(c)).trim_end_matches('.');
        let word = unwrapped(word);
        if let Some(path) = path_of(word, false) {
            if takes_all || !refers(before) {
                push(&mut named.paths, path);
            }
        } else if is_title && word.len() >= SHORTEST && word.chars().all(char::is_alphanumeric) {
            push(&mut named.words, word.to_owned());
        } else if is_title && is_snake(word) {
            identifier(named, word);
        } else if is_title && word.starts_with('/') {
            // The parts of a route are words that a file may be called after.
            let parts = word.split('/').filter(|part| part.len() >= SHORTEST);
            for part in parts.filter(|part| part.chars().all(char::is_alphanumeric)) {
                push(&mut named.words, part.to_owned());
            }
        }
    }
}

/// Whether a word of the prose is a name in code: words joined by underscores.
fn is_snake(word: &str) -> bool {
    let inner = word.strip_suffix("()").unwrap_or(word).trim_matches('_');
    inner.contains('_') && inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A shorter word is too common to say anything.
const SHORTEST: usize = 3;

fn identifier(named: &mut Named, text: &str) {
    let name = text.strip_suffix("()").unwrap_or(text);
    let name = name.rsplit(['.', ':']).next().unwrap_or(name);
    let is_name = name.len() >= SHORTEST
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !is_name {
        return;
    }
    let is_test = name.starts_with("test_") || (name.starts_with("Test") && name.len() > "Test".len());
    push(if is_test { &mut named.tests } else { &mut named.identifiers }, name.to_owned());
}

/// Parentheses around a word, not those of a folder such as `app/(auth)`.
fn unwrapped(word: &str) -> &str {
    let inner = word.strip_prefix('(').unwrap_or(word);
    if inner.contains('(') { inner } else { inner.trim_end_matches([')', ',', '.', ';']) }
}

/// The path that a word is, as seen from the root; `None` where it is something else.
fn path_of(word: &str, is_code: bool) -> Option<String> {
    // Line numbers behind a path: `src/a.rs:12-40`.
    let (path, line) = word.split_once(':').unwrap_or((word, ""));
    if !line.chars().all(|c| c.is_ascii_digit() || "-:,L".contains(c)) {
        return None;
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_safe = |c: char| c.is_alphanumeric() || "_-./+@[]()$".contains(c);
    // One part may be left out: `src/main/.../Foo.kt`.
    let left_out = path.split('/').filter(|part| *part == "...").count();
    let leads_out = path.split('/').any(|part| part == "..") || left_out > 1 || path.starts_with(".../");
    if path.is_empty() || !path.chars().all(is_safe) || leads_out || path.starts_with(['/', '$', '@', '-']) {
        return None;
    }
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    if name.is_empty() {
        // Prose has `and/or/`, hardly `src/models/`.
        let is_folder = folder.contains('/') || is_code;
        return (is_folder && folder.chars().any(char::is_alphabetic)).then(|| path.to_owned());
    }
    if WHOLE_NAMES.contains(&name) {
        return Some(path.to_owned());
    }
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = (1..=10).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_lowercase());
    if !is_extension {
        return None;
    }
    let is_hidden = stem.is_empty() || stem.starts_with('.');
    let is_known = EXTENSIONS.contains(&extension);
    // `Node.js` and `Vue.js` are products; a file of one capital word in prose is rare.
    let is_product = !is_code && extension == "js" && stem.starts_with(char::is_uppercase);
    let is_file = !folder.is_empty() || is_hidden || (is_known && !is_product);
    let has_word = path.chars().any(char::is_alphabetic) && (is_known || is_hidden || !folder.is_empty());
    (is_file && has_word).then(|| path.to_owned())
}

/// How far a file is called after a name, whatever their case and separators: the length of the shorter one where it is
/// at least half of the longer one and part of it, else 0.
pub(super) fn likeness(path: &str, name: &str) -> usize {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    // The page of a route is called after its folder.
    let stem = match stem {
        "index" | "route" | "page" | "mod" | "__init__" | "main" | "layout" => {
            path.rsplit('/').nth(1).unwrap_or(stem)
        }
        stem => stem,
    };
    let (stem, name) = (plain(stem), plain(name));
    let (short, long) = if stem.len() <= name.len() { (stem, name) } else { (name, stem) };
    let is_like = short.len() >= SHORTEST && long.contains(&short) && 2 * short.len() >= long.len();
    if is_like && !GENERIC.contains(&short.as_str()) { short.len() } else { 0 }
}

/// Whether a name looks like that of a type or a function of several words: a plain word in code may be a value.
fn is_definition(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.contains('_') || inner.chars().any(char::is_uppercase) && inner.chars().any(char::is_lowercase)
}

/// Names of files that say what they hold only in general.
const GENERIC: &[&str] = &[
    "app",
    "base",
    "common",
    "config",
    "constants",
    "core",
    "helpers",
    "lib",
    "models",
    "schema",
    "service",
    "services",
    "src",
    "test",
    "tests",
    "type",
    "types",
    "util",
    "utils",
];

/// Whether a file holds code that names things.
pub(super) fn is_source(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    SOURCES.contains(&extension) && !super::runners::is_test(path)
}

fn push(list: &mut Vec<String>, name: String) {
    if !list.contains(&name) {
        list.push(name);
    }
}

/// Files without an extension.
const WHOLE_NAMES: &[&str] =
    &["Dockerfile", "Makefile", "Justfile", "justfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile"];

/// Extensions of source files.
#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "c", "cc", "clj", "cpp", "cs", "cts", "dart", "ex", "exs", "fs", "gd", "go", "h", "hpp", "hs", "java", "jl", "js", "jsx", "kt",
    "kts", "lua", "m", "mjs", "ml", "mts", "php", "pl", "prisma", "proto", "py", "r", "rb", "rs", "scala", "sh", "sol", "svelte",
    "swift", "ts", "tsx", "vue", "zig",
];

/// Extensions that make a word without a slash a file.
#[rustfmt::skip]
const EXTENSIONS: &[&str] = &[
    "astro", "bash", "bat", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "csproj", "css", "csv", "dart", "env", "ex", "exs", "gd",
    "go", "gql", "gradle", "graphql", "h", "hbs", "hcl", "hpp", "html", "ini", "ipynb", "java", "jl", "js", "json", "jsonl", "jsx", "kt",
    "kts", "less", "lock", "lua", "md", "mdx", "mjs", "mts", "php", "prisma", "properties", "proto", "ps1", "py", "pyi", "r", "rb",
    "rs", "scala", "scss", "service", "sh", "sol", "sql", "svelte", "svg", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml",
    "yaml", "yml", "zig", "zsh",
];
