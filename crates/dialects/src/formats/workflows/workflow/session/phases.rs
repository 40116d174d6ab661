//! The phases that `IMPL_PLAN.md` divides its tasks into, in each form that plans use.
//!
//! The forms are tried in order, and the first one that names the tasks of two phases is taken: lines that head a phase, a
//! table with a column of phases, lines that head a group, a numbered list. Code fences count: plans draw phases in them.

use crate::formats::workflows::workflow::list::chain;
use crate::formats::workflows::workflow::list::id::Ids;
use crate::formats::workflows::workflow::session::impl_plan::{is_topic, label};
use markdown::{Extent, Outline, Table, Veil};
use std::collections::BTreeSet;

/// A phase with its tasks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StatedPhase {
    pub(crate) title: String,
    pub(crate) tasks: Vec<String>,
    pub(crate) offset: usize,
    /// Whether its tasks run one after the other or together, where it says so.
    pub(crate) way: Option<Way>,
    /// The chains of tasks that its lines state.
    pub(crate) chains: Vec<Vec<String>>,
    /// The phases that it says it comes after.
    pub(crate) after: Vec<String>,
}

/// How the tasks of a phase run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Sequential,
    Parallel,
}

impl Way {
    /// The word in `phases[].strategy`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Way::Sequential => "sequential",
            Way::Parallel => "parallel",
        }
    }
}

/// Words that head a phase, followed by a number or a letter.
const PHASES: [&str; 4] = ["phase", "wave", "stage", "阶段"];
/// Words that head a group. Below phases they only say which tasks of one may run together.
const GROUPS: [&str; 4] = ["group", "batch", "round", "step"];

/// The phases of the text, and where the lines begin that belong to one.
pub(crate) fn read(outline: &Outline, ids: &Ids) -> (Vec<StatedPhase>, BTreeSet<usize>) {
    let forms: [&dyn Fn() -> Form; 4] = [
        &|| headed(outline, ids, &PHASES),
        &|| {
            (
                outline
                    .tables
                    .iter()
                    .map(|table| of_table(outline, table, ids))
                    .find(|p| p.len() > 1)
                    .unwrap_or_default(),
                BTreeSet::new(),
            )
        },
        &|| headed(outline, ids, &GROUPS),
        &|| numbered(outline, ids),
    ];
    let mut first = Form::default();
    for form in forms {
        let found = form();
        match found.0.iter().filter(|phase| !phase.tasks.is_empty()).count() {
            1 if first.0.is_empty() => first = found,
            0 | 1 => {}
            _ => return found,
        }
    }
    first
}

type Form = (Vec<StatedPhase>, BTreeSet<usize>);

/// Lines that head a phase, with the lines behind each up to the next heading.
fn headed(outline: &Outline, ids: &Ids, words: &[&str]) -> Form {
    let (mut phases, mut lines): Form = Form::default();
    let mut open: Option<usize> = None;
    for (text, offset) in readable(outline) {
        let level = text.trim_start().chars().take_while(|c| *c == '#').count();
        if let Some(title) = title(text, words) {
            phases.push(StatedPhase {
                title,
                tasks: members(text, ids),
                offset,
                way: way_of(text),
                chains: chain::chains(text, ids),
                after: after(text, words),
            });
            open = Some(level);
            lines.insert(offset);
            continue;
        }
        let ends = match open {
            // A heading inside the section of a phase may name one of its tasks.
            Some(above) if level > 0 => above == 0 || level <= above,
            _ => label(text).is_some_and(|(name, _)| is_topic(&name) && !is_way(&name)),
        };
        if ends {
            open = None;
        }
        if let (Some(_), Some(phase)) = (open, phases.last_mut()) {
            lines.insert(offset);
            phase.take(text, ids);
        }
    }
    (phases, lines)
}

