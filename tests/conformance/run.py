#!/usr/bin/env python3
"""The conformance kit: hostile plans, lying workers, dying machines. README.md says how to try another tool."""

import argparse
import pathlib
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import checks
import crash
import load
import plans
import workers
from bench import Bench, Tool
from disk import Disk


# One of each kind, for every day.
QUICK = {
    "honest", "fails-twice-then-works", "lies-about-one", "edits-the-tests", "ticks-its-own-box", "forges-the-ledger",
    "deletes-the-ledger", "makes-the-plan-a-pipe", "forks-a-daemon", "sets-a-hook", "rewrites-history",
    "splices-a-shell", "prints-escapes", "claims-secrets",
}


class Table:
    """What was tried, a line for each; says at the end what missed."""

    def __init__(self, verbose):
        self.verbose, self.tried, self.missed = verbose, 0, 0

    def part(self, title):
        print(f"== {title}", flush=True)

    def row(self, name, misses, seconds=None):
        self.tried += 1
        self.missed += bool(misses)
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


def try_checks(table, tool, options):
    table.part("checks")
    chosen = [case for case in checks.all_checks() if fits(case.name, options) and (case.quick() or not options.quick)]
    for name, misses in checks.misses(tool, chosen, options.jobs) if chosen else ():
        table.row(name, misses)


def try_workers(table, tool, options):
    table.part("workers")
    chosen = [w for w in workers.all_workers() if fits(w.name, options) and (w.name in QUICK or not options.quick)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for worker, (misses, seconds) in zip(chosen, pool.map(lambda worker: worker.misses(tool), chosen)):
            table.row(worker.name, misses, seconds)


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


PARTS = {"plans": try_plans, "checks": try_checks, "workers": try_workers, "crash": try_crash, "load": try_load}


def main():
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("--tool-path", type=pathlib.Path, help="the folder of the tools (default: the newest build)")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be given again")
    parser.add_argument("--only", action="append", help="only cases whose name has this in it")
    parser.add_argument("--jobs", type=int, default=2, help="how many cases at once")
    parser.add_argument("--crash", type=int, metavar="N", help="how often to kill a run (default 12, with --quick 2)")
    parser.add_argument("--power", action="store_true", help="cut the power instead: what was not synced is lost (root)")
    parser.add_argument("--seed", type=int, help="the same moments again")
    parser.add_argument("--quick", action="store_true", help="what fits into a minute")
    options = parser.parse_args()
    if options.crash is None:
        options.crash = 2 if options.quick else 12
    folder = options.tool_path or Tool.newest()
    if folder is None or not folder.is_dir():
        sys.exit("conformance: there is no build; make one, or give --tool-path")
    tool = Tool(folder)
    table = Table(not options.quick)
    for part, attempt in PARTS.items():
        if not options.part or part in options.part:
            attempt(table, tool, options)
    print(f"{table.tried} cases, {table.missed} missed")
    sys.exit(1 if table.missed else 0)


if __name__ == "__main__":
    main()
