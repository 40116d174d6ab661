"""Installs the plugin of each client with `orchestrate init --for`, and lets the real client carry out a plan with it.

    integrations.py CACHE [CLI…]        CACHE has the clients that `scripts/agents-demo` installed

The client's own listing must show the plugin. A scripted model, in an ordinary session of the client, takes the tasks of
the plan from the MCP server. For the first it says that it is done before it has done anything, and ends its turn: the
lie must tick nothing, and the hook at the end of the turn must hold it up where the client has one. It tries what the card
forbids. Then it does the work. Every tick must be proved, and `--undo` must leave nothing. Prints a table in Markdown;
exit 0 where all of it holds.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from clients import Site, named
from demo import loopback
from run import Missed, expect
from server import Server
from story import COMMITS, PLAN, TASKS

CONFIG = """[defaults]
card = "careful"

[cards.careful]
forbidden = ["command_exec:*precious*"]
"""
ASK = "Please carry out the plan."
TIDY = "Please tidy up."


@dataclass(frozen=True)
class Way:
    """How a client is led through a session."""

    # The arguments of a session that asks nobody, for a prompt, and of the client's own list of plugins.
    session: object
    listing: list
    # What a tool of the server is called.
    tool: object
    # Whether the client calls hooks before a tool, and whether one at the end of a turn holds it up.
    refuses: bool = True
    holds_up: bool = True
    # The client's own list of tasks, for the hook that is asked when one is called completed.
    listed: list | None = None


def flat(prefix):
    return lambda name, **given: {"tool": prefix + name, "input": given}


def spaced(name, **given):
    return {"tool": name, "namespace": "mcp__plantools", "input": given}


FREE = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
WAYS = {
    "claude": Way(
        lambda ask: ["-p", ask, "--dangerously-skip-permissions"],
        ["plugin", "list"],
        flat("mcp__plugin_plantools_plantools__"),
        listed=[
            {"tool": "TaskCreate", "input": {"subject": "Write the names", "description": "as the plan says"}},
            {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}},
        ],
    ),
    "codex": Way(lambda ask: ["exec", *FREE, ask], ["plugin", "list"], spaced),
    "gemini": Way(lambda ask: ["-p", ask, "--yolo", "--skip-trust"], ["extensions", "list"], flat("mcp_plantools_")),
    "opencode": Way(lambda ask: ["run", "--auto", ask], ["mcp", "list"], flat("plantools_"), holds_up=False),
}


def talk(client, way, work):
    """What the model says, turn by turn."""
    first, *others = TASKS
    done = lambda task: way.tool("plan_done", summary=f"wrote {task.file}", outputs={task.output: task.file})
    turns = [[{"text": "I look."}, way.tool("plan_next")], [way.tool("plan_task")], [done(first)]]
    turns += [[block] for block in way.listed or []]
    if way.holds_up:
        turns.append([{"text": "All done."}])
    turns += [[client.write(work / first.file, first.content)], [way.tool("plan_check")], [done(first)]]
    for task in others:
        turns += [[way.tool("plan_task")], [client.write(work / task.file, task.content)]]
        turns += [[client.shell(task.command)], [done(task)]]
    return turns + [[{"text": "All three are done now."}]]


def meet(client, cache, folder):
    """One client in a project with our plugin; says what held."""
    way, work, home, programs = WAYS[client.name], folder / "work", folder / "home", folder / "bin"
    for place in (work, home, programs, folder / "tmp"):
        place.mkdir(parents=True)
    (programs / client.name).symlink_to(client.program_in(cache).resolve())
    tidy = [[client.shell("rm -f precious.txt")], [{"text": "It is refused."}]]
    talks = [{"match": ASK, "turns": talk(client, way, work)}, {"match": TIDY, "turns": tidy}]
    server = Server({"conversations": talks})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        site = Site(f"http://127.0.0.1:{server.port}", home, work)
        variables = client.settle(site)
        trust(client, site)
        ours = {
            "HOME": str(home),
            "PATH": f"{os.environ['PLANTOOLS_BIN']}:{programs}:{os.environ['PATH']}",
            "TMPDIR": str(folder / "tmp"),
            "NO_COLOR": "1",
            # Otherwise a session that nobody looks at has no list of tasks.
            "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
            "CLAUDE_CODE_ENABLE_TASKS": "1",
            **variables,
        }

        def run(*words, check=True):
            done = subprocess.run(
                words, cwd=work, env=ours, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
            )
            if check and done.returncode:
                raise Missed(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr[-600:]}")
            return done.stdout + done.stderr

        run("git", "init", "--quiet", "--initial-branch=main")
        run("git", "config", "user.name", "Demo")
        run("git", "config", "user.email", "demo@example.invalid")
        for name, text in (("plantools.toml", CONFIG), ("PLAN.md", PLAN), ("precious.txt", "precious\n")):
            site.write(work / name, text)
        before = files(work)
        run("orchestrate", "init", "--for", client.name)
        plugin = files(work) - before
        listed = run(client.name, *way.listing)
        expect(f"the list of {client.name} has the plugin: {listed[-300:]}", "plantools" in listed, True)
        run("git", "add", "--all")
        run("git", "commit", "--quiet", "--message=plan")
        said = run(client.name, *way.session(TIDY), check=False)
        # A session leaves no record of its calls to an attempt, so that a card for attempts would refuse them.
        site.write(work / "plantools.toml", "")
        run("git", "commit", "--quiet", "--all", "--message=no card")
        said += run(client.name, *way.session(ASK), check=False)
        (folder / "session.log").write_text(said)
        (folder / "requests.log").write_bytes(b"\n".join(server.seen))
        report = json.loads(run("run-report", "--final", "--format", "json", "PLAN.md"))
        run("punch", "verify")
        commits = run("git", "log", "--format=%s").splitlines()
        left = run("git", "status", "--porcelain")
        run("orchestrate", "init", "--for", client.name, "--undo")
        gone = run(client.name, *way.listing, check=False)
    finally:
        server.shutdown()
        server.server_close()
    asked = b"\n".join(server.seen).decode(errors="replace").replace("\\", "")
    tasks = report["tasks"]
    expect("tasks that are proved", [task.get("level") for task in tasks], ["proved"] * 3)
    expect("attempts", [task["attempts"] for task in tasks], [2, 1, 1])
    expect("commits", [commits.count(subject) for subject in COMMITS], [1, 1, 1])
    expect("left in the tree", left, "")
    expect("the lie was told to the model", '"done":false' in asked, True)
    expect("what the card forbids was refused", (work / "precious.txt").exists(), way.refuses)
    if way.holds_up:
        expect("the turn was held up", "is handed out: call plan_done" in asked, True)
    if way.listed:
        expect("the entry of the client's list was held up", "TaskCompleted hook feedback" in asked, True)
    expect(f"the list after --undo: {gone[-300:]}", "plantools" in gone.replace(str(folder), ""), False)
    expect("files of the plugin after --undo", files(work) & plugin, set())
    held = "held up" if way.holds_up else "no such hook"
    return ["listed", "ticked nothing", held, "refused", "3 proved", "gone"]


def files(work):
    found = subprocess.run(["find", ".", "-type", "f", "-not", "-path", "./.git/*", "-not", "-path", "./.plantools/*"], cwd=work, capture_output=True, text=True)
    return {line.removeprefix("./") for line in found.stdout.splitlines()}


def trust(client, site):
    """Says that a person trusts the folder, as the client asks at its first start."""
    if client.name == "claude":
        path = site.home / ".claude.json"
        known = {"projects": {str(site.work): {"hasTrustDialogAccepted": True}}}
        site.write(path, json.loads(path.read_text()) | known)


def main():
    cache = Path(sys.argv[1])
    clients = [client for client in named(sys.argv[2:]) if client.name in WAYS]
    loopback()
    folder = Path(tempfile.mkdtemp(prefix="integrations-"))
    good = True
    print("| client | version | plugin | lie | end of the turn | what the card forbids | plan | --undo |")
    print("|---|---|---|---|---|---|---|---|")
    for client in clients:
        try:
            cells = meet(client, cache, folder / client.name)
        except (Missed, subprocess.TimeoutExpired) as missed:
            print(f"integrations: {client.name}: {missed}", file=sys.stderr)
            cells, good = ["missed"] * 6, False
        print("| " + " | ".join([client.name, client.version, *cells]) + " |", flush=True)
    if good or "PLANTOOLS_KEEP" not in os.environ:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"integrations: kept {folder}", file=sys.stderr)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
