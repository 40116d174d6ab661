//! What of a plan's text is a command: a known program with arguments, a script with arguments, never a mere path or name.
//!
//! A command that was only prose must never run, so doubt means no.

pub mod class;
pub mod commits;
pub mod programs;
pub mod shell;
mod vacuous;

use programs::{GO, PROGRAMS};

/// How sure we are that a text is a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// It is one.
    Command,
    /// It is one only where an expectation follows: `./run.sh` alone may be the name of a file.
    Script,
    /// No command.
    Other,
}

/// Whether a text is the path of a file and surely nothing else: a look that is cheaper than [`shape`].
pub(crate) fn is_path(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    let name = text.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.contains('/')
        && text.bytes().all(plain)
        && !text.contains("bin/")
        && !matches!(extension, "sh" | "bash")
}

/// What the text of a code span is.
pub fn shape(text: &str) -> Shape {
    let text = text.trim();
    let mut rest = text;
    while let Some(negated) = rest.strip_prefix("! ") {
        rest = negated.trim_start();
    }
    let rest = rest.strip_prefix(['(', '{']).unwrap_or(rest).trim_start();
    let rest = after_assignments(rest);
    let (word, args) = match rest.split_once(char::is_whitespace) {
        Some((word, args)) => (word, args.trim()),
        None => (rest, ""),
    };
    match word {
        // What starts another command.
        "nohup" | "nice" | "time" | "exec" | "eval" | "command" | "coproc" | "sudo" if !args.is_empty() => {
            return shape(args.trim_start_matches(['"', '\'']));
        }
        "set" | "trap" | "export" | "unset" | "source" => {
            let next = args.find([';', '&', '\n']).and_then(|at| args.get(at..)).unwrap_or_default();
            // Only a shell sources a file before it goes on.
            if word == "source" && next.starts_with("&&") {
                return Shape::Command;
            }
            return shape(next.trim_start_matches([';', '&', '\n', ' ']));
        }
        "if" | "for" | "while" | "until" | "case" => {
            let ends = |own: &str| matches!(own, "fi" | "done" | "esac");
            let closes = args.split([';', '\n', ' ']).any(ends);
            return if closes && args.contains([';', '\n']) { Shape::Command } else { Shape::Other };
        }
        _ => {}
    }
    // `f() { …; }; f` and `x=$(…); …`
    if word.ends_with("()") && args.starts_with('{') {
        return Shape::Command;
    }
    if word.contains("=$(") && args.contains(';') {
        return shape(args.rsplit(';').next().unwrap_or_default());
    }
    let begins =
        word.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '~' | '['));
    if !begins || word.ends_with([':', ',', '(']) {
        return Shape::Other;
    }
    if PROGRAMS.binary_search(&word).is_ok() {
        return known(word, args);
    }
    if word.contains('/') {
        return script(word, args);
    }
    let plain = word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+'));
    let told = has_flag(args) || has_operator(args) && runs_known(args);
    if plain && told && !is_expression(args) { Shape::Command } else { Shape::Other }
}

/// Whether a stage behind an operator runs a known program: `app list | grep -q x`, but not `isOpen x && isReady`.
fn runs_known(args: &str) -> bool {
    let stages = args.split(['|', '&', ';']).skip(1).map(str::trim_start);
    let redirects = ["2>&1", " > ", " < "].iter().any(|sign| args.contains(sign));
    let known = |stage: &str| {
        let word = stage.split_whitespace().next().unwrap_or_default();
        PROGRAMS.binary_search(&word).is_ok() || word.contains('/')
    };
    redirects && !args.contains(['|', '&']) || args.contains("2>&1") || stages.into_iter().any(known)
}

/// Whether what stands behind an unknown word makes it code of a programming language: an assignment or a comparison with
/// blanks around it, an arrow, a call.
fn is_expression(args: &str) -> bool {
    let signs = |word: &str| {
        matches!(
            word,
            "=" | "==" | "===" | "!=" | "!==" | ":=" | "+=" | "->" | "=>" | "::" | "?" | ":" | "<=" | ">="
        )
    };
    // What stands in quotes is an argument.
    let mut quote = None;
    let outside: String = args
        .chars()
        .filter(|c| {
            let inside = quote;
            quote = match inside {
                Some(open) => (*c != open).then_some(open),
                None => matches!(c, '"' | '\'').then_some(*c),
            };
            inside.is_none()
        })
        .collect();
    let calls = outside.match_indices('(').any(|(at, _)| {
        outside.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    calls || outside.starts_with(['<', '>', '=']) || outside.split_whitespace().any(signs)
}

fn known(word: &str, args: &str) -> Shape {
    let first = args.split_whitespace().next().unwrap_or_default();
    let sure = match word {
        "test" => {
            first.starts_with(['-', '!', '"', '$', '\'']) || args.contains(" = ") || args.contains(" -")
        }
        "[" => args.ends_with(']') || args.contains(" ] "),
        "[[" => args.ends_with("]]") || args.contains(" ]] "),
        "go" => GO.contains(&first),
        "grep" | "egrep" | "fgrep" => searches_something(args),
        "cd" => args.contains("&&") || args.contains(';'),
        "make" | "pytest" | "tox" => true,
        _ => !args.is_empty(),
    };
    if sure { Shape::Command } else { Shape::Other }
}

/// A pattern alone would be looked for in standard input.
fn searches_something(args: &str) -> bool {
    let mut words = 0;
    let mut quote = None;
    let mut inside = false;
    for c in args.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => inside = inside && !c.is_whitespace(),
        }
        if !inside && !c.is_whitespace() {
            words += usize::from(c != '-');
            inside = true;
        }
    }
    words > 1 || has_short_flag(args, 'r') || has_short_flag(args, 'R')
}

