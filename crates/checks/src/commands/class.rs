//! What sort of command it is: some phrases hold only for some commands, and the success of some says nothing.

use super::shell::{Joint, Pipeline, Script, Streams};
use super::vacuous;
use std::cell::RefCell;
use std::collections::HashMap;

/// A set of classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Classes(u32);

impl Classes {
    /// Every command.
    pub const ANY: Self = Self(0);
    /// It runs tests: `pytest`, `cargo test`, `make test`.
    pub const RUNNER: Self = Self(1);
    /// It looks for faults and exits with a status that says whether there are any.
    pub const LINTER: Self = Self(1 << 1);
    /// It builds.
    pub const BUILDER: Self = Self(1 << 2);
    /// It prints nothing; its exit status is the answer.
    pub const QUIET: Self = Self(1 << 3);
    /// It may print something.
    pub const LOUD: Self = Self(1 << 4);
    /// It prints the lines that it finds, and exits with 1 if there are none.
    pub const SEARCH: Self = Self(1 << 5);
    /// It prints a number.
    pub const COUNT: Self = Self(1 << 6);
    /// It tests whether a path exists.
    pub const EXISTS: Self = Self(1 << 7);
    /// It tests whether a file is executable.
    pub const EXECUTABLE: Self = Self(1 << 8);
    /// It shows a file or a folder, and fails where there is none.
    pub const FILE: Self = Self(1 << 9);
    /// It compares, and exits with 1 where there is a difference.
    pub const DIFF: Self = Self(1 << 10);
    /// It prints one line for each change, or for each thing that it finds, and exits with 0 in any case.
    pub const LIST: Self = Self(1 << 11);
    /// `git status` in its long form.
    pub const STATUS: Self = Self(1 << 12);
    /// It runs a target of a project: `make x`, `just x`, `npm run x`.
    pub const TASK: Self = Self(1 << 13);
    /// It searches without printing.
    pub const QUIET_SEARCH: Self = Self(1 << 14);

    /// It runs a script whose name says that it checks something.
    pub const CHECKER: Self = Self(1 << 15);

    /// The classes by their names in the table of synonyms.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("any", Self::ANY),
        ("runner", Self::RUNNER),
        ("linter", Self::LINTER),
        ("builder", Self::BUILDER),
        ("quiet", Self::QUIET),
        ("loud", Self::LOUD),
        ("search", Self::SEARCH),
        ("count", Self::COUNT),
        ("exists", Self::EXISTS),
        ("executable", Self::EXECUTABLE),
        ("file", Self::FILE),
        ("diff", Self::DIFF),
        ("list", Self::LIST),
        ("status", Self::STATUS),
        ("task", Self::TASK),
        ("quiet-search", Self::QUIET_SEARCH),
    ];

    /// Whether the two have a class in common; `ANY` has one with each.
    pub fn meets(self, other: Self) -> bool {
        self.0 == 0 || other.0 == 0 || self.0 & other.0 != 0
    }

    /// Whether `class` is in the set.
    pub fn has(self, class: Self) -> bool {
        self.0 & class.0 == class.0 && class.0 != 0
    }

    /// The set without the classes that say what a command looks for.
    fn without_searches(self) -> Self {
        let kept =
            [Self::RUNNER, Self::LINTER, Self::BUILDER, Self::TASK, Self::CHECKER, Self::QUIET, Self::LOUD];
        Self(self.0 & kept.iter().fold(0, |all, class| all | class.0))
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What is known of a command before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nature {
    /// Its classes.
    pub classes: Classes,
    /// Why its success says nothing without a clause.
    pub vacuous: Option<&'static str>,
    /// Why its exit status says nothing at all: a clause about the output is needed.
    pub masked: Option<&'static str>,
    /// Whether `!` negates its last pipeline. Phrases about what a search finds or whether a path exists then hold for
    /// what is negated, so that such a command has no class but whether it prints.
    pub negated: bool,
    /// Whether it is a search without output that `!` negates.
    pub negates_search: bool,
    /// Whether its success says that something is not so: `!`, `test ! -f`, `test -z`, `grep -v`.
    pub denies: bool,
    /// Where its output goes.
    pub streams: Streams,
    /// What else its stages do.
    pub manner: Manner,
}

/// What the stages of a command do, whatever is asked of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Manner {
    /// Whether it searches or counts lines, be it those that do not match, and exits with 1 where there are none.
    pub searches: bool,
    /// Whether it prints `null` where it finds nothing.
    pub prints_null: bool,
    /// Whether a stage before the last one runs tests.
    pub runs_tests: bool,
    /// Whether it ends with `&& echo …`, so that it prints where it succeeds.
    pub says_so: bool,
}

