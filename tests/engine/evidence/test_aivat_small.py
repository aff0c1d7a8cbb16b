"""AIVAT of hands of Kuhn's game and of Leduc, from what bots tell while they play."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import attrs
import numpy as np
import pytest

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.aivat.estimates import Told
from engine.evidence.aivat.games import is_small, why_not
from engine.evidence.estimates import Evidence
from engine.poker.rules import HandState, load_game
from protocol.policy import parse_record
from tests.support.asserting import known
from tests.support.hands.evidence import Row, evidence_of


def played(name: str, bots: Sequence[str], hands: int, seed: int = 5) -> Evidence:
    """What some hands prove, of what the bots have told in them."""
    game = load_game(name)
    rows: list[Row] = []
    stories: list[Told] = []
    told: dict[str, Callable[[], Sequence[bytes]]] = {}

    def disclose(line: str) -> None:
        record = known(parse_record(line))
        told[record.betting] = functools.partial(tuple, record.columns)

    def count(end: HandState, chips: tuple[float, ...]) -> None:
        number, n = end.hand_number, len(bots)
        rows.append((end, chips, [(position + number) % n for position in range(n)], number))
        stories.append(dict(told))
        told.clear()

    Arena(game, [make_bot(bot) for bot in bots], seed).play(hands, on_hand=count, disclose=disclose)
    return evidence_of(rows, told=stories)


def test_equilibrium_against_itself_says_the_same_in_every_hand_of_kuhn() -> None:
    evidence = played("kuhn-2p", ["equilibrium", "equilibrium"], 100)

    values = known(evidence.values("aivat"))
    assert values[:, 0] == pytest.approx(-1 / 18, abs=2e-3)  # as near as 1000 iterations come
    assert values.sum(axis=1) == pytest.approx(0.0, abs=1e-12)
    assert evidence.doubts == {}


@pytest.mark.parametrize(
    ("game", "bots", "fewer"),
    [
        ("kuhn-2p", ["equilibrium", "random"], 5.0),
        pytest.param("leduc", ["equilibrium", "random"], 10.0, marks=pytest.mark.slow),
        ("kuhn-3p", ["equilibrium", "random", "always-call"], 3.0),
    ],
)
def test_it_is_unbiased_and_has_little_variance(game: str, bots: Sequence[str], fewer: float) -> None:
    evidence = played(game, bots, 1500)

    chips, aivat = known(evidence.values("chips")), known(evidence.values("aivat"))
    difference = (aivat - chips)[:, 0]
    assert abs(difference.mean()) < 3.5 * difference.std() / np.sqrt(len(difference))
    found = evidence.estimates()
    for plain, better in zip(found["chips"], found["aivat"], strict=True):
        assert plain is not None
        assert better is not None
        assert plain.ci95 is not None
        assert better.ci95 is not None
        assert plain.ci95**2 > fewer * better.ci95**2


def test_false_policies_are_counted_and_the_player_is_not_known() -> None:
    game = load_game("kuhn-2p")
    rows: list[Row] = []

    def lies() -> Sequence[bytes]:
        return [b"\xff\xff", b"\x00\x00"]  # it always folds

    def count(end: HandState, chips: tuple[float, ...]) -> None:
        rows.append((end, chips, [0, 1], end.hand_number))

    Arena(game, [make_bot("always-call"), make_bot("always-call")], 1, fixed_seats=True).play(
        20, on_hand=count
    )
    told = [
        {before.text: lies for before, position, _ in end.betting.steps() if position == 0}
        for end, _, _, _ in rows
    ]
    evidence = evidence_of(rows, told=told)

    assert evidence.values("aivat") is not None
    assert evidence.doubts == {"a player told that it never does with its hand what it did": 20}


def test_games_are_small_or_not() -> None:
    assert [name for name in ("kuhn-2p", "kuhn-3p", "leduc") if not is_small(load_game(name))] == []
    assert [name for name in ("limit-2p", "limit-3p", "nolimit-6p") if is_small(load_game(name))] == []
    assert why_not(load_game("limit-10p")) is None
    whole_deck = attrs.evolve(load_game("leduc"), num_ranks=13, num_suits=4)
    assert "as small as Kuhn's" in str(why_not(whole_deck))
