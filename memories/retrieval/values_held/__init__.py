"""Kinds of values, such as a place or an amount: which a question asks for, and which the text of a memory may hold."""
