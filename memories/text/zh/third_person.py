"""Chinese from the first person to the third: 我和我妻子住在北京 -> 用户和用户的妻子住在北京."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_QUOTED = re.compile('([“「『"][^”」』"\n]{0,300}[”」』"])')
_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# Whose a thing is, where it is not the user's.
KIN = _WORDS["kin"]
_FILLER = re.compile(rf"^(?:{_WORDS['fillers']})[，,、\s]*(?=\S)")
_OWN = re.compile(rf"我(?!家(?:有|里|养|附近|楼|在))(?={_WORDS['own_kin']})")
_WE = re.compile(r"(?:我们|咱们|咱)(?=一?家)")
_OUR = re.compile(rf"(?:我们|咱们|咱|我)(?={_WORDS['groups']})|我(?={_WORDS['own_things']})")
_STARTS_WITH_SUBJECT = re.compile(r"^(?:用户|他|她|它|这|那|大家|有人)")
_PREDICATES = re.compile(
    rf"^(?:(?:{_WORDS['times']})，?(?:[0-9一二三四五六七八九十]{{1,3}}[号日月])?)*(?:{_WORDS['predicates']})"
)


def remove_filler(clause: str) -> str:
    """Without the words before the statement, but never without all of them."""
    while (shorter := _FILLER.sub("", clause, count=1)) != clause:
        clause = shorter
    return clause


_THANKS = re.compile("，?(?:谢谢|多谢|感谢)[^，。！]{0,8}(?=[。！]?$)")


def remove_thanks(sentence: str) -> str:
    return _THANKS.sub("", sentence) or sentence


# 我婆婆说你真能花钱: the words of somebody, said to whom the user knows.
_SAID_TO = re.compile(
    "(?:(?P<user>(?<![一-龥])我(?:就|还|都|也|当时|[跟对][他她])*[说骂夸怪劝笑])|(?P<said>(?<![你您])[说骂夸怪劝笑]))"
    "[你您](?=[可真也就太这别怎是有咋还都不该])"
)


def name_assistant(text: str) -> str:
    """你推荐的酒店 is the one that the assistant recommended."""
    text = _SAID_TO.sub(lambda match: match["user"] and f"{match['user']}对方" or f"{match['said']}我", text)
    return re.sub("[你您](?=(?:上次|之前|刚才|昨天)?(?:推荐|建议|说|给|发|告诉|介绍|提到))", "助手", text)


def blank_quotes(clause: str) -> str:
    return _QUOTED.sub("“”", clause)


def rewrite_in_third_person(clause: str, first: str = "用户", second: str = "") -> str:
    """The clause as said about `first`; 你 becomes `second` where one is given."""
    pieces = _QUOTED.split(clause)
    return "".join(
        piece if at % 2 else _rewrite_piece(piece, first, second) for at, piece in enumerate(pieces)
    )


def with_subject(clause: str) -> str:
    """Chinese leaves 我 out where it is clear; a memory stands alone and must name the user."""
    if (
        "我" in clause
        or "咱" in clause
        or not _PREDICATES.match(clause)
        or _STARTS_WITH_SUBJECT.match(clause)
    ):
        return clause
    return f"我{clause}"


def as_sentence(text: str) -> str:
    text = text.strip().rstrip("，,、；;：: ")
    return text if not text or text[-1] in "。！？.!?…" else text + "。"


def _rewrite_piece(piece: str, first: str, second: str) -> str:
    piece = _OUR.sub(f"{first}的", _OWN.sub(f"{first}的", _WE.sub(first, piece)))
    # The 我们 of an assistant is its firm.
    piece = re.sub("我们|咱们", first if second else f"{first}等人", piece)
    piece = re.sub("(?<!自)我(?!国|校|方|市|省)", first, piece)
    piece = piece.replace("俺", first).replace("本人", first)
    return re.sub("你们?|您", second, piece) if second else piece
