"""Who is better, judged by the deals of a match: a verdict that may be looked at at any time.

Players are compared in pairs, by the *lead* of one over the other: at a table of two what it wins in a hand,
otherwise how much more it wins than the other.  Each lead has a betting confidence sequence
(`engine.evidence.confidence_sequence`), and the probability of a false claim is divided among the pairs, so
that with probability 1 - α no claim about any pair is ever false.  The deal is the unit: in a duplicate match
a deal's payoff is the mean over its passes.

The verdict on a pair is one of these:

``A is better``            its lead is above 0
``equal within ± X``       the lead is between -X and X
``undecided after N``      neither is known after N deals
``the players changed``    no constant lead fits what was seen
``too few hands``          fewer than `LEAST_DEALS`, of a number fixed in advance

If the number of deals was fixed in advance, nobody stopped when it suited: the verdict then comes from the
normal interval of each lead, with luck taken out where that is possible, as in the table of results.

A player that learns has no constant lead.  In its matches the leads are those that players had on average so
far, with an empirical-Bernstein confidence sequence: they say what the match showed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.evidence.confidence_sequence import AverageSequence, ConfidenceSequence, Interval, payoff_bounds
from engine.poker.rules import GameDefinition
from engine.support.intervals import Estimate, Winnings, critical_value
from engine.support.text import rate

if TYPE_CHECKING:
    from engine.support.arrays import Floats


ALPHA: Final = 0.05
"""The greatest probability that a match leads to a false claim."""

_BETTING: Final = "betting confidence sequence"
_BERNSTEIN: Final = "empirical-Bernstein confidence sequence"
_NORMAL: Final = "normal interval of a number of deals fixed in advance"

FIXED: Final = "95 %, fixed"
"""The kind of an interval for a number of deals that was fixed in advance."""
WHENEVER: Final = "95 %, whenever you look"
"""The kind of an interval that holds at all times together."""

LEAST_DEALS: Final = 100
"""Below this number of deals, fixed in advance, normal intervals are too narrow for a verdict."""

FEW: Final = "rough, too few hands for 95 %"
"""The kind of an interval of fewer."""


def fixed_kind(deals: int) -> str:
    """The kind of a normal interval of so many deals, whose number was fixed in advance."""
    return FIXED if deals >= LEAST_DEALS else FEW


_MOST_PAIRS: Final = 6
"""Up to this number (a table of four), all pairs are shown, even if nothing is known about them."""


@attrs.frozen
class Goal:
    """The goal of a match; once it is reached, the match may end before its last hand."""

    within: float | None = None
    """Every lead to ± this, in mbb/h; None: which player of each pair is better."""

    def __str__(self) -> str:
        return "decided" if self.within is None else f"± {self.within:g} mbb/h"

    def as_argument(self) -> str:
        """The goal as an argument of ``--until``, to the last digit."""
        return "decided" if self.within is None else repr(self.within)


class Outcome(Enum):
    """The standing of two players."""

    FIRST = "first"
    """The first is better."""
    SECOND = "second"
    """The second is better."""
    EQUAL = "equal"
    """They are equal within the margin asked for."""
    UNDECIDED = "undecided"
    """None of these is known yet."""
    CHANGED = "changed"
    """They did not play the same way all the time."""


@attrs.frozen
class PairVerdict:
    """The standing of two players of a match."""

    players: tuple[int, int]
    """Their indices in the order given."""
    outcome: Outcome
    words: str
    lead: Interval | None
    """The lead of the first over the second, in mbb/h; None if nothing is known about it."""
    within: float | None = None
    """If they are equal: how far the lead may be from 0, in mbb/h."""


@attrs.frozen
class Verdict:
    """The standings of a match's players by its deals."""

    names: tuple[str, ...]
    """The players' names, in the order given."""
    words: str
    """The verdict on all of them, in one line."""
    pairs: tuple[PairVerdict, ...]
    deals: int
    alpha: float
    """The greatest probability that any of it is false."""
    rule: str
    """The method by which the intervals were computed."""
    note: str | None = None
    """What else a reader must know, in a sentence or two."""
    learners: tuple[str, ...] = ()
    """The players that learn while they play."""
    estimator: str = "chips"
    """What the leads are estimated by (`engine.evidence.estimates`)."""

    @property
    def kind(self) -> str:
        """The kind of its intervals, in words."""
        return fixed_kind(self.deals) if self.rule == _NORMAL else WHENEVER

    def as_json(self) -> dict[str, Any]:
        """``verdict`` in ``result.json``."""
        row: dict[str, Any] = {
            "words": self.words,
            "deals": self.deals,
            "alpha": self.alpha,
            "rule": self.rule,
            "estimator": self.estimator,
            "pairs": [
                {
                    "players": [self.names[player] for player in pair.players],
                    "seats": list(pair.players),
                    "outcome": pair.outcome.value,
                    "words": pair.words,
                    "lead_mbb_per_hand": None if pair.lead is None else [pair.lead.low, pair.lead.high],
                }
                for pair in self.pairs
            ],
        }
        if self.learners:
            row["learners"] = list(self.learners)
        return row | ({} if self.note is None else {"note": self.note})

    def lines(self) -> list[str]:
        """The lines for people: the verdict with intervals, pair by pair, then the note; none of 0 deals.

        If there are more than `_MOST_PAIRS` pairs, those about which nothing is known are left out.
        """
        if not self.deals:
            return []
        is_short = self.kind == FEW
        if len(self.pairs) == 1 or is_short:
            lines = [f"verdict: {self.words}" + ("" if is_short else self._spoken(self.pairs[0]))]
        else:
            lines = [f"verdict: {self.words} (all pairs together {self.kind}{self._less_luck})"]
            known = [pair for pair in self.pairs if pair.outcome is not Outcome.UNDECIDED]
            shown = self.pairs if len(self.pairs) <= _MOST_PAIRS else known
            lines += [f"  {self._between_players(pair)}" for pair in shown]
            if len(shown) < len(self.pairs):
                lines.append(f"  undecided: {len(self.pairs) - len(shown)} of {len(self.pairs)} pairs")
        return lines + ([] if self.note is None else [self.note])

    @property
    def _less_luck(self) -> str:
        return "" if self.estimator == "chips" else ", adjusted"

    def _spoken(self, pair: PairVerdict) -> str:
        """The lead at a table of two, as the end of the verdict's line."""
        if pair.lead is None:
            return ""
        kind = f" ({self.kind}{self._less_luck})"
        if pair.outcome is Outcome.SECOND:
            return f": {self._text(pair.lead.mirrored())}{kind}"
        who = "" if pair.outcome is Outcome.FIRST else f"{self.names[pair.players[0]]} wins "
        return f": {who}{self._text(pair.lead)}{kind}"

    def _between_players(self, pair: PairVerdict) -> str:
        """The lead and the verdict on a pair at a larger table, in a line."""
        first, second = (self.names[player] for player in pair.players)
        lead = "" if pair.lead is None else f"{self._text(pair.lead)}, "
        words = "undecided" if pair.outcome is Outcome.UNDECIDED else pair.words
        return f"{first} over {second}: {lead}{words}"

    def _text(self, lead: Interval) -> str:
        if self.kind == FIXED:
            return rate((lead.low + lead.high) / 2, lead.half_width, unit="mbb/h")
        return f"{lead.low:+z.1f} to {lead.high:+z.1f} mbb/h"


