"""Write facts and preferences into the pages of skills: where the schema wants them, and none twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from memories.consolidation.similarity import ComparedText, Similarity, compare_statements
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.wording import read_wordings
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from skills.learning.lesson import Fact, LessonContent
from skills.learning.rules.markdown_pages import (
    Bullet,
    add_day,
    build_page,
    parse_bullets,
    with_bullet,
    with_line,
)
from skills.learning.rules.naming import HoleKind
from skills.learning.rules.skill_choice import (
    CONCERNS_FROM,
    GENERAL,
    Filling,
    Spot,
    WritableSkill,
    find_writable_skills,
    write_topic_title,
)
from skills.learning.rules.statements.statement_kinds import choose_heading
from skills.learning.rules.statements.states import find_state_name
from skills.learning.rules.statements.subjects import Cast
from skills.learning.rules.statements.text_similarity import TextSimilarity
from skills.learning.workspace.workspace import Workspace
from skills.packages.skill_md import parse_skill_md
from skills.reading.task_board import RefusedAction
from skills.spaces.defaults import load_default_skills

# Of the bullets of one page.
MOST_COMPARED = 40


class FactKeeper:
    """Writes the facts of lessons, one lesson after the other."""

    def __init__(self, workspace: Workspace, near: TextSimilarity) -> None:
        self._workspace = workspace
        self._near = near

    def keep(self, lesson: LessonContent) -> list[str]:
        """Keep the facts; return what was left out, and why."""
        facts = [fact for fact in lesson.facts if not _is_trivia(fact.text)]
        targets = find_writable_skills(list(self._workspace.skills.values()))
        filling = Filling(Cast(facts, _list_names(targets)), self._near, lesson.day)
        self._near.expect([*(fact.text for fact in facts), *(target.schema.about for target in targets)])
        fresh: set[str] = set()
        for fact in facts:
            for target, spot in self._find_places(fact, filling):
                self._write_fact(target, spot, fact, lesson.day, fresh)
        return filling.left_out

    def _find_places(self, fact: Fact, filling: Filling) -> list[tuple[WritableSkill, Spot]]:
        """The pages that take the fact: those of a skill that it concerns, else the general one's."""
        targets = find_writable_skills(list(self._workspace.skills.values()))
        best: tuple[float, WritableSkill | None, list[Spot]] = (0.0, None, [])
        for target in targets:
            if target.is_general or target.is_log or not target.schema.patterns:
                continue
            weight = self._compute_concern(target, fact)
            spots = filling.list_spots(target, fact) if weight > 0 else []
            if spots and weight > best[0]:
                best = (weight, target, spots)
        if best[1] is not None:
            return [(best[1], spot) for spot in best[2]]
        general = (
            next((target for target in targets if target.is_general), None) or self._create_general_skill()
        )
        return [(general, spot) for spot in filling.list_spots(general, fact)] if general else []

    def _compute_concern(self, target: WritableSkill, fact: Fact) -> float:
        """Above 0 when the fact is what the skill is for. What has a page of its own by its name needs no more."""
        concern = self._near.concern(fact.text, target.schema.about)
        kinds = {hole.kind for pattern in target.schema.patterns for hole in pattern.holes}
        if kinds & {HoleKind.PERSON, HoleKind.THING}:
            return 1 + concern
        return concern if concern >= CONCERNS_FROM else 0.0

    def _create_general_skill(self) -> WritableSkill | None:
        """A space that lost its skill of general facts gets it again."""
        text = next(text for text in load_default_skills() if parse_skill_md(text).name == GENERAL)
        try:
            self._workspace.create_skill(text)
        except RefusedAction:  # there is one, and it may not be written
            return None
        return next(
            target
            for target in find_writable_skills(list(self._workspace.skills.values()))
            if target.skill.name == GENERAL
        )

    def _write_fact(self, target: WritableSkill, spot: Spot, fact: Fact, day: date, fresh: set[str]) -> None:
        """Replace what says the same or is no longer valid; else add a bullet below the heading that fits."""
        files = target.skill.files
        stated = [spot.path, *(() if spot.subject else sorted(files))]
        for path in dict.fromkeys(stated):
            page = files.get(path)
            changed = (
                None
                if page is None or path == target.skill.top
                else self._change_page(page, spot, fact, day, fresh)
            )
            if page is not None and changed is not None:
                self._put_page(target, path, page, changed)
                break
        else:
            self._add_fact(target, spot, fact, day)
        fresh.add(fact.text)

    def _add_fact(self, target: WritableSkill, spot: Spot, fact: Fact, day: date) -> None:
        held = target.skill.files.get(spot.path)
        heading = choose_heading(fact.text, target.schema.headings, self._near)
        page = build_page(_write_title(target, spot, fact), target.schema.headings) if held is None else held
        self._put_page(target, spot.path, held, with_bullet(page, add_day(fact.text, day), heading))

    def _put_page(self, target: WritableSkill, path: str, held: str | None, page: str) -> None:
        if held is None:
            self._workspace.create(target.skill.name, path, page)
        elif page != held:
            self._workspace.rewrite(target.skill.name, path, held, page)

    def _change_page(self, page: str, spot: Spot, fact: Fact, day: date, fresh: set[str]) -> str | None:
        """The page where a bullet of it says the same, or what holds no longer; None where none does."""
        bullets = _find_similar_bullets(fact.text, parse_bullets(page))
        self._near.expect([fact.text, *(bullet.text for bullet in bullets)])
        ended = _list_names_ended_in(fact.text)
        stale = []
        for bullet in bullets:
            if (
                any(name in bullet.text for name in ended)
                and not _list_names_ended_in(bullet.text)
                and bullet.text not in fresh
                and bullet.text != fact.text
            ):
                stale.append(bullet)
                continue
            how = self._compare_bullets(fact.text, bullet, spot)
            if how in {Similarity.SAME, Similarity.PART}:
                return page
            if how is Similarity.WHOLE or (how is Similarity.CHANGED and bullet.text not in fresh):
                stale.append(bullet)
        if not stale:
            return None
        for bullet in reversed(stale[1:]):
            page = with_line(page, bullet.line, None)
        return with_line(page, stale[0].line, add_day(fact.text, day))

    def _compare_bullets(self, text: str, bullet: Bullet, spot: Spot) -> Similarity:
        """Compare two statements about one subject, both rewritten as if it were the user.

        The words of similarity are known for statements about the user only.
        """
        name = spot.subject.name if spot.subject else ""
        new, old = _as_user(text, name), _as_user(bullet.text, name)
        if new == old:
            return Similarity.SAME
        state = find_state_name(new)
        is_one_state = bool(state) and state == find_state_name(old) and _find_owner(new) == _find_owner(old)
        if _is_turned(new, old):
            return Similarity.CHANGED
        closeness = self._near.between(text, bullet.text)
        return compare_statements(ComparedText(new), ComparedText(old), closeness, of_one_state=is_one_state)


