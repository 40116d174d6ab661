# Recipes for people; `just` alone lists them.

plan := "PLAN.md"

_default:
    @just --list

# Build everything
build:
    cargo build --release

# Carry out the embedded demo
demo: build
    scripts/demo

# Carry a plan to its end: just plan=path run --worker NAME
run *ARGS: build
    scripts/orchestrate {{ARGS}} {{quote(plan)}}

# What may run now, and why not the rest
next: build
    target/release/plan-parse --quiet {{quote(plan)}} | target/release/dag-next --status --pretty || true

# The graph of the plan in rounds
status: build
    target/release/plan-parse --quiet {{quote(plan)}} | target/release/dag-export --to text

# The gates that plantools.toml sets for the end
gates: build
    target/release/gate-run --when end

# Where the plan stands and what happened
report: build
    target/release/run-report --final {{quote(plan)}}

# Everything that must pass
check:
    scripts/check
