"""The encoder of e5 as a graph that ONNX Runtime computes: BERT with its weights in blocks of 4 bits.

Activations are rounded to 8 bits for the products, as the wheel's own engine does: vectors of both differ by less than
one part in ten thousand, so that a database needs no new ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from memories.engine.local.e5.packed import BLOCK, Blocks, Packed

INPUT, OUTPUT = "embedded", "hidden"
_OF_RUNTIME = "com.microsoft"
# Products are made of whole numbers of 8 bits.
_EIGHT_BITS = 4


class Graph:
    """Takes `embedded` (1, tokens, width), gives `hidden` of the same shape.

    `weights` are beside it, not in it: inside they would be in memory three times while they are loaded.
    """

    def __init__(self, model: Packed) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._entries: list[TensorProto] = []
        self.weights: dict[str, NDArray[Any]] = {}
        here = self._norm("emb.ln", INPUT)
        for number in range(model.layers):
            here = self._layer(f"l{number}", here)
        self._node("Identity", [here], OUTPUT, domain="")

    def serialized(self) -> bytes:
        shape: list[str | int | None] = [1, "tokens", self._model.width]
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in (INPUT, OUTPUT)]
        graph = helper.make_graph(self._nodes, "e5", ends[:1], ends[1:], self._entries)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(_OF_RUNTIME, 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=10)
        found: bytes = model.SerializeToString()
        return found

    def _layer(self, name: str, here: str) -> str:
        width, inner = self._model.width, self._model.inner
        asked, known, told = (self._product(f"{name}.{part}", here, width) for part in "qkv")
        seen = self._node(
            "MultiHeadAttention", [asked, known, told], f"{name}.seen", num_heads=self._model.heads
        )
        here = self._norm(f"{name}.aln", self._product(f"{name}.ao", seen, width), here)
        bent = self._node("Gelu", [self._product(f"{name}.fi", here, width)], f"{name}.bent")
        return self._norm(f"{name}.oln", self._product(f"{name}.fo", bent, inner), here)

    def _product(self, name: str, here: str, inputs: int) -> str:
        blocks = Blocks.of(self._model.rows(f"{name}.w", inputs))
        # Neighbours share a byte here, where the file pairs the halves of a block.
        paired = blocks.weights[:, :, 0::2] | (blocks.weights[:, :, 1::2] << 4)
        weights = self._kept(f"{name}.w", paired)
        scales = self._kept(f"{name}.s", blocks.scales.reshape(-1))
        bias = self._kept(f"{name}.b", self._model.numbers(f"{name}.b"))
        settings: dict[str, Any] = {"K": inputs, "N": len(paired), "bits": 4, "block_size": BLOCK}
        entrances = [here, weights, scales, "", "", bias]
        return self._node("MatMulNBits", entrances, name, accuracy_level=_EIGHT_BITS, **settings)

    def _norm(self, name: str, here: str, beside: str = "") -> str:
        ends = [self._kept(f"{name}.{part}", self._model.numbers(f"{name}.{part}")) for part in "wb"]
        kind, first = ("SkipLayerNormalization", [here, beside]) if beside else ("LayerNormalization", [here])
        domain = _OF_RUNTIME if beside else ""
        return self._node(kind, [*first, *ends], name, domain=domain, epsilon=self._model.epsilon)

    def _node(
        self, kind: str, entrances: list[str], name: str, *, domain: str = _OF_RUNTIME, **settings: Any
    ) -> str:
        self._nodes.append(helper.make_node(kind, entrances, [name], domain=domain, **settings))
        return name

    def _kept(self, name: str, numbers: NDArray[Any]) -> str:
        whole = self.weights[name] = np.ascontiguousarray(numbers)
        entry = TensorProto(
            name=name, dims=whole.shape, data_type=helper.np_dtype_to_tensor_dtype(whole.dtype)
        )
        entry.data_location = TensorProto.EXTERNAL
        entry.external_data.add(key="location", value=name)
        self._entries.append(entry)
        return name
