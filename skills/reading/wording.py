"""How what a user said becomes an item of a skill: an instruction, a preference, or the name of a kind of task."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.en import third_person as english
from memories.text.en.verb_forms import find_base_of_gerund
from memories.text.en.verbs import PAST
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives
from memories.text.zh.third_person import rewrite_in_third_person
from memories.text.zh.word_classes import find_names, tag_words

LONGEST_ITEM, LONGEST_TITLE, LONGEST_TITLE_ZH = 240, 60, 24

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# What stands before an order, and what is only courtesy behind it.
_BEFORE = re.compile(rf"^(?:(?:{_WORDS['before']})\b[,!:.]*\s+)+", re.IGNORECASE)
_BEHIND = re.compile(
    r"""
    ,?\ (?:
        for\ me | with\ me | for\ us | please | pls | thanks | thank\ you | too | as\ well | next\ time
        | this\ time | again | if\ you\ can | if\ possible | okay | ok | will\ you | would\ you
    )(?=$|[,.!])
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Frames of help around the work itself: "Walk me through handling …" asks for handling.
_HELP = re.compile(
    r"""
    ^(?:
        (?:please\ )?(?:help|assist|guide|walk|take|lead|talk|work|show|teach|tell|support)
        (?:\ (?:me|us))?(?:\ (?:through|with|in|on|to|how\ to|how\ I\ can|how\ we|about))*[ ]
    )(?=\w+)
    """,
    re.VERBOSE,
)
_GERUND = re.compile(r"^(?P<verb>[a-z]+)ing\b", re.IGNORECASE)
_BEFORE_ZH = re.compile(rf"^(?:(?:{_WORDS['before_zh']})[，,：:、！!。\s]*){{1,8}}")
_FOR_ME_ZH = re.compile("^(?:请|麻烦|帮我们?|给我(?!们?家)们?|替我们?|为我们?)+")
_BEHIND_ZH = re.compile(r"(?:吧|哦|啊|呀|呢|就行|就好|即可|谢谢|好吗|可以吗|行吗)[。！!？?～~]*$")


def as_instruction(sentence: str, language: str) -> str:
    """ "Could you also check the prices for me?" -> "Check the prices"; 帮我也查一下价格吧 -> 查一下价格."""
    if language == "zh":
        parts = [
            _BEHIND_ZH.sub("", (_FOR_ME_ZH if at else _BEFORE_ZH).sub("", part.strip(), count=1)).strip(
                " 。.！!？?～~"
            )
            for at, part in enumerate(re.split("[，,；;]", sentence))
        ]
        return rewrite_in_third_person("，".join(filter(None, parts))).strip(" ，。！；")[:LONGEST_ITEM]
    bare = english.expand_contractions(english.lower_shouting(sentence.strip()))
    bare = _BEHIND.sub("", _BEFORE.sub("", bare, count=1).rstrip(" .!?;")).strip(" ,;")
    return capitalize(_rewrite_for_agent(bare))[:LONGEST_ITEM]


_WE_DID = re.compile(rf"\bwe(?= (?:\w+ed|{'|'.join(sorted(PAST))})\b)", re.IGNORECASE)
_WE_DO = re.compile(r"\b(?:we|you and I)\b", re.IGNORECASE)
_OUR = re.compile(r"\b(?:our|my)\b", re.IGNORECASE)
_US = re.compile(r"\b(?:me|us)\b", re.IGNORECASE)
_THEIRS = re.compile(r"\b(?:mine|ours)\b", re.IGNORECASE)


def _rewrite_for_agent(clause: str) -> str:
    """An order in the words of somebody who hands it on: "my report" is the user's, "we" is the one who does it."""
    pieces = re.split(r'("[^"]*"|“[^”]*”)', clause)
    for at in range(0, len(pieces), 2):
        piece = _WE_DO.sub("you", _WE_DID.sub("the user", pieces[at]))
        piece = _OUR.sub("the user's", _THEIRS.sub("the user's", _US.sub("the user", piece)))
        pieces[at] = english.rewrite_in_third_person(piece) if re.search(r"\bI\b", piece) else piece
    return "".join(pieces)


