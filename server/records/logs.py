"""Reads match logs: hands as the rules see them, with the chips and names that the log gives.

It reads ACPC logs of any origin, ours, the C dealer's and other programs', with and without comments and
header, with line ends of either kind, gzipped or not.  Nothing here imports numpy.

::

    for path in find_logs([Path("matches/20250101-120000-limit-2p")]):  # a match's folder, or files
        log = open_log(path)                                            # or open_log(path, "limit-2p")
        for hand in log.hands():                                        # lazily, in the order of the file
            hand.state.betting.steps()                # all actions: (state before, position, action)
            hand.state.deal.hole_cards                # by position; () where the log does not show them
            hand.state.board
            for position, player in enumerate(hand.players):
                log.players[player], hand.chips[position]               # who won what

`open_log` scans the file once without interpreting its hands, so game, players, number of hands, score and
key are known at once.  `MatchLog.hands` may be called repeatedly; each call reads the file again.
`server.records.batches` recognises, by their cards, the logs that are passes of one duplicate match, and
pairs their hands.

Every fault is a `LogError`, one line with file and line.  The exception is a last line that was torn off when
its writer died: the hands before it count, and `MatchLog.warnings` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from engine.poker import rules
from engine.support.files.formats import parse_json
from protocol import records
from protocol.extension import parse_game_line
from server.records.log_lines import (
    A_LOG,
    Header as Header,
    LogError as LogError,
    LoggedHand as LoggedHand,
    LoggedLine as LoggedLine,
    fault,
    numbered_lines,
    shown,
)

_Game = rules.GameDefinition | str | None
GAME_FILE: Final = "match.game"
"""A game file beside a log, which is the log's game."""
PLAN_FILE: Final = "plan.json"
"""The plan in a match's folder, which contains the game's definition."""
LOG_FILE: Final = "match.log"
RESULT_FILE: Final = "result.json"
"""The files of a match in its folder; of a duplicate match, each pass has a log."""
_MOST_COMMENTS: Final = 1000
_UNKNOWN: Final = -1
_MOST_HANDS: Final = (1 << 63) - 1
"""The greatest number of a hand: the largest integer of an array, and more than any program writes."""


