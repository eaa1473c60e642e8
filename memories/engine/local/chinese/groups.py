"""Clauses that become one proposition, and where the next one begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from memories.engine.local.chinese.changes import counts
from memories.engine.local.chinese.moods import is_of_one_day
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.heads import IT_IS, Head, HeadKind
from memories.engine.local.chinese.parsing.tagging import has_object, has_predicate, tag_words
from memories.engine.local.chinese.referents import Referent
from memories.engine.local.propositions import Mood
from memories.text.claims.preferences_chinese import find_chinese_preferences
from memories.text.claims.software import find_versions
from memories.text.claims.wishes import find_wish
from memories.text.slots import find_chinese_states
from memories.text.slots.claim import Claim
from memories.text.time import chinese as dates

# What one memory holds at most, before dates are written out, so that it is taken in at once.
LONGEST_GROUP = 44
LONGEST_RULED = 120


@dataclass(slots=True)
class ClauseGroup:
    """Clauses in the first person that become one proposition.

    `subject` None is the user; `topic` is what the clauses go on about where that is a thing of the user's.
    """

    clauses: list[str]
    subject: Referent | None = None
    topic: Referent | None = None
    is_dropped: bool = False
    # Whether the last clause has a thing for its subject, of which a clause without one goes on.
    is_about_thing: bool = False
    claim: Claim | None = None
    is_order: bool = False
    is_quote: bool = False
    mood: Mood | None = None
    header: str = ""
    # The question that the words answer, where they could not be put into it.
    asked: str = ""
    # Clauses behind the first one that tell of a thing, and nothing of the state that the first one may be.
    of_things: tuple[str, ...] = ()
    corrects: tuple[str, ...] = ()
    # The texts of the propositions that it replaces.
    supersedes: tuple[str, ...] = ()

    # Whether the last clause that names a subject is about the user again: 我妻子怕冷，我怕热.
    is_back_at_user: bool = False

    def append(self, clause: str, head: Head) -> None:
        if head.is_explicit:
            is_of_other = _CARES.search(clause) or _IS_ILL.search(self.words) or _denies(clause, self.words)
            self.is_back_at_user = head.kind is HeadKind.USER and self.subject is not None and not is_of_other
        self.clauses.append(clause)
        if head.kind is not HeadKind.DROPPED:
            self.is_about_thing = head.is_of_thing(clause)
        if head.is_of_thing(clause):
            self.of_things = (*self.of_things, clause)

    @property
    def goes_on_about(self) -> Referent | None:
        """Whom or what a clause behind it is about that names nobody; None for the user."""
        return None if self.is_back_at_user else self.topic or self.subject

    @property
    def words(self) -> str:
        return "，".join(self.clauses)

    @property
    def words_of_subject(self) -> str:
        """The words that may say how it stands with whom the group is about: of 我住七楼，电梯坏了 the first clause."""
        return "，".join(clause for clause in self.clauses if clause not in self.of_things)

    @property
    def is_full(self) -> bool:
        return len(self.words) > LONGEST_GROUP

    @property
    def introduces_user(self) -> bool:
        """Return whether it is the user's own name, age or the like, which others of that kind may follow."""
        introducing = ("name", "age", "job", "hometown", "school", "major", "residence")
        return self.claim is not None and self.claim.slot in introducing

    @property
    def is_done_to_user(self) -> bool:
        """Return whether somebody does something for the user, of whom the talk may go on: 医生给我换了药，现在吃……"""
        return self.subject is not None and bool(re.search("[给让叫帮要替为对]我(?!们)", self.words))

    @property
    def is_about_owned_thing(self) -> bool:
        """Return whether it is a state of the user that a thing of theirs is in, as of 我的车是14年的斯柯达."""
        is_thing = self.claim is not None and self.claim.slot.partition(":")[0] in (
            "vehicle",
            "device",
            "housing",
        )
        return is_thing and bool(re.match("(?:我|咱|俺)们?家?的", self.clauses[0]))

    @property
    def slot(self) -> str:
        """The state that it describes, or what an order is about, so that a later one replaces it."""
        if self.claim:
            return self.claim.slot
        if not self.is_order:
            return ""
        wished = find_wish(self.clauses[-1], "zh") or find_wish(self.words, "zh")
        return wished[0].slot if wished else ""


