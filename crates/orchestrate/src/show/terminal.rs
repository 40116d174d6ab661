//! Questions to a person on a terminal. Elsewhere nothing is asked.

use std::io::{BufRead, IsTerminal, Write};

/// Whether a person can be asked: standard input and standard error are a terminal.
pub(crate) fn is_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for one of several names; `None` if the person leaves.
pub(crate) fn choose(question: &str, names: &[String]) -> Option<usize> {
    loop {
        for (at, name) in names.iter().enumerate() {
            say(&format!("{:>3}) {name}\n", at + 1));
        }
        say(&format!("orchestrate: {question} [1-{}] ", names.len()));
        let chosen = line()?.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(chosen) = chosen.filter(|chosen| *chosen < names.len()) {
            return Some(chosen);
        }
    }
}

/// Asks a question that a yes or a no answers; an empty line means yes, a closed terminal no.
pub(crate) fn yes(question: &str) -> bool {
    loop {
        say(&format!("orchestrate: {question} [Y/n] "));
        match line().as_deref().map(str::trim) {
            Some("" | "y" | "yes") => return true,
            Some("n" | "no") | None => return false,
            Some(_) => {}
        }
    }
}

/// What a person answers about a task that is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Try it again.
    Retry,
    /// Leave it and go on with what does not depend on it.
    Skip,
    /// Open the plan in an editor, then try it again.
    Edit,
    /// Show the whole log of the last attempt.
    Log,
    /// End the run.
    Stop,
}

/// The answers: letter, word, meaning.
const ANSWERS: [(char, &str, Answer, &str); 5] = [
    ('r', "retry", Answer::Retry, "give the task fresh attempts"),
    ('s', "skip", Answer::Skip, "leave the task and go on with what does not depend on it"),
    ('e', "edit", Answer::Edit, "open the plan in $EDITOR, then try the task again"),
    ('l', "log", Answer::Log, "show what the worker and the checks of the last attempt printed"),
    ('q', "stop", Answer::Stop, "end the run; run it again to go on"),
];

/// Asks what to do about a task. `y` and `n` are the older spellings of skip and stop.
pub(crate) fn ask_about(task: &str) -> Answer {
    loop {
        say(&format!("task {task}: [r]etry, [s]kip, [e]dit plan, show [l]og, [q] stop, [?] help: "));
        // A terminal that is closed answers nothing.
        let Some(reply) = line() else { return Answer::Stop };
        let reply = reply.trim().to_lowercase();
        let found = ANSWERS.iter().find(|(letter, word, ..)| reply == *word || reply == letter.to_string());
        match (found, reply.as_str()) {
            (Some((_, _, answer, _)), _) => return *answer,
            (None, "y" | "yes") => return Answer::Skip,
            (None, "n" | "no" | "t") => return Answer::Stop,
            _ => ANSWERS
                .iter()
                .for_each(|(letter, word, _, about)| say(&format!("  {letter}  {word:<6} {about}\n"))),
        }
    }
}

fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

fn line() -> Option<String> {
    let mut text = String::new();
    std::io::stdin().lock().read_line(&mut text).ok().filter(|read| *read > 0).map(|_| text)
}
