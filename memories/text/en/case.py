"""Lower case that agrees with patterns that ignore case."""

from __future__ import annotations

# `re.IGNORECASE` takes these letters for "i" and "s" (`_sre.unicode_iscased` and its extra cases); `str.lower` keeps
# the first two and makes two characters of the third. Turkish keyboards begin "İ'm" with it.
_FOLDED = str.maketrans("ıſİ", "isi")


def fold_case(text: str) -> str:
    """The text in lower case, as long as before: a word that a pattern found without regard to case is then in the
    table whose words made the pattern."""
    return text.translate(_FOLDED).lower()
