"""Where two versions play differently, and what it brings: by street, position, ending and situation.

A hand counts where its two courses part: in the street, the position and the situation of the first action
that is another one.  Hands that both play alike bring nothing.  Rows of a table add up to the whole gain.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from engine.players.hand_play import play_by_position
from engine.poker.rules.hand_words import Deed, round_name
from engine.support.intervals import Winnings
from server.league.comparing.house import Course, Taken
from server.league.comparing.plan import ARMS, VERSION
from server.records.logs import LoggedHand
from server.records.telling import hand_in_words

KINDS: Final = ("street", "position", "ending", "situation")
_MOST_ROWS: Final = 12
_MOST_SHOWN: Final = 10
_FACING: Final = ("nothing to call", "facing a bet")

BothHands = tuple[LoggedHand, LoggedHand]


def where(course: Course) -> dict[str, Any]:
    """The parts ``where`` and ``greatest`` of ``result.json``.

    ``where`` has the part of the gain in mbb/h with its 95 % interval, and the hands, by kind and case;
    ``greatest`` the deals in which versions differ most, each hand with both courses side by side.
    """
    sums: dict[tuple[str, str], Winnings] = defaultdict(Winnings)
    hands: Counter[tuple[str, str]] = Counter()
    passes, deals = course.plan.game.num_players, course.test.deals
    most = sorted(course.taken, key=lambda taken: -abs(taken.difference))[:_MOST_SHOWN]
    greatest: dict[Taken, dict[str, Any] | None] = dict.fromkeys(most)  # None if both are played alike
    for taken, found in _differing(course):
        of_deal: dict[tuple[str, str], float] = defaultdict(float)
        for number, both in found.items():
            brought = float(taken.pair.corrected.hands[taken.deal * passes + number]) * taken.scale / passes
            for key in zip(KINDS, _cases(*both), strict=True):
                of_deal[key] += brought
                hands[key] += 1
        for key, brought in of_deal.items():
            sums[key] += Winnings(1, brought, brought**2)
        if taken in greatest:
            greatest[taken] = _side_by_side(course, taken, found)
    tables: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
    for (kind, case), part in sorted(sums.items(), key=lambda each: -abs(each[1].chips)):
        if len(tables[kind]) < _MOST_ROWS:
            half = Winnings(deals, part.chips, part.squares).half_width()
            row = {"mbb_per_hand": part.chips / deals, "ci95": half, "hands": hands[kind, case]}
            tables[kind][case] = row
    return {"where": tables, "greatest": [deal for deal in greatest.values() if deal is not None]}


def _side_by_side(course: Course, taken: Taken, found: Mapping[int, BothHands]) -> dict[str, Any]:
    pair, name = taken.pair, course.plan.opponents[taken.pair.opponent].player.name
    sides = [
        {
            arm: hand_in_words(hand) | {"log": str(logs[number].path.relative_to(course.folder.path))}
            for arm, hand, logs in zip(ARMS, both, pair.logs, strict=True)
        }
        for number, both in found.items()
    ]
    deal = {"opponent": name, "match": pair.number, "deal": taken.deal, "mbb": taken.difference}
    return deal | {"hands": sides}


def _differing(course: Course) -> Iterator[tuple[Taken, dict[int, BothHands]]]:
    """The deals that versions played differently; of each the hands, by pass."""
    in_order = sorted(course.taken, key=lambda taken: (taken.pair.number, taken.deal))
    for _, group in groupby(in_order, key=lambda taken: taken.pair.number):
        of_match = {taken.deal: taken for taken in group}
        found: dict[int, dict[int, BothHands]] = defaultdict(dict)
        for number, (old, new) in enumerate(zip(*next(iter(of_match.values())).pair.logs, strict=True)):
            for was, now in zip(old.parsed_lines(), new.parsed_lines(), strict=False):
                deal = was.record.hand_number
                if deal in of_match and was.record.betting != now.record.betting:
                    found[deal][number] = was.played(), now.played()
        for deal, hands in found.items():
            yield of_match[deal], hands


def _cases(old: LoggedHand, new: LoggedHand) -> tuple[str, str, str, str]:
    """The street, position, ending and situation of a hand in which versions part."""
    game = old.state.betting.game
    courses = zip(old.state.betting.steps(), new.state.betting.steps(), strict=False)
    # One differs, since the texts do and neither is the beginning of the other.
    (before, actor, was), (_, _, now) = next((was, now) for was, now in courses if was[2] != now[2])
    position = new.names.index(VERSION)
    street = round_name(game, before.betting_round).lower()
    ending = play_by_position(new.state.betting)[position].ending.value
    if actor != position:
        situation = f"{street}: the opponent answers otherwise"
    else:
        bets = before.bets_in_round if before.amount_to_call(position) else 0
        facing = f"facing a {bets}-bet" if bets > 1 else _FACING[bets]
        words = (Deed(before, actor, action).word for action in (was, now))
        situation = f"{street}, {facing}: {' → '.join(words)}"
    return street, game.position_names[position], ending, situation
