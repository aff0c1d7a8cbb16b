"""The benchmark: its own requests, two public dialects, results, and what survives."""

import random
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import httpx2
import pytest
import trio
import trio.testing

from clients.bots.baselines import Random
from clients.lab.benchmark import results
from clients.lab.benchmark.config import BenchmarkConfig, Opponent, default_benchmark, load_benchmark
from clients.lab.benchmark.dialects import answer_to, tokens
from clients.lab.benchmark.runs import Runs
from clients.lab.benchmark.service import Service
from engine.poker.rules import CALL, Action, CardDealer, HandView, initial_hand, load_game
from protocol.agents.answers import answer_of
from protocol.agents.turns import SeatError
from server.records.verification.log_checker import verify_log
from server.support.console import Console
from server.support.toml_text import FileMistake
from tests.support.cases import cases
from tests.support.hands.strategies import choose

GAMES = {name: load_game(name) for name in ("nolimit-2p", "limit-2p", "nolimit-3p")}


def config_in(folder: Path, **changes: Any) -> BenchmarkConfig:
    opponents = {
        bot: Opponent(bot, bot, "1", GAMES, is_stateless)
        for bot, is_stateless in (("random", True), ("simple", True), ("heuristic", False))
    }
    return attrs.evolve(BenchmarkConfig(opponents, folder / "runs"), **changes)


@asynccontextmanager
async def client_of(config: BenchmarkConfig) -> AsyncIterator[httpx2.AsyncClient]:
    runs = Runs(config, Console())
    transport = httpx2.ASGITransport(Service(config, runs).application())
    try:
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield client
    finally:
        runs.end()


class Player:
    """A client of the benchmark's own requests."""

    def __init__(self, client: httpx2.AsyncClient, run: dict[str, Any]) -> None:
        self.run = run
        self._client = client
        self._headers = {"Authorization": f"Bearer {run['key']}"}

    @classmethod
    async def sits_down(cls, client: httpx2.AsyncClient, **wanted: Any) -> "Player":
        response = await client.post("/v1/runs", json={"opponent": "random", **wanted})
        assert response.status_code == 201, response.text
        return cls(client, response.json())

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        address = f"/v1/runs/{self.run['run']}/{path}"
        response = await self._client.post(address, json=body or {}, headers=self._headers)
        assert response.status_code == status, response.text
        return response.json()

    async def get(self, path: str, status: int = 200) -> Any:
        response = await self._client.get(f"/v1/runs/{self.run['run']}/{path}", headers=self._headers)
        assert response.status_code == status, response.text
        return response.json()

    async def plays(self, hands: int, choose: Callable[[dict[str, Any]], dict[str, Any]]) -> list[Any]:
        over = []
        for _ in range(hands):
            seen = await self.post("hands", status=201)
            while seen["status"] == "your_turn":
                body = {"turn": seen["turn"], **choose(seen)}
                seen = (await self.post(f"hands/{seen['hand']}/act", body))["next"]
            over.append(seen)
        return over


def calls(seen: dict[str, Any]) -> dict[str, Any]:
    return {"do": "call"}


