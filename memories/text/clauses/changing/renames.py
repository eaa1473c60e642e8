"""New names of what an earlier statement names: "We renamed the cat Biscuit", 店名改成巷口小馆了."""

from __future__ import annotations

import re

from memories.text.clauses.wording import is_one_stem
from memories.text.words.tokenize import extract_keywords
from memories.text.zh.third_person import KIN

_KIND = r"(?P<kind>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_NAME = r"(?P<name>[A-Z][\w'&-]*(?: (?:and|of|the|on|for|&|[A-Z0-9][\w'&-]*))*)"
_BY_USER = (
    r"^(?:The user(?: and (?:others|their [\w-]+|[A-Z]\w+))?|They) (?:has |have |just |finally |recently )*"
)
_RENAMED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_BY_USER}(?:renamed|rechristened) (?:the|their|her|his) {_KIND} (?:to |as )?{_NAME}",
        rf"{_BY_USER}changed (?:the|their|her|his) {_KIND}'s name to {_NAME}",
        rf"{_BY_USER}changed the name of (?:the|their) {_KIND} to {_NAME}",
        rf"^(?:The user's|The|Their) {_KIND} (?:was|has been|have been|got|is) renamed (?:to |as )?{_NAME}",
        (
            rf"^(?:The user's|The|Their) {_KIND} (?:is|are|is known as) (?P<now>now )?(?:called"
            rf"|named) {_NAME}(?P<now2> now| these days)?"
        ),
        rf"^(?:The user's|The|Their) {_KIND}'s (?:new )?name is (?P<now>now )?{_NAME}(?P<now2> now)?",
    )
)
_NAMED = re.compile(
    r"""
    \b(?:called|named|name\ is|known\ as)(?:\ (?:him|her|it|them|(?:the|their)\ [a-z]+))?\ (?P<old>
        [A-Z][\w'&-]*(?:\ (?:and|of|the|on|for|&|[A-Z0-9][\w'&-]*))*
    )
    """,
    re.VERBOSE,
)
_HAN = "[\u4e00-\u9fff]"
_ADDRESS_ZH = re.compile(f"(?:{KIN})[妈爸哥姐弟妹爷奶叔舅姨姑]?")
_RENAMED_ZH = (
    re.compile(
        rf"(?:给|把)(?P<kind>{_HAN}{{1,6}}?)(?:的?名字)?(?:重新)?(?:改名?|换名?|改名字)(?:叫|成|为"
        rf"|叫做)了?(?P<name>[\w·]{{1,10}}?)了?(?=$|[，。；（])"
    ),
    re.compile(
        rf"(?P<kind>{_HAN}{{1,6}}?)(?:的?名字?|名)?(?:已经|都)?(?:改名?|换名?)(?:叫|成|为"
        rf"|叫做)了?(?P<name>[\w·]{{1,10}}?)了?(?=$|[，。；（])"
    ),
    re.compile(
        rf"(?P<kind>{_HAN}{{1,6}}?)(?:现在|如今|以后)(?:改)?叫(?P<name>[\w·]{{1,10}}?)了?(?=$|[，。；（])"
    ),
)
_NAMED_ZH = re.compile("(?:名字?|取名|起名)?叫做?(?P<old>[\\w·]{1,10}?)(?=$|[，。；（])")
# Animals change their kind's name as they grow.
_YOUNG = {"kitten": "cat", "puppy": "dog", "pup": "dog", "foal": "horse", "pony": "horse"}
_OTHERS_ZH = re.compile("邻居|同事|朋友|人家|别人|他们")
_PLANNED_ZH = re.compile("想|打算|准备|要不|如果|可能|考虑")


