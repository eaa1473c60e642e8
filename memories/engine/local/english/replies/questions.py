"""What the assistant asked before, and of whom: "How old is Leo?"."""

from __future__ import annotations

import re
from collections.abc import Callable

from memories.text.time.dates import Tense

_LAST_QUESTION = re.compile(r"(?:^|(?<=[.!?\n]))\s*([^.!?\n]{3,200}\?)\s*$")

_OFFER = re.compile(
    r"""
    ^(?:shall|should|can|may|could)\ (?:i|we)\b
    | ^(?:would|do)\ you\ (?:like|want|need)\ (?:me|to|some|any|a|an|help|more|another)\b
    | ^(?:is|are)\ there\ (?:any|something) | ^anything\b | ^what\ (?:else|can\ i|would\ you\ like)
    | ^how\ (?:can|may|about)\b | ^want\ me\b | ^need\b | ^does\ that\b | ^is\ that\b | ^sound\b
    | ^ready\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ABOUT_USER = re.compile(r"\byou\b|\byour\b", re.IGNORECASE)

_OPEN = re.compile(
    r"""
    (?:and\ |so\ )?(?:how\ (?:long|many|much|old|often|far|big)|when|where|who|what|which)\b
    | (?:and\ |so\ )?how(?:['’]s|\ (?:is|are|was|were|did|does|do|has|have))[ ]
      (?!you\b|things\b|it\b|that\b|life\b|work\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ANY_AT_ALL = re.compile(r"(?:and |so )?any (?!(?:other|more|further|questions?|ideas?)\b)\w", re.IGNORECASE)

_TWO_QUESTIONS = re.compile(r",? (?:and|or) (?=(?:how|what|when|where|which|who)\b)", re.IGNORECASE)

_ASKED_OF = re.compile(
    r"""
    ^(?i:and\ |so\ )?(?i:how\ old|how\ tall|who|where|what|when)\ (?i:is|was|does|did|will)[ ]
    (?P<who>[A-Z][a-z'’-]+)\b(?!\ [A-Z])[^?]*\?$
    """,
    re.VERBOSE,
)

_ASKS_AHEAD = re.compile(r"\b(?:will|going to|plans?|planning|next|coming up)\b", re.IGNORECASE)
_ASKS_BACK = re.compile(r"\b(?:did|was|were|happened|went)\b", re.IGNORECASE)


def find_tense(question: str) -> Tense | None:
    """Return whether a question asks for what is to come or for what was, as its answer without a verb tells of,
    too."""
    return (
        Tense.FUTURE if _ASKS_AHEAD.search(question) else Tense.PAST if _ASKS_BACK.search(question) else None
    )


_RELATIVE_ASKED_OF = re.compile(
    r"""
    ^(?:and\ |so\ )?(?:how|what|where|who|when)(?:['’]s|\ is|\ was|\ did|\ does|\ has|\ will|\ about)
    \ your\ (?P<kin>[a-z]+)\b(?!['’])[^?]*\?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OTHERS = re.compile(r"\b(?P<who>he|she|him|her|his)\b", re.IGNORECASE)


def find_last_question(text: str) -> str:
    """The question that an assistant's message ends with, about the user; "" if it asks for nothing to keep."""
    match = _LAST_QUESTION.search(text.strip().replace("’", "'")[-600:])
    question = match[1].strip() if match else ""
    question = re.sub(
        r"^[^,?]{0,30}, (?=(?:what|which|who|how|when|where|do|are|have|did)\b)",
        "",
        question,
        flags=re.IGNORECASE,
    )
    is_asking = is_open(question) or is_about_others(question)
    return question if question and is_asking and not _OFFER.match(question) else ""


def is_open(question: str) -> bool:
    """Return whether a short answer says something of the user or of what the talk is about, once it has its
    question."""
    return bool(_ABOUT_USER.search(question) or _OPEN.match(question) or _ANY_AT_ALL.match(question))


def split_questions(question: str, sentences: int) -> list[str]:
    """Each of two questions in one, which are answered in their order: "What is your level, and how much time have you
    got?"."""
    parts = _TWO_QUESTIONS.split(question) if sentences > 1 else []
    return [f"{part.rstrip('?')}?" for part in parts] if len(parts) == 2 else [question]


def find_people_asked_about(question: str) -> list[str]:
    """The one person whom a question names, of whom the answer then speaks: "How old is Leo?", "How was your mum?"."""
    if match := _RELATIVE_ASKED_OF.match(question):
        return [f"my {match['kin']}"]
    match = _ASKED_OF.match(question)
    return [match["who"]] if match else []


def with_names(question: str, find: Callable[[str], str]) -> str:
    """The question with the person in the place of "he" or "she"; `find` gives "my daughter Nora" for "she"."""

    def named(match: re.Match[str]) -> str:
        word = match["who"].lower()
        is_owner = word == "his" or (
            word == "her" and bool(re.match(r" (?!to\b|in\b|at\b|for\b)\w", question[match.end() :]))
        )
        who = re.sub(r"^(?:my|our)\b", "your", find("she" if word in ("she", "her") else "he"))
        return match[0] if not who else f"{who}'s" if is_owner else who

    return _OTHERS.sub(named, question) if len(_OTHERS.findall(question)) == 1 else question


_ABOUT_OTHERS = re.compile(
    r"""
    \b(?:is|are|was|were|does|do|did|has|have|can|will|would|'s)\ (?:
        he | she | it | they | your\ (?!name\b|job\b|age\b) | the\  | (?-i:[A-Z][a-z])
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_about_others(question: str) -> bool:
    """Return whether somebody else is asked about: an answer without a subject says nothing of the user then."""
    return bool(_ABOUT_OTHERS.search(question)) and not re.search(r"\byou\b", question, re.IGNORECASE)
