#!/usr/bin/env python3
"""A model server that answers from a script: what a client would get from a model, without one.

    server.py SCRIPT [--port N] [--log FILE]        prints the port

It listens on 127.0.0.1 only and needs nothing but Python. The answer depends on the request alone, so that a client
that tries again, asks for a title in between or starts anew disturbs nothing:

    conversation   the one whose `match` comes first in what the user said
    turn           how many turns the model had already in this request
    reply          what is said to certain words in the user's last message, whatever the turn
    no tools       a request that offers none is for a title or a summary, and gets a few words, except where the script
                   is `toolless`: some clients take edits and commands from the text

The script:

    {"conversations": [
       {"match": "TODO 1: Write", "turns": [
          [{"text": "…"}, {"tool": "Write", "input": {…}}],
          {"fault": 529, "times": 4, "then": [{"text": "…"}]},
          {"fault": "hang", "times": 1, "then": [{"text": "…"}]} ],
        "replies": {"no answer": [{"text": "…"}]} } ]}

A fault is an HTTP status or `hang` (the request is taken and nothing is said until the client leaves); it happens
`times` times, counted over all requests for that turn, before `then` is said. A turn past the end repeats the last one.
Each request is one JSON line in the log, written before it is answered, with the tokens of its answer.
"""

import argparse
import gzip
import json
import select
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from protocols import protocol_of, spent

IDLE = [{"text": "A few words."}]
# What the services call their errors; clients look at the name as well as at the number.
NAMES = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}


class Script:
    """What the model says."""

    def __init__(self, document):
        self.conversations = document["conversations"]
        self.toolless = document.get("toolless", False)
        self.happened = {}
        self.lock = threading.Lock()

    def turn(self, asked):
        """The place in the script, and the fault or the blocks that it gives now."""
        if not asked.tools and not self.toolless:
            return "idle", None, IDLE
        words = "\n".join(asked.words)
        found = [(words.find(one["match"]), number) for number, one in enumerate(self.conversations)]
        _, number = min((place for place in found if place[0] >= 0), default=(0, None))
        if number is None:
            return "unknown", None, IDLE
        for said, blocks in self.conversations[number].get("replies", {}).items():
            if said in asked.words[-1]:
                return f"{number}:reply", None, blocks
        turns = self.conversations[number]["turns"]
        at = min(asked.turns, len(turns) - 1)
        return f"{number}:{at}", *self.now(f"{number}:{at}", turns[at])

    def now(self, place, turn):
        if isinstance(turn, list):
            return None, turn
        with self.lock:
            self.happened[place] = self.happened.get(place, 0) + 1
            over = self.happened[place] > turn["times"]
        return (None, turn["then"]) if over else (turn["fault"], turn["then"])


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    # Some clients check this before they ask anything.
    MODEL = {"id": "scripted", "object": "model", "type": "model", "display_name": "scripted", "owned_by": "us"}

    def do_HEAD(self):
        self.document(200, {})

    def do_GET(self):
        self.server.note(path=self.path)
        found = self.path.split("?")[0].endswith("/models")
        self.document(200 if found else 404, {"object": "list", "data": [self.MODEL] if found else []})

    def do_POST(self):
        path, raw = self.path.split("?")[0], self.body()
        protocol = protocol_of(path)
        if protocol is None:
            self.server.note(path=self.path, place="unknown path")
            counted = {"input_tokens": 10, "totalTokens": 10}
            return self.document(200 if "ount" in path else 404, counted)
        body = json.loads(raw or b"{}")
        self.server.seen.append(raw)
        asked = protocol.asked(body)
        place, fault, blocks = self.server.script.turn(asked)
        used = {} if fault else {"spent": spent(asked.turns)}
        self.server.note(path=path, place=place, fault=fault, tools=asked.tools, **used)
        if fault == "hang":
            return self.hang()
        if fault is not None:
            return self.refuse(fault)
        model = body.get("model") or path.rsplit("/", 1)[-1].split(":")[0]
        if not protocol.streams(path, body):
            return self.document(200, protocol.document(blocks, asked.turns, model))
        self.stream(protocol.events(blocks, asked.turns, model))

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(iter(self.chunk, b""))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

    def chunk(self):
        size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def document(self, status, value, headers=()):
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in (("content-type", "application/json"), ("content-length", str(len(data))), *headers):
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, events):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())
            self.wfile.flush()

    def refuse(self, status):
        name = NAMES.get(status, "api_error")
        error = {"type": name, "message": f"scripted {status}", "code": status, "status": name.upper()}
        self.document(status, {"type": "error", "error": error}, [("retry-after", "1")])

    def hang(self):
        """Says nothing until the client has left."""
        poll = select.poll()
        poll.register(self.connection, select.POLLRDHUP | select.POLLHUP)
        poll.poll()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """The server; port 0 takes any that is free."""

    daemon_threads = True

    def __init__(self, script, log=None, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.script = Script(script)
        self.log = log
        # Every request as it came, for those who ask what a client tells its model.
        self.seen = []
        self.noting = threading.Lock()

    @property
    def port(self):
        return self.server_address[1]

    def note(self, **what):
        if self.log:
            with self.noting, open(self.log, "a", encoding="utf-8") as log:
                log.write(json.dumps(what) + "\n")

    def handle_error(self, request, client_address):
        # A client that was killed leaves its connection; that is what the script is for.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    args = parser.parse_args()
    server = Server(json.loads(args.script.read_text()), args.log, args.port)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