thread_local! {
    /// The commands that were looked at last: a plan asks for the same ones again and again.
    static KNOWN: RefCell<HashMap<String, Nature>> = RefCell::default();
}

/// How many commands are remembered.
const MOST: usize = 256;

/// What sort of command it is.
pub fn nature(command: &str) -> Nature {
    if let Some(nature) = KNOWN.with_borrow(|known| known.get(command).cloned()) {
        return nature;
    }
    let nature = look(command);
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(command.to_owned(), nature.clone());
    });
    nature
}

fn look(command: &str) -> Nature {
    let script = Script::parse(command);
    let Some(last) = script.last() else { return Nature::default() };
    let mut nature =
        Nature { negated: last.negated, masked: masked(&script), streams: last.streams, ..Nature::default() };
    // What follows a filter that only cuts or copies is still the output of the stage before it.
    let through = last.stages.iter().rposition(|stage| !passes_through(stage)).unwrap_or(0);
    let Some(stage) = last.stages.get(through) else { return nature };
    let words = unwrapped(stage);
    let mut classes = of_stage(&words);
    let is_search =
        matches!(words.first().copied(), Some("grep" | "egrep" | "fgrep" | "rg" | "ag" | "zgrep"));
    let earlier = last.stages.split_last().map(|(_, earlier)| earlier).unwrap_or_default();
    nature.manner.runs_tests = earlier.iter().any(|stage| of_stage(&unwrapped(stage)).has(Classes::RUNNER));
    let is_cut = |stage: &Vec<String>| matches!(stage.first().map(String::as_str), Some("head" | "tail"));
    nature.streams.cuts = last.stages.iter().skip(1).any(is_cut);
    // What ends in `true` shows nothing.
    let ends = last.stages.last().and_then(|stage| stage.first()).map(String::as_str);
    nature.streams.hides_stdout |= !earlier.is_empty() && matches!(ends, Some("true" | ":"));
    nature.manner.says_so = last.before == Joint::And
        && last.stages.len() == 1
        && matches!(words.first().copied(), Some("echo" | "printf"))
        && words.len() > 1
        && !last.streams.hides_stdout;
    nature.manner.prints_null = matches!(words.first().copied(), Some("jq" | "yq"));
    nature.manner.searches = is_search && (classes.has(Classes::SEARCH) || classes.has(Classes::COUNT));
    let cut = through + 1 < last.stages.len();
    if cut && classes.has(Classes::COUNT) {
        classes = Classes::LOUD;
    }
    let quiet_before = script
        .pipelines
        .iter()
        .rev()
        .skip(1)
        .all(|pipeline| pipeline.stages.last().is_some_and(|stage| is_silent(&unwrapped(stage))));
    nature.classes = if classes.has(Classes::QUIET) && !quiet_before {
        // Other commands of the list may print.
        Classes(classes.0 & !Classes::QUIET.0).and(Classes::LOUD)
    } else {
        classes
    };
    let inverted = denies(&words);
    nature.denies = nature.negated || inverted;
    nature.negates_search = nature.negated && !inverted && nature.classes.has(Classes::QUIET_SEARCH);
    // Phrases about what is found or whether a path exists need one command that asks just that.
    let prepares = |pipeline: &Pipeline| {
        pipeline
            .stages
            .first()
            .and_then(|stage| stage.first())
            .is_some_and(|word| PREPARES.contains(&word.as_str()))
    };
    let others = script.pipelines.split_last().map(|(_, others)| others).unwrap_or_default();
    if nature.denies || !others.iter().all(prepares) {
        nature.classes = nature.classes.without_searches();
    }
    nature.vacuous = vacuous(&script, last);
    nature
}

