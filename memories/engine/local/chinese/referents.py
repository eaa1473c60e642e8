"""Whom 他, 她, 它 and 他们 mean: the people, animals and things that a conversation has named, the last ones first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import tag_words
from memories.engine.local.chinese.whereabouts import find_place, with_place

_LONG_AGO = 2
# 要找新室友吗: somebody else than who was the user's until now.
_OTHER = "[新换找招]"
# Among so many who were named last a pronoun may mean another.
_NEAR = 6
_SHORT = {
    "妈": "妈妈",
    "爸": "爸爸",
    "哥": "哥哥",
    "姐": "姐姐",
    "弟": "弟弟",
    "妹": "妹妹",
    "叔": "叔叔",
    "舅": "舅舅",
    "姑": "姑姑",
    "姨": "姨妈",
    "嫂": "嫂子",
    "娃": "孩子",
}
_OWNER = "(?:我们|咱们|咱|我|俺)(?:的|家(?:的)?|[那这][个边]?(?=[一-龥]{2}))?"
PERSON = re.compile(
    rf"(?P<own>{_OWNER})?(?P<before>(?:[大小老二三](?=女儿|儿子|闺女|孙|(?:[姨姑舅叔])(?![子姐])"
    rf"|伯(?!子)))?)(?P<kin>{lexis.PEOPLE}|(?<=[我她]){lexis.SPOUSE})(?<!温哥)(?!(?<=娘)[家娘])(?!节|(?:们?"
    rf"|(?<![哥姐弟妹爸妈公婆爷奶舅姑姨叔嫂])的)(?:椅|币|活(?![泼着得])|术)|夫|婿|圈"
    rf"|(?<![哥姐弟妹爸妈公婆爷奶舅姑姨叔嫂])会|院|科)(?P<plural>们)?"
)
# 廖婆婆, 王阿姨: a surname makes a name of the kinship.
ELDER = re.compile(
    rf"[{lexis.SURNAMES}](?:婆婆|奶奶|爷爷|大爷|大妈|大姐|大哥|叔叔|阿姨|伯伯|姐(?!妹|夫)|哥(?!们)|叔"
    rf"|姨|婶|嫂|老师|医生|大夫|教练|师傅|主任|经理|律师|教授|总|工)"
)
_CALLED = re.compile(
    "(?:名字|小名|大名|名)?(?:叫做?|名叫|是)(?P<name>[\u4e00-\u9fff·]{2,4}?|[A-Z][A-Za-z]{1,15})(?=的?(?:[，,。]|$)|的)"
)
_SURNAMED = re.compile(
    f"(?<![我的们家班])(?P<title>老师|医生|大夫|护士长?|[校院园厂店组队班村局科处]长|主管|教练|师傅|主任|经理|律师|教授|阿姨"
    f"|老板)姓(?P<surname>[{lexis.SURNAMES}])(?=[，,。]|$)"
)
_PET = re.compile(
    rf"(?:养|领养|收养|买|捡|有|家的|我的|我家)(?:了|过|着)?(?:[一二两三四五六七八九十几\d]*"
    rf"[只条个头匹窝])?(?P<animal>[^，。、]{{0,6}}?(?:{lexis.PETS}){{1,2}})(?![\u4e00-\u9fff]{{0,1}}"
    rf"(?:粮|砂|肉|窝|咖))(?:[，,]?(?:名字)?叫(?P<name>[\w]{{1,8}}?)(?=$|[，,。]))?"
)
_PARTNERS = frozenset(
    "男朋友 女朋友 男友 女友 老公 老婆 丈夫 妻子 对象 媳妇 太太 爱人 伴侣 未婚夫 未婚妻".split()
)
_SWEETHEARTS = frozenset("男朋友 女朋友 男友 女友".split())
_JOINED = re.compile("[和跟与、同]$")
_SOME_PET = re.compile(
    rf"(?:抱|遛|喂|逗|带|牵|看见|碰到|遇到|捡到|一)(?:着|了|过)?(?:[只条个头匹])?(?P<animal>"
    rf"(?:{lexis.PETS}){{1,2}})(?![粮砂肉窝咖票车虎场路])"
)


@dataclass(frozen=True, slots=True)
class Referent:
    """`label` stands alone ("用户的妈妈"); `short` beside the user's own name ("妈妈"); `gender` is m, f or ""."""

    label: str
    short: str
    gender: str = ""
    is_many: bool = False
    is_thing: bool = False


