"""What people mean, whichever words they use: 苹果 is "apples", and aisle and window are two answers to one question."""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text import tokenize

# Everyday things by their English name, so that a preference stated in one language is changed in the other.
_NAMES = """
apples=苹果 bananas=香蕉 oranges=橙子,橘子 grapes=葡萄 strawberries=草莓 watermelon=西瓜 mangoes=芒果 peaches=桃子,桃 pears=梨,梨子 plums=李子
cherries=樱桃 lemons=柠檬 pineapple=菠萝 durian=榴莲 fruit=水果 vegetables=蔬菜,青菜 tomatoes=西红柿,番茄 potatoes=土豆,马铃薯 onions=洋葱
garlic=大蒜,蒜 ginger=姜,生姜 cilantro=香菜,coriander mushrooms=蘑菇 eggplant=茄子 carrots=胡萝卜 cucumber=黄瓜 cabbage=白菜 spinach=菠菜
meat=肉,吃肉 beef=牛肉 pork=猪肉 chicken=鸡肉 lamb=羊肉,mutton duck=鸭肉 fish=鱼,鱼肉 seafood=海鲜 shrimp=虾,prawns crab=螃蟹,蟹 shellfish=贝类
eggs=鸡蛋,蛋 milk=牛奶 cheese=奶酪,芝士 yogurt=酸奶,yoghurt butter=黄油 tofu=豆腐 rice=米饭 noodles=面条,面 bread=面包 dumplings=饺子 pasta=意面
pizza=披萨,比萨 hamburgers=汉堡,burgers sushi=寿司 hotpot=火锅 barbecue=烧烤,bbq steak=牛排 salad=沙拉 soup=汤 porridge=粥 desserts=甜点,甜品
cake=蛋糕 chocolate=巧克力 candy=糖果 cookies=饼干 snacks=零食 nuts=坚果 peanuts=花生 honey=蜂蜜 sweets=甜食
coffee=咖啡 tea=茶 green-tea=绿茶 black-tea=红茶 milk-tea=奶茶 juice=果汁 water=水 beer=啤酒 wine=葡萄酒,红酒 alcohol=酒,喝酒 cola=可乐 latte=拿铁 americano=美式,美式咖啡
sport=运动 running=跑步,jogging swimming=游泳 hiking=徒步,远足 climbing=爬山,登山,mountain-climbing cycling=骑行,骑车 basketball=篮球,打篮球 football=足球,踢足球,soccer
badminton=羽毛球,打羽毛球 tennis=网球,打网球 table-tennis=乒乓球,打乒乓球,ping-pong skiing=滑雪 yoga=瑜伽 dancing=跳舞,舞蹈 camping=露营 fishing=钓鱼 surfing=冲浪 diving=潜水
reading=阅读,看书,读书 writing=写作 cooking=做饭,烹饪,下厨 baking=烘焙 painting=画画,绘画 drawing=素描 photography=摄影,拍照 gardening=园艺,种花 travel=旅行,旅游,traveling,travelling
shopping=购物,逛街 shopping-malls=商场 singing=唱歌 music=音乐 jazz=爵士,爵士乐 classical-music=古典音乐,古典乐 rock=摇滚,摇滚乐 pop-music=流行音乐 piano=钢琴,弹钢琴 guitar=吉他,弹吉他
movies=电影,看电影,films comedies=喜剧,喜剧片 horror-movies=恐怖片 science-fiction=科幻,sci-fi romance=爱情片,言情 documentaries=纪录片 anime=动漫,动画 games=游戏,玩游戏,打游戏,video-games
board-games=桌游 chess=象棋,下棋 history=历史 novels=小说 poetry=诗歌 museums=博物馆 temples=寺庙 beaches=海边,海滩 mountains=山 crowds=人多,人群 cultural-attractions=文化景点
dogs=狗,狗狗,小狗 cats=猫,猫咪,小猫 rabbits=兔子 hamsters=仓鼠 birds=鸟 flowers=花 summer=夏天 winter=冬天 spring=春天 autumn=秋天,fall rain=下雨,雨天 snow=雪
colour=颜色,color food=食物 fruit-=水果 film=电影类型 book=书 song=歌,歌曲 singer=歌手 city=城市 team=球队 season=季节 animal=动物 subject=科目 brand=品牌 drink=饮料 dish=菜
red=红色 blue=蓝色 green=绿色 yellow=黄色 black=黑色 white=白色 purple=紫色 pink=粉色,粉红色 grey=灰色,gray orange-colour=橙色
english=英语,英文 chinese=中文,汉语 japanese=日语,日文 french=法语 german=德语 spanish=西班牙语 korean=韩语 russian=俄语
penicillin=青霉素 pollen=花粉 dust=灰尘,dust-mites lactose=乳糖 gluten=麸质 cat-hair=猫毛 smoking=抽烟,吸烟
"""

