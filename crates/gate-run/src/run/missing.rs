//! Words in the output that mean that a program, a module, a variable or a secret is missing.
//!
//! A marker alone decides nothing. If tests ran, the product's own import error is an ordinary failure; if the
//! product itself was running, the cause is unknown, and the answer is `ambiguous`.

use checks::reports;
use regex::{Regex, RegexSet};
use std::cell::OnceCell;
use std::sync::LazyLock;
use toolkit::Fail;

/// What a failed command's output says about its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Nothing.
    No,
    /// A program, module or variable that the command needs.
    Tool(String),
    /// A secret: no retry helps.
    Secret(String),
    /// The environment or the work may be the cause.
    Unclear(String),
}

/// The patterns. They are compiled only after a command has failed, so that passing commands do not pay for them.
pub(crate) struct Markers {
    extra: Vec<String>,
    sets: OnceCell<Option<[RegexSet; 2]>>,
}

/// Messages of a shell, an interpreter or a launcher before the work began.
const TOOLS: [&str; 9] = [
    r"(?i)\bcommand not found\b",
    r"^(\S*sh|\S*dash): (\d+: |line \d+: )?\S+: not found$",
    r"\bNo module named \S+",
    r"\bModuleNotFoundError:",
    r"\bCannot find module '",
    r"\bno such command: `",
    r"^env: .*: No such file or directory",
    r"(?i)\benvironment variable \S+ (is )?(not set|missing|required)",
    r"\bexecutable file not found in \$PATH",
];

/// Messages of an interpreter whose script does not exist.
static SCRIPTS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let patterns = [
        r"(?i)^\S*sh: (\d+: )?(cannot|can't) open '?\S+",
        r"^\S*bash: \S+: No such file or directory$",
        r"can't open file '.*': \[Errno 2\]",
        r"^Error: Cannot find module '/",
        r"No such file or directory -- \S+ \(LoadError\)",
        r"^Can't open perl script ",
    ];
    RegexSet::new(patterns).ok()
});

/// The line that says that the script itself does not exist.
pub(crate) fn script(output: &str) -> Option<String> {
    let scripts = SCRIPTS.as_ref()?;
    output.lines().find(|line| scripts.is_match(line)).map(quoted)
}

/// What programs print when a target is not defined.
const TARGETS: [&str; 5] = [
    r"^\S*make(\[\d+\])?: \*\*\* No (rule to make target|targets)",
    r"^npm (ERR!|error) Missing script:",
    r"(?i)^error: justfile does not contain recipe",
    r"^Don't know how to build task '",
    r#"^error Command ".*" not found\.$"#,
];

static NO_TARGET: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(TARGETS).ok());

/// Whether the output says that the target of the command does not exist.
pub(crate) fn lacks_target(output: &str) -> bool {
    NO_TARGET.as_ref().is_some_and(|targets| output.lines().any(|line| targets.is_match(line)))
}

/// Messages about a missing program or folder.
static UNSEEN: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let patterns = [
        TOOLS[1],
        r"^\S*sh: (line \d+: )?\S+: command not found$",
        r"^\S*python[\d.]*(\.exe)?: No module named \S+",
        TARGETS[0],
        TARGETS[1],
        TARGETS[2],
        TARGETS[3],
        TARGETS[4],
        r"^\S*sh: .*\bcd: .*(No such file or directory|can't cd to )",
    ];
    RegexSet::new(patterns).ok()
});

/// Messages of a search in a missing place.
static SEARCHED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let search = r"^\S*\b(?:[ef]?grep|rg|find|ag): ['‘]?([^'’:]+)['’]?: (?:.*: )?No such file or directory";
    Regex::new(search).ok()
});

/// The line that says that the thing to run or search is missing. A missing file may be the desired result, so for
/// searches only folders count.
pub(crate) fn unseen(output: &str) -> Option<String> {
    let (unseen, searched) = (UNSEEN.as_ref()?, SEARCHED.as_ref()?);
    let in_folder = |line: &str| {
        let place = searched.captures(line).and_then(|found| found.get(1));
        let name = place.and_then(|place| place.as_str().trim_end_matches('/').rsplit('/').next());
        name.is_some_and(|name| !name.trim_start_matches('.').contains('.'))
    };
    let line = output.lines().find(|line| unseen.is_match(line) || in_folder(line)).map(quoted);
    line.or_else(|| script(output))
}

/// Messages of a service or a client without credentials.
const SECRETS: [&str; 6] = [
    r"(?i)\b(api[ _-]?key|access token|credentials?)\b.{0,40}\b(missing|not set|not found|required|not provided)",
    r"(?i)\b(missing|no|set the|set your)\b.{0,20}\b(api[ _-]?key|access token|credentials)",
    r"\b[A-Z0-9_]*(API_KEY|_TOKEN|_SECRET|_PASSWORD)\b.{0,30}\b(not set|missing|required|undefined|unset)",
    r"\b401 Unauthorized\b",
    r"(?i)could not read (username|password) for",
    r"\bPermission denied \(publickey",
];

