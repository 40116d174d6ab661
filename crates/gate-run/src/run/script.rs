//! Builds the shell command of a plan's check: each of several lines must succeed, and bash syntax gets bash.

use checks::commands::shell::Script;
use checks::judge::Stages;
use std::ffi::OsString;
use std::path::Path;

/// The variable that names the file for the exit status of each stage.
pub(crate) const STAGES: &str = "PLANTOOLS_STAGES";

/// Writes the exit status of every stage, one line for each pipeline; the last line is that of the last pipeline.
const RECORD: &str = r#"trap 'case "${PIPESTATUS[*]}" in *" "*) printf "%s\n" "${PIPESTATUS[*]}" >> "$PLANTOOLS_STAGES";; esac' DEBUG
trap 'printf "%s\n" "${PIPESTATUS[*]}" >> "$PLANTOOLS_STAGES"' EXIT
"#;

/// Whether the stages of a command's pipelines can be recorded: there is a pipeline, and bash.
pub(crate) fn can_record(command: &str) -> bool {
    is_piped(command) && has_bash()
}

/// Whether a command has a pipeline of several stages.
pub(crate) fn is_piped(command: &str) -> bool {
    command.contains('|') && Script::parse(command).is_piped()
        || Script::parse(command).complex && command.contains('|')
}

/// The stages of the last pipeline, from what was recorded; an earlier pipeline in which a stage failed stands for it.
pub(crate) fn stages(command: &str, recorded: Option<&str>) -> Stages {
    if !is_piped(command) {
        return Stages::Single;
    }
    let Some(recorded) = recorded else { return Stages::Unknown };
    let line =
        |line: &str| -> Option<Vec<i32>> { line.split_whitespace().map(|code| code.parse().ok()).collect() };
    let all: Option<Vec<Vec<i32>>> = recorded.lines().map(line).collect();
    let Some(mut all) = all else { return Stages::Unknown };
    let Some(last) = all.pop() else { return Stages::Unknown };
    let failed = |stages: &&Vec<i32>| {
        stages.split_last().is_some_and(|(_, before)| before.iter().any(|code| !matches!(code, 0 | 141)))
    };
    Stages::Known(all.iter().find(failed).cloned().unwrap_or(last))
}

/// The program and its arguments; with `record`, a script for bash that writes the stages to the file in [`STAGES`].
pub(crate) fn argv(command: &str, record: bool) -> Vec<OsString> {
    let shell = if record || is_for_bash(command) && has_bash() { "bash" } else { "sh" };
    let lines = command.contains('\n');
    let (flag, script) = match strict(command) {
        Some(strict) if lines => ("-c", strict),
        // `-e` exits at the first failing line, but ignores commands before `&&` or after `!`.
        _ if lines => ("-ec", command.to_owned()),
        _ => ("-c", command.to_owned()),
    };
    let script = if record { format!("{RECORD}{script}") } else { script };
    [shell, flag, &script].map(OsString::from).to_vec()
}

/// Makes each line end the script if it fails; `None` if a line is not a separate command.
fn strict(command: &str) -> Option<String> {
    let mut out = String::new();
    for line in command.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !is_whole(line) {
            return None;
        }
        out.push_str("{ ");
        out.push_str(line);
        out.push_str("\n} || exit $?\n");
    }
    Some(out)
}

/// Whether a line is a command by itself: not part of a compound command, and complete at its end.
fn is_whole(line: &str) -> bool {
    let first = line.split([' ', ';', '(']).next().unwrap_or_default();
    let opens = [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function",
    ];
    let closes = line.starts_with(['}', ')']) || line.contains(";;") || line.contains("()");
    let quotes = |quote: char| line.matches(quote).count().is_multiple_of(2);
    let open =
        line.ends_with(['\\', '{', '(', '|', '&']) || line.contains("<<") || !quotes('"') || !quotes('\'');
    !opens.contains(&first) && !closes && !open && quotes('`')
}

/// Words that only bash has.
fn is_for_bash(command: &str) -> bool {
    ["[[ ", "<(", "pipefail", "&>", "|&", "<<<", "mapfile", "shopt", "BASH_"]
        .iter()
        .any(|word| command.contains(word))
}

fn has_bash() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join("bash").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn exit(command: &str) -> Option<i32> {
        let argv = argv(command, false);
        Command::new(&argv[0]).args(&argv[1..]).output().ok()?.status.code()
    }

    #[test]
    fn of_several_lines_each_must_hold() {
        for (command, code) in [
            ("! true\ntrue", 1),
            ("false && true\ntrue", 1),
            ("false\ntrue", 1),
            ("true\nexit 3", 3),
            ("cd /\ntest \"$PWD\" = /", 0),
            ("a=1 # not yet\n# a note\ntest $a = 1", 0),
            ("if false; then\nfalse\nfi\ntrue", 0),
            ("cat > /dev/null <<X\nfalse\nX\ntrue", 0),
            ("for n in 1 2; do\nfalse\ndone", 1),
            ("true \\\n  false\ntrue", 0),
            ("test -n 'a\nb'", 0),
            ("! true", 1),
        ] {
            assert_eq!(exit(command), Some(code), "{command}");
        }
    }

    #[test]
    fn the_stages_of_each_pipeline_are_recorded() {
        let folder = tempfile::tempdir().unwrap();
        for (command, stages) in [
            ("true", Stages::Single),
            ("false | true", Stages::Known(vec![1, 0])),
            ("true | false", Stages::Known(vec![0, 1])),
            ("! true | grep -q x", Stages::Known(vec![0, 1])),
            ("false | cat && true | cat", Stages::Known(vec![1, 0])),
            ("true | cat\nfalse | cat", Stages::Known(vec![1, 0])),
            ("yes | head -1", Stages::Known(vec![141, 0])),
        ] {
            let file = folder.path().join("stages");
            std::fs::write(&file, "").unwrap();
            let argv = argv(command, can_record(command));
            Command::new(&argv[0]).args(&argv[1..]).env(STAGES, &file).output().unwrap();
            let recorded = std::fs::read_to_string(&file).unwrap();
            assert_eq!(super::stages(command, Some(&recorded)), stages, "{command}");
        }
    }

    #[test]
    fn what_is_written_for_bash_gets_it() {
        if has_bash() {
            assert_eq!(exit("[[ ab == a* ]]"), Some(0));
            assert_eq!(exit("set -euo pipefail\nfalse | true"), Some(1));
        }
    }
}
