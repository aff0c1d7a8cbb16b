"""The evidence against an opponent: beside what it is by definition, and of players who are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.poker.combos import combo_cards
from engine.poker.rules import FOLD, HandState, load_game, parse_betting
from engine.solving.miximax.departure import Departure
from engine.solving.miximax.habits import (
    Expectations,
    Habits,
    InvalidHabits,
    reasonable_habits,
    shipped_changes,
)
from engine.solving.miximax.strength import BUCKETS, percentile
from engine.solving.miximax.trees import betting_tree
from engine.solving.miximax.values import Miximax
from engine.solving.strategy_file import read_shipped
from protocol.records import HandReader
from tests.engine.solving.miximax.recorded import observe
from tests.support.asserting import refuses
from tests.support.hands.golden_files import golden_log

GAME = load_game("limit-2p")
TREE = betting_tree(GAME)
STRATEGY = read_shipped(GAME)


def observer() -> tuple[Habits, Miximax, Departure]:
    assert STRATEGY is not None
    habits = Habits(TREE, Expectations(TREE, reasonable_habits(GAME)))
    return habits, Miximax(TREE, shipped_changes()), Departure(STRATEGY)


def watched(opponent: str, hands: int) -> tuple[Departure, list[float]]:
    """A player against an equilibrium, and the evidence after each hand."""
    habits, search, departure = observer()
    evidence: list[float] = []

    def count(state: HandState, chips: tuple[float, ...]) -> None:
        observe(state, state.hand_number % 2, habits, search, departure)
        evidence.append(departure.evidence)

    Arena(GAME, [make_bot(opponent), make_bot("equilibrium")], 3).play(hands, on_hand=count)
    return departure, evidence


def test_who_plays_the_equilibrium_is_never_suspected() -> None:
    departure, evidence = watched("equilibrium", 25)

    assert max(evidence) < 3
    assert evidence[-1] < -10
    assert departure.trust < 0.01


@pytest.mark.parametrize("opponent", ["always-call", "always-raise"])
def test_who_does_the_same_everywhere_is_soon_answered(opponent: str) -> None:
    assert watched(opponent, 70)[0].trust > 0.5


def recorded(players: str) -> Departure:
    """The evidence against the first player of a match of 1,000 hands that the ACPC's dealer recorded."""
    habits, search, departure = observer()
    reader = HandReader(GAME)
    for line in golden_log(f"{players}.holdem.limit.2p.reverse_blinds.0").text.splitlines():
        if line.startswith("STATE:"):
            record, state = reader.read(line)
            observe(state, record.names.index("p0"), habits, search, departure)
    return departure


def test_who_was_counted_for_long_is_answered_however_much_is_left_to_chance() -> None:
    """The ACPC's example player: its habits are all that there is to know, and foretell little, since it
    draws its actions by lot.  So they never explain enough; after some hundreds of hands they are known.
    """
    departure = recorded("random")

    assert departure.evidence < departure.surprise / 2 < departure.surprise - departure.evidence
    assert departure.evidence > 400
    assert departure.trust == pytest.approx(1 / (1 + math.exp((400 - departure.evidence) / 60)))
    assert departure.trust > 0.9


def test_who_departs_in_ways_that_habits_know_little_of_is_found_out_and_not_answered() -> None:
    departure, evidence = watched("simple", 60)

    assert evidence[-1] > 10
    assert departure.trust < 0.01


def test_an_action_weighs_by_how_much_likelier_the_habits_make_it() -> None:
    """A fold on the button, by its definition: all hands that are not ours are as likely."""
    habits, search, departure = observer()
    ours = (50, 49)
    assert STRATEGY is not None
    actions, chances = STRATEGY.chances_of_all(parse_betting(GAME, ""), ())
    column = actions.index(FOLD)
    live = [combo for combo in range(1326) if not {*combo_cards(combo)} & {*ours}]
    usual = 0.98 * float(np.mean([chances[combo, column] for combo in live])) + 0.02 / 3
    by_habits = search.expected_action(habits, TREE.node(parse_betting(GAME, "")))[0]

    departure.observe(habits, search, parse_betting(GAME, "f"), 1, (ours, ()), ())

    assert departure.evidence == pytest.approx(math.log(by_habits / usual))
    assert departure.trust == pytest.approx(
        1 / (1 + math.exp((30 - departure.evidence + departure.surprise / 2) / 5))
    )


def test_what_is_shown_weighs_by_the_hands_that_bet_so() -> None:
    """Each hand counts by the product of the strategy's chances of what was done, hand by hand."""
    board, ours, theirs = (0, 17, 34, 51, 8), (20, 21), (1, 6)
    betting = parse_betting(GAME, "rc/cc/rc/cc")
    habits, search, unseen = observer()
    unseen.observe(habits, search, betting, 0, (ours, ()), board)
    _, _, seen = observer()
    seen.observe(habits, search, betting, 0, (ours, theirs), board)

    assert STRATEGY is not None
    reach = np.ones(1326)
    for before, actor, action in betting.steps():
        if actor == 0:
            actions, chances = STRATEGY.chances_of_all(before, board[: before.num_board_cards])
            reach *= 0.98 * chances[:, actions.index(action)] + 0.02 / len(actions)
    in_buckets = np.zeros(BUCKETS)
    for combo in range(1326):
        cards = combo_cards(combo)
        if not {*cards} & {*board, *ours}:
            in_buckets[min(BUCKETS - 1, int(percentile(cards, board) * BUCKETS))] += reach[combo]
    bucket = int(percentile(theirs, board) * BUCKETS)
    usual = 0.95 * in_buckets[bucket] / in_buckets.sum() + 0.05 / BUCKETS
    shown = search.expected_hands(habits, TREE.node(betting), 0)[bucket]
    assert seen.evidence - 0.9999 * unseen.evidence == pytest.approx(math.log(shown / usual))


def test_evidence_survives_a_file_and_nothing_else_is_taken_for_it() -> None:
    _, _, departure = observer()
    departure.evidence, departure.surprise = 7.5, 2.5
    _, _, again = observer()
    again.remember(departure.as_arrays())
    _, _, older = observer()
    older.remember({"hands": np.array(40)})

    assert (again.evidence, again.surprise, older.evidence) == (7.5, 2.5, 40)
    for wrong in (np.array(["x", "y"]), np.array([1.0]), np.array([1.0, math.nan])):
        refuses(InvalidHabits, "departure", again.remember, {"hands": np.array(3), "departure": wrong})
    refuses(InvalidHabits, "departure", again.remember, {})
