"""Recognise praise and blame of an answer, which say how it was and not what is true."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_JUDGEMENT = re.compile(
    rf"""
    ^(?:
        (?:that|this|it|you|(?:your|this|that|the)\s+(?:last\s+)?(?:{_WORDS["judged"]})s?)\b\s*
    )?(?:(?:is|was|are|were|'s|'re)\s+)?(?:(?:not|so|very|really|too|quite|a\ bit|completely|totally)\s+)*
    (?:{_WORDS["judgements"]})(?:\s+(?:{_WORDS["nouns"]}))?[\s.!]*$
    | ^I\ (?:do\ not|don't|did\ not|didn't|really|also)?\s*(?:like|love|hate|understand)[ ]
      (?:it|that|this|your|the)(?:\ (?:answer|response|reply|explanation)s?)?[\s.!]*$
    | ^(?:回答|答案|你的回答|这个回答|这个答案|这)?(?:很|太|非常|真|不太|不)?
      (?:{_WORDS["judgements_zh"]})(?:了|的)?[\s。.!！]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_judgement(sentence: str) -> bool:
    return bool(_JUDGEMENT.match(sentence.strip()))
