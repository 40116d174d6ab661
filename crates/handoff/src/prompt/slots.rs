//! The slots that every template can name, filled in from one case. The dialects add theirs in separate files.

use crate::case::Case;
use crate::packet::facts;
use crate::prompt::block::{Block, Keep};
use crate::prompt::quote::{code, line};
use crate::prompt::rows::{criteria, gate, item, tools, valued};
use crate::prompt::template::Slots;
use crate::prompt::{answer, failure, todo};
use config::profile::{Packet, Profile};
use config::workers::agent_file;
use markdown::front_matter;
use std::path::Path;
use toolkit::Fail;
use wire::plan::Kind;

/// The order in which blocks shrink if a prompt is too long: first what can be looked up elsewhere, then
/// explanations, and last what the task requires.
pub(crate) mod rank {
    pub(crate) const LEARNINGS: u8 = 10;
    pub(crate) const DECISIONS: u8 = 11;
    pub(crate) const ISSUES: u8 = 12;
    pub(crate) const ELSEWHERE: u8 = 20;
    pub(crate) const SHARED: u8 = 30;
    pub(crate) const LISTS: u8 = 40;
    pub(crate) const FAILURE: u8 = 50;
    pub(crate) const STEPS: u8 = 60;
    pub(crate) const SECTION: u8 = 70;
    pub(crate) const NEEDED: u8 = 80;
}

/// Words that only some cases have; templates may name them in every case.
const WORDS: [&str; 29] = [
    "agent_path",
    "bead",
    "changed_since",
    "design",
    "detail_path",
    "diagnostic",
    "error",
    "error_report",
    "expected",
    "failed_gates",
    "failure",
    "failure_code",
    "failure_stage",
    "gate",
    "largest",
    "objective",
    "observed",
    "report_word",
    "retries",
    "session",
    "session_export",
    "subtask_index",
    "subtask_tag",
    "task_id",
    "task_json",
    "undone",
    "workflow_dir",
    "workflow_instruction",
    "same_error",
];

/// Blocks that only some cases have.
const BLOCKS: [&str; 33] = [
    "agent_text",
    "approach",
    "artifacts",
    "budgets",
    "changed",
    "claimed",
    "common",
    "contract",
    "deliverables",
    "dependencies",
    "described",
    "detail",
    "diff",
    "done_before",
    "evidence",
    "failed",
    "failure_notes",
    "gate_results",
    "gates_all",
    "gates_phase",
    "package_rules",
    "pointers",
    "pre_analysis",
    "requirements",
    "restoration",
    "review_answer",
    "risks",
    "scope_in",
    "scope_out",
    "scope_said",
    "session_paths",
    "steps",
    "task_criteria",
];

/// The slots of a case for all templates.
pub(crate) fn of(case: &Case<'_>) -> Result<Slots, Fail> {
    let mut slots = Slots::default();
    for name in WORDS {
        slots.word(name, "");
    }
    for name in BLOCKS {
        slots.block(Block::parts(name, rank::LISTS, Vec::new()));
    }
    words(case, &mut slots);
    agent(case, &mut slots)?;
    section(case, &mut slots)?;
    outcome(case, &mut slots);
    context(case, &mut slots);
    wisdom(case, &mut slots);
    failure::add(case, &mut slots)?;
    answer::add(case, &mut slots);
    todo::add(case, &mut slots)?;
    Ok(slots)
}

fn words(case: &Case<'_>, slots: &mut Slots) {
    let (order, task) = (case.order, &case.sheet.task);
    let absent = |text: &Option<String>| text.as_deref().map_or_else(|| "none is named".to_owned(), line);
    slots.word("id", line(task.id.as_str()));
    slots.word("title", line(&task.title));
    slots.word("plan", code(&order.plan.path));
    slots.word("plan_place", format!("{}, line {}", code(&task.span.path), task.span.line));
    slots.word("step_path", format!("{} (line {})", code(&task.span.path), task.span.line));
    slots.word("attempt", order.attempt.to_string());
    slots.word("packet", code(&case.packet_path()));
    slots.word("model", absent(&task.model));
    slots.word("agent", absent(&task.agent));
    slots.word("phase", absent(&task.phase));
    let report = task.report_path.as_deref();
    slots.word("report", report.map_or_else(|| "none is asked for".to_owned(), code));
    slots.word("report_word", report.map(line).unwrap_or_default());
    slots.word("verification", if task.kind == Kind::Verification { "yes" } else { "" });
    let wisdom = &case.sheet.wisdom;
    let any =
        [&wisdom.learnings, &wisdom.issues, &wisdom.decisions].iter().any(|text| !text.trim().is_empty());
    slots.word("wisdom", if any { "yes" } else { "" });
    slots.word("last_chance", if order.why.fix { "yes" } else { "" });
}

/// The instructions in the file of the agent that the plan names, without the front matter that is for the client.
fn agent(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let named = case.sheet.task.agent.as_deref().and_then(agent_file);
    let Some(path) = named else { return Ok(()) };
    let Some(text) = case.text_of(&path)? else { return Ok(()) };
    let text = text.get(front_matter::length(&text)..).unwrap_or_default().trim();
    slots.word("agent_path", code(&path));
    slots.block(Block::fence("agent_text", rank::SECTION, "markdown", text, Keep::Head).in_file(path));
    Ok(())
}

