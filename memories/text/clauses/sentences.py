"""Cuts messages into sentences and sentences into clauses, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.en.abbreviations import ends_in_abbreviation
from memories.text.words.spacing import join_lines, tidy_spacing

# Ends where as many marks follow. One of backticks may be left open; tildes are also written for the tone of a
# sentence.
CODE_BLOCK = re.compile(r"(`{3,}+).*?(?:\1|\Z)|^(~{3,}+)[^\n]*\n.*?^\2", re.DOTALL | re.MULTILINE)
# "[2025-12-26 21:45] ...", "user: [09:44 AM on 10 December, 2025 UTC]: ..."
TIME_PREFIX = re.compile(
    r"^\s*(?:(?:user|assistant): ?)?\[(?=[^\]]{0,60}(?:\d:\d\d|\d{4}))[^\]\n]{4,60}\]:? ?"
)
_BULLET = re.compile(r"^[ \t]{0,20}(?:[-*•·>#]{1,6}|\d{1,3}[.)、])[ \t]+", re.MULTILINE)
# Each branch begins where a run of marks begins and never gives back what it took.
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s|$)|[。！？；…]++[”’」』）]*+|(?<![.!?])[.!?]++(?=[\u4e00-\u9fff])|;\s|\n++"
)

# A comma or "and" begins a new clause only where a first person does; "because", "when" and the like stay
# with their sentence, for they are its reason.
_I = r"(?:I|i|we|We|my|My)\b(?! (?:and|or)\b)"
_CLAUSE_EN = re.compile(
    rf" ?(?:,|;| [-–—]{{1,3}}|—) (?:(?:and|but|so|yet|though|although|while|also|plus) )?(?:now )?(?={_I})"
    rf"| (?:and|but|so|yet|though|although|while) (?:now )?(?={_I})"
    r"| ?,? (?:but|and) (?:now )?(?=(?:don't|do not|hate|love|like|prefer|dislike|avoid|can't|cannot|never)\b)"
    r"| ?(?:,|;|—) (?:(?:and|so|but) )?(?=(?:can|could|would|will) you\b|(?:what|which|how|where|when|who|do you|"
    r"any (?:ideas?|suggestions?|tips)|please|recommend|suggest|help me|tell me|give me)\b)",
    re.IGNORECASE,
)
_CLAUSE_ZH = re.compile(
    r"[，,；;]\s*(?:但是|不过|而且|然后|所以|并且|可是|但|而)?\s*(?!(?:一|二|三|四|五|六|七|八|九|十)(?:、|，))"
)
_OPENING = re.compile(
    r"""
    (?:
        when | whenever | while | if | as\ for | for | in | on | at | during | after | before | since
        | because | although | even\ though | though | as | to | with | without | once | until | despite
        | besides | regarding | unlike | by | from | every | whether | unless
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_SENTENCE = 1_000


def clean_message(text: str) -> str:
    """Without code blocks, list marks, the timestamps of chat exports, and what is no text at all."""
    text = tidy_spacing(text.replace("\r\n", "\n").replace("\r", "\n").replace("’", "'"))
    text = CODE_BLOCK.sub("\n", TIME_PREFIX.sub("", text, count=1))
    return _BULLET.sub("", text).strip()


def split_sentences(text: str) -> Iterator[str]:
    """Sentences with their end marks; a run-on text without any is cut by length, so that all later work is bounded."""
    start = 0
    for end in _END.finditer(text):
        if end.group()[0] == "." and ends_in_abbreviation(text[max(start, end.end() - 12) : end.end()]):
            continue
        yield from _split_long_sentence(text[start : end.end()].strip())
        start = end.end()
    yield from _split_long_sentence(text[start:].strip())


def split_clauses(sentence: str, language: str) -> list[str]:
    """Clauses that could stand alone, without the word that joined them."""
    cut = _CLAUSE_ZH if language == "zh" else _CLAUSE_EN
    parts = [clause for part in cut.split(join_lines(sentence)) if (clause := part.strip(" ,，;；"))]
    return parts if language == "zh" else _with_openings(parts)


def opens_sentence(clause: str) -> bool:
    """As in "When I travel" or "As for food": what follows is said under this condition only."""
    return bool(_OPENING.match(clause))


def _with_openings(parts: list[str]) -> list[str]:
    joined: list[str] = []
    opening = ""
    for part in parts:
        part = f"{opening}, {part}" if opening else part
        opening = part if opens_sentence(part) and not opening else ""
        if not opening:
            joined.append(part)
    return [*joined, opening] if opening else joined


def _split_long_sentence(sentence: str) -> Iterator[str]:
    while len(sentence) > _LONGEST_SENTENCE:
        at = sentence.rfind(" ", 1, _LONGEST_SENTENCE)
        at = at if at > 0 else _LONGEST_SENTENCE
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    if sentence.strip(" .,;:!?…-_*。，！？；"):
        yield sentence
