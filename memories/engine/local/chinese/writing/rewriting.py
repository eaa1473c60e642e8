"""Chinese from the first person to the third, with the subject that was left out, and the check that it stands
alone."""

from __future__ import annotations

import re

from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import tag_words
from memories.engine.local.chinese.referents import PERSON, Referent, Referents, find_kin, read_person
from memories.text.zh.third_person import name_assistant

_QUOTED = re.compile('([“「『"][^”」』"\n]{0,300}[”」』"])')
_WE = "(?:我们|咱们|咱)"
_GROUP = re.compile(
    rf"(?:{_WE}|我)(?:的|这(?:边|里)?的?|这个|那个|那边的?)?(?=(?:{lexis.GROUPS})(?![一-龥]?长大))"
)
_HOME = re.compile(rf"(?:{_WE}|我)(?=全?一?家)")
# 我家猫吐了: the cat of the home.
_OF_HOME = re.compile(rf"(?:{_WE}|我)家(?=[一-龥]{{1,8}})")
_NO_THING_OF_HOME = re.compile(
    "家|[人口里]|[一-龥]?(?:附近|楼|门|边|旁|上|下|前|后|对面|隔壁|离|住|在|有|养)|[这那]|一"
)
_OWNED = re.compile(rf"(?:{_WE}|我)(?=(?:{lexis.OWN})(?!出|作|里人)(?:[一-龥，、 ]|$|[0-9A-Za-z]))")
_SELF = re.compile("我(?=自己|俩)|我(?:这个人|这人|这边|本人)|(?:我|俺)个人(?=[比更喜偏不觉认还最])")
_BOTH = re.compile(
    "(?:我们|咱们)(?:俩|两个|两人)|[我咱](?:俩|两(?![个只条边位次年天周岁本张件块千万百手眼腿脚耳家地套台辆间份]))"
)
# 我们夫妻 are the user and one other, who is named; 调到我这边 is a place, and 我这边下雨了 the user's.
_COUPLE = re.compile("(?:我们|咱们)(?=夫妻|夫妇|两口子|小两口)")
_AT_MY_PLACE = re.compile("(?<=[到来回往离])我们?这[边里儿]")
_I = re.compile("(?<![自忘敌])我(?![国校方市省])|俺(?!们)|咱(?!们)")
_PRONOUN = re.compile(
    rf"(?<!其)(?<![布利]司)(?<!头孢)(?P<pronoun>{lexis.THIRD_PERSON})(?!人|乡|日|国(?!家)|杀|山|汀|唑"
    rf"|滨|克莫|莫昔|达拉)(?P<of>的)?"
)
_CONNECTIVE = re.compile(
    r"""
    ^(?:
        但是? | 可是 | 不过 | 所以 | 而且 | 然后 | 于是 | 并且 | 结果 | 毕竟 | 而(?!且) | 因此 | 只是
        | 那就?(?![边个里天时次种么些位家套辆间只条台份年所片张本座件款场段几两]) | 就是(?=[我他她它])
    )[，]?
    """,
    re.VERBOSE,
)


# 我们team刚上线, 我们QA团队: a noun in Latin letters, and no verb as of 我们ship了.
_LATIN_THING = re.compile(
    "(?:我们|咱们|我|俺)(?=[A-Za-z][A-Za-z ]{1,20}(?:用|在|是|要|有|叫|的|里|负责|一共|刚|最近|现在|目前|已经|每|也|都"
    "|正|还)|[A-Za-z]{1,12} ?(?:团队|小?组|部门?|项目|群))"
)


def to_third_person(text: str) -> str:
    """The words as said about the user, quotations in them left as they are."""
    pieces = _QUOTED.split(name_assistant(text))
    return "".join(piece if at % 2 else _rewrite_piece(piece) for at, piece in enumerate(pieces))


