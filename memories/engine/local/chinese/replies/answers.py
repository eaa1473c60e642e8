"""Puts a short answer into its question: 您对什么过敏？花生 becomes 我对花生过敏."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memories.engine.local.chinese import acts, moods
from memories.engine.local.chinese.changes import corrections
from memories.engine.local.chinese.groups import ClauseGroup
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.segments import part_at_blanks, split_chinese_clauses
from memories.engine.local.chinese.parsing.tagging import has_own_subject, has_predicate, tag_words
from memories.engine.local.chinese.replies import own_asked_of, things_asked_of
from memories.engine.local.chinese.replies.plans_asked_of import answer_what_is_planned
from memories.engine.local.chinese.replies.polar_answers import (
    ASKS_FOR,
    answer_polar_question,
    find_lead,
    rewrite_in_first_person,
)
from memories.engine.local.chinese.replies.whom_asked_of import Whom, is_of_person, remove_first_person
from memories.text.clauses.sentences import split_sentences
from memories.values import Turn

_LONGEST_REPLY, _LONGEST_QUESTION = 40, 50
_OFFER = re.compile(
    r"""
    需要我 | 要我(?:帮|给|来) | 要不要我 | 我(?:可以|来|帮) | 帮[你您] | 为[你您] | 还有(?:什么|其他|别的)
    | 可以吗$ | (?<!爱)好吗$ | 行吗$ | 对吗$ | 是吗$ | 如何$ | 怎么样$ | 呢$ | 能否告诉 | 方便(?:告诉|说)
    | 介意 | (?:分享|展开|说|讲|聊)(?:一下|说说|讲讲|聊聊)$ | ^怎么[了啦]$ | ^(?:真的|是)[吗么]$
    """,
    re.VERBOSE,
)
_POLITE = re.compile(
    r"""
    ^(?:
        请问(?:一下)? | 那么?(?![么边里儿个家位]) | 好的 | 了解(?:了)? | 明白(?:了)? | 方便问一下
        | 能问一下 | 我?想(?:确认|了解|问)一下 | 顺便问一下 | 另外 | 还有 | 对了 | 冒昧问一下 | 再问一下
        | 可以问(?:一下|下)? | 可以告诉我 | 能告诉我 | 能说说 | 请告诉我
    )[，,：: ]*
    """,
    re.VERBOSE,
)
_NUMBER = "[0-9０-９零〇一二两俩仨三四五六七八九十百千万半几]"
_HAS_NUMBER = re.compile(_NUMBER)
# A count, and not what is counted in: 算上我五个人.
_COUNTED = re.compile(
    rf"(?:大概|大约|差不多|可能|应该|也就|就|才|只|一共|总共|快|不到|有|已经|第|估计|最多|最少|至少"
    rf"|起码|将近|是)*{_NUMBER}"
)
_CLOCK = re.compile(rf"{_NUMBER}+(?:点|:|：)|早上|晚上|中午|下午|上午|凌晨|半夜")
_WHEN = re.compile(
    rf"{_NUMBER}+[月号日年点]|周|星期|礼拜|天|月|年|早|晚|上午|下午|季|节|国庆|春节|暑假|寒假|前|后"
)
# Behind 什么, these are no part of the thing that is asked for.
_NOT_NOUN = re.compile("^(?:过敏|的|是|样|忌口|呢|吗|啊|好|要|想|都|时候|做)")


@dataclass(frozen=True, slots=True)
class Answered:
    """`words` are the answer in the first person; where it could not be put into its question, `question` stands
    beside it."""

    words: str
    question: str = ""
    # Whether the words are of a thing that the question named, whatever they begin with.
    is_of_thing: bool = False
    # What was said, where `words` put it into this question.
    reply: str = ""
    asked: str = ""


def find_answers(
    asked: str, reply: str, last: ClauseGroup, whom: Whom = Whom.USER
) -> tuple[list[Answered], str]:
    """Find what a reply says of the questions that stood before it, and the rest of the reply, which stands by itself.

    `last` is the user's last statement, to which a bare "When?" belongs; it may be about somebody else.
    `whom` the user spoke of is asked of by a question that names nobody: the words then have no subject, and are kept
    beside the question where it may be one or the other.
    """
    is_of_user = last.subject is None
    answers, rest = _find_answers(asked, reply, last.words if is_of_user else "", is_of_user=is_of_user)
    if whom is Whom.USER or not asks_of_whom_was_meant(asked, last):
        return answers, rest
    if whom is Whom.UNSURE and not answers:
        question = _find_questions(asked)[-1]
        first, *others = list(split_sentences(reply)) or [""]
        is_plain = bool(first) and _is_bare(first.rstrip("。！!.~～… ")) and not first.endswith(("？", "?"))
        return ([Answered(first.rstrip("。"), question)], "\n".join(others)) if is_plain else (answers, rest)
    return [_say_of_other(answer, whom, last) for answer in answers], rest


def asks_of_whom_was_meant(asked: str, last: ClauseGroup) -> bool:
    """Return whether the last question is about a person and names nobody."""
    questions = _find_questions(asked)
    return bool(questions) and is_of_person(questions[-1], last)


def _say_of_other(answer: Answered, whom: Whom, last: ClauseGroup) -> Answered:
    if answer.question or answer.is_of_thing or not is_of_person(answer.asked, last):
        return answer
    if whom is Whom.UNSURE:
        return Answered(answer.reply, answer.asked)
    return replace(answer, words=remove_first_person(answer.words))


def _find_answers(asked: str, reply: str, last: str, *, is_of_user: bool) -> tuple[list[Answered], str]:
    questions = _find_questions(asked)
    sentences = list(split_sentences(reply))
    if not questions or not sentences or "\n" in reply.strip():
        return [], reply
    first = part_at_blanks(sentences[0].rstrip("。！!.~～… "))
    if "？" in first or "?" in first:
        return [], reply
    raw = split_chinese_clauses(first)
    clauses = [acts.strip_openers(clause) for clause in raw]
    if not clauses:
        return [], reply
    if len(questions) > 1 and len(questions) == len(clauses) and all(map(_is_bare, clauses)):
        pairs = zip(questions, clauses, strict=True)
        return [_answer_question(question, clause, last) for question, clause in pairs], _join_rest(
            sentences, []
        )
    question = questions[-1]
    if _refuses(clauses[0], question):
        return [Answered(clauses[0], question)], _join_rest(sentences, clauses[1:])
    if lead := find_lead(raw[0]):
        if raw[1:] and raw[1].startswith("对") and (allergy := _answer_allergy(question, raw[1])):
            return [Answered(allergy, reply=raw[1], asked=question)], _join_rest(sentences, raw[2:])
        if answer := answer_polar_question(question, lead):
            return [Answered(answer, reply=lead, asked=question)], _join_rest(sentences, raw[1:])
        return [], reply
    if _WHO.search(question) and _PERSON.fullmatch(clauses[0]):
        return [_answer_question(question, clauses[0], last)], _join_rest(sentences, clauses[1:])
    if is_of_user and (own := own_asked_of.find_own(question)) and all(map(_is_bare, clauses)):
        stated = own_asked_of.say_of_own(own, clauses)
        if stated:
            return [Answered(words) for words in stated], _join_rest(sentences, [])
    count = 0
    while count < len(clauses) and (
        _is_bare(clauses[count]) or (count and _is_list_of_people(clauses[count]))
    ):
        if count and corrections.is_cue_only([raw[count]]):
            break
        if count and has_predicate(clauses[count]) and _is_typed(question):
            break
        count += 1
    words = "，".join(clauses[:count])
    is_short = count > 0 and len(words) <= _LONGEST_REPLY
    if is_short and not has_own_subject(words) and (thing := things_asked_of.find_thing(question)):
        if is_of_user and things_asked_of.describes_habit(thing, words):
            return [], reply
        statement = things_asked_of.join_thing_and_reply(thing, words) if is_of_user else ""
        answered = Answered(statement, is_of_thing=True) if statement else Answered(words, question)
        return [answered], _join_rest(sentences, clauses[count:])
    is_of_other = re.search("[他她它]", question) and not re.search("[你您我]", question)
    if is_short and is_of_user and is_of_other and _asks_yes_or_no(question) and not has_own_subject(words):
        return [Answered(words, question)], _join_rest(
            sentences, clauses[count:]
        )  # it is not the user who does it
    if not count or len(words) > _LONGEST_REPLY or (has_predicate(clauses[0]) and _asks_yes_or_no(question)):
        return [], reply
    return [_answer_question(question, words, last)], _join_rest(sentences, clauses[count:])


def _refuses(clause: str, question: str) -> bool:
    """Return whether the clause is no more than the question's verb, denied: 您认同吗？不认同。"""
    denied = re.fullmatch("(?:不|没有?|并不|也不|还没)(?P<verb>[一-龥]{2,3}?)了?", clause)
    return bool(
        denied and _asks_yes_or_no(question) and re.search(f"{denied['verb']}(?:[它他她])?[吗么]$", question)
    )