_ACQUAINTANCE = re.compile(
    rf"(?:用户的)?(?:{lexis.ROLES_PATTERN})|{lexis.NAME}|{ELDER.pattern}|[{lexis.SURNAMES}][一-龥]{{1,2}}"
)


def is_acquaintance(person: Referent) -> bool:
    """Return whether somebody is known by a role or a surname: no relative, and no animal."""
    return _ACQUAINTANCE.fullmatch(person.label) is not None


@dataclass(slots=True)
class Referents:
    """The people and animals of one conversation, in the order in which they were named."""

    known: list[Referent] = field(default_factory=list)
    # The subject of the last statement: "" for the user.
    topic: Referent | None = None
    # The last place that this message has named.
    place: str = ""
    # Who was the subject or got a name last: a pronoun means them before anybody else whom it fits.
    foremost: Referent | None = None
    # Whether the person who is foremost has been named in this message.
    _is_foremost_new: bool = True
    # The message in which each was named last: after two more, a pronoun is likely to mean somebody else.
    _message: int = 0
    _named_in: dict[str, int] = field(default_factory=dict)
    # Of whom the people are whom a pronoun with a relation named, and the pronoun: 老梁 of 他徒弟.
    owners: dict[str, tuple[Referent, str]] = field(default_factory=dict)
    # Whom the clause named besides that named each last: 照顾我奶奶的阿姨走了 may go on about either.
    _beside: dict[str, frozenset[str]] = field(default_factory=dict)

    def begin_message(self, asked: str) -> None:
        """A new message is about the user again, unless the assistant has just spoken of somebody else."""
        self._is_foremost_new = False
        self.place = ""  # between two messages the assistant may have named another
        self._message += 1
        self._named_in |= {
            referent.label: self._message for referent in self.known if referent.short in asked
        }
        if self.topic and not re.search(f"[他她它]|(?<!{_OTHER}){re.escape(self.topic.short)}", asked):
            self.topic = None

    def name_place(self, clause: str) -> str:
        """The clause with the last place in words where it only points to it: 在那里租房. Its own place is
        remembered."""
        clause = with_place(clause, self.place)
        self.place = find_place(clause) or self.place
        return clause

    def put_first(self, referent: Referent | None) -> None:
        """The subject of a statement, or None for the user: a pronoun means them before anybody else."""
        self.foremost = referent
        self._is_foremost_new = True

    def resolve(
        self, pronoun: str, *, is_object: bool = False, besides: Referent | None = None
    ) -> Referent | None:
        """The one that a pronoun means, or None where nobody fits or it may be somebody else.

        From message to message a pronoun need not go on with the last subject: not if the words do not tell whether
        that is a man or a woman and somebody else is known to be, and not where it is no subject itself (`is_object`).
        It is never the doer of its own clause (`besides`): 医生不让他久站.
        """
        if self.foremost and self.foremost != besides and _fits(self.foremost, pronoun):
            others = [referent for referent in self.known[-_NEAR:] if referent.label != self.foremost.label]
            rivals = [referent for referent in others if referent.gender and _fits(referent, pronoun)]
            beside = self._beside.get(self.foremost.label, frozenset())
            is_unsure = (
                not self.foremost.gender or is_object or any(referent.label in beside for referent in rivals)
            )
            return None if rivals and is_unsure and not self._is_foremost_new else self.foremost
        fitting = [
            referent
            for referent in reversed(self.known)
            if referent != besides and _fits(referent, pronoun) and self._is_recent(referent)
        ]
        if fitting:
            sure = [referent for referent in fitting[:3] if referent.gender]
            near = [
                referent
                for referent in self.known[-2 * _NEAR :]
                if referent.gender and _fits(referent, pronoun)
            ]
            meant = sure[0] if sure else fitting[0]
            beside = self._beside.get(meant.label, frozenset())
            if (is_object and len(near) > 1) or any(
                referent.label in beside for referent in near if referent != meant
            ):
                return None
            return meant
        if pronoun[:2] in ("他们", "她们", "它们") or "俩" in pronoun:
            single = [
                r
                for r in self.known
                if not r.is_many and r.is_thing == (pronoun[0] == "它") and r.short not in lexis.ROLES
            ]
            if len(single) >= 2:
                first, second = single[-2], single[-1]
                return Referent(
                    f"{first.label}和{second.label}", f"{first.short}和{second.short}", is_many=True
                )
        return None

    def find_partner_of_topic(self, partner: Referent | None) -> Referent | None:
        """用户的女儿的男朋友 where the sentence is about her, and nobody knows of one of the user's."""
        topic = self.topic
        if partner is None or topic is None or partner.short not in _SWEETHEARTS:
            return None
        is_known = any(referent.label.startswith(partner.label) for referent in self.known)
        is_elder = re.search("[妈爸爷奶公婆父母叔姨姑舅]", topic.short) is not None
        is_couple = {topic.gender, "f" if partner.short[0] == "女" else "m"} in (
            {"m", "f"},
            {"", "m"},
            {"", "f"},
        )
        if (
            is_known
            or is_elder
            or topic.is_thing
            or topic.is_many
            or not is_couple
            or topic.label == partner.label
        ):
            return None
        return replace(
            partner, label=f"{topic.label}的{partner.short}", short=f"{topic.short}的{partner.short}"
        )

    def resolve_owner(self, pronoun: str) -> Referent | None:
        """The one whose relation is named: behind 他徒弟叫阿彪, 他女儿 is of the same man."""
        meant = self.resolve(pronoun)
        for label, (owner, named_by) in self.owners.items():
            if meant is not None and meant.label.startswith(label) and named_by == pronoun:
                return owner
        return meant

    def find_only_recent(self, *, of_animals: bool = False) -> Referent | None:
        """Find who alone was named in this message and the one before it; `of_animals`: the only animal of late."""
        recent = [
            referent for referent in self.known if self._named_in.get(referent.label, 0) >= self._message - 1
        ]
        if of_animals:
            recent = [referent for referent in self.known if referent.is_thing and self._is_recent(referent)]
        # 雷克斯 and 用户的狗雷克斯 are one.
        fullest = [
            referent
            for referent in recent
            if not any(referent is not other and other.label.endswith(referent.label) for other in recent)
        ]
        return fullest[0] if len(fullest) == 1 else None

    def _is_recent(self, referent: Referent) -> bool:
        return self._named_in.get(referent.label, 0) >= self._message - _LONG_AGO

    def notice(self, clause: str, subject: Referent | None = None) -> None:
        """Remember whom a clause names; its subject comes to mind first."""
        people = find_people(clause)
        for referent in people:
            self._add_referent(referent)
        labels = frozenset(referent.label for referent in people)
        self._beside |= {label: labels - {label} for label in labels}
        if any_pet := _SOME_PET.search(clause):
            self._add_referent(Referent(any_pet["animal"], any_pet["animal"], is_thing=True))
        if pet := _PET.search(clause):
            animal = pet["animal"].removeprefix("的")
            animal = re.sub("^(?:[^的]{1,6}的)", "", animal)
            name = pet["name"] or ""
            self._add_referent(Referent(f"用户的{animal}{name}", f"{animal}{name}", is_thing=True))
        if subject:
            self._add_referent(subject)

    def notice_question(self, asked: str) -> None:
        """The person by whose name the assistant asks: the answer speaks of them, and so does a pronoun in it."""
        match = _ASKED_OF.search(asked)
        name = (
            name_at(asked, match.start("who")) or (match["who"] if _is_name(match["who"]) else "")
            if match
            else ""
        )
        if not name:
            return
        known = next(
            (referent for referent in reversed(self.known) if referent.short.endswith(name)),
            Referent(name, name),
        )
        self._add_referent(known)
        self.put_first(known)

    def name_last(self, name: str) -> None:
        """As in 我有个妹妹，叫小云: the name belongs to who was named before."""
        if self.known and not self.known[-1].label.endswith(name):
            last = self.known[-1]
            self.known[-1] = Referent(
                last.label + name, last.short + name, last.gender, last.is_many, last.is_thing
            )
            if self.topic is not None and self.topic.label == last.label:
                self.topic = self.known[-1]
            if self.foremost is not None and self.foremost.label == last.label:
                self.foremost = self.known[-1]

    def _add_referent(self, referent: Referent) -> None:
        same = next((r for r in self.known if r.label.startswith(referent.label)), None)
        if same:
            self.known.remove(same)
            referent = same
        self.known.append(referent)
        self._named_in[referent.label] = self._message
        del self.known[:-40]


