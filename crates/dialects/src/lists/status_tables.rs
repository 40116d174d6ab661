//! Tables of tasks: finds the tables with a task in each row, and their columns by title.

use crate::Plan;
use crate::deps::requires::{cell, header};
use crate::lists::items;
use crate::sections::{self, Role, Sections, units};
use crate::states::legend::Legend;
use crate::states::status_cell;
use markdown::{Extent, Outline, Table, marks};
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

/// A row that is a task.
pub(crate) struct Row<'o> {
    pub(crate) sheet: &'o StatusTable<'o>,
    pub(crate) cells: &'o [Extent],
    /// The id as written; empty if there is none.
    pub(crate) id: String,
}

/// The rows of these tables that are tasks.
pub(crate) fn rows<'o>(outline: &Outline, sheets: &'o [StatusTable<'o>]) -> Vec<Row<'o>> {
    let mut rows = Vec::new();
    for sheet in sheets {
        for cells in sheet.table.rows.iter().skip(1) {
            let text = |column: usize| cell(outline, cells.get(column).copied());
            // A row without a task is a heading within the table.
            if text(sheet.columns.task).is_empty() {
                continue;
            }
            let id = sheet.columns.id.map(text).map(|id| bare(&id));
            // `| Phase 1: Dig | done |`: the name brings its number.
            let named = || {
                let name = bare(&text(sheet.columns.task));
                units::unit(marks::without_signs(&name)).map(|unit| unit.id)
            };
            rows.push(Row { sheet, cells, id: id.or_else(named).unwrap_or_default() });
        }
    }
    rows
}

/// The tables of a plan whose tasks are rows.
pub(crate) fn of_plan<'o>(outline: &'o Outline) -> Vec<StatusTable<'o>> {
    let found = tasks(outline);
    if found.is_empty() { last_resort(outline) } else { found }
}

/// The tables whose rows are tasks: those with a column of states and those of the same form without one, otherwise those
/// with ids and tasks alone.
pub(crate) fn tasks<'o>(outline: &'o Outline) -> Vec<StatusTable<'o>> {
    let mut stated = find(outline);
    if stated.is_empty() {
        return with(outline, |table, role| Columns::unstated(header(outline, table), role));
    }
    // `| # | Item | Status |` for what is done, `| # | Item | Why |` for what comes next.
    let mut others = with(outline, |table, role| {
        let columns = Columns::new(header(outline, table), None, role == Role::Tasks)?;
        let open = matches!(role, Role::Tasks | Role::Open);
        let same = stated.iter().any(|sheet| sheet.columns.names() == columns.names());
        let known = stated.iter().any(|sheet| sheet.table.at == table.at);
        (open && same && columns.id.is_some() && !known).then_some(columns)
    });
    if !others.is_empty() {
        stated.append(&mut others);
        stated.sort_by_key(|sheet| sheet.table.at.start);
    }
    stated
}

/// The tables that are tasks where nothing else in the text is: rows that are counted below a heading such as Steps, that
/// name phases, or that all have a state.
pub(crate) fn last_resort<'o>(outline: &'o Outline) -> Vec<StatusTable<'o>> {
    let counted = with(outline, |table, role| Columns::counted(outline, table, role));
    if !counted.is_empty() || !sections::says_plan(outline) {
        return counted;
    }
    let phased = with(outline, |table, role| Columns::phased(outline, table, role));
    if !phased.is_empty() {
        return phased;
    }
    with(outline, |table, role| Columns::by_states(outline, table, role))
}

/// The tables with a column of states whose rows are tasks.
pub(crate) fn find<'o>(outline: &'o Outline) -> Vec<StatusTable<'o>> {
    with(outline, |table, role| Columns::stated(outline, table, role))
}

