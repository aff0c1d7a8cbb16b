"""The four learners in play: what they look at, do and learn (Poker Learner 4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import Agent, begin_decision
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.learners.preflop.action_values import (
    CALL,
    FOLD,
    HOLE_CARDS,
    RAISE,
    UPDATES,
    WINNING_HAND,
    LastActionReading,
)
from clients.learners.preflop.learner import PreflopLearner
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner, PokerLearner, WinningHandLearner
from clients.learners.preflop.state import ACTIONS, POSITIONS, split_key
from engine.players.statistics import PlayingStyle
from engine.poker import rules
from engine.poker.cards import parse_cards
from engine.poker.combos import STARTING_HAND_NAMES

LEARNERS: list[type[PreflopLearner]] = [HoleCardsLearner, WinningHandLearner, NameLearner, PokerLearner]
START = [50, 50, 50, 0, 90, 80]
BOARD = "2c8d9sJdQc"


def seated(learner: PreflopLearner, game: str = "nolimit-2p", seat: int = 0) -> PreflopLearner:
    definition = rules.load_game(game)
    learner.game, learner.seat, learner.names = definition, seat, None
    learner.match_started(definition, seat)
    return learner


def dealt(game: str, board: str, *hole_cards: str) -> rules.HandState:
    cards = tuple(parse_cards(text) for text in hole_cards)
    return rules.initial_hand(rules.load_game(game), 0, rules.Deal(cards, parse_cards(board)))


def after(state: rules.HandState, betting: str) -> rules.HandState:
    for _, _, action in rules.parse_betting(state.betting.game, betting).steps():
        state = state.apply(action)
    return state


def decide(
    learner: PreflopLearner, state: rules.HandState, values: Sequence[int]
) -> tuple[rules.Action, list[int]]:
    """What it does where it is to act, its values in that state being these; and the list they are in."""
    position = state.position_to_act
    assert position is not None
    view = state.view(position)
    known = learner.learnt.states.setdefault(learner.state(view), list(values))
    begin_decision(learner, view)
    return learner.choose_action(view), known


def preferring(action: int) -> list[int]:
    values = list(START)
    values[action] = 99
    return values


# --- acting ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_state_is_hand_position_last_player_and_last_action(kind: type[PreflopLearner]) -> None:
    learner = seated(kind(), "nolimit-6p", seat=4)  # in the first hand seat k is in position k
    state = after(
        dealt("nolimit-6p", "2c3c4c5c6c", *["AhKh", "2d2h", "3d3h", "4d4h", "7s2s", "9d9h"]), "r300c"
    )

    found = split_key(learner.state(state.view(4)))

    assert STARTING_HAND_NAMES[found.group] == "72s"
    assert POSITIONS[found.position] == "late"
    assert ACTIONS[found.last_action] == "call"
    if learner.knows_names:
        assert learner.learnt.names[found.last_player] == "seat 3"
    else:
        assert PlayingStyle(found.last_player) is PlayingStyle.TIGHT_PASSIVE


@pytest.mark.parametrize(
    ("reading", "first", "second", "third"),
    [
        ("carried-over", ("seat 0", "call"), ("seat 1", "raise"), ("seat 1", "raise")),
        ("blind-calls", ("seat 0", "call"), ("seat 1", "call"), ("seat 0", "call")),
        ("blind", ("seat 0", "blind"), ("seat 1", "blind"), ("seat 0", "blind")),
    ],
)
def test_where_nobody_has_acted_the_state_is_what_the_reading_says(
    reading: LastActionReading, first: tuple[str, str], second: tuple[str, str], third: tuple[str, str]
) -> None:
    learner = seated(NameLearner(last_action=reading))
    game = rules.load_game("nolimit-2p")

    def looked_at(hand_number: int) -> tuple[str, str]:
        state = rules.initial_hand(game, hand_number, rules.Deal(((0, 1), (2, 3)), (4, 5, 6, 7, 8)))
        found = split_key(learner.state(state.view(-hand_number % 2)))
        return learner.learnt.names[found.last_player], ACTIONS[found.last_action]

    found = []
    for number, betting in enumerate(["cr300c/cr600c/cc/cc", "f", ""]):
        found.append(looked_at(number))
        end = after(rules.initial_hand(game, number, rules.Deal(((0, 1), (2, 3)), (4, 5, 6, 7, 8))), betting)
        learner.hand_finished(end.view(-number % 2))

    assert found == [first, second, third]


def test_names_are_used_where_the_table_tells_them() -> None:
    learner = NameLearner()
    Arena(
        rules.load_game("nolimit-3p"), [learner, AlwaysCall(), Random()], 1, names=["me", "Ann", "Bob"]
    ).play(30)

    base = learner.learnt
    assert {base.names[split_key(key).last_player] for key in base.states} == {"Ann", "Bob"}


def test_styles_are_those_of_the_hands_before() -> None:
    learner = HoleCardsLearner()
    Arena(rules.load_game("nolimit-2p"), [learner, AlwaysCall()], 1).play(50)

    styles = {PlayingStyle(split_key(key).last_player) for key in learner.learnt.states}
    # Before the first hand, and after.
    assert styles == {PlayingStyle.TIGHT_PASSIVE, PlayingStyle.LOOSE_PASSIVE}


@pytest.mark.parametrize("choose", ["greedy", "proportional"])
@pytest.mark.parametrize(
    ("action", "played"), [(FOLD, rules.FOLD), (CALL, rules.CALL), (RAISE, rules.raise_to(200))]
)
def test_the_action_of_the_values_is_played(choose: str, action: int, played: rules.Action) -> None:
    learner = seated(PokerLearner(choose="greedy" if choose == "greedy" else "proportional"), seat=1)
    values = [0] * 6
    values[action] = 5

    assert decide(learner, dealt("nolimit-2p", BOARD, "AhKh", "7s2s"), values)[0] == played


def test_a_raise_that_is_not_allowed_is_a_call() -> None:
    learner = seated(HoleCardsLearner())
    state = after(dealt("nolimit-2p", BOARD, "AhKh", "7s2s"), "r20000")

    assert decide(learner, state, preferring(RAISE))[0] == rules.CALL


@pytest.mark.parametrize(
    ("game", "flop", "played"),
    [
        ("nolimit-2p", "cc/", rules.raise_to(20000)),
        ("nolimit-2p", "cc/cr200", rules.raise_to(20000)),
        ("nolimit-2p", "cc/cr20000", rules.CALL),
        ("limit-2p", "cc/", rules.LIMIT_RAISE),
        ("limit-2p", "cc/cr", rules.LIMIT_RAISE),
        ("limit-2p", "cc/rrrr", rules.CALL),  # no raise is allowed any more
    ],
)
def test_after_the_flop_it_moves_all_in(game: str, flop: str, played: rules.Action) -> None:
    learner = seated(HoleCardsLearner())
    start = dealt(game, BOARD, "AhKh", "7s2s")
    decide(learner, after(start, "c"), preferring(CALL))
    state = after(start, flop)
    assert state.position_to_act is not None

    assert learner.choose_action(state.view(state.position_to_act)) == played


def test_a_fold_where_checking_is_free_is_a_check_and_gives_the_hand_up() -> None:
    learner = seated(HoleCardsLearner())
    start = dealt("nolimit-2p", BOARD, "AhKh", "7s2s")

    assert decide(learner, after(start, "c"), preferring(FOLD))[0] == rules.CALL
    assert learner.choose_action(after(start, "cc/").view(0)) == rules.CALL
    assert learner.choose_action(after(start, "cc/cr200").view(0)) == rules.FOLD
    assert learner.probability_triple(after(start, "cc/cr200").view(0)) == (1, 0, 0)
    assert learner.probability_triple(after(start, "cc/").view(0)) == (0, 1, 0)


@pytest.mark.parametrize("kind", LEARNERS)
def test_its_triple_is_what_it_does_and_asking_teaches_nothing(kind: type[PreflopLearner]) -> None:
    asked: list[tuple[float, ...]] = []
    played: list[str] = []

    class Noted(kind):  # type: ignore[misc, valid-type]
        def choose_action(self, view):  # type: ignore[no-untyped-def]
            known = dict(self.learnt.states)
            asked.append(self.probability_triple(view))
            assert self.learnt.states == known
            action = super().choose_action(view)
            played.append(action.kind.value)
            return action

    Arena(rules.load_game("nolimit-3p"), [Noted(), Random(), AlwaysCall()], 2).play(200)

    for triple, kind_played in zip(asked, played, strict=True):
        assert sum(triple) == pytest.approx(1)
        assert triple["fcr".index(kind_played)] > 0


# --- learning ----------------------------------------------------------------------------------------------


def taught(
    learner: PreflopLearner, hole_cards: Sequence[str], decisions: Sequence[tuple[str, list[int]]], end: str
) -> list[list[int]]:
    """The values in the states of its decisions after a hand of two or three players.

    Args:
        learner: in the big blind, which is position 0 of two and 1 of three.
        hole_cards: by position.
        decisions: the betting when it was to act, and the values it then found.
        end: all of the betting.
    """
    game, position = f"nolimit-{len(hole_cards)}p", len(hole_cards) - 2
    seated(learner, game, position)
    start = dealt(game, BOARD, *hole_cards)
    known = [decide(learner, after(start, betting), values)[1] for betting, values in decisions]
    learner.hand_finished(after(start, end).view(position))
    return known


ALL_IN, CALLED = "r20000", "r20000c///"
BOTH_IN, THREE_CALLED, THREE_FOLDED = "r20000c", "r20000cc///", "r20000cf///"


HCL, WHL = HoleCardsLearner, WinningHandLearner


@pytest.mark.parametrize(
    ("kind", "options", "cards", "action", "end", "expected"),
    [
        # By hole cards: ahead, though 72 pairs the deuce of the board; behind; tied.
        (HCL, {}, "AhKh 7s2s", CALL, CALLED, [49, 100, 52, 1]),
        (HCL, {}, "4h3h 7s2s", CALL, CALLED, [51, 97, 46, 1]),
        (HCL, {}, "TdTs ThTc", CALL, CALLED, [50, 99, 50, 0]),
        # The raise that was chosen, not the call it was played as.
        (HCL, {}, "AhKh 7s2s", RAISE, CALLED, [49, 49, 100, 1]),
        (HCL, {}, "4h3h 7s2s", RAISE, CALLED, [51, 51, 97, 1]),
        # By the best five.
        (WHL, {"winner": "strict"}, "AhKh 7s2s", CALL, CALLED, [51, 97, 46, 1]),
        (WHL, {"winner": "strict"}, "7s2s AhKh", CALL, CALLED, [49, 100, 52, 1]),
        (WHL, {"winner": "strict"}, "7c3c 7s3s", CALL, CALLED, [50, 99, 50, 0]),
        # To split with the winner is to win; in another reading each opponent counts, of whom one is behind.
        (WHL, {}, "7c3c 7s3s", CALL, CALLED, [49, 100, 52, 1]),
        (WHL, {}, "AhTd 2d9h 7s5h", CALL, THREE_CALLED, [51, 97, 46, 1]),
        (WHL, {"winner": "each"}, "AhTd 2d9h 7s5h", CALL, THREE_CALLED, [50, 98, 48, 2]),
        # In another reading only showdowns of two are learnt from.
        (WHL, {"showdowns": "two"}, "AhTd 2d9h 7s5h", CALL, THREE_CALLED, [50, 99, 50, 0]),
        (WHL, {"showdowns": "two"}, "AhTd 2d9h 7s5h", CALL, "r20000fc///", [49, 100, 52, 1]),
        # Behind one, ahead of the other; a straight, with the ten.
        (HCL, {}, "AcKs AhTd 7s5h", CALL, THREE_CALLED, [50, 98, 48, 2]),
        (WHL, {}, "AcKs AhTd 7s5h", CALL, THREE_CALLED, [49, 100, 52, 1]),
        # What was folded is judged by what the others show.
        (HCL, {}, "Kh7h AhAd 6s5s", FOLD, THREE_FOLDED, [95, 52, 52, 2]),
        (WHL, {}, "Kh7h AhAd 6s5s", FOLD, THREE_FOLDED, [97, 51, 51, 1]),
        (HCL, {}, "KhTs 4h3h 6s5s", FOLD, THREE_FOLDED, [101, 48, 48, 2]),
        (WHL, {}, "KhTs 4h3h 6s5s", FOLD, THREE_FOLDED, [100, 49, 49, 1]),
    ],
)
def test_an_action_is_judged_by_the_cards_that_are_shown(
    kind: Any, options: dict[str, str], cards: str, action: int, end: str, expected: list[int]
) -> None:
    """The values of fold, call and raise, and how often they were updated; 50 each and 99 for the action."""
    asked = ALL_IN if end == CALLED else end[:7]

    (values,) = taught(kind(**options), cards.split(), [(asked, preferring(action))], end)

    assert values[:4] == expected
    assert values[4:] == START[4:]


@pytest.mark.parametrize(
    ("cards", "action", "end", "once", "each"),
    [
        ("AcKs AhTd 7s5h", CALL, THREE_CALLED, 0, 1),  # worse than one, better than the other
        ("AcKs 4h3h 7s5h", CALL, THREE_CALLED, 1, 2),  # worse than both
        ("AcKs AhAd 7s5h", CALL, THREE_CALLED, 0, 0),
        ("AcKs 4h3h 7s5h", FOLD, THREE_FOLDED, 0, 0),
        ("KcQs AhAd 7s5h", FOLD, THREE_FOLDED, 1, 2),
    ],
)
def test_a_way_of_judging_loses_for_each_comparison_that_finds_an_action_wrong_or_once(
    cards: str, action: int, end: str, once: int, each: int
) -> None:
    for penalty, lowered in (("once", once), ("each", each)):
        learner: Any = PokerLearner(choose="greedy", penalty=penalty)  # type: ignore[arg-type]
        (values,) = taught(learner, cards.split(), [(BOTH_IN, preferring(action))], end)

        assert (values[HOLE_CARDS], values[WINNING_HAND]) == (90 - lowered, 80)


@pytest.mark.parametrize("kind", LEARNERS)
def test_without_a_showdown_nothing_is_learnt(kind: type[PreflopLearner]) -> None:
    for action, betting, end in [(FOLD, ALL_IN, "r20000f"), (RAISE, "c", "cr200f")]:
        (values,) = taught(kind(choose="greedy"), ["AhKh", "7s2s"], [(betting, preferring(action))], end)
        assert values == preferring(action)


def test_every_decision_of_the_hand_is_judged() -> None:
    decisions = [("c", preferring(RAISE)), ("cr200r20000", preferring(CALL))]

    first, second = taught(HoleCardsLearner(), ["AhKh", "7s2s"], decisions, "cr200r20000c///")

    assert (first[:3], second[:3]) == ([49, 49, 100], [49, 100, 52])


@pytest.mark.parametrize("kind", [NameLearner, PokerLearner])
def test_the_way_of_the_greater_value_judges_and_is_lowered_when_the_action_was_wrong(
    kind: type[PreflopLearner],
) -> None:
    # (own, opponent): better hole cards that lose, and worse ones that win.
    for own, opponent, hole_cards, winning_hand, expected, after_ in [
        ("AhKh", "7s2s", 50, 49, [49, 100, 52], (50, 49)),
        ("AhKh", "7s2s", 49, 50, [51, 97, 46], (49, 49)),
        ("7s2s", "AhKh", 50, 49, [51, 97, 46], (49, 49)),
        ("7s2s", "AhKh", 49, 50, [49, 100, 52], (49, 50)),
        ("7s2s", "AhKh", 0, -1, [51, 97, 46], (-1, -1)),
    ]:
        values = [*preferring(CALL)[:4], hole_cards, winning_hand]
        (known,) = taught(kind(choose="greedy"), [own, opponent], [(ALL_IN, values)], CALLED)
        assert known[:3] == expected
        assert (known[HOLE_CARDS], known[WINNING_HAND]) == after_


@pytest.mark.slow
def test_it_learns_to_raise_aces_and_to_fold_what_is_behind_at_a_table_of_six() -> None:
    learner = HoleCardsLearner()
    Arena(rules.load_game("nolimit-6p"), [learner, *(AlwaysAllIn() for _ in range(5))], 1).play(12_000)

    states = learner.learnt.states
    shares = {"AA": [0, 0], "KK": [0, 0], "72o": [0, 0], "32o": [0, 0]}
    for key, values in states.items():
        name = STARTING_HAND_NAMES[split_key(key).group]
        if name in shares and values[UPDATES] >= 100:
            shares[name][0] += values[FOLD]
            shares[name][1] += sum(values[:3])
    assert all(total for _, total in shares.values())
    assert {name: fold / total > 0.5 for name, (fold, total) in shares.items()} == {
        "AA": False, "KK": False, "72o": True, "32o": True,
    }  # fmt: skip


# --- every table, the same seed ----------------------------------------------------------------------------


def log_of(game: str, agents: Sequence[Agent], hands: int, seed: int = 5) -> list[str]:
    lines: list[str] = []
    Arena(rules.load_game(game), agents, seed).play(hands, record=lines.append)
    return lines


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.slow
def test_the_same_seed_plays_and_learns_the_same(kind: type[PreflopLearner]) -> None:
    one, two = kind(), kind()

    first, second = (log_of("nolimit-3p", [learner, Random(), AlwaysCall()], 300) for learner in (one, two))

    assert first == second
    assert one.learnt.states == two.learnt.states


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("game", ["limit-2p", "nolimit-2p", "nolimit-3p", "limit-10p"])
@pytest.mark.parametrize("other", [Random, AlwaysFold, AlwaysRaise])
def test_it_plays_every_table_to_the_end(kind: type[PreflopLearner], game: str, other: type[Agent]) -> None:
    players = rules.load_game(game).num_players

    assert len(log_of(game, [kind(), *(other() for _ in range(players - 1))], 20)) == 20


@pytest.mark.parametrize("kind", LEARNERS)
def test_other_games_are_refused_in_one_line(kind: type[PreflopLearner]) -> None:
    for game in ("leduc", "kuhn-3p"):
        with pytest.raises(OptionError, match="plays Texas hold'em only"):
            seated(kind(), game)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(LEARNERS), st.integers(0, 1000), st.sampled_from(["nolimit-3p", "limit-3p"]))
def test_values_stay_valid_in_play(kind: type[PreflopLearner], seed: int, game: str) -> None:
    learner = kind()
    log_of(game, [learner, Random(), AlwaysAllIn()], 60, seed)

    for values in learner.learnt.states.values():
        assert min(values[: UPDATES + 1]) >= 0
        assert max(values[4:]) < 100
