"""Riverboat's tables as environments of other people's libraries: gymnasium and PettingZoo.

``import clients.lab.environments`` registers them with gymnasium::

    env = gymnasium.make("riverboat/HoldemLimit-v0", opponents=["formula"])
    envs = gymnasium.make_vec("riverboat/HoldemLimit-v0", num_envs=1024,
                              vectorization_mode="vector_entry_point")

`holdem_v0` is PettingZoo's; `PolicyAgent` seats at any table what has been learnt here.
docs/environments.md is the guide, `observations` says what a player sees.
"""

from __future__ import annotations

from typing import Final

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "environments need gymnasium and PettingZoo: pip install 'riverboat[gym]'", name=error.name
    ) from error

from clients.lab.environments.observations import DEFAULT_SIZES, Encoder, Field, Layout
from clients.lab.environments.policy import PolicyAgent
from clients.lab.environments.single import HoldemEnv
from clients.lab.seats.remote import Patience, SeatLost

__all__ = [
    "DEFAULT_SIZES", "GAMES", "Encoder", "Field", "HoldemEnv", "Layout", "Patience", "PolicyAgent",
    "SeatLost",
]  # fmt: skip

GAMES: Final = {
    "riverboat/HoldemLimit-v0": "limit-2p", "riverboat/HoldemNoLimit-v0": "nolimit-2p",
    "riverboat/Leduc-v0": "leduc", "riverboat/Kuhn-v0": "kuhn-2p",
}  # fmt: skip
"""Registered environments, and what they play where no `game` is named."""

for _name, _game in GAMES.items():
    gymnasium.register(
        _name, kwargs={"game": _game}, entry_point="clients.lab.environments.single:HoldemEnv",
        vector_entry_point="clients.lab.environments.vector:HoldemVectorEnv",
    )  # fmt: skip
