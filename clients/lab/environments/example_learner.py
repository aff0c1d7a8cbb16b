"""A worked example: with ``train MINUTES`` it learns against always-call, with ``HOST PORT`` it sits down."""

import sys
import time
from typing import Any

import numpy as np

from clients import run
from clients.lab.environments import HoldemEnv, PolicyAgent
from engine.hands.hand_strength import hand_strength
from engine.poker.combos import starting_hand

FILE, EXPLORED = "example-learner.npy", 0.1


def situation(seen: Any) -> int:
    """Starting hand, or round and twentieths of hand strength; and the raises in the round."""
    hole, board = (tuple(np.flatnonzero(seen[name]).tolist()) for name in ("hole_cards", "board"))
    now, history = int(seen["betting_round"].argmax()), seen["history"]
    raises = int(((history[:, 1] == now) & (history[:, 3] == 2)).sum())
    if not board:
        return 5 * starting_hand(*hole) + raises
    return 5 * (149 + 20 * now + int(19.99 * hand_strength(hole, board).value)) + raises


class LinearLearner:
    """Every-visit Monte Carlo control with a table of values, in big blinds from the decision on."""

    def __init__(self, values: Any = None) -> None:
        self.values = np.zeros((5 * 229, 3)) if values is None else values
        self.visits = np.zeros_like(self.values)

    def __call__(self, seen: Any, mask: Any) -> int:
        """The legal action of the greatest value."""
        return int(np.where(mask, self.values[situation(seen)], -np.inf).argmax())

    def play_hand(self, env: HoldemEnv, rng: np.random.Generator) -> None:
        """One hand, and what is learnt from it; now and then an action is left to chance."""
        (seen, _), path, ended = env.reset(), [], False
        while not ended:
            mask, at = seen["action_mask"], situation(seen)
            explores = rng.random() < EXPLORED
            action = int(rng.choice(np.flatnonzero(mask))) if explores else self(seen, mask)
            path.append((at, action, float(seen["spent"] @ seen["position"])))
            seen, reward, ended, _, _ = env.step(action)
        for at, action, spent in path:
            self.visits[at, action] += 1
            self.values[at, action] += (reward + spent - self.values[at, action]) / self.visits[at, action]


if __name__ == "__main__":
    if sys.argv[1] == "train":
        learner, env, rng = LinearLearner(), HoldemEnv("limit-2p", ["always-call"]), np.random.default_rng(1)
        end = time.monotonic() + 60 * float(sys.argv[2])
        while time.monotonic() < end:
            learner.play_hand(env, rng)
        np.save(FILE, learner.values)
    else:
        run(lambda: PolicyAgent(LinearLearner(np.load(FILE))))
