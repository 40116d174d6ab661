//! Words of a worker that mean stop, whatever its status says.
//!
//! A source workflow lets its workers end a task in words: `UNFIXABLE: …`, `blocked: …`, `Session validity: FAIL`. The
//! workflow's [`Profile`] lists them. A word counts as a field of the answer or at the beginning of a text; a sentence that
//! mentions it further on does not stop anything.

use crate::profile::Profile;
use serde::Deserialize;
use wire::Task;
use wire::order::{Category, Halt, Worker, WorkerStatus};

/// One word that means stop.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StopWord {
    /// The word; case does not count.
    pub word: String,
    /// The code of the halt.
    pub code: String,
    /// Where it counts besides the fields of the answer.
    pub at: At,
}

/// Where in an answer a word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// Only as a field.
    Field,
    /// At the beginning of the text as well.
    Text,
    /// At the beginning of any line of a text as well.
    Line,
}

/// Labels that may stand before a word.
const LABELS: [&str; 6] = ["status", "verdict", "result", "outcome", "return", "answer"];

/// Values that say that there is nothing of the kind: `UNFIXABLE: none`.
const NOTHING: [&str; 10] =
    ["none", "0", "no", "nothing", "n/a", "nil", "zero", "false", "no issues", "none found"];

/// Verdicts on a preparation that let it pass. Any other verdict refuses it.
const PASSES: [&str; 8] = ["pass", "passed", "passes", "valid", "ok", "yes", "true", "holds"];
const FAILS: [&str; 4] = ["fail", "failed", "fails", "invalid"];

/// The longest quotation of a worker's words in a message, in characters.
const QUOTED: usize = 300;

/// Why the answer of a worker stops its order for a person; the stage that asks gives its name.
pub fn halt(stage: &str, profile: &Profile, task: &Task, worker: &Worker) -> Option<Halt> {
    let stop = |code: &str, category, message| Halt {
        stage: stage.to_owned(),
        code: code.to_owned(),
        category,
        message,
        retry: false,
        counts: true,
        not_before: None,
    };
    if let Some(words) = refused_preparation(profile, task, worker) {
        let message =
            format!("the preparation does not hold, the worker says \"{words}\": run start-task first");
        return Some(stop("session-invalid", Category::PlanError, message));
    }
    if let Some((code, words)) = stop_word(profile, worker) {
        let message = format!("the worker says \"{words}\": a person must decide");
        return Some(stop(code, Category::Unknown, message));
    }
    let changed = if task.is_inspection() { changed_files(worker) } else { Vec::new() };
    if changed.is_empty() {
        return None;
    }
    let message = format!("the worker must only look, and changed {}: keep or undo that", changed.join(", "));
    Some(stop("changed-files", Category::Unknown, message))
}

/// The files that a worker changed besides the record that it keeps of itself.
fn changed_files(worker: &Worker) -> Vec<&str> {
    let own = worker.transcript.as_deref();
    worker.changed_files.iter().map(String::as_str).filter(|path| Some(*path) != own).collect()
}

/// The line of a review without its decoration, if it says that an issue cannot be mended.
pub fn unfixable(profile: &Profile, line: &str) -> Option<String> {
    let mut words = profile.stop_words.iter().filter(|row| row.at == At::Line);
    words
        .any(|row| leads(line, &row.word))
        .then(|| quoted(line.replace(['*', '_', '`'], "").trim_start_matches(['-', '#', ' '])))
}

/// The lines of a review that say of an issue that it cannot be mended. One that says no more has the issue's heading and
/// the line below it.
pub fn unfixable_in(profile: &Profile, text: &str) -> Vec<String> {
    let (mut found, mut heading) = (Vec::new(), "");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for (at, line) in lines.iter().enumerate() {
        if let Some(said) = unfixable(profile, line) {
            let last = words(&said).last().unwrap_or_default();
            let is_bare = profile.stop_words.iter().any(|row| row.word.eq_ignore_ascii_case(last));
            let below = lines.get(at + 1).copied().filter(|next| !next.starts_with(['#', '-', '*', '|']));
            let more: Vec<&str> =
                [heading, below.unwrap_or_default()].into_iter().filter(|t| !t.is_empty()).collect();
            let more = if is_bare { more.join(": ") } else { String::new() };
            found.push(if more.is_empty() { said } else { quoted(&format!("{said}: {more}")) });
        } else if line.starts_with('#') {
            heading = line.trim_start_matches(['#', ' ']);
        }
    }
    found
}

/// What a text says about the validity of the session, at the beginning of a line; a refusal counts before a pass.
pub fn stated_validity(profile: &Profile, text: &str) -> Option<String> {
    let label = profile.validity_label.as_str();
    let all: Vec<&str> = text.lines().filter_map(|line| validity_in(label, line)).collect();
    all.iter().find(|value| refuses(value)).or(all.first()).map(|value| quoted(value))
}

