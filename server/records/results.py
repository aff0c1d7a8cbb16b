"""The players' results of a match: chips, rates and intervals.

Rates are per hand played.  An interval is the normal approximation 1.96 s/√n, where s is the sample standard
deviation (n - 1 in its denominator); below two samples there is none.  The samples are a player's chips in
each hand; in a duplicate match they are the player's means over the passes of each deal, since only these are
independent.  Such an interval is valid if the number of hands was fixed in advance; a match that may stop
early has the wider intervals of `server.records.progress.Tally`, which are valid whenever you look.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from engine.poker.rules import GameDefinition
from engine.support.intervals import Winnings, half_width
from server.support.errors import Failure, FailureKind
from server.table.outcome import Durations, MatchOutcome


@attrs.frozen
class Pass:
    """One pass through the deals; a match has one, a duplicate match one for each rotation of the seats."""

    outcome: MatchOutcome
    players: tuple[int, ...]
    """The player in each seat."""
    replaced: Mapping[int, str] = attrs.Factory(dict)
    """By seat, how a player's process ended, if somebody else continued in its seat."""

    def failures_at(self, seat: int) -> list[Failure]:
        """The failures at a seat; a player who was replaced without any has crashed."""
        failures = list(self.outcome.seats[seat].failures)
        if not failures and seat in self.replaced:
            detail = f"somebody else plays in its seat, and its own process {self.replaced[seat]}"
            failures.append(Failure(FailureKind.CRASHED, detail))
        return failures


@attrs.frozen
class PlayerResult:
    """The result of one player."""

    name: str
    seat: int
    """Its seat in the first pass, which is its place in the order in which the players were given."""
    chips: float
    mbb_per_hand: float | None
    """Milli big blinds per hand; None without a hand."""
    ci95: float | None
    """Half width of its 95 % interval, in mbb/h."""
    plain_ci95: float | None
    """The same as if all hands were independent, to measure what the pairing of a duplicate match gains."""
    sb_per_hand: float | None
    """Small bets per hand; None in no-limit games."""
    failures: tuple[Failure, ...]
    num_failures: int
    """How often it has failed, which may be more than the failures listed."""
    hands_by_default: int
    """Hands in which the house checked or folded for the player, which was late or absent."""
    decision_seconds: Mapping[str, float] | None
    """How long it took for its decisions (`server.table.outcome.Durations.in_short`)."""
    answers_changed: Mapping[str, int] = attrs.Factory(dict)
    """What the house did to its answers (`server.table.outcome.told_changes`); empty if nothing."""

    @property
    def failure(self) -> Failure | None:
        """The first failure, if there was one."""
        return self.failures[0] if self.failures else None

    def as_json(self, game: GameDefinition) -> dict[str, Any]:
        """The player's object in ``result.json``."""
        row: dict[str, Any] = {
            "name": self.name,
            "seat": self.seat,
            "chips": self.chips,
            "mbb_per_hand": self.mbb_per_hand,
            "ci95": self.ci95,
        }
        if game.is_limit:
            row["sb_per_hand"] = self.sb_per_hand
        if self.failure is not None:
            row |= {
                "failure": self.failure.kind.value,
                "failure_detail": self.failure.detail,
                "failure_hand": self.failure.hand_number,
                "failures": self.num_failures,
            }
        if self.hands_by_default:
            row["hands_by_default"] = self.hands_by_default
        if self.answers_changed:
            row["answers_changed"] = self.answers_changed
        return row | {"decision_seconds": self.decision_seconds}


def rates(won: Winnings, half: float | None, game: GameDefinition) -> dict[str, float | None]:
    """A player's rates, as the fields of `PlayerResult`.

    Args:
        won: in all hands.
        half: half width of the interval of the chips per hand; None if there is none.
        game: the game played.
    """
    to_mbb = 1000 / game.big_blind if game.big_blind else None

    def in_mbb(chips: float | None) -> float | None:
        return None if chips is None or to_mbb is None else chips * to_mbb

    per_hand = won.chips / won.hands if won.hands else None
    return {
        "mbb_per_hand": in_mbb(per_hand),
        "ci95": in_mbb(half),
        "plain_ci95": in_mbb(won.half_width()),
        "sb_per_hand": per_hand / game.small_bet if per_hand is not None and game.small_bet else None,
    }


def player_results(
    passes: Sequence[Pass], names: Sequence[str], game: GameDefinition
) -> tuple[PlayerResult, ...]:
    """The players' results, in the order they were given.

    Args:
        passes: the passes of the match; if there are several, each deal that all have played counts once.
        names: the players' names, in the order given.
        game: the game played.
    """
    results: list[PlayerResult] = []
    for player, name in enumerate(names):
        seated = [(each.outcome, each.players.index(player)) for each in passes]
        parts = [(each.hands, each.chips_by_seat[seat], each.squares_by_seat[seat]) for each, seat in seated]
        won = sum([Winnings(*part) for part in parts], Winnings())
        half = half_width(_means_of_deals(seated)) if len(passes) > 1 else won.half_width()
        failures = tuple(
            failure
            for each, (_, seat) in zip(passes, seated, strict=True)
            for failure in each.failures_at(seat)
        )
        more_failures = sum(outcome.seats[seat].more_failures for outcome, seat in seated)
        times = sum([outcome.seats[seat].decision_times for outcome, seat in seated], Durations())
        changes = sum([outcome.seats[seat].changes for outcome, seat in seated], Counter[str]())
        results.append(
            PlayerResult(
                name=name,
                seat=player,
                chips=won.chips,
                **rates(won, half, game),
                failures=failures,
                num_failures=len(failures) + more_failures,
                hands_by_default=sum(outcome.seats[seat].hands_by_default for outcome, seat in seated),
                decision_seconds=times.in_short(),
                answers_changed={"answers": len(times), **changes} if changes else {},
            )
        )
    return tuple(results)


def _means_of_deals(seated: Sequence[tuple[MatchOutcome, int]]) -> list[float]:
    """A player's mean over the passes, for each deal that all passes have played."""
    chips = [outcome.hand_chips_by_seat[seat] for outcome, seat in seated]
    deals = min(map(len, chips))
    return [math.fsum(deal) / len(chips) for deal in zip(*[hand[:deals] for hand in chips], strict=True)]


def hands_saved(results: Sequence[PlayerResult], hands: int) -> int | None:
    """How many more hands the same widest interval would take without pairing; None if unknown."""
    both = [(each.plain_ci95, each.ci95) for each in results]
    widths = [(plain, paired) for plain, paired in both if plain is not None and paired]
    if not widths:
        return None
    plain, paired = max(widths)
    return round(hands * (plain / paired) ** 2) - hands
