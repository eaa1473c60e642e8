"""Sentences rewritten: what carries nothing taken off, what is left out put in, and of whom it is said put first."""
