"""Conversations that skills are generated from: two travellers, and an agent who takes goods back, in two languages."""

from __future__ import annotations

from typing import Any

from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import TaskKind
from tests.support.api_client import Api, Message, Tenant, message
from tests.support.servers.model_server import Body
from tests.support.waiting import LIMIT, wait_until

Talk = list[Message]


def talk(*texts: str) -> Talk:
    """The user begins, and the assistant has every other word."""
    return [message("assistant" if at % 2 else "user", text) for at, text in enumerate(texts)]


# What a model reads in such a talk.
TRIP: Body = {
    "first": 0,
    "last": 5,
    "kind": "travel",
    "title": "Trip planning",
    "purpose": "Plans trips when somebody wants to travel.",
    "asked": 0,
    "request": "The user wants to spend five days in Chengdu.",
    "language": "en",
    "findings": [
        {"part": "liking", "text": "Wants routes that never go back", "turn": 0, "slot": "route"},
        {"part": "wish", "text": "Mark food on the way", "turn": 0, "slot": ""},
        {"part": "liking", "text": "Prefers culture to shopping", "turn": 2, "slot": ""},
        {"part": "wish", "text": "Check the weather before the trip", "turn": 4, "slot": ""},
    ],
}
INTENSE = talk(
    "I'm going to Chengdu next week for 5 days. I like intense, no-backtracking trips. Also mark the must-try food"
    " along the route.",
    "...omitted...",
    "I prefer cultural attractions. Not interested in shopping malls.",
    "...omitted...",
    "Check the weather and temperature in advance so I can pack properly.",
    "...omitted...",
)
NIGHT_OWL = talk(
    "Help me plan a 4-day trip to Chengdu. I'm a night owl and can't get up early.",
    "Of course. Which places do you have in mind?",
    "I don't want long commutes or to rush from place to place.",
    "Understood.",
    "Mix in some hidden gems, I don't like crowded tourist spots.",
    "Day 1\n- Noon: brunch in an old lane\n- Afternoon: tea in People's Park\n- Evening: night walk by the river",
)
INTENSE_ZH = talk(
    "下周我要去成都玩，帮我规划一个5天的出行计划，我喜欢不走回头路的特种兵出行，帮我标注路途中值得品尝的美食。",
    "...此处省略...",
    "我比较喜欢逛文化景点，商场什么的不太感兴趣。",
    "...此处省略...",
    "帮我在规划的时候，提前确认一下天气和温度，方便我准备行李。",
    "...此处省略...",
)
NIGHT_OWL_ZH = talk(
    "帮我规划成都4天的行程，我是夜猫子，早上起不来。",
    "好的，您想去哪些地方？",
    "不想去太远、要赶路的景点。",
    "明白。",
    "给我穿插一些小众景点，不走寻常路。",
    "第1天\n- 中午：自然醒，老街吃饭\n- 下午：人民公园喝茶\n- 晚上：河边夜游",
)
RETURN = talk(
    "I want to return the headphones I bought three days ago.",
    "Sure, I can help with that. Could you give me your order number, please?",
    "It's 48213.",
    "Thanks! I have verified your order: it was delivered three days ago. Returns without a reason are accepted"
    " within 7 days of receipt. Would you prefer a courier pickup or to send it back yourself?",
    "Pickup please, I don't want to go to the post office. And refund it to my original card.",
    "Great. I've generated your return label and booked the pickup for tomorrow. Orders above $70 need the approval"
    " of a supervisor.",
    "Perfect, thank you!",
)
RETURN_ZH = talk(
    "我想退掉三天前买的耳机。",
    "好的，请提供一下您的订单号。",
    "订单号48213。",
    "我已为您核实订单，签收在三天前。收货7天内支持无理由退货。您希望上门取件还是自己寄回？",
    "上门取件吧，我不想自己跑快递点。退款请原路退回。",
    "好的，我已为您生成退货单号，并预约了明天取件。生鲜商品不支持退货。",
    "太好了，谢谢！",
)


def wait_until_generated(tenant: Tenant, seconds: float = LIMIT) -> None:
    """Wait until no generation task of the project is open."""
    open_tasks = Task.objects.within(tenant.project).filter(kind=TaskKind.SKILL, state__in=OPEN_STATES)
    wait_until(lambda: not open_tasks.exists(), seconds)


def tell(tenant: Tenant, api: Api, user: str, messages: Talk, conversation: str = "talk") -> None:
    """A conversation as an application adds it; done when skills have grown out of it."""
    api.add(user, *messages, conversation_id=conversation)
    wait_until_generated(tenant)


def recalled(api: Api, user: str, query: str, **options: Any) -> list[dict[str, Any]]:
    """The skills that a search returns."""
    skills: list[dict[str, Any]] = api.search(user, query, include_skill=True, **options)["skill_detail_list"]
    return skills


def sections(skill: dict[str, Any]) -> str:
    """All that the skill says, as an agent gets it into its prompt."""
    return str(skill["skill_value"])
