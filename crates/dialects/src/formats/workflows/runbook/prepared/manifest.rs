//! `orchestrator-plan.md` in all its versions: prose only, a heading for each step, a list with bars.
//!
//! The entries are listed in execution order; a version without a list leaves the order to the numbers.

use crate::formats::workflows::runbook::model::{self, is_known};
use crate::formats::workflows::runbook::prepared::step_file;
use crate::formats::workflows::runbook::text::head::{self, What};
use crate::formats::workflows::runbook::text::label;
use markdown::{Extent, Outline};
use std::collections::HashMap;

/// The orchestrator plan.
#[derive(Default)]
pub(crate) struct Manifest {
    pub(crate) entries: Vec<Entry>,
    /// The models that it names for phases, with their positions.
    pub(crate) models: Vec<(String, String, usize)>,
    /// The agent of each phase.
    pub(crate) agents: HashMap<String, String>,
    /// The agents by their role: `agent`, `corrector agent`, `tester agent`, `implementer agent`.
    pub(crate) roles: HashMap<String, String>,
    /// Steps with another model than the rest of their phase, with their positions.
    pub(crate) exceptions: Vec<(String, String, usize)>,
    /// Where failures go: those about something, or all.
    pub(crate) escalation: Vec<Escalation>,
    /// Where the report of a step stands, with a placeholder for its number.
    pub(crate) report: Option<String>,
    /// Whether it lets steps run together.
    pub(crate) parallel: bool,
    /// Lines about order or escalation that are not understood, with their positions.
    pub(crate) doubts: Vec<(usize, &'static str)>,
}

impl Manifest {
    /// Where the report of the step in this file stands, as seen from the root: by the pattern, else in the usual place.
    pub(crate) fn report_of(&self, file: &str) -> Option<String> {
        let (folder, file) = file.rsplit_once("/steps/")?;
        let key = file.strip_prefix("step-")?.strip_suffix(".md")?;
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let named = self.report.as_deref().and_then(|pattern| {
            let (start, end) = placeholder(pattern)?;
            let mut path = format!("{}{key}{}", pattern.get(..start)?, pattern.get(end..)?);
            for word in ["runbook-name", "runbook", "plan-name", "plan", "name"] {
                path = path.replace(&format!("<{word}>"), name).replace(&format!("{{{word}}}"), name);
            }
            let path = path.trim_start_matches("./");
            Some(if path.starts_with("reports/") { format!("{folder}/{path}") } else { path.to_owned() })
        });
        named.or_else(|| Some(format!("{folder}/reports/step-{key}-execution.md")))
    }
}

/// The place of a step's number in a path: `step-N`, `step-X-Y`, `step-{N}`, `step-<id>`, `step-*`.
fn placeholder(path: &str) -> Option<(usize, usize)> {
    let start = path.rfind("step-")? + "step-".len();
    let rest = path.get(start..)?;
    let length = match rest.chars().next()? {
        '{' => rest.find('}')? + 1,
        '<' => rest.find('>')? + 1,
        '*' => 1,
        _ => {
            let parts = rest.split(['-', '.']);
            let letters = parts.take_while(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_uppercase()));
            letters.map(|part| part.len() + 1).sum::<usize>().checked_sub(1)?
        }
    };
    Some((start, start + length))
}

/// What a text says about steps that run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Together {
    /// All steps may, in one of the forms below.
    All,
    /// Nothing, or they must not.
    No,
    /// It has the word, in a form that is not understood.
    Unclear,
}

/// The forms that let steps run together. Only an explicit word allows it, so whatever else has the word does not:
/// `Execute steps in parallel using the x-task agent.`, `Execution: Parallel`, `All steps may run in parallel`,
/// `Parallel execution is allowed`.
fn together(text: &str) -> Together {
    let lower = text.trim_start_matches(['-', '*', ' ']).replace(['*', '`'], "").to_lowercase();
    let said: Vec<Together> =
        lower.split(". ").flat_map(|part| part.split(';')).map(sentence_about).collect();
    let is = |wanted| said.contains(&wanted);
    if is(Together::All) && !is(Together::Unclear) {
        return Together::All;
    }
    if is(Together::Unclear) || is(Together::All) { Together::Unclear } else { Together::No }
}

