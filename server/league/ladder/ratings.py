"""The ladder: ratings of all players of a game, from all its matches on the ladder; as a page, too.

A new player is placed match by match, always the most informative one: the one that narrows the rating's
interval most.  The opponent's own rating is not exact either, so after some matches another opponent is more
informative.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.support.intervals import Z95
from server.league.house import Folder
from server.league.ladder.store import Ladder, PairSum, Rated
from server.league.match import canonical_order
from server.league.plan import Match
from server.league.running.processes import Runner
from server.records.pages import page_environment

if TYPE_CHECKING:
    from engine.evidence.ranking.crosstable import CrossTable


@attrs.frozen
class Rung(Rated):
    """A player's place on the ladder."""

    rating: float | None
    """mbb/h against the average player; None if nothing connects it to the others."""
    error: float | None
    deals: int
    hands: int
    opponents: int

    def as_json(self) -> dict[str, Any]:
        """The object in ``riverboat league show --json``."""
        row = attrs.asdict(self)
        del row["id"]
        error = row.pop("error")
        return row | {"ci95": None if error is None else Z95 * error}


def ladder_of(ladder: Ladder, game: str) -> list[Rung]:
    """All players of a game, the best first; those without a rating last."""
    pairs = ladder.pairs(game)
    known = ladder.players()
    rated = _ratings(pairs)
    rungs = []
    for player in sorted({each for pair in pairs for each in (pair.one, pair.other)}):
        mine = [pair for pair in pairs if player in (pair.one, pair.other)]
        who, (rating, error) = known[player], rated.get(player, (None, None))
        deals, hands = sum(pair.deals for pair in mine), sum(pair.hands for pair in mine)
        facts = rating, error, deals, hands, len(mine)
        rungs.append(Rung(who.id, who.name, who.command, who.first_seen, who.version, *facts))
    return sorted(rungs, key=lambda rung: (rung.rating is None, -(rung.rating or 0.0), rung.name))


def connected(pairs: Sequence[PairSum]) -> list[int]:
    """The largest group of players who are connected by the opponents they have met."""
    groups: list[set[int]] = []
    for pair in pairs:
        if pair.error is None:
            continue
        joined = {pair.one, pair.other}.union(*[each for each in groups if each & {pair.one, pair.other}])
        groups = [each for each in groups if not each & joined] + [joined]
    if not groups:
        return []
    largest = max(groups, key=lambda group: (len(group), -min(group)))
    return sorted(largest)


def _ratings(pairs: Sequence[PairSum]) -> dict[int, tuple[float, float]]:
    """Ratings of the connected players, with standard errors."""
    from engine.evidence.ranking.ratings import fit_margins

    players = connected(pairs)
    ratings = fit_margins(_table(players, pairs)) if players else None
    if ratings is None:
        return {}
    return {player: (float(ratings.rating[k]), float(ratings.error[k])) for k, player in enumerate(players)}


def _table(players: Sequence[int], pairs: Sequence[PairSum]) -> CrossTable:
    """The cross table of some players, as `fit_margins` takes it."""
    import numpy as np

    from engine.evidence.ranking.crosstable import CrossTable

    place = {player: k for k, player in enumerate(players)}
    n = len(players)
    mean, error = np.full((n, n), np.nan), np.full((n, n), np.nan)
    deals = np.zeros((n, n), np.int64)
    np.fill_diagonal(mean, 0.0)
    for pair in pairs:
        if pair.one in place and pair.other in place and pair.error is not None:
            i, j = place[pair.one], place[pair.other]
            mean[i, j], mean[j, i] = pair.mean, -pair.mean
            error[i, j] = error[j, i] = pair.error
            deals[i, j] = deals[j, i] = pair.deals
    return CrossTable(mean, error, deals, deals.copy(), np.full(n, np.nan), np.zeros((0, n)))


def ladder_page(game: str, rungs: Sequence[Rung], tournaments: Sequence[tuple[str, str]]) -> str:
    """The page.

    Args:
        game: whose ladder it is.
        rungs: the players, the best first.
        tournaments: names, and when they were added.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    template = page_environment(Path(__file__).parent).get_template("ladder.html.j2")
    return template.render(game=game, rungs=rungs, tournaments=tournaments, z95=Z95)


_FIRST_DEVIATION: Final = 4000.0
"""mbb per hand: about that of a deal of limit hold'em played from both seats; until more is known."""


@attrs.frozen
class Placed:
    """The knowledge of the new player."""

    rating: float
    error: float
    above: int
    """Players of the ladder whose rating is higher."""
    deals: int


