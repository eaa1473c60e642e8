"""Which Chinese memories end by a turn in somebody's life: 签证下来了 ends 在等签证.

生了个儿子 ends what is said of who is pregnant, 修好了 of what is broken, 上小学了 of who is at nursery.
Statements are in the third person, as the engine writes them. The person and the thing must be the
same by their words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.text.slots.registry import join_relation_words
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_HAN = "[\u4e00-\u9fff]"
_KIN = join_relation_words("zh")
_OTHERS = re.compile(f"{_KIN}|邻居|闺蜜|人家|别人|他们|大家|客户|亲戚|表[哥姐弟妹]|堂[哥姐弟妹]")
_WHO = re.compile(f"用户(?:等人|家)?的?(?P<kin>{_KIN})?")
# 用户的学生 and 用户的公司 are neither the user nor a relative.
_NAMES_PERSON = re.compile(f"用户(?:等人|家)?(?:的(?:{_KIN})|(?!的))")
_DATES = re.compile("（[^）]*）")
# Only thought of, or hoped for.
_UNCERTAIN = re.compile(
    "要是|如果|假如|万一|可能|也许|希望|打算|准备|想|快要|就要|听说|据说|差点|[吗吧？?]|等.{0,6}(?:了再|以后)"
)
# What is sought, awaited or prepared for, and not had.
_SEEKS = re.compile(
    rf"(?:在|正在|还在|一直)(?:找|等|办|申请|排队等|备考|准备考|考)(?P<what>{_HAN}{{2,5}}?)(?=$|[，。])"
    rf"|没有?(?P<what2>驾照|{_HAN}{{2,3}})(?=$|[，。])"
)
_FOUND = "(?:也|都|已经|终于)*(?:找到|下来|到手|批下来|办下来|考下来|拿到|办好|考完|考过|通过|买好|买|到)了"
_FOUND_BEFORE = "(?:找到|拿到|办好|考完|考过|考下|通过|买到|买|收到|有)了(?:一?[个套辆份台张只条])?"
# 还不会走路, 没打疫苗: what is not done yet.
_NOT_YET = re.compile(rf"还?(?:不会|不能|不肯|没有?)(?P<action>{_HAN}{{2,4}})(?=$|[，。])")
_NEVER_BEEN = re.compile(rf"(?:从来)?没有?去过(?P<place>{_HAN}{{2,6}})(?=$|[，。])")
_BROKEN = re.compile(rf"(?P<what>{_HAN}{{2,5}}?)(?:坏|漏水|堵|裂|卡)(?:了|住了)(?=$|[，。])")
_STANDS_AT = re.compile(
    rf"(?P<what>公司|单位|学校|(?:[花鞋书茶奶洗饭面水果宠物网理发眼镜服装早餐小]{{1,3}})?店|办公室|仓库"
    rf"|工作室|厂|工厂|诊所)在(?P<place>{_HAN}{{2,8}})(?=$|[，。])"
)
_ROLE = re.compile(rf"是(?P<role>{_HAN}{{2,8}})(?=$|[，。])")
_PROMOTED = re.compile(
    rf"(?:升|提)(?:为|成|到|了|上)?(?P<role>{_HAN}{{2,6}}?)了|(?:当上|转正成|升任"
    rf"|提拔为)了?(?P<role2>{_HAN}{{2,6}}?)(?:了|$|[，。])"
)
_SCHOOLS = ("托班", "幼儿园", "小学", "初中", "高中", "大学")
# What begins, and what is over by it, of one person.
_STAGES = tuple(
    (re.compile(_WORDS[begins]), re.compile(_WORDS[over]))
    for begins, over in (
        ("new_couples", "single_lives"),
        ("births", "pregnancies"),
        ("discharges", "hospital_stays"),
        ("graduations", "studies"),
        ("homes_of_ones_own", "shared_homes"),
        ("divorces", "marriages"),
        ("own_businesses", "shared_businesses"),
        ("new_jobs", "unemployment"),
        ("retirements", "work_before_retirement"),
        ("ends_of_service", "military_service"),
    )
)


def is_past_by_turn_in_chinese(new: str, old: str) -> bool:
    """Return whether a turn that the new statement tells of leaves the old one behind."""
    if any(mark in new + old for mark in "“”「」[") or _UNCERTAIN.search(new):
        return False
    new, old = (_DATES.sub("", text).replace("国中", "初中").replace("国小", "小学") for text in (new, old))
    if (own := _OWN_CLAUSE.search(new)) and _NAMES_USER.match(old) and _begins_stage(own["said"], old):
        return True
    if (alone := _LEFT_ALONE.match(new)) and _NAMES_USER.match(old) and _SHARED.search(old):
        return _begins_stage(alone["said"], old)
    if (who := _find_who(new)) is None or who != _find_who(old):
        return False
    if _is_found(new, old) or _is_mended_or_moved(new, old) or _is_managed(new, old):
        return True
    # Who is not named may be anybody: 奚昭毕业了 is nobody known as a relative.
    if not (_NAMES_PERSON.match(new) and _NAMES_PERSON.match(old)):
        return False
    return (
        _begins_stage(new, old)
        or _is_done_now(new, old)
        or _is_promoted(new, old)
        or _is_at_next_school(new, old)
    )


# 室友搬走了，用户现在一个人住: what is said of the user behind what is said of somebody else.
_OWN_CLAUSE = re.compile("[，。](?:现在|如今|后来|就剩?)?(?P<said>用户(?!的|等人|家)[^，。]*)")
# 室友搬走了，现在一个人住: who is left behind is the user, named or not.
_LEFT_ALONE = re.compile(
    "^(?:用户的)?(?:合租的)?(?:室友|舍友)[^，的他她]{0,6}?(?:搬走|搬出去|搬家|退租|离开|走)了，"
    "(?P<said>(?:现在|如今|目前|就剩下?|只剩下?|又|变成|用户){0,3}(?:一个人住|自己住|独居)[^，。]*)"
)
_SHARED = re.compile("合租|(?:室友|舍友)[^，。]{0,4}住")
_NAMES_USER = re.compile("用户(?!的|等人|家)")


def _begins_stage(new: str, old: str) -> bool:
    return any(begins.search(new) and over.search(old) for begins, over in _STAGES)


@lru_cache(maxsize=1_024)
def _find_who(text: str) -> str | None:
    """Whom it is about: the relation, "" for the user and what is theirs; None for anybody else."""
    if match := _WHO.match(text):
        behind = text[match.end() :].removeprefix("的")
        return None if _OTHERS.match(behind) else match["kin"] or ""
    return None if _OTHERS.match(text) or re.match(rf"[小老阿]{_HAN}", text) else ""


def _is_found(new: str, old: str) -> bool:
    match = _SEEKS.search(old)
    if match is None:
        return False
    what = match["what"] or match["what2"]
    owner = f"用户(?:的(?:{_KIN}))?的?"
    is_first = re.match(f"(?:{owner})?{what}{_FOUND}", new) is not None
    return is_first or re.match(f"{owner}{_HAN}{{0,6}}?{_FOUND_BEFORE}{what}", new) is not None


def _is_done_now(new: str, old: str) -> bool:
    if been := _NEVER_BEEN.search(old):
        return re.search(f"去(?:了一?|过)[趟次]?{been['place']}", new) is not None
    match = _NOT_YET.search(old)
    if match is None:
        return False
    verb, rest = match["action"][0], match["action"][1:]
    return re.search(f"(?<![不没]){verb}[完好过上到]?{rest}了", new) is not None


def _is_mended_or_moved(new: str, old: str) -> bool:
    if broken := _BROKEN.search(old):
        thing = broken["what"].removeprefix("用户的").removeprefix("用户")[-2:]
        return (
            re.match(
                f"(?:用户(?:的(?:{_KIN}))?的?)?{_HAN}{{0,3}}?{thing}(?:也|都|已经|终于|总算)*(?:修好|换新|弄好|通)了",
                new,
            )
            is not None
        )
    stands = _STANDS_AT.search(old)
    if stands is None:
        return False
    moved = re.match(
        f"(?:用户(?:等人)?的?)?{stands['what']}(?:已经|都|刚)?搬(?:到|去"
        f"|至)了?(?P<place>{_HAN}{{2,8}}?)(?:去)?了?(?=$|[，。])",
        new,
    )
    return moved is not None and moved["place"] not in stands["place"]


# 左腿还不能弯, and 科目二挂了两次: what is not possible, and what was failed.
_CANNOT = re.compile(
    rf"(?:^|，)(?:用户(?:的(?:{_KIN}))?的?)?(?P<what>{_HAN}{{2,5}}?)(?:还|都|一直|现在"
    rf"|暂时)*不(?P<can>能|会|敢|肯|让)(?P<action>{_HAN}{{1,4}})(?=$|[，。])"
)
_UNABLE = re.compile(
    rf"(?:^|，)(?:用户(?:的(?:{_KIN}))?的?)?(?P<what>{_HAN}{{2,5}}?)(?:还|都|一直|现在"
    rf"|已经)*(?P<verb>{_HAN})不(?P<end>[见清到着动开起下])了?(?=$|[，。])"
)
_FAILED = re.compile(
    rf"(?:^|，)(?:用户(?:的(?:{_KIN}))?的?)?(?P<what>{_HAN}{{2,5}}?)(?:又|还|都|一直|考试)*(?:挂了|没过"
    rf"|没考过|没通过|不及格|没考)"
)


def _is_managed(new: str, old: str) -> bool:
    """Return whether what could not be done, or was failed, is done now, called by the same words."""
    begins = f"(?:^|，)(?:用户(?:的(?:{_KIN}))?的?)?"
    if cannot := _CANNOT.search(old):
        now = f"{begins}{cannot['what']}(?:终于|现在|又|已经|也|都)*{cannot['can']}{cannot['action']}了(?=$|[，。])"
        return re.search(now, new) is not None
    if unable := _UNABLE.search(old):
        now = f"{begins}{unable['what']}(?:终于|现在|又|已经|也|都)*能{unable['verb']}{unable['end']}了(?=$|[，。])"
        return re.search(now, new) is not None
    if failed := _FAILED.search(old):
        now = f"{begins}{failed['what']}(?:终于|总算|补考|这次|也|都|已经|考|一次)*(?:过|通过|拿下)了(?=$|[，。])"
        return re.search(now, new) is not None
    return False


def _is_promoted(new: str, old: str) -> bool:
    promoted, held = _PROMOTED.search(new), _ROLE.search(old)
    if promoted is None or held is None:
        return False
    role = promoted["role"] or promoted["role2"]
    # 店长 after 副店长: one ladder, whose rungs end alike.
    return role != held["role"] and role[-1] == held["role"][-1]


def _is_at_next_school(new: str, old: str) -> bool:
    held = [at for at, school in enumerate(_SCHOOLS) if re.search(f"[上读在念]{_HAN}{{0,3}}?{school}", old)]
    begun = [at for at, school in enumerate(_SCHOOLS) if re.search(f"[上读升念]{school}了", new)]
    return bool(held and begun) and max(begun) > max(held)
