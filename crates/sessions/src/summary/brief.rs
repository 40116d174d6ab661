//! The decisions of a session, taken from its thoughts by their tags and by the headings inside them.
//!
//! Nothing is guessed: text without a tag or heading is ignored.

use crate::Thought;
use crate::thought::headings::{Heading, items, sections};
use crate::thought::stage::Stage;
use std::borrow::Cow;
use wire::session::{Approach, Risk};

/// The decisions of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Brief {
    /// The chosen approach, and why.
    pub(crate) approach: Option<Approach>,
    /// The success criteria.
    pub(crate) success_criteria: Vec<String>,
    /// The risks.
    pub(crate) risks: Vec<Risk>,
    /// The tests to write.
    pub(crate) tests: Vec<String>,
}

impl Brief {
    /// Collects the decisions of all thoughts.
    pub(crate) fn of(thoughts: &[Thought<'_>]) -> Self {
        let mut brief = Self::default();
        let mut rank = Rank::default();
        for thought in thoughts {
            brief.take(thought, &mut rank);
        }
        brief
    }

    fn take(&mut self, thought: &Thought<'_>, rank: &mut Rank) {
        let decides = DECISIONS.iter().any(|tag| thought.is_tagged_like(tag));
        let criteria = thought.is_tagged_like("success-criteria") || thought.is_tagged("success-criterion");
        let risks = thought.is_tagged_like("risk");
        let concludes = thought.is(Stage::Conclusion);
        if !(decides || criteria || risks || concludes) {
            return;
        }
        // The subtasks have criteria of their own.
        let text = thought.thought.str();
        let rest = if thought.is_tagged("subtask-plan") { without_subtasks(text) } else { Some(text.into()) };
        let Some(text) = rest else { return };
        let text: &str = &text;
        let sections = sections(text);
        let chosen = approach(text, &sections, decides);
        // A later decision of the same rank replaces an earlier one.
        let own = Rank { tagged: decides, concludes };
        if let Some(approach) = chosen.filter(|_| own >= *rank) {
            self.approach = Some(approach);
            *rank = own;
        }
        for section in sections.iter().filter(|(heading, _)| *heading == Heading::Success) {
            keep(&mut self.success_criteria, items(section.1));
        }
        for section in sections.iter().filter(|(heading, _)| *heading == Heading::Tests) {
            keep(&mut self.tests, items(section.1));
        }
        if criteria && !sections.iter().any(|(heading, _)| *heading == Heading::Success) {
            keep(&mut self.success_criteria, items(text));
        }
        self.risks(text, &sections, risks);
    }

    fn risks(&mut self, text: &str, sections: &[(Heading, &str)], tagged: bool) {
        let mut found = Vec::new();
        for (heading, body) in sections {
            match heading {
                Heading::Risk => found.extend(items(body).map(|risk| Risk { risk, ..Risk::default() })),
                Heading::Mitigation => {
                    let said: Vec<String> = items(body).collect();
                    if let Some(last) = found.last_mut().filter(|risk: &&mut Risk| risk.mitigation.is_empty())
                    {
                        last.mitigation = said.join("; ");
                    }
                }
                _ => {}
            }
        }
        if tagged && found.is_empty() {
            found.extend(items(text).map(|risk| Risk { risk, ..Risk::default() }));
        }
        for risk in found {
            if !self.risks.contains(&risk) {
                self.risks.push(risk);
            }
        }
    }
}

/// A summary without its section of subtasks; `None` for a text that is nothing but the list of them.
fn without_subtasks(text: &str) -> Option<Cow<'_, str>> {
    let is_title = |line: &str| line.trim_start().starts_with('#');
    let is_list = |line: &str| is_title(line) && line.to_lowercase().contains("subtasks");
    let at = text.lines().position(is_list)?;
    let after = text.lines().skip(at + 1).position(is_title).map_or(usize::MAX, |next| at + 1 + next);
    let kept = text.lines().enumerate().filter(|(line, _)| !(at..after).contains(line));
    Some(kept.map(|(_, line)| line).collect::<Vec<_>>().join("\n").into())
}

/// Tags of a thought that makes a decision.
const DECISIONS: [&str; 4] = ["decision", "chosen-approach", "selected-approach", "approach-selected"];

/// The rank of a decision: tagged as one, and in the Conclusion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    tagged: bool,
    concludes: bool,
}

