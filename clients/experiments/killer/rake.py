"""The paper's question: does a player beat the rake, 5 % of the pot and at most three small bets?

Half of the seats are the bot's, the others call whatever comes.  Decisions do not depend on the rake, unless
a bot reckons with it; so the same hands are counted before it and after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from clients.arena import Arena
from clients.experiments.findings import Say, markdown_table
from clients.registry import make_bot
from engine.intervals import half_width
from engine.rules import HandState, load_game, parse_betting

__all__ = ["BOTS", "RAKE", "TABLES", "beats_the_rake", "rake_report"]

RAKE: Final = "5%,3"
TABLES: Final = ("limit-6p", "limit-10p")
BOTS: Final = ("hand-strength", "simple", "heuristic", "killer", "killer:rake=5", "formula")
"""Those that play in some minutes; `sampling` takes an hour."""


def beats_the_rake(bots: Sequence[str], hands: int, seed: int, progress: Say) -> list[dict[str, Any]]:
    """What bots win before and after the rake, in small bets per hand of one of their seats.

    Args:
        bots: with options.
        hands: at each table, for each bot.
        seed: of the cards and the players.
        progress: takes lines about how far it has come.
    """
    rows = []
    for table in TABLES:
        for bot in bots:
            rows.append(_played(table, bot, hands, seed))
            after = rows[-1]["after"]
            progress(f"{table}, {bot}: {after['sb_per_hand']:+z.3f} small bets a hand after the rake")
    return rows


def _played(table: str, bot: str, hands: int, seed: int) -> dict[str, Any]:
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
        f"Half of the seats are the bot's, the others call whatever comes; the house takes {RAKE} small bets "
        "of pots that saw a flop.  Small bets per hand of one seat, with 95 % intervals.\n\n"
        + markdown_table(
            ["table", "bot", "hands", "before the rake", "after it", "beats it"],
            [
                (row["table"], row["bot"], row["hands"], rate(row["before"]), rate(row["after"]),
                 words[row["beats_the_rake"]])
                for row in rows
            ],
        )
    )  # fmt: skip
