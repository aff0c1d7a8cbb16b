"""Compiling what reads long logs, before somebody waits for it."""

from __future__ import annotations

import numpy as np

from engine.evidence.columns.hands import read_hands
from engine.evidence.columns.leads import add_payoffs
from engine.evidence.confidence_sequence import ConfidenceSequence
from engine.poker.rules import load_game

__all__ = ["warm_up"]


def warm_up() -> None:
    """Run every kernel once."""
    read_hands(load_game("limit-2p"), ["f"], ["AhKd|2c2d"])
    add_payoffs(ConfidenceSequence(-1.0, 1.0), np.array([0.5]))
