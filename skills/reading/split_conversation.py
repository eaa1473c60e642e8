"""Cuts a conversation into the tasks that were worked on in it, and writes down of each how it was done."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from memories.text.quotes.transcripts import find_speakers
from memories.text.words.tokenize import extract_keywords
from memories.values import Turn
from skills.reading.findings import LONGEST_EPISODE, Finding, FindingPart, TaskReading
from skills.reading.messages import assistant
from skills.reading.messages.feedback import replaces_action
from skills.reading.messages.task_request import GOES_ON, TaskRequest, read_request
from skills.reading.messages.user import UserMessage, UserSentence, read_user_message
from skills.reading.messages.user_findings import MessageContext, extract_user_findings, find_person
from skills.reading.quality import is_sound
from skills.reading.talk import build_talk_messages
from skills.reading.task_board import Board
from skills.reading.tasks import segment_messages
from skills.reading.wording import (
    find_antecedent,
    find_work_object,
)

BY = "local-2"
PAUSE = timedelta(hours=6)
MOST_EPISODES = 40
# What was said just before the request belongs to it.
LEADING = 2
# Of so many messages so many characters tell whether there may be a task: this is asked inside a transaction.
MOST_GLANCED_AT, GLANCED_AT = 40, 500

_SWITCH = re.compile(
    r"""
    (?:^|[.!?]\ )(?:
        by\ the\ way | btw | another\ (?:question|thing|topic|task)
        | (?:on|in)\ (?:a|another)\ (?:different|other|completely\ different)\ (?:note|topic|matter)
        | different\ (?:question|topic) | new\ (?:topic|question|task) | something\ else | unrelated
    )\b
    | (?:^|[。！])(?:
          另外问一?个? | 换个话题 | 还有一个问题 | 另一个问题 | 另一件事 | 还有件事 | 题外话 | 说个别的
          | 顺便问
      )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_GOES_ON_ZH = re.compile(
    "(?:再|也|还|另外|顺便|然后|最后|先|每|不要|别|附|加|改|换|删|去掉|把|让|用|标|核对|检查|提交|引用|保留)"
)
_NEW_THING = re.compile(r"\b(?:an?|another|some) [a-z]", re.IGNORECASE)
_NEW_THING_ZH = re.compile(
    r"""
    (?:写|做|订|排|列|设计|规划|制定|准备|翻译|画|备|整理|评审|查)[^，。]{0,6}?(?:一|几|两|三)?
    (?:份|封|篇|个|张|节|本|次|条)
    """,
    re.VERBOSE,
)


@dataclass(slots=True)
class _Stretch:
    """A task as it is being read: the places of its turns, where it was asked for, and the words of its messages."""

    places: list[int] = field(default_factory=list)
    asked: int = 0
    words: set[str] = field(default_factory=set)
    has_order: bool = False
    is_closed: bool = False

    def take(self, at: int, message: UserMessage | None, text: str) -> None:
        self.places.append(at)
        self.words.update(extract_keywords(text[:800]))
        if message is not None:
            self.has_order |= bool(message.orders)
            self.is_closed = message.confirms and not message.orders


def read_conversation_by_rules(turns: Sequence[Turn], positions: Sequence[int]) -> list[TaskReading]:
    """The tasks of a conversation, in order. Talks between named people are nobody's task."""
    if is_between_people(turns):
        return []
    user_messages = [read_user_message(turn.text) if turn.role == "user" else None for turn in turns]
    readings = [
        _read_stretch(stretch, turns, positions, user_messages)
        for stretch in _split_stretches(turns, user_messages)
    ]
    return [reading for reading in readings if reading is not None][-MOST_EPISODES:]


def is_between_people(turns: Sequence[Turn]) -> bool:
    """Return whether most of the lines are those of named people."""
    return 2 * sum(map(bool, find_speakers(turns))) >= len(turns) > 0


