"""Fields that hold somebody's words.

While `metadata_only()` lasts they come out of the database without them, however they are read: as rows, as values, as
children of other rows. Outside of it they cost nothing. In migrations they are the fields of Django that they extend.
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
    """Nobody's words come out of the database, for whoever asks in here."""
    token = _is_hiding.set(True)
    try:
        yield
    finally:
        _is_hiding.reset(token)


def is_hiding_words() -> bool:
    return _is_hiding.get()


def _masked(value: Any) -> Any:
    """What has the same type and says nothing; whoever reads a dict of it finds no keys."""
    if isinstance(value, str):
        return MASK if value else ""
    return type(value)() if isinstance(value, dict | list) else None


def _outlined(value: Any) -> Any:
    """The same keys, numbers and ids, and no other text."""
    if isinstance(value, dict):
        return {name: _outlined(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_outlined(one) for one in value]
    return value if not isinstance(value, str) or _ID.fullmatch(value) else _masked(value)


class _Private(models.Field):
    plain: str

    def get_db_converters(self, connection: Any) -> list[Any]:
        """Asked for once a query."""
        found: list[Any] = super().get_db_converters(connection)
        return [*found, self._hide] if is_hiding_words() else found

    def _hide(self, value: Any, *_: Any) -> Any:
        return _masked(value)

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
    """Whose keys are ours, and are looked for by whoever reads it."""

    def _hide(self, value: Any, *_: Any) -> Any:
        return _outlined(value)


class PrivateArray(_Private, ArrayField):
    plain = "django.contrib.postgres.fields.ArrayField"
