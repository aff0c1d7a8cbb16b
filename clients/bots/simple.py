"""The simple bot: a few sound rules for Texas hold'em, and a little attention to players who raise a lot.

It plays fast and at an intermediate level, by rules of its own.  The *percentile* of a starting hand is the
share of all starting hands that are worse at a table of that size (`clients.bots.percentiles`).

**How often opponents raise.**  It keeps two frequencies for every seat: of raising with the first action
before the flop (*f*), and of betting or raising after the flop (*g*).  They start as an ordinary player's,
which counts as `_PRIOR_WEIGHT` actions.

**Before the flop**, *open* is the share of hands that it opens with; it depends on the number of players
still to act (`_OPEN`), and is smaller if those raise often.  *f* is the last raiser's:

===========================  ==============================================================================
when                         it
===========================  ==============================================================================
nobody is in                 raises the best *open* of its hands, folds the others
some have called             raises the best half *open*, calls with the best 1½ *open*
one raise                    raises again with the best 0.3 *f*, calls with the best 0.9 *f* (0.6 *f* if
                             others are still to act)
two or more raises           raises with the best 0.1 *f*, calls with the best 0.35 *f*
a third of its chips to      goes all in with the best quarter of the last raiser's hands, calls with the best
call                         half (they are *f* after one raise, 0.3 *f* after two, 0.1 *f* after more)
===========================  ==============================================================================

No-limit raises go to three big blinds plus one for each caller, or to three times the last raise; a raise
of 40 % of its chips becomes all in.

**After the flop** it estimates the probability *s* of holding the best hand: the hand strength against a
random hand, to the power of the number of opponents.  Every bet or raise by an opponent adds to the power,
but less the greater that opponent's *g* (before the flop: *f*).  *outs* are the cards that complete a flush
or a straight of which it holds four cards; *w* is the probability of winning as it is or with the next card:

===========================  ==============================================================================
when                         it
===========================  ==============================================================================
nobody has bet               bets if s >= 0.6; every second time with 8 outs against one or two opponents
somebody has bet             raises if s >= 0.85, at most three times in a round; every fourth time with 12
                             outs; calls if *w* is at least the pot odds; folds otherwise
===========================  ==============================================================================

No-limit bets and raises are two thirds of the pot.  With `preflop-only` it ignores its cards from the flop
on: it checks, and calls any bet, so its decision before the flop decides the hand.  (The learners of the
Poker Learner thesis, 5.1, met their simple bot in this form; the thesis does not say what that bot did after
the flop.)  With `hands=listed` it plays before the flop by a list instead of the first table, as the bot of
that name in the thesis's testbed does (`clients.bots.listed_hands`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from clients.bots.listed_hands import KINDS, OTHERS, kinds_of_hands, listed_triple
from clients.bots.percentiles import (
    STARTING_HAND_PLACES,
    all_strengths,
    starting_hand_percentiles,
    strength_of,
)
from clients.core.agent import Agent, ProbabilityTriple, Script
from clients.core.options import require_holdem
from engine import compiling
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView, LegalActions
from engine.poker.rules.betting import BettingState

_OPEN: Final = (0.60, 0.50, 0.40, 0.28, 0.22, 0.18, 0.15, 0.13, 0.12, 0.10)
"""The share of hands to open with, by the number of players still to act."""
_USUAL_RAISING: Final = (0.0, 0.0, 0.45, 0.33, 0.26, 0.22, 0.19, 0.17, 0.15, 0.14, 0.13)
"""*f* of an ordinary player, by the number of players at the table."""
_USUAL_BETTING: Final = 0.35
"""*g* of an ordinary player."""
_PRIOR_WEIGHT: Final = 20
"""How many actions of an opponent count as much as the ordinary player's frequencies."""

_COMMITTED: Final = 1 / 3
"""A call of this share of the remaining chips is treated as a call of all of them."""
_ALL_IN: Final = 0.4
"""A raise to this share of all chips becomes all in."""

