"""The extractor that needs no model: rules for English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.engine.local.assistant import extract_substance, is_echo
from memories.engine.local.chinese import ChineseReader
from memories.engine.local.english.reader import EnglishReader
from memories.engine.local.english.replies.own_choices import part_own_choice
from memories.engine.local.inferences.behaviour import Action, Hint, find_action, find_habit, find_hints
from memories.engine.local.inferences.choices import (
    UserChoice,
    build_hint,
    build_hint_slot,
    find_choice,
    pluralize,
)
from memories.engine.local.semantic_tags import with_meant_tags
from memories.engine.local.writing import (
    write_claim,
    write_hint,
    write_line,
    write_proposition,
    write_statements,
    write_view,
)
from memories.text.claims.pronouns import Referents
from memories.text.claims.reading import MessageReading, read_message
from memories.text.clauses.corrections import apply_corrections
from memories.text.clauses.runs import LanguageRun, answers_chinese_question, split_language_runs
from memories.text.clauses.small_talk import is_small_talk
from memories.text.quotes.role_play import leave_out_played
from memories.text.quotes.transcripts import find_speakers, name_words, strip_speaker
from memories.text.slots import name_slots
from memories.text.slots.claim import Claim
from memories.text.topics.tags import build_title, choose_tags
from memories.text.words import language_detection, tokenize
from memories.text.words.spacing import tidy_spacing
from memories.values import Confidence, Draft, MemoryKind, Turn

# A plan longer than this is a story of its own; the choice then only follows it.
_LONGEST_PLAN_WORDS = 40


class LocalExtractor:
    """Proposes memories from the turns of one conversation. It never fails on what people write."""

    name = "local-1"

    def extract(self, turns: Sequence[Turn], tags: Sequence[str]) -> list[Draft]:
        turns = leave_out_played([replace(turn, text=_make_readable(turn.text)) for turn in turns])
        speakers = find_speakers(turns)
        names = name_words(speakers)
        talk = _ConversationReader(turns, tags)
        for at, turn in enumerate(turns):
            if speakers[at]:
                talk.drafts += _read_line(turn, at, speakers[at], names, tags)
            elif turn.role == "user":
                talk.read_user_turn(at)
            elif turn.role == "assistant":
                talk.drafts += _read_view(turn, at, turns, tags)
        return with_meant_tags(
            remove_repeated(apply_corrections(name_slots([*talk.drafts, *talk.list_hints()]))), tags
        )


def _make_readable(text: str) -> str:
    """Without what no database and no encoder takes, and without runs that would hold up every later rule."""
    return tidy_spacing(tokenize.HALF_CHARACTER.sub(" ", text.replace("\x00", " ")))


def _read_line(turn: Turn, at: int, speaker: str, names: frozenset[str], tags: Sequence[str]) -> list[Draft]:
    text = strip_speaker(turn.text, speaker)
    if is_small_talk(text, names):
        return []
    return [write_line(text, speaker, language_detection.detect_language(text), turn, at, tags)]


def _read_view(turn: Turn, at: int, turns: Sequence[Turn], tags: Sequence[str]) -> list[Draft]:
    before = turns[at - 1].text if at and turns[at - 1].role == "user" else ""
    statements = [
        statement for statement in extract_substance(turn.text) if not is_echo(statement[0], before)
    ]
    return [write_view(statements, turn, at, tags)] if statements else []


class _ConversationReader:
    """One conversation, read turn by turn: a choice needs what was offered, "it" what was named."""

    def __init__(self, turns: Sequence[Turn], tags: Sequence[str]) -> None:
        self.drafts: list[Draft] = []
        self._turns = turns
        self._tags = tags
        self._referents = Referents()
        # One reader for each language, which keeps what the talk has named.
        self._readers: dict[str, EnglishReader | ChineseReader] = {
            "en": EnglishReader(),
            "zh": ChineseReader(),
        }
        self._actions: list[Action] = []

    def read_user_turn(self, at: int) -> None:
        reading = read_message(self._turns[at].text, self._referents)
        choice = self._find_choice(reading, at)
        if choice:
            self._take_choice(choice, reading, at)
            return
        self._read_turn(at)
        for sentence, language in reading.sentences:
            self._watch_sentence(sentence, language, at)

    def _read_turn(self, at: int) -> None:
        """Each run of sentences in one language by the reader of that language."""
        turn = self._turns[at]
        is_reply = at > 1 and [earlier.role for earlier in self._turns[at - 2 : at]] == ["user", "assistant"]
        parts = part_own_choice(turn.text, self._turns[at - 2].text) if is_reply else (turn.text,)
        asked = self._turns[at - 1].text if at and self._turns[at - 1].role == "assistant" else ""
        runs = [LanguageRun("zh", turn.text)] if answers_chinese_question(turn.text, asked) else []
        for language, text in runs or [run for part in parts for run in _runs(part)]:
            propositions = self._readers[language].read(replace(turn, text=text), at, self._turns)
            self.drafts += [
                write_proposition(proposition, turn, at, self._tags) for proposition in propositions
            ]

    def list_hints(self) -> list[Draft]:
        """List what all that was done in this conversation suggests."""
        return [self._write_hint(hint) for hint in find_hints(self._actions)]

    def _watch_sentence(self, sentence: str, language: str, at: int) -> None:
        if action := find_action(sentence, language, at):
            self._actions.append(action)
        if habit := find_habit(sentence, language, at):
            self.drafts.append(self._write_hint(habit))

    def _write_hint(self, hint: Hint) -> Draft:
        return write_hint(hint.text, hint.reasoning, hint.language, hint.turns, self._tags, hint.slot)

    def _draft_claim(self, claim: Claim, language: str, at: int) -> Draft:
        return write_claim(claim, language, self._turns[at], at, self._tags)

    def _find_choice(self, reading: MessageReading, at: int) -> UserChoice | None:
        if at == 0 or self._turns[at - 1].role != "assistant":
            return None
        offer, message = self._turns[at - 1].text, self._turns[at].text[:1_000]
        question = self._turns[at - 2].text[-1_000:] if at > 1 else ""
        choices = (
            find_choice(sentence, offer, question, language, message)
            for sentence, language in reading.sentences
        )
        return next((choice for choice in choices if choice), None)

    def _take_choice(self, choice: UserChoice, reading: MessageReading, at: int) -> None:
        """The plan that the choice is for and the choice become one fact, since neither is of use without the other."""
        language = reading.sentences[0][1]
        plan = next((draft for draft in reversed(self.drafts) if _is_plan(draft, at, language)), None)
        self.drafts = [draft for draft in self.drafts if draft is not plan]
        text = _write_choice_text(choice, plan, language)
        self.drafts.append(
            Draft(
                kind=MemoryKind.FACT,
                text=text,
                title=build_title(text, language),
                turns=(*(plan.turns if plan else ()), at - 1, at),
                confidence=Confidence.STATED,
                tags=choose_tags(text, language, self._tags),
                event_time=plan.event_time if plan else None,
                language=language,
            )
        )
        if hint := build_hint(choice, language):
            self.drafts.append(write_hint(*hint, language, (at - 1, at), self._tags, build_hint_slot(choice)))
        self._read_beside_choice(choice, reading, at)

    def _read_beside_choice(self, choice: UserChoice, reading: MessageReading, at: int) -> None:
        """Read what the message says besides the choice itself."""
        chosen, offer = choice.chosen.lower(), self._turns[at - 1].text
        self.drafts += [
            self._draft_claim(claim, language, at)
            for claim, language in reading.claims
            if chosen not in claim.statement.lower() and not find_choice(claim.statement, offer, "", language)
        ]
        others = [
            (statement, language)
            for statement, language in reading.statements
            if chosen not in statement.lower()
            and not choice.is_refused_in(statement)
            and not find_choice(statement, offer, "", language)
        ]
        self.drafts += write_statements(others, self._turns[at], at, self._tags)


def _runs(text: str) -> list[LanguageRun]:
    """The runs of one language each; English that says nothing of its writer belongs to the Chinese around it."""
    runs = split_language_runs(text)
    is_chinese = language_detection.detect_language(text) == "zh"
    if is_chinese and not any(run.language == "en" and _FIRST_PERSON.search(run.text) for run in runs):
        return [LanguageRun("zh", text)]
    return runs


# How English speaks of its writer.
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|[Mm]y|[Ww]e|[Oo]ur)\b")


def _is_plan(draft: Draft, at: int, language: str) -> bool:
    is_near = (
        draft.turns == (at - 2,) and draft.kind is MemoryKind.FACT and not draft.slot and not draft.speaker
    )
    return is_near and draft.language == language and len(draft.text.split()) <= _LONGEST_PLAN_WORDS


def _write_choice_text(choice: UserChoice, plan: Draft | None, language: str) -> str:
    options = choice.options if len(choice.options) > 1 else ()
    if language == "zh":
        offered = f"在助手给出的{choice.what or '选项'}（{'、'.join(options)}）中" if options else ""
        return f"{plan.text.rstrip('。') + '，' if plan else '用户'}{offered}选择了{choice.chosen}。"
    offered = f" among the {pluralize(choice.what) or 'options'} offered" + (
        f" ({', '.join(options)})" if options else ""
    )
    if plan is None:
        return f"The user chose {choice.option.shown}{offered}."
    is_one_sentence = plan.text.startswith("The user ") and ". " not in plan.text
    start = f"{plan.text.rstrip('.')} and" if is_one_sentence else f"{plan.text} The user"
    return f"{start} chose {choice.option.shown}{offered}."


def remove_repeated(drafts: Sequence[Draft]) -> list[Draft]:
    """Each text once; what was said again names all its messages."""
    by_text: dict[tuple[MemoryKind, str], Draft] = {}
    for draft in drafts:
        if not draft.text:
            continue
        known = by_text.get((draft.kind, draft.text))
        sources = tuple(sorted({*known.turns, *draft.turns})) if known else draft.turns
        by_text[draft.kind, draft.text] = replace(draft, turns=sources)
    return list(by_text.values())
