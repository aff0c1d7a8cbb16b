"""A provider of completions as an ASGI application: it plays by a policy, and has one vice or none."""

import json
import sys
from collections.abc import Callable
from typing import Any, Final

import attrs
import trio

Policy = Callable[[dict[str, Any]], dict[str, Any]]

_DEEP: Final = '{"do":' + "[" * 5000 + "]" * 5000 + "}"
BODIES: Final[dict[str, Any]] = {
    "illegal": {"do": "raise", "to": 1}, "wrong tool": None, "bad JSON": '{"do": "call"', "deep": _DEEP,
    "size as text": '{"do": "raise", "to": "10000"}', "NaN": '{"do": "raise", "to": NaN}',
    "5,000 digits": '{"do": "raise", "to": ' + "9" * 5000 + "}", "extra member": '{"do": "call", "why": "I"}',
    "surrogate": '{"do": "\\ud800"}',
}  # fmt: skip
"""Vices of the arguments."""
OWN: Final = ("prose", "prose with JSON", "two calls", "cut off", "null message", *BODIES)
"""Faults of the model."""
THEIRS: Final = (
    "no choices", "not JSON", "deep JSON", "half a JSON", "429", "429 until 2099", "502", "hang", "drip",
    "1 MB", "crash",
)  # fmt: skip
"""Faults of the provider."""
REFUSALS: Final = ("401", "redirect")
VICES: Final = ("none", *OWN, *THEIRS, *REFUSALS, "lying usage")


def completion(message: Any, finish: str = "tool_calls", usage: Any = None) -> dict[str, Any]:
    counted = usage or {
        "prompt_tokens": 600,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 500},
    }
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": counted}


def call_of(arguments: Any, name: str = "act") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}


@attrs.define(eq=False)
class FakeProvider:
    """The application.

    Args:
        policy: from the user message to an answer.
        vice: one of `VICES`.
        every: how often it shows, in requests.
        refuses: members that it does not take.
    """

    policy: Policy
    vice: str = "none"
    every: int = 1
    refuses: tuple[str, ...] = ()
    requests: list[dict[str, Any]] = attrs.Factory(list)
    headers: list[dict[bytes, bytes]] = attrs.Factory(list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["path"] == "/v1/chat/completions"
        data = b""
        while True:
            event = await receive()
            data += event.get("body", b"")
            if not event.get("more_body"):
                break
        body = json.loads(data)
        self.requests.append(body)
        self.headers.append(dict(scope["headers"]))
        for name in self.refuses:
            if name in body:
                fault = json.dumps({"error": {"message": "no", "param": name}}).encode()
                await _reply(send, 400, fault)
                return
        vice = self.vice if len(self.requests) % self.every == 0 else "none"
        answer = self.policy(json.loads(body["messages"][1]["content"]))
        await self._answer(send, vice, answer, uses_tools="tools" in body)

    async def _answer(self, send: Any, vice: str, answer: dict[str, Any], *, uses_tools: bool) -> None:
        said = {"role": "assistant", "content": None, "tool_calls": [call_of(answer)]}
        if not uses_tools:
            said = {"role": "assistant", "content": f"Let me {{see}}. {json.dumps(answer)}"}
        reply: dict[str, Any] | list[Any] = completion(said)
        match vice:
            case "prose" | "prose with JSON":
                text = "I fold {of course}." if vice == "prose" else 'I think {"do": "call"} is best.'
                reply = completion({"role": "assistant", "content": text}, "stop")
            case "two calls":
                reply = completion({"content": None, "tool_calls": [call_of(answer), call_of(answer)]})
            case "wrong tool":
                reply = completion({"content": None, "tool_calls": [call_of({}, "transfer_money")]})
            case "cut off":
                reply = completion(said, "length")
            case "null message":
                reply = completion(None)
            case _ if vice in BODIES:
                reply = completion({"content": None, "tool_calls": [call_of(BODIES[vice])]})
            case "no choices":
                reply = {"choices": []}
            case "lying usage":
                reply = completion(said, usage={"prompt_tokens": -5, "completion_tokens": 1e308})
            case "crash":
                raise RuntimeError("the provider has crashed")
            case "hang":
                await trio.sleep_forever()
        status, headers, sent = 200, [], json.dumps(reply).encode()
        match vice:
            case "not JSON":
                sent = b"<html>busy</html>"
            case "deep JSON":
                sent = sent[:-1] + b', "x": ' + b"[" * 600 + b"]" * 600 + b"}"
            case "half a JSON":
                sent = sent[: len(sent) // 2]
            case "429" | "502" | "401":
                status, headers = int(vice), [(b"retry-after", b"1")] if vice == "429" else []
            case "429 until 2099":
                status, headers = 429, [(b"retry-after", b"Thu, 01 Jan 2099 00:00:00 GMT")]
            case "redirect":
                status, headers = 307, [(b"location", b"http://evil.example/v1/chat/completions")]
            case "1 MB":
                sent = b" " * 2**20 + sent
        await _reply(send, status, sent, headers, drips=vice == "drip")


async def _reply(send: Any, status: int, body: bytes, headers: Any = (), *, drips: bool = False) -> None:
    kind = (b"content-type", b"application/json")
    await send({"type": "http.response.start", "status": status, "headers": [kind, *headers]})
    if drips:
        for byte in body:
            await send({"type": "http.response.body", "body": bytes([byte]), "more_body": True})
            await trio.sleep(1)
    await send({"type": "http.response.body", "body": body})


def pot_odds(seen: dict[str, Any]) -> dict[str, Any]:
    """The rule of the fake model in the guides: calls up to a third of the pot, and never raises."""
    price = seen["legal"]["call"]
    if not price:
        return {"do": "check"}
    return {"do": "call" if 3 * price <= seen["pot"] else "fold"}


def main() -> None:
    """``python -m tests.support.provider PORT``: a fake model that follows a rule, to try the guides."""
    from hypercorn.config import Config
    from hypercorn.trio import serve

    fake = FakeProvider(pot_odds)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])  # which tells the server that there is no such thing
        await fake(scope, receive, send)

    config = Config()
    config.bind = [f"127.0.0.1:{sys.argv[1]}"]
    config.errorlog = None
    trio.run(serve, app, config)


if __name__ == "__main__":
    main()
