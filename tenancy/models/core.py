"""Tables of accounts: users, plans, members, projects, keys, logs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
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


class Plan(models.Model):
    """A named set of limits of an account."""

    code = models.SlugField(primary_key=True)
    name = models.CharField(max_length=40)
    rank = models.PositiveSmallIntegerField(help_text="The order on the pricing page.")
    knowledge_bases = models.PositiveIntegerField()
    knowledge_base_gigabytes = models.PositiveIntegerField()
    storage_megabytes = models.PositiveBigIntegerField(null=True, blank=True)  # empty for no limit
    keys_per_project = models.PositiveIntegerField(default=20)
    requests_per_second = models.PositiveIntegerField(help_text="As many as are advised.")
    most_requests_per_second = models.PositiveIntegerField(default=200, db_default=200)
    tokens_per_minute = models.PositiveIntegerField(default=400_000)
    is_by_agreement = models.BooleanField(default=False, db_default=False)
    is_listed = models.BooleanField(
        default=False, db_default=False, help_text="Whether it is on the pricing page."
    )
    # In US cents; empty where it is agreed upon.
    monthly_price = models.PositiveIntegerField(null=True, blank=True)
    yearly_price = models.PositiveIntegerField(null=True, blank=True)
    # What all projects of the account together may use in a month (UTC); empty for as much as anybody likes.
    monthly_adds = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_searches = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_chats = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_feedbacks = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_extractions = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_rerankings = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_file_uploads = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_skill_uploads = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_chat_input_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_chat_output_tokens = models.PositiveBigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["rank"]

    def __str__(self) -> str:
        return self.name


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


class ApiKey(models.Model):
    """A secret of an API client, of which only a keyed hash is stored."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=60)
    public_id = models.CharField(max_length=8, help_text="The first characters, for people to recognise it.")
    last_four = models.CharField(max_length=4)
    digest = models.BinaryField(unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=12), default=list)
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_address = models.CharField(max_length=45, blank=True, default="", db_default="")
    last_used_endpoint = models.CharField(max_length=60, blank=True, default="", db_default="")
    # Networks it may be used from, as CIDR; from everywhere when there are none.
    ranges = ArrayField(models.CharField(max_length=43), default=list, db_default=[], blank=True)
    daily_cap = models.PositiveIntegerField(null=True, blank=True, help_text="Calls a day (UTC).")
    # The secret before the last rotation, which works a while longer.
    old_digest = models.BinaryField(null=True, unique=True, editable=False)
    old_until = models.DateTimeField(null=True, blank=True)
    # By which pepper each digest was made, see `tenancy.keys.peppers`; unknown of keys not shown since it is noted.
    pepper_id = models.CharField(max_length=16, editable=False, default="", db_default="")
    old_pepper_id = models.CharField(max_length=16, editable=False, default="", db_default="")

    # Until when the secret that was shown works, where it is the one before the rotation.
    shown_until: datetime | None = None

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["public_id"], name="api_key_by_public_id")]

    def __str__(self) -> str:
        return self.hint

    @property
    def hint(self) -> str:
        return f"{self.public_id}…{self.last_four}"

    @property
    def is_live(self) -> bool:
        ends = [end for end in (self.expires_at, self.shown_until) if end is not None]
        return self.revoked_at is None and (not ends or min(ends) > timezone.now())

    @property
    def is_rotating(self) -> bool:
        return self.is_live and self.old_until is not None and self.old_until > timezone.now()


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


def _unlinked(to: Any) -> Any:
    """Ids outlive what they name: an entry about a deleted project or login stays as it was."""
    return models.ForeignKey(
        to, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )


class AuditEvent(models.Model):
    """Who changed what, from where: never the content itself. The database numbers and chains what is written, and
    refuses to change or delete it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        Account, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    project = _unlinked(Project)
    actor = _unlinked(User)
    actor_kind = models.CharField(max_length=12, default="member")
    actor_label = models.CharField(max_length=40, blank=True, default="", db_default="")
    action = models.CharField(max_length=40)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=100)
    detail = models.JSONField(default=dict, db_default={}, encoder=DjangoJSONEncoder)
    address = models.CharField(max_length=45, blank=True, default="", db_default="")
    request_id = models.CharField(max_length=40, blank=True, default="", db_default="")
    created_at = models.DateTimeField(default=timezone.now)
    number = models.BigIntegerField(null=True, editable=False)
    previous = models.BinaryField(null=True, editable=False)
    hash = models.BinaryField(null=True, editable=False)

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        indexes = [models.Index(fields=["account", "-created_at"], name="audit_newest")]
        constraints = [
            models.UniqueConstraint(fields=["account", "number"], name="one_audit_entry_per_number")
        ]


class AuditHead(models.Model):
    """The last entry of an account's audit log, and the last that retention took. Written by the database alone."""

    account = models.OneToOneField(
        Account, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    number = models.BigIntegerField()
    hash = models.BinaryField()
    trimmed_number = models.BigIntegerField()
    trimmed_hash = models.BinaryField()

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"


class ModelUsage(TenantRow):
    """The tokens that a model read and wrote for a project in one day (UTC), for one purpose."""

    day = models.DateField()
    purpose = models.CharField(max_length=20)
    model = models.CharField(max_length=120)
    calls = models.PositiveIntegerField(default=0)
    estimated_calls = models.PositiveIntegerField(default=0)  # of them: the provider did not tell its tokens
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["project", "day", "purpose", "model"], name="one_model_usage_per_day"
            )
        ]
        indexes = [models.Index(fields=["account", "day"], name="model_usage_of_account")]
