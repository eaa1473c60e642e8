"""Praise and blame of an answer: they say how it was, not what is so."""

from __future__ import annotations

import re

_JUDGEMENT = re.compile(
    r"""
    ^(?:
        (?:
            that | this | it | you
            | (?:your|this|that|the)\s+(?:last\s+)?(?:
                  answer | response | reply | explanation | suggestion | advice | memory | bot
              )s?
        )\b\s*
    )?(?:(?:is|was|are|were|'s|'re)\s+)?(?:(?:not|so|very|really|too|quite|a\ bit|completely|totally)\s+)*
    (?:
        great | good | nice | bad | terrible | poor | helpful | unhelpful | useless | useful | perfect
        | excellent | awful | wrong | right | correct | incorrect | stupid | amazing | outdated | slow
    )(?:\s+(?:answer|response|reply|job|work|advice|idea|suggestion|explanation|one|bot))?[\s.!]*$
    | ^I\ (?:do\ not|don't|did\ not|didn't|really|also)?\s*(?:like|love|hate|understand)[ ]
      (?:it|that|this|your|the)(?:\ (?:answer|response|reply|explanation)s?)?[\s.!]*$
    | ^(?:回答|答案|你的回答|这个回答|这个答案|这)?(?:很|太|非常|真|不太|不)?
      (?:好|棒|差|糟|糟糕|对|错|有用|没用|有帮助)(?:了|的)?[\s。.!！]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_judgement(sentence: str) -> bool:
    return bool(_JUDGEMENT.match(sentence.strip()))