fn sentence_about(text: &str) -> Together {
    if !text.contains("parallel") {
        return Together::No;
    }
    if let Some((name, value)) = text.split_once(':') {
        let is_order =
            ["execution", "execution order", "execution mode", "order", "mode"].contains(&name.trim());
        let value = value.split('(').next().unwrap_or_default().trim().trim_end_matches('.');
        if is_order && ["parallel", "in parallel"].contains(&value) {
            return Together::All;
        }
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && !"'-_".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let skip = |words: &mut &[&str], any: &[&str]| {
        while let Some((_, rest)) = words.split_first().filter(|(first, _)| any.contains(first)) {
            *words = rest;
        }
    };
    let mut rest = words.as_slice();
    let before = rest.len();
    skip(&mut rest, &["execute", "run", "dispatch", "launch", "start"]);
    let is_order = rest.len() + 1 == before;
    skip(&mut rest, &["all", "the", "of", "these"]);
    if let Some((_, after)) = rest.split_first().filter(|(first, _)| **first == "steps") {
        rest = after;
        if !is_order {
            skip(
                &mut rest,
                &["may", "can", "must", "should", "are", "be", "run", "runs", "execute", "executed"],
            );
        }
        if let ["in", "parallel", after @ ..] = rest
            && (after.is_empty() || is_by_agent(after))
        {
            return Together::All;
        }
    }
    let allowed = match words.as_slice() {
        ["allow", "parallel", "execution", rest @ ..]
        | ["parallel", "execution", rest @ .., "is", "allowed" | "permitted"] => Some(rest),
        _ => None,
    };
    if matches!(allowed, Some([] | ["of", "steps"] | ["of", "all" | "the", "steps"])) {
        return Together::All;
    }
    if NO.iter().any(|no| words.contains(no)) { Together::No } else { Together::Unclear }
}

/// Words by which a sentence says that steps do not run together.
const NO: [&str; 6] = ["not", "no", "never", "don't", "cannot", "without"];

/// `using the x-task agent`.
fn is_by_agent(words: &[&str]) -> bool {
    matches!(
        words,
        ["using" | "with" | "by", "the", _, "agent" | "agents"]
            | ["using" | "with" | "by", _, "agent" | "agents"]
    )
}

/// `Reports: plans/x/reports/step-N-execution.md`: the path in a line about reports that has a place for a number.
fn report_pattern(text: &str) -> Option<String> {
    if !text.to_lowercase().contains("report") {
        return None;
    }
    let words = text.split([' ', '`', '"', '(', ')', ',']).map(|word| word.trim_end_matches(['.', ':', ';']));
    let mut paths = words.filter(|word| word.strip_suffix(".md").is_some() && word.contains('/'));
    paths.find(|path| placeholder(path).is_some()).map(str::to_owned)
}

/// A rule of escalation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Escalation {
    /// What the failure is about; all failures if it is missing.
    pub(crate) when: Option<String>,
    /// Models, or `user`, one after the other.
    pub(crate) to: Vec<String>,
}

/// One line of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The step's file; a phase that runs as a whole has none.
    pub(crate) file: Option<String>,
    pub(crate) phase: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) turns: Option<u32>,
    pub(crate) agent: Option<String>,
    /// `BOOTSTRAP`, `TEST` or `IMPLEMENT`.
    pub(crate) role: Option<String>,
    /// Whether a phase ends here.
    pub(crate) boundary: bool,
    pub(crate) line: Extent,
}

/// Reads the orchestrator plan.
pub(crate) fn read(outline: &Outline) -> Manifest {
    let mut manifest = Manifest::default();
    let whole = Extent { start: 0, end: outline.bytes.len() };
    // Whether the section is about escalation: a chain of names is a rule there without a verb.
    let mut escalates = false;
    for line in label::lines(outline, whole) {
        let text = outline.str(line).trim();
        if let Some(heading) = text.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            escalates = heading.to_lowercase().contains("escalation");
            manifest.entries.extend(heading_entry(heading, line));
        } else if let Some(level) = level(text).filter(|_| escalates) {
            take_level(level, &mut manifest.escalation);
        } else if text.starts_with('|') {
            row(text, line, &mut manifest);
        } else if let Some(entry) = text.strip_prefix("- ").and_then(|item| bar_entry(item, line)) {
            manifest.entries.push(entry);
        } else {
            let known = manifest.escalation.len();
            sentence(text, line, &mut manifest);
            let is_arrow = text.contains('→') || text.contains("->");
            if escalates && is_arrow && manifest.escalation.len() == known {
                manifest.doubts.push((line.start, ESCALATION));
            }
        }
    }
    manifest
}

