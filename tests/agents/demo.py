"""Carries the plan to its end with each client: plainly, with an overloaded service, a silent one, and `kill -9`.

    demo.py CACHE [CLI…]        CACHE has the clients that `scripts/agents-demo` installed
"""

import fcntl
import os
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from pathlib import Path

from clients import HOOK_LOG, named
from run import Missed, Run, check, expect, tokens, wait_for

HANG = {"fault": "hang", "times": 1}


def plainly(make):
    """Hooks are on where the client has them; there the model wants to end too early, and the hook holds it up."""
    run = make(hooks=True, manner="hasty" if make.client.hook else None)
    run.orchestrate()
    expect("attempts", len(run.records("attempt_begin")), 3)
    if make.client.hook:
        said = (run.home / HOOK_LOG).read_text()
        for word in ("FAILED", "VERIFIED"):
            expect(f"hooks that said {word}", said.count(f"status: {word}"), 3)
    return run


def overloaded(make):
    """The service is overloaded for a while; nobody is to blame, so no attempt is spent. The model forgets its answer
    too, where it can be asked for it once more."""
    overload = {"fault": 529, "times": make.client.overloads}
    run = make(faults={2: overload}, manner="forgetful" if make.client.resumes else None)
    run.orchestrate()
    expect("answers with 529", run.served(529), make.client.overloads)
    halts = [record["data"]["halt"] for record in run.records("halt")]
    expect("attempts spent", [halt["code"] for halt in halts if halt["counts"]], [])
    return run


def silent(make):
    """The service says nothing: our own clock ends the client, and the next attempt does the task."""
    run = make(faults={2: HANG}, timeout_seconds=make.patience)
    run.orchestrate()
    expect("failures", failures(run), ["timeout"])
    return run


def killed(make):
    """The client is killed in the middle of its work; then we are, with every stage."""
    run = make(faults={2: HANG, 3: HANG})
    first = run.start()
    wait_for("the second task", lambda: run.served("hang") == 1, first)
    for process in clients_of(run, first.pid):
        os.kill(process, signal.SIGKILL)
    wait_for("the third task", lambda: run.served("hang") == 2, first)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    wait_for("the client to end with us", lambda: not run.processes())
    run.orchestrate()
    expect("failures", failures(run), ["crashed"])
    expect("attempts without an end", len(run.records("attempt_begin")) - len(run.records("attempt_end")), 1)
    return run


def failures(run):
    """Attempts that came to no good end. One after another that was stopped may find its file written already."""
    return [r["outcome"] for r in run.results() if r["outcome"] not in ("done", "no_change")]


def clients_of(run, group):
    """The processes that are the client's: all of the run's but our own tools."""
    ours = {process for process in run.processes() if os.getpgid(process) == group}
    tools = {path.name for path in Path(os.environ["PLANTOOLS_BIN"]).iterdir()}
    return [process for process, name in run.processes().items() if process not in ours and name not in tools]


RUNS = [("plan", plainly), ("529", overloaded), ("hang", silent), ("kill", killed)]


class Make:
    """Makes the runs of one client, each in a folder of its own."""

    def __init__(self, client, cache, folder):
        self.client, self.folder = client, folder
        self.program = client.program_in(cache)
        # Until something is measured.
        self.patience = 120
        self.runs = []

    def __call__(self, **how):
        place = self.folder / f"{self.client.name}-{len(self.runs)}"
        self.runs.append(Run(self.client, self.program, place, **{"timeout_seconds": 600, **how}))
        return self.runs[-1]

    def measured(self, run):
        """A hang is noticed after six times as long as a task takes here."""
        self.patience = max(30, 6 * max(result["duration_ms"] for result in run.results()) // 1000)


def row(client, cache, folder):
    """One row of the table, and whether all is as it should be."""
    make, began, cells, records, used = Make(client, cache, folder), time.monotonic(), [], "-", "-"
    for name, how in RUNS:
        if name in client.limits:
            cells.append(client.limits[name])
            continue
        try:
            run = how(make)
            found = check(run)
            if name == "plan":
                records = found
                make.measured(run)
                used = client.limits.get("tokens") or tokens(run)
            cells.append("done")
        except Missed as missed:
            print(f"agents-demo: {client.name}: {name}: {missed}", file=sys.stderr)
            cells.append("missed")
        finally:
            make.runs[-1].close()
    seconds = f"{time.monotonic() - began:.0f}"
    return [client.name, client.calls_itself or client.version, *cells, records, used, seconds], "missed" not in cells


def main():
    cache, clients = Path(sys.argv[1]), named(sys.argv[2:])
    loopback()
    # What is stopped cleans up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="agents-demo-"))
    good = True
    try:
        head = ["CLI", "version", *(name for name, _ in RUNS), "transcript", "tokens", "seconds"]
        print(line(head), line(["---"] * len(head)), sep="\n", flush=True)
        for client in clients:
            cells, well = row(client, cache, folder)
            good &= well
            print(line(cells), flush=True)
    finally:
        if good or "PLANTOOLS_KEEP" not in os.environ:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"agents-demo: kept {folder}", file=sys.stderr)
    sys.exit(0 if good else 1)


def loopback():
    """In a network of its own even this machine's own address is down at first."""
    ask, tell, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        form = "16sh14x"
        flags = struct.unpack(form, fcntl.ioctl(any_socket, ask, struct.pack(form, b"lo", 0)))[1]
        if not flags & up:
            fcntl.ioctl(any_socket, tell, struct.pack(form, b"lo", flags | up))


def line(cells):
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
