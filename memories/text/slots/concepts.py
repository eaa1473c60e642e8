"""What people mean, whichever words they use: 苹果 is "apples", and aisle and window are two answers to one
question."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path

from memories.text.words import tokenize

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
            (
                rf"(?:eating )?(?:(?:very|too|extra|really|less|more|something|anything|super) )*(?:spicy"
                rf"|spicier|hot and spicy|mild|milder|light|lighter|bland|plain){_FOOD_EN}"
            ),
        ),
        ("spice", rf"(?:吃|吃得)?(?:太|很|特别|比较|更)?(?:辛辣|麻辣|重辣|微辣|不辣|重口味?|清淡|辣){_FOOD_ZH}"),
        ("oil", (
            rf"(?:(?:very|too|really) )*(?:oily|greasy|heavy oil|fatty|fried){_FOOD_EN}|(?:吃)?(?:太"
            rf"|很)?(?:油腻?|油炸){_FOOD_ZH}"
        )),
        ("temperature of {}", (
            r"(?:my |the )?(?:iced?|cold|hot|warm|lukewarm|room[- ]temperature)"
            rf" (?P<about>{_DRINK_EN})"
        )),
        ("temperature of {}", (
            rf"(?:my |the )?(?P<about>{_DRINK_EN})"
            r" (?:(?:very|extra) )?(?:iced|cold|hot|warm|lukewarm)"
        )),
        ("temperature of {}", rf"(?:喝)?(?:热|冰|凉|温|冷|常温)的?(?P<about>{_DRINK_ZH})"),
        ("temperature of drinks", "(?:喝)?(?:热|冰|凉|温|冷|常温)的"),
        ("floor", (
            r"(?:rooms? on )?(?:an? |the )?(?:high|low|higher|lower|top|upper"
            r"|ground)[- ]floors?(?: rooms?)?|(?:高|低)(?:楼层|层)(?:的?房间)?"
        )),
        ("time of {}", (
            r"(?:early |late )?(?:morning|afternoon|evening|night|late-night|midday) (?P<about>flights?"
            r"|meetings?|workouts?|runs?|class(?:es)?|shifts?|appointments?)"
        )),
        ("screen theme", r"(?:the )?(?:dark|light) (?:mode|theme)|(?:深色|浅色|暗色|亮色)(?:模式|主题)"),
        ("steak", (
            r"(?:my |the )?steaks? (?:rare|medium(?:[- ]rare|[- ]well)?|well[- ]done)|(?:(?:三|五|七)分熟"
            r"|全熟)的?(?:牛排)?"
        )),
        ("mattress", r"(?:soft|firm|hard) (?:mattress(?:es)?|beds?)|(?:软|硬)(?:床垫?|一点的床)"),
        ("units", r"(?:the )?(?:metric|imperial)(?: units| system)?"),
        ("temperature unit", "celsius|fahrenheit"),
        ("indentation", r"(?:using )?(?:tabs|spaces)(?: for indentation)?"),
        ("risk", (
            r"(?:taking )?(?:low|high|lower|higher|medium)[- ]risk (?:funds?|investments?|products?"
            r"|options?|assets?)|(?:低|高|中)风险的?(?:基金|投资|理财|产品|理财产品)?"
        )),
    )
)  # fmt: skip
# To prefer one of these is not to prefer the others; to like one says nothing about them.
_RIVALS = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        ("transport", (
            r"(?:(?:going |travell?ing )?by )?(?:the )?(?:trains?|planes?|fly(?:ing)?|driv(?:e|ing)"
            r"|bus(?:es)?|cars?|high-speed rail)|(?:坐)?(?:火车|高铁|飞机|大巴|自驾)(?:出行)?"
        )),
        ("milk", (
            r"(?:whole|oat|soy|almond|skim|skimmed|semi-skimmed|coconut|lactose-free) milk|(?:全脂|脱脂"
            r"|燕麦|豆|杏仁)奶"
        )),
        ("sweet or savoury", r"(?:sweet|savou?ry|salty) (?:food|breakfasts?|snacks?|things)"),
        ("payment", (
            r"(?:to pay |paying )?(?:by |with |in )?(?:credit card|debit card|card|cash|paypal|apple pay)"
            r"|(?:用)?(?:支付宝|微信支付|微信|现金|信用卡)(?:付款|支付)?"
        )),
        ("contact", (
            r"(?:to be (?:contacted|reached) )?(?:by |via |through )(?:e-?mail|phone|text|sms|whatsapp"
            r"|wechat)|(?:用)?(?:微信|电话|邮件|短信)联系"
        )),
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
    """From the search terms of each word of `concepts.toml` to the terms of its thing's English name."""
    names = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["names"]
    names_by_term: dict[str, str] = {}
    for english, others in names.items():
        name = " ".join(tokenize.extract_keywords(english))
        names_by_term.setdefault(name, name)
        for other in others:
            terms = " ".join(tokenize.extract_keywords(other))
            names_by_term.setdefault(terms if other.isascii() else other, name)
            names_by_term.setdefault(terms, name)
    return names_by_term