/// What would be understood of order and of escalation.
const ORDER: &str = "this line has the word parallel and does not plainly let all steps run together, so they run one after the \
                     other; to allow it, write: Execute steps in parallel.";
const ESCALATION: &str =
    "this line of escalation has an unknown name and is ignored; write for example: haiku → opus → user";

/// `## step-1-2 (Cycle 1.2) — PHASE_BOUNDARY`, `## Step 0-4 (Cycle 0.4)`, `## phase-2 (Phase 2 (inline))`,
/// `## Phase 2: x — INLINE`.
fn heading_entry(text: &str, line: Extent) -> Option<Entry> {
    let boundary = text.contains("PHASE_BOUNDARY");
    let lower = text.to_lowercase();
    let name = lower.split([' ', '(']).next().unwrap_or_default();
    let entry = Entry { boundary, line, ..Entry::default() };
    if let Some(phase) = name.strip_prefix("phase-") {
        return Some(Entry { phase: Some(phase.to_owned()), ..entry }).filter(|_| lower.contains("inline"));
    }
    if let Some(rest) = lower.strip_prefix("step ").or_else(|| lower.strip_prefix("step-")) {
        let number = rest.split([' ', '(']).next().unwrap_or_default();
        let digits = number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(':');
        return digits.then(|| Entry { file: Some(format!("step-{number}.md")), ..entry });
    }
    match head::what(text) {
        What::Phase(head) if head.kind.as_deref() == Some("inline") => {
            Some(Entry { phase: Some(head.id), ..entry })
        }
        _ => None,
    }
}

/// `step-2-1-test.md | Phase 2 | sonnet | 30 | TEST | PHASE_BOUNDARY`, `INLINE | Phase 4 | —`.
fn bar_entry(text: &str, line: Extent) -> Option<Entry> {
    let mut cells = text.split('|').map(str::trim);
    let name = cells.next()?.trim_matches('`');
    let mut entry = Entry { line, ..Entry::default() };
    if step_file::name(name).is_some() {
        entry.file = Some(name.to_owned());
    } else if name != "INLINE" {
        return None;
    }
    for cell in cells {
        match cell {
            "PHASE_BOUNDARY" => entry.boundary = true,
            "BOOTSTRAP" | "TEST" | "IMPLEMENT" => entry.role = Some(cell.to_owned()),
            "—" | "-" | "" => {}
            _ => match (cell.strip_prefix("Phase "), cell.parse()) {
                (Some(phase), _) => entry.phase = Some(phase.to_owned()),
                (None, Ok(turns)) => entry.turns = Some(turns),
                (None, Err(_)) => entry.model = entry.model.take().or_else(|| model::of(cell)),
            },
        }
    }
    (text.contains('|') || entry.file.is_some()).then_some(entry)
}

/// `| 1 (steps 1-1 to 1-5) | hb-p1 | sonnet | TDD |`.
fn row(text: &str, line: Extent, manifest: &mut Manifest) {
    let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
    let phase = cells.first().and_then(|cell| cell.split([' ', '(']).next()).unwrap_or_default();
    if !phase.starts_with(|c: char| c.is_ascii_digit()) {
        return;
    }
    if let Some(agent) = cells.get(1).and_then(|agent| agent_name(agent)) {
        manifest.agents.insert(phase.to_owned(), agent);
    }
    let model = cells.iter().skip(2).find_map(|cell| model::of(cell).filter(|model| is_known(model)));
    manifest.models.extend(model.map(|model| (phase.to_owned(), model, line.start)));
}

fn agent_name(text: &str) -> Option<String> {
    let none = text.is_empty() || text == "none" || text.starts_with('(') || text.starts_with("MISSING");
    (!none).then(|| text.trim_matches('`').to_owned())
}

