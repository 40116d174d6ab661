//! `IMPL_PLAN.md`: the order in which the plan wants its tasks executed.
//!
//! Sections are found by the names of headings and labels, never by number: most real plans number them differently
//! from template 4. It is prose: it may add to the order, never remove from it.

use crate::formats::workflows::workflow::list::chain;
use crate::formats::workflows::workflow::list::id::Ids;
use crate::formats::workflows::workflow::session::order_words;
use crate::formats::workflows::workflow::session::phases::{self, StatedPhase};
use markdown::{Extent, Outline};
use wire::plan::Model;

/// The statements of a text about order, with offsets.
#[derive(Default)]
pub(crate) struct StatedOrder {
    pub(crate) model: Option<(Model, String, usize)>,
    /// An unknown model.
    pub(crate) unknown: Option<(String, usize)>,
    pub(crate) parallel: Vec<(Vec<String>, usize)>,
    pub(crate) serial: Vec<(Vec<String>, usize)>,
    pub(crate) critical: Vec<String>,
    /// The phases that it divides the tasks into.
    pub(crate) phases: Vec<StatedPhase>,
    /// Statements about order that are not understood.
    pub(crate) not_understood: Vec<(String, usize)>,
}

/// Reads the text.
pub(crate) fn read(outline: &Outline, ids: &Ids) -> StatedOrder {
    let (phases, of_phases) = phases::read(outline, ids);
    let mut said = StatedOrder { phases, ..StatedOrder::default() };
    let mut topic = Topic::Other;
    for line in outline.lines_in(Extent { start: 0, end: outline.bytes.len() }) {
        let text = outline.str(line.at);
        let fenced = line.veil.is_some();
        let mut content = text;
        if let Some((name, rest)) = label(text).filter(|_| !fenced) {
            topic = topic_of(&name, topic);
            // A heading above the strategy states it only if it says which.
            if topic == Topic::Other && is_strategy(&name) && !rest.trim().is_empty() {
                topic = Topic::Model;
            }
            content = rest;
        }
        let at = line.at.start;
        match topic {
            _ if content.trim().is_empty() => {}
            // The list below a bare `**Sequential**:` is that of its phase.
            Topic::Serial if of_phases.contains(&at) && !chain::has_arrow(content) => {}
            _ => said.take(topic, content, at, fenced, ids),
        }
    }
    said
}

/// The topic of the lines after a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Model,
    Parallel,
    Serial,
    Critical,
    Other,
}

impl StatedOrder {
    fn take(&mut self, topic: Topic, text: &str, offset: usize, fenced: bool, ids: &Ids) {
        match topic {
            Topic::Model if self.model.is_none() && !fenced => self.model(text, offset),
            Topic::Parallel if !fenced => {
                let mut members = chain::together(text, ids);
                if members.len() < 2 && says_all(text) {
                    members = ids.all().to_vec();
                }
                if members.len() > 1 {
                    self.parallel.push((members, offset));
                } else if !chain::has_arrow(text) {
                    self.puzzle(text, offset, ids);
                }
            }
            Topic::Serial => {
                let mut chains = chain::chains(text, ids);
                if chains.is_empty() && !fenced && !chain::has_arrow(text) {
                    match order_words::chains(text, ids) {
                        Some(found) => chains = found,
                        None if is_statement(text) => self.not_understood(text, offset),
                        None => self.puzzle(text, offset, ids),
                    }
                }
                self.serial.extend(chains.into_iter().map(|chain| (chain, offset)));
            }
            Topic::Critical if self.critical.is_empty() => {
                let chain = chain::chains(text, ids).into_iter().next();
                // Without arrows, the tasks that the line names in its order.
                let named =
                    || ids.mentions(text).into_iter().filter_map(|m| ids.known(&m.id).map(str::to_owned));
                self.critical = chain.unwrap_or_else(|| named().collect());
            }
            _ => {}
        }
    }

