"""Open Hand History (https://hh-specs.handhistory.org): JSON objects, which trackers and sites exchange.

An amount is what a player puts in by an action, also by a raise.  A hand is one object ``{"ohh": ...}``; a
file has any number of them, one after another or in a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from typing import Any, Final

from engine.poker.cards import CARD_TEXTS, parse_written_cards
from engine.poker.rules import ActionKind
from engine.poker.rules.game_definition import UNLIMITED_STACK
from server.records.formats import hands
from server.records.formats.playing import played_or_fault
from server.records.formats.said import AMOUNT, PER_MATCH, FormatError, Said, Seat, SourceReader, hole_cards
from server.support.errors import told

_SPEC: Final = "1.4.7"
_SITE: Final = "Riverboat"
_BEGIN: Final = re.compile(r'\{\s*"ohh"\s*:')
_STREETS: Final = ("Preflop", "Flop", "Turn", "River")
_POSTS: Final = {
    "Post Ante": "the ante", "Post SB": "small blind", "Post BB": "big blind", "Straddle": "straddle",
    "Post Dead": "dead", "Post Extra Blind": "extra blind",
}  # fmt: skip
_POST_OF: Final = {word: action for action, word in _POSTS.items()}
_ACTS: Final = {
    "Fold": ActionKind.FOLD, "Check": ActionKind.CALL, "Call": ActionKind.CALL, "Bet": ActionKind.RAISE,
    "Raise": ActionKind.RAISE,
}  # fmt: skip
_ASIDE: Final = ("Added Chips", "Sits Down", "Stands Up")
"""Actions that say nothing about the hand."""


def is_ohh(text: str) -> bool:
    """Whether a text looks like Open Hand History."""
    return re.match(r"[\s\[\ufeff]*" + _BEGIN.pattern, text) is not None


# --- reading ---------------------------------------------------------------------------------------------


def parse_ohh(text: str, source: str) -> Iterator[hands.PlayedHand | FormatError]:
    """The hands of a text; for a hand that cannot be read, the error.

    Args:
        text: the contents of the file.
        source: the name of the file in messages.

    Raises:
        FormatError: the file is no Open Hand History at all.
    """
    starts = [begin.start() for begin in _BEGIN.finditer(text)]
    if not starts:
        raise FormatError(f'{source}: no Open Hand History: it has no object {{"ohh": ...}}')
    decoder = json.JSONDecoder(parse_float=_number, parse_constant=_number)
    for count, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True)):
        where = f"{source}:{text.count(chr(10), 0, start) + 1}"
        try:
            value, close = decoder.raw_decode(text[start:end])
            if rest := text[start + close : end].strip(" \t\r\n,]"):
                raise ValueError(f"what is meant by {told(rest)}?")
        except (ValueError, RecursionError) as error:
            yield FormatError.at(where, f"no Open Hand History: {str(error).splitlines()[0]}")
        else:
            yield played_or_fault(where, _OhhReader(value["ohh"], where, count).said)


def _number(text: str) -> Fraction | None:
    return Fraction(text) if AMOUNT.fullmatch(text) else None


def _amount(value: object, what: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction) or not 0 <= value <= UNLIMITED_STACK:
        raise FormatError(f"{what}: expected an amount, got {told(value)}")
    return Fraction(value)


class _OhhReader(SourceReader):
    """Reads what the object of one hand says."""

    def __init__(self, hand: object, where: str, count: int) -> None:
        super().__init__(where)
        self._hand, self._count = hand, count

    def said(self) -> Said:
        hand = self._hand
        if not isinstance(hand, dict):
            raise FormatError(f"ohh: expected an object, got {told(hand)}")
        limit = hand.get("bet_limit")
        kind = limit.get("bet_type") if isinstance(limit, dict) else None
        if not isinstance(limit, dict) or hand.get("game_type") != "Holdem" or kind not in ("NL", "FL"):
            raise FormatError(f"expected Holdem, NL or FL, got {told(hand.get('game_type'))}, {told(kind)}")
        for player in _objects(hand, "players"):
            seat, stack = player.get("seat"), _amount(player.get("starting_stack"), "starting_stack")
            if type(seat) is not int:
                raise FormatError(f"expected players who have seats, got {told(seat)}")
            name = player.get("name")
            if not isinstance(name, str):
                raise FormatError(f"seat {seat}: expected the name of a player, got {told(name)}")
            self._sit(_key(player.get("id")), seat, name, stack)
        for street, each in enumerate(_objects(hand, "rounds")):
            self._read_round(street, each)
        pots = _objects(hand, "pots")
        for each in [win for pot in pots for win in _objects(pot, "player_wins")]:
            self._read_win(self._seat(_key(each.get("player_id"))), each)
        small, big = hand.get("small_blind_amount"), _amount(hand.get("big_blind_amount"), "big blind")
        is_limit, button, text = kind == "FL", hand.get("dealer_seat"), str(hand.get("game_number"))
        return self._said_by_posts(
            button if type(button) is int else None,
            None if small is None else _amount(small, "small blind"),
            big,
            sizes=(big, 2 * big) if is_limit else None,
            number=int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else self._count,
            is_ours=hand.get("site_name") == _SITE,
            cap=_amount(limit.get("bet_cap") or 0, "bet_cap") or None,
            pot=_total(pots, "amount"),
            rake=_total(pots, "rake"),
            time=_time(hand.get("start_date_utc")),
        )

    def _read_round(self, street: int, each: Mapping[str, Any]) -> None:
        name = each.get("street")
        if name != "Showdown" and (street >= len(_STREETS) or name != _STREETS[street]):
            what = "several boards: " if name in _STREETS[:street] else ""
            raise FormatError(f"{what}{told(name)} is round {street + 1}")
        self._deal(parse_written_cards(_cards(each.get("cards"))))
        for action in _objects(each, "actions"):
            self._read_action(action)

    def _read_action(self, action: Mapping[str, Any]) -> None:
        key, word = _key(action.get("player_id")), str(action.get("action"))
        text = f"player {told(key)}: {told(word)}"
        amount = _amount(action.get("amount") or 0, text)
        if word in _ASIDE and not action.get("cards"):
            return
        seat = self._seat(key)
        if word in ("Dealt Cards", "Shows Cards", "Mucks Cards"):
            self._give(seat, hole_cards(_cards(action.get("cards"))))
            seat.mucks = seat.mucks or word == "Mucks Cards"
        elif action.get("cards"):
            raise FormatError(f"{text} comes with cards")
        elif word in _POSTS:
            self._post(seat, "big blind" if word == "Post Extra Blind" else _POSTS[word], amount)
        elif word in _ACTS:
            self._act(seat, _ACTS[word], text, paid=amount, all_in=action.get("is_allin") is True)
        else:
            raise FormatError(f"{text} is not known here")

    def _read_win(self, seat: Seat, win: Mapping[str, Any]) -> None:
        if amount := _amount(win.get("win_amount"), "win_amount"):
            self._collect(seat, amount)
        if win.get("cashout_amount"):
            self._cash_out(seat)


def _objects(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = value.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise FormatError(f"{key}: expected a list of objects, got {told(found)}")
    return found


def _total(pots: Sequence[Mapping[str, Any]], key: str) -> Fraction | None:
    """The sum of what pots say; None if one of them does not."""
    said = [pot.get(key) for pot in pots]
    return None if None in said or not said else sum([_amount(each, key) for each in said], Fraction(0))


def _key(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(f"expected the id of a player, got {told(value)}")
    return value


def _cards(value: object) -> str:
    value = value.split() if isinstance(value, str) else value or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise FormatError(f"expected a list of cards, got {told(value)}")
    return " ".join(value)


def _time(value: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(value))
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


# --- writing ---------------------------------------------------------------------------------------------


def format_ohh(hand: hands.PlayedHand) -> str:
    """A hand as a JSON object, in whole chips.

    Raises:
        FormatError: the format cannot express it.
    """
    hands.check_usual(hand)
    game, betting, names = hand.game, hand.state.betting, hand.names
    if game.is_limit and (
        game.raise_sizes[2] != 2 * game.raise_sizes[0] or game.big_blind != game.raise_sizes[0]
    ):
        raise FormatError("the bets of this limit game cannot be written in this format")
    taken, pot = hands.whole_collected(hand), hands.contested_pot(betting)
    ohh: dict[str, Any] = {
        "spec_version": _SPEC,
        "internal_version": version("riverboat"),
        "network_name": _SITE,
        "site_name": _SITE if hand.match and hand.number < PER_MATCH else f"{_SITE} hands",
        "game_type": "Holdem",
        "table_name": _SITE,
        "table_size": hands.button_seat(game),
        "game_number": str(hands.shown_number(hand)),
        "start_date_utc": f"{hand.time or datetime(1970, 1, 1, tzinfo=UTC):%Y-%m-%dT%H:%M:%SZ}",
        "currency": "Chips",
        "ante_amount": max(game.antes),
        "small_blind_amount": hands.nominal_small(hand),
        "big_blind_amount": game.big_blind,
        "bet_limit": {"bet_type": "FL" if game.is_limit else "NL", "bet_cap": 0},
        "dealer_seat": hands.button_seat(game),
        "players": [
            {"id": position, "seat": position + 1, "name": name, "starting_stack": stack}
            for position, (name, stack) in enumerate(zip(names, hands.shown_stacks(hand), strict=True))
        ],
        "rounds": _rounds(hand),
        "pots": [
            {
                "number": 0,
                "amount": pot,
                "rake": pot - sum(taken),
                "player_wins": [
                    {"player_id": position, "win_amount": chips}
                    for position, chips in enumerate(taken)
                    if chips
                ],
            }
        ],
    }
    return json.dumps({"ohh": ohh}, ensure_ascii=False) + "\n"


def _rounds(hand: hands.PlayedHand) -> list[dict[str, Any]]:
    game, deal, betting = hand.game, hand.state.deal, hand.state.betting
    rounds: list[list[dict[str, Any]]] = [[] for _ in range(betting.betting_round + 1)]

    def add(street: int, position: int, action: str, amount: int = 0, **more: Any) -> None:
        said = {"player_id": position, "action": action, "amount": amount, "is_allin": False}
        rounds[street].append(said | more)

    signed = hands.signed_posts(game)
    for position, ante in enumerate(game.antes_posted):
        if ante:
            add(0, position, "Post Ante", ante, is_allin=ante >= game.stacks[position])
    for position, what, amount in hands.named_posts(hand):
        action = "Post Extra Blind" if signed[position] < 0 else _POST_OF[what]
        add(0, position, action, amount, is_allin=amount >= game.betting_stacks[position])
    for position, cards in enumerate(deal.hole_cards):
        if cards:
            add(0, position, "Dealt Cards", cards=_texts(cards))
    for step in hands.asked_steps(betting):
        add(
            step.before.betting_round, step.position, step.word.title(), step.paid,
            is_allin=step.is_all_in,
        )  # fmt: skip
    streets: list[dict[str, Any]] = [
        {"street": name, "cards": _texts(game.round_board(deal.board, street)), "actions": actions}
        for street, (name, actions) in enumerate(zip(_STREETS, rounds, strict=False))
    ]
    if betting.is_showdown:
        shown = [
            {"player_id": position, "action": "Shows Cards" if cards else "Mucks Cards", "amount": 0,
             "cards": _texts(cards)}
            for position, cards in enumerate(deal.hole_cards) if not betting.folded[position]
        ]  # fmt: skip
        streets.append({"street": "Showdown", "cards": [], "actions": shown})
    for place, street_round in enumerate(streets):
        street_round["id"] = place
    for number, action in enumerate([each for street in streets for each in street["actions"]], 1):
        action["action_number"] = number
    return streets


def _texts(cards: Sequence[int]) -> list[str]:
    return [CARD_TEXTS[card] for card in cards]
