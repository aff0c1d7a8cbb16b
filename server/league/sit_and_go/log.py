"""The log of a sit-and-go: a line for each hand, from which everything else follows.

The lines are those of a match's log, with each hand's own number of players.  Before each hand a line says
its game, as in the log of a room's table; it follows from earlier lines, and is checked.  Comments say what
became of players::

    # hand 3 game GAMEDEF;nolimit;...;END GAMEDEF
    # out ann nonsense (hand 3): sent ...         is out, with its chips
    # failed bob stalled (hand 7): gave no ...    has failed in the next hand, and stays in
    # absent bob                                  the house checked or folded for it in the next hand
    # crashed bob ended with exit status 1        how its process ended, if a connection was lost

Where each hand has a key of its own, its line comes before the hand (`protocol.records.RevealedKeys`).
"""

from __future__ import annotations

import json
import os
import re
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from engine.poker.match_key import DEALS_PER_CHAIN, DealKeys, MatchKey, MatchSeed
from engine.poker.rules import GameDefinition
from engine.support.files import write_whole
from engine.support.seeds import derive_seed
from engine.support.user_input import how_many, printable, told_as
from protocol import records
from protocol.extension import format_game_line, parse_game_line
from server.league.match import DamagedMatch, Fault, Played, move_aside
from server.league.plan import Match, TournamentPlan
from server.records.logs import LOG_FILE, RESULT_FILE, read_object
from server.records.verification.log_checker import check_cards, check_chips
from server.support.errors import Failure, FailureKind
from server.support.private_files import FILE_MODE, FOLDER_MODE
from server.table.rules.sit_and_go import SitAndGoTable

_OUT: Final = "# out "
_FAILED: Final = "# failed "
_ABSENT: Final = "# absent "
_CRASHED: Final = "# crashed "
_COMMENTS: Final = (_OUT, _FAILED, _ABSENT, _CRASHED)
_STATE: Final = "STATE:"
_FAILURE: Final = re.compile(rf"(?:({'|'.join(FailureKind)})(?: \(hand (\d+)\))?: )?(.*)")


def format_begin(table: SitAndGoTable, cards: MatchSeed | MatchKey, *, is_new: bool) -> str:
    """The lines with which a log begins, or goes on after a sitting that was cut short."""
    head = f"# sit-and-go {len(table.players)} players, {table.terms.stack} chips\n" if is_new else ""
    if isinstance(cards, DealKeys):
        head += records.format_commitment(cards.commitment_from(table.hands))
    return head


def format_before(line: str, cards: MatchSeed | MatchKey, number: int, game: GameDefinition) -> str:
    """The lines that go before that of a hand: its game, and its key if it has one of its own."""
    if not line.startswith(_STATE):
        return ""
    before = records.format_game_of(number, format_game_line(game))
    if not isinstance(cards, DealKeys):
        return before
    upcoming = number + 1
    is_last = upcoming % DEALS_PER_CHAIN == 0
    after = records.format_commitment(cards.commitment_from(upcoming), upcoming) if is_last else ""
    return before + after + records.format_deal_key(number, cards.key(number))


def format_out(name: str, failure: Failure) -> str:
    """The line of a player who has failed, and is out because of it."""
    return f"{_OUT}{name} {_failure(failure)}\n"


def format_failure(name: str, failure: Failure) -> str:
    """The line of a player who has failed, and stays in."""
    return f"{_FAILED}{name} {_failure(failure)}\n"


def format_absence(name: str) -> str:
    """The line of a player for whom the house checks or folds in the next hand."""
    return f"{_ABSENT}{name}\n"


def format_crash(name: str, how: str) -> str:
    """The line that says how a player's process ended after its connection was lost."""
    return f"{_CRASHED}{name} {printable(how)}\n"


def _failure(failure: Failure) -> str:
    hand = "" if failure.hand_number is None else f" (hand {failure.hand_number})"
    return f"{failure.kind.value}{hand}: {failure.detail}"


def begin(folder: Path, match: Match, plan: TournamentPlan) -> SitAndGoTable:
    """The table of a match as far as it has been played in a folder, which is created.

    Damaged files are put aside, and lines after the last hand are cut off: they belong to a hand that is
    played again.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    table = table_of_match(plan, match)
    try:
        size = read_log(folder / LOG_FILE, table)
    except DamagedMatch:
        move_aside(folder)
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return table_of_match(plan, match)
    if size and size < (folder / LOG_FILE).stat().st_size:
        os.truncate(folder / LOG_FILE, size)
    return table


def end(
    folder: Path,
    seconds: float,
    decision_seconds: Mapping[str, Mapping[str, float] | None],
    changes: Mapping[str, Mapping[str, int]],
) -> None:
    """Record that the last hand has been played.

    Args:
        folder: of the match.
        seconds: that it took, as far as known.
        decision_seconds: of the players, as far as known.
        changes: what the house did to their answers.

    Raises:
        OSError: it cannot be written.
    """
    result = {"over": True, "seconds": seconds, "decision_seconds": decision_seconds}
    result["answers_changed"] = changes
    write_whole(folder / RESULT_FILE, json.dumps(result) + "\n", mode=FILE_MODE)


def hand_cards(cards: MatchSeed | MatchKey, number: int) -> MatchSeed | MatchKey:
    """The seed or key of a hand's cards."""
    if isinstance(cards, MatchSeed):
        return MatchSeed(derive_seed(cards.number, number))
    if isinstance(cards, DealKeys):
        return MatchKey(cards.key(number))
    from hmac import digest

    return MatchKey(digest(cards.secret, b"riverboat sit-and-go hand %d" % number, "sha256"))


def _result(folder: Path) -> dict[str, Any] | None:
    """The record after the last hand, None if it has not been played; the log has the rest."""
    result = read_object(folder / RESULT_FILE)
    return result if result is not None and result.get("over") is True else None