impl StatedPhase {
    /// Adds a line behind its head.
    fn take(&mut self, text: &str, ids: &Ids) {
        if let Some((name, rest)) = label(text).filter(|(name, _)| is_way(name)) {
            self.way =
                self.way.or_else(|| way_of(&name)).filter(|_| rest.trim().is_empty() || self.way.is_some());
        }
        let before_colon = text.split_once([':', '：']).map_or(text, |(head, _)| head);
        let head = members(before_colon, ids);
        self.tasks.extend(if head.is_empty() { members(text, ids) } else { head });
        if is_bare_chain(text, ids) {
            self.chains.extend(chain::chains(text, ids));
        }
    }
}

/// A numbered list of which each item names tasks: `1. **Base**: IMPL-1, IMPL-2`.
fn numbered(outline: &Outline, ids: &Ids) -> Form {
    let mut phases: Vec<StatedPhase> = Vec::new();
    let (mut lines, mut is_open) = (BTreeSet::new(), false);
    for (text, offset) in readable(outline) {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let is_item = text.get(digits.len()..).is_some_and(|rest| rest.starts_with(['.', ')']));
        match digits.parse::<usize>() {
            Ok(number) if is_item => {
                // Another list begins anew: the first whole one counts.
                is_open = number == phases.len() + 1;
                if is_open {
                    let head = StatedPhase {
                        title: format!("Phase {number}"),
                        offset,
                        way: way_of(text),
                        ..StatedPhase::default()
                    };
                    phases.push(StatedPhase {
                        tasks: members(text, ids),
                        chains: chain::chains(text, ids),
                        ..head
                    });
                    lines.insert(offset);
                }
            }
            _ if text.trim().is_empty() => {}
            _ if !text.starts_with([' ', '\t']) => is_open = false,
            _ => {
                if let (true, Some(phase)) = (is_open, phases.last_mut()) {
                    phase.take(text, ids);
                    lines.insert(offset);
                }
            }
        }
    }
    phases.retain(|phase| !phase.tasks.is_empty());
    (phases, lines)
}

/// A table with a column of phases or groups, and one of tasks.
fn of_table(outline: &Outline, table: &Table, ids: &Ids) -> Vec<StatedPhase> {
    let mut rows =
        table.rows.iter().map(|row| row.iter().map(|cell| outline.str(*cell).trim()).collect::<Vec<_>>());
    let header: Vec<String> =
        rows.next().unwrap_or_default().iter().map(|cell| cell.to_lowercase()).collect();
    let column = |words: &[&str]| header.iter().position(|name| words.iter().any(|word| name.contains(word)));
    let Some(named) = column(&PHASES).or_else(|| column(&GROUPS[..2])) else { return Vec::new() };
    let Some(tasks) = column(&["task", "id", "任务"]).filter(|at| *at != named) else { return Vec::new() };
    let mut phases: Vec<StatedPhase> = Vec::new();
    for (row, at) in rows.zip(table.rows.iter().skip(1)) {
        let (Some(name), Some(cell)) = (row.get(named), row.get(tasks)) else { continue };
        let members = members(cell, ids);
        let name = name.trim_matches(['*', '`', ' ']);
        if members.is_empty() || name.is_empty() {
            continue;
        }
        let title = title(name, &PHASES).unwrap_or_else(|| name.to_owned());
        let way = row.iter().filter_map(|cell| way_of(cell)).find(|_| true);
        let chains = chain::chains(cell, ids);
        if let Some(known) = phases.iter_mut().find(|phase| phase.title == title) {
            known.tasks.extend(members);
            known.chains.extend(chains);
        } else {
            let offset = at.first().map_or(table.at.start, |cell| cell.start);
            phases.push(StatedPhase { title, tasks: members, offset, way, chains, after: Vec::new() });
        }
    }
    phases
}

/// The lines that count, with where each begins.
fn readable<'o>(outline: &'o Outline) -> impl Iterator<Item = (&'o str, usize)> {
    let lines = outline.lines_in(Extent { start: 0, end: outline.bytes.len() });
    let lines = lines.into_iter().filter(|line| matches!(line.veil, None | Some(Veil::Fence)));
    lines.map(|line| (outline.str(line.at), line.at.start))
}