/// Why the exit status of a list says nothing.
fn masked(script: &Script) -> Option<&'static str> {
    let last = script.last()?;
    let words = unwrapped(last.stages.last()?);
    let first = words.first().copied().unwrap_or_default();
    let says_so = match first {
        "exit" | "return" => words.get(1).is_none_or(|code| *code != "0"),
        "false" => true,
        // `cli bad; test $? = 2` speaks of what stands before it.
        "test" | "[" | "[[" => words.iter().any(|word| word.contains("$?")),
        _ => false,
    };
    if let Some(inner) = inner_script(&words) {
        let inner_script = Script::parse(&inner);
        if inner_script.is_piped() || inner_script.complex {
            return Some("the stages of the pipe within its quotes cannot be told apart");
        }
        return masked(&inner_script);
    }
    if script.background {
        return Some("a part of it runs in the background");
    }
    if let Some(why) = dropped(script, &words) {
        return Some(why);
    }
    let prints = matches!(first, "true" | ":" | "echo" | "printf" | "exit" | "return" | "cat")
        || vacuous::is_constant(&words);
    let or = script.pipelines.iter().any(|pipeline| pipeline.before == Joint::Or);
    if or && prints && !says_so {
        return Some("it succeeds in any case");
    }
    if or && !says_so && !script.pipelines.windows(2).all(is_choice) {
        return Some("what stands behind `||` hides a failure");
    }
    // The branches of a script are its own affair.
    let hidden = !script.complex
        && script.pipelines.windows(2).any(|pair| match pair {
            [before, after] => {
                let first = before.stages.first().and_then(|stage| stage.first()).map(String::as_str);
                after.before == Joint::Then && !first.is_some_and(|word| PREPARES.contains(&word))
            }
            _ => false,
        });
    if hidden && !says_so {
        return Some("`;` drops the exit status of what stands before it: use `&&`");
    }
    None
}

/// Whether two members of a list are joined so that no failure is lost: behind `||` stands another way to look for the
/// same, as in `test -f a || test -f b`.
fn is_choice(pair: &[Pipeline]) -> bool {
    let looks = |pipeline: &Pipeline| {
        let looks = [Classes::QUIET, Classes::SEARCH, Classes::FILE, Classes::DIFF];
        pipeline.stages.last().is_some_and(|stage| {
            let words = unwrapped(stage);
            let classes = of_stage(&words);
            looks.iter().any(|class| classes.has(*class)) && vacuous::says_nothing(&words).is_none()
        })
    };
    match pair {
        [before, after] => {
            let words: Vec<&str> = after.stages.first().into_iter().flatten().map(String::as_str).collect();
            let gives_up = match words.as_slice() {
                ["exit" | "return", code, ..] => *code != "0",
                ["false", ..] => true,
                _ => false,
            };
            after.before != Joint::Or || gives_up || looks(before) && looks(after)
        }
        _ => true,
    }
}

/// The script that a shell is given: `sh -c "…"`, `eval "…"`.
fn inner_script(words: &[&str]) -> Option<String> {
    match words {
        ["sh" | "bash" | "zsh" | "dash", flags, inner, ..]
            if flags.starts_with('-') && flags.ends_with('c') =>
        {
            Some((*inner).to_owned())
        }
        ["eval", rest @ ..] => Some(rest.join(" ")),
        _ => None,
    }
}

