"""Texts of memories about files and images: excerpts of documents, and sentences about what was shared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memories.files.values import FileKind, Fragment, Parsed
from memories.text.topics.tags import choose_tags
from memories.values import Confidence, Draft, MemoryKind

FINE = "mode:fine"
MAX_WORDS, MAX_TITLE = 400, 120
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Beside:
    """The file, and what stands around it: its name, who sent it, what was said with it, whose tags may fit."""

    attachment: str
    name: str
    kind: str
    role: str
    words: str
    tags: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        return _detect_language(self.words or self.name)

    @property
    def spoken(self) -> str:
        return _SPACE.sub(" ", self.words).strip()[:MAX_WORDS]


def iterate_document_drafts(parsed: Parsed, beside: Beside) -> Iterator[Draft]:
    """First what was shared, then its fragments in their order."""
    yield _build_draft(_write_shared_document(beside, parsed.pages), beside.name, beside, {}, "document")
    for fragment in parsed.fragments:
        place: dict[str, Any] = {"page": fragment.page} if fragment.page else {}
        place |= {"heading": fragment.heading} if fragment.heading else {}
        title = fragment.heading or beside.name or fragment.text
        yield _build_draft(_format_fragment(fragment), title, beside, place, "file")


def _format_fragment(fragment: Fragment) -> str:
    return f"{fragment.heading}: {fragment.text}" if fragment.heading else fragment.text


def build_image_draft(facts: Mapping[str, Any], description: str, beside: Beside) -> Draft:
    return _build_draft(
        _write_shared_image(facts, description, beside), beside.name, beside, {}, "image", "visual"
    )


def _build_draft(text: str, title: str, beside: Beside, place: dict[str, Any], *tags: str) -> Draft:
    language = _detect_language(text)
    own = choose_tags(text, language, beside.tags)
    kind = "image" if beside.kind == FileKind.IMAGE else "file"
    about = {"attachment": beside.attachment, "name": beside.name, "type": beside.kind, **place}
    return Draft(
        kind=MemoryKind.FACT,
        text=text,
        title=_SPACE.sub(" ", title)[:MAX_TITLE],
        turns=(0,),
        confidence=Confidence.USUAL,
        tags=tuple(dict.fromkeys([*own, *tags, FINE, f"multimodal:{kind}"])),
        # An assistant's picture is no statement of the user's.
        speaker="assistant" if beside.role == "assistant" else "",
        language=language,
        details={"file": about},
    )


def _detect_language(text: str) -> str:
    return "zh" if _CHINESE.search(text) else "en"


def _write_shared_document(beside: Beside, pages: int) -> str:
    if beside.language == "zh":
        name = f"《{beside.name}》" if beside.name else ""
        quotation = f"，并说：“{beside.spoken}”" if beside.spoken else ""
        return f"{_name_sender(beside)}分享了文档{name}（{beside.kind}，{pages}页）{quotation}。"
    name = f" “{beside.name}”" if beside.name else ""
    size = "1 page" if pages == 1 else f"{pages} pages"
    quotation = f" with the words: “{beside.spoken}”" if beside.spoken else ""
    return f"{_name_sender(beside)} shared the document{name} ({beside.kind}, {size}){quotation}."


def _write_shared_image(facts: Mapping[str, Any], description: str, beside: Beside) -> str:
    size = f"{facts.get('width', 0)} × {facts.get('height', 0)}"
    day = str(facts.get("taken", ""))[:10]
    if beside.language == "zh":
        about = "，".join([f"{size} 像素", *([f"拍摄于 {day}"] if day else [])])
        name = f"“{beside.name}”" if beside.name else ""
        quotation = f"，并说：“{beside.spoken}”" if beside.spoken else ""
        shown = f" 图片内容：{description}" if description else ""
        return f"{_name_sender(beside)}分享了图片{name}（{about}）{quotation}。{shown}"
    about = ", ".join([f"{size} pixels", *([f"taken on {day}"] if day else [])])
    name = f" “{beside.name}”" if beside.name else ""
    quotation = f" with the words: “{beside.spoken}”" if beside.spoken else ""
    shown = f" It shows: {description}" if description else ""
    return f"{_name_sender(beside)} shared the image{name} ({about}){quotation}.{shown}"


def _name_sender(beside: Beside) -> str:
    words = {"user": ("The user", "用户"), "assistant": ("The assistant", "助手")}
    english, chinese = words.get(beside.role, ("A tool", "工具"))
    return chinese if beside.language == "zh" else english


def choose_words_beside(own: str, others: Iterable[str]) -> str:
    """Choose what was said in the file's own message, else in the message nearest to it."""
    return next((text for text in (own, *others) if text.strip()), "")