_THE_USER = re.compile(r"^(?:the user)(?: and others)? ", re.IGNORECASE)


def as_preference(sentence: str, language: str) -> str:
    """ "I only want native plants" -> "Only wants native plants"; 我经常出差 -> 经常出差."""
    if language == "zh":
        text = rewrite_in_third_person(_BEFORE_LIKING_ZH.sub("", sentence.strip(" ，。！"))) or sentence
        return re.sub("^用户(?:等人)?(?!的)", "", text).strip(" ，。！；")[:LONGEST_ITEM]
    bare = english.remove_filler(english.expand_contractions(english.lower_shouting(sentence.strip())))
    stated = english.rewrite_in_third_person(
        _BEFORE_LIKING.sub("", bare).rstrip(" .!?"), "the user", "the assistant"
    )
    return capitalize(_THE_USER.sub("", stated).replace("the user and others", "the user"))[:LONGEST_ITEM]


def as_statement(sentence: str, language: str) -> str:
    """ "I'm going to Chengdu" -> "The user is going to Chengdu"."""
    if language == "zh":
        return rewrite_in_third_person(sentence.strip(" ，。！"))[:LONGEST_ITEM]
    bare = english.remove_filler(english.expand_contractions(english.lower_shouting(sentence.strip())))
    stated = english.rewrite_in_third_person(bare.rstrip(" .!?"), "the user", "the assistant")
    return capitalize(stated.replace("the user and others", "the user"))[:LONGEST_ITEM]


_BEFORE_LIKING = re.compile(
    r"^(?:(?:and|but|so|also|no|yes|well|oh|good|great|better|nice|by the way|actually)\b[,.!]*\s+)+",
    re.IGNORECASE,
)
_BEFORE_LIKING_ZH = re.compile("^(?:(?:好的?|对了?|嗯|不错|另外|还有|而且|但是?|不过|其实)[，,。！!]*)+")


def capitalize(text: str) -> str:
    text = text.strip(" ,.;:!")
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """Without the capital that only begins the sentence."""
    first = text.split(" ", 1)[0]
    return (
        text if first.isupper() and len(first) > 1 or text.startswith("I ") else text[:1].lower() + text[1:]
    )


# Names

