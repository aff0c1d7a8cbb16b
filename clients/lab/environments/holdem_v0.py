"""A PettingZoo environment (AEC): every seat is an agent of its own, but for those of bots.

``env(game="nolimit-6p")`` has agents ``player_0`` to ``player_5``, named by seat; the button moves from hand
to hand.  An episode is a hand, or several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from clients.lab.environments.observations import DEFAULT_SIZES, Node, mask_space, observation_space
from clients.lab.environments.policy import ObservationKind
from clients.lab.environments.rendering import RENDER_MODES
from clients.lab.environments.table import OfOneTable, OutsideTable, read_game
from clients.lab.seats.remote import Opponent, Patience, SeatLost, opponent_names
from engine.poker.rules import GameDefinition, HandState


class HoldemAEC(OfOneTable, AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """Poker for 2 to 10 learners.

    The mask of the agent that is to act has a 1 for each legal action, those of all others are zeros.
    Actions that are not legal are played as by the dealer, and counted in
    ``infos[agent]["illegal_actions"]``.  Rewards are chips won in big blinds, at the end of each hand.

    When a bot in another process is lost, the hand is void: all agents are truncated, and
    ``infos[agent]["failure"]`` says who and why.

    Args:
        game: a packaged game's name, the path of a game file, or a game.
        bots: who plays in which seat, in place of an agent; see `HoldemEnv` for what can be named.
        hands: in an episode.
        sizes: of raises in no-limit games, parts of the pot.
        observations: ``"array"``, the whole vector, with the mask in ``infos[agent]["action_mask"]``; or
            ``"dict"``, the fields by name under ``"observation"``, and ``"action_mask"``.
        patience: with remote players.
        log: a new file for the hands, as a dealer writes them.
        render_mode: ``"ansi"`` or ``"rgb_array"``, from the place of the agent that is to act.

    Raises:
        UnknownBot, ValueError, OSError: a game or bots that cannot be had.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "holdem_v0", "render_modes": RENDER_MODES, "render_fps": 2, "is_parallelizable": False,
    }  # fmt: skip

    def __init__(
        self,
        game: str | GameDefinition = "limit-2p",
        *,
        bots: Mapping[int, Opponent] | None = None,
        hands: int = 1,
        sizes: Sequence[float] = DEFAULT_SIZES,
        observations: ObservationKind = "array",
        patience: Patience = Patience(),  # noqa: B008  # a value
        log: str | Path | None = None,
        render_mode: Literal["ansi", "rgb_array"] | None = None,
    ) -> None:
        super().__init__()
        definition, bots = read_game(game), dict(bots or {})
        seats = range(definition.num_players)
        if not set(bots) <= set(seats) or len(bots) == len(seats):
            raise ValueError(f"expected bots in some of the seats 0 to {len(seats) - 1}, got {sorted(bots)}")
        named = dict(zip(bots, opponent_names(list(bots.values())), strict=True))
        names = [named.get(seat, f"player_{seat}") for seat in seats]
        self._set_up(definition, hands, sizes, observations, render_mode)
        opponents = [bots.get(seat) for seat in seats]
        self.table = OutsideTable(game, opponents, names, fixed_seats=False, patience=patience, log=log)
        self._hands_left = 0
        self._has_rewards = False
        self._state: HandState | None = None  # where an agent is to act
        self._node: Node  # of the state's betting
        self._np_random, _ = gymnasium.utils.seeding.np_random()
        self._agent_of_seat = {seat: f"player_{seat}" for seat in seats if seat not in bots}
        self._seat_of_agent = {agent: seat for seat, agent in self._agent_of_seat.items()}
        self.possible_agents = list(self._agent_of_seat.values())
        self.agents: list[str] = []
        space = observation_space(self.encoder, is_dict=False)
        if self._is_dict:
            fields = observation_space(self.encoder, is_dict=True)
            assert isinstance(fields, spaces.Dict)
            public = {name: each for name, each in fields.items() if name != "action_mask"}
            space = spaces.Dict({"observation": spaces.Dict(public), "action_mask": mask_space(self.encoder)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {
            agent: spaces.Discrete(self.encoder.num_actions) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of any agent: all are alike."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent."""
        return self.action_spaces[agent]

    # --- playing -----------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode: with a seed, the first hand of ``riverboat match --seed``; else the next one.

        Raises:
            SeatLost: a remote player does not sit down.
        """
        begins = seed is not None or not self.table.is_open
        if seed is not None:
            self._np_random, _ = gymnasium.utils.seeding.np_random(seed)
            self.table.open(seed)
        self.agents = agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        no_mask = self.encoder.no_mask
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": no_mask(), "illegal_actions": 0} for agent in agents
        }
        self._hands_left = self._hands
        self._has_rewards = False
        state, lost = self.table.begin_episode(lambda: int(self._np_random.integers(2**32)))
        self._has_reset(begins=begins)
        if lost is not None:
            self._note_failure(lost)
        self._turn(state)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of the agent to act as a mask, in the form of sb3-contrib's MaskablePPO."""
        mask: NDArray[np.int8] = self.infos[self.agent_selection]["action_mask"]
        return mask.astype(np.bool_)

    def step(self, action: Any) -> None:
        """Play an action of `agent_selection`; None for one that has finished."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._leave(agent, action)
            self._has_played(None)
            return
        node, number = self._node, self.encoder.check(action)
        self._has_played(number)
        info = self.infos[agent]
        if not node.legal[number]:
            info["illegal_actions"] += 1
        info["action_mask"] = self.encoder.no_mask()
        self._cumulative_rewards[agent] = 0.0
        if self._has_rewards:
            self._has_rewards = False
            self.rewards = dict.fromkeys(self.agents, 0.0)
        try:
            state = self.table.act(node.actions[number], self._pay)
        except SeatLost as lost:
            self._end(lost)
            return
        if state is None:
            self._end()
        else:
            self._turn(state)

    def _turn(self, state: HandState) -> None:
        """Somebody is to act."""
        self._state, position = state, state.betting.position_to_act
        assert position is not None
        self._node = node = self.encoder.node(state.betting)
        self.agent_selection = agent = self._agent_of_seat[self.table.seat_at(position)]
        self.infos[agent]["action_mask"] = node.mask.copy()

    def _leave(self, agent: str, action: object) -> None:
        """The step of an agent whose episode is over; all end together."""
        if action is not None:
            raise ValueError(f"{agent} has finished: the only action is None, got {action!r}")
        for by_agent in (
            self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self.infos,
        ):  # fmt: skip
            del by_agent[agent]
        self.agents.remove(agent)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _pay(self) -> bool:
        """The chips of the hand that has ended; several hands may end with one action."""
        last = self.table.last_hand
        assert last is not None
        _, chips = last
        unit, position_of = self.encoder.layout.unit, self.table.position_of
        for agent, seat in self._seat_of_agent.items():
            won = chips[position_of(seat)] / unit
            self.rewards[agent] += won
            self._cumulative_rewards[agent] += won
        self._has_rewards = True
        self._hands_left -= 1
        return self._hands_left == 0

    def _end(self, lost: SeatLost | None = None) -> None:
        """The episode is over, or cut short since somebody is lost."""
        self._state = None
        if lost is None:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.truncations = dict.fromkeys(self.agents, True)
            self._note_failure(lost)
        self.agent_selection = self.agents[0]

    def _note_failure(self, lost: SeatLost) -> None:
        for info in self.infos.values():
            info["failure"] = lost.as_dict()

    # --- what is seen ------------------------------------------------------------------------------------

    def observe(self, agent: str) -> Any:
        """An agent's observation now: a new array, or new fields and the mask."""
        state = self._state
        if state is not None and agent == self.agent_selection:
            betting, deal, position = state.betting, state.deal, state.betting.position_to_act
            assert position is not None
            hole_cards, board = deal.hole_cards[position], deal.board[: betting.num_board_cards]
            vector = self.encoder.observe_cards(self._node, betting, position, hole_cards, board)
        else:
            vector = self.encoder.observe(self.table.view_of(self._seat_of_agent[agent]))
        if not self._is_dict:
            return vector
        mask: NDArray[np.int8] = self.infos[agent]["action_mask"]
        return {"observation": self.encoder.fields(vector), "action_mask": mask.copy()}

    def render(self) -> str | NDArray[np.uint8] | None:
        """The hand as the agent that is to act sees it: text, or a picture (height, width, 3), uint8."""
        if not self.agents:
            return None
        return self._rendered(self.table.view_of(self._seat_of_agent[self.agent_selection]))

    def close(self) -> None:
        """End connections and programs."""
        self._state = None
        self.table.close()


def env(game: str | GameDefinition = "limit-2p", **options: Any) -> HoldemAEC:
    """The environment; options are those of `HoldemAEC`, which checks actions itself."""
    return HoldemAEC(game, **options)


raw_env = env
