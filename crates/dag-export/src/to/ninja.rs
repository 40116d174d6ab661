//! A `build.ninja` whose targets are the tasks: `ninja -k0 -f FILE` at the plan's root carries the plan out.
//!
//! The stamps are those of the Makefile, and order-only as there. A task that is settled has another command than before:
//! as `generator` it is not done again for that.

use crate::to::label::clean;
use crate::to::shell::{STAMPS, key, plan_word, stamp, stamps_before, stamps_of_all, word};
use graph::Graph;
use std::fmt::Write;
use wire::Plan;

/// The build file.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "# \"{}\"\n# Run at the plan's root: ninja -k0 -f THIS_FILE\n", clean(&plan.title));
    let _ = writeln!(out, "ninja_required_version = 1.3\nbuilddir = {STAMPS}");
    let _ = writeln!(out, "orchestrate = $${{ORCHESTRATE:-orchestrate}}\nplan = {}\n", plan_word(plan));
    let run = "$orchestrate --wait --only $id $plan";
    let _ = writeln!(
        out,
        "rule task\n  command = {run} && mkdir -p {STAMPS} && touch $out\n  description = task $key\n  generator = 1\n"
    );
    let _ = writeln!(
        out,
        "rule settled\n  command = mkdir -p {STAMPS} && touch $out\n  description = $key is settled\n  generator = 1"
    );
    for (task, i) in plan.tasks.iter().zip(0..) {
        let (key, before) = (key(task), stamps_before(plan, graph, i));
        let _ = writeln!(out, "\n# {key}: \"{}\"", clean(&task.title));
        if !graph.children(i).is_empty() {
            let _ = writeln!(out, "build task-{key}: phony{before}");
            continue;
        }
        let rule = if task.state.is_settled() { "settled" } else { "task" };
        let bar = if before.is_empty() { "" } else { " ||" };
        let _ = writeln!(out, "build {}: {rule}{bar}{before}\n  key = {key}", stamp(task));
        let _ = writeln!(out, "  id = {}\nbuild task-{key}: phony {}", word(task.id.as_str()), stamp(task));
    }
    let _ = writeln!(out, "\nbuild all: phony{}\ndefault all", stamps_of_all(plan, graph));
    out
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{hostile, small};

    #[test]
    fn the_small_plan_as_a_build_file() {
        let (plan, graph) = small();
        let file = write(&plan, &graph);
        assert!(file.contains("\nbuild .plantools/make/1.done: settled\n  key = 1\n  id = '1'\n"));
        assert!(file.contains("\nbuild .plantools/make/3.done: task || .plantools/make/2.a.done\n"));
        assert!(file.contains("\nbuild task-2: phony .plantools/make/2.a.done\n"));
        assert!(file.ends_with(
            "\nbuild all: phony .plantools/make/1.done .plantools/make/2.a.done .plantools/make/3.done\ndefault all\n"
        ));
    }

    #[test]
    fn no_hostile_word_begins_a_line_or_a_variable() {
        let (plan, graph) = hostile();
        for line in write(&plan, &graph).lines().filter(|line| !line.starts_with('#')) {
            let known = ["ninja_", "builddir", "orchestrate", "plan = ", "rule ", "  ", "build ", "default "];
            assert!(line.is_empty() || known.iter().any(|start| line.starts_with(start)), "{line}");
            let value = line.strip_prefix("  id = ").unwrap_or_default().replace("$$", "");
            assert!(!value.contains('$'), "{line}");
        }
    }
}
