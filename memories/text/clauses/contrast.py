"""What a correction puts right: "600, not 800" says which value holds and which one does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memories.text.words.language_detection import detect_language
from memories.text.words.spacing import join_lines

_LONGEST_SENTENCE = 600
_LONGEST_VALUE = 60
# "not only", "not sure": these deny no value.
_NO_VALUE = (
    r"(?!(?:only|sure|really|yet|any|always|very|that|so|too|because|to|just|even|at all|the other way)\b)"
)
_VALUE = rf"[^,;!?]{{1,{_LONGEST_VALUE}}}?"
_END = r"[ .!]*+$"
_PREPOSITION = re.compile(r"^(?:in|on|at|to|from|as|by|for|with|of|under|near|after|before) ", re.IGNORECASE)
_BEFORE_VALUE = re.compile(
    r"\b(?:is|are|was|were|am|be|equals?|called|named|costs?|means|became|'s|'re|'m) (?:now |actually )?",
    re.IGNORECASE,
)
# "do not", "is not" deny what follows; only what was stated before can be put against something.
_ENDS_IN_AUXILIARY = re.compile(
    r"""
    \b(?:
        do | does | did | is | are | am | was | were | can | will | would | could | should | shall | have
        | has | had | may | might | must | or | if | why | whether
    )$
    | '(?:m|re|s)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NUMBER = re.compile(r"(?:[$€£¥] ?)?\d[\d.,:/]*\d|(?:[$€£¥] ?)?\d")

_TAIL_EN = re.compile(
    rf"^(?P<head>.+?) ?[,;(–—-]{{0,3}} ?\b(?:and |but )?(?:not|instead of|rather than"
    rf"|as opposed to) {_NO_VALUE}(?P<wrong>{_VALUE})\)?{_END}",
    re.IGNORECASE,
)
_BUT_EN = re.compile(
    (
        rf"^(?P<head>.*?\b(?:is|are|was|were|am|be|'s)\b|it|that|this)? ?\b(?:not"
        rf"|n't) {_NO_VALUE}(?P<wrong>{_VALUE}) ?[,;]? ?"
        r"\b(?:but(?: rather)?|it is|it's|it was|it should be|they are|I am|I'm"
        r"|rather) (?:actually )?(?P<right>[^,;!?]{1,60}?)"
    )
    + _END,
    re.IGNORECASE,
)
_LED_BY = re.compile(
    r"(?P<lead>\S.*? (?:to|of|for|with|from|in|at|on|by|called|named)) (?P<value>\S.*)", re.IGNORECASE
)
_BARE_EN = re.compile(rf"^not {_NO_VALUE}(?P<wrong>{_VALUE}) ?[,;] ?(?P<right>{_VALUE}){_END}", re.IGNORECASE)
_DENIED_EN = re.compile(
    r"^(?:I|we) (?:do|did|does)(?:n't| not) (?P<denied>[^,;]{1,80}?) ?[,;] ?(?:but )?(?P<rest>(?:I|we) .+)$",
    re.IGNORECASE,
)
_FROM_TO_EN = re.compile(
    r"(?P<be>\b(?:is|are|was|were|got|has|have|had)(?: been)?(?: now| just)? )?"
    rf"\b(?:changed|went|moved|raised|lowered|reduced|extended|shortened|increased|decreased|updated"
    rf"|corrected|renamed) from (?P<wrong>{_VALUE}) to (?P<right>{_VALUE}){_END}",
    re.IGNORECASE,
)

_VALUE_ZH = r"[^，,。；;！!？?]{1,40}?"
_END_ZH = r"[ 。.!！]*+$"
_IS_ZH = r"(?:应该是|应当是|应该为|应是|应为|其实是|改为|改成|已经是|是|为)"
_NOT_ZH = r"(?:而不是|并不是|不是|并非|而非)"
_TAIL_ZH = re.compile(
    rf"^(?P<head>.*?){_IS_ZH}(?P<right>{_VALUE_ZH}) ?[，,、；;]? ?{_NOT_ZH} ?(?P<wrong>{_VALUE_ZH}){_END_ZH}"
)
_BUT_ZH = re.compile(
    rf"^(?P<head>.*?){_NOT_ZH} ?(?P<wrong>{_VALUE_ZH}) ?[，,、；;]? ?(?:而)?{_IS_ZH} ?(?P<right>{_VALUE_ZH}){_END_ZH}"
)
_PLACE_ZH = re.compile(
    rf"^(?P<head>.+?) ?[，,；;]? ?(?:而)?(?:不是|不在|不住在|不住|不叫|不喜欢"
    rf"|并非)(?:在)?(?P<wrong>{_VALUE_ZH}){_END_ZH}"
)
# "仓库最多放180箱，不是150箱": no verb of being, but two numbers of one measure.
_QUANTITY_ZH = (
    r"(?:[$€£¥￥]? ?\d[\d.,:]*|[零一二两三四五六七八九十百千万]+(?="
    r"[^零一二两三四五六七八九十百千万\s，,。]))(?:[^\d\s，,。；;！!？?]{0,8})"
)
_NUMBER_ZH = re.compile(
    rf"^(?P<head>.*?(?P<right>{_QUANTITY_ZH})[^\d，,；;]{{0,20}}?) ?[，,、；;]? ?(?:{_NOT_ZH}|不再是"
    rf"|不) ?(?P<wrong>{_QUANTITY_ZH}){_END_ZH}"
)
_FROM_TO_ZH = re.compile(
    rf"^(?P<head>.*?)(?:已经?|现已)?(?:从|由)(?P<wrong>{_VALUE_ZH})"
    rf"(?:提高|上调|上涨|增加|涨|降低|下调|减少|降|调整|调|更改|修改|变更|改|变)(?:到|至|为"
    rf"|成)了?(?P<right>{_VALUE_ZH}){_END_ZH}"
)
_BEFORE_VALUE_ZH = re.compile(r"住在|叫做|名叫|喜欢|位于|[在叫是为]")


