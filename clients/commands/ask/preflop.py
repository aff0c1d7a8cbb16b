"""``riverboat preflop``: shows the 169 starting hands with their income rates, or computes them again.

``--first-bet`` and ``--matrix`` show other tables of the game before the flop: Killer's one-chip games, and
each starting hand against each.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click
from click import Choice, IntRange

from clients.core.one_line import CommandError, ComputingCommand, json_option, plot_option, seed_option
from engine.support.files import write_whole
from engine.support.palette import FAINT_STYLE, GAIN_STYLE
from engine.support.user_input import told_as
from server.support.options import flag, option

if TYPE_CHECKING:
    from engine.hands.preflop.tables import PreflopTable

_COLUMNS = {"iterated": "iterated", "roll-out": "roll_out"}


@click.command(cls=ComputingCommand)
@option("--players N", "Players dealt in.", IntRange(2, 10), default=10)
@option(
    "--rates", "Rates in the grid: against hands worth playing, or with everybody calling and checking down.",
    Choice(list(_COLUMNS)), default="iterated",
)  # fmt: skip
@flag("--solve", "For two players: the optimal strategy, and how near the iterated one comes.")
@flag(
    "--first-bet",
    "How good a hand must be to bet first, and to call a first bet, by seat: Killer's one-chip games.",
)
@flag("--matrix", "The equity of each of the 169 starting hands against each, exact.")
@flag("--csv as_csv", "--matrix as comma-separated values.")
@json_option()
@plot_option("the grid")
@option(
    "--make FILE", "Compute the tables again, in minutes, and write them to FILE.", click.Path(dir_okay=False)
)
@seed_option("tables of --make and strategy of --solve", default=1)
@option("--deals N", "Deals of each plain roll-out of --make.", IntRange(1000), default=80_000_000)
def preflop(
    players: int,
    rates: str,
    solve: bool,
    first_bet: bool,
    matrix: bool,
    as_csv: bool,
    as_json: bool,
    plot: str | None,
    make: str | None,
    seed: int,
    deals: int,
) -> None:
    """Show the 169 starting hands with their income rates.

    Rates are in thousandths of a small bet per hand.

    Suited hands are above the diagonal of the grid, offsuit hands below it.
    """
    given = {"--first-bet": first_bet, "--matrix": matrix, "--solve": solve}
    chosen = [name for name, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise CommandError(f"{' and '.join(chosen)} do not go together")
    if chosen and (plot is not None or make is not None):
        raise CommandError(f"{chosen[0]} and {'--plot' if plot is not None else '--make'} do not go together")
    if as_csv and (as_json or not matrix):
        raise CommandError("--csv says how --matrix is printed, and goes without --json")
    if make is not None:
        _make(make, seed, deals)
        return
    if first_bet or matrix:
        from clients.reports.preflop import first_bet_lines, first_bet_report, matrix_lines, matrix_report

        if as_json:
            click.echo(json.dumps(first_bet_report() if first_bet else matrix_report()))
        else:
            for line in first_bet_lines() if first_bet else matrix_lines(as_csv=as_csv):
                click.echo(line)
        return
    if solve:
        if players != 2:
            raise CommandError("--solve is for two players: add --players 2")
        _show_solution(seed, as_json)
        return

    from engine.hands.preflop.tables import shipped_tables

    tables = shipped_tables()
    table = tables.table(players)
    values = getattr(table, _COLUMNS[rates])
    if plot is not None:
        from clients.reports.grids import draw_grid

        draw_grid(plot, values, f"{players} players, {rates} income rate (thousandths of a small bet)")
    if as_json:
        click.echo(json.dumps(preflop_report(table) | {"made_by": tables.made_by}))
    elif sys.stdout.isatty():
        _print_grid(values, f"{players} players, {rates} income rates")
    else:
        _print_lines(values, f"{players} players, {rates} income rates (thousandths of a small bet)")


def preflop_report(table: PreflopTable) -> dict[str, Any]:
    """One table in the form of ``riverboat preflop --json``, with the best iterated rate first."""
    from engine.poker.combos import COMBOS_PER_STARTING_HAND, STARTING_HAND_NAMES

    order = sorted(range(len(STARTING_HAND_NAMES)), key=lambda hand: -table.iterated[hand])
    columns = {
        "income_rate": table.roll_out, "income_rate_standard_error": table.roll_out_standard_error,
        "iterated_income_rate": table.iterated,
        "iterated_income_rate_standard_error": table.iterated_standard_error, "share": table.shares,
    }  # fmt: skip
    hands = [
        {"hand": STARTING_HAND_NAMES[hand], "combos": int(COMBOS_PER_STARTING_HAND[hand])}
        | {name: float(values[hand]) for name, values in columns.items()}
        for hand in order
    ]
    return {"players": table.players, "unit": "thousandths of a small bet a hand", "hands": hands}


def _make(path: str, seed: int, deals: int) -> None:
    from engine.hands.preflop.roll_outs import make_tables
    from engine.hands.preflop.tables import format_tables

    tables = make_tables(
        seed, roll_out_trials=deals, trials=max(1000, deals // 40), final_trials=max(1000, deals // 4),
        made_by=f"riverboat preflop --make FILE --seed {seed} --deals {deals}",
        report=lambda line: click.echo(line, err=True),
    )  # fmt: skip
    with told_as(CommandError, OSError, what=f"{path} cannot be written: "):
        write_whole(path, format_tables(tables))


def _show_solution(seed: int, as_json: bool) -> None:
    import numpy as np

    from engine.hands.preflop import game as preflop_game

    matchups = preflop_game.exact_matchups()
    found = []
    for game in (preflop_game.call_or_fold_game(), preflop_game.limit_game()):
        optimal = preflop_game.solve(game, matchups)
        entry: dict[str, Any] = {
            "game": game.name,
            "small_blind_mbb_per_hand": 1000 * preflop_game.game_value(game, optimal, matchups),
            "exploitability": preflop_game.exploitability(game, optimal, matchups),
        }
        for key, cumulative in (("iterated", False), ("iterated_cumulative", True)):
            iterated = preflop_game.iterated_strategy(
                game, np.random.default_rng(seed), cumulative=cumulative
            )
            different = preflop_game.differences(game, iterated, optimal, matchups)
            told = [
                {"after": each.history or "start", "hand": each.hand, "played": each.played,
                 "optimal": each.optimal, "cost_mbb": each.cost}
                for each in different
            ]  # fmt: skip
            lost = preflop_game.exploitability(game, iterated, matchups)
            entry[key] = {"exploitability": lost, "differences": told}
        found.append(entry)
    if as_json:
        click.echo(json.dumps({"games": found}))
        return
    for entry in found:
        click.echo(f"{entry['game']}: the small blind wins {entry['small_blind_mbb_per_hand']:+z.1f} mbb/h")
        click.echo(f"  solved to an exploitability of {entry['exploitability']:.3f} mbb/h")
        for key, label in (("iterated", "iterated"), ("iterated_cumulative", "iterated, values kept")):
            part = entry[key]
            click.echo(
                f"  {label}: exploitability {part['exploitability']:.1f} mbb/h, "
                f"other actions with {len(part['differences'])} hands"
            )
            for line in part["differences"][:8]:
                click.echo(
                    f"    {line['hand']:<4} after {line['after']:<6} {line['played']:>5}, optimal "
                    f"{line['optimal']:<5} costs {line['cost_mbb']:6.0f} mbb"
                )


def _cells(values: Any) -> list[list[tuple[str, float]]]:
    """The grid in the usual layout: aces first, suited hands above the diagonal."""
    from engine.poker.combos import STARTING_HAND_NAMES

    # A suited hand is at (high, low) of ascending ranks, which is above the diagonal in descending order.
    rows = [[row * 13 + column for column in range(12, -1, -1)] for row in range(12, -1, -1)]
    return [[(STARTING_HAND_NAMES[at], float(values[at])) for at in row] for row in rows]


def _print_lines(values: Any, title: str) -> None:
    click.echo(title)
    for row in _cells(values):
        click.echo(" ".join([f"{name:>3} {value:>+5.0f}" for name, value in row]))


def _print_grid(values: Any, title: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        title=f"{title} (thousandths of a small bet)", box=None, padding=(0, 1, 0, 0), show_header=False
    )
    for row in _cells(values):
        texts = [(f"{name}\n{value:+z.0f}", GAIN_STYLE if value > 0 else FAINT_STYLE) for name, value in row]
        grid.add_row(*[Text(text, style, justify="center") for text, style in texts])
    Console().print(grid)
