"""Agents that speak the Agent Client Protocol as workers: `--worker acp:COMMAND`.

    acp.py CACHE [AGENT…]       CACHE has what `scripts/agents-demo --acp` installed

Each carries the plan to its end, is killed by our clock where its service says nothing, and, with rights to edit alone, is
refused a command. Prints a table in Markdown; exit 0 where all of it holds.
"""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from clients import ARCH, CLIENTS, Client
from demo import HANG, failures, line, loopback
from install import install
from run import Missed, Run, check, expect, tokens

KNOWN = {client.name: client for client in CLIENTS}


@dataclass(frozen=True)
class Agent:
    """An agent: the client behind it, and the words after its program."""

    client: Client
    words: list
    # Whether it tells the tokens of a turn.
    tells: bool = True
    # Whether it asks before it runs a command; others ask their own settings alone.
    asks: bool = True


def own(name, package, version, program, behind, **more):
    """An agent with a package of its own, which speaks for a client."""
    return replace(KNOWN[behind], name=name, package=package, version=version, program=program, **more)


CODE = "@zed-industries/claude-code-acp"
AGENTS = {
    "claude-code-acp": Agent(own("claude-code-acp", CODE, "0.16.2", ".bin/claude-code-acp", "claude"), []),
    "codex-acp": Agent(own("codex-acp", "@zed-industries/codex-acp", "0.16.0", ".bin/codex-acp", "codex"), []),
    "gemini": Agent(KNOWN["gemini"], ["--experimental-acp", "--model", KNOWN["gemini"].model]),
    "opencode": Agent(KNOWN["opencode"], ["acp"]),
    "goose": Agent(KNOWN["goose"], ["acp", "--with-builtin", "developer"]),
    "kilo": Agent(KNOWN["kilo"], ["acp"]),
    "cline": Agent(KNOWN["cline"], ["--acp"]),
}


def make(agent, cache, folder, **how):
    words = [str(agent.client.program_in(cache)), *agent.words]
    rights = {"permissions": "all", "timeout_seconds": 300, **how.pop("worker", {})}
    return Run(agent.client, None, folder, whole={"command": words, "result": "acp", **rights}, **how)


def row(name, agent, cache, folder):
    began, cells = time.monotonic(), []
    records = used = "-"
    silent = {"faults": {2: HANG}, "worker": {"timeout_seconds": 60}}
    runs = {"plan": {}, "hang": silent, "edit": {"worker": {"permissions": "edit"}}}
    for kind, how in runs.items():
        if kind == "edit" and not agent.asks:
            cells.append("does not ask")
            continue
        run = make(agent, cache, folder / f"{name}-{kind}", **how)
        try:
            if kind == "edit":
                # The command is refused, so that the third task cannot be done.
                run.start().wait()
                denied = [p for r in run.results() for p in r.get("problems", []) if p.startswith("not allowed")]
                expect("commands refused", bool(denied), True)
                cells.append("refused")
                continue
            run.orchestrate()
            found = check(run)
            if kind == "hang":
                expect("failures", failures(run), ["timeout"])
            else:
                records = found
                used = tokens(run) if agent.tells else "not told"
            cells.append("done")
        except Missed as missed:
            print(f"agents-demo: acp:{name}: {kind}: {missed}", file=sys.stderr)
            cells.append("missed")
        finally:
            run.close()
    version = agent.client.calls_itself or agent.client.version
    return [f"acp:{name}", version, *cells, records, used, f"{time.monotonic() - began:.0f}"], "missed" not in cells


def main():
    words = sys.argv[1:]
    installs = words[0] == "--install"
    cache, names = Path(words[installs]), words[installs + 1 :]
    unknown = [name for name in names if name not in AGENTS]
    if unknown:
        print(f"agents-demo: no agent is named '{unknown[0]}'; there are {', '.join(AGENTS)}", file=sys.stderr)
        sys.exit(2)
    if installs:
        for name in names or AGENTS:
            install(AGENTS[name].client, cache)
        return
    loopback()
    folder, good = Path(tempfile.mkdtemp(prefix="agents-acp-")), True
    print(line(["agent", "version", "plan", "hang", "edit only", "calls", "tokens", "seconds"]), line(["---"] * 8), sep="\n")
    for name in names or AGENTS:
        cells, well = row(name, AGENTS[name], cache, folder)
        good &= well
        print(line(cells), flush=True)
    if good or "PLANTOOLS_KEEP" not in os.environ:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"agents-demo: kept {folder}", file=sys.stderr)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
