//! Questions about sessions: nothing is touched.

use crate::args::{ChainArgs, Form, Stage, Verify};
use crate::here;
use serde::Serialize;
use sessions::{Against, Ask, Chain, Moment, SessionText};
use std::fmt::Write;
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Session;
use wire::chain::{ChainDoc, ChainProblem, ResumeDoc};
use wire::verify::VerifyDoc;

/// What a session holds.
pub(crate) fn summary(file: Option<&Path>, source: bool, form: Form, out: &mut Output) -> Result<Exit, Fail> {
    let sheet = open(file)?;
    let (session, sha256) = sheet.judged(|file| sessions::summary(&sheet.path, file))?;
    let session = Session { sha256, ..session };
    if source {
        out.document(&sessions::summary::source::shape(&session), form.pretty)?;
    } else {
        print(&session, form, out, sessions::summary::text)?;
    }
    Ok(Exit::Ok)
}

/// Whether a session is what it must be.
pub(crate) fn verify(asked: &Verify, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let config = asked.config.load(&here()?)?;
    let sheet = open(asked.file.as_deref())?;
    let path = Path::new(&sheet.path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut ask = Ask::of_name(&name, config.sessions);
    if let Some(stage) = asked.stage {
        ask.against = match stage {
            Stage::Prep => Against::Prep,
            Stage::Execution => Against::Execution,
        };
    }
    if let Some(task) = &asked.task {
        ask.task = Some(wire::ids::key_of(task));
    }
    if let Some(task) = &ask.task {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        ask.others = sessions::others(folder.unwrap_or(Path::new(".")), task);
    }
    if let Some(number) = asked.require_reasoning {
        ask.against = Against::Execution;
        ask.reasoning = Some(number);
    }
    ask.now = Moment::parse(&clock.now());
    let verdict = sessions::verify(&sheet, &ask)?;
    answer(&verdict, asked.form, out)
}

/// Prints a verdict; its answer is the exit.
pub(crate) fn answer(verdict: &VerifyDoc, form: Form, out: &mut Output) -> Result<Exit, Fail> {
    print(verdict, form, out, |verdict| {
        let word = |ok: bool| if ok { "pass" } else { "FAIL" };
        let mut text = String::new();
        for rule in &verdict.rules {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}  {:<20} {}", word(rule.ok), rule.rule, rule.found);
        }
        let _ = writeln!(text, "{}  {} as {}", word(verdict.ok), verdict.path, verdict.stage);
        text
    })?;
    Ok(if verdict.ok { Exit::Ok } else { Exit::No })
}

/// The chain of a task.
pub(crate) fn chain(asked: &ChainArgs, out: &mut Output) -> Result<Exit, Fail> {
    let chain = Chain::read(&asked.dir, &asked.task)?;
    print(&chain.document(), asked.form, out, chain_text)?;
    Ok(if chain.is_whole() { Exit::Ok } else { Exit::No })
}

/// Where to go on.
pub(crate) fn resume(asked: &ChainArgs, out: &mut Output) -> Result<Exit, Fail> {
    let chain = Chain::read(&asked.dir, &asked.task)?;
    let resume = sessions::resume(&chain)?;
    print(&resume, asked.form, out, resume_text)?;
    Ok(if chain.is_whole() { Exit::Ok } else { Exit::No })
}

fn chain_text(chain: &ChainDoc) -> String {
    let mut text = String::new();
    for link in &chain.links {
        let held = link.held_by.as_deref().map(|by| format!(", held by its {by}")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<12} {} (+{} thoughts{held})", link.link, link.path, link.added);
    }
    problems(&mut text, &chain.problems);
    if chain.ok {
        let _ = writeln!(text, "whole");
    }
    text
}

fn resume_text(resume: &ResumeDoc) -> String {
    let mut text = String::new();
    match &resume.last {
        Some(last) => {
            let _ = writeln!(text, "last whole link: {} ({})", last.link, last.path);
        }
        None => {
            let _ = writeln!(text, "no whole link");
        }
    }
    let _ = writeln!(text, "next: {}", resume.next);
    problems(&mut text, &resume.problems);
    text
}

fn problems(text: &mut String, problems: &[ChainProblem]) {
    for problem in problems {
        let _ = writeln!(text, "{}: {}: {}", problem.code, problem.link, problem.message);
    }
}

fn open(file: Option<&Path>) -> Result<SessionText, Fail> {
    let input = Input::open(file)?;
    if input.is_file {
        // A file's size is known, which a large one is read quicker by.
        return SessionText::open(&input.name);
    }
    let name = input.name.to_string_lossy().into_owned();
    SessionText::of(&name, input.bytes()?)
}

fn print<T: Serialize>(
    value: &T,
    form: Form,
    out: &mut Output,
    text: impl Fn(&T) -> String,
) -> Result<(), Fail> {
    if form.format.is_text() { out.shown(&text(value)) } else { out.document(value, form.pretty) }
}
