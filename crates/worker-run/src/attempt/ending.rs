//! How a run ended: everything that is read after a worker and all its processes have ended.

use crate::adapters::adapter::{self, RecordLocation};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::answer::{self, Answer};
use crate::attempt::choose_worker::{How, Worker as Chosen};
use crate::shell::{self, task_steps};
use config::profile::Profile;
use config::stop_words;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use supervise::Ended;
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::fs;
use transcripts::{Call, Kind, Source};
use wire::order::{Tokens, WorkerStatus};
use wire::{Order, Task};

/// How a run ended.
pub(crate) struct Ending {
    pub(crate) reading: Reading,
    pub(crate) answer: Option<Answer>,
}

impl Ending {
    /// Reads the worker's files in the folder of its attempt; `suffix` names the logs of a second question, `tail` is
    /// the end of the output.
    pub(crate) fn read(
        chosen: &Chosen,
        (order, profile): (&Order, &Profile),
        folder: &Path,
        ended: &Ended,
        (suffix, tail): (&str, &str),
    ) -> Result<Self, Fail> {
        if matches!(chosen.how, How::Shell) {
            let done = ended.exit_code == Some(0);
            let status = if done { WorkerStatus::Success } else { WorkerStatus::Error };
            let outputs = shell::outputs(&order.task, folder)?;
            let stderr = log(folder, "stderr.log", "")?;
            let said =
                ClientOutput { stdout: "", stderr: &stderr, exit: ended.exit_code, signal: ended.signal };
            let lasting = ended.exit_code == Some(task_steps::FLOW_FAILED);
            let fault = (!done).then(|| Fault { lasting, ..said.without_end() });
            let answer = Some(Answer { status, outputs, ..Answer::silence() });
            return Ok(Self { reading: Reading { fault, ..Reading::default() }, answer });
        }
        let cut = if ended.truncated { tail } else { "" };
        let stdout = log(folder, &format!("stdout{suffix}.log"), cut)?;
        let stderr = log(folder, &format!("stderr{suffix}.log"), "")?;
        let said =
            ClientOutput { stdout: &stdout, stderr: &stderr, exit: ended.exit_code, signal: ended.signal };
        let reading = (chosen.adapter.read)(&said);
        let mut answer = answer::read(&reading.text).or_else(|| answer::read_markdown(&reading.text));
        // An inspection may state its verdict in the report, so words outside of the answer count too.
        if let (Some(answer), true) = (&mut answer, order.task.is_inspection()) {
            let both = [answer.validity.take(), stop_words::stated_validity(profile, &reading.text)];
            let label = &profile.validity_label;
            let both: Vec<String> =
                both.into_iter().flatten().map(|value| format!("{label}: {value}")).collect();
            answer.validity = stop_words::stated_validity(profile, &both.join("\n"));
        }
        Ok(Self { reading, answer })
    }

    /// The same, where the checks of the task decide: a program that ended well and answered in its own words is done, and
    /// its last words are the summary.
    pub(crate) fn with_plain_answer(mut self, task: &Task, ended: &Ended) -> Self {
        let has_check = task.criteria.iter().any(|criterion| criterion.runnable);
        if self.answer.is_none() && has_check && ended.exit_code == Some(0) && self.reading.fault.is_none() {
            let text = self.reading.text.trim();
            let from = text.char_indices().rev().nth(LAST_WORDS - 1).map_or(0, |(at, _)| at);
            let summary = text.get(from..).unwrap_or_default().to_owned();
            self.answer = Some(Answer { status: WorkerStatus::Success, summary, ..Answer::silence() });
        }
        self
    }
}

/// How many characters at the end of an answer in plain words are its summary.
const LAST_WORDS: usize = 600;

/// A log as text; if it was too long to be kept completely, its end comes from memory.
fn log(folder: &Path, name: &str, tail: &str) -> Result<String, Fail> {
    let bytes = fs::read_if_there(&folder.join(name))?.unwrap_or_default();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if !tail.is_empty() {
        text.push('\n');
        text.push_str(tail);
    }
    Ok(text)
}

/// What a client's own record says about a run.
#[derive(Debug, Default)]
pub(crate) struct Attested {
    /// The path relative to the root, or absolute if it lies outside.
    pub(crate) transcript: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) cost: Option<f64>,
    pub(crate) tokens: Option<Tokens>,
    /// The files that it wrote, as the record names them.
    pub(crate) wrote: Vec<String>,
    /// Why its record cannot be read.
    pub(crate) problem: Option<String>,
    /// The stamp of the record that the configuration names.
    stamp: Option<Stamp>,
}

