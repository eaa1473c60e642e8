"""Language tools that know nothing of memories: words, dates, clauses, states, claims, tools."""