/// Why the exit status of what matters is lost within the command.
fn dropped(script: &Script, words: &[&str]) -> Option<&'static str> {
    let all = || script.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    let has = |word: &str| all().any(|stage| stage.iter().any(|own| own == word));
    if all()
        .any(|stage| matches!(stage.iter().map(String::as_str).collect::<Vec<_>>()[..], ["set", "+e", ..]))
    {
        return Some("`set +e` drops the exit status of its lines");
    }
    if words.first() == Some(&"script") && !has_short(words.get(1..).unwrap_or_default(), 'e') {
        return Some("script has its own exit status without -e");
    }
    if all().any(|stage| stage.first().is_some_and(|word| word == "trap")) {
        return Some("a trap may change the exit status");
    }
    // A quiet search hides whether any test ran.
    let quiet = of_stage(words).has(Classes::QUIET_SEARCH);
    let earlier = script.last().and_then(|last| last.stages.split_last()).map(|(_, earlier)| earlier);
    if quiet
        && earlier.unwrap_or_default().iter().any(|stage| of_stage(&unwrapped(stage)).has(Classes::RUNNER))
    {
        return Some("the report of the test runner is not seen");
    }
    if script.pipelines.iter().any(|pipeline| pipeline.streams.substitutes)
        && !matches!(words.first().copied(), Some("diff" | "cmp" | "comm"))
    {
        return Some("the exit status of what stands in `<(…)` is lost");
    }
    if words.first() == Some(&"find")
        && words.last() != Some(&"+")
        && words.iter().any(|word| word.starts_with("-exec"))
    {
        return Some("find drops the exit status of what it runs");
    }
    // In one line, a loop has the status of its last turn and a branch that of its last command; of several lines each
    // must succeed, except for the conditions.
    let one_line = !script.pipelines.iter().any(|pipeline| pipeline.before == Joint::Line);
    let stops = ["exit", "return", "false", "errexit"].iter().any(|word| has(word));
    let telling = all().filter(|stage| tells(stage)).count();
    let branches = ["fi", "esac"].iter().any(|word| has(word)) && (telling == 0 || one_line && telling > 1);
    let loops = has("done") && one_line;
    (script.complex && (branches || loops) && !stops)
        .then_some("a loop or a branch drops the exit status of its commands")
}

/// Whether a command in a branch may fail by itself: it is no condition and does more than print.
fn tells(stage: &[String]) -> bool {
    let mut words =
        stage.iter().map(String::as_str).skip_while(|word| matches!(*word, "then" | "else" | "do"));
    !matches!(
        words.next(),
        None | Some(
            "if" | "elif"
                | "while"
                | "until"
                | "for"
                | "case"
                | "fi"
                | "done"
                | "esac"
                | "echo"
                | "printf"
                | "true"
                | ":"
        )
    )
}

const PREPARES: &[&str] =
    &["cd", "export", "set", "source", ".", "unset", "shopt", "echo", "printf", "sleep", "pushd", "trap"];

/// Why success says nothing: of a list joined by `&&`, every member must be such.
fn vacuous(script: &Script, last: &Pipeline) -> Option<&'static str> {
    if script.complex {
        return None;
    }
    if last.stages.len() > 1
        && let Some(stage) = last.stages.last()
    {
        let program = unwrapped(stage);
        let program = program.first().copied().unwrap_or_default();
        if passes_through(stage)
            || matches!(program, "wc" | "sort" | "uniq" | "cut" | "tr" | "column" | "nl" | "xargs")
        {
            return Some("the last stage of the pipe succeeds in any case");
        }
    }
    let mut reasons = script.pipelines.iter().map(|pipeline| {
        let words = unwrapped(pipeline.stages.last()?);
        if let Some(inner) = inner_script(&words) {
            let script = Script::parse(&inner);
            return vacuous(&script, script.last()?);
        }
        let classes = of_stage(&words);
        let judges = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER];
        if judges.iter().any(|class| classes.has(*class)) && vacuous::only_lists(&words) {
            return Some(vacuous::LISTS);
        }
        vacuous::says_nothing(&words)
    });
    let first = reasons.next()?;
    reasons.fold(first, Option::and)
}

/// Filters that cut or copy what they read.
fn passes_through(stage: &[String]) -> bool {
    let words = unwrapped(stage);
    let reads_file = words
        .iter()
        .skip(1)
        .any(|arg| !arg.starts_with('-') && arg.parse::<i64>().is_err() && !arg.starts_with('+'));
    match words.first().copied().unwrap_or_default() {
        "head" | "tail" | "cat" => !reads_file,
        "tee" | "less" | "more" => true,
        _ => false,
    }
}

