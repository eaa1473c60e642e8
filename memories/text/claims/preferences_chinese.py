"""Stated preferences in Chinese: 喜欢, 讨厌, 不吃, 对……过敏, 最喜欢的……是……"""

from __future__ import annotations

import re

from memories.text.slots.claim import Claim, build_liking_slot, build_slot
from memories.text.zh.third_person import blank_quotes

_ADVERB_WORDS = (
    """
        从来不 不怎么 再也不 之前 原来 原先 早先 没那么 其实 真的 一直 总是 平时 现在 目前 已经 最近
        比较 非常 特别 有点儿 有点 不太 不大 不再 从不 曾经 以前 过去 尤其 通常 一般 个人 倒是 死都
        死也 打死都 打死也 坚决 绝对 绝 真心 极其 极度 完全 根本 一点都 一点也 实在 确实 天生 早就
        向来 素来 一向 反正 就是 真 巨 贼 老 从来 从 打小 本来 原本 从小 还是 更加 超级 也 都 就 还
        更 最 很 挺 超 蛮 不 只 可 我
    """
).split()
_ADVERBS = f"(?:{'|'.join(_ADVERB_WORDS)}){{0,5}}"
_VERB = (
    "不喜欢|喜欢|不爱|热爱|喜爱|酷爱|(?<![恋热可亲])爱(?!人|好|情|心|乐|尔兰|丁堡|沙尼亚|琴海|因斯坦|迪生"
    "|德华|丽丝|奇艺)|偏爱|偏好|倾向于?|钟爱|享受|讨厌|厌恶|反感|痛恨|恨|受不了|忍受不了|接受不了|忍不了"
    "|无法忍受|看不惯|(?<=[最特别很真超好可])烦(?![恼心躁人死了])|更?偏向于?|改喝|改吃|改用|不太能吃|不太吃"
    "|不大吃|不爱吃|不吃|不能吃|吃不了|不敢吃|不喝|不能喝|喝不了|不碰|忌口|忌|戒了?|避免|拒绝|迷上了?"
    "|爱上了?|沉迷"
)
_LIKES = re.compile(
    rf"^(?P<before>(?:(?:[\u4e00-\u9fff]{{1,8}})?时候?|[\w（）]{{0,12}})?(?:我|我们"
    rf"|本人)?{_ADVERBS})(?P<verb>{_VERB})(?P<thing>(?!了$|的$|你|您|她|他).+)$"
)
_ABOUT = re.compile(
    rf"^(?:我)?{_ADVERBS}对(?P<thing>[^，。]{{1,30}}?)(?:的食物|这类东西"
    rf"|什么的)?(?P<verb>{_ADVERBS}(?:过敏|不?感兴趣|没什么兴趣|没兴趣|没有兴趣|有兴趣|不耐受|反感|着迷"
    rf"|无感))"
)
_TOPIC = re.compile(
    rf"^(?!有[些的]?人|[很好许]多人|大家|别人|人家|没人)(?P<thing>(?:(?!我)"
    rf"[\u4e00-\u9fffA-Za-z]){{1,12}}?)(?:什么的|之类的|那些|这些|这种"
    rf"|类)?，?(?P<verb>(?:我是?)?{_ADVERBS}(?:不太感兴趣|不感兴趣|没什么兴趣|没兴趣|不喜欢|不爱吃"
    rf"|不爱喝|不吃|不喝|不能吃|不能喝|吃不了|吃不惯|喝不惯|受不了|讨厌)|我是?{_ADVERBS}(?:喜欢"
    rf"|爱[吃喝看听]))(?:了)?$"
)
_FAVOURITE = re.compile(
    r"""
    ^(?:我)?(?:现在)?最(?:喜欢|爱|偏好)(?:吃|喝|看|玩|听|去)?的(?P<what>[^是，。]{1,12})(?:就|一直)?是
    (?P<thing>[^，。]{1,40})$
    """,
    re.VERBOSE,
)
_IS_FAVOURITE = re.compile(
    r"^(?P<thing>[^，。是]{1,20})是我最(?:喜欢|爱)(?:吃|喝|看|玩|听|去)?的(?P<what>[^，。]{0,12})$"
)
_DIET = re.compile(
    r"""
    ^(?:我)?(?:是|现在|已经|开始|一直|在|改)*(?:个)?(?P<diet>
        素食主义者 | 素食者 | 纯素 | 吃素 | 吃斋 | 清真 | 乳糖不耐受? | 无麸质 | 减脂餐 | 生酮
    )
    """,
    re.VERBOSE,
)
_ENDS = re.compile(r"[，,。；;！!（(]|因为|所以|了$|了(?=[，。])|的时候|(?<=.)什么的|之类的|但是|不过")
# "太油太辣的" are two things as well.
_AND = re.compile("、|和|或者|或|以及|还有|跟|(?<=[^太])(?=太)")
_VERB_OF_THING = re.compile(
    "^(?:去|在)?(?:吃|喝|看|玩|听|逛|打|做|用|读)(?=.)|^(?:太|过于|特别|非常|很)(?=.)|的(?:东西|食物|菜)?$"
)
_LEADING_VERB = re.compile("^(?:去|在)?(?:吃|喝|看|玩|听|逛|打|做|用|读)(?=.)")
_REFUSING = re.compile("不|烦|讨厌|厌恶|反感|恨|受|忌|戒|避免|拒绝|没|无感")


