"""A hand that was played, in any format, and what other formats ask of it.

Formats other than the ACPC's count bets by betting round, give stacks and blinds with each hand, and omit
actions about which nobody had a choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from typing import Final

import attrs

from engine.poker.rules import FOLD, ActionKind, BettingState, GameDefinition, HandState, chips_won
from engine.poker.rules.game_definition import NO_RAKE, UNLIMITED_STACK, opener
from engine.poker.rules.hand_words import Deed
from server.records.formats.said import PER_MATCH, FormatError, Said
from server.table.rules.chips import with_odd_chips

_EXACT: Final = 1e-6


@attrs.frozen
class PlayedHand:
    """One finished hand."""

    number: int
    where: str
    """The file and line it was read from, for messages."""
    state: HandState
    """The state at its end.  Hole cards that are not known are ``()``."""
    chips: tuple[float, ...]
    """The chips won by each position."""
    names: tuple[str, ...]
    """The name of the player in each position."""
    notes: tuple[str, ...] = ()
    """What could not be kept, in lines."""
    said: Said | None = attrs.field(default=None, eq=False, repr=False)
    """What its source says; None for a hand that was read from the ACPC's format."""
    time: datetime | None = None
    """When it was played, in UTC, as far as known."""
    match: int = 0
    """A number that its match has, and hardly any other; 0 if it is not known."""

    @property
    def game(self) -> GameDefinition:
        """The game, with the stacks of this hand."""
        return self.state.betting.game


def is_formality(betting: BettingState) -> bool:
    """Whether the player to act has nothing to call and nobody to bet against, but is asked by ACPC rules."""
    position = betting.position_to_act
    if position is None or betting.amount_to_call(position) > 0:
        return False
    return not any(betting.can_act(other) for other in range(betting.game.num_players) if other != position)


def folds_for_nothing(hand: PlayedHand) -> bool:
    """Whether somebody folds who could have checked, which the ACPC's rules do not allow."""
    steps = hand.state.betting.steps()
    return any(action == FOLD and not before.legal_actions().can_fold for before, _, action in steps)


class AskedStep(Deed):
    """An action that somebody had a choice about."""

    @property
    def is_bet(self) -> bool:
        """Whether nothing has been put in before it, not even equal blinds."""
        return self.before.max_spent == self.floor


def asked_steps(betting: BettingState) -> Iterator[AskedStep]:
    """The actions of a hand, without formalities."""
    for before, position, action in betting.steps():
        if not (action.kind is ActionKind.CALL and is_formality(before)):
            yield AskedStep(before, position, action)


def settle(state: HandState) -> tuple[float, ...]:
    """The chips won, if players at the showdown whose cards are not known have mucked them.

    Raises:
        FormatError: nobody's cards are known.
    """
    hole_cards, folded = state.deal.hole_cards, state.betting.folded
    if not state.betting.is_showdown:
        return state.chips_won()
    mucked = [p for p, out in enumerate(folded) if not out and not hole_cards[p]]
    if len(mucked) == state.betting.num_in_hand:
        raise FormatError("the cards of nobody at the showdown are known")
    return chips_won(state.betting, hole_cards, state.board, mucked=mucked)


def folds(betting: BettingState) -> dict[int, int]:
    """The betting rounds in which positions have folded."""
    return {position: before.betting_round for before, position, action in betting.steps() if action == FOLD}


def uncalled_bet(betting: BettingState) -> tuple[int, int] | None:
    """The position whose bet was not fully called, and by how much; None if all bets were called."""
    second, most = sorted(betting.spent)[-2:]
    position = betting.spent.index(most)
    return (position, most - second) if most > second and not betting.folded[position] else None


def contested_pot(betting: BettingState) -> int:
    """The pot without a bet that was not called."""
    uncalled = uncalled_bet(betting)
    return betting.pot - (uncalled[1] if uncalled else 0)


def collected(hand: PlayedHand) -> list[float]:
    """Chips taken from the pot, by position, without a bet that was not called."""
    betting = hand.state.betting
    taken = [
        won + spent + ante
        for won, spent, ante in zip(hand.chips, betting.spent, hand.game.antes_posted, strict=True)
    ]
    uncalled = uncalled_bet(betting)
    if uncalled is not None:
        taken[uncalled[0]] -= uncalled[1]
    return [chips if chips > _EXACT else 0.0 for chips in taken]