/// `Stop on error and escalate to sonnet for diagnostic/fix.`, `Stop on any error and report to the user.`, `- Permission denied → Escalate to user immediately`,
/// `- Escalation: haiku → sonnet → user`.
fn escalation(text: &str) -> Option<Escalation> {
    let text = text.trim_start_matches(['-', '*', ' ']).replace("**", "").replace("->", "→");
    let lower = text.to_lowercase();
    let reports = || ["report to the user", "report to user"].iter().find_map(|words| lower.find(words));
    let stops = |at: &usize| lower.get(..*at).is_some_and(|before| before.contains("stop"));
    let at = lower.find("escalat").or_else(|| reports().filter(stops))?;
    // `Do not escalate to opus.`
    let is_denied = ["do not ", "don't ", "never "].iter().any(|no| lower.starts_with(no));
    if is_denied || lower.get(..at)?.trim_end().ends_with(" not") {
        return None;
    }
    if let Some((label, chain)) =
        lower.split_once(':').filter(|(label, _)| label.trim().starts_with("escalation"))
        && chain.contains('→')
    {
        let to: Vec<String> = chain.split('→').skip(1).filter_map(who).collect();
        return (label.len() < 30 && !to.is_empty()).then_some(Escalation { when: None, to });
    }
    // A heading of rules is no rule.
    let rest = lower.get(at..)?;
    let verb = rest.strip_prefix("escalate").or_else(|| rest.strip_prefix("report"))?;
    let to = verb.trim_start().strip_prefix("to ").and_then(who).unwrap_or_else(|| "user".to_owned());
    let before = lower.get(..at)?;
    let when = before.split_once('→').map(|(trigger, _)| trigger.trim());
    let all = |trigger: &str| trigger.is_empty() || trigger.starts_with("any ") || trigger == "error";
    let when = when.filter(|trigger| !all(trigger)).map(str::to_owned);
    Some(Escalation { when, to: vec![to] })
}

/// A line of a section about escalation: from whom to whom.
#[derive(Debug, PartialEq, Eq)]
enum Level {
    /// Failures.
    Chain(Vec<String>),
    /// Work with quality warnings, which has a way of its own.
    Refactor,
}

/// `haiku → opus → user`, `Level 1: Haiku → Opus`, `**Level 1b: Haiku → Sonnet (Diagnostic)**`,
/// `Haiku → Sonnet: what is too much for it`. The names are models and `user`; the first is the one who failed.
fn level(text: &str) -> Option<Level> {
    let text =
        text.trim_start_matches(['-', '*', ' ']).replace(['`', '*'], "").replace("->", "→").to_lowercase();
    let numbered = text.split_once(':').filter(|(label, _)| label.starts_with("level "));
    let text = numbered.map_or(text.as_str(), |(_, rest)| rest);
    let names = text.split([':', '(']).next().unwrap_or_default();
    let names: Vec<&str> = names.split('→').map(|name| name.trim().trim_end_matches('.')).collect();
    let is_name = |name: &&str| is_known(name) || *name == "user";
    if names.len() < 2 || !names.iter().all(is_name) {
        return None;
    }
    if text.split_once('(').is_some_and(|(_, who)| who.contains("refactor")) {
        return Some(Level::Refactor);
    }
    Some(Level::Chain(names.into_iter().map(str::to_owned).collect()))
}

/// Adds a level: one that begins with the last of another goes on with it.
fn take_level(level: Level, rules: &mut Vec<Escalation>) {
    let Level::Chain(names) = level else { return };
    let Some((from, to)) = names.split_first() else { return };
    let ends = |rule: &&mut Escalation| rule.when.is_none() && rule.to.last() == Some(from);
    match rules.iter_mut().find(ends) {
        Some(rule) => rule.to.extend_from_slice(to),
        None => rules.push(Escalation { when: None, to: to.to_vec() }),
    }
}

/// The model at the beginning of a text, or `user`.
fn who(text: &str) -> Option<String> {
    let word =
        text.trim().trim_start_matches("the ").split(|c: char| !c.is_alphanumeric() && c != '-').next()?;
    (is_known(word) || word == "user").then(|| word.to_owned())
}