# Behind 我带他去医院, and while somebody is ill, the talk goes on about them.
_CARES = re.compile(
    f"[他她它]|{lexis.KIN}|[带陪给送接照伺哄守盯]|请假|担心|心疼|着急|以为|觉得|猜|感觉|估计|怀疑|知道|听说|记得|高兴"
)
_IS_ILL = re.compile(
    "发烧|发热|病|疼|痛|住院|手术|摔|受伤|骨折|感冒|咳|过敏|怀孕|生了|吐|拉肚子|高考|中考|去世|走了"
)
_DENIED = re.compile("我们?(?:也|都|倒|可|却)?[没不](?P<verb>[一-龥])(?P<ever>过)?了?")


def _denies(clause: str, before: str) -> bool:
    """Return whether the user only does not do what another does, or never has: 我妹养猫，我没养."""
    match = _DENIED.fullmatch(clause)
    return match is not None and (bool(match["ever"]) or match["verb"] in before)


# Any day will do to tell whether words name a time at all.
_SOME_DAY = datetime(2024, 1, 1)
_LEADING_TIME = re.compile("^(?P<time>[^我，,]{2,12}?)，?(?=我)")
_AHEAD = re.compile("打算|计划|准备|想|要|会|将|下个?月|下周|明年|明天|后天|即将|马上|希望|如果|可能|也许")
_OVER = re.compile("了|已经|刚|去年|上个?月|上周|昨天|前年|今年.{0,4}[月初]")


def find_user_claims(clause: str) -> list[Claim]:
    """The preferences and states of the user that a clause in the first person tells."""
    if len(clause) > LONGEST_RULED or "不是不" in clause or is_of_one_day(clause):
        return []
    lead = _LEADING_TIME.match(clause)
    start = lead.end() if lead and dates.find_chinese_times(lead["time"], _SOME_DAY) else 0
    rest = clause[start:]
    rest_claims = (
        find_versions(rest, "zh") or find_chinese_preferences(rest, rest) or find_chinese_states(rest)
    )
    claims = [replace(claim, statement=clause[:start] + claim.statement) for claim in rest_claims]
    # Who plans to move lives elsewhere still.
    return [
        claim for claim in claims if not claim.ending or (_OVER.search(clause) and not _AHEAD.search(clause))
    ]


_MEANS_TO = re.compile("打算|准备|计划|考虑|想(?![起着])(?!了)|如果|要是")
_IS_SO = re.compile("[了过着]|现在|已经|一直|每|平时|喜欢|讨厌|过敏")


def goes_on_with(group: ClauseGroup, clause: str, head: Head) -> bool:
    """Return whether a clause without a subject only says more of what the group is about, and tells of no state of the
    user.

    That is what somebody who was brought in is like, a thing, or a plan, of which nothing is so yet:
    打算不租了，买台车.
    """
    is_described = describes_somebody(clause) and not group.introduces_user
    if head.kind is HeadKind.DROPPED and _MEANS_TO.search(group.clauses[-1]) and not _IS_SO.search(clause):
        return True
    is_dropped = head.kind is HeadKind.DROPPED or (head.kind is HeadKind.THING and is_described)
    return is_dropped and (is_described or group.is_about_thing)


