"""What an agent is tried in: opponents, stacks and cards that bring out what random hands rarely show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Final

import attrs

from clients.agent import Agent
from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from engine.cards import parse_cards
from engine.rules import Action, CardDealer, Deal, GameDefinition, HandView, acpc_generator, hand_rank

__all__ = ["Situation", "situations", "stacked_deal", "tied_deals"]

_FAR_INTO_THE_MATCH: Final = 1000
"""The hand with which a late player sits down."""
_DEALS_TRIED: Final = 400
"""Deals looked through for ties: in heads-up hold'em about one in 25 is one."""


@attrs.frozen
class Situation:
    """Hands to be tried in."""

    name: str
    """What is special: ``against players who always call``."""
    game: GameDefinition
    """What is played: the game in question, or one that differs in its stacks."""
    opponents: tuple[Callable[[], Agent], ...]
    """Make the players in the other seats, in turn, as often around as there are seats."""
    deals: tuple[Deal, ...] = ()
    """The cards; none: by the seed."""
    every_seat: bool = False
    """Play it from each seat; else from one, another in the next situation."""
    first_hand: int = 0
    """The number of the hand the agent begins with."""
    terse_dealer: bool = False
    """The dealer says no names, has the agent find out its seat, plays now and then in its place, and breaks
    hands off: what happens at an ACPC dealer, and to a player whose connection is lost for a while."""

    @property
    def is_odd(self) -> bool:
        """More than the opponents is special, so that a hand of it cannot be played by itself."""
        return bool(self.deals) or self.terse_dealer


class _Moderate(Random):
    """Raises at random, by no more than the pot: hands reach the river with chips left."""

    def choose_action(self, view: HandView) -> Action:
        """As `Random`, but for the size."""
        action = super().choose_action(view)
        legal = view.legal_actions()
        if action.raise_to is None or legal.min_raise_to is None:
            return action
        return legal.raising_to(legal.min_raise_to + self.rng.randint(0, view.pot))


def situations(
    game: GameDefinition, *, seed: int = 0, hands: int = 30, short_stacks: bool = True
) -> tuple[Situation, ...]:
    """All that `check_agent` tries an agent in.

    Args:
        game: what is played.
        seed: of cards that are looked for.
        hands: how many hands of a kind to look for.
        short_stacks: play a no-limit game with small and uneven stacks, too.
    """

    def against(name: str, *opponents: Callable[[], Agent]) -> Situation:
        return Situation(name, game, opponents)

    random_players = (Random,) if game.is_limit else (Random, _Moderate)
    tried = [
        Situation("against random players", game, random_players, every_seat=True),
        against("against players who always fold", AlwaysFold),
        against("against players who always call", AlwaysCall),
        against("against players who always raise the least they may", AlwaysRaise),
    ]
    if game.num_players > 2:
        tried.append(against("against one player of each kind", AlwaysRaise, Random, AlwaysCall, AlwaysFold))
    if not game.is_limit:
        tried += [
            against("against players who always go all in", AlwaysAllIn),
            against("against players who raise by up to the pot", _Moderate),
        ]
    if ties := tied_deals(game, hands, seed):
        tried.append(Situation("with cards that tie", game, (AlwaysCall,), ties))
    tried.append(
        Situation(
            "at a dealer that says little and plays for it now and then",
            game,
            random_players,
            first_hand=_FAR_INTO_THE_MATCH,
            terse_dealer=True,
        )
    )
    if short_stacks and not game.is_limit:
        tried += [
            Situation(f"with {name}", shorter, (_Moderate, AlwaysCall, AlwaysAllIn))
            for name, shorter in _with_short_stacks(game)
        ]
    return tuple(tried)


def _with_short_stacks(game: GameDefinition) -> list[tuple[str, GameDefinition]]:
    big_blind = max(1, game.big_blind)

    def with_stacks(*stacks: int) -> GameDefinition:
        cut = [
            max(1, ante + blind, min(most, stack))
            for ante, blind, most, stack in zip(game.antes, game.blinds, game.stacks, stacks, strict=True)
        ]
        return attrs.evolve(game, stacks=tuple(cut))

    players = game.num_players
    variants = {
        "stacks that are gone with the blinds": with_stacks(*game.blinds),
        "stacks of one big blind": with_stacks(*[big_blind] * players),
        "stacks of three big blinds": with_stacks(*[3 * big_blind] * players),
        "uneven stacks": with_stacks(*[big_blind * (1, 15, 4, 40)[p % 4] * 3 // 2 for p in range(players)]),
    }
    return [(name, shorter) for name, shorter in variants.items() if shorter.stacks != game.stacks]


def tied_deals(game: GameDefinition, hands: int, seed: int = 0) -> tuple[Deal, ...]:
    """Deals in which the best hand of a showdown of all is held by several; none where there are none.

    Args:
        game: what is played.
        hands: the most that are played.
        seed: of the cards they are looked for in.
    """
    dealer = CardDealer(game, seed)
    deals = (dealer.deal() for _ in range(_DEALS_TRIED))
    return tuple(islice(filter(_is_tie, deals), hands))


def _is_tie(deal: Deal) -> bool:
    ranks = [hand_rank((*hole, *deal.board)) for hole in deal.hole_cards]
    return ranks.count(max(ranks)) > 1


def stacked_deal(
    game: GameDefinition, hole_cards: Mapping[int, str] | None = None, board: str = "", *, seed: int = 0
) -> Deal:
    """The cards of a hand, some as they are wanted and the others by chance.

    >>> from engine.cards import format_cards
    >>> from engine.rules import load_game
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
    return _dealt_out(game, laid, on_board, seed)


def _dealt_out(
    game: GameDefinition, laid: Mapping[int, tuple[int, ...]], on_board: Sequence[int], seed: int
) -> Deal:
    """A deal of the cards laid, and of others by a seed where none are."""
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


def with_hidden_cards_changed(game: GameDefinition, deal: Deal, position: int, seed: int) -> Deal:
    """The same cards for one position and the same board but for its last cards; all else is dealt again."""
    kept = game.board_ends[-2] if game.num_rounds > 1 else 0
    return _dealt_out(game, {position: deal.hole_cards[position]}, deal.board[:kept], seed)
