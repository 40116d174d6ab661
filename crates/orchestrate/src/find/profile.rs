//! The command lines of a profile, read by `sh`.
//!
//! Values reach a command line as variables of the shell or as its arguments, never as a part of its text. The variables
//! are not in the environment of the programs that it starts.

use crate::args::Wanted;
use crate::round::pipe::{Ended, Kind, Runner};
use crate::show::console::Console;
use crate::stop_reason::Stop;
use crate::tools::{Said, Tools, Words};
use config::profile::{Profile, stages};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::OsStringExt;
use toolkit::Fail;
use toolkit::cli::shell_word;

/// The variables of a command line, in the order of the manual.
pub(crate) const VARIABLES: [&str; 27] = [
    "plan",
    "root",
    "path",
    "lock",
    "jobs",
    "only",
    "limits",
    "worker",
    "sandbox",
    "shared",
    "lease",
    "accept_change",
    "unclear_note",
    "allow_acts",
    "accept",
    "reason",
    "push",
    "pull",
    "prepared",
    "session",
    "dry_run",
    "approved",
    "task",
    "why",
    "retries",
    "code",
    "end",
];

/// What every command line may use: `remember` keeps the first code of a command that says no, and ends the script where
/// a tool failed; `stop` ends it with a sentence; `note` prints one.
const FUNCTIONS: &str = concat!(
    "note() { printf 'orchestrate: %s\\n' \"$1\" >&2; }\n",
    "remember() { code=$?; [ \"$code\" -lt 64 ] || exit \"$code\"; end=${end:-$code}; }\n",
    "stop() { code=$?; note \"$1\"; exit \"${2:-$code}\"; }\n",
);

/// The values of the variables, and the arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Values {
    values: Vec<(&'static str, OsString)>,
    command: Words,
}

impl Values {
    /// The values that follow from the command line.
    pub(crate) fn of(wanted: &Wanted) -> Self {
        let mut values = Self { values: Vec::new(), command: wanted.command.clone() };
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let flag = |is_set: bool, word: &str| if is_set { word.to_owned() } else { String::new() };
        for (name, value) in [
            ("jobs", wanted.jobs.to_string()),
            ("only", text(&wanted.only)),
            ("limits", limits(wanted)),
            ("worker", text(&wanted.worker)),
            ("sandbox", flag(wanted.sandbox, "yes")),
            ("shared", flag(wanted.shared, "yes")),
            ("lease", wanted.lease.map(|lease| lease.to_string()).unwrap_or_default()),
            ("accept_change", text(&wanted.accept_change)),
            ("unclear_note", text(&wanted.unclear_note)),
            ("allow_acts", text(&wanted.allow_acts)),
            ("accept", text(&wanted.accept)),
            ("reason", text(&wanted.reason)),
            ("push", flag(wanted.push, "yes")),
            ("prepared", flag(wanted.prepared, "always")),
            ("session", text(&wanted.session)),
        ] {
            values.set(name, value);
        }
        values
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.values.retain(|(known, _)| *known != name);
        self.values.push((name, value.into()));
    }

    /// The value of a variable; empty if it has none.
    pub(crate) fn get(&self, name: &str) -> &OsStr {
        self.values.iter().find(|(known, _)| *known == name).map_or(OsStr::new(""), |(_, value)| value)
    }

