//! What the columns of a table of tasks are, by their titles.

use crate::plan_md::requires::header;
use crate::{Outline, Table};

/// The columns of one table.
pub(crate) struct Columns {
    /// All titles, in lowercase.
    pub(crate) titles: Vec<String>,
    /// Whether a title says in so many words that the rows are tasks.
    pub(crate) strict: bool,
    pub(crate) id: Option<usize>,
    pub(crate) task: usize,
    pub(crate) status: usize,
    pub(crate) depends: Option<usize>,
    pub(crate) files: Option<usize>,
    /// What must hold when the task is done.
    pub(crate) checks: Vec<usize>,
    /// Everything else.
    pub(crate) others: Vec<usize>,
}

impl Columns {
    /// The columns of a table whose rows are tasks: one has the state, one says what is to be done. Where only words
    /// such as `Name` or `Feature` say what, an id must show that rows are meant one by one.
    pub(crate) fn new(outline: &Outline, table: &Table) -> Option<Self> {
        let titles = header(outline, table);
        let is = |words: &[&str]| titles.iter().position(|title| words.contains(&title.as_str()));
        let begins =
            |words: &[&str]| titles.iter().position(|title| words.iter().any(|word| title.starts_with(word)));
        let status =
            begins(STATUS).filter(|at| titles.get(*at).is_some_and(|title| title.split(' ').count() <= 2))?;
        let mut id = is(ID);
        let mut task = is(TASK);
        let strict = task.is_some();
        // `| Task | Description | Status |`: the first is the name and the second says what.
        if id.is_none() && task.is_some() && is(WHAT).is_some() {
            (id, task) = (task, is(WHAT));
        }
        let task = task.or_else(|| is(WHAT).or_else(|| is(THING)).filter(|_| id.is_some()))?;
        if task == status || id == Some(status) {
            return None;
        }
        let depends = begins(DEPENDS);
        let files = begins(FILES);
        let taken = |at: &usize| [Some(task), Some(status), id, depends, files].contains(&Some(*at));
        let (checks, others) = (0..titles.len()).filter(|at| !taken(at)).partition(|at| {
            titles.get(*at).is_some_and(|title| {
                CHECKS.iter().any(|word| title.starts_with(word)) && !title.contains("evidence")
            })
        });
        Some(Self { titles, strict, id, task, status, depends, files, checks, others })
    }
}

/// A cell without what makes it bold or code.
pub(crate) fn bare(text: &str) -> String {
    text.trim_matches(['*', '`', '_', '~', ' ', '#']).to_owned()
}

const STATUS: &[&str] =
    &["status", "state", "done", "상태", "状态", "状態", "进度", "estado", "statut", "stato", "статус"];

#[rustfmt::skip]
const ID: &[&str] = &[
    "id", "#", "no", "no.", "nr", "nr.", "task id", "task #", "todo", "ticket", "key", "编号", "번호", "番号",
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

/// What is done to a thing is said better elsewhere; where nothing is, the thing must do.
const THING: &[&str] = &["phase", "milestone", "stage", "module", "component"];

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
