"""A small map from words to topics, for tags that match by meaning: "cloudy" and 气温 are about weather."""

from __future__ import annotations

from functools import lru_cache

from memories.text import tokenize

# English name, Chinese name, words of the topic.
_TOPICS = (
    ("travel", "旅行", "travel trip vacation holiday flight fly hotel tour tourist journey visit itinerary airport luggage passport sightseeing accommodation booking beach abroad 旅行 旅游 出行 酒店 机票 航班 景点 行程 度假 出差 住宿 行李"),
    ("weather", "天气", "weather temperature rain rainy sunny cloudy snow wind windy forecast storm humid degrees celsius climate 天气 气温 温度 下雨 晴 多云 下雪 台风 阴"),
    ("food", "美食", "food eat meal restaurant cook cooking recipe cuisine spicy vegetarian vegan breakfast lunch dinner snack taste diet fruit apple banana drink coffee tea dessert allergic bake baking ice cream 美食 吃 饮食 餐厅 菜 口味 辣 水果 苹果 早餐 午餐 晚餐 咖啡 茶 素食 过敏 做饭"),
    ("work", "工作", "work job career office boss colleague company project meeting salary employer interview manager designer engineer developer profession promotion business 工作 职业 公司 上班 同事 老板 项目 会议 工资 面试 程序员 工程师 设计师"),
    ("health", "健康", "health sick doctor hospital medicine pain sore knee sleep illness therapy mental injury surgery medical blood headache 健康 医院 医生 生病 药 疼 睡眠 身体 受伤 膝盖"),
    ("sport", "运动", "sport exercise fitness gym run ran running kilometers workout training yoga swim swimming hiking hike football soccer basketball badminton tennis cycling marathon 运动 健身 跑步 羽毛球 篮球 足球 游泳 锻炼 瑜伽 爬山 马拉松"),
    ("finance", "理财", "money finance financial fund invest investment stock bank budget loan tax insurance saving retirement expense price cost reimbursement risk 理财 基金 投资 股票 银行 预算 贷款 保险 退休 报销 价格 风险"),
    ("family", "家庭", "family wife husband son daughter mother father mom dad parents brother sister kid kids child children baby married grandmother grandfather relative 家庭 家人 妻子 丈夫 儿子 女儿 妈妈 爸爸 父母 孩子 结婚 老婆 老公"),
    ("technology", "科技", "technology tech computer software laptop phone app code programming internet ai device macbook iphone data python developer 科技 电脑 软件 手机 代码 编程 技术 人工智能"),
    ("education", "教育", "education school university college study student class exam course teacher learn learning homework math 教育 学校 大学 学习 学生 考试 课程 老师"),
    ("pets", "宠物", "pet dog cat puppy kitten hamster rabbit veterinarian vet 宠物 狗 猫"),
    ("hobby", "爱好", "hobby hobbies paint painting photography garden gardening craft pottery collect knitting drawing chess 爱好 绘画 摄影 园艺 手工 兴趣"),
    ("music", "音乐", "music song concert band guitar piano violin singer album jazz 音乐 歌 演唱会 吉他 钢琴"),
    ("movies", "影视", "movie film cinema tv series show actor anime drama sci-fi comedy 电影 电视剧 影视 动漫 演员"),
    ("reading", "阅读", "read reading novel author library literature poetry 阅读 书 小说 作者"),
    ("games", "游戏", "game games gaming videogame tournament console 游戏"),
    ("home", "居住", "home house apartment live residence moved move rent neighbourhood city 居住 住 房子 公寓 搬家 租房 搬到"),
    ("shopping", "购物", "shop shopping buy bought purchase store mall order online price brand 购物 买 商场 品牌 下单"),
    ("relationships", "人际", "wedding marry married marriage fiance fiancee engaged divorce roommate colleague 婚礼 结婚 恋人 闺蜜 室友 friend friends girlfriend boyfriend partner dating relationship neighbour 朋友 女朋友 男朋友 恋爱"),
    ("emotion", "情绪", "feel feeling emotion mood anxious anxiety stress stressed sad angry lonely tired depressed happy excited worried burnout 情绪 心情 焦虑 压力 难过 生气 孤独 累 抑郁 开心 紧张 担心"),
    ("transport", "交通", "transport car drive driving bus train metro subway commute traffic bike bicycle scooter taxi parking mot tyre tyres mileage petrol diesel garage 交通 开车 汽车 公交 地铁 火车 高铁 通勤 自行车 打车 停车 加油 年检 轮胎 车险"),
    ("after-sales", "售后", "return refund exchange warranty complaint repair defective order delivery shipping parcel 退货 退款 换货 保修 投诉 维修 订单 快递 物流"),
    ("business", "商业", "business startup revenue customer client sales marketing strategy founder funding procurement supplier contract 商业 创业 客户 销售 市场 营销 融资 采购 供应商 合同"),
    ("languages", "语言", "language english chinese spanish french german japanese korean portuguese italian duolingo vocabulary grammar 语言 英语 日语 法语 西班牙语 韩语 单词 语法 口语"),
    ("plans", "计划", "plan plans goal goals deadline schedule appointment reminder resolution agenda todo 计划 目标 日程 安排 预约 提醒 截止 待办"),
    ("religion", "信仰", "religion church temple mosque pray prayer faith buddhist christian muslim 信仰 宗教 教堂 寺庙 佛教"),
    ("fashion", "穿搭", "fashion clothes clothing dress shoes outfit jacket size style wardrobe makeup 穿搭 衣服 鞋 裙子 外套 化妆 尺码"),
    ("law", "法律", "law legal lawyer court visa passport immigration citizenship 法律 律师 法院 签证 移民 国籍"),
    ("answer style", "回答方式", "concise brief reply answer emoji markdown tone wordy 简洁 回答 回复 语气 表情"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _load_topics_by_term() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for at, (english, chinese, lexicon) in enumerate(_TOPICS):
        for word in (english, chinese, *lexicon.split()):
            for term in {word} if not word.isascii() else set(tokenize.extract_keywords(word)):
                found[term] = (*found.get(term, ()), at)
    return found


def put_health_first(topics: list[int], terms: list[str]) -> list[int]:
    """The topics of a text that names a medicine: it is about health, and about food only if that is said, too."""
    health, food = (_NAMES.index(name) for name in ("health", "food"))
    has_food = any(food in _load_topics_by_term().get(term, ()) for term in set(terms) - _SWALLOWED)
    others = [topic for topic in topics if topic != health and (topic != food or has_food)]
    return [health, *others]


# Verbs of eating go with medicines, too.
_SWALLOWED = frozenset({"吃", "喝"})
_NAMES = [english for english, _, _ in _TOPICS]


def find_topics(terms: list[str]) -> list[int]:
    """The topics of a text's terms, the best covered first."""
    known = _load_topics_by_term()
    counts: dict[int, int] = {}
    for term in terms:
        for topic in known.get(term, ()):
            counts[topic] = counts.get(topic, 0) + 1
    return sorted(counts, key=lambda topic: -counts[topic])


def get_topic_name(topic: int, language: str) -> str:
    english, chinese, _ = _TOPICS[topic]
    return chinese if language == "zh" else english
