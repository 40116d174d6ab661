"""Damaged input from outside: the bytes of plans, orders, ledgers and configuration, flipped, cut, doubled. Whatever comes, a
tool answers in time, and with an exit code of its own."""

import random
import time

from bench import HERE, Bench

WITHIN = 20
# A tool that panics ends with 101; one that is killed has a negative code.
CODES = {0, 1, 2, 5, 64, 65, 66, 69, 70, 73, 74, 75, 77, 78}


class Input:
    """What is damaged, and the commands that read it; {} is its file."""

    def __init__(self, trait, make, commands):
        self.trait, self.make, self.commands = trait, make, commands


def plans(bench, dice):
    files = sorted(path for path in (HERE / "plans").iterdir() if path.is_file())
    path = dice.choice(files)
    return path.name, path.read_bytes()


def finished(bench):
    """A small plan that was carried out, once for each bench."""
    if not (bench.repo / "TODO.md").exists():
        bench.repository()
        text = "".join(f"- [ ] Write {n}.txt\n  Verify: `test -f {n}.txt`\n" for n in (1, 2))
        bench.write("TODO.md", "# Todo\n\n" + text)
        worker = "cat > /dev/null; touch 1.txt; echo '{\"status\":\"SUCCESS\"}'"
        bench.write("plantools.toml", CONFIG.replace("WORKER", worker.replace('"', '\\"')))
        bench.commit_all()
        bench.orchestrate("TODO.md")


CONFIG = """[defaults]
worker = "w"
max_attempts = 1
timeout_seconds = 60

[workers.w]
command = ["sh", "-c", "WORKER"]

[proof]
accept = "passes"
known_failures = "allow"

[[gates]]
id = "all"
invocation = "true"
when = ["task", "end"]

[checks.synonyms]
"is there" = "exit 0"
"""


def order(bench, _):
    finished(bench)
    made = bench.run("sh", "-c", "plan-parse TODO.md | dag-next | handoff")
    return "order.json", made.out


def ledger(bench, _):
    finished(bench)
    kept = bench.top / "home/ledger"
    if not kept.exists():
        kept.write_bytes((bench.repo / ".plantools/ledger.ndjson").read_bytes())
    return ".plantools/ledger.ndjson", kept.read_bytes()


def configuration(bench, _):
    finished(bench)
    return "plantools.toml", CONFIG.encode()


def answer(bench, _):
    finished(bench)
    text = b'Some words.\n{"status":"SUCCESS","outputs":{"a":"1.txt"},"summary":"s","tests":[{"name":"t","ok":true}]}\n'
    return "answer", text


def call(bench, _):
    finished(bench)
    lines = [
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        b'"clientInfo":{"name":"kit","version":"1"}}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}', b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"plan_status","arguments":{}}}',
    ]
    return "call", b"\n".join(lines) + b"\n"


ORDER_STAGES = ["worker-run --dry-run", "gate-run", "punch", "session-export", "context-save", "checkbox", "commit-run"]

INPUTS = {
    "plans": Input("plans of every dialect, to the reader and the scheduler", plans,
                   ["plan-parse {}", "plan-parse --lint {}", "plan-parse {} | dag-next"]),
    "orders": Input("orders, to every stage behind the hand-over", order, [f"{stage} < {{}}" for stage in ORDER_STAGES]),
    "ledgers": Input("ledgers, to whatever reads them", ledger,
                     ["punch verify", "punch list", "run-report TODO.md", "plan-parse TODO.md | dag-next"]),
    "configuration": Input("plantools.toml, to the tools that load it", configuration,
                           ["plan-parse TODO.md | dag-next", "run-report TODO.md", "orchestrate doctor TODO.md"]),
    "answers": Input("the answer of a worker, to the stage that reads it", answer,
                     ["plan-parse TODO.md | dag-next --all | handoff | worker-run --worker-command 'cat {}'"]),
    "calls": Input("calls of the Model Context Protocol", call, ["orchestrate mcp TODO.md < {}"]),
}


def damaged(data, dice):
    """Some bytes of it are other ones."""
    data = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at, end = sorted((dice.randint(0, len(data)), dice.randint(0, len(data))))
        kind = dice.randrange(5)
        if kind == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del data[at:min(end, at + 40)]
        elif kind == 2:
            data[at:at] = data[at:min(end, at + 400)] * dice.randint(1, 20)
        elif kind == 3:
            data[at:at] = dice.choice([b"\0", b"\xff\xfe", b"`", b"\"", b"\n", b"{", b"[[", b"---\n", b"\xe2\x80\xae", b"9" * 30, b"- [x] "])
        else:
            del data[at:]
    return bytes(data)


def misses(tool, name, times, seed):
    """Damages an input so often, and says everything that is not as it must be."""
    chosen, found, begun = INPUTS[name], [], time.monotonic()
    with Bench(tool) as bench:
        for number in range(times):
            dice = random.Random(f"{seed} {name} {number}")
            file, data = chosen.make(bench, dice)
            bench.write(file, damaged(data, dice))
            command = dice.choice(chosen.commands).replace("{}", f"'{file}'")
            ended = bench.run("bash", "-o", "pipefail", "-c", command, within=WITHIN)
            if ended.code not in CODES or b"panicked" in ended.err:
                found.append(f"number {number}: {command}: {'no end' if ended.code is None else f'exit {ended.code}'}: {ended.text()[-300:]}")
            bench.kill_all()
        return found, time.monotonic() - begun