# 我带他去医院, behind which the talk goes on about him.
_TAKEN = re.compile(
    f"我们?[^，]{{0,4}}[带陪送抱](?:着|了)?(?P<who>[他她它]|我?(?:{lexis.KIN}))[^，]{{0,8}}(?:医院|看病|看医生|急诊|打针|体检"
    "|复查|诊所|门诊|疫苗)"
)


def find_patient(clause: str, referents: Referents) -> Referent | None:
    """Whom the user takes to a doctor."""
    match = _TAKEN.search(clause)
    if match is None:
        return None
    if match["who"] in ("他", "她", "它"):
        return referents.resolve(match["who"], is_object=True)
    return next(iter(find_people(clause)), None)


def _fits(referent: Referent, pronoun: str) -> bool:
    if "们" in pronoun or "俩" in pronoun:
        return referent.is_many
    if referent.is_many:
        return False
    if pronoun == "它":
        return referent.is_thing
    return referent.gender in ("", "m" if pronoun == "他" else "f")


def read_person(match: re.Match[str], clause: str) -> tuple[Referent, int]:
    """Whom a match of `PERSON` names, and where the naming ends: a name may follow the kinship."""
    kin = match["before"] + match["kin"]
    kin = _SHORT.get(kin, kin)
    end = match.end()
    is_many = match["kin"] in lexis.MANY_KIN or bool(match["plural"])
    # 爸妈 have no name in common; what follows, as in 给爸妈养老, only looks like one.
    name = "" if is_many else name_at(clause, end) or _name_behind(clause, end)
    end += len(name)
    gender = "m" if match["kin"] in lexis.MALE_KIN else "f" if match["kin"] in lexis.FEMALE_KIN else ""
    short = kin + (match["plural"] or "") + name
    is_owned = bool(match["own"]) or match["kin"] not in lexis.ROLES or bool(name)
    return Referent(f"用户的{short}" if is_owned else short, short, gender, is_many), end


