"""Whom a clause is about: the user, somebody named, a pronoun, a thing, or nobody because the subject was left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import tag_words
from memories.engine.local.chinese.referents import ELDER as _ELDER
from memories.engine.local.chinese.referents import PERSON, Referent, Referents, name_at, read_person
from memories.engine.local.chinese.writing.rewriting import find_owned_noun
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# What everybody has one of: the user's, where nobody else is named.
# Of 学校通知…… nobody can tell whose school it is.
OWN = re.compile(rf"(?!学校[说让叫要通规发打来])(?:{lexis.OWN})(?!出|作|里人)")


class HeadKind(Enum):
    USER = auto()
    PERSON = auto()
    PRONOUN = auto()
    THING = auto()
    DROPPED = auto()


@dataclass(frozen=True, slots=True)
class Head:
    """`start` and `end` bound the subject's words in the clause; a dropped subject has none."""

    kind: HeadKind
    referent: Referent | None = None
    start: int = 0
    end: int = 0
    # What of the user's the clause is about, as their firm or choir.
    thing: Referent | None = None

    def is_of_thing(self, clause: str) -> bool:
        """Return whether the clause's subject is a thing, and not one of those that everybody has one of."""
        return self.kind is HeadKind.THING and not OWN.match(clause, self.start)

    @property
    def is_explicit(self) -> bool:
        return self.kind in (HeadKind.USER, HeadKind.PERSON, HeadKind.PRONOUN)


_LEAD = re.compile(
    rf"(?:(?:就是(?![我你])|主要是|只是|{lexis.TIME}|{lexis.ADVERB}|[一两三](?:周|天|个?星期|个?月"
    rf"|年)(?=[一-龥]{{1,4}}[一二两三四五六七八九十几\d])|[0-2][0-9]年(?=[^，]{{1,20}}[过了])"
    rf"|{_WORDS['leads']})[，]?){{0,6}}"
)
_FIRST = re.compile(rf"(?:{lexis.FIRST_PERSON})")
_THIRD = re.compile(rf"(?:{lexis.THIRD_PERSON})(?!人|们家)")
# Whose home it is goes without saying.
_AT_HOME = re.compile("(?:家里|家中|屋里)(?!人)")
_ACCORDING = re.compile("据(?!点|守|悉)[^，]{1,8}[说讲称]|根据|按照")
_OF = re.compile("的|家")
# 周四是我弟弟的钢琴课 is about the day, 是我妈做的饭 about a meal.
IT_IS = re.compile("(?:不|就|正好|刚好|也)?是")
_NOT_KIN = re.compile(_WORDS["no_kin"])
_PET = re.compile(
    rf"(?P<own>(?:我们|咱们|咱|我)(?:的|家(?:里|的)?)?)?(?P<animal>(?![小老]马)[大小老那只]{{0,2}}"
    rf"(?:{lexis.PETS}){{1,2}})(?![粮砂肉窝咖票车虎马场路])(?![一-龥]?的)"
)
_PREDICATE = re.compile(_WORDS["predicates"])
# 修暖气的总算来了 is about who repairs it; 跑在香橙派上 about what runs there.
_NOMINAL = re.compile(
    rf"(?:新|刚)来的(?=[是也还叫姓从])|[^，我他她它是]{{2,8}}的(?=总算|终于|来了|说|讲|还没|没来|也来"
    rf"|都来)|[^，我他她它是]{{1,8}}的(?:{lexis.ROLES_PATTERN}|[一-龥]{{1,4}}(?=姓|叫))(?!的)|(?:跑|放"
    rf"|装|部署|写|存|挂|摆|建|印|刻)(?:在|到|于)(?![一-龥]{{0,6}}了)"
)
# 照顾我妈的阿姨姓吴 is about her.
_OF_USERS = re.compile(
    rf"(?:照顾|带|教|陪|看|接送|管|伺候)(?:我|咱)[^，]{{1,6}}?的(?:{lexis.PEOPLE})(?=.)(?!的)"
)
_ALLERGY = re.compile("^[^，我他她它对]{1,12}过敏$")