_FOOD_EN = r"(?: (?:foods?|dish(?:es)?|meals?|tastes?|flavou?rs?|cuisines?|stuff|things?|diets?))?"
_FOOD_ZH = "(?:的)?(?:一?点)?(?:的)?(?:食物|东西|菜|口味|饮食)?"
_DRINK_EN = "tea|coffee|milk|chocolate|latte|americano|water|drinks?|beverages?|soy milk"
_DRINK_ZH = "茶|咖啡|牛奶|巧克力|拿铁|美式|水|饮料?|饮品|豆浆"
# Questions to which one has one answer at a time. "{}" takes the thing that the answer is about.
_QUESTIONS = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        ("seat", r"(?:window|aisle)(?: seats?)?|(?:坐|选|要)?靠?(?:窗户?|过道|走道)(?:边|口)?的?(?:座位?|位置?|位子)?"),
        (
            "spice",
            rf"(?:eating )?(?:(?:very|too|extra|really|less|more|something|anything|super) )*(?:spicy|spicier|hot and spicy|mild|milder|light|lighter|bland|plain){_FOOD_EN}",
        ),
        ("spice", rf"(?:吃|吃得)?(?:太|很|特别|比较|更)?(?:辛辣|麻辣|重辣|微辣|不辣|重口味?|清淡|辣){_FOOD_ZH}"),
        ("oil", rf"(?:(?:very|too|really) )*(?:oily|greasy|heavy oil|fatty|fried){_FOOD_EN}|(?:吃)?(?:太|很)?(?:油腻?|油炸){_FOOD_ZH}"),
        ("temperature of {}", rf"(?:my |the )?(?:iced?|cold|hot|warm|lukewarm|room[- ]temperature) (?P<about>{_DRINK_EN})"),
        ("temperature of {}", rf"(?:my |the )?(?P<about>{_DRINK_EN}) (?:(?:very|extra) )?(?:iced|cold|hot|warm|lukewarm)"),
        ("temperature of {}", rf"(?:喝)?(?:热|冰|凉|温|冷|常温)的?(?P<about>{_DRINK_ZH})"),
        ("temperature of drinks", "(?:喝)?(?:热|冰|凉|温|冷|常温)的"),
        ("floor", r"(?:rooms? on )?(?:an? |the )?(?:high|low|higher|lower|top|upper|ground)[- ]floors?(?: rooms?)?|(?:高|低)(?:楼层|层)(?:的?房间)?"),
        ("time of {}", r"(?:early |late )?(?:morning|afternoon|evening|night|late-night|midday) (?P<about>flights?|meetings?|workouts?|runs?|class(?:es)?|shifts?|appointments?)"),
        ("screen theme", r"(?:the )?(?:dark|light) (?:mode|theme)|(?:深色|浅色|暗色|亮色)(?:模式|主题)"),
        ("steak", r"(?:my |the )?steaks? (?:rare|medium(?:[- ]rare|[- ]well)?|well[- ]done)|(?:(?:三|五|七)分熟|全熟)的?(?:牛排)?"),
        ("mattress", r"(?:soft|firm|hard) (?:mattress(?:es)?|beds?)|(?:软|硬)(?:床垫?|一点的床)"),
        ("units", r"(?:the )?(?:metric|imperial)(?: units| system)?"),
        ("temperature unit", "celsius|fahrenheit"),
        ("indentation", r"(?:using )?(?:tabs|spaces)(?: for indentation)?"),
        ("risk", r"(?:taking )?(?:low|high|lower|higher|medium)[- ]risk (?:funds?|investments?|products?|options?|assets?)|(?:低|高|中)风险的?(?:基金|投资|理财|产品|理财产品)?"),
    )
)  # fmt: skip
# To prefer one of these is not to prefer the others; to like one says nothing about them.
_RIVALS = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        ("transport", r"(?:(?:going |travell?ing )?by )?(?:the )?(?:trains?|planes?|fly(?:ing)?|driv(?:e|ing)|bus(?:es)?|cars?|high-speed rail)|(?:坐)?(?:火车|高铁|飞机|大巴|自驾)(?:出行)?"),
        ("milk", r"(?:whole|oat|soy|almond|skim|skimmed|semi-skimmed|coconut|lactose-free) milk|(?:全脂|脱脂|燕麦|豆|杏仁)奶"),
        ("sweet or savoury", r"(?:sweet|savou?ry|salty) (?:food|breakfasts?|snacks?|things)"),
        ("payment", r"(?:to pay |paying )?(?:by |with |in )?(?:credit card|debit card|card|cash|paypal|apple pay)|(?:用)?(?:支付宝|微信支付|微信|现金|信用卡)(?:付款|支付)?"),
        ("contact", r"(?:to be (?:contacted|reached) )?(?:by |via |through )(?:e-?mail|phone|text|sms|whatsapp|wechat)|(?:用)?(?:微信|电话|邮件|短信)联系"),
    )
)  # fmt: skip

# "Hilton hotels": makers and brands of one kind, of which the one preferred last is meant.
_NAMED_KIND = re.compile(
    r"(?:[a-z]+ing (?:at |in |with )?)?(?:the )?(?:[A-Z][\w&'.-]* ){1,4}(?P<kind>[a-z][a-z-]+)"
)


def find_question(thing: str, *, is_rival: bool = False) -> str:
    """The question that a liking answers: the later answer replaces the earlier; "" where there is none."""
    asked = (*_QUESTIONS, *_RIVALS) if is_rival else _QUESTIONS
    bare = thing.strip(" .!。，,").removesuffix("了")
    for slot, pattern in asked:
        if match := pattern.fullmatch(bare):
            about = match.groupdict().get("about")
            return slot.format(
                get_concept_name(tokenize.extract_keywords(about.removesuffix("s"))) if about else ""
            )
    named = _NAMED_KIND.fullmatch(bare) if is_rival else None
    return f"name of {get_concept_name(tokenize.extract_keywords(named['kind']))}" if named else ""


def get_concept_name(terms: list[str]) -> str:
    """One name for a thing, in either language; unknown things keep their own."""
    joined = " ".join(terms)
    return _load_names().get(joined) or _load_names().get(joined.replace(" ", "")) or joined


@lru_cache(maxsize=1)
def _load_names() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in _NAMES.split():
        english, _, others = entry.partition("=")
        name = " ".join(tokenize.extract_keywords(english.replace("-", " ")))
        found.setdefault(name, name)
        for other in others.split(","):
            terms = tokenize.extract_keywords(other.replace("-", " "))
            found.setdefault(" ".join(terms) if other.isascii() else other, name)
            found.setdefault(" ".join(terms), name)
    return found
