"""The addresses of a benchmark: its own, and those of two public dialects.

Errors are the objects of `protocol.agents.turns`, with HTTP's status; the first dialect says them as
``error_msg``, with status 200, as its original does.
"""

from __future__ import annotations

from typing import Any, Final

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clients.lab.benchmark import dialects
from clients.lab.benchmark.config import BenchmarkConfig
from clients.lab.benchmark.results import Scorer
from clients.lab.benchmark.runs import BenchmarkHand, Run, Runs
from protocol.agents.observation import closed
from protocol.agents.tools import TEXT, WORD, checked
from protocol.agents.turns import SeatError
from server.room.config import RoomConfig
from server.room.door import listen
from server.room.web.bridge import bearer
from server.room.web.guard import Guard
from server.room.web.seat_api import Handler, answer_json, body_of, refusal
from server.room.web.serving import Browsers
from server.support.console import Console

MOST_BODY: Final = 4096
_SEED: Final = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}
_NEW_RUN: Final = closed(
    {}, {"opponent": WORD, "game": WORD, "label": TEXT, "seed": _SEED, "pair_with": WORD}
)
_BUSY: Final = 409
# Of a request that could be made later: somebody has too much open.


class NotServed(Exception):
    """The port cannot be opened; the message is one line."""


async def serve_benchmark(
    config: BenchmarkConfig, console: Console, *, task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED
) -> None:
    """Serve until cancelled; reports as started with the address.

    Raises:
        NotServed: the port cannot be opened.
    """
    limits = RoomConfig(
        (), host=config.host, http=config.port, is_http_chosen=True, names=config.names,
        requests_per_second=config.requests,
    )  # fmt: skip
    listener = listen(config.host, config.port, NotServed)
    runs = Runs(config, console)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runs.sweep)
            guard = Guard(Service(config, runs).application(), limits, console)
            nursery.start_soon(Browsers(guard, limits, console, (b"/",)).serve, listener)
            host = f"[{config.host}]" if ":" in config.host else config.host
            task_status.started(f"http://{host}:{listener.getsockname()[1]}")
    finally:
        runs.end()


class Service:
    """The addresses.

    Args:
        config: of the benchmark.
        runs: of it.
    """

    def __init__(self, config: BenchmarkConfig, runs: Runs) -> None:
        self._config, self._runs = config, runs
        self._scorer = Scorer(runs)

    def application(self) -> Starlette:
        """The ASGI application."""
        run, hand = "/v1/runs/{run}", "/v1/runs/{run}/hands/{hand:int}"
        served: list[tuple[str, str, Handler]] = [
            ("GET", "/v1/opponents", self._opponents),
            ("POST", "/v1/runs", self._create),
            ("POST", f"{run}/hands", self._deal),
            ("GET", hand, self._look),
            ("POST", f"{hand}/act", self._act),
            ("GET", f"{run}/results", self._results),
            ("POST", f"{run}/close", self._close),
            ("GET", "/v1/leaderboard", self._leaderboard),
            ("POST", "/api/new_hand", self._session_deal),
            ("POST", "/api/act", self._session_act),
            ("POST", "/hands", self._deal),
            ("GET", "/hands/in-progress", self._hands_open),
            ("GET", "/hands/{hand:int}", self._look),
            ("POST", "/hands/{hand:int}/act", self._hands_act),
            ("GET", "/results", self._results),
            ("GET", "/leaderboard", self._leaderboard),
        ]
        return Starlette(
            routes=[Route(path, do, methods=[method]) for method, path, do in served],
            exception_handlers={SeatError: _error},
        )

    # --- our own -------------------------------------------------------------------------------------------

    async def _opponents(self, request: Request) -> Response:
        offered = self._config.opponents.values()
        return answer_json([{**each.as_json(), "games": list(each.games)} for each in offered])

    async def _create(self, request: Request) -> Response:
        body = await body_of(request, MOST_BODY)
        given = checked({name: value for name, value in body.items() if value is not None}, _NEW_RUN)
        pair = given.pop("pair_with", None)
        if pair is not None:  # only its own client may ask for its cards
            given["pair"] = await self._runs.find(_key(request), pair)
        run, key = self._runs.create(**given)
        commitment = getattr(run.cards, "commitment", None)
        told = {"run": run.facts.number, "key": key, "commitment": commitment, "game": run.facts.game}
        return answer_json({**told, "opponent": run.opponent.as_json(), "open_hands": run.most_open}, 201)

    async def _deal(self, request: Request) -> Response:
        run = await self._run(request)
        await body_of(request, MOST_BODY)
        return answer_json(_shown(request, run, await run.open_hand()), 201)

    async def _look(self, request: Request) -> Response:
        run = await self._run(request)
        return answer_json(_shown(request, run, await run.find(request.path_params["hand"])))

    async def _act(self, request: Request) -> Response:
        run = await self._run(request)
        hand = await run.find(request.path_params["hand"])
        receipt = await run.act(hand, await body_of(request, MOST_BODY))
        return answer_json({**receipt, "next": hand.seen()})

    async def _results(self, request: Request) -> Response:
        return answer_json(await self._scorer.results(await self._run(request)))

    async def _close(self, request: Request) -> Response:
        run = await self._run(request)
        await run.close()
        return answer_json(await self._scorer.results(run))

    async def _leaderboard(self, request: Request) -> Response:
        asked = request.query_params
        opponent, game = self._config.offered(asked.get("opponent"), asked.get("game"))
        rows = await self._scorer.leaderboard(opponent, game)
        return answer_json({"opponent": opponent.as_json(), "game": game, "rows": rows})

    async def _run(self, request: Request) -> Run:
        """The run in the path, whose key is the bearer; else that of the key alone, as the second dialect."""
        number = request.path_params.get("run")
        if number is not None:
            return await self._runs.find(_key(request), number)
        run = await self._runs.find(request.headers.get("x-api-key", ""))
        if run.game.num_players != 2:
            raise SeatError("refused", "This dialect is for games for two.")
        return run

    # --- sessions with a token -----------------------------------------------------------------------------

    async def _session_deal(self, request: Request) -> Response:
        token = (await body_of(request, MOST_BODY)).get("token")
        if token:
            run = await self._runs.find(str(token))
        else:
            run, token = self._runs.create(self._first_for_two())
            await run.ready()
        if run.open:
            raise SeatError("busy", "The hand is not over.")
        return _session(run, await run.open_hand(), str(token), "")

    async def _session_act(self, request: Request) -> Response:
        body = await body_of(request, MOST_BODY)
        run = await self._runs.find(str(body.get("token", "")))
        if run.last is None:
            raise SeatError("no_seat", "There is no hand: ask for one.")
        hand = await run.find(run.last.number)
        assert hand.view is not None  # it has been dealt
        old = "".join(dialects.tokens(hand.view.betting))
        await _acted(run, hand, body.get("incr"), body)
        return _session(run, hand, str(body["token"]), old)

    def _first_for_two(self) -> str:
        """The first opponent whose usual game is no-limit for two.

        Raises:
            SeatError: there is none.
        """
        for name, each in self._config.opponents.items():
            game = next(iter(each.games.values()))
            if game.num_players == 2 and not game.is_limit:
                return name
        raise SeatError("no_seat", "Nobody here plays no-limit for two.")

    # --- hands by number -----------------------------------------------------------------------------------

    async def _hands_open(self, request: Request) -> Response:
        run = await self._run(request)
        return answer_json([_shown(request, run, await run.find(hand.number)) for hand in run.open])

    async def _hands_act(self, request: Request) -> Response:
        run = await self._run(request)
        hand = await run.find(request.path_params["hand"])
        body = await body_of(request, MOST_BODY)
        await _acted(run, hand, dialects.action_text(body), body)
        return answer_json(_shown(request, run, hand))