def at_random(seed: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    rng = random.Random(seed)

    def chosen(seen: dict[str, Any]) -> dict[str, Any]:
        legal = seen["legal"]
        if legal["raise"] and rng.random() < 0.3:
            least, most = legal["raise"]["least"], legal["raise"]["most"]
            return {"do": "raise", "to": rng.choice([least, most, rng.randint(least, most)])}
        return {"do": "fold"} if legal["fold"] and rng.random() < 0.2 else {"do": "call"}

    return chosen


# --- its own requests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
async def test_a_run_is_a_match_folder_that_can_be_verified(game: str, tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        player = await Player.sits_down(client, game=game, label="mine")
        over = await player.plays(15, at_random(1))
        before = await player.get("results")
        closed = await player.post("close")

    chips = [each["won"]["0"] for each in over]
    assert closed["hands"] == before["hands"] == 15
    assert closed["mbb_per_hand"] == pytest.approx(sum(chips) / 15 * 1000 / GAMES[game].big_blind)
    assert closed["final"]
    assert closed["ci95"] > 0
    assert before["aivat"] or before["equity"]
    assert "key" not in before
    found = verify_log(tmp_path / "runs" / player.run["run"] / "match.log")
    assert (found.problem, found.hands, found.is_complete) == (None, 15, True)
    assert found.cards == f"key {closed['key'][:8]}..."
    assert player.run["commitment"] in (tmp_path / "runs" / player.run["run"] / "match.log").read_text()


async def test_the_same_seed_gives_the_same_hands(tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        players = [await Player.sits_down(client, seed=7) for _ in range(2)]
        over = [await player.plays(20, at_random(3)) for player in players]

    assert over[0] == over[1]


async def test_an_act_that_is_repeated_counts_once(tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        player = await Player.sits_down(client, seed=1)
        seen = await player.post("hands", status=201)
        body = {"turn": seen["turn"], "do": "call"}
        first = await player.post("hands/0/act", body)
        again = await player.post("hands/0/act", body)
        other = await player.post("hands/0/act", {**body, "do": "fold"}, status=409)

    assert again == {**first, "again": True}
    assert other["error"] == "turn_over"


async def test_what_cannot_be_done_is_said_and_changes_nothing(tmp_path: Path) -> None:
    config = config_in(tmp_path, open_hands=2, hands=3, runs=2)
    async with client_of(config) as client:
        player = await Player.sits_down(client, seed=1)
        seen = await player.post("hands", status=201)
        act = f"hands/{seen['hand']}/act"
        turn = {"turn": seen["turn"]}
        assert (await player.post(act, {**turn, "do": "raise", "to": 1}, 422))["legal"]
        assert (await player.post(act, {**turn, "do": "dance"}, 400))["error"] == "format"
        assert (await player.post(act, {"do": "call"}, 400))["error"] == "format"
        await player.get("hands/9", 404)
        while (await player.post("hands", status=201))["status"] != "your_turn":
            pass  # the opponent has folded at once
        assert (await player.post("hands", status=409))["error"] == "busy"
        stranger = Player(client, {**player.run, "key": "r-1.0"})
        await stranger.post("hands", status=401)
        await Player(client, {"run": "r-9", "key": "r-9.0"}).post("hands", status=404)
        large = await client.post("/v1/runs", content=b" " * 5000)
        assert large.status_code == 413
        for body in ({"opponent": "nobody"}, {"game": "chess"}):
            assert (await client.post("/v1/runs", json=body)).status_code == 404
        wrong: list[Any] = [{"seed": -1}, {"seed": "1"}, {"label": 3}, {"else": 1}, []]
        for each in wrong:
            assert (await client.post("/v1/runs", json=each)).status_code == 400
        await Player.sits_down(client)
        assert (await client.post("/v1/runs", json={})).status_code == 409
        await player.post("close")
        assert (await player.post("hands", status=410))["error"] == "closed"

    assert (tmp_path / "runs" / "r-1" / "run.json").stat().st_mode & 0o77 == 0


async def test_hands_that_are_left_open_are_finished_and_count_and_their_run_makes_room(
    tmp_path: Path, autojump_clock: object
) -> None:
    bold = Opponent("always-raise", "always-raise", "1", GAMES, True)
    runs = Runs(config_in(tmp_path, runs=1, opponents={bold.name: bold}), Console())
    run, key = runs.create()
    await runs.find(key)
    await run.open_hand()
    await run.open_hand()
    with pytest.raises(SeatError, match="too many open runs"):
        runs.create()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(runs.sweep)
        await trio.sleep(1400)
        nursery.cancel_scope.cancel()

    runs.create()
    again = await runs.find(key)
    for each in (run, again):
        assert each.outcome().hands == 2
        assert each.outcome().chips_by_seat[0] < 0
    assert (await again.open_hand()).number == 2
    runs.end()


async def test_what_is_done_while_a_run_is_being_closed_counts(tmp_path: Path) -> None:
    """An answer that is being played; a second close tells the same."""
    async with client_of(config_in(tmp_path)) as client:
        player = await Player.sits_down(client, opponent="heuristic", game="limit-2p")
        while (seen := await player.post("hands", status=201))["status"] != "your_turn":
            pass  # the opponent has folded at once
        async with trio.open_nursery() as nursery:
            nursery.start_soon(player.post, f"hands/{seen['hand']}/act", {"turn": seen["turn"], "do": "call"})
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(player.post, "close")
            nursery.start_soon(player.post, "close")
        told = await player.get("results")

    assert (told["final"], told["hands"]) == (True, seen["hand"] + 1)


async def test_a_player_that_carries_something_on_plays_one_hand_at_a_time(tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        player = await Player.sits_down(client, opponent="heuristic", game="limit-2p")
        assert player.run["open_hands"] == 1
        await player.plays(2, calls)
        while (await player.post("hands", status=201))["status"] != "your_turn":
            pass  # the opponent has folded at once
        assert (await player.post("hands", status=409))["error"] == "busy"


@pytest.mark.parametrize(
    ("opponent", "torn"),
    [
        ("random", '{"hand": 9'),
        ("heuristic", ""),
        pytest.param("random", "", marks=pytest.mark.slow),
        pytest.param("heuristic", '{"hand": 9', marks=pytest.mark.slow),
    ],
)
async def test_a_run_that_was_broken_off_goes_on_as_if_it_had_not_been(
    opponent: str, torn: str, tmp_path: Path
) -> None:
    """Between any two requests; an act whose answer was lost may be sent again."""
    logs = []
    for part in ("whole", "broken"):
        config = config_in(tmp_path / part)
        runs = Runs(config, Console())
        run, key = runs.create(opponent, "limit-2p", seed=5)
        await run.ready()
        chosen = at_random(4)
        body: dict[str, Any] = {}
        for number in range(6):
            hand = await run.open_hand()
            while hand.final is None:
                body = {"turn": hand.turn, **chosen(hand.seen())}
                await run.act(hand, body)
                if part == "broken":
                    runs.end()
                    with (run.folder / "answers").open("a") as answers:
                        answers.write(torn)
                    runs = Runs(config, Console())
                    run = await runs.find(key)
                    hand = await run.find(number)
                    assert (await run.act(hand, body))["again"]
        await run.close()
        logs.append([line for line in run.log_path.read_text().splitlines() if not line.startswith("#")])

    assert logs[0] == logs[1]
    assert len(logs[0]) == 7


async def test_a_run_ends_with_the_version_of_its_opponent(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    async with client_of(config) as client:
        player = await Player.sits_down(client)
    newer = {name: attrs.evolve(each, version="2") for name, each in config.opponents.items()}
    async with client_of(attrs.evolve(config, opponents=newer)) as client:
        refused = await Player(client, player.run).post("hands", status=410)

    assert "another version" in refused["message"]


# --- pairs and the leaderboard -----------------------------------------------------------------------------


async def test_a_pair_plays_the_same_cards_and_its_difference_is_narrower(tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        first = await Player.sits_down(client, game="limit-2p")
        hands = await first.plays(8, calls)
        headers = {"Authorization": f"Bearer {first.run['key']}"}
        response = await client.post("/v1/runs", json={"pair_with": first.run["run"]}, headers=headers)
        second = Player(client, response.json())
        theirs = await second.plays(8, calls)
        alone = await client.post("/v1/runs", json={"pair_with": first.run["run"]})
        results = await second.post("close")
        ranked = (await first.post("close"))["ranked"]

    assert [each["you"]["cards"] for each in hands] == [each["you"]["cards"] for each in theirs]
    assert alone.status_code == 401
    assert results["pair"] == {"run": "r-1", "hands": 8, "mbb_per_hand": 0.0, "ci95": 0.0}
    assert not results["ranked"]
    assert not ranked  # its cards were known before it was over


async def test_the_leaderboard_has_the_anchors_and_runs_that_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "LEAST_RANKED", 8)
    async with client_of(config_in(tmp_path)) as client:
        for label, hands, seed in (("good", 8, None), ("short", 7, None), ("seeded", 8, 1)):
            player = await Player.sits_down(client, game="limit-2p", label=label, seed=seed)
            await player.plays(hands, calls)
            await player.post("close")
        open_one = await Player.sits_down(client, game="limit-2p", label="open")
        await open_one.plays(8, calls)
        response = await client.get("/v1/leaderboard?opponent=random&game=limit-2p")
        rows = response.json()["rows"]

    assert {row["name"] for row in rows} == {"good", *results.ANCHORS}
    least = [row["mbb_per_hand"] - row["ci95"] for row in rows]
    assert least == sorted(least, reverse=True)
    folds = next(row for row in rows if row["name"] == "always-fold")
    assert -760 <= folds["mbb_per_hand"] <= -700  # 500 or 1000 a hand, unless the bot folds first


# --- the dialects ------------------------------------------------------------------------------------------


def parsed(action: str) -> dict[str, int]:
    """The published rules of the grammar, in our own words: streets, and whose turn it is."""
    street, position, checked_or_called, at = 0, 1, False, 0
    total, before = [100, 50], 0  # the button is 1
    while at < len(action):
        word, at = action[at], at + 1
        if word == "k":
            assert total[0] == total[1]
        elif word == "c":
            assert total[position] < max(total)
            total[position] = max(total)
        elif word == "b":
            end = at
            while end < len(action) and action[end].isdigit():
                end += 1
            size, at = int(action[at:end]), end
            assert size + before > max(total)
            total[position] = size + before
        elif word == "f":
            assert at == len(action)
            return {"street": street, "to_act": -1}
        ended = word == "c" and (street > 0 or checked_or_called or max(total) > 100)
        ended |= word == "k" and checked_or_called
        checked_or_called = True
        position = 1 - position
        if ended and street < 3:
            slashes = 3 - street if max(total) == 20000 else 1
            assert action[at : at + slashes] == "/" * slashes, action
            at, street = at + slashes, street + slashes
            position, checked_or_called, before = 0, False, max(total)
        elif ended:
            return {"street": street, "to_act": -1}
    return {"street": street, "to_act": -1 if max(total) == min(total) == 20000 else position}


@pytest.mark.parametrize("hands", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_the_grammar_is_the_published_one_and_actions_come_back(hands: int) -> None:
    game = GAMES["nolimit-2p"]
    dealer, rng = CardDealer(game, 1), random.Random(2)
    for number in range(hands):
        state = initial_hand(game, number, dealer.deal())
        while state.position_to_act is not None:
            found = parsed("".join(tokens(state.betting)))
            assert found == {"street": state.betting.betting_round, "to_act": state.position_to_act}
            after = state.apply(choose(rng.randrange(2**16), state.legal_actions()))
            word = [each for each in tokens(after.betting) if each != "/"][-1]
            view = state.view(state.position_to_act)
            assert answer_of(answer_to(word, view), view).action == after.betting.steps()[-1][2]
            state = after


async def session(client: httpx2.AsyncClient, path: str, **body: Any) -> dict[str, Any]:
    response = await client.post(f"/api/{path}", json=body)
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def passing(seen: dict[str, Any]) -> str:
    """A check, or a call of what there is to call."""
    action = seen["action"]
    return "c" if "b" in action.rpartition("/")[2] or not action else "k"


async def test_a_session_of_the_first_dialect(tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        token, total = None, 0
        for number in range(1, 21):
            seen = await session(client, "new_hand", token=token)
            token = seen["token"]
            assert set(seen) >= {"old_action", "action", "client_pos", "hole_cards", "board"}
            while "winnings" not in seen:
                assert parsed(seen["action"])["to_act"] == seen["client_pos"]
                old = seen["action"]
                seen = await session(client, "act", token=token, incr=passing(seen))
                assert seen["old_action"] == old
                assert seen["action"].startswith(old)
            total += seen["winnings"]
            assert (seen["session_num_hands"], seen["session_total"]) == (number, total)
            assert len(seen["bot_hole_cards"]) in (0, 2)
            assert seen["won_pot"] * seen["winnings"] >= 0


@pytest.mark.parametrize(
    ("incr", "said"),
    [
        ("f", None), ("k", "Illegal check"), ("b1", "Bet too small"), ("b20001", "Bet too big"),
        ("dance", "expected f, k, c"), ("b", "expected f, k, c"), (3, "expected f, k, c"),
    ],
)  # fmt: skip
async def test_errors_of_the_first_dialect(incr: Any, said: str | None, tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        seen = await session(client, "new_hand")
        while seen["client_pos"] != 1 or seen["action"]:  # the button, first to act
            while "winnings" not in seen:
                seen = await session(client, "act", token=seen["token"], incr=passing(seen))
            seen = await session(client, "new_hand", token=seen["token"])
        token, turn = seen["token"], seen["turn"]
        answer = await session(client, "act", token=token, incr=incr)
        if said is None:
            assert answer["winnings"] == -50
            assert (await session(client, "act", token=token, incr="c"))["error_msg"] == "The hand is over."
            again = await session(client, "act", token=token, incr=incr, turn=turn)
            assert again["winnings"] == -50
        else:
            assert said in answer["error_msg"]
            busy = await session(client, "new_hand", token=token)
            assert busy["error_msg"] == "The hand is not over."
        unknown = await session(client, "act", token="r-1.nothing", incr="c")
        assert unknown["error_msg"] == "Unknown token"


async def test_hands_of_the_second_dialect_five_at_a_time(tmp_path: Path) -> None:
    async with client_of(config_in(tmp_path)) as client:
        player = await Player.sits_down(client, game="nolimit-2p")
        client.headers["X-API-Key"] = player.run["key"]
        over: list[dict[str, Any]] = []

        async def play(seed: int) -> None:
            rng = random.Random(seed)
            for _ in range(4):
                response = await client.post("/hands", json={"game_name": "HUNL 200BB"})
                assert response.status_code == 201, response.text
                seen = response.json()
                while not (state := seen["game_state"])["is_hand_over"]:
                    action = rng.choice(state["legal_actions"])
                    body: dict[str, Any] = {"action": action, "amount": None}
                    if action == "b":
                        body["amount"] = rng.choice(list(state["raise_range"].values()))
                    address = f"/hands/{seen['hand_id']}/act"
                    response = await client.post(address, json={**body, "turn": seen["turn"]})
                    assert response.status_code == 200, response.text
                    again = await client.post(address, json={**body, "turn": seen["turn"]})
                    assert again.json() == response.json()
                    seen = response.json()
                over.append(seen)

        async with trio.open_nursery() as nursery:
            for seed in range(5):
                nursery.start_soon(play, seed)
        found = (await client.get("/results")).json()
        assert (await client.get("/hands/in-progress")).json() == []
        assert (await client.post("/hands/3/act", json={"action": "c"})).status_code == 409
        assert (await client.post("/hands/99/act", json={"action": "c"})).status_code == 404
        assert (await client.post("/hands/3/act", json={"action": "z"})).status_code == 400
        assert (await client.get("/leaderboard")).status_code in (200,)
        client.headers["X-API-Key"] = "r-1.wrong"
        assert (await client.post("/hands", json={})).status_code == 401

    winnings = sum(each["game_state"]["winnings"] for each in over)
    assert found["mbb_per_hand"] == pytest.approx(winnings / 20 * 10)
    game = over[0]["game"]
    assert (game["starting_stack"], game["blinds"]) == (20000, [100, 50])
    for each in over:
        state = each["game_state"]
        assert sum(player["hole_cards"] is not None for player in state["players"]) in (1, 2)
        assert {player["position"] for player in state["players"]} == {"SB", "BB"}
        assert len(state["board_cards"]) in (0, 6, 8, 10)


async def test_who_asks_for_a_hand_that_is_being_dealt_waits_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()

    def think(agent: Random, view: HandView) -> Action:
        begun.set()
        assert may_go_on.wait(20)
        return CALL

    monkeypatch.setattr(Random, "choose_action", think)
    asked: list[httpx2.Response] = []
    async with client_of(config_in(tmp_path)) as client:
        player = await Player.sits_down(client, game="nolimit-2p")
        client.headers["X-API-Key"] = player.run["key"]

        async def ask(method: str, path: str) -> None:
            asked.append(await client.request(method, path, json={} if method == "POST" else None))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "POST", "/hands")
            assert await trio.to_thread.run_sync(begun.wait, 20)
            nursery.start_soon(ask, "GET", "/hands/in-progress")
            nursery.start_soon(ask, "GET", "/hands/0")
            await trio.testing.wait_all_tasks_blocked(0.01)
            assert asked == []
            may_go_on.set()
        assert sorted(each.status_code for each in asked) == [200, 200, 201]

        monkeypatch.setattr(Random, "choose_action", lambda agent, view: 1 / 0)
        failed = await Player.sits_down(client, game="nolimit-2p")
        client.headers["X-API-Key"] = failed.run["key"]
        for method, path in (("POST", "/hands"), ("GET", "/hands/in-progress"), ("GET", "/hands/0")):
            response = await client.request(method, path, json={} if method == "POST" else None)
            assert response.status_code == 410, path
            assert "player has failed" in response.text


# --- the command -------------------------------------------------------------------------------------------


def test_the_command_serves_behind_the_guard_until_a_signal(tmp_path: Path) -> None:
    with benchmark_process(tmp_path) as address, httpx2.Client(base_url=address, timeout=30) as client:
        names = [each["name"] for each in client.get("/v1/opponents").json()]
        foreign = client.get("/v1/opponents", headers={"Host": "evil.example"})
        elsewhere = client.post("/v1/runs", json={}, headers={"Origin": "http://evil.example"})
        large = client.post("/v1/runs", content=b"{" + b" " * 20_000, headers={"Host": "127.0.0.1"})
        created = client.post("/v1/runs", json={"opponent": "random"})
        headers = {"Authorization": f"Bearer {created.json()['key']}"}
        hand = client.post("/v1/runs/r-1/hands", json={}, headers=headers)

    assert names == ["formula", "simple", "random"]
    assert (foreign.status_code, elsewhere.status_code, large.status_code) == (421, 403, 413)
    assert (created.status_code, hand.status_code) == (201, 201)
    assert hand.json()["you"]["cards"]


@contextmanager
def benchmark_process(folder: Path, killed_after: float | None = None) -> Iterator[str]:
    """``riverboat serve-benchmark`` at any port; it must end well, unless it is killed without a warning."""
    words = [sys.executable, "-m", "server", "serve-benchmark", "--port", "0", "--folder", str(folder / "b")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        timer = threading.Timer(killed_after or 600, process.kill)
        timer.start()
        try:
            yield address
            process.terminate()
            assert process.wait(30) == 0 or killed_after is not None
        finally:
            timer.cancel()
            process.kill()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_act_is_lost_and_none_is_done_twice_when_it_is_killed(tmp_path: Path) -> None:
    """Killed at random; the client sends again what it has no answer to, and all hands are true."""
    rng, token, done = random.Random(1), None, 0
    while done < 60:
        patience = rng.uniform(1.5, 4)
        with (
            suppress(httpx2.TransportError),
            benchmark_process(tmp_path, patience) as address,
            httpx2.Client(base_url=address, timeout=30) as client,
        ):
            if token is None:
                token = client.post("/v1/runs", json={"opponent": "random"}).json()["key"]
            client.headers["X-API-Key"] = token
            while done < 60:
                seen = (client.get("/hands/in-progress").json() or [None])[0]
                seen = seen or client.post("/hands", json={}).json()
                while not seen["game_state"]["is_hand_over"]:
                    action = rng.choice([each for each in seen["game_state"]["legal_actions"] if each != "b"])
                    body = {"action": action, "turn": seen["turn"]}
                    seen = client.post(f"/hands/{seen['hand_id']}/act", json=body).json()
                done = seen["hand_id"] + 1
    with benchmark_process(tmp_path) as address:
        headers = {"Authorization": f"Bearer {token}"}
        closed = httpx2.post(f"{address}/v1/runs/r-1/close", headers=headers, json={}, timeout=60).json()

    assert closed["hands"] == 60
    found = verify_log(tmp_path / "b" / "r-1" / "match.log")
    assert (found.problem, found.hands) == (None, 60)


# --- the file of a benchmark -------------------------------------------------------------------------------


def test_a_file_says_who_plays_what(tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(
        'hands = 500\n[[opponents]]\nname = "tight"\nbot = "formula:tightness=0.9"\ngames = ["limit-2p"]\n'
    )
    config = load_benchmark(file)

    tight = config.opponents["tight"]
    assert (config.hands, list(tight.games), config.folder) == (500, ["limit-2p"], tmp_path / "benchmark")
    assert tight.version
    assert tight.sha256 != default_benchmark().opponents["formula"].sha256


@pytest.mark.parametrize(("text", "why"), cases(__file__, "mistakes in a file"))
def test_mistakes_in_a_file_are_said_in_one_line(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text(text)
    with pytest.raises(FileMistake, match=why):
        load_benchmark(tmp_path / "bench.toml")
