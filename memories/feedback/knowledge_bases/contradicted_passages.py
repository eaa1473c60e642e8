"""Finds the passages of knowledge bases that contradict a statement, and their corrected text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memories.feedback.contradictions import (
    Contradictions,
    FeedbackStatement,
    extract_content_words,
    split_thing_and_value,
)
from memories.feedback.knowledge_bases.edit_passage import (
    TextEdit,
    ValueStatement,
    apply_edits,
    build_statement,
    correct_everywhere,
    count_value_places,
    extract_search_words,
    iterate_wrong_places,
    locate_sentences,
    read_passage,
    split_passage,
)
from memories.models import Memory
from memories.text.quantities import Quantity, find_quantities
from memories.values import MemoryKind

# So many words of the talk tell a clause that it was the one talked about.
ENOUGH_OF_TALK = 2
# A sentence of so few words is found in any passage.
FEWEST_WORDS = 3


class HeldMemories(NamedTuple):
    """Memories that may be contradicted: passages of documents, and all else."""

    passages: list[Memory]
    others: list[Memory]


def split_passages(held: Sequence[Memory]) -> HeldMemories:
    """Passages apart: of them every clause is looked at."""
    passages = [memory for memory in held if memory.kind == MemoryKind.KNOWLEDGE]
    return HeldMemories(passages, [memory for memory in held if memory.kind != MemoryKind.KNOWLEDGE])


def find_contradicted_passages(passages: Sequence[Memory], matter: FeedbackStatement) -> Contradictions:
    if matter.contrast is not None and not matter.contrast.statement:
        return _find_in_talk(passages, matter)
    stated = _get_statement(matter)
    if stated is None:
        is_known = any(_is_said_in(memory.text, matter.statement) for memory in passages)
        return Contradictions(is_known=is_known)
    findings = Contradictions()
    for memory in passages:
        reading = read_passage(memory.text, stated, memory.title)
        if reading.text:
            findings.targets[memory] = reading.text
        findings.is_known = findings.is_known or reading.says_so
    return findings


def correct_again(text: str, title: str, matter: FeedbackStatement) -> str:
    """Correct a passage that another correction has changed meanwhile; "" when there is nothing to change."""
    stated = None if matter.contrast and not matter.contrast.statement else _get_statement(matter)
    return read_passage(text, stated, title).text if stated else ""


def _get_statement(matter: FeedbackStatement) -> ValueStatement | None:
    contrast = matter.contrast
    if contrast is not None:
        return build_statement(contrast.statement, contrast.right, contrast.wrong)
    sentence = matter.statement.strip(" .。!！")
    quantity = _find_only_value(sentence)
    if quantity is not None:
        return build_statement(sentence, sentence[quantity.start : quantity.whole], "")
    parts = split_thing_and_value(sentence)
    return build_statement(parts[0], parts[1], "") if parts else None


def _find_only_value(sentence: str) -> Quantity | None:
    """The one number that the sentence gives."""
    quantities = [
        quantity
        for quantity in find_quantities(sentence)
        if quantity.unit or not 1900 <= quantity.number <= 2100
    ]
    money = [quantity for quantity in quantities if quantity.is_money]
    for some in (quantities, money):
        if len(some) == 1:
            return some[0]
    return None


def _is_said_in(text: str, statement: str) -> bool:
    """A sentence of the text has every word of the statement."""
    words = extract_content_words(statement)
    if len(words) < FEWEST_WORDS:
        return False
    is_denied = _denies(statement)
    return any(
        words <= extract_search_words(sentence) and _denies(sentence) == is_denied
        for _, sentence in locate_sentences(text)
    )


def _denies(text: str) -> bool:
    words = extract_search_words(text)
    return not words.isdisjoint({"not", "no", "never"}) or any(sign in text for sign in "不没勿")


def _find_in_talk(passages: Sequence[Memory], matter: FeedbackStatement) -> Contradictions:
    """Resolve "not 800 but 600", which names no subject: the only passage with that value, or the one just talked
    about."""
    contrast = matter.contrast
    if contrast is None or not contrast.wrong:
        return Contradictions(is_uncertain=True)
    stated = build_statement(" ".join(matter.talk[-2:]), contrast.right, contrast.wrong)
    holders = [memory for memory in passages if count_value_places(memory.text, contrast.wrong)]
    if len(holders) == 1 and count_value_places(holders[0].text, contrast.wrong) == 1:
        return Contradictions({holders[0]: correct_everywhere(holders[0].text, stated)})
    ranked = sorted(_find_places_talked_about(holders, stated), key=lambda place: -place.shared_words)
    shared = [place.shared_words for place in ranked]
    if not ranked or shared[0] < ENOUGH_OF_TALK or (len(ranked) > 1 and shared[0] == shared[1]):
        return Contradictions(is_uncertain=bool(holders))
    best = ranked[0]
    return Contradictions({best.memory: apply_edits(best.memory.text, best.edits)})


class _Place(NamedTuple):
    """A clause with the wrong value: how many words of the talk it has, its passage, and edits that put it right."""

    shared_words: int
    memory: Memory
    edits: list[TextEdit]


def _find_places_talked_about(holders: Sequence[Memory], stated: ValueStatement) -> list[_Place]:
    """Every clause with the wrong value, with how many words of the talk it has."""
    return [
        _Place(len(extract_search_words(clause.text) & stated.words), memory, edits)
        for memory in holders
        for clause in split_passage(memory.text, memory.title)
        if (edits := list(iterate_wrong_places(clause, stated)))
    ]
