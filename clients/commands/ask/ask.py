"""``riverboat ask``: shows what a bot does in one situation, and why."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click
from click import IntRange

from clients.commands import refusing
from clients.core.agent import in_words
from clients.core.one_line import ComputingCommand, json_option, plot_option, seed_option
from clients.lab.seats.asking import Answer, Spot, ask, read_spot, report
from clients.lab.seats.remote import Patience, SeatLost, command_seat, is_program
from engine.poker.rules import load_game
from engine.support.seeds import derive_seed
from server.match.arguments import check_sandboxes, launch_options, read_sandbox
from server.match.launching.confinement import Grants
from server.match.launching.launcher import Terms
from server.match.launching.players import Player, installed_bots, parse_players
from server.support.options import option

_TIMES: Final = 10


# Many parameters: each is an option.
@click.command("ask", cls=ComputingCommand)
@click.argument("bot")
@option("--game GAME", "What is played.", default="limit-2p")
@option("--betting", 'The betting so far, written as in logs: "rc/c".', default="")
@option("--hole CARDS", "The hole cards of the player who is to act.", required=True)
@option("--board CARDS", "The board cards dealt so far.", default="")
@option(
    "--times N",
    f"How often to ask, with another seed each time.  Default: {_TIMES}, programs once.",
    IntRange(1, 10_000),
)
@option("--trials N", "Hands of the simulation; 0 for none.", IntRange(0, 10_000_000), default=2000)
@launch_options("--show", "--write", "--pass-env")
@seed_option("answers", default=1)
@json_option()
@plot_option("what the bot would do with every hand or, if it does not tell, what it answered")
def ask_command(
    bot: str,
    game: str,
    betting: str,
    hole: str,
    board: str,
    times: int | None,
    trials: int,
    sandbox: bool,
    seed: int,
    as_json: bool,
    plot: str | None,
    **granted: Any,
) -> None:
    """Ask BOT what it does in a situation, and why.

    For example, ``riverboat ask formula --betting rc/c --hole AhKd --board 2c7d9h``.

    BOT is an installed bot with options, or a command line, which is run as COMMAND HOST PORT and dealt the
    hand up to that spot.  Its answers on the way there are overruled by the betting, and reported.
    """
    with refusing(ValueError, OSError):
        definition = load_game(game)
        spot = read_spot(definition, betting, hole, board)
    if is_program(bot):
        check_sandboxes(sandbox)
        grants = Grants(**granted)
        player = Player("", bot, tuple(shlex.split(bot)))
        confined = read_sandbox(sandbox, [player], [], grants) if sandbox or grants != Grants() else None
        terms = Terms(sandbox=confined, grants=grants)
        answers = _ask_program(bot, game, spot, times or 1, seed, terms)
    elif sandbox and any(player.is_program for player in parse_players([bot], installed_bots())):
        raise click.UsageError(f"--sandbox: {bot!r} runs a file in this process: ask a command line")
    else:
        answers = _ask_installed(bot, spot, times or _TIMES, seed)
    answer, found = answers[0], report(bot, game, spot, answers)
    if definition.is_holdem:
        from clients.reports.spot import own_model, own_values, reasons

        simulated = 0 if definition.has_antes else trials  # the simulation knows none
        found["why"] = reasons(answer.view, game, trials=simulated, seed=seed)
        unit = "small bets" if definition.is_limit else "big blinds"
        found["why"]["own_simulation"] = own_values(answer.agent, unit)
        found["why"]["own_model"] = own_model(answer.agent, answer.view)
    if plot is not None:
        _draw(plot, bot, spot, answer, found)
    click.echo(json.dumps(found) if as_json else "\n".join(_lines(found)))


def _ask_installed(bot: str, spot: Spot, times: int, seed: int) -> list[Answer]:
    from clients.core.registry import make_bot

    with refusing(ValueError):  # a game that it does not play
        return [ask(make_bot(bot), spot, seed=derive_seed(seed, number)) for number in range(times)]


def _ask_program(command: str, game: str, spot: Spot, times: int, seed: int, terms: Terms) -> list[Answer]:
    names = [f"p{position}" for position in range(spot.game.num_players)]
    answers = []
    for number in range(times):
        seat, own_seed = command_seat(shlex.split(command), terms)(), derive_seed(seed, number)
        seat.seed = derive_seed(own_seed, spot.position)
        try:
            seat.open(spot.game, game, spot.position, names, Patience(response_s=60.0))
            seat.wait_for_player()
            answers.append(ask(seat, spot, seed=own_seed, is_remote=True))
        except SeatLost as lost:
            click.echo(f"riverboat ask: {lost.name} {lost.kind}: {lost.detail}", err=True)
            raise click.exceptions.Exit(2 if lost.kind == "not-found" else 3) from lost
        finally:
            seat.close()
    return answers


def _draw(path: str, bot: str, spot: Spot, answer: Answer, found: dict[str, Any]) -> None:
    """Draw what the bot would do with every hand; if that is not known, or in small games, its answers."""
    from clients.core.figure import save_figure
    from clients.reports.grids import strategy_figure
    from clients.reports.plots import answers_figure
    from clients.reports.spot import by_starting_hand
    from engine.poker.cards import format_cards

    triples = answer.agent.triples(answer.view) if spot.game.is_holdem else None
    board = format_cards(spot.board)
    title = f"{bot}, {spot.game.position_names[spot.position]}"
    title += f" after {spot.betting.text!r}" if spot.betting.text else " to begin"
    title += f", board {board}" if board else ""
    if triples is None:
        figure = answers_figure(found, f"{title}, {format_cards(spot.hole_cards)}")
    else:
        figure = strategy_figure(by_starting_hand(triples, spot.board), title)
    save_figure(figure, path)


def _lines(found: dict[str, Any]) -> list[str]:
    """The report for people."""
    where = f"position {found['position']} ({found['position_name']})"
    lines = [
        f"{found['bot']}, {where}, {found['hole_cards']}, board {found['board'] or 'none'}, "
        f"pot {found['pot']}, {found['to_call']} to call"
    ]
    rows = []
    if found["triple"]:
        chances = [f"{name} {chance:.3f}" for name, chance in found["triple"].items()]
        drawn = f", the mean of {found['asked']} seeds: trials or values differ" * found["triples_differ"]
        rows.append(("it plays", ", ".join(chances) + drawn))
    if found["asked"] > 1:
        shares = [f"{in_words(action)} {share:.2f}" for action, share in found["answers"].items()]
        rows.append((f"asked {found['asked']} times", ", ".join(shares)))
    is_drawn = found["triple"] and max(found["triple"].values()) < 1
    rows.append(("a draw from it" if is_drawn else "action", in_words(found["action"])))
    if not found["is_legal"]:
        rows.append(("", "put right by the dealer: what it answered is not legal"))
    for one in found["overruled"]:
        answered, played = in_words(one["answered"]), in_words(one["played"])
        rows.append((f"after {one['betting']!r}", f"it would {answered}; the betting has {played}"))
    lines += _laid_out(rows)
    if found["decided_by"]:
        lines += ["it decided by", *_laid_out(list(found["decided_by"].items()))]
    compared = _comparison(found.get("why", {}))
    lines += ["for comparison", *_laid_out(compared)] if compared else []
    for position, weights in found.get("why", {}).get("weights", {}).items():
        lines += [f"  position {position} holds, by the generic model (darker is likelier)", *_grid(weights)]
    return lines


def _grid(weights: Mapping[str, float]) -> list[str]:
    import numpy as np

    from engine.players.weight_table import format_grid
    from engine.poker.combos import STARTING_HAND_NAMES

    grid = np.array([weights[name] for name in STARTING_HAND_NAMES])
    return [f"    {line}".rstrip() for line in format_grid(grid).splitlines()]


def _laid_out(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Labels and texts, wrapped to a terminal's width."""
    width = max(80, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 80
    return [
        textwrap.fill(text, width, initial_indent=f"  {label:<18} ", subsequent_indent=" " * 21)
        for label, text in rows
    ]


def _comparison(why: dict[str, Any]) -> list[tuple[str, str]]:
    """The numbers that speak for an action at any bot; this one has not decided by them."""
    rows = []
    if "hand_strength" in why:
        rows.append(("hand strength", f"{why['hand_strength']:.3f} of 1, against a random hand"))
        for cards, positive in why["positive_potential"].items():
            negative = why["negative_potential"][cards]
            effective = why["effective_hand_strength"][cards]
            text = f"positive {positive:.3f}, negative {negative:.3f}; effective strength {effective:.3f}"
            rows.append((f"potential, {cards} card" + "s" * (cards != "1"), text))
    if simulated := why.get("simulation"):
        values = [f"{in_words(row['action'])} {row['value']:+z.3f}" for row in simulated["values"]]
        text = f"{', '.join(values)} {simulated['unit']} ({simulated['trials']} trials)"
        rows.append(("simulated", text))
    return rows
