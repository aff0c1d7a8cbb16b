"""A small game as a tree of arrays, made from the rules: public nodes, information sets, payoffs.

The deal of hole cards comes first and has no node of its own.  ``engine.kernels.solving.tree`` describes
the arrays: a *block* is a public node with all its deals, and a *slot* is an action at an information set.  A
policy is an array of chances by slot.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.tree import CHANCE, TERMINAL, Block, TreeArrays
from engine.poker.rules import Action, BettingState, GameDefinition, HandView, chips_won, hand_rank
from engine.solving.betting_tree import FOLDED, BettingTree
from engine.solving.deals import GameDeals, num_deals, num_views
from engine.solving.walk import TooLarge
from engine.support.arrays import Floats, Ints, Ints32

MOST_NODES: Final = 20_000_000
"""The most nodes that are kept in memory; solving then takes some 2 GB in all."""


@attrs.frozen(eq=False)
class PublicNode:
    """A public node, or block: what everybody sees, whatever the hole cards."""

    number: int
    kind: int
    """The position to act; `CHANCE` where cards are dealt, `TERMINAL` where the hand is over."""
    betting: BettingState
    dealt_round: int
    """The last round whose cards are dealt; at a chance node, it is before the round of the betting."""
    actions: tuple[Action, ...]
    """The legal actions of the position to act; empty if nobody is to act."""
    children: list[int]
    """The numbers of the blocks below: one for each action, or the one after the cards."""
    first_node: int
    """Its first node in arrays by node."""
    size: int
    """The number of its nodes: one for each deal up to `dealt_round`."""
    first_slot: int
    """Its first slot; only at a decision."""
    num_views: int
    """The number of views of the position to act; 0 if nobody is to act."""
    first_set: int
    """The number of its first information set; only at a decision."""

    def slots(self, values: Floats) -> Floats:
        """The part of an array by slot that belongs to this decision, shape (actions, views); not a copy."""
        end = self.first_slot + len(self.actions) * self.num_views
        return values[self.first_slot : end].reshape(len(self.actions), self.num_views)

    @property
    def nodes(self) -> slice:
        """The place of its nodes in arrays by node."""
        return slice(self.first_node, self.first_node + self.size)


@attrs.frozen(eq=False)
class InformationSet:
    """The nodes that the player to act cannot tell apart: a public node and a view."""

    node: PublicNode
    view: int
    number: int

    @property
    def position(self) -> int:
        """The position to act."""
        return self.node.kind

    @property
    def slots(self) -> slice:
        """The place of its actions in arrays by slot."""
        node = self.node
        first = node.first_slot + self.view
        return slice(first, first + len(node.actions) * node.num_views, node.num_views)


class GameTree:
    """The tree of a small game.

    Args:
        game: the game.
        deals: its deals, or a variation of them; None to make them.
        most_nodes: the most nodes it may have.

    Raises:
        TooLarge: it has more nodes; the message is one line for people.
    """

    def __init__(
        self, game: GameDefinition, deals: GameDeals | None = None, most_nodes: int = MOST_NODES
    ) -> None:
        self.game = game
        nodes = _blocks(game, deals, most_nodes)
        self.nodes: tuple[PublicNode, ...] = tuple(nodes)
        """Public nodes, parents first."""
        self.deals = deals or GameDeals(game)
        last = nodes[-1]
        self.num_nodes = last.first_node + last.size
        decisions = [node for node in nodes if node.kind >= 0]
        self.num_slots = sum(len(node.actions) * node.num_views for node in decisions)
        self.num_information_sets = sum(node.num_views for node in decisions)
        self._by_betting = {node.betting.text: node for node in decisions}
        self.arrays = self._make_arrays()

    @property
    def decisions(self) -> Iterator[PublicNode]:
        """Public nodes at which somebody is to act, parents first."""
        return (node for node in self.nodes if node.kind >= 0)

    def decision(self, betting: BettingState) -> PublicNode:
        """The public node at which a betting stands.

        Raises:
            ValueError: the betting is of another game, or nobody is to act.
        """
        node = self._by_betting.get(betting.text)
        if node is None or betting.game != self.game:
            raise ValueError(f"after {betting.text!r} nobody is to act in this game")
        return node

    def information_set(self, view: HandView) -> InformationSet:
        """The information set of a player who is to act and has this view of the hand.

        Raises:
            ValueError: it is not this player's turn, or the hand is of another game.
        """
        node = self.decision(view.betting)
        if node.kind != view.position:
            raise ValueError(
                f"position {node.kind} is to act after {view.betting.text!r}, not {view.position}"
            )
        number = self.deals.view_of(node.dealt_round, view.own_cards, view.board)
        return InformationSet(node, number, node.first_set + number)

    def information_sets(self) -> Iterator[InformationSet]:
        """All information sets, in the order of their numbers."""
        for node in self.decisions:
            for view in range(node.num_views):
                yield InformationSet(node, view, node.first_set + view)

    def hand_view(self, found: InformationSet, hand_number: int = 0) -> HandView:
        """The view of the player to act at an information set."""
        node = found.node
        own, board = self.deals.cards_of(node.dealt_round, found.view)
        hole = tuple(own if p == node.kind else () for p in range(self.game.num_players))
        return HandView(node.betting, node.kind, hand_number, hole, board)

    def views_at(self, node: PublicNode, position: int | None = None) -> Ints32:
        """The views at the nodes of a block, shape (size,): of the position to act, or of another one."""
        by_position = self.deals.views[node.dealt_round]
        return by_position[node.kind if position is None else position]

    # --- arrays --------------------------------------------------------------------------------------------

    def _make_arrays(self) -> TreeArrays:
        game, deals = self.game, self.deals
        starts, views, end = {}, [], 0
        for betting_round, by_position in enumerate(deals.views):
            for position in range(game.num_players):
                starts[betting_round, position] = end
                views.append(by_position[position])
                end += by_position[position].size
        blocks = np.zeros((len(self.nodes), len(Block)), np.int64)
        children: list[int] = []
        payoffs: list[Floats] = []
        num_ends = 0
        for node, row in zip(self.nodes, blocks, strict=True):
            row[[Block.KIND, Block.FIRST_NODE, Block.SIZE]] = node.kind, node.first_node, node.size
            row[Block.FIRST_CHILD] = len(children)
            children.extend(node.children)
            if node.kind == TERMINAL:
                row[Block.FIRST_SLOT] = num_ends
                payoffs.append(self._payoffs(node))
                num_ends += node.size
            elif node.kind == CHANCE:
                row[Block.NUM_ACTIONS] = self.nodes[node.children[0]].size // node.size
            else:
                row[Block.NUM_ACTIONS], row[Block.FIRST_SLOT] = len(node.actions), node.first_slot
                row[Block.NUM_VIEWS], row[Block.FIRST_SET] = node.num_views, node.first_set
                row[Block.FIRST_VIEW] = starts[node.dealt_round, node.kind]
        return TreeArrays(
            blocks,
            np.array(children, np.int64),
            np.concatenate(views),
            self._parents(),
            np.ascontiguousarray(np.concatenate(payoffs, axis=1)),
            deals.chances,
        )

    def _parents(self) -> Ints:
        """The slot of the player's own last action before each information set; -1 for none."""
        parents = np.full(self.num_information_sets, -1, np.int64)
        views = self.deals.views
        for node in self.decisions:
            for before, position, action in node.betting.steps_back():
                if position != node.kind:
                    continue
                earlier = self._by_betting[before.text]
                now, then = views[node.dealt_round][position], views[earlier.dealt_round][position]
                slot = earlier.first_slot + earlier.actions.index(action) * earlier.num_views
                parents[node.first_set + now] = slot + np.repeat(then, now.size // then.size)
                break
        return parents

    def _payoffs(self, node: PublicNode) -> Floats:
        """Chips won by each position at the nodes of a terminal block, shape (positions, deals)."""
        game, betting = self.game, node.betting
        if not betting.is_showdown:
            won = chips_won(betting, ((),) * game.num_players, ())
            return np.repeat(np.array(won)[:, None], node.size, axis=1)
        inside = [p for p, out in enumerate(betting.folded) if not out]
        ranks = self._ranks[self.deals.views[node.dealt_round][inside]]
        # Deals in which the same hands beat the same others pay alike: one of each kind is settled.
        orders, kinds = np.unique(
            np.sign(ranks[:, None] - ranks[None, :]).reshape(-1, node.size), axis=1, return_inverse=True
        )
        kinds = kinds.reshape(-1)
        firsts = [int(np.argmax(kinds == kind)) for kind in range(orders.shape[1])]
        return np.array([self._paid(node, first) for first in firsts]).T[:, kinds]

    def _paid(self, node: PublicNode, deal: int) -> tuple[float, ...]:
        """Chips won by each position in one deal that goes to showdown."""
        cards = [
            self.deals.cards_of(node.dealt_round, int(v[deal])) for v in self.deals.views[node.dealt_round]
        ]
        return chips_won(node.betting, [own for own, _ in cards], cards[0][1])

    @functools.cached_property
    def _ranks(self) -> Ints:
        """The rank at showdown of each view of the last round; greater is better."""
        last = self.game.num_rounds - 1
        most = max(self.deals.num_views(last, position) for position in range(self.game.num_players))
        cards = (self.deals.cards_of(last, view) for view in range(most))
        return np.array([hand_rank((*own, *board)) for own, board in cards], np.int64)


def _blocks(game: GameDefinition, deals: GameDeals | None, most_nodes: int) -> list[PublicNode]:
    """The public nodes of a game: its bettings, and the cards that are dealt between them."""
    rounds, positions = range(game.num_rounds), range(game.num_players)
    if deals is None:  # counted, not listed: the deals may not fit into memory
        sizes = [num_deals(game, r) for r in rounds]
        views = [[num_views(game, r)] * game.num_players for r in rounds]
    else:
        sizes = deals.sizes
        views = [[deals.num_views(r, p) for p in positions] for r in rounds]
    found: list[PublicNode] = []
    num_nodes = num_slots = num_sets = 0

    def add(kind: int, betting: BettingState, dealt_round: int, actions: tuple[Action, ...] = ()) -> None:
        nonlocal num_nodes, num_slots, num_sets
        size, seen = sizes[dealt_round], views[dealt_round][kind] if kind >= 0 else 0
        node = PublicNode(
            len(found), kind, betting, dealt_round, actions, [], num_nodes, size, num_slots, seen, num_sets
        )
        found.append(node)
        num_nodes += size
        num_slots += len(actions) * seen
        num_sets += seen
        if num_nodes > most_nodes:
            raise TooLarge

    try:
        tree = BettingTree(game, most_nodes=most_nodes // sizes[0])
        of_bettings: list[PublicNode] = []
        for number, betting in enumerate(tree.bettings):
            dealt_round, first = 0, len(found)
            if number:
                above = of_bettings[tree.parents[number]]
                above.children.append(first)
                dealt_round = above.dealt_round
            while dealt_round < betting.betting_round and tree.kinds[number] != FOLDED:
                if sizes[dealt_round + 1] != sizes[dealt_round]:  # else no cards are dealt in between
                    add(CHANCE, betting, dealt_round)
                    found[-1].children.append(len(found))
                dealt_round += 1
            kind = TERMINAL if betting.position_to_act is None else betting.position_to_act
            add(kind, betting, dealt_round, tuple(tree.actions[number]))
            of_bettings.append(found[-1])
    except TooLarge:
        raise TooLarge(
            f"the game has more than {most_nodes} nodes, too many to be solved as a whole: "
            "expected a small one such as kuhn-2p or leduc"
        ) from None
    return found


@functools.lru_cache(maxsize=4)
def game_tree(game: GameDefinition) -> GameTree:
    """The tree of a game, remembered.

    Raises:
        TooLarge: the game has too many nodes to be solved as a whole; the message is one line for people.
    """
    return GameTree(game)
