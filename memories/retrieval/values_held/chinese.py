"""Kinds of values in Chinese questions and statements, by closed classes of characters and by the shape of numbers."""

from __future__ import annotations

import re

from memories.retrieval.values_held.kinds import Asked, Held
from memories.text.places import CHINESE_CITIES

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
_MEASURED = (
    "(?:多|来|几)?(?:个(?!点)|颗|只|条|张|件|家|位|名|岁|次|回|遍|层|楼|辆|套|台|本|章|集|首|种|对|双胞|门"
    "|科|级|年|月|天|周|星期|小时|分钟|秒|公里|里|米|厘米|毫米|斤|公斤|克|两(?=重)|升|毫升|度|亩|平|口|头"
    "|匹|棵|朵|株|杯|瓶|碗|顿|场|届|班|人|口人|点|号|倍|排|间|栋|句|页|字|步|圈|针|片|粒|支|把|根|双|盒|袋"
    "|包)"
)
_COUNTED = re.compile(rf"(?<!{_NUMBER}){_NUMBER}+{_MEASURED}|科目{_NUMBER}")
_MONEY_WORDS = re.compile(
    rf"(?<!{_NUMBER}){_NUMBER}+(?:多|来|几)?(?:块|元|万|千|百|毛|角|刀|美金|欧|镑|日元|[wWkK])"
    rf"|(?<!{_NUMBER}){_NUMBER}+个点|[0-9]%|百分之|[一二三四五六七八九]成|[¥￥$€£]|免费|白送|不要钱"
    rf"|没花钱|打折|[对半]价|百[0-9{_HAN}]|千[0-9{_HAN}]|万[0-9{_HAN}]"
)
_AGE_WORDS = re.compile(
    rf"(?<!{_NUMBER}){_NUMBER}+(?:多|来|几)?(?:周?岁|个月大)|岁|出生|生于|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]"
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
_TIME_WORDS = re.compile(
    r"""
    [年月日号点周晨夜晚早春夏秋冬节] | 星期 | 礼拜 | [今明昨前后当每][天日] | 天天 | 中午 | 下午 | 上午
    | 午[饭休] | 假 | 暑 | 寒 | 时[候间] | [之以]?[前后](?![面台排门院]) | 刚 | 快要 | 马上 | 最近 | 现在
    | 目前 | 小时 | 分钟 | 季 | 期 | 元旦 | 国庆 | 除夕 | 端午 | 中秋 | 放学 | 下班 | 放假 | 毕业
    """,
    re.VERBOSE,
)
_PLACE_WORDS = re.compile(
    (
        "在(?!意|乎|于|学|看|做|吃|读|写|想|考虑|准备|练|用|等|找|听|玩|跑|追|备|忙|减|戒|存|攒|打|养|带)"
        "|[到往]|回(?![来复答事忆])|去(?!年|了[医牙]|看|做|吃|找|参加|拿|买|办|接|送|掉|世)|来自|位于|住|搬"
        "|停(?!止|下|了|电|药|工|课)|[放摆搁藏挂](?!假|心|弃|学|松|烂|号)|给了|读(?!书|完|过|到|了|者|起|出"
        "|懂|研)|从(?!来|不|小|没)|离(?!婚|职|异|开)"
        "|[省市县区镇乡村街路巷弄室院校馆厅厂站场堂局司城湖港湾桥寺庙栋楼店铺园]|[排座层柜架屉箱]|车位"
        "|[里上](?=[。，]|$)|[A-Za-z]{2}|毕业|于(?!是)|社|岛(?!素)|大学|小学|中学|高中|初中|医院|公司|银行"
        "|单位|家里|老家|本地|外地|国外|海外|线上|网上|隔壁|楼[上下]|门口|附近|旁边|对面|"
    )
    + "|".join(CHINESE_CITIES)
)
_COLOURS = re.compile("色|[红黄绿蓝紫黑白灰粉棕银金褐橙青](?![山河海州岛城市庄江融镇阳龙])|花的|透明|彩")
_NAMING = re.compile("[叫姓名《「『]|称为|外号|绰号|小名")
_COUPLE = re.compile(
    r"""
    婚 | 老公 | 老婆 | 妻 | 丈夫 | 爱人 | 太太 | 先生 | 媳妇 | 对象 | 女友 | 男友 | 女朋友 | 男朋友 | 单身
    | 恋 | 相亲 | 岳 | 婆婆 | 公公 | 前夫 | 前任 | 配偶 | 伴侣 | 暧昧 | 追求 | 情侣 | 嫁 | 娶 | 孩子
    | 儿子 | 女儿 | 独居
    """,
    re.VERBOSE,
)
_CHILD = re.compile(
    "孩|儿|女|娃|宝|双胞胎|怀孕|孕|生了|产假|当[爸妈]|[爸妈父母]|丁克|二胎|龙凤胎|满月|外婆|奶奶|爷爷|孙"
)
# The most frequent ones of one character.
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任"
    "卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟"
    "秦邱侯江尹薛闫段雷龙史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常乔温康施文牛樊葛邢安齐"
)
_LIKING = re.compile(
    r"""
    [爱迷粉最好馋偏香] | 喜 | 更 | 宁愿 | 宁可 | 习惯 | 常 | 总是 | 天天 | 每[天周晚次] | 离不开 | 沉迷
    | 上瘾 | 首选 | 支持 | 追 | 过瘾 | 享受 | 热衷 | 收集 | 棒 | 赞 | 绝 | 不错 | 只[吃喝看听用]
    """,
    re.VERBOSE,
)
_TRAVEL = re.compile("[坐骑乘搭打开]|走路|步行|地铁|公交|高铁|飞机|自驾|火车|船|车|班车|跑步|徒步|接送|送|接")
_JOB = re.compile(
    r"""
    [工职业当做搬装修理扫洗剪烤焊开卖教员师生长手者店厂局队兵军警医律商] | 公司 | 单位 | 护士 | 司机
    | 老板 | 经理 | 程序 | 退休 | 务农 | [种养] | 跑 | 送 | 读 | 写 | 管 | 搞 | 是 | 主管 | 主任 | 总监
    | 主播 | 模特 | 医院 | 学校 | 银行 | 顾问
    """,
    re.VERBOSE,
)
_LIST = re.compile("[、和跟与]|一[个只位名条]|都|没有|唯一")
_PAST = re.compile("[了过]|的[？?。]?$")