/// How much of a line to quote.
const QUOTED: usize = 120;

impl Markers {
    /// The built-in patterns, and those of the configuration.
    pub(crate) fn new(extra: &[String]) -> Result<Self, Fail> {
        if let Some((pattern, error)) = extra.iter().find_map(|p| Regex::new(p).err().map(|e| (p, e))) {
            let message = format!("'{pattern}' in env_markers is no pattern: {error}");
            return Err(Fail::config("bad-marker", message));
        }
        Ok(Self { extra: extra.to_vec(), sets: OnceCell::new() })
    }

    /// What the output of a failed command says.
    pub(crate) fn in_output(&self, output: &str) -> Missing {
        let Some([tools, secrets]) = self.sets.get_or_init(|| self.compiled()) else { return Missing::No };
        let said = |set: &RegexSet| output.lines().rev().find(|line| set.is_match(line)).map(quoted);
        let secret = said(secrets);
        let Some(line) = secret.clone().or_else(|| said(tools)) else { return Missing::No };
        match reports::find(output) {
            Some((_, counts)) if counts.ran() => Missing::No,
            Some((_, counts)) if counts.errors > 0 => Missing::Unclear(line),
            _ if secret.is_some() => Missing::Secret(line),
            _ if output.contains("Traceback (most recent call last)") => Missing::Unclear(line),
            _ => Missing::Tool(line),
        }
    }

    /// Every pattern was compiled separately before, so this can fail only by its size.
    fn compiled(&self) -> Option<[RegexSet; 2]> {
        let tools = TOOLS.into_iter().chain(self.extra.iter().map(String::as_str));
        Some([RegexSet::new(tools).ok()?, RegexSet::new(SECRETS).ok()?])
    }
}

fn quoted(line: &str) -> String {
    line.trim().chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::{Markers, Missing, unseen};

    fn said(output: &str) -> Missing {
        Markers::new(&[]).unwrap().in_output(output)
    }

    #[test]
    fn a_missing_program_is_told_in_the_words_of_each_shell() {
        for line in [
            "sh: 1: ruff: not found",
            "bash: line 1: ruff: command not found",
            "/usr/bin/python3: No module named mypy",
        ] {
            assert_eq!(said(line), Missing::Tool(line.to_owned()));
        }
    }

    #[test]
    fn a_products_own_import_error_is_a_failure_when_tests_ran() {
        assert_eq!(
            said("E   ModuleNotFoundError: No module named 'shop'\n1 failed, 3 passed in 0.10s"),
            Missing::No
        );
    }

    #[test]
    fn an_import_error_at_collection_or_in_a_running_program_cannot_be_told() {
        let at_collection = said("E   ModuleNotFoundError: No module named 'shop'\n1 error in 0.10s");
        assert!(matches!(at_collection, Missing::Unclear(_)));
        let running = said(
            "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'x'",
        );
        assert!(matches!(running, Missing::Unclear(_)));
    }

    #[test]
    fn a_missing_secret_is_its_own_kind() {
        assert!(matches!(said("error: OPENAI_API_KEY is not set"), Missing::Secret(_)));
    }

    #[test]
    fn what_could_not_be_run_or_looked_at_was_not_seen() {
        for line in [
            "sh: 0: cannot open src/validate.sh: No such file",
            "python3: can't open file '/w/src/validate.py': [Errno 2] No such file or directory",
            "/usr/bin/python3: No module named mytool",
            "grep: src: No such file or directory",
            "rg: src: No such file or directory (os error 2)",
            "rg: src: IO error for operation on src: No such file or directory (os error 2)",
            "find: \u{2018}nodir\u{2019}: No such file or directory",
            "find: 'a/nodir/': No such file or directory",
            "make: *** No rule to make target 'nosuchtarget'.  Stop.",
            "npm error Missing script: \"lint\"",
            "error: Justfile does not contain recipe `lint`",
            "Don't know how to build task 'lint' (See the list of available tasks with `rake --tasks`)",
            "error Command \"lint\" not found.",
            "sh: 1: cd: can't cd to nodir",
            "bash: line 1: cd: nodir: No such file or directory",
            "sh: 1: nosuch: not found",
        ] {
            assert_eq!(unseen(line).as_deref(), Some(line));
        }
        for line in [
            "ls: cannot access 'old': No such file or directory",
            "grep: old.txt: No such file or directory",
            "find: 'src/old.txt': No such file or directory",
            "make: *** [Makefile:2: test] Error 1",
            "cat: nodir: No such file or directory",
        ] {
            assert_eq!(unseen(line), None, "{line}");
        }
    }

    #[test]
    fn ordinary_failures_say_nothing_about_the_surroundings() {
        assert_eq!(said("page not found\nexpected 3 tokens, got 2"), Missing::No);
    }
}
