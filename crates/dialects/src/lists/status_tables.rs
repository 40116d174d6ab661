//! Tables of tasks: finds the tables with a task in each row, and their columns by title.

use crate::Plan;
use crate::deps::requires::header;
use crate::sections::{Role, Sections};
use markdown::{Outline, Table};
use wire::plan::Severity;

/// A table of tasks and its columns.
pub(crate) struct StatusTable<'o> {
    pub(crate) table: &'o Table,
    pub(crate) columns: Columns,
}

/// Reports each table of tasks in a plan whose tasks are boxes: its rows are not read.
pub(crate) fn unread(outline: &Outline, plan: &mut Plan) {
    for sheet in find(outline) {
        let message =
            "a table with a status column is not read: the tasks of this plan are its boxes".to_owned();
        let found = outline.diagnostic(Severity::Hint, "table-not-read", message, sheet.table.at.start);
        plan.diagnostics.push(found);
    }
}

/// The tables whose rows are tasks: those with a column of states, otherwise those with ids and tasks alone.
pub(crate) fn tasks<'o>(outline: &'o Outline) -> Vec<StatusTable<'o>> {
    let stated = find(outline);
    if stated.is_empty() { with(outline, Columns::unstated) } else { stated }
}

/// The tables with a column of states whose rows are tasks.
pub(crate) fn find<'o>(outline: &'o Outline) -> Vec<StatusTable<'o>> {
    with(outline, Columns::stated)
}

fn with<'o>(
    outline: &'o Outline,
    columns: impl Fn(Vec<String>, Role) -> Option<Columns>,
) -> Vec<StatusTable<'o>> {
    if outline.tables.is_empty() {
        return Vec::new();
    }
    let sections = Sections::new(outline);
    let seen = outline.tables.iter().filter(|table| outline.veil(table.at.start).is_none());
    let mut sheets: Vec<StatusTable> = seen
        .filter_map(|table| {
            let columns = columns(header(outline, table), sections.role_at(table.at.start))?;
            Some(StatusTable { table, columns })
        })
        .collect();
    // If some tables name tasks explicitly, the others are about phases, modules or people.
    if sheets.iter().any(|sheet| sheet.columns.strict) {
        sheets.retain(|sheet| sheet.columns.strict);
    }
    sheets
}

/// The columns of one table.
pub(crate) struct Columns {
    /// All titles, in lowercase.
    pub(crate) titles: Vec<String>,
    /// Whether a title explicitly says that the rows are tasks.
    pub(crate) strict: bool,
    pub(crate) id: Option<usize>,
    pub(crate) task: usize,
    /// Without one, a sign beside the task is the state.
    pub(crate) status: Option<usize>,
    pub(crate) depends: Option<usize>,
    pub(crate) files: Option<usize>,
    /// The columns with criteria.
    pub(crate) checks: Vec<usize>,
    /// Everything else.
    pub(crate) others: Vec<usize>,
}

impl Columns {
    /// The columns of a table whose rows are tasks: one holds the state, one the work. If only a word such as `Name`
    /// or `Feature` titles the work, an id column must show that each row is a task, or the section.
    fn stated(titles: Vec<String>, role: Role) -> Option<Self> {
        let status = titles.iter().position(|title| {
            STATUS.iter().any(|word| title.starts_with(word)) && title.split(' ').count() <= 2
        })?;
        Self::new(titles, Some(status), role == Role::Tasks)
    }

    /// The columns of a table of tasks without states: each row has an id, and one column says that it is a task or what
    /// it waits for.
    fn unstated(titles: Vec<String>, role: Role) -> Option<Self> {
        let stated = titles.iter().any(|title| STATUS.iter().any(|word| title.starts_with(word)));
        let columns = Self::new(titles, None, false)?;
        let told = columns.strict || columns.depends.is_some();
        let open = matches!(role, Role::Tasks | Role::Open);
        (!stated && open && told && columns.id.is_some()).then_some(columns)
    }

