"""Where two versions play differently, and what it brings: by street, position, ending and situation.

A hand counts where its two courses part: in the street, the position and the situation of the first action
that is another one.  Hands that both play alike bring nothing.  Rows of a table add up to the whole gain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from engine.players.hand_play import play_by_position
from engine.poker.rules import Action, BettingState
from engine.poker.rules.action import ActionKind
from engine.poker.rules.hand_words import round_name
from engine.support.intervals import Winnings
from protocol.records import HandReader
from server.league.comparing.house import Course, Pair, Taken
from server.league.comparing.plan import ARMS, VERSION
from server.records.logs import LoggedHand, MatchLog
from server.records.telling import hand_in_words

KINDS: Final = ("street", "position", "ending", "situation")
_MOST_ROWS: Final = 12
_MOST_SHOWN: Final = 10
_MOST_BETS: Final = 3
_FACING: Final = (("to a bet", "to a raise", "to a re-raise"), ("to the blinds", "to a raise", "to a 3-bet"))
"""What there is to call after so many bets, after and before the flop."""

BothHands = tuple[LoggedHand, LoggedHand]


def parted(course: Course) -> dict[str, dict[str, Any]]:
    """By kind and its cases: the part of the gain in mbb/h with its 95 % interval, and the hands."""
    sums: dict[str, dict[str, Winnings]] = {kind: defaultdict(Winnings) for kind in KINDS}
    hands: dict[str, dict[str, int]] = {kind: defaultdict(int) for kind in KINDS}
    passes = course.plan.game.num_players
    for taken, found in _differing(course):
        part = taken.counted / taken.difference / passes if taken.difference else 0.0
        of_deal: dict[tuple[str, str], float] = defaultdict(float)
        for number, both in found.items():
            brought = float(taken.pair.corrected.hands[taken.deal * passes + number]) * part
            for kind, case in zip(KINDS, _cases(*both), strict=True):
                of_deal[kind, case] += brought
                hands[kind][case] += 1
        for (kind, case), brought in of_deal.items():
            sums[kind][case] += Winnings(1, brought, brought**2)
    return {kind: _rows(sums[kind], hands[kind], course.test.deals) for kind in KINDS}


def _rows(sums: Mapping[str, Winnings], hands: Mapping[str, int], deals: int) -> dict[str, Any]:
    """The cases that bring most."""
    ordered = sorted(sums.items(), key=lambda each: -abs(each[1].chips))
    return {
        case: {
            "mbb_per_hand": part.chips / deals,
            "ci95": Winnings(deals, part.chips, part.squares).half_width(),
            "hands": hands[case],
        }
        for case, part in ordered[:_MOST_ROWS]
    }


def greatest(course: Course) -> list[dict[str, Any]]:
    """The deals in which versions differ most, each hand with both courses side by side."""
    chosen = sorted(course.taken, key=lambda taken: (-abs(taken.difference), taken.pair.number, taken.deal))
    shown = []
    for taken in [each for each in chosen[:_MOST_SHOWN] if each.difference]:
        found = dict(_hands(taken.pair, {taken.deal}))[taken.deal]
        shown.append(
            {
                "opponent": course.plan.opponents[taken.pair.opponent].player.name,
                "match": taken.pair.number,
                "deal": taken.deal,
                "mbb": taken.difference,
                "hands": [
                    {
                        arm: _told(course.folder.path, log[number], hand)
                        for arm, log, hand in zip(ARMS, taken.pair.logs, both, strict=True)
                    }
                    for number, both in sorted(found.items())
                ],
            }
        )
    return shown


def _told(folder: Path, log: MatchLog, hand: LoggedHand) -> dict[str, Any]:
    return {"log": str(log.path.relative_to(folder)), **hand_in_words(hand)}


def _differing(course: Course) -> Iterator[tuple[Taken, dict[int, BothHands]]]:
    """The deals that versions played differently; of each the hands, by pass."""
    in_order = sorted(course.taken, key=lambda taken: (taken.pair.number, taken.deal))
    for _, group in groupby(in_order, key=lambda taken: taken.pair.number):
        of_match = {taken.deal: taken for taken in group}
        pair = next(iter(of_match.values())).pair
        for deal, found in _hands(pair, of_match.keys()):
            yield of_match[deal], found


def _hands(pair: Pair, deals: Collection[int]) -> Iterator[tuple[int, dict[int, BothHands]]]:
    """Deals of a match, and by pass the hands that versions played differently."""
    found: dict[int, dict[int, BothHands]] = defaultdict(dict)
    for number, (old, new) in enumerate(zip(*pair.logs, strict=True)):
        readers = HandReader(old.game), HandReader(new.game)
        for was, now in zip(old.parsed_lines(readers[0]), new.parsed_lines(readers[1]), strict=False):
            deal = was.record.hand_number
            if deal in deals and was.record.betting != now.record.betting:
                found[deal][number] = was.played(readers[0]), now.played(readers[1])
    yield from found.items()


def _cases(old: LoggedHand, new: LoggedHand) -> tuple[str, str, str, str]:
    """The street, position, ending and situation of a hand in which versions part."""
    game = old.state.betting.game
    before, was, now = _parting(old.state.betting, new.state.betting)
    position = new.names.index(VERSION)
    street = round_name(game, before.betting_round).lower()
    ending = play_by_position(new.state.betting)[position].ending.value
    if before.position_to_act != position:
        situation = f"{street}: the opponent answers otherwise"
    else:
        facing = "with nothing to call"
        if before.amount_to_call(position):
            facing = _FACING[before.betting_round == 0][min(before.bets_in_round, _MOST_BETS) - 1]
        situation = f"{street}, {facing}: {_word(before, was)} → {_word(before, now)}"
    return street, game.position_names[position], ending, situation


def _parting(old: BettingState, new: BettingState) -> tuple[BettingState, Action, Action]:
    """The last state that two courses share, and what was done in it."""
    for (before, _, was), (_, _, now) in zip(old.steps(), new.steps(), strict=False):
        if was != now:
            return before, was, now
    raise AssertionError  # their texts differ, and neither is the beginning of the other


def _word(before: BettingState, action: Action) -> str:
    position = before.position_to_act
    assert position is not None  # somebody acted
    if action.kind is ActionKind.RAISE:
        return "raise" if before.bets_in_round else "bet"
    if action.kind is ActionKind.FOLD:
        return "fold"
    return "call" if before.amount_to_call(position) else "check"
