"""How many tasks a second runs that share one plan can claim, from 1 to 200 of them, and what stops more.

Every claim is that of a real `worker-run --shared` whose worker does nothing: it looks at the ledger, makes the task's
worktree, hashes it, and writes the record that begins the attempt under the ledger's lock. What each waits for is seen
from outside, with strace. The limit beside it is how often the disk syncs, measured in the same run.
"""
import collections
import hashlib
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import time

FILES = 20
# Growth has stopped where this part of the most is reached.
NEAR = 0.9
# For how long a tool waits for a lock while holders come and go; beyond it runs would end with 75.
PATIENCE_MS = 20 * 30_000
CALL = re.compile(r"^([0-9.]+) (flock|fdatasync|close)\(\d+<(?:.*/)?([^/>]+)>.* = (-?\d+)\b.*<([0-9.]+)>$")


def rows(bench):
    levels = bench.size([1, 2, 5, 10, 20, 50, 100, 200], [1, 2, 5, 10, 20])
    field = Field(bench, levels[-1], few=bench.size(40, 20))
    rate, wrong = {}, 0
    for workers in levels:
        field.reset()
        rate[workers] = field.claims(workers) / field.run(workers)
        wrong += field.wrong(workers)
    bench.curves.append({"what": "A claim, by workers on one ledger",
                         "points": [{"size": n, "ms": 1000 / rate[n], "memory_mb": 0} for n in levels]})
    bench.limit(f"{levels[0]} to {levels[-1]} workers: claims lost or made twice", wrong, "claims", 0)
    print("     workers  " + " ".join(f"{n:>6}" for n in levels))
    print("     claims/s " + " ".join(f"{rate[n]:6.1f}" for n in levels))
    stops(bench, levels, rate, synced(field.place), waiting(bench, field, levels))
    lengths(bench, field)


def stops(bench, levels, rate, syncs, waits):
    """Where more workers bring no more, and what of."""
    most, last = max(rate.values()), levels[-1]
    top = next(n for n in levels if rate[n] >= NEAR * most)
    bench.at_least(f"claims/s of {last} workers beside the most", rate[last] / most, "of it", 0.5)
    bench.limit("claims/s at most beside what the disk syncs", most / syncs, "of it", 1)
    print(f"     it grows up to {top} workers: {rate[top]:.1f} claims/s, {rate[top] / rate[levels[0]]:.1f} x one worker, on "
          f"{os.cpu_count()} cores; the disk syncs {syncs:.0f} lines/s")
    if not waits:
        return
    for n, wait in waits.items():
        locks = ", ".join(f"'{name}' {ms:.1f} ms" for name, ms in wait.each.most_common(3))
        print(f"     {n:>4} workers: a claim waits for {locks}; the ledger's lock is held for {wait.held:.2f} ms a record, "
              f"{wait.sync:.2f} ms of it for the sync")
    wait = waits[last]
    name, ms = wait.each.most_common(1)[0]
    why = f"the lock '{name}'" if ms > wait.whole / 2 else "not the locks but the cores: a claim starts git eleven times"
    print(f"     what stops it: {why}; a claim of {last} workers waits for '{name}' {ms / wait.whole:.0%} of its time")
    bench.limit(f"{last} workers: the longest wait for a lock", wait.longest, "ms", PATIENCE_MS)
    bench.at_least("records/s that the ledger's lock lets through, beside twice the claims/s",
                   1000 / max(each.held for each in waits.values()) / (2 * most), "x", 1)


def lengths(bench, field):
    """One worker on ledgers of other lengths: what it reads of them costs time, that of the processor and no other."""
    sizes = bench.size([0, 10_000, 100_000], [0, 5_000])
    few, took = 5, {}
    for size in sizes:
        field.reset(size)
        before = processor()
        field.run(1, few)
        took[size] = 1000 * (processor() - before) / few
    print("     " + ", ".join(f"{size:,} records before it: {took[size]:.0f} ms of a core a claim" for size in sizes))
    each = 1000 * (took[sizes[-1]] - took[0]) / sizes[-1]
    bench.limit("a claim, for each record before it", each, "us", 20)


