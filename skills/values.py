"""Enums shared by the modules of skills, without Django."""

from __future__ import annotations

from enum import StrEnum


class SkillOrigin(StrEnum):
    """Ways in which a skill was made."""

    GENERATED = "generated"  # from an end user's conversations
    UPLOADED = "uploaded"  # a package that somebody wrote
    DEFAULT = "default"  # every learning space begins with these
    LEARNED = "learned"  # made by the learner of a space


class SkillState(StrEnum):
    """A draft waits for approval and is not recalled; nor is an archived one."""

    DRAFT = "draft"
    ACTIVE = "active"
    ARCHIVED = "archived"


class MessageState(StrEnum):
    """States of a session's message, in the words of the Acontext contract."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    DISABLE_TRACKING = "disable_tracking"
    LIMIT_EXCEED = "limit_exceed"


class SessionTaskState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"


class Distilling(StrEnum):
    """States of the lessons of a finished task."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class LearningState(StrEnum):
    """States of a session in a learning space, in the words of the Acontext contract."""

    PENDING = "pending"
    DISTILLING = "distilling"
    QUEUED = "queued"
    SKILL_WRITING = "skill_writing"
    COMPLETED = "completed"
    FAILED = "failed"


class LessonKind(StrEnum):
    """Kinds of results of a distillation: a method, a mistake, facts, or what the user prefers."""

    SUCCESS = "success"
    FAILURE = "failure"
    FACTS = "facts"
    PREFERENCES = "preferences"


class LessonState(StrEnum):
    WAITING = "waiting"
    WRITING = "writing"
    WRITTEN = "written"
    FAILED = "failed"
