"""The OpenAPI document of the seats of agents, made from `protocol.agents.tools`, as MCP's tools are."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from protocol.agents import observation
from protocol.agents.observation import Schema, closed
from protocol.agents.tools import MOST_WAIT_S, TOOLS
from protocol.agents.turns import STATUSES

ROOT: Final = "/api/v1"
SEAT: Final = f"{ROOT}/seats/{{seat}}"
_STATUS: Final[Schema] = closed({"status": {"enum": ["waiting", "lobby", "closed", "your_turn"]}})
_LIMITS: Final = ("too_many", "busy")
_OF_SEAT: Final = ("unauthorized", "no_seat", "closed", "format", *_LIMITS)


def openapi() -> dict[str, Any]:
    """The document."""
    components = json.loads(Path(__file__).with_name("components.json").read_text("utf-8"))
    error = closed({"error": {"enum": list(STATUSES)}, "message": {"type": "string"}})
    schemas = components["schemas"] | {
        "Observation": observation.SCHEMA, "Error": {**error, "additionalProperties": True},
    }  # fmt: skip
    seat = {"name": "seat", "in": "path", "required": True, "schema": {"type": "string"}}
    seconds = {"type": "integer", "minimum": 0, "maximum": MOST_WAIT_S}
    wait = {"name": "wait", "in": "query", "schema": seconds}
    held: dict[str, Any] = {"security": [{"key": list[str]()}], "parameters": [seat]}
    polled = {**held, "parameters": [seat, wait]}
    rows = {"type": "array", "items": {"type": "object"}}
    sit = _operation(
        "sit", "201", _ref("Seat"), "format", "unauthorized", "forbidden", "refused", "too_large", *_LIMITS,
        has_body=True, security=[{}, {"player": []}],
    )  # fmt: skip
    act = _operation(
        "act", "200", _ref("Receipt"), "turn_over", "illegal", "forbidden", "too_large", *_OF_SEAT,
        has_body=True, **polled,
    )  # fmt: skip
    top_up = _operation("top_up", "202", _STATUS, "forbidden", "too_large", *_OF_SEAT, has_body=True, **held)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Seats of a Riverboat room", "version": version("riverboat")},
        "paths": {
            f"{ROOT}/tables": {"get": _operation("tables", "200", rows, *_LIMITS)},
            f"{ROOT}/seats": {"post": sit},
            f"{SEAT}/turn": {"get": _operation("wait_for_turn", "200", _ref("Seen"), *_OF_SEAT, **polled)},
            f"{SEAT}/act": {"post": act},
            f"{SEAT}/last": {"get": _operation("last_hand", "200", _ref("Seen"), *_OF_SEAT, **held)},
            f"{SEAT}/top-up": {"post": top_up},
            SEAT: {"delete": _operation("leave", "204", None, "forbidden", *_OF_SEAT, **held)},
        },
        "components": {**components, "schemas": schemas},
    }


def _operation(
    tool: str, status: str, answer: Schema | None, *codes: str, has_body: bool = False, **more: Any
) -> dict[str, Any]:
    """One address's entry.

    Args:
        tool: what it does, by a name of `TOOLS`.
        status: of the answer.
        answer: its schema.
        codes: of errors.
        has_body: the tool's arguments are the request's body.
        more: further members.
    """
    text = TOOLS[tool].text
    told: dict[str, Any] = {status: {"description": text, **_content(answer)}}
    told |= {str(STATUSES[code]): {"description": code, **_content(_ref("Error"))} for code in codes}
    if has_body:
        more["requestBody"] = {"required": True, **_content(TOOLS[tool].arguments)}
        told |= {"415": {"description": "not application/json"}}
    return {"summary": text, "responses": told, **more}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _content(schema: Schema | None) -> dict[str, Any]:
    return {} if schema is None else {"content": {"application/json": {"schema": schema}}}
