"""Turns claims and statements into drafts: dates resolved, third person, title, tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from memories.engine.local.memory_type import detect_memory_type
from memories.engine.local.propositions import Mood, Proposition
from memories.engine.memory_date import date_text, get_memory_date
from memories.text.en import third_person as english
from memories.text.slots.claim import Claim
from memories.text.time import chinese as dates_chinese
from memories.text.time import words_english
from memories.text.topics.tags import build_title, choose_tags
from memories.text.zh import third_person
from memories.values import Confidence, Draft, MemoryKind, Turn

# One memory holds what one message says, up to what a reader takes in at once.
_MOST_WORDS = 80
_LONGEST_VIEW_WORDS = 120


def write_claim(claim: Claim, language: str, turn: Turn, at: int, tags: Sequence[str]) -> Draft:
    dated = date_text(claim.statement, language, turn.said_at)
    text = dated.text.rstrip(" .。!！")
    if claim.dating and dated.at is None:
        text += claim.dating.format(_format_day(turn.said_at, language))
    text = _finish_sentence(_rewrite_in_third_person(text, language) + claim.ending, language)
    return Draft(
        kind=MemoryKind.PREFERENCE if claim.is_preference else MemoryKind.FACT,
        text=text,
        title=claim.title or build_title(text, language),
        turns=(at,),
        confidence=Confidence.CERTAIN if claim.slot else Confidence.STATED,
        tags=choose_tags(text, language, tags),
        memory_type=detect_memory_type(text, claim.slot, dated.at, turn.said_at, language),
        preference_type="explicit_preference" if claim.is_preference else "",
        reasoning=claim.reasoning,
        event_time=get_memory_date(claim.slot, dated.at, turn.said_at),
        slot=claim.slot,
        language=language,
    )


def write_proposition(proposition: Proposition, turn: Turn, at: int, tags: Sequence[str]) -> Draft:
    """A proposition as a memory; what is only quoted is trusted less."""
    text, language, slot = proposition.text, proposition.language, proposition.slot
    stated = Confidence.CERTAIN if slot else Confidence.STATED
    shared = [tag for tag in choose_tags(proposition.context, language, tags) if tag in tags]
    return Draft(
        kind=MemoryKind.PREFERENCE if proposition.is_preference else MemoryKind.FACT,
        text=text,
        title=proposition.title or build_title(text, language),
        turns=(*(earlier for earlier in proposition.turns if earlier != at), at),
        confidence=Confidence.QUOTED if proposition.is_quote else stated,
        tags=tuple(dict.fromkeys([*shared, *choose_tags(text, language, tags)])),
        memory_type=detect_memory_type(text, slot, proposition.event_time, turn.said_at, language),
        preference_type="explicit_preference" if proposition.is_preference else "",
        reasoning=proposition.reasoning,
        event_time=get_memory_date(slot, proposition.event_time, turn.said_at),
        slot=slot,
        language=language,
        value=proposition.value,
        corrects=proposition.corrects,
        supersedes=proposition.supersedes,
        is_end=proposition.mood is Mood.ENDED and bool(slot) and not proposition.is_preference,
    )


def write_statements(
    statements: Sequence[tuple[str, str]], turn: Turn, at: int, tags: Sequence[str]
) -> list[Draft]:
    """The statements of one message as one fact, or as few as their length allows."""
    return [_build_fact(part, turn, at, tags) for part in _split_portions(statements)]


def write_view(statements: Sequence[tuple[str, str]], turn: Turn, at: int, tags: Sequence[str]) -> Draft:
    """Write what only the assistant said: kept, marked, and trusted little."""
    language = statements[0][1]
    sentences, dated = _write_sentences(
        statements, turn, first=_ASSISTANTS[language], second=_USERS[language]
    )
    text = _shorten_sentences(sentences, language)
    return Draft(
        kind=MemoryKind.FACT,
        text=f"[assistant view] {text}",
        title=build_title(text, language),
        turns=(at,),
        confidence=Confidence.ASSISTANT,
        tags=choose_tags(text, language, tags),
        speaker="assistant",
        memory_type=detect_memory_type(f"[assistant view] {text}", "", dated, turn.said_at, language),
        event_time=dated,
        language=language,
    )


def write_line(words: str, speaker: str, language: str, turn: Turn, at: int, tags: Sequence[str]) -> Draft:
    """A line of a talk between named people, word for word, with dates behind the relative ones."""
    dated = date_text(words, language, turn.said_at, verbatim=True)
    joint = "：" if language == "zh" else ": "
    return Draft(
        kind=MemoryKind.FACT,
        text=f"{speaker}{joint}{dated.text}",
        title=f"{speaker}: {build_title(words, language)}",
        turns=(at,),
        confidence=Confidence.USUAL,
        tags=choose_tags(words, language, tags),
        speaker=speaker,
        event_time=dated.at,
        language=language,
    )


def write_hint(
    text: str, reasoning: str, language: str, turns: tuple[int, ...], tags: Sequence[str], slot: str = ""
) -> Draft:
    """A preference that was only inferred."""
    return Draft(
        kind=MemoryKind.PREFERENCE,
        text=text,
        title=build_title(text, language),
        turns=turns,
        confidence=Confidence.GUESSED,
        tags=choose_tags(text, language, tags),
        memory_type="UserMemory",
        preference_type="implicit_preference",
        reasoning=reasoning,
        slot=slot,
        language=language,
    )


_USERS = {"en": "the user", "zh": "用户"}
_ASSISTANTS = {"en": "the assistant", "zh": "助手"}


def _build_fact(statements: Sequence[tuple[str, str]], turn: Turn, at: int, tags: Sequence[str]) -> Draft:
    language = statements[0][1]
    sentences, event_time = _write_sentences(statements, turn)
    text = ("" if language == "zh" else " ").join(sentences)
    return Draft(
        kind=MemoryKind.FACT,
        text=text,
        title=build_title(text, language),
        turns=(at,),
        confidence=Confidence.STATED,
        tags=choose_tags(text, language, tags),
        memory_type=detect_memory_type(text, "", event_time, turn.said_at, language),
        event_time=event_time,
        language=language,
    )


def _write_sentences(
    statements: Sequence[tuple[str, str]], turn: Turn, first: str = "", second: str = ""
) -> tuple[list[str], datetime | None]:
    sentences, event_time = [], None
    for statement, language in statements:
        dated = date_text(statement, language, turn.said_at)
        sentences.append(
            _finish_sentence(_rewrite_in_third_person(dated.text, language, first, second), language)
        )
        event_time = event_time or dated.at
    return sentences, event_time


def _rewrite_in_third_person(text: str, language: str, first: str = "", second: str = "") -> str:
    rewrite = third_person.rewrite_in_third_person if language == "zh" else english.rewrite_in_third_person
    if not second:
        text = (third_person if language == "zh" else english).name_assistant(text)
    return rewrite(text, first or _USERS[language], second)


def _finish_sentence(text: str, language: str) -> str:
    return third_person.as_sentence(text) if language == "zh" else english.as_sentence(text)


def _format_day(said_on: datetime, language: str) -> str:
    return dates_chinese.format_day(said_on) if language == "zh" else words_english.format_day(said_on)


def _split_portions(statements: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    portion: list[tuple[str, str]] = []
    length = 0
    for statement, language in statements:
        size = len(statement) // 2 if language == "zh" else statement.count(" ") + 1
        if portion and (length + size > _MOST_WORDS or language != portion[0][1]):
            yield portion
            portion, length = [], 0
        portion.append((statement, language))
        length += size
    if portion:
        yield portion


def _shorten_sentences(sentences: Sequence[str], language: str) -> str:
    """Whole sentences from the beginning, up to the length that one view may have."""
    kept: list[str] = []
    length = 0
    for sentence in sentences:
        length += len(sentence) // 2 if language == "zh" else sentence.count(" ") + 1
        if kept and length > _LONGEST_VIEW_WORDS:
            break
        kept.append(sentence)
    return ("" if language == "zh" else " ").join(kept)
