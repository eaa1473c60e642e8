"""Distill lessons from a finished task by rules: only what its messages show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.statements import is_question
from memories.text.secrets import mask_text
from memories.text.tools.complaints import detect_error_type
from memories.text.tools.experience import write_experience
from memories.text.tools.runs import ToolRun, ToolStep, find_runs, show_arguments
from memories.text.tools.verdicts import FAILURE, SUCCESS
from memories.text.tools.voices import get_voice
from memories.text.words import language_detection
from memories.text.words.spacing import shorten_text
from skills.learning.rules.distill_facts import extract_facts
from skills.learning.rules.statements.text_similarity import TextSimilarity
from skills.learning.rules.wordings import SkillWording, get_wording
from skills.reading.messages.assistant import list_stated_steps
from skills.reading.messages.feedback import judges_work, rejects_all, replaces_action
from skills.reading.messages.requests import read_ask
from skills.reading.messages.signs import MessageSign, admits_failure, asks_back, asks_leave, find_signs
from skills.reading.messages.user import is_order, read_user_message
from skills.reading.messages.user_findings import rewrite_omission, with_thing
from skills.reading.progress import extract_gist
from skills.reading.quality import is_sound
from skills.reading.talk import ASSISTANT, USER, build_turns
from skills.reading.verbs import asks_for_action, is_standing_order
from skills.reading.wording import find_antecedent, name_task
from skills.values import LessonKind

if TYPE_CHECKING:
    from skills.learning.distill_engine import DistillationCase

NAME = "local-1"
_MOST_NOTES, _MOST_DECISIONS, _MOST_STEPS = 12, 6, 8
_LONGEST = 300
# How near a task must come to what a skill is for, that it is kept although it is trivial otherwise.
CONCERNS_FROM = 0.30
_DECIDING = re.compile(
    r"""
    \b(?:
        because | instead | decided | chose | since | rather\ than | so\ that | to\ avoid | turned\ out
        | the\ reason | due\ to | root\ cause | caused\ by
    )\b
    | 因为 | 改用 | 决定 | 选择了 | 由于 | 原因是 | 为了避免 | 而不是
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What only instructions begin with, and requests hardly ever.
_STEP = re.compile(
    r"""
    (?:
        first | then | next | finally | back\ up | click | press | enter | type | go | wait | launch
        | drag | tap | navigate | ensure | make\ sure | use | keep | avoid | log | sign | mix | add | boil
        | stir | heat | pour | begin | follow
    )\b
    | (?:先|再|然后|点击|进入|输入|等待|确保|使用|登录|前往|避免|保持|打开)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SHOULD = re.compile(
    r"""
    \b(?:you|it|this|we|they)\ (?:should|must|have\ to|need\ to|ought\ to|had\ to)\b | \bnext\ time\b
    | 应该 | 必须 | 得先 | 下次(?:先|要|别)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LISTED = re.compile(r"^[ \t]*(?:\d{1,2}[.)、]|[-*•])[ \t]+(\S.{3,200})$", re.MULTILINE)


def find_lessons(case: DistillationCase) -> list[tuple[LessonKind, dict[str, Any]]]:
    """A method or a mistake, and what was said of people and things beside it."""
    lessons: list[tuple[LessonKind, dict[str, Any]]] = []
    near = TextSimilarity()
    if not case.is_planning:
        stated = _Narration(case).success(near) if case.is_success else _Narration(case).failure()
        if stated:
            lessons.append((LessonKind.SUCCESS if case.is_success else LessonKind.FAILURE, stated))
    facts = extract_facts(case.messages, case.preferences, case.skills, near)
    if facts:
        lessons.append((LessonKind.FACTS, {"task_goal": "" if lessons else case.goal, "facts": facts}))
    return lessons


class _Narration:
    """One task in words, in the language of its request."""

    def __init__(self, case: DistillationCase) -> None:
        self._case = case
        self._language = language_detection.detect_language(case.goal)
        self._say: SkillWording = get_wording(self._language)
        self._voice = get_voice(self._language)
        runs = find_runs(build_turns(case.messages))
        self._steps: list[ToolStep] = [step for run in runs for step in run.steps]
        self._objected_at = self._find_objections()
        self._objections = list(self._objected_at.values())
        self._reports = [
            message.text for message in case.messages if message.role == ASSISTANT and message.is_said
        ]

    def success(self, near: TextSimilarity) -> dict[str, Any]:
        """Empty where there is nothing that somebody could do again, or note."""
        pattern = self._tell_pattern()
        if not self._was_done(near, has_pattern=bool(pattern)):
            return {}
        return {
            "task_goal": self._case.goal,
            "approach": self._tell_approach(),
            "key_decisions": self._list_decisions(),
            "generalizable_pattern": pattern,
            "applies_when": self._say.applies(self._case.goal),
        }

    def failure(self) -> dict[str, Any]:
        broken = [step for step in self._steps if step.verdict.status == FAILURE]
        point = self._find_failure_point(broken)
        if not point:
            return {}
        better = self._find_better(broken, point)
        return {
            "task_goal": self._case.goal,
            "failure_point": point,
            "flawed_reasoning": self._find_flaw(broken),
            "what_should_have_been_done": better,
            "prevention_principle": self._say.prevents(self._case.goal, better or self._say.checks(point)),
            "applies_when": self._say.applies(self._case.goal),
        }

    # Success

    def _was_done(self, near: TextSimilarity, *, has_pattern: bool) -> bool:
        """Something was made or changed for the user; a question and its answer are trivia."""
        if has_pattern or self._objections:
            return True
        goal = self._case.goal
        is_work = is_order(goal, self._language)
        return bool(self._reports) and (is_work or self._concerns(near))

    def _concerns(self, near: TextSimilarity) -> bool:
        """Return whether a skill of the space is for such things, by its description."""
        summary = " ".join([self._case.goal, *(extract_gist(text) for text in self._reports[-2:])])[:_LONGEST]
        near.expect([summary, *(description for _, description in self._case.skills)])
        return any(
            near.between(summary, description) >= CONCERNS_FROM for _, description in self._case.skills
        )

    def _tell_approach(self) -> str:
        """The agent's steps, as it described them."""
        notes = [
            note
            for note, following in pairwise([*self._case.progresses, ""])
            if not self._say.is_setback(note) and not self._say.is_failed_call(note, following)
        ]
        notes = notes or [gist for text in self._reports if (gist := extract_gist(text))]
        steps = [step for note in notes for step in _list_steps_of(note)]
        undone = self._list_undone()
        return self._say.join(
            (
                [step for step in steps if step not in undone]
                or [note for note in notes if note not in undone]
                or steps
                or notes
            )[-_MOST_NOTES:]
        )

    def _list_undone(self) -> set[str]:
        """List what the agent reported and the user then wanted otherwise: the same action in another way, or all of
        it."""
        undone = set[str]()
        for at, objection in self._objected_at.items():
            before = [
                extract_gist(message.text)
                for message in self._case.messages[:at]
                if message.role == ASSISTANT and message.is_said
            ]
            wanted = self._write_instructions(objection)
            undone |= {
                action
                for gist in before
                for action in _list_note_and_steps(gist)
                if any(replaces_action(instruction, action) for instruction in wanted)
            }
            if before and any(
                rejects_all(sentence, self._language) for sentence in split_sentences(objection)
            ):
                undone |= {*_list_note_and_steps(before[-1])}
        return undone

    def _list_decisions(self) -> list[str]:
        stated = [self._say.wanted(text) for text in self._objections if not self._write_instructions(text)]
        undone = self._list_undone()
        for text in self._reports:
            stated += [
                sentence
                for sentence in split_sentences(clean_message(text[:4_000]))
                if _DECIDING.search(sentence)
                and sentence not in undone
                and not is_question(sentence, self._language)
            ]
        return [_shorten_quote(decision) for decision in dict.fromkeys(stated)][:_MOST_DECISIONS]

    def _tell_pattern(self) -> str:
        """Return what to do about such a request next time; "" where the talk shows no method."""
        goal = _shorten_quote(name_task(self._case.goal, self._language) or self._case.goal.rstrip(".。!！"))
        if any(step.verdict.status == SUCCESS for step in self._steps):
            stated = write_experience(ToolRun(goal, None, self._steps), self._voice)
        elif listed := self._list_steps():
            stated = self._say.method(goal, listed)
        else:
            stated = self._tell_wishes(goal)
        if stated and self._objections and self._steps:
            stated += self._say.also(self._objections[-1])
        return stated

    def _tell_wishes(self, goal: str) -> str:
        """Return what the user asked for on the way, as instructions; in the user's words where these are none."""
        if not self._objections:
            return ""
        instructions = [
            instruction for text in self._objections for instruction in self._write_instructions(text)
        ]
        if instructions:
            return self._say.method(goal, instructions[-_MOST_STEPS:])
        return self._say.wish(goal, self._list_mended())

    def _write_instructions(self, objection: str) -> list[str]:
        is_english = self._language == "en"
        return find_instructions(
            objection, find_antecedent(name_task(self._case.goal, "en")) if is_english else ""
        )

    def _list_mended(self) -> list[tuple[str, str]]:
        """List what the user objected to, and what the agent then did about it."""
        mended = []
        for at, objection in self._objected_at.items():
            after = [message.text for message in self._case.messages[at + 1 :] if message.role == ASSISTANT]
            mended.append((objection, next((gist for text in after if (gist := extract_gist(text))), "")))
        return mended[-3:]

    def _list_steps(self) -> list[str]:
        """The steps of a list that the agent gave, the last of two or more."""
        for text in reversed(self._reports):
            items = [match.group(1).strip() for match in _LISTED.finditer(text)]
            steps = [
                item
                for item in items
                if asks_for_action(item, language_detection.detect_language(item)) or _STEP.match(item)
            ]
            # What is mostly things, and not things to do, is no method.
            if len(steps) > 1 and 2 * len(steps) > len(items):
                return items[:_MOST_STEPS]
        return []

    # Failure

    def _find_failure_point(self, broken: Sequence[ToolStep]) -> str:
        """The user's own words on it first, then the agent's, then the tool's."""
        complaint = self._find_said_with(MessageSign.COMPLAINS)
        if complaint:
            return self._say.complained(_shorten_quote(complaint))
        admitted = next((gist for text in reversed(self._reports) if (gist := _find_admission(text))), "")
        if admitted:
            return _shorten_quote(admitted)
        if broken:
            return self._say.broke(
                broken[-1].tool, broken[-1].verdict.reason or broken[-1].verdict.error_type
            )
        given_up = self._find_said_with(MessageSign.GIVES_UP)
        return self._say.gave_up(_shorten_quote(given_up)) if given_up else ""

    def _find_flaw(self, broken: Sequence[ToolStep]) -> str:
        """Find what the agent had done, as it said, when it went wrong."""
        if broken:
            last = broken[-1]
            return self._say.called(last.tool, show_arguments(last.arguments))
        at = next(
            (
                at
                for at, message in enumerate(self._case.messages)
                if message.role == USER and MessageSign.COMPLAINS in read_ask(message.text).signs
            ),
            len(self._case.messages),
        )
        before = [m.text for m in self._case.messages[:at] if m.role == ASSISTANT and m.is_said]
        stated = "" if not before or admits_failure(before[-1]) else extract_gist(before[-1])
        return self._say.assumed(stated) if stated else ""

    def _find_better(self, broken: Sequence[ToolStep], point: str) -> str:
        """Find what the user asked for instead, or what worked in the end, or what the kind of error calls for."""
        corrections = [text for text in self._objections if MessageSign.RETRIES in read_ask(text).signs]
        if corrections:
            return self._say.wanted(_shorten_quote(corrections[-1]))
        if advice := self._find_advice():
            return self._say.wanted(_shorten_quote(advice))
        worked = [step for step in self._steps if step.verdict.status == SUCCESS]
        if broken and worked and self._steps.index(worked[-1]) > self._steps.index(broken[-1]):
            return self._say.worked(worked[-1].tool, show_arguments(worked[-1].arguments))
        kind = broken[-1].verdict.error_type if broken else detect_error_type(point)
        return self._voice.advice(kind) if broken or kind != "error" else ""

    def _find_advice(self) -> str:
        """Find what the user says should have been done, behind what the agent did."""
        spoken = [message for message in self._case.messages if message.role == USER and message.is_said][1:]
        for message in reversed(spoken):
            for sentence in split_sentences(clean_message(message.text)):
                if _SHOULD.search(sentence) and not is_question(
                    sentence, language_detection.detect_language(sentence)
                ):
                    return sentence
        return ""

    # What the user said

    def _find_objections(self) -> dict[int, str]:
        """Find what the user wanted otherwise, after the first request: by the place of the message."""
        stated: dict[int, str] = {}
        asked, is_first = "", True
        for at, message in enumerate(self._case.messages):
            if not message.is_said:
                continue
            if message.role == ASSISTANT:
                asked = message.text
            elif message.role == USER and is_first:
                is_first = False
            elif message.role == USER:
                then = next(
                    (m.text for m in self._case.messages[at + 1 :] if m.role == ASSISTANT and m.is_said), ""
                )
                if objection := _read_objection(message.text, asked, then):
                    stated[at] = _shorten_quote(" ".join(objection.split()))
        return stated

    def _find_said_with(self, sign: MessageSign) -> str:
        for message in reversed(self._case.messages):
            if message.role != USER or not message.is_said:
                continue
            for sentence in split_sentences(clean_message(message.text)):
                if sign in find_signs(sentence, language_detection.detect_language(sentence)):
                    return sentence
        return ""


def _read_objection(text: str, before: str, then: str) -> str:
    """Return what a message wants otherwise, "" where nothing; the agent said one thing `before`, which it may answer,
    and another `then`."""
    signs = read_ask(text).signs
    sentences = split_sentences(clean_message(text))
    if MessageSign.CONFIRMS in signs:  # besides praise, only what is to hold every time
        return " ".join(sentence for sentence in sentences if is_standing_order(sentence))
    if (
        signs & {MessageSign.RETRIES, MessageSign.COMPLAINS}
        or read_user_message(text).orders
        or find_instructions(text)
    ):
        return text
    is_answer = asks_back(before) or asks_leave(before)
    return (
        text
        if not is_answer and any(judges_work(sentence, bool(extract_gist(then))) for sentence in sentences)
        else ""
    )


def _list_note_and_steps(note: str) -> list[str]:
    """A note, and the steps that it tells of."""
    return [note, *_list_steps_of(note)]


def _list_steps_of(note: str) -> list[str]:
    return list_stated_steps(note) or ([note] if _says_why(note) else [])


def _says_why(note: str) -> bool:
    """Return whether a note may stand as it is: what an agent says of itself is no step for somebody else, but a reason
    is."""
    return not _OF_AGENT.match(note) or bool(_DECIDING.search(note))


_OF_AGENT = re.compile(r"(?:I|we)\b|(?:好的?，)?我", re.IGNORECASE)


def find_instructions(text: str, thing: str = "") -> list[str]:
    """The orders of a user's message, and what it says was forgotten, as instructions.

    `thing` is what is worked on ("the email"), for an order that calls it "it". What says nothing alone is left out.
    """
    instructions: list[str] = []
    for sentence in read_user_message(text).sentences:
        orders = (
            rewrite_omission(sentence),
            _keep_sound(with_thing(sentence.order, thing), sentence.language),
        )
        instructions += [order for order in orders if order and is_sound(order, sentence.language)]
    return list(dict.fromkeys(instructions))


def _keep_sound(order: str, language: str) -> str:
    """The order without a reason that only makes sense beside what was said before: ", they split it"."""
    head = order.split(", ", 1)[0]
    return head if language == "en" and not is_sound(order, "en") and is_sound(head, "en") else order


def _find_admission(text: str) -> str:
    if not admits_failure(text):
        return ""
    sentences = [
        sentence for sentence in split_sentences(clean_message(text[-2_000:])) if admits_failure(sentence)
    ]
    return sentences[0] if sentences else extract_gist(text)


def _shorten_quote(text: str) -> str:
    """Return what is quoted, without secrets, which a user may have given to the agent."""
    return shorten_text(mask_text(text), _LONGEST)
