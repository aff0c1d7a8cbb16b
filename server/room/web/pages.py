"""The pages and their addresses, made from templates that escape everything that others wrote."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
import trio
from jinja2 import Environment
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Scope
from starlette.websockets import WebSocket

from engine.poker.rules import GameDefinition
from engine.poker.rules.game_definition import UNLIMITED_STACK
from engine.poker.rules.hand_words import format_chips
from engine.support.palette import style_of_pages
from protocol.agents.turns import SeatError
from server.records.curves import curve
from server.records.formats.said import FormatError
from server.records.pages import PHONE, page_environment
from server.room.config import NAME, TableConfig
from server.room.hosting import bots_of, host_of
from server.room.ledger.tallies import LEAST_HANDS
from server.room.room import Room
from server.room.tables.contest import Contest, ordinal
from server.room.tables.table import RoomTable
from server.room.web.advice import Trainer
from server.room.web.audience import Broadcasts, EventStream
from server.room.web.bridge import MCP_PATH, Bridges, McpDoor
from server.room.web.figures import Figures, health, may_see
from server.room.web.past import MOST_STANDINGS, PAGE, Past, PastHand, hand_history
from server.room.web.scenes import company, draw, steps
from server.room.web.seat import seat
from server.room.web.seat_api import SeatApi, answer_json, refusal
from server.support.console import Console
from server.table.rules.sit_and_go import prizes_by_place

_HERE: Final = Path(__file__).parent
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_MOST_HANDS: Final = 2**32
_LARGE: Final = (720.0, 240.0)
_DAY_S: Final = 86_400
T = TypeVar("T")


class Pages:
    """The pages of a room.

    Args:
        room: the open room.
        nursery: in which those live who watch, and agents.
        console: for the operator.
    """

    def __init__(self, room: Room, nursery: trio.Nursery, console: Console) -> None:
        bridges = Bridges(room.door, nursery, console)
        self._room = room
        self._is_late = room.config.watch_after > 0
        self.agents: Final = SeatApi(bridges, self._rows)
        """The seats of agents."""
        self._mcp = McpDoor(bridges, nursery) if find_spec("mcp") is not None else None
        self.figures: Figures | None = None
        """Figures for the operator; None before there are any."""
        self.broadcasts: Final = Broadcasts(room, nursery)
        """For those who watch."""
        self._trainer = Trainer(console, room.config.data)
        self.past: Final = Past(room.config.data, room.config.watch_after, room.config.show_cards_after)
        """What has been played."""
        files = {path.name: (path.read_bytes(), _TYPES[path.suffix]) for path in (_HERE / "static").iterdir()}
        style, kind = files["style.css"]
        files["style.css"] = style_of_pages().encode() + style + PHONE.read_bytes(), kind
        version = hashlib.sha256(b"".join([text for _, (text, _) in sorted(files.items())])).hexdigest()[:12]
        # In the path, so that what a script imports has it, too: browsers keep files of one version together.
        self._files = {f"{version}/{name}": file for name, file in files.items()}
        self._templates = _environment(version)

    def application(self) -> Starlette:
        """The application that answers."""
        return Starlette(
            routes=[
                Route("/", self._lobby),
                Route("/tables.json", self.agents.tables),
                Route("/tables/{table}.json", self._table_json),
                Route("/tables/{table}", self._table),
                Route("/tables/{table}/events", self._events),
                Route("/tables/{table}/hands", self._hands),
                Route("/tables/{table}/hands/{number}.{ending}", self._download),
                Route("/tables/{table}/hands/{number}", self._hand),
                Route("/standings", self._standings),
                Route("/players/{player}", self._player),
                Route("/static/{file:path}", self._static),
                Route("/metrics", self._metrics),
                Route("/healthz", self._health),
                WebSocketRoute("/seat", self._seat),
                *self.agents.routes(),
                *([] if self._mcp is None else [Route(MCP_PATH, self._mcp)]),
            ],
            exception_handlers={HTTPException: self._excuse, SeatError: refusal},
        )

    def has_limits(self, scope: Scope) -> bool:
        """Whether a request is from a seat that is known, and has limits of its own."""
        return self.agents.knows(scope) or (self._mcp is not None and self._mcp.knows(scope))

    def _page(self, template: str, status: int = 200, **content: Any) -> Response:
        text = self._templates.get_template(f"{template}.html.j2").render(content)
        return HTMLResponse(text, status, {"cache-control": "no-store"})

    async def _excuse(self, request: Request, error: Exception) -> Response:
        status = HTTPStatus(getattr(error, "status_code", 500))
        response = self._page("message", status.value, heading=status.phrase, text=_EXCUSES.get(status, ""))
        response.headers.update(getattr(error, "headers", None) or {})
        return response

    # --- the room --------------------------------------------------------------------------------------

    def _rows(self) -> list[dict[str, Any]]:
        """The open tables."""
        return [_row(each, self._is_late) for each in self._room.tables.values() if not each.config.private]

    async def _lobby(self, request: Request) -> Response:
        rows = self._rows()
        return self._page("lobby", tables=rows, config=self._room.config, best=_best(rows))

    async def _static(self, request: Request) -> Response:
        text, kind = _there(self._files.get(request.path_params["file"]))
        return Response(text, media_type=kind, headers={"cache-control": f"max-age={_DAY_S}"})

    # --- for the operator ------------------------------------------------------------------------------

    async def _metrics(self, request: Request) -> Response:
        address, figures = request.client.host if request.client else "", _there(self.figures)
        if not may_see(self._room.config.data, address, request.headers.get("authorization", "")):
            return PlainTextResponse("Figures are for the operator.\n", 403)
        return Response(figures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _health(self, request: Request) -> Response:
        status, body = health(self._room)
        return JSONResponse(body, status)

    # --- a table ---------------------------------------------------------------------------------------

    async def _table(self, request: Request) -> Response:
        table = _there(self._room.tables.get(request.path_params["table"]))
        config = table.config
        past = [] if config.sit_and_go is None else await self.past.sit_and_gos(config.name)
        return self._page(
            "table",
            table=_row(table, self._is_late),
            bots=_kinds(bots_of(self._room.config)) if config.opener is not None else None,
            config=config,
            prizes=_prizes(config),
            past=past,
            guests=self._room.config.guests,
        )

    async def _table_json(self, request: Request) -> Response:
        return answer_json(_row(_there(self._room.tables.get(request.path_params["table"])), self._is_late))

    async def _events(self, request: Request) -> EventStream:
        return EventStream(_there(self.broadcasts.watch(request.path_params["table"])))

    async def _seat(self, websocket: WebSocket) -> None:
        await seat(websocket, self._room.door, self._trainer)

    # --- what was played -------------------------------------------------------------------------------

    async def _hands(self, request: Request) -> Response:
        name = request.path_params["table"]
        before = request.query_params.get("before")
        until = None if before is None else _number(before)
        found = _there(await self.past.hands(name, until) if _is_name(name) else None)
        older = found.before - PAGE if found.before > PAGE else None
        newer = found.before + PAGE if found.before < found.next_hand else None
        return self._page("hands", name=name, found=found, older=older, newer=newer)

    async def _past_hand(self, request: Request) -> PastHand:
        name, number = request.path_params["table"], _number(request.path_params["number"])
        return _there(await self.past.hand(name, number) if _is_name(name) else None)

    async def _download(self, request: Request) -> Response:
        ending, hand = request.path_params["ending"], await self._past_hand(request)
        if ending not in ("phh", "txt"):
            raise _nothing()
        try:
            return PlainTextResponse(hand_history(hand, ending))
        except FormatError as error:
            return PlainTextResponse(f"This hand cannot be written as {ending}: {error}.\n", 409)

    async def _hand(self, request: Request) -> Response:
        hand = await self._past_hand(request)
        return self._page(
            "hand",
            name=request.path_params["table"],
            hand=hand,
            game=_describe(hand.shown.game),
            scene=draw(hand.shown),
            steps=steps(hand.shown),
        )

    async def _standings(self, request: Request) -> Response:
        found = await self.past.standings()
        return self._page("standings", games=found, most=MOST_STANDINGS, least=LEAST_HANDS)

    async def _player(self, request: Request) -> Response:
        name = request.path_params["player"]
        width, height = _LARGE
        drawn = partial(curve, width=width, height=height)
        found = _there(await self.past.standing(name, drawn) if _is_name(name) else None)
        return self._page("player", player=found, size=_LARGE)


_EXCUSES: Final = {
    HTTPStatus.NOT_FOUND: "There is nothing here: the table has closed, or the hand is told later.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Pages are read here, and nothing is sent to them.",
}


def _nothing() -> Exception:
    return HTTPException(HTTPStatus.NOT_FOUND)


def _there(found: T | None) -> T:
    """The thing that was asked for, if there is one."""
    if found is None:
        raise _nothing()
    return found


def _is_name(text: str) -> bool:
    return NAME.fullmatch(text) is not None


def _number(text: str) -> int:
    """The number of a hand."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_HANDS))):
        raise _nothing()
    return int(text)


