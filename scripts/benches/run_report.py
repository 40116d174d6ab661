"""The page of a plan of 10,000 tasks with a ledger of 1,000,000 records, beside the digest of that ledger."""
import hashlib
import json
import pathlib
import statistics
import subprocess

from benches.measure import spent

RUN = "r1"


def rows(bench):
    tasks, records = bench.size(10_000, 1_000), bench.size(1_000_000, 100_000)
    tool, parse = bench.tool("run-report"), bench.tool("plan-parse")
    folder = bench.work / "long-report"
    ledger = bench.file("long-report/.plantools/ledger.ndjson", lambda path: make(path, parse, tasks, records))
    plan = str(folder / "PLAN.md")
    size = pathlib.Path(ledger).stat().st_size
    what = f"{tasks:,} tasks, {records:,} records"
    report = lambda form: [tool, "--final", plan, "--format", form, "--now", "2026-02-01T00:00:00Z"]
    # The chain is checked, so that no report can take less than the digest of the ledger.
    for form in ("html", "json"):
        bench.pair(f"{what} → {form}", report(form), ["sha256sum", ledger], 6, "sha256sum", rounds=9, input_bytes=size)
    took = statistics.median(spent(report("html"))[0] for _ in range(5))
    bench.limit(f"{what} → html", took, "s", 3.0)


def make(path, parse, tasks, records):
    """A plan of waves of a hundred tasks, and attempts at them until there are enough records."""
    plan = path.parent.parent / "PLAN.md"
    lines = ["# A long plan", "", "## Dependency Graph", "", "| TODO | Requires (Inputs) | Produces (Outputs) | Type |", "|---|---|---|---|"]
    lines += [f"| {n} | {f'`todo-{n - 100}.made`' if n > 100 else '-'} | `made` (file) | work |" for n in range(1, tasks + 1)]
    lines += ["", "## TODOs", ""]
    for n in range(1, tasks + 1):
        lines += [f"### [x] TODO {n}: Make part {n} of the whole", "", "**Type**: work", "", "**Outputs**:", "- `made` (file): `made.txt`",
                  "", "**Acceptance Criteria**:", "", "*Functional:*", "- [x] It is there: `test -f made.txt`", ""]
    plan.write_text("\n".join(lines))
    parsed = json.loads(subprocess.run([parse, "--quiet", str(plan)], check=True, capture_output=True).stdout)
    prints = [task["fingerprint"] for task in parsed["tasks"]]
    with open(path, "w") as out:
        chain = Chain(out, prints)
        # Each task has its share: attempts that fail, and at last one that is ticked.
        share = records // tasks
        for n in range(1, tasks + 1):
            attempts = (share - 1) // 8
            for attempt in range(1, attempts + 1):
                chain.attempt(n, attempt, passes=attempt == attempts, checks=5)
            chain.add(n, "tick", str(n), attempts, '{"tick":{"changed":true}}')
            while chain.seq < n * share:
                chain.add(n, "step_complete", "noted", attempts, "{}")


class Chain:
    def __init__(self, out, prints):
        self.out, self.prints, self.seq, self.head = out, prints, 0, "0" * 64

    def add(self, task, kind, key, attempt, data):
        self.seq += 1
        second = self.seq // 20
        text = (f'{{"schema":"punch/1","seq":{self.seq},"plan":"PLAN.md","task":"{task}","fingerprint":"{self.prints[task - 1]}",'
                f'"attempt":{attempt},"run":"{RUN}","type":"{kind}","key":"{key}","observed_at":"2026-01-{1 + second // 86400:02d}T'
                f'{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z","source":{{"kind":"gate"}},"trust":"observed",'
                f'"data":{data},"prev":"{self.head}"')
        self.head = hashlib.sha256(text.encode()).hexdigest()
        self.out.write(f'{text},"hash":"{self.head}"}}\n')

    def attempt(self, task, attempt, passes, checks):
        self.add(task, "attempt_begin", "shell", attempt, '{"worker":"shell","pid":1,"start_time":1}')
        self.add(task, "attempt_end", "shell", attempt, '{"status":"SUCCESS","outcome":"done","duration_ms":1200,"changed_files":["made.txt"]}')
        for check in range(1, checks + 1):
            ok = passes or check > 1
            gate = ('{"gate":{"run_timestamp":"2026-01-01T00:00:00Z","gate_id":"1:1","elapsed_seconds":0.25,"invocation":"test -f made.txt",'
                    f'"measured":"exit {0 if ok else 1}","last_output_lines":{"[]" if ok else json.dumps(["no such file"])}}}}}')
            self.add(task, "gate_pass" if ok else "gate_fail", f"{task}:{check}", attempt, gate)
        if not passes:
            halt = '{"halt":{"stage":"gate-run","code":"checks-failed","category":"code_error","message":"checks failed","retry":true,"counts":true}}'
            self.add(task, "halt", "checks-failed", attempt, halt)
