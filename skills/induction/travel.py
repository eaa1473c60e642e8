"""What travellers wish for, and how a skill says it in both languages."""

from __future__ import annotations

from skills.induction.wishes import Aspect, aspect

TRAVEL: tuple[Aspect, ...] = (
    aspect(
        "route:forward",
        "route",
        20,
        (
            r"\b(?:no|without|avoid(?:ing)?|not?|hate|do(?:n't| not) like|never|less)[- ](?:any )?(?:back-?tracking|going back|detours?|zig-?zagging)\b|\b(?:don't|do not|never|hate|not) (?:want to |like to )?(?:go(?:ing)? back the same way|retrace|double back|backtrack(?:ing)?)\b|\bnon-?backtracking\b",
            r"不(?:想|要|喜欢)?(?:走|绕)?(?:回头路|重复的?路)|不绕路|动线(?:要)?(?:顺|合理|流畅)|别绕路",
        ),
        (
            "never goes back the same way",
            "Order the places of each day by area, so that the route only moves forward",
            "Check the order of the stops on a map before naming it: two visits to one district mean a route that goes back",
            "No backtracking: the route should only move forward",
        ),
        (
            "不走回头路",
            "按区域串联每天的地点，让路线一直向前",
            "给出顺序前先核对地图：同一片区去两次就意味着走了回头路",
            "不走回头路，路线要一直向前",
        ),
    ),
    aspect(
        "pace:relaxed",
        "pace",
        25,
        (
            r"\b(?:not|less|nothing) (?:so |too |very |that )?(?:packed|rushed|busy|tight|hectic|intense|stressful)\b|\btoo (?:packed|rushed|busy|tight|hectic|intense|tiring|exhausting|much for one day)\b|\b(?:relax(?:ed|ing)|slow(?:er)?[- ]?(?:paced?)?|leisurely|easy[- ]?going|laid[- ]?back|unhurried|low[- ]energy|at (?:a |an )?(?:easy|slow(?:er)?|gentle) pace|take it (?:easy|slow)|without (?:any )?rush(?:ing)?|no rush(?:ing)?)\b|\bdo(?:n't| not) (?:want|like) (?:to )?(?:rush|be rushed)",
            r"不(?:要|想|喜欢)?(?:太|那么|这么)?(?:赶(?!路)|累|紧凑|紧张)|太(?:赶|累|紧凑|紧张|满)|慢(?:节奏|一点|下来|慢)|轻松|悠闲|松弛|休闲|佛系|躺平|低能量|随性",
        ),
        (
            "likes an easy pace",
            "Plan two or three stops a day and keep free time between them",
            "Keep the days loose: a packed plan is not followed",
            "An easy, unhurried pace with free time",
        ),
        (
            "喜欢松弛节奏",
            "每天只安排两三处，中间留出自由时间",
            "行程宁松勿紧，排得太满就走不下来",
            "节奏轻松、不赶，留有自由时间",
        ),
    ),
    aspect(
        "pace:intense",
        "pace",
        25,
        (
            r"\b(?:intense|intensive|packed|fast[- ]?paced|high[- ]energy|jam-?packed|full(?:er)? (?:days?|schedule)|tight schedule|compact|as (?:much|many \w+) as possible|special[- ]forces|make the most of (?:every|each|the))\b",
            r"特种兵|高强度|紧凑|高能量|排满|多逛|尽量多|行程满|暴走",
        ),
        (
            "likes intense, full days",
            "Fill each day from morning to evening with a compact route",
            "Compact days suit this user: use the time between two sights instead of leaving it open",
            "Intense, compact days that make the most of the time",
        ),
        (
            "喜欢特种兵式高强度行程",
            "从早到晚排满每一天，路线紧凑",
            "紧凑的安排更合适：景点之间的空档也要用起来",
            "特种兵式的紧凑行程，充分利用时间",
        ),
        negated=False,
    ),
    aspect(
        "start:late",
        "start",
        12,
        (
            r"\bnight owl\b|\b(?:can't|cannot|can not|couldn't|hate|do(?:n't| not) like|do not like|do(?:n't| not) want to|never|not|no|hard to|struggle to|bad at|avoid|drop|cancel|without)\b.{0,24}\b(?:(?:get|getting|wake|waking)(?: me)? up(?: too| so| that)? early|early (?:start|morning)s?|mornings|up early)\b|\bnot a morning person\b|\bsleep(?:ing)? in\b|\b(?:start|leave|begin|go out) (?:late|after (?:noon|1[01])|around noon)\b|\bmornings? (?:are|is) (?:not|hard|impossible)",
            r"夜猫子|(?:早上|早晨|早起)?(?:起不来|起不了床?)|(?:不|别|没法|无法|不能|讨厌)(?:想|要|喜欢|用|太)?早(?:起|出门|出发)|晚起|睡(?:到自然醒|懒觉)|自然醒|(?:中午|下午)(?:再)?(?:出门|出发|开始)",
        ),
        (
            "gets up late",
            "Begin each day around noon and put the sights into the afternoon and evening",
            "Nothing that opens or leaves early in the morning: it would be missed",
            "Night owl: no early mornings",
        ),
        (
            "晚起的夜猫子",
            "每天从中午前后开始，把活动放在下午和晚上",
            "不安排清晨的活动和早班车，安排了也赶不上",
            "夜猫子，早上起不来，不早起",
        ),
    ),
    aspect(
        "start:early",
        "start",
        12,
        (
            r"\b(?:early (?:bird|riser|start)s?|(?:get|getting|wake) up early|leave early|beat the crowds|sunrise)\b",
            r"早起|早点出发|日出|早出门",
        ),
        (
            "starts early",
            "Start early in the morning, with the most wanted sight first",
            "The first hour after opening is the quietest: put the best-known sight there",
            "Starts the day early",
        ),
        (
            "习惯早起",
            "清晨出发，最想看的景点排在最前",
            "开门后的第一个小时人最少，留给最热门的景点",
            "喜欢早起早出发",
        ),
        negated=False,
    ),
    aspect(
        "distance:near",
        "distance",
        22,
        (
            r"\b(?:long|far|hours? of|endless) (?:commut\w*|transfers?|drives?|rides?|trips? between|distances?|journeys?)\b|\btoo far(?: away| out)?\b|\b(?:travel|go|drive|walk) (?:too |very |that )far\b|\bfar[- ]away (?:sights?|places?|spots?)\b|\brush(?:ing)? (?:between|around|from)\b|\bhours on (?:the|a) (?:bus|road|train)\b|\b(?:close|near)(?: by|by)? (?:places|spots|sights|to (?:the|my|our) hotel)\b|\beasy to (?:get to|reach)\b",
            r"太远|赶路|长途|奔波|通勤(?:时间)?(?:太)?长|路上(?:花|耗)(?:太多)?时间|就近|附近|交通(?:方便|便利)|地铁直达",
        ),
        (
            "stays clear of long ways",
            "Choose places near each other, within a short underground or taxi ride",
            "A far-away sight costs the day: leave it out, however well known it is",
            "No long ways between places; near and easy to reach",
        ),
        (
            "不想赶路",
            "选择彼此靠近、地铁或打车短途可达的地方",
            "太远的景点会耗掉一天，再有名也不安排",
            "不去太远、需要赶路的地方，优先就近和交通便利",
        ),
    ),
    aspect(
        "sights:niche",
        "crowds",
        30,
        (
            r"\bhidden (?:gems?|spots?|places?)\b|\boff[- ]the[- ]beaten\b|\bniche\b|\b(?:less|lesser|not so|un)[- ]?(?:known|touristy|crowded|usual|conventional)\b|\b(?:avoid|hate|no|without|not|skip|do(?:n't| not) like|nothing)\b.{0,16}\b(?:crowds?|tourist (?:traps?|spots?|sites?)|touristy|overcrowded|mainstream|conventional)\b|\bwhere (?:the )?locals go\b|\blocal (?:life|spots|places)\b|\bquiet (?:places|spots|corners)\b",
            r"小众|不走寻常路|冷门|人少|避开(?:人群|人潮|人流)|(?:不|别)(?:想|要|喜欢|去)?(?:人挤人|网红|人多|热门景点)|本地人(?:常)?去|非主流|宝藏",
        ),
        (
            "looks for hidden gems",
            "Mix in little-known places, and leave out the ones that everybody goes to",
            "Crowded must-see sights are not missed; a lesser-known place nearby takes their room",
            "Hidden gems rather than crowded, well-known sights",
        ),
        (
            "偏爱小众地方",
            "穿插小众地点，避开人潮集中的热门景点",
            "热门景点可以不去，换成附近少有人知的地方",
            "喜欢小众、不走寻常路，避开人潮",
        ),
    ),
    aspect(
        "sights:culture",
        "culture",
        31,
        (
            r"\b(?:cultur(?:e|al)|museums?|histor(?:y|ic|ical)|temples?|heritage|ancient|architecture|galler(?:y|ies))\b",
            r"文化|博物馆|历史|古迹|人文|寺庙|古镇|美术馆|古建筑",
        ),
        (
            "prefers cultural sights",
            "Collect the cultural sights of the place first, with opening days and whether they must be booked",
            "Culture comes before everything that can be bought: fill gaps with a museum or an old quarter",
            "Cultural sights such as museums, temples and old quarters",
        ),
        (
            "偏爱文化景点",
            "先收集当地的文化景点，注明开放日和是否需要预约",
            "文化景点优先于商业场所，空档用博物馆或老街区来补",
            "文化景点优先，如博物馆、寺庙和老街区",
        ),
        negated=False,
    ),
    aspect(
        "sights:no-culture",
        "culture",
        31,
        (
            r"\b(?:museums?|temples?|galler(?:y|ies)|histor(?:y|ic|ical) sites?)\b",
            r"博物馆|寺庙|古迹|文化景点",
        ),
        (
            "cares little for museums",
            "Leave museums and temples out, unless one is asked for",
            "Museums are not what this user comes for",
            "Not interested in museums and temples",
        ),
        (
            "对博物馆兴趣不大",
            "不安排博物馆和寺庙，除非用户点名",
            "博物馆和寺庙不是用户想看的",
            "对博物馆、寺庙不感兴趣",
        ),
        negated=True,
    ),
    aspect(
        "sights:nature",
        "nature",
        32,
        (
            r"\b(?:nature|hik(?:e|es|ing)|mountains?|lakes?|forests?|beach(?:es)?|national parks?|waterfalls?|outdoors?)\b",
            r"自然风光|徒步|爬山|登山|湖|森林|海边|沙滩|户外",
        ),
        (
            "loves nature",
            "Plan time outdoors, and name the length and the height of each walk",
            "Walks depend on the weather: keep a day that can be swapped",
            "Nature and time outdoors",
        ),
        (
            "喜欢自然风光",
            "安排户外时间，写明每段步行的长度和爬升",
            "徒步看天气，留一天可以对调",
            "喜欢自然风光和户外",
        ),
        negated=False,
    ),
    aspect(
        "sights:malls",
        "shopping",
        33,
        (
            r"\b(?:shopping|malls?|shops|outlets|commercial (?:areas?|streets?|places?)|souvenir)\b",
            r"商场|购物|逛街|商业(?:街|区|化)|特产店|免税店",
        ),
        (
            "skips shopping",
            "Leave shopping malls and commercial streets out",
            "Do not fill gaps with shopping",
            "No shopping malls",
        ),
        ("不逛商场", "不安排商场和商业街", "空档不要用购物来填", "对商场和购物不感兴趣"),
        negated=True,
    ),
    aspect(
        "sights:shopping",
        "shopping",
        33,
        (
            r"\b(?:go shopping|shopping (?:time|streets?|malls?)|outlets|souvenirs?)\b",
            r"购物|逛街|逛商场|买特产",
        ),
        (
            "likes to shop",
            "Leave half a day for shopping, near the end of the trip",
            "What is bought has to be carried: shop last",
            "Time for shopping",
        ),
        ("喜欢购物", "在行程后段留出半天购物", "东西要随身带，购物放在最后", "希望留出购物时间"),
        negated=False,
    ),
    aspect(
        "food:local",
        "food",
        40,
        (
            r"\b(?:food|eat(?:ing)?|restaurants?|cuisines?|snacks?|must-?try|dishes|street food|local speciality|specialities)\b",
            r"美食|好吃|小吃|品尝|餐厅|特色菜|吃什么|吃的",
        ),
        (
            "wants to eat well on the way",
            "Mark the food worth trying along the route, with the stop that it is nearest to",
            "A place to eat belongs on the route of the day, not at the other end of the city",
            "Local food worth trying, marked along the route",
        ),
        (
            "想吃遍沿途美食",
            "沿路线标注值得品尝的美食，写明靠近哪一站",
            "用餐地点要落在当天路线上，不要专门绕去",
            "沿途标注值得品尝的当地美食",
        ),
        negated=False,
    ),
    aspect(
        "weather:checked",
        "weather",
        50,
        (
            r"\b(?:weather|forecast|temperatures?|rain(?:y|ing)?|what to pack|pack(?:ing)? (?:properly|list|for))\b",
            r"天气|气温|温度|下雨|行李|穿什么|带什么衣",
        ),
        (
            "wants the weather checked",
            "Check the forecast and the temperatures before the trip, adjust the days to them, and say what to pack",
            "Rain moves the outdoor stops: name an indoor place that can take their turn",
            "The weather checked in advance, with what to pack",
        ),
        (
            "希望提前查天气",
            "提前查看天气和气温，据此调整行程，并提示要带的衣物",
            "遇雨时户外景点要能替换，备好室内去处",
            "提前确认天气和温度，方便准备行李",
        ),
        negated=False,
    ),
    aspect(
        "night:out",
        "night",
        35,
        (
            r"\b(?:nightlife|night (?:markets?|views?|walks?|tours?)|bars?|evening (?:activities|events)|after dark|at night)\b",
            r"夜(?:市|景|生活|游)|酒吧|晚上(?:的)?(?:活动|去处|玩)",
        ),
        (
            "enjoys evenings out",
            "Give every evening something of its own: a night market, a view, a show",
            "What is open late is worth naming with its closing time",
            "Evenings out: night markets, views, bars",
        ),
        (
            "喜欢夜间活动",
            "每晚都安排去处：夜市、夜景或演出",
            "夜间去处要写明营业到几点",
            "重视夜间活动，如夜市和夜景",
        ),
        negated=False,
    ),
    aspect(
        "time:flexible",
        "flexible",
        27,
        (
            r"\b(?:flexib(?:le|ility)|spontane(?:ous|ity)|room for (?:change|surprises?)|leave (?:some )?(?:free|open) time|not (?:too )?(?:fixed|planned|strict))\b",
            r"灵活|随时(?:改|调整)|临时(?:改|起意)|留(?:点|些|出)?(?:空|弹性|自由)|不要(?:排|安排)(?:得)?太死",
        ),
        (
            "decides on the spot",
            "Leave open slots, and name what could fill them",
            "A plan that can be changed on the day is used, a fixed one is dropped",
            "Flexible days that can be changed on the spot",
        ),
        ("喜欢临时决定", "留出弹性时段，并列出可选项", "能当天改动的计划才用得上", "行程灵活，可以随时调整"),
    ),
    aspect(
        "money:low",
        "money",
        14,
        (
            r"\b(?:on a (?:tight |small |low )?budget|budget[- ]friendly|cheap(?:er|ly)?|low[- ]cost|inexpensive|affordable|save money)\b",
            r"预算(?:有限|不多|低)|便宜|省钱|穷游|性价比|经济(?:实惠|型)",
        ),
        (
            "watches the budget",
            "Name the price of each part and keep a running total",
            "Of two places that do the same, take the cheaper one and say so",
            "Inexpensive choices",
        ),
        ("注重性价比", "写明各项价格并合计", "效果相近时选更便宜的，并说明理由", "注重性价比，尽量省钱"),
        negated=False,
    ),
    aspect(
        "company:children",
        "company",
        15,
        (
            r"\bwith (?:my |our |the |two |three |small |young )*(?:kids?|children|toddlers?|son|daughter|baby)\b|\bkid[- ]friendly\b",
            r"带(?:着)?(?:孩子|小孩|娃|宝宝)|亲子",
        ),
        (
            "travels with children",
            "Choose what children can take part in, with a break after two hours",
            "Children set the pace: one long stop a day is enough",
            "Places that suit children",
        ),
        (
            "带孩子出行",
            "选择孩子能参与的项目，每两小时安排休息",
            "以孩子的节奏为准，每天一处长停留就够了",
            "适合带孩子的地方",
        ),
    ),
    aspect(
        "company:parents",
        "company",
        15,
        (
            r"\bwith (?:my |our )?(?:parents|grandparents|elderly|mother|father|grandmother|grandfather)\b",
            r"带(?:着)?(?:爸妈|父母|老人|爷爷|奶奶|长辈)",
        ),
        (
            "travels with parents",
            "Keep the ways on foot short, with seats and toilets on the way",
            "Stairs and long walks decide whether a place suits older people",
            "Places that suit older people",
        ),
        ("带父母出行", "减少步行，途中留意座椅和卫生间", "台阶和步行距离决定老人能不能去", "适合老人的地方"),
    ),
)
