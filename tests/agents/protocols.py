"""Four ways in which clients speak with a model, as far as they need it.

Each protocol has three parts: which path it answers, what a request asks (`Asked`), and how one turn of the model looks
as a stream of events or as one document. All of it is pure: requests in, values out.

A turn is a list of blocks: `{"text": …}`, `{"tool": NAME, "input": {…}}`, or `{"custom": NAME, "input": TEXT}` for tools
whose input is a text.
"""

import json
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """What a request asks: the user's words, how many turns the model had already, and the tools on offer."""

    words: list
    turns: int
    tools: list


def protocol_of(path):
    """The protocol that answers a path, or none."""
    return next((one for one in PROTOCOLS if one.path.search(path)), None)


def plain(content):
    """The text in a message's content, whatever its nesting."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return plain(content.get("text") or content.get("content") or content.get("parts") or "")
    return "\n".join(plain(part) for part in content or [])


def runs(flags):
    """The number of unbroken runs of true: one turn of the model may come back as several messages."""
    flags = list(flags)
    return sum(1 for now, before in zip(flags, [False, *flags]) if now and not before)


# What is in the cache of the service, what goes into it, and how much of an answer nobody sees, whatever the turn.
CACHED, STORED, THOUGHT = 64, 30, 5


def spent(turn):
    """What a turn of the model costs: all of its input, the part of it that came from a cache, and all of its output.
    The figures differ from turn to turn, so that a sum says which turns were counted."""
    return {"input": 400 + 7 * turn, "cached": CACHED, "output": 20 + turn}


def call_id(turn, number):
    return f"call_{turn:02}_{number:02}"


class Messages:
    """Anthropic's Messages."""

    path = re.compile(r"/messages$")

    @staticmethod
    def asked(body):
        messages = body.get("messages", [])
        return Asked(
            [plain(m.get("content")) for m in messages if m.get("role") == "user"],
            runs(m.get("role") == "assistant" for m in messages),
            [tool.get("name") for tool in body.get("tools") or []],
        )

    @staticmethod
    def streams(_path, body):
        return bool(body.get("stream"))

    @staticmethod
    def document(blocks, turn, model):
        content = []
        for number, block in enumerate(blocks):
            if "tool" in block:
                call = {"type": "tool_use", "id": "toolu_" + call_id(turn, number)}
                content.append({**call, "name": block["tool"], "input": block["input"]})
            else:
                content.append({"type": "text", "text": block["text"]})
        calls = any(block["type"] == "tool_use" for block in content)
        return {
            "id": f"msg_{turn:04}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": spent(turn)["input"] - CACHED - STORED,
                "cache_read_input_tokens": CACHED,
                "cache_creation_input_tokens": STORED,
                "output_tokens": spent(turn)["output"],
            },
        }

    @classmethod
    def events(cls, blocks, turn, model):
        whole = cls.document(blocks, turn, model)
        begun = {**whole, "content": [], "stop_reason": None}
        yield "message_start", {"type": "message_start", "message": begun}
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                empty = {**block, "input": {}}
            start = {"type": "content_block_start", "index": index, "content_block": empty}
            yield start["type"], start
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
            yield "content_block_stop", {"type": "content_block_stop", "index": index}
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": end, "usage": whole["usage"]}
        yield "message_stop", {"type": "message_stop"}


class Responses:
    """OpenAI's Responses."""

    path = re.compile(r"/responses$")
    MADE = {"function_call", "custom_tool_call", "reasoning"}

    @classmethod
    def asked(cls, body):
        items = body.get("input") or []
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
        role = lambda item: item.get("role") if item.get("type", "message") == "message" else None  # noqa: E731
        return Asked(
            [plain(item.get("content")) for item in items if role(item) == "user"],
            runs(role(item) == "assistant" or item.get("type") in cls.MADE for item in items),
            [tool.get("name") or tool.get("type") for tool in body.get("tools") or []],
        )

    @staticmethod
    def streams(_path, body):
        return bool(body.get("stream"))

    @staticmethod
    def document(blocks, turn, model):
        output = []
        for number, block in enumerate(blocks):
            call = {"id": f"item_{turn}_{number}", "call_id": call_id(turn, number), "status": "completed"}
            if "custom" in block:
                name = {"name": block["custom"], "input": block["input"]}
                output.append({"type": "custom_tool_call", **call, **name})
            elif "tool" in block:
                name = {"name": block["tool"], "arguments": json.dumps(block["input"])}
                name |= {"namespace": block["namespace"]} if "namespace" in block else {}
                output.append({"type": "function_call", **call, **name})
            else:
                said = [{"type": "output_text", "text": block["text"], "annotations": []}]
                item = {"type": "message", "role": "assistant", "id": call["id"], "status": "completed"}
                output.append({**item, "content": said})
        return {
            "id": f"resp_{turn:04}",
            "object": "response",
            "status": "completed",
            "model": model,
            "output": output,
            "usage": {
                "input_tokens": spent(turn)["input"],
                "input_tokens_details": {"cached_tokens": CACHED},
                "output_tokens": spent(turn)["output"],
                "output_tokens_details": {"reasoning_tokens": THOUGHT},
                "total_tokens": spent(turn)["input"] + spent(turn)["output"],
            },
        }

    @classmethod
    def events(cls, blocks, turn, model):
        whole = cls.document(blocks, turn, model)
        listed = [("response.created", {"response": {**whole, "status": "in_progress", "output": []}})]
        for index, item in enumerate(whole["output"]):
            listed.append(("response.output_item.added", {"output_index": index, "item": item}))
            if item["type"] == "message":
                place = {"item_id": item["id"], "output_index": index, "content_index": 0}
                text = item["content"][0]["text"]
                listed.append(("response.output_text.delta", {**place, "delta": text}))
            listed.append(("response.output_item.done", {"output_index": index, "item": item}))
        listed.append(("response.completed", {"response": whole}))
        for number, (name, event) in enumerate(listed):
            yield name, {"type": name, "sequence_number": number, **event}


