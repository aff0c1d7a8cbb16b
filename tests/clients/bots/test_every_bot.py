"""What holds for every bot: it repeats itself, refuses what it cannot play, takes chips; as tables of bots.

`tests/clients/lab/testing/test_agents.py` has each of them do nothing wrong, in all kinds of hands.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
import pytest
from hypothesis import given, strategies as st

from clients.bots.adaptive import agent as adaptive
from clients.bots.adaptive.agent import Adaptive
from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.bots.formula.agent import Formula
from clients.bots.hand_strength import HandStrengthBot
from clients.bots.heuristic.agent import Heuristic
from clients.bots.heuristic.store import Experience
from clients.bots.killer.agent import Killer
from clients.bots.killer.reading import Reading
from clients.bots.memory_file import KIND, KnownPlayers, Remembering, archive_of, recall
from clients.bots.opponent_book import OpponentBook
from clients.bots.portfolio import Portfolio
from clients.bots.sampling.agent import Sampling
from clients.bots.simple import SimpleBot
from clients.core.agent import Agent, begin_decision
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from engine.poker.combos import STARTING_HAND_OF_COMBO, combo_index
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import GameDefinition, HandState, HandView, load_game
from engine.support.files.archive import ArchiveError, decode_archive
from tests.benchmarks.bench_formula import interval, play_rotations
from tests.engine.players.hands import random_hand
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.holdem_hands import decisions, holdem_games
from tests.support.hands.strategies import views
from tests.support.hands.views import seated, view_after

LIMIT, NO_LIMIT = load_game("limit-2p"), load_game("nolimit-2p-100bb")


# --- the same again ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "game", "hands"),
    [
        ("simple", "limit-2p", 300),
        *(
            (f"heuristic:{how}", "limit-2p", 25)
            for how in ("", "method=strategic", "model=vote", "model=player")
        ),
        *((f"killer:preflop={how}", "limit-3p", 12) for how in ("configs", "groups", "one-chip")),
        *((f"sampling:trials=40,choose={how}", "limit-3p", 8) for how in ("best", "mixed")),
    ],
)
def test_the_same_seed_plays_the_same_hands_and_another_others(bot: str, game: str, hands: int) -> None:
    def log(seed: int) -> list[str]:
        lines: list[str] = []
        agents = [make_bot(bot.rstrip(":")), Random(), AlwaysCall()][: load_game(game).num_players]
        Arena(load_game(game), agents, seed).play(hands, record=lines.append)
        return lines

    first = log(5)

    assert log(5) == first
    assert log(6) != first


@pytest.mark.parametrize(
    ("bot", "game", "bettings"),
    [
        ("heuristic", "limit-2p", ("", "cc/", "cc/r", "cc/rc/c")),
        ("formula", "limit-2p", ("", "cc/", "cc/r", "cc/rc/c")),
        ("sampling:trials=50", "limit-3p", ("ccc/", "ccc/cr")),
    ],
)
def test_a_bot_that_comes_back_in_mid_hand_decides_as_if_it_had_never_left(
    bot: str, game: str, bettings: tuple[str, ...]
) -> None:
    stayed = make_bot(bot)
    for betting in bettings:
        view = view_after(game, betting)
        here = [seated(agent, view.game, view.position) for agent in (stayed, make_bot(bot))]
        for agent in here:
            begin_decision(agent, view)

        assert here[0].choose_action(view) == here[1].choose_action(view)
        assert here[0].probability_triple(view) == here[1].probability_triple(view)


# --- legal, and as its triple says -------------------------------------------------------------------------

BASELINES = (AlwaysCall, AlwaysFold, AlwaysRaise, AlwaysAllIn, Random)
BY_CARDS: tuple[Callable[[], Agent], ...] = (
    SimpleBot,
    lambda: SimpleBot(preflop_only=True),
    lambda: SimpleBot(hands="listed"),
    HandStrengthBot,
)


def check_decision(agent: Any, view: HandView) -> ProbabilityTriple:
    """The triple of a decision that is legal, and possible by the triple."""
    begin_decision(agent, view)
    action, legal = agent.choose_action(view), view.legal_actions()
    triple: ProbabilityTriple = agent.probability_triple(view)
    assert action in legal
    assert sum(triple) == pytest.approx(1)
    assert triple["fcr".index(action.kind.value)] > 0
    assert triple.fold == 0 or legal.can_fold
    assert triple.raise_ == 0 or legal.can_raise
    return triple


@given(views().filter(lambda view: not view.is_finished), st.integers(0, 2**32))
def test_no_baseline_ever_does_what_is_not_legal(view: HandView, seed: int) -> None:
    for factory in BASELINES:
        agent = factory()
        agent.seed = seed
        check_decision(agent, view)


@given(holdem_games(), st.integers(0, 2**32), st.sampled_from(BY_CARDS))
def test_bots_that_know_their_cards_do_only_what_is_legal_and_what_their_triples_allow(
    game: GameDefinition, seed: int, make: Callable[[], Agent]
) -> None:
    agent = seated(make(), game)
    agent.seed = seed
    for view in decisions(game, seed):
        triple = check_decision(agent, view)

        assert 1 in triple or not isinstance(agent, HandStrengthBot)
        if view.betting_round == 0:
            high, low = sorted(view.own_cards, reverse=True)
            assert agent.triples(view)[STARTING_HAND_OF_COMBO[combo_index(high, low)]] == triple


# --- what they refuse --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "game", "message"),
    [
        *((bot, "leduc", "plays Texas hold'em only") for bot in ("simple", "hand-strength", "killer")),
        *((bot, "kuhn-2p", "plays Texas hold'em only") for bot in ("heuristic", "formula", "sampling")),
        *(("adaptive", game, "hold'em for two only") for game in ("limit-3p", "nolimit-3p", "leduc")),
        *(("adaptive", game, "without antes or rake") for game in ("nolimit-6p-ante", "nolimit-5p-100bb")),
        ("portfolio", "kuhn-3p", "games for two"),
        ("portfolio", "nolimit-2p-100bb", "answers=FILE"),
        *(("resolver", game, "heads-up no-limit") for game in ("limit-2p", "kuhn-2p", "nolimit-3p")),
        ("portfolio:answers=a.npz", "leduc", "answers are for hold'em"),
    ],
)  # fmt: skip
def test_other_games_are_refused_in_one_line(bot: str, game: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as refused:
        make_bot(bot).match_started(load_game(game), 0)
    assert "\n" not in str(refused.value)
    if bot in ("adaptive", "portfolio", "resolver"):  # which load much, and say so before they do
        with pytest.raises(OptionError, match=message):
            make_bot(bot).prepare(load_game(game))


@pytest.mark.parametrize(("bot", "options", "message"), cases(__file__, "impossible options"))
def test_impossible_options_are_refused_in_one_line(bot: str, options: tuple[str, ...], message: str) -> None:
    for option in options:
        with pytest.raises(OptionError, match=message) as refused:
            make_bot(f"{bot}:{option}")
        assert "\n" not in str(refused.value)


# --- what they remember ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "counted"),
    [
        (Formula(), lambda agent: agent.book.here[1].statistics.hands),
        (Heuristic(), lambda agent: agent.experience.hands),
        (Killer(), lambda agent: agent.reading.hands),
    ],
    ids=["formula", "heuristic", "killer"],
)
def test_a_hand_is_counted_once(agent: Agent, counted: Callable[[Any], int]) -> None:
    ends: list[HandState] = []
    Arena(LIMIT, [agent, Random()], 1).play(5, on_hand=lambda state, _: ends.append(state))

    agent.hand_finished(ends[-1].view(-ends[-1].hand_number % 2))

    assert counted(agent) == 5


def remembered_chains(view: HandView) -> object:
    experience = Experience()
    experience.hand_finished(view)
    return experience.chains._tallies, experience.here


def remembered_filters(view: HandView) -> object:
    reading = Reading()
    reading.hand_finished(view)
    return reading.here


@pytest.mark.parametrize("remembered", [remembered_chains, remembered_filters])
def test_cards_that_were_not_shown_are_not_remembered(remembered: Callable[[HandView], object]) -> None:
    """The same betting and our cards, others' cards different where no showdown shows them."""
    compared = 0
    for seed in range(60):
        end = random_hand("limit-3p", seed)[-1]
        ours, one, other = end.deal.hole_cards
        if end.betting.is_showdown and not (end.betting.folded[1] and end.betting.folded[2]):
            continue  # somebody's cards were shown
        compared += 1
        swapped = attrs.evolve(end, deal=attrs.evolve(end.deal, hole_cards=(ours, other, one)))

        assert remembered(end.view(0)) == remembered(swapped.view(0))
    assert compared > 10


