"""Chinese from the first person to the third: 我和我妻子住在北京 -> 用户和用户的妻子住在北京."""

from __future__ import annotations

import re

_QUOTED = re.compile('([“「『"][^”」』"\n]{0,300}[”」』"])')
_KIN = (
    "外公|外婆|姥姥|姥爷|妈|爸|哥|姐|弟|妹|爷|奶|老婆|老公|妻子|丈夫|女儿|儿子|家|朋友|同事|老板|男朋友"
    "|女朋友|孩子|父|母|叔|舅|姨|姑|室友|同学"
)
# Whose a thing is, where it is not the user's.
KIN = (
    "外[公婆甥孙]|姥[姥爷]|[妈爸爹娘哥姐弟妹爷奶叔舅姨姑嫂侄孙父母]|[表堂][哥姐弟妹]|老[婆公]|妻子|丈夫"
    "|太太|媳妇|对象|爱人|女儿|儿子"
    "|孩子|宝宝|婆婆|公公|岳[父母]|朋友|闺蜜|发小|同[事学]|室友|邻居|老板|领导|上司|老师|[男女]朋?友"
    "|伴侣|[狗猫]"
)
_FILLER = re.compile(
    r"""
    ^(?:
        嗯+ | 哦+ | 啊 | 好的 | 对了 | 其实 | 那个 | 说实话 | 老实说 | 另外 | 还有 | 顺便说一下 | 话说
        | 你好 | 您好 | 是的 | 对[的啊呀]?(?=[，,、\s]) | 不过 | 但是 | 而且 | 所以 | 然后 | 就是说
        | 我觉得 | 我想说
    )[，,、\s]*(?=\S)
    """,
    re.VERBOSE,
)
_OWN = re.compile(rf"我(?!家(?:有|里|养|附近|楼|在))(?={_KIN})")
_OWN_GROUP = "公司|团队|学校|部门|班|组|单位|老板|小区|村|办公室|实验室|项目|店|医院|工厂|客户|产品"
_WE = re.compile(r"(?:我们|咱们|咱)(?=一?家)")
_OUR = re.compile(
    rf"(?:我们|咱们|咱|我)(?={_OWN_GROUP})|我(?=电脑|手机|车|血压|体重|身高|预算|口味|房间|办公室|生日|专业|老家)"
)
_STARTS_WITH_SUBJECT = re.compile(r"^(?:用户|他|她|它|这|那|大家|有人)")
_TIMES = (
    "多次|频繁|反复|上次|(?:周|星期)[一二三四五六日天]|最近|现在|目前|已经|刚|一直|经常|平时|周末"
    "|每[天周年月]|从来|今天|昨天|前天|明天|后天|上周[一二三四五六日天末]?|下周[一二三四五六日天末]?"
    "|上个?月|下个?月|去年|今年|明年|今晚|昨晚|早上|晚上|也|还|又|都|再|先"
)
_PREDICATES = re.compile(
    rf"^(?:(?:{_TIMES})，?(?:[0-9一二三四五六七八九十]{{1,3}}[号日月])?)*(?:正在|打算|计划|准备|想要?"
    rf"|要(?!是)|会(?![议员场馆所计])|去|来|在(?!.{{0,6}}(?:有|是))|住|搬|买|卖|学|做|吃|喝|喜欢|讨厌"
    rf"|不喜欢|不吃|不爱|不太|养|开(?!心)|用|叫"
    r"|毕业|结婚|离婚|单身|订|预订|报名|参加|换|辞职|入职|生了|去过|有|没有?|浏览|点击|查看|收藏|购买"
    r"|搜索|关注|请了|加班|跑|爬|游了|骑|完成|收到|丢了|摔|扭|感冒|生病|失眠|睡|见|遇|陪|带|写|考"
    r"|升|修|发烧|出差|上班|下班|开会|约了|赢|输|通过|面试|住院|出院|生病|复查|体检|迷上|爱上|开始|坚持"
    r"|戒|换成|改)"
)


def remove_filler(clause: str) -> str:
    """Without the words before the statement, but never without all of them."""
    while (shorter := _FILLER.sub("", clause, count=1)) != clause:
        clause = shorter
    return clause


_THANKS = re.compile("，?(?:谢谢|多谢|感谢)[^，。！]{0,8}(?=[。！]?$)")


def remove_thanks(sentence: str) -> str:
    return _THANKS.sub("", sentence) or sentence


def name_assistant(text: str) -> str:
    """你推荐的酒店 is the one that the assistant recommended."""
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
