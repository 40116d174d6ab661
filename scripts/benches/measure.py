"""Runs two commands alternately and keeps what each round took: wall clock, peak memory, instructions."""
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Bench:
    """What a suite's `rows` is given: folders, tools, peers, and the ways to measure."""

    def __init__(self, root, quick=False):
        self.root = root
        self.quick = quick
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="plantools-bench-"))
        self.suite = ""
        self.rows = []
        self.curves = []
        self._bin = None

    # What is measured with.

    def tool(self, name):
        """The path of one of our tools, from PLANTOOLS_BIN or as packages hold it."""
        if self._bin is None:
            given = os.environ.get("PLANTOOLS_BIN")
            if given is None:
                given = subprocess.run([self.root / "scripts" / "dist"], cwd=self.root, check=True,
                                       stdout=subprocess.PIPE, text=True).stdout.strip()
            self._bin = (self.root / given).resolve()
        path = self._bin / name
        if not path.is_file():
            sys.exit(f"bench: {path}: no such tool")
        return str(path)

    def peer(self, command, apt=None, cargo=None, pip=None, npm=None):
        """The path of a peer, installed where it is missing; None where it cannot be had."""
        found = shutil.which(command)
        if found:
            return found
        if apt and os.geteuid() == 0:
            quiet(["apt-get", "install", "-y", "-qq", apt]) or (
                quiet(["apt-get", "update", "-qq"]) and quiet(["apt-get", "install", "-y", "-qq", apt]))
        elif cargo:
            quiet(["cargo", "install", "--quiet", "--locked", cargo])
        elif pip:
            quiet([sys.executable, "-m", "pip", "install", "--quiet", pip])
        elif npm:
            quiet(["npm", "install", "--silent", "--global", npm])
        found = shutil.which(command)
        if not found:
            self.say(f"{command} cannot be had here; its rows are left out")
        return found

    def file(self, name, make):
        """A file of the work folder, made once by `make(path)`."""
        path = self.work / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path)
        return str(path)

    def size(self, full, quick):
        """How much work: less with --quick."""
        return quick if self.quick else full

    # The ways to measure. A command is a list, or a function that does the work itself; `stdin` is a file's path.

    def pair(self, what, ours, peer, target, peer_name, stdin=None, peer_stdin=None, rounds=15, memory_limit=None,
             input_bytes=None, ok=(0,), peer_ok=(0,), before=None, group=None, count=None):
        """Ours against a peer, alternately; the ratio of each round, its median and band. `count` is a pair of commands
        whose instructions are counted too, mostly the same on less work; rows of one `group` are one line of the README."""
        rounds = max(3, rounds // 3) if self.quick else rounds
        ratios, mine, theirs, peak = [], [], [], 0
        for warm in range(rounds + 1):
            if before:
                before()
            own, rss = spent(ours, stdin, ok)
            if before:
                before()
            other, _ = spent(peer, peer_stdin or stdin, peer_ok)
            if warm == 0:
                continue
            ratios.append(own / other)
            mine.append(own)
            theirs.append(other)
            peak = max(peak, rss)
        self.add(what=what, peer=peer_name, ratio=statistics.median(ratios), low=centile(ratios, 10),
                 high=centile(ratios, 90), ours_ms=1000 * statistics.median(mine),
                 peer_ms=1000 * statistics.median(theirs), memory_mb=peak / 1e6 if peak else None, rounds=rounds,
                 target=target, met=statistics.median(ratios) <= target, group=group, instructions=self.counts(count))
        if memory_limit is not None:
            allowed = memory_limit * input_bytes if input_bytes else memory_limit
            name = f"{what}: peak memory"
            self.limit(name, own_peak(ours, stdin, peak) / 1e6, "MB", allowed / 1e6)

    def limit(self, what, value, unit, target):
        """A measured value that must stay at or below its target."""
        self.add(what=what, value=value, unit=unit, target=target, met=value <= target)

    def at_least(self, what, value, unit, target):
        """A measured value that must reach its target."""
        self.add(what=what, value=value, unit=unit, target=target, met=value >= target, least=True)

    def growth(self, what, sizes, command, target=12, stdin=None, ok=(0,), rounds=5):
        """The same work at growing sizes; the factor for each step of ten must stay at or below the target."""
        points = []
        for size in sizes:
            took = [spent(command(size), stdin(size) if stdin else None, ok) for _ in range(3 if self.quick else rounds)]
            points.append((size, min(t for t, _ in took), max(m for _, m in took)))
        self.curves.append({"what": what, "points": [{"size": s, "ms": 1000 * t, "memory_mb": m / 1e6} for s, t, m in points]})
        for (small, quick, _), (large, slow, memory) in zip(points, points[1:]):
            factor = (slow / quick) ** (1 / max(1e-9, math.log10(large / small)))
            self.add(what=f"{what}: {small:,} to {large:,}", value=factor, unit="x per ten", target=target,
                     met=factor <= target, memory_mb=memory / 1e6, group=f"{what}, {sizes[0]:,} to {sizes[-1]:,}")

    def counts(self, pair):
        """The instructions of two commands; None where there is nobody to count them."""
        if pair is None or not self.peer("valgrind", apt="valgrind"):
            return None
        ours, peer = (self.instructions(command) for command in pair)
        return {"ours": ours, "peer": peer} if ours and peer else None

    def instructions(self, command, stdin=None):
        """Instructions by callgrind, of all threads."""
        with open(stdin or os.devnull, "rb") as source:
            run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.work}/cg.out", *command],
                                 stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        for line in run.stderr.decode(errors="replace").splitlines():
            if "Collected" in line:
                return int(line.split(":")[1].split()[0])
        return None

    # What is told.

    def run(self, name, rows):
        self.suite = name
        self.say("")
        rows(self)

    def add(self, **row):
        row["suite"] = self.suite
        self.rows.append(row)
        mark = "ok  " if row["met"] else "MISS"
        if "ratio" in row:
            memory = f"  {row['memory_mb']:.1f} MB" if row.get("memory_mb") else ""
            print(f"{mark} {self.suite:14} {row['what']:52} {row['ratio']:6.3f} x {row['peer']} "
                  f"({row['low']:.3f}-{row['high']:.3f}), target {row['target']:g}; "
                  f"{row['ours_ms']:.1f} ms, {row['peer_ms']:.1f} ms{memory}{instructed(row)}")
        else:
            sign = ">=" if row.get("least") else "<="
            print(f"{mark} {self.suite:14} {row['what']:52} {row['value']:.3f} {row['unit']}, target {sign} {row['target']:g}")
        sys.stdout.flush()

    def say(self, text):
        print(f"== {self.suite}{': ' if text else ''}{text}", file=sys.stderr)

    def missed(self):
        return [row for row in self.rows if not row["met"]]

    def close(self, json_path=None, plot=None):
        missed = self.missed()
        print(f"{len(self.rows) - len(missed)} of {len(self.rows)} rows meet their target")
        if json_path:
            document = {"schema": "bench/1", "quick": self.quick, "rows": self.rows, "curves": self.curves}
            pathlib.Path(json_path).write_text(json.dumps(document, indent=1) + "\n")
        if plot:
            from benches import plot as drawing
            drawing.draw(self.curves, pathlib.Path(plot))
        shutil.rmtree(self.work, ignore_errors=True)


