"""``riverboat weights``: what the players of a hand may hold, as the betting tells (Poki, Fig. 3.6, 3.7)."""

from __future__ import annotations

import json

import click
from click import Choice, IntRange

from clients.commands import refusing
from clients.core.one_line import CommandError, ComputingCommand, json_option, plot_option
from engine.poker.cards import InvalidCardError, parse_written_cards
from engine.poker.rules import GameDefinitionError, IllegalActionError, load_game
from engine.poker.rules.betting import parse_betting
from server.support.options import FiniteRange, flag, option


@click.command(cls=ComputingCommand)
@click.argument("game")
@click.argument("betting")
@click.argument("board", default="")
@option("--position positions N", "Only this position.", IntRange(0, 9), multiple=True)
@option("--model", "Model by which actions are read.", Choice(["none", "generic"]), default="generic")
@option("--noise", "Noise factor.", FiniteRange(0, 1), default=0.0)
@flag("--numbers", "Print hundredths instead of shades.")
@json_option()
@plot_option("the tables")
def weights(
    game: str,
    betting: str,
    board: str,
    positions: tuple[int, ...],
    model: str,
    noise: float,
    numbers: bool,
    as_json: bool,
    plot: str | None,
) -> None:
    """Show what the players may hold after some betting, as weight tables.

    For example, ``riverboat weights limit-2p rc/cr Js8c4s``.

    BETTING is written as in logs.  Suited hands stand upper right; a cell shows the greatest weight of its
    hands, the darker the likelier.
    """
    with refusing(GameDefinitionError, IllegalActionError, InvalidCardError, OSError):
        definition = load_game(game)
        state = parse_betting(definition, betting)
        cards = tuple(parse_written_cards(board)) if board else ()

    from engine.players.models.generic import GenericModel
    from engine.players.models.model import NoModel, OpponentModel
    from engine.players.table_reader import TableReader
    from engine.players.weight_table import format_grid
    from engine.poker.combos import STARTING_HAND_NAMES

    if not definition.is_holdem:
        raise CommandError(f"{game} is not Texas hold'em")
    if len(cards) < state.num_board_cards:
        raise CommandError(f"after {betting} there are {state.num_board_cards} board cards, got {len(cards)}")
    shown = positions or tuple(range(definition.num_players))
    if max(shown) >= definition.num_players:
        raise CommandError(f"{game} has positions 0 to {definition.num_players - 1}")
    models: list[OpponentModel] = [
        GenericModel() if model == "generic" else NoModel() for _ in range(definition.num_players)
    ]
    reader = TableReader(models, noise)
    reader.follow(state, cards)
    grids = {position: reader.table(position).grid() for position in shown}
    if plot is not None:
        from clients.core.figure import save_figure
        from clients.reports.grids import weights_figure
        from engine.poker.cards import format_cards

        titles = [
            f"{definition.position_names[at]} (position {at}{', folded' if state.folded[at] else ''})"
            for at in grids
        ]
        out = format_cards(cards[: state.num_board_cards])
        title = f"Weights in {game} after {betting!r}, {'board ' + out if out else 'before the flop'}"
        save_figure(weights_figure(list(grids.values()), titles, title), plot)
    if as_json:
        names = STARTING_HAND_NAMES
        report = {
            str(at): dict(zip(names, grid.round(4).tolist(), strict=True)) for at, grid in grids.items()
        }
        click.echo(json.dumps({"betting": betting, "board": board, "weights": report}))
        return
    for position, grid in grids.items():
        folded = ", folded" if state.folded[position] else ""
        click.echo(f"position {position}{folded}")
        click.echo(format_grid(grid, numbers=numbers))
