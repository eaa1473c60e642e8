"""Choose the skill of a space, and the file in it, that a statement or lesson is written to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from memories.text.topics.topics import get_topic_name
from memories.text.words.tokenize import extract_keywords
from skills.learning.lesson import Fact
from skills.learning.rules.markdown_pages import parse_page_title
from skills.learning.rules.naming import Hole, HoleKind, build_slug
from skills.learning.rules.schema import Pattern, SkillSchema, parse_skill_schema
from skills.learning.rules.statements.states import find_state_name
from skills.learning.rules.statements.subjects import Cast, StatementSubject, remove_kind
from skills.learning.rules.statements.text_similarity import TextSimilarity, list_topics_by_coverage
from skills.learning.workspace.paths import find_existing
from skills.learning.workspace.workspace import WorkspaceSkill
from skills.reading.messages.entities import find_proper_names, find_statement_subject

GENERAL = "user-general-facts"
# How much a statement must have to do with a skill; how near it must come to a category, and by how much nearer than
# to any other.
CONCERNS_FROM, FITS_FROM, CLEARLY = 0.022, 0.05, 0.07
# The same for a statement about a thing of which nobody says what it is.
THING_FITS_FROM = 0.02
_ABOUT_USER = re.compile(r"\busers?\b|用户", re.IGNORECASE)
_ABOUT_FACTS = re.compile(
    r"\bfacts?\b|\bpreferences?\b|\bprofile\b|\bwho the user is\b|事实|偏好|画像|信息", re.IGNORECASE
)
_ABOUT_WORK = re.compile(
    r"\bdone\b|\btasks?\b|\bfinished\b|\bwork\b|\baccomplish|\blogs?\b|任务|完成|日志|做了什么|工作",
    re.IGNORECASE,
)
_ABOUT_METHODS = re.compile(
    r"""
    \bprocedures?\b | \bmethods?\b | \brunbooks?\b | \bplaybooks?\b | \bhow\ to\b | \blessons?\b
    | \bpitfalls?\b | \btroubleshoot | \bbest\ practices?\b | \bincidents?\b | \bpost-?mortems?\b
    | \bworkflows?\b | 步骤 | 方法 | 手册 | 经验 | 教训 | 排障 | 复盘 | 流程
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Where a statement belongs whose words may name no topic.
_OF_STATE = dict.fromkeys(("name", "age", "birthday", "email", "phone", "time zone"), "personal info") | {
    "employer": "work",
    "role": "work",
    "residence": "home",
}


@dataclass(frozen=True, slots=True)
class Spot:
    """Place where a statement is written: the path of a file, and its title if the file is new."""

    path: str
    title: str
    subject: StatementSubject | None = None


@dataclass(slots=True)
class WritableSkill:
    """A skill that the rules may write to, with the schema that its SKILL.md gives."""

    skill: WorkspaceSkill
    schema: SkillSchema

    @property
    def is_general(self) -> bool:
        """Return whether it takes facts about the user that fit no other skill."""
        if self.skill.name == GENERAL:
            return True
        stated = f"{self.schema.name} {self.schema.description}"
        is_by_topic = any(
            hole.kind is HoleKind.TOPIC for pattern in self.schema.patterns for hole in pattern.holes
        )
        return is_by_topic and bool(_ABOUT_USER.search(stated) and _ABOUT_FACTS.search(stated))

    @property
    def is_log(self) -> bool:
        """Return whether it logs finished tasks, in files that are named after dates."""
        only_dates = [
            pattern
            for pattern in self.schema.patterns
            if all(hole.kind is HoleKind.DATE for hole in pattern.holes)
        ]
        return bool(only_dates) and bool(_ABOUT_WORK.search(f"{self.schema.name} {self.schema.description}"))

    @property
    def is_of_methods(self) -> bool:
        """Return whether it takes methods and mistakes: it says so, or its files are not named after people or
        things."""
        if self.is_general or self.is_log:
            return False
        return not self.schema.patterns or bool(
            _ABOUT_METHODS.search(f"{self.schema.name} {self.schema.description}")
        )

    def find_path(self, path: str) -> str:
        """The path as the skill spells it, if it has that file."""
        return find_existing(path, self.skill.files) or path

    @property
    def names(self) -> list[str]:
        """The titles of its pages: the people or things that have one."""
        pages = [text for path, text in self.skill.files.items() if path != self.skill.top and text]
        return [title for title in map(parse_page_title, pages) if title]