def may_hold_a_task(turns: Sequence[Turn]) -> bool:
    """Return whether somebody asks for work at all: a cheap question, asked for every conversation."""
    if is_between_people(turns):
        return False
    messages = (
        read_user_message(turn.text[:GLANCED_AT]) for turn in turns[-MOST_GLANCED_AT:] if turn.role == "user"
    )
    return any(
        message.orders or any(each.is_question or each.is_problem for each in message.sentences)
        for message in messages
    )


def _split_stretches(turns: Sequence[Turn], user_messages: Sequence[UserMessage | None]) -> list[_Stretch]:
    begins = _find_task_starts(turns)
    stretches: list[_Stretch] = []
    leading: list[int] = []
    for at, turn in enumerate(turns):
        message, current = user_messages[at], stretches[-1] if stretches else None
        if message is not None and _begins_task(message, current, turns, at, is_task=at in begins):
            stretches.append(_Stretch(asked=at))
            for before in leading:
                stretches[-1].take(before, user_messages[before], turns[before].text)
            leading = []
            stretches[-1].take(at, message, turn.text)
        elif current is not None and turn.said_at - turns[current.places[-1]].said_at < PAUSE:
            current.take(at, message, turn.text)
        elif (
            leading
            and turns[leading[-1]].role == "user"
            and assistant.list_numbered_steps(turn.text[: assistant.LONGEST_MESSAGE])
        ):
            # Steps answer a problem that was stated without asking for anything.
            stretches.append(_Stretch(asked=leading[-1]))
            for place in [*leading, at]:
                stretches[-1].take(place, user_messages[place], turns[place].text)
            leading = []
        else:
            leading = [*leading, at][-2 * LEADING :]
    return stretches


def _find_task_starts(turns: Sequence[Turn]) -> set[int]:
    """The places at which the reader of sessions begins a task."""
    board = Board()
    segment_messages(board, build_talk_messages(turns, range(len(turns))))
    first: dict[object, int] = {}
    for message, task in board.placed.items():
        first[task.id] = min(first.get(task.id, message.int), message.int)
    return set(first.values())


def _begins_task(
    message: UserMessage, current: _Stretch | None, turns: Sequence[Turn], at: int, *, is_task: bool
) -> bool:
    """Return whether the user turns to another task with this message."""
    is_switch = bool(_SWITCH.search(message.text))
    asks_more = any(sentence.is_question for sentence in message.sentences)
    wants = is_task or bool(message.orders) or (is_switch and asks_more)
    if current is None or len(current.places) >= LONGEST_EPISODE:
        return wants
    if turns[at].said_at - turns[current.places[-1]].said_at >= PAUSE:
        return wants
    if not wants:
        return bool(current.is_closed and asks_more and not _count_shared_words(current, message.text))
    if is_switch:
        return True
    if not is_task and not asks_more:
        return False
    if any(sentence.language == "en" and not is_sound(sentence.order, "en") for sentence in message.orders):
        return False  # "make it shorter": what it is, was said before
    if message.sentences and _SPEAKS_OF_RESULT.match(message.sentences[0].text):
        return False
    if not message.orders:
        return current.is_closed and not _count_shared_words(current, message.text)
    if not current.has_order:
        return not _count_shared_words(current, message.text)
    return not any(_goes_on(sentence) for sentence in message.orders) and not _count_shared_words(
        current, message.text
    )


def _answers_change(action: Finding, findings: Sequence[Finding], asked: int) -> bool:
    """Return whether the assistant only did what the user had asked for just before: the wish says it better."""
    before = [finding for finding in findings if asked < finding.at < action.at and finding.part in _OF_USERS]
    last = max((finding.at for finding in before), default=-1)
    parts = {finding.part for finding in before if finding.at == last}
    return bool(parts & {FindingPart.WISH, FindingPart.CORRECTION}) and FindingPart.FAILURE not in parts


def _is_replaced(action: Finding, findings: Sequence[Finding]) -> bool:
    """Return whether the user then wanted the same done in another way."""
    wishes = [
        finding.text for finding in findings if finding.part is FindingPart.WISH and finding.at > action.at
    ]
    return any(replaces_action(wish, action.text) for wish in wishes)


