//! The forms that a graph can take, one file each and one row here.
//!
//! Every form gets its own escaping: what is harmless in one is a command in another.

mod dot;
mod json;
mod label;
mod look;
mod make;
mod mermaid;
mod ninja;
mod parallel;
mod script;
mod shell;
mod slurm;
mod svg;
mod text;

use crate::order::Reader;
use graph::Graph;
use wire::Plan;

/// One form.
pub(crate) struct Target {
    /// As given to `--to`.
    pub(crate) name: &'static str,
    /// What it is, for the help.
    pub(crate) about: &'static str,
    /// Who reads it.
    pub(crate) reader: Reader,
    /// Writes the plan's graph, which has no cycle.
    pub(crate) write: fn(&Plan, &Graph) -> String,
}

/// All forms.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "dot", about: "a graph for graphviz", reader: Reader::Eye, write: dot::write },
    Target {
        name: "mermaid",
        about: "a flowchart for Markdown pages",
        reader: Reader::Eye,
        write: mermaid::write,
    },
    Target {
        name: "text",
        about: "the rounds as a tree for terminals",
        reader: Reader::Eye,
        write: text::write,
    },
    Target { name: "svg", about: "a picture, laid out in layers", reader: Reader::Eye, write: svg::write },
    Target {
        name: "json",
        about: "the graph as `graph/1`, for programs",
        reader: Reader::Eye,
        write: json::write,
    },
    Target {
        name: "make",
        about: "a Makefile that carries the plan out",
        reader: Reader::Engine,
        write: make::write,
    },
    Target {
        name: "ninja",
        about: "a build.ninja that carries the plan out",
        reader: Reader::Engine,
        write: ninja::write,
    },
    Target {
        name: "slurm",
        about: "a script that submits a job for each task to Slurm",
        reader: Reader::Engine,
        write: slurm::write,
    },
    Target {
        name: "parallel",
        about: "a script that hands the rounds to GNU parallel",
        reader: Reader::Engine,
        write: parallel::write,
    },
];

/// Plans to draw in tests.
#[cfg(test)]
pub(crate) mod samples {
    use graph::Graph;
    use wire::{Plan, State, Task, TaskId, ids::key_of};

    /// Words that mean something in one of the forms.
    pub(crate) const HOSTILE: [&str; 14] = [
        "; rm -rf /",
        "$(touch x) `id`",
        "it's \"quoted\" \\",
        "a\nb\tc\u{7}\u{1b}[31m",
        "<b>&amp;|{x}[y](z)",
        "#x; end",
        "--only",
        "]]> --> %%",
        "\\N \\l \\",
        "$$ $1 ${HOME} %",
        "übung\u{202e}xyz",
        "1. list - item",
        "end",
        " ",
    ];

    pub(crate) fn task(id: &str, title: &str, depends_on: &[&str]) -> Task {
        let depends_on = depends_on.iter().map(|&d| TaskId::from(d)).collect();
        Task { id: id.into(), key: key_of(id), title: title.into(), depends_on, ..Task::default() }
    }

    pub(crate) fn plan(tasks: Vec<Task>) -> (Plan, Graph) {
        let mut plan = Plan { title: "Sample".into(), tasks, ..Plan::default() };
        plan.source.path = "PLAN.md".into();
        let graph = Graph::of(&plan).unwrap();
        (plan, graph)
    }

    /// Every hostile word as id and as title, in a chain.
    pub(crate) fn hostile() -> (Plan, Graph) {
        let mut tasks: Vec<Task> = Vec::new();
        for word in HOSTILE {
            let before: Vec<&str> = tasks.last().map(|task: &Task| task.id.as_str()).into_iter().collect();
            tasks.push(task(word, word, &before));
        }
        let (mut plan, graph) = plan(tasks);
        plan.title = HOSTILE.join(" ");
        plan.source.path = "-it's a $plan; #1".into();
        (plan, graph)
    }

    /// Three tasks, one done, and a container.
    pub(crate) fn small() -> (Plan, Graph) {
        let mut tasks = vec![
            task("1", "Set up", &[]),
            task("2", "Parts", &["1"]),
            task("2.a", "Left", &[]),
            task("3", "Ship", &["2"]),
        ];
        tasks[0].state = State::Completed;
        tasks[2].parent = Some("2".into());
        plan(tasks)
    }
}
