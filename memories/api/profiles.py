"""Profile templates and profiles: parse, call one function, answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.profiles import (
    AddTemplateBody,
    BindBody,
    EditProfileBody,
    ProfileBody,
    TemplateBody,
    UpdateTemplateBody,
)
from memories.profiles.bindings import FieldEdit, ShownProfile, bind_profiles, delete_profile, edit_profile
from memories.profiles.recall import RecalledField, format_value
from memories.profiles.templates import add_template, build_template_id, delete_template, update_template
from memories.text.time.timestamps import get_epoch_milliseconds
from tenancy.api.base import ContractView


class AddTemplateView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        body = self.read(AddTemplateBody)
        name, leaves = body.validated_data["name"], body.leaves()
        self.charge([name, *(f"{leaf.path} {format_value(leaf.value)}" for leaf in leaves)])

        def add() -> dict[str, Any]:
            return {"profile_template_id": build_template_id(add_template(self.project, name, leaves))}

        return self.answer(self.run_once(add))


class UpdateTemplateView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        body = self.read(UpdateTemplateBody)
        sent, leaves = body.validated_data, body.leaves()
        self.charge(
            [sent.get("name", ""), *(f"{leaf.path} {format_value(leaf.value)}" for leaf in leaves or ())]
        )

        def update() -> dict[str, Any]:
            key = sent["profile_template_id"]
            template = update_template(self.project, key, sent.get("name"), leaves)
            return {"success": True, "profile_template_id": build_template_id(template)}

        return self.answer(self.run_once(update))


class DeleteTemplateView(ContractView):
    scope = "delete"

    def post(self, request: Request) -> Response:
        key = self.read(TemplateBody).validated_data["profile_template_id"]

        def delete() -> dict[str, Any]:
            return {
                "success": True,
                "profile_template_id": key,
                "deleted_instances": delete_template(self.project, key),
            }

        return self.answer(self.run_once(delete))


class BindView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        bindings = self.read(BindBody).validated_data["bind_list"]

        def write() -> dict[str, Any]:
            bind_profiles(self.project, bindings)
            return {"success": True}

        return self.answer(self.run_once(write))


class EditProfileView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        body = self.read(EditProfileBody)
        edits: Sequence[FieldEdit] = body.validated_data.get("metadata", ())
        self.charge([f"{edit.path} {format_value(edit.value)}" for edit in edits])

        def edit() -> dict[str, Any]:
            removed = body.validated_data.get("remove_fields", ())
            edit_profile(self.project, body.build_binding(), edits, removed)
            return {"success": True}

        return self.answer(self.run_once(edit))


class DeleteProfileView(ContractView):
    scope = "delete"

    def post(self, request: Request) -> Response:
        body = self.read(ProfileBody)

        def delete() -> dict[str, Any]:
            delete_profile(self.project, body.build_binding())
            return {"success": True}

        return self.answer(self.run_once(delete))


def build_profile_items(recalled: Sequence[RecalledField] | None) -> dict[str, Any]:
    """The flat list of a search's answer; no list at all where none was asked for."""
    return {} if recalled is None else {"profile_detail_list": [_build_item(field) for field in recalled]}


def _build_item(recalled: RecalledField) -> dict[str, Any]:
    category, _, rest = recalled.field.path.partition(".")
    return {
        "id": str(recalled.field.id),
        "memory": recalled.text,
        "memory_type": "ProfileMemory",
        "template_id": build_template_id(recalled.profile.template),
        "profile_category": category,
        "profile_field": rest or category,
        "profile_path": recalled.field.path,
        "status": "activated",
        "confidence": recalled.field.confidence,
        "relativity": round(recalled.relativity, 8),
        "algorithm_updatable": recalled.field.is_updatable,
    }


def build_profile_trees(profiles: Sequence[ShownProfile] | None) -> dict[str, Any]:
    """The list of get/memory's answer; no list at all where none was asked for."""
    return {} if profiles is None else {"profile_detail_list": [_build_tree(profile) for profile in profiles]}


def _build_tree(shown: ShownProfile) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for field in shown.fields:
        *above, last = field.path.split(".")
        branch = properties
        for name in above:
            branch = branch.setdefault(name, {})
        branch[last] = {"value": field.value, "algorithm_updatable": field.is_updatable}
    return {
        "id": str(shown.profile.pk),
        "profile_template_id": build_template_id(shown.profile.template),
        "status": "activated",
        "properties": properties,
        "create_time": get_epoch_milliseconds(shown.profile.created_at),
        "update_time": get_epoch_milliseconds(shown.profile.updated_at),
    }
