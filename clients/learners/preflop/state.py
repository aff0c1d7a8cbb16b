"""The state of the environment: what a pre-flop learner observes (Poker Learner 4.2.1.4).

The key of a state combines four variables in one number:

==================  =====================================================================================
hand value          the 169 groups of hole cards of the same ranks, suited or not
button position     early, middle, late
last player         the player who last called or raised: by playing style, 0 to 3, or number of the name
last action         what that player did: called or raised; in one reading (``action_values``) also
                    posted the blind, if nobody has acted on it yet
==================  =====================================================================================

**Playing styles** are counts of what each player does, and the four styles of Fig. 4.2.  There are two
classifiers, as the thesis means it and as it prints it (`engine.players.statistics`).  They also count calls
differently.  *As meant*, a call counts if a raise was possible: a player who always moves all in can only
call once another one has done so, and among such players always-all-in would count as passive.  *As
printed*, every call of a bet counts.  Checks never count.
"""

from __future__ import annotations

import functools
from typing import Final, Literal, NamedTuple

from engine.players.statistics import PlayingStyle, style_as_meant, style_as_printed
from engine.poker.cards import NUM_CARDS, NUM_RANKS
from engine.poker.rules import ActionKind, BettingState, GameDefinition

Classifier = Literal["as-printed", "as-meant"]

NUM_GROUPS: Final = NUM_RANKS * NUM_RANKS
POSITIONS: Final = ("early", "middle", "late")
ACTIONS: Final = ("blind", "call", "raise")

BLIND, CALL, RAISE = range(3)


def _group(card: int, other: int) -> int:
    high, low = max(card, other) >> 2, min(card, other) >> 2
    return high * NUM_RANKS + low if card & 3 == other & 3 else low * NUM_RANKS + high


# A separate table, since `engine.poker.combos` needs NumPy, and a learner without a file starts without it.
HAND_GROUP: Final = bytes(_group(card, other) for card in range(NUM_CARDS) for other in range(NUM_CARDS))
"""The starting hand, numbered as in `engine.poker.combos`, of the cards a and b at ``52 * a + b``."""


class StateVariables(NamedTuple):
    """The four variables of a state."""

    group: int
    """The starting hand of `engine.poker.combos`, 0 to 168."""
    position: int
    """Index in `POSITIONS`."""
    last_player: int
    last_action: int
    """Index in `ACTIONS`."""


def state_key(group: int, position: int, last_player: int, last_action: int) -> int:
    """The key of a state."""
    return ((last_player * 3 + last_action) * 3 + position) * NUM_GROUPS + group


def split_key(key: int) -> StateVariables:
    """The variables of the state with a key."""
    rest, group = divmod(key, NUM_GROUPS)
    rest, position = divmod(rest, 3)
    last_player, last_action = divmod(rest, 3)
    return StateVariables(group, position, last_player, last_action)


def button_positions(game: GameDefinition) -> tuple[int, ...]:
    """Early, middle or late (0, 1, 2) for each position of a game.

    The order is that in which positions act after the flop: the small blind is first, the button last.  They
    are divided into thirds as evenly as possible, with early and late equal: two players are early and late,
    five are 2, 1 and 2, six are 2, 2 and 2.
    """
    n, first = game.num_players, game.first_positions[-1]
    return tuple(round(2 * ((position - first) % n) / (n - 1)) for position in range(n))


def last_caller_or_raiser(betting: BettingState) -> tuple[int, int]:
    """The position that last called or raised before the flop, and what it did (index in `ACTIONS`).

    If nobody has, it is the big blind.  A call with all of a player's chips counts as a raise, since the
    player could do no more.
    """
    for _, position, action in betting.steps_back():
        if action.kind is not ActionKind.FOLD:
            return position, _called_or_raised(betting, position, action.kind)
    return betting.game.blinds.index(max(betting.game.blinds)), BLIND


def last_action_of_others(betting: BettingState, own: int) -> tuple[int, int] | None:
    """The same for a finished hand, over all rounds and all players except one; None if nobody did either.

    A check is neither a call nor a raise.
    """
    for before, position, action in betting.steps_back():
        if position == own or action.kind is ActionKind.FOLD:
            continue
        if action.kind is ActionKind.RAISE or before.amount_to_call(position) > 0:
            return position, _called_or_raised(betting, position, action.kind)
    return None


def _called_or_raised(betting: BettingState, position: int, kind: ActionKind) -> int:
    is_all_in = betting.spent[position] >= betting.game.betting_stacks[position]
    return RAISE if is_all_in or kind is ActionKind.RAISE else CALL


# --- playing styles -----------------------------------------------------------------------------------------

_UNSEEN: Final = PlayingStyle.TIGHT_PASSIVE
"""The style of an unknown player, which is what both classifiers make of four zeros."""


@functools.lru_cache(maxsize=1 << 13)
def _counts(betting: BettingState) -> tuple[tuple[int, int, int, int], ...]:
    """A hand's counts by position: flops seen, calls, calls instead of a raise, raises."""
    n = betting.game.num_players
    calls, free_calls, raises, folds = [0] * n, [0] * n, [0] * n, [-1] * n
    for before, position, action in betting.steps():
        if action.kind is ActionKind.RAISE:
            raises[position] += 1
        elif action.kind is ActionKind.FOLD:
            folds[position] = before.betting_round
        elif before.amount_to_call(position) > 0:
            calls[position] += 1
            free_calls[position] += before.legal_actions().can_raise
    has_flop = betting.betting_round > 0
    return tuple((int(has_flop and folds[p] != 0), calls[p], free_calls[p], raises[p]) for p in range(n))


class StyleTable:
    """The styles of all players at a table, from the hands seen so far."""

    def __init__(self, num_players: int, classifier: Classifier) -> None:
        self._as_meant = classifier == "as-meant"
        self.hands = 0
        """Hands seen so far."""
        self.counts = [[0, 0, 0] for _ in range(num_players)]
        """Flops seen, calls and raises of each seat."""
        self.numbers = [_UNSEEN.value] * num_players
        """The number of each seat's style, 0 to 3."""

    def observe_hand(self, betting: BettingState, first_seat: int) -> None:
        """Count a finished hand.

        Args:
            betting: the state at its end.
            first_seat: the seat of position 0.
        """
        self.hands = hands = self.hands + 1
        counts, styles = self.counts, self.numbers
        as_meant, n = self._as_meant, len(styles)
        seat = first_seat
        for flop, calls, free_calls, raises in _counts(betting):
            total = counts[seat]
            total[0] += flop
            total[1] += free_calls if as_meant else calls
            total[2] += raises
            style = style_as_meant if as_meant else style_as_printed
            styles[seat] = style(hands, *total).value
            seat += 1
            if seat == n:
                seat = 0