def _rewrite_piece(piece: str) -> str:
    piece = _name_kin(piece)
    piece = _LATIN_THING.sub("用户的", piece)
    piece = _OF_HOME.sub(_write_of_home, piece)
    piece = _HOME.sub("用户", piece)
    piece = _GROUP.sub("用户的", piece)
    piece = _OWNED.sub("用户的", piece)
    piece = _BOTH.sub("用户两人", piece)
    piece = _COUPLE.sub("用户", _AT_MY_PLACE.sub("用户这边", piece))
    piece = _SELF.sub("用户", piece)
    piece = re.sub("(?:我们|咱们)(?=[一-龥]{2})", _write_own_or_many, piece)
    piece = re.sub("我们|咱们|俺们", "用户等人", piece)
    piece = _I.sub("用户", piece).replace("用户的的", "用户的")
    piece = re.sub("(?<!自)我(?!行我素)", "用户", piece)
    piece = _KIN_OBJECT.sub(r"\1\2", piece)
    return re.sub("[你您]们?", "助手", piece)


# 我们大家, 我们年轻人: the same people once more.
_APPOSED = re.compile(
    "大家|全体|所有|两口|夫妻|夫妇|年轻|老年|女生|男生|女人|男人|普通|这种|有点|感冒|个人|双方|彼此"
)


# 我们计划五月去云南 says what is planned, 我们计划很满 what the plan is like.
_DONE_AS_WELL = frozenset(
    "计划 决定 安排 打算 准备 要求 希望 建议 讨论 商量 考虑 申请 研究 合作 训练 约定".split()
)
_IS_LIKE = re.compile("[是的有没很太还也都不已全挺比]")


def _write_of_home(match: re.Match[str]) -> str:
    """用户家的猫 for 我家猫; what is no thing or animal stays: 我家附近, 我家养猫."""
    words = match.string[match.end() : match.end() + 8]
    word = next(iter(tag_words(words)), None)
    is_pet = re.match(rf"(?:{lexis.PETS})(?!粮|砂)", words) is not None
    is_thing = word is not None and word.tag in ("n", "nz") and len(word.text) > 1
    return "用户家的" if (is_pet or is_thing) and not _NO_THING_OF_HOME.match(words) else match[0]


def find_owned_noun(words: str) -> str:
    """The noun that 我们 owns where the words behind it begin with one: 合作社 of 我们合作社."""
    word = next(iter(tag_words(words)), None)
    is_noun = word is not None and word.tag in ("n", "nt", "nz") and len(word.text) > 1
    # 我们领养了, 我们住五楼: the tagger takes what is done for a thing.
    is_noun = is_noun and not re.match("[住租买卖养吃喝开去在有是]|[一-龥]{2,3}[了过着]", words)
    if word is None or not is_noun or _APPOSED.match(word.text):
        return ""
    is_action = word.text in _DONE_AS_WELL and not _IS_LIKE.match(words, len(word.text))
    return "" if is_action else word.text


def _write_own_or_many(match: re.Match[str]) -> str:
    return "用户的" if find_owned_noun(match.string[match.end() :]) else match.group()


# Beside the user's own name, whose mother it is goes without saying.
_KIN_OBJECT = re.compile(
    rf"(用户(?!的)[^。；]{{0,40}}?)(听|跟|和|给|陪|带|帮|接|送|为|替|照顾|看望|教|随|同|问|见|找|让|叫"
    rf"|请|劝|怕|比|住|去|像|告诉|答应|把)用户的(?={lexis.KIN})"
)


def _name_kin(piece: str) -> str:
    """我妈 becomes 用户的妈妈."""
    written: list[str] = []
    done = 0
    for match in PERSON.finditer(piece):
        if not match["own"] or match.start() < done:
            continue
        referent, end = read_person(match, piece)
        label = referent.label if referent.label.startswith("用户") else f"用户的{referent.short}"
        written += [piece[done : match.start()], label]
        done = end
    return "".join(written) + piece[done:]


def remove_connective(clause: str) -> str:
    """Without the word that joined the clause to what stood before it, but never without all of it."""
    return _CONNECTIVE.sub("", clause) or clause


