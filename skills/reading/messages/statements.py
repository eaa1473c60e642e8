"""What a user states on the way, in the third person: also inside requests, and behind "please remember that"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import hands_over_material, is_hypothetical, is_question
from memories.text.en import third_person as english
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from skills.reading.messages.entities import find_proper_names, find_statement_subject
from skills.reading.messages.signs import MessageSign, find_signs
from skills.reading.messages.user import NO_ORDER, is_order
from skills.reading.wording import as_statement

LONGEST_MESSAGE, LONGEST, MOST = 4_000, 300, 40

_REMEMBER = re.compile(
    r"""
    ^(?:
        (?:
            please | pls | also | and | oh | ok | can\ you | could\ you | would\ you | i\ want\ you\ to
            | make\ sure\ (?:to|you) | for\ (?:later|the\ record|your\ information) | fyi
        )[,:]?\ +
    )*(?:
        remember | note | keep\ in\ mind | bear\ in\ mind | (?:do\ not|don't|never)\ forget | save
        | record | write\ down | make\ a\ note
    )(?:\ down)?(?:\ that|[:,])?\ +(?P<what>
        (?!to\b|the\b(?!\ \w+\ (?:is|are|has|was|will))|it\b|this\b).+
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REMEMBER_ZH = re.compile(
    r"""
    ^(?:请|麻烦|帮我|你|还|也|顺便|另外)*(?:
        记住 | 牢记 | 记得 | 记一下 | 记下来? | 别忘了? | 不要忘记? | 备注一下? | 记录一下?
    )[，,：: ]*(?P<what>.+)$
    """,
    re.VERBOSE,
)
# Where a statement stands behind an order: "Update the ticket: the licence is missing", "Book it, because Alice is
# vegan".
_BEHIND = re.compile(
    r"""
    (?:
        :\  | ;\  | ,\ (?:because|since|as|and|but|so)[ ]
        | ,\ (?=[A-Z][a-z]+\ (?:[A-Z][a-z]+\ )?(?:is|has|was|will|[a-z]+s|[a-z]+ed)\b) | \ because[ ]
        | \ since[ ]
    )
    """,
    re.VERBOSE,
)
_STATES = re.compile(
    r"""
    ^(?:
        (?:the|our|my|his|her|their|a|an|all|every|no|this|that)\b | [A-Z] | [a-z]+s\b | he\b | she\b
        | they\b | we\b | I\b
    )[^?]{0,120}?\b(?:
        is | are | was | were | has | have | had | will | would | can | cannot | must | should | may
        | does | do | did | am | [a-z]{2,}(?:ed|s) | left | went | got | told | said | came | took | made
        | lost | won | quit | met | found | gave | kept | led | ran | sold | bought | sent | spoke
    )\b
    """,
    re.VERBOSE,
)
_ABOUT_TALK = re.compile(
    r"^(?:that|this|it|here|there|so|yes|no|ok|thanks|i (?:think|guess|see|mean|agree))\b", re.IGNORECASE
)


def split_statements(text: str) -> list[str]:
    """One by one, each with its end mark; pronouns are as they were said."""
    statements: list[str] = []
    for sentence in split_sentences(clean_message(text[:LONGEST_MESSAGE])):
        language = detect_language(sentence)
        if len(sentence) > LONGEST:
            continue
        statements += [
            statement
            for statement in _iterate_stated(" ".join(sentence.split()), language)
            if statement not in statements
        ]
        if hands_over_material(sentence, language):
            break
    return statements[:MOST]


def _iterate_stated(sentence: str, language: str) -> Iterator[str]:
    asked = (_REMEMBER_ZH if language == "zh" else _REMEMBER).match(sentence)
    if asked and not sentence.endswith(("?", "？")):
        yield _write_sentence(asked["what"], language)
        return
    if (
        NO_ORDER.match(sentence)
        or is_courtesy(sentence)
        or is_hypothetical(sentence, language)
        or _is_about_work(sentence, language)
    ):
        return
    if is_order(sentence, language):
        yield from _iterate_beside_order(sentence, language)
    elif not is_question(sentence, language) and not _ABOUT_TALK.match(sentence):
        yield _write_sentence(sentence, language)


def _is_about_work(sentence: str, language: str) -> bool:
    """Praise, consent and the like; a complaint is left to the task, unless it names somebody."""
    signs = find_signs(sentence, language)
    if signs & {MessageSign.GIVES_UP, MessageSign.CLOSES}:
        return True
    is_of_thing = bool(find_proper_names(sentence) or find_statement_subject(sentence))
    return bool(signs & {MessageSign.CONFIRMS, MessageSign.AGREES, MessageSign.PLANS}) and not is_of_thing


def _iterate_beside_order(sentence: str, language: str) -> Iterator[str]:
    if language == "zh":
        # 请……，李婷不吃辣: what is no order of its own.
        clauses = [part for part in re.split("[，,；;]", sentence.strip("。！!")) if part]
        kept = [part for part in clauses if not is_order(part, "zh") and len(extract_keywords(part)) > 1]
        if kept and len(kept) < len(clauses):
            yield _write_sentence("，".join(kept), "zh")
        elif len(clauses) > 1 or not re.match("(?:请|帮|给我|麻烦)", sentence):
            yield _write_sentence(sentence, "zh")
        return
    for part in _BEHIND.split(sentence)[1:]:
        if _STATES.match(part) and not is_order(part, "en") and not _ABOUT_TALK.match(part):
            yield _write_sentence(part, "en")


def _write_sentence(text: str, language: str) -> str:
    if language == "zh":
        return f"{as_statement(text, 'zh').replace('用户等人', '用户')}。"
    return english.as_sentence(as_statement(text, "en"))
