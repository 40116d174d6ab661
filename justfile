# Recipes for a plan, with the installed tools, in any project: just --justfile PATH/justfile --working-directory . run
# Those of this checkout are at the end. `just` alone lists them.

plan := "PLAN.md"
worker := "shell"

_default:
    @just --list

# Carry a plan to its end: just plan=path worker=name run
run *ARGS:
    orchestrate --worker {{quote(worker)}} {{ARGS}} {{quote(plan)}}

# Print the pipe of a round
pipe:
    orchestrate --print-pipe --worker {{quote(worker)}} {{quote(plan)}}

# Run one round of the pipe
round:
    orchestrate --print-pipe --worker {{quote(worker)}} {{quote(plan)}} | sh

# What may run now, and why not the rest
next:
    plan-parse --quiet {{quote(plan)}} | dag-next --status --format text || true

# The graph of the plan in rounds
status:
    plan-parse --quiet {{quote(plan)}} | dag-export --format text

# The gates that plantools.toml sets for the end
gates:
    gate-run --when end

# Where the plan stands and what happened
report:
    run-report --final {{quote(plan)}}

# This checkout: build everything
build:
    cargo build --release

# This checkout: carry out the embedded demo
demo: build
    scripts/demo

# This checkout: everything that must pass
check:
    scripts/check
