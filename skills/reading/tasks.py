"""The reader of sessions that needs no model: which requests there are, and how each of them went.

The user's words make and end tasks; what the agent does in between are its steps. A task succeeds when the user says
so or goes on to something else after work without errors; it fails when the user says so or gives up, or when the
agent has to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.text.clauses.sentences import split_sentences
from memories.text.tools.runs import show_message
from memories.text.tools.verdicts import FAILURE, judge_result
from memories.text.words import language_detection, tokenize
from memories.values import ToolCall
from skills.reading.messages.feedback import is_of_speaker, leaves_out_object
from skills.reading.messages.preferences import find_preferences
from skills.reading.messages.requests import ADVICE, ANAPHORIC, MANNER, Ask, read_ask
from skills.reading.messages.signs import (
    MessageSign,
    admits_failure,
    asks_back,
    asks_leave,
    is_problem,
    offers_more,
)
from skills.reading.progress import (
    call_note,
    extract_gist,
    write_failure_note,
    write_objection_note,
    write_recovery_note,
)
from skills.reading.talk import ASSISTANT, USER, TalkMessage
from skills.reading.task_board import MOST_TASKS, Board, BoardTask
from skills.reading.verbs import asks_for_action
from skills.values import SessionTaskState as State

NAME = "local-1"
# Messages with such a sign say something of the work that there was, even if no task is open.
_ABOUT_WORK = frozenset(
    {
        MessageSign.CONFIRMS,
        MessageSign.COMPLAINS,
        MessageSign.GIVES_UP,
        MessageSign.CLOSES,
        MessageSign.AGREES,
    }
)

# "Put the waiver first": of what was done, and how it is to be instead.
_ARRANGES = re.compile(
    r"""
    (?:(?:please|no|but|and|wait|h+m+)[, ]+)*(?:put|move|keep|leave)\b
    | (?:不对?[，,])?(?:把[^，。]{1,12}(?:放|移|挪|排|留)|[^，。]{1,8}(?:放|移|挪|排)(?:在|到))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_POINTS_BACK = re.compile(r"(?:that|this|those|these|they|it)\b", re.IGNORECASE)
_ASKS_ANEW_ZH = re.compile("帮|请|麻烦|给我|替我|为我|另外|还有|接下来|现在|再")
_SAYS_HOW_ZH = re.compile("不要|不能|别(?!的|人)|必须|应该|一定要|都[要用得]|要(?!求)")
# "The counts are wrong. Please check the votes every time": how, and no other work.
_EVERY_TIME = re.compile(
    r"\b(?:always|(?:every|each|next) time|from now on)\b|每次|以后|今后|下次", re.IGNORECASE
)
_CANCEL = re.compile(r"\b(?:cancel|stop|abort|drop)|取消|停止|放弃", re.IGNORECASE)


def read_tasks(board: Board, messages: Sequence[TalkMessage], known: int) -> None:
    """Acts on the board for all but the first `known` messages, which were read before."""
    segment_messages(board, messages, known)
    for preference in find_preferences(messages, known):
        board.add_preference(preference)


def segment_messages(board: Board, messages: Sequence[TalkMessage], known: int = 0) -> None:
    """Like `read_tasks`, without what users say of themselves."""
    reader = _Reader(board, messages[:known])
    for message in messages[known:]:
        reader.read_message(message)
    reader.end()


