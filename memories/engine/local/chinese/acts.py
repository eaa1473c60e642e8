"""What a clause does: it states, asks, requests, orders, thanks, or only opens what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import tag_words
from memories.text.clauses.small_talk import is_courtesy
from memories.text.slots.claim import Claim
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_OPENER = re.compile(
    rf"""
    ^(?:
        (?:{_WORDS["openers"]})[，,、：: ]*
        | (?:{_WORDS["openers_before_comma"]})[，,：:]+
    )(?=\S)
    """,
    re.VERBOSE,
)
_TAG = re.compile("(?<=[一-龥])(?:你晓得吧|你知道吧|你懂吧|你懂的|你知道的|晓得吧|知道吧|懂吧|对吧|是吧)$")
# 啦 and 咯 are 了 with a tone of voice.
_FINAL = re.compile("(?<=[^了])[啦咯喽]$")
# 去日本两个礼拜啦, 我没结婚啦: the tone of voice alone, where nothing has come about.
_TONE = re.compile(
    "(?:(?:要|会|想|可以|应该)(?!不)[^，]*[一两二三四五六七八九十几\\d](?:个?[一-龥]{1,2})|(?<!再也)没有?[^，]*|不是[^，]*|还好|还行|还可以"
    "|(?<!终于)(?<!总算)(?<!已经)(?<!又)是[^，]*[一-龥])啦$"
)
_PARTICLE = re.compile("(?:[啊呢哦噢喔啦嘛哈呀哟诶耶呗咯喽]|的说|来着|而已|罢了)+$")
_UNSURE = re.compile("(?<=[一-龥0-9])吧$")
# What asks to have something kept, without saying what.
_KEEP = re.compile(
    rf"""
    ^(?:请|你|您|帮我|帮忙|麻烦|先|也|都|一定|务必|可以|能)*(?:要|得)?
    (?:{_WORDS["keeping"]})(?:一下|下来?|住|着|上|好|就行|即可|这个|这点|这些|它)*
    (?:吧|哈|哦|啊|了|啦|吗|好吗)?$
    | ^(?:可|千万|你)*别忘(?:了|记)?$
    | ^(?:{_WORDS["closings"]})$
    | ^(?:请|你|帮我|麻烦)*(?:记住|记好|记得|牢记|记一下)?(?:
          我(?:刚才|刚刚|上面|前面)?(?:说|讲|发|写)的(?:话|内容|这些|东西)? | 这些?话? | 以上(?:内容)?
      )$
    """,
    re.VERBOSE,
)
_KEEP_HEAD = re.compile(
    r"""
    ^(?:请|你|您|帮我|帮忙|麻烦|先|再|还|另外|也|都|一定|务必)*(?:帮我)?
    (?:(?:记|存|记录|备注|保存)(?:一下|下)|记住|记着|牢记)(?:[，,：: ]+|(?=我|咱|俺))
    """,
    re.VERBOSE,
)
# 哪种药都行, 谁来取都行: whichever it is, nothing is asked.
_ANY = "[一-龥]{0,8}?[都也]"
_QUESTION_WORD = re.compile(
    rf"什么(?!的|{_ANY})|怎么(?!说呢|{_ANY})|怎样(?!{_ANY})|如何(?!{_ANY})|为什么|为何|为啥"
    rf"|咋(?!{_ANY})|哪(?!怕|知|天|{_ANY})|谁(?!知|{_ANY})|多少(?!有|带|会|还|{_ANY})|多久(?!{_ANY})"
    rf"|多大(?!{_ANY})|几点(?!{_ANY})|(?<![好十这那跟和同与带找叫约请前后第])几个|有没有|是不是|能不能"
    rf"|可不可以|会不会|要不要|好不好|行不行|该不该|是否|啥(?!的|{_ANY})|难道|究竟"
)
_NO_QUESTION = re.compile(
    rf"""
    {_WORDS["unasked"]}
    # 没吃什么药, 不认识几个人: little or none.
    | (?<!有)(?:没有?|不(?:认识|会|懂|剩|缺|用|爱))[一-龥]{{0,4}}?(?:什么|啥|谁|哪|几|多少)
    """,
    re.VERBOSE,
)
_QUESTION_END = re.compile("(?:吗|么)$(?<!什么)(?<!怎么)(?<!那么)(?<!这么)")
_REQUEST = re.compile(
    rf"""
    ^(?:
        再(?:{_WORDS["repeated"]})
        | (?:{_WORDS["before_request"]})*(?:你|您)?(?:
              {_WORDS["requests"]}
              | 帮(?:{_WORDS["after_help"]})
              | 给我(?:{_WORDS["after_for_me"]})
              | 你(?:{_WORDS["after_you"]})
              | 陪我(?!的?(?:{lexis.KIN}))
              | (?:怎么|如何|哪(?!怕)|什么(?!的)|谁)(?!{_ANY})
          )
    )
    """,
    re.VERBOSE,
)
_FOR_SOMEBODY = re.compile(
    r"""
    ^(?:给|为|替)(?:我|咱)(?!们)[^，]{2,16}?(?:
        推荐 | 写 | 做 | 列 | 挑 | 选 | 找 | 起个 | 设计 | 规划 | 安排 | 准备 | 拟 | 订 | 讲 | 编
    )(?![了过的])
    """,
    re.VERBOSE,
)
# 咱们聊英语吧: what the assistant is to do with the user, and nothing that was done.
_LET_US = re.compile(
    r"""
    ^咱们?(?:一起|来|就|现在|先|今天|接着|继续)*(?:
        聊 | 谈 | 讨论 | 说说 | 讲讲 | 玩(?!具) | 练(?!车) | 学(?![校院员生期习]) | 试 | 看看
        | 换(?:个|一) | 复习 | 过一遍
    )[^，了过得的]{0,8}$
    """,
    re.VERBOSE,
)
_NOT_REQUEST = re.compile("^你(?:推荐|上次|之前|说|给)的")
_STANDING = re.compile(_WORDS["standing"])
_ABOUT_ANSWERS = re.compile(_WORDS["about_answers"])
_IMPERATIVE = re.compile(_WORDS["imperatives"])
_STYLE = re.compile(
    rf"""
    ^(?:{_WORDS["before_style"]})*(?:
        (?:用|使用|写|发)(?:简体|繁体)字?(?:来|就)?(?:[写回说发]|$)
        | (?:用|使用|说|讲)(?:简体|繁体)?(?:{_WORDS["languages"]})(?:来)?
          (?:回|答|跟|和|说|讲|写|交流|沟通|解释|吧|就|$)
        | (?:{_WORDS["answers"]})[^，]{{0,12}}?(?:{_WORDS["manners"]})
        | (?:别|不要|不许|不用|甭|少)(?:{_WORDS["before_unwanted"]})*[^，]{{0,8}}?(?:{_WORDS["unwanted"]})
        | (?:别|不要|不许|不用|甭)(?:再|老|总)*(?:{_WORDS["refused_acts"]})
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CALL_ME = re.compile(
    "^(?:请|你|您|可以|以后|就|都|大家|直接|叫我的时候|平时|还是|那|也)*(?:叫|喊|称呼)我(?:为|作"
    "|做)?[“「\"']?(?P<name>[\\w·]{1,8}?)[”」\"']?(?:吧|就好|就行|即可|就可以|好了|就成)*了?$"
)
_STRONGLY_ABOUT = re.compile(
    "回答|回复|答复|跟我说话|给我(?:推荐|讲|列|写|规划|安排|建议)|推荐|提醒我|翻译|总结|解释|叫我|称呼"
)
_REFUSED = re.compile(
    r"""
    ^(?:也|都|千万|请|你|那么?|就|可|所以|因此)*(?:别|不要|不许|不准)(?!
        的 | 人 | 墅 | 紧 | 忘 | 担心 | 客气 | 急 | 误会 | 说了 | 提了 | 再说 | 太 | 管 | 笑 | 怪 | 看我
        | 误 | 骂
    )[^，]{2,}
    """,
    re.VERBOSE,
)
# 十点前别安排事情, 五十块以上的别推荐: a bound, and what only an assistant does for somebody.
_REFUSED_WITHIN = re.compile(
    r"""
    ^(?P<bound>[^，我他她它别说让]{1,14}?)(?:别|不要|不许|不准)(?:再|总|老|给我们?|帮我们?)?(?:
        安排 | 订 | 约(?!会) | 推荐 | 打电话 | 打扰 | 叫我 | 发(?!呆|火) | 提醒 | 选 | 排 | 买 | 用
        | 放(?!弃|松) | 联系 | 催 | 通知 | 回复 | 建议
    )
    """,
    re.VERBOSE,
)
_BOUND = re.compile(rf"(?:前|后|以上|以下|以内|里|上|时候?|的|{lexis.TIME}|绝对|永远|千万|一律)$")
_AT_HAND = re.compile("(?:那个|这个|这些|那些|那条|这条|它|现在|今天)$")
_OCCASION = re.compile("(?:的时候|(?<!小)时|之前|之后|前|后)$")
_AT_WORK = re.compile(
    r"""
    ^(?:我(?:跟|和|问|让|叫)你[^，]{0,12}|帮我|给我|你|以后|每次){0,4}(?:
        问 | 写 | 推荐 | 回答 | 回复 | 翻译 | 规划 | 安排 | 订 | 列 | 查 | 算 | 总结 | 解释 | 提醒 | 说
        | 聊 | 给 | 做
    )?[^，是在]{0,12}(?:的时候|(?<!小)时)$
    """,
    re.VERBOSE,
)
_AT_WORK_WHOLE = re.compile(
    r"""
    ^(?:帮我|给我|你|以后|每次)*(?:问|写|推荐|回答|回复|翻译|规划|安排|订|列|查|算|总结|解释|提醒)
    [^，是在我他她]{0,12}(?:的时候|时)(?:请|都|先|要|不要|别|用|避开|优先|尽量|只|按|少|多|直接)[^，]+$
    """,
    re.VERBOSE,
)
_EXPECT = re.compile("^(?:我|咱)?(?:都|还|也)?(?:希望|想让|想要|要求|要|需要)(?:你|您|助手)(?!的)")


def strip_openers(clause: str) -> str:
    """Without fillers at both ends, but never without all of the clause."""
    clause = clause.strip(" ，,、：:“”" if clause.count("“") != clause.count("”") else " ，,、")
    while (shorter := _OPENER.sub("", clause, count=1)) != clause:
        clause = shorter
    clause = clause[:-1] if _TONE.search(clause) else _FINAL.sub("了", clause)
    bare = _UNSURE.sub("", _PARTICLE.sub("", _TAG.sub("", clause)))
    bare = re.sub("^(?:但是?|不过|然后|而且|所以)(?=(?:那个|这个|就是|怎么说)$)", "", bare)
    return bare.strip() or clause


def is_opener(clause: str) -> bool:
    """Return whether nothing is left of the clause without its fillers."""
    if clause in ("那个", "这个", "就是", "然后", "不过", "但是", "而且", "所以"):
        return True
    return bool(_OPENER.match(f"{clause}，一")) and not _OPENER.sub("", f"{clause}，一", count=1).strip(
        "，一"
    )


def asks_to_keep(clause: str) -> bool:
    return bool(_KEEP.match(clause))


def remove_order_to_keep(clause: str) -> str:
    """Return what is to be remembered, without the order to remember it."""
    return _KEEP_HEAD.sub("", clause, count=1) or clause


def keep_statements(clauses: Sequence[str]) -> list[str]:
    """Without fillers, thanks and orders to keep what is said."""
    kept: list[str] = []
    for clause in clauses:
        bare = strip_openers(remove_order_to_keep(strip_openers(clause)))
        if kept and _CONTRASTS.match(clause) and _NOT_IN_EARNEST.search(kept[-1]):
            bare = clause  # 我说八千，其实一万二
        if not bare or is_opener(bare) or asks_to_keep(bare) or is_courtesy_clause(bare):
            continue
        if _WOULD_HAVE.match(bare):
            continue
        if kept and _SUPPOSED.match(kept[-1]) and _LONG_AGO.match(bare):
            kept.pop()
            continue
        # 现在嘛，每个月六千五: a time of its own belongs to what follows.
        if kept and _BARE_TIME.fullmatch(kept[-1]) and not is_standing_order(bare):
            bare = f"{kept.pop()}{bare}"
        kept.append(bare)
    return kept


_CONTRASTS = re.compile("其实(?!我?[也还]?(?:觉得|想))|实际上?")
_NOT_IN_EARNEST = re.compile("[说骗吹称]|以为|表面|看着|看起来|看上去|号称")
# 要是有钱早就不干了: what is not so, beside which the user says what is.
_LONG_AGO = re.compile("(?:那)?我?(?:们)?早就?[^，]{2,16}$")
_SUPPOSED = re.compile("我?(?:们)?(?:要是|如果|假如|但凡)[^，]{1,16}$")
_WOULD_HAVE = re.compile("我?(?:们)?(?:要是|如果|假如|但凡)[^，]{1,12}?早就?[^，]{2,16}了$")
_FROM_NOW = re.compile("从(?:现在|今天|今|这次)(?:起|开始|往?后|以后)|以后|今后|往后")
_BARE_TIME = re.compile(
    f"{_FROM_NOW.pattern}|现在|目前|如今|眼下|以前|之前|从前|后来|最近|近来|平时|平常|当时|那时候?"
)


def is_courtesy_clause(clause: str) -> bool:
    return is_courtesy(clause) or bool(re.fullmatch("(?:谢|感谢|多谢|拜托|辛苦|麻烦)[^，]{0,6}", clause))


# 哪儿有活去哪儿, 有什么吃什么: any, and no question.
_WHATEVER = re.compile("(哪里|哪儿|哪|什么|啥|谁|怎么)(?![^，]*吗)[^，？?]{1,8}?\\1(?![^，]{3})")


def is_question(clause: str) -> bool:
    if _QUESTION_END.search(clause):
        return True
    is_asked = bool(_QUESTION_WORD.search(clause)) and not _NO_QUESTION.search(clause)
    return is_asked and not _WHATEVER.search(clause)


def is_request(clause: str) -> bool:
    if _REFUSED.match(clause) and _AT_HAND.search(clause):
        return True
    if _WHATEVER.match(clause):
        return False
    is_asked = _REQUEST.match(clause) or _FOR_SOMEBODY.match(clause) or _LET_US.match(clause)
    return bool(is_asked) and not _NOT_REQUEST.match(clause)


def opens_occasion(clause: str) -> bool:
    """As in 写邮件的时候: what follows holds then."""
    return bool(_OCCASION.search(clause))


def name_wished(clause: str) -> str:
    """Return how the user wants to be called."""
    match = _CALL_ME.match(clause)
    return match["name"] if match else ""


def claim_name(name: str) -> Claim:
    return Claim(f"我希望被称呼为{name}", "style:name", "称呼", "用户直接说明了希望被怎样称呼。")


# Said in English between Chinese clauses.
_ENGLISH = re.compile(r"(?:I|I'm|My|We)\b[^\u4e00-\u9fff]*$")


def is_english(clause: str) -> bool:
    return bool(_ENGLISH.match(clause))


_USER_DOES = re.compile(
    rf"^(?:{_STANDING.pattern})?(?:我们?(?!希望|想让|要求|要你)|咱|{lexis.KIN}|他|她)(?!的回答)"
)


def is_standing_order(clause: str) -> bool:
    """Return whether the clause tells the assistant what always to do: it is about answers, or names no doer but the
    assistant."""
    if _EXPECT.match(clause):
        return bool(_STANDING.search(clause) or _STYLE.match(clause)) or bool(
            re.search("(?:回答|回复|说话|语气|称呼)", clause)
        )
    if _USER_DOES.match(clause):
        return False
    if _STYLE.match(clause) or _AT_WORK_WHOLE.match(clause):
        return not re.search("回答(?:下面|这个|以下|我的问题|一下)", clause)
    if re.match("(?:往后|以后|今后|从现在起)[^，我]{0,8}(?:一律|统一|都)(?:用|按|以|写|标|换)", clause):
        return True
    if (within := _REFUSED_WITHIN.match(clause)) and _BOUND.search(within["bound"]):
        return True
    if (_REFUSED.match(clause) and not _refuses_thing(clause) and not _AT_HAND.search(clause)) or (
        _STANDING.search(clause) and _STRONGLY_ABOUT.search(clause)
    ):
        return True
    if not _STANDING.search(clause) or re.search("总是(?=[失睡头])", clause):
        return False
    return bool(_ABOUT_ANSWERS.search(clause) and _IMPERATIVE.search(clause)) and bool(
        re.search(
            "别(?!的|人)|不要|不用|不许|请|你|您|回答|回复|推荐|给我|跟我|帮我|叫我|提醒我|问我|写|列"
            "|翻译|总结|解释|规划|用中文|用英文|称呼|建议",
            clause,
        )
    )


def _refuses_thing(clause: str) -> bool:
    """As in 不要一楼: what the user does not want to have, and nothing that the assistant is to leave."""
    match = re.match("^(?:也|都|千万|那|就)*不要(?P<thing>.+)$", clause)
    word = next(iter(tag_words(match["thing"])), None) if match else None
    return word is not None and word.tag[:1] in ("m", "n", "q", "t", "s", "f")


def find_occasion_before(clauses: Sequence[str], at: int) -> list[str]:
    """As in 写邮件的时候，语气正式一点: the clause before an order that says when it holds."""
    if not 0 < at < len(clauses):
        return []
    before, clause = clauses[at - 1], clauses[at]
    if _AT_WORK.match(before) and continues_order(clause):
        return [before]
    if _FROM_NOW.fullmatch(before) and is_standing_order(clause):
        return [before]
    return [before] if opens_occasion(before) and is_standing_order(clause) else []


def is_about_answers(header: str) -> bool:
    """Return whether the words above a list say that it holds what the assistant is to do."""
    return bool(
        re.search("要求|规则|习惯|请你|希望你|注意", header) and re.search("回答|回复|推荐|你|助手", header)
    )


def continues_order(clause: str) -> bool:
    """Return whether a clause behind an order belongs to it: it has no doer of its own."""
    return not re.match(rf"^(?:我|咱|俺|他|她|它|{lexis.KIN})", clause)


def order_text(clauses: list[str]) -> str:
    """The order in the first person, as what the user wants of the assistant."""
    kept = []
    for at, clause in enumerate(clauses):
        bare = re.sub("^(?:请|麻烦|拜托|对了|那么?|嗯|所以|因此)+", "", clause)
        bare = _EXPECT.sub("", bare) if at == 0 else re.sub("^(?:你|您|请)+", "", bare)
        bare = re.sub(
            "^(?:你|您)(?=可别|可不|千万|也别|就别|先别|给我|跟我|帮我|多|少|以后|今后|每次|回答|说话"
            "|下次|别|不要|用|尽量|能不能|可以)",
            "",
            bare,
        )
        bare = re.sub("^(?:能不能|能否|可不可以|可以|能)(?=用|别|不|少|多|简|直|先|都|说)", "", bare)
        bare = re.sub("^(以后|今后|往后|下次|每次)(?:请)?[你您](?!的)", r"\1", bare)
        kept.append(bare.strip("，"))
    return "我希望助手" + "，".join(part for part in kept if part)
