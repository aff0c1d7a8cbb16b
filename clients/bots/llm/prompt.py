"""What the model is shown: every byte comes from the engine, and a decision costs the same in every hand.

Two messages, anew for each decision.  The system message and the tool are the same bytes for a whole match,
so that providers can keep what they have read; the bounds of a raise are in the message, not in the tool.  In
place of the whole history there are the opponents' statistics, as times done and times possible, and the last
few hands.
"""

from __future__ import annotations

import json
import tomllib
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.evidence.columns.hands import HandColumns
from engine.evidence.columns.play import add_to_table
from engine.evidence.play_statistics import Odds, PlayCounts, PlayTable
from engine.poker.rules import Deal, GameDefinition, HandState, HandView
from protocol.agents.answers import DO, TO
from protocol.agents.observation import Observation, closed, observe, rules_in_words, texts

MOST_BYTES: Final = 8 * 1024
"""Of all messages of a request."""
_MOST_RECENT: Final = 2 * 1024
_MOST_PLAYERS: Final = 256
"""Whose statistics are kept; in a room others come and go."""
_HIDDEN: Final = ("turn", "seconds", "match_state")

_ARGUMENTS: Final = {**closed({"do": DO, "to": TO}), "required": ["do"]}
_ACT: Final = {"name": "act", "description": "Do this at the table.", "parameters": _ARGUMENTS}
TOOL: Final[dict[str, Any]] = {"type": "function", "function": _ACT}
_TEXTS: Final = tomllib.loads(Path(__file__).with_name("prompt.toml").read_text("utf-8"))
"""What the system message says besides the rules."""


def system_message(game: GameDefinition, *, hud: bool, history: bool, tools: bool) -> str:
    """The message that does not change: the rules, and how to read and to answer; no advice."""
    told = {"how": True, "hud": hud, "recent": history, "call": tools, "text": not tools}
    return " ".join([rules_in_words(game), *(_TEXTS[name] for name, is_told in told.items() if is_told)])


class Memory:
    """What is remembered of earlier hands: a bounded amount.

    Args:
        history: how many hands are told.
        hud: whether the statistics are.
    """

    def __init__(self, history: int, *, hud: bool) -> None:
        self._recent: deque[dict[str, Any]] = deque(maxlen=history)
        self._hud = hud
        self._players: dict[str, PlayCounts] = {}

    def add(self, view: HandView, seat: int, names: Sequence[str] | None) -> None:
        """Take in a finished hand."""
        players = range(view.game.num_players)
        seats = [view.seat_of(position, seat) for position in players]
        won, holes = view.chips_won(), view.hole_cards
        shown = {str(seats[p]): texts(holes[p]) for p in players if p != view.position and holes[p]}
        gained = {str(seats[p]): round(won[p], 2) for p in players}
        played = {"hand": view.hand_number, "betting": view.betting.text, "board": texts(view.board)}
        self._recent.append({**played, "shown": shown, "won": gained})
        if self._hud:
            if len(self._players) > _MOST_PLAYERS:
                self._players = {}
            hand = HandState(view.betting, view.hand_number, Deal(holes, view.board))
            table = PlayTable(view.game, len(players))
            add_to_table(table, HandColumns.of(view.game, [hand]), np.array([players]), np.array([won]))
            for position, each in enumerate(seats):
                name, counts = _name(each, names), table.counts(position)
                self._players[name] = self._players[name] + counts if name in self._players else counts

    def hud(self, view: HandView, seat: int, names: Sequence[str] | None) -> list[dict[str, Any]]:
        """The statistics of the others at the table, by seat."""
        told = []
        for each in range(view.game.num_players):
            counts = self._players.get(_name(each, names))
            if each == seat or counts is None:
                continue
            entry: dict[str, Any] = {"seat": each, "hands": counts.hands}
            for key, statistic in counts.statistics().items():
                entry[key] = [statistic.count, statistic.to if isinstance(statistic, Odds) else statistic.of]
            told.append(entry)
        return told

    def recent(self) -> list[dict[str, Any]]:
        """The last hands, oldest first, as far as there is room."""
        hands = list(self._recent)
        while hands and len(compact(hands)) > _MOST_RECENT:
            del hands[0]
        return hands


def _name(seat: int, names: Sequence[str] | None) -> str:
    """The name by which statistics are kept: never shown."""
    return names[seat] if names is not None and seat < len(names) else f"seat {seat}"


def user_message(view: HandView, seat: int, memory: Memory, names: Sequence[str] | None, room: int) -> str:
    """A decision as compact JSON.

    Args:
        view: at our turn.
        seat: ours.
        memory: of earlier hands.
        names: of the players, in seat order.
        room: how many bytes there is room for; less is told if they are not enough.
    """
    seen: Observation = {name: each for name, each in observe(view, seat).items() if name not in _HIDDEN}
    seen["game"] = {name: each for name, each in seen["game"].items() if name != "definition"}
    recent, hud = memory.recent(), memory.hud(view, seat, names)
    told = seen | ({"hud": hud} if hud else {}) | ({"recent": recent} if recent else {})
    while len(compact(told)) > room and told.get("recent"):
        del told["recent"][0]
    if len(compact(told)) > room:
        told = {name: each for name, each in told.items() if name not in ("actions", "recent")}
        told["betting"] = view.betting.text
    return compact(told)


def compact(value: object) -> str:
    """JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))
