"""Find the sentences of a message that a memory was made of."""

from __future__ import annotations

from dataclasses import dataclass

from memories.text.clauses.sentences import split_sentences
from memories.text.words.tokenize import search_terms


@dataclass(frozen=True, slots=True)
class MessagePassage:
    """A piece of a message; `is_source` where the memory says the same."""

    text: str
    is_source: bool


def mark_source(message: str, memory: str) -> list[MessagePassage]:
    """The whole message in pieces, with the sentences marked that share most search terms with the memory.

    Nothing is marked where no sentence shares any.
    """
    wanted = set(search_terms(memory))
    sentences = list(split_sentences(message))
    shared = [len(wanted.intersection(search_terms(sentence))) for sentence in sentences]
    best = max(shared, default=0)
    passages: list[MessagePassage] = []
    end = 0
    for sentence, count in zip(sentences, shared, strict=True):
        start = message.find(sentence, end)
        if start < 0 or count < best or not best:
            continue
        passages += [MessagePassage(message[end:start], is_source=False)] if start > end else []
        passages.append(MessagePassage(sentence, is_source=True))
        end = start + len(sentence)
    return [*passages, MessagePassage(message[end:], is_source=False)] if end < len(message) else passages
