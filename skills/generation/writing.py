"""Write a skill, or its next version, for each group of similar episodes; all in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from uuid import UUID

from memories.models import MemCube
from skills.catalogue.search_memory import recall_text
from skills.catalogue.write import PATH, NewSkill, SkillChanges, create_skill, delete_skill, revise_skill
from skills.generation.compose import BY as RULES
from skills.generation.compose import compose_skill
from skills.generation.episode_weight import ENOUGH, compute_confidence, suffice_for_skill
from skills.generation.evidence import Memories, find_remembered_episodes, write_evidence
from skills.generation.sections import apply_to_edited
from skills.generation.similar_episodes import find_group
from skills.models import Episode, Skill, SkillFile, SkillVersion
from skills.packages.files import NewFile, list_skill_files
from skills.packages.ownership import SkillOwner
from skills.packages.skill_md import SkillText, parse_skill_md, write_skill_md
from skills.reading.findings import Known, Method, SkillRequest
from skills.values import SkillOrigin, SkillState

# Stored with every version, so it keeps its name.
ACTOR = "grower"
MOST_SKILLS = 40
# In the skill's own `meta`: what it was last made of.
MARK = "grown_from"
NOTHING: dict[str, Any] = {"name": "", "description": ""}


class InputsMissing(Exception):
    """Vectors or model-written skills are missing, which must be made outside of the transaction first."""

    def __init__(self, texts: Sequence[str] = (), orders: Sequence[SkillRequest] = ()) -> None:
        super().__init__("to be made outside of the transaction")
        self.texts, self.orders = texts, orders


@dataclass(slots=True)
class PreparedInputs:
    """Inputs made outside of transactions: vectors by text, methods by the fingerprint of their episodes."""

    vectors: dict[str, list[float]] = field(default_factory=dict)
    methods: dict[str, Method | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WritingContext:
    """The cube that is written to, and the settings that apply.

    `may_begin`: new skills may be created; with `is_approved` they are active at once. `asks_model`: a model writes in
    place of the rules; when it `is_late`, what no model has written yet is left as it is.
    """

    cube: MemCube
    memories: Memories
    prepared: PreparedInputs
    may_begin: bool
    is_approved: bool
    asks_model: bool
    is_late: bool


@dataclass(slots=True)
class EpisodeGroup:
    """Similar episodes and their skill. `stated` is what it is written from: these, and memories about such tasks."""

    skill: Skill | None
    episodes: list[Known]
    stated: list[Known] = field(default_factory=list)


@dataclass(slots=True)
class WrittenSkills:
    """Ids of the skills that were created, changed and deleted; `is_unfinished` when some are left to the next run."""

    created: list[UUID] = field(default_factory=list)
    changed: list[UUID] = field(default_factory=list)
    deleted: list[UUID] = field(default_factory=list)
    by: set[str] = field(default_factory=set)
    is_unfinished: bool = False

    @classmethod
    def read(cls, result: dict[str, Any]) -> WrittenSkills:
        """Read what earlier runs of the task have written from its result."""
        created, changed, deleted = (
            list(map(UUID, result.get(name, ()))) for name in ("created", "changed", "deleted")
        )
        return cls(created, changed, deleted, set(result.get("written_by", ())))

    def as_result(self) -> dict[str, Any]:
        stated = {
            name: [str(key) for key in getattr(self, name)] for name in ("created", "changed", "deleted")
        }
        return stated | {"written_by": sorted(self.by)}


def group_episodes(cube: MemCube, known: Sequence[Known]) -> list[EpisodeGroup]:
    """Group each episode with the skill it is part of, or with similar ones; locks the skills."""
    rows = Skill.objects.within(cube.account_id).filter(cube=cube, origin=SkillOrigin.GENERATED)
    held = rows.select_for_update(of=("self",), no_key=True).select_related("cube", "memory")
    skills = {skill.pk: skill for skill in held.order_by("created_at")}
    groups = [
        EpisodeGroup(skill, [episode for episode in known if episode.skill == key])
        for key, skill in skills.items()
    ]
    # What was put away, or merged into another, takes new ones only where nothing else does.
    groups.sort(key=lambda group: group.skill is not None and group.skill.state == SkillState.ARCHIVED)
    for episode in known:
        if episode.skill in skills:
            continue
        place = find_group(episode, [group.episodes for group in groups])
        if place is None:
            groups.append(EpisodeGroup(None, [episode]))
        else:
            groups[place].episodes.append(episode)
    for group in groups:
        group.episodes.sort(key=lambda episode: episode.at)
    return groups


def write_groups(
    context: WritingContext, groups: Sequence[EpisodeGroup], purged: frozenset[UUID], written: WrittenSkills
) -> None:
    """Create, revise or delete the skill of each group.

    On `InputsMissing` the caller rolls its transaction back: skills may have been written already.
    """
    taken = {group.skill.title: group for group in groups if group.skill is not None}
    space_left = MOST_SKILLS - len(taken) if context.may_begin else 0
    for group in groups:
        group.stated = _with_memories(context, group.episodes)
        names = [title for title, owner in taken.items() if owner is not group]
        try:
            if group.skill is not None:
                _update_skill(context, group, group.skill, names, written, is_purged=group.skill.pk in purged)
            elif space_left > 0 and suffice_for_skill(group.episodes):
                skill = _create_skill(context, group, names, written)
                if skill is not None:
                    taken[skill.title] = group
                    space_left -= 1
        except InputsMissing as missing:
            if not (context.is_late and missing.orders):
                raise
            written.is_unfinished = True


def _with_memories(context: WritingContext, episodes: Sequence[Known]) -> list[Known]:
    if not episodes:
        return []
    more = find_remembered_episodes(context.cube, episodes, context.memories)
    return sorted([*episodes, *more], key=lambda episode: episode.at)


def _create_skill(
    context: WritingContext, group: EpisodeGroup, taken: Sequence[str], written: WrittenSkills
) -> Skill | None:
    """Create the skill of a group; None where its episodes make no method that passes the quality gate."""
    method = _get_method(context, group.stated, taken, "")
    if method is None:
        return None
    text = write_skill_md(method.value, method.language)
    read = parse_skill_md(text)
    new = NewSkill(
        SkillOwner.of_cube(context.cube),
        read,
        [NewFile.of_text(PATH, text)],
        SkillOrigin.GENERATED,
        ACTOR,
        _describe_reason(group.episodes, method),
        state=SkillState.ACTIVE if context.is_approved else SkillState.DRAFT,
        language=method.language,
        confidence=compute_confidence(group.episodes),
        meta={MARK: compute_fingerprint(group.stated)},
    )
    skill = create_skill(new, _get_vector(context.prepared, read))
    _link_episodes(context, group, skill)
    written.created.append(skill.pk)
    written.by.add(method.by)
    return skill


def _update_skill(
    context: WritingContext,
    group: EpisodeGroup,
    skill: Skill,
    taken: Sequence[str],
    written: WrittenSkills,
    *,
    is_purged: bool,
) -> None:
    if sum(episode.weight for episode in group.episodes) < ENOUGH:
        delete_skill(skill, may_regenerate=True)
        written.deleted.append(skill.pk)
        return
    if skill.state != SkillState.ARCHIVED or is_purged:
        skill = _revise_skill(context, group, skill, taken, written)
    _link_episodes(context, group, skill)
    if is_purged:
        delete_history(skill)


def _revise_skill(
    context: WritingContext, group: EpisodeGroup, skill: Skill, taken: Sequence[str], written: WrittenSkills
) -> Skill:
    """Write the skill anew from its episodes, merged with what people edited."""
    mark = compute_fingerprint(group.stated)
    if (skill.meta or {}).get(MARK) == mark:
        return skill
    method = _get_method(context, group.stated, taken, skill.title)
    if method is None:  # what is left would not pass the gate: the present version stays
        return skill
    before, value = _load_last_generated_value(skill), method.value
    if before != skill.value:
        value = apply_to_edited(skill.value, before or NOTHING, method.value, method.language)
    if value != skill.value:
        skill = _write_next_version(context, group, skill, replace(method, value=value))
        written.changed.append(skill.pk)
        written.by.add(method.by)
    skill.meta = (skill.meta or {}) | {MARK: mark}
    skill.save(update_fields=["meta"])
    return skill


def _write_next_version(context: WritingContext, group: EpisodeGroup, skill: Skill, method: Method) -> Skill:
    text = write_skill_md(method.value, method.language)
    read = parse_skill_md(text)
    path = list_skill_files(skill).filter(path__iexact=PATH).values_list("path", flat=True).first() or PATH
    changes = SkillChanges(texts={path: text}, confidence=compute_confidence(group.episodes))
    vector = _get_vector(context.prepared, read) if recall_text(read) != recall_text(skill) else None
    reason = _describe_reason(group.episodes, method)
    revised = revise_skill(skill, changes, actor=ACTOR, reason=reason, vector=vector)
    if revised.language != method.language:
        revised.language = method.language
        revised.save(update_fields=["language"])
    return revised


def _load_last_generated_value(skill: Skill) -> dict[str, Any] | None:
    """Load the value of the last generated version; None when that version is not kept."""
    versions = SkillVersion.objects.within(skill.account_id).filter(skill=skill, actor=ACTOR)
    number = versions.order_by("-number").values_list("number", flat=True).first()
    file = list_skill_files(skill, number).filter(path__iexact=PATH).first() if number else None
    if file is None or file.text is None:
        return None
    return parse_skill_md(file.text).value


def compute_fingerprint(episodes: Sequence[Known]) -> str:
    """Hash what the episodes say. Places stand for ids, because a row that was rolled back gets another id."""
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
    context: WritingContext, episodes: Sequence[Known], taken: Sequence[str], title: str
) -> Method | None:
    """The method as the model wrote it, or the rules where none is asked. None where it does not pass the gate."""
    if not context.asks_model:
        return compose_skill(episodes, taken)
    mark = compute_fingerprint(episodes)
    if mark not in context.prepared.methods:
        raise InputsMissing(orders=[SkillRequest(mark, episodes, taken, title)])
    return context.prepared.methods[mark]


def _get_vector(prepared: PreparedInputs, read: SkillText) -> list[float]:
    text = recall_text(read)
    if text not in prepared.vectors:
        raise InputsMissing(texts=[text])
    return prepared.vectors[text]


def _link_episodes(context: WritingContext, group: EpisodeGroup, skill: Skill) -> None:
    """Write which episodes are part of the skill, its evidence, and its confidence."""
    rows = Episode.objects.within(context.cube.project_id).filter(
        pk__in=[episode.key for episode in group.episodes]
    )
    rows.exclude(skill=skill).update(skill=skill)
    write_evidence(skill, group.stated, context.memories)
    confidence = compute_confidence(group.episodes)
    if skill.confidence != confidence:
        skill.confidence = confidence
        skill.save(update_fields=["confidence"])
        if skill.memory is not None:
            skill.memory.confidence = confidence
            skill.memory.save(update_fields=["confidence"])


def _describe_reason(episodes: Sequence[Known], method: Method) -> str:
    count = len({episode.conversation for episode in episodes})
    stated = "generated from a conversation" if count == 1 else f"generated from {count} conversations"
    return stated if method.by == RULES else f"{stated} by {method.by}"


def delete_history(skill: Skill) -> None:
    """Delete all versions but the current one: they say what was deleted."""
    files = SkillFile.objects.within(skill.account_id).filter(skill=skill)
    files.filter(until__lt=skill.version).delete()
    SkillVersion.objects.within(skill.account_id).filter(skill=skill, number__lt=skill.version).delete()