/// The title of a phase's head: `### Phase 2: Core (IMPL-3, IMPL-4)`, `**Wave 1**: IMPL-1`, `- Phase 1: IMPL-1 to IMPL-3`.
fn title(line: &str, words: &[&str]) -> Option<String> {
    let text = line.trim().trim_start_matches(['#', '-', '+', '*', ' ']);
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')', '*', ' ']);
    let lower = text.to_lowercase();
    let (word, rest) = words.iter().find_map(|word| Some((*word, lower.strip_prefix(word)?)))?;
    let rest = rest.strip_prefix(['-', ' ']).or_else(|| (!word.is_ascii()).then_some(rest))?.trim_start();
    let number: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    let is_number = number.chars().all(|c| c.is_ascii_digit()) || number.chars().count() == 1;
    if number.is_empty() || !is_number {
        return None;
    }
    // A sentence about a phase is no head: behind its number stand a colon, a bracket, bold marks or nothing.
    let behind = rest.get(number.len()..)?.trim_start();
    let is_head = behind.is_empty() || behind.starts_with([':', '：', '(', '（', '*', '-', '—', '–', '[']);
    is_head.then(|| titled(word, &number))
}

fn titled(word: &str, number: &str) -> String {
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{} {}", letters.as_str(), number.to_uppercase())
}

/// The title of the phase that a heading of the list stands for.
pub(crate) fn title_of(heading: &str) -> Option<String> {
    title(heading, &PHASES)
}

/// The phases that a line says it comes after: `(Parallel - After Group 1)`, `after phase 1`.
fn after(line: &str, words: &[&str]) -> Vec<String> {
    let lower = line.to_lowercase();
    let mut found = Vec::new();
    for (at, _) in lower.match_indices("after ") {
        let rest = lower.get(at + "after ".len()..).unwrap_or_default();
        let Some((word, rest)) = words.iter().find_map(|word| Some((*word, rest.strip_prefix(word)?))) else {
            continue;
        };
        let rest = rest.trim_start_matches(['s', ' ']);
        let number: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        if !number.is_empty() {
            found.push(titled(word, &number));
        }
    }
    found
}

/// How the tasks of a line run, where it says so. One that says both is uncertain: one after the other.
pub(crate) fn way_of(text: &str) -> Option<Way> {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if says(&["sequential", "serial", "one by one", "one after the other", "in order", "串行", "顺序"])
        || says(&["not parallel", "not in parallel", "no parallel", "non-parallel"])
    {
        return Some(Way::Sequential);
    }
    says(&["parallel", "concurrent", "simultaneous", "||", "并行"]).then_some(Way::Parallel)
}

/// Whether a label says how the tasks of a phase run.
fn is_way(name: &str) -> bool {
    let words = ["sequential", "serial", "parallel", "串行", "并行"];
    let name = ["run in ", "run ", "in "].iter().find_map(|lead| name.strip_prefix(lead)).unwrap_or(name);
    words.iter().any(|word| name == *word || name.strip_suffix("ly") == Some(word))
}

/// Whether a line is nothing but a chain: ids and arrows, behind a label, with remarks in brackets.
fn is_bare_chain(text: &str, ids: &Ids) -> bool {
    let from = text.find([':', '：']).filter(|at| !chain::has_arrow(&text[..*at]));
    let text = from.map_or(text, |at| text.get(at..).unwrap_or_default());
    let mentions = ids.mentions(text);
    let mut depth = 0_usize;
    let mut is_bare = chain::has_arrow(text);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '（' | '[' => depth += 1,
            ')' | '）' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 && c.is_alphanumeric() => {
                is_bare &= mentions.iter().any(|mention| (mention.start..mention.end).contains(&at));
            }
            _ => {}
        }
    }
    is_bare
}

