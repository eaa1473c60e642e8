"""Reads one message of the user: which of its clauses are claims, and which are plain statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memories.text.claims import interviews, questionnaires
from memories.text.claims.claiming import find_claims
from memories.text.claims.notes import find_note
from memories.text.claims.pronouns import Referents, is_about_others, is_dangling
from memories.text.claims.reminders import find_reminder
from memories.text.claims.software import find_versions
from memories.text.claims.wishes import find_wish
from memories.text.clauses import statements
from memories.text.clauses.sentences import clean_message, split_clauses, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.en import third_person as english
from memories.text.en.verbs import with_subject
from memories.text.slots.claim import Claim
from memories.text.words import language_detection
from memories.text.zh import third_person

_FIRST_PERSON = re.compile(r"(?:I|i|we|We|my|My|our|Our)\b|[我咱]")
# "I like that", "We did": what it was about, others said.
_SAYS_NOTHING = re.compile(
    r"""
    ^(?:I|we)\ (?:\w+\ ){0,2}(?:it|that|this|them|so|too|do|did|am|will|can|not|you)[.!]*$
    | ^see\ https?:\S+$ | ^I\ said\ \w+,?\ not\b | ^no\ [\w ]{2,20}(?:,\ (?:and\ )?no\ [\w ]{2,20})*[.!]*$
    | ^(?:I|we)\ will\ (?:go\ with|take|get|have)\ (?:that|this|it)(?:\ one)?[.!]*$
    | ^here(?:'s|\ is|\ are)\ [^.]{0,60}:$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Rules are written for what people say in a breath; longer sentences are kept as they are.
_LONGEST_RULED = 600


@dataclass(slots=True)
class MessageReading:
    """Content of a message, in the speaker's own words: claims and statements, each with its language."""

    referents: Referents = field(default_factory=Referents)
    claims: list[tuple[Claim, str]] = field(default_factory=list)
    statements: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[tuple[str, str]] = field(default_factory=list)
    # Whether the last sentence was about somebody else, whom the next one may go on about without a name.
    is_about_others: bool = False


def read_message(text: str, referents: Referents | None = None) -> MessageReading:
    """`referents` are whom the messages before have named; they are kept up to date."""
    text = clean_message(text)
    reading = MessageReading(referents or Referents())
    language = language_detection.detect_language(text)
    answers_of_interview, rest = interviews.find_interview(text, language)
    answers, rest = questionnaires.find_answers(rest, language)
    reading.claims += [(answer, language) for answer in (*answers_of_interview, *answers)]
    for sentence in split_sentences(rest):
        language = language_detection.detect_language(sentence)
        if statements.hands_over_material(sentence, language):
            break
        reading.sentences.append((sentence, language))
        _read_sentence(reading, sentence, language)
    _drop_denied_states(reading)
    return reading


def _read_sentence(reading: MessageReading, sentence: str, language: str) -> None:
    if is_courtesy(sentence):
        return
    text = (
        english.expand_contractions(english.lower_shouting(sentence))
        if language == "en"
        else third_person.remove_thanks(sentence)
    )
    if note := find_note(text, language):
        reading.claims += [(claim, language) for claim in note.claims]
        if not note.statement:
            return
        text = note.statement
    bare = _remove_filler(text, language)
    if (resolved := reading.referents.resolve(bare, language)) != bare:
        text = bare = resolved
    reading.referents.notice(bare, language)
    asked = find_wish(text, language) or find_reminder(text, language) if len(text) < _LONGEST_RULED else []
    if asked:
        reading.claims += [(claim, language) for claim in asked]
        return
    if statements.is_hypothetical(_remove_filler(text, language), language) or _is_only_quoted(text):
        return
    clauses, is_whole = _select_stating_clauses(reading, text, language)
    claim_lists = _find_clause_claims(reading, clauses, language)
    reading.claims += [(claim, language) for claims in claim_lists for claim in claims]
    if is_whole and not any(claim_lists):
        _keep_statement(reading, _with_subject(reading, _remove_filler(text, language), language), language)
    else:
        _keep_rest(reading, clauses, claim_lists, language)


def _keep_statement(reading: MessageReading, statement: str, language: str) -> None:
    is_first = not reading.statements
    if not _SAYS_NOTHING.match(statement) and not (is_first and is_dangling(statement, language)):
        reading.statements.append((statement, language))


def _keep_rest(
    reading: MessageReading, clauses: Sequence[str], claim_lists: Sequence[Sequence[Claim]], language: str
) -> None:
    """Keep what no rule claimed as one statement."""
    rest = [
        clause
        for clause, claims in zip(clauses, claim_lists, strict=True)
        if not claims and not is_courtesy(clause) and not _SAYS_NOTHING.match(clause)
    ]
    if rest:
        _keep_statement(reading, ("，" if language == "zh" else ", and ").join(rest), language)


def _select_stating_clauses(reading: MessageReading, sentence: str, language: str) -> tuple[list[str], bool]:
    """The clauses that state something, and whether these are all: a question or a request may stand beside them."""
    if statements.is_about_made_up_text(_remove_filler(sentence, language)):
        return [], False
    asks = statements.is_question(sentence, language) and sentence.rstrip().endswith(("?", "？"))
    clauses = split_clauses(sentence, language) if len(sentence) < _LONGEST_RULED else [sentence]
    kept, is_asking = [], False
    for at, clause in enumerate(clauses):
        bare = _remove_filler(clause, language)
        is_asked = asks and (at == len(clauses) - 1 or not _names_speaker(bare, language))
        # What follows a request in Chinese belongs to it, until somebody is named again.
        is_asking = statements.is_request(bare, language) or (is_asking and not _FIRST_PERSON.match(bare))
        if find_wish(clause, language):
            kept.append(clause)
            continue
        if (
            is_asked
            or is_asking
            or statements.is_question(bare, language)
            or statements.is_hypothetical(bare, language)
        ):
            continue
        kept.append(_with_subject(reading, bare.rstrip("?？"), language))
    kept = [clause for clause in kept if clause]
    return english.with_common_subject(kept) if language == "en" else kept, len(kept) == len(clauses)


def _names_speaker(clause: str, language: str) -> bool:
    return "我" in clause if language == "zh" else bool(_FIRST_PERSON.match(clause))


def _find_clause_claims(reading: MessageReading, clauses: Sequence[str], language: str) -> list[list[Claim]]:
    """The claims of each clause; in Chinese, a clause without a subject has that of the clause before it."""
    claim_lists: list[list[Claim]] = []
    thing = next((claim.thing for claim, _ in reversed(reading.claims[-6:]) if claim.thing), "")
    for clause in clauses:
        is_theirs = _is_others(reading, clause, language) and language == "zh"
        if is_theirs or len(clause) > _LONGEST_RULED:
            claim_lists.append([])
            continue
        claims = find_wish(clause, language) or find_versions(clause, language)
        claims = claims or find_claims(clause, clauses, language, thing)
        thing = next((claim.thing for claim in reversed(claims) if claim.thing), thing)
        for claim in claims:
            reading.referents.notice_claim(claim)
        claim_lists.append(claims)
    return claim_lists


def _is_others(reading: MessageReading, clause: str, language: str) -> bool:
    if is_about_others(clause, language):
        reading.is_about_others = True
    elif _names_speaker(clause, language):
        reading.is_about_others = False
    return reading.is_about_others


def _drop_denied_states(reading: MessageReading) -> None:
    """Drop states that the message denies where it also gives the one that holds."""
    given = {claim.slot for claim, _ in reading.claims if claim.slot and not _DENIAL.search(claim.statement)}
    reading.claims = [
        (replace(claim, slot="") if claim.slot in given and _is_denied_state(claim) else claim, language)
        for claim, language in reading.claims
    ]


def _is_denied_state(claim: Claim) -> bool:
    return not claim.is_preference and bool(_DENIAL.search(claim.statement))


_DENIAL = re.compile(r"\b(?:not|no longer|never|left|quit)\b|不|没|离职|辞职")


def _remove_filler(clause: str, language: str) -> str:
    return third_person.remove_filler(clause) if language == "zh" else english.remove_filler(clause)


def _with_subject(reading: MessageReading, clause: str, language: str) -> str:
    """With the "I" that was left out, unless the talk is of somebody else."""
    if _is_others(reading, clause, language):
        return clause
    return third_person.with_subject(clause) if language == "zh" else with_subject(clause)


def _is_only_quoted(sentence: str) -> bool:
    return not english.blank_quotes(sentence).strip(' ".!?,。！？“”') or not third_person.blank_quotes(
        sentence
    ).strip("“”。！？ ")