_ASKED_OF = re.compile(
    "(?:^|[，。！？!?,])(?P<who>[\u4e00-\u9fff]{2,3}?)(?:今年|现在)?(?=多大|几岁|多高|几年级|是谁"
    "|是做什么|在哪|住在?哪|喜欢什么|什么时候|怎么)"
)


def _is_name(text: str) -> bool:
    words = tag_words(text)
    return len(words) == 1 and words[0].tag == "nr"


_NAME = re.compile(lexis.NAME)


def _name_behind(clause: str, start: int) -> str:
    """The given name behind a kinship: 闺女晓岚."""
    word = next((word for word in tag_words(clause) if word.start == start), None)
    is_name = word is not None and word.tag == "nr" and len(word.text) in (2, 3)
    return word.text if word and is_name and word.text[0] not in "说叫是在有给让" else ""


def name_at(text: str, start: int) -> str:
    """The name of a person that begins there, or nothing."""
    if match := _NAME.match(text, start):
        return match.group()
    latin = re.compile("[A-Z][a-z]+(?: [A-Z][a-z]+)?").match(text, start)
    if latin:
        return latin.group()
    if text[start : start + 1] not in lexis.SURNAMES or start >= len(text):
        return ""
    words = tag_words(text[start:])
    # 高新区 is called a name of a person by the tagger.
    if (
        words
        and words[0].tag == "nr"
        and 2 <= len(words[0].text) <= 3
        and words[0].text[-1] not in "区县镇路街"
    ):
        return words[0].text
    return ""