/// The words that refuse the preparation.
fn refused_preparation(profile: &Profile, task: &Task, worker: &Worker) -> Option<String> {
    let label = profile.validity_label.as_str();
    if label.is_empty() {
        return None;
    }
    let texts = || std::iter::once(&worker.summary).chain(&worker.issues);
    let stated = || texts().flat_map(|text| text.lines()).filter(|line| validity_in(label, line).is_some());
    if let Some(line) = stated().find(|line| validity_in(label, line).is_some_and(refuses)) {
        return Some(quoted(line));
    }
    if !task.is_inspection() {
        return None;
    }
    if let Some(value) = worker.validity.as_deref().filter(|value| refuses(value)) {
        return Some(quoted(&format!("Session validity: {value}")));
    }
    let verdict = worker.verdict.as_deref().unwrap_or_default();
    if is_one_of(words(verdict).next().unwrap_or_default(), &FAILS) {
        return Some(quoted(&format!("verdict: {verdict}")));
    }
    let first = words(&worker.summary).next().unwrap_or_default();
    let shouts = |wanted: &[&str]| {
        let shouted = |word: &str| word.len() > 2 && !word.contains(|c: char| c.is_ascii_lowercase());
        words(&worker.summary).any(|word| shouted(word) && is_one_of(word, wanted))
    };
    if is_one_of(first, &FAILS) || (shouts(&FAILS) && !shouts(&PASSES)) {
        return Some(quoted(&worker.summary));
    }
    if let Some(failed) = worker.claims.iter().find(|claim| is_one_of(&claim.status, &FAILS)) {
        let words = format!("{} {}: {} {}", failed.id, failed.description, failed.status, failed.reason);
        return Some(quoted(&words));
    }
    // Nothing refuses it; it passes only where the answer says so.
    let says_so = worker.status != WorkerStatus::Success
        || worker.validity.is_some()
        || stated().next().is_some()
        || is_one_of(words(verdict).next().unwrap_or_default(), &PASSES)
        || is_one_of(first, &PASSES)
        || shouts(&PASSES);
    (!says_so).then(|| quoted(&format!("{} (no word of {label})", worker.summary)))
}

/// The first word of the profile that the answer has as a field or at the beginning of a text.
fn stop_word<'p>(profile: &'p Profile, worker: &Worker) -> Option<(&'p str, String)> {
    let error = worker.error.as_ref();
    let code = error.map(|error| error.code.as_str()).unwrap_or_default();
    let verdict = worker.verdict.as_deref().unwrap_or_default();
    let message = error.map(|error| error.message.as_str()).unwrap_or_default();
    for row in &profile.stop_words {
        if code.trim().trim_end_matches(':').eq_ignore_ascii_case(&row.word) {
            let said = if message.is_empty() { &worker.summary } else { message };
            return Some((row.code.as_str(), quoted(&format!("{}: {said}", row.word))));
        }
        if first_word_is(verdict, &row.word) {
            let alone = words(verdict).count() == 1 && !worker.summary.is_empty();
            let said = if alone { format!("{}: {}", row.word, worker.summary) } else { verdict.to_owned() };
            return Some((row.code.as_str(), quoted(&said)));
        }
        if row.at == At::Field {
            continue;
        }
        let texts =
            [worker.summary.as_str(), message].into_iter().chain(worker.issues.iter().map(String::as_str));
        let lines = texts.flat_map(|text| {
            let most = if row.at == At::Line { usize::MAX } else { 1 };
            text.lines().filter(|line| !line.trim().is_empty()).take(most)
        });
        if let Some(line) = lines.into_iter().find(|line| leads(line, &row.word)) {
            return Some((row.code.as_str(), quoted(line)));
        }
    }
    None
}

/// Whether a line begins with a word as a label: with a colon or a dash behind it, alone, or in capitals. A label such as
/// `Status:` may stand before it, and decoration counts for nothing.
fn leads(line: &str, word: &str) -> bool {
    let mut text = undecorated(line);
    if let Some((label, rest)) = text.split_once(':')
        && is_one_of(label.trim_end_matches(['*', '_', '`', ' ']), &LABELS)
    {
        text = undecorated(rest);
    }
    let Some(rest) = after_word(text, word) else { return false };
    let shouted = text.chars().take(word.len()).all(|c| c.is_ascii_uppercase());
    let rest = rest.trim_start_matches(['*', '_', '`', ' ', ']', ')']);
    let value = rest.rsplit_once([':', '：']).map_or(rest, |(_, value)| value);
    let nothing = is_one_of(value.trim_matches(|c: char| !c.is_alphanumeric()), &NOTHING);
    let labelled = rest.is_empty() || rest.starts_with([':', '：', '–', '—']) || rest.starts_with("- ");
    (labelled || shouted) && !nothing
}

/// Whether a field begins with a word.
fn first_word_is(value: &str, word: &str) -> bool {
    let text = undecorated(value);
    let rest = after_word(text, word);
    let nothing = |rest: &str| is_one_of(rest.trim_matches(|c: char| !c.is_alphanumeric()), &NOTHING);
    rest.is_some_and(|rest| rest.is_empty() || !nothing(rest))
}

