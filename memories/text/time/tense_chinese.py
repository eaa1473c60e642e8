"""The tense of a Chinese clause, which tells on which side of today a date in it lies, and whether it tells a habit."""

from __future__ import annotations

import re
from itertools import pairwise

from memories.text.time.dates import Tense
from memories.text.time.ranges_chinese import MONTH_OF_YEAR
from memories.text.zh.word_classes import tag_words

# What is booked or agreed on lies ahead, although the booking is over: 约了周三的牙医, 抢到了1月的票. A month before
# the booking may be that of the booking: 我9月报了班.
_BOOKED = re.compile(
    r"""
    (?<![固规决一])[定订](?:了|的是)(?![亲婚]) | 约了 | 约好 | 预订 | 预约 | 买[了好的][^，]{0,8}票
    | 报名(?!参加了|[^，]{0,8}(?:截止|开始|结束)) | 报上 | 报(?=了) | 抢到 | 申请到
    """,
    re.VERBOSE,
)
# 会议推迟到周五, 婚礼定在国庆: what follows is the new date.
_SET_TO = re.compile(
    r"""
    (?:推迟|延期|延|改|改期|改约|挪|提前|顺延|推)[到在至] | 改(?=(?:周|星期|礼拜)[一二三四五六日天])
    | [改换][成为](?=[^，]{0,4}[月号日周]) | 改约
    | (?<![固规决一])(?:[定约排订选放]|安排)[在到](?=
          [^，]{0,8}(?:[月号日周]|星期|礼拜|年[底初]|国庆|春节|五一|元旦|中秋|端午|[暑寒]假)
      )(?![^，]{0,14}(?:过了?|完了?|的[面婚会饭]?)(?:$|，))
    """,
    re.VERBOSE,
)
# What happens on a day to come, where neither 了 nor 过 says that it did.
_EVENT = re.compile(
    r"""
    截止 | 到期 | 开学 | 出发 | 举行 | 之前[得必] | 即将 | 等到 | 目标 | 再(?=[说去来看买办做聊谈约定回])
    | 才(?:放假?|[回来去走到开](?!(?:[^，]{0,6}[的了]$)))(?![^，]{0,8}(?:的|了|知道)$)
    """,
    re.VERBOSE,
)
# Also with 了 at the end of the clause: 就要退休了, 8月去不了了.
_STILL_AHEAD = re.compile(
    "[^，]不了了?|[^，]不成了|快到|预产期|就(?:能|可以)|才(?:能|会|有空)(?![^，]{0,8}(?:的|了|知道)$)"
)
_WILL_DO = frozenset(
    "打算 计划 准备 预定 将要 就要 快要 想要 需要 应该 必须 该 要是 不会 会不会 要不要 想不想".split()
)
# As words of their own only: no 演唱会, 重要, 麻将 or 想起来.
_MODALS = frozenset("要会将想")
_PRONOUNS = "我你您他她它咱们谁"
_NOT_AHEAD = frozenset("了 过 起来 起 到 出 通 明白 清楚 好 的 得".split())
# Classes of words that follow a modal: verbs, adverbs, prepositions, adjectives, times, numbers, pronouns, names.
_BEHIND_MODAL = frozenset("vdpatmrnl")
_UNEXPECTED = re.compile("没想到|没料到|没想过")
_PAST = re.compile(
    r"""
    (?<![除为])了(?![解不]) | (?<![不太超])过(?![敏年节生于来期渡分后世度多]) | 是[^，]{0,12}的$
    | (?:周|星期|礼拜)[一二三四五六日天][一-龥]{1,2}的$
    | [年月日号][去来到买学开办考签交拍租搬报领装订看听见玩吃换修种读写卖]的(?!话)
    | (?:出生|去世|毕业|入职|结的婚|生的|买的|来的|搬来|开始的) | 刚 | 已经
    | 才(?:知道|发现|想起|听说|认识|学会|明白|[弄搞]懂|[拿收]到)
    | 没(?:有)?(?:来|去|到|参加|完成|赶上|收到|交|通过|成|见|发|拿|给|批|付|签|考|休)
    """,
    re.VERBOSE,
)
# What was meant and did not come about lies behind, whatever plan it was: 本来打算国庆去，后来没去成.
_WAS_MEANT = re.compile("本来|原来|原本|原先|本想")
_CAME_TO_NOTHING = re.compile(
    "[，,。；;][^。；;]{0,12}(?:后来|结果|最后|最终|可|但)[^。；;]{0,8}(?:没|错过|泡汤|黄了)"
)
# What is done again and again has no date of its own.
_HABIT = re.compile(
    "每(?!个人|位)|逢|一(?:到|进|入|过)了?[^，]{1,6}?(?:[就我他她它]|$)|偶尔|有时|平时|一般(?!般)|通常"
    "|才[^，]{1,6}[一两][次回趟]|经常|常常|总是|习惯|老是|固定|(?:别|不要|不许)(?:再)?(?:给我|帮我|安排|排|约|订|打|叫|找)|现在只"
    "|只有|只(?=(?:周|星期|礼拜)[一二三四五六日天])|[一二两三四五六七八九十\\d](?:周|个?星期|个月"
    "|(?<=一)月(?!份)|年|天)[^，]{0,6}[一二两三四五六七八九十几\\d]+[次回趟遍]"
)
# 后来没去, 没办成: a plan that came to nothing.
_FELL_THROUGH = re.compile(
    "[，,。；;](?:[^。；;]{0,12}(?:后来|结果|最后|最终)[^。；;]{0,8}(?:没|错过|泡汤|黄了|取消)"
    "|(?:但是?|可是?|不过|却)?(?:还是|也|都)?没[^，。；;]{0,3}成(?![为绩年本]))"
)
_CALLED_OFF = re.compile("取消|退了|推迟|延期|改期")
_CLAUSE_END = re.compile("[，,。；;！!？?\n]")


