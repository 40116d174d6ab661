#!/usr/bin/env python3
"""Fills the corpus of every fuzz target with our own fixtures: files, and the texts in the tests of a crate."""

import ast
import hashlib
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent

# Where each target's fixtures are; a target that is not named has those of its family.
PLANS = ["tests/conformance/plans/*", "crates/dialects/tests/suite/*.rs", "crates/dialects/src/*/*.rs", "crates/plan-parse/tests/*.md",
         "tests/workflows/*/project/**/*.md", "tests/workflows/*/project/**/*.json"]
TRANSCRIPTS = ["crates/transcripts/tests/suite/*.rs", "crates/transcripts/src/**/*.rs", "crates/punch/tests/suite/*.rs",
               "crates/*/tests/**/*.jsonl", "crates/*/tests/**/*.ndjson"]
CONTRACTS = ["crates/*/tests/cmd/**/*.ndjson", "crates/*/tests/cmd/**/*.json", "crates/*/tests/cmd/*.toml", "crates/wire/src/*.rs",
             "crates/toolkit/tests/*.rs", "crates/dag-next/tests/**/*.rs", "crates/run-report/tests/**/*"]
SESSIONS = ["crates/sessions/tests/suite/*.rs", "crates/sessions/src/**/*.rs", "crates/session-export/tests/**/*",
            "tests/workflows/execute-task/**/*.json"]
SETTINGS = ["tests/workflows/**/*.toml", "crates/*/tests/**/*.toml", "crates/punch/cards/*", "crates/punch/src/**/*.rs",
            "crates/gate-run/src/**/*.rs", "crates/gate-run/tests/suite/*.rs", "crates/punch/tests/suite/*.rs",
            "crates/toolkit/src/*.rs", "crates/xtask/pages/plantools.toml.5.md"]
ANSWERS = ["crates/worker-run/src/**/*.rs", "crates/worker-run/tests/*.rs", "crates/gate-run/src/**/*.rs",
           "tests/conformance/workers/*", "crates/sessions/tests/suite/*.rs", "crates/toolkit/src/redact*/*.rs", "tests/tests/conductor/clients.rs"]
CHECKS = ["crates/checks/src/**/*.rs", "crates/checks/tests/*.rs"]
FAMILIES = {"plans": PLANS, "checks_law": CHECKS, "transcripts": TRANSCRIPTS, "contracts": CONTRACTS, "sessions": SESSIONS, "settings": SETTINGS,
            "answers": ANSWERS}
LONGEST = 32 << 10


def texts(path):
    """The bytes of a fixture; of a Rust or Python source its string literals."""
    data = path.read_bytes()
    if path.suffix != ".rs":
        yield data
        return
    source = data.decode()
    for literal in re.findall(r'r#"(.*?)"#', source, re.S) + re.findall(r'r"([^"]*)"', source):
        yield literal.encode()
    for literal in re.findall(r'(?<![r#])"((?:[^"\\]|\\.)*)"', source, re.S):
        # A backslash at the end of a line swallows the line's end and what is before the next word.
        literal = re.sub(r"\\\n\s*", "", literal)
        literal = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda m: chr(int(m[1], 16)) if int(m[1], 16) < 0x110000 else "", literal)
        try:
            yield ast.literal_eval('"""' + literal.replace('"""', "") + ' """')[:-1].encode(errors="replace")
        except (SyntaxError, ValueError):
            continue


def folders():
    """Whole folders of plans as one text each, files behind lines with their names."""
    for top in [*(TOP / "tests/conformance/plans").iterdir(), *(TOP / "tests/workflows").glob("*/project/*")]:
        if top.is_dir():
            files = [path for path in sorted(top.rglob("*")) if path.is_file()]
            yield b"".join(b"==> %s\n%s\n" % (str(path.relative_to(top)).encode(), path.read_bytes()) for path in files)


def targets():
    """Each target and its family, from the table."""
    table = (TOP / "tests/fuzz/src/targets.rs").read_text()
    return re.findall(r'\("([a-z0-9-]+)", (?:\|bytes\| )?([a-z]+)::', table)


def keep(folder, data):
    if 8 <= len(data) <= LONGEST:
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main():
    corpus = pathlib.Path(sys.argv[1])
    seeds = {}
    for family, globs in FAMILIES.items():
        paths = {path for glob in globs for path in TOP.glob(glob) if path.is_file()}
        seeds[family] = {text for path in sorted(paths) for text in texts(path)}
    words = set()
    for name, family in targets():
        folder = corpus / name
        folder.mkdir(parents=True, exist_ok=True)
        chosen = folders() if name == "plan-folder" else seeds[family]
        for data in chosen:
            # Of short texts there are many; only what has some shape is worth a run.
            if name == "plan-folder" or len(data) >= 24 or family in ("answers", "settings"):
                keep(folder, data)
        for path in sorted((TOP / "tests/fuzz/found").glob(f"{name}-*")):
            keep(folder, path.read_bytes())
    for family in seeds.values():
        words |= {text for text in family if 2 <= len(text) <= 24 and b"\n" not in text}
    quoted = ("".join(chr(b) if 32 < b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in word) for word in sorted(words))
    (corpus / "words").write_text("".join(f'"{word}"\n' for word in quoted))


if __name__ == "__main__":
    main()
