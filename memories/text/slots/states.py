"""Finds the states that a sentence describes: "The user's sister lives in Lyon." is the slot "sister:residence"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memories.text.en.verbs import inflect_third_person
from memories.text.slots.bounded_value import find_bounded_value, list_items
from memories.text.slots.claim import build_slot
from memories.text.slots.english import NOT_NAMES
from memories.text.slots.lives import (
    ANIMALS,
    find_lost_animal,
    has_died_in_chinese,
    has_died_in_english,
    is_animal_gone,
)
from memories.text.slots.registry import (
    LIFE,
    Slot,
    find_slots_named,
    get_slot_title,
    join_relation_words,
    load_relations,
    load_slots,
)
from memories.text.slots.vocabulary import SURNAMES_ZH, load_words
from memories.text.zh.script import to_simplified

_WORDS = load_words("states")
# A sentence of this length says more than a state.
_LONGEST = 400
_DATE_FIRST = re.compile(
    r"^(?:On|In|Since|From|Until|By|As of|At|Last|This|Next|During|After|Before|Every) [^,.]{2,40}, "
)
# "The allergist says the user is not allergic to cats": who says it makes no difference.
_DENIED_BY_ANOTHER = re.compile(
    r"""
    ^(?:The\ user's\ |The\ )?[a-z]+\ (?:says|said|confirmed|has\ confirmed)\ (?:that\ )?
    (?=the\ user\ (?:is|does|has|can)(?:\ not|\ no\ longer)\b)
    """,
    re.VERBOSE,
)
_PERSON_WORDS = join_relation_words("en")
_PERSON_WORDS_ZH = join_relation_words("zh")
_SUBJECT_EN = re.compile(
    rf"""
    ^(?:[Tt]he\ user(?P<many>\ and\ (?:others|their\ [\w-]+|[A-Z]\w+))?(?P<poss>'s)?)
     (?(poss)\ (?:(?:older|younger|elder|little|big|twin|eldest|youngest|late|new)\ )?
        (?:(?P<rel>{_PERSON_WORDS})\b(?:,?\ (?P<called>[A-Z][\w'-]*),?)?(?P<rel_poss>'s)?)?)\ ?
    | ^(?P<named>[A-Z][\w-]+)(?:\ [A-Z][\w-]+)?(?P<named_poss>'s)?\ (?=[a-z])
    """,
    re.VERBOSE,
)
_SUBJECT_ZH = re.compile(
    rf"""
    ^(?:[^，。用]{{1,14}}，|[^，。用]{{1,24}}(?:起|开始)，?)?
    (?:{{of_user}}|用户(?:等人|一家|们|家里?(?=的))?(?:和用户的?[^，。]{{1,4}})?)
     (?P<poss>的(?:(?P<rel>{_PERSON_WORDS_ZH})(?P<rel_poss>的)?)?)?
    """.replace("{of_user}|", ""),
    re.VERBOSE,
)
_NAMED_ZH = re.compile(
    rf"^(?P<named>(?:小|老|阿)?[{SURNAMES_ZH}][\u4e00-\u9fff]{{1,2}}?)(?=住|搬|在|是|对|养|有|去|今年"
    rf"|从|叫)"
    r"|^(?P<dead>[\u4e00-\u9fff]{2,3}?)(?=(?:上周|昨天|前天|今天|去年|上个?月|最近|（[^）]*）"
    r"|[0-9]{4}年[^，。]{0,8}){0,3}(?:去世|过世|病逝|离世|死了))"
)
# 用户的妹妹小云在医院: the name behind the relation.
_CALLED_ZH = re.compile(
    rf"(?!{_WORDS['no_names_zh']})(?P<name>[\u4e00-\u9fff]{{2,3}}?)(?=住|搬|在|是|对|养|有|去|今年|从|现在|已经)"
)
_ADVERBS_EN = re.compile(rf"^(?:(?:{_WORDS['adverbs_en']}) )+")
_ADVERBS_ZH = re.compile(
    rf"""
    ^(?:
        {_WORDS["adverbs_zh"]} | （[^）]*） | [0-9]{{4}}年(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}[日号])?
        | (?:去|今|前)年(?:[0-9一二三四五六七八九十]{{1,2}}月份?)?
    ){{1,8}}
    """,
    re.VERBOSE,
)
_NOT_EN = re.compile(
    r"""
    ^(?:
        (?P<be>is|are|was)\ (?:not|no\ longer)(?:\ any\ ?more)?\  | no\ longer[ ]
        | (?:does|do|did)\ not\ (?:any\ ?more\ )? | has\ not\ (?:got\ )?
        | (?P<stop>(?:has\ )?(?:stopped|quit|given\ up|gave\ up)\ )(?=\w+ing\b) | (?:used\ to\ )(?=\w)
    )
    """,
    re.VERBOSE,
)
# "Has never used a computer" says what somebody has not.
_NEVER = re.compile(r"(?:(?:has|have|had|is|was|would|will) )?(?:never|hardly|rarely)\b")
_HAS_NO_EN = re.compile(r"^(?:has|have|owns|keeps) no(?: longer)? ")
_NOT_ZH = re.compile("^(?:不再|已经不|早就不|不|没有?|并不|戒|停)(?!过|仅|但|同|错)了?")
_LAST_NOT_ZH = re.compile("(?:不|没)(?:住|在|养|吃|用|开|是|对|叫|做|当)")
_COPULA_EN = re.compile(
    r"""
    ^(?P<noun>(?:new\ |current\ |main\ |present\ |own\ )?[\w -]{2,30}?)
    (?:\ now|\ currently|\ these\ days|\ nowadays)?\ (?:
        is | are | has\ changed\ to | has\ been\ changed\ to | was\ changed\ to | became | will\ be
        | is\ now
    )(?:\ now|\ currently)?\ (?P<rest>.+)$
    """,
    re.VERBOSE,
)
_COPULA_ZH = re.compile(
    "^(?:新|当前|主要|最新)?的?(?P<noun>[\u4e00-\u9fff]{1,6}?)(?:现在|目前|已经)?(?:是|为|换成|改成"
    "|改为|变成|叫|：)(?P<rest>.+)$"
)


# One has several friends and brothers; of these relations one.
_PARTNERS = frozenset({"wife", "husband", "partner", "girlfriend", "boyfriend"})
_ONE_OF_A_KIND = _PARTNERS | {"mother", "father", "boss", "best friend", "mother-in-law", "father-in-law"}
_CALLED = re.compile(
    r"""
    ^(?:is(?:\ called|\ named)?|are)\ (?P<value>[A-Z][\w'-]+(?:\ [A-Z][\w'-]+)?)$
    | ^(?:是|叫做?|名叫)(?P<zh>[\u4e00-\u9fff]{2,4})$
    """,
    re.VERBOSE,
)
# "Her husband is Irish", 我老公是湖南人 and 我老婆是护士 say what somebody is, and not who.
_NO_NAME = re.compile(
    rf"is (?:{NOT_NAMES})|是(?![{SURNAMES_ZH}])|是[\u4e00-\u9fff]+(?:人|族|师|员|生|管|工|手|长|医|民|的)$"
)
_IS_RELATION_EN = re.compile(
    rf"^(?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) is (?P<not>not "
    rf"|no longer )?(?:now )?the user's (?:new )?(?P<rel>{_PERSON_WORDS})\b"
)
_TWO_EN = re.compile(
    r"""
    ^(?P<value>[A-Z][\w'-]+)\ and\ the\ user\ (?:
        have\  | had\  | has\  | are\  | were\  | got\  | just\  | recently\  | finally\  | now[ ]
    )*(?:
        (?P<end>broke\ up|broken\ up|split\ up|separated|divorced) | engaged | married | dating | together
        | in\ a\ relationship
    )\b
    """,
    re.VERBOSE,
)
_IS_RELATION_ZH = re.compile(
    rf"^(?P<value>[\u4e00-\u9fff]{{2,4}}?)(?:现在|已经)*(?P<not>不再"
    rf"|不)?是用户的?(?P<rel>{_PERSON_WORDS_ZH})(?=了?(?:$|[，。]))"
)


@dataclass(frozen=True, slots=True)
class State:
    """`slot` as it is stored ("residence", "allergy:penicillin", "sister:residence"). `subject` is whose state it is,
    "" for the user's own. `is_end`: the sentence says that it holds no longer."""

    slot: str
    value: str
    title: str
    subject: str = ""
    is_end: bool = False

    @property
    def is_bare(self) -> bool:
        """Return whether its value alone says enough: of a pet it is only the name."""
        return bool(self.value) and not self.is_end and not self.slot.startswith("pet:")


def find_state(text: str, language: str) -> State | None:
    """The state that a sentence describes first."""
    states = find_states(text, language)
    return states[0] if states else None


@lru_cache(maxsize=4_096)
def is_of_relation(slot: str) -> bool:
    """Return whether a slot holds a state of somebody whom the user names by a relation, as "colleague 张伟:job"
    does."""
    who, mark, _ = slot.partition(":")
    return bool(mark) and any(who == name or who.startswith(f"{name} ") for name in load_relations().values())


def find_states(text: str, language: str) -> tuple[State, ...]:
    """All states that one sentence in the third person describes, the one that names it first."""
    sentence = to_simplified(text).strip().rstrip(".。!！ ")
    if len(sentence) > _LONGEST or sentence.startswith(("[", "“", '"')):
        return ()
    read = _read_chinese if language == "zh" else _read_english
    states: dict[str, State] = {}
    for state in read(sentence):
        if state.value == "the user" and state.slot.endswith("employer"):
            continue  # "Earplugs do not work for the user"
        states.setdefault(state.slot, state)
    return tuple(states.values())


def _read_english(sentence: str) -> Iterator[State]:
    sentence = _DENIED_BY_ANOTHER.sub("", _DATE_FIRST.sub("", sentence)).removesuffix(" after all")
    yield from _read_reversed(sentence, "en")
    yield from _read_two(sentence)
    match = _SUBJECT_EN.match(sentence[:1].upper() + sentence[1:])
    if match is None:
        return
    rest = _ADVERBS_EN.sub("", sentence[match.end() :])
    if match["many"] and not match["poss"]:
        rest = _write_for_one(rest)
    subject = _get_person_name(match["rel"] or "", match["called"] or "") or (match["named"] or "").lower()
    is_possession = bool(match["rel_poss"] or match["named_poss"] or (match["poss"] and not match["rel"]))
    if is_possession:
        yield from _read_possession(rest, subject, _COPULA_EN, "en")
        if match["poss"] and not match["rel"] and (animal := find_lost_animal(rest)):
            yield State(build_slot("pet", animal), animal, get_slot_title("pet", "en"), "", True)
        return
    if _NEVER.match(rest):
        return
    rest, is_denied = _affirm_english(rest)
    yield from _read_described(rest, subject, is_denied, "en")


def _write_for_one(rest: str) -> str:
    """Patterns know the verb behind one person: "rent a flat" of several is "rents a flat"."""
    verb, space, behind = rest.partition(" ")
    forms = {"are": "is", "were": "was", "have": "has", "do": "does"}
    return f"{forms.get(verb) or inflect_third_person(verb)}{space}{behind}"


def _affirm_english(rest: str) -> tuple[str, bool]:
    match = _NOT_EN.match(rest)
    if match:
        tail = re.sub(r" any ?more\b", "", rest[match.end() :])
        if not match["be"] and match[0].startswith(("does", "do")):
            verb, space, behind = tail.partition(" ")
            tail = f"{inflect_third_person(verb)}{space}{behind}"
        return _ADVERBS_EN.sub("", f"{match['be']} {tail}" if match["be"] else tail), True
    if match := _HAS_NO_EN.match(rest):
        return f"has {rest[match.end() :]}", True
    return rest, False


def _read_reversed(sentence: str, language: str) -> Iterator[State]:
    """ "Omar is the user's boss": the relation stands behind the name."""
    match = (_IS_RELATION_ZH if language == "zh" else _IS_RELATION_EN).match(sentence)
    if match and (relation := load_relations().get(match["rel"].lower(), "")) in _ONE_OF_A_KIND:
        yield _build_relation(relation, match["value"], bool(match["not"]), language)


def _read_two(sentence: str) -> Iterator[State]:
    """ "Leif and the user separated" ends what "Leif and the user are engaged" begins."""
    if match := _TWO_EN.match(sentence):
        yield _build_relation("partner", match["value"], bool(match["end"]), "en")


def _build_relation(subject: str, name: str, is_end: bool, language: str) -> State:
    """Who somebody's partner or boss is; of friends and colleagues there are many."""
    slot = "partner" if subject in _PARTNERS else f"{subject}:name"
    return State(slot, name, get_slot_title(slot, language) if slot == "partner" else "", "", is_end)


def _read_chinese(sentence: str) -> Iterator[State]:
    yield from _read_reversed(sentence, "zh")
    match = _SUBJECT_ZH.match(sentence)
    if match is None:
        named = _NAMED_ZH.match(sentence)
        if named is None:
            return
        yield from _read_described_chinese(sentence[named.end() :], named["named"] or named["dead"])
        return
    subject = _get_person_name(match["rel"] or "", "")
    rest = sentence[match.end() :]
    if match["poss"] and (not match["rel"] or match["rel_poss"]):
        states = list(_read_possession(_ADVERBS_ZH.sub("", rest), subject, _COPULA_ZH, "zh"))
        yield from states or _read_described_chinese(rest, subject)
        return
    if match["rel"] and (called := _CALLED_ZH.match(rest)):
        rest = rest[called.end() :]
        is_one = load_relations().get(match["rel"], "") in _ONE_OF_A_KIND
        subject = subject if is_one else _get_person_name(match["rel"], called["name"])
    yield from _read_described_chinese(rest, subject)


def _read_described_chinese(rest: str, subject: str) -> Iterator[State]:
    if subject and has_died_in_chinese(subject, rest):
        yield State(_build_key(subject, LIFE), "", "", subject, True)
        return
    bare = _ADVERBS_ZH.sub("", rest)
    match = _NOT_ZH.match(bare)
    if match:
        yield from _read_described(_ADVERBS_ZH.sub("", bare[match.end() :]), subject, True, "zh")
        return
    yield from _read_described(bare, subject, bool(_LAST_NOT_ZH.match(bare)), "zh")


def _get_person_name(relation: str, name: str) -> str:
    known = load_relations().get(relation.lower(), "")
    return f"{known} {name.lower()}" if known and name else known


def _read_possession(rest: str, subject: str, copula: re.Pattern[str], language: str) -> Iterator[State]:
    """ "The user's birthday is 4 May": the noun names the slot."""
    match = copula.match(rest)
    if match is None:
        return
    noun = re.sub(r"^(?:new|current|main|present|own) ", "", match["noun"])
    for slot in load_slots():
        if slot.name in find_slots_named(noun):
            value = find_bounded_value(slot.value, match["rest"], language)
            if value:
                yield from _build_states(slot, value, "", subject, False, language)


def _read_described(rest: str, subject: str, is_denied: bool, language: str) -> Iterator[State]:
    if subject and language == "en" and has_died_in_english(rest):
        yield State(_build_key(subject, LIFE), "", "", subject, True)
        return
    if is_animal_gone(subject, rest):
        yield State(f"pet:{subject}", "", get_slot_title("pet", language), "", True)
        return
    if subject in ANIMALS and (named := _CALLED.match(rest)):
        name = named["value"] or named["zh"]
        yield State(f"pet:{name.lower()}", name, get_slot_title("pet", language), "", is_denied)
    if subject in _ONE_OF_A_KIND and (named := _CALLED.match(rest)) and not _NO_NAME.match(rest):
        yield _build_relation(subject, named["value"] or named["zh"], is_denied, language)
    for slot in load_slots():
        for patterns, is_end in ((slot.ends[language], True), (slot.begins[language], is_denied)):
            match = next((first_match for pattern in patterns if (first_match := pattern.match(rest))), None)
            if match is None:
                continue
            groups = match.groupdict()
            has_value = "value" in groups
            raw = (groups["value"] or "") if has_value else rest[match.end() :]
            # What a pattern names is bounded by it, but for places and names that end where their capitals do.
            is_bounded = has_value and language == "en" and slot.value not in {"place", "org", "list"}
            value = raw if is_bounded or not raw else find_bounded_value(slot.value, raw, language)
            if value or is_end or groups.get("kind"):
                yield from _build_states(slot, value, groups.get("kind") or "", subject, is_end, language)
            break


def _build_states(
    slot: Slot, value: str, kind: str, subject: str, is_end: bool, language: str
) -> Iterator[State]:
    title = slot.titles[language == "zh"] if not subject else ""
    if not slot.is_many:
        yield State(_build_key(subject, slot.name), value, title, subject, is_end)
        return
    if slot.value == "pet":
        key = f"pet:{value.lower()}" if value else build_slot("pet", kind)
        yield State(_build_key(subject, key), value or kind, title, subject, is_end)
        return
    items = list_items(value)
    keys = sorted({key.partition(":")[2] for item in items if (key := build_slot(slot.name, item))})
    if keys:
        yield State(
            _build_key(subject, f"{slot.name}:{'+'.join(keys)}"), ", ".join(items), title, subject, is_end
        )


def _build_key(subject: str, slot: str) -> str:
    return f"{subject}:{slot}" if subject else slot
