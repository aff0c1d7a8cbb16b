"""The log of a sit-and-go: a line for each hand, from which everything else follows.

The lines are those of a match's log, with the hand's own numbers of players; stacks and blinds are not in
them, since they follow from the lines before.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Final

from engine.files.formats import parse_json
from engine.match_key import MatchKey, MatchSeed
from engine.rules import Deal
from engine.seeds import derive_seed
from protocol.records import HandReader, format_chips
from server.tournament.journal import DamagedMatch, Fault, Played
from server.tournament.match import Match
from server.tournament.plan import TournamentPlan
from server.tournament.sit_and_go.rules import SitAndGoTable

__all__ = [
    "LOG",
    "OUT",
    "RESULT",
    "check_log",
    "hand_cards",
    "read_log",
    "read_sit_and_go",
    "table_of_match",
    "take_line",
]

LOG: Final = "match.log"
RESULT: Final = "result.json"
OUT: Final = "# out "
"""How the line begins of a player who has failed."""
_STATE: Final = "STATE:"


def hand_cards(cards: MatchSeed | MatchKey, number: int) -> MatchSeed | MatchKey:
    """What the cards of a hand follow from."""
    if isinstance(cards, MatchSeed):
        return MatchSeed(derive_seed(cards.number, number))
    from hmac import digest

    return MatchKey(digest(cards.secret, b"riverboat sit-and-go hand %d" % number, "sha256"))


def is_over(folder: Path) -> bool:
    """Whether the last hand has been played; the log tells the rest."""
    try:
        result = parse_json((folder / RESULT).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(result, dict) and result.get("over") is True


def read_log(path: Path, table: SitAndGoTable) -> int:
    """Play the hands of a log again at a table that has not begun; returns how many bytes hold them.

    A last line without an end was torn off when its writer died, and does not count.

    Raises:
        DamagedMatch: a hand that does not follow from those before.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise DamagedMatch(f"{path.name} cannot be read: {error.strerror}") from None
    size = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break
        size += len(line)
        try:
            take_line(line.decode("utf-8", "replace"), table)
        except (ValueError, IndexError) as error:
            raise DamagedMatch(f"{path.name}:{number}: {error}") from None
    return size


def take_line(line: str, table: SitAndGoTable) -> None:
    """Play the hand of a line again, or see a player leave.

    Raises:
        ValueError, IndexError: it does not follow from those before.
    """
    if line.startswith(OUT):
        table.leave(line.removeprefix(OUT).split()[0])
    elif line.startswith(_STATE):
        head, chips, names = line.rstrip("\n").rsplit(":", 2)
        if int(head.split(":")[1]) != table.hands or tuple(names.split("|")) != table.seating():
            raise ValueError(f"expected hand {table.hands} of {'|'.join(table.seating())}")
        table.finish([float(won) for won in chips.split("|")])


def table_of_match(plan: TournamentPlan, match: Match) -> SitAndGoTable:
    """The table of a match before its first hand; seats move on by one from match to match."""
    assert plan.sit_and_go is not None  # it is one
    turn = (match.number - 1) % len(match.players)
    players = match.players[turn:] + match.players[:turn]
    return SitAndGoTable(players, plan.sit_and_go, plan.events[match.event].game)


def read_sit_and_go(folder: Path, match: Match, plan: TournamentPlan) -> Played | None:
    """A sit-and-go that is over; None where it is not.

    What a player won is its share of the prizes less what it paid, in thousandths of a buy-in.

    Raises:
        DamagedMatch: its log is not whole.
    """
    if not is_over(folder):
        return None
    table = table_of_match(plan, match)
    read_log(folder / LOG, table)
    if not table.is_over:
        raise DamagedMatch(f"its log ends after {table.hands} hands, with {len(table.left)} players left")
    n = len(match.players)
    payouts = table.payouts()
    faults: dict[str, Fault] = {}
    for line in (folder / LOG).read_text("utf-8").splitlines():
        if line.startswith(OUT):
            name, _, detail = line.removeprefix(OUT).partition(" ")
            faults[name] = Fault(match, "crashed", detail, None)
    places = "; ".join(f"{k}. {', '.join(group)}" for k, group in enumerate(table.places(), 1))
    return Played(
        match,
        tuple([array("d", [1000 * (payouts[name] * n - 1)]) for name in match.players]),
        table.hands,
        0,
        faults,
        dict.fromkeys(match.players, 0),
        0.0,
        dict.fromkeys(match.players),
        f"{match.label}, {table.hands} hands: {places}",
    )


def check_log(path: Path, table: SitAndGoTable, cards: MatchSeed | MatchKey) -> tuple[int, str] | None:
    """The first line of a log that is wrong and why, by cards, rules, chips and names; None where none is."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith(OUT):
            table.leave(line.removeprefix(OUT).split()[0])
        if not line.startswith(_STATE):
            continue
        game = table.game()
        try:
            record, state = HandReader(game).read(line)
            if record.names != table.seating() or record.hand_number != table.hands:
                return number, f"expected hand {table.hands} of {'|'.join(table.seating())}"
            deal = hand_cards(cards, table.hands).dealer(game).deal()
            if not _shows(state.deal, deal):
                return number, "other cards than follow from the seed"
            won = tuple(map(format_chips, state.chips_won()))
            if won != tuple(map(format_chips, record.chips)):
                return number, f"expected chips {'|'.join(won)}"
            table.finish(state.chips_won())
        except ValueError as error:
            return number, str(error)
    return None


def _shows(shown: Deal, dealt: Deal) -> bool:
    """Whether the cards that a log shows are those that were dealt."""
    return shown.hole_cards == dealt.hole_cards and shown.board == dealt.board[: len(shown.board)]
