//! The exit status: 0 unless a clause says otherwise, each stage of a pipeline for itself.

use super::{Output, Run, Stages, Verdict};
use crate::commands::class::{Classes, nature};
use crate::commands::shell::Script;
use wire::plan::Clause;

/// SIGPIPE: the reader had enough.
const SIGPIPE: i32 = 141;

/// The verdict on the exit status.
pub(super) fn judge(run: &Run<'_>, clauses: &[Clause]) -> Verdict {
    let script = Script::parse(run.command);
    let piped = script.is_piped();
    let (last, earlier): (i32, &[i32]) = match &run.output.stages {
        Stages::Known(stages) => match stages.split_last() {
            Some((last, earlier)) => (*last, earlier),
            None => (run.output.exit, &[]),
        },
        Stages::Unknown if run.output.exit == 0 && !run.nature.negated && !piped => (0, &[]),
        Stages::Unknown => {
            return Verdict::NoVerdict("the stages of the pipe cannot be told apart".to_owned());
        }
        Stages::Single => (run.output.exit, &[]),
    };
    let known = matches!(run.output.stages, Stages::Known(_));
    if let Some(verdict) = not_run(last, clauses) {
        return verdict;
    }
    let of_last = run.nature.classes;
    if let Some(verdict) = could_not_look(&script, last, run.output, known) {
        return verdict;
    }
    if let Some(verdict) = earlier_stages(&script, earlier, last, clauses) {
        return verdict;
    }
    // What the shell makes of the last stage.
    let code = match (run.nature.negated && known, last) {
        (true, 0) => 1,
        (true, _) => 0,
        (false, code) => code,
    };
    // A list may have ended before its last pipeline.
    let code = if known && run.output.exit != code && !piped && !run.nature.negated {
        run.output.exit
    } else {
        code
    };
    let text = format!("exit {code}");
    let explicit = clauses.iter().find_map(|clause| match clause {
        Clause::Exit { code: wanted } => Some(code == *wanted),
        Clause::Fails => Some((1..=125).contains(&code)),
        Clause::TestsPass => Some(code == 0),
        _ => None,
    });
    let all_explicit = clauses.iter().all(|clause| match clause {
        Clause::Exit { code: wanted } => code == *wanted,
        Clause::Fails => (1..=125).contains(&code),
        Clause::TestsPass => code == 0,
        _ => true,
    });
    let holds = match explicit {
        Some(_) => all_explicit,
        None => code == 0 || code == 1 && !run.nature.negated && may_exit_with_1(of_last, clauses),
    };
    match (holds, code) {
        (true, _) => Verdict::Pass(text),
        (false, SIGPIPE) => Verdict::NoVerdict("a stage of a pipe was cut off".to_owned()),
        (false, _) => Verdict::Fail(text),
    }
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
fn could_not_look(script: &Script, last: i32, output: &Output<'_>, known: bool) -> Option<Verdict> {
    let stages = &script.last()?.stages;
    let program = stages.last().and_then(|stage| stage.first()).map(String::as_str).unwrap_or_default();
    let looks = matches!(
        program,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "test" | "[" | "[[" | "cmp" | "diff" | "zgrep"
    );
    let code = if known { last } else { output.exit };
    (looks && (2..=125).contains(&code) && script.pipelines.len() == 1)
        .then(|| Verdict::NoVerdict(format!("{program} could not look: exit {code}")))
}

/// Every earlier stage must have succeeded.
fn earlier_stages(script: &Script, earlier: &[i32], last: i32, clauses: &[Clause]) -> Option<Verdict> {
    let stages = &script.last()?.stages;
    for (at, code) in earlier.iter().enumerate() {
        if *code == 0 {
            continue;
        }
        let words = stages.get(at).map(|stage| stage.join(" ")).unwrap_or_default();
        let classes = nature(&words).classes;
        let judges = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::TASK]
            .iter()
            .any(|class| classes.has(*class));
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
        let found_nothing = *code == 1 && (classes.has(Classes::SEARCH) || classes.has(Classes::COUNT));
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
fn may_exit_with_1(classes: Classes, clauses: &[Clause]) -> bool {
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
    (classes.has(Classes::SEARCH) || classes.has(Classes::COUNT)) && clauses.iter().any(nothing)
        || classes.has(Classes::DIFF) && clauses.iter().any(something)
}
