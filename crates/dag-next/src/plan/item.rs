//! One task as `dag-next` needs it: a few fields, borrowed from the input, and where its own bytes begin.
//!
//! A plan has many tasks and most of them only count. So the fields that few tasks have stand apart, what is not needed
//! is passed over, and the dependencies of all tasks share one list.

use memchr::memmem;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use wire::State;
use wire::plan::{Criterion, Kind, NO_GATES};

/// One task.
#[derive(Debug, Default)]
pub(crate) struct Item<'a> {
    pub(crate) id: Str<'a>,
    pub(crate) title: Str<'a>,
    pub(crate) fingerprint: Str<'a>,
    pub(crate) kind: Kind,
    pub(crate) state: State,
    pub(crate) optional: bool,
    /// Where its dependencies are in [`Tasks::edges`].
    pub(crate) edges: Range<u32>,
    /// Its first key as it stands in the input: the task's own bytes begin just before.
    pub(crate) head: &'a str,
    more: Option<Box<More<'a>>>,
}

/// What few tasks have.
#[derive(Debug, Default)]
pub(crate) struct More<'a> {
    pub(crate) parent: Option<Str<'a>>,
    pub(crate) phase: Option<Str<'a>>,
    pub(crate) group: Option<Str<'a>>,
    pub(crate) files: Vec<Use<'a>>,
    pub(crate) resources: Vec<Str<'a>>,
    pub(crate) detail: Option<IgnoredAny>,
    extra: Option<&'a RawValue>,
    /// Its criteria, if one of them is unclear.
    criteria: Option<&'a RawValue>,
}

/// All tasks, and what they depend on.
#[derive(Debug, Default)]
pub(crate) struct Tasks<'a> {
    pub(crate) items: Vec<Item<'a>>,
    pub(crate) edges: Vec<Str<'a>>,
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

impl graph::Name for Str<'_> {
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

impl<'a> Item<'a> {
    /// What few tasks have; empty for the others.
    pub(crate) fn more(&self) -> &More<'a> {
        static NONE: More<'static> = More {
            parent: None,
            phase: None,
            group: None,
            files: Vec::new(),
            resources: Vec::new(),
            detail: None,
            extra: None,
            criteria: None,
        };
        self.more.as_deref().unwrap_or(&NONE)
    }

    fn more_mut(&mut self) -> &mut More<'a> {
        self.more.get_or_insert_default()
    }
}

impl More<'_> {
    /// Whether the task only inspects, see [`wire::Task::is_inspection`].
    pub(crate) fn is_inspection(&self) -> bool {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Words<'a> {
            #[serde(borrow)]
            gates: Option<Cow<'a, str>>,
        }
        let words = self.extra.and_then(|extra| serde_json::from_str::<Words<'_>>(extra.get()).ok());
        words.and_then(|words| words.gates).as_deref() == Some(NO_GATES)
    }

    /// The unclear checks that hold its box.
    pub(crate) fn unclear(&self) -> Vec<Criterion> {
        let Some(criteria) = self.criteria else { return Vec::new() };
        let mut all: Vec<Criterion> = serde_json::from_str(criteria.get()).unwrap_or_default();
        all.retain(|check| check.holds().is_some());
        all
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

impl<'de: 'a, 'a> Deserialize<'de> for Tasks<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(ListOfTasks(PhantomData))
    }
}

struct ListOfTasks<'a>(PhantomData<&'a str>);

impl<'de: 'a, 'a> Visitor<'de> for ListOfTasks<'a> {
    type Value = Tasks<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tasks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tasks<'a>, A::Error> {
        let mut tasks = Tasks::default();
        while let Some(item) = list.next_element_seed(OneTask(&mut tasks.edges))? {
            tasks.items.push(item);
        }
        Ok(tasks)
    }
}

/// Reads one task; its dependencies go to the list of all.
struct OneTask<'x, 'a>(&'x mut Vec<Str<'a>>);

impl<'de: 'a, 'a> DeserializeSeed<'de> for OneTask<'_, 'a> {
    type Value = Item<'a>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Item<'a>, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for OneTask<'_, 'a> {
    type Value = Item<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a task")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item<'a>, A::Error> {
        let mut item = Item::default();
        let (mut id, mut state) = (None, None);
        let first = self.0.len();
        // Keys are taken raw, so that the first one tells where in the input the task stands.
        while let Some(key) = map.next_key::<&'a RawValue>()? {
            let key = key.get();
            if item.head.is_empty() {
                item.head = key;
            }
            match &*unquoted(key).map_err(A::Error::custom)? {
                "id" => id = Some(map.next_value()?),
                "title" => item.title = map.next_value()?,
                "fingerprint" => item.fingerprint = map.next_value()?,
                "kind" => item.kind = map.next_value()?,
                "state" => state = Some(map.next_value()?),
                "optional" => item.optional = map.next_value()?,
                "depends_on" => map.next_value_seed(Edges(&mut *self.0))?,
                "parent" => item.more_mut().parent = map.next_value()?,
                "phase" => item.more_mut().phase = map.next_value()?,
                "group" => item.more_mut().group = map.next_value()?,
                "files" => item.more_mut().files = map.next_value()?,
                "resources" => item.more_mut().resources = map.next_value()?,
                "detail" => item.more_mut().detail = map.next_value()?,
                "extra" => item.more_mut().extra = map.next_value()?,
                "criteria" => {
                    let criteria: &'a RawValue = map.next_value()?;
                    if memmem::find(criteria.get().as_bytes(), b"\"unclear\"").is_some() {
                        item.more_mut().criteria = Some(criteria);
                    }
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        item.id = id.ok_or_else(|| A::Error::missing_field("id"))?;
        item.state = state.ok_or_else(|| A::Error::missing_field("state"))?;
        item.edges = index(first)..index(self.0.len());
        Ok(item)
    }
}

/// Adds a list of ids to the list of all.
struct Edges<'x, 'a>(&'x mut Vec<Str<'a>>);

impl<'de: 'a, 'a> DeserializeSeed<'de> for Edges<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Edges<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of ids")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(id) = list.next_element()? {
            self.0.push(id);
        }
        Ok(())
    }
}

/// A key without its quotes; the few that are written with escapes are read properly.
fn unquoted(key: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    match key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str(key).map(Cow::Owned),
    }
}

/// An index as the graph has it.
pub(crate) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
