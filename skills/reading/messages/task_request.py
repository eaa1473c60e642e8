"""What a message asks for: the request in one sentence, and what such tasks are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memories.text.en import third_person as english
from memories.text.zh import third_person
from skills.reading.messages.user import UserMessage, UserSentence, is_order_clause_zh, says_enough
from skills.reading.wording import (
    LONGEST_ITEM,
    as_instruction,
    as_preference,
    as_statement,
    build_task_title,
    capitalize,
    find_base_form,
    find_work,
)

LONGEST_STATEMENT = 60
# What is asked for on top of what there is, or of a part of it.
GOES_ON = re.compile(
    r"""
    (?:(?:also|and|now|then|please|next|always|instead)\ )*(?:
        add | include | mark | leave | keep | put | use | avoid | mix | skip | drop | remove | replace
        | swap | change | move | cut | check | double-check | make\ (?:it|them|sure) | mention | highlight
        | end | start | begin | compare | quote | send | ask | do\ not | never | be
    )\b
    | (?:the|every|each)[ ]
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """Task that was asked for, in one sentence about the user; what such tasks are called; the sentence that said so,
    and what it says beside that."""

    text: str = ""
    title: str = ""
    sentence: UserSentence | None = None
    left: UserSentence | None = None


def read_request(asked: UserMessage, language: str) -> TaskRequest:
    spoken = [sentence for sentence in asked.sentences if sentence.language == language]
    orders = [sentence for sentence in spoken if sentence.order]
    if language == "zh":
        return _read_request_zh(orders, spoken)
    main = next((sentence for sentence in orders if not GOES_ON.match(sentence.order)), None)
    if main is not None and len((title := build_task_title(main.text, language)).split()) > 1:
        text = main.order if len(main.order) < LONGEST_ITEM else find_work(main.text)
        return TaskRequest(english.as_sentence(text), title, main)
    wish = next((sentence for sentence in spoken if _WISHES_FOR.match(sentence.text)), None)
    if wish is not None:
        title = build_task_title(_WISHES_FOR.sub("", wish.text), language)
        return TaskRequest(english.as_sentence(as_statement(wish.text, language)), title, wish)
    return _read_request_in_statement(spoken, orders)


def _read_request_in_statement(spoken: Sequence[UserSentence], orders: Sequence[UserSentence]) -> TaskRequest:
    """A problem that was said, or an occasion: "My printer is offline. How do I fix it?", "I'm going to Rome."."""
    statements = [
        sentence
        for sentence in spoken
        if (sentence.is_problem or sentence.liking or sentence.is_plain) and says_enough(sentence.text)
    ]
    question = next((sentence for sentence in spoken if sentence.is_question), None)
    if statements and question is not None:
        text = as_statement(statements[0].text, "en")
        return TaskRequest(
            english.as_sentence(text),
            capitalize(_cut_at_word(re.sub("^The user's ", "", text))),
            statements[0],
        )
    stated = next(
        (sentence for sentence in spoken if _OCCASION.match(sentence.text)),
        statements[0] if statements else None,
    )
    main = stated or (orders[0] if orders else question)
    if main is None:
        return TaskRequest()
    text = main.order or as_statement(main.text, "en")
    return TaskRequest(english.as_sentence(text), _build_statement_title(main, text), main)


def _build_statement_title(sentence: UserSentence, text: str) -> str:
    if _GOES.match(sentence.text):
        return "Plan a trip"
    if occasion := _OCCASION_OF_WORK.match(sentence.text):
        return build_task_title(
            f"{find_base_form(occasion['work'])} {sentence.text[occasion.end() :].strip()}", "en"
        )
    about = re.sub("^The user's ", "", text)
    return "" if about.startswith("The user ") else capitalize(_cut_at_word(about))


def _cut_at_word(text: str) -> str:
    if len(text) <= LONGEST_STATEMENT:
        return text
    return _OPEN_END.sub("", text[:LONGEST_STATEMENT].rsplit(" ", 1)[0])


# Words that wait for another one.
_OPEN_END = re.compile(
    r"(?: (?:every|each|the|an?|my|our|of|in|on|at|to|for|from|with|by|and|or|but|when|after|before))+$",
    re.IGNORECASE,
)


_OCCASION = re.compile(
    r"^(?:I am|I'm|we are|we're) (?:going|planning|preparing|moving|organi[sz]ing|about to|trying)\b",
    re.IGNORECASE,
)
_OCCASION_OF_WORK = re.compile(
    r"^(?:I am|I'm|we are|we're) (?:trying to )?(?P<work>(?!going|about|trying|moving)[a-z]+ing)\b(?! to\b)",
    re.IGNORECASE,
)
# Who goes to a place goes on a trip.
_GOES = re.compile(
    r"""
    ^(?:I\ am|I'm|we\ are|we're)\ (?:going|flying|travel(?:l)?ing|driving|heading|off)\ to\ [A-Z]
    | ^(?:I\ am|I'm|we\ are|we're)\ visiting\ [A-Z]
    """,
    re.VERBOSE,
)
_WISHES_FOR = re.compile(
    r"^(?:(?:hi|hello|hey)[,!]? )?(?:I|we) (?:really |just )?(?:want|need|would like|'d like|have) to (?=[a-z]+ )",
    re.IGNORECASE,
)
_WISHES_ZH = re.compile("^我们?(?:想|要|需要|打算|准备|得)(?!问|知道|了解)(?=[^，。]{2,})")


def _read_request_zh(orders: Sequence[UserSentence], spoken: Sequence[UserSentence]) -> TaskRequest:
    """Of the clauses of an order, or of a wish beside it, the one that says most about the work."""
    stated = (
        orders[0] if orders else next((sentence for sentence in spoken if says_enough(sentence.text)), None)
    )
    if stated is None:
        return TaskRequest()
    clauses = [part for part in re.split("[，,；;。！]", stated.text) if part.strip()]
    named = [clause for clause in clauses if _ASKS_ZH.search(clause) or _WISHES_ZH.match(clause)]
    options = named or [clause for clause in clauses if is_order_clause_zh(clause)] or clauses[:1]
    best = next(
        (clause for clause in options if len(build_task_title(clause, "zh")) >= _SHORT_TITLE), options[0]
    )
    title = build_task_title(best, "zh")
    before = [clause for clause in clauses if clause is not best and not is_order_clause_zh(clause)]
    request = best
    if len(title) < _SHORT_TITLE and before:
        title = build_task_title(f"{title}{as_preference(before[0], 'zh')}", "zh")
        request = f"{before[0]}，{best}"
    used = {form for clause in (best, *named) for form in (clause, as_instruction(clause, "zh"))}
    orders_left = [order for order in stated.order.split("，") if order and order not in used]
    context = "，".join(
        clause for clause in before if not _OF_SELF_ZH.match(clause) and clause not in request
    )
    left = replace(stated, text=context, order="，".join(orders_left), reason=context)
    text = third_person.as_sentence(as_instruction(request, "zh"))
    return TaskRequest(text, title, stated, left if left.order or left.liking or left.reason else None)


_SHORT_TITLE = 3
_ASKS_ZH = re.compile("^.{0,8}?(?:帮我|帮忙|帮(?!助)|给我|替我|为我|请|麻烦|跟我|和我一起|把)")
_OF_SELF_ZH = re.compile("我|咱")
