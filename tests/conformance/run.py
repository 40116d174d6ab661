#!/usr/bin/env python3
"""The conformance kit: hostile plans, lying workers, dying machines. README.md says how to try another tool."""

import argparse
import json
import pathlib
import random
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor

import crash
import fuzz
import load
import plans
import stories
import wording
import workers
from bench import HERE, Bench, Tool
from disk import Disk


# One of each kind, for every day.
QUICK = {
    "honest", "fails-twice-then-works", "lies-about-one", "edits-the-tests", "ticks-its-own-box", "forges-the-ledger",
    "deletes-the-ledger", "makes-the-plan-a-pipe", "forks-a-daemon", "sets-a-hook", "rewrites-history",
    "splices-a-shell", "prints-escapes", "claims-secrets",
}


class Table:
    """What was tried, a line for each; says at the end what missed."""

    def __init__(self, verbose, as_json):
        self.verbose, self.as_json, self.tried, self.missed, self.title = verbose, as_json, 0, 0, ""

    def part(self, title):
        self.title = title.split(",")[0]
        if not self.as_json:
            print(f"== {title}", flush=True)

    def row(self, name, misses, seconds=None):
        self.tried += 1
        self.missed += bool(misses)
        if self.as_json:
            told = {"part": self.title, "case": name, "ok": not misses, "misses": misses, "seconds": seconds}
            print(json.dumps(told), flush=True)
            return
        if misses or self.verbose:
            time = "" if seconds is None else f"{seconds:6.1f} s"
            print(f"{'MISS' if misses else 'ok':<5}{name:<34}{time}", flush=True)
        for miss in misses:
            print("       " + miss.replace("\n", "\n       "), flush=True)


def try_plans(table, tool, options):
    table.part("plans")
    with Bench(tool) as bench:
        for name, case in plans.all_plans().items():
            if fits(name, options):
                table.row(name, *plans.misses(bench, name, case))


def try_wording(table, tool, options):
    table.part("wording")
    chosen = [case for case in wording.all_checks() if fits(case.name, options) and (case.quick() or not options.quick)]
    for name, misses in wording.misses(tool, chosen, options.jobs) if chosen else ():
        table.row(name, misses)


def try_workers(table, tool, options):
    table.part("workers")
    try_each(table, tool, options, [w for w in workers.all_workers() if w.name in QUICK or not options.quick])


def try_honest(table, tool, options):
    table.part("honest")
    try_each(table, tool, options, [s for s in stories.all_stories("honest") if s.quick or not options.quick])


def try_evidence(table, tool, options):
    table.part("evidence")
    try_each(table, tool, options, [s for s in stories.all_stories("evidence") if s.quick or not options.quick])


