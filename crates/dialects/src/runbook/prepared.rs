//! A runbook that is a folder: its own text, or what was prepared from it.
//!
//! With step files the plan is what was prepared. Preparation is checked here: `steps/`, `orchestrator-plan.md`, every
//! file that it lists and every agent that it names must be there.

use super::manifest::{self, Entry, Manifest};
use super::model::NO_MODEL;
use super::number::Number;
use super::overlay::Overlay;
use super::source::{self, MANIFEST};
use super::{agent, draft::Draft, finish, progress, sheet, stepfile};
use crate::{Ask, Folder, Outline, Plan, Text, checklist};
use std::collections::HashMap;
use toolkit::{Exit, Fail};
use wire::plan::{Diagnostic, Kind, Severity};

/// Reads the folder.
pub(crate) fn read(folder: &Folder, ask: &Ask) -> Result<Plan, Fail> {
    let stage = Stage::of(folder)?;
    if ask.prepared {
        require(&stage.missing(folder), folder)?;
    }
    let mut files: Vec<(String, String, Vec<u8>)> = Vec::new();
    for file in stage.entries.iter().filter_map(|entry| entry.file.clone()) {
        if let Some(bytes) = folder.read(&format!("steps/{file}"))? {
            files.push((folder.seen(&format!("steps/{file}")), file, bytes));
        }
    }
    let made_from = files.first().and_then(|(path, _, bytes)| {
        let outline = Outline::new(&Text { path, bytes });
        stepfile::header(&outline).plan
    });
    let texts = source::texts(folder, made_from.as_deref())?;
    let led = stage.bytes.as_ref().map(|bytes| (folder.seen(MANIFEST), bytes));
    let all = texts.iter().map(|(path, bytes)| (path, bytes));
    let all = all.chain(led.iter().map(|(path, bytes)| (path, *bytes)));
    let all = all.chain(files.iter().map(|(path, _, bytes)| (path, bytes)));
    let sheets: Vec<Outline> = all.map(|(path, bytes)| Outline::new(&Text { path, bytes })).collect();
    let mut draft = Draft::default();
    draft.title = sheets.first().map(checklist::title).unwrap_or_default();
    for (index, outline) in sheets.iter().enumerate().take(texts.len()) {
        sheet::read(outline, index, &mut draft);
    }
    let first = texts.len() + usize::from(led.is_some());
    let places: HashMap<String, usize> =
        files.iter().enumerate().map(|(at, (_, file, _))| (file.clone(), first + at)).collect();
    if stage.is_prepared() {
        let entries = stage.ordered(&draft);
        Overlay {
            manifest: &stage.manifest,
            entries: &entries,
            sheets: &sheets,
            led_by: led.as_ref().map(|_| texts.len()),
            files: &places,
            name: &stage.name,
        }
        .lay(&mut draft);
    }
    let mut plan = finish::plan(draft, &sheets);
    stage.report(folder, &texts, &mut plan);
    settle(&mut plan, folder, ask)?;
    Ok(plan)
}

/// What a runbook of one file has beside it: its progress, and what was prepared from it.
pub(crate) fn beside(plan: &mut Plan, folder: &Folder, ask: &Ask) -> Result<(), Fail> {
    if ask.prepared {
        require(&Stage::of(folder)?.missing(folder), folder)?;
    }
    settle(plan, folder, ask)?;
    plan.source.files.extend(folder.opened().into_iter().filter(|file| file.path.ends_with(progress::FILE)));
    Ok(())
}

fn settle(plan: &mut Plan, folder: &Folder, ask: &Ask) -> Result<(), Fail> {
    progress::take(plan, folder)?;
    // What is to be carried out must say who is to do it.
    for found in plan.diagnostics.iter_mut().filter(|found| ask.prepared && found.code == NO_MODEL) {
        found.severity = Severity::Error;
    }
    Ok(())
}

fn require(missing: &[String], folder: &Folder) -> Result<(), Fail> {
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("runbook not prepared, missing: {}", missing.join(", "));
    Err(Fail::new(Exit::NoInput, "not-prepared", message).at(folder.path.clone(), 1))
}

/// What was prepared.
struct Stage {
    name: String,
    /// The step files that are there.
    files: Vec<String>,
    /// The orchestrator plan.
    bytes: Option<Vec<u8>>,
    manifest: Manifest,
    /// What it lists, else the step files by number.
    entries: Vec<Entry>,
}

impl Stage {
    fn of(folder: &Folder) -> Result<Self, Fail> {
        let names = folder.names("steps");
        let files: Vec<String> = names.into_iter().filter(|name| stepfile::name(name).is_some()).collect();
        let bytes = folder.read(MANIFEST)?;
        let path = folder.seen(MANIFEST);
        let manifest =
            bytes.as_ref().map(|bytes| manifest::read(&Outline::new(&Text { path: &path, bytes })));
        let manifest = manifest.unwrap_or_default();
        let mut entries = manifest.entries.clone();
        if entries.is_empty() {
            entries =
                files.iter().map(|file| Entry { file: Some(file.clone()), ..Entry::default() }).collect();
        }
        Ok(Self { name: folder.name(), files, bytes, manifest, entries })
    }