_OF_USERS = frozenset(
    {FindingPart.WISH, FindingPart.CORRECTION, FindingPart.LIKING, FindingPart.FAILURE, FindingPart.DETAIL}
)


_SPEAKS_OF_RESULT = re.compile(
    r"(?:it|this|that|these|they)\b(?! (?:time|week|month|year|morning))|(?:这个?|它)(?!次|周|个?月)",
    re.IGNORECASE,
)


def _count_shared_words(current: _Stretch, text: str) -> int:
    return len(current.words & set(extract_keywords(text[:800])))


def _goes_on(sentence: UserSentence) -> bool:
    """Return whether the order adds to what there is, or is on a part of it: "now draft the summary"."""
    if sentence.language == "zh":
        return bool(
            _GOES_ON_ZH.match(sentence.order) or _GOES_ON_ZH.match(sentence.text)
        ) or not _NEW_THING_ZH.search(sentence.order)
    return bool(GOES_ON.match(sentence.order)) or not _NEW_THING.search(sentence.order)


def _read_stretch(
    stretch: _Stretch,
    turns: Sequence[Turn],
    positions: Sequence[int],
    user_messages: Sequence[UserMessage | None],
) -> TaskReading | None:
    users = [(at, message) for at in stretch.places if (message := user_messages[at]) is not None]
    if not users:
        return None
    languages = Counter(message.language for _, message in users if not message.is_empty)
    language = languages.most_common(1)[0][0] if languages else users[0][1].language
    asked = user_messages[stretch.asked]
    request = read_request(asked, language) if asked else TaskRequest()
    rest = [
        request.left if sentence is request.sentence else sentence
        for sentence in (asked.sentences if asked else ())
    ]
    thing = find_antecedent(request.title) if language == "en" else ""
    findings: list[Finding] = []
    person = ""
    for at in stretch.places:
        message = user_messages[at]
        if message is not None:
            is_first = at == stretch.asked
            sentences = (
                [sentence for sentence in rest if sentence is not None] if is_first else message.sentences
            )
            person = person or find_person(message.text)
            context = MessageContext(positions[at], person, thing, is_first)
            findings += extract_user_findings(sentences, message, context)
            person = find_person(message.text) or person
        elif turns[at].role == "assistant":
            findings += assistant.extract_assistant_findings(turns[at], positions[at])
    asked_for = request.text.rstrip(".。")
    findings = [
        finding
        for finding in findings
        if not (finding.part is FindingPart.LIKING and finding.text.rstrip(".。") == asked_for)
        and not (
            finding.part is FindingPart.ACTION
            and _answers_change(finding, findings, positions[stretch.asked])
        )
        and not (finding.part is FindingPart.ACTION and _is_replaced(finding, findings))
    ]
    findings += _find_tools(turns, stretch, positions)
    return TaskReading(
        positions[stretch.places[0]],
        positions[stretch.places[-1]],
        find_work_object(request.title, language) or request.title,
        request.text,
        language,
        tuple(_iterate_distinct(findings)),
        BY,
        positions[stretch.asked],
        request.title,
        "",
    )


def _find_tools(turns: Sequence[Turn], stretch: _Stretch, positions: Sequence[int]) -> list[Finding]:
    called = [(at, turns[at]) for at in stretch.places if turns[at].calls]
    names = assistant.get_called_tools([turn for _, turn in called])
    if not names:
        return []
    return [
        Finding(FindingPart.TOOLS, ", ".join(f"`{name[:60]}`" for name in names), positions[called[0][0]])
    ]


def _iterate_distinct(findings: Sequence[Finding]) -> Iterator[Finding]:
    seen = set[tuple[FindingPart, str]]()
    for finding in findings:
        if (finding.part, finding.text) not in seen:
            seen.add((finding.part, finding.text))
            yield finding
