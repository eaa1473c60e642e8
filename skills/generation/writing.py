"""Groups of alike episodes become skills, or new versions of theirs, or are given up; in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from uuid import UUID

from memories.models import MemCube
from skills.catalogue.search_memory import recall_text
from skills.catalogue.write import PATH, Changes, NewSkill, create_skill, delete_skill, revise_skill
from skills.generation.compose import BY as RULES
from skills.generation.compose import compose_skill
from skills.generation.episode_weight import ENOUGH, compute_confidence, suffice_for_skill
from skills.generation.evidence import Memories, find_remembered_episodes, write_evidence
from skills.generation.sections import apply_to_edited
from skills.generation.similar_episodes import find_group
from skills.models import Episode, Skill, SkillFile, SkillVersion
from skills.packages.files import NewFile, list_skill_files
from skills.packages.ownership import Place
from skills.packages.skill_md import SkillText, parse_skill_md, write_skill_md
from skills.reading.findings import Known, Method, Order
from skills.values import Origin, SkillState

ACTOR = "grower"
MOST_SKILLS = 40
# In the skill's own `meta`: what it was last made of.
MARK = "grown_from"
NOTHING: dict[str, Any] = {"name": "", "description": ""}


class Wanting(Exception):
    """What must be made outside of the transaction first: vectors of texts, and skills that a model writes."""

    def __init__(self, texts: Sequence[str] = (), orders: Sequence[Order] = ()) -> None:
        super().__init__("to be made outside of the transaction")
        self.texts, self.orders = texts, orders


@dataclass(slots=True)
class Made:
    """What was made outside of transactions: vectors by their text, skills by what they were made of."""

    vectors: dict[str, list[float]] = field(default_factory=dict)
    methods: dict[str, Method | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Growing:
    """`may_begin`: new skills are made, and are active at once where `is_approved`. `asks_model`: a model writes
    what the rules would; when it `is_late`, what no model has written yet is left as it is."""

    cube: MemCube
    memories: Memories
    made: Made
    may_begin: bool
    is_approved: bool
    asks_model: bool
    is_late: bool


@dataclass(slots=True)
class Group:
    """Alike episodes. `stated` is what the skill is written from: these, and memories that matter to such tasks."""

    skill: Skill | None
    episodes: list[Known]
    stated: list[Known] = field(default_factory=list)


@dataclass(slots=True)
class Grown:
    """Ids of the skills that were made, changed and given up; `is_unfinished` when others are left to the next run."""

    created: list[UUID] = field(default_factory=list)
    changed: list[UUID] = field(default_factory=list)
    deleted: list[UUID] = field(default_factory=list)
    by: set[str] = field(default_factory=set)
    is_unfinished: bool = False

    @classmethod
    def read(cls, result: dict[str, Any]) -> Grown:
        """What earlier runs of a task have done."""
        created, changed, deleted = (
            list(map(UUID, result.get(name, ()))) for name in ("created", "changed", "deleted")
        )
        return cls(created, changed, deleted, set(result.get("written_by", ())))

    def as_result(self) -> dict[str, Any]:
        stated = {
            name: [str(key) for key in getattr(self, name)] for name in ("created", "changed", "deleted")
        }
        return stated | {"written_by": sorted(self.by)}


def group_episodes(cube: MemCube, known: Sequence[Known]) -> list[Group]:
    """Each episode with the skill it is part of, or with those that it is like."""
    rows = Skill.objects.within(cube.account_id).filter(cube=cube, origin=Origin.GENERATED)
    held = rows.select_for_update(of=("self",), no_key=True).select_related("cube", "memory")
    skills = {skill.pk: skill for skill in held.order_by("created_at")}
    groups = [
        Group(skill, [episode for episode in known if episode.skill == key]) for key, skill in skills.items()
    ]
    # What was put away, or merged into another, takes new ones only where nothing else does.
    groups.sort(key=lambda group: group.skill is not None and group.skill.state == SkillState.ARCHIVED)
    for episode in known:
        if episode.skill in skills:
            continue
        place = find_group(episode, [group.episodes for group in groups])
        if place is None:
            groups.append(Group(None, [episode]))
        else:
            groups[place].episodes.append(episode)
    for group in groups:
        group.episodes.sort(key=lambda episode: episode.at)
    return groups


def write_groups(growing: Growing, groups: Sequence[Group], purged: frozenset[UUID], grown: Grown) -> None:
    """Raises `Wanting` before anything that it would take is half done: the caller's transaction is to be undone."""
    taken = {group.skill.title: group for group in groups if group.skill is not None}
    space_left = MOST_SKILLS - len(taken) if growing.may_begin else 0
    for group in groups:
        group.stated = _with_memories(growing, group.episodes)
        names = [title for title, owner in taken.items() if owner is not group]
        try:
            if group.skill is not None:
                _go_on(growing, group, group.skill, names, grown, is_purged=group.skill.pk in purged)
            elif space_left > 0 and suffice_for_skill(group.episodes):
                skill = _begin(growing, group, names, grown)
                if skill is not None:
                    taken[skill.title] = group
                    space_left -= 1
        except Wanting as wanting:
            if not (growing.is_late and wanting.orders):
                raise
            grown.is_unfinished = True


def _with_memories(growing: Growing, episodes: Sequence[Known]) -> list[Known]:
    if not episodes:
        return []
    more = find_remembered_episodes(growing.cube, episodes, growing.memories)
    return sorted([*episodes, *more], key=lambda episode: episode.at)


