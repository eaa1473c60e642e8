"""Kinds of values in Chinese questions and statements, by closed classes of characters and by the shape of numbers."""

from __future__ import annotations

import re
from pathlib import Path

from memories.retrieval.values_held.kinds import AskedKinds, HeldKind
from memories.text.words.places import CHINESE_CITIES
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_HAN = "零一二两三四五六七八九十百千万亿俩仨几半"
_NUMBER = rf"[0-9{_HAN}]"
_DATES = re.compile(
    r"(?:\d{4}|[〇零一二三四五六七八九]{4})年(?:底|初)?(?:\d{1,2}月)?(?:底"
    r"|初)?(?:\d{1,2}[日号])?(?:前后|那一周|左右)?"
    rf"|{_NUMBER}{{1,3}}月(?:{_NUMBER}{{1,3}}[日号])?|{_NUMBER}{{1,3}}[日号]|(?:周|星期"
    rf"|礼拜)[一二三四五六日天]|{_NUMBER}{{1,3}}点(?:{_NUMBER}{{1,3}}分?|半|钟)?"
    r"|第[0-9一二三四五六七八九十百]+|十一(?=国庆|长假|假期)|一[家样直些起定下边点般旦面会天]|万一"
)
# No numbers, though they are written with such a character.
_MEASURED = f"(?:多|来|几)?(?:{_WORDS['measures']})"
_COUNTED = re.compile(rf"(?<!{_NUMBER}){_NUMBER}+{_MEASURED}|科目{_NUMBER}")
_MONEY_WORDS = re.compile(
    rf"(?<!{_NUMBER}){_NUMBER}+(?:多|来|几)?(?:块|元|万|千|百|毛|角|刀|美金|欧|镑|日元|[wWkK])"
    rf"|(?<!{_NUMBER}){_NUMBER}+个点|[0-9]%|百分之|[一二三四五六七八九]成|[¥￥$€£]|免费|白送|不要钱"
    rf"|没花钱|打折|[对半]价|百[0-9{_HAN}]|千[0-9{_HAN}]|万[0-9{_HAN}]"
)
_AGE_WORDS = re.compile(
    rf"(?<!{_NUMBER}){_NUMBER}+(?:多|来|几)?(?:周?岁|个月大)|(?:才|刚|满|都|已经|快|现在)"
    rf"{_NUMBER}{{1,2}}个多?月|岁|出生|生于|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]"
    rf"|[0-9{_HAN}]{{2}}后|满月|百天|年纪|年龄|年长|[大小]{_NUMBER}|古稀|花甲|大?寿|而立|不惑"
    rf"|今年{_NUMBER}|(?<!{_NUMBER}){_NUMBER}+(?:了|多了|出头|好几)|生日|年建|盖的|建成|民国|[清明]代"
    rf"|解放前"
)
_SIZE_WORDS = re.compile("[大小高矮长短宽窄深浅厚薄胖瘦轻重远近快慢]|平|尺寸")
_LENGTH_WORDS = re.compile(
    rf"(?<!{_NUMBER}){_NUMBER}+(?:多|来|几)?(?:个)?(?:年|月|天|周|星期|礼拜|小时|钟头|分钟|学期|辈子"
    rf"|季度)|半[年天]|整[夜天年月]|通宵|从小|从[^，。]{{1,10}}[起开]|自从|以来|一直|长期|多年|很久"
    rf"|好久|刚[开才]?|开始|起步|去年|前年|今年"
)
_TIME_WORDS = re.compile(_WORDS["times"])
_PLACE_WORDS = re.compile(f"{_WORDS['places']}|{'|'.join(CHINESE_CITIES)}")
_COLOURS = re.compile("色|[红黄绿蓝紫黑白灰粉棕银金褐橙青](?![山河海州岛城市庄江融镇阳龙])|花的|透明|彩")
_NAMING = re.compile("[叫姓名《「『]|称为|外号|绰号|小名")
_COUPLE = re.compile(_WORDS["couples"])
_CHILD = re.compile(
    "孩|儿|女|娃|宝|双胞胎|怀孕|孕|生了|产假|当[爸妈]|[爸妈父母]|丁克|二胎|龙凤胎|满月|外婆|奶奶|爷爷|孙"
)
# The most frequent ones of one character.
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任"
    "卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟"
    "秦邱侯江尹薛闫段雷龙史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常乔温康施文牛樊葛邢安齐"
)
_LIKING = re.compile(_WORDS["likings"])
_TRAVEL = re.compile("[坐骑乘搭打开]|走路|步行|地铁|公交|高铁|飞机|自驾|火车|船|车|班车|跑步|徒步|接送|送|接")
_JOB = re.compile(_WORDS["jobs"])
_LIST = re.compile("[、和跟与]|一[个只位名条]|都|没有|唯一")
_PAST = re.compile("[了过]|的[？?。]?$")

