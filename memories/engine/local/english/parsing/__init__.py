"""From an English message to parsed clauses: sentences, openers, the parser and what its trees say of grammar."""