REMEMBERING = pytest.mark.parametrize("kind", [Adaptive, Formula, Heuristic, Killer, Portfolio, Sampling])
THEM: Final[tuple[KnownPlayers[Any], ...]] = OpponentBook("player", 0.0), Experience(), Reading()
for _known in THEM:
    _known.earlier["them"] = _known.stranger()
WHOLE = archive_of(THEM).encode()
NO_MEMORIES = (
    b"", b"{}", b"[]", b'{"kind": "x"}', b'{"kind": "riverboat opponent models", "schema": 99}', b"PK",
    b"[" * 100_000, b'{"kind": "riverboat opponent models", "schema": ' + b"9" * 5000 + b"}",
)  # fmt: skip


@REMEMBERING
def test_a_memory_file_has_one_writer(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "memory"
    first: Remembering = kind(memory=path)
    refuses(ArchiveError, "memory is being written by another program: .*one at a time", kind, memory=path)
    # Who learns nothing needs no lock.
    learns_nothing = {"learn": False} if kind in (Adaptive, Portfolio) else {"model": "generic"}
    reader = first if kind in (Heuristic, Killer) else kind(memory=path, **learns_nothing)
    first.close_memory()
    second: Remembering = kind(memory=path)

    for agent in (reader, second):
        agent.close_memory()
    assert list(tmp_path.iterdir()) == []


@REMEMBERING
def test_a_file_that_is_no_memory_is_refused_named_and_let_go_of(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "memory"
    whole = adaptive.archive_of({"them": {"hands": np.array(1)}}).encode() if kind is Adaptive else WHOLE
    for content in (*NO_MEMORIES, whole[: len(whole) // 2], whole.replace(b"riv", b"rev")):
        path.write_bytes(content)
        refuses(ArchiveError, r"memory (is|was written by a newer)[^\n]*$", kind, memory=path)
        assert path.read_bytes() == content
    path.unlink()
    kind(memory=path).close_memory()


@pytest.mark.parametrize("number", [10**400, -(10**400), math.nan, math.inf, "x", None, [], {}], ids=str)
def test_no_number_of_a_memory_file_can_be_something_else(number: object) -> None:
    written = json.loads(WHOLE)
    del written["digest"], written["players"]["them"]["model"]["prior"]
    places = _places_of_numbers(written["players"])
    assert len(places) > 30

    for holder, key in places:
        right, holder[key] = holder[key], number
        archive = decode_archive(json.dumps(written).encode(), KIND, 3, "them")
        refuses(ArchiveError, r"them is damaged[^\n]*$", recall, archive, THEM)
        holder[key] = right


def _places_of_numbers(value: Any) -> list[tuple[Any, Any]]:
    """Objects and keys at which the numbers of a JSON value stand; of each list the first only."""
    places: list[tuple[Any, Any]] = []
    for key, part in [(0, value[0])] if isinstance(value, list) else list(value.items()):
        places += _places_of_numbers(part) if isinstance(part, list | dict) else [(value, key)]
    return places


@pytest.mark.parametrize(
    "bot", ["formula:", "heuristic:model=vote,", "killer:", "portfolio:iterations=5,", "sampling:trials=20,"]
)
def test_what_is_known_of_a_player_is_known_in_the_next_match(bot: str, tmp_path: Path) -> None:
    """The next match changes nothing in the file before its first hand; there they have other seats."""
    game, path = load_game("leduc" if "iterations" in bot else "nolimit-2p-100bb"), tmp_path / "memory"
    agent: Any = make_bot(f"{bot}memory={path}")
    Arena(game, [agent, AlwaysRaise()], 1, names=["us", "them"]).play(12)
    agent.close_memory()
    learnt = path.read_bytes()
    again: Any = make_bot(f"{bot}memory={path}")
    again.prepare(game)
    again.names = ("them", "us")

    seated(again, game, 1).close_memory()

    assert path.read_bytes() == learnt
    assert json.loads(learnt)["players"].keys() == {"them"}
    assert "iterations" not in bot or again.strategies.hands == 12


def test_one_file_serves_several_bots_in_turn(tmp_path: Path) -> None:
    parts: set[str] = set()
    for bot in ("killer", "formula", "heuristic"):
        agent: Any = make_bot(f"{bot}:memory={tmp_path / 'm'}")
        Arena(LIMIT, [agent, AlwaysRaise()], 1, names=["us", "them"]).play(3)
        agent.close_memory()
        them = json.loads((tmp_path / "m").read_bytes())["players"]["them"]

        assert parts < them.keys()
        parts = set(them)
    assert parts == {"filters", "model", "statistics", "sizes", "evidence", "habits"}


@REMEMBERING
def test_a_memory_file_that_could_not_be_written_is_refused_at_the_start(kind: Any, tmp_path: Path) -> None:
    refuses(ArchiveError, "written: No such file or directory$", kind, memory=tmp_path / "no" / "memory")


# --- what they win -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("game", "bot", "deals", "least"),
    [
        ("limit-2p", "formula", 10_000, {"always-call": 0.6, "random": 0.8, "always-raise": 0.8}),
        ("nolimit-2p", "formula", 2_500, {"always-call": 0, "random": 0, "always-raise": 0}),
        ("limit-2p", "heuristic", 3_000, {"always-call": 0, "random": 0, "hand-strength": 0}),
        ("limit-2p", "killer", 2_000, {"always-call": 0, "random": 0, "hand-strength": 0}),
    ],
)
def test_it_surely_wins_this_much(game: str, bot: str, deals: int, least: dict[str, float]) -> None:
    """Small bets a hand in limit, chips in no-limit."""
    for opponent, bound in least.items():
        won = play_rotations(load_game(game), [bot, opponent], deals, 1, (0, 1))[0]
        mean, half = interval(won / (10 if game == "limit-2p" else 1))

        assert mean - half > bound, opponent


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_heuristic_bot_is_level_with_the_simple_bot() -> None:
    mean, half = interval(play_rotations(LIMIT, ["heuristic", "simple"], 3000, 1, (0, 1))[0] / 10)

    assert mean + half > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "opponent", "seed", "hands", "least"),
    [
        ("limit-2p", "always-call", 5, 800, 0.9), ("limit-2p", "always-raise", 5, 800, 2.6),
        ("nolimit-2p-100bb", "always-call", 5, 400, 15), ("nolimit-2p-100bb", "always-raise", 5, 400, 15),
        ("nolimit-2p-100bb", "always-raise", 9, 400, 15), ("nolimit-2p-100bb", "random", 5, 400, 3),
    ],
)  # fmt: skip
def test_the_adaptive_bot_wins_of_players_who_can_be_read(
    game: str, opponent: str, seed: int, hands: int, least: float
) -> None:
    """Big blinds a hand from cold, in both seats of the same deals; the full runs are in its RESULTS.md."""
    definition = load_game(game)
    won = play_rotations(definition, ["adaptive", opponent], hands, seed, (0, 1))[0]

    assert won.mean() / definition.big_blind > least


@pytest.mark.slow
@pytest.mark.parametrize("game", [LIMIT, NO_LIMIT], ids=["limit", "no-limit"])
@pytest.mark.parametrize(
    ("bot", "seed", "other"),
    [(SimpleBot, 7, AlwaysCall), (SimpleBot, 7, AlwaysAllIn), (HandStrengthBot, 11, AlwaysCall)],
)
def test_it_takes_chips_from_those_who_do_not_look(
    game: GameDefinition, bot: type[Agent], seed: int, other: type[Agent]
) -> None:
    won: list[float] = []

    Arena(game, [bot(), other()], seed).play(
        3000, on_hand=lambda state, chips: won.append(chips[-state.hand_number % 2])
    )

    assert np.mean(won) - 1.96 * np.std(won) / len(won) ** 0.5 > 0
