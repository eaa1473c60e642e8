"""Model fields for personal text, which can be masked at the database layer.

Inside `hide_private_fields()` they are masked however they are read: as rows, as values, as related rows. Outside of it
they cost nothing. In migrations they are the Django fields that they extend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models

# In place of words; nothing stays nothing.
MASK = "•••••"
_ID = re.compile("[0-9a-f-]{32,36}")

_is_hiding: ContextVar[bool] = ContextVar("metadata_only", default=False)


@contextmanager
def hide_private_fields() -> Iterator[None]:
    """Mask private fields in all queries inside this context."""
    token = _is_hiding.set(True)
    try:
        yield
    finally:
        _is_hiding.reset(token)


def is_hiding_words() -> bool:
    return _is_hiding.get()


def _mask_value(value: Any) -> Any:
    """An empty or masked value of the same type; dicts have no keys."""
    if isinstance(value, str):
        return MASK if value else ""
    return type(value)() if isinstance(value, dict | list) else None


def _mask_texts_in(value: Any) -> Any:
    """The same keys, numbers and ids, with all other text masked."""
    if isinstance(value, dict):
        return {name: _mask_texts_in(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_mask_texts_in(item) for item in value]
    return value if not isinstance(value, str) or _ID.fullmatch(value) else _mask_value(value)


class _Private(models.Field):
    plain: str

    def get_db_converters(self, connection: Any) -> list[Any]:
        """Called once per query."""
        converters: list[Any] = super().get_db_converters(connection)
        return [*converters, self._hide_value] if is_hiding_words() else converters

    def _hide_value(self, value: Any, *_: Any) -> Any:
        return _mask_value(value)

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, self.plain, args, options


class PrivateText(_Private, models.TextField):
    plain = "django.db.models.TextField"


class PrivateChar(_Private, models.CharField):
    plain = "django.db.models.CharField"


class PrivateJSON(_Private, models.JSONField):
    plain = "django.db.models.JSONField"


class OutlinedJSON(PrivateJSON):
    """JSON whose keys are our own and stay readable while its texts are masked."""

    def _hide_value(self, value: Any, *_: Any) -> Any:
        return _mask_texts_in(value)


class PrivateArray(_Private, ArrayField):
    plain = "django.contrib.postgres.fields.ArrayField"