def _row(table: RoomTable, is_late: bool) -> dict[str, Any]:
    """A table's entry in the lobby.

    Args:
        table: the table.
        is_late: those who only watch are told later: what came of its hands is left out.
    """
    config = table.config
    host = host_of(table.company) if config.opener is not None else None
    return {
        "name": config.name,
        "game": _describe(config.game if table.company.contest is None else table.company.contest.game()),
        "policy": str(config.policy),
        "stakes": _stakes(config),
        "seats": company(table.places, is_late),
        "exhibition": config.exhibition,
        "host": None if host is None else host.player.name,
        "now": _now(table),
        "hands": None if is_late else table.hands_played,
        "paused": table.is_paused or table.company.is_held,
        "chat": config.chat,
        "fill": _kinds(config.fill),
        "unfilled": _kinds(table.company.filling.unfilled),
        "contest": None if table.company.contest is None else _contest(table.company.contest, is_late),
    }


def _kinds(bots: Iterable[str]) -> list[str]:
    """Bots without their options, each once."""
    return list(dict.fromkeys(bot.partition(":")[0] for bot in bots))


def _best(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The table at which a newcomer plays soonest: no contest, some people there, a seat to be had."""

    def rank(row: Mapping[str, Any]) -> tuple[bool, int, bool, int]:
        people = sum(seat is not None and not seat["house"] for seat in row["seats"])
        return row["exhibition"], -people, row["game"].startswith("limit"), -len(row["seats"])

    seated = [row for row in rows if not row["contest"] and not row["paused"]]
    free = [row for row in seated if any(seat is None or seat["house"] for seat in row["seats"])]
    alone = [row for row in free if row["fill"] or any(row["seats"])]
    return min(alone or free, key=rank)["name"] if free else None


def _now(table: RoomTable) -> str:
    """The goings-on at a table, in a few words."""
    people = sum(place is not None and not place.is_house for place in table.places)
    if table.is_paused:
        return "Paused: the room cannot write its ledger."
    if table.company.is_held:
        return "Paused by the host."
    if table.company.contest is not None and table.company.contest.is_on:
        return "A sit-and-go is on."
    if table.is_playing:
        who = f"{people} {'person' if people == 1 else 'people'}" if people else "bots alone"
        return f"A hand is being played by {who}."
    return f"{people} waiting for others." if people else "Nobody plays yet: sit down, and it begins."


def _contest(contest: Contest, is_late: bool) -> dict[str, Any]:
    """The standing of a table's sit-and-go, or the end of the last one."""
    level = contest.level
    levels = contest.terms.levels
    following = str(levels[level + 1]) if level + 1 < len(levels) else ""
    return {
        "on": contest.is_on,
        "level": level + 1,
        "blinds": str(levels[level]),
        "next": following,
        "entrants": contest.entrants,
        "left": None if is_late else contest.entrants - len(contest.out),
        "prizes": contest.prizes,
        "out": [attrs.asdict(each) for each in contest.out if not is_late],
    }


def _prizes(config: TableConfig) -> list[int]:
    """The prizes of a table's sit-and-go, by place, as far as there are any."""
    terms = config.sit_and_go
    found = () if terms is None else prizes_by_place(config.least * config.seats, terms.payouts, config.seats)
    return [prize for prize in found if prize]


def _describe(game: GameDefinition) -> str:
    """``no-limit hold'em, blinds 5/10``."""
    blinds = "/".join(map(str, sorted({blind for blind in game.blinds if blind})))
    antes = max(game.antes_posted, default=0)
    return game.kind + (f", blinds {blinds}" if blinds else "") + (f", antes {antes}" if antes else "")


def _stakes(config: TableConfig) -> str:
    if config.policy == "match":
        stack = max(config.game.stacks)
        return "unlimited chips" if stack >= UNLIMITED_STACK else f"{stack:,} chips each hand"
    if config.policy == "sit-and-go":
        return f"{config.least:,} chips for a sit-and-go"
    return f"bring {config.least:,} to {config.most:,} chips"


def _environment(version: str) -> Environment:
    environment = page_environment(
        _HERE / "templates",
        chips=format_chips,
        signed=lambda chips: format_chips(chips, sign=True),
        when=lambda at: datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        ordinal=ordinal,
    )
    environment.globals["version"] = version
    return environment