fn approach(text: &str, sections: &[(Heading, &str)], decides: bool) -> Option<Approach> {
    let body =
        |wanted: Heading| sections.iter().find(|(heading, _)| *heading == wanted).map(|(_, body)| *body);
    let named = body(Heading::Decision);
    let first = || text.lines().find(|line| !line.trim().is_empty()).and_then(|line| line.split(". ").next());
    let said = match named {
        Some(body) => items(body).next(),
        None if decides => first().and_then(|first| items(first).next()),
        None => None,
    }?;
    let words = ["Choosing ", "Chosen ", "Implementing ", "Implement ", "Choose ", "Selected "];
    let said = words.iter().find_map(|word| said.strip_prefix(word)).unwrap_or(&said).to_owned();
    let rationale = body(Heading::Rationale).map(|body| items(body).collect::<Vec<_>>().join("; "));
    Some(Approach { approach: said, rationale: rationale.unwrap_or_default() })
}

fn keep(into: &mut Vec<String>, found: impl Iterator<Item = String>) {
    for item in found {
        if !into.contains(&item) {
            into.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Brief;
    use crate::Thought;

    fn thoughts(text: &str) -> Vec<Thought<'_>> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_conclusion_in_one_sentence_each_is_taken_apart() {
        let text = r#"[{"thought":"Decision: Approach 3 (leverage). Rationale: handles the edge. Success criteria: tests pass; no new warnings. Risk: slow start. Mitigation: a cache.","stage":"Conclusion","tags":["decision"]}]"#;
        let brief = Brief::of(&thoughts(text));
        let approach = brief.approach.unwrap();
        assert_eq!(
            (approach.approach.as_str(), approach.rationale.as_str()),
            ("Approach 3 (leverage)", "handles the edge")
        );
        assert_eq!(brief.success_criteria, ["tests pass", "no new warnings"]);
        assert_eq!(
            (brief.risks[0].risk.as_str(), brief.risks[0].mitigation.as_str()),
            ("slow start", "a cache")
        );
    }

    #[test]
    fn tags_say_what_headings_do_not() {
        let text = r###"[{"thought":"Choosing B","stage":"Synthesis","tags":["decision"]},
            {"thought":"- every id resolves\n- nothing is lost","stage":"Conclusion","tags":["success-criteria"]},
            {"thought":"## Risks\n- Risk: old files → Mitigation: read both\n- Risk: none left","stage":"Conclusion","tags":[]}]"###;
        let brief = Brief::of(&thoughts(text));
        assert_eq!(brief.approach.unwrap().approach, "B");
        assert_eq!(brief.success_criteria, ["every id resolves", "nothing is lost"]);
        let risks: Vec<_> = brief.risks.iter().map(|r| (r.risk.as_str(), r.mitigation.as_str())).collect();
        assert_eq!(risks, [("old files", "read both"), ("none left", "")]);
    }

    #[test]
    fn a_tagged_conclusion_outweighs_what_came_before_it() {
        let text = r#"[{"thought":"Decision: A","stage":"Conclusion","tags":["decision"]},
            {"thought":"Decision: C","stage":"Synthesis","tags":["decision"]},
            {"thought":"Decision: B","stage":"Conclusion","tags":["decision"]},
            {"thought":"Decision: D","stage":"Conclusion","tags":[]}]"#;
        assert_eq!(Brief::of(&thoughts(text)).approach.unwrap().approach, "B");
    }

    #[test]
    fn a_summary_with_its_subtasks_is_taken_without_them() {
        let plan = "### Chosen Approach\\nOne file each\\n\\n### Success Criteria\\n- it runs\\n\\n### Implementation Subtasks\\n1. Say hello\\n   - Success: it says hello\\n\\n### Risks\\n- old files";
        let text =
            format!(r#"[{{"thought":"{plan}","stage":"Conclusion","tags":["decision","subtask-plan"]}}]"#);
        let brief = Brief::of(&thoughts(&text));
        assert_eq!(brief.approach.unwrap().approach, "One file each");
        assert_eq!(brief.success_criteria, ["it runs"]);
        assert_eq!(brief.risks[0].risk, "old files");
        let list =
            r#"[{"thought":"1. Say hello — success: it does","stage":"Conclusion","tags":["subtask-plan"]}]"#;
        assert_eq!(Brief::of(&thoughts(list)), Brief::default());
    }

    #[test]
    fn what_nobody_marked_is_not_taken() {
        let text = r#"[{"thought":"Risk: x. Decision: y","stage":"Analysis"},{"thought":"done","stage":"Conclusion"}]"#;
        assert_eq!(Brief::of(&thoughts(text)), Brief::default());
    }
}
