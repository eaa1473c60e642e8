"""Reusable methods, and the spaces that they are learned in: the tables."""

from skills.models.session import Session, SessionMessage, SessionTask, SpaceUser
from skills.models.skill import Episode, Skill, SkillEvidence, SkillFile, SkillVersion
from skills.models.space import LearningRecord, LearningSpace, Lesson, SpaceSkill

__all__ = [
    "Episode",
    "LearningRecord",
    "LearningSpace",
    "Lesson",
    "Session",
    "SessionMessage",
    "SessionTask",
    "Skill",
    "SkillEvidence",
    "SkillFile",
    "SkillVersion",
    "SpaceSkill",
    "SpaceUser",
]