class _Reader:
    def __init__(self, board: Board, known: Sequence[TalkMessage]) -> None:
        self._board = board
        self._worked = {task.id for task in board.tasks if task.progresses}
        self._stuck: set[object] = set()  # tasks whose agent says that it could not
        self._broken: dict[object, str] = {}  # the tool whose failure a task ended with
        self._callers: dict[str, tuple[BoardTask | None, ToolCall]] = {}
        self._last_said = ""  # by the agent
        self._gave_up: set[object] = set()
        self._asked_with: dict[object, list[BoardTask]] = {}  # the tasks of one message
        self._current: BoardTask | None = None
        self._replay_messages(known)

    def _replay_messages(self, known: Sequence[TalkMessage]) -> None:
        """Replay what was read before, for what the new messages answer."""
        for message in known:
            task = self._board.placed.get(message.id)
            for call in message.calls:
                self._callers[call.id] = (task, call)
            if message.role == ASSISTANT and message.is_said:
                self._last_said = message.text
            if task is not None:
                self._current = task
                self._weigh_message(task, message)
                if message.role == USER and MessageSign.GIVES_UP in read_ask(message.text).signs:
                    self._gave_up.add(task.id)
        open_tasks = [task for task in self._board.tasks if not task.is_finished]
        if self._current is None or (self._is_over(self._current) and open_tasks):
            self._current = open_tasks[0] if open_tasks else self._current
        if self._current is None and self._board.tasks:
            self._current = self._board.tasks[-1]

    def _is_over(self, task: BoardTask) -> bool:
        """A task that failed is still what the agent may try again, as long as the user has not given it up."""
        return task.status is State.SUCCESS or task.id in self._gave_up

    def read_message(self, message: TalkMessage) -> None:
        if message.role == ASSISTANT:
            self._read_agent_message(message)
        elif message.role == USER:
            for_task = self._read_tool_results(message)
            if message.is_said:
                self._read_user_message(message)
            elif for_task is not None:
                self._place_message(for_task, message)

    def end(self) -> None:
        """An agent that could not, and said so last, has failed; it may take the task up again."""
        for task in self._board.tasks:
            if task.id in self._stuck and not task.is_finished:
                self._finish_task(task, State.FAILED)

    # The user

    def _read_user_message(self, message: TalkMessage) -> None:
        ask = read_ask(message.text)
        task = self._current
        self._settle_by(ask, task, message)
        if MessageSign.PLANS in ask.signs and not ask.requests and not self._is_at_work(task):
            self._board.add_plan([message.id])
        elif ask.requests and not self._is_about(ask, task):
            self._begin_task(ask, message)
        elif ask.is_problem and not self._is_judged(task):
            self._begin_with(" ".join(ask.statements)[:300], message)
        elif task is not None and not task.is_finished:
            self._place_message(task, message)
        elif not ask.is_empty and not ask.signs & _ABOUT_WORK and message.id not in self._board.placed:
            self._board.add_plan([message.id])

    def _settle_by(self, ask: Ask, task: BoardTask | None, message: TalkMessage) -> None:
        """Settle tasks by what the user lets know of the work that was done until now."""
        if task is None:
            return
        signs = ask.signs
        is_answer = asks_back(self._last_said) and not task.is_finished
        if (
            MessageSign.COMPLAINS in signs
            and not is_answer
            and self._is_judged(task)
            and self._is_about(ask, task)
        ):
            self._reopen_task(task)
            self._place_message(task, message)
            self._note_preference(task, write_objection_note(message.text, ask.language))
            if not ask.requests and MessageSign.RETRIES not in signs:
                self._finish_task(task, State.FAILED)
        elif self._closes(signs, task):
            self._place_open(message)
            self._close_praised(task, ask)
        elif MessageSign.GIVES_UP in signs and not task.is_finished and not _asks_to_cancel(ask, task):
            self._place_message(task, message)
            self._gave_up.add(task.id)
            self._finish_task(task, State.FAILED)
        elif (
            MessageSign.RETRIES in signs
            and not is_answer
            and task.id in self._worked
            and self._is_about(ask, task)
        ):
            self._reopen_task(task)
            self._note_preference(task, write_objection_note(message.text, ask.language))

    def _closes(self, signs: frozenset[MessageSign], task: BoardTask) -> bool:
        """Praise ends what was worked on; "no, thanks" does after an offer of more."""
        if not self._is_at_work(task):
            return False
        if MessageSign.CLOSES in signs and offers_more(self._last_said):
            return True
        if MessageSign.GIVES_UP in signs or MessageSign.CONFIRMS not in signs or asks_leave(self._last_said):
            return False
        return not asks_back(self._last_said) or MessageSign.AGREES not in signs

    def _is_at_work(self, task: BoardTask | None) -> bool:
        return task is not None and not task.is_finished and task.id in self._worked

    def _is_judged(self, task: BoardTask | None) -> bool:
        """Return whether there is work that a complaint can be about."""
        return task is not None and task.id in self._worked and task.id not in self._gave_up

    def _is_about(self, ask: Ask, task: BoardTask | None) -> bool:
        """Return whether the message goes on with the task: tries again, corrects, answers a question."""
        if task is None or not (task.id in self._worked or task.progresses or not task.is_finished):
            return False
        if MessageSign.CONFIRMS in ask.signs and MessageSign.COMPLAINS not in ask.signs:
            return False
        if not ask.requests or self._redoes(ask, task):
            return True
        if ask.is_more or (len(ask.requests) > 1 and MessageSign.COMPLAINS not in ask.signs):
            return False
        if MessageSign.RETRIES in ask.signs or MessageSign.COMPLAINS in ask.signs:
            is_wish = not task.is_finished and _EVERY_TIME.search(" ".join(ask.requests)) is not None
            return MessageSign.COMPLAINS not in ask.signs or is_wish or self._shares_words(ask, task)
        if (
            not task.is_finished
            and task.id in self._worked
            and (MANNER.match(ask.requests[0]) or ADVICE.match(ask.requests[0]))
        ):
            return True
        if task.id in self._worked and not task.is_finished and self._mends(ask):
            return True
        if _ARRANGES.match(ask.requests[0]) and task.id in self._worked and self._shares_words(ask, task):
            return True
        return not task.is_finished and self._last_said != "" and asks_back(self._last_said)

    def _mends(self, ask: Ask) -> bool:
        """Return whether it says what is wrong with what was reported, and orders that ("List them …", 汇总表里要
        …)."""
        if ask.language == "zh":
            is_asked_anew = _ASKS_ANEW_ZH.search(ask.requests[0]) is not None
            is_of_it = _count_shared_words(ask.requests[0], self._last_said) > 0
            return not is_asked_anew and (is_of_it or _SAYS_HOW_ZH.search(ask.requests[0]) is not None)
        return ANAPHORIC.match(ask.requests[0]) is not None and any(map(is_problem, ask.statements))

    def _redoes(self, ask: Ask, task: BoardTask) -> bool:
        """Return whether it orders what was worked on in another way: "Merge by email only", 出差的不能算迟到."""
        if not self._is_at_work(task):
            return False
        first = ask.requests[0]
        if ask.language != "zh":
            return len(ask.requests) == 1 and (leaves_out_object(first) or self._comments(first))
        is_of_it = _count_shared_words(first, f"{self._last_said} {task.description}") > 0
        return is_of_it and not _ASKS_ANEW_ZH.search(first) and _SAYS_HOW_ZH.search(first) is not None

    def _comments(self, request: str) -> bool:
        """Return whether it begins with what is said of the report: "Those are the scheduled flushes. Ignore anything
        …"."""
        sentence, *rest = split_sentences(request)
        if not rest or asks_for_action(sentence, "en") or is_of_speaker(sentence):
            return False
        is_of_work = _POINTS_BACK.match(sentence) or _EVERY_TIME.search(request)
        return is_of_work is not None or _count_shared_words(sentence, self._last_said) > 0

    def _shares_words(self, ask: Ask, task: BoardTask) -> bool:
        """A complaint with a request of its own may be about something else altogether."""
        if MessageSign.RETRIES in ask.signs:
            return True
        stated = " ".join([*ask.requests, *ask.statements])
        return _count_shared_words(stated, " ".join([task.description, *task.progresses[-6:]])) > 0

    def _begin_task(self, ask: Ask, message: TalkMessage) -> None:
        self._leave_tasks()
        made = [self._board.add(request) for request in ask.requests if len(self._board.tasks) < MOST_TASKS]
        if made:
            self._asked_with.update({task.id: made for task in made})
            self._current = made[0]
            self._place_message(made[0], message)

    def _begin_with(self, request: str, message: TalkMessage) -> None:
        self._leave_tasks()
        if len(self._board.tasks) < MOST_TASKS:
            self._current = self._board.add(request)
            self._place_message(self._current, message)

    def _leave_tasks(self) -> None:
        """The user goes on to something else: what was done without errors is done."""
        for task in self._board.tasks:
            if not task.is_finished and task.id in self._worked:
                is_bad = task.id in self._stuck or task.id in self._broken
                self._finish_task(task, State.FAILED if is_bad else State.SUCCESS)

    def _was_worked_on(self, task: BoardTask) -> bool:
        """By itself, or by one report with what was asked for beside it."""
        return any(board_task.id in self._worked for board_task in self._asked_with.get(task.id, [task]))

    # The agent

    def _read_agent_message(self, message: TalkMessage) -> None:
        task = self._choose_task(message)
        if message.is_said:
            self._last_said = message.text
        for call in message.calls:
            self._callers[call.id] = (task, call)
        if task is None:
            return
        if task.is_finished:
            if not self._is_retried(task, message):
                return
            self._reopen_task(task)
        self._current = task
        self._place_message(task, message)
        self._weigh_message(task, message)
        self._note_preference(task, extract_gist(message.text))
        for call in message.calls:
            self._note_preference(task, call_note(call, language_detection.detect_language(task.description)))
        for other in self._list_siblings(task, message) if not message.calls else ():
            self._worked.add(other.id)
            other.turn(State.RUNNING)
            self._note_preference(other, extract_gist(message.text))

    def _choose_task(self, message: TalkMessage) -> BoardTask | None:
        """The task that the agent is at: of several open ones that which shares most words with what it does."""
        current = self._current
        possible = [task for task in self._board.tasks if not task.is_finished]
        if current is not None and current.is_finished and self._is_retried(current, message):
            possible.append(current)
        if not possible:
            return current
        if current not in possible:
            current = possible[0]
        done = _extract_words(show_message(message.text, message.calls))
        return max(possible, key=lambda task: (len(done & _extract_words(task.description)), task is current))

    def _list_siblings(self, task: BoardTask, message: TalkMessage) -> list[BoardTask]:
        """Other open tasks that one report speaks of too."""
        reported = _extract_words(message.text)
        return [
            other
            for other in self._board.tasks
            if not other.is_finished
            and other is not task
            and len(reported & _extract_words(other.description)) > 1
        ]

    def _is_retried(self, task: BoardTask, message: TalkMessage) -> bool:
        """After a complaint the agent works on; after thanks it only says that it was a pleasure."""
        if task.status is not State.FAILED or task.id in self._gave_up:
            return False
        return bool(message.calls) or (bool(extract_gist(message.text)) and not admits_failure(message.text))

    def _weigh_message(self, task: BoardTask, message: TalkMessage) -> None:
        if message.role != ASSISTANT:
            return
        self._worked.add(task.id)
        self._stuck.discard(task.id)
        if message.is_said and not message.calls:
            self._broken.pop(task.id, None)
            if admits_failure(message.text) and not asks_back(message.text):
                self._stuck.add(task.id)

    def _read_tool_results(self, message: TalkMessage) -> BoardTask | None:
        """Return what tools answered; the task that asked them."""
        caller: BoardTask | None = None
        for result in message.results:
            task, call = self._callers.get(result.answers, (self._current, ToolCall("", "tool", "")))
            if task is None:
                continue
            caller, verdict = task, judge_result(result.text)
            language = language_detection.detect_language(task.description)
            if verdict.status == FAILURE:
                self._broken[task.id] = call.name
                self._note_preference(task, write_failure_note(call, verdict, language))
            elif self._broken.pop(task.id, None) == call.name:
                self._note_preference(task, write_recovery_note(call, language))
        return caller

    # What is done to tasks

    def _place_message(self, task: BoardTask, message: TalkMessage) -> None:
        if not task.is_finished:
            self._board.place(self._board.find_order(task), [message.id])

    def _place_open(self, message: TalkMessage) -> None:
        if self._current is not None:
            self._place_message(self._current, message)

    def _note_preference(self, task: BoardTask, text: str) -> None:
        if text and not task.is_finished:
            self._board.add_progress(self._board.find_order(task), text)

    def _reopen_task(self, task: BoardTask) -> None:
        if task.is_finished:
            self._board.update(self._board.find_order(task), State.RUNNING)
        self._stuck.discard(task.id)

    def _finish_task(self, task: BoardTask, status: State) -> None:
        self._board.update(self._board.find_order(task), status)
        self._stuck.discard(task.id)

    def _close_praised(self, task: BoardTask, ask: Ask) -> None:
        """Praise is for all that was worked on; what one report may have done too is praised unless one is named."""
        is_for_one = _count_shared_words(" ".join(ask.statements), task.description) > 0
        for other in self._board.tasks:
            is_praised = other.id in self._worked or (not is_for_one and self._was_worked_on(other))
            if not other.is_finished and is_praised:
                self._finish_task(other, State.SUCCESS)


def _asks_to_cancel(ask: Ask, task: BoardTask) -> bool:
    """ "Just cancel it" gives nothing up where that is the task."""
    return bool(_CANCEL.search(task.description)) and any(
        _CANCEL.search(statement) for statement in ask.statements
    )


def _count_shared_words(text: str, description: str) -> int:
    return len(_extract_words(text) & _extract_words(description))


def _extract_words(text: str) -> frozenset[str]:
    """For a long text that is compared with many tasks: at 20,000 characters this takes milliseconds."""
    return frozenset(tokenize.extract_keywords(text))