_WHO = re.compile("谁")
_PERSON = re.compile(rf"(?:就|是)?(?:我(?:的|家)?)?(?:{lexis.PEOPLE})")


def _is_typed(question: str) -> bool:
    """Return whether a time or a number is asked for, which is no more than one clause."""
    match = ASKS_FOR.search(question)
    return bool(match and (match["clock"] or match["when"] or match["old"] or match["number"]))


def _asks_when(question: str) -> bool:
    match = ASKS_FOR.search(question)
    return bool(match and (match["clock"] or match["when"]))


def _asks_yes_or_no(question: str) -> bool:
    return not ASKS_FOR.search(question) and not _HAVING.search(question)


def _join_rest(sentences: list[str], clauses: list[str]) -> str:
    kept = ["，".join(clauses) + "。"] if clauses else []
    return "\n".join([*kept, *sentences[1:]])


def _find_questions(asked: str) -> list[str]:
    """The questions at the end of what the assistant said, without courtesies, as said to the user."""
    questions: list[str] = []
    for sentence in split_sentences(asked[-400:]):
        if not sentence.rstrip().endswith(("？", "?")):
            questions = []
            continue
        clauses = split_chinese_clauses(sentence.strip().rstrip("？?"))
        bare = clauses[-1]
        if len(clauses) > 1 and not re.search("[你您]", bare) and re.search("[你您]", clauses[-2]):
            bare = "，".join(clauses[-2:]) if len("".join(clauses[-2:])) < 24 else bare
        for at, clause in enumerate(clauses[:-1]):
            if acts.is_question(clause) and clause not in bare:
                questions.append(_POLITE.sub("", clause))
            del at
        while (shorter := _POLITE.sub("", bare)) != bare:
            bare = shorter
        is_named = things_asked_of.find_thing(bare) or own_asked_of.find_own(bare)
        is_offered = _OFFER.search(bare) and not is_named
        if is_offered or len(bare) > _LONGEST_QUESTION:
            questions = []
            continue
        questions.append(bare)
    return questions


