"""Observations and seats as gymnasium and PettingZoo want to know them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from clients.lab.environments.observations import Encoder

__all__ = ["mask_space", "observation_space"]


def mask_space(encoder: Encoder) -> spaces.Box:
    """Masks: zeros and ones, int8."""
    return spaces.Box(0, 1, (encoder.num_actions,), np.int8)


def observation_space(encoder: Encoder, *, is_dict: bool) -> spaces.Space[Any]:
    """Observations of a game: the vector, or its fields by name and the mask."""
    layout = encoder.layout
    if not is_dict:
        return spaces.Box(np.zeros(layout.size, np.float32), layout.high, dtype=np.float32)
    fields: dict[str, spaces.Space[Any]] = {
        field.name: spaces.Box(np.zeros(field.shape, np.float32), field.high, dtype=np.float32)
        for field in layout.fields.values()
    }
    return spaces.Dict(fields | {"action_mask": mask_space(encoder)})
