//! Reads one task from its section.

use super::section::{Section, Sections};
use super::{verify, waits};
use crate::criteria::acceptance;
use crate::criteria::locate::{self, Purpose};
use crate::criteria::unclear::without_rewrite;
use crate::fields::labels::{LabelledField, Name, fields};
use crate::fields::{inputs, item_text, paths};
use crate::formats::workflows::plan_md::commit_strategy;
use crate::read::fingerprint;
use crate::states::decoration;
use crate::{Plan, references};
use checks::{Reading, Synonyms, Unclear};
use markdown::marks::{self, Meaning};
use markdown::{Extent, Outline, code_spans, two_threads};
use serde_json::{Value, json};
use wire::plan::{Criterion, Diagnostic, FileUse, Kind, Severity};
use wire::{State, Task, ids};

/// References from a section to other tasks, resolved once all tasks are known.
#[derive(Default)]
pub(crate) struct Link {
    /// Producers named by references in the inputs, with their offset.
    pub(crate) inputs: Vec<(String, usize)>,
    /// Producers of inputs such as `todo-1.path`, with their offset. The name of a file may look the same.
    pub(crate) products: Vec<(String, usize)>,
    /// The text of a field that states dependencies, with its offset.
    pub(crate) depends: Vec<(String, usize)>,
}