_BET: Final = 2 / 3
"""The size of every bet and raise after the flop, as a share of the pot after the call."""
_VALUE_BET: Final = 0.6
_VALUE_RAISE: Final = 0.85
_MOST_RAISES: Final = 3
_SEMI_BLUFF_OUTS: Final = 8
_SEMI_BLUFF_CHANCE: Final = 0.5
_SEMI_RAISE_OUTS: Final = 12
_SEMI_RAISE_CHANCE: Final = 0.25
_UNSEEN: Final = 46
"""The approximate number of cards that may come next."""

_NODES: Final = 1 << 14
"""Nodes of the betting tree that are remembered, since they recur."""

_FOLDS: Final = ProbabilityTriple(1.0, 0.0, 0.0)
_CALLS: Final = ProbabilityTriple(0.0, 1.0, 0.0)
_RAISES: Final = ProbabilityTriple(0.0, 0.0, 1.0)
_SEMI_BLUFFS: Final = ProbabilityTriple(0.0, 1.0 - _SEMI_BLUFF_CHANCE, _SEMI_BLUFF_CHANCE)
_SEMI_RAISES_OR_FOLDS: Final = ProbabilityTriple(1.0 - _SEMI_RAISE_CHANCE, 0.0, _SEMI_RAISE_CHANCE)
_SEMI_RAISES_OR_CALLS: Final = ProbabilityTriple(0.0, 1.0 - _SEMI_RAISE_CHANCE, _SEMI_RAISE_CHANCE)


