"""Reads what users say in English into propositions: parse, split into clauses, reword what is certain, quote the
rest."""
