"""How long a tool takes to say its version, beside the shortest program there is."""

TOOLS = ["plan-parse", "dag-next", "dag-export", "handoff", "worker-run", "gate-run", "punch", "session-export",
         "context-save", "checkbox", "commit-run", "run-report"]


def rows(bench):
    for name in TOOLS:
        bench.pair(f"{name} --version", [bench.tool(name), "--version"], ["/bin/true"], 1.2, "/bin/true", rounds=60,
                   group="--version, the slowest of twelve", count=([bench.tool(name), "--version"], ["/bin/true"]))
