"""Finds what a sentence corrects of what was said before: "Sorry, I said Gatwick, it's Stansted", "make that eight"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memories.engine.local.propositions import Proposition
from memories.text.clauses.changed_values import find_changed_values, find_missing_terms, read_frame
from memories.text.clauses.contrast import find_contrast
from memories.text.clauses.stated_values import StatedValue, ValueSort, find_values

_CUE = re.compile(
    r"""
    ^(?:(?:oh|ah|and|but|no|hm+|er+|um+|well|so)\b[,!. ]*)*(?:
        sorry | wait | hang\ on | hold\ on | (?:a\ )?(?:small\ |quick\ |slight\ )?correction
        | (?:scratch|scrap|strike|cancel|ignore)\ that | oops | whoops | actually | no | nope
        | my\ (?:mistake|bad)
        | I\ (?:
              misspoke | mis-?typed | misread | mistyped | mixed\ (?:that|it|them|those|things)\ up
              | got\ (?:that|it|this|the\ \w+)\ wrong | made\ a\ mistake | was\ wrong
              | (?:just\ )?(?:checked|double-checked|looked\ it\ up)
          )
        | I\ (?:mean|meant|said|wrote|told\ you) | not | make\ (?:that|it)
        | that\ should\ (?:be|have\ been|read) | (?:it|that)\ should\ (?:be|say)
        | (?:that|it)(?:'s|\ is|\ was)\ (?:wrong|not\ right|a\ mistake|a\ typo) | typo | apologies
        | rather | change\ that\ to
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CUE_WORDS = re.compile(
    r"""
    ^(?:
        (?:
            oh | ah | and | but | hm+ | er+ | um+ | well | so | no | nope | sorry(?:\ about\ that)? | wait
            | hang\ on | hold\ on | (?:a\ )?(?:small\ |quick\ |slight\ )?correction
            | (?:scratch|scrap|strike|cancel|ignore)\ that | oops | whoops | actually
            | my\ (?:mistake|bad)
            | I\ (?:
                  misspoke | mis-?typed | misread | mistyped | mixed\ (?:that|it|them|those|things)\ up
                  | got\ (?:that|it|this|the\ \w+)\ wrong | made\ a\ mistake | was\ wrong
                  | (?:just\ )?(?:checked|double-checked|looked\ it\ up)
              )
            | (?:that|it)(?:'s|\ is|\ was)\ (?:wrong|not\ right|a\ mistake|a\ typo) | typo | apologies
            | rather | change\ that\ to
        )(?:\s*[,;:!.–—-]+\s*|\s+(?:and\ |but\ )?|$)
    ){1,6}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_I_SAID = re.compile(
    r"""
    ^I\ (?:said|wrote|told\ you|typed|put)\ (?P<wrong>[^,;.]{1,60}?)(?:,|\ but|;|\.|\ –|\ -)+\s*
    (?:but\ |and\ )?(?:actually\ )?(?:
        I\ meant | I\ mean | it's\ actually | it's | it\ is | it\ was | it\ should\ (?:be|have\ been)
        | that's | they're | that\ should\ be | should\ be | make\ that | make\ it
    )\s*(?P<right>[^;]{1,80}?)[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_I_MEANT = re.compile(
    r"""
    ^(?:
        I\ (?:mean|meant) | make\ (?:that|it) | that\ should\ (?:be|have\ been|read)
        | it\ should\ (?:be|say) | should\ be | change\ that\ to
    )\ (?P<right>[^;]{1,80}?)(?:,?\ (?:not|instead\ of|rather\ than)\ (?P<wrong>[^,;.]{1,60}))?[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_IT_IS = re.compile(
    r"""
    ^(?:now\ |today\ )?(?:it|that|they|this)(?:'s|'re|\ is|\ are|\ was|\ will\ be)[ ]
    (?:actually\ |now\ |really\ |at\ |in\ |on\ )*(?P<right>[^;,]{1,60}?)(?:
        ,?\ (?:not|instead\ of|rather\ than)\ (?P<wrong>[^,;.]{1,60})
    )?(?:,.*)?[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOT_BUT = re.compile(
    r"""
    ^not\ (?P<wrong>[^,;.]{1,40})[,;.–-]+\ ?(?:(?:sorry|no|I\ mean|rather),?\ )?
    (?:but\ |it's\ |it\ is\ |it\ ends\ in\ |they're\ )?(?P<right>[^,;]{1,60}?)[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "It's not Hexham, it's Corbridge", about a person or a thing.
_IS_NOT_BUT = re.compile(
    r"""
    ^(?P<who>it|that|this|they|he|she)(?:
        's\ not | \ is\ not | \ isn't | 're\ not | \ are\ not | \ aren't | \ was\ not | \ wasn't
        | \ were\ not | \ weren't
    )\ (?:at\ |in\ |on\ )?(?P<wrong>[^,;.]{1,40}?)(?:[,;.–-]+\ ?|\ )(?:
        but\  | (?:it|that|this|they|he|she)(?:'s|'re|\ is|\ are|\ was|\ were)[ ]
    )(?:at\ |in\ |on\ )?(?:actually\ )?(?P<right>[^,;]{1,40}?)[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I said July, the funding ends in August": what was said, and the statement that holds.
_SAID_BUT_STATED = re.compile(
    r"^I (?:said|wrote|told you|typed|put) (?P<wrong>[^,;.]{1,40})[,;.–-]+ ?(?:but |and )?(?P<stated>\S+ \S.*)$",
    re.IGNORECASE,
)
_ENDS_IN = re.compile(
    r"""
    ^not\ (?P<wrong>[\w-]{1,20})[,;–-]+\ ?(?:but\ )?it\ (?P<part>ends|starts|begins)\ (?:in|with)[ ]
    (?P<right>[\w-]{1,20})[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "my flight is on the 11th": only the day is another.
_DAY_CLAUSE = re.compile(
    r"""
    ^(?:my|our|the|it|that)\ ?[\w' -]{0,40}?\ ?(?:is|are|was|will\ be|'s)(?:\ now|\ actually)?(?:\ on)?
    \ the\ (?P<right>\d{1,2}(?:st|nd|rd|th))[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "They moved it, it's the 20th": what was done to it, and then what holds.
_WHAT_WAS_DONE = re.compile(
    r"""
    ^(?:they|we|he|she|I)(?:'ve|\ have|'s|\ has)?\ (?:just\ )?(?:
        moved | changed | switched | pushed | put | brought | shifted | rescheduled | postponed
    )\ (?:it|that|them)(?:\ back|\ forward|\ up)?,\ (?:so\ )?(?=(?:it|that)(?:'s|\ is)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "That was last year, half past seven now".
_WAS_THEN = re.compile(
    r"""
    ^(?:that|it)\ was\ (?:last|yesterday|before|earlier|in|until|the\ old|years?|months?|weeks?)
    \b[^,;]{0,30}[,;]\ (?:it's\ |and\ |but\ )?(?P<right>[^,;]{1,30}?)\ now[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_IN_DATE = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}(?= (?:of )?(?:{_MONTHS})\b)")
_BARE = re.compile(
    r"^(?P<right>[^,;]{1,60}?)(?:,? (?:not|instead of|rather than) (?P<wrong>[^,;.]{1,60}))?[.!]*$",
    re.IGNORECASE,
)
_OF_TIME = re.compile(rf"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|{_MONTHS}")
_PREPOSITION = re.compile(r"^(?:(?:at|in|on|from|to|with|for|by|about|around|the)\s+)+", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w'-]*(?: (?:of |de |la |the )?[A-Z][\w'-]*)*")
_NOT_A_NAME = frozenset("Not No Yes Yeah I My Our The We He She They It A An On In At".split())
_LONGEST_BARE_WORDS = 6


@dataclass(frozen=True, slots=True)
class CorrectedValue:
    """The value that holds; `wrong` is what was said, "" where the sentence does not repeat it."""

    right: str
    wrong: str = ""
    is_ending: bool = False
    # The noun that the clause must name which it puts right.
    about: str = ""


# "Bicket, not Biscuit": two values and nothing else, whatever is said about the slip.
_PUT_AGAINST = re.compile(
    r"""
    ^(?P<right>[^,;.]{1,30}),\ not\ (?P<wrong>[^,;.]{1,30}?)(?:
        [,;.–-]+\ ?(?:sorry|autocorrect|typo|my\ (?:mistake|bad)|I\ (?:misread|mistyped|misspoke)|oops)
        \b.*
    )?[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "United, actually": the value that holds, and then the word of correction.
_CUE_BEHIND = re.compile(
    r"^(?P<right>[^,;.]{1,40}),? (?:actually|rather|in fact|I mean|sorry|I meant)[.!]*$", re.IGNORECASE
)


# "The code ends in 91, so 7791": a part of what holds, and the whole of it.
_ENDS_SO = re.compile(
    r"""
    ^(?:and\ |but\ |so\ )?(?:it|(?:the|my|our)\ (?:[a-z]+\ ){0,2}?(?P<about>[a-z]+))[ ]
    (?P<part>ends|starts|begins)\ (?:in|with)\ (?P<piece>[\w-]{1,20}),?\ so[ ]
    (?:it's\ |it\ is\ |that's\ |that\ is\ |make\ that\ )?(?P<right>[\w-]{2,30})[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _correct_whole_of_part(sentence: str) -> CorrectedValue | None:
    match = _ENDS_SO.match(sentence.strip())
    if match is None:
        return None
    right, piece = match["right"], match["piece"]
    is_part = right.endswith(piece) if match["part"].lower() == "ends" else right.startswith(piece)
    return CorrectedValue(right, about=match["about"] or "") if is_part else None


def get_plain_words(sentence: str) -> str:
    """The few plain words that a correction consists of, in small letters: "aisle" of "Aisle, actually"; "" if there
    is more to it, or a value or a name that finds its place by itself."""
    behind = _CUE_BEHIND.match(sentence.strip())
    words = (behind["right"] if behind else _SORRY_BEHIND.sub("", remove_cue(sentence))).strip(" .!")
    words = _MEANT.sub("", re.sub(r" it (?:was|is)$", "", words, flags=re.IGNORECASE))
    is_corrected = behind is not None or (_CUE.match(sentence) is not None and bool(words))
    parts = words.split()
    is_plain = parts[:1] not in (["no"], ["not"], ["it"], ["that"]) and all(
        part.isalpha() and (part.islower() or not at) for at, part in enumerate(parts)
    )
    if not is_corrected or not parts or len(parts) > _MOST_PLAIN_WORDS or not is_plain:
        return ""
    return words[0].lower() + words[1:]


_MOST_PLAIN_WORDS = 3
_SORRY_BEHIND = re.compile(r",? (?:sorry|my mistake|oops)[.!]*$", re.IGNORECASE)
# "I meant paracetamol": what stands before the words that hold.
_MEANT = re.compile(r"^(?:I (?:mean|meant|should have said)|make (?:it|that)|that should be) ", re.IGNORECASE)


def has_cue(sentence: str) -> bool:
    """Return whether a sentence begins like one that takes something back, or is a value with a word of correction."""
    if (
        _correct_whole_of_part(sentence) is not None
        or _CUE_BEHIND.match(sentence)
        and get_plain_words(sentence)
    ):
        return True
    if _CUE.match(sentence) or _IS_NOT_BUT.match(sentence) or _put_against(sentence) is not None:
        return True
    behind = _CUE_BEHIND.match(sentence)
    return behind is not None and _is_value(behind["right"])


def _put_against(sentence: str) -> CorrectedValue | None:
    """Two values of one sort, or two names, of which the second does not hold."""
    match = _PUT_AGAINST.match(sentence.strip())
    if match is None:
        return None
    right, wrong = match["right"].strip(), match["wrong"].strip()
    if wrong.lower().startswith("the "):
        right, wrong = re.sub(r"^the ", "", right, flags=re.IGNORECASE), wrong[4:]
    is_named = bool(_NAME.fullmatch(right) and _NAME.fullmatch(wrong))
    is_valued = any(value.is_rival_of(other) for value in find_values(right) for other in find_values(wrong))
    return CorrectedValue(right, wrong) if is_named or is_valued else None


def remove_cue(sentence: str) -> str:
    """The sentence behind the words of correction."""
    return _CUE_WORDS.sub("", sentence).strip()


def goes_on(sentence: str) -> bool:
    """Return whether a sentence gives the value that holds, after one that corrected: "Today it's level 2"."""
    return bool(
        re.match(r"(?:today|now|it|that)(?:,| |')", sentence, re.IGNORECASE) and _IT_IS.match(sentence)
    )


def names_the_past(sentence: str) -> bool:
    """Return whether a correction only says that the value of before is over: "No wait, level 4 was yesterday"."""
    return (
        bool(re.search(r"\b(?:was|were) (?:yesterday|last|before|earlier|the old|the other)\b", sentence))
        and len(sentence.split()) <= 12
    )


def find_correction(sentence: str, *, goes_on: bool = False) -> CorrectedValue | None:
    """Find what a sentence with a cue, or behind one, puts right, where it is not a statement of its own."""
    if not (goes_on or has_cue(sentence)) or len(sentence) > 300 or sentence.rstrip().endswith("?"):
        return None
    rest = remove_cue(sentence)
    if whole := _correct_whole_of_part(rest):
        return whole
    rest = _WHAT_WAS_DONE.sub("", rest)
    if (now := _WAS_THEN.match(rest)) and find_values(now["right"]):
        return CorrectedValue(now["right"])
    if (behind := _CUE_BEHIND.match(rest)) and _is_value(behind["right"]):
        rest = behind["right"]
    if put := _put_against(sentence) or _put_against(rest):
        return put
    # "65, he put it up": the value comes first, then why.
    valued = re.match(
        r"^(?P<value>[^,;]{1,40}), (?:he|she|they|it|I|we|the|my)\b[^.;]*[.!]*$", rest, re.IGNORECASE
    )
    if (
        valued
        and not re.match(r"(?:he|she|they|it|I|we|the|my)\b", rest, re.IGNORECASE)
        and find_values(valued["value"])
    ):
        rest = valued["value"]
    if match := _DAY_CLAUSE.match(rest):
        return CorrectedValue(match["right"])
    if match := _ENDS_IN.match(rest):
        return CorrectedValue(match["right"], match["wrong"], is_ending=match["part"].lower() == "ends")
    for pattern in (_I_SAID, _IS_NOT_BUT, _NOT_BUT, _I_MEANT, _IT_IS):
        if match := pattern.match(rest):
            return _build_correction(match["right"], match["wrong"])
    if match := _SAID_BUT_STATED.match(rest):
        right = _find_rival(match["stated"], match["wrong"].strip())
        return _build_correction(right, match["wrong"]) if right else None
    if contrast := find_contrast(rest):
        if not contrast.statement:
            return _build_correction(contrast.right, contrast.wrong)
        return None
    if (
        (match := _BARE.match(rest))
        and len(match["right"].split()) <= _LONGEST_BARE_WORDS
        and _is_value(match["right"])
    ):
        return _build_correction(match["right"], match["wrong"])
    return None


def _build_correction(right: str, wrong: str | None) -> CorrectedValue | None:
    right = re.sub(r"^an? (?=[A-Z])", "", right)
    right = re.sub(
        r"\s+(?:actually|instead|now|please|sorry|then)$", "", right.strip(" .!"), flags=re.IGNORECASE
    )
    wrong = _PREPOSITION.sub("", (wrong or "").strip(" .!\"'"))
    right = (
        _PREPOSITION.sub("", right)
        if not wrong or not right.lower().startswith(wrong.lower().split()[0])
        else right
    )
    return CorrectedValue(right, wrong) if right and right.lower() != wrong.lower() else None


def _is_value(words: str) -> bool:
    """A number, a time, a date or a name, and not a clause."""
    if re.search(r"\b(?:I|we|he|she|they|you|it|is|are|was|were|have|has|had|do|does|did|will)\b", words):
        return False
    named = any(name not in _NOT_A_NAME for name in _NAME.findall(words))
    return bool(find_values(words)) or bool(named or _DAY.fullmatch(_PREPOSITION.sub("", words)))


def find_day_of_month(words: str) -> str:
    """The last day that words name, without its month: "4th" of "on the 4th of April"; "" for none."""
    days = _DAY_IN_DATE.findall(words)
    return days[-1] if days else ""


def put_right(source: str, correction: CorrectedValue) -> tuple[str, str] | None:
    """An earlier clause with the right value, and the words that were wrong in it; none if they are not in it."""
    if correction.wrong:
        wrong = _find_words(source, correction.wrong)
    else:
        wrong = _find_rival(source, correction.right)
    if not wrong:
        return None
    right = correction.right
    if correction.is_ending and len(wrong) > len(right):
        right = wrong[: len(wrong) - len(right)] + right
    before, behind = source.split(wrong, 1)
    *_, last = right.split()
    if re.match(rf" {re.escape(last)}\b", behind) and right != last:  # "68 thousand" of "86 thousand"
        right = right.removesuffix(f" {last}")
    return f"{before}{right}{behind}", wrong


def _find_words(source: str, wrong: str) -> str:
    match = re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", source, re.IGNORECASE)
    return match[0] if match else ""


def _find_rival(source: str, right: str) -> str:
    """The words of the clause in whose place the right ones can stand: of the same sort, with the same unit."""
    if _DAY.fullmatch(right):
        return find_day_of_month(source)
    values = find_values(right)
    if values:
        rivals = [
            value
            for value in find_values(source)
            if value.is_rival_of(values[0]) or _is_same_sort(value, values[0])
        ]
        if not rivals:
            return ""
        best = rivals[-1]
        before = right[: values[0].start].strip()
        start = best.start
        # "level 2" takes the place of "level 4": what stands before the number is not said twice.
        if before and source[:start].rstrip().lower().endswith(before.lower()):
            start = source[:start].lower().rindex(before.lower())
        words = source[start : best.end]
        unit = right[values[0].end :].strip()
        behind = source[best.end :].strip()
        # "ten people" takes the place of "six people": the unit is not said twice.
        if unit and behind.lower().startswith(unit.lower()):
            end = best.end + source[best.end :].lower().index(unit.lower()) + len(unit)
            return source[start : end + bool(re.match(r"s\b", source[end:]))]
        return words
    if not _NAME.match(right):
        return ""
    names = [
        match
        for match in _NAME.finditer(source)
        if match[0] not in _NOT_A_NAME and match.start() > 0 and not _OF_TIME.fullmatch(match[0])
    ]
    return names[-1][0] if names else ""


def _is_same_sort(value: StatedValue, other: StatedValue) -> bool:
    return (
        value.sort == other.sort
        and value.key != other.key
        and (value.sort != ValueSort.NUMBER or not value.unit or not other.unit or value.unit == other.unit)
    )


def find_target(sources: Sequence[str], correction: CorrectedValue) -> tuple[int, str, str] | None:
    """The newest clause that the correction fits: its place, its words put right, and the wrong ones."""
    for at in range(len(sources) - 1, -1, -1):
        if correction.about and not _find_words(sources[at], correction.about):
            continue
        if pair := put_right(sources[at], correction):
            return at, *pair
    return None


def find_changed_words(new: str, earlier: Sequence[str]) -> str:
    """The words of an earlier statement in whose place a new one puts others; "" if they speak of two things."""
    ours = read_frame(new)
    for text in earlier:
        theirs = read_frame(text)
        pairs = find_changed_values(ours, theirs)
        shared = ours.terms - find_missing_terms(ours.terms, theirs.terms)
        if pairs and len(shared) * 2 >= min(len(ours.terms), len(theirs.terms)):
            return text[pairs[0][1].start : pairs[0][1].end]
    return ""


@dataclass(frozen=True, slots=True)
class ReadClause:
    """A clause and what was made of it, in the turn at this place of the talk."""

    source: str
    propositions: tuple[Proposition, ...]
    at: int


def correct_clause(proposition: Proposition, old: ReadClause, wrong: str) -> Proposition:
    """It takes the place of what was made of an earlier clause, in which these words were wrong."""
    return replace(
        proposition,
        corrects=(wrong,),
        supersedes=tuple(other.text for other in old.propositions if other.text != proposition.text),
        turns=(old.at,),
    )


def replace_only_value(proposition: Proposition, known: Sequence[ReadClause]) -> Proposition:
    """A correction of the last earlier clause that differs from it in a value only; itself where there is none."""
    for old in reversed(known):
        if wrong := find_changed_words(proposition.text, [other.text for other in old.propositions]):
            return correct_clause(proposition, old, wrong)
    return proposition
