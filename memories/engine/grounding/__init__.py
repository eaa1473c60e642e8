"""Whether messages bear out a statement: its words, names, numbers, dates, polarity, mood and subject."""

from memories.engine.grounding.checks import Evidence, find_doubt
from memories.engine.grounding.clauses import clause_of, closest_clause

__all__ = ["Evidence", "clause_of", "closest_clause", "find_doubt"]
