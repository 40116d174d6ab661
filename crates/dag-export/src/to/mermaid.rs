//! A flowchart for Mermaid, as GitHub and many Markdown readers draw it.

use crate::to::label::{clean, wrap};
use crate::to::look::{CRITICAL, LOOKS};
use graph::{Critical, Graph};
use std::fmt::Write;
use wire::Plan;

/// The flowchart.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let critical = Critical::of(graph);
    let mut out = String::from("flowchart LR\n");
    for (task, i) in plan.tasks.iter().zip(0..) {
        let title: Vec<String> = wrap(&task.title, 28, 3).iter().map(|line| escape(line)).collect();
        let (open, close) = if graph.is_container(i) { ("[[", "]]") } else { ("(", ")") };
        let id = escape(&clean(task.id.as_str()));
        let _ = writeln!(out, "  n{i}{open}\"<b>{id}</b><br/>{}\"{close}", title.join("<br/>"));
    }
    let mut thick = Vec::new();
    for ((from, to), link) in graph.links().into_iter().zip(0..) {
        let arrow = if graph.parent(from) == Some(to) { "-.->" } else { "-->" };
        let _ = writeln!(out, "  n{from} {arrow} n{to}");
        if critical.links(from, to) {
            thick.push(i32::to_string(&link));
        }
    }
    for look in &LOOKS {
        let members = (0..graph.len()).filter(|&i| plan.tasks[i as usize].state == look.state);
        style(
            &mut out,
            look.state.word(),
            &format!("fill:{},stroke:{},color:#1f2328", look.fill, look.line),
            members,
        );
    }
    style(
        &mut out,
        "critical",
        &format!("stroke:{CRITICAL},stroke-width:3px"),
        (0..graph.len()).filter(|&i| critical.has(i)),
    );
    if !thick.is_empty() {
        let _ = writeln!(out, "  linkStyle {} stroke:{CRITICAL},stroke-width:3px", thick.join(","));
    }
    out
}

/// A class and the tasks that have it, if any do.
fn style(out: &mut String, name: &str, rule: &str, members: impl Iterator<Item = u32>) {
    let members: Vec<String> = members.map(|i| format!("n{i}")).collect();
    if !members.is_empty() {
        let _ = writeln!(out, "  classDef {name} {rule}\n  class {} {name}", members.join(","));
    }
}

/// By number whatever could end the label, begin markup or make it a list.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut digits = true;
    for (at, c) in text.char_indices() {
        let list = digits && (matches!(c, '.' | ')') || at == 0 && matches!(c, '-' | '+'));
        digits &= c.is_ascii_digit();
        if list
            || matches!(
                c,
                '"' | '#'
                    | '&'
                    | '<'
                    | '>'
                    | ';'
                    | '`'
                    | '*'
                    | '_'
                    | '~'
                    | '|'
                    | '\\'
                    | '$'
                    | '%'
                    | '{'
                    | '}'
                    | '['
                    | ']'
                    | '('
                    | ')'
                    | '@'
            )
        {
            let _ = write!(out, "#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{escape, write};
    use crate::to::samples::{hostile, small};

    #[test]
    fn the_small_plan_as_a_flowchart() {
        let (plan, graph) = small();
        let chart = write(&plan, &graph);
        assert!(
            chart
                .starts_with("flowchart LR\n  n0(\"<b>1</b><br/>Set up\")\n  n1[[\"<b>2</b><br/>Parts\"]]\n")
        );
        assert!(chart.contains("  n2 -.-> n1\n  n0 --> n2\n  n1 --> n3\n"));
        assert!(
            chart.contains("\n  class n0 completed\n") && chart.contains("\n  class n0,n2,n3 critical\n")
        );
    }

    #[test]
    fn labels_hold_no_markup_of_their_own() {
        assert_eq!(escape("1. \"a\" #1; <b>"), "1#46; #34;a#34; #35;1#59; #60;b#62;");
        assert_eq!((escape("- x-y"), escape("v1.2")), ("#45; x-y".to_owned(), "v1.2".to_owned()));
        let (plan, graph) = hostile();
        for line in write(&plan, &graph).lines().filter(|line| line.contains("<b>")) {
            assert_eq!(line.matches('"').count(), 2, "{line}");
        }
    }
}
