//! Finds the Python that a gate starts. [`config::tokens`] fills in the tokens of an invocation.

pub(crate) use config::tokens::Tokens;

/// The Python that a gate starts, if it is not the one that every gate must use.
pub(crate) fn other_python<'a>(line: &'a str, runner: &str) -> Option<&'a str> {
    let commands = line.split(['&', '|', ';', '(', ')', '\n']).map(str::trim);
    let others = commands.filter(|command| !command.starts_with(runner));
    others.filter_map(first_word).find(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
        version.is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'))
    })
}

/// The program of a command, after its variables.
fn first_word(command: &str) -> Option<&str> {
    command.split_whitespace().find(|word| !word.contains('='))
}

#[cfg(test)]
mod tests {
    use super::other_python;

    #[test]
    fn another_python_is_found_wherever_a_command_begins() {
        let runner = ".venv/bin/python";
        assert_eq!(other_python("cd a && python3 -m mypy", runner), Some("python3"));
        assert_eq!(other_python("X=1 /usr/bin/python3.12 x", runner), Some("/usr/bin/python3.12"));
        assert_eq!(other_python(".venv/bin/python -m mypy", runner), None);
        assert_eq!(other_python("echo python", runner), None);
    }
}