/// The words of a stage behind what only starts it: `env`, `timeout 5`, `npx`, `uv run`, `python -m`.
fn unwrapped(stage: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = stage.iter().map(String::as_str).collect();
    for _ in 0..WRAPPERS {
        let second = words.get(1).copied().unwrap_or_default();
        let skip = match words.first().copied().unwrap_or_default() {
            "env" | "time" | "nice" | "nohup" | "sudo" | "exec" | "xvfb-run" | "npx" | "bunx" | "uvx"
            | "pnpx" => 1,
            "command" if !second.starts_with('-') => 1,
            "timeout" | "gtimeout" => 2,
            "poetry" | "uv" | "pipenv" | "hatch" | "rye" | "pdm" | "conda" | "mise" if second == "run" => 2,
            "pnpm" | "yarn" | "npm" if matches!(second, "exec" | "dlx") => 2,
            "bundle" if second == "exec" => 2,
            "bun" if second == "x" => 2,
            "python" | "python3" | "py" if second == "-m" => 2,
            "python" | "python3" | "php" | "ruby"
                if second.ends_with("manage.py")
                    || second == "artisan"
                    || second.starts_with("bin/")
                    || second.starts_with("vendor/bin/") =>
            {
                1
            }
            _ => 0,
        };
        if skip == 0 || skip >= words.len() {
            break;
        }
        words.drain(..skip);
        while words.first().is_some_and(|word| {
            (word.starts_with('-') || word.contains('=') && !word.contains('/')) && words.len() > 1
        }) {
            words.remove(0);
        }
    }
    if let Some(first) = words.first_mut()
        && let Some((_, name)) = first.rsplit_once('/')
        && !name.is_empty()
    {
        *first = name;
    }
    words
}

const WRAPPERS: usize = 4;

pub(super) fn has_short(args: &[&str], flag: char) -> bool {
    args.iter().any(|arg| {
        arg.strip_prefix('-').is_some_and(|flags| {
            !flags.starts_with('-')
                && flags.contains(flag)
                && flags.chars().all(|c| c.is_ascii_alphanumeric())
        })
    })
}

fn is_silent(words: &[&str]) -> bool {
    let classes = of_stage(words);
    classes.has(Classes::QUIET)
        || matches!(words.first().copied(), Some("cd" | "true" | ":" | "export" | "set"))
}

