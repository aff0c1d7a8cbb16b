"""``riverboat counter``: an answer to an opponent, computed and saved as a strategy that plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import attrs
import click

from clients.core import one_line
from clients.lab.exploitability.asking import strategy_or_bot
from server.support.options import FILE, FiniteRange, flag, option

_KINDS: Final = ("best", "rnr", "fbr", "dbr")
_WATCHING: Final = ("fbr", "dbr")
"""Those which watch the opponent play."""
_KINDS_OF: Final = {"part": ("rnr", "dbr"), "hands": _WATCHING}
"""By option, the kinds that take it."""


@click.command(cls=one_line.ComputingCommand)
@click.argument("player", metavar="BOT|FILE")
@option("--game GAME", "A small game for two, or limit hold'em for two; a strategy file knows its own.")
@option(
    "--kind",
    "best: the best response; rnr: restricted Nash response; fbr, dbr: frequentist and data-biased response, "
    "from hands that are watched.", click.Choice(_KINDS), default="rnr",
)  # fmt: skip
@option(
    "--part P",
    "rnr: the part of all hands in which the opponent is assumed to play as BOT does; dbr: the most that it "
    "is trusted to do so where it has been seen.", FiniteRange(0, 1), default=0.75,
)  # fmt: skip
@option(
    "--hands N", "fbr, dbr: hands watched, with BOT in each seat.", click.IntRange(1, 10_000_000),
    default=10_000,
)  # fmt: skip
@option(
    "--iterations N", "rnr, dbr: iterations of CFR+; in hold'em: boards, for all kinds.",
    click.IntRange(1, 1_000_000), default=2000,
)  # fmt: skip
@one_line.seed_option("hands", default=1)
@option("--save FILE", "Where to save the strategy.", FILE, required=True)
@flag("--force", "Replace FILE if it exists.")
@one_line.plot_option(
    "what restricted Nash responses with P from 0 to 1 win and what they may lose, and this answer"
)
@one_line.json_option()
def counter(
    player: str, game: str | None, save: Path, force: bool, plot: str | None, as_json: bool, **asked: Any
) -> None:
    """Compute what wins from BOT, or from a strategy file, and save it as a strategy.

    It plays as `equilibrium:strategy=FILE`.  The best response wins the most and may lose anything to
    other players; a restricted Nash response gives up a little of that and most of the risk.  In limit
    hold'em counter-strategies know hands by buckets, and what they win from BOT is estimated.
    """
    from clients.lab.exploitability.counters import CounterOnBuckets, CounterPlan, SmallCounter
    from engine.solving.holdem.betting import is_heads_up_limit_holdem
    from engine.solving.strategy_file import write_strategy

    for name, kinds in _KINDS_OF.items():
        if asked["kind"] not in kinds:
            purpose = f"for --kind {' and '.join(kinds)}, not for {asked['kind']}"
            one_line.refuse_options(click.get_current_context(), (name,), purpose)
    if save.exists() and not force:
        raise one_line.CommandError(f"{save} is there already: --force, or choose another file")
    saved, definition, name = strategy_or_bot(player, game)
    plan = CounterPlan(game=name, against=player, **asked)
    on_buckets = is_heads_up_limit_holdem(definition)
    work = CounterOnBuckets(plan, saved, definition) if on_buckets else SmallCounter(plan, game)
    answer, measured = work.answer(may_lose=plot is not None)
    write_strategy(save, answer, {"game": name, "kind": plan.kind, "against": player})
    report = {**attrs.asdict(plan), "save": str(save), **measured}
    if plot is not None:
        report["curve"] = [{"part": each, **work.restricted(each)[1]} for each in work.parts]
        _draw(plot, report)
    click.echo(json.dumps(report) if as_json else _text(report))


def _text(report: dict[str, Any]) -> str:
    """The report in one line."""
    whom, lost = report["against"], report["exploitability"]
    if "exploitation_se" not in report:
        wins, risk = f"{report['exploitation']:.1f} mbb/h", f", loses at most {lost:.1f} to anybody"
    else:
        wins = f"{report['exploitation']:.1f} mbb/h (standard error {report['exploitation_se']:.1f})"
        risk = "" if lost is None else f", may lose {lost:.0f} ({report['exploitability_se']:.0f}) or more"
        whom = f"what was seen of {whom}" if report["kind"] in _WATCHING else whom
    return (
        f"{report['kind']} against {whom} in {report['game']}: wins {wins}{risk}, saved in {report['save']}"
    )


def _draw(path: str, report: dict[str, Any]) -> None:
    from clients.reports.plots import draw_exploitation

    points = [
        (f"{point['part']:g}", point["exploitability"], point["exploitation"]) for point in report["curve"]
    ]
    chosen = (f"{report['kind']}, as saved", report["exploitability"], report["exploitation"])
    title = f"answers to {report['against']} in {report['game']}"
    draw_exploitation(path, points, chosen, title, is_bound="exploitability_se" in report)