/// The tasks that a text names.
fn members(text: &str, ids: &Ids) -> Vec<String> {
    let known = ids.mentions(text).into_iter().filter(|mention| ids.known(&mention.id).is_some());
    known.map(|mention| mention.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    fn shown(text: &str) -> Vec<String> {
        let ids = Ids::new((1..=5).map(|number| format!("IMPL-{number}")));
        let (phases, _) = read(&Outline::new(&Text { path: "p", bytes: text.as_bytes() }), &ids);
        let phases = phases.iter().filter(|phase| !phase.tasks.is_empty());
        let show = |phase: &StatedPhase| {
            let mut tasks: Vec<&str> = phase.tasks.iter().map(|id| id.trim_start_matches("IMPL-")).collect();
            tasks.dedup();
            let way = phase.way.map_or("", Way::word);
            format!("{} {} {way}", phase.title, tasks.join(",")).trim_end().to_owned()
        };
        phases.map(show).collect()
    }

    #[test]
    fn every_form_of_phases_is_read() {
        for (text, wanted) in [
            (
                "**Phase 1 (Core): IMPL-1, IMPL-2**\n**Phase 2: Search** (IMPL-3 to IMPL-4)\n",
                ["Phase 1 1,2", "Phase 2 3,4"],
            ),
            (
                "#### Phase 1: Base (Sequential)\n- IMPL-1\n- IMPL-2\n\n#### Phase 2: Rest (Parallel)\n- IMPL-3\n",
                ["Phase 1 1,2 sequential", "Phase 2 3 parallel"],
            ),
            (
                "### Phase 1\n\n**Run in parallel**:\n- IMPL-1\n- IMPL-2\n\n### Phase 2\n\n**Sequential**:\n- IMPL-3\n- IMPL-4\n",
                ["Phase 1 1,2 parallel", "Phase 2 3,4 sequential"],
            ),
            (
                "### Phase 1: Setup\n#### Task IMPL-1: Look\n#### Task IMPL-2: Do\n### Phase 2: Rest\n#### Task IMPL-3: End\n### Risks\n- IMPL-4 is hard\n",
                ["Phase 1 1,2", "Phase 2 3"],
            ),
            (
                "| Phase | Tasks | Mode |\n|---|---|---|\n| 1: Base | IMPL-1, IMPL-2 | Sequential |\n| 2: Rest | IMPL-3 | Parallel |\n",
                ["1: Base 1,2 sequential", "2: Rest 3 parallel"],
            ),
            (
                "| Task | Title | Group |\n|---|---|---|\n| IMPL-1 | a | G1 |\n| IMPL-2 | b | G1 |\n| IMPL-3 | c, after IMPL-1 | G2 |\n",
                ["G1 1,2", "G2 3"],
            ),
            (
                "```\nGroup 1 (Parallel): IMPL-1 || IMPL-2\nGroup 2 (Sequential - After Group 1): IMPL-3 → IMPL-4\n```\n",
                ["Group 1 1,2 parallel", "Group 2 3,4 sequential"],
            ),
            ("1. **Base**: IMPL-1, IMPL-2\n2. **Rest**:\n   - IMPL-3\n", ["Phase 1 1,2", "Phase 2 3"]),
            (
                "**Phase 1**:\n- Group A: IMPL-1, IMPL-2\n- Group B: IMPL-3\n**Phase 2**: IMPL-4\n",
                ["Phase 1 1,2,3", "Phase 2 4"],
            ),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
        assert!(shown("- Phase 1 is the longest, with IMPL-1\n").is_empty());
    }

    #[test]
    fn chains_and_what_comes_before_a_phase_are_kept() {
        let ids = Ids::new((1..=4).map(|number| format!("IMPL-{number}")));
        let text = "Phase 1: IMPL-1 → IMPL-2 (why)\nPhase 2: IMPL-3 and IMPL-4, after phase 1\n- IMPL-3 → IMPL-4\n- IMPL-4 is shown when IMPL-3 → done\n";
        let (phases, _) = read(&Outline::new(&Text { path: "p", bytes: text.as_bytes() }), &ids);
        assert_eq!(phases[0].chains, [["IMPL-1", "IMPL-2"]]);
        assert_eq!(
            (phases[1].chains.clone(), phases[1].after.clone()),
            (vec![vec!["IMPL-3".to_owned(), "IMPL-4".to_owned()]], vec!["Phase 1".to_owned()])
        );
    }
}
