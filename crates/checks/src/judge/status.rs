//! The exit status: 0 unless a clause says otherwise, each stage of a pipeline for itself.

use super::{Run, Stages, Verdict};
use crate::commands::class::{Classes, Nature, nature};
use crate::commands::shell::{Pipeline, Script};
use wire::plan::Clause;

/// SIGPIPE: the reader had enough.
const SIGPIPE: i32 = 141;

/// The verdict on the exit status.
pub(super) fn judge(run: &Run<'_>, clauses: &[Clause]) -> Verdict {
    let script = Script::parse(run.command);
    let exit = run.output.exit;
    let stages: &[i32] = match &run.output.stages {
        Stages::Known(stages) => stages,
        Stages::Single => &[],
        Stages::Unknown if exit == 0 && !run.nature.negated && !script.is_piped() => &[],
        Stages::Unknown => {
            return Verdict::NoVerdict("the stages of the pipe cannot be told apart".to_owned());
        }
    };
    // A list may have ended before its last pipeline; then the statuses are those of another one.
    let known = is_last(&script, stages).then(|| stages.split_last()).flatten();
    if let Some(verdict) = not_run(known.map_or(exit, |(last, _)| *last), clauses) {
        return verdict;
    }
    let raw = match stages.last() {
        Some(last) if known.is_some() || exit == 0 => *last,
        _ => exit,
    };
    if let Some(verdict) = could_not_look(&script, raw, exit) {
        return verdict;
    }
    let code = match known {
        Some((last, earlier)) => {
            if let Some(verdict) = earlier_stages(&script, earlier, *last, clauses) {
                return verdict;
            }
            // `!` negates the last stage only.
            if run.nature.negated { i32::from(*last == 0) } else { *last }
        }
        None => exit,
    };
    let text = format!("exit {code}");
    let is_status =
        |clause: &&Clause| matches!(clause, Clause::Exit { .. } | Clause::Fails | Clause::TestsPass);
    let mut asked = clauses.iter().filter(is_status).peekable();
    let holds = if asked.peek().is_some() {
        asked.all(|clause| match clause {
            Clause::Exit { code: wanted } => code == *wanted,
            Clause::Fails => (1..=125).contains(&code),
            _ => code == 0,
        })
    } else {
        code == 0 || code == 1 && !run.nature.negated && may_exit_with_1(&run.nature, clauses)
    };
    match (holds, code) {
        (true, _) => Verdict::Pass(text),
        (false, SIGPIPE) => Verdict::NoVerdict("a stage of a pipe was cut off".to_owned()),
        // What a signal ended has not said whether it fails.
        (false, 129..) if super::wants_failure(clauses) => {
            Verdict::NoVerdict(format!("a signal ended it: exit {code}"))
        }
        (false, _) => Verdict::Fail(text),
    }
}

/// Whether these are the statuses of the last pipeline: it is the only one, or the only one with so many stages.
fn is_last(script: &Script, stages: &[i32]) -> bool {
    let Some((last, others)) = script.pipelines.split_last() else { return false };
    let as_many = |pipeline: &Pipeline| pipeline.stages.len() == stages.len();
    !stages.is_empty() && !script.complex && as_many(last) && !others.iter().any(as_many)
}

/// A shell that could not start the command has seen nothing.
fn not_run(last: i32, clauses: &[Clause]) -> Option<Verdict> {
    let why = match last {
        126 => "the command cannot be run",
        127 => "the command is not there",
        _ => return None,
    };
    (!super::wants_code(clauses, last)).then(|| Verdict::NoVerdict(why.to_owned()))
}

/// A search or a test that exits with more than 1 met an error of its own.
fn could_not_look(script: &Script, code: i32, exit: i32) -> Option<Verdict> {
    let stages = &script.last()?.stages;
    let program = stages.last().and_then(|stage| stage.first()).map(String::as_str).unwrap_or_default();
    let looks = matches!(
        program,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "test" | "[" | "[[" | "cmp" | "diff" | "zgrep"
    );
    // A list that succeeded has come to its end.
    let came_here = script.pipelines.len() == 1 || exit == 0;
    (looks && (2..=125).contains(&code) && came_here)
        .then(|| Verdict::NoVerdict(format!("{program} could not look: exit {code}")))
        // What git could not do at all says nothing about what it was asked.
        .or_else(|| {
            (program == "git" && matches!(code, 128 | 129) && came_here)
                .then(|| Verdict::NoVerdict(format!("git could not look: exit {code}")))
        })
}

/// Every earlier stage must have succeeded.
fn earlier_stages(script: &Script, earlier: &[i32], last: i32, clauses: &[Clause]) -> Option<Verdict> {
    let stages = &script.last()?.stages;
    for (at, code) in earlier.iter().enumerate() {
        if *code == 0 {
            continue;
        }
        let words = stages.get(at).map(|stage| stage.join(" ")).unwrap_or_default();
        let own = nature(&words).classes;
        let judges = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::TASK]
            .iter()
            .any(|class| own.has(*class));
        if *code == SIGPIPE {
            if judges {
                return Some(Verdict::NoVerdict(format!(
                    "`{words}` was cut off by the next stage of the pipe"
                )));
            }
            if last == 0 {
                continue;
            }
        }
        // A search that finds nothing, and a clause about what comes out of it.
        let found_nothing = *code == 1 && (own.has(Classes::SEARCH) || own.has(Classes::COUNT));
        let of_output = clauses.iter().any(|clause| {
            matches!(
                clause,
                Clause::Empty
                    | Clause::Number { .. }
                    | Clause::Exactly { .. }
                    | Clause::Line { .. }
                    | Clause::Contains { .. }
                    | Clause::Matches { .. }
            )
        });
        if found_nothing && of_output {
            continue;
        }
        let text = format!("`{words}` exited with {code} before the last stage of the pipe");
        return Some(if judges { Verdict::Fail(text) } else { Verdict::NoVerdict(text) });
    }
    None
}

/// Commands that exit with 1 to say what a clause asks for.
fn may_exit_with_1(nature: &Nature, clauses: &[Clause]) -> bool {
    let zero = |text: &str| text.trim() == "0";
    let nothing = |clause: &Clause| match clause {
        Clause::Empty | Clause::Number { .. } => true,
        Clause::Line { text } | Clause::Exactly { text } => zero(text),
        _ => false,
    };
    let something = |clause: &Clause| {
        matches!(
            clause,
            Clause::NotEmpty
                | Clause::Line { .. }
                | Clause::Contains { .. }
                | Clause::Exactly { .. }
                | Clause::Matches { .. }
        )
    };
    let searches =
        nature.manner.searches || nature.classes.has(Classes::SEARCH) || nature.classes.has(Classes::COUNT);
    searches && clauses.iter().any(nothing)
        || nature.classes.has(Classes::DIFF) && clauses.iter().any(something)
}
