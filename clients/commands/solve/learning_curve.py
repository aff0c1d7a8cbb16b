"""How exploitable a strategy is while ``riverboat solve`` learns it: the points of a learning curve.

Points lie equally far apart on a logarithmic scale.  In small games they are exact.  In limit hold'em each is
a pair of bounds from a best response on the same few flops: the flops' luck moves the whole curve up or down,
hardly its shape.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from clients.core.one_line import CommandError

if TYPE_CHECKING:
    from clients.commands.solve.plan import AnySolver, Plan
    from engine.solving.bounds.sample import Flop

__all__ = ["LearningCurve"]

_STEP: Final = 10.0 ** (1 / 8)
"""From the iterations of one point to those of the next, in small games."""
_STEP_ON_BOARDS: Final = 2.0
_FIRST_ON_BOARDS: Final = 125
"""A point in hold'em takes some twenty seconds, as long as a few hundred boards."""
_FLOPS: Final = 4
_TURNS: Final = 4
"""Of each flop."""


class _Stopped(Exception):
    """A point was given up, because the program is to end."""


class LearningCurve:
    """The points of one run.

    Args:
        plan: what is solved.

    Raises:
        CommandError: the game is one whose strategies cannot be measured while they are learnt.
    """

    def __init__(self, plan: Plan) -> None:
        self._scale = 1000 / plan.definition.big_blind
        self._flops: list[Flop] = []
        self._step = _STEP
        self.due = 1
        """The number of iterations after which the next point is to be measured."""
        if plan.definition.is_holdem:
            if not plan.definition.is_limit:
                raise CommandError(
                    "--plot: no-limit strategies take too long to measure while they are learnt: use "
                    f"'riverboat exploitability {plan.save}' afterwards"
                )
            self._flops = _drawn_flops(plan.seed)
            self._step, self.due = _STEP_ON_BOARDS, _FIRST_ON_BOARDS
        self.points: list[dict[str, Any]] = []
        """By point `iterations`, `exploitability` and `upper` in mbb/h; `upper` is None where it is exact."""
        self.seconds = 0.0
        """The time that measuring has taken."""

    def go_on(self, done: int) -> None:
        """The next point comes after more iterations than have been done."""
        while self.due <= done:
            self.due = max(self.due + 1, round(self.due * self._step))

    def measure(self, solver: AnySolver, is_stopped: Callable[[], bool]) -> None:
        """Add the point of this moment, unless it is there already or the program is stopped meanwhile."""
        if self.points and self.points[-1]["iterations"] == solver.iterations:
            return
        began = time.monotonic()
        try:
            found = self._bounds(solver, is_stopped) if self._flops else (_exact(solver), None)
        except _Stopped:
            return
        finally:
            self.seconds += time.monotonic() - began
        lower, upper = (None if each is None else each * self._scale for each in found)
        self.points.append({"iterations": solver.iterations, "exploitability": lower, "upper": upper})
        self.go_on(solver.iterations)

    def draw(self, path: str, game: str) -> None:
        """Draw the points.

        Raises:
            CommandError: the picture cannot be written.
        """
        from clients.core.figure import PlotError
        from clients.reports.plots import draw_learning_curve

        points = [(each["iterations"], each["exploitability"], each["upper"]) for each in self.points]
        what = "boards" if self._flops else "iterations"
        try:
            draw_learning_curve(path, points, f"a strategy for {game} as it is learnt", what)
        except PlotError as error:
            raise CommandError(str(error)) from error

    def _bounds(self, solver: AnySolver, is_stopped: Callable[[], bool]) -> tuple[float, float]:
        """The cross-fitted and the in-sample bound, in chips a hand."""
        from engine.solving.bounds.estimate import best_response_on_flops
        from engine.solving.bounds.players import BucketedPlayer
        from engine.solving.holdem.bucketed import BucketedStrategy

        def seen() -> None:
            if is_stopped():
                raise _Stopped

        strategy = solver.average()
        assert isinstance(strategy, BucketedStrategy)
        found = best_response_on_flops(strategy.game, BucketedPlayer(strategy), self._flops, seen=seen)
        return found.lower.value, found.upper.value


def _exact(solver: AnySolver) -> float:
    """The exploitability of a strategy for a small game, in chips a hand."""
    from engine.solving.strategies import Strategy, exploitability

    strategy = solver.average()
    assert isinstance(strategy, Strategy)
    return exploitability(strategy.tree, strategy.policy).mean


def _drawn_flops(seed: int) -> list[Flop]:
    import numpy as np

    from engine.solving.bounds.sample import draw_flops

    return list(draw_flops(_FLOPS, _TURNS, np.random.default_rng((seed, 2))))
