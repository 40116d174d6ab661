//! What a suggested check must not do, as far as its text or its output shows it.

use crate::order::acts::{acting, only_reads, simple_commands};
use crate::order::test_files;
use regex::RegexSet;
use std::ffi::OsStr;
use std::sync::LazyLock;
use toolkit::cli::env::{self, Program};
use wire::plan::suggestion::Suggestion;

/// Why a check is refused before it runs: a code word and a sentence.
pub(super) fn refused(suggestion: &Suggestion) -> Option<(&'static str, String)> {
    let command = suggestion.command.as_str();
    if let Some(what) = acting(command) {
        return Some(("check-acts", format!("'{what}' acts on more than the tree")));
    }
    if let Some(what) = network(command) {
        return Some(("needs-network", format!("'{what}' needs the network")));
    }
    if let Some(what) = clock(command) {
        return Some((
            "depends-on-time",
            format!("'{what}' depends on the time or on chance, not on the work"),
        ));
    }
    if let Some(what) = own_state(suggestion) {
        let message = format!("looks at '{what}', which plantools writes, not at the work");
        return Some(("reads-own-state", message));
    }
    missing_program(command)
        .map(|name| ("program-missing", format!("'{name}' is not on PATH: install it, or use another")))
}

/// Words of the shell that are no programs on `PATH`.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "!", ".", ":", "[", "[[", "alias", "break", "case", "cd", "command", "continue", "do", "done", "echo", "elif",
    "else", "esac", "eval", "exec", "exit", "export", "false", "fi", "for", "function", "if", "in", "let", "local",
    "printf", "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt", "source", "test", "then", "time",
    "times", "trap", "true", "type", "ulimit", "umask", "unset", "until", "wait", "while", "{", "}", "(", ")",
];

/// The first program of a command that no folder of `PATH` has. A path is not looked for: the task may make it.
fn missing_program(command: &str) -> Option<String> {
    let is_name = |word: &str| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c)) && !word.starts_with(['-', '.'])
    };
    let is_there = |word: &str| env::program(OsStr::new(word)) == Program::There;
    let programs = simple_commands(command).into_iter().filter_map(|words| {
        words.into_iter().find(|word| !is_assignment(word) && word != "!" && word != "env" && word != "exec")
    });
    programs.filter(|word| is_name(word)).find(|word| !BUILTINS.contains(&word.as_str()) && !is_there(word))
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Programs that reach another machine whatever they are asked, and those that do with this word behind them.
const REMOTE: &[&str] =
    &["curl", "dig", "ftp", "gh", "host", "httpie", "nc", "ncat", "nslookup", "ping", "telnet", "wget"];
const REMOTE_WITH: &[(&str, &[&str])] = &[
    ("git", &["fetch", "pull", "clone", "ls-remote"]),
    ("npm", &["view", "info", "audit", "outdated", "search"]),
    ("pip", &["download", "search"]),
    ("cargo", &["search", "fetch", "update"]),
    ("docker", &["pull", "search"]),
    ("go", &["get"]),
];

/// The part of a command that needs the network. A service on this machine does not run during a trial either, but a check
/// may start it.
fn network(command: &str) -> Option<String> {
    let is_local =
        |text: &str| ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"].iter().any(|host| text.contains(host));
    let commands = simple_commands(command);
    // A search for an address in a file reads; a program that is given one asks for it.
    let addresses = || commands.iter().flatten().find(|word| word.contains("://") && !is_local(word));
    if !only_reads(command)
        && let Some(word) = addresses()
    {
        return Some(word.clone());
    }
    commands.iter().find_map(|words| {
        let mut rest = words.iter().skip_while(|word| is_assignment(word) || *word == "!");
        let name = rest.next()?.rsplit('/').next()?.to_owned();
        let rest: Vec<&String> = rest.collect();
        let is_remote = REMOTE.contains(&name.as_str()) && !rest.iter().any(|word| is_local(word));
        let operand = rest.iter().find(|word| !word.starts_with('-'));
        let asks = |(program, verbs): &(&str, &[&str])| {
            *program == name && operand.is_some_and(|word| verbs.contains(&word.as_str()))
        };
        (is_remote || REMOTE_WITH.iter().any(asks)).then(|| words.join(" "))
    })
}