class Chat:
    """OpenAI's Chat Completions, which many others speak too."""

    path = re.compile(r"/chat/completions$")

    @staticmethod
    def asked(body):
        messages = body.get("messages", [])
        return Asked(
            [plain(m.get("content")) for m in messages if m.get("role") == "user"],
            runs(m.get("role") == "assistant" for m in messages),
            [tool.get("function", {}).get("name") for tool in body.get("tools") or []],
        )

    @staticmethod
    def streams(_path, body):
        return bool(body.get("stream"))

    @staticmethod
    def document(blocks, turn, model):
        text = "".join(block.get("text", "") for block in blocks)
        message = {"role": "assistant", "content": text or None}
        called = [block for block in blocks if "tool" in block]
        if called:
            message["tool_calls"] = [
                {
                    "index": number,
                    "id": call_id(turn, number),
                    "type": "function",
                    "function": {"name": block["tool"], "arguments": json.dumps(block["input"])},
                }
                for number, block in enumerate(called)
            ]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if called else "stop"}
        return {
            "id": f"chatcmpl-{turn:04}",
            "object": "chat.completion",
            "created": 1700000000,
            "model": model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": spent(turn)["input"],
                "prompt_tokens_details": {"cached_tokens": CACHED},
                "completion_tokens": spent(turn)["output"],
                "completion_tokens_details": {"reasoning_tokens": THOUGHT},
                "total_tokens": spent(turn)["input"] + spent(turn)["output"],
            },
        }

    @classmethod
    def events(cls, blocks, turn, model):
        whole = cls.document(blocks, turn, model)
        choice = whole["choices"][0]
        base = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
        yield None, {**base, "choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]}
        end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        yield None, {**base, "choices": [end]}
        yield None, {**base, "choices": [], "usage": whole["usage"]}
        yield None, "[DONE]"


class Contents:
    """Google's generateContent."""

    path = re.compile(r":(stream)?[gG]enerateContent$")

    @staticmethod
    def asked(body):
        contents = body.get("contents", [])
        groups = body.get("tools") or []
        return Asked(
            [plain(c.get("parts")) for c in contents if c.get("role") == "user"],
            runs(c.get("role") == "model" for c in contents),
            [tool.get("name") for group in groups for tool in group.get("functionDeclarations") or []],
        )

    @staticmethod
    def streams(path, _body):
        return ":stream" in path

    @staticmethod
    def document(blocks, turn, model):
        parts = []
        for number, block in enumerate(blocks):
            if "tool" in block:
                call = {"id": call_id(turn, number), "name": block["tool"], "args": block["input"]}
                parts.append({"functionCall": call, "thoughtSignature": "c2lnbmVk"})
            else:
                parts.append({"text": block["text"]})
        content = {"role": "model", "parts": parts}
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            # What nobody sees of an answer is no part of its candidates here.
            "usageMetadata": {
                "promptTokenCount": spent(turn)["input"],
                "cachedContentTokenCount": CACHED,
                "candidatesTokenCount": spent(turn)["output"] - THOUGHT,
                "thoughtsTokenCount": THOUGHT,
                "totalTokenCount": spent(turn)["input"] + spent(turn)["output"],
            },
            "modelVersion": model,
            "responseId": f"resp_{turn:04}",
        }

    @classmethod
    def events(cls, blocks, turn, model):
        yield None, cls.document(blocks, turn, model)


PROTOCOLS = (Messages, Responses, Chat, Contents)