# What is over is written with the name of what it was: "left Northwind", "Kafka instead of RabbitMQ", 从北辰离职.
_ENDS = re.compile(
    r"""
    \b(?:
        left | quit | resigned\ from | retired\ from
        | no\ longer\ (?:at|with|uses?|in|for|has|works?\ (?:at|for)) | instead\ of | replac(?:es|ed|ing)
        | moved\ (?:on\ )?from | switched\ from | dropped | stopped\ (?:using|working\ (?:at|for))
        | parted\ with
    )\ (?:the\ )?(?P<name>[A-Z][\w-]*(?:\ [A-Z][\w-]*)*)
    """,
    re.VERBOSE,
)
_ENDS_ZH = re.compile(
    "(?:从(?P<from>[\u4e00-\u9fff\\w]{2,10}?)(?:离职|辞职|搬走|退休|调走)|(?:离开|辞掉|不再用|不用|弃用"
    "|不在)(?:了)?(?P<what>[\u4e00-\u9fff\\w]{2,12}?)(?:了|工作|上班|，|。|$))"
)


def _list_names_ended_in(text: str) -> list[str]:
    """Names of what a statement says is over."""
    names = [match["name"] for match in _ENDS.finditer(text)]
    return names + [name for match in _ENDS_ZH.finditer(text) if (name := match["from"] or match["what"])]


def _find_similar_bullets(text: str, bullets: Sequence[Bullet]) -> list[Bullet]:
    """List the bullets that may say something similar, in their order: each comparison costs an embedding."""
    words, state = set(extract_keywords(text)), find_state_name(text)
    ended = _list_names_ended_in(text)
    shared = {bullet: len(words & set(extract_keywords(bullet.text))) for bullet in bullets}
    kept = sorted(
        (
            bullet
            for bullet in bullets
            if shared[bullet]
            or find_state_name(bullet.text) == state
            or any(name in bullet.text for name in ended)
        ),
        key=lambda bullet: -shared[bullet],
    )
    return sorted(kept[:MOST_COMPARED], key=lambda bullet: bullet.line)


def _is_trivia(text: str) -> bool:
    return len(text) < 4 or is_courtesy(text)


def _list_names(targets: Sequence[WritableSkill]) -> list[str]:
    return [name for target in targets if target.schema.patterns for name in target.names]


def _write_title(target: WritableSkill, spot: Spot, fact: Fact) -> str:
    is_topic = any(
        hole.kind is HoleKind.TOPIC for pattern in target.schema.patterns for hole in pattern.holes
    )
    if spot.subject is not None or not is_topic or target.schema.categories:
        return spot.title
    return write_topic_title(spot.title, detect_language(fact.text))


def _as_user(text: str, name: str) -> str:
    if not name:
        return text
    stand_in = "用户" if detect_language(text) == "zh" else "The user"
    stated = re.sub(re.escape(name), stand_in, text, flags=re.IGNORECASE)
    first = name.split()[0]
    return (
        re.sub(rf"\b{re.escape(first)}\b", stand_in, stated) if first.isascii() and first != name else stated
    )


_RATHER = re.compile(r"\b(?:over|than|to|instead of)\b|比|而不是", re.IGNORECASE)


def _is_turned(new: str, old: str) -> bool:
    """ "Tabs over spaces", "spaces over tabs": the same words, which mean the opposite in another order."""
    if not (_RATHER.search(new) and _RATHER.search(old)):
        return False
    theirs = extract_keywords(old)
    ours = [word for word in extract_keywords(new) if word in theirs]
    return sorted(ours) == sorted(theirs) and ours != theirs


def _find_owner(text: str) -> str:
    read = read_wordings(text)
    return read[0].subject if read else ""