class SimpleBot(Agent):
    """Plays by rules: position and raises before the flop, value bets, draws and pot odds after it.

    Args:
        preflop_only: check and call after the flop, whatever happens.
        hands: how it plays before the flop: by percentile, position and raisers, or by a list of hands.
        others: with `hands=listed`, how often a hand that is not on the list calls up to a big blind.

    Raises:
        ValueError: a probability outside 0..1.
    """

    def __init__(
        self,
        preflop_only: bool = False,
        hands: Literal["percentiles", "listed"] = "percentiles",
        others: float = OTHERS,
    ) -> None:
        if not 0 <= others <= 1:
            raise ValueError(f"expected others from 0 to 1, got {others}")
        self._preflop_only = preflop_only
        self._others = others
        self._is_listed = hands == "listed"
        self._percentiles: tuple[float, ...] = ()
        # By seat, with the prior: [hands, hands raised before the flop, actions, bets and raises after it].
        self._seen: list[list[float]] = []

    # --- the match -----------------------------------------------------------------------------------------

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernel of hand strength."""
        compiling.hand_strength()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load the percentiles of starting hands, and forget all opponents.

        Raises:
            OptionError: the game is not Texas hold'em.
        """
        require_holdem("simple", game)
        players = game.num_players
        self._percentiles = starting_hand_percentiles(players)
        raises, bets = _PRIOR_WEIGHT * _USUAL_RAISING[players], _PRIOR_WEIGHT * _USUAL_BETTING
        self._seen = [[_PRIOR_WEIGHT, raises, _PRIOR_WEIGHT, bets] for _ in range(players)]

    def hand_finished(self, view: HandView) -> None:
        """Count who raised."""
        for position, more in enumerate(_counts(view.betting)):
            if position != view.position:
                seat = self.seat_of(view, position)
                self._seen[seat] = [seen + count for seen, count in zip(self._seen[seat], more, strict=True)]

    def script(self, game: GameDefinition) -> Script | None:
        """The numbers of its rules before the flop, if it has no other rules."""
        if not self._preflop_only:
            return None
        if self._is_listed:
            numbers = [number for kind in KINDS for number in kind]
            return Script("listed", (self._others, *numbers), kinds_of_hands())
        players = game.num_players
        prior = _PRIOR_WEIGHT, _PRIOR_WEIGHT * _USUAL_RAISING[players]
        return Script("simple", (_COMMITTED, _ALL_IN, *prior, *_OPEN), starting_hand_percentiles(players))

    # --- playing -------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """The action by the rules, drawn at random if they leave a choice."""
        (fold, call, raise_), total = self._decide(view)
        if call == 1.0:
            return CALL
        if raise_ > 0.0 and (raise_ == 1.0 or self.rng.random() < raise_):
            return view.betting.legal_actions().raising_to(total)
        if fold > 0.0 and call > 0.0 and not raise_:
            return CALL if self.rng.random() < call else FOLD
        return FOLD if fold > 0.0 else CALL

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities by the rules: one action is certain, except when raising with a draw."""
        return self._decide(view)[0]

    def triples(self, view: HandView) -> Sequence[ProbabilityTriple]:
        """The probabilities with every hand: 169 triples before the flop, 1326 after it."""
        betting = view.betting
        legal = betting.legal_actions()
        if betting.betting_round == 0:
            chances = self._before_flop(view, betting, STARTING_HAND_PLACES)[0]
        elif self._preflop_only:
            chances = [_CALLS]
        else:
            rules = self._rules(view, betting)
            strengths = list(all_strengths(view.board))
            strengths[combo_index(*view.own_cards)] = strength_of(view.own_cards, view.board)
            chances = list(map(rules.triple, strengths, _all_outs(view.board)))
        return [_made_legal(triple, legal) for triple in chances]

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The percentile before the flop; after it strength, outs and price."""
        if view.betting_round == 0:
            first, second = view.own_cards
            return {"hand": f"better than {self._percentiles[52 * first + second]:.1%} of starting hands"}
        strength, outs = _cards_worth(view.own_cards, view.board)
        rules = self._rules(view, view.betting)
        power = f"to the power {rules.exponent:.2f} {strength**rules.exponent:.3f}"
        least = f"bets from {_VALUE_BET:g}, raises from {_VALUE_RAISE:g}"
        price = f"{max(0, rules.to_call)} chips to call for a pot of {rules.pot}"
        return {"strength": f"{strength:.3f}, {power}; {least}", "draw": f"{outs} outs", "price": price}

    def _decide(self, view: HandView) -> tuple[ProbabilityTriple, int]:
        """The probabilities of the legal actions, and the total of a raise."""
        betting = view.betting
        if betting.betting_round == 0:
            first_card, second_card = view.own_cards
            (triple,), total = self._before_flop(view, betting, (52 * first_card + second_card,))
        elif self._preflop_only:
            return _CALLS, 0
        else:
            rules = self._rules(view, betting)
            triple, total = rules.triple(*_cards_worth(view.own_cards, view.board)), rules.total
        return _made_legal(triple, betting.legal_actions()), total

    def _before_flop(
        self, view: HandView, betting: BettingState, places: Sequence[int]
    ) -> tuple[list[ProbabilityTriple], int]:
        """The triples of some hands before the flop, and the total of a raise."""
        if self._is_listed:
            game, kinds = betting.game, kinds_of_hands()
            others = self._others if betting.amount_to_call(view.position) <= game.big_blind else 0.0
            return [listed_triple(kinds[place], betting.raises_in_round, others) for place in places], 0
        shares, percentiles = self._shares(view, betting), self._percentiles
        return [shares.triple(1.0 - percentiles[place]) for place in places], shares.total

    def _shares(self, view: HandView, betting: BettingState) -> _Shares:
        """The shares of the hands that are raised and played before the flop."""
        game, us = betting.game, view.position
        raises, big_blind = betting.raises_in_round, game.big_blind
        behind, callers, raiser = _round_so_far(betting)
        if raises == 0:
            share = _OPEN[len(behind)]
            if behind:
                most = max([self._raising(view, position) for position in behind])
                share *= 1.2 - 0.8 * most
            total = self._sized(game, us, (3 + callers) * big_blind)
            if callers == 0:
                return _Shares(share, 0.0, total)
            return _Shares(0.5 * share, 1.5 * share, total)

        often = self._raising(view, raiser)
        total = self._sized(game, us, 3 * betting.max_spent)
        to_call, left = betting.amount_to_call(us), game.betting_stacks[us] - betting.spent[us]
        if to_call >= _COMMITTED * left:
            held = often * (1.0, 0.3, 0.1)[min(raises, 3) - 1]
            return _Shares(0.25 * held, 0.5 * held, game.betting_stacks[us])
        if raises == 1:
            return _Shares(0.3 * often, (0.6 if behind else 0.9) * often, total)
        return _Shares(0.1 * often, 0.35 * often, total)

    def _rules(self, view: HandView, betting: BettingState) -> _Rules:
        """The rules after the flop, which take hand strength and outs."""
        us = view.position
        opponents = betting.num_in_hand - 1
        exponent = opponents + self._shown_strength(view, betting)
        to_call, raises = betting.amount_to_call(us), betting.raises_in_round
        total = self._sized(betting.game, us, int(betting.total_of_pots(_BET)))
        return _Rules(exponent, opponents, betting.pot, to_call, raises, total)

    # --- what the rules ask for ----------------------------------------------------------------------------

    def _raising(self, view: HandView, position: int) -> float:
        """*f*: how often the player in a position raises before the flop."""
        counts = self._seen[self.seat_of(view, position)]
        return counts[1] / counts[0]

    def _shown_strength(self, view: HandView, betting: BettingState) -> float:
        """The number of opponents that bets and raises of those still in the hand count for, in addition."""
        shown = 0.0
        us, folded = view.position, betting.folded
        for before, position, action in betting.steps_back():
            if action.kind is ActionKind.RAISE and position != us and not folded[position]:
                counts = self._seen[self.seat_of(view, position)]
                if before.betting_round == 0:
                    shown += 0.5 * (1.0 - counts[1] / counts[0])
                else:
                    shown += 1.0 - counts[3] / counts[2]
        return shown

    @staticmethod
    def _sized(game: GameDefinition, position: int, total: int) -> int:
        """The total of a raise: all chips if it would be a large part of them."""
        stack = game.betting_stacks[position]
        return stack if total >= _ALL_IN * stack else total


