"""How a Chinese clause is meant: as a fact, a plan, a wish, a condition, what others say, irony, or the end of a
state."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.engine.local.propositions import Mood

_CONDITION = re.compile(
    "^(?:[^，]{0,6}?)(?:如果|要是|假如|假设|倘若|万一|要不是|只要|除非|一旦)|^早(?:知道|晓得)|的话$|的话，"
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
_PLAN = re.compile(
    r"""
    打算 | 琢磨 | 考虑着 | 寻思 | 计划 | 准备(?!好) | 预计 | 预定 | 定于 | 决定 | 目标 | 将(?!军) | 即将
    | 马上要 | 快要 | 就要 | 要去
    | 要(?=考|搬|换|买|办|参加|出|做|回|来|结|带|开|交|面试|上|飞|见|学|生|跑|拍|送|去|陪|接|把|在)
    | 会(?=去|来|回|在|搬|办|参加|换) | 报名 | 预约 | 约了 | 订了 | 预订
    """,
    re.VERBOSE,
)
_WISH = re.compile("(?<!不)(?<!没)想(?!起|到|念|法|不|象|清|通|了)|希望|盼|但愿|梦想|向往|愿望|巴不得|渴望")
ENDED = re.compile(
    r"""
    戒(?:了|掉|烟|酒|糖|奶茶|咖啡) | 不再 | 再也不 | 再也没 | 辞(?:职|了|掉|去) | 离(?:职|婚|了)
    | 裁(?:了|员|掉) | 被开除 | 卖(?:了|掉|给) | 去世 | 过世 | 离世 | 病逝 | 走了(?=$|，) | 搬(?:走|离|出)
    | 分(?:手|了) | 退(?:了|租|休|学|掉|群|役|出|赛) | 停(?:了|掉|药|用) | 注销 | 取消
    | 不(?:[一-龥]{1,4})了$ | 没(?:再|有?在) | 毕业 | 结束 | 关(?:了|店|门|掉) | 倒闭 | 丢了 | 坏了 | 到期
    """,
    re.VERBOSE,
)
_PRAISE = re.compile(
    r"""
    (?:我)?(?:可真|可太|真是|简直|实在|真的?|太|好|超|可|多么?|非常|那叫一个|别提多)(?:是|的)?
    (?:太|真|超)?(?:
        爱 | 喜欢 | 喜爱 | 享受 | 感谢 | 感动 | 谢谢 | 感激 | 幸运 | 幸福 | 开心 | 高兴 | 快乐 | 荣幸
        | 贴心 | 棒 | 妙 | 好(?:啊|呀|呢|极|，|了|$|棒) | 完美 | 美好 | 优秀 | 聪明 | 会 | 行(?:啊|$|，)
        | 厉害 | 体贴 | 佩服 | 羡慕 | 省心 | 惊喜 | 有(?:爱|意思|才) | 舒服 | 舒坦 | 刺激 | 值 | 靠谱
        | 专业 | 划算 | 人性化
    )
    | (?:真|可真|太)(?:好|棒|行|妙|贴心|会|香) | (?:谢谢|感谢|多谢|恭喜)(?!你|您|大家)[^，]{1,12} | 好极了
    | 妙极了 | 求之不得 | 谢天谢地 | 三生有幸 | 真有你的 | 给跪 | 赢麻 | 都省了 | 梦想成真 | 可真是
    | 最享受的 | 感谢[^，你您]{2,12}$ | 谢谢[^，你您]{2,12}$
    """,
    re.VERBOSE,
)
_BOTHER = re.compile(
    "又(?=[^，]{0,12}(?:了|到|个|次|被|把|要|改|坏|是|在|一))|坏了|加班|堵(?:车|了|在)|迟到|晚点|延误"
    "|涨价|涨了?租?|取消|停(?:电|水|了|运)|罚|丢了|摔|漏|吵|骂|扣|拖|崩|死机|卡(?:死|住|了)|凌晨|半夜"
    "|第[一二两三四五六七八九十百\\d]+[次遍版个天]|被[^，]{1,10}(?:了|着)"
    "|一[个只条张本节次页天句顿口件]?[也都]?没[一-龥]|没(?:收到|人|电|网|水|带|了|赶|睡|发)|装修|噪音"
    "|排(?:了|队)|淋|裂|碎|通宵|改(?:了|需求|到)|退回|驳回|返工|跑了|白(?:跑|等|做|干|忙|写)|推迟|蚊子"
    "|漏水|六十秒|放鸽子|不(?:回|理|来|发|给|涨|报销)|周末(?:还|又|要)|才(?:发|到|给|回)|黄了|泡汤"
    "|打折(?=了)|挂科|忘了|抢|骗|丢|误|赔|漏|差评|爬(?:了)?[一二三四五六七八九十\\d]+楼"
)
_SNEER = re.compile(
    "呵呵|真行啊|可真行|我谢谢|我真是谢|真有你的|好一个|好家伙|厉害了|真会挑|可真会|太会了|了不起|求之不得"
)


def is_praise(clause: str) -> bool:
    """Whether a clause praises or thanks."""
    return bool(_PRAISE.search(clause) or _SNEER.search(clause))


def is_bother(clause: str) -> bool:
    """Whether a clause tells of something that nobody likes."""
    return bool(_BOTHER.search(clause))


def find_ironic_clauses(clauses: Sequence[str]) -> range:
    """Where praise or thanks stand for what nobody likes, with what they are about; an empty range where nowhere.

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
    "^(?:[^，]{0,6}?)(?:如果|要是|假如|假设|倘若|万一|要不是|除非|一旦)(?!没记错|没弄错|我没记错)|的话$"
)
# Behind a condition in its own clause: 下雨就不去.
_FOLLOWS = re.compile("就|便(?!宜)|则|会(?!议|员|计)")


def is_supposed(clause: str) -> bool:
    """Whether a clause is only a case that may come."""
    return bool(_SUPPOSED.search(clause))


def only_supposes(clauses: Sequence[str]) -> bool:
    """Whether nothing is said to follow from the cases that the clauses suppose."""
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
    """Whether somebody goes without something for a day, as the clause or the one before it says: 今天胃疼，
    不吃辣了."""
    text = f"{before}，{clause}"
    is_once = _GIVES_UP.search(clause) is not None and _ONE_DAY.search(text) is not None
    return is_once and _FOR_GOOD.search(text) is None
