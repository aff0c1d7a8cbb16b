"""OMPEval as a peer: its sources, which are not ours to ship, compiled here and called in this process."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

_RANK_HANDS: Final = """
#include "HandEvaluator.h"
extern "C" void rank_hands(const unsigned char *cards, unsigned short *ranks, long count) {
    static const omp::HandEvaluator evaluator;
    for (long i = 0; i < count; i++, cards += 7) {
        omp::Hand hand = omp::Hand::empty();
        for (int j = 0; j < 7; j++)
            hand += omp::Hand(cards[j]);
        ranks[i] = evaluator.evaluate(hand);
    }
}
"""


def ranker(sources: Path, hands: NDArray[np.uint8]) -> Callable[[], NDArray[np.uint16]]:
    """A function that ranks hands of seven cards with OMPEval, on its own scale.

    Args:
        sources: the folder with ``HandEvaluator.cpp`` (github.com/zekyll/OMPEval, folder ``omp``).
        hands: shape (n, 7), C-contiguous.

    Raises:
        subprocess.CalledProcessError: it does not compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        glue, library = Path(folder) / "glue.cpp", Path(folder) / "ompeval.so"
        glue.write_text(_RANK_HANDS)
        compiler = ["c++", "-std=c++14", "-O3", "-march=native", "-shared", "-fPIC", f"-I{sources}"]
        subprocess.run(
            [*compiler, str(glue), str(sources / "HandEvaluator.cpp"), "-o", str(library)], check=True
        )
        rank_hands = ctypes.CDLL(str(library)).rank_hands
    ranks = np.empty(len(hands), np.uint16)

    def rank() -> NDArray[np.uint16]:
        rank_hands(
            ctypes.c_void_p(hands.ctypes.data), ctypes.c_void_p(ranks.ctypes.data), ctypes.c_long(len(hands))
        )
        return ranks

    return rank
