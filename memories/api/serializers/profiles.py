"""The bodies of the profile endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memories.api.serializers.fields import (
    TextList,
    build_agent_id_field,
    build_user_id_field,
    choose_subject,
)
from memories.profiles.bindings import Binding, FieldEdit
from memories.profiles.templates import Leaf
from memories.values import Subject
from tenancy.api.serializing import ChangingContract, Contract, FieldRefused, Json, Text, find_first_fault
from tenancy.errors import EmptyList, InvalidParameters, RequiredFieldEmpty, UserIdTooLong

MAX_LEVELS, MAX_LEAVES, MAX_NAME, MAX_VALUE, MAX_ITEMS = 3, 100, 100, 2_000, 50
MAX_BINDINGS = 20
OF_A_LEAF = ("value", "algorithm_updatable")


class Tree(Json):
    """Categories, fields and subfields; an object with a `value` or `algorithm_updatable` is a leaf.

    Becomes a list of changes: a value or flag that was not sent is None.
    """

    refusals = (EmptyList,)

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(dict,), wanted="an object", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "object"}, "minProperties": 1}

    def to_internal_value(self, data: Any) -> tuple[FieldEdit, ...]:
        tree = super().to_internal_value(data)
        if not tree:
            raise FieldRefused(EmptyList)
        edits: list[FieldEdit] = []
        for edit in _leaves(tree, ()):
            edits.append(edit)
            if len(edits) > MAX_LEAVES:
                raise FieldRefused(InvalidParameters, f"at most {MAX_LEAVES} fields")
        return tuple(edits)


def _leaves(branch: dict[str, Any], above: tuple[str, ...]) -> Iterator[FieldEdit]:
    for name, node in branch.items():
        path = (*above, _check_name(name, above))
        if not isinstance(node, dict):
            raise FieldRefused(InvalidParameters, f"{_format_path(path)}: must be an object")
        if any(key in node for key in OF_A_LEAF):
            yield _parse_leaf(node, path)
        elif not node:
            raise FieldRefused(EmptyList, _format_path(path))
        elif len(path) == MAX_LEVELS:
            raise FieldRefused(InvalidParameters, f"{_format_path(path)}: at most {MAX_LEVELS} levels")
        else:
            yield from _leaves(node, path)


def _format_path(path: tuple[str, ...]) -> str:
    return ".".join(path)[:200]


def _check_name(name: str, above: tuple[str, ...]) -> str:
    if not name.strip():
        raise FieldRefused(RequiredFieldEmpty, f"{_format_path(above)}: a name is empty")
    if len(name) > MAX_NAME:
        raise FieldRefused(
            InvalidParameters,
            f"{_format_path((*above, name[:20]))}…: names have at most {MAX_NAME} characters",
        )
    if "." in name:
        raise FieldRefused(InvalidParameters, f"{_format_path((*above, name))}: names have no dots")
    return name


def _parse_leaf(node: dict[str, Any], path: tuple[str, ...]) -> FieldEdit:
    if any(isinstance(value, dict) for key, value in node.items() if key not in OF_A_LEAF):
        raise FieldRefused(
            InvalidParameters, f"{_format_path(path)}: a field with a value has no fields of its own"
        )
    flag = node.get("algorithm_updatable")
    if flag is not None and not isinstance(flag, bool):
        raise FieldRefused(
            InvalidParameters, f"{_format_path(path)}.algorithm_updatable: must be true or false"
        )
    return FieldEdit(".".join(path), _parse_value(node.get("value"), f"{_format_path(path)}.value"), flag)


def _parse_value(value: Any, place: str) -> Any:
    """Text, a number, true or false, or a list of texts; null is absent."""
    if isinstance(value, list):
        if len(value) > MAX_ITEMS or not all(isinstance(text, str) for text in value):
            raise FieldRefused(
                InvalidParameters, f"{place}: a list has at most {MAX_ITEMS} texts and nothing else"
            )
    elif not isinstance(value, str | int | float | None):
        raise FieldRefused(
            InvalidParameters, f"{place}: must be a text, a number, true, false or a list of texts"
        )
    if len(str(value)) > MAX_VALUE:
        raise FieldRefused(InvalidParameters, f"{place}: at most {MAX_VALUE} characters")
    return value


class TemplateName(Text):
    """Shown without the blanks around it."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data).strip()


