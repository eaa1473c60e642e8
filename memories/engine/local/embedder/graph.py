"""The encoder of e5 as a graph that ONNX Runtime computes: BERT, whose products are made of whole numbers.

Weights are rounded once more, from 4 bits with a scale for every 32 to 7 with one for each row, because that is what
processors multiply fastest: five times as fast as the wheel's own engine (`benchmarks.search.embedding`). The vectors
of both have a cosine of 0.997 and more; recall and calibration of the ranker on what it was not fitted with
(`benchmarks/tools/fit_ranker.py`) are the same.

Each process makes the graph when it loads the model, in 0.2 s. A file of it would save that, and need an owner, a
version and a check that it belongs to the installed wheel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memories.engine.local.embedder.packed import Blocks, Packed

INPUT, OUTPUT = "embedded", "hidden"
_OF_RUNTIME = "com.microsoft"
# Seven bits: with eight, processors without VNNI lose what exceeds 16 bits while they add.
_MOST = 63
_ACTIVATION_MOST, _ACTIVATION_ZERO = 127, 128
# What comes out of a norm is seldom further from its shift; and the share of a column's size that is taken from it.
_DEVIATIONS, _EVENED = 3, 0.7

# Weights in floats: vectors, shape (k,), and matrices as the file has them, shape (outputs, inputs).
Numbers = NDArray[np.float32]
# What the runtime reads: vectors, float32, shape (k,), and matrices in whole numbers, int8, shape (inputs, outputs).
Weights = NDArray[np.float32 | np.int8]


class Graph:
    """Takes `embedded` (1, tokens, width), gives `hidden` of the same shape.

    `weights` are beside it, not in it: inside they would be in memory three times while they are loaded.
    """

    def __init__(self, model: Packed) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._entries: list[TensorProto] = []
        self.weights: dict[str, Weights] = {}
        self._keep_constants()
        norm = "emb.ln"
        here = self._add_norm(norm, INPUT)
        for number in range(model.layers):
            here, norm = self._add_layer(f"l{number}", here, norm), f"l{number}.oln"
        self._add_node("Identity", [here], OUTPUT)

    def serialized(self) -> bytes:
        shape: list[str | int | None] = [1, "tokens", self._model.width]
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in (INPUT, OUTPUT)]
        graph = helper.make_graph(self._nodes, "e5", ends[:1], ends[1:], self._entries)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(_OF_RUNTIME, 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=10)
        model_bytes: bytes = model.SerializeToString()
        return model_bytes

    def _add_layer(self, name: str, here: str, norm: str) -> str:
        """`norm` is the one that `here` comes from."""
        heads, inner = self._model.heads, f"{name}.aln"
        parts = self._add_product([f"{name}.{part}" for part in "qkv"], here, norm)
        ends = self._add_split(parts, [f"{name}.{part}" for part in "qkv"])
        seen = self._add_runtime_node("MultiHeadAttention", ends, f"{name}.seen", num_heads=heads)
        here = self._add_norm(inner, self._add_product([f"{name}.ao"], seen), here)
        bent = self._add_runtime_node(
            "Gelu", [self._add_product([f"{name}.fi"], here, inner)], f"{name}.bent"
        )
        return self._add_norm(f"{name}.oln", self._add_product_by_token(f"{name}.fo", bent), here)

    def _add_product(self, names: Sequence[str], here: str, norm: str = "") -> str:
        """What comes in is rounded with one scale for all tokens; after a norm, first its columns are evened out."""
        name = "+".join(names)
        rows = np.concatenate([self._read_rows(part, self._model.width) for part in names])
        if norm:
            factors = self._compute_evening(norm, rows)
            here = self._add_node(
                "Mul", [here, self._keep_numbers(f"{name}.even", np.reciprocal(factors))], f"{name}.evened"
            )
            rows = rows * factors
        weights, scales = self._add_rounded(name, rows)
        bias = self._keep_numbers(
            f"{name}.b", np.concatenate([self._model.numbers(f"{part}.b") for part in names])
        )
        return self._add_runtime_node(
            "DynamicQuantizeMatMul", [here, weights, scales, "", bias], f"{name}.all"
        )

    def _compute_evening(self, norm: str, rows: Numbers) -> Numbers:
        """Compute how large each column is by nature, as far as that is not left to its weights: shape (inputs,).

        Source: Xiao et al., "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large Language Models",
        ICML 2023. `rows`: shape (outputs, inputs).
        """
        gain, shift = (np.abs(self._model.numbers(f"{norm}.{part}")) for part in "wb")
        usual = (_DEVIATIONS * gain + shift) ** _EVENED / np.abs(rows).max(axis=0) ** (1 - _EVENED)
        factors: Numbers = usual / np.exp(np.log(usual).mean())
        return factors

    def _add_split(self, parts: str, names: list[str]) -> list[str]:
        self._nodes.append(helper.make_node("Split", [parts], names, axis=2, num_outputs=len(names)))
        return names

    def _add_product_by_token(self, name: str, here: str) -> str:
        """With a scale for each token: here a few have numbers so large that all others would be rounded away."""
        weights, scales = self._add_rounded(name, self._read_rows(name, self._model.inner))
        bias = self._keep_numbers(f"{name}.b", self._model.numbers(f"{name}.b"))
        largest = self._add_node(
            "ReduceMax", [self._add_node("Abs", [here], f"{name}.abs"), "last"], f"{name}.largest"
        )
        scale = self._add_node("Div", [largest, "activation_most"], f"{name}.scale")
        scaled = self._add_node(
            "Round", [self._add_node("Div", [here, scale], f"{name}.scaled")], f"{name}.round"
        )
        shifted = self._add_node("Add", [scaled, "activation_zero"], f"{name}.shifted")
        whole = self._add_node("Cast", [shifted], f"{name}.whole", to=TensorProto.UINT8)
        product = self._add_node("MatMulInteger", [whole, weights, "zero_point"], f"{name}.product")
        number = self._add_node("Cast", [product], f"{name}.number", to=TensorProto.FLOAT)
        by_token = self._add_node("Mul", [number, scale], f"{name}.by_token")
        return self._add_node(
            "Add", [self._add_node("Mul", [by_token, scales], f"{name}.by_row"), bias], name
        )

    def _keep_constants(self) -> None:
        constants: dict[str, NDArray[np.number[Any]]] = {
            "last": np.array([-1], np.int64),
            "activation_most": np.array(_ACTIVATION_MOST, np.float32),
            "activation_zero": np.array(_ACTIVATION_ZERO, np.float32),
            "zero_point": np.array(_ACTIVATION_ZERO, np.uint8),
        }
        # Numbers, shape () or (1,). In the graph, whose shapes depend on them.
        self._entries += [numpy_helper.from_array(value, name) for name, value in constants.items()]

    def _read_rows(self, name: str, inputs: int) -> Numbers:
        """A matrix in floats: shape (outputs, inputs)."""
        return Blocks.of(self._model.rows(f"{name}.w", inputs)).numbers()

    def _add_rounded(self, name: str, rows: Numbers) -> tuple[str, str]:
        """Names of a matrix in whole numbers and of its rows' scales. `rows`: shape (outputs, inputs)."""
        scales = np.abs(rows).max(axis=1) / _MOST
        whole = np.rint(rows / scales[:, None]).astype(np.int8)
        return self._keep_numbers(f"{name}.w", whole.T), self._keep_numbers(f"{name}.s", scales)

    def _add_norm(self, name: str, here: str, beside: str = "") -> str:
        ends = [self._keep_numbers(f"{name}.{part}", self._model.numbers(f"{name}.{part}")) for part in "wb"]
        epsilon = self._model.epsilon
        if beside:
            return self._add_runtime_node(
                "SkipLayerNormalization", [here, beside, *ends], name, epsilon=epsilon
            )
        return self._add_node("LayerNormalization", [here, *ends], name, epsilon=epsilon)

    def _add_runtime_node(self, kind: str, entrances: list[str], name: str, **settings: Any) -> str:
        """Of a kind that only ONNX Runtime knows."""
        return self._add_node(kind, entrances, name, domain=_OF_RUNTIME, **settings)

    def _add_node(self, kind: str, entrances: list[str], name: str, **settings: Any) -> str:
        self._nodes.append(helper.make_node(kind, entrances, [name], **settings))
        return name

    def _keep_numbers(self, name: str, numbers: Weights) -> str:
        whole = self.weights[name] = np.ascontiguousarray(numbers)
        kind = helper.np_dtype_to_tensor_dtype(whole.dtype)
        entry = TensorProto(name=name, dims=whole.shape, data_type=kind)
        entry.data_location = TensorProto.EXTERNAL
        entry.external_data.add(key="location", value=name)
        self._entries.append(entry)
        return name
