//! One small project for each workflow.

/// A plan of `plan-md`, its context, and a project with conventions and a gate.
pub(crate) const PLAN_MD: &[(&str, &str)] = &[
    (
        ".dev/specs/greet/PLAN.md",
        r"# Greet

## TODOs

### [x] TODO 1: Write the names

**Type**: work

**Outputs**:
- `names_path` (file): `config/names.txt` - one name a line
- `languages` (list): - what to greet in

### [ ] TODO 2: Greet everybody

**Type**: work

**Required Tools**: `sh`, `awk`

**Inputs**:
- `names_path` (file): `${todo-1.outputs.names_path}`
- `languages` (list): `${todo-1.outputs.languages}`

**Outputs**:
- `greeter` (file): `bin/greet` - the program

**Steps**:
- [ ] Write `bin/greet`, which reads ${todo-1.outputs.names_path}
- [ ] Make it executable:
  ```sh
  chmod +x bin/greet
  ```

**Must NOT do**:
- Do not touch `config/`
- Do not run git commands

**References**:
- `${todo-1.outputs.names_path}:1` - how names are written
- `docs/style.md` - the house style

**Acceptance Criteria**:

*Functional:*
- [ ] It greets: `bin/greet | head -n 1` → `Hello, Ada!`

*Static:*
- [ ] `sh -n bin/greet` → exit 0

*Runtime:*
- [ ] It reads well

**Risk**: LOW

### [ ] TODO 3: Greet the machine

**Type**: verification
",
    ),
    (
        ".dev/specs/greet/context/outputs.json",
        r#"{"todo-1":{"names_path":"config/names.txt","languages":["en","de"]}}"#,
    ),
    (".dev/specs/greet/context/learnings.md", "## TODO 1\n- The shell is dash, not bash\n"),
    (".dev/specs/greet/context/issues.md", "## TODO 1\n- [ ] awk is mawk here\n"),
    (".dev/specs/greet/context/decisions.md", "## TODO 1\n- One name a line: the tools expect it\n"),
    ("AGENTS.md", "Be brief.\n"),
    ("docs/style.md", "Tabs.\n"),
    (
        "plantools.toml",
        "[[gates]]\nid = \"lint\"\nlabel = \"Lint\"\ninvocation = \"{{LINTER}} bin\"\nfix = \"shfmt -w bin\"\nwhen = [\"task\"]\n\n[tokens]\nlinter = \"shellcheck\"\n",
    ),
];

/// A checklist.
pub(crate) const CHECKLIST: &[(&str, &str)] = &[(
    "TODO.md",
    "# Chores\n\n- [x] Buy paint\n- [ ] Paint the fence: `test -f painted`\n  - green, two coats\n- [ ] Rest\n",
)];

/// A runbook of two phases with its design.
pub(crate) const RUNBOOK: &[(&str, &str)] = &[
    (
        "plans/oauth/runbook.md",
        r"---
name: oauth
model: haiku
---

# OAuth

## Common Context

All modules live in `src/auth`. Tokens are opaque.

### Phase 1: Tokens (type: general)

## Step 1.1: Make the token store

**Execution Model**: Sonnet

**Objective**: A store that forgets.

**Implementation**: Write `src/auth/store.py`.

**Expected Outcome**: `python3 -c 'import src.auth.store'` exits 0.

**Report Path**: `plans/oauth/reports/step-1-1.md`

## Step 1.2: Expire tokens

**Implementation**: Tokens expire after an hour.

### Phase 2: Routes (type: general)

## Step 2.1: Log in

**Implementation**: `POST /login`.
",
    ),
    ("plans/oauth/design.md", "# Design\n"),
    ("plantools.toml", "[[gates]]\nid = \"dev\"\ninvocation = \"just dev\"\nwhen = [\"phase\"]\n"),
];

/// A session of `workflow`.
pub(crate) const WORKFLOW: &[(&str, &str)] = &[
    (
        ".workflow/active/WFS-auth/TODO_LIST.md",
        "# Tasks: Auth\n\n## Task Progress\n\n- [x] **IMPL-1**: Schema → [📋](./.task/IMPL-1.json) | [✅](./.summaries/IMPL-1-summary.md)\n- [ ] **IMPL-2**: Login → [📋](./.task/IMPL-2.json)\n",
    ),
    (
        ".workflow/active/WFS-auth/IMPL_PLAN.md",
        "# Plan\n\n## 4. Implementation Strategy\n\n**Execution Model**: Sequential\n",
    ),
    (".workflow/active/WFS-auth/workflow-session.json", r#"{"session_id":"WFS-auth","status":"active"}"#),
    (
        ".workflow/active/WFS-auth/.task/IMPL-1.json",
        r#"{"id":"IMPL-1","title":"Schema","status":"completed","meta":{"type":"feature","agent":"@code-developer"},"context":{"requirements":[],"acceptance":[]},"flow_control":{}}"#,
    ),
    (
        ".workflow/active/WFS-auth/.task/IMPL-2.json",
        r#"{
  "id": "IMPL-2", "title": "Login", "status": "pending",
  "meta": {"type": "feature", "agent": "@code-developer"},
  "context": {
    "requirements": ["POST /login answers 200 for a known user"],
    "focus_paths": ["src/auth"],
    "acceptance": ["2 routes: verify by grep -c 'route' src/auth/login.ts >= 2"],
    "depends_on": ["IMPL-1"],
    "inherited": {"from": "IMPL-1", "context": ["the schema is frozen"]},
    "artifacts": [{"type": "synthesis_specification", "source": "context-package.json → brainstorm_artifacts.synthesis_output", "path": "{{loaded dynamically from context-package.json}}", "priority": "highest"}]
  },
  "flow_control": {
    "pre_analysis": [
      {"step": "load_spec", "action": "Load the specification", "commands": ["Read({{context_package_path}})"], "output_to": "spec", "on_error": "skip_optional"},
      {"step": "find_patterns", "command": "bash(grep -rn [spec] src/auth)", "output_to": "patterns", "on_error": "fail"}
    ],
    "implementation_approach": [{"step": 1, "title": "Write the route", "description": "Follow [patterns]", "output": "implementation"}],
    "target_files": ["src/auth/login.ts:login:1-40"]
  }
}"#,
    ),
    (
        ".workflow/active/WFS-auth/.summaries/IMPL-1-summary.md",
        "# Task: IMPL-1 Schema\n\n## Outputs for Dependent Tasks\n\n- `users` has a `name`\n",
    ),
    (
        ".workflow/active/WFS-auth/.process/context-package.json",
        r#"{"brainstorm_artifacts":{"synthesis_output":{"path":".workflow/active/WFS-auth/.brainstorming/spec.md"},"role_analyses":[{"role":"architect","files":[{"path":".workflow/active/WFS-auth/.brainstorming/architect.md"}]}]}}"#,
    ),
    (".workflow/active/WFS-auth/.brainstorming/spec.md", "# Spec\n"),
];