def read_head(clause: str, referents: Referents) -> Head:
    """The subject of a clause in the first person."""
    start = 0 if _begins_with_name(clause, referents) else _lead_end(clause)
    if match := _FIRST.match(clause, start):
        return _read_first_head(clause, start, match)
    if match := _THIRD.match(clause, start):
        owns = _OF.match(clause, match.end())
        if theirs := PERSON.match(clause, owns.end() if owns else match.end()):
            return _read_possessed_person(match, theirs, clause, start, referents)
        return Head(HeadKind.PRONOUN, referents.resolve(match.group()), start, match.end())
    if _ACCORDING.match(clause, start):
        return Head(HeadKind.THING, None, start, start)
    if _AT_HOME.match(clause, start):
        return Head(HeadKind.USER, None, start, start)
    if (is_it := IT_IS.match(clause, start)) and (
        PERSON.match(clause, is_it.end()) or (start and _FIRST.match(clause, is_it.end()))
    ):
        return Head(HeadKind.THING, None, start, start)
    if elder := _ELDER.match(clause, start):
        return Head(HeadKind.PERSON, Referent(elder.group(), elder.group()), start, elder.end())
    person = PERSON.match(clause, start)
    if person and not _NOT_KIN.match(clause, start):
        head = _read_person(person, clause, start)
        partner = None if person["own"] else referents.find_partner_of_topic(head.referent)
        return replace(head, referent=partner) if partner else head
    pet = _PET.match(clause, start)
    if pet and not _is_inside_word(pet, clause):
        return _read_pet(pet, clause, start)
    if known := _find_known_at(clause, start, referents):
        return Head(HeadKind.PERSON, known, start, start + len(_find_shown_name(clause, start, known)))
    name = "" if _PREDICATE.match(clause, start) else name_at(clause, start)
    if name and len(clause) > start + len(name) and not re.match("[A-Za-z]", name):
        return Head(HeadKind.PERSON, Referent(name, name), start, start + len(name))
    if _NOMINAL.match(clause, start) or _OF_USERS.match(clause, start):
        return Head(HeadKind.THING, None, start, start)
    is_predicate = _PREDICATE.match(clause, start) and not _begins_with_noun(clause[start:])
    if _ALLERGY.match(clause[start:]) or is_predicate or start >= len(clause):
        return Head(HeadKind.DROPPED, None, start, start)
    words = tag_words(clause[start:])
    first = next((word for word in words if word.tag not in ("d", "x", "c", "zg")), None)
    if first and (first.tag[:1] in ("v", "a", "p") or first.tag in ("ad", "vn")) and first.tag != "vn":
        return Head(HeadKind.DROPPED, None, start, start)
    if words and (_is_done(clause, start) or _AGE.fullmatch(clause)):
        return Head(HeadKind.DROPPED, None, start, start)
    return Head(HeadKind.THING, None, start, start)


# 租金, 教龄, 花店 and 买家 begin like what somebody does.
_NOUN_END = re.compile("(?:[费金龄店节单据机器具室场官料证册卡员辈垫品者家手期票条]|公司|[^了过着]信)$")


def _begins_with_noun(words: str) -> bool:
    """Return whether the first word is a thing's, though its first character is also that of a verb."""
    first, *behind = tag_words(words)
    is_noun = first.tag in ("n", "nz", "t") and len(first.text) > 1 and _NOUN_END.search(first.text)
    return bool(is_noun) and not (behind and behind[0].text in ("了", "过", "着"))


# 今年三十八, and not 三十八 alone, which may be of anything.
_AGE = re.compile("(?:我?今年|都|快|已经|马上|虚岁|周岁)+[一二三四五六七八九十0-9]{2,4}岁?(?:了|半|多)*")
# 打小就左撇子: what somebody has always been.
_ALWAYS_BEEN = re.compile("(?:打小|从小|天生|生来)(?:就|都|便)+")
_DOES_IT = re.compile("[一-龥][了过](?=[一-龥]{2})")
# 以前倒票的 says what somebody did, as a whole clause; 隔壁的 is whose it is.
_DOER = re.compile("[一-龥]{2,4}的")


def _is_done(clause: str, start: int) -> bool:
    """Return whether a verb begins there that the tagger does not know: 选了自主择业, 以前倒票的."""
    if _ALWAYS_BEEN.match(clause):
        return True
    if not (_DOES_IT.match(clause, start) or (start and _DOER.fullmatch(clause, start))):
        return False
    return tag_words(clause[start])[0].tag in ("v", "zg")


def _begins_with_name(clause: str, referents: Referents) -> bool:
    """Return whether a name that the talk has given stands first, though it begins like an adverb: 老薄."""
    return any(
        len(referent.short) > 1 and referent.short[0] == "老" and clause.startswith(referent.short)
        for referent in referents.known
    )


