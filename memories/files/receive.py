"""Receive a file: from a URL, or from the request itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from memories.files import storage
from memories.files.base64_data import decode_base64, get_declared_type
from memories.files.fetch import WHOLE_SECONDS, fetch_content
from memories.files.file_types import MEDIA_TYPES, clean_name, name_in


class EncodedText(Protocol):
    """A text that is too long to hold: Base64 or a data URL."""

    def pieces(self) -> Iterable[str]: ...


@dataclass(frozen=True, slots=True)
class FileSource:
    """Source of a file: an address, the text of a request, or bytes as they are.

    `name` is what the client calls it; `media_type`, if it says one, only helps to guess a name. `seconds` is how long
    an address may take.
    """

    url: str = ""
    text: EncodedText | None = None
    content: Iterable[bytes] | None = None
    name: str = ""
    media_type: str = ""
    seconds: float = WHOLE_SECONDS


def receive_file(
    holder: storage.Holder, source: FileSource, folder: str, rules: storage.Rules = storage.ANY_DOCUMENT
) -> storage.StoredFile:
    """Stores the file. Raises errors of the catalogue, and `fetch.TryLater` for an address that may answer later."""
    if source.content is not None:
        name = clean_name(source.name) or _make_up_name(source.media_type)
        return storage.store_file(holder, folder, source.content, name, rules)
    if source.text is not None:
        pieces = iter(source.text.pieces())
        first = next(pieces, "")
        name = clean_name(source.name) or _make_up_name(get_declared_type(first) or source.media_type)
        return storage.store_file(holder, folder, decode_base64(_prepend_piece(first, pieces)), name, rules)
    name = clean_name(source.name) or name_in(source.url)
    with fetch_content(source.url, seconds=source.seconds) as content:
        return storage.store_file(holder, folder, content, name, rules)


def _prepend_piece(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _make_up_name(media_type: str) -> str:
    """A data URL says what it holds and not what it is called."""
    kinds = {media: f".{kind.value}" for kind, media in MEDIA_TYPES.items()}
    suffix = kinds.get(media_type) or (f".{media_type[6:]}" if media_type.startswith("image/") else "")
    return f"file{suffix}" if suffix else ""
