"""What the adaptive bot's search found on deals that were recorded, so that a change of it shows.

Both the deals and the actions are those of a match of two random players that the ACPC's dealer recorded.
`python -m tests.engine.solving.miximax.recorded` writes the file again: read the changes, like those of code.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from engine.poker.combos import NUM_COMBOS, combos_without
from engine.poker.rules import Action, BettingState, HandState, HandView, load_game
from engine.solving.miximax.departure import Departure
from engine.solving.miximax.habits import Expectations, Habits, reasonable_habits, shipped_changes
from engine.solving.miximax.trees import betting_tree
from engine.solving.miximax.values import Miximax
from engine.support.arrays import Floats
from protocol.records import HandReader
from tests.support.hands.golden_files import golden_log

FILE: Final = Path(__file__).parent / "recorded_limit.txt"
_HANDS: Final = 240
_EVERY: Final = 4
"""Decisions between two that are written down."""


class Even:
    """Does anything with any hand."""

    def chances_of_all(
        self, betting: BettingState, board: Sequence[int]
    ) -> tuple[tuple[Action, ...], Floats]:
        """All actions alike."""
        actions = tuple(filter(None, betting_tree(betting.game).actions_at(betting)))
        chances = np.full((NUM_COMBOS, len(actions)), 1.0 / len(actions))
        chances[~combos_without(board)] = np.nan
        return actions, chances


def observe(state: HandState, them: int, habits: Habits, search: Miximax, departure: Departure) -> None:
    """Count what the player in a position did in a hand, as the player in the other one sees it."""
    theirs, ours = state.deal.hole_cards[them], state.deal.hole_cards[1 - them]
    shown = theirs if state.betting.is_showdown else ()
    departure.observe(habits, search, state.betting, them, (ours, shown), state.board)
    habits.observe(state.betting, them, shown, state.board)


def decisions() -> Iterator[str]:
    """A line for each decision of the second player: what its actions are worth; then the evidence."""
    game = load_game("limit-2p")
    tree = betting_tree(game)
    habits = Habits(tree, Expectations(tree, reasonable_habits(game)), 0.9998)
    search, departure, seen = Miximax(tree, shipped_changes()), Departure(Even()), 0
    reader = HandReader(game)
    lines = golden_log("random.holdem.limit.2p.reverse_blinds.0").text.splitlines()
    for line in [line for line in lines if line.startswith("STATE:")][:_HANDS]:
        record, state = reader.read(line)
        them = record.names.index("p0")
        ours = state.deal.hole_cards[1 - them]
        for before, actor, _ in state.betting.steps():
            seen += actor != them
            if actor == them or seen % _EVERY:
                continue
            cards = ((), ours) if them == 0 else (ours, ())
            board = state.board[: before.num_board_cards]
            values = search.values(habits, HandView(before, actor, state.hand_number, cards, board), 7)
            worth = " ".join(f"{action} {value:+.6f}" for action, value in values.items())
            yield f"{state.hand_number} {before.text or '-'} {worth}"
        observe(state, them, habits, search, departure)
    yield f"evidence {departure.evidence:.6f} surprise {departure.surprise:.6f}"


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in decisions()), "ascii")
