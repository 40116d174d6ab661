//! `gsd`: a phase plan with `<task type="auto">` elements: `<name>`, `<files>`, `<action>`, `<verify>`, `<done>`.
//!
//! The elements have no boxes: a sign after the name marks a task as done. `checkpoint:` tasks are for a person. The
//! front matter relates the plan to other plans and is kept unchanged. Boxes outside the elements apply to the whole
//! plan.

use crate::criteria::locate::{self, Purpose};
use crate::criteria::{goals, text};
use crate::deps::needs::Needs;
use crate::deps::{named, phases, strategy};
use crate::dialect::PLAIN;
use crate::lists::numbered;
use crate::read::fingerprint;
use crate::states::{boxes, signs, status_cell};
use crate::write::Form;
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Outline, Veil};
use markdown::{front_matter, marks};
use memchr::memmem;
use wire::plan::{FileUse, Kind, Model, Note, Severity};
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "gsd",
    about: "PLAN.md of a phase with <task> elements",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    checks: &[Form::Element("verify"), Form::Element("acceptance_criteria")],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let told = |element: &Element| {
        child(outline, element.at, "name").is_some() || titled(outline, element).is_some()
    };
    if elements(outline).iter().any(told) { 60 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let elements = elements(outline);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
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
    depend(outline, &elements, &mut plan);
    notes(outline, &elements, &mut plan);
    plan
}

/// Reads what the tasks say that they wait for: `<task id="2" depends="1">`.
fn depend(outline: &Outline, elements: &[Element], plan: &mut Plan) {
    let needs = Needs::new(&plan.tasks);
    for (index, element) in elements.iter().enumerate() {
        let said = ["depends", "depends_on", "dependsOn", "after"]
            .iter()
            .find_map(|name| attribute(outline, element, name));
        if let (Some(said), Some(task)) = (said, plan.tasks.get_mut(index)) {
            numbered::depend(task, needs.of(index, &said, |_| None).tasks);
        }
    }
}

/// A `<task>` element.
struct Element {
    /// From the opening tag to the end of the closing tag.
    at: Extent,
    /// Whether the closing tag exists.
    closed: bool,
}

