//! A runbook folder: the runbook's own text, or the files prepared from it.
//!
//! If there are step files, the plan is the prepared one. This module checks the preparation: `steps/`,
//! `orchestrator-plan.md`, every file that it lists and every agent that it names must exist.

pub(crate) mod agent;
pub(crate) mod manifest;
pub(crate) mod overlay;
pub(crate) mod progress;
pub(crate) mod source;
pub(crate) mod step_file;

use super::draft::Draft;
use super::finish;
use super::model::NO_MODEL;
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::prepared::manifest::{Entry, Manifest};
use crate::formats::workflows::runbook::prepared::overlay::Overlay;
use crate::formats::workflows::runbook::prepared::source::MANIFEST;
use crate::formats::workflows::runbook::text;
use crate::{Ask, Folder, Plan};
use markdown::{Outline, Text};
use serde_json::{Value, json};
use std::collections::HashMap;
use toolkit::{Exit, Fail};
use wire::plan::{Diagnostic, Kind, Model, Severity};

/// Reads the folder.
pub(crate) fn read(folder: &Folder, ask: &Ask) -> Result<Plan, Fail> {
    let stage = Stage::of(folder)?;
    if ask.prepared || stage.lost_its_steps() {
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
        step_file::header(&outline).plan
    });
    let texts = source::texts(folder, made_from.as_deref())?;
    let led = stage.bytes.as_ref().map(|bytes| (folder.seen(MANIFEST), bytes));
    let all = texts.iter().map(|(path, bytes)| (path, bytes));
    let all = all.chain(led.iter().map(|(path, bytes)| (path, *bytes)));
    let all = all.chain(files.iter().map(|(path, _, bytes)| (path, bytes)));
    let sheets: Vec<Outline> = all.map(|(path, bytes)| Outline::new(&Text { path, bytes })).collect();
    let mut draft = Draft::default();
    draft.title = sheets.first().map(markdown::outline::title).unwrap_or_default();
    for (index, outline) in sheets.iter().enumerate().take(texts.len()) {
        text::read(outline, index, &mut draft);
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
    if let Some(outline) = sheets.get(texts.len()).filter(|_| led.is_some()) {
        let unclear =
            stage.manifest.doubts.iter().map(|(at, what)| {
                outline.diagnostic(Severity::Warning, "unclear-rule", (*what).to_owned(), *at)
            });
        plan.diagnostics.extend(unclear);
    }
    if let Some(strategy) = plan.strategy.as_mut().filter(|_| stage.manifest.parallel) {
        (strategy.model, strategy.stated) = (Model::Parallel, true);
        strategy.reason = format!("{MANIFEST} lets steps run in parallel");
    }
    if stage.is_prepared() && stage.missing(folder).is_empty() {
        plan.extra.insert("artifacts".to_owned(), stage.artifacts(folder));
    }
    settle(&mut plan, folder, ask)?;
    Ok(plan)
}

/// Reads the files beside a runbook of one file: its progress, and the files prepared from it.
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
    // A plan to be executed must name a model for every step.
    for found in plan.diagnostics.iter_mut().filter(|found| ask.prepared && found.code == NO_MODEL) {
        found.severity = Severity::Error;
    }
    Ok(())
}

fn require(missing: &[String], folder: &Folder) -> Result<(), Fail> {
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Runbook not prepared. Run `/plan-adhoc` first to create execution artifacts. Missing: {}",
        missing.join(", ")
    );
    Err(Fail::new(Exit::NoInput, "not-prepared", message).at(folder.path.clone(), 1))
}

/// The prepared files.
struct Stage {
    name: String,
    /// The existing step files.
    files: Vec<String>,
    /// The orchestrator plan.
    bytes: Option<Vec<u8>>,
    manifest: Manifest,
    /// The entries that the orchestrator plan lists, otherwise the step files by number.
    entries: Vec<Entry>,
}

impl Stage {
    fn of(folder: &Folder) -> Result<Self, Fail> {
        let names = folder.names("steps");
        let files: Vec<String> = names.into_iter().filter(|name| step_file::name(name).is_some()).collect();
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

    /// Whether an orchestrator plan is there and its step files are not: the runbook's own text names other models.
    fn lost_its_steps(&self) -> bool {
        self.bytes.is_some() && !self.is_prepared()
    }

    /// The entries in execution order: as listed, else as in the runbook, else by number.
    fn ordered(&self, draft: &Draft) -> Vec<Entry> {
        let mut entries = self.entries.clone();
        if self.manifest.entries.is_empty() {
            let steps = draft.steps.iter().enumerate();
            let places: HashMap<&str, usize> =
                steps.filter_map(|(at, step)| Some((step.number.as_ref()?.text.as_str(), at))).collect();
            entries.sort_by_cached_key(|entry| {
                let name = entry.file.as_deref().and_then(step_file::name);
                let number = name.as_ref().and_then(|name| Number::of(&name.number));
                let place = number.as_ref().and_then(|number| places.get(number.text.as_str()));
                let order = number.as_ref().map(|number| number.order().0.to_vec());
                (place.copied().unwrap_or(usize::MAX), order, rank(name.and_then(|name| name.part)))
            });
        }
        entries
    }

    /// Everything that a run needs and that is missing, relative to the root.
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

    /// The prepared files, for the first lines of a run.
    fn artifacts(&self, folder: &Folder) -> Value {
        json!({
            "agents": agent::files(&self.manifest, &self.name),
            "steps": self.entries.len(),
            "plan": folder.seen(MANIFEST),
        })
    }

    /// Reports inconsistencies in the folder.
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
                offer: None,
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
            phases.iter().filter_map(|name| text::phase_of_file(name)?.parse().ok()).collect();
        for pair in numbers.windows(2).filter(|pair| matches!(pair, [a, b] if a.saturating_add(1) < *b)) {
            if let [a, b] = pair {
                let message = format!("there is no file of a phase between {a} and {b}");
                warn("phase-gap", message, folder.seen(&format!("runbook-phase-{b}.md")));
            }
        }
        if let Some(corrector) = self.manifest.roles.get("corrector agent") {
            for task in plan.tasks.iter_mut().filter(|task| task.kind == Kind::Checkpoint) {
                task.agent = Some(corrector.clone());
            }
        }
    }
}

/// The parts of a cycle in execution order.
fn rank(part: Option<&str>) -> usize {
    match part {
        Some("bootstrap") => 1,
        Some("test") => 2,
        Some("impl") => 3,
        _ => 0,
    }
}
