"""What somebody does, with another object: "teaches maths at school" and "I teach physics"."""

from __future__ import annotations

import re

from memories.text.en.third_person import rewrite_in_third_person
from memories.text.words.language_detection import detect_language

# Verbs of which many objects hold at once, or whose object is a state of its own.
_OF_MANY = frozenset("is was has had likes loves wants needs knows said thinks enjoys prefers hates".split())
_STATED = re.compile(r"^the user (?P<verb>[a-z]+) (?P<object>[^,.;]+?)[ .!]*$", re.IGNORECASE)
_BEHIND = re.compile(r" (?:at|in|on|for|with|from|to|every|each|since|near|twice|once|because|and)\b")
_STATED_ZH = re.compile("^(?:我|用户)(?P<verb>[\u4e00-\u9fff]{1,3})的是(?P<object>[^，。；]{1,16}?)[。！]*$")


def exchange_object(text: str, statement: str) -> str:
    """The text with the object that the statement gives the same verb; "" where it has none or the same one.

    `statement` is in the first person, `text` in the third.
    """
    return (_exchange_chinese if detect_language(statement) == "zh" else _exchange_english)(text, statement)


def _exchange_english(text: str, statement: str) -> str:
    stated, held = _STATED.match(rewrite_in_third_person(statement)), _STATED.match(text)
    if stated is None or held is None or stated["verb"] != held["verb"] or stated["verb"] in _OF_MANY:
        return ""
    new, old = (_BEHIND.split(match["object"], maxsplit=1)[0] for match in (stated, held))
    is_bare = new == stated["object"] and " " not in old.strip()
    return text.replace(f" {old}", f" {new}", 1) if is_bare and new.lower() != old.lower() else ""


def _exchange_chinese(text: str, statement: str) -> str:
    stated = _STATED_ZH.match(statement)
    if stated is None:
        return ""
    held = re.search(f"{re.escape(stated['verb'])}(?P<object>[\u4e00-\u9fff]{{1,6}})(?=$|[，。])", text)
    if held is None or held["object"] == stated["object"] or not text.startswith("用户"):
        return ""
    return text[: held.start("object")] + stated["object"] + text[held.end("object") :]