def find_clause(match: re.Match[str]) -> str:
    """The clause that the match stands in, up to 60 characters on either side."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    after = match.string[match.end() : match.end() + 60]
    end = _CLAUSE_END.search(after)
    return _CLAUSE_END.split(before)[-1] + match.group() + (after[: end.start()] if end else after)


def detect_tense(match: re.Match[str]) -> Tense:
    """The tense of the match's own clause, which alone tells on which side of today a date lies."""
    around = find_clause(match)
    at = around.rfind(match.group())
    if (_WAS_MEANT.search(around) and _CAME_TO_NOTHING.match(_find_rest(match))) or (
        (surprise := _UNEXPECTED.search(around)) and at < surprise.start()
    ):
        return Tense.PAST
    if _STILL_AHEAD.search(around):
        return Tense.FUTURE
    if will_do(around):
        return Tense.PAST if _FELL_THROUGH.match(_find_rest(match)) else Tense.FUTURE
    set_to = _SET_TO.search(around)
    if set_to and at >= set_to.end() - 1:
        return Tense.FUTURE
    if match.string.startswith("的", match.end()) and _CALLED_OFF.search(around):
        return Tense.PRESENT  # 周六的课取消了: the lesson that was to come
    if _PRAISES_EVENT.search(around):
        return Tense.PAST
    booked = _BOOKED.search(around)
    if booked and not _CALLED_OFF.search(around):
        return _find_tense_of_booking(match, at >= booked.end())
    if _PAST.search(around) or _was_busy(around, at + len(match.group())):
        is_soon = _EVENT.search(around) and re.search("就[^，]{0,6}了$", around)
        return Tense.PRESENT if is_soon else Tense.PAST
    if _EVENT.search(around):
        return Tense.FUTURE
    is_ahead = _ENDS_ON.search(match.string[: match.start()]) or _PLANNED.search(_find_clause_before(match))
    return Tense.FUTURE if is_ahead else Tense.PRESENT


def will_do(clause: str) -> bool:
    """Return whether a word of its own says that something is to be: 要去, 会来, 打算搬家; not 演唱会, 想起来,
    准备了."""
    if not _MODAL_LETTERS.search(clause):
        return False
    words = [*tag_words(clause), ("", "")]
    for (word, _), (behind, tag) in pairwise(words):
        bare = word.lstrip(_PRONOUNS)
        if bare in _WILL_DO and behind and behind not in _NOT_AHEAD:
            return True
        if bare in _MODALS and behind not in _NOT_AHEAD and tag[:1] in _BEHIND_MODAL and tag:
            return True
    return False


_MODAL_LETTERS = re.compile("[要会将想该]|打算|计划|准备|预定|必须|应该")


