"""The public situation at a node of the betting tree, as in ``engine.players.action_context``."""

from __future__ import annotations

from engine.kernels._jit import integer, kernel
from engine.kernels.players.trials.tree import TreeNode
from engine.kernels.poker.betting import General, Node, Rule, pot_of
from engine.poker import records as plain
from engine.poker.records import LastAction, PublicSituation
from engine.support.arrays import Ints

_context_index = kernel(allocates=False, inlined=True)(plain.context_index)
_bets_to_call = kernel(allocates=False, inlined=True)(plain.bets_to_call)
_no_limit_bet = kernel(allocates=False, inlined=True)(plain.no_limit_bet)
_no_limit_future_bets = kernel(allocates=False, inlined=True)(plain.no_limit_future_bets)


@kernel(allocates=False)
def situation_in(rules: Ints, integers: Ints) -> PublicSituation:
    """The public situation of the position to act at a node, given by its integers."""
    position = integer(integers[Node.TO_ACT])
    betting_round = integer(integers[Node.ROUND])
    num_players = integer(rules[Rule.GENERAL, General.NUM_PLAYERS])
    spent_by_position = integers[TreeNode.SPENT : TreeNode.SPENT + num_players]
    stack, spent = rules[Rule.STACK, position], spent_by_position[position]
    opponents = ((1 << num_players) - 1) & ~integer(integers[Node.FOLDED]) & ~(1 << position)
    with_chips = called_last = raised_last = is_in = matched = left = 0
    for other in range(num_players):
        last_action = integers[TreeNode.LAST_ACTION + other]
        called_last |= integer(last_action == LastAction.CALLED) << other
        raised_last |= integer(last_action == LastAction.RAISED) << other
        is_in |= integer(spent_by_position[other] > 0) << other
        matched |= integer(spent_by_position[other] == integers[Node.MAX_SPENT]) << other
        behind = rules[Rule.STACK, other] - spent_by_position[other]
        left = max(left, behind if opponents >> other & 1 else 0)
        with_chips |= integer(behind > 0) << other
    left = min(left, stack - spent)
    if betting_round > 0:
        is_in = integer(integers[TreeNode.ENTERED])
    raises = integer(integers[Node.RAISES])
    raiser = integer(integers[Node.LAST_RAISER]) if raises > 0 else -1
    pot = pot_of(rules, spent_by_position)
    to_call = max(0, min(stack, integers[Node.MAX_SPENT]) - spent)
    is_limit = rules[Rule.GENERAL, General.IS_LIMIT] != 0
    num_rounds = rules[Rule.GENERAL, General.NUM_ROUNDS]
    if is_limit:
        bet = float(rules[Rule.RAISE_SIZE, betting_round])
        future = 0.0
        for later in range(betting_round + 1, num_rounds):
            future += rules[Rule.RAISE_SIZE, later]
    else:
        big_blind = float(rules[Rule.GENERAL, General.BIG_BLIND])
        bet = _no_limit_bet(float(pot), float(to_call), float(left), big_blind)
        future = _no_limit_future_bets(float(pot), float(to_call), integer(num_rounds - 1 - betting_round))
    return PublicSituation(
        betting_round=betting_round,
        num_players=integer(rules[Rule.GENERAL, General.NUM_PLAYERS]),
        position=position,
        raises=raises,
        raiser=raiser,
        entered=integer(integers[TreeNode.ENTERED]) & opponents,
        to_respond=opponents & with_chips & ~integer(integers[Node.RESPONDED]),
        opponents=opponents,
        called_last=called_last,
        raised_last=raised_last,
        is_in=is_in,
        matched=matched,
        pot=float(pot),
        to_call=float(to_call),
        bet=bet,
        future_bets=min(future, float(max(left - to_call, 0))),
        raises_left=max(0, integer(rules[Rule.MAX_RAISES, betting_round]) - raises),
        is_limit=is_limit,
        can_fold=spent != integers[Node.MAX_SPENT],
        can_raise=integers[TreeNode.LOW] > 0,
    )


@kernel(allocates=False)
def context_in(situation: PublicSituation, integers: Ints) -> int:
    """The number of the context in which an action in this situation is counted."""
    last_action = integer(integers[TreeNode.LAST_ACTION + situation.position])
    return integer(
        _context_index(
            situation.betting_round, _bets_to_call(situation), last_action, situation.raises > 0,
            not situation.can_raise,
        )
    )  # fmt: skip
