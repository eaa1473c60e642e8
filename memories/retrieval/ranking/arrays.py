"""The kinds of arrays of a search. Each has one row per candidate: `n` is their number, `t` that of the terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# One number per candidate: float64, shape (n,). Unknown values are NaN.
Floats = NDArray[np.float64]
# A mask over candidates: bool, shape (n,).
Mask = NDArray[np.bool_]
# Codes, positions and places: int64, shape (n,).
Integers = NDArray[np.int64]
# Keys of candidates: object, shape (n,).
Objects = NDArray[np.object_]
# Embeddings, unit length: float32, shape (n, d); d is 384 for the default model. Zeros where there is no vector.
Vectors = NDArray[np.float32]
# How often each query term is in each candidate: float32 (sums of several float64), shape (n, t).
TermCounts = NDArray[np.floating[Any]]
# 1 where a candidate has the query term, 0 where not: float32, shape (n, t).
Matches = NDArray[np.float32]
