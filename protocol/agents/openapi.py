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
ADDRESSES: Final = {
    "tables": ("GET", f"{ROOT}/tables", 200, "Tables"),
    "sit": ("POST", f"{ROOT}/seats", 201, "Seat"),
    "wait_for_turn": ("GET", f"{SEAT}/turn", 200, "Seen"),
    "act": ("POST", f"{SEAT}/act", 200, "Receipt"),
    "last_hand": ("GET", f"{SEAT}/last", 200, "Seen"),
    "top_up": ("POST", f"{SEAT}/top-up", 202, "Status"),
    "leave": ("DELETE", SEAT, 204, ""),
}
"""Where the tools are asked for: method, path, the answer's status, and the name of its schema."""
_WAITS: Final = ("wait_for_turn", "act")
_REFUSALS: Final = {"sit": ("unauthorized", "refused"), "act": ("turn_over", "illegal")}
_SITTING: Final[list[dict[str, list[str]]]] = [{}, {"player": []}]


def openapi() -> dict[str, Any]:
    """The document."""
    components = json.loads(Path(__file__).with_name("components.json").read_text("utf-8"))
    error = closed({"error": {"enum": list(STATUSES)}, "message": {"type": "string"}})
    components["schemas"] |= {
        "Observation": observation.SCHEMA, "Error": {**error, "additionalProperties": True},
    }  # fmt: skip
    paths: dict[str, dict[str, Any]] = {}
    for tool, (method, path, _, _) in ADDRESSES.items():
        paths.setdefault(path, {})[method.lower()] = _operation(tool)
    info = {"title": "Seats of a Riverboat room", "version": version("riverboat")}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": components}


def _operation(tool: str) -> dict[str, Any]:
    """The entry of one of `ADDRESSES`."""
    method, path, status, answer = ADDRESSES[tool]
    text, codes = TOOLS[tool].text, ["too_many", "busy", *_REFUSALS.get(tool, ())]
    told: dict[str, Any] = {"summary": text}
    if tool == "sit":
        told["security"] = _SITTING
    if path.startswith(SEAT):
        codes += ["unauthorized", "no_seat", "closed", "format"]
        seat = {"name": "seat", "in": "path", "required": True, "schema": {"type": "string"}}
        seconds = {"type": "integer", "minimum": 0, "maximum": MOST_WAIT_S}
        wait = [{"name": "wait", "in": "query", "schema": seconds}] if tool in _WAITS else []
        told |= {"security": [{"key": []}], "parameters": [seat, *wait]}
    codes += {"GET": [], "DELETE": ["forbidden"], "POST": ["forbidden", "format", "too_large"]}[method]
    answers = {str(STATUSES[code]): {"description": code, **_content(_ref("Error"))} for code in codes}
    if method == "POST":
        answers["415"] = {"description": "not application/json"}
        told["requestBody"] = {"required": True, **_content(TOOLS[tool].arguments)}
    answers[str(status)] = {"description": text, **(_content(_ref(answer)) if answer else {})}
    return {**told, "responses": answers}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _content(schema: Schema) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}
