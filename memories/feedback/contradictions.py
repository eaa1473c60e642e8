"""Find the memories that a correction contradicts: the same matter with another value.

A memory is about the same matter when it shares the words (or, in other words, the meaning) of the statement. It
is contradicted when it holds the value that was called wrong, or says another value of the very same thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from django.contrib.postgres.search import SearchQuery as Words
from django.contrib.postgres.search import SearchRank
from django.db.models import Q
from pgvector.django import CosineDistance

from memories.engine import get_embedder
from memories.engine.calibration.background_similarity import load_background
from memories.feedback.owners import is_of_same_person, is_quotation, says_that_user_has
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.text.clauses.changed_values import read_frame
from memories.text.clauses.contrast import Contrast
from memories.text.clauses.corrections import correct_text
from memories.text.clauses.objects import exchange_object
from memories.text.clauses.replacer import make_replacer
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords, search_terms
from memories.values import Draft, MemoryKind

# What people say of the world and of themselves; methods and tools are no statements that somebody contradicts.
STATED = (MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.KNOWLEDGE, MemoryKind.PROFILE, MemoryKind.EVENT)
# How many memories are looked at, by words and by meaning.
NEAREST, WORDED = 30, 300
# Share of the statement's words that a memory has when it is about the same; less will do where the meaning agrees.
SAME_WORDS, SOME_WORDS, SAME_MEANING = 0.6, 0.3, 0.1
# A memory that fits this much worse than the best one is about something else.
CLOSE_TO_BEST = 0.35
NOBODYS = frozenset({"user", "用户", "assist", "view", "助手"})

_COPULA = re.compile(
    r"\b(?:is|are|was|were|am|equals|to be|called|named|costs)\b|(?:应该|应当)?是|为|[:：=]|叫", re.IGNORECASE
)
_PREPOSITION = re.compile(
    r"(?:in|on|at|to|from|by|for|with|of|under|near|after|before)\b|在|从|到", re.IGNORECASE
)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_SELF = re.compile(r"^(?:I|we|I'm|I've|we're)\b|^我(?!的|们的)", re.IGNORECASE)
_ABOUT_USER = re.compile(
    r"^(?:\[assistant view\] )?(?:the )?user\b(?!')|^(?:\[assistant view\] )?用户(?!的)", re.IGNORECASE
)
_ASSISTANT_VIEW = re.compile(r"^\[assistant view\]\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FeedbackStatement:
    """Statement with what belongs to it: the statement as it was said, its vector, its values, and the turns that it
    answers."""

    statement: str
    contrast: Contrast | None
    vector: list[float] | None
    says_wrong: bool
    slots: frozenset[str] = frozenset()
    talk: tuple[str, ...] = ()

    @property
    def subject(self) -> frozenset[str]:
        """The words that say what it is about: those of the values left out."""
        values = (
            {*extract_keywords(self.contrast.right), *extract_keywords(self.contrast.wrong)}
            if self.contrast
            else set()
        )
        return extract_content_words(self.statement) - values


@dataclass(slots=True)
class Contradictions:
    """Contradicted memories with the text that puts each right ("" where the statement itself does).

    `is_known`: a passage of a knowledge base says it already.
    """

    targets: dict[Memory, str] = field(default_factory=dict)
    is_uncertain: bool = False
    is_known: bool = False

    def and_also(self, other: Contradictions) -> Contradictions:
        return Contradictions(
            {**self.targets, **other.targets},
            self.is_uncertain or other.is_uncertain,
            self.is_known or other.is_known,
        )


def extract_content_words(text: str) -> frozenset[str]:
    return frozenset(extract_keywords(text)) - NOBODYS


def find_candidates(cubes: Sequence[MemCube], matter: FeedbackStatement) -> list[Memory]:
    """Current memories of the cubes that share words or meaning with the matter; the nearest know their `distance`."""
    held: MemoryQuerySet = Memory.objects.within(cubes).current().filter(kind__in=STATED, is_raw=False)
    near: dict[object, Memory] = {}
    if matter.vector is not None:
        alike = held.filter(embedding_model=get_embedder().name).annotate(
            distance=CosineDistance("embedding", matter.vector)
        )
        near = {memory.pk: memory for memory in alike.order_by("distance")[:NEAREST]}
    words = _build_word_query(matter)
    worded = held.filter(_build_word_condition(matter, words))
    # Of a large base the newest of all that share a word may be none of those that share most.
    order = [] if words is None else [SearchRank("words_vector", words).desc()]
    best = worded.order_by(*order, "-updated_at")[:WORDED]
    return list({**{memory.pk: memory for memory in best}, **near}.values())


def _build_word_condition(matter: FeedbackStatement, words: Words | None) -> Q:
    wanted = Q(pk=None)
    if matter.contrast and matter.contrast.wrong:
        wanted |= Q(text__icontains=matter.contrast.wrong.split()[0])
    if matter.slots:
        wanted |= Q(slot__in=matter.slots)
    return wanted if words is None else wanted | Q(words_vector=words)


def _build_word_query(matter: FeedbackStatement) -> Words | None:
    search: Words | None = None
    for term in sorted(matter.subject)[:20]:
        query = Words(term, config="simple")
        search = query if search is None else search | query
    return search


def find_contradicted(held: Sequence[Memory], matter: FeedbackStatement) -> Contradictions:
    """Find which of these memories the matter contradicts."""
    contrast = matter.contrast or Contrast(matter.statement, "", "")
    if not (contrast.wrong or contrast.statement):
        return Contradictions(is_uncertain=True)
    findings = _find_holders_of_wrong_value(held, matter, contrast) if contrast.wrong else Contradictions()
    if not findings.targets and contrast.statement and not findings.is_uncertain:
        findings.targets = {
            memory: _keep_other_values(memory, matter) for memory in held if _says_otherwise(memory, matter)
        }
    if not findings.targets and matter.says_wrong and not contrast.wrong:
        findings.targets = _with_another_object(held, matter.statement)
    return findings


def _keep_other_values(memory: Memory, matter: FeedbackStatement) -> str:
    """What says more than the one value that is stated keeps that: "The class is at 7 pm and costs £8"."""
    if memory.slot or detect_language(memory.text) == "zh":
        return ""
    text = _ASSISTANT_VIEW.sub("", memory.text)
    return correct_text(text, Draft(MemoryKind.FACT, matter.statement, "", (0,), 1.0))


def _with_another_object(held: Sequence[Memory], statement: str) -> dict[Memory, str]:
    """As in "Wrong, I teach physics" after "teaches maths at Hill Street School": the one memory of that verb."""
    rewritten = {memory: text for memory in held if (text := exchange_object(memory.text, statement))}
    return rewritten if len(rewritten) == 1 else {}


def with_value_in_question(contrast: Contrast, talk: Sequence[str]) -> Contrast:
    """Resolve "it is 600": the wrong value is the only number that was stated last, unless several could be meant."""
    if contrast.wrong or contrast.statement or not _NUMBER.search(contrast.right):
        return contrast
    for text in reversed(talk):
        values = {number for number in _NUMBER.findall(text) if number not in contrast.right}
        if values:
            return replace(contrast, wrong=values.pop() if len(values) == 1 else "")
    return contrast


def _find_holders_of_wrong_value(
    held: Sequence[Memory], matter: FeedbackStatement, contrast: Contrast
) -> Contradictions:
    put_right = _make_corrector(contrast)
    corrected = {memory: text for memory in held if (text := _correct_text(memory, put_right)) is not None}
    about = matter.subject
    if not about:
        return _find_in_talk(corrected, matter)
    fits = {memory: fit for memory in corrected if (fit := _score_fit(memory, matter, about)) > 0}
    if not fits:
        owned = [
            memory
            for memory in corrected
            if memory.speaker != "assistant"
            and says_that_user_has(memory.text, contrast.wrong, matter.statement)
        ]
        return Contradictions({owned[0]: corrected[owned[0]]} if len(owned) == 1 else {})
    best = max(fits.values(), default=0)
    # What the user was quoted with has no slot to be found by.
    least = {memory: min(best, 1.0 if is_quotation(memory.text) else best) for memory in fits}
    return Contradictions(
        {memory: corrected[memory] for memory, fit in fits.items() if fit >= least[memory] - CLOSE_TO_BEST}
    )


def _make_corrector(contrast: Contrast) -> Callable[[str], str]:
    """Puts the right words in the place of the wrong ones; what stands before them already is not said twice."""
    put_right, right = make_replacer(contrast.wrong, contrast.right), contrast.right
    beginnings = [right[:size].rstrip() for size in range(len(right) - 1, 1, -1)]

    def correct(text: str) -> str:
        put = put_right(text)
        for begins in beginnings if put != text else ():
            for doubled in (f"{begins}{right}", f"{begins} {right}"):
                if doubled in put and doubled not in text:
                    return put.replace(doubled, right)
        return put

    return correct


def _correct_text(memory: Memory, put_right: Callable[[str], str]) -> str | None:
    text = put_right(memory.text)
    return None if text == memory.text else _ASSISTANT_VIEW.sub("", text)


def _score_fit(memory: Memory, matter: FeedbackStatement, about: frozenset[str]) -> float:
    """Score how surely the memory is about the same: a score from 0, when it is not, to 2, when it is of the same
    state."""
    if memory.slot and memory.slot in matter.slots:
        return 2.0
    if _SELF.match(matter.statement) and not _ABOUT_USER.match(memory.text):
        return 0.0
    if not is_of_same_person(matter.statement, memory.text):
        return 0.0
    known = {*memory.words.split(), *search_terms(memory.title)}
    share = sum(term in known or _is_written(term, memory.text) for term in about) / len(about)
    meaning = _compute_closeness(memory, matter)
    is_same = share >= SAME_WORDS or (share >= SOME_WORDS and meaning >= SAME_MEANING)
    return share + max(0.0, meaning) if is_same else 0.0


def _is_written(term: str, text: str) -> bool:
    """Chinese is cut into words by guessing: 小北学 is 小北 and 学."""
    return not term.isascii() and (term in text or (len(term) > 2 and term[:2] in text))


def _compute_closeness(memory: Memory, matter: FeedbackStatement) -> float:
    """Compute how far the memory's cosine lies above that of what has nothing to do with the statement, on the fitted
    scale."""
    distance = getattr(memory, "distance", None)
    if distance is None or matter.vector is None:
        return 0.0
    level = load_background().compute_level(matter.vector)
    ground = level.chinese if detect_language(memory.text) == "zh" else level.english
    return float((1 - distance - ground) * level.scale)


def _find_in_talk(corrected: dict[Memory, str], matter: FeedbackStatement) -> Contradictions:
    """Resolve "not 800 but 600", which names no subject: the only memory with that value, or the last talked about."""
    if len(corrected) == 1:
        return Contradictions(corrected)
    stated = [memory for memory in corrected if memory.speaker != "assistant"]
    if len(stated) == 1:
        # What the assistant said of it falls with it.
        about = extract_content_words(stated[0].text)
        same = [
            memory
            for memory in corrected
            if 2 * len(about & extract_content_words(memory.text)) >= len(about)
        ]
        return Contradictions({memory: corrected[memory] for memory in same})
    words = frozenset(word for text in matter.talk for word in extract_keywords(text))
    shares = {memory: _compute_overlap(memory, words) for memory in corrected}
    ranked = sorted(shares, key=lambda memory: shares[memory], reverse=True)
    if len(ranked) > 1 and shares[ranked[0]] >= 0.5 and shares[ranked[0]] - shares[ranked[1]] >= 0.2:
        return Contradictions({ranked[0]: corrected[ranked[0]]})
    return Contradictions(is_uncertain=True)


def _compute_overlap(memory: Memory, words: frozenset[str]) -> float:
    """The share of the memory's words that are among these: 0 to 1."""
    own = extract_content_words(memory.text)
    return len(own & words) / len(own) if own else 0.0


