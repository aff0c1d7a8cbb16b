"""What `engine.evidence` says of hands that are given one by one."""

from collections.abc import Sequence

import numpy as np

from engine.evidence.aivat.estimates import Told
from engine.evidence.columns.hands import HandColumns
from engine.evidence.equity import KnownCards
from engine.evidence.estimates import Evidence
from engine.poker.rules import GameDefinition, HandState

KnownHand = tuple[int, Sequence[Sequence[int]], Sequence[int]]
"""A hand's number, the hole cards by position, and the board."""


Row = tuple[HandState, Sequence[float], Sequence[int], int]
"""A hand, the chips won and the player by position, and the number of the deal."""


def evidence_of(rows: Sequence[Row], passes: int = 1, told: Sequence[Told] | None = None) -> Evidence:
    """The evidence of hands; for AIVAT with what was told in each."""
    hands, chips, players, deals = zip(*rows, strict=True)
    game = hands[0].betting.game
    evidence = Evidence(game, with_aivat=told is not None)
    stories = list(zip(hands, told or [{}] * len(hands), strict=True))
    columns = HandColumns.of(game, hands)
    evidence.add(columns, np.array(chips, float), np.array(players), np.array(deals), passes, stories)
    return evidence


def all_in_chips(hand: HandState) -> tuple[float, ...]:
    """What each position won, averaged over the cards dealt after nobody could act any more.

    Raises:
        ValueError: hole cards are not known and the cards to come depend on them.
    """
    evidence = evidence_of([(hand, hand.chips_won(), range(hand.betting.game.num_players), 0)])
    values = evidence.values("all_in")
    if values is None:
        raise ValueError(evidence.missing["all_in"])
    return tuple(values[0].tolist())


def known_cards(game: GameDefinition, hands: Sequence[KnownHand]) -> KnownCards:
    """The cards of some hands in columns."""
    size = game.board_ends[-1]
    return KnownCards(
        np.array([number for number, _, _ in hands], np.int64),
        np.array([holes for _, holes, _ in hands], np.uint8),
        np.array([[*board, *[0] * size][:size] for _, _, board in hands], np.uint8),
    )
