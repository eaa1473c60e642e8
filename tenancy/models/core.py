"""Tables of accounts: users, members, invitations, projects."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models.plan import Plan
from tenancy.models.project_states import ProjectQuerySet


class UserManager(BaseUserManager["User"]):
    """People sign in by e-mail address; there are no user names."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True} | fields)


class User(AbstractUser):
    """A user of the console."""

    username = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    # Of the console when they were last there; empty for the installation's.
    language = models.CharField(max_length=10, blank=True, default="", db_default="")

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()  # type: ignore[assignment,misc]

    @property
    def name(self) -> str:
        return self.get_full_name() or self.email.partition("@")[0]


class Account(models.Model):
    """A paying tenant."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=100)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT)
    members = models.ManyToManyField(User, through="Membership", related_name="accounts")
    created_at = models.DateTimeField(default=timezone.now)
    asks_second_factor = models.BooleanField(
        default=False, db_default=False, help_text="Whether whoever has none is kept out."
    )

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    OWNER = "owner"
    ADMIN = "admin"
    DEVELOPER = "developer"
    VIEWER = "viewer"


class Membership(models.Model):
    """A person in an account."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(default=timezone.now)
    current_project = models.ForeignKey(
        "Project", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "user"], name="one_membership_per_account")]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Project(models.Model):
    """Isolation inside an account; owns keys, cubes and logs. `settings` hold a section for each that reads them."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="projects")
    name = models.CharField(max_length=60)
    description = models.CharField(max_length=300, blank=True)
    settings = models.JSONField(default=dict, db_default={})
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    deleting_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            # What is being deleted gives its name back at once.
            models.UniqueConstraint(
                fields=["account", "name"],
                condition=models.Q(deleting_at=None),
                name="project_name_in_account",
            ),
            models.UniqueConstraint(fields=["account", "id"], name="project_within_account"),
        ]

    def __str__(self) -> str:
        return self.name


class ProjectRole(models.Model):
    """A member's role in a project, where it differs from the account's. It goes with the membership."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="one_role_per_project")]


class Invitation(models.Model):
    """A place in an account, offered to an e-mail address; the link that takes it is kept as a hash."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=12, choices=Role)
    token_digest = models.BinaryField(unique=True, editable=False)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "email"],
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="one_open_invitation_per_address",
            )
        ]

    @property
    def state(self) -> str:
        if self.accepted_at is not None:
            return "accepted"
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= timezone.now() else "pending"


class TenantRow(models.Model):
    """A row of one project of one account, scoped by the manager and by row-level security."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)

    owner = "project"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True
        default_manager_name = "every"