def _says_otherwise(memory: Memory, matter: FeedbackStatement) -> bool:
    """The memory says another value of the very thing that the statement gives a value."""
    if memory.slot and memory.slot in matter.slots:
        return extract_content_words(memory.text) != extract_content_words(matter.statement)
    ours, theirs = (
        split_thing_and_value(matter.statement),
        split_thing_and_value(_ASSISTANT_VIEW.sub("", memory.text)),
    )
    if ours is None or theirs is None:
        return _was_just_said(memory, matter)
    (thing, value), (their_thing, their_value) = ours, theirs
    about, their_about = extract_content_words(thing), extract_content_words(their_thing)
    # The bound is on the Jaccard index (Jaccard 1912) of the words of both things.
    if (
        not about
        or len(about & their_about) / len(about | their_about) < SAME_WORDS
        or not about <= their_about
    ):
        return False
    if extract_content_words(value) == extract_content_words(their_value):
        return False
    return _are_rivals(value, their_value, matter.says_wrong)


def split_thing_and_value(text: str) -> tuple[str, str] | None:
    match = _COPULA.search(text)
    if match is None or not text[match.end() :].strip(" .。"):
        return None
    return text[: match.start()], text[match.end() :].strip(" .。!！")


def _are_rivals(value: str, other: str, says_wrong: bool) -> bool:
    """Two values that cannot both hold: numbers or names at the same preposition; others when one was called wrong."""
    preposition, their_preposition = _PREPOSITION.match(value), _PREPOSITION.match(other)
    if (preposition and preposition[0].lower()) != (their_preposition and their_preposition[0].lower()):
        return False
    return says_wrong or _detect_shape(value) == _detect_shape(other) != "words"