/// Messages of programs that could not reach another machine; a trial sends them to a port where nothing listens.
static UNREACHED: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"(?i)could ?n[o']t resolve host",
        r"(?i)(temporary failure in|failure in) name resolution",
        r"(?i)name or service not known",
        r"\b(ENOTFOUND|EAI_AGAIN|ENETUNREACH|ENOTCACHED)\b",
        r"(?i)network is unreachable",
        r"(?i)\bdial tcp\b.*\blookup\b",
        r"127\.0\.0\.1:9\b",
        r"(?i)127\.0\.0\.1 port 9\b",
        r"(?i)cannot connect to proxy",
        r"(?i)connection refused|\bECONNREFUSED\b",
        r"(?i)you may be offline|offline mode|--offline was specified|network (access )?(is )?disabled",
    ])
    .ok()
});

/// The line that says that the network is needed.
pub(super) fn network_in(output: &str) -> Option<String> {
    let unreached = UNREACHED.as_ref()?;
    output.lines().find(|line| unreached.is_match(line)).map(|line| line.trim().chars().take(120).collect())
}

/// The variables that keep the usual programs from the network: they fail at once, and say so.
pub(super) fn offline() -> Vec<(String, String)> {
    let nowhere = "http://127.0.0.1:9";
    [
        ("http_proxy", nowhere),
        ("https_proxy", nowhere),
        ("all_proxy", nowhere),
        ("HTTP_PROXY", nowhere),
        ("HTTPS_PROXY", nowhere),
        ("ALL_PROXY", nowhere),
        ("no_proxy", "localhost,127.0.0.1,::1"),
        ("NO_PROXY", "localhost,127.0.0.1,::1"),
        ("npm_config_offline", "true"),
        ("CARGO_NET_OFFLINE", "true"),
        ("PIP_NO_INDEX", "1"),
        ("UV_OFFLINE", "1"),
        ("GOPROXY", "off"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("CI", "true"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

/// What makes the result of a command depend on the clock or on chance.
static CLOCK: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"\$\{?(RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME)\b",
        r"\b(time\.time|time\.monotonic|datetime\.(now|today|utcnow)|date\.today)\s*\(",
        r"\b(Date\.now|Time\.now|new Date)\b",
        r"\brandom\.(random|randint|choice)\s*\(|\bMath\.random\s*\(",
        r"/dev/u?random\b",
    ])
    .ok()
});

fn clock(command: &str) -> Option<String> {
    const PROGRAMS: &[&str] = &["date", "uptime", "shuf", "cal"];
    const AGES: &[&str] = &[
        "-newer", "-newermt", "-mmin", "-mtime", "-cmin", "-ctime", "-amin", "-atime", "-newerct", "-nt",
        "-ot",
    ];
    let commands = simple_commands(command);
    let by_word = commands.iter().find_map(|words| {
        let program = words.iter().find(|word| !is_assignment(word) && *word != "!")?;
        let is_clock = PROGRAMS.contains(&program.rsplit('/').next().unwrap_or(program));
        let by_age = |word: &&String| AGES.contains(&word.as_str());
        if is_clock { Some(program.clone()) } else { words.iter().find(by_age).cloned() }
    });
    let by_pattern =
        || CLOCK.as_ref().is_some_and(|clock| clock.is_match(command)).then(|| command.to_owned());
    by_word.or_else(by_pattern)
}

/// The file of the plan or of plantools that a command looks at.
fn own_state(suggestion: &Suggestion) -> Option<String> {
    let plan = suggestion.plan.path.trim_start_matches("./");
    let is_own = |word: &str| {
        let word = word.trim_start_matches("./");
        let is_plan = !plan.is_empty() && plan != "." && word.contains(plan);
        is_plan || word.split(['/', '\'', '"', ' ']).any(|part| part == ".plantools")
    };
    simple_commands(&suggestion.command).into_iter().flatten().find(|word| is_own(word))
}

/// Parts of paths that say nothing about what is in them.
const COMMON: &[&str] = &["src", "lib", "app", "test", "tests", "index", "main", "init", "mod"];

