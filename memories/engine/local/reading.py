"""Reads one message of the user: which of its clauses are claims, and which are plain statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memories import words
from memories.engine.local import (
    chinese,
    english,
    questionnaires,
    statements,
)
from memories.engine.local.claiming import find_claims
from memories.engine.local.claims import Claim
from memories.engine.local.sentences import clean, split_clauses, split_sentences
from memories.engine.local.smalltalk import is_small_talk
from memories.engine.local.verbs import with_subject
from memories.engine.local.wishes import find_wish

_FIRST_PERSON = re.compile(r"(?:I|i|we|We|my|My|our|Our)\b|[我咱]")
# "I like that", "We did": what it was about, others said.
_SAYS_NOTHING = re.compile(
    r"^(?:I|we) (?:\w+ ){0,2}(?:it|that|this|them|so|too|do|did|am|will|can|not|you)[.!]*$|^see https?:\S+$|^here(?:'s| is| are) [^.]{0,60}:$",
    re.IGNORECASE,
)
# Rules are written for what people say in a breath; longer sentences are kept as they are.
_LONGEST_RULED = 600


@dataclass(slots=True)
class Reading:
    """What a message says, in the speaker's own words: claims and statements, each with its language."""

    claims: list[tuple[Claim, str]] = field(default_factory=list)
    statements: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[tuple[str, str]] = field(default_factory=list)


def read_message(text: str) -> Reading:
    text = clean(text)
    reading = Reading()
    language = words.language_of(text)
    answers, rest = questionnaires.find_answers(text, language)
    reading.claims += [(answer, language) for answer in answers]
    for sentence in split_sentences(rest):
        language = words.language_of(sentence)
        if statements.hands_over_material(sentence, language):
            break
        reading.sentences.append((sentence, language))
        _read_sentence(reading, sentence, language)
    return reading


def _read_sentence(reading: Reading, sentence: str, language: str) -> None:
    if is_small_talk(sentence):
        return
    said = english.expand(sentence) if language == "en" else sentence
    wish = find_wish(said, language) if len(said) < _LONGEST_RULED else []
    if wish:
        reading.claims += [(claim, language) for claim in wish]
        return
    if statements.is_hypothetical(_bare(said, language), language) or _is_only_quoted(said):
        return
    clauses, is_whole = _stating(said, language)
    found = _claims_of(reading, clauses, language)
    reading.claims += [(claim, language) for claims in found for claim in claims]
    whole = _with_subject(_bare(said, language), language)
    if is_whole and not any(found):
        if not _SAYS_NOTHING.match(whole):
            reading.statements.append((whole, language))
    else:
        _keep_rest(reading, clauses, found, language)


def _keep_rest(
    reading: Reading, clauses: Sequence[str], found: Sequence[Sequence[Claim]], language: str
) -> None:
    """What no rule claimed stays as one statement."""
    rest = [
        clause
        for clause, claims in zip(clauses, found, strict=True)
        if not claims and not is_small_talk(clause) and not _SAYS_NOTHING.match(clause)
    ]
    if not rest:
        return
    reading.statements.append((("，" if language == "zh" else ", and ").join(rest), language))


def _stating(sentence: str, language: str) -> tuple[list[str], bool]:
    """The clauses that state something, and whether these are all: a question or a request may stand beside them."""
    if statements.is_about_made_up_text(_bare(sentence, language)):
        return [], False
    asks = statements.is_question(sentence, language) and sentence.rstrip().endswith(("?", "？"))
    clauses = split_clauses(sentence, language) if len(sentence) < _LONGEST_RULED else [sentence]
    kept, is_asking = [], False
    for at, clause in enumerate(clauses):
        bare = _bare(clause, language)
        is_asked = asks and (at == len(clauses) - 1 or not _names_speaker(bare, language))
        # What follows a request in Chinese belongs to it, until somebody is named again.
        is_asking = statements.is_request(bare, language) or (is_asking and not _FIRST_PERSON.match(bare))
        if (
            is_asked
            or is_asking
            or statements.is_question(bare, language)
            or statements.is_hypothetical(bare, language)
        ):
            continue
        kept.append(_with_subject(bare.rstrip("?？"), language))
    return [clause for clause in kept if clause], len(kept) == len(clauses)


def _names_speaker(clause: str, language: str) -> bool:
    return "我" in clause if language == "zh" else bool(_FIRST_PERSON.match(clause))


def _claims_of(reading: Reading, clauses: Sequence[str], language: str) -> list[list[Claim]]:
    """The claims of each clause."""
    found: list[list[Claim]] = []
    thing = next((claim.thing for claim, _ in reversed(reading.claims[-6:]) if claim.thing), "")
    for clause in clauses:
        claims = find_claims(clause, clauses, language, thing) if len(clause) <= _LONGEST_RULED else []
        thing = next((claim.thing for claim in reversed(claims) if claim.thing), thing)
        found.append(claims)
    return found


def _bare(clause: str, language: str) -> str:
    return chinese.without_filler(clause) if language == "zh" else english.without_filler(clause)


def _with_subject(clause: str, language: str) -> str:
    return chinese.with_subject(clause) if language == "zh" else with_subject(clause)


def _is_only_quoted(sentence: str) -> bool:
    return not english.without_quotes(sentence).strip(' ".!?,。！？“”') or not chinese.without_quotes(
        sentence
    ).strip("“”。！？ ")
