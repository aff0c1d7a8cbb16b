"""``riverboat counter``: an answer to an opponent, computed and saved as a strategy that plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clients.commands.solve.counter_on_buckets import CounterPlan, counter_on_buckets, print_report
from clients.core.one_line import (
    CommandError,
    ComputingCommand,
    FiniteRange,
    json_option,
    plot_option,
    refuse_options,
    seed_option,
)
from clients.lab.exploitability.policies import policy_of_player, strategy_or_bot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.solving.game_tree import GameTree

_KINDS = ("best", "rnr", "fbr", "dbr")
_KINDS_OF = {"part": ("rnr", "dbr"), "hands": ("fbr", "dbr")}
"""By option, the kinds that take it."""
_PARTS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
"""Of the curve; as in Johanson, Zinkevich and Bowling (2007), from an equilibrium to a best response."""

_PARTS_ON_BUCKETS = (0.25, 0.5, 0.75, 0.9, 1.0)
"""Of the curve in hold'em, where a point takes a minute or two."""


# Many parameters: each is an option.
@click.command(cls=ComputingCommand)
@click.argument("player", metavar="BOT|FILE")
@click.option(
    "--game", metavar="GAME",
    help="A small game for two, or limit hold'em for two; a strategy file knows its own.",
)  # fmt: skip
@click.option(
    "--kind",
    type=click.Choice(_KINDS),
    default="rnr",
    show_default=True,
    help="best: the best response; rnr: restricted Nash response; fbr, dbr: frequentist and data-biased "
    "response, from hands that are watched.",
)
@click.option(
    "--part", type=FiniteRange(0, 1), default=0.75, show_default=True, metavar="P",
    help="rnr: the part of all hands in which the opponent is assumed to play as BOT does; dbr: the most "
    "that it is trusted to do so where it has been seen.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True, metavar="N",
    help="fbr, dbr: hands watched, with BOT in each seat.",
)  # fmt: skip
@click.option(
    "--iterations", type=click.IntRange(1, 1_000_000), default=2000, show_default=True, metavar="N",
    help="rnr, dbr: iterations of CFR+; in hold'em: boards, for all kinds.",
)  # fmt: skip
@seed_option("hands", default=1)
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE",
    help="Where to save the strategy.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@plot_option("what restricted Nash responses with P from 0 to 1 win and what they may lose, and this answer")
@json_option()
def counter(
    player: str,
    game: str | None,
    kind: str,
    part: float,
    hands: int,
    iterations: int,
    seed: int,
    save: Path,
    force: bool,
    plot: str | None,
    as_json: bool,
) -> None:
    """Compute what wins from BOT, or from a strategy file, and save it as a strategy.

    It plays as `equilibrium:strategy=FILE`.  The best response wins the most and may lose anything to
    other players; a restricted Nash response gives up a little of that and most of the risk.  In limit
    hold'em counter-strategies know hands by buckets, and what they win from BOT is estimated.
    """
    from engine.solving.holdem.betting import is_heads_up_limit_holdem
    from engine.solving.responses import evaluate
    from engine.solving.strategies import Strategy
    from engine.solving.strategy_file import StrategyFileError, write_strategy

    for option, kinds in _KINDS_OF.items():
        if kind not in kinds:
            refuse_options(
                click.get_current_context(), (option,), f"for --kind {' and '.join(kinds)}, not for {kind}"
            )
    if save.exists() and not force:
        raise CommandError(f"{save} is there already: --force, or choose another file")
    saved, definition, name = strategy_or_bot(player, game)
    if is_heads_up_limit_holdem(definition):
        plan = CounterPlan(player, name, kind, part, hands, iterations, seed, save)
        report = counter_on_buckets(plan, saved, definition, _PARTS_ON_BUCKETS if plot else ())
        if plot is not None:
            _draw(plot, report)
        print_report(report, as_json)
        return
    tree, opponent, name = policy_of_player(player, game)
    if tree.game.num_players != 2:
        raise CommandError(f"{name} is for {tree.game.num_players} players: expected a game for two")
    options = {"part": part, "hands": hands, "iterations": iterations, "seed": seed}
    found = evaluate(tree, _response(tree, opponent, kind, options), opponent)
    try:
        write_strategy(save, Strategy(tree, found.policy), {"game": name, "kind": kind, "against": player})
    except StrategyFileError as error:
        raise CommandError(str(error)) from error
    scale = 1000 / tree.game.big_blind
    report = {
        "game": name,
        "against": player,
        "kind": kind,
        **options,
        "save": str(save),
        "exploitation": found.exploitation * scale,
        "exploitability": found.exploitability * scale,
    }
    if plot is not None:
        report["curve"] = _curve(tree, opponent, iterations, scale)
        _draw(plot, report)
    if as_json:
        click.echo(json.dumps(report))
        return
    click.echo(
        f"{kind} against {player} in {name}: wins {found.exploitation * scale:.1f} mbb/h, loses at most "
        f"{found.exploitability * scale:.1f} to anybody, saved in {save}"
    )


def _response(
    tree: GameTree, opponent: NDArray[np.float64], kind: str, options: dict[str, Any]
) -> NDArray[np.float64]:
    """The answer of a kind."""
    import numpy as np

    from engine.solving import responses

    if kind == "best":
        return responses.full_response(tree, opponent)
    if kind == "rnr":
        return responses.restricted_nash(tree, opponent, options["part"], options["iterations"])
    generator = np.random.default_rng(options["seed"])
    probe = responses.probe_policy(tree)
    counts = responses.counts_of_hands(tree, opponent, probe, options["hands"], generator)
    model = responses.frequentist_model(tree, counts)
    if kind == "fbr":
        return responses.full_response(tree, model)
    trust = responses.confidence(tree, counts, options["part"])
    return responses.data_biased(tree, model, trust, options["iterations"])


def _curve(
    tree: GameTree, opponent: NDArray[np.float64], iterations: int, scale: float
) -> list[dict[str, float]]:
    """What restricted Nash responses win and may lose, from the safest to the greediest."""
    from engine.solving.responses import evaluate, restricted_nash

    points = []
    for part in _PARTS:
        found = evaluate(tree, restricted_nash(tree, opponent, part, iterations), opponent)
        points.append(
            {
                "part": part,
                "exploitation": found.exploitation * scale,
                "exploitability": found.exploitability * scale,
            }
        )
    return points


def _draw(path: str, report: dict[str, Any]) -> None:
    from clients.core.figure import PlotError
    from clients.reports.plots import draw_exploitation

    points = [
        (f"{point['part']:g}", point["exploitability"], point["exploitation"]) for point in report["curve"]
    ]
    chosen = (f"{report['kind']}, as saved", report["exploitability"], report["exploitation"])
    try:
        draw_exploitation(
            path, points, chosen, f"answers to {report['against']} in {report['game']}",
            is_bound="exploitability_se" in report,
        )  # fmt: skip
    except PlotError as error:
        raise CommandError(str(error)) from error
