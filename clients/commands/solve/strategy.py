"""``riverboat strategy``: what a strategy does with each hand, at a point of the betting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clients.commands import refusing
from clients.core.one_line import CommandError, ComputingCommand, json_option, plot_option
from engine.poker.cards import InvalidCardError, format_cards, parse_written_cards
from engine.poker.rules import GameDefinitionError, IllegalActionError, InvalidActionError, load_game
from engine.poker.rules.betting import parse_betting
from engine.support.palette import FAINT_STYLE

if TYPE_CHECKING:
    from clients.reports.grids import Shown
    from engine.poker.rules import BettingState
    from engine.solving.strategy_file import SavedStrategy


@click.command(cls=ComputingCommand)
@click.argument("file", metavar="FILE|GAME")
@click.argument("betting", default="")
@click.argument("board", default="")
@json_option()
@plot_option("the hands")
def strategy(file: str, betting: str, board: str, as_json: bool, plot: str | None) -> None:
    """Show what a strategy does with each hand: ``riverboat strategy limit.npz rc/r 8d5c4d``.

    BETTING is written as in logs, without it the hand begins; for a game whose strategy comes with riverboat
    the game's name will do.  In hold'em suited hands stand upper right; a cell shows the likeliest action, f,
    c or r, and its chance in hundredths.
    """
    saved, name = _read(file)
    game = saved.game
    with refusing(IllegalActionError, InvalidActionError, InvalidCardError):
        state = parse_betting(game, betting)
        cards = tuple(parse_written_cards(board)) if board else ()
    if state.position_to_act is None:
        raise CommandError(f"after {betting} the hand is over: expected one where somebody is to act")

    from clients.reports.grids import draw_hands, hands_of_holdem, hands_of_small_game
    from engine.solving.strategies import Strategy

    if isinstance(saved.strategy, Strategy):
        if cards:
            raise CommandError("a small game shows all its boards: expected no cards")
        shown = hands_of_small_game(saved.strategy, state)
    else:
        if len(cards) != state.num_board_cards:
            raise CommandError(
                f"at {betting!r} there are {state.num_board_cards} board cards, got {len(cards)}"
            )
        shown = hands_of_holdem(saved.strategy, state, cards)
    title = " ".join(filter(None, [name, betting or "first to act", format_cards(cards)]))
    if plot is not None:
        draw_hands(plot, shown, title)
    if as_json:
        actions = list(map(str, shown.actions))
        hands = {hand: dict(zip(actions, each, strict=True)) for hand, each in shown.hands.items()}
        report = {"game": name, "betting": betting, "board": format_cards(cards), "notes": dict(saved.notes)}
        click.echo(json.dumps(report | {"position": state.position_to_act, "hands": hands}))
        return
    _print(saved, state, shown, title)


def _print(saved: SavedStrategy, state: BettingState, shown: Shown, title: str) -> None:
    from rich.console import Console

    from clients.reports.grids import grid_lines, hands_table

    console = Console(highlight=False)
    made = ", ".join(f"{key} {value}" for key, value in saved.notes.items() if key != "game")
    console.print(f"{title}: position {state.position_to_act} is to act")
    if saved.game.is_holdem:
        for line in grid_lines(shown):
            console.print(line)
    else:
        console.print(hands_table(shown))
    after = [state.apply(action) for action in shown.actions]
    console.print("goes on: " + ", ".join(each.text for each in after if not each.is_finished))
    console.print(f"made by {made}", style=FAINT_STYLE)


def _read(file: str) -> tuple[SavedStrategy, str]:
    """A strategy and the name of its game, from its file or from what is shipped."""
    from engine.solving.strategy_file import read_strategy, shipped_strategy

    path = Path(file)
    if not path.exists():
        try:
            shipped = shipped_strategy(load_game(file))
        except (GameDefinitionError, OSError):
            shipped = None
        path = shipped or path
    saved = read_strategy(path)
    return saved, str(saved.notes.get("game") or "its own game")
