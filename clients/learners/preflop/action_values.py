"""The values of fold, call and raise in a state: how they start, change, and lead to an action.

Source: Poker Learner 4.2.1.3 and 4.2.1.4.  Each rule adds to the three values::

    increment fold    fold + 1   call - 1   raise - 1
    decrement fold    fold - 2   call + 1   raise + 1
    increment call    fold - 1   call + 1   raise + 2
    decrement call    fold + 1   call - 2   raise - 4
    increment raise   fold - 1   call - 1   raise + 1
    decrement raise   fold + 1   call + 1   raise - 2

**Whether an action was right** is judged by the cards of a showdown, in two ways.  *By hole cards*: ours
against those of each opponent who showed, one verdict for each.  *By the winning hand*: the best five of our
cards and the board against the best hand that anybody showed, one verdict; in one reading against each
opponent's hand.

A verdict is 1 if we were ahead, 0 if tied, -1 if behind.  Verdict and action together choose a rule:

==========  ==================  =============  ==================
action      ahead               tied           behind
==========  ==================  =============  ==================
fold        decrement fold      none           increment fold
call        increment call      none           decrement call
raise       increment raise     none           decrement raise
==========  ==================  =============  ==================

Folding the better hand was wrong, folding the worse one right; a tie says neither.

Passages of the thesis that can be read in more than one way are options of the learners.

``last-action``: the state's last player and last action while nobody has called or raised.

================  ========================================================================================
`carried-over`    those of the last hand in which somebody else did: two values, call and raise, as 4.2.1.4
                  says, and no variable unknown.  In the very first hand the big blind, as a call
`blind-calls`     the big blind, as a call: again two values
`blind`           the big blind, with a third value for its action
================  ========================================================================================

``winner``: the hands with which the best five cards are compared (4.2.2.2).

================  ========================================================================================
`ties-win`        the best hand that anybody else showed; splitting the pot with it counts as winning, since
                  the winner of a pot is also compared with itself (4.1)
`strict`          the same, but a split says nothing
`each`            the hand of each opponent who shows, as with hole cards
================  ========================================================================================

``penalty``: what a way of judging loses when it finds an action wrong (4.2.1.4, last paragraph).

================  ========================================================================================
`each`            one for each comparison that finds the action wrong
`once`            one if more comparisons find the action wrong than right
================  ========================================================================================

``showdowns``: the showdowns to learn from: GameInfo's number of players also serves "to verify if it is
worthy of applying a learning strategy (due to some restrictions in the learning method)" (4.2.1.1).

================  ========================================================================================
`any`             all
`two`             those of two players: among more, the best hand says less about each of them
================  ========================================================================================

Values learnt in the states of one reading of ``last-action`` mean nothing in those of another, so a knowledge
file notes its reading and keeps to it.

``riverboat experiment poker-learner --reading KEY=VALUE`` shows how close a reading comes to the thesis's
tables; ``RESULTS.md`` beside this file, how close the defaults come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from clients.core.agent import Agent, ProbabilityTriple
from engine.poker.cards import NUM_CARDS, NUM_RANKS
from engine.poker.rules import hand_rank
from engine.support.seeds import derive_seed

FOLD, CALL, RAISE, UPDATES, HOLE_CARDS, WINNING_HAND = range(6)
"""The indices of a state's values: the values of the actions, how often they were updated (``nCases``), and
the values of the two ways of judging."""
NUM_VALUES: Final = 6

_START_BELOW: Final = 100
_DRAWN: Final = (FOLD, CALL, RAISE, HOLE_CARDS, WINNING_HAND)

Rule = tuple[int, int, int]
"""What a rule adds to the values of fold, call and raise."""

INCREMENT_FOLD: Final[Rule] = (1, -1, -1)
DECREMENT_FOLD: Final[Rule] = (-2, 1, 1)
INCREMENT_CALL: Final[Rule] = (-1, 1, 2)
DECREMENT_CALL: Final[Rule] = (1, -2, -4)
INCREMENT_RAISE: Final[Rule] = (-1, -1, 1)
DECREMENT_RAISE: Final[Rule] = (1, 1, -2)


def start_values(seed: int, key: int) -> list[int]:
    """The values of a new state, each from 0 to 99; they depend on the seed and the state alone."""
    values = [0] * NUM_VALUES
    own = derive_seed(seed, key)
    for index in _DRAWN:
        values[index] = derive_seed(own, index) % _START_BELOW
    return values


def apply_rule(values: list[int], rule: Rule) -> None:
    """Change the values of a state in place; none falls below zero."""
    for action in (FOLD, CALL, RAISE):
        values[action] = max(0, values[action] + rule[action])
    values[UPDATES] += 1


def best_action(values: list[int], agent: Agent) -> int:
    """The action of the greatest value; ties are broken at random with the agent's generator."""
    best = max(values[:3])
    actions = [action for action in (FOLD, CALL, RAISE) if values[action] == best]
    return actions[0] if len(actions) == 1 else agent.rng.choice(actions)