    fn is_prepared(&self) -> bool {
        !self.files.is_empty()
            || !self.entries.is_empty() && self.entries.iter().all(|entry| entry.file.is_none())
    }

    /// The entries in the order to work in: as listed, else as in the runbook, else by number.
    fn ordered(&self, draft: &Draft) -> Vec<Entry> {
        let mut entries = self.entries.clone();
        if self.manifest.entries.is_empty() {
            let steps = draft.steps.iter().enumerate();
            let places: HashMap<&str, usize> =
                steps.filter_map(|(at, step)| Some((step.number.as_ref()?.text.as_str(), at))).collect();
            entries.sort_by_cached_key(|entry| {
                let name = entry.file.as_deref().and_then(stepfile::name);
                let number = name.as_ref().and_then(|name| Number::of(&name.number));
                let place = number.as_ref().and_then(|number| places.get(number.text.as_str()));
                let order = number.as_ref().map(|number| number.order().0.to_vec());
                (place.copied().unwrap_or(usize::MAX), order, rank(name.and_then(|name| name.part)))
            });
        }
        entries
    }

    /// Everything that a run needs and that is not there, as seen from the root.
    fn missing(&self, folder: &Folder) -> Vec<String> {
        let mut missing = Vec::new();
        let inline = !self.entries.is_empty() && self.entries.iter().all(|entry| entry.file.is_none());
        if self.files.is_empty() && !inline {
            missing.push(folder.seen("steps/step-*.md"));
        }
        if self.bytes.is_none() {
            missing.push(folder.seen(MANIFEST));
        }
        let listed = self.manifest.entries.iter().filter_map(|entry| entry.file.as_ref());
        missing.extend(
            listed
                .filter(|file| !self.files.contains(file))
                .map(|file| folder.seen(&format!("steps/{file}"))),
        );
        let up = "../".repeat(folder.path.split('/').filter(|part| !part.is_empty()).count());
        let agents = agent::files(&self.manifest, &self.name);
        missing.extend(agents.into_iter().filter(|file| !folder.has(&format!("{up}{file}"))));
        missing
    }

    /// What of the folder is odd.
    fn report(&self, folder: &Folder, texts: &[(String, Vec<u8>)], plan: &mut Plan) {
        let mut warn = |code: &'static str, message: String, path: String| {
            let code = code.to_owned();
            let severity = Severity::Warning;
            plan.diagnostics.push(Diagnostic {
                severity,
                code,
                message,
                path: path.into(),
                line: 1,
                column: None,
                task: None,
            });
        };
        let listed = |file: &String| self.entries.iter().any(|entry| entry.file.as_ref() == Some(file));
        for file in self.files.iter().filter(|file| !listed(file)) {
            let message = format!("steps/{file} is not listed in {MANIFEST}; not taken");
            warn("stale-step-file", message, folder.seen(&format!("steps/{file}")));
        }
        let missing = self.missing(folder);
        if self.is_prepared() && !missing.is_empty() {
            warn("not-prepared", format!("not there: {}", missing.join(", ")), folder.seen(MANIFEST));
        }
        let names = folder.names("");
        let phases = source::phases(&names);
        let read = |name: &String| texts.iter().any(|(path, _)| *path == folder.seen(name));
        if let Some((path, _)) = texts.first().filter(|_| phases.iter().any(|name| !read(name))) {
            let message =
                "the runbook is read from this file; the files of the phases beside it are not".to_owned();
            warn("other-source", message, path.clone());
        }
        let numbers: Vec<u64> =
            phases.iter().filter_map(|name| sheet::phase_of_file(name)?.parse().ok()).collect();
        for pair in numbers.windows(2).filter(|pair| matches!(pair, [a, b] if a.saturating_add(1) < *b)) {
            if let [a, b] = pair {
                let message = format!("there is no file of a phase between {a} and {b}");
                warn("phase-gap", message, folder.seen(&format!("runbook-phase-{b}.md")));
            }
        }
        let corrector = self.manifest.roles.get("corrector agent").map_or("vet-fix-agent", String::as_str);
        for task in plan.tasks.iter_mut().filter(|task| task.kind == Kind::Checkpoint) {
            task.agent = Some(corrector.to_owned());
        }
    }
}

/// The parts of a cycle in the order to work in.
fn rank(part: Option<&str>) -> usize {
    match part {
        Some("bootstrap") => 1,
        Some("test") => 2,
        Some("impl") => 3,
        _ => 0,
    }
}
