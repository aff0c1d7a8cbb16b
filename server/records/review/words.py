"""A hand as a report shows it: who sat where with which cards, and each betting round in sentences."""

from __future__ import annotations

from typing import Any

from engine.poker.cards import format_cards
from engine.poker.rules.hand_words import name_shown_hands, round_name, tell_action, tell_posts
from engine.support.user_input import printable
from server.records.logs import LoggedHand

__all__ = ["hand_in_words"]


def hand_in_words(hand: LoggedHand) -> dict[str, Any]:
    """A hand from its deal to its result: players, betting rounds with their actions, cards shown."""
    state = hand.state
    betting, hole_cards = state.betting, state.deal.hole_cards
    game = betting.game
    names = [printable(name) for name in hand.names]
    ends = (0, *game.board_ends)
    rounds: list[dict[str, Any]] = [
        {
            "name": round_name(game, betting_round),
            "board": format_cards(state.board[ends[betting_round] : ends[betting_round + 1]]),
            "pot": None,
            "actions": [],
        }
        for betting_round in range(betting.betting_round + 1)
    ]
    posts = tell_posts(game, names)
    rounds[0]["actions"] += [posts] if posts else []
    for before, position, action in betting.steps():
        each = rounds[before.betting_round]
        if each["pot"] is None:
            each["pot"] = before.pot
        each["actions"].append(tell_action(before, position, action, names[position]))
    for each in rounds:
        each["pot"] = betting.pot if each["pot"] is None else each["pot"]
    return {
        "hand": hand.number,
        "line": hand.line,
        "players": [
            {
                "name": names[position],
                "position": game.position_names[position],
                "cards": format_cards(hole_cards[position]),
                "chips": chips,
            }
            for position, chips in enumerate(hand.chips)
        ],
        "rounds": rounds,
        "showdown": [
            f"{names[position]} shows {format_cards(hole_cards[position])}: {words}"
            for position, words in name_shown_hands(betting, hole_cards, state.board)
        ],
    }