def _is_bare(clause: str) -> bool:
    """Return whether a clause names no doer: it may be an answer without its question."""
    return (
        len(clause) <= 20
        and not re.match(rf"^(?:我|咱|俺|他|她|它|这|那|你|您|不过|但|{lexis.KIN}(?=[一-龥]))", clause)
        and not acts.is_request(clause)
    )


# 五口，爸妈和两个孩子: who they are of whom the number was asked.
def _is_list_of_people(clause: str) -> bool:
    return bool(re.match(rf"(?:我[和跟])?我?(?:{lexis.PEOPLE})", clause)) and not has_predicate(clause)


def _answer_question(question: str, reply: str, last: str = "") -> Answered:
    if (lead := find_lead(reply)) and (answer := answer_polar_question(question, lead)):
        return Answered(answer, reply=reply, asked=question)
    if (
        words := _answer_when(question, reply, last)
        or answer_what_is_planned(question, reply)
        or _answer_allergy(question, reply)
        or _answer_how_often(question, reply)
        or _answer_whether_one_has(question, reply)
        or _substitute_answer(question, reply)
    ) and not (words == reply and (_asks_when(question) or ASKS_FOR.fullmatch(question))):
        # 几点？上午十点 and 哪个区？望京 say nothing of anybody
        return Answered(words, reply=reply, asked=question)
    return Answered(reply, question)


_BARE_WHEN = re.compile(
    "^(?:大概|那|打算|准备|预计|具体|计划)*(?:是)?(?:什么时候|几号|哪天|何时|什么时间|几点)(?:去|走|出发|开始|办|搬)?$"
)
_HAVING = re.compile(
    rf"^(?P<who>(?:[你您](?:们|家里?|自己|平时|以前|现在)?(?:的|还)?|家里|平时|以前|目前|还"
    rf"|另外){{0,4}}(?:{lexis.PEOPLE})?)(?:有没有|有)(?:什么|啥|哪些)?(?P<what>(?!多|几|去|做|吃|在"
    rf"|影响)[^，吗么]{{1,10}}?)(?P<asks>[吗么呢])?$"
)


