"""Looking back at hands: values, bets outside the menus, other stacks, and hands that nobody expects."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from engine.poker.cards import parse_written_cards
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.rules import (
    CALL,
    Action,
    BettingState,
    Deal,
    GameDefinition,
    HandState,
    load_game,
    parse_betting,
    raise_to,
)
from engine.solving.strategy_file import read_shipped
from engine.solving.subgames.resolving import Effort, TableSolver, chance_in
from engine.solving.subgames.review import Judged, Known, Reviewer, in_game
from engine.support.arrays import Floats

GAME = load_game("nolimit-2p-100bb")
BOARD = parse_written_cards("2hAs2c3hKd")


@pytest.fixture(scope="module")
def reviewer() -> Reviewer:
    blueprint = read_shipped(GAME)
    assert blueprint is not None
    return Reviewer(blueprint=blueprint, iterations=60, first_round=3)


def hand(betting: str, first: str = "AhAd", second: str = "9c8c", game: GameDefinition = GAME) -> HandState:
    cards = parse_written_cards(first), parse_written_cards(second)
    return HandState(parse_betting(game, betting), 0, Deal(cards, BOARD))


def judged(reviewer: Reviewer, state: HandState) -> list[Judged]:
    return list(reviewer.review(state))


def test_the_bets_that_were_made_are_judged_whatever_their_sizes(reviewer: Reviewer) -> None:
    found = judged(reviewer, hand("r6c/cc/cc/r13r55r101f"))

    assert [str(each.action) for each in found] == ["r13", "r55", "r101", "f"]
    assert all(each.action in each.values for each in found)
    assert [each.values[each.action] for each in found[3:]] == pytest.approx([0.0], abs=1e-4)
    assert found[0].values[raise_to(13)] > 12  # a full house, and the pot has 12 chips
    assert found[1].loss > 0  # nine high raises to fold


def test_a_player_who_solves_at_the_table_and_says_so_loses_next_to_nothing(reviewer: Reviewer) -> None:
    solver = TableSolver(reviewer.blueprint, Effort(iterations=60))
    reviewer = attrs.evolve(reviewer, iterations=100)  # the value of one hand takes long to be known

    def told(before: BettingState, action: Action) -> Floats:
        assert before.position_to_act is not None
        return chance_in(solver.chances(before, BOARD, before.position_to_act), action)

    root = "r6c/cc/cc/"
    actions, chances = solver.chances(parse_betting(GAME, root), BOARD, 0)
    lost, at_stake = [], []
    for cards in ("Ad9d", "QdJd", "KcQs", "9c8c", "7h7s"):
        action = actions[int(np.argmax(chances[combo_index(*parse_written_cards(cards))]))]
        played = hand(f"{root}{action}{'c' if action == CALL else 'f'}", cards, "6c4c")
        first = next(reviewer.review(played, told))
        assert (first.known, first.is_unexpected) == (Known.STATED, False)
        lost.append(first.loss)
        at_stake.append(first.at_stake)
    assert sum(lost) < 0.01 * sum(at_stake)


def test_a_hand_that_its_range_excludes_is_judged_all_the_same(reviewer: Reviewer) -> None:
    never = np.zeros(NUM_COMBOS)
    never[combo_index(*parse_written_cards("QdQc"))] = 1.0

    def told(before: BettingState, action: Action) -> Floats:
        return never if before.position_to_act == 0 else np.ones(NUM_COMBOS)

    first, second = (each for each in reviewer.review(hand("r6c/cc/cc/cr18f"), told) if each.position == 0)
    assert first.is_unexpected
    assert second.loss > 20  # a full house has folded to a bet into 12 chips
    assert second.best.raise_to is not None


def test_stacks_that_differ_count_as_the_smaller_one(reviewer: Reviewer) -> None:
    game = attrs.evolve(GAME, stacks=(80, 200))
    found = judged(reviewer, hand("r6c/cc/cc/cr120f", game=game))

    assert [str(each.action) for each in found] == ["c", "r80", "f"]
    assert found[2].loss == pytest.approx(86, abs=0.5)  # the best hand but quads folds


@pytest.mark.parametrize(
    ("betting", "stack", "like"),
    [
        ("r6c/cc/", 200, "r6c/cc/"),
        ("r300c/cc/r1200c/", 20000, "r6c/cc/r24c/"),  # 50 and 100
        ("r1500r19000c/", 20000, "r30r200c"),  # all-in there
    ],
)
def test_bets_of_other_stacks_are_those_in_big_blinds(betting: str, stack: int, like: str) -> None:
    game = GAME if stack == 200 else load_game("nolimit-2p")
    steps = in_game(parse_betting(game, betting), GAME)
    state, action = steps[-1]

    assert state.apply(action).text.rstrip("/") == like.rstrip("/")


def test_the_same_hand_gets_the_same_answer(reviewer: Reviewer) -> None:
    one, two = (judged(reviewer, hand("cc/cc/cc/r5c")) for _ in range(2))

    assert [each.values for each in one] == [each.values for each in two]
