"""Places that talk is about, so that "Rome: I loved it" is no speaker's line and 在深圳工作 names no employer."""

from __future__ import annotations

CHINESE_CITIES = tuple(
    """
        北京 上海 广州 深圳 杭州 南京 苏州 成都 重庆 武汉 西安 天津 长沙 郑州 青岛 大连 宁波 厦门
        福州 济南 合肥 昆明 沈阳 哈尔滨 长春 石家庄 太原 南昌 南宁 贵阳 海口 三亚 兰州 银川 西宁
        乌鲁木齐 拉萨 呼和浩特 无锡 常州 佛山 东莞 珠海 中山 惠州 温州 绍兴 嘉兴 金华 泉州 烟台 徐州
        香港 澳门 台北 高雄 纽约 伦敦 巴黎 东京 大阪 首尔 新加坡 曼谷 悉尼 墨尔本 柏林 罗马 多伦多
        温哥华 洛杉矶 旧金山 西雅图 波士顿 国外 国内 外地 老家 海外 本地 市区 郊区 美国 英国 日本
        德国 法国 加拿大 澳洲 澳大利亚
    """.split()
)
# Without those that people are called: Paris, Sydney, Florence, Austin, Charlotte and the like.
_PLACES = frozenset(
    """
        rome london tokyo kyoto osaka beijing shanghai berlin madrid barcelona lisbon porto vienna
        prague budapest warsaw athens dublin edinburgh amsterdam brussels copenhagen stockholm oslo
        helsinki zurich geneva munich hamburg frankfurt milan venice naples istanbul moscow dubai
        cairo marrakech nairobi lagos mumbai delhi bangkok hanoi seoul singapore hongkong taipei
        manila jakarta bali melbourne auckland toronto vancouver montreal chicago boston seattle
        denver miami dallas atlanta philadelphia detroit portland vegas nyc california texas florida
        hawaii alaska italy france spain portugal germany england scotland ireland wales greece
        turkey egypt morocco japan korea thailand vietnam indonesia malaysia australia canada mexico
        brazil argentina peru chile bristol leeds manchester liverpool sheffield birmingham glasgow
        cardiff belfast nottingham leicester coventry cambridge oxford brighton plymouth exeter
        norwich swansea aberdeen dundee inverness cork galway limerick pune bangalore bengaluru
        chennai hyderabad kolkata brisbane perth adelaide wellington ottawa calgary houston phoenix
        baltimore minneapolis pittsburgh lyon marseille bordeaux toulouse seville valencia malaga
        turin bologna leipzig stuttgart dresden krakow gdansk colombia cuba iceland norway sweden
        finland denmark poland switzerland austria belgium netherlands hungary croatia russia
        ukraine antwerp bruges ghent rotterdam utrecht bergen salzburg palermo granada faro cologne bremen
        罗马 巴黎 伦敦 东京 京都 大阪 柏林 纽约 首尔 曼谷 意大利 法国 西班牙 德国 英国 日本
        韩国 泰国 美国 云南 四川 西藏 新疆
    """.split()
) | frozenset(CHINESE_CITIES)
_IN_TWO_WORDS = frozenset(
    {
        "new york",
        "san francisco",
        "los angeles",
        "hong kong",
        "las vegas",
        "new zealand",
        "south korea",
        "sri lanka",
        "kuala lumpur",
    }
)


def is_place(name: str) -> bool:
    lowered = name.lower()
    return lowered in _PLACES or lowered in _IN_TWO_WORDS