def find_chinese_preferences(clause: str, sentence: str) -> list[Claim]:
    """The preferences that a clause states: one for each thing, so that each can change on its own."""
    visible = blank_quotes(clause).rstrip("。！!. ~～")
    if len(visible) > 200 or re.match(
        "^(?:我)?(?:的)?(?:他|她|它|我(?:妈|爸|哥|姐|弟|妹|老婆|老公|妻子|丈夫|女儿|儿子|朋友|同事|孩子"
        "|男朋友|女朋友))",
        visible,
    ):
        return []
    for rule in (_read_diet, _read_favourite, _read_opinion, _likes, _read_topic):
        claims = rule(visible)
        if claims:
            return claims
    return []


def _likes(clause: str) -> list[Claim]:
    match = _LIKES.match(clause)
    if not match or _names_another(match["before"]) or _NO_THING.match(match["thing"]):
        return []
    start = match.start("thing")
    cut = _ENDS.search(clause, start + 1)
    rest = clause[cut.start() :] if cut else ""
    rest = "" if rest == "了" else rest
    things = _separate_things(clause[start : len(clause) - len(rest)].removesuffix("了"))
    subject = "" if "我" in match["before"] else "我"
    return [
        _build_claim(subject + clause[:start] + thing + rest, thing, match["before"] + match["verb"])
        for thing in things
    ]


def _names_another(before: str) -> bool:
    """Somebody else may stand before the verb: 小明喜欢, 他们都爱; in 我坐飞机喜欢 it is an occasion."""
    if before.startswith("我") and not _OTHERS.search(before[1:]):
        return False
    rest = re.sub(
        rf"(?:我们?|本人|（[^）]*）|今天|昨天|平时|周末|旅行|旅游|出差|做饭|工作|学习|运动|早上|晚上"
        rf"|夏天|冬天|小时候|吃饭|{'|'.join(_ADVERB_WORDS)}|时候?|的|在|上|里|吃|喝)",
        "",
        before,
    )
    return bool(rest)


# Somebody who skips breakfast has a habit, not a taste.
_MEAL = "(?:早|午|晚|中|夜)?(?:饭|餐|宵)"
# 还挺爱吃: what, the clause before it says.
_NO_THING = re.compile(f"{_MEAL}|(?:去|在)?[吃喝玩看听逛打做用读穿](?:的|了)?$")