_SWITCH = re.compile(
    r"""
    ^(?:
        现在 | 目前 | 如今 | 以前 | 之前 | 后来 | 最近 | 今年 | 去年 | 前年 | 明年 | 下个?月 | 上个?月
        | 上周 | 下周 | [0-9一二三四五六七八九十]{1,3}月 | 周[一二三四五六日末] | 大?后天 | 大?前天 | 昨天
        | 今天 | 明天 | 同时 | 平时 | 周末 | 每
    )
    """,
    re.VERBOSE,
)
_DEPENDENT = re.compile(
    r"""
    ^(?:
        尤其 | 所以 | 因为 | 就 | 才 | 但 | 不过 | 而(?!且) | 可是 | 否则 | 不然 | 结果 | 导致 | 因此
        | 于是 | 反而 | 甚至 | 毕竟 | 免得 | 省得 | 以免 | 主要 | 大概 | 差不多 | 一共 | 总共 | 也 | 还
        | 都 | 只
    )
    """,
    re.VERBOSE,
)
_FOLLOWING = re.compile(
    "^(?:我们?|咱们?|他们?|她们?|它)?(?:所以|因为|就(?!是|读|职|业|诊|医)|才(?!能)|但|不过|而(?!且)|早就?)"
)
_AHEAD_ONLY = re.compile(
    r"""
    ^(?:
        下个?(?:周|星期|礼拜)[一二三四五六日天末]? | 明天 | 后天 | 下个?月 | 明年
        | [0-9一二三四五六七八九十]{1,3}月(?:[初底]|[0-9一二三四五六七八九十]{1,3}[号日])?
    )[^，我]{2,4}$
    """,
    re.VERBOSE,
)
# A time and a bare verb: of what, the clause before it says.
_DONE = re.compile(rf"^(?:{lexis.TIME}|就|才|又|也|已经){{0,5}}[^，]{{1,2}}了$")
_TIME_ONLY = re.compile(rf"^(?:{lexis.TIME}|[到至~和、-]){{1,8}}$")
_DESCRIBES = re.compile(
    r"""
    ^(?:一[只条个头匹](?:小名)?叫|[大小]的叫)
    | ^(?:名字|小名|大名|名)?(?:叫|今年)?(?:[^，]{0,3}岁(?:半|多|了)*$|[男女]|公的|母的|叫|品种)
    | ^(?:都|才|快)?[一二两三四五六七八九十\d]{1,3}(?:岁|个月)
    """,
    re.VERBOSE,
)


# 吃了会胃疼 behind 不吃辣: what comes of it, of which the clause before has the object.
_ONCE_DONE = re.compile("^一?(?P<verb>[一-龥])(?:了|完|多了)(?![^，]{0,2}[杯碗顿个只条本次])")


# 一吃就起疹子: of what, the clause before it says.
_ONCE = re.compile("^一[一-龥]{1,3}就")


def _gives_reason_against(before: str, clause: str) -> bool:
    done = _ONCE_DONE.match(clause)
    return done is not None and re.search(f"[不别没少][^，不]{{0,2}}{done['verb']}", before) is not None


def continues_statement(group: ClauseGroup, clause: str, head: Head) -> bool:
    """Return whether the clause belongs to the group's statement, whatever its length."""
    before = group.clauses[-1]
    if _TIME_ONLY.match(clause) or _gives_reason_against(before, clause) or is_of_one_day(clause, before):
        return True
    if head.kind is HeadKind.DROPPED and (_ONCE.match(clause) or _DONE_BY_THINGS.match(clause)):
        return True
    if head.kind is HeadKind.USER and len(clause) <= 9 and not has_object(clause) and not group.claim:
        # 我很喜欢: what, the clause before it says.
        return True
    if head.kind is HeadKind.THING and head.start and IT_IS.match(clause, head.start):
        return False  # 下周三是我妈的生日 is about the day
    is_of_user = head.kind is HeadKind.USER and _ONE_OF_THEM.match(clause)
    if _MEANT_TO.match(group.words) and _OUTCOME.match(clause):
        return True
    if is_of_user or _THEN.search(clause) or _lacks_object(clause, head):
        return True
    if not head.is_explicit and _IS_NOW.match(clause) and _HAS_ANOTHER.search(group.clauses[-1]):
        return not _HAS_NEW_NAME.match(group.words)
    if head.is_explicit:
        is_same = head.kind is HeadKind.USER and group.subject is None
        if _FOLLOWING.match(clause) and (is_same or len(group.words) < 20):
            return True
        return not has_predicate(group.words)
    if (
        head.kind is HeadKind.DROPPED
        and group.is_about_thing
        and not re.match("^(?:打算|准备|想|计划|决定)", clause)
    ):
        return True
    if head.kind is HeadKind.DROPPED and (group.is_about_owned_thing or group.is_done_to_user):
        return True
    if head.kind is HeadKind.DROPPED and group.subject and points_away(clause, group.subject):
        return _SUCCEEDED.match(clause) is not None
    if group.claim:
        is_complete = has_predicate(clause) and has_object(clause)
        return bool(_DEPENDENT.match(clause)) or describes_somebody(clause) or not is_complete
    if head.kind is not HeadKind.DROPPED or not has_predicate(group.words):
        return True
    if clause.endswith("去") and "去" in group.words and group.subject is None and len(clause) < 20:
        return True  # 现在只有春节去: where, the clause before it says
    if _AHEAD_ONLY.match(clause) and not has_object(clause):
        return True  # 我们找便宜的那个，下周一开工: who does, only both clauses tell
    is_sequel = bool(_SEQUEL.match(clause)) and len(clause) <= _LONGEST_SEQUEL and not has_object(clause)
    return not _SWITCH.match(clause) or bool(_DONE.match(clause)) or is_sequel


