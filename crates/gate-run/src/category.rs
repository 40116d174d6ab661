//! Whose fault a failed check is, by rule.

use wire::order::Category;

/// Words in the output that mean the machine, not the work.
const MACHINE: [&str; 9] = [
    "permission denied",
    "no space left on device",
    "connection refused",
    "could not resolve host",
    "network is unreachable",
    "api key",
    "unauthorized",
    "command not found",
    "too many requests",
];

/// The category of a failure, from the last lines of its output.
pub(crate) fn of(lines: &[String]) -> Category {
    let machine = |line: &String| {
        let line = line.to_lowercase();
        MACHINE.iter().any(|word| line.contains(word))
    };
    if lines.iter().any(machine) { Category::EnvError } else { Category::CodeError }
}
