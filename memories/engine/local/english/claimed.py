"""What states and tastes a clause of the user names, by the rules for both, and the propositions of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memories.engine.local.english.preferences import find_taste, is_refusal, remove_degree
from memories.engine.local.english.statement import Statement, write_statement
from memories.engine.local.propositions import Mood, Proposition
from memories.text.claims.claiming import find_claims
from memories.text.claims.software import find_versions
from memories.text.en.third_person import as_sentence, expand_contractions, rewrite_in_third_person
from memories.text.slots.claim import Claim

_CLAIMING = frozenset({Mood.FACT, Mood.HABIT, Mood.ENDED, Mood.PLAN, Mood.WISH})


def find_user_claims(piece: str, mood: Mood, beside: Sequence[str]) -> list[Claim]:
    """The tastes and states that a clause of the user tells."""
    if mood not in _CLAIMING or not _ABOUT_USER.match(piece):
        return []
    bare = expand_contractions(piece)
    if versions := find_versions(bare, "en"):
        return versions
    plain = remove_degree(bare)
    others = [remove_degree(expand_contractions(other)) for other in beside]
    claims = find_claims(plain, others if plain in others else [plain], "en", "")
    if plain != bare and len(claims) == 1 and claims[0].statement == plain:
        claims = [replace(claims[0], statement=bare)]
    if (
        claims
        and (claims[0].is_preference or claims[0].slot)
        and not _BEGINS_WITH_TIME.match(claims[0].thing)
    ):
        return claims
    return find_taste(bare) if mood is not Mood.PLAN or is_refusal(bare) else []


_LONGEST_PLAIN_WORDS = 8


def read_plain_taste(piece: str, beside: Sequence[str]) -> Proposition | None:
    """A short statement of taste that the parser does not make out, as "I like salad": "like" may be a preposition."""
    if len(piece.split()) > _LONGEST_PLAIN_WORDS or not re.match(r"(?:I|we)\b", piece, re.IGNORECASE):
        return None
    claims = find_user_claims(piece, Mood.FACT, beside)
    if len(claims) != 1 or not claims[0].is_preference:
        return None
    claim = claims[0]
    return Proposition(
        text=as_sentence(rewrite_in_third_person(claim.statement, "the user", "")),
        language="en",
        is_preference=True,
        reasoning=claim.reasoning,
        slot=claim.slot,
        value=claim.thing,
        title=claim.title,
    )


def build_proposition(statement: Statement, mood: Mood, said_at: datetime) -> Proposition:
    """The statement in the third person; a quotation is due where it cannot stand alone."""
    written = write_statement(statement, said_at, mood)
    return Proposition(
        text=written.text,
        language="en",
        mood=mood,
        subject=statement.subject,
        is_quote=not written.is_clean,
        event_time=written.at,
    )


def build_claim_proposition(claim: Claim, statement: Statement, mood: Mood, said_at: datetime) -> Proposition:
    """Return what a rule found, with its slot and its reasoning; `statement` are its words, parsed."""
    written = write_statement(statement, said_at, mood, claim.ending, claim.dating)
    # "I no longer drink coffee" tells of no taste: it ends one that was stated. "I don't like apples any more" does.
    is_over = (
        mood is Mood.ENDED
        and bool(_NO_MORE.search(claim.statement))
        and not _DISLIKES.search(claim.statement)
    )
    return Proposition(
        text=written.text,
        language="en",
        mood=mood,
        is_quote=not written.is_clean,
        is_preference=claim.is_preference and not is_over,
        reasoning=claim.reasoning,
        slot=claim.slot,
        value=claim.thing,
        title="" if is_over else claim.title,
        event_time=written.at,
    )


_NO_MORE = re.compile(r"\b(?:no longer|any ?more|any longer)\b", re.IGNORECASE)
_DISLIKES = re.compile(
    r"\b(?:not|n't|never|no longer) (?:really |even )?(?:like|love|enjoy|fancy)\b", re.IGNORECASE
)
# "Never eats before noon" is a habit: nothing is disliked.
_BEGINS_WITH_TIME = re.compile(
    r"(?:before|after|during|until|at|on|in|by|from|past|between|alone|late|early)\b", re.IGNORECASE
)
_ABOUT_USER = re.compile(
    r"(?:I|we|my|our|the)\b|.{2,60}\b(?:I|we)\b|.{2,80} my favou?rite|.{2,90} (?:me|my)\b", re.IGNORECASE
)