def read_log(path: Path, table: SitAndGoTable) -> int:
    """Replay the hands of a log at a table that has not begun; returns how many bytes hold them.

    Comments after the last hand do not count.  Nor does an incomplete last line, left when its writer died.

    Raises:
        DamagedMatch: a hand that does not follow from the earlier ones.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise DamagedMatch(f"{path.name} cannot be read: {error.strerror}") from None
    size = at = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break
        at += len(line)
        with told_as(DamagedMatch, ValueError, IndexError, what=f"{path.name}:{number}: "):
            if take_line(line.decode("utf-8", "replace"), table):
                size = at
    return size


def take_line(line: str, table: SitAndGoTable) -> bool:
    """Replay the hand of a line, or let a player leave; False for any other line.

    Raises:
        ValueError, IndexError: it does not follow from the earlier ones.
    """
    if line.startswith(_OUT):
        table.leave(line.removeprefix(_OUT).split()[0])
    elif line.startswith(_STATE):
        head, chips, names = line.rstrip("\n").rsplit(":", 2)
        if int(head.split(":")[1]) != table.hands or tuple(names.split("|")) != table.seating():
            raise ValueError(f"expected hand {table.hands} of {'|'.join(table.seating())}")
        table.finish([float(won) for won in chips.split("|")])
    else:
        return False
    return True


def table_of_match(plan: TournamentPlan, match: Match) -> SitAndGoTable:
    """The table of a match before its first hand; seats move on by one from match to match."""
    assert plan.sit_and_go is not None  # the plan is for sit-and-gos
    turn = (match.number - 1) % len(match.players)
    players = match.players[turn:] + match.players[:turn]
    return SitAndGoTable(players, plan.sit_and_go, plan.events[match.event].game)


def read_sit_and_go(folder: Path, match: Match, plan: TournamentPlan) -> Played | None:
    """A sit-and-go that is over; None if it is not.

    A player's winnings are its share of the prizes less the buy-in, in thousandths of a buy-in.

    Raises:
        DamagedMatch: its log is incomplete.
    """
    result = _result(folder)
    if result is None:
        return None
    table = table_of_match(plan, match)
    read_log(folder / LOG_FILE, table)
    if not table.is_over:
        raise DamagedMatch(f"its log ends after {table.hands} hands, with {len(table.left)} players left")
    n = len(match.players)
    payouts = table.payouts()
    faults, absences = _comments((folder / LOG_FILE).read_text("utf-8"), match)
    places = "; ".join(f"{k}. {', '.join(group)}" for k, group in enumerate(table.places(), 1))
    won = tuple([array("d", [1000 * (payouts[name] * n - 1)]) for name in match.players])
    times = {name: result.get("decision_seconds", {}).get(name) for name in match.players}
    said = f"{match.label}, {how_many(table.hands, 'hand')}: {places}"
    seconds, changes = float(result.get("seconds", 0.0)), result.get("answers_changed", {})
    return Played(match, won, table.hands, 0, faults, absences, seconds, times, said, changes)


def _comments(text: str, match: Match) -> tuple[dict[str, Fault], dict[str, int]]:
    """How players have failed, and in how many hands the house checked or folded for each."""
    faults: dict[str, Fault] = {}
    absences = dict.fromkeys(match.players, 0)
    for line in text.splitlines():
        name, _, rest = line[2:].partition(" ")[2].partition(" ")
        if name not in absences or not line.startswith(_COMMENTS):
            continue
        if line.startswith(_ABSENT):
            absences[name] += 1
        elif line.startswith(_CRASHED):
            if name in faults and faults[name].kind == FailureKind.DISCONNECTED:
                faults[name] = attrs.evolve(faults[name], kind=FailureKind.CRASHED.value, detail=rest)
        elif name in faults:
            faults[name] = attrs.evolve(faults[name], times=faults[name].times + 1)
        else:
            found = _FAILURE.fullmatch(rest)
            kind, hand, detail = found.groups() if found else (None, None, rest)
            at = None if hand is None else int(hand)
            faults[name] = Fault(match, kind or FailureKind.CRASHED.value, detail, at)
    return faults, absences


def check_log(path: Path, table: SitAndGoTable, cards: MatchSeed | MatchKey | None) -> tuple[int, str] | None:
    """The first wrong line of a log and why, by cards, rules, chips and names; None if none is wrong.

    Args:
        path: of the log.
        table: before the first hand.
        cards: what they follow from; None if each hand has a key of its own.
    """
    keys = records.RevealedKeys()
    told: str | None = None
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith(_OUT):
            table.leave(line.removeprefix(_OUT).split()[0])
        try:
            keys.read(line, table.hands)
            if (found := records.OF_HAND.fullmatch(line)) is not None:
                told = found[3]
            if not line.startswith(_STATE):
                continue
            game = table.game()
            if told is None:  # of an earlier version, where a short big blind made the call cheaper
                game = attrs.evolve(game, least_bet=0)
            elif parse_game_line(told) != game:
                return number, f"expected the game {format_game_line(game)} of hand {table.hands} before it"
            told = None
            record, state = records.HandReader(game).read(line)
            if record.names != table.seating() or record.hand_number != table.hands:
                return number, f"expected hand {table.hands} of {'|'.join(table.seating())}"
            if cards is None:
                deal = keys.deal(game, table.hands)
            else:
                deal = hand_cards(cards, table.hands).dealer(game).deal()
            if deal is None:
                return number, f"expected the key of hand {table.hands} before it"
            check_cards(state, deal, "the seed" if cards else "its key")
            check_chips(record, state.chips_won())
            table.finish(state.chips_won())
        except ValueError as error:
            return number, str(error)
    return None
