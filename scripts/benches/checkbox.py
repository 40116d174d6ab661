"""One tick as a stage in a 1 MB file, a thousand in a row and synced, beside `sed -i`; and 64 writers at once."""
import hashlib
import json
import os
import re
import shutil
import subprocess

WRITERS = 64


def rows(bench):
    checkbox = bench.tool("checkbox")
    count = bench.size(1000, 200)
    place = bench.work / "ticks"
    place.mkdir()
    plan, orders, ledger = make(bench, place, count)
    (place / ".plantools").mkdir(mode=0o700)
    clean = plan.read_bytes()

    def before():
        plan.write_bytes(clean)
        (place / ".plantools/ledger.ndjson").write_bytes(ledger)
        os.sync()

    def ours():
        # A thousand orders through one stage, as in a pipe.
        with open(orders, "rb") as source:
            subprocess.run([checkbox], stdin=source, stdout=subprocess.DEVNULL, cwd=place, check=True)

    def sed():
        for n in range(1, count + 1):
            subprocess.run(["sed", "-i", f"s/^### \\[ \\] TODO {n}:/### [x] TODO {n}:/", str(plan)], check=True)

    before()
    ours()
    ticked = plan.read_bytes()
    lost = count - len(re.findall(rb"^### \[x\] TODO", ticked, re.M))
    bench.limit(f"boxes lost of {count:,}", lost, "boxes", 0)
    bench.pair(f"{count:,} ticks in a row, 1 MB, synced", ours, sed, 0.5, "sed -i", rounds=bench.size(5, 3), before=before)
    at_once(bench, checkbox)


def at_once(bench, checkbox):
    """64 processes tick 64 boxes of one file at once, against the same one after the other."""
    place = bench.work / "writers"
    place.mkdir()
    plan = place / "PLAN.md"
    clean = "".join(f"- [ ] {n}. task number {n}\n" for n in range(1, WRITERS + 1))
    lost = 0

    def command(n):
        return [checkbox, "tick", str(n), "--reason", "bench", "PLAN.md"]

    def before():
        plan.write_text(clean)
        shutil.rmtree(place / ".plantools", ignore_errors=True)

    def together():
        nonlocal lost
        running = [subprocess.Popen(command(n), cwd=place, stdout=subprocess.DEVNULL) for n in range(1, WRITERS + 1)]
        for child in running:
            lost += child.wait() != 0
        lost += plan.read_text().count("[ ]")

    def one_by_one():
        for n in range(1, WRITERS + 1):
            subprocess.run(command(n), cwd=place, stdout=subprocess.DEVNULL, check=True)

    bench.pair(f"{WRITERS} writers at once", together, one_by_one, 3, "one after the other", before=before)
    bench.limit(f"ticks lost by {WRITERS} writers at once", lost, "ticks", 0)


def make(bench, place, count):
    """A plan of 1 MB, an order for each of its tasks, and a ledger that proves them all."""
    filler = "Some words of explanation that a worker needs to know.\n" * max(1, (1 << 20) // count // 56 - 4)
    sections = []
    for n in range(1, count + 1):
        sections.append(f"### [ ] TODO {n}: Task {n}\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n"
                        f"*Functional:*\n- It holds: `test -e .`\n\n{filler}\n")
    plan = place / "PLAN.md"
    plan.write_text("# Bench\n\n## TODOs\n\n" + "".join(sections))
    parsed = json.loads(subprocess.run([bench.tool("plan-parse"), str(plan)], check=True, capture_output=True).stdout)
    root = str(place.resolve())
    lines, records, prev = [], [], "0" * 64
    for seq, task in enumerate(parsed["tasks"], 1):
        order = {"schema": "order/1", "run": "bench", "task": task, "attempt": 1, "why": {"ready": "no dependencies"},
                 "plan": {"path": "PLAN.md", "dialect": "plan-md", "root": root}}
        lines.append(json.dumps(order))
        criterion = task["criteria"][0]
        digest = hashlib.sha256(f"{criterion['command']}\0{criterion.get('expect', {}).get('text', '')}".encode()).hexdigest()
        record = {"schema": "punch/1", "seq": seq, "plan": "PLAN.md", "task": task["id"], "fingerprint": task["fingerprint"],
                  "attempt": 1, "run": "bench", "type": "gate_pass", "key": criterion["id"],
                  "observed_at": "2026-01-01T00:00:00Z", "source": {"kind": "gate"}, "trust": "observed",
                  "source_hash": digest, "prev": prev}
        body = json.dumps(record, separators=(",", ":"))[:-1]
        prev = hashlib.sha256(body.encode()).hexdigest()
        records.append(f'{body},"hash":"{prev}"}}\n')
    lines.append(json.dumps({"schema": "end/1", "answer": "more", "orders": count}))
    orders = place / "orders"
    orders.write_text("\n".join(lines) + "\n")
    return plan, orders, "".join(records).encode()
