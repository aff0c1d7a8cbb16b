"""The experiment ``circle``: each bot against each, with learning curves.

It also makes the habits of a reasonable player, which the adaptive bot expects of players it has never met.
That player acts by the generic model, against itself and against players who bring it into every kind of
betting; its actions and the hands it shows are counted.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, Final

import attrs
import click
import numpy as np
from numpy.typing import NDArray

from clients.core.arena import Arena
from clients.core.figure import new_figure, save_figure
from clients.core.one_line import CommandError
from clients.core.registry import make_bot
from clients.lab.experiments import command, harness
from clients.lab.experiments.command import Options, bots, check_bots, experiment_command, whole
from engine.poker.rules import GameDefinition, HandState, load_game
from engine.solving.miximax.habits import Habits, file_name as shipped_name, format_shipped
from engine.solving.miximax.strength import count_changes
from engine.solving.miximax.trees import betting_tree
from engine.support.files import write_whole
from engine.support.intervals import Estimate, Winnings, estimate_of_few
from engine.support.palette import DIVERGING
from engine.support.seeds import derive_seed

GAME: Final = "limit-2p"
PLAYERS: Final = (
    "adaptive", "equilibrium", "formula", "heuristic", "killer", "sampling:trials=50", "simple",
    "always-call", "always-raise",
)  # fmt: skip
"""The players if none are named."""
_MATCHES: Final = 4
"""From this number of matches on, intervals are computed from the matches' results."""
_NO_CIRCLE: Final = "There is no significant circle of three players, each of whom beats the next."
_OF_A_PART: Final = 4
"""The number of blocks for a point of a learning curve."""


@attrs.frozen
class CircleSettings(Options):
    """The players, and the number of hands."""

    players: tuple[str, ...] = bots(
        "--player", PLAYERS, "A player, BOT[:KEY=VALUE,...]; repeat it for two or more."
    )
    hands: int = whole(4_000, 2 * harness.BLOCKS, "Hands of each pair of players.")
    match_hands: int = command.hands_of_a_match(4_000, 2 * harness.BLOCKS, "players learn about each other")
    make_reasonable: int | None = whole(
        None, 100,
        "Instead of the experiment, watch a reasonable player for N hands and write DIR/reasonable.npz and "
        "DIR/reasonable-no-limit.npz, which the adaptive bot comes with.", aside=True,
    )  # fmt: skip
    seed: int = 1

    def check(self) -> None:
        """Refuse players that cannot meet."""
        if len(self.players) < 2:
            raise CommandError("--player: expected two or more players")
        check_bots("--player", self.players, GAME)


@experiment_command(CircleSettings, "what each match found", seeded="cards")
def circle(settings: CircleSettings, work: harness.Work) -> Iterator[harness.Findings]:
    """Play every bot against every other at heads-up limit hold'em: rock, paper, scissors."""
    if settings.make_reasonable is not None:
        _write_reasonable(work, settings.make_reasonable, settings.seed)
    else:
        yield findings(settings, work.groups(all_matches(settings)))


def all_matches(settings: CircleSettings) -> list[harness.Task]:
    """The matches of each pair of players, on the same cards for every pair."""
    tasks = []
    for pair in combinations(settings.players, 2):
        label, file = " against ".join(pair), harness.file_name(*pair)
        tasks += harness.long_match_tasks(GAME, pair, label, file, {"players": pair}, settings)
    return tasks


def _rate(matches: Sequence[Sequence[Winnings]], sign: int) -> Estimate:
    """Small bets per hand, with an interval over matches if there are enough, since players learn in them."""
    won = [sum(blocks, Winnings()) for blocks in matches]
    everything = sum(won, Winnings())
    half_width = everything.half_width()
    if len(won) >= _MATCHES:
        half_width = estimate_of_few([each.chips / each.hands for each in won]).ci95
    return Estimate(sign * everything.chips / everything.hands, half_width, 2 * everything.hands)


def _of_pair(matches: Sequence[Sequence[Winnings]], sign: int, deals: int) -> dict[str, Any]:
    """The result of one player against another: overall, and for consecutive parts of the matches."""
    parts = {
        end * deals // harness.BLOCKS: _rate([match[end - _OF_A_PART : end] for match in matches], sign)
        for end in range(_OF_A_PART, harness.BLOCKS + 1, _OF_A_PART)
    }
    curve = [{"hand": hand, **attrs.asdict(part)} for hand, part in parts.items()]
    return {"all": _rate(matches, sign), "curve": curve}


def circles(players: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """The circles of three players, each of whom significantly beats the next: rock, paper, scissors.

    Args:
        players: for each player what it won ``against`` each other.
    """
    order = list(players)
    beats = {
        (player, other)
        for player, entry in players.items()
        for other, found in entry["against"].items()
        if found["all"].ci95 is not None and found["all"].mean > found["all"].ci95
    }
    for first, second, third in permutations(order, 3):
        begins = order.index(first) < min(order.index(second), order.index(third))
        if begins and {(first, second), (second, third), (third, first)} <= beats:
            yield first, second, third


def findings(
    settings: CircleSettings, found: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]
) -> harness.Findings:
    """The cross table, circles, and how everybody learns.

    Args:
        settings: the experiment's settings.
        found: the results of the matches of each pair.
    """
    _, deals = harness.long_matches(settings.hands, settings.match_hands)
    players: dict[str, Any] = {player: {"against": {}} for player in settings.players}
    for (first, second), results in found.items():
        matches = [harness.blocks_of(result) for result in results]
        players[first]["against"][second] = _of_pair(matches, 1, deals)
        players[second]["against"][first] = _of_pair(matches, -1, deals)
    for entry in players.values():
        means = [won["all"].mean for won in entry["against"].values()]
        entry["mean"] = sum(means) / len(means)
    numbers = {"game": GAME, "settings": settings, "players": players, "circles": list(circles(players))}
    title, y = "against each", "small bets per hand in this part of the match (95 % band)"
    plots = []
    for player, entry in players.items():
        curves = {
            other: {point["hand"]: Estimate(point["mean"], point["ci95"], 0) for point in won["curve"]}
            for other, won in entry["against"].items()
        }
        name = f"learning-{''.join(letter if letter.isalnum() else '-' for letter in player)}"
        plots.append(
            harness.plot(name, f"{player} {title}", "hand of the match", y, curves, levels=harness.ZERO)
        )
    ranked = sorted(players, key=lambda player: -players[player]["mean"])
    matrix = [[players[row]["against"].get(column) for column in ranked] for row in ranked]
    won = np.array([[np.nan if each is None else each["all"].mean for each in row] for row in matrix])
    drawings = {"circle": functools.partial(_draw_matrix, ranked, won)}
    return harness.Findings(numbers, _report(settings, ranked, numbers), plots, drawings)


