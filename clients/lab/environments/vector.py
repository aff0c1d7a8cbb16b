"""A gymnasium vector environment: thousands of tables in one compiled loop.

Cards come from a generator for each table, not from an ACPC dealer's, and opponents are those of
`engine.learning.table_batch.SCRIPTED`; what is seen, done and paid is as in `HoldemEnv`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from clients.lab.environments.observations import DEFAULT_SIZES, Encoder, observation_space
from clients.lab.environments.policy import ObservationKind
from clients.lab.environments.table import read_game
from clients.lab.seats.remote import fill_seats
from engine.learning.table_batch import SCRIPTED, Places, SeatKind, TableBatch
from engine.poker.rules import GameDefinition
from engine.support.user_input import did_you_mean


class HoldemVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many hands at a time, for one learner, or for all seats at once.

    An episode is a hand.  After its end the next `step` ignores the action at that table and deals the next
    hand (gymnasium's autoreset mode NEXT_STEP).

    With opponents the learner sits in seat 0 of every table.  Without, it plays all seats: an observation is
    that of the seat ``infos["seat"]``, a reward that of the seat that has acted, and
    ``infos["rewards_by_seat"]`` has everybody's.  ``infos`` are arrays by table: ``illegal_actions`` says
    which actions were put right; ``passed_hands`` and ``passed_reward`` tell of hands that were over before
    the learner was asked.

    Args:
        num_envs: how many tables.
        game: a packaged game's name, the path of a game file, or a game, without antes.
        opponents: in seat order after us, the last as often as seats are left: ``always-call``,
            ``always-fold``, ``always-raise``, ``always-all-in`` or ``random``; none to play all seats.
        sizes: of raises in no-limit games, parts of the pot.
        observations: ``"dict"``, the fields by name with ``"action_mask"``, or ``"array"``, the vectors, with
            ``infos["action_mask"]``.

    Raises:
        ValueError: an opponent that cannot sit here, or a game that cannot be played here.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
    }  # fmt: skip

    def __init__(
        self,
        num_envs: int = 1,
        game: str | GameDefinition = "limit-2p",
        opponents: Sequence[str] = ("always-call",),
        *,
        sizes: Sequence[float] = DEFAULT_SIZES,
        observations: ObservationKind = "dict",
        render_mode: None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"expected 1 or more tables, got {num_envs}")
        definition = read_game(game)
        for name in opponents:
            if name not in SCRIPTED:
                near = did_you_mean(name, SCRIPTED) or f": expected some of {', '.join(SCRIPTED)}"
                raise ValueError(f"{name!r} cannot sit at tables in a compiled loop{near}")
        others = fill_seats(definition, opponents) if opponents else []
        kinds = [SeatKind.OUTSIDE, *[SCRIPTED[str(name)] for name in others]]
        if not opponents:
            kinds = [SeatKind.OUTSIDE] * definition.num_players
        self.encoder: Final = Encoder(definition, sizes)
        """How observations are laid out."""
        self._plays_all_seats = not opponents
        layout = self.encoder.layout
        starts = {name: field.start for name, field in layout.fields.items()}
        places = Places(**starts, size=layout.size)
        self.tables: Final = TableBatch(
            definition, num_envs, kinds,
            places=places, most_spent=layout.most_spent, sizes=self.encoder.sizes,
        )  # fmt: skip
        """The tables themselves."""
        self._is_dict = observations == "dict"
        self._rows = np.arange(num_envs)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = observation_space(self.encoder, is_dict=self._is_dict)
        self.single_action_space = spaces.Discrete(self.encoder.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a match at every table.

        Args:
            seed: one for all, or one for each table.
            options: none.
        """
        if seed is None or isinstance(seed, int):
            super().reset(seed=seed)
            seeds = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
        else:
            if len(seed) != self.num_envs:
                raise ValueError(f"expected {self.num_envs} seeds, got {len(seed)}")
            seeds = np.array(seed, np.uint64)
        self.tables.begin(seeds)
        infos = self._infos()
        return self._observations(infos), infos

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play an action at every table."""
        tables = self.tables
        tables.step(self.encoder.check_all(actions, (self.num_envs,)))
        results = tables.results
        infos = self._infos()
        rewards = results.rewards[self._rows, results.seats]
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._observations(infos), rewards, results.ended.copy(), truncated, infos

    def _infos(self) -> dict[str, Any]:
        results = self.tables.results
        infos: dict[str, Any] = {
            "illegal_actions": results.illegal.copy(),
            "passed_hands": results.num_passed.copy(),
            "passed_reward": results.passed[self._rows, results.seats],
        }
        if self._plays_all_seats:
            infos["seat"] = results.seats.copy()
            infos["rewards_by_seat"] = results.rewards.copy()
        return infos

    def _observations(self, infos: dict[str, Any]) -> Any:
        results = self.tables.results
        vectors, masks = results.observations.copy(), results.masks.copy()
        if not self._is_dict:
            infos["action_mask"] = masks
            return vectors
        fields: dict[str, NDArray[Any]] = {
            field.name: vectors[:, field.start : field.end].reshape(-1, *field.shape)
            for field in self.encoder.layout.fields.values()
        }
        fields["action_mask"] = masks
        return fields
