"""``riverboat solve --spot``: both players' strategies from a board to the end of the hand."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import click

from clients.commands import refusing
from clients.commands.solve.spot_files import read_spot
from clients.core.one_line import CommandError, progress_bar, refuse_unwritable
from engine.poker.cards import format_cards
from engine.poker.combos import format_combo
from engine.solving.subgames.menus import STREETS
from engine.solving.subgames.solver import Subgame
from engine.solving.subgames.spots import BoardAnswer, Cost, SolvableSpot, answers, cost, equity, largest_menu
from engine.solving.subgames.tree import street_trees
from engine.solving.walk import TooLarge
from engine.support.interruption import held_back

_EVERY: Final = 20
"""Iterations between two looks at how good the answer is."""
_LONG_S: Final = 10.0
"""What takes longer is announced."""


@attrs.frozen(kw_only=True)
class SpotPlan:
    """The request."""

    file: Path
    iterations: int | None
    seconds: float | None
    threads: int
    report: Path | None
    as_json: bool
    estimate: bool
    print_tree: bool


def solve_spot(plan: SpotPlan) -> int:
    """Solve the spot of a file and print the answer; returns the exit status."""
    spot = read_spot(plan.file)
    if plan.iterations is not None:
        spot = attrs.evolve(spot, iterations=plan.iterations)
    hint = ": drop a size of bets there, or set most_raises"
    with refusing(ValueError, what=f"{plan.file}: "), refusing(TooLarge, hint=hint):
        found = cost(spot)
    if plan.print_tree:
        click.echo("\n".join(_tree_lines(spot)))
    if plan.estimate:
        click.echo(json.dumps(attrs.asdict(found)) if plan.as_json else _cost_text(found))
    if plan.print_tree or plan.estimate:
        return 0
    if found.bytes > spot.memory * 1e9:
        raise CommandError(
            f"{plan.file}: needs {found.bytes / 1e9:.1f} GB, more than memory = {spot.memory:g}: drop a size "
            f"on the {largest_menu(spot)}, or allow more"
        )
    return _solve(plan, spot, found)


def _solve(plan: SpotPlan, spot: SolvableSpot, expected: Cost) -> int:
    refuse_unwritable(plan.report)
    with refusing(ValueError, what=f"{plan.file}: "):
        game = Subgame(spot.board, spot.ranges, spot.start, spot.betting, threads=plan.threads)
    began = time.monotonic()
    with held_back() as noted, progress_bar("iterations") as bar:
        if expected.seconds > _LONG_S:
            click.echo(f"{_cost_text(expected)}; Ctrl-C ends it with the answer so far", err=True)
        task = bar.add_task("iterations", total=spot.iterations)
        is_over = False
        while not is_over:
            for _ in range(min(_EVERY, spot.iterations - game.iterations)):
                game.run(1)
                bar.update(task, completed=game.iterations)
                is_late = plan.seconds is not None and time.monotonic() - began > plan.seconds
                is_over = bool(noted) or is_late
                if is_over:
                    break
            exploitable = 100 * game.exploitability() / spot.pot
            is_over = is_over or exploitable <= spot.target or game.iterations >= spot.iterations
    report = _report(plan, spot, game, exploitable)
    if plan.report is not None:
        from clients.reports.spots import write_page

        write_page(plan.report, game, report)
    click.echo(json.dumps(report) if plan.as_json else _text(report, interrupted=bool(noted)))
    return 128 + noted[0] if noted else 0


def _report(plan: SpotPlan, spot: SolvableSpot, game: Subgame, exploitable: float) -> dict[str, Any]:
    answer = answers(game)[0, 0, 0]
    share, shares = equity(spot)
    return {
        "spot": str(plan.file), "board": format_cards(spot.board), "pot": spot.pot, "stack": spot.stack,
        "iterations": game.iterations, "ev": answer.worth(0, 0), "equity": share,
        "exploitability": exploitable, "exploitability_chips": exploitable * spot.pot / 100,
        "root": [
            {"action": action, "frequency": frequency}
            for action, frequency in zip(answer.tree.actions[0], answer.frequencies(0).tolist(), strict=True)
        ],
        "nodes": [node_report(answer, node) for node, actions in enumerate(answer.tree.actions) if actions],
        "equities": {
            format_combo(combo): round(float(shares[combo]), 5) for combo in answer.combos[0].tolist()
        },
    }  # fmt: skip


def node_report(answer: BoardAnswer, node: int) -> dict[str, Any]:
    """A decision as it stands in the JSON: actions, and for each hand its weight, chances and values."""
    player, actions, point = answer.player(node), answer.tree.actions[node], answer.tree.points[node]
    rows = zip(
        answer.combos[player].tolist(), answer.reaches[node][player], answer.strategies[node].tolist(),
        answer.action_values(node).tolist(), strict=True,
    )  # fmt: skip
    hands = {
        format_combo(combo): {
            "reach": round(float(reach), 6), "frequencies": [round(each, 5) for each in chances],
            "ev": [round(each, 4) for each in evs],
        }
        for combo, reach, chances, evs in rows
    }  # fmt: skip
    return {
        "path": [each for each in point.actions if each != "/"], "player": player, "actions": list(actions),
        "frequencies": answer.frequencies(node).tolist(),
        "ev": [answer.worth(node, each) for each in range(2)], "hands": hands,
    }  # fmt: skip


def _text(report: dict[str, Any], *, interrupted: bool) -> str:
    root = ", ".join(f"{each['action']} {100 * each['frequency']:.1f} %" for each in report["root"])
    quality = f"{report['exploitability']:.3f} % of the pot ({report['exploitability_chips']:.3f} chips)"
    stopped = ", stopped before the target" if interrupted else ""
    return (
        f"{report['board']}, pot {report['pot']:g}, {report['stack']:g} behind\n"
        f"the first player: {root}\n"
        f"EV {report['ev']:.3f} chips, equity {100 * report['equity']:.2f} %\n"
        f"exploitable by {quality} after {report['iterations']} iterations{stopped}"
    )


def _cost_text(found: Cost) -> str:
    return f"{found.nodes:,} nodes, {found.bytes / 1e6:,.0f} MB, about {found.seconds:,.1f} s of one thread"


def _tree_lines(spot: SolvableSpot) -> Iterator[str]:
    """The betting of the first street, a line for each point, and the size of the others."""
    first, *others = street_trees(spot.start, spot.betting)
    upcoming = [(0, STREETS[first.street])]
    while upcoming:
        node, name = upcoming.pop()
        actions = first.actions[node]
        if actions:
            yield f"{'  ' * len(first.points[node].actions)}{name}: {', '.join(actions)}"
            upcoming += reversed([*zip(first.children(node), actions, strict=True)])
    for tree in others:
        name, roots = STREETS[tree.street], tree.forest.roots
        yield f"{name}: {len(tree.points)} points after {roots} bettings, on each board"
