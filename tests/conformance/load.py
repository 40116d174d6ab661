"""Load: many writers of one plan and one ledger, many runs in one repository, a long plan."""

import hashlib
import json
import os
import time

from bench import Bench

ITEM = "- [ ] task {n}\n"


def many_writers(tool, writers=64):
    """As many processes as that tick one box each and punch one record each: no write is lost."""
    with Bench(tool) as bench:
        bench.repository()
        bench.write("PLAN.md", "# Many\n\n" + "".join(ITEM.format(n=n) for n in range(1, writers + 1)))
        bench.commit_all()
        box = str(tool.folder / "checkbox")
        begun = time.monotonic()
        running = [bench.start(box, "tick", str(n), "--reason", "load", "PLAN.md") for n in range(1, writers + 1)]
        codes = [process.wait(120) for process in running]
        text = (bench.repo / "PLAN.md").read_text()
        found = [] if not any(codes) else [f"exit codes {sorted(set(codes))}"]
        if text.count("- [x]") != writers:
            found.append(f"{text.count('- [x]')} of {writers} ticks are there")
        records = ledger(bench)
        ticks = [record["task"] for record in records if (record["type"], record["key"]) == ("override", "tick")]
        if sorted(ticks, key=int) != [str(n) for n in range(1, writers + 1)]:
            found.append(f"{len(ticks)} ticks on record")
        return found + whole(bench), time.monotonic() - begun


def many_runs(tool, runs=8):
    """As many plans in one repository, each in a worktree and a branch of its own, carried out at once: each to its end."""
    with Bench(tool) as bench:
        bench.repository()
        for run in range(runs):
            tasks = "".join(task(n, f"{run}-{n}.txt") for n in (1, 2))
            bench.write(f"plans/{run}/PLAN.md", "# Load\n\n## TODOs\n\n" + tasks)
        bench.commit_all()
        trees = [bench.top / f"tree-{run}" for run in range(runs)]
        for run, tree in enumerate(trees):
            bench.git("worktree", "add", "--quiet", str(tree), "-b", f"run-{run}")
        begun = time.monotonic()
        args = (str(tool.orchestrate), "--worker", "shell")
        running = [bench.start(*args, str(tree / f"plans/{run}/PLAN.md"), cwd=tree) for run, tree in enumerate(trees)]
        codes = [process.wait(240) for process in running]
        found = [] if not any(codes) else [f"exit codes {codes}"]
        for run, tree in enumerate(trees):
            if "[ ]" in (tree / f"plans/{run}/PLAN.md").read_text():
                found.append(f"plan {run} is not done")
            found += whole(bench, tree)
        bench.git("fsck", "--strict")
        return found, time.monotonic() - begun


def long_plan(tool):
    """A plan of many tasks of one file each, to its end. CONFORMANCE_TASKS says how many."""
    count = int(os.environ.get("CONFORMANCE_TASKS", "40"))
    with Bench(tool) as bench:
        bench.repository()
        bench.write("PLAN.md", "# Long\n\n## TODOs\n\n" + "".join(task(n, f"{n}.txt") for n in range(1, count + 1)))
        bench.commit_all()
        ended = bench.orchestrate("--worker", "shell", "--jobs", "32", "PLAN.md", within=60 + 4 * count)
        text = (bench.repo / "PLAN.md").read_text()
        found = [] if ended.code == 0 else [f"exit {ended.code}: {ended.text()[-300:]}"]
        if (done := text.count("### [x]")) != count:
            found.append(f"{done} of {count} tasks are ticked")
        return found + whole(bench), ended.seconds


def long_ledger(tool):
    """A plan behind a day of records of other plans: still carried out, still whole. CONFORMANCE_PUNCHES says how many."""
    count = int(os.environ.get("CONFORMANCE_PUNCHES", "20000"))
    with Bench(tool) as bench:
        bench.repository()
        bench.write("PLAN.md", "# Late\n\n## TODOs\n\n" + task(1, "1.txt") + task(2, "2.txt"))
        bench.write(".plantools/.gitignore", "*\n")
        with open(bench.repo / ".plantools/ledger.ndjson", "w") as out:
            for line in records_of_a_day(count):
                out.write(line)
        bench.commit_all()
        ended = bench.orchestrate("--worker", "shell", "PLAN.md", within=600)
        found = [] if ended.code == 0 else [f"exit {ended.code}: {ended.text()[-300:]}"]
        if "[ ]" in (bench.repo / "PLAN.md").read_text():
            found.append("the plan is not done")
        return found + whole(bench), ended.seconds


def records_of_a_day(count):
    """Records of attempts at many tasks of another plan, chained."""
    before = "0" * 64
    kinds = ("attempt_begin", "attempt_end", "gate_pass", "tick")
    for seq in range(1, count + 1):
        record = {
            "schema": "punch/1", "seq": seq, "plan": "OLD.md", "task": str(seq // 4), "fingerprint": f"fp1:{seq // 4:064x}",
            "attempt": 1, "run": "r-old", "type": kinds[seq % 4], "key": "shell",
            "observed_at": f"2026-01-01T{seq * 86 // 1000 // 3600 % 24:02}:{seq * 86 // 1000 // 60 % 60:02}:{seq * 86 // 1000 % 60:02}Z",
            "tree": None, "source": {"kind": "supervisor"}, "trust": "observed", "data": {"outcome": "done", "exit": 0},
            "source_hash": None, "prev": before,
        }
        text = json.dumps(record, separators=(",", ":"))[:-1]
        before = hashlib.sha256(text.encode()).hexdigest()
        yield f'{text},"hash":"{before}"}}\n'


def task(number, makes):
    return (f"### [ ] TODO {number}: Task {number}\n\n**Type**: work\n\n```sh\necho done > {makes}\n```\n\n"
            f"**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -f {makes}` → exit 0\n\n")


def ledger(bench):
    listed = bench.run(str(bench.tool.folder / "punch"), "list").out.decode(errors="replace")
    return [json.loads(line) for line in listed.splitlines()]


def whole(bench, tree=None):
    verify = bench.run(str(bench.tool.folder / "punch"), "verify", cwd=tree)
    return [] if verify.code == 0 else [f"the ledger is not whole: {verify.text()[-300:]}"]


ALL = {"64 writers of one plan": many_writers, "8 runs in one repository": many_runs, "a long plan": long_plan,
       "a long ledger": long_ledger}
