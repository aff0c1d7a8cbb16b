"""PokerStars' text, read and written: hold'em, limit and no-limit.

Play money, tournaments and money are read.  The players are those who post, are dealt in or act.  The rake is
left out: the chips are those of the whole pot, and a note on the hand says so.

A title is a whole line, against a closed list of games; each title of a file, torn or not, is a hand or a
named fault.  Inside a hand, a line is understood, is chat or a message of the table, or makes the hand
refused.  A post is live up to the big blind of the title, and dead beyond it; a post out of turn does not
decide who begins.

A bet is an amount, a raise an amount and a total of the betting round; the seats are numbered.  In what is
written the last seat is the button, or an empty one (`hands.button_seat`).
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.poker.cards import CARD_TEXTS, parse_written_cards
from engine.poker.rules import ActionKind
from engine.poker.rules.hand_rank import HandCategory
from engine.poker.rules.hand_words import name_hand
from server.records.formats import hands
from server.records.formats.playing import played_or_fault
from server.records.formats.said import AMOUNT, FormatError, Said, Seat, SourceReader, hole_cards
from server.support.errors import told

_MONEY: Final = r"[^\d\s,.()\[\]-]{0,3}([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
_ALL_IN: Final = rf"( and is all-in| and has reached the {_MONEY} cap)?"
_STREETS: Final = {3: "FLOP", 4: "TURN", 5: "RIVER"}
_FOLDED: Final = {"before Flop": 0, "on the Flop": 1, "on the Turn": 2, "on the River": 3}

_HEAD: Final = re.compile(r"PokerStars[^#]{0,30}#\d|\b(?:Hand|Game) #\d+:")
"""Begins a hand, be it whole or torn."""
_TITLE: Final = re.compile(
    r"PokerStars (?:Zoom |Home Game )?(?:Hand|Game) #(?P<number>\d{1,20}):\s+(?:\{.*?\}\s+)?"
    r"(?:Tournament #\d+, (?:Freeroll|\S*\d\S*)(?: [A-Z]{2,4})?\s+)?(?P<game>[^(,-]*?(?:-Game)?)"
    r"(?: - (?:Match Round \w+, )?Level \w+)?\s*\((?P<stakes>.*?)\)(?: - (?P<time>.*))?"
)
_GAMES: Final = {"Hold'em No Limit": False, "Hold'em Limit": True, "Hold'em Fixed Limit": True}
"""Whether a game that is read is limit."""
_STAKES: Final = re.compile(
    rf"(?:(?P<game>[A-Z][^,]*), )?{_MONEY}/{_MONEY}(?: - {_MONEY} Cap)?(?: - Ante {_MONEY})?[ -]*[A-Z]{{0,4}}"
)
_TIME: Final = re.compile(r"(\d{4})/(\d\d?)/(\d\d?) (\d\d?):(\d\d):(\d\d) (\w+)")
_TABLE: Final = re.compile(r"Table '(.*)' .*?Seat #(\d{1,3}) is the button")
_SEAT: Final = re.compile(rf"Seat (\d{{1,3}}): (.+) \({_MONEY} in chips(?:, [^)]*)?\)(.*)")
_DEALT: Final = re.compile(r"Dealt to (.+?)(?: \[([^\]]*)\])?")
_BOARD: Final = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\]")
_UNCALLED: Final = re.compile(rf"Uncalled bet \({_MONEY}\) returned to (.+)")
_TWICE: Final = re.compile(r"\*\*\* (?:FIRST|SECOND|THIRD) |Hand was run |(?:FIRST|SECOND|THIRD) Board")
_POST: Final = re.compile(rf"posts (.+?) {_MONEY}{_ALL_IN}")
_ACTION: Final = re.compile(
    rf"(folds)(?: \[([^\]]*)\])?|(checks)|(calls|bets) {_MONEY}{_ALL_IN}"
    rf"|(raises) {_MONEY} to {_MONEY}{_ALL_IN}"
)
_SHOWS: Final = re.compile(r"(?:shows|mucks) \[([^\]]*)\](?: \((.*)\))?")
_SILENT: Final = ("mucks hand", "doesn't show hand", "is sitting out", "sits out", "has returned")
_COLLECTED: Final = re.compile(rf" collected {_MONEY} from (?:(?:main |side )?pot(?:-\d+)?)")
_CASHED: Final = re.compile(rf" cashed out the hand for {_MONEY}.*")
_POT: Final = re.compile(
    rf"Total pot {_MONEY}((?: (?:Main|Side) pot(?:-\d+)? {_MONEY}\.)*) ?\| Rake {_MONEY}\b.*"
)
_SUMMARY_SEAT: Final = re.compile(r"Seat (\d{1,3}): (.+)")
_SUMMARY_CARDS: Final = re.compile(r"(?:showed|mucked) \[([^\]]*)\]")
_WON: Final = re.compile(rf"(?:won|collected) \({_MONEY}\)")
_NOISE: Final = re.compile(
    r"(?!Seat \d).* (?:said, \".*|has timed out.*|is (?:dis)?connected|is sitting out|sits out|has returned"
    r"|leaves the table|stood up|joins the table at seat #\d+|will be allowed to play after the button"
    r"|was (?:moved|removed) from .*|re-buys .*|adds? .*|finished the tournament.*|is feeling .*"
    r"|wins (?:the tournament|.* for |an? ).*)|Betting is capped"
    r"|The blinds are .*|Dealer: .*|\*+ ?# ?\d+ ?\*+"
)
"""Chat and messages of the table, which say nothing about the hand."""
_LOOKS_PLAYED: Final = re.compile(
    r".*: (?:folds|checks|calls|bets|raises|posts|shows|mucks)\b|.* collected |Uncalled|\*\*\*"
    r"|Dealt to|Board |Total pot|Hand cancelled"
)
_BEGINS: Final = re.compile(r"Table '|Seat \d+: .* in chips|\*\*\* HOLE CARDS|Dealt to .* \[|.*: posts ")
"""In a summary, they belong to a hand whose title is missing."""
_RANKS: Final = {
    "high card": HandCategory.HIGH_CARD, "a pair": HandCategory.PAIR, "two pair": HandCategory.TWO_PAIR,
    "three of": HandCategory.THREE_OF_A_KIND, "a straight flush": HandCategory.STRAIGHT_FLUSH,
    "a straight": HandCategory.STRAIGHT, "a flush": HandCategory.FLUSH, "a full": HandCategory.FULL_HOUSE,
    "four of": HandCategory.FOUR_OF_A_KIND, "a royal flush": HandCategory.STRAIGHT_FLUSH,
}  # fmt: skip
_OWN_TABLE: Final = "Riverboat"


def is_stars(text: str) -> bool:
    """Whether a text looks like PokerStars'."""
    return re.search(r"PokerStars[^#\n]{0,30}#\d", text) is not None


