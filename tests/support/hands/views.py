"""Hands as a player sees them in mid-betting."""

from __future__ import annotations

import attrs

from engine.card_text import parse_written_cards
from engine.rules import CardDealer, HandState, HandView, load_game, parse_betting


def view_after(game_name: str, betting: str, seed: int = 1, hole: str = "", board: str = "") -> HandView:
    """What the player to act sees after some betting, perhaps with cards laid by hand."""
    game = load_game(game_name)
    state = HandState(parse_betting(game, betting), 0, CardDealer(game, seed).deal())
    position = state.position_to_act
    assert position is not None
    view = state.view(position)
    if hole:
        cards = tuple(parse_written_cards(hole))
        holes = tuple(cards if p == position else () for p in range(game.num_players))
        view = attrs.evolve(view, hole_cards=holes)
    return attrs.evolve(view, board=tuple(parse_written_cards(board))) if board else view