fn script(word: &str, args: &str) -> Shape {
    let here = word.starts_with("./") || word.starts_with("../");
    let name = word.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let runs = matches!(extension, "" | "sh" | "bash" | "py" | "rb" | "pl" | "js" | "mjs" | "ts");
    if name.is_empty() || word.contains("://") || !runs {
        return Shape::Other;
    }
    let in_bin = word.contains("bin/");
    match args {
        // `vendor/bin/phpunit`: the name is that of a known program.
        "" if in_bin && PROGRAMS.binary_search(&name).is_ok() => Shape::Command,
        "" if here || in_bin || matches!(extension, "sh" | "bash") => Shape::Script,
        "" => Shape::Other,
        _ if here || in_bin || !extension.is_empty() => Shape::Command,
        _ => Shape::Other,
    }
}

/// `text` behind any `NAME=value` words; empty where there is nothing else.
fn after_assignments(text: &str) -> &str {
    let mut rest = text;
    loop {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Some((name, value)) = word.split_once('=') else { return rest };
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name || value.contains(['"', '\'', '$', '`']) && !value.ends_with(['"', '\'']) {
            return if is_name { "" } else { rest };
        }
        rest = after.trim_start();
    }
}

fn has_flag(args: &str) -> bool {
    args.split_whitespace().any(|arg| {
        let name = arg.trim_start_matches('-');
        name.len() < arg.len()
            && arg.len() - name.len() <= 2
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

fn has_operator(args: &str) -> bool {
    [" && ", " || ", " | ", "2>&1", " > ", " < "].iter().any(|operator| args.contains(operator))
}

fn has_short_flag(args: &str, flag: char) -> bool {
    args.split_whitespace()
        .take_while(|arg| arg.starts_with('-'))
        .any(|arg| !arg.starts_with("--") && arg.contains(flag) || arg == long(flag))
}

fn long(flag: char) -> &'static str {
    if flag == 'c' { "--count" } else { "--quiet" }
}

/// A line that is a command as it stands, with at most the word that it passes behind it.
pub fn bare(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let said = PASSES.iter().find(|word| lower.ends_with(**word)).map_or(0, |word| word.len());
    let command = text.get(..text.len() - said)?.trim();
    let prose = |word: &str| PROSE.contains(&word.to_ascii_lowercase().trim_matches([',', '.']));
    // A full stop ends a sentence; a folder stands by itself.
    let is_command = shape(command) == Shape::Command
        && (!command.ends_with('.') || command.ends_with(" .") || command.ends_with("/..."));
    (is_command && !command.split_whitespace().any(prose)).then(|| command.to_owned())
}

const PASSES: &[&str] =
    &[" passes", " pass", " succeeds", " exits 0", " runs without errors", " passes without errors"];

/// Words that no command has, and every sentence about one.
const PROSE: &[&str] = &[
    "passes", "succeeds", "returns", "shows", "with", "and", "without", "the", "are", "is", "should", "that",
    "after",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_known_by_their_first_word() {
        for text in [
            "test -f a",
            "cd web && npm run lint",
            "! grep -q x f",
            "timeout 10 npm run dev || true",
            "make build",
            "make",
            "NODE_ENV=test npm test",
            "./scripts/x.sh --all",
            "[ -f a ]",
            "xcodegen generate",
            "frob --check src",
            "false | head -30",
            "frob list | grep -q x",
            "frob list > out.txt",
            "frob --eval -E 'let x = f(1); in x'",
            "source env.sh && start && sleep 3",
            "bin/rails test",
            "python3 -c \"import x\"",
            "wc -l < f",
            "(cd web && make)",
        ] {
            assert_eq!(shape(text), Shape::Command, "{text}");
        }
        assert_eq!(shape("./run.sh"), Shape::Script);
    }

    #[test]
    fn names_paths_and_code_are_no_commands() {
        for text in [
            "component_path",
            "src/x.ts",
            "web/package.json",
            "color: red",
            "ReportShape",
            "npm",
            "git",
            "go away",
            "test_widget PASS",
            "Scene.load(name:) -> Scene",
            "Shelf.books.count == 3",
            "{lint-command}",
            "SCRIPT_DIR=\"$(cd x && pwd)\"",
            ".button",
            "margin: 0 auto !important",
            "https://x.y/z a",
            "export default x",
            "test utils",
            "cd web",
            "feat/compat",
            "async def get(self, id: int) -> Run | None",
            "status == 'open' && ready",
            "count items && done",
            "let x = -1",
            "type A = b | c",
            "string | null",
            "user name || other name",
            "",
        ] {
            assert_ne!(shape(text), Shape::Command, "{text}");
        }
    }
}
