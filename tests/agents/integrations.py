"""Puts the files of `scripts/integrations` into a project as its README says, and lets real clients meet them.

    integrations.py CACHE [CLI…]        CACHE has the clients that `scripts/agents-demo` installed

A scripted model tries what the card forbids, then says that it is done before it is. The hook before a tool must refuse
the first, the hook at the end of the turn must hold up the second, and the client must have told the model of the
skill, of the instructions, or of what the command printed. Prints a table in Markdown; exit 0 where all of it holds.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from clients import Site, named
from demo import loopback
from run import ROOT, Missed, expect
from server import Server

FILES = ROOT / "scripts/integrations"
CONFIG = """[defaults]
card = "careful"

[[gates]]
id = "done"
invocation = "test -e done.txt"
when = ["end"]

[cards.careful]
forbidden = ["command_exec:*precious*"]
"""
PLAN = "# Note\n\n## TODOs\n\n### [ ] TODO 1: Write\n\n**Acceptance Criteria**:\n- [ ] It is there: `test -e done.txt`\n"
ASK = "Please finish the note."


def claude(work):
    """Arguments, and what the model must have been told."""
    copy("claude/settings.json", work / ".claude/settings.json")
    copy("claude/SKILL.md", work / ".claude/skills/plantools/SKILL.md")
    return ["-p", ASK, "--dangerously-skip-permissions"], ["Carry out a plan file"]


def codex(work):
    copy("codex/AGENTS.md", work / "AGENTS.md")
    copy("codex/hooks.json", work / ".codex/hooks.json")
    # Hooks that nobody confirmed at a terminal are left out without a word.
    free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return ["exec", *free, ASK], ["Plans in this repository are carried out by plantools"]


def opencode(work):
    copy("opencode/plan.md", work / ".opencode/command/plan.md")
    return ["run", "--command", "plan", "PLAN.md"], ["Where the plan PLAN.md stands", "1 task: 1 pending"]


CLIENTS = {"claude": claude, "codex": codex, "opencode": opencode}


def meet(client, cache, folder):
    """One client in a project with our files; says what held."""
    work, home = folder / "work", folder / "home"
    for place in (work, home, folder / "tmp"):
        place.mkdir(parents=True)
    hooked = client.hook is not None
    words = [[{"text": "I tidy up."}, client.shell("rm -f precious.txt")], [{"text": "All done."}]]
    words += [[client.write(work / "done.txt", "done\n")], [{"text": "Done now."}]]
    talk = words if hooked else [[{"text": "Task 1 is ready."}]]
    server = Server({"conversations": [{"match": ASK if hooked else "Where the plan", "turns": talk}]})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        site = Site(f"http://127.0.0.1:{server.port}", home, work)
        variables = client.settle(site)
        for name, text in (("plantools.toml", CONFIG), ("PLAN.md", PLAN), ("precious.txt", "precious\n")):
            site.write(work / name, text)
        arguments, told = CLIENTS[client.name](work)
        tools = os.environ["PLANTOOLS_BIN"]
        ours = {"HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(folder / "tmp"), "NO_COLOR": "1"}
        subprocess.run(["git", "init", "--quiet"], cwd=work, check=True)
        command = [client.program_in(cache), *arguments]
        done = subprocess.run(command, cwd=work, env=ours | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    finally:
        server.shutdown()
        server.server_close()
    asked = b"\n".join(server.seen).decode(errors="replace")
    for words in told:
        expect(f"'{words}' told to the model (exit {done.returncode}, {done.stderr[-300:]})", words in asked, True)
    if not hooked:
        return ["-", "-", "found"]
    expect("what the card forbids was refused", (work / "precious.txt").exists(), True)
    expect("the refusal was told to the model", "careful" in asked, True)
    expect("the turn was held up until the gate passed", (work / "done.txt").exists(), True)
    expect("the gate that failed was told to the model", "test -e done.txt" in asked, True)
    return ["refused", "held up once", "found"]


def copy(name, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(FILES / name, to)


def main():
    cache = Path(sys.argv[1])
    clients = [client for client in named(sys.argv[2:]) if client.name in CLIENTS]
    loopback()
    folder = Path(tempfile.mkdtemp(prefix="integrations-"))
    good = True
    print("| client | version | what is forbidden | end of the turn | skill, instructions, command |\n|---|---|---|---|---|")
    for client in clients:
        try:
            cells = meet(client, cache, folder / client.name)
        except (Missed, subprocess.TimeoutExpired) as missed:
            print(f"integrations: {client.name}: {missed}", file=sys.stderr)
            cells, good = ["missed"] * 3, False
        print("| " + " | ".join([client.name, client.version, *cells]) + " |", flush=True)
    if good or "PLANTOOLS_KEEP" not in os.environ:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"integrations: kept {folder}", file=sys.stderr)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
