"""The paper's question: does a player beat the rake, 5 % of the pot and at most three small bets?

The bot has half of the seats, the others always call.  Decisions do not depend on the rake, unless a bot
allows for it in its values; so the same hands are counted before and after the rake.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.findings import Plot, markdown_table
from clients.reports.plots import Curve
from engine.poker.rules import HandState, load_game, parse_betting
from engine.support.intervals import half_width

__all__ = ["BOTS", "RAKE", "TABLES", "play_with_rake", "rake_plots", "rake_report"]

RAKE: Final = "5%,3"
TABLES: Final = ("limit-6p", "limit-10p")
BOTS: Final = ("hand-strength", "simple", "heuristic", "killer", "killer:rake=5", "formula")
"""The bots that play in some minutes; `sampling` takes an hour."""


def play_with_rake(table: str, bot: str, hands: int, seed: int) -> dict[str, Any]:
    """What a bot wins before and after the rake, in small bets per hand of one of its seats.

    Args:
        table: one of `TABLES`.
        bot: the bot with its options.
        hands: the number of hands.
        seed: the seed of the cards and the players.
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
        half = half_width(samples)
        row[name] = {"sb_per_hand": sum(samples) / len(samples), "ci95": half}
    low = row["after"]["sb_per_hand"] - (row["after"]["ci95"] or float("inf"))
    high = row["after"]["sb_per_hand"] + (row["after"]["ci95"] or float("inf"))
    row["beats_the_rake"] = True if low > 0 else False if high < 0 else None
    return row


def rake_report(rows: Sequence[dict[str, Any]]) -> str:
    """The answer as Markdown."""
    words = {True: "yes", False: "no", None: "not known"}

    def rate(each: dict[str, Any]) -> str:
        return f"{each['sb_per_hand']:+z.3f} ± {each['ci95'] or float('nan'):.3f}"

    return (
        "\n# Who beats the rake\n\n"
        f"The bot has half of the seats, the others always call; the house takes {RAKE} small bets from "
        "pots that saw a flop.  Small bets per hand and seat, with 95 % intervals.\n\n"
        + markdown_table(
            ["table", "bot", "hands", "before the rake", "after it", "beats it"],
            [
                (row["table"], row["bot"], row["hands"], rate(row["before"]), rate(row["after"]),
                 words[row["beats_the_rake"]])
                for row in rows
            ],
        )
    )  # fmt: skip


def rake_plots(rows: Sequence[dict[str, Any]]) -> list[Plot]:
    """What each bot wins before and after the rake, a picture for each table."""
    found = []
    for table in dict.fromkeys(row["table"] for row in rows):
        here = [row for row in rows if row["table"] == table]
        places = [float(place) for place in range(1, len(here) + 1)]
        curves = tuple(
            Curve(
                f"{name} the rake",
                places,
                [row[name]["sb_per_hand"] for row in here],
                [row[name]["ci95"] or 0.0 for row in here],
            )
            for name in ("before", "after")
        )
        found.append(
            Plot(
                f"rake-{table}",
                f"{table}, half of the seats always call; rake {RAKE}",
                "",
                "small bets per hand and seat (95 %)",
                curves,
                levels=(("", 0.0),),
                names=tuple(row["bot"] for row in here),
            )
        )
    return found
