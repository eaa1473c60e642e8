"""Serializers that speak the contract: null is absent, extras are ignored unless something is deleted or overwritten,
each fault has its code.

A field says which code its faults have by raising catalogue errors through `ContractField`s; what DRF itself
refuses becomes 40000 (wrong type), 40002 (missing or empty) or 40003 (empty list) with the field's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from types import MappingProxyType
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from tenancy.errors import CatalogueError, EmptyList, InvalidParameters, RequiredFieldEmpty, UnsupportedType

# DRF's own codes, by which entry of the catalogue they are.
BY_CODE: dict[str, type[CatalogueError]] = {
    "required": RequiredFieldEmpty,
    "null": RequiredFieldEmpty,
    "blank": RequiredFieldEmpty,
    "empty": EmptyList,
    "unsupported": UnsupportedType,
}


JSON_TYPES: dict[type, str] = {dict: "object", list: "array", str: "string", int: "integer", float: "number"}


class FieldRefused(serializers.ValidationError):
    """A validation error with its own error code: `raise FieldRefused(UserIdTooLong, "at most 100 characters")`."""

    def __init__(self, entry: type[CatalogueError], detail: str = "") -> None:
        super().__init__(self._build_detail(entry, detail))

    @staticmethod
    def _build_detail(entry: type[CatalogueError], detail: str) -> ErrorDetail:
        return ErrorDetail(detail, code=f"catalogue:{entry.__name__}")

    @classmethod
    def of_field(cls, name: str, entry: type[CatalogueError]) -> serializers.ValidationError:
        """The same for a field that a check over the whole body found at fault."""
        return serializers.ValidationError({name: [cls._build_detail(entry, "")]})


def find_first_fault(detail: Any) -> CatalogueError:
    """The first validation error of a serializer as an entry of the error catalogue, with the path of its field."""
    path, error = _find_first_detail(detail, "")
    code = getattr(error, "code", "invalid")
    if code.startswith("catalogue:"):
        entry = next(e for e in _list_error_entries() if e.__name__ == code.removeprefix("catalogue:"))
        return entry(": ".join(part for part in (path, str(error)) if part))
    entry = BY_CODE.get(code, InvalidParameters)
    if entry is RequiredFieldEmpty:
        return entry(path)
    return entry(f"{path}: {error}" if path else str(error))


def _list_error_entries() -> list[type[CatalogueError]]:
    return [
        entry for direct in CatalogueError.__subclasses__() for entry in [direct, *direct.__subclasses__()]
    ]


def _find_first_detail(detail: Any, path: str) -> tuple[str, Any]:
    if isinstance(detail, dict):
        name, inner = next(iter(detail.items()))
        if isinstance(name, int):
            return _find_first_detail(inner, f"{path}[{name}]")
        step = "" if name == "body" else str(name)
        return _find_first_detail(inner, f"{path}.{step}".strip(".") if step else path)
    if isinstance(detail, list):
        for number, inner in enumerate(detail):
            if isinstance(inner, ErrorDetail) or inner:
                nested = isinstance(inner, dict)
                return _find_first_detail(inner, f"{path}[{number}]" if nested else path)
    return path, detail


class Contract(serializers.Serializer[Any]):
    """A request body. Null means absent, because clients send every optional field; unknown fields are ignored.

    `noted` is what the trace of the request says of how it was read; `refusals` are the errors that checks over the
    whole body raise beside 40000 and 40002.
    """

    refusals: ClassVar[tuple[type[CatalogueError], ...]] = ()
    noted: Mapping[str, Any] = MappingProxyType({})

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """DRF makes every field anew for every request, which takes half the time of checking a body. What holds no
        other field keeps nothing of a request but who it belongs to, and a copy of that will do."""
        return {
            name: deepcopy(field) if _holds_fields(field) else copy(field)
            for name, field in self._declared_fields.items()
        }

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            data = {name: value for name, value in data.items() if value is not None}
        return super().to_internal_value(data)


# What a published client says of itself in every call.
CLIENT_LABELS = frozenset({"source", "framework"})


def refuse_unsupported(sent: Mapping[str, Any], place: str = "") -> None:
    """Raises `InvalidParameters` for the first of these that is given: it could narrow what is to be deleted."""
    for name, value in sent.items():
        if value is not None:
            raise InvalidParameters(f"{place}{name[:100]}: not supported here, so nothing was changed")


class ChangingContract(Contract):
    """The body of a call that deletes or overwrites: unknown fields are refused.

    A field that is not known here may be meant to narrow the call, which would then change more than was asked for: it
    is refused by its name. `extras` are those that published clients are known to send, and that narrow nothing.
    """

    extras: ClassVar[frozenset[str]] = CLIENT_LABELS

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            known = self.extras | self.fields.keys()
            refuse_unsupported({name: value for name, value in data.items() if name not in known})
        return super().to_internal_value(data)


def _holds_fields(field: Any) -> bool:
    return isinstance(field, serializers.BaseSerializer) or hasattr(field, "child")


class ContractField(serializers.Field[Any, Any, Any, Any]):
    """A field that describes itself: `json_schema` is what it accepts, `refusals` the errors that it raises beside
    40000 and 40002."""

    refusals: tuple[type[CatalogueError], ...] = ()

    def json_schema(self) -> dict[str, Any]:
        raise NotImplementedError(f"{type(self).__name__} says no JSON Schema of itself")

    def to_representation(self, value: Any) -> Any:
        return value


class Text(ContractField):
    """A string, stored unchanged: not trimmed, folded or normalised. Numbers are not accepted."""

    default_error_messages = {
        "invalid": "must be a string",
        "blank": "must not be empty",
        "long": "at most {most} characters",
    }

    def __init__(
        self,
        *,
        most: int = 0,
        too_long: type[CatalogueError] = InvalidParameters,
        blank: bool = False,
        **options: Any,
    ) -> None:
        self.most, self.too_long, self.blank = most, too_long, blank
        self.refusals = (*type(self).refusals, too_long)
        super().__init__(**options)

    def json_schema(self) -> dict[str, Any]:
        least = {} if self.blank else {"minLength": 1}
        return {"type": "string", **least, **({"maxLength": self.most} if self.most else {})}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if not self.blank and not data.strip():
            self.fail("blank")
        if self.most and len(data) > self.most:
            raise FieldRefused(self.too_long, f"at most {self.most} characters, not {len(data)}")
        return str(data)


class Flag(ContractField):
    """A boolean: only true or false, no other spellings."""

    default_error_messages = {"invalid": "must be true or false"}

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return bool(data)


class WholeNumber(ContractField):
    """An integer within bounds; strings of digits are accepted, because forms send them."""

    default_error_messages = {
        "invalid": "must be a whole number",
        "bounds": "must be from {least} to {most}",
    }

    def __init__(self, *, least: int, most: int, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(**options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, str) and len(data) <= 12 and data.strip().isascii() and data.strip().isdecimal():
            data = int(data)
        if isinstance(data, float) and data.is_integer() and abs(data) < 2**53:
            data = int(data)
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        if not self.least <= data <= self.most:
            self.fail("bounds", least=self.least, most=self.most)
        return int(data)


class Json(ContractField):
    """A JSON value of one of the given types, taken unchanged."""

    default_error_messages = {"invalid": "must be {wanted}"}

    def __init__(self, *, types: tuple[type, ...], wanted: str, **options: Any) -> None:
        self.types, self.wanted = types, wanted
        super().__init__(**options)

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": [JSON_TYPES[python_type] for python_type in self.types]
            if len(self.types) > 1
            else JSON_TYPES[self.types[0]]
        }

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, self.types):
            self.fail("invalid", wanted=self.wanted)
        return data
