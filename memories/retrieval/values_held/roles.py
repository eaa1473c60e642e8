"""Whether a statement tells who does something for the user, where a question asks for them by it: "Who is my
accountant?"

Any statement with a name is near to such a question, and one about money still more. Who the accountant is, a statement
tells with that word, or with one for what accountants do.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from memories.text.words.tokenize import search_terms


def find_role_signs(question: str) -> frozenset[str]:
    """The search terms of which a statement must have one to tell who it is; none where the question asks for nobody
    by a role."""
    match = _load_pattern().search(question)
    return _load_roles()[match["role"].lower()] if match else frozenset()


@cache
def _load_roles() -> dict[str, frozenset[str]]:
    lists = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    roles: dict[str, frozenset[str]] = {}
    for line in lists["roles"]:
        names, _, signs = line.partition("|")
        roles |= dict.fromkeys(names.split(), frozenset(search_terms(f"{names} {signs}")))
    return roles


@cache
def _load_pattern() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:who|what)(?:['’]s| is| was) (?:the name of )?(?:my|our) (?:[a-z]+ )?"
        rf"(?P<role>{'|'.join(sorted(_load_roles()))})(?:['’]s name| called)?\W*$",
        re.IGNORECASE,
    )
