"""``python -m clients.lab.player_prior FILE --seed 46``: makes and examines the prior of the player model.

Set ``OPENBLAS_NUM_THREADS=1``: on small matrices more threads only wait for one another.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

import click

from clients.lab.player_prior.made import SHIPPED, Matches, population, prior_of, surprise
from engine.players.models.player import format_prior
from engine.support.files.whole import write_whole

_EXAMINED: Final = 280
"""Players of the population, and others of its kind, whose answers are predicted."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", type=int, default=46, show_default=True, help="Of the population.")
@click.option("--other", type=int, default=1046, show_default=True, help="Seed of players to examine it by.")
def main(file: Path, seed: int, other: int) -> None:
    """Play a population, learn the prior of the player model, and write it to FILE."""
    players = list(population(SHIPPED, seed))
    prior = prior_of(players)
    made_by = f"python -m clients.lab.player_prior FILE --seed {seed}: {len(players)} players, " + ", ".join(
        f"{each.number} matches of {each.hands} hands of {each.game}" for each in SHIPPED
    )
    write_whole(file, format_prior(prior, made_by).encode())
    fresh = list(itertools.islice(population([Matches("limit-2p", _EXAMINED, 200)], other), _EXAMINED))
    for which, curve in enumerate(prior):
        known, new = (
            surprise([player[which] for player in some], curve.mean, curve.covariance)
            for some in (players[:_EXAMINED], fresh)
        )
        click.echo(f"{prior._fields[which]}: log loss {known:.4f} of its players, {new:.4f} of others")


main()