def _lead_end(clause: str) -> int:
    """Return where the times and adverbs before the subject end; never the whole clause."""
    match = _LEAD.match(clause)
    end = match.end() if match else 0
    first = next(iter(tag_words(clause[end:])), None)
    is_of_thing = OWN.match(clause, end) or (first is not None and first.tag.startswith("n"))
    if clause[end - 1 : end] == "老" and is_of_thing:
        return end - 1  # 老房子 is old, 老忘事 is to forget always
    return end


def _read_first_head(clause: str, start: int, match: re.Match[str]) -> Head:
    person = PERSON.match(clause, start)
    if person and person["own"] and not _NOT_KIN.match(clause, person.start("kin")):
        return _read_person(person, clause, start)
    if pet := _PET.match(clause, start):
        return _read_pet(pet, clause, start)
    if named := _CHAIN.match(clause, match.end()):
        label = f"用户的{clause[match.end() : named.start('name')]}{named['name']}".replace(
            "用户的的", "用户的"
        )
        return Head(HeadKind.PERSON, Referent(label, named["name"]), start, named.end())
    return Head(HeadKind.USER, None, start, match.end(), _find_owned_thing(clause, match))


def _find_owned_thing(clause: str, match: re.Match[str]) -> Referent | None:
    """The group, firm or place that 我们 owns, of which the talk may go on."""
    owned = _GROUP.match(clause, match.end())
    name = owned["name"] if owned else ""
    if not name and match.group() in ("我们", "咱们"):
        name = find_owned_noun(clause[match.end() :])
    return Referent(f"用户的{name}", name, is_thing=True) if name else None


_GROUP = re.compile(rf"(?:的|这边的?)?(?P<name>{lexis.GROUPS})(?!长大)")
# 我们乐队的鼓手老乔: who is named at the end is meant.
_CHAIN = re.compile(
    rf"(?P<of>[^，我他她它是在有说]{{1,10}}?)(?P<name>[老小阿][{lexis.SURNAMES}])(?=[^，]{{2}})"
)


def _read_person(match: re.Match[str], clause: str, start: int) -> Head:
    """One person, or two who are named together."""
    referent, end = read_person(match, clause)
    joint = re.compile("[和跟与]").match(clause, end)
    other = PERSON.match(clause, joint.end()) if joint else None
    if joint and other and (len(clause) == other.end() or clause[other.end()] not in "的"):
        second, end = read_person(other, clause)
        both = Referent(
            f"{referent.label}和{second.short}", f"{referent.short}和{second.short}", is_many=True
        )
        return Head(HeadKind.PERSON, both, start, end)
    return Head(HeadKind.PERSON, referent, start, end)


def _read_possessed_person(
    pronoun: re.Match[str], person: re.Match[str], clause: str, start: int, referents: Referents
) -> Head:
    """他妹妹: the sister of the person whom 他 means."""
    owner = referents.resolve_owner(pronoun.group())
    second, end = read_person(person, clause)
    if owner is None:
        return Head(HeadKind.PRONOUN, None, start, end)
    label = f"{owner.label}的{second.short}"
    referents.owners[label] = owner, pronoun.group()
    return Head(HeadKind.PERSON, Referent(label, f"{owner.short}的{second.short}", second.gender), start, end)


def _read_pet(match: re.Match[str], clause: str, start: int) -> Head:
    animal = re.sub("^那?只", "", match["animal"])
    return Head(HeadKind.PERSON, Referent(f"用户的{animal}", animal, is_thing=True), start, match.end())


def _is_inside_word(pet: re.Match[str], clause: str) -> bool:
    """Return whether the animal is only the beginning of another word, as of 鸡蛋."""
    start = pet.start("animal")
    first = next(iter(tag_words(clause[start:])), None)
    return first is not None and start + len(first.text) > pet.end()


def _find_known_at(clause: str, start: int, referents: Referents) -> Referent | None:
    """Somebody who was named before, called by the name or the kind alone."""
    for referent in reversed(referents.known):
        if _find_shown_name(clause, start, referent):
            return referent
    return None


def _find_shown_name(clause: str, start: int, referent: Referent) -> str:
    for shown in (referent.short, *([referent.short[-2:]] if len(referent.short) > 3 else ())):
        if clause.startswith(shown, start):
            return shown
    return ""