/// Everything else: lines below a heading, roles, models of phases, prose.
fn sentence(text: &str, line: Extent, manifest: &mut Manifest) {
    manifest.escalation.extend(escalation(text));
    match together(text) {
        Together::All => manifest.parallel = true,
        Together::Unclear => manifest.doubts.push((line.start, ORDER)),
        Together::No => {}
    }
    manifest.report = manifest.report.take().or_else(|| report_pattern(text));
    let item = text.trim_start_matches(['-', ' ']);
    if let Some((phase, model)) = item.strip_prefix("Phase ").and_then(|rest| rest.split_once(": ")) {
        let model = model::of(model).filter(|model| is_known(model) && phase.parse::<u32>().is_ok());
        manifest.models.extend(model.map(|model| (phase.to_owned(), model, line.start)));
    }
    if let Some((name, value)) = text.strip_prefix("**").and_then(|rest| rest.split_once(":**")) {
        let role = name.to_lowercase();
        if role.ends_with("agent") {
            manifest.roles.extend(agent_name(value.trim()).map(|agent| (role, agent)));
        }
        return;
    }
    if let Some(entry) = manifest.entries.last_mut() {
        match text.split_once(": ") {
            Some(("Agent", agent)) => entry.agent = agent_name(agent),
            Some(("Model", model)) => entry.model = model::of(model),
            Some(("Execution", path)) if path.contains('/') => {
                entry.file = path.rsplit('/').next().map(str::to_owned);
            }
            _ if text.starts_with("[Last ") => entry.boundary = true,
            _ => {}
        }
    }
    if let Some(agent) = between(text, "using ", " agent").filter(|agent| agent != "per-phase") {
        manifest.roles.entry("prose".to_owned()).or_insert(agent);
    }
    for (at, _) in text.match_indices("step-") {
        let rest = text.get(at..).unwrap_or_default();
        if let Some((name, model)) = rest.split_once(" uses ") {
            let step = step_file::name(&format!("{name}.md"));
            let model = model::of(model.split([' ', '.']).next().unwrap_or_default());
            if let (Some(step), Some(model)) = (step, model) {
                manifest.exceptions.push((step.id, model, line.start));
            }
        }
    }
}

