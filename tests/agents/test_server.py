#!/usr/bin/env python3
"""The scripted server speaks all four protocols, keeps its place without keeping state, and breaks as it is told."""

import http.client
import json
import threading
import unittest

from clients import CLIENTS
from protocols import PROTOCOLS, protocol_of
from server import Server
from story import TASKS, script

TURNS = [[{"text": "Now."}, {"tool": "write", "input": {"path": "a"}}], [{"text": "Done."}]]
SCRIPT = {"conversations": [{"match": "TODO 1", "turns": TURNS}, {"match": "TODO 2", "turns": [[{"text": "Two."}]]}]}

# One request a protocol: path, body, and how a turn of the model comes back in it.
REQUESTS = {
    "/v1/messages": (
        {"model": "m", "tools": [{"name": "write"}], "messages": [{"role": "user", "content": "do TODO 1"}]},
        ("messages", {"role": "assistant", "content": "Now."}),
    ),
    "/v1/responses": (
        {"model": "m", "tools": [{"name": "write"}], "input": [{"role": "user", "content": "do TODO 1"}]},
        ("input", {"type": "function_call", "name": "write", "arguments": "{}", "call_id": "c"}),
    ),
    "/v1/chat/completions": (
        {
            "model": "m",
            "tools": [{"function": {"name": "write"}}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "do TODO 1"}]}],
        },
        ("messages", {"role": "assistant", "content": "Now."}),
    ),
    "/v1beta/models/m:generateContent": (
        {
            "tools": [{"functionDeclarations": [{"name": "write"}]}],
            "contents": [{"role": "user", "parts": [{"text": "do TODO 1"}]}],
        },
        ("contents", {"role": "model", "parts": [{"text": "Now."}]}),
    ),
}


class ServerTest(unittest.TestCase):
    def serve(self, document):
        server = Server(document)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def ask(self, server, path, body, timeout=30):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
        self.addCleanup(connection.close)
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def test_each_protocol_gives_the_first_turn_and_then_the_next(self):
        server = self.serve(SCRIPT)
        for path, (body, (field, turn)) in REQUESTS.items():
            with self.subTest(path):
                status, first = self.ask(server, path, body)
                self.assertEqual(status, 200)
                self.assertIn("Now.", first)
                self.assertIn('"write"', first)
                again = {**body, field: [*body[field], turn]}
                self.assertIn("Done.", self.ask(server, path, again)[1])
                past = {**body, field: [*body[field], turn, body[field][0], turn, body[field][0], turn]}
                self.assertIn("Done.", self.ask(server, path, past)[1], "the last turn is repeated")

    def test_a_stream_says_the_same_as_a_document(self):
        server = self.serve(SCRIPT)
        for path, (body, _) in REQUESTS.items():
            with self.subTest(path):
                streamed = path.replace(":generate", ":streamGenerate")
                status, text = self.ask(server, streamed, {**body, "stream": True})
                events = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
                values = [json.loads(event) for event in events if event != "[DONE]"]
                self.assertEqual(status, 200)
                self.assertTrue(values)
                self.assertIn("Now.", text)
                self.assertIn("write", text)

    def test_the_task_that_is_named_first_is_meant(self):
        server = self.serve(SCRIPT)
        path, (body, _) = next(iter(REQUESTS.items()))
        body = {**body, "messages": [{"role": "user", "content": "do TODO 2, after TODO 1"}]}
        self.assertIn("Two.", self.ask(server, path, body)[1])

    def test_a_reply_is_given_to_the_last_words_whatever_the_turn(self):
        talk = {"match": "TODO", "turns": [[{"text": "Hm."}]], "replies": {"say it": [{"text": "It."}]}}
        server = self.serve({"conversations": [talk]})
        path, (body, (_, turn)) = next(iter(REQUESTS.items()))
        asked = [*body["messages"], turn, {"role": "user", "content": "now say it"}]
        self.assertIn("It.", self.ask(server, path, {**body, "messages": asked})[1])
        self.assertIn("Hm.", self.ask(server, path, {**body, "messages": [*asked, turn, asked[0]]})[1])

    def test_a_request_without_tools_is_for_a_title(self):
        server = self.serve(SCRIPT)
        for path, (body, _) in REQUESTS.items():
            self.assertIn("A few words.", self.ask(server, path, {**body, "tools": []})[1])

    def test_a_fault_happens_so_many_times_and_then_no_more(self):
        turn = {"fault": 529, "times": 2, "then": [{"text": "Late."}]}
        server = self.serve({"conversations": [{"match": "TODO", "turns": [turn]}]})
        path, (body, _) = next(iter(REQUESTS.items()))
        self.assertEqual([self.ask(server, path, body)[0] for _ in range(3)], [529, 529, 200])
        self.assertIn("Late.", self.ask(server, path, body)[1])

    def test_a_hang_says_nothing_and_holds_up_nobody_else(self):
        turn = {"fault": "hang", "times": 1, "then": [{"text": "Late."}]}
        server = self.serve({"conversations": [{"match": "TODO", "turns": [turn]}]})
        path, (body, _) = next(iter(REQUESTS.items()))
        with self.assertRaises(TimeoutError):
            self.ask(server, path, body, timeout=0.3)
        self.assertIn("Late.", self.ask(server, path, body)[1])

    def test_what_nobody_speaks_is_not_answered(self):
        self.assertEqual(self.ask(self.serve(SCRIPT), "/v1/other", {})[0], 404)
        self.assertIsNone(protocol_of("/v1/other"))
        self.assertEqual({protocol_of(path) for path in REQUESTS}, set(PROTOCOLS))


class StoryTest(unittest.TestCase):
    def test_every_client_has_a_turn_for_every_task(self):
        from pathlib import Path

        for client in CLIENTS:
            document = script(client, Path("/w"), manner="hasty")
            self.assertEqual(len(document["conversations"]), len(TASKS))
            for conversation, task in zip(document["conversations"], TASKS):
                self.assertIn(task.file, json.dumps(conversation["turns"][1]))
                self.assertIn("SUCCESS", json.dumps(conversation["turns"][-1]))


if __name__ == "__main__":
    unittest.main()