/// Finds the record and reads who did the work. It is found by the session's name, never by its age; if the client
/// keeps none, its output is its record.
pub(crate) fn attest(
    chosen: &Chosen,
    order: &Order,
    place: &Path,
    folder: &Path,
    reading: &Reading,
    asked: &str,
) -> Attested {
    let root = Path::new(&order.plan.root);
    if let Some(name) = &chosen.rule.transcript {
        let path = match toolkit::files::root::inside(place, name) {
            Ok(path) => Some(path).filter(|path| path.is_file()),
            Err(fail) => {
                let problem = format!("the record that the configuration names is not read: {fail}");
                return Attested { problem: Some(problem), ..Attested::default() };
            }
        };
        let shown = |path: &PathBuf| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        let stamp = path.as_deref().and_then(Stamp::at);
        let mut wrote = Vec::new();
        if let Some(path) = &path {
            // Any text may be named; `punch` says what is wrong with one that it cannot read.
            let record = transcripts::read(path, None, &mut |call| written(call, &mut wrote));
            let record = record.unwrap_or_default();
            let (cost, tokens) = (told(record.cost, record.tokens), record.tokens);
            return Attested {
                transcript: Some(shown(path)),
                wrote,
                cost,
                tokens,
                stamp,
                ..Attested::default()
            };
        }
        return Attested { stamp, ..Attested::default() };
    }
    if chosen.adapter.name == "plain" || matches!(chosen.how, How::Shell) {
        return Attested::default();
    }
    let session = reading.session.as_deref().unwrap_or(asked);
    let variable = |name: &str| chosen.rule.env.get(name).cloned().or_else(|| env::get(name));
    let place = RecordLocation { session, folder, tree: place, variable: &variable };
    let path = (chosen.adapter.record)(&place).unwrap_or_else(|| folder.join("stdout.log"));
    // A record in the attempt's own folder holds this session alone.
    let shared = (!path.starts_with(folder)).then_some(session);
    let source = Source { path: &path, session: reading.session.as_deref().or(shared) };
    let mut wrote = Vec::new();
    let read = transcripts::read_session(&source, Some(chosen.adapter.name), &mut |call| {
        written(call, &mut wrote);
    });
    let problem = read.as_ref().err().map(|fail| format!("the client's record cannot be read: {fail}"));
    let mut record = read.unwrap_or_default();
    // An agent may tell the tokens of its last request alone.
    if let Some(own) = behind(chosen, &place) {
        record.tokens = own.tokens.or(record.tokens);
        record.cost = record.cost.or(own.cost);
        record.model = own.model.or(record.model);
    }
    let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
    Attested {
        transcript: path.exists().then_some(shown),
        session: reading.session.clone().or(record.session_id),
        model: record.model.or_else(|| reading.model.clone()),
        mode: record.mode,
        cost: told(reading.cost.or(record.cost), record.tokens),
        tokens: record.tokens,
        wrote,
        problem,
        stamp: None,
    }
}

/// The record of the client behind an agent, which has its session's name.
fn behind(chosen: &Chosen, place: &RecordLocation<'_>) -> Option<transcripts::Record> {
    let How::Acp { argv } = &chosen.how else { return None };
    let client = adapter::behind(argv.first()?)?;
    let path = (client.record)(place)?;
    let source = Source { path: &path, session: Some(place.session) };
    transcripts::read_session(&source, Some(client.name), &mut |_| ()).ok()
}

/// The cost that a client tells. Where it does not know the price of a model, it says that its tokens cost nothing.
fn told(cost: Option<f64>, tokens: Option<Tokens>) -> Option<f64> {
    let used = tokens.is_some_and(|tokens| tokens.total() > 0);
    cost.filter(|cost| *cost > 0.0 || !used)
}

/// Adds the files that a call wrote.
fn written(call: Call, wrote: &mut Vec<String>) {
    if matches!(call.kind, Kind::Edit | Kind::Write) && call.ok != Some(false) {
        wrote.extend(call.target.into_iter().chain(call.more));
    }
}

impl Attested {
    /// A record that has not changed since before the worker started says nothing about this worker.
    pub(crate) fn newer_than(self, old: Option<&Stamp>) -> Self {
        if self.stamp.is_none() || self.stamp.as_ref() != old {
            return self;
        }
        let problem = "the record that the configuration names was not written to".to_owned();
        Self { transcript: None, wrote: Vec::new(), cost: None, tokens: None, problem: Some(problem), ..self }
    }
}

/// The length of a file, and when it was last written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp(u64, SystemTime);

impl Stamp {
    /// The stamp of the record that the configuration names.
    pub(crate) fn of(chosen: &Chosen, place: &Path) -> Option<Self> {
        Self::at(&toolkit::files::root::inside(place, chosen.rule.transcript.as_ref()?).ok()?)
    }

    fn at(path: &Path) -> Option<Self> {
        let about = path.metadata().ok()?;
        Some(Self(about.len(), about.modified().ok()?))
    }
}

/// Whether the model that did the work is the requested one.
pub(crate) fn model_match(wanted: Option<&str>, reported: Option<&str>) -> Option<String> {
    let wanted = wanted?;
    let word = match reported {
        None => "unknown",
        // A short name (`sonnet`) stands for its whole family.
        Some(reported) if reported == wanted || reported.contains(wanted) => "same",
        Some(_) => "other",
    };
    Some(word.to_owned())
}

/// The last lines of the output.
pub(crate) fn tail_of(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].iter().map(|l| (*l).to_owned()).collect()
}
