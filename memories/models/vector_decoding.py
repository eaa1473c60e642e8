"""Read vectors from the bytes that the database sends: pgvector's own reader parses text, number by number."""

from __future__ import annotations

import numpy as np
from django.db.models import BinaryField, Func
from numpy.typing import NDArray

# A vector's header on the wire: its dimensions and two bytes without use, before big-endian floats.
_HEADER = 4


class VectorBytes(Func):
    function = "vector_send"
    output_field = BinaryField()


def decode_vector(sent: bytes) -> NDArray[np.float32]:
    """Decode a value of `VectorBytes`: big-endian float32, shape (dimensions,)."""
    return np.frombuffer(sent, dtype=">f4", offset=_HEADER)
