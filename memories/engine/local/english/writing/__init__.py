"""How propositions are written: third person, quotations, lists, and what is left over."""