def try_each(table, tool, options, cases):
    chosen = [case for case in cases if fits(case.name, options)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, (misses, seconds) in zip(chosen, pool.map(lambda case: case.misses(tool), chosen)):
            table.row(case.name, misses, seconds)


def try_fuzz(table, tool, options):
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    table.part(f"fuzz, --seed {seed}")
    with ThreadPoolExecutor(options.jobs) as pool:
        chosen = [name for name in fuzz.INPUTS if fits(name, options)]
        tried = [(name, pool.submit(fuzz.misses, tool, name, options.fuzz, seed)) for name in chosen]
        for name, result in tried:
            table.row(name, *result.result())


def try_crash(table, tool, options):
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    table.part(f"crash, --seed {seed}")
    if options.power and (why := Disk.fails()):
        sys.exit(f"conformance: no power can be cut here: {why}")
    with ThreadPoolExecutor(options.jobs) as pool:
        tried = [(name, pool.submit(call)) for name, call in crash.moments(tool, options.crash, seed, options.power)]
        for number, (name, result) in enumerate(tried, 1):
            table.row(f"{number} {name}", result.result())


def try_load(table, tool, options):
    table.part("load")
    for name, call in load.ALL.items():
        if fits(name, options) and (call is load.many_writers or not options.quick):
            table.row(name, *call(tool))


def fits(name, options):
    return not options.only or any(word in name for word in options.only)


PARTS = {
    "plans": try_plans, "wording": try_wording, "evidence": try_evidence, "workers": try_workers, "honest": try_honest,
    "crash": try_crash, "load": try_load, "fuzz": try_fuzz,
}
# Another name of a part.
ALIASES = {"checks": "wording"}


def listed():
    """Every case, as the page CASES.md has them."""
    yield "# The cases of the kit\n\nMade by `scripts/conformance --list`. `scripts/conformance --only NAME` runs one.\n"
    parts = [
        ("plans", "hostile plan files", [(name, case["trait"]) for name, case in plans.all_plans().items()]),
        ("wording", "how checks are worded: each text in every dialect that can hold it", wording.groups()),
        ("evidence", "what evidence is worth", [(s.name, s.trait) for s in stories.all_stories("evidence")]),
        ("workers", "workers, honest and not", [(w.name, w.trait) for w in workers.all_workers()]),
        ("honest", "what may happen around honest work", [(s.name, s.trait) for s in stories.all_stories("honest")]),
        ("crash", "kills and power cuts", [(name, "killed at random moments, then run again") for name in crash.names()]),
        ("load", "many at once", [(name, call.__doc__.split("\n")[0]) for name, call in load.ALL.items()]),
        ("fuzz", "damaged input from outside: an answer in time, and no panic", [(n, i.trait) for n, i in fuzz.INPUTS.items()]),
    ]
    for part, about, cases in parts:
        yield f"## {part}: {about}\n\n| case | what it is |\n|---|---|"
        yield from (f"| `{name}` | {trait.replace('|', chr(92) + '|')} |" for name, trait in cases)
        yield ""
    yield "## Threats\n\nWhat attackers try, what stops it, and what shows it: cases of this page, and tests: `MODULE TEST` runs as"
    yield "`cargo test -p pipeline-tests MODULE::TEST`, another name as `cargo test NAME`.\n"
    yield "| attacker | tries | what stops it | shown by |\n|---|---|---|---|"
    for threat in tomllib.loads((HERE / "threats.toml").read_text())["threats"]:
        shown = ", ".join(f"`{name}`" for name in threat["shown"])
        told = (threat[key].replace("|", chr(92) + "|") for key in ("by", "tries", "stopped"))
        yield f"| {' | '.join(told)} | {shown} |"


def main():
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("--tool-path", type=pathlib.Path, help="the folder of the tools (default: the newest build)")
    parser.add_argument("--part", action="append", choices=[*PARTS, *ALIASES], metavar="PART",
                        help=f"only this part, one of {', '.join(PARTS)}; may be given again")
    parser.add_argument("--only", action="append", help="only cases whose name has this in it")
    parser.add_argument("--jobs", type=int, default=2, help="how many cases at once")
    parser.add_argument("--crash", type=int, metavar="N", help="how often to kill a run (default 12, with --quick 2)")
    parser.add_argument("--fuzz", type=int, metavar="N", help="how often to damage each input (default 100, with --quick 10)")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each case")
    parser.add_argument("--list", action="store_true", help="print every case, and run none")
    parser.add_argument("--power", action="store_true", help="cut the power instead: what was not synced is lost (root)")
    parser.add_argument("--seed", type=int, help="the same moments again")
    parser.add_argument("--quick", action="store_true", help="what fits into a minute")
    options = parser.parse_args()
    if options.list:
        print("\n".join(listed()).rstrip())
        return
    chosen = {ALIASES.get(part, part) for part in options.part or PARTS}
    if options.crash is None:
        options.crash = 2 if options.quick else 12
    if options.fuzz is None:
        options.fuzz = 10 if options.quick else 100
    folder = options.tool_path or Tool.newest()
    if folder is None or not folder.is_dir():
        sys.exit("conformance: there is no build; make one, or give --tool-path")
    tool = Tool(folder)
    table = Table(not options.quick, options.json)
    for part, attempt in PARTS.items():
        if part in chosen:
            attempt(table, tool, options)
    if not options.json:
        print(f"{table.tried} cases, {table.missed} missed")
    sys.exit(1 if table.missed else 0)


if __name__ == "__main__":
    main()
