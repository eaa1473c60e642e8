"""Chinese from the first person to the third: 我和我妻子住在北京 -> 用户和用户的妻子住在北京."""

from __future__ import annotations

import re

_QUOTED = re.compile('([“「『"][^”」』"\n]{0,300}[”」』"])')
_KIN = "妈|爸|哥|姐|弟|妹|爷|奶|老婆|老公|妻子|丈夫|女儿|儿子|家|朋友|同事|老板|男朋友|女朋友|孩子|父|母|叔|舅|姨|姑|室友|同学"
_FILLER = re.compile(
    r"^(?:嗯+|哦+|啊|好的|对了|其实|那个|说实话|老实说|另外|还有|顺便说一下|话说|你好|您好|是的|对|不过|但是|而且|所以|然后|就是说|我觉得|我想说)[，,、\s]*(?=\S)"
)
_OWN = re.compile(rf"我(?={_KIN})")
_WE = re.compile(r"(?:我们|咱们|咱)(?=一?家)")
_STARTS_WITH_SUBJECT = re.compile(r"^(?:用户|他|她|它|这|那|大家|有人)")
_PREDICATES = re.compile(
    r"^(?:最近|现在|目前|已经|刚刚?|一直|经常|平时|周末|每[天周年月]|从来|也|还|正在|打算|计划|准备|想要?|要|会|去|来|在|住|搬|买|卖|学|做|吃|喝|喜欢|讨厌|不喜欢|不吃|不爱|养|开|用|叫"
    r"|毕业|结婚|离婚|单身|订|预订|报名|参加|换|辞职|入职|生了?|去过|有|没有?|今天|昨天|前天|明天|后天|上周|下周|上个?月|下个?月|去年|今年|明年|浏览|点击|收藏|购买|搜索|关注)"
)


def without_filler(clause: str) -> str:
    """Without the words before the statement, but never without all of them."""
    while (shorter := _FILLER.sub("", clause, count=1)) != clause:
        clause = shorter
    return clause


def without_quotes(clause: str) -> str:
    return _QUOTED.sub("“”", clause)


def rewrite(clause: str, first: str = "用户", second: str = "") -> str:
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
    piece = _OWN.sub(f"{first}的", _WE.sub(first, piece))
    piece = re.sub("我们|咱们", f"{first}等人", piece)
    piece = re.sub("(?<!自)我(?!国|校|方|市|省)", first, piece)
    piece = piece.replace("俺", first).replace("本人", first)
    return re.sub("你们?|您", second, piece) if second else piece
