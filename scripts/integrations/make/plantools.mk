# Targets for a plan, with the installed tools: include this file, and set PLAN and WORKER where they differ.
PLAN ?= PLAN.md
WORKER ?= shell

.PHONY: plan-run plan-round plan-pipe plan-next plan-gates plan-report plan-check plan-lint

plan-run: ## Carry the plan to its end
	orchestrate --worker '$(WORKER)' '$(PLAN)'

plan-round: ## Run one round of the pipe
	@orchestrate --print-pipe --worker '$(WORKER)' '$(PLAN)' | sh || case $$? in 1 | 4 | 5 | 6) ;; *) exit 1 ;; esac

plan-pipe: ## Print the pipe of a round
	@orchestrate --print-pipe --worker '$(WORKER)' '$(PLAN)'

plan-next: ## What may run now, and why not the rest
	@plan-parse --quiet '$(PLAN)' | dag-next --status --format text || case $$? in 4 | 5 | 6) ;; *) exit 1 ;; esac

plan-gates: ## The gates of plantools.toml
	gate-run --all

plan-report: ## Where the plan stands and what happened
	run-report --final '$(PLAN)'

plan-check: ## Fails while something is open
	run-report --check '$(PLAN)'

plan-lint: ## Fails where a rule warns
	plan-parse --lint '$(PLAN)' >/dev/null