def _begin(growing: Growing, group: Group, taken: Sequence[str], grown: Grown) -> Skill | None:
    """None where nothing comes of it that a stranger could follow."""
    method = _get_method(growing, group.stated, taken, "")
    if method is None:
        return None
    text = write_skill_md(method.value, method.language)
    read = parse_skill_md(text)
    new = NewSkill(
        Place.of_cube(growing.cube),
        read,
        [NewFile.of_text(PATH, text)],
        Origin.GENERATED,
        ACTOR,
        _describe_reason(group.episodes, method),
        state=SkillState.ACTIVE if growing.is_approved else SkillState.DRAFT,
        language=method.language,
        confidence=compute_confidence(group.episodes),
        meta={MARK: compute_fingerprint(group.stated)},
    )
    skill = create_skill(new, _get_vector(growing.made, read))
    _settle(growing, group, skill)
    grown.created.append(skill.pk)
    grown.by.add(method.by)
    return skill


def _go_on(
    growing: Growing, group: Group, skill: Skill, taken: Sequence[str], grown: Grown, *, is_purged: bool
) -> None:
    if sum(episode.weight for episode in group.episodes) < ENOUGH:
        delete_skill(skill, may_grow_again=True)
        grown.deleted.append(skill.pk)
        return
    if skill.state != SkillState.ARCHIVED or is_purged:
        skill = _revise_skill(growing, group, skill, taken, grown)
    _settle(growing, group, skill)
    if is_purged:
        delete_history(skill)


def _revise_skill(growing: Growing, group: Group, skill: Skill, taken: Sequence[str], grown: Grown) -> Skill:
    """What a person has written into it meanwhile stays."""
    mark = compute_fingerprint(group.stated)
    if (skill.meta or {}).get(MARK) == mark:
        return skill
    method = _get_method(growing, group.stated, taken, skill.title)
    if method is None:  # what is left of it could not be followed: what there is stays
        return skill
    before, value = _load_last_grown_value(skill), method.value
    if before != skill.value:
        value = apply_to_edited(skill.value, before or NOTHING, method.value, method.language)
    if value != skill.value:
        skill = _write_next_version(growing, group, skill, replace(method, value=value))
        grown.changed.append(skill.pk)
        grown.by.add(method.by)
    skill.meta = (skill.meta or {}) | {MARK: mark}
    skill.save(update_fields=["meta"])
    return skill


def _write_next_version(growing: Growing, group: Group, skill: Skill, method: Method) -> Skill:
    text = write_skill_md(method.value, method.language)
    read = parse_skill_md(text)
    path = list_skill_files(skill).filter(path__iexact=PATH).values_list("path", flat=True).first() or PATH
    changes = Changes(texts={path: text}, confidence=compute_confidence(group.episodes))
    vector = _get_vector(growing.made, read) if recall_text(read) != recall_text(skill) else None
    reason = _describe_reason(group.episodes, method)
    revised = revise_skill(skill, changes, actor=ACTOR, reason=reason, vector=vector)
    if revised.language != method.language:
        revised.language = method.language
        revised.save(update_fields=["language"])
    return revised


def _load_last_grown_value(skill: Skill) -> dict[str, Any] | None:
    """What the skill said when it had last grown; None when that version is not kept."""
    versions = SkillVersion.objects.within(skill.account_id).filter(skill=skill, actor=ACTOR)
    number = versions.order_by("-number").values_list("number", flat=True).first()
    file = list_skill_files(skill, number).filter(path__iexact=PATH).first() if number else None
    if file is None or file.text is None:
        return None
    return parse_skill_md(file.text).value


def compute_fingerprint(episodes: Sequence[Known]) -> str:
    """The same as long as the episodes say the same; by their places, for a row that was undone gets another id."""
    stated = [
        (
            str(episode.conversation or episode.key),
            episode.reading.first,
            episode.reading.request,
            *(each.digest for each in episode.reading.findings),
        )
        for episode in episodes
    ]
    return sha256(repr(stated).encode()).hexdigest()[:16]


def _get_method(
    growing: Growing, episodes: Sequence[Known], taken: Sequence[str], title: str
) -> Method | None:
    """As a model wrote it, where one is asked; else by the rules. None where it passes no gate."""
    if not growing.asks_model:
        return compose_skill(episodes, taken)
    mark = compute_fingerprint(episodes)
    if mark not in growing.made.methods:
        raise Wanting(orders=[Order(mark, episodes, taken, title)])
    return growing.made.methods[mark]


def _get_vector(made: Made, read: SkillText) -> list[float]:
    text = recall_text(read)
    if text not in made.vectors:
        raise Wanting(texts=[text])
    return made.vectors[text]


def _settle(growing: Growing, group: Group, skill: Skill) -> None:
    """Which episodes are part of the skill, what it rests on, and how sure that makes it."""
    rows = Episode.objects.within(growing.cube.project_id).filter(
        pk__in=[episode.key for episode in group.episodes]
    )
    rows.exclude(skill=skill).update(skill=skill)
    write_evidence(skill, group.stated, growing.memories)
    confidence = compute_confidence(group.episodes)
    if skill.confidence != confidence:
        skill.confidence = confidence
        skill.save(update_fields=["confidence"])
        if skill.memory is not None:
            skill.memory.confidence = confidence
            skill.memory.save(update_fields=["confidence"])


def _describe_reason(episodes: Sequence[Known], method: Method) -> str:
    count = len({episode.conversation for episode in episodes})
    stated = "grown from a conversation" if count == 1 else f"grown from {count} conversations"
    return stated if method.by == RULES else f"{stated} by {method.by}"


def delete_history(skill: Skill) -> None:
    """Its old versions say what was deleted: they go."""
    files = SkillFile.objects.within(skill.account_id).filter(skill=skill)
    files.filter(until__lt=skill.version).delete()
    SkillVersion.objects.within(skill.account_id).filter(skill=skill, number__lt=skill.version).delete()