    fn new(titles: Vec<String>, status: Option<usize>, told: bool) -> Option<Self> {
        let is = |words: &[&str]| titles.iter().position(|title| words.contains(&title.as_str()));
        let begins =
            |words: &[&str]| titles.iter().position(|title| words.iter().any(|word| title.starts_with(word)));
        let mut id = is(ID);
        let mut task = is(TASK);
        let strict = task.is_some();
        // `| Task | Description | Status |`: the first column is the id, the second the title.
        if id.is_none() && task.is_some() && is(WHAT).is_some() {
            (id, task) = (task, is(WHAT));
        }
        // A phase needs no id: its number is one.
        let task = task
            .or_else(|| is(WHAT).or_else(|| is(THING)).filter(|_| id.is_some() || told))
            .or_else(|| is(PHASE))?;
        if Some(task) == status || id.is_some() && id == status {
            return None;
        }
        let depends = begins(DEPENDS);
        let files = begins(FILES);
        let taken = |at: &usize| [Some(task), status, id, depends, files].contains(&Some(*at));
        let (checks, others) = (0..titles.len()).filter(|at| !taken(at)).partition(|at| {
            titles.get(*at).is_some_and(|title| {
                CHECKS.iter().any(|word| title.starts_with(word)) && !title.contains("evidence")
            })
        });
        Some(Self { titles, strict, id, task, status, depends, files, checks, others })
    }
}

/// Whether a table has a column of states.
pub(crate) fn has_status(outline: &Outline, table: &Table) -> bool {
    let titles = header(outline, table);
    titles.len() > 1 && titles.iter().any(|title| STATUS.iter().any(|word| title.starts_with(word)))
}

/// Whether the rows of a table are tasks by their columns, and none of them holds the state.
pub(crate) fn lacks_status(outline: &Outline, table: &Table) -> bool {
    let titles = header(outline, table);
    let is = |words: &[&str]| titles.iter().any(|title| words.contains(&title.as_str()));
    let depends = titles.iter().any(|title| DEPENDS.iter().any(|word| title.starts_with(word)));
    (is(ID) || is(TASK)) && (is(TASK) || is(WHAT)) && depends && !has_status(outline, table)
}

/// The columns with the name of a phase, step or task and with its state, in a table that says where such units stand.
pub(crate) fn named_status(outline: &Outline, table: &Table) -> Option<(usize, usize)> {
    let titles = header(outline, table);
    let is = |words: &[&str]| titles.iter().position(|title| words.contains(&title.as_str()));
    let status = titles.iter().position(|title| STATUS.iter().any(|word| title.starts_with(word)))?;
    let name = is(THING).or_else(|| is(TASK)).or_else(|| is(ID)).or_else(|| is(WHAT))?;
    (name != status).then_some((name, status))
}

/// A cell without bold and code marks.
pub(crate) fn bare(text: &str) -> String {
    text.trim_matches(['*', '`', '_', '~', ' ', '#']).to_owned()
}

const STATUS: &[&str] =
    &["status", "state", "done", "상태", "状态", "状態", "进度", "estado", "statut", "stato", "статус"];

#[rustfmt::skip]
const ID: &[&str] = &[
    "id", "#", "no", "no.", "nr", "nr.", "task id", "task-id", "task #", "todo", "ticket", "key", "编号", "번호", "番号",
    "номер", "№",
];

#[rustfmt::skip]
const TASK: &[&str] = &[
    "task", "tasks", "task name", "work item", "action item", "to do", "to-do", "작업", "할 일", "任务", "タスク",
    "tarea", "tâche", "aufgabe", "задача",
];

#[rustfmt::skip]
const WHAT: &[&str] = &[
    "title", "description", "name", "summary", "item", "feature", "story", "user story", "deliverable",
    "action", "step", "goal", "what", "issue", "제목", "설명", "标题", "描述", "内容", "説明",
    "descripción", "beschreibung", "название", "описание",
];

const PHASE: &[&str] = &["phase", "milestone", "stage", "step", "阶段", "フェーズ", "단계", "fase", "этап"];

/// The last resort for the title column, used if no other column describes the work.
const THING: &[&str] = &[
    "phase",
    "milestone",
    "stage",
    "step",
    "module",
    "component",
    "阶段",
    "フェーズ",
    "단계",
    "fase",
    "этап",
];

#[rustfmt::skip]
const DEPENDS: &[&str] = &[
    "depends", "dependenc", "deps", "prereq", "blocked by", "requires", "의존", "선행", "依赖", "前置", "依存",
    "depende", "abhäng", "dépend", "завис",
];

const FILES: &[&str] = &["file"];

#[rustfmt::skip]
const CHECKS: &[&str] = &[
    "acceptance", "verification", "verify", "validation", "done when", "exit criteria", "success criteria",
    "check", "验收", "검증", "수용",
];
