//! `punch lint`: a card that cannot fail, or cannot be met, is itself an error.
//!
//! Cards are compared with the words that clients really write, with real records if some are named, with the
//! existing gates, and with the statements of workflows about them.

mod commands;
mod rows;
mod words;
mod workflow;

use crate::args::LintArgs;
use crate::cards::card::{Card, Cards};
use crate::cards::card_file;
use crate::lint::rows::LintContext;
use crate::lint::words::Words;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use toolkit::files::{fs, root};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::lint::{Finding, LintDoc, SCHEMA, Severity};

/// Lints everything that is named.
pub(crate) fn run(args: &LintArgs, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(&args.root)?;
    let config = args.config.load(&root)?;
    let mut subjects = Subjects::default();
    for text in &args.what {
        subjects.add(text)?;
    }
    let files: Vec<PathBuf> = args.cards.iter().chain(&subjects.card_files).cloned().collect();
    let cards = Cards::load(&config, &files)?;
    let ground = LintContext {
        words: Words::load(args, &config)?,
        gates: config.gates.iter().map(|gate| gate.id.clone()).chain(args.gate.iter().cloned()).collect(),
        commands: subjects
            .commands
            .iter()
            .map(|path| commands::Commands::read(path))
            .collect::<Result<_, _>>()?,
    };
    let mut document = LintDoc { schema: SCHEMA.to_owned(), ..LintDoc::default() };
    let named = subjects.named_cards(&cards)?;
    for (card, path) in &named {
        document.cards += 1;
        document.rows += card.rows.len() as u64;
        let found = rows::look(card, &ground);
        document.findings.extend(found.into_iter().map(|finding| Finding { path: path.clone(), ..finding }));
    }
    for path in &subjects.workflows {
        document.findings.extend(workflow::look(path, &cards, &ground)?);
    }
    for commands in &ground.commands {
        document.findings.extend(commands.look());
    }
    let errors = document.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    if args.show.format.is_text() {
        out.shown(&text(&document, errors))?;
    } else {
        out.document(&document, args.show.pretty)?;
    }
    Ok(if errors == 0 { Exit::Ok } else { Exit::No })
}

/// The arguments, sorted by kind.
#[derive(Default)]
struct Subjects {
    names: Vec<String>,
    card_files: Vec<PathBuf>,
    workflows: Vec<PathBuf>,
    commands: Vec<PathBuf>,
}

impl Subjects {
    fn add(&mut self, text: &str) -> Result<(), Fail> {
        let path = PathBuf::from(text);
        match path.extension().and_then(|end| end.to_str()) {
            Some("md") => self.workflows.push(path),
            Some("toml") if is_commands(&path)? => self.commands.push(path),
            Some("toml" | "sql" | "json") => self.card_files.push(path),
            _ => self.names.push(text.to_owned()),
        }
        Ok(())
    }

    /// Cards by name, and every card of each file, with the file.
    fn named_cards(&self, cards: &Cards) -> Result<Vec<(Card, Option<String>)>, Fail> {
        let mut out = Vec::new();
        for name in &self.names {
            out.push((cards.find(name)?, None));
        }
        for path in &self.card_files {
            for (name, rule) in card_file::read(path)? {
                out.push((Card::of(&name, &rule)?, Some(path.display().to_string())));
            }
        }
        Ok(out)
    }
}

/// Whether a file is a routing table of commands rather than one of cards.
fn is_commands(path: &Path) -> Result<bool, Fail> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let table: toml::Table =
        toml::from_str(&text).map_err(|e| Fail::data("bad-toml", e.message().to_owned()).in_file(path))?;
    Ok(table.contains_key("commands"))
}

fn text(document: &LintDoc, errors: usize) -> String {
    let mut out = String::new();
    for finding in &document.findings {
        let word = if finding.severity == Severity::Error { "error" } else { "warning" };
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = finding.path.as_ref().map(|path| format!("{path}{line}: ")).unwrap_or_default();
        let card = finding.card.as_ref().map(|card| format!("{card}: ")).unwrap_or_default();
        let row = finding.row.as_ref().map(|row| format!("{row}: ")).unwrap_or_default();
        let _ = writeln!(out, "{place}{card}{row}{word} [{}]: {}", finding.code, finding.message);
    }
    let warnings = document.findings.len() - errors;
    let _ = writeln!(
        out,
        "{} cards, {} rows: {errors} errors, {warnings} warnings",
        document.cards, document.rows
    );
    out
}
