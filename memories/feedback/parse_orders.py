"""Parses the orders in a feedback: replace words, forget memories, remember or correct facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.text.clauses.contrast import Contrast, find_contrast
from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.words.language_detection import detect_language
from memories.text.words.spacing import join_lines


@dataclass(frozen=True, slots=True)
class Replacement:
    """One word or name for another, in everything that is remembered."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request to delete memories: about `topic`, or (`is_statement`) the one that says it."""

    topic: str
    is_statement: bool


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact stated in a feedback. `is_wanted` when the person asked to have it remembered."""

    text: str
    contrast: Contrast | None = None
    is_wanted: bool = False


@dataclass(frozen=True, slots=True)
class Wishes:
    """Everything that one feedback asks for. `says_wrong`: it calls something wrong that was said before."""

    replacements: tuple[Replacement, ...] = ()
    forget_requests: tuple[ForgetRequest, ...] = ()
    facts: tuple[StatedFact, ...] = ()
    says_wrong: bool = False


_QUOTED = r"[\"'“‘「『《](?P<{0}q>[^\"”’」』》]{{1,100}})[\"'”’」』》]"
_OPENING = re.compile(
    r"""
    ^(?:
        (?:
            please | also | and | but | so | well | sorry | hey | hmm | ok | okay | yes | from\ now\ on
            | in\ the\ future | going\ forward | in\ addition | additionally | 另外 | 还有 | 同时 | 此外
            | 从现在起 | 从现在开始 | 从今以后 | 今后 | 以后
        )\b[\s,.:;!—–，。：；！-]*
    )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WRONG = re.compile(
    r"""
    ^(?:
        (?:
            no | nope | wrong | incorrect | not\ quite | not\ true | correction | actually | in\ fact
            | i\ mean | to\ correct\ (?:this|that|you)
            | (?:that|this|it)(?:'s|\ is|\ was)(?:\ (?:completely|totally|all|just))?\ (?:
                  wrong | false | incorrect | not\ (?:right|correct|true) | a\ mistake | outdated
              )
            | (?:you|your\ (?:answer|memory|information))(?:'re|\ are|\ is)?(?:
                  \ (?:got|have|had|remember(?:ed)?|understood)\ (?:it|that|this|me)
              )?\ (?:wrong(?:ly)?|mistaken|incorrect|outdated)
            | you\ (?:made\ a\ mistake|misunderstood(?:\ me|\ that|\ it)?|misremembered)
            | the\ (?:answer|information|memory)\ (?:is|was)\ (?:wrong|incorrect|outdated)
        )(?=[\s,.:;!—–-]|$)[\s,.:;!—–-]*(?:and\ |but\ )?
    )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WRONG_ZH = re.compile(
    r"""
    ^(?:
        (?:
            不对 | 不是的 | 不是这样的? | 错了 | 错误 | 有误 | 你?(?:记|说|搞|弄|理解)错了? | 你错了
            | 这是错的 | 这不对 | 更正(?:一下)? | 纠正(?:一下)? | 其实 | 实际上 | 事实上
            | 不(?=[，,。！!]) | 之前(?:说|记)的?(?:不对|错了|有误)
        )[\s，,。！!：:；;]*
    )+
    """,
    re.VERBOSE,
)

_ASKING = (
    r"^(?:(?:please|kindly|now|then|also|and|(?:can|could|would|will) you|I(?: would|'d)? (?:want|like|need) you to"
    r"|(?:the )?user (?:wants?|asks?|would like|asked)(?: you| us| me)? to|you (?:should|must|can)|let's) )*"
)
_LITTLE = r"(?:the (?:words?|names?|terms?|phrases?|texts?) )?"
_EVERYWHERE = (
    r"(?P<all>,? (?:everywhere|globally|throughout|in all\b.*|in every\b.*|across\b.*|in (?:my|the|our"
    r"|your) (?:memor|document|note)\w*.*"
    r"|wherever .*|every time.*|for all .*))?"
)
_REPLACE_EN = re.compile(
    _ASKING
    + r"(?P<verb>replace|substitute|swap|rename|change|correct|update|switch) "
    + (
        r"(?P<each>(?:all|every|each|any)(?: of)?(?: (?:the )?(?:mentions?|occurrences?|instances?"
        r"|references?|appearances?)(?: (?:of|to))?)? )?"
    )
    + _LITTLE
    + rf"(?:{_QUOTED.format('old')}|(?P<old>[^\"“”]{{1,100}}?)) (?:with|to|by|into|as|for) "
    + _LITTLE
    + rf"(?:{_QUOTED.format('new')}|(?P<new>[^\"“”]{{1,100}}?))"
    + _EVERYWHERE
    + r"[ .!]*+$",
    re.IGNORECASE,
)
_USE_EN = re.compile(
    _ASKING
    + rf"(?:always )?(?P<verb>use|write|say) (?:{_QUOTED.format('new')}|(?P<new>[^\"“”]{{1,100}}?)) instead of "
    + (
        rf"(?:{_QUOTED.format('old')}|(?P<old>[^\"“”]{{1,100}}?))(?P<each>)(?P<all>,? (?:everywhere"
        rf"|globally|throughout|in all\b.*))[ .!]*+$"
    ),
    re.IGNORECASE,
)
_CALL_ZH = r"(?:替换成|替换为|改成|改为|换成|换为|改名为|更名为|改名叫|替换|改叫)"
_REPLACE_ZH = re.compile(
    r"^(?:请|麻烦|帮我|你)*(?:把|将) ?(?P<each>所有的?|全部的?|每个)? ?"
    rf"(?:{_QUOTED.format('old')}|(?P<old>[^“”「」]{{1,60}}?)) ?(?:这个(?:词|名字))?(?P<all>都|全部"
    rf"|全都|统一)? ?(?P<verb>{_CALL_ZH}) ?"
    rf"(?:{_QUOTED.format('new')}|(?P<new>[^“”「」，,]{{1,60}}?))[，,\s]*(?P<all2>全部替换|全部|全都改"
    rf"|所有地方都改|所有记忆都改)?[ 。.!！]*+$"
)
_ALL_ZH = re.compile(
    rf"^(?:{_QUOTED.format('old')}|(?P<old>[^“”「」，,]{{1,60}}?)) ?(?P<all>全部|都|全都|统一)(?P<verb>{_CALL_ZH}) ?"
    rf"(?:{_QUOTED.format('new')}|(?P<new>[^“”「」，,]{{1,60}}?))(?P<each>)(?P<all2>)[ 。.!！]*+$"
)
_NAME_OF_SOMETHING = re.compile(
    r"""
    ^(?:my|our|his|her|their|the|its|your|this|that)\s | ^(?:我|我们|他|她|用户|公司|你)的
    | (?:
          预算 | 代号 | 名字 | 姓名 | 名称 | 地址 | 住址 | 城市 | 时间 | 日期 | 电话 | 手机号 | 邮箱
          | 工作 | 职业 | 公司 | 学校 | 限额 | 上限 | 标准 | 生日 | 年龄 | 颜色 | 密码 | 价格 | 数量
          | 版本 | 负责人 | 目标
      )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NUMERIC = re.compile(r"^[^\w]*\d")

_FORGET_REQUEST_EN = re.compile(
    _ASKING
    + r"(?:forget|delete|remove|erase|wipe|drop|stop remembering|do not remember|don't remember)\b ?(?P<rest>.*)$",
    re.IGNORECASE,
)
_TOPIC_EN = re.compile(
    r"""
    ^(?:(?:all|every|any|the|my|your|his|her|their|these|those|of|stored|saved|existing)\ )*(?:
        (?:
            fact | memor(?:y|ies) | thing | information | note | record | entr(?:y|ies) | data
            | everything | anything | all | what | preference
        )s?\ ?
    )*(?P<that>that\ )?(?:
        (?:you\ (?:know|remember|have|stored)\ )?(?:
            about | on | regarding | concerning | related\ to | with | of | mentioning
        )[ ]
    )?(?P<topic>.*?)[ .!]*+$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FORGET_REQUEST_ZH = re.compile(
    r"""
    ^(?:请|麻烦|帮我|帮忙|你|可以|能不能|用户(?:想要?|希望|要求)?)*(?:
        (?:忘记|忘掉|忘了|删除|删掉|清除|抹掉|移除)(?P<rest>.+)
        | (?:把|将)(?P<rest2>.+?)(?:都|全部)?(?:忘记|忘掉|忘了|删除|删掉|清除|抹掉|移除)(?:掉|了)?
    )[ 。.!！]*+$
    """,
    re.VERBOSE,
)
_TOPIC_ZH = re.compile(
    r"""
    ^(?:掉|所有|全部|那些|这些|一切)*(?:关于|有关)?(?P<topic>.+?)(?:相关|有关)?(?:的)?(?:
        记忆 | 信息 | 内容 | 事情 | (?:这|那)(?:件|回|个)?事情? | 事 | 偏好 | 记录
    )?$
    """,
    re.VERBOSE,
)
# "Delete key is broken": what looks like an order says what is so.
_SAYS_WHAT_IS_SO = re.compile(
    r"""
    ^(?!(?:I|we|my|our|the\ user|he|she|they|his|her|their)\b)
    (?!.*\b(?:that|which|what|how|where|when|who|whose|whether|if|because)\b)
    (?:[^,]*\ )?(?!(?:I|we|you|he|she|they)\ )[\w'-]+\ (?:is|are|was|were)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "You forgot that": a complaint, and behind it what should have been remembered.
_COMPLAINT = re.compile(
    r"""
    ^(?:so\ |but\ )?you(?:'ve|\ have)?\ (?:(?:just|completely|again)\ )*
        (?:forgot|forgotten|did(?:n't|\ not)\ remember)
        (?:\ (?:again|to\ (?:mention|note|add|say|consider)|about|that))*[:,]?[ ]
    | ^(?:I\ )?forgot\ to\ (?:say|mention|add|tell\ you)(?:\ that)?[:,]?[ ]
    | ^(?:但是?|可是?)?[你您](?:又|怎么|是不是|刚才|好像|居然|竟然|都|总是?|老是?)*
        (?:忘掉了|忘了|忘记了?)[：:，,\s]*
    | ^(?:我|刚才|刚刚|差点)*(?:忘了|忘记了?)(?:跟你|和你|给你|对你)?
        (?:说|告诉你?|提|讲|补充|交代)(?:一下|了|过)*[：:，,\s]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Behind an order and a comma, what is so: "Forget it, I live in Paris".
_FACT_BEHIND = re.compile(
    r"""
    [,;，；]\s*(?=
        (?:(?:because|since|and|but)\s)?(?:
            (?:I|we)(?:'\w+)?\s | (?:my|our)\s[^,;]{1,60}?\s(?:is|are|was|were|has|have|likes?)\b
        )
        | [我俺咱](?!们?的)
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SAID_BEFORE = re.compile(
    r"(?:what )?(?:I|we)(?:'ve| have)?(?: just)? (?:said|told you|wrote)(?: .*)?", re.IGNORECASE
)
_STATES_EN = re.compile(r"(?:I|we) \w|(?:my|our) .+? (?:is|are|was|were|has|have|likes?) ", re.IGNORECASE)
# "It is 600": the value, and nothing that says of what.
_ONLY_VALUE = re.compile(
    r"""
    ^(?:
        (?:it|that|this)(?:'s|\ is|\ was|\ must\ be|\ should\ be|\ should\ have\ been) | should\ be
        | make\ it | 应该是 | 应当是 | 应为 | 应是 | 这是 | 是 | 改成 | 改为
    )\ ?(?P<value>[^,，;；]{1,60}?)[ .。!！]*+$
    | ^(?P<number>[$€£¥]?\ ?\d[^,，;；.。]{0,20})[ .。!！]*+$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KEEP = re.compile(
    r"""
    ^(?:please\ )?(?:do\ not|don't|never)\ forget\b(?:\ (?:that|about|to))?[:,]?\ ?
    | ^(?:请|千万)?(?:别|不要|不能|勿)(?:忘记|忘了|忘掉)[：:，,\s]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REMEMBER = re.compile(
    r"""
    ^(?:please\ )?(?:(?:also|and|you\ should|you\ must|I\ want\ you\ to|I'd\ like\ you\ to)\ )*(?:
        (?:remember|note|keep\ in\ mind|be\ aware)(?:\ (?:also|too))?(?:\ that\b|\ ?:|,)?
        | (?:add|save|store|record|know)(?:\ that\b|\ ?:)
    )\ ?(?=\S)
    | ^(?:请|也|还|还要|帮我)*(?:记住|记得|记一下|记下来?|补充(?:一点|一下)?|备注)[：:，,\s]*(?=\S)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What names nothing: an order about it could mean anything.
_NOTHING_NAMED = frozenset(
    "it that this them these those everything all me myself him her something things stuff what i said".split()
) | {"它", "这", "那", "这个", "那个", "这些", "那些", "一切", "所有", "全部", "我", "记忆", ""}


def read_feedback(text: str) -> Wishes:
    """Everything that the sentences of a feedback ask for, each by its own form."""
    replacements: list[Replacement] = []
    forget_requests: list[ForgetRequest] = []
    facts: list[StatedFact] = []
    says_wrong = False
    for sentence in _split_orders(clean_message(text)):
        order, is_wrong = _remove_opening(sentence)
        says_wrong = says_wrong or is_wrong
        wish = (
            _parse_replacement(order)
            or _forget_request(order)
            or (_parse_stated_fact(order) if order else None)
        )
        if isinstance(wish, Replacement):
            replacements.append(wish)
        elif isinstance(wish, ForgetRequest):
            forget_requests.append(wish)
        elif wish is not None:
            facts.append(wish)
            says_wrong = says_wrong or bool(wish.contrast and wish.contrast.wrong)
    return Wishes(tuple(replacements), tuple(forget_requests), tuple(facts), says_wrong)


def _split_orders(text: str) -> Iterator[str]:
    """The sentences, and what is so behind an order to forget by itself."""
    for sentence in map(join_lines, split_sentences(text)):
        behind = _FACT_BEHIND.search(sentence)
        order = sentence[: behind.start()] if behind else ""
        if behind and _forget_request(_remove_opening(order)[0]):
            yield order
            yield sentence[behind.end() :]
        else:
            yield sentence


def _remove_opening(sentence: str) -> tuple[str, bool]:
    text, before, is_wrong = sentence.strip(), "", False
    while text != before:
        before = text
        text = _OPENING.sub("", text)
        bare = _WRONG_ZH.sub("", _WRONG.sub("", text))
        is_wrong = is_wrong or bare != text
        text = bare
    return text.strip(" ,;:，；："), is_wrong


def _iterate_clauses(sentence: str) -> Iterator[str]:
    """The sentence, and what follows each of its commas: an order may come after its reason."""
    yield sentence
    for comma in re.finditer(r"[，,;；:：]\s*(?:so |and |then |please )*", sentence):
        yield sentence[comma.end() :]


def _parse_replacement(sentence: str) -> Replacement | StatedFact | None:
    if len(sentence) > 400:
        return None
    patterns = (_REPLACE_ZH, _ALL_ZH, _REPLACE_EN, _USE_EN)
    for clause in _iterate_clauses(sentence):
        for pattern in patterns:
            if match := pattern.match(clause.strip()):
                return _as_meant(match)
    return None


def _as_meant(match: re.Match[str]) -> Replacement | StatedFact | None:
    """Words for words, or (as in "change the budget to 600") a new value for what the old words name."""
    parts = match.groupdict()
    old = (parts["oldq"] or parts["old"]).strip()
    new = (parts["newq"] or parts["new"]).strip()
    if not old or not new:
        return None
    is_chinese = detect_language(match.string) == "zh"
    is_total = bool(parts["oldq"] or parts["each"] or parts["all"] or parts.get("all2"))
    if not is_total and _NUMERIC.match(old):
        return StatedFact(match.string, Contrast("", new, old))
    if is_total or not _names_something(old, parts["verb"], is_chinese):
        return Replacement(old, new)
    named, _, before = old.partition("从" if is_chinese else " from ")
    statement = f"{named.strip()}是{new}" if is_chinese else f"{named.strip()} is {new}"
    return StatedFact(statement, Contrast(statement, new, before.strip()) if before else None, is_wanted=True)


def _names_something(old: str, verb: str, is_chinese: bool) -> bool:
    if _NAME_OF_SOMETHING.search(old):
        return True
    is_for_words = is_chinese or verb.lower() in {"replace", "substitute", "swap", "rename"}
    return not is_for_words and old == old.lower()


def _forget_request(sentence: str) -> ForgetRequest | None:
    if _KEEP.match(sentence) or _COMPLAINT.match(sentence):
        return None
    if match := _FORGET_REQUEST_EN.match(sentence):
        topic = _TOPIC_EN.match(match["rest"])
        what = topic["topic"].strip() if topic else ""
        states = bool(_STATES_EN.match(what))
        if not states and _SAYS_WHAT_IS_SO.match(match["rest"]):
            return None
        is_unnamed = what.lower() in _NOTHING_NAMED or _SAID_BEFORE.fullmatch(what)
        return ForgetRequest("" if is_unnamed else what, states or bool(topic and topic["that"]))
    if match := _FORGET_REQUEST_ZH.match(sentence):
        named = _TOPIC_ZH.match((match["rest"] or match["rest2"]).strip())
        what = named["topic"] if named else ""
        says = bool(re.match(r"我(?!的|们的)", what)) and len(what) > 2
        return ForgetRequest("" if what in _NOTHING_NAMED else what, says)
    return None


def _parse_stated_fact(sentence: str) -> StatedFact:
    rest = _COMPLAINT.sub("", _KEEP.sub("", sentence, count=1), count=1)
    rest = _REMEMBER.sub("", rest, count=1)
    is_wanted = rest != sentence
    if rest[:1].islower() and is_wanted:
        rest = rest[0].upper() + rest[1:]
    if bare := _ONLY_VALUE.match(rest):
        value = (bare["value"] or bare["number"]).strip()
        return StatedFact(rest, find_contrast(rest) or Contrast("", value, ""), is_wanted)
    return StatedFact(rest, find_contrast(rest), is_wanted)