    /// Notes a statement that names tasks and is not understood; a line that names none explains others.
    fn puzzle(&mut self, text: &str, offset: usize, ids: &Ids) {
        if ids.mentions(text).iter().any(|mention| ids.known(&mention.id).is_some()) {
            self.not_understood(text, offset);
        }
    }

    fn not_understood(&mut self, text: &str, offset: usize) {
        self.not_understood.push((text.trim().trim_start_matches(['-', '*', ' ']).to_owned(), offset));
    }

    fn model(&mut self, text: &str, offset: usize) {
        let text = text.trim_matches(['*', '-', ' ', '`', '\t']);
        match classify(text) {
            Some(model) => self.model = Some((model, text.to_owned(), offset)),
            None if self.unknown.is_none() => self.unknown = Some((text.to_owned(), offset)),
            None => {}
        }
    }
}

/// Whether a line below the serialization requirements states one. An indented line explains the one above, a line that
/// ends with a colon introduces those below.
fn is_statement(text: &str) -> bool {
    let bare = text.trim_start_matches(['-', '*', '+', ' ']).trim_end();
    let is_text = bare.starts_with(char::is_alphanumeric) && !bare.ends_with([':', '：']);
    let lower = bare.trim_end_matches(['.', '。']).to_lowercase();
    let first = lower.split([',', ';', ':', '(', '（', '—', '–', '.']).next().unwrap_or_default().trim();
    let is_none = matches!(first, "none" | "n/a" | "no" | "nothing" | "not applicable" | "无" | "没有")
        || ["none ", "no "].iter().any(|lead| first.starts_with(lead))
            && ["required", "needed", "identified", "requirements", "constraints", "stated"]
                .iter()
                .any(|end| first.ends_with(end));
    is_text && !is_none && !text.starts_with([' ', '\t'])
}

/// Whether a heading is about the strategy as a whole.
fn is_strategy(name: &str) -> bool {
    ["execution strategy", "执行策略"].iter().any(|word| name.contains(word))
}

/// Whether a label has a topic of its own.
pub(crate) fn is_topic(name: &str) -> bool {
    topic_of(name, Topic::Other) != Topic::Other
}

/// The first word is enough to classify nearly all real values.
fn classify(text: &str) -> Option<Model> {
    let lower = text.trim_start_matches(['*', ' ']).to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    if begins(&["tdd"]) || begins(&["sequential tdd"]) {
        Some(Model::Tdd)
    } else if begins(&["phased", "group-parallel", "分阶段", "wave"]) {
        Some(Model::Phased)
    } else if begins(&["sequential", "serial", "顺序", "串行", "strictly sequential"]) {
        Some(Model::Sequential)
    } else if begins(&["parallel", "并行"]) {
        Some(Model::Parallel)
    } else {
        None
    }
}

fn topic_of(name: &str, before: Topic) -> Topic {
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if says(&["execution model", "执行模型"]) || name == "model" {
        Topic::Model
    } else if says(&["critical path", "关键路径"]) {
        Topic::Critical
    } else if name.starts_with("no ") {
        Topic::Other
    } else if says(&["parallelization", "并行机会", "并行化", "可并行"])
        || matches!(name, "parallel" | "并行")
    {
        Topic::Parallel
    } else if says(&["serialization", "串行要求", "串行化"])
        || matches!(name, "sequential" | "serial" | "串行")
    {
        Topic::Serial
    } else if before == Topic::Model && name.starts_with("group ") {
        // Groups listed below the model still belong to it.
        before
    } else {
        Topic::Other
    }
}

/// The lowercase name in a heading or bold label, and the text after it.
pub(crate) fn label(line: &str) -> Option<(String, &str)> {
    let text = line.trim();
    if let Some(title) = text.strip_prefix('#') {
        let title = title.trim_start_matches(['#', ' ']);
        let (name, rest) = title.split_once([':', '：']).unwrap_or((title, ""));
        let name = name.trim_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | '*'));
        return Some((name.to_lowercase(), rest));
    }
    let text = text.trim_start_matches(['-', ' ', '+']);
    let text = text.strip_prefix("* ").unwrap_or(text);
    let (name, rest) = text.strip_prefix("**")?.split_once("**")?;
    let colon = name.ends_with([':', '：']) || rest.trim_start().starts_with([':', '：']);
    let rest = rest.trim_start().trim_start_matches([':', '：']);
    colon.then(|| (name.trim_end_matches([':', '：']).trim().to_lowercase(), rest))
}

