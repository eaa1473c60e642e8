"""What is done to the user, or to somebody of theirs, by "them" of whom nobody knows who they are.

"They've put me on nights" says of the user that they have been put on nights, no matter by whom.
"""

from __future__ import annotations

import re

from memories.engine.local.english.parsing.lexicon import KINSHIP

_THEY = r"^[Tt]hey(?P<perfect>['’]ve| have)?(?: (?:just|now|finally|also|already|even))* "
_KIN = "|".join(sorted((re.escape(word) for word in KINSHIP), key=len, reverse=True))
_SOMEBODY = rf"(?:my |our )?(?:{_KIN})\b|[A-Z][\w-]+"
_ROLES = (
    r"(?:redundant|permanent|(?:(?:deputy|vice|team|assistant|shift|section|joint) )?"
    r"(?:captain|head|manager|supervisor|chair|secretary|treasurer|partner|lead|leader|director))\b"
)
_GIVEN = re.compile(
    rf"{_THEY}(?P<verb>given|gave|assigned|allocated|issued|awarded|granted) (?P<who>me"
    rf"|us) (?P<rest>(?:an?|the|my|another|some|two|\d+)\b.+)$"
)
_PUT = re.compile(
    rf"{_THEY}(?P<verb>put|moved|transferred|switched|shifted|promoted|upgraded|downgraded|seconded"
    rf"|demoted) (?P<who>me|us|{_SOMEBODY})(?P<rest> (?:back |up |down |over |forward )?(?:on|onto|in"
    rf"|into|to|with|under|for)\b.+)$"
)
_MADE = re.compile(rf"{_THEY}(?P<verb>made|appointed|elected) (?P<who>me|us)(?P<rest> {_ROLES}.*)$")
_HAVE_DOING = re.compile(
    r"""
    ^[Tt]hey(?:['’]ve|\ have)\ got\ (?P<who>me|us)\ (?P<rest>
        (?:on(?!\ (?:edge|side|hold|camera|film)\b)|[a-z]{3,}ing)\b.*
    )$
    """,
    re.VERBOSE,
)
_AMOUNT = re.compile(
    rf"{_THEY}(?P<verb>upped|raised|increased|cut|reduced|lowered|dropped|doubled|halved|moved|changed"
    rf"|switched|put|pushed|extended|shortened)"
    rf" (?P<what>(?:my|our|(?:my |our )?(?:{_KIN})['’]s|[A-Z][\w-]+['’]s) [a-z][\w-]*(?: "
    rf"[a-z][\w-]*){{0,2}}?)(?P<rest>(?: (?:up|down|back|forward))?(?: (?:to|from|by)\b.+)?)$"
)
# What is no longer offered.
_AXED = re.compile(
    r"""
    ^[Tt]hey(?:['’]ve|\ have)(?:\ (?:just|now|finally|also|already|even))*\ (?P<verb>
        axed | cut | scrapped | discontinued | withdrawn | abolished | shut\ down | closed\ down
    )\ (?P<what>the\ [\w'’-]+(?:\ [\w'’-]+){0,3}?)(?P<rest>,?\ so\ (?:I|we)\b.*)?$
    """,
    re.VERBOSE,
)
_PARTICIPLES = {"gave": "given"}
# What is so again and again, or only perhaps, has not been done.
_UNSURE = re.compile(
    r"\b(?:if|when|whenever|unless|every time|always|usually|sometimes|often|would|might|could|until|till)\b|\?$"
)


def write_passive(clause: str) -> str:
    """The clause about whom or what it is done to; "" where it says nothing of the kind for certain."""
    text = clause.rstrip(" .!")
    if _UNSURE.search(text):
        return ""
    if match := _HAVE_DOING.match(text):
        return f"{'I am' if match['who'] == 'me' else 'We are'} {match['rest']}."
    match = _GIVEN.match(text) or _PUT.match(text) or _MADE.match(text)
    if match is not None:
        space = "" if match["rest"].startswith(" ") else " "
        verb = _PARTICIPLES.get(match["verb"], match["verb"])
        return f"{_write_subject(match['who'], match['perfect'])} {verb}{space}{match['rest']}."
    if match := _AXED.match(text):
        return f"{_write_subject(match['what'], 've')} {match['verb']}{match['rest'] or ''}."
    if match := _AMOUNT.match(text):
        return f"{_write_subject(match['what'], match['perfect'])} {match['verb']}{match['rest']}."
    return ""


def _write_subject(who: str, perfect: str | None) -> str:
    """The subject and its auxiliary: "I have been", "My hours were"."""
    if who in ("me", "us"):
        subject, is_many = ("I", False) if who == "me" else ("We", True)
        have = "have"
    else:
        if who.split()[0].lower().removesuffix("'s").removesuffix("’s") in KINSHIP:
            who = f"my {who[0].lower()}{who[1:]}"
        subject = who
        subject = f"{subject[0].upper()}{subject[1:]}"
        last = who.split()[-1]
        is_many = last.endswith("s") and not last.endswith(("ss", "us", "is"))
        have = "have" if is_many else "has"
    be = "were" if is_many else "was"
    return f"{subject} {f'{have} been' if perfect else be}"