def whole_collected(hand: PlayedHand) -> list[int]:
    """The chips that each position takes from the pot: whole, and adding up to it less a rake."""
    taken = collected(hand)
    whole = [math.floor(chips + _EXACT) for chips in taken]
    owed = [position for position, chips in enumerate(taken) if chips - whole[position] > _EXACT]
    return with_odd_chips(whole, round(sum(taken)) - sum(whole), owed)


def shown_stacks(hand: PlayedHand) -> tuple[int, ...]:
    """The stacks in the text; for a game without stacks the most that a hand can cost."""
    game = hand.game
    if not game.is_limit or min(game.stacks) < UNLIMITED_STACK:
        return game.stacks
    raises = sum(size * most for size, most in zip(game.raise_sizes, game.max_raises, strict=True))
    return (max(game.antes) + game.big_blind + raises,) * game.num_players


def shown_number(hand: PlayedHand) -> int:
    """A number of the hand that hardly any other hand of any match has, as far as the match is known."""
    return hand.match * PER_MATCH + hand.number if hand.number < PER_MATCH else hand.number


def unraked(hand: PlayedHand) -> PlayedHand:
    """The same hand if the house took nothing, with a note."""
    if not hand.game.has_rake:
        return hand
    betting = attrs.evolve(hand.state.betting, game=attrs.evolve(hand.game, rake=NO_RAKE))
    state = attrs.evolve(hand.state, betting=betting)
    return attrs.evolve(hand, state=state, chips=settle(state), notes=(*hand.notes, "the rake is left out"))


def signed_posts(game: GameDefinition) -> tuple[int, ...]:
    """The blinds, with a minus sign for those posted out of turn, and the big blind in full if it is short.

    Raises:
        FormatError: the order of acting is not hold'em's.
    """
    blinds, first = list(game.blinds), game.first_positions[0]
    big = (first - 1) % game.num_players
    if max(blinds) < game.big_blind and any(blinds):
        blinds[big] = game.big_blind
    signed = tuple(
        [
            -blind if game.num_players > 2 and (position > big or blind > blinds[big]) else blind
            for position, blind in enumerate(blinds)
        ]
    )
    if game.first_positions != (opener(signed), 0, 0, 0):
        order = " ".join(str(first + 1) for first in game.first_positions)
        raise FormatError(f"the order of acting (firstPlayer = {order}) cannot be written in this format")
    return signed


def named_posts(hand: PlayedHand) -> Iterator[tuple[int, str, int]]:
    """Positions, words and amounts of blinds, those in turn first.

    Raises:
        FormatError: there is no word for one of them.
    """
    game, signed = hand.game, signed_posts(hand.game)
    for position in sorted(range(game.num_players), key=lambda p: (signed[p] < 0, abs(signed[p]), p)):
        amount, posted = signed[position], game.blinds[position]
        what = "small blind"
        if abs(amount) == game.big_blind:
            what = "big blind"
        elif amount > game.big_blind:
            what = "straddle"
        elif amount and not (game.num_players == 2 or (position == 0 and amount > 0)):
            raise FormatError(f"a blind of {posted} in position {position} cannot be written in this format")
        if amount:
            yield position, what, posted


def button_seat(game: GameDefinition) -> int:
    """The button's seat: the last; an empty one where the first of two players posts the small blind."""
    return game.num_players + (game.num_players == 2 and game.first_positions[0] == 0)


def nominal_small(hand: PlayedHand) -> int:
    """The small blind as posted, or half the big blind if there is none."""
    posted = [chips for _, what, chips in named_posts(hand) if what == "small blind"]
    return posted[0] if posted else hand.game.big_blind // 2


def check_usual(hand: PlayedHand) -> None:
    """Refuse hands that formats for ordinary hold'em cannot express.

    Raises:
        FormatError: it is such a hand; the message has the reason.
    """
    game = hand.game
    if not game.is_holdem:
        raise FormatError("only Texas hold'em with 52 cards can be written in this format")
    signed_posts(game)
    if game.is_limit:
        small, flop, turn, river = game.raise_sizes
        if (small, turn) != (flop, river):
            sizes = " ".join(map(str, game.raise_sizes))
            raise FormatError(f"raises of {sizes} cannot be written in this format: expected two sizes")
    for step in asked_steps(hand.state.betting):
        if step.action.kind is ActionKind.RAISE and step.after.max_spent <= step.before.max_spent:
            raise FormatError("a raise of less than a call cannot be written in this format")
