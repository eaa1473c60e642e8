"""The extractor that needs no model: rules for English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memories import words
from memories.engine.local.assistant import substance_of
from memories.engine.local.behaviour import find_interest
from memories.engine.local.choices import Choice, find_choice, hint_of
from memories.engine.local.reading import Reading, read_message
from memories.engine.local.smalltalk import is_small_talk
from memories.engine.local.tags import tags_of, title_of
from memories.engine.local.transcripts import name_words, speakers_of, words_of
from memories.engine.local.writing import write_claim, write_hint, write_line, write_statements, write_view
from memories.values import Draft, Kind, Turn

# A plan longer than this is a story of its own; the choice then only follows it.
_LONGEST_PLAN_WORDS = 40


class LocalExtractor:
    """Proposes memories from the turns of one conversation. It never fails on what people write."""

    def extract(self, turns: Sequence[Turn], tags: Sequence[str]) -> list[Draft]:
        turns = [replace(turn, text=_readable(turn.text)) for turn in turns]
        speakers = speakers_of(turns)
        names = name_words(speakers)
        drafts: list[Draft] = []
        for at, turn in enumerate(turns):
            if speakers[at]:
                drafts += _read_line(turn, at, speakers[at], names, tags)
            elif turn.role == "user":
                drafts = _with_user_turn(drafts, turns, at, tags)
            elif turn.role == "assistant":
                drafts += _read_view(turn, at, tags)
        return _distinct(drafts)


def _readable(text: str) -> str:
    """Without what no database and no encoder takes."""
    return words.HALF_CHARACTER.sub(" ", text.replace("\x00", " "))


def _read_line(turn: Turn, at: int, speaker: str, names: frozenset[str], tags: Sequence[str]) -> list[Draft]:
    said = words_of(turn.text, speaker)
    if is_small_talk(said, names):
        return []
    return [write_line(said, speaker, words.language_of(said), turn, at, tags)]


def _read_view(turn: Turn, at: int, tags: Sequence[str]) -> list[Draft]:
    said = substance_of(turn.text)
    return [write_view(said, turn, at, tags)] if said else []


def _with_user_turn(drafts: list[Draft], turns: Sequence[Turn], at: int, tags: Sequence[str]) -> list[Draft]:
    turn = turns[at]
    reading = read_message(turn.text)
    choice = _choice_of(reading, turns, at)
    if choice:
        return _with_choice(drafts, choice, reading, turns, at, tags)
    found = [write_claim(claim, language, turn, at, tags) for claim, language in reading.claims]
    found += write_statements(reading.statements, turn, at, tags)
    for sentence, language in reading.sentences:
        interest = find_interest(sentence, language)
        if interest:
            found.append(write_hint(*interest, language, (at,), tags))
    return drafts + found


def _choice_of(reading: Reading, turns: Sequence[Turn], at: int) -> Choice | None:
    if at == 0 or turns[at - 1].role != "assistant":
        return None
    question = turns[at - 2].text if at > 1 else ""
    for sentence, language in reading.sentences:
        choice = find_choice(sentence, turns[at - 1].text, question[-1_000:], language)
        if choice:
            return choice
    return None


def _with_choice(
    drafts: list[Draft], choice: Choice, reading: Reading, turns: Sequence[Turn], at: int, tags: Sequence[str]
) -> list[Draft]:
    """The plan that the choice is for and the choice become one fact, since neither is of use without the other."""
    language = reading.sentences[0][1]
    plan = next((d for d in reversed(drafts) if _is_plan(d, at, language)), None)
    text = _choice_text(choice, plan, language)
    sources = (*(plan.turns if plan else ()), at - 1, at)
    fact = Draft(
        kind=Kind.FACT,
        text=text,
        title=title_of(text, language),
        turns=sources,
        confidence=0.85,
        tags=tags_of(text, language, tags),
        event_time=plan.event_time if plan else None,
        language=language,
    )
    hint = write_hint(*hint_of(choice, language), language, (at - 1, at), tags)
    kept = [draft for draft in drafts if draft is not plan]
    return [*kept, fact, hint, *_beside_choice(choice, reading, turns, at, tags)]


def _beside_choice(
    choice: Choice, reading: Reading, turns: Sequence[Turn], at: int, tags: Sequence[str]
) -> list[Draft]:
    """What the message says besides the choice itself."""
    chosen, offer = choice.chosen.lower(), turns[at - 1].text
    claims = [
        write_claim(claim, language, turns[at], at, tags)
        for claim, language in reading.claims
        if chosen not in claim.said.lower()
    ]
    others = [
        (statement, language)
        for statement, language in reading.statements
        if chosen not in statement.lower() and not find_choice(statement, offer, "", language)
    ]
    return claims + write_statements(others, turns[at], at, tags)


def _is_plan(draft: Draft, at: int, language: str) -> bool:
    is_near = draft.turns == (at - 2,) and draft.kind is Kind.FACT and not draft.slot and not draft.speaker
    return is_near and draft.language == language and len(draft.text.split()) <= _LONGEST_PLAN_WORDS


def _choice_text(choice: Choice, plan: Draft | None, language: str) -> str:
    options = choice.options if len(choice.options) > 1 else ()
    if language == "zh":
        offered = f"在助手给出的{choice.what or '选项'}（{'、'.join(options)}）中" if options else ""
        return f"{plan.text.rstrip('。') + '，' if plan else '用户'}{offered}选择了{choice.chosen}。"
    offered = f" among the {choice.what or 'options'} offered" + (
        f" ({', '.join(options)})" if options else ""
    )
    if plan is None:
        return f"The user chose {choice.chosen}{offered}."
    is_one_sentence = plan.text.startswith("The user ") and ". " not in plan.text
    start = f"{plan.text.rstrip('.')} and" if is_one_sentence else f"{plan.text} The user"
    return f"{start} chose {choice.chosen}{offered}."


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    """Each text once; what was said again names all its messages."""
    by_text: dict[tuple[Kind, str], Draft] = {}
    for draft in drafts:
        if not draft.text:
            continue
        known = by_text.get((draft.kind, draft.text))
        sources = tuple(sorted({*known.turns, *draft.turns})) if known else draft.turns
        by_text[draft.kind, draft.text] = replace(draft, turns=sources)
    return list(by_text.values())
