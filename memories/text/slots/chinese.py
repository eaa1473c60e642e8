"""States in Chinese that a later statement replaces; the same slots as in English."""

from __future__ import annotations

import re
from collections.abc import Callable

from memories.text.slots.claim import Claim, build_slot
from memories.text.slots.vocabulary import SLOT_OF_NOUN_ZH, SURNAMES_ZH, join_words, load_words
from memories.text.words.places import CHINESE_CITIES
from memories.text.zh.third_person import blank_quotes
from memories.text.zh.word_classes import find_names

_WORDS = load_words("chinese")
# 昨天（3月1日） counts once, so days stand behind what is in brackets.
_ADVERBS = (
    rf"(?:{_WORDS['adverbs']}|[一-龥]{{0,4}}（[^）]*）|(?:去|今|前)年[一-龥]{{0,3}}月?|上个?月|上周|昨天|前天|今天"
    r"|[0-9一二三四五六七八九十]{1,2}月份?){0,6}"
)
_JOBS = f"{join_words('zh', 'professions')}|{_WORDS['livelihoods']}"
_PETS = join_words("zh", "pets")
_NO_NAME = f"(?!{_WORDS['no_names']})"


def find_chinese_states(clause: str) -> list[Claim]:
    """The states that a clause tells of the user."""
    visible = blank_quotes(clause).rstrip("。！!. ~～")
    if len(visible) > 200:
        return []
    for pattern, make in _RULES:
        match = pattern.match(visible)
        if match and (claims := make(match)):
            return claims
    return []


def _get_statement(match: re.Match[str]) -> str:
    return match.string if "我" in match.string else f"我{match.string}"


def _declare_state(
    slot: str, title: str, ending: str = "", dating: str = ""
) -> Callable[[re.Match[str]], list[Claim]]:
    return lambda match: [Claim(_get_statement(match), slot, title, ending=ending, dating=dating)]


def _read_age(match: re.Match[str]) -> list[Claim]:
    """今年 would soon be wrong: the day of speaking is written instead."""
    return [Claim(_get_statement(match).replace("今年", ""), "age", "用户的年龄", dating="（截至{}）")]


def _read_pet(match: re.Match[str]) -> list[Claim]:
    name = match["name"]
    slot = (
        f"pet:{name}"
        if name
        else ""
        if re.search("又|另|还|新", match.string)
        else build_slot("pet", match["animal"])
    )
    return [Claim(_get_statement(match), slot, f"用户的宠物：{name or match['animal']}")]


def _read_noun(match: re.Match[str]) -> list[Claim]:
    if _OF_OTHERS.search(match.string):
        return []
    statement = match.string if "我" in match.string else f"我的{match.string}"
    return [Claim(statement, SLOT_OF_NOUN_ZH[match["what"]], f"用户的{match['what']}")]


# 车是我姐夫的: what belongs to others is no state of the user's.
_OF_OTHERS = re.compile("是(?:我|他|她|公司|单位|别人|朋友|同事|租)[^，。]{0,4}的(?=$|，)")


def _read_device(match: re.Match[str]) -> list[Claim]:
    is_phone = re.search("手机|iPhone|华为|小米|OPPO|vivo|安卓|三星", match["device"], re.IGNORECASE)
    is_computer = re.search("电脑|笔记本|MacBook|ThinkPad|Mac", match["device"], re.IGNORECASE)
    kind = "computer" if is_computer else "phone" if is_phone else ""
    return (
        [Claim(_get_statement(match), f"device:{kind}", "用户的电脑" if kind == "computer" else "用户的手机")]
        if kind
        else []
    )


def _read_work_place(match: re.Match[str]) -> list[Claim]:
    """在深圳工作 tells the city, 在腾讯工作 the employer."""
    is_city = any(
        match["where"].startswith(city) and len(match["where"]) <= len(city) + 1 for city in CHINESE_CITIES
    )
    slot, title = ("work city", "用户的工作地点") if is_city else ("employer", "用户的工作单位")
    return [Claim(_get_statement(match), slot, title)]


