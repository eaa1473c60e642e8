"""The words by which people ask an agent to do something, in English and Chinese."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.en.verb_forms import is_verb
from memories.text.en.verbs import PAST
from memories.text.words.word_lists import load_alternatives
from memories.text.zh.word_classes import CLOSED, tag_words

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_LEAD = rf"(?:(?:{_WORDS['leads']})\b[,:.!]*\s+)*"
_ASKING = (
    r"(?:(?:can|could|would|will|can't|couldn't) (?:you|we|u)\b|(?:i|we) (?:really |just |also |still "
    r"|now )?(?:want|need|require|wanna|would like|'d like"
    r"|would love|'d love|would appreciate|'d appreciate|am looking|'m looking|are looking|am trying"
    r"|'m trying|are trying|have to|was hoping|hope you)\b"
    r"(?! (?:it|that|this|them)?[.!]*$)|help (?:me|us)\b|(?:log|sign) (?:in|on|out|up|into)\b|(?:back"
    r"|clean|follow|speed|look|dig|roll|hook|wire|scale|spin) (?:it |this |that |them )?(?:up|down|into"
    r"|back)\b|let'?s (?!(?:plan|think|discuss|talk|brainstorm|see|say|start by|first)\b)"
    r"|(?:it would|it'd|would) be (?:great|nice|good|helpful|lovely) (?:if|to)\b|is it possible to\b"
    r"|would you mind\b|how about you\b|i'd like\b|we'd like\b)"
)
LEAD_EN = re.compile(rf"^{_LEAD}", re.IGNORECASE)
_IMPERATIVE = re.compile(rf"^{_LEAD}(?P<verb>{_WORDS['verbs']})\b(?!['’:])", re.IGNORECASE)
_NAMED = re.compile(
    rf"^{_LEAD}(?:{_WORDS['nouns']})\b (?!(?:if|whether|that|what|how|why|when|where|which|who|the|a|an|my|our"
    rf"|your|this|these|those|all|me|us|it|them|for"
    r"|to|with|on|in|up|out|off|down|any|some|every|each|again)\b)(?:\S+ ){0,3}(?:is|are|was|were|has"
    r"|have|had|fails?|failed|looks?|seems?|does|did)\b",
    re.IGNORECASE,
)
# Behind "please" anything is an order, as long as it is not about how the talk itself goes.
_PLEASE = re.compile(
    r"""
    \b(?:please|pls|kindly)\ (?!
        (?:wait|hold|note|see|bear|accept|forgive|excuse|don't|do|be|no|stop|find\ attached|and|but|or)\b
    )[a-z-]{2,}\b(?!\ ?$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKS = re.compile(rf"^{_LEAD}{_ASKING}", re.IGNORECASE)

_VERBS_ZH = (
    "给[^，。]{1,8}?(?:写|发|打|回|订|买|做|转|寄|办|开)|帮|请|麻烦|给我|替我|为我|把|将"
    f"|(?:{_WORDS['verbs_zh']})"
    "(?!的|得|结果|失败|报错|不|没|还是|有问题|时(?!间|刻|长|段|尚|令)|成功|.{0,2}[了过着](?!吧))"
)
_LEAD_ZH = rf"(?:(?:{_WORDS['leads_zh']})[，,：:、\s]*)*"
LEAD_ZH = re.compile(f"^{_LEAD_ZH}")
_IMPERATIVE_ZH = re.compile(f"^{_LEAD_ZH}(?:{_VERBS_ZH})")
_ASKS_ZH = re.compile(
    f"^{_LEAD_ZH}(?:我们?(?:还|也|现在|就)?(?:想要?|要|需要|希望|打算让你|得)(?!想|走|睡|去忙)(?:你"
    f"|让你|请你)?|能不能|能否|可否|可不可以|有没有办法|怎么|如何|求)"
)
_NOT_ASKED_ZH = re.compile(
    r"""
    ^(?:
        正在 | 在[读上学教做职] | 我(?:在|已经|刚|曾|一直|经常) | 请问一下$ | 请稍等 | 请等 | 麻烦了
        | 请放心 | 把握 | 将来 | 加油 | 建议 | 退休 | 发现 | 发生 | 发烧 | 转眼 | 算了 | 做得 | 写得
        | 查到了 | 加班 | 画面 | 看来
    )
    """,
    re.VERBOSE,
)


# "Always enrol new staff first", "Next time ask me": any verb is an order behind them.
_STANDING = re.compile(
    rf"^{_LEAD}(?:(?:for|with|when|whenever|if|on|at) [^,.;:?]{{2,60}}?,? )?(?:also )?"
    r"(?:always|never|next time|from now on|going forward|as a rule|in (?:the )?future),? (?:also "
    r"|please )?(?P<verb>[a-z]+(?:-[a-z]+)?) "
    r"(?!(?:i|we|you|he|she|it|they|is|are|was|were|has|have|had|will|would)\b)\S",
    re.IGNORECASE,
)
# Any word that belongs to no closed class is an order where an object with a determiner follows: "Deglaze the pan".
_OBJECT = (
    r"(?: (?:up|down|out|off|over|away|back|through|in|on|together))? (?:the|an?|my|our|your|his|her"
    r"|their|its|this|these|those|all|both|every|each"
    r"|any|some|me|us|it|them|half|everything|everyone|one|two|three|\d+)\b"
)
_OPEN = re.compile(
    rf"^{_LEAD}(?:always |never |first |only )?(?P<verb>[a-z]{{2,}}(?:-[a-z]+)?){_OBJECT}(?P<rest>.*)$",
    re.IGNORECASE,
)
_NO_ORDER = (
    frozenset(
        """
            i you he she it we they who what which whose when where why how whether if the a an this
            that these those my your his her its our their all both every each any some no not none
            is are was were am be been being do does did have has had can could will would shall
            should may might must ought used and or but so nor yet for to of in on at by from with
            without into onto about as than after before since until while because though although
            unless during through over under between among against within across behind beyond near
            like unlike despite per via only just also too very quite rather almost even still
            already soon never always often sometimes usually maybe perhaps then now here there thus
            hence instead otherwise again once twice yes no ok okay sure thanks thank hello hi hey
            sorry please well oh wow great good nice perfect fine last next first another other such
            same more most less least few many much several one two three four five six seven eight
            nine ten love like loved liked hate want need prefer miss hope wish guess think know
            believe seems looks sounds feels means happens depends apart regardless according
            including excluding regarding concerning half lots plenty day night morning evening
            today tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday
            sunday dinner lunch
        """.split()
    )
    | PAST
) - frozenset("put set cut let hit shut spread split read".split())
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|cannot|could|should|must|may|might|does|did|do|says?|said)\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"""
    \b(?:
        that | which | who | whom | whose | where | when | while | if | whether | because | since | as
        | so | before | after | until | unless | what | how | why | you | i | we | they | he | she | it
    )\b
    | [,;:]
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A Chinese verb with what it brings about: 清空, 擦干净, 补上.
_RESULT_ZH = re.compile(
    "^[\u4e00-\u9fff](?:空|掉|完|好|出|成|清|满|平|齐|净|干净|上|开|走|除|换|回|入|进|清楚)[\u4e00-\u9fff\\w]{2,}"
)
_ONCE_ZH = re.compile("^[\u4e00-\u9fff]{1,2}(?:一下|一遍|一次|下(?=这|那|我))")
_DONE_ZH = re.compile("(?:[了过着]|[吗呢吧么])[。！!]?$")
_LEAST_ORDER_ZH = 4


# "Point out missing tests", "Match duplicates by email": a particle, or an object without a determiner, and no verb
# behind.
_OPEN_BARE = re.compile(
    rf"^{_LEAD}(?P<verb>[a-z]{{2,}}(?:-[a-z]+)?) (?:(?:up|out|off|down|aside|apart|together) [a-z]"
    rf"|(?:[a-z-]*[^s ] )?[a-z-]+[^s]s (?:by|with|to|from|in|on|for|into|before|after|at|under"
    rf"|as)\b)(?P<rest>.*)$",
    re.IGNORECASE,
)
_BE = re.compile(rf"^{_LEAD}be (?!(?:the|a|an|that|it|there)\b)[a-z]{{3,}}", re.IGNORECASE)


def is_standing_order(clause: str) -> bool:
    """Return whether it says how things are to be done every time, or the next: "Always enrol new staff first"."""
    match = _STANDING.match(clause)
    return match is not None and match["verb"].lower() not in _NO_ORDER and is_verb(match["verb"])


# "If there's a feud put at least two tables between them": no comma parts what is to be done from when.
_WHEN = re.compile(
    r"""
    (?:when|whenever|if|once|unless)\b(?!
        \ you(?:'re|\ are|\ have|\ get|\ find)?\ (?:free|done|back|ready|an?|some|the|time)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_VERB_BEHIND = frozenset(
    "to a an the my our your this that these those and or not no i you we they he she it will must can should".split()
)
_OBJECT_BEHIND = frozenset(
    "the a an it them this that these those at every each all both only my our me us".split()
)


# A subject with its verb: "there's", "it rains", "you see".
_IS_CLAUSE = re.compile(
    rf"{_FINITE.pattern}|\b(?:i|you|we|they|he|she|it)\b|'(?:s|re|ve)\b|\b[a-z]{{3,}}s\b", re.IGNORECASE
)


def asks_under_condition(clause: str) -> bool:
    """Return whether an English clause that begins with a condition ends in an order, without a comma between them."""
    words = clause.split(",", 1)[0].split()
    is_clause = _WHEN.match(clause) is not None
    if not is_clause and not _FOR.match(clause):
        return False
    return any(
        words[at - 1].lower() not in _NO_VERB_BEHIND
        and words[at + 1].lower() in _OBJECT_BEHIND
        and (not is_clause or _IS_CLAUSE.search(" ".join(words[:at])))
        and asks_for_action(" ".join(words[at:]), "en")
        for at in range(2, len(words) - 1)
    )


# Of many, and not of one: "for Swiss clients", but not "for the newsletter".
_FOR = re.compile(r"(?:for|with|in case of) (?!the\b|an?\b|my\b|our\b|this\b|that\b)", re.IGNORECASE)


def _is_open_order(clause: str) -> bool:
    if _BE.match(clause):
        return True
    if is_standing_order(clause):
        return True
    match = _OPEN.match(clause) or _OPEN_BARE.match(clause)
    if match is None:
        return False
    verb = match["verb"].lower()
    if verb in _NO_ORDER or re.search(r"(?:ing|ly|[^e]ed|[^su]s)$", verb):
        return False
    rest = clause[match.end("verb") :]
    finite, joint = _FINITE.search(rest), _SUBORDINATE.search(rest)
    return finite is None or (joint is not None and joint.start() < finite.start())


def _is_open_order_zh(clause: str) -> bool:
    bare = LEAD_ZH.sub("", clause, count=1)
    if len(bare) < _LEAST_ORDER_ZH or _DONE_ZH.search(bare):
        return False
    words = tag_words(bare)
    tag = words[0][1] if words else ""
    # 给合唱团排一份计划, 跟供应商谈一下
    if tag == "p" and (words[0][0] in "给为替" or (words[0][0] in "跟向找" and "一下" in bare)):
        at = next((at for at, (_, tag) in enumerate(words) if tag == "v"), 0)
        return 1 < at < len(words) - 1 and words[at + 1][0] not in "了过着"
    if tag in CLOSED or bare[0] in "我你他她它咱您别不没有是最":
        return False
    if len(words) > 1 and tag == "v" and words[1][1] in {"m", "mq"} and len(words[0][0]) == 1:
        return True  # 备一节课
    if _JUDGES_ZH.search(bare):
        return False
    return bool(_ONCE_ZH.match(bare) or _RESULT_ZH.match(bare)) or (
        tag == "v" and len(words) > 1 and len(words[0][0]) > 1 and not _STATES_ZH.match(bare)
    )


_JUDGES_ZH = re.compile("有用|有效|没|太|很|最好$|不错|不行|不对|错了|不够|不了|可以|能够|是[^，]")
# Verbs that tell of somebody and order nothing.
_STATES_ZH = re.compile(
    r"""
    喜欢 | 讨厌 | 觉得 | 认为 | 知道 | 希望 | 以为 | 害怕 | 担心 | 习惯 | 需要 | 属于 | 没有 | 拥有 | 成为
    | 变成 | 看来 | 看起来 | 听说 | 据说 | 感觉 | 发现 | 发生 | 出现 | 收到 | 失败 | 成功 | 加班 | 下班
    | 上班 | 生病 | 退休 | 毕业 | 结婚 | 离婚
    """,
    re.VERBOSE,
)


# "Before you start, …", "如果下雨，…": what is asked for stands behind it.
_OPENING = re.compile(
    r"""
    ^(?:
        before | when | whenever | if | once | after | as\ soon\ as | while | since | as | for | in | on
        | from | with | using | given | based\ on
    )\ [^,.?]{1,80},\ (?:then\ )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPENING_ZH = re.compile("^(?:如果|要是|假如|等|当|在|根据|按照|针对|关于)[^，。？]{1,30}，(?:就|请)?")


def asks_for_action(clause: str, language: str) -> bool:
    """Return whether the clause asks for something to be done, by an order or by a wish."""
    if language != "zh" and is_standing_order(clause):
        return True
    clause = (_OPENING_ZH if language == "zh" else _OPENING).sub("", clause, count=1)
    if language == "zh":
        return bool(
            (_IMPERATIVE_ZH.match(clause) or _ASKS_ZH.match(clause) or _is_open_order_zh(clause))
            and not _NOT_ASKED_ZH.match(clause)
        )
    if _ASKS.match(clause):
        return True
    if _PLEASE.search(clause):
        return True
    return (bool(_IMPERATIVE.match(clause)) and not _NAMED.match(clause)) or _is_open_order(clause)


def remove_lead(clause: str, language: str) -> str:
    """Without "Great, now please" before it."""
    bare = (_SHORT_LEAD_ZH if language == "zh" else LEAD_EN).sub("", clause, count=1).strip(" ,，:：")
    if not bare:
        return clause
    return bare if language == "zh" else bare[0].upper() + bare[1:]


_SHORT_LEAD_ZH = re.compile(
    "^(?:(?:那么|那就|那|然后|另外|还有|此外|顺便|现在|接着|接下来|最后|首先|好的?|嗯|行|谢谢|你好|您好"
    "|嗨|对了|哦|啊)[，,：:、！!\\s]*)*"
)