def find_writable_skills(skills: Sequence[WorkspaceSkill]) -> list[WritableSkill]:
    targets = []
    for skill in skills:
        schema = None if skill.is_locked else parse_skill_schema(skill)
        if schema is not None:
            targets.append(WritableSkill(skill, schema))
    return targets


class Filling:
    """Fills the placeholders in a skill's file names with the subject of a statement; records what it cannot fill."""

    def __init__(self, cast: Cast, near: TextSimilarity, day: date) -> None:
        self._cast = cast
        self._near = near
        self._day = day
        self.left_out: list[str] = []

    def list_spots(self, target: WritableSkill, fact: Fact) -> list[Spot]:
        for pattern in target.schema.patterns:
            spots = self._find_named_spots(target, pattern, fact)
            if spots:
                return spots
        return []

    def _find_named_spots(self, target: WritableSkill, pattern: Pattern, fact: Fact) -> list[Spot]:
        about = [hole for hole in pattern.holes if hole.kind in {HoleKind.PERSON, HoleKind.THING}]
        if not about:
            spot = self._find_spot(target, pattern, fact, None)
            return [spot] if spot else []
        subjects = self._cast.list_subjects(fact)
        spots = [spot for subject in subjects if (spot := self._find_spot(target, pattern, fact, subject))]
        thing = next((hole for hole in about if hole.kind is HoleKind.THING), None)
        if not spots and thing is not None:
            things = [
                StatementSubject(name, is_person=False) for name in self._cast.list_things(fact, thing.noun)
            ]
            spots = [spot for subject in things if (spot := self._find_spot(target, pattern, fact, subject))]
        return spots

    def _find_spot(
        self, target: WritableSkill, pattern: Pattern, fact: Fact, subject: StatementSubject | None
    ) -> Spot | None:
        values: dict[Hole, str] = {}
        noun = next((hole.noun for hole in pattern.holes if hole.noun), "")
        if subject is not None and noun and subject.name.casefold() not in map(str.casefold, target.names):
            subject = replace(subject, name=remove_kind(subject.name, noun))
        title = subject.name if subject else ""
        for hole in pattern.holes:
            value, stated = self._find_value(target, pattern, hole, fact, subject)
            if not value:
                return None
            values[hole] = value
            title = title or stated
        shown = title[:1].upper() + title[1:] if subject else title
        return Spot(target.find_path(pattern.filled(values)), shown, subject)

    def _find_value(
        self,
        target: WritableSkill,
        pattern: Pattern,
        hole: Hole,
        fact: Fact,
        subject: StatementSubject | None,
    ) -> tuple[str, str]:
        """Find what stands in the path, and how that is written in a title."""
        if hole.kind is HoleKind.DATE:
            day = hole.dated(self._day)
            return day, day
        if hole.kind is HoleKind.TOPIC:
            topic = self._find_topic(target, fact)
            return build_slug(topic, hole.joint) if topic else "", topic
        if subject is None:
            return "", ""
        return self._choose_subject(target, fact, hole, subject), subject.name

    def _choose_subject(
        self, target: WritableSkill, fact: Fact, hole: Hole, subject: StatementSubject
    ) -> str:
        value = hole.named(subject.name)
        is_known = any(subject.name.casefold() == name.casefold() for name in target.names)
        if hole.kind is HoleKind.PERSON and not hole.noun:
            if subject.is_person and not value:
                self._report_unfilled(target, hole, f"only a part of the name {subject.name} is known")
            return value if subject.is_person or is_known else ""
        if is_known or (hole.noun and self._cast.is_a(subject, hole.noun)):
            return value
        return value if self._is_for(target, fact, subject) else ""

    def _is_for(self, target: WritableSkill, fact: Fact, subject: StatementSubject) -> bool:
        """Return whether a statement about a thing that nobody calls by its kind is what the skill is for."""
        is_stated_of = find_statement_subject(fact.text).startswith(
            subject.name
        ) or subject.name in find_proper_names(fact.text)
        if subject.is_person or not is_stated_of:
            return False
        return self._near.concern(fact.text, target.schema.about) >= THING_FITS_FROM

    def _find_topic(self, target: WritableSkill, fact: Fact) -> str:
        schema = target.schema
        if schema.categories:
            category = self._choose_category(schema.categories, fact.text)
            if not category:
                self._report_unfilled(
                    target, Hole("category", HoleKind.TOPIC), "none of the categories clearly fits"
                )
            return category
        return choose_topic(fact.text, target)

    def _choose_category(self, categories: Sequence[str], text: str) -> str:
        terms = set(extract_keywords(text))
        named = [category for category in categories if terms & set(extract_keywords(category))]
        if len(named) == 1:
            return named[0]
        self._near.expect([text, *categories])
        ranked = sorted(
            ((self._near.between(text, category), category) for category in named or categories), reverse=True
        )
        (best, category), *others = ranked
        is_clear = best >= FITS_FROM and all(best - other >= CLEARLY for other, _ in others)
        return category if is_clear else ""

    def _report_unfilled(self, target: WritableSkill, hole: Hole, why: str) -> None:
        note = f"{target.skill.name}: [{hole.text}] was not filled, {why}"
        if note not in self.left_out:
            self.left_out.append(note)


