"""What one message of the user says about how a task is done: orders with their reasons, likings, and how it went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import (
    hands_over_material,
    is_about_made_up_text,
    is_hypothetical,
    is_question,
)
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives
from skills.reading.messages.requests import MANNER
from skills.reading.messages.signs import MessageSign, find_signs, is_problem
from skills.reading.verbs import asks_for_action, asks_under_condition
from skills.reading.wording import as_instruction, lower_first

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
LONGEST_MESSAGE, LONGEST_SENTENCE, MOST_SENTENCES = 4_000, 300, 40


@dataclass(frozen=True, slots=True)
class UserSentence:
    """One sentence. `order` is its order as an instruction, "" where it gives none; `reason` what it says beside the
    order, where that is a part of its own, on which an order without an object `leans`; `liking` what it says of the
    user."""

    text: str
    language: str
    signs: frozenset[MessageSign]
    _: KW_ONLY
    order: str = ""
    liking: str = ""
    reason: str = ""
    leans: bool = False
    is_question: bool = False
    is_problem: bool = False

    @property
    def is_plain(self) -> bool:
        """Return whether it states something beside orders, likings and questions."""
        return not (self.order or self.liking or self.is_question)


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user as far as the way of doing things goes."""

    text: str
    language: str
    sentences: tuple[UserSentence, ...]

    @property
    def orders(self) -> list[UserSentence]:
        return [sentence for sentence in self.sentences if sentence.order]

    @property
    def confirms(self) -> bool:
        is_praised = any(
            MessageSign.CONFIRMS in sentence.signs or _HELPED.search(sentence.text)
            for sentence in self.sentences
        )
        return is_praised and not self.fails

    @property
    def fails(self) -> bool:
        return any(FAILS.search(sentence.text) for sentence in self.sentences)

    @property
    def is_empty(self) -> bool:
        return not self.sentences


_HELPED = re.compile(
    r"\b(?:did it|did the trick|solved it|fixed it|(?:was|were) it,|helped)\b|有用|有效了|见效|管用",
    re.IGNORECASE,
)
FAILS = re.compile(
    r"""
    \bstill\ (?:\w+\ )?(?:
        no | not | slips? | fails? | broken | the\ same | wrong | hangs? | leaks? | there | does\ not
        | doesn't | is\ not | isn't | won't
    )\b
    | \bstill\ \w+s\b | \b(?:did\ not|didn't|does\ not|doesn't)\ (?:work|help|fix)\b | \bnot\ working\b
    | \bno\ luck\b | \bsame\ (?:error|problem)\b | 还是(?:不|没|报错|一样|失败)
    | 没(?:有)?(?:用|效果|解决|条带) | 不管用 | 失败了
    """,
    re.IGNORECASE | re.VERBOSE,
)


def read_user_message(text: str) -> UserMessage:
    """Read a message of the user once."""
    text = clean_message(text[:LONGEST_MESSAGE])
    sentences: list[UserSentence] = []
    for sentence in split_sentences(text):
        language = detect_language(sentence)
        if len(sentence) > LONGEST_SENTENCE or is_hypothetical(sentence, language):
            continue
        sentences += [_read_part(part, language) for part in _split_parts(sentence, language)]
        if hands_over_material(sentence, language) and is_about_made_up_text(sentence):
            break
    return UserMessage(text, detect_language(text), tuple(sentences[:MOST_SENTENCES]))