_QUESTIONS = (
    (
        HeldKind.MONEY,
        re.compile(
            r"""
            多少(?:钱|块|元|费用)
            | (?:工资|月薪|年薪|房租|学费|价格|价钱|房贷|存款|预算|费用|奖金)是?(?:有|还有|还剩)?多少
            | 多少(?:存款|工资|房租|学费|房贷|奖金|预算|费用|利息|退休金)[？?。]?$ | 什么价
            """,
            re.VERBOSE,
        ),
    ),
    (HeldKind.AGE, re.compile("几岁|多少岁|多大(?:年纪|岁数|年龄)|(?:年龄|岁数)是?多[少大]")),
    (HeldKind.AGE | HeldKind.SIZE, re.compile("多大(?:了|啦)?[？?。]?$")),
    (
        HeldKind.NUMBER,
        re.compile("多高|多重|(?:身高|体重|鞋码|面积|利率|门牌)是?多少|多少(?:斤|公斤|平|亩|度|米|公里)"),
    ),
    (
        HeldKind.NUMBER | HeldKind.COUNT,
        re.compile("多少(?:个)?(?:人|员工|学生|本|条|只|个|孩子|同事|间|户|家|名|位)"),
    ),
    (HeldKind.LENGTH, re.compile("多久|多长时间|(?<!第)几年了|多少年")),
    (
        HeldKind.LIKING,
        re.compile(
            r"""
            (?:最?喜欢|最爱|爱)(?:[吃喝看听玩读用穿逛去做])?(?:的[一-龥]{1,4}是)?(?:什么(?!样)|啥|哪|谁)
            | 最(?:喜欢|爱)的
            """,
            re.VERBOSE,
        ),
    ),
    (HeldKind.TRAVEL, re.compile("怎么(?:去(?!除|掉|污|腥)|来|上班|上学|回家)[一-龥]{0,6}的?[？?。]?$")),
    (HeldKind.COLOUR, re.compile("什么颜色|啥颜色|哪[种个]颜色|颜色是什么")),
    (
        HeldKind.JOB,
        re.compile(
            r"""
            (?<!我)(?:做|干|从事)(?:什么|啥)(?:工作|职业|行业|的)[？?。]?$ | 什么(?:工作|职业)[？?。]?$
            | (?:工作|职业)是什么
            """,
            re.VERBOSE,
        ),
    ),
    (
        HeldKind.COUPLE,
        re.compile("(?:结婚|订婚|离婚|成家)了?[吗没]|有(?:没有)?(?:女朋友|男朋友|对象|老婆|老公)|是?单身"),
    ),
    (HeldKind.CHILD, re.compile("有(?:没有)?(?:小?孩子?|儿子|女儿|娃)[吗？?]?")),
    (
        HeldKind.PLACE,
        re.compile(
            r"""
            (?<![卡用花])(?:在|住|搬到了?|来自)哪(?![天年月步方])
            | 哪[里儿](?:人|上班|上学|工作|读书|念书|住) | (?:上|读)的?(?:是)?哪[个家所]
            """,
            re.VERBOSE,
        ),
    ),
)
_WHEN = re.compile("什么时候|啥时候|几点|几号|哪[天年月]|星期几|周几|何时")


def find_asked(question: str) -> AskedKinds | None:
    """Find what kind of value a question asks for; None where it asks for another, or for none."""
    for kinds, pattern in _QUESTIONS:
        if pattern.search(question):
            return AskedKinds(kinds)
    # What has happened was said soon after, so that the time of the talk is an answer.
    if _WHEN.search(question) and not _PAST.search(question):
        return AskedKinds(HeldKind.TIME)
    return None


def find_held(text: str) -> int:
    """The kinds of values that a statement may hold, as bits of `HeldKind`."""
    dateless = _DATES.sub("", text)
    held = 0
    has_number = re.search(_NUMBER, dateless) is not None
    if has_number:
        held |= HeldKind.NUMBER
    rest = _COUNTED.sub("", dateless)
    # 五十 alone is an amount; 两 alone an article as often as a number.
    if _MONEY_WORDS.search(dateless) or re.search(rf"[0-9]{{2,}}|[{_HAN}]{{2,}}", rest):
        held |= HeldKind.MONEY
    for kind, pattern in _BY_WORDS:
        if pattern.search(text):
            held |= kind
    if _AGE_WORDS.search(dateless):
        held |= HeldKind.AGE
    if re.search("[0-9]年|[0-9]月", text):
        held |= HeldKind.LENGTH
    return held


_BY_WORDS = (
    (HeldKind.SIZE, _SIZE_WORDS),
    (HeldKind.TIME, _TIME_WORDS),
    (HeldKind.PLACE, _PLACE_WORDS),
    (HeldKind.COLOUR, _COLOURS),
    (HeldKind.NAMING, _NAMING),
    (HeldKind.COUNT, _LIST),
    (HeldKind.COUPLE, _COUPLE),
    (HeldKind.JOB, _JOB),
    (HeldKind.TRAVEL, _TRAVEL),
    (HeldKind.LIKING, _LIKING),
    (HeldKind.CHILD, _CHILD),
    (HeldKind.LENGTH, _LENGTH_WORDS),
)
