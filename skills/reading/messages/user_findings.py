"""What a message of the user teaches about a task: wishes with their reasons, likings, and how it went."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memories.text.en import third_person as english
from memories.text.en.verb_forms import find_base_of_past
from memories.text.words.tokenize import extract_keywords
from memories.text.zh import third_person
from skills.reading.findings import Finding, FindingPart
from skills.reading.messages.signs import MessageSign
from skills.reading.messages.user import FAILS, UserMessage, UserSentence, says_enough
from skills.reading.quality import is_sound
from skills.reading.wording import (
    LONGEST_ITEM,
    as_preference,
    as_statement,
    capitalize,
    lower_first,
)


@dataclass(frozen=True, slots=True)
class MessageContext:
    """Context of a message: `person` was spoken of before, `thing` is what is worked on; both as "the …"."""

    at: int
    person: str
    thing: str
    is_first: bool


def extract_user_findings(
    sentences: Sequence[UserSentence], message: UserMessage, context: MessageContext
) -> list[Finding]:
    """Orders as wishes, each with the reason that stands beside it; likings; and how it went."""
    findings: list[Finding] = []
    at, is_first = context.at, context.is_first
    sentences = [_with_person(sentence, context.person) for sentence in sentences]
    stated = set[str]()
    for place, sentence in enumerate(sentences):
        if sentence.order:
            findings += _find_in_order(sentences, place, context, stated)
        if sentence.liking:
            text = as_preference(sentence.liking, sentence.language)
            findings += (
                [Finding(FindingPart.LIKING, text, at, language=sentence.language)]
                if is_sound(text, sentence.language)
                else []
            )
        if omitted := rewrite_omission(sentence):
            findings.append(Finding(FindingPart.CORRECTION, omitted, at, language=sentence.language))
    for sentence in sentences:
        if (
            sentence.is_plain
            and sentence.text not in stated
            and not sentence.is_problem
            and not message.confirms
            and not message.fails
        ):
            if text := _write_detail(sentence, is_first=is_first):
                findings.append(Finding(FindingPart.DETAIL, text, at, language=sentence.language))
        elif (
            is_first
            and sentence.reason
            and says_enough(sentence.reason)
            and is_sound(f"情况：{sentence.reason}", sentence.language)
        ):
            findings.append(Finding(FindingPart.DETAIL, sentence.reason, at, language=sentence.language))
    if message.confirms:
        findings.append(
            Finding(FindingPart.SUCCESS, _find_reason_of_success(message), at, language=message.language)
        )
    if message.fails and not is_first:
        complaint = " ".join(
            sentence.text for sentence in sentences if sentence.is_plain and FAILS.search(sentence.text)
        )[:LONGEST_ITEM]
        findings.append(Finding(FindingPart.FAILURE, complaint, at, language=message.language))
    return findings


_PERSON = re.compile(
    r"""
    \b(?:an?|the|my|our|one|another)\ (?P<who>(?:[a-z]+\ )?[a-z]+)\ (?:
        wrote | writes | said | says | asked | asks | wants | wanted | told | called | calls | complained
        | complains | reported | who
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HER = re.compile(r"\b(?:her|him)\b(?! [a-z]+(?: (?:is|are|was|has|arrived)|$))", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|he)\b", re.IGNORECASE)


def find_person(text: str) -> str:
    """Find who is spoken of: "a customer wrote that her blender …" -> "the customer"."""
    match = _PERSON.search(text)
    return f"the {match['who'].split()[-1]}" if match else ""


def _with_person(sentence: UserSentence, person: str) -> UserSentence:
    """ "Ask her for a photo" -> "Ask the customer for a photo"."""
    if not (person and sentence.order) or sentence.language == "zh" or is_sound(sentence.order, "en"):
        return sentence
    return replace(sentence, order=_SHE.sub(person, _HER.sub(person, sentence.order)))


def _write_detail(sentence: UserSentence, *, is_first: bool) -> str:
    """Write what was said of the case; beside the request even "it" is understood, for the example has both."""
    text = as_preference(sentence.text, sentence.language)
    if len(set(extract_keywords(text))) < (
        _LEAST_DETAIL_ZH if sentence.language == "zh" else _LEAST_DETAIL
    ) or re.search(r"\b[A-Z]*-?\d{3,}\b", text):
        return ""
    shown = text if not is_first else f"情况：{text}" if sentence.language == "zh" else f"The case: {text}"
    return text if is_sound(shown, sentence.language) else ""


_LEAST_DETAIL, _LEAST_DETAIL_ZH = 3, 2


def _find_in_order(
    sentences: Sequence[UserSentence], place: int, context: MessageContext, stated: set[str]
) -> list[Finding]:
    sentence = sentences[place]
    at, is_first = context.at, context.is_first
    before = sentences[place - 1] if place else None
    after = sentences[place + 1] if place + 1 < len(sentences) else None
    reason, joined = sentence.reason, ""
    if len(reason) > 2 and not is_first:
        joined = (
            f"{reason}：{sentence.order}"
            if sentence.language == "zh"
            else f"{reason}: {lower_first(sentence.order)}"
        )
    elif (
        before is not None
        and _gives_reason(before, context.thing)
        and not is_first
        and not _STARTS_ANEW.match(sentence.text)
    ):
        stated.add(before.text)
        joined = _join_statement_and_order(with_thing(before.text, context.thing), sentence)
    elif after is not None and _gives_reason(after, "") and not is_first:
        stated.add(after.text)
        joined = (
            f"{sentence.order}（{_write_statement(after)}）"
            if sentence.language == "zh"
            else f"{sentence.order} ({lower_first(_write_statement(after))})"
        )
    findings: list[Finding] = []
    if (
        before is not None
        and before.liking
        and sentence.language == "en"
        and not is_sound(sentence.order, "en")
    ):
        joined = f"{as_statement(before.liking, 'en')}: {lower_first(sentence.order)}"
    elif not joined and not any(_could_be_meant(other) for other in sentences[:place]):
        sentence = replace(sentence, order=with_thing(sentence.order, context.thing))
    if is_sound(sentence.order, sentence.language) and not (sentence.leans and joined):
        findings.append(Finding(FindingPart.WISH, sentence.order, at, language=sentence.language))
    elif joined and is_sound(joined, sentence.language):
        findings.append(Finding(FindingPart.WISH, joined, at, language=sentence.language))
    if joined and is_sound(joined, sentence.language):
        findings.append(Finding(FindingPart.CORRECTION, joined, at, language=sentence.language))
    return findings


def _could_be_meant(sentence: UserSentence) -> bool:
    """Return whether what was said just before names something that "it" could be."""
    if sentence.order:
        return not _IT.search(sentence.text)
    return bool(sentence.liking or sentence.is_question) or (
        sentence.is_plain and says_enough(sentence.text) and MessageSign.CONFIRMS not in sentence.signs
    )


_IT = re.compile(r"\b(?:it|this)\b(?! (?:is|was|has|takes|week|month|year|time))", re.IGNORECASE)


def with_thing(text: str, thing: str) -> str:
    """ "Keep it under 100 words" -> "Keep the email under 100 words"; only where nothing before it could be meant."""
    if not thing or is_sound(text.rstrip(" .!"), "en"):
        return text
    if text[:3].lower() == "it ":
        return capitalize(thing) + text[2:]
    return _IT.sub(thing, text, count=1)


def _gives_reason(sentence: UserSentence, thing: str) -> bool:
    if MessageSign.CONFIRMS in sentence.signs or _WORKED.search(sentence.text):
        return False
    return (
        sentence.is_plain
        and says_enough(sentence.text)
        and not _SPEAKS_OF_TALK.match(with_thing(sentence.text, thing))
    )


_WORKED = re.compile(
    r"\b(?:did it|works?|worked|better|fine|clean|clear|great|good)\b|有用|有效|最好|成功|不错|可以了|清楚",
    re.IGNORECASE,
)
# A wish that holds for every time, or comes on top, is not the answer to what was said just before.
_STARTS_ANEW = re.compile(
    r"(?:and|also|always|every time|from now on|in (?:the )?future)\b|(?:另外|还有|以后|今后|每次|再)",
    re.IGNORECASE,
)


_SPEAKS_OF_TALK = re.compile(r"^(?:here|that|this|it|there|i see|so)\b|^(?:这|那|已经)", re.IGNORECASE)


def _join_statement_and_order(statement: str, order: UserSentence) -> str:
    if order.language == "zh":
        return f"{as_preference(statement, 'zh')}：{order.order}"
    stated = english.rewrite_in_third_person(statement.rstrip(" .!"))
    return f"{capitalize(stated)}: {lower_first(order.order)}"


def _write_statement(sentence: UserSentence) -> str:
    if sentence.language == "zh":
        return third_person.rewrite_in_third_person(sentence.text).strip(" 。！")
    stated = english.rewrite_in_third_person(sentence.text.rstrip(" .!"))
    return stated.replace("the user and others", "the user").replace("The user and others", "The user")


_OMITS = re.compile(
    r"""
    \byou\ (?:forgot|missed|left\ out|ignored|skipped|overlooked)(?:\ about)?[ ]
    (?P<what>(?!to\b|that\b|it\b|them\b|this\b)[^.,;!?]{3,80})
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OMITS_ZH = re.compile("你?(?:忘了|漏了|漏掉了|忘记了|少了|遗漏了)(?P<what>[^，。！？]{2,30})")


_SHOULD_HAVE = re.compile(
    r"\byou should(?P<never>n't| not| never)?(?:'ve| have) (?P<did>[a-z-]+) (?P<what>[^.,;!?]{3,80})",
    re.IGNORECASE,
)
# "You should have seen it!" asks for nothing.
_NO_ADVICE = frozenset("be have see know hear think".split())
_SHOULD_HAVE_ZH = re.compile(
    "(?:你?(?:本来|早)?(?:应该|该)|下次(?:要|得|应该)?)(?P<what>(?:先|再|提前)[^，。！？]{2,30})"
)


def rewrite_omission(sentence: UserSentence) -> str:
    """ "You forgot the home office" -> "Do not forget the home office"; "you should have asked first" -> "Ask
    first"."""
    if advice := _rewrite_advice(sentence):
        return advice
    match = (_OMITS_ZH if sentence.language == "zh" else _OMITS).search(sentence.text)
    if not match:
        return ""
    if sentence.language == "zh":
        return f"不要漏掉{third_person.rewrite_in_third_person(match['what'])}"
    return f"Do not forget {english.rewrite_in_third_person(match['what']).strip()}"


_YOU_MUST = re.compile(
    r"""
    ^(?:(?:and|but|so|also|well)[, ]+)*you\ (?P<when>always\ |never\ )?
    (?:must|have\ to|need\ to|should|ought\ to)(?P<not>n't|\ not)?(?P<then>\ always|\ never|\ also)?[ ]
    (?P<what>
        (?!not\b|have\b|be\b|see\b|know\b)[a-z]+\ [^.,;!?]{3,80}
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _rewrite_advice(sentence: UserSentence) -> str:
    if sentence.language != "zh" and (must := _YOU_MUST.match(sentence.text)):
        when = "do not" if must["not"] else (must["when"] or must["then"] or "").strip()
        what = english.rewrite_in_third_person(must["what"]).strip()
        return capitalize(f"{when} {what}".strip())
    match = (_SHOULD_HAVE_ZH if sentence.language == "zh" else _SHOULD_HAVE).search(sentence.text)
    if not match:
        return ""
    if sentence.language == "zh":
        return third_person.rewrite_in_third_person(match["what"])
    base = find_base_of_past(match["did"])
    if base in _NO_ADVICE:
        return ""
    what = english.rewrite_in_third_person(match["what"]).strip()
    return capitalize(f"{'do not ' if match['never'] else ''}{base} {what}") if base else ""


def _find_reason_of_success(message: UserMessage) -> str:
    """Find what the user says was the reason that it worked."""
    plain = [
        sentence.text
        for sentence in message.sentences
        if sentence.is_plain and len(extract_keywords(sentence.text)) > 3
    ]
    text = english.rewrite_in_third_person(plain[0].rstrip(" .!")) if plain else ""
    return text if text and is_sound(text, message.language) else ""