def _find_tense_of_booking(match: re.Match[str], is_behind: bool) -> Tense:
    """Of what is booked, where the date stands behind the booking or is its own: 5月的雅思报名了. Before it, a day is
    that of the appointment, and a month the nearest."""
    if is_behind or match.string.startswith("的", match.end()):
        return Tense.FUTURE
    return Tense.PRESENT if "月" in match.group() else Tense.FUTURE


# What was seen, before which it is not known how it was: 6月的演唱会很好看.
_PRAISES_EVENT = re.compile(
    "(?<![^唱览乐晚展舞宴议]会)(?<!能)(?:很|特别|非常|挺|真|超|太|不太|不|没那么|有点儿?|比较)(?:好[看听玩吃喝笑]|难[看听吃喝]|精彩|无聊|感人|过瘾|尽兴"
    "|震撼|失望)|没意思"
)
_AT_IT = frozenset("在 正在 一直在 还在".split())


def _was_busy(clause: str, behind: int) -> bool:
    """Return whether somebody is said to be at something, without a word that it is to come: 3月主要在写论文."""
    words = tag_words(clause[behind:])
    return any(word in _AT_IT and tag == "v" for (word, _), (_, tag) in pairwise(words))


# 我3月约了体检, 2月报名的: the booking itself is done.
_IS_BOOKED = re.compile("[一-龥]*?[了好到上]|(?:报名|预订|预约)[了好到上的]")
_SOON = 2


def is_month_of_booking(match: re.Match[str], months_ahead: int) -> bool:
    """Return whether a month stands before something that is booked, and is too far ahead to be that of what is booked.

    For a month of the next year people say so, but for the first ones behind its beginning.
    """
    clause = find_clause(match)
    booked = _BOOKED.search(clause, clause.rfind(match.group()))
    is_own = match.string.startswith("的", match.end())
    is_done = booked is not None and _IS_BOOKED.match(clause[booked.start() : booked.end() + 1]) is not None
    return is_done and not is_own and months_ahead > _SOON


def is_marked(clause: str) -> bool:
    """Return whether anything in the clause tells on which side of today it lies."""
    marks = (_STILL_AHEAD, _SET_TO, _BOOKED, _PAST, _EVENT)
    return any(mark.search(clause) for mark in marks) or will_do(clause)


# 签证到八月底: what lasts until then. 从三月到五月 gives a beginning too.
_ENDS_ON = re.compile("(?<![从自]|[月日号年])[^，。从自由感想收得直]到$")
# 我打算考二建，五月底考试: the plan that the next clause gives a time of.
_PLANNED = re.compile(
    "打算|计划|准备|想[要去]?(?![你他她它着起过了])|[要将]|会(?!议|员|计)|报了|申请|在学|快"
)


def _find_clause_before(match: re.Match[str]) -> str:
    """The clause before the match's own, in the same sentence."""
    sentence = re.split("[。；;！!？?\n]", match.string[max(0, match.start() - 60) : match.start()])[-1]
    clauses = re.split("[，,]", sentence)
    return clauses[-2] if len(clauses) > 1 else ""


def _find_rest(match: re.Match[str]) -> str:
    """Find what stands behind the match's clause."""
    after = match.string[match.end() : match.end() + 100]
    end = _CLAUSE_END.search(after)
    return after[end.start() :] if end else ""


# 开学以后周三没空, 从十月开始周二上夜校: of every such day from then on. 出院以后周三复查 is one.
_FROM_THEN_ON = re.compile("(?:以后|之后|开始|月起|[天日号]起)(?:的|，)?(?:每个?)?$")
_DONE_ONCE = re.compile("复查|复诊|拆线|[见聚谈聊]|报到|入职|面试|考试|出差|出发|取|拿|打针")


def is_of_every_week(match: re.Match[str]) -> bool:
    """Return whether nothing says of which week a weekday is, and what is done on it is done every week."""
    return is_timetable(match) or is_pastime(match) or _is_from_then_on(match)


def _is_from_then_on(match: re.Match[str]) -> bool:
    """Return whether a weekday without a week stands behind what begins a time."""
    around = find_clause(match)
    at = around.rfind(match.group())
    sentence = re.split("[。；;！!？?\n]", match.string[max(0, match.start() - 60) : match.start()])[-1]
    behind = around[at + len(match.group()) :]
    return bool(_FROM_THEN_ON.search(sentence)) and not _DONE_ONCE.search(behind)