# 在追一部剧，每周四更新: what works, shops and goods do, and nobody who talks of them.
_DONE_BY_THINGS = re.compile(
    r"""
    [一-龥\d]{0,8}?(?:
        更新 | 停更 | 完结 | 开播 | 播出 | 首播 | 上映 | 下映 | 上架 | 下架 | 开售 | 开抢 | 发售 | 发货
        | 到货 | 缺货 | 断货 | 涨价 | 降价 | 打折 | 上新 | 出刊 | 开课 | 结课 | 开业 | 开门 | 关门 | 打烊
        | 停业 | 营业 | 停电 | 停水
    )(?:一[次集期回])?了?$
    """,
    re.VERBOSE,
)
# What one always does with something.
_WITH_OBJECT = frozenset("拿接还取送付交退换修洗带管买卖寄领缴赔")
_KIN_END = frozenset("妈爸姐哥弟妹姨姑舅叔婆公爷奶婶")


def _lacks_object(clause: str, head: Head) -> bool:
    """周四才能拿, 这周我妈接: a short clause that ends in a verb whose object the clause before it has."""
    bare = re.sub("(?:了|过|一点儿?|一些)+$", "", clause)
    words = tag_words(bare)
    if len(clause) > _LONGEST_SEQUEL or len(words) < 2 or head.kind in (HeadKind.THING, HeadKind.PRONOUN):
        return False
    last = words[-1].text
    is_alone = len(last) == 1 or (len(last) == 2 and last[0] in _KIN_END)
    return is_alone and last[-1] in _WITH_OBJECT and not has_object(bare)


# 我是第一个, 我们还以为是公的: of whom or what, the clause before it says; and when, before 就是那时候走的.
_ONE_OF_THEM = re.compile(
    r"""
    ^我是(?:第[一-龥]{1,2}个|最后一个|唯一的?(?:一个)?|最[一-龥]{1,2}的)$
    | ^我们?(?:还|都|一直|本来)?(?:以为|觉得|认为)(?:是|不|没|很|太|挺|还)
    """,
    re.VERBOSE,
)
# 邵老师怀孕了，换成了她师妹: who she is, the clause before it says.
_SUCCEEDED = re.compile("^(?:现在|后来|所以|就)?换成?了[他她]")
# 站长换人了，现在是小马: who or what it is now, of what has another.
_HAS_ANOTHER = re.compile(
    "[换改]了?[人名主牌]了?$|[换改]了$|换了(?![^，]*(?:工作|岗|职|专业|单位|公司|部门|城市|学校|行))[^，]{1,6}$"
)
_HAS_NEW_NAME = re.compile(f"(?:{lexis.FIRST_PERSON})?(?:{lexis.TIME}|{lexis.ADVERB}){{0,4}}改了?名")
_IS_NOW = re.compile("(?:现在|如今|目前|后来|新的|新来的|改|就)+(?:是|叫|由|归|成了?|变成)")
# 本来我要当伴郎，结果他们私奔了: neither is so without the other.
_MEANT_TO = re.compile("^[^，]{0,3}(?:本来|原本|原来)[^，]{0,6}(?:要|想|打算|准备|计划|以为)")
_OUTCOME = re.compile("结果|后来|但是?|可是?|不过|没想到|谁知")
_THEN = re.compile("就是那(?:时候?|天|年|会儿?)|从那(?:以后|之后|时起)")
# 后来决定留着: what is kept, the clause before it says.
_SEQUEL = re.compile("后来|最近|现在|目前|如今")
_LONGEST_SEQUEL = 8