_OF_CASE = re.compile(
    r"""
    \b(?:next|this|last|coming)\ (?:
        week | weekend | month | year | time | morning | evening | monday | tuesday | wednesday | thursday
        | friday | saturday | sunday | spring | summer | autumn | fall | winter | term | quarter
    )\b(?:['’]s\b)?
    | \b(?:today|tomorrow|tonight|yesterday|right\ now)(?:'s)?\b
    | \b(?:about\ |around\ )?\d[\w.,%:-]*(?:
          \ (?:
              days? | weeks? | minutes? | hours? | people | persons | guests | euros? | dollars | pages?
              | words? | items? | rows?
          )
      )?\b(?:-[a-z]+)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NAME_AT_END = re.compile(
    r"""
    \ (?:to|in|at|from|for|with|near|around|on|of|by|about)(?:\ (?:the|my|our|a))?
    (?:\ (?:Mr|Mrs|Ms|Dr)\.?)?(?:\ [A-Z][\w'’.-]*)+$
    """,
    re.VERBOSE,
)
_CUT_AT = re.compile(
    r"""
    [,;:.!?]
    | \ (?:
          so\ that | because | since | as\ soon\ as | which | who | whose | before | after | until
          | unless | but | if | that\ (?:is|are|was|were|has|have|had|we|I|they|you)
          | (?:I|we|you|they|he|she)[ ]
      )
    """,
    re.VERBOSE,
)
_PREPOSITION = re.compile(
    r" (?:that|which|for|with|to|of|in|on|at|about|from|by|without|as|into|behind|through|under|over|between|within)\b"
)
_OWNED = re.compile(r"\b(?P<det>this|the|my|our|these|those|his|her|their)\b ", re.IGNORECASE)
_ARTICLE_NEXT = re.compile(
    r"""
    ^(?:[a-z-]+\ )*?(?P<noun>[a-z-]+)(?=
        \ (?:for|with|to|of|in|on|at|about|from|by|without|as|into|behind|through|under)\b | $
    )
    """,
    re.VERBOSE,
)


def build_task_title(request: str, language: str) -> str:
    """The kind of task that a request is one of: "Plan my 5-day trip to Rome" -> "Plan a trip"; "" where none shows."""
    return _write_title_zh(request) if language == "zh" else _write_title_en(request)


def name_task(request: str, language: str) -> str:
    """A request without its case, as far as that is sure: in Chinese only its first clause, without its courtesy."""
    if language == "zh":
        return re.split("[，。；！？]", as_instruction(request, "zh"), maxsplit=1)[0]
    return build_task_title(request, language)


def find_work(request: str) -> str:
    """The order inside frames of help: "Walk me through handling this incident" -> "Handle this incident"."""
    bare = as_order(request)
    inner = _HELP.sub("", bare[:1].lower() + bare[1:], count=1)
    if inner == bare[:1].lower() + bare[1:]:
        return bare
    gerund = _GERUND.match(inner)
    if gerund:
        inner = find_base_form(gerund["verb"] + "ing") + inner[gerund.end() :]
    return capitalize(inner)


def as_order(sentence: str) -> str:
    bare = english.expand_contractions(english.lower_shouting(sentence.strip()))
    return capitalize(_BEHIND.sub("", _BEFORE.sub("", bare, count=1).rstrip(" .!?;")))


def find_base_form(gerund: str) -> str:
    """handling -> handle, planning -> plan; of a verb that no dictionary has, what stands before its ending."""
    return find_base_of_gerund(gerund) or gerund.lower().removesuffix("ing")


def _write_title_en(request: str) -> str:
    bare = find_work(request)
    bare = _CUT_AT.split(bare, maxsplit=1)[0]
    bare = _NAME_AT_END.sub("", bare)
    bare = re.sub(
        r"\b\d+(?:[- ](?:minute|day|hour|week|page|word|person|year|month|course|part))s?\b ?|\byear \d+ ",
        "",
        bare,
    )
    bare = _OF_CASE.sub("", bare)
    bare = re.sub(
        r"\s+(?:for|in|on|at|by|from|to|with|about|of|and|or|the|a|an)\s*$", "", " ".join(bare.split())
    )
    bare = _remove_owners(" ".join(bare.split()))
    while len(bare) > LONGEST_TITLE:
        cuts = [match.start() for match in _PREPOSITION.finditer(bare) if match.start() > 8]
        if not cuts:
            bare = bare[:LONGEST_TITLE].rsplit(" ", 1)[0]
            break
        bare = bare[: cuts[-1]]
    return capitalize(re.sub(r"\ba (?=[aeiou])", "an ", bare))


def _remove_owners(text: str) -> str:
    """ "Review this pull request" -> "Review a pull request"; "my dinners" -> "dinners"."""

    def article(match: re.Match[str]) -> str:
        rest = _ARTICLE_NEXT.match(text[match.end() :])
        is_object = not _PREPOSITION.search(text[: match.start()])
        noun = rest["noun"] if rest else ""
        is_many = noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
        if match["det"].lower() == "the" and not (is_object and noun):
            return match[0]
        return "" if is_many or match["det"].lower() in {"these", "those"} else "a "

    return re.sub(r"\b(?:a|an|the|my|our) (?:user'?s )", "a ", _OWNED.sub(article, text))


_OF_CASE_ZH = re.compile(
    r"""
    (?:下|上|这|本)(?:个)?(?:周末|周[一二三四五六日天]?|星期[一二三四五六日天]?|月|季度|学期|次) | 今天
    | 明天 | 后天 | 昨天 | 昨晚 | 今晚 | 今年 | 明年 | 去年 | 一?下(?=[\u4e00-\u9fff])
    | 第[0-9一二三四五六七八九十百]+[期章节课集版号] | (?:这|那)(?:个|份|封|篇|段|条|本|些|件|次)?
    | [一二两三四五六七八九十几0-9]+(?:天|周|个?月|年)(?:前|后)(?:[^的，]{0,4}的)?
    | [一二两三四五六七八九十几0-9]+(?:个|份|封|篇|段|条|节|本|次|张|套|天|日|周|分钟|小时|人)
      (?:的|之内|以内)?
    | 我们?(?:家|公司|团队)?的? | 咱们?家?的?
    """,
    re.VERBOSE,
)


# 把录音整理成文章: what becomes of it stands behind the verb.
_HAS_RESULT_ZH = re.compile("[\u4e00-\u9fff](?:成|为|到|给|进|入|回)[\u4e00-\u9fff]{1,12}$")


def _write_title_zh(request: str) -> str:
    bare = _BEFORE_ZH.sub("", request.strip(), count=1)
    bare = re.split("[，。；！？]", bare)[0]
    bare = re.sub("^(?P<verb>[\u4e00-\u9fff]{1,2})一下", r"\g<verb>", bare)
    bare = re.sub("^(?:怎么样?|怎样|如何)(?:才能|去|来)?", "", bare)
    if bare.startswith("把") and not _HAS_RESULT_ZH.search(bare):
        bare = _move_object_last(re.sub("(?:一下|一遍|好|了)$", "", bare[1:]))
    for name in find_names(bare):
        bare = bare.replace(name, "") if len(name) > 1 and len(bare) - len(name) > 2 else bare
    bare = _OF_CASE_ZH.sub("", bare)
    bare = re.sub("^(?:给|为|替)(?=[^\u4e00-\u9fff]|排|做|写|买|订|准备|安排)", "", bare)
    bare = re.sub("^(?P<verb>[\u4e00-\u9fff]{1,2})(?:的)", r"\g<verb>", bare)
    return bare.strip(" ，。、的吧一下")[:LONGEST_TITLE_ZH]


def _move_object_last(clause: str) -> str:
    """播客剪 -> 剪播客: what stands behind 把, with its verb first."""
    for length in (2, 1):
        what = tag_words(clause[:-length])
        if what and what[-1][1][:1] == "n" and len(what[-1][0]) > 1:
            return f"{clause[-length:]}{clause[:-length]}"
    return f"{clause[-2:]}{clause[:-2]}"


# Of so few words a kind of task is said: what the work is on.
_EMPTY_HEADS = frozenset(
    extract_keywords(
        "plan list thing way task work job help information question problem stuff version draft"
    )
)
_EMPTY_HEADS_ZH = frozenset("计划 清单 列表 方案 流程 步骤 事 问题 内容 信息 安排 工作 情况 个 东西".split())


def find_antecedent(title: str) -> str:
    """Find what a follow-up calls "it": "the email" of "Write an email to a landlord"; "" where that is not clear."""
    body = _PREPOSITION.split(" ".join(title.split()[1:]), maxsplit=1)[0] if " " in title else ""
    words = re.findall("[A-Za-z-]+", body)
    return f"the {words[-1].lower()}" if words and extract_keywords(words[-1]) else ""


def find_work_object(title: str, language: str) -> str:
    """The thing that the work is on, as a stem: "trip" of "Plan a trip", 退货 of 处理退货; "" where it says nothing."""
    if language == "zh":
        nouns = [word for word, tag in tag_words(title) if tag[:1] in {"n", "v"} and len(word) > 1]
        distinct = [word for word in nouns if word not in _EMPTY_HEADS_ZH]
        return distinct[-1] if distinct else ""
    body = _PREPOSITION.split(" ".join(title.split()[1:]), maxsplit=1)[0] if " " in title else ""
    words = [word for word in extract_keywords(body) if word not in _EMPTY_HEADS]
    return words[-1] if words else ""
