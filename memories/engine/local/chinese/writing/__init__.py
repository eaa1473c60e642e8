"""How groups of clauses become propositions."""