async def _acted(run: Run, hand: BenchmarkHand, text: object, body: dict[str, Any]) -> None:
    """Do what a client of a dialect wants; what names its turn may be sent again.

    Raises:
        SeatError: it cannot be done.
    """
    assert hand.view is not None  # it has been dealt
    turn = str(body.get("turn", hand.turn))
    step = turn.removeprefix(f"1.{hand.number}.")
    done = [word for word in dialects.tokens(hand.view.betting) if word != "/"]
    if turn and turn != hand.turn and step.isdecimal() and done[int(step) : int(step) + 1] == [text]:
        return  # it has been done, and the answer has been lost
    if hand.final is not None:
        raise SeatError("turn_over", "The hand is over.")
    try:
        await run.act(hand, {"turn": turn, **dialects.answer_to(text, hand.view)})
    except SeatError as error:
        raise SeatError(error.code, dialects.fault_of(text, hand.view, error)) from None


def _session(run: Run, hand: BenchmarkHand, token: str, old: str) -> Response:
    assert hand.view is not None  # it has been dealt
    told = dialects.session_answer(hand.view, old, token, hand.turn)
    if hand.final is not None:
        outcome = run.outcome()
        told |= {"session_num_hands": outcome.hands, "session_total": round(outcome.chips_by_seat[0])}
    return answer_json(told)


def _shown(request: Request, run: Run, hand: BenchmarkHand) -> dict[str, Any]:
    """A hand in the words of whoever asks."""
    if "run" in request.path_params:
        return hand.seen()
    assert hand.view is not None  # it has been dealt
    return dialects.hand_answer(hand.view, run.facts.game, hand.number, hand.turn)


# --- requests and answers ----------------------------------------------------------------------------------


async def _error(request: Request, error: Exception) -> Response:
    """A `SeatError` as an answer, in the words of the dialect."""
    assert isinstance(error, SeatError)  # the application asks for no others
    if request.url.path.startswith("/api/"):
        text = "Unknown token" if error.code == "unauthorized" else str(error)
        return answer_json({"error_msg": text}, error.status if error.code == "too_large" else 200)
    response = await refusal(request, error)
    response.status_code = _BUSY if error.code == "busy" else error.status
    return response


def _key(request: Request) -> str:
    return bearer(request.headers.get("authorization", ""))
