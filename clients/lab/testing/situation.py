"""What an agent is tried in: opponents, stacks and cards that bring out what random hands rarely show."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final

import attrs

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import Agent
from engine.poker.rules import Action, CardDealer, Deal, GameDefinition, HandView, hand_rank
from engine.poker.situations import dealt_out, with_stacks

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
        """A player like `Random`, but for the size."""
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
    terse = "at a dealer that says little and plays for it now and then"
    first = _FAR_INTO_THE_MATCH
    tried.append(Situation(terse, game, random_players, first_hand=first, terse_dealer=True))
    if short_stacks and not game.is_limit:
        tried += [
            Situation(f"with {name}", shorter, (_Moderate, AlwaysCall, AlwaysAllIn))
            for name, shorter in _with_short_stacks(game)
        ]
    return tuple(tried)


def _with_short_stacks(game: GameDefinition) -> list[tuple[str, GameDefinition]]:
    big_blind, players = max(1, game.big_blind), range(game.num_players)
    stacks = {
        "stacks that are gone with the blinds": game.blinds,
        "stacks of one big blind": [big_blind for _ in players],
        "stacks of three big blinds": [3 * big_blind for _ in players],
        "uneven stacks": [big_blind * (1, 15, 4, 40)[p % 4] * 3 // 2 for p in players],
    }
    variants = {name: with_stacks(game, each) for name, each in stacks.items()}
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


def with_hidden_cards_changed(game: GameDefinition, deal: Deal, position: int, seed: int) -> Deal:
    """The same cards for one position and the same board but for its last cards; all else is dealt again."""
    kept = game.board_ends[-2] if game.num_rounds > 1 else 0
    return dealt_out(game, {position: deal.hole_cards[position]}, deal.board[:kept], seed)