@attrs.define
class _Leads:
    """Winnings from an opponent, deal by deal, in three numbers."""

    deals: int = 0
    mean: float = 0.0
    spread: float = 0.0
    """Sum of the squared distances from the mean."""

    def add(self, leads: Sequence[float]) -> None:
        """Add some deals.

        Source: B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
        Technometrics 4 (1962).
        """
        for lead in leads:
            self.deals += 1
            step = lead - self.mean
            self.mean += step / self.deals
            self.spread += step * (lead - self.mean)


class Placing:
    """What the matches of a new player have shown.

    Args:
        rungs: of the opponents; all have a rating.
    """

    def __init__(self, rungs: Sequence[Rung]) -> None:
        self._rungs = {rung.name: rung for rung in rungs}
        self._leads = {rung.name: _Leads() for rung in rungs}

    def note(self, opponent: str, leads: Sequence[float]) -> None:
        """Note a finished match: the new player's winnings in each deal, mbb per hand."""
        self._leads[opponent].add(leads)

    def _variance(self) -> float:
        """The variance of a deal, averaged over the opponents."""
        known = [leads for leads in self._leads.values() if leads.deals > 1]
        if not known:
            return _FIRST_DEVIATION**2
        return max(1.0, math.fsum(each.spread for each in known) / sum(each.deals - 1 for each in known))

    def _weight(self, opponent: str, deals: int, variance: float) -> float:
        """The information in so many deals against an opponent: 1 / SE² of the resulting rating."""
        if not deals:
            return 0.0
        return 1 / (variance / deals + (self._rungs[opponent].error or 0.0) ** 2)

    def next_opponent(self, deals: int) -> str:
        """The opponent against whom so many more deals are most informative; of equals, the nearest."""
        variance = self._variance()
        now = self.placed()
        middle = sorted(self._rungs.values(), key=lambda rung: rung.rating or 0.0)[len(self._rungs) // 2]
        around = now.rating if now is not None else middle.rating or 0.0

        def worth(name: str) -> tuple[float, float]:
            played = self._leads[name].deals
            gain = self._weight(name, played + deals, variance) - self._weight(name, played, variance)
            return round(gain, 12), -abs((self._rungs[name].rating or 0.0) - around)

        return max(self._rungs, key=worth)

    def placed(self) -> Placed | None:
        """The knowledge so far; None before the first match."""
        variance = self._variance()
        weights = {name: self._weight(name, leads.deals, variance) for name, leads in self._leads.items()}
        total = math.fsum(weights.values())
        if not total:
            return None
        met = {name: leads.mean for name, leads in self._leads.items() if leads.deals}
        parts = [weights[name] * ((self._rungs[name].rating or 0.0) + mean) for name, mean in met.items()]
        rating = math.fsum(parts) / total
        above = sum((rung.rating or 0.0) > rating for rung in self._rungs.values())
        return Placed(rating, 1 / math.sqrt(total), above, sum(leads.deals for leads in self._leads.values()))


def tournament_text(
    new: tuple[str, str], rungs: Sequence[Rung], game: str, hands: int, options: Mapping[str, bool | int]
) -> str:
    """The tournament file for a placing, with the most matches that any opponent may play.

    Args:
        new: name and PLAYER of the new player.
        rungs: of the opponents.
        game: GAME.
        hands: deals in a match.
        options: ``matches``, per opponent; others are keys of ``[tournament]``.
    """
    head = {key: value for key, value in options.items() if key != "matches"}
    lines = ["[tournament]", f"name = {json.dumps(f'{new[0]} against the ladder')}", 'format = "gauntlet"']
    lines += [f"{key} = {json.dumps(value)}" for key, value in head.items()]
    lines += ["[game]", f"game = {json.dumps(game)}", f"hands = {hands}", f"matches = {options['matches']}"]
    for name, command, version in ((*new, ""), *[(rung.name, rung.command, rung.version) for rung in rungs]):
        lines += ["[[players]]", f"name = {json.dumps(name)}", f"player = {json.dumps(command)}"]
        lines += [f"version = {json.dumps(version)}"] if version else []
    return "\n".join([*lines, ""])


async def place(folder: Folder, runner: Runner, placing: Placing, new: str, budget: int) -> None:
    """Play until so many hands have been played, from wherever it was.

    Args:
        folder: of the tournament.
        runner: plays a match.
        placing: takes the results.
        new: name of the new player.
        budget: hands.

    Raises:
        CannotPlay: a match cannot be played.
        TournamentFault: what a match left cannot be read.
    """
    event = folder.plan.events[0]
    numbers: dict[str, int] = {}
    hands = 0
    while hands + event.hands * event.passes <= budget:
        opponent = placing.next_opponent(event.hands)
        number = numbers[opponent] = numbers.get(opponent, 0) + 1
        match = Match(0, number, canonical_order((new, opponent)))
        if match not in folder.played:
            await runner.play(match, folder.place(match))
            folder.note(match)
        placing.note(opponent, list(folder.played[match].deals[match.players.index(new)]))
        hands += event.hands * event.passes