class _Shares(NamedTuple):
    """The shares of the best hands that are raised and played before the flop."""

    raising: float
    """The share of hands that are raised."""
    calling: float
    """The share of hands that are played at all, if that is more."""
    total: int
    """The total of a raise, in chips."""

    def triple(self, better: float) -> ProbabilityTriple:
        """The triple of a hand, given the share of all hands that are better."""
        if better <= self.raising:
            return _RAISES
        return _CALLS if better <= self.calling else _FOLDS


class _Rules(NamedTuple):
    """The rules after the flop, in one state of the betting."""

    exponent: float
    """The power of the hand strength: the number of opponents, plus what their bets and raises add."""
    opponents: int
    pot: int
    to_call: int
    raises: int
    total: int
    """The total of a raise, in chips."""

    def triple(self, strength: float, outs: int) -> ProbabilityTriple:
        """The triple of a hand, given its strength against one random hand and its outs."""
        strength **= self.exponent
        pot, to_call = self.pot, self.to_call
        if to_call <= 0:
            if strength >= _VALUE_BET:
                return _RAISES
            if outs >= _SEMI_BLUFF_OUTS and self.opponents <= 2:
                return _SEMI_BLUFFS
            return _CALLS
        if strength >= _VALUE_RAISE and self.raises < _MOST_RAISES:
            return _RAISES
        win = strength + (1.0 - strength) * outs / _UNSEEN
        calls = win * (pot + to_call) >= to_call
        if outs >= _SEMI_RAISE_OUTS and self.raises == 1:
            return _SEMI_RAISES_OR_CALLS if calls else _SEMI_RAISES_OR_FOLDS
        return _CALLS if calls else _FOLDS