def is_recurring(match: re.Match[str]) -> bool:
    """Return whether the day comes again, so that it is of no one week or year: 每周三, 生日是6月4日."""
    is_habit = bool(_HABIT.search(find_clause(match)))
    return is_habit or _is_yearly(match) or _describes_month(match)


# 生日是6月4日, 6月4日过生日: of every year. 生日会是6月4日 is one day.
_YEARLY = "(?:生日|纪念日|忌日|命名日)"
_OF_EVERY_YEAR = re.compile(f"{_YEARLY}(?:都|就|也)?(?:是|在)?(?:每年)?(?:的)?$")
# 4日 of 6月4日, where the rule for months left both alone.
_OF_NAMED_MONTH = re.compile(rf"(?:{MONTH_OF_YEAR})月份?$")
_OF_MOON_CALENDAR = re.compile("(?:农历|阴历|旧历)(?:的)?$")
_IS_OF_EVERY_YEAR = re.compile(f"(?:是|过|就是)?[^，。、]{{0,8}}?{_YEARLY}(?![\u4e00-\u9fff])")


# 12月是店里最忙的时候, 三月最潮: what a month is like, which is of no one year.
_IS_LIKE = re.compile(
    "份?(?:就?是|算是|正是)?[^，。、]{0,10}?(?:最(?![近后初])|[旺淡雨旱汛花]季|的(?:时候|季节|时节|月份))"
)


def _describes_month(match: re.Match[str]) -> bool:
    around = find_clause(match)
    is_month = match.group().rstrip("份").endswith("月")
    behind = match.string[match.end() : match.end() + 30]
    return is_month and bool(_IS_LIKE.match(behind)) and not is_marked(around)


def _is_yearly(match: re.Match[str]) -> bool:
    """A day of each year, with its month or behind it, or one of a calendar that years of ours do not fit."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    named = (_OF_MOON_CALENDAR, _OF_NAMED_MONTH, _OF_EVERY_YEAR)
    return any(pattern.search(before) for pattern in named) or bool(_IS_OF_EVERY_YEAR.match(behind))


# What people do again and again on a day that they name without saying which: 周二游泳, 周三值班.
_PASTIME = re.compile(
    r"""
    ^(?:早上|上午|中午|下午|傍晚|晚上|夜里|早|晚)?(?:都|要|得|还|也)*(?:在[^，我]{1,8}?)?(?:
        一起 | 游泳 | 跑步 | 健身 | 打(?!电话|算|疫苗|针|车|包|开|断|破|扫) | 踢 | 跳(?!槽) | 练
        | 上[一-龥]{0,4}[课班] | 值[一-龥]?班 | 学 | 教 | 排练 | 训练 | 爬山 | 骑 | 弹 | 唱 | 轮休 | 开团
        | 出摊 | 摆摊 | 直播 | 做义工
    )
    """,
    re.VERBOSE,
)


def is_pastime(match: re.Match[str]) -> bool:
    """Return whether a weekday names the day of a pastime or a shift, which is of no one week where nothing says so."""
    around = find_clause(match)
    behind = around[around.find(match.group()) + len(match.group()) :]
    is_of_one_week = is_marked(around) or _ONE_WEEK.search(around)
    return bool(_PASTIME.match(behind)) and not is_of_one_week


# One weekday for this and another for that, with nothing that tells of one week: 周三踢球，周五学钢琴.
_OF_WEEK = re.compile("(?<![上下这本个])(?:周|星期|礼拜)([一二三四五六日天])")
_ONE_WEEK = re.compile(
    "面试|考试|开会|出差|出发|结果|[上下这本]个?(?:周|星期|礼拜)|[0-9一二三四五六七八九十]+[号日]"
)


def is_timetable(match: re.Match[str]) -> bool:
    """Return whether the sentence gives a weekday for each of several doings, as timetables do."""
    sentence = re.split("[。！？!?；;\n]", match.string[: match.start()])[-1] + match.group()
    sentence += re.split("[。！？!?；;\n]", match.string[match.end() :])[0]
    days = {weekday[1] for weekday in _OF_WEEK.finditer(sentence)}
    clause = find_clause(match)
    is_of_one_week = is_marked(clause) or _ONE_WEEK.search(sentence)
    return len(days) > 1 and not is_of_one_week
