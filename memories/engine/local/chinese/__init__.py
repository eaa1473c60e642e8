"""Reads what a user says in Chinese into propositions; no dates, titles or drafts of other languages are made here."""

from memories.engine.local.chinese.reader import ChineseReader

__all__ = ["ChineseReader"]
