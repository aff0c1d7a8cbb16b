"""When cards were dealt in a hand, for which pot and among whom: the public half of every luck correction."""

from __future__ import annotations

import operator

import attrs

from engine.poker.rules import BettingState
from engine.poker.rules.showdown import rake_taken


@attrs.frozen
class CardFall:
    """Cards dealt while somebody could still act."""

    betting_round: int
    """0 for the hole cards."""
    pot: int
    """Chips in the pot when they were dealt."""
    before: int
    """The index in `Moments.asked` of the shares before them; -1 before the deal, when shares are equal."""
    after: int
    """The index in `Moments.asked` of the shares after them."""


@attrs.frozen
class Layer:
    """A main or side pot: equal amounts that some positions put in, shared by those who have not folded."""

    chips: float
    """The whole pot, less the rake."""
    sharing: int
    """The positions that share it, as bits; 0 if all who put in have folded, and nobody gets it."""
    asked: int
    """The index in `Moments.asked` of the shares; -1 if fewer than two share it."""


@attrs.frozen
class Moments:
    """The moments of a finished hand at which luck was decided."""

    falls: tuple[CardFall, ...]
    """In order; the first is the deal."""
    paid: tuple[int, ...]
    """Chips that each position has put in, antes included."""
    is_run_out: bool
    """Whether cards were dealt after nobody could act any more."""
    layers: tuple[Layer, ...]
    """The main pot and the side pots of such a hand; empty for other hands."""
    asked: tuple[tuple[int, int], ...]
    """The moments at which the shares must be known: the positions that share the pot, as bits, and the
    number of board cards dealt."""


def moments_of(betting: BettingState) -> Moments:
    """The moments of a finished hand.

    Raises:
        ValueError: the hand is not over.
    """
    if not betting.is_finished:
        raise ValueError(f"luck is taken out of a hand that is over; after {betting.text!r} it is not")
    game = betting.game
    ends = game.board_ends
    asked: dict[tuple[int, int], int] = {}

    def ask(sharing: int, out: int) -> int:
        return asked.setdefault((sharing, out), len(asked))

    everybody = (1 << len(betting.spent)) - 1
    # The deal is for the pot as it is once everybody has called.
    called = sum(game.antes_posted) + game.num_players * game.big_blind
    falls = [CardFall(0, called, -1, ask(everybody, ends[0]))]
    reached = 0
    for state, _, _ in betting.steps():
        now = state.betting_round
        if now > reached:
            if ends[now] > ends[reached]:
                left = _left(state)
                falls.append(CardFall(now, state.pot, ask(left, ends[reached]), ask(left, ends[now])))
            reached = now
    is_run_out = betting.is_showdown and ends[betting.betting_round] > ends[reached]
    layers = [
        Layer(chips, sharing, ask(sharing, ends[reached]) if sharing.bit_count() > 1 else -1)
        for chips, sharing in (_pots(betting) if is_run_out else ())
    ]
    paid = tuple(map(operator.add, game.antes_posted, betting.spent))
    return Moments(tuple(falls), paid, is_run_out, tuple(layers), tuple(asked))


def _left(betting: BettingState) -> int:
    return sum([1 << position for position, folded in enumerate(betting.folded) if not folded])


def _pots(betting: BettingState) -> list[tuple[float, int]]:
    """Chips and sharing positions of each pot, peeled in layers as `engine.poker.rules.chips_won` does.

    Equal antes are layers like bets; others are shared by all who are left.
    """
    game, left = betting.game, _left(betting)
    competing = betting.spent
    pots: list[tuple[float, int]] = []
    called = sum(game.antes_posted) + sum([min(chips, sorted(betting.spent)[-2]) for chips in betting.spent])
    kept = 1 - rake_taken(betting) / called if called else 1
    if game.has_equal_antes:
        competing = tuple(map(operator.add, game.antes_posted, betting.spent))
    elif game.has_antes:
        pots.append((kept * sum(game.antes_posted), left))
    below = 0
    for level in sorted(set(competing) - {0}):
        paying = sum([1 << position for position, chips in enumerate(competing) if chips >= level])
        chips: float = (level - below) * paying.bit_count()
        sharing = left & paying
        if paying.bit_count() > 1:  # otherwise nobody has called it
            chips *= kept
        if pots and pots[-1][1] == sharing:
            chips += pots.pop()[0]
        pots.append((chips, sharing))
        below = level
    return pots
