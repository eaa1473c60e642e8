"""Who "it", "he" and 它 are: a memory stands alone, without the sentence before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.text.en.case import fold_case
from memories.text.slots.claim import Claim
from memories.text.slots.vocabulary import PETS

_WOMEN = (
    "wife|girlfriend|fianc[eé]e|daughter|mother|mom|mum|sister|aunt|niece|grandmother|grandma|stepmother"
    "|mother-in-law|sister-in-law"
)
_MEN = (
    "husband|boyfriend|fianc[eé]|son|father|dad|brother|uncle|nephew|grandfather|grandpa|stepfather"
    "|father-in-law|brother-in-law"
)
_ANYONE = (
    "partner|spouse|friend|best friend|boss|manager|colleague|coworker|co-worker|roommate|flatmate"
    "|neighbou?r|teacher|doctor|therapist|coach|cousin"
    "|baby|toddler|child|kid|landlord|client|mentor|professor|supervisor|dentist|vet|nanny|tutor|lawyer"
    "|accountant"
)
_MANY = (
    "parents|kids|children|twins|sons|daughters|friends|colleagues|neighbou?rs|grandparents|siblings"
    "|brothers|sisters|in-laws|cousins|students|roommates"
)
_SUBJECT = re.compile(
    rf"^(?:both (?:of )?)?(?:my|our) (?:(?!and\b|favou?rite\b|preferred\b)[\w'-]+ "
    rf"){{0,2}}?(?P<kin>{_MANY}|{_WOMEN}|{_MEN}|{_ANYONE}|{PETS})\b(?: (?-i:[A-Z])[\w'-]+)?(?! and (?:I"
    rf"|me)\b)(?!'s)",
    re.IGNORECASE,
)
_PET = re.compile(
    rf"\b(?:have|own|got|adopted|bought|keep) (?:an?|my|our|one|two|three"
    rf"|\d) (?P<animal>(?:[\w-]+ ){{0,3}}?(?P<kind>{PETS}))\b(?:,? (?:named"
    rf"|called) (?P<name>(?-i:[A-Z])[\w'-]*))?",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"""
    ^(?P<pronoun>it|he|she|they|his|her|its|their)(?=
        \ (?!is\ (?:raining|snowing|cold|hot|sunny|late|hard|true|important|nice)\b)[a-z]
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PET_ZH = re.compile(
    r"""
    我们?家?(?:养|领养|收养|买|有)了?(?:[一两三]?[只条个头匹])?[^，。]{0,8}?(?P<animal>
        狗 | 猫 | 仓鼠 | 兔子 | 鹦鹉 | 乌龟 | 金毛 | 柯基 | 泰迪 | 柴犬 | 布偶猫 | 橘猫
    )
    """,
    re.VERBOSE,
)
_LEADING_ZH = re.compile("^它们?(?=[^们])")
_OBJECT_KIN = re.compile(
    rf"\b(?:with|to|from|for|about|at|saw|met|told|visited|called) (?P<who>my (?P<kin>{_WOMEN}"
    rf"|{_MEN})\b(?: (?-i:[A-Z])[\w'-]+)?)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"""
    ^(?:I|we)\ (?:have|had|booked|scheduled|made)\ (?:an?\ |my\ |our\ |the\ )(?:[\w'-]+\ ){0,2}?(?P<event>
        meeting | appointment | flight | interview | exam | reservation | booking | call | presentation
        | surgery | check-up
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_WHOM = {"his": "he", "her": "she", "its": "it", "their": "they"}
_POSSESSED = re.compile(r"^her \w+ (?:is|are|was|were|has|have|loves|likes)\b", re.IGNORECASE)
# What a claim leaves behind to be called "it".
_THINGS = {"vehicle": "my car", "device:computer": "my computer", "device:phone": "my phone"}

_OTHERS_EN = re.compile(
    rf"^(?:he|she|they|(?:my|our) (?:(?!favou?rite\b|preferred\b)[\w'-]+ ){{0,2}}?(?:{_MANY}|{_WOMEN}"
    rf"|{_MEN}|{_ANYONE}|{PETS})\b(?! and (?:I|me)\b))",
    re.IGNORECASE,
)
_KIN_ZH = (
    "妈妈?|爸爸?|母亲|父亲|父母|爸妈|哥哥?|姐姐?|弟弟?|妹妹?|爷爷|奶奶|外公|外婆|姥姥|姥爷|老婆|老公"
    "|妻子|丈夫|爱人|媳妇|女儿|儿子|孩子|宝宝|娃|朋友|闺蜜|同事|老板|领导|经理|上司|男朋友|女朋友|男友"
    "|女友"
    "|室友|同学|老师|邻居|叔叔|舅舅|姨|姑姑|表[哥姐弟妹]|堂[哥姐弟妹]|家人|亲戚|狗狗?|猫咪?|医生|教练"
)
_OTHERS_ZH = re.compile(
    rf"^(?:他|她|它|(?:我|我们|咱|咱们)(?:的|家)?(?:大|小|二|老)?(?:{_KIN_ZH})(?!和我|跟我)"
    rf"|(?:{_KIN_ZH})(?=说|让|叫|建议|告诉|觉得|想|要|喜欢|不))"
)


@dataclass(slots=True)
class Referents:
    """Whom and what the last sentences named; one for each conversation."""

    thing: str = ""
    he: str = ""
    she: str = ""
    they: str = ""
    thing_zh: str = ""

    def resolve(self, sentence: str, language: str) -> str:
        """The sentence with the name in the place of the pronoun that it begins with."""
        if language == "zh":
            return _LEADING_ZH.sub(self.thing_zh, sentence) if self.thing_zh else sentence
        match = _LEADING.match(sentence)
        pronoun = fold_case(match["pronoun"]) if match else ""
        known = self._get_called(_OF_WHOM.get(pronoun, pronoun)) if match else ""
        if not match or not known or (pronoun == "her" and not _POSSESSED.match(sentence)):
            return sentence
        owner = "'s" if pronoun in _OF_WHOM else ""
        return f"{known[0].upper()}{known[1:]}{owner}{sentence[match.end() :]}"

    def notice(self, sentence: str, language: str) -> None:
        if language == "zh":
            pet_zh = _PET_ZH.search(sentence)
            self.thing_zh = f"我的{pet_zh['animal']}" if pet_zh else self.thing_zh
            return
        if pet := _PET.search(sentence):
            self._note_pet(pet)
        elif match := _SUBJECT.match(sentence) or _OBJECT_KIN.search(sentence):
            self._note_person(match)
        elif event := _EVENT.match(sentence):
            self.thing = f"my {event['event'].lower()}"

    def notice_claim(self, claim: Claim) -> None:
        self.thing = _THINGS.get(claim.slot, self.thing)

    def _get_called(self, pronoun: str) -> str:
        return {"": "", "it": self.thing, "he": self.he, "she": self.she, "they": self.they}[pronoun]

    def _note_pet(self, match: re.Match[str]) -> None:
        animal = (
            f"my {match['name'] or match['kind'].lower()}"
            if not match["name"]
            else f"my {match['kind'].lower()} {match['name']}"
        )
        is_many = fold_case(match["kind"]).endswith("s") or fold_case(match["kind"]).endswith("ies")
        if is_many:
            self.they = animal
        else:
            self.thing = self.he = self.she = animal

    def _note_person(self, match: re.Match[str]) -> None:
        name = match.groupdict().get("who") or re.sub("^[Bb]oth (?:of )?", "", match.group())
        kin = fold_case(match["kin"])
        if re.fullmatch(_MANY, kin):
            self.they = name
        elif re.fullmatch(PETS, kin):
            self.thing = self.he = self.she = name
        else:
            self.he = "" if re.fullmatch(_WOMEN, kin) else name
            self.she = "" if re.fullmatch(_MEN, kin) else name


def is_about_others(clause: str, language: str) -> bool:
    """Return whether the clause has somebody else for its subject."""
    return bool((_OTHERS_ZH if language == "zh" else _OTHERS_EN).match(clause))


_DANGLING = re.compile(
    r"""
    ^(?:it|he|she|they|that|this|these|those)\b(?!
        \ (?:year|month|week|weekend|morning|summer|winter|time|is\ (?:my|our))\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OWN = re.compile(r"\b(?:I|me|my|we|us|our|mine)\b")
_OBJECT = re.compile(
    r"^(?:I|we) (?:\w+ ){1,2}(?:it|them|that|this|one|him|her)\b(?! (?:is|was|are|were|will|would|to)\b)",
    re.IGNORECASE,
)
_DANGLING_ZH = re.compile("^(?:它|他|她|这|那)(?![年月周天次里边])")


def is_dangling(sentence: str, language: str) -> bool:
    """Return whether a sentence alone does not tell what it is about."""
    if language == "zh":
        return bool(_DANGLING_ZH.match(sentence)) and "我" not in sentence
    if _OBJECT.match(sentence):
        return True
    return bool(_DANGLING.match(sentence)) and not _OWN.search(sentence)
