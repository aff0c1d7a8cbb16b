"""Our small games as games of OpenSpiel's: a thin wrapper, by which its algorithms walk our rules.

Cards are dealt one by one by chance: each position's hole cards, then the board as it comes out.
"""

from typing import Any

import pyspiel

from engine.poker.cards import format_cards
from engine.poker.rules import Deal, GameDefinition, HandState, HandView, initial_betting
from engine.poker.rules.action import CALL, FOLD, LIMIT_RAISE

ACTIONS = (FOLD, CALL, LIMIT_RAISE)


def wrapped(game: GameDefinition) -> pyspiel.Game:
    """A limit game of ours with one card a player, as OpenSpiel's."""
    kind = pyspiel.GameType(
        short_name="riverboat",
        long_name="A game of Riverboat's",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    bets = sum(game.raise_sizes[r] * game.max_raises[r] for r in range(game.num_rounds))
    most = float(bets + game.big_blind)
    info = pyspiel.GameInfo(
        num_distinct_actions=len(ACTIONS),
        max_chance_outcomes=52,
        num_players=game.num_players,
        min_utility=-most,
        max_utility=most * (game.num_players - 1),
        utility_sum=0.0,
        max_game_length=game.num_players * (max(game.max_raises) + 1) * game.num_rounds,
    )

    class _Game(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, parameters: Any = None) -> None:
            super().__init__(kind, info, parameters or {})

        def new_initial_state(self) -> Any:
            return _State(self, game)

    return _Game()


class _State(pyspiel.State):  # type: ignore[misc]
    """Cards that have been dealt, and actions."""

    def __init__(self, parent: pyspiel.Game, game: GameDefinition) -> None:
        super().__init__(parent)
        self._game = game
        self._dealt: list[int] = []
        self._betting = initial_betting(game)

    def _cards_due(self) -> int:
        """How many cards must be out before somebody acts, or the hand can be paid."""
        holes = self._game.num_players * self._game.num_hole_cards
        if self._betting.is_finished and not self._betting.is_showdown:
            return holes
        return holes + self._betting.num_board_cards

    def view(self, position: int) -> HandView:
        """The hand as a player of ours sees it."""
        return self._hand().view(position)

    def _hand(self) -> HandState:
        size = self._game.num_hole_cards
        end = size * self._game.num_players
        holes = tuple([tuple(self._dealt[first : first + size]) for first in range(0, end, size)])
        return HandState(self._betting, 0, Deal(holes, tuple(self._dealt[end:])))

    # OpenSpiel's names.

    def current_player(self) -> int:
        if len(self._dealt) < self._cards_due():
            return int(pyspiel.PlayerId.CHANCE)
        position = self._betting.position_to_act
        return int(pyspiel.PlayerId.TERMINAL) if position is None else position

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = [card for card in self._game.deck if card not in self._dealt]
        return [(card, 1 / len(left)) for card in left]

    def _legal_actions(self, player: int) -> list[int]:
        legal = self._betting.legal_actions()
        return [number for number, action in enumerate(ACTIONS) if action in legal]

    def _apply_action(self, number: int) -> None:
        if self.is_chance_node():
            self._dealt.append(number)
        else:
            self._betting = self._betting.apply(ACTIONS[number])

    def _action_to_string(self, player: int, number: int) -> str:
        return format_cards([number]) if player < 0 else str(ACTIONS[number])

    def is_terminal(self) -> bool:
        return self._betting.is_finished and len(self._dealt) >= self._cards_due()

    def returns(self) -> list[float]:
        return list(self._hand().chips_won()) if self.is_terminal() else [0.0] * self._game.num_players

    def information_state_string(self, player: int) -> str:
        view = self.view(player)
        return f"{format_cards(view.own_cards)} {format_cards(view.board)} {self._betting.text}"

    def __str__(self) -> str:
        return f"{format_cards(self._dealt)} {self._betting.text}"
