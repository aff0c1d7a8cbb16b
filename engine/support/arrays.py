"""Names of numpy's array types, so that a signature tells what its arrays hold in one word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
"""Cards, mostly."""
Words16 = NDArray[np.uint16]
Words32 = NDArray[np.uint32]
Words = NDArray[np.uint64]
"""States of generators."""