fn elements(outline: &Outline) -> Vec<Element> {
    // Detection runs this on every plan.
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

/// The content of the first element of this name within a range, trimmed.
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

/// The contents of all elements of this name.
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

/// The name of a task, and its position.
struct Name {
    /// The id that the task gives itself.
    id: Option<String>,
    title: String,
    /// The line with the name, if there is one.
    line: Option<Extent>,
}

impl Name {
    fn of(outline: &Outline, element: &Element) -> Self {
        let others = || NAMES.iter().find_map(|name| tag(outline, element.at, name));
        let named = tag(outline, element.at, "name").or_else(|| titled(outline, element)).or_else(others);
        let line = named.and_then(|at| outline.lines_in(at).next()).map(|line| outline.trimmed(line.at));
        let Some(line) = line else {
            return Self { id: None, title: String::new(), line: None };
        };
        let sign = signs::find(outline, line).at;
        let (start, end) =
            if sign.start == line.start { (sign.end, line.end) } else { (line.start, sign.start) };
        let text = outline.shown(Extent { start, end });
        let (id, title) = match phases::after_word(&text, &["task"]) {
            Some((id, title)) => (Some(id), title),
            None => (None, text),
        };
        let id = id.or_else(|| attribute(outline, element, "id").filter(|id| !id.is_empty()));
        Self { id, title, line: Some(line) }
    }
}

/// The elements that can hold the name of a task without `<name>`: a task for a person.
const NAMES: &[&str] = &["what-built", "decision", "action"];

/// The name as an attribute: `<task id="1" title="Dig">`.
fn titled(outline: &Outline, element: &Element) -> Option<Extent> {
    ["title", "name"].iter().find_map(|name| attribute_at(outline, element, name))
}

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
        let sign = signs::find(outline, line);
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
    if let Some(at) = attribute_at(outline, element, "status").filter(|at| at.start < at.end) {
        task.mark = Some(outline.span(at));
        task.state = status_cell::state(outline.str(at)).unwrap_or_default();
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
    attribute_at(outline, element, name).map(|at| outline.shown(at))
}

fn attribute_at(outline: &Outline, element: &Element, name: &str) -> Option<Extent> {
    let text = outline.str(element.at);
    let tag = text.get(..text.find('>')?)?;
    let named = format!("{name}=\"");
    let (place, _) = tag
        .match_indices(&named)
        .find(|(place, _)| tag.get(..*place).is_some_and(|before| before.ends_with(char::is_whitespace)))?;
    let start = place + named.len();
    let end = start + tag.get(start..)?.find('"')?;
    Some(Extent { start: element.at.start + start, end: element.at.start + end })
}

/// The criteria of the task: commands to run, and other statements.
fn checks(outline: &Outline, element: &Element, task: &mut Task) {
    let verify = tags(outline, element.at, "verify").into_iter().flat_map(|at| {
        let automated = tags(outline, at, "automated");
        // Words beside the element are about what it runs.
        let beside = beside(outline, at, &automated);
        let own = if automated.is_empty() { vec![at] } else { automated };
        own.into_iter().map(move |at| (at, beside.clone()))
    });
    for (at, beside) in verify {
        let found = if outline.str(at).contains('`') && beside.is_empty() {
            text::element(outline, at, Purpose::Criteria)
        } else {
            text::bare_commands(outline, at, &beside)
        };
        locate::add(task, "verify", found);
    }
    let criteria = tags(outline, element.at, "acceptance_criteria").into_iter().map(|at| ("acceptance", at));
    let done = tags(outline, element.at, "done").into_iter().map(|at| ("done", at));
    for (category, at) in criteria.chain(done) {
        locate::add(task, category, text::element(outline, at, Purpose::Criteria));
    }
}

/// The lines of an element outside of these contents of elements within it.
fn beside(outline: &Outline, at: Extent, inner: &[Extent]) -> Vec<Extent> {
    let mut found = Vec::new();
    let mut from = at.start;
    for own in inner {
        let open = outline.str(Extent { start: from, end: own.start }).rfind('<').unwrap_or(0);
        found.push(Extent { start: from, end: from + open });
        let behind = outline.str(Extent { start: own.end, end: at.end });
        from = own.end + behind.find('>').map_or(behind.len(), |close| close + 1);
    }
    found.extend((!inner.is_empty()).then_some(Extent { start: from.min(at.end), end: at.end }));
    let lines = found.into_iter().flat_map(|at| outline.lines_in(at).map(|line| line.at).collect::<Vec<_>>());
    lines.map(|line| outline.trimmed(line)).filter(|line| line.start < line.end).collect()
}

/// The front matter's statements about this plan among others.
fn about(outline: &Outline, plan: &mut Plan) {
    let Some(matter) = front_matter::read(outline.str(whole(outline))) else { return };
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

/// Boxes outside the elements, with the enclosing heading or element as their section.
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
        let Some(rest) = marks::after_bullet(text.trim_start()) else { continue };
        let for_all = matches!(section.as_str(), "verification" | "success criteria");
        let own = with_deeper_lines(outline, line.at, elements);
        let Some((inner, after)) = marks::find(rest) else {
            gate(outline, own, plan, for_all);
            continue;
        };
        let start = line.at.start + text.len() - rest.len();
        let at = Extent { start: start + inner.start, end: start + inner.end };
        let goal = goals::is_announced_by(&section);
        let mut checks =
            if goal || for_all { text::element(outline, own, Purpose::Criteria) } else { Vec::new() };
        if checks.iter().all(|check| check.command.is_none() && check.unclear.is_none()) {
            checks.clear();
        }
        plan.notes.push(Note {
            goal: goal || !checks.is_empty(),
            section: section.clone(),
            text: outline.shown(outline.trimmed(Extent { start: start + after, end: line.at.end })),
            checked: marks::is_ticked(outline.str(at)),
            span: outline.span(at),
            checks,
        });
    }
}

/// A line with the lines below it that are indented further.
fn with_deeper_lines(outline: &Outline, line: Extent, elements: &[Element]) -> Extent {
    let indent = |at: Extent| {
        let text = outline.str(at);
        text.len() - text.trim_start().len()
    };
    let next = elements.partition_point(|element| element.at.end <= line.start);
    let end = elements.get(next).map_or(outline.bytes.len(), |element| element.at.start);
    let own = indent(line);
    let below =
        outline.lines_in(Extent { start: line.end, end: end.max(line.end) }).skip(1).map(|below| below.at);
    let deeper = below.take_while(|below| indent(*below) > own && !outline.str(*below).trim().is_empty());
    let end = deeper.last().map_or(line.end, |last| last.end);
    Extent { start: line.start + own, end }
}

/// A command without a box in an element about the whole plan.
fn gate(outline: &Outline, at: Extent, plan: &mut Plan, for_all: bool) {
    if for_all {
        let found = text::element(outline, at, Purpose::Criteria).into_iter();
        let found = found.filter(|check| check.command.is_some() || check.unclear.is_some());
        locate::number("plan", "validation", found, &mut plan.gates);
    }
}
