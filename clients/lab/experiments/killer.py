"""The experiment ``killer``: the book of flop configurations, what it says of hands, and who beats the rake.

The paper asks whether a player beats a rake of 5 % of the pot and at most three small bets.  The bot has half
of the seats, the others always call.  Decisions do not depend on the rake, unless a bot allows for it in its
values; so the same hands are counted before and after the rake.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.command import Options, experiment_command, option, whole
from clients.lab.experiments.harness import ZERO, Column, Findings, Task, Work, columns, file_name, plot
from clients.reports.grids import draw_grid
from clients.reports.plots import Plot
from engine.hands import flop_configs
from engine.poker.combos import STARTING_HAND_NAMES
from engine.poker.rules import HandState, Rake, load_game, parse_betting
from engine.poker.rules.game_definition import NO_RAKE
from engine.support.files import write_whole
from engine.support.intervals import Estimate, estimate

BOOK: Final = "flop_book.npz"
TABLES: Final = ("limit-6p", "limit-10p")
BOTS: Final = ("hand-strength", "simple", "heuristic", "killer", "killer:rake=5", "formula")
"""The bots that play in some minutes; `sampling` takes an hour."""
RAKE: Final = "5%,3"
SHOWN: Final = ("AA", "AKs", "AKo", "JTs", "98s", "33", "22", "72o", "32o")
STAKES: Final = ((2.0, 2.0), (2.0, 4.0))
"""The pot at the flop and each player's further bets, in bets."""
_RAKES: Final = (("none", NO_RAKE), ("5 % up to 3", Rake(5.0, 3.0)))
_FLOPS_OF_A_PART: Final = 20


@attrs.frozen
class KillerSettings(Options):
    """How exact the book is, and who plays for the rake."""

    flops: int = whole(240, 2, "Flops for more than one opponent, each with all its run-outs.", most=1755)
    every: int = whole(
        1, 1, "For one opponent, use every N-th of the 1755 distinct flops; 1 is exact.", most=877
    )
    rake_hands: int = whole(
        0, 0,
        "Also play N hands with each bot at six and at ten seats: who beats a rake of 5 %, at most three "
        "small bets?", most=10**7,
    )  # fmt: skip
    rake_bots: str = option(
        " ".join(BOTS), "The bots that play for the rake, separated by blanks.", metavar="BOTS"
    )
    seed: int = 1

    @property
    def made_by(self) -> str:
        """The command that makes this book."""
        command = "riverboat experiment killer --out DIR"
        for name in ("flops", "every"):
            if getattr(self, name) != getattr(KillerSettings(), name):
                command += f" --{name} {getattr(self, name)}"
        return command

    @property
    def players(self) -> tuple[str, ...]:
        """The bots that play for the rake, if any hands are played for it."""
        return tuple(dict.fromkeys(self.rake_bots.split())) if self.rake_hands else ()

    def check(self) -> None:
        """Refuse bots that do not exist before the book is made."""
        for bot in self.players:
            make_bot(bot)


@experiment_command(KillerSettings, "flop_book.npz, and what each task found", seeded="hands")
def killer(settings: KillerSettings, work: Work) -> Iterator[Findings]:
    """Make Peretz's book of flop configurations: the values of the starting hands by the flops they see.

    It takes a minute or two on one core; the same program makes the same book, whatever the seed.
    --rake-hands 1000 takes some more minutes.
    """
    found = work.groups(all_parts(settings))
    one, more = ([part["odds"] for part in found[group]] for group in ("one", "more"))
    book = flop_configs.make_book(settings.made_by, one, np.concatenate(more))
    write_whole(work.folder / BOOK, flop_configs.format_book(book))
    yield findings(settings.flops, book, found.get("rake", []))


def all_parts(settings: KillerSettings) -> list[Task]:
    """The parts of the book in its order, then the matches."""
    tasks = []
    for share in flop_configs.SHARES:
        label, file = f"against one of the best {100 * share:.0f} %", f"against-one-{100 * share:.0f}.npz"
        do = functools.partial(_odds, flop_configs.odds_against_one, share, settings.every)
        tasks.append(Task(f"the book, {label}", file, {"every": settings.every}, do, "one"))
    for first in range(0, settings.flops, _FLOPS_OF_A_PART):
        last = min(first + _FLOPS_OF_A_PART, settings.flops)
        label = f"against several on flops {first + 1} to {last}"
        file = f"against-more-{first + 1}-{last}.npz"
        flops = flop_configs.sampled_flops(settings.flops)[first:last]
        do = functools.partial(_odds, flop_configs.odds_against_more, flops)
        tasks.append(Task(f"the book, {label}", file, {"flops": settings.flops}, do, "more"))
    for table, bot in product(TABLES, settings.players):
        played = {"bot": bot, "hands": settings.rake_hands, "seed": settings.seed}
        do = functools.partial(play_with_rake, table, bot, settings.rake_hands, settings.seed)
        file = f"{table}-{file_name(bot)}.json"
        tasks.append(Task(f"the rake, {bot} at {table}", file, played, do, "rake"))
    return tasks


def _odds(against: Callable[..., NDArray[Any]], *arguments: Any) -> dict[str, NDArray[Any]]:
    return {"odds": against(*arguments)}


