"""Hands in columns: the same as hand by hand, to the last digit, whatever is played."""

import random
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.evidence.columns.hands import HandColumns, can_be_read, read_hands
from engine.evidence.columns.moments import moments_of
from engine.evidence.columns.play import add_to_table
from engine.evidence.confidence_sequence import ConfidenceSequence
from engine.evidence.play_statistics import PlayTable
from engine.evidence.verdict import Standings
from engine.poker.rules import (
    CardDealer,
    GameDefinition,
    HandState,
    Rake,
    load_game,
    parse_betting,
)
from protocol.match_state import format_hole_cards_and_board
from protocol.records import HandReader
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.golden_files import LOGS, golden_log
from tests.support.hands.strategies import random_hand

SIX = load_game("nolimit-6p")
SHORT = attrs.evolve(SIX, stacks=(700, 20000, 130, 2500, 90, 130))
GAMES = {
    "no-limit": SIX,
    "short stacks": SHORT,
    "equal antes": attrs.evolve(SHORT, antes=(10,) * 6),
    "the big blind's ante": attrs.evolve(SHORT, antes=(0, 100, 0, 0, 0, 0)),
    "rake": attrs.evolve(SHORT, rake=Rake(5.0, 37.5)),
    "limit with stacks": attrs.evolve(load_game("limit-3p"), stacks=(33, 1000, 71)),
}


def played(game: GameDefinition, hands: int = 80) -> list[HandState]:
    dealer, draw = CardDealer(game, seed=5), random.Random(f"{game}")
    return [random_hand(game, number, dealer, draw) for number in range(hands)]


def cards_of(hand: HandState) -> str:
    ends = hand.betting.game.board_ends
    return format_hole_cards_and_board(hand.deal.hole_cards, hand.board, ends, hand.betting.betting_round)


def read(game: GameDefinition, hands: Sequence[HandState]) -> HandColumns:
    columns, is_read = read_hands(
        game,
        [hand.hand_number for hand in hands],
        [hand.betting.text for hand in hands],
        list(map(cards_of, hands)),
    )
    assert is_read.all()
    return columns


def is_same(one: HandColumns, other: HandColumns) -> bool:
    mine: list[NDArray[Any]] = [one.numbers, *one.walked, one.holes, one.board]
    theirs: list[NDArray[Any]] = [other.numbers, *other.walked, other.holes, other.board]
    return all(map(np.array_equal, mine, theirs))


def counted(table: PlayTable) -> list[object]:
    return [
        (
            [table.counts(player, position).as_json() for position in range(table.game.num_players)],
            table.won_by_position(player),
            table.won_by_round(player),
            table.won_by_ending(player),
        )
        for player in range(len(table.players))
    ]


def check(game: GameDefinition, hands: Sequence[HandState]) -> None:
    """That everything that is said of hands in columns is what is said of each."""
    columns = read(game, hands)
    assert is_same(columns, HandColumns.of(game, hands))
    assert is_same(columns, HandColumns.joined([columns.take(slice(0, 9)), columns.take(slice(9, None))]))
    one, other = PlayTable(game, game.num_players), PlayTable(game, game.num_players)
    seats = [
        [(p + number) % game.num_players for p in range(game.num_players)] for number in range(len(hands))
    ]
    chips = [[won / 3 for won in hand.chips_won()] for hand in hands]
    for hand, who, won in zip(hands, seats, chips, strict=True):
        one.add(hand.betting, who, won)
    half = len(hands) // 2
    for part in (slice(0, half), slice(half, None)):
        add_to_table(other, columns.take(part), np.array(seats)[part], np.array(chips)[part])
    assert counted(one) == counted(other)


@pytest.mark.parametrize("name", GAMES)
def test_hands_in_columns_say_what_each_says_by_itself(name: str) -> None:
    hands = played(GAMES[name])

    check(GAMES[name], hands)
    assert moments_of(HandColumns.of(GAMES[name], hands)).is_run_out.any()


@pytest.mark.parametrize("name", LOGS)
def test_hands_of_the_c_dealer_in_columns_say_what_each_says_by_itself(name: str) -> None:
    golden = golden_log(name)
    if not can_be_read(golden.game):
        pytest.skip("a game that kernels leave out")
    reader = HandReader(golden.game)

    check(golden.game, [reader.state(record) for record in golden.records[:60]])