# "Good, now draft it": what is praised and what is asked for are two things.
_PRAISE_FIRST = re.compile(
    r"""
    ^(
        (?:
            nope | no | yes | good | great | perfect | nice | ok(?:ay)? | right | exactly | better
            | thanks | thank\ you | lovely | excellent | that's\ (?:great|good|better|right)
        )(?:\ \w+)?[,.!]
    )\ +(?=\S)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PRAISE_FIRST_ZH = re.compile(
    "^((?:好的?|很好|不错|可以|行|对|不对|不是|嗯|太好了|没问题|谢谢)[，,！!]) *(?=.)"
)
_SELF_BEHIND = re.compile(
    r"""
    ,?\ (?:because\ |since\ |as\ )?(?=
        (?:I|we)\ (?:
            do\ not | don't | never | always | only | hate | love | prefer | like | want | need | cannot
            | can't | have\ no
        )\b
    )
    """,
    re.VERBOSE,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|will|would|can|cannot|could|should|must|may|might|does|did"
    r"|do|i|we|you|they|he|she|it|[a-z]+ed|[a-z]{3,}s)\b|'(?:s|m|re|ve|ll|d)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(?:,? (?:and|but|so) |, |; )(?=(?:also |then |please |never |always |do not |don't )?[a-z]+ )",
    re.IGNORECASE,
)


def _split_parts(sentence: str, language: str) -> Iterator[str]:
    """The sentence, parted where an order follows a statement; reasons behind an order stay with it."""
    sentence = " ".join(sentence.split())
    praise = (_PRAISE_FIRST_ZH if language == "zh" else _PRAISE_FIRST).match(sentence)
    if praise:
        yield praise[1]
        sentence = sentence[praise.end() :]
    if (
        language != "zh"
        and (self_stated := _SELF_BEHIND.search(sentence))
        and not is_order(sentence, language)
    ) and not _OF_USER.match(sentence):
        yield sentence[: self_stated.start()]
        sentence = sentence[self_stated.end() :]
    if language != "zh" and not is_order(sentence, language):
        for joint in _JOINT.finditer(sentence):
            rest = sentence[joint.end() :]
            before = sentence[: joint.start()]
            if is_order(rest, language) and len(before.split()) > 2 and _FINITE.search(before):
                yield before
                yield rest
                return
    yield sentence


def _read_part(part: str, language: str) -> UserSentence:
    signs = find_signs(part, language)
    if is_courtesy(part) or MessageSign.GIVES_UP in signs:
        return UserSentence(part, language, signs)
    gives_order = is_order(part, language)
    if gives_order and language == "zh":
        return _read_part_zh(part, signs)
    asked = not gives_order and (is_question(part, language) or bool(_POLITE_QUESTION.match(part)))
    order = as_instruction(part, language) if gives_order else ""
    liking = "" if gives_order or asked else _write_liking(part, language)
    if (
        len(set(extract_keywords(order))) < 2
        and not _NEGATIVE_ORDER.match(order)
        and not re.search("[\u4e00-\u9fff]{4}", order)
    ):
        order = ""
    return UserSentence(
        part, language, signs, order=order, liking=liking, is_question=asked, is_problem=is_problem(part)
    )


def _read_part_zh(sentence: str, signs: frozenset[MessageSign]) -> UserSentence:
    """Clause by clause: orders, what is said of the user, and what stands beside them."""
    clauses = split_chinese_request(sentence)
    ordered = [is_order_clause_zh(clause) for clause in clauses]
    for at in range(1, len(clauses)):  # 我膝盖不好，不能跑步: what somebody cannot do is no order
        ordered[at] = ordered[at] and not (
            _OF_USER_ZH.match(clauses[at - 1]) and re.match("不(?:能|会|想|吃|喝)", clauses[at])
        )
    likings, reasons, orders = list[str](), list[str](), list[str]()
    leans = False
    for at, clause in enumerate(clauses):
        if ordered[at]:
            order = clause if orders else as_instruction(_YOU_ZH.sub("", clause), "zh")
            # 十道太多了，减到四道: what is to be cut stands before.
            leans |= len(order) <= _SHORT_ZH and at > 0 and not ordered[at - 1] and not orders
            orders.append(order)
        elif _OF_USER_ZH.match(clause) or (at > 0 and clauses[at - 1] in likings):
            likings.append(clause)
        elif orders and _PURPOSE_ZH.match(clause):
            orders.append(as_instruction(clause, "zh"))
        elif not orders or _CAUSE_ZH.search(clause):
            reasons.append(clause)
    beside = "，".join(reasons)
    liking = "" if _FOR_NOW.search("".join(likings)) else "，".join(likings)
    return UserSentence(
        sentence,
        "zh",
        signs,
        order="，".join(orders),
        liking=liking,
        reason=as_instruction(beside, "zh") if beside else "",
        leans=leans,
        is_problem=is_problem(sentence),
    )


_YOU_ZH = re.compile("^你(?=先|再|得|把|别|不要|直接|最好)")
_PURPOSE_ZH = re.compile("方便|以便|好让|这样|以免|免得|避免|省得")
_CAUSE_ZH = re.compile("上次|上回|去年|前年|之前|以前|因为|由于|不然|否则|要用|所以|[了过]$")
# An order of so few letters has no object of its own.
_SHORT_ZH = 5
_POLITE_QUESTION = re.compile(
    r"^(?:how|what|why|when|where|who|which)\b|^(?:怎么|为什么|什么|哪)", re.IGNORECASE
)
NO_ORDER = re.compile(
    r"""
    ^(?:
        go\ ahead | do\ it | go\ on | continue | proceed | send\ it | let's\ go | let's\ do\ it | book\ it
        | go\ with | tell\ me\ (?:a\ story|more) | try\ again | start\ over | never\ mind | forget\ it
    )\b
    | ^(?:发吧|继续|开始吧|去吧|就这样|就这么办|就按这个|按这个|重新|再来|试试|订吧)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEGATIVE_ORDER = re.compile(
    r"""
    ^(?:(?:and|but|also|so|please|oh)[, ]+)*(?:
        do\ not | don't | never | no\ more | stop | avoid
        | no\ (?!idea|problem|one|thanks|need|worries|way|luck|more|band|change)(?=[a-z])
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AFTER_CONDITION = re.compile(
    r"""
    ^(?:(?:and|but|also)[, ]+)?(?:
        before | after | when | whenever | if | once | every\ time | each\ time | for\ (?:every|each|all)
        | from\ now\ on | in\ future | in\ the\ future | next\ time | as\ soon\ as | until | unless | with
        | in | on
    )\ ?[^,]{0,80},\ (?P<rest>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REQUIRES = re.compile(
    r"""
    ^(?:the|every|each|all|any|no|its?|they|this|that|these|those|[\w-]+s)\b[^,.;]{0,60}?\ (?:
        must | has\ to | have\ to | needs?\ to | should | ought\ to | may\ not | cannot | can't | shall
    )\ (?!have\ been)\w+
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "Bob Martinez works in Lisbon", "Will Hart is away": some first names are verbs, too.
_NAME_FIRST = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+ (?:[a-z]+s|[a-z]+ed|has|had|will|can|left|went|got)\b")


def is_order(part: str, language: str) -> bool:
    if NO_ORDER.match(part.strip()):
        return False
    if language == "zh":
        return _is_order_zh(part)
    bare = _strip_part(part)
    if NO_ORDER.match(bare) or _NAME_FIRST.match(bare):
        return False
    if asks_for_action(bare, "en") and not _WANTS_FOR_SELF.match(bare):
        return not (
            is_question(bare, "en")
            and not re.match(r"(?:can|could|would|will) (?:you|we)\b|would you mind\b", bare, re.IGNORECASE)
        )
    if _NEGATIVE_ORDER.match(bare) or (asks_under_condition(bare) and not is_question(bare, "en")):
        return True
    condition = _AFTER_CONDITION.match(bare)
    if condition:
        return is_order(condition["rest"], language)
    always = re.sub(
        r"^(?:always|never|first|only|just|next time|from now on|going forward|in (?:the )?future),? ",
        "",
        bare,
        flags=re.IGNORECASE,
    )
    if _follows_manner(bare) or (
        MANNER.match(bare) and not is_question(bare, "en") and len(bare.split()) > 2
    ):
        return True
    if always != bare and _NEGATIVE_ORDER.match(always):
        return True
    return (always != bare and asks_for_action(always, "en")) or bool(
        _REQUIRES.match(bare) and not is_question(bare, "en")
    )


def _follows_manner(bare: str) -> bool:
    """ "Firm but polite, and name a deadline": how, and then what."""
    for joint in _JOINT.finditer(bare):
        before = bare[: joint.start()]
        if (
            len(before.split()) <= _LONGEST_MANNER
            and not _FINITE.search(before)
            and asks_for_action(bare[joint.end() :], "en")
        ):
            return True
    return False


_LONGEST_MANNER = 6
_LEADS = re.compile(
    r"""
    ^(?:
        (?:
            and | but | so | also | then | now | oh | ok | okay | well | wait | h+m+ | um+ | actually
            | instead | again | another\ thing | one\ more\ thing | by\ the\ way | btw | please
        )\b[,:]?\ +
    )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I want a plan": what is wanted from the assistant; "I want native plants only": a liking.
_WANTS_FOR_SELF = re.compile(
    r"""
    ^(?:I|we)\ (?:really\ |just\ |only\ |also\ |still\ )*(?:
        want | need | prefer | would\ like | would\ love | 'd\ like | have\ to | am\ trying | are\ trying
        | am\ looking
    )\b(?!\ (?:you|it|them|this|that|to|your\ help|help)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _strip_part(part: str) -> str:
    return _LEADS.sub("", part.strip().replace("’", "'"))


_MODAL_ZH = re.compile(
    rf"""
    ^(?!{_WORDS["no_modals_zh"]}|[^，。]{{0,8}}(?:{_WORDS["speech_zh"]}))
      [^，。]{{1,12}}?(?:{_WORDS["modals_zh"]})[^，。]+
    | ^(?:每|所有|全部|凡是)[^，。]{{1,16}}(?:{_WORDS["each_zh"]})[^，。]*
    | ^[\u4e00-\u9fff]{{1,6}}(?:写|标|讲|说|列|画)(?:清楚?|明|出|上)[^，。]*
    | ^[^，。我你他她的]{{2,16}}的(?:都?要|就|先|得|一律|统一|全部|单独)(?!是|好|看|有)[^，。]{{2,}}
    | ^(?:控制在|最多)?[0-9一二三四五六七八九十百千两半]+[\u4e00-\u9fff]{{1,2}}(?:以内|以下|之内)$
    """,
    re.VERBOSE,
)
_ORDERS_ZH = re.compile(
    rf"^(?:{_WORDS['orders_zh']}|.{{2,8}}之前先|.{{2,8}}(?:之后|以后)再?)(?=.{{2,}})", re.VERBOSE
)
_PAST_ZH = re.compile("[了过](?:$|[，。！])")
_SELF_ZH = re.compile("^(?:我|咱|我们|他|她|它|你)(?!们?(?:想|要|希望)(?:让)?你)")


def _is_order_zh(sentence: str) -> bool:
    ends_as_question = re.search("(?:[?？]|[吗呢])[。！!]?$", sentence) is not None
    if ends_as_question and not re.match("(?:你)?(?:能不能|能否|可以|可不可以|可否)", sentence):
        return False
    return any(is_order_clause_zh(clause) for clause in split_chinese_request(sentence))


def split_chinese_request(sentence: str) -> list[str]:
    return [part for clause in re.split("[，,；;]", sentence) if (part := clause.strip(" 。！!？?～~"))]


def is_order_clause_zh(clause: str) -> bool:
    if re.match("(?:先|再|然后|接着|最后)(?!说|次|见|也|怎么)[^，]{2,}", clause) and not _PAST_ZH.search(
        clause
    ):
        return True
    bare = _LEAD_ZH.sub("", clause)
    if re.match("(?:下|这|本|明|后|今)[^，]{0,3}(?:要|得|打算|准备)", bare):
        return False
    if (
        not bare
        or NO_ORDER.match(bare)
        or re.match("(?:上次|上回|去年|前年|之前|以前|因为|由于|所以|不然|否则)", bare)
    ):
        return False
    if re.match("(?:请|麻烦|帮|给我|替我|为我|[跟和陪]我)", bare):
        return True
    if is_problem(bare) or _SELF_ZH.match(bare):
        return False
    if _ORDERS_ZH.match(bare) or (_MODAL_ZH.match(bare) and not _PAST_ZH.search(bare)):
        return True
    return asks_for_action(bare, "zh")


_LEAD_ZH = re.compile(
    r"""
    ^(?:
        另外 | 还有 | 此外 | 顺便 | 然后 | 那么? | 接着 | 接下来 | 现在 | 再 | 也 | 还 | 对了 | 好的? | 嗯
        | 以后 | 今后 | 下次 | 这次 | 记得 | 别忘了? | 你(?=先|再|得|把|别|不要|直接|最好)
    )+(?=.{2,})
    """,
    re.VERBOSE,
)
_OF_USER = re.compile(
    r"""
    ^(?:(?:and|but|so|also|no|yes|on\ [a-z]+s)\b,?\ )*(?:I|we|my|our)\b(?!
        \ (?:
            think | guess | believe | mean | see | saw | understand | know | wonder | said | told | asked
            | am\ going | are\ going | will | was | were | went | had | got | just | did
            | have\ (?!no|only|to) | need\ (?:you|to) | want\ to\ (?:know|ask)
            | would\ like\ to\ (?:know|ask)
        )
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LEFT_OUT = re.compile(
    r"^(?:not (?:really |very )?(?:interested|keen|into|a fan|fond)|allergic to|vegetarian|vegan|no need for)\b",
    re.IGNORECASE,
)
_OF_USER_ZH = re.compile(
    r"""
    ^(?:不想|不喜欢|不爱|讨厌|喜欢|更喜欢|不吃|不喝|受不了|没兴趣|对.{1,8}(?:过敏|感兴趣|没兴趣|不感兴趣))
    | ^(?:而且|但是?|不过|另外|还有)?(?:我|咱|我们|我家|我们家)(?!
          觉得 | 认为 | 想问 | 想知道 | 知道 | 以为 | 看 | 说 | 刚 | 们?(?:要|想|打算|准备)(?!的是)
          | [^，]{0,8}[了过]
      )
    """,
    re.VERBOSE,
)
_FOR_NOW = re.compile(
    r"""
    \b(?:
        today | tomorrow | tonight | this\ (?:week|weekend|month|time|evening)
        | next\ (?:week|month|weekend) | right\ now | at\ the\ moment
    )\b
    | 今天 | 明天 | 今晚 | 这周 | 本周 | 下周 | 这个月 | 下个月
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _write_liking(part: str, language: str) -> str:
    """Write what the sentence says of the user that holds beyond today, in the user's words."""
    if _FOR_NOW.search(part) or is_problem(part) or FAILS.search(part):
        return ""
    if language == "zh":
        clauses = split_chinese_request(part)
        first = next((at for at, clause in enumerate(clauses) if _OF_USER_ZH.match(clause)), None)
        return "，".join(clauses[first:]) if first is not None and len(part) > 3 else ""
    if _LEFT_OUT.match(part):
        return f"I am {lower_first(part)}"
    if _OF_USER.match(part.replace("’", "'")) and len(set(extract_keywords(part))) > 1:
        return part
    return ""


def says_enough(text: str) -> bool:
    return len(text) >= 4 and len(set(extract_keywords(text))) >= 2