fn section(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let (sheet, task) = (&case.sheet, &case.sheet.task);
    let language = match Path::new(task.span.path.as_str()).extension().and_then(|e| e.to_str()) {
        Some("json" | "jsonl") => "json",
        Some("toml") => "toml",
        _ => "markdown",
    };
    let end = task.span.line + sheet.section.trim_end().lines().count().max(1) as u64 - 1;
    let place = format!("{}:{}-{end}", task.span.path, task.span.line);
    slots.block(Block::fence("section", rank::SECTION, language, &sheet.section, Keep::Head).in_file(place));
    let steps = task.steps.iter().map(|step| item(&case.resolved.filled(step))).collect();
    slots.block(Block::parts("steps", rank::STEPS, steps).in_file(case.packet_path()));
    let is_input =
        |written: &str| task.inputs.iter().any(|input| input.reference.as_deref() == Some(written));
    let values = case.resolved.written.iter().filter(|(written, _)| !is_input(written));
    let values = values.map(|(written, value)| format!("- {} is{}", code(written), valued(value)));
    slots.block(Block::parts("fixed_values", rank::NEEDED, values.collect()).in_file(case.packet_path()));
    if let Some(detail) = task.detail.as_ref().filter(|_| case.profile.packet != Packet::ContextPackage) {
        let text = case.text_of(&detail.path)?.unwrap_or_default();
        slots.word("detail_path", code(&detail.path));
        slots.block(
            Block::fence("detail", rank::SECTION, "text", &text, Keep::Head).in_file(detail.path.clone()),
        );
    }
    Ok(())
}

fn outcome(case: &Case<'_>, slots: &mut Slots) {
    let task = &case.sheet.task;
    let packet = case.packet_path();
    let outputs = task.outputs.iter().map(|output| {
        let kind = if output.kind.is_empty() { String::new() } else { format!(" ({})", line(&output.kind)) };
        let value =
            output.value.as_deref().map(|value| format!(", expected: {}", code(value))).unwrap_or_default();
        let about = Some(line(&output.description)).filter(|about| !about.is_empty());
        format!(
            "- {}{kind}{value}{}",
            code(&output.name),
            about.map(|a| format!("; {a}")).unwrap_or_default()
        )
    });
    slots.block(Block::parts("outputs", rank::NEEDED, outputs.collect()).in_file(packet.clone()));
    slots.block(criteria("criteria", &case.criteria()).in_file(packet.clone()));
    let rules = case.must_not().into_iter().map(|rule| item(rule)).collect();
    slots.block(Block::parts("must_not", rank::NEEDED, rules).in_file(packet.clone()));
    let Profile { task_gates, checkpoint_gates, .. } = &case.profile;
    let phase = [task_gates.as_slice(), checkpoint_gates].concat();
    let all = [phase.as_slice(), &["end".to_owned()]].concat();
    let tests = ["test".to_owned()];
    let tests = tests.as_slice();
    for (name, moments) in [
        ("gates", task_gates.as_slice()),
        ("gates_test", tests),
        ("gates_phase", &phase),
        ("gates_all", &all),
    ] {
        let gates = case.gates(moments).iter().map(gate).collect();
        slots.block(Block::parts(name, rank::NEEDED, gates).in_file("plantools.toml"));
    }
    slots.block(Block::parts("tools", rank::NEEDED, tools(task)));
}

fn context(case: &Case<'_>, slots: &mut Slots) {
    let task = &case.sheet.task;
    let packet = case.packet_path();
    let files = case.files().iter().map(|file| format!("- {} ({})", code(&file.path), line(&file.action)));
    slots.block(Block::parts("files", rank::LISTS, files.collect()).in_file(packet.clone()));
    let references = task.references.iter().map(|text| item(&case.resolved.filled(text)));
    slots.block(Block::parts("references", rank::LISTS, references.collect()).in_file(packet.clone()));
    let known = case.resolved.values.iter().map(|(name, value)| {
        let input = task.inputs.iter().find(|input| input.name == *name);
        let written =
            input.and_then(|input| input.reference.as_deref()).map(|text| format!(" ({})", code(text)));
        format!("- {}{} is{}", code(name), written.unwrap_or_default(), valued(value))
    });
    let unknown = case
        .resolved
        .unresolved
        .iter()
        .map(|missing| format!("- {} is not known: {}", code(&missing.reference), line(&missing.reason)));
    slots.block(Block::parts("inputs", rank::NEEDED, known.chain(unknown).collect()).in_file(packet.clone()));
    let there = facts::conventions(case).into_iter().map(|path| format!("- Read {}", code(path)));
    slots.block(Block::parts("conventions", rank::LISTS, there.collect()));
    let risks = facts::risks(case).into_iter().map(|(risk, mitigation)| match mitigation.as_str() {
        "" => item(&risk),
        way => format!("{}\n  - {}", item(&risk), line(way)),
    });
    slots.block(Block::parts("risks", rank::LISTS, risks.collect()).in_file(packet));
}

fn wisdom(case: &Case<'_>, slots: &mut Slots) {
    let wisdom = &case.sheet.wisdom;
    for (name, rank, text, file) in [
        ("learnings", rank::LEARNINGS, &wisdom.learnings, "learnings.md"),
        ("issues", rank::ISSUES, &wisdom.issues, "issues.md"),
        ("decisions", rank::DECISIONS, &wisdom.decisions, "decisions.md"),
    ] {
        let path = format!("{}/{file}", case.sheet.context);
        slots.block(Block::fence(name, rank, "markdown", text, Keep::Tail).in_file(path));
    }
}