def describes_somebody(clause: str) -> bool:
    """Return whether a clause without a subject says what somebody who was just brought in is like: 叫豆豆, 三岁."""
    return bool(_DESCRIBES.match(clause))


def points_away(clause: str, topic: Referent) -> bool:
    """Return whether a clause speaks of the topic as somebody else than its subject."""
    singular = {"m": "他", "f": "她"}.get(topic.gender, "[他她]")
    pronoun = "他们|她们" if topic.is_many else "它" if topic.is_thing else f"{singular}(?!们)"
    plans = "打算|准备|想|计划" if topic.is_thing else "(?:打算|准备|想|计划|要)(?:给|带|陪|送|接|帮)"
    return bool(re.search(pronoun, clause) or re.match(f"^(?:{plans})", clause))


def is_fragment(group: ClauseGroup) -> bool:
    """Return whether the words only name something, and nobody knows what is said of it: 两双鞋，46码的."""
    if group.claim or group.header or group.is_order or group.subject or group.topic:
        return False
    words = group.words
    return (
        bool(
            re.match(
                r"[一二两三四五六七八九十几\d]+(?![一二两三四五六七八九十几\d月号日点年岁分周])[\u4e00-\u9fff]",
                words,
            )
        )
        and "我" not in words
        and not has_predicate(words)
    )


_EXCLAMATION = re.compile(
    r"""
    (?:
        太 | 真 | 好 | 可 | 气 | 笑 | 累 | 烦 | 困 | 急 | 吓 | 服 | 绝 | 无语 | 救命 | 天 | 完 | 惨 | 爽
        | 牛 | 哎 | 唉 | 我的妈 | 要命 | 离谱 | 糟 | 崩溃 | 头大 | 心累 | 郁闷 | 开心 | 难过 | 烦死
    )[^，]{0,4}$
    """,
    re.VERBOSE,
)


_TO_DEATH = re.compile("[真都也快简直要]*[笑气累烦困急吓愁热冷饿馋羡慕无语尴尬]{1,2}[死坏疯哭晕]我?了?")


def says_nothing(group: ClauseGroup) -> bool:
    """Return whether nothing in the words is worth keeping: a sigh, a single character."""
    if group.claim or group.header or group.is_order:
        return False
    words = group.words
    bare = re.sub("[^\\w]", "", words)
    if _TO_DEATH.fullmatch(words):
        return True
    if len(bare) < 3 or (len(words) <= 7 and "我" not in words and bool(_EXCLAMATION.match(words))):
        return True
    return bool(_ONLY_COMPARES.fullmatch(words))


# 我弟也是, 我老板: what is so of whom, only the message before it tells.
_ONLY_COMPARES = re.compile(
    f"(?:{lexis.FIRST_PERSON})?(?:的|家的?)?(?:{lexis.PEOPLE})(?:(?:也|都|倒|就|却|可)*(?:不?(?:是|会"
    f"|行|一样|这样|能|想|要|爱|喜欢)|没有?|差不多)的?了?)?"
)


OWNED_BEHIND = re.compile(f"的|{lexis.GROUPS}|{lexis.OWN}")

# 周日做饭太难了: what is done is so, not who was spoken of.
_JUDGES = re.compile(
    f"^(?:{lexis.TIME}){{0,5}}[^，我他她它]{{1,6}}(?:太|很|真|好|特别|挺|非常|可)(?:难|累|麻烦|贵|烦|远"
    f"|方便|便宜|简单|容易|费劲)了?$"
)


# 游泳对我的腰好: what is done is so, and not who does it.
_GOOD_FOR_USER = re.compile("^[一-龥]{2,4}(?:比[一-龥]{1,6})?对我")


_IS_GONE = re.compile("(?:去世|过世|病逝|病故|死|走|没)了$")
# 吃的是处方粮, 绝育了: of an animal, and not of whom the talk was about.
_OF_ANIMAL = re.compile(
    f"(?:{lexis.TIME}|{lexis.ADVERB}|光|只){{0,4}}(?:(?:爱|肯|挑)?吃(?:的(?:都|就"
    f"|也)?是)?[^，]{{0,8}}?(?:[猫狗犬鸟鱼龟鼠]粮|处方粮|[幼成老][猫犬]粮|冻干|猫条|主食罐)"
    f"|(?:早|刚|还没|没|做过?|已经)*(?:绝育|驱虫|发情)(?:了|过|手术)*$|(?:[总老爱]是?|天天)?(?:掉毛"
    f"|拆家|乱尿|炸毛))"
)