def drawn_action(values: list[int], agent: Agent) -> int:
    """An action drawn in proportion to the values (Fig. 4.6); uniformly if all are zero."""
    fold, call, raise_ = values[0], values[1], values[2]
    total = fold + call + raise_
    if not total:
        fold = call = 1
        total = 3
    drawn = agent.rng.random() * total
    if drawn < fold:
        return FOLD
    return CALL if drawn < fold + call else RAISE


def greedy_triple(values: list[int]) -> ProbabilityTriple:
    """The probabilities with which `best_action` takes each action."""
    best = max(values[:3])
    chances = [float(value == best) for value in values[:3]]
    total = sum(chances)
    return ProbabilityTriple(*(chance / total for chance in chances))


def proportional_triple(values: list[int]) -> ProbabilityTriple:
    """The probabilities with which `drawn_action` takes each action."""
    total = sum(values[:3])
    if not total:
        return ProbabilityTriple(1 / 3, 1 / 3, 1 / 3)
    return ProbabilityTriple(*(value / total for value in values[:3]))


# --- verdicts ----------------------------------------------------------------------------------------------

LastActionReading = Literal["carried-over", "blind-calls", "blind"]
WinnerReading = Literal["ties-win", "strict", "each"]
PenaltyReading = Literal["each", "once"]
ShowdownsReading = Literal["any", "two"]

RULES: Final[tuple[tuple[Rule | None, Rule | None, Rule | None], ...]] = (
    (None, DECREMENT_FOLD, INCREMENT_FOLD),
    (None, INCREMENT_CALL, DECREMENT_CALL),
    (None, INCREMENT_RAISE, DECREMENT_RAISE),
)
"""The rule for each action and verdict; verdict -1 is the last entry, by Python's indexing."""


def _hole_cards_value(card: int, other: int) -> int:
    high, low = max(card, other) >> 2, min(card, other) >> 2
    return NUM_RANKS * NUM_RANKS + high if high == low else NUM_RANKS * high + low


HOLE_CARDS_VALUE: Final = tuple(_hole_cards_value(a, b) for a in range(NUM_CARDS) for b in range(NUM_CARDS))
"""The rank of hole cards a and b at ``52 * a + b``: greater is better, equal is a tie.

A pair beats all other hands; then the higher card counts, then the lower one.  Suits do not count.
"""


def compare_hole_cards(own: Sequence[int], other: Sequence[int]) -> int:
    """1 if our hole cards are better, -1 if the other's are, 0 for a tie.

    It follows the text of 4.2.1.3; the listing of Fig. 4.4 reverses the second card and has a branch that
    cannot be reached.
    """
    ours = HOLE_CARDS_VALUE[NUM_CARDS * own[0] + own[1]]
    theirs = HOLE_CARDS_VALUE[NUM_CARDS * other[0] + other[1]]
    return (ours > theirs) - (ours < theirs)


def hole_cards_verdicts(own: Sequence[int], shown: Sequence[Sequence[int]]) -> list[int]:
    """The verdicts of our hole cards against each opponent's."""
    return [compare_hole_cards(own, other) for other in shown]


def winning_hand_verdict(own: Sequence[int], shown: Sequence[Sequence[int]], board: Sequence[int]) -> int:
    """The verdict of our best five cards against the best shown: 1 if they win, 0 if they split, -1 if not.

    Args:
        own: our hole cards, whether or not we folded them.
        shown: the hole cards of the opponents at the showdown, at least one.
        board: all five cards.
    """
    ours = hand_rank((*own, *board))
    theirs = max([hand_rank((*other, *board)) for other in shown])
    return (ours > theirs) - (ours < theirs)


def winning_hand_verdicts(
    own: Sequence[int], shown: Sequence[Sequence[int]], board: Sequence[int], reading: WinnerReading
) -> list[int]:
    """The verdicts of the best five cards in a reading of the thesis; cards as in `winning_hand_verdict`."""
    if reading == "each":
        return [winning_hand_verdict(own, [other], board) for other in shown]
    verdict = winning_hand_verdict(own, shown, board)
    return [1 if reading == "ties-win" and verdict == 0 else verdict]