def _read_being_in(match: re.Match[str]) -> list[Claim]:
    """我们已经在里斯本了: of a place by name, who says no more lives there."""
    is_named = find_names(match["place"]) == [match["place"]]
    return [Claim(_get_statement(match), "residence", "用户的居住地")] if is_named else []


def _read_project_fact(match: re.Match[str]) -> list[Claim]:
    about = build_slot("", match["for"]).removeprefix(":")
    noun = {"预算": "budget", "限额": "limit", "上限": "limit", "截止日期": "deadline"}[match["what"]]
    return [Claim(match.string, f"{noun}:{about}" if about else noun, f"{match['for']}{match['what']}")]


def _read_language(match: re.Match[str]) -> list[Claim]:
    return [Claim(_get_statement(match), build_slot("speaks", match["language"]), "用户的语言")]


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], list[Claim]]], ...] = (
    (
        re.compile(
            rf"^我?们?{_ADVERBS}(?:(?:从[^，]{{1,10}})?(?:搬(?:家)?(?:到|去|回|来)|移居到?|定居(?:在"
            rf"|到)?|搬进))了?[^，]"
        ),
        _declare_state("residence", "用户的居住地", "，现在住在那里", "（{}）"),
    ),
    (
        re.compile(
            rf"^我?们?{_ADVERBS}(?:住在?|居住在|定居在|生活在|租住在)(?!院|宿|[^，]*(?:医院|病房|病床"
            rf"|ICU|监护室|康复科)(?!附近|旁|对面|家属|宿舍)|[^，]*(?:酒店|宾馆|民宿|旅馆)"
            rf"|[^，]*(?<!了)[一二两三四五六七八九十几半\d]+个?(?:晚上?|夜|宿|天|日|周|星期|礼拜)(?:$"
            rf"|，)|了?[一二两三四五六七八九十几半\d]+[天晚周])[^，]{{2,}}"
        ),
        _declare_state("residence", "用户的居住地"),
    ),
    (
        re.compile(
            r"^我?们?(?:(?:现在|目前|如今)(?:已经)?|已经(?:搬)?)在(?P<place>[\u4e00-\u9fff]{2,6}?)了?$"
        ),
        _read_being_in,
    ),
    (
        re.compile(rf"^我?(?:的)?家{_ADVERBS}在|^我?{_ADVERBS}在[^，]{{1,12}}(?:住|生活|定居)$"),
        _declare_state("residence", "用户的居住地"),
    ),
    (
        re.compile(r"^我?(?:的名字)?(?:叫做?|名叫)(?!你|做|我|他|她)[\w·]{1,12}$|^我的名字是[\w·]{1,12}$"),
        _declare_state("name", "用户的名字"),
    ),
    (
        re.compile(
            rf"^我是{_NO_NAME}[{SURNAMES_ZH}][\u4e00-\u9fff]{{1,2}}$(?<![手者座迷控粉党族牛羊])(?<!人)"
            rf"(?<!师)(?<!生)(?<!员)(?<!男)(?<!女)(?<!家)"
        ),
        _declare_state("name", "用户的名字"),
    ),
    (re.compile(rf"^我是[小老阿][{SURNAMES_ZH}]$"), _declare_state("name", "用户的名字")),
    (
        re.compile(rf"^我?{_ADVERBS}(?:满|快)?(?:[0-9]{{1,3}}|[一二三四五六七八九十]{{2,3}})岁"),
        _read_age,
    ),
    (
        re.compile(r"^我?(?:的)?生日(?:是|在)|^我?(?:出生于|生于|是?[0-9]{2,4}年[^，]*出生)"),
        _declare_state("birthday", "用户的生日"),
    ),
    (
        re.compile(rf"^我?{_ADVERBS}在(?P<where>[^，]{{1,20}}?)(?:工作|上班|任职|实习|就职)"),
        _read_work_place,
    ),
    (
        re.compile(
            rf"^我?{_ADVERBS}(?:入职|加入|跳槽到|就职于|任职于|供职于)了?[^，]+|^我?{_ADVERBS}从[^，]+(?:离职|辞职)了?"
        ),
        _declare_state("employer", "用户的工作单位"),
    ),
    (
        re.compile(
            rf"^我?{_ADVERBS}(?:在[^，]{{1,12}}?)?(?:是|做|当|成为|成了|担任|升职为|升为"
            rf"|从事)了?(?:一?[名个位])?[^，喜]{{0,12}}(?:{_JOBS})|^我?{_ADVERBS}(?:失业(?!金)|退休(?!金|工资|证|年龄)|辞职|离职"
            rf"|待业)了?"
        ),
        _declare_state("job", "用户的职业"),
    ),
    (
        re.compile(
            rf"^我?们?{_ADVERBS}(?:结婚|离婚|单身|订婚|已婚|未婚|丧偶|离异|分手)(?!之?[前时后]|以[前后]"
            rf"|的时候|那[天年时会])"
        ),
        _declare_state("marital status", "用户的婚姻状况"),
    ),
    (
        re.compile(
            rf"^我?(?:们)?家?里?{_ADVERBS}(?:养|领养|收养|有)了?(?:[一二两三四五六几0-9]+[只条个头匹])?"
            rf"(?:[\u4e00-\u9fff]{{0,4}}的)?[\u4e00-\u9fff]{{0,3}}?(?P<animal>{_PETS})(?:，?(?:名字)?叫"
            rf"(?P<name>[\w]{{1,8}}))?$"
        ),
        _read_pet,
    ),
    (
        re.compile(
            rf"^我?{_ADVERBS}(?:开的?是?|买|换|提)了?(?:一?(?:辆|[台部](?=[^，]*[车A-Za-z])))"
            rf"[^，]{{1,20}}$(?<!电脑)(?<!手机)"
        ),
        _declare_state("vehicle", "用户的车"),
    ),
    (
        re.compile(
            rf"^我?{_ADVERBS}(?:在[^，]{{1,20}}(?:大学|学院|中学|高中|小学|学校|上学|读书|读研"
            rf"|读博)(?![^，]{{0,4}}[教工任当管做])|就读于|考上)"
        ),
        _declare_state("school", "用户的学校"),
    ),
    (
        re.compile(rf"^我?{_ADVERBS}(?:学的?是?|读的?是?|主修)[^，]{{1,12}}专业"),
        _declare_state("major", "用户的专业"),
    ),
    (
        re.compile(rf"^我?{_ADVERBS}(?:用的?是?|使用|买了?|换了?)(?:一?[部台个])?(?P<device>[^，]{{1,30}})$"),
        _read_device,
    ),
    (re.compile(rf"^我?{_ADVERBS}(?:会说|会讲|能说)(?P<language>[^，]{{1,10}})$"), _read_language),
    (
        re.compile(rf"^我?{_ADVERBS}(?:正在|在)?(?:备考|准备[^，]{{1,12}}考试|减肥|减脂|健身计划|戒烟|存钱)"),
        _declare_state("goal", "用户当前的目标"),
    ),
    (
        re.compile(
            r"""
            ^(?:我们?的?|公司的?|团队的?)?(?P<for>(?!我)[^，是为]{2,16}?)(?:的)?
            (?P<what>预算|限额|上限|截止日期)(?:现在|目前)?(?:是|为|改为|改成|调整为|提高到|降到)
            [^，]{1,30}$
            """,
            re.VERBOSE,
        ),
        _read_project_fact,
    ),
    (re.compile(r"^我来自|^我(?:是|的老家在)[^，]{1,8}人$"), _declare_state("hometown", "用户的家乡")),
    (
        re.compile(
            rf"^(?:我的?)?(?:当前|最近|主要|新|今年)?的?"
            rf"(?P<what>{'|'.join(sorted(SLOT_OF_NOUN_ZH, key=len, reverse=True))})(?:现在|目前)?(?:是|为|换成"
            rf"|改成|大约|大概)"
        ),
        _read_noun,
    ),
)