def find_new_name(new: str, old: str) -> tuple[str, str] | None:
    """The name in the old statement and the one that the new statement gives the same thing; both without marks of
    quotation."""
    if not new.isascii() and re.search(_HAN, new):
        return _find_chinese_name(new, old)
    statement = new.strip(" .!")
    match = next((first_match for pattern in _RENAMED if (first_match := pattern.match(statement))), None)
    if match is None or ("now" in match.groupdict() and not (match["now"] or match["now2"])):
        return None
    named = [mention for mention in _NAMED.finditer(old) if mention["old"] != match["name"]]
    is_of_it = named and _names_kind(match["kind"], old[: named[0].start()] or old)
    return (named[0]["old"], match["name"]) if is_of_it and len(named) == 1 else None


def _names_kind(kind: str, text: str) -> bool:
    head = kind.split()[-1]
    stems, words = extract_keywords(head), re.findall("[a-z]+", text.lower())
    return any(
        _YOUNG.get(word, word) == _YOUNG.get(head, head)
        or any(
            stem == other or is_one_stem(stem, other) for stem in stems for other in extract_keywords(word)
        )
        for word in words
    )


# 记账从随手记换成了钱迹: what stands behind a verb of using, eating, driving and the like is another from now on.
_SWAPPED_ZH = re.compile(
    r"""
    (?:从|把|由|将)(?P<old>[\w·]{2,10}?)(?:全部|全|都|统一)?(?:换|改|转|迁移?|移|切换?)(?:成|到|为|用)了?
    (?P<name>[\w·]{2,12}?)了?(?=$|[，。；（])
    """,
    re.VERBOSE,
)
_USED_ZH = "(?:用|骑|开|坐|吃|喝|穿|养|存|放|记|写|看|听|学|玩|打|抽|买|订|练|戴|刷)(?:的是|着|了|的|在|到)?"


def _find_swapped_name(new: str, old: str) -> tuple[str, str] | None:
    swapped = _SWAPPED_ZH.search(new)
    if swapped is None or old.count(swapped["old"]) != 1:
        return None
    is_used = re.search(rf"{_USED_ZH}{re.escape(swapped['old'])}(?=$|[，。；的]|{_HAN})", old) is not None
    return (swapped["old"], swapped["name"]) if is_used else None


# 现在叫赵知微 of who was 赵雨桐: with another surname or as a nickname it is said that it is a new name.
_PERSON_ZH = re.compile(
    rf"^(?P<who>用户(?:的{_HAN}{{1,4}}?)?)(?:的?名字)?(?:现在|如今|已经|正式|都)*(?P<says>改名|换名|改"
    rf"|换)?(?:现在)?(?:叫做?|成|为)了?(?P<name>{_HAN}{{2,4}}?)了?(?=$|[，。；（])"
)
_CALLED_ZH = re.compile(rf"^(?P<who>用户(?:的{_HAN}{{1,4}}?)?)叫(?P<name>{_HAN}{{2,4}})(?=$|[，。])")


def _find_name_of_person(new: str, old: str) -> tuple[str, str] | None:
    called, named = _PERSON_ZH.match(new), _CALLED_ZH.match(old)
    if called is None or named is None or called["who"] != named["who"] or called["name"] == named["name"]:
        return None
    is_sure = bool(called["says"]) or "改名" in new or called["name"][0] == named["name"][0]
    return (named["name"], called["name"]) if is_sure else None


def _find_chinese_name(new: str, old: str) -> tuple[str, str] | None:
    if _OTHERS_ZH.search(new) or _PLANNED_ZH.search(new):
        return None
    if names := _find_name_of_person(new, old) or _find_swapped_name(new, old):
        return names
    match = next((first_match for pattern in _RENAMED_ZH if (first_match := pattern.search(new))), None)
    named = list(_NAMED_ZH.finditer(old))
    # 女儿现在叫妈妈了
    is_address = match is not None and _ADDRESS_ZH.fullmatch(match["name"]) is not None
    if match is None or is_address or len(named) != 1 or named[0]["old"] == match["name"]:
        return None
    kind = re.sub("^(?:用户(?:等人|家)?的?|我们?的?|咱们?的?)", "", match["kind"]).removesuffix("名")
    before = old[: named[0].start()]
    is_of_it = bool(kind) and (kind in before or kind[-1] in before)
    return (named[0]["old"], match["name"]) if is_of_it else None
