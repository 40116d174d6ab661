"""Workers, honest and not: each is a program whose head says what must come of it."""

import json
import pathlib
import re

from bench import HERE, Bench

PLAN = """# Small

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
| 1 | `feat: make it` | `made.txt` | always |

## TODOs

### [ ] TODO 1: Make it

**Type**: work

**Outputs**:
- `made` (file): `made.txt` - what was made

**Must NOT do**:
- Do not change `tests/check.sh`

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f made.txt`
- [ ] It is done: `sh tests/check.sh` → exit 0
"""

CHECK = "test \"$(cat made.txt)\" = done\n"

CONFIG = """[defaults]
timeout_seconds = 5

[workers.kit]
command = ["../home/worker"]
timeout_seconds = 4
stall_seconds = 2
"""


class Worker:
    """A program of `workers/` with what its head says."""

    def __init__(self, path):
        self.path, self.name = path, path.name
        self.trait = path.read_text().splitlines()[1].removeprefix("# ")
        head = re.findall(r"^# ([a-z]+): (.*)$", path.read_text(), re.M)
        says = dict(head)
        self.honest = says["verdict"] == "done"
        self.exit = says.get("exit", "0" if self.honest else "5").split()
        # A worker that kills its watcher, or takes what they need away, ends the machinery: no record can be asked for.
        self.record = says.get("record", "halt" if "any" not in self.exit else "any")
        self.secret = says.get("secret", "").encode()
        self.halts = [halt for key, halt in head if key == "halt"]
        self.attempts = says.get("attempts", "1")
        self.within = int(says.get("within", "20"))
        self.commits = says.get("commits", "feat: make it" if self.honest else "")
        self.outside = says.get("outside", "").split()
        self.survivors = "survivors" in says
        # Further arguments of the run, and the boxes that a worker may tick by its own tricks: none.
        self.args = says.get("args", "").split()

    def misses(self, tool):
        """Runs it, and says everything that is not as it must be."""
        with Bench(tool) as bench:
            bench.repository()
            bench.write("PLAN.md", PLAN)
            bench.write("tests/check.sh", CHECK)
            bench.write("plantools.toml", CONFIG)
            bench.write("../home/victim", "untouched\n")
            bench.write("../home/worker", self.path.read_bytes(), 0o755)
            bench.commit_all()
            before = bench.outside()
            more = {"CONFORMANCE_WORKER": str(bench.top / "home/worker"), "CONFORMANCE_REPO": str(bench.repo)}
            args = ("--worker", "kit", "--max-attempts", self.attempts, *self.args, "PLAN.md")
            ended = bench.orchestrate(*args, within=self.within, **more)
            left = bench.processes()
            bench.kill_all()
            return list(self.judge(bench, ended, left, before)), ended.seconds

    def judge(self, bench, ended, left, before):
        if ended.code is None:
            yield f"not ended after {self.within} s"
        elif str(ended.code) not in self.exit and not ("any" in self.exit and ended.code != 0):
            yield f"exit {ended.code}, not {self.exit}: {ended.text()[-300:]}"
        plan = bench.repo / "PLAN.md"
        text = plan.read_text(errors="replace") if plan.is_file() and not plan.is_symlink() else "(no plan)"
        wanted = PLAN.replace("[ ]", "[x]") if self.honest else PLAN
        if text != wanted:
            yield "a false tick" if "### [x]" in text else "the box is open" if self.honest else "another plan"
        if b"\x1b" in ended.out + ended.err:
            yield "escapes reach the terminal"
        if left and not self.survivors:
            yield f"processes left: {left}"
        new = {name for name, data in bench.outside().items() if before.get(name) != data}
        new = sorted(name for name in new if not name.startswith(tuple(self.outside)))
        if new:
            yield f"written outside: {new}"
        if self.secret and any(self.secret in file.read_bytes() for file in kept_files(bench)):
            yield "a secret is kept"
        commits = [name for name in self.commits.split(" | ") if name]
        got = bench.subjects()[2:]
        if [name for name in got if not name.startswith("chore(")] != commits:
            yield f"commits {got}, not {commits}"
        if not self.honest and "feat: make it" in got:
            yield "a false commit"
        if bench.tool.has("punch"):
            yield from self.judge_ledger(bench)

    def judge_ledger(self, bench):
        verify = bench.run(str(bench.tool.folder / "punch"), "verify")
        if verify.code != 0 and self.record != "none":
            yield f"the ledger is not whole: {verify.text()[-200:]}"
        listed = bench.run(str(bench.tool.folder / "punch"), "list").out.decode(errors="replace")
        records = [json.loads(line) for line in listed.splitlines()]
        halts = [record["data"]["halt"] for record in records if record["type"] == "halt"]
        got = [f"{halt['stage']} {halt['code']}" for halt in halts]
        if self.halts and sorted(set(got)) != sorted(set(self.halts)):
            yield f"halts {got}, not {self.halts}"
        if not self.honest and not got and self.record == "halt":
            yield "no halt is on record"
        ticks = [record for record in records if record["type"] == "tick"]
        if bool(ticks) != self.honest and self.record != "none":
            yield f"{len(ticks)} ticks on record"


def kept_files(bench):
    return [path for path in (bench.repo / ".plantools").rglob("*") if path.is_file() and not path.is_symlink()]


def all_workers():
    return [Worker(path) for path in sorted(pathlib.Path(HERE / "workers").iterdir())]