/// The rest of a text that begins with a whole word.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text
        .get(word.len()..)
        .filter(|_| text.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes()))?;
    let joined = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’');
    let ends = !rest.starts_with(joined) || rest.starts_with("- ");
    ends.then_some(rest)
}

/// What a line says after the label.
fn validity_in<'t>(label: &str, line: &'t str) -> Option<&'t str> {
    if label.is_empty() {
        return None;
    }
    let rest = after_word(undecorated(line), label)?.trim_start_matches(['*', '_', '`', ' ']);
    let value = rest.strip_prefix([':', '=', '：', '–', '—', '-']).unwrap_or(rest);
    let stated = value.len() < rest.len() || is_one_of(words(rest).next().unwrap_or_default(), &FAILS);
    stated.then(|| undecorated(value))
}

/// Whether a verdict refuses the preparation: everything but a clear pass does; a missing verdict does not.
fn refuses(value: &str) -> bool {
    let value = undecorated(value);
    let Some(first) = words(value).next() else { return false };
    let rest = value.get(first.len()..).unwrap_or_default().trim_start_matches([' ', '*', '`', '"']);
    // `PASS | FAIL` is the question and no answer.
    !is_one_of(first, &PASSES) || rest.starts_with(['/', '|'])
}

/// A text from its first letter or digit on.
fn undecorated(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// One line of a worker's words, not too long.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= QUOTED { line } else { line.chars().take(QUOTED).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::{first_word_is, leads, stated_validity, unfixable, unfixable_in, validity_in};
    use crate::profile::Profile;

    #[test]
    fn a_word_leads_a_line_as_a_label() {
        for line in [
            "UNFIXABLE: x",
            "UNFIXABLE",
            "UNFIXABLE, the design forbids it",
            "- **UNFIXABLE**: x",
            "❌ Unfixable: x",
            "**Status**: UNFIXABLE: x",
            "Status UNFIXABLE",
            "## UNFIXABLE issues",
            "[UNFIXABLE] x",
            "unfixable — x",
        ] {
            let line = line.strip_prefix("Status ").unwrap_or(line);
            assert!(leads(line, "UNFIXABLE"), "{line}");
        }
        for line in ["Blocked: x", "blocked : x", "blocked", "BLOCKED by y", "> blocked: x"] {
            assert!(leads(line, "blocked"), "{line}");
        }
    }

    #[test]
    fn a_sentence_that_mentions_a_word_does_not() {
        let runbook = Profile::of_dialect("runbook").unwrap();
        for line in [
            "nothing is UNFIXABLE: all is well",
            "UNFIXABLE: none",
            "UNFIXABLE: 0",
            "**UNFIXABLE issues:** none.",
            "UNFIXABLES: x",
            "FIXED: what was UNFIXABLE: x",
        ] {
            assert!(!leads(line, "UNFIXABLE"), "{line}");
            assert_eq!(unfixable(runbook, line), None, "{line}");
        }
        for line in
            ["blocked shelves are counted", "the door is blocked: open it", "blocked-by: 3", "not blocked: x"]
        {
            assert!(!leads(line, "blocked"), "{line}");
        }
        assert!(!leads("Design is kept: one table", "design") && leads("design: one table?", "design"));
        assert!(first_word_is("design", "design") && !first_word_is("designed", "design"));
        assert!(!first_word_is("done | blocked: …", "blocked"));
    }

    #[test]
    fn an_issue_that_cannot_be_mended_is_told_by_its_own_text() {
        let runbook = Profile::of_dialect("runbook").unwrap();
        let text = "# Vet\n\n### 1. auth is wrong\n**Status**: UNFIXABLE\nneeds a decision\n\n### 2. x\n**Status**: FIXED\n";
        assert_eq!(unfixable_in(runbook, text), ["Status: UNFIXABLE: 1. auth is wrong: needs a decision"]);
        assert_eq!(unfixable_in(runbook, "- UNFIXABLE: no way\n"), ["UNFIXABLE: no way"]);
        assert_eq!(unfixable_in(runbook, "## UNFIXABLE: none\n"), Vec::<String>::new());
    }

    #[test]
    fn a_verdict_on_the_session_is_read_from_a_line_of_its_own() {
        let validity_in = |line| validity_in("session validity", line);
        let stated_validity = |text| stated_validity(Profile::of_dialect("handoff").unwrap(), text);
        assert_eq!(validity_in("- **Session validity:** FAIL"), Some("FAIL"));
        assert_eq!(validity_in("Session validity FAIL"), Some("FAIL"));
        assert_eq!(validity_in("Session validity was looked at"), None);
        assert_eq!(
            stated_validity("Session validity: PASS\nSession validity: FAIL").as_deref(),
            Some("FAIL")
        );
        assert_eq!(stated_validity("Say it: Session validity: FAIL"), None);
    }
}