/// A handoff packet, its todo list and its sessions.
pub(crate) const EXECUTE_TASK: &[(&str, &str)] = &[
    (
        ".kilocode/todo/kit-7.md",
        "[x] Runtime Model Report (record runtime model/mode)\n[ ] Pre-Execution Gate: Load and verify prep session\n[x] Subtask 1: Parse the file\n[ ] Subtask 2: Print the file\n[ ] Subtask 3: Add/update tests\n[ ] Subtask 4: Run quality gates\n[ ] Complete: Update beads and present results\n",
    ),
    (
        ".kilocode/handoff/kit-7.json",
        r#"{
  "handoff_schema": "composability.handoff_packet.v1",
  "task_id": "kit-7", "bead_id": "bd-42",
  "session_export": ".kilocode/thinking/task-kit-7-prep-2026-01-30.json",
  "decision": {"approach": "A streaming parser", "rationale": "Files may be large"},
  "success_criteria": ["`kit --version` prints a version"],
  "subtasks": [
    {"id": 1, "description": "Parse the file", "status": "complete", "files": ["src/parse.py"]},
    {"id": 2, "description": "Print the file", "files": ["src/show.py"], "success_criteria": ["`python3 -m kit.show x` → exit 0"], "constraints": ["Do not change src/parse.py"]}
  ],
  "files_touched": [{"path": "src/show.py", "purpose": "printing"}],
  "risks": [{"risk": "Wide characters", "mitigation": "Measure cells, not bytes"}],
  "evidence": [{"path": "docs/format.md", "purpose": "the format", "required": true}],
  "deliverables": [{"path": "src/show.py", "description": "prints", "must_create": true}]
}"#,
    ),
    (".kilocode/thinking/task-kit-7-prep-2026-01-30.json", SESSION),
    (".kilocode/thinking/execution-kit-7-subtask-1-2026-01-31.json", SESSION),
    (
        "plantools.toml",
        "[defaults]\npython_runner = \".venv/bin/python\"\n\n[[gates]]\nid = \"format\"\ninvocation = \"{{KFK_PYTHON_RUNNER}} -m ruff format --check .\"\nfix = \"{{KFK_PYTHON_RUNNER}} -m ruff format .\"\nwhen = [\"task\", \"end\"]\n\n[[gates]]\nid = \"tests\"\ninvocation = \"{{KFK_PYTHON_RUNNER}} -m pytest\"\ntimeout_seconds = 600\nstall_seconds = 60\nwhen = [\"end\"]\n\n[[profiles]]\nname = \"default\"\ntimeout_seconds = 300\nmax_retries = 1\n",
    ),
];

/// A complete session.
pub(crate) const SESSION: &str = r#"{"thoughts":[
{"thought":"What is asked","thoughtNumber":1,"totalThoughts":5,"nextThoughtNeeded":true,"stage":"Problem Definition","tags":["interpretation"],"timestamp":"2026-01-30T10:01:00.000000"},
{"thought":"Or is it","thoughtNumber":2,"totalThoughts":5,"nextThoughtNeeded":true,"stage":"Problem Definition","tags":["interpretation"],"timestamp":"2026-01-30T10:02:00.000000"},
{"thought":"One way","thoughtNumber":3,"totalThoughts":5,"nextThoughtNeeded":true,"stage":"Analysis","tags":["approach"],"timestamp":"2026-01-30T10:03:00.000000"},
{"thought":"Another way","thoughtNumber":4,"totalThoughts":5,"nextThoughtNeeded":true,"stage":"Analysis","tags":["approach"],"timestamp":"2026-01-30T10:04:00.000000"},
{"thought":"The way","thoughtNumber":5,"totalThoughts":5,"nextThoughtNeeded":false,"stage":"Conclusion","tags":["subtask-plan"],"timestamp":"2026-01-30T10:05:00.000000"}]}"#;
