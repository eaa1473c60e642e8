"""The people who sign in to the console."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Upper


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

    class Meta(AbstractUser.Meta):
        # `email__iexact`: addresses are one person's in any case, and stored as they were entered.
        indexes = [models.Index(Upper("email"), name="user_by_email_in_any_case")]

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()  # type: ignore[assignment,misc]

    @property
    def name(self) -> str:
        return self.get_full_name() or self.email.partition("@")[0]