@attrs.define(eq=False)
class MatchLog:
    """A log that has been scanned by `open_log`."""

    path: Path
    game: rules.GameDefinition = attrs.field(init=False)
    game_text: str = attrs.field(init=False)
    """The game as the user or the header named it."""
    headers: tuple[Header, ...] = attrs.field(default=(), init=False)
    """The headers in the order of the file: several if a match was resumed, none in some programs' logs."""
    num_hands: int = attrs.field(default=0, init=False)
    """The number of lines with hands, whether or not they can be read."""
    players: tuple[str, ...] = attrs.field(default=(), init=False)
    """The players' names, in seat order if the log tells it, otherwise in order of appearance.

    There are as many as positions, or more if players come and go.
    """
    score: tuple[tuple[float, ...], tuple[str, ...]] | None = attrs.field(default=None, init=False)
    """Chips and names of the last ``SCORE:`` line, in seat order; None if the match did not end."""
    commitments: tuple[str, ...] = attrs.field(default=(), init=False)
    """The hexadecimal SHA-256 hashes of the secret keys, published before the first hand."""
    keys: tuple[str, ...] = attrs.field(default=(), init=False)
    """Keys of all their cards that have been revealed, as text."""
    has_deal_keys: bool = attrs.field(default=False, init=False)
    """Its hands have keys of their own (`protocol.records.RevealedKeys`)."""
    comments: tuple[tuple[int, str], ...] = attrs.field(default=(), init=False)
    """Line and text of the other comments, the first thousand of them."""
    warnings: tuple[str, ...] = attrs.field(default=(), init=False)
    """Warnings for the user, each one line."""
    end: int | None = attrs.field(default=None, init=False)
    """The line that was torn off, which is not read; None if there is none."""
    has_namesakes: bool = attrs.field(default=False, init=False)
    """Whether players in one hand have the same name, and are told apart by their seats."""
    has_games_of_hands: bool = attrs.field(default=False, init=False)
    """Whether each hand says its game, so that stacks, blinds and players may differ."""
    has_fixed_seats: bool = attrs.field(default=False, init=False)
    """Whether everybody keeps their position, so that the button does not move."""

    @property
    def header(self) -> Header | None:
        """The first header."""
        return self.headers[0] if self.headers else None

    def hands(self) -> Iterator[LoggedHand]:
        """The hands in the order of the file.

        Raises:
            LogError: a line that cannot be read or played, with file and line.
        """
        for row in self.parsed_lines():
            try:
                yield row.played()
            except ValueError as error:
                raise fault(self.path, row.line, str(error)) from None

    def parsed_lines(self) -> Iterator[LoggedLine]:
        """The parsed lines of the hands, not yet played by the rules.

        Raises:
            LogError: a line that cannot be parsed, with file and line.
        """
        for row in self.rows():
            if isinstance(row, LogError):
                raise row
            yield row

    def rows(self) -> Iterator[LoggedLine | LogError]:
        """The same; instead of a line that cannot be parsed, its error."""
        index = {name: k for k, name in enumerate(self.players)}
        common = reader = records.HandReader(self.game)
        own: int | None = None  # the hand that the reader is for; None for all, _UNKNOWN for none
        match, last, before, is_of_another = 0, -1, "", False
        others = {header.line: not header.names_game_of(self.headers[0]) for header in self.headers}
        for line, text in numbered_lines(self.path):
            if line == self.end:
                return
            is_of_another = others.get(line, is_of_another)
            if text.startswith("# hand ") and (found := records.OF_HAND.fullmatch(text.rstrip("\r\n"))):
                if found[2] == "game":
                    try:
                        reader, own = records.HandReader(parse_game_line(found[3])), int(found[1])
                    except rules.GameDefinitionError as error:
                        own = _UNKNOWN
                        yield fault(self.path, line, str(error))
                continue
            if not text.startswith("STATE:"):
                continue
            reading, of, reader, own = reader, own, common, None
            if of == _UNKNOWN:  # its game has been refused
                continue
            try:
                if of is None and is_of_another:
                    raise ValueError("expected one game in all headers before it")
                if text == before:
                    raise ValueError("this hand is there twice, in two lines")
                before, record = text, reading.record(text)
                number, names = record.hand_number, record.names
                if number > _MOST_HANDS:
                    raise ValueError(f"expected the number of a hand, got {number}")
                if of is None and self.has_games_of_hands:
                    raise ValueError(
                        f"expected the game of hand {number} before it (# hand {number} game ...)"
                    )
                if of not in (None, number):
                    raise ValueError(f"expected hand {of}, whose game is said before, got hand {number}")
                if self.has_namesakes:
                    players = (
                        tuple(range(len(names))) if self.has_fixed_seats else rotation(number, len(names))
                    )
                else:
                    players = tuple([index[name] for name in names])
            except ValueError as error:
                yield fault(self.path, line, str(error))
            else:
                if number <= last:
                    match += 1
                last = number
                yield LoggedLine(line, match, record, players, reading)


def rotation(number: int, num_players: int) -> tuple[int, ...]:
    """The players' seats in a hand, by position, if the button moves."""
    return tuple([(position + number) % num_players for position in range(num_players)])


def by_seat(names: Sequence[str], number: int) -> tuple[str, ...]:
    """Names by seat, as a hand has them by position, if the button moves."""
    seats = rotation(number, len(names))
    return tuple([names[seats.index(seat)] for seat in range(len(seats))])


# --- a file ----------------------------------------------------------------------------------------------


