//! The words that rows are compared with: the vocabularies of clients, or real records.

use crate::args::LintArgs;
use crate::cards::row::{Row, What};
use crate::checkpoint::shop;
use crate::evidence::deed::Deed;
use crate::evidence::mint::{self, Came};
use config::Config;
use std::collections::BTreeMap;
use std::path::Path;
use toolkit::{Exit, Fail};
use transcripts::{Kind, Vocabulary, vocabularies};
use wire::punch::Type;

/// The possible words in records.
pub(crate) struct Words {
    /// The selected vocabularies.
    pub(crate) vocabularies: Vec<&'static Vocabulary>,
    /// Distinct real deeds with their count; `None` if no record was named.
    pub(crate) real: Option<Real>,
}

/// The deeds of real records.
#[derive(Debug, Default)]
pub(crate) struct Real {
    deeds: BTreeMap<(&'static str, String, String, String), (Deed, u64)>,
}

impl Words {
    /// Loads the requested vocabularies and records.
    pub(crate) fn load(args: &LintArgs, config: &Config) -> Result<Self, Fail> {
        let vocabularies: Vec<_> = match args.vocabulary.as_deref() {
            None => vocabularies().iter().collect(),
            Some(name) => vocabularies().iter().filter(|words| words.name == name).collect(),
        };
        if vocabularies.is_empty() {
            let known: Vec<_> = transcripts::vocabularies().iter().map(|words| words.name).collect();
            return Err(Fail::usage(format!("there is no such vocabulary; there are {}", known.join(", "))));
        }
        let real = if args.against.is_empty() { None } else { Some(Real::read(&args.against, config)?) };
        Ok(Self { vocabularies, real })
    }

    /// All tool names of the selected vocabularies.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &'static str> {
        self.vocabularies.iter().flat_map(|words| words.tools.iter().copied())
    }
}

impl Real {
    fn read(names: &[String], config: &Config) -> Result<Self, Fail> {
        let kinds = shop::kinds(config)?;
        let mut real = Self::default();
        for name in names {
            let record = mint::named(name, Path::new(""))?;
            let came = mint::mint(&record, &kinds, &mut |minted| {
                real.add(minted.deed);
                Ok(())
            })?;
            if let Came::Nothing(why) = came {
                return Err(Fail::new(Exit::NoInput, "no-transcript", why));
            }
        }
        Ok(real)
    }

    /// Adds a deed, reduced to the fields that rows match, without ids and times.
    fn add(&mut self, deed: &Deed) {
        let tool = deed.tool.as_ref();
        let name = tool.map(|tool| tool.name.clone()).unwrap_or_default();
        let agent = tool.map(|tool| if tool.agent.is_empty() { "main" } else { "sub" }).unwrap_or_default();
        let path = tool.and_then(|tool| tool.paths.first().cloned()).unwrap_or_default();
        let key = (deed.kind.word(), deed.key.clone(), format!("{name} {agent}"), path);
        self.deeds.entry(key).or_insert_with(|| (deed.clone(), 0)).1 += 1;
    }

    /// How often the row matches.
    pub(crate) fn hits(&self, row: &Row) -> u64 {
        self.deeds.values().filter(|(deed, _)| row.hit(deed, "")).map(|(_, count)| count).sum()
    }

    /// What a row may have meant: recorded names of the same kind, with their count.
    pub(crate) fn meant(&self, row: &Row) -> Vec<String> {
        let kinds = meant_kinds(row);
        let mut names: BTreeMap<&str, u64> = BTreeMap::new();
        for (deed, count) in self.deeds.values() {
            let same_type = row.what == What::Type(deed.kind) && deed.kind != Type::ToolCall;
            let same_type = same_type && letters(&deed.key).contains(&letters(&row.pattern.shown));
            let name = deed.tool.as_ref().map_or(deed.key.as_str(), |tool| tool.name.as_str());
            let same_kind = deed.tool.as_ref().is_some_and(|tool| kinds.contains(&tool.kind));
            if same_type {
                *names.entry(deed.key.as_str()).or_default() += count;
            } else if same_kind {
                *names.entry(name).or_default() += count;
            }
        }
        names.into_iter().take(6).map(|(name, count)| format!("'{name}' ({count} times)")).collect()
    }
}

/// The kinds of the names that the row's pattern covers in any vocabulary: `edit_file%` means editing.
pub(crate) fn meant_kinds(row: &Row) -> Vec<Kind> {
    let text = letters(&row.pattern.shown);
    let table: [(&str, &[Kind]); 5] = [
        ("edit", &[Kind::Edit, Kind::Write]),
        ("diff", &[Kind::Edit, Kind::Write]),
        ("write", &[Kind::Edit, Kind::Write]),
        ("read", &[Kind::Read]),
        ("bash", &[Kind::Shell]),
    ];
    let found = table.iter().find(|(word, _)| text.contains(word));
    found.map(|(_, kinds)| kinds.to_vec()).unwrap_or_default()
}

/// Only the letters of a text.
fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}
