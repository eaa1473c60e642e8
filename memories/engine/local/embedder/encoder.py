"""Texts in, vectors out: the pieces of a text, their embeddings, the graph, and the mean of what it makes of them."""

from __future__ import annotations

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from memories.engine.local.embedder.graph import INPUT, OUTPUT, Graph
from memories.engine.local.embedder.packed import Blocks, Packed, load_packed
from memories.engine.local.embedder.pieces import Pieces

# What begins and ends each window.
_FRAME = 2


class Encoder:
    """Threads share one: it holds no state, and computes without the interpreter's lock."""

    def __init__(self) -> None:
        model = load_packed()
        self._model = model
        self._pieces = Pieces(model)
        self._words = model.rows("emb.word", model.width)
        places = model.numbers("emb.pos").reshape(-1, model.width)
        self._places = places + model.numbers("emb.type")[: model.width]
        self._session = _build_session(model)

    def encode(self, text: str) -> NDArray[np.float32]:
        """The text's vector, of length one: float32, shape (width,), which is 384.

        A long text is read in windows, each counting as much as it holds.
        """
        pieces = self._pieces.of(text)
        most = self._model.most_tokens - _FRAME
        windows = [pieces[start : start + most] for start in range(0, len(pieces), most)]
        whole = sum(max(1, len(window)) * self._compute_mean(window) for window in windows)
        vector: NDArray[np.float32] = np.divide(whole, np.linalg.norm(whole))
        return vector

    def _compute_mean(self, pieces: list[int]) -> NDArray[np.float32]:
        """The mean of what the graph makes of a window's pieces: float32, shape (width,)."""
        numbers = [self._model.begin, *pieces, self._model.end]
        (hidden,) = self._session.run([OUTPUT], {INPUT: self._embed_numbers(numbers)[None]})
        mean: NDArray[np.float32] = hidden[0].mean(axis=0)
        return mean

    def _embed_numbers(self, numbers: list[int]) -> NDArray[np.float32]:
        """The embeddings of pieces, with those of their places: float32, shape (pieces, width)."""
        embedded: NDArray[np.float32] = (
            Blocks.of(self._words[numbers]).numbers() + self._places[: len(numbers)]
        )
        return embedded


def _build_session(model: Packed) -> onnxruntime.InferenceSession:
    graph, options = Graph(model), onnxruntime.SessionOptions()
    # One thread: on two cores whose other work is the database's, two wait for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Long texts come seldom: what they needed goes back, instead of being kept.
    options.enable_cpu_mem_arena = False
    # The session copies them; they are not needed after it is made.
    weights = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in graph.weights.values()]
    options.add_external_initializers(list(graph.weights), weights)
    return onnxruntime.InferenceSession(graph.serialized(), options, providers=["CPUExecutionProvider"])