def find_logs(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The logs that some paths name: a file is one; a match's folder has one, or one for each pass.

    Raises:
        LogError: a path does not exist, or is a folder without logs.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            passes = sorted(path.glob(f"pass-*/{LOG_FILE}"), key=lambda log: (len(log.parent.name), log))
            whole = path / LOG_FILE
            logs = [whole] if whole.exists() else passes
            logs = logs or sorted([*path.glob("*.log"), *path.glob("*.log.gz")])
            if not logs:
                raise LogError(f"{path}: there is no log in this folder (expected {LOG_FILE}, or *.log)")
            found += logs
        else:
            found.append(path)
    return tuple(found)


def open_log(path: Path, game: _Game = None, *, tolerant: bool = False) -> MatchLog:
    """Scan a log.

    Args:
        path: the file.
        game: the game, for logs that do not name a game that can be found: GAME as users type it, or the
            game itself.  Without it, the game in the log's folder is used (`PLAN_FILE`, `GAME_FILE`), then
            the one that the header names: as a path, beside the log, or among the packaged games.
        tolerant: skip lines that do not belong to a log, for a reader that checks all lines itself.

    Raises:
        LogError: the file is not a log, or its game cannot be found.
    """
    scan = _Scan(path, tolerant)
    scan.read(game)
    return scan


@attrs.define(eq=False)
class _Scan(MatchLog):
    """A log while what it says besides its hands is collected."""

    _tolerant: bool
    _fault: LogError | None = None  # the first that was skipped
    _rake: rules.Rake | None = None
    _own: rules.GameDefinition | LogError | None = None  # the first that a hand says, or why it is none
    _last_own: str = ""  # the last, as text
    _first: int = 0  # the number of the first hand
    _names: dict[str, None] = attrs.Factory(dict)  # by position, as text, in order of appearance
    _last: tuple[int, str] = (0, "")  # the last line, if it has no end

    def read(self, game: _Game) -> None:
        """Read the whole file.

        Raises:
            LogError: as `open_log`.
        """
        self._read_lines()
        try:
            self.game, self.game_text = _game_of(self.path, self.headers, game)
        except LogError as error:
            if not isinstance(self._own, rules.GameDefinition):
                raise self._own or error from None
            self.game, self.game_text = self._own, "its hands' games"
        if self._rake is not None:
            self.game = attrs.evolve(self.game, rake=self._rake)
        self._read_end()
        positions = self._positions
        self.has_namesakes = any(len(set(names)) < len(names) for names in positions)
        self.has_games_of_hands = bool(self._last_own)
        self.has_fixed_seats = self.num_hands > 1 and len(positions) == 1 and len(set(positions[0])) > 1
        self.players = self._in_order(positions)

    def _read_lines(self) -> None:
        try:
            for line, text in numbered_lines(self.path):
                if text[-1] != "\n":
                    self._last = (line, text)
                elif text.startswith("STATE:"):
                    self._hand(text)
                else:
                    self._other(line, text.rstrip("\r\n"))
        except LogError as error:
            if not (self._tolerant and error.line):
                raise
            self._fault = self._fault or error
        if self._names or self.headers or self.score:
            return
        line, text = self._last
        if line and not _begins_like_a_log(text):
            self._fault = self._fault or fault(self.path, line, f"expected {A_LOG}, got {shown(text)}")
        if self._fault is not None:
            raise self._fault
        if not line:
            what = "has comments only" if self.comments else "is empty"
            raise LogError(f"{self.path}: {what}; expected {A_LOG}")

    @property
    def _positions(self) -> list[tuple[str, ...]]:
        """The players' names by position, each order once."""
        return [tuple(names.split("|")) for names in self._names]

    def _in_order(self, positions: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """`MatchLog.players`."""
        if not positions:
            return self.score[1] if self.score else ()
        names = dict.fromkeys([name for each in positions for name in each])
        first = positions[0]
        if self.score and len(self.score[1]) == len(first) and names.keys() <= set(self.score[1]):
            return self.score[1]
        if len(names) > len(first):
            return tuple(names)
        return first if self.has_fixed_seats else by_seat(first, self._first)

    def _read_end(self) -> None:
        """Read the last line if it has no line end, or note that it was torn off.

        Raises:
            LogError: it cannot belong to a log.
        """
        line, text = self._last
        if not line:
            return
        try:
            self._check_end(text)
        except ValueError as error:
            self.end = line
            if _begins_like_a_log(text):
                torn = f"{self.path}:{line}: the last line is torn off, and passed over ({error})"
                self.warnings = (torn,)
            elif not self._tolerant:
                raise fault(self.path, line, f"expected {A_LOG}, got {shown(text)}") from None
            return
        if text.startswith("STATE:"):
            self._hand(text)
        else:
            self._other(line, text)

    def _check_end(self, text: str) -> None:
        """Raise ValueError if a line without a line end is incomplete."""
        names: tuple[str, ...] = ()
        if text.startswith("STATE:"):
            game = parse_game_line(self._last_own) if self._last_own else self.game
            names = records.HandReader(game).read(text)[0].names
        elif text.startswith("#"):
            if text.startswith(records.KEY) and len(text.rpartition(" ")[2]) != 64:
                raise ValueError("the key is cut off")
        elif (score := records.parse_score(text)) is not None:
            names = score[1]
        else:
            raise ValueError("it is cut off")
        known = {name for each in self._positions for name in each}
        if known and not known.issuperset(names):
            raise ValueError("a name is cut off")

    def _hand(self, text: str) -> None:
        if not self.num_hands:
            number = text[6:].partition(":")[0]
            self._first = int(number) if number.isdecimal() and len(number) < 20 else 0
        self.num_hands += 1
        self._names[text.rpartition(":")[2].rstrip("\r\n")] = None

    def _other(self, line: int, text: str) -> None:
        try:
            self._read_other(line, text)
        except LogError as error:
            if not self._tolerant:
                raise
            self._fault = self._fault or error

    def _read_other(self, line: int, text: str) -> None:
        if text.startswith("#"):
            self._comment(line, text)
        elif text.startswith("SCORE"):
            try:
                self.score = records.parse_score(text)
            except ValueError as error:
                raise fault(self.path, line, str(error)) from None
            if self.score is None or len(self.score[0]) != len(self.score[1]):
                raise fault(self.path, line, f"expected SCORE:values:names, got {shown(text)}")
        elif text.strip():
            raise fault(self.path, line, f"expected {A_LOG}, got {shown(text)}")

    def _comment(self, line: int, text: str) -> None:
        if (header := Header.read(line, text)) is not None:
            self.headers += (header,)
        elif (found := records.OF_HAND.fullmatch(text)) is not None:
            if found[2] == "game":
                self._say_game(line, found[3])
            elif found[2] == "cards: sha256" and not self.commitments:
                self.commitments += (found[3],)
        elif text.startswith(records.COMMITMENT):
            self.commitments += (text[len(records.COMMITMENT) :].strip(),)
        elif text.startswith(records.KEY) and records.is_deal_key(text):
            self.has_deal_keys = True
        elif text.startswith(records.KEY):
            self.keys += (text[len(records.KEY) :].strip(),)
        elif text.startswith(records.RAKE):
            self._rake = records.read_rake(text)
        elif not text.startswith(("#--", records.COMMITMENT_FROM)) and len(self.comments) < _MOST_COMMENTS:
            self.comments += ((line, text),)

    def _say_game(self, line: int, text: str) -> None:
        self._last_own = text
        if not isinstance(self._own, rules.GameDefinition):
            try:
                self._own = parse_game_line(text)
            except rules.GameDefinitionError as error:  # which refuses this hand, not the others
                self._own = self._own or fault(self.path, line, str(error))


def _begins_like_a_log(text: str) -> bool:
    """Whether a line, which may be torn off, can belong to a log."""
    return any(text.startswith(begin) or begin.startswith(text) for begin in ("STATE:", "SCORE:", "# "))


def read_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file beside a log; None if it is not there, is torn, or is something else."""
    try:
        value = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _planned_game(plan: Path) -> str | None:
    """The game file that a match's plan contains; None if there is no such plan."""
    definition = (read_object(plan) or {}).get("definition")  # else the header may name it
    return definition if isinstance(definition, str) else None


def _pass_over(line: str) -> None:
    """Leave out a line of a game file that means nothing: its log was played with it."""


def _game_of(path: Path, headers: Sequence[Header], game: _Game) -> tuple[rules.GameDefinition, str]:
    """The game of a log, and its name."""
    named = headers[0].game if headers else ""
    if isinstance(game, rules.GameDefinition):
        return game, named
    try:
        if game is not None:
            try:
                return rules.load_game(game, warn=_pass_over), game
            except FileNotFoundError as error:
                raise LogError(rules.no_such_game(game, error.strerror or "no such file")) from None
        folder = path.parent
        homes = [folder, folder.parent] if folder.name.startswith("pass-") else [folder]
        for home in homes:
            planned = _planned_game(home / PLAN_FILE)
            if planned is not None:
                return rules.parse_game(planned, str(home / PLAN_FILE)), named
        own = [home / GAME_FILE for home in homes]
        called = Path(named).name
        near = [folder / called, rules.game_path(called.removesuffix(".game"))] if called else []
        for place in [*own, *([rules.game_path(named)] if named else []), *near]:
            if place.is_file():
                return rules.load_game(str(place), warn=_pass_over), named or place.name
    except rules.GameDefinitionError as error:
        raise LogError(f"{path}: its game: {error}") from None
    except OSError as error:
        raise LogError(f"{path}: its game: {error.filename}: {error.strerror}") from None
    if not headers:
        raise LogError(f"{path}: it does not say what is played; name the game with --game GAME")
    raise fault(path, headers[0].line, f"the game {shown(named)} is not here; name its file with --game")