@pytest.mark.parametrize(("betting", "cards"), cases(__file__, "what is not a hand is not read"))
def test_what_is_not_a_hand_is_not_read(betting: str, cards: str) -> None:
    _, is_read = read_hands(
        load_game("nolimit-2p"), range(3), ["r300f", betting, "f"], ["AhKd|2c2d", cards, "|2c2d"]
    )

    assert is_read.tolist() == [True, False, True]


def test_cards_that_are_not_shown_are_not_known() -> None:
    hands, is_read = read_hands(
        load_game("nolimit-3p"), range(2), ["fr300f", "ff"], ["AhKd||2c2d", "|AhKd|2c2d"]
    )

    assert is_read.all()
    assert hands.unknown.tolist() == [1, 0]


def test_luck_is_decided_when_cards_come_and_for_the_pots_then_in_play() -> None:
    game = attrs.evolve(load_game("nolimit-3p"), stacks=(700, 2500, 20000))
    bettings = ["r300cc/cr700fc//", "r300cc/ccc/cr600fc/cc", "r20000cc///", "ff"]
    deal = CardDealer(game, 1).deal()

    found = moments_of(HandColumns.of(game, [HandState(parse_betting(game, b), 0, deal) for b in bettings]))

    assert found.left.tolist() == [[7, 7, 0, 0], [7, 7, 7, 3], [7, 0, 0, 0], [7, 0, 0, 0]]
    assert found.pots.tolist() == [[300, 900, 0, 0], [300, 900, 900, 1500], [300, 0, 0, 0], [300, 0, 0, 0]]
    assert found.is_run_out.tolist() == [True, False, True, False]
    assert found.out.tolist() == [3, 0, 0, 0]
    assert found.paid.tolist() == [[700, 700, 300], [600, 600, 300], [700, 2500, 20000], [50, 100, 0]]
    assert found.chips[::2].tolist() == [[1700, 0, 0, 0], [2100, 3600, 17500, 0]]
    assert found.sharing[::2].tolist() == [[3, 0, 0, 0], [7, 6, 4, 0]]


def test_games_that_kernels_know_nothing_of_are_left_out() -> None:
    limit = load_game("limit-2p")

    assert can_be_read(limit)
    assert not can_be_read(attrs.evolve(limit, raise_sizes=(10, 10, 20, 0)))
    assert not can_be_read(attrs.evolve(SIX, stacks=(1 << 41,) * 6))
    assert not can_be_read(attrs.evolve(SIX, antes=(20000, 0, 0, 0, 0, 0), blinds=(0, 100, 0, 0, 0, 0)))


def test_bets_in_columns_come_to_the_same_capital() -> None:
    draw = random.Random(3)
    payoffs = [draw.choice([-48.0, 0.1 / 3, 0.4, 7.7, 48.0]) for _ in range(3000)]
    one, other = (ConfidenceSequence(-48, 48, 0.01) for _ in range(2))

    for payoff in payoffs:
        one.add(payoff)
    other.add_all(np.array(payoffs[:1000]))
    other.add_all(np.array(payoffs[1000:]))

    assert (one.samples, one.mean, one.interval) == (other.samples, other.mean, other.interval)
    assert one._bettors == other._bettors
    refuses(ValueError, "expected a payoff from -48 to 48, got 49", other.add_all, np.array([1.0, 49.0]))
    assert other.samples == 3001


@pytest.mark.parametrize("learners", [(), (2,)])
def test_standings_in_columns_are_the_same(learners: tuple[int, ...]) -> None:
    draw = random.Random(4)
    deals = [(a, b, -a - b) for a, b in ((draw.gauss(9, 30), draw.gauss(0, 30)) for _ in range(500))]
    game, names = load_game("limit-3p"), ("a", "b", "c")

    one, other = Standings(game, names, learners), Standings(game, names, learners)
    for chips in deals:
        one.add(chips)
    other.add_all(np.array(deals))

    assert one.verdict() == other.verdict()
    assert [one.rate(player) for player in range(3)] == [other.rate(player) for player in range(3)]
