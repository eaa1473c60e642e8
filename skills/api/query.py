"""Parse query parameters: ids, windows, filters."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from skills.paging import PageMark, PageWindow, Slice, get_mark_time
from tenancy.api.bodies.parsing import parse_object, refuse_unstorable
from tenancy.errors import InvalidParameters

MOST = 200
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,9}")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
# A position in a session is kept in so many bits; so much less does a moment need.
_LARGEST_PLACE = 2**62


def parse_uuid(text: str, name: str) -> UUID:
    """Raises `InvalidParameters`."""
    if not _UUID.fullmatch(text):
        raise InvalidParameters(f"{name}: must be a UUID")
    return UUID(text)


class Query:
    """Query parameters with typed accessors, which raise `InvalidParameters`. Empty means absent."""

    def __init__(self, sent: Mapping[str, Any]) -> None:
        self._sent = {name: str(sent.get(name) or "") for name in sent}
        refuse_unstorable(self._sent)

    def text(self, name: str, absent: str = "") -> str:
        return self._sent.get(name) or absent

    def whole(self, name: str, absent: int, least: int, most: int) -> int:
        """Parse a whole number; one out of range is refused, not clamped."""
        text = self.text(name, str(absent))
        if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise InvalidParameters(f"{name}: must be a whole number from {least} to {most}")
        return int(text)

    def flag(self, name: str, *, absent: bool = False) -> bool:
        text = self.text(name, str(absent)).lower()
        if text not in _FLAGS:
            raise InvalidParameters(f"{name}: must be true or false")
        return _FLAGS[text]

    def json(self, name: str) -> dict[str, Any]:
        text = self.text(name)
        try:
            return parse_object(text.encode()) if text else {}
        except InvalidParameters as refusal:
            raise InvalidParameters(f"{name}: {refusal.detail}") from None

    def window(self, absent: int = 20) -> PageWindow:
        """`absent` 0: as many as one answer holds, unless a limit says otherwise."""
        limit = self.whole("limit", absent, 1 if absent else 0, MOST)
        token = self.text("cursor")
        return PageWindow(limit, _read_mark(token) if token else None, self.flag("time_desc"))


def _read_mark(token: str) -> PageMark:
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), b"-_", validate=True).decode("ascii")
        place, _, key = text.partition("|")
        mark = PageMark(int(place), parse_uuid(key, "cursor"))
        get_mark_time(mark)
    except (binascii.Error, ValueError, OverflowError):
        raise InvalidParameters("cursor: must be one that a list returned") from None
    if not 0 <= mark.place < _LARGEST_PLACE:
        raise InvalidParameters("cursor: must be one that a list returned")
    return mark


def write_mark(mark: PageMark) -> str:
    return base64.urlsafe_b64encode(f"{mark.place}|{mark.id}".encode()).rstrip(b"=").decode()


def build_page(row_slice: Slice, items: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    answer: dict[str, Any] = {"items": items, "has_more": row_slice.next is not None}
    return answer | ({"next_cursor": write_mark(row_slice.next)} if row_slice.next else {})