fn with<'o>(outline: &'o Outline, columns: impl Fn(&Table, Role) -> Option<Columns>) -> Vec<StatusTable<'o>> {
    if outline.tables.is_empty() {
        return Vec::new();
    }
    let sections = Sections::new(outline);
    let seen = outline.tables.iter().filter(|table| outline.veil(table.at.start).is_none());
    let mut sheets: Vec<StatusTable> = seen
        .filter_map(|table| {
            let columns = columns(table, sections.role_at(table.at.start))?;
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
    fn stated(outline: &Outline, table: &Table, role: Role) -> Option<Self> {
        let titles = header(outline, table);
        let status = status_column(&titles).or_else(|| words_of_state(outline, table))?;
        Self::new(titles, Some(status), role == Role::Tasks)
    }

    /// The columns of a table of tasks without states: each row has an id, and one column says that it is a task, what it
    /// waits for or when it is done.
    fn unstated(titles: Vec<String>, role: Role) -> Option<Self> {
        let stated = titles.iter().any(|title| holds_state(title));
        let columns = Self::new(titles, None, false)?;
        let told = columns.strict || columns.depends.is_some() || !columns.checks.is_empty();
        let open = matches!(role, Role::Tasks | Role::Open);
        (!stated && open && told && columns.id.is_some()).then_some(columns)
    }

    /// The columns of a table below a heading such as Steps whose first column counts its rows.
    fn counted(outline: &Outline, table: &Table, role: Role) -> Option<Self> {
        let numbers = table.rows.iter().skip(1).map(|cells| cell(outline, cells.first().copied()));
        let counts = numbers.enumerate().all(|(index, number)| bare(&number) == (index + 1).to_string());
        let titles = header(outline, table);
        (role == Role::Tasks && counts && table.rows.len() > 2 && titles.len() > 1)
            .then(|| Self::plain(titles, Some(0), 1, None))
    }

    /// The columns of a table of phases without states: each row begins with the number or the id of its phase.
    fn phased(outline: &Outline, table: &Table, role: Role) -> Option<Self> {
        let titles = header(outline, table);
        let first = titles.first().filter(|title| PHASE.contains(&title.as_str()))?;
        let first_of = |cells: &Vec<Extent>| bare(&cell(outline, cells.first().copied()));
        let named = |cells: &Vec<Extent>| {
            let text = first_of(cells);
            let word = marks::without_signs(&text).split([' ', '*', ':', '：']).next().unwrap_or_default();
            let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            units::unit(marks::without_signs(&text)).is_some()
                || items::own_id(&format!("{word}:")).is_some()
                || digits
        };
        let all = table.rows.len() > 2 && table.rows.iter().skip(1).all(named);
        // What was wanted and what came of it is a history.
        let past = titles.iter().any(|title| ["outcome", "result", "结果", "結果"].contains(&title.as_str()));
        let open = matches!(role, Role::Tasks | Role::Open) && !first.is_empty();
        // `| M1 Dig | … |`: the first cell has the name too.
        let whole = table.rows.iter().skip(1).any(|cells| first_of(cells).contains(' '));
        let (id, task) = if whole { (None, 0) } else { (Some(0), 1) };
        (open && all && !past && titles.len() > 1).then(|| Self::plain(titles, id, task, None))
    }

    /// The columns of a table in which every row has a state.
    fn by_states(outline: &Outline, table: &Table, role: Role) -> Option<Self> {
        let titles = header(outline, table);
        let status = status_column(&titles).or_else(|| words_of_state(outline, table))?;
        let legend = Legend::new(outline);
        let read = table.rows.iter().skip(1).map(|cells| {
            let at = cells.get(status).copied()?;
            status_cell::read(outline, at, &legend).state
        });
        let read: Vec<_> = read.collect::<Option<_>>()?;
        let id = titles.iter().position(|title| ID.contains(&title.as_str()));
        // `| Session | Focus | Status |` counts its rows.
        let mut first = table.rows.iter().skip(1).map(|cells| bare(&cell(outline, cells.first().copied())));
        let counted = status > 0 && titles.len() > 2 && first.all(|cell| is_bare_id(&cell));
        let id = id.or(counted.then_some(0));
        let task = (0..titles.len()).find(|at| *at != status && Some(*at) != id)?;
        (matches!(role, Role::Tasks | Role::Open) && read.len() > 1)
            .then(|| Self::plain(titles, id, task, Some(status)))
    }

    /// The titles of id and task.
    fn names(&self) -> (Option<&String>, Option<&String>) {
        (self.id.and_then(|id| self.titles.get(id)), self.titles.get(self.task))
    }

    fn plain(titles: Vec<String>, id: Option<usize>, task: usize, status: Option<usize>) -> Self {
        let begins =
            |words: &[&str]| titles.iter().position(|title| words.iter().any(|word| title.starts_with(word)));
        let (depends, files) = (begins(DEPENDS), begins(FILES));
        let taken = |at: &usize| [Some(task), status, id, depends, files].contains(&Some(*at));
        let (checks, others) = (0..titles.len()).filter(|at| !taken(at)).partition(|at| {
            titles.get(*at).is_some_and(|title| {
                CHECKS.iter().any(|word| title.starts_with(word)) && !title.contains("evidence")
            })
        });
        Self { titles, strict: false, id, task, status, depends, files, checks, others }
    }

    fn new(titles: Vec<String>, status: Option<usize>, told: bool) -> Option<Self> {
        let is = |words: &[&str]| titles.iter().position(|title| words.contains(&title.as_str()));
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
        Some(Self { strict, ..Self::plain(titles, id, task, status) })
    }
}

fn status_column(titles: &[String]) -> Option<usize> {
    titles.iter().position(|title| holds_state(title) && words_of(title).count() <= 2)
}

/// The column in which every row has a state in words, whatever its title says.
fn words_of_state(outline: &Outline, table: &Table) -> Option<usize> {
    let rows = table.rows.get(1..).filter(|rows| rows.len() > 1)?;
    let columns = table.rows.first()?.len();
    (1..columns).find(|column| {
        let said = || rows.iter().map(|cells| bare(&cell(outline, cells.get(*column).copied())));
        let open = |said: String| status_cell::state(&said) != Some(wire::State::Completed);
        // What is done as a whole may be an outcome of something else.
        said().all(|said| status_cell::is_word(&said)) && said().any(open)
    })
}

/// Whether a cell is nothing but a number or an id.
fn is_bare_id(cell: &str) -> bool {
    cell.len() <= 8
        && cell.contains(|c: char| c.is_ascii_digit())
        && cell.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'#'))
}

