"""The tools of `protocol.agents.tools` as an MCP server; no state hangs on a session.

The low-level server is used since the decorated one coerces arguments, adds text of its own to errors and
prints everything twice.  Errors are results, with the object of every other door as their content.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import trio
from mcp import MCPError, types
from mcp.server import Server
from starlette.responses import JSONResponse

from protocol.agents.observation import rules_in_words, view_of
from protocol.agents.tools import PLAY, TOOLS, Desk, call
from protocol.agents.turns import SeatError
from server.support.seat_tokens import same_token
from server.support.talk import beside

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BODY: Final = 16 * 1024
_PROGRESS_S: Final = 15.0
_RULES, _HAND = "riverboat://rules", "riverboat://hand"
_HOUR_MS: Final = 3_600_000

DeskOf = Callable[[Any], Awaitable[Desk]]
"""The desk of whoever asks, by the request's context.

Raises:
    SeatError: they have none.
"""


def server_of(desk_of: DeskOf, *, in_room: bool) -> Server[Any]:
    """The server of one desk, or of many.

    Args:
        desk_of: finds the desk.
        in_room: the desks are in a room; otherwise at a match, where nobody chooses a table.
    """
    tools = {name: tool for name, tool in TOOLS.items() if in_room or not tool.is_for_rooms}

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        told = [
            types.Tool(name=name, description=tool.text, input_schema=tool.arguments)
            for name, tool in tools.items()
        ]
        return types.ListToolsResult(tools=told)

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            if params.name not in tools:
                raise SeatError("format", f"there is no tool of that name; there are {', '.join(tools)}")
            desk = await desk_of(ctx)
            async with beside(_report_progress, ctx):
                found = await call(desk, params.name, params.arguments or {}, trio.move_on_after)
        except SeatError as error:
            return _result(error.as_json(), is_error=True)
        return _result(found)

    async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
        told = [
            types.Resource(name="rules", uri=_RULES, mime_type="text/plain", description="What is played."),
            types.Resource(name="hand", uri=_HAND, mime_type="application/json", description="The hand now."),
        ]
        return types.ListResourcesResult(resources=told)

    async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            book = (await desk_of(ctx)).book
        except SeatError as error:
            return _resource(str(params.uri), json.dumps(error.as_json()), "application/json")
        seen = book.observation()
        if str(params.uri) == _HAND:
            return _resource(_HAND, json.dumps(seen), "application/json")
        if str(params.uri) != _RULES:
            raise MCPError(types.INVALID_PARAMS, f"there are the resources {_RULES} and {_HAND}")
        seen = seen if "game" in seen else book.last_hand or seen
        if "game" not in seen:
            return _resource(_RULES, "No hand has been dealt yet.", "text/plain")
        text = f"{rules_in_words(view_of(seen).game)}\n\n{seen['game']['definition'].replace(';', chr(10))}\n"
        return _resource(_RULES, text, "text/plain", ttl_ms=_HOUR_MS, scope="public")

    async def list_prompts(ctx: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="play", description="Play until the end.")])

    async def get_prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=PLAY))
        return types.GetPromptResult(messages=[said])

    return Server(
        "riverboat",
        version=version("riverboat"),
        instructions=PLAY,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _result(value: Mapping[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(value, separators=(",", ":")))
    return types.CallToolResult(content=[text], structured_content=dict(value), is_error=is_error)


def _resource(
    uri: str, text: str, kind: str, *, ttl_ms: int = 0, scope: Any = "private"
) -> types.ReadResourceResult:
    content = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    return types.ReadResourceResult(contents=[content], ttl_ms=ttl_ms, cache_scope=scope)


async def _report_progress(ctx: Any) -> None:
    """Tell a client that wants to know that its call is still being worked on, until cancelled."""
    for number in itertools.count(1):
        await trio.sleep(_PROGRESS_S)
        await ctx.session.report_progress(number)


class Bearer:
    """An application for those who know a token.

    Args:
        app: the application.
        token: which a request must bear.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            kind, _, token = dict(scope["headers"]).get(b"authorization", b"").partition(b" ")
            if kind.lower() != b"bearer" or not same_token(token.strip(), self._expected):
                error = SeatError("unauthorized", "Authorization: Bearer TOKEN is missing or wrong.")
                refusal = JSONResponse(error.as_json(), error.status, {"www-authenticate": "Bearer"})
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)