def _detect_shape(value: str) -> str:
    bare = _PREPOSITION.sub("", value).strip()
    if re.match(r"[^\w]*\d", bare):
        return "number"
    return "name" if bare[:1].isupper() and len(bare.split()) <= 4 else "words"


def _was_just_said(memory: Memory, matter: FeedbackStatement) -> bool:
    """As in "Wrong, I like mangosteens" after "You like apples": the same kind of state, with what the talk named."""
    if not matter.says_wrong or ":" not in memory.slot or not matter.talk:
        return False
    state, _, thing = memory.slot.partition(":")
    rivals = {slot.partition(":")[2] for slot in matter.slots if slot.partition(":")[0] == state}
    is_denied = bool(re.search(r"\bnot\b|不", memory.text))
    if not rivals or thing in rivals or is_denied != bool(re.search(r"\bnot\b|n't\b|不", matter.statement)):
        return False
    return bool(thing) and frozenset(search_terms(thing)) <= frozenset(search_terms(matter.talk[-1]))


def is_related(matter: FeedbackStatement, held: Sequence[Memory]) -> bool:
    """Return whether the talk or any memory is related to what is stated."""
    # Neither the values that are stated nor the words of a change say what it is about.
    words = (read_frame(matter.statement).terms - NOBODYS) or extract_content_words(matter.statement)
    if not words:
        return False
    from_feedback = [frozenset(search_terms(text)) for text in matter.talk]
    from_feedback += [frozenset(memory.words.split()) for memory in held]
    enough = max(1, -(-len(words) // 2))
    if any(len(words & terms) >= min(enough, 3) for terms in from_feedback):
        return True
    return any(_compute_closeness(memory, matter) >= SAME_MEANING for memory in held)