/// The single word between two texts.
fn between(text: &str, before: &str, after: &str) -> Option<String> {
    let start = text.find(before)? + before.len();
    let rest = text.get(start..)?;
    let word = rest.get(..rest.find(after)?)?;
    let word = word.trim_matches('`');
    (!word.is_empty() && !word.contains(' ')).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_escalation_are_read_in_each_form() {
        let rule = |when: Option<&str>, to: &[&str]| {
            let to = to.iter().map(|name| (*name).to_owned()).collect();
            Some(Escalation { when: when.map(str::to_owned), to })
        };
        for (text, found) in [
            ("Stop on error and escalate to sonnet for diagnostic/fix.", rule(None, &["sonnet"])),
            (
                "- Permission denied → Escalate to user immediately",
                rule(Some("permission denied"), &["user"]),
            ),
            (
                "- Parse errors in modified files → Stop and escalate to sonnet for fix",
                rule(Some("parse errors in modified files"), &["sonnet"]),
            ),
            ("- Any step reports error → stop, escalate to user", rule(None, &["user"])),
            (
                "- Step 2 review identifies UNFIXABLE critical issues → stop, escalate",
                rule(Some("step 2 review identifies unfixable critical issues"), &["user"]),
            ),
            ("- Escalation: haiku → sonnet → user", rule(None, &["sonnet", "user"])),
            ("- **Escalation**: haiku -> opus", rule(None, &["opus"])),
            ("**Escalation Rules:**", None),
            ("Execute steps sequentially using x-task agent.", None),
        ] {
            assert_eq!(escalation(text), found, "{text}");
        }
    }

    #[test]
    fn the_report_of_a_step_is_where_the_plan_says_or_in_the_usual_place() {
        let of = |line: &str, file: &str| {
            Manifest { report: report_pattern(line), ..Manifest::default() }
                .report_of(file)
                .unwrap_or_default()
        };
        let file = "plans/x/steps/step-1-2.md";
        for (line, path) in [
            ("", "plans/x/reports/step-1-2-execution.md"),
            ("Write the report.", "plans/x/reports/step-1-2-execution.md"),
            ("- Reports: `plans/x/reports/step-N-report.md`", "plans/x/reports/step-1-2-report.md"),
            ("Report location: plans/<runbook-name>/out/step-{N}.md.", "plans/x/out/step-1-2.md"),
            ("Reports go to reports/step-X-Y-result.md, one a step", "plans/x/reports/step-1-2-result.md"),
            ("Reports like reports/step-1-1-result.md", "plans/x/reports/step-1-2-execution.md"),
        ] {
            assert_eq!(of(line, file), path, "{line}");
        }
        assert_eq!(of("", "plans/x/steps/step-2-1-test.md"), "plans/x/reports/step-2-1-test-execution.md");
    }

    #[test]
    fn steps_run_together_only_where_the_plan_says_so_of_all() {
        for text in [
            "Execute steps in parallel using x-task agent.",
            "Run all steps in parallel.",
            "All steps may be executed in parallel.",
            "- Execution: Parallel",
            "**Execution**: parallel (the steps are independent)",
            "Parallel execution of steps is allowed.",
        ] {
            assert_eq!(together(text), Together::All, "{text}");
        }
        for text in [
            "Execute steps sequentially using x-task agent.",
            "Steps must not run in parallel.",
            "No parallel execution.",
            "Execution: sequential, not parallel",
        ] {
            assert_eq!(together(text), Together::No, "{text}");
        }
        for text in [
            "Run the steps one by one rather than in parallel.",
            "Execution in parallel is forbidden.",
            "Refrain from running steps in parallel.",
            "Avoid parallel execution of steps.",
            "Steps would conflict if executed in parallel.",
            "It is dangerous to execute steps in parallel.",
            "Execute steps in parallel. Steps 2 and 3 conflict in parallel.",
            "Steps 1.1 and 1.2 may run in parallel.",
            "The design has parallel lines.",
        ] {
            assert_eq!(together(text), Together::Unclear, "{text}");
        }
    }

    #[test]
    fn the_levels_of_the_source_make_one_way() {
        let way = |lines: &[&str]| {
            let text = format!("## Error Escalation\n\n{}\n", lines.join("\n"));
            let outline = Outline::new(&markdown::Text { path: "x.md", bytes: text.as_bytes() });
            let manifest = read(&outline);
            let ways = manifest.escalation.iter().map(|rule| rule.to.join(" ")).collect::<Vec<_>>();
            (ways, manifest.doubts.len())
        };
        let one = |way: &str| (vec![way.to_owned()], 0);
        assert_eq!(way(&["- Level 1: Haiku → Opus", "- Level 2: Opus → User"]), one("opus user"));
        let source = [
            "**Level 1: Haiku → Sonnet (Refactor Agent)**",
            "- Triggers: Quality check warnings",
            "**Level 1b: Haiku → Sonnet (Diagnostic)**",
            "- If sonnet fixes: Resume execution",
            "**Level 2: Sonnet → User**",
        ];
        assert_eq!(way(&source), one("sonnet user"));
        assert_eq!(way(&["- Haiku → Opus: hard ones", "- Opus → User: blocked tasks"]), one("opus user"));
        assert_eq!(way(&["haiku → opus → user"]), one("opus user"));
        assert_eq!(way(&["Stop on any error and report to the user."]), one("user"));
        assert_eq!(way(&["Do not escalate to opus."]), (Vec::new(), 0));
        assert_eq!(way(&["- Level 1: Haiku → Somebody"]), (Vec::new(), 1));
    }

    #[test]
    fn every_version_of_an_entry_is_read() {
        let line = Extent::default();
        let head =
            |text: &str| heading_entry(text, line).map(|entry| (entry.file, entry.phase, entry.boundary));
        let file = |name: &str| Some(name.to_owned());
        assert_eq!(head("Step 0-4 (Cycle 0.4) — PHASE_BOUNDARY"), Some((file("step-0-4.md"), None, true)));
        assert_eq!(head("step-1-1 (Step 1.1)"), Some((file("step-1-1.md"), None, false)));
        assert_eq!(head("phase-2 (Phase 2 (inline))"), Some((None, file("2"), false)));
        assert_eq!(head("Phase 2: x — INLINE"), Some((None, file("2"), false)));
        assert_eq!(head("Step Execution Order"), None);
        let entry =
            bar_entry("step-2-1-impl.md | Phase 2 | sonnet | 30 | IMPLEMENT | PHASE_BOUNDARY", line).unwrap();
        assert_eq!((entry.turns, entry.model.as_deref(), entry.boundary), (Some(30), Some("sonnet"), true));
        assert_eq!(entry.role.as_deref(), Some("IMPLEMENT"));
        assert!(bar_entry("INLINE | Phase 4 | —", line).unwrap().file.is_none());
        assert!(bar_entry("Phase 1: sonnet", line).is_none());
    }
}
