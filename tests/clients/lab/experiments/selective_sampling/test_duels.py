"""Duels: what is noted is what was stated and what came of it; wrong models state wrong values."""

from __future__ import annotations

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.core.arena import Arena
from clients.lab.experiments.selective_sampling.duels import (
    NotedSampling,
    Table,
    cut_into_matches,
    make_sampling,
    play_duel,
)
from clients.lab.experiments.selective_sampling.settings import SamplingSettings
from clients.lab.experiments.selective_sampling.stated_values import GREAT, FoldModelSampling, SlowPlayer
from engine.hands.hand_strength import hand_strength
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView, load_game

SETTINGS = SamplingSettings(trials=60)
GAME = load_game("limit-2p")


@pytest.mark.parametrize("game", [GAME, load_game("limit-6p")], ids=lambda game: f"{game.num_players} seats")
def test_what_is_realised_is_what_the_rest_of_the_hand_brings(game: GameDefinition) -> None:
    tables: list[Table] = [
        (make_sampling(NotedSampling, SETTINGS, 60), *(Random() for _ in range(game.num_players - 1)))
        for _ in range(2)
    ]

    won, decisions = play_duel(game, tables, 4, 15)

    for deal in range(15):
        of_deal = [each for each in decisions if each.deal == deal]
        results = {each.stated.spot.position: each.realised - each.stated.spent / 10 for each in of_deal}
        if len(results) == 2:  # we had something to decide in both passes
            assert won[deal] == pytest.approx(sum(results.values()) / 2)
        for each in of_deal:
            assert each.realised - each.stated.spent / 10 == results[each.stated.spot.position]
            assert not set(each.opponent_cards) & {*each.stated.spot.own_cards, *each.stated.spot.board}
            if each.stated.is_fold:
                assert each.realised == each.stated.value == 0
    assert {each.stated.spot.position for each in decisions} == set(range(game.num_players))
    assert {len(each.stated.spot.board) for each in decisions} == {0, 3, 4, 5}


def test_a_duel_repeats_itself() -> None:
    first, second = (
        play_duel(GAME, [(make_sampling(NotedSampling, SETTINGS, 60), AlwaysCall()) for _ in range(2)], 4, 6)
        for _ in range(2)
    )

    assert first[0].tolist() == second[0].tolist()
    assert [each.stated.value for each in first[1]] == [each.stated.value for each in second[1]]


def test_who_is_taken_to_fold_more_often_makes_raising_look_better() -> None:
    stated: dict[float, list[float]] = {}
    for folds in (0.0, 0.2, 0.3, 1.0):
        bot = make_sampling(FoldModelSampling, SETTINGS, 400, model="generic", obvious="never")
        bot.expect_folds(folds)
        _, decisions = play_duel(GAME, [(bot, AlwaysCall())], 2, 20)
        # Before anybody has acted the decisions are the same whatever the model.
        opening = [each.stated for each in decisions if each.stated.spot.betting.text == ""]
        stated[folds] = [each.raising or 0.0 for each in opening]

    assert len(stated[0.0]) == 10
    means = {folds: float(np.mean(values)) for folds, values in stated.items()}
    assert means[0.0] < means[0.2] < means[0.3]
    # One more fold in ten brings a tenth of the difference between folding always and never.
    assert means[0.3] - means[0.2] == pytest.approx(0.1 * (means[1.0] - means[0.0]), abs=0.1)
    # A player who always folds gives us what is in the pot.
    pot = opening[0].spot.betting.pot / opening[0].spot.unit
    assert stated[1.0] == pytest.approx([pot] * 10)


def test_actions_are_those_that_were_played() -> None:
    bot = make_sampling(NotedSampling, SETTINGS, 60)

    _, decisions = play_duel(GAME, [(bot, AlwaysCall())], 2, 10)

    kinds = [each.stated.action.kind for each in decisions]
    assert ActionKind.RAISE in kinds
    assert all(
        each.stated.raising is not None for each in decisions if each.stated.action.kind is ActionKind.RAISE
    )
    best = [each.stated for each in decisions if each.stated.raising is not None]
    assert all(stated.value >= (stated.raising or 0.0) - 1e-12 for stated in best)


@pytest.mark.parametrize("hands", [8, 500, 4001])
def test_hands_are_two_for_each_deal(hands: int) -> None:
    cut = list(cut_into_matches(hands, 1))

    assert 2 * sum(deals for _, deals in cut) == hands - hands % 2
    assert np.all(np.diff([deals for _, deals in cut]) <= 0)


def test_very_strong_hands_wait_for_the_river() -> None:
    seen: list[tuple[int, bool, ActionKind]] = []

    class Seen(SlowPlayer):
        def choose_action(self, view: HandView) -> Action:
            action = super().choose_action(view)
            if view.board and hand_strength(view.own_cards, view.board).value >= GREAT:
                seen.append((view.betting_round, view.legal_actions().can_raise, action.kind))
            return action

    Arena(load_game("limit-2p"), [Seen(model="generic"), Random()], 5).play(250)

    assert {kind for betting_round, _, kind in seen if betting_round < 3} == {ActionKind.CALL}
    assert {kind for betting_round, can, kind in seen if betting_round == 3 and can} == {ActionKind.RAISE}
    assert {betting_round for betting_round, _, _ in seen} == {1, 2, 3}
