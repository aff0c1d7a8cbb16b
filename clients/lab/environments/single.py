"""A gymnasium environment: one player's seat, with opponents in the others.

An episode is a hand, or several.  `step` plays an action and goes on to our next decision; what the others
do in between is in the history of the observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from clients.lab.environments.observations import DEFAULT_SIZES, Node, observation_space
from clients.lab.environments.policy import ObservationKind
from clients.lab.environments.rendering import RENDER_MODES
from clients.lab.environments.table import OfOneTable, OutsideTable, read_game
from clients.lab.seats.remote import Opponent, Patience, SeatLost, fill_seats, opponent_names
from engine.poker.rules import GameDefinition, HandState
from protocol import format_match_state

_SEAT: Final = 0
"""Ours."""
Observation = Any


class HoldemEnv(OfOneTable, gymnasium.Env[Observation, Any]):
    """Poker against opponents of all kinds, for one learner.

    Rewards are chips won in big blinds, at the end of each hand.  An action that is not legal is played as
    the dealer would (`LegalActions.nearest`) and counted in ``info["illegal_actions"]``.

    `reset` with a seed deals the cards of ``riverboat match --seed`` and makes the opponents anew; `reset`
    without one goes on with the next hand of that match.  Hands that are over before we are asked, because
    everybody folds to us, are passed over; ``info["passed_hands"]`` and ``info["passed_reward"]`` tell of
    them.

    When a remote opponent is lost the hand is void: the episode is truncated with a reward of 0, and
    ``info["failure"]`` says who and why.  The next `reset` begins another match.

    ``info`` has the hand's number, our position, how many actions of the episode were not legal, and at its
    end our chips since the match began; `table.last_hand` has the end of the last hand.

    Args:
        game: a packaged game's name, the path of a game file, or a game.
        opponents: in seat order, ours left out, the last one as often as seats are left.  Installed bots
            (``"formula:model=none"``), programs (``"./my_bot"``, started as ``COMMAND HOST PORT``),
            ``"tcp://HOST:PORT"``, where the table waits for somebody who connects, or what makes an `Agent`.
        hands: in an episode.
        position: ours in every hand; None to move around the table.
        sizes: of raises in no-limit games, parts of the pot.
        observations: ``"dict"``, the fields by name with ``"action_mask"``, or ``"array"``, the whole vector,
            with the mask in ``info["action_mask"]``.
        match_states: put the ACPC's text of each state into ``info["match_state"]``; the last one has the
            cards that were shown.
        patience: with remote players.
        log: a new file for the hands, as a dealer writes them; `riverboat verify` reads it.
        render_mode: ``"ansi"`` or ``"rgb_array"``.

    Raises:
        UnknownBot, ValueError, OSError: a game or opponents that cannot be had.

    It can be pickled and copied in the middle of a hand (`clients.lab.environments.table`).

    *Resource handling*: `close` ends connections and programs.  Processes that are forked need an environment
    each, made after the fork.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 2}  # type: ignore[misc]

    # Many parameters: the keywords of `gymnasium.make`.
    def __init__(
        self,
        game: str | GameDefinition = "limit-2p",
        opponents: Sequence[Opponent] = ("always-call",),
        *,
        hands: int = 1,
        position: int | None = None,
        sizes: Sequence[float] = DEFAULT_SIZES,
        observations: ObservationKind = "dict",
        match_states: bool = False,
        patience: Patience = Patience(),  # noqa: B008  # a value
        log: str | Path | None = None,
        render_mode: Literal["ansi", "rgb_array"] | None = None,
    ) -> None:
        definition = read_game(game)
        self._set_up(definition, hands, sizes, observations, render_mode)
        others = fill_seats(definition, opponents)
        seats: list[Opponent | None] = [None, *others]
        names = ["learner", *opponent_names(others)]
        self._seat = _SEAT
        if position is not None:
            if not 0 <= position < definition.num_players:
                raise ValueError(f"expected a position 0 to {definition.num_players - 1}, got {position}")
            # With fixed seats a seat is a position.
            seats = [*others[:position], None, *others[position:]]
            names.insert(position, names.pop(0))
            self._seat = position
        self.table = OutsideTable(
            game, seats, names, fixed_seats=position is not None, patience=patience, log=log
        )
        self._unit = self.encoder.layout.unit
        self._hands_left = 0
        self._match_states = match_states
        self._is_over = True  # the episode
        self._state: HandState | None = None  # as it was seen last
        self._node: Node  # of the state's betting
        self._illegal = 0
        self.observation_space = observation_space(self.encoder, is_dict=self._is_dict)
        self.action_space = spaces.Discrete(self.encoder.num_actions)

    # --- gymnasium ---------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        A remote opponent who is lost before we are asked is told of in ``info["failure"]``; another match has
        begun then.

        Raises:
            SeatLost: a remote opponent does not sit down.
            RuntimeError: we are never asked: the game, or the opponents, leave us nothing to do.
        """
        super().reset(seed=seed)
        begins = seed is not None or not self.table.is_open
        if seed is not None:
            self.table.open(seed)
        self._hands_left = self._hands
        self._illegal = 0
        passed: list[float] = []
        state, lost = self.table.begin_episode(
            lambda: int(self.np_random.integers(2**32)), lambda: passed.append(self._chips_of_hand())
        )
        self._has_reset(begins=begins)
        self._is_over = False
        seen, info = self._asked(state)
        info["passed_hands"] = len(passed)
        info["passed_reward"] = sum(passed) / self._unit
        if lost is not None:
            info["failure"] = lost.as_dict()
        return seen, info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action.

        Raises:
            RuntimeError: the episode is over.
            ValueError: there is no such action; nothing has happened then.
        """
        if self._is_over:
            raise RuntimeError("the episode is over: call reset() first")
        node, number = self._node, self.encoder.check(action)
        self._has_played(number)
        if not node.legal[number]:
            self._illegal += 1
        chips = 0.0

        def is_over() -> bool:
            nonlocal chips
            chips += self._chips_of_hand()
            self._hands_left -= 1
            return self._hands_left == 0

        try:
            state = self.table.act(node.actions[number], is_over)
        except SeatLost as lost:
            return self._cut_short(lost, chips)
        if state is None:
            return self._end_of_episode(chips)
        seen, info = self._asked(state)
        return seen, chips and chips / self._unit, False, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions as a mask, in the form of sb3-contrib's MaskablePPO; shape (actions,)."""
        mask = self.encoder.no_mask() if self._is_over else self._node.mask
        return mask.astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The hand as we see it: text, or a picture of shape (height, width, 3), uint8."""
        if self._state is None:
            return None
        return self._rendered(self._state.view(self.table.position_of(self._seat)))

    def close(self) -> None:
        """End connections and programs."""
        self._is_over = True
        self.table.close()

    # --- results -----------------------------------------------------------------------------------------

    def _chips_of_hand(self) -> float:
        """Our winnings in the hand that has just ended."""
        last = self.table.last_hand
        assert last is not None
        return last[1][self.table.position_of(self._seat)]

    def _end_of_episode(self, chips: float) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        last = self.table.last_hand
        assert last is not None
        seen, info = self._watching(last[0])
        info["chips"] = self.table.chips[self._seat]
        return seen, chips / self._unit, True, False, info

    def _cut_short(
        self, lost: SeatLost, chips: float
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The end of an episode whose last hand is void; what earlier hands brought is kept."""
        assert self._state is not None
        seen, info = self._watching(self._state)
        info["failure"] = lost.as_dict()
        return seen, chips / self._unit, False, True, info

    def _asked(self, state: HandState) -> tuple[Observation, dict[str, Any]]:
        """We are to act."""
        self._node = node = self.encoder.node(state.betting)
        return self._observe(state, node, node.mask.copy())

    def _watching(self, state: HandState) -> tuple[Observation, dict[str, Any]]:
        """The episode is over."""
        self._is_over = True
        return self._observe(state, self.encoder.node(state.betting), self.encoder.no_mask())

    def _observe(
        self, state: HandState, node: Node, mask: NDArray[np.int8]
    ) -> tuple[Observation, dict[str, Any]]:
        """Our observation, and the info with all that the observation leaves out."""
        self._state, betting, deal, encoder = state, state.betting, state.deal, self.encoder
        position = self.table.position_of(self._seat)
        info: dict[str, Any] = {"hand_number": state.hand_number, "position": position}
        info["illegal_actions"] = self._illegal
        if self._match_states:
            info["match_state"] = format_match_state(state.view(position))
        board = deal.board[: betting.num_board_cards]
        vector = encoder.observe_cards(node, betting, position, deal.hole_cards[position], board)
        if not self._is_dict:
            info["action_mask"] = mask
            return vector, info
        fields: dict[str, NDArray[Any]] = encoder.fields(vector)
        fields["action_mask"] = mask
        return fields, info
