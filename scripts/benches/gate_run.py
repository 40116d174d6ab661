"""What a bounded check costs beside `timeout`, `tail` and `tee`: start, deadline, and a gigabyte of output."""
import statistics

from benches import measure

MEMORY = 6_000_000


def rows(bench):
    gate = bench.tool("gate-run")
    start(bench, gate)
    deadline(bench, gate)
    output(bench, gate)


def start(bench, gate):
    """The shortest command, with and without a record."""
    place = bench.work / "ledger"
    place.mkdir(exist_ok=True)
    peer = ["timeout", "10", "true"]
    bench.pair("-- true, no ledger", [gate, "--", "true"], peer, 1.3, "timeout", rounds=150)
    recorded = [gate, "--cwd", str(place), "--bead-id", "b", "--", "true"]
    bench.pair("-- true, ledger and fsync", recorded, peer, 1.7, "timeout", rounds=150)


def deadline(bench, gate):
    """How long after a deadline we are back and a child in a session of its own is dead, our own start included."""
    command = [gate, "--timeout-seconds", "0.2", "--grace-seconds", "0", "--", "setsid", "-w", "sleep", "9"]
    late = [measure.spent(command, ok=(3,))[0] - 0.2 for _ in range(bench.size(31, 9))]
    bench.limit("deadline overshoot, child in its own session", 1000 * statistics.median(late), "ms", 10)


def output(bench, gate):
    """A gigabyte of lines, as a test runner prints them."""
    text = bench.file("output.txt", lambda path: lines(path, 1 << 30))
    place = bench.work / "log"
    place.mkdir(exist_ok=True)
    tee = ["sh", "-c", f"cat {text} | tee {bench.work / 'tee.txt'} | tail -n 50"]
    tail = ["sh", "-c", f"cat {text} | tail -n 50"]
    kept = [gate, "--cwd", str(place), "--bead-id", "b", "--", "cat", text]

    def clean():
        for path in [bench.work / "tee.txt", *place.glob(".plantools/logs/*/.*")]:
            path.unlink(missing_ok=True)

    bench.pair("1 GiB, log (its first 64 MiB) and tail", kept, tee, 0.5, "tee file | tail", before=clean,
               memory_limit=MEMORY)
    # More than is promised: all of it is stored and digested, which `tee` does not do.
    whole = [gate, "--log-megabytes", "2048", *kept[1:]]
    bench.pair("1 GiB, log (all of it) and tail", whole, tee, 1.0, "tee file | tail", before=clean,
               memory_limit=MEMORY)
    bench.pair("1 GiB, --no-log", [gate, "--no-log", "--", "cat", text], tail, 0.8, "tail -n 50",
               memory_limit=MEMORY)


def lines(path, size):
    block = b"".join(b"test module_%06d::case ... ok %s\n" % (at, b"x" * (at * 7919 % 80)) for at in range(20_000))
    with path.open("wb") as out:
        while out.tell() < size:
            out.write(block)