def build_template_id_field() -> Text:
    return Text(most=MAX_NAME)


def _build_leaves(edits: tuple[FieldEdit, ...]) -> tuple[Leaf, ...]:
    return tuple(
        Leaf(edit.path, "" if edit.value is None else edit.value, edit.is_updatable is not False)
        for edit in edits
    )


class AddTemplateBody(Contract):
    name = TemplateName(most=MAX_NAME)
    metadata = Tree()

    def leaves(self) -> tuple[Leaf, ...]:
        return _build_leaves(self.validated_data["metadata"])


class UpdateTemplateBody(ChangingContract):
    profile_template_id = build_template_id_field()
    name = TemplateName(most=MAX_NAME, required=False)
    metadata = Tree(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not {"name", "metadata"} & set(attrs):
            raise FieldRefused(RequiredFieldEmpty, "name or metadata")
        return attrs

    def leaves(self) -> tuple[Leaf, ...] | None:
        sent = self.validated_data
        return _build_leaves(sent["metadata"]) if "metadata" in sent else None


class TemplateBody(ChangingContract):
    profile_template_id = build_template_id_field()


def _require_only_subject(attrs: dict[str, Any]) -> Subject:
    if attrs.get("user_id") and attrs.get("agent_id"):
        raise FieldRefused(InvalidParameters, "pass user_id or agent_id, not both")
    return choose_subject(attrs)


class BindingBody(Contract):
    user_id = build_user_id_field(required=False)
    agent_id = build_agent_id_field()
    profile_template_id = build_template_id_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs | {"subject": _require_only_subject(attrs)}

    def build_binding(self) -> Binding:
        return Binding(self.validated_data["subject"], self.validated_data["profile_template_id"])


class ProfileBody(ChangingContract, BindingBody):
    """A binding that is to be changed or deleted."""


class EditProfileBody(ProfileBody):
    metadata = Tree(required=False)
    remove_fields = TextList(required=False, most=MAX_LEVELS * (MAX_NAME + 1))

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            is_absent: dict[str, Any] = {"metadata": {}, "remove_fields": []}
            data = {name: value for name, value in data.items() if value != is_absent.get(name, ...)}
        return super().to_internal_value(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not {"metadata", "remove_fields"} & set(attrs):
            raise FieldRefused(RequiredFieldEmpty, "metadata or remove_fields")
        return super().validate(attrs)


class Bindings(Json):
    refusals = (EmptyList, UserIdTooLong)

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(list,), wanted="a list of objects", **options)
        self.child = BindingBody()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "array", "minItems": 1, "maxItems": MAX_BINDINGS}

    def to_internal_value(self, data: Any) -> tuple[Binding, ...]:
        items = super().to_internal_value(data)
        if not items:
            raise FieldRefused(EmptyList)
        if len(items) > MAX_BINDINGS:
            raise FieldRefused(InvalidParameters, f"at most {MAX_BINDINGS} items")
        return tuple(self._parse_binding(item, place) for place, item in enumerate(items))

    @staticmethod
    def _parse_binding(item: Any, place: int) -> Binding:
        if not isinstance(item, dict):
            raise FieldRefused(InvalidParameters, f"[{place}]: must be an object")
        body = BindingBody(data=item)
        if not body.is_valid():
            fault = find_first_fault(body.errors)
            raise FieldRefused(type(fault), f"[{place}].{fault.detail}")
        return body.build_binding()


class BindBody(Contract):
    bind_list = Bindings()