def find_people(clause: str) -> list[Referent]:
    """Everybody whom the clause names by kinship, role or name, in order."""
    people: list[tuple[int, Referent]] = []
    ends = 0
    for match in find_kin(clause):
        referent, ends = read_person(match, clause)
        if (
            people
            and not match["own"]
            and match["kin"] in _PARTNERS
            and not _JOINED.search(clause[: match.start()])
        ):
            first = people[0][1]  # 朋友带男朋友来: theirs
            referent = replace(referent, label=f"{first.label}的{referent.short}")
        people.append((match.start(), referent))
    del ends
    for match in _MET.finditer(clause):
        name = name_at(clause, match.end())
        if name and not any(name in referent.short for _, referent in people):
            people.append((match.end(), Referent(name, name)))
    for match in (*_find_nicknames(clause), *ELDER.finditer(clause)):
        if not any(match.group() in referent.short for _, referent in people):
            people.append((match.start(), Referent(match.group(), match.group())))
    return [referent for _, referent in sorted(people, key=lambda person: person[0])]


def _find_nicknames(clause: str) -> list[re.Match[str]]:
    """小马, but not the beginning of another word, as of 老顾客."""
    matches = list(_NICKNAME.finditer(clause))
    inside = {
        at
        for word in (tag_words(clause) if matches else ())
        for at in range(word.start + 1, word.start + len(word.text))
    }
    return [match for match in matches if match.end() not in inside]


_NICKNAME = re.compile(
    rf"(?<![大])[老小阿][{lexis.SURNAMES}](?![板师家实是人婆公鼠虎乡外百年时学说心路区米程序熊牛])"
)
# Behind these a name stands for somebody whom the clause speaks of besides its subject.
_MET = re.compile("跟|和|与|给|叫|找|见|陪|帮|向|对|让|约|请|问|是|到")
_ALONE = re.compile("(?:^|[，、]|和|跟|给|带|陪|让|叫|接|送|对|比|是|有|把|被|教|问|替|帮)$")


def find_kin(clause: str) -> list[re.Match[str]]:
    """Matches of `PERSON` that are no parts of other words, as 哥 is one of 温哥华."""
    return [
        match
        for match in PERSON.finditer(clause)
        if (match["own"] or not ELDER.match(clause, match.start("kin") - 1))
        and (match["own"] or len(match["kin"]) > 1 or _ALONE.search(clause[: match.start("kin")]))
    ]


def find_name(clause: str) -> str:
    """The name that a clause gives, as in 叫豆豆; 郝老师 of 老师姓郝."""
    if titled := _SURNAMED.search(clause):
        return f"{titled['surname']}{titled['title']}"
    match = _CALLED.search(clause)
    name = match["name"] if match and "叫" in match.group() else ""
    return (
        "" if re.search("[园院店馆校厂社村]$", name) else name
    )  # a home or a shop is called so, and nobody in it
