"""How skills grow out of conversations: what was worked on, what of it returns, and the method that follows from it.

Everything here is pure but for `episodes`, `evidence` and `writing`, which know the tables.
"""
