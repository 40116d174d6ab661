//! The manual is whole: every code word is explained, every link leads somewhere, every page is sound.

use ledger::leases;
use pipeline_tests::workspace;
use repo::landing;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolkit::files::lock;

/// Pages of other projects that ours may name.
const FOREIGN: [&str; 10] =
    ["bash", "dot", "gh", "git", "make", "ninja", "parallel", "sbatch", "sh", "systemd-run"];

#[test]
fn every_code_word_is_explained_and_no_other() {
    let page = read("crates/xtask/pages/plantools-errors.7.md");
    let explained = explained(&page);
    let used = used();
    assert!(used.len() > 100, "only {} code words were found", used.len());
    let missing: Vec<_> = used.difference(&explained).collect();
    assert!(missing.is_empty(), "plantools-errors.7 does not explain {missing:?}");
    // Words of halts are made in many ways; that they are somewhere in the sources is enough.
    let sources: String = sources().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let unknown: Vec<_> = explained.iter().filter(|word| !sources.contains(&format!("\"{word}\""))).collect();
    assert!(unknown.is_empty(), "nothing says {unknown:?} any more");
}

#[test]
fn the_figures_of_the_page_about_scale_are_those_of_the_code() {
    let page = read("crates/xtask/pages/plantools-scale.7.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        format!("{} seconds of any one holder", lock::PATIENCE.as_secs()),
        format!("({} for the main tree)", landing::PATIENCE.as_secs()),
        format!("{} times as long", lock::QUEUE),
        format!("the default is {} seconds", leases::LEASE_SECONDS),
    ] {
        assert!(page.contains(&words), "plantools-scale.7 does not say '{words}'");
    }
}

#[test]
fn every_page_that_is_named_is_there() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for (name, section) in references(&text) {
            let target = workspace().join(format!("man/{name}.{section}"));
            let known = target.exists() || FOREIGN.contains(&name.as_str()) || name.starts_with("git-");
            assert!(known, "{} names {name}({section})", page.display());
        }
    }
}

#[test]
fn every_page_is_clean() {
    for page in pages() {
        let Ok(said) = Command::new("mandoc").args(["-T", "lint", "-W", "style"]).arg(&page).output() else {
            eprintln!("mandoc is not installed: the pages were not looked at");
            return;
        };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    }
}

#[test]
fn the_page_of_dialects_says_of_each_what_it_does_by_itself() {
    let (page, readme) = (read("crates/xtask/pages/plantools-dialects.7.md"), read("README.md"));
    for dialect in dialects::table() {
        let word = serde_json::to_value(dialect.model).unwrap();
        let row = format!("| `{}` | {}", dialect.name, word.as_str().unwrap());
        assert!(page.contains(&row), "no row begins with {row}");
        assert!(readme.contains(&format!("`{}`", dialect.name)), "README.md does not name {}", dialect.name);
    }
}

/// As lintian looks at them: a line that cannot be set is a page that reads badly.
#[test]
fn every_page_can_be_set() {
    for page in pages() {
        let words = ["-K", "utf8", "-t", "-man", "-T", "utf8", "-ww", "-z", "-rLL=78n"];
        let Ok(said) = Command::new("groff").args(words).arg(&page).output() else {
            eprintln!("groff is not installed: the pages were not looked at");
            return;
        };
        assert_eq!(String::from_utf8_lossy(&said.stderr), "", "{}", page.display());
    }
}

#[test]
fn every_tool_has_the_chapters_and_three_examples() {
    for tool in pipeline_tests::TOOLS {
        let text = read(&format!("man/{tool}.1"));
        for chapter in ["INPUT", "OUTPUT", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES"] {
            assert!(
                text.contains(&format!(".SH {chapter}\n")) || text.contains(&format!(".SH \"{chapter}\"\n")),
                "{tool}(1) has no {chapter}"
            );
        }
        let examples = &text[text.find("EXAMPLES").unwrap()..];
        assert!(examples.matches("\n$ ").count() >= 3, "{tool}(1) has fewer than three examples");
    }
}

/// The words between backquotes in the first column of the tables.
fn explained(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    cells.flat_map(|cell| cell.split(',').map(|word| word.trim().trim_matches('`').to_owned())).collect()
}

/// The code words that sources give to a failure.
fn used() -> BTreeSet<String> {
    let mut words = BTreeSet::from(["usage".to_owned()]);
    for path in sources() {
        let text = text_of(&path);
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for start in ["Fail::data(", "Fail::config(", "Fail::new(", "(Exit::"] {
            words.extend(text.split(start).skip(1).filter_map(|rest| first_word(start, rest)));
        }
    }
    words
}

/// The literal that is the code word of a call; none where a variable is.
fn first_word(start: &str, rest: &str) -> Option<String> {
    let argument = match start {
        "Fail::new(" | "(Exit::" => rest.split_once(',')?.1,
        _ => rest,
    };
    let word = argument.trim_start().strip_prefix('"')?.split('"').next()?;
    let plain = word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    (plain && !word.is_empty()).then(|| word.to_owned())
}

/// Every `name(section)` of a page that is set in bold, as pages name others.
fn references(text: &str) -> Vec<(String, char)> {
    let plain = text.replace("\\-", "-").replace("\\%", "");
    let mut found = Vec::new();
    for (at, _) in plain.match_indices("\\fR(") {
        let section = plain[at + 4..].chars().next().unwrap_or(' ');
        let name = plain[..at].rsplit("\\fB").next().unwrap_or_default();
        if "157".contains(section) && plain[at + 5..].starts_with(')') && !name.contains(' ') {
            found.push((name.to_owned(), section));
        }
    }
    found
}

fn pages() -> Vec<PathBuf> {
    let listed = entries(&workspace().join("man")).into_iter();
    let pages: Vec<_> = listed.filter(|path| path.is_file()).collect();
    assert!(pages.len() > 30, "only {} pages", pages.len());
    pages
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in entries(&workspace().join("crates")) {
        if !folder.ends_with("xtask") && folder.join("src").is_dir() {
            walk(&folder.join("src"), &mut found);
        }
    }
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    listed.flatten().map(|entry| entry.path()).collect()
}

fn read(name: &str) -> String {
    text_of(&workspace().join(name))
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