def _report(settings: CircleSettings, ranked: Sequence[str], results: Mapping[str, Any]) -> str:
    players = results["players"]
    table = []
    for player in ranked:
        won = (players[player]["against"].get(other) for other in ranked)
        cells = [each and each["all"].text(2) for each in won]
        table.append([player, *cells, f"{players[player]['mean']:+z.3f}"])
    learning = []
    for player in ranked:
        for other, found in players[player]["against"].items():
            if ranked.index(player) < ranked.index(other):
                points = found["curve"]
                learning.append([player, other, *(f"{point['mean']:+z.3f}" for point in points)])
    lines = "\n".join(f"- {' beats '.join([*each, each[0]])}" for each in results["circles"])
    circular = f"Circles, in which each player beats the next:\n\n{lines}\n"
    parts = ["", "against", *(f"to hand {point['hand']}" for point in points)]
    lead = (
        f"{GAME}, seed {settings.seed}, riverboat {harness.VERSION}; {settings.hands:,} hands of each pair "
        f"in matches of {settings.match_hands:,}, each deal played from both seats; small bets per hand that "
        "the row wins from the column, with 95 % intervals.\n"
    )
    matrix = harness.markdown_table(["", *ranked, "mean"], table)
    learnt = harness.markdown_table(parts, learning)
    told = circular if lines else f"{_NO_CIRCLE}\n"
    return "\n".join(["# Each against each\n", lead, matrix, told, f"## As they learn\n\n{learnt}"])


def _draw_matrix(ranked: Sequence[str], values: NDArray[np.float64], path: str) -> None:
    """Draw who wins how much from whom.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.
    """
    number = len(ranked)
    figure = new_figure(2.5 + 0.95 * number, 1.8 + 0.75 * number)
    axes = figure.add_subplot()
    limit = float(np.nanmax(np.abs(values))) or 1.0
    axes.imshow(np.sign(values) * np.sqrt(np.abs(values) / limit), cmap=DIVERGING, vmin=-1, vmax=1)
    for row, column in permutations(range(number), 2):
        axes.text(column, row, f"{values[row, column]:+z.2f}", ha="center", va="center", fontsize=9)
    axes.set_xticks(range(number), ranked, rotation=35, ha="right")
    axes.set_yticks(range(number), ranked)
    axes.set_title("small bets per hand that the row wins from the column")
    save_figure(figure, path)


# --- a reasonable player ---------------------------------------------------------------------------------

_DEALS: Final = 200_000
"""The number of deals from which the changes of hands from round to round are counted."""
_WATCHED_IN: Final = ("limit-2p", "nolimit-2p-100bb")
"""The games in which a reasonable player is watched."""
_REASONABLE: Final = "formula:model=generic"
_OPPONENTS: Final = ((_REASONABLE, 4), ("random", 2), ("always-raise", 1), ("always-call", 1))
"""The opponents, with the shares of hands played against each."""
_NO_LIMIT_OPPONENTS: Final = (*_OPPONENTS, ("always-all-in", 1))


def _write_reasonable(work: harness.Work, hands: int, seed: int) -> None:
    work.folder.mkdir(parents=True, exist_ok=True)
    for game in map(load_game, _WATCHED_IN):
        path = work.folder / shipped_name(game)
        write_whole(path, make_reasonable(game, hands, _DEALS, seed, work.progress))
        click.echo(str(path))


def make_reasonable(
    game: GameDefinition, hands: int, deals: int, seed: int, progress: harness.Say = lambda line: None
) -> bytes:
    """The contents of a file of ``engine/data/miximax``.

    Args:
        game: the game to play.
        hands: the number of hands in which the reasonable player is watched.
        deals: the number of deals from which the changes of hands from round to round are counted.
        seed: the same seed gives the same file.
        progress: receives a line about each finished opponent.
    """
    habits = Habits(betting_tree(game))
    opponents = _OPPONENTS if game.is_limit else _NO_LIMIT_OPPONENTS
    parts = sum(part for _, part in opponents)
    for number, (opponent, part) in enumerate(opponents):
        watched = {0, 1} if opponent == _REASONABLE else {0}

        def count(state: HandState, chips: tuple[float, ...], watched: set[int] = watched) -> None:
            for position, cards in enumerate(state.deal.hole_cards):
                if (position + state.hand_number) % 2 in watched:
                    habits.observe(state.betting, position, cards, state.board)

        arena = Arena(game, [make_bot(_REASONABLE), make_bot(opponent)], derive_seed(seed, number))
        arena.play(hands * part // parts // len(watched), on_hand=count)
        progress(f"{habits.hands} hands of {hands} watched, the last of them against {opponent}")
    return format_shipped(habits, count_changes(deals, seed))
