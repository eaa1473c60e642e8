"""Chinese clauses whose parts people say in another order than they write them: 喜欢吃烧烤我, 后悔了有点,
今年高考，我儿子.

The part said last is put where the readers expect it; what is doubtful stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.engine.local.chinese.acts import strip_openers
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.heads import HeadKind, read_head
from memories.engine.local.chinese.parsing.tagging import tag_words
from memories.engine.local.chinese.referents import Referents

_LONGEST = 24
# What somebody likes or fears, with 我 behind it; 最讨厌别人催我 ends in the one who is urged.
_MINDS = re.compile(
    r"""
    (?:真的?|最|特别|特|贼|超级?|老|可|巨|太|好|挺|就|从小|一直|其实|不太|也|都|蛮|很|是){0,4}不?(?:
        喜欢 | 爱(?!人|好|心|情) | 讨厌 | 害怕 | 怕 | 受不了 | 吃不惯 | 吃不了 | 喝不了
    )
    """,
    re.VERBOSE,
)
_OTHERS = re.compile("[我咱你您他她它们谁]|自己|别人|人家|大家|是$")
_NAMED_LAST = ("n", "nz", "ns", "a", "an", "vn", "v")
_OF_OBJECT = re.compile("[催管问说骂打叫烦盯找看带陪缠碰惹凶笑理]|离开|丢下|[跟和对给让比替把被]$")
# 搬到大理了已经: of these nothing comes behind 了 but what was forgotten before it.
_ADVERB_LAST = re.compile(
    f"^(?P<who>(?:我们?|咱们?)?的?(?:{lexis.KIN})|我们?|咱们?|俺)?(?P<said>[^，了]{{1,16}}了)"
    f"(?P<adverb>已经|有点儿?|好像|可能|估计|大概|应该|终于)$"
)
# Whom it is about, said last: 今年高考，我儿子.
_PERSON_LAST = re.compile(
    rf"(?:我们?|咱们?|俺)(?:的|家的?)?(?:[大小老二三](?=女儿|儿子|闺女|孙|姨|姑|舅|叔))?(?:{lexis.KIN}|{lexis.PETS})"
)
_NO_SUBJECT_BEFORE = re.compile(f"[我咱俺你您他她它谁]|{lexis.KIN}")
# What only the user can say of themselves, or what is said of the person who is named next.
_GOES_ON = re.compile("[不没也都就还很太特更最挺要想能会是在有]|倒|反而|却")
_HAS_VERB = ("v", "a")
_GOES_ON_OF = re.compile("(?!还有)[不没也还做要想能会是在有去来上住说动得被把给](?![，、])")
_ONLY_WHEN = re.compile(lexis.TIME)
_PERSON_FIRST = re.compile(f"(?:我们?|咱们?|俺)(?:{lexis.KIN})[^，]{{2}}")


# 我健身教练, 我O型血: what the user is, said without a verb. 我高中老师 is more likely theirs, and so is 我医生.
_IS_WHAT = re.compile(
    "我(?P<modifier>(?!以前|之前|孩子|家|们|的|自己|这|那|[大小老二三]?(?:爸|妈|哥|姐|弟|妹|爷|奶|叔|姨|舅|姑))[^，。的了过是我]{0,8}?)(?P<noun>"
    "程序员|工程师|设计师|会计师?|厨师|幼师|教师|护士|律师|司机|教练|医生|码农|公务员|白领|自由职业者?|保安|主播|博主|农民|工人|军人"
    "|警察|编辑|记者|产品经理|销售|客服|学生|研究生|博士生?|宝妈|型血|[狮羊牛蝎瓶鱼手秤]座|双子座|巨蟹座|处女座|[江河湖海山广四云贵福安陕甘台辽吉黑南北][一-龥]{0,2}人|[本外]地人"
    "|[0-9]{2}后)"
)
# Verbs that say what kind of one.
_WHAT_KIND = "健身|退役|在读|[兼全]职|实习|退休|应届"
_OF_USER = re.compile(f"(?:{lexis.PEOPLE})$")
_SCHOOLS = re.compile("小学|初中|高中|大学|中学|学校|孩子")
# 我健身教练，姓王: theirs.
_IS_OF_ANOTHER = re.compile("姓|叫|人(?:很|不|挺|特)|说|[他她]")


def _say_what_user_is(clauses: Sequence[str]) -> list[str]:
    """The clauses with the verb of being that the first one leaves out."""
    match = _IS_WHAT.fullmatch(clauses[0]) if clauses else None
    if match is None or (len(clauses) > 1 and _IS_OF_ANOTHER.match(clauses[1])):
        return list(clauses)
    is_theirs = _OF_USER.search(match["noun"]) and (
        not match["modifier"] or _SCHOOLS.search(match["modifier"])
    )
    kind = re.sub(_WHAT_KIND, "", match["modifier"])
    is_done = any(word.tag[:1] in ("v", "u", "p", "d", "r") for word in tag_words(kind))  # 我带学生
    return list(clauses) if is_theirs or is_done else [f"我是{clauses[0][1:]}", *clauses[1:]]


def put_in_order(clauses: Sequence[str]) -> list[str]:
    """The clauses of a sentence with what was said last in each put before what it belongs to."""
    ordered: list[str] = []
    clauses = _say_what_user_is(clauses)
    for at, clause in enumerate(clauses):
        if ordered and _PERSON_LAST.fullmatch(ordered[-1]) and _GOES_ON_OF.match(clause):
            ordered[-1] += clause  # 我妈，做手术
        elif ordered and _is_said_of_next(ordered[-1], clause, clauses[at + 1 : at + 2]):
            ordered[-1] = clause + ordered[-1]
        else:
            ordered.append(_put_thing_last(_put_user_first(_put_adverb_first(clause))))
    when = ordered[0] if len(ordered) > 1 and len(ordered[0]) <= _LONGEST else ""
    if _ONLY_WHEN.fullmatch(when) and _PERSON_FIRST.match(ordered[1]):
        ordered[:2] = [when + ordered[1]]  # 明天，我妈做手术
    return ordered


def _put_user_first(clause: str) -> str:
    rest = clause[:-1]
    if not clause.endswith("我") or len(clause) > _LONGEST or _OTHERS.search(rest):
        return clause
    minds = _MINDS.match(rest)
    thing = rest[minds.end() :] if minds else ""
    words = tag_words(thing)
    last = words[-1] if words else None
    # 怕 of 爱吃辣的都怕我 is a verb that has 我 for its object; 烧烤 is a dish.
    is_named = last is not None and last.tag in _NAMED_LAST and (last.tag != "v" or len(last.text) > 1)
    is_thing = is_named and not _OF_OBJECT.search(thing)
    return f"我{rest}" if is_thing else clause


def _put_adverb_first(clause: str) -> str:
    match = _ADVERB_LAST.match(strip_openers(clause)) if len(clause) <= _LONGEST else None
    if match is None or not _is_done(match["said"]):
        return clause
    return f"{match['who'] or ''}{match['adverb']}{match['said']}"


# 鸡肉味的它不吃: what an animal or somebody does not eat, said first.
_THING_FIRST = re.compile(
    "(?P<thing>[^，我你您他她它是了]{0,7}[的粮肉菜饭鱼虾奶果蛋面豆糖药草料])(?P<who>[他她它])"
    "(?P<does>(?:也|都|就|倒是?|从来|一口|一点|根本)*(?:不|没)?(?:爱|喜欢|肯|敢|能)?"
    "(?:吃|喝|碰|穿|要|玩|用))(?P<done>[过了]?)"
)


def _put_thing_last(clause: str) -> str:
    match = _THING_FIRST.fullmatch(clause)
    return f"{match['who']}{match['does']}{match['done']}{match['thing']}" if match else clause


def _is_said_of_next(before: str, clause: str, behind: Sequence[str]) -> bool:
    """Return whether a clause that names nobody is about the person that the next one only names."""
    if len(before) > _LONGEST or not _PERSON_LAST.fullmatch(clause) or _NO_SUBJECT_BEFORE.search(before):
        return False
    # 喜欢吃辣，我老公，不行 goes on about him; 理科 only says more.
    if behind and (_GOES_ON.match(behind[0]) or tag_words(behind[0])[0].tag[:1] in _HAS_VERB):
        return False
    head = read_head(before, Referents())
    return head.kind in (HeadKind.DROPPED, HeadKind.THING) and _is_done(before[head.start :])


def _is_done(words: str) -> bool:
    """Return whether the words begin with what is done: 今年高考, 做手术, and not 明天 or 红烧肉."""
    first = next(iter(tag_words(words)), None)
    if first is None:
        return False
    alone = tag_words(first.text[0])[0]
    return (
        first.tag[:1] in (*_HAS_VERB, "d", "z", "p")
        or alone.tag in ("v", "zg")
        or bool(_DONE.match(first.text))
    )


_DONE = re.compile("[高中会]考|怀孕|[小初]升")
