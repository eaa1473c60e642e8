"""Whether a stranger would understand an item of a skill, and could follow the skill: both engines pass this gate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memories.text.words.tokenize import extract_keywords

SHORTEST, LONGEST = 4, 400
LEAST_STEPS = 2

_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”|「[^」\n]*」|`[^`\n]*`')
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|me|my|mine|myself|we|us|our|ours|let's)\b|[我咱俺]", re.IGNORECASE
)
_ROMAN = re.compile(r"\b(?:part|phase|type|chapter|stage|level) I\b", re.IGNORECASE)
_BEGINS_DANGLING = re.compile(
    r"""
    ^(?:
        it | its | they | them | their | this | that | these | those | he | him | his | she | her | one
        | ones | so | which | who | either | neither | both | another | here | there
    )\b(?!\ (?:is|are|must|has|have|the|an?|[a-z]+ing)\ (?:no|a|an|the)\b)
    | ^(?:它|他|她|这|那|其(?!他|它|中|次)|该(?!项目)|前者|后者|这样|那样|也|都|还|就|再)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OBJECT_PRONOUN = re.compile(
    r"""
    \b(?:
        its? | them | him | her | they | he | she
        | (?:those|these)(?=\ (?:alone|out|off|away|first|instead|too|aside|separately)\b|[.;,]?$)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TRUNCATED = re.compile(
    r"""
    (?:
        \b(?:
            the | an? | of | to | for | with | and | or | but | because | before | after | at | by | from
            | than | into | as | my | your | user\ and | is | are | was | were | be
        )
        | [:,;，、：；] | … | [a-z]'s
    )$
    | (?:的|和|与|或|把|将|在|给|对|因为|如果|以及|并|让|向|从)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHAT = re.compile(
    r"""
    ^(?:
        ok(?:ay)? | thanks | thank\ you | sure | perfect | great | good | nice | (?:yes|no|nope)(?=[,.!])
        | hi | hello | hey | sorry | well | please | here\ (?:is|are|you) | dear | got\ it
    )\b[,.! ]
    | ^(?:好的|谢谢|抱歉|不错|很好|可以|嗯|你好|您好|已(?:经)?(?:为您|发送))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_YOU_ASK = re.compile(
    r"^(?:can|could|would|will|do|does|did|is|are|what|how|why|when|where|who|which) (?:you|we|i|it|the)\b",
    re.IGNORECASE,
)


def is_sound(item: str, language: str) -> bool:
    """Return whether an item stands by itself: no first person, nothing it leaves to the talk, no piece of a clause."""
    text = item.strip()
    bare = _QUOTED.sub('""', text)
    if not SHORTEST <= len(text) <= LONGEST or text.endswith(("?", "？")) or not _is_balanced(text):
        return False
    if _FIRST_PERSON.search(_ROMAN.sub("", bare)) or _CHAT.match(bare) or _YOU_ASK.match(bare):
        return False
    if _BEGINS_DANGLING.match(bare) or _TRUNCATED.search(bare.rstrip(" .。!！")):
        return False
    if language == "zh":
        return len(re.findall("[\u4e00-\u9fff]", bare)) >= SHORTEST and not _has_no_antecedent_zh(bare)
    least = 1 if _RULES_OUT.match(bare) else 2
    return len(set(extract_keywords(bare))) >= least and not _has_no_antecedent(bare)


_RULES_OUT = re.compile(r"(?:no|never|avoid|only|without) [a-z]{3,}", re.IGNORECASE)


def _is_balanced(text: str) -> bool:
    pairs = (("(", ")"), ("（", "）"), ("“", "”"), ("「", "」"), ("[", "]"))
    return all(text.count(mark) == text.count(other) for mark, other in pairs) and text.count('"') % 2 == 0


_THERE = re.compile(r"\bthere\b(?! (?:is|are|was|were|will|must|should|has|have|can|may)\b)", re.IGNORECASE)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|to|on|into|from|of) (?:[\w'-]+ )*[\w'-]+", re.IGNORECASE)
_NOUN_BEFORE = re.compile(
    r"""
    \b(?:
        the | an? | every | each | all | any | no | some | one | two | three | four | five | six | seven
        | eight | nine | ten | \d+ | this | user's | its
    )\ [\w-]+
    | \b(?!always|yes|is|was|has|does|this|its|plus|less|across|unless)[a-z-]{3,}s\b | (?<!^)\b[A-Z]\w+
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _has_no_antecedent(text: str) -> bool:
    """ "Cut it to five": nothing before says what. "Collect the tickets and file them" does."""
    if (there := _THERE.search(text)) and not _PLACE_BEFORE.search(text[: there.start()]):
        return True
    match = _OBJECT_PRONOUN.search(text)
    if match is None:
        return False
    before = text[: match.start()]
    if match[0].lower() == "it" and re.match(
        r"it (?:is|takes|was|costs|rains|will be|has to be|must be) (?:\w+ )?(?:to|that|\d|clear"
        r"|certain|safe|possible|necessary)",
        text[match.start() :],
    ):
        return False
    if match[0].lower() in {"he", "she", "him", "her"}:
        return not re.search(
            r"\b(?:user|[a-z]+(?:er|or|ent|ant|ist|ian|man|woman|son|ter|ther|yee|boss|wife|nurse|guest"
            r"|child)|[A-Z][a-z]+ [A-Z][a-z]+)\b",
            before,
        )
    return not _NOUN_BEFORE.search(before)


_PRONOUN_ZH = re.compile("[它他她](?:们)?")


def _has_no_antecedent_zh(text: str) -> bool:
    match = _PRONOUN_ZH.search(text)
    return match is not None and len(extract_keywords(text[: match.start()])) < 1


def filter_sound_items(items: Iterable[str], language: str) -> list[str]:
    return [item for item in dict.fromkeys(items) if is_sound(item, language)]


_NAME_CASE = re.compile(
    r"[\"“”?？!！:：]|\b(?:I|my|me|myself|we|us|our|ourselves|you|your|yourself)\b|[我你]", re.IGNORECASE
)


# 改到12月8号了 tells what happened, and 改到12月8号 of one day; neither is a kind of task.
_HAPPENED_ZH = re.compile(
    r"""
    了$
    | (?:改|换|推|挪|调|提前|推迟|延|定)(?:期|整)?
      [到成为在]?[0-9一二三四五六七八九十下这上周星期礼拜月号日点半]+[号日点分周]?$
    """,
    re.VERBOSE,
)


def is_sound_name(name: str, language: str) -> bool:
    """Return whether a kind of task can be called so."""
    bare = name.strip()
    if not bare or _NAME_CASE.search(bare) or _TRUNCATED.search(bare) or _CHAT.match(f"{bare} "):
        return False
    if language == "zh":
        return 2 <= len(bare) <= 40 and not _HAPPENED_ZH.search(bare)
    return 3 <= len(bare) <= 80 and bool(extract_keywords(bare)) and not _BEGINS_DANGLING.match(bare)


def is_followable(name: str, procedure: Sequence[str], reasons: Sequence[str], language: str) -> bool:
    """Return whether a stranger can follow the whole: a goal, and at least two steps or a rule with its reason."""
    if not is_sound_name(name, language):
        return False
    return len(procedure) >= LEAST_STEPS or (len(procedure) == 1 and bool(reasons))


_NAME = re.compile(r"(?<![.!?:\"“] )(?<!^)(?<![-*•] )\b[A-Z][a-z]+\b|\b[A-Z]{2,}[A-Z0-9-]*\b|\d[\d.,:%]*")
_LATIN_IN_HAN = re.compile(r"[A-Za-z][A-Za-z0-9.-]+|\d[\d.,:%]*")


def is_grounded(item: str, sources: str, language: str) -> bool:
    """Return whether every name and number of an item stands in the words that it was made from."""
    known = sources.casefold()
    stated = (_LATIN_IN_HAN if language == "zh" else _NAME).findall(item)
    return all(name.strip(".,:%").casefold() in known for name in stated if name.strip(".,:%"))