@dataclass(frozen=True, slots=True)
class Contrast:
    """`statement` is what holds, without the denial; "" when the sentence names nothing but the two values."""

    statement: str
    right: str
    wrong: str


def find_contrast(sentence: str) -> Contrast | None:
    """The values that a sentence puts against each other, if it does."""
    if len(sentence) > _LONGEST_SENTENCE:
        return None
    text = join_lines(sentence)
    finders = _CHINESE if detect_language(text) == "zh" else _ENGLISH
    contrast = next((candidate for find in finders if (candidate := find(text))), None)
    if contrast is None or not contrast.right:  # 是不是 asks, and puts nothing against what it denies
        return None
    return contrast if contrast.right.casefold() != contrast.wrong.casefold() else None


_HAS_VERB = re.compile(r"\w (?:is|are|was|were|am|has|have|had|does|do|did|will|can|would)\b", re.IGNORECASE)
_OF_SOMEBODY = re.compile(r"(?:I|we|you|he|she|they)\b", re.IGNORECASE)


def _read_but_english(sentence: str) -> Contrast | None:
    match = _BUT_EN.match(sentence)
    if match is None:
        return None
    head = (match["head"] or "").strip()
    right, wrong = _clean_value(match["right"]), _clean_value(match["wrong"])
    if _HAS_VERB.search(right) or _OF_SOMEBODY.match(right):
        return None  # "I'm not a morning person but my husband is up at five", "… but I love evenings"
    led = _LED_BY.match(wrong)
    is_of_it = re.search(
        r"\b(?:it is|it's|it was|it should be) (?:actually )?$", sentence[: match.start("right")]
    )
    if is_of_it and not led and _OF_SOMEBODY.match(head):
        return None  # "I am not a dog person, it was my wife's idea" says two things
    if led and not _LED_BY.match(right):  # "not allergic to peanuts, it is hazelnuts"
        head, wrong = f"{head} {led['lead']}", led["value"]
    has_subject = bool(head) and not re.fullmatch(r"(?:it|that|this)(?:'s| is| was)?", head, re.IGNORECASE)
    return Contrast(f"{head} {right}" if has_subject else "", right, wrong)


def _read_bare_english(sentence: str) -> Contrast | None:
    match = _BARE_EN.match(sentence)
    return Contrast("", _clean_value(match["right"]), _clean_value(match["wrong"])) if match else None


def _read_denied_english(sentence: str) -> Contrast | None:
    """As in "I don't live in Porto, I live in Oslo": what the two clauses begin with is no part of the values."""
    match = _DENIED_EN.match(sentence)
    if match is None:
        return None
    denied, stated = match["denied"].split(), match["rest"].strip(" .!").split()[1:]
    same = 0
    while same < min(len(denied), len(stated)) and denied[same].lower() == stated[same].lower():
        same += 1
    if same == 0 or same in {len(denied), len(stated)}:
        return None
    return Contrast(match["rest"].strip(), " ".join(stated[same:]), " ".join(denied[same:]))


def _from_to_english(sentence: str) -> Contrast | None:
    match = _FROM_TO_EN.search(sentence)
    if match is None:
        return None
    head, right = sentence[: match.start()].strip(), _clean_value(match["right"])
    # "The limit was raised from 150 to 180" says that the limit is 180; "She moved from A to B" says no such thing.
    statement = f"{head} is {right}" if head and match["be"] and _NUMBER.match(right) else sentence
    return Contrast(statement, right, _clean_value(match["wrong"]))