fn of_stage(words: &[&str]) -> Classes {
    let Some((program, args)) = words.split_first() else { return Classes::LOUD };
    let loud = Classes::LOUD;
    let first = args.iter().find(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
    let has = |flag: &str| args.contains(&flag);
    let short = |flag: char| has_short(args, flag);
    if is_runner(program, args, first) {
        let task = if is_task(program, first) { Classes::TASK } else { Classes::ANY };
        return loud.and(Classes::RUNNER).and(task);
    }
    if is_linter(program, args, first) {
        return loud.and(Classes::LINTER).and(if is_task(program, first) {
            Classes::TASK
        } else {
            Classes::ANY
        });
    }
    if is_builder(program, args, first) {
        return loud.and(Classes::BUILDER).and(if is_task(program, first) {
            Classes::TASK
        } else {
            Classes::ANY
        });
    }
    match *program {
        "test" | "[" | "[[" => {
            let flag = args.iter().find(|arg| arg.starts_with('-')).copied().unwrap_or_default();
            match flag {
                "-e" | "-f" | "-d" | "-s" | "-L" | "-h" | "-r" => Classes::QUIET.and(Classes::EXISTS),
                "-x" => Classes::QUIET.and(Classes::EXISTS).and(Classes::EXECUTABLE),
                _ => Classes::QUIET,
            }
        }
        "true" | "false" => Classes::QUIET,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "zgrep" | "ack" => search(args),
        "git" if first == "grep" => search(args),
        "cmp" if short('s') || has("--silent") || has("--quiet") => Classes::QUIET.and(Classes::DIFF),
        "git" if first == "diff" && has("--quiet") => Classes::QUIET.and(Classes::DIFF),
        "git" if first == "diff" && has("--exit-code") => loud.and(Classes::DIFF),
        "git" if matches!(first, "diff" | "ls-files") => loud.and(Classes::LIST),
        "git" if first == "status" && (has("--porcelain") || short('s') || has("--short")) => {
            loud.and(Classes::LIST)
        }
        "git" if first == "status" => loud.and(Classes::STATUS),
        "gofmt" | "goimports" if short('l') => loud.and(Classes::LIST),
        "find" | "fd" => loud.and(Classes::LIST),
        "diff" | "cmp" => loud.and(Classes::DIFF),
        "ls" | "cat" | "stat" | "readlink" | "which" | "type" => loud.and(Classes::FILE),
        "command" if has("-v") => loud.and(Classes::FILE),
        "wc" => loud.and(Classes::COUNT),
        _ if is_checking_script(program, args, first) => loud.and(Classes::TASK).and(Classes::CHECKER),
        _ if is_task(program, first) => loud.and(Classes::TASK),
        _ => loud,
    }
}

/// Whether success says that something is not so.
fn denies(words: &[&str]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    match *program {
        "test" | "[" | "[[" => args.iter().any(|arg| matches!(*arg, "!" | "!=" | "-z" | "-ne" | "-o" | "||")),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "git" => {
            has_short(args, 'v')
                || args.contains(&"--invert-match")
                || args.contains(&"--files-without-match")
        }
        _ => false,
    }
}

fn search(args: &[&str]) -> Classes {
    let has = |flag: &str| args.contains(&flag);
    if has_short(args, 'q') || has("--quiet") || has("--silent") {
        return Classes::QUIET.and(Classes::QUIET_SEARCH);
    }
    if has_short(args, 'c') || has("--count") || has("--count-matches") {
        return Classes::LOUD.and(Classes::COUNT);
    }
    // The files without a match are no matches.
    if has_short(args, 'L') || has("--files-without-match") {
        return Classes::LOUD.and(Classes::LIST);
    }
    Classes::LOUD.and(Classes::SEARCH)
}

/// Whether a target of a project is run by name.
fn is_task(program: &str, first: &str) -> bool {
    let by_target = matches!(
        program,
        "make" | "gmake" | "just" | "task" | "rake" | "invoke" | "inv" | "mage" | "doit" | "nox" | "tox"
    );
    by_target || matches!(program, "npm" | "yarn" | "pnpm" | "bun" | "composer" | "deno") && !first.is_empty()
}

/// The target that is run: `test` in `npm run test`, `make test`, `yarn test`.
fn target<'a>(program: &str, args: &[&'a str], first: &'a str) -> Option<&'a str> {
    if !is_task(program, first) {
        return None;
    }
    let mut names = args.iter().filter(|arg| !arg.starts_with('-') && !arg.contains('=')).copied();
    let name = names.next()?;
    if matches!(name, "run" | "run-script" | "task") { names.next() } else { Some(name) }
}

/// Whether a script by its name checks something: `scripts/pre_merge_check.sh`, `run-tests.sh`. It may print anything.
fn is_checking_script(program: &str, args: &[&str], first: &str) -> bool {
    let is_script = |name: &str| {
        [".sh", ".bash", ".py", ".rb", ".js", ".mjs", ".ts", ".pl"].iter().any(|end| name.ends_with(end))
    };
    let runs = matches!(
        program,
        "sh" | "bash" | "zsh" | "python" | "python3" | "node" | "ruby" | "perl" | "tsx" | "bun"
    );
    let name = match program {
        name if is_script(name) => Some(name),
        _ if runs && args.first() == Some(&first) && is_script(first) => first.rsplit('/').next(),
        _ => None,
    };
    let checks = [
        "test",
        "tests",
        "e2e",
        "lint",
        "check",
        "checks",
        "verify",
        "validate",
        "smoke",
        "qa",
        "ci",
        "precommit",
        "build",
    ];
    named(name, &checks)
}

/// Whether a target's name has one of these words in it, between its joints: `test:unit`, `arch-test`.
fn named(target: Option<&str>, words: &[&str]) -> bool {
    target.is_some_and(|target| target.split(['-', ':', '_', '.', '/']).any(|word| words.contains(&word)))
}

