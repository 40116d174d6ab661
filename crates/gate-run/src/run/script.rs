//! Builds the shell command of a plan's check: each of several lines must succeed, and bash syntax gets bash.

use std::ffi::OsString;
use std::path::Path;

/// The program and its arguments.
pub(crate) fn argv(command: &str) -> Vec<OsString> {
    let shell = if is_for_bash(command) && has_bash() { "bash" } else { "sh" };
    let lines = command.contains('\n');
    let (flag, script) = match strict(command) {
        Some(strict) if lines => ("-c", strict),
        // `-e` exits at the first failing line, but ignores commands before `&&` or after `!`.
        _ if lines => ("-ec", command.to_owned()),
        _ => ("-c", command.to_owned()),
    };
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
        let argv = argv(command);
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
    fn what_is_written_for_bash_gets_it() {
        if has_bash() {
            assert_eq!(exit("[[ ab == a* ]]"), Some(0));
            assert_eq!(exit("set -euo pipefail\nfalse | true"), Some(1));
        }
    }
}
