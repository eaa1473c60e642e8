"""The text of a fragment as a memory: headings, introductory context, and the passage itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Protocol

from knowledgebase.models import Fragment, KnowledgeFile
from memories.ingest.passages import Passage
from memories.text.topics.tags import choose_tags
from memories.text.words.language_detection import detect_language

TAGS = ("mode:fine", "multimodal:file")
MAX_TITLE = 300
# So many letters of a passage are embedded: half the time of a whole one, and of questions about the documents of
# our benchmarks as many found their passage among the first three.
MEANING, LETTERS_OF_A_CHARACTER = 450, 3
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[。！？；\n]")
# Every run of a file numbers its memories anew; none has this many fragments.
ORDINALS_PER_RUN = 100_000


class PassageText(Protocol):
    """A fragment of a document, parsed or stored."""

    @property
    def heading(self) -> str: ...

    @property
    def context(self) -> str: ...

    @property
    def text(self) -> str: ...


def format_passage_text(fragment: PassageText) -> str:
    return "\n".join(part for part in (fragment.heading, fragment.context, fragment.text) if part)


def build_passage_source(file: KnowledgeFile, fragment: Fragment) -> dict[str, Any]:
    """The source of the passage, stored with the memory so that answers need no second query."""
    place: dict[str, Any] = {"file": str(file.pk), "name": file.name, "type": file.kind}
    place |= {"page": fragment.page} if fragment.page else {}
    place |= {"heading": fragment.heading} if fragment.heading else {}
    return place | {"ordinal": fragment.ordinal}


def build_moved_passage(file: KnowledgeFile, fragment: Fragment, text: str) -> Passage:
    """The passage of a memory that moves to a new version; without tags, because the memory keeps its own."""
    title = (fragment.heading or file.name)[:MAX_TITLE]
    ordinal = file.runs * ORDINALS_PER_RUN + fragment.ordinal
    return Passage(ordinal, text, title, about=build_passage_source(file, fragment))


def _write_beginning(text: str) -> str:
    """The first sentences, which say what a passage is about; the rest is found through its words."""
    most = MEANING if detect_language(text) == "en" else MEANING // LETTERS_OF_A_CHARACTER
    if len(text) <= most:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, most // 2, most)]
    return text[: ends[-1] if ends else most].rstrip()


def build_embedding_text(fragment: PassageText) -> str:
    """The text to embed: without the context, which is the passage before."""
    return "\n".join(part for part in (fragment.heading, _write_beginning(fragment.text)) if part)


def build_new_passage(file: KnowledgeFile, fragment: Fragment, text: str) -> Passage:
    own = choose_tags(text, detect_language(text), ())
    return replace(build_moved_passage(file, fragment, text), tags=tuple(dict.fromkeys([*own, *TAGS])))
