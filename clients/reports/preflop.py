"""Tables of the game before the flop: Killer's one-chip games, and each starting hand against each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine.hands.equity import preflop_equities
from engine.hands.preflop.first_bet import ONE_CHIP_WITH_BLINDS, ONE_CHIP_ZERO_BLIND, SEATS, OneChipGame
from engine.poker.combos import STARTING_HAND_NAMES

_GAMES: Final = (
    ("1C0B", "one chip, no blinds: even money for everybody", ONE_CHIP_ZERO_BLIND),
    ("1CwB", "one chip, with blinds: 2 to 3 for a bet, 1 to 3 for the small blind, 2 to 5 for a call",
     ONE_CHIP_WITH_BLINDS),
)  # fmt: skip


def first_bet_report() -> dict[str, Any]:
    """The one-chip games as they stand in JSON: per cent of the hands, the best first, by seat.

    ``call`` is what the players behind call a first bet from that seat with, by how hands do against the
    bettor's; after the big blind nobody is left.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "A Reductive look at the Preflop".
    """
    seats = {name: [_seat(game, seat) for seat in SEATS] for name, _, game in _GAMES}
    games = [{"game": name, "is": text, "seats": seats[name]} for name, text, _ in _GAMES]
    return {"unit": "per cent of the starting hands, the best first", "games": games}


def _seat(game: OneChipGame, seat: str) -> dict[str, Any]:
    call = None if seat == SEATS[-1] else 100 * game.call(seat)
    return {"seat": seat, "first_bet": 100 * game.first_bet(seat), "call": call}


def first_bet_lines() -> Iterator[str]:
    """The same for people."""
    report = first_bet_report()
    yield f"{'':<4} " + " ".join([f"{game['game'] + ' bet':>10} {'call it':>8}" for game in report["games"]])
    for index, seat in enumerate(SEATS):
        cells = []
        for game in report["games"]:
            row = game["seats"][index]
            call = "-" if row["call"] is None else f"{row['call']:.1f} %"
            cells.append(f"{row['first_bet']:>8.1f} % {call:>8}")
        yield f"{seat:<4} " + " ".join(cells)
    for game in report["games"]:
        yield f"{game['game']}: {game['is']}"
    yield "The best hands of all to bet first with, and the best against those bets to call with."


def matrix_report() -> dict[str, Any]:
    """Each starting hand's equity against each, as it stands in JSON: rows against columns, aces first."""
    equities = preflop_equities()[::-1, ::-1]
    return {"hands": list(reversed(STARTING_HAND_NAMES)), "equities": equities.tolist()}


def matrix_lines(*, as_csv: bool) -> Iterator[str]:
    """The same as text, in per cent with one decimal, or as comma-separated values with all of them."""
    report = matrix_report()
    hands: list[str] = report["hands"]
    yield ",".join(["", *hands]) if as_csv else " ".join([f"{hand:>4}" for hand in ("", *hands)])
    for hand, row in zip(hands, report["equities"], strict=True):
        if as_csv:
            yield ",".join([hand, *map(repr, row)])
        else:
            yield " ".join([f"{hand:>4}", *(f"{100 * equity:4.1f}" for equity in row)])