# What belongs to one, or goes with one, is somebody else.
_OTHERS = re.compile(
    r"""
    ^(?:们?的|家|这|那) | [他她它们妈爸哥姐弟妹爷奶人] | 老[婆公师板] | 妻子 | 丈夫 | 女儿 | 儿子 | 朋友
    | 同事 | 孩子 | 宝宝 | 狗 | 猫 | 女友 | 男友 | 上司 | 公司
    """,
    re.VERBOSE,
)


def _read_opinion(clause: str) -> list[Claim]:
    match = _ABOUT.match(clause)
    if not match:
        return []
    kind = "allergy" if re.search("过敏|不耐受", match["verb"]) else "likes"
    statement = clause if "我" in clause[: match.start("thing")] else f"我{clause}"
    return [_build_claim(statement, match["thing"], match["verb"], kind)]


def _read_topic(clause: str) -> list[Claim]:
    match = _TOPIC.match(clause)
    if not match or re.match(
        "^(?:我|他|她|这|那|谁)|(?:现在|如今|目前|最近|后来|以前|一直|已经|早就)$", match["thing"]
    ):
        return []
    thing, verb = match["thing"], match["verb"].replace("我", "")
    statement = f"我对{thing}{verb}" if "兴趣" in verb else f"我{verb}{thing}"
    return [_build_claim(statement, thing, verb)]


def _build_claim(statement: str, thing: str, verb: str, kind: str = "likes") -> Claim:
    name = _strip_leading_verb(thing)
    if kind == "allergy":
        gist = "并不会因此过敏：" if re.search("不过敏|没有?过敏", verb) else "不能接受"
    else:
        gist = "不喜欢或回避" if _REFUSING.search(verb) else "曾经喜欢" if _ONCE.search(verb) else "喜欢"
    title = f"{'过敏' if kind == 'allergy' else '偏好'}：{name[:20]}"
    is_rival = bool(_PREFERRING.search(verb))
    slot = build_slot(kind, name) if kind == "allergy" else build_liking_slot(name, is_rival=is_rival)
    return Claim(statement, slot, title, f"用户直接表明自己{gist}{name[:30]}。", thing=name)


_ONCE = re.compile("之前|以前|原来|原先|早先|曾经|过去")
_PREFERRING = re.compile("更喜欢|更爱|偏好|偏爱|偏向|倾向|比较喜欢|改")


def _strip_leading_verb(thing: str) -> str:
    """Without the verb before it, unless the two are one word: 吃辣 is 辣, but 做饭 is not 饭."""
    shorter = _VERB_OF_THING.sub("", thing)
    return shorter if len(shorter) > 1 or thing[:1] in "吃喝太很" else thing


def _separate_things(thing: str) -> list[str]:
    parts = [part for part in _AND.split(thing) if part]
    if not 1 < len(parts) <= 6 or any(len(part) > 8 for part in parts):
        return [thing]
    verb = _LEADING_VERB.match(thing)
    return [part if not verb or _LEADING_VERB.match(part) else verb[0] + part for part in parts]


def _read_favourite(clause: str) -> list[Claim]:
    match = _FAVOURITE.match(clause) or _IS_FAVOURITE.match(clause)
    if not match:
        return []
    what = match["what"] or "事物"
    statement = clause if "我" in clause else f"我{clause}"
    return [
        Claim(
            statement,
            build_slot("favourite", what),
            f"最喜欢的{what}：{match['thing'][:20]}",
            f"用户直接说明了自己最喜欢的{what}。",
        )
    ]


def _read_diet(clause: str) -> list[Claim]:
    match = _DIET.match(clause)
    if not match:
        return []
    statement = clause if "我" in clause else f"我{clause}"
    return [
        Claim(
            statement,
            "diet",
            f"用户饮食：{match['diet']}",
            f"用户直接说明了自己的饮食习惯（{match['diet']}）。",
        )
    ]
