"""Closed classes of Chinese that the rules share, as pieces of regular expressions over simplified characters."""

from __future__ import annotations

from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))


def _list_words(*lists: str) -> list[str]:
    """The words of one or more lists that hold no patterns, the longest first."""
    return sorted("|".join(_WORDS[name] for name in lists).split("|"), key=len, reverse=True)


_KIN_LISTS = ("male_kin", "female_kin", "any_kin", "many_kin")
MALE_KIN = frozenset(_list_words("male_kin"))
FEMALE_KIN = frozenset(_list_words("female_kin"))
MANY_KIN = frozenset(_list_words("many_kin"))
# "The teacher" without an owner stands alone.
ROLES = frozenset(_list_words("roles"))
ROLES_PATTERN = _WORDS["roles"]
KIN = "|".join(_list_words(*_KIN_LISTS))
PEOPLE = "|".join(_list_words(*_KIN_LISTS, "roles"))
# The address of one's husband; a bare 先生 may be anybody.
SPOUSE = "先生"
GROUPS = _WORDS["groups"]
OWN = _WORDS["own"]
PETS = _WORDS["pets"]
SURNAMES = _WORDS["surnames"].replace("|", "")
NAME = (
    rf"(?:[小老阿][{SURNAMES}]|[{SURNAMES}](?:总|姐|哥|叔|姨|老师|医生|教授|律师|经理|师傅|主任|阿姨|叔叔"
    rf"|奶奶|爷爷|大爷|大妈))"
)

TIME_OF_DAY = _WORDS["times_of_day"]
_NUMERAL = "[0-9零〇一二两三四五六七八九十百几]"
# Behind a holiday, what somebody does in it: 五一去了趟西藏, and not 五一快到了.
_DOING = (
    "(?:[我就也都又还要没只]|刚|一直|打算|准备|计划)*(?:去|回|带|陪|跟(?!着)|和|在家|加班|值班|出[去差门国]"
    "|自驾|飞|坐|开车|跑|爬|看|办|结婚|领了?证|订婚|搬|忙)"
)
TIME = (
    rf"(?:(?:今年|去年|明年|后年|前年)的?(?:春天|夏天|秋天|冬天|春季|夏季|秋季|冬季)|{_WORDS['times']}"
    rf"|(?:正月|腊月)(?:初|十|廿|二十)?[一二三四五六七八九十]{{0,2}}"
    rf"|(?:上上|上|这|本|下下|下)个?(?:周|星期|礼拜|月|学期|季度)(?:[一二三四五六日天末底初]|中旬|上旬"
    rf"|下旬)?|(?:每|隔)?个?(?:周|星期|礼拜)[一二三四五六日天末](?:[到至和、]周?[一二三四五六日天末])*"
    rf"|每(?:隔)?(?:{_NUMERAL}*个?)(?:天|周|星期|月|年|晚|早|次)"
    rf"|(?:[12][0-9]{{3}}年|今年|去年|明年|后年|前年)?(?:{_NUMERAL}{{1,3}}月份?(?:底|初|中旬|上旬"
    rf"|下旬)?)?(?:{_NUMERAL}{{1,3}}[号日])|(?:[12][0-9]{{3}}年|今年|去年|明年|后年"
    rf"|前年)的?(?:{_NUMERAL}{{1,3}}月份?(?:底|初|中旬|上旬|下旬)?|年底|年初|春天|夏天|秋天|冬天|上半年"
    rf"|下半年)?"
    rf"|(?:五一|国庆|春节|过年|元旦|中秋|端午|清明|元宵|[暑寒]假|新学期)(?:节|黄金周|长假|假期|期间"
    rf"|那几?天|的时候|开始|起|以?后)?(?={_DOING})|{_NUMERAL}{{1,3}}月份?(?:底|初|中旬|上旬|下旬)?"
    rf"|{_NUMERAL}{{1,3}}(?:天|周|个?星期|个?月|年|个?小时|分钟)(?:多)?(?:之?前|以前|之?后|以后)"
    rf"|{_NUMERAL}{{1,3}}(?:点|时)(?:半|{_NUMERAL}{{1,3}}分?)?|{TIME_OF_DAY})"
)
ADVERB = f"(?:{_WORDS['adverbs']}|老(?![{SURNAMES}爸妈公婆家师板乡]))"
FIRST_PERSON = _WORDS["first_person"]
THIRD_PERSON = _WORDS["third_person"]
