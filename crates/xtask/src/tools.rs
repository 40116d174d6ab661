//! All tools, each with its one definition of the command line.

/// A tool.
pub(crate) struct Tool {
    /// The command's name, which is its crate's too.
    pub(crate) name: &'static str,
    /// Its command line.
    pub(crate) command: fn() -> clap::Command,
}

/// All of them, in the order of the pipe, and the tool that repeats it.
pub(crate) const TOOLS: [Tool; 13] = [
    Tool { name: "plan-parse", command: plan_parse::command },
    Tool { name: "dag-next", command: dag_next::command },
    Tool { name: "dag-export", command: dag_export::command },
    Tool { name: "handoff", command: handoff::command },
    Tool { name: "worker-run", command: worker_run::command },
    Tool { name: "gate-run", command: gate_run::command },
    Tool { name: "punch", command: punch::command },
    Tool { name: "session-export", command: session_export::command },
    Tool { name: "context-save", command: context_save::command },
    Tool { name: "checkbox", command: checkbox::command },
    Tool { name: "commit-run", command: commit_run::command },
    Tool { name: "run-report", command: run_report::command },
    Tool { name: "orchestrate", command: orchestrate::command },
];
