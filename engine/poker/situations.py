"""What players are tried in, wherever they sit: cards that are laid, other stacks; why an action is wrong.

Both the kit for agents (`clients.lab.testing`) and the house's gate (`clients.lab.check_bot`) try players in
these, so that the two say the same of the same fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import attrs

from engine.poker.cards import parse_cards
from engine.poker.rules import Action, ActionKind, Deal, GameDefinition, LegalActions, acpc_generator


def with_stacks(game: GameDefinition, stacks: Sequence[int]) -> GameDefinition:
    """The game with other stacks: none smaller than what is posted, none larger than its own.

    Args:
        game: what is played.
        stacks: by position, in chips.
    """
    cut = [
        max(1, ante + blind, min(most, stack))
        for ante, blind, most, stack in zip(game.antes, game.blinds, game.stacks, stacks, strict=True)
    ]
    return attrs.evolve(game, stacks=tuple(cut))


def stacked_deal(
    game: GameDefinition, hole_cards: Mapping[int, str] | None = None, board: str = "", *, seed: int = 0
) -> Deal:
    """The cards of a hand, some as they are wanted and the others by chance.

    >>> from engine.poker.cards import format_cards
    >>> from engine.poker.rules import load_game
    >>> deal = stacked_deal(load_game("limit-2p"), {1: "AhKh"}, board="2c7d9h", seed=1)
    >>> format_cards(deal.hole_cards[1]), format_cards(deal.board[:3]), len(deal.board)
    ('AhKh', '2c7d9h', 5)

    Args:
        game: what is played.
        hole_cards: by position, all of a position's.
        board: its first cards, or all.
        seed: of the others.

    Raises:
        InvalidCardError: not cards.
        ValueError: a card twice, one that is not in the deck, or not as many as the game has.
    """
    laid = {position: parse_cards(text) for position, text in (hole_cards or {}).items()}
    on_board = parse_cards(board)
    for position, cards in laid.items():
        if not 0 <= position < game.num_players or len(cards) != game.num_hole_cards:
            raise ValueError(
                f"expected {game.num_hole_cards} hole cards in positions 0 to {game.num_players - 1}, "
                f"got {len(cards)} in position {position}"
            )
    if len(on_board) > game.board_ends[-1]:
        raise ValueError(f"expected at most {game.board_ends[-1]} board cards, got {len(on_board)}")
    used = [*on_board, *(card for cards in laid.values() for card in cards)]
    if len(set(used)) != len(used) or not set(used) <= set(game.deck):
        raise ValueError(f"expected different cards of the game's deck, got {hole_cards} and {board!r}")
    return dealt_out(game, laid, on_board, seed)


def dealt_out(
    game: GameDefinition, laid: Mapping[int, tuple[int, ...]], on_board: Sequence[int], seed: int
) -> Deal:
    """A deal of the cards laid, and of others by a seed where none are.

    Args:
        game: what is played.
        laid: hole cards by position.
        on_board: the first board cards.
        seed: of the others.
    """
    used = {*on_board, *(card for cards in laid.values() for card in cards)}
    rest = [card for card in game.deck if card not in used]
    acpc_generator(seed).shuffle(rest)
    others = iter(rest)
    hands = [
        laid.get(position) or tuple(islice(others, game.num_hole_cards))
        for position in range(game.num_players)
    ]
    missing = game.board_ends[-1] - len(on_board)
    return Deal(tuple(hands), (*on_board, *islice(others, missing)))


@attrs.frozen
class Illegality:
    """Why something that was chosen may not be done."""

    key: str
    """What makes two alike."""
    message: str
    is_nonsense: bool = False
    """It cannot even be sent."""


def why_illegal(action: Action, legal: LegalActions) -> Illegality | None:
    """Why an action may not be done; None where it may.

    >>> from engine.poker.rules import FOLD, initial_betting, load_game, raise_to
    >>> betting = initial_betting(load_game("nolimit-2p"))
    >>> why_illegal(raise_to(150), betting.legal_actions()).message
    'raises to 150, the least is 200'
    >>> why_illegal(FOLD, betting.legal_actions()) is None
    True
    """
    if action in legal:
        return None
    total = action.raise_to
    if action.kind is ActionKind.FOLD and total is None:
        return Illegality("fold", "folds where there is nothing to call")
    if action.kind is not ActionKind.RAISE or (legal.is_limit and total is not None):
        return Illegality("size", f"the size {total}, which only raises in no-limit games have")
    if legal.min_raise_to is None or legal.max_raise_to is None:
        return Illegality("no raise", f"raises ({action}) where no raise is allowed")
    if total is None:
        return Illegality("no size", "raises without saying to what total")
    if total < legal.min_raise_to:
        return Illegality("least", f"raises to {total}, the least is {legal.min_raise_to}")
    return Illegality("most", f"raises to {total}, the most is {legal.max_raise_to}")
