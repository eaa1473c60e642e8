"""A statement taken apart into what must agree before two of them may be called one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from memories.text.words.tokenize import extract_keywords
from memories.text.zh.script import to_simplified

# Longer texts are no statements; nothing beyond is compared.
_MOST_SENTENCES = 12

# A point within a word, or behind a title, ends no sentence.
_SENTENCE = re.compile(
    r"[^.!?。！？]+(?:(?:\.(?=\S)|(?<=\b[DMS][rst])\.|(?<=\bMrs)\.|(?<=\bProf)\.)[^.!?。！？]*)*[.!?。！？]*"
)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
DATES = re.compile(
    rf"\d{{4}}-\d\d?-\d\d?|\d{{1,2}} (?:{_MONTHS})(?:,? \d{{4}})?"
    rf"|\b(?:{_MONTHS})(?: \d{{1,2}}\b)?(?:,? \d{{4}})?\b"
    rf"|\b(?:{_WEEKDAYS})s?\b|\b(?:19|20)\d\d\b|\d{{4}}年(?:\d{{1,2}}月)?(?:\d{{1,2}}[日号])?"
    rf"|\d{{1,2}}月(?:\d{{1,2}}[日号])?"
    r"|(?:星期|周|礼拜)[一二三四五六日天](?![次回趟顿])|[一二三四五六七八九十]{1,2}月份?(?!"
    r"[\u4e00-\u9fff]?年)",
    re.IGNORECASE,
)
# The words of a change itself say nothing about what changed.
CHANGE_WORDS = frozenset(
    extract_keywords(
        "now nowadays instead actually again moved changed rescheduled postponed pushed slipped slid raised lowered "
        "increased reduced updated"
        " corrected switched replaced extended shortened delayed shifted cut dropped bumped put been "
        "gone went goes from since down start begin held set scheduled rearranged rebooked takes place"
        " cost costs price priced charge charges charged"
    )
) | frozenset(
    """
        改 改为 改成 改到 换成 换到 变成 变为 挪到 调到 调整 移到 推迟 推迟到 提前 提前到 延期 延 延到 拖 拖到 定 到
        至 涨 涨到 降到 减到 升到 说错 钟 半 卖 收 收费 要价 定价 只剩 就剩 剩 剩下 还剩 价格 价钱
        租金 费用 工钱
    """.split()
)
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}
_CHINESE_NUMBER = re.compile("[二两三四五六七八九十百千万]+(?=[只个条位本件台辆次年岁天小公块元张杯])")
# What turns a statement round. What somebody has left or stopped no longer holds either.
_NEGATIVE = re.compile(
    r"""
    \bnot\b | n't\b | \bno\ longer\b | \bno\b | \bnever\b | \bcannot\b | \bwithout\b | \bdislikes?\b
    | \bhates?\b | \bavoid(?:s|ing)?\b | \bstopped\b | \bquit\b | \bgave\ up\b | \bgiven\ up\b
    | \bused\ to\b | \bleft\b | \bformer(?:ly)?\b | \brefuses?\b | 不(?!错|仅|但|久|同|断|少) | 没 | 讨厌
    | 戒 | 别(?!人|的) | 以前 | 曾经 | 无法 | 从未 | 离开
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What says that something was given up, or is not so any more.
_ENDED = re.compile(
    r"""
    \b(?:has\ |have\ |had\ )?(?:
        stopped | quit | quitted | gave\ up | given\ up | swore\ off | sworn\ off | cut\ out | no\ longer
        | used\ to | dropped\ out\ of | cancell?ed | left(?=\ (?:the|their|his|her)\b)
    )\b
    | \bany\ ?more\b | 戒掉?了? | 断了 | 不再 | 早就不 | 已经不 | 再也不 | 停了 | 退出了? | 取消了?
    | (?<=[\u4e00-\u9fff])不(?=[^，。]{1,8}了$)
    """,
    re.VERBOSE,
)
_PLAN = re.compile(
    r"""
    \b(?:
        wants? | plans? | planning | hopes? | hoping | wish(?:es)? | considering | thinking\ (?:of|about)
        | intends? | dreams? | going\ to | will | might | would\ like
    )\b
    | 想 | 打算 | 计划 | 希望 | 考虑 | 准备
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOW = re.compile(
    r"""
    \b(?:
        now(?!\ and\ (?:then|again)\b) | nowadays | these\ days | instead | switched | anymore | any\ more
        | no\ longer | from\ now\ on | has\ changed
    )\b
    | 现在 | 如今 | 目前 | 不再 | 改成 | 改为 | 改用 | 换成 | 换了
    """,
    re.VERBOSE,
)
_EXCLUSIVE = re.compile(
    r"\bprefers?\b|\bfavou?rites?\b|\busually (?:takes|orders|chooses)\b|更喜欢|偏好|首选|最喜欢|最爱"
)
# "Has got a caravan" is "has a caravan"; "has got married" happened once.
_GOT = (
    r"got(?!(?:(?<=\bhas got)|(?<=\bhave got)) (?:an?|the|their|two|three|four|five|six|seven|eight|nine"
    r"|ten|\d+|no)\b)"
)
_HAPPENED = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bam )(?<!\bbe )(?<!\bbeen )(?<!\bgets )(?<!\bfeels )"
    r"\b(?!stopped\b|used\b|named\b|called\b|switched\b|based\b|married\b|red\b|bed\b|shed\b|need\b"
    r"|\w*eed\b)\w{2,}ed\b"
    rf"|\b(?:went|bought|met|saw|had|came|took|{_GOT}|ate|ran|wrote|made|gave(?! up)|won|lost|found"
    rf"|sold|broke|fell|flew|drove|slept|spent|sent|told|said"
    r"|thought|taught|caught|chose|began|drank|swam|sang|was|were|did|left for|held|paid|built|heard"
    r"|felt|kept|brought)\b"
    r"|(?<![养有当成变是])了(?![。！!\s]*$)|过(?![敏道度程期节年])",
    re.IGNORECASE,
)
_OWNED = re.compile(r"^the user's (?:own )?(?P<first>[\w-]+)", re.IGNORECASE)
_OWNED_ZH = re.compile("^用户的(?P<first>[\u4e00-\u9fff]{2})")
_ATTRIBUTE = re.compile(
    r"^the user's (?P<what>[^,.;]{2,60}?) (?:is|are|has changed to|was changed to|will be) (?P<value>.+)$",
    re.IGNORECASE,
)
_ATTRIBUTE_ZH = re.compile(
    "^用户的(?P<what>[^，。]{1,12}?)(?:现在|目前)?(?:是|为|改成|改为|变成|换成)(?P<value>.+)$"
)
_COUNTED = re.compile(
    r"""
    ^the\ user\ (?:now\ |currently\ )?(?:has(?:\ got)?|owns|keeps)\ (?:now\ )?(?:\d+|[a-z]+)[ ]
    (?P<what>[\w-]+s)\W*(?:now)?\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COUNTED_ZH = re.compile(
    "^用户(?:现在|目前)?(?:一共|共)?(?:有|养了)[二两三四五六七八九十\\d]+[\u4e00-\u9fff](?P<what>[\u4e00-\u9fff]{1,6})$"
)
# Where somebody came from, or what they gave up, is not where they are.
_BEFORE = re.compile(
    r"\bfrom (?:[\w'-]+ ){1,4}?(?=to\b)|\b(?:instead of|rather than) (?:[\w'-]+ ?){1,3}|从[^，。]{1,8}?(?=搬|到)"
)
_CODE = re.compile(r"\S*\d\S*")
_ADVERBIAL = re.compile(
    r"""
    ^(?:every|each|in|on|at|now|currently|since|after|before|during|usually|often|sometimes|these\ days)
    \b[^,]{0,40}?,?\ the\ user\b(?!')
    """,
    re.VERBOSE,
)
# Of a person or an animal many things are true at once.
_LIVING = frozenset(
    """
        mother mom mum father dad parents brother sister son daughter wife husband partner
        girlfriend boyfriend friend colleague boss uncle aunt cousin grandmother grandfather child
        children baby kid kids family dog cat puppy pet roommate neighbour neighbor teacher 妈妈
        爸爸 母亲 父亲 哥哥 弟弟 姐姐 妹妹 儿子 女儿 妻子 丈夫 朋友 同事 老板 孩子 狗 猫 室友 邻居
        老师
    """.split()
)
_CLASSES = {
    "·live": (
        "live lives living lived reside resides moved moving relocated settled based 住 住在 居住 定居 "
        "搬到 搬 搬去"
    ),
    "·like": (
        "like likes love loves enjoy enjoys prefer prefers dislike dislikes hate hates avoid avoids fan "
        "喜欢 爱 喜爱 热爱 偏好 讨厌 最爱 更喜欢 喜欢吃 爱吃 吃 eat"
    ),
    "·work": "work works working job employed joined 工作 上班 任职 就职",
    "·learn": "learn learning study studies studying 学 学习 在学",
    "·buy": "buy purchase",
}
# What says when and how often in general, or nothing.
LIGHT = frozenset(
    keyword
    for keyword in extract_keywords(
        "user users now nowadays currently anymore longer still really very also actually go going "
        "goes just quite lot bit some any"
        " use used switch switched instead stop stopped quit never cannot give gave given refuse "
        "without no not long ago already anymore completely entirely day every"
    )
) | frozenset(
    """
        用户 就 把 每天 早就 早已 早 很久 彻底 再也 现在 目前 如今 很 非常 特别 正在 在 已经 一直
        一只 一个 一名 一位 养 有 不 没 没有 不再 不是 再 是 那里 里 了 过 的 对 只 个
    """.split()
)


def _map_classes(listed: Callable[[str], bool]) -> dict[str, str]:
    """The class of each of those listed words."""
    return {
        term: name
        for name, words in _CLASSES.items()
        for term in extract_keywords(" ".join(filter(listed, words.split())))
        if term not in LIGHT
    }


_ENGLISH_CLASSES = _map_classes(str.isascii)


@cache
def _load_chinese_classes() -> dict[str, str]:
    """When Chinese is read for the first time: its dictionary takes 29 MB of every process."""
    return _map_classes(lambda word: not word.isascii())


def _get_word_class(term: str) -> str:
    return (_ENGLISH_CLASSES if term.isascii() else _load_chinese_classes()).get(term, term)


@dataclass(frozen=True, slots=True)
class SentenceWording:
    """One sentence: its terms without what is said elsewhere here, and everything that tells two apart.

    `subject` is whom it is about ("" for the user), `attribute` the thing whose value it gives, `counted` the
    things whose number it gives, `ended` the terms of what it says is over.
    """

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    subject: str
    is_negative: bool
    is_plan: bool
    is_event: bool
    is_exclusive: bool
    says_now: bool
    attribute: frozenset[str]
    gives_code: bool
    counted: str
    ended: frozenset[str] = frozenset()

    @property
    def names_a_thing(self) -> bool:
        return any(not term.startswith("·") for term in self.terms)

    @property
    def is_taste(self) -> bool:
        return "·like" in self.terms

    def lacking_in(self, other: SentenceWording) -> frozenset[str]:
        """The terms that the other one does not have, not even with another ending."""
        missing = self.terms - other.terms
        return frozenset(
            term
            for term in missing
            if term in self.names or not any(is_one_stem(term, theirs) for theirs in other.terms)
        )


def is_event(sentence: str) -> bool:
    """Return whether it tells what happened once."""
    return bool(_HAPPENED.search(sentence))


def read_wordings(text: str) -> tuple[SentenceWording, ...]:
    """One for each sentence; none for a text of more sentences than a statement has."""
    sentences = [part.strip() for part in _SENTENCE.findall(to_simplified(text)) if part.strip(" .!?。！？")]
    return (
        tuple(_read_wording(sentence) for sentence in sentences) if len(sentences) <= _MOST_SENTENCES else ()
    )


def _read_wording(sentence: str) -> SentenceWording:
    folded = " ".join(sentence.casefold().split()).rstrip(" .!?。！？")
    dates = frozenset(DATES.findall(folded))
    bare = _BEFORE.sub(" ", DATES.sub(" ", folded))
    attribute = _ATTRIBUTE.match(folded) or _ATTRIBUTE_ZH.match(folded)
    counted = _COUNTED.match(bare) or _COUNTED_ZH.match(bare)
    what = frozenset(extract_keywords(attribute["what"])) if attribute else frozenset()
    return SentenceWording(
        text=folded,
        terms=_extract_terms(bare),
        names=_find_names(sentence),
        numbers=_find_numbers(bare),
        dates=dates,
        subject=_find_subject(folded),
        is_negative=bool(_NEGATIVE.search(folded)),
        is_plan=bool(_PLAN.search(folded)),
        is_event=bool(_HAPPENED.search(folded)),
        is_exclusive=bool(_EXCLUSIVE.search(folded)),
        says_now=bool(_NOW.search(folded)),
        attribute=frozenset() if attribute and not _LIVING.isdisjoint(attribute["what"].split()) else what,
        gives_code=bool(attribute and _CODE.fullmatch(attribute["value"])),
        counted=counted["what"] if counted else "",
        ended=_extract_terms(_ENDED.sub(" ", bare)) if _ENDED.search(bare) else frozenset(),
    )


def _extract_terms(bare: str) -> frozenset[str]:
    without_numbers = _CHINESE_NUMBER.sub(" ", _DIGITS.sub(" ", bare))
    terms = (_get_word_class(term) for term in extract_keywords(without_numbers) if term not in LIGHT)
    return frozenset(term for term in terms if term not in _NUMBER_WORDS)


def _find_numbers(bare: str) -> frozenset[str]:
    words = (_NUMBER_WORDS[word] for word in re.findall("[a-z]+", bare) if word in _NUMBER_WORDS)
    return frozenset([*_DIGITS.findall(bare), *words, *_CHINESE_NUMBER.findall(bare)])


def _find_names(sentence: str) -> frozenset[str]:
    """Find what is written with a capital inside the sentence."""
    inside = re.findall(r"(?<=[\w,;:'\"] )[A-Z][\w'-]*", sentence)
    return frozenset(extract_keywords(" ".join(inside)))


def _find_subject(folded: str) -> str:
    owned = _OWNED.match(folded) or _OWNED_ZH.match(folded)
    if owned:
        return owned["first"]
    is_about_user = folded.startswith(("the user", "用户")) or _ADVERBIAL.match(folded)
    return "" if is_about_user else " ".join(folded.split()[:1])


def is_one_stem(stem: str, other: str) -> bool:
    """ "allerg" and "allergi": the stemmer does not see all endings as one."""
    short, long = sorted((stem, other), key=len)
    return len(short) >= 5 and long.startswith(short) and len(long) - len(short) <= 3
