"""Minting and checking large transcripts, and walking a long ledger."""
import hashlib
import json
import math
import random

MB = 1 << 20
WORDS = ["error[E0308]:", "fn", "main()", "let", "\"quoted\"", "path/to/file.rs", "->", "{", "}", "\n", "\n    ", "ok",
         "running", "0.03s", "naïve", "→", "C:\\dir", "\t", "assert_eq!(a, b)", "deadbeef", "0123456789"]
JQ = 'select(.type=="assistant") | .message.content[]? | select(.type=="tool_use") | [.name, .input.command]'


def rows(bench):
    punch = bench.tool("punch")
    card = str(bench.file("cards.toml", lambda path: path.write_text(
        '[cards.held]\nrequired = ["kind:shell"]\nforbidden = ["command_exec:*git push*", "path:tests/**"]\n')))
    folder = ["--in", str(bench.work), "--cards", card]
    judge = lambda path: [punch, "evaluate", "t", "held", path, *folder]
    seal = lambda path: [punch, "mint", "--task", "t", path, "--in", str(bench.work), "--run", "r"]
    grep = lambda path: ["grep", "-cF", '"tool_use"', path]
    small, large = bench.size(315, 64), bench.size(1024, 128)
    first = bench.file(f"{small}.jsonl", lambda path: transcript(path, small))
    few = bench.file("4.jsonl", lambda path: transcript(path, 4))
    jq = bench.peer("jq", apt="jq")
    if jq:
        bench.pair(f"{small} MB transcript, minted and checked", judge(first), [jq, "-c", JQ, first], 0.10, "jq",
                   rounds=5, memory_limit=16e6)
    bench.pair(f"{small} MB transcript, minted and checked", judge(first), grep(first), 1.2, "grep -cF", rounds=15,
               memory_limit=16e6, count=(judge(few), grep(few)))
    bench.pair(f"{small} MB transcript, minted, checked, sealed", seal(first), grep(first), 1.6, "grep -cF", rounds=9,
               memory_limit=16e6)
    second = bench.file(f"{large}.jsonl", lambda path: transcript(path, large))
    bench.pair(f"{large} MB transcript, minted and checked", judge(second), grep(second), 1.2, "grep -cF", rounds=9,
               memory_limit=16e6)
    count = bench.size(1_000_000, 100_000)
    ledger = bench.file("long/.plantools/ledger.ndjson", lambda path: chain(path, count))
    bench.pair(f"verify a ledger of {count:,}", [punch, "verify", str(bench.work / "long")], ["sha256sum", ledger], 4,
               "sha256sum", rounds=9, memory_limit=16e6)


def transcript(path, megabytes):
    """A Claude Code session: results and texts of 1 to 20 KB, a third of the lines with a call."""
    dice = random.Random(3)
    pool = [" ".join(dice.choice(WORDS) for _ in range(400)) for _ in range(64)]
    block = "".join(line(dice, pool, number) for number in range(2000)).encode()
    with open(path, "wb") as out:
        written = 0
        # Every block has ids of its own: the same call twice would be one call.
        while written < megabytes * MB:
            part = block.replace(b"toolu_0000", b"toolu_%04d" % (written // len(block)))
            written += out.write(part)


def line(dice, pool, number):
    size = int(math.exp(dice.uniform(math.log(700), math.log(17000))))
    text = ""
    while len(text) < size:
        text += dice.choice(pool)
    record = {"uuid": f"{dice.getrandbits(128):032x}", "sessionId": "s-0001", "cwd": "/srv/repo",
              "timestamp": f"2026-01-01T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"}
    draw = dice.random()
    if draw < .35:
        command = "cargo test --workspace" if dice.random() < 1 / 17 else "sed -n 1,200p src/lib.rs"
        call = {"type": "tool_use", "id": f"toolu_0000{number:06d}", "name": dice.choice(["Bash", "Bash", "Edit", "Read"]),
                "input": {"command": command, "description": "run"}}
        record.update(type="assistant", message={"role": "assistant", "model": "m", "content": [
            {"type": "text", "text": text[:size]}, call], "usage": {"input_tokens": dice.randint(1, 99999)}})
    elif draw < .75:
        record.update(type="user", message={"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"toolu_0000{number - 1:06d}", "is_error": dice.random() < 1 / 200,
             "content": text[:size]}]}, toolUseResult={"stdout": text[:size // 8], "stderr": "", "interrupted": False})
    else:
        record.update(type="assistant", message={"role": "assistant", "model": "m", "content": [
            {"type": "text", "text": text[:size]}], "usage": {"input_tokens": dice.randint(1, 99999)}})
    return json.dumps(record, ensure_ascii=dice.random() < .3, separators=(",", ":")) + "\n"


def chain(path, count):
    """A ledger whose chain holds."""
    before = "0" * 64
    with open(path, "w") as out:
        for number in range(1, count + 1):
            text = (f'{{"schema":"punch/1","seq":{number},"plan":"PLAN.md","task":"{number % 997}",'
                    f'"fingerprint":"fp1:{number % 997:064x}","attempt":1,"run":"r1","type":"gate_pass",'
                    f'"key":"{number % 997}:1","observed_at":"2026-01-31T12:00:00Z","tree":"t1:{number % 13:064x}",'
                    f'"source":{{"kind":"gate"}},"trust":"observed","data":{{"gate":{{"exit_code":0}}}},"prev":"{before}"')
            before = hashlib.sha256(text.encode()).hexdigest()
            out.write(f'{text},"hash":"{before}"}}\n')
