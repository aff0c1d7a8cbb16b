"""The slow-player: passive with great hands until the river, raising there."""

from __future__ import annotations

from clients.bots.baselines import Random
from clients.core.arena import Arena
from clients.lab.experiments.selective_sampling.slow_player import GREAT, SlowPlayer
from engine.hands.hand_strength import hand_strength
from engine.poker.rules import Action, ActionKind, HandView, load_game


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
