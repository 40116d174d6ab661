//! The plan as `dag-next` needs it, read in one pass.

pub(crate) mod item;

use crate::plan::item::{Item, Str, Tasks};
use graph::{Graph, Node, Trouble};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::shell_word;
use toolkit::stream::input::{self, Input};
use wire::State;
use wire::plan::ticks::{self, Ticks};
use wire::plan::{SCHEMA, Source, Strategy};

/// How many members of a cycle a message names.
const NAMED: usize = 1000;

/// The bytes of a `plan/1` document. A plan itself is for plan-parse.
pub(crate) fn bytes(file: Option<&Path>) -> Result<Vec<u8>, Fail> {
    let is_plan = |path: &Path| path.is_dir() || path.extension().is_some_and(|end| end == "md");
    let named = file.filter(|path| *path != Path::new("-") && path.exists());
    if let Some(path) = named.filter(|path| is_plan(path)) {
        return Err(not_parsed(&path.to_string_lossy()));
    }
    let bytes = Input::open(file)?.bytes()?;
    let begins_as_json = bytes.trim_ascii().first().is_none_or(|byte| *byte == b'{');
    match named.filter(|_| !begins_as_json) {
        Some(path) => Err(not_parsed(&path.to_string_lossy())),
        None => Ok(bytes),
    }
}

/// The `ticks/1` line, if it is one.
pub(crate) fn ticks(line: &[u8]) -> Option<Result<Ticks, Fail>> {
    let is_ticks = line.starts_with(format!("{{\"schema\":\"{}\"", ticks::SCHEMA).as_bytes());
    is_ticks.then(|| input::document(line, ticks::SCHEMA))
}

fn not_parsed(path: &str) -> Fail {
    let path = shell_word::path(path);
    let message =
        format!("{path} is no '{SCHEMA}' document; if it is a plan, run: plan-parse {path} | dag-next");
    Fail::data("not-parsed", message)
}

/// The plan, borrowed from its bytes.
#[derive(Debug)]
pub(crate) struct PlanView<'a> {
    pub(crate) source: Source,
    pub(crate) strategy: Option<Strategy>,
    pub(crate) phases: Vec<RawPhase>,
    pub(crate) tasks: Vec<Item<'a>>,
    edges: Vec<Str<'a>>,
    text: &'a str,
}