def _made_legal(triple: ProbabilityTriple, legal: LegalActions) -> ProbabilityTriple:
    if triple.raise_ > 0.0 and not legal.can_raise:
        return _CALLS
    if triple.fold > 0.0 and not legal.can_fold:
        return ProbabilityTriple(0.0, triple.call + triple.fold, triple.raise_)
    return triple


@functools.lru_cache(maxsize=64)
def _cards_worth(hole: tuple[int, ...], board: tuple[int, ...]) -> tuple[float, int]:
    """Hand strength against one random hand, and outs."""
    return strength_of(hole, board), draw_outs(hole, board) if len(board) < 5 else 0


def draw_outs(hole: Sequence[int], board: Sequence[int]) -> int:
    """The number of cards that complete a flush or straight with a hole card, by simple counting.

    Nine for four of a suit, four for each rank that makes a straight; a card that does both counts once.

    Args:
        hole: two cards.
        board: 3 or 4 cards.
    """
    suits = ranks = 0
    for card in board:
        suits += 1 << 4 * (card & 3)
        ranks |= 1 << (card >> 2)
    missing = -_straight_ranks(ranks) - 1
    for card in hole:
        suits += 1 << 4 * (card & 3)
        ranks |= 1 << (card >> 2)
    straight = (_straight_ranks(ranks) & missing).bit_count()
    first, second = hole
    if suits >> 4 * (first & 3) & 15 == 4 or suits >> 4 * (second & 3) & 15 == 4:
        return 9 + 3 * straight
    return 4 * straight


@functools.lru_cache(maxsize=8)
def _all_outs(board: tuple[int, ...]) -> list[int]:
    """The outs of every combo, in the order of ``engine.poker.combos``; meaningless for dead combos."""
    if len(board) == 5:
        return [0] * NUM_COMBOS
    return [draw_outs((high, low), board) for high in range(NUM_CARDS) for low in range(high)]


@functools.cache
def _straight_ranks(ranks: int) -> int:
    """The ranks, as bits, each of which completes a straight; none if there is a straight already."""
    if _has_straight(ranks):
        return 0
    return sum(1 << rank for rank in range(13) if not ranks >> rank & 1 and _has_straight(ranks | 1 << rank))


def _has_straight(ranks: int) -> bool:
    with_low_ace = ranks << 1 | ranks >> 12
    return any(with_low_ace >> low & 0b11111 == 0b11111 for low in range(10))


@functools.lru_cache(maxsize=_NODES)
def _round_so_far(betting: BettingState) -> tuple[tuple[int, ...], int, int]:
    """Before the flop: the other players still to act, the number of calls, and the last raiser.

    The last raiser is the player to act if nobody has raised.
    """
    to_act = betting.actor()
    raiser = to_act
    acted = {to_act}
    callers = 0
    for _, position, action in betting.steps():
        acted.add(position)
        if action.kind is ActionKind.CALL:
            callers += 1
        elif action.kind is ActionKind.RAISE:
            raiser = position
    behind = tuple(p for p in range(betting.game.num_players) if p not in acted and betting.can_act(p))
    return behind, callers, raiser


@functools.lru_cache(maxsize=_NODES)
def _counts(betting: BettingState) -> tuple[tuple[int, int, int, int], ...]:
    """What a finished hand adds to each position's counts: hands in which the player acted, hands in which
    the first action before the flop was a raise, actions after the flop, bets and raises after the flop."""
    counts = [[0, 0, 0, 0] for _ in range(betting.game.num_players)]
    for before, position, action in betting.steps():
        count, raised = counts[position], action.kind is ActionKind.RAISE
        if before.betting_round > 0:
            count[2] += 1
            count[3] += raised
        elif not count[0]:  # the first
            count[:2] = 1, int(raised)
    return tuple((hands, raised, actions, raises) for hands, raised, actions, raises in counts)
