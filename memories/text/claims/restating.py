"""Brings what people say of a change into plain statements, which the readers and the slots know.

"I changed my number. It's 07700 900456 now" and 我换号了，现在是138… become "My number is now …", 我的手机号现在是…;
"Let's cancel the appointment" is a decision: "I have decided to cancel the appointment".
"""

from __future__ import annotations

import re

import inflection

from memories.text.claims.word_order import name_subjects_said_last, state_homes
from memories.text.clauses.earlier_talks import restate_corrections
from memories.text.en.verb_forms import find_base_of_past
from memories.text.en.verbs import get_base_form
from memories.text.slots.registry import join_relation_words


def restate_changes(text: str, language: str) -> str:
    """The text with changes, decisions and corrections of earlier talks as plain statements."""
    text = restate_corrections(text, language)
    if language == "zh":
        return _restate_chinese(text)
    text = name_subjects_said_last(state_homes(text))
    for pattern, written in _ENGLISH:
        text = pattern.sub(written, text)
    text = _CHANGED.sub(_state_changed, text)
    for attributes in _WHOSE:
        text = attributes.sub(_state_of_both, text)
    return text


# -- English
# ---------------------------------------------------------------------------------------------------------------

_START = r"(?:(?<=[.!?;\n] )|(?<=\n)|^)"
_THING = (
    r"(?P<thing>(?:(?:phone|mobile|cell|cellphone|telephone|work|home|office) )*(?:number"
    r"|e-?mail(?: address)?|address|postcode|zip code)"
    r"|mobile|licen[cs]e plate|number plate|(?:user|screen|account) ?(?:name|number)|handle)"
)
# A number, an address of mail, a name of an account, or a street with its number.
_VALUE = (
    r"(?P<value>\+?\(?\d[\d ()/-]{4,20}\d|[\w.+-]{1,60}@[\w-]{1,40}(?:\.[\w-]{1,20}){1,4}"
    r"|@?\w{3,40}\d\w{0,20}|\d[^.!?;\n]{3,80}?)"
)
_END = r"(?P<end>(?: now| instead| from now on)?(?=[.!;\n]|$))"
_WHO = r"(?:I|We)(?:'ve| have)?(?: just| recently| finally| also| had to)* "
_IT_IS = (
    r"(?:the new (?:one|number|address|e-?mail)(?:'s| is)|my new (?:one|number|address|e-?mail)(?:'s| is)"
    r"|it(?:'s| is)|that(?:'s| is)|now it(?:'s| is)|use|you can reach me (?:on|at))(?: now| actually)?"
)
_WHEN = r"""(?:
    again | recently | yesterday | today | tonight | (?:last|this)\ [a-z]{3,9}
    | on\ (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day
)"""
_CHANGED_THING = r"""(?P<thing>
    (?!(?:new|my|our|the|a|an|some)\ )[a-z][a-z-]{2,20}(?:\ (?!again|last|this)[a-z-]{2,20}){0,2}?
)"""
_CHANGED_THING2 = _CHANGED_THING.replace("<thing>", "<thing2>")
# A name, a code or a number; other things are values where "now" says so. Each part ends somewhere: a number without
# end would be gone through from each of its digits.
_NAMED_VALUE = r"""(?-i:
    "[^"\n]{2,60}"
    | (?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.?\ )?[A-Z][\w'&-]*(?:\ (?:[A-Z][\w'&.-]*|of|the|and|de|van|von|&)){0,5}
    | [+#@]?[\w@.#/-]{0,40}\d(?:[\w@.#/:-]{0,40}\w)?(?:\ \d[\d()/-]{0,20}){0,8}
)"""
_DESCRIBED_VALUE = (
    r"(?:an?|the|in|on|at|every|behind|under|next\ to|between|half|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|(?-i:[A-Z])|\d)[^.!?;,\n]{2,60}?"
)
_START_OF_CLAUSE = r"(?:(?<=[.!?;\n]\ )|(?<=\n)|^)"
_CANCEL = r"(?:cancel|call off)"
_KIN_EN = join_relation_words("en")
_ENGLISH: tuple[tuple[re.Pattern[str], str], ...] = (
    # "Oh wait, it's nifedipine. Amlodipine is what my dad takes" names what was wrong.
    (
        re.compile(
            rf"{_START}(?P<cue>(?:(?:oh|ah|no|wait|sorry|actually|hang on|hold on|oops"
            rf"|whoops)[,!.]? ){{1,3}}(?:it's|it is|I mean|I meant) "
            rf")(?P<right>[^.,;!?\n]{{2,40}}?)(?P<behind>[.,;!]+ )(?=(?P<wrong>[a-z][\w-]{{2,30}}(?: "
            rf"[\w-]{{1,20}})?) (?:is|was|are) (?:what (?:my|our) (?:{_KIN_EN})|(?:for )?(?:my"
            rf"|our) (?:{_KIN_EN})\b))",
            re.IGNORECASE,
        ),
        r"\g<cue>\g<right>, not \g<wrong>\g<behind>",
    ),
    (
        re.compile(
            rf"{_START}{_WHO}(?:changed|change|switched|switch|updated|update|got|get|have) (?:my|our"
            rf"|a) (?:new )?{_THING}(?: again| last week| yesterday| today)?(?:[.,;:]| -| –)? (?:and "
            rf"|so )?{_IT_IS} {_VALUE}{_END}",
            re.IGNORECASE,
        ),
        r"My \g<thing> is now \g<value>",
    ),
    (
        re.compile(
            rf"{_START}{_WHO}(?:changed|change|switched|switch|updated|update) (?:my"
            rf"|our) {_THING}(?: from \S{{3,60}}(?: [^\s.,;]{{1,20}})?)? to {_VALUE}{_END}",
            re.IGNORECASE,
        ),
        r"My \g<thing> is now \g<value>",
    ),
    (
        re.compile(
            rf"{_START}(?:My|Our) {_THING} (?:has |have )?(?:just )?changed(?: again)?(?:[.,;:]| -"
            rf"| –)? (?:and |so )?(?:{_IT_IS}|to) {_VALUE}{_END}",
            re.IGNORECASE,
        ),
        r"My \g<thing> is now \g<value>",
    ),
    (
        re.compile(
            rf"{_START}(?:(?:OK|Okay|Right|So|Well|Alright|All right|Yes|Yeah|No|Actually|Then"
            rf"|Please)[,.!]? )*let(?:'s|us| us) (?P<action>{_CANCEL}) (?P<what>(?:the|my|our|that|this"
            rf"|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)[^.!?;:\n]{{3,100}})(?=[.!;\n]|$)",
            re.IGNORECASE,
        ),
        r"I have decided to \g<action> \g<what>",
    ),
    (
        re.compile(
            rf"{_START}(?:(?:OK|Okay|Right|So|Well|Alright|All right|Yes|Yeah|No|Actually|Then"
            rf"|Please)[,.!]? )*let(?:'s|us| us) call (?P<what>(?:the|my|our|that"
            rf"|this) [^.!?;:,\n]{{3,60}}?) off(?=[,.!;\n]|$)",
            re.IGNORECASE,
        ),
        r"I have decided to call off \g<what>",
    ),
)
# Of any other thing: "We switched dentists, it's Dr. Weiss", "The gate code got changed, the new one is 9920".
_CHANGED = re.compile(
    rf"""
    {_START_OF_CLAUSE}
    (?:
        (?P<who>I|We|They)(?:'ve|\ have)?(?:\ (?:just|finally|also|had\ to|{_WHEN}))*\ (?:
            (?:(?:chang|updat|renew|replac)ed? | switch(?:ed)? | swap(?:ped)? | reset)
            \ (?:(?P<whose>my|our|the|their)\ )?
            | (?:(?:elect|hir|appoint)ed|chose|picked|found|got|get|have|bought)\ (?P<new>an?\ (?:new|different)\ )
        ){_CHANGED_THING}
        | (?P<whose2>My|Our|The)\ {_CHANGED_THING2}\ (?:has\ |have\ |got\ |was\ |were\ )?(?:just\ )?
          (?:changed|replaced|switched|swapped|renewed|reset)
    )
    (?:\ {_WHEN})*
    (?:[.,;:]|\ [-–])?\ (?:and\ |so\ )?
    (?:
        (?P<now>now\ )?(?:it|that)(?:'s|\ is) | (?:the|my|our)\ new\ (?:one|[a-z]{{3,20}})(?:'s|\ is)
        | (?:his|her|its|their|the)\ name(?:'s|\ is)
    )(?P<now2>\ now)?\ (?:called\ )?
    (?:
        (?P<value>{_NAMED_VALUE})(?:\ now|\ instead|\ from\ now\ on)?
        | (?P<value2>{_DESCRIBED_VALUE})(?P<now3>\ now)?
    )
    (?=[.,!;\n]|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# One changes these without getting others.
_NO_THINGS = re.compile(
    r"(?:mind|minds|tune|ways?|places?|subject|topic|seats?|clothes|sides?|look|time|chance)\b", re.IGNORECASE
)
_NO_VALUE = re.compile(r"(?:I|OK|Okay|Not|So|No|Yes|About)\b")


def _state_changed(match: re.Match[str]) -> str:
    """Return what is there now in place of that it changed; the sentence as it is where that is not said."""
    thing = match["thing"] or match["thing2"]
    value = match["value"] or match["value2"]
    singular = inflection.singularize(thing)
    is_bare = bool(match["who"]) and not match["whose"] and not match["new"]  # "switched dentists"
    if is_bare == (singular == thing):
        return match[0]
    thing = singular
    is_now = any(match[name] for name in ("now", "now2", "now3"))
    if _NO_THINGS.match(thing) or _NO_VALUE.match(value) or (match["value2"] and not is_now):
        return match[0]
    whose = (match["whose"] or match["whose2"] or "").lower()
    if whose not in {"my", "our", "the"}:
        whose = {"i": "my", "we": "our"}.get((match["who"] or "").lower(), "the")
    return f"{whose.capitalize()} {thing} is now {value}"


_SOMEBODY = rf"(?P<who>(?:my|our) (?:{_KIN_EN})(?: [A-Z][\w'-]{{1,20}})?|[A-Z][a-z'-]{{1,20}})"
_CUES = r"(?:(?:Oh|Ah|No|Wait|Sorry|Actually|Oops|Well)[,!.]? ){0,3}"
_NOT_ME = r",? (?:and |it's )?not (?:me|I)(?=[.!;\n]|$)"
# "It's my husband who is allergic to peanuts, not me": it is so of him, and not of the user.
_WHOSE = (
    re.compile(
        rf"{_START}{_CUES}(?:it's|it is|it was) {_SOMEBODY} (?:who"
        rf"|that) (?P<verb>[a-z']{{2,20}}) (?P<rest>[^.,;!?\n]{{2,80}}){_NOT_ME}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_START}{_CUES}{_SOMEBODY} is the one (?:who|that) (?P<verb>[a-z']{{2,20}}) "
        rf"(?P<rest>[^.,;!?\n]{{2,80}}){_NOT_ME}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_START}{_CUES}(?P<rest>[a-z][\w' -]{{1,40}}) is what {_SOMEBODY} (?P<verb>[a-z]{{2,20}}s){_NOT_ME}",
        re.IGNORECASE,
    ),
)
_NOT_BE = {"is": "am not", "'s": "am not", "was": "was not", "has": "do not have", "had": "did not have"}


def _state_of_both(match: re.Match[str]) -> str:
    verb = match["verb"].lower()
    denied = _NOT_BE.get(verb, "")
    if not denied and (past := find_base_of_past(verb)):
        denied = f"did not {past}"
    elif not denied and (base := get_base_form(verb)):
        denied = f"do not {base}"
    if not denied:
        return match[0]
    who = f"{match['who'][0].upper()}{match['who'][1:]}"
    rest = match["rest"] if match.re is not _WHOSE[2] else f"{match['rest'][0].lower()}{match['rest'][1:]}"
    return f"{who} {verb} {rest}. I {denied} {rest}"


# -- Chinese
# ---------------------------------------------------------------------------------------------------------------

_KIN = join_relation_words("zh")
_START_ZH = "(?:(?<=[。！？!?；;，,\n ])|^)"
_OWNER_ZH = rf"(?P<who>我们?家?的?(?:{_KIN})?的?)?"
_THING_ZH = (
    "(?P<thing>(?:手机|电话|联系|收货|家庭|公司|单位|车牌|银行卡|卡|微信|QQ|学)?(?:号码|号|地址|邮箱)"
    "|邮箱地址|邮箱|电话|手机|微信|住址|联系方式|车牌|账号|用户名)"
)
_VALUE_ZH = (
    "(?P<value>[+0-9A-Za-z@._\\-\u4e00-\u9fff]{0,40}[0-9A-Za-z@][+0-9A-Za-z@._\\- \u4e00-\u9fff]{0,30}?)"
)
_END_ZH = "了?(?=[。！!；;，,\n]|$)"
_NOW_ZH = (
    "(?:现在|以后|新|目前|往后|改成|改为|换成|打|用|请|联系|号码|手机|电话|邮箱|地址|微信|号|就|都|的|我|发"
    "|寄|到)*(?:是|为|叫|：|:)?"
)
_NUMBER_CHANGED = re.compile(
    rf"{_START_ZH}{_OWNER_ZH}(?:最近|刚|已经|又|前几天|昨天|今天|上周)*换了?(?:个"
    rf"|一个)?新?(?P<kind>手机|电话)?号码?了?[，,。；;] ?{_NOW_ZH}(?P<value>\+?[0-9][0-9 "
    rf"\-]{{5,20}}[0-9]){_END_ZH}"
)
_CHANGED_ZH = re.compile(
    rf"{_START_ZH}{_OWNER_ZH}{_THING_ZH}(?:最近|刚|已经|又|也|都)*(?:(?:换|改|变|变更)了?(?:成|为)?了?"
    rf"|不用了)[，,。；;]? ?{_NOW_ZH}{_VALUE_ZH}{_END_ZH}"
)
# Of any other thing: 我换了牙医，现在是王医生.
_REPLACED_ZH = re.compile(
    rf"""
    {_START_ZH}
    (?P<who>我们?家?|咱们?家?|[\u4e00-\u9fff]{{1,6}}?)?
    (?:刚|已经|又|最近|终于|后来|前几天|[今昨前]天|[上这本](?:周|个?月|学期)|今年|去年)*
    (?:换|更换|改|改选|选|请|聘|找)了?(?:一?[个位家名])?(?:新的?)?
    (?P<thing>[\u4e00-\u9fff]{{1,6}}?)了?[，,。；;]\ ?
    (?:现在|新的|以后|目前|改|换)+(?:这?[个位家])?(?:的?是|叫|成|用的?是?)
    (?P<value>[^，,。！!？?；;\n]{{1,20}}?)了?
    (?=[。！!；;，,\n]|$)
    """,
    re.VERBOSE,
)
_NO_OWNER_ZH = re.compile(
    r"""
    [了要想会能没不就也都让叫请把被给去来在又天周月年] | 最近 | 终于 | 后来 | 已经 | 刚 | 如果 | 要是 | 打算 | 准备
    | 应该
    """,
    re.VERBOSE,
)
_NO_THING_ZH = re.compile("主意|想法|心情|时间|话题|口味|[了着过吗呢吧]")
_MOVED_ZH = re.compile(
    rf"{_START_ZH}(?:我们?家?|咱们?家?)?(?:最近|刚|已经|又)*搬(?:家"
    rf"|新家)?了[，,。；;] ?(?:我们?家?的?)?(?:现在)?(?:的?新?(?:地址|住址|家)(?:是|在|为|：)?"
    rf"|(?:现在)?(?:住|住在))(?P<value>[\u4e00-\u9fffA-Za-z0-9\-]{{2,40}}?)了?(?=[。！!；;，,\n]|$)"
)
_LET_US_ZH = re.compile(
    rf"{_START_ZH}(?:那|好|行|算了|还是|就|咱们?|我们?|让我们|要不)*(?:把(?P<what>"
    rf"[^，。！？；\n把]{{2,20}}?)(?:给)?取消(?:掉|了)?|取消(?:掉)?(?P<what2>[^，。！？；\n]{{2,20}}?)"
    rf"|(?P<what3>(?!我|咱|那|就)[^，。！？；\n把]{{2,20}}?)(?:就|还是|先|给)*取消(?:掉"
    rf"|了)?)吧(?=[，。！!；\n]|$)"
)


def _restate_chinese(text: str) -> str:
    text = _NUMBER_CHANGED.sub(
        lambda match: (
            f"{_write_possessive(match['who'])}{match['kind'] or '手机'}号现在是{match['value'].strip()}"
        ),
        text,
    )
    text = _CHANGED_ZH.sub(_state_new_value, text)
    text = _REPLACED_ZH.sub(_state_replaced, text)
    text = _MOVED_ZH.sub(r"我搬到\g<value>了。我的地址现在是\g<value>", text)
    return _LET_US_ZH.sub(_state_decision, text)


def _write_possessive(who: str | None) -> str:
    who = (who or "我").removesuffix("的")
    return f"{who}的"


def _state_replaced(match: re.Match[str]) -> str:
    who, thing, value = match["who"] or "", match["thing"], match["value"]
    if _NO_OWNER_ZH.search(who) or _NO_THING_ZH.search(thing) or _DONE_INSTEAD.match(value):
        return match[0]
    if thing == "人":  # 站长换人了
        return f"{who}现在是{value}" if who else match[0]
    return f"{_write_possessive(who)}{thing}现在是{value}"


# Words behind a change that are no value of it but something that was done.
_DONE_INSTEAD = re.compile("[是去到来给要想能会没不说问请让]")
_TELEPHONE = re.compile("(?:电话|手机号|联系方式|(?<![车牌微信Q学卡])号)码?$")
_LEAST_DIGITS = 5


def _state_new_value(match: re.Match[str]) -> str:
    thing, value = match["thing"], match["value"].strip()
    is_number = len(re.findall("[0-9]", value)) >= _LEAST_DIGITS
    if _DONE_INSTEAD.search(value) or (_TELEPHONE.search(thing) and not is_number):
        return match[0]
    return f"{_write_possessive(match['who'])}{thing}现在是{value}"


# 要是下雨就取消吧, 老板说取消吧: a condition, a reason or somebody's words before it, and nothing that is called off.
_NO_THING = re.compile("[了太很不没说想问让觉你他她它]|要是|如果|假如|万一|的话|可以|提醒|闹钟|下雨")


def _state_decision(match: re.Match[str]) -> str:
    what = match["what"] or match["what2"] or match["what3"]
    return match[0] if _NO_THING.search(what) else f"我决定取消{what}"
