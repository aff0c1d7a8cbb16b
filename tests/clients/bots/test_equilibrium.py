"""The equilibrium bot plays what its file or its game says, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.bots.equilibrium import Equilibrium
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from engine.poker.rules import Action, HandView, load_game
from engine.solving.game_tree import game_tree
from engine.solving.solver import Solver
from engine.solving.strategies import Strategy, policy_with
from engine.solving.strategy_file import write_strategy

KUHN, LEDUC = load_game("kuhn-2p"), load_game("leduc")


class Watched(Equilibrium):
    """Counts what it does in each situation."""

    def match_started(self, game, seat) -> None:  # type: ignore[no-untyped-def]
        super().match_started(game, seat)
        self.done: Counter[tuple[str, tuple[int, ...], Action]] = Counter()

    def choose_action(self, view: HandView) -> Action:
        action = super().choose_action(view)
        self.done[view.betting.text, view.own_cards, action] += 1
        return action


def test_it_acts_as_often_as_its_strategy_says(tmp_path: Path) -> None:
    tree = game_tree(KUHN)
    strategy = Strategy(tree, policy_with(tree, (1, 1, 3)))
    write_strategy(tmp_path / "k.npz", strategy, {})
    bot = Watched(tmp_path / "k.npz")

    Arena(KUHN, [bot, Random(0.2, 0.4, 0.4)], 7).play(6000)

    for found in tree.information_sets():
        view = tree.hand_view(found)
        done = [bot.done[view.betting.text, view.own_cards, action] for action in found.node.actions]
        share = np.array(done) / sum(done)
        assert sum(done) > 100
        assert share == pytest.approx(strategy.policy[found.slots], abs=4 * np.sqrt(0.25 / sum(done)))
        assert bot.strategy.chances(view) == pytest.approx(strategy.chances(view))
        assert bot.probability_triple(view) == pytest.approx(strategy.triple(view))


def test_it_wins_what_its_strategy_wins() -> None:
    """5,000 deals of Leduc against a caller, from both seats: as the tree computes it, within four errors."""
    bot = Equilibrium()
    arena = Arena(LEDUC, [bot, AlwaysCall()], 11)
    won: list[float] = []

    arena.play(10_000, on_hand=lambda state, chips: won.append(chips[len(won) % 2]))

    solver = Solver(game_tree(LEDUC))
    solver.run(1000)
    assert bot.strategy.policy == pytest.approx(solver.average().policy)
    # equilibria win some 0.7 antes a hand from always-call; how much differs between them
    assert np.mean(won) == pytest.approx(0.7006, abs=4 * float(np.std(won)) / 100 + 0.05)


def test_a_game_that_is_not_its_files_is_refused(tmp_path: Path) -> None:
    tree = game_tree(KUHN)
    write_strategy(tmp_path / "k.npz", Strategy(tree, policy_with(tree, (1, 1, 1))), {})

    with pytest.raises(OptionError, match=r"k\.npz plays another game: num_rounds is 1, expected 2"):
        Arena(LEDUC, [Equilibrium(tmp_path / "k.npz"), AlwaysCall()], 1)
    with pytest.raises(OptionError, match=r"nothing\.npz: there is no such file"):
        make_bot(f"equilibrium:strategy={tmp_path / 'nothing.npz'}")
    with pytest.raises(OptionError, match="does not know yet what is being played"):
        _ = Equilibrium().strategy
