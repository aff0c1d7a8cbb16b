"""Views of hands in the middle of the betting."""

import attrs

from engine.poker.cards import parse_written_cards
from engine.poker.rules import CardDealer, HandState, HandView, load_game, parse_betting


def view_after(game_name: str, betting: str, seed: int = 1, hole: str = "", board: str = "") -> HandView:
    """The view of the player to act after some betting.

    Args:
        game_name: the name of a packaged game.
        betting: the text of the betting.
        seed: the seed of the cards.
        hole: hole cards to use instead, as text; "" for those dealt.
        board: a board to use instead, as text; "" for the one dealt.
    """
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
