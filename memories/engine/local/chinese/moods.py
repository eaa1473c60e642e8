"""How a Chinese clause is meant: as a fact, a plan, a wish, a condition, what others say, irony, or the end of a
state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memories.engine.local.propositions import Mood
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# Of 一万一 the end is no word.
_IN_CASE = "(?<![0-9一二两三四五六七八九十百千几])万一"
# 一黑板的话 and 他说的话 are words.
_IN_CASE_OF = "(?<!一[一-龥])(?<!一[一-龥]{2})(?<![说讲写听])的话"
_CONDITION = re.compile(
    f"^(?:[^，]{{0,6}}?)(?:如果|要是|假如|假设|倘若|{_IN_CASE}|要不是|只要|除非|一旦)|^早(?:知道|晓得)|{_IN_CASE_OF}$|{_IN_CASE_OF}，"
)
# A made-up state of the speaker: a thought experiment, not a plan for a case that may come.
_UNREAL = re.compile(
    r"""
    (?:如果|要是|假如|假设|倘若|想象)(?:说)?(?:我们?|咱)(?:自己)?(?:也|真|能|可以|会)*(?:
        是 | 有(?!事|空|时间|变) | 住 | 在(?!家) | 当 | 变成 | 出生 | 生在 | 长得 | 像 | 没有
    )
    | (?:我)?希望我是 | 幻想
    """,
    re.VERBOSE,
)
_HEARSAY = re.compile(
    "听(?:[^，]{0,8})?(?:说|讲|到)|据说|据(?:[^，]{1,6})(?:说|称)|传言|传闻|网上说|有人说|说是(?!不)"
)
_SAID = re.compile("^(?:[^，我]{1,10}?)(?:说|觉得|认为|告诉我|跟我说|提到|表示|建议)")
_HABIT = re.compile(
    "每(?!个人|位|家|次都想)|平时|平常|一般(?!般)|通常|经常|常常|总是|习惯(?!性)|老是"
    "|一周[一二两三四五六七\\d]+[次天]|一个?月[一二两三四五六七\\d]+[次天]|天天|逢"
)
_PLAN = re.compile(_WORDS["plans"])
_WISH = re.compile("(?<!不)(?<!没)想(?!起|到|念|法|不|象|清|通|了)|希望|盼|但愿|梦想|向往|愿望|巴不得|渴望")
ENDED = re.compile(_WORDS["endings"])
_PRAISE = re.compile(
    rf"""
    (?:我)?(?:可真|可太|真是|简直|实在|真的?|太|好|超|可|多么?|非常|那叫一个|别提多)(?:是|的)?
    (?:太|真|超)?(?:
        {_WORDS["praised"]}
    )
    | {_WORDS["praise"]}
    """,
    re.VERBOSE,
)
_BOTHER = re.compile(_WORDS["bothers"])
_SNEER = re.compile(_WORDS["sneers"])


def is_praise(clause: str) -> bool:
    """Return whether a clause praises or thanks."""
    return bool(_PRAISE.search(clause) or _SNEER.search(clause))


def is_bother(clause: str) -> bool:
    """Return whether a clause tells of something that nobody likes."""
    return bool(_BOTHER.search(clause))


def find_ironic_clauses(clauses: Sequence[str]) -> range:
    """Find where praise or thanks stand for what nobody likes, with what they are about; an empty range where nowhere.

    Taken at its word, such a sentence would be false.
    """
    for at, clause in enumerate(clauses):
        if _SNEER.search(clause):
            return range(max(0, at - 2), at + 1)
        praise = _PRAISE.search(clause)
        if not praise:
            continue
        rest = clause[: praise.start()] + "，" + clause[praise.end() :]
        if _BOTHER.search(rest):
            return range(at, at + 1)
        near = [place for place in range(max(0, at - 2), min(len(clauses), at + 3)) if place != at]
        bothers = [place for place in near if _BOTHER.search(clauses[place])]
        if bothers:
            return range(min(at, *bothers), max(at, *bothers) + 1)
    return range(0)


def is_condition(clause: str) -> bool:
    return bool(_CONDITION.search(clause))


_SUPPOSED = re.compile(
    f"^(?:[^，]{{0,6}}?)(?:如果|要是|假如|假设|倘若|{_IN_CASE}|要不是|除非|一旦)(?!没记错|没弄错|我没记错)|{_IN_CASE_OF}$"
)
# Behind a condition in its own clause: 下雨就不去.
_FOLLOWS = re.compile("就|便(?!宜)|则|会(?!议|员|计)")


def is_supposed(clause: str) -> bool:
    """Return whether a clause is only a case that may come."""
    return bool(_SUPPOSED.search(clause))


def only_supposes(clauses: Sequence[str]) -> bool:
    """Return whether nothing is said to follow from the cases that the clauses suppose."""
    return all(is_supposed(clause) and not _FOLLOWS.search(clause) for clause in clauses)


def is_unreal(sentence: str) -> bool:
    return bool(_UNREAL.search(sentence))


def is_hearsay(clause: str) -> bool:
    return bool(_HEARSAY.search(clause) or _SAID.match(clause))


def detect_mood(words: str) -> Mood:
    """The mood of a proposition in its own words."""
    if is_condition(words):
        return Mood.CONDITION
    if is_hearsay(words):
        return Mood.HEARSAY
    if _WISH.search(words):
        return Mood.WISH
    if _PLAN.search(words):
        return Mood.PLAN
    if ENDED.search(words):
        return Mood.ENDED
    return Mood.HABIT if _HABIT.search(words) else Mood.FACT


_ONE_DAY = re.compile("今[天晚早儿]|明[天晚早儿]|昨[天晚儿]|后天|这[次顿]|待会|等[会下]")
_FOR_GOOD = re.compile("[天晚次]起|开始|以后|再也|从今|戒|医|体检|查出|确诊|怀孕|决定")
_GIVES_UP = re.compile("不[^，]{1,8}了$")


def is_of_one_day(clause: str, before: str = "") -> bool:
    """Return whether somebody goes without something for a day, as the clause or the one before it says: 今天胃疼，
    不吃辣了."""
    text = f"{before}，{clause}"
    is_once = _GIVES_UP.search(clause) is not None and _ONE_DAY.search(text) is not None
    return is_once and _FOR_GOOD.search(text) is None
