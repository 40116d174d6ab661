//! The task as in the current plan: its text, its own file, and the results of earlier tasks.

use dialects::PlanSnapshot;
use markdown::{Extent, Outline, Text};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::inside;
use wire::plan::Span;
use wire::{Order, Plan, Task};

/// What the plan and the files beside it say about one task.
pub(crate) struct TaskText {
    pub(crate) plan: Arc<Plan>,
    pub(crate) task: Task,
    /// The task's section, as in the plan, without the steps that are its commit.
    pub(crate) section: String,
    /// `outputs.json`; null if there is none.
    pub(crate) outputs: Value,
    pub(crate) wisdom: Wisdom,
    /// The folder of the context files.
    pub(crate) context: String,
    /// The digest of the plan with its marks blanked.
    pub(crate) blanked: String,
    files: Vec<(String, Arc<Vec<u8>>)>,
}

/// The notes of earlier workers.
#[derive(Default)]
pub(crate) struct Wisdom {
    pub(crate) learnings: String,
    pub(crate) issues: String,
    pub(crate) decisions: String,
}

impl TaskText {
    /// Reads the plan of an order again. A task that no longer matches the order is `plan-changed`.
    pub(crate) fn of(order: &Order) -> Result<Self, Fail> {
        let root = Path::new(&order.plan.root);
        let field = PlanSnapshot::with_task(&order.plan, &order.task.id)?;
        let task = task(&field, order)?;
        let context = dialects::context::dir(&order.plan.path, &order.plan.dialect);
        let folder = inside(root, &context)?;
        let text = |name: &str| -> Result<String, Fail> {
            let bytes = fs::read_if_there(&folder.join(name))?;
            Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
        };
        let wisdom = Wisdom {
            learnings: text("learnings.md")?,
            issues: text("issues.md")?,
            decisions: text("decisions.md")?,
        };
        let outputs = parsed(&text("outputs.json")?, &format!("{context}/outputs.json"))?;
        let section = String::from_utf8_lossy(&field.work(&task)).into_owned();
        // `worker-run` does not guard the task's own file as part of the plan.
        let blanked =
            if task.detail.is_some() { PlanSnapshot::of(&order.plan)?.blanked() } else { field.blanked() };
        Ok(Self { plan: field.plan, task, section, outputs, wisdom, context, blanked, files: field.files })
    }

    /// The text at a span of the plan.
    pub(crate) fn text_at(&self, span: &Span) -> String {
        let file = self.files.iter().find(|(path, _)| *path == span.path);
        let body = file.map_or(&[][..], |(_, bytes)| dialects::body(bytes, span));
        String::from_utf8_lossy(body).into_owned()
    }

    /// The section below the first heading of this name in the plan's own files, with the file.
    pub(crate) fn chapter(&self, name: &str) -> Option<(String, String)> {
        let markdown =
            self.files.iter().filter(|(path, _)| Path::new(path).extension().is_some_and(|e| e == "md"));
        markdown.into_iter().find_map(|(path, bytes)| {
            let outline = Outline::new(&Text { path, bytes });
            let own = |head: &&markdown::Heading| head.atx && !head.inner;
            let is_it = |head: &markdown::Heading| {
                outline.str(head.at).trim().trim_start_matches('#').trim().eq_ignore_ascii_case(name)
            };
            let at = outline.headings.iter().position(|head| own(&head) && is_it(head))?;
            let head = &outline.headings[at];
            // The shared context ends at the first phase or step, whatever the level of its heading.
            let begins = |next: &markdown::Heading| {
                let text = outline.str(next.at).trim_start_matches(['#', ' ']);
                ["Phase ", "Step ", "Cycle "].iter().any(|word| text.starts_with(word))
            };
            let mut later = outline.headings[at + 1..].iter().filter(own);
            let next = later.find(|next| next.level <= head.level || begins(next));
            let end = next.map_or(bytes.len(), |next| next.at.start);
            let text = outline.str(outline.trimmed(Extent { start: head.at.start, end }));
            Some((path.clone(), text.to_owned()))
        })
    }
}

/// The task including its own file, if it still matches the order. The order may have been made with or without that
/// file: both fingerprints belong to the task.
fn task(field: &PlanSnapshot, order: &Order) -> Result<Task, Fail> {
    let (id, fingerprint) = (&order.task.id, &order.task.fingerprint);
    if let Some(task) = field.task(id, fingerprint) {
        return Ok(task.clone());
    }
    let listed = PlanSnapshot::of(&order.plan)?;
    let loaded = field.plan.tasks.iter().find(|task| task.id == *id);
    if let (Some(_), Some(task)) = (listed.task(id, fingerprint), loaded) {
        return Ok(Task { fingerprint: fingerprint.clone(), ..task.clone() });
    }
    Err(Fail::data("plan-changed", format!("task '{id}' is not in the plan as it was handed out")))
}

fn parsed(text: &str, place: &str) -> Result<Value, Fail> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let bad = |e: serde_json::Error| {
        Fail::data("bad-outputs", format!("no valid JSON: {e}")).at(place, e.line() as u64)
    };
    serde_json::from_str(text).map_err(bad)
}
