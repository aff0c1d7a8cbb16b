"""Small games for the tests of equilibria."""

from engine.poker.rules import GameDefinition, load_game

KUHN, LEDUC, KUHN_3P = load_game("kuhn-2p"), load_game("leduc"), load_game("kuhn-3p")

SHORT_DECK = GameDefinition(
    is_limit=True,
    num_players=2,
    num_rounds=2,
    blinds=(1, 2),
    raise_sizes=(2, 4),
    num_suits=2,
    num_ranks=3,
    num_hole_cards=2,
    num_board_cards=(0, 2),
    stacks=(40, 40),
    first_positions=(0, 1),
    max_raises=(2, 1),
)
"""Two hole cards each and two board cards: all six of the deck."""

SHORT_STACKS = GameDefinition(
    is_limit=False,
    num_players=3,
    num_rounds=3,
    blinds=(1, 2, 0),
    raise_sizes=(),
    num_suits=1,
    num_ranks=5,
    num_hole_cards=1,
    num_board_cards=(0, 1, 0),
    stacks=(5, 3, 4),
    first_positions=(2, 0, 0),
    max_raises=(2, 1, 1),
)
"""No-limit for three with side pots, all-ins before the last card, and a round without cards of its own."""
