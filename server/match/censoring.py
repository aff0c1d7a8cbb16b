"""A match without the deals in which a provider failed: what ``--censor`` shows beside the match as played.

By default such a deal counts as it was played, since a player who says that its provider has failed whenever
that suits it would win by it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from typing import Any, Final

import attrs

from engine.evidence.verdict import Verdict
from server.match.plan import MatchPlan
from server.records.results import Pass, PlayerResult
from server.table.outcome import MatchOutcome

_MOST: Final = 0.02
"""The largest share of deals left out with which there is a verdict."""


@attrs.frozen
class Uncensored:
    """The results of the deals that count."""

    results: tuple[PlayerResult, ...]
    verdict: Verdict | None
    """None if too many deals are left out."""
    left_out: int
    deals: int
    """All deals, those left out included."""

    @classmethod
    def of(cls, plan: MatchPlan, passes: Sequence[Pass], censored: Collection[int]) -> Uncensored:
        """Count the deals of a match's passes in which nobody was censored in any pass."""
        deals = min(each.outcome.hands for each in passes)
        kept = [deal for deal in range(deals) if deal not in censored]
        rest = [attrs.evolve(each, outcome=_only(each.outcome, kept)) for each in passes]
        tally = plan.new_tally()
        for number, each in enumerate(rest):
            for chips in zip(*each.outcome.hand_chips_by_seat, strict=True):
                tally.hand_finished(number, chips)
        is_little = deals - len(kept) <= _MOST * deals
        verdict = tally.verdict() if is_little else None
        return cls(plan.results(rest, tally), verdict, deals - len(kept), deals)

    def as_json(self) -> dict[str, Any]:
        """The object ``censored`` of ``result.json``."""
        return {"deals": self.left_out, "of": self.deals, "most_for_a_verdict": _MOST}

    def line(self) -> str:
        """A line for people about the deals left out."""
        told = f"censored: {self.left_out} of {self.deals} deals do not count"
        return told if self.verdict is not None else f"{told}; no verdict above {_MOST:.0%}"


def _only(outcome: MatchOutcome, deals: Sequence[int]) -> MatchOutcome:
    chips = tuple(array("d", [hands[deal] for deal in deals]) for hands in outcome.hand_chips_by_seat)
    return attrs.evolve(
        outcome,
        hands=len(deals),
        chips_by_seat=tuple(map(sum, chips)),
        squares_by_seat=tuple(sum(each * each for each in hands) for hands in chips),
        hand_chips_by_seat=chips,
    )
