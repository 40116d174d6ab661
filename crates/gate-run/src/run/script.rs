//! Builds the shell command of a plan's check: each of several lines must succeed, bash syntax gets bash, and a pipeline
//! leaves the exit status of each of its stages.

use checks::commands::shell::Script;
use checks::judge::Stages;
use std::ffi::OsString;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;

/// The program and its arguments; where there are stages to tell apart, it writes their exit statuses to `stages`.
pub(crate) fn argv(command: &str, stages: Option<&Path>) -> Vec<OsString> {
    if let Some(stages) = stages.filter(|_| is_staged(command)) {
        let mut argv = ["bash", "-c", STAGED, "bash"].map(OsString::from).to_vec();
        argv.push(stages.into());
        argv.push(command.into());
        return argv;
    }
    let shell = if is_for_bash(command) && has_bash() { "bash" } else { "sh" };
    let lines = command.contains('\n');
    let (flag, script) = match strict(command) {
        Some(strict) if lines => ("-c", strict),
        // `-e` exits at the first failing line, but ignores commands before `&&` or after `!`.
        _ if lines => ("-ec", command.to_owned()),
        _ => ("-c", command.to_owned()),
    };
    let piped = lines && shell == "bash" && Script::parse(command).is_piped();
    let mut argv = vec![OsString::from(shell)];
    // In a script of several lines the stages of each pipeline count together.
    argv.extend(piped.then(|| ["-o", "pipefail"].map(OsString::from)).into_iter().flatten());
    argv.extend([flag, &script].map(OsString::from));
    argv
}

/// Runs the command in its second argument and writes the exit status of each stage of its last pipeline, then its own, to
/// the file in its first.
const STAGED: &str = r#"plantools_stages=$1 plantools_command=$2
shift 2
set -o pipefail
eval "$plantools_command
plantools_status=(\"\${PIPESTATUS[@]}\" \"\$?\")"
if [ "${#plantools_status[@]}" -eq 0 ]; then exit 2; fi
printf '%s\n' "${plantools_status[*]}" >"$plantools_stages"
exit "${plantools_status[${#plantools_status[@]}-1]}""#;

/// Whether a command is one line with a pipeline or a `!` whose stages bash can tell apart.
pub(crate) fn is_staged(command: &str) -> bool {
    let script = Script::parse(command);
    let staged = script.is_piped() || script.pipelines.iter().any(|pipeline| pipeline.negated);
    staged && !command.contains('\n') && !command.trim_end().ends_with('\\') && has_bash()
}

/// The exit statuses of the stages that a command left.
pub(crate) fn stages(command: &str, file: Option<&Path>) -> Result<Stages, Fail> {
    let script = Script::parse(command);
    let needed = script.is_piped() || script.pipelines.last().is_some_and(|pipeline| pipeline.negated);
    if !needed || command.contains('\n') {
        // `exit`, `set -e` and the like leave none.
        return Ok(Stages::Single);
    }
    let text = match file {
        Some(file) => fs::read_if_there(file)?.unwrap_or_default(),
        None => Vec::new(),
    };
    let text = String::from_utf8_lossy(&text);
    let codes: Option<Vec<i32>> = text.split_whitespace().map(|code| code.parse().ok()).collect();
    Ok(match codes {
        Some(mut codes) if codes.len() > 1 => {
            codes.pop();
            Stages::Known(codes)
        }
        _ => Stages::Unknown,
    })
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
        let argv = argv(command, None);
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
    fn each_stage_leaves_its_status() {
        if !has_bash() {
            return;
        }
        let folder = std::env::temp_dir().join(format!("plantools-stages-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (number, (command, code, left)) in [
            ("false | true", 1, Stages::Known(vec![1, 0])),
            ("! false", 0, Stages::Known(vec![1])),
            ("! grep -q x /nowhere", 0, Stages::Known(vec![2])),
            ("cd / && sh -c 'exit 3' | cat # note", 3, Stages::Known(vec![3, 0])),
            ("true | sh -c 'exit 4'", 4, Stages::Known(vec![0, 4])),
            ("true", 0, Stages::Single),
            ("echo $# | cat", 0, Stages::Known(vec![0, 0])),
            ("false | true; exit 7", 7, Stages::Unknown),
            ("true | ! true", 2, Stages::Unknown),
        ]
        .into_iter()
        .enumerate()
        {
            let file = folder.join(number.to_string());
            let argv = argv(command, Some(&file));
            let output = Command::new(&argv[0]).args(&argv[1..]).output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{command}");
            assert_eq!(stages(command, Some(&file)).unwrap(), left, "{command}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_written_for_bash_gets_it() {
        if has_bash() {
            assert_eq!(exit("[[ ab == a* ]]"), Some(0));
            assert_eq!(exit("set -euo pipefail\nfalse | true"), Some(1));
        }
    }
}