fn says_all(text: &str) -> bool {
    let lower = text.trim_start_matches(['-', ' ', '*']).to_lowercase();
    lower.starts_with("all ") && lower.contains("tasks") && lower.contains("parallel")
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    #[test]
    fn models_are_classified_by_their_first_word() {
        for (text, model) in [
            ("Sequential (strict dependency chain)", Some(Model::Sequential)),
            ("Sequential TDD Cycles", Some(Model::Tdd)),
            ("Parallel (tasks are independent)", Some(Model::Parallel)),
            ("Phased（分阶段执行）", Some(Model::Phased)),
            ("Phased Sequential with Selective Parallelization", Some(Model::Phased)),
            ("**Group-Parallel with Sequential Groups**", Some(Model::Phased)),
            ("顺序分析", Some(Model::Sequential)),
            ("Agent", None),
        ] {
            assert_eq!(classify(text), model, "{text}");
        }
    }

    #[test]
    fn phases_are_read_with_their_tasks_and_what_is_not_understood_is_kept() {
        let text = "\
## 4. Implementation Strategy
**Execution Model**: Phased
**Phase 1 (Core): IMPL-1, IMPL-2**
**Phase 2: Search Layer** (IMPL-3 to IMPL-4)
### Wave 3: Closing
- IMPL-5: needs what IMPL-1 made
- Phase 1 is the longest
**Serialization Requirements**:
- IMPL-2 must run after IMPL-1
- IMPL-4 shares a table with IMPL-3
";
        let ids = Ids::new((1..=5).map(|number| format!("IMPL-{number}")));
        let said = read(&Outline::new(&Text { path: "p", bytes: text.as_bytes() }), &ids);
        let phases: Vec<String> =
            said.phases.iter().map(|phase| format!("{}: {}", phase.title, phase.tasks.join(" "))).collect();
        assert_eq!(phases, ["Phase 1: IMPL-1 IMPL-2", "Phase 2: IMPL-3 IMPL-4", "Wave 3: IMPL-5"]);
        assert_eq!(
            said.serial.iter().map(|(chain, _)| chain.join(" ")).collect::<Vec<_>>(),
            ["IMPL-1 IMPL-2"]
        );
        assert_eq!(
            said.not_understood.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(),
            ["IMPL-4 shares a table with IMPL-3"]
        );
    }

    #[test]
    fn sections_are_found_by_name_in_any_place() {
        let text = "\
## 4. Dependency DAG
### Execution Model: Sequential with Dependency-Based Parallelization
- **Sequential**: IMPL-1 → IMPL-2
- **Parallel**: IMPL-3, IMPL-4
### 7.1 Critical Path
`IMPL-1 -> IMPL-2`
**No Parallelization Opportunities**: IMPL-1, IMPL-2 are serial
**Other**: IMPL-3 → IMPL-4
";
        let ids = Ids::new((1..=4).map(|number| format!("IMPL-{number}")));
        let said = read(&Outline::new(&Text { path: "p", bytes: text.as_bytes() }), &ids);
        assert_eq!(said.model.map(|(model, _, _)| model), Some(Model::Sequential));
        assert_eq!(
            said.serial.iter().map(|(chain, _)| chain.join(" ")).collect::<Vec<_>>(),
            ["IMPL-1 IMPL-2"]
        );
        assert_eq!(said.parallel.iter().map(|(g, _)| g.join(" ")).collect::<Vec<_>>(), ["IMPL-3 IMPL-4"]);
        assert_eq!(said.critical, ["IMPL-1", "IMPL-2"]);
    }
}
