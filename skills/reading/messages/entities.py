"""Who and what a statement is about: people, names, and things that its subject calls."""

from __future__ import annotations

import re

from memories.text.words.language_detection import detect_language
from memories.text.zh.word_classes import tag_words

_WORD = r"[A-Z][\w'’à-öø-ÿ-]*"
_PROPER = re.compile(rf"{_WORD}(?: (?:(?:of|the|and|for|in|de|van|von|la|le|del) )*{_WORD})*")
# The first hundred surnames cover nine of ten people in China.
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚"
    "卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_LONG_SURNAMES = ("欧阳", "司马", "上官", "诸葛", "司徒", "慕容", "令狐", "皇甫")
# A subject ends where its verb, or what is said of its place, begins.
_SUBJECT = re.compile(
    r"""
    ^(?:the\ user's|the|our|this|that|these|those|a|an|one\ of\ the|both|every|each)\s+
    (?P<name>(?:[\w'’-]+\s+){0,3}?[\w'’-]+)(?=
        \s+(?:
            is | are | was | were | has | have | had | will | would | can | cannot | could | must | should
            | may | might | does | do | did | needs? | [a-z]{2,}(?:[^aeious]s|es|ts|ks|ms|ns|ls)
            | [a-z]+ed | by | in | on | at | near | behind | from | with | that | which | who | went
            | broke | got | lost | ran | fell | stood | made | took
        )\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EMPTY_SUBJECTS = re.compile(
    r"""
    ^(?:
        user | thing | things | one | ones | same | rest | other | others | first | last | next | problem
        | issue | reason | idea | point | plan | way | time | day | week | month | year | meeting
        | deadline | team | assistant | list | result | answer | call | email | weather
    )s?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SKIPPED_ZH = re.compile(
    "^(?:我们?的?|咱们?的?|用户的?|这|那|这个|那个|该|每|这台|那台|这棵|那棵|一台|一个|有)+"
)
_END_ZH = ("v", "d", "a", "p", "c", "u", "x", "r", "t", "z")


def find_people_zh(text: str) -> list[str]:
    """Chinese names of people: a surname and one or two letters, as the dictionary or the words around tell."""
    names = []
    for word, tag in tag_words(text):
        is_name = tag in {"nr", "nrfg"} and 2 <= len(word) <= 4
        if is_name and (word[0] in SURNAMES or word.startswith(_LONG_SURNAMES)):
            names.append(word)
    return list(dict.fromkeys(names))


def find_proper_names(text: str) -> list[str]:
    """Names that are written large; a single word that only begins the sentence is left out."""
    names = []
    for match in _PROPER.finditer(text):
        name = re.sub("^The ", "", match[0].strip("'’").removesuffix("'s").removesuffix("’s"))
        is_first = match.start() == 0
        if (is_first and " " not in name) or (name.split()[0].lower() in _FUNCTION and " " not in name):
            continue
        names.append(name)
    return [name for name in dict.fromkeys(names) if len(name) > 1 and name != "The"]


def find_statement_subject(text: str) -> str:
    """The thing that a statement is about, without its article: "laser cutter", 三号打印机; "" where it is no thing."""
    if detect_language(text) == "zh":
        return _find_subject_zh(text)
    match = _SUBJECT.match(text)
    if match is None:
        first = re.match(rf"({_WORD}(?: {_WORD})*) (?=[a-z])", text)
        return first[1] if first and first[1].split()[0].lower() not in _FUNCTION else ""
    name = match["name"].strip()
    return "" if _EMPTY_SUBJECTS.match(name.split()[-1]) else name


_FUNCTION = frozenset(
    """
        the a an this that these those it he she they we you i in on at for from with if when while
        after before because since as but and or so no yes all some most many
    """.split()
)


def _find_subject_zh(text: str) -> str:
    bare = _SKIPPED_ZH.sub("", text)
    words = list[str]()
    for word, tag in tag_words(bare[:60]):
        if tag[:1] in _END_ZH and not (words and word in {"的"}):
            break
        words.append(word)
    name = "".join(words).strip("的")
    return name if 2 <= len(name) <= 12 else ""
