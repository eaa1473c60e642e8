"""The operator's view of tenants. End users' words are not shown here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from tenancy.models import Account, ApiKey, Membership, Plan, Project, User


class Undeletable(admin.ModelAdmin):
    """What tenants' rows hang on is deleted in the console, which opens their scope: here Postgres would refuse."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class PersonAdmin(Undeletable, UserAdmin):
    ordering = ["email"]
    list_display = ["email", "first_name", "last_name", "is_staff", "last_login"]
    search_fields = ["email"]
    fieldsets = [
        (None, {"fields": ["email", "password"]}),
        ("Name", {"fields": ["first_name", "last_name"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser", "groups"]}),
    ]
    add_fieldsets = [(None, {"fields": ["email", "password1", "password2"]})]


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["user"]
    fields = ["user", "role", "created_at"]


@admin.register(Account)
class AccountAdmin(Undeletable):
    list_display = ["name", "plan", "created_at"]
    list_filter = ["plan"]
    search_fields = ["name", "memberships__user__email"]
    inlines = [MembershipInline]


@admin.register(Project)
class ProjectAdmin(Undeletable):
    list_display = ["name", "account", "created_at"]
    search_fields = ["name", "account__name"]
    list_select_related = ["account"]
    autocomplete_fields = ["account"]


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
    """Keys can be looked at and revoked, never made: their plaintext belongs to the developer alone."""

    list_display = ["hint", "name", "project", "created_at", "last_used_at", "revoked_at"]
    list_filter = ["revoked_at"]
    search_fields = ["public_id", "name"]
    list_select_related = ["project"]
    fields = ["name", "project", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at"]
    readonly_fields = ["project", "created_at", "last_used_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Plan)
class PlanAdmin(Undeletable):
    list_display = ["name", "requests_per_second", "tokens_per_minute", "knowledge_bases", "keys_per_project"]
