"""Hands as columns, read back as they were; statistics of play, counted with a pencil."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray
from pokerkit import Automation, NoLimitTexasHoldem

from engine.evidence.columns.hands import HandColumns, can_be_read, read_hands
from engine.evidence.columns.moments import moments_of
from engine.evidence.columns.play import add_to_table, contested_pots
from engine.evidence.confidence_sequence import ConfidenceSequence
from engine.evidence.play_statistics import STATISTICS, Odds, PlayTable
from engine.evidence.verdict import Standings
from engine.players.hand_play import Ending, play_by_position
from engine.players.statistics import Rate
from engine.poker.rules import (
    BettingState,
    CardDealer,
    GameDefinition,
    HandState,
    Rake,
    format_game,
    load_game,
    parse_betting,
    parse_game,
)
from engine.support.intervals import wilson_interval
from protocol.match_state import format_hole_cards_and_board
from protocol.records import HandReader, HandRecord, parse_hand
from tests.oracles.play_statistics import count_hand
from tests.support.asserting import known, refuses
from tests.support.cases import cases
from tests.support.hands.golden_files import LOGS, golden_log
from tests.support.hands.strategies import random_hand

# --- columns ------------------------------------------------------------------------------------------------

SIX = load_game("nolimit-6p")
SHORT = attrs.evolve(SIX, stacks=(700, 20000, 130, 2500, 90, 130))
GAMES = {
    "no-limit": SIX, "short stacks": SHORT, "equal antes": attrs.evolve(SHORT, antes=(10,) * 6),
    "the big blind's ante": attrs.evolve(SHORT, antes=(0, 100, 0, 0, 0, 0)),
    "rake": attrs.evolve(SHORT, rake=Rake(5.0, 37.5)),
    "limit with stacks": attrs.evolve(load_game("limit-3p"), stacks=(33, 1000, 71)),
}  # fmt: skip


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
            [table.won_by(kind, player) for kind in table.won],
        )
        for player in range(len(table.players))
    ]  # fmt: skip


def add(
    table: PlayTable,
    game: GameDefinition,
    betting: BettingState,
    seats: Sequence[int],
    chips: Sequence[float],
) -> None:
    """Count one hand."""
    hands = HandColumns.of(game, [HandState(betting, 0, CardDealer(game, 1).deal())])
    add_to_table(table, hands, np.array([seats]), np.array([chips], np.float64))


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
        add(one, game, hand.betting, who, won)
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

    for ours, theirs in zip(one.verdict().pairs, other.verdict().pairs, strict=True):
        assert (ours.players, ours.outcome, ours.words) == (theirs.players, theirs.outcome, theirs.words)
        assert ours.lead is not None
        assert theirs.lead is not None
        assert attrs.astuple(ours.lead) == pytest.approx(attrs.astuple(theirs.lead))  # sums in another order
    assert [one.rate(player) for player in range(3)] == [other.rate(player) for player in range(3)]


# --- play statistics ----------------------------------------------------------------------------------------

COUNTED = (
    "hands", "decided", "entered", "raised", "could_three_bet", "three_bets", "flops", "showdowns",
    "showdowns_won",
)  # fmt: skip
SHARED = Path(__file__).parents[4] / "shared" / "hands"
LIMIT = load_game("limit-2p")

FIVE_HANDS = (
    ("crc/rc/cc/cc", (30, -30)), ("rrf", (20, -20)), ("f", (5, -5)), ("cc/rrf", (-20, 20)),
    ("rc/cc/cc/crc", (0, 0)),
)  # fmt: skip


def table_of(game: GameDefinition, *hands: tuple[str, tuple[float, ...]]) -> PlayTable:
    """Hands in which players sit as they do at a table: the one in position p of hand h is (p + h) mod n."""
    table = PlayTable(game, game.num_players)
    for number, (betting, chips) in enumerate(hands):
        seats = [(position + number) % game.num_players for position in range(game.num_players)]
        add(table, game, parse_betting(game, betting), seats, chips)
    return table


def rates(table: PlayTable, player: int, position: int | None = None) -> dict[str, tuple[int, int]]:
    return {
        STATISTICS[key]: (each.count, each.of if isinstance(each, Rate) else each.to)
        for key, each in table.counts(player, position).statistics().items()
    }


def test_five_hands_counted_by_hand() -> None:
    """Heads-up limit; in even hands player 0 is the big blind and player 1 the small blind, who acts first.

    1. Player 1 completes, 0 raises, 1 calls; on the flop 0 bets and 1 calls; checked down; 0 wins 30.
    2. Player 0 raises, 1 three-bets, 0 folds: 0 loses 20.
    3. Player 1 folds at once: a walk for player 0.
    4. Player 0 completes, 1 checks; on the flop 1 bets, 0 raises, 1 folds.
    5. Player 1 raises, 0 calls; checked to the river, where 0 checks, 1 bets, 0 calls; the pot is split.
    """
    table = table_of(LIMIT, *FIVE_HANDS)

    assert rates(table, 0) == {
        "VPIP": (4, 4),  # not the walk; the completion of hand 4
        "PFR": (2, 4),  # hands 1 and 2
        "3-bet": (0, 1),  # hand 5; in hand 2 it was another's
        "AF": (2, 1),  # bet in 1, raise in 4; call in 5
        "WTSD": (2, 3),
        "W$SD": (2, 2),
    }
    assert rates(table, 1) == {
        "VPIP": (3, 5),  # hands 1, 2, 5; not the check of 4
        "PFR": (2, 5),
        "3-bet": (1, 2),  # of hands 1 and 2: after its own call it could have raised hand 1 again
        "AF": (2, 1),
        "WTSD": (2, 3),
        "W$SD": (1, 2),
    }
    assert rates(table, 0, position=0)["VPIP"] == (2, 2)  # big blind: hands 1, 3, 5
    assert table.counts(0, 0).hands == 3


def test_what_was_won_adds_up_by_each_kind() -> None:
    table = table_of(LIMIT, *FIVE_HANDS)

    assert [(w.hands, w.chips) for w in table.won_by("position", 0)] == [(3, 35), (2, 0)]
    assert [(w.hands, w.chips) for w in table.won_by("round", 0)] == [(2, -15), (1, 20), (0, 0), (2, 30)]
    # Folded, uncontested, showdown, all-in.
    assert [(w.hands, w.chips) for w in table.won_by("ending", 0)] == [(1, -20), (2, 25), (2, 30), (0, 0)]
    # Bet or raised (hands 1, 2, 4), called (5), only checked, only folded or a walk (3).
    assert [(w.hands, w.chips) for w in table.won_by("decision", 0)] == [(3, 30), (1, 0), (0, 0), (1, 5)]


def test_a_side_pot_is_a_part_of_the_pot_and_chips_nobody_called_are_not() -> None:
    game = load_game("nolimit-3p")  # blinds 50 and 100, the button acts first; 20,000 chips each
    betting = parse_betting(game, "r20000fc///")

    table = PlayTable(game, 3)
    add(table, game, betting, [0, 1, 2], (-50, 20050, -20000))

    assert rates(table, 1)["W$SD"] == (1, 1)
    assert rates(table, 2)["W$SD"] == (0, 1)
    bettings = [betting, parse_betting(game, "r300cc/r900fc/cc/r2000f")]
    hands = HandColumns.of(game, [HandState(each, 0, CardDealer(game, 1).deal()) for each in bettings])
    assert contested_pots(hands).tolist() == [40050, 300 + 900 + 900]


@pytest.mark.parametrize(
    ("betting", "endings", "rounds"),
    [
        ("r300fffff", ["folded", "folded", "uncontested", "folded", "folded", "folded"], [0] * 6),
        ("r300ffffc/cr600f", ["folded", "folded", "folded", "folded", "folded", "folded"], None),
        ("r20000ffffc///", ["folded", "all-in", "all-in", "folded", "folded", "folded"], [0] * 6),
        ("r300ffffc/cc/cc/cc", ["folded", "showdown", "showdown", "folded"], [0, 3, 3, 0, 0, 0]),
    ],
)
def test_how_and_when_a_hand_ends(betting: str, endings: list[str], rounds: list[int] | None) -> None:
    play = play_by_position(parse_betting(SIX, betting))

    if rounds is None:  # the last raise was not called: position 2 won it
        endings[2] = "uncontested"
        rounds = [0, 1, 1, 0, 0, 0]
    assert [each.ending for each in play][: len(endings)] == [Ending(ending) for ending in endings]
    assert [each.last_round for each in play] == rounds


def test_an_unfinished_hand_is_refused() -> None:
    refuses(ValueError, "'rc/' it is not over", play_by_position, parse_betting(LIMIT, "rc/"))


def test_a_raise_that_nobody_could_call_is_no_opportunity() -> None:
    """The button is all in before the flop, the small blind folds: the big blind can only call."""
    game = load_game("nolimit-3p")

    play = play_by_position(parse_betting(game, "r20000fc///"))

    assert [each.could_three_bet for each in play] == [False, False, False]


def test_antes_are_no_bet() -> None:
    """In Kuhn a bet and its raise are the first and second; AF counts the only round, WTSD is per hand."""
    game = load_game("kuhn-2p")
    table = table_of(game, ("crc", (2, -2)), ("rf", (1, -1)))

    assert rates(table, 0) == {
        "VPIP": (1, 2), "PFR": (0, 2), "3-bet": (0, 0), "AF": (0, 1), "WTSD": (1, 2), "W$SD": (1, 1),
    }  # fmt: skip
    assert rates(table, 1)["AF"] == (2, 0)


def test_an_ante_that_comes_back_is_a_part_of_the_pot() -> None:
    text = format_game(load_game("nolimit-3p")).replace("blind = ", "ante = 10\nblinds = ")
    game = parse_game(text)
    table = table_of(game, ("ccc/ccc/ccc/ccc", (0, 0, 0)), ("ccc/ccc/ccc/ccc", (220, -110, -110)))

    assert [rates(table, player)["W$SD"] for player in range(3)] == [(1, 2), (2, 2), (1, 2)]


# --- against counts that do not know our rules --------------------------------------------------------------


def records_of(name: str) -> tuple[GameDefinition, tuple[HandRecord, ...]]:
    log = golden_log(name)
    return log.game, log.records


def counted_by_position(game: GameDefinition, records: tuple[HandRecord, ...]) -> list[Counter[str]]:
    """Our counts, by position."""
    table = PlayTable(game, game.num_players)
    for record in records:
        add(table, game, parse_betting(game, record.betting), range(game.num_players), record.chips)
    found = []
    for position in range(game.num_players):
        counts = table.counts(position)
        found.append(Counter({name: getattr(counts, name) for name in COUNTED}))
        found[-1]["bets_and_raises"] = sum(counts.bets_and_raises[1:])
        found[-1]["calls"] = sum(counts.calls[1:])
    return found


@pytest.mark.parametrize("hands", [200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [name for name in LOGS if "holdem" in name])
def test_golden_logs_are_counted_as_by_the_oracle(name: str, hands: int) -> None:
    game, records = records_of(name)
    records = records[:hands]

    expected: list[Counter[str]] = [Counter() for _ in range(game.num_players)]
    for record in records:
        for position, counts in enumerate(count_hand(game, record.betting, record.chips)):
            expected[position] += counts

    assert [+counts for counts in counted_by_position(game, records)] == [+counts for counts in expected]


@pytest.mark.skipif(not SHARED.exists(), reason="the recorded session is not there")
def test_a_session_of_pluribus_is_counted_as_by_pokerkit() -> None:
    game = load_game(str(SHARED / "pluribus.6p.game"))
    lines = (SHARED / "pluribus_30.log").read_text("ascii").splitlines()
    records = tuple([record for line in lines if (record := parse_hand(line)) is not None])

    expected: list[Counter[str]] = [Counter() for _ in range(game.num_players)]
    for record in records:
        for position, counts in enumerate(counted_by_pokerkit(game, record)):
            expected[position] += counts

    assert [+counts for counts in counted_by_position(game, records)] == [+counts for counts in expected]


def counted_by_pokerkit(game: GameDefinition, record: HandRecord) -> list[Counter[str]]:
    """A hand of no-limit hold'em played by PokerKit, its state asked before each action."""
    players = range(game.num_players)
    by_us = (Automation.HOLE_DEALING, Automation.BOARD_DEALING, Automation.CARD_BURNING)
    state = NoLimitTexasHoldem.create_state(
        tuple([each for each in Automation if each not in by_us]),
        True,
        0,
        game.blinds,
        game.big_blind,
        game.stacks,
        6,
    )
    hole, *boards = record.cards.split("/")
    for cards in hole.split("|"):
        state.deal_hole(cards)
    seen = [Counter(hands=1) for _ in players]
    folded: set[int] = set()
    raises = 0
    before = [0 for _ in players]  # spent in earlier rounds

    def deal() -> None:
        nonlocal raises, before
        while state.can_burn_card() or state.can_deal_board():
            state.burn_card("??")
            if len(boards) == len(record.cards.split("/")) - 1:
                for p in players:
                    seen[p]["flops"] = int(p not in folded)
            state.deal_board(boards.pop(0))
            raises = 0
            before = [start - stack for start, stack in zip(game.stacks, state.stacks, strict=True)]

    for action in re.findall(r"f|c|r\d*", record.betting):
        deal()
        preflop, me = state.street_index == 0, state.actor_index
        counts = seen[me]
        if preflop:
            counts["decided"] = 1
            if raises == 1 and state.can_complete_bet_or_raise_to():
                counts["could_three_bet"] += 1
                counts["three_bets"] += action[0] == "r"
        if action == "f":
            folded.add(me)
            state.fold()
        elif action == "c":
            if state.checking_or_calling_amount and preflop:
                counts["entered"] = 1
            elif state.checking_or_calling_amount:
                counts["calls"] += 1
            state.check_or_call()
        else:
            raises += 1
            if preflop:
                counts["entered"] = counts["raised"] = 1
            else:
                counts["bets_and_raises"] += 1
            state.complete_bet_or_raise_to(int(action[1:]) - before[me])
    deal()
    assert not state.status
    assert tuple(state.payoffs) == pytest.approx(record.chips)
    if len(folded) < game.num_players - 1:
        for p in set(players) - folded:
            seen[p]["showdowns"] = 1
            seen[p]["showdowns_won"] = int(state.payoffs[p] > 0)  # in this session no pot was split
    return seen


# --- intervals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "of", "low", "high"), cases(__file__, "wilson intervals are those of the"))
def test_wilson_intervals_are_those_of_the_books(count: int, of: int, low: float, high: float) -> None:
    """Brown, Cai and DasGupta, "Interval estimation for a binomial proportion" (2001)."""
    assert wilson_interval(count, of) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("count", "of"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_have_no_interval(count: int, of: int) -> None:
    refuses(ValueError, "expected 0 to n successes", wilson_interval, count, of)


def test_odds_have_the_interval_of_their_share() -> None:
    low, high = wilson_interval(30, 40)

    assert Odds(30, 10).value == 3
    assert Odds(30, 10).ci95 == pytest.approx((low / (1 - low), high / (1 - high)))
    assert (Odds(3, 0).value, Odds(0, 0).value, Odds(0, 0).ci95) == (float("inf"), None, None)
    interval = known(Odds(3, 0).ci95)
    assert interval[1] == float("inf")