fn is_runner(program: &str, args: &[&str], first: &str) -> bool {
    let has = |flag: &str| args.contains(&flag);
    if named(
        target(program, args, first),
        &["test", "tests", "spec", "specs", "e2e", "unittest", "pytest", "vitest", "jest"],
    ) {
        return true;
    }
    match program {
        "pytest" | "py.test" | "unittest" | "nosetests" | "tox" | "nox" | "jest" | "vitest" | "mocha"
        | "ava" | "tap" | "rspec" | "phpunit" | "pest" | "ctest" | "bats" | "prove" | "busted"
        | "cypress" | "testcafe" | "karma" | "trial" | "gotestsum" => true,
        "cargo" => matches!(first, "test" | "t" | "nextest" | "llvm-cov"),
        "go" | "swift" | "dotnet" | "deno" | "bun" | "mix" | "flutter" | "dart" | "stack" | "cabal"
        | "sbt" | "lein" | "rails" | "manage.py" | "artisan" | "playwright" | "hardhat" | "forge"
        | "anchor" | "react-scripts" | "ng" | "bazel" | "buck2" | "xcodebuild" => {
            first == "test" || has("test")
        }
        "coverage" => has("pytest") || has("unittest"),
        "gradle" | "gradlew" | "mvn" | "mvnw" => args.iter().any(|arg| {
            matches!(*arg, "test" | "check" | "verify" | "integration-test")
                || arg.ends_with(":test")
                || arg.ends_with(":check")
        }),
        "node" => has("--test"),
        "zig" => has("test"),
        _ => false,
    }
}

fn is_linter(program: &str, args: &[&str], first: &str) -> bool {
    let has = |flag: &str| args.contains(&flag);
    let lints = [
        "lint",
        "lints",
        "linter",
        "typecheck",
        "types",
        "tsc",
        "check",
        "checks",
        "precommit",
        "clippy",
        "eslint",
        "mypy",
        "arch",
        "validate",
        "verify",
        "audit",
        "ci",
        "format",
        "fmt",
        "type",
    ];
    if named(target(program, args, first), &lints) {
        return true;
    }
    match program {
        "eslint" | "tsc" | "vue-tsc" | "mypy" | "pyright" | "basedpyright" | "flake8" | "pylint"
        | "shellcheck" | "golangci-lint" | "staticcheck" | "rubocop" | "phpstan" | "psalm" | "stylelint"
        | "markdownlint" | "markdownlint-cli2" | "yamllint" | "hadolint" | "actionlint" | "swiftlint"
        | "ktlint" | "detekt" | "bandit" | "oxlint" | "xmllint" | "jsonlint" | "tflint" | "sqlfluff"
        | "vulture" | "ty" | "knip" | "depcheck" | "pre-commit" | "plutil" | "codespell" | "typos"
        | "svelte-check" | "py_compile" | "compileall" => true,
        "ruff" => first == "check" || has("--check"),
        "biome" => matches!(first, "check" | "lint" | "ci"),
        "cargo" => {
            matches!(first, "clippy" | "audit" | "deny" | "machete") || first == "fmt" && has("--check")
        }
        "go" => first == "vet",
        "prettier" | "black" | "isort" | "rustfmt" => {
            args.iter().any(|arg| arg.starts_with("--check") || *arg == "-c")
        }
        "terraform" | "tofu" => first == "validate" || has("-check"),
        "helm" | "deno" | "buf" | "dart" | "flutter" => matches!(first, "lint" | "analyze" | "check"),
        "sh" | "bash" => has_short(args, 'n'),
        "node" => has("--check") || has("-c"),
        "openspec" => first == "validate",
        _ => false,
    }
}