@attrs.frozen
class Adjusted:
    """Estimates of the leads, in chips, with luck taken out."""

    estimator: str
    leads: tuple[Estimate, ...]
    """By pair, with intervals that hold for all pairs together."""


class Standings:
    """The standings after the deals of a match so far.

    Args:
        game: the game played.
        names: the players' names, in the order given.
        learners: the indices of players that learn while they play.
        alpha: the greatest probability of a false claim.
    """

    def __init__(
        self, game: GameDefinition, names: Sequence[str], learners: Collection[int] = (), alpha: float = ALPHA
    ) -> None:
        self._names = tuple(names)
        self._learners = tuple(sorted(learners))
        self._alpha = alpha
        self._to_mbb = 1000 / game.big_blind if game.big_blind else None
        self._pairs = tuple(itertools.combinations(range(len(names)), 2))
        self._scale = 0.5 if len(names) == 2 else 1.0
        self.deals = 0
        """The number of deals so far."""
        self._sums = [0.0] * len(self._pairs)
        self._squares = [0.0] * len(self._pairs)
        self._asked = 0
        # The pair to check first: the one that was not known at the last check.
        bounds = payoff_bounds(game)
        self._leads: tuple[ConfidenceSequence, ...] = ()
        self._rates: tuple[ConfidenceSequence, ...] = ()
        if bounds is not None:
            widest = bounds.of_a_lead()
            share = alpha / len(self._pairs)
            kind = AverageSequence if learners else ConfidenceSequence
            self._leads = tuple(kind(-widest, widest, share) for _ in self._pairs)
            if len(names) > 2:
                self._rates = tuple(kind(*bounds.of_a_player(), alpha) for _ in names)

    @property
    def has_bounds(self) -> bool:
        """Whether anything can be known, which is not so in games that name neither stacks nor bets."""
        return bool(self._leads)

    def add(self, chips: Sequence[float]) -> None:
        """Add a deal.

        Args:
            chips: what each player won per hand, on average over its passes.
        """
        self.deals += 1
        for number, (first, second) in enumerate(self._pairs):
            ahead = (chips[first] - chips[second]) * self._scale
            self._sums[number] += ahead
            self._squares[number] += ahead * ahead
            if self._leads:
                self._leads[number].add(ahead)
        for won, sequence in zip(chips, self._rates, strict=False):
            sequence.add(won)

    def add_all(self, deals: Floats) -> None:
        """Add many deals, in compiled loops, as `add` does one by one.

        Args:
            deals: what each player won per hand in each deal, in order.  Shape (deals, players).

        Raises:
            ValueError: somebody won or lost more than the game allows.
        """
        self.deals += len(deals)
        for number, (first, second) in enumerate(self._pairs):
            ahead = (deals[:, first] - deals[:, second]) * self._scale
            self._sums[number] += float(ahead.sum())
            self._squares[number] += float(ahead @ ahead)
            if self._leads:
                self._leads[number].add_all(ahead)
        for player, sequence in enumerate(self._rates):
            sequence.add_all(deals[:, player].copy())

    def is_settled(self, goal: Goal) -> bool:
        """Whether a match with this goal is over; it is cheap, since it is asked after every deal.

        A pair whose lead fits no constant any more will never be known, and does not prolong the match.
        """
        for _ in self._leads:
            lead = self._leads[self._asked]
            if lead.interval is not None and not self._is_known(lead.interval, lead.distance, goal):
                return False
            self._asked = (self._asked + 1) % len(self._leads)
        return self.has_bounds

    def reached(self, goal: Goal) -> bool:
        """Whether everything that a goal asks for is known."""
        return self.has_bounds and all(
            lead.interval is not None and self._is_known(lead.interval, lead.distance, goal)
            for lead in self._leads
        )

    def _is_known(self, lead: Interval, distance: float | None, goal: Goal) -> bool:
        """Whether a lead is known well enough.

        Args:
            lead: the lead in chips.
            distance: from its estimate to its farther end; None before the first deal.
            goal: the goal of the match.
        """
        if goal.within is None:
            return not lead.low <= 0 <= lead.high
        return distance is not None and self._to_mbb is not None and distance * self._to_mbb <= goal.within

    def rate(self, player: int) -> Interval | None:
        """The interval of a player's rate, in mbb/h, with probability 1 - α at all times; None if unknown."""
        if self._to_mbb is None:
            return None
        interval: Interval | None = None
        if self._rates:
            interval = self._rates[player].interval
        elif self._leads:
            interval = self._leads[0].interval
            interval = interval.mirrored() if interval is not None and player == 1 else interval
        return None if interval is None else interval.scaled(self._to_mbb)

    def verdict(self, goal: Goal | None = None, *, adjusted: Adjusted | None = None) -> Verdict:
        """The verdict after the deals so far.

        Args:
            goal: the goal of the match, if it might have ended early; if there is none and nobody learns, the
                number of deals was fixed in advance.
            adjusted: estimates of the leads that are better than those of the chips.
        """
        is_fixed = goal is None and not self._learners
        leads = self._fixed(adjusted) if is_fixed else [lead.interval for lead in self._leads]
        pairs = [
            self._judge(players, lead, goal, is_fixed=is_fixed)
            for players, lead in itertools.zip_longest(self._pairs, leads)
        ]
        return Verdict(
            names=self._names,
            words=self._summary(pairs),
            pairs=tuple(pairs),
            deals=self.deals,
            alpha=self._alpha,
            rule=_NORMAL if is_fixed else _BERNSTEIN if self._learners else _BETTING,
            note=self._note(is_fixed=is_fixed),
            learners=tuple(self._names[player] for player in self._learners),
            estimator=adjusted.estimator if is_fixed and adjusted is not None else "chips",
        )

    def _fixed(self, adjusted: Adjusted | None) -> list[Interval | None]:
        """The leads' normal intervals, in chips; None below two deals."""
        if adjusted is not None:
            found: Sequence[Estimate] = adjusted.leads
        else:
            critical = critical_value(self._alpha / len(self._pairs))
            sums = zip(self._sums, self._squares, strict=True)
            found = [Winnings(self.deals, *both).estimate(critical) for both in sums] if self.deals else []
        return [
            None if each.ci95 is None else Interval(each.mean - each.ci95, each.mean + each.ci95)
            for each in found
        ]

    def _judge(
        self, players: tuple[int, int], lead: Interval | None, goal: Goal | None, *, is_fixed: bool
    ) -> PairVerdict:
        in_mbb = None if lead is None or self._to_mbb is None else lead.scaled(self._to_mbb)
        names = [self._names[player] for player in players]
        outcome, words, within = Outcome.UNDECIDED, self._undecided(), None
        if is_fixed and self.deals < LEAST_DEALS:
            words = f"too few hands: {self._number()}, {LEAST_DEALS} are the least for a verdict"
        elif lead is None and self._leads and self.deals and not is_fixed:
            outcome, words = Outcome.CHANGED, "the players changed"
        elif lead is not None and lead.low > 0:
            outcome, words = Outcome.FIRST, f"{names[0]} is better"
        elif lead is not None and lead.high < 0:
            outcome, words = Outcome.SECOND, f"{names[1]} is better"
        elif in_mbb is not None and goal is not None and in_mbb.half_width <= (goal.within or 0.0):
            within = max(goal.within or 0.0, _rounded_up(in_mbb.farthest))
            outcome, words = Outcome.EQUAL, f"equal within ± {within:g} mbb/h"
        return PairVerdict(players, outcome, words, in_mbb, within)

    def _number(self) -> str:
        return f"{self.deals} deal{'s' * (self.deals != 1)}"

    def _undecided(self) -> str:
        return f"undecided after {self._number()}"

    def _summary(self, pairs: Sequence[PairVerdict]) -> str:
        """The verdict on all players together."""
        if len(pairs) == 1:
            return pairs[0].words
        if any(pair.outcome is Outcome.CHANGED for pair in pairs):
            return "the players changed"
        beaten: dict[int, set[int]] = {}
        for pair in pairs:
            if pair.outcome in (Outcome.FIRST, Outcome.SECOND):
                better, worse = pair.players if pair.outcome is Outcome.FIRST else pair.players[::-1]
                beaten.setdefault(better, set()).add(worse)
        for player, others in beaten.items():
            if len(others) == len(self._names) - 1:
                return f"{self._names[player]} is better than all others"
        if all(pair.outcome is Outcome.EQUAL for pair in pairs):
            return max(pairs, key=lambda pair: pair.within or 0.0).words
        return pairs[0].words if pairs[0].words.startswith("too few") else self._undecided()

    def _note(self, *, is_fixed: bool) -> str | None:
        if not self._leads and not is_fixed:
            return (
                "The game names no stacks: nothing bounds what a hand may cost, so nothing can be said with "
                "certainty."
            )
        if self._learners:
            who = " and ".join(self._names[player] for player in self._learners)
            verb = "learns" if len(self._learners) == 1 else "learn"
            return (
                f"{who} {verb} while playing: every interval is about what the players were worth on average "
                f"so far, by an {_BERNSTEIN}, which holds whenever you look."
            )
        if any(lead.interval is None for lead in self._leads):
            return (
                "No constant rate fits all deals: somebody learns, tires or fails.  Only intervals between "
                "matches would tell more."
            )
        return None


def _rounded_up(value: float) -> float:
    """The value rounded up to three digits."""
    if value <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - 2)
    return math.ceil(value / step) * step
