"""Whether messages bear out a statement: its words, names, numbers, dates, polarity, mood and subject."""

from memories.engine.grounding.checks import Evidence, find_doubt
from memories.engine.grounding.clauses import find_clause, find_closest_clause

__all__ = ["Evidence", "find_clause", "find_closest_clause", "find_doubt"]