    /// The shell that runs a script with these values, and its environment.
    fn shell(&self, script: &str) -> (Words, Vec<(&'static str, &OsStr)>) {
        let mut text = String::from("set -e\ntrap : INT TERM HUP\n");
        for name in VARIABLES {
            // An imported variable is in the environment of every program; a new one of the same name is not.
            let _ = writeln!(text, "value=${{{name}-}}; unset {name}; {name}=$value");
        }
        text.push_str("unset value\n");
        text.push_str(FUNCTIONS);
        text.push_str(script);
        let mut words: Words = ["sh", "-c", &text, "sh"].map(OsString::from).to_vec();
        words.extend(self.command.iter().cloned());
        let environment = VARIABLES.iter().map(|name| (*name, self.get(name))).collect();
        (words, environment)
    }

    /// Runs the command lines of a profile; `out` gets what they print.
    pub(crate) fn run(
        &self,
        script: &str,
        runner: &Runner<'_>,
        console: &mut Console,
        out: &mut dyn FnMut(&mut Console, &[u8]),
    ) -> Result<Ended, Fail> {
        let (words, environment) = self.shell(script);
        runner.run(Kind::Script, &[words], &environment, console, out)
    }

    /// What the command lines of a profile say.
    pub(crate) fn answer(&self, tools: &Tools, script: &str) -> Result<Said, Fail> {
        let (words, environment) = self.shell(script);
        tools.pipe_with(&[words], &environment, None)
    }

    /// The words of each stage of a pipe, as `sh` expands them.
    pub(crate) fn expand(&self, tools: &Tools, pipe: &str) -> Result<Vec<Words>, Stop> {
        let bad = || {
            Fail::config("bad-workflow", "a pipe has one stage a line, and each but the last ends with '|'")
        };
        let mut script = String::from("words() { printf '%s\\0' \"$#\" \"$@\"; }\n");
        for stage in stages(pipe).ok_or_else(bad)? {
            let _ = writeln!(script, "words {stage}");
        }
        let said = self.answer(tools, &script)?;
        if said.code != 0 {
            let message = format!("sh cannot read a pipe of the profile: {}", said.err.trim());
            return Err(Fail::config("bad-workflow", message).into());
        }
        let mut parts = said.out.split(|byte| *byte == 0);
        let mut all = Vec::new();
        while let Some(count) = parts.next().filter(|part| !part.is_empty()) {
            let count: usize =
                std::str::from_utf8(count).ok().and_then(|text| text.parse().ok()).ok_or_else(bad)?;
            all.push(parts.by_ref().take(count).map(|word| OsString::from_vec(word.to_vec())).collect());
        }
        Ok(all)
    }
}

/// The options of `dag-next` that are words without blanks.
fn limits(wanted: &Wanted) -> String {
    let mut words = Vec::new();
    let mut add =
        |flag: &str, value: Option<String>| words.extend(value.map(|value| format!("{flag} {value}")));
    add("--profile", wanted.profile.clone());
    add("--max-attempts", wanted.max_attempts.map(|n| n.to_string()));
    add("--budget-attempts", wanted.budget_attempts.map(|n| n.to_string()));
    add("--budget-cost", wanted.budget_cost.map(|n| n.to_string()));
    add("--budget-tokens", wanted.budget_tokens.map(|n| n.to_string()));
    add("--budget-per-day", wanted.budget_per_day.map(|amount| amount.to_string()));
    words.join(" ")
}

/// A pipe as a line for `sh`.
pub(crate) fn shown(pipe: &[Words]) -> String {
    let stage = |words: &Words| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    pipe.iter().map(stage).collect::<Vec<_>>().join(" | ")
}

/// A word quoted for a shell.
pub(crate) fn quoted(word: &OsStr) -> String {
    shell_word::quoted(&word.to_string_lossy())
}

/// Whether several tasks at once get a tree each: the profile has a pipe for that, and git keeps what they leave.
pub(crate) fn follows(profile: &Profile, tools: &Tools, root: &std::path::Path) -> bool {
    !profile.follow.is_empty() && tools.git(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_some()
}

#[cfg(test)]
mod tests {
    use super::{Values, shown};
    use crate::args::Wanted;
    use crate::tools::Tools;
    use std::ffi::OsString;

    fn wanted() -> Wanted {
        Wanted {
            jobs: 2,
            only: Some("a 'b' $(touch pwned) `c`".to_owned()),
            max_attempts: Some(3),
            command: vec!["./w.sh".into(), "two words".into(), OsString::new()],
            ..Wanted::default()
        }
    }

    #[test]
    fn values_reach_a_stage_as_they_are() {
        let mut values = Values::of(&wanted());
        values.set("plan", "-a plan; x.md");
        let pipe = "plan-parse \"$plan\" |\ndag-next --jobs \"$jobs\" ${only:+--only \"$only\"} $limits |\nworker-run ${worker:+--worker \"$worker\"} ${1+-- \"$@\"}\n";
        let tools = Tools::for_tests();
        let words = values.expand(&tools, pipe).unwrap();
        assert_eq!(words[0], ["plan-parse", "-a plan; x.md"]);
        assert_eq!(
            words[1],
            ["dag-next", "--jobs", "2", "--only", "a 'b' $(touch pwned) `c`", "--max-attempts", "3"]
        );
        assert_eq!(words[2], ["worker-run", "--", "./w.sh", "two words", ""]);
        assert!(shown(&words).ends_with("| worker-run -- ./w.sh 'two words' ''"));
    }
}
