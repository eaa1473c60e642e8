"""How much of a prompt begins like the one before in the same conversation: what a provider's cache can use again."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.core.cache import caches

# A prompt is compared in blocks of so many characters; providers cache in blocks of 128 tokens or less.
BLOCK = 128
# Of a block that is kept: a wrong match of one block in four thousand million.
HASH_BYTES = 4
# Longer than providers keep what they cached.
KEPT_SECONDS = 3600


def compare_with_last(thread: str, prompt: str) -> dict[str, Any]:
    """Keep the prompt's hashes for its successor, and say how it compares with its predecessor: for the trace.

    Characters, rounded down to whole blocks; without `stable_characters` where no predecessor is known. The prompt
    itself is not kept.
    """
    name = f"prompt-prefix:{_compute_keyed_hash(thread.encode(), 16).hex()}"
    blocks = _hash_blocks(prompt)
    kept = caches["prompts"]
    before: bytes | None = kept.get(name)
    kept.set(name, blocks, KEPT_SECONDS)
    note: dict[str, Any] = {"characters": len(prompt)}
    if before is None:
        return note
    stable = BLOCK * _count_equal_blocks(before, blocks)
    return note | {"stable_characters": stable, "stable_percent": 100 * stable // len(prompt)}


def _hash_blocks(text: str) -> bytes:
    """Hashes of all whole blocks, one behind the other."""
    ends = range(BLOCK, len(text) + 1, BLOCK)
    return b"".join(
        _compute_keyed_hash(text[end - BLOCK : end].encode(errors="replace"), HASH_BYTES) for end in ends
    )


def _count_equal_blocks(before: bytes, now: bytes) -> int:
    most = min(len(before), len(now)) // HASH_BYTES
    places = (at * HASH_BYTES for at in range(most))
    return next(
        (at // HASH_BYTES for at in places if before[at : at + HASH_BYTES] != now[at : at + HASH_BYTES]),
        most,
    )


def _compute_keyed_hash(content: bytes, size: int) -> bytes:
    """Hash with the installation's secret: nobody without it can test what a prompt said."""
    return blake2b(content, digest_size=size, key=settings.SECRET_KEY.encode()[:64]).digest()
