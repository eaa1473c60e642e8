"""A small map from words to topics, for tags that match by meaning: "cloudy" and 气温 are about weather."""

from __future__ import annotations

from functools import lru_cache

from memories import words

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
    ("relationships", "人际", "friend friends girlfriend boyfriend partner dating relationship neighbour 朋友 女朋友 男朋友 恋爱"),
    ("answer style", "回答方式", "concise brief reply answer emoji markdown tone wordy 简洁 回答 回复 语气 表情"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _topics_of_terms() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for at, (english, chinese, lexicon) in enumerate(_TOPICS):
        for word in (english, chinese, *lexicon.split()):
            for term in {word} if not word.isascii() else set(words.keywords(word)):
                found[term] = (*found.get(term, ()), at)
    return found


def topics_of(terms: list[str]) -> list[int]:
    """The topics of a text's terms, the best covered first."""
    known = _topics_of_terms()
    counts: dict[int, int] = {}
    for term in terms:
        for topic in known.get(term, ()):
            counts[topic] = counts.get(topic, 0) + 1
    return sorted(counts, key=lambda topic: -counts[topic])


def topic_name(topic: int, language: str) -> str:
    english, chinese, _ = _TOPICS[topic]
    return chinese if language == "zh" else english