/// Whether something that a message names as missing is what the task makes: a file that it names, or the module of one.
pub(super) fn is_to_be_made(suggestion: &Suggestion, message: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
        parts.filter(|part| part.len() > 2).map(str::to_lowercase).collect()
    };
    let made: Vec<String> = suggestion.paths.iter().flat_map(|path| words(path)).collect();
    let said = words(message);
    made.iter().any(|part| !COMMON.contains(&part.as_str()) && said.contains(part))
}

/// Whether a check runs tests that the task makes: before the work, they are run on the code that was there.
pub(super) fn waits_for_tests(suggestion: &Suggestion) -> bool {
    test_files::runs_tests(&suggestion.command, &suggestion.paths)
}

/// The operands of a command that could be files or folders of the repository.
pub(super) fn operands(command: &str) -> Vec<String> {
    let is_path = |word: &String| {
        let plain = word.chars().all(|c| c.is_alphanumeric() || "._-/+@()[]".contains(c));
        let named = word.contains('/')
            || word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty());
        plain && named && !word.starts_with(['-', '/', '.'])
    };
    let looks = |words: &Vec<String>| {
        words.iter().find(|word| *word != "!").is_some_and(|program| {
            matches!(
                program.as_str(),
                "test" | "[" | "[[" | "ls" | "stat" | "cat" | "find" | "grep" | "head" | "wc"
            )
        })
    };
    let commands = simple_commands(command).into_iter().filter(looks);
    commands.flat_map(|words| words.into_iter().skip(1)).filter(is_path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(command: &str) -> Option<&'static str> {
        let mut suggestion = Suggestion { command: command.to_owned(), ..Suggestion::default() };
        suggestion.plan.path = "specs/tasks.md".to_owned();
        refused(&suggestion).map(|(code, _)| code)
    }

    #[test]
    fn what_needs_no_run_is_refused_by_name() {
        for (command, expected) in [
            ("npm publish", Some("check-acts")),
            ("curl -sf https://example.com", Some("needs-network")),
            ("git ls-remote origin", Some("needs-network")),
            (
                "python3 -c \"import urllib.request as u; u.urlopen('http://example.com')\"",
                Some("needs-network"),
            ),
            ("grep -q https://example.com README.md", None),
            ("curl -sf http://localhost:8080/health", None),
            ("test \"$(date +%s)\" -gt 1900000000", Some("depends-on-time")),
            ("test $RANDOM -gt 100", Some("depends-on-time")),
            ("find . -mmin -5 | grep -q .", Some("depends-on-time")),
            ("python3 -c 'import time; exit(time.time() < 9e9)'", Some("depends-on-time")),
            ("grep -q '\\[x\\] T001' specs/tasks.md", Some("reads-own-state")),
            ("test -s .plantools/ledger.jsonl", Some("reads-own-state")),
            ("no-such-program-here --version", Some("program-missing")),
            ("test -f a && no-such-program-here", Some("program-missing")),
            ("./bin/made-by-the-task --version", None),
            ("FLAG=1 grep -q updated src/date.py", None),
            ("! grep -q TODO src/a.py", None),
            ("for f in a b; do test -f \"$f\"; done", None),
        ] {
            if command.starts_with("curl")
                && env::program(OsStr::new("curl")) != Program::There
                && expected.is_none()
            {
                continue;
            }
            assert_eq!(code(command), expected, "{command}");
        }
    }

    #[test]
    fn a_missing_module_that_the_task_makes_is_no_missing_program() {
        let paths = vec!["src/shop/cart.py".to_owned()];
        let suggestion = Suggestion { paths, ..Suggestion::default() };
        assert!(is_to_be_made(&suggestion, "ModuleNotFoundError: No module named 'shop.cart'"));
        assert!(!is_to_be_made(&suggestion, "No module named pytest"));
        assert!(!is_to_be_made(&suggestion, "src: not found"));
    }

    #[test]
    fn files_that_a_check_looks_at_are_its_operands() {
        assert_eq!(operands("test -f src/a.py && grep -qw User src/b.py"), ["src/a.py", "src/b.py"]);
        assert_eq!(operands("pytest -q tests/test_a.py"), Vec::<String>::new());
    }
}
