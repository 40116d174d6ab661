"""Stories: what may happen around an honest run (`honest/`) and what evidence is worth (`evidence/`). Each is a script whose
head says what must come of it; `stories.sh` has what every story starts from."""

import re
import threading
import time

from bench import HERE, Bench

BOX = re.compile(r"^\s*[-*] \[(.)\] ", re.M)
# With `any`, too, a run ends with a code of its own.
CODES = {0, 1, 2, 3, 5, 64, 65, 66, 74, 75, 78}
KEYS = {"run", "ends", "ticks", "plan", "says", "never", "commits", "status", "within", "quick", "record", "survivors"}


class Story:
    """A script with what its head says."""

    def __init__(self, path):
        self.path, self.name = path, path.name
        lines = path.read_text().splitlines()
        self.trait = lines[1].removeprefix("# ")
        head = []
        for line in lines[2:]:
            found = re.fullmatch(r"# ([a-z]+): ?(.*)", line)
            if not found:
                break
            head.append(found.groups())
        says = dict(head)
        if says.keys() - KEYS or lines[0] != "#!/usr/bin/env bash":
            raise SystemExit(f"conformance: {path.name}: a key that is not known: {sorted(says.keys() - KEYS)}")
        self.runs = [told for key, told in head if key == "run"] or ["orchestrate TODO.md"]
        self.ends = says.get("ends", "0").split()
        self.ends += self.ends[-1:] * (len(self.runs) - len(self.ends))
        self.ticks, self.plan = says.get("ticks", "all"), says.get("plan", "TODO.md")
        self.says = [told for key, told in head if key == "says"]
        self.never = [told for key, told in head if key == "never"]
        usual = " | ".join(f"{n}: Write {n}.txt" for n in self.ticks.replace("all", "1 2").replace("any", "").split() if n.isdigit())
        self.commits, self.status = says.get("commits", usual), says.get("status", "")
        self.within, self.quick = int(says.get("within", "60")), "quick" in says
        self.record, self.survivors = says.get("record", "whole"), "survivors" in says
        self.meanwhile = re.search(r"^meanwhile\(\)", path.read_text(), re.M)

    def misses(self, tool):
        """Runs it, and says everything that is not as it must be."""
        begun = time.monotonic()
        with Bench(tool) as bench:
            try:
                return list(self.carried(bench)), time.monotonic() - begun
            except RuntimeError as error:
                return [str(error)], time.monotonic() - begun

    def phase(self, bench, name):
        done = bench.run("bash", str(HERE / "stories.sh"), name, **self.env(bench))
        if done.code != 0:
            raise RuntimeError(f"{name}: {done.text()[-600:]}")

    def env(self, bench):
        return {"CONFORMANCE_STORY": str(self.path), "CONFORMANCE_HOME": str(bench.top / "home")}

    def carried(self, bench):
        bench.repository()
        worker = f'#!/bin/sh\nexec bash "{HERE / "stories.sh"}" worker\n'
        bench.write("../home/worker", worker, 0o755)
        self.phase(bench, "files")
        self.phase(bench, "setup")
        bench.commit_all()
        self.phase(bench, "before")
        said, old = "", len(self.subjects(bench))
        for number, (line, code) in enumerate(zip(self.runs, self.ends)):
            if number > 0:
                self.phase(bench, "between")
            ended = self.run(bench, line, number == 0)
            said += ended.text()
            if ended.code is None or code not in ("any", str(ended.code)) or code == "any" and ended.code not in CODES:
                yield f"{line}: exit {ended.code}, not {code}: {ended.text()[-900:]}"
        left = [] if self.survivors else bench.processes()
        if left:
            yield f"processes left: {left}"
        yield from self.judge(bench, said, old)
        try:
            self.phase(bench, "after")
        except RuntimeError as error:
            yield str(error)

    def run(self, bench, line, first):
        if not (self.meanwhile and first):
            return bench.run("bash", "-c", line, within=self.within, **self.env(bench))
        failed = []

        def person():
            try:
                deadline = time.monotonic() + self.within
                while not (bench.top / "home/began").exists() and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.phase(bench, "meanwhile")
            except RuntimeError as error:
                failed.append(error)
            finally:
                (bench.top / "home/go").touch()

        thread = threading.Thread(target=person)
        thread.start()
        ended = bench.run("bash", "-c", line, within=self.within, **self.env(bench))
        thread.join()
        if failed:
            raise failed[0]
        return ended

    @staticmethod
    def subjects(bench):
        done = bench.run("git", "log", "--reverse", "--format=%s")
        return done.out.decode(errors="replace").splitlines() if done.code == 0 else []

    def judge(self, bench, said, old):
        path = bench.repo / self.plan
        boxes = BOX.findall(path.read_text(errors="replace")) if path.is_file() else []
        ticked = [str(n) for n, mark in enumerate(boxes, 1) if mark in "xX"]
        wanted = {"all": [str(n) for n in range(1, len(boxes) + 1)], "none": []}.get(self.ticks, self.ticks.split())
        if self.ticks != "any" and ticked != wanted or not boxes:
            false = [n for n in ticked if n not in wanted]
            yield f"{'a false tick' if false else 'an open box'}: ticked {ticked}, not {wanted}: {said[-900:]}"
        for text in self.says:
            if text not in said:
                yield f"not said: {text!r}: {said[-900:]}"
        for text in self.never:
            if text in said:
                yield f"said: {text!r}: {said[-900:]}"
        if self.commits != "any":
            got = self.subjects(bench)[old:]
            if got != [name for name in self.commits.split(" | ") if name]:
                yield f"commits {got}, not {self.commits!r}: {said[-600:]}"
        if self.status != "any":
            done = bench.run("git", "status", "--porcelain")
            got = " | ".join(done.out.decode(errors="replace").rstrip("\n").splitlines())
            if got.strip() != self.status.strip():
                yield f"status {got!r}, not {self.status!r}"
        if bench.tool.has("punch") and self.record == "whole" and (bench.repo / ".plantools/ledger.ndjson").exists():
            verify = bench.run(str(bench.tool.folder / "punch"), "verify")
            if verify.code != 0:
                yield f"the ledger is not whole: {verify.text()[-300:]}"


def all_stories(part):
    return [Story(path) for path in sorted((HERE / part).iterdir())]