def name_pronouns(words: str, referents: Referents, subject: Referent | None) -> str | None:
    """The words with the first 他, 她 or 它 named unless they name its person before; None where nobody is known.

    `subject` is whom the words themselves are about, who may be called by a pronoun behind the first naming.
    """
    named: set[str] = set()
    if subject:
        named.add("们" if subject.is_many else subject.gender or "*")
    written: list[str] = []
    done = 0
    starts = {word.start for word in tag_words(words) if word.text[:1] in "他她它"}
    for match in _PRONOUN.finditer(words):
        pronoun = match["pronoun"]
        # 他 is a part of other words, as of 吉他.
        if match.start() not in starts:
            continue
        before = words[: match.start()]
        is_object = bool(_OF_OBJECT.search(before))
        own_clause = before[before.rfind("，") + 1 :]
        doer = (
            subject
            if is_object and subject and own_clause.startswith((subject.label, subject.short))
            else None
        )
        if not doer and _is_named_before(pronoun, before, named):
            continue
        referent = referents.resolve(pronoun, is_object=is_object, besides=doer)
        if referent is None or words.startswith(
            referent.short, match.end()
        ):  # 他徒弟小萨: whose, nobody knows
            return None
        if referent.short in words[match.end() :] and referent.short not in before:
            return None  # 给她取名随了我奶奶: who is named behind it is somebody else
        is_beside_user = "我" in before or "用户" in before
        name = referent.short if is_beside_user else referent.label
        gap = find_gap(name, words[match.end() :])
        written += [words[done : match.start()], name, match["of"] or gap]
        done = match.end()
        named.add("们" if "们" in pronoun or "俩" in pronoun else _GENDERS[pronoun[0]])
    return "".join(written) + words[done:]


def find_gap(name: str, behind: str) -> str:
    """The blank that parts a name in Latin letters from a Latin word behind it: Kevin base SG."""
    return " " if re.match("[A-Za-z]{2}", name[-1:] + behind[:1]) else ""


_GENDERS = {"他": "m", "她": "f", "它": "it"}
# Behind these stands no subject: 给他报个班.
_OF_OBJECT = re.compile("(?:给|带|陪|送|帮|替|为|对|跟|和|让|教|找|问|接|照顾|看望|把|比)$")


def _is_named_before(pronoun: str, before: str, named: set[str]) -> bool:
    kind = "们" if "们" in pronoun or "俩" in pronoun else _GENDERS[pronoun[0]]
    if kind in named or ("*" in named and kind in "mf"):
        return True
    for match in find_kin(before):
        referent, _ = read_person(match, before)
        gender = "们" if referent.is_many else referent.gender or kind
        if gender == kind:
            return True
    return kind in ("m", "f") and bool(re.search(lexis.NAME, before))


_FIRST_LEFT = re.compile("(?<!自)我|咱|俺")
_DANGLING = re.compile(
    r"""
    ^(?:
        他 | 她 | 它 | 这(?![片家间套座所辆台块条份批本届周学半季个月星期年两几段次])
        | 那(?![年天时家个套片栋]) | 其(?:中|他) | 但是? | 可是 | 不过 | 所以 | 而且 | 然后 | 于是 | 并且
        | 或者 | 结果 | 毕竟 | 就 | 也 | 还(?![款贷钱]) | 又 | 再(?!婚) | 却 | 才 | 因为 | 因(?=[^，。]*$)
    )
    """,
    re.VERBOSE,
)
_DANGLING_OPENING = re.compile("(?:那个|对了|话说|说错了|不对|另外|还有|其实|反正|总之|顺便|不过)，")


def stands_alone(text: str) -> bool:
    """Return whether a written sentence is one in the third person that needs nothing before it."""
    bare = _QUOTED.sub("“”", text)
    if _FIRST_LEFT.search(bare) or _DANGLING.match(bare) or _DANGLING_OPENING.match(bare):
        return False
    if re.search("[?？]", bare) or len(bare.strip("。")) < 4:
        return False
    if re.search("用户用户|用户的用户|用户我|(?:这样|那样|这么|那么)(?:了|的)?。?$", bare):
        return False
    if "用户" not in bare and re.search("(?:^|，)(?:他|她|它)", bare):
        return False
    return all(
        bare.count(opening) == bare.count(closing)
        for opening, closing in ("（）", "()", "“”", "「」", "《》", "【】", "『』")
    )
