"""Where a value ends: "Lyon and works as a nurse" is the place "Lyon"."""

from __future__ import annotations

import re

from memories.text.slots.vocabulary import load_words

_WORDS = load_words("bounded_value")
_NAME = r"[A-Z][\w'’.&-]*"
_JOINT = r"(?: (?:of|de|la|le|du|von|van|am|upon|on|the|and|&|for|sur|del|da)(?= [A-Z]))*"
_PROPER = re.compile(rf"(?:the )?{_NAME}(?:{_JOINT} {_NAME}|(?<!\.), {_NAME}(?=$|[ ,.(]))*")
# What cannot belong to a value any more: another clause, a time, a reason, an aside.
_END_EN = re.compile(
    rf"""
    ,(?!\d) | [;:(—–] | \.(?=\ |$)
    | \ (?:{_WORDS["clause_words"]})\b
    | \ (?:in|from|on|by|until)\ (?=
          \d | (?:early|late|mid)\b | {_WORDS["times"]}
          | the\ (?:beginning|end|meantime|spring|summer|autumn|fall|winter)
      )
    | \ and\ (?=
          (?:the\ user|also|is|has|was|does|can|will|had|lives|works|they|he|she|it|there|[a-z]+s\ \w)\b
      )
    """,
    re.VERBOSE,
)
_END_ZH = re.compile(
    r"[，,。；;：:（(！!？?、]|\s(?![A-Za-z0-9])|了(?=$|[，。（])|(?:以及|并且|而且|还|因为|所以|但)"
)
_PREPOSITION = re.compile(r" (?:at|for|in|with|on|of a|of the|near|who|specialising|specializing)\b")
_ARTICLE = re.compile(r"^(?:an?|the|their|his|her|our|my|some) ", re.IGNORECASE)
# "The user's car is at the garage", "The user's phone is broken": what is no thing.
_NO_THING = re.compile(rf"^(?:{_WORDS['no_things_en']})\b|^(?:{_WORDS['no_things_zh']})", re.IGNORECASE)
_PHONE = re.compile(r"\+?\d(?:[ -]?\d){4,}")
_LONGEST_WORDS, _LONGEST_CHARACTERS = 8, 24


def find_bounded_value(sort: str, text: str, language: str) -> str:
    """The value at the beginning of `text`; "" where it has none of this sort."""
    text = text.strip(" “”\"'")
    if sort == "phone":
        number = _PHONE.match(text)
        return number[0] if number else ""
    cut = _cut_chinese(sort, text) if language == "zh" else _cut_english(sort, text)
    cut = cut.strip(" .,;。，；!！“”\"'’")
    is_short = len(cut) <= _LONGEST_CHARACTERS if language == "zh" else len(cut.split()) <= _LONGEST_WORDS
    return cut if is_short or sort == "rest" else ""


def list_items(value: str) -> list[str]:
    """The things of a list: "peanuts, eggs and shellfish"."""
    parts = re.split(r",? (?:and|or|nor) |, |、|和|以及|还有|与|跟", value)
    return [bare for part in parts if (bare := _ARTICLE.sub("", part.strip()))]


def _cut_english(sort: str, text: str) -> str:
    if sort == "rest":
        return re.split(r"[;(]|\.(?= |$)", text, maxsplit=1)[0]
    if sort in {"place", "name"}:
        match = _PROPER.search(_cut_at_end(text)) if sort == "place" else _PROPER.match(text)
        return match[0] if match else ""
    if sort == "list":
        return _cut_list(text)
    until = _cut_at_end(text)
    if sort == "org":
        return _find_organisation(text, until)
    if sort == "job":
        return _ARTICLE.sub("", _PREPOSITION.split(until, maxsplit=1)[0])
    if sort in {"amount", "age", "date"}:
        has_value = (
            bool(re.search(r"\d", text))
            or sort == "date"
            or bool(re.match(r"(?:no|one|two|three|four|five|six|seven)\b", text))
        )
        return _cut_at_date_end(text) if sort == "date" else (until if has_value else "")
    return "" if _NO_THING.match(until) else _ARTICLE.sub("", until)


def _cut_at_end(text: str) -> str:
    """A comma may stand inside a place ("Porto, Portugal"): its part behind it has a capital and ends there."""
    end = _END_EN.search(text)
    if end is None:
        return text
    if end[0] == "," and (more := re.match(rf", {_NAME}(?: {_NAME})?(?=$|[ .,(])", text[end.start() :])):
        return text[: end.start() + more.end()]
    return text[: end.start()]


def _cut_at_date_end(text: str) -> str:
    return re.split(r"[;(]|\.(?= |$)|,(?! ?\d{4})| and (?=[a-z])", text, maxsplit=1)[0]


def _find_organisation(text: str, until: str) -> str:
    """A proper name, or something with an article: "a bank", "the university canteen"."""
    proper = _PROPER.match(text)
    if proper and (proper[0][0].isupper() or len(proper[0].split()) > 1):
        return proper[0]
    return (
        until
        if re.match(r"(?:an?|the|their) \w", until) and not _NO_THING.match(_ARTICLE.sub("", until))
        else ""
    )


def _cut_list(text: str) -> str:
    """Items go on behind commas, as long as no clause begins."""
    kept: list[str] = []
    for part in re.split(r"(, (?:and )?| and | or )", text):
        if not kept or re.fullmatch(r", (?:and )?| and | or ", part):
            kept.append(part)
            continue
        if re.match(
            r"(?:the user|also|is|has|was|does|can|will|had|they|he|she|it|there|so|but|which|not|no|[a-z]+s [a-z]+)\b",
            part,
        ) and not re.match(r"[a-z]+s (?:and|or)\b", part):
            kept.pop()
            break
        kept.append(part)
    whole = "".join(kept)
    first = re.split(
        r"[;:(—]|\.(?= |$)| (?:since|for|because|which|who|that|while|but|so|when|until|if|every|each"
        r"|once|twice|three times|daily|at night|in the|with|due to)\b",
        whole,
        maxsplit=1,
    )[0]
    return first.strip(" ,")


def _cut_chinese(sort: str, text: str) -> str:
    if sort == "rest":
        amount = re.match(r"[0-9一二两三四五六七八九十百千万.]+[^，,。]{0,3}(?=[，,])", text)
        return amount[0] if amount else re.split("[。；（(]", text, maxsplit=1)[0]
    if sort == "list":
        return re.split(r"[，,。；：（(！？\s]|都?(?:严重)?过敏", text, maxsplit=1)[0]
    end = _END_ZH.search(text)
    until = text[: end.start()] if end else text
    if sort == "place":
        until = re.split(
            r"(?:那边|这边|工作|上班|生活|居住|定居|读书|附近|一带|已经|快"
            r"|住?了?[一二两三四五六七八九十几半\d]+多?个?(?:年|月|天|周|星期)(?!路|桥))",
            until,
            maxsplit=1,
        )[0]
    if sort in {"amount", "age", "date"} and not re.search("[0-9一二两三四五六七八九十]", until):
        return ""
    return "" if sort in {"thing", "org", "device", "job"} and _NO_THING.match(until) else until