def parse_stars(text: str | Iterable[str], source: str) -> Iterator[hands.PlayedHand | FormatError]:
    """The hands of a text; for a hand that cannot be read, the error.

    Args:
        text: the contents of the file, or its lines.
        source: the name of the file in messages.
    """
    lines = re.split(r"\r\n|\r|\n", text) if isinstance(text, str) else text
    block: list[str] = []
    first, is_over = 1, False
    for number, line in enumerate(lines, 1):
        words = line.strip().removeprefix("\ufeff").lstrip("> ")
        heads = [] if _NOISE.fullmatch(words) else [head.start() for head in _HEAD.finditer(words)]
        begins = bool(heads) or ((is_over or not block) and _BEGINS.match(words) is not None)
        if begins:
            if block:
                yield _hand(block, f"{source}:{first}")
            for start, end in itertools.pairwise(heads):  # torn titles in one line
                yield _hand([words[start:end]], f"{source}:{number}")
            # Whatever else a line with a title has, such as a number of an archive, comes before it.
            block, first, is_over = [words[heads[-1] :] if heads else words], number, False
        elif block:
            block.append(words)
            is_over = is_over or words.startswith("*** SUMMARY")
    if block:
        yield _hand(block, f"{source}:{first}")


def _hand(lines: Sequence[str], where: str) -> hands.PlayedHand | FormatError:
    return played_or_fault(where, lambda: _StarsReader(where).said(lines))


