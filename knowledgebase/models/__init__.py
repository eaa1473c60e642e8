"""Shared documents and what was made of them: the tables."""

from knowledgebase.models.base import KnowledgeBase
from knowledgebase.models.correction import Correction
from knowledgebase.models.file import Fragment, KnowledgeFile

__all__ = ["Correction", "Fragment", "KnowledgeBase", "KnowledgeFile"]