def _answer_when(question: str, reply: str, last: str) -> str:
    """A bare question for the time belongs to the last statement: 搬去哪里 … 什么时候？"""
    if not _BARE_WHEN.match(question) or not last.startswith("我") or "，" in last + reply:
        return ""
    return f"我{reply}{last[1:]}" if _WHEN.search(reply) else ""


def _answer_allergy(question: str, reply: str) -> str:
    """有过敏吗？对鸡蛋。"""
    if "过敏" not in question or "对什么" in question or has_predicate(reply) or len(reply) > 20:
        return ""
    who = re.match(rf"(?:[你您](?:的|家)?(?:[一-龥]{{2}})?|{lexis.PEOPLE})(?=有|对|会)", question)
    thing = reply.removeprefix("对").removesuffix("过敏")
    return f"{rewrite_in_first_person(who.group()) if who else ''}对{thing}过敏"


_OFTEN = re.compile("^(?:偶尔|经常|常常|很少|天天|每天|有时候?|基本不|几乎不|不太|不怎么|不常|总是)$")


def _answer_how_often(question: str, reply: str) -> str:
    """平时喝酒吗？偶尔。"""
    often, _, more = reply.partition("，")
    match = re.match(
        "^(?P<who>[你您]?(?:平时|一般|平常|最近|现在|还|会|经常|常)*)(?P<does>[^，]{2,12})[吗么]$", question
    )
    if not match or not _OFTEN.match(often):
        return ""
    who = re.sub("经常|常|会", "", rewrite_in_first_person(match["who"]))
    return f"{who}{often}{match['does']}" + (f"，{more}" if more else "")


def _answer_whether_one_has(question: str, reply: str) -> str:
    """有没有旧伤？右肩。"""
    match = _HAVING.match(question)
    is_asked = match and (match["asks"] or re.search("有没有|有什么|有啥|有哪些", question))
    if not match or not is_asked or find_lead(reply) or _UNDECIDED.match(reply):
        return ""
    who = rewrite_in_first_person(match["who"]) or "我"
    # 没有过敏, 不吃药: which has none of it.
    return f"{who}{reply}" if re.match("[没无]", reply) else f"{who}有{match['what']}：{reply}"


_UNDECIDED = re.compile("还没|没想好|不确定|不好说|再说|再看|看情况")
_DOING = re.compile("(?P<verb>喜欢|爱|想|要|在|打算)?(?:做|干)(?:些|点)?(?:什么|啥)$")


def _fits(kind: str, match: re.Match[str], reply: str) -> bool:
    """Return whether the answer is of the kind that the question asks for."""
    words, end = match.string, match.end()
    if kind in ("clock", "when"):
        return bool((_CLOCK if kind == "clock" else _WHEN).search(reply))
    if kind == "number" and match["measure"] and not _COUNTED.match(reply):
        return False
    if kind == "number" and re.search("[次回趟]", reply) and re.search("[次回趟]", words[end:]):
        return False  # 多久去一次: how often is no length of time
    if kind in ("old", "number"):
        return bool(_HAS_NUMBER.search(reply))
    if kind == "how":
        return len(reply) <= 6 and not re.match("想|看|说|觉得|办|打算", words[end:])
    return len(reply) <= 24 and not (kind == "who" and "我" in reply and "我" in words)


# Of 什么颜色, the colour is that of a thing, and not the user's.
_WHICH_THING = re.compile("(?:是|在)?哪一?[所家座门款](?P<noun>[一-龥]{1,4})")
_UNIT = re.compile("[点年月号]")
_MEASURED = re.compile("(?:kg|cm|[斤米元块万岁年月天])$", re.IGNORECASE)
# Behind 怎么, these ask for no manner.
_IDIOM = ("回事", "了", "样", "办", "说", "啦", "讲", "个", "会")