/// Reads the task of a section, which already has its id and title; dependencies and fingerprint come later.
pub(crate) fn read(
    outline: &Outline,
    section: &Section,
    task: &mut Task,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Box<Link>> {
    let head = &section.head;
    let mark = head.mark.unwrap_or_default();
    task.key = ids::key_of(&task.id.0);
    // The box is on the first line of the section.
    let first = outline.line(section.at.start);
    task.state_from = Some(outline.place_on(first));
    task.span = outline.span_on(first, section.at);
    task.mark = Some(outline.span_on(first, mark));
    if head.added {
        task.extra.insert("added".to_owned(), Value::Bool(true));
    }
    let mut link = Link::default();
    let (intro, fields) = fields(outline, section.text);
    steps(outline, intro, task);
    for field in &fields {
        take(outline, field, task, &mut link, diagnostics);
    }
    let mut taken: Vec<Extent> = Vec::new();
    for fence in outline.fences_in(section.text) {
        let field = fields.iter().find(|field| holds(field.body, fence.at.start));
        let is_yaml = matches!(fence.language.as_str(), "yaml" | "yml");
        if verify::is_block(outline, fence)
            || is_yaml && field.is_some_and(|field| field.name == Name::Verify)
        {
            check(outline, verify::read(outline, fence, diagnostics), task);
            taken.push(fence.at);
        }
    }
    others(outline, section.text, &fields, taken, task);
    // A list grows in steps of four, but most have one entry.
    task.criteria.shrink_to_fit();
    task.steps.shrink_to_fit();
    task.state = state(outline, section, intro, task, diagnostics);
    if !section.is_named {
        let message = format!("a boxed heading without an id is known as '{}'", task.id);
        diagnostics.push(outline.diagnostic(Severity::Warning, "heading-without-id", message, head.at.start));
    }
    // Most sections name no other task.
    (!link.inputs.is_empty() || !link.products.is_empty() || !link.depends.is_empty()).then(|| Box::new(link))
}

/// Checks outside of the fields of criteria, in the forms that every dialect has.
fn others(outline: &Outline, at: Extent, fields: &[LabelledField], mut taken: Vec<Extent>, task: &mut Task) {
    let read = |field: &&LabelledField| !matches!(field.name, Name::Steps | Name::Other(_));
    for field in fields.iter().filter(read) {
        let start = field.inline.start;
        taken.retain(|fence| !holds(field.body, fence.start));
        taken.push(Extent { start, end: field.body.end.max(field.inline.end).max(start) });
    }
    taken.sort_unstable_by_key(|at| at.start);
    locate::add(task, "verify", locate::find(outline, at, Purpose::Work, &taken));
}

/// Computes every task's fingerprint, now that its dependencies are known.
pub(crate) fn seal(outline: &Outline, sections: &Sections, plan: &mut Plan) {
    two_threads::fill(&mut plan.tasks, &sections.list, |task, section, _: &mut Vec<()>| {
        task.fingerprint = fingerprint::of(outline, section.at, section.head.at, &task.depends_on);
    });
}

fn state(
    outline: &Outline,
    section: &Section,
    intro: Extent,
    task: &Task,
    diagnostics: &mut Vec<Diagnostic>,
) -> State {
    let mark = section.head.mark.unwrap_or_default();
    let line = outline.str(section.head.at);
    let dropped = || {
        let kind = task.extra.get("type").and_then(Value::as_str).unwrap_or_default();
        decoration::says_dropped(line)
            || decoration::says_dropped(kind)
            || decoration::says_dropped(outline.str(intro))
    };
    let mut warn = |code, message| {
        let mut found = outline.diagnostic(Severity::Warning, code, message, mark.start);
        found.task = Some(task.id.clone());
        diagnostics.push(found);
    };
    match marks::meaning(outline.str(mark)) {
        Meaning::Is(State::Pending) => {
            if line.contains("~~") {
                warn(
                    "struck-title",
                    "the title is struck out but the box is open: taken as not done".to_owned(),
                );
            }
            State::Pending
        }
        Meaning::Is(state) => state,
        Meaning::Dropped if dropped() => State::Skipped,
        Meaning::Dropped => State::Blocked,
        Meaning::Unknown => {
            warn("unknown-mark", format!("unknown mark '{}' is taken as not done", outline.shown(mark)));
            State::Pending
        }
    }
}

fn take(
    outline: &Outline,
    field: &LabelledField,
    task: &mut Task,
    link: &mut Link,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let inline = outline.shown(field.inline);
    match &field.name {
        Name::Type => kind(&inline, task),
        Name::Tools => {
            let tools = tools(outline, field);
            if !tools.is_empty() {
                task.extra.insert("required_tools".to_owned(), Value::Array(tools));
            }
        }
        Name::Inputs => {
            for (text, at) in entries(outline, field, field.body) {
                link.inputs.extend(references(&text).into_iter().map(|found| (found.producer, at)));
                let named = inputs::inputs(&text);
                link.products.extend(named.iter().filter_map(inputs::producer).map(|id| (id.to_owned(), at)));
                task.inputs.extend(named);
            }
        }
        Name::Outputs => {
            for (text, _) in entries(outline, field, field.body) {
                let outputs = inputs::outputs(&text);
                task.files.extend(outputs.iter().filter_map(inputs::file));
                task.outputs.extend(outputs);
            }
        }
        Name::Steps => steps(outline, field.body, task),
        Name::MustNot => task.must_not.extend(texts(outline, field)),
        Name::References => task.references.extend(texts(outline, field)),
        Name::Criteria => acceptance::read(outline, &task.id.0, "", field, &mut task.criteria),
        Name::Verify => acceptance::read(outline, &task.id.0, "verify", field, &mut task.criteria),
        Name::Risk => note(task, "risk", &inline),
        Name::Rollback => {
            let mut text = texts(outline, field).join("\n");
            if text.is_empty() {
                text = item_text::joined(outline, outline.trimmed(field.body));
            }
            note(task, "rollback", &text);
        }
        Name::Depends => link.depends.extend(entries(outline, field, waits::list(outline, field))),
        Name::Files => {
            let files = texts(outline, field).into_iter().flat_map(|text| paths::listed(&text));
            let written = files.filter(|path| inputs::is_path(path));
            task.files.extend(written.map(|path| FileUse { path, action: "write".to_owned() }));
        }
        Name::Commit => commit_strategy::stated(outline, field, &texts(outline, field), task),
        // `**2.1 Screen**:` belongs to the steps.
        Name::Other(name) if name.starts_with(|c: char| c.is_ascii_digit()) => {
            steps(outline, field.body, task);
        }
        Name::Other(name) => other(outline, field, name, task, diagnostics),
    }
}

fn kind(text: &str, task: &mut Task) {
    let word =
        text.trim_matches(['`', '*', ' ']).split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    task.kind = match word.to_lowercase().as_str() {
        "verification" | "verify" => Kind::Verification,
        "human" => Kind::Human,
        "checkpoint" => Kind::Checkpoint,
        _ => Kind::Work,
    };
    if !text.eq_ignore_ascii_case("work") && !text.eq_ignore_ascii_case("verification") {
        note(task, "type", text);
    }
}

fn note(task: &mut Task, name: &str, text: &str) {
    if !item_text::is_none(text) {
        task.extra.insert(name.to_owned(), Value::String(text.trim().to_owned()));
    }
}

/// Keeps the field of an unknown label as text, and reports boxes below it: they may be meant as criteria.
fn other(
    outline: &Outline,
    field: &LabelledField,
    name: &str,
    task: &mut Task,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut text = texts(outline, field);
    let rest = item_text::joined(outline, outline.trimmed(field.body));
    if text.is_empty() && !rest.is_empty() && rest.len() <= 4096 {
        text.push(rest);
    }
    let fields = task.extra.entry("fields".to_owned()).or_insert_with(|| json!({}));
    if let Some(fields) = fields.as_object_mut() {
        fields.insert(name.to_owned(), Value::String(text.join("\n")));
    }
    if outline.items_in(field.body).iter().any(|item| item.mark.is_some()) {
        let message = format!("boxes below '{name}' are neither steps nor criteria");
        let mut found = outline.diagnostic(Severity::Hint, "unknown-field", message, field.inline.start);
        found.task = Some(task.id.clone());
        diagnostics.push(found);
    }
}

fn steps(outline: &Outline, at: Extent, task: &mut Task) {
    let items = item_text::top(outline, at).map(|item| item_text::whole(outline, item, at.end));
    task.steps.extend(items.filter(|text| !item_text::is_none(text)));
}

/// The items of a field as text; the text on the label's own line counts as an item.
fn texts(outline: &Outline, field: &LabelledField) -> Vec<String> {
    let inline = Some(outline.shown(field.inline));
    let items =
        item_text::top(outline, field.body).map(|item| item_text::whole(outline, item, field.body.end));
    inline.into_iter().chain(items).filter(|text| !item_text::is_none(text)).collect()
}

/// The items of a field, including nested ones, each as one line with its offset.
fn entries(outline: &Outline, field: &LabelledField, body: Extent) -> Vec<(String, usize)> {
    let mut entries = vec![(outline.shown(field.inline), field.inline.start)];
    for item in outline.items_in(body).iter().filter(|item| !item.quoted) {
        let at = item_text::first(outline, item, body.end);
        entries.push((item_text::joined(outline, at), item.at.start));
    }
    entries.retain(|(text, _)| !item_text::is_none(text));
    entries
}

fn tools(outline: &Outline, field: &LabelledField) -> Vec<Value> {
    let texts = texts(outline, field);
    texts
        .iter()
        .flat_map(|text| {
            let spans = code_spans::spans(text);
            let coded = spans.iter().filter_map(|code| text.get(code.inner.start..code.inner.end));
            let coded: Vec<_> = coded.map(str::to_owned).collect();
            if coded.is_empty() {
                text.split(',').map(|tool| tool.trim().to_owned()).collect()
            } else {
                coded
            }
        })
        .filter(|tool| !tool.is_empty() && !tool.starts_with('('))
        .map(Value::String)
        .collect()
}

/// Converts a verify block into criteria.
fn check(outline: &Outline, verify: verify::Verify, task: &mut Task) {
    for run in verify.commands {
        let at = outline.trimmed(run.at);
        let said = run.expect.as_deref().map(|expect| format!(" → {expect}")).unwrap_or_default();
        let base = Criterion {
            category: "verify".to_owned(),
            text: format!("`{}`{said}", run.command),
            span: outline.span(at),
            ..Criterion::default()
        };
        let reading = checks::read_field(&run.command, run.expect.as_deref(), at, Synonyms::project());
        locate::add(task, "verify", without_rewrite(reading.criteria(&base, |at| outline.span(at))));
    }
    for line in verify.unclear {
        let line = outline.trimmed(line);
        let unclear = Unclear {
            code: "verify-not-understood",
            message: "this part of the verify block is not understood: write '- run: \"COMMAND\"' with 'expect: \"TEXT\"'"
                .to_owned(),
            group: "verify-not-understood".to_owned(),
            at: line,
            ..Unclear::default()
        };
        let base = Criterion {
            text: outline.str(line).to_owned(),
            span: outline.span(line),
            ..Criterion::default()
        };
        locate::add(task, "verify", Reading::Unclear(unclear).criteria(&base, |at| outline.span(at)));
    }
    for (key, value) in [("risk", verify.risk), ("rollback", verify.rollback)] {
        if let Some(value) = value {
            note(task, key, &value);
        }
    }
    if !verify.other.is_empty() {
        let kept = verify.other.into_iter().map(|(key, lines)| (key, json!(lines))).collect();
        task.extra.insert("verify".to_owned(), Value::Object(kept));
    }
}

fn holds(at: Extent, offset: usize) -> bool {
    at.start <= offset && offset < at.end
}