def spent(command, stdin=None, ok=(0,)):
    """Seconds of wall clock and peak memory in bytes (of the largest process) of one run."""
    if callable(command):
        start = time.perf_counter()
        command()
        return time.perf_counter() - start, 0
    with open(stdin or os.devnull, "rb") as source, tempfile.TemporaryFile() as sink:
        start = time.perf_counter()
        # A file takes the output: some tools do less work when it goes to /dev/null.
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        took = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in ok:
        sys.exit(f"bench: {' '.join(map(str, command))}: exit {child.returncode}")
    return took, usage.ru_maxrss * 1024


def own_peak(command, stdin, seen):
    """Peak memory in bytes without that of this interpreter, which a process starts as a copy of: by way of time(1)."""
    launcher = shutil.which("time")
    if launcher is None or callable(command):
        return seen
    with open(stdin or os.devnull, "rb") as source, tempfile.NamedTemporaryFile("r") as told:
        subprocess.run([launcher, "-f", "%M", "-o", told.name, *command], stdin=source, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        return int(told.read().split()[-1]) * 1024


def instructed(row):
    counted = row.get("instructions")
    return f"  {counted['ours'] / 1e6:.1f} M, {counted['peer'] / 1e6:.1f} M instructions" if counted else ""


def quiet(command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def centile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(part / 100 * (len(ordered) - 1)))]

