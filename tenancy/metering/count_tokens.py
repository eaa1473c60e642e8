"""Number of tokens of texts, as limits, quotas and the request log count them: by the o200k tokenizer, or estimated."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tenancy.metering.rate_limits import MAX_CALL_TOKENS

# Characters that the tokenizer reads in one go.
PIECE = 50_000
# A token has at least one byte, so a text of fewer bytes than one call may have tokens needs no tokenizer to be let
# through (20 microseconds a token); for the minute's sum it counts with four bytes a token.
CHEAP_BYTES = MAX_CALL_TOKENS


def count_charged_tokens(texts: list[str]) -> int:
    """Number of tokens to charge: counted where a limit may be reached, else one per four bytes."""
    size = sum(len(text.encode()) for text in texts)
    return count_tokens(texts) if size > CHEAP_BYTES else max(1, size // 4)


def count_tokens(texts: list[str]) -> int:
    """Number of tokens of these texts by the o200k tokenizer."""
    return sum(len(_load_tokenizer().encode_ordinary(piece)) for text in texts for piece in _split_text(text))


def _split_text(text: str) -> list[str]:
    """The tokenizer takes a limited number of tokens at once; a cut adds one token at most."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


@lru_cache(maxsize=1)
def _load_tokenizer() -> Any:
    import bpe_openai  # 66 MiB of tables and a second: loaded when a long text comes, not with the process

    return bpe_openai.get_encoding("o200k_base")