_GENERAL_TITLES = {
    "personal info": ("Personal info", "个人信息"),
    "preferences": ("Preferences", "偏好"),
    "general": ("General", "其他"),
}
# How the assistant is to serve the user, whatever it is about.
_OF_ASSISTANT = re.compile(r"\bthe user wants the assistant\b|用户(?:希望|要求|想让)助手", re.IGNORECASE)


def choose_topic(text: str, target: WritableSkill) -> str:
    """A page that is there already where it fits, else the topic that the words are about."""
    state = _OF_STATE.get(find_state_name(text), "")
    topics = [state] if state else [get_topic_name(topic, "en") for topic in list_topics_by_coverage(text)]
    if _OF_ASSISTANT.search(text):
        topics = ["preferences"]
    topic = topics[0] if topics else "general"
    same = (name for name in target.names if _get_topic_from_title(name) == topic)
    return _get_path_words(target, next(same, topic))


def _get_topic_from_title(title: str) -> str:
    """The topic that a page is about, no matter who named it."""
    for topic, titles in _GENERAL_TITLES.items():
        if title.casefold() in {known.casefold() for known in titles}:
            return topic
    return next((get_topic_name(topic, "en") for topic in list_topics_by_coverage(title)), "")


def _get_path_words(target: WritableSkill, title: str) -> str:
    """Return what a page's path says of its topic."""
    for path, text in target.skill.files.items():
        if text and parse_page_title(text) == title:
            return path.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("-", " ").replace("_", " ")
    return title


def write_topic_title(topic: str, language: str) -> str:
    """Write how a page on a topic is headed, in the language of what stands there."""
    at = 1 if language == "zh" else 0
    if topic in _GENERAL_TITLES:
        return _GENERAL_TITLES[topic][at]
    for number in list_topics_by_coverage(topic):
        if get_topic_name(number, "en") == topic:
            return get_topic_name(number, language) if at else topic.capitalize()
    return topic if at else topic.capitalize()
