"""A hand as somebody may see it, ready for JSON: what every page of a table draws.

A scene is made from the public half of a hand (`engine.poker.rules.BettingState`, which knows no cards), the
board cards dealt so far and the hole cards that its reader has been shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from engine.poker.rules import HandView
from engine.poker.rules.hand_words import name_shown_hands, round_name, tell_action, tell_posts, tell_winnings
from protocol.agents.observation import legal, texts
from server.room.tables.spectating import Shown

Scene = dict[str, Any]
"""Has hand, board, pot, players by seat and story; and what its reader is asked, if anything."""


def seen_by_player(view: HandView, names: Sequence[str]) -> Shown:
    """What a player has been shown.

    Args:
        view: of the hand.
        names: in the order of ``#names``: position and hand number give the place in it.
    """
    players = view.game.num_players
    seats = tuple([(position + view.hand_number) % players for position in range(players)])
    known = names if len(names) == players else [f"seat {seat + 1}" for seat in range(players)]
    return Shown(
        betting=view.betting,
        hand=view.hand_number,
        board=view.board,
        names=tuple([known[seat] for seat in seats]),
        seats=seats,
        holes=view.hole_cards,
        button=seats[-1],
        reader=view.position,
        chips=view.chips_won() if view.is_finished else (),
    )


def draw(shown: Shown) -> Scene:
    """The scene."""
    betting, game = shown.betting, shown.game
    names = dict(name_shown_hands(betting, shown.holes, shown.board))
    players = []
    for position in sorted(range(game.num_players), key=lambda each: shown.seats[each]):
        left = game.betting_stacks[position] - betting.spent[position]
        players.append(
            {
                "name": shown.names[position],
                "seat": shown.seats[position],
                "stack": left,
                "bet": betting.spent[position],
                "cards": texts(shown.holes[position]),
                "hidden": 0 if shown.holes[position] or betting.folded[position] else game.num_hole_cards,
                "folded": betting.folded[position],
                "all_in": left == 0 and not betting.folded[position],
                "acts": betting.position_to_act == position,
                "button": shown.seats[position] == shown.button,
                "you": position == shown.reader,
                "shows": names.get(position, ""),
                "won": shown.chips[position] if shown.chips else None,
            }
        )
    scene: Scene = {
        "kind": "scene",
        "hand": shown.hand,
        "round": round_name(game, betting.betting_round),
        "board": texts(shown.board),
        "pot": betting.pot,
        "over": betting.is_finished,
        "players": players,
        "story": list(_story(shown)),
    }
    if shown.reader is not None and betting.position_to_act == shown.reader:
        scene["ask"] = legal(betting)
    return scene


def _story(shown: Shown) -> Iterator[dict[str, Any]]:
    """The events so far, line by line: the text, and the cards that belong to it."""
    betting, game, board = shown.betting, shown.game, shown.board
    posts = tell_posts(game, shown.names)
    if posts:
        yield _line(posts)
    yield from _street(shown, 0)
    for before, position, action in betting.steps():
        after = before.apply(action)
        yield _line(tell_action(before, position, action, shown.names[position]))
        for betting_round in range(before.betting_round + 1, after.betting_round + 1):
            yield from _street(shown, betting_round)
    if betting.is_finished:
        for position, words in name_shown_hands(betting, shown.holes, board):
            yield _line(f"{shown.names[position]} shows {words}", shown.holes[position])
        if shown.chips:
            yield _line(tell_winnings(shown.chips, shown.names))


def _street(shown: Shown, betting_round: int) -> Iterator[dict[str, Any]]:
    """The board cards dealt for a betting round, if any."""
    ends = shown.game.board_ends
    cards = shown.board[ends[betting_round - 1] if betting_round else 0 : ends[betting_round]]
    if cards:
        yield _line(round_name(shown.game, betting_round), cards)


def _line(text: str, cards: Sequence[int] = ()) -> dict[str, Any]:
    return {"text": text, "cards": texts(cards)}


def steps(shown: Shown) -> list[Scene]:
    """A finished hand as scenes, one for each action; cards shown at the end are shown from the start."""
    betting = shown.betting
    ends = shown.game.board_ends
    path = [before for before, _, _ in betting.steps()]
    scenes = [
        draw(attrs.evolve(shown, betting=each, board=shown.board[: ends[each.betting_round]], chips=()))
        for each in path
    ]
    return [*scenes, draw(shown)]