fn is_builder(program: &str, args: &[&str], first: &str) -> bool {
    if named(
        target(program, args, first),
        &["build", "compile", "all", "bundle", "dist", "release", "package"],
    ) {
        return true;
    }
    match program {
        "make" | "gmake" | "ninja" => first.is_empty() || first.contains('='),
        "cargo" => matches!(first, "build" | "b" | "check" | "doc"),
        "go" | "swift" | "dotnet" | "vite" | "next" | "nuxt" | "astro" | "ng" | "docker" | "podman"
        | "zig" | "bazel" | "mix" | "flutter" | "stack" | "cabal" | "jekyll" | "hugo" | "mkdocs"
        | "rollup" | "esbuild" | "tsup" | "turbo" | "nx" => {
            matches!(first, "build" | "compile" | "publish") || args.contains(&"build")
        }
        "gradle" | "gradlew" | "mvn" | "mvnw" => {
            matches!(first, "build" | "assemble" | "compile" | "package" | "install")
        }
        "xcodebuild" | "gcc" | "g++" | "cc" | "clang" | "clang++" | "rustc" | "javac" | "kotlinc"
        | "webpack" | "sphinx-build" => true,
        "cmake" => args.contains(&"--build"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_classes() {
        for (command, class) in [
            ("pytest -q", Classes::RUNNER),
            ("cd web && npm test 2>&1 | tail -5", Classes::RUNNER),
            ("uv run pytest", Classes::RUNNER),
            ("python -m unittest", Classes::RUNNER),
            ("npm run test:unit -- x", Classes::RUNNER),
            ("make test", Classes::RUNNER),
            ("./gradlew :app:test", Classes::RUNNER),
            ("node --test", Classes::RUNNER),
            ("npx tsc --noEmit", Classes::LINTER),
            ("cargo clippy -- -D warnings", Classes::LINTER),
            ("make arch-lint", Classes::LINTER),
            ("make", Classes::BUILDER),
            ("npm run build", Classes::BUILDER),
            ("cd a && test -f b", Classes::EXISTS),
            ("grep -q x f", Classes::QUIET_SEARCH),
            ("grep -rn x f", Classes::SEARCH),
            ("grep -c x f", Classes::COUNT),
            ("ls | wc -l", Classes::COUNT),
            ("git status --porcelain", Classes::LIST),
            ("just deploy", Classes::TASK),
            ("bash scripts/pre_merge_check.sh", Classes::TASK),
            ("./scripts/run-tests.sh", Classes::TASK),
        ] {
            assert!(nature(command).classes.has(class), "{command}");
        }
        assert!(!nature("echo a; test -f x").classes.has(Classes::QUIET));
        assert!(nature("! test -f x").negated);
        for command in [
            "test ! -f x",
            "[ ! -d x ]",
            "! test -f x",
            "test -f a && test -f b",
            "grep -qv x f",
            "test -f a -o -f b",
        ] {
            let classes = nature(command).classes;
            assert!(!classes.has(Classes::EXISTS) && !classes.has(Classes::QUIET_SEARCH), "{command}");
        }
        assert!(nature("cd a && test -f x").classes.has(Classes::EXISTS));
        assert!(nature("server &").masked.is_some());
    }

    #[test]
    fn success_that_says_nothing_is_known() {
        for command in [
            "npm test | head -30",
            "grep x f | wc -l",
            "npm install commander",
            "chmod +x a",
            "prettier --write .",
            "pnpm tauri dev",
            "npm run dev",
            "curl -s http://x",
            "find . -name x",
            "echo done",
            "git status",
            "cargo fmt",
            "vim x",
        ] {
            assert!(nature(command).vacuous.is_some(), "{command}");
        }
        for command in [
            "npm test",
            "curl -f x",
            "test -f a && echo ok",
            "ls a",
            "cargo fmt --check",
            "npm ci && npm test",
            "head -1 f && cmp a b",
        ] {
            assert!(nature(command).vacuous.is_none(), "{command}");
        }
        for command in [
            "x || true",
            "test -f x && echo OK || echo MISSING",
            "x; echo done",
            "a; b",
            "a & b",
            "test -f a; test -f b",
            "if ./a; then echo b; else echo c; fi",
            "for f in a b; do ./$f; done",
            "if ./a; then\necho b\nfi",
            "set +e\n./a",
            "trap 'exit 0' EXIT; ./a",
            "find . -exec ./a {} \\;",
            "pytest | grep -q passed",
            "cat <(./a)",
            "./a || ./b",
            "./a || touch failed",
            "./a || test -d .",
            "script -qc ./a /dev/null",
            "bash -c 'npm test | tail -5'",
            "sh -c 'x || true'",
        ] {
            assert!(nature(command).masked.is_some(), "{command}");
        }
        for command in [
            "x || exit 1",
            "for f in a b; do test -f $f || exit 1; done",
            "for f in a b; do\ntest -f $f\ndone",
            "test -f a\nif test -f b; then\nfalse\nfi",
            "if test -f a; then test -f b; fi",
            "diff <(./a) b",
            "cli bad; test $? = 2",
            "cd a; make",
            "x || { echo bad; exit 1; }",
            "test -f a || test -f b",
            "command -v rg || which rg",
        ] {
            assert!(nature(command).masked.is_none(), "{command}");
        }
    }
}