def _read_tail_english(sentence: str) -> Contrast | None:
    match = _TAIL_EN.match(sentence)
    if match is None or _ENDS_IN_AUXILIARY.search(match["head"].strip()):
        return None
    head, wrong = match["head"].strip(" ,;("), match["wrong"].strip()
    right = _find_counterpart(head, wrong)
    wrong = _PREPOSITION.sub("", wrong)
    if not right:
        return None
    before = head[: len(head) - len(right)] if head.endswith(right) else head
    is_bare = not re.sub(
        r"^(?:it|that|this)(?:'s| is| was| should be)?$", "", before.strip(), flags=re.IGNORECASE
    )
    return Contrast("" if is_bare else head, _clean_value(right), _clean_value(wrong))


def _find_counterpart(head: str, wrong: str) -> str:
    """The part of what holds that stands where the wrong value stood."""
    preposition = _PREPOSITION.match(wrong)
    if preposition:
        at = head.lower().rfind(f" {preposition[0].lower().strip()} ")
        return head[at + len(preposition[0]) + 1 :].strip() if at >= 0 else ""
    if number := _NUMBER.search(wrong):
        return _find_same_quantity(head, wrong, number)
    *_, last = [None, *_BEFORE_VALUE.finditer(head)]
    if last is not None and 0 < len(head[last.end() :].split()) <= 6:
        return _PREPOSITION.sub("", head[last.end() :].strip())
    return " ".join(head.split()[-len(wrong.split()) :])


def _find_same_quantity(head: str, wrong: str, number: re.Match[str]) -> str:
    """The number of the statement, with its unit where the wrong one has it too."""
    numbers = list(_NUMBER.finditer(head))
    if not numbers:
        return ""
    before, unit = wrong[: number.start()].strip(), wrong[number.end() :].strip()
    value = numbers[-1]
    rest = head[value.end() :].strip()
    if unit and rest.lower().startswith(unit.lower()):
        return head[value.start() : value.end() + head[value.end() :].lower().find(unit.lower()) + len(unit)]
    if before and head[: value.start()].rstrip().lower().endswith(before.lower()):
        return head[head[: value.start()].lower().rfind(before.lower()) : value.end()]
    return value[0]


def _read_tail_chinese(sentence: str) -> Contrast | None:
    return _read_stated_chinese(_TAIL_ZH.match(sentence))


def _read_but_chinese(sentence: str) -> Contrast | None:
    return _read_stated_chinese(_BUT_ZH.match(sentence))


def _read_stated_chinese(match: re.Match[str] | None) -> Contrast | None:
    if match is None:
        return None
    head, right = match["head"].strip(" ，,"), _clean_value(match["right"])
    statement = f"{head}是{right}" if head and head not in {"这", "那", "它", "这个", "那个"} else ""
    return Contrast(statement, right, _clean_value(match["wrong"]))


def _place_chinese(sentence: str) -> Contrast | None:
    match = _PLACE_ZH.match(sentence)
    if match is None:
        return None
    *_, last = [None, *_BEFORE_VALUE_ZH.finditer(match["head"])]
    if last is None:
        return None
    return Contrast(match["head"], _clean_value(match["head"][last.end() :]), _clean_value(match["wrong"]))


def _read_number_chinese(sentence: str) -> Contrast | None:
    match = _NUMBER_ZH.match(sentence)
    if match is None:
        return None
    head, right, wrong = (
        match["head"].strip(" ，,"),
        _clean_value(match["right"]),
        _clean_value(match["wrong"]),
    )
    unit = re.sub(r"^(?:[\d.,: ]+|[零一二两三四五六七八九十百千万]+)", "", wrong)
    if unit and unit not in head[match.start("right") :]:
        return None
    # What follows the right number in its clause is its unit as far as the wrong one has it too.
    number = re.match(r"[$€£¥￥]? ?\d[\d.,:]*|[零一二两三四五六七八九十百千万]+", right)
    right = number[0] + (unit if unit and right[number.end() :].startswith(unit) else "") if number else right
    return Contrast("" if head == _clean_value(match["right"]) else head, right, wrong)


def _from_to_chinese(sentence: str) -> Contrast | None:
    return _read_stated_chinese(_FROM_TO_ZH.match(sentence))


def _clean_value(value: str) -> str:
    return value.strip(" ,;.!?，。；！？、()（）\"'“”‘’「」")


_Finder = Callable[[str], Contrast | None]
_ENGLISH: tuple[_Finder, ...] = (
    _read_denied_english,
    _read_but_english,
    _read_bare_english,
    _from_to_english,
    _read_tail_english,
)
_CHINESE: tuple[_Finder, ...] = (
    _read_but_chinese,
    _read_tail_chinese,
    _read_number_chinese,
    _from_to_chinese,
    _place_chinese,
)
