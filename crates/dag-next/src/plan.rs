//! The plan as `dag-next` needs it: a few fields of each task, borrowed, and the rest raw.

use graph::{Graph, Name, Node};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use toolkit::{Fail, input};
use wire::State;
use wire::plan::{Kind, Source, Strategy};

/// The plan, with each task's own bytes.
#[derive(Debug)]
pub(crate) struct Sheet<'a> {
    pub(crate) source: Source,
    pub(crate) strategy: Option<Strategy>,
    pub(crate) phases: Vec<String>,
    pub(crate) tasks: Vec<Item<'a>>,
}

/// One task.
#[derive(Debug, Deserialize)]
pub(crate) struct Item<'a> {
    #[serde(borrow)]
    pub(crate) id: Str<'a>,
    #[serde(default, borrow)]
    pub(crate) title: Str<'a>,
    #[serde(default)]
    pub(crate) kind: Kind,
    pub(crate) state: State,
    #[serde(default, borrow)]
    pub(crate) depends_on: Vec<Str<'a>>,
    #[serde(default, borrow)]
    pub(crate) parent: Option<Str<'a>>,
    #[serde(default, borrow)]
    pub(crate) phase: Option<Str<'a>>,
    #[serde(default, borrow)]
    pub(crate) group: Option<Str<'a>>,
    #[serde(default)]
    pub(crate) optional: bool,
    #[serde(default, borrow)]
    pub(crate) fingerprint: Str<'a>,
    #[serde(default, borrow)]
    pub(crate) files: Vec<Use<'a>>,
    #[serde(default, borrow)]
    pub(crate) resources: Vec<Str<'a>>,
    #[serde(default, borrow)]
    extra: Option<&'a RawValue>,
    #[serde(skip)]
    pub(crate) raw: &'a str,
}

/// A file that a task declares.
#[derive(Debug, Deserialize)]
pub(crate) struct Use<'a> {
    #[serde(borrow)]
    pub(crate) path: Str<'a>,
    #[serde(default, borrow)]
    pub(crate) action: Str<'a>,
}

/// Text that is borrowed from the input where it has no escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
pub(crate) struct Str<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl Name for Str<'_> {
    fn name(&self) -> &str {
        &self.0
    }
}

impl std::ops::Deref for Str<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a> Sheet<'a> {
    /// Reads a `plan/1` document; one with no tasks is refused, whatever made it.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Fail> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Fail::data("empty-input", "input is empty, expected a 'plan/1' document"));
        }
        let bad = |e: serde_json::Error| Fail::data("bad-json", format!("no valid 'plan/1' document: {e}"));
        let plan: RawPlan<'a> = match serde_json::from_slice(bytes) {
            Ok(plan) => plan,
            // What is wrong may be that it is another document: say that first.
            Err(error) => {
                return Err(input::check_schema(bytes, &[wire::plan::SCHEMA]).err().unwrap_or(bad(error)));
            }
        };
        if plan.schema.as_deref() != Some(wire::plan::SCHEMA) {
            input::check_schema(bytes, &[wire::plan::SCHEMA])?;
        }
        if plan.tasks.is_empty() {
            return Err(Fail::data("no-tasks", "the plan has no tasks"));
        }
        let tasks = plan.tasks.into_iter().map(|raw| Item::read(raw.get())).collect::<Result<_, _>>();
        Ok(Self {
            source: plan.source,
            strategy: plan.strategy,
            phases: plan.phases.into_iter().map(|p| p.id).collect(),
            tasks: tasks.map_err(bad)?,
        })
    }

    /// The graph of the plan, or what is wrong with it.
    pub(crate) fn graph(&self) -> Result<Graph, Fail> {
        let nodes = self.tasks.iter().map(|t| Node {
            id: &t.id.0,
            state: t.state,
            depends_on: &t.depends_on,
            parent: t.parent.as_ref().map(|p| &*p.0),
            kind: t.kind,
            optional: t.optional,
        });
        let graph = Graph::new(nodes).map_err(|trouble| Fail::data("bad-graph", trouble.to_string()))?;
        let Some(cycle) = graph.cycle() else { return Ok(graph) };
        let names: Vec<&str> = cycle.iter().map(|i| &*self.tasks[*i as usize].id.0).collect();
        let shown = names.iter().take(50).copied().collect::<Vec<_>>().join(" -> ");
        let more = if names.len() > 50 { format!(" -> … ({} tasks)", names.len()) } else { String::new() };
        let first = names.first().copied().unwrap_or_default();
        Err(Fail::data("cycle", format!("tasks wait for each other: {shown}{more} -> {first}")))
    }
}

impl<'a> Item<'a> {
    fn read(raw: &'a str) -> Result<Self, serde_json::Error> {
        let mut item: Self = serde_json::from_str(raw)?;
        item.raw = raw;
        Ok(item)
    }

    /// Whether the plan calls the task critical or of high risk.
    pub(crate) fn is_risky(&self) -> bool {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Words<'a> {
            #[serde(borrow)]
            risk: Option<Cow<'a, str>>,
            #[serde(borrow)]
            priority: Option<Cow<'a, str>>,
        }
        let Some(extra) = self.extra else { return false };
        let words: Words<'_> = serde_json::from_str(extra.get()).unwrap_or_default();
        let is = |word: &Option<Cow<'_, str>>, wanted: &str| {
            word.as_deref().is_some_and(|w| w.eq_ignore_ascii_case(wanted))
        };
        is(&words.risk, "high") || is(&words.priority, "critical")
    }
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
    tasks: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawPhase {
    id: String,
}
