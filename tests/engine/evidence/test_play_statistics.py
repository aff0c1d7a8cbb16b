"""VPIP and its like: against hands counted by hand, a slow oracle, and PokerKit."""

import re
from collections import Counter
from pathlib import Path

import pytest
from pokerkit import Automation, NoLimitTexasHoldem

from engine.evidence.columns.hands import HandColumns
from engine.evidence.columns.play import contested_pots
from engine.evidence.play_statistics import STATISTICS, Odds, PlayTable
from engine.players.hand_play import Ending, play_by_position
from engine.players.statistics import Rate
from engine.poker.rules import (
    CardDealer,
    GameDefinition,
    HandState,
    format_game,
    load_game,
    parse_betting,
    parse_game,
)
from engine.support.intervals import wilson_interval
from protocol.records import HandRecord, parse_hand
from tests.oracles.play_statistics import count_hand
from tests.support.asserting import known, refuses
from tests.support.hands.golden_files import LOGS, golden_log

COUNTED = (
    "hands", "decided", "entered", "raised", "could_three_bet", "three_bets", "flops", "showdowns",
    "showdowns_won",
)  # fmt: skip
SHARED = Path(__file__).parents[4] / "shared" / "hands"
LIMIT, SIX = load_game("limit-2p"), load_game("nolimit-6p")

FIVE_HANDS = (
    ("crc/rc/cc/cc", (30, -30)), ("rrf", (20, -20)), ("f", (5, -5)), ("cc/rrf", (-20, 20)),
    ("rc/cc/cc/crc", (0, 0)),
)  # fmt: skip


def table_of(game: GameDefinition, *hands: tuple[str, tuple[float, ...]]) -> PlayTable:
    """Hands in which players sit as they do at a table: the one in position p of hand h is (p + h) mod n."""
    table = PlayTable(game, game.num_players)
    for number, (betting, chips) in enumerate(hands):
        seats = [(position + number) % game.num_players for position in range(game.num_players)]
        table.add(parse_betting(game, betting), seats, chips)
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


def test_what_was_won_adds_up_by_position_by_round_and_by_ending() -> None:
    table = table_of(LIMIT, *FIVE_HANDS)

    assert [(w.hands, w.chips) for w in table.won_by_position(0)] == [(3, 35), (2, 0)]
    assert [(w.hands, w.chips) for w in table.won_by_round(0)] == [(2, -15), (1, 20), (0, 0), (2, 30)]
    assert {ending.value: (w.hands, w.chips) for ending, w in table.won_by_ending(0).items()} == {
        "folded": (1, -20), "uncontested": (2, 25), "showdown": (2, 30), "all-in": (0, 0),
    }  # fmt: skip


def test_a_side_pot_is_a_part_of_the_pot_and_chips_nobody_called_are_not() -> None:
    game = load_game("nolimit-3p")  # blinds 50 and 100, the button acts first; 20,000 chips each
    betting = parse_betting(game, "r20000fc///")

    table = PlayTable(game, 3)
    table.add(betting, [0, 1, 2], (-50, 20050, -20000))

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


def counted(game: GameDefinition, records: tuple[HandRecord, ...]) -> list[Counter[str]]:
    """Our counts, by position."""
    table = PlayTable(game, game.num_players)
    for record in records:
        table.add(parse_betting(game, record.betting), range(game.num_players), record.chips)
    found = []
    for position in range(game.num_players):
        counts = table.counts(position)
        found.append(Counter({name: getattr(counts, name) for name in COUNTED}))
        found[-1]["bets_and_raises"] = sum(counts.bets_and_raises[1:])
        found[-1]["calls"] = sum(counts.calls[1:])
    return found


@pytest.mark.parametrize("name", [name for name in LOGS if "holdem" in name])
def test_golden_logs_are_counted_as_by_the_oracle(name: str) -> None:
    game, records = records_of(name)

    expected: list[Counter[str]] = [Counter() for _ in range(game.num_players)]
    for record in records:
        for position, counts in enumerate(count_hand(game, record.betting, record.chips)):
            expected[position] += counts

    assert [+counts for counts in counted(game, records)] == [+counts for counts in expected]


@pytest.mark.skipif(not SHARED.exists(), reason="the recorded session is not there")
def test_a_session_of_pluribus_is_counted_as_by_pokerkit() -> None:
    game = load_game(str(SHARED / "pluribus.6p.game"))
    lines = (SHARED / "pluribus_30.log").read_text("ascii").splitlines()
    records = tuple([record for line in lines if (record := parse_hand(line)) is not None])

    expected: list[Counter[str]] = [Counter() for _ in range(game.num_players)]
    for record in records:
        for position, counts in enumerate(counted_by_pokerkit(game, record)):
            expected[position] += counts

    assert [+counts for counts in counted(game, records)] == [+counts for counts in expected]


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


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634)],
)
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
