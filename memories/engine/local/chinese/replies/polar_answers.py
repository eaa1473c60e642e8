"""What yes and no say of the question that they answer: 您会游泳吗？不会 becomes 我不会游泳."""

from __future__ import annotations

import re

_YES = re.compile(
    r"""
    ^(?:
        是的? | 对的? | 有的? | 嗯+ | 会的? | 能的? | 可以 | 要的? | 没错 | 确实 | 当然 | 必须的? | 肯定
        | 吃的? | 喝的? | 去的? | 在的? | 喜欢 | 需要
    )(?:啊|呀|哦|呢|吧|的|了)?$
    """,
    re.VERBOSE,
)
_NO = re.compile(
    r"""
    ^(?:
        没有? | 没有过 | 没呢 | 不是的? | 不会 | 不能 | 不用 | 不要 | 不吃 | 不喝 | 不去 | 不 | 还没有?
        | 无 | 否 | 暂时没有? | 从来没有? | 都没有? | 并没有 | 没啥 | 没什么 | 不在 | 不需要
    )(?:啊|呀|哦|呢|吧|的|了)?$
    """,
    re.VERBOSE,
)
_A_NOT_A = re.compile(
    "(?P<verb>有没有|是不是|会不会|能不能|可不可以|要不要|喜不喜欢|吃不吃|喝不喝|有无|是否)"
)
_NEGATED = {
    "有没有": "没有",
    "是不是": "不是",
    "会不会": "不会",
    "能不能": "不能",
    "可不可以": "不可以",
    "要不要": "不要",
    "喜不喜欢": "不喜欢",
    "吃不吃": "不吃",
    "喝不喝": "不喝",
    "有无": "没有",
    "是否": "不",
}
_AFFIRMED = {
    "有没有": "有",
    "是不是": "是",
    "会不会": "会",
    "能不能": "能",
    "可不可以": "可以",
    "要不要": "要",
    "喜不喜欢": "喜欢",
    "吃不吃": "吃",
    "喝不喝": "喝",
    "有无": "有",
    "是否": "",
}
ASKS_FOR = re.compile(
    r"""
    (?P<clock>几点钟?) | (?P<when>什么时候|何时|哪天|哪一天|几号|几月(?:份|几号)?|哪一?年|什么时间)
    | (?P<old>多大(?:年纪|岁数|了)?|几岁)
    | (?P<number>多少钱?|多长时间|多久|多高|多重|多长|多大(?=的)|几(?P<measure>[一-龥]))
    | (?P<where>哪里|哪儿|哪个城市|哪座城市|哪个地方|什么地方|哪边|哪个区域?) | (?P<who>谁)
    | (?P<how>怎么|如何)
    | (?P<which>
          (?:哪(?:一)?[个款种家部本位只门所支]|哪些|哪类)[一-龥]{0,4}?(?=[呢啊吗]?$|[的是在])
          | 哪(?:一)?[个款种家位门所]
      )
    | (?P<what>(?:什么|啥)(?P<noun>[一-龥]{0,4}))
    """,
    re.VERBOSE,
)
_TAIL = re.compile("(?:[呢啊呀吧哦]|吗|么)+$")


def find_lead(clause: str) -> str:
    bare = re.sub("[啊呀哦呢吧哈]+$", "", clause.strip(" 。！"))
    return bare if _YES.match(bare) or _NO.match(bare) else ""


def rewrite_in_first_person(question: str) -> str:
    words = re.sub("[你您]们", "我们", _TAIL.sub("", question))
    return re.sub("[你您]", "我", words)


def answer_polar_question(question: str, lead: str) -> str:
    """The statement that a yes or a no makes of the question; "" where that is not certain."""
    is_no = bool(_NO.match(lead))
    words = rewrite_in_first_person(question)
    if match := _A_NOT_A.search(words):
        verb = (_NEGATED if is_no else _AFFIRMED)[match["verb"]]
        return words[: match.start()] + verb + words[match.end() :]
    if (
        not re.search("[吗么]$", question.rstrip("呢啊"))
        or ASKS_FOR.search(words)
        or re.search("不|没|还是", words)
    ):
        return ""
    words = re.sub("(?<=[一-龥])了$", "", words) if is_no else words
    if not is_no:
        return words
    for verb, negated in (
        ("有做过", "没做过"),
        ("有去过", "没去过"),
        ("有吃", "没吃"),
        ("有在", "没在"),
        ("做过", "没做过"),
        ("去过", "没去过"),
        ("有", "没有"),
        ("是", "不是"),
        ("会", "不会"),
        ("能", "不能"),
        ("喜欢", "不喜欢"),
        ("要", "不要"),
        ("想", "不想"),
        ("吃", "不吃"),
        ("喝", "不喝"),
        ("在", "不在"),
        ("打算", "不打算"),
        ("过敏", "不过敏"),
        ("需要", "不需要"),
    ):
        at = words.find(verb)
        if at >= 0:
            return words[:at] + negated + words[at + len(verb) :]
    return ""
