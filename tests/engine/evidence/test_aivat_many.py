"""AIVAT of hold'em with three and more players: terms of mean zero, and what they are worth."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from engine.evidence.aivat.many import NUM_TERMS, _add_action, _surplus_at_showdown
from engine.poker.combos import NUM_COMBOS, combo_cards, combos_without
from engine.poker.rules import CALL, FOLD, Action, Deal, HandState, load_game, parse_betting
from engine.support.arrays import Floats
from tests.engine.evidence.test_aivat_small import played
from tests.support.asserting import known

CARDS: list[int] = np.random.default_rng(3).permutation(52).tolist()
HOLE_CARDS = tuple((CARDS[2 * p], CARDS[2 * p + 1]) for p in range(4))
BOARD = tuple(CARDS[8:13])


def chances(seed: int) -> Floats:
    table: Floats = np.random.default_rng(seed).random((NUM_COMBOS, 3))
    table /= table.sum(axis=1, keepdims=True)
    return table


@pytest.mark.parametrize(
    ("game", "betting"),
    [("limit-3p", ""), ("limit-3p", "crfc/c"), ("nolimit-3p", "ccr300fc/"), ("limit-6p", "crccfcc/rc")],
)
def test_what_a_player_does_is_worth_nothing_more_than_what_it_does_on_average(
    game: str, betting: str
) -> None:
    before = parse_betting(load_game(game), betting)
    n = before.game.num_players
    cards = [(CARDS[2 * p], CARDS[2 * p + 1]) for p in range(n)]
    board = tuple(CARDS[2 * n : 2 * n + before.num_board_cards])
    others = [card for p, held in enumerate(cards) if p != before.position_to_act for card in held]
    reach = chances(1)[:, :1] * combos_without((*others, *board))[:, None] * chances(2)
    if not before.legal_actions().can_fold:
        reach[:, 0] = 0.0

    mean = np.zeros((n, NUM_TERMS))
    raising: Action = before.legal_actions().raising_to()
    for column, action in enumerate((FOLD, CALL, raising)):
        if reach[:, column].any():
            changes = np.zeros((n, NUM_TERMS))
            _add_action(changes, before, action, reach, cards, board)
            assert changes.any()
            assert changes.sum(axis=0) == pytest.approx(0.0, abs=1e-9)
            mean += reach[:, column].sum() / reach.sum() * changes

    assert mean == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("has_side_pots", [False, True])
def test_what_a_player_held_at_the_showdown_is_worth_nothing_on_average(has_side_pots: bool) -> None:
    game = load_game("nolimit-3p")
    betting = "ccc/ccc/ccc/ccc"
    if has_side_pots:
        game = attrs.evolve(game, stacks=(20000, 9000, 15000))
        betting = "r15000cc///"
    state = parse_betting(game, betting)
    others = HOLE_CARDS[1:3]
    weights = chances(4)[:, 0] * combos_without([card for held in (*others, BOARD) for card in held])
    weights[np.arange(NUM_COMBOS) % 7 > 0] = 0.0

    mean = np.zeros(3)
    for combo in np.flatnonzero(weights):
        deal = Deal((combo_cards(int(combo)), *others), BOARD)
        surplus = _surplus_at_showdown(HandState(state, 0, deal), 0, weights)
        assert surplus.sum() == pytest.approx(0.0, abs=1e-9)
        mean += weights[combo] * surplus

    assert mean == pytest.approx(0.0, abs=1e-7)


@pytest.mark.slow
def test_it_is_unbiased_and_has_less_variance_than_equity() -> None:
    evidence = played("limit-3p", ["simple", "hand-strength", "random"], 400)

    chips, aivat = known(evidence.values("chips")), known(evidence.values("aivat"))
    assert evidence.doubts == {}
    assert aivat.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    for player in range(3):
        difference = (aivat - chips)[evidence.players == player]
        assert abs(difference.mean()) < 3.5 * difference.std() / np.sqrt(len(difference))
    found = evidence.estimates()
    widths = {
        name: sum(each.ci95**2 for each in by_player if each is not None and each.ci95 is not None)
        for name, by_player in found.items()
    }
    assert widths["aivat"] < 0.9 * widths["equity"]  # few hands, many coefficients


@pytest.mark.slow
def test_over_many_matches_it_is_nothing_but_noise() -> None:
    scores = []
    for seed in range(20):
        evidence = played("limit-3p", ["random:raise=0.4", "random", "always-call"], 100, seed)
        chips, aivat = known(evidence.values("chips")), known(evidence.values("aivat"))
        difference = (aivat - chips)[evidence.players == 0]
        scores.append(difference.mean() / difference.std() * np.sqrt(len(difference)))

    assert abs(np.mean(scores)) < 3.5 / np.sqrt(len(scores))
    assert 0.6 < np.std(scores) < 1.6
