"""What bots tell of their strategies is what they draw from, with every hand, and nothing about their own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.bots.formula.agent import Formula
from clients.bots.hand_strength import HandStrengthBot
from clients.bots.sampling.agent import Sampling
from clients.bots.simple import SimpleBot
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.disclosure import can_disclose, policy_columns, policy_line
from clients.core.registry import make_bot
from clients.lab.testing import StandIn
from clients.learners.street.agent import StreetLearner
from engine.players.probability_triple import legal_triples
from engine.poker.combos import STARTING_HAND_OF_COMBO, combo_index
from engine.poker.rules import CALL, Action, ActionKind, GameDefinition, HandView, load_game, parse_betting
from protocol.policy import ONE, PolicyRecord, format_record, parse_record, read_numbers
from tests.support.asserting import refuses

TELLING: dict[str, Callable[[], Agent]] = {
    "always-call": AlwaysCall, "always-fold": AlwaysFold, "always-raise": AlwaysRaise,
    "always-all-in": AlwaysAllIn, "random": Random, "hand-strength": HandStrengthBot, "simple": SimpleBot,
    "formula": Formula, "street-learner": StreetLearner,
}  # fmt: skip


def told(line: str | None) -> PolicyRecord:
    assert line is not None
    record = parse_record(format_record(0, line.encode()))
    assert record is not None
    return record


def row_of(record: PolicyRecord, view: HandView) -> int:
    if not view.game.is_holdem:
        hands = list(itertools.combinations(sorted(view.game.deck), view.game.num_hole_cards))
        assert record.rows in (1, len(hands))
        return 0 if record.rows == 1 else hands.index(tuple(sorted(view.own_cards)))
    combo = combo_index(*view.own_cards)
    return {1: 0, 169: int(STARTING_HAND_OF_COMBO[combo]), 1326: combo}[record.rows]


class Watched(StandIn):
    """Plays as another agent does, and looks at what that one tells."""

    def __init__(self, agent: Agent, asks_again: bool = False) -> None:
        super().__init__(agent)
        self.asks_again = asks_again
        self.decisions: list[tuple[HandView, Action, PolicyRecord, tuple[float, ...]]] = []

    def prepare(self, game: GameDefinition | None) -> None:
        self.pass_on()
        super().prepare(game)

    def chosen(self, view: HandView, action: Action) -> Action:
        triple = self.agent.probability_triple(view)  # type: ignore[attr-defined]
        record = told(policy_line(self.agent, view, action))
        self.decisions.append((view, action, record, triple))
        if self.asks_again:
            cards = tuple(random.Random(5).sample([card for card in range(52) if card not in view.board], 2))
            holes = tuple([cards if hole else () for hole in view.hole_cards])
            other = HandView(view.betting, view.position, view.hand_number, holes, view.board)
            assert told(policy_line(self.agent, other, action)) == record
        return action


@pytest.mark.parametrize("name", TELLING)
@pytest.mark.parametrize("game", ["limit-2p", "nolimit-2p-100bb"])
def test_bots_tell_what_they_draw_from(name: str, game: str) -> None:
    watched = Watched(TELLING[name]())
    Arena(load_game(game), [watched, Random(fold=0.1)], seed=5).play(25)

    assert len(watched.decisions) > 20
    for view, action, record, triple in watched.decisions:
        assert (record.hand_number, record.betting) == (view.hand_number, view.betting.text)
        row = row_of(record, view)
        columns = [read_numbers(column) for column in record.columns]
        if name == "street-learner" and record.rows == 1:
            assert min(columns[0][0], columns[1][0]) == 0  # left to chance: calls and raises alike
            continue
        assert columns[0][row] / ONE == pytest.approx(float(triple[0]), abs=1e-3)
        assert columns[1][row] / ONE == pytest.approx(float(triple[2]), abs=1e-3)
        if len(columns) == 3:
            assert action.kind is ActionKind.RAISE
            assert columns[2][row] > 0  # it has just raised to this total


_EDGES = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)


@pytest.mark.parametrize(
    ("name", "game", "hands"),
    [
        ("random", "limit-2p", 300),
        ("random", "kuhn-3p", 300),
        ("equilibrium", "kuhn-2p", 1000),
        ("equilibrium", "leduc", 500),
        *[
            pytest.param(name, game, 300, marks=pytest.mark.slow)
            for name in (*TELLING, "formula:model=none", "formula:model=generic,deception=1")
            for game in ("limit-2p", "nolimit-2p-100bb")
        ],
        pytest.param("formula", "limit-6p", 200, marks=pytest.mark.slow),
        pytest.param("simple", "limit-6p", 300, marks=pytest.mark.slow),
    ],
)
def test_bots_do_things_as_often_as_they_tell(name: str, game: str, hands: int) -> None:
    """Calibration: what was told against what was then done, and what would have been expected of it."""
    watched = Watched(make_bot(name))
    n = load_game(game).num_players
    Arena(load_game(game), [watched, *[Random(fold=0.1) for _ in range(n - 1)]], seed=11).play(hands)

    told_of, done = [], []
    for view, action, record, _ in watched.decisions:
        fold, raise_ = [read_numbers(column)[row_of(record, view)] / ONE for column in record.columns[:2]]
        told_of.append((fold, 1 - fold - raise_, raise_))
        done.append([ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE].index(action.kind))
    chances = np.array(told_of)
    of_done = chances[np.arange(len(done)), done]
    assert len(done) >= hands / 3
    assert of_done.min() > 0  # nothing is done that was told never to be done

    # The log score is what one who knows these chances expects.
    logs = np.log(np.where(chances > 0, chances, 1.0))
    expected = (chances * logs).sum(axis=1)
    variance = float(((chances * logs**2).sum(axis=1) - expected**2).sum())
    surplus = float((np.log(of_done) - expected).sum())
    assert abs(surplus) < 4 * np.sqrt(variance) + 1e-3 * len(done)

    # Of decisions in which an action was told to have such a chance, so many had it.
    for kind in range(3):
        for low, high in itertools.pairwise(_EDGES):
            chosen = (chances[:, kind] > low) & (chances[:, kind] <= high)
            spread = float((chances[chosen, kind] * (1 - chances[chosen, kind])).sum())
            if spread > 5:  # below, there is too little of chance to say anything
                happened = np.count_nonzero(np.array(done)[chosen] == kind)
                assert abs(happened - float(chances[chosen, kind].sum())) < 4.5 * np.sqrt(spread)


@pytest.mark.parametrize("name", ["hand-strength", "simple", "formula", "street-learner"])
def test_what_they_tell_says_nothing_of_their_own_cards(name: str) -> None:
    """Asked with other cards in its hand, in the same state, a bot tells the same."""
    watched = Watched(TELLING[name](), asks_again=True)
    Arena(load_game("limit-2p"), [watched, Random(fold=0.1)], seed=6).play(20)

    assert max(len(view.board) for view, _, _, _ in watched.decisions) == 5


def test_a_bot_that_has_no_distribution_tells_nothing() -> None:
    assert not can_disclose(Sampling())
    assert all(can_disclose(make()) for make in TELLING.values())


class Odd(Agent):
    """Tells what a test wants."""

    def __init__(self, chances: object) -> None:
        self.chances = chances

    def triples(self, view: HandView) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return self.chances  # type: ignore[return-value]


@pytest.mark.parametrize(
    "chances",
    [np.ones((1326, 2)), np.full((1326, 3), np.nan), -np.ones((169, 3)), np.ones((7, 3)), [(0, 0, 0)]],
)
def test_invalid_chances_are_the_bots_fault(chances: object) -> None:
    watched = Watched(AlwaysCall())
    Arena(load_game("limit-2p"), [watched, AlwaysCall()], seed=6).play(1)

    with pytest.raises(ValueError, match="expected"):
        policy_line(Odd(chances), watched.decisions[0][0], CALL)


chance = st.floats(0, 1).filter(lambda number: number == 0 or number > 1e-300)


@given(st.lists(st.tuples(chance, chance, chance), min_size=1, max_size=6))
def test_what_is_possible_stays_possible_and_little_is_lost(
    triples: list[tuple[float, float, float]],
) -> None:
    """Hands without any chance, such as those that share a card with the board, call."""
    legal = parse_betting(load_game("limit-2p"), "r").legal_actions()
    if not any(map(sum, triples)):
        refuses(ValueError, "one positive", policy_columns, triples, None, legal)
        return
    folds, raises = map(read_numbers, policy_columns(triples, None, legal))

    for triple, fold, raise_ in zip(triples, folds, raises, strict=True):
        total = sum(triple)
        chances = [each / total for each in triple] if total else [0, 1, 0]
        for number, wanted in zip((fold, ONE - fold - raise_, raise_), chances, strict=True):
            assert number / ONE == pytest.approx(wanted, abs=2.5 / ONE)
            assert (number > 0) >= (wanted > 0)


@pytest.mark.parametrize(
    ("betting", "row"), [("cr", (0.2, 0.3, 0.5)), ("rrr", (0.2, 0.8, 0)), ("c", (0, 0.5, 0.5))]
)
def test_what_is_not_allowed_counts_as_a_call(betting: str, row: tuple[float, ...]) -> None:
    legal = parse_betting(load_game("limit-2p"), betting).legal_actions()

    assert legal_triples([(0.2, 0.3, 0.5)], legal).tolist() == [pytest.approx(row)]


def test_the_arena_discloses_what_it_is_asked_for_and_plays_the_same() -> None:
    def play(lines: list[str] | None) -> list[str]:
        log: list[str] = []
        arena = Arena(load_game("limit-2p"), [Formula(), SimpleBot()], seed=3)
        arena.play(12, record=log.append, disclose=None if lines is None else lines.append)
        return log

    lines: list[str] = []

    assert play(lines) == play(None)
    records = [parse_record(line) for line in lines]
    assert {record.seat for record in records if record is not None} == {0, 1}
    assert len(lines) > 24
