"""Where a criterion can stand: each container makes one plan of many tasks, with one criterion below each."""

import re

# `title: command → want`, in one line and with nothing else.
PLAIN = re.compile(r"(?:(?P<title>[^`|]*?):? )?(?P<command>`[^`]+`)(?: → (?P<want>.+))?")

BESIDE = "`test -d .`"


class Container:
    """`head`, then `task` for each: {n} is its number, {first} and {rest} are the lines of the criterion."""

    def __init__(self, head, task, raw=False, lines=True, depth=0, file="PLAN.md", skip="", form=None, step=False):
        self.head, self.task, self.raw, self.lines, self.step = head, task, raw, lines, step
        self.depth, self.file, self.skip, self.form = depth, file, re.compile(skip) if skip else None, form

    def holds(self, text):
        """Whether an author could write it here."""
        if self.skip and self.skip.search(text):
            return False
        if self.form:
            found = PLAIN.fullmatch(text)
            wanted = {"want": lambda: found["want"] is not None, "bare": lambda: text == found["command"]}
            return found is not None and wanted[self.form]()
        return self.lines or "\n" not in text

    def one(self, number, text):
        first, *rest = text.split("\n")
        rest = "".join("\n" + (" " * self.depth + line if line else "") for line in rest)
        parts = {"title": "", "command": "", "want": ""}
        if found := PLAIN.fullmatch(text):
            parts = {key: value or "" for key, value in found.groupdict().items()}
        if "|" in self.task:
            first, parts = cell(first), {key: cell(value) for key, value in parts.items()}
        bare = parts["command"].strip("`")
        quoted = "'" + bare.replace("'", "''") + "'"
        return fill(self.task, n=str(number), first=first, rest=rest, text=text, bare=bare, quoted=quoted, **parts)

    def plan(self, texts):
        """The files of a plan: `texts` are pairs of number and text."""
        if "{n}" in self.file:
            return {fill(self.file, n=f"{n:03}"): self.one(n, text) for n, text in texts}
        tail = "\n</tasks>\n" if "<tasks>" in self.head else ""
        return {self.file: self.head + "".join(self.one(n, text) for n, text in texts) + tail}


def fill(pattern, **values):
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), pattern)


def cell(text):
    return text.replace("|", "\\|")


RUNBOOK = "---\nname: checks\nmodel: sonnet\n---\n\n# Runbook\n\n"
STEP = "## Step {n}: Case {n}\n\n**Objective**: a\n\n"
SUPERPOWERS = "# Checks Implementation Plan\n\n"
SUPERPOWERS_TASK = "### Task {n}: Case {n}\n\n"
LIST = "# Checks\n\n"
PLAN_MD = "# Checks\n\n## TODOs\n\n"
TODO = "### [ ] TODO {n}: Case {n}\n\n**Acceptance Criteria**:\n\n"
GSD = "---\nphase: 01-checks\nplan: 01\n---\n\n<tasks>\n"
GSD_TASK = "\n<task type=\"auto\">\n  <name>Task {n}: Case {n}</name>\n  <files>out-{n}</files>\n  <action>Make it.</action>\n"
TASK_FILE = "---\nid: \"{n}\"\ntitle: Case {n}\nstatus: pending\ndependencies: []\n"

CONTAINERS = {
    "checklist": Container(LIST, "- [ ] Case {n}\n  - Verify: {first}{rest}\n", depth=2),
    "checklist-accept": Container(LIST, "- [ ] Case {n}\n  - Acceptance:\n    - {first}{rest}\n", depth=4),
    "checklist-beside": Container(
        LIST, "- [ ] Case {n}\n  - Acceptance:\n    - " + BESIDE + "\n    - {first}{rest}\n", depth=4),
    "plan-md": Container(PLAN_MD, TODO + "*Functional:*\n- [ ] {first}{rest}\n\n"),
    "plan-md-plain": Container(PLAN_MD, TODO + "- {first}{rest}\n\n"),
    "plan-md-beside": Container(PLAN_MD, TODO + "- [ ] " + BESIDE + "\n- [ ] {first}{rest}\n\n"),
    "spec-kit": Container(
        "# Tasks: Checks\n\n## Phase 1: Setup\n\n", "- [ ] T{n} [P] Case {n}\n  - Verify: {first}{rest}\n", depth=2),
    "kiro": Container(
        "# Implementation Plan\n\n", "- [ ] {n}. Case {n}\n  - Verify: {first}{rest}\n  - _Requirements: 1.1_\n", depth=2),
    "openspec": Container("## 1. Checks\n\n", "- [ ] 1.{n} Case {n}\n  - Verify: {first}{rest}\n", depth=2),
    # A box is a step of the work there, and a check only where it states a result.
    "ralphex": Container(LIST, "### Task {n}: Case {n}\n\n- [ ] {first}{rest}\n\n", step=True),
    "gsd": Container(GSD, GSD_TASK + "  <verify>{text}</verify>\n</task>\n", lines=False, skip="<"),
    "taskmd": Container(
        "", TASK_FILE + "---\n\n# Case {n}\n\n## Acceptance Criteria\n\n- [ ] {first}{rest}\n", file="plan/{n}.md"),
    "tracker": Container(
        LIST + "| ID | Task | Status | Verify |\n|---|---|---|---|\n", "| {n} | Case {n} | todo | {first} |\n", lines=False),
    "runbook": Container(RUNBOOK, STEP + "**Validation**:\n- {first}{rest}\n\n"),
    # Made from title, command and result.
    "table": Container(
        PLAN_MD, TODO + "| Check | Command | Expected |\n|---|---|---|\n| {title} | {command} | {want} |\n\n", form="want"),
    "superpowers": Container(
        SUPERPOWERS, SUPERPOWERS_TASK + "- [ ] **Step 1: {title}**\n\nRun: {command}\nExpected: {want}\n\n", form="want", step=True),
    # A command alone.
    "gsd-automated": Container(
        GSD, GSD_TASK + "  <verify>\n    <automated>{bare}</automated>\n  </verify>\n</task>\n", form="bare", skip="<"),
    "front-matter-run": Container(
        "", TASK_FILE + "verify:\n  - type: bash\n    run: {quoted}\n---\n\n# Case {n}\n", form="bare", file="plan/{n}.md"),
    # The text as it stands.
    "plan-md-raw": Container(PLAN_MD, TODO + "{text}\n\n", raw=True),
    "checklist-raw": Container(LIST, "- [ ] Case {n}\n{text}\n", raw=True),
    "superpowers-step": Container(SUPERPOWERS, SUPERPOWERS_TASK + "- [ ] **Step 1: Verify**\n\n{text}\n\n", raw=True),
    "gsd-task": Container(GSD, GSD_TASK + "{text}\n</task>\n", raw=True),
    "runbook-step": Container(RUNBOOK, STEP + "{text}\n\n", raw=True),
    "front-matter": Container("", TASK_FILE + "{text}\n---\n\n# Case {n}\n", raw=True, file="plan/{n}.md"),
}

# Where a text stands that does not say it itself.
UNUSUAL = ("plan-md-beside", "checklist-beside", "runbook")
USUAL = [name for name, container in CONTAINERS.items() if not container.raw and name not in UNUSUAL]