impl<'a> PlanView<'a> {
    /// Reads a `plan/1` document; one with no tasks is refused, whatever made it.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Fail> {
        if bytes.trim_ascii().is_empty() {
            return Err(Fail::data("empty-input", format!("input is empty, expected a '{SCHEMA}' document")));
        }
        let text = std::str::from_utf8(bytes).map_err(bad)?;
        let plan: RawPlan<'a> = match serde_json::from_str(text) {
            Ok(plan) => plan,
            // What is wrong may be that it is another document: say that first.
            Err(error) => return Err(input::check_schema(bytes, &[SCHEMA]).err().unwrap_or(bad(error))),
        };
        if plan.schema.as_deref() != Some(SCHEMA) {
            input::check_schema(bytes, &[SCHEMA])?;
        }
        if plan.tasks.items.is_empty() {
            return Err(Fail::data("no-tasks", "the plan has no tasks"));
        }
        Ok(Self {
            source: plan.source,
            strategy: plan.strategy,
            phases: plan.phases,
            tasks: plan.tasks.items,
            edges: plan.tasks.edges,
            text,
        })
    }

    /// Takes over what was ticked since the plan was printed.
    pub(crate) fn tick(&mut self, ticks: Ticks) -> Result<(), Fail> {
        for id in &ticks.tasks {
            let task = self.tasks.iter_mut().find(|task| *task.id.0 == *id.0);
            let task = task.ok_or_else(|| Fail::data("bad-ticks", format!("the plan has no task '{id}'")))?;
            task.state = State::Completed;
        }
        self.source.sha256 = ticks.sha256;
        Ok(())
    }

    /// What a task declares that it depends on.
    pub(crate) fn depends_on(&self, item: &Item<'a>) -> &[Str<'a>] {
        &self.edges[item.edges.start as usize..item.edges.end as usize]
    }

    /// A task's own bytes, found by its first key.
    pub(crate) fn raw(&self, item: &Item<'a>) -> Result<&'a str, Fail> {
        let key = item.head.as_ptr().addr() - self.text.as_ptr().addr();
        let start = self.text[..key].rfind('{').unwrap_or(key);
        let mut values = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<&RawValue>();
        values.next().map_or(Ok(""), |raw| raw.map(RawValue::get).map_err(bad))
    }

    /// The graph of the plan, or what is wrong with it.
    pub(crate) fn graph(&self) -> Result<Graph, Fail> {
        let nodes = self.tasks.iter().map(|t| Node {
            id: &t.id.0,
            state: t.state,
            depends_on: self.depends_on(t),
            parent: t.more().parent.as_deref(),
            kind: t.kind,
            optional: t.optional,
        });
        let graph = Graph::new(nodes).map_err(|trouble| self.troubled(&trouble))?;
        match graph.cycle() {
            Some(cycle) => Err(self.looped(&cycle)),
            None => Ok(graph),
        }
    }

    fn troubled(&self, trouble: &Trouble) -> Fail {
        let duplicate = trouble.duplicates.first().and_then(|d| d.nodes.get(1));
        let unknown = trouble.unknown.first().map(|u| &u.node);
        let fail = Fail::data("bad-graph", trouble.to_string());
        let Some(place) = duplicate.or(unknown).and_then(|i| self.place(*i)) else { return fail };
        fail.at(place.path, place.line)
    }

    /// Every member of a cycle, with its line.
    fn looped(&self, cycle: &[u32]) -> Fail {
        let name = |i: &u32| {
            let id = &self.tasks[*i as usize].id.0;
            self.place(*i).map_or_else(|| id.to_string(), |place| format!("{id} (line {})", place.line))
        };
        let mut names: Vec<String> = cycle.iter().take(NAMED).map(name).collect();
        if cycle.len() > NAMED {
            names.push(format!("… ({} tasks)", cycle.len()));
        }
        names.extend(names.first().cloned());
        let fail = Fail::data("cycle", format!("tasks wait for each other: {}", names.join(" -> ")));
        let Some(place) = cycle.first().and_then(|i| self.place(*i)) else { return fail };
        fail.at(place.path, place.line)
    }

    /// Where a task stands in the plan's own text.
    fn place(&self, i: u32) -> Option<LineAndPath> {
        #[derive(Deserialize)]
        struct Placed {
            span: Option<LineAndPath>,
        }
        let raw = self.raw(self.tasks.get(i as usize)?).ok()?;
        serde_json::from_str::<Placed>(raw).ok()?.span.filter(|place| place.line > 0)
    }
}

#[derive(Deserialize)]
struct LineAndPath {
    path: String,
    line: u64,
}

fn bad(error: impl std::fmt::Display) -> Fail {
    Fail::data("bad-json", format!("no valid '{SCHEMA}' document: {error}"))
}

#[derive(Deserialize)]
struct RawPlan<'a> {
    #[serde(default, borrow)]
    schema: Option<Cow<'a, str>>,
    source: Source,
    #[serde(default)]
    strategy: Option<Strategy>,
    #[serde(default)]
    phases: Vec<RawPhase>,
    #[serde(borrow)]
    tasks: Tasks<'a>,
}

/// A phase, and how its tasks run.
#[derive(Debug, Deserialize)]
pub(crate) struct RawPhase {
    pub(crate) id: String,
    #[serde(default)]
    strategy: Option<String>,
}

impl RawPhase {
    /// Whether its tasks run one after the other.
    pub(crate) fn is_sequential(&self) -> bool {
        self.strategy.as_deref() == Some("sequential")
    }
}