_QUESTIONS = (
    (
        Held.MONEY,
        re.compile(
            r"""
            多少(?:钱|块|元|费用)
            | (?:工资|月薪|年薪|房租|学费|价格|价钱|房贷|存款|预算|费用|奖金)是?(?:有|还有|还剩)?多少
            | 多少(?:存款|工资|房租|学费|房贷|奖金|预算|费用|利息|退休金)[？?。]?$ | 什么价
            """,
            re.VERBOSE,
        ),
    ),
    (Held.AGE, re.compile("几岁|多少岁|多大(?:年纪|岁数|年龄)|(?:年龄|岁数)是?多[少大]")),
    (Held.AGE | Held.SIZE, re.compile("多大(?:了|啦)?[？?。]?$")),
    (
        Held.NUMBER,
        re.compile("多高|多重|(?:身高|体重|鞋码|面积|利率|门牌)是?多少|多少(?:斤|公斤|平|亩|度|米|公里)"),
    ),
    (
        Held.NUMBER | Held.COUNT,
        re.compile("多少(?:个)?(?:人|员工|学生|本|条|只|个|孩子|同事|间|户|家|名|位)"),
    ),
    (Held.LENGTH, re.compile("多久|多长时间|(?<!第)几年了|多少年")),
    (
        Held.LIKING,
        re.compile(
            r"""
            (?:最?喜欢|最爱|爱)(?:[吃喝看听玩读用穿逛去做])?(?:的[一-龥]{1,4}是)?(?:什么(?!样)|啥|哪|谁)
            | 最(?:喜欢|爱)的
            """,
            re.VERBOSE,
        ),
    ),
    (Held.TRAVEL, re.compile("怎么(?:去(?!除|掉|污|腥)|来|上班|上学|回家)[一-龥]{0,6}的?[？?。]?$")),
    (Held.COLOUR, re.compile("什么颜色|啥颜色|哪[种个]颜色|颜色是什么")),
    (
        Held.JOB,
        re.compile(
            r"""
            (?<!我)(?:做|干|从事)(?:什么|啥)(?:工作|职业|行业|的)[？?。]?$ | 什么(?:工作|职业)[？?。]?$
            | (?:工作|职业)是什么
            """,
            re.VERBOSE,
        ),
    ),
    (
        Held.COUPLE,
        re.compile("(?:结婚|订婚|离婚|成家)了?[吗没]|有(?:没有)?(?:女朋友|男朋友|对象|老婆|老公)|是?单身"),
    ),
    (Held.CHILD, re.compile("有(?:没有)?(?:小?孩子?|儿子|女儿|娃)[吗？?]?")),
    (
        Held.PLACE,
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


def find_asked(question: str) -> Asked | None:
    """What kind of value a question asks for; None where it asks for another, or for none."""
    for kinds, pattern in _QUESTIONS:
        if pattern.search(question):
            return Asked(kinds)
    # What has happened was said soon after, so that the time of the talk is an answer.
    if _WHEN.search(question) and not _PAST.search(question):
        return Asked(Held.TIME)
    return None


def find_held(text: str) -> int:
    """The kinds of values that a statement may hold, as bits of `Held`."""
    dateless = _DATES.sub("", text)
    held = 0
    has_number = re.search(_NUMBER, dateless) is not None
    if has_number:
        held |= Held.NUMBER
    rest = _COUNTED.sub("", dateless)
    # 五十 alone is an amount; 两 alone an article as often as a number.
    if _MONEY_WORDS.search(dateless) or re.search(rf"[0-9]{{2,}}|[{_HAN}]{{2,}}", rest):
        held |= Held.MONEY
    for kind, pattern in _BY_WORDS:
        if pattern.search(text):
            held |= kind
    if _AGE_WORDS.search(dateless):
        held |= Held.AGE
    if re.search("[0-9]年|[0-9]月", text):
        held |= Held.LENGTH
    return held


_BY_WORDS = (
    (Held.SIZE, _SIZE_WORDS),
    (Held.TIME, _TIME_WORDS),
    (Held.PLACE, _PLACE_WORDS),
    (Held.COLOUR, _COLOURS),
    (Held.NAMING, _NAMING),
    (Held.COUNT, _LIST),
    (Held.COUPLE, _COUPLE),
    (Held.JOB, _JOB),
    (Held.TRAVEL, _TRAVEL),
    (Held.LIKING, _LIKING),
    (Held.CHILD, _CHILD),
    (Held.LENGTH, _LENGTH_WORDS),
)
