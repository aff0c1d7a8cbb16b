"""``riverboat review``: what each decision of a match lost, against the solution."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import click

from clients.core.one_line import CommandError, OneLineCommand, json_option, refuse_unwritable, shown_progress
from server.support.options import FILE, PATH, FiniteRange, flag, game_option, option

_DEEP: Final = 150
# Stacks in big blinds, from which on the strategy is the one that ships for 200.


# Many parameters: each is an option.
@click.command("review", cls=OneLineCommand)
@click.argument("paths", nargs=-1, required=True, metavar="LOG|FOLDER...", type=PATH)
@json_option()
@option("--out FILE.html", "Write a page, with a replay of the worst spots.", FILE)
@flag("--flop", "Review the flop too; that takes gigabytes and minutes.")
@option("--hand number N", "Only hand N, as in the log.", click.IntRange(min=0))
@option("--seat NAME", "Only the decisions of this player.")
@option(
    "--strategy FILE",
    "What players are believed to play who do not say: made by riverboat solve.  Default: the strategy that "
    "comes with this program for such stacks.",
    PATH,
)
@option(
    "--iterations N",
    "Of each solution; five times as many on rivers.",
    click.IntRange(10, 10_000),
    default=100,
)
@option("--memory GB", "Leave out rounds that need more.", FiniteRange(0.1, 1000), default=4.0)
@option("--threads N", "Threads that solve.", click.IntRange(1, 64), default=1)
@game_option
@flag("--force", "Overwrite FILE.html.")
def review(
    paths: tuple[Path, ...],
    as_json: bool,
    out: Path | None,
    flop: bool,
    number: int | None,
    seat: str | None,
    strategy: Path | None,
    game: str | None,
    force: bool,
    **of_reviewer: Any,
) -> None:
    """Show what the decisions on turn and river lost, in no-limit hold'em for two.

    Each round is solved with every hand apart and the bets that were made.  The loss of a decision is what
    the best action wins more than the one taken, for the hand that was held; losses that the solution is not
    sure of are 0.  The ranges are what players told the house of their strategies (`match` keeps it); of
    others they are what a strategy would have come there with.

    Losses are in mbb per hundred decisions; "accuracy" is the part of what could have been lost that was not.
    A blunder loses half a big blind and a twentieth of the pot or more.  Ctrl-C ends with the hands so far.
    """
    if out is not None and out.exists() and not force:
        raise CommandError(f"{out} would be overwritten; --force does it")
    refuse_unwritable(out)
    from clients.bots.strategy_files import bucketed_strategy, shipped_strategy
    from clients.lab.review import Review, result_lines, reviewable, worst_lines
    from engine.poker.rules import load_game
    from engine.solving.subgames.review import Reviewer
    from engine.support.files import write_whole
    from engine.support.interruption import held_back
    from engine.support.user_input import printable

    def warn(text: str) -> None:
        click.echo(printable(text), err=True)

    hands = reviewable(paths, game, number, seat, warn)
    depths = sorted(min(each.hand.game.stacks) / each.hand.game.big_blind for each in hands)
    like = load_game("nolimit-2p" if depths[len(depths) // 2] > _DEEP else "nolimit-2p-100bb")
    blueprint = bucketed_strategy(strategy) if strategy else shipped_strategy(like)
    if blueprint is None or blueprint.game.is_limit:
        raise CommandError(f"{strategy}: expected a strategy of no-limit hold'em")
    with held_back() as noted, shown_progress(as_json, "hands") as seen:
        reviewer = Reviewer(
            blueprint=blueprint, first_round=1 if flop else 2, stops=lambda: bool(noted), **of_reviewer
        )
        found = Review(reviewer, warn, seat)
        for hand in hands:
            if noted or not found.add(hand):
                break
            seen(found.hands, len(hands))
    report = {"logs": [printable(str(path)) for path in paths], **found.as_json(), "hands_in_all": len(hands)}
    if out is not None:
        write_whole(out, found.page())
    click.echo(json.dumps(report) if as_json else "\n".join([*result_lines(report), *worst_lines(report)]))
    if noted:
        warn(f"interrupted: {found.hands} of {len(hands)} hands")
        raise click.exceptions.Exit(128 + noted[0])
