"""What somebody chooses of what they asked about themselves: "An app, a class or a tutor?" … "The tutor, I freeze
up"."""

from __future__ import annotations

import re

# "Which would you choose for me: an app, a group class, or a one-to-one tutor?", "Should I get the Kona or the Leaf?".
_ASKED = re.compile(
    r"""
    (?:^|(?<=[.!?]\ )|(?<=\n))(?:[^.!?\n]{0,60},\ |so\ |and\ |but\ )?(?:
        (?:which|what|where|who)\b[^?:\n]{0,80}(?:[:,]|\ [–—-])[ ]
        | (?:(?:should|shall|could|can|do)\ (?:I|we)|would\ you)\ (?:rather\ |just\ |really\ )?\w+
          (?:\ (?:with|for|to|on|at|in|me|us))?[ ]
    )(?P<list>[^?:\n]{3,160}\ or\ [^?:\n]{2,60})\?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JOINT = re.compile(r"\s*,\s*(?:or\s+)?|\s+or\s+", re.IGNORECASE)
_LEADS = re.compile(r"^(?:to|in|for|with|at|on|go(?:ing)? (?:for|with))\s+", re.IGNORECASE)
_ARTICLE = re.compile(
    r"^(?:(?:to|in|for|with|at|on|go(?:ing)? (?:for|with))\s+)?(?:(?:the|an?|my|our)\s+)?", re.IGNORECASE
)
_INDEFINITE = re.compile(r"^an?\s+", re.IGNORECASE)
# "Should I paint it green or blue?"
_POINTS_FIRST = re.compile(r"^(?:it|them|this|that|these|those|him|her|me|us)\s+", re.IGNORECASE)
# "Should we do Skye or Mull this summer?"
_TIME_LAST = re.compile(r"\s+(?:this|next|tonight|tomorrow|today|instead|then|first)\b.*$", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|them|this|that|these|those|him|her|I|we|you|me|us)\b")
_SURE = (
    r"(?:ok(?:ay)?|right|then|well|so|hmm|thanks|thank you|great|yes|yeah|I think|I guess|I'd say"
    r"|definitely|probably|maybe|actually)"
)
_ANSWERED = re.compile(
    rf"^(?:{_SURE}[,!.]* )*(?P<what>(?:(?:the|an?|my) )?[A-Za-z][\w'’-]*(?: [\w'’-]+){{0,4}}?)(?: "
    rf"one)?(?:,? (?:{_SURE}|please|for me|for us))*(?P<end>[,;:!.]| [–—-]|$)(?: (?P<rest>\S.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 600


def part_own_choice(message: str, asked: str) -> tuple[str, ...]:
    """The choice that a message begins with as a statement, and the rest: "I have chosen the one-to-one tutor", "I
    freeze up …"; the message alone where it begins with none.

    `asked` is what the same person said in the message before.
    """
    questions = list(_ASKED.finditer(asked[-_LONGEST:]))
    answer = _ANSWERED.match(message.strip()) if questions and len(message) <= _LONGEST else None
    if answer is None:
        return (message,)
    chosen = _find_option(answer["what"], [part.strip() for part in _JOINT.split(questions[-1]["list"])])
    if not chosen:
        return (message,)
    rest = answer["rest"] or ""
    statement = f"I have chosen {_INDEFINITE.sub('the ', chosen)}."
    return (statement, f"{rest[0].upper()}{rest[1:]}") if rest else (statement,)


def _find_option(text: str, options: list[str]) -> str:
    """The one option that these words name, whole or by its last word."""
    what = _ARTICLE.sub("", text).lower()
    options = [_TIME_LAST.sub("", _POINTS_FIRST.sub("", option)) for option in options]
    bare = {option: _ARTICLE.sub("", option).lower() for option in options if option}
    if any(_POINTS.search(option) for option in bare):
        return ""
    named = [option for option, name in bare.items() if name == what] or [
        option for option, name in bare.items() if name.split()[-1] == what or name.startswith(f"{what} ")
    ]
    return _LEADS.sub("", named[0]) if len(named) == 1 else ""
