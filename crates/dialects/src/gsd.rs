//! `gsd`: a phase plan with `<task type="auto">` elements: `<name>`, `<files>`, `<action>`, `<verify>`, `<done>`.
//!
//! The elements have no boxes: a sign behind the name says that a task is done. `checkpoint:` tasks are for a person. The
//! front matter is about the plan among others and is kept as it is. Boxes outside the elements are about the whole.

use crate::command::{self, Shape as Form};
use crate::{Dialect, Extent, Outline, Plan, Shape, Veil};
use crate::{
    boxes, checklist, expect, fingerprint, frontmatter, goal, list, mark, named, phase, sign, strategy,
};
use memchr::memmem;
use wire::plan::{Criterion, FileUse, Kind, Model, Note, Severity};
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "gsd",
    about: "PLAN.md of a phase with <task> elements",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
};

fn detect(outline: &Outline) -> u32 {
    let told = |element: &Element| child(outline, element.at, "name").is_some();
    if elements(outline).iter().any(told) { 60 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let elements = elements(outline);
    let mut plan = Plan { title: checklist::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    if plan.title.is_empty() {
        plan.title =
            tag(outline, whole(outline), "objective").map(|at| first_line(outline, at)).unwrap_or_default();
    }
    about(outline, &mut plan);
    let names: Vec<Name> = elements.iter().map(|element| Name::of(outline, element)).collect();
    let own: Vec<Option<&str>> = names.iter().map(|name| name.id.as_deref()).collect();
    for ((element, name), id) in elements.iter().zip(&names).zip(named::ids(&own)) {
        let task = task(outline, element, name, id, &mut plan);
        plan.tasks.push(task);
    }
    notes(outline, &elements, &mut plan);
    plan
}

/// A `<task>` element.
struct Element {
    /// From its tag to the end of the closing one.
    at: Extent,
    /// Whether the closing tag is there.
    closed: bool,
}

fn elements(outline: &Outline) -> Vec<Element> {
    // Every plan is asked whether it has some.
    if memmem::find(outline.bytes, OPEN.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut found: Vec<Element> = Vec::new();
    let mut open = None;
    for line in outline.lines_in(whole(outline)) {
        if matches!(line.veil, Some(Veil::Fence | Veil::Quote)) {
            continue;
        }
        let text = outline.str(line.at);
        let indent = text.len() - text.trim_start().len();
        let tagged = text.trim_start().strip_prefix(OPEN);
        if tagged.is_some_and(|rest| rest.starts_with([' ', '>', '\t'])) {
            let start = line.at.start + indent;
            if let Some(before) = open.replace(start) {
                found.push(Element { at: Extent { start: before, end: start }, closed: false });
            }
        }
        if let Some(close) = text.find(CLOSE)
            && let Some(start) = open.take()
        {
            found.push(Element {
                at: Extent { start, end: line.at.start + close + CLOSE.len() },
                closed: true,
            });
        }
    }
    found.extend(open.map(|start| Element { at: Extent { start, end: outline.bytes.len() }, closed: false }));
    found
}

const OPEN: &str = "<task";
const CLOSE: &str = "</task>";

fn whole(outline: &Outline) -> Extent {
    Extent { start: 0, end: outline.bytes.len() }
}

/// What stands in the first element of this name within a range, without blanks at its ends.
fn child(outline: &Outline, at: Extent, name: &str) -> Option<Extent> {
    let text = outline.str(at);
    let open = format!("<{name}>");
    let start = text.find(&open)? + open.len();
    let end = start + text.get(start..)?.find(&format!("</{name}>"))?;
    Some(outline.trimmed(Extent { start: at.start + start, end: at.start + end }))
}

fn tag(outline: &Outline, at: Extent, name: &str) -> Option<Extent> {
    child(outline, at, name).filter(|at| at.start < at.end)
}

/// The same of all elements of this name.
fn tags(outline: &Outline, at: Extent, name: &str) -> Vec<Extent> {
    let (mut found, mut from) = (Vec::new(), at.start);
    while let Some(inner) = child(outline, Extent { start: from, end: at.end }, name) {
        from = inner.end;
        found.extend((inner.start < inner.end).then_some(inner));
    }
    found
}

fn first_line(outline: &Outline, at: Extent) -> String {
    outline.lines_in(at).next().map(|line| outline.shown(outline.trimmed(line.at))).unwrap_or_default()
}

/// What a task is called, and where.
struct Name {
    /// The id that it gives itself.
    id: Option<String>,
    title: String,
    /// The line that names it; nothing where no line does.
    line: Option<Extent>,
}

impl Name {
    fn of(outline: &Outline, element: &Element) -> Self {
        let named = NAMES.iter().find_map(|name| tag(outline, element.at, name));
        let line = named.and_then(|at| outline.lines_in(at).next()).map(|line| outline.trimmed(line.at));
        let Some(line) = line else {
            return Self { id: None, title: String::new(), line: None };
        };
        let sign = sign::find(outline, line).at;
        let (start, end) =
            if sign.start == line.start { (sign.end, line.end) } else { (line.start, sign.start) };
        let text = outline.shown(Extent { start, end });
        let (id, title) = match phase::after_word(&text, &["task"]) {
            Some((id, title)) => (Some(id), title),
            None => (None, text),
        };
        Self { id, title, line: Some(line) }
    }
}

/// Where the name of a task stands; what is for a person has none.
const NAMES: &[&str] = &["name", "what-built", "decision", "action"];

fn task(outline: &Outline, element: &Element, name: &Name, id: String, plan: &mut Plan) -> Task {
    let kind = attribute(outline, element, "type").unwrap_or_default();
    let mut task = Task {
        key: ids::key_of(&id),
        title: if name.title.is_empty() { kind.clone() } else { name.title.clone() },
        id: TaskId(id),
        kind: if kind.starts_with("checkpoint") { Kind::Human } else { Kind::Work },
        state_from: Some(outline.place(element.at.start)),
        span: outline.span(element.at),
        ..Task::default()
    };
    let mut warn = |code, message, at| {
        let mut found = outline.diagnostic(Severity::Warning, code, message, at);
        found.task = Some(task.id.clone());
        plan.diagnostics.push(found);
    };
    if !element.closed {
        warn("task-not-closed", format!("task '{}' has no closing tag", task.id), element.at.start);
    }
    if let Some(line) = name.line {
        let sign = sign::find(outline, line);
        task.mark = Some(outline.span(sign.at));
        if sign.state.is_none() {
            let said = outline.shown(sign.at);
            warn(
                "unknown-status",
                format!("unknown status '{}' is taken as not done", said.trim()),
                sign.at.start,
            );
        }
        task.state = sign.state.unwrap_or(State::Pending);
    }
    if let Some(at) = tag(outline, element.at, "files") {
        let paths = outline.shown(at);
        let paths = paths.split([',', ';', '\n']).filter_map(|path| path.split(" (").next());
        let paths =
            paths.map(|path| path.trim_matches(['`', '-', ' ', '\t', '\r'])).filter(|path| !path.is_empty());
        task.files.extend(paths.map(|path| FileUse { path: path.to_owned(), action: "write".to_owned() }));
    }
    checks(outline, element, &mut task);
    let marks: Vec<Extent> = task.mark.iter().map(|mark| boxes::extent(mark, outline.bytes.len())).collect();
    let none = Extent { start: element.at.end, end: element.at.end };
    task.fingerprint = fingerprint::with_boxes(outline, element.at, &marks, none, &[]);
    task
}

/// The value of an attribute of the opening tag.
fn attribute(outline: &Outline, element: &Element, name: &str) -> Option<String> {
    let text = outline.str(element.at);
    let tag = text.get(..text.find('>')?)?;
    let value = tag.split_once(&format!("{name}=\""))?.1;
    Some(value.split('"').next().unwrap_or_default().to_owned())
}

/// What proves the task: commands that are run, and what is said besides.
fn checks(outline: &Outline, element: &Element, task: &mut Task) {
    let verify = tags(outline, element.at, "verify").into_iter().flat_map(|at| {
        let automated = tags(outline, at, "automated");
        if automated.is_empty() { vec![at] } else { automated }
    });
    let verify = verify.map(|at| ("verify", at));
    let criteria = tags(outline, element.at, "acceptance_criteria").into_iter().map(|at| ("acceptance", at));
    let done = tags(outline, element.at, "done").into_iter().map(|at| ("done", at));
    for (category, at) in verify.chain(criteria).chain(done) {
        let lines = outline.lines_in(at).map(|line| outline.trimmed(line.at));
        for line in lines.filter(|line| line.start < line.end) {
            let text = outline.shown(line);
            let text = list::bullet(&text).unwrap_or(&text).to_owned();
            let mut criterion = Criterion {
                id: format!("{}:{}", task.id, task.criteria.len() + 1),
                category: category.to_owned(),
                span: outline.span(line),
                ..expect::told(&text)
            };
            if criterion.command.is_none() && criterion.skip.is_none() && category == "verify" {
                criterion.command = bare(&text);
                criterion.runnable = criterion.command.is_some();
            }
            criterion.text = text;
            task.criteria.push(criterion);
        }
    }
}

/// A line that is a command as it stands, with at most the word that it passes behind it.
pub(crate) fn bare(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let said = PASSES.iter().find(|word| lower.ends_with(**word)).map_or(0, |word| word.len());
    let command = text.get(..text.len() - said)?.trim();
    let prose = |word: &str| PROSE.contains(&word.to_ascii_lowercase().trim_matches([',', '.']));
    let is_command = command::shape(command) == Form::Command && !command.ends_with('.');
    (is_command && !command.split_whitespace().any(prose)).then(|| command.to_owned())
}

const PASSES: &[&str] =
    &[" passes", " pass", " succeeds", " exits 0", " runs without errors", " passes without errors"];

/// Words that no command has, and every sentence about one.
const PROSE: &[&str] = &[
    "passes", "succeeds", "returns", "shows", "with", "and", "without", "the", "are", "is", "should", "that",
    "after",
];

/// What the front matter says of the plan among others.
fn about(outline: &Outline, plan: &mut Plan) {
    let Some(matter) = frontmatter::read(outline.str(whole(outline))) else { return };
    for key in ["phase", "plan", "type", "wave", "autonomous"] {
        if !matter.text(key).is_empty() {
            plan.extra.insert(key.to_owned(), matter.text(key).into());
        }
    }
    for key in ["depends_on", "requirements", "files_modified"] {
        let list = matter.list(key);
        if !list.is_empty() {
            plan.extra.insert(key.to_owned(), list.into());
        }
    }
}

/// Boxes outside the elements, below the heading or in the element that they stand in.
fn notes(outline: &Outline, elements: &[Element], plan: &mut Plan) {
    let mut section = String::new();
    for line in outline.lines_in(whole(outline)) {
        let next = elements.partition_point(|element| element.at.end <= line.at.start);
        let inside = elements.get(next).is_some_and(|element| element.at.start <= line.at.start);
        if inside || matches!(line.veil, Some(Veil::Fence | Veil::Quote)) {
            continue;
        }
        let text = outline.str(line.at);
        let bare = text.trim();
        if let Some(name) = bare.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            section = name.trim_start_matches('/').replace('_', " ");
        } else if bare.starts_with('#') {
            bare.trim_matches(['#', ' ']).clone_into(&mut section);
        }
        let Some(rest) = list::bullet(text.trim_start()) else { continue };
        let for_all = matches!(section.as_str(), "verification" | "success criteria");
        let Some((inner, after)) = mark::find(rest) else {
            gate(outline, rest, line.at, plan, for_all);
            continue;
        };
        let start = line.at.start + text.len() - rest.len();
        let at = Extent { start: start + inner.start, end: start + inner.end };
        let checks = for_all && expect::told(rest.get(after..).unwrap_or_default()).command.is_some();
        plan.notes.push(Note {
            goal: goal::is_announced_by(&section) || checks,
            section: section.clone(),
            text: outline.shown(outline.trimmed(Extent { start: start + after, end: line.at.end })),
            checked: mark::is_ticked(outline.str(at)),
            span: outline.span(at),
        });
    }
}

/// A command without a box in an element about the whole.
fn gate(outline: &Outline, text: &str, at: Extent, plan: &mut Plan, for_all: bool) {
    let told = expect::told(text);
    if for_all && told.command.is_some() {
        plan.gates.push(Criterion {
            id: format!("plan:{}", plan.gates.len() + 1),
            category: "validation".to_owned(),
            text: text.trim().to_owned(),
            span: outline.span(outline.trimmed(at)),
            ..told
        });
    }
}
