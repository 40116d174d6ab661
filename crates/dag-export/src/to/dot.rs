//! A graph for graphviz. Nodes are numbered, so that no id is ever a name of the language.

use crate::to::label::{clean, wrap};
use crate::to::look::{CRITICAL, look};
use graph::{Critical, Graph};
use std::fmt::Write;
use wire::Plan;

/// The graph.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let critical = Critical::of(graph);
    let mut out = String::from("digraph plan {\n  rankdir=LR;\n");
    let _ =
        writeln!(out, "  label=\"{}\"; labelloc=t; fontname=\"sans-serif\";", escape(&clean(&plan.title)));
    out.push_str("  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11];\n");
    out.push_str("  edge [color=\"#8b949e\", arrowsize=0.7];\n");
    for (task, i) in plan.tasks.iter().zip(0..) {
        let look = look(task.state);
        let mut lines = vec![clean(task.id.as_str())];
        lines.extend(wrap(&task.title, 28, 3));
        let label: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        let _ = write!(out, "  n{i} [label=\"{}\"", label.join("\\n"));
        let _ = write!(out, ", tooltip=\"{}: {}\"", escape(&clean(&task.title)), task.state.word());
        let _ = write!(out, ", fillcolor=\"{}\", color=\"{}\"", look.fill, look.line);
        if graph.is_container(i) {
            out.push_str(", style=\"rounded,filled,dashed\"");
        }
        if critical.has(i) {
            let _ = write!(out, ", color=\"{CRITICAL}\", penwidth=2");
        }
        out.push_str("];\n");
    }
    for (from, to) in graph.links() {
        let _ = write!(out, "  n{from} -> n{to} [");
        if critical.links(from, to) {
            let _ = write!(out, "color=\"{CRITICAL}\", penwidth=2.5 ");
        }
        out.push_str(if graph.parent(from) == Some(to) {
            "style=dashed, arrowhead=empty];\n"
        } else {
            "];\n"
        });
    }
    out.push_str("}\n");
    out
}

/// For a quoted label, where a backslash and an ampersand would begin something.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{hostile, small};

    #[test]
    fn the_small_plan_as_a_graph() {
        let (plan, graph) = small();
        let dot = write(&plan, &graph);
        assert!(
            dot.contains("n0 [label=\"1\\nSet up\", tooltip=\"Set up: completed\", fillcolor=\"#dcf5e3\"")
        );
        assert!(dot.contains("\n  n0 -> n2 [color=\"#c2410c\", penwidth=2.5 ];\n"));
    }

    #[test]
    fn quotes_are_closed_on_every_line() {
        let (plan, graph) = hostile();
        let dot = write(&plan, &graph);
        for line in dot.lines() {
            let bare = line.replace("\\\\", "").replace("\\\"", "");
            assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
        }
        assert!(!dot.contains('\u{1b}'));
    }
}