/// Whether a title names a state: `Status`, `Current state`, `Done?`. `Done when` names criteria, `Done by` a person.
fn holds_state(title: &str) -> bool {
    let said = words_of(title);
    match said.clone().next() {
        Some("done") => said.count() == 1,
        _ => STATUS.iter().any(|word| title.starts_with(word) || !word.is_ascii() && title.ends_with(word)),
    }
}

/// The words of a title.
fn words_of(title: &str) -> impl Iterator<Item = &str> + Clone {
    title.split([' ', '-', '_', '?', '/', '(', ')']).filter(|word| !word.is_empty())
}

/// Whether a table has a column of states.
pub(crate) fn has_status(outline: &Outline, table: &Table) -> bool {
    let titles = header(outline, table);
    titles.len() > 1 && titles.iter().any(|title| holds_state(title))
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
    let status = titles.iter().position(|title| holds_state(title))?;
    let name = is(THING).or_else(|| is(TASK)).or_else(|| is(ID)).or_else(|| is(WHAT))?;
    (name != status).then_some((name, status))
}

/// A cell without bold and code marks.
pub(crate) fn bare(text: &str) -> String {
    text.trim_matches(['*', '`', '_', '~', ' ', '#']).to_owned()
}

const STATUS: &[&str] = &[
    "status",
    "state",
    "done",
    "상태",
    "状态",
    "状態",
    "进度",
    "estado",
    "statut",
    "stato",
    "статус",
    "état",
    "состояние",
];

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
    "descripción", "beschreibung", "название", "описание", "элемент",
];

#[rustfmt::skip]
const PHASE: &[&str] = &[
    "phase", "milestone", "stage", "step", "阶段", "里程碑", "フェーズ", "マイルストーン", "단계", "마일스톤", "fase", "hito", "marco",
    "meilenstein", "jalon", "этап", "веха",
];

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
    "check", "done-when", "definition of done", "dod", "completion criteria", "验收", "검증", "수용", "критери", "abnahme", "criterios",
];
