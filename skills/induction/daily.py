"""Tasks of everyday life that people bring to assistants again and again."""

from __future__ import annotations

from skills.induction.frames import Domain, Frame, domain

DAILY: tuple[Domain, ...] = (
    domain(
        "travel",
        r"\b(?:trips?|itinerar(?:y|ies)|travel(?:l?ing)?|vacation|getaway|road ?trip|sightseeing|backpacking|city break)\b"
        r"|\bgoing to [A-Z]\w+|\bvisit(?:ing)? [A-Z]\w+ (?:for|next|in)|\b(?:\d+ days?|weekend|week|weeks|stay) (?:in|at) [A-Z]|\bholiday (?:in|to)\b",
        r"旅行|旅游|出行|行程|自驾|攻略|景点|[0-9一二两三四五六七八九十]+[天日](?:的)?(?:游|行程)|(?:去|到)[^，。！？]{1,10}(?:玩|度假)",
        (
            Frame(
                "Travel Planning",
                "plan trips day by day",
                "a traveller",
                "the user asks for a trip, an itinerary or what to see at a place",
                "Ask for the destination, the dates, the number of days and who comes along, unless the user has told",
                "Present the itinerary day by day, with the way between the stops and how long each of them takes",
            ),
            Frame(
                "旅行行程规划",
                "逐日规划旅行行程",
                "旅行者",
                "用户要去某地游玩、需要行程或景点建议时使用",
                "确认目的地、日期、天数和同行人，用户已经说明的不再追问",
                "按天给出行程，写明各站之间的交通和停留时间",
            ),
        ),
    ),
    domain(
        "returns",
        r"\b(?:returns?|refunds?|exchange)\b(?=.{0,60}\b(?:order|item|product|purchase|headphones?|shoes?|shirt|dress|phone|laptop|bought|it|them|this|policy|customer)\b)"
        r"|\b(?:bought|order(?:ed)?)\b.{0,60}\b(?:return|refund|exchange)|\bmoney back\b|\bsend (?:it|them) back\b",
        r"退货|退款|换货|退换|售后|退掉",
        (
            Frame(
                "Product Returns",
                "handle returns and refunds",
                "a customer",
                "somebody wants to return or exchange a product, or asks for a refund",
                "Ask for the order number and the reason for the return",
                "Tell the customer how far the return is, and confirm once the refund is paid",
            ),
            Frame(
                "退货处理",
                "处理退货和退款",
                "顾客",
                "顾客想退掉、更换买到的商品或要求退款时使用",
                "询问订单号和退货原因",
                "告知退货进度，退款到账后通知顾客",
            ),
        ),
    ),
    domain(
        "meals",
        r"\b(?:meal (?:plan|prep)|recipes?|what to cook|cook(?:ing)? (?:for|dinner|lunch)|dinner ideas?|weekly menu|menu for)\b",
        r"食谱|菜谱|菜单|做菜|做饭|晚餐|午餐|一日三餐|减脂餐|便当|做什么菜|吃什么",
        (
            Frame(
                "Meal Planning",
                "plan meals and pick recipes",
                "a home cook",
                "the user asks for recipes, a menu or a meal plan",
                "Ask for how many people and days the meals are, and how much time there is to cook",
                "List the meals with their ingredients and one shopping list for all of them",
            ),
            Frame(
                "饮食规划",
                "安排餐食并挑选菜谱",
                "做饭的人",
                "用户询问菜谱、菜单或饮食计划时使用",
                "确认用餐人数、天数和可用的做饭时间",
                "列出每餐的菜品和用料，并汇总一份采购清单",
            ),
        ),
    ),
    domain(
        "fitness",
        r"\b(?:work ?outs?|training plan|exercise (?:plan|routine)|gym (?:plan|routine)|half marathon|marathon|running plan|strength training)\b",
        r"健身|训练计划|锻炼|跑步计划|增肌|减脂(?!餐)|马拉松|瑜伽计划",
        (
            Frame(
                "Workout Planning",
                "plan workouts week by week",
                "an athlete",
                "the user asks for a workout, a training plan or a routine",
                "Ask for the goal, the days and minutes there are, the equipment and any injuries",
                "Give the plan as a week, with sets, rests and how to go on after it",
            ),
            Frame(
                "健身训练规划",
                "按周安排训练",
                "健身的人",
                "用户需要训练计划或锻炼安排时使用",
                "确认目标、可用的天数和时长、器械以及伤病情况",
                "按周给出计划，写明组数、休息和后续进阶",
            ),
        ),
    ),
    domain(
        "event",
        r"\b(?:(?:birthday|dinner|farewell|surprise|garden|engagement) party|wedding|team (?:event|building|outing)|plan (?:a|the|my|an) (?:party|event))\b",
        r"聚会|派对|婚礼|生日会|团建|年会",
        (
            Frame(
                "Event Planning",
                "plan parties and events",
                "a host",
                "the user asks for help with a party, a celebration or a team event",
                "Ask for the date, the number of guests, the place and the budget",
                "Give a schedule with what has to be ready by when",
            ),
            Frame(
                "活动策划",
                "策划聚会和活动",
                "组织者",
                "用户要办聚会、庆祝或团建活动时使用",
                "确认日期、人数、场地和预算",
                "给出时间表，写明各事项的截止时间",
            ),
        ),
    ),
    domain(
        "study",
        r"\b(?:study (?:plan|schedule)|revision plan|exam|vocabulary|flash ?cards|learn(?:ing)? (?:plan|path|\w+ (?:from scratch|step by step)))\b",
        r"学习计划|备考|考试|复习|背单词|学习路线",
        (
            Frame(
                "Study Planning",
                "plan studies and revision",
                "a learner",
                "the user asks for a study plan or help with an exam",
                "Ask what is to be learnt by when, and what the user knows already",
                "Give a plan by day or week, with what to repeat and how to test it",
            ),
            Frame(
                "学习规划",
                "安排学习和复习",
                "学习者",
                "用户需要学习计划或备考安排时使用",
                "确认学习目标、期限和已有基础",
                "按天或按周给出计划，写明复习和自测方式",
            ),
        ),
        is_broad=True,
    ),
    domain(
        "shopping",
        r"\b(?:which (?:\w+ )?(?:laptop|phone|camera|headphones|monitor|car|bike|watch|tv|tablet)|(?:buy|recommend|choose|looking for) (?:me )?(?:an? )?(?:new |good )?(?:laptop|phone|camera|headphones|monitor|car|bike|watch|tv|tablet|gift|present))\b",
        r"(?:买|选购|推荐|挑)[^，。]{0,8}(?:手机|电脑|笔记本|相机|耳机|显示器|车|平板|手表|礼物)",
        (
            Frame(
                "Buying Advice",
                "choose what to buy",
                "a buyer",
                "the user asks what to buy or which of several things is better",
                "Ask for the budget, what it is for and what must not be missing",
                "Name two or three choices with their drawbacks, and recommend one",
            ),
            Frame(
                "选购建议",
                "挑选商品",
                "购买者",
                "用户询问买什么或如何选择时使用",
                "确认预算、用途和必需的功能",
                "给出两三个选择及其缺点，并推荐其中一个",
            ),
        ),
        is_broad=True,
    ),
    domain(
        "trouble",
        r"\b(?:does ?n.t work|not working|won.t (?:start|turn on|connect|boot|print|charge)|can.t (?:connect|log ?in|print)|keeps (?:crashing|freezing|disconnecting|restarting)|how (?:do|can) i fix|troubleshoot\w*)\b",
        r"打不开|连不上|坏了|没反应|怎么修|无法(?:启动|连接|登录|打印)|总是(?:死机|重启|断开)|故障",
        (
            Frame(
                "Troubleshooting",
                "find and fix faults",
                "an owner",
                "something does not work and the user asks how to fix it",
                "Ask what exactly happens, since when, and what was tried already",
                "Make sure that it works now, and say how to keep it from happening again",
            ),
            Frame(
                "故障排查",
                "查找并解决故障",
                "遇到故障的人",
                "有东西出了问题、用户询问如何修复时使用",
                "弄清具体现象、开始时间和已经尝试过的办法",
                "确认问题已解决，并说明如何避免再次发生",
            ),
        ),
        is_broad=True,
    ),
)
