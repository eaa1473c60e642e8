"""The engines that this installation uses, as its settings say. One of each per process."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings

from memories.engine.protocols import Embedder, Extractor


@cache
def embedder() -> Embedder:
    choice: dict[str, Any] = settings.EMBEDDING
    if choice["ENGINE"] == "local":
        from memories.engine.local.e5 import LocalE5

        return LocalE5()
    from memories.engine.remote.embeddings import RemoteEmbedder

    return RemoteEmbedder(choice["BASE_URL"], choice["API_KEY"], choice["MODEL"], choice["DIMENSIONS"])


@cache
def extractor() -> Extractor:
    from memories.engine.local.extractor import LocalExtractor

    return LocalExtractor()
