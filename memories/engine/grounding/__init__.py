"""Whether messages bear out a statement: its words, names, numbers, dates, polarity, mood and subject."""

from memories.engine.grounding.checks import Evidence, find_doubt
from memories.engine.grounding.clauses import closest_clause, find_clause

__all__ = ["Evidence", "find_clause", "closest_clause", "find_doubt"]
