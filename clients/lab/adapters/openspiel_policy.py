"""Bots of ours as a policy of OpenSpiel's, which its algorithms take like any other."""

from collections.abc import Sequence
from typing import Any

try:
    import pyspiel
    from open_spiel.python.policy import Policy
except ImportError as error:
    raise ImportError("RiverboatPolicy needs OpenSpiel: pip install open-spiel", name=error.name) from error

from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.lab.adapters.openspiel import hand_of, number_of, openspiel_game
from clients.lab.exploitability.asking import told_triples
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, GameDefinition


class RiverboatPolicy(Policy):  # type: ignore[misc]
    """``RiverboatPolicy(load_game("leduc"), ["random", "equilibrium"])``: a bot in each position.

    `game` is the game of OpenSpiel's that is played.

    Args:
        definition: what is played, a limit game.
        bots: by position, as in `make_bot`.

    Raises:
        OptionError: another kind of game, or a bot does not say how likely it folds, calls and raises.
    """

    def __init__(self, definition: GameDefinition, bots: Sequence[str]) -> None:
        if not definition.is_limit:
            raise OptionError("expected a limit game: bots say how likely they raise, not to how much")
        if len(bots) != definition.num_players:
            raise OptionError(f"expected {definition.num_players} bots, one a position, got {len(bots)}")
        super().__init__(openspiel_game(definition), list(range(definition.num_players)))
        self._definition = definition
        self._triples = [told_triples(bot, make_bot(bot), definition) for bot in bots]

    def action_probabilities(self, state: pyspiel.State, player_id: int | None = None) -> dict[int, float]:
        """The chances of all legal actions, by OpenSpiel's numbers.

        Raises:
            ValueError: the bot gives no legal action any chance.
        """
        position: Any = state.current_player() if player_id is None else player_id
        view = hand_of(self._definition, state).view(position)
        triple, legal = self._triples[position](view), view.legal_actions()
        chances = {
            number_of(action): triple[TRIPLE_INDEX[action.kind]]
            for action in (FOLD, CALL, LIMIT_RAISE)
            if action in legal
        }
        total = sum(chances.values())
        if not total > 0:
            raise ValueError(f"after {view.betting.text!r}: expected chances of {legal}, got {tuple(triple)}")
        return {number: chance / total for number, chance in chances.items()}