class _StarsReader(SourceReader):
    """Reads what the text of one hand says."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self._button: int | None = None
        self._table = ""
        self._pot: Fraction | None = None
        self._rake: Fraction | None = None
        self._in_summary = False

    def said(self, lines: Sequence[str]) -> Said:
        title = _TITLE.fullmatch(lines[0])
        if title is None:
            raise FormatError(
                f"expected a title such as 'PokerStars Hand #1:  Hold'em ...', got {told(lines[0])}"
            )
        stakes = _STAKES.fullmatch(title["stakes"])
        game = (stakes and stakes["game"]) or title["game"].strip()
        if game not in _GAMES:
            raise FormatError(f"expected {' or '.join(list(_GAMES)[:2])}, got {told(game)}")
        if stakes is None:
            raise FormatError(f"expected stakes such as ($1/$2 USD), got {told(title['stakes'])}")
        for line in filter(None, lines[1:]):
            self._read(line)
        return self._whole(int(title["number"]), title["time"] or "", _GAMES[game], stakes)

    # --- lines -------------------------------------------------------------------------------------------

    def _read(self, line: str) -> None:
        if _TWICE.match(line):
            raise FormatError("the hand was run twice")
        if line == "*** SUMMARY ***":
            self._in_summary = True
        elif self._in_summary:
            self._read_summary(line)
        elif (table := _TABLE.match(line)) is not None and self._button is None:
            self._table, self._button = table[1], int(table[2])
        elif (seat := _SEAT.fullmatch(line)) is not None and not self._acts:
            self._sit(seat[2], int(seat[1]), seat[2], _amount(seat[3]))
        elif (board := _BOARD.fullmatch(line)) is not None:
            self._deal_board(board[1], board[2], board[3])
        elif (dealt := _DEALT.fullmatch(line)) is not None:
            self._give(self._seat(dealt[1]), hole_cards(dealt[2] or ""))
        elif (uncalled := _UNCALLED.fullmatch(line)) is not None:
            self._uncalled.append((self._seat(uncalled[2]), _amount(uncalled[1])))
            self._uncalled[-1][0].plays = True
        elif line not in ("*** HOLE CARDS ***", "*** SHOW DOWN ***"):
            self._read_words(line)

    def _read_words(self, line: str) -> None:
        for seat in sorted(self._seats.values(), key=lambda seat: -len(seat.name)):
            rest = line[len(seat.name) :]
            if line.startswith(f"{seat.name}: "):
                return self._read_deed(seat, rest[2:])
            if line.startswith(seat.name) and (found := _COLLECTED.fullmatch(rest)) is not None:
                return self._collect(seat, _amount(found[1]))
            if line.startswith(seat.name) and _CASHED.fullmatch(rest):
                return self._cash_out(seat)
        if (_LOOKS_PLAYED.match(line) or re.search(r"[\d\[\]]", line)) and not _NOISE.fullmatch(line):
            raise FormatError(f"what is meant by {told(line)}?")
        return None

    def _read_deed(self, seat: Seat, words: str) -> None:
        seat.plays = seat.plays or words not in _SILENT
        if (post := _POST.fullmatch(words)) is not None:
            self._post(seat, post[1], _amount(post[2]))
            if post[3] and seat.stack != sum(seat.posts.values()):
                raise FormatError(f"{seat.name} is not all-in with {post[1]}")
        elif (act := _ACTION.fullmatch(words)) is not None:
            self._read_act(seat, words, act)
        elif (shown := _SHOWS.fullmatch(words)) is not None:
            self._give(seat, hole_cards(shown[1]))
            seat.ranks |= _ranks_in(shown[2] or "")
        elif words not in _SILENT and not _NOISE.fullmatch(f" {words}"):
            raise FormatError(f"what does {told(seat.name)} do: {told(words)}?")

    def _read_act(self, seat: Seat, words: str, act: re.Match[str]) -> None:
        word = act[1] or act[3] or act[4] or act[8]
        amount = _amount(act[5] or act[10]) if act[5] or act[10] else Fraction(0)
        kinds = {"folds": ActionKind.FOLD, "bets": ActionKind.RAISE, "raises": ActionKind.RAISE}
        if act[2]:
            self._give(seat, hole_cards(act[2]))
        self._act(
            seat,
            kinds.get(word, ActionKind.CALL),
            f"{seat.name} {word}",
            total=amount if word in ("bets", "raises") else None,
            added=_amount(act[9]) if act[9] else None,
            paid=amount if word in ("calls", "checks") else None,
            all_in="all-in" in words or "cap" in words,
        )

    def _read_summary(self, line: str) -> None:
        if (pot := _POT.fullmatch(line)) is not None:
            self._pot, self._rake = _amount(pot[1]), _amount(pot[4])
            parts = [_amount(part) for part in re.findall(rf"pot(?:-\d+)? {_MONEY}\.", pot[2])]
            if parts and sum(parts) not in (self._pot, self._pot - self._rake):
                raise FormatError(f"the pots add up to {float(sum(parts)):g} of {float(self._pot):g}")
        elif line.startswith("Board [") and line.endswith("]"):
            if list(parse_written_cards(line[6:])) != self._board:
                raise FormatError(f"another board in the summary: {told(line)}")
        elif (found := _SUMMARY_SEAT.fullmatch(line)) is not None:
            self._read_end(int(found[1]), found[2])
        elif _LOOKS_PLAYED.match(line) and not _NOISE.fullmatch(line):
            raise FormatError(f"what is meant by {told(line)}?")

    def _read_end(self, number: int, text: str) -> None:
        seat = next((seat for seat in self._seats.values() if seat.number == number), None)
        if seat is None or not f"{text} ".startswith(f"{seat.name} "):
            raise FormatError(f"seat {number} is another one in the summary: {told(text)}")
        rest = text[len(seat.name) :]
        if rest.startswith(" (button)") and number != self._button:
            raise FormatError(f"seat {number} is not the button")
        if (fold := re.search(r" folded (before Flop|on the (?:Flop|Turn|River))", rest)) is not None:
            seat.plays, seat.fold = True, _FOLDED[fold[1]]
        if (cards := _SUMMARY_CARDS.search(rest)) is not None:
            self._give(seat, hole_cards(cards[1]))
            seat.ranks |= _ranks_in(rest.rpartition(" with ")[2])
        won = [_amount(each) for each in _WON.findall(rest)]
        seat.plays = seat.plays or bool(won)
        seat.won = sum(won, Fraction(0)) if won or " and lost" in rest else None

    def _deal_board(self, street: str, before: str | None, new: str) -> None:
        if before is not None and list(parse_written_cards(before)) != self._board:
            raise FormatError(f"another board before the {street.lower()}: {told(before)}")
        self._board += parse_written_cards(new)
        if _STREETS.get(len(self._board)) != street:
            raise FormatError(f"{len(self._board)} board cards on the {street.lower()}")

    def _whole(self, number: int, time: str, is_limit: bool, stakes: re.Match[str]) -> Said:
        cap = None if stakes[4] is None else _amount(stakes[4])
        if cap is not None:
            self._notes.append(f"nobody plays for more than the cap of {float(cap):g}")
        if self._rake:
            self._notes.append("the rake is left out")
        low, high = _amount(stakes[2]), _amount(stakes[3])
        return self._said_by_posts(
            self._button, *((None, low) if is_limit else (low, high)),
            sizes=(low, high) if is_limit else None, number=number, is_ours=self._table == _OWN_TABLE,
            cap=cap, pot=self._pot, rake=self._rake, time=_utc(time),
        )  # fmt: skip


def _ranks_in(text: str) -> set[HandCategory]:
    """The kind of hand with whose name a text begins."""
    return set([rank for name, rank in _RANKS.items() if text.lower().startswith(name)][:1])


def _amount(text: str) -> Fraction:
    plain = text.replace(",", "")
    if AMOUNT.fullmatch(plain) is None:
        raise FormatError(f"expected an amount, got {told(text)}")
    return Fraction(plain)


_EASTERN: ZoneInfo | None = None
with contextlib.suppress(ZoneInfoNotFoundError, OSError):
    _EASTERN = ZoneInfo("America/New_York")


def _utc(text: str) -> datetime | None:
    """The time of a title in UTC, if it says it in UTC or Eastern time."""
    for *parts, zone in _TIME.findall(text):
        if zone in ("ET", "UTC"):
            try:
                time = datetime.strptime(" ".join(parts), "%Y %m %d %H %M %S").replace(tzinfo=UTC)
                return time if zone == "UTC" else time.replace(tzinfo=_EASTERN).astimezone(UTC)
            except (ValueError, OverflowError):
                return None
    return None


# --- writing ---------------------------------------------------------------------------------------------

_ROUNDS: Final = tuple(_FOLDED)
_NO_TIME: Final = datetime(1970, 1, 1, 5, tzinfo=UTC)
"""Stands for a time that is not known."""


def format_stars(hand: hands.PlayedHand) -> str:
    """A hand as PokerStars' text, in whole chips.

    Raises:
        FormatError: the format cannot express it.
    """
    hands.check_usual(hand)
    return "".join(f"{line}\n" for line in _lines(hand))


def _lines(hand: hands.PlayedHand) -> Iterator[str]:
    game, deal, betting = hand.game, hand.state.deal, hand.state.betting
    names, button = hand.names, hands.button_seat(game)
    kind = "Limit" if game.is_limit else "No Limit"
    posts = list(hands.named_posts(hand))
    stakes = game.raise_sizes[::2] if game.is_limit else (hands.nominal_small(hand), game.big_blind)
    number = hands.shown_number(hand)
    table = _OWN_TABLE if number != hand.number else f"{_OWN_TABLE} hands"
    time = (hand.time or _NO_TIME).astimezone(_EASTERN or UTC)
    clock = f"{time.year}/{time:%m/%d} {time.hour}:{time:%M:%S} {'ET' if _EASTERN else 'UTC'}"
    yield f"PokerStars Hand #{number}:  Hold'em {kind} ({stakes[0]}/{stakes[1]}) - {clock}"
    yield f"Table '{table}' {button}-max Seat #{button} is the button"
    for seat, (name, stack) in enumerate(zip(names, hands.shown_stacks(hand), strict=True), 1):
        yield f"Seat {seat}: {name} ({stack} in chips)"
    for name, ante, stack in zip(names, game.antes_posted, game.stacks, strict=True):
        if ante:
            yield f"{name}: posts the ante {ante}{_all_in(ante, stack)}"
    for position, what, amount in posts:
        yield f"{names[position]}: posts {what} {amount}{_all_in(amount, game.betting_stacks[position])}"
    yield "*** HOLE CARDS ***"
    for name, cards in zip(names, deal.hole_cards, strict=True):
        if cards:
            yield f"Dealt to {name} {_cards(cards)}"
    betting_round = 0
    for step in hands.asked_steps(betting):
        while betting_round < step.before.betting_round:
            betting_round += 1
            yield _street(hand, betting_round)
        yield f"{names[step.position]}: {_action(step)}"
    uncalled = hands.uncalled_bet(betting)
    if uncalled is not None:
        yield f"Uncalled bet ({uncalled[1]}) returned to {names[uncalled[0]]}"
    while betting_round < betting.betting_round:
        betting_round += 1
        yield _street(hand, betting_round)
    if betting.is_showdown:
        yield "*** SHOW DOWN ***"
        for name, cards, out in zip(names, deal.hole_cards, betting.folded, strict=True):
            if not out:
                shown = f"shows {_cards(cards)} ({_rank((*cards, *hand.state.board))})" if cards else ""
                yield f"{name}: {shown or 'mucks hand'}"
    taken = hands.whole_collected(hand)
    for name, chips in zip(names, taken, strict=True):
        if chips > 0:
            yield f"{name} collected {chips} from pot"
    yield from _summary(hand, taken)


def _all_in(chips: int, stack: int) -> str:
    return " and is all-in" if chips >= stack else ""


def _action(step: hands.AskedStep) -> str:
    end = " and is all-in" if step.is_all_in else ""
    if step.word == "raise":
        return f"raises {step.total + step.floor - step.before.max_spent} to {step.total}{end}"
    return f"{step.word}s{f' {step.paid}{end}' if step.paid else ''}"


def _street(hand: hands.PlayedHand, betting_round: int) -> str:
    new = _cards(hand.game.round_board(hand.state.board, betting_round))
    if betting_round == 1:
        return f"*** FLOP *** {new}"
    old = _cards(hand.state.board[: hand.game.board_ends[betting_round - 1]])
    return f"*** {('TURN', 'RIVER')[betting_round - 2]} *** {old} {new}"


def _cards(cards: Sequence[int]) -> str:
    return "[" + " ".join(CARD_TEXTS[card] for card in cards) + "]"


def _rank(cards: Sequence[int]) -> str:
    """A hand in words that begin like PokerStars'."""
    text = name_hand(cards).replace("high card,", "high card")
    return text if text.startswith(("high card", "two pair", "three of", "four of")) else f"a {text}"


def _summary(hand: hands.PlayedHand, taken: Sequence[int]) -> Iterator[str]:
    betting, button = hand.state.betting, hands.button_seat(hand.game)
    pot = hands.contested_pot(betting)
    yield "*** SUMMARY ***"
    yield f"Total pot {pot} | Rake {pot - sum(taken)}"
    if hand.state.board:
        yield f"Board {_cards(hand.state.board)}"
    folded_in = hands.folds(betting)
    for position, name in enumerate(hand.names):
        part = " (button)" if position + 1 == button else ""
        if position in folded_in:
            end = f"folded {_ROUNDS[folded_in[position]]}"
        elif not betting.is_showdown:
            end = f"collected ({taken[position]})"
        elif not hand.state.deal.hole_cards[position]:
            end = "mucked"
        else:
            cards = _cards(hand.state.deal.hole_cards[position])
            won = taken[position]
            end = f"showed {cards} and {f'won ({won})' if won else 'lost'}"
        yield f"Seat {position + 1}: {name}{part} {end}"