def find_whom_it_befell(clause: str, head: Head) -> str:
    """Of whom a clause tells that names nobody and is never of the user: "gone" of who died or left, "animal"."""
    if head.kind is HeadKind.DROPPED and _IS_GONE.search(clause):
        return "gone"
    return "animal" if not head.is_explicit and _OF_ANIMAL.match(clause) else ""


# 都是我上手: who does it is said behind the verb.
_DONE_BY_USER = re.compile("(?<![给对让跟和帮为陪带教送叫问把被替像比])(?<!都要)(?<!总要)我(?!的|们的)")


def has_other_subject(clause: str, topic: Referent | None) -> bool:
    """Return whether a clause that names no subject is neither about the user nor about whom the talk was about."""
    if _GOOD_FOR_USER.match(clause):
        return True
    return topic is not None and bool(_DONE_BY_USER.search(clause) or _JUDGES.match(clause))


# Of what an amount is, only the talk tells; the user is none.
_AMOUNT = re.compile(
    rf"(?:{lexis.TIME}|{lexis.ADVERB}){{0,5}}(?:是|(?<=已经)(?![^.点]*[.点]))"
    rf"[0-9〇零一二两三四五六七八九十百千万点.]{{2,}}(?:元|块钱?|多|左右)*了?"
)
# 走了两个: of whom or what, the clause before it says.
_SOME = re.compile(
    f"(?:{lexis.TIME}|又|还|已经){{0,5}}[一-龥]{{1,3}}了(?:{counts.NUMBER}){counts.CLASSIFIER}"
)


# 有两个不能吃麸质: two of whom, the clause does not say.
_SOME_OF_THEM = re.compile(
    rf"(?:其中|里面)?有?(?:{counts.NUMBER}){counts.CLASSIFIER}(?=[不没也都还会能要爱对在是想刚]|喜欢|过敏|住|吃|喝)"
)


# 我养了三只: of what, the clause does not say.
_HAS_SOME = re.compile(
    rf"我们?家?(?:一共|总共|现在|已经|也)?(?:有|养|买|种|生|做|写|卖)(?:了|过"
    rf"|着)?(?:{counts.NUMBER}){counts.CLASSIFIER}"
)


# What only the message before tells: 医生加了一倍, 这周不是, 鱼吃, 一半我都不认识.
_OF_MESSAGE_BEFORE = re.compile(
    rf"""(?:{lexis.TIME}|{lexis.ADVERB}){{0,5}}(?:不是|是的|不会|没有|除外|没去|不去)了?$
    | (?:其中)?(?:一半|大部分|大多数?|有些|剩下的|其他的|另外?一[个半])(?=[我都也不没还是在])
    | [^，的]*(?<!的.)(?<!的..)[加减]了(?:一倍|一半)$""",
    re.VERBOSE,
)
# 鱼吃: who eats it, the clause before it says.
_IS_EATEN = re.compile("(?![我他她它咱])[一-龥]{1,3}?(?:能|可以|还|都)?[吃喝]")
_CHANGED_TO = re.compile(rf"(?:{lexis.TIME}|[起就都又]){{0,5}}(?:改|换|变|推迟?|提前|挪|调)(?:成|到|为|至)")


def is_bare(clause: str, group: ClauseGroup, *, is_first: bool) -> bool:
    """Return whether it says how much, how many or what else, and not of what or whom."""
    is_of_nobody = group.is_dropped and group.subject is None
    if _IS_EATEN.fullmatch(clause):
        return True
    if is_first and (_OF_MESSAGE_BEFORE.match(clause) or (is_of_nobody and _CHANGED_TO.match(clause))):
        return True
    return group.subject is None and _is_bare_amount(clause, group.is_dropped)


def _is_bare_amount(clause: str, is_dropped: bool) -> bool:
    if _SOME_OF_THEM.match(clause) or _HAS_SOME.fullmatch(clause):
        return True
    return bool(_AMOUNT.fullmatch(clause) or (is_dropped and _SOME.fullmatch(clause)))
