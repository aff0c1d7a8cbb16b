"""The ladder: ratings of all players of a game, from all its matches on the ladder; as a page, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from engine.support.intervals import Z95
from server.league.ladder.store import Ladder, PairSum
from server.records.pages import page_environment

if TYPE_CHECKING:
    from engine.evidence.ranking.crosstable import CrossTable


@attrs.frozen
class Rung:
    """A player's place on the ladder."""

    player: int
    name: str
    command: str
    first_seen: str
    rating: float | None
    """mbb/h against the average player; None if nothing connects it to the others."""
    error: float | None
    deals: int
    hands: int
    opponents: int
    version: str = ""

    def as_json(self) -> dict[str, Any]:
        """The object in ``riverboat league show --json``."""
        row = attrs.asdict(self)
        del row["player"]
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
        rating, error = rated.get(player, (None, None))
        rungs.append(
            Rung(
                player,
                known[player].name,
                known[player].command,
                known[player].first_seen,
                rating,
                error,
                sum(pair.deals for pair in mine),
                sum(pair.hands for pair in mine),
                len(mine),
                known[player].version,
            )
        )
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
    if not players:
        return {}
    ratings = fit_margins(_table(players, pairs))
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
