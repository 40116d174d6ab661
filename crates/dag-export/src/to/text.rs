//! The rounds as a tree, for terminals: what could be done together stands together.

use crate::to::label::{clean, count};
use crate::to::look::{LOOKS, look};
use graph::{Chains, Graph};
use std::fmt::Write;
use wire::{Plan, Task};

/// The longest id that the titles still line up behind.
const ID_WIDTH: usize = 16;

/// The tree.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let chains = graph.view().chains(false);
    let mut out = String::new();
    let title = clean(&plan.title);
    if !title.is_empty() {
        let _ = writeln!(out, "{title}");
    }
    let _ = writeln!(out, "{}\n", summary(plan, graph, &chains));
    let critical = chains.on_critical_path();
    let width = plan.tasks.iter().map(|task| id(task).chars().count()).max().unwrap_or(0).min(ID_WIDTH);
    let rounds = chains.rounds();
    for (round, n) in rounds.iter().zip(0..) {
        let _ = writeln!(
            out,
            "round {n}{}",
            if round.len() > 1 { format!("  {} together", round.len()) } else { String::new() }
        );
        for (&i, left) in round.iter().zip((0..round.len()).rev()) {
            let branch = if left == 0 { "└─" } else { "├─" };
            let star = if critical[i as usize] { '*' } else { ' ' };
            let _ = writeln!(out, "{branch}{star}{}", line(plan, graph, i, width));
        }
    }
    let containers: Vec<u32> = (0..graph.len()).filter(|&i| graph.is_container(i)).collect();
    if !containers.is_empty() {
        out.push_str("containers\n");
        for (&i, left) in containers.iter().zip((0..containers.len()).rev()) {
            let branch = if left == 0 { "└─" } else { "├─" };
            let _ = writeln!(
                out,
                "{branch} {}{}",
                line(plan, graph, i, width),
                names(plan, "  of ", graph.children(i))
            );
        }
    }
    out.push_str("\n* critical path");
    for look in LOOKS.iter().filter(|look| plan.tasks.iter().any(|task| task.state == look.state)) {
        let _ = write!(out, "   [{}] {}", look.mark, look.name);
    }
    out.push('\n');
    out
}

fn summary(plan: &Plan, graph: &Graph, chains: &Chains) -> String {
    let mut parts = vec![count(plan.tasks.len(), "task")];
    for look in &LOOKS {
        let number = plan.tasks.iter().filter(|task| task.state == look.state).count();
        if number > 0 {
            parts.push(format!("{number} {}", look.name));
        }
    }
    parts.push(count(chains.length() as usize, "round"));
    let widest = chains.rounds().iter().map(Vec::len).max().unwrap_or(0);
    parts.push(format!("at most {widest} together"));
    parts.push(format!("{} ready", graph.ready().len()));
    parts.join(", ")
}

fn line(plan: &Plan, graph: &Graph, i: u32, width: usize) -> String {
    let task = &plan.tasks[i as usize];
    let after = names(plan, "  after ", graph.dependencies(i));
    let line = format!("[{}] {:width$}  {}{after}", look(task.state).mark, id(task), clean(&task.title));
    line.trim_end().to_owned()
}

fn names(plan: &Plan, lead: &str, tasks: &[u32]) -> String {
    if tasks.is_empty() {
        return String::new();
    }
    let names: Vec<String> = tasks.iter().map(|&i| id(&plan.tasks[i as usize])).collect();
    format!("{lead}{}", names.join(", "))
}

fn id(task: &Task) -> String {
    clean(task.id.as_str())
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{hostile, small};

    #[test]
    fn the_small_plan_as_a_tree() {
        let (plan, graph) = small();
        let expected = "\
Sample
4 tasks, 3 pending, 1 completed, 3 rounds, at most 1 together, 1 ready

round 0
└─*[x] 1    Set up
round 1
└─*[ ] 2.a  Left
round 2
└─*[ ] 3    Ship  after 2
containers
└─ [ ] 2    Parts  after 1  of 2.a

* critical path   [ ] pending   [x] completed
";
        assert_eq!(write(&plan, &graph), expected);
    }

    #[test]
    fn nothing_in_it_moves_the_cursor() {
        let (plan, graph) = hostile();
        assert!(!write(&plan, &graph).contains(|c: char| c.is_control() && c != '\n'));
    }
}