def _substitute_answer(question: str, reply: str) -> str:
    """The question with the answer in the place of what it asks for; "" where the two do not fit."""
    words = rewrite_in_first_person(question)
    match = ASKS_FOR.search(words)
    if not match or ASKS_FOR.search(words, match.end()) or _UNDECIDED.match(reply):
        return ""
    start, end = match.span()
    if match["how"] and words[end:].startswith(_IDIOM):
        return ""  # 怎么回事？闯红灯
    if "我" in reply and "我" in words and not match["who"]:
        return ""
    if (match["noun"] or "").startswith("样") and (has_predicate(reply) or moods.is_hearsay(reply)):
        return ""  # 对方是什么样的人？听说在税务局上班: no word that stands before a noun
    if match["what"] and has_own_subject(reply):
        return ""  # 之后有什么打算？有家公司要他
    if match["what"] and words.startswith("是") and start <= 1 and match["noun"]:
        return f"我的{match['noun']}是{reply}"
    if whole := _WHICH_THING.fullmatch(words):  # 哪所大学？早稻田
        return "" if has_own_subject(reply) else f"我的{whole['noun']}是{reply}"
    if match["what"] and re.match("在|做|当|搞|教|开|卖|跑|给|帮", reply) and has_predicate(reply):
        return f"我{reply}"
    if doing := _DOING.search(words):
        verb = doing["verb"] or ""
        return words[: doing.start()] + (reply if verb and reply.startswith(verb) else verb + reply)
    reply = (
        re.sub("^(?:是|在|叫|主要是?|大概率?|差不多|应该是|大约)(?=.)", "", reply)
        if match.lastgroup != "how"
        else reply
    )
    kind = next(
        kind
        for kind in ("clock", "when", "old", "number", "where", "who", "how", "which", "what")
        if match[kind]
    )
    if (
        kind in ("clock", "when")
        and re.fullmatch(f"{_NUMBER}+", reply)
        and (unit := _UNIT.search(match.group()))
    ):
        reply += unit.group()  # 哪年毕业的？2015
    if not _fits(kind, match, reply):
        return ""
    if kind == "old" and not re.search("岁|月|半", reply):
        reply += "岁"
    if kind == "number" and match["measure"]:
        first, comma, more = reply.partition("，")
        first = {"俩": "两", "仨": "三"}.get(first, first)
        reply = re.sub(rf"(?<={_NUMBER})$", match["measure"], first) + comma + more
    if kind == "what" and (noun := _find_noun(words, match)):
        end = match.start("noun") + len(noun)
        if words[:start].endswith("有") and has_predicate(reply):  # 最近有什么运动？跑步
            reply = f"{noun}：{reply}"
        if _NOT_NOUN.match(noun):
            end = match.start("noun")
        else:
            inner = re.search("过敏|忌口|的|是", noun)
            end = match.start("noun") + inner.start() if inner else end
            if not inner and re.search("一?点儿?$|一些$", reply):  # 需要什么语气？严肃点
                reply += f"的{noun}"
    return _fill_in(words, start, end, reply, kind)


def _find_noun(words: str, match: re.Match[str]) -> str:
    """Find what stands behind 什么 and is asked for: 语言 of 用什么语言写代码."""
    start, noun = match.start("noun"), match["noun"] or ""
    verb = next((word for word in tag_words(words[start:]) if word.start and word.tag == "v"), None)
    return noun[: verb.start] if verb else noun


def _fill_in(words: str, start: int, end: int, reply: str, kind: str) -> str:
    """The question as a statement: the reply stands in the place of what is asked for."""
    head, _, more = reply.partition("，")
    after = words[end:]
    if re.search("[岁点个次杯只口]了?$", head):
        after = re.sub("^了$", "了", after)
    if head.endswith("的") and after.startswith("的"):
        after = after[1:]
    if after and after[0] == head[-1:]:
        after = after[1:]
    if kind in ("old", "number") and _MEASURED.search(head):
        after = re.sub("^(?:公斤|千克|斤|厘米|公分|米|元|块钱?|岁)", "", after)
    before = words[:start]
    if before.endswith("还") or re.match("还", before):
        head = re.sub("^还(?:有|要|得|需要?)?", "", head) or head
    if kind in ("when", "clock") and re.search("[A-Za-z0-9]$", before) and re.match("[A-Za-z0-9]", head):
        before += "在"
    if before[-1:] in ("去", "在", "到") and head.startswith(before[-1]):
        head = head[1:]
    stated = before + head + after
    return stated + (f"，{more}" if more else "")


def find_question_before(turn: Turn, at: int, turns: Sequence[Turn]) -> str:
    """Find what the assistant said before the turn; "" where only a later part of the turn is read."""
    is_whole = turns[at].text.lstrip().startswith(turn.text.strip()[:40])
    return turns[at - 1].text[-1_000:] if is_whole and at and turns[at - 1].role == "assistant" else ""