def processor():
    """Seconds that our children have spent on a core."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


class Field:
    """A repository with a plan, and an order for each of its tasks, as they are handed to workers."""

    def __init__(self, bench, most, few):
        self.worker_run, self.few = bench.tool("worker-run"), few
        self.place, self.template = bench.work / "scale", bench.work / "scale-template"
        self.ledger = self.place / ".plantools/ledger.ndjson"
        self.place.mkdir()
        git = ["git", "-C", str(self.place)]
        subprocess.run([*git, "init", "--quiet"], check=True)
        for key, value in (("user.name", "bench"), ("user.email", "bench@example.invalid")):
            subprocess.run([*git, "config", key, value], check=True)
        for number in range(FILES):
            (self.place / f"file{number}.txt").write_text(f"{number}\n" * 40)
        (self.place / "PLAN.md").write_text("# Work\n\n## TODOs\n\n" + "".join(
            f"### [ ] TODO {n}: part {n}\n\n**Type**: work\n\n```sh\ntrue\n```\n\n"
            f"**Acceptance Criteria**:\n- [ ] Part {n}: `test -d .` → exit 0\n\n" for n in range(1, most + 1)))
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", "start"], check=True)
        line = (f"'{bench.tool('plan-parse')}' --quiet PLAN.md | '{bench.tool('dag-next')}' --jobs {most} "
                f"| '{bench.tool('handoff')}'")
        told = subprocess.run(["sh", "-c", line], cwd=self.place, check=True, capture_output=True, text=True).stdout
        *self.orders, self.end = told.splitlines()
        shutil.copytree(self.place, self.template, symlinks=True)

    def reset(self, records=0):
        """As it was before any claim, with so many records of another plan."""
        shutil.rmtree(self.place)
        shutil.copytree(self.template, self.place, symlinks=True)
        if records:
            self.ledger.parent.mkdir(mode=0o700, exist_ok=True)
            self.ledger.write_text("".join(older(records)))
        os.sync()

    def claims(self, workers):
        """How many claims so many workers make: each at least one."""
        return max(workers, self.few)

    def run(self, workers, claims=None, before=lambda _: []):
        """So many workers at once with an equal part of the orders each; seconds until the last has ended."""
        files = []
        for n in range(workers):
            part = self.place.parent / f"orders-{n}"
            part.write_text("".join(f"{line}\n" for line in [*self.orders[:claims or self.claims(workers)][n::workers], self.end]))
            files.append(open(part, "rb"))
        running = []
        start = time.perf_counter()
        for n, part in enumerate(files):
            command = [*before(n), self.worker_run, "--shared", "--worker", "shell", "--isolate", "worktree"]
            running.append(subprocess.Popen(command, cwd=self.place, stdin=part, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL))
        failed = [child.returncode for child in running if child.wait() != 0]
        took = time.perf_counter() - start
        for part in files:
            part.close()
        if failed:
            raise SystemExit(f"bench: worker-run: exit {failed[0]}")
        return took

    def wrong(self, workers):
        """Tasks that were not begun exactly once."""
        begun = collections.Counter(record["task"] for record in map(json.loads, self.ledger.read_text().splitlines())
                                    if record["type"] == "attempt_begin")
        return sum(abs(begun[json.loads(order)["task"]["id"]] - 1) for order in self.orders[:self.claims(workers)])


Wait = collections.namedtuple("Wait", "each longest held sync whole")


def waiting(bench, field, levels):
    """What a claim waits for, by lock, in milliseconds; in runs of their own, since being watched takes time."""
    strace = bench.peer("strace", apt="strace")
    if not strace:
        return {}
    waits = {}
    for workers in levels:
        field.reset()
        traces = bench.work / "traces"
        traces.mkdir()
        took = field.run(workers, before=lambda n: [strace, "-y", "-ttt", "-T", "-e", "trace=flock,fdatasync,close", "-o", traces / str(n)])
        waits[workers] = told(traces, field.claims(workers), 1000 * took * workers / field.claims(workers))
        shutil.rmtree(traces)
    return waits


def told(traces, claims, whole):
    """A lock is asked for again and again until it is had: from the first no to the yes is the wait, from there to where
    its file is closed it is held."""
    each, longest, held, syncs = collections.Counter(), 0, [], []
    for trace in traces.iterdir():
        since, had = {}, {}
        for call in filter(None, map(CALL.match, trace.read_text(errors="replace").splitlines())):
            at, name, file, answer, took = float(call[1]), call[2], call[3], int(call[4]), float(call[5])
            if name == "fdatasync" and file == "ledger.ndjson":
                syncs.append(1000 * took)
            elif name == "flock" and answer < 0:
                since.setdefault(file, at)
            elif name == "flock":
                waited = 1000 * (at - since.pop(file, at))
                longest = max(longest, waited)
                each[file] += waited / claims
                had[file] = at
            elif name == "close" and file == "ledger" and file in had:
                held.append(1000 * (at - had.pop(file)))
    return Wait(each, longest, statistics.median(held or [0]), statistics.median(syncs or [0]), whole)


def synced(place):
    """How many lines of a record's length the disk syncs in a second."""
    line, count = b"x" * 1000 + b"\n", 200
    path = place / "synced"
    with open(path, "ab", buffering=0) as file:
        start = time.perf_counter()
        for _ in range(count):
            file.write(line)
            os.fdatasync(file.fileno())
        took = time.perf_counter() - start
    path.unlink()
    return count / took


def older(count):
    """Records of a plan that was carried out before, in one chain."""
    prev = "0" * 64
    for seq in range(1, count + 1):
        record = {"schema": "punch/1", "seq": seq, "plan": "OLD.md", "task": str(seq // 6), "fingerprint": "0" * 64,
                  "attempt": 1, "run": "old", "type": "gate_pass", "key": f"{seq}:1", "observed_at": "2026-01-01T00:00:00Z",
                  "source": {"kind": "gate"}, "trust": "observed", "data": {"note": "x" * 500}, "prev": prev}
        body = json.dumps(record, separators=(",", ":"))[:-1]
        prev = hashlib.sha256(body.encode()).hexdigest()
        yield f'{body},"hash":"{prev}"}}\n'
