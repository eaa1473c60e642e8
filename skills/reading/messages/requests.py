"""What one message of the user asks for: each request in the user's own words, and what else the message lets know."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.text.claims.notes import find_note
from memories.text.claims.reading import read_message
from memories.text.claims.wishes import find_wish
from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import hands_over_material, is_hypothetical, is_question, is_request
from memories.text.en.third_person import expand_contractions, lower_shouting
from memories.text.words import language_detection
from memories.text.words.spacing import shorten_text
from memories.text.zh.third_person import remove_thanks
from skills.reading.messages.signs import MessageSign, find_signs, is_problem
from skills.reading.verbs import asks_for_action, is_standing_order, remove_lead

# A message up to this long is the description of its one request as it is.
_LONGEST_WHOLE = 240
_LONGEST_REQUEST = 400
_LONGEST_WISH = 120
_HEAD, _TAIL = 3_000, 1_000
_MOST_REQUESTS = 12

_JOINT_EN = re.compile(
    r"""
    (?:\s*[,;]\s*|\s+)(?:and|then|plus|and\ then|and\ also|also|as\ well\ as|,\ then|but\ also)\s+
    (?:also\s+|then\s+|please\s+|finally\s+|next\s+)*
    | \s*;\s* | ,\s+(?=(?:please|also|then|can\ you|could\ you|would\ you)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JOINT_ZH = re.compile("[，,；;。]\\s*")
_NEXT_ZH = re.compile(
    "^(?:另外|还有|顺便|再|然后|同时|并且|接着|以及|最后|此外|也|并)|^(?:请|帮|麻烦|给我|能不能|可以)"
)
_REPORTING = re.compile(
    r"""
    ^(?:(?:please|then|also|and|just)\s+)*(?:
        tell | show | let | inform | notify | report | give | send | explain | summari[sz]e | return
        | print | share | paste | reply | respond | answer | say | confirm | make\ sure | ensure
        | check\ (?:that|if|whether) | see\ (?:if|what|whether) | try
    )\b(?:
        \s+(?:to\ )?(?:
            me | us | know | back | that | it | them | if | whether | what | how | why
            | the\ (?:results?|output|findings|answer|outcome|summary|link|steps)
        )\b
        | [.!?]*$
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
ANAPHORIC = re.compile(
    r"""
    ^(?:(?:please|then|also|and|just|can\ you|could\ you|would\ you|will\ you)\s+)*[\w-]+\s+
    (?:(?:up|down|out|in|off|on|to|for|with|into|from)\s+)?(?:
        it | them | this | that | these | those | him | her | both | all\ of\ (?:it|them) | one
        | the\ (?:results?|output|same|rest)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REPORTING_ZH = re.compile(
    r"""
    ^(?:然后|再|并|并且|同时|最后|请)*(?:
        告诉 | 发给 | 发到 | 发我 | 通知 | 跟我说 | 给我(?:看|说|一个|个|结果|答案) | 说明
        | 解释(?:一下)?$ | 总结(?:一下)?$ | 看看 | 确保 | 保证 | 注意 | 记得 | 不要 | 别 | 要(?!求) | 用
    )
    | (?:它|这个|该|结果)
    """,
    re.VERBOSE,
)
_OBJECT_ZH = re.compile("[\u4e00-\u9fffA-Za-z0-9]{4,}")
# What only says how a request is to be done.
MANNER = re.compile(
    r"""
    ^(?:please\ |also\ |and\ |just\ |but\ )*(?:
        use | make\ sure | ensure | keep | include | avoid | don't | do\ not | never | remember
        | note\ that | be | only | follow | assume | consider | limit | ignore | leave | stick
        | start\ with | begin\ with | focus | answer\ in | reply\ in | respond\ in | write\ in | no[ ]
        | without | with\  | it\ (?:should|must|has\ to|needs\ to) | they\ (?:should|must)
        | the\ (?:\w+\ ){1,3}(?:should|must)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MANNER_ZH = re.compile(
    "^(?:请)?(?:用|使用|要(?!求)|不要|别|注意|记得|保持|尽量|确保|最好|格式|只|必须|每个?|字数|语言|风格|不用)"
)
_GREETING = re.compile(
    r"""
    ^(?:hi|hello|hey|dear|good\ (?:morning|afternoon|evening)|您好|你好|早上好|下午好|晚上好|嗨|大家好)
    (?:(?:\ \w+)?[,，!！.。]+\s*|\ (?=\S))
    """,
    re.IGNORECASE | re.VERBOSE,
)


# Requests that somebody's text follows, which asks for nothing itself.
_OF_TEXT = re.compile(
    r"""
    \b(?:
        summari[sz]e | translate | proofread | rewrite | rephrase | edit | review | explain | analy[sz]e
        | correct | shorten | read | classify | extract | polish
    )\b
    | 总结 | 概括 | 翻译 | 润色 | 校对 | 改写 | 审阅 | 解释 | 分析 | 提取 | 修改
    """,
    re.IGNORECASE | re.VERBOSE,
)


# Asks for nothing by itself: what for stands beside it.
_HELP = re.compile(
    r"""
    ^(?:(?:please|hi|hey|and|so)[, ]+)*(?:
        (?:can|could|would|will)\ (?:you|anyone|somebody)(?:\ please)?[ ]
    )?(?:help|assist)(?:\ (?:me|us|out))*(?:\ with\ (?:it|this|that))?(?:,?\ please)?[?.!]*$
    | ^(?:你|您)?(?:可以|能|能不能|可不可以)?(?:请)?帮(?:帮|个)?(?:我|忙|我一下)+[吗么]?[？?！!。]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MORE = re.compile(
    r"""
    ^(?:also|another\ thing|one\ more\ thing|in\ addition|additionally|next|by\ the\ way|btw)\b
    | ^(?:另外|还有|顺便|此外|对了)
    """,
    re.IGNORECASE | re.VERBOSE,
)


ADVICE = re.compile(
    r"""
    ^(?:you|it|this|that|we|they)\ (?:should|must|have\ to|need\ to|ought\ to|could\ have|had\ to)\b
    | ^next\ time\b | ^(?:你)?(?:应该|必须|得先|下次)
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A message of the user, taken apart. `requests` are in its order; `is_empty` when it carries only courtesy."""

    requests: tuple[str, ...]
    signs: frozenset[MessageSign]
    is_empty: bool
    is_problem: bool
    language: str
    # What is said beside requests and courtesy, in the user's words.
    statements: tuple[str, ...] = ()
    # Whether the request comes on top of what was asked before.
    is_more: bool = False


def read_ask(text: str) -> Ask:
    text = _GREETING.sub("", clean_message(_keep_ends(text)), count=1)
    reader = _AskReader()
    for sentence in split_sentences(text):
        language = language_detection.detect_language(sentence)
        reader.add_sentence(sentence, language)
        if hands_over_material(sentence, language) and _OF_TEXT.search(sentence[:80]):
            break
    return reader.ask(text)


def _keep_ends(text: str) -> str:
    """Of a long message its ends: requests stand before or behind what was pasted."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


class _AskReader:
    def __init__(self) -> None:
        self._requests: list[str] = []
        self._signs: set[MessageSign] = set()
        self._statements: list[str] = []
        self._kept: list[str] = []
        self._heading = ""
        self._wants_help = False
        self._items: list[tuple[str, bool]] = []

    def add_sentence(self, sentence: str, language: str) -> None:
        signs = find_signs(sentence, language)
        self._signs |= signs
        if is_courtesy(sentence):
            return
        if _is_heading(sentence) and _asks(sentence, language):
            self._heading = sentence.rstrip(" :：")
            return
        asked = self._split_sentence(sentence, language)
        if self._heading:
            self._items.append((sentence, bool(asked)))
            return
        self._requests += asked
        if not asked:
            self._statements.append(sentence)
        if asked or not (_is_heading(sentence) or signs & _BESIDE or _is_about_user(sentence)):
            self._kept.append(sentence)

    def ask(self, text: str) -> Ask:
        language = language_detection.detect_language(text)
        self._close_list(language)
        if self._wants_help and not self._requests and self._statements:
            self._requests = [" ".join(self._statements)]
        if MessageSign.GIVES_UP in self._signs:
            # What should have been done is said of the task that is given up.
            self._requests = [request for request in self._requests if not ADVICE.match(request)]
        requests = self._requests[:_MOST_REQUESTS]
        whole = ("" if language == "zh" else " ").join(self._kept)
        if len(requests) == 1 and len(whole) <= _LONGEST_WHOLE and not self._signs & _SETTLED:
            requests = [remove_lead(whole, language)]
        statements = tuple(self._statements)
        return Ask(
            tuple(shorten_text(" ".join(request.split()), _LONGEST_REQUEST) for request in requests),
            frozenset(self._signs),
            not requests and not statements,
            not requests and any(is_problem(statement) for statement in statements),
            language,
            statements,
            bool(_MORE.match(text)),
        )

    def _close_list(self, language: str) -> None:
        """ "Please do this:" and a list: each line is a request where most of them ask for something."""
        if not self._heading:
            return
        heading = remove_lead(self._heading, language)
        if self._items and 2 * sum(asked for _, asked in self._items) >= len(self._items):
            self._requests += [remove_lead(item.strip(" ;；,，"), language) for item, _ in self._items]
            self._kept.append(heading)
        else:
            listed = "; ".join(item.strip(" ;；") for item, _ in self._items)
            self._requests.append(f"{heading}: {listed}" if listed else heading)
            self._kept.append(self._requests[-1])

    def _split_sentence(self, sentence: str, language: str) -> list[str]:
        """The requests of a sentence; what only says how, or what to do with the result, stays with the one before."""
        asked: list[str] = []
        for part in _split_requests(sentence, language):
            goes_on = bool(asked or self._requests) and _goes_on(part, language)
            signs = find_signs(part, language)
            if MessageSign.GIVES_UP in signs or (
                MessageSign.PLANS in signs and not asks_for_action(part, language)
            ):
                continue  # "forget it" is an order too, and "what shall we do first" a question, but nothing to do
            if _is_standing(part, language) or (language != "zh" and is_standing_order(part)):
                continue
            if _HELP.match(part):
                self._wants_help = True
                continue
            if _asks(part, language) and not goes_on:
                asked.append(remove_lead(part, language))
        return asked


# A sentence that settles what was is no part of what is asked for next.
_SETTLED = frozenset({MessageSign.CONFIRMS, MessageSign.GIVES_UP})
_BESIDE = _SETTLED | {MessageSign.PLANS}


def _split_requests(sentence: str, language: str) -> list[str]:
    """The sentence cut before each part that asks for something of its own."""
    parts, start = [], 0
    for joint in (_JOINT_ZH if language == "zh" else _JOINT_EN).finditer(sentence):
        before, after = sentence[start : joint.start()], sentence[joint.end() :]
        if _is_whole(before, language) and _begins_request(after, language):
            parts.append(before)
            start = joint.end()
    return [part.strip(" ,;，；、") for part in [*parts, sentence[start:]]]


def _begins_request(rest: str, language: str) -> bool:
    """Return whether what follows is a request of its own."""
    if language != "zh":
        return asks_for_action(rest, language) and not _goes_on(rest, language)
    part = _JOINT_ZH.split(rest, maxsplit=1)[0]
    if not asks_for_action(part, language) or _goes_on(part, language):
        return False
    return bool(_NEXT_ZH.match(part)) and bool(_OBJECT_ZH.search(part))


def _is_whole(part: str, language: str) -> bool:
    """ "Find and fix the bug": the first verb has no object of its own; "going forward also …" only says when."""
    if language == "zh":
        return True
    return len(remove_lead(part, language).split()) > 1 and not _ONLY_WHEN.fullmatch(part.strip(" ,"))


_ONLY_WHEN = re.compile(
    r"(?:next time|from now on|going forward|as a rule|in (?:the )?future)", re.IGNORECASE
)


def _goes_on(part: str, language: str) -> bool:
    if language == "zh":
        return not _MORE.match(part) and bool(_REPORTING_ZH.search(part) or _MANNER_ZH.match(part))
    return bool(_REPORTING.match(part) or ANAPHORIC.match(part) or MANNER.match(part))


def _asks(part: str, language: str) -> bool:
    if asks_for_action(part, language):
        return True
    if is_hypothetical(part, language):
        return False
    return is_question(part, language) or is_request(part, language)


def _is_about_user(sentence: str) -> bool:
    """Who somebody is, and what they like, is no part of what they ask for."""
    return any(claim.slot or claim.is_preference for claim, _ in read_message(sentence).claims)


def _is_standing(part: str, language: str) -> bool:
    """ "Call me Sam", "remember that I eat no meat": how the user wants to be served, and no work."""
    if len(part) > _LONGEST_WISH or re.search(r"[:：]", part):
        return False
    text = remove_thanks(part) if language == "zh" else expand_contractions(lower_shouting(part))
    return bool(find_wish(text, language)) or find_note(text, language) is not None


def _is_heading(sentence: str) -> bool:
    return sentence.rstrip().endswith((":", "：")) and len(sentence) < 80