def play_with_rake(table: str, bot: str, hands: int, seed: int) -> dict[str, Any]:
    """Play a match in which a bot has half of the seats.

    Args:
        table: one of `TABLES`.
        bot: the bot with its options.
        hands: the number of hands.
        seed: the seed of the cards and the players.

    Returns:
        What the bot wins before and after the rake, in small bets per hand of one of its seats.
    """
    game = load_game(table)
    raked, n, unit = game.raked(RAKE), game.num_players, game.small_bet
    assert unit is not None  # both are limit games
    players = [make_bot(bot if seat % 2 == 0 else "always-call") for seat in range(n)]
    won: dict[str, list[float]] = {"before": [], "after": []}

    def count(end: HandState, chips: tuple[float, ...]) -> None:
        ours = [position for position in range(n) if (position + end.hand_number) % n % 2 == 0]
        again = HandState(parse_betting(raked, end.betting.text), end.hand_number, end.deal)
        for name, each in (("before", chips), ("after", again.chips_won())):
            won[name].append(sum(each[position] for position in ours) / len(ours) / unit)

    Arena(game, players, seed).play(hands, on_hand=count)
    row: dict[str, Any] = {"table": table, "bot": bot, "hands": hands}
    for name, samples in won.items():
        rate = estimate(samples)
        row[name] = {"sb_per_hand": sum(samples) / len(samples), "ci95": rate.ci95}
    row["beats_the_rake"] = rate.mean > 0 if abs(rate.mean) > (rate.ci95 or math.inf) else None
    return row


def values(book: flop_configs.FlopBook) -> list[dict[str, Any]]:
    """EV(FlopConfig) of every starting hand against one opponent with any hand, with and without rake."""
    found = []
    for (pot, bets), (name, rake) in ((stakes, kind) for stakes in STAKES for kind in _RAKES):
        config = flop_configs.FlopConfig(1.0, 1, 1.0, pot, bets)
        by_hand = {hand: book.value(number, config, rake) for number, hand in enumerate(STARTING_HAND_NAMES)}
        found.append({"pot": pot, "bets": bets, "rake": name, "ev": by_hand})
    return found


def findings(flops: int, book: flop_configs.FlopBook, rake: Sequence[Mapping[str, Any]]) -> Findings:
    """The values of starting hands by the book, for some pots and bets, and their ranks; who beats the rake.

    Args:
        flops: the number of sampled flops.
        book: the book.
        rake: the results of the matches with the rake.
    """
    entries = values(book)

    def ranks(entry: Mapping[str, Any]) -> str:
        worth = entry["ev"]
        better = [sum(each > worth[hand] for each in worth.values()) for hand in ("AKs", "22")]
        return " / ".join(str(1 + number) for number in better)

    shown: dict[str, Column] = {
        "pot, bets": lambda entry: f"{entry['pot']:g}, {entry['bets']:g}", "rake": "rake",
        **{hand: _worth(hand) for hand in SHOWN}, "rank of AKs / 22": ranks,
    }  # fmt: skip
    report = (
        "# What starting hands are worth by their flops\n\n"
        "EV in bets against one opponent with any hand; flops that are not worth a bet are folded. "
        f"The book was made by `{book.made_by}`.\n\n" + columns(shown, entries) + _rake_report(rake)
    )
    curves = {}
    for entry in entries:
        label = f"pot {entry['pot']:g}, bets {entry['bets']:g}, rake {entry['rake']}"
        curves[label] = dict(enumerate(sorted(entry["ev"].values(), reverse=True), 1))
    title = "starting hands against one opponent with any hand, by their flops"
    plots = [plot("values", title, "starting hands, from the best", "EV in bets", curves), *_rake_plots(rake)]
    numbers = {"made_by": book.made_by, "flops": flops, "values": entries, **({"rake": rake} if rake else {})}
    highest = max((entry for entry in entries if entry["rake"] == "none"), key=lambda entry: entry["bets"])
    worth = 100 * np.array(list(highest["ev"].values()))
    title = f"EV in hundredths of a bet, pot {highest['pot']:g}, {highest['bets']:g} further bets of each"
    return Findings(numbers, report, plots, {"hands": lambda path: draw_grid(path, worth, title)})


def _worth(hand: str) -> Column:
    return lambda entry: f"{entry['ev'][hand]:.3f}"


def _rate(row: Mapping[str, Any], name: str) -> Estimate:
    return Estimate(row[name]["sb_per_hand"], row[name]["ci95"], row["hands"])


def _rake_report(rows: Sequence[Mapping[str, Any]]) -> str:
    words = {True: "yes", False: "no", None: "not known"}
    shown: dict[str, Column] = {
        "table": "table", "bot": "bot", "hands": "hands", "before the rake": lambda row: _rate(row, "before"),
        "after it": lambda row: _rate(row, "after"), "beats it": lambda row: words[row["beats_the_rake"]],
    }  # fmt: skip
    return "" if not rows else (
        "\n# Who beats the rake\n\n"
        f"The bot has half of the seats, the others always call; the house takes {RAKE} small bets from "
        "pots that saw a flop.  Small bets per hand and seat, with 95 % intervals.\n\n"
        + columns(shown, rows)
    )  # fmt: skip


def _rake_plots(rows: Sequence[Mapping[str, Any]]) -> Iterator[Plot]:
    """Each bot's winnings before and after the rake, a picture for each table."""
    for table in dict.fromkeys(row["table"] for row in rows):
        here = [row for row in rows if row["table"] == table]
        curves = {
            f"{name} the rake": {place: _rate(row, name) for place, row in enumerate(here, 1)}
            for name in ("before", "after")
        }
        title = f"{table}, half of the seats always call; rake {RAKE}"
        y = "small bets per hand and seat (95 %)"
        bots = tuple(row["bot"] for row in here)
        yield plot(f"rake-{table}", title, "", y, curves, levels=ZERO, names=bots)
